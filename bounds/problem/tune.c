/* The best nu of nu-DP-FTRL for mean estimation (theory 4) and linear regression (theory 5), whose
 * F_inf is known exactly: a scan of log nu, since there may be several minima, then Brent's
 * minimiser about the least. (The best nu of the IQC bound, which has derivatives, is socp's.) */
#include <math.h>

#include "bounds.h"

enum { MAX_SCAN = 64 };
static const double RATIO = 8; /* of neighbouring nu in the scan */

/* NaN: it failed, and every value after it is NaN too. */
typedef double objective(double log_nu, void *data);

/* Brent (1973): parabolas, golden sections where they fail. b lies in (a, c) with the least value.
 */
static double brent(objective *f, void *data, double a, double b, double c)
{
    const double golden = 0.3819660112501051, tol = 1e-7;
    double x = b, w = b, v = b, fx = f(x, data), fw = fx, fv = fx, d = 0, e = 0;
    for (int k = 0; k < 100; k++) {
        double mid = (a + c) / 2;
        if (fabs(x - mid) <= 2 * tol - (c - a) / 2) break;
        double r = (x - w) * (fx - fv), q = (x - v) * (fx - fw), p = (x - v) * q - (x - w) * r,
               before = e;
        q = 2 * (q - r);
        p = q > 0 ? -p : p;
        q = fabs(q);
        if (fabs(e) > tol && fabs(p) < fabs(q * before / 2) && p > q * (a - x) && p < q * (c - x)) {
            e = d;
            d = p / q;
        } else {
            e = x < mid ? c - x : a - x;
            d = golden * e;
        }
        double u = x + (fabs(d) >= tol ? d : copysign(tol, d)), fu = f(u, data);
        if (fu <= fx) {
            *(u < x ? &c : &a) = x;
            v = w;
            fv = fw;
            w = x;
            fw = fx;
            x = u;
            fx = fu;
        } else {
            *(u < x ? &a : &c) = u;
            if (fu <= fw || w == x) {
                v = w;
                fv = fw;
                w = u;
                fw = fu;
            } else if (fu <= fv || v == x || v == w) {
                v = u;
                fv = fu;
            }
        }
    }
    return x;
}

/* log nu in [lo, 0] */
static double minimum(objective *f, void *data, double lo)
{
    double step = log(RATIO), best = 0, least = f(0, data), ends = fmax(lo, -MAX_SCAN * step);
    for (double u = -step; u > ends - step; u -= step) {
        double value = f(fmax(u, ends), data);
        if (value < least) {
            least = value;
            best = fmax(u, ends);
        }
    }
    if (!isfinite(least)) return 0;
    double u = brent(f, data, fmax(best - step, ends), best, fmin(best + step, 0));
    return f(u, data) < f(0, data) ? u : 0;
}

typedef struct {
    double eta;
    const finf_spectrum *s;
    finf_linreg_options opt;
    const finf_privacy_setting *set;
    /* of the first evaluation that failed: the search is then over, and its result this one's */
    finf_status status;
    finf_linreg_result linreg;
    finf_mean_result mean;
} problem;

static finf_status linreg_with(double nu, const problem *p, const finf_linreg_options *opt,
                               finf_linreg_result *r)
{
    finf_noise *noise = NULL;
    *r = finf_linreg_failed();
    finf_status st = finf_noise_nu(nu, &noise, &r->reason);
    if (st == FINF_OK) st = finf_linreg(noise, p->eta, p->s, opt, r);
    finf_noise_free(noise);
    return st;
}

static double linreg_at(double log_nu, void *data)
{
    problem *p = data;
    if (p->status == FINF_OK) p->status = linreg_with(fmin(exp(log_nu), 1), p, &p->opt, &p->linreg);
    return p->status == FINF_OK ? p->linreg.exact.value : NAN;
}

static finf_status mean_with(double nu, const problem *p, finf_mean_result *r)
{
    finf_noise *noise = NULL;
    *r = finf_mean_failed();
    finf_status st = finf_noise_nu(nu, &noise, &r->reason);
    if (st == FINF_OK) st = finf_mean(noise, p->eta, p->set, r);
    finf_noise_free(noise);
    return st;
}

static double mean_at(double log_nu, void *data)
{
    problem *p = data;
    if (p->status == FINF_OK) p->status = mean_with(fmin(exp(log_nu), 1), p, &p->mean);
    return p->status == FINF_OK ? p->mean.F.value : NAN;
}

finf_status finf_tune_linreg(double eta, const finf_spectrum *s, const finf_linreg_options *opt,
                             double *nu, finf_linreg_result *out)
{
    problem p = {.eta = eta, .s = s, .opt = opt ? *opt : finf_linreg_options_default()};
    double least = eta * finf_spectrum_min(s) / 16, best = 1;
    p.opt.optimum = 0;
    *nu = NAN;
    if (least > 0 && isfinite(least))
        best = fmin(exp(minimum(linreg_at, &p, log(fmax(fmin(least, 1), BOUNDS_TINY)))), 1);
    *out = p.linreg;
    finf_status st = p.status != FINF_OK ? p.status : linreg_with(best, &p, opt, out);
    if (st == FINF_OK || st == FINF_ETOL) *nu = best;
    return st;
}

/* nu = eta is the optimum over all noise for eta <= 1 (theory 4); beyond, it is no nu of (0, 1],
 * and one is searched for. */
finf_status finf_tune_mean(double eta, const finf_privacy_setting *set, double *nu,
                           finf_mean_result *out)
{
    problem p = {.eta = eta, .set = set};
    double best = eta > 0 && eta <= 1 ? eta : 1;
    *nu = NAN;
    if (eta > 1 && eta < 2) best = fmin(exp(minimum(mean_at, &p, log((2 - eta) / 16))), 1);
    *out = p.mean;
    finf_status st = p.status != FINF_OK ? p.status : mean_with(best, &p, out);
    if (st == FINF_OK || st == FINF_ETOL) *nu = best;
    return st;
}
