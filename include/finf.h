/* finf: how well private learning with correlated noise can do.
 *
 * The whole public interface of libfinf; the only header installed.
 * Notation is that of the paper: theta_{t+1} = theta_t - eta (g_t + z_t), z_t = sum_tau beta_tau w_{t-tau},
 * B(w) = sum_t beta_t e^{-iwt}, c = 1/beta as power series, gamma^2 = sum c_t^2, sigma^2 = G^2 gamma^2/(2 rho).
 *
 * Conventions: inputs first and const, then options (NULL: the defaults), then outputs. Arrays passed in are
 * copied, never kept. What a function allocates has a NULL-safe _free. The library never prints, exits or reads
 * files, and stays inside the domain of GSL, so that its aborting error handler is reached at most for want of memory. A failed
 * call leaves value = NaN, error = INFINITY in every finf_real it would have filled. Objects are not changed once made (but by
 * finf_spectrum_normalize), so several threads may share them; FFTW plans are made under one lock of ours. */
#ifndef FINF_H
#define FINF_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define FINF_VERSION "0.1.0"

/* ---- status -------------------------------------------------------------------------------------------- */

/* One list for everything: name, exit code of the command line, text. */
#define FINF_STATUS_LIST(X)                                                                                                \
    X(FINF_OK, 0, "answered")                                                                                              \
    X(FINF_EUSAGE, 2, "usage")                                                                                             \
    X(FINF_EDOM, 3, "input outside the domain")                                                                            \
    X(FINF_EPARSE, 3, "malformed input")                                                                                   \
    X(FINF_ETOL, 4, "tolerance not reached")                                                                               \
    X(FINF_EIO, 5, "input or output failed")                                                                               \
    X(FINF_ENOMEM, 5, "out of memory")

#define FINF_STATUS_ENUM_(name, code, text) name,
typedef enum { FINF_STATUS_LIST(FINF_STATUS_ENUM_) FINF_STATUS_COUNT } finf_status;
#undef FINF_STATUS_ENUM_

const char *finf_status_name(finf_status s); /* "FINF_EDOM" */
const char *finf_status_text(finf_status s); /* "input outside the domain" */
int finf_status_exit(finf_status s);         /* 3 */

/* Why a call failed, or why an answer is infinite: one line, no newline, empty when there is nothing to say.
 * Every `finf_reason *why` may be NULL. */
typedef struct {
    char text[256];
} finf_reason;

/* ---- numbers with their error -------------------------------------------------------------------------- */

typedef enum {
    FINF_ESTIMATE, /* |value - true| <= error is expected */
    FINF_BOUND     /* |value - true| <= error, with every rounding accounted for */
} finf_kind;

typedef struct {
    double value, error;
    finf_kind kind;
    const char *method; /* a static string, e.g. "Carlson RF, RJ" */
} finf_real;

/* ---- special functions (ellint/) ----------------------------------------------------------------------- */

/* Complete elliptic integrals by *complementary* parameter m1 = 1 - k^2 > 0, so nothing is lost near k = 1. */
finf_status finf_ellint_k(double m1, finf_real *out);            /* K */
finf_status finf_ellint_e(double m1, finf_real *out);            /* E */
finf_status finf_ellint_pi(double p, double m1, finf_real *out); /* Pi(n, k), p = 1 - n > 0 */
finf_status finf_agm(double x, double y, finf_real *out);        /* arithmetic-geometric mean, x, y > 0 */

finf_status finf_ellint_j0(double a, finf_real *out);           /* int dw / |1-a-e^{iw}|, 0 < a < 2 */
finf_status finf_ellint_j1(double a, double b, finf_real *out); /* int dw / (|1-a-e^{iw}| |1-b-e^{iw}|^2) */
finf_status finf_ellint_i(double a, double b, finf_real *out);  /* int |1-a-e^{iw}| / |1-b-e^{iw}|^2 dw */

/* ---- noise: the families of beta (bounds/) ------------------------------------------------------------- */

typedef struct finf_noise finf_noise;

finf_status finf_noise_sgd(finf_noise **out);
finf_status finf_noise_nu(double nu, finf_noise **out, finf_reason *why);
finf_status finf_noise_power(double p, double nu, finf_noise **out, finf_reason *why);
finf_status finf_noise_antipgd(double nu, finf_noise **out, finf_reason *why);
finf_status finf_noise_cc(finf_noise **out);
finf_status finf_noise_fir(const double *beta, size_t n, finf_noise **out, finf_reason *why);
finf_status finf_noise_strategy(const double *c, size_t n, finf_noise **out, finf_reason *why);
/* C(z) = 1 + sum_i scale_i z / (1 - decay_i z), B = 1/C */
finf_status finf_noise_blt(const double *decay, const double *scale, size_t n, finf_noise **out, finf_reason *why);
/* B(z) = prod_i (1 - (1-nu_i) z)^{r_i}, 0 < nu_i < 2: minimum phase whatever the r_i. */
finf_status finf_noise_product(const double *nu, const double *r, size_t n, finf_noise **out, finf_reason *why);
/* |B|^2 = s_j at w_j, 0 <= w_0 < w_1 < .. <= pi; B is the minimum-phase factor. w = NULL: uniform from 0 to pi. */
finf_status finf_noise_spectrum(const double *w, const double *s, size_t n, finf_noise **out, finf_reason *why);
void finf_noise_free(finf_noise *noise);

const char *finf_noise_family(const finf_noise *noise); /* "nu" */
/* The noise as the command line spells it, with every digit: "nu:0.01". FINF_EDOM when it does not fit in `size` bytes or has
 * no such spelling (spectrum). */
finf_status finf_noise_spell(const finf_noise *noise, char *out, size_t size);

/* The first n noising coefficients beta_t, and strategy coefficients c_t. */
finf_status finf_noise_beta(const finf_noise *noise, size_t n, double *beta, finf_reason *why);
finf_status finf_noise_coef(const finf_noise *noise, size_t n, double *c, finf_reason *why);

/* |B(w)|^2, and B(w) itself as (Re, Im), with its phase (minimum phase where only |B| is given). */
double finf_noise_density(const finf_noise *noise, double w);
void finf_noise_response(const finf_noise *noise, double w, double re_im[2]);

/* A hint at the smallest frequency on which |B| still varies: where a quadrature starts to look. In (0, 1]. */
double finf_noise_scale(const finf_noise *noise);

typedef struct {
    finf_real gamma2;  /* gamma_inf^2; +inf with the reason */
    int minimum_phase; /* B has no zero in |z| <= 1 */
    finf_reason reason;
} finf_sensitivity;

finf_status finf_noise_sensitivity(const finf_noise *noise, finf_sensitivity *out);
/* gamma_T^2 = sum_{t<T} c_t^2; may be +inf by overflow, with the reason. 1 <= T <= FINF_STEPS_MAX. */
#define FINF_STEPS_MAX 1000000000u
finf_status finf_noise_sensitivity_at(const finf_noise *noise, size_t T, finf_real *gamma2, finf_reason *why);

/* T(b) = sum_{t,s} beta_t beta_s (1-b)^{|t-s|} for 0 < b < 2. relerr bounds every entry's relative error.
 * +inf (OK, with the reason) where beta is not square-summable. */
finf_status finf_noise_energy(const finf_noise *noise, const double *b, size_t n, double *T, double *relerr,
                              finf_reason *why);

/* c with beta * c = 1 as power series mod z^n. beta_0 != 0. O(n log n), or O(n m) for m <= 128 and where c grows
 * exponentially (B not minimum phase): there an FFT's rounding would drown it. */
finf_status finf_series_inverse(const double *beta, size_t m, size_t n, double *c, finf_reason *why);

/* ---- spectra of the Hessian H -------------------------------------------------------------------------- */

typedef struct finf_spectrum finf_spectrum;

#define FINF_DIM_MAX 1000000000000000.0 /* 1e15: integers are still exact in a double */

finf_status finf_spectrum_power(double a, double d, finf_spectrum **out, finf_reason *why); /* k^-a */
finf_status finf_spectrum_exp(double r, double d, finf_spectrum **out, finf_reason *why);   /* e^{-r(k-1)} */
finf_status finf_spectrum_flat(double d, finf_spectrum **out, finf_reason *why);            /* 1 */
finf_status finf_spectrum_step(double d, finf_spectrum **out, finf_reason *why);            /* 1, 1/d, 1/d, .. */
finf_status finf_spectrum_list(const double *lambda, size_t n, finf_spectrum **out, finf_reason *why);
void finf_spectrum_free(finf_spectrum *s);

/* Divides every eigenvalue by the largest, so that ||H|| = 1. */
finf_status finf_spectrum_normalize(finf_spectrum *s);

double finf_spectrum_dim(const finf_spectrum *s);
double finf_spectrum_max(const finf_spectrum *s);
double finf_spectrum_min(const finf_spectrum *s);
double finf_spectrum_trace(const finf_spectrum *s);
double finf_spectrum_at(const finf_spectrum *s, double k); /* lambda_k, k = 1..d */

/* ---- what is common to every problem ------------------------------------------------------------------- */

typedef struct {
    double rho;       /* zCDP parameter, default 1 */
    double clip;      /* clip norm G, default 1 */
    double sigma_sgd; /* gradient noise, default 0 */
} finf_privacy_setting;

finf_privacy_setting finf_privacy_setting_default(void);

/* ---- mean estimation ----------------------------------------------------------------------------------- */

typedef struct {
    finf_real gamma2, F;
    double F_optimal, F_sgd; /* over all noise; independent noise */
    int stable;              /* eta < 2 */
    finf_reason reason;
} finf_mean_result;

finf_status finf_mean(const finf_noise *noise, double eta, const finf_privacy_setting *set, finf_mean_result *out);

/* ---- linear regression --------------------------------------------------------------------------------- */

typedef struct {
    finf_privacy_setting privacy;
    double kurtosis; /* excess kurtosis of the independent input coordinates; 0 = Gaussian, >= -2 */
    int optimum;     /* also compute the optimum over all noise (default 1) */
} finf_linreg_options;

finf_linreg_options finf_linreg_options_default(void);

typedef struct {
    double d, d_eff, trace, lambda_max, lambda_min;
    finf_real gamma2;
    finf_real exact;       /* inputs of the given kurtosis */
    finf_real lti;         /* a lower bound for any inputs */
    finf_real upper;       /* for inputs with this R^2 and C_kurt; +inf where it does not apply */
    finf_real optimum;     /* the least `exact` over all noise */
    finf_real optimum_lti; /* the least `lti` over all noise */
    double floor;          /* the paper's universal lower bound of `lti` */
    double R2, C_kurt, D;
    int stable;
    finf_reason reason;       /* why exact is infinite */
    finf_reason upper_reason; /* why upper is infinite */
} finf_linreg_result;

finf_status finf_linreg(const finf_noise *noise, double eta, const finf_spectrum *s, const finf_linreg_options *opt,
                        finf_linreg_result *out);

/* The largest eta for which `exact` is finite. */
finf_status finf_linreg_eta_max(const finf_spectrum *s, double kurtosis, double *eta);

typedef struct {
    double lambda, T, exact, lti;
} finf_direction;
/* Directions k[0..n-1], each from 1 to d: T and the summands of `exact` and `lti`. Needs eta lambda_max < 2. */
finf_status finf_linreg_directions(const finf_noise *noise, double eta, const finf_spectrum *s,
                                   const finf_linreg_options *opt, const double *k, size_t n, finf_direction *out);

/* The paper's rates with unit constants: F_inf of DP-SGD and of nu = eta mu. */
typedef struct { double sgd, nu; } finf_rates;
finf_status finf_rates_power(double a, double d, double eta, const finf_privacy_setting *set, finf_rates *out);
finf_status finf_rates_spectrum(const finf_spectrum *s, double eta, const finf_privacy_setting *set, finf_rates *out);

/* ---- mu-strongly convex, L-smooth F: the IQC bound (socp/) --------------------------------------------- */

typedef enum {
    FINF_IQC_SHARP,      /* F - F*, with causality multipliers: the default                       MATH 7.4 */
    FINF_IQC_FVAL,       /* F - F*, smooth strongly convex interpolation                           MATH 7.2 */
    FINF_IQC_DIST,       /* (L/2) |theta|^2, the paper's                                           MATH 7.2 */
    FINF_IQC_SHARP_DIST  /* (L/2) |theta|^2 with causality multipliers                             MATH 7.4 */
} finf_iqc_bound;

typedef enum {
    FINF_IQC_GENERAL, /* every F: the default */
    FINF_IQC_ODD,     /* F symmetric about theta* only */
    FINF_IQC_PAPER    /* the printed sign: symmetric F only; below the truth for others               MATH 7.1 */
} finf_iqc_class;

typedef enum { FINF_IQC_CONSTANTS_SHARP, FINF_IQC_CONSTANTS_PAPER } finf_iqc_constants; /*            MATH 7.3 */
typedef enum { FINF_IQC_NEWTON, FINF_IQC_ECOS } finf_iqc_solver;                        /*            MATH 7.6 */

typedef struct {
    finf_privacy_setting privacy;
    double smooth;                /* L > 0, default 1; mu = L/kappa */
    double dim;                   /* d >= 1, default 1 */
    finf_iqc_bound bound;
    finf_iqc_class multipliers;
    finf_iqc_constants constants;
    finf_iqc_solver solver;
    size_t grid_uniform;          /* 0: clustered nodes (auto); k: k uniform points on (-pi, pi)     MATH 7.5 */
    size_t fir;                   /* 0: compact basis; T: h_t and c_t for |t| <= T                   MATH 7.5 */
    double gap;                   /* relative gap asked of the solver, default 1e-8 */
    int certify;                  /* prove the bound in ball arithmetic; default 0                   MATH 7.8 */
    int (*cancel)(void *);        /* NULL, or polled: nonzero stops the solver (FINF_ETOL) */
    void *cancel_data;
} finf_iqc_options;

finf_iqc_options finf_iqc_options_default(void);

/* F_inf <= bound for every mu-strongly convex, L-smooth F of the class. The bound is recomputed on the continuum
 * from the multipliers alone (MATH 7.8); the solver's own objective is grid_value: what the paper would print for
 * grid_uniform = 1000, and not a bound. */
typedef struct {
    finf_real gamma2;
    finf_real bound;                   /* d sigma^2 unit_bound + sigma_sgd^2 unit_sgd */
    double unit_bound, unit_sgd;       /* per unit-variance w and per unit E|what|^2, d = 1, no gamma^2 */
    double quadratic_lower;            /* the worst quadratic, same units as bound                  MATH 7.8 */
    double unit_quadratic_lower;
    double quadratic_h;                /* its curvature */
    double minimax_lower;              /* over all noise, same units as bound                       MATH 7.9 */
    const char *solver, *solver_status; /* "newton" | "ecos"; "optimal", .. */
    int iterations, solver_code;       /* solver_code: ECOS's exit code, 0 for newton's optimum */
    double grid_value, solver_gap;     /* the solver's objective (unit of bound), its relative gap */
    size_t grid_points, basis_size;
    double a_min;                      /* smallest a(w) found, relative to its size: > 0 */
    double repair;                     /* relative increase of h_0 needed to make the multiplier feasible */
    int certified;                     /* proved in ball arithmetic */
    double certified_upper;            /* rigorous upper end, same units as bound; NaN if not certified */
    double seconds, certify_seconds;
    finf_reason reason;
} finf_iqc_result;

/* domain: kappa >= 1, 0 < eta L < 2, B minimum phase (else bound = +inf with the reason)
 * FINF_ETOL: the solver did not reach its gap; bound is still a valid bound, or NaN if there is none. */
finf_status finf_iqc(const finf_noise *noise, double eta, double kappa, const finf_iqc_options *opt,
                     finf_iqc_result *out);

/* max over h in [mu, L] of the stationary value on the quadratic of curvature h, unit-variance w   MATH 7.8
 * dist: (L/2) E theta^2 in place of F. */
finf_status finf_iqc_quadratic(const finf_noise *noise, double eta, double kappa, double smooth, int dist,
                               finf_real *value, double *h);

/* d (G^2/2rho) (eta^2 L/2) gamma_inf(nu = eta L)^4 + sgd part: no Toeplitz noise does better.        MATH 7.9 */
double finf_iqc_minimax(double eta, double smooth, double dim, const finf_privacy_setting *set);


/* ---- the noise optimised for it ------------------------------------------------------------------------ */

typedef struct {
    finf_iqc_options iqc; /* which bound, class, constants, solver; certify applies to the noise found */
    double tol;           /* relative change at which to stop, default 1e-6 */
    int max_rounds;       /* default 100 */
    size_t factors;       /* sharp: factors of B, default 12 */
} finf_optimize_options;

finf_optimize_options finf_optimize_options_default(void);

typedef struct {
    finf_iqc_result iqc;  /* of the noise found */
    finf_noise *noise;    /* a product (sharp) or a density on the grid (fval, dist); owned */
    double bound_sgd;     /* independent noise */
    double bound_nu, nu;  /* the best nu and its bound */
    double *history;      /* bound after each round of the best start, rounds + 1 numbers, never increasing; owned */
    size_t rounds;
    size_t starts;
    double spread;        /* (worst - best)/best of the bounds the starts ended with */
    double minimax_lower, gap; /* MATH 7.9; gap = bound / minimax_lower */
    size_t n;             /* the grid, and on it: |B|^2, psi (per unit |B|^2), Re and Im of Lambda; owned, one block in w */
    double *w, *density, *psi, *lambda_re, *lambda_im;
} finf_optimize_result;

/* A stationary point, the best of several starts; never above the best nu (sharp). Same domain as finf_iqc. */
finf_status finf_optimize(double eta, double kappa, const finf_optimize_options *opt, finf_optimize_result *out);
void finf_optimize_result_free(finf_optimize_result *r);

/* The best nu in (0, 1] for each problem, with the value it gives. */
finf_status finf_tune_iqc(double eta, double kappa, const finf_iqc_options *opt, double *nu, finf_iqc_result *out);
finf_status finf_tune_linreg(double eta, const finf_spectrum *s, const finf_linreg_options *opt, double *nu,
                             finf_linreg_result *out);
finf_status finf_tune_mean(double eta, const finf_privacy_setting *set, double *nu, finf_mean_result *out);

/* A simulated lower bound: the stationary F - F* of a non-quadratic F under this noise, one dimension, per unit-variance w. */
typedef enum {
    FINF_WORST_HUBER,     /* curvature L for |x| < delta, mu outside */
    FINF_WORST_ASYMMETRIC /* curvature mu for x > 0, L for x < 0 */
} finf_worst_kind;

typedef struct {
    finf_worst_kind kind;
    double delta;        /* Huber's knee, the worst of those tried */
    double mean, error;  /* E[F - F*] per unit-variance w and its standard error */
    double steps;
} finf_worst_result;

finf_status finf_iqc_simulate(const finf_noise *noise, double eta, double kappa, double smooth, finf_worst_kind kind,
                              unsigned long long seed, double relative_error, finf_worst_result *out);

/* ---- privacy ------------------------------------------------------------------------------------------- */

finf_status finf_epsilon_zcdp(double rho, double delta, finf_real *epsilon);
finf_status finf_epsilon_gauss(double rho, double delta, finf_real *epsilon);
finf_status finf_delta_zcdp(double rho, double epsilon, finf_real *delta);
finf_status finf_delta_gauss(double rho, double epsilon, finf_real *delta);
finf_status finf_rho_zcdp(double epsilon, double delta, finf_real *rho);
finf_status finf_rho_gauss(double epsilon, double delta, finf_real *rho);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
