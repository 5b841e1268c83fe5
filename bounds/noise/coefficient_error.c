/* How far the coefficients of a noise may be from the true ones. (theory 1.2, 1.4)
 *
 *   by a formula     one product a step: some units of rounding for each
 *   as given         no error
 *   its inverse x    of a given y: with the residual r = y x - 1 of the computed x, the true one is
 *                    off by the product of itself and r, exactly
 *   product          beta and c are found by recursions of their own, and their product has to be
 *                    1: that residual, as if it were all of one of the two, and the rounding of
 *                    the formula for each factor, which both may share, are an estimate
 *   spectrum         what the factorisation says */
#include <stdlib.h>

#include "family.h"

#define LOOKED_AT ((size_t)1 << 24) /* a residual of more terms is not computed */
#define DIRECT 1e7                  /* products of two terms that are added one by one */

static int is(const finf_noise *noise, const noise_family *family)
{
    return noise->family == family;
}

static double largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t t = 0; t < n; t++) most = fmax(most, fabs(x[t]));
    return most;
}

/* x_t = x_{t-1} (t-1-p)/t (1-nu): four roundings a step. */
static double formula_error(const double *x, size_t n)
{
    double most = 0;
    for (size_t t = 1; t < n; t++) most = fmax(most, 4 * (double)t * fabs(x[t]));
    return FINF_EPS * most;
}

/* c_t of a BLT, a sum of powers: t roundings each, and one for every term of the sum. The largest
 * error, and their sum. */
static double powers_error(const finf_noise *noise, size_t n, double *all)
{
    const double *decay = noise->coef, *scale = noise->coef + noise->n;
    double most = 0, size = 0;
    for (size_t i = 0; i < noise->n; i++) size += fabs(scale[i]);
    for (size_t t = 1; t < n; t++) {
        double sum = 0;
        for (size_t i = 0; i < noise->n; i++)
            sum += fabs(scale[i]) * pow(fabs(decay[i]), (double)t - 1);
        double lost = FINF_EPS * sum * (double)(t + noise->n);
        most = fmax(most, lost);
        *all += lost;
        if (sum < 1e-30 * size) break; /* they fall from here on */
    }
    return most;
}

/* sum |r_t|, r = y x - 1, with the rounding of its computation: each term by itself, in long
 * double, where y has few that are not 0. */
static double direct_residual(const double *x, const double *y, size_t m, size_t n)
{
    double sum = 0;
    for (size_t t = 0; t < n; t++) {
        long double r = t == 0 ? -1 : 0, size = 0;
        for (size_t k = 0; k < m && k <= t; k++) {
            long double term = (long double)y[k] * x[t - k];
            r += term;
            size += fabsl(term);
        }
        sum += (double)(fabsl(r) + (long double)m * LDBL_EPSILON * size);
    }
    return sum;
}

/* The same by transforms, whose rounding is relative to the norms. */
static finf_status long_residual(const double *x, const double *y, size_t n, double *sum)
{
    double *r = malloc(n * sizeof *r), x2 = 0, y2 = 0;
    finf_status s = r ? series_multiply(x, y, n, r) : FINF_ENOMEM;
    for (size_t t = 0; t < n && !s; t++) {
        x2 += x[t] * x[t];
        y2 += y[t] * y[t];
        *sum += fabs(r[t] - (t == 0));
    }
    free(r);
    *sum += (double)n * 4 * FINF_EPS * log2(2 * (double)n + 2) * sqrt(x2) * sqrt(y2);
    return s;
}

/* |x - true| <= max |x'| sum |r|, where r is the residual y x - 1, with y_off, the sum of what the
 * y_t may be off by, in it, and the true x' is at most that much larger than x. */
static finf_status inverse_error(const double *x, const double *y, double y_off, size_t n,
                                 double *error)
{
    size_t m = n;
    double x1 = 0, sum = 0;
    finf_status s = FINF_OK;
    *error = INFINITY;
    while (m > 1 && y[m - 1] == 0) m--;
    if ((double)m * (double)n <= DIRECT)
        sum = direct_residual(x, y, m, n);
    else if (n > LOOKED_AT)
        return FINF_OK;
    else
        s = long_residual(x, y, n, &sum);
    for (size_t t = 0; t < n; t++) x1 += fabs(x[t]);
    sum += y_off * x1;
    if (!s && sum < 0.5) *error = largest(x, n) / (1 - sum) * sum;
    return s;
}

/* sign = 1: x is beta, and y the other of the two. */
static finf_status error_of(const finf_noise *noise, int sign, const double *x, size_t n,
                            double *error, finf_reason *why)
{
    int of_c = is(noise, &noise_strategy) || is(noise, &noise_blt); /* c is what is given */
    double y_off = 0;
    *error = is(noise, &noise_blt) ? powers_error(noise, n, &y_off) : 0;
    if (!is(noise, &noise_product) && of_c == (sign < 0)) return FINF_OK;
    double *y = malloc(n * sizeof *y);
    finf_status s = y ? (sign > 0 ? noise->family->coef : noise->family->beta)(noise, n, y, why)
                      : FINF_ENOMEM;
    if (!s) s = inverse_error(x, y, y_off, n, error);
    if (!s && is(noise, &noise_product)) *error += (double)noise->n * formula_error(x, n);
    free(y);
    return s == FINF_ENOMEM ? finf_why(why, s, "no memory for %zu coefficients", n) : s;
}

static finf_status known(const finf_noise *noise, int sign, size_t n, double *x, double *error,
                         finf_reason *why)
{
    *error = INFINITY;
    if (is(noise, &noise_spectrum) && n > 0)
        return noise_spectrum_factor(noise, sign, n, x, error, why);
    finf_status s = (sign > 0 ? finf_noise_beta : finf_noise_coef)(noise, n, x, why);
    if (s) return s;
    if (is(noise, &noise_sgd) || is(noise, &noise_nu) || is(noise, &noise_power) ||
        is(noise, &noise_antipgd) || is(noise, &noise_cc)) {
        *error = formula_error(x, n);
        return FINF_OK;
    }
    return error_of(noise, sign, x, n, error, why);
}

finf_status finf_noise_beta_error(const finf_noise *noise, size_t n, double *beta, double *error,
                                  finf_reason *why)
{
    return known(noise, 1, n, beta, error, why);
}

finf_status finf_noise_coef_error(const finf_noise *noise, size_t n, double *c, double *error,
                                  finf_reason *why)
{
    return known(noise, -1, n, c, error, why);
}
