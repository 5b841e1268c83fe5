/* Many independent tasks on two threads, with progress on a terminal, stopped cleanly by Ctrl-C. */
#ifndef FINF_SWEEP_H
#define FINF_SWEEP_H

#include <stddef.h>

/* Runs task(i, ctx) for i = 0..n-1. After Ctrl-C no new task starts; the running ones see sweep_interrupted().
 * quiet: no progress line. Returns nonzero if it was interrupted. */
int sweep_run(size_t n, void (*task)(size_t i, void *ctx), void *ctx, int quiet);

/* A finf_iqc_options.cancel. */
int sweep_interrupted(void *unused);

#endif
