/* finf: how well private learning with correlated noise can do.
 *
 * The whole public interface of libfinf; the only header installed.
 * Notation is that of the paper: theta_{t+1} = theta_t - eta (g_t + z_t), z_t = sum_tau beta_tau
 * w_{t-tau}, B(w) = sum_t beta_t e^{-iwt}, c = 1/beta as power series, gamma^2 = sum c_t^2, sigma^2
 * = G^2 gamma^2/(2 rho).
 *
 * Conventions: inputs first and const, then options (NULL: the defaults), then outputs. Arrays
 * passed in are copied, never kept. What a function allocates has a NULL-safe _free. The library
 * never prints, exits or reads files. A failed call leaves value = NaN, error = INFINITY in every
 * finf_real it would have filled. Objects are not changed once made (but by
 * finf_spectrum_normalize), so several threads may share them; FFTW plans are made under one lock
 * of ours.
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
 * crashes, where the Newton solver does not. */
#ifndef FINF_H
#define FINF_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define FINF_VERSION "0.1.0"

/* ---- what it is made of ---------------------------------------------------------------------- */

typedef struct {
    const char *name;    /* "GSL", "FFTW", "FLINT", "Arb", "ECOS", "compiler"; NULL: no more */
    const char *version; /* NULL: not found */
    const char *where;   /* ECOS: the file it is in, or why it was not found; else "" */
} finf_part;

/* The parts of this library, i = 0, 1, .. Loads ECOS, which is otherwise loaded when first used. */
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

const char *finf_status_name(finf_status s); /* "FINF_EDOM" */
const char *finf_status_text(finf_status s); /* "input outside the domain" */
int finf_status_exit(finf_status s);         /* 3 */

/* Why a call failed, or why an answer is infinite: one line, no newline, empty when there is
 * nothing to say. Every `finf_reason *why` may be NULL. */
typedef struct {
    char text[256];
} finf_reason;

/* A way to stop what takes long: polled now and then, by the thread that works; nonzero stops it.
 * The call then ends with FINF_ETOL and the best that there is. */
typedef struct {
    int (*poll)(void *data); /* NULL: never stops */
    void *data;
} finf_cancel;

/* Every choice below is a list of this kind: the constant, its number, its word (that of the
 * command line, in its order) and what it means. finf_.._name gives the word, and NULL for a number
 * that is no choice. */
#define FINF_CHOICE_ENUM_(constant, number, word, meaning) constant = number,

/* ---- numbers with their error ---------------------------------------------------------------- */

typedef enum {
    FINF_ESTIMATE, /* |value - true| <= error is expected */
    FINF_BOUND     /* |value - true| <= error, with every rounding accounted for */
} finf_kind;

typedef struct {
    double value, error;
    finf_kind kind;
    const char *method; /* a static string, e.g. "Carlson RF, RJ" */
} finf_real;

/* ---- special functions (ellint/) ------------------------------------------------------------- */

/* Complete elliptic integrals by *complementary* parameter m1 = 1 - k^2 > 0, so nothing is lost
 * near k = 1. */
finf_status finf_ellint_k(double m1, finf_real *out);            /* K */
finf_status finf_ellint_e(double m1, finf_real *out);            /* E */
finf_status finf_ellint_pi(double p, double m1, finf_real *out); /* Pi(n, k), p = 1 - n > 0 */
/* arithmetic-geometric mean, x, y > 0 */
finf_status finf_agm(double x, double y, finf_real *out);

/* int dw / |1-a-e^{iw}|, 0 < a < 2 */
finf_status finf_ellint_j0(double a, finf_real *out);
/* int dw / (|1-a-e^{iw}| |1-b-e^{iw}|^2) */
finf_status finf_ellint_j1(double a, double b, finf_real *out);
/* int |1-a-e^{iw}| / |1-b-e^{iw}|^2 dw */
finf_status finf_ellint_i(double a, double b, finf_real *out);

/* ---- noise: the families of beta (bounds/) --------------------------------------------------- */

typedef struct finf_noise finf_noise;

finf_status finf_noise_sgd(finf_noise **out);
finf_status finf_noise_nu(double nu, finf_noise **out, finf_reason *why);
finf_status finf_noise_power(double p, double nu, finf_noise **out, finf_reason *why);
finf_status finf_noise_antipgd(double nu, finf_noise **out, finf_reason *why);
finf_status finf_noise_cc(finf_noise **out);
finf_status finf_noise_fir(const double *beta, size_t n, finf_noise **out, finf_reason *why);
finf_status finf_noise_strategy(const double *c, size_t n, finf_noise **out, finf_reason *why);
/* C(z) = 1 + sum_i scale_i z / (1 - decay_i z), B = 1/C */
finf_status finf_noise_blt(const double *decay, const double *scale, size_t n, finf_noise **out,
                           finf_reason *why);
/* B(z) = prod_i (1 - (1-nu_i) z)^{r_i}, 0 < nu_i < 2: minimum phase whatever the r_i. */
finf_status finf_noise_product(const double *nu, const double *r, size_t n, finf_noise **out,
                               finf_reason *why);
/* |B|^2 = s_j at w_j, 0 <= w_0 < w_1 < .. <= pi; B is the minimum-phase factor. w = NULL: uniform
 * from 0 to pi. */
finf_status finf_noise_spectrum(const double *w, const double *s, size_t n, finf_noise **out,
                                finf_reason *why);
void finf_noise_free(finf_noise *noise);

/* How a family is written. finf_noise_form_get(0), (1), .. are all of them; after the last one the
 * name is NULL. */
typedef struct {
    const char *name;  /* what stands before the colon: "nu" */
    const char *form;  /* the whole: "nu:V" */
    const char *about; /* what it is, in a line */
    int file;          /* may its numbers come from finf_noise_from_table? */
    const char *pairs; /* then: what pairs (x, y) are, "w, |B|^2"; NULL: y alone is taken */
} finf_noise_form;
finf_noise_form finf_noise_form_get(size_t i);

/* A noise as the command line spells it: "nu:0.01", "blt:0.9,0.5;0.2,0.1". FINF_EPARSE, FINF_EDOM
 * with the reason. */
finf_status finf_noise_parse(const char *text, finf_noise **out, finf_reason *why);
/* The noise `name` of n numbers y, or of n pairs (x, y); x may be NULL. */
finf_status finf_noise_from_table(const char *name, const double *x, const double *y, size_t n,
                                  finf_noise **out, finf_reason *why);

const char *finf_noise_family(const finf_noise *noise); /* "nu" */
/* The noise as the command line spells it, with every digit: "nu:0.01". FINF_EDOM when it does not
 * fit in `size` bytes or has no such spelling (spectrum). */
finf_status finf_noise_spell(const finf_noise *noise, char *out, size_t size);

/* The first n noising coefficients beta_t, and strategy coefficients c_t. */
finf_status finf_noise_beta(const finf_noise *noise, size_t n, double *beta, finf_reason *why);
finf_status finf_noise_coef(const finf_noise *noise, size_t n, double *c, finf_reason *why);

/* |B(w)|^2, and B(w) itself as (Re, Im), with its phase (minimum phase where only |B| is given). */
double finf_noise_density(const finf_noise *noise, double w);
void finf_noise_response(const finf_noise *noise, double w, double re_im[2]);

/* A hint at the smallest frequency on which |B| still varies: where a quadrature starts to look. In
 * (0, 1]. */
double finf_noise_scale(const finf_noise *noise);

typedef struct {
    finf_real gamma2;  /* gamma_inf^2; +inf with the reason */
    int minimum_phase; /* B has no zero in |z| <= 1 */
    finf_reason reason;
} finf_sensitivity;

finf_status finf_noise_sensitivity(const finf_noise *noise, finf_sensitivity *out);
/* gamma_T^2 = sum_{t<T} c_t^2; may be +inf by overflow, with the reason. 1 <= T <= FINF_STEPS_MAX.
 */
#define FINF_STEPS_MAX 1000000000u
finf_status finf_noise_sensitivity_at(const finf_noise *noise, size_t T, finf_real *gamma2,
                                      finf_reason *why);

/* T(b) = sum_{t,s} beta_t beta_s (1-b)^{|t-s|} for 0 < b < 2. relerr bounds every entry's relative
 * error. +inf (OK, with the reason) where beta is not square-summable. */
finf_status finf_noise_energy(const finf_noise *noise, const double *b, size_t n, double *T,
                              double *relerr, finf_reason *why);

/* c with beta * c = 1 as power series mod z^n. beta_0 != 0. O(n log n), or O(n m) for m <= 128 and
 * where c grows exponentially (B not minimum phase): there an FFT's rounding would drown it. */
finf_status finf_series_inverse(const double *beta, size_t m, size_t n, double *c,
                                finf_reason *why);

/* ---- spectra of the Hessian H ---------------------------------------------------------------- */

typedef struct finf_spectrum finf_spectrum;

#define FINF_DIM_MAX 1000000000000000.0 /* 1e15: integers are still exact in a double */

/* k^-a */
finf_status finf_spectrum_power(double a, double d, finf_spectrum **out, finf_reason *why);
/* e^{-r(k-1)} */
finf_status finf_spectrum_exp(double r, double d, finf_spectrum **out, finf_reason *why);
finf_status finf_spectrum_flat(double d, finf_spectrum **out, finf_reason *why); /* 1 */
/* 1, 1/d, 1/d, .. */
finf_status finf_spectrum_step(double d, finf_spectrum **out, finf_reason *why);
finf_status finf_spectrum_list(const double *lambda, size_t n, finf_spectrum **out,
                               finf_reason *why);
void finf_spectrum_free(finf_spectrum *s);

/* Divides every eigenvalue by the largest, so that ||H|| = 1. */
finf_status finf_spectrum_normalize(finf_spectrum *s);

double finf_spectrum_dim(const finf_spectrum *s);
double finf_spectrum_max(const finf_spectrum *s);
double finf_spectrum_min(const finf_spectrum *s);
double finf_spectrum_trace(const finf_spectrum *s);
/* lambda_k, k = 1..d; NaN for any other k */
double finf_spectrum_at(const finf_spectrum *s, double k);

/* ---- what is common to every problem --------------------------------------------------------- */

typedef struct {
    double rho;       /* zCDP parameter, default 1 */
    double clip;      /* clip norm G, default 1 */
    double sigma_sgd; /* gradient noise, default 0 */
} finf_privacy_setting;

finf_privacy_setting finf_privacy_setting_default(void);

/* ---- mean estimation ------------------------------------------------------------------------- */

typedef struct {
    finf_real gamma2, F;
    finf_real F_optimal, F_sgd; /* over all noise; independent noise */
    int stable;                 /* eta < 2 */
    finf_reason reason;
} finf_mean_result;

finf_status finf_mean(const finf_noise *noise, double eta, const finf_privacy_setting *set,
                      finf_mean_result *out);

/* ---- linear regression ----------------------------------------------------------------------- */

typedef struct {
    finf_privacy_setting privacy;
    double kurtosis; /* excess kurtosis of the independent input coordinates; 0 = Gaussian, >= -2 */
    int optimum;     /* also compute the optimum over all noise (default 1) */
} finf_linreg_options;

finf_linreg_options finf_linreg_options_default(void);

typedef struct {
    double d, d_eff, trace, lambda_max, lambda_min;
    finf_real gamma2;
    finf_real exact; /* inputs of the given kurtosis */
    finf_real lti;   /* a lower bound for any inputs */
    /* for inputs with this R^2 and C_kurt; +inf unless eta (R^2 + lambda_max) < 2 */
    finf_real upper;
    finf_real optimum;     /* the least `exact` over all noise */
    finf_real optimum_lti; /* the least `lti` over all noise */
    finf_real floor;       /* the paper's universal lower bound of `lti` */
    double R2, C_kurt, D;
    int stable;
    finf_reason reason;       /* why exact is infinite */
    finf_reason upper_reason; /* why upper is infinite */
} finf_linreg_result;

finf_status finf_linreg(const finf_noise *noise, double eta, const finf_spectrum *s,
                        const finf_linreg_options *opt, finf_linreg_result *out);

/* The largest eta for which `exact` is finite. */
finf_status finf_linreg_eta_max(const finf_spectrum *s, double kurtosis, double *eta);

typedef struct {
    double lambda, T, exact, lti;
} finf_direction;
/* Directions k[0..n-1], each from 1 to d: T and the summands of `exact` and `lti`. Needs eta
 * lambda_max < 2. */
finf_status finf_linreg_directions(const finf_noise *noise, double eta, const finf_spectrum *s,
                                   const finf_linreg_options *opt, const double *k, size_t n,
                                   finf_direction *out);

/* The paper's rates with unit constants: F_inf of DP-SGD, of nu = eta mu, and its lower bound for
 * every noise. */
typedef struct {
    double sgd, nu, floor;
} finf_rates;
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
    double nu;     /* the damping, at most 1; 0 where there is none */
    double growth; /* the law of gamma^2: log T, log(1/nu), T or 1/nu */
    double rate;   /* the paper's rate of F_inf with unit constants; +inf where it diverges */
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
/* The same with slope 1: the geometric mean of y/x; NaN where there is no point. */
double finf_log_constant(const double *x, const double *y, size_t n, size_t stride);

/* ---- mu-strongly convex, L-smooth F: the IQC bound (socp/) ----------------------------------- */

/* sharp (the default): F - F* with causality multipliers, for independent w or martingale
 * differences: E<theta_t, w_{t+k}> = 0 needs w of mean zero given the past (theory 7.4). gaussian:
 * sharp for Gaussian w, and gradient noise that does not depend on theta (socp/program/stein.c).
 * fval: F - F* by smooth strongly convex interpolation alone (theory 7.2). dist: (L/2) |theta|^2,
 * the paper's (theory 7.2). sharp-dist: that with causality multipliers, for the same w as sharp.
 */
#define FINF_IQC_BOUND_LIST(X)                                                                     \
    X(FINF_IQC_SHARP, 0, "sharp",                                                                  \
      "F - F* with causality, for independent w (or martingale differences)")                      \
    X(FINF_IQC_GAUSSIAN, 4, "gaussian", "for Gaussian w")                                          \
    X(FINF_IQC_FVAL, 1, "fval", "without")                                                         \
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
    finf_privacy_setting privacy;
    double smooth; /* L > 0, default 1; mu = L/kappa */
    double dim;    /* d >= 1, default 1 */
    finf_iqc_bound bound;
    finf_iqc_class multipliers;
    finf_iqc_constants constants;
    finf_iqc_solver solver; /* the result names the one that answered */
    /* 0: clustered nodes (auto); k: k uniform points on (-pi, pi) (theory 7.5) */
    size_t grid_uniform;
    size_t fir;         /* 0: compact basis; T: h_t and c_t for |t| <= T (theory 7.5) */
    double gap;         /* relative gap asked of the solver, default 1e-8 */
    int certify;        /* prove the bound in ball arithmetic; default 0 (theory 7.8) */
    finf_cancel cancel; /* of the solver, the recomputation and the proof */
} finf_iqc_options;

finf_iqc_options finf_iqc_options_default(void);

/* F_inf <= bound for every mu-strongly convex, L-smooth F of the class. The bound is recomputed on
 * the continuum from the multipliers alone (theory 7.8); the solver's own objective is grid_value:
 * what the paper would print for grid_uniform = 1000, and not a bound. */
typedef struct {
    finf_real gamma2;
    finf_real bound;             /* d sigma^2 unit_bound + sigma_sgd^2 unit_sgd */
    double unit_bound, unit_sgd; /* per unit-variance w and per unit E|what|^2, d = 1, no gamma^2 */
    finf_real quadratic_lower;   /* the worst quadratic, same units as bound (theory 7.8) */
    finf_real unit_quadratic_lower;
    double quadratic_h;                 /* its curvature */
    finf_real minimax_lower;            /* over all noise, same units as bound (theory 7.9) */
    const char *solver, *solver_status; /* of the bound: "newton" | "ecos"; "optimal", .. */
    int iterations, solver_code;        /* solver_code: ECOS's exit code, 0 for newton's optimum */
    /* the solver's objective (unit of bound), its relative gap */
    double grid_value, solver_gap;
    size_t grid_points, basis_size;
    double a_min;           /* smallest a(w) found, relative to its size: > 0 */
    double repair;          /* relative increase of h_0 needed to make the multiplier feasible */
    int certified;          /* proved in ball arithmetic */
    double certified_upper; /* rigorous upper end, same units as bound; NaN if not certified */
    double seconds, certify_seconds;
    finf_reason reason;
} finf_iqc_result;

/* domain: kappa >= 1, 0 < eta L < 2, B minimum phase (else bound = +inf with the reason)
 * FINF_ETOL: the solver did not reach its gap; bound is still a valid bound, or NaN if there is
 * none. */
finf_status finf_iqc(const finf_noise *noise, double eta, double kappa, const finf_iqc_options *opt,
                     finf_iqc_result *out);

/* max over h in [mu, L] of the stationary value on the quadratic of curvature h, unit-variance w
 * (theory 7.8) dist: (L/2) E theta^2 in place of F. */
finf_status finf_iqc_quadratic(const finf_noise *noise, double eta, double kappa, double smooth,
                               int dist, finf_real *value, double *h);

/* d (G^2/2rho) (eta^2 L/2) gamma_inf(nu = eta L)^4 + sgd part: no Toeplitz noise does better.
 * (theory 7.9) dist: (L/2)|theta|^2 in place of F, and the larger of the quadratics mu and L. +inf
 * where eta L >= 2. */
finf_status finf_iqc_minimax(double eta, double kappa, int dist, double smooth, double dim,
                             const finf_privacy_setting *set, finf_real *value);

/* ---- the noise optimised for it -------------------------------------------------------------- */

typedef struct {
    /* which bound, class, constants, solver; certify applies to the noise found */
    finf_iqc_options iqc;
    double tol;     /* relative change at which to stop, default 1e-6 */
    int max_rounds; /* default 100 */
    /* of B for sharp and gaussian, default 12 (fval and dist take 16 + 2 log2 kappa) */
    size_t factors;
} finf_optimize_options;

finf_optimize_options finf_optimize_options_default(void);

typedef struct {
    finf_iqc_result iqc; /* of the noise found */
    finf_noise *noise;   /* a product, or nu or sgd where nothing is better; owned */
    double bound_sgd;    /* independent noise */
    double bound_nu, nu; /* the best nu and its bound */
    /* bound after each round of the best start, rounds + 1 numbers, never increasing; owned */
    double *history;
    size_t rounds;
    size_t starts;
    /* (worst - best)/best of the bounds the starts ended with (causal: the second to 1e-4, or
     * where the first ended, once Newton's step leads there) */
    double spread;
    finf_real minimax_lower; /* theory 7.9 */
    double gap;              /* bound / minimax_lower */
    /* the grid, and on it: |B|^2, psi (per unit |B|^2), Re and Im of Lambda = h_0 - sum h_t
     * e^{-iwt} (theory 7.1) and of the causality multiplier X of <S, W> (socp.h; gaussian: with
     * stein.c's columns, their cost in psi), L = 1, for this |B|^2; owned, one block in w; 0
     * where eta L >= 2 */
    size_t n;
    double *w, *density, *psi, *lambda_re, *lambda_im, *causal_re, *causal_im;
} finf_optimize_result;

/* A stationary point, the best of several starts (for eta L > 1 there are many); never above the
 * best nu (sharp, gaussian). Same domain as finf_iqc. */
finf_status finf_optimize(double eta, double kappa, const finf_optimize_options *opt,
                          finf_optimize_result *out);
void finf_optimize_result_free(finf_optimize_result *r);

/* The best nu in (0, 1] for each problem, with the value it gives. */
finf_status finf_tune_iqc(double eta, double kappa, const finf_iqc_options *opt, double *nu,
                          finf_iqc_result *out);
finf_status finf_tune_linreg(double eta, const finf_spectrum *s, const finf_linreg_options *opt,
                             double *nu, finf_linreg_result *out);
finf_status finf_tune_mean(double eta, const finf_privacy_setting *set, double *nu,
                           finf_mean_result *out);

/* A simulated lower bound: the stationary F - F* of a non-quadratic F under this noise, one
 * dimension, per unit-variance w. sgd_ratio: sigma_sgd/sigma, the size of independent gradient
 * noise beside it. */
typedef enum {
    FINF_WORST_HUBER,     /* curvature L for |x| < delta, mu outside */
    FINF_WORST_ASYMMETRIC /* curvature mu for x > 0, L for x < 0 */
} finf_worst_kind;

typedef struct {
    finf_worst_kind kind;
    double delta;       /* Huber's knee, the worst of those tried */
    double mean, error; /* E[F - F*] per unit-variance w and its standard error */
    double steps;
} finf_worst_result;

finf_status finf_iqc_simulate(const finf_noise *noise, double eta, double kappa, double smooth,
                              double sgd_ratio, finf_worst_kind kind, unsigned long long seed,
                              double relative_error, const finf_cancel *cancel,
                              finf_worst_result *out);

/* ---- systems: the noise of n steps ----------------------------------------------------------- */

/* A strategy matrix C (one row a measurement, n columns) and a decoder. Everything is said by two n
 * x n matrices: X = C'C, which gives the sensitivity, and K, the covariance of the noise added to
 * the n gradients (sigma = 1). Where C is square and decoded by its inverse B, K = BB' = X^{-1}.
 * With A the lower triangle of ones, error = tr(A K A') = ||A C^{-1}||_F^2 is the error of the n
 * prefix sums, and loss = sens2 * error. (theory 6) */
typedef struct finf_system finf_system;

#define FINF_SYSTEM_MAX 10000000u   /* steps */
#define FINF_SYSTEM_DENSE_MAX 8192u /* steps, where an n x n matrix is needed */
#define FINF_SYSTEM_EPOCHS_MAX 2e7  /* n k^2, of finf_system_epochs */

typedef struct {
    finf_cancel cancel; /* while it is made */
} finf_system_options;

finf_system_options finf_system_options_default(void);

/* Any Toeplitz noise: sgd is DP-SGD, cc is Optimal CC, nu is nu-DP-FTRL. */
finf_status finf_system_toeplitz(const finf_noise *noise, size_t n, finf_system **out,
                                 finf_reason *why);
/* The nu that has the least loss of n steps among (1-(1-nu)z)^power, 0 < power <= 1 (1/2:
 * nu-DP-FTRL), to 1e-4 of itself; the sensitivity is to k participations b apart (k = 1: b does not
 * matter). O(n k) a trial, some 60 of them. */
finf_status finf_system_tune(double power, size_t n, size_t k, size_t b,
                             const finf_system_options *opt, double *nu, finf_reason *why);
/* Binary tree of the complete dyadic nodes in 0..n-1. `tree`: prefix t is the sum of the nodes of
 * t's binary digits. `honaker`: each of them is averaged with what its finished subtree says
 * (online). `full-honaker`: least squares over the whole tree. */
finf_status finf_system_tree(size_t n, finf_system **out, finf_reason *why);
finf_status finf_system_honaker(size_t n, finf_system **out, finf_reason *why);
finf_status finf_system_full_honaker(size_t n, finf_system **out, finf_reason *why);
/* A embedded in the circulant of size 2n, factored by the square root of its modulus. */
finf_status finf_system_fft(size_t n, finf_system **out, finf_reason *why);
/* The least loss of all, one participation. */
finf_status finf_system_me(size_t n, const finf_system_options *opt, finf_system **out,
                           finf_reason *why);
/* The least fixed_order times error (see finf_participation) of all, where a user takes part in
 * every epoch of b steps, always at the same place: k = ceil(n/b) participations. Scaled to
 * fixed_order = 1. 1 <= n <= FINF_SYSTEM_DENSE_MAX, n k^2 <= FINF_SYSTEM_EPOCHS_MAX; b >= n is
 * `me`. */
finf_status finf_system_epochs(size_t n, size_t b, const finf_system_options *opt,
                               finf_system **out, finf_reason *why);
/* C Toeplitz with c_0..c_{bands-1}, the least loss found (a stationary point, started from the next
 * one). */
finf_status finf_system_banded(size_t n, size_t bands, const finf_system_options *opt,
                               finf_system **out, finf_reason *why);
/* Optimal CC's c cut to `bands` coefficients. */
finf_status finf_system_banded_sqrt(size_t n, size_t bands, finf_system **out, finf_reason *why);
void finf_system_free(finf_system *s);

typedef struct {
    /* "nu", "cc", "tree", "honaker", "full-honaker", "fft", "me", "banded", "banded-sqrt" */
    const char *name;
    size_t n, bands;       /* bands: 0 where C is not banded */
    finf_real sens2;       /* one participation: max_i X_ii */
    finf_real error, loss; /* of the prefix sums; loss = sens2 error */
    finf_real gamma_inf2;  /* Toeplitz: lim sens2 as n grows; NaN for the others */
    /* me: the k and b its loss is least for (1 and n, or the epochs); 0 for the others */
    size_t participations, separation;
    /* me: no C has a smaller loss for these (the dual value); NaN for the others */
    double lower;
    int iterations;                /* me, banded */
    double seconds;                /* that the generation took */
    const char *timed;             /*   of what: the noise of any step can be computed from it */
    const char *matrix;            /* the paper's variants table: what B is */
    int anytime;                   /*   whether it does not depend on n */
    const char *generation, *step; /* costs here, n steps */
    const char *paper_generation, *paper_step; /* costs in that table; "" where it has no row */
} finf_system_facts;

finf_system_facts finf_system_describe(const finf_system *s);

/* X and K, row-major n x n, n <= FINF_SYSTEM_DENSE_MAX. O(n^2) for all but me (40 n^2, or 100 k n^2
 * for k epochs) and honaker (n^2 + n log^2 n). */
finf_status finf_system_gram(const finf_system *s, double *X, finf_reason *why);
finf_status finf_system_covariance(const finf_system *s, double *K, finf_reason *why);
/* The lower triangular B with BB' = K. O(n^3/3) but for Toeplitz noise. For me, C = B^{-1} has C'C
 * = X. */
finf_status finf_system_noising(const finf_system *s, const finf_system_options *opt, double *B,
                                finf_reason *why);

/* One coordinate of the noise of all n steps: z = Mw, MM' = K, from 2n independent normals w of
 * variance 1. O(n log n), but for me B is made (and not kept: for more coordinates take
 * finf_system_noising). */
finf_status finf_system_draw(const finf_system *s, const finf_system_options *opt, const double *w,
                             double *z, finf_reason *why);

/* Several participations of one user: sum over i, j in a pattern of |X_ij|, the largest over
 * patterns of at most k steps. That is the squared sensitivity of the pattern where X >= 0, and an
 * upper bound of it elsewhere. Two ways to count: fixed_order: steps exactly b apart (every epoch
 * in the same order; also called b-cyclic, or (k,b)-participation); min_sep:     steps at least b
 * apart (b-min-separation), of which the former is a part. */
typedef struct {
    size_t k, b;
    double fixed_order;   /* exact */
    size_t first;         /* the worst pattern's first step */
    double fixed_lower;   /* what contributions u or -u attain there: equal where X >= 0 */
    double min_sep;       /* exact, or an upper bound by dynamic programs and a search cut short */
    double min_sep_lower; /* what contributions u or -u attain in the worst pattern found */
    int exact;            /* min_sep is attained, to 1e-9: it is the squared sensitivity */
    int nonnegative;      /* X >= 0, to 1e-9 of its largest entry */
    const char *method;   /* of min_sep */
} finf_participation;

/* O(n k) for Toeplitz c >= 0 that never increases; else n <= FINF_SYSTEM_DENSE_MAX, O(n^2 k), or
 * O(n^2) if k >= n/b, and at most a second of search where the bounds do not meet. */
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
    finf_privacy_setting privacy;
    double kurtosis; /* as in finf_linreg_options */
    /* |theta_0 - theta*|^2, in equal parts along the eigenvectors; default 1 */
    double start;
    /* or (theta_0 - theta*)_j^2 for each direction j = 1..d (borrowed); default NULL */
    const double *start_at;
    finf_curve_gamma gamma;
    double sens2; /* > 0: instead of either, e.g. for several participations; default 0 */
    /* up to this many directions one by one, beyond by the nodes of the spectral measure;
     * default 512 */
    size_t direct_max;
    finf_cancel cancel; /* of the recursion */
} finf_curve_options;

finf_curve_options finf_curve_options_default(void);

typedef struct {
    size_t n;       /* steps */
    double *F;      /* E[F(theta_t) - F*], t = 0..n; owned */
    double relerr;  /* of every entry (an estimate) */
    finf_real last; /* F[n] */
    double sens2, sigma2;
    size_t directions;  /* or nodes, in the recursion */
    int nodes;          /* the spectral measure was used */
    finf_reason reason; /* why an entry is infinite */
} finf_curve_result;

/* Inputs of independent coordinates along the eigenvectors with the given kurtosis (0: Gaussian).
 * Clipping is not modelled. eta may be too large: the curve then grows, which is an answer. O(d) a
 * step for Toeplitz noise, O(d t) at step t for others. */
finf_status finf_curve(const finf_system *system, double eta, const finf_spectrum *s,
                       const finf_curve_options *opt, finf_curve_result *out);
void finf_curve_result_free(finf_curve_result *r);

/* F(theta_0) - F* = start Tr H/(2d), where start = |theta_0 - theta*|^2 is in equal parts along the
 * eigenvectors. */
double finf_curve_gap(const finf_spectrum *s, double start);

/* Theorem lr-finite-noclip: (sqrt((L/mu) e^{-eta mu t} F0) + sqrt(F_inf))^2 bounds every curve with
 * gamma_inf from F(theta_0) - F* = F0. +inf where eta R^2 < 1 fails or F_inf is infinite. */
finf_status finf_curve_bound(const finf_noise *noise, double eta, const finf_spectrum *s,
                             const finf_linreg_options *opt, double F0, const double *t, size_t n,
                             double *bound, finf_reason *why);

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
    double rho, sigma_sgd;
    FINF_RATE_CONSTANT_LIST(FINF_RATE_FIELD_)
} finf_rate_options;
#undef FINF_RATE_FIELD_

finf_rate_options finf_rate_options_default(void);

typedef struct {
    double value; /* the four terms' sum, on E[(F(theta_T) - F*) 1_E] */
    double gap;   /* what is left of the initial gap: (L/mu) exp(-mu eta1 T) */
    /* privacy noise, as far as the clip norm is set by |theta_0 - theta*|; polylog(T) included,
     * as below */
    double start;
    double dp;  /* privacy noise, as far as the clip norm is set by sigma_sgd */
    double sgd; /* gradient noise */
    double polylog;
    double T_left, T_right; /* "T large enough": T / log^q(T/p), and what it must reach */
    double T_min;           /* the T that does */
    int valid;              /* T_left >= T_right */
    double kappa, d_eff, d, trace, mu, lambda_max;
    /* the largest learning rate the corollary's proof allows: eta1, or the limit of c_eta */
    double eta_max;
    double clip;        /* theorem dp-main's clip norm G at eta_max */
    finf_reason reason; /* why not valid */
} finf_rate_result;

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
    finf_privacy_setting privacy;
    int clip_gradients;   /* default 0 */
    double kappa, smooth; /* Huber: default 10, 1 */
    /* Huber: 0, the default: the stationary rms on the quadratic of curvature L */
    double knee;
    /* 0, the default: stationary, sigma from gamma_inf; T: after T steps, sigma from gamma_T */
    size_t steps;
    /* steps > 0: |theta_0 - theta*|^2, in equal parts along the eigenvectors; default 1 */
    double start;
    /* or (theta_0 - theta*)_j^2 for each direction j = 1..d (borrowed); default NULL */
    const double *start_at;
    unsigned long long seed; /* default 1 */
    unsigned threads;        /* 1 to 256, default 1: the answer does not depend on it */
    double relative_error;   /* one standard error over the mean, at which to stop; default 0.01 */
    double max_steps;        /* over all chains, default 1e8 */
    finf_cancel cancel;      /* polled by every thread */
    /* NULL, or told now and then, by the calling thread: steps done, steps expected, mean and
     * standard error so far (or NaN) */
    void (*progress)(void *, double done, double expected, double mean, double error);
    void *progress_data;
} finf_simulate_options;

finf_simulate_options finf_simulate_options_default(void);

typedef struct {
    finf_real F;      /* E[F(theta) - F*]; error is one standard error, over independent chains */
    double low, high; /* 95% interval (Student) */
    finf_real exact;  /* where it is known; else NaN with exact_reason */
    finf_reason exact_reason;
    finf_real gamma2; /* gamma_inf^2, or gamma_T^2 */
    double knee;      /* Huber; else NaN */
    double steps;     /* all that were taken */
    double chains, chain_steps, burn_in;
    double clipped_fraction; /* of the gradients (after the burn-in); 0 without clip_gradients */
    const char *method;      /* of the noise: "independent", "rational recursion", "FFT blocks" */
    size_t method_size;      /* poles; length of a block */
    double seconds;
    finf_reason reason; /* of a failure, or why F is infinite */
} finf_simulate_result;

/* s: the spectrum of H for FINF_SIMULATE_LINREG, d <= FINF_SIMULATE_DIM_MAX; else NULL.
 * +inf (OK, with the reason) where it diverges or gamma is infinite. FINF_ETOL: relative_error not
 * reached at max_steps, or cancelled; F is then the best there is, or NaN. */
#define FINF_SIMULATE_DIM_MAX 100000
finf_status finf_simulate(const finf_noise *noise, finf_simulate_problem problem, double eta,
                          const finf_spectrum *s, const finf_simulate_options *opt,
                          finf_simulate_result *out);

/* ---- privacy --------------------------------------------------------------------------------- */

finf_status finf_epsilon_zcdp(double rho, double delta, finf_real *epsilon);
finf_status finf_epsilon_gauss(double rho, double delta, finf_real *epsilon);
finf_status finf_delta_zcdp(double rho, double epsilon, finf_real *delta);
finf_status finf_delta_gauss(double rho, double epsilon, finf_real *delta);
finf_status finf_rho_zcdp(double epsilon, double delta, finf_real *rho);
finf_status finf_rho_gauss(double epsilon, double delta, finf_real *rho);
/* rho = 1/(2 z^2) of the noise multiplier z = sigma/(G gamma), 1e-15 <= z <= 1e15 */
finf_status finf_rho_multiplier(double z, finf_real *rho);

/* Three things are called noise multiplier. */
typedef struct {
    double over_sensitivity; /* sigma/(G gamma), what privacy accountants take */
    double over_clip;        /* sigma/G, what DP-SGD libraries take */
    double sigma;            /* standard deviation of w_t */
} finf_multipliers;
finf_multipliers finf_noise_multipliers(const finf_privacy_setting *set, double gamma2);
/* d sigma^2 = d G^2 gamma^2/(2 rho): E|w_t|^2 in d dimensions */
double finf_noise_variance(const finf_privacy_setting *set, double gamma2, double d);

/* ---- the paper's errata ---------------------------------------------------------------------- */

/* A correction to the paper: what it prints beside what is computed here. */
typedef struct {
    const char *what; /* what the two numbers are of */
    double printed, computed;
    const char *also; /* a second pair that belongs to it; NULL and NaN where there is none */
    double also_printed, also_computed;
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
