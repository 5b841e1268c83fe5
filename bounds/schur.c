/* Has A(z) a zero in |z| <= 1, and what is (1/2pi) int dw/|A|^2?                                MATH section 2
 *
 * Step-down (Schur-Cohn): k_n = a_n, a <- (a - k_n reverse(a)) / (1 - k_n^2). No zero in the closed disk iff every
 * |k_i| < 1, and then the integral is 1 / (a_0^2 prod (1-k_i^2)). O(n^2), exact to rounding; done in long double
 * and in double, whose difference is the error. Long polynomials go by FFT and the argument principle instead. */
#include "bounds.h"

#include <fftw3.h>
#include <gsl/gsl_poly.h>
#include <stdlib.h>
#include <string.h>

#define STEP_DOWN_MAX 4096    /* degree up to which O(n^2) is instant */
#define STEP_DOWN_LIMIT 65536 /* and up to which it is still worth the wait when the FFT cannot decide */
#define FFT_LIMIT ((size_t)1 << 24)

/* Returns 1/prod(1-k^2) for a_0 = 1, or INFINITY at the first |k| >= 1. `edge` is how close to 1 counts as 1. */
#define STEP_DOWN(name, real)                                                                                 \
    static real name(real *a, size_t n, real edge, long double *k)                                            \
    {                                                                                                         \
        real product = 1;                                                                                     \
        for (size_t m = n; m >= 1; m--) {                                                                     \
            real r = a[m], d = (1 - r) * (1 + r);                                                             \
            if (k) k[m - 1] = r;                                                                              \
            if (!(d > edge)) return INFINITY;                                                                 \
            product *= d;                                                                                     \
            for (size_t i = 1, j = m - 1; i <= j; i++, j--) {                                                 \
                real x = a[i], y = a[j];                                                                      \
                a[i] = (x - r * y) / d;                                                                       \
                a[j] = (y - r * x) / d;                                                                       \
            }                                                                                                 \
        }                                                                                                     \
        return 1 / product;                                                                                   \
    }
STEP_DOWN(step_down_double, double)
STEP_DOWN(step_down_long, long double)

/* Names the zero nearest the origin where the polynomial is short enough to solve. */
static void say_zero(const double *a, size_t n, finf_reason *why)
{
    double *z = n <= 64 ? malloc(2 * n * sizeof *z) : NULL;
    gsl_poly_complex_workspace *w = z ? gsl_poly_complex_workspace_alloc(n + 1) : NULL;
    if (w && gsl_poly_complex_solve(a, n + 1, w, z) == 0) {
        size_t best = 0, inside = 0;
        for (size_t i = 0; i < n; i++) {
            inside += hypot(z[2 * i], z[2 * i + 1]) < 1 + 1e-9;
            if (hypot(z[2 * i], z[2 * i + 1]) < hypot(z[2 * best], z[2 * best + 1])) best = i;
        }
        double re = z[2 * best], im = fabs(z[2 * best + 1]);
        if (im > 1e-12)
            finf_why(why, FINF_OK, "%zu zero%s in |z| <= 1, nearest z = %.6g +- %.6gi (|z| = %.6g)", inside,
                     inside == 1 ? "" : "s", re, im, hypot(re, im));
        else
            finf_why(why, FINF_OK, "%zu zero%s in |z| <= 1, nearest z = %.6g", inside, inside == 1 ? "" : "s", re);
    } else
        finf_why(why, FINF_OK, "a zero in |z| <= 1");
    gsl_poly_complex_workspace_free(w);
    free(z);
}

static finf_status by_step_down(const double *a, size_t n, schur_result *out)
{
    double *x = malloc((n + 1) * sizeof *x);
    long double *y = malloc((n + 1) * sizeof *y);
    out->k = malloc((n + 1) * sizeof *out->k);
    finf_status s = x && y && out->k ? FINF_OK : FINF_ENOMEM;
    if (!s) {
        for (size_t i = 0; i <= n; i++) y[i] = (long double)a[i] / a[0], x[i] = (double)y[i];
        /* a zero this close to the circle cannot be told from one on it: the coefficients are doubles */
        double edge = 8 * FINF_EPS * sqrt((double)n + 1);
        long double fine = step_down_long(y, n, edge, out->k);
        double coarse = step_down_double(x, n, 0, NULL), value = (double)(fine / ((long double)a[0] * a[0]));
        out->minimum_phase = isfinite(fine) && isfinite(value);
        if (out->minimum_phase) {
            /* the rounding of the long double run is 2^-11 of the double run's; keep a factor 16 in hand */
            double gap = isfinite(coarse) ? fabs(coarse - (double)fine) / (double)fine : 1;
            out->inverse2 = finf_real_make(value, value * (gap / 128 + 4 * FINF_EPS), "step-down recursion");
        } else {
            out->inverse2 = finf_real_infinite("step-down recursion");
            say_zero(a, n, &out->reason);
        }
    }
    free(x);
    free(y);
    return s;
}

/* Trapezoid mean of 1/|A|^2 and the winding number of A, on N points, N doubled until both have settled.
 * FINF_ETOL: a zero too close to the circle for N = 2^24. */
static finf_status by_fft(const double *a, size_t n, schur_result *out)
{
    double previous = NAN;
    size_t N = 2;
    while (N < 8 * (n + 1)) N *= 2;
    for (; N <= FFT_LIMIT; N *= 2) {
        double complex *A = fftw_alloc_complex(N / 2 + 1);
        finf_status s = A ? series_transform(a, n + 1, N, A) : FINF_ENOMEM;
        double sum = 0, turn = 0, largest = 0;
        if (!s) {
            for (size_t j = 0; j <= N / 2; j++) {
                double size2 = creal(A[j]) * creal(A[j]) + cimag(A[j]) * cimag(A[j]);
                sum += (j == 0 || j == N / 2 ? 1 : 2) / size2;
                if (j == 0) continue;
                double step = carg(A[j] / A[j - 1]);
                turn += step;
                largest = fmax(largest, fabs(step));
            }
        }
        fftw_free(A);
        if (s) return s;
        double value = sum / (double)N, change = fabs(value - previous) / value;
        if (isfinite(value) && change < 1e-7 && largest < FINF_PI / 2) {
            long zeros = lround(fabs(turn) / FINF_PI); /* half the circle: pi a zero */
            out->minimum_phase = zeros == 0;
            if (zeros) {
                out->inverse2 = finf_real_infinite("argument principle");
                finf_why(&out->reason, FINF_OK, "%ld zero%s in |z| <= 1 (argument principle)", zeros, zeros == 1 ? "" : "s");
            } else /* doubling N squares the error */
                out->inverse2 = finf_real_make(value, value * (change * change + 64 * FINF_EPS), "trapezoid rule (FFT)");
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
 * f_n = 0. Every |f_j| < 1, so it is stable; O(n) a point. Long double because 1 + q f_0 may be small. */
double schur_energy(const schur_result *r, double q)
{
    long double f = 0;
    for (size_t j = r->n; j-- > 0;) f = (q * f - r->k[j]) / (1 - r->k[j] * q * f);
    return (double)(r->inverse2.value * (1 + q * f) / (1 - q * f));
}
