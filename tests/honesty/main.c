/* Whether errors are true. Usage: honesty POINTS [SEED] [KIND]
 * Exit 1 where one is too small. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "honesty.h"

/* What is asked of one point, and how many points of a thousand are of this kind: those that take
 * long are few. */
static const struct {
    const char *name;
    void (*run)(point *);
    unsigned share;
} KINDS[] = {{"special", special_point, 309}, {"privacy", privacy_point, 315},
             {"noise", noise_point, 140},     {"finite", finite_point, 140},
             {"mean", mean_point, 40},        {"linreg", linreg_point, 20},
             {"convex", convex_point, 4},     {"simulate", simulate_point, 1},
             {"printed", printed_point, 20},  {"momentum", momentum_point, 5},
             {"searched", searched_point, 2}, {"designed", designed_point, 4}};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

typedef struct {
    atomic_size_t next;
    size_t points;
    unsigned long long seed;
    const char *only;
} job;

typedef struct {
    job *j;
    tally *t;
} worker;

/* Point i of a thousand is of the kind in whose share i mod 1000 falls, in an order that mixes. */
static size_t kind_of(const job *j, size_t i)
{
    unsigned at = (unsigned)(i * 619 % 1000), sum = 0;
    for (size_t k = 0; k < KIND_COUNT; k++) {
        if (j->only && strcmp(j->only, KINDS[k].name) == 0) return k;
        sum += KINDS[k].share;
        if (!j->only && at < sum) return k;
    }
    return 0;
}

static void *work(void *data)
{
    worker *w = data;
    for (size_t i; (i = atomic_fetch_add(&w->j->next, 1)) < w->j->points;) {
        point p = {.state = w->j->seed * 0x9e3779b97f4a7c15ull + i * 0xd1342543de82ef95ull,
                   .t = w->t};
        KINDS[kind_of(w->j, i)].run(&p);
    }
    flint_cleanup();
    return NULL;
}

int main(int argc, char **argv)
{
    job j = {.points = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000,
             .seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1,
             .only = argc > 3 ? argv[3] : NULL};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t n = cores < 1 ? 1 : cores > 64 ? 64 : (size_t)cores, started = 0;
    pthread_t thread[64];
    worker w[64];
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    for (; started < n; started++) {
        w[started] = (worker){&j, tally_new()};
        if (pthread_create(&thread[started], NULL, work, &w[started])) return 5;
    }
    tally *all = tally_new();
    for (size_t i = 0; i < started; i++) {
        pthread_join(thread[i], NULL);
        tally_merge(all, w[i].t);
        tally_free(w[i].t);
    }
    printf("%zu points, seed %llu\n", j.points, j.seed);
    size_t too_small = tally_print(all);
    tally_free(all);
    return too_small ? 1 : 0;
}
