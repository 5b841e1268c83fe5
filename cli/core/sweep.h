/* Many independent tasks on several threads, with progress on a terminal, stopped cleanly by
 * Ctrl-C. */
#ifndef FINF_SWEEP_H
#define FINF_SWEEP_H

#include <stddef.h>

#include "finf.h"

/* How many threads: 1 to 256; 0: as many as there are cores. And whether progress is shown although
 * stderr is no terminal, or not even there. Set once, by main. */
typedef enum { PROGRESS_ON_TERMINAL, PROGRESS_ALWAYS, PROGRESS_NEVER } sweep_watch;
void sweep_set(unsigned threads, sweep_watch watch);
unsigned sweep_threads(void);
int sweep_progress(void); /* is progress to be shown? */

/* "12/100, 3 min left" on stderr, over what was there; seconds: since task 0 began. */
void sweep_report(size_t done, size_t n, double seconds);
void sweep_unreport(void); /* takes it away */

/* Runs task(i, ctx) for i = 0..n-1. After Ctrl-C no new task starts; the running ones see
 * sweep_interrupted(). Returns nonzero if it was interrupted. */
int sweep_run(size_t n, void (*task)(size_t i, void *ctx), void *ctx);

/* How a task ended: the first member of every row that a sweep fills. */
typedef struct {
    finf_status status;
    int done;        /* it has something to show */
    int cut;         /* something of it was left out, because Ctrl-C came */
    finf_reason why; /* of a status that is not FINF_OK */
} sweep_row;

/* The status of a sweep whose n rows, of `size` bytes each, are in `rows`: its first failure, where
 * a missed tolerance gives way to any other. If it was interrupted before everything was done: how
 * many tasks are, or, if there was only one, what became of it. */
finf_status sweep_outcome(const void *rows, size_t n, size_t size, int interrupted,
                          finf_reason *why);

/* show(i, ctx) for every row that has something to show. */
void sweep_show(const void *rows, size_t n, size_t size, void (*show)(size_t i, void *ctx),
                void *ctx);

/* Whether Ctrl-C was pressed: the `poll` of a finf_cancel. */
int sweep_interrupted(void *unused);

#endif
