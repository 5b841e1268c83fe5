/* finf_iqc, the bound of one noise (theory 7). In this order: the domain; the sensitivity, and
 * what diverges; then the bound for L = 1 (unit_bound.c); last the scaling back to L and the lower
 * bounds that are printed beside it.
 *
 * The program is solved for eta L, mu/L and L = 1, whose bound for unit-variance noise is L times
 * the true one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bounds.h"
#include "bound.h"

/* The default of every enum is its zero. */
finf_iqc_options finf_iqc_options_default(void)
{
    return (finf_iqc_options){
        .privacy = finf_privacy_setting_default(), .smooth = 1, .dim = 1, .gap = 1e-8};
}

/* An infinite bound, with the reason. unit: that of unit-variance noise is infinite too. */
static finf_status infinite(finf_iqc_result *out, int unit, const char *why)
{
    finf_real diverges = {INFINITY, 0, ""};
    if (unit) {
        out->unit_bound = diverges;
        out->quadratic_lower = out->unit_quadratic_lower = diverges;
    }
    out->bound = diverges;
    return finf_why(&out->reason, FINF_OK, "%s", why);
}

/* ---- the bound, L = 1 ------------------------------------------------------------------------ */

/* kappa = 1: g = L theta exactly, and the bound is the quadratic's value. Its certificate is
 * h = 0, X = 0: m vanishes, as it is proportional to sqrt(delta) (theory 7.12). A basis has at
 * least one sequence h_t, so the one that is proved has the lag 1, with weights 0. */
static finf_status solve_exact(const finf_noise *noise, const socp_setting *s,
                               const finf_iqc_options *opt, socp_weights weights,
                               finf_iqc_result *out, socp_recomputed *re, socp_certificate *cert)
{
    double h, x[3] = {0, 0, 0};
    socp_model mo = socp_setting_model(s, 0);
    finf_status st = socp_quadratic(noise, &mo, s->averaged ? NULL : s->means, 0, 0, &re->dp, &h);
    if (st == FINF_OK) st = socp_quadratic_sgd(&mo, 0, &re->sgd, &h);
    re->a_min = 1;
    out->solver = "exact";
    out->solver_status = "optimal";
    out->solver_gap = 0;
    out->grid_value = weights.dp * re->dp.value + weights.sgd * re->sgd.value;
    if (opt->certify && st == FINF_OK) {
        socp_term one = {1, 1, 1};
        socp_basis none = {.nh = 3, .terms = 1, .h = &one, .plus = 1};
        socp_grid grid;
        st = socp_model_grid(&mo, noise, 1, 0, &grid);
        if (st != FINF_OK) return st;
        st = socp_certify(&mo, 1, noise, &grid, &none, x, weights, re, opt->cancel, cert);
        if (st != FINF_OK) out->reason = cert->reason;
        socp_grid_free(&grid);
    }
    return st;
}

finf_iqc_result socp_iqc_failed(const finf_iqc_options *o)
{
    finf_real none = {NAN, INFINITY, ""};
    return (finf_iqc_result){.gamma2 = none,
                             .bound = none,
                             .unit_bound = none,
                             .unit_sgd = none,
                             .quadratic_lower = none,
                             .unit_quadratic_lower = none,
                             .quadratic_h = NAN,
                             .minimax_lower = none,
                             .grid_value = NAN,
                             .solver_gap = INFINITY,
                             .certified_upper = NAN,
                             .a_min = NAN,
                             .solver = socp_uses_ecos(o) ? "ecos" : "newton",
                             .solver_status = "not started"};
}

/* The domain, the sensitivity, and what diverges: *stop is set where there is nothing to solve.
 * The bound is +inf, which is an answer and no failure, for eta L >= 2 and for a beta that is not
 * square-summable: T(eta mu), the energy of the slowest quadratic, is infinite then. An infinite
 * gamma alone does not stop it, as the bound for unit variance is finite. The minimax lower bound
 * is set here, before anything can diverge. */
static finf_status begin(const finf_noise *noise, socp_setting *s, const finf_iqc_options *o,
                         finf_sensitivity *sens, int *stop, finf_iqc_result *out)
{
    const finf_privacy_setting *pr = &o->privacy;
    double dp = socp_unit_weights(o).dp, h;
    finf_reason why = {{0}}; /* a strategy or BLT may have a finite gamma and a beta that grows */
    int diverges = socp_setting_diverges(s, &h, &why);
    finf_status st = FINF_OK, overflow = FINF_OK;
    *stop = 1;
    if ((s->has_loop || s->averaged) && s->has_lower && !diverges)
        st = socp_setting_means(s, noise, &s->means);
    if (st == FINF_OK) overflow = st = socp_minimax(s, s->means, o, &out->minimax_lower);
    if (st == FINF_ENOMEM) return finf_why(&out->reason, st, "no memory");
    st = finf_noise_sensitivity(noise, sens);
    if (st != FINF_OK) {
        out->reason = sens->reason;
        return st;
    }
    out->gamma2 = sens->gamma2;
    double slow = socp_setting_step(s) / s->kappa, T;
    if (diverges) {
        if (pr->sigma_sgd > 0) out->unit_sgd = finf_real_infinite("");
        out->quadratic_h = h;
        return infinite(out, 1, why.text);
    }
    st = finf_noise_energy(noise, &slow, 1, &T, NULL, &why);
    if (st != FINF_OK && st != FINF_ETOL) {
        out->reason = why;
        return st;
    }
    /* every quadratic diverges: no one curvature */
    if (isinf(T)) return infinite(out, 1, why.text);
    if (overflow || (!isfinite(dp * sens->gamma2.value) && isfinite(sens->gamma2.value)))
        return finf_why(
            &out->reason, FINF_EDOM,
            "d G^2/(2 rho) = %g overflows: rho = %g is too small, or clip = %g too large", dp,
            pr->rho, pr->clip);
    *stop = 0;
    return FINF_OK;
}

/* x times a factor that has itself a relative error. */
static finf_real scaled(finf_real x, double factor, double relerr)
{
    double value = x.value * factor;
    return (finf_real){value, x.error * factor + (relerr + 8 * FINF_EPS) * value, x.method};
}

/* The worst quadratic for unit gradient noise alone, at the reported point. */
static finf_status worst_without_privacy(const socp_setting *s, const socp_model *mo,
                                         finf_real *value, double *h)
{
    socp_loop_means *white = NULL;
    if (!s->averaged) return socp_quadratic_sgd(mo, mo->dist, value, h);
    finf_status st = socp_setting_means(s, NULL, &white);
    if (st == FINF_OK) st = socp_quadratic(NULL, mo, white, mo->dist, 0, value, h);
    socp_loop_means_free(white);
    return st;
}

/* Beside the bound: the worst quadratic (theory 7.8), first for unit DP noise alone, then for both
 * noises in the ratio they have. sigma2 = d sigma^2, which is 0 without privacy noise and +inf
 * where gamma is. */
static finf_status worst_quadratic(const finf_noise *noise, const socp_setting *s,
                                   const socp_model *mo, const finf_iqc_options *o, double sigma2,
                                   finf_iqc_result *out)
{
    double L = s->smooth;
    double sgd2 = o->privacy.sigma_sgd * o->privacy.sigma_sgd;
    double gamma_error = sigma2 > 0 && isfinite(sigma2) ? out->gamma2.error / out->gamma2.value : 0;
    finf_real quad = {NAN, INFINITY, ""};
    int dist = mo->dist;
    finf_status st = socp_quadratic(noise, mo, s->means, dist, 0, &quad, &out->quadratic_h);
    out->unit_quadratic_lower = scaled(quad, 1 / L, 0);
    if (st != FINF_OK && st != FINF_ETOL) return st;
    if (sgd2 > 0 && sigma2 > 0 && isfinite(sigma2))
        st = finf_worse(
            st, socp_quadratic(noise, mo, s->means, dist, sgd2 / sigma2, &quad, &out->quadratic_h));
    out->quadratic_lower = isinf(sigma2) ? (finf_real){INFINITY, 0, ""}
                                         : scaled(quad, sigma2 / L, gamma_error);
    if (!(sigma2 > 0)) { /* only gradient noise */
        finf_real unit = {NAN, INFINITY, ""};
        st = finf_worse(st, worst_without_privacy(s, mo, &unit, &out->quadratic_h));
        double e = mo->eta * out->quadratic_h,
               relerr = mo->loop || s->averaged ? 0 : 2 * FINF_EPS * e / (2 - e);
        unit.value /= L;
        unit.error /= L;
        out->quadratic_lower = scaled(unit, sgd2, relerr);
    }
    out->quadratic_h = out->quadratic_h * L - s->decay;
    return st;
}

/* Within the domain: all that finf_iqc returns. */
static finf_status bound_of(const finf_noise *noise, socp_setting *set, finf_iqc_options o,
                            finf_iqc_result *out, socp_multipliers *kept)
{
    double t0 = finf_seconds();
    finf_sensitivity sens;
    int stop;
    finf_status st = begin(noise, set, &o, &sens, &stop, out);
    if (st != FINF_OK || stop) return st;

    /* L = 1 from here on. weight: what the two unit bounds are multiplied by in the end. use: what
     * is solved with, the same unless an infinite sensitivity, or no noise at all, leaves the unit
     * bound to be found */
    double L = set->smooth, gamma2 = sens.gamma2.value;
    int finite = isfinite(gamma2);
    socp_weights weight = socp_unit_weights(&o), use = {1, 0};
    weight.dp *= gamma2;
    if (finite && (weight.dp > 0 || weight.sgd > 0)) use = weight;
    socp_model mo = socp_setting_model(set, socp_is_dist(o.bound));
    socp_recomputed re = {.dp = out->bound, .sgd = out->bound};
    socp_certificate cert = {.dp_upper = NAN, .sgd_upper = NAN};
    st = set->kappa == 1 ? solve_exact(noise, set, &o, use, out, &re, &cert)
                         : socp_solve_unit(&mo, noise, set->kappa, &o, use, out, &re, &cert, kept);
    out->grid_value /= L;
    if (use.dp > 0) out->unit_bound = finf_real_over(re.dp, finf_real_exact(L));
    if (use.sgd > 0) out->unit_sgd = finf_real_over(re.sgd, finf_real_exact(L));
    out->a_min = re.a_min;
    out->repair = re.repair;

    /* d sigma^2 with the sharp constants, whatever was asked for: the quadratic is attained, and
     * no constant of a proof enters */
    double plain = o.dim * o.privacy.clip * o.privacy.clip * gamma2 / (2 * o.privacy.rho);
    finf_status lower = set->has_lower ? worst_quadratic(noise, set, &mo, &o, plain, out) : FINF_OK;
    if (st == FINF_OK && !set->has_lower && !out->reason.text[0])
        finf_why(&out->reason, FINF_OK,
                 "no lower bounds: averages over the last K points have them up to K = %d",
                 SOCP_LAST_MOST);
    if (st == FINF_OK && lower == FINF_ETOL)
        finf_why(&out->reason, lower, "the worst quadratic was not found to its accuracy");
    if (st == FINF_OK || (st == FINF_ETOL && lower != FINF_OK)) st = lower;
    if (st != FINF_OK && st != FINF_ETOL) { /* a part that failed leaves no number standing */
        finf_reason why = out->reason;
        *out = socp_iqc_failed(&o);
        out->reason = why;
        return st;
    }
    out->seconds = finf_seconds() - t0 - cert.seconds;
    out->certify_seconds = cert.seconds;
    if (st == FINF_OK && isinf(re.dp.value) && isinf(re.sgd.value)) {
        out->bound = (finf_real){INFINITY, 0, ""};
        return finf_why(&out->reason, st,
                        "no multiplier of this class proves convergence (%s), though every "
                        "quadratic is stable",
                        finf_iqc_class_name(o.multipliers));
    }
    if (!finite) {
        finf_reason failed = out->reason; /* of the unit bound */
        infinite(out, 0, sens.reason.text);
        if (st != FINF_OK) out->reason = failed;
        return st;
    }

    /* the weighted sum of theory 7.3; a part without weight may be NaN, and is left out. gamma^2
     * has an error of its own */
    double value = (weight.dp > 0 ? weight.dp * re.dp.value : 0) +
                   (weight.sgd > 0 ? weight.sgd * re.sgd.value : 0);
    double err = (weight.dp > 0 ? weight.dp * re.dp.error : 0) +
                 (weight.sgd > 0 ? weight.sgd * re.sgd.error : 0);
    if (!isnan(value))
        out->bound = (finf_real){value / L, err / L + fabs(value / L) * sens.gamma2.error / gamma2,
                                 "multipliers recomputed on the continuum"};
    /* gamma^2 gives way to the upper end that was proved; this line's own roundings are far below
     * 1e-14 */
    if (cert.certified) {
        double up = (weight.dp > 0 ? weight.dp * (cert.gamma2_upper / gamma2) * cert.dp_upper : 0) +
                    (weight.sgd > 0 ? weight.sgd * cert.sgd_upper : 0);
        out->certified = 1;
        out->certified_upper = nextafter(up / L * (1 + 1e-14), INFINITY);
    }
    return st;
}

finf_status socp_iqc(const finf_noise *noise, double eta, double kappa, const finf_iqc_options *opt,
                     finf_iqc_result *out, socp_multipliers *kept)
{
    finf_iqc_options o = opt ? *opt : finf_iqc_options_default();
    *out = socp_iqc_failed(&o);
    finf_status st = socp_check(eta, kappa, &o, &out->reason);
    if (st != FINF_OK) return st;
    socp_setting set = socp_setting_make(eta, kappa, o.smooth, o.optimizer);
    st = bound_of(noise, &set, o, out, kept);
    socp_loop_means_free(set.means);
    return st;
}

finf_status finf_iqc(const finf_noise *noise, double eta, double kappa, const finf_iqc_options *opt,
                     finf_iqc_result *out)
{
    return socp_iqc(noise, eta, kappa, opt, out, NULL);
}
