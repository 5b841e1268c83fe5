/* Limited-memory BFGS (Nocedal 1980). GSL's vector_bfgs2 keeps one pair of differences, which takes
 * many times the steps here, and cannot be stopped from within. */
#include "lbfgs.h"

#include <stdlib.h>
#include <string.h>

#include "dense.h"

#define PAIRS 12    /* differences of points and of derivatives that are kept, unless said */
#define ENOUGH 1e-4 /* of the decrease that a line promises (Armijo) */
#define HALVINGS 40 /* of a step that is too long */
#define SHORT 1e-3  /* of a step: many pairs that call for more are of another place */
#define WINDOW 50   /* steps that are to gain something together */

typedef struct {
    const lbfgs_problem *p;
    size_t pairs;  /* that are kept */
    size_t held;   /* pairs so far */
    double *s;     /* `pairs` differences of points; the allocation of all */
    double *y;     /* and of derivatives */
    double *g;     /* derivatives at x */
    double *d;     /* direction */
    double *next;  /* the point tried, */
    double *there; /* and the derivatives there */
    double *part;  /* of the direction along each pair */
} search;

static finf_status search_make(const lbfgs_problem *p, search *a)
{
    size_t n = p->n, pairs = p->pairs ? p->pairs : PAIRS;
    *a = (search){.p = p, .pairs = pairs};
    a->s = malloc(((2 * pairs + 4) * n + pairs) * sizeof *a->s);
    if (!a->s) return FINF_ENOMEM;
    a->y = a->s + pairs * n;
    a->g = a->y + pairs * n;
    a->d = a->g + n;
    a->next = a->d + n;
    a->there = a->next + n;
    a->part = a->there + n;
    return FINF_OK;
}

/* d = -H g, H from the pairs, newest first and then oldest first. */
static void direction(search *a)
{
    size_t n = a->p->n, pairs = a->pairs, count = a->held < pairs ? a->held : pairs;
    for (size_t i = 0; i < n; i++) a->d[i] = -a->g[i];
    for (size_t c = 0; c < count; c++) {
        size_t at = (a->held - 1 - c) % pairs;
        const double *s = a->s + at * n, *y = a->y + at * n;
        a->part[c] = dense_dot(s, a->d, n) / dense_dot(s, y, n);
        dense_axpy(-a->part[c], y, n, a->d);
    }
    if (count) {
        const double *s = a->s + (a->held - 1) % pairs * n, *y = a->y + (a->held - 1) % pairs * n;
        double scale = dense_dot(s, y, n) / dense_dot(y, y, n);
        for (size_t i = 0; i < n; i++) a->d[i] *= scale;
    }
    for (size_t c = count; c-- > 0;) {
        size_t at = (a->held - 1 - c) % pairs;
        const double *s = a->s + at * n, *y = a->y + at * n;
        double more = a->part[c] - dense_dot(y, a->d, n) / dense_dot(s, y, n);
        dense_axpy(more, s, n, a->d);
    }
}

/* The step from x to a->next, kept where the function curves upward along it. */
static void remember(search *a, const double *x)
{
    size_t n = a->p->n, at = a->held % a->pairs;
    double *s = a->s + at * n, *y = a->y + at * n;
    for (size_t i = 0; i < n; i++) {
        s[i] = a->next[i] - x[i];
        y[i] = a->there[i] - a->g[i];
    }
    double curved = dense_dot(s, y, n);
    if (curved > 1e-12 * sqrt(dense_dot(s, s, n) * dense_dot(y, y, n))) a->held++;
}

/* A point along d that is low enough, from the step `length` on; *f is its value. *length = 0:
 * there is none. */
static finf_status walk(search *a, const double *x, double slope, double *f, double *length)
{
    size_t n = a->p->n;
    double value, step = *length;
    for (int halving = 0; halving < HALVINGS; halving++) {
        for (size_t i = 0; i < n; i++) a->next[i] = x[i] + step * a->d[i];
        finf_status s = a->p->value(a->next, a->p->data, &value, a->there);
        if (s) return s;
        if (value <= *f + ENOUGH * step * slope) {
            *f = value;
            *length = step;
            return FINF_OK;
        }
        /* the least of the parabola through both values, or half, but at least a tenth */
        double best = -slope * step * step / (2 * (value - *f - slope * step));
        step = isfinite(value) && best > 0.1 * step ? fmin(best, 0.5 * step) : 0.1 * step;
    }
    *length = 0;
    return FINF_OK;
}

/* Steps until nothing is promised any more. */
static finf_status descend(search *a, double *x, double *f, int *steps, double *left)
{
    const lbfgs_problem *p = a->p;
    size_t n = p->n;
    int small = 0;
    double since = INFINITY;
    while (*steps < p->steps_max) {
        direction(a);
        double slope = dense_dot(a->g, a->d, n), before = *f;
        if (!(slope < 0)) {
            if (a->held == 0) break;
            a->held = 0;
            continue;
        }
        double length = a->held ? 1 : fmin(1, 0.1 / sqrt(-slope));
        *left = -slope * (a->held ? 0.5 : 1);
        finf_status s = walk(a, x, slope, f, &length);
        if (s) return s;
        if (length == 0) {
            if (a->held == 0) break;
            a->held = 0;
            continue;
        }
        ++*steps;
        remember(a, x);
        if (p->pairs && length < SHORT) a->held = 0;
        memcpy(x, a->next, n * sizeof *x);
        memcpy(a->g, a->there, n * sizeof *x);
        if (p->told) p->told(p->data, *steps, *f);
        small = *left < p->tol && before - *f < p->tol ? small + 1 : 0;
        if (small == 2) break;
        if (*steps % WINDOW == 0) {
            if (since - *f < p->slow) break;
            since = *f;
        }
    }
    return *left < p->tol ? FINF_OK : FINF_ETOL;
}

finf_status lbfgs(const lbfgs_problem *p, double *x, double *f, int *steps, double *left)
{
    search a;
    *steps = 0;
    *left = 0;
    *f = INFINITY;
    finf_status s = search_make(p, &a);
    if (!s) s = p->value(x, p->data, f, a.g);
    if (!s && !isfinite(*f)) s = FINF_EDOM;
    if (!s && p->n > 0) s = descend(&a, x, f, steps, left);
    free(a.s);
    return s;
}
