/* Matrices of b bands beside the dense design, where its dual leaves a gap. (theory 12.2) */
#ifndef FINF_DENSE_BAND_H
#define FINF_DENSE_BAND_H

#include "design.h"

/* The noise in *out is replaced by the best Toeplitz one, or by the best matrix of `separation`
 * bands, where that has a smaller loss in this run; what is proved of all noise stays. u: weights
 * of an objective that is a sum. Stopped by the run's cancel, with the best so far. FINF_ENOMEM:
 * *out is as it was, or better. */
finf_status dense_try_bands(const finf_design *r, const double *u, finf_design_result *out);

#endif
