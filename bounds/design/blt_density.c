/* BLTs for a run without end: gamma^2 mean(Hx/|C|^2), Hx a density of the problem. (theory 13.2) */
#include <gsl/gsl_integration.h>
#include <stdint.h>
#include <stdlib.h>

#include "blt_fit.h"
#include "mean_optimizer.h"
#include "panels.h"
#include "regression.h"

/* ---- the loss -------------------------------------------------------------------------------- */

static void nodes_free(blt_nodes *x)
{
    free(x->t);
    *x = (blt_nodes){0, NULL, NULL};
}

/* z/(1 - (1-a) z) at t: (1-it)^2/(a + (2-a) t^2 + 2i (1-a) t). */
static inline double complex term_at(double a, double t)
{
    double x = a + (2 - a) * t * t, y = 2 * (1 - a) * t, scale = 1 / (x * x + y * y);
    double p = (1 - t) * (1 + t), q = -2 * t;
    return scale * (p * x + q * y) + I * (scale * (q * x - p * y));
}

/* mean(Hx/|C|^2) and the derivatives of its logarithm: those of 1/|C|^2 by C along dC are -2 Re(dC/
 * (C |C|^2)), and dC is z/(1-(1-a)z) for its scale, and minus its square times the scale for a. */
finf_status blt_density_loss(const blt_point *p, void *data, blt_value *value, blt_partials *slope)
{
    const blt_nodes *x = data;
    double sum = 0, leak[BLT_MAX] = {0}, scale[BLT_MAX] = {0};
    for (size_t i = 0; i < x->n; i++) {
        double complex term[BLT_MAX], C = 1;
        for (size_t j = 0; j < p->k; j++) {
            term[j] = term_at(p->leak[j], x->t[i]);
            C += p->scale[j] * term[j];
        }
        double size = creal(C) * creal(C) + cimag(C) * cimag(C), at = x->weight[i] / size;
        double complex back = -2 * at * conj(C) / size;
        sum += at;
        for (size_t j = 0; j < p->k; j++) {
            double complex d = back * term[j];
            scale[j] += creal(d);
            leak[j] -= p->scale[j] * creal(d * term[j]);
        }
    }
    for (size_t j = 0; j < p->k; j++) {
        slope->scale[j] += scale[j] / sum;
        slope->leak[j] += leak[j] / sum;
    }
    *value = (blt_value){blt_sensitivity(p, INFINITY, (blt_participation){1, 1}, slope), sum};
    return FINF_OK;
}

/* ---- the nodes ------------------------------------------------------------------------------- */

/* A density to be fitted to, at t = tan(w/2), and where it varies. */
typedef struct {
    circle_fn at;
    void *data;
    const panel_plan *plan;
    double error; /* relative, of the whole */
} density;

static double root_at(double t, void *ctx)
{
    const density *x = ctx;
    return sqrt(fmax(0, x->at(t, x->data)));
}

#define TAIL 38.0 /* weights beyond are below e^-38 = 3e-17, as in circle.c */
#define PANEL 16  /* points of Gauss and Legendre's rule on a panel, as in panels.c */
#define CLOSE 1e-13

static finf_status nodes_room(size_t n, blt_nodes *out)
{
    out->n = n;
    out->t = malloc(2 * n * sizeof *out->t);
    out->weight = out->t ? out->t + n : NULL;
    return out->t ? FINF_OK : FINF_ENOMEM;
}

/* Node i at u = log tan(w/2), for which the rule has the weight `du`. */
static void set_node(const density *d, double u, double du, size_t i, blt_nodes *out)
{
    double t = exp(u);
    out->t[i] = t;
    out->weight[i] = du / FINF_PI * 2 / (t + 1 / t) * fmax(0, d->at(t, d->data));
}

/* The trapezoid rule with the step h. */
static finf_status trapezoid(const density *d, double lo, double hi, double h, blt_nodes *out)
{
    finf_status s = nodes_room((size_t)((hi - lo) / h) + 1, out);
    for (size_t i = 0; i < out->n && !s; i++) set_node(d, lo + (double)i * h, h, i, out);
    return s;
}

/* Panels that follow the resonances of the density, `part` as long as panel_mean begins with. */
static finf_status panels(const density *d, double lo, double hi, double part, blt_nodes *out)
{
    gsl_integration_glfixed_table *rule = gsl_integration_glfixed_table_alloc(PANEL);
    double *ends = NULL;
    size_t n = 0;
    finf_status s = rule ? panel_ends(d->plan, lo, hi, part, &ends, &n) : FINF_ENOMEM;
    if (!s) s = nodes_room((n - 1) * PANEL, out);
    for (size_t i = 0; i < out->n && !s; i++) {
        double u, du;
        gsl_integration_glfixed_point(ends[i / PANEL], ends[i / PANEL + 1], i % PANEL, &u, &du,
                                      rule);
        set_node(d, u, du, i, out);
    }
    free(ends);
    if (rule) gsl_integration_glfixed_table_free(rule);
    return s;
}

/* How far the rule is from the means of Hx and of its root, which panel_mean has found. What is
 * integrated in a fit lies between the two: 1/|C|^2 is near the inverse of that root. */
static double rule_error(const density *d, const blt_nodes *x, double mean, double root)
{
    double sum = 0, roots = 0;
    for (size_t i = 0; i < x->n; i++) {
        double size = root_at(x->t[i], (void *)(uintptr_t)d);
        sum += x->weight[i];
        if (size > 0) roots += x->weight[i] / size;
    }
    return fmax(fabs(sum / mean - 1), fabs(roots / root - 1));
}

/* The first rule that is good to 1e-13: trapezoids, where all poles of Hx are real or far from the
 * circle (theory 3.4), else panels (11.2). */
static finf_status nodes_settle(const density *d, double mean, double root, double *error,
                                blt_nodes *out)
{
    double lo = floor(log(d->plan->near_0 / 2) - TAIL), hi = TAIL - log(d->plan->near_pi / 2);
    for (int level = 0; level < 6; level++) {
        finf_status s = level < 3 ? trapezoid(d, lo, hi, ldexp(0.25, -level), out)
                                  : panels(d, lo, hi, ldexp(1, 3 - level), out);
        if (s == FINF_ENOMEM) return s;
        *error = s ? INFINITY : rule_error(d, out, mean, root);
        if (*error <= CLOSE) return FINF_OK;
        nodes_free(out);
    }
    return FINF_ETOL;
}

/* ---- the fit --------------------------------------------------------------------------------- */

static finf_status fit(density *d, double unit, size_t buffers, const finf_blt_fit_options *opt,
                       finf_blt_fit *out)
{
    blt_nodes x = {0};
    if (opt && opt->participations != 1)
        return finf_why(&out->reason, FINF_EDOM,
                        "%zu participations: without a horizon it must be 1", opt->participations);
    finf_real root, mean;
    double error = 0;
    finf_status s = panel_mean(root_at, d, d->plan, &root);
    if (!s) s = panel_mean(d->at, d->data, d->plan, &mean);
    if (!s && !(root.value > 0 && isfinite(mean.value)))
        return finf_why(&out->reason, FINF_EDOM, "the density must be positive and finite");
    if (!s) s = nodes_settle(d, mean.value, root.value, &error, &x);
    if (s == FINF_ETOL) return finf_why(&out->reason, s, "the means of the density did not settle");
    if (s) return finf_why(&out->reason, s, "no memory");
    double least = unit * root.value * root.value;
    out->least = finf_real_make(least,
                                least * (2 * root.error / root.value + d->error + 4 * FINF_EPS),
                                "Cauchy-Schwarz, Gauss-Legendre panels");
    blt_problem problem = {blt_density_loss,
                           &x,
                           d->plan->near_0 / 2,
                           10 * error + 1e-14,
                           "quadrature in log tan(w/2)",
                           0};
    problem.relerr += d->error;
    s = blt_fit_run(&problem, buffers, unit, opt, out);
    out->ratio = out->loss.value / least;
    nodes_free(&x);
    return s;
}

typedef struct {
    double (*density)(double w, void *data);
    void *data;
} given;

static double given_at(double t, void *ctx)
{
    const given *x = ctx;
    return x->density(2 * atan(t), x->data);
}

finf_status finf_blt_fit_density(double (*at)(double w, void *data), void *data, double near_0,
                                 double near_pi, size_t buffers, const finf_blt_fit_options *opt,
                                 finf_blt_fit *out)
{
    given x = {at, data};
    panel_plan plan = {.near_0 = near_0, .near_pi = near_pi, .longest = INFINITY};
    density d = {given_at, &x, &plan, 0};
    *out = blt_fit_failed();
    finf_status s = blt_fit_check(buffers, opt, &out->reason);
    if (s) return s;
    if (!(near_0 >= BOUNDS_TINY && near_0 <= FINF_PI && near_pi >= BOUNDS_TINY &&
          near_pi <= FINF_PI))
        return finf_why(&out->reason, FINF_EDOM,
                        "near_0 = %s, near_pi = %s: must be from 1e-50 to pi", finf_show(near_0).s,
                        finf_show(near_pi).s);
    return fit(&d, 1, buffers, opt, out);
}

/* ---- mean estimation ------------------------------------------------------------------------- */

static double unit_of(const finf_privacy_setting *p) { return p->clip * p->clip / (2 * p->rho); }

/* Hx = factor |A G|^2, factor = (1/2) h eta^2, h = 1 + V; G for eta = 1. (theory 11.2) */
typedef struct {
    mean_loop loop;
    double factor;
} mean_density;

static double mean_at(double t, void *ctx)
{
    mean_density *x = ctx;
    double size = mean_loop_size(t, &x->loop);
    return x->factor * size * size;
}

finf_status finf_blt_fit_mean(double eta, const finf_mean_options *mean, size_t buffers,
                              const finf_blt_fit_options *opt, finf_blt_fit *out)
{
    finf_mean_options o = mean ? *mean : finf_mean_options_default();
    const finf_optimizer *rule = optimizer_or_sgd(o.optimizer);
    filtered_plan plan;
    *out = blt_fit_failed();
    finf_status s = blt_fit_check(buffers, opt, &out->reason);
    if (!s) s = finf_setting_check(eta, &o.privacy, &out->reason);
    if (s) return s;
    if (!finf_optimizer_stable(rule, eta, 1))
        return finf_why(&out->reason, FINF_EDOM,
                        "eta = %s: diverges whatever the noise; the largest stable eta is %.6g",
                        finf_show(eta).s, finf_optimizer_eta_max(rule, 1, 1));
    double h = 1 + rule->weight_decay;
    mean_density x = {{rule, eta * h}, h * eta * eta / 2};
    s = filtered_plan_make(rule, NULL, &x.loop.q, 1, &plan);
    if (s) return finf_why(&out->reason, s, "no memory");
    density d = {mean_at, &x, &plan.plan, 0};
    s = fit(&d, unit_of(&o.privacy), buffers, opt, out);
    filtered_plan_free(&plan);
    return s;
}

/* ---- linear regression ----------------------------------------------------------------------- */

static double regression_at(double t, void *ctx) { return transfer_at(ctx, t); }

static finf_status fit_regression(const regression *R, double unit, size_t buffers,
                                  const finf_blt_fit_options *opt, finf_blt_fit *out)
{
    transfer x;
    filtered_plan plan;
    finf_status s = transfer_make(R, 1, &x);
    if (s) return finf_why(&out->reason, s, "no memory");
    s = filtered_plan_make(R->o, NULL, R->q, R->n, &plan);
    if (s) {
        transfer_free(&x);
        return finf_why(&out->reason, s, "no memory");
    }
    density d = {regression_at, &x, &plan.plan, x.error};
    s = fit(&d, unit, buffers, opt, out);
    filtered_plan_free(&plan);
    transfer_free(&x);
    return s;
}

/* Whether the problem is one, and finite: as finf_linreg says of independent noise. */
static finf_status check_regression(double eta, const finf_spectrum *s, finf_linreg_options o,
                                    finf_reason *why)
{
    finf_noise *sgd;
    finf_linreg_result r;
    o.optimum = 0;
    finf_status status = finf_noise_sgd(&sgd);
    if (status) return finf_why(why, status, "no memory");
    status = finf_linreg(sgd, eta, s, &o, &r);
    finf_noise_free(sgd);
    return status || !r.stable ? finf_why(why, status ? status : FINF_EDOM, "%s", r.reason.text)
                               : FINF_OK;
}

finf_status finf_blt_fit_linreg(double eta, const finf_spectrum *s, const finf_linreg_options *lin,
                                size_t buffers, const finf_blt_fit_options *opt, finf_blt_fit *out)
{
    finf_linreg_options o = lin ? *lin : finf_linreg_options_default();
    regression R;
    *out = blt_fit_failed();
    finf_status status = blt_fit_check(buffers, opt, &out->reason);
    if (!status) status = check_regression(eta, s, o, &out->reason);
    if (!status) status = regression_make(s, &o, eta, 1, &R, &out->reason);
    if (status) return status;
    status = fit_regression(&R, unit_of(&o.privacy), buffers, opt, out);
    regression_free(&R);
    return status;
}
