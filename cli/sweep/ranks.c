/* Compiled twice: without MPI for finf, with it (FINF_MPI) for finf-mpi. */
#include "ranks.h"

#ifndef FINF_MPI

int ranks_begin(void) { return 0; }
int ranks_count(void) { return 1; }
void ranks_end(void) {}
const char *ranks_library(void) { return NULL; }

int ranks_work(command_table all)
{
    (void)all;
    return 0;
}

void ranks_share(const char *path, const char *text, size_t size, unsigned threads)
{
    (void)path;
    (void)text;
    (void)size;
    (void)threads;
}

finf_status ranks_run(const size_t *left, size_t n,
                      finf_status (*take)(job_result *r, size_t n, void *ctx), void *ctx,
                      finf_reason *why)
{
    (void)left;
    (void)n;
    (void)take;
    (void)ctx;
    (void)why;
    return FINF_OK;
}

#else

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base.h"
#include "memory.h"
#include "sweep.h"
#include "worker.h"

/* What a message is: the jobs' file, numbers of jobs to be run, the end; and back their results. */
enum { TAG_JOBS = 1, TAG_CHUNK, TAG_END, TAG_RESULTS };

static int rank_here, ranks_all = 1, begun;

int ranks_begin(void)
{
    int level;
    /* of a rank's threads only the first one sends and receives */
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_here);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_all);
    begun = 1;
    return rank_here;
}

int ranks_count(void) { return ranks_all; }

void ranks_end(void)
{
    if (!begun) return;
    for (int i = 1; i < ranks_all && rank_here == 0; i++)
        MPI_Send("", 0, MPI_BYTE, i, TAG_END, MPI_COMM_WORLD);
    MPI_Finalize();
}

const char *ranks_library(void)
{
    static char name[MPI_MAX_LIBRARY_VERSION_STRING];
    int n;
    MPI_Get_library_version(name, &n);
    name[strcspn(name, ",\n")] = '\0';
    return name;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* A rank that cannot go on ends all: what is in the database stays, and the next start goes on. */
static void give_up(const char *reason)
{
    fprintf(stderr, "finf: rank %d: %s\n", rank_here, reason);
    MPI_Abort(MPI_COMM_WORLD, finf_status_exit(FINF_ENOMEM));
}

/* The next message from any of `source`, which is waited for asleep: MPI would spin, and ranks may
 * share a core. Owned by the caller, with a NUL behind it. */
static char *receive(int source, MPI_Status *st, int *size)
{
    for (int there = 0; !there;) {
        MPI_Iprobe(source, MPI_ANY_TAG, MPI_COMM_WORLD, &there, st);
        if (!there) nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    }
    MPI_Get_count(st, MPI_BYTE, size);
    char *bytes = malloc((size_t)*size + 1);
    if (!bytes) {
        give_up("no memory for a message");
        exit(finf_status_exit(FINF_ENOMEM)); /* MPI_Abort may return */
    }
    MPI_Recv(bytes, *size, MPI_BYTE, st->MPI_SOURCE, st->MPI_TAG, MPI_COMM_WORLD, st);
    bytes[*size] = '\0';
    return bytes;
}

/* ---- those that work ------------------------------------------------------------------------- */

typedef struct {
    jobs *j;
    char *path;
    worker w; /* runs them: what it dies of does not end this rank, and with it all the others */
} rank_state;

/* The threads, the name of the file, its text. */
static void take_jobs(rank_state *r, const char *bytes, size_t size, command_table all)
{
    finf_reason why = {"no memory for the jobs"};
    unsigned threads;
    memcpy(&threads, bytes, sizeof threads);
    sweep_set(threads, PROGRESS_NEVER);
    r->path = strdup(bytes + sizeof threads);
    size_t before = sizeof threads + strlen(bytes + sizeof threads) + 1;
    char *text = malloc(size - before + 1);
    if (text) memcpy(text, bytes + before, size - before + 1);
    if (!r->path || !text || jobs_parse(r->path, text, size - before, all, &r->j, &why))
        give_up(why.text);
    r->w = (worker){.j = r->j};
}

/* Runs the jobs of a message, and sends what came of them. */
static void run_chunk(rank_state *r, const char *bytes, size_t n)
{
    memory_file m;
    finf_reason why = {"no memory for the answers"};
    FILE *f = memory_open(&m);
    finf_status s = f ? worker_run(&r->w, (const uint64_t *)(const void *)bytes, n, f, &why)
                      : FINF_ENOMEM;
    if (f) fclose(f);
    if (s || m.failed) {
        give_up(why.text);
        return;
    }
    MPI_Send(m.text, (int)m.size, MPI_BYTE, 0, TAG_RESULTS, MPI_COMM_WORLD);
    free(m.text);
}

int ranks_work(command_table all)
{
    rank_state r = {.j = NULL};
    MPI_Status st = {.MPI_TAG = 0};
    while (st.MPI_TAG != TAG_END) {
        int size;
        char *bytes = receive(0, &st, &size);
        if (st.MPI_TAG == TAG_JOBS) take_jobs(&r, bytes, (size_t)size, all);
        if (st.MPI_TAG == TAG_CHUNK) run_chunk(&r, bytes, (size_t)size / sizeof(uint64_t));
        free(bytes);
    }
    worker_end(&r.w);
    jobs_free(r.j);
    free(r.path);
    MPI_Finalize();
    return 0;
}

/* ---- the one that hands out ------------------------------------------------------------------ */

void ranks_share(const char *path, const char *text, size_t size, unsigned threads)
{
    size_t name = strlen(path) + 1, n = sizeof threads + name + size;
    char *bytes = malloc(n);
    if (!bytes) {
        give_up("no memory for the jobs");
        return;
    }
    memcpy(bytes, &threads, sizeof threads);
    memcpy(bytes + sizeof threads, path, name);
    memcpy(bytes + sizeof threads + name, text, size);
    for (int i = 1; i < ranks_all; i++)
        MPI_Send(bytes, (int)n, MPI_BYTE, i, TAG_JOBS, MPI_COMM_WORLD);
    free(bytes);
}

#define CHUNK_MAX 1024
#define CHUNK_SECONDS                                                                              \
    0.02 /* the work of one message, so that sending it costs little beside it                     \
          */

typedef struct {
    const size_t *left;
    size_t n, next;
    size_t out;    /* chunks that are being worked on */
    double *sent;  /* of each rank: when it got its last one, */
    size_t *chunk; /* and how many jobs it gets next */
} dispatcher;

/* The next jobs to a rank; fewer near the end, so that all end at about the same time. */
static void send_chunk(dispatcher *d, int rank)
{
    uint64_t jobs_sent[CHUNK_MAX];
    size_t left = d->n - d->next, most = left / (2 * (size_t)ranks_all) + 1, n = d->chunk[rank];
    if (!left) return;
    if (n > most) n = most;
    for (size_t i = 0; i < n; i++) jobs_sent[i] = d->left[d->next + i];
    d->next += n;
    d->out++;
    d->sent[rank] = finf_seconds();
    MPI_Send(jobs_sent, (int)(n * sizeof *jobs_sent), MPI_BYTE, rank, TAG_CHUNK, MPI_COMM_WORLD);
}

/* How many jobs take about CHUNK_SECONDS, after a chunk of n; at most twice as many. */
static void adapt(dispatcher *d, int rank, size_t n)
{
    double each = (finf_seconds() - d->sent[rank]) / (double)n;
    double fit = CHUNK_SECONDS / (each > 1e-9 ? each : 1e-9), most = 2 * (double)n;
    fit = fit > most ? most : fit;
    fit = fit > CHUNK_MAX ? CHUNK_MAX : fit;
    d->chunk[rank] = fit < 1 ? 1 : (size_t)fit;
}

/* The results of one message; the rank gets its next jobs before they are written. */
static finf_status take_results(dispatcher *d, int stop,
                                finf_status (*take)(job_result *r, size_t n, void *ctx), void *ctx,
                                size_t *done)
{
    MPI_Status st;
    int size;
    static job_result results[CHUNK_MAX];
    size_t n = 0;
    char *bytes = receive(MPI_ANY_SOURCE, &st, &size);
    for (const char *p = bytes; p < bytes + size && n < CHUNK_MAX;)
        p = worker_unpack(p, &results[n++]);
    free(bytes);
    d->out--;
    *done += n;
    adapt(d, st.MPI_SOURCE, n ? n : 1);
    if (!stop) send_chunk(d, st.MPI_SOURCE);
    return take(results, n, ctx);
}

finf_status ranks_run(const size_t *left, size_t n,
                      finf_status (*take)(job_result *r, size_t n, void *ctx), void *ctx,
                      finf_reason *why)
{
    dispatcher d = {.left = left, .n = n};
    size_t ranks = (size_t)ranks_all, done = 0;
    d.sent = calloc(ranks, sizeof *d.sent);
    d.chunk = malloc(ranks * sizeof *d.chunk);
    finf_status s = d.sent && d.chunk ? FINF_OK : finf_why(why, FINF_ENOMEM, "no memory");
    double start = finf_seconds();
    for (int i = 1; i < ranks_all && !s; i++) {
        d.chunk[i] = 1;
        send_chunk(&d, i);
    }
    while (d.out > 0) {
        s = finf_worse(s, take_results(&d, s != FINF_OK, take, ctx, &done));
        if (sweep_progress()) sweep_report(done, n, finf_seconds() - start);
    }
    if (sweep_progress() && n) sweep_unreport();
    free(d.sent);
    free(d.chunk);
    return s;
}

#endif
