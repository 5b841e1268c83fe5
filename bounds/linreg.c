/* Linear regression: F = (1/2) E(y - <theta,x>)^2, x with covariance H.                          MATH section 5 */
#include "bounds.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>
#include <stdlib.h>

finf_linreg_options finf_linreg_options_default(void)
{
    return (finf_linreg_options){.privacy = finf_privacy_setting_default(), .kurtosis = 0, .optimum = 1};
}

static finf_status check(double eta, const finf_spectrum *s, const finf_linreg_options *o, finf_reason *why)
{
    finf_status status = finf_setting_check(eta, &o->privacy, why);
    if (!status) status = finf_kurtosis_check(o->kurtosis, why);
    if (status) return status;
    if (eta * finf_spectrum_min(s) < BOUNDS_TINY)
        return finf_why(why, FINF_EDOM, "eta * lambda_min = %s: must be at least 1e-50",
                        finf_show(eta * finf_spectrum_min(s)).s);
    return FINF_OK;
}

/* 2 - (2+kx) b_j: the damping of direction j; kx = 0 is Gaussian, where it is 2(1-b_j). */
static double damping(double b, double kurtosis) { return 2 - (2 + kurtosis) * b; }

/* Eigenvalues above this stay single nodes: a quarter of the way to the pole of 1/damping. */
static double separate_above(double eta, double kurtosis) { return 0.25 * 2 / (fmax(2 + kurtosis, 1) * eta); }

/* 1 - sum of the directions' shares: D = 1 - sum b_j / (2 - (2+kx) b_j); -inf when a direction by itself diverges */
static double stability_margin(const spectral_measure *m, double eta, double kurtosis)
{
    long double sum = 0;
    for (size_t i = 0; i < m->n; i++) {
        double b = eta * m->lambda[i], damp = damping(b, kurtosis);
        if (damp <= 0) return -INFINITY;
        sum += (long double)m->weight[i] * b / damp;
    }
    return (double)(1 - sum);
}

/* ---- the largest stable step --------------------------------------------------------------------------- */

typedef struct {
    const spectral_measure *m;
    double kurtosis;
} stability_ctx;

static double stability(double eta, void *ctx)
{
    const stability_ctx *x = ctx;
    return fmax(stability_margin(x->m, eta, x->kurtosis), -1e3);
}

finf_status finf_linreg_eta_max(const finf_spectrum *s, double kurtosis, double *eta)
{
    spectral_measure m;
    *eta = NAN;
    if (!(kurtosis >= -2 && isfinite(kurtosis))) return FINF_EDOM;
    finf_status status = spectral_measure_make(s, finf_spectrum_max(s) / 8, &m);
    if (status) return status;
    stability_ctx ctx = {&m, kurtosis};
    /* D(2/trace) <= 0 <= D(1/trace / (1 + (2+kx)/2)): each direction's share is at least and at most that */
    double hi = 2 / finf_spectrum_trace(s), lo = hi / (2 + fmax(kurtosis, -2) + 2);
    gsl_function f = {stability, &ctx};
    gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    hi *= 1 + 1e-12;
    if (!solver)
        status = FINF_ENOMEM;
    else if (!(stability(lo, &ctx) >= 0 && stability(hi, &ctx) <= 0) || gsl_root_fsolver_set(solver, &f, lo, hi))
        status = FINF_ETOL;
    for (int i = 0; i < 200 && !status; i++) {
        gsl_root_fsolver_iterate(solver);
        *eta = gsl_root_fsolver_root(solver);
        if (gsl_root_test_interval(gsl_root_fsolver_x_lower(solver), gsl_root_fsolver_x_upper(solver), 0, 1e-14) !=
            GSL_CONTINUE)
            break;
    }
    if (solver) gsl_root_fsolver_free(solver);
    spectral_measure_free(&m);
    return status;
}

/* ---- the optimum over all noise ------------------------------------------------------------------------ */

/* H(w) = sum_i share_i / |1-b_i-e^{iw}|^2; by Cauchy-Schwarz min over B of gamma^2 mean(|B|^2 H) = mean(sqrt H)^2 */
typedef struct {
    size_t n;
    const double *b, *share;
} transfer_ctx;

static double root_transfer(double t, void *ctx)
{
    const transfer_ctx *x = ctx;
    double sum = 0;
    for (size_t i = 0; i < x->n; i++) sum += x->share[i] / circle_gap_t(x->b[i], t);
    return sqrt(sum);
}

static finf_status optimum(size_t n, const double *b, const double *share, const finf_linreg_result *r, double eta,
                           double unit, double sgd, finf_real *out)
{
    transfer_ctx ctx = {n, b, share};
    finf_real mean;
    finf_status s = circle_mean(root_transfer, &ctx, eta * r->lambda_min, 2 - eta * r->lambda_max, &mean);
    double dp = unit * mean.value * mean.value;
    *out = finf_real_make(dp + sgd, 2 * dp * mean.error / mean.value + 32 * FINF_EPS * (dp + sgd),
                          "Cauchy-Schwarz, trapezoid in log tan(w/2)");
    return s;
}

/* ---- F_inf --------------------------------------------------------------------------------------------- */

/* value +- (relative error of the noise part, rounding of the sums) */
static finf_real total(double dp, double sgd, double relerr, double rounding, const char *method)
{
    if (isinf(dp)) return finf_real_infinite(method);
    return finf_real_make(dp + sgd, dp * relerr + rounding * FINF_EPS * (dp + sgd), method);
}

static finf_status sums(const finf_noise *noise, double eta, const finf_linreg_options *o, const spectral_measure *m,
                        double *work, finf_linreg_result *out)
{
    size_t n = m->n;
    double *b = work, *T = work + n, *share = T + n, kx = o->kurtosis, relerr = 0;
    double unit = o->privacy.clip * o->privacy.clip / (2 * o->privacy.rho),
           sgd2 = o->privacy.sigma_sgd * o->privacy.sigma_sgd;
    double gamma2 = out->gamma2.value, sigma2 = unit * gamma2,
           gamma_rel = isfinite(gamma2) ? out->gamma2.error / gamma2 : 0;
    for (size_t i = 0; i < n; i++) b[i] = eta * m->lambda[i];
    finf_reason energy_reason = {""};
    finf_status status = finf_noise_energy(noise, b, n, T, &relerr, &energy_reason), late = status;
    if (status) out->reason = energy_reason;
    if (status && status != FINF_ETOL) return status;
    relerr += gamma_rel;
    long double all_T = 0, lti_dp = 0, lti_sgd = 0, exact_dp = 0, exact_sgd = 0;
    for (size_t i = 0; i < n; i++) {
        long double W = m->weight[i], damp = damping(b[i], kx);
        all_T += W * T[i];
        lti_dp += W * T[i] / (2 - b[i]);
        lti_sgd += W * m->lambda[i] / (2 - b[i]);
        if (out->stable) {
            exact_dp += W * T[i] / damp;
            exact_sgd += W * m->lambda[i] / damp;
        }
    }
    if (isinf(T[0]) && !out->reason.text[0]) out->reason = energy_reason;
    double half = 0.5 * eta;
    out->lti = total(half * sigma2 * (double)lti_dp, half * sgd2 * (double)lti_sgd, relerr, 32, "sum over directions");
    if (out->stable)
        out->exact = total(half * sigma2 * (double)exact_dp / out->D, half * sgd2 * (double)exact_sgd / out->D, relerr,
                           32 + 8 / out->D, "closed second moment");
    /* (1+s) eta R^2 sigma_sgd^2 + (1 + C s) eta sigma^2 sum T, s = (1-sqrt(eta R^2))^-2, needs eta R^2 < 1 */
    double er = eta * out->R2;
    if (er < 1) {
        double root = 1 - sqrt(er), sq = 1 / (root * root);
        out->upper = total((1 + out->C_kurt * sq) * eta * sigma2 * (double)all_T, (1 + sq) * er * sgd2, relerr,
                           32 + 8 / root, "theorem for bounded fourth moments");
    }
    if (!o->optimum) return late;
    for (size_t i = 0; i < n; i++) share[i] = m->weight[i] * half * b[i];
    status = optimum(n, b, share, out, eta, unit, half * sgd2 * (double)lti_sgd, &out->optimum_lti);
    if (!status && out->stable) {
        for (size_t i = 0; i < n; i++) share[i] = m->weight[i] * half / out->D * b[i] * (2 - b[i]) / damping(b[i], kx);
        status = optimum(n, b, share, out, eta, unit, half * sgd2 * (double)exact_sgd / out->D, &out->optimum);
    }
    return status ? status : late;
}

finf_status finf_linreg(const finf_noise *noise, double eta, const finf_spectrum *s, const finf_linreg_options *opt,
                        finf_linreg_result *out)
{
    finf_linreg_options o = opt ? *opt : finf_linreg_options_default();
    finf_real failed = finf_real_failed();
    *out = (finf_linreg_result){.gamma2 = failed,
                                .exact = failed,
                                .lti = failed,
                                .upper = failed,
                                .optimum = failed,
                                .optimum_lti = failed,
                                .floor = NAN,
                                .D = NAN};
    finf_status status = check(eta, s, &o, &out->reason);
    if (status) return status;
    out->d = finf_spectrum_dim(s);
    out->trace = finf_spectrum_trace(s);
    out->lambda_max = finf_spectrum_max(s);
    out->lambda_min = finf_spectrum_min(s);
    out->d_eff = out->trace / out->lambda_max;
    /* x with independent coordinates: E|x|^2 xx' <= R^2 H and the kurtosis constant of the paper's assumption A3 */
    out->R2 = out->trace + (2 + o.kurtosis) * out->lambda_max;
    out->C_kurt = 3 + fmax(o.kurtosis, 0);
    out->floor = 0.25 * eta * out->trace *
                 (o.privacy.sigma_sgd * o.privacy.sigma_sgd + 0.25 * eta * o.privacy.clip * o.privacy.clip / o.privacy.rho);
    finf_sensitivity sens;
    status = finf_noise_sensitivity(noise, &sens);
    out->gamma2 = sens.gamma2;
    out->reason = sens.reason;
    if (status) return status;
    spectral_measure m;
    status = spectral_measure_make(s, separate_above(eta, o.kurtosis), &m);
    if (status) return finf_why(&out->reason, status, "no memory");
    out->D = stability_margin(&m, eta, o.kurtosis);
    out->stable = out->D > 0;
    if (!out->stable) {
        double best = NAN;
        finf_linreg_eta_max(s, o.kurtosis, &best);
        out->exact = finf_real_infinite("closed second moment");
        out->optimum = out->exact;
        finf_why(&out->reason, FINF_OK, "eta = %s diverges in mean square: the largest stable eta is %.6g",
                 finf_show(eta).s, best);
    }
    if (eta * out->R2 >= 1) {
        out->upper = finf_real_infinite("theorem for bounded fourth moments");
        finf_why(&out->upper_reason, FINF_OK, "the theorem needs eta R^2 < 1, here %.6g", eta * out->R2);
    }
    if (eta * out->lambda_max >= 2) /* even the mean of theta diverges */
        out->lti = out->optimum_lti = finf_real_infinite("sum over directions");
    else {
        double *work = malloc(3 * m.n * sizeof *work);
        status = work ? sums(noise, eta, &o, &m, work, out) : finf_why(&out->reason, FINF_ENOMEM, "no memory");
        free(work);
    }
    spectral_measure_free(&m);
    return status;
}

finf_status finf_linreg_directions(const finf_noise *noise, double eta, const finf_spectrum *s,
                                   const finf_linreg_options *opt, const double *k, size_t n, finf_direction *out)
{
    finf_linreg_options o = opt ? *opt : finf_linreg_options_default();
    finf_status status = check(eta, s, &o, NULL);
    if (!status && !(eta * finf_spectrum_max(s) < 2)) status = FINF_EDOM;
    for (size_t j = 0; j < n && !status; j++)
        if (!(k[j] >= 1 && k[j] <= finf_spectrum_dim(s))) status = FINF_EDOM;
    if (status || n == 0) return status;
    finf_sensitivity sens;
    spectral_measure m;
    double *b = malloc(2 * n * sizeof *b), *T = b ? b + n : NULL;
    status = b ? finf_noise_sensitivity(noise, &sens) : FINF_ENOMEM;
    if (!status) {
        for (size_t j = 0; j < n; j++) b[j] = eta * finf_spectrum_at(s, k[j]);
        status = finf_noise_energy(noise, b, n, T, NULL, NULL);
    }
    if (!status) status = spectral_measure_make(s, separate_above(eta, o.kurtosis), &m);
    if (!status) {
        double D = stability_margin(&m, eta, o.kurtosis),
               sigma2 = o.privacy.clip * o.privacy.clip * sens.gamma2.value / (2 * o.privacy.rho);
        for (size_t j = 0; j < n; j++) {
            double lambda = finf_spectrum_at(s, k[j]);
            double q = eta * (o.privacy.sigma_sgd * o.privacy.sigma_sgd * lambda + sigma2 * T[j]);
            out[j] = (finf_direction){lambda, T[j], D > 0 ? 0.5 * q / (damping(b[j], o.kurtosis) * D) : INFINITY,
                                      0.5 * q / (2 - b[j])};
        }
        spectral_measure_free(&m);
    }
    free(b);
    return status;
}
