/* The least loss over matrices C of b bands, for participations at least b apart. (theory 12.2)
 *
 * No two columns of a user meet in such a C, so that with columns of length 1 its squared
 * sensitivity is the number of participations, whatever the pattern (Choquette-Choo et al. 2023).
 * With D the lengths of the columns, B = C^{-1} and G = D M D the loss is tr S, S = B'GB; its
 * derivatives by C are -2 S B', and those by way of D bring each column's part along itself to 0.
 * Everything is three sweeps of substitution over an n x n matrix: O(n^2 b). */
#include "dense_band.h"
#include "dense_design.h"

#include <stdlib.h>
#include <string.h>

#include "dense.h"
#include "lbfgs.h"

#define STEPS_MAX 200  /* up to WORK multiplications a step; in proportion fewer beyond .. */
#define STEPS_LEAST 30 /* .. but no fewer than these */
#define WORK 2e8
#define TOL 1e-6 /* of the loss, relative: what a step promises at the end */
#define SCALED_BUFFERS 4
#define NUMBERS_MAX 4e6 /* in C: beyond, the search would need gigabytes */

typedef struct {
    const finf_design *r;
    size_t b;
    double times;   /* participations: sens2 of columns of length 1 */
    double least;   /* for progress: the lower bound that is known */
    int before;     /* and the iterations so far */
    double *M;      /* n x n; the allocation of all that follows */
    double *S;      /* n x n */
    double *row;    /* n x b: entry (i,j) of C at [i b + b-1-(i-j)] */
    double *length; /* n: of the columns */
} band_search;

/* C as it is searched: entry (j+i,j) at x[j b + i]; where there is no such row it is 0. */
static size_t below(const band_search *a, size_t j)
{
    size_t left = a->r->n - j;
    return left < a->b ? left : a->b;
}

/* Rows of S <- C^{-T} S. */
static void divide_by_transpose(const band_search *a, const double *x, double *S)
{
    size_t n = a->r->n, b = a->b;
    for (size_t i = n; i-- > 0;) {
        double *to = S + i * n, diagonal = x[i * b];
        for (size_t c = 0; c < n; c++) to[c] = -to[c];
        dense_combine(x + i * b + 1, to + n, below(a, i) - 1, n, n, to);
        for (size_t c = 0; c < n; c++) to[c] /= -diagonal;
    }
}

/* Rows of S <- C^{-1} S. */
static void divide(const band_search *a, double *S)
{
    size_t n = a->r->n, b = a->b;
    for (size_t i = 0; i < n; i++) {
        size_t above = i < b - 1 ? i : b - 1;
        const double *row = a->row + i * b + (b - 1);
        double *to = S + i * n, diagonal = *row;
        for (size_t c = 0; c < n; c++) to[c] = -to[c];
        dense_combine(row - above, S + (i - above) * n, above, n, n, to);
        for (size_t c = 0; c < n; c++) to[c] /= -diagonal;
    }
}

static void transpose(size_t n, double *S)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double swap = S[i * n + j];
            S[i * n + j] = S[j * n + i];
            S[j * n + i] = swap;
        }
}

/* The rows of C and the lengths of its columns. 0: C has no inverse. */
static int spread_out(band_search *a, const double *x)
{
    size_t n = a->r->n, b = a->b;
    int fine = 1;
    memset(a->row, 0, n * b * sizeof *a->row);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < below(a, j); i++) a->row[(j + i) * b + b - 1 - i] = x[j * b + i];
        a->length[j] = sqrt(dense_dot(x + j * b, x + j * b, below(a, j)));
        fine = fine && x[j * b] > 1e-100 * a->length[j] && a->length[j] < INFINITY;
    }
    return fine;
}

/* log tr S, and its derivatives. */
static finf_status value(const double *x, void *data, double *f, double *g)
{
    band_search *a = data;
    size_t n = a->r->n, b = a->b;
    double *S = a->S, trace = 0;
    *f = INFINITY;
    if (finf_cancelled(a->r->o.cancel)) return FINF_ETOL;
    if (!spread_out(a, x)) return FINF_OK;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) S[i * n + j] = a->length[i] * a->M[i * n + j] * a->length[j];
    divide_by_transpose(a, x, S);
    transpose(n, S);
    divide_by_transpose(a, x, S);
    for (size_t i = 0; i < n; i++) trace += S[i * n + i];
    if (!(trace > 0 && trace < INFINITY)) return FINF_OK;
    divide(a, S);
    memset(g, 0, n * b * sizeof *g);
    for (size_t j = 0; j < n; j++) {
        const double *column = x + j * b, *by = S + j * n + j;
        double along = dense_dot(column, by, below(a, j)) / (a->length[j] * a->length[j]);
        for (size_t i = 0; i < below(a, j); i++)
            g[j * b + i] = 2 * (along * column[i] - by[i]) / trace;
    }
    *f = log(trace);
    return FINF_OK;
}

static void told(void *data, int step, double f)
{
    const band_search *a = data;
    const finf_design_options *o = &a->r->o;
    if (o->progress)
        o->progress(o->progress_data, a->before + step, a->r->spread * a->times * exp(f), a->least);
}

/* The result of C, its columns of the length at which the sensitivity is 1. */
static finf_status take(const band_search *a, const double *x, finf_design_result *out)
{
    size_t n = a->r->n, b = a->b;
    double *C = calloc(n * n, sizeof *C);
    finf_design uncancelled = *a->r; /* what was found is worth judging, also after a stop */
    uncancelled.o.cancel = (finf_cancel){NULL, NULL};
    if (!C) return FINF_ENOMEM;
    for (size_t j = 0; j < n; j++) {
        double length = sqrt(a->times * dense_dot(x + j * b, x + j * b, below(a, j)));
        for (size_t i = 0; i < below(a, j); i++) C[(j + i) * n + j] = x[j * b + i] / length;
    }
    finf_status s = finf_system_matrix(C, n, &out->system, &out->reason);
    if (!s) s = design_judge(&uncancelled, out);
    free(C);
    return s;
}

/* A search of the largest matrices takes minutes, not an hour. */
static int steps_max(size_t n, size_t b)
{
    double work = (double)n * (double)n * (double)b;
    return work > WORK ? (int)fmax(STEPS_LEAST, STEPS_MAX * WORK / work) : STEPS_MAX;
}

static finf_status search_bands(band_search *a, const double *c, const double *u,
                                finf_design_result *out)
{
    size_t n = a->r->n, b = a->b;
    a->M = malloc((2 * n * n + 2 * n * b + n) * sizeof *a->M);
    if (!a->M) return FINF_ENOMEM;
    a->S = a->M + n * n;
    a->row = a->S + n * n;
    a->length = a->row + n * b;
    double f, left, *x = a->length + n;
    int steps = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < b; i++) x[j * b + i] = i < below(a, j) ? c[i] : 0;
    lbfgs_problem p = {n * b, value, told, a, steps_max(n, b), TOL, 0, 0};
    finf_status s = design_matrix(a->r, u, a->M);
    if (!s) s = lbfgs(&p, x, &f, &steps, &left);
    if (!s || s == FINF_ETOL) s = take(a, x, out);
    out->iterations = steps;
    free(a->M);
    return s;
}

void dense_keep_better(finf_design_result *other, finf_design_result *out)
{
    finf_design_result known = *out;
    known.iterations += other->iterations;
    out->iterations = known.iterations;
    if (other->system && (!out->system || other->loss.value < out->loss.value)) {
        *out = *other;
        *other = known;
        out->family = known.family;
        out->least = known.least;
        out->least_error = known.least_error;
        out->iterations = known.iterations;
        out->memory = known.memory;
        finf_noise_free(out->noise); /* a matrix, as the others are */
        free(out->recursion);
        out->noise = NULL;
        out->recursion = NULL;
        out->bands = 0;
        out->nu = NAN;
        dense_set_gap(out);
    }
    finf_design_result_free(other);
}

/* The better one of *out and the matrix of a recursion. */
static finf_status try_scaled(const finf_design *r, finf_design_result *out)
{
    finf_design quiet = *r; /* its losses would not fall after those before */
    finf_design_result other;
    quiet.o.progress = NULL;
    finf_status s = finf_design_scaled(&quiet, SCALED_BUFFERS, &other);
    dense_keep_better(&other, out);
    return s == FINF_ENOMEM ? s : FINF_OK;
}

/* The better one of *out and the best bands. */
static finf_status try_banded(const finf_design *r, const double *u, finf_design_result *out)
{
    size_t n = r->n, b = r->o.separation, k = r->o.participations, most = (n + b - 1) / b;
    finf_design_result other, start;
    band_search a = {.r = r, .b = b, .times = (double)(k < most ? k : most)};
    a.least = out->least;
    a.before = out->iterations;
    if ((double)n * (double)b > NUMBERS_MAX) return FINF_OK;
    finf_status s = finf_design_toeplitz(r, b, &start);
    double *c = start.noise ? malloc(n * sizeof *c) : NULL;
    if (start.noise && !c) s = FINF_ENOMEM;
    if (c && !finf_noise_coef(start.noise, n, c, NULL)) {
        other = design_result_failed("dense");
        s = search_bands(&a, c, u, &other);
        dense_keep_better(&other, out);
    }
    free(c);
    finf_design_result_free(&start);
    return s == FINF_ENOMEM ? s : FINF_OK;
}

finf_status dense_try_bands(const finf_design *r, const double *u, finf_design_result *out)
{
    finf_status s = try_banded(r, u, out);
    return s || finf_cancelled(r->o.cancel) ? s : try_scaled(r, out);
}
