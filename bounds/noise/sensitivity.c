/* Sensitivity: gamma_inf^2 = sum c_t^2, and gamma_T^2 = its first T terms. (theory 2)
 * The integral (1/2pi) int dw/|B|^2 is gamma_inf^2 only for minimum-phase B, so a given beta is
 * tested first. */
#include "bounds.h"

#include <stdint.h>
#include <stdlib.h>

static double inverse_density(double t, void *noise) { return 1 / noise_density_t(t, noise); }

/* nu: 1/AGM(1, sqrt(nu(2-nu)));  antipgd: 1/(nu(2-nu));  power: 2F1(p,p;1;(1-nu)^2) by its circle
 * integral */
static finf_status of_power(const finf_noise *noise, finf_sensitivity *out)
{
    double p = noise->p, nu = noise->nu;
    out->minimum_phase = nu > 0;
    if (nu == 0) {
        out->gamma2 = finf_real_infinite("closed form");
        finf_why(&out->reason, FINF_OK,
                 "sum c_t^2 diverges: gamma_T^2 grows like log(T)/pi (zero of B at z = 1)");
        return FINF_OK;
    }
    if (p == 0 || nu == 1)
        out->gamma2 = finf_real_make(1, 0, "closed form");
    else if (p == 1)
        out->gamma2 = finf_real_make(1 / (nu * (2 - nu)), 4 * FINF_EPS / (nu * (2 - nu)),
                                     "closed form");
    else if (p == 0.5) {
        finf_real agm;
        finf_status s = finf_agm(1, sqrt(nu * (2 - nu)), &agm);
        if (s) return s;
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

/* sum_{t<T} c_t^2 = 1 + sum_ij w_i w_j (1 + .. + (th_i th_j)^(T-2)), or w_i w_j / (1 - th_i th_j)
 * when T = 0 stands for infinity. Terms of different sign may cancel, so the sum is in quadruple
 * precision and its rounding is added up. */
static finf_real blt_squares(const finf_noise *noise, size_t T)
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

static finf_status of_blt(const finf_noise *noise, finf_sensitivity *out)
{
    for (size_t i = 0; i < noise->n; i++)
        if (fabs(noise->coef[i]) >= 1) {
            out->gamma2 = finf_real_infinite("closed form");
            return finf_why(&out->reason, FINF_OK,
                            "sum c_t^2 diverges: buf_decay %s is not inside (-1, 1)",
                            finf_show(noise->coef[i]).s);
        }
    out->minimum_phase = 1;
    out->gamma2 = blt_squares(noise, 0);
    return FINF_OK;
}

static finf_status of_product(const finf_noise *noise, finf_sensitivity *out)
{
    double scale = finf_noise_scale(noise);
    finf_status s = circle_mean(inverse_density, (void *)(uintptr_t)noise, scale, scale,
                                &out->gamma2);
    out->gamma2.error += noise_density_rounding(noise) * out->gamma2.value;
    out->minimum_phase = 1;
    return s;
}

static finf_status of_spectrum(const finf_noise *noise, finf_sensitivity *out)
{
    out->minimum_phase = 1;
    out->gamma2 = spline_density_gamma2(noise->density);
    return FINF_OK;
}

static finf_status of_kind(const finf_noise *noise, finf_sensitivity *out)
{
    switch (noise->kind) {
    case NOISE_POWER: return of_power(noise, out);
    case NOISE_FIR: return of_fir(noise, out);
    case NOISE_STRATEGY: return of_strategy(noise, out);
    case NOISE_BLT: return of_blt(noise, out);
    case NOISE_PRODUCT: return of_product(noise, out);
    case NOISE_SPECTRUM: return of_spectrum(noise, out);
    }
    return FINF_EUSAGE;
}

finf_status finf_noise_sensitivity(const finf_noise *noise, finf_sensitivity *out)
{
    *out = (finf_sensitivity){.gamma2 = finf_real_failed()};
    finf_status s = of_kind(noise, out);
    if (s) {
        out->gamma2 = finf_real_failed();
        out->minimum_phase = 0;
        if (!out->reason.text[0])
            finf_why(&out->reason, s,
                     s == FINF_ENOMEM ? "no memory" : "the integral of 1/|B|^2 did not settle");
    }
    return s;
}

/* ---- gamma_T --------------------------------------------------------------------------------- */

/* c_t = c_{t-1} (t-1+p)/t (1-nu): summed without storing; stops when what is left cannot change the
 * sum. */
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

/* c_t of a beta or of a product, one after another, in long double or with every step rounded to
 * double. */
#define STREAM_MAX 2e7 /* operations that are instant; a short beta is streamed whatever T */
#define SHORT 128

typedef struct {
    /* beta: the last n of c_t, in a ring; product: sum_k (1-nu_i)^k c_{t-k} for every factor i */
    long double *past;
    long double c;
    int in_double;
} stream;

static long double rounded(const stream *s, long double x) { return s->in_double ? (double)x : x; }

static void next_term(const finf_noise *noise, size_t t, stream *s)
{
    size_t n = noise->n;
    const double *x = noise->coef;
    long double sum = t == 0;
    if (noise->kind == NOISE_PRODUCT)
        for (size_t i = 0; i < n && t > 0; i++) {
            long double q = x[i] < 0.5 ? -(long double)x[i] : 1 - (long double)x[i],
                        p = rounded(s, s->past[i] + s->c);
            s->past[i] = rounded(s, x[i] < 0.5 ? p + p * q : p * q);
            sum = rounded(s, sum + x[n + i] * s->past[i]);
        }
    else
        for (size_t k = 1; k < n && k <= t; k++)
            sum = rounded(s, sum - x[k] * s->past[(t - k) % n]);
    s->c = rounded(s, noise->kind == NOISE_PRODUCT ? (t ? sum / (long double)t : 1) : sum / x[0]);
    if (noise->kind == NOISE_FIR) s->past[t % n] = s->c;
}

/* The recursion is linear, so that rounding to double differs from long double by 2^11 times what
 * long double is off by; 16 in hand. */
static finf_status streamed_at(const finf_noise *noise, size_t T, long double *sum,
                               long double *lost)
{
    long double *past = calloc(2 * noise->n + 1, sizeof *past), apart = 0;
    if (!past) return FINF_ENOMEM;
    stream fine = {past, 0, 0}, coarse = {past + noise->n, 0, 1};
    for (size_t t = 0; t < T && *sum <= DBL_MAX; t++) {
        next_term(noise, t, &fine);
        next_term(noise, t, &coarse);
        *sum += fine.c * fine.c;
        apart += 2 * fabsl(fine.c * (coarse.c - fine.c));
    }
    *lost = apart / 128 + 4 * LDBL_EPSILON * (1 + (long double)T / 256) * *sum;
    free(past);
    return FINF_OK;
}

/* c from FFTs, twice: the second time from beta_t e^{-t/T}, whose inverse is c_t e^{-t/T} with
 * other rounding errors. */
static finf_status transformed_at(const finf_noise *noise, size_t T, long double *sum,
                                  long double *lost, finf_reason *why)
{
    size_t m = noise->n < T ? noise->n : T;
    double *c = malloc(2 * T * sizeof *c), *again = c ? c + T : NULL,
           *beta = malloc(m * sizeof *beta);
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

/* |B|^2 on a grid: every c_t is off by what the factorisation says. */
static finf_status factored_at(const finf_noise *noise, size_t T, long double *sum,
                               long double *lost, finf_reason *why)
{
    double *c = malloc(T * sizeof *c), error = 0;
    finf_status s = c ? spline_density_factor(noise->density, -1, T, c, &error, why)
                      : finf_why(why, FINF_ENOMEM, "no memory for %zu steps", T);
    for (size_t t = 0; t < T && !s; t++) {
        *sum += (long double)c[t] * c[t];
        *lost += 2 * fabsl((long double)c[t] * error);
    }
    free(c);
    return s;
}

finf_status finf_noise_sensitivity_at(const finf_noise *noise, size_t T, finf_real *gamma2,
                                      finf_reason *why)
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
    long double sum = 0, lost = 0;
    finf_status s = FINF_OK;
    if (noise->kind == NOISE_BLT) {
        *gamma2 = blt_squares(noise, T);
        sum = gamma2->value;
    } else if (noise->kind == NOISE_STRATEGY)
        for (size_t t = 0; t < T && t < noise->n; t++)
            sum += (long double)noise->coef[t] * noise->coef[t];
    else if (noise->kind == NOISE_SPECTRUM)
        s = factored_at(noise, T, &sum, &lost, why);
    else if (noise->kind == NOISE_PRODUCT || noise->n <= SHORT ||
             (double)noise->n * (double)T < STREAM_MAX) {
        s = streamed_at(noise, T, &sum, &lost);
        if (s) finf_why(why, s, "no memory for %zu coefficients", noise->n);
    } else
        s = transformed_at(noise, T, &sum, &lost, why);
    if (s) return s;
    if (!(sum <= DBL_MAX)) {
        *gamma2 = finf_real_infinite("sum of squares");
        finf_why(why, FINF_OK,
                 "gamma_T^2 is beyond the range of a double: c_t grows exponentially");
    } else if (noise->kind != NOISE_BLT)
        *gamma2 = finf_real_make((double)sum, (double)lost + 4 * FINF_EPS * (double)sum,
                                 "sum of squares");
    return FINF_OK;
}
