/* The bound of a given noise: its domain, its value, and the lower bounds beside it (theory 7). */
#ifndef FINF_BOUND_H
#define FINF_BOUND_H

#include "certificate.h"
#include "program.h"
#include "solver.h"

/* ---- iqc.c: the domain; every `why` may be NULL ---------------------------------------------- */

enum {
    SOCP_GRID_MOST = 1000000, /* nodes of a uniform grid */
    SOCP_FIR_MOST = 2000      /* lags of a finite multiplier */
};
#define SOCP_KAPPA_MOST 1e12
#define SOCP_SLOW_LEAST 1e-13 /* of eta mu, the slowest mode */
/* Positive eta, kappa >= 1, L and d: what the closed forms need. */
finf_status socp_check_sizes(double eta, double kappa, double smooth, double dim, finf_reason *why);
/* The privacy setting, which here may have clip = 0: no privacy noise. */
finf_status socp_check_privacy(const finf_privacy_setting *p, finf_reason *why);
/* All that finf_iqc, finf_tune_iqc and finf_optimize need: see finf_iqc_check. */
finf_status socp_check(double eta, double kappa, const finf_iqc_options *o, finf_reason *why);

/* ---- iqc.c: the bound ------------------------------------------------------------------------ */

typedef struct {
    socp_basis basis;
    double *x; /* The unknowns of the basis; NULL if there is no bound. */
} socp_multipliers;
finf_iqc_result socp_iqc_failed(const finf_iqc_options *o); /* of which nothing is known yet */
/* finf_iqc; kept, if not NULL: the multipliers of the bound, which are then the caller's. */
finf_status socp_iqc(const finf_noise *noise, double eta, double kappa, const finf_iqc_options *opt,
                     finf_iqc_result *out, socp_multipliers *kept);

/* ---- worst_quadratic.c (theory 7.8) ---------------------------------------------------------- */

/* The largest over h in [mu, 1] of the DP value + sgd_ratio times the SGD value on the quadratic of
 * curvature h, L = 1; *h is where. */
finf_status socp_quadratic(const finf_noise *noise, double eta, double kappa, int dist,
                           double sgd_ratio, finf_real *value, double *h);

#endif
