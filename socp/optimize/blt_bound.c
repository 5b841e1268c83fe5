/* BLTs with the least IQC bound. (theory 7.7, 13.2)
 *
 * B = prod (1 - (1-leak_i) z)/prod (1 - (1-zero_i) z) is minimum phase whatever the leaks and zeros
 * of the chart are, and the derivatives of log B by them are z/(1 - (1-a) z). The multipliers of
 * the program for B give those of the bound (hessian.c). The start is the BLT that is nearest to
 * the best nu: the best for the density |B_nu|^{-4}, whose own optimum over all noise is |B_nu|^2.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blt_fit.h"
#include "lbfgs.h"
#include "optimize.h"

#define STEPS_MAX 100
#define PROGRAM 1e-8    /* relative gap of a program */
#define TOL 1e-8        /* of the bound, relative: what a step promises at the end */
#define SUFFICIENT 1e-5 /* and what is still called stationary */
#define BFGS_MOST 500   /* steps of the start */

typedef struct {
    socp_moving *v;
    size_t k;
    double complex *logB; /* at the nodes; the allocation of f too */
    double complex *f;    /* its 2k derivatives, node by node */
    double *beta;         /* taps numbers, and their 2k derivatives; the allocation of all below */
    double *scratch;
    double *hessian, *cov; /* (2k)^2 */
    blt_place from;
} bound_search;

static finf_status search_make(socp_moving *v, size_t k, bound_search *a)
{
    size_t n = 2 * k, need = socp_moving_scratch(v, n);
    *a = (bound_search){.v = v, .k = k};
    a->logB = malloc((1 + n) * v->grid.n * sizeof *a->logB);
    a->beta = malloc(((1 + n) * v->taps + need + 2 * n * n) * sizeof *a->beta);
    if (!a->logB || !a->beta) return FINF_ENOMEM;
    a->f = a->logB + v->grid.n;
    a->scratch = a->beta + (1 + n) * v->taps;
    a->hessian = a->scratch + need;
    a->cov = a->hessian + n * n;
    return FINF_OK;
}

static void search_free(bound_search *a)
{
    free(a->logB);
    free(a->beta);
}

/* log B and its derivatives at the nodes. */
static void set_nodes(bound_search *a, const blt_point *p)
{
    size_t n = 2 * a->k;
    for (size_t j = 0; j < a->v->grid.n; j++) {
        double w = a->v->grid.w[j];
        a->logB[j] = 0;
        for (size_t i = 0; i < a->k; i++) {
            double complex leak = socp_log_factor(p->leak[i], w),
                           zero = socp_log_factor(p->zero[i], w);
            a->logB[j] += leak - zero;
            a->f[j * n + i] = cexp(-I * w - leak);
            a->f[j * n + a->k + i] = -cexp(-I * w - zero);
        }
    }
}

/* beta and its derivatives: d_t = (1-leak) d_{t-1} + beta_{t-1}, and minus that for a zero. */
static void set_beta(bound_search *a, const blt_point *p)
{
    size_t taps = a->v->taps;
    double y[BLT_MAX];
    if (taps == 0) return;
    for (size_t i = 0; i < a->k; i++) y[i] = p->weight[i];
    a->beta[0] = 1;
    for (size_t t = 1; t < taps; t++) {
        a->beta[t] = 0;
        for (size_t i = 0; i < a->k; i++) {
            a->beta[t] -= y[i];
            y[i] -= y[i] * p->zero[i];
        }
    }
    for (size_t i = 0; i < 2 * a->k; i++) {
        double *d = a->beta + (1 + i) * taps, x = 0;
        double gap = i < a->k ? p->leak[i] : p->zero[i - a->k], sign = i < a->k ? 1 : -1;
        d[0] = 0;
        for (size_t t = 1; t < taps; t++) {
            x += a->beta[t - 1] - gap * x;
            d[t] = sign * x;
        }
    }
}

/* log bound at from.q + metric y, and its derivatives; +inf where the program is not solved. */
static finf_status value(const double *y, void *data, double *f, double *g)
{
    bound_search *a = data;
    size_t n = 2 * a->k;
    double q[2 * BLT_MAX] = {0}, by[2 * BLT_MAX] = {0}, gradient[2 * BLT_MAX] = {0};
    blt_point p;
    blt_partials slope = {.leak = {0}};
    memcpy(q, a->from.q, sizeof q);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) q[i] += a->from.metric[i][j] * y[j];
    blt_chart_point(q, a->k, &p);
    set_nodes(a, &p);
    set_beta(a, &p);
    *f = INFINITY;
    finf_status s = socp_moving_solve(a->v, a->logB, a->beta, PROGRAM);
    if (s && (s != FINF_ETOL || a->v->cancelled)) return s;
    if (!isfinite(a->v->value)) return FINF_OK;
    socp_moving_hessian(a->v, a->f, a->beta + a->v->taps, n, by, a->hessian, a->cov, a->scratch);
    for (size_t i = 0; i < a->k; i++) {
        slope.leak[i] = by[i] / a->v->value;
        slope.zero[i] = by[a->k + i] / a->v->value;
    }
    blt_chart_gradient(q, &p, &slope, gradient);
    *f = log(a->v->value);
    for (size_t j = 0; j < n; j++) {
        g[j] = 0;
        for (size_t i = 0; i < n; i++) g[j] += a->from.metric[i][j] * gradient[i];
        if (!isfinite(g[j])) *f = INFINITY;
    }
    return FINF_OK;
}

/* ---- the start ------------------------------------------------------------------------------- */

/* From the nodes of the grid: |B_nu|^{-4}, at t = tan(w/2). */
static finf_status start(bound_search *a, double nu, double slowest, finf_cancel cancel)
{
    const socp_grid *grid = &a->v->grid;
    blt_nodes x = {0, malloc(2 * grid->n * sizeof *x.t), NULL};
    if (!x.t) return FINF_ENOMEM;
    x.weight = x.t + grid->n;
    for (size_t j = 0; j < grid->n; j++) {
        if (!(grid->q[j] > 0 && grid->w[j] < FINF_PI)) continue;
        x.t[x.n] = tan(grid->w[j] / 2);
        x.weight[x.n++] = grid->q[j] * exp(-2 * creal(socp_log_factor(nu, grid->w[j])));
    }
    blt_problem problem = {blt_density_loss, &x, slowest, 1e-12, "", TOL};
    a->from = (blt_place){.k = a->k, .f = INFINITY};
    blt_log_spaced(slowest, a->k, a->from.q);
    finf_status s = blt_fit_place(&problem, BFGS_MOST, cancel, &a->from);
    free(x.t);
    return s;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The decays and scales at y as doubles, what is proved of them, and the noise. */
static finf_status settle(const bound_search *a, const double *y, finf_blt_fit *fit,
                          finf_noise **noise)
{
    double q[2 * BLT_MAX];
    blt_point p;
    memcpy(q, a->from.q, sizeof q);
    for (size_t i = 0; i < 2 * a->k; i++)
        for (size_t j = 0; j < 2 * a->k; j++) q[i] += a->from.metric[i][j] * y[j];
    blt_chart_point(q, a->k, &p);
    fit->buffers = blt_chart_rounded(&p);
    if (!fit->buffers)
        return finf_why(&fit->reason, FINF_ETOL, "no BLT is better than independent noise");
    for (size_t i = 0; i < p.k; i++) {
        fit->decay[i] = 1 - p.leak[i];
        fit->scale[i] = p.scale[i];
    }
    blt_certify(&p, fit);
    return finf_noise_blt(fit->decay, fit->scale, fit->buffers, noise, &fit->reason);
}

/* What a descent came to. */
typedef struct {
    blt_place from;
    double y[2 * BLT_MAX];
    double f, left;
} ended;

/* The better one of *best and where L-BFGS ends from the BLT that is nearest to nu. */
static finf_status descend(bound_search *a, double nu, double slowest, ended *best, int *steps)
{
    ended e = {.f = INFINITY};
    int more = 0;
    finf_status s = start(a, nu, slowest, a->v->cancel);
    lbfgs_problem p = {2 * a->k, value, NULL, a, STEPS_MAX, TOL, 0, 0};
    if (!s) s = lbfgs(&p, e.y, &e.f, &more, &e.left);
    e.from = a->from;
    *steps += more;
    if (e.f < best->f) *best = e;
    return (s == FINF_ETOL || s == FINF_EDOM) && !a->v->cancelled ? FINF_OK : s;
}

/* From the best nu, and from noise that forgets sooner and later: a pole that has met a zero does
 * not leave it again. */
static finf_status search(socp_moving *v, size_t buffers, double slowest, finf_blt_fit *fit,
                          finf_noise **noise)
{
    static const double TIMES[] = {1, 0.25, 4, 0.0625, 0.5, 2};
    bound_search a;
    ended best = {.f = INFINITY};
    finf_real nu = finf_real_failed();
    int steps = 0;
    finf_status s = search_make(v, buffers, &a), found = FINF_OK;
    if (!s) s = socp_best_nu(v, 0, &nu);
    if (s == FINF_ETOL && !v->cancelled) s = FINF_OK;
    for (size_t i = 0; i < sizeof TIMES / sizeof *TIMES && !s && !found; i++) {
        found = descend(&a, fmin(1, TIMES[i] * nu.value), slowest, &best, &steps);
        if (found && found != FINF_ETOL) s = found;
        fit->starts += !found;
    }
    if (!s && isinf(best.f))
        s = finf_why(&fit->reason, FINF_ETOL,
                     found ? "stopped before anything was found" : "no program was solved");
    a.from = best.from;
    if (!s) s = settle(&a, best.y, fit, noise);
    fit->left = best.left;
    fit->evaluations = (size_t)steps;
    search_free(&a);
    if (s || (!found && fit->left < SUFFICIENT)) return s;
    return found ? finf_why(&fit->reason, FINF_ETOL, "stopped after %d steps", steps)
                 : finf_why(&fit->reason, FINF_ETOL, "after %d steps another one promises %.2g",
                            steps, fit->left);
}

/* Where there is a bound at all. */
static finf_status fit_bound(double eta, double kappa, const finf_iqc_options *o, size_t buffers,
                             finf_blt_fit *fit, finf_noise **noise)
{
    socp_setting set = socp_setting_make(eta, kappa, o->smooth, o->optimizer);
    double step = fmin(socp_setting_step(&set), 1), h;
    socp_moving v = {0};
    finf_noise *finest = NULL;
    if (socp_setting_diverges(&set, &h, &fit->reason)) return FINF_EDOM;
    if (!(o->privacy.clip > 0))
        return finf_why(&fit->reason, FINF_EDOM, "clip = 0: there is no privacy noise");
    finf_status s = finf_noise_nu(step / set.kappa / 4, &finest, &fit->reason);
    if (!s) s = socp_moving_make(eta, kappa, o, finest, &v);
    if (!s && v.infeasible)
        s = finf_why(&fit->reason, FINF_EDOM,
                     "every bound is infinite: no multiplier proves convergence");
    if (!s) s = search(&v, buffers, step / set.kappa, fit, noise);
    finf_noise_free(finest);
    socp_moving_free(&v);
    return s;
}

finf_status finf_blt_fit_iqc(double eta, double kappa, const finf_iqc_options *opt, size_t buffers,
                             finf_blt_fit *fit, finf_iqc_result *out)
{
    finf_iqc_options o = opt ? *opt : finf_iqc_options_default();
    double began = finf_seconds();
    finf_blt_fit unused;
    finf_noise *noise = NULL;
    if (!fit) fit = &unused;
    *fit = blt_fit_failed();
    *out = socp_iqc_failed(&o);
    finf_status s = socp_check(eta, kappa, &o, &fit->reason);
    if (!s) s = blt_fit_check(buffers, NULL, &fit->reason);
    if (!s) s = fit_bound(eta, kappa, &o, buffers, fit, &noise);
    if (s == FINF_ENOMEM) finf_why(&fit->reason, s, "no memory");
    if (noise) {
        if (finf_cancelled(o.cancel)) o.solver = FINF_IQC_NEWTON;
        o.cancel = (finf_cancel){NULL, NULL};
        finf_status last = finf_iqc(noise, eta, kappa, &o, out);
        if (last) fit->reason = out->reason;
        s = last ? last : s;
        fit->loss = out->bound;
        fit->sens2 = out->gamma2;
        fit->least = out->minimax_lower;
        fit->ratio = out->bound.value / out->minimax_lower.value;
    } else if (s == FINF_ETOL && !fit->reason.text[0])
        finf_why(&fit->reason, s, "stopped before anything was found");
    if (s) out->reason = fit->reason;
    finf_noise_free(noise);
    fit->seconds = finf_seconds() - began;
    return s;
}
