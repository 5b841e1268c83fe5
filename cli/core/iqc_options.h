/* What iqc, optimize and tune read alike. */
#ifndef FINF_IQC_OPTIONS_H
#define FINF_IQC_OPTIONS_H

#include "cmd.h"
#include "problem.h"

/* The options of the bound, as the library takes them, but for privacy and the optimizer. */
finf_status read_iqc(const args *a, finf_iqc_options *out, finf_reason *why);
/* The library's domain (finf_iqc_check); and, unless --force, a uniform grid or finite multiplier
 * that eta*mu is too small for is refused with the size needed. */
finf_status check_iqc_sizes(const args *a, const finf_iqc_options *o, double eta, double kappa,
                            finf_reason *why);
/* The problem and the keys of a bound: shared by iqc, optimize and tune. minimax: with the lower
 * bound over all noise and the gap to it. */
void show_iqc(doc *d, const args *a, const problem *p, const finf_iqc_result *r, int minimax);
/* With --average: that the bound is of the points, and holds for their average. (theory 11.4) */
void show_bound_of(doc *d, const finf_iqc_options *o);
/* Why the bound is infinite or missing, or not certified. */
void show_iqc_reason(doc *d, const problem *p, const finf_iqc_result *r);
/* Is it a bound on (L/2) E|theta|^2, as then are the worst quadratic's value and the minimax beside
 * it? */
int iqc_is_dist(const finf_iqc_options *o);
/* What the minimax is, for its line in text. */
const char *iqc_minimax_note(const finf_iqc_options *o);
/* Which F it holds for, in a line. */
const char *iqc_class_note(const finf_iqc_options *o);
const char *iqc_noise_note(const finf_iqc_options *o); /* and which noise, to go behind it */

#endif
