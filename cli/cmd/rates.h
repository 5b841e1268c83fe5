/* The three tables of finf rates. */
#ifndef FINF_RATES_H
#define FINF_RATES_H

#include "cmd.h"

/* What a table runs over: lambda_k = k^-a for each decay a, each dimension, each eta. */
typedef struct {
    setting privacy;
    double *decays, *dims, *etas; /* owned by cmd_rates */
    size_t n_decays, n_dims, n_etas;
} rate_axes;

/* Table 2: the noise of prior work, at every point of the axes. */
finf_status show_prior_rates(const rate_axes *x, doc *d, finf_reason *why);
/* The finite-time corollaries, and the theorem without clipping. */
finf_status show_finite_rates(const args *a, doc *d, finf_reason *why);

#endif
