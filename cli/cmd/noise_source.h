/* What a stream of `finf noise` is of: --noise, or what `finf design --save` wrote. */
#ifndef FINF_NOISE_SOURCE_H
#define FINF_NOISE_SOURCE_H

#include "cmd.h"
#include "design_file.h"

typedef struct {
    finf_noise *noise;  /* owned, of --noise */
    design_file design; /* of --design; all 0 without it */
} noise_source;

/* One of --noise and --design; *horizon, the steps of the run, becomes the design's, and must be it
 * where it is not NaN. */
finf_status noise_source_read(const args *a, double *horizon, noise_source *out, finf_reason *why);
void noise_source_free(noise_source *x);
/* The noise, of which there may be none: then it is a matrix. */
const finf_noise *noise_source_noise(const noise_source *x);
int noise_source_is_design(const noise_source *x);
/* sigma of a design: for its own privacy and clip norm, or for those that are given. */
finf_status noise_source_sigma(const args *a, const noise_source *x, double *sigma,
                               finf_reason *why);
finf_status noise_source_stream(const noise_source *x, double dim, const finf_stream_options *o,
                                finf_stream **out, finf_reason *why);
void noise_source_show(doc *d, const args *a, const noise_source *x);

#endif
