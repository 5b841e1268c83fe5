/* The best nu of nu-DP-FTRL, MATH 7.9: a scan of log nu, since there may be several minima, then each bracket refined. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "optimize.h"

enum { MAX_SCAN = 64, MAX_REFINE = 40 };
static const double RATIO = 8;   /* of neighbouring nu in the scan */
static const double SCAN = 1e-3; /* relative gap there */
static const double FLAT = 1e-4; /* d log bound / d log nu: within 1e-3 of the best nu and 1e-7 of its bound */

/* ---- the IQC bound: value and derivative come together, so brackets are refined by cubics ---- */

typedef struct {
    double u, value, slope; /* log nu, log bound, its derivative */
} sample;

double socp_least_nu(double eta, double kappa) { return fmin(eta, 1) / kappa / 4; }

static finf_status at(socp_moving *v, double complex *logB, double complex *g, double tol, sample *s)
{
    double nu = fmin(exp(s->u), 1);
    for (size_t j = 0; j < v->grid.n; j++) logB[j] = socp_log_factor(nu, v->grid.w[j]) / 2;
    finf_status st = socp_moving_solve(v, logB, tol);
    if (st != FINF_OK) return st;
    socp_moving_gradient(v, g);
    s->value = log(v->value), s->slope = 0;
    for (size_t j = 0; j < v->grid.n; j++) {
        double complex z = cexp(-I * v->grid.w[j]); /* dlogB/dlog nu = (nu/2) z / (1 - (1-nu) z) */
        s->slope += creal(conj(g[j]) * nu / 2 * z * cexp(-2 * logB[j])) / v->value;
    }
    return FINF_OK;
}

/* The minimum between a (slope < 0) and b (> 0): that of the cubic through both values and slopes, kept off the ends. */
static finf_status refine(socp_moving *v, double complex *logB, double complex *g, sample a, sample b, sample *best)
{
    v->warm_next = 0;
    for (int k = 0; k < MAX_REFINE && b.u - a.u > FLAT; k++) {
        double width = b.u - a.u, d = a.slope + b.slope - 3 * (b.value - a.value) / width;
        double root = sqrt(fmax(0, d * d - a.slope * b.slope));
        double part = (b.slope + root - d) / (b.slope - a.slope + 2 * root);
        sample c = {.u = b.u - width * fmin(fmax(part, 0.01), 0.99)};
        finf_status st = at(v, logB, g, 1e-7, &c);
        if (st != FINF_OK) return st;
        if (c.value < best->value) *best = c;
        if (fabs(c.slope) < FLAT) break;
        if (c.slope < 0)
            a = c;
        else
            b = c;
    }
    return FINF_OK;
}

/* Downwards from nu = 1, where the noise is independent. */
finf_status socp_best_nu(socp_moving *v, double least, double *nu)
{
    double complex *logB = malloc(2 * v->grid.n * sizeof *logB), *g = logB ? logB + v->grid.n : NULL;
    sample s[MAX_SCAN];
    size_t n = 0;
    finf_status st = logB ? FINF_OK : FINF_ENOMEM;
    sample best = {.u = 0, .value = INFINITY};
    for (double u = 0; st == FINF_OK && n < MAX_SCAN && u > log(least) - log(RATIO); u -= log(RATIO), n++) {
        s[n] = (sample){.u = fmax(u, log(least))};
        if (n < 3) v->warm_next = 0; /* B moves far: a warm start is no start */
        st = at(v, logB, g, n ? SCAN : SCAN / 1e4, &s[n]);
        if (st == FINF_OK && s[n].value < best.value) best = s[n];
        if (s[n].slope < 0 && s[n].value > best.value + log(2)) u = -INFINITY; /* gamma grows: no way back */
    }
    for (size_t i = 1; st == FINF_OK && i < n; i++)
        if (s[i].slope < 0 && s[i - 1].slope > (i == 1 ? SCAN / 10 : 0)) st = refine(v, logB, g, s[i], s[i - 1], &best);
    int level = n > 0 && s[0].value <= best.value + 1e-7; /* of equals independent noise: no coefficients to keep */
    *nu = level ? 1 : fmin(exp(best.u), 1);
    free(logB);
    return st;
}

finf_status finf_tune_iqc(double eta, double kappa, const finf_iqc_options *opt, double *nu, finf_iqc_result *out)
{
    finf_iqc_options o = opt ? *opt : finf_iqc_options_default();
    finf_noise *noise = NULL, *finest = NULL;
    socp_moving v = {0};
    finf_status tuned = FINF_OK, st = finf_noise_sgd(&noise);
    *nu = 1;
    /* the domain, and where every noise gives the same: divergence, no privacy noise */
    int trivial = !(kappa >= 1 && isfinite(kappa) && eta > 0 && eta * o.smooth < 2 && o.privacy.rho > 0 &&
                    o.privacy.clip > 0 && o.privacy.sigma_sgd >= 0 && o.dim >= 1 && o.smooth > 0);
    if (st == FINF_OK && !trivial && kappa == 1) {
        *nu = fmin(eta * o.smooth, 1); /* mean estimation, MATH 4 */
    } else if (st == FINF_OK && !trivial) {
        double least = socp_least_nu(eta * o.smooth, kappa);
        st = finf_noise_nu(least, &finest, &out->reason);
        if (st == FINF_OK) st = socp_moving_make(eta, kappa, &o, finest, &v);
        if (st == FINF_OK) tuned = socp_best_nu(&v, least, nu);
        if (v.cancelled) o.cancel = NULL;
    }
    finf_noise_free(finest);
    socp_moving_free(&v);
    if (st == FINF_OK && *nu < 1) {
        finf_noise_free(noise);
        st = finf_noise_nu(*nu, &noise, &out->reason);
    }
    if (st == FINF_OK) st = finf_iqc(noise, eta, kappa, &o, out);
    finf_noise_free(noise);
    if (st == FINF_OK && tuned != FINF_OK)
        snprintf(out->reason.text, sizeof out->reason.text, "the search for nu did not end");
    return st != FINF_OK ? st : tuned;
}

/* ---- values without derivative: Brent's minimiser on the best bracket ---- */

typedef double objective(double log_nu, void *data);

/* Brent (1973): parabolas, golden sections where they fail. b lies in (a, c) with the least value. */
static double brent(objective *f, void *data, double a, double b, double c)
{
    const double golden = 0.3819660112501051, tol = 1e-7;
    double x = b, w = b, v = b, fx = f(x, data), fw = fx, fv = fx, d = 0, e = 0;
    for (int k = 0; k < 100; k++) {
        double mid = (a + c) / 2;
        if (fabs(x - mid) <= 2 * tol - (c - a) / 2) break;
        double r = (x - w) * (fx - fv), q = (x - v) * (fx - fw), p = (x - v) * q - (x - w) * r, before = e;
        q = 2 * (q - r);
        p = q > 0 ? -p : p, q = fabs(q);
        if (fabs(e) > tol && fabs(p) < fabs(q * before / 2) && p > q * (a - x) && p < q * (c - x))
            e = d, d = p / q;
        else
            e = x < mid ? c - x : a - x, d = golden * e;
        double u = x + (fabs(d) >= tol ? d : copysign(tol, d)), fu = f(u, data);
        if (fu <= fx) {
            *(u < x ? &c : &a) = x;
            v = w, fv = fw, w = x, fw = fx, x = u, fx = fu;
        } else {
            *(u < x ? &a : &c) = u;
            if (fu <= fw || w == x)
                v = w, fv = fw, w = u, fw = fu;
            else if (fu <= fv || v == x || v == w)
                v = u, fv = fu;
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
        if (value < least) least = value, best = fmax(u, ends);
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
} problem;

static double linreg_at(double log_nu, void *data)
{
    const problem *p = data;
    finf_linreg_result r;
    finf_noise *noise = NULL;
    finf_status st = finf_noise_nu(fmin(exp(log_nu), 1), &noise, NULL);
    if (st == FINF_OK) st = finf_linreg(noise, p->eta, p->s, &p->opt, &r);
    finf_noise_free(noise);
    return (st == FINF_OK || st == FINF_ETOL) && r.exact.value >= 0 ? r.exact.value : INFINITY;
}

static double mean_at(double log_nu, void *data)
{
    const problem *p = data;
    finf_mean_result r;
    finf_noise *noise = NULL;
    finf_status st = finf_noise_nu(fmin(exp(log_nu), 1), &noise, NULL);
    if (st == FINF_OK) st = finf_mean(noise, p->eta, p->set, &r);
    finf_noise_free(noise);
    return (st == FINF_OK || st == FINF_ETOL) && r.F.value >= 0 ? r.F.value : INFINITY;
}

finf_status finf_tune_linreg(double eta, const finf_spectrum *s, const finf_linreg_options *opt, double *nu,
                             finf_linreg_result *out)
{
    problem p = {.eta = eta, .s = s, .opt = opt ? *opt : finf_linreg_options_default()};
    p.opt.optimum = 0;
    finf_noise *noise = NULL;
    double least = eta * finf_spectrum_min(s) / 16;
    *nu = least > 0 && isfinite(least) ? fmin(exp(minimum(linreg_at, &p, log(fmin(least, 1)))), 1) : 1;
    finf_status st = finf_noise_nu(*nu, &noise, &out->reason);
    if (st == FINF_OK) st = finf_linreg(noise, eta, s, opt, out);
    finf_noise_free(noise);
    return st;
}

/* nu = eta is the optimum over all noise for eta <= 1 (MATH 4); beyond, it is no nu of (0, 1], and one is searched for. */
finf_status finf_tune_mean(double eta, const finf_privacy_setting *set, double *nu, finf_mean_result *out)
{
    problem p = {.eta = eta, .set = set};
    finf_noise *noise = NULL;
    *nu = eta > 0 && eta <= 1 ? eta : eta < 2 && eta > 1 ? fmin(exp(minimum(mean_at, &p, log((2 - eta) / 16))), 1) : 1;
    finf_status st = finf_noise_nu(*nu, &noise, &out->reason);
    if (st == FINF_OK) st = finf_mean(noise, eta, set, out);
    finf_noise_free(noise);
    return st;
}
