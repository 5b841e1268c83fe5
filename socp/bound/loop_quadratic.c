/* Means over the circle of an optimizer's closed loops, |G_h|^2 = |V|^2/|U - hV|^2 (theory 11.4),
 * times |A|^2 of an average, for many curvatures h at once: the lower bounds beside the IQC bound.
 *
 * The panels are those of the program's grid, halved until the noise and every closed loop from mu
 * to L are resolved by eight nodes to 1e-7. MORE and LESS nodes on each of them give a value and
 * its error: what a rule misses falls like a power of the number of nodes, 1e-7 to the 16/8. (Not
 * circle.c's rule: resonances off the real axis are close to its strip's edge, which it would have
 * to halve its step for everywhere.) */
#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bound.h"
#include "optimizer.h"

enum { MORE = 16, LESS = 10, CURVATURES = SOCP_MIXTURE, ROUNDS = 100 };

struct socp_loop_means {
    double mu;
    size_t n, few;         /* nodes; the first `few` are those of the rule with LESS */
    double *q;             /* their weights, of sum 1 in either rule */
    double *B2;            /* |B|^2 */
    double *A2;            /* |A|^2 of the average */
    double complex *U, *V; /* of theory 11.4 */
};

void socp_loop_means_free(socp_loop_means *m)
{
    if (!m) return;
    free(m->q);
    free(m->U);
    free(m);
}

/* ---- panels that resolve an average ---------------------------------------------------------- */

typedef struct {
    double *edge; /* NULL: they are counted only */
    size_t n;
} edges;

static void put(edges *e, double x)
{
    if (e->edge) e->edge[e->n] = x;
    e->n++;
}

/* [lo, hi] in parts no longer than their distance to the pole of ema:a, at w = i log a. */
static void put_ema(edges *e, double lo, double hi, double pole)
{
    double mid = lo + (hi - lo) / 2;
    if (!(hi - lo > hypot(lo, pole))) {
        put(e, hi);
        return;
    }
    put_ema(e, lo, mid, pole);
    put_ema(e, mid, hi, pole);
}

/* [lo, hi] cut at the zeros 2 pi k/K of last:K, where |A| has corners. */
static void put_last(edges *e, double lo, double hi, double K)
{
    double step = 2 * FINF_PI / K;
    for (double k = floor(lo / step) + 1; k * step < hi; k++)
        if (k * step > lo) put(e, k * step);
    put(e, hi);
}

static void put_all(const socp_grid *g, const finf_optimizer *o, edges *e)
{
    put(e, g->edge[0]);
    for (size_t i = 0; i < g->panels; i++) {
        double lo = g->edge[i], hi = g->edge[i + 1];
        if (o->average == AVERAGE_EMA)
            put_ema(e, lo, hi, -log1p(-o->average_leak));
        else
            put_last(e, lo, hi, (double)o->average_last);
    }
}

/* Only the edges of g are looked at after this. */
static finf_status cut(const finf_optimizer *o, socp_grid *g)
{
    edges e = {NULL, 0};
    put_all(g, o, &e);
    e = (edges){malloc(e.n * sizeof *e.edge), 0};
    if (!e.edge) return FINF_ENOMEM;
    put_all(g, o, &e);
    free(g->edge);
    g->edge = e.edge;
    g->panels = e.n - 1;
    return FINF_OK;
}

/* ---- means ----------------------------------------------------------------------------------- */

static void fill(socp_loop_means *m, const finf_noise *noise, const socp_loop *l,
                 const finf_optimizer *average, size_t j, double w, double weight)
{
    m->q[j] = weight / FINF_PI;
    m->B2[j] = noise ? finf_noise_density(noise, w) : 1;
    m->A2[j] = average ? average_gain(average, tan(w / 2)) : 1;
    socp_loop_parts(l, w, &m->U[j], &m->V[j]);
}

finf_status socp_loop_means_make(const finf_noise *noise, const socp_model *mo,
                                 const finf_optimizer *average, socp_loop_means **out)
{
    socp_loop_means *m = *out = calloc(1, sizeof *m);
    finf_noise *white = NULL;
    socp_grid g = {0};
    gsl_integration_glfixed_table *rule[2] = {gsl_integration_glfixed_table_alloc(LESS),
                                              gsl_integration_glfixed_table_alloc(MORE)};
    finf_status st = m && rule[0] && rule[1] ? FINF_OK : FINF_ENOMEM;
    if (st == FINF_OK && !noise) st = finf_noise_sgd(&white);
    if (st == FINF_OK) st = socp_model_grid(mo, noise ? noise : white, 1, 0, &g);
    if (st == FINF_OK && average) st = cut(average, &g);
    if (st == FINF_OK) {
        m->mu = mo->mu;
        m->few = LESS * g.panels;
        m->n = (LESS + MORE) * g.panels;
        m->q = malloc(3 * m->n * sizeof *m->q);
        m->U = malloc(2 * m->n * sizeof *m->U);
        if (!m->q || !m->U) st = FINF_ENOMEM;
    }
    if (st == FINF_OK) {
        m->B2 = m->q + m->n;
        m->A2 = m->B2 + m->n;
        m->V = m->U + m->n;
    }
    for (size_t j = 0; st == FINF_OK && j < m->n; j++) {
        int more = j >= m->few;
        size_t k = more ? j - m->few : j, per = more ? MORE : LESS, i = k / per;
        double w, weight;
        gsl_integration_glfixed_point(g.edge[i], g.edge[i + 1], k % per, &w, &weight, rule[more]);
        fill(m, noise, mo->loop, average, j, w, weight);
    }
    for (int i = 0; i < 2; i++) gsl_integration_glfixed_table_free(rule[i]);
    socp_grid_free(&g);
    finf_noise_free(white);
    return st;
}

/* |A G_h|^2 at node j */
static double gain(const socp_loop_means *m, size_t j, double h)
{
    return m->A2[j] * socp_loop_ratio(m->U[j], m->V[j], h);
}

double socp_loop_mean(const socp_loop_means *m, double h, double sgd_ratio, double *relerr)
{
    double sum[2] = {0, 0};
    for (size_t j = 0; j < m->n; j++)
        sum[j >= m->few] += m->q[j] * (m->B2[j] + sgd_ratio) * gain(m, j, h);
    *relerr = fabs(sum[1] - sum[0]) / sum[1] + 64 * FINF_EPS;
    return sum[1];
}

/* ---- mixtures -------------------------------------------------------------------------------- */

typedef struct {
    const socp_loop_means *m;
    socp_weights weights;
    double *k;     /* n x CURVATURES: c_i |G_i|^2 */
    double *S, *D; /* n: sum p_i k_i, and how it moves */
    double p[CURVATURES], slope[CURVATURES];
} mixture;

/* The value at S + t D by the rule with MORE nodes (0: LESS), and its derivative. */
static double value_at(const mixture *x, int more, double t, double *slope)
{
    const socp_loop_means *m = x->m;
    double root = 0, linear = 0, by_root = 0, by = 0;
    for (size_t j = more ? m->few : 0; j < (more ? m->n : m->few); j++) {
        double S = x->S[j] + t * x->D[j], r = sqrt(S);
        root += m->q[j] * r;
        linear += m->q[j] * S;
        by_root += m->q[j] * x->D[j] / (2 * r);
        by += m->q[j] * x->D[j];
    }
    *slope = 2 * x->weights.dp * root * by_root + x->weights.sgd * by;
    return x->weights.dp * root * root + x->weights.sgd * linear;
}

/* S for the present p, and the derivatives by each p_i. */
static void set_slopes(mixture *x)
{
    const socp_loop_means *m = x->m;
    double root = 0, by_root[CURVATURES] = {0}, by[CURVATURES] = {0};
    for (size_t j = 0; j < m->n; j++) {
        const double *k = x->k + j * CURVATURES;
        x->S[j] = 0;
        x->D[j] = 0;
        for (int i = 0; i < CURVATURES; i++) x->S[j] += x->p[i] * k[i];
        if (j < m->few) continue;
        double r = sqrt(x->S[j]), f = m->q[j] / r;
        root += m->q[j] * r;
        for (int i = 0; i < CURVATURES; i++) {
            by_root[i] += f * k[i];
            by[i] += m->q[j] * k[i];
        }
    }
    for (int i = 0; i < CURVATURES; i++)
        x->slope[i] = x->weights.dp * root * by_root[i] + x->weights.sgd * by[i];
}

/* As much of p_from is given to p_to as the value, which is concave along it, asks for: bisection
 * on its derivative. */
static void exchange(mixture *x, int from, int to)
{
    double lo = 0, hi = x->p[from], slope;
    for (size_t j = 0; j < x->m->n; j++)
        x->D[j] = x->k[j * CURVATURES + (size_t)to] - x->k[j * CURVATURES + (size_t)from];
    value_at(x, 1, hi, &slope);
    for (int i = 0; i < 24 && slope < 0; i++) {
        double mid = (lo + hi) / 2, here;
        value_at(x, 1, mid, &here);
        if (here > 0)
            lo = mid;
        else
            hi = mid;
    }
    x->p[to] += slope < 0 ? lo : hi;
    x->p[from] = slope < 0 ? x->p[from] - lo : 0;
}

/* Frank and Wolfe's method with pairwise steps, from the best single curvature. The value is
 * concave and homogeneous of degree 1 in p: sum p_i slope_i is the value, and no mixture is above
 * the largest slope, where the rounds end. Every p is a lower bound: that decides only how good a
 * one. */
static void maximise(mixture *x)
{
    double best = 0;
    for (int i = 0; i < CURVATURES; i++) {
        double slope, v;
        for (size_t j = x->m->few; j < x->m->n; j++) x->S[j] = x->k[j * CURVATURES + (size_t)i];
        v = value_at(x, 1, 0, &slope);
        if (i > 0 && !(v > best)) continue;
        best = v;
        for (int l = 0; l < CURVATURES; l++) x->p[l] = l == i;
    }
    for (int round = 0; round < ROUNDS; round++) {
        int most = 0, least = -1;
        double value = 0;
        set_slopes(x);
        for (int i = 0; i < CURVATURES; i++) {
            value += x->p[i] * x->slope[i];
            if (x->slope[i] > x->slope[most]) most = i;
            if (x->p[i] > 0 && (least < 0 || x->slope[i] < x->slope[least])) least = i;
        }
        if (!(x->slope[most] > value * (1 + 1e-6))) break;
        exchange(x, least, most);
    }
}

static double curvature(double mu, int i) { return pow(mu, (double)i / (CURVATURES - 1)); }

double socp_mixture_at(const socp_loop *l, double mu, int dist, const double *p, double w)
{
    double complex U, V;
    double sum = 0;
    socp_loop_parts(l, w, &U, &V);
    for (int i = 0; i < CURVATURES; i++) {
        double h = curvature(mu, i);
        if (p[i] > 0) sum += p[i] * (dist ? 0.5 : h / 2) * socp_loop_ratio(U, V, h);
    }
    return sum;
}

finf_status socp_loop_mixture(const socp_loop_means *m, int dist, socp_weights weights,
                              finf_real *value, double *p)
{
    mixture x = {.m = m, .weights = weights, .k = calloc(m->n * (CURVATURES + 2), sizeof *x.k)};
    double slope;
    if (!x.k) return FINF_ENOMEM;
    x.S = x.k + m->n * CURVATURES;
    x.D = x.S + m->n;
    for (int i = 0; i < CURVATURES; i++) {
        double h = curvature(m->mu, i), c = dist ? 0.5 : h / 2;
        for (size_t j = 0; j < m->n; j++) x.k[j * CURVATURES + (size_t)i] = c * gain(m, j, h);
    }
    maximise(&x);
    set_slopes(&x);
    double v = value_at(&x, 1, 0, &slope), other = value_at(&x, 0, 0, &slope);
    *value = (finf_real){v, fabs(v - other) + 64 * FINF_EPS * v, "a mixture of quadratics"};
    if (p) memcpy(p, x.p, sizeof x.p);
    free(x.k);
    return FINF_OK;
}
