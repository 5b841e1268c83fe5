/* What the files of the simulation share, and its tests see. The public part is in finf.h.
 * (theory 6.6)
 *
 *   montecarlo.c         the question: its domain, sigma, the knee, the exact value beside it
 *   montecarlo_course.c  how many chains, how long, on which threads, and when to stop
 *   montecarlo_steps.c   a batch of chains from start to end
 *   montecarlo_optimizer.c   their steps, where the optimizer is not plain sgd (theory 11.5)
 *   montecarlo_noise.c   their noise */
#ifndef FINF_MONTECARLO_H
#define FINF_MONTECARLO_H

#include "bounds.h"
#include "stream.h"
#include "update_rule.h"

enum {
    LANES = 8,         /* chains of a batch, which are run side by side in vectors */
    TILE_MOST = 64,    /* steps for which noise and inputs are drawn at a time, at most */
    THREADS_MOST = 256 /* threads */
};
#define TILE_NUMBERS 4096 /* numbers of a tile: a few tiles stay in the second-level cache */
#define BLOCK_MOST ((size_t)1 << 26) /* numbers of the FFT blocks of one thread: 512 MB */

/* How the noise is made. */
typedef enum {
    SOURCE_WHITE,    /* the normals themselves */
    SOURCE_RATIONAL, /* a filter of a few poles */
    SOURCE_BLOCK     /* FFT blocks as long as a chain: everything else */
} source_kind;

/* What is run: it does not change while chains of one length are. */
typedef struct {
    const finf_noise *noise;
    finf_simulate_problem problem;
    finf_simulate_options o; /* o.steps: T, or 0 for the stationary law */
    double eta;
    double sigma;   /* of the seeds w */
    double clip;    /* clip norm, INFINITY without clipping */
    double L;       /* the Huber-like loss: its curvature within the knee (mean estimation: 1) */
    double mu;      /* and outside (mean estimation: 1) */
    double knee;    /* and the |theta - theta*| where it changes */
    size_t d;       /* dimension */
    size_t width;   /* d LANES: entry j LANES + k of a vector is coordinate j of chain k */
    size_t tile;    /* steps of a tile */
    double *lambda; /* d eigenvalues, and the allocation of root and start */
    double *root;   /* their square roots */
    double *start;  /* theta_0 - theta*, 0 for the stationary law */
    size_t burn;    /* steps of a chain that are not counted, */
    size_t length;  /* and all its steps */
    source_kind source;
    noise_poles filter;       /* SOURCE_RATIONAL */
    double *factor;           /* and the n x n factor of its stationary law; NULL for T steps */
    size_t block;             /* SOURCE_BLOCK: length of a block */
    double complex *response; /* for T steps: beta_0..beta_{T-1} on 2 block points, transformed */
    const finf_optimizer *optimizer; /* NULL: plain sgd, and nothing below is used but `window` */
    update_rule rule;
    double decay;   /* V: its weight decay */
    double keep;    /* ema:a: avg <- keep avg + gain theta, a and 1 - a */
    double gain;    /* last:K: 1 */
    size_t window;  /* last:K: K, or T + 1 if T steps are fewer; else 1 */
    double slowest; /* modulus of the slowest pole over the curvatures of F; >= 1: unstable */
    double D;       /* linear regression: that of finf_linreg, for the burn-in; else 1 */
} plan;

static inline int plan_cancelled(const plan *p) { return finf_cancelled(p->o.cancel); }

/* What a thread works with. Tiles are stored step by step, `width` numbers each. */
typedef struct {
    const plan *p;
    normal_source *normals;
    noise_stream stream;      /* SOURCE_BLOCK, stationary */
    double *theta;            /* theta - theta*, width numbers; owns all to `first` */
    double *w;                /* a tile of noise z/sigma */
    double *x;                /* a tile of inputs, before they are multiplied by `root` */
    double *xi;               /* a tile of gradient noise, LANES numbers a step */
    double *state;            /* of the filter: coordinate, pole, lane */
    double *buffers;          /* of the optimizer, width numbers each */
    double *average;          /* the averaged point or, for last:K, the sum; NULL without average */
    double *first;            /* room for a buffer, or in one dimension for a copy of theta */
    double *z;                /* SOURCE_BLOCK: a block for each of the width entries */
    double *pad;              /* SOURCE_BLOCK, T steps: room for 2 block numbers, */
    double complex *spectrum; /* and for their transform */
} worker;

/* ---- montecarlo_noise.c ---------------------------------------------------------------------- */

/* Decides how the noise is made, where `slow` is the least frequency that matters. */
finf_status noise_set_source(plan *p, double slow, finf_reason *why);
/* SOURCE_BLOCK with T steps: plan.response, once the lengths are known and after every change. */
finf_status noise_set_response(plan *p, finf_reason *why);

finf_status worker_make(const plan *p, worker *k); /* on failure: worker_free what there is */
void worker_free(worker *k);

/* Goes to the start of the noise of batch number `batch`; then each call writes `steps` steps of
 * it, from step `from` on, into k->w. Tiles are to be asked for in their order. */
finf_status noise_start(worker *k, unsigned long long batch);
void noise_tile(worker *k, size_t from, size_t steps);

/* ---- montecarlo_steps.c ---------------------------------------------------------------------- */

/* What some chains gave. */
typedef struct {
    double chains;  /* how many */
    double mean;    /* of F, over the chains */
    double m2;      /* sum of the squares of F about that mean */
    double drift;   /* mean of (second half - first half) of a chain */
    double drift2;  /* sum of the squares of that about its mean */
    double clipped; /* fraction of the gradients that were cut */
} tally;
/* Adds b to a (Chan's formula for sums of squares about the mean). */
void tally_add(tally *a, const tally *b);

typedef enum {
    BATCH_NONE, /* cancelled before anything was counted */
    BATCH_PART, /* cancelled in the first half of what is counted */
    BATCH_WHOLE /* run to the end, or cancelled in the second half */
} batch_state;

/* Runs the LANES chains of batch number `batch`. After every tile tell(told, steps of the tile) is
 * called. Cancelled chains of T steps give nothing, stationary ones what they have. */
finf_status batch_run(worker *w, unsigned long long batch, tally *out, batch_state *done,
                      void (*tell)(void *, size_t), void *told);

/* ---- montecarlo_optimizer.c ------------------------------------------------------------------ */

/* The buffers and the average, once theta is at the start. */
void optimizer_start(worker *k);
/* Steps from step `from` on, with the noise and the inputs of the tile. F of the reported point is
 * added at every step, or at the end of every window of last:K. */
void optimizer_tile(worker *k, size_t from, size_t steps, double *F, double *cut);
/* F of the reported point of each chain as it stands, a mean of `points` points. */
void optimizer_value(const worker *k, double points, double F[LANES]);

/* ---- montecarlo_course.c --------------------------------------------------------------------- */

/* Runs chains until the relative error is the one asked for. `burn` is a first guess of the
 * burn-in, `slow` as above. FINF_ETOL: cancelled, or the steps allowed are spent; the best value is
 * given. */
finf_status course_run(plan *p, double burn, double slow, finf_simulate_result *out);

#endif
