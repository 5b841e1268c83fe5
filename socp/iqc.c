/* finf_iqc: grid, basis, program, solver, recomputation, certificate. MATH section 7. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bounds.h"
#include "socp.h"

finf_iqc_options finf_iqc_options_default(void)
{
    return (finf_iqc_options){.privacy = finf_privacy_setting_default(), .smooth = 1, .dim = 1, .gap = 1e-8};
}

/* unit: that of unit-variance noise too */
static finf_status infinite(finf_iqc_result *out, int unit, const char *why)
{
    if (unit) out->unit_bound = out->quadratic_lower = out->unit_quadratic_lower = INFINITY;
    out->bound = (finf_real){INFINITY, 0, FINF_BOUND, ""};
    snprintf(out->reason.text, sizeof out->reason.text, "%s", why);
    return FINF_OK;
}

/* Solve and recompute for L = 1; fills the solver's part of the result and the unit bounds. */
static finf_status solve_unit(const socp_model *mo, const finf_noise *noise, double kappa, const finf_iqc_options *opt,
                              socp_weights weights, finf_iqc_result *out, socp_recomputed *re, socp_certificate *cert,
                              socp_multipliers *kept)
{
    int causal = socp_is_causal(opt->bound);
    size_t lags = opt->fir ? opt->fir : socp_basis_lags(noise, mo->eta, causal);
    size_t reach = socp_basis_reach(lags, opt->multipliers);
    int gaussian = opt->bound == FINF_IQC_GAUSSIAN && weights.dp > 0;
    if (gaussian && reach < SOCP_STEIN_LAGS) reach = SOCP_STEIN_LAGS;
    socp_grid grid = {0};
    socp_basis basis = {0};
    socp_program prog = {0};
    socp_outcome so = {.status = "not started", .code = -1};
    double *x = NULL;
    finf_status st = socp_grid_make(noise, mo->eta, mo->mu, reach, opt->grid_uniform, &grid);
    if (st == FINF_OK) st = socp_basis_make(mo->eta, mo->mu, lags, !opt->fir, opt->multipliers, causal, &basis);
    if (st == FINF_OK && gaussian) st = socp_stein_make(mo, noise, &basis, &out->reason);
    if (st == FINF_OK) st = socp_program_make(mo, noise, &grid, &basis, weights, &prog);
    if (st == FINF_OK && !(x = malloc(prog.n * sizeof *x))) st = FINF_ENOMEM;
    if (st == FINF_OK) {
        socp_solve_options s = {.tol = opt->gap, .cancel = opt->cancel, .cancel_data = opt->cancel_data};
        st = (opt->solver == FINF_IQC_ECOS ? socp_ecos : socp_newton)(&prog, &s, x, &so);
        out->solver_status = so.status, out->solver_code = so.code, out->iterations = so.iterations;
        out->grid_value = so.value, out->solver_gap = so.gap;
        out->grid_points = grid.n, out->basis_size = prog.n;
        if (st != FINF_OK)
            snprintf(out->reason.text, sizeof out->reason.text, "%s: %s (code %d, relative gap %.1e)%s", out->solver,
                     so.status, so.code, so.gap, opt->solver == FINF_IQC_ECOS ? ": the Newton solver may do better" : "");
        /* Newton's iterates are feasible, so an unfinished one is still a bound; ECOS's are a number with code 0 only */
        if (so.code == 0 || (opt->solver == FINF_IQC_NEWTON && st == FINF_ETOL)) {
            finf_status rs = socp_recompute(mo, noise, &grid, &basis, weights, so.value, x, re);
            if (st == FINF_OK && rs == FINF_ETOL)
                snprintf(out->reason.text, sizeof out->reason.text, "recomputation did not converge");
            if (st == FINF_OK) st = rs;
            if (opt->certify && (isfinite(re->dp.value) || isfinite(re->sgd.value))) {
                finf_status cs = socp_certify(mo, kappa, noise, &grid, &basis, x, weights, re, opt->cancel,
                                              opt->cancel_data, cert);
                if (st == FINF_OK && cs != FINF_OK) st = cs, out->reason = cert->reason;
            }
        }
    }
    if (kept && st != FINF_ENOMEM) {
        *kept = (socp_multipliers){.basis = basis, .x = x};
        basis = (socp_basis){0}, x = NULL;
    }
    free(x);
    socp_program_free(&prog);
    socp_basis_free(&basis);
    socp_grid_free(&grid);
    return st;
}

/* kappa = 1: g = L theta exactly, and the bound is the quadratic's value. Its certificate is h = 0, X = 0: m vanishes. */
static finf_status solve_exact(const finf_noise *noise, double eta, const finf_iqc_options *opt, socp_weights weights,
                               finf_iqc_result *out, socp_recomputed *re, socp_certificate *cert)
{
    double h, x[3] = {0, 0, 0};
    finf_status st = socp_quadratic(noise, eta, 1, 0, 0, &re->dp, &h);
    re->sgd = (finf_real){eta / (2 * (2 - eta)), 0, FINF_ESTIMATE, "closed form"};
    re->a_min = 1;
    out->solver = "exact", out->solver_status = "optimal", out->solver_gap = 0;
    out->grid_value = weights.dp * re->dp.value + weights.sgd * re->sgd.value;
    if (opt->certify && st == FINF_OK) {
        socp_model mo = socp_model_make(eta, 1, 0);
        mo.eta_rounded = opt->smooth != 1;
        socp_term one = {1, 1, 1};
        socp_basis none = {.nh = 3, .terms = 1, .h = &one, .plus = 1};
        socp_grid grid;
        st = socp_grid_make(noise, eta, 1, 1, 0, &grid);
        if (st != FINF_OK) return st;
        st = socp_certify(&mo, 1, noise, &grid, &none, x, weights, re, opt->cancel, opt->cancel_data, cert);
        if (st != FINF_OK) out->reason = cert->reason;
        socp_grid_free(&grid);
    }
    return st;
}

static finf_iqc_result empty(const finf_iqc_options *o)
{
    finf_real none = {NAN, INFINITY, FINF_ESTIMATE, ""};
    return (finf_iqc_result){.gamma2 = none,
                             .bound = none,
                             .unit_bound = NAN,
                             .unit_sgd = NAN,
                             .quadratic_lower = NAN,
                             .unit_quadratic_lower = NAN,
                             .quadratic_h = NAN,
                             .minimax_lower = NAN,
                             .grid_value = NAN,
                             .solver_gap = INFINITY,
                             .certified_upper = NAN,
                             .a_min = NAN,
                             .solver = o->solver == FINF_IQC_ECOS ? "ecos" : "newton",
                             .solver_status = "not started"};
}

/* The domain, the sensitivity, and what diverges: *stop is set where there is nothing to solve. */
static finf_status begin(const finf_noise *noise, double eta, double kappa, const finf_iqc_options *o,
                         finf_sensitivity *sens, int *stop, finf_iqc_result *out)
{
    const finf_privacy_setting *pr = &o->privacy;
    *stop = 1;
    if (!(kappa >= 1 && isfinite(kappa) && eta > 0 && isfinite(eta) && o->smooth >= 1e-50 && o->smooth <= 1e50 &&
          o->dim >= 1 && pr->rho > 0 && pr->clip >= 0 && pr->sigma_sgd >= 0 && o->gap > 0))
        return finf_why(&out->reason, FINF_EDOM,
                        "needs kappa >= 1, eta > 0, L from 1e-50 to 1e50, d >= 1, rho > 0, clip >= 0, sigma_sgd >= 0");
    finf_privacy_setting usual = *pr; /* the domain of every problem, and here clip = 0: no privacy noise */
    if (pr->clip == 0) usual.clip = 1;
    finf_status st = finf_setting_check(1, &usual, &out->reason);
    if (st != FINF_OK) return st;
    out->minimax_lower = finf_iqc_minimax(eta, kappa, socp_is_dist(o->bound), o->smooth, o->dim, pr);
    st = finf_noise_sensitivity(noise, sens);
    if (st != FINF_OK) return out->reason = sens->reason, st;
    out->gamma2 = sens->gamma2;
    double e = eta * o->smooth, slow = e / kappa, T;
    if (!(e < 2)) {
        out->unit_sgd = INFINITY, out->quadratic_h = o->smooth;
        return infinite(out, 1, "eta L >= 2: the quadratic of curvature L diverges");
    }
    finf_reason why = {{0}}; /* a strategy or BLT may have a finite gamma and a beta that grows */
    st = finf_noise_energy(noise, &slow, 1, &T, NULL, &why);
    if (st != FINF_OK && st != FINF_ETOL) return out->reason = why, st;
    if (isinf(T)) return infinite(out, 1, why.text); /* every quadratic diverges: no one curvature */
    double dp = socp_unit_weights(o).dp;
    if (!isfinite(dp * sens->gamma2.value) && isfinite(sens->gamma2.value))
        return finf_why(&out->reason, FINF_EDOM,
                        "d G^2/(2 rho) = %g overflows: rho = %g is too small, or clip = %g too large", dp, pr->rho,
                        pr->clip);
    *stop = 0;
    return FINF_OK;
}

/* Beside the bound: the worst quadratic. sigma2 = d sigma^2. */
static finf_status worst_quadratic(const finf_noise *noise, double eta, double kappa, const finf_iqc_options *o, int dist,
                                   double sigma2, finf_iqc_result *out)
{
    double L = o->smooth, e = eta * L, sgd2 = o->privacy.sigma_sgd * o->privacy.sigma_sgd;
    finf_real quad = {NAN, INFINITY, FINF_ESTIMATE, ""};
    finf_status st = socp_quadratic(noise, e, kappa, dist, 0, &quad, &out->quadratic_h);
    out->unit_quadratic_lower = quad.value / L;
    if (sgd2 > 0 && sigma2 > 0 && isfinite(sigma2))
        st = socp_quadratic(noise, e, kappa, dist, sgd2 / sigma2, &quad, &out->quadratic_h);
    out->quadratic_lower = sigma2 * quad.value / L;
    if (!(sigma2 > 0)) { /* only gradient noise: L is worst for F; for dist the end where h (2 - eta h) is least */
        double h = dist && e * (1 + 1 / kappa) < 2 ? 1 / kappa : 1;
        out->quadratic_h = h;
        out->quadratic_lower = sgd2 * eta / (2 * (dist ? h : 1) * (2 - e * h));
    }
    out->quadratic_h *= L;
    return st;
}

finf_status socp_iqc(const finf_noise *noise, double eta, double kappa, const finf_iqc_options *opt, finf_iqc_result *out,
                     socp_multipliers *kept)
{
    double t0 = finf_seconds();
    finf_iqc_options o = opt ? *opt : finf_iqc_options_default();
    finf_sensitivity sens;
    int stop, dist = socp_is_dist(o.bound);
    *out = empty(&o);
    finf_status st = begin(noise, eta, kappa, &o, &sens, &stop, out);
    if (st != FINF_OK || stop) return st;

    /* L = 1 from here on; an infinite sensitivity, or no noise at all, leaves the unit bound to be found */
    double e = eta * o.smooth, L = o.smooth, gamma2 = sens.gamma2.value;
    int finite = isfinite(gamma2);
    socp_weights weight = socp_unit_weights(&o), use = {1, 0};
    weight.dp *= gamma2;
    if (finite && (weight.dp > 0 || weight.sgd > 0)) use = weight;
    socp_model mo = socp_model_make(e, kappa, dist);
    mo.eta_rounded = L != 1;
    socp_recomputed re = {.dp = out->bound, .sgd = out->bound};
    socp_certificate cert = {.dp_upper = NAN, .sgd_upper = NAN};
    st = kappa == 1 ? solve_exact(noise, e, &o, use, out, &re, &cert)
                    : solve_unit(&mo, noise, kappa, &o, use, out, &re, &cert, kept);
    out->grid_value /= L;
    out->unit_bound = use.dp > 0 ? re.dp.value / L : NAN;
    out->unit_sgd = use.sgd > 0 ? re.sgd.value / L : NAN;
    out->a_min = re.a_min, out->repair = re.repair;

    double plain = o.dim * o.privacy.clip * o.privacy.clip * gamma2 / (2 * o.privacy.rho);
    finf_status lower = worst_quadratic(noise, eta, kappa, &o, dist, plain, out);
    if (st == FINF_OK && lower != FINF_OK)
        st = finf_why(&out->reason, lower, "the worst quadratic was not found to its accuracy");
    out->seconds = finf_seconds() - t0 - cert.seconds, out->certify_seconds = cert.seconds;
    if (!finite) return infinite(out, 0, sens.reason.text);

    double value = (weight.dp > 0 ? weight.dp * re.dp.value : 0) + (weight.sgd > 0 ? weight.sgd * re.sgd.value : 0);
    double err = (weight.dp > 0 ? weight.dp * re.dp.error : 0) + (weight.sgd > 0 ? weight.sgd * re.sgd.error : 0);
    if (!isnan(value))
        out->bound = (finf_real){value / L, err / L + fabs(value / L) * sens.gamma2.error / gamma2, FINF_ESTIMATE,
                                 "multipliers recomputed on the continuum"};
    if (cert.certified) {
        double up = (weight.dp > 0 ? weight.dp * (cert.gamma2_upper / gamma2) * cert.dp_upper : 0) +
                    (weight.sgd > 0 ? weight.sgd * cert.sgd_upper : 0);
        out->certified = 1;
        out->certified_upper = nextafter(up / L * (1 + 1e-14), INFINITY);
    }
    return st;
}

finf_status finf_iqc(const finf_noise *noise, double eta, double kappa, const finf_iqc_options *opt, finf_iqc_result *out)
{
    return socp_iqc(noise, eta, kappa, opt, out, NULL);
}
