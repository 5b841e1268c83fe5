/* Many independent tasks on two threads, with progress on a terminal, stopped cleanly by Ctrl-C. */
#ifndef FINF_SWEEP_H
#define FINF_SWEEP_H

#include <stddef.h>

#include "finf.h"

/* Runs task(i, ctx) for i = 0..n-1. After Ctrl-C no new task starts; the running ones see
 * sweep_interrupted(). quiet: no progress line. Returns nonzero if it was interrupted. */
int sweep_run(size_t n, void (*task)(size_t i, void *ctx), void *ctx, int quiet);

/* How a task ended; the first member of every row a sweep fills. */
typedef struct {
    finf_status status;
    int done; /* it has something to show */
    int cut;  /* something of it was left out, as Ctrl-C came */
    finf_reason why;
} sweep_row;

/* The first failure of n rows of `size` bytes (a missed tolerance gives way to any other); if
 * interrupted before all was done, how many are, or what became of the only one. */
finf_status sweep_outcome(const void *rows, size_t n, size_t size, int interrupted,
                          finf_reason *why);

/* show(i, ctx) for every row that has something to show. */
void sweep_show(const void *rows, size_t n, size_t size, void (*show)(size_t i, void *ctx),
                void *ctx);

/* A finf_iqc_options.cancel. */
int sweep_interrupted(void *unused);

#endif
