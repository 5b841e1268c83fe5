/* A process that runs jobs, and the line between it and the one that has them run. */
#include "worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#ifdef FINF_COVERAGE
#include <gcov.h>
#endif

#include "base.h"
#include "sweep.h"

/* ---- results as bytes ------------------------------------------------------------------------ */

/* A result as bytes: its numbers, then its texts with their ends; a text that is missing is of
 * length 0. */
typedef struct {
    uint64_t job, length[3];
    double seconds;
    int32_t status, cut;
} packed;

static void pack(const job_result *r, FILE *out)
{
    const char *text[3] = {r->arguments, r->answer, r->why.text};
    packed p = {.job = r->job, .seconds = r->seconds, .status = (int32_t)r->status, .cut = r->cut};
    for (int i = 0; i < 3; i++) p.length[i] = text[i] ? strlen(text[i]) + 1 : 0;
    fwrite(&p, sizeof p, 1, out);
    for (int i = 0; i < 3; i++)
        if (text[i]) fwrite(text[i], p.length[i], 1, out);
}

const char *worker_unpack(const char *bytes, job_result *r)
{
    packed p;
    char *text[2];
    memcpy(&p, bytes, sizeof p);
    bytes += sizeof p;
    for (int i = 0; i < 2; i++, bytes += p.length[i - 1])
        text[i] = p.length[i] ? strdup(bytes) : NULL;
    *r = (job_result){.job = p.job,
                      .cut = p.cut,
                      .status = (finf_status)p.status,
                      .arguments = text[0],
                      .answer = text[1],
                      .seconds = p.seconds};
    snprintf(r->why.text, sizeof r->why.text, "%s", bytes);
    if (p.length[1] && !text[1]) { /* it is tried again at the next start */
        r->status = finf_why(&r->why, FINF_ENOMEM, "no memory for the answer");
    }
    return bytes + p.length[2];
}

/* ---- bytes from one process to the other ----------------------------------------------------- */

/* 0: the other end is gone. */
static int put(int line, const void *bytes, size_t size)
{
    for (const char *p = bytes; size > 0;) {
        ssize_t n = send(line, p, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return 0;
        p += n;
        size -= (size_t)n;
    }
    return 1;
}

static int get(int line, void *bytes, size_t size)
{
    for (char *p = bytes; size > 0;) {
        ssize_t n = recv(line, p, size, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return 0;
        p += n;
        size -= (size_t)n;
    }
    return 1;
}

/* ---- the process that runs jobs -------------------------------------------------------------- */

typedef struct {
    const jobs *j;
    uint64_t *left;
    job_result *results;
} chunk;

static void task(size_t i, void *ctx)
{
    chunk *c = ctx;
    job_run(c->j, c->left[i], &c->results[i]);
}

/* Runs the n jobs that the line tells next, and answers with their size and their results. 0: the
 * line has ended, or memory has; then the process ends, and the other one sees that. */
static int serve(const jobs *j, int line)
{
    uint64_t n, size;
    memory_file m;
    if (!get(line, &n, sizeof n)) return 0;
    chunk c = {j, malloc(n * sizeof *c.left), calloc(n, sizeof *c.results)};
    FILE *f = c.left && c.results ? memory_open(&m) : NULL;
    if (!f || !get(line, c.left, n * sizeof *c.left)) return 0;
    for (size_t i = 0; i < n; i++) c.results[i] = (job_result){.job = c.left[i], .cut = 1};
    sweep_run(n, task, &c);
    for (size_t i = 0; i < n; i++) {
        pack(&c.results[i], f);
        job_result_free(&c.results[i]);
    }
    fclose(f);
    size = m.size;
    int sent = !m.failed && put(line, &size, sizeof size) && put(line, m.text, m.size);
    free(m.text);
    free(c.left);
    free(c.results);
    return sent;
}

static int start(worker *w)
{
    int end[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, end) != 0) return 0;
    w->pid = fork();
    if (w->pid == 0) {
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* it has nobody to answer to any more */
#endif
        close(end[0]);
        while (serve(w->j, end[1])) {}
#ifdef FINF_COVERAGE
        __gcov_dump(); /* _exit writes no counts */
#endif
        _exit(0); /* what was to be done at the end of the program is the first process's */
    }
    close(end[1]);
    w->line = end[0];
    if (w->pid > 0) return 1;
    close(end[0]);
    w->pid = 0;
    return 0;
}

/* ---- the process that has them run ----------------------------------------------------------- */

void worker_end(worker *w)
{
    if (!w->pid) return;
    close(w->line);
    while (waitpid(w->pid, &w->ended, 0) < 0 && errno == EINTR) {}
    w->pid = 0;
}

/* Until there is something to read, or the process is gone. */
static void await(const worker *w)
{
    struct pollfd line = {.fd = w->line, .events = POLLIN};
    for (int n = 0; w->beat && n == 0;) {
        n = poll(&line, 1, 1 + (int)(1000 * w->interval));
        if (n == 0) w->beat();
        if (n < 0 && errno == EINTR) n = 0;
    }
}

/* The results of n jobs, all or none; `died` where they ended their process. */
static finf_status ask(worker *w, const uint64_t *left, uint64_t n, FILE *out, int *died,
                       finf_reason *why)
{
    uint64_t size;
    char *bytes = NULL;
    *died = 0;
    if (!w->pid && !start(w))
        return finf_why(why, FINF_ENOMEM, "no process for the jobs: %s", strerror(errno));
    int sent = put(w->line, &n, sizeof n) && put(w->line, left, n * sizeof *left);
    if (sent) await(w);
    if (sent && get(w->line, &size, sizeof size)) {
        bytes = malloc(size);
        if (!bytes) return finf_why(why, FINF_ENOMEM, "no memory for the answers");
        if (get(w->line, bytes, size)) {
            fwrite(bytes, 1, size, out);
            free(bytes);
            return FINF_OK;
        }
    }
    free(bytes);
    worker_end(w);
    *died = 1;
    return FINF_OK;
}

/* The result of a job that ended its process whenever it was run. */
static void put_lost(const worker *w, size_t job, FILE *out)
{
    job_result r = {.job = job, .arguments = job_arguments(w->j, job)};
    if (WIFSIGNALED(w->ended))
        r.status = finf_why(&r.why, FINF_EIO, "signal %d ended the process of this job, each time",
                            WTERMSIG(w->ended));
    else
        r.status = finf_why(&r.why, FINF_EIO, "the process of this job ended without an answer");
    pack(&r, out);
    job_result_free(&r);
}

finf_status worker_run(worker *w, const uint64_t *left, size_t n, FILE *out, finf_reason *why)
{
    enum { TIMES = 3 };
    int died, again;
    finf_status s = ask(w, left, n, out, &again, why);
    for (size_t i = 0; i < n && again && !s; i++) {
        died = 1;
        for (int k = 0; k < TIMES && died && !s; k++) s = ask(w, &left[i], 1, out, &died, why);
        if (died) put_lost(w, left[i], out);
    }
    return s;
}
