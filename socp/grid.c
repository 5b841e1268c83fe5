/* Nodes in frequency, MATH 7.5. A uniform grid would need ~20/(eta mu) points; panels that double in width away
 * from w = 0 need log2(1/(eta mu)). */
#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdlib.h>

#include "socp.h"

enum { PER_PANEL = 8, MAX_PANELS = 1024, MAX_DEPTH = 12 };

typedef struct {
    const finf_noise *noise;
    const gsl_integration_glfixed_table *rule;
    double edge[MAX_PANELS + 1];
    size_t n; /* panels so far */
    double widest;
} panels;

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

/* Adds [lo, hi], halved until |B|^2 is resolved (zeros of a finite beta may sit near the circle at any angle) and it is no
 * wider than the multipliers need. */
static void add(panels *p, double lo, double hi, int depth)
{
    double mid = lo + (hi - lo) / 2;
    double whole = density_integral(p, lo, hi);
    double halves = density_integral(p, lo, mid) + density_integral(p, mid, hi);
    int coarse = hi - lo > p->widest || fabs(whole - halves) > 1e-7 * fabs(halves);
    if (depth < MAX_DEPTH && p->n + 2 < MAX_PANELS && coarse) {
        add(p, lo, mid, depth + 1);
        add(p, mid, hi, depth + 1);
    } else if (p->n < MAX_PANELS) {
        p->edge[++p->n] = hi;
    } else {
        p->edge[p->n] = hi;
    }
}

static finf_status allocate(socp_grid *g, size_t n)
{
    g->n = n;
    g->w = calloc(2 * n, sizeof *g->w);
    g->q = g->w ? g->w + n : NULL;
    return g->w ? FINF_OK : FINF_ENOMEM;
}

/* Composite Gauss-Legendre on [0,w0],[w0,2w0],.. and, for eta > 1, the mirror image at pi, where the slowest
 * mode is then 1 - eta < 0. w0 = min(eta mu, scale of the noise)/8. Multipliers of length fir oscillate everywhere: panels of
 * 4/fir keep the optimiser from exploiting the gaps between nodes. */
finf_status socp_grid_auto(const finf_noise *noise, double eta, double mu, size_t fir, socp_grid *out)
{
    gsl_integration_glfixed_table *rule = gsl_integration_glfixed_table_alloc(PER_PANEL);
    if (!rule) return FINF_ENOMEM;
    panels p = {.noise = noise, .rule = rule, .widest = fir ? 4 / (double)fir : FINF_PI};
    double w0 = fmin(fmin(eta * mu, fmax(finf_noise_scale(noise), 1e-6 * eta * mu)), 1) / 8;
    double w1 = eta > 1 ? (2 - eta) / 8 : FINF_PI;
    double lo = 0, end = eta > 1 ? FINF_PI / 2 : FINF_PI;
    for (double hi = w0; lo < end; hi *= 2) {
        double to = 1.5 * hi >= end ? end : hi; /* no sliver at the end */
        add(&p, lo, to, 0);
        lo = to;
    }
    if (eta > 1) {
        int k = (int)ceil(log2(FINF_PI / 2 / w1));
        for (int i = k - 1; i >= 0; i--) {
            double to = FINF_PI - ldexp(w1, i);
            if (to > lo + ldexp(w1, i) / 2) add(&p, lo, to, 0), lo = to;
        }
        add(&p, lo, FINF_PI, 0);
    }
    finf_status st = allocate(out, p.n * PER_PANEL);
    if (st == FINF_OK) {
        for (size_t i = 0; i < p.n; i++)
            for (size_t j = 0; j < PER_PANEL; j++) {
                double w, g;
                gsl_integration_glfixed_point(p.edge[i], p.edge[i + 1], j, &w, &g, rule);
                out->w[i * PER_PANEL + j] = w;
                out->q[i * PER_PANEL + j] = g / FINF_PI;
            }
    }
    gsl_integration_glfixed_table_free(rule);
    return st;
}

/* The paper's: k points -pi + 2 pi (j + 1/2)/k, folded on (0, pi). */
finf_status socp_grid_uniform(size_t k, socp_grid *out)
{
    size_t n = k / 2;
    if (n < 1) return FINF_EDOM;
    finf_status st = allocate(out, n);
    if (st != FINF_OK) return st;
    for (size_t j = 0; j < n; j++) {
        out->w[j] = FINF_PI * ((double)j + 0.5) / (double)n;
        out->q[j] = 1 / (double)n;
    }
    return FINF_OK;
}

void socp_grid_free(socp_grid *g)
{
    if (g) free(g->w), *g = (socp_grid){0};
}
