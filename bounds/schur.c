/* Has A(z) a zero in |z| <= 1, and what is (1/2pi) int dw/|A|^2?                                MATH section 2
 *
 * Step-down (Schur-Cohn): k_n = a_n, a <- (a - k_n reverse(a)) / (1 - k_n^2). No zero in the closed disk iff every
 * |k_i| < 1, and then the integral is 1 / (a_0^2 prod (1-k_i^2)). O(n^2), exact to rounding; done in two precisions,
 * whose difference is the error of the lower one. Long polynomials go by FFT and the argument principle instead. */
#include "bounds.h"

#include <fftw3.h>
#include <gsl/gsl_poly.h>
#include <stdlib.h>
#include <string.h>

#define QUAD_MAX 256          /* degree up to which quadruple precision costs nothing one would notice */
#define STEP_DOWN_MAX 4096    /* degree up to which O(n^2) is instant */
#define STEP_DOWN_LIMIT 65536 /* and up to which it is still worth the wait when the FFT cannot decide */
#define FFT_LIMIT ((size_t)1 << 24)

/* Returns 1/prod(1-k^2) for a_0 = 1, or INFINITY at the first |k| >= 1. `edge` is how close to 1 counts as 1. */
#define STEP_DOWN(name, real)                                                                                              \
    static real name(real *a, size_t n, real edge, schur_real *k)                                                          \
    {                                                                                                                      \
        real product = 1;                                                                                                  \
        for (size_t m = n; m >= 1; m--) {                                                                                  \
            real r = a[m], d = (1 - r) * (1 + r);                                                                          \
            if (k) k[m - 1] = r;                                                                                           \
            if (!(d > edge)) return INFINITY;                                                                              \
            product *= d;                                                                                                  \
            for (size_t i = 1, j = m - 1; i <= j; i++, j--) {                                                              \
                real x = a[i], y = a[j];                                                                                   \
                a[i] = (x - r * y) / d;                                                                                    \
                a[j] = (y - r * x) / d;                                                                                    \
            }                                                                                                              \
        }                                                                                                                  \
        return 1 / product;                                                                                                \
    }
STEP_DOWN(step_down_double, double)
STEP_DOWN(step_down_long, long double)
STEP_DOWN(step_down_quad, schur_real)

/* Names the zero nearest the origin where the polynomial is short enough to solve. */
static void say_zero(const double *a, size_t n, finf_reason *why)
{
    double least = INFINITY, largest = 0;
    for (size_t i = 0; i <= n; i++) {
        if (a[i] != 0) least = fmin(least, fabs(a[i]));
        largest = fmax(largest, fabs(a[i]));
    }
    /* GSL's solver balances a companion matrix, and does not return when its entries span too much */
    double *z = n <= 64 && largest < 1e20 * least ? malloc(2 * n * sizeof *z) : NULL;
    gsl_poly_complex_workspace *w = z ? gsl_poly_complex_workspace_alloc(n + 1) : NULL;
    if (w && gsl_poly_complex_solve(a, n + 1, w, z) == 0) {
        size_t best = 0, inside = 0;
        for (size_t i = 0; i < n; i++) {
            inside += hypot(z[2 * i], z[2 * i + 1]) <= 1;
            if (hypot(z[2 * i], z[2 * i + 1]) < hypot(z[2 * best], z[2 * best + 1])) best = i;
        }
        double re = z[2 * best], im = fabs(z[2 * best + 1]);
        if (inside == 0)
            finf_why(why, FINF_OK, "a zero on |z| = 1, as far as coefficients in double precision can tell");
        else if (im > 1e-12)
            finf_why(why, FINF_OK, "%zu zero%s in |z| <= 1, nearest z = %.6g +- %.6gi (|z| = %.6g)", inside,
                     inside == 1 ? "" : "s", re, im, hypot(re, im));
        else
            finf_why(why, FINF_OK, "%zu zero%s in |z| <= 1, nearest z = %.6g", inside, inside == 1 ? "" : "s", re);
    } else
        finf_why(why, FINF_OK, "a zero in |z| <= 1");
    gsl_poly_complex_workspace_free(w);
    free(z);
}

/* The integral for a_0 = 1 and its relative error, from the best two precisions the degree allows. */
static finf_status two_precisions(const double *a, size_t n, double edge, schur_real *k, double *value, double *relerr)
{
    int small = n <= QUAD_MAX;
    void *x = malloc((n + 1) * sizeof(schur_real)), *y = malloc((n + 1) * sizeof(long double));
    if (x && y) {
        schur_real *q = x;
        long double *l = y;
        double *d = x;
        if (small) {
            for (size_t i = 0; i <= n; i++) q[i] = (schur_real)a[i] / a[0], l[i] = (long double)q[i];
            schur_real fine = step_down_quad(q, n, edge, k);
            long double coarse = step_down_long(l, n, 0, NULL);
            *value = (double)fine;
            *relerr = isfinite(*value) && isfinite(coarse) ? fabs((double)(coarse / (long double)fine - 1)) / 1024 : 1;
        } else {
            for (size_t i = 0; i <= n; i++) l[i] = (long double)a[i] / a[0], d[i] = (double)l[i];
            *value = (double)step_down_long(l, n, edge, k);
            double coarse = step_down_double(d, n, 0, NULL);
            *relerr = isfinite(coarse) ? fabs(coarse / *value - 1) / 128 : 1; /* 2^-11 apart; 16 in hand */
        }
    }
    finf_status s = x && y ? FINF_OK : FINF_ENOMEM;
    free(x);
    free(y);
    return s;
}

static finf_status by_step_down(const double *a, size_t n, schur_result *out)
{
    /* a zero this close to the circle cannot be told from one on it: the coefficients are doubles */
    double edge = 8 * FINF_EPS * sqrt((double)n + 1), product = NAN, relerr = NAN;
    out->k = malloc((n + 1) * sizeof *out->k);
    finf_status s = out->k ? two_precisions(a, n, edge, out->k, &product, &relerr) : FINF_ENOMEM;
    if (s) return s;
    double value = product / a[0] / a[0];
    out->minimum_phase = isfinite(product);
    if (out->minimum_phase)
        out->inverse2 = finf_real_make(value, value * (relerr + 4 * FINF_EPS), "step-down recursion");
    else {
        out->inverse2 = finf_real_infinite("step-down recursion");
        say_zero(a, n, &out->reason);
    }
    return FINF_OK;
}

/* Counts crossings of the negative real axis: no arc tangents. */
long schur_half_turns(const double complex *A, size_t n, int *fine)
{
    long crossings = 0;
    *fine = 1;
    for (size_t j = 1; j <= n; j++) {
        double x0 = creal(A[j - 1]), y0 = cimag(A[j - 1]), x1 = creal(A[j]), y1 = j < n ? cimag(A[j]) : 0;
        if (j == 1) y0 = 0;
        if (!(x0 * x1 + y0 * y1 > 0)) *fine = 0;
        if ((x0 < 0 || x1 < 0) && (y0 >= 0) != (y1 >= 0)) crossings += y0 >= 0 ? 1 : -1;
    }
    /* angles in (-pi, pi], with y = 0 counted as above the axis */
    return 2 * crossings + (creal(A[n]) < 0) - (creal(A[0]) < 0);
}

/* Trapezoid mean of 1/|A|^2 and the winding number of A, on N points, N doubled until both have settled.
 * FINF_ETOL: a zero too close to the circle for N = 2^24. */
static finf_status by_fft(const double *a, size_t n, schur_result *out)
{
    double previous = NAN;
    size_t N = 2;
    while (N < 4 * (n + 1)) N *= 2;
    for (; N <= FFT_LIMIT; N *= 2) {
        double complex *A = fftw_alloc_complex(N / 2 + 1);
        finf_status s = A ? series_transform(a, n + 1, N, A) : FINF_ENOMEM;
        double sum = 0, least = INFINITY, largest = 0;
        int fine = 1;
        long zeros = 0;
        if (!s) {
            for (size_t j = 0; j <= N / 2; j++) {
                double x = creal(A[j]), y = cimag(A[j]), size2 = x * x + y * y;
                sum += (j == 0 || j == N / 2 ? 1 : 2) / size2;
                least = fmin(least, size2);
                largest = fmax(largest, size2);
            }
            zeros = labs(schur_half_turns(A, N / 2, &fine));
        }
        fftw_free(A);
        if (s) return s;
        double value = sum / (double)N, change = fabs(value - previous) / value;
        if (isfinite(value) && change < 1e-7 && fine) {
            out->minimum_phase = zeros == 0;
            if (zeros) {
                out->inverse2 = finf_real_infinite("argument principle");
                finf_why(&out->reason, FINF_OK, "%ld zero%s in |z| <= 1 (argument principle)", zeros,
                         zeros == 1 ? "" : "s");
            } else /* doubling N squares the error; the FFT's is relative to the largest |A|, the integral's to the least */
                out->inverse2 = finf_real_make(value, value * (change * change + 32 * FINF_EPS * sqrt(largest / least)),
                                               "trapezoid rule (FFT)");
            return FINF_OK;
        }
        previous = value;
    }
    return FINF_ETOL;
}

finf_status schur_test(const double *a, size_t length, schur_result *out)
{
    size_t n = length - 1;
    *out = (schur_result){.n = n, .inverse2 = finf_real_failed()};
    if (n == 0) {
        out->minimum_phase = 1;
        out->inverse2 = finf_real_make(1 / (a[0] * a[0]), 4 * FINF_EPS / (a[0] * a[0]), "closed form");
        out->k = calloc(1, sizeof *out->k);
        return out->k ? FINF_OK : FINF_ENOMEM;
    }
    if (n <= STEP_DOWN_MAX) return by_step_down(a, n, out);
    finf_status s = by_fft(a, n, out);
    return s == FINF_ETOL && n <= STEP_DOWN_LIMIT ? by_step_down(a, n, out) : s;
}

void schur_free(schur_result *r)
{
    free(r->k);
    r->k = NULL;
}

/* Schur's algorithm: F(q) = r_0 (1 + q f_0)/(1 - q f_0), f_j = (-k_{j+1} + q f_{j+1}) / (1 - k_{j+1} q f_{j+1}),
 * f_n = 0. Every |f_j| < 1, so it is stable; O(n) a point. In extended precision because 1 + q f_0 and b may be small. */
#define SCHUR_AT(name, real)                                                                                               \
    static double name(const schur_result *r, double b)                                                                    \
    {                                                                                                                      \
        real f = 0, q = 1 - (real)b;                                                                                       \
        for (size_t j = r->n; j-- > 0;) {                                                                                  \
            real k = (real)r->k[j];                                                                                        \
            f = (q * f - k) / (1 - k * q * f);                                                                             \
        }                                                                                                                  \
        return (double)(r->inverse2.value * (1 + q * f) / (1 - q * f));                                                    \
    }
SCHUR_AT(energy_long, long double)
SCHUR_AT(energy_quad, schur_real)

double schur_energy(const schur_result *r, double b) { return r->n <= QUAD_MAX ? energy_quad(r, b) : energy_long(r, b); }
