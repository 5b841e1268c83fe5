/* T(b) = sum_{t,s} beta_t beta_s (1-b)^{|t-s|} = b(2-b)/(2pi) int |B|^2 / |1-b-e^{iw}|^2 dw (theory
 * 5) for every family of noise and 0 < b < 2. */
#include "bounds.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- power family ---------------------------------------------------------------------------- */

/* optimal-cc, nu = 0: int |1-e^{iw}|/|1-b-e^{iw}|^2 dw = 8/(2-b)^2 atanh(x)/x, x^2 = 1 -
 * (b/(2-b))^2 */
static double cc_energy(double b)
{
    double be = b / (2 - b), x2 = (1 - be) * (1 + be), x = sqrt(fabs(x2));
    double g = x < 1e-8 ? 1 : x2 > 0 ? asinh(x / be) / x : atan(x) / x;
    return 4 * be / FINF_PI * g;
}

/* p = 0, 1/2 and 1 */
static finf_status power_energy(const finf_noise *noise, double b, double *T, double *relerr)
{
    double p = noise->p, nu = noise->nu;
    if (p == 0) {
        *T = 1;
        *relerr = 0;
    } else if (p ==
               1) { /* 1 + x^2 - 2 x q with x = 1-nu, q = 1-b, written so that nothing cancels */
        *T = nu * nu + 2 * b * (1 - nu);
        *relerr = 4 * FINF_EPS;
    } else if (nu == 0) {
        *T = cc_energy(b);
        *relerr = 16 * FINF_EPS;
    } else {
        finf_real integral;
        finf_status s = finf_ellint_i(nu, b, &integral);
        if (s) return s;
        *T = b * (2 - b) / (2 * FINF_PI) * integral.value;
        *relerr = integral.error / integral.value + 4 * FINF_EPS;
    }
    return FINF_OK;
}

/* ---- finite beta ----------------------------------------------------------------------------- */

/* r_0 + 2 sum_k r_k q^k, stopped where q^k is spent: O(1/b) terms. Its rounding, relative to the
 * result, decides whether it may be used. */
static double by_autocorrelation(const double *r, size_t n, double b, double *relerr)
{
    double q = 1 - b, power = q, sum = r[0], size = r[0];
    size_t k = 1;
    for (; k < n && fabs(power) > FINF_EPS / 64; k++, power *= q) {
        sum += 2 * r[k] * power;
        size += 2 * fabs(r[k] * power);
    }
    /* each r_k from an FFT is off by a few eps r_0, and q by eps */
    *relerr = FINF_EPS * (4 * size + 8 * r[0] * (double)k) / fabs(sum);
    return sum;
}

/* T = b(2-b) sum_t u_t^2, u_t = (1-b) u_{t-1} + beta_t (the filtered noise): a sum of squares, so
 * nothing cancels but inside u itself, whose rounding e_t is carried along. LANES values of b run
 * side by side to hide the latency of the recursion. */
#define LANES 8
#define BLOCK 256
FINF_VECTOR static void by_filter(const double *beta, size_t n, const double *b, double *T,
                                  double *rel)
{
    double u[LANES] = {0}, e[LANES] = {0}, lost[LANES] = {0}, sum[LANES] = {0};
    /* sums in blocks: a long plain sum of equal terms drifts */
    for (size_t start = 0; start < n; start += BLOCK) {
        size_t end = start + BLOCK < n ? start + BLOCK : n;
        double part[LANES] = {0};
        for (size_t t = start; t < end; t++) {
            double size = fabs(beta[t]);
            for (int i = 0; i < LANES; i++) {
                double q = fabs(1 - b[i]);
                e[i] = q * e[i] + (fabs(u[i]) + size);
                u[i] = (u[i] + beta[t]) - b[i] * u[i];
                part[i] += u[i] * u[i];
                lost[i] += fabs(u[i]) * e[i];
            }
        }
        for (int i = 0; i < LANES; i++) sum[i] += part[i];
    }
    for (int i = 0; i < LANES; i++) {
        double q = 1 - b[i], rest = q * q * u[i] * u[i], sums = BLOCK + (double)n / BLOCK;
        T[i] = b[i] * (2 - b[i]) * sum[i] + rest;
        rel[i] = FINF_EPS *
                 (4 + sums / 2 + 2 * (b[i] * (2 - b[i]) * lost[i] + fabs(u[i]) * e[i]) / T[i]);
    }
}

static double filter_lanes(const double *beta, size_t n, const double *b, const size_t *index,
                           size_t count, double *T)
{
    double bb[LANES], TT[LANES], rel[LANES], worst = 0;
    for (size_t i = 0; i < LANES; i++) bb[i] = b[index[i < count ? i : 0]];
    by_filter(beta, n, bb, TT, rel);
    for (size_t i = 0; i < count; i++) {
        T[index[i]] = TT[i];
        worst = fmax(worst, rel[i]);
    }
    return worst;
}

static finf_status fir_energy(const double *beta, size_t n, const double *b, size_t m, double *T,
                              double *relerr)
{
    size_t index[LANES], waiting = 0;
    double *r = NULL;
    if (n > 256) {
        r = malloc(n * sizeof *r);
        finf_status s = r ? series_autocorrelation(beta, n, r) : FINF_ENOMEM;
        if (s) {
            free(r);
            return s;
        }
    }
    *relerr = 8 * FINF_EPS;
    for (size_t j = 0; j < m; j++) {
        if (r && fmin(b[j], 2 - b[j]) * (double)n > 100) { /* q^k is spent well before the end */
            double rel, value = by_autocorrelation(r, n, b[j], &rel);
            if (rel < 1e-13) {
                T[j] = value;
                *relerr = fmax(*relerr, rel);
                continue;
            }
        }
        index[waiting++] = j;
        if (waiting == LANES) {
            *relerr = fmax(*relerr, filter_lanes(beta, n, b, index, waiting, T));
            waiting = 0;
        }
    }
    if (waiting) *relerr = fmax(*relerr, filter_lanes(beta, n, b, index, waiting, T));
    free(r);
    return FINF_OK;
}

/* ---- B = 1/C --------------------------------------------------------------------------------- */

/* A long strategy: beta until it has died out, then as a finite beta. */
#define BETA_LIMIT ((size_t)1 << 22)
static finf_status long_strategy_energy(const finf_noise *noise, const double *b, size_t m,
                                        double *T, double *relerr, finf_reason *why)
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
                s = fir_energy(beta, n / 2, b, m, T, relerr);
            else if (2 * n > BETA_LIMIT)
                s = finf_why(why, FINF_ETOL, "beta = 1/strategy has not died out after %zu terms",
                             n);
            else {
                free(beta);
                continue;
            }
            /* beta itself comes from FFTs */
            *relerr += tail / all + 8 * FINF_EPS * sqrt((double)n);
        }
        free(beta);
        return s;
    }
}

static finf_status all_infinite(size_t m, double *T, double *relerr, finf_reason *why,
                                const char *reason)
{
    for (size_t j = 0; j < m; j++) T[j] = INFINITY;
    *relerr = 0;
    return finf_why(why, FINF_OK, "beta is not square-summable: C(z) has %.180s", reason);
}

static finf_status strategy_energy(const finf_noise *noise, const double *b, size_t m, double *T,
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
        s = all_infinite(m, T, relerr, why, r.reason.text);
    else if (!r.k)
        s = long_strategy_energy(noise, b, m, T, relerr, why);
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

/* Families whose |B|^2 is a formula; f is that, and `lost` its relative rounding error, read when f
 * has been used. */
static finf_status by_circle(circle_fn f, void *ctx, double scale, const double *lost,
                             const double *b, size_t m, double *T, double *relerr, finf_reason *why)
{
    finf_status s = FINF_OK;
    *relerr = 0;
    for (size_t first = 0, n; first < m; first += n, b += n, T += n) {
        finf_real mean[CIRCLE_MANY];
        n = m - first < CIRCLE_MANY ? m - first : CIRCLE_MANY;
        if (circle_means(f, ctx, scale, scale, b, n, mean)) s = FINF_ETOL;
        for (size_t j = 0; j < n; j++) {
            T[j] = b[j] * (2 - b[j]) * mean[j].value;
            *relerr = fmax(*relerr, mean[j].error / mean[j].value + 4 * FINF_EPS + *lost);
        }
    }
    return s ? finf_why(why, s,
                        "the integral of |B|^2 did not settle: B has a pole very close to |z| = 1")
             : FINF_OK;
}

static finf_status power_or_product_energy(const finf_noise *noise, const double *b, size_t m,
                                           double *T, double *relerr, finf_reason *why)
{
    double lost = noise_density_rounding(noise);
    return by_circle(noise_density_t, (void *)(uintptr_t)noise, finf_noise_scale(noise), &lost, b,
                     m, T, relerr, why);
}

/* Zeros of C(z) = 1 + sum w z/(1 - th z) in |z| <= 1 by the argument principle, on points spaced
 * evenly in log tan(w/2) and ever closer: C is not a polynomial that could be tested (its numerator
 * has zeros that crowd at 1). FINF_ETOL: one is too close to the circle to tell. */
static finf_status count_zeros(const finf_noise *noise, long poles, long *zeros)
{
    double scale = finf_noise_scale(noise), lo = log(scale / 2) - 8, hi = 8 - log(scale / 2);
    for (double h = 1.0 / 16; h >= 1.0 / 4096; h /= 4) {
        size_t n = (size_t)((hi - lo) / h) + 2;
        double complex *C = malloc((n + 1) * sizeof *C);
        if (!C) return FINF_ENOMEM;
        double lost, worst = 0;
        for (size_t j = 0; j <= n; j++) {
            long double t = j == 0 ? 0 : j == n ? 0x1p100L : expl(lo + (double)j * h);
            C[j] = (double complex)noise_blt_strategy_at(noise, t, &lost);
            worst = fmax(worst, lost);
        }
        int fine;
        *zeros = poles - schur_half_turns(C, n, &fine); /* z = e^{-iw} goes round clockwise */
        free(C);
        if (fine && worst < 0.1) return FINF_OK;
    }
    return FINF_ETOL;
}

/* A pole on the circle, th = +-1, is moved out of the disk by a rounding error: it is a zero of B
 * and does no harm. */
static finf_status blt_zeros(const finf_noise *noise, long *zeros)
{
    size_t n = noise->n;
    finf_noise moved = *noise;
    schur_real at_1 = 1, at_minus_1 = 1;
    long poles = 0;
    *zeros = 0;
    if (n == 0) return FINF_OK;
    moved.coef = malloc(2 * n * sizeof *moved.coef);
    if (!moved.coef) return FINF_ENOMEM;
    memcpy(moved.coef, noise->coef, 2 * n * sizeof *moved.coef);
    for (size_t i = 0; i < n; i++) {
        double *th = &moved.coef[i];
        if (fabs(*th) == 1) *th = nextafter(*th, 0);
        poles += fabs(*th) > 1;
        at_1 += moved.coef[n + i] / (1 - (schur_real)*th);
        at_minus_1 -= moved.coef[n + i] / (1 + (schur_real)*th);
    }
    *zeros = 1;
    finf_status s = at_1 == 0 || at_minus_1 == 0 ? FINF_OK : count_zeros(&moved, poles, zeros);
    free(moved.coef);
    return s;
}

typedef struct {
    const finf_noise *noise;
    double lost; /* the largest so far, of |B|^2 */
} blt_density;

static double blt_density_at(double t, void *ctx)
{
    blt_density *x = ctx;
    double lost;
    long double complex C = noise_blt_strategy_at(x->noise, t, &lost);
    x->lost = fmax(x->lost, 2 * lost);
    return (double)(1 / (creall(C) * creall(C) + cimagl(C) * cimagl(C)));
}

static finf_status blt_energy(const finf_noise *noise, const double *b, size_t m, double *T,
                              double *relerr, finf_reason *why)
{
    long zeros;
    finf_status s = blt_zeros(noise, &zeros);
    if (s == FINF_ETOL)
        return finf_why(why, s,
                        "a zero of C(z) is too close to |z| = 1 to tell on which side it is");
    if (s) return finf_why(why, s, "no memory");
    if (zeros) {
        char what[64];
        snprintf(what, sizeof what, "%ld zero%s in |z| <= 1 (argument principle)", zeros,
                 zeros == 1 ? "" : "s");
        return all_infinite(m, T, relerr, why, what);
    }
    blt_density density = {noise, 0};
    return by_circle(blt_density_at, &density, finf_noise_scale(noise), &density.lost, b, m, T,
                     relerr, why);
}

/* ---- |B|^2 on a grid ------------------------------------------------------------------------- */

static void spectrum_energy(const finf_noise *noise, const double *b, size_t m, double *T,
                            double *relerr)
{
    *relerr = 0;
    for (size_t j = 0; j < m; j++) {
        finf_real x = spline_density_energy(noise->density, b[j]);
        T[j] = x.value;
        *relerr = fmax(*relerr, x.error / x.value);
    }
}

/* Each b by itself. */
static finf_status energy_direct(const finf_noise *noise, const double *b, size_t n, double *T,
                                 double *relerr, finf_reason *why)
{
    *relerr = 0;
    switch (noise->kind) {
    case NOISE_POWER:
        if (noise->p != 0 && noise->p != 0.5 && noise->p != 1)
            return power_or_product_energy(noise, b, n, T, relerr, why);
        for (size_t j = 0; j < n; j++) {
            double rel;
            finf_status s = power_energy(noise, b[j], &T[j], &rel);
            if (s) return finf_why(why, s, "T(b) at b = %s did not settle", finf_show(b[j]).s);
            *relerr = fmax(*relerr, rel);
        }
        return FINF_OK;
    case NOISE_FIR: return fir_energy(noise->coef, noise->n, b, n, T, relerr);
    case NOISE_STRATEGY: return strategy_energy(noise, b, n, T, relerr, why);
    case NOISE_BLT: return blt_energy(noise, b, n, T, relerr, why);
    case NOISE_PRODUCT: return power_or_product_energy(noise, b, n, T, relerr, why);
    case NOISE_SPECTRUM: spectrum_energy(noise, b, n, T, relerr); return FINF_OK;
    }
    return FINF_EUSAGE;
}

/* ---- many b: 22 of them for each octave ------------------------------------------------------ */

#define CHEB 22
#define WORTH (2 * CHEB) /* an octave with more than this is interpolated */

/* T is analytic for |1-b| < 1, so on [x, 2x], x <= 1/2, its Chebyshev interpolation error falls
 * like 5.83^-n. */
static int octave_of(double b)
{
    int e;
    frexp(b, &e);
    return b < 0.5 ? -e : -1; /* b in [2^-(e+1), 2^-e) */
}

typedef struct {
    double node[CHEB], weight[CHEB];
} chebyshev;

static double interpolate(const chebyshev *c, const double *value, double x)
{
    double top = 0, bottom = 0;
    /* beta is not square-summable: it is infinite everywhere */
    if (isinf(value[0])) return value[0];
    for (int k = 0; k < CHEB; k++) { /* barycentric */
        double gap = x - c->node[k], w = c->weight[k] / gap;
        if (gap == 0) return value[k];
        top += w * value[k];
        bottom += w;
    }
    return top / bottom;
}

/* Replaces the b of crowded octaves by nodes, evaluates, interpolates back. */
static finf_status energy_many(const finf_noise *noise, const double *b, size_t n, double *T,
                               double *relerr, finf_reason *why)
{
    enum { OCTAVES = 200 };
    chebyshev c;
    for (int k = 0; k < CHEB; k++) {
        double angle = FINF_PI * (k + 0.5) / CHEB;
        c.node[k] = cos(angle);
        c.weight[k] = (k % 2 ? -1 : 1) * sin(angle);
    }
    size_t count[OCTAVES] = {0}, at[OCTAVES], m = 0;
    for (size_t j = 0; j < n; j++)
        if (octave_of(b[j]) >= 0) count[octave_of(b[j])]++;
    double *x = malloc((2 * n + 2 * OCTAVES * CHEB) * sizeof *x);
    if (!x) return finf_why(why, FINF_ENOMEM, "no memory for %zu values", n);
    double *value = x + n + OCTAVES * CHEB;
    for (int o = 0; o < OCTAVES; o++) {
        at[o] = m;
        for (int k = 0; k < CHEB && count[o] > WORTH; k++) x[m++] = ldexp(3 + c.node[k], -o - 2);
    }
    size_t single = m;
    for (size_t j = 0; j < n; j++)
        if (octave_of(b[j]) < 0 || count[octave_of(b[j])] <= WORTH) x[m++] = b[j];
    finf_status s = energy_direct(noise, x, m, value, relerr, why);
    if (!s) {
        for (size_t j = 0; j < n; j++) {
            int o = octave_of(b[j]);
            T[j] = o < 0 || count[o] <= WORTH
                       ? value[single++]
                       : interpolate(&c, value + at[o], ldexp(b[j], o + 2) - 3);
        }
        *relerr += 32 * FINF_EPS;
    }
    free(x);
    return s;
}

finf_status finf_noise_energy(const finf_noise *noise, const double *b, size_t n, double *T,
                              double *relerr, finf_reason *why)
{
    double ignored;
    finf_status s = FINF_OK;
    if (!relerr) relerr = &ignored;
    for (size_t j = 0; j < n && !s; j++)
        if (!(b[j] >= BOUNDS_TINY && b[j] < 2))
            s = finf_why(why, FINF_EDOM, "b = %s: must be in (0, 2), at least 1e-50",
                         finf_show(b[j]).s);
    if (!s)
        s = n > WORTH ? energy_many(noise, b, n, T, relerr, why)
                      : energy_direct(noise, b, n, T, relerr, why);
    for (size_t j = 0; j < n && s; j++) T[j] = NAN;
    if (s) *relerr = INFINITY;
    return s;
}
