/* The families of beta: construction, coefficients, frequency response.                         MATH section 1 */
#include "bounds.h"

#include <stdlib.h>
#include <string.h>

#define NU_MIN 1e-50 /* ellint's domain */
#define BLT_MAX 256

static finf_status make(noise_kind kind, const char *family, finf_noise **out)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return FINF_ENOMEM;
    (*out)->kind = kind;
    (*out)->family = family;
    return FINF_OK;
}

void finf_noise_free(finf_noise *noise)
{
    if (!noise) return;
    spline_density_free(noise->rho);
    free(noise->coef);
    free(noise);
}

const char *finf_noise_family(const finf_noise *noise) { return noise->family; }

static finf_status make_power(double p, double nu, const char *family, finf_noise **out, finf_reason *why)
{
    *out = NULL;
    if (!(nu >= NU_MIN && nu <= 1))
        return finf_why(why, FINF_EDOM, "nu = %g: must be in (0, 1]%s", nu, nu > 0 && nu < 1 ? ", at least 1e-50" : "");
    if (!(p >= 0 && p <= 1)) return finf_why(why, FINF_EDOM, "power p = %g: must be in [0, 1]", p);
    finf_status s = make(NOISE_POWER, family, out);
    if (s) return finf_why(why, s, "no memory");
    (*out)->p = p;
    (*out)->nu = nu;
    return FINF_OK;
}

finf_status finf_noise_sgd(finf_noise **out) { return make_power(0, 1, "sgd", out, NULL); }
finf_status finf_noise_nu(double nu, finf_noise **out, finf_reason *why) { return make_power(0.5, nu, "nu", out, why); }
finf_status finf_noise_power(double p, double nu, finf_noise **out, finf_reason *why)
{
    return make_power(p, nu, "power", out, why);
}
finf_status finf_noise_antipgd(double nu, finf_noise **out, finf_reason *why)
{
    return make_power(1, nu, "antipgd", out, why);
}
finf_status finf_noise_cc(finf_noise **out)
{
    finf_status s = make_power(0.5, 1, "optimal-cc", out, NULL);
    if (!s) (*out)->nu = 0;
    return s;
}

static finf_status check_finite(const char *what, const double *x, size_t n, finf_reason *why)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return finf_why(why, FINF_EDOM, "%s[%zu] = %g: must be finite", what, i, x[i]);
    return FINF_OK;
}

static finf_status make_list(noise_kind kind, const char *family, const char *what, const double *x, size_t n,
                             finf_noise **out, finf_reason *why)
{
    *out = NULL;
    if (n == 0) return finf_why(why, FINF_EDOM, "%s is empty: at least one coefficient is needed", what);
    finf_status s = check_finite(what, x, n, why);
    if (s) return s;
    if (x[0] == 0) return finf_why(why, FINF_EDOM, "%s[0] = 0: the first coefficient must not be zero", what);
    while (n > 1 && x[n - 1] == 0) n--;
    s = make(kind, family, out);
    if (!s && !((*out)->coef = malloc(n * sizeof *x))) s = FINF_ENOMEM;
    if (s) {
        finf_noise_free(*out);
        *out = NULL;
        return finf_why(why, s, "no memory for %zu coefficients", n);
    }
    memcpy((*out)->coef, x, n * sizeof *x);
    (*out)->n = n;
    return FINF_OK;
}

finf_status finf_noise_fir(const double *beta, size_t n, finf_noise **out, finf_reason *why)
{
    return make_list(NOISE_FIR, "fir", "beta", beta, n, out, why);
}

finf_status finf_noise_strategy(const double *c, size_t n, finf_noise **out, finf_reason *why)
{
    return make_list(NOISE_STRATEGY, "strategy", "strategy", c, n, out, why);
}

finf_status finf_noise_blt(const double *decay, const double *scale, size_t n, finf_noise **out, finf_reason *why)
{
    *out = NULL;
    if (n == 0) return finf_why(why, FINF_EDOM, "a BLT needs at least one buffer");
    if (n > BLT_MAX) return finf_why(why, FINF_EDOM, "%zu buffers: at most %d", n, BLT_MAX);
    finf_status s = check_finite("buf_decay", decay, n, why);
    if (!s) s = check_finite("output_scale", scale, n, why);
    if (s) return s;
    s = make(NOISE_BLT, "blt", out);
    if (!s && !((*out)->coef = malloc(2 * n * sizeof *decay))) s = FINF_ENOMEM;
    if (s) {
        finf_noise_free(*out);
        *out = NULL;
        return finf_why(why, s, "no memory");
    }
    memcpy((*out)->coef, decay, n * sizeof *decay);
    memcpy((*out)->coef + n, scale, n * sizeof *scale);
    (*out)->n = n;
    return FINF_OK;
}

finf_status finf_noise_spectrum(const double *w, const double *s, size_t n, finf_noise **out, finf_reason *why)
{
    finf_status status = make(NOISE_SPECTRUM, "spectrum", out);
    if (!status) status = spline_density_make(w, s, n, &(*out)->rho, why);
    if (status) {
        finf_noise_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- coefficients -------------------------------------------------------------------------------------- */

/* y <- y (1 - x z), in place, of degree n before. */
static void times_factor(double *y, size_t n, double x)
{
    y[n + 1] = 0;
    for (size_t i = n + 1; i >= 1; i--) y[i] -= x * y[i - 1];
}

/* prod_{j != skip} (1 - th_j z) */
static size_t denominator(const finf_noise *noise, size_t skip, double *out)
{
    size_t degree = 0;
    out[0] = 1;
    for (size_t j = 0; j < noise->n; j++)
        if (j != skip) times_factor(out, degree++, noise->coef[j]);
    return degree;
}

void noise_blt_numerator(const finf_noise *noise, double *out)
{
    double part[BLT_MAX + 2];
    denominator(noise, noise->n, out);
    for (size_t i = 0; i < noise->n; i++) {
        size_t degree = denominator(noise, i, part);
        for (size_t k = 0; k <= degree; k++) out[k + 1] += noise->coef[noise->n + i] * part[k];
    }
}

/* (1-(1-nu)z)^p: ratio of successive coefficients (t-1-p)/t (1-nu) */
static void power_series(double p, double nu, size_t n, double *out)
{
    out[0] = 1;
    for (size_t t = 1; t < n; t++) out[t] = out[t - 1] * ((double)t - 1 - p) / (double)t * (1 - nu);
}

/* D(z)/N(z) by long division, both of degree m. */
static void divide_series(const double *D, const double *N, size_t m, size_t n, double *out)
{
    for (size_t t = 0; t < n; t++) {
        double sum = t <= m ? D[t] : 0;
        for (size_t k = 1; k <= m && k <= t; k++) sum -= N[k] * out[t - k];
        out[t] = sum / N[0];
    }
}

static void copy_padded(const finf_noise *noise, size_t n, double *out)
{
    for (size_t t = 0; t < n; t++) out[t] = t < noise->n ? noise->coef[t] : 0;
}

finf_status finf_noise_beta(const finf_noise *noise, size_t n, double *beta, finf_reason *why)
{
    if (n == 0) return finf_why(why, FINF_EDOM, "length 0: at least one coefficient");
    switch (noise->kind) {
    case NOISE_POWER: power_series(noise->p, noise->nu, n, beta); return FINF_OK;
    case NOISE_FIR: copy_padded(noise, n, beta); return FINF_OK;
    case NOISE_STRATEGY: return finf_series_inverse(noise->coef, noise->n, n, beta, why);
    case NOISE_BLT: {
        double D[BLT_MAX + 2], N[BLT_MAX + 2];
        denominator(noise, noise->n, D);
        noise_blt_numerator(noise, N);
        divide_series(D, N, noise->n, n, beta);
        return FINF_OK;
    }
    case NOISE_SPECTRUM: return spline_density_factor(noise->rho, 1, n, beta, why);
    }
    return FINF_EUSAGE;
}

finf_status finf_noise_coef(const finf_noise *noise, size_t n, double *c, finf_reason *why)
{
    if (n == 0) return finf_why(why, FINF_EDOM, "length 0: at least one coefficient");
    switch (noise->kind) {
    case NOISE_POWER: power_series(-noise->p, noise->nu, n, c); return FINF_OK;
    case NOISE_FIR: return finf_series_inverse(noise->coef, noise->n, n, c, why);
    case NOISE_STRATEGY: copy_padded(noise, n, c); return FINF_OK;
    case NOISE_BLT:
        for (size_t t = 0; t < n; t++) c[t] = t == 0;
        for (size_t i = 0; i < noise->n; i++) {
            double x = noise->coef[noise->n + i];
            for (size_t t = 1; t < n; t++, x *= noise->coef[i]) c[t] += x;
        }
        return FINF_OK;
    case NOISE_SPECTRUM: return spline_density_factor(noise->rho, -1, n, c, why);
    }
    return FINF_EUSAGE;
}

/* ---- frequency response -------------------------------------------------------------------------------- */

/* 1 - x e^{-iw} for 1 - x = a, cancelling nothing when a and w are small. */
static double complex factor_at(double a, double w)
{
    double s = sin(w / 2);
    return a + 2 * (1 - a) * s * s + I * (1 - a) * sin(w);
}

static double complex polynomial_at(const double *x, size_t n, double w)
{
    double complex z = cexp(-I * w), sum = 0;
    for (size_t t = n; t-- > 0;) sum = sum * z + x[t];
    return sum;
}

static double complex blt_strategy_at(const finf_noise *noise, double w)
{
    double complex z = cexp(-I * w), C = 1;
    for (size_t i = 0; i < noise->n; i++) C += noise->coef[noise->n + i] * z / factor_at(1 - noise->coef[i], w);
    return C;
}

static double complex response(const finf_noise *noise, double w)
{
    switch (noise->kind) {
    case NOISE_POWER: {
        double complex f = factor_at(noise->nu, w);
        return noise->p == 0 ? 1 : pow(cabs(f), noise->p) * cexp(I * noise->p * carg(f));
    }
    case NOISE_FIR: return polynomial_at(noise->coef, noise->n, w);
    case NOISE_STRATEGY: return 1 / polynomial_at(noise->coef, noise->n, w);
    case NOISE_BLT: return 1 / blt_strategy_at(noise, w);
    case NOISE_SPECTRUM: {
        double size = sqrt(spline_density_at(noise->rho, w)), phase = spline_density_phase(noise->rho, w);
        return size * cexp(I * phase);
    }
    }
    return NAN;
}

void finf_noise_response(const finf_noise *noise, double w, double re_im[2])
{
    double complex B = response(noise, w);
    re_im[0] = creal(B);
    re_im[1] = cimag(B);
}

double finf_noise_density(const finf_noise *noise, double w)
{
    if (noise->kind == NOISE_SPECTRUM) return spline_density_at(noise->rho, w);
    if (noise->kind == NOISE_POWER) return pow(circle_gap(noise->nu, w), noise->p);
    double complex B = response(noise, w);
    return creal(B) * creal(B) + cimag(B) * cimag(B);
}

double finf_noise_scale(const finf_noise *noise)
{
    switch (noise->kind) {
    case NOISE_POWER: return noise->p > 0 && noise->nu > 0 ? noise->nu : 1;
    case NOISE_FIR:
    case NOISE_STRATEGY: return fmin(1, 1 / (double)noise->n);
    case NOISE_BLT: {
        double least = fmin(1, cabs(blt_strategy_at(noise, 0)));
        for (size_t i = 0; i < noise->n; i++) least = fmin(least, fabs(1 - fabs(noise->coef[i])));
        return fmax(least, 1e-15);
    }
    case NOISE_SPECTRUM: return spline_density_scale(noise->rho);
    }
    return 1;
}
