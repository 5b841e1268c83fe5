/* The best nu of nu-DP-FTRL for mean estimation (theory 4) and linear regression (theory 5), whose
 * F_inf is known exactly. (The best nu of the IQC bound, which has derivatives, is socp's.) */
#include <math.h>

#include "bounds.h"
#include "linreg_search.h"
#include "minimise.h"
#include "optimizer.h"

static const double RATIO = 8;    /* of neighbouring nu in the scan */
static const double KNOWN = 1e-7; /* of log nu */

typedef struct {
    double eta;
    const finf_spectrum *s;
    finf_linreg_options opt;
    const finf_mean_options *set;
    linreg_search search; /* linear regression, prepared; not made where n is 0 */
    /* the last result: of an evaluation that failed, if there was one, as the search ends there */
    finf_linreg_result linreg;
    finf_mean_result mean;
} problem;

/* The nu of (0, 1] with the least value, log nu being at least `least`, and how far it may be from
 * the true one. */
static finf_status best_nu(minimise_fn *f, minimise_real_fn *real, problem *p, double least,
                           finf_real *nu)
{
    double u = 0, off = INFINITY;
    finf_status st = minimise(f, p, 0, least, log(RATIO), KNOWN, &u);
    if (st == FINF_OK) st = minimise_error(real, p, least, 0, u, KNOWN, &off);
    double value = fmin(exp(u), 1);
    *nu = finf_real_make(value, value * expm1(off) + 2 * FINF_EPS * value, "Brent's method");
    return st;
}

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

/* The value alone, which is all that the search wants. */
static finf_status linreg_prepared(double nu, problem *p)
{
    finf_noise *noise = NULL;
    p->linreg = finf_linreg_failed();
    finf_status st = finf_noise_nu(nu, &noise, &p->linreg.reason);
    if (st == FINF_OK)
        st = linreg_search_at(&p->search, noise, &p->linreg.exact, &p->linreg.reason);
    finf_noise_free(noise);
    return st;
}

static finf_status linreg_real(double log_nu, void *data, finf_real *value)
{
    problem *p = data;
    double nu = fmin(exp(log_nu), 1);
    finf_status st = p->search.n ? linreg_prepared(nu, p) : linreg_with(nu, p, &p->opt, &p->linreg);
    *value = p->linreg.exact;
    return st;
}

static finf_status linreg_at(double log_nu, void *data, double *value)
{
    finf_real F;
    finf_status st = linreg_real(log_nu, data, &F);
    *value = F.value;
    return st;
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

static finf_status mean_real(double log_nu, void *data, finf_real *value)
{
    problem *p = data;
    finf_status st = mean_with(fmin(exp(log_nu), 1), p, &p->mean);
    *value = p->mean.F;
    return st;
}

static finf_status mean_at(double log_nu, void *data, double *value)
{
    finf_real F;
    finf_status st = mean_real(log_nu, data, &F);
    *value = F.value;
    return st;
}

finf_status finf_tune_linreg(double eta, const finf_spectrum *s, const finf_linreg_options *opt,
                             finf_real *nu, finf_linreg_result *out)
{
    problem p = {.eta = eta, .s = s, .opt = opt ? *opt : finf_linreg_options_default()};
    const finf_optimizer *o = p.opt.optimizer;
    double least = eta * finf_spectrum_min(s) / 16;
    finf_real best = finf_real_exact(1);
    if (!optimizer_is_plain(o)) /* the slowest pole is that of the effective step */
        least *= fmin(1, finf_optimizer_step(o) * (1 + o->weight_decay / finf_spectrum_min(s)));
    finf_status st = FINF_OK;
    int search = least > 0 && isfinite(least);
    p.opt.optimum = 0;
    p.linreg = finf_linreg_failed();
    *nu = finf_real_failed();
    /* once by finf_linreg: whether the problem is one, and whether there is a nu to be found (where
     * theta diverges all are as bad, and independent noise is the answer) */
    if (search) st = linreg_with(1, &p, &p.opt, &p.linreg);
    if (st == FINF_OK && isinf(p.linreg.exact.value)) search = 0;
    if (st == FINF_OK && search && linreg_search_make(eta, s, &p.opt, &p.search)) {
        p.linreg = finf_linreg_failed(); /* not the value of nu = 1 */
        st = finf_why(&p.linreg.reason, FINF_ENOMEM, "no memory");
    }
    if (st == FINF_OK && search)
        st = best_nu(linreg_at, linreg_real, &p, log(fmax(fmin(least, 1), BOUNDS_TINY)), &best);
    linreg_search_free(&p.search);
    *out = p.linreg;
    if (st == FINF_OK) st = linreg_with(best.value, &p, opt, out);
    if (st == FINF_OK || (st == FINF_ETOL && !finf_cancelled(p.opt.cancel))) *nu = best;
    return st;
}

/* ---- power:P,nu -------------------------------------------------------------------------------
 */

typedef struct {
    problem *p;
    double power;   /* under way */
    double least;   /* of log nu */
    double best_nu; /* and what was found */
    double best_power;
    double best;
} power_search;

static finf_status power_with(double power, double nu, const problem *p,
                              const finf_linreg_options *opt, finf_linreg_result *r)
{
    finf_noise *noise = NULL;
    *r = finf_linreg_failed();
    finf_status st = finf_noise_power(power, nu, &noise, &r->reason);
    if (st == FINF_OK) st = finf_linreg(noise, p->eta, p->s, opt, r);
    finf_noise_free(noise);
    return st;
}

static finf_status power_at(double log_nu, void *data, double *value)
{
    power_search *a = data;
    double nu = fmin(exp(log_nu), 1);
    finf_status st = power_with(a->power, nu, a->p, &a->p->opt, &a->p->linreg);
    *value = a->p->linreg.exact.value;
    if (st == FINF_OK && *value < a->best) {
        a->best = *value;
        a->best_nu = nu;
        a->best_power = a->power;
    }
    return st;
}

/* The least value over nu, for one power. */
static finf_status best_of_power(double power, void *data, double *value)
{
    power_search *a = data;
    double u = 0;
    a->power = power;
    finf_status st = minimise(power_at, a, 0, a->least, log(RATIO), 1e-4, &u);
    return st ? st : power_at(u, a, value);
}

finf_status finf_tune_power_linreg(double eta, const finf_spectrum *s,
                                   const finf_linreg_options *opt, double *power, double *nu,
                                   finf_linreg_result *out)
{
    problem p = {.eta = eta, .s = s, .opt = opt ? *opt : finf_linreg_options_default()};
    power_search a = {.p = &p, .best_nu = 1, .best_power = 0.5, .best = INFINITY};
    double least = eta * finf_spectrum_min(s) / 16, unused;
    *power = *nu = NAN;
    if (p.opt.optimizer) least *= fmin(1, finf_optimizer_step(p.opt.optimizer));
    p.opt.optimum = 0;
    finf_status st = FINF_OK;
    if (least > 0 && isfinite(least)) {
        a.least = log(fmax(fmin(least, 1), BOUNDS_TINY));
        st = minimise(best_of_power, &a, 0.5, 1, 0.125, 1e-4, &unused);
        if (st == FINF_OK) st = minimise(best_of_power, &a, 0.5, 0, 0.125, 1e-4, &unused);
    }
    *out = p.linreg;
    if (st == FINF_OK) st = power_with(a.best_power, a.best_nu, &p, opt, out);
    if (st == FINF_OK || (st == FINF_ETOL && !finf_cancelled(p.opt.cancel))) {
        *power = a.best_power;
        *nu = a.best_nu;
    }
    return st;
}

/* nu = eta is the optimum over all noise for eta <= 1 (theory 4); beyond, it is no nu of (0, 1],
 * and one is searched for. */
finf_status finf_tune_mean(double eta, const finf_mean_options *set, finf_real *nu,
                           finf_mean_result *out)
{
    problem p = {.eta = eta, .set = set};
    finf_real best = finf_real_exact(eta > 0 && eta <= 1 ? eta : 1);
    finf_status st = FINF_OK;
    *nu = finf_real_failed();
    if (set && !optimizer_is_plain(set->optimizer)) {
        best = finf_real_exact(1);
        if (finf_optimizer_stable(set->optimizer, eta, 1))
            st = best_nu(mean_at, mean_real, &p, log(fmax(fmin(eta / 64, 1), BOUNDS_TINY)), &best);
    } else if (eta > 1 && eta < 2)
        st = best_nu(mean_at, mean_real, &p, log((2 - eta) / 16), &best);
    *out = p.mean;
    if (st == FINF_OK) st = mean_with(best.value, &p, out);
    if (st == FINF_OK || (st == FINF_ETOL && !(set && finf_cancelled(set->cancel)))) *nu = best;
    return st;
}
