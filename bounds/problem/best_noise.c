/* The noise that attains the optimum over all noise, |B|^2 = Hx^{-1/2}, as a spectrum on a grid.
 * (theory 4, 5.3, 11.2, 11.3)
 *
 * F_inf of a noise whose log |B|^2 is off by e is above the optimum by e^2 only, so that a spline
 * through a few points for each scale of Hx attains it to 1e-9. That is not assumed: F_inf of the
 * noise is computed, and the grid refined until it is so. */
#include <stdint.h>
#include <stdlib.h>

#include "mean_optimizer.h"
#include "regression.h"

#define CLOSE 1e-9  /* of F_inf and the optimum, relative */
#define MOST 200000 /* frequencies */
#define MARGIN 4.0  /* in u = log tan(w/2), beyond the last scale at either end: level there */

/* A density to be inverted: |B|^2 = 1/f. */
typedef struct {
    circle_fn f;
    void *ctx;
} density;

/* The mean of log |B|^2 over the circle, which is log beta_0^2: by Gauss's rule of four points
 * between neighbouring frequencies of the grid, where the spline is smooth. */
static double mean_log(const finf_noise *noise, const double *w, size_t n)
{
    static const double X[] = {0.33998104358485626, 0.86113631159405258};
    static const double A[] = {0.65214515486254614, 0.34785484513745386};
    double sum = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        double middle = (w[i] + w[i + 1]) / 2, half = (w[i + 1] - w[i]) / 2;
        for (int k = 0; k < 2; k++)
            sum += half * A[k] *
                   (log(finf_noise_density(noise, middle - half * X[k])) +
                    log(finf_noise_density(noise, middle + half * X[k])));
    }
    return sum / FINF_PI;
}

/* The spectrum s at w, scaled so that beta_0 = 1, as in every family with a formula: the density
 * alone says B up to a factor. */
static finf_status make_scaled(const double *w, double *s, size_t n, finf_noise **noise,
                               finf_reason *why)
{
    finf_status status = finf_noise_spectrum(w, s, n, noise, why);
    if (status) return status;
    double scale = exp(-mean_log(*noise, w, n));
    for (size_t i = 0; i < n; i++) s[i] *= scale;
    finf_noise_free(*noise);
    return finf_noise_spectrum(w, s, n, noise, why);
}

/* 1/f at 0, at w = 2 atan(e^u) for all u of the list, and at pi. */
static finf_status sample(const density *x, const double *u, size_t n, finf_noise **noise,
                          finf_reason *why)
{
    double *w = malloc(2 * (n + 2) * sizeof *w), *s = w ? w + n + 2 : NULL;
    if (!w) return finf_why(why, FINF_ENOMEM, "no memory");
    double unit = x->f(exp(u[n / 2]), x->ctx); /* keeps the numbers near 1 */
    size_t m = 0;
    for (size_t i = 0; i < n + 2; i++) {
        double t = exp(i == 0 ? u[0] - 30 : i <= n ? u[i - 1] : u[n - 1] + 30);
        w[m] = i == 0 ? 0 : i <= n ? 2 * atan(t) : FINF_PI;
        s[m] = unit / x->f(t, x->ctx);
        if (m == 0 || w[m] > w[m - 1] + 1e-9 * (i > n)) m++;
    }
    w[m - 1] = FINF_PI;
    finf_status status = make_scaled(w, s, m, noise, why);
    free(w);
    return status;
}

typedef struct {
    finf_status (*value)(const finf_noise *noise, void *problem, double *F, double *best,
                         finf_reason *why);
    void *problem;
} judge;

static finf_status refine(const density *x, const panel_plan *plan, const judge *j,
                          finf_noise **noise, finf_reason *why)
{
    double lo = log(plan->near_0 / 2) - MARGIN, hi = MARGIN - log(plan->near_pi / 2), off = 1;
    for (double part = 0.2; part > 1e-3; part /= 2) {
        double *u, F = NAN, best = NAN;
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
        off = fabs(F - best) / best;
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

static finf_status linreg_value(const finf_noise *noise, void *problem, double *F, double *best,
                                finf_reason *why)
{
    const linreg_problem *p = problem;
    finf_linreg_result r;
    finf_status s = finf_linreg(noise, p->eta, p->s, &p->opt, &r);
    *F = r.exact.value;
    *best = r.optimum.value;
    return s ? finf_why(why, s, "%s", r.reason.text) : FINF_OK;
}

static double hx(double t, void *ctx) { return sqrt(transfer_at(ctx, t)); }

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
        s = refine(&(density){hx, &x}, &plan.plan, &(judge){linreg_value, p}, noise, why);
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
    status = regression_make(s, p.opt.optimizer, eta, p.opt.kurtosis, 1, &R, why);
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

static finf_status mean_value(const finf_noise *noise, void *problem, double *F, double *best,
                              finf_reason *why)
{
    const mean_problem *p = problem;
    finf_mean_result r;
    finf_status s = finf_mean(noise, p->eta, &p->opt, &r);
    *F = r.F.value;
    *best = r.F_optimal.value;
    return s ? finf_why(why, s, "%s", r.reason.text) : FINF_OK;
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
    s = refine(&(density){mean_loop_size, &loop}, &plan.plan, &(judge){mean_value, &p}, noise, why);
    filtered_plan_free(&plan);
    return s;
}
