/* Means over the unit circle by Gauss and Legendre's rule on panels in u = log tan(w/2), for
 * functions with narrow peaks anywhere on it. (theory 11.2)
 *
 * The trapezoid rule of circle.c needs all singularities far from the real axis of u. Those of a
 * closed loop with momentum are wherever its poles are, and may be as near to it as 1 - m. Here the
 * panels shrink towards each of them like the distance to it, so that 16 points a panel are enough
 * however narrow the peak is; what is not known beforehand is found by bisection. */
#include "panels.h"

#include <gsl/gsl_integration.h>
#include <stdlib.h>

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

typedef struct {
    double lo, hi;
    double value; /* of the integral over it */
    double size;  /* of |f|, likewise */
    double error; /* that the rule leaves, as it seems */
    double sway;  /* the variation of f, times what rounding moves a node by */
} panel;

typedef struct {
    circle_fn f;
    void *ctx;
    gsl_integration_glfixed_table *fine, *coarse;
} rule;

static double integrand(const rule *r, double u)
{
    double t = exp(u);
    return r->f(t, r->ctx) * 2 / (t + 1 / t); /* f sech(u) */
}

/* With g = rho^-20 between the two rules the finer one is at rho^-32 = g^1.6; (10 g)^1.5 is thirty
 * times that and more. */
static panel measure(const rule *r, double lo, double hi)
{
    panel p = {lo, hi, 0, 0, 0, 0};
    double x, weight, coarse = 0, before = NAN;
    for (size_t i = 0; i < FINE; i++) {
        gsl_integration_glfixed_point(lo, hi, i, &x, &weight, r->fine);
        double f = integrand(r, x);
        p.value += weight * f;
        p.size += weight * fabs(f);
        if (i) p.sway += fabs(f - before);
        before = f;
    }
    for (size_t i = 0; i < COARSE; i++) {
        gsl_integration_glfixed_point(lo, hi, i, &x, &weight, r->coarse);
        coarse += weight * integrand(r, x);
    }
    double gap = p.size > 0 ? fabs(p.value - coarse) / p.size : 0;
    p.error = p.size * fmin(gap, pow(10 * gap, 1.5));
    p.sway *= FINF_EPS * (1 + fmax(fabs(lo), fabs(hi)));
    return p;
}

/* Halves the panels that are not accurate enough for the whole, the new ones too. */
static finf_status settle(const rule *r, panel **all, size_t *n, size_t room, double base)
{
    double total = base;
    for (size_t i = 0; i < *n; i++) total += (*all)[i].size;
    for (size_t i = 0; i < *n;) {
        panel p = (*all)[i];
        if (!isfinite(p.value)) return FINF_ETOL;
        double least = 1e-13 * (1 + fabs(p.lo));
        if (p.error <= 1e-16 * total || p.error <= FINF_EPS * p.size || p.hi - p.lo < least) {
            i++;
            continue;
        }
        if (*n == MOST) return FINF_ETOL;
        if (*n == room) {
            panel *grown = realloc(*all, 2 * room * sizeof *grown);
            if (!grown) return FINF_ENOMEM;
            *all = grown;
            room *= 2;
        }
        double middle = (p.lo + p.hi) / 2;
        (*all)[i] = measure(r, p.lo, middle);
        (*all)[(*n)++] = measure(r, middle, p.hi);
    }
    return FINF_OK;
}

static finf_real add_up(const panel *all, size_t n)
{
    long double sum = 0, error = 0;
    for (size_t i = 0; i < n; i++) {
        sum += all[i].value;
        error += all[i].error + 4 * all[i].sway + 16 * FINF_EPS * all[i].size;
    }
    return finf_real_make((double)(sum / FINF_PI), (double)(error / FINF_PI),
                          "Gauss-Legendre panels in log tan(w/2)");
}

finf_status panel_mean(circle_fn f, void *ctx, const panel_plan *plan, finf_real *out)
{
    double lo = log(plan->near_0 / 2) - TAIL, hi = TAIL - log(plan->near_pi / 2), *ends = NULL;
    size_t n = 0;
    rule r = {f, ctx, gsl_integration_glfixed_table_alloc(FINE),
              gsl_integration_glfixed_table_alloc(COARSE)};
    finf_status s = r.fine && r.coarse ? panel_ends(plan, lo, hi, 1, &ends, &n) : FINF_ENOMEM;
    panel *all = s ? NULL : malloc(n * sizeof *all);
    if (!s && !all) s = FINF_ENOMEM;
    *out = finf_real_failed();
    if (!s) {
        for (size_t i = 0; i + 1 < n; i++) all[i] = measure(&r, ends[i], ends[i + 1]);
        size_t room = n--;
        s = settle(&r, &all, &n, room, fabs(plan->base) * FINF_PI);
        if (s != FINF_ENOMEM) *out = add_up(all, n);
    }
    free(all);
    free(ends);
    if (r.fine) gsl_integration_glfixed_table_free(r.fine);
    if (r.coarse) gsl_integration_glfixed_table_free(r.coarse);
    return s;
}
