/* The learning curve of any linear optimizer. (theory 11.5)
 *
 * Along direction j the loop x <- M x + in (noise), x = (theta, buffers), has three inputs that are
 * not correlated with each other, so that second moments add:
 *
 *     S_j(t) = start r_t^2 + sigma^2 N_t + C_t,
 *
 * r: the answer to the start; N: the energy of the correlated noise, for Toeplitz noise the sum of
 * the squares of the loop's answer to beta; C: the second moment by the martingale noise, which is
 * independent from step to step and has the variance
 *
 *     V_j(t) = (1+kx) lambda_j^2 S_j(t) + lambda_j (sum_i lambda_i S_i(t) + sigma_sgd^2).
 *
 * Each term is a sum of squares, and no pole of the loop is needed. An average is one more row of
 * the state (ema), or the same with inputs summed over the last K steps and what curve_window.c
 * adds (last). Weight decay V makes h = lambda + V the curvature of the loop and of the loss. */
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "curve.h"

/* The answer of the loop, or of its sums over the last K steps, to all but the martingale noise. */
typedef struct {
    double *x; /* to the noise: rows of the state */
    double *N; /* Toeplitz noise: sum of the squares of x, by rows; else second moments */
    double *r; /* to the start */
} answer;

/* LANES directions. */
typedef struct {
    double *h;      /* curvature of the loop */
    double *lambda; /* and of the inputs */
    double *loss;   /* h times how many directions */
    double *trace;  /* lambda times that */
    double *start;  /* (theta_0 - theta*)^2 */
    double *S;      /* the second moment of theta */
    answer point;   /* theta, and its average with ema */
    answer sums;    /* last:K */
    double *C;      /* second moments by the martingale noise */
    curve_window window;
} group;
#define GROUP_ROWS 6 /* of a group, before its answers */

typedef struct {
    const curve_question *q;
    curve_loop m;
    size_t rows;       /* of the state: p, or p + 1 with ema */
    size_t moments;    /* rows of an answer's N */
    size_t last;       /* K of last:K, at most n + 1; 0: no such average */
    double *in;        /* the state after noise 1 from rest; and with the running sum */
    double *beta_sums; /* Toeplitz noise: beta summed over the last K steps */
    double *K_sums;    /* other noise: its covariance, summed likewise */
    size_t groups;
    group *group;
    double *block; /* the numbers of all groups */
    curve_windows windows;
    double trace;   /* sum_i lambda_i S_i */
    double average; /* sum_i h_i E (averaged point)_i^2 */
} course;

/* ---- the recursion --------------------------------------------------------------------------- */

#define INLINE static inline __attribute__((always_inline))

INLINE void spread_all(const curve_loop *m, size_t order, size_t rows, const double *h, double *C)
{
    for (size_t k = 0; k < rows; k++) curve_step(m, order, rows, h, C + k * LANES, rows * LANES, 0);
    for (size_t i = 0; i < rows; i++) curve_step(m, order, rows, h, C + i * rows * LANES, LANES, 0);
}

/* C <- M C M'. */
FINF_VECTOR static void spread(const curve_loop *m, size_t rows, const double *h, double *C)
{
    CURVE_USUAL(spread_all, m, rows, h, C);
}

/* C += V in in'. */
FINF_VECTOR static void add_white(size_t rows, const double *restrict V, const double *restrict in,
                                  double *restrict C)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < rows; k++, C += LANES)
            for (size_t l = 0; l < LANES; l++)
                C[l] += V[l] * (in[i * LANES + l] * in[k * LANES + l]);
}

/* C += x y' + y x'. */
FINF_VECTOR static void add_products(size_t rows, const double *restrict x,
                                     const double *restrict y, double *restrict C)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < rows; k++, C += LANES)
            for (size_t l = 0; l < LANES; l++)
                C[l] += x[i * LANES + l] * y[k * LANES + l] + y[i * LANES + l] * x[k * LANES + l];
}

void curve_spread(const curve_loop *m, size_t rows, const double *h, const double *V,
                  const double *in, double *C)
{
    spread(m, rows, h, C);
    add_white(rows, V, in, C);
}

INLINE void along_row_all(const curve_loop *m, size_t order, size_t rows, const double *h,
                          const double *K, size_t t, double *y)
{
    for (size_t s = 0; s < t; s++) curve_step(m, order, rows, h, y, LANES, K[s]);
    curve_step(m, order, rows, h, y, LANES, K[t] / 2);
}

/* Along a row of K, to the vector y with M C M' + y in' + in y' the next second moments:
 * y = sum_{s<t} M^{t-s} in K_ts + in K_tt/2. */
FINF_VECTOR static void along_row(const curve_loop *m, size_t rows, const double *h,
                                  const double *K, size_t t, double *y)
{
    memset(y, 0, rows * LANES * sizeof *y);
    CURVE_USUAL(along_row_all, m, rows, h, K, t, y);
}

FINF_VECTOR static void toeplitz(const curve_loop *m, size_t rows, const double *h, double beta,
                                 double *restrict x, double *restrict N)
{
    CURVE_USUAL(curve_step, m, rows, h, x, LANES, beta);
    for (size_t i = 0; i < rows * LANES; i++) N[i] += x[i] * x[i];
}

FINF_VECTOR static void from_start(const curve_loop *m, size_t rows, const double *h, double *r)
{
    CURVE_USUAL(curve_step, m, rows, h, r, LANES, 0);
}

/* An answer from t to t+1; `again`: the start is put in once more. */
static void answer_advance(const course *c, answer *a, const double *h, const double *beta,
                           const double *K, int again, size_t t)
{
    if (beta)
        toeplitz(&c->m, c->rows, h, beta[t], a->x, a->N);
    else {
        along_row(&c->m, c->rows, h, K + t * c->q->n, t, a->x);
        spread(&c->m, c->rows, h, a->N);
        add_products(c->rows, a->x, c->in, a->N);
    }
    from_start(&c->m, c->rows, h, a->r);
    for (size_t l = 0; l < LANES && again; l++) a->r[l] += 1;
    if (t % 64) return;
    curve_clean(a->x, c->rows * LANES);
    curve_clean(a->r, c->rows * LANES);
}

/* out = the second moment of row i of an answer. */
INLINE void answer_square(const course *c, const answer *a, const double *start, size_t i,
                          double *restrict out)
{
    const double *r = a->r + i * LANES;
    const double *N = a->N + (c->q->beta ? i : i * (c->rows + 1)) * LANES;
    double sigma2 = c->q->sigma2;
    for (size_t l = 0; l < LANES; l++) out[l] = start[l] * (r[l] * r[l]) + sigma2 * N[l];
}

/* S of a group at t, and its part of the two sums. */
FINF_VECTOR static void measure(course *c, group *g, size_t t)
{
    size_t p = c->m.p;
    double average[LANES], window[LANES], trace = 0, loss = 0;
    double points = (double)(t + 1 < c->last ? t + 1 : c->last);
    answer_square(c, &g->point, g->start, 0, g->S);
    for (size_t l = 0; l < LANES; l++) average[l] = g->S[l] += g->C[l];
    if (c->rows > p) {
        const double *C = g->C + (p * c->rows + p) * LANES;
        answer_square(c, &g->point, g->start, p, average);
        for (size_t l = 0; l < LANES; l++) average[l] += C[l];
    }
    if (c->last) {
        answer_square(c, &g->sums, g->start, 0, average);
        curve_window_square(&c->windows, &g->window, window);
        for (size_t l = 0; l < LANES; l++)
            average[l] = (average[l] + window[l]) / (points * points);
    }
    for (size_t l = 0; l < LANES; l++) {
        trace += g->trace[l] * g->S[l];
        loss += g->loss[l] * average[l];
    }
    c->trace += trace;
    c->average += loss;
}

/* A group from t to t+1, where `trace` is sum_i lambda_i S_i at t. */
static void group_advance(course *c, group *g, double trace, size_t t)
{
    const curve_question *q = c->q;
    double V[LANES];
    for (size_t l = 0; l < LANES; l++) {
        double a = g->lambda[l];
        V[l] = a * ((1 + q->kurtosis) * (a * g->S[l]) + (trace + q->sgd2));
    }
    answer_advance(c, &g->point, g->h, q->beta, q->K, 0, t);
    curve_spread(&c->m, c->rows, g->h, V, c->in, g->C);
    if (!c->last) return;
    answer_advance(c, &g->sums, g->h, c->beta_sums, c->K_sums, t + 1 < c->last, t);
    curve_window_advance(&c->windows, &g->window, g->h, V, g->loss, t);
}

static finf_status run(course *c, double *F, finf_reason *why)
{
    size_t n = c->q->n;
    for (size_t i = 0; i < c->groups; i++) measure(c, &c->group[i], 0);
    for (size_t t = 0;; t++) {
        double trace = c->trace;
        F[t] += 0.5 * c->average;
        if (!isfinite(trace) || !isfinite(F[t])) {
            for (; t <= n; t++) F[t] = INFINITY;
            return finf_why(why, FINF_OK, "eta diverges in mean square, and the curve overflows");
        }
        if (t == n) return FINF_OK;
        c->trace = c->average = 0;
        for (size_t i = 0; i < c->groups; i++) {
            if ((t + i) % 64 == 0 && finf_cancelled(c->q->cancel))
                return finf_why(why, FINF_ETOL, "stopped at step %zu of %zu", t, n);
            group_advance(c, &c->group[i], trace, t);
            measure(c, &c->group[i], t + 1);
        }
    }
}

/* ---- what it needs --------------------------------------------------------------------------- */

#define FINEST 512.0

/* For each factor e of lambda a pole z turns by about arg(z)/2 (heavy ball: arg(z)^2 ~ q), and it
 * lives for 1/(1-|z|) steps, while the slow pole of sgd moves by its own leak. Eight such turns are
 * what the 16 or 22 nodes of a group can follow; what weight decay adds to lambda slows them. */
finf_status curve_optimizer_fine(const finf_optimizer *o, double eta, const finf_spectrum *s,
                                 size_t *fine)
{
    double complex y[OPTIMIZER_ORDER_MAX];
    double most = 0, decay = o->weight_decay;
    for (double l = finf_spectrum_max(s); l >= finf_spectrum_min(s) / 2; l /= 2) {
        size_t n = 0;
        finf_status status = loop_poles(o, eta * (l + decay), y, &n);
        if (status) return status;
        for (size_t i = 0; i < n; i++) {
            double leak = loop_pole_leak(y[i]), turn = fabs(carg(1 / (1 - y[i]))) / 2;
            if (leak > 0) most = fmax(most, turn / leak * (l / (l + decay)));
        }
    }
    *fine = (size_t)fmin(1 + most / 8, FINEST);
    return FINF_OK;
}

/* The loop, its average and what noise does to it from rest. */
static finf_status set_loop(course *c)
{
    const finf_optimizer *o = c->q->optimizer;
    double none[LANES] = {0};
    c->m.u = update_rule_make(o, c->q->eta);
    c->m.p = c->m.u.order + 1;
    c->m.keep = 1 - o->average_leak;
    c->m.gain = o->average_leak;
    c->rows = c->m.p + (o->average == AVERAGE_EMA);
    c->moments = c->q->beta ? c->rows : c->rows * c->rows;
    if (o->average == AVERAGE_LAST)
        c->last = o->average_last <= c->q->n ? o->average_last : c->q->n + 1;
    c->windows = (curve_windows){.m = c->m, .K = c->last, .n = c->q->n};
    c->windows.m.keep = c->windows.m.gain = 1;
    size_t row = (c->m.p + 1) * LANES;
    c->in = calloc(2 * row, sizeof *c->in);
    if (!c->in) return FINF_ENOMEM;
    curve_step(&c->m, c->m.u.order, c->rows, none, c->in, LANES, 1);
    curve_step(&c->m, c->m.u.order, c->m.p, none, c->in + row, LANES, 1);
    memcpy(c->in + row + c->m.p * LANES, c->in + row, LANES * sizeof *c->in);
    c->windows.in = c->in + row;
    return FINF_OK;
}

/* The covariance of the noise summed over the last K steps; room for K + 2n numbers. */
static void sum_covariance(const double *K, size_t n, size_t last, double *room, double *out)
{
    double *column = room + last, *summed = column + n;
    for (size_t i = 0; i < n; i++) curve_window_sums(K + i * n, n, last, room, out + i * n);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) column[i] = out[i * n + j];
        curve_window_sums(column, n, last, room, summed);
        for (size_t i = 0; i < n; i++) out[i * n + j] = summed[i];
    }
}

/* last:K: the noise summed over K steps, and room for what leaves the window. */
static finf_status set_sums(course *c)
{
    const curve_question *q = c->q;
    size_t n = q->n, K = c->last, row = (c->m.p + 1) * LANES;
    if (!K) return FINF_OK;
    double *room = malloc((K + 2 * n) * sizeof *room);
    double *sums = malloc((q->beta ? n : n * n) * sizeof *sums);
    if (K <= n) c->windows.scratch = malloc((K + c->m.p + 2) * row * sizeof(double));
    finf_status s = room && sums && (K > n || c->windows.scratch) ? FINF_OK : FINF_ENOMEM;
    if (!s && q->beta)
        curve_window_sums(q->beta, n, K, room, sums);
    else if (!s)
        sum_covariance(q->K, n, K, room, sums);
    *(q->beta ? &c->beta_sums : &c->K_sums) = sums;
    free(room);
    return s;
}

/* Takes rows from the block. */
static double *take(double **block, size_t rows)
{
    double *x = *block;
    *block += rows * LANES;
    return x;
}

static void take_answer(const course *c, double **block, answer *a)
{
    a->x = take(block, c->rows);
    a->N = take(block, c->moments);
    a->r = take(block, c->rows);
    for (size_t l = 0; l < LANES; l++) {
        a->r[l] = 1;
        a->r[(c->rows > c->m.p ? c->m.p : 0) * LANES + l] = 1;
    }
}

/* Directions of a group; those beyond the last repeat it and count for nothing. */
static void take_group(const course *c, double *block, size_t from, group *g)
{
    const curve_list *list = c->q->list;
    double **row[] = {&g->h, &g->lambda, &g->loss, &g->trace, &g->start, &g->S};
    for (size_t i = 0; i < GROUP_ROWS; i++) *row[i] = take(&block, 1);
    for (size_t l = 0; l < LANES; l++) {
        size_t j = from + l < list->n ? from + l : list->n - 1;
        double count = from + l < list->n ? list->count[j] : 0;
        g->lambda[l] = list->lambda[j];
        g->h[l] = list->lambda[j] + c->q->optimizer->weight_decay;
        g->loss[l] = g->h[l] * count;
        g->trace[l] = list->lambda[j] * count;
        g->start[l] = list->start[j];
    }
    take_answer(c, &block, &g->point);
    g->C = take(&block, c->rows * c->rows);
    if (!c->last) return;
    take_answer(c, &block, &g->sums);
    curve_window_place(&c->windows, g->h, block, &g->window);
}

static finf_status set_groups(course *c)
{
    size_t answers = (2 * c->rows + c->moments) * (c->last ? 2 : 1);
    size_t size = LANES * (GROUP_ROWS + answers + c->rows * c->rows) +
                  (c->last ? curve_window_size(&c->windows) : 0);
    c->groups = (c->q->list->n + LANES - 1) / LANES;
    c->group = calloc(c->groups, sizeof *c->group);
    c->block = calloc(c->groups, size * sizeof *c->block);
    if (!c->group || !c->block) return FINF_ENOMEM;
    for (size_t i = 0; i < c->groups; i++)
        take_group(c, c->block + i * size, i * LANES, &c->group[i]);
    return FINF_OK;
}

finf_status curve_optimizer(const curve_question *q, double *F, finf_reason *why)
{
    course c = {.q = q};
    memset(F, 0, (q->n + 1) * sizeof *F);
    finf_status s = set_loop(&c);
    if (!s) s = set_sums(&c);
    c.windows.F = F;
    if (!s) s = set_groups(&c);
    s = s ? finf_why(why, s, "no memory for %zu steps and %zu directions", q->n, q->list->n)
          : run(&c, F, why);
    free(c.in);
    free(c.beta_sums);
    free(c.K_sums);
    free(c.windows.scratch);
    free(c.group);
    free(c.block);
    return s;
}
