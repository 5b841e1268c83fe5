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

typedef struct {
    double rho, L, target;
} ctx_t; /* L = log(1/delta), or epsilon */

/* The least value of f(s), s = log(alpha - 1): a coarse scan, then Brent. f need not be convex. NaN: no memory. */
static double least(double (*f)(double, void *), ctx_t *ctx)
{
    const double step = 0.25;
    double best = -80, value = f(best, ctx);
    for (double s = -80; s <= 80; s += step) {
        double v = f(s, ctx);
        if (v < value) value = v, best = s;
    }
    if (!(f(best - step, ctx) > value && f(best + step, ctx) > value)) return value; /* flat, or at the end of the range */
    gsl_function g = {f, ctx};
    gsl_min_fminimizer *m = gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent);
    if (!m || gsl_min_fminimizer_set(m, &g, best, best - step, best + step)) value = NAN;
    for (int i = 0; i < 100 && !isnan(value) && gsl_min_fminimizer_iterate(m) == 0; i++) {
        value = fmin(value, gsl_min_fminimizer_f_minimum(m));
        if (gsl_min_fminimizer_x_upper(m) - gsl_min_fminimizer_x_lower(m) < 1e-9) break;
    }
    if (m) gsl_min_fminimizer_free(m);
    return value;
}

/* A root of the monotone f in [lo, hi], to rounding; FINF_EDOM when there is none. */
static finf_status root(double (*f)(double, void *), ctx_t *ctx, double lo, double hi, double *x)
{
    double at_lo = f(lo, ctx), at_hi = f(hi, ctx);
    if (!(at_lo * at_hi <= 0)) return FINF_EDOM; /* GSL would abort */
    gsl_function g = {f, ctx};
    gsl_root_fsolver *s = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    if (!s) return FINF_ENOMEM;
    finf_status status = gsl_root_fsolver_set(s, &g, lo, hi) ? FINF_EDOM : FINF_OK;
    for (int i = 0; i < 300 && !status; i++) {
        if (gsl_root_fsolver_iterate(s)) status = FINF_ETOL;
        *x = gsl_root_fsolver_root(s);
        double a = gsl_root_fsolver_x_lower(s), b = gsl_root_fsolver_x_upper(s);
        if (fabs(b - a) <= 4 * FINF_EPS * fmin(fabs(a), fabs(b)) || f(*x, ctx) == 0) break;
    }
    gsl_root_fsolver_free(s);
    return status;
}

/* log rho in the whole range where f changes sign: rho and its error, given the error of f there. */
static finf_status root_rho(double (*f)(double, void *), ctx_t *ctx, double (*error)(double, const ctx_t *),
                            const char *method, finf_real *out)
{
    double x = NAN;
    finf_status s = root(f, ctx, log(RHO_MIN), log(RHO_MAX), &x);
    if (s) {
        *out = finf_real_failed();
        return s;
    }
    double slope = (f(x + 1e-4, ctx) - f(x - 1e-4, ctx)) / 2e-4, rho = exp(x);
    *out = finf_real_make(rho, rho * (error(rho, ctx) / fabs(slope) + 8 * FINF_EPS * fabs(x)), method);
    return FINF_OK;
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
    if (isnan(value)) return *out = finf_real_failed(), FINF_ENOMEM;
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
    double log_delta = least(log_delta_at_order, &c), value = fmin(1, exp(log_delta));
    if (isnan(value)) return *out = finf_real_failed(), FINF_ENOMEM;
    *out = finf_real_make(value, (1e-13 + 16 * FINF_EPS * fabs(log_delta)) * value, "optimal Renyi order");
    return FINF_OK;
}

static double rho_zcdp_gap(double log_rho, void *ctx)
{
    const ctx_t *c = ctx;
    return epsilon_zcdp(exp(log_rho), c->L) - c->target;
}

static double zcdp_error(double rho, const ctx_t *c)
{
    (void)rho;
    return 1e-13 * (1 + c->target);
}

finf_status finf_rho_zcdp(double epsilon, double delta, finf_real *out)
{
    if (!epsilon_ok(epsilon) || !delta_ok(delta)) return outside(out);
    ctx_t c = {0, -log(delta), epsilon};
    return root_rho(rho_zcdp_gap, &c, zcdp_error, "optimal Renyi order", out);
}

/* ---- one Gaussian -------------------------------------------------------------------------------------- */

/* log delta for delta = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), and its error.
 * With x = eps/mu -+ mu/2 both terms carry the factor phi(x_-), leaving phi(x_-) (R(x_-) - R(x_+)) in Mills' ratio
 * R = Q/phi: nothing overflows. For small mu that difference is the integral of -R' = 1 - xR, without cancellation;
 * for x_- < 0 and mu large, delta is near 1 and its complement is what is small. */

/* R by Laplace's continued fraction 1/(x + 1/(x + 2/(x + ..))) where GSL's hazard function, a quotient, loses x^2 eps. */
static double mills(double x)
{
    if (x < 4) return 1 / gsl_sf_hazard(x);
    double tail = x;
    for (int k = 120; k >= 1; k--) tail = x + k / tail;
    return 1 / tail;
}

static double log_delta_gauss(double rho, double epsilon, double *error)
{
    static const double NODE[] = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244, 0.8650633666889845,
                                  0.9739065285171717};
    static const double WEIGHT[] = {0.2955242247147529, 0.2692667193099964, 0.2190863625159820, 0.1494513491505806,
                                    0.0666713443086881};
    double mu = sqrt(2 * rho), middle = epsilon / mu, lo = middle - mu / 2, hi = middle + mu / 2, difference;
    if (mu > 1 && lo < 0) {
        double complement = gsl_sf_erf_Q(-lo) + exp(-0.5 * lo * lo) / sqrt(2 * FINF_PI) * mills(hi),
               value = log1p(-complement);
        if (error) *error = 16 * FINF_EPS * complement * (1 + lo * lo) / (1 - complement);
        return value;
    }
    double first = mills(lo), loss;
    if (mu > 1) {
        difference = first - mills(hi);
        loss = first / difference;
    } else { /* ten Gauss-Legendre points */
        difference = 0;
        for (int i = 0; i < 10; i++) {
            double x = middle + (i % 2 ? 0.5 : -0.5) * mu * NODE[i / 2];
            difference += 0.5 * mu * WEIGHT[i / 2] * (1 - x * mills(x));
        }
        loss = 1 + hi * hi; /* of 1 - xR */
    }
    if (error) *error = 16 * FINF_EPS * (loss + lo * lo);
    return -0.5 * lo * lo - 0.5 * log(2 * FINF_PI) + log(difference);
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
    /* an error in log delta moves epsilon by that over |d log delta / d eps| */
    double error = 0, h = 1e-5 * value, slope = 1;
    if (value > 0) {
        log_delta_gauss(rho, value, &error);
        slope = (epsilon_gauss_gap(value - h, &c) - epsilon_gauss_gap(value + h, &c)) / (2 * h);
    }
    *out = finf_real_make(value, (error + 16 * FINF_EPS * c.L) / slope + 16 * FINF_EPS * value, "Gaussian mechanism");
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

static double gauss_error(double rho, const ctx_t *c)
{
    double error;
    log_delta_gauss(rho, c->target, &error);
    return error + 16 * FINF_EPS * c->L;
}

finf_status finf_rho_gauss(double epsilon, double delta, finf_real *out)
{
    if (!epsilon_ok(epsilon) || !delta_ok(delta)) return outside(out);
    ctx_t c = {0, -log(delta), epsilon};
    return root_rho(rho_gauss_gap, &c, gauss_error, "Gaussian mechanism", out);
}
