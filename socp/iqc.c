/* finf_iqc: grid, basis, program, solver, recomputation, certificate. MATH section 7. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "socp.h"

finf_iqc_options finf_iqc_options_default(void)
{
    return (finf_iqc_options){.privacy = finf_privacy_setting_default(), .smooth = 1, .dim = 1, .gap = 1e-8};
}

double socp_now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static finf_status infinite(finf_iqc_result *out, const char *why)
{
    out->bound = (finf_real){INFINITY, 0, FINF_BOUND, ""};
    snprintf(out->reason.text, sizeof out->reason.text, "%s", why);
    return FINF_OK;
}

/* Solve and recompute for L = 1; fills the solver's part of the result and the unit bounds. */
static finf_status solve_unit(const socp_model *mo, const finf_noise *noise, double kappa, const finf_iqc_options *opt,
                              socp_weights weights, finf_iqc_result *out, socp_recomputed *re, socp_certificate *cert)
{
    int causal = opt->bound == FINF_IQC_SHARP || opt->bound == FINF_IQC_SHARP_DIST;
    size_t lags = opt->fir ? opt->fir : socp_basis_lags(noise, mo->eta);
    socp_grid grid = {0};
    socp_basis basis = {0};
    socp_program prog = {0};
    socp_outcome so = {.status = "not started", .code = -1};
    double *x = NULL;
    finf_status st = socp_grid_make(noise, mo->eta, mo->mu, lags, opt->grid_uniform, &grid);
    if (st == FINF_OK) st = socp_basis_make(mo->eta, mo->mu, lags, !opt->fir, opt->multipliers, causal, &basis);
    if (st == FINF_OK) st = socp_program_make(mo, noise, &grid, &basis, weights, &prog);
    if (st == FINF_OK && !(x = malloc(prog.n * sizeof *x))) st = FINF_ENOMEM;
    if (st == FINF_OK) {
        socp_solve_options s = {.tol = opt->gap, .cancel = opt->cancel, .cancel_data = opt->cancel_data};
        st = (opt->solver == FINF_IQC_ECOS ? socp_ecos : socp_newton)(&prog, &s, x, &so);
        out->solver_status = so.status, out->solver_code = so.code, out->iterations = so.iterations;
        out->grid_value = so.value, out->solver_gap = so.gap;
        out->grid_points = grid.n, out->basis_size = prog.n;
        if (st != FINF_OK)
            snprintf(out->reason.text, sizeof out->reason.text, "%s: %s (code %d, relative gap %.1e)", out->solver,
                     so.status, so.code, so.gap);
        /* Newton's iterates are feasible, so an unfinished one is still a bound; ECOS's are a number with code 0 only */
        if (so.code == 0 || (opt->solver == FINF_IQC_NEWTON && st == FINF_ETOL)) {
            finf_status rs = socp_recompute(mo, noise, &grid, &basis, weights, so.value, x, re);
            if (st == FINF_OK && rs == FINF_ETOL)
                snprintf(out->reason.text, sizeof out->reason.text, "recomputation did not converge");
            if (st == FINF_OK) st = rs;
            if (opt->certify && (isfinite(re->dp.value) || isfinite(re->sgd.value))) {
                finf_status cs = socp_certify(mo, kappa, noise, &basis, x, weights, re, cert);
                if (st == FINF_OK && cs != FINF_OK) st = cs, out->reason = cert->reason;
            }
        }
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
        socp_term one = {1, 1};
        socp_basis none = {.nh = 3, .terms = 1, .h = &one, .plus = 1};
        st = socp_certify(&mo, 1, noise, &none, x, weights, re, cert);
        if (st != FINF_OK) out->reason = cert->reason;
    }
    return st;
}

finf_status finf_iqc(const finf_noise *noise, double eta, double kappa, const finf_iqc_options *opt, finf_iqc_result *out)
{
    double t0 = socp_now();
    finf_iqc_options o = opt ? *opt : finf_iqc_options_default();
    finf_real none = {NAN, INFINITY, FINF_ESTIMATE, ""};
    *out = (finf_iqc_result){.gamma2 = none,
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
                             .solver = o.solver == FINF_IQC_ECOS ? "ecos" : "newton",
                             .solver_status = "not started"};
    finf_privacy_setting *pr = &o.privacy;
    if (!(kappa >= 1 && isfinite(kappa) && eta > 0 && isfinite(eta) && o.smooth > 0 && o.dim >= 1 && pr->rho > 0 &&
          pr->clip >= 0 && pr->sigma_sgd >= 0 && o.gap > 0)) {
        snprintf(out->reason.text, sizeof out->reason.text,
                 "needs kappa >= 1, eta > 0, L > 0, d >= 1, rho > 0, clip >= 0, sigma_sgd >= 0");
        return FINF_EDOM;
    }
    finf_sensitivity sens;
    finf_status st = finf_noise_sensitivity(noise, &sens);
    if (st != FINF_OK) return out->reason = sens.reason, st;
    out->gamma2 = sens.gamma2;
    double e = eta * o.smooth, L = o.smooth;
    if (!(e < 2)) {
        out->quadratic_lower = out->unit_quadratic_lower = out->minimax_lower = INFINITY, out->quadratic_h = L;
        return infinite(out, "eta L >= 2: the quadratic of curvature L diverges");
    }

    double slow = e / kappa, T; /* a strategy or BLT may have a finite gamma and a beta that grows */
    st = finf_noise_energy(noise, &slow, 1, &T, NULL, &out->reason);
    if (st != FINF_OK && st != FINF_ETOL) return st;
    if (isinf(T)) {
        finf_reason why = out->reason;
        return infinite(out, why.text);
    }
    out->reason.text[0] = '\0';

    int dist = o.bound == FINF_IQC_DIST || o.bound == FINF_IQC_SHARP_DIST;
    double sigma2 = o.dim * pr->clip * pr->clip * sens.gamma2.value / (2 * pr->rho), sgd2 = pr->sigma_sgd * pr->sigma_sgd;
    int paper = o.constants == FINF_IQC_CONSTANTS_PAPER; /* 2L d (G^2 gamma^2/rho |B|^2 + sigma_sgd^2)      MATH 7.3 */
    socp_weights weight = {sigma2 * (paper ? 8 : 1), sgd2 * (paper ? 4 * o.dim : 1)};
    int finite = isfinite(sigma2);
    if (!finite && isfinite(sens.gamma2.value))
        return finf_why(&out->reason, FINF_EDOM,
                        "d G^2/(2 rho) = %g overflows: rho = %g is too small, or clip = %g too large",
                        o.dim * pr->clip * pr->clip / (2 * pr->rho), pr->rho, pr->clip);
    socp_weights use = finite && (weight.dp > 0 || weight.sgd > 0) ? weight : (socp_weights){1, 0};
    if (finite && !(weight.dp > 0) && !(weight.sgd > 0)) weight = (socp_weights){0, 0};

    socp_model mo = socp_model_make(e, kappa, dist);
    mo.eta_rounded = L != 1;
    socp_recomputed re = {.dp = none, .sgd = none};
    socp_certificate cert = {.dp_upper = NAN, .sgd_upper = NAN};
    st = kappa == 1 ? solve_exact(noise, e, &o, use, out, &re, &cert)
                    : solve_unit(&mo, noise, kappa, &o, use, out, &re, &cert);
    out->grid_value /= L;
    out->unit_bound = use.dp > 0 ? re.dp.value / L : NAN;
    out->unit_sgd = use.sgd > 0 ? re.sgd.value / L : NAN;
    out->a_min = re.a_min, out->repair = re.repair;

    finf_real quad = none;
    socp_quadratic(noise, e, kappa, dist, 0, &quad, &out->quadratic_h);
    out->unit_quadratic_lower = quad.value / L;
    if (sgd2 > 0 && finite) socp_quadratic(noise, e, kappa, dist, sigma2 > 0 ? sgd2 / sigma2 : 0, &quad, &out->quadratic_h);
    out->quadratic_lower = sigma2 * quad.value / L;
    if (!(sigma2 > 0)) { /* only gradient noise: L is worst for F; for dist the end where h (2 - eta h) is least */
        double h = dist && e * (1 + mo.mu) < 2 ? mo.mu : 1;
        out->quadratic_h = h;
        out->quadratic_lower = sgd2 * eta / (2 * (dist ? h : 1) * (2 - e * h));
    }
    out->quadratic_h *= L;
    out->minimax_lower = finf_iqc_minimax(eta, L, o.dim, pr);
    out->seconds = socp_now() - t0 - cert.seconds;
    if (!finite) return infinite(out, sens.reason.text);

    double err = weight.dp * re.dp.error + (weight.sgd > 0 ? weight.sgd * re.sgd.error : 0);
    double value = (weight.dp > 0 ? weight.dp * re.dp.value : 0) + (weight.sgd > 0 ? weight.sgd * re.sgd.value : 0);
    out->bound = (finf_real){value / L, err / L + fabs(value / L) * sens.gamma2.error / sens.gamma2.value, FINF_ESTIMATE,
                             "multipliers recomputed on the continuum"};
    if (isnan(out->bound.value)) out->bound = none;
    if (cert.certified) {
        double up = (weight.dp > 0 ? weight.dp * (cert.gamma2_upper / sens.gamma2.value) * cert.dp_upper : 0) +
                    (weight.sgd > 0 ? weight.sgd * cert.sgd_upper : 0);
        out->certified = 1;
        out->certified_upper = nextafter(up / L * (1 + 1e-14), INFINITY);
    }
    out->certify_seconds = cert.seconds;
    return st;
}
