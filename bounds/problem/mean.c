/* Mean estimation: F = (1/2) E(theta - y)^2, one dimension. (theory 4) */
#include "bounds.h"
#include "mean_optimizer.h"

finf_mean_options finf_mean_options_default(void)
{
    return (finf_mean_options){.privacy = finf_privacy_setting_default(), .optimizer = NULL};
}

finf_mean_result finf_mean_failed(void)
{
    finf_real failed = finf_real_failed();
    return (finf_mean_result){.gamma2 = failed, .F = failed, .F_optimal = failed, .F_sgd = failed};
}

/* F_inf = (1/2) (eta^2/2pi) int (|B|^2 sigma^2 + sigma_sgd^2) / |1-eta-e^{iw}|^2 dw
 *       = (1/2) eta/(2-eta) (sigma^2 T(eta) + sigma_sgd^2)
 * and beside it the same for independent noise, T = gamma = 1, and the least of any noise, which is
 * that of |B|^2 = |1-eta-e^{iw}|: (1/2) eta^2 (G^2/2rho)/AGM(1, sqrt(eta(2-eta)))^2 and the part of
 * the gradient noise.
 * domain: eta > 0; eta >= 2 diverges, which is an answer. */
finf_status finf_mean(const finf_noise *noise, double eta, const finf_mean_options *opt,
                      finf_mean_result *out)
{
    finf_mean_options o = opt ? *opt : finf_mean_options_default();
    finf_privacy_setting p = o.privacy;
    *out = finf_mean_failed();
    finf_status s = finf_setting_check(eta, &p, &out->reason);
    if (s) return s;
    if (!optimizer_is_plain(o.optimizer)) return mean_with_optimizer(noise, eta, &o, out);
    finf_sensitivity sens; /* of which an undecided one leaves what does not need it */
    finf_status known = finf_noise_sensitivity(noise, &sens);
    out->gamma2 = sens.gamma2;
    out->reason = sens.reason;
    if (known && known != FINF_ETOL) return known;
    out->stable = eta < 2;
    if (!out->stable) {
        out->F = out->F_optimal = out->F_sgd = finf_real_infinite("closed form");
        finf_why(&out->reason, FINF_OK, "eta = %s diverges: theta converges only for eta < 2",
                 finf_show(eta).s);
        return FINF_OK;
    }
    double unit = p.clip * p.clip / (2 * p.rho);
    double half = 0.5 * eta / (2 - eta);
    double sgd = half * p.sigma_sgd * p.sigma_sgd;
    finf_real agm; /* 1/AGM is gamma^2 of nu = eta */
    if ((s = finf_agm(1, sqrt(eta * (2 - eta)), &agm))) return s;
    double best = 0.5 * eta * eta * unit / (agm.value * agm.value), independent = half * unit + sgd;
    out->F_optimal = finf_real_make(best + sgd,
                                    best * 2 * agm.error / agm.value + 8 * FINF_EPS * (best + sgd),
                                    "arithmetic-geometric mean");
    out->F_sgd = finf_real_make(independent, 8 * FINF_EPS * independent, "closed form");
    if (known) return known;
    double T, relerr;
    s = finf_noise_energy(noise, &eta, 1, &T, &relerr, &out->reason);
    if (s) return s;
    double dp = half * unit * sens.gamma2.value * T;
    if (isinf(dp))
        out->F = finf_real_infinite(sens.gamma2.method);
    else
        out->F = finf_real_make(dp + sgd,
                                dp * (relerr + sens.gamma2.error / sens.gamma2.value) +
                                    8 * FINF_EPS * (dp + sgd),
                                "closed form in T(eta)");
    return FINF_OK;
}
