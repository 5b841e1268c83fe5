/* Privacy: from rho-zCDP to (epsilon, delta) and back, each of the three from the other two, in two
 * ways. (theory 8)
 *   zcdp:  valid for every rho-zCDP mechanism, by the best Renyi order alpha     theory 8.1
 *   gauss: exact for this mechanism, as private as two normals of variance 1 at the distance
 *          mu = sqrt(2 rho)                                                      theory 8.2 */
#include "bounds.h"
#include "minimise.h"

#include <gsl/gsl_sf_erf.h>

#define RHO_MIN 1e-30
#define RHO_MAX 1e30
#define DELTA_MIN 1e-300

static finf_status check_rho(double rho, finf_reason *why)
{
    if (rho >= RHO_MIN && rho <= RHO_MAX) return FINF_OK;
    return finf_why(why, FINF_EDOM, "rho = %s: must be positive, from 1e-30 to 1e30",
                    finf_show(rho).s);
}

static finf_status check_delta(double delta, finf_reason *why)
{
    if (delta >= DELTA_MIN && delta < 1) return FINF_OK;
    return finf_why(why, FINF_EDOM, "delta = %s: must be in (0, 1), at least 1e-300",
                    finf_show(delta).s);
}

static finf_status check_epsilon(double epsilon, finf_reason *why)
{
    if (epsilon >= 0 && epsilon <= 1e30) return FINF_OK;
    return finf_why(why, FINF_EDOM, "epsilon = %s: must be from 0 to 1e30", finf_show(epsilon).s);
}

static finf_status no_rho(double epsilon, double delta, finf_reason *why)
{
    return finf_why(why, FINF_EDOM, "no rho from 1e-30 to 1e30 gives epsilon = %s at delta = %s",
                    finf_show(epsilon).s, finf_show(delta).s);
}

/* ---- one-dimensional helpers ----------------------------------------------------------------- */

/* What the functions below depend on beside the variable that is searched. */
typedef struct {
    double rho;
    double L;      /* log(1/delta); where delta is sought, epsilon */
    double target; /* epsilon, where rho is sought */
} ctx_t;

/* The root of the monotone f in [lo, hi], down to two neighbouring doubles: bisection, of log x
 * while the ends are far apart. Roots here span sixty orders of magnitude, and f costs little; a
 * faster method would need to know on which scale f is smooth. FINF_EDOM when there is none. */
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

/* A bound by the order alpha = 1 + e^s. */
typedef struct {
    double value; /* of epsilon, or of log delta */
    double size;  /* the sum of the absolute values of its terms: rounding is relative to that */
    double s;     /* log(alpha - 1) */
} at_order;

typedef at_order order_fn(double s, const ctx_t *c);

typedef struct {
    order_fn *f;
    const ctx_t *c;
} order_search;

static finf_status value_at_order(double s, void *data, double *value)
{
    const order_search *o = data;
    *value = o->f(s, o->c).value;
    return FINF_OK;
}

/* The least over all orders: a scan of log(alpha - 1) from -80 to 80, as f need not be convex, then
 * the bracket of its best. */
static at_order least(order_fn *f, const ctx_t *c)
{
    order_search o = {f, c};
    double s;
    minimise(value_at_order, &o, -80, 80, 0.25, 1e-9, &s);
    return f(s, c);
}

/* The value is off by the rounding of its terms, 8 eps of their size at most, and by twice that
 * again, as an order is taken for the best whose true value is that much above the least. */
static double order_error(const at_order *x) { return 3 * 8 * FINF_EPS * x->size; }

/* epsilon at one order, rho alpha + log(1/(alpha delta))/(alpha-1) + log(1-1/alpha) (theory 8.1).
 * log(1-1/alpha) = s - log(1+e^s) is taken in the form that does not cancel. */
static at_order epsilon_at_order(double s, const ctx_t *c)
{
    double x = exp(s), log_alpha = log1p(x), log_shrink = s > 0 ? -log1p(1 / x) : s - log_alpha;
    double linear = c->rho * (1 + x);
    return (at_order){
        linear + (c->L - log_alpha) / x + log_shrink,
        linear + (c->L + log_alpha) / x + fabs(s > 0 ? log_shrink : s) + log_alpha / (1 + x), s};
}

finf_status finf_epsilon_zcdp(double rho, double delta, finf_real *out, finf_reason *why)
{
    *out = finf_real_failed();
    finf_status s = check_rho(rho, why);
    if (!s) s = check_delta(delta, why);
    if (s) return s;
    ctx_t c = {rho, -log(delta), 0};
    at_order best = least(epsilon_at_order, &c);
    double error = order_error(&best), above = best.value + error;
    *out = finf_real_make(best.value > 0 ? best.value : 0, above > 0 ? error : 0,
                          "optimal Renyi order");
    return FINF_OK;
}

/* The same line solved for log delta,
 * (alpha-1)(rho alpha - epsilon) - log alpha + (alpha-1) log(1-1/alpha); c->L is epsilon here. */
static at_order log_delta_at_order(double s, const ctx_t *c)
{
    double x = exp(s), log_alpha = log1p(x), log_shrink = s > 0 ? -log1p(1 / x) : s - log_alpha;
    /* epsilon - rho alpha = (epsilon - rho) - rho e^s loses nothing where the two are close */
    double beyond = c->L - c->rho, linear = c->rho * x;
    return (at_order){-log_alpha - x * (beyond - linear - log_shrink),
                      log_alpha + x * (fabs(beyond) + linear + fabs(log_shrink)), s};
}

/* delta from its logarithm and the logarithm's error. delta is 1 at the most, whatever the bound
 * says, and exactly 1 if log_delta is positive beyond its error. */
static finf_real from_log(double log_delta, double error, const char *method)
{
    double value = log_delta < 0 ? exp(log_delta) : 1;
    if (log_delta > error) return finf_real_make(1, 0, method);
    double off = error < 1 ? value * expm1(error) : fmin(1, exp(log_delta + error));
    return finf_real_make(value, off + FINF_EPS * value + DBL_TRUE_MIN, method);
}

finf_status finf_delta_zcdp(double rho, double epsilon, finf_real *out, finf_reason *why)
{
    *out = finf_real_failed();
    finf_status s = check_rho(rho, why);
    if (!s) s = check_epsilon(epsilon, why);
    if (s) return s;
    ctx_t c = {rho, epsilon, 0};
    at_order best = least(log_delta_at_order, &c);
    *out = from_log(best.value, order_error(&best), "optimal Renyi order");
    return FINF_OK;
}

/* epsilon of this rho, less the one wanted: increasing in rho. */
static double rho_zcdp_gap(double rho, const ctx_t *c)
{
    ctx_t at = {rho, c->L, 0};
    return least(epsilon_at_order, &at).value - c->target;
}

finf_status finf_rho_zcdp(double epsilon, double delta, finf_real *out, finf_reason *why)
{
    *out = finf_real_failed();
    finf_status s = check_epsilon(epsilon, why);
    if (!s) s = check_delta(delta, why);
    if (s) return s;
    ctx_t c = {0, -log(delta), epsilon};
    if (root(rho_zcdp_gap, &c, RHO_MIN, RHO_MAX, &c.rho)) return no_rho(epsilon, delta, why);
    at_order best = least(epsilon_at_order, &c);
    /* d epsilon/d rho: the order is optimal, so only rho alpha moves */
    double slope = 1 + exp(best.s);
    *out = finf_real_make(c.rho,
                          (order_error(&best) + FINF_EPS * epsilon) / slope + 8 * FINF_EPS * c.rho,
                          "optimal Renyi order");
    return FINF_OK;
}

/* ---- one Gaussian ---------------------------------------------------------------------------- */

/* log delta, for delta = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), which may itself be too
 * small for a double. */
typedef struct {
    double value;      /* log delta */
    double error;      /* of that, absolute */
    double by_epsilon; /* -d log delta/d epsilon = e^eps Phi(-x_+)/delta */
    double by_rho;     /* d log delta/d rho = phi(x_-)/(mu delta) */
} log_delta;

/* Mills' ratio R(x) = (1 - Phi(x))/phi(x), and *slope = -R'(x) = 1 - xR. From x = 2 on by Laplace's
 * continued fraction 1/(x + 1/(x + 2/(x + ..))), where GSL's hazard function, a quotient, loses a
 * relative x^2 eps, and 1 - xR would lose as much again. */
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

/* log delta and its derivatives (theory 8.2). With x_-+ = eps/mu -+ mu/2 = (eps -+ rho)/mu (lo and
 * hi) both terms of delta carry the factor phi(x_-), leaving phi(x_-) (R(x_-) - R(x_+)): nothing
 * overflows. Three forms of it:
 *   mu <= 1             the difference is the integral of -R' = 1 - xR over [x_-, x_+], by ten
 *                       Gauss-Legendre points, without cancellation
 *   mu > 1, x_- >= 0    the difference as it is: R(x_+) is well below R(x_-)
 *   mu > 1, x_- < 0     delta is near 1, and its complement Q(-x_-) + phi(x_-) R(x_+) is what is
 *                       small and accurate */
static log_delta log_delta_gauss(double rho, double epsilon)
{
    static const double NODE[] = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244,
                                  0.8650633666889845, 0.9739065285171717};
    static const double WEIGHT[] = {0.2955242247147529, 0.2692667193099964, 0.2190863625159820,
                                    0.1494513491505806, 0.0666713443086881};
    double mu = sqrt(2 * rho);
    double middle = epsilon / mu;
    double lo = (epsilon - rho) / mu;
    double hi = (epsilon + rho) / mu;
    double slope;
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
        } else {
            for (int i = 0; i < 10; i++) {
                double x = middle + (i % 2 ? 0.5 : -0.5) * mu * NODE[i / 2];
                mills(x, &slope);
                difference += 0.5 * mu * WEIGHT[i / 2] * slope;
            }
            loss = lo < 2 ? 8 : 2; /* units that 1 - xR loses on either side of mills' switch */
        }
        out.value = log_phi + log(difference);
        out.error = 16 * FINF_EPS * (loss + lo * lo);
    }
    out.by_epsilon = exp(log_phi - out.value) * last;
    out.by_rho = exp(log_phi - out.value) / mu;
    return out;
}

/* log delta at this epsilon, less the one wanted: decreasing in epsilon. */
static double epsilon_gauss_gap(double epsilon, const ctx_t *c)
{
    return log_delta_gauss(c->rho, epsilon).value + c->L;
}

finf_status finf_epsilon_gauss(double rho, double delta, finf_real *out, finf_reason *why)
{
    *out = finf_real_failed();
    finf_status s = check_rho(rho, why);
    if (!s) s = check_delta(delta, why);
    if (s) return s;
    ctx_t c = {rho, -log(delta), 0};
    double value = 0, gap = epsilon_gauss_gap(0, &c);
    if (gap > 0) { /* the simplest epsilon that zCDP gives is an upper end of the exact one */
        s = root(epsilon_gauss_gap, &c, 0, (rho + 2 * sqrt(rho * c.L)) * (1 + 8 * FINF_EPS),
                 &value);
        if (s)
            return finf_why(why, s, "no epsilon was found for rho = %s and delta = %s",
                            finf_show(rho).s, finf_show(delta).s);
        gap = 0;
    }
    log_delta at = log_delta_gauss(rho, value);
    /* the error of log delta; epsilon is off by that over the derivative */
    double error = at.error + 2 * FINF_EPS * c.L;
    int below = gap + error < 0; /* no epsilon > 0 is needed, beyond doubt */
    *out = finf_real_make(value, below ? 0 : error / at.by_epsilon + 16 * FINF_EPS * value,
                          "Gaussian mechanism");
    return FINF_OK;
}

finf_status finf_delta_gauss(double rho, double epsilon, finf_real *out, finf_reason *why)
{
    *out = finf_real_failed();
    finf_status s = check_rho(rho, why);
    if (!s) s = check_epsilon(epsilon, why);
    if (s) return s;
    log_delta at = log_delta_gauss(rho, epsilon);
    *out = from_log(at.value, at.error, "Gaussian mechanism");
    return FINF_OK;
}

/* log delta of this rho, less the one wanted: increasing in rho. */
static double rho_gauss_gap(double rho, const ctx_t *c)
{
    return log_delta_gauss(rho, c->target).value + c->L;
}

finf_status finf_rho_gauss(double epsilon, double delta, finf_real *out, finf_reason *why)
{
    *out = finf_real_failed();
    finf_status s = check_epsilon(epsilon, why);
    if (!s) s = check_delta(delta, why);
    if (s) return s;
    ctx_t c = {0, -log(delta), epsilon};
    if (root(rho_gauss_gap, &c, RHO_MIN, RHO_MAX, &c.rho)) return no_rho(epsilon, delta, why);
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
    *rho = finf_real_failed();
    if (!(z > 0) || check_rho(value, NULL)) return FINF_EDOM;
    *rho = finf_real_make(value, 2 * FINF_EPS * value, "1/(2 z^2)");
    return FINF_OK;
}

/* 1/sqrt(2 rho), times gamma, times G */
finf_multipliers finf_noise_multipliers(const finf_privacy_setting *set, finf_real gamma2)
{
    finf_privacy_setting p = set ? *set : finf_privacy_setting_default();
    finf_real multiplier = finf_real_rounded(1 / sqrt(2 * p.rho), 2);
    finf_real over_clip = finf_real_times(finf_real_root(gamma2), multiplier);
    return (finf_multipliers){multiplier, over_clip,
                              finf_real_times(over_clip, finf_real_exact(p.clip))};
}

/* Of a sum of such parts none changes by more than a relative |1/rho' - 1/rho| rho, and that is
 * error/(rho - error) at the most. */
finf_real finf_privacy_widen(finf_real x, finf_real rho)
{
    if (!isfinite(x.value) || rho.error == 0) return x;
    double left = rho.value - rho.error;
    x.error += left > 0 ? fabs(x.value) * rho.error / left : INFINITY;
    return x;
}

double finf_noise_variance(const finf_privacy_setting *set, double gamma2, double d)
{
    finf_privacy_setting p = set ? *set : finf_privacy_setting_default();
    return d * p.clip * p.clip * gamma2 / (2 * p.rho);
}
