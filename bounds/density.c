/* Noise given by |B|^2 on a grid of frequencies: what the optimiser returns and `spectrum@` reads.
 *
 * log |B|^2 is interpolated by a cubic spline that is even about 0 and pi (a periodic spline through the mirrored
 * knots); B is its minimum-phase factor. The spline is only piecewise smooth, so integrals go knot by knot. The
 * error comes from the same integral with every other knot left out (fourth order: a fifteenth of the change). */
#include "bounds.h"

#include <fftw3.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_spline.h>
#include <stdlib.h>
#include <string.h>

#define GAUSS 8
#define HALVINGS 44 /* panels that shrink towards 0 and pi: 2^-44 of the end intervals */
#define FACTOR_LIMIT ((size_t)1 << 24)

struct spline_density {
    gsl_spline *fine, *coarse;
    size_t nodes;
    double *w, *weight, *log_fine, *log_coarse; /* quadrature nodes on (0, pi); weights sum to 1 */
    double scale;
};

void spline_density_free(spline_density *d)
{
    if (!d) return;
    gsl_spline_free(d->fine);
    gsl_spline_free(d->coarse);
    free(d->w);
    free(d);
}

/* The periodic spline of log s through the mirrored knots. */
static gsl_spline *mirrored(const double *w, const double *log_s, size_t n)
{
    int zero = w[0] == 0, end = w[n - 1] == FINF_PI;
    size_t m = 2 * n - (size_t)zero + (size_t)!end;
    double *x = malloc(2 * m * sizeof *x), *y = x + m;
    gsl_spline *spline = x ? gsl_spline_alloc(gsl_interp_cspline_periodic, m) : NULL;
    if (spline) {
        size_t k = 0;
        for (size_t i = n; i-- > (size_t)zero;) x[k] = -w[i], y[k++] = log_s[i];
        for (size_t i = 0; i < n; i++) x[k] = w[i], y[k++] = log_s[i];
        if (!end) x[k] = 2 * FINF_PI - w[n - 1], y[k] = log_s[n - 1];
        gsl_spline_init(spline, x, y, m);
    }
    free(x);
    return spline;
}

static void add_panel(spline_density *d, const gsl_integration_glfixed_table *gl, double a, double b)
{
    for (size_t i = 0; i < GAUSS; i++) {
        double x, weight;
        gsl_integration_glfixed_point(a, b, i, &x, &weight, gl);
        d->w[d->nodes] = x;
        d->weight[d->nodes] = weight / FINF_PI;
        d->log_fine[d->nodes] = gsl_spline_eval(d->fine, x, NULL);
        d->log_coarse[d->nodes++] = gsl_spline_eval(d->coarse, x, NULL);
    }
}

static finf_status make_nodes(spline_density *d, const double *w, size_t n)
{
    size_t most = (n + 1 + 2 * HALVINGS) * GAUSS;
    gsl_integration_glfixed_table *gl = gsl_integration_glfixed_table_alloc(GAUSS);
    d->w = malloc(4 * most * sizeof *d->w);
    if (!gl || !d->w) {
        if (gl) gsl_integration_glfixed_table_free(gl);
        return FINF_ENOMEM;
    }
    d->weight = d->w + most;
    d->log_fine = d->weight + most;
    d->log_coarse = d->log_fine + most;
    size_t first = w[0] == 0, last = w[n - 1] == FINF_PI ? n - 2 : n - 1;
    double lo = w[first], hi = w[last];
    for (int k = 0; k < HALVINGS; k++) add_panel(d, gl, k + 1 < HALVINGS ? ldexp(lo, -k - 1) : 0, ldexp(lo, -k));
    for (size_t i = first; i < last; i++) add_panel(d, gl, w[i], w[i + 1]);
    for (int k = 0; k < HALVINGS; k++)
        add_panel(d, gl, FINF_PI - ldexp(FINF_PI - hi, -k), k + 1 < HALVINGS ? FINF_PI - ldexp(FINF_PI - hi, -k - 1) : FINF_PI);
    gsl_integration_glfixed_table_free(gl);
    return FINF_OK;
}

finf_status spline_density_make(const double *w, const double *s, size_t n, spline_density **out, finf_reason *why)
{
    *out = NULL;
    if (n < 5) return finf_why(why, FINF_EDOM, "a spectrum of %zu points: at least 5 are needed", n);
    double *x = malloc(4 * n * sizeof *x), *y = x + n, *half = y + n;
    spline_density *d = calloc(1, sizeof *d);
    finf_status status = x && d ? FINF_OK : finf_why(why, FINF_ENOMEM, "no memory for a spectrum of %zu points", n);
    for (size_t i = 0; i < n && !status; i++) {
        x[i] = w ? w[i] : FINF_PI * (double)i / (double)(n - 1);
        if (fabs(x[i] - FINF_PI) < 1e-9) x[i] = FINF_PI; /* pi as printed */
        if (!(x[i] >= 0 && x[i] <= FINF_PI))
            status = finf_why(why, FINF_EDOM, "frequency %g at point %zu: must be in [0, pi]", x[i], i);
        else if (i && !(x[i] > x[i - 1]))
            status = finf_why(why, FINF_EDOM, "frequency %g at point %zu does not increase", x[i], i);
        else if (!(s[i] > 0 && isfinite(s[i])))
            status = finf_why(why, FINF_EDOM, "|B|^2 = %g at point %zu: must be positive and finite", s[i], i);
        else
            y[i] = log(s[i]);
    }
    if (!status) {
        size_t m = 0; /* every other knot, and both ends */
        for (size_t i = 0; i < n; i++)
            if (i % 2 == 0 || i == n - 1) half[m++] = x[i];
        double *half_y = half + m;
        m = 0;
        for (size_t i = 0; i < n; i++)
            if (i % 2 == 0 || i == n - 1) half_y[m++] = y[i];
        d->fine = mirrored(x, y, n);
        d->coarse = mirrored(half, half_y, m);
        d->scale = x[0] > 0 ? x[0] : x[1];
        status = d->fine && d->coarse ? make_nodes(d, x, n) : FINF_ENOMEM;
        if (status) finf_why(why, status, "no memory for a spectrum of %zu points", n);
    }
    free(x);
    if (status)
        spline_density_free(d);
    else
        *out = d;
    return status;
}

double spline_density_at(const spline_density *d, double w) { return exp(gsl_spline_eval(d->fine, w, NULL)); }

double spline_density_scale(const spline_density *d) { return d->scale; }

finf_real spline_density_mean(const spline_density *d, density_fn f, void *ctx)
{
    double fine = 0, coarse = 0;
    for (size_t i = 0; i < d->nodes; i++) {
        fine += d->weight[i] * f(d->w[i], exp(d->log_fine[i]), ctx);
        coarse += d->weight[i] * f(d->w[i], exp(d->log_coarse[i]), ctx);
    }
    return finf_real_make(fine, fabs(fine - coarse) / 8 + 64 * FINF_EPS * fabs(fine), "spline, Gauss-Legendre");
}

/* arg B(w) = -(sin w / 2pi) int_0^pi (L(v) - L(w)) / (cos v - cos w) dv,  L = log|B|^2 (Hilbert transform, the
 * singularity subtracted). */
double spline_density_phase(const spline_density *d, double w)
{
    double L = gsl_spline_eval(d->fine, w, NULL), sum = 0;
    for (size_t i = 0; i < d->nodes; i++) {
        double v = d->w[i], gap = 2 * sin((w + v) / 2) * sin((w - v) / 2); /* cos v - cos w */
        if (gap != 0) sum += d->weight[i] * (d->log_fine[i] - L) / gap;
    }
    return -sin(w) / 2 * sum;
}

/* Cepstral factorisation on N points: log|B|^2 -> its causal part -> exp -> coefficients. */
static finf_status factor(const spline_density *d, int sign, size_t N, size_t n, double *out)
{
    double complex *X = fftw_alloc_complex(N / 2 + 1);
    double *x = fftw_alloc_real(N);
    finf_status s = X && x ? FINF_OK : FINF_ENOMEM;
    if (!s) {
        for (size_t j = 0; j <= N / 2; j++) X[j] = sign * gsl_spline_eval(d->fine, 2 * FINF_PI * (double)j / (double)N, NULL);
        s = series_untransform(X, N, x);
    }
    if (!s) {
        x[0] /= 2;
        x[N / 2] /= 2;
        memset(x + N / 2 + 1, 0, (N / 2 - 1) * sizeof *x);
        s = series_transform(x, N, N, X);
    }
    if (!s) {
        for (size_t j = 0; j <= N / 2; j++) X[j] = cexp(X[j]);
        s = series_untransform(X, N, x);
    }
    if (!s) memcpy(out, x, n * sizeof *x);
    fftw_free(X);
    fftw_free(x);
    return s;
}

/* N is doubled until the coefficients have settled to 1e-10 of the first. */
finf_status spline_density_factor(const spline_density *d, int sign, size_t n, double *out, finf_reason *why)
{
    size_t N = 8192;
    while (N < 4 * n) N *= 2;
    double *before = malloc(n * sizeof *before), change = INFINITY;
    finf_status s = before ? factor(d, sign, N, n, before) : FINF_ENOMEM;
    while (!s && change > 1e-10 && 2 * N <= FACTOR_LIMIT) {
        N *= 2;
        s = factor(d, sign, N, n, out);
        change = 0;
        for (size_t t = 0; t < n; t++) change = fmax(change, fabs(out[t] - before[t]) / fabs(out[0]));
        memcpy(before, out, n * sizeof *out);
    }
    free(before);
    if (s) return finf_why(why, s, "no memory for %zu coefficients", n);
    if (!(change <= 1e-10)) return finf_why(why, FINF_ETOL, "spectral factorisation: coefficients settled only to %.1g", change);
    return FINF_OK;
}
