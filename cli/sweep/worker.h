/* Jobs that are run by a process of their own: what ends it (a crash, a system without memory) ends
 * nothing else, and the jobs that it had are run again by the next one. */
#ifndef FINF_WORKER_H
#define FINF_WORKER_H

#include <stdint.h>
#include <sys/types.h>

#include "job.h"
#include "memory.h"

typedef struct {
    const jobs *j;      /* borrowed */
    pid_t pid;          /* of the process; 0: none is there, and the next jobs start one */
    int line;           /* a socket to it and from it */
    int ended;          /* how the last one that died did, as waitpid tells */
    void (*beat)(void); /* if not NULL called while an answer is waited for, */
    double interval;    /* every so many seconds */
} worker;

/* Runs the jobs left[0], .., left[n-1] and appends their results to `out`, for worker_unpack. A job
 * that Ctrl-C left out is cut. Where the process dies each of them is run again by itself; one with
 * which it dies three times more has FINF_EIO, so that the next start of the sweep tries it.
 * FINF_ENOMEM where no process can be started or there is no memory for the results. */
finf_status worker_run(worker *w, const uint64_t *left, size_t n, FILE *out, finf_reason *why);
/* Lets the process end. */
void worker_end(worker *w);

/* The next result of what worker_run wrote; returns what follows. */
const char *worker_unpack(const char *bytes, job_result *r);

#endif
