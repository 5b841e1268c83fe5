/* The domain of the parameters that every problem has, and what is said when one is outside. From
 * 1e-50 to 1e50, products of a few of them stay finite and normal. (theory 0.2 for the symbols) */
#include "bounds.h"

/* lo <= x <= hi, or a line that tells a number of the wrong sign, one that is not finite, and one
 * that is only too small or too large from each other. */
static finf_status check(const char *name, double x, double lo, double hi, finf_reason *why)
{
    if (x >= lo && x <= hi) return FINF_OK;
    const char *what = lo == 0 ? "must be >= 0" : "must be positive";
    int extreme = isfinite(x) && x > 0;
    return finf_why(why, FINF_EDOM, "%s = %s: %s%s", name, finf_show(x).s,
                    extreme ? "must be from 1e-50 to 1e50" : what,
                    isfinite(x) ? "" : " and finite");
}

finf_status finf_setting_check(double eta, const finf_privacy_setting *p, finf_reason *why)
{
    /* eta may be as large as it likes: the recursion then diverges, and that is an answer */
    finf_status s = check("eta", eta, BOUNDS_TINY, DBL_MAX, why);
    if (!s) s = check("rho", p->rho, BOUNDS_TINY, BOUNDS_HUGE, why);
    if (!s) s = check("clip", p->clip, BOUNDS_TINY, BOUNDS_HUGE, why);
    if (!s && p->sigma_sgd != 0)
        s = check("sigma-sgd", p->sigma_sgd, p->sigma_sgd > 0 ? BOUNDS_TINY : 0, BOUNDS_HUGE, why);
    return s;
}

finf_status finf_choice_check(const char *name, int value, int last, finf_reason *why)
{
    if (value >= 0 && value <= last) return FINF_OK;
    return finf_why(why, FINF_EUSAGE, "%s = %d: no such choice, they go from 0 to %d", name, value,
                    last);
}

finf_status finf_kurtosis_check(double kurtosis, finf_reason *why)
{
    if (kurtosis >= -2 && isfinite(kurtosis)) return FINF_OK;
    return finf_why(why, FINF_EDOM, "kurtosis = %s: the excess kurtosis must be >= -2 and finite",
                    finf_show(kurtosis).s);
}

finf_status finf_start_check(double start, const double *at, double d, finf_reason *why)
{
    if (!(start >= 0 && start <= BOUNDS_HUGE))
        return finf_why(why, FINF_EDOM, "start = %s: |theta_0 - theta*|^2 must be from 0 to 1e50",
                        finf_show(start).s);
    for (size_t j = 0; at && j < (size_t)d; j++)
        if (!(at[j] >= 0 && at[j] <= BOUNDS_HUGE))
            return finf_why(why, FINF_EDOM,
                            "start, direction %zu: %s, a square: must be from 0 to 1e50", j + 1,
                            finf_show(at[j]).s);
    return FINF_OK;
}
