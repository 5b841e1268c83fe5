/* The noise given by C = 1/B, its strategy coefficients c_0..c_{n-1}: what users of matrix
 * mechanisms hold.  (theory 1)
 *
 * gamma^2 is the sum of their squares, whatever B does; T(b) is finite only if C has no zero in
 * |z| <= 1, and then the harmonic extension of 1/|C|^2 by Schur's algorithm (theory 2.1). */
#include <math.h>
#include <stdlib.h>

#include "family.h"

finf_status finf_noise_strategy(const double *c, size_t n, finf_noise **out, finf_reason *why)
{
    return noise_list_make(&noise_strategy, "strategy", c, n, out, why);
}

static finf_status parse(const char *text, finf_noise **out, finf_reason *why)
{
    return noise_list_parse(text, "strategy", finf_noise_strategy, out, why);
}

static finf_status from_table(const double *x, const double *y, size_t n, finf_noise **out,
                              finf_reason *why)
{
    (void)x;
    return finf_noise_strategy(y, n, out, why);
}

/* B = 1/C as a power series (theory 1.2). */
static finf_status beta(const finf_noise *noise, size_t n, double *out, finf_reason *why)
{
    return finf_series_inverse(noise->coef, noise->n, n, out, why);
}

static finf_status coef(const finf_noise *noise, size_t n, double *out, finf_reason *why)
{
    (void)why;
    noise_list_padded(noise, n, out);
    return FINF_OK;
}

static double complex response(const finf_noise *noise, double w)
{
    return 1 / noise_list_at(noise, w);
}

/* FINF_EDOM of the transform, a block too short for the list, is passed on. */
static finf_status stream(const finf_noise *noise, size_t n, double *room, double complex *B)
{
    finf_status s = noise_list_transform(noise, n, room, B);
    for (size_t j = 0; j <= n / 2 && !s; j++) B[j] = 1 / B[j];
    return s;
}

/* gamma_T^2 for a T up to the length of the list, and gamma^2 from there on. */
static long double sum_of_squares(const finf_noise *noise, size_t T)
{
    long double sum = 0;
    for (size_t t = 0; t < T && t < noise->n; t++)
        sum += (long double)noise->coef[t] * noise->coef[t];
    return sum;
}

/* C is a polynomial: 1/B is analytic everywhere, and the sum is finite. */
static finf_status gamma2(const finf_noise *noise, finf_sensitivity *out)
{
    double sum = (double)sum_of_squares(noise, noise->n);
    out->minimum_phase = 1;
    out->gamma2 = finf_real_make(sum, 2 * FINF_EPS * sum, "sum of squares");
    return FINF_OK;
}

static finf_status gamma2_at(const finf_noise *noise, size_t T, finf_real *out, finf_reason *why)
{
    return noise_squares_result(sum_of_squares(noise, T), 0, out, why);
}

/* ---- T(b) ------------------------------------------------------------------------------------ */

/* A long strategy, for which there are no k_m: beta until it has died out, then as a finite beta. n
 * is doubled until the second half of beta is at the rounding level of the FFTs that made it; what
 * is left out counts with the weight it has in sum |beta|. */
#define BETA_LIMIT ((size_t)1 << 22)
static finf_status long_energy(const finf_noise *noise, const double *b, size_t m, double *T,
                               double *relerr, finf_reason *why)
{
    for (size_t n = 4 * noise->n;; n *= 2) {
        double *beta = malloc(n * sizeof *beta), all = 0, tail = 0, largest = 0, rest = 0;
        finf_status s = beta ? finf_series_inverse(noise->coef, noise->n, n, beta, why)
                             : FINF_ENOMEM;
        if (!s) {
            for (size_t t = 0; t < n; t++) {
                all += fabs(beta[t]);
                largest = fmax(largest, fabs(beta[t]));
                if (t < n / 2) continue;
                tail += fabs(beta[t]);
                rest = fmax(rest, fabs(beta[t]));
            }
            if (rest < 1e-14 * largest) /* the FFT's noise floor */
                s = noise_energy_of_beta(beta, n / 2, b, m, T, relerr, why);
            else if (2 * n > BETA_LIMIT)
                s = finf_why(why, FINF_ETOL, "beta = 1/strategy has not died out after %zu terms",
                             n);
            else {
                free(beta);
                continue;
            }
            /* beta itself comes from FFTs */
            if (!s) *relerr += tail / all + 8 * FINF_EPS * sqrt((double)n);
        }
        free(beta);
        return s;
    }
}

/* R(1-b) of theory 2.1, after the test that C has no zero in |z| <= 1. r.k is NULL where that
 * test went by FFT. */
static finf_status energy(const finf_noise *noise, const double *b, size_t m, double *T,
                          double *relerr, finf_reason *why)
{
    schur_result r;
    finf_status s = schur_test(noise->coef, noise->n, &r);
    if (s)
        finf_why(why, s,
                 s == FINF_ENOMEM
                     ? "no memory"
                     : "a zero of C(z) is too close to |z| = 1 to tell on which side it is");
    else if (!r.minimum_phase)
        s = noise_energy_infinite(m, T, relerr, why, r.reason.text);
    else if (!r.k)
        s = long_energy(noise, b, m, T, relerr, why);
    else {
        *relerr = 0;
        for (size_t j = 0; j < m; j++) {
            double rel;
            T[j] = schur_energy(&r, b[j], &rel);
            *relerr = fmax(*relerr, rel);
        }
    }
    schur_free(&r);
    return s;
}

const noise_family noise_strategy = {
    .name = "strategy",
    .form = "strategy:1,0.5,..",
    .about = "given c, beta = 1/c",
    .parse = parse,
    .from_table = from_table,
    .spell = noise_list_spell,
    .release = noise_list_release,
    .beta = beta,
    .coef = coef,
    .response = response,
    .scale = noise_list_scale,
    .taps = noise_list_taps,
    .gamma2 = gamma2,
    .gamma2_at = gamma2_at,
    .energy = energy,
    .stream = stream,
};
