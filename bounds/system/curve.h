/* What curve.c, curve_optimizer.c and curve_window.c share. (theory 6, 11.5) */
#ifndef FINF_CURVE_H
#define FINF_CURVE_H

#include <string.h>

#include "update_rule.h"

/* The directions of a curve, or the nodes of the spectral measure that stand for them. */
typedef struct {
    size_t n;
    double *lambda; /* eigenvalues; owns the other columns */
    double *count;  /* how many directions each stands for */
    double *start;  /* (theta_0 - theta*)^2 along it */
} curve_list;

/* A curve to be computed for an optimizer that is not plain sgd. */
typedef struct {
    const finf_optimizer *optimizer;
    double eta;
    double sigma2;      /* variance of the seeds w */
    double sgd2;        /* sigma_sgd^2 */
    double kurtosis;    /* of the inputs */
    size_t n;           /* steps */
    const double *beta; /* of Toeplitz noise, n numbers; else NULL, */
    const double *K;    /* and the n x n covariance of the noise at sigma = 1 */
    const curve_list *list;
    finf_cancel cancel;
} curve_question;

/* F[0..n]. FINF_ETOL: cancelled. A curve that overflows is +inf from there on, with a reason. */
finf_status curve_optimizer(const curve_question *q, double *F, finf_reason *why);
/* How many times finer than for sgd the groups of the spectral measure must be. */
finf_status curve_optimizer_fine(const finf_optimizer *o, double eta, const finf_spectrum *s,
                                 size_t *fine);

/* ---- groups of directions: what the two files about optimizers share ------------------------- */

/* Directions are taken LANES at a time: a row is a number for each of them, and a state of the loop
 * is p rows (theta, s_1, ..), or p + 1 with the average. Covariances have a row for each pair. */
enum { LANES = 16 };
typedef double curve_four __attribute__((vector_size(32), aligned(8), may_alias));

typedef struct {
    update_rule u;
    size_t p;    /* theta and its buffers */
    double keep; /* the last row is avg <- keep avg + gain theta: */
    double gain; /* a and 1 - a for ema:a, 1 and 1 for the sum of all points so far */
} curve_loop;

/* x one step on, where every gradient has `in` added. Rows are `by` numbers apart. `order` is that
 * of the rule, and rows - order - 1 is 1 with the average and 0 without: where both are constants
 * the compiler makes straight vector code of it. */
static inline __attribute__((always_inline)) void curve_step(const curve_loop *m, size_t order,
                                                             size_t rows, const double *restrict h,
                                                             double *restrict x, size_t by,
                                                             double in)
{
    const update_rule *u = &m->u;
    const curve_four *H = (const curve_four *)h;
    for (size_t k = 0; k < LANES / 4; k++) {
        curve_four *X = (curve_four *)x + k, g = H[k] * *X + in, first = {0};
        if (order) first = X[by / 4];
        for (size_t i = 1; i <= order; i++) {
            curve_four next = {0};
            if (i < order) next = X[(i + 1) * by / 4];
            X[i * by / 4] = (next - u->rest[i - 1] * first) + u->c[i - 1] * g;
        }
        *X -= u->eta * (first + u->first * g);
        if (rows > order + 1)
            X[(order + 1) * by / 4] = m->keep * X[(order + 1) * by / 4] + m->gain * *X;
    }
}

/* Calls f(m, order, rows, ..) with constants for the usual rules. */
#define CURVE_USUAL(f, m, rows, ...)                                                               \
    do {                                                                                           \
        size_t order_ = (m)->u.order, rows_ = (rows);                                              \
        if (order_ == 1 && rows_ == 2)                                                             \
            f(m, 1, 2, __VA_ARGS__);                                                               \
        else if (order_ == 1)                                                                      \
            f(m, 1, 3, __VA_ARGS__);                                                               \
        else if (order_ == 0 && rows_ == 1)                                                        \
            f(m, 0, 1, __VA_ARGS__);                                                               \
        else                                                                                       \
            f(m, order_, rows_, __VA_ARGS__);                                                      \
    } while (0)

/* Numbers whose squares are 0 become 0 themselves: nothing is lost but the slow arithmetic of
 * numbers below the normal range. */
static inline void curve_clean(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) x[i] = fabs(x[i]) < 1e-170 ? 0 : x[i];
}

/* C <- M C M' + V in in', M being curve_step: the second moments after a step with independent
 * noise of variance V, to which a state at rest answers with `in`. */
void curve_spread(const curve_loop *m, size_t rows, const double *h, const double *V,
                  const double *in, double *C);

/* ---- curve_window.c: the mean of the last points --------------------------------------------- */

/* What independent noise adds to the sums of the last K points, of one group. */
typedef struct {
    double *fresh; /* second moments of (state, sum), of the noise of this block of K steps */
    double *tail;  /* second moments of the sums of K states, of noise older than K steps */
    double *v;     /* what noise of K steps ago becomes there */
    double *ring;  /* its variances in the last K steps: step t at row t mod K */
} curve_window;

typedef struct {
    curve_loop m; /* with the sum of all points so far */
    size_t K;
    size_t n;
    const double *in; /* of m, p + 1 rows */
    double *scratch;  /* (K + p + 2)(p + 1) rows; NULL if K > n: none leaves */
    double *F;        /* where what was not in its block goes */
} curve_windows;

/* The doubles of one group's window, and where they are in a block of zeros. */
size_t curve_window_size(const curve_windows *w);
void curve_window_place(const curve_windows *w, const double *h, double *block, curve_window *out);
/* From t to t+1, the noise having the variance V at t. At the start of a block what older noise
 * will add to the sums within it is added to F, `loss` being the factor of each direction. */
void curve_window_advance(const curve_windows *w, curve_window *x, const double *h, const double *V,
                          const double *loss, size_t t);
/* The row with what the noise has added to the square of the sum, without that in F. */
void curve_window_square(const curve_windows *w, const curve_window *x, double *out);
/* y_t = x_t + x_{t-1} + .., K terms or as many as there are, by additions alone. `room` is for K
 * numbers; y is not x. */
void curve_window_sums(const double *x, size_t n, size_t K, double *room, double *y);

#endif
