/* Nodes in frequency, theory 7.5, on (0, pi), as all that is integrated is even in w. A uniform
 * grid would need ~20/(eta mu) points; panels that grow in width away from w = 0 need log(1/(eta
 * mu)). The panels are also what recompute.c and the proof integrate over. */
#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdlib.h>

#include "program.h"

enum { PER_PANEL = 8, MAX_PANELS = 1024, MAX_DOUBLINGS = 256, MAX_DEPTH = 24 };

typedef struct {
    const finf_noise *noise;
    const gsl_integration_glfixed_table *rule;
    double *edge;          /* MAX_PANELS + MAX_DOUBLINGS + 1: no more are halved after MAX_PANELS */
    size_t n;              /* panels so far */
    double widest;         /* the most that a panel may have, for the multipliers' sake */
    const socp_loop *loop; /* NULL for plain sgd, whose poles are real and known */
    double mu;
} panels;

/* int |B|^2 over [lo, hi] by the nodes the panel would get */
static double density_integral(const panels *p, double lo, double hi)
{
    double sum = 0;
    for (size_t i = 0; i < PER_PANEL; i++) {
        double w, g;
        gsl_integration_glfixed_point(lo, hi, i, &w, &g, p->rule);
        sum += g * finf_noise_density(p->noise, w);
    }
    return sum;
}

/* The nodes of a panel and of its two halves, with what the closed loops are made of there. */
typedef struct {
    double weight[3][PER_PANEL];
    double complex U[3][PER_PANEL], V[3][PER_PANEL];
} loop_nodes;

static void place_loop(const panels *p, int which, double lo, double hi, loop_nodes *x)
{
    for (size_t i = 0; i < PER_PANEL; i++) {
        double w;
        gsl_integration_glfixed_point(lo, hi, i, &w, &x->weight[which][i], p->rule);
        socp_loop_parts(p->loop, w, &x->U[which][i], &x->V[which][i]);
    }
}

/* int |G_h|^2 over one of the three */
static double gain_integral(const loop_nodes *x, int which, double h)
{
    double sum = 0;
    for (size_t i = 0; i < PER_PANEL; i++)
        sum += x->weight[which][i] * socp_loop_ratio(x->U[which][i], x->V[which][i], h);
    return sum;
}

static int differ(double whole, double halves)
{
    return fabs(whole - halves) > 1e-7 * fabs(halves);
}

/* Does halving [lo, hi] change the integral of some closed loop's gain? Their poles may sit near
 * the circle at any angle: of all curvatures those are looked at that resonate at the second,
 * fourth and sixth of the panel's nodes, beside mu, L and the mean of the two. */
static int loop_unresolved(const panels *p, double lo, double mid, double hi)
{
    loop_nodes x;
    double h[6] = {1, (1 + p->mu) / 2, p->mu};
    place_loop(p, 0, lo, hi, &x);
    place_loop(p, 1, lo, mid, &x);
    place_loop(p, 2, mid, hi, &x);
    for (size_t i = 0; i < 3; i++)
        h[3 + i] = fmin(fmax(socp_loop_curvature(x.U[0][2 * i + 1], x.V[0][2 * i + 1]), p->mu), 1);
    for (int i = 0; i < 6; i++)
        if (differ(gain_integral(&x, 0, h[i]),
                   gain_integral(&x, 1, h[i]) + gain_integral(&x, 2, h[i])))
            return 1;
    return 0;
}

/* Zeros of a finite beta may sit near the circle at any angle too. */
static int unresolved(const panels *p, double lo, double mid, double hi)
{
    double whole = density_integral(p, lo, hi);
    double halves = density_integral(p, lo, mid) + density_integral(p, mid, hi);
    return differ(whole, halves) || (p->loop && loop_unresolved(p, lo, mid, hi));
}

/* Adds [lo, hi], halved until all is resolved and it is no wider than the multipliers need. */
static void add(panels *p, double lo, double hi, int depth)
{
    double mid = lo + (hi - lo) / 2;
    int coarse = hi - lo > p->widest || unresolved(p, lo, mid, hi);
    if (depth < MAX_DEPTH && p->n + (size_t)depth + 8 < MAX_PANELS && coarse) {
        add(p, lo, mid, depth + 1);
        add(p, mid, hi, depth + 1);
    } else {
        p->edge[++p->n] = hi;
    }
}

/* [0,w0],[w0,3w0],.. and, for eta > 1, the mirror image at pi (doubling), where the slowest mode is
 * then 1 - eta < 0; w0 = min(eta mu, scale of the noise)/8. Poles are at w = +-is: eight nodes on
 * [w,3w] miss (2 + sqrt 3)^-16 = 7e-10, on [w,4w] 2e-8, and a < 0 between them was met. Poles of
 * order 8 (lumps: they alone reach so far) need [w,2w]. Multipliers with single lags oscillate
 * everywhere: panels of 4/lags keep the optimiser from exploiting the gaps between nodes. */
static void cover(panels *p, double eta, double mu, size_t lags)
{
    double w0 = fmin(fmin(eta * mu, fmax(finf_noise_scale(p->noise), 1e-6 * eta * mu)), 1) / 8;
    double w1 = eta > 1 ? (2 - eta) / 8 : FINF_PI;
    double lo = 0, end = eta > 1 ? FINF_PI / 2 : FINF_PI, ratio = lags < 24 ? 3 : 2;
    for (double hi = w0; lo < end; hi *= ratio) {
        double to = 1.2 * hi >= end ? end : hi; /* no sliver at the end */
        add(p, lo, to, 0);
        lo = to;
    }
    if (eta > 1) {
        int k = (int)ceil(log2(FINF_PI / 2 / w1));
        for (int i = k - 1; i >= 0; i--) {
            double to = FINF_PI - ldexp(w1, i);
            if (to > lo + ldexp(w1, i) / 2) {
                add(p, lo, to, 0);
                lo = to;
            }
        }
        add(p, lo, FINF_PI, 0);
    }
}

static void place_nodes(socp_grid *g, const gsl_integration_glfixed_table *rule)
{
    for (size_t j = 0; j < g->n; j++) {
        size_t i = j / PER_PANEL;
        gsl_integration_glfixed_point(g->edge[i], g->edge[i + 1], j % PER_PANEL, &g->w[j], &g->q[j],
                                      rule);
        g->q[j] /= FINF_PI;
    }
}

/* Nodes: Gauss-Legendre on every panel, or the paper's, k points -pi + 2 pi (j + 1/2)/k folded on
 * (0, pi). */
static finf_status make(const finf_noise *noise, const socp_loop *loop, double eta, double mu,
                        size_t lags, size_t uniform, socp_grid *out)
{
    socp_grid g = {.edge = malloc((MAX_PANELS + MAX_DOUBLINGS + 1) * sizeof *g.edge)};
    gsl_integration_glfixed_table *rule = gsl_integration_glfixed_table_alloc(PER_PANEL);
    if (g.edge && rule) {
        panels p = {.noise = noise,
                    .rule = rule,
                    .edge = g.edge,
                    .widest = 4 / (double)lags,
                    .loop = loop,
                    .mu = mu};
        g.edge[0] = 0;
        cover(&p, eta, mu, lags);
        g.panels = p.n;
        g.n = uniform ? (uniform + 1) / 2 : PER_PANEL * p.n;
        g.w = malloc(2 * g.n * sizeof *g.w);
    }
    finf_status st = g.w ? FINF_OK : FINF_ENOMEM;
    if (st == FINF_OK) g.q = g.w + g.n;
    if (st == FINF_OK && !uniform) place_nodes(&g, rule);
    for (size_t j = 0; st == FINF_OK && uniform && j < g.n; j++) {
        /* odd k: w = 0 is a point, and its own mirror image */
        double k = (double)uniform, shift = uniform % 2 ? 0 : 0.5;
        g.w[j] = 2 * FINF_PI * ((double)j + shift) / k;
        g.q[j] = (g.w[j] > 0 ? 2 : 1) * FINF_PI / k;
        g.q[j] /= FINF_PI;
    }
    gsl_integration_glfixed_table_free(rule);
    if (st != FINF_OK) socp_grid_free(&g);
    *out = g;
    return st;
}

finf_status socp_grid_make(const finf_noise *noise, double eta, double mu, size_t lags,
                           size_t uniform, socp_grid *out)
{
    return make(noise, NULL, eta, mu, lags, uniform, out);
}

/* The panels begin with those of plain sgd at the effective step, eta E(1)/A(1), at most 1: what is
 * finer than that is found by halving. */
finf_status socp_grid_loop(const finf_noise *noise, const socp_loop *loop, double mu, size_t lags,
                           size_t uniform, socp_grid *out)
{
    double step = fmin(socp_loop_step(loop), 1);
    return make(noise, loop, step, mu, lags, uniform, out);
}

finf_status socp_grid_quarter(const socp_grid *g, const unsigned char *marked, socp_grid *out)
{
    size_t count = g->panels, n = 0;
    for (size_t i = 0; i < g->panels; i++) count += marked[i] ? 3 : 0;
    *out = (socp_grid){.panels = count, .n = PER_PANEL * count};
    gsl_integration_glfixed_table *rule = gsl_integration_glfixed_table_alloc(PER_PANEL);
    out->edge = malloc((count + 1) * sizeof *out->edge);
    out->w = malloc(2 * out->n * sizeof *out->w);
    finf_status st = rule && out->edge && out->w ? FINF_OK : FINF_ENOMEM;
    if (st == FINF_OK) {
        out->q = out->w + out->n;
        out->edge[n++] = g->edge[0];
        for (size_t i = 0; i < g->panels; i++) {
            double width = g->edge[i + 1] - g->edge[i];
            for (int k = 1; marked[i] && k < 4; k++) out->edge[n++] = g->edge[i] + k * width / 4;
            out->edge[n++] = g->edge[i + 1];
        }
        place_nodes(out, rule);
    }
    gsl_integration_glfixed_table_free(rule);
    if (st != FINF_OK) socp_grid_free(out);
    return st;
}

void socp_grid_free(socp_grid *g)
{
    if (g) {
        free(g->w);
        free(g->edge);
        *g = (socp_grid){0};
    }
}
