/* BLTs for a run without end: gamma^2 mean(Hx/|C|^2), Hx a density of the problem. (theory 13.2) */
#include <stdlib.h>

#include "blt_fit.h"

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
    *value = (blt_value){blt_sensitivity(p, INFINITY, slope), sum};
    return FINF_OK;
}

/* ---- the nodes ------------------------------------------------------------------------------- */

/* A density to be fitted to, at t = tan(w/2), and from which w on it is constant at either end. */
typedef struct {
    circle_fn at;
    void *data;
    double near_0, near_pi;
} density;

static double root_at(double t, void *ctx)
{
    const density *x = ctx;
    return sqrt(x->at(t, x->data));
}

#define TAIL 38.0 /* weights beyond are below e^-38 = 3e-17, as in circle.c */

/* The rule with the step h. */
static finf_status nodes_make(const density *d, double h, blt_nodes *out)
{
    double lo = floor(log(d->near_0 / 2) - TAIL), hi = TAIL - log(d->near_pi / 2);
    out->n = (size_t)((hi - lo) / h) + 1;
    out->t = malloc(2 * out->n * sizeof *out->t);
    if (!out->t) return FINF_ENOMEM;
    out->weight = out->t + out->n;
    for (size_t i = 0; i < out->n; i++) {
        double t = exp(lo + (double)i * h);
        out->t[i] = t;
        out->weight[i] = h / FINF_PI * 2 * t / (1 + t * t) * d->at(t, d->data);
    }
    return FINF_OK;
}

/* How far the rule is from the means of Hx and of its root, which circle_mean has found. What is
 * integrated in a fit lies between the two: 1/|C|^2 is near the inverse of that root. */
static double rule_error(const density *d, const blt_nodes *x, double mean, double root)
{
    double sum = 0, roots = 0;
    for (size_t i = 0; i < x->n; i++) {
        double Hx = d->at(x->t[i], d->data);
        sum += x->weight[i];
        roots += x->weight[i] / sqrt(Hx);
    }
    return fmax(fabs(sum / mean - 1), fabs(roots / root - 1));
}

/* The coarsest rule that is good to 1e-13: h = 1/4 where all poles of Hx are real (theory 3.4),
 * finer ones for complex poles near the circle. */
static finf_status nodes_settle(const density *d, double mean, double root, double *error,
                                blt_nodes *out)
{
    for (double h = 0.25; h >= 0x1p-9; h /= 2) {
        finf_status s = nodes_make(d, h, out);
        if (s) return s;
        *error = rule_error(d, out, mean, root);
        if (*error <= 1e-13) return FINF_OK;
        nodes_free(out);
    }
    return FINF_ETOL;
}

/* ---- the fit --------------------------------------------------------------------------------- */

static finf_status fit(density *d, double unit, size_t buffers, const finf_blt_fit_options *opt,
                       finf_blt_fit *out)
{
    blt_nodes x = {0};
    finf_real root, mean;
    double error = 0;
    finf_status s = circle_mean(root_at, d, d->near_0, d->near_pi, &root);
    if (!s) s = circle_mean(d->at, d->data, d->near_0, d->near_pi, &mean);
    if (!s && !(root.value > 0 && isfinite(mean.value)))
        return finf_why(&out->reason, FINF_EDOM, "the density must be positive and finite");
    if (!s) s = nodes_settle(d, mean.value, root.value, &error, &x);
    if (s == FINF_ETOL) return finf_why(&out->reason, s, "the means of the density did not settle");
    if (s) return finf_why(&out->reason, s, "no memory");
    double least = unit * root.value * root.value;
    out->least = finf_real_make(least, least * (2 * root.error / root.value + 4 * FINF_EPS),
                                "Cauchy-Schwarz, trapezoid in log tan(w/2)");
    blt_problem problem = {blt_density_loss, &x, d->near_0 / 2, 10 * error + 1e-14,
                           "trapezoid in log tan(w/2)"};
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
    density d = {given_at, &x, near_0, near_pi};
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

/* ---- mean estimation and linear regression --------------------------------------------------- */

/* Hx = sum_i share_i/|1-b_i-e^{iw}|^2, of n terms. */
typedef struct {
    size_t n;
    double *b, *share;
} directions;

static double directions_at(double t, void *ctx)
{
    const directions *x = ctx;
    double sum = 0;
    for (size_t i = 0; i < x->n; i++) sum += x->share[i] / circle_gap_t(x->b[i], t);
    return sum;
}

/* (1/2) eta^2/|1-eta-e^{iw}|^2 (theory 4) */
finf_status finf_blt_fit_mean(double eta, const finf_privacy_setting *set, size_t buffers,
                              const finf_blt_fit_options *opt, finf_blt_fit *out)
{
    finf_privacy_setting p = set ? *set : finf_privacy_setting_default();
    double share = eta * eta / 2;
    directions x = {1, &eta, &share};
    density d = {directions_at, &x, fmin(eta, 1), fmin(2 - eta, 1)};
    *out = blt_fit_failed();
    finf_status s = blt_fit_check(buffers, opt, &out->reason);
    if (!s) s = finf_setting_check(eta, &p, &out->reason);
    if (s) return s;
    if (!(eta < 2))
        return finf_why(&out->reason, FINF_EDOM,
                        "eta = %s: diverges whatever the noise; must be below 2", finf_show(eta).s);
    return fit(&d, p.clip * p.clip / (2 * p.rho), buffers, opt, out);
}

/* The terms of theory 5.3: share = (eta/2D) weight b (2-b)/e, e = 2 - (2+kx) b, from the nodes of
 * the spectral measure. D <= 0, or some e <= 0: FINF_EDOM. */
static finf_status shares(const spectral_measure *m, double eta, double kurtosis, directions *out,
                          finf_reason *why)
{
    schur_real D = 1;
    for (size_t i = 0; i < m->n; i++) {
        schur_real b = (schur_real)eta * m->lambda[i], e = 2 - (2 + (schur_real)kurtosis) * b;
        if (!(e > 0)) D = -INFINITY;
        D -= m->weight[i] * b / e;
        out->b[i] = (double)b;
        out->share[i] = m->weight[i] * eta / 2 * (double)(b * (2 - b) / e);
    }
    if (!(D > 0))
        return finf_why(why, FINF_EDOM, "eta = %s: diverges in mean square whatever the noise",
                        finf_show(eta).s);
    for (size_t i = 0; i < m->n; i++) out->share[i] /= (double)D;
    return FINF_OK;
}

finf_status finf_blt_fit_linreg(double eta, const finf_spectrum *s, const finf_linreg_options *lin,
                                size_t buffers, const finf_blt_fit_options *opt, finf_blt_fit *out)
{
    finf_linreg_options o = lin ? *lin : finf_linreg_options_default();
    spectral_measure m;
    *out = blt_fit_failed();
    finf_status status = blt_fit_check(buffers, opt, &out->reason);
    if (!status) status = finf_setting_check(eta, &o.privacy, &out->reason);
    if (!status) status = finf_kurtosis_check(o.kurtosis, &out->reason);
    if (status) return status;
    double slow = eta * finf_spectrum_min(s), fast = 2 - eta * finf_spectrum_max(s);
    if (!(slow >= BOUNDS_TINY))
        return finf_why(&out->reason, FINF_EDOM, "eta * lambda_min = %s: must be at least 1e-50",
                        finf_show(slow).s);
    status = spectral_measure_make(s, 0.5 / (fmax(2 + o.kurtosis, 1) * eta), &m);
    if (status) return finf_why(&out->reason, status, "no memory");
    directions x = {m.n, malloc(2 * m.n * sizeof *x.b), NULL};
    x.share = x.b ? x.b + m.n : NULL;
    status = x.b ? shares(&m, eta, o.kurtosis, &x, &out->reason)
                 : finf_why(&out->reason, FINF_ENOMEM, "no memory");
    density d = {directions_at, &x, fmin(slow, 1), fmin(fast, 1)};
    if (!status)
        status = fit(&d, o.privacy.clip * o.privacy.clip / (2 * o.privacy.rho), buffers, opt, out);
    free(x.b);
    spectral_measure_free(&m);
    return status;
}
