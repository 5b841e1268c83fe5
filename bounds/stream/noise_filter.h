/* z = Bw one step at a time, with what must be kept of the past. (theory 13.5) */
#ifndef FINF_NOISE_FILTER_H
#define FINF_NOISE_FILTER_H

#include <stdint.h>

#include "family.h"

enum {
    NOISE_FILTER_TILE = 1024,
    NOISE_FILTER_AHEAD = 16 /* steps that FILTER_TAIL makes at a time */
};

typedef enum {
    FILTER_NONE,    /* z = w */
    FILTER_BUFFERS, /* BLT: coef has n decays, then n scales; state: n buffers */
    FILTER_OUTPUTS, /* z_t = (w_t - sum_{0<s<n} c_s z_{t-s})/c_0; state: the last n-1 of z */
    FILTER_INPUTS,  /* z_t = sum_{s<n} beta_s w_{t-s}; state: the last n-1 of w */
    FILTER_ROWS,    /* z_t = sum_{s<=t} B_ts w_s; coef: n x n; state: all of w so far */
    FILTER_WHOLE,   /* as FILTER_INPUTS, all n steps at once; state: all of z (keyed_whole.c) */
    FILTER_STEPS,   /* n buffers; coef: 3n+1 numbers for every step (theory 12.5) */
    FILTER_TAIL     /* coef: TAIL_TAPS of beta, n decays, n scales; state: see keyed_tail.c */
} filter_kind;

typedef struct {
    filter_kind kind;
    size_t n;
    double *coef;
    size_t length;  /* of coef */
    size_t rows;    /* numbers of state for each coordinate */
    uint64_t limit; /* steps there are; UINT64_MAX: any number */
} noise_filter;

/* steps: how many will be asked for, if the noise has no recursion; 0: FINF_EUSAGE then. */
finf_status noise_filter_make(const finf_noise *noise, size_t steps, noise_filter *out,
                              finf_reason *why);
/* From the rows of a lower triangular matrix; what is above its diagonal is not read. */
finf_status noise_filter_matrix(const double *B, size_t n, noise_filter *out, finf_reason *why);
/* From n rows of gain and k each of decay, out and in. */
finf_status noise_filter_recursion(const double *numbers, size_t n, size_t k, noise_filter *out,
                                   finf_reason *why);
/* As noise_filter_make, but what has no recursion is FILTER_TAIL, for which `steps` need not be
 * known, or FILTER_WHOLE where that is faster: for a stream, which knows how to make them. */
finf_status noise_filter_stream(const finf_noise *noise, size_t steps, noise_filter *out,
                                finf_reason *why);
void noise_filter_free(noise_filter *f);

/* Step t of n <= NOISE_FILTER_TILE coordinates: w becomes z. Row i of the state begins at state + i
 * stride. With keep_only the state is brought up to date and w is not to be read after; for
 * FILTER_INPUTS and FILTER_ROWS that needs no past. */
void noise_filter_step(const noise_filter *f, uint64_t t, int keep_only, double *state,
                       size_t stride, size_t n, double *w);
/* The earliest step from which keep_only steps must be run to have the right state at step t. */
uint64_t noise_filter_memory(const noise_filter *f, uint64_t t);

#endif
