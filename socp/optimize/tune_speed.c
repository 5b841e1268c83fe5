/* The best momentum and nu of the IQC bound at a given speed. (theory 11.6) */
#include "optimize.h"
#include "speed.h"

typedef struct {
    finf_speed_noise noise;
    double kappa;
    finf_iqc_options opt;
} convex;

/* The bound with this optimizer: of independent noise, or of the best nu. */
static finf_status iqc_value(const finf_optimizer *o, double eta, void *ctx, finf_real *F,
                             double *nu, finf_reason *why)
{
    const convex *c = ctx;
    finf_iqc_options opt = c->opt;
    finf_iqc_result r;
    finf_noise *sgd = NULL;
    finf_status s;
    opt.optimizer = o;
    if (c->noise == FINF_SPEED_NU)
        s = finf_tune_iqc(eta, c->kappa, &opt, nu, &r);
    else {
        s = finf_noise_sgd(&sgd);
        if (s) return finf_why(why, s, "no memory");
        s = finf_iqc(sgd, eta, c->kappa, &opt, &r);
        finf_noise_free(sgd);
    }
    *why = r.reason;
    *F = r.bound;
    return s;
}

finf_status finf_tune_speed_iqc(finf_speed_family family, finf_speed_noise noise,
                                double contraction, double kappa, const finf_iqc_options *opt,
                                finf_speed_result *out)
{
    convex c = {noise, kappa, opt ? *opt : finf_iqc_options_default()};
    *out = (finf_speed_result){.F = finf_real_failed(), .nu = NAN};
    if (noise != FINF_SPEED_INDEPENDENT && noise != FINF_SPEED_NU)
        return finf_why(&out->reason, FINF_EUSAGE,
                        "at a given speed the bound is of sgd or nu:best noise");
    if (!(kappa >= 1))
        return finf_why(&out->reason, FINF_EDOM, "kappa = %s: must be at least 1",
                        finf_show(kappa).s);
    c.opt.certify = 0; /* of many bounds only the least is kept */
    c.opt.solver = FINF_IQC_NEWTON;
    return speed_find(&(speed_search){family, contraction, c.opt.smooth / kappa, c.opt.smooth,
                                      c.opt.optimizer, iqc_value, &c},
                      out);
}
