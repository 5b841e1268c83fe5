/* finf_linreg and its companions with an optimizer that is not plain SGD. (theory 11.3) */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>
#include <stdlib.h>

#include "family.h"
#include "regression.h"

#define FINEST 64 /* times as many groups of eigenvalues as theory 5.5 needs */

/* The first coefficient of P that is not 0, times that of A: how the gradient first moves the
 * reported point. */
static double first_move(const finf_optimizer *o)
{
    size_t k = 1;
    while (k + 1 < o->nb && o->b[k] == 0) k++;
    return o->b[k] * o->average_leak / (double)o->average_last;
}

/* ---- the largest stable step ----------------------------------------------------------------- */

/* D at a step, on nodes that were made for a step no smaller. */
typedef struct {
    const spectral_measure *m;
    const finf_spectrum *s;
    const finf_linreg_options *opt; /* with an optimizer, */
    const finf_optimizer *o;        /* this one */
    int positive;                   /* all weights of m are */
} margin_ctx;

static int all_positive(const spectral_measure *m)
{
    size_t i = 0;
    while (i < m->n && m->weight[i] > 0) i++;
    return i == m->n;
}

static finf_status margin_at(const margin_ctx *x, double eta, finf_real *D, finf_reason *why)
{
    regression R;
    finf_status status = regression_on(x->m, x->s, x->opt, eta, &R, why);
    *D = status ? finf_real_failed() : R.D;
    if (!status) regression_free(&R);
    return status;
}

/* Some first terms of 1 - D exceed 1, or a loop diverges: no step at which it is so is stable, as
 * all terms are positive. Most steps that are far too large are seen by a few terms. */
static int surely_unstable(const margin_ctx *x, double eta)
{
    double sum = 0;
    if (!x->positive) return 0;
    for (size_t i = 0; i < x->m->n && sum <= 1 + 1e-6; i++) {
        double q = eta * (x->m->lambda[i] + x->o->weight_decay), step = eta * x->m->lambda[i];
        finf_real g;
        if (!loop_stable(x->o, q)) return 1;
        if (loop_white_gain(x->o, q, &g)) return 0;
        double one = step * step * g.value, left = 1 - (1 + x->opt->kurtosis) * one;
        if (!(left > 1e-6)) return left < -1e-6;
        sum += x->m->weight[i] * one / left;
    }
    return sum > 1 + 1e-6;
}

/* D as a function for a root finder; its first failure is kept. */
typedef struct {
    const margin_ctx *x;
    finf_status status;
    finf_reason *why;
} root_ctx;

static double root_margin(double eta, void *ctx)
{
    root_ctx *r = ctx;
    finf_real D = {0, 0, ""};
    if (!r->status) r->status = margin_at(r->x, eta, &D, r->why);
    return r->status ? 0 : D.value;
}

/* From *lo, stable, and *hi, not so, to neighbours: Brent's method, once D is finite at both ends,
 * which bisection sees to. */
static finf_status close_in(const margin_ctx *x, double *lo, double *hi, finf_reason *why)
{
    root_ctx r = {x, FINF_OK, why};
    gsl_function f = {root_margin, &r};
    double D = root_margin(*hi, &r);
    for (int i = 0; i < 60 && !r.status && !isfinite(D) && *hi - *lo > 1e-15 * *lo; i++) {
        double middle = *lo + (*hi - *lo) / 2, there = root_margin(middle, &r);
        if (there > 0)
            *lo = middle;
        else {
            *hi = middle;
            D = there;
        }
    }
    if (r.status || !isfinite(D)) return r.status;
    gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    if (!solver) return finf_why(why, FINF_ENOMEM, "no memory");
    int going = gsl_root_fsolver_set(solver, &f, *lo, *hi) == GSL_SUCCESS;
    for (int i = 0; i < 60 && going && !r.status; i++) {
        going = gsl_root_fsolver_iterate(solver) == GSL_SUCCESS;
        *lo = gsl_root_fsolver_x_lower(solver);
        *hi = gsl_root_fsolver_x_upper(solver);
        going = going && *hi - *lo > 1e-15 * *lo;
    }
    gsl_root_fsolver_free(solver);
    return r.status;
}

/* How far the edge of stability may be from eta: so far below a step is stable, and so far above
 * not, beyond the error of D. It starts from the rounding of eta, and doubles; above `most` no step
 * is stable. */
static finf_status edge_error(const margin_ctx *x, double eta, double most, double *off,
                              finf_reason *why)
{
    for (*off = 4 * FINF_EPS * eta; *off < eta; *off *= 2) {
        finf_real below, above = {-1, 0, ""};
        finf_status status = margin_at(x, eta - *off, &below, why);
        if (!status && eta + *off < most) status = margin_at(x, eta + *off, &above, why);
        if (status) return status;
        if (below.value > below.error && above.value < -above.error) return FINF_OK;
    }
    *off = INFINITY;
    return FINF_OK;
}

/* No step from here on is stable in mean square. g_j >= p^2, p the first coefficient of P, and x r
 * is at least x/(1+x) for k >= -1: so 1 > sum x_j r_j >= (eta p)^2 sum lambda_j^2/(1 + (eta p
 * lambda_1)^2). m: nodes for a small step, which serve for any sum of powers. */
static double too_large(const spectral_measure *m, const finf_optimizer *o)
{
    long double squares = 0;
    for (size_t i = 0; i < m->n; i++) squares += m->weight[i] * m->lambda[i] * m->lambda[i];
    double others = (double)(squares - m->max * m->max);
    return others > 1e-6 * (double)squares ? (1 + 1e-6) / (fabs(first_move(o)) * sqrt(others))
                                           : INFINITY;
}

/* The nodes for all steps that may be stable, and *hi, which none is above. */
static finf_status nodes_for_steps(const finf_spectrum *s, double kurtosis, const finf_optimizer *o,
                                   double *hi, spectral_measure *m)
{
    finf_status status = spectral_measure_make_fine(s, INFINITY, 1, m);
    if (status) return status;
    *hi = fmin(*hi, too_large(m, o));
    double separate = regression_separate(o, *hi, kurtosis);
    if (separate > m->max) return FINF_OK;
    spectral_measure_free(m);
    return spectral_measure_make_fine(s, separate, 1, m);
}

/* Downwards from where the mean of theta converges by factors of 0.8, then by Brent's method, all
 * on the nodes of the first step. What is stable does not depend on the average. */
finf_status linreg_eta_max_with_optimizer(const finf_spectrum *s, const finf_linreg_options *opt,
                                          finf_real *eta, finf_reason *why)
{
    finf_optimizer bare = *opt->optimizer; /* its lists are shared, and only read */
    finf_linreg_options o = *opt;
    bare.average = AVERAGE_NONE;
    bare.average_leak = 1;
    bare.average_last = 1;
    o.optimizer = &bare;
    double hi = finf_optimizer_eta_max(&bare, finf_spectrum_min(s), finf_spectrum_max(s)), lo, most,
           off = INFINITY;
    spectral_measure m;
    finf_real D;
    int found = 0;
    *eta = finf_real_failed();
    if (!(hi > 0)) return finf_why(why, FINF_EDOM, "no step is stable with this optimizer");
    finf_status status = nodes_for_steps(s, o.kurtosis, &bare, &hi, &m);
    if (status) return finf_why(why, status, "no memory");
    margin_ctx x = {&m, s, &o, &bare, all_positive(&m)};
    lo = most = hi;
    for (int i = 0; i < 400 && !status && !found; i++) {
        hi = lo;
        lo = 0.8 * lo;
        if (finf_cancelled(o.cancel)) status = finf_why(why, FINF_ETOL, "stopped");
        if (status || surely_unstable(&x, lo)) continue;
        status = margin_at(&x, lo, &D, why);
        found = !status && D.value > 0;
    }
    if (!status && found) status = close_in(&x, &lo, &hi, why);
    if (!status && found) status = edge_error(&x, lo, most, &off, why);
    spectral_measure_free(&m);
    if (!status && !found)
        status = finf_why(why, FINF_EDOM, "no step is stable in mean square with this optimizer");
    if (!status) *eta = finf_real_make(lo, off, "Brent's method");
    return status;
}

/* What is infinite, and why, where eta is too large. */
static finf_status judge(double eta, const finf_spectrum *s, const finf_linreg_options *o,
                         const regression *R, finf_linreg_result *out)
{
    out->D = R->D.value;
    out->D_error = R->D.error;
    out->stable = regression_stable(R);
    if (!R->loop_stable) out->lti = out->optimum_lti = finf_real_infinite("sum over directions");
    if (out->stable) return FINF_OK;
    finf_real best;
    char name[64];
    finf_optimizer_spell(o->optimizer, name, sizeof name);
    out->exact = out->optimum = out->sgd = finf_real_infinite("closed second moment");
    finf_status status = linreg_eta_max_with_optimizer(s, o, &best, NULL);
    if (status == FINF_ENOMEM) return finf_why(&out->reason, status, "no memory");
    if (status && finf_cancelled(o->cancel)) return finf_why(&out->reason, status, "stopped");
    if (isnan(best.value))
        return finf_why(&out->reason, FINF_OK, "eta = %s diverges in mean square with %s",
                        finf_show(eta).s, name);
    return finf_why(&out->reason, FINF_OK,
                    "eta = %s diverges in mean square with %s: the largest stable eta is %.6g",
                    finf_show(eta).s, name, best.value);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Sums over groups of eigenvalues are known to be accurate where the gains are smooth in lambda
 * (theory 11.3): momentum, and noise whose singularities are real. */
static int surely_smooth(const finf_optimizer *o, const finf_noise *noise)
{
    const noise_family *f = noise->family;
    return o->rule != &optimizer_filter && o->average != AVERAGE_LAST &&
           (f == &noise_sgd || f == &noise_nu || f == &noise_power || f == &noise_antipgd);
}

/* exact and lti of R, whose gains with the noise are found here. */
static finf_status values(regression *R, const finf_noise *noise, double sigma2, double sgd2,
                          finf_linreg_result *out)
{
    finf_reason why = {""};
    finf_status s = filtered_noise(R->o, noise, R->q, R->n, R->cancel, R->at, &why);
    if (why.text[0] && !out->reason.text[0]) out->reason = why;
    if (s && (s != FINF_ETOL || finf_cancelled(R->cancel))) return s;
    if (isinf(R->at[0].N.value) || isinf(sigma2)) {
        out->lti = finf_real_infinite("sum over directions");
        if (out->stable) out->exact = finf_real_infinite("closed second moment");
        return s;
    }
    out->lti = regression_lti(R, sigma2, sgd2);
    if (out->stable) out->exact = regression_exact(R, sigma2, sgd2, NULL);
    return s;
}

static void widen(finf_real *x, finf_real before)
{
    if (isfinite(x->value)) x->error += fabs(x->value - before.value);
}

/* Groups of eigenvalues twice as fine each time, until the sums no longer move. */
static finf_status settle(const finf_noise *noise, double eta, const finf_spectrum *s,
                          const finf_linreg_options *o, double sigma2, double sgd2, regression *R,
                          finf_linreg_result *out)
{
    finf_status status = FINF_OK;
    for (size_t fine = 2; R->grouped && !status && isfinite(out->lti.value); fine *= 2) {
        finf_real exact = out->exact, lti = out->lti;
        regression next;
        if (fine > FINEST)
            return finf_why(&out->reason, FINF_ETOL, "the sum over eigenvalues has not settled");
        status = regression_make(s, o, eta, fine, &next, &out->reason);
        if (status) return status;
        regression_free(R);
        *R = next;
        status = values(R, noise, sigma2, sgd2, out);
        double moved = fabs(out->lti.value - lti.value) / out->lti.value;
        if (out->stable)
            moved = fmax(moved, fabs(out->exact.value - exact.value) / out->exact.value);
        if (moved < 1e-12) {
            widen(&out->exact, exact);
            widen(&out->lti, lti);
            break;
        }
    }
    return status;
}

/* `exact` of independent noise, for a stable R, which has its gains afterwards. Where sums over
 * groups may have to be refined that is done on nodes of its own. NaN where it has not settled,
 * which is no failure of the noise asked about: the status is FINF_OK or FINF_ENOMEM. */
static finf_status independent(double eta, const finf_spectrum *s, const finf_linreg_options *o,
                               double unit, double sgd2, regression *R, finf_linreg_result *out)
{
    finf_linreg_result r = finf_linreg_failed();
    regression own = {.n = 0};
    finf_noise *white = NULL;
    finf_status status = finf_noise_sgd(&white);
    r.stable = 1;
    if (!status && surely_smooth(R->o, white))
        status = values(R, white, unit, sgd2, &r);
    else if (!status && !(status = regression_make(s, o, eta, 1, &own, NULL))) {
        status = values(&own, white, unit, sgd2, &r);
        if (!status) status = settle(white, eta, s, o, unit, sgd2, &own, &r);
        regression_free(&own);
    }
    finf_noise_free(white);
    if (status == FINF_ENOMEM) return finf_why(&out->reason, status, "no memory");
    if (!status) out->sgd = r.exact;
    return FINF_OK;
}

static finf_status optimum(const regression *R, int exact, double unit, double sgd2, finf_real *out)
{
    transfer x;
    finf_real dp = finf_real_failed();
    finf_status s = transfer_make(R, exact, &x);
    if (!s) {
        s = transfer_optimum(&x, &dp);
        transfer_free(&x);
    }
    finf_real sgd = exact ? regression_exact(R, 0, sgd2, NULL) : regression_lti(R, 0, sgd2);
    if (s != FINF_ENOMEM)
        *out = finf_real_make(unit * dp.value + sgd.value, unit * dp.error + sgd.error, dp.method);
    return s;
}

/* (G^2/2 rho) (eta^2 p^2/2) sum h_j and the gradient noise's part, p = first_move: a lower bound of
 * lti for every noise (theory 11.3). */
static finf_real floor_of(const regression *R, double unit, double sgd2)
{
    double move = R->eta * first_move(R->o), sum = 0, error = 0;
    for (size_t i = 0; i < R->n; i++) {
        sum += R->m.weight[i] * R->h[i];
        error += R->m.weight[i] * R->h[i] *
                 (spectral_measure_error(&R->m, i) + spectral_measure_lambda_error(&R->m, i));
    }
    double factor = unit * move * move / 2;
    finf_real sgd = regression_lti(R, 0, sgd2);
    return finf_real_make(factor * sum + sgd.value,
                          factor * (error + (8 + (double)R->n) * FINF_EPS * sum) + sgd.error,
                          "Jensen's formula");
}

/* Nothing that was under way is known to its error. */
static finf_status stopped(finf_linreg_result *out)
{
    if (isfinite(out->exact.value)) out->exact = finf_real_failed();
    if (isfinite(out->lti.value)) out->lti = finf_real_failed();
    return finf_why(&out->reason, FINF_ETOL, "stopped");
}

finf_status linreg_with_optimizer(const finf_noise *noise, double eta, const finf_spectrum *s,
                                  const finf_linreg_options *o, finf_linreg_result *out)
{
    const finf_privacy_setting *p = &o->privacy;
    finf_sensitivity sens;
    finf_status known = finf_noise_sensitivity(noise, &sens), status;
    double unit = p->clip * p->clip / (2 * p->rho), sgd2 = p->sigma_sgd * p->sigma_sgd;
    regression R;
    out->gamma2 = sens.gamma2;
    out->reason = sens.reason;
    if (known && known != FINF_ETOL) return known;
    finf_why(&out->upper_reason, FINF_OK, "upper is known for plain sgd only");
    status = regression_make(s, o, eta, 1, &R, &out->reason);
    if (status) return status;
    status = judge(eta, s, o, &R, out);
    if (!status && out->stable && o->optimum) status = independent(eta, s, o, unit, sgd2, &R, out);
    double sigma2 = unit * sens.gamma2.value, relative = sens.gamma2.error / sens.gamma2.value;
    if (!status && !known && R.loop_stable) {
        status = values(&R, noise, sigma2, sgd2, out);
        if (!status && !surely_smooth(R.o, noise))
            status = settle(noise, eta, s, o, sigma2, sgd2, &R, out);
        if (isfinite(relative)) {
            out->exact.error += relative * (isfinite(out->exact.value) ? out->exact.value : 0);
            out->lti.error += relative * (isfinite(out->lti.value) ? out->lti.value : 0);
        }
    }
    finf_status best = FINF_OK;
    if (finf_cancelled(o->cancel)) {
        regression_free(&R);
        return stopped(out);
    }
    if (status != FINF_ENOMEM && R.h && R.loop_stable) out->floor = floor_of(&R, unit, sgd2);
    if (status != FINF_ENOMEM && R.h && R.loop_stable && o->optimum) {
        best = optimum(&R, 0, unit, sgd2, &out->optimum_lti);
        if (out->stable && best != FINF_ENOMEM)
            best = finf_worse(best, optimum(&R, 1, unit, sgd2, &out->optimum));
    }
    regression_free(&R);
    status = finf_worse(finf_worse(known, status), best);
    if (status == FINF_ENOMEM) finf_why(&out->reason, status, "no memory");
    if (status && !out->reason.text[0])
        finf_why(&out->reason, status, "an integral did not settle");
    return status;
}

/* ---- directions ------------------------------------------------------------------------------ */

/* Gains at chosen eigenvalues; Q from all of them. T is N/g, which for sgd is T(b). */
finf_status linreg_directions_with_optimizer(const finf_noise *noise, double eta,
                                             const finf_spectrum *s, const finf_linreg_options *o,
                                             const double *k, size_t n, finf_direction *out,
                                             finf_reason *why)
{
    const finf_privacy_setting *p = &o->privacy;
    finf_sensitivity sens;
    regression R;
    finf_status status = finf_noise_sensitivity(noise, &sens);
    if (status && why) *why = sens.reason;
    if (!status) status = regression_make(s, o, eta, 1, &R, why);
    if (status) return status;
    double *q = malloc(n * sizeof *q), Q = INFINITY, sgd2 = p->sigma_sgd * p->sigma_sgd,
           sigma2 = p->clip * p->clip * sens.gamma2.value / (2 * p->rho);
    filtered *x = malloc(n * sizeof *x);
    if (!R.loop_stable)
        status = finf_why(why, FINF_EDOM, "eta = %s: theta diverges with this optimizer",
                          finf_show(eta).s);
    else if (!q || !x)
        status = finf_why(why, FINF_ENOMEM, "no memory for %zu directions", n);
    for (size_t j = 0; j < n && !status; j++)
        q[j] = eta * (finf_spectrum_at(s, k[j]) + R.o->weight_decay);
    if (!status) status = filtered_gains(R.o, noise, q, n, R.cancel, x, why);
    if (!status && regression_stable(&R)) {
        status = filtered_noise(R.o, noise, R.q, R.n, R.cancel, R.at, why);
        if (!status) regression_exact(&R, sigma2, sgd2, &Q);
    }
    for (size_t j = 0; j < n && !status; j++) {
        out[j].lambda = finf_spectrum_at(s, k[j]);
        out[j].T = x[j].N.value / x[j].g.value;
        regression_direction(&R, out[j].lambda, &x[j], sigma2, sgd2, Q, &out[j].exact, &out[j].lti);
    }
    free(q);
    free(x);
    regression_free(&R);
    return status;
}
