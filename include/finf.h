/* finf: how well private learning with correlated noise can do.
 *
 * The whole public interface of libfinf; the only header installed. "theory 5.1" is a section of
 * docs/theory.md, where every formula is derived.
 *
 * Notation (theory 0): theta_{t+1} = theta_t - eta (g_t + z_t + what_t), what_t: gradient noise,
 * z_t = sum_tau beta_tau w_{t-tau}, w_t independent of variance sigma^2 a coordinate;
 * B(z) = sum_t beta_t z^t, B(w) the same at z = e^{-iw}; c = 1/beta as power series;
 * gamma^2 = sum c_t^2, sigma^2 = G^2 gamma^2/(2 rho) for rho-zCDP and clip norm G;
 * F_inf = lim E[F(theta_t) - F*], F with its one-half.
 *
 * Contents
 *     what it is made of             finf_part_get, finf_fftw_failed
 *     status                         finf_status, finf_reason, finf_cancel
 *     numbers with their error       finf_real, finf_real_*
 *     special functions              finf_agm, finf_ellint_*
 *     noise                          finf_noise_*: the families of beta; gamma, T(b), |B|^2
 *     spectra of the Hessian         finf_spectrum_*, finf_gram_*: formulas, lists, your own data
 *     what is common                 finf_privacy_setting
 *     optimizers                     finf_optimizer_*: momentum, any linear filter, averaging
 *     mean estimation                finf_mean
 *     linear regression              finf_linreg, finf_linreg_*, finf_rates_*
 *     strongly convex, smooth F      finf_iqc, finf_iqc_quadratic, finf_iqc_minimax
 *     the noise optimised for it     finf_optimize, finf_tune_*, finf_iqc_simulate
 *     momentum at a given speed      finf_tune_speed_*
 *     systems: noise of n steps      finf_system_*: trees, FFT, optimal and banded factorisations
 *     the exact learning curve       finf_curve, finf_curve_bound
 *     noise designed for a run       finf_design_*: dense, Toeplitz, banded, any; their distance
 *     the paper's finite-time rates  finf_rate_sgd, finf_rate_nu
 *     simulation                     finf_simulate
 *     BLTs fitted to a loss          finf_blt_fit_*
 *     streams: noise to run          finf_stream_*
 *     privacy                        finf_epsilon_*, finf_delta_*, finf_rho_*
 *     what a given noise really has  finf_audit_*
 *     the paper's errata             finf_errata_*
 *
 * Example (make check-install compiles and runs it)
 *     #include <finf.h>
 *     #include <stdio.h>
 *
 *     int main(void)
 *     {
 *         finf_noise *noise;
 *         finf_iqc_result r;
 *         if (finf_noise_nu(0.05, &noise, NULL)) return 1;
 *         finf_status s = finf_iqc(noise, 0.1, 100, NULL, &r);
 *         if (s)
 *             fprintf(stderr, "%s: %s\n", finf_status_text(s), r.reason.text);
 *         else
 *             printf("F_inf <= %.6g\n", r.bound.value);
 *         finf_noise_free(noise);
 *         return finf_status_exit(s);
 *     }
 *
 * Conventions
 *
 * Order: inputs first and const, then options (NULL: the defaults), then outputs.
 *
 * Status: every function that can fail returns a finf_status. FINF_OK: answered, and +inf is an
 * answer where something diverges. FINF_EDOM, FINF_EUSAGE: refused. FINF_ETOL: an accuracy was
 * not reached, or `cancel` stopped it; what is left is said at each function.
 *
 * Reason: a result struct with a field `reason` carries it; every other function that can fail in
 * more than one way takes `finf_reason *why` last (NULL: not wanted). It is written on failure and
 * where an answer is infinite; a struct's is "" otherwise, while *why is left as it was. (Without
 * either: the special functions, whose domain says it; finf_noise_sgd and finf_noise_cc, which fail
 * for want of memory only; finf_noise_spell, for want of room or of a spelling.)
 *
 * Failure: every finf_real that the call did not come to is value = NaN, error = INFINITY; a
 * pointer it would have set is NULL; arrays and other numbers: see each function. Read a struct's
 * plain numbers after FINF_OK only, or where FINF_ETOL is said to leave them.
 *
 * Memory: arrays passed in are copied and never kept; a noise, spectrum or system passed in is only
 * read, and may be freed after the call. What a function allocates is the caller's, and has a
 * NULL-safe _free. Strings in results are static. The library never prints, exits or reads files.
 *
 * Threads: objects are not changed once made (but by finf_spectrum_normalize, finf_gram_add), so
 * several threads may share them; FFTW plans are made under one lock of ours.
 *
 * Cancel: see finf_cancel.
 *
 * Memory that runs out is FINF_ENOMEM, also within GSL, FFTW, GMP and FLINT, which by themselves
 * end the program:
 * - when it is loaded, libfinf turns GSL's error handler off; a program may set its own again, and
 * without memory it is called;
 * - FFTW calls its fftw_assertion_failed, which aborts; the program finf has one that calls
 * finf_fftw_failed first, and so may yours (see there);
 * - the first certificate gives GMP and FLINT functions that allocate by malloc, unless the program
 * gave GMP others. A proof runs in a thread of its own, where it also calls `cancel`; what it held
 * when memory ran out is lost. ECOS does not look at what malloc gives it: without memory it
 * crashes, where the Newton solver does not.
 * - LAPACK brings the run-time library of Fortran and, as OpenBLAS, threads of its own, both when
 * it is loaded; they end the program where these cannot be had. OPENBLAS_NUM_THREADS=1 in the
 * environment asks for no thread, as the program finf does unless it is set. */
#ifndef FINF_H
#define FINF_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Of this header; that of the library is the same in one release. */
#define FINF_VERSION "0.2.0"

/* ---- what it is made of ---------------------------------------------------------------------- */

typedef struct {
    /* "GSL", "FFTW", "FLINT", "Arb", "ECOS", "LAPACK", "libsodium", "compiler"; NULL: no more */
    const char *name;
    const char *version; /* NULL: not found, or built without it */
    const char *where;   /* ECOS, LAPACK: the file it is in, or why it was not found; else "" */
} finf_part;

/* The parts of this library, i = 0, 1, .. until name is NULL. Loads ECOS, LAPACK, Arb
 * and libsodium, which are otherwise loaded when first used. Cannot fail. */
finf_part finf_part_get(size_t i);

/* To be called by a program's own `void fftw_assertion_failed(const char *what, int line, const
 * char *file)`, which the linker finds before FFTW's: a transform of libfinf's that has run out of
 * memory then ends with FINF_ENOMEM, and this does not return. It returns where the failure is of
 * another's transform. After a failure while planning, transforms of sizes not seen before stay
 * FINF_ENOMEM. */
void finf_fftw_failed(void);

/* ---- status ---------------------------------------------------------------------------------- */

/* One list for everything: name, exit code of the command line, text. */
#define FINF_STATUS_LIST(X)                                                                        \
    X(FINF_OK, 0, "answered")                                                                      \
    X(FINF_EUSAGE, 2, "usage")                                                                     \
    X(FINF_EDOM, 3, "input outside the domain")                                                    \
    X(FINF_EPARSE, 3, "malformed input")                                                           \
    X(FINF_ETOL, 4, "tolerance not reached")                                                       \
    X(FINF_EIO, 5, "input or output failed")                                                       \
    X(FINF_ENOMEM, 5, "out of memory")

#define FINF_STATUS_ENUM_(name, code, text) name,
typedef enum { FINF_STATUS_LIST(FINF_STATUS_ENUM_) FINF_STATUS_COUNT } finf_status;
#undef FINF_STATUS_ENUM_

/* Static strings, and "unknown", "unknown status", 5 for a number that is no status. */
const char *finf_status_name(finf_status s); /* "FINF_EDOM" */
const char *finf_status_text(finf_status s); /* "input outside the domain" */
int finf_status_exit(finf_status s);         /* 3 */

/* Why a call failed, or why an answer is infinite: one line with the value and what is allowed. */
typedef struct {
    char text[256]; /* no newline; "" when there is nothing to say */
} finf_reason;

/* A way to stop what takes long: polled now and then, by the thread that works (finf_simulate: by
 * each of its threads; a proof: by its own), so it must be safe to call from there. The call then
 * ends with FINF_ETOL, and with the best there is where its comment says so. */
typedef struct {
    int (*poll)(void *data); /* nonzero: stop, and from then on always; NULL: never stops */
    void *data;              /* handed to poll; borrowed during the call */
} finf_cancel;

/* Every choice below is a list of this kind: the constant, its number, its word (that of the
 * command line, in its order) and what it means. finf_.._name gives the word, and NULL for a number
 * that is no choice. */
#define FINF_CHOICE_ENUM_(constant, number, word, meaning) constant = number,

/* ---- numbers with their error ---------------------------------------------------------------- */

/* A number, and how far the true one may be from it: |value - true| <= error is expected, and
 * checked in the tests, but not proved. (What is proved is said by name: see finf_iqc_result.) */
typedef struct {
    double value;       /* NaN after a failure; +inf where that is the answer */
    double error;       /* absolute, >= 0; INFINITY after a failure; 0 where value is +inf */
    const char *method; /* a static string, e.g. "Carlson RF, RJ"; never NULL */
} finf_real;

/* What is computed from such numbers: every true result is within the error, for all true arguments
 * within theirs. What is no number is NaN, with an infinite error; +inf is exact. */
finf_real finf_real_exact(double value); /* a number that was given */
/* the value of a formula whose operations together lose at most so many units of 2^-52 */
finf_real finf_real_rounded(double value, double units);
finf_real finf_real_times(finf_real a, finf_real b); /* a b */
finf_real finf_real_over(finf_real a, finf_real b);  /* a/b */
finf_real finf_real_root(finf_real x);               /* sqrt x */
finf_real finf_real_log(finf_real x);                /* log x */

/* ---- special functions (ellint/) ------------------------------------------------------------- */

/* Each of them
 * domain:   as said, else FINF_EDOM and *out = NaN
 * method:   Carlson's forms, in arguments for which every term is >= 0; 1 - k^2 is never formed
 * accuracy: error is 24 ulp of the value; the rows of tests/tables/ellint_*.inc, by mpmath, are
 *           within it */

/* Complete elliptic integrals by *complementary* parameter m1 = 1 - k^2, so nothing is lost near
 * k = 1; m1 > 1 is imaginary k. (theory 3.1)
 * domain: K, E: 1e-300 <= m1 <= 1e300; Pi: 1e-101 <= p, m1 <= 1e101, and m1/p >= 1e-101 */
finf_status finf_ellint_k(double m1, finf_real *out);            /* K */
finf_status finf_ellint_e(double m1, finf_real *out);            /* E */
finf_status finf_ellint_pi(double p, double m1, finf_real *out); /* Pi(n, k), p = 1 - n */

/* The arithmetic-geometric mean of x and y. (theory 3.2)
 * domain: x, y > 0, finite */
finf_status finf_agm(double x, double y, finf_real *out);

/* J0(a) = int dw / |1-a-e^{iw}|, w from -pi to pi, as below. (theory 3.2)
 * domain: 1e-50 <= a < 2 */
finf_status finf_ellint_j0(double a, finf_real *out);
/* J1(a,b) = int dw / (|1-a-e^{iw}| |1-b-e^{iw}|^2). (theory 3.2)
 * domain: 1e-50 <= a <= 1, 1e-50 <= b < 2 */
finf_status finf_ellint_j1(double a, double b, finf_real *out);
/* I(a,b) = int |1-a-e^{iw}| / |1-b-e^{iw}|^2 dw. (theory 3.2, 3.3)
 * domain: 1e-50 <= a <= 1, 1e-50 <= b < 2 */
finf_status finf_ellint_i(double a, double b, finf_real *out);

/* ---- noise: the families of beta (bounds/) --------------------------------------------------- */

typedef struct finf_noise finf_noise;

/* The families. (theory 1.1)
 * domain:    as said; every number finite and at most 1e50 in size; else FINF_EDOM
 * ownership: lists are copied; *out is the caller's, for finf_noise_free; NULL on failure
 * B need not be minimum phase, and gamma may be infinite: finf_noise_sensitivity tells. */

/* B = 1: independent noise, DP-SGD. */
finf_status finf_noise_sgd(finf_noise **out);
/* B = (1 - (1-nu) z)^{1/2}: nu-DP-FTRL.                       1e-50 <= nu <= 1 */
finf_status finf_noise_nu(double nu, finf_noise **out, finf_reason *why);
/* B = (1 - (1-nu) z)^p.                                       0 <= p <= 1, 1e-50 <= nu <= 1 */
finf_status finf_noise_power(double p, double nu, finf_noise **out, finf_reason *why);
/* B = 1 - (1-nu) z: damped anti-PGD.                          nu = 0, or 1e-50 <= nu <= 1
 * nu = 0 is anti-PGD itself: gamma_inf is infinite, gamma_T^2 = T. */
finf_status finf_noise_antipgd(double nu, finf_noise **out, finf_reason *why);
/* B = (1 - z)^{1/2}: optimal for counting; gamma_inf is infinite, gamma_T^2 ~ log(T)/pi. */
finf_status finf_noise_cc(finf_noise **out);
/* B = beta_0 + .. + beta_{n-1} z^{n-1}.                       n >= 1, |beta_0| >= 1e-50 */
finf_status finf_noise_fir(const double *beta, size_t n, finf_noise **out, finf_reason *why);
/* B = 1/C, C = c_0 + .. + c_{n-1} z^{n-1}.                    n >= 1, |c_0| >= 1e-50 */
finf_status finf_noise_strategy(const double *c, size_t n, finf_noise **out, finf_reason *why);
/* B = 1/C, C = 1 + sum_i scale_i z / (1 - decay_i z).         1 <= n <= 256
 * Buffered linear Toeplitz noise; |decay_i| >= 1 is accepted, and gamma is then infinite. Equal
 * decays become one term, and a scale of 0 none. */
finf_status finf_noise_blt(const double *decay, const double *scale, size_t n, finf_noise **out,
                           finf_reason *why);
/* B = prod_i (1 - (1-nu_i) z)^{r_i}.                          1 <= n <= 256, 1e-50 <= nu_i < 2
 * Minimum phase whatever the r_i. |r_i| <= 20, also of equal nu_i together, which become one. */
finf_status finf_noise_product(const double *nu, const double *r, size_t n, finf_noise **out,
                               finf_reason *why);
/* B = the minimum-phase factor of |B|^2, given as s_j at w_j.  n >= 5, 1e-50 <= s_j <= 1e50
 * The noise *is* the cubic spline of log |B|^2 that is even about 0 and pi (theory 1.4): errors are
 * those of quadrature, not of a coarse grid. 0 <= w_0 < w_1 < .. <= pi, w_0 <= 0.1, w_{n-1} >= 0.9
 * pi, and the spline's log |B|^2 stays in [-600, 600]. w = NULL: uniform from 0 to pi. */
finf_status finf_noise_spectrum(const double *w, const double *s, size_t n, finf_noise **out,
                                finf_reason *why);
void finf_noise_free(finf_noise *noise);

/* How a family is written: what finf_noise_parse and finf_noise_from_table take. */
typedef struct {
    const char *name;  /* what stands before the colon: "nu"; NULL: no more */
    const char *form;  /* the whole: "nu:V" */
    const char *about; /* what it is, in a line */
    int file;          /* may its numbers come from finf_noise_from_table? */
    const char *pairs; /* then: what pairs (x, y) are, "w, |B|^2"; NULL: y alone is taken */
} finf_noise_form;

/* finf_noise_form_get(0), (1), .. are all families, also those without a function above. Static
 * strings; all NULL after the last one. */
finf_noise_form finf_noise_form_get(size_t i);

/* A noise as the command line spells it: "nu:0.01", "blt:0.9,0.5;0.2,0.1", "bisr:100".
 * FINF_EPARSE: no such family, or no such number; FINF_EDOM: outside its domain, as above. *out as
 * above. */
finf_status finf_noise_parse(const char *text, finf_noise **out, finf_reason *why);
/* The noise `name` of n numbers y, or of n pairs (x, y), which are copied. FINF_EPARSE: no such
 * family, or one that takes no table; FINF_EDOM: pairs where it takes none (x must be NULL), or
 * outside its domain. *out as above. */
finf_status finf_noise_from_table(const char *name, const double *x, const double *y, size_t n,
                                  finf_noise **out, finf_reason *why);

/* The name of its finf_noise_form: "nu". A static string. */
const char *finf_noise_family(const finf_noise *noise);
/* The noise as the command line spells it, with every digit, e.g. "nu:0.01". FINF_EDOM where it
 * does not fit in `size` bytes (`out` then holds what does, with its end), or has no such spelling
 * (spectrum; `out` is not touched). */
finf_status finf_noise_spell(const finf_noise *noise, char *out, size_t size);

/* The first n noising coefficients beta_t, and strategy coefficients c_t, into arrays of n.
 * domain:   n >= 1, spectrum: n <= 2^21; FINF_EDOM also where a coefficient overflows (the reason
 *           says how many can be asked for). FINF_ETOL: a spectrum's did not settle to 1e-10
 * method:   theory 1.2: recursions of one term a factor; FFT for a long inverse; cepstrum (1.4)
 * accuracy: rounding; spectrum: 1e-10 of the first, and rounding for the best noise of a problem
 * failure:  all n are NaN; after FINF_ETOL they are what was reached */
finf_status finf_noise_beta(const finf_noise *noise, size_t n, double *beta, finf_reason *why);
finf_status finf_noise_coef(const finf_noise *noise, size_t n, double *c, finf_reason *why);
/* The same, and *error: how far each of them may be from the true one, absolute. It is an estimate
 * for a product; INFINITY where it is not known: after a failure, and for the inverse of more than
 * 2^24 given coefficients.
 * method: rounding of the formula; for the inverse of given coefficients its residual; for a
 *         spectrum what the last doubling of the grid moved, and rounding */
finf_status finf_noise_beta_error(const finf_noise *noise, size_t n, double *beta, double *error,
                                  finf_reason *why);
finf_status finf_noise_coef_error(const finf_noise *noise, size_t n, double *c, double *error,
                                  finf_reason *why);

/* |B(w)|^2, and B(w) itself as (Re, Im), with its phase (minimum phase where only |B| is given).
 * domain: -pi <= w <= pi, not checked. Written so that nothing cancels at 0 and pi (theory 1.3). */
double finf_noise_density(const finf_noise *noise, double w);
void finf_noise_response(const finf_noise *noise, double w, double re_im[2]);

/* A hint at the smallest frequency on which |B| still varies: where a quadrature starts to look. In
 * (0, 1]. */
double finf_noise_scale(const finf_noise *noise);

typedef struct {
    finf_real gamma2;   /* gamma_inf^2; +inf with the reason */
    int minimum_phase;  /* 1/B is analytic in |z| <= 1; 0 also after a failure */
    finf_reason reason; /* why gamma2 is infinite, or why it failed */
} finf_sensitivity;

/* gamma_inf^2 = sum_t c_t^2                                                          theory 2
 * domain:   any noise. FINF_ETOL: a zero of B too close to |z| = 1 to tell on which side, or an
 *           integral that did not settle
 * method:   closed forms (2.3); step-down recursion, or FFT for a long beta (2.1, 2.2); the circle
 *           integral of 1/|B|^2 for product, spectrum and power (3.4) - where B is minimum phase
 * accuracy: error covers rounding and quadrature; tests/tables/gamma.inc, given_gamma.inc */
finf_status finf_noise_sensitivity(const finf_noise *noise, finf_sensitivity *out);

#define FINF_STEPS_MAX 1000000000u /* steps, of whatever takes a number of them */

/* gamma_T^2 = sum_{t<T} c_t^2                                                        theory 2.4
 * domain:   1 <= T <= FINF_STEPS_MAX, spectrum: T <= 2^21; else FINF_EDOM
 * method:   sums that are not stored, or closed forms; a long beta by FFT, O(T log T) and T numbers
 * accuracy: error is rounding, found by a second run with another rounding where c is recursive;
 *           +inf (OK, with the reason) where the sum overflows. tests/tables/steps.inc */
finf_status finf_noise_sensitivity_at(const finf_noise *noise, size_t T, finf_real *gamma2,
                                      finf_reason *why);

/* T(b_j) = sum_{t,s} beta_t beta_s (1-b_j)^{|t-s|}, j < n                            theory 5, 5.6
 * domain:   1e-50 <= b_j < 2, else FINF_EDOM; FINF_ETOL: beta has a pole too close to |z| = 1
 * method:   a closed form, or the circle rule (5.6); of many b in one octave only 22 are computed,
 * and the others interpolated (5.5) accuracy: *relerr (may be NULL) is the largest relative error
 * of all n; tests/tables/tj.inc failure:  all T are NaN and *relerr = INFINITY. +inf (OK, with the
 * reason) where beta is not square-summable */
finf_status finf_noise_energy(const finf_noise *noise, const double *b, size_t n, double *T,
                              double *relerr, finf_reason *why);

/* c_0..c_{n-1} with beta * c = 1 as power series mod z^n, from m coefficients of beta  theory 1.2
 * domain:   m, n >= 1, n <= 2^28 for m > 128, beta finite, beta_0 != 0, else FINF_EDOM
 * method:   O(n m) recursion for m <= 128 or little work; else Newton's by FFT, O(n log n), kept if
 *           its residual is at rounding level. Where c grows exponentially (B not minimum phase) it
 *           is not, and the recursion is run after all
 * accuracy: rounding, not returned
 * failure:  c is not to be read */
finf_status finf_series_inverse(const double *beta, size_t m, size_t n, double *c,
                                finf_reason *why);

/* ---- spectra of the Hessian H ---------------------------------------------------------------- */

typedef struct finf_spectrum finf_spectrum;

#define FINF_DIM_MAX 1000000000000000.0 /* 1e15: integers are still exact in a double */

/* The eigenvalues lambda_1, .., lambda_d of H. (theory 5.5: sums over them cost O(log d))
 * domain:    d a whole number from 1 to FINF_DIM_MAX, rates >= 0, every eigenvalue from 1e-50 to
 *            1e50; else FINF_EDOM
 * ownership: lists are copied; *out is the caller's, for finf_spectrum_free; NULL on failure */
/* lambda_k = k^-a */
finf_status finf_spectrum_power(double a, double d, finf_spectrum **out, finf_reason *why);
/* lambda_k = e^{-r(k-1)} */
finf_status finf_spectrum_exp(double r, double d, finf_spectrum **out, finf_reason *why);
/* lambda_k = 1 */
finf_status finf_spectrum_flat(double d, finf_spectrum **out, finf_reason *why);
/* 1, 1/d, 1/d, .. */
finf_status finf_spectrum_step(double d, finf_spectrum **out, finf_reason *why);
/* n >= 1 eigenvalues, in any order, which finf_spectrum_at keeps. A direction whose eigenvalue is 0
 * is one without loss: it is left out, and counted by finf_spectrum_zeros. */
finf_status finf_spectrum_list(const double *lambda, size_t n, finf_spectrum **out,
                               finf_reason *why);

/* The eigenvalues, the largest first, of a symmetric d x d matrix H, row by row.    theory 5.7
 * rounding:  the relative error of an entry: 0 where they are doubles, 2^-24 where they were floats
 * domain:    1 <= d <= FINF_MATRIX_MAX; H finite; with u = (2d + 10) max(2^-52, 2 rounding),
 *            |H_ik - H_ki| <= u max |H| (their mean is taken) and no eigenvalue below -u
 * lambda_max; not all of them zero; else FINF_EDOM method:    LAPACK's dsyevd; without LAPACK
 * gsl_eigen_symm accuracy:  r = (2d + 10) 2^-52 lambda_max + rounding ||H||_F, absolute, and at
 * least twice the size of a negative eigenvalue. Those not above r are not resolved, and counted as
 *            zeros; r is in the error of what is computed from the others
 * failure:   FINF_ENOMEM; FINF_ETOL where the iteration did not converge */
#define FINF_MATRIX_MAX 32000
finf_status finf_spectrum_covariance(const double *H, size_t d, double rounding,
                                     finf_spectrum **out, finf_reason *why);

/* X'X/n of data X, one row of d numbers a sample, which come in blocks of rows. Not centred: it is
 * the H of F = (1/2) E(y - <theta,x>)^2 where x is a row drawn at random.           theory 5.7
 * domain:    1 <= d < 2^31; the lesser of d and the rows is at most FINF_MATRIX_MAX; entries below
 *            1e150 in size; else FINF_EDOM
 * memory:    the rows, until there are more than d (and 256); then d^2 numbers and 1024 rows
 * ownership: *out is the caller's, for finf_gram_free; rows are copied
 * failure:   FINF_EDOM leaves it as it was; after FINF_ENOMEM it is only to be freed */
typedef struct finf_gram finf_gram;
finf_status finf_gram_new(size_t d, finf_gram **out, finf_reason *why);
finf_status finf_gram_add(finf_gram *g, const double *X, size_t rows, finf_reason *why);
size_t finf_gram_rows(const finf_gram *g); /* n: how many were added */
void finf_gram_free(finf_gram *g);

/* The eigenvalues of X'X/n, the largest first. With n < d those of XX'/n, and d - n zeros.
 * accuracy:  r = (2m + 10 + sqrt M) 2^-52 lambda_max with m the lesser of n and d, M the larger:
 *            absolute, an estimate; else the same
 * domain, method, failure: as finf_spectrum_covariance; at least one row */
finf_status finf_spectrum_gram(const finf_gram *g, finf_spectrum **out, finf_reason *why);
void finf_spectrum_free(finf_spectrum *s);

/* Divides every eigenvalue by the largest, so that ||H|| = 1. Always FINF_OK. The one function that
 * changes an object: not while another thread reads it. */
finf_status finf_spectrum_normalize(finf_spectrum *s);

double finf_spectrum_dim(const finf_spectrum *s);   /* d */
double finf_spectrum_max(const finf_spectrum *s);   /* the largest eigenvalue */
double finf_spectrum_min(const finf_spectrum *s);   /* the smallest */
double finf_spectrum_trace(const finf_spectrum *s); /* their sum */
/* How far the true sum may be from that: rounding of the eigenvalues and of their sum (theory 5.5),
 * and for a matrix or data what each eigenvalue may be off by. */
double finf_spectrum_trace_error(const finf_spectrum *s);
double finf_spectrum_zeros(const finf_spectrum *s); /* how many zeros were left out; not in d */
/* lambda_k, k = 1..d; NaN for any other k */
double finf_spectrum_at(const finf_spectrum *s, double k);

/* What spectrum it is. */
typedef struct {
    double given;      /* the dimension with the zeros */
    double rank;       /* and without: finf_spectrum_dim */
    double zeros;      /* given - rank */
    double rows;       /* samples of the data it is of; 0: it is not of data */
    double trace;      /* the sum of the eigenvalues */
    double condition;  /* the largest by the smallest that is not zero */
    double resolution; /* of a matrix or data: r, the error of each eigenvalue; else 0 */
} finf_spectrum_facts;
finf_spectrum_facts finf_spectrum_describe(const finf_spectrum *s);

/* A spectrum of a matrix or data again, from the n eigenvalues that finf_spectrum_at had and what
 * was known of it: of *known zeros, rows and resolution are read, trace_error is that of before.
 * domain: as finf_spectrum_list; these four finite and not negative; else FINF_EDOM */
finf_status finf_spectrum_again(const double *lambda, size_t n, const finf_spectrum_facts *known,
                                double trace_error, finf_spectrum **out, finf_reason *why);

/* ---- what is common to every problem --------------------------------------------------------- */

typedef struct {
    double rho;       /* zCDP parameter, default 1; 1e-50 to 1e50 */
    double clip;      /* clip norm G, default 1; 1e-50 to 1e50, 0 only in finf_iqc_options */
    double sigma_sgd; /* gradient noise: sqrt of E|what_t|^2 (theory 0.2), default 0; to 1e50 */
} finf_privacy_setting;

finf_privacy_setting finf_privacy_setting_default(void);

/* ---- optimizers: any linear first-order method ------------------------------------------------
 */

/* How gradients become steps. theta_t are the points at which gradients are taken; they are a
 * linear filter of the noisy gradients, Theta = -eta P(z) (gradients + noise), z one step forward:
 *
 *     P = sum_k b_k z^-k / sum_k a_k z^-k,   b_0 = 0,   a(1) = 0
 *
 * beside it an averaging filter A, the reported point being A Theta, and a weight decay V >= 0:
 * what is minimised is then F + (V/2)|theta|^2, F_inf is the excess of that sum over its own
 * minimum, and sigma_sgd is the gradient noise at its minimiser. Conventions are PyTorch's,
 * dampening 0. NULL in place of an optimizer is plain SGD, without averaging or decay, in every
 * function. theory 11.1 */
typedef struct finf_optimizer finf_optimizer;

/* optimizer: "sgd", "heavy-ball:M", "nesterov:M" (0 <= M < 1), "filter:b_0,b_1,..;a_0,a_1,.." (at
 * most 64 numbers each, of size 1e15; a simple pole of P at z = 1; no pole in |z| >= 1 that a zero
 * hides). average: "none", "ema:A" (avg = A avg + (1-A) theta, 0 <= A < 1), "last:K" (the mean of
 * the last K points, 1 <= K <= 1e5); NULL is "none". weight_decay: 0 to 1e50.
 * heavy-ball:0, nesterov:0, filter:0,1;1,-1 are sgd.
 * FINF_EPARSE: no such optimizer or number; FINF_EDOM: outside these bounds. *out is the caller's,
 * for finf_optimizer_free; NULL on failure */
finf_status finf_optimizer_parse(const char *optimizer, const char *average, double weight_decay,
                                 finf_optimizer **out, finf_reason *why);
void finf_optimizer_free(finf_optimizer *opt);

/* How an optimizer is written. */
typedef struct {
    const char *name;  /* what stands before the colon: "heavy-ball"; NULL: no more */
    const char *form;  /* the whole: "heavy-ball:M" */
    const char *about; /* its update, in a line */
} finf_optimizer_form;

/* All of them, i = 0, 1, ..; static strings; all NULL after the last one. */
finf_optimizer_form finf_optimizer_form_get(size_t i);

/* The optimizer, and its average ("none", "ema:0.9", "last:10"), as finf_optimizer_parse reads
 * them, with every digit. FINF_EDOM where it does not fit in `size` bytes. */
finf_status finf_optimizer_spell(const finf_optimizer *opt, char *out, size_t size);
finf_status finf_optimizer_spell_average(const finf_optimizer *opt, char *out, size_t size);
double finf_optimizer_weight_decay(const finf_optimizer *opt); /* V */

/* The effective step for eta = 1: lim (z-1) P at z = 1; 1/(1-M) with momentum M. Positive. */
double finf_optimizer_step(const finf_optimizer *opt);

/* Whether the recursion converges on a quadratic of curvature h (which becomes h + V): every zero
 * of a + eta h b is inside the unit disc. 0 also where eta h is not positive and finite. method:
 * step-down recursion (theory 2.1), in quadruple precision where the compiler has it */
int finf_optimizer_stable(const finf_optimizer *opt, double eta, double h);

/* The step below which it converges for every curvature in [h_min, h_max]; 0 where there is
 * none, NaN unless 0 < h_min <= h_max (V included) are finite. A filter may be unstable below it.
 * method: the curvatures at which a pole is on the circle, by a scan of frequencies, each by
 *         bisection on the exact test */
double finf_optimizer_eta_max(const finf_optimizer *opt, double h_min, double h_max);

/* The largest modulus of a closed-loop pole over the curvatures in [h_lo, h_hi]: the error falls by
 * this factor a step in the end. Above 1 where it diverges.                          theory 11.1
 * domain: 1e-50 <= eta (h_lo + V) <= eta (h_hi + V) <= 1e50, else FINF_EDOM
 * method: closed form for momentum, else eigenvalues; 257 curvatures and golden sections between;
 *         of plain SGD the two ends
 * accuracy: error is what rounding of eta (h + V) does to it, which at a double pole is 1e-8; of a
 *         filter's eigenvalues an estimate by the polynomial's value there
 * failure: NaN. FINF_ETOL: no eigenvalues */
finf_status finf_optimizer_contraction(const finf_optimizer *opt, double eta, double h_lo,
                                       double h_hi, finf_real *contraction, finf_reason *why);

/* The impulse response of G_h = eta P/(1 + h eta P), h + V in place of h: what a unit of noise
 * added to the gradient of step 0 moves -theta_t by, t = 0 .. n-1, and the averaged point (may be
 * NULL). h = -V is P itself. domain: eta > 0, eta (h + V) >= 0, finite, else FINF_EDOM and NaN */
finf_status finf_optimizer_response(const finf_optimizer *opt, double eta, double h, size_t n,
                                    double *theta, double *average);

/* ---- mean estimation ------------------------------------------------------------------------- */

typedef struct {
    finf_privacy_setting privacy;    /* its defaults */
    const finf_optimizer *optimizer; /* NULL, the default: sgd; borrowed */
    finf_cancel cancel;              /* with an optimizer: before each integral */
} finf_mean_options;

finf_mean_options finf_mean_options_default(void);

typedef struct {
    finf_real gamma2;    /* gamma_inf^2 of the noise */
    finf_real F;         /* F_inf of the noise; +inf with the reason */
    finf_real F_optimal; /* the least over all noise; no part of it depends on the noise given */
    finf_real F_sgd;     /* of independent noise */
    int stable;          /* eta < 2; with an optimizer: its loop is stable on the curvature 1 */
    finf_reason reason;  /* why F is infinite, or why it failed */
} finf_mean_result;

/* F_inf = (1/2) eta/(2-eta) (sigma^2 T(eta) + sigma_sgd^2), F = (1/2) E(theta - y)^2   theory 4
 * domain:   1e-50 <= eta, set as in finf_privacy_setting, else FINF_EDOM; eta >= 2 is +inf. The
 *           statuses of finf_noise_sensitivity and finf_noise_energy
 * method:   closed form in T(eta); F_optimal by the arithmetic-geometric mean
 * accuracy: error covers gamma2, T and rounding; tests/tables/mean.inc
 * With an optimizer: (h/2) (sigma^2 mean|A G B|^2 + sigma_sgd^2 mean|A G|^2), G = eta P/(1+h eta
 * P), h = 1 + V, and F_optimal = (h/2) (G^2/2rho) (mean|A G|)^2 + .. (theory 11.2); by partial
 * fractions or quadrature; eta from the optimizer's largest stable step on is +inf. FINF_ETOL also
 * where an integral did not settle, or at a cancel, and then F is NaN;
 * tests/tables/optimizer.inc */
finf_status finf_mean(const finf_noise *noise, double eta, const finf_mean_options *opt,
                      finf_mean_result *out);

/* ---- linear regression ----------------------------------------------------------------------- */

typedef struct {
    finf_privacy_setting privacy; /* its defaults */
    double kurtosis; /* excess kurtosis of the input coordinates, >= -2; default 0, Gaussian */
    int optimum;     /* also compute the optima over all noise, and sgd; default 1 */
    const finf_optimizer *optimizer; /* NULL, the default: sgd; borrowed */
    /* with an optimizer polled before each group of eigenvalues, else at each trial of eta_max */
    finf_cancel cancel;
} finf_linreg_options;

finf_linreg_options finf_linreg_options_default(void);

typedef struct {
    double d;          /* dimension of the spectrum; it and the next four are 0 if refused */
    double d_eff;      /* Tr H / lambda_max */
    double trace;      /* Tr H */
    double lambda_max; /* largest and .. */
    double lambda_min; /* .. smallest eigenvalue */
    finf_real gamma2;  /* gamma_inf^2 of the noise */
    /* F_inf for inputs of independent coordinates along the eigenvectors with the given kurtosis
     * (theory 5.1); +inf unless stable */
    finf_real exact;
    /* a lower bound of F_inf for any independent inputs of covariance H (5.2); +inf for eta
     * lambda_max >= 2 */
    finf_real lti;
    /* an upper bound of F_inf for any independent inputs with E|x|^2 xx' <= R2 H and the kurtosis
     * constant C_kurt (5.2); +inf, with upper_reason, unless eta (R2 + lambda_max) < 2 */
    finf_real upper;
    finf_real optimum;     /* the least `exact` over all noise (5.3); NaN if not asked for */
    finf_real optimum_lti; /* the least `lti` over all noise; NaN if not asked for */
    finf_real sgd;         /* `exact` of independent noise; NaN if not asked for, or not settled */
    finf_real floor;       /* a lower bound of `lti` for every noise: the paper's (5.4, 11.3) */
    double R2;             /* Tr H + (2 + kurtosis) lambda_max, exact for these inputs */
    double C_kurt;         /* 3 + max(kurtosis, 0) */
    double D;              /* of theory 5.1, 1 at eta = 0; -inf if one direction diverges alone */
    double D_error;        /* how far the true one may be from it */
    int stable;            /* D > 0: finite second moments in the limit */
    finf_reason reason;    /* why `exact` is infinite, or why it failed */
    finf_reason upper_reason; /* why `upper` is infinite */
} finf_linreg_result;

/* F_inf of F = (1/2) E(y - <theta,x>)^2, one example a step                         theory 5
 * domain:   1e-50 <= eta lambda_min, kurtosis >= -2 and finite, privacy as there, else FINF_EDOM
 * method:   sums over some 20 nodes an octave of eigenvalues, whatever d is (5.5); the optima by a
 *           circle integral (5.3)
 * accuracy: errors cover gamma2, T, the eigenvalues' rounding and what D loses near 0;
 *           tests/tables/linreg.inc
 * failure:  FINF_ETOL: an integral did not settle, and what rests on it is NaN or has the error it
 *           reached; the rest stands
 * With an optimizer: exact, lti and the two optima by theory 11.3, `stable` being that of its mean
 * square; upper is proved for plain SGD only, and NaN. FINF_ETOL also at a cancel: exact, lti and
 * the optima are then NaN unless they are known to be +inf. */
finf_status finf_linreg(const finf_noise *noise, double eta, const finf_spectrum *s,
                        const finf_linreg_options *opt, finf_linreg_result *out);

/* The largest eta for which `exact` is finite: the zero of D theory 5.1, 11.3 domain:   kurtosis >=
 * -2 and finite, else FINF_EDOM, as where no step is stable method:   Brent's, in the bracket
 * of 5.1. FINF_ETOL: the bracket did not hold to rounding. With an optimizer: downwards from the
 * step that is stable in the mean, by factors of 0.8, then by bisection
 * accuracy: the error is that of D over its slope, and rounding
 * failure:  NaN */
finf_status finf_linreg_eta_max(const finf_spectrum *s, double kurtosis,
                                const finf_optimizer *optimizer, finf_real *eta, finf_reason *why);
/* The same, with the kurtosis, the optimizer and the cancel of `opt` (NULL: its defaults).
 * failure:  also FINF_ETOL at a cancel; NaN */
finf_status finf_linreg_eta_max_with(const finf_spectrum *s, const finf_linreg_options *opt,
                                     finf_real *eta, finf_reason *why);

typedef struct {
    double lambda; /* the direction's eigenvalue */
    double T;      /* T(eta lambda): noise energy that reaches it, over that of white noise */
    double exact;  /* its summand of `exact`; +inf where that is */
    double lti;    /* its summand of `lti` */
} finf_direction;

/* Directions k[0..n-1], whole numbers from 1 to d: out[0..n-1]                      theory 5.1, 5.2
 * domain:   as finf_linreg, and eta lambda_max < 2 (the optimizer's loop is stable), else FINF_EDOM
 * accuracy: not returned; the d directions' sums are the two results to 1e-13 (tests)
 * failure:  every number is NaN */
finf_status finf_linreg_directions(const finf_noise *noise, double eta, const finf_spectrum *s,
                                   const finf_linreg_options *opt, const double *k, size_t n,
                                   finf_direction *out, finf_reason *why);

/* The noise with the least `exact`, |B|^2 = Hx^{-1/2}, beta_0 = 1: a spectrum whose log |B|^2 is
 * evaluated, not interpolated. Its F_inf is the optimum to 1e-12 and their errors, which is checked
 * before it is returned                                                      theory 5.3, 11.3
 * domain:   as finf_linreg, and a stable eta, else FINF_EDOM
 * method:   panels that end at frequencies as close as Hx varies; twice as close until the check
 *           holds; coefficients on an FFT grid that doubles until they settle to rounding
 * failure:  *noise = NULL. FINF_ETOL: the check does not hold with 200000 frequencies */
finf_status finf_linreg_best_noise(double eta, const finf_spectrum *s,
                                   const finf_linreg_options *opt, finf_noise **noise,
                                   finf_reason *why);
/* The same for finf_mean: |B|^2 = 1/|A G|, which without an optimizer is nu = eta (a product for
 * eta > 1) and otherwise a spectrum. theory 4, 11.2
 * domain:   as finf_mean, and a stable eta; last:K: K <= 1, as |B| would be infinite where A is 0;
 *           else FINF_EDOM */
finf_status finf_mean_best_noise(double eta, const finf_mean_options *opt, finf_noise **noise,
                                 finf_reason *why);

/* The paper's rates with unit constants: orders of magnitude, no bounds. */
typedef struct {
    finf_real sgd;      /* F_inf of DP-SGD; NaN after a failure, as below */
    finf_real nu;       /* of nu = eta mu */
    finf_real floor;    /* the lower bound for every noise */
    finf_reason reason; /* why it failed */
} finf_rates;

/* For lambda_k = k^-a (Table 3, its row 1/k^2 corrected), and for any H (Table 1)  theory 5.4, 10.5
 * domain: as finf_spectrum_power and finf_privacy_setting, eta >= 1e-50; else FINF_EDOM */
finf_status finf_rates_power(double a, double d, double eta, const finf_privacy_setting *set,
                             finf_rates *out);
finf_status finf_rates_spectrum(const finf_spectrum *s, double eta, const finf_privacy_setting *set,
                                finf_rates *out);

/* The noise of prior work (paper, Table 2). */
typedef enum {
    FINF_PRIOR_CC,      /* optimal for counting: nu at 0 */
    FINF_PRIOR_NU,      /* nu = eta mu, the paper's */
    FINF_PRIOR_ANTIPGD, /* B(z) = 1 - z */
    FINF_PRIOR_DAMPED,  /* B(z) = 1 - (1-nu) z, nu = sqrt(eta Tr H/d) by the paper's rate */
    /* the same with the nu of the least F_inf; that of FINF_PRIOR_DAMPED where DP-SGD diverges */
    FINF_PRIOR_DAMPED_BEST,
    FINF_PRIOR_COUNT
} finf_prior;

typedef struct {
    finf_real nu;     /* the damping, at most 1; 0 where there is none */
    finf_real growth; /* the law of gamma^2: log T, log(1/nu), T or 1/nu, at nu.value */
    finf_real rate;   /* the paper's rate of F_inf with unit constants; +inf where it diverges */
} finf_prior_rates;

/* T: for the laws that grow with it, T > 0. A failure leaves NaN in all fields. */
finf_status finf_rates_prior(finf_prior which, const finf_spectrum *s, double eta,
                             const finf_privacy_setting *set, double T, finf_prior_rates *out,
                             finf_reason *why);

/* The paper's damping: min(eta mu, 1); NaN where eta or mu is. */
double finf_nu_of_paper(double eta, double mu);

/* y ~ constant x^slope by least squares in logarithms, over those of n points, `stride` bytes
 * apart, where both are positive and finite. *points (may be NULL): how many they are. NaN where
 * there is no slope: fewer than two points, or one x only. */
double finf_log_slope(const double *x, const double *y, size_t n, size_t stride, size_t *points);
/* How far that slope may be from the true one, where each y is off by at most its y_error, and by
 * rounding; INFINITY where there is none. The arrays are as above. */
double finf_log_slope_error(const double *x, const double *y, const double *y_error, size_t n,
                            size_t stride);
/* The same with slope 1: the geometric mean of y/x; NaN where there is no point. */
double finf_log_constant(const double *x, const double *y, size_t n, size_t stride);

/* ---- mu-strongly convex, L-smooth F: the IQC bound (socp/) ----------------------------------- */

/* What is bounded, by which multipliers (theory 7, its first table). What each needs of w:
 * dist, fval:        white, E<w_s, w_t> = 0 for s != t;
 * sharp, sharp-dist: independent, or martingale differences; white is not enough, as E<theta_t,
 *                    w_{t+k}> = 0 needs w of mean zero given the past (7.4);
 * gaussian:          independent Gaussian, and gradient noise that does not depend on theta (7.11).
 * And all five: E[what_t | past] = 0, E|what_t|^2 <= sigma_sgd^2, E<w_s, what_t> = 0.
 * sharp is the default: F - F* with causality multipliers. fval: F - F* by smooth strongly convex
 * interpolation alone (7.2). dist: (L/2) |theta|^2, the paper's (7.2); sharp-dist: that with
 * causality multipliers. */
#define FINF_IQC_BOUND_LIST(X)                                                                     \
    X(FINF_IQC_SHARP, 0, "sharp",                                                                  \
      "F - F* with causality, for independent w (or martingale differences)")                      \
    X(FINF_IQC_GAUSSIAN, 4, "gaussian", "for Gaussian w")                                          \
    X(FINF_IQC_FVAL, 1, "fval", "F - F* without causality")                                        \
    X(FINF_IQC_DIST, 2, "dist", "(L/2)|theta|^2, the paper's")                                     \
    X(FINF_IQC_SHARP_DIST, 3, "sharp-dist", "that with causality")
typedef enum { FINF_IQC_BOUND_LIST(FINF_CHOICE_ENUM_) } finf_iqc_bound;
const char *finf_iqc_bound_name(finf_iqc_bound bound);

/* Which F. general (the default): every one. odd: symmetric about theta* only. paper: the printed
 * sign, for symmetric F only; below the truth for others (theory 7.1). */
#define FINF_IQC_CLASS_LIST(X)                                                                     \
    X(FINF_IQC_GENERAL, 0, "general", "all")                                                       \
    X(FINF_IQC_ODD, 1, "odd", "symmetric")                                                         \
    X(FINF_IQC_PAPER, 2, "paper", "symmetric, with the paper's sign")
typedef enum { FINF_IQC_CLASS_LIST(FINF_CHOICE_ENUM_) } finf_iqc_class;
const char *finf_iqc_class_name(finf_iqc_class which);

/* The constants in front of the integral (theory 7.3). */
#define FINF_IQC_CONSTANTS_LIST(X)                                                                 \
    X(FINF_IQC_CONSTANTS_SHARP, 0, "sharp", "as small as the proof allows")                        \
    X(FINF_IQC_CONSTANTS_PAPER, 1, "paper", "8 times those, for the privacy noise")
typedef enum { FINF_IQC_CONSTANTS_LIST(FINF_CHOICE_ENUM_) } finf_iqc_constants;
const char *finf_iqc_constants_name(finf_iqc_constants constants);

/* auto is the default; newton is faster than ECOS, and for many programs (theory 7.6). */
#define FINF_IQC_SOLVER_LIST(X)                                                                    \
    X(FINF_IQC_AUTO, 0, "auto", "ECOS where there is one, Newton where there is none or it fails") \
    X(FINF_IQC_ECOS, 2, "ecos", "ECOS; FINF_EUSAGE where there is none")                           \
    X(FINF_IQC_NEWTON, 1, "newton", "built in")
typedef enum { FINF_IQC_SOLVER_LIST(FINF_CHOICE_ENUM_) } finf_iqc_solver;
const char *finf_iqc_solver_name(finf_iqc_solver solver);

typedef struct {
    finf_privacy_setting privacy; /* clip = 0 is allowed here: no privacy noise */
    double smooth;                /* L, default 1; 1e-50 to 1e50; mu = L/kappa */
    double dim;                   /* d >= 1, finite, default 1 */
    finf_iqc_bound bound;         /* default FINF_IQC_SHARP */
    finf_iqc_class multipliers;   /* default FINF_IQC_GENERAL */
    finf_iqc_constants constants; /* default FINF_IQC_CONSTANTS_SHARP; paper: 8 and 4 d as much */
    finf_iqc_solver solver;       /* default FINF_IQC_AUTO; the result names who answered */
    /* 0, the default: clustered nodes; k <= 1e6: k uniform points on (-pi, pi) (theory 7.5) */
    size_t grid_uniform;
    size_t fir;  /* 0, the default: compact basis; T <= 2000: single lags up to T (7.5) */
    double gap;  /* relative gap asked of the solver, in (0, 1), default 1e-8 */
    int certify; /* prove the bound in ball arithmetic; default 0 (theory 7.13) */
    const finf_optimizer *optimizer; /* NULL, the default: sgd; borrowed */
    finf_cancel cancel;              /* of the solver and the proof */
} finf_iqc_options;

finf_iqc_options finf_iqc_options_default(void);

/* "Same unit": that of F, for the rho, G, d and sigma_sgd given. dist and sharp-dist: every value
 * is one of (L/2)|theta - theta*|^2, which is at least F - F*. */
typedef struct {
    finf_real gamma2; /* gamma_inf^2 of the noise */
    /* F_inf <= bound for every F of the class, or the limsup of time averages where gradient noise
     * depends on theta (7.4) or the optimizer is not sgd (11.4): d sigma^2 unit_bound + sigma_sgd^2
     * unit_sgd. error is that of the recomputation and of gamma2: what the solver left is no error,
     * only a larger bound */
    finf_real bound;
    finf_real unit_bound; /* for w of variance 1, d = 1, no gamma^2; NaN without privacy noise */
    finf_real unit_sgd;   /* for unit E|what|^2; NaN where sigma_sgd = 0 */
    finf_real quadratic_lower; /* the worst quadratic, same unit: no bound can be below it (7.8) */
    finf_real unit_quadratic_lower; /* for w of variance 1, d = 1, alone */
    double quadratic_h;        /* its curvature, without the weight decay; NaN where all diverge */
    finf_real minimax_lower;   /* below the worst case of every Toeplitz noise, same unit (7.9) */
    const char *solver;        /* of the bound: "newton", "ecos"; "exact" for kappa = 1 */
    const char *solver_status; /* "optimal", "not started", "primal infeasible", "cancelled", .. */
    int iterations;            /* of that solver */
    int solver_code;           /* ECOS's exit code; 0 for an optimum of either */
    double grid_value;         /* the solver's own objective, same unit: no bound */
    double solver_gap;         /* relative, as the solver says; INFINITY where none ran */
    size_t grid_points;        /* frequencies; 0 for kappa = 1 */
    size_t basis_size;         /* unknowns; 0 for kappa = 1 */
    double a_min;              /* smallest a(w) found, relative to its size: > 0 (7.2) */
    /* relative increase of h_0, or step towards a feasible start, that made a > 0 everywhere */
    double repair;
    int certified;          /* the bound is proved in ball arithmetic (7.13) */
    double certified_upper; /* F_inf <= this is proved, every rounding enclosed; else NaN */
    double seconds;         /* without the proof */
    double certify_seconds; /* of the proof; 0 without one */
    finf_reason reason;     /* why bound is infinite, not reached, or failed */
} finf_iqc_result;

/* Whether finf_iqc, finf_tune_iqc and finf_optimize take these values: eta > 0, 1 <= kappa <= 1e12,
 * eta mu >= 1e-13, and the options as they are described; else FINF_EDOM, or FINF_EUSAGE for an
 * enum out of range or an ECOS that is not there, with the reason. eta mu is the effective step's;
 * eta L >= 2 is taken: the bound is +inf there. */
finf_status finf_iqc_check(double eta, double kappa, const finf_iqc_options *opt, finf_reason *why);

/* A bound on F_inf for all mu-strongly convex, L-smooth F of the class, mu = L/kappa: the least
 * that the basis of multipliers gives, to the solver's gap                    theory 7, 11.4
 * With an optimizer: at the points where gradients are taken; with its weight decay V, of F +
 * (V/2)|theta|^2 less its minimum, whose curvatures are mu + V to L + V. With its average: bound is
 * that of the points without averaging, which holds for the average as F is convex, and is no
 * tighter; quadratic_lower and minimax_lower are of the average (last:K with K > 10000: NaN, and
 * the reason).
 * domain:   that of finf_iqc_check. bound = +inf (OK, with the reason) where eta
 *           L >= 2, gamma is infinite, or beta is not square-summable; with an optimizer where a
 *           quadratic of a curvature from mu to L diverges (quadratic_lower is +inf too), or where
 *           no multiplier of the class proves convergence (solver_status is "primal infeasible",
 *           quadratic_lower and minimax_lower are finite)
 * method:   a second-order cone program on a grid (7.5, 7.6); then the bound is recomputed on the
 *           continuum from its multipliers alone (7.8), so that no error of grid or solver makes it
 *           too small; that is done in doubles, and in ball arithmetic with `certify`. grid_value
 *           is the solver's: what the paper would print for grid_uniform = 1000, and not a bound
 * accuracy: bound.error is that of the recomputation; two solvers, a certificate in ball arithmetic
 *           and, for sgd, a closed form (7.10) agree in the tests
 * failure:  FINF_ETOL: the solver did not reach its gap, was stopped, or the proof did not succeed;
 *           bound is still a bound, or NaN if there is none. Any other: all NaN */
finf_status finf_iqc(const finf_noise *noise, double eta, double kappa, const finf_iqc_options *opt,
                     finf_iqc_result *out);

/* max over h in [L/kappa, L] of F_inf on the quadratic of curvature h, unit-variance w, d = 1, no
 * gradient noise; *h (may be NULL) is where. dist: (L/2) E theta^2 in place of F.    theory 7.8
 * domain:   eta > 0, kappa >= 1, 1e-50 <= L <= 1e50, finite, eta L/kappa >= 1e-50, else FINF_EDOM;
 *           +inf where eta L >= 2 or beta is not square-summable
 * method:   T(eta h) on samples of log h, refined about the largest
 * accuracy: error covers T and rounding. FINF_ETOL: T was not found to its accuracy
 * failure:  NaN, and *h */
finf_status finf_iqc_quadratic(const finf_noise *noise, double eta, double kappa, double smooth,
                               int dist, finf_real *value, double *h, finf_reason *why);

/* d (G^2/2rho) (eta^2 L/2) gamma_inf(nu = eta L)^4 + sigma_sgd^2 eta/(2(2 - eta L)): the worst case
 * of no Toeplitz noise is below. dist: (L/2)|theta|^2 in place of F, and the larger of the
 * quadratics mu and L.                                                              theory 7.9
 * domain:   eta > 0, kappa >= 1, 1e-50 <= L <= 1e50, d >= 1, finite, else FINF_EDOM, as where the
 *           value overflows; +inf where eta L >= 2
 * method:   arithmetic-geometric mean
 * accuracy: error covers rounding */
finf_status finf_iqc_minimax(double eta, double kappa, int dist, double smooth, double dim,
                             const finf_privacy_setting *set, finf_real *value, finf_reason *why);

/* ---- the noise optimised for it -------------------------------------------------------------- */

typedef struct {
    /* which bound, class, constants, solver; certify applies to the noise found */
    finf_iqc_options iqc;
    double tol;     /* relative change of the bound at which to stop, in (0, 1), default 1e-6 */
    int max_rounds; /* of one start, >= 1, default 100 */
    /* of B for sharp, sharp-dist and gaussian, 1 to 200, default 12; fval and dist take 16 + 2
     * ceil(log2 kappa) whatever this is */
    size_t factors;
} finf_optimize_options;

finf_optimize_options finf_optimize_options_default(void);

typedef struct {
    finf_iqc_result iqc; /* of the noise found; its reason is that of the whole call */
    finf_noise *noise;   /* a product, or nu or sgd where nothing is better; owned; NULL: none */
    finf_real bound_sgd; /* bound of independent noise, as iqc.bound; NaN if it failed, as below */
    finf_real bound_nu;  /* bound of the best nu */
    finf_real nu;        /* that nu, in (0, 1]; 1 is sgd; its error is that of finf_tune_iqc */
    /* bound after each round of the best start, rounds + 1 numbers, never increasing; owned */
    double *history;
    size_t rounds; /* of the best start */
    size_t starts; /* descents that came to an end */
    /* (worst - best)/best of the bounds the starts ended with (causal: the second to 1e-4, or
     * where the first ended, once Newton's step leads there; with an optimizer a descent also ends
     * where ten rounds gain less than 5e-5, and what is left is most often below 1e-3:
     * theory 11.4); 0 with one start */
    double spread;
    finf_real minimax_lower; /* below the worst case of every Toeplitz noise (theory 7.9) */
    finf_real gap;           /* bound / minimax_lower; NaN where a quadratic diverges */
    /* A grid of n frequencies, and the multipliers of the bound on it: one block, owned, which w
     * begins. n = 0 and NULL where the bound is infinite or there is no privacy noise */
    size_t n;
    double *w;         /* increasing, from 0 to pi */
    double *density;   /* |B|^2 */
    double *psi;       /* density of the bound (7.2): |B|^2 psi has the mean unit_bound */
    double *lambda_re; /* Lambda = h_0 - sum h_t e^{-iwt} (7.1); 0 for kappa = 1, as below */
    double *lambda_im; /* its imaginary part */
    double *causal_re; /* causality multiplier X of <S, W> at L = 1 (7.12); 0 for fval and dist */
    double *causal_im; /* gaussian: with Stein's columns, whose cost is in psi (7.11) */
} finf_optimize_result;

/* The noise with the least finf_iqc bound that was found                           theory 7.7, 7.14
 * A stationary point, the best of several starts (for eta L > 1 there are many), and not proved to
 * be the optimum: minimax_lower and gap say how far from it the bound can be. Its bound is a bound
 * as finf_iqc's, and not above that of the best nu.
 * domain:   as finf_iqc, and opt as there, else FINF_EDOM or FINF_EUSAGE
 * method:   with causality: Newton's descent in the powers of a product; without: the program and
 *           B in turn; both by the Newton solver, and the last bound by the solver asked for
 * accuracy: history stops changing by tol; iqc.bound.error is finf_iqc's
 * failure:  FINF_ETOL: stopped, or the descent did not end: noise and bound are the best so far.
 *           Any other: nothing is to be read but iqc.reason. finf_optimize_result_free is safe
 *           after every status */
finf_status finf_optimize(double eta, double kappa, const finf_optimize_options *opt,
                          finf_optimize_result *out);
/* Frees what r owns, not r itself; its pointers are NULL after. */
void finf_optimize_result_free(finf_optimize_result *r);

/* The nu in (0, 1] with the least bound (iqc), `exact` (linreg) or F (mean), and that result; 1
 * where no noise is better than another                                             theory 7.9, 4
 * domain:   as finf_iqc, finf_linreg, finf_mean
 * method:   a scan of nu by factors of 8, then Newton's (iqc) or Brent's minimiser in the best
 *           bracket: a minimum whose valley the scan does not see is missed. mean with eta <= 1 and
 *           no optimizer: nu = eta, the optimum over all noise
 * accuracy: the minimum of that valley is within nu.error of nu: linreg, mean: beyond, on both
 *           sides, the value is larger by more than its error; iqc: by the curvature there and the
 *           solver's gap, an estimate. `out` carries the error of the value at this nu
 * failure:  nu is NaN, but FINF_ETOL: the best so far, with its value */
finf_status finf_tune_iqc(double eta, double kappa, const finf_iqc_options *opt, finf_real *nu,
                          finf_iqc_result *out);
finf_status finf_tune_linreg(double eta, const finf_spectrum *s, const finf_linreg_options *opt,
                             finf_real *nu, finf_linreg_result *out);
finf_status finf_tune_mean(double eta, const finf_mean_options *opt, finf_real *nu,
                           finf_mean_result *out);
/* The same of (1 - (1-nu) z)^power, power from 0 to 1: nu is searched for each power, and the power
 * by a scan from 1/2 in steps of 1/8 and Brent's minimiser; both are known to about 1e-4.
 *                                                                                   theory 1.1 */
finf_status finf_tune_power_linreg(double eta, const finf_spectrum *s,
                                   const finf_linreg_options *opt, double *power, double *nu,
                                   finf_linreg_result *out);

/* ---- which momentum, step and noise at a given speed ----------------------------------------- */

/* The update rules whose momentum is sought. */
#define FINF_SPEED_FAMILY_LIST(X)                                                                  \
    X(FINF_SPEED_SGD, 0, "sgd", "no momentum")                                                     \
    X(FINF_SPEED_HEAVY_BALL, 1, "heavy-ball", "the best M")                                        \
    X(FINF_SPEED_NESTEROV, 2, "nesterov", "the best M")
typedef enum { FINF_SPEED_FAMILY_LIST(FINF_CHOICE_ENUM_) } finf_speed_family;
const char *finf_speed_family_name(finf_speed_family family);

typedef enum {
    FINF_SPEED_INDEPENDENT, /* independent noise */
    FINF_SPEED_NU,          /* the best nu at each step and momentum */
    FINF_SPEED_BEST         /* the optimum over all noise; of the bound what finf_optimize finds */
} finf_speed_noise;

typedef struct {
    finf_real F;        /* the least F_inf (or bound); +inf with the reason where there is none */
    finf_real eta;      /* its step: the error is rounding, for this momentum */
    finf_real momentum; /* its momentum: 0 for sgd; the error as that of a nu (finf_tune_linreg) */
    finf_real eta_eff;  /* its effective step, for this momentum */
    finf_real nu;       /* and its nu; NaN for the other noises */
    int certified;      /* iqc with `certify`: the bound is proved, and .. */
    double certified_upper;    /* .. what is proved; NaN otherwise */
    finf_optimizer *optimizer; /* all of it; owned: finf_speed_result_free */
    finf_reason reason;        /* why F is infinite, or why it failed */
} finf_speed_result;

/* Of all steps and momenta whose slowest direction contracts by this factor a step, the ones with
 * the least F_inf (linreg, mean) or bound (iqc)                                      theory 11.6
 * The average and weight decay of opt->optimizer are kept, its update rule is not. (The bound is
 * that of the points without averaging.)
 * domain:   0 < contraction < 1, the rest as in finf_linreg, finf_mean and finf_iqc; else
 * FINF_EDOM, or FINF_EUSAGE for an enum out of range. F = +inf (OK, with the reason) where no step
 *           has that speed: plain SGD for 1 - contraction > 2/(1 + kappa)
 * method:   the contraction fixes the step for each momentum; a scan of momenta, then Brent's
 *           minimiser in the best bracket: a minimum whose valley the scan does not see is missed.
 *           iqc: by the Newton solver, the momentum to 1e-4 of its largest value; with `certify`
 *           what is found is proved, FINF_ETOL where it is not (all the rest is filled in)
 * accuracy: the error of the momentum as that of nu in finf_tune_linreg (iqc: what the search
 *           stops at); F carries that of its value
 * failure:  F is NaN. Free the result after every status */
finf_status finf_tune_speed_linreg(finf_speed_family family, finf_speed_noise noise,
                                   double contraction, const finf_spectrum *s,
                                   const finf_linreg_options *opt, finf_speed_result *out);
finf_status finf_tune_speed_mean(finf_speed_family family, finf_speed_noise noise,
                                 double contraction, const finf_mean_options *opt,
                                 finf_speed_result *out);
finf_status finf_tune_speed_iqc(finf_speed_family family, finf_speed_noise noise,
                                double contraction, double kappa, const finf_iqc_options *opt,
                                finf_speed_result *out);
void finf_speed_result_free(finf_speed_result *r);

/* An F that is not quadratic, in one dimension. */
typedef enum {
    FINF_WORST_HUBER,     /* curvature L for |x| < delta, mu outside */
    FINF_WORST_ASYMMETRIC /* curvature mu for x > 0, L for x < 0 */
} finf_worst_kind;

typedef struct {
    finf_worst_kind kind; /* as asked */
    double delta;         /* Huber's knee, the worst of those tried; 0 for the other */
    double mean;          /* stationary E[F - F*] per unit-variance w; NaN: none; +inf: diverges */
    double error;         /* one standard error of it; INFINITY where mean is NaN */
    double steps;         /* that were taken */
    finf_reason reason;   /* why it is infinite, not reached, or failed */
} finf_worst_result;

/* Stationary E[F - F*] of such an F under this noise: what any bound on F_inf must be above
 * (but for the standard error)                                                      theory 6.6, 7.8
 * optimizer: NULL for plain sgd; its weight decay V is added to both curvatures of F (11.4). With
 * its average: E[F - F*] at the average.
 * sgd_ratio: sigma_sgd/sigma, the size of independent Gaussian gradient noise beside the unit w.
 * domain:   eta > 0, 1 <= kappa <= 1e50, sgd_ratio >= 0, 0 < relative_error < 1, else FINF_EDOM
 *           (kind: FINF_EUSAGE); +inf where a quadratic of a curvature
 *           from mu to L diverges (eta L >= 2 for sgd) or beta is not square-summable
 * method:   periodic orbits on FFT blocks of noise: no burn-in; a regression reduces the variance.
 *           The same seed gives the same answer
 * accuracy: error is one standard error, at most relative_error mean
 * failure:  FINF_ETOL: relative_error not reached, or cancel (may be NULL) stopped it: mean and
 *           error are what there was, or NaN; or 1/(eta mu), 1/(2 - eta L) or what else is the
 *           slowest mode's memory above some 1e6: NaN */
finf_status finf_iqc_simulate(const finf_noise *noise, double eta, double kappa, double smooth,
                              const finf_optimizer *optimizer, double sgd_ratio,
                              finf_worst_kind kind, unsigned long long seed, double relative_error,
                              const finf_cancel *cancel, finf_worst_result *out);

/* ---- systems: the noise of n steps ----------------------------------------------------------- */

/* A strategy matrix C (one row a measurement, n columns) and a decoder. Everything is said by two n
 * x n matrices: X = C'C, which gives the sensitivity, and K, the covariance of the noise added to
 * the n gradients (sigma = 1). Where C is square and decoded by its inverse B, K = BB' = X^{-1}.
 * With A the lower triangle of ones, error = tr(A K A') = ||A C^{-1}||_F^2 is the error of the n
 * prefix sums, and loss = sens2 * error. (theory 6.1) */
typedef struct finf_system finf_system;

#define FINF_SYSTEM_MAX 10000000u   /* steps */
#define FINF_SYSTEM_DENSE_MAX 8192u /* steps, where an n x n matrix is needed */
#define FINF_SYSTEM_EPOCHS_MAX 2e7  /* n k^2, of finf_system_epochs */

typedef struct {
    finf_cancel cancel; /* while it is made; default: never */
} finf_system_options;

finf_system_options finf_system_options_default(void);

/* Each constructor of a system
 * domain:    1 <= n <= FINF_SYSTEM_MAX or as said, else FINF_EDOM
 * ownership: *out is the caller's, for finf_system_free; NULL on failure. FINF_ETOL: cancelled, or
 *            an iteration did not end
 * accuracy:  sens2, error and loss of finf_system_describe carry it */

/* Any Toeplitz noise: sgd is DP-SGD, cc is Optimal CC, nu is nu-DP-FTRL. O(n) to O(n log n). A
 * coefficient that overflows is FINF_EDOM. (theory 6.1) */
finf_status finf_system_toeplitz(const finf_noise *noise, size_t n, finf_system **out,
                                 finf_reason *why);
/* The nu that has the least loss of n steps among (1-(1-nu)z)^power; the sensitivity is to k
 * participations b apart (k = 1: b does not matter).                                theory 6.7
 * domain:   0 < power <= 1 (1/2: nu-DP-FTRL), 1 <= n <= FINF_SYSTEM_MAX, k, b >= 1, else FINF_EDOM
 * method:   a scan of log nu from 1e-3/n to 1, then Brent's minimiser: O(n k) a trial, dozens
 * accuracy: 1e-4 of nu, where the loss is flat to 1e-9
 * failure:  *nu = NaN, also if cancelled */
finf_status finf_system_tune(double power, size_t n, size_t k, size_t b,
                             const finf_system_options *opt, double *nu, finf_reason *why);
/* Binary tree of the complete dyadic nodes in 0..n-1. (theory 6.2)
 * tree:         prefix t is the sum of the nodes of t's binary digits;
 * honaker:      each of them is averaged with what its finished subtree says (online);
 * full-honaker: least squares over the whole tree. */
finf_status finf_system_tree(size_t n, finf_system **out, finf_reason *why);
finf_status finf_system_honaker(size_t n, finf_system **out, finf_reason *why);
finf_status finf_system_full_honaker(size_t n, finf_system **out, finf_reason *why);
/* A embedded in the circulant of size 2n, factored by the root of its modulus. (theory 6.3) */
finf_status finf_system_fft(size_t n, finf_system **out, finf_reason *why);
/* The least loss of all C, one participation, to the gap between `error` and `lower`. n <= 200000.
 * (theory 6.4) */
finf_status finf_system_me(size_t n, const finf_system_options *opt, finf_system **out,
                           finf_reason *why);
/* The least fixed_order times error (see finf_participation) of all, where a user takes part in
 * every epoch of b steps, always at the same place: k = ceil(n/b) participations. Scaled to
 * fixed_order = 1. 1 <= n <= FINF_SYSTEM_DENSE_MAX, n k^2 <= FINF_SYSTEM_EPOCHS_MAX; b >= n is
 * `me`, b = 0 FINF_EDOM. (theory 6.4) */
finf_status finf_system_epochs(size_t n, size_t b, const finf_system_options *opt,
                               finf_system **out, finf_reason *why);
/* C Toeplitz with c_0..c_{bands-1}, the least loss found: a stationary point, started from the next
 * one. bands >= 1; above n it is n. (theory 6.7) */
finf_status finf_system_banded(size_t n, size_t bands, const finf_system_options *opt,
                               finf_system **out, finf_reason *why);
/* Optimal CC's c cut to `bands` coefficients. (theory 6.7) */
finf_status finf_system_banded_sqrt(size_t n, size_t bands, finf_system **out, finf_reason *why);
/* Any lower triangular C (n x n, row by row, copied), decoded by its inverse. n <=
 * FINF_SYSTEM_DENSE_MAX, no C_ii below 1e-50 and nothing above the diagonal, else FINF_EDOM.
 * O(n^3). (theory 6.1) */
finf_status finf_system_matrix(const double *C, size_t n, finf_system **out, finf_reason *why);
void finf_system_free(finf_system *s);

typedef struct {
    /* the noise's family, or "tree", "honaker", "full-honaker", "fft", "me", "banded",
     * "banded-sqrt", "matrix" */
    const char *name;
    size_t n;              /* steps */
    size_t bands;          /* 0 where C is not banded */
    finf_real sens2;       /* squared sensitivity to one participation: max_i X_ii */
    finf_real error;       /* of the n prefix sums, squared and summed, at sigma = 1 */
    finf_real loss;        /* sens2 error */
    finf_real gamma_inf2;  /* Toeplitz: lim sens2 as n grows, +inf for some; NaN for the others */
    size_t participations; /* me: the k its loss is least for, 1 or the epochs; 0 for the others */
    size_t separation;     /* me: their distance b, or n; 0 for the others */
    /* me: no C has a smaller error times squared sensitivity to these (the dual value, to
     * rounding); NaN for the others */
    double lower;
    double lower_error;           /* of that bound: rounding */
    int iterations;               /* me, banded; else 0 */
    double seconds;               /* that the generation took */
    const char *timed;            /* of what: the noise of any step can be computed from it */
    const char *matrix;           /* the paper's variants table: what B is */
    int anytime;                  /* the noise of the first steps does not depend on n */
    const char *generation;       /* cost here of making it, for n steps */
    const char *step;             /* cost here of the noise of one step */
    const char *paper_generation; /* the same in that table; "" where it has no row */
    const char *paper_step;       /* as above */
} finf_system_facts;

/* What is known of it; a copy, whose strings are static. Cannot fail. */
finf_system_facts finf_system_describe(const finf_system *s);

/* X and K into n x n numbers, row by row                                            theory 6.1
 * domain:   n <= FINF_SYSTEM_DENSE_MAX, else FINF_EDOM
 * method:   O(n^2) for all but me (40 n^2, or 100 k n^2 for k epochs) and honaker (n^2 + n log^2 n)
 * accuracy: rounding, not returned
 * failure:  the array is not to be read */
finf_status finf_system_gram(const finf_system *s, double *X, finf_reason *why);
finf_status finf_system_covariance(const finf_system *s, double *K, finf_reason *why);
/* The lower triangular B with BB' = K, n x n, row by row. For me, C = B^{-1} has C'C = X. O(n^3/3)
 * but for Toeplitz noise. Domain and failure as above; FINF_ETOL: cancelled, or K is singular to
 * rounding. */
finf_status finf_system_noising(const finf_system *s, const finf_system_options *opt, double *B,
                                finf_reason *why);

/* One coordinate of the noise of all n steps: z = Mw, MM' = K, from 2n independent normals w of
 * variance 1, which are only read. O(n log n), but for me B is made (and not kept: for more
 * coordinates take finf_system_noising), n <= FINF_SYSTEM_DENSE_MAX. After a failure z is not
 * to be read. */
finf_status finf_system_draw(const finf_system *s, const finf_system_options *opt, const double *w,
                             double *z, finf_reason *why);

/* Several participations of one user: sum over i, j in a pattern of |X_ij|, the largest over
 * patterns of at most k steps. That is the squared sensitivity of the pattern where X >= 0, and an
 * upper bound of it elsewhere. (theory 6.5) Two ways to count:
 * fixed_order: steps exactly b apart (every epoch in the same order; also called b-cyclic, or
 *              (k,b)-participation);
 * min_sep:     steps at least b apart (b-min-separation), of which the former is a part. */
typedef struct {
    size_t k;             /* participations, as asked */
    size_t b;             /* separation, as asked */
    double fixed_order;   /* the sum's maximum, exact */
    size_t first;         /* the worst pattern's first step, from 0 */
    double fixed_lower;   /* what contributions u or -u attain there: equal where X >= 0 */
    double min_sep;       /* exact, or an upper bound by dynamic programs and a search cut short */
    double min_sep_lower; /* what contributions u or -u attain in the worst pattern found */
    int exact;            /* min_sep is attained, to 1e-9: it is the squared sensitivity */
    int nonnegative;      /* X >= 0, to 1e-9 of its largest entry */
    const char *method;   /* of min_sep; "" if refused */
} finf_participation;

/* The squared sensitivity to at most k participations, two ways                     theory 6.5
 * domain:   k, b >= 1; unless C is Toeplitz with c >= 0 that never increases, n <=
 *           FINF_SYSTEM_DENSE_MAX; else FINF_EDOM
 * method:   O(n k) for such a C; else O(n^2 k), or O(n^2) if k >= n/b, and at most a second of
 *           search where the bounds do not meet
 * accuracy: rounding, not returned; min_sep is at most what its bounds leave open
 * failure:  the four numbers are NaN if refused, and not to be read if cancelled (FINF_ETOL) */
finf_status finf_system_participation(const finf_system *s, size_t k, size_t b,
                                      const finf_system_options *opt, finf_participation *out,
                                      finf_reason *why);

/* ---- the exact learning curve of linear regression ------------------------------------------- */

/* Which sensitivity the noise is scaled by; T is the default, inf for Toeplitz noise only. */
#define FINF_CURVE_GAMMA_LIST(X)                                                                   \
    X(FINF_CURVE_GAMMA_T, 0, "T", "that of the n steps")                                           \
    X(FINF_CURVE_GAMMA_INF, 1, "inf", "its limit, of all time")
typedef enum { FINF_CURVE_GAMMA_LIST(FINF_CHOICE_ENUM_) } finf_curve_gamma;
const char *finf_curve_gamma_name(finf_curve_gamma gamma);

typedef struct {
    finf_privacy_setting privacy; /* its defaults */
    double kurtosis;              /* as in finf_linreg_options, default 0 */
    /* |theta_0 - theta*|^2, in equal parts along the eigenvectors; 0 to 1e50, default 1 */
    double start;
    /* or (theta_0 - theta*)_j^2 for each direction j = 1..d, d <= 1e8 (borrowed during the call);
     * default NULL */
    const double *start_at;
    finf_curve_gamma gamma; /* default FINF_CURVE_GAMMA_T */
    double sens2;           /* > 0: instead of either, e.g. for several participations; default 0 */
    /* up to this many directions one by one, beyond by the nodes of the spectral measure (start_at:
     * always one by one); default 512 */
    size_t direct_max;
    const finf_optimizer *optimizer; /* NULL, the default: sgd; borrowed */
    finf_cancel cancel;              /* of the recursion and of the matrix it may need */
} finf_curve_options;

finf_curve_options finf_curve_options_default(void);

typedef struct {
    size_t n;           /* steps of the system */
    double *F;          /* E[F(theta_t) - F*], t = 0..n; owned; NULL after a failure */
    double relerr;      /* of every entry (an estimate); INFINITY after a failure */
    finf_real last;     /* F[n] */
    double sens2;       /* squared sensitivity that was used */
    double sigma2;      /* variance of w: G^2 sens2/(2 rho) */
    size_t directions;  /* or nodes, in the recursion */
    int nodes;          /* the spectral measure was used */
    finf_reason reason; /* why an entry is infinite, or why it failed */
} finf_curve_result;

/* E[F(theta_t) - F*] = (1/2) sum_j lambda_j s_j(t), t = 0..n                         theory 6, 11.5
 * For inputs of independent coordinates along the eigenvectors with the given kurtosis (0:
 * Gaussian). Clipping is not modelled. eta may be too large: the curve then grows, and is +inf (OK,
 * with the reason) from where it overflows.
 * With an optimizer: theta_t are the points at which gradients are taken, from theta_0 with empty
 * buffers; with an average the curve is that of the averaged point, which is theta_0 at t = 0, and
 * for last:K the mean of the t+1 points there are while t+1 < K. With weight decay V: of
 * F + (V/2)|theta|^2 above its minimum, theta* being its minimiser, lambda_j + V its curvature.
 * domain:   eta >= 1e-50, eta (lambda_max + V) <= 1e50, kurtosis >= -2, a finite sensitivity;
 *           FINF_CURVE_GAMMA_INF for Toeplitz noise only; n <= FINF_SYSTEM_DENSE_MAX for any other;
 *           else FINF_EDOM (gamma: FINF_EUSAGE)
 * method:   the exact recursion; O(d) a step for Toeplitz noise, O(d t) at step t for others; with
 *           an optimizer of r buffers O(d r^2) and O(d r (t + r)); last:K keeps d K numbers
 * accuracy: relerr is measured against long double, not proved
 * failure:  nothing is owned, also when cancelled (FINF_ETOL) */
finf_status finf_curve(const finf_system *system, double eta, const finf_spectrum *s,
                       const finf_curve_options *opt, finf_curve_result *out);
/* Frees r->F, not r itself. */
void finf_curve_result_free(finf_curve_result *r);

/* F(theta_0) - F* = start Tr H/(2d), where start = |theta_0 - theta*|^2 is in equal parts along the
 * eigenvectors. */
double finf_curve_gap(const finf_spectrum *s, double start);

/* Theorem lr-finite-noclip: (sqrt((L/mu) e^{-eta mu t} F0) + sqrt(F_inf))^2 bounds every curve with
 * gamma_inf from F(theta_0) - F* = F0, for inputs as in finf_linreg's `exact`: bound[i] at t[i],
 * i < n. For plain sgd only: an optimizer is refused (FINF_EUSAGE).                 theory 6.8
 * domain:   0 <= F0 <= 1e50, t >= 0, the rest as finf_linreg, else FINF_EDOM. +inf (OK, with the
 *           reason) where eta R^2 < 1 fails or F_inf is infinite
 * failure:  every bound is NaN */
finf_status finf_curve_bound(const finf_noise *noise, double eta, const finf_spectrum *s,
                             const finf_linreg_options *opt, double F0, const double *t, size_t n,
                             double *bound, finf_reason *why);

/* ---- noise designed for a finite run --------------------------------------------------------- */

/* The loss of a run of n steps is linear in the covariance K of the noise: sigma^2 <M, K> and what
 * the start and gradient noise add (theory 12.1). sigma^2 = G^2 sens2/(2 rho), so that the noise to
 * take is the one with the least sens2 <M, K>. A finf_design is such a run; the functions below
 * find the best noise of a family for it, or judge one that is given. */
typedef struct finf_design finf_design;

#define FINF_DESIGN_OBJECTIVE_LIST(X)                                                              \
    X(FINF_DESIGN_LAST, 0, "last", "E[F(theta_n) - F*]")                                           \
    X(FINF_DESIGN_AVERAGE, 1, "average", "its mean over t = 1..n")                                 \
    X(FINF_DESIGN_MAX, 2, "max", "the largest of t = 1..n")
typedef enum { FINF_DESIGN_OBJECTIVE_LIST(FINF_CHOICE_ENUM_) } finf_design_objective;
const char *finf_design_objective_name(finf_design_objective objective);

#define FINF_DESIGN_COUNT_LIST(X)                                                                  \
    X(FINF_DESIGN_FIXED_ORDER, 0, "fixed-order", "participations exactly b steps apart")           \
    X(FINF_DESIGN_MIN_SEP, 1, "min-separation", "participations at least b steps apart")
typedef enum { FINF_DESIGN_COUNT_LIST(FINF_CHOICE_ENUM_) } finf_design_count;
const char *finf_design_count_name(finf_design_count count);

typedef struct {
    finf_privacy_setting privacy; /* its defaults */
    double kurtosis;              /* as in finf_linreg_options, default 0 */
    /* |theta_0 - theta*|^2, in equal parts along the eigenvectors; 0 to 1e50, default 1 */
    double start;
    const double *start_at;          /* or by direction, d <= 512; default NULL; copied */
    finf_design_objective objective; /* default FINF_DESIGN_LAST */
    size_t participations;           /* k >= 1 of a user, default 1 */
    size_t separation;               /* b >= 1 steps between them, default 1; no matter for k = 1 */
    finf_design_count count;         /* how b is meant, default FINF_DESIGN_FIXED_ORDER */
    const finf_optimizer *optimizer; /* NULL, the default: sgd; read by finf_design_make only */
    double tol;         /* relative gap at which the dense solver stops; default 1e-9 */
    finf_cancel cancel; /* of everything that takes a finf_design */
    /* NULL, or told after every iteration of a search: progress_data, iterations, the best loss so
     * far, and below what no loss is (or NaN) */
    void (*progress)(void *, int iteration, double loss, double least);
    void *progress_data; /* handed to progress */
} finf_design_options;

finf_design_options finf_design_options_default(void);

/* The run of n steps of step eta on a loss with the spectrum s                      theory 12.1
 * domain:    1 <= n <= FINF_SYSTEM_MAX; the rest as finf_curve; last:K with K below 80; else
 *            FINF_EDOM (a choice: FINF_EUSAGE). eta may be too large: losses then grow with n
 * ownership: *out is the caller's, for finf_design_free; NULL on failure */
finf_status finf_design_make(double eta, const finf_spectrum *s, size_t n,
                             const finf_design_options *opt, finf_design **out, finf_reason *why);
/* The same for prefix sums of the noise (with an optimizer: its filter P for eta = 1): the
 * objective is over the variance of the sums of steps 0..t-1, t = 1..n, at sigma = 1. kurtosis and
 * start do not matter, and there is no start's part. */
finf_status finf_design_prefix(size_t n, const finf_design_options *opt, finf_design **out,
                               finf_reason *why);
void finf_design_free(finf_design *run);

/* M, n x n, row by row: sigma^2 <M, K> is sum_t u_t times the privacy noise's part of
 * E[F(theta_t) - F*]. weights: u_1..u_n >= 0, or NULL for the objective's own.       theory 12.1
 * domain:   n <= FINF_SYSTEM_DENSE_MAX, else FINF_EDOM; `max` needs weights (FINF_EUSAGE)
 * method:   the adjoint of the exact recursion, O(n^2 d)
 * accuracy: rounding, not returned
 * failure:  M is not to be read */
finf_status finf_design_workload(const finf_design *run, const double *weights, double *M,
                                 finf_reason *why);

/* What a family's noise has in this run. */
typedef struct {
    const char *family;   /* "dense", "toeplitz", "banded", "nu", or that of the given noise */
    finf_real loss;       /* the objective, by privacy noise alone (max: of that part alone) */
    finf_real loss_total; /* with the start and gradient noise */
    finf_real sens2;      /* squared sensitivity to the participations asked for */
    int sens2_exact;      /* 0: an upper bound of it */
    double sigma;         /* standard deviation of w: sqrt(G^2 sens2/(2 rho)) */
    /* dense: no noise at all has a smaller loss, by the dual, to rounding; NaN for the others */
    double least;
    double least_error; /* of that bound: rounding */
    double duality_gap; /* dense: loss/least - 1; NaN for the others */
    size_t memory;      /* vectors that a stream of this noise keeps */
    size_t bands;       /* banded: coefficients c that are not 0; else 0 */
    double nu;          /* nu: the best one; NaN for the others */
    int iterations;     /* of the search; 0 where nothing is searched */
    double seconds;     /* that it took */
    /* X, K, B and draws: see finf_system_*. Owned; NULL on failure, and of finf_design_system */
    finf_system *system;
    /* toeplitz, banded, nu: what finf_noise_spell spells. Owned; NULL for the others */
    finf_noise *noise;
    /* scaled: n rows of 3k+1 numbers for finf_stream_new_recursion, k = memory. Owned; NULL for the
     * others, and for runs of at most k steps, which as matrices need no more state */
    double *recursion;
    finf_reason reason; /* of a failure; why a tolerance is not reached */
} finf_design_result;

/* Frees what r owns, not r itself; its pointers are NULL after. */
void finf_design_result_free(finf_design_result *r);

/* The least loss over all lower triangular matrices, proved               theory 12.2, 12.3
 * domain:   n <= FINF_SYSTEM_DENSE_MAX, else FINF_EDOM
 * method:   a fixed point of the dual, mixed with its last values, and then Newton's method by
 *           conjugate gradients: 10 to 40 eigenproblems of n rows (max: 25 to 300; more than 32
 *           participations, without Newton's method: 100 and more). For k = 1, and for k =
 *           ceil(n/b) in fixed order, the dual is the problem's own; otherwise `least` is that of
 *           disjoint patterns of k steps exactly b apart, and may be below what is possible, and
 *           the noise is the best of what the dual gives, of Toeplitz noise and of the matrices of
 *           b bands (L-BFGS, O(n^2 b) an evaluation)
 * accuracy: loss is recomputed from C, and least from a matrix of norm 1: both are to rounding what
 *           they say, whatever the iteration did
 * failure:  FINF_ETOL: cancelled, or the gap is above 1e-8 (but where `least` may be below the
 *           truth: that gap is no failure). Everything is of the best so far, if system is not
 *           NULL; least is NaN if that is Toeplitz noise, of a run that was stopped so early. Where
 *           M is singular the least loss is not attained: reason says so */
finf_status finf_design_dense(const finf_design *run, finf_design_result *out);
/* Toeplitz C with `bands` coefficients; 0 or >= n: all of them ("toeplitz"). A stationary point,
 * started from the best nu                                                          theory 12.4
 * method:   L-BFGS with the exact derivatives; O(n d + n log n) an evaluation, some 30 of them.
 *           `max` is `last`: from theta* the loss never falls under Toeplitz noise
 * failure:  FINF_ETOL: cancelled, or not stationary to 1e-6 of the loss: the best so far */
finf_status finf_design_toeplitz(const finf_design *run, size_t bands, finf_design_result *out);
/* Noise with `buffers` vectors of state whose scales depend on the steps left: a BLT that prepares
 * for the end of the run. A stationary point; `recursion` is for finf_stream_new_recursion, while
 * a stream of `system` as a matrix keeps every past vector                          theory 12.5
 * domain:   1 <= buffers <= 10; n <= FINF_SYSTEM_DENSE_MAX, else FINF_EDOM; not for `max`
 *           (FINF_EUSAGE)
 * method:   L-BFGS with the exact derivatives; O(n d buffers) an evaluation, some 100 to 600 of
 *           them; what is found is judged as a matrix
 * failure:  FINF_ETOL: cancelled, or not stationary to 1e-4 of the loss: the best so far */
finf_status finf_design_scaled(const finf_design *run, size_t buffers, finf_design_result *out);
/* The nu with the least loss, by a scan of log nu and Brent's method; failure as above. */
finf_status finf_design_nu(const finf_design *run, finf_design_result *out);
/* Any noise, and any system (finf_system_me, ..) of as many steps as the run: nothing is searched.
 * A system, or a Toeplitz noise whose sensitivity needs a matrix, needs n <= FINF_SYSTEM_DENSE_MAX.
 */
finf_status finf_design_noise(const finf_design *run, const finf_noise *noise,
                              finf_design_result *out);
finf_status finf_design_system(const finf_design *run, const finf_system *system,
                               finf_design_result *out);

/* The step of a run for which none is given: at *eta, two digits, the run's loss with the start's
 * part is least for the best nu                                                      theory 12.1
 * domain:  as finf_design_make; n <= FINF_DESIGN_STEP_MAX, and some step is stable, else FINF_EDOM
 * method:  halving from the largest stable step until the loss has risen twice; then sqrt(2) to
 *          either side
 * failure: NaN. FINF_ETOL: cancelled */
#define FINF_DESIGN_STEP_MAX 20000u
finf_status finf_design_step(const finf_spectrum *s, size_t n, const finf_design_options *opt,
                             double *eta, finf_reason *why);
/* The families that are compared where none is named, as `finf design` spells them, separated by
 * commas: those that take seconds at most for a run of so many steps (0: of F_inf) and dim
 * directions (0: prefix sums). quick: in less time; of F_inf, without the one that a bound does not
 * have. 128 characters hold all. */
void finf_design_families(size_t steps, double dim, int quick, const finf_design_options *opt,
                          char *text, size_t size);

/* ---- the paper's finite-time rates ----------------------------------------------------------- */

/* Corollaries dpsgd and dpftrl "ignoring absolute constants": here each one is a field. Name,
 * default, whether it may be 0, meaning. eta1 = mu rho/(c_exp R^4 d log^q(T/p) ..), q = 5 for
 * DP-SGD, 7 for nu, is the largest learning rate that the privacy noise allows; the exponent of the
 * corollaries is -mu eta1 T, so that one constant is in both. */
#define FINF_RATE_CONSTANT_LIST(X)                                                                 \
    X(start, 1, 1, "|theta_0 - theta*|^2")                                                         \
    X(failprob, 0.05, 0, "p: with probability 1-p no gradient is clipped (the event E)")           \
    X(c_time, 1, 1, "c of 'T large enough'")                                                       \
    X(c_exp, 1, 0, "c of eta1 = mu rho/(c R^4 d log^q(T/p)), in eta_max and in exp(-mu eta1 T)")   \
    X(c_gap, 1, 1, "factor of (L/mu) exp(-mu eta1 T): theorem dp-main has 2 (F(theta_0) - F*)")    \
    X(c_start, 1, 1, "factor of the term in |theta_0 - theta*|^2")                                 \
    X(c_dp, 1, 1, "factor of the term in sigma_sgd^2/rho")                                         \
    X(c_sgd, 1, 1, "factor of the term in sigma_sgd^2")                                            \
    X(c_polylog, 1, 1, "polylog(T) = c_polylog log(T)^polylog_power")                              \
    X(polylog_power, 1, 1, "its power")                                                            \
    X(c_eta, 1, 0, "C of eta <= 1/(C R^2 log(T/p)), the other part of eta_max")                    \
    X(c_clip, 1, 0, "c of the clip norm G of theorem dp-main")

#define FINF_RATE_FIELD_(name, value, zero, meaning) double name;
typedef struct {
    double rho;                               /* zCDP parameter, default 1; 1e-50 to 1e50 */
    double sigma_sgd;                         /* gradient noise, default 0; 0 to 1e50 */
    FINF_RATE_CONSTANT_LIST(FINF_RATE_FIELD_) /* as listed; up to 1e50, failprob in (0, 1) */
} finf_rate_options;
#undef FINF_RATE_FIELD_

finf_rate_options finf_rate_options_default(void);

/* After a failure value is NaN and every other number 0. */
typedef struct {
    double value; /* the four terms' sum, on E[(F(theta_T) - F*) 1_E] */
    double gap;   /* what is left of the initial gap: (L/mu) exp(-mu eta1 T) */
    /* privacy noise, as far as the clip norm is set by |theta_0 - theta*|; polylog(T) included,
     * as below */
    double start;
    double dp;      /* privacy noise, as far as the clip norm is set by sigma_sgd */
    double sgd;     /* gradient noise */
    double polylog; /* the factor c_polylog log(T)^polylog_power */
    double T_left;  /* "T large enough": T / log^q(T/p) .. */
    double T_right; /* .. and what it must reach */
    double T_min;   /* the T that does; +inf beyond 1e300 */
    /* of start, dp, sgd, polylog, eta_max and clip, relative: rounding, and what the eigenvalues
     * of a matrix are not known to. gap and T_min, which magnify that, have their own */
    double relerr;
    double gap_error;
    double T_min_error;
    int valid;         /* T_left >= T_right: the corollary speaks of this T */
    double kappa;      /* lambda_max / mu */
    double d_eff;      /* Tr H / lambda_max */
    double d;          /* dimension */
    double trace;      /* Tr H, the corollaries' R^2 */
    double mu;         /* the smallest eigenvalue */
    double lambda_max; /* the largest */
    /* the largest learning rate the corollary's proof allows: eta1, or the limit of c_eta */
    double eta_max;
    double clip;        /* theorem dp-main's clip norm G at eta_max */
    finf_reason reason; /* why not valid, or why it failed */
} finf_rate_result;

/* The rates of corollaries dpsgd and dpftrl after T steps, as stated: with unit constants an order
 * of magnitude and no bound                                                         theory 6.8
 * domain: T >= 2 and finite, opt as there, else FINF_EDOM. T too small is OK, with valid = 0 */
finf_status finf_rate_sgd(const finf_spectrum *s, double T, const finf_rate_options *opt,
                          finf_rate_result *out); /* cor:dpsgd */
finf_status finf_rate_nu(const finf_spectrum *s, double T, const finf_rate_options *opt,
                         finf_rate_result *out); /* cor:dpftrl */

/* ---- simulation ------------------------------------------------------------------------------ */

/* theta_{t+1} = theta_t - eta (g_t + z_t), z = beta * w, w ~ N(0, sigma^2 I): Noisy-FTRL, and with
 * clip_gradients, where the norm of each g_t is cut to G, DP-FTRL. One example a step. */
#define FINF_SIMULATE_PROBLEM_LIST(X)                                                              \
    X(FINF_SIMULATE_MEAN, 0, "mean", "F = (1/2) E(theta - y)^2, y ~ N(theta*, sigma_sgd^2)")       \
    X(FINF_SIMULATE_LINREG, 1, "linreg",                                                           \
      "F = (1/2) E(y - <theta,x>)^2, x ~ N(0, H), y = <theta*,x> + sigma_sgd xi")                  \
    X(FINF_SIMULATE_HUBER, 2, "huber",                                                             \
      "curvature L for |theta - theta*| < knee, mu = L/kappa outside; g = F' + sigma_sgd xi")
typedef enum { FINF_SIMULATE_PROBLEM_LIST(FINF_CHOICE_ENUM_) } finf_simulate_problem;
const char *finf_simulate_problem_name(finf_simulate_problem problem);

typedef struct {
    finf_privacy_setting privacy; /* its defaults */
    int clip_gradients;           /* cut the norm of each gradient to privacy.clip; default 0 */
    double kappa;                 /* Huber: L/mu >= 1, default 10 */
    double smooth;                /* Huber: L, 1e-50 to 1e50, default 1 */
    /* Huber: 0, the default: the stationary rms on the quadratic of curvature L; else up to 1e50 */
    double knee;
    /* 0, the default: stationary, sigma from gamma_inf; T <= FINF_STEPS_MAX: after T steps, sigma
     * from gamma_T */
    size_t steps;
    /* steps > 0: |theta_0 - theta*|^2, in equal parts along the eigenvectors; to 1e50, default 1 */
    double start;
    /* or (theta_0 - theta*)_j^2 for each direction j = 1..d (borrowed during the call); default
     * NULL */
    const double *start_at;
    unsigned long long seed; /* of the random numbers; default 1 */
    unsigned threads;        /* 1 to 256, default 1: the answer does not depend on it */
    double relative_error;   /* one standard error over the mean, at which to stop; default 0.01 */
    double max_steps;        /* over all chains, 1 to 1e15, default 1e8 */
    const finf_optimizer *optimizer; /* NULL, the default: sgd; borrowed */
    finf_cancel cancel;              /* polled by every thread */
    /* NULL, or told now and then, by the calling thread: progress_data, steps done, steps expected,
     * mean and standard error so far (or NaN) */
    void (*progress)(void *, double done, double expected, double mean, double error);
    void *progress_data; /* handed to progress */
} finf_simulate_options;

finf_simulate_options finf_simulate_options_default(void);

typedef struct {
    finf_real F;     /* E[F(theta) - F*]; error is one standard error, over independent chains */
    double low;      /* 95% interval (Student), lower .. */
    double high;     /* .. and upper end; NaN where F is, +inf where F is */
    finf_real exact; /* where it is known; else NaN with exact_reason */
    finf_reason exact_reason; /* why there is no exact value, or why it is infinite */
    finf_real gamma2;         /* gamma_inf^2, or gamma_T^2 */
    double knee;              /* Huber: that was used; else NaN */
    double steps;             /* all that were taken */
    double chains;            /* that were counted */
    double chain_steps;       /* steps of each, burn_in included */
    double burn_in;           /* steps of each that are not counted; 0 for steps > 0 */
    double clipped_fraction;  /* of the gradients (after the burn-in); 0 without clip_gradients */
    const char *method; /* of the noise: "independent", "rational recursion", "FFT blocks"; "" */
    size_t method_size; /* poles of the recursion; length of an FFT block; else 0 */
    double seconds;     /* that it took */
    finf_reason reason; /* of a failure, or why F is infinite */
} finf_simulate_result;

#define FINF_SIMULATE_DIM_MAX 100000 /* d of a simulation */

/* Chains of the recursion itself                                              theory 6.6, 11.5
 * s: the spectrum of H for FINF_SIMULATE_LINREG, d <= FINF_SIMULATE_DIM_MAX; else NULL.
 * With an optimizer: its own update rule, theta* being the minimiser with weight decay; F is that
 * of the averaged point, as in finf_curve, with the decay; gradients are clipped before the decay
 * and the noise are added to them.
 * domain:   1e-50 <= eta <= 1e50, Huber: eta L < 2, or the optimizer stable from mu to L; opt as
 *           there, else FINF_EDOM (problem: FINF_EUSAGE). +inf (OK, with the reason) where it is
 *           known to diverge or gamma is infinite
 * method:   stationary noise by poles or FFT blocks; halves of the chains are compared to see a
 *           burn-in that was too short. A seed gives the same answer on any number of threads
 * accuracy: F.error is one standard error (of Student's t), at most relative_error F; `exact` is
 *           found without the simulation
 * failure:  FINF_ETOL: relative_error not reached at max_steps, or cancelled; F is then the best
 *           there is, or NaN */
finf_status finf_simulate(const finf_noise *noise, finf_simulate_problem problem, double eta,
                          const finf_spectrum *s, const finf_simulate_options *opt,
                          finf_simulate_result *out);

/* ---- BLTs fitted to a loss ------------------------------------------------------------------- */

/* C = 1 + sum_i scale_i z/(1 - decay_i z) of k buffers: noise for any number of steps from k
 * vectors of memory, its parameters those of the least loss that was found. (theory 13.1, 13.2) */
#define FINF_BLT_BUFFERS_MAX 10

typedef struct {
    size_t starts;         /* descents from different points, 1 to 20, default 4 */
    size_t max_iterations; /* of BFGS, each of them, >= 1, default 2000 */
    size_t participations; /* of one user, for n steps: at most so many, >= 1, default 1, */
    size_t separation;     /* at least so many steps apart, >= 1, default 1 */
    finf_cancel cancel;    /* polled at every evaluation of the loss */
} finf_blt_fit_options;

finf_blt_fit_options finf_blt_fit_options_default(void);

typedef struct {
    size_t buffers; /* as asked, or fewer where decays would coincide; 0 after a failure */
    double decay[FINF_BLT_BUFFERS_MAX]; /* buf_decay, decreasing, in [0, 1) */
    double scale[FINF_BLT_BUFFERS_MAX]; /* output_scale, > 0 */
    /* squared sensitivity: gamma_inf^2, or that of n steps and the participations; of several it is
     * that of steps 0, b, 2b, .., the worst there are if `decreasing` (theory 6.5) */
    finf_real sens2;
    finf_real error; /* what the noise does to the problem at sigma = 1 */
    finf_real loss;  /* sens2 error, times G^2/(2 rho) where a function takes these */
    finf_real least; /* no noise has a smaller loss; NaN for n steps */
    double ratio;    /* loss/least; NaN for n steps */
    /* Decays of the inverse: B = 1/C = 1 - sum_i v_i z/(1 - p_i z), v_i > 0, with 1 > decay_0 > p_0
     * > decay_1 > p_1 > .. > -1. Proved in interval arithmetic for the doubles above (theory 13.4):
     * low <= p_i <= high. NaN where that was not proved. */
    double inverse_low[FINF_BLT_BUFFERS_MAX];
    double inverse_high[FINF_BLT_BUFFERS_MAX];
    int stable;         /* proved: all decays and inverse decays are real, interlaced, in (-1, 1) */
    int decreasing;     /* proved: c never increases, so that sens2 is exact for several */
    const char *proved; /* what was, in words; "" if nothing */
    double left;        /* what a Newton step may still gain, of the loss (an estimate) */
    double spread;      /* worst loss of a start over the best, minus 1 */
    size_t starts;      /* descents that came to an end */
    size_t evaluations; /* of the loss */
    double seconds;     /* that it took */
    finf_reason reason; /* of a failure */
} finf_blt_fit;

/* Each of the fits
 * domain:   1 <= buffers <= FINF_BLT_BUFFERS_MAX, opt as there, else FINF_EDOM
 * method:   poles and zeros of C as unknowns, in coordinates in which every point is feasible; BFGS
 *           with exact gradients, then Newton's method, from several starts with log-spaced poles
 * accuracy: errors cover quadrature and rounding at the doubles given. The loss is that of a local
 *           minimum to 1e-6 (`left`, mostly far below); that no other BLT has a smaller one is not
 *           proved. Where no BLT helps (mean estimation with eta >= 1) the scales are near 0
 * failure:  FINF_ETOL: stopped, or `left` above 1e-6: the best there is, or NaN where there is
 *           none. Any other: NaN */

/* The privacy noise's part of F_inf: (G^2/2rho) gamma^2 mean(|B|^2 Hx)              theory 13.2
 * density:  Hx(w) > 0 given for 0 < w < pi, at any place; near_0 and near_pi are the smallest
 *           distances from w = 0 and pi on which it varies, 1e-50 to pi. G^2/2rho = 1
 * mean:     Hx of theory 11.2, (eta^2/2)/|1-eta-e^{iw}|^2 without an optimizer
 * linreg:   Hx of theory 11.3, without an optimizer that of 5.3: of `optimum` in finf_linreg
 * Either takes the optimizer, average and decay of its options. An eta that diverges is FINF_EDOM
 */
finf_status finf_blt_fit_density(double (*density)(double w, void *data), void *data, double near_0,
                                 double near_pi, size_t buffers, const finf_blt_fit_options *opt,
                                 finf_blt_fit *out);
finf_status finf_blt_fit_mean(double eta, const finf_mean_options *mean, size_t buffers,
                              const finf_blt_fit_options *opt, finf_blt_fit *out);
finf_status finf_blt_fit_linreg(double eta, const finf_spectrum *s, const finf_linreg_options *lin,
                                size_t buffers, const finf_blt_fit_options *opt, finf_blt_fit *out);

/* Which of the n prefix sums' variances counts. */
#define FINF_BLT_OBJECTIVE_LIST(X)                                                                 \
    X(FINF_BLT_AVERAGE, 0, "average", "the mean of all")                                           \
    X(FINF_BLT_LAST, 1, "last", "the last one")                                                    \
    X(FINF_BLT_LARGEST, 2, "max", "the largest, which for Toeplitz noise is the last one")
typedef enum { FINF_BLT_OBJECTIVE_LIST(FINF_CHOICE_ENUM_) } finf_blt_objective;
const char *finf_blt_objective_name(finf_blt_objective objective);

/* sens2 times the mean, last or largest variance of n prefix sums at sigma = 1      theory 13.3
 * domain:   1 <= n <= FINF_STEPS_MAX, else FINF_EDOM (objective: FINF_EUSAGE)
 * method:   sums of exponentials in closed form: O(k^2) an evaluation, whatever n is, for each
 *           pair of participations */
finf_status finf_blt_fit_prefix(size_t n, finf_blt_objective objective, size_t buffers,
                                const finf_blt_fit_options *opt, finf_blt_fit *out);

/* A loss of n steps that is affine in K = BB', for Toeplitz B, as
 *
 *     error = sum_j sum_{t<n} weight_jt beta_t (2 u_jt - beta_t),
 *     u_jt = factor_j u_j(t-1) + beta_t
 *
 * Prefix sums: factor 1, weight_t the sum of what prefix sums t, t+1, .. count. A run of linear
 * regression: factor_j = 1 - eta lambda_j, and weights from the adjoint recursion. */
typedef struct {
    size_t n;             /* steps, 1 to FINF_SYSTEM_MAX */
    size_t terms;         /* >= 1 */
    const double *factor; /* `terms` numbers in [-1, 1] */
    const double *weight; /* terms x n numbers up to 1e50 in size, term by term */
} finf_blt_weights;

/* sens2 times that error, which must be positive                                theory 13.3
 * domain:   as there, else FINF_EDOM; the arrays are only read
 * method:   the recursion and its adjoint: O(n (k + terms)) an evaluation */
finf_status finf_blt_fit_weights(const finf_blt_weights *loss, size_t buffers,
                                 const finf_blt_fit_options *opt, finf_blt_fit *out);

/* The BLT for a run, fitted to the run's own loss: a family beside finf_design_toeplitz.
 * out->memory is the buffers; fit, unless NULL, has the decays, and what is proved of them
 *                                                                       theory 12.4, 13.3, 13.4
 * domain:   1 <= buffers <= FINF_BLT_BUFFERS_MAX, else FINF_EDOM
 * method:   prefix sums of several horizons first, in closed form; from the best of them L-BFGS
 *           with exact derivatives of the loss, O(n d) an evaluation, some 20 to 60 of them. For
 *           several participations the pattern 0, b, 2b, .. is searched; what is found is judged
 *           by all of them
 * accuracy: out as finf_design_noise; fit->loss is that of the pattern searched. A local minimum
 *           to 1e-5 of the loss (fit->left, mostly far below: where one buffer more gains nothing
 *           the valley is long and flat)
 * failure:  FINF_ETOL: cancelled, or not stationary to 1e-5: the best so far */
finf_status finf_design_blt(const finf_design *run, size_t buffers, finf_blt_fit *fit,
                            finf_design_result *out);

/* The BLT with the least bound of finf_iqc that was found: for every mu-strongly convex, L-smooth F
 * of the class. out is the bound of this BLT, by the solver asked for; fit, unless NULL, has its
 * decays: loss is the bound, least the minimax                        theory 7.7, 13.2, 13.4
 * domain:   that of finf_iqc; 1 <= buffers <= FINF_BLT_BUFFERS_MAX, else FINF_EDOM; where every
 *           bound is infinite too, with the reason
 * method:   the BLT nearest to the best nu; from there L-BFGS in its poles and zeros, the
 *           derivatives of the bound from the multipliers of its last program
 * accuracy: out's as finf_iqc. A local minimum to 1e-5 of the bound (fit->left)
 * failure:  FINF_ETOL: stopped, or not stationary to 1e-5: the best so far, or NaN */
finf_status finf_blt_fit_iqc(double eta, double kappa, const finf_iqc_options *opt, size_t buffers,
                             finf_blt_fit *fit, finf_iqc_result *out);

/* ---- streams: correlated noise to run -------------------------------------------------------- */

/* z_t = sum_s beta_s w_{t-s}, step by step, in d coordinates, for training.        theory 13.5-13.7
 *
 * w_{t,j} ~ N(0, sigma^2) is a function of (key, t, j) alone: ChaCha20 (RFC 8439, by libsodium)
 * with t and j as its counter, then the method of Box and Muller in doubles. Any worker draws any
 * block of steps and coordinates with the same bits, on any machine with IEEE arithmetic.
 *
 * Privacy. The noise hides gradients only from those who do not know the key. By default it comes
 * from the system's random numbers; a seed is for experiments, and the stream says so. The key is
 * in the state: whoever reads one can subtract the noise. One key for one run: two runs with the
 * same key have the same noise, and their difference has none.
 *
 * Floating point. Proofs of privacy are for real numbers. A double or float with noise in it
 * betrays by its last bits which values it can have come from (Mironov 2012; Jin, McMurtry,
 * Rubinstein and Ohrimenko 2022); here |w| <= 9.5 sigma, and w takes values in a finite set. Where
 * that is in the adversary's reach, round the noisy sum to a grid, or use a discrete mechanism.
 * Drawing takes the same operations whatever the numbers are. */
typedef struct finf_stream finf_stream;

#define FINF_STREAM_KEY 32               /* bytes of a key */
#define FINF_STREAM_SUMS 128             /* first steps whose bits no number of steps changes */
#define FINF_STREAM_DIM_MAX (1ull << 62) /* coordinates */

#define FINF_STREAM_DTYPE_LIST(X)                                                                  \
    X(FINF_STREAM_F64, 0, "f64", "doubles")                                                        \
    X(FINF_STREAM_F32, 1, "f32", "floats: the doubles, rounded; the state stays in doubles")
typedef enum { FINF_STREAM_DTYPE_LIST(FINF_CHOICE_ENUM_) } finf_stream_dtype;
const char *finf_stream_dtype_name(finf_stream_dtype dtype);

typedef struct {
    double sigma;             /* standard deviation of w, 1e-50 to 1e50, default 1 */
    finf_stream_dtype dtype;  /* default FINF_STREAM_F64 */
    unsigned long long first; /* a part of the coordinates: from this one on, default 0, */
    size_t count;             /* so many; 0, the default: all that follow */
    /* How many steps the run has, for which sigma was found: the stream has no more. Noise that has
     * neither a recursion nor a finite beta (power, product, spectrum) needs them, as so many
     * vectors are kept, and its bits depend on their number after the first FINF_STREAM_SUMS steps.
     * Default 0: such noise is FINF_EUSAGE, nu and cc have 2^30 steps, others have no end. */
    size_t steps;
    int seeded;              /* take the seed instead of a key: for experiments only; default 0 */
    unsigned long long seed; /* default 0 */
    /* FINF_STREAM_KEY secret bytes, copied; NULL, the default: new ones from the system */
    const unsigned char *key;
} finf_stream_options;

finf_stream_options finf_stream_options_default(void);

/* A stream at step 0
 * domain:   1 <= dim <= FINF_STREAM_DIM_MAX, opt as there, first + count <= dim, else FINF_EDOM.
 *           FINF_EUSAGE: libsodium is not there; both a key and a seed; see `steps`
 * method:   blt: its buffers, k vectors; strategy: its last n-1 outputs; a finite beta: the last
 *           n-1 inputs; nu and cc: up to 64 buffers for what is 8 steps past or more, and 16 steps
 *           ahead: O(vectors) operations a coordinate and step. Others: all steps at the first
 *           finf_stream_next, the first FINF_STREAM_SUMS by sums and those after by transforms,
 *           O(log steps) operations a coordinate and step
 * accuracy: rounding; nu and cc: off by a standard deviation of 2^-44 sigma at most (theory 13.5)
 * ownership: *out is the caller's, for finf_stream_free; NULL on failure. Not for two threads at
 *           once: let each have coordinates of its own */
finf_status finf_stream_new(const finf_noise *noise, unsigned long long dim,
                            const finf_stream_options *opt, finf_stream **out, finf_reason *why);
/* z = Bw of n steps, B lower triangular, n x n, row by row (finf_system_noising), copied.
 * 1 <= n <= FINF_SYSTEM_DENSE_MAX, entries up to 1e50 in size, else FINF_EDOM. */
finf_status finf_stream_new_matrix(const double *B, size_t n, unsigned long long dim,
                                   const finf_stream_options *opt, finf_stream **out,
                                   finf_reason *why);
/* n steps with k vectors of state S whose numbers change from step to step: y = w_t - sum_i out_i
 * S_i, then S_i <- decay_i S_i + in_i y, and z_t = gain y (theory 12.5). numbers: n rows, each of
 * gain, then k of decay, of out and of in; copied. 1 <= n <= FINF_SYSTEM_MAX, 1 <= k <=
 * FINF_BLT_BUFFERS_MAX, 0 < gain <= 1e50, |decay| <= 1, out and in up to 1e300 in size and their
 * products finite, else FINF_EDOM. */
finf_status finf_stream_new_recursion(const double *numbers, size_t n, size_t k,
                                      unsigned long long dim, const finf_stream_options *opt,
                                      finf_stream **out, finf_reason *why);
/* Wipes the key and the state. */
void finf_stream_free(finf_stream *s);

/* z of the next step: `count` doubles or floats into out. FINF_EDOM where the steps are used up;
 * FINF_ENOMEM: no room for the transforms, and the stream is as it was. */
finf_status finf_stream_next(finf_stream *s, void *out, finf_reason *why);
/* On by so many steps. A finite beta costs the same whatever their number; a recursion, as that of
 * blt and nu, runs through them. With a cancel the transforms of a whole run are made here, also
 * for 0 steps, where the first finf_stream_next would make them: that looks at none. FINF_EDOM as
 * above; FINF_ETOL: cancel (may be NULL) stopped it, and the stream is FINF_EUSAGE until it is
 * restored; but one that was stopped in its transforms is as it was. */
finf_status finf_stream_skip(finf_stream *s, unsigned long long steps, const finf_cancel *cancel,
                             finf_reason *why);

typedef struct {
    const char *generator;    /* of w */
    const char *method;       /* "independent", "buffers", "past noise", "past inputs", .. */
    size_t memory;            /* vectors of state */
    unsigned long long dim;   /* coordinates of the whole, */
    unsigned long long first; /* the first of this stream, */
    size_t count;             /* and how many it has */
    unsigned long long step;  /* the next one */
    unsigned long long steps; /* that there are; 0: any number */
    double sigma;             /* of w */
    finf_stream_dtype dtype;  /* of what finf_stream_next writes */
    int seeded;               /* the key is a seed's: for experiments, no privacy */
} finf_stream_facts;

/* A copy, with static strings. Cannot fail. */
finf_stream_facts finf_stream_describe(const finf_stream *s);
/* The key, for workers that have other coordinates of the same noise. A secret. */
void finf_stream_key(const finf_stream *s, unsigned char key[FINF_STREAM_KEY]);

/* Key, step and state, as bytes with a version and a checksum (theory 13.7): what it takes to go on
 * with the same bits. A secret. `size` is the room in out, at least finf_stream_state_size(s), else
 * FINF_EDOM. */
size_t finf_stream_state_size(const finf_stream *s);
finf_status finf_stream_state(const finf_stream *s, unsigned char *out, size_t size,
                              finf_reason *why);
/* Brings a stream to that state; it must have been made of the same noise, sigma, dim, and
 * coordinates (dtype may differ; the key is the state's). FINF_EPARSE: not such bytes, or damaged;
 * FINF_EDOM: of another stream. The stream is then as it was. */
finf_status finf_stream_restore(finf_stream *s, const unsigned char *in, size_t size,
                                finf_reason *why);

/* ---- privacy --------------------------------------------------------------------------------- */

/* rho-zCDP and (epsilon, delta), for one participation and "zero-out" adjacency     theory 8
 * zcdp:     for every rho-zCDP mechanism, by the best Renyi order: sufficient, not exact (8.1)
 * gauss:    exact for this mechanism, which is one Gaussian of mu = sqrt(2 rho) (8.2)
 * domain:   1e-30 <= rho <= 1e30, 0 <= epsilon <= 1e30, 1e-300 <= delta < 1, else FINF_EDOM, as
 *           where no such rho gives epsilon at delta
 * method:   zcdp: a scan of orders, then Brent's minimiser; gauss: Mills' ratios; inverses by
 *           bisection
 * accuracy: error covers rounding, and for an inverse what that does to it; the least over orders
 *           is approached from above. tests/tables/privacy.inc
 * failure:  NaN */
finf_status finf_epsilon_zcdp(double rho, double delta, finf_real *epsilon, finf_reason *why);
finf_status finf_epsilon_gauss(double rho, double delta, finf_real *epsilon, finf_reason *why);
finf_status finf_delta_zcdp(double rho, double epsilon, finf_real *delta, finf_reason *why);
finf_status finf_delta_gauss(double rho, double epsilon, finf_real *delta, finf_reason *why);
finf_status finf_rho_zcdp(double epsilon, double delta, finf_real *rho, finf_reason *why);
finf_status finf_rho_gauss(double epsilon, double delta, finf_real *rho, finf_reason *why);
/* rho = 1/(2 z^2) of the noise multiplier z = sigma/(G gamma), 1e-15 <= z <= 1e15 */
finf_status finf_rho_multiplier(double z, finf_real *rho);

/* Three things are called noise multiplier. */
typedef struct {
    finf_real over_sensitivity; /* sigma/(G gamma), what privacy accountants take */
    finf_real over_clip;        /* sigma/G, what DP-SGD libraries take */
    finf_real sigma;            /* standard deviation of w_t */
} finf_multipliers;
/* 1/sqrt(2 rho), that times gamma, and that times G; gamma2 is the squared sensitivity, with its
 * error. +inf where gamma2 is. accuracy: error covers that of gamma2, and rounding */
finf_multipliers finf_noise_multipliers(const finf_privacy_setting *set, finf_real gamma2);
/* x, which a rho enters that has itself an error (as one found from epsilon and delta): with what
 * that does to it, where x is a sum of parts like 1/rho, like rho^-1/2, and without rho. */
finf_real finf_privacy_widen(finf_real x, finf_real rho);
/* d sigma^2 = d G^2 gamma^2/(2 rho): E|w_t|^2 in d dimensions */
double finf_noise_variance(const finf_privacy_setting *set, double gamma2, double d);

/* ---- audit: what a noise that is given really has -------------------------------------------- */

/* What a list of coefficients, or a matrix, is. */
#define FINF_AUDIT_COEF_LIST(X)                                                                    \
    X(FINF_AUDIT_NOISING, 0, "noising", "beta, or B: the noise is Bw")                             \
    X(FINF_AUDIT_STRATEGY, 1, "strategy", "c, or C = B^{-1}")
typedef enum { FINF_AUDIT_COEF_LIST(FINF_CHOICE_ENUM_) } finf_audit_coef;
const char *finf_audit_coef_name(finf_audit_coef coef);

/* How bad a finding is. */
#define FINF_AUDIT_LEVEL_LIST(X)                                                                   \
    X(FINF_AUDIT_NOTE, 0, "note", "worth knowing")                                                 \
    X(FINF_AUDIT_WARNING, 1, "warning", "not what it seems, or holds with a condition")            \
    X(FINF_AUDIT_ERROR, 2, "error", "less private than was said, or not the matrix that was meant")
typedef enum { FINF_AUDIT_LEVEL_LIST(FINF_CHOICE_ENUM_) } finf_audit_level;
const char *finf_audit_level_name(finf_audit_level level);

typedef struct {
    finf_audit_level level;
    char text[384]; /* one line */
} finf_audit_finding;

/* What can be claimed of a noise: the words of finf_audit_result. */
#define FINF_AUDIT_CLAIM_LIST(X)                                                                   \
    X(FINF_AUDIT_SENS2, 0, "sens2", "squared sensitivity to the participations")                   \
    X(FINF_AUDIT_GAMMA2, 1, "gamma2", "that of all time, one participation")                       \
    X(FINF_AUDIT_PREFIX, 2, "prefix_error", "variances of all prefix sums, added up, sigma = 1")   \
    X(FINF_AUDIT_PREFIX_MEAN, 3, "prefix_error_mean", "their mean")                                \
    X(FINF_AUDIT_PREFIX_MAX, 4, "prefix_error_max", "the largest")                                 \
    X(FINF_AUDIT_MEAN_LOSS, 5, "mean_loss", "sens2 prefix_error_mean")                             \
    X(FINF_AUDIT_MAX_LOSS, 6, "max_loss", "sens2 prefix_error_max")                                \
    X(FINF_AUDIT_RHO, 7, "rho", "zCDP of sigma")                                                   \
    X(FINF_AUDIT_EPSILON, 8, "epsilon", "of sigma and delta")
typedef enum { FINF_AUDIT_CLAIM_LIST(FINF_CHOICE_ENUM_) } finf_audit_quantity;
const char *finf_audit_quantity_name(finf_audit_quantity quantity);

typedef struct {
    finf_audit_quantity of;
    double value;     /* 1e-50 to 1e50 */
    double tolerance; /* absolute: by so much the truth may differ */
} finf_audit_claim;

#define FINF_AUDIT_CLAIMS_MAX 9    /* one for each quantity */
#define FINF_AUDIT_FINDINGS_MAX 16 /* more are not kept */
#define FINF_AUDIT_MATRIX_MAX 4096 /* rows */

/* "sens2=6.3445,max_loss=28": *n claims into out. Each holds for what is within half a unit of
 * its last digit, but at most 1e-3 of it away and at least 1e-9. FINF_EPARSE: no such quantity, one
 * twice, no number; FINF_EDOM: a number that it cannot be. */
finf_status finf_audit_claims(const char *text, finf_audit_claim out[FINF_AUDIT_CLAIMS_MAX],
                              size_t *n, finf_reason *why);

typedef struct {
    /* steps of the run, up to FINF_SYSTEM_MAX; 0, the default: all time. A matrix or system has
     * its own, and any other number is FINF_EDOM */
    size_t steps;
    size_t participations;   /* k >= 1 of a user, default 1; more than 1 need steps */
    size_t separation;       /* b >= 1 steps between them, default 1 */
    finf_design_count count; /* how b is meant, default FINF_DESIGN_FIXED_ORDER */
    double sigma;            /* standard deviation of w, 1e-50 to 1e50; NaN, the default: none */
    double delta;            /* 1e-300 to 1; NaN, the default: no epsilon */
    double clip;             /* G, default 1 */
    double batch;            /* gradients that are added up, >= 1; NaN, the default: not known */
    const finf_audit_claim *claims; /* borrowed during the call */
    size_t n_claims;                /* default 0 */
    finf_cancel cancel;             /* of the participations, polled between the other steps */
} finf_audit_options;

finf_audit_options finf_audit_options_default(void);

typedef struct {
    const char *kind;      /* the noise's family, "matrix", or what a system is called */
    size_t steps;          /* 0: all time */
    finf_real sens2;       /* squared sensitivity to what was asked: +inf with the reason */
    int sens2_exact;       /* attained; 0: a proved upper bound, as the signs of X are mixed */
    finf_real sens2_lower; /* what is attained; sens2 where exact */
    finf_real gamma2;      /* gamma_inf^2; NaN for a matrix, and where it is not decided */
    finf_real gamma2_T;    /* of the steps, one participation; NaN without them */
    int minimum_phase;     /* 1 or 0; -1: a matrix, or not decided */
    /* variance of prefix sum t at sigma = 1, NaN without steps: the sum over t (of curve and
     * finf_system_facts too), the mean, and the largest */
    finf_real prefix_error, prefix_error_mean, prefix_error_max;
    finf_real mean_loss; /* sens2 times the last two */
    finf_real max_loss;
    finf_real rho;     /* G^2 sens2/(2 sigma^2); NaN without sigma */
    finf_real epsilon; /* at delta, exact for a Gaussian (theory 8.2); NaN without these */
    size_t findings;   /* what one should know: */
    finf_audit_finding finding[FINF_AUDIT_FINDINGS_MAX];
    finf_reason reason; /* why a number is infinite or not there; of a failure */
} finf_audit_result;

/* What a noise has, computed anew, and findings                                     theory 13.8
 * An infinite sensitivity; noising and strategy coefficients mixed up; an upper triangular matrix;
 * a sigma for the sum that looks like one for the mean, or the reverse; and claims that do not
 * hold, with the slip that explains them: another k or b by one, one participation, another way to
 * count, a root, a factor 2 or 4 of adjacency, noising for strategy, a transpose, sum for mean.
 * noise:    any Toeplitz noise
 * matrix:   n x n, row by row, lower triangular; what is upper triangular is audited as its
 *           transpose, with a finding
 * system:   any other; what the constructor says of it is taken
 * domain:   opt as there, (k-1) b < n, n <= FINF_AUDIT_MATRIX_MAX for a matrix, entries up to 1e50
 *           in size, none on the diagonal below 1e-50; else FINF_EDOM (no steps for several
 *           participations: FINF_EUSAGE). As finf_system_participation where c increases
 * method:   sensitivities as theory 2 and 6.5; prefix sums from beta, B or K in long double
 * accuracy: errors cover rounding: of a matrix's inverse by its residual, bounded through |C||B|
 * failure:  NaN everywhere, and no findings; FINF_ETOL: cancelled */
finf_status finf_audit_noise(const finf_noise *noise, const finf_audit_options *opt,
                             finf_audit_result *out);
finf_status finf_audit_matrix(const double *matrix, size_t n, finf_audit_coef coef,
                              const finf_audit_options *opt, finf_audit_result *out);
finf_status finf_audit_system(const finf_system *system, const finf_audit_options *opt,
                              finf_audit_result *out);

/* ---- the paper's errata ---------------------------------------------------------------------- */

/* A correction to the paper: what it prints beside what is computed here. */
typedef struct {
    const char *what; /* what the two numbers are of */
    double printed, computed, computed_error;
    const char *also; /* a second pair that belongs to it; NULL and NaN where there is none */
    double also_printed, also_computed, also_computed_error;
    char note[640]; /* why */
} finf_erratum;

size_t finf_errata_count(void);
/* number = 1 .. finf_errata_count(), else FINF_EDOM (theory 10) */
finf_status finf_errata_get(size_t number, finf_erratum *out);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
