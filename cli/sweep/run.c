/* A result is written by the thread that had it, unless another one is writing: then it waits for
 * that one, which takes all that came meanwhile into its next transaction. So there is one writer,
 * nothing waits for a clock, and no thread begins a job before its last one is in the database:
 * what a kill can lose is one job a thread. */
#include "run.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "ranks.h"
#include "sweep.h"

typedef struct {
    const jobs *j;
    const size_t *left;
    store *s;
    pthread_mutex_t lock;
    job_result *waiting; /* to be written */
    size_t n, room;
    int writing;            /* a thread is at it */
    size_t taken, written;  /* batches of those that waited: how many were begun and ended */
    pthread_cond_t changed; /* of `written` and `status` */
    run_counts counts;
    finf_status status; /* of the first write that failed: nothing is written after it */
    finf_reason why;
} queue;

/* Room for n more results that wait. 0: no memory. */
static int grow(queue *q, size_t n)
{
    if (q->n + n <= q->room) return 1;
    size_t more = 2 * (q->n + n);
    job_result *waiting = realloc(q->waiting, more * sizeof *waiting);
    if (!waiting) return 0;
    q->waiting = waiting;
    q->room = more;
    return 1;
}

static void free_results(job_result *r, size_t n)
{
    for (size_t i = 0; i < n; i++) job_result_free(&r[i]);
}

/* Counts what was written; a result without its arguments was not, for want of memory. */
static void count(queue *q, const job_result *r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (r[i].cut) continue;
        q->counts.run += r[i].arguments != NULL;
        q->counts.unsettled += job_is_unsettled(r[i].status) != 0;
    }
}

/* Writes what waits, with the lock held but for the writing itself. */
static void write_waiting(queue *q)
{
    q->writing = 1;
    while (q->n && !q->status) {
        job_result *batch = q->waiting;
        size_t n = q->n;
        finf_reason why = {""};
        q->waiting = NULL;
        q->n = q->room = 0;
        q->taken++;
        pthread_mutex_unlock(&q->lock);
        finf_status s = store_add(q->s, batch, n, &why);
        pthread_mutex_lock(&q->lock);
        if (!s) count(q, batch, n);
        if (s) q->why = why;
        q->status = s;
        q->written++;
        pthread_cond_broadcast(&q->changed);
        free_results(batch, n);
        free(batch);
    }
    q->writing = 0;
}

/* Takes n results, and returns when they are written, with the status of all that was so far. */
static finf_status deliver(job_result *r, size_t n, void *ctx)
{
    queue *q = ctx;
    pthread_mutex_lock(&q->lock);
    int there = grow(q, n);
    if (there) {
        memcpy(q->waiting + q->n, r, n * sizeof *r);
        q->n += n;
    } else {
        free_results(r, n);
        q->counts.unsettled += n;
    }
    size_t batch = q->taken + 1; /* that these are of */
    if (!q->writing && !q->status)
        write_waiting(q);
    else
        while (there && q->written < batch && !q->status) pthread_cond_wait(&q->changed, &q->lock);
    finf_status s = q->status;
    pthread_mutex_unlock(&q->lock);
    return s;
}

/* After a write that failed no job is begun: there is no place for its answer. */
static void task(size_t i, void *ctx)
{
    queue *q = ctx;
    job_result r;
    pthread_mutex_lock(&q->lock);
    int stop = q->status != FINF_OK;
    pthread_mutex_unlock(&q->lock);
    if (stop) return;
    job_run(q->j, q->left[i], &r);
    deliver(&r, 1, q);
}

finf_status run_jobs(const jobs *j, const char *done, store *s, run_counts *out, finf_reason *why)
{
    size_t *left = malloc(jobs_count(j) * sizeof *left), n = 0;
    *out = (run_counts){0};
    if (!left) return finf_why(why, FINF_ENOMEM, "no memory for %zu jobs", jobs_count(j));
    for (size_t i = 0; i < jobs_count(j); i++)
        if (!done[i]) left[n++] = i;
    queue q = {.j = j,
               .left = left,
               .s = s,
               .lock = PTHREAD_MUTEX_INITIALIZER,
               .changed = PTHREAD_COND_INITIALIZER};
    finf_status status = FINF_OK;
    int interrupted = 0;
    if (ranks_count() > 1) {
        status = ranks_run(left, n, deliver, &q, why);
        interrupted = sweep_interrupted(NULL);
    } else if (n)
        interrupted = sweep_run(n, task, &q);
    free_results(q.waiting, q.n);
    free(q.waiting);
    free(left);
    *out = q.counts;
    if (q.status) {
        *why = q.why;
        return q.status;
    }
    if (!status && interrupted && q.counts.run < n)
        status = finf_why(why, FINF_ETOL,
                          "interrupted: %zu of %zu jobs are done; the same command goes on",
                          jobs_count(j) - n + q.counts.run - q.counts.unsettled, jobs_count(j));
    return status;
}
