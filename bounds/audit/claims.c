/* Claims: read, compared with the truth, and where they fail explained by the slip that gives the
 * claimed number. (theory 13.8) */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "bounds.h"
#include "parse.h"

/* ---- reading --------------------------------------------------------------------------------- */

/* Half a unit of the last digit that is written, at most 1e-3 of the number and at least 1e-9. */
static double tolerance_of(const char *text, const char *end, double value)
{
    const char *e = text, *point = NULL;
    while (e < end && *e != 'e' && *e != 'E') {
        if (*e == '.') point = e;
        e++;
    }
    double decimals = point ? (double)(e - point - 1) : 0;
    double exponent = e < end ? strtod(e + 1, NULL) : 0;
    double half = 0.5 * pow(10, exponent - decimals);
    return fmin(fmax(half, 1e-9 * value), 1e-3 * value);
}

static finf_status find_quantity(const char *name, size_t length, finf_audit_quantity *out,
                                 finf_reason *why)
{
    for (int i = 0; finf_audit_quantity_name((finf_audit_quantity)i); i++) {
        const char *known = finf_audit_quantity_name((finf_audit_quantity)i);
        *out = (finf_audit_quantity)i;
        if (strlen(known) == length && strncmp(known, name, length) == 0) return FINF_OK;
    }
    return finf_why(why, FINF_EPARSE,
                    "claims: '%.*s' is not known: sens2, gamma2, prefix_error, prefix_error_mean, "
                    "prefix_error_max, mean_loss, max_loss, rho, epsilon",
                    (int)(length < 40 ? length : 40), name);
}

static finf_status read_claim(const char *text, const char *end, finf_audit_claim *out,
                              finf_reason *why)
{
    const char *equals = memchr(text, '=', (size_t)(end - text)), *name_end = equals;
    int shown = (int)(end - text < 60 ? end - text : 60);
    if (!equals)
        return finf_why(why, FINF_EPARSE, "claims '%.*s': must be NAME=NUMBER,.., as sens2=6.34",
                        shown, text);
    while (name_end > text && isspace((unsigned char)name_end[-1])) name_end--;
    finf_status s = find_quantity(text, (size_t)(name_end - text), &out->of, why);
    const char *number = equals + 1;
    while (number < end && isspace((unsigned char)*number)) number++;
    char what[48];
    snprintf(what, sizeof what, "claims: %s", s ? "" : finf_audit_quantity_name(out->of));
    if (!s) s = parse_part(number, end, what, &out->value, why);
    if (!s && !(out->value >= BOUNDS_TINY && out->value <= BOUNDS_HUGE))
        s = finf_why(why, FINF_EDOM, "%s = %s: must be from 1e-50 to 1e50", what,
                     finf_show(out->value).s);
    if (!s) out->tolerance = tolerance_of(number, end, out->value);
    return s;
}

finf_status finf_audit_claims(const char *text, finf_audit_claim out[FINF_AUDIT_CLAIMS_MAX],
                              size_t *n, finf_reason *why)
{
    unsigned seen = 0;
    *n = 0;
    for (const char *p = text;; p++) { /* p++ goes past the comma */
        finf_audit_claim c;
        while (isspace((unsigned char)*p)) p++;
        const char *comma = p + strcspn(p, ","), *end = comma;
        while (end > p && isspace((unsigned char)end[-1])) end--;
        finf_status s = read_claim(p, end, &c, why);
        if (!s && (seen & 1u << c.of))
            s = finf_why(why, FINF_EPARSE, "claims: %s is there twice",
                         finf_audit_quantity_name(c.of));
        if (s) return s;
        seen |= 1u << c.of;
        out[(*n)++] = c;
        p = comma;
        if (!*p) return FINF_OK;
    }
}

/* ---- comparing ------------------------------------------------------------------------------- */

static finf_real truth(const finf_audit_result *r, finf_audit_quantity of)
{
    switch (of) {
    case FINF_AUDIT_SENS2: return r->sens2;
    case FINF_AUDIT_GAMMA2: return r->gamma2;
    case FINF_AUDIT_PREFIX: return r->prefix_error;
    case FINF_AUDIT_PREFIX_MEAN: return r->prefix_error_mean;
    case FINF_AUDIT_PREFIX_MAX: return r->prefix_error_max;
    case FINF_AUDIT_MEAN_LOSS: return r->mean_loss;
    case FINF_AUDIT_MAX_LOSS: return r->max_loss;
    case FINF_AUDIT_RHO: return r->rho;
    case FINF_AUDIT_EPSILON: return r->epsilon;
    }
    return finf_real_failed();
}

static int matches(const finf_audit_claim *c, finf_real x)
{
    return isfinite(x.value) && fabs(x.value - c->value) <= c->tolerance + x.error;
}

/* Of the noise as it is, whoever takes part. */
static int is_prefix(finf_audit_quantity of)
{
    return of == FINF_AUDIT_PREFIX || of == FINF_AUDIT_PREFIX_MEAN || of == FINF_AUDIT_PREFIX_MAX;
}

/* Does the claim hold for this squared sensitivity in place of the true one? */
static int matches_sens2(const audit *x, const finf_audit_claim *c, double sens2)
{
    finf_real rho, epsilon, s = finf_real_make(sens2, 64 * FINF_EPS * sens2, "");
    double factor = sens2 / x->out->sens2.value;
    finf_real now = truth(x->out, c->of);
    if (!isfinite(factor) || !(factor > 0)) return 0;
    if (is_prefix(c->of) || c->of == FINF_AUDIT_GAMMA2) return 0;
    if (c->of != FINF_AUDIT_EPSILON)
        return matches(c, finf_real_make(now.value * factor, now.error * factor, ""));
    return !audit_privacy(x, s, &rho, &epsilon, NULL) && matches(c, epsilon);
}

/* ---- explaining ------------------------------------------------------------------------------ */

typedef struct {
    char text[224]; /* "" while none is found */
} slip;

/* k or b off by one, one participation alone, the other way to count. */
static finf_status slip_of_participations(const audit *x, const finf_audit_claim *c, slip *out,
                                          finf_reason *why)
{
    size_t k = x->o.participations, b = x->o.separation, n = x->out->steps;
    finf_design_count count = x->o.count, other = count == FINF_DESIGN_FIXED_ORDER
                                                      ? FINF_DESIGN_MIN_SEP
                                                      : FINF_DESIGN_FIXED_ORDER;
    const struct {
        size_t k, b;
        finf_design_count count;
        const char *said;
    } TRIED[] = {{k, b - 1, count, "TF-Privacy's separation is one less than jax_privacy's"},
                 {k, b + 1, count, "TF-Privacy's separation is one less than jax_privacy's"},
                 {1, 1, count, "the others are not counted"},
                 {k - 1, b, count, "one is missing"},
                 {k + 1, b, count, "one more than were asked for"},
                 {k, b, other, other ? "at least so far apart" : "exactly so far apart"}};
    if (!x->system || k == 1) return FINF_OK;
    for (size_t i = 0; i < sizeof TRIED / sizeof *TRIED && !out->text[0]; i++) {
        finf_real sens2;
        finf_real lower;
        if (!TRIED[i].k || !TRIED[i].b || (TRIED[i].k - 1) * TRIED[i].b >= n) continue;
        finf_status s = audit_sensitivity(x, x->system, TRIED[i].k, TRIED[i].b, TRIED[i].count,
                                          &sens2, &lower, why);
        if (s) return s;
        if (!matches_sens2(x, c, sens2.value)) continue;
        if (TRIED[i].k == 1)
            snprintf(out->text, sizeof out->text, "that is of one participation: %s",
                     TRIED[i].said);
        else
            snprintf(out->text, sizeof out->text, "that is of %zu participations %zu apart: %s",
                     TRIED[i].k, TRIED[i].b, TRIED[i].said);
    }
    return FINF_OK;
}

/* Factors of conventions. */
static void slip_of_factor(const audit *x, const finf_audit_claim *c, slip *out)
{
    double s = x->out->sens2.value, m = x->o.batch;
    const struct {
        double sens2;
        const char *said;
    } TRIED[] = {
        {sqrt(s), "that is sens2's root: the sensitivity is squared here"},
        {s * s, "that is sens2's square: sens2 is squared already"},
        {4 * s, "4 times: that is replace-one adjacency, where a contribution may turn "
                "round; here it is zero-out"},
        {s / 4, "a quarter: that is what zero-out would be of a value for replace-one "
                "adjacency; this one is for zero-out already"},
        {2 * s, "a factor 2: of adjacency (2 in the sensitivity is 4 in its square), or of "
                "rho = sens2/2 at sigma = 1"},
        {s / 2, "half: that is rho = sens2/2 at sigma = 1, or a factor 2 of adjacency"},
        {s / (m * m), "that is of a sigma which is added to the mean of the batch; here it "
                      "is added to the sum"},
        {s * m * m, "that is of a sigma divided by the batch; here it is added to the sum"}};
    for (size_t i = 0; i < sizeof TRIED / sizeof *TRIED && !out->text[0]; i++)
        if (!(TRIED[i].sens2 == s) && matches_sens2(x, c, TRIED[i].sens2))
            snprintf(out->text, sizeof out->text, "%s", TRIED[i].said);
    if (!out->text[0] && c->of == FINF_AUDIT_SENS2 && matches(c, x->out->gamma2))
        snprintf(out->text, sizeof out->text, "that is of all time and one participation");
    if (!out->text[0] && c->of == FINF_AUDIT_GAMMA2 && matches(c, x->out->gamma2_T))
        snprintf(out->text, sizeof out->text, "that is of the %zu steps", x->out->steps);
}

/* The largest squared norm of a row of C: of the transpose, or rows taken for columns. */
static double largest_row(const finf_system *s)
{
    size_t n = s->facts.n;
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j <= i; j++) sum += s->C[i * n + j] * s->C[i * n + j];
        most = fmax(most, sum);
    }
    return most;
}

/* C for B, and rows for columns. */
static finf_status slip_of_matrix(const audit *x, const finf_audit_claim *c, slip *out,
                                  finf_reason *why)
{
    const finf_system *s = x->system;
    finf_real sens2;
    finf_real lower;
    if (out->text[0] || !s || (s->kind != SYSTEM_TOEPLITZ && s->kind != SYSTEM_MATRIX))
        return FINF_OK;
    finf_system exchanged = audit_exchanged(s);
    if (x->o.participations > 1 && s->facts.n > FINF_SYSTEM_DENSE_MAX) return FINF_OK;
    finf_status status = audit_sensitivity(x, &exchanged, x->o.participations, x->o.separation,
                                           x->o.count, &sens2, &lower, why);
    if (status) return status;
    if (matches_sens2(x, c, sens2.value))
        snprintf(out->text, sizeof out->text,
                 "that is of B in the place of C: noising and strategy coefficients mixed up");
    else if (s->kind == SYSTEM_MATRIX && matches_sens2(x, c, largest_row(s)))
        snprintf(out->text, sizeof out->text, "that is of rows: the matrix was transposed");
    return FINF_OK;
}

/* Less than the truth is an error where privacy depends on it: but for an upper bound only what is
 * below the attained value is refuted. */
static finf_status judge(audit *x, const finf_audit_claim *c, finf_reason *why)
{
    const finf_audit_result *r = x->out;
    finf_real is = truth(r, c->of);
    const char *name = finf_audit_quantity_name(c->of);
    slip found = {""};
    if (isnan(is.value)) {
        audit_add(x, FINF_AUDIT_WARNING, "the claim %s = %.10g cannot be checked: %s", name,
                  c->value,
                  r->steps ? "there is no such number of a matrix" : "steps are not given");
        return FINF_OK;
    }
    if (matches(c, is)) return FINF_OK;
    int low = !is_prefix(c->of) && c->value < is.value;
    finf_status s = slip_of_participations(x, c, &found, why);
    if (!s && !found.text[0]) slip_of_factor(x, c, &found);
    if (!s) s = slip_of_matrix(x, c, &found, why);
    if (s) return s;
    int open = low && !r->sens2_exact &&
               c->value * r->sens2.value >= r->sens2_lower.value * is.value;
    audit_add(x, low && !open ? FINF_AUDIT_ERROR : FINF_AUDIT_WARNING,
              open ? "the claim %s = %.10g is not proved: at most %.10g is, an upper bound%s%s"
                   : "claimed %s = %.10g, but it is %.10g%s%s",
              name, c->value, is.value, found.text[0] ? "; " : "", found.text);
    return FINF_OK;
}

finf_status audit_judge(audit *x, finf_reason *why)
{
    finf_status s = FINF_OK;
    for (size_t i = 0; i < x->o.n_claims && !s; i++) s = judge(x, &x->o.claims[i], why);
    return s;
}
