/* Has A(z) a zero in |z| <= 1, and what is (1/2pi) int dw/|A|^2? (theory 2.1, 2.2)
 *
 * Step-down (Schur-Cohn): k_n = a_n, a <- (a - k_n reverse(a)) / (1 - k_n^2). There is no zero in
 * the closed disc iff every |k_i| < 1, and then the integral is 1 / (a_0^2 prod (1-k_i^2)). It
 * costs O(n^2). The polynomial is the one whose coefficients are the given doubles exactly; what
 * rounding does to the answer is bounded to first order by the answer's derivatives, and an answer
 * that rounding could have changed is not given. Long polynomials go by FFT and the argument
 * principle instead. */
#include "bounds.h"

#include <fftw3.h>
#include <gsl/gsl_poly.h>
#include <stdlib.h>
#include <string.h>

/* Degrees up to which: quadruple precision costs nothing that one would notice; O(n^2) is instant,
 * and a few seconds in quadruple precision; the wait is still worth it if the FFT cannot decide. */
#define QUAD_MAX 256
#define STEP_DOWN_MAX 4096
#define STEP_DOWN_LIMIT 65536
#define FFT_LIMIT ((size_t)1 << 24) /* points on the circle */

typedef enum {
    ZERO_OUTSIDE,  /* no zero in |z| <= 1, beyond doubt */
    ZERO_INSIDE,   /* some zero in |z| <= 1, beyond doubt */
    ZERO_UNDECIDED /* rounding could have turned the answer */
} zero_verdict;

/* The recursion for A/a_0 in one precision, k_1..k_n into k; `room` holds 2 (n+1) numbers.
 *
 * Down: to the first |k| >= 1 if there is one (its degree is `stop`), else to the end, which finds
 * prod 1/(1-k^2). Up: the same steps backwards, A = A_- + k z A_-^r, which recover a from what they
 * made of it, carrying g: the derivatives, by the coefficients of the present polynomial, of what
 * was found (log prod 1/(1-k^2), or the k that stopped it). Every rounding on the way down meets
 * its derivative on the way up, and the sum of their products is the error `lost`. Of two bounds of
 * a rounding error the lesser counts: a few units of the result, or the whole of what is added.
 * A macro, because the two precisions differ in nothing but the type. */
#define STEP_DOWN(name, real, epsilon)                                                             \
    static zero_verdict name(const double *coef, size_t n, schur_real *k, void *room,              \
                             double *integral, double *relerr)                                     \
    {                                                                                              \
        const real most = (real)(2 / epsilon); /* rounding is no larger than what it rounds: a k   \
                                                  of 1e-30 costs nothing */                        \
        real *a = room, *g = a + n + 1, product = 1, lost = 0;                                     \
        size_t stop = 0;                                                                           \
        for (size_t i = 0; i <= n; i++) {                                                          \
            a[i] = (real)coef[i] / coef[0];                                                        \
            g[i] = 0;                                                                              \
        }                                                                                          \
        for (size_t m = n; m >= 1; m--) {                                                          \
            real r = a[m], d = (1 - r) * (1 + r);                                                  \
            k[m - 1] = r;                                                                          \
            if (!(d > 0)) {                                                                        \
                stop = m;                                                                          \
                break;                                                                             \
            }                                                                                      \
            product *= d;                                                                          \
            for (size_t i = 1, j = m - 1; i <= j; i++, j--) {                                      \
                real x = a[i], y = a[j];                                                           \
                a[i] = (x - r * y) / d;                                                            \
                a[j] = (y - r * x) / d;                                                            \
            }                                                                                      \
        }                                                                                          \
        if (stop) g[stop] = 1;                                                                     \
        for (size_t m = stop + 1; m <= n; m++) {                                                   \
            real r = (real)k[m - 1], d = (1 - r) * (1 + r), by_r = stop ? 0 : 2 * r / d;           \
            for (size_t i = 1, j = m - 1; i <= j; i++, j--) {                                      \
                real u = a[i], v = a[j], x = u + r * v, y = v + r * u, p = g[i], q = g[j];         \
                real of_u = MIN(ABS(r * y) / d + 5 * ABS(u),                                       \
                                (ABS(r * y) + r * r * ABS(x)) / d * most);                         \
                real of_v = MIN(ABS(r * x) / d + 5 * ABS(v),                                       \
                                (ABS(r * x) + r * r * ABS(y)) / d * most);                         \
                lost += ABS(p) * of_u + (i < j ? ABS(q) * of_v : 0);                               \
                by_r += p * (2 * r * u - y) / d + (i < j ? q * (2 * r * v - x) / d : 0);           \
                a[i] = x;                                                                          \
                a[j] = y;                                                                          \
                g[i] = (p - r * q) / d;                                                            \
                g[j] = (q - r * p) / d;                                                            \
            }                                                                                      \
            g[m] = by_r;                                                                           \
            if (!stop) lost += MIN(4, r * r * most); /* of d and of the product */                 \
        }                                                                                          \
        for (size_t i = 1; i <= n; i++) lost += ABS(g[i] * a[i]);                                  \
        lost *= epsilon;                                                                           \
        *integral = (double)(1 / product);                                                         \
        *relerr = (double)lost;                                                                    \
        if (stop) return ABS(k[stop - 1]) - 1 > 2 * lost ? ZERO_INSIDE : ZERO_UNDECIDED;           \
        return lost < 1e-3 ? ZERO_OUTSIDE : ZERO_UNDECIDED; /* first order: much less than 1 */    \
    }
#define ABS(x) ((x) < 0 ? -(x) : (x))
#define MIN(x, y) ((x) < (y) ? (x) : (y))
STEP_DOWN(step_down_long, long double, LDBL_EPSILON)
STEP_DOWN(step_down_quad, schur_real, SCHUR_EPS)

/* The widest integer that the compiler has. */
#ifdef __SIZEOF_INT128__
typedef __int128 whole;
#else
typedef long long whole;
#endif

/* Whether the step-down ends in |k| = 1 exactly, so that A has a zero in |z| <= 1 (theory 2.1), as
 * it does for a zero on the circle: found in integers, without rounding, since no precision decides
 * a tie. A is scaled to integers, and after every step a <- a_0 a - a_m reverse(a) the greatest
 * common divisor of all entries is divided out. The zeros +-1 are tried first, as a sum overflows
 * later than products do. Returns 0 if it does not, or if the numbers get too long to tell. x is
 * room for n+1 numbers. */
static int zero_on_circle(const double *a, size_t n, whole *x)
{
    int lowest = 1100, exponent;
    for (size_t i = 0; i <= n; i++) {
        if (a[i] == 0) continue;
        double fraction = frexp(a[i], &exponent);
        for (exponent -= DBL_MANT_DIG; fmod(ldexp(fraction, DBL_MANT_DIG), 2) == 0; exponent++)
            fraction /= 2;
        if (exponent < lowest) lowest = exponent;
    }
    whole even = 0, odd = 0;
    int fits = 1, found = 0;
    for (size_t i = 0; i <= n && fits; i++) {
        double scaled = ldexp(a[i], -lowest);
        fits = fabs(scaled) < ldexp(1, 8 * (int)sizeof *x - 2);
        if (fits) x[i] = (whole)scaled;
        if (fits) fits = !__builtin_add_overflow(i % 2 ? odd : even, x[i], i % 2 ? &odd : &even);
    }
    found = fits && (even == odd || even == -odd);
    for (size_t m = n; m >= 1 && fits && !found; m--) {
        whole first = x[0], last = x[m], common = 0;
        found = last == first || last == -first;
        for (size_t i = 0, j = m; i <= j && fits && !found; i++, j--) {
            whole u = x[i], v = x[j], p[4];
            fits = !__builtin_mul_overflow(first, u, &p[0]) &&
                   !__builtin_mul_overflow(last, v, &p[1]) &&
                   !__builtin_mul_overflow(first, v, &p[2]) &&
                   !__builtin_mul_overflow(last, u, &p[3]) &&
                   !__builtin_sub_overflow(p[0], p[1], &x[i]) &&
                   !__builtin_sub_overflow(p[2], p[3], &x[j]);
        }
        for (size_t i = 0; i < m && fits && !found; i++)
            for (whole u = x[i]; u != 0;) { /* Euclid */
                whole rest = common % u;
                common = u;
                u = rest;
            }
        for (size_t i = 0; i < m && fits && !found; i++) x[i] /= common;
    }
    return found;
}

/* Writes down how many zeros are in |z| <= 1, and the one nearest the origin, where the polynomial
 * is short enough to be solved; else only that there is one. */
static finf_status say_zero(const double *a, size_t n, finf_reason *why)
{
    double least = INFINITY, largest = 0;
    for (size_t i = 0; i <= n; i++) {
        if (a[i] != 0) least = fmin(least, fabs(a[i]));
        largest = fmax(largest, fabs(a[i]));
    }
    /* GSL's solver balances a companion matrix, and does not return when its entries span too much
     */
    int solved = n <= 64 && largest < 1e20 * least;
    double *z = solved ? malloc(2 * n * sizeof *z) : NULL;
    gsl_poly_complex_workspace *w = z ? gsl_poly_complex_workspace_alloc(n + 1) : NULL;
    if (w && gsl_poly_complex_solve(a, n + 1, w, z) == 0) {
        size_t best = 0, inside = 0;
        for (size_t i = 0; i < n; i++) {
            inside += hypot(z[2 * i], z[2 * i + 1]) <= 1;
            if (hypot(z[2 * i], z[2 * i + 1]) < hypot(z[2 * best], z[2 * best + 1])) best = i;
        }
        double re = z[2 * best], im = fabs(z[2 * best + 1]);
        if (inside == 0)
            finf_why(why, FINF_OK, "a zero in |z| <= 1, closer to |z| = 1 than 1e-6");
        else if (im > 1e-12)
            finf_why(why, FINF_OK, "%zu zero%s in |z| <= 1, nearest z = %.6g +- %.6gi (|z| = %.6g)",
                     inside, inside == 1 ? "" : "s", re, im, hypot(re, im));
        else
            finf_why(why, FINF_OK, "%zu zero%s in |z| <= 1, nearest z = %.6g", inside,
                     inside == 1 ? "" : "s", re);
    } else
        finf_why(why, FINF_OK, "a zero in |z| <= 1");
    finf_status s = solved && !w ? FINF_ENOMEM : FINF_OK;
    gsl_poly_complex_workspace_free(w);
    free(z);
    return s;
}

/* theory 2.1. A short polynomial goes through quadruple precision at once; a longer one through
 * long double, which the processor has, and again in quadruple precision if that leaves it
 * undecided. FINF_ETOL: rounding decides, and the integers of zero_on_circle do not. */
static finf_status by_step_down(const double *a, size_t n, schur_result *out)
{
    double integral = NAN, relerr = NAN;
    void *room = malloc(2 * (n + 1) * sizeof(schur_real));
    out->k = malloc(n * sizeof *out->k);
    if (!room || !out->k) {
        free(room);
        return FINF_ENOMEM;
    }
    zero_verdict zero = ZERO_UNDECIDED;
    if (n > QUAD_MAX) zero = step_down_long(a, n, out->k, room, &integral, &relerr);
    out->in_long_double = zero != ZERO_UNDECIDED;
    if (zero == ZERO_UNDECIDED && n <= STEP_DOWN_MAX)
        zero = step_down_quad(a, n, out->k, room, &integral, &relerr);
    int on_circle = zero == ZERO_UNDECIDED && zero_on_circle(a, n, room);
    free(room);
    double value = integral / a[0] / a[0];
    if (zero == ZERO_INSIDE || on_circle) {
        out->inverse2 = finf_real_infinite("step-down recursion");
        return say_zero(a, n, &out->reason);
    }
    if (zero == ZERO_UNDECIDED || !isfinite(value)) return FINF_ETOL;
    out->minimum_phase = 1;
    out->inverse2 = finf_real_make(value, value * (2 * relerr + 4 * FINF_EPS),
                                   "step-down recursion");
    return FINF_OK;
}

/* The change of the angle of A, in units of pi, from the crossings of the negative real axis, which
 * needs no arc tangent: between two points less than a quarter turn apart the axis is crossed iff
 * the imaginary part changes its sign while a real part is negative. */
long schur_half_turns(const double complex *A, size_t n, int *fine)
{
    long crossings = 0;
    *fine = 1;
    for (size_t j = 1; j <= n; j++) {
        double x0 = creal(A[j - 1]);
        double y0 = cimag(A[j - 1]);
        double x1 = creal(A[j]);
        double y1 = j < n ? cimag(A[j]) : 0;
        if (j == 1) y0 = 0;
        if (!(x0 * x1 + y0 * y1 > 0)) *fine = 0;
        if ((x0 < 0 || x1 < 0) && (y0 >= 0) != (y1 >= 0)) crossings += y0 >= 0 ? 1 : -1;
    }
    /* the angles at the two ends are 0 or pi: y = 0 counts as above the axis */
    return 2 * crossings + (creal(A[n]) < 0) - (creal(A[0]) < 0);
}

/* theory 2.2: the trapezoid mean of 1/|A|^2 and the winding number of A on N points, N doubled
 * until both have settled. Doubling N squares the error, so a change of 1e-7 leaves 1e-14.
 * FINF_ETOL: a zero is too close to the circle for N = 2^24. */
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
                finf_why(&out->reason, FINF_OK, "%ld zero%s in |z| <= 1 (argument principle)",
                         zeros, zeros == 1 ? "" : "s");
            } else /* doubling N squares the error; the FFT's is relative to the largest |A|, the
                      integral's to the least */
                out->inverse2 = finf_real_make(
                    value, value * (change * change + 32 * FINF_EPS * sqrt(largest / least)),
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
        out->inverse2 = finf_real_make(1 / (a[0] * a[0]), 4 * FINF_EPS / (a[0] * a[0]),
                                       "closed form");
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

/* Schur's algorithm (the end of theory 2.1): R(q) = r_0 (1 + q f_0)/(1 - q f_0) from
 * f_j = (q f_{j+1} - k_{j+1})/(1 - k_{j+1} q f_{j+1}), f_n = 0. Every |f_j| < 1, so it is stable;
 * it costs O(n) a point. In extended precision because 1 + q f_0 and b may be small; e is the
 * rounding error of f so far. */
#define SCHUR_AT(name, real, epsilon)                                                              \
    static double name(const schur_result *r, double b, double *relerr)                            \
    {                                                                                              \
        real f = 0, q = 1 - (real)b, e = 0;                                                        \
        for (size_t j = r->n; j-- > 0;) {                                                          \
            real k = (real)r->k[j], x = q * f, d = 1 - k * x,                                      \
                 fresh = 2 * (ABS(x) + ABS(k)) / d + 4;                                            \
            f = (x - k) / d;                                                                       \
            e = ABS(q) * (1 - k) * (1 + k) / (d * d) * e + fresh * epsilon;                        \
        }                                                                                          \
        real up = 1 + q * f, down = 1 - q * f;                                                     \
        *relerr = (double)((e + 2 * epsilon) * (1 / up + 1 / down));                               \
        return (double)(r->inverse2.value * up / down);                                            \
    }
SCHUR_AT(energy_long, long double, LDBL_EPSILON)
SCHUR_AT(energy_quad, schur_real, SCHUR_EPS)

double schur_energy(const schur_result *r, double b, double *relerr)
{
    double value = r->in_long_double ? energy_long(r, b, relerr) : energy_quad(r, b, relerr);
    *relerr += r->inverse2.error / r->inverse2.value + 4 * FINF_EPS;
    return value;
}
