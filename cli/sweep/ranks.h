/* The same sweep on several processes (ranks), by MPI. Rank 0 reads the jobs, hands them out and
 * alone writes; the others run what they are given. finf has no MPI, and is rank 0 of 1; finf-mpi
 * is linked with it, from the same file compiled again. */
#ifndef FINF_RANKS_H
#define FINF_RANKS_H

#include "job.h"

/* Starts MPI; this process's rank. To be called once, before ranks_end. Where MPI does not start
 * within ten minutes, as a rank has died, it ends the program: exit 5, with a line. */
int ranks_begin(void);
/* How many there are. */
int ranks_count(void);
/* Rank 0: lets the others end. Where MPI does not end within ten minutes, as one of them has died,
 * it ends the program with this exit status, and a line. */
void ranks_end(int code);
/* "Open MPI v4.1.4"; NULL: without MPI. */
const char *ranks_library(void);

/* What every rank but 0 does, until rank 0 says that there is no more; its exit status. */
int ranks_work(command_table all);

/* Rank 0: the jobs of the others, by their file's name and text, and the threads of each. */
void ranks_share(const char *path, const char *text, size_t size, unsigned threads);
/* Rank 0: has the jobs left[0], .., left[n-1] run by the others, `take` for what comes back, which
 * it frees, until all are done or it is not FINF_OK, or Ctrl-C. */
finf_status ranks_run(const size_t *left, size_t n,
                      finf_status (*take)(job_result *r, size_t n, void *ctx), void *ctx,
                      finf_reason *why);

#endif
