/* What one should know of a noise before it is used, without a claim. (theory 13.8) */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "audit.h"
#include "family.h"

void audit_add(audit *x, finf_audit_level level, const char *format, ...)
{
    finf_audit_result *r = x->out;
    if (r->findings == FINF_AUDIT_FINDINGS_MAX) return;
    finf_audit_finding *f = &r->finding[r->findings++];
    va_list list;
    va_start(list, format);
    f->level = level;
    vsnprintf(f->text, sizeof f->text, format, list);
    va_end(list);
}

#define LATE_STEPS 100000 /* a long run */
#define LATE_TIMES 10     /* more than it has */

/* ---- the horizon ----------------------------------------------------------------------------- */

/* Coefficients that are listed for some steps: their number, where they are noising ones, which go
 * on as 0 after that. */
static size_t listed_steps(const audit *x)
{
    size_t n = x->noise ? noise_taps(x->noise) : 0;
    return n > 1 && strcmp(finf_noise_family(x->noise), "beta") == 0 ? n : 0;
}

/* A finite sensitivity of all time that comes from steps nobody will take: of a noise that was made
 * for a run. */
static void find_late(audit *x)
{
    finf_real early;
    double all = x->out->gamma2.value;
    if (x->out->steps || finf_noise_sensitivity_at(x->noise, LATE_STEPS, &early, NULL)) return;
    if (all > LATE_TIMES * early.value)
        audit_add(
            x, FINF_AUDIT_WARNING,
            "the sensitivity of all time is %.4g, of the first %d steps %.4g: a noise that was "
            "made for a run; give its steps",
            all, LATE_STEPS, early.value);
}

static void find_horizon(audit *x)
{
    const finf_audit_result *r = x->out;
    char within[96] = "";
    finf_real listed;
    size_t n = listed_steps(x);
    if (!isinf(r->gamma2.value)) {
        if (x->noise && isnan(r->gamma2.value))
            audit_add(x, FINF_AUDIT_WARNING, "the sensitivity of all time is not known: %s",
                      r->reason.text);
        else if (x->noise)
            find_late(x);
        return;
    }
    if (n && n != r->steps && !finf_noise_sensitivity_at(x->noise, n, &listed, NULL))
        snprintf(within, sizeof within,
                 "; over the %zu steps that coefficients are there for, %.10g", n, listed.value);
    if (!r->steps)
        audit_add(x, FINF_AUDIT_ERROR,
                  "the sensitivity of all time is infinite (%s): no sigma is enough without a last "
                  "step; give the steps%s",
                  r->reason.text, within);
    else
        audit_add(x, isinf(r->sens2.value) ? FINF_AUDIT_ERROR : FINF_AUDIT_WARNING,
                  "a noise for %zu steps and no more: the sensitivity of all time is infinite, and "
                  "a longer run needs a larger sigma%s",
                  r->steps, within);
}

/* ---- noise that grows ------------------------------------------------------------------------ */

#define GROWN 1e6 /* times the first step's variance: no noise that is of use does so */

/* Where 1/C(z) has a pole in |z| < 1 the noise grows from step to step, however small the
 * sensitivity. */
static void find_growth(audit *x, const finf_system *s)
{
    size_t n = s->facts.n;
    int toeplitz = s->kind == SYSTEM_TOEPLITZ;
    const double *row = toeplitz ? s->beta : s->B + (n - 1) * n;
    double first = toeplitz ? s->beta[0] : s->B[0], last = 0;
    for (size_t j = 0; j < n; j++) last += row[j] / first * (row[j] / first);
    if (last > GROWN)
        audit_add(x, FINF_AUDIT_WARNING,
                  "the noise grows: in step %zu its variance is %.3g times that of step 0", n - 1,
                  last);
}

/* ---- noising for strategy -------------------------------------------------------------------- */

/* Is B >= 0, and more than its diagonal? Then noise adds up in prefix sums. */
static int adds_up(const finf_system *s)
{
    size_t n = s->facts.n;
    int more = 0, toeplitz = s->kind == SYSTEM_TOEPLITZ;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= (toeplitz ? 0 : i); j++) {
            double b = toeplitz ? s->beta[i] : s->B[i * n + j];
            if (!(b >= -1e-12 * fabs(toeplitz ? s->beta[0] : s->B[0]))) return 0;
            more |= i > j && b > 0;
        }
    return more;
}

/* sens2 of one participation times the mean prefix error. */
static finf_status plain_loss(const audit *x, const finf_system *s, double *loss, finf_reason *why)
{
    finf_audit_result r;
    audit y = *x;
    finf_real sens2;
    finf_real lower;
    y.system = s;
    y.out = &r;
    y.inverted = s == x->system ? x->inverted : !x->inverted;
    finf_status status = audit_prefix(&y, why);
    if (!status) status = audit_sensitivity(x, s, 1, 1, x->o.count, &sens2, &lower, why);
    *loss = status ? NAN : sens2.value * r.prefix_error_mean.value;
    return status;
}

/* What was read as one kind of coefficients makes prefix sums worse than independent noise does,
 * and read as the other kind better. */
static finf_status compare_readings(audit *x, const finf_system *s, finf_reason *why)
{
    double given, other, white = ((double)s->facts.n + 1) / 2;
    finf_system exchanged = audit_exchanged(s);
    if (!adds_up(s)) return FINF_OK;
    finf_status status = plain_loss(x, s, &given, why);
    if (!status) status = plain_loss(x, &exchanged, &other, why);
    if (status || !(given > white && other < white)) return status;
    int blt = strcmp(x->out->kind, "blt") == 0;
    int noising = x->noise ? strcmp(x->out->kind, "beta") == 0 : x->inverted;
    audit_add(
        x, FINF_AUDIT_WARNING,
        "%s that make prefix sums worse than independent noise (loss %.4g, %.4g with it, over "
        "%zu steps), and read as %s better (%.4g): mixed up?",
        blt       ? "a BLT"
        : noising ? "noising coefficients"
                  : "strategy coefficients",
        given, white, s->facts.n,
        blt       ? "that of the noise B"
        : noising ? "strategy coefficients"
                  : "noising coefficients",
        other);
    return FINF_OK;
}

static finf_status find_in_steps(audit *x, finf_reason *why)
{
    static const char *const LISTED[] = {"beta", "strategy", "blt", "matrix"};
    int listed = 0;
    for (size_t i = 0; i < sizeof LISTED / sizeof *LISTED; i++)
        listed |= strcmp(x->out->kind, LISTED[i]) == 0;
    if (!listed) return FINF_OK;
    if (x->system) find_growth(x, x->system);
    if (x->system) return compare_readings(x, x->system, why);
    if (x->out->steps) return FINF_OK; /* it overflows */
    finf_system *s = NULL;
    size_t n = noise_taps(x->noise);
    n = n < AUDIT_LOOK_LEAST ? AUDIT_LOOK_LEAST : n > AUDIT_LOOK_MOST ? AUDIT_LOOK_MOST : n;
    finf_status status = finf_system_toeplitz(x->noise, n, &s, why);
    if (!status) find_growth(x, s);
    if (!status && isfinite(s->facts.sens2.value)) {
        const finf_system *kept = x->system;
        x->system = s;
        status = compare_readings(x, s, why);
        x->system = kept;
    }
    finf_system_free(s);
    /* what overflows within these steps is not compared */
    return status == FINF_EDOM ? FINF_OK : status;
}

/* ---- sum and mean ---------------------------------------------------------------------------- */

#define EPSILON_NONE 50   /* hardly private */
#define EPSILON_LOW 0.05  /* more so than anybody asks for */
#define EPSILON_USED 20.0 /* what is meant lies below */

/* sigma is for the sum of clipped gradients; that for their mean is `batch` times smaller. */
static void find_batch(audit *x)
{
    finf_audit_result *r = x->out;
    finf_real rho, epsilon, scaled = r->sens2;
    double batch = x->o.batch;
    if (!(batch > 1) || !isfinite(r->epsilon.value)) return;
    int large = r->epsilon.value > EPSILON_NONE;
    if (!large && r->epsilon.value > EPSILON_LOW) return;
    scaled.value *= large ? 1 / (batch * batch) : batch * batch;
    if (audit_privacy(x, scaled, &rho, &epsilon, NULL)) return;
    if (!(epsilon.value >= EPSILON_LOW && epsilon.value <= EPSILON_USED)) return;
    audit_add(
        x, large ? FINF_AUDIT_ERROR : FINF_AUDIT_WARNING,
        "sigma = %s gives epsilon = %.4g where it is added to the sum of %s clipped gradients, "
        "and %.4g %s",
        finf_show(x->o.sigma).s, r->epsilon.value, finf_show(batch).s, epsilon.value,
        large ? "where it is added to their mean: is it a sigma for the mean?"
              : "were it divided by their number: was it multiplied by that without need?");
}

finf_status audit_find(audit *x, finf_reason *why)
{
    find_horizon(x);
    find_batch(x);
    return find_in_steps(x, why);
}
