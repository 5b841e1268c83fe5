/* Linear regression: F = (1/2) E(y - <theta,x>)^2, x with covariance H. (theory 5)
 *
 *   exact     F_inf for inputs with independent coordinates, by (5.d)        theory 5.1
 *   lti       a lower bound for any inputs of covariance H                   theory 5.2
 *   upper     an upper bound for inputs with bounded fourth moments, (5.f)   theory 5.2
 *   optimum   the least of any noise, for exact and for lti                  theory 5.3
 *   sgd       F_inf of independent noise, whose T is 1                       theory 5.1
 *   floor     the paper's lower bound for every noise                        theory 5.4
 *
 * All are sums over the eigenvalues of H, which the spectral measure of spectrum.c makes short. */
#include "bounds.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>
#include <stdlib.h>

#include "family.h"
#include "regression.h"

finf_linreg_options finf_linreg_options_default(void)
{
    return (finf_linreg_options){
        .privacy = finf_privacy_setting_default(), .kurtosis = 0, .optimum = 1};
}

/* Of the spectrum only its least eigenvalue can still be outside: T(b) is known from b = 1e-50 on.
 */
static finf_status check(double eta, const finf_spectrum *s, const finf_linreg_options *o,
                         finf_reason *why)
{
    finf_status status = finf_setting_check(eta, &o->privacy, why);
    if (!status) status = finf_kurtosis_check(o->kurtosis, why);
    if (status) return status;
    if (eta * finf_spectrum_min(s) < BOUNDS_TINY)
        return finf_why(why, FINF_EDOM, "eta * lambda_min = %s: must be at least 1e-50",
                        finf_show(eta * finf_spectrum_min(s)).s);
    return FINF_OK;
}

/* Eigenvalues above this one stay single nodes of the measure: it is a quarter of the way to the
 * pole of 1/e_j, at b = 2/(2+kx), near which a sum of 1/e_j is not smooth. */
double linreg_separate_above(double eta, double kurtosis)
{
    return 0.25 * 2 / (fmax(2 + kurtosis, 1) * eta);
}

/* Node i at the step eta, with errors carried from b to the two differences. */
linreg_direction linreg_direction_at(const spectral_measure *m, size_t i, double eta,
                                     double kurtosis)
{
    schur_real b = (schur_real)eta * m->lambda[i], kappa4 = 2 + (schur_real)kurtosis;
    linreg_direction x = {.b = b, .slow = 2 - b, .damp = 2 - kappa4 * b};
    double size = (double)b, rounding = 4 * SCHUR_EPS;
    x.b_error = spectral_measure_lambda_error(m, i) + rounding;
    x.slow_error = (size * x.b_error + 2 * rounding) / fabs((double)x.slow);
    x.damp_error = ((double)kappa4 * size * x.b_error + 2 * rounding) / fabs((double)x.damp);
    return x;
}

/* A sum, and the sum of the absolute errors of its terms. */
typedef struct {
    schur_real value;
    double error;
} sum_t;

static void add(sum_t *s, schur_real term, double relerr)
{
    s->value += term;
    s->error += fabs((double)term) * relerr;
}

static double relative_error(const sum_t *s)
{
    return s->value == 0 ? 0 : s->error / fabs((double)s->value);
}

/* D = 1 - sum_j b_j/e_j of (5.d): F_inf is finite iff every e_j > 0 and D > 0. When some e_j <= 0,
 * a direction diverges by itself, it is -inf. A D near 0 has lost the digits that the sum has in
 * common with 1: that is in its error. */
finf_real linreg_margin(const spectral_measure *m, double eta, double kurtosis)
{
    sum_t D = {1, 0};
    for (size_t i = 0; i < m->n; i++) {
        linreg_direction x = linreg_direction_at(m, i, eta, kurtosis);
        if (!(x.damp > 0)) return (finf_real){-INFINITY, 0, ""};
        add(&D, -m->weight[i] * x.b / x.damp,
            x.b_error + x.damp_error + spectral_measure_error(m, i));
    }
    return finf_real_make((double)D.value, D.error + FINF_EPS * fabs((double)D.value), "");
}

/* ---- the largest stable step ----------------------------------------------------------------- */

typedef struct {
    const spectral_measure *m;
    double kurtosis;
} stability_ctx;

/* D as a function of eta for the root finder, which cannot use -inf. D is far above -1000 wherever
 * it is finite and of interest. */
static double stability(double eta, void *ctx)
{
    const stability_ctx *x = ctx;
    return fmax(linreg_margin(x->m, eta, x->kurtosis).value, -1e3);
}

/* How far the zero may be from eta: D, which falls, is positive beyond doubt so far below, and
 * negative so far above. It starts from the rounding of eta, and doubles. */
static double zero_error(const stability_ctx *x, double eta)
{
    double off = 4 * FINF_EPS * eta;
    for (; off < eta; off *= 2) {
        finf_real below = linreg_margin(x->m, eta - off, x->kurtosis),
                  above = linreg_margin(x->m, eta + off, x->kurtosis);
        if (below.value > below.error && above.value < -above.error) return off;
    }
    return INFINITY;
}

/* Brent's method, polled before each step. */
static finf_status zero_of(stability_ctx *ctx, double lo, double hi, finf_cancel cancel,
                           double *eta, finf_reason *why)
{
    gsl_function f = {stability, ctx};
    gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    finf_status status = FINF_OK;
    if (!solver) return finf_why(why, FINF_ENOMEM, "no memory");
    if (!(stability(lo, ctx) >= 0 && stability(hi, ctx) <= 0) ||
        gsl_root_fsolver_set(solver, &f, lo, hi))
        status = finf_why(why, FINF_ETOL, "the largest stable eta was not bracketed");
    for (int i = 0; i < 200 && !status; i++) {
        if (finf_cancelled(cancel)) status = finf_why(why, FINF_ETOL, "stopped");
        gsl_root_fsolver_iterate(solver);
        *eta = gsl_root_fsolver_root(solver);
        if (gsl_root_test_interval(gsl_root_fsolver_x_lower(solver),
                                   gsl_root_fsolver_x_upper(solver), 0, 1e-14) != GSL_CONTINUE)
            break;
    }
    gsl_root_fsolver_free(solver);
    return status;
}

/* The zero of D (5.d). Every direction's share b/e is at least b/2 and at most
 * b/(2 - (2+kx) eta Tr H), which brackets it: 2/((4+kx) Tr H) <= eta_max <= 2/Tr H. */
static finf_status plain_eta_max(const finf_spectrum *s, const finf_linreg_options *o,
                                 finf_real *eta, finf_reason *why)
{
    spectral_measure m;
    finf_status status = spectral_measure_make(s, finf_spectrum_max(s) / 8, &m);
    if (status) return finf_why(why, status, "no memory");
    stability_ctx ctx = {&m, o->kurtosis};
    double hi = 2 / finf_spectrum_trace(s), lo = hi / (2 + fmax(o->kurtosis, -2) + 2), zero = NAN;
    status = zero_of(&ctx, lo, hi * (1 + 1e-12), o->cancel, &zero, why);
    if (!status) *eta = finf_real_make(zero, zero_error(&ctx, zero), "Brent's method");
    spectral_measure_free(&m);
    return status;
}

finf_status finf_linreg_eta_max_with(const finf_spectrum *s, const finf_linreg_options *opt,
                                     finf_real *eta, finf_reason *why)
{
    finf_linreg_options o = opt ? *opt : finf_linreg_options_default();
    *eta = finf_real_failed();
    finf_status status = finf_kurtosis_check(o.kurtosis, why);
    if (status) return status;
    return optimizer_is_plain(o.optimizer) ? plain_eta_max(s, &o, eta, why)
                                           : linreg_eta_max_with_optimizer(s, &o, eta, why);
}

finf_status finf_linreg_eta_max(const finf_spectrum *s, double kurtosis,
                                const finf_optimizer *optimizer, finf_real *eta, finf_reason *why)
{
    const finf_linreg_options o = {.kurtosis = kurtosis, .optimizer = optimizer};
    return finf_linreg_eta_max_with(s, &o, eta, why);
}

/* ---- the optimum over all noise -------------------------------------------------------------- */

/* What the privacy noise contributes is (G^2/2rho) gamma^2 mean(|B|^2 Hx) with
 * Hx(w) = sum_i share_i/|1-b_i-e^{iw}|^2 (theory 5.3), and by Cauchy and Schwarz the least of that
 * over all B is (G^2/2rho) (mean Hx^{1/2})^2. */
typedef struct {
    size_t n;            /* terms of Hx */
    const double *b;     /* eta lambda_i */
    const double *share; /* what stands above the gap */
} transfer_ctx;

/* Hx^{1/2} at t = tan(w/2), a circle_fn. */
static double root_transfer(double t, void *ctx)
{
    const transfer_ctx *x = ctx;
    double sum = 0;
    for (size_t i = 0; i < x->n; i++) sum += x->share[i] / circle_gap_t(x->b[i], t);
    return sqrt(sum);
}

/* The optimum over all noise: unit (mean Hx^{1/2})^2 + sgd, unit = G^2/(2 rho), sgd being the part
 * of gradient noise, which no B changes. share_error is the relative error of Hx. */
static finf_status optimum(size_t n, const double *b, const double *share, double share_error,
                           const finf_linreg_result *r, double eta, double unit, finf_real sgd,
                           finf_real *out)
{
    transfer_ctx ctx = {n, b, share};
    finf_real mean;
    finf_status s = circle_mean(root_transfer, &ctx, eta * r->lambda_min, 2 - eta * r->lambda_max,
                                &mean);
    double dp = unit * mean.value * mean.value;
    *out = finf_real_make(dp + sgd.value,
                          dp * (2 * mean.error / mean.value + share_error) + sgd.error +
                              32 * FINF_EPS * (dp + sgd.value),
                          "Cauchy-Schwarz, trapezoid in log tan(w/2)");
    return s;
}

/* ---- F_inf ----------------------------------------------------------------------------------- */

/* The sums over the directions that all results are made of. */
typedef struct {
    sum_t lti_dp;       /* sum_j T_j/(2 - b_j) */
    sum_t lti_sgd;      /* sum_j lambda_j/(2 - b_j) */
    sum_t exact_dp;     /* sum_j T_j/e_j */
    sum_t exact_sgd;    /* sum_j lambda_j/e_j */
    sum_t exact_white;  /* sum_j 1/e_j */
    double lti_share;   /* the largest relative error of a term of Hx, for lti */
    double exact_share; /* and for the exact value */
    /* Some T_j is infinite. The sums with T are then without it: a node's weight may be negative,
     * and inf - inf is nothing. */
    int infinite;
} sums_t;

/* The sums from T at every node (NULL: T = 1); those with e_j only if the recursion is stable, as
 * e_j > 0 then. */
static sums_t sum_directions(const spectral_measure *m, double eta, double kurtosis, int stable,
                             const double *T, double T_error)
{
    sums_t s = {.infinite = 0};
    double white_error = noise_energy_interpolation(m->n); /* so that sgd is `exact` of sgd */
    for (size_t i = 0; i < m->n; i++) {
        linreg_direction x = linreg_direction_at(m, i, eta, kurtosis);
        double rounded = x.b_error + FINF_EPS, weight = spectral_measure_error(m, i) + FINF_EPS;
        /* the error of T at a rounded b: T is a positive harmonic function of 1-b in the disc, so
         * |dT/db| <= 2 T/(b(2-b)) by Harnack's inequality */
        double moved = 2 * rounded / (double)x.slow, at_b = T_error + moved;
        schur_real W = m->weight[i], sgd = W * m->lambda[i], dp = 0;
        if (T && isinf(T[i]))
            s.infinite = 1;
        else
            dp = T ? W * T[i] : W;
        add(&s.lti_dp, dp / x.slow, weight + at_b + x.slow_error);
        add(&s.lti_sgd, sgd / x.slow, weight + x.b_error + x.slow_error);
        /* gap: the relative error of |1-b-e^{iw}|^2 at a rounded b, at the w where it is largest */
        double gap = 2 * rounded * fmax(1, (double)(x.b / x.slow));
        s.lti_share = fmax(s.lti_share, weight + rounded + gap);
        if (!stable) continue;
        add(&s.exact_dp, dp / x.damp, weight + at_b + x.damp_error);
        add(&s.exact_sgd, sgd / x.damp, weight + x.b_error + x.damp_error);
        add(&s.exact_white, W / x.damp, weight + (white_error + moved) + x.damp_error);
        s.exact_share = fmax(s.exact_share, weight + rounded + gap + x.slow_error + x.damp_error);
    }
    return s;
}

/* factor (sigma^2 dp + sigma_sgd^2 sgd), where `factor` has the relative error factor_error. */
static finf_real total(double factor, double factor_error, double sigma2, const sum_t *dp,
                       double sgd2, const sum_t *sgd, const char *method)
{
    double a = factor * sigma2 * (double)dp->value, b = factor * sgd2 * (double)sgd->value;
    if (isinf(a)) return finf_real_infinite(method);
    return finf_real_make(a + b,
                          a * relative_error(dp) + b * relative_error(sgd) +
                              (factor_error + 8 * FINF_EPS) * (a + b),
                          method);
}

/* F_inf of independent noise, gamma^2 = 1 and T = 1: factor as in `total`. */
static finf_real independent(double factor, double factor_error, double unit, double sgd2,
                             const sums_t *s)
{
    return total(factor, factor_error, unit, &s->exact_white, sgd2, &s->exact_sgd,
                 "closed second moment");
}

/* The upper bound (5.f), proved in theory 5.2 for all inputs with E|x|^2 xx' <= R^2 H and
 * E[xx' H^{-1/2} P H^{-1/2} xx'] <= C_kurt Tr(P) H for every P >= 0 that commutes with H (the
 * paper's assumption A3):
 *
 *     lti + (1/2) W (C_kurt eta sigma^2 sum_j T_j/(2-b_j) + eta sigma_sgd^2 R^2/(2-b_1))/(1-q),
 *     W = sum_j b_j/(2-b_j),   q = eta R^2/(2-b_1),   domain: q < 1.
 *
 * The second term is written with slack = (2-b_1) (1-q) = 2 - b_1 - eta R^2, which is what becomes
 * small: the error of the bound is that of 1/slack. `off` is the absolute error of an eigenvalue.
 */
static finf_real upper_bound(double eta, double sigma2, double sgd2, const sums_t *s, double off,
                             const finf_linreg_result *r)
{
    double b1 = eta * r->lambda_max;
    double slack = 2 - b1 - eta * r->R2;
    double W = eta * (double)s->lti_sgd.value;
    double R2_error = off * (r->d + r->C_kurt);
    double slack_error = (32 * FINF_EPS * 2 + eta * (R2_error + off)) / slack;
    double dp = 0.5 * eta * sigma2 * (double)s->lti_dp.value,
           sgd = 0.5 * eta * sgd2 * (double)s->lti_sgd.value;
    double more_dp = dp * r->C_kurt * W * (2 - b1) / slack,
           more_sgd = 0.5 * eta * sgd2 * r->R2 * W / slack;
    double base = relative_error(&s->lti_dp) + relative_error(&s->lti_sgd);
    if (isinf(dp)) return finf_real_infinite("theorem for bounded fourth moments");
    double value = dp + sgd + more_dp + more_sgd;
    return finf_real_make(value,
                          base * value + slack_error * (more_dp + more_sgd) +
                              more_sgd * R2_error / r->R2 + 16 * FINF_EPS * value,
                          "theorem for bounded fourth moments");
}

/* Everything that is a sum over directions: exact, lti, upper, sgd and the two optima. D and its
 * error, gamma2 and whether eta is stable are known in `out` by now; b_1 < 2. `work` is room for
 * 3 m->n numbers. A T that has not reached its tolerance (FINF_ETOL) is used, with its error, and
 * reported. */
static finf_status sums(const finf_noise *noise, double eta, const finf_linreg_options *o,
                        const spectral_measure *m, double D_error, double *work,
                        finf_linreg_result *out)
{
    size_t n = m->n;
    double *b = work, *T = work + n, *share = T + n, kx = o->kurtosis, relerr = 0;
    double unit = o->privacy.clip * o->privacy.clip / (2 * o->privacy.rho),
           sgd2 = o->privacy.sigma_sgd * o->privacy.sigma_sgd;
    double gamma2 = out->gamma2.value;
    double sigma2 = unit * gamma2;
    double gamma_rel = isfinite(gamma2) ? out->gamma2.error / gamma2 : 0;
    for (size_t i = 0; i < n; i++) b[i] = eta * m->lambda[i];
    finf_reason energy_reason = {""};
    finf_status status = finf_noise_energy(noise, b, n, T, &relerr, &energy_reason), late = status;
    if (status) out->reason = energy_reason;
    if (status && status != FINF_ETOL) return status;
    sums_t s = sum_directions(m, eta, kx, out->stable, T, relerr + gamma_rel);
    double half = 0.5 * eta;
    if (s.infinite) {
        if (!out->reason.text[0]) out->reason = energy_reason;
        out->exact = out->lti = out->upper = finf_real_infinite("beta is not square-summable");
    } else {
        out->lti = total(half, 0, sigma2, &s.lti_dp, sgd2, &s.lti_sgd, "sum over directions");
        if (out->stable)
            out->exact = total(half / out->D, D_error / out->D, sigma2, &s.exact_dp, sgd2,
                               &s.exact_sgd, "closed second moment");
        if (!isinf(out->upper.value))
            out->upper = upper_bound(eta, sigma2, sgd2, &s, m->resolution, out);
    }
    if (!o->optimum) return late;
    if (out->stable) out->sgd = independent(half / out->D, D_error / out->D, unit, sgd2, &s);
    const sum_t none = {0, 0};
    finf_real sgd = total(half, 0, 0, &none, sgd2, &s.lti_sgd, "");
    for (size_t i = 0; i < n; i++) share[i] = m->weight[i] * half * b[i];
    status = optimum(n, b, share, s.lti_share, out, eta, unit, sgd, &out->optimum_lti);
    if (!status && out->stable) {
        for (size_t i = 0; i < n; i++) {
            linreg_direction x = linreg_direction_at(m, i, eta, kx);
            share[i] = m->weight[i] * half / out->D * (double)(x.b * x.slow / x.damp);
        }
        double D_rel = D_error / out->D;
        sgd = total(half / out->D, D_rel, 0, &none, sgd2, &s.exact_sgd, "");
        status = optimum(n, b, share, s.exact_share + D_rel, out, eta, unit, sgd, &out->optimum);
    }
    return status ? status : late;
}

finf_linreg_result finf_linreg_failed(void)
{
    finf_real failed = finf_real_failed();
    return (finf_linreg_result){.gamma2 = failed,
                                .exact = failed,
                                .lti = failed,
                                .upper = failed,
                                .optimum = failed,
                                .optimum_lti = failed,
                                .sgd = failed,
                                .floor = failed,
                                .D = NAN,
                                .D_error = INFINITY};
}

/* What does not depend on the noise: the spectrum's figures, R^2 and C_kurt of theory 5.2 for
 * inputs with independent coordinates, and the floor of theory 5.4. */
static void describe_inputs(double eta, const finf_spectrum *s, const finf_linreg_options *o,
                            finf_linreg_result *out)
{
    const finf_privacy_setting *p = &o->privacy;
    out->d = finf_spectrum_dim(s);
    out->trace = finf_spectrum_trace(s);
    out->lambda_max = finf_spectrum_max(s);
    out->lambda_min = finf_spectrum_min(s);
    out->d_eff = out->trace / out->lambda_max;
    out->R2 = out->trace + (2 + o->kurtosis) * out->lambda_max;
    out->C_kurt = 3 + fmax(o->kurtosis, 0);
    double floor = 0.25 * eta * out->trace *
                   (p->sigma_sgd * p->sigma_sgd + 0.25 * eta * p->clip * p->clip / p->rho);
    double off = finf_spectrum_describe(s).resolution * out->d / out->trace;
    out->floor = finf_real_make(floor, (32 * FINF_EPS + off) * floor, "closed form");
}

/* All that is known of a noise whose gamma2 did not settle: what independent noise would have. */
static void without_noise(double eta, const finf_linreg_options *o, const spectral_measure *m,
                          finf_linreg_result *out)
{
    const finf_privacy_setting *p = &o->privacy;
    if (!o->optimum || !out->stable) return;
    sums_t s = sum_directions(m, eta, o->kurtosis, 1, NULL, 0);
    out->sgd = independent(0.5 * eta / out->D, out->D_error / out->D,
                           p->clip * p->clip / (2 * p->rho), p->sigma_sgd * p->sigma_sgd, &s);
}

/* Whether eta is small enough, from D, and where it is not: what is +inf, and why. The exact value
 * and its optimum need D > 0 (theory 5.1), the upper bound eta (R^2 + lambda_1) < 2 (5.2). */
static finf_status judge_step(double eta, const finf_spectrum *s, const finf_linreg_options *o,
                              double D, finf_linreg_result *out)
{
    out->D = D;
    out->stable = out->D > 0;
    if (!out->stable) {
        finf_real best;
        finf_status status = finf_linreg_eta_max_with(s, o, &best, NULL);
        if (status == FINF_ENOMEM) return finf_why(&out->reason, FINF_ENOMEM, "no memory");
        if (status && finf_cancelled(o->cancel))
            return finf_why(&out->reason, FINF_ETOL, "stopped");
        out->exact = finf_real_infinite("closed second moment");
        out->optimum = out->sgd = out->exact;
        finf_why(&out->reason, FINF_OK,
                 "eta = %s diverges in mean square: the largest stable eta is %.6g",
                 finf_show(eta).s, best.value);
    }
    double reach = eta * (out->R2 + out->lambda_max);
    if (!(reach < 2)) {
        out->upper = finf_real_infinite("theorem for bounded fourth moments");
        finf_why(&out->upper_reason, FINF_OK, "upper needs eta (R^2 + lambda_1) < 2, here %.6g",
                 reach);
    }
    return FINF_OK;
}

finf_status finf_linreg(const finf_noise *noise, double eta, const finf_spectrum *s,
                        const finf_linreg_options *opt, finf_linreg_result *out)
{
    finf_linreg_options o = opt ? *opt : finf_linreg_options_default();
    *out = finf_linreg_failed();
    finf_status status = check(eta, s, &o, &out->reason);
    if (status) return status;
    describe_inputs(eta, s, &o, out);
    if (!optimizer_is_plain(o.optimizer)) {
        out->floor = finf_real_failed(); /* that of theory 11.3 takes its place */
        return linreg_with_optimizer(noise, eta, s, &o, out);
    }
    finf_sensitivity sens;
    finf_status known = finf_noise_sensitivity(noise, &sens);
    out->gamma2 = sens.gamma2;
    out->reason = sens.reason;
    if (known && known != FINF_ETOL) return known; /* undecided: stability does not need it */
    spectral_measure m;
    status = spectral_measure_make(s, linreg_separate_above(eta, o.kurtosis), &m);
    if (status) return finf_why(&out->reason, status, "no memory");
    finf_real D = linreg_margin(&m, eta, o.kurtosis);
    out->D_error = D.error;
    status = judge_step(eta, s, &o, D.value, out);
    if (!status && known) {
        without_noise(eta, &o, &m, out);
        status = known;
    } else if (!status && eta * out->lambda_max >= 2) { /* even the mean of theta diverges */
        out->lti = out->optimum_lti = finf_real_infinite("sum over directions");
    } else if (!status) {
        double *work = malloc(3 * m.n * sizeof *work);
        status = work ? sums(noise, eta, &o, &m, D.error, work, out)
                      : finf_why(&out->reason, FINF_ENOMEM, "no memory");
        free(work);
    }
    spectral_measure_free(&m);
    return status;
}

/* For chosen eigenvalues lambda_k: T(b_k), and what that direction contributes to exact,
 * (1/2) q_k/(e_k D), and to lti, (1/2) q_k/(2 - b_k) (theory 5.1, 5.2).   domain: b_1 < 2 */
finf_status finf_linreg_directions(const finf_noise *noise, double eta, const finf_spectrum *s,
                                   const finf_linreg_options *opt, const double *k, size_t n,
                                   finf_direction *out, finf_reason *why)
{
    finf_linreg_options o = opt ? *opt : finf_linreg_options_default();
    for (size_t j = 0; j < n; j++) out[j] = (finf_direction){NAN, NAN, NAN, NAN};
    finf_status status = check(eta, s, &o, why);
    int plain = optimizer_is_plain(o.optimizer);
    if (!status && plain && !(eta * finf_spectrum_max(s) < 2))
        status = finf_why(why, FINF_EDOM, "eta * lambda_max = %s: must be below 2",
                          finf_show(eta * finf_spectrum_max(s)).s);
    for (size_t j = 0; j < n && !status; j++)
        if (isnan(finf_spectrum_at(s, k[j])))
            status = finf_why(why, FINF_EDOM, "direction %s: must be a whole number from 1 to %s",
                              finf_show(k[j]).s, finf_show(finf_spectrum_dim(s)).s);
    if (status || n == 0) return status;
    if (!plain) return linreg_directions_with_optimizer(noise, eta, s, &o, k, n, out, why);
    finf_sensitivity sens = {.minimum_phase = 0};
    spectral_measure m;
    double *b = malloc(2 * n * sizeof *b), *T = b ? b + n : NULL;
    status = b ? finf_noise_sensitivity(noise, &sens) : FINF_ENOMEM;
    if (status && why) *why = sens.reason;
    if (!status) {
        for (size_t j = 0; j < n; j++) b[j] = eta * finf_spectrum_at(s, k[j]);
        status = finf_noise_energy(noise, b, n, T, NULL, why);
    }
    if (!status) status = spectral_measure_make(s, linreg_separate_above(eta, o.kurtosis), &m);
    if (status == FINF_ENOMEM) finf_why(why, status, "no memory for %zu directions", n);
    if (!status) {
        double D = linreg_margin(&m, eta, o.kurtosis).value,
               sigma2 = o.privacy.clip * o.privacy.clip * sens.gamma2.value / (2 * o.privacy.rho);
        for (size_t j = 0; j < n; j++) {
            double lambda = finf_spectrum_at(s, k[j]);
            double q = eta * (o.privacy.sigma_sgd * o.privacy.sigma_sgd * lambda + sigma2 * T[j]);
            out[j] = (finf_direction){
                lambda, T[j], D > 0 ? 0.5 * q / ((2 - (2 + o.kurtosis) * b[j]) * D) : INFINITY,
                0.5 * q / (2 - b[j])};
        }
        spectral_measure_free(&m);
    }
    free(b);
    return status;
}
