/* The families of beta: construction, coefficients, frequency response. (theory 1) */
#include "bounds.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TERMS_MAX 256               /* buffers of a BLT, factors of a product */
#define POWER_MAX 20                /* of a factor of a product */
#define TABLE_MIN ((size_t)512)     /* from here on B(w) is interpolated in a table .. */
#define TABLE_MAX ((size_t)1 << 23) /* .. that fits in memory */

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
    spline_density_free(noise->density);
    response_table_free(noise->table);
    free(noise->coef);
    free(noise);
}

const char *finf_noise_family(const finf_noise *noise) { return noise->family; }

static finf_status make_power(double p, double nu, const char *family, finf_noise **out,
                              finf_reason *why)
{
    *out = NULL;
    if (!(nu >= BOUNDS_TINY && nu <= 1))
        return finf_why(why, FINF_EDOM, "nu = %s: must be in (0, 1]%s", finf_show(nu).s,
                        nu > 0 && nu < 1 ? ", at least 1e-50" : "");
    if (!(p >= 0 && p <= 1))
        return finf_why(why, FINF_EDOM, "power p = %s: must be in [0, 1]", finf_show(p).s);
    finf_status s = make(NOISE_POWER, family, out);
    if (s) return finf_why(why, s, "no memory");
    (*out)->p = p;
    (*out)->nu = nu;
    return FINF_OK;
}

finf_status finf_noise_sgd(finf_noise **out) { return make_power(0, 1, "sgd", out, NULL); }
finf_status finf_noise_nu(double nu, finf_noise **out, finf_reason *why)
{
    return make_power(0.5, nu, "nu", out, why);
}
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

static finf_status check_size(const char *what, const double *x, size_t n, finf_reason *why)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(x[i]) <= BOUNDS_HUGE))
            return finf_why(why, FINF_EDOM, "%s[%zu] = %s: must be finite, at most 1e50", what, i,
                            finf_show(x[i]).s);
    return FINF_OK;
}

static finf_status make_list(noise_kind kind, const char *family, const char *what, const double *x,
                             size_t n, finf_noise **out, finf_reason *why)
{
    *out = NULL;
    if (n == 0)
        return finf_why(why, FINF_EDOM, "%s is empty: at least one coefficient is needed", what);
    finf_status s = check_size(what, x, n, why);
    if (s) return s;
    if (!(fabs(x[0]) >= BOUNDS_TINY))
        return finf_why(why, FINF_EDOM,
                        "%s[0] = %s: the first coefficient must not be zero (at least 1e-50)", what,
                        finf_show(x[0]).s);
    while (n > 1 && x[n - 1] == 0) n--;
    s = make(kind, family, out);
    if (!s && !((*out)->coef = malloc(n * sizeof *x))) s = FINF_ENOMEM;
    if (!s && n >= TABLE_MIN && n <= TABLE_MAX) s = response_table_make(x, n, &(*out)->table);
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

/* Two lists of n, one behind the other in coef: equal keys become one, whose weight must not exceed
 * `most` either, and what has no weight goes. */
static finf_status make_pairs(noise_kind kind, const char *family, const char *key_name,
                              const double *key, const char *weight_name, const double *weight,
                              double most, size_t n, finf_noise **out, finf_reason *why)
{
    *out = NULL;
    if (n == 0) return finf_why(why, FINF_EDOM, "%s: the list is empty", family);
    if (n > TERMS_MAX)
        return finf_why(why, FINF_EDOM, "%s of %zu terms: at most %d", family, n, TERMS_MAX);
    finf_status s = check_size(key_name, key, n, why);
    if (!s) s = check_size(weight_name, weight, n, why);
    if (s) return s;
    s = make(kind, family, out);
    if (!s && !((*out)->coef = malloc(2 * n * sizeof *key))) s = FINF_ENOMEM;
    if (s) {
        finf_noise_free(*out);
        *out = NULL;
        return finf_why(why, s, "no memory");
    }
    double *x = (*out)->coef, *w = x + n;
    size_t m = 0, kept = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < m && x[k] != key[i]) k++;
        w[k] = k < m ? w[k] + weight[i] : weight[i];
        x[k] = key[i];
        m += k == m;
    }
    for (size_t i = 0; i < m; i++) {
        if (!(fabs(w[i]) <= most)) {
            finf_why(why, FINF_EDOM, "%s %s at %s %s, all together: must be from -%g to %g",
                     weight_name, finf_show(w[i]).s, key_name, finf_show(x[i]).s, most, most);
            finf_noise_free(*out);
            *out = NULL;
            return FINF_EDOM;
        }
        if (w[i] != 0) {
            x[kept] = x[i];
            w[kept++] = w[i];
        }
    }
    memmove(x + kept, w, kept * sizeof *w);
    (*out)->n = kept;
    return FINF_OK;
}

finf_status finf_noise_blt(const double *decay, const double *scale, size_t n, finf_noise **out,
                           finf_reason *why)
{
    return make_pairs(NOISE_BLT, "blt", "buf_decay", decay, "output_scale", scale, BOUNDS_HUGE, n,
                      out, why);
}

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
    return make_pairs(NOISE_PRODUCT, "product", "nu", nu, "power", r, POWER_MAX, n, out, why);
}

finf_status finf_noise_spectrum(const double *w, const double *s, size_t n, finf_noise **out,
                                finf_reason *why)
{
    finf_status status = make(NOISE_SPECTRUM, "spectrum", out);
    if (status) return finf_why(why, status, "no memory");
    status = spline_density_make(w, s, n, &(*out)->density, why);
    if (status) {
        finf_noise_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- coefficients ---------------------------------------------------------------------------- */

/* (1-(1-nu)z)^p: ratio of successive coefficients (t-1-p)/t (1-nu) */
static void power_series(double p, double nu, size_t n, double *out)
{
    out[0] = 1;
    for (size_t t = 1; t < n; t++) {
        double x = out[t - 1] * ((double)t - 1 - p) / (double)t;
        out[t] = noise_damp(x, nu);
    }
}

/* 1/C by running the buffers: no polynomial is formed, so nothing is lost when the decays crowd
 * at 1. */
static void blt_series(const finf_noise *noise, size_t n, double *beta)
{
    const double *th = noise->coef, *w = th + noise->n;
    double s[TERMS_MAX] = {0};
    for (size_t t = 0; t < n; t++) {
        double y = t == 0;
        for (size_t i = 0; i < noise->n; i++) y -= w[i] * s[i];
        for (size_t i = 0; i < noise->n; i++) s[i] = th[i] * s[i] + y;
        beta[t] = y;
    }
}

/* B = prod (1 - q_i z)^{r_i}: z B' = -B sum_i r_i q_i z/(1 - q_i z), so t beta_t = -sum_i r_i s_i
 * with s_i = sum_k q_i^k beta_{t-k} carried along, one number a factor. */
static void product_series(const finf_noise *noise, double sign, size_t n, double *out)
{
    const double *nu = noise->coef, *r = nu + noise->n;
    double s[TERMS_MAX] = {0};
    for (size_t t = 0; t < n; t++) {
        double sum = 0;
        for (size_t i = 0; i < noise->n && t > 0; i++) {
            s[i] = noise_damp(s[i] + out[t - 1], nu[i]);
            sum -= sign * r[i] * s[i];
        }
        out[t] = t > 0 ? sum / (double)t : 1;
    }
}

static void copy_padded(const finf_noise *noise, size_t n, double *out)
{
    for (size_t t = 0; t < n; t++) out[t] = t < noise->n ? noise->coef[t] : 0;
}

static finf_status beta_unchecked(const finf_noise *noise, size_t n, double *beta, finf_reason *why)
{
    switch (noise->kind) {
    case NOISE_POWER: power_series(noise->p, noise->nu, n, beta); return FINF_OK;
    case NOISE_FIR: copy_padded(noise, n, beta); return FINF_OK;
    case NOISE_STRATEGY: return finf_series_inverse(noise->coef, noise->n, n, beta, why);
    case NOISE_BLT: blt_series(noise, n, beta); return FINF_OK;
    case NOISE_PRODUCT: product_series(noise, 1, n, beta); return FINF_OK;
    case NOISE_SPECTRUM: return spline_density_factor(noise->density, 1, n, beta, NULL, why);
    }
    return FINF_EUSAGE;
}

finf_status noise_coef_unchecked(const finf_noise *noise, size_t n, double *c, finf_reason *why)
{
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
    case NOISE_PRODUCT: product_series(noise, -1, n, c); return FINF_OK;
    case NOISE_SPECTRUM: return spline_density_factor(noise->density, -1, n, c, NULL, why);
    }
    return FINF_EUSAGE;
}

/* Both public functions: no empty list, and nothing that has overflowed. */
static finf_status checked(finf_status (*get)(const finf_noise *, size_t, double *, finf_reason *),
                           const char *what, const finf_noise *noise, size_t n, double *out,
                           finf_reason *why)
{
    if (n == 0) return finf_why(why, FINF_EDOM, "length 0: at least one coefficient");
    finf_status s = get(noise, n, out, why);
    for (size_t t = 0; t < n && !s; t++)
        if (!isfinite(out[t]))
            s = finf_why(why, FINF_EDOM,
                         "%s_t grows exponentially and overflows at t = %zu: ask for at most %zu",
                         what, t, t);
    for (size_t t = 0; t < n && s; t++) out[t] = NAN;
    return s;
}

finf_status finf_noise_beta(const finf_noise *noise, size_t n, double *beta, finf_reason *why)
{
    return checked(beta_unchecked, "beta", noise, n, beta, why);
}

finf_status finf_noise_coef(const finf_noise *noise, size_t n, double *c, finf_reason *why)
{
    return checked(noise_coef_unchecked, "c", noise, n, c, why);
}

/* ---- frequency response ---------------------------------------------------------------------- */

/* 1 - x e^{-iw} for 1 - x = a, cancelling nothing when a and w are small. */
static double complex factor_at(double a, double w)
{
    double s = sin(w / 2), c = cos(w / 2);
    return a * c * c + (2 - a) * s * s + I * (1 - a) * sin(w); /* cancels neither at 0 nor at pi */
}

static double complex polynomial_at(const finf_noise *noise, double w)
{
    if (noise->table) return response_table_at(noise->table, w);
    double complex z = cexp(-I * w), sum = 0;
    for (size_t t = noise->n; t-- > 0;) sum = sum * z + noise->coef[t];
    return sum;
}

/* z/(1 - th z) = (1-it)^2 / ((1-th) + (1+th) t^2 + 2i th t): cancels neither at 0 nor at pi,
 * whatever the sign of th. */
long double complex noise_blt_strategy_at(const finf_noise *noise, long double t, double *lost)
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

static double complex response(const finf_noise *noise, double w)
{
    switch (noise->kind) {
    case NOISE_POWER: {
        double complex f = factor_at(noise->nu, w);
        return noise->p == 0 ? 1 : pow(cabs(f), noise->p) * cexp(I * noise->p * carg(f));
    }
    case NOISE_FIR: return polynomial_at(noise, w);
    case NOISE_STRATEGY: return 1 / polynomial_at(noise, w);
    case NOISE_BLT: return (double complex)(1 / noise_blt_strategy_at(noise, tan(w / 2), NULL));
    case NOISE_PRODUCT: {
        double log_size = 0, phase = 0;
        for (size_t i = 0; i < noise->n; i++) {
            double complex f = factor_at(noise->coef[i], w);
            log_size += noise->coef[noise->n + i] * log(circle_gap(noise->coef[i], w)) / 2;
            phase += noise->coef[noise->n + i] * carg(f);
        }
        return exp(log_size) * cexp(I * phase);
    }
    case NOISE_SPECTRUM: {
        double size = sqrt(spline_density_at(noise->density, w)),
               phase = spline_density_phase(noise->density, w);
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

double noise_density_t(double t, void *ctx)
{
    const finf_noise *noise = ctx;
    if (noise->kind == NOISE_POWER) return pow(circle_gap_t(noise->nu, t), noise->p);
    if (noise->kind == NOISE_PRODUCT) {
        double sum = 0;
        for (size_t i = 0; i < noise->n; i++)
            sum += noise->coef[noise->n + i] * log(circle_gap_t(noise->coef[i], t));
        return exp(sum);
    }
    return finf_noise_density(noise, 2 * atan(t));
}

double finf_noise_density(const finf_noise *noise, double w)
{
    if (noise->kind == NOISE_POWER || noise->kind == NOISE_PRODUCT)
        return noise_density_t(tan(w / 2), (void *)(uintptr_t)noise);
    if (noise->kind == NOISE_SPECTRUM) return spline_density_at(noise->density, w);
    double complex B = response(noise, w);
    return creal(B) * creal(B) + cimag(B) * cimag(B);
}

double noise_density_rounding(const finf_noise *noise)
{
    double sum = 0;
    for (size_t i = 0; noise->kind == NOISE_PRODUCT && i < noise->n; i++)
        sum += 2 * fabs(noise->coef[noise->n + i] * log(fmin(noise->coef[i], 2 - noise->coef[i])));
    return sum * FINF_EPS;
}

double finf_noise_scale(const finf_noise *noise)
{
    switch (noise->kind) {
    case NOISE_POWER: return noise->p > 0 && noise->nu > 0 ? noise->nu : 1;
    case NOISE_FIR:
    case NOISE_STRATEGY: return fmin(1, 1 / (double)noise->n);
    case NOISE_BLT: {
        long double at_0 = cabsl(noise_blt_strategy_at(noise, 0, NULL));
        long double at_pi = cabsl(noise_blt_strategy_at(noise, 0x1p100L, NULL));
        double least = fmin(1, (double)fminl(at_0, at_pi));
        for (size_t i = 0; i < noise->n; i++) least = fmin(least, fabs(1 - fabs(noise->coef[i])));
        return fmax(least, 1e-15);
    }
    case NOISE_PRODUCT: {
        double least = 1;
        for (size_t i = 0; i < noise->n; i++)
            least = fmin(least, fmin(noise->coef[i], 2 - noise->coef[i]));
        return least;
    }
    case NOISE_SPECTRUM: return spline_density_scale(noise->density);
    }
    return 1;
}

/* ---- spelling -------------------------------------------------------------------------------- */

typedef struct {
    char *out;
    size_t size, at;
} writer;

static void put(writer *w, const char *text)
{
    for (; *text; text++, w->at++)
        if (w->at + 1 < w->size) w->out[w->at] = *text;
}

static void put_list(writer *w, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i) put(w, ",");
        put(w, finf_show(x[i]).s);
    }
}

finf_status finf_noise_spell(const finf_noise *noise, char *out, size_t size)
{
    writer w = {out, size, 0};
    const double *x = noise->coef;
    int pairs = noise->kind == NOISE_BLT || noise->kind == NOISE_PRODUCT;
    int white = pairs && noise->n == 0; /* every term has cancelled, and a list must not be empty */
    if (noise->kind == NOISE_SPECTRUM || size == 0) return FINF_EDOM;
    put(&w, white                                          ? "sgd"
            : noise->kind == NOISE_FIR                     ? "beta"
            : noise->kind == NOISE_POWER && noise->nu == 0 ? "cc"
                                                           : noise->family);
    if (noise->kind == NOISE_POWER && noise->nu > 0 && strcmp(noise->family, "sgd") != 0) {
        put(&w, ":");
        if (strcmp(noise->family, "power") == 0) {
            put_list(&w, &noise->p, 1);
            put(&w, ",");
        }
        put_list(&w, &noise->nu, 1);
    } else if (noise->kind != NOISE_POWER && !white) {
        put(&w, ":");
        put_list(&w, x, noise->n);
        if (pairs) {
            put(&w, ";");
            put_list(&w, x + noise->n, noise->n);
        }
    }
    out[w.at < size ? w.at : size - 1] = '\0';
    return w.at < size ? FINF_OK : FINF_EDOM;
}
