/* One job of a sweep, run within this program, and what came of it. */
#ifndef FINF_JOB_H
#define FINF_JOB_H

#include "jobs.h"

/* Texts are its own; job_result_free. */
typedef struct {
    size_t job; /* its number, from 0 */
    int cut;    /* Ctrl-C came before it had ended: it has no answer */
    finf_status status;
    finf_reason why; /* of a status that is not FINF_OK */
    char *arguments; /* its words, a JSON array */
    char *answer;    /* a JSON object; NULL: none */
    double seconds;
} job_result;

/* Runs job i. FINF_ENOMEM in the status also where there was none for the result. Several threads
 * may run jobs. */
void job_run(const jobs *j, size_t i, job_result *out);
void job_result_free(job_result *r);

/* The words of job i as a JSON array, owned by the caller; NULL: no memory. */
char *job_arguments(const jobs *j, size_t i);

/* A status as the table has it: ok, usage, domain, .. */
const char *job_status_word(finf_status s);
/* The status of such a word; 0: it is none. */
int job_status_read(const char *word, finf_status *out);
/* Whether a job that ended so is to be tried again: memory or a file was missing. */
int job_is_unsettled(finf_status s);

#endif
