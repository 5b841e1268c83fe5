/* Buffered linear Toeplitz noise: C(z) = 1 + sum_i scale_i z/(1 - decay_i z), B = 1/C. One number
 * of memory a buffer makes the noise of any number of steps.  (theory 1, 2.3)
 *
 * C is never written as a polynomial: its zeros crowd at 1 with the decays, and would be lost. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"

/* noise->coef has the n decays, then the n scales. */
static const double *decay_of(const finf_noise *noise) { return noise->coef; }
static const double *scale_of(const finf_noise *noise) { return noise->coef + noise->n; }

/* Any decay is taken: outside (-1, 1) gamma_T is still finite, and gamma2 says that gamma is
 * not. */
finf_status finf_noise_blt(const double *decay, const double *scale, size_t n, finf_noise **out,
                           finf_reason *why)
{
    return noise_pairs_make(&noise_blt, "buf_decay", decay, "output_scale", scale, BOUNDS_HUGE, n,
                            out, why);
}

static finf_status parse(const char *text, finf_noise **out, finf_reason *why)
{
    return noise_pairs_parse(text, "buf_decay", "output_scale", "blt", finf_noise_blt, out, why);
}

/* ---- coefficients ---------------------------------------------------------------------------- */

/* 1/C by running the buffers: y = x - sum_i w_i s_i for the input x = 1, 0, 0, .., and s_i becomes
 * th_i s_i + y (theory 1.2). */
static finf_status beta(const finf_noise *noise, size_t n, double *out, finf_reason *why)
{
    const double *th = decay_of(noise), *w = scale_of(noise);
    double s[NOISE_PAIRS_MAX] = {0};
    (void)why;
    for (size_t t = 0; t < n; t++) {
        double y = t == 0;
        for (size_t i = 0; i < noise->n; i++) y -= w[i] * s[i];
        for (size_t i = 0; i < noise->n; i++) s[i] = th[i] * s[i] + y;
        out[t] = y;
    }
    return FINF_OK;
}

/* c_t = sum_i scale_i decay_i^{t-1} */
static finf_status coef(const finf_noise *noise, size_t n, double *out, finf_reason *why)
{
    (void)why;
    for (size_t t = 0; t < n; t++) out[t] = t == 0;
    for (size_t i = 0; i < noise->n; i++) {
        double x = scale_of(noise)[i];
        for (size_t t = 1; t < n; t++) {
            out[t] += x;
            x *= decay_of(noise)[i];
        }
    }
    return FINF_OK;
}

/* ---- frequencies ----------------------------------------------------------------------------- */

/* C(e^{-iw}) at t = tan(w/2); lost, unless NULL: what rounding did to it, relative to |C|.
 * z/(1 - th z) = (1-it)^2 / ((1-th) + (1+th) t^2 + 2i th t): cancels neither at 0 nor at pi,
 * whatever the sign of th. */
static long double complex strategy_at(const finf_noise *noise, long double t, double *lost)
{
    long double re = 1, im = 0, size = 1;
    for (size_t i = 0; i < noise->n; i++) {
        long double th = noise->coef[i], w = noise->coef[noise->n + i],
                    x = (1 - th) + (1 + th) * t * t, y = 2 * th * t;
        long double p = (1 - t) * (1 + t), q = -2 * t, scale = w / (x * x + y * y);
        re += scale * (p * x + q * y);
        im += scale * (q * x - p * y);
        size += fabsl(w) * (1 + t * t) / hypotl(x, y);
    }
    if (lost) *lost = (double)((8 + (long double)noise->n) * LDBL_EPSILON * size / hypotl(re, im));
    return re + I * im;
}

/* B = 1/C. At w = pi tan is 1.6e16, far enough for C(-1) to rounding and far from an overflow. */
static double complex response(const finf_noise *noise, double w)
{
    return (double complex)(1 / strategy_at(noise, tan(w / 2), NULL));
}

/* How close to z = 1 or -1 something happens: a pole of C is 1 - |th_i| away from it, and where
 * C is small at 1 or -1 a zero is near. Never below 1e-15, as 1 - th has no more digits than that.
 */
static double scale(const finf_noise *noise)
{
    long double at_0 = cabsl(strategy_at(noise, 0, NULL));
    long double at_pi = cabsl(strategy_at(noise, 0x1p100L, NULL));
    double least = fmin(1, (double)fminl(at_0, at_pi));
    for (size_t i = 0; i < noise->n; i++) least = fmin(least, fabs(1 - fabs(decay_of(noise)[i])));
    return fmax(least, 1e-15);
}

/* ---- sensitivity ----------------------------------------------------------------------------- */

/* 1 - x y for |x|, |y| < 1, without cancellation. */
static schur_real gap(double x, double y)
{
    schur_real u = fabs(x), v = fabs(y);
    return (x < 0) == (y < 0) ? (1 - u) + u * (1 - v) : 1 + u * v;
}

/* 1 + x + .. + x^(n-1) by doubling n. */
static schur_real geometric(schur_real x, size_t n)
{
    schur_real sum = 0, power = 1;
    for (size_t bit = (size_t)1 << 31; bit > 0; bit /= 2) {
        sum *= 1 + power;
        power *= power;
        if (n & bit) {
            sum = 1 + x * sum;
            power *= x;
        }
    }
    return sum;
}

/* sum_{t<T} c_t^2 = 1 + sum_ij w_i w_j (1 + .. + (th_i th_j)^(T-2)), or w_i w_j / (1 - th_i th_j)
 * when T = 0 stands for infinity. Terms of different sign may cancel, so the sum is in quadruple
 * precision and its rounding is added up. */
static finf_real squares(const finf_noise *noise, size_t T)
{
    const double *th = noise->coef, *w = th + noise->n;
    schur_real sum = 1, size = 1;
    for (size_t i = 0; i < noise->n; i++)
        for (size_t j = 0; j < noise->n; j++) {
            schur_real term = T ? geometric((schur_real)th[i] * th[j], T - 1)
                                : 1 / gap(th[i], th[j]);
            schur_real weight = (schur_real)w[i] * w[j], most = term > 1 ? term : 1;
            sum += weight * term;
            size += weight < 0 ? -weight * most : weight * most;
        }
    if (!(sum <= DBL_MAX)) return finf_real_infinite("closed form");
    double value = (double)sum, terms = (double)noise->n * (double)noise->n, powers = (double)T;
    return finf_real_make(
        value, FINF_EPS * value + SCHUR_EPS * (16 + terms + powers) * (double)size, "closed form");
}

/* For |th_i| < 1 C is analytic in |z| <= 1, and the sum has its closed form. Whether B = C^{-1}
 * is square-summable is not asked here but in energy. */
static finf_status gamma2(const finf_noise *noise, finf_sensitivity *out)
{
    for (size_t i = 0; i < noise->n; i++)
        if (fabs(decay_of(noise)[i]) >= 1) {
            out->gamma2 = finf_real_infinite("closed form");
            return finf_why(&out->reason, FINF_OK,
                            "sum c_t^2 diverges: buf_decay %s is not inside (-1, 1)",
                            finf_show(decay_of(noise)[i]).s);
        }
    out->minimum_phase = 1;
    out->gamma2 = squares(noise, 0);
    return FINF_OK;
}

static finf_status gamma2_at(const finf_noise *noise, size_t T, finf_real *out, finf_reason *why)
{
    *out = squares(noise, T);
    return isfinite(out->value) ? FINF_OK : noise_squares_result(INFINITY, 0, out, why);
}

/* ---- T(b) ------------------------------------------------------------------------------------ */

/* Zeros of C(z) = 1 + sum w z/(1 - th z) in |z| <= 1 by the argument principle, on points spaced
 * evenly in log tan(w/2) and ever closer: C is not a polynomial that could be tested (its numerator
 * has zeros that crowd at 1). poles: those of C in the disk, which the turns of C about 0 are
 * counted against. FINF_ETOL: a zero is too close to the circle to tell. */
static finf_status count_zeros(const finf_noise *noise, long poles, long *zeros)
{
    double near = scale(noise), lo = log(near / 2) - 8, hi = 8 - log(near / 2);
    for (double h = 1.0 / 16; h >= 1.0 / 4096; h /= 4) {
        size_t n = (size_t)((hi - lo) / h) + 2;
        double complex *C = malloc((n + 1) * sizeof *C);
        if (!C) return FINF_ENOMEM;
        double lost, worst = 0;
        for (size_t j = 0; j <= n; j++) {
            long double t = j == 0 ? 0 : j == n ? 0x1p100L : expl(lo + (double)j * h);
            C[j] = (double complex)strategy_at(noise, t, &lost);
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
 * and does no harm. A zero at z = 1 or -1 itself, which no count of turns could decide, is seen
 * from the value there: z/(1 - th z) is 1/(1 - th) at 1 and -1/(1 + th) at -1. */
static finf_status find_zeros(const finf_noise *noise, long *zeros)
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
} tracked_density;

/* |B|^2 = 1/|C|^2 at t = tan(w/2), a circle_fn that remembers the worst rounding it met. */
static double density_at(double t, void *ctx)
{
    tracked_density *x = ctx;
    double lost;
    long double complex C = strategy_at(x->noise, t, &lost);
    x->lost = fmax(x->lost, 2 * lost);
    return (double)(1 / (creall(C) * creall(C) + cimagl(C) * cimagl(C)));
}

/* T(b) is finite only if beta = 1/C is square-summable, that is if C has no zero in |z| <= 1;
 * then it is the integral of theory 3.4. */
static finf_status energy(const finf_noise *noise, const double *b, size_t m, double *T,
                          double *relerr, finf_reason *why)
{
    long zeros;
    finf_status s = find_zeros(noise, &zeros);
    if (s == FINF_ETOL)
        return finf_why(why, s,
                        "a zero of C(z) is too close to |z| = 1 to tell on which side it is");
    if (s) return finf_why(why, s, "no memory");
    if (zeros) {
        char what[64];
        snprintf(what, sizeof what, "%ld zero%s in |z| <= 1 (argument principle)", zeros,
                 zeros == 1 ? "" : "s");
        return noise_energy_infinite(m, T, relerr, why, what);
    }
    tracked_density density = {noise, 0};
    return noise_energy_by_circle(density_at, &density, scale(noise), &density.lost, b, m, T,
                                  relerr, why);
}

const noise_family noise_blt = {
    .name = "blt",
    .form = "blt:TH,..;W,..",
    .about = "C(z) = 1 + sum W z/(1-TH z), beta = 1/C",
    .step = "O(buffers)",
    .parse = parse,
    .spell = noise_pairs_spell,
    .beta = beta,
    .coef = coef,
    .response = response,
    .scale = scale,
    .gamma2 = gamma2,
    .gamma2_at = gamma2_at,
    .energy = energy,
};
