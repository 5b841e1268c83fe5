/* What iqc, optimize and tune read alike. */
#ifndef FINF_IQC_OPTIONS_H
#define FINF_IQC_OPTIONS_H

#include "cmd.h"

/* All options of the bound, as the library takes them. */
finf_status read_iqc(const args *a, finf_iqc_options *out, finf_reason *why);
/* The library's domain (finf_iqc_check); and, unless --force, a uniform grid or finite multiplier
 * that eta*mu is too small for is refused with the size needed. */
finf_status check_iqc_sizes(const args *a, const finf_iqc_options *o, double eta, double kappa,
                            finf_reason *why);
/* The etas and kappas of the command line as pairs, eta outermost; several are Newton's unless
 * another solver is asked for. */
typedef struct {
    size_t n;
    double *eta, *kappa; /* n each, one allocation */
} iqc_pairs;
finf_status read_pairs(const args *a, finf_iqc_options *o, iqc_pairs *out, finf_reason *why);
void free_pairs(iqc_pairs *p);

/* The keys of a bound: shared by iqc, optimize and tune. minimax: with the lower bound over all
 * noise. */
void show_iqc(doc *d, const args *a, const finf_iqc_options *o, double eta, double kappa,
              const finf_iqc_result *r, int minimax);
/* Is it a bound on (L/2) E|theta|^2, as then are the worst quadratic's value and the minimax beside
 * it? */
int iqc_is_dist(const finf_iqc_options *o);
/* What the minimax is, for its line in text. */
const char *iqc_minimax_note(const finf_iqc_options *o);
/* Which F it holds for, in a line. */
const char *iqc_class_note(const finf_iqc_options *o);
const char *iqc_noise_note(const finf_iqc_options *o); /* and which noise, to go behind it */

#endif
