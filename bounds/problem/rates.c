/* The rates of the paper's Tables 1 and 3 with unit constants, to stand beside exact values.
 * (theory 5.4) */
#include "bounds.h"

static finf_rates failed(void)
{
    finf_real none = finf_real_failed();
    return (finf_rates){.sgd = none, .nu = none, .floor = none};
}

/* x log^n(y): the logarithm of a quotient that is off by a unit is off by that, and by its own
 * rounding. */
static finf_real times_log(finf_real x, double y, int n)
{
    finf_real l = finf_real_log(finf_real_rounded(y, 1));
    for (; n > 0; n--) x = finf_real_times(x, l);
    return x;
}

static finf_real trace_of(const finf_spectrum *s)
{
    return finf_real_make(finf_spectrum_trace(s), finf_spectrum_trace_error(s), "");
}

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
    *out = failed();
    finf_status s = finf_setting_check(eta, &p, &out->reason);
    finf_spectrum *H;
    if (!s) s = finf_spectrum_power(a, d, &H, &out->reason);
    if (s) return s;
    double unit = p.clip * p.clip / p.rho;
    finf_real step2 = finf_real_rounded(eta * eta * unit, 4), shape;
    if (a == 0)
        shape = times_log(finf_real_exact(d), 1 / eta, 2);
    else if (a < 1) /* 1 - a is rounded: that is log d units in the power */
        shape = times_log(finf_real_rounded(pow(d, 1 - a) / (1 - a), 4 + log(d)), d / eta, 2);
    else if (a == 1)
        shape = times_log(finf_real_exact(1), d / eta, 3);
    else
        shape = times_log(finf_real_rounded(a * a / (a - 1), 3), d / eta, 2);
    out->sgd = finf_real_rounded(eta * d * unit, 4);
    out->nu = finf_real_times(step2, shape);
    out->floor = finf_real_times(step2, trace_of(H));
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
    *out = failed();
    finf_status status = finf_setting_check(eta, &p, &out->reason);
    if (status) return status;
    double unit = p.clip * p.clip / p.rho, mu = finf_spectrum_min(s);
    finf_real floor = finf_real_times(finf_real_rounded(eta * eta * unit, 4), trace_of(s));
    /* the least eigenvalue of a matrix is known to its resolution only, one of a formula to some
     * units for each factor e below 1 */
    double off = finf_spectrum_describe(s).resolution +
                 FINF_EPS * mu * (4 + 2 * fabs(log(mu / finf_spectrum_max(s))));
    finf_real slow = finf_real_over(
        finf_real_exact(1), finf_real_times(finf_real_exact(eta), finf_real_make(mu, off, "")));
    finf_real l = finf_real_log(slow);
    out->sgd = finf_real_rounded(eta * finf_spectrum_dim(s) * unit, 4);
    out->nu = finf_real_times(finf_real_times(floor, l), l);
    out->floor = floor;
    return FINF_OK;
}
