/* Linear regression with any optimizer: regression.c, for linreg_optimizer.c and best_noise.c. */
#ifndef FINF_REGRESSION_H
#define FINF_REGRESSION_H

#include "filtered.h"

/* ---- of plain SGD: linreg.c, for linreg_search.c ----------------------------------------------
 */

/* A node of the spectral measure at the step size eta. The differences from 2 may be small, so they
 * are formed in schur_real; what is left is the error of lambda itself. */
typedef struct {
    schur_real b;    /* eta lambda */
    schur_real slow; /* 2 - b */
    schur_real damp; /* e = 2 - (2+kx) b of theory 5.1: for Gaussian inputs 2(1-b) */
    double b_error;  /* relative errors of the three */
    double slow_error;
    double damp_error;
} linreg_direction;

linreg_direction linreg_direction_at(const spectral_measure *m, size_t i, double eta,
                                     double kurtosis);
/* D of (5.d), with its error; -inf where a direction diverges alone. */
finf_real linreg_margin(const spectral_measure *m, double eta, double kurtosis);
/* Eigenvalues above this one stay single nodes. */
double linreg_separate_above(double eta, double kurtosis);

/* ---- of any optimizer ------------------------------------------------------------------------ */

/* How much faster than q itself a gain may change: a few powers of q, and of the distance to the
 * edge of stability. */
double gain_sensitivity(double q, double edge);

/* The directions at one step, each a node of the spectral measure, and what white noise does there.
 * (theory 11.3) */
typedef struct {
    const finf_optimizer *o;
    finf_cancel cancel;
    double eta, k;      /* k = 1 + kurtosis */
    spectral_measure m; /* lambda_j and weight_j; */
    int borrowed;       /* it is somebody else's */
    size_t n;
    int grouped;     /* fewer nodes than eigenvalues */
    double *h;       /* lambda_j + V */
    double *q;       /* eta h_j */
    double *x;       /* g_j lambda_j^2 */
    double *r;       /* 1/(1 - k x_j) */
    double *error;   /* relative, of g_j, by the eigenvalue's rounding too */
    filtered *at;    /* the gains for eta = 1 */
    finf_real D;     /* 1 - sum x_j r_j; -inf where a direction diverges alone */
    int loop_stable; /* the mean of theta converges */
} regression;

/* Gains of white noise alone, with the kurtosis, optimizer and cancel of o. fine: see
 * spectral_measure_make_fine. FINF_ETOL: a gain has not settled, or cancelled. */
finf_status regression_make(const finf_spectrum *s, const finf_linreg_options *o, double eta,
                            size_t fine, regression *out, finf_reason *why);
/* The same on nodes that were made for a step no smaller than this one, and stay the caller's. */
finf_status regression_on(const spectral_measure *m, const finf_spectrum *s,
                          const finf_linreg_options *o, double eta, regression *out,
                          finf_reason *why);
/* Above this eigenvalue none is grouped with others, for steps up to eta. */
double regression_separate(const finf_optimizer *o, double eta, double kurtosis);
void regression_free(regression *R);
/* Whether it is finite in mean square. */
static inline int regression_stable(const regression *R) { return R->D.value > 0; }

/* F_inf for privacy noise of variance sigma2, whose gains are in R->at if sigma2 > 0, and gradient
 * noise sgd2; *Q (may be NULL) is sum_j lambda_j S_j. For a stable R. */
finf_real regression_exact(const regression *R, double sigma2, double sgd2, double *Q);
/* Its lower bound for any inputs: without the multiplicative noise. For a stable loop. */
finf_real regression_lti(const regression *R, double sigma2, double sgd2);
/* The contribution of a direction of eigenvalue lambda with gains x to both; Q: see above. */
void regression_direction(const regression *R, double lambda, const filtered *x, double sigma2,
                          double sgd2, double Q, double *exact, double *lti);

/* Hx(w) of theory 11.3: the privacy part is (G^2/2rho) gamma^2 mean(|B|^2 Hx). */
typedef struct {
    const finf_optimizer *o;
    size_t n;
    double *q;    /* of R, borrowed */
    double *loss; /* (1/2) weight_j h_j eta^2, what stands before |A|^2 |G_j|^2, .. */
    double *more; /* .. and (1/2) weight_j v_j eta^2, before |G_j|^2 */
    double error; /* relative, of the whole */
} transfer;

/* exact = 0: of the lower bound, v = 0. Owns its arrays. */
finf_status transfer_make(const regression *R, int exact, transfer *out);
void transfer_free(transfer *x);
double transfer_at(const transfer *x, double t); /* Hx at t = tan(w/2) */
/* (mean Hx^{1/2})^2 */
finf_status transfer_optimum(const transfer *x, finf_real *out);

/* finf_linreg and finf_linreg_directions with an optimizer that is not plain; what they have
 * checked is not checked again. */
finf_status linreg_with_optimizer(const finf_noise *noise, double eta, const finf_spectrum *s,
                                  const finf_linreg_options *o, finf_linreg_result *out);
finf_status linreg_directions_with_optimizer(const finf_noise *noise, double eta,
                                             const finf_spectrum *s, const finf_linreg_options *o,
                                             const double *k, size_t n, finf_direction *out,
                                             finf_reason *why);
/* The largest eta that is stable in mean square. */
finf_status linreg_eta_max_with_optimizer(const finf_spectrum *s, const finf_linreg_options *o,
                                          finf_real *eta, finf_reason *why);

#endif
