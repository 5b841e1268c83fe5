/* What the files of the simulation share, and its tests see. The public part is in finf.h.
 *
 *   montecarlo.c         the question: its domain, sigma, the knee, the exact value beside it
 *   montecarlo_course.c  how many chains, how long, on which threads, and when to stop
 *   montecarlo_steps.c   a batch of chains from start to end
 *   montecarlo_noise.c   their noise */
#ifndef FINF_MONTECARLO_H
#define FINF_MONTECARLO_H

#include "bounds.h"
#include "stream.h"

enum { LANES = 8, TILE_MOST = 64, THREADS_MOST = 256 };
#define TILE_NUMBERS 4096            /* of a tile: it and its like stay in the second-level cache */
#define BLOCK_MOST ((size_t)1 << 26) /* numbers, of the FFT blocks of one thread: 512 MB */

typedef enum { SOURCE_WHITE, SOURCE_RATIONAL, SOURCE_BLOCK } source_kind;

/* What is run: fixed while chains of one length are. */
typedef struct {
    const finf_noise *noise;
    finf_simulate_problem problem;
    finf_simulate_options o; /* o.steps: T, or 0 for the stationary law */
    double eta, sigma, clip; /* clip: INFINITY without clipping */
    double L, mu, knee;      /* mean: 1, 1, anything */
    size_t d, width, tile;   /* width = d LANES: entry j LANES + k is coordinate j of chain k */
    double *lambda, *root;   /* eigenvalues, their square roots; d of each */
    double *start;           /* theta_0 - theta*; one block with the two, in lambda */
    size_t burn, length;     /* of a chain */
    source_kind source;
    noise_poles filter;
    double *factor;           /* its stationary factor */
    size_t block;             /* length of the FFT blocks */
    double complex *response; /* o.steps > 0: of beta_0..beta_{T-1} at the frequencies of 2 block */
} plan;

static inline int plan_cancelled(const plan *p) { return finf_cancelled(p->o.cancel); }

/* One thread's room. */
typedef struct {
    const plan *p;
    normal_source *normals;
    noise_stream stream;
    /* theta - theta*; tiles of noise, inputs, and one more normal a step */
    double *theta, *w, *x, *xi;
    double *state; /* of the filter: coordinate, pole, lane */
    double *z;     /* FFT blocks: entry, time */
    double *pad;
    double complex *spectrum;
} worker;

/* ---- montecarlo_noise.c ---------------------------------------------------------------------- */

/* How the noise is made; slow: the least frequency that matters. */
finf_status noise_set_source(plan *p, double slow, finf_reason *why);
/* Once the lengths are known, and after every change of them. */
finf_status noise_set_response(plan *p, finf_reason *why);

finf_status worker_make(const plan *p, worker *k); /* on failure: worker_free what there is */
void worker_free(worker *k);

/* The noise of batch number `batch` from its start, then `steps` of it from step `from` into k->w.
 */
finf_status noise_start(worker *k, unsigned long long batch);
void noise_tile(worker *k, size_t from, size_t steps);

/* ---- montecarlo_steps.c ---------------------------------------------------------------------- */

typedef struct {
    /* m2, drift2: sums of squares about the mean */
    double chains, mean, m2, drift, drift2, clipped;
} tally;
void tally_add(tally *a, const tally *b);

typedef enum { BATCH_NONE, BATCH_PART, BATCH_WHOLE } batch_state;

/* LANES chains. Cancelled on the way, stationary chains count as whole from half of their length.
 * Now and then: tell. */
finf_status batch_run(worker *w, unsigned long long batch, tally *out, batch_state *done,
                      void (*tell)(void *, size_t), void *told);

/* ---- montecarlo_course.c --------------------------------------------------------------------- */

/* Chains until the relative error is right. burn: a first guess of the burn-in; slow: as above. */
finf_status course_run(plan *p, double burn, double slow, finf_simulate_result *out);

#endif
