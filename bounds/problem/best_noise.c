/* The noise that attains the optimum over all noise, |B|^2 = Hx^{-1/2}. (theory 4, 5.3, 11.2, 11.3)
 *
 * It is a spectrum whose logarithm is known at every frequency, not only on a grid: its
 * coefficients and integrals are those of Hx itself, to rounding. A spline through a few points for
 * each scale of Hx says where panels are to end. That they are short enough is not assumed: F_inf
 * of the noise is computed, and they are halved until it is the optimum. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mean_optimizer.h"
#include "regression.h"
#include "spline_density.h"

#define CLOSE 1e-12 /* of F_inf and the optimum, relative, beyond their errors */
#define MOST 200000 /* frequencies */
#define MARGIN 4.0  /* in u = log tan(w/2), beyond the last scale at either end: level there */

/* log |B|^2 as best_noise.c knows it, and how to make another copy of what it needs: each noise
 * that is tried owns one. */
typedef struct {
    double (*log_at)(double t, const void *ctx, double *lost);
    void *(*copy)(const void *ctx); /* NULL: no memory */
    void (*release)(void *ctx);
    const void *ctx;
} density;

/* The density at 0, at w = 2 atan(e^u) for all u of the list, and at pi. */
static finf_status sample(const density *x, const double *u, size_t n, finf_noise **noise,
                          finf_reason *why)
{
    double *w = malloc(2 * (n + 2) * sizeof *w), *s = w ? w + n + 2 : NULL;
    void *own = w ? x->copy(x->ctx) : NULL;
    if (!own) {
        free(w);
        return finf_why(why, FINF_ENOMEM, "no memory");
    }
    double unit = x->log_at(exp(u[n / 2]), own, NULL); /* keeps the numbers near 1 */
    size_t m = 0;
    for (size_t i = 0; i < n + 2; i++) {
        double t = exp(i == 0 ? u[0] - 30 : i <= n ? u[i - 1] : u[n - 1] + 30);
        w[m] = i == 0 ? 0 : i <= n ? 2 * atan(t) : FINF_PI;
        s[m] = exp(x->log_at(t, own, NULL) - unit);
        if (m == 0 || w[m] > w[m - 1] + 1e-9 * (i > n)) m++;
    }
    w[m - 1] = FINF_PI;
    finf_status status = finf_noise_spectrum(w, s, m, noise, why);
    free(w);
    if (status)
        x->release(own);
    else
        noise_spectrum_set_exact(*noise, &(spline_exact){x->log_at, x->release, own});
    return status;
}

typedef struct {
    finf_status (*value)(const finf_noise *noise, void *problem, finf_real *F, finf_real *best,
                         finf_reason *why);
    void *problem;
} judge;

static finf_status refine(const density *x, const panel_plan *plan, const judge *j,
                          finf_noise **noise, finf_reason *why)
{
    double lo = log(plan->near_0 / 2) - MARGIN, hi = MARGIN - log(plan->near_pi / 2), off = 1;
    for (double part = 0.4; part > 1e-3; part /= 2) {
        double *u;
        finf_real F = finf_real_failed(), best = F;
        size_t n;
        finf_status s = panel_ends(plan, lo, hi, part, &u, &n);
        if (s == FINF_ENOMEM) return finf_why(why, s, "no memory");
        if (s || n > MOST) {
            free(u);
            break;
        }
        s = sample(x, u, n, noise, why);
        free(u);
        if (!s) s = j->value(*noise, j->problem, &F, &best, why);
        if (!s) off = (fabs(F.value - best.value) - F.error - best.error) / best.value;
        if (!s && off <= CLOSE) return FINF_OK;
        finf_noise_free(*noise);
        *noise = NULL;
        if (s && s != FINF_ETOL) return s;
    }
    return finf_why(
        why, FINF_ETOL,
        "the best noise is not reached on a grid of %d frequencies: F_inf is off by %.2g", MOST,
        off);
}

/* ---- linear regression ----------------------------------------------------------------------- */

typedef struct {
    double eta;
    const finf_spectrum *s;
    finf_linreg_options opt;
} linreg_problem;

static finf_status linreg_value(const finf_noise *noise, void *problem, finf_real *F,
                                finf_real *best, finf_reason *why)
{
    const linreg_problem *p = problem;
    finf_linreg_result r;
    finf_status s = finf_linreg(noise, p->eta, p->s, &p->opt, &r);
    *F = r.exact;
    *best = r.optimum;
    return s ? finf_why(why, s, "%s", r.reason.text) : FINF_OK;
}

/* What Hx needs, all of it its own: q, loss and more are one block, which q begins. */
typedef struct {
    finf_optimizer o;
    transfer x;
} own_transfer;

static void transfer_release(void *ctx)
{
    own_transfer *c = ctx;
    free(c->x.q);
    free(c);
}

static void *transfer_copy(const void *ctx)
{
    const transfer *x = ctx;
    own_transfer *c = malloc(sizeof *c);
    double *room = malloc(3 * x->n * sizeof *room);
    if (!c || !room) {
        free(c);
        free(room);
        return NULL;
    }
    c->o = *optimizer_or_sgd(x->o);
    c->x = *x;
    c->x.o = &c->o;
    c->x.q = memcpy(room, x->q, x->n * sizeof *room);
    c->x.loss = memcpy(room + x->n, x->loss, x->n * sizeof *room);
    c->x.more = memcpy(room + 2 * x->n, x->more, x->n * sizeof *room);
    return c;
}

/* The relative rounding error of Hx: a term loses what a + q b does, and the sum what cancels in
 * it, as some weights are negative. */
static double transfer_rounding(const transfer *x, double t, double value)
{
    optimizer_point p = optimizer_point_at(x->o, t);
    double A = average_gain(x->o, t), a1 = cabs(p.bottom), b1 = cabs(p.b), lost = 0;
    for (size_t i = 0; i < x->n; i++) {
        double q = optimizer_beyond(&p, x->q[i]), re = creal(p.bottom) + q * creal(p.b),
               im = cimag(p.bottom) + q * cimag(p.b);
        double size2 = re * re + im * im, terms = (a1 + fabs(q) * b1) / sqrt(size2);
        lost += fabs(x->loss[i] * A + x->more[i]) * (b1 * b1 / size2) * (8 * terms + 8);
    }
    return FINF_EPS * (lost / value + 4 * (double)(x->o->na + x->o->nb));
}

/* log Hx^{-1/2} */
static double transfer_log(double t, const void *ctx, double *lost)
{
    const own_transfer *c = ctx;
    double value = transfer_at(&c->x, t);
    if (lost) *lost = (c->x.error + transfer_rounding(&c->x, t, value)) / 2;
    return -log(value) / 2;
}

static finf_status with_transfer(linreg_problem *p, const regression *R, finf_noise **noise,
                                 finf_reason *why)
{
    transfer x;
    filtered_plan plan;
    finf_status s = transfer_make(R, 1, &x);
    if (s) return finf_why(why, s, "no memory");
    s = filtered_plan_make(R->o, NULL, R->q, R->n, &plan);
    if (s)
        finf_why(why, s, "no memory");
    else {
        s = refine(&(density){transfer_log, transfer_copy, transfer_release, &x}, &plan.plan,
                   &(judge){linreg_value, p}, noise, why);
        filtered_plan_free(&plan);
    }
    transfer_free(&x);
    return s;
}

finf_status finf_linreg_best_noise(double eta, const finf_spectrum *s,
                                   const finf_linreg_options *opt, finf_noise **noise,
                                   finf_reason *why)
{
    linreg_problem p = {eta, s, opt ? *opt : finf_linreg_options_default()};
    finf_linreg_result r;
    finf_noise *sgd;
    regression R;
    *noise = NULL;
    p.opt.optimum = 0; /* of independent noise: for the domain, and whether eta is stable */
    finf_status status = finf_noise_sgd(&sgd);
    if (status) return finf_why(why, status, "no memory");
    status = finf_linreg(sgd, eta, s, &p.opt, &r);
    finf_noise_free(sgd);
    if (status || !r.stable) return finf_why(why, status ? status : FINF_EDOM, "%s", r.reason.text);
    p.opt.optimum = 1;
    p.opt.privacy.sigma_sgd = 0; /* changes neither noise nor how close it comes */
    status = regression_make(s, &p.opt, eta, 1, &R, why);
    if (status) return status;
    status = with_transfer(&p, &R, noise, why);
    regression_free(&R);
    return status;
}

/* ---- mean estimation ------------------------------------------------------------------------- */

typedef struct {
    double eta;
    finf_mean_options opt;
} mean_problem;

static finf_status mean_value(const finf_noise *noise, void *problem, finf_real *F, finf_real *best,
                              finf_reason *why)
{
    const mean_problem *p = problem;
    finf_mean_result r;
    finf_status s = finf_mean(noise, p->eta, &p->opt, &r);
    *F = r.F;
    *best = r.F_optimal;
    return s ? finf_why(why, s, "%s", r.reason.text) : FINF_OK;
}

typedef struct {
    finf_optimizer o;
    mean_loop loop;
} own_loop;

static void *loop_copy(const void *ctx)
{
    const mean_loop *loop = ctx;
    own_loop *c = malloc(sizeof *c);
    if (c) *c = (own_loop){*loop->o, {NULL, loop->q}};
    if (c) c->loop.o = &c->o;
    return c;
}

/* log 1/|A G|, G = b/(a + q b) */
static double loop_log(double t, const void *ctx, double *lost)
{
    const own_loop *c = ctx;
    optimizer_point p = optimizer_point_at(&c->o, t);
    double q = optimizer_beyond(&p, c->loop.q), terms = cabs(p.bottom) + fabs(q) * cabs(p.b),
           size = cabs(p.bottom + q * p.b);
    if (lost) *lost = FINF_EPS * (4 * terms / size + 4 * (double)(c->o.na + c->o.nb) + 8);
    return -log(mean_loop_size(t, (void *)(uintptr_t)&c->loop));
}

/* Without an optimizer |B|^2 = |1-eta-e^{iw}|. */
static finf_status plain_noise(double eta, finf_noise **noise, finf_reason *why)
{
    const double half = 0.5;
    return eta <= 1 ? finf_noise_nu(eta, noise, why)
                    : finf_noise_product(&eta, &half, 1, noise, why);
}

static finf_status check_mean(const mean_problem *p, finf_reason *why)
{
    const finf_optimizer *o = optimizer_or_sgd(p->opt.optimizer);
    finf_status s = finf_setting_check(p->eta, &p->opt.privacy, why);
    if (s) return s;
    if (!finf_optimizer_stable(o, p->eta, 1))
        return finf_why(why, FINF_EDOM, "eta = %s diverges: the largest stable eta is %.6g",
                        finf_show(p->eta).s, finf_optimizer_eta_max(o, 1, 1));
    if (o->average == AVERAGE_LAST)
        return finf_why(why, FINF_EDOM,
                        "average last:%zu: the best |B| is infinite where the mean of %zu points "
                        "has no response",
                        o->average_last, o->average_last);
    return FINF_OK;
}

finf_status finf_mean_best_noise(double eta, const finf_mean_options *opt, finf_noise **noise,
                                 finf_reason *why)
{
    mean_problem p = {eta, opt ? *opt : finf_mean_options_default()};
    *noise = NULL;
    finf_status s = check_mean(&p, why);
    if (s) return s;
    if (optimizer_is_plain(p.opt.optimizer)) return plain_noise(eta, noise, why);
    p.opt.privacy.sigma_sgd = 0;
    mean_loop loop = {p.opt.optimizer, eta * (1 + p.opt.optimizer->weight_decay)};
    filtered_plan plan;
    s = filtered_plan_make(loop.o, NULL, &loop.q, 1, &plan);
    if (s) return finf_why(why, s, "no memory");
    s = refine(&(density){loop_log, loop_copy, free, &loop}, &plan.plan, &(judge){mean_value, &p},
               noise, why);
    filtered_plan_free(&plan);
    return s;
}
