/* Inside bounds/: what its files share and the public header does not show. */
#ifndef FINF_BOUNDS_H
#define FINF_BOUNDS_H

#include <complex.h>

#include "base.h"

/* ---- setting.c: the domain of the common parameters ------------------------------------------ */

#define BOUNDS_TINY 1e-50 /* also where ellint's domain ends */
#define BOUNDS_HUGE 1e50
finf_status finf_setting_check(double eta, const finf_privacy_setting *p, finf_reason *why);
finf_status finf_kurtosis_check(double kurtosis, finf_reason *why);
/* A value of an enum, whose last is `last`; else FINF_EUSAGE. */
finf_status finf_choice_check(const char *name, int value, int last, finf_reason *why);
/* |theta_0 - theta*|^2; at, unless NULL: d squares in its place */
finf_status finf_start_check(double start, const double *at, double d, finf_reason *why);

/* ---- mean.c, linreg.c: results of which nothing is known yet --------------------------------- */

finf_mean_result finf_mean_failed(void);
finf_linreg_result finf_linreg_failed(void);

/* ---- circle.c: means over the unit circle ---------------------------------------------------- */

/* f(t) for t = tan(w/2) in (0, inf), an even function of w. */
typedef double (*circle_fn)(double t, void *ctx);
/* (1/2pi) int_{-pi}^{pi} f dw. near_0, near_pi: the smallest scale in w on which f varies at either
 * end. */
finf_status circle_mean(circle_fn f, void *ctx, double near_0, double near_pi, finf_real *out);
/* (1/2pi) int f/|1-b-e^{iw}|^2 dw for m <= CIRCLE_MANY values of b in (0, 2); f is evaluated once
 * for all of them. */
#define CIRCLE_MANY 64
finf_status circle_means(circle_fn f, void *ctx, double near_0, double near_pi, const double *b,
                         size_t m, finf_real *out);

/* |1-a-e^{iw}|^2 = a^2 cos^2(w/2) + (2-a)^2 sin^2(w/2), 0 <= a < 2: two squares, so nothing cancels
 * on either side of a = 1 (theory 0 has the form for a <= 1). */
static inline double circle_gap(double a, double w)
{
    double x = a * cos(w / 2), y = (2 - a) * sin(w / 2);
    return x * x + y * y;
}
static inline double circle_gap_t(double a, double t) /* the same, from t = tan(w/2) */
{
    return (a * a + (2 - a) * (2 - a) * t * t) / (1 + t * t);
}

/* 1 - (1-a) e^{-iw}, cancelling neither at w = 0 nor at w = pi. */
static inline double complex circle_factor(double a, double w)
{
    double s = sin(w / 2), c = cos(w / 2);
    return a * c * c + (2 - a) * s * s + I * (1 - a) * sin(w);
}

/* ---- series.c: power series and FFT ---------------------------------------------------------- */

/* The product of two series mod z^n; out may be x or y. */
finf_status series_multiply(const double *x, const double *y, size_t n, double *out);
/* r_k = sum_t x_t x_{t+k}, k < n */
finf_status series_autocorrelation(const double *x, size_t n, double *r);
/* X(w_j), w_j = 2 pi j / N, j = 0..N/2, of the n <= N numbers x; out has N/2+1 entries. */
finf_status series_transform(const double *x, size_t n, size_t N, double complex *out);
/* The other way: N real numbers from N/2+1 values of a real signal's transform (scaled by 1/N). in
 * is destroyed. */
finf_status series_untransform(double complex *in, size_t N, double *x);

/* ---- polynomial.c: a long polynomial on the circle ------------------------------------------- */

typedef struct response_table response_table;
finf_status response_table_make(const double *x, size_t n, response_table **out);
void response_table_free(response_table *t);
double complex response_table_at(const response_table *t, double w); /* |w| <= pi */

/* ---- schur.c: zeros of a polynomial against the unit circle ---------------------------------- */

#ifdef __SIZEOF_FLOAT128__
typedef __float128 schur_real;
#define SCHUR_EPS 0x1p-112
#else
typedef long double schur_real; /* where that is 128 bits wide, or all there is */
#define SCHUR_EPS LDBL_EPSILON
#endif

typedef struct {
    int minimum_phase;  /* no zero in |z| <= 1 */
    finf_real inverse2; /* (1/2pi) int dw/|A|^2, finite only if minimum_phase */
    /* reflection coefficients k_1..k_n (n = degree), or NULL when the FFT route was taken */
    schur_real *k;
    size_t n;
    int in_long_double; /* the precision k was found in; else schur_real */
    finf_reason reason; /* where the zero is */
} schur_result;

/* A(z) = a_0 + .. + a_n z^n, a_0 != 0, a_n != 0. Step-down recursion, or FFT for a long polynomial.
 * FINF_ETOL: a zero is too close to |z| = 1 for the arithmetic to tell on which side it is. */
finf_status schur_test(const double *a, size_t length, schur_result *out);
void schur_free(schur_result *r);
/* How many half turns about 0 the points A_0..A_n make on their way from w = 0 to pi; A_0 and A_n
 * are real. *fine = 0 when a step is a quarter turn or more, and so not to be trusted. */
long schur_half_turns(const double complex *A, size_t n, int *fine);
/* The harmonic extension of 1/|A|^2 to radius q = 1-b: sum_k r_k q^|k|, r the autocorrelation of
 * 1/A. Needs r->k. */
double schur_energy(const schur_result *r, double b, double *relerr);

/* ---- spectrum.c: a sum over eigenvalues as a short weighted sum ------------------------------ */

/* sum_k f(lambda_k) = sum_i weight_i f(lambda_i) to rounding, for f smooth in log lambda (as T is).
 */
typedef struct {
    size_t n;
    double *lambda, *weight;
    double max;                      /* the largest eigenvalue */
    double scaling, rounding, decay; /* see spectral_measure_error */
} spectral_measure;

/* Eigenvalues above `separate` stay single: the caller's f may have a pole near them. */
finf_status spectral_measure_make(const finf_spectrum *s, double separate, spectral_measure *out);
/* The relative error of lambda_i and of weight_i: 0 where they are what was given. */
static inline double spectral_measure_error(const spectral_measure *m, size_t i)
{
    int computed = m->lambda[i] != m->max; /* the largest is 1 in every family */
    return FINF_EPS *
           (m->scaling + computed * (m->rounding + m->decay * log(m->max / m->lambda[i])));
}
void spectral_measure_free(spectral_measure *m);

#endif
