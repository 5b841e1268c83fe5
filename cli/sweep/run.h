/* Runs the jobs of a sweep that are left, on the threads of this machine or on ranks. */
#ifndef FINF_RUN_H
#define FINF_RUN_H

#include "store.h"

/* What came of it. */
typedef struct {
    size_t run; /* jobs that were run now, and written */
    size_t
        unsettled; /* of them: memory or a file was missing, so that they are to be tried again */
} run_counts;

/* done[i]: job i is not to be run. FINF_ETOL: interrupted. FINF_EIO, FINF_ENOMEM: the database
 * cannot be written; what was written before is there. */
finf_status run_jobs(const jobs *j, const char *done, store *s, run_counts *out, finf_reason *why);

#endif
