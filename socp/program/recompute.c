/* The bound that is printed, theory 7.8: from the multipliers alone, on the continuum. Any x >= 0
 * is of the class (the unknowns are slacks, basis.c), so only rounding below zero and a(w) <= 0
 * between nodes need repair; both are done by raising h_0, since a grows with it at every
 * frequency. */
#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

enum { ORDER = 10, MAX_DEPTH = 30, MAX_HALVINGS = 2000, SCAN = 16 };

typedef struct {
    const socp_model *mo;
    const finf_noise *noise;
    const socp_basis *b;
    const double *x;
    const double *y;       /* The unknowns of X of the noise that is integrated for. */
    int unit;              /* That is the gradient noise, with B = 1; else the DP noise. */
    double a_min;          /* The least a met so far, relative to the size of its terms. */
    int halvings;          /* How many panels were halved: MAX_HALVINGS at most. */
    const double *inner;   /* NULL where a grows with h_0; else a point with a > 0. */
    unsigned char *marked; /* NULL, or the panels in which a falls below 0. */
} point;

/* a at w for the unknowns x */
static double a_at(const point *p, const socp_form *f, const double *x, double w)
{
    double complex lambda;
    socp_basis_sum(p->b, x, p->y, w, &lambda, NULL);
    return f->a_r * creal(lambda) + f->a_s * cimag(lambda) + f->a_0;
}

/* What there is to spare at w: a(w)/a_r(w), an amount of h_0, or a(w) in units of the inner
 * point's. */
static double spare(const point *p, double w)
{
    double complex lambda;
    socp_form f;
    socp_form_at(p->mo, w, 1, &f);
    if (p->inner) return a_at(p, &f, p->x, w) / a_at(p, &f, p->inner, w);
    socp_basis_sum(p->b, p->x, p->y, w, &lambda, NULL);
    return creal(lambda) + (f.a_s * cimag(lambda) + f.a_0) / f.a_r;
}

/* psi of theory 7.12 at w, for the noise that p->unit and p->y say */
static double integrand(double w, void *data)
{
    point *p = data;
    double B[2] = {1, 0};
    double complex lambda, X;
    socp_form f;
    if (!p->unit && p->b->nc > 0)
        finf_noise_response(p->noise, w, B);
    else if (!p->unit) /* no causality multiplier: the phase, an integral for a given |B|^2, would
                          not be looked at */
        B[0] = sqrt(finf_noise_density(p->noise, w));
    socp_basis_sum(p->b, p->x, p->y, w, &lambda, &X);
    if (!p->unit) X += socp_stein_sum(p->b, p->x, w);
    socp_form_at(p->mo, w, B[0] + I * B[1], &f);
    double margin, psi = socp_form_psi(&f, lambda, X, &margin);
    p->a_min = fmin(p->a_min, margin);
    return psi;
}

/* int psi over [lo, hi] by one Gauss-Legendre rule */
static double gauss(point *p, const gsl_integration_glfixed_table *rule, double lo, double hi)
{
    double sum = 0;
    for (size_t i = 0; i < ORDER; i++) {
        double w, g;
        gsl_integration_glfixed_point(lo, hi, i, &w, &g, rule);
        sum += g * integrand(w, p);
    }
    return sum;
}

/* Adds int psi over [lo, hi], halved until the halves add up to the whole; the error is what they
 * missed it by, that is the whole's and not theirs. (Not QUADPACK's: its failures call a handler
 * that ends the caller's program.) */
static void add(point *p, const gsl_integration_glfixed_table *rule, double lo, double hi,
                double whole, int depth, finf_real *sum)
{
    double mid = lo + (hi - lo) / 2, left = gauss(p, rule, lo, mid),
           right = gauss(p, rule, mid, hi);
    double miss = fabs(left + right - whole);
    if (depth < MAX_DEPTH && p->halvings < MAX_HALVINGS && miss > 1e-10 * (left + right) &&
        miss > 1e-13 * sum->value && p->a_min > 0) {
        p->halvings++;
        add(p, rule, lo, mid, left, depth + 1, sum);
        add(p, rule, mid, hi, right, depth + 1, sum);
    } else {
        sum->value += left + right;
        sum->error += miss + 1e-12 * whole; /* m and a may lose four digits of sixteen */
    }
}

/* (1/pi) int_0^pi psi */
static finf_real integrate(point *p, const socp_grid *g, const gsl_integration_glfixed_table *rule)
{
    finf_real sum = {0, 0, "adaptive Gauss-Legendre on the grid's panels"};
    p->halvings = 0;
    for (size_t i = 0; i < g->panels && p->a_min > 0; i++)
        add(p, rule, g->edge[i], g->edge[i + 1], gauss(p, rule, g->edge[i], g->edge[i + 1]), 0,
            &sum);
    sum.value /= FINF_PI;
    sum.error /= FINF_PI;
    return sum;
}

/* The least of spare over [0, pi]. Every local minimum of a sample of each panel is refined, by
 * golden section: a minimum that is missed would be a bound that does not hold (so not minimise.c,
 * which refines but one). */
static double least_spare(const point *p, const socp_grid *g)
{
    const double gold = 0.6180339887498949;
    if (p->marked) memset(p->marked, 0, g->panels);
    double w[3] = {0, 0, 0}, f[3] = {spare(p, 0), INFINITY, INFINITY}, least = f[0];
    for (size_t i = 0; i < g->panels * SCAN; i++) {
        double lo = g->edge[i / SCAN], hi = g->edge[i / SCAN + 1];
        w[2] = w[1];
        w[1] = w[0];
        f[2] = f[1];
        f[1] = f[0];
        w[0] = lo + (hi - lo) * (double)(i % SCAN + 1) / SCAN;
        f[0] = spare(p, w[0]);
        least = fmin(least, f[0]);
        if (p->marked && f[0] < 0) p->marked[i / SCAN] = 1;
        if (!(f[1] <= f[0] && f[1] <= f[2])) continue;
        for (double l = w[2], r = w[0]; r - l > 1e-8 * r;) {
            double a = r - gold * (r - l), b = l + gold * (r - l), fa = spare(p, a),
                   fb = spare(p, b);
            least = fmin(least, fmin(fa, fb));
            if (p->marked && fmin(fa, fb) < 0) p->marked[i / SCAN] = p->marked[(i - 1) / SCAN] = 1;
            if (fa < fb)
                r = b;
            else
                l = a;
        }
    }
    return least;
}

/* The unknowns repaired by `missing` and a relative `room` more: as much more of h_0, which raises
 * a at every w, or for an optimizer, where it need not, a step towards the inner point, on which a
 * is affine: t = missing/(1 + missing) of the way makes the least a 0. */
static void repaired(const point *p, size_t n, double missing, double room, double h0,
                     const double *from, double *x)
{
    double t = fmin(missing / (1 + missing) + room, 1);
    if (!p->inner) x[0] = from[0] + missing + room * h0;
    for (size_t i = 0; i < n && p->inner; i++) x[i] = (1 - t) * from[i] + t * p->inner[i];
}

static size_t count(const unsigned char *marked, size_t n)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += marked[i] != 0;
    return sum;
}

/* Marks the panels whose integral, by the ORDER nodes of each half, is more than 1e-7 of the whole
 * bound away from that by the nodes the solver saw. */
static size_t mark_unresolved(point *p, const socp_grid *g,
                              const gsl_integration_glfixed_table *rule, socp_weights weights,
                              double total)
{
    size_t per = g->n / g->panels;
    for (size_t i = 0; i < g->panels; i++) {
        double miss = 0, lo = g->edge[i], hi = g->edge[i + 1], mid = lo + (hi - lo) / 2;
        p->y = p->x + socp_basis_signed(p->b);
        for (p->unit = 0; p->unit < 2; p->unit++) {
            double weight = p->unit ? weights.sgd : weights.dp, nodes = 0;
            if (!(weight > 0)) continue;
            for (size_t j = i * per; j < (i + 1) * per; j++)
                nodes += g->q[j] * integrand(g->w[j], p);
            miss += weight *
                    fabs(nodes - (gauss(p, rule, lo, mid) + gauss(p, rule, mid, hi)) / FINF_PI);
            p->y += p->b->nc;
        }
        p->marked[i] = miss > 1e-7 * total;
    }
    return count(p->marked, g->panels);
}

/* The bound of theory 7.8. Where a falls below zero between nodes (a grid too coarse), or nearly,
 * so that psi peaks there, h_0 is raised: by what is missing and a relative 1e-12, 1e-11, .. 1, of
 * which the least converged bound is kept; none is tried when the first is the value on the grid
 * to 1e-7. With none converged the first finite value stands, with its error, as FINF_ETOL. Any of
 * these x proves its bound: which one is kept decides only how small it is. */
finf_status socp_recompute_or_mark(const socp_model *mo, const finf_noise *noise,
                                   const socp_grid *g, const socp_basis *b, socp_weights weights,
                                   double on_grid, const double *inner, double *x,
                                   unsigned char *marked, socp_recomputed *out)
{
    finf_real none = {NAN, INFINITY, ""};
    double *y = x + socp_basis_signed(b);
    point p = {mo, noise, b, x, y, 0, INFINITY, 0, inner, marked};
    double h0 = mo->shift, best = INFINITY, best_room = 0;
    int done = 0;
    size_t signs = socp_basis_signed(b);
    *out = (socp_recomputed){.dp = none, .sgd = none};
    gsl_integration_glfixed_table *rule = gsl_integration_glfixed_table_alloc(ORDER);
    double *from = malloc(signs * sizeof *from);
    if (!rule || !from) {
        gsl_integration_glfixed_table_free(rule);
        free(from);
        return FINF_ENOMEM;
    }
    /* x_i >= 0 is the whole of the class (a NaN is no number to keep either) */
    for (double *v = x; v < y; v++)
        if (!(*v > 0)) *v = 0;
    for (size_t i = 0; i < b->nh; i++) h0 += x[i];
    /* of an optimizer's many sequences few are at work: what an interior point leaves of the others
     * is not worth its cosines */
    for (double *v = x + 1; mo->loop && v < x + b->nh; v++)
        if (*v < 1e-9 * h0) *v = 0;
    memcpy(from, x, signs * sizeof *from);
    /* x[0] is the slack: raising it raises h_0 and nothing else of Lambda */
    double missing = fmax(0, -least_spare(&p, g));
    if (marked && missing > 0) out->coarse = count(marked, g->panels);
    if (out->coarse) goto end;
    if (!p.inner) h0 += missing;
    for (double room = missing > 0 ? 1e-12 : 0; room < 2; room = fmax(1e-12, 10 * room)) {
        finf_real part[2] = {none, none}; /* the DP noise, the gradient noise with its own X */
        double total = 0, error = 0, weight[2] = {weights.dp, weights.sgd};
        repaired(&p, signs, missing, room, h0, from, x);
        p.a_min = INFINITY;
        p.y = y;
        for (p.unit = 0; p.unit < 2; p.unit++) {
            if (!(weight[p.unit] > 0)) continue;
            part[p.unit] = integrate(&p, g, rule);
            if (!p.unit) part[p.unit].value += socp_stein_cost(b, x);
            total += weight[p.unit] * part[p.unit].value;
            error += weight[p.unit] * part[p.unit].error;
            p.y += b->nc;
        }
        int converged = error <= 1e-8 * total;
        if (marked && room == 0 && total > on_grid * (1 + 1e-6)) {
            out->coarse = mark_unresolved(&p, g, rule, weights, total);
            if (out->coarse) goto end;
        }
        if (!(p.a_min > 0) || !isfinite(total) || (done && !(converged && total < best))) continue;
        if (!converged && isfinite(best)) continue;
        best_room = room;
        best = total;
        done = converged;
        out->dp = part[0];
        out->sgd = part[1];
        out->a_min = p.a_min;
        out->repair = p.inner ? missing / (1 + missing) + room : (x[0] - from[0]) / h0;
        if (room == 0 && done && total <= on_grid * (1 + 1e-7)) break;
    }
end:
    if (isfinite(best))
        repaired(&p, signs, missing, best_room, h0, from, x);
    else
        memcpy(x, from, signs * sizeof *from);
    gsl_integration_glfixed_table_free(rule);
    free(from);
    return done ? FINF_OK : FINF_ETOL;
}

finf_status socp_recompute(const socp_model *mo, const finf_noise *noise, const socp_grid *g,
                           const socp_basis *b, socp_weights weights, double on_grid,
                           const double *inner, double *x, socp_recomputed *out)
{
    return socp_recompute_or_mark(mo, noise, g, b, weights, on_grid, inner, x, NULL, out);
}
