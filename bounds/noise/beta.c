/* The noise given by its own coefficients beta_0..beta_{n-1}.  (theory 1, 2)
 *
 * gamma_inf^2 is the integral of 1/|B|^2 only if B has no zero in |z| <= 1, so that is tested first
 * (step-down, theory 2.1); T(b) is a finite sum. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "family.h"

finf_status finf_noise_fir(const double *beta, size_t n, finf_noise **out, finf_reason *why)
{
    return noise_list_make(&noise_beta, "beta", beta, n, out, why);
}

static finf_status parse(const char *text, finf_noise **out, finf_reason *why)
{
    return noise_list_parse(text, "beta", finf_noise_fir, out, why);
}

static finf_status from_table(const double *x, const double *y, size_t n, finf_noise **out,
                              finf_reason *why)
{
    (void)x;
    return finf_noise_fir(y, n, out, why);
}

finf_status noise_beta_beta(const finf_noise *noise, size_t n, double *out, finf_reason *why)
{
    (void)why;
    noise_list_padded(noise, n, out);
    return FINF_OK;
}

/* C = 1/B as a power series (theory 1.2). It exists wherever the zeros of B are; c_t grows if
 * one of them is inside the unit circle. */
finf_status noise_beta_coef(const finf_noise *noise, size_t n, double *out, finf_reason *why)
{
    return finf_series_inverse(noise->coef, noise->n, n, out, why);
}

/* A zero of B in |z| <= 1 makes gamma^2 = +inf, which is an answer with a reason; FINF_ETOL is
 * for a zero so close to the circle that its side is not known. */
finf_status noise_beta_gamma2(const finf_noise *noise, finf_sensitivity *out)
{
    schur_result r;
    finf_status s = schur_test(noise->coef, noise->n, &r);
    out->gamma2 = r.inverse2;
    out->minimum_phase = r.minimum_phase;
    if (!s && !r.minimum_phase)
        finf_why(&out->reason, FINF_OK, "sum c_t^2 diverges: B(z) has %.200s", r.reason.text);
    if (s == FINF_ETOL)
        finf_why(
            &out->reason, s,
            "a zero of B(z) is too close to |z| = 1 to tell on which side it is (%zu coefficients)",
            noise->n);
    schur_free(&r);
    return s;
}

/* ---- gamma_T --------------------------------------------------------------------------------- */

#define STREAM_MAX 2e7 /* operations that are instant .. */
#define SHORT 128      /* .. and a list that is streamed whatever T */

/* c_t = ([t = 0] - sum_{k>=1} beta_k c_{t-k})/beta_0, the last n of them in a ring. */
static void next(const finf_noise *noise, size_t t, noise_run *r)
{
    size_t n = noise->n;
    long double sum = t == 0;
    for (size_t k = 1; k < n && k <= t; k++)
        sum = noise_rounded(r, sum - noise->coef[k] * r->past[(t - k) % n]);
    r->c = noise_rounded(r, sum / noise->coef[0]);
    r->past[t % n] = r->c;
}

/* c from FFTs, twice: the second time from beta_t e^{-t/T}, whose inverse is c_t e^{-t/T} with
 * other rounding errors: the distance of the two, doubled, stands for the error of c_t, and 2 |c_t|
 * times that for the error of c_t^2. */
static finf_status transformed(const finf_noise *noise, size_t T, long double *sum,
                               long double *lost, finf_reason *why)
{
    size_t m = noise->n < T ? noise->n : T;
    double *c = malloc(2 * T * sizeof *c), *again = c ? c + T : NULL;
    double *beta = malloc(m * sizeof *beta);
    finf_status s = c && beta ? FINF_OK : finf_why(why, FINF_ENOMEM, "no memory for %zu steps", T);
    if (!s) s = finf_series_inverse(noise->coef, m, T, c, why);
    if (!s) {
        for (size_t t = 0; t < m; t++) beta[t] = noise->coef[t] * exp(-(double)t / (double)T);
        s = finf_series_inverse(beta, m, T, again, why);
    }
    for (size_t t = 0; t < T && !s && *sum <= DBL_MAX; t++) {
        *sum += (long double)c[t] * c[t];
        *lost += 4 * fabsl((long double)c[t] * (c[t] - again[t] * exp((double)t / (double)T)));
    }
    free(c);
    free(beta);
    return s;
}

/* The recursion takes n T operations and n numbers of memory, and knows its rounding better; the
 * FFTs take T log T operations and memory for T numbers. */
finf_status noise_beta_gamma2_at(const finf_noise *noise, size_t T, finf_real *gamma2,
                                 finf_reason *why)
{
    int streamed = noise->n <= SHORT || (double)noise->n * (double)T < STREAM_MAX;
    long double sum = 0, lost = 0;
    finf_status s = streamed ? noise_running_sum(noise, T, noise->n, next, &sum, &lost, why)
                             : transformed(noise, T, &sum, &lost, why);
    return s ? s : noise_squares_result(sum, lost, gamma2, why);
}

/* T(b) = r_0 + 2 sum_k r_k (1-b)^k, r the autocorrelation of beta (theory 5.6): always finite. */
finf_status noise_beta_energy(const finf_noise *noise, const double *b, size_t m, double *T,
                              double *relerr, finf_reason *why)
{
    return noise_energy_of_beta(noise->coef, noise->n, b, m, T, relerr, why);
}

const noise_family noise_beta = {
    .name = "beta",
    .form = "beta:1,-0.5,..",
    .about = "given noising coefficients",
    .step = "O(coefficients)",
    .parse = parse,
    .from_table = from_table,
    .spell = noise_list_spell,
    NOISE_BETA_FUNCTIONS,
};
