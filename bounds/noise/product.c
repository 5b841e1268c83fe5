/* B(z) = prod_i (1 - (1-nu_i) z)^{r_i}, 0 < nu_i < 2: minimum phase whatever the powers. What the
 * optimiser returns.  (theory 1, 7.7) */
#include <math.h>
#include <stdint.h>

#include "family.h"

#define POWER_MAX 20 /* of a factor */

/* noise->coef has the n numbers nu_i, then the n powers r_i. */
static const double *nu_of(const finf_noise *noise) { return noise->coef; }
static const double *power_of(const finf_noise *noise) { return noise->coef + noise->n; }

/* 0 < nu_i < 2 and |r_i| <= 20, for the single numbers here and for their sums in
 * noise_pairs_make. */
finf_status finf_noise_product(const double *nu, const double *r, size_t n, finf_noise **out,
                               finf_reason *why)
{
    *out = NULL;
    for (size_t i = 0; i < n; i++) {
        if (!(nu[i] >= BOUNDS_TINY && nu[i] < 2))
            return finf_why(why, FINF_EDOM, "nu[%zu] = %s: must be in (0, 2)%s", i,
                            finf_show(nu[i]).s, nu[i] > 0 && nu[i] < 2 ? ", at least 1e-50" : "");
        if (!(fabs(r[i]) <= POWER_MAX))
            return finf_why(why, FINF_EDOM, "power[%zu] = %s: must be in [-20, 20]", i,
                            finf_show(r[i]).s);
    }
    return noise_pairs_make(&noise_product, "nu", nu, "power", r, POWER_MAX, n, out, why);
}

static finf_status parse(const char *text, finf_noise **out, finf_reason *why)
{
    return noise_pairs_parse(text, "nu", "power", "product", finf_noise_product, out, why);
}

/* With q_i = 1 - nu_i: z B' = -B sum_i r_i q_i z/(1 - q_i z), so t beta_t = -sum_i r_i s_i with
 * s_i = sum_k q_i^k beta_{t-k} carried along, one number a factor. sign = -1: of 1/B. */
static finf_status series(const finf_noise *noise, double sign, size_t n, double *out)
{
    const double *nu = nu_of(noise), *r = power_of(noise);
    double s[NOISE_PAIRS_MAX] = {0};
    for (size_t t = 0; t < n; t++) {
        double sum = 0;
        for (size_t i = 0; i < noise->n && t > 0; i++) {
            s[i] = noise_damp(s[i] + out[t - 1], nu[i]);
            sum -= sign * r[i] * s[i];
        }
        out[t] = t > 0 ? sum / (double)t : 1;
    }
    return FINF_OK;
}

static finf_status beta(const finf_noise *noise, size_t n, double *out, finf_reason *why)
{
    (void)why;
    return series(noise, 1, n, out);
}

static finf_status coef(const finf_noise *noise, size_t n, double *out, finf_reason *why)
{
    (void)why;
    return series(noise, -1, n, out);
}

/* Every factor has a positive real part, so that the sum of the r_i times principal arguments is
 * the phase, and never jumps by a turn. */
static double complex response(const finf_noise *noise, double w)
{
    const double *nu = nu_of(noise), *r = power_of(noise);
    double log_size = 0, phase = 0;
    for (size_t i = 0; i < noise->n; i++) {
        log_size += r[i] * log(circle_gap(nu[i], w)) / 2;
        phase += r[i] * carg(circle_factor(nu[i], w));
    }
    return exp(log_size) * cexp(I * phase);
}

/* prod gap(nu_i, w)^{r_i}, through logarithms: single factors may overflow where B does not. */
static double density(const finf_noise *noise, double t)
{
    const double *nu = nu_of(noise), *r = power_of(noise);
    double sum = 0;
    for (size_t i = 0; i < noise->n; i++) sum += r[i] * log(circle_gap_t(nu[i], t));
    return exp(sum);
}

/* Of exp sum r log: the logarithms are large where nu is near 0 or 2, and their rounding with it.
 */
static double rounding(const finf_noise *noise)
{
    const double *nu = nu_of(noise), *r = power_of(noise);
    double sum = 0;
    for (size_t i = 0; i < noise->n; i++) sum += 2 * fabs(r[i] * log(fmin(nu[i], 2 - nu[i])));
    return sum * FINF_EPS;
}

/* A zero or pole at 1/(1-nu) is nu from z = 1 if nu is small, and 2-nu from z = -1 if it is near
 * 2. */
static double scale(const finf_noise *noise)
{
    double least = 1;
    for (size_t i = 0; i < noise->n; i++)
        least = fmin(least, fmin(nu_of(noise)[i], 2 - nu_of(noise)[i]));
    return least;
}

/* (1/2pi) int dw/|B|^2 is gamma^2, as B is minimum phase. (theory 2, 3.4) */
static finf_status gamma2(const finf_noise *noise, finf_sensitivity *out)
{
    double near = scale(noise);
    finf_status s = circle_mean(noise_inverse_density_t, (void *)(uintptr_t)noise, near, near,
                                &out->gamma2);
    out->gamma2.error += rounding(noise) * out->gamma2.value;
    out->minimum_phase = 1;
    return s;
}

/* series' recursion for c_t: past[i] = sum_k (1-nu_i)^k c_{t-k}; noise_damp in long double. */
static void next(const finf_noise *noise, size_t t, noise_run *run)
{
    const double *nu = nu_of(noise), *r = power_of(noise);
    long double sum = t == 0;
    for (size_t i = 0; i < noise->n && t > 0; i++) {
        long double p = noise_rounded(run, run->past[i] + run->c);
        long double damped = nu[i] < 0.5 ? p + p * -(long double)nu[i]
                                         : p * (1 - (long double)nu[i]);
        run->past[i] = noise_rounded(run, damped);
        sum = noise_rounded(run, sum + r[i] * run->past[i]);
    }
    run->c = noise_rounded(run, t ? sum / (long double)t : 1);
}

/* sum_{t<T} c_t^2 from the recursion: T times n operations, nothing stored but one number a
 * factor. */
static finf_status gamma2_at(const finf_noise *noise, size_t T, finf_real *out, finf_reason *why)
{
    long double sum, lost;
    finf_status s = noise_running_sum(noise, T, noise->n, next, &sum, &lost, why);
    return s ? s : noise_squares_result(sum, lost, out, why);
}

const noise_family noise_product = {
    .name = "product",
    .form = "product:V,..;R,..",
    .about = "prod (1-(1-V)z)^R, what 'finf optimize' returns",
    .parse = parse,
    .spell = noise_pairs_spell,
    .beta = beta,
    .coef = coef,
    .response = response,
    .density = density,
    .rounding = rounding,
    .scale = scale,
    .gamma2 = gamma2,
    .gamma2_at = gamma2_at,
    .energy = noise_energy_by_density,
};
