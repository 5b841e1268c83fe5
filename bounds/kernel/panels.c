/* Means over the unit circle by Gauss and Legendre's rule on panels in u = log tan(w/2), for
 * functions with narrow peaks anywhere on it. (theory 11.2)
 *
 * The trapezoid rule of circle.c needs all singularities far from the real axis of u. Those of a
 * closed loop with momentum are wherever its poles are, and may be as near to it as 1 - m. Here the
 * panels shrink towards each of them like the distance to it, so that 16 points a panel are enough
 * however narrow the peak is; what is not known beforehand is found by bisection.
 *
 * Several functions may share the panels: what is costly at a node is then done once. Each has its
 * own error, and a panel is halved until it serves all. */
#include "panels.h"

#include <gsl/gsl_integration.h>
#include <stdlib.h>
#include <string.h>

#define TAIL 38.0    /* as in circle.c: e^-38 = 3e-17 */
#define LONGEST 1.25 /* of a panel, where the nearest singularities are at distance pi/2 */
#define FINE 16      /* points of the rule, .. */
#define COARSE 10    /* .. and of the one it is compared with */
#define MOST ((size_t)1 << 20)

/* ---- where the panels end -------------------------------------------------------------------- */

/* How long a panel from x on may be: it may double its distance to a singularity, or halve it, and
 * is at most as long as the singularity is far from the axis when it runs over it. */
static double reach(const panel_plan *p, double x)
{
    double h = LONGEST;
    if (isfinite(p->longest)) h = fmin(h, p->longest * cosh(x));
    for (size_t i = 0; i < p->n; i++) {
        double d = p->feature[i].u - x;
        h = fmin(h, fmax(p->feature[i].width, d > 0 ? d / 2 : -d));
    }
    return h;
}

static double log_tan_half(double w) { return log(tan(w / 2)); }

typedef struct {
    double *x;
    size_t n, room;
} list;

static finf_status push(list *l, double x)
{
    if (l->n == l->room) {
        size_t more = l->room ? 2 * l->room : 256;
        double *grown = realloc(l->x, more * sizeof *grown);
        if (!grown) return FINF_ENOMEM;
        l->x = grown;
        l->room = more;
    }
    l->x[l->n++] = x;
    return FINF_OK;
}

finf_status panel_ends(const panel_plan *p, double lo, double hi, double part, double **ends,
                       size_t *n)
{
    list l = {0};
    finf_status s = push(&l, lo);
    size_t k = 0;
    double x = lo;
    while (!s && x < hi) {
        double next = x + part * reach(p, x), least = x + 1e-14 * (1 + fabs(x));
        while (k < p->n_knots && log_tan_half(p->knot[k]) <= least) k++;
        if (k < p->n_knots) next = fmin(next, log_tan_half(p->knot[k]));
        x = fmin(fmax(next, least), hi);
        s = l.n < MOST ? push(&l, x) : FINF_ETOL;
    }
    if (s) free(l.x);
    *ends = s ? NULL : l.x;
    *n = s ? 0 : l.n;
    return s;
}

/* ---- the rule -------------------------------------------------------------------------------- */

/* Panels, and for each the integrals over it of `width` functions. */
typedef struct {
    size_t n, room, width;
    double *end;  /* room x 2 */
    double *sums; /* room x 4 width: see below */
} panels;

/* What is known of one panel, `width` numbers each. */
typedef struct {
    double *value; /* of the integrals */
    double *size;  /* of |f|, likewise */
    double *error; /* that the rule leaves, as it seems */
    double *sway;  /* the variation of f, times what rounding moves a node by */
} sums;

typedef struct {
    panel_fn f;
    void *ctx;
    size_t width;
    double *now, *before; /* f at two nodes, width each */
    gsl_integration_glfixed_table *fine, *coarse;
} rule;

static sums sums_of(const panels *p, size_t i)
{
    double *x = p->sums + i * 4 * p->width;
    return (sums){x, x + p->width, x + 2 * p->width, x + 3 * p->width};
}

/* `now` becomes f sech(u). */
static void evaluate(rule *r, double u)
{
    double t = exp(u), sech = 2 / (t + 1 / t);
    r->f(t, r->ctx, r->now);
    for (size_t k = 0; k < r->width; k++) r->now[k] *= sech;
}

FINF_VECTOR static void add_node(size_t n, const double *now, const double *before, double weight,
                                 const sums *s)
{
    for (size_t k = 0; k < n; k++) {
        s->value[k] += weight * now[k];
        s->size[k] += weight * fabs(now[k]);
        s->sway[k] += fabs(now[k] - before[k]);
    }
}

/* From the coarse integrals in s->error. With g = rho^-20 between the two rules the finer one is at
 * rho^-32 = g^1.6; (10 g)^1.5 is thirty times that and more. */
FINF_VECTOR static void set_errors(size_t n, double rounding, const sums *s)
{
    for (size_t k = 0; k < n; k++) {
        double gap = s->size[k] > 0 ? fabs(s->value[k] - s->error[k]) / s->size[k] : 0;
        double guess = 10 * gap * sqrt(10 * gap);
        s->error[k] = s->size[k] * (guess < gap ? guess : gap);
        s->sway[k] *= rounding;
    }
}

static void measure(rule *r, const panels *p, size_t i)
{
    double lo = p->end[2 * i], hi = p->end[2 * i + 1], x, weight;
    sums s = sums_of(p, i);
    memset(s.value, 0, 4 * r->width * sizeof *s.value);
    for (size_t j = 0; j < FINE; j++) {
        gsl_integration_glfixed_point(lo, hi, j, &x, &weight, r->fine);
        evaluate(r, x);
        add_node(r->width, r->now, j ? r->before : r->now, weight, &s);
        double *last = r->before;
        r->before = r->now;
        r->now = last;
    }
    for (size_t j = 0; j < COARSE; j++) {
        gsl_integration_glfixed_point(lo, hi, j, &x, &weight, r->coarse);
        evaluate(r, x);
        for (size_t k = 0; k < r->width; k++) s.error[k] += weight * r->now[k];
    }
    set_errors(r->width, FINF_EPS * (1 + fmax(fabs(lo), fabs(hi))), &s);
}

static finf_status make_room(panels *p, size_t room)
{
    double *end = realloc(p->end, room * 2 * sizeof *end), *more = NULL;
    size_t size = room * 4 * p->width * sizeof *more; /* not 0, by which realloc would free */
    if (end) p->end = end;
    if (end && size > 0) more = realloc(p->sums, size);
    if (!more) return FINF_ENOMEM;
    p->sums = more;
    p->room = room;
    return FINF_OK;
}

/* Whether a panel is accurate enough for every function, total[k] being the size of its integral;
 * FINF_ETOL where one is not finite. */
static finf_status judge(const panels *p, size_t i, const double *total, int *good)
{
    sums s = sums_of(p, i);
    double lo = p->end[2 * i], hi = p->end[2 * i + 1];
    *good = 1;
    for (size_t k = 0; k < p->width; k++) {
        if (!isfinite(s.value[k])) return FINF_ETOL;
        if (!(s.error[k] <= 1e-16 * total[k] || s.error[k] <= FINF_EPS * s.size[k])) *good = 0;
    }
    if (hi - lo < 1e-13 * (1 + fabs(lo))) *good = 1;
    return FINF_OK;
}

/* Halves the panels that are not accurate enough for the whole, the new ones too. */
static finf_status settle(rule *r, panels *p, const double *total)
{
    finf_status s = FINF_OK;
    for (size_t i = 0; i < p->n && !s;) {
        int good = 0;
        s = judge(p, i, total, &good);
        if (s || good) {
            i++;
            continue;
        }
        if (p->n == MOST) return FINF_ETOL;
        if (p->n == p->room) s = make_room(p, 2 * p->room);
        if (s) return s;
        double hi = p->end[2 * i + 1], middle = (p->end[2 * i] + hi) / 2;
        p->end[2 * i + 1] = middle;
        p->end[2 * p->n] = middle;
        p->end[2 * p->n + 1] = hi;
        p->n++;
        measure(r, p, i);
        measure(r, p, p->n - 1);
    }
    return s;
}

static finf_real add_up(const panels *p, size_t k)
{
    long double sum = 0, error = 0;
    for (size_t i = 0; i < p->n; i++) {
        sums s = sums_of(p, i);
        sum += s.value[k];
        error += s.error[k] + 4 * s.sway[k] + 16 * FINF_EPS * s.size[k];
    }
    return finf_real_make((double)(sum / FINF_PI), (double)(error / FINF_PI),
                          "Gauss-Legendre panels in log tan(w/2)");
}

/* The panels between the ends, measured and settled; total: width numbers to work with. */
static finf_status run(rule *r, const double *ends, size_t n, const double *base, double *total,
                       finf_real *out)
{
    panels p = {.width = r->width};
    finf_status s = make_room(&p, n);
    for (size_t k = 0; k < r->width; k++) total[k] = fabs(base[k]) * FINF_PI;
    for (size_t i = 0; i + 1 < n && !s; i++) {
        p.end[2 * i] = ends[i];
        p.end[2 * i + 1] = ends[i + 1];
        p.n++;
        measure(r, &p, i);
        for (size_t k = 0; k < r->width; k++) total[k] += sums_of(&p, i).size[k];
    }
    if (!s) s = settle(r, &p, total);
    for (size_t k = 0; k < r->width && s != FINF_ENOMEM; k++) out[k] = add_up(&p, k);
    free(p.end);
    free(p.sums);
    return s;
}

finf_status panel_means(panel_fn f, void *ctx, size_t width, const panel_plan *plan,
                        const double *base, finf_real *out)
{
    double lo = log(plan->near_0 / 2) - TAIL, hi = TAIL - log(plan->near_pi / 2), *ends = NULL;
    double *work = malloc(3 * width * sizeof *work);
    size_t n = 0;
    rule r = {.f = f,
              .ctx = ctx,
              .width = width,
              .now = work,
              .before = work ? work + width : NULL,
              .fine = gsl_integration_glfixed_table_alloc(FINE),
              .coarse = gsl_integration_glfixed_table_alloc(COARSE)};
    finf_status s = work && r.fine && r.coarse ? FINF_OK : FINF_ENOMEM;
    for (size_t k = 0; k < width; k++) out[k] = finf_real_failed();
    if (!s) s = panel_ends(plan, lo, hi, 1, &ends, &n);
    if (!s) s = run(&r, ends, n, base, work + 2 * width, out);
    free(ends);
    free(work);
    if (r.fine) gsl_integration_glfixed_table_free(r.fine);
    if (r.coarse) gsl_integration_glfixed_table_free(r.coarse);
    return s;
}

/* A circle_fn and its data. */
typedef struct {
    circle_fn f;
    void *ctx;
} single;

static void single_at(double t, void *ctx, double *out)
{
    const single *x = ctx;
    *out = x->f(t, x->ctx);
}

finf_status panel_mean(circle_fn f, void *ctx, const panel_plan *plan, finf_real *out)
{
    single x = {f, ctx};
    return panel_means(single_at, &x, 1, plan, &plan->base, out);
}
