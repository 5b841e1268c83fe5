/* Independent tasks on several threads. Tasks are handed out one by one, since they may differ much
 * in length; Ctrl-C is seen by a handler that only counts, and by tasks that ask. */
#include "sweep.h"

#include "base.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#define THREADS_MAX 256

static atomic_int interrupted;  /* how many times Ctrl-C was pressed during a sweep */
static struct sigaction before; /* what SIGINT did before the outermost sweep */

/* The third Ctrl-C does not wait for the running tasks. The second does, because `timeout` may send
 * two at once: to the process and to its group. */
static void on_interrupt(int signal_number)
{
    if (atomic_fetch_add(&interrupted, 1) < 2) return;
    sigaction(SIGINT, &before, NULL);
    raise(signal_number);
}

int sweep_interrupted(void *unused)
{
    (void)unused;
    return interrupted;
}

typedef struct {
    size_t n;           /* tasks */
    atomic_size_t next; /* number of the next one to be taken */
    atomic_size_t done; /* how many have ended */
    void (*task)(size_t, void *);
    void *ctx;
    int progress;         /* whether a line of progress is shown, */
    pthread_mutex_t lock; /* by one thread at a time */
    double start, shown;  /* when the first task began, when the line was last written */
} queue;

static unsigned threads_asked;
static sweep_watch watch_asked;

void sweep_set(unsigned threads, sweep_watch watch)
{
    threads_asked = threads;
    watch_asked = watch;
}

unsigned sweep_threads(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return threads_asked         ? threads_asked
           : cores > THREADS_MAX ? THREADS_MAX
           : cores > 1           ? (unsigned)cores
                                 : 1;
}

int sweep_progress(void)
{
    return watch_asked == PROGRESS_ALWAYS ||
           (watch_asked == PROGRESS_ON_TERMINAL && isatty(STDERR_FILENO));
}

/* This thread does one of several tasks: what it sweeps itself has no threads of its own. */
static _Thread_local int busy;

/* Of tasks that are done in less than a second none is said: it would be a guess. */
void sweep_report(size_t done, size_t n, double seconds)
{
    static const struct {
        double seconds;
        const char *name;
    } UNITS[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {0, "s"}};
    double left = seconds * (double)(n - done) / (double)(done ? done : 1);
    size_t u = 0;
    while (left < 2 * UNITS[u].seconds) u++;
    fprintf(stderr, "\r%zu/%zu", done, n);
    if (seconds >= 1 && done && done < n)
        fprintf(stderr, ", %.0f %s left ", left / (UNITS[u].seconds > 0 ? UNITS[u].seconds : 1),
                UNITS[u].name);
    fputs("   ", stderr);
    fflush(stderr);
}

void sweep_unreport(void) { fprintf(stderr, "\r%*s\r", 40, ""); }

/* A line of progress, ten a second at most. */
static void show_progress(queue *q, size_t done)
{
    pthread_mutex_lock(&q->lock);
    double now = finf_seconds();
    if (done == q->n || now - q->shown >= 0.1) {
        q->shown = now;
        sweep_report(done, q->n, now - q->start);
    }
    pthread_mutex_unlock(&q->lock);
}

/* What every thread does: task after task until there are no more, or Ctrl-C. */
static void *work(void *data)
{
    queue *q = data;
    int was_busy = busy;
    busy |= q->n > 1;
    for (size_t i; !interrupted && (i = atomic_fetch_add(&q->next, 1)) < q->n;) {
        q->task(i, q->ctx);
        size_t done = atomic_fetch_add(&q->done, 1) + 1;
        if (q->progress) show_progress(q, done);
    }
    busy = was_busy;
    return NULL;
}

int sweep_run(size_t n, void (*task)(size_t i, void *ctx), void *ctx)
{
    queue q = {.n = n,
               .task = task,
               .ctx = ctx,
               .progress = n > 1 && sweep_progress(),
               .start = finf_seconds(),
               .lock = PTHREAD_MUTEX_INITIALIZER};
    struct sigaction ours = {.sa_handler = on_interrupt}, previous;
    sigaction(SIGINT, &ours, &previous);
    /* in a sweep within a sweep the handler is ours already */
    if (previous.sa_handler != on_interrupt) before = previous;
    pthread_t thread[THREADS_MAX];
    size_t more = 0, wanted = busy ? 1 : sweep_threads();
    /* a thread that cannot be had: the others do its work, and this one works in any case */
    while (more + 1 < wanted && more + 1 < n && pthread_create(&thread[more], NULL, work, &q) == 0)
        more++;
    work(&q);
    while (more > 0) pthread_join(thread[--more], NULL);
    if (q.progress) sweep_unreport();
    sigaction(SIGINT, &previous, NULL);
    return interrupted;
}

/* Row i of an array whose rows are `size` bytes long and begin with a sweep_row. */
static const sweep_row *row_at(const void *rows, size_t i, size_t size)
{
    return (const void *)((const char *)rows + i * size);
}

/* FINF_ETOL has a value, the best there is; a row with any other failure has none. */
void sweep_show(const void *rows, size_t n, size_t size, void (*show)(size_t i, void *ctx),
                void *ctx)
{
    for (size_t i = 0; i < n; i++) {
        const sweep_row *x = row_at(rows, i, size);
        if (x->done && (!x->status || x->status == FINF_ETOL)) show(i, ctx);
    }
}

/* A row that was cut short does not count as whole, even if it has something to show. After Ctrl-C
 * the status is FINF_ETOL: what was finished is printed, and the exit status tells that it is not
 * all. */
finf_status sweep_outcome(const void *rows, size_t n, size_t size, int stopped, finf_reason *why)
{
    finf_status s = FINF_OK;
    size_t whole = 0;
    for (size_t i = 0; i < n; i++) {
        const sweep_row *x = row_at(rows, i, size);
        if (!x->done) continue;
        whole += !x->cut;
        if (x->status && (!s || s == FINF_ETOL)) {
            s = x->status;
            *why = x->why;
        }
    }
    if (!stopped || whole == n) return s;
    if (n > 1) return finf_why(why, FINF_ETOL, "interrupted: %zu of %zu are done", whole, n);
    finf_reason only = row_at(rows, 0, size)->why;
    return finf_why(why, FINF_ETOL, "interrupted%s%.200s", only.text[0] ? ": " : "", only.text);
}
