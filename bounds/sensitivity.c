/* Sensitivity: gamma_inf^2 = sum c_t^2, and gamma_T^2 = its first T terms.                      MATH section 2
 * The integral (1/2pi) int dw/|B|^2 is gamma_inf^2 only for minimum-phase B, so a given beta is tested first. */
#include "bounds.h"

#include <stdint.h>
#include <stdlib.h>

static double inverse_density(double t, void *noise) { return 1 / noise_density_t(t, noise); }

/* nu: 1/AGM(1, sqrt(nu(2-nu)));  antipgd: 1/(nu(2-nu));  power: 2F1(p,p;1;(1-nu)^2) by its circle integral */
static finf_status of_power(const finf_noise *noise, finf_sensitivity *out)
{
    double p = noise->p, nu = noise->nu;
    out->minimum_phase = nu > 0;
    if (nu == 0) {
        out->gamma2 = finf_real_infinite("closed form");
        finf_why(&out->reason, FINF_OK, "sum c_t^2 diverges: gamma_T^2 grows like log(T)/pi (zero of B at z = 1)");
        return FINF_OK;
    }
    if (p == 0 || nu == 1)
        out->gamma2 = finf_real_make(1, 0, "closed form");
    else if (p == 1)
        out->gamma2 = finf_real_make(1 / (nu * (2 - nu)), 4 * FINF_EPS / (nu * (2 - nu)), "closed form");
    else if (p == 0.5) {
        finf_real agm;
        finf_agm(1, sqrt(nu * (2 - nu)), &agm);
        out->gamma2 = finf_real_make(1 / agm.value, agm.error / (agm.value * agm.value), "AGM");
    } else
        return circle_mean(inverse_density, (void *)(uintptr_t)noise, nu, 1, &out->gamma2);
    return FINF_OK;
}

static finf_status of_fir(const finf_noise *noise, finf_sensitivity *out)
{
    schur_result r;
    finf_status s = schur_test(noise->coef, noise->n, &r);
    out->gamma2 = r.inverse2;
    out->minimum_phase = r.minimum_phase;
    if (!s && !r.minimum_phase) finf_why(&out->reason, FINF_OK, "sum c_t^2 diverges: B(z) has %.200s", r.reason.text);
    if (s == FINF_ETOL)
        finf_why(&out->reason, s, "a zero of B(z) is too close to |z| = 1 to tell on which side it is (%zu coefficients)",
                 noise->n);
    schur_free(&r);
    return s;
}

static finf_status of_strategy(const finf_noise *noise, finf_sensitivity *out)
{
    long double sum = 0;
    for (size_t t = 0; t < noise->n; t++) sum += (long double)noise->coef[t] * noise->coef[t];
    out->minimum_phase = 1;
    out->gamma2 = finf_real_make((double)sum, 2 * FINF_EPS * (double)sum, "sum of squares");
    return FINF_OK;
}

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

/* sum_{t<T} c_t^2 = 1 + sum_ij w_i w_j (1 + .. + (th_i th_j)^(T-2)), or w_i w_j / (1 - th_i th_j) when T = 0 stands for
 * infinity. Terms of different sign may cancel, so the sum is in quadruple precision and its rounding is added up. */
static finf_real blt_squares(const finf_noise *noise, size_t T)
{
    const double *th = noise->coef, *w = th + noise->n;
    schur_real sum = 1, size = 1;
    for (size_t i = 0; i < noise->n; i++)
        for (size_t j = 0; j < noise->n; j++) {
            schur_real term = T ? geometric((schur_real)th[i] * th[j], T - 1) : 1 / gap(th[i], th[j]);
            schur_real weight = (schur_real)w[i] * w[j], most = term > 1 ? term : 1;
            sum += weight * term;
            size += weight < 0 ? -weight * most : weight * most;
        }
    if (!(sum <= DBL_MAX)) return finf_real_infinite("closed form");
    double value = (double)sum, terms = (double)noise->n * (double)noise->n, powers = (double)T;
    return finf_real_make(value, FINF_EPS * value + SCHUR_EPS * (16 + terms + powers) * (double)size, "closed form");
}

static finf_status of_blt(const finf_noise *noise, finf_sensitivity *out)
{
    for (size_t i = 0; i < noise->n; i++)
        if (fabs(noise->coef[i]) >= 1) {
            out->gamma2 = finf_real_infinite("closed form");
            return finf_why(&out->reason, FINF_OK, "sum c_t^2 diverges: buf_decay %s is not inside (-1, 1)",
                            finf_show(noise->coef[i]).s);
        }
    out->minimum_phase = 1;
    out->gamma2 = blt_squares(noise, 0);
    return FINF_OK;
}

static finf_status of_product(const finf_noise *noise, finf_sensitivity *out)
{
    double scale = finf_noise_scale(noise);
    finf_status s = circle_mean(inverse_density, (void *)(uintptr_t)noise, scale, scale, &out->gamma2);
    out->gamma2.error += noise_density_rounding(noise) * out->gamma2.value;
    out->minimum_phase = 1;
    return s;
}

finf_status finf_noise_sensitivity(const finf_noise *noise, finf_sensitivity *out)
{
    *out = (finf_sensitivity){.gamma2 = finf_real_failed()};
    switch (noise->kind) {
    case NOISE_POWER: return of_power(noise, out);
    case NOISE_FIR: return of_fir(noise, out);
    case NOISE_STRATEGY: return of_strategy(noise, out);
    case NOISE_BLT: return of_blt(noise, out);
    case NOISE_PRODUCT: return of_product(noise, out);
    case NOISE_SPECTRUM:
        out->minimum_phase = 1;
        out->gamma2 = spline_density_gamma2(noise->density);
        return FINF_OK;
    }
    return FINF_EUSAGE;
}

/* ---- gamma_T ------------------------------------------------------------------------------------------- */

/* c_t = c_{t-1} (t-1+p)/t (1-nu): summed without storing; stops when what is left cannot change the sum. */
static double power_at(const finf_noise *noise, size_t T)
{
    double p = noise->p, nu = noise->nu, c = 1, sum = 0, carry = 0;
    if (p == 1) return -expm1(2 * (double)T * log1p(-nu)) / (nu * (2 - nu));
    for (size_t t = 0; t < T; t++) {
        if (t) c = noise_damp(c * (1 - (1 - p) / (double)t), nu);
        double term = c * c - carry, next = sum + term;
        carry = (next - sum) - term;
        sum = next;
        if (c * c < FINF_EPS / 8 * sum * nu) break; /* the tail is below c^2/nu */
    }
    return sum;
}

/* c_t of a short beta, or of a BLT, one after another in O(1) memory. */
#define SHORT 128
static double streamed_at(const finf_noise *noise, size_t T)
{
    size_t n = noise->n;
    const double *x = noise->coef;
    long double ring[SHORT] = {0}, state[256], c = 0; /* c may be far more accurate than beta: long double */
    long double sum = 0;
    for (size_t i = 0; i < n && noise->kind == NOISE_BLT; i++) state[i] = x[n + i];
    for (size_t t = 0; t < T && sum <= DBL_MAX; t++) {
        if (noise->kind == NOISE_BLT) {
            c = t == 0;
            for (size_t i = 0; i < n && t; i++) c += state[i], state[i] *= x[i];
        } else {
            c = t == 0;
            for (size_t k = 1; k < n; k++) c -= x[k] * ring[(t + SHORT - k) % SHORT];
            c /= x[0];
            ring[t % SHORT] = c;
        }
        sum += c * c;
        if (c == 0 && t > SHORT && noise->kind == NOISE_BLT) break;
    }
    return sum <= DBL_MAX ? (double)sum : INFINITY;
}

finf_status finf_noise_sensitivity_at(const finf_noise *noise, size_t T, finf_real *gamma2, finf_reason *why)
{
    *gamma2 = finf_real_failed();
    if (T == 0 || T > FINF_STEPS_MAX)
        return finf_why(why, FINF_EDOM, "steps = %zu: must be from 1 to %u", T, FINF_STEPS_MAX);
    if (noise->kind == NOISE_POWER) {
        double value = noise->nu == 1 || noise->p == 0 ? 1 : power_at(noise, T);
        double rounding = noise->p == 1 ? 8 : 8 + 8 * sqrt((double)T); /* of the running product */
        *gamma2 = finf_real_make(value, rounding * FINF_EPS * value, "sum of squares");
        return FINF_OK;
    }
    size_t n = noise->kind == NOISE_STRATEGY && noise->n < T ? noise->n : T; /* c_t = 0 beyond */
    long double sum = 0;
    finf_status s = FINF_OK;
    if (noise->kind == NOISE_BLT || (noise->kind == NOISE_FIR && noise->n <= SHORT))
        sum = streamed_at(noise, T);
    else {
        double *c = malloc(n * sizeof *c);
        s = c ? noise_coef_unchecked(noise, n, c, why) : finf_why(why, FINF_ENOMEM, "no memory for %zu steps", n);
        for (size_t t = 0; t < n && !s && sum <= DBL_MAX; t++) sum += (long double)c[t] * c[t];
        free(c);
    }
    if (s) return s;
    if (sum <= DBL_MAX) /* a long list comes from FFTs, or a double recursion */
        *gamma2 = finf_real_make((double)sum, (noise->n <= SHORT ? 1e-14 : 1e-12) * (double)sum, "sum of squares");
    else {
        *gamma2 = finf_real_infinite("sum of squares");
        finf_why(why, FINF_OK, "gamma_T^2 is beyond the range of a double: c_t grows exponentially");
    }
    return FINF_OK;
}
