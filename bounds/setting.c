/* The domain of eta, rho, clip and sigma_sgd, said once. */
#include "bounds.h"

finf_status finf_setting_check(double eta, const finf_privacy_setting *p, finf_reason *why)
{
    if (!(eta > 0 && isfinite(eta))) return finf_why(why, FINF_EDOM, "eta = %g: must be positive and finite", eta);
    if (!(p->rho > 0 && isfinite(p->rho))) return finf_why(why, FINF_EDOM, "rho = %g: must be positive and finite", p->rho);
    if (!(p->clip > 0 && isfinite(p->clip)))
        return finf_why(why, FINF_EDOM, "clip = %g: must be positive and finite", p->clip);
    if (!(p->sigma_sgd >= 0 && isfinite(p->sigma_sgd)))
        return finf_why(why, FINF_EDOM, "sigma-sgd = %g: must be >= 0 and finite", p->sigma_sgd);
    return FINF_OK;
}
