/* Privacy: rho-zCDP and (epsilon, delta), both directions, two ways. (theory 8)
 *   zcdp:  valid for every rho-zCDP mechanism, by the optimal Renyi order alpha
 *   gauss: exact for this mechanism, which is one Gaussian of mu = sqrt(2 rho) */
#include "bounds.h"

#include <gsl/gsl_sf_erf.h>

#define RHO_MIN 1e-30
#define RHO_MAX 1e30
#define DELTA_MIN 1e-300

static int rho_ok(double rho) { return rho >= RHO_MIN && rho <= RHO_MAX; }
static int delta_ok(double delta) { return delta >= DELTA_MIN && delta < 1; }
static int epsilon_ok(double epsilon) { return epsilon >= 0 && epsilon <= 1e30; }

static finf_status failed(finf_status s, finf_real *out)
{
    *out = finf_real_failed();
    return s;
}

/* ---- one-dimensional helpers ----------------------------------------------------------------- */

typedef struct {
    double rho, L, target; /* L = log(1/delta), or epsilon */
} ctx_t;

/* The root of the monotone f in [lo, hi], between neighbouring numbers: bisection, of log x while
 * they are far apart. FINF_EDOM when there is none. */
static finf_status root(double (*f)(double, const ctx_t *), const ctx_t *c, double lo, double hi,
                        double *x)
{
    double at_lo = f(lo, c), at_hi = f(hi, c);
    *x = at_lo == 0 ? lo : hi;
    if (at_lo == 0 || at_hi == 0) return FINF_OK;
    if (!(at_lo < 0 && at_hi > 0) && !(at_lo > 0 && at_hi < 0)) return FINF_EDOM;
    for (;;) {
        double mid = lo == 0 ? 1e-10 * hi : hi > 2 * lo ? sqrt(lo) * sqrt(hi) : lo + (hi - lo) / 2;
        if (!(mid > lo && mid < hi)) break;
        if ((f(mid, c) > 0) == (at_hi > 0))
            hi = mid;
        else
            lo = mid;
    }
    *x = hi;
    return FINF_OK;
}

/* ---- zCDP ------------------------------------------------------------------------------------ */

/* At the order alpha = 1 + e^s: the value, and the size of the terms it is the sum of. */
typedef struct {
    double value, size, s;
} at_order;

typedef at_order order_fn(double s, const ctx_t *c);

/* The least over all orders: a coarse scan, as f need not be convex, then golden section. */
static at_order least(order_fn *f, const ctx_t *c)
{
    const double step = 0.25, ratio = (sqrt(5) - 1) / 2;
    at_order best = f(-80, c);
    for (double s = -80 + step; s <= 80; s += step) {
        at_order here = f(s, c);
        if (here.value < best.value) best = here;
    }
    double lo = best.s - step, hi = best.s + step;
    at_order a = f(hi - ratio * (hi - lo), c), b = f(lo + ratio * (hi - lo), c);
    while (hi - lo > 1e-9) {
        if (a.value < b.value) {
            hi = b.s;
            b = a;
            a = f(hi - ratio * (hi - lo), c);
        } else {
            lo = a.s;
            a = b;
            b = f(lo + ratio * (hi - lo), c);
        }
        if (a.value < best.value) best = a;
        if (b.value < best.value) best = b;
    }
    return best;
}

/* The least is flat in s, so what the value is off by is the rounding of its terms. */
static double order_error(const at_order *x) { return 8 * FINF_EPS * x->size; }

/* rho alpha + log(1/(alpha delta))/(alpha-1) + log(1-1/alpha) */
static at_order epsilon_at_order(double s, const ctx_t *c)
{
    double x = exp(s), log_alpha = log1p(x), log_shrink = s > 0 ? -log1p(1 / x) : s - log_alpha;
    double linear = c->rho * (1 + x);
    return (at_order){
        linear + (c->L - log_alpha) / x + log_shrink,
        linear + (c->L + log_alpha) / x + fabs(s > 0 ? log_shrink : s) + log_alpha / (1 + x), s};
}

finf_status finf_epsilon_zcdp(double rho, double delta, finf_real *out)
{
    if (!rho_ok(rho) || !delta_ok(delta)) return failed(FINF_EDOM, out);
    ctx_t c = {rho, -log(delta), 0};
    at_order best = least(epsilon_at_order, &c);
    double error = order_error(&best), above = best.value + error;
    *out = finf_real_make(best.value > 0 ? best.value : 0, above > 0 ? error : 0,
                          "optimal Renyi order");
    return FINF_OK;
}

/* the same solved for log delta at a given order; L is epsilon here */
static at_order log_delta_at_order(double s, const ctx_t *c)
{
    double x = exp(s), log_alpha = log1p(x), log_shrink = s > 0 ? -log1p(1 / x) : s - log_alpha;
    /* epsilon - rho alpha, nothing lost where they are close */
    double beyond = c->L - c->rho, linear = c->rho * x;
    return (at_order){-log_alpha - x * (beyond - linear - log_shrink),
                      log_alpha + x * (fabs(beyond) + linear + fabs(log_shrink)), s};
}

/* e^log_delta, which is 1 at the most, and its error, given that of the logarithm */
static finf_real from_log(double log_delta, double error, const char *method)
{
    double value = log_delta < 0 ? exp(log_delta) : 1;
    if (log_delta > error) return finf_real_make(1, 0, method);
    double off = error < 1 ? value * expm1(error) : fmin(1, exp(log_delta + error));
    return finf_real_make(value, off + FINF_EPS * value + DBL_TRUE_MIN, method);
}

finf_status finf_delta_zcdp(double rho, double epsilon, finf_real *out)
{
    if (!rho_ok(rho) || !epsilon_ok(epsilon)) return failed(FINF_EDOM, out);
    ctx_t c = {rho, epsilon, 0};
    at_order best = least(log_delta_at_order, &c);
    *out = from_log(best.value, order_error(&best), "optimal Renyi order");
    return FINF_OK;
}

static double rho_zcdp_gap(double rho, const ctx_t *c)
{
    ctx_t at = {rho, c->L, 0};
    return least(epsilon_at_order, &at).value - c->target;
}

finf_status finf_rho_zcdp(double epsilon, double delta, finf_real *out)
{
    if (!epsilon_ok(epsilon) || !delta_ok(delta)) return failed(FINF_EDOM, out);
    ctx_t c = {0, -log(delta), epsilon};
    finf_status s = root(rho_zcdp_gap, &c, RHO_MIN, RHO_MAX, &c.rho);
    if (s) return failed(s, out);
    at_order best = least(epsilon_at_order, &c);
    /* d epsilon/d rho: the order is optimal, so only rho alpha moves */
    double slope = 1 + exp(best.s);
    *out = finf_real_make(c.rho,
                          (order_error(&best) + FINF_EPS * epsilon) / slope + 8 * FINF_EPS * c.rho,
                          "optimal Renyi order");
    return FINF_OK;
}

/* ---- one Gaussian ---------------------------------------------------------------------------- */

/* log delta for delta = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), with its error and its
 * derivatives. With x = eps/mu -+ mu/2 = (eps -+ rho)/mu both terms carry the factor phi(x_-),
 * leaving phi(x_-) (R(x_-) - R(x_+)) in Mills' ratio R = Q/phi: nothing overflows. For small mu
 * that difference is the integral of -R' = 1 - xR, without cancellation; for x_- < 0 and mu large,
 * delta is near 1 and its complement is what is small. */
typedef struct {
    double value, error;
    double by_epsilon; /* -d log delta/d epsilon = e^eps Phi(-x_+)/delta */
    double by_rho;     /* d log delta/d rho = phi(x_-)/(mu delta) */
} log_delta;

/* R, and 1 - xR. From x = 2 on by Laplace's continued fraction 1/(x + 1/(x + 2/(x + ..))), where
 * GSL's hazard function, a quotient, loses x^2 eps, and 1 - xR would lose as much again. */
static double mills(double x, double *slope)
{
    if (x < 2) {
        double R = 1 / gsl_sf_hazard(x);
        *slope = 1 - x * R;
        return R;
    }
    double tail = x;
    for (int k = 120; k >= 2; k--) tail = x + k / tail;
    double whole = x + 1 / tail;
    *slope = 1 / (tail * whole);
    return 1 / whole;
}

static log_delta log_delta_gauss(double rho, double epsilon)
{
    static const double NODE[] = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244,
                                  0.8650633666889845, 0.9739065285171717};
    static const double WEIGHT[] = {0.2955242247147529, 0.2692667193099964, 0.2190863625159820,
                                    0.1494513491505806, 0.0666713443086881};
    double mu = sqrt(2 * rho), middle = epsilon / mu, lo = (epsilon - rho) / mu,
           hi = (epsilon + rho) / mu, slope;
    double last = mills(hi, &slope), log_phi = -0.5 * lo * lo - 0.5 * log(2 * FINF_PI);
    log_delta out;
    if (mu > 1 && lo < 0) {
        double complement = gsl_sf_erf_Q(-lo) + exp(log_phi) * last;
        out.value = log1p(-complement);
        out.error = 16 * FINF_EPS * complement * (1 + lo * lo) / (1 - complement);
    } else {
        double difference = 0, loss;
        if (mu > 1) {
            double first = mills(lo, &slope);
            difference = first - last;
            loss = first / difference;
        } else { /* ten Gauss-Legendre points */
            for (int i = 0; i < 10; i++) {
                double x = middle + (i % 2 ? 0.5 : -0.5) * mu * NODE[i / 2];
                mills(x, &slope);
                difference += 0.5 * mu * WEIGHT[i / 2] * slope;
            }
            loss = lo < 2 ? 8 : 2; /* of 1 - xR */
        }
        out.value = log_phi + log(difference);
        out.error = 16 * FINF_EPS * (loss + lo * lo);
    }
    out.by_epsilon = exp(log_phi - out.value) * last;
    out.by_rho = exp(log_phi - out.value) / mu;
    return out;
}

static double epsilon_gauss_gap(double epsilon, const ctx_t *c)
{
    return log_delta_gauss(c->rho, epsilon).value + c->L;
}

finf_status finf_epsilon_gauss(double rho, double delta, finf_real *out)
{
    if (!rho_ok(rho) || !delta_ok(delta)) return failed(FINF_EDOM, out);
    ctx_t c = {rho, -log(delta), 0};
    double value = 0, gap = epsilon_gauss_gap(0, &c);
    if (gap > 0) { /* zCDP's epsilon is an upper end; its simplest form needs no optimisation */
        finf_status s = root(epsilon_gauss_gap, &c, 0,
                             (rho + 2 * sqrt(rho * c.L)) * (1 + 8 * FINF_EPS), &value);
        if (s) return failed(s, out);
        gap = 0;
    }
    log_delta at = log_delta_gauss(rho, value);
    /* of log delta, which moves epsilon by this over the derivative */
    double error = at.error + 2 * FINF_EPS * c.L;
    int below = gap + error < 0; /* no epsilon > 0 is needed, beyond doubt */
    *out = finf_real_make(value, below ? 0 : error / at.by_epsilon + 16 * FINF_EPS * value,
                          "Gaussian mechanism");
    return FINF_OK;
}

finf_status finf_delta_gauss(double rho, double epsilon, finf_real *out)
{
    if (!rho_ok(rho) || !epsilon_ok(epsilon)) return failed(FINF_EDOM, out);
    log_delta at = log_delta_gauss(rho, epsilon);
    *out = from_log(at.value, at.error, "Gaussian mechanism");
    return FINF_OK;
}

static double rho_gauss_gap(double rho, const ctx_t *c)
{
    return log_delta_gauss(rho, c->target).value + c->L;
}

finf_status finf_rho_gauss(double epsilon, double delta, finf_real *out)
{
    if (!epsilon_ok(epsilon) || !delta_ok(delta)) return failed(FINF_EDOM, out);
    ctx_t c = {0, -log(delta), epsilon};
    finf_status s = root(rho_gauss_gap, &c, RHO_MIN, RHO_MAX, &c.rho);
    if (s) return failed(s, out);
    log_delta at = log_delta_gauss(c.rho, epsilon);
    *out = finf_real_make(c.rho, (at.error + 2 * FINF_EPS * c.L) / at.by_rho + 8 * FINF_EPS * c.rho,
                          "Gaussian mechanism");
    return FINF_OK;
}

/* ---- noise multipliers ----------------------------------------------------------------------- */

/* rho = 1/(2 z^2), as sigma^2 = G^2 gamma^2/(2 rho) (theory 8)
 * domain:   z for which rho is within 1e-30 and 1e30
 * accuracy: 2 ulp */
finf_status finf_rho_multiplier(double z, finf_real *rho)
{
    double value = 0.5 / (z * z);
    if (!(z > 0 && rho_ok(value))) return failed(FINF_EDOM, rho);
    *rho = (finf_real){value, 2 * DBL_EPSILON * value, FINF_ESTIMATE, "1/(2 z^2)"};
    return FINF_OK;
}

/* 1/sqrt(2 rho), times gamma, times G: to rounding */
finf_multipliers finf_noise_multipliers(const finf_privacy_setting *set, double gamma2)
{
    finf_privacy_setting p = set ? *set : finf_privacy_setting_default();
    double multiplier = 1 / sqrt(2 * p.rho);
    double gamma = sqrt(gamma2);
    return (finf_multipliers){multiplier, multiplier * gamma, multiplier * gamma * p.clip};
}

double finf_noise_variance(const finf_privacy_setting *set, double gamma2, double d)
{
    finf_privacy_setting p = set ? *set : finf_privacy_setting_default();
    return d * p.clip * p.clip * gamma2 / (2 * p.rho);
}
