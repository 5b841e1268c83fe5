/* The gain of a closed loop for white noise, mean |b/(a + q b)|^2, and where it resonates.
 * (theory 11.1, 11.2) */
#include "optimizer.h"

#include <string.h>

#define ROOM (OPTIMIZER_ORDER_MAX + 1)

/* mean |d/c|^2 for polynomials c (c_0 = 1) and d in x, n numbers each, by the recursion that takes
 * one degree off both at a time (Astrom, Jury and Agniel 1970):
 *
 *     sum_k d_k^(k)^2/c_0^(k),   c_i^(k-1) = c_i^(k) - r c_{k-i}^(k), r = c_k/c_0,
 *                                d_i^(k-1) = d_i^(k) - s c_{k-i}^(k), s = d_k/c_0.
 * Negative where c has a zero in |x| <= 1. Once in numbers of each width. */
#define ENERGY(name, real)                                                                         \
    static real name(const schur_real *c0, const schur_real *d0, size_t n)                         \
    {                                                                                              \
        real c[ROOM], d[ROOM], old[ROOM], sum = 0;                                                 \
        for (size_t i = 0; i < n; i++) {                                                           \
            c[i] = (real)c0[i];                                                                    \
            d[i] = (real)d0[i];                                                                    \
        }                                                                                          \
        for (size_t k = n; k-- > 0;) {                                                             \
            real r = c[k] / c[0], s = d[k] / c[0];                                                 \
            if (k > 0 && !(r < 1 && r > -1)) return -1;                                            \
            sum += d[k] * s;                                                                       \
            memcpy(old, c, n * sizeof *old);                                                       \
            for (size_t i = 0; i < k; i++) {                                                       \
                c[i] = old[i] - r * old[k - i];                                                    \
                d[i] -= s * old[k - i];                                                            \
            }                                                                                      \
        }                                                                                          \
        return sum;                                                                                \
    }
ENERGY(wide_energy, schur_real)
ENERGY(narrow_energy, long double)

/* |b/(a + q b)|^2 at t, a circle_fn. */
typedef struct {
    const finf_optimizer *o;
    double q;
} gain_ctx;

static double gain_t(double t, void *ctx)
{
    const gain_ctx *g = ctx;
    return optimizer_gain(g->o, g->q, t);
}

/* By quadrature, where the recursion has lost its digits: slow poles very near to z = 1. */
static finf_status by_panels(const finf_optimizer *o, double q, finf_real *out)
{
    double complex y[OPTIMIZER_ORDER_MAX];
    panel_feature feature[OPTIMIZER_ORDER_MAX];
    size_t n;
    gain_ctx ctx = {o, q};
    finf_status s = loop_poles(o, q, y, &n);
    panel_plan plan = {.feature = feature, .n = n, .near_0 = 1, .near_pi = 1, .longest = INFINITY};
    for (size_t i = 0; i < n && !s; i++) {
        feature[i] = loop_feature(y[i]);
        plan.near_0 = fmin(plan.near_0, exp(feature[i].u));
        plan.near_pi = fmin(plan.near_pi, exp(-feature[i].u));
    }
    return s ? s : panel_mean(gain_t, &ctx, &plan, out);
}

/* The recursion is run twice, with numbers of two widths: their difference says what rounding did
 * to the narrow run, and so, times the ratio of the two roundings, to the wide one. */
finf_status loop_series_energy(const schur_real *c, const schur_real *d, size_t n, finf_real *out)
{
    schur_real wide = wide_energy(c, d, n), narrow = narrow_energy(c, d, n);
    *out = finf_real_failed();
    if (!(wide >= 0)) return FINF_ETOL;
    if (wide == 0) {
        *out = finf_real_make(0, 0, "step-down recursion");
        return FINF_OK;
    }
    double value = (double)wide, moved = fabs((double)((wide - narrow) / wide));
    double ratio = (double)(SCHUR_EPS / (schur_real)LDBL_EPSILON);
    if (!(narrow > 0 && moved < 1e-3 && ratio < 1e-3)) return FINF_ETOL;
    *out = finf_real_make(value, value * (100 * moved * ratio + FINF_EPS), "step-down recursion");
    return FINF_OK;
}

/* Momentum (theory 11.2), every term of which is positive in the stable range but the last factor,
 * the distance to its edge:
 *
 *     heavy ball    (1+m) / ((1-m) q (2(1+m) - q))
 *     Nesterov's    ((1+m) + m(1+2m) q) / (((1-m) + m q) q (2(1+m) - (1+2m) q)) */
static finf_real by_formula(const finf_optimizer *o, double q)
{
    schur_real m = o->momentum, n = o->rule == &optimizer_nesterov ? m : 0;
    schur_real top = 1 + m + n * (1 + 2 * m) * q, edge = 2 * (1 + m) - (1 + 2 * n) * (schur_real)q;
    double value = (double)(top / ((1 - m + n * q) * q * edge));
    return finf_real_make(value, 2 * FINF_EPS * fabs(value), "closed form");
}

finf_status loop_white_gain(const finf_optimizer *opt, double q, finf_real *out)
{
    const finf_optimizer *o = optimizer_or_sgd(opt);
    schur_real c[ROOM], d[ROOM];
    size_t n;
    loop_polynomial(o, q, c, &n);
    for (size_t k = 0; k < n; k++) d[k] = loop_numerator(o, k);
    if (o->rule != &optimizer_filter && loop_stable(o, q)) {
        *out = by_formula(o, q);
        return FINF_OK;
    }
    if (loop_series_energy(c, d, n, out) == FINF_OK) return FINF_OK;
    return loop_stable(o, q) ? by_panels(o, q, out) : FINF_ETOL;
}

finf_status loop_average_gain(const finf_optimizer *opt, double q, finf_real *out)
{
    const finf_optimizer *o = optimizer_or_sgd(opt);
    schur_real c[ROOM], d[ROOM], leak = o->average_leak;
    size_t n;
    *out = finf_real_failed();
    if (o->average == AVERAGE_NONE) return loop_white_gain(o, q, out);
    if (o->average == AVERAGE_LAST) return FINF_ETOL;
    loop_polynomial(o, q, c, &n);
    c[n] = 0;
    for (size_t k = n; k > 0; k--) c[k] -= (1 - leak) * c[k - 1]; /* times 1 - a x */
    n++;
    for (size_t k = 0; k < n; k++) d[k] = leak * loop_numerator(o, k);
    return loop_series_energy(c, d, n, out);
}

/* tan(w/2) = i y/(2-y) at the pole x = e^{-iw} = 1 - y, up to the sign, in which |G|^2 is even. */
panel_feature loop_feature(double complex y)
{
    double complex r = y / (2 - y);
    double size2 = creal(2 - y) * creal(2 - y) + cimag(y) * cimag(y);
    double real = (creal(y) * (2 - creal(y)) - cimag(y) * cimag(y)) / size2;
    return (panel_feature){log(cabs(r)), atan2(fabs(real), fabs(cimag(r)))};
}
