/* The database of a sweep, an SQLite file: a row for each job that is done. There is one writer;
 * who reads meanwhile is not in its way. */
#ifndef FINF_STORE_H
#define FINF_STORE_H

#include "job.h"

typedef struct store store;

/* Opens the database for the jobs, and makes it if there is none; done[i] = 1 for each job in it
 * that is settled, *count of them. FINF_EDOM: it is of other jobs or another version. FINF_EIO: it
 * cannot be written, or is no database of a sweep. What was there stays as it was. */
finf_status store_open(const char *path, const jobs *j, char *done, size_t *count, store **out,
                       finf_reason *why);
/* Opens it for reading. */
finf_status store_open_read(const char *path, store **out, finf_reason *why);
/* To be called also after a failure; NULL is nothing. */
void store_close(store *s);

/* Writes n results, all or none of them; cut ones are left out. */
finf_status store_add(store *s, const job_result *r, size_t n, finf_reason *why);

/* What it is of. */
typedef struct {
    size_t jobs;      /* all of them, done or not */
    char version[32]; /* of the finf that made it */
} store_about;
finf_status store_read_about(store *s, store_about *out, finf_reason *why);

/* A row, whose texts are there during the call only. */
typedef struct {
    size_t job;
    const char *arguments, *status, *reason;
    const char *answer; /* NULL: none */
    double seconds;
} store_row;
/* After store_read_about: calls row(x, ctx) for each, in the order of the jobs, until one is not
 * FINF_OK. FINF_EIO: one is not as it was written. */
finf_status store_rows(store *s,
                       finf_status (*row)(const store_row *x, void *ctx, finf_reason *why),
                       void *ctx, finf_reason *why);

#endif
