/* What every linear optimizer answers, whatever its rule: the public functions, and its filter on
 * the circle. (theory 11.1) */
#include "optimizer.h"

#include <gsl/gsl_poly.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

#define REFERENCE(name) &optimizer_##name,
static const optimizer_rule *const RULES[] = {OPTIMIZER_RULES(REFERENCE)};
#undef REFERENCE
enum { RULE_COUNT = sizeof RULES / sizeof *RULES };

static const finf_optimizer PLAIN = {.rule = &optimizer_sgd,
                                     .nb = 2,
                                     .b = {0, 1},
                                     .na = 2,
                                     .a = {1, -1},
                                     .rest = {1},
                                     .b_y = {1, -1},
                                     .rest_y = {1},
                                     .q_far = 2,
                                     .b_s = {-1, 1},
                                     .far_s = {1},
                                     .average_leak = 1,
                                     .average_last = 1};

const finf_optimizer *optimizer_or_sgd(const finf_optimizer *o) { return o ? o : &PLAIN; }

int optimizer_is_plain(const finf_optimizer *o)
{
    return !o || (o->rule == &optimizer_sgd && o->average == AVERAGE_NONE && o->weight_decay == 0);
}

finf_status optimizer_only_plain(const finf_optimizer *o, const char *who, finf_reason *why)
{
    if (optimizer_is_plain(o)) return FINF_OK;
    char name[64];
    finf_optimizer_spell(o, name, sizeof name);
    return finf_why(why, FINF_EUSAGE,
                    "optimizer %s: %s is for plain sgd only, without averaging or weight decay",
                    name, who);
}

/* ---- construction ---------------------------------------------------------------------------- */

finf_status optimizer_read_momentum(const char *text, const char *name, double *m, finf_reason *why)
{
    char what[48];
    snprintf(what, sizeof what, "momentum of %s", name);
    finf_status s = parse_number(text, what, m, why);
    if (!s && !(*m >= 0 && *m < 1))
        s = finf_why(why, FINF_EDOM, "%s = %s: must be in [0, 1)", what, finf_show(*m).s);
    return s;
}

/* The polynomial sum x_k (1-y)^k in powers of y: Horner's scheme at 1, in wide numbers, as the
 * small coefficients are differences of large ones. */
static void in_powers_of_y(const double *x, size_t n, double *out)
{
    schur_real c[OPTIMIZER_ORDER_MAX] = {0};
    for (size_t k = n; k-- > 0;) {
        for (size_t j = n - 1; j > 0; j--) c[j] -= c[j - 1]; /* times 1 - y .. */
        c[0] += x[k];                                        /* .. plus x_k */
    }
    for (size_t j = 0; j < n; j++) out[j] = (double)c[j];
}

/* sum x_k (s-1)^k in powers of s; c has n numbers. */
static void in_powers_of_s(const schur_real *x, size_t n, schur_real *c)
{
    for (size_t k = 0; k < n; k++) c[k] = 0;
    for (size_t k = n; k-- > 0;) {
        for (size_t j = n - 1; j > 0; j--) c[j] = c[j - 1] - c[j]; /* times s - 1 .. */
        c[0] = x[k] - c[0];                                        /* .. plus x_k */
    }
}

/* The loop about z = -1: a + q_far b vanishes there. Where b all but does no pole comes near, and
 * powers of y will do. */
static void complete_far(finf_optimizer *o)
{
    schur_real b[OPTIMIZER_ORDER_MAX], a[OPTIMIZER_ORDER_MAX], size = 0;
    schur_real b_s[OPTIMIZER_ORDER_MAX] = {0}, a_s[OPTIMIZER_ORDER_MAX] = {0};
    size_t n;
    loop_polynomial(o, 0, a, &n);
    for (size_t k = 0; k < n; k++) {
        b[k] = loop_numerator(o, k);
        size += b[k] < 0 ? -b[k] : b[k];
    }
    in_powers_of_s(a, n, a_s);
    in_powers_of_s(b, n, b_s);
    schur_real there = b_s[0] < 0 ? -b_s[0] : b_s[0], q = -a_s[0] / b_s[0];
    if (!(there > 1e-8 * (double)size) || !(q > 0)) return;
    o->q_far = (double)q;
    o->q_far_low = (double)(q - (schur_real)o->q_far);
    for (size_t k = 0; k < n; k++) o->b_s[k] = (double)b_s[k];
    for (size_t k = 0; k + 1 < n; k++) o->far_s[k] = (double)(a_s[k + 1] + q * b_s[k + 1]);
}

/* What follows from b and rest. */
static void complete(finf_optimizer *o)
{
    for (size_t k = 0; k < o->na; k++)
        o->a[k] = (k + 1 < o->na ? o->rest[k] : 0) - (k ? o->rest[k - 1] : 0);
    in_powers_of_y(o->b, o->nb, o->b_y);
    in_powers_of_y(o->rest, o->na - 1, o->rest_y);
    complete_far(o);
}

/* A pole of P on or outside the circle that a zero hides: no gradient moves that mode, and it does
 * not die out. */
static finf_status check_hidden(const finf_optimizer *o, finf_reason *why)
{
    size_t n = o->na - 1;
    if (n < 2) return FINF_OK;
    double root[2 * OPTIMIZER_ORDER_MAX];
    gsl_poly_complex_workspace *work = gsl_poly_complex_workspace_alloc(n);
    if (!work) return finf_why(why, FINF_ENOMEM, "no memory");
    int failed = gsl_poly_complex_solve(o->rest, n, work, root);
    gsl_poly_complex_workspace_free(work);
    if (failed) return finf_why(why, FINF_ETOL, "filter: the zeros of a were not found");
    for (size_t i = 0; i + 1 < n; i++) {
        double complex x = root[2 * i] + I * root[2 * i + 1], sum = 0;
        double size = 0;
        for (size_t k = o->nb; k-- > 0;) {
            sum = sum * x + o->b[k];
            size = size * cabs(x) + fabs(o->b[k]);
        }
        if (cabs(x) <= 1 + 1e-9 && cabs(sum) <= 1e-9 * size)
            return finf_why(why, FINF_EDOM,
                            "filter: a zero of b hides a pole at |z| = %.6g: that mode never dies "
                            "out",
                            1 / cabs(x));
    }
    return FINF_OK;
}

/* The pole at z = 1 must be simple, seen by the gradients, and lead downhill. */
static finf_status check_step(const finf_optimizer *o, finf_reason *why)
{
    double top = o->b_y[0], bottom = o->rest_y[0], b_size = 0, rest_size = 0;
    for (size_t k = 0; k < o->nb; k++) b_size += fabs(o->b[k]);
    for (size_t k = 0; k + 1 < o->na; k++) rest_size += fabs(o->rest[k]);
    if (fabs(top) <= 1e-14 * b_size)
        return finf_why(why, FINF_EDOM,
                        "filter: b(1) = 0, so that there is no pole at z = 1: it does not settle "
                        "at the minimum");
    if (fabs(bottom) <= 1e-14 * rest_size)
        return finf_why(why, FINF_EDOM, "filter: the pole at z = 1 must be simple");
    if (top / bottom < 0)
        return finf_why(why, FINF_EDOM, "filter: the effective step %s eta is negative: it ascends",
                        finf_show(top / bottom).s);
    return FINF_OK;
}

/* Momentum 0, and a filter that is sgd's, are sgd. */
static void recognise_sgd(finf_optimizer *o)
{
    int same = o->momentum == 0 || (o->nb == 2 && o->na == 2 && o->b[1] == 1 && o->rest[0] == 1);
    if (!same) return;
    finf_optimizer plain = PLAIN;
    plain.average = o->average;
    plain.average_leak = o->average_leak;
    plain.average_last = o->average_last;
    plain.weight_decay = o->weight_decay;
    *o = plain;
}

static finf_status unknown(const char *text, finf_reason *why)
{
    char list[sizeof why->text];
    size_t n = 0;
    for (size_t i = 0; i < RULE_COUNT && n < sizeof list; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", RULES[i]->form);
    return finf_why(why, FINF_EPARSE, "optimizer '%.60s' is not known: %s", text, list);
}

/* "name" or "name:parameters"; only a rule without parameters may stand alone. */
static finf_status read_rule(const char *text, finf_optimizer *o, finf_reason *why)
{
    size_t length = strcspn(text, ":");
    for (size_t i = 0; i < RULE_COUNT; i++) {
        const optimizer_rule *r = RULES[i];
        if (strlen(r->name) != length || memcmp(r->name, text, length) != 0) continue;
        if (!text[length] && strchr(r->form, ':')) break;
        o->rule = r;
        return r->read(text[length] ? text + length + 1 : "", o, why);
    }
    return unknown(text, why);
}

finf_status finf_optimizer_parse(const char *optimizer, const char *average, double weight_decay,
                                 finf_optimizer **out, finf_reason *why)
{
    *out = NULL;
    finf_optimizer *o = calloc(1, sizeof *o);
    if (!o) return finf_why(why, FINF_ENOMEM, "no memory");
    finf_status s = read_rule(optimizer ? optimizer : "sgd", o, why);
    if (!s) s = average_read(average, o, why);
    if (!s && !(weight_decay >= 0 && weight_decay <= BOUNDS_HUGE))
        s = finf_why(why, FINF_EDOM, "weight-decay = %s: must be from 0 to 1e50",
                     finf_show(weight_decay).s);
    o->weight_decay = weight_decay;
    if (!s) {
        complete(o);
        recognise_sgd(o);
        s = check_step(o, why);
    }
    if (!s) s = check_hidden(o, why);
    if (s)
        free(o);
    else
        *out = o;
    return s;
}

void finf_optimizer_free(finf_optimizer *o) { free(o); }

finf_optimizer_form finf_optimizer_form_get(size_t i)
{
    if (i >= RULE_COUNT) return (finf_optimizer_form){NULL, NULL, NULL};
    return (finf_optimizer_form){RULES[i]->name, RULES[i]->form, RULES[i]->about};
}

/* ---- spelling -------------------------------------------------------------------------------- */

/* As snprintf does: *length counts also what no longer fits. */
static void append(char *out, size_t size, size_t *length, const char *text)
{
    size_t at = *length < size ? *length : size;
    *length += (size_t)snprintf(size ? out + at : NULL, size - at, "%s", text);
}

static void append_list(char *out, size_t size, size_t *length, const double *x, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (k) append(out, size, length, ",");
        append(out, size, length, finf_show(x[k]).s);
    }
}

finf_status finf_optimizer_spell(const finf_optimizer *opt, char *out, size_t size)
{
    const finf_optimizer *o = optimizer_or_sgd(opt);
    size_t length = 0;
    append(out, size, &length, o->rule->name);
    if (o->rule == &optimizer_filter) {
        append(out, size, &length, ":");
        append_list(out, size, &length, o->b, o->nb);
        append(out, size, &length, ";");
        append_list(out, size, &length, o->given_a, o->na);
    } else if (o->rule != &optimizer_sgd) {
        append(out, size, &length, ":");
        append(out, size, &length, finf_show(o->momentum).s);
    }
    return length < size ? FINF_OK : FINF_EDOM;
}

finf_status finf_optimizer_spell_average(const finf_optimizer *opt, char *out, size_t size)
{
    const finf_optimizer *o = optimizer_or_sgd(opt);
    size_t length = 0;
    const char *const names[] = {"none", "ema:", "last:"};
    append(out, size, &length, names[o->average]);
    if (o->average == AVERAGE_EMA) append(out, size, &length, finf_show(1 - o->average_leak).s);
    if (o->average == AVERAGE_LAST)
        append(out, size, &length, finf_show((double)o->average_last).s);
    return length < size ? FINF_OK : FINF_EDOM;
}

double finf_optimizer_weight_decay(const finf_optimizer *opt)
{
    return optimizer_or_sgd(opt)->weight_decay;
}

/* ---- the filter ------------------------------------------------------------------------------ */

double finf_optimizer_step(const finf_optimizer *opt)
{
    const finf_optimizer *o = optimizer_or_sgd(opt);
    return o->b_y[0] / o->rest_y[0];
}

static double complex horner(const double *c, size_t n, double complex x)
{
    double complex sum = 0;
    for (size_t k = n; k-- > 0;) sum = sum * x + c[k];
    return sum;
}

/* In powers of y, whose coefficients are small where those of x cancel; but of a long polynomial,
 * and not near y = 0, they are large and cancel themselves. */
void optimizer_at(const finf_optimizer *opt, double complex y, double complex *b, double complex *a)
{
    const finf_optimizer *o = optimizer_or_sgd(opt);
    size_t n = o->na > o->nb ? o->na : o->nb;
    if (n <= 4 || cabs(y) * (double)n < 2) {
        *b = horner(o->b_y, o->nb, y);
        *a = y * horner(o->rest_y, o->na - 1, y);
    } else {
        *b = horner(o->b, o->nb, 1 - y);
        *a = y * horner(o->rest, o->na - 1, 1 - y);
    }
}

optimizer_point optimizer_point_at(const finf_optimizer *opt, double t)
{
    const finf_optimizer *o = optimizer_or_sgd(opt);
    optimizer_point p = {.q0 = 0};
    size_t n = o->na > o->nb ? o->na : o->nb;
    double complex s = conj(optimizer_y(1 / t)); /* 1 + e^{-iw} */
    if (t > 1 && o->q_far > 0 && (n <= 4 || cabs(s) * (double)n < 2)) {
        p.b = horner(o->b_s, n, s);
        p.bottom = s * horner(o->far_s, n - 1, s);
        p.q0 = o->q_far;
        p.q0_low = o->q_far_low;
    } else
        optimizer_at(o, optimizer_y(t), &p.b, &p.bottom);
    return p;
}

double complex optimizer_p_inverse(const finf_optimizer *o, double w)
{
    double complex b, a;
    optimizer_at(o, optimizer_y(tan(w / 2)), &b, &a);
    return a / b;
}

double optimizer_gain(const finf_optimizer *o, double q, double t)
{
    optimizer_point p = optimizer_point_at(o, t);
    double complex bottom = p.bottom + optimizer_beyond(&p, q) * p.b;
    double top2 = creal(p.b) * creal(p.b) + cimag(p.b) * cimag(p.b);
    return top2 / (creal(bottom) * creal(bottom) + cimag(bottom) * cimag(bottom));
}
