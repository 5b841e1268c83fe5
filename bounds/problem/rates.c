/* The rates of the paper's Tables 1 and 3 with unit constants, to stand beside exact values.
 * (theory 5.4) */
#include "bounds.h"

/* Table 3, for lambda_k = k^-a, k <= d, with its row 1/k^2 corrected to log^2 (theory 10.5):
 *     sgd         eta d G^2/rho
 *     nu = eta mu eta^2 G^2/rho times      a = 0: d log^2(1/eta)
 *                                          a < 1: d^{1-a}/(1-a) log^2(d/eta)
 *                                          a = 1: log^3(d/eta)
 *                                          a > 1: a^2/(a-1) log^2(d/eta)
 *     floor       eta^2 Tr H G^2/rho, for every noise (Table 1, where Tr H = d_eff)
 * domain: a >= 0, d >= 1 */
finf_status finf_rates_power(double a, double d, double eta, const finf_privacy_setting *set,
                             finf_rates *out)
{
    finf_privacy_setting p = set ? *set : finf_privacy_setting_default();
    *out = (finf_rates){.sgd = NAN, .nu = NAN, .floor = NAN};
    finf_status s = finf_setting_check(eta, &p, &out->reason);
    finf_spectrum *H;
    if (!s) s = finf_spectrum_power(a, d, &H, &out->reason);
    if (s) return s;
    double unit = p.clip * p.clip / p.rho, l = log(d / eta), shape;
    if (a == 0)
        shape = d * log(1 / eta) * log(1 / eta);
    else if (a < 1)
        shape = pow(d, 1 - a) / (1 - a) * l * l;
    else if (a == 1)
        shape = l * l * l;
    else
        shape = a * a / (a - 1) * l * l;
    out->sgd = eta * d * unit;
    out->nu = eta * eta * unit * shape;
    out->floor = eta * eta * unit * finf_spectrum_trace(H);
    finf_spectrum_free(H);
    return FINF_OK;
}

/* Table 1, for any H:
 *     sgd         eta d G^2/rho
 *     nu = eta mu eta^2 Tr H log^2(1/(eta mu)) G^2/rho
 *     floor       eta^2 Tr H G^2/rho, for every noise */
finf_status finf_rates_spectrum(const finf_spectrum *s, double eta, const finf_privacy_setting *set,
                                finf_rates *out)
{
    finf_privacy_setting p = set ? *set : finf_privacy_setting_default();
    *out = (finf_rates){.sgd = NAN, .nu = NAN, .floor = NAN};
    finf_status status = finf_setting_check(eta, &p, &out->reason);
    if (status) return status;
    double unit = p.clip * p.clip / p.rho, l = log(1 / (eta * finf_spectrum_min(s)));
    double floor = eta * eta * finf_spectrum_trace(s) * unit;
    out->sgd = eta * finf_spectrum_dim(s) * unit;
    out->nu = floor * l * l;
    out->floor = floor;
    return FINF_OK;
}
