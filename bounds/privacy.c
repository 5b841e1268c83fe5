/* Privacy: rho-zCDP and (epsilon, delta), both directions, two ways.                             MATH section 8
 *   zcdp:  valid for every rho-zCDP mechanism, by the optimal Renyi order alpha
 *   gauss: exact for this mechanism, which is one Gaussian of mu = sqrt(2 rho) */
#include "bounds.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_min.h>
#include <gsl/gsl_roots.h>
#include <gsl/gsl_sf_erf.h>

#define RHO_MIN 1e-30
#define RHO_MAX 1e30
#define DELTA_MIN 1e-300

static int rho_ok(double rho) { return rho >= RHO_MIN && rho <= RHO_MAX; }
static int delta_ok(double delta) { return delta >= DELTA_MIN && delta < 1; }
static int epsilon_ok(double epsilon) { return epsilon >= 0 && epsilon <= 1e30; }

static finf_status outside(finf_real *out)
{
    *out = finf_real_failed();
    return FINF_EDOM;
}

/* ---- one-dimensional helpers --------------------------------------------------------------------------- */

typedef struct { double rho, L, target; } ctx_t; /* L = log(1/delta), or epsilon */

/* The least value of f(s), s = log(alpha - 1): a coarse scan, then Brent. f need not be convex. */
static double least(double (*f)(double, void *), ctx_t *ctx)
{
    double best = -80, value = f(best, ctx), step = 0.25;
    for (double s = -80; s <= 80; s += step) {
        double v = f(s, ctx);
        if (v < value) value = v, best = s;
    }
    gsl_function g = {f, ctx};
    gsl_min_fminimizer *m = gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent);
    if (m && gsl_min_fminimizer_set(m, &g, best, best - step, best + step) == 0)
        for (int i = 0; i < 100 && gsl_min_fminimizer_iterate(m) == 0; i++)
            if (gsl_min_fminimizer_x_upper(m) - gsl_min_fminimizer_x_lower(m) < 1e-9) break;
    if (m) value = fmin(value, gsl_min_fminimizer_f_minimum(m));
    if (m) gsl_min_fminimizer_free(m);
    return value;
}

/* A root of the monotone f in [lo, hi], to rounding. */
static finf_status root(double (*f)(double, void *), ctx_t *ctx, double lo, double hi, double *x)
{
    gsl_function g = {f, ctx};
    gsl_root_fsolver *s = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    if (!s) return FINF_ENOMEM;
    finf_status status = gsl_root_fsolver_set(s, &g, lo, hi) ? FINF_EDOM : FINF_OK;
    for (int i = 0; i < 300 && !status; i++) {
        if (gsl_root_fsolver_iterate(s)) status = FINF_ETOL;
        *x = gsl_root_fsolver_root(s);
        if (gsl_root_test_interval(gsl_root_fsolver_x_lower(s), gsl_root_fsolver_x_upper(s), 1e-300, 4 * FINF_EPS) == GSL_SUCCESS) break;
    }
    gsl_root_fsolver_free(s);
    return status;
}

/* ---- zCDP ---------------------------------------------------------------------------------------------- */

/* rho alpha + log(1/(alpha delta))/(alpha-1) + log(1-1/alpha), alpha = 1 + x */
static double epsilon_at_order(double s, void *ctx)
{
    const ctx_t *c = ctx;
    double x = exp(s), log_alpha = log1p(x);
    return c->rho * (1 + x) + (c->L - log_alpha) / x + (s > 0 ? -log1p(1 / x) : s - log_alpha);
}

static double epsilon_zcdp(double rho, double L)
{
    ctx_t c = {rho, L, 0};
    return least(epsilon_at_order, &c);
}

finf_status finf_epsilon_zcdp(double rho, double delta, finf_real *out)
{
    if (!rho_ok(rho) || !delta_ok(delta)) return outside(out);
    double value = fmax(0, epsilon_zcdp(rho, -log(delta)));
    *out = finf_real_make(value, 1e-13 * (1 + value), "optimal Renyi order");
    return FINF_OK;
}

/* the same solved for log delta at a given order; L is epsilon here */
static double log_delta_at_order(double s, void *ctx)
{
    const ctx_t *c = ctx;
    double x = exp(s), log_alpha = log1p(x), log_shrink = s > 0 ? -log1p(1 / x) : s - log_alpha;
    return -log_alpha - x * (c->L - c->rho * (1 + x) - log_shrink);
}

finf_status finf_delta_zcdp(double rho, double epsilon, finf_real *out)
{
    if (!rho_ok(rho) || !epsilon_ok(epsilon)) return outside(out);
    ctx_t c = {rho, epsilon, 0};
    double value = fmin(1, exp(least(log_delta_at_order, &c)));
    *out = finf_real_make(value, 1e-12 * value, "optimal Renyi order");
    return FINF_OK;
}

static double rho_zcdp_gap(double log_rho, void *ctx)
{
    const ctx_t *c = ctx;
    return epsilon_zcdp(exp(log_rho), c->L) - c->target;
}

finf_status finf_rho_zcdp(double epsilon, double delta, finf_real *out)
{
    if (!epsilon_ok(epsilon) || !delta_ok(delta)) return outside(out);
    ctx_t c = {0, -log(delta), epsilon};
    double x = NAN;
    finf_status s = root(rho_zcdp_gap, &c, log(RHO_MIN), log(RHO_MAX), &x);
    if (s) return outside(out), s;
    *out = finf_real_make(exp(x), 1e-12 * exp(x), "optimal Renyi order");
    return FINF_OK;
}

/* ---- one Gaussian -------------------------------------------------------------------------------------- */

/* log delta for delta = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu).
 * With x = eps/mu -+ mu/2 both terms carry the same factor phi(x_-), leaving phi(x_-) (1/h(x_-) - 1/h(x_+)) in the
 * hazard function h = phi/Q: no overflow, and only the difference of two slowly varying functions is taken, which for
 * small mu loses a factor of about 1/mu; `error` (of log delta) counts it. */
static double log_delta_gauss(double rho, double epsilon, double *error)
{
    double mu = sqrt(2 * rho), lo = epsilon / mu - mu / 2, hi = epsilon / mu + mu / 2;
    if (error) *error = 0;
    if (lo < -30) return 0;
    double first = 1 / gsl_sf_hazard(lo), gap = first - 1 / gsl_sf_hazard(hi), log_phi = -0.5 * lo * lo - 0.5 * log(2 * FINF_PI);
    if (error) *error = 16 * FINF_EPS * (first / gap + lo * lo);
    return log_phi + log(gap);
}

static double epsilon_gauss_gap(double epsilon, void *ctx)
{
    const ctx_t *c = ctx;
    return log_delta_gauss(c->rho, epsilon, NULL) + c->L;
}

finf_status finf_epsilon_gauss(double rho, double delta, finf_real *out)
{
    if (!rho_ok(rho) || !delta_ok(delta)) return outside(out);
    ctx_t c = {rho, -log(delta), 0};
    double value = 0;
    if (epsilon_gauss_gap(0, &c) > 0) { /* zCDP's epsilon is an upper end; its simplest form needs no optimisation */
        finf_status s = root(epsilon_gauss_gap, &c, 0, rho + 2 * sqrt(rho * c.L), &value);
        if (s) return outside(out), s;
    }
    /* an error in log delta moves epsilon by that over |d log delta / d eps|; the cancelling part leaves 16 eps */
    *out = finf_real_make(value, value > 0 ? 32 * FINF_EPS + 1e-12 * value : 0, "Gaussian mechanism");
    return FINF_OK;
}

finf_status finf_delta_gauss(double rho, double epsilon, finf_real *out)
{
    if (!rho_ok(rho) || !epsilon_ok(epsilon)) return outside(out);
    double relerr, value = exp(log_delta_gauss(rho, epsilon, &relerr));
    *out = finf_real_make(value, relerr * value, "Gaussian mechanism");
    return FINF_OK;
}

static double rho_gauss_gap(double log_rho, void *ctx)
{
    const ctx_t *c = ctx;
    return fmax(log_delta_gauss(exp(log_rho), c->target, NULL) + c->L, -1e4);
}

finf_status finf_rho_gauss(double epsilon, double delta, finf_real *out)
{
    if (!epsilon_ok(epsilon) || !delta_ok(delta)) return outside(out);
    ctx_t c = {0, -log(delta), epsilon};
    double x = NAN;
    finf_status s = root(rho_gauss_gap, &c, log(RHO_MIN), log(RHO_MAX), &x);
    if (s) return outside(out), s;
    *out = finf_real_make(exp(x), 1e-12 * exp(x), "Gaussian mechanism");
    return FINF_OK;
}
