/* The bound of a given noise: its domain, its value, and the lower bounds beside it (theory 7). */
#ifndef FINF_BOUND_H
#define FINF_BOUND_H

#include "certificate.h"
#include "program.h"
#include "solver.h"

/* ---- domain.c: every `why` may be NULL ---------------------------------------------- */

enum {
    SOCP_GRID_MOST = 1000000, /* nodes of a uniform grid */
    SOCP_FIR_MOST = 2000,     /* lags of a finite multiplier */
    SOCP_LAST_MOST = 10000    /* K of last:K, for the lower bounds: panels from zero to zero of A */
};
#define SOCP_KAPPA_MOST 1e12
#define SOCP_SLOW_LEAST 1e-13 /* of eta mu, the slowest mode */
/* Positive eta, kappa >= 1, L and d: what the closed forms need. */
finf_status socp_check_sizes(double eta, double kappa, double smooth, double dim, finf_reason *why);
/* The privacy setting, which here may have clip = 0: no privacy noise. */
finf_status socp_check_privacy(const finf_privacy_setting *p, finf_reason *why);
/* All that finf_iqc, finf_tune_iqc and finf_optimize need: see finf_iqc_check. */
finf_status socp_check(double eta, double kappa, const finf_iqc_options *o, finf_reason *why);

/* What an optimizer makes of eta, kappa and L. */
typedef struct socp_loop_means socp_loop_means;
typedef struct {
    double eta;                /* As given. */
    double kappa, smooth;      /* With the weight decay V in both curvatures. */
    double decay;              /* V */
    const finf_optimizer *opt; /* NULL for plain sgd. */
    int has_loop;              /* It is not theta -= eta g. */
    socp_loop loop;            /* If so; L = 1. */
    int averaged;              /* What is reported is A Theta: so are the lower bounds. */
    int has_lower;             /* 0: averages too long for them. */
    socp_loop_means *means;    /* Its means for one noise; NULL until they are made. */
} socp_setting;
socp_setting socp_setting_make(double eta, double kappa, double smooth, const finf_optimizer *o);
/* The step that decides on which scales the noise matters: eta L, or the effective one of an
 * optimizer, at most 1. */
double socp_setting_step(const socp_setting *s);
/* The model for L = 1; it points to s->loop. */
socp_model socp_setting_model(const socp_setting *s, int dist);
/* The means of the reported point, averaged if it is; noise NULL: B = 1. */
finf_status socp_setting_means(const socp_setting *s, const finf_noise *noise,
                               socp_loop_means **out);
/* Does some quadratic diverge? If so, *h is its curvature (without V), and why says it. */
int socp_setting_diverges(const socp_setting *s, double *h, finf_reason *why);

/* ---- the multipliers of a bound -------------------------------------------------------------- */

typedef struct {
    socp_basis basis;
    double *x; /* The unknowns of the basis; NULL if there is no bound. */
} socp_multipliers;
/* ---- unit_bound.c ---------------------------------------------------------------------------- */
int socp_uses_ecos(const finf_iqc_options *o); /* Is the solver asked for ECOS, and there? */
/* Fills in the solver's part of the result, *re and *cert; kept as in socp_iqc. */
finf_status socp_solve_unit(const socp_model *mo, const finf_noise *noise, double kappa,
                            const finf_iqc_options *opt, socp_weights weights, finf_iqc_result *out,
                            socp_recomputed *re, socp_certificate *cert, socp_multipliers *kept);

/* ---- iqc.c: the whole ------------------------------------------------------------------------ */
finf_iqc_result socp_iqc_failed(const finf_iqc_options *o); /* of which nothing is known yet */
/* finf_iqc; kept, if not NULL: the multipliers of the bound, which are then the caller's. */
finf_status socp_iqc(const finf_noise *noise, double eta, double kappa, const finf_iqc_options *opt,
                     finf_iqc_result *out, socp_multipliers *kept);

/* ---- loop_quadratic.c: the same means for an optimizer's closed loops (theory 11.4) ---------- */

/* Nodes for the means of |B|^2 |A G_h|^2 and |A G_h|^2 over all h in [mu, 1]; noise NULL: B = 1;
 * average NULL: A = 1, else that of this optimizer. */
finf_status socp_loop_means_make(const finf_noise *noise, const socp_model *mo,
                                 const finf_optimizer *average, socp_loop_means **out);
void socp_loop_means_free(socp_loop_means *m);
/* mean (|B|^2 + sgd_ratio) |A G_h|^2, and its relative error. */
double socp_loop_mean(const socp_loop_means *m, double h, double sgd_ratio, double *relerr);
/* The largest over mixtures p of curvatures, of sum 1, that was found of
 *     dp (mean sqrt(sum p_i c_i |A G_i|^2))^2 + sgd sum p_i c_i mean|A G_i|^2,
 * c = h/2, or 1/2 for dist: each is below the worst case of every noise. B is not looked at. */
enum { SOCP_MIXTURE = 33 }; /* curvatures, even in log h */
/* p: NULL, or that many numbers, the mixture. */
finf_status socp_loop_mixture(const socp_loop_means *m, int dist, socp_weights weights,
                              finf_real *value, double *p);
/* sum p_i c_i |G_i|^2 at w: of all noise |B|^2 = K^{-1/2} is best for the mixture. */
double socp_mixture_at(const socp_loop *l, double mu, int dist, const double *p, double w);

/* ---- worst_quadratic.c (theory 7.8) ---------------------------------------------------------- */

/* The largest over h in [mu, 1] of the DP value + sgd_ratio times the SGD value on the quadratic of
 * curvature h, L = 1; *h is where. means: for an optimizer, or an average, those of the noise; NULL
 * for an optimizer: they are made, without an average. */
finf_status socp_quadratic(const finf_noise *noise, const socp_model *mo,
                           const socp_loop_means *means, int dist, double sgd_ratio,
                           finf_real *value, double *h);
/* The same for unit gradient noise alone. */
finf_status socp_quadratic_sgd(const socp_model *mo, int dist, finf_real *value, double *h);
/* What no Toeplitz noise is below, with the weights of o (theory 7.9, 11.4). means: for an
 * optimizer or an average, of whatever noise; NULL: some quadratic diverges, and it is +inf. NaN
 * where !has_lower. */
finf_status socp_minimax(const socp_setting *s, const socp_loop_means *means,
                         const finf_iqc_options *o, finf_real *value);

#endif
