/* Matrices of b bands and of recursions beside the dense design, where its dual leaves a gap.
 * (theory 12.2) */
#ifndef FINF_DENSE_BAND_H
#define FINF_DENSE_BAND_H

#include "design.h"

/* The better one of *out and *other by their losses, with what is known of all noise, into *out;
 * the other one is freed. */
void dense_keep_better(finf_design_result *other, finf_design_result *out);
/* The noise in *out is replaced by the best matrix of `separation` bands, or by that of the best
 * recursion of four vectors (theory 12.5), where one has a smaller loss in this run; what is proved
 * of all noise stays. u: weights of an objective that is a sum.
 * Stopped by the run's cancel, with the best so far. FINF_ENOMEM: *out is as it was. */
finf_status dense_try_bands(const finf_design *r, const double *u, finf_design_result *out);

#endif
