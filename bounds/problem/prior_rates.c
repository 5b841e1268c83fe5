/* The noise of prior work (paper, Table 2): its damping, how its sensitivity grows, and the paper's
 * rate of F_inf with unit constants. */
#include "bounds.h"

double finf_nu_of_paper(double eta, double mu)
{
    return isnan(eta) || isnan(mu) ? NAN : fmin(eta * mu, 1);
}

/* The nu with the least F_inf of B(z) = 1 - (1-nu) z.
 * formula:  the part of F_inf that depends on nu is (A nu^2 + 2(1-nu) B)/(nu(2-nu)) with B = sum_j
 *           b_j/(2(1-b_j)) = 1-D and A = sum_j 1/(2(1-b_j)) = B + d/2: the zero of (d/2) nu^2 + 2B
 *           nu - 2B (theory 5)
 * domain:   0 < D < 1, where DP-SGD converges
 * method:   the quadratic's root as a quotient, in which nothing cancels
 * accuracy: a few ulp of 1-D */
static finf_real best_damping(double d, double D, double D_error)
{
    double B = 1 - D, nu = 2 * B / (B + sqrt(B * B + d * B));
    /* nu = 2/(1 + sqrt(1 + d/B)) moves by at most half of what B does, relative to both */
    double off = (D_error + FINF_EPS * (1 + fabs(D))) / B;
    return finf_real_make(nu, nu * (off / (1 - fmin(off, 0.5)) + 6 * FINF_EPS), "quadratic");
}

static finf_status find_damping(finf_prior which, const finf_spectrum *H, double eta,
                                const finf_privacy_setting *set, finf_real *nu, finf_reason *why)
{
    double d = finf_spectrum_dim(H), mu = finf_spectrum_min(H);
    double decades = fabs(log(mu / finf_spectrum_max(H))); /* an eigenvalue's digits fall off */
    finf_real trace = {finf_spectrum_trace(H), finf_spectrum_trace_error(H), ""};
    finf_real energy = finf_real_times(finf_real_rounded(eta / d, 1), trace);
    *nu = finf_real_exact(0);
    if (which == FINF_PRIOR_NU) *nu = finf_real_rounded(finf_nu_of_paper(eta, mu), 4 + 2 * decades);
    if (which == FINF_PRIOR_DAMPED || which == FINF_PRIOR_DAMPED_BEST) *nu = finf_real_root(energy);
    if (nu->value >= 1) *nu = finf_real_exact(1);
    if (which != FINF_PRIOR_DAMPED_BEST) return FINF_OK;
    finf_linreg_options o = finf_linreg_options_default();
    finf_linreg_result r;
    finf_noise *sgd = NULL;
    o.privacy = *set;
    o.optimum = 0;
    finf_status s = finf_noise_sgd(&sgd);
    if (!s && (s = finf_linreg(sgd, eta, H, &o, &r)) && why) *why = r.reason;
    if (!s && r.D > 0 && r.D < 1) *nu = best_damping(d, r.D, r.D_error);
    finf_noise_free(sgd);
    return s;
}

/* gamma_T^2, or gamma_inf^2 where it is finite: its constant tends to 1/pi for CC and nu, to 1 for
 * anti-PGD and to 1/2 for the damped one, as T grows or nu -> 0. */
static finf_real growth(finf_prior which, double nu, double T)
{
    switch (which) {
    case FINF_PRIOR_CC: return finf_real_log(finf_real_exact(T));
    case FINF_PRIOR_NU: return finf_real_log(finf_real_rounded(1 / nu, 1));
    case FINF_PRIOR_ANTIPGD: return finf_real_exact(T);
    default: return finf_real_rounded(1 / nu, 1);
    }
}

/* nu: eta^2 G^2 rho^-1 Tr H log^2(1/nu); damped anti-PGD: eta^(3/2) G^2 rho^-1 sqrt(d Tr H); the
 * two with infinite sensitivity: +inf. */
static finf_real rate(finf_prior which, const finf_spectrum *H, double eta, double unit, double nu)
{
    finf_real trace = {finf_spectrum_trace(H), finf_spectrum_trace_error(H), ""};
    finf_real l = finf_real_log(finf_real_rounded(1 / nu, 1)), d = {finf_spectrum_dim(H), 0, ""};
    switch (which) {
    case FINF_PRIOR_NU:
        return finf_real_times(finf_real_times(finf_real_rounded(eta * eta * unit, 4), trace),
                               finf_real_times(l, l));
    case FINF_PRIOR_DAMPED:
    case FINF_PRIOR_DAMPED_BEST:
        return finf_real_times(finf_real_rounded(pow(eta, 1.5) * unit, 5),
                               finf_real_root(finf_real_times(d, trace)));
    default: return finf_real_infinite("closed form");
    }
}

/* Table 2 for one noise at one T.
 * domain:   1e-50 <= eta, T > 0, rho and G as everywhere; else FINF_EDOM
 * method:   the formulas above; D of the best damping is finf_linreg's for DP-SGD
 * accuracy: the rates are exact formulas, to rounding; as laws of F_inf they are up to constants */
finf_status finf_rates_prior(finf_prior which, const finf_spectrum *s, double eta,
                             const finf_privacy_setting *set, double T, finf_prior_rates *out,
                             finf_reason *why)
{
    finf_privacy_setting p = set ? *set : finf_privacy_setting_default();
    finf_real nu, none = finf_real_failed();
    *out = (finf_prior_rates){none, none, none};
    finf_status status = finf_setting_check(eta, &p, why);
    if (!status) status = finf_choice_check("prior", (int)which, FINF_PRIOR_COUNT - 1, why);
    if (!status && !(T > 0))
        status = finf_why(why, FINF_EDOM, "T = %s: must be positive", finf_show(T).s);
    if (!status) status = find_damping(which, s, eta, &p, &nu, why);
    if (status) return status;
    *out = (finf_prior_rates){nu, growth(which, nu.value, T),
                              rate(which, s, eta, p.clip * p.clip / p.rho, nu.value)};
    return FINF_OK;
}
