/* finf_linreg and its companions with an optimizer that is not plain SGD. (theory 11.3) */
#include <stdlib.h>

#include "family.h"
#include "regression.h"

#define FINEST 64 /* times as many groups of eigenvalues as theory 5.5 needs */

/* ---- the largest stable step ----------------------------------------------------------------- */

/* D at a step, on nodes that were made for a step no smaller; on its own if m is NULL. */
typedef struct {
    const spectral_measure *m;
    const finf_spectrum *s;
    const finf_linreg_options *o;
} margin_ctx;

static finf_status margin_at(const margin_ctx *x, double eta, finf_real *D, finf_reason *why)
{
    regression R;
    finf_status status = x->m ? regression_on(x->m, x->s, x->o, eta, &R, why)
                              : regression_make(x->s, x->o, eta, 1, &R, why);
    *D = status ? finf_real_failed() : R.D;
    if (!status) regression_free(&R);
    return status;
}

/* Whether a step is stable. */
static finf_status stable_at(const margin_ctx *x, double eta, int *stable, finf_reason *why)
{
    finf_real D;
    finf_status status = margin_at(x, eta, &D, why);
    *stable = !status && D.value > 0;
    return status;
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

/* Downwards from *hi by factors of 0.8 until a step is stable, each on its own nodes, of which a
 * smaller step needs fewer. *lo = 0: none is. */
static finf_status descend(const margin_ctx *x, double *lo, double *hi, finf_reason *why)
{
    int stable = 0;
    *lo = *hi;
    for (int i = 0; i < 400 && !stable; i++) {
        *lo = 0.8 * *lo;
        finf_status status = stable_at(x, *lo, &stable, why);
        if (status) return status;
        if (!stable) *hi = *lo;
    }
    if (!stable) *lo = 0;
    return FINF_OK;
}

/* The edge of stability between two steps, in *lo. */
static finf_status bisect(const margin_ctx *x, double *lo, double hi, finf_reason *why)
{
    for (int i = 0; i < 60 && hi - *lo > 1e-15 * *lo; i++) {
        double middle = *lo + (hi - *lo) / 2;
        int stable;
        finf_status status = stable_at(x, middle, &stable, why);
        if (status) return status;
        if (stable)
            *lo = middle;
        else
            hi = middle;
    }
    return FINF_OK;
}

/* The edge, and how far it may be away, between a stable step and one that is not, on the nodes of
 * one that is somewhat larger than both. */
static finf_status edge_between(margin_ctx *x, double lo, double hi, double most, finf_real *eta,
                                finf_reason *why)
{
    spectral_measure m;
    double off = INFINITY;
    const finf_linreg_options *o = x->o;
    finf_status status = spectral_measure_make_fine(
        x->s, regression_separate(o->optimizer, fmin(2 * hi, most), o->kurtosis), 1, &m);
    if (status) return finf_why(why, status, "no memory");
    x->m = &m;
    status = bisect(x, &lo, hi, why);
    if (!status) status = edge_error(x, lo, most, &off, why);
    spectral_measure_free(&m);
    x->m = NULL;
    if (!status) *eta = finf_real_make(lo, off, "bisection");
    return status;
}

/* Downwards from where the mean of theta converges, then by bisection. What is stable does not
 * depend on the average. */
finf_status linreg_eta_max_with_optimizer(const finf_spectrum *s, const finf_linreg_options *opt,
                                          finf_real *eta, finf_reason *why)
{
    finf_optimizer bare = *opt->optimizer; /* its lists are shared, and only read */
    finf_linreg_options o = *opt;
    bare.average = AVERAGE_NONE;
    bare.average_leak = 1;
    bare.average_last = 1;
    o.optimizer = &bare;
    margin_ctx x = {NULL, s, &o};
    double most = finf_optimizer_eta_max(&bare, finf_spectrum_min(s), finf_spectrum_max(s)), lo,
           hi = most;
    *eta = finf_real_failed();
    if (!(hi > 0)) return finf_why(why, FINF_EDOM, "no step is stable with this optimizer");
    finf_status status = descend(&x, &lo, &hi, why);
    if (status) return status;
    if (lo == 0)
        return finf_why(why, FINF_EDOM, "no step is stable in mean square with this optimizer");
    return edge_between(&x, lo, hi, most, eta, why);
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
    out->exact = out->optimum = finf_real_infinite("closed second moment");
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
    finf_status s = filtered_gains(R->o, noise, R->q, R->n, R->cancel, R->at, &why);
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

/* The first coefficient of P that is not 0, times that of A: how the gradient first moves the
 * reported point. */
static double first_move(const finf_optimizer *o)
{
    size_t k = 1;
    while (k + 1 < o->nb && o->b[k] == 0) k++;
    return o->b[k] * o->average_leak / (double)o->average_last;
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
    if (status && !out->reason.text[0])
        finf_why(&out->reason, status,
                 status == FINF_ENOMEM ? "no memory" : "an integral did not settle");
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
        status = filtered_gains(R.o, noise, R.q, R.n, R.cancel, R.at, why);
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
