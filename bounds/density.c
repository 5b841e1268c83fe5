/* Noise given by |B|^2 on a grid of frequencies: what the optimiser returns and `spectrum@` reads.
 *
 * log |B|^2 is interpolated by a cubic spline that is even about 0 and pi (a periodic spline through the mirrored
 * knots); B is its minimum-phase factor. The spline is only piecewise smooth, so integrals go knot by knot. The
 * error is the change when every other knot is left out. */
#include "bounds.h"

#include <fftw3.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_spline.h>
#include <stdlib.h>
#include <string.h>

#define GAUSS 12
#define HALVINGS 26 /* panels that shrink towards 0 and pi; below 2^-26 of an end interval |B|^2 is its end value */
#define FACTOR_LIMIT ((size_t)1 << 24)

struct spline_density {
    gsl_spline *fine, *coarse;
    size_t nodes, room;
    double *w, *weight, *log_fine, *log_coarse; /* quadrature nodes on (0, pi); weights sum to 1 */
    double *sine, *cosine;                      /* of w/2 */
    double scale;
    double end_0, end_pi; /* no nodes in [0, end_0] and [pi - end_pi, pi]: there the kernel is integrated in closed form */
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
    double *x = malloc(2 * m * sizeof *x), *y = x ? x + m : NULL;
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

/* Gauss-Legendre on [a, b], cut until no panel is longer than its distance to 0 and to pi: the kernels that |B|^2 is
 * integrated against may peak there, at any scale. */
static void add_panel(spline_density *d, const gsl_integration_glfixed_table *gl, double a, double b)
{
    double cut = a > 0 && b > 2.5 * a                               ? 2 * a
                 : b < FINF_PI && FINF_PI - a > 2.5 * (FINF_PI - b) ? FINF_PI - 2 * (FINF_PI - b)
                                                                    : 0;
    if (cut > a && cut < b) {
        add_panel(d, gl, a, cut);
        add_panel(d, gl, cut, b);
        return;
    }
    if (d->nodes + GAUSS > d->room) return; /* cannot be: make_nodes counts on the worst */
    for (size_t i = 0; i < GAUSS; i++) {
        double x, weight;
        gsl_integration_glfixed_point(a, b, i, &x, &weight, gl);
        d->w[d->nodes] = x;
        d->weight[d->nodes] = weight / FINF_PI;
        d->sine[d->nodes] = sin(x / 2), d->cosine[d->nodes] = cos(x / 2);
        d->log_fine[d->nodes] = gsl_spline_eval(d->fine, x, NULL);
        d->log_coarse[d->nodes++] = gsl_spline_eval(d->coarse, x, NULL);
    }
}

static finf_status make_nodes(spline_density *d, const double *w, size_t n)
{
    size_t cuts = 2; /* an interval is cut about log2(hi/lo) times, so all of them as often as (0, pi) in octaves */
    cuts += (size_t)log2(FINF_PI / (w[0] > 0 ? w[0] : w[1])) + (size_t)log2(FINF_PI / fmax(FINF_PI - w[n - 2], 1e-16));
    size_t most = (n + 1 + 2 * HALVINGS + 2 * cuts) * GAUSS;
    gsl_integration_glfixed_table *gl = gsl_integration_glfixed_table_alloc(GAUSS);
    d->w = malloc(6 * most * sizeof *d->w);
    if (!gl || !d->w) {
        if (gl) gsl_integration_glfixed_table_free(gl);
        return FINF_ENOMEM;
    }
    d->room = most;
    d->weight = d->w + most;
    d->log_fine = d->weight + most;
    d->log_coarse = d->log_fine + most;
    d->sine = d->log_coarse + most;
    d->cosine = d->sine + most;
    size_t first = w[0] == 0, last = w[n - 1] == FINF_PI ? n - 2 : n - 1;
    double lo = w[first], hi = w[last];
    d->end_0 = ldexp(lo, -HALVINGS);
    d->end_pi = ldexp(FINF_PI - hi, -HALVINGS);
    for (int k = 0; k < HALVINGS; k++) add_panel(d, gl, ldexp(lo, -k - 1), ldexp(lo, -k));
    for (size_t i = first; i < last; i++) add_panel(d, gl, w[i], w[i + 1]);
    for (int k = 0; k < HALVINGS; k++)
        add_panel(d, gl, FINF_PI - ldexp(FINF_PI - hi, -k), FINF_PI - ldexp(FINF_PI - hi, -k - 1));
    gsl_integration_glfixed_table_free(gl);
    return FINF_OK;
}

finf_status spline_density_make(const double *w, const double *s, size_t n, spline_density **out, finf_reason *why)
{
    *out = NULL;
    if (n < 5) return finf_why(why, FINF_EDOM, "a spectrum of %zu points: at least 5 are needed", n);
    double *x = malloc(4 * n * sizeof *x), *y = x ? x + n : NULL, *half = x ? x + 2 * n : NULL;
    spline_density *d = calloc(1, sizeof *d);
    finf_status status = x && d ? FINF_OK : finf_why(why, FINF_ENOMEM, "no memory for a spectrum of %zu points", n);
    for (size_t i = 0; i < n && !status; i++) {
        x[i] = w ? w[i] : FINF_PI * (double)i / (double)(n - 1);
        if (fabs(x[i] - FINF_PI) < 1e-9) x[i] = FINF_PI; /* pi as printed */
        if (!(x[i] >= 0 && x[i] <= FINF_PI))
            status = finf_why(why, FINF_EDOM, "frequency %s at point %zu: must be in [0, pi]", finf_show(x[i]).s, i);
        else if (i && !(x[i] > x[i - 1]))
            status = finf_why(why, FINF_EDOM, "frequency %s at point %zu does not increase", finf_show(x[i]).s, i);
        else if (!(s[i] >= BOUNDS_TINY && s[i] <= BOUNDS_HUGE))
            status = finf_why(why, FINF_EDOM, "|B|^2 = %s at point %zu: must be positive and finite, from 1e-50 to 1e50",
                              finf_show(s[i]).s, i);
        else
            y[i] = log(s[i]);
    }
    if (!status && (x[0] > 0.1 || x[n - 1] < 0.9 * FINF_PI))
        status = finf_why(why, FINF_EDOM, "frequencies from %s to %s: the grid must reach from near 0 to near pi",
                          finf_show(x[0]).s, finf_show(x[n - 1]).s);
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

/* log |B(w)|^2 at any w, folded onto [0, pi]: GSL aborts outside its knots. */
static double log_at(const gsl_spline *spline, double w)
{
    return gsl_spline_eval(spline, fmin(fabs(remainder(w, 2 * FINF_PI)), FINF_PI), NULL);
}

double spline_density_at(const spline_density *d, double w) { return exp(log_at(d->fine, w)); }

double spline_density_scale(const spline_density *d) { return d->scale; }

/* (1/pi) int_0^pi |B|^(2 sign) K dw for K = b(2-b)/|1-b-e^{iw}|^2 (mean 1), or K = 1 when b = 1. The kernel's mass in
 * [0, x] is (2/pi) atan((2-b)/b tan(x/2)). */
static double integral(const spline_density *d, const gsl_spline *spline, const double *log_s, int sign, double b)
{
    double at_0 = exp(sign * log_at(spline, 0)), at_pi = exp(sign * log_at(spline, FINF_PI)), be = b / (2 - b), sum = 0;
    for (size_t i = 0; i < d->nodes; i++)
        sum += d->weight[i] * exp(sign * log_s[i]) * (b * (2 - b)) / circle_gap(b, d->w[i]);
    return sum + 2 / FINF_PI * (at_0 * atan(tan(d->end_0 / 2) / be) + at_pi * atan(tan(d->end_pi / 2) * be));
}

static finf_real with_error(const spline_density *d, int sign, double b)
{
    double fine = integral(d, d->fine, d->log_fine, sign, b), coarse = integral(d, d->coarse, d->log_coarse, sign, b);
    double rounding = 64 + 4 / (2 - b); /* w near pi is known to eps only */
    return finf_real_make(fine, fabs(fine - coarse) + rounding * FINF_EPS * fabs(fine), "spline, Gauss-Legendre");
}

finf_real spline_density_gamma2(const spline_density *d) { return with_error(d, -1, 1); }
finf_real spline_density_energy(const spline_density *d, double b) { return with_error(d, 1, b); }

/* arg B(w) = -(sin w / 2pi) int_0^pi (L(v) - L(w)) / (cos v - cos w) dv,  L = log|B|^2 (Hilbert transform, the
 * singularity subtracted). */
FINF_VECTOR static double hilbert(const spline_density *d, double w, double L)
{
    double sine = sin(w / 2), cosine = cos(w / 2), sum[4] = {0};
    for (size_t i = 0; i < d->nodes; i += 4) /* GAUSS is a multiple of 4 */
        for (size_t k = 0; k < 4; k++) {     /* four sums side by side: this is where a spectrum's bound spends its time */
            double x = sine * d->cosine[i + k], y = cosine * d->sine[i + k],
                   gap = 2 * (x + y) * (x - y); /* cos v - cos w */
            sum[k] += gap != 0 ? d->weight[i + k] * (d->log_fine[i + k] - L) / gap : 0;
        }
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

double spline_density_phase(const spline_density *d, double w) { return -sin(w) / 2 * hilbert(d, w, log_at(d->fine, w)); }

/* Cepstral factorisation on N points: log|B|^2 -> its causal part -> exp -> coefficients. */
static finf_status factor(const spline_density *d, int sign, size_t N, size_t n, double *out)
{
    double complex *X = fftw_alloc_complex(N / 2 + 1);
    double *x = fftw_alloc_real(N);
    finf_status s = X && x ? FINF_OK : FINF_ENOMEM;
    if (!s) {
        for (size_t j = 0; j <= N / 2; j++)
            X[j] = sign * gsl_spline_eval(d->fine, 2 * FINF_PI * (double)j / (double)N, NULL);
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
    if (8 * n > FACTOR_LIMIT)
        return finf_why(why, FINF_EDOM, "%zu coefficients of a given spectrum: at most %zu", n, FACTOR_LIMIT / 8);
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
    if (!(change <= 1e-10))
        return finf_why(why, FINF_ETOL, "spectral factorisation: coefficients settled only to %.1g", change);
    return FINF_OK;
}
