/* Compiled twice: without MPI for finf, with it (FINF_MPI) for finf-mpi. */
#include "ranks.h"

#ifndef FINF_MPI

int ranks_begin(void) { return 0; }
int ranks_count(void) { return 1; }
void ranks_end(int code) { (void)code; }
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

#include <math.h>
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base.h"
#include "memory.h"
#include "sweep.h"
#include "worker.h"

/* What a message is: the jobs' file, numbers of jobs to be run, the end; and back their results.
 * Both sides say at intervals that they are alive. */
enum { TAG_JOBS = 1, TAG_CHUNK, TAG_END, TAG_RESULTS, TAG_ALIVE };

static int rank_here, ranks_all = 1, begun;
static int missing;  /* a rank has died, and MPI_Finalize might wait for it */
static char *dead;   /* which: 1 for each; what is sent to one might never return */
static char *shared; /* the jobs as they are sent: a rank that died may never have taken them */

/* ---- silence --------------------------------------------------------------------------------- */

/* Seconds without a word after which a rank counts as dead (it says one ten times as often), and
 * the same where it may be at something long: reading millions of jobs, or, of rank 0, writing to a
 * disk that is slow. */
static double patience = 10, long_patience = 600;

static void set_patience(void)
{
    const char *text = getenv("FINF_PATIENCE");
    double seconds = text ? strtod(text, NULL) : 0;
    if (!(seconds > 0)) return;
    patience = seconds;
    long_patience = 60 * seconds;
}

/* The seconds in which this process could hear a word. A moment in which it did not listen counts
 * for a tenth of a second at most. */
typedef struct {
    double seconds, looked;
} listened;

static void listen_on(listened *l)
{
    double now = finf_seconds(), passed = now - l->looked;
    l->seconds += passed < 0.1 ? passed : 0.1;
    l->looked = now;
}

/* ---- a limit of time ------------------------------------------------------------------------- */

/* MPI_Init_thread and MPI_Finalize wait for every rank, and for ever for one that has died. A
 * signal ends them: they do not return, and there is nothing of this program to be put in order. */
static struct {
    char line[120];
    int code;
    struct sigaction before;
} limit;

static void on_limit(int number)
{
    (void)number;
    ssize_t written = write(STDERR_FILENO, limit.line, strlen(limit.line));
    (void)written;
    _exit(limit.code);
}

/* After long_patience one line, and the program ends with this code. */
static void limit_begin(const char *what, int code)
{
    struct sigaction ours = {.sa_handler = on_limit};
    snprintf(limit.line, sizeof limit.line, "finf: %s within %g s: another rank may have died\n",
             what, long_patience);
    limit.code = code;
    sigaction(SIGALRM, &ours, &limit.before);
    alarm(long_patience < 1e8 ? (unsigned)ceil(long_patience) : 100000000);
}

static void limit_end(void)
{
    alarm(0);
    sigaction(SIGALRM, &limit.before, NULL);
}

/* ---- the beginning and the end --------------------------------------------------------------- */

int ranks_begin(void)
{
    int level;
    set_patience();
    limit_begin("MPI has not started", finf_status_exit(FINF_EIO));
    /* of a rank's threads only the first one sends and receives */
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    limit_end();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_here);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_all);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* of ranks that died */
    begun = 1;
    return rank_here;
}

int ranks_count(void) { return ranks_all; }

/* The command has ended by now, answered or refused, so that the code is its own. */
void ranks_end(int code)
{
    if (!begun) return;
    limit_begin("the command has ended, but MPI has not", code);
    for (int i = 1; i < ranks_all; i++)
        if (!dead || !dead[i]) MPI_Send("", missing, MPI_BYTE, i, TAG_END, MPI_COMM_WORLD);
    if (!missing) MPI_Finalize();
    limit_end();
    free(dead);
    free(shared);
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

/* Whether a message from `source` is there. If not it sleeps a little: MPI would spin, and ranks
 * may share a core. */
static int look(int source, MPI_Status *st)
{
    int there = 0;
    MPI_Iprobe(source, MPI_ANY_TAG, MPI_COMM_WORLD, &there, st);
    if (!there) nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    return there;
}

/* Waits asleep until a message has arrived, or has been taken. 0: it has not for so many seconds,
 * as the other side died in the midst of it. */
static int finish(MPI_Request *request, double most)
{
    listened l = {.looked = finf_seconds()};
    for (int gone = 0;; nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL)) {
        MPI_Test(request, &gone, MPI_STATUS_IGNORE);
        if (gone) return 1;
        listen_on(&l);
        if (l.seconds > most) return 0;
    }
}

/* The message that `look` saw. Owned by the caller, with a NUL behind it. NULL: it did not arrive
 * within so many seconds; its memory stays MPI's. */
static char *receive(const MPI_Status *st, int *size, double most)
{
    MPI_Request request;
    MPI_Get_count(st, MPI_BYTE, size);
    char *bytes = malloc((size_t)*size + 1);
    if (!bytes) {
        give_up("no memory for a message");
        exit(finf_status_exit(FINF_ENOMEM)); /* MPI_Abort may return */
    }
    bytes[*size] = '\0';
    MPI_Irecv(bytes, *size, MPI_BYTE, st->MPI_SOURCE, st->MPI_TAG, MPI_COMM_WORLD, &request);
    return finish(&request, most) ? bytes : NULL;
}

static void say_alive(int rank) { MPI_Send("", 0, MPI_BYTE, rank, TAG_ALIVE, MPI_COMM_WORLD); }

/* What every rank but 0 does when that one has died. */
static int end_alone(void)
{
    fprintf(stderr, "finf: rank %d: rank 0 has been silent for %g s\n", rank_here, long_patience);
    return finf_status_exit(FINF_EIO);
}

static void send_to_0(const void *bytes, int size, int tag)
{
    MPI_Request request;
    MPI_Isend(bytes, size, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &request);
    if (!finish(&request, long_patience)) exit(end_alone());
}

/* ---- those that work ------------------------------------------------------------------------- */

typedef struct {
    jobs *j;
    char *path;
    worker w; /* runs them: what it dies of does not end this rank, and with it all the others */
} rank_state;

static void beat_to_0(void) { send_to_0("", 0, TAG_ALIVE); }

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
    r->w = (worker){.j = r->j, .beat = beat_to_0, .interval = patience / 10};
}

/* Runs the jobs of a message, and sends what came of them. */
static void run_chunk(rank_state *r, const char *bytes, size_t n)
{
    memory_file m;
    finf_reason why = {"no memory for the answers"};
    FILE *f = memory_open(&m);
    beat_to_0();
    finf_status s = f ? worker_run(&r->w, (const uint64_t *)(const void *)bytes, n, f, &why)
                      : FINF_ENOMEM;
    if (f) fclose(f);
    if (s || m.failed) {
        give_up(why.text);
        return;
    }
    send_to_0(m.text, (int)m.size, TAG_RESULTS);
    free(m.text);
}

int ranks_work(command_table all)
{
    rank_state r = {.j = NULL};
    MPI_Status st = {.MPI_TAG = 0};
    listened l = {.looked = finf_seconds()};
    int size = 0;
    while (st.MPI_TAG != TAG_END && l.seconds < long_patience) {
        listen_on(&l);
        if (!look(0, &st)) continue;
        char *bytes = receive(&st, &size, long_patience);
        if (!bytes) exit(end_alone());
        if (st.MPI_TAG == TAG_JOBS) take_jobs(&r, bytes, (size_t)size, all);
        if (st.MPI_TAG == TAG_CHUNK) run_chunk(&r, bytes, (size_t)size / sizeof(uint64_t));
        l.seconds = 0;
        free(bytes);
    }
    worker_end(&r.w);
    jobs_free(r.j);
    free(r.path);
    if (st.MPI_TAG != TAG_END) return end_alone();
    if (size > 0) return 0; /* a rank is missing */
    limit_begin("the command has ended, but MPI has not", 0);
    MPI_Finalize();
    limit_end();
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
    for (int i = 1; i < ranks_all; i++) {
        MPI_Request request;
        MPI_Isend(bytes, (int)n, MPI_BYTE, i, TAG_JOBS, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
    }
    shared = bytes;
}

#define CHUNK_MAX 1024
#define CHUNK_SECONDS                                                                              \
    0.02 /* the work of one message, so that sending it costs little beside it                     \
          */

/* A rank as rank 0 knows it. */
typedef struct {
    uint64_t jobs[CHUNK_MAX]; /* what it is at: n of them, 0 when it waits; */
    size_t n;
    MPI_Request sending; /* of these */
    size_t chunk;        /* how many it gets next */
    double sent, heard;  /* when it got its jobs, and its last word, as the dispatcher listened */
    int known;           /* that it has ever said a word */
    int lost;            /* it counts as dead, and its jobs were taken from it */
} peer;

typedef struct {
    const size_t *left;
    size_t n, next;
    uint64_t *again; /* jobs of ranks that died, which are taken first; room for all that are out */
    size_t n_again;
    size_t out; /* ranks that are at work */
    peer *peers;
    listened l;
    double beat; /* when, by that, those that wait were last told that rank 0 is alive */
} dispatcher;

static size_t jobs_left(const dispatcher *d) { return d->n - d->next + d->n_again; }

/* The next jobs to a rank; fewer near the end, so that all end at about the same time. It is not
 * waited for that they arrive: that would be for ever where the rank has just died. */
static void send_chunk(dispatcher *d, int rank)
{
    peer *p = &d->peers[rank];
    size_t most = jobs_left(d) / (2 * (size_t)ranks_all) + 1, n = p->chunk < most ? p->chunk : most;
    if (!jobs_left(d)) return;
    if (d->n_again && n > d->n_again) n = d->n_again;
    MPI_Wait(&p->sending, MPI_STATUS_IGNORE); /* the last ones were answered, and so had arrived */
    for (size_t i = 0; i < n; i++)
        p->jobs[i] = d->n_again ? d->again[--d->n_again] : d->left[d->next++];
    p->n = n;
    p->sent = finf_seconds();
    p->heard = d->l.seconds;
    d->out++;
    MPI_Isend(p->jobs, (int)(n * sizeof *p->jobs), MPI_BYTE, rank, TAG_CHUNK, MPI_COMM_WORLD,
              &p->sending);
}

/* Takes a rank's jobs from it. If it speaks again all the same it gets others, and its results are
 * dropped: its jobs are another's. */
static void bury(dispatcher *d, int rank, double most)
{
    peer *p = &d->peers[rank];
    memcpy(d->again + d->n_again, p->jobs, p->n * sizeof *p->jobs);
    d->n_again += p->n;
    d->out--;
    p->lost = 1;
    fprintf(stderr, "finf: rank %d has been silent for %g s: its jobs are given to others\n", rank,
            most);
}

/* The same for all that have been silent for too long. */
static void bury_the_dead(dispatcher *d)
{
    for (int i = 1; i < ranks_all; i++) {
        const peer *p = &d->peers[i];
        double most = p->known ? patience : long_patience;
        if (p->n > 0 && !p->lost && d->l.seconds - p->heard >= most) bury(d, i, most);
    }
}

/* Ranks without jobs hear that rank 0 is alive. */
static void beat(dispatcher *d)
{
    if (d->l.seconds - d->beat < patience / 10) return;
    for (int i = 1; i < ranks_all; i++)
        if (d->peers[i].n == 0) say_alive(i);
    d->beat = d->l.seconds;
}

/* Those that have no jobs get some: after a rank died there may be jobs again. */
static void send_chunks(dispatcher *d)
{
    for (int i = 1; i < ranks_all && jobs_left(d); i++)
        if (d->peers[i].n == 0) send_chunk(d, i);
}

/* How many jobs take about CHUNK_SECONDS, after a chunk of n; at most twice as many. */
static void adapt(peer *p, size_t n)
{
    double each = (finf_seconds() - p->sent) / (double)n;
    double fit = CHUNK_SECONDS / (each > 1e-9 ? each : 1e-9), most = 2 * (double)n;
    fit = fit > most ? most : fit;
    fit = fit > CHUNK_MAX ? CHUNK_MAX : fit;
    p->chunk = fit < 1 ? 1 : (size_t)fit;
}

/* One message. After results the rank gets its next jobs before they are written. */
static finf_status take_message(dispatcher *d, int stop, const MPI_Status *st,
                                finf_status (*take)(job_result *r, size_t n, void *ctx), void *ctx,
                                size_t *done)
{
    int size;
    static job_result results[CHUNK_MAX];
    size_t n = 0;
    peer *p = &d->peers[st->MPI_SOURCE];
    char *bytes = receive(st, &size, patience);
    if (!bytes) {
        if (p->n > 0 && !p->lost) bury(d, st->MPI_SOURCE, patience);
        return FINF_OK;
    }
    p->known = 1;
    p->heard = d->l.seconds;
    if (st->MPI_TAG == TAG_RESULTS) {
        for (const char *at = bytes; at < bytes + size && n < CHUNK_MAX && !p->lost;)
            at = worker_unpack(at, &results[n++]);
        if (!p->lost) d->out--;
        if (n) adapt(p, n);
        *done += n;
        p->n = 0;
        p->lost = 0;
        if (!stop) send_chunk(d, st->MPI_SOURCE);
    }
    free(bytes);
    return n ? take(results, n, ctx) : FINF_OK;
}

/* Every rank's first jobs; then a message after the other. */
static finf_status dispatch(dispatcher *d, finf_status (*take)(job_result *r, size_t n, void *ctx),
                            void *ctx, finf_reason *why)
{
    size_t done = 0, shown = 0;
    double start = finf_seconds();
    finf_status s = FINF_OK;
    MPI_Status st;
    d->l.looked = start;
    send_chunks(d);
    while (d->out > 0) {
        listen_on(&d->l);
        beat(d);
        if (look(MPI_ANY_SOURCE, &st)) {
            s = finf_worse(s, take_message(d, s != FINF_OK, &st, take, ctx, &done));
        } else {
            bury_the_dead(d);
            if (!s) send_chunks(d);
        }
        if (sweep_progress() && done > shown) sweep_report(done, d->n, finf_seconds() - start);
        shown = done;
    }
    if (sweep_progress() && d->n) sweep_unreport();
    if (!s && jobs_left(d))
        s = finf_why(why, FINF_EIO,
                     "no rank answers any more, and %zu jobs are left: the same command goes on",
                     jobs_left(d));
    return s;
}

finf_status ranks_run(const size_t *left, size_t n,
                      finf_status (*take)(job_result *r, size_t n, void *ctx), void *ctx,
                      finf_reason *why)
{
    size_t ranks = (size_t)ranks_all;
    dispatcher d = {.left = left,
                    .n = n,
                    .again = malloc(ranks * CHUNK_MAX * sizeof *d.again),
                    .peers = calloc(ranks, sizeof *d.peers)};
    finf_status s = FINF_ENOMEM;
    dead = calloc(ranks, 1);
    for (size_t i = 0; d.peers && i < ranks; i++) {
        d.peers[i].chunk = 1;
        d.peers[i].sending = MPI_REQUEST_NULL;
    }
    if (d.peers && d.again && dead)
        s = dispatch(&d, take, ctx, why);
    else
        finf_why(why, s, "no memory");
    for (size_t i = 0; d.peers && dead && i < ranks; i++)
        missing |= dead[i] = (char)d.peers[i].lost;
    free(d.again);
    if (!missing) free(d.peers); /* else MPI may still have what one of them never took */
    return s;
}

#endif
