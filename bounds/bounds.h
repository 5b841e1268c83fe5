/* Inside bounds/: what its files share and the public header does not show. */
#ifndef FINF_BOUNDS_H
#define FINF_BOUNDS_H

#include <complex.h>

#include "base.h"

/* ---- setting.c: the domain of the common parameters ------------------------------------------ */

/* Parameters lie between these two. ellint's domain ends at the same 1e-50. */
#define BOUNDS_TINY 1e-50
#define BOUNDS_HUGE 1e50
/* eta, rho, the clip norm and sigma_sgd; FINF_EDOM and a reason for the first that is outside. */
finf_status finf_setting_check(double eta, const finf_privacy_setting *p, finf_reason *why);
/* The excess kurtosis kx of theory 5.1, which is >= -2 for every distribution. */
finf_status finf_kurtosis_check(double kurtosis, finf_reason *why);
/* FINF_EUSAGE unless the value is one of an enum that goes from 0 to `last`. */
finf_status finf_choice_check(const char *name, int value, int last, finf_reason *why);
/* `start` is |theta_0 - theta*|^2; `at`, unless NULL, has that square along each of d directions,
 * and is what counts. */
finf_status finf_start_check(double start, const double *at, double d, finf_reason *why);

/* ---- mean.c, linreg.c: results of which nothing is known yet --------------------------------- */

/* Every number in them is finf_real_failed(), so that whatever is not reached is not a number. */
finf_mean_result finf_mean_failed(void);
finf_linreg_result finf_linreg_failed(void);

/* ---- circle.c: means over the unit circle ---------------------------------------------------- */

/* An even function f of w, given t = tan(w/2) in (0, inf). */
typedef double (*circle_fn)(double t, void *ctx);
/* (1/2pi) int_{-pi}^{pi} f dw. near_0 and near_pi are the smallest scales in w on which f varies
 * near w = 0 and near w = pi: for |1-a-e^{iw}| they are a and 2-a. FINF_ETOL: it has not settled,
 * and out has the last value with the larger of its last two changes as the error. */
finf_status circle_mean(circle_fn f, void *ctx, double near_0, double near_pi, finf_real *out);
/* (1/2pi) int f/|1-b-e^{iw}|^2 dw for m <= CIRCLE_MANY values of b in (0, 2); f is evaluated once
 * at each node for all of them. */
#define CIRCLE_MANY 64
finf_status circle_means(circle_fn f, void *ctx, double near_0, double near_pi, const double *b,
                         size_t m, finf_real *out);

/* gap(a, w) = |1-a-e^{iw}|^2 = a^2 cos^2(w/2) + (2-a)^2 sin^2(w/2), 0 <= a < 2: two squares, so
 * that nothing cancels on either side of a = 1 (theory 0.3). */
static inline double circle_gap(double a, double w)
{
    double x = a * cos(w / 2), y = (2 - a) * sin(w / 2);
    return x * x + y * y;
}
/* The same from t = tan(w/2), formula (0.a). */
static inline double circle_gap_t(double a, double t)
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
/* The autocorrelation r_k = sum_t x_t x_{t+k}, k < n. */
finf_status series_autocorrelation(const double *x, size_t n, double *r);
/* X(w_j) = sum_t x_t e^{-i w_j t} at w_j = 2 pi j/N, j = 0..N/2, of the n <= N numbers x. */
finf_status series_transform(const double *x, size_t n, size_t N, double complex *out);
/* The inverse: N real numbers from the N/2+1 values of their transform, divided by N. `in` is
 * destroyed. */
finf_status series_untransform(double complex *in, size_t N, double *x);

/* ---- polynomial.c: a long polynomial on the circle ------------------------------------------- */

/* A(w) = sum_{t<n} x_t e^{-iwt} at any |w| <= pi in a few operations, after one FFT (theory 1.3).
 */
typedef struct response_table response_table;
finf_status response_table_make(const double *x, size_t n, response_table **out);
void response_table_free(response_table *t);
double complex response_table_at(const response_table *t, double w);

/* ---- schur.c: zeros of a polynomial against the unit circle ---------------------------------- */

/* The widest number that the compiler has: quadruple precision where there is one. */
#ifdef __SIZEOF_FLOAT128__
typedef __float128 schur_real;
#define SCHUR_EPS 0x1p-112
#else
typedef long double schur_real; /* where that is 128 bits wide, or all there is */
#define SCHUR_EPS LDBL_EPSILON
#endif

typedef struct {
    int minimum_phase;  /* A has no zero in |z| <= 1 */
    finf_real inverse2; /* (1/2pi) int dw/|A|^2 if so, else +inf */
    schur_real *k;      /* k_1..k_n of theory 2.1, or NULL when the FFT route was taken */
    size_t n;           /* the degree of A */
    int in_long_double; /* k was found in long double, else in schur_real */
    finf_reason reason; /* if not minimum phase: where the zero is */
} schur_result;

/* Tests A(z) = a_0 + .. + a_n z^n, n = length - 1, a_0 != 0, a_n != 0, by the step-down recursion
 * (theory 2.1), or by FFT where the polynomial is long (2.2). FINF_ETOL: a zero is too close to
 * |z| = 1 for the arithmetic to tell on which side it is. */
finf_status schur_test(const double *a, size_t length, schur_result *out);
void schur_free(schur_result *r);
/* How many half turns about 0 the points A_0..A_n make on their way from w = 0 to pi; A_0 and A_n
 * are real. *fine becomes 0 when some step is a quarter turn or more: the count is then not to be
 * trusted, and more points are needed. */
long schur_half_turns(const double complex *A, size_t n, int *fine);
/* The harmonic extension of 1/|A|^2 to the radius q = 1-b, sum_k r_k q^|k| with r the
 * autocorrelation of 1/A (end of theory 2.1), and its relative error. Needs r->k. */
double schur_energy(const schur_result *r, double b, double *relerr);

/* ---- spectrum.c: a sum over eigenvalues as a short weighted sum ------------------------------ */

/* The sum of f over all eigenvalues is sum_i weight_i f(lambda_i), i < n, to rounding, for every f
 * that is smooth in log lambda, as T is (theory 5.5). */
typedef struct {
    size_t n;        /* nodes */
    double *lambda;  /* where they are */
    double *weight;  /* how many eigenvalues each stands for; may be negative */
    double max;      /* the largest eigenvalue */
    double scaling;  /* units of rounding: in every lambda, if they were divided by the largest, */
    double rounding; /* in a lambda or weight that was computed, */
    double decay;    /* and in a computed lambda for each factor e below the largest */
    double
        resolution; /* the absolute error of every lambda, if they are of a matrix (theory 5.7) */
} spectral_measure;

/* Eigenvalues above `separate` stay single: the caller's f may have a pole near them. The groups
 * are `fine` >= 1 times as many as theory 5.5 needs. */
finf_status spectral_measure_make_fine(const finf_spectrum *s, double separate, size_t fine,
                                       spectral_measure *out);
static inline finf_status spectral_measure_make(const finf_spectrum *s, double separate,
                                                spectral_measure *out)
{
    return spectral_measure_make_fine(s, separate, 1, out);
}
/* The relative error of lambda_i and of weight_i: 0 where they are what was given. */
static inline double spectral_measure_error(const spectral_measure *m, size_t i)
{
    int computed = m->lambda[i] != m->max; /* the largest is 1 in every family */
    return FINF_EPS *
           (m->scaling + computed * (m->rounding + m->decay * log(m->max / m->lambda[i])));
}
/* And with the error of lambda_i itself, where it is an eigenvalue of a matrix: not of T(b) at it
 * in the first order only, as it may be of the size of lambda_i. */
static inline double spectral_measure_lambda_error(const spectral_measure *m, size_t i)
{
    return spectral_measure_error(m, i) + m->resolution / fabs(m->lambda[i] - m->resolution);
}
void spectral_measure_free(spectral_measure *m);
/* The n computed eigenvalues, of which those up to f->resolution become 0; f also has `zeros` that
 * are not among the n, and `rows`. (theory 5.7) */
finf_status spectrum_computed(double *lambda, size_t n, const finf_spectrum_facts *f,
                              finf_spectrum **out, finf_reason *why);

#endif
