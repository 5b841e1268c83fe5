/* Whether errors are true. Usage: honesty POINTS [SEED] [KIND] [THREADS]
 * Exit 1 where one is too small, 4 after Ctrl-C; the same table by any number of threads. */
#include <stdatomic.h>

#include "honesty.h"
#include "sweep.h"

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
    size_t points;
    unsigned long long seed;
    size_t only; /* the kind asked for; KIND_COUNT: all */
    atomic_size_t done;
    tally *t;
} job;

/* Point i of a thousand is of the kind in whose share i mod 1000 falls, in an order that mixes. */
static size_t kind_of(const job *j, size_t i)
{
    unsigned at = (unsigned)(i * 619 % 1000);
    if (j->only < KIND_COUNT) return j->only;
    size_t k = 0;
    for (; at >= KINDS[k].share; k++) at -= KINDS[k].share;
    return k;
}

/* What a point asks is drawn from its number alone. */
static void run_point(size_t i, void *data)
{
    job *j = data;
    point p = {.state = j->seed * 0x9e3779b97f4a7c15ull + i * 0xd1342543de82ef95ull, .t = j->t};
    KINDS[kind_of(j, i)].run(&p);
    if (!sweep_interrupted(NULL)) atomic_fetch_add(&j->done, 1);
}

static size_t kind_named(const char *name)
{
    size_t k = 0;
    while (k < KIND_COUNT && strcmp(KINDS[k].name, name) != 0) k++;
    if (k < KIND_COUNT || !*name) return k;
    fprintf(stderr, "honesty: no kind is called %s\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    job j = {.points = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000,
             .seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1,
             .only = kind_named(argc > 3 ? argv[3] : ""),
             .t = tally_new()};
    unsigned long threads = argc > 4 ? strtoul(argv[4], NULL, 10) : 0;
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    sweep_set(threads > 256 ? 256 : (unsigned)threads, PROGRESS_ON_TERMINAL);
    int interrupted = sweep_run(j.points, run_point, &j);
    if (interrupted) printf("interrupted: %zu of ", j.done);
    printf("%zu points, seed %llu\n", j.points, j.seed);
    size_t too_small = tally_print(j.t);
    tally_free(j.t);
    return too_small ? 1 : interrupted ? 4 : 0;
}
