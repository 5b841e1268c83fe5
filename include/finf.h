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
