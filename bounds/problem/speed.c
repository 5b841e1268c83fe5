/* The best momentum, step and noise at a given speed: of all (step, momentum) whose slowest
 * direction contracts by the same factor R a step, those with the least value. (theory 11.6)
 *
 * On the least curvature h the contraction R is the larger pole, which fixes the step for each
 * momentum m:
 *     heavy ball   eta h = (1-R)(1 - m/R),                        0 <= m <= R^2
 *     Nesterov     eta h = (1-R)(R - m)/(R - m (1-R)),            0 <= m <= R/(2-R)
 * At the largest m the two poles of that direction meet, and beyond it R is not the larger one. sgd
 * is m = 0. Whether another direction is slower is seen for every pair. */
#include "speed.h"

#include <math.h>
#include <stdio.h>

#include "minimise.h"
#include "optimizer.h"

#define SCAN (1.0 / 12) /* of m over its largest value */
#define KNOWN 1e-7      /* of the same */
#define TEXT 64

const char *finf_speed_family_name(finf_speed_family family)
{
#define CASE(constant, number, word, meaning)                                                      \
    case constant: return word;
    switch (family) {
        FINF_SPEED_FAMILY_LIST(CASE)
    }
#undef CASE
    return NULL;
}

static double momentum_max(finf_speed_family family, double R)
{
    switch (family) {
    case FINF_SPEED_HEAVY_BALL: return R * R;
    case FINF_SPEED_NESTEROV: return R / (2 - R);
    default: return 0;
    }
}

/* eta h for this momentum. Nothing cancels but 1 - R, which is exact for R near 1. */
static double step_of(finf_speed_family family, double R, double m)
{
    switch (family) {
    case FINF_SPEED_HEAVY_BALL: return (1 - R) * (1 - m / R);
    case FINF_SPEED_NESTEROV: return (1 - R) * (R - m) / (R - m * (1 - R));
    default: return 1 - R;
    }
}

/* The largest eta h at which no pole is outside of |z| = R: the closed-loop polynomial is not
 * negative at z = -R, and the product of its roots at most R^2. (Where the roots are complex their
 * modulus is the root of that product; near critical damping, where they meet, computed roots are
 * known to 1e-8 only, and are not looked at.) */
static double step_max(finf_speed_family family, double R, double m)
{
    switch (family) {
    case FINF_SPEED_HEAVY_BALL: return 1 + m + R + m / R;
    case FINF_SPEED_NESTEROV: return 1 + R * R / fmax((1 + m) * R + m, m);
    default: return 1 + R;
    }
}

/* What is tried at one momentum. */
typedef struct {
    const speed_search *x;
    const finf_noise *noise; /* independent; NULL: the best nu */
    finf_speed_result now;
} trial;

/* The optimizer of momentum m at speed R. FINF_EDOM: another direction is slower. */
static finf_status make(const speed_search *x, double m, finf_speed_result *out)
{
    char text[TEXT] = "sgd", average[TEXT] = "none";
    double decay = finf_optimizer_weight_decay(x->beside);
    if (m > 0)
        snprintf(text, sizeof text, "%s:%s", finf_speed_family_name(x->family), finf_show(m).s);
    if (x->beside) finf_optimizer_spell_average(x->beside, average, sizeof average);
    out->momentum = finf_real_exact(m);
    /* eight operations; R - m, which may cancel, is exact in the digits that are given, and what
     * remains of R m is not below (1-R) R */
    out->eta = finf_real_rounded(step_of(x->family, x->R, m) / (x->h_min + decay), 8);
    finf_status s = finf_optimizer_parse(text, average, decay, &out->optimizer, &out->reason);
    if (s) return s;
    out->eta_eff = finf_real_times(out->eta,
                                   finf_real_rounded(finf_optimizer_step(out->optimizer), 2));
    double most = step_max(x->family, x->R, m) / (x->h_max + decay);
    if (!(out->eta.value <= most))
        s = finf_why(&out->reason, FINF_EDOM,
                     "%s: eta = %s is needed to contract by %s a step, and curvature %s allows %s",
                     text, finf_show(out->eta.value).s, finf_show(x->R).s, finf_show(x->h_max).s,
                     finf_show(most).s);
    return s;
}

static void forget(finf_speed_result *r)
{
    finf_optimizer_free(r->optimizer);
    finf_real none = finf_real_failed();
    *r = (finf_speed_result){.F = none,
                             .eta = none,
                             .eta_eff = none,
                             .momentum = none,
                             .nu = none,
                             .certified_upper = NAN};
}

/* The value at m = part of the largest momentum. Too slow is no failure: such an m is not taken. */
static finf_status try_real(double part, void *data, finf_real *value)
{
    trial *t = data;
    forget(&t->now);
    finf_status s = make(t->x, part * momentum_max(t->x->family, t->x->R), &t->now);
    if (s == FINF_EDOM) {
        *value = t->now.F = finf_real_infinite("no such speed");
        return FINF_OK;
    }
    if (!s)
        s = t->x->value(t->noise, t->now.optimizer, t->now.eta.value, t->x->ctx, &t->now.F,
                        &t->now.nu, &t->now.reason);
    *value = t->now.F;
    return s;
}

static finf_status try_at(double part, void *data, double *value)
{
    finf_real F;
    finf_status s = try_real(part, data, &F);
    *value = F.value;
    return s;
}

/* No momentum has that speed and a finite value: there is no step, and why. */
static void none_found(const speed_search *x, finf_speed_result *out)
{
    finf_reason last = out->reason;
    double m = out->momentum.value;
    forget(out);
    out->F = finf_real_infinite("no such speed");
    finf_why(&out->reason, FINF_OK, "%s%s%s at contraction %s: %.170s",
             finf_speed_family_name(x->family), m > 0 ? ", also with momentum " : "",
             m > 0 ? finf_show(m).s : "", finf_show(x->R).s, last.text);
}

/* The best momentum of the family, and how far it may be from the true one; t->now is its result.
 */
static finf_status search(trial *t)
{
    double part = 0, off = 0, value;
    finf_status s = FINF_OK;
    int sought = t->x->family != FINF_SPEED_SGD;
    if (sought && t->x->known > 0) {
        s = minimise_or_end(try_at, t, 0, 1, SCAN, t->x->known, &part);
        off = 4 * t->x->known; /* of a value known to few digits no more can be said */
    } else if (sought) {
        s = minimise(try_at, t, 0, 1, SCAN, KNOWN, &part);
        if (!s) s = minimise_error(try_real, t, 0, 1, part, KNOWN, &off);
    }
    if (!s) s = try_at(part, t, &value);
    t->now.momentum.error = off * momentum_max(t->x->family, t->x->R);
    /* where no momentum will do, the reason is that of the largest one */
    if (!s && isinf(t->now.F.value) && sought) s = try_at(1, t, &value);
    return s;
}

finf_status speed_find(const speed_search *x, finf_speed_result *out)
{
    trial t = {.x = x};
    finf_noise *sgd = NULL;
    forget(&t.now);
    *out = t.now;
    if (!finf_speed_family_name(x->family))
        return finf_why(&out->reason, FINF_EUSAGE, "no such family of optimizers");
    if (!(x->R > 0 && x->R < 1))
        return finf_why(&out->reason, FINF_EDOM, "contraction = %s: must be in (0, 1)",
                        finf_show(x->R).s);
    finf_status s = x->tuned ? FINF_OK : finf_noise_sgd(&sgd);
    if (s) return finf_why(&out->reason, s, "no memory");
    t.noise = sgd;
    s = search(&t);
    finf_noise_free(sgd);
    *out = t.now;
    if (!s && isinf(out->F.value)) none_found(x, out);
    return s;
}

void finf_speed_result_free(finf_speed_result *r)
{
    finf_optimizer_free(r->optimizer);
    r->optimizer = NULL;
}

/* ---- linear regression and mean estimation --------------------------------------------------- */

typedef struct {
    finf_speed_noise noise;
    const finf_spectrum *s;
    finf_linreg_options linreg;
    finf_mean_options mean;
} quadratic;

static finf_status linreg_value(const finf_noise *noise, const finf_optimizer *o, double eta,
                                void *ctx, finf_real *F, finf_real *nu, finf_reason *why)
{
    const quadratic *q = ctx;
    finf_linreg_options opt = q->linreg;
    finf_linreg_result r;
    opt.optimizer = o;
    opt.optimum = q->noise == FINF_SPEED_BEST;
    finf_status s = noise ? finf_linreg(noise, eta, q->s, &opt, &r)
                          : finf_tune_linreg(eta, q->s, &opt, nu, &r);
    *why = r.reason;
    *F = opt.optimum && r.stable ? r.optimum : r.exact;
    return s;
}

static finf_status mean_value(const finf_noise *noise, const finf_optimizer *o, double eta,
                              void *ctx, finf_real *F, finf_real *nu, finf_reason *why)
{
    const quadratic *q = ctx;
    finf_mean_options opt = q->mean;
    finf_mean_result r;
    opt.optimizer = o;
    finf_status s = noise ? finf_mean(noise, eta, &opt, &r) : finf_tune_mean(eta, &opt, nu, &r);
    *why = r.reason;
    *F = q->noise == FINF_SPEED_BEST ? r.F_optimal : r.F;
    return s;
}

/* An enum out of range is refused before anything is computed. */
static finf_status check_noise(finf_speed_noise noise, finf_speed_result *out)
{
    trial none = {.x = NULL};
    forget(&none.now);
    *out = none.now;
    if (noise >= FINF_SPEED_INDEPENDENT && noise <= FINF_SPEED_BEST) return FINF_OK;
    return finf_why(&out->reason, FINF_EUSAGE, "no such noise");
}

finf_status finf_tune_speed_linreg(finf_speed_family family, finf_speed_noise noise,
                                   double contraction, const finf_spectrum *s,
                                   const finf_linreg_options *opt, finf_speed_result *out)
{
    quadratic q = {.noise = noise, .s = s, .linreg = opt ? *opt : finf_linreg_options_default()};
    finf_status status = check_noise(noise, out);
    if (status) return status;
    return speed_find(&(speed_search){family, contraction, finf_spectrum_min(s),
                                      finf_spectrum_max(s), q.linreg.optimizer,
                                      noise == FINF_SPEED_NU, linreg_value, &q, 0},
                      out);
}

finf_status finf_tune_speed_mean(finf_speed_family family, finf_speed_noise noise,
                                 double contraction, const finf_mean_options *opt,
                                 finf_speed_result *out)
{
    quadratic q = {.noise = noise, .mean = opt ? *opt : finf_mean_options_default()};
    finf_status status = check_noise(noise, out);
    if (status) return status;
    return speed_find(&(speed_search){family, contraction, 1, 1, q.mean.optimizer,
                                      noise == FINF_SPEED_NU, mean_value, &q, 0},
                      out);
}
