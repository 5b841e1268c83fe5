/* The best momentum and nu of the IQC bound at a given speed. (theory 11.6) */
#include <math.h>

#include "optimize.h"
#include "speed.h"

/* Of m over its largest value. A bound is the least to 1e-8, so that its minimum is known to the
 * root of that at best. */
#define KNOWN 1e-4

typedef struct {
    double kappa;
    int optimized; /* the noise is that of finf_optimize */
    finf_iqc_options opt;
} convex;

/* A descent that did not come to its end has a bound all the same, the best so far. */
static finf_status of_optimized(const convex *c, double eta, const finf_iqc_options *opt,
                                finf_iqc_result *r)
{
    finf_optimize_options o = finf_optimize_options_default();
    finf_optimize_result found;
    o.iqc = *opt;
    finf_status s = finf_optimize(eta, c->kappa, &o, &found);
    *r = found.iqc;
    finf_optimize_result_free(&found);
    int stopped = finf_cancelled(opt->cancel);
    return s == FINF_ETOL && isfinite(r->bound.value) && !stopped ? FINF_OK : s;
}

/* The bound with this optimizer: of independent noise, of the best nu, or of what is found over all
 * products. */
static finf_status bound_of(const convex *c, const finf_noise *noise, const finf_optimizer *o,
                            double eta, finf_real *nu, finf_iqc_result *r)
{
    finf_iqc_options opt = c->opt;
    opt.optimizer = o;
    return !noise         ? finf_tune_iqc(eta, c->kappa, &opt, nu, r)
           : c->optimized ? of_optimized(c, eta, &opt, r)
                          : finf_iqc(noise, eta, c->kappa, &opt, r);
}

static finf_status iqc_value(const finf_noise *noise, const finf_optimizer *o, double eta,
                             void *ctx, finf_real *F, finf_real *nu, finf_reason *why)
{
    finf_iqc_result r;
    finf_status s = bound_of(ctx, noise, o, eta, nu, &r);
    *why = r.reason;
    *F = r.bound;
    return s;
}

/* What was found, once more, and its proof. */
static finf_status prove(convex *c, int tuned, finf_speed_result *out)
{
    finf_noise *sgd = NULL;
    finf_real nu;
    finf_iqc_result r = {.reason = {""}};
    finf_status s = tuned ? FINF_OK : finf_noise_sgd(&sgd);
    c->opt.certify = 1;
    if (s) return finf_why(&out->reason, s, "no memory");
    s = bound_of(c, sgd, out->optimizer, out->eta.value, &nu, &r);
    finf_noise_free(sgd);
    if (!s && !r.certified) s = FINF_ETOL;
    if (s) return finf_why(&out->reason, s, "%s", r.reason.text[0] ? r.reason.text : "no proof");
    out->F = r.bound;
    out->certified = 1;
    out->certified_upper = r.certified_upper;
    if (tuned) out->nu = nu;
    return FINF_OK;
}

finf_status finf_tune_speed_iqc(finf_speed_family family, finf_speed_noise noise,
                                double contraction, double kappa, const finf_iqc_options *opt,
                                finf_speed_result *out)
{
    convex c = {kappa, noise == FINF_SPEED_BEST, opt ? *opt : finf_iqc_options_default()};
    finf_real none = finf_real_failed();
    *out = (finf_speed_result){.F = none,
                               .eta = none,
                               .momentum = none,
                               .eta_eff = none,
                               .nu = none,
                               .certified_upper = NAN};
    if (!(noise >= FINF_SPEED_INDEPENDENT && noise <= FINF_SPEED_BEST))
        return finf_why(&out->reason, FINF_EUSAGE, "no such noise");
    if (!(kappa >= 1))
        return finf_why(&out->reason, FINF_EDOM, "kappa = %s: must be at least 1",
                        finf_show(kappa).s);
    c.opt.certify = 0; /* of many bounds only the least is kept */
    c.opt.solver = FINF_IQC_NEWTON;
    finf_status s = speed_find(&(speed_search){family, contraction, c.opt.smooth / kappa,
                                               c.opt.smooth, c.opt.optimizer,
                                               noise == FINF_SPEED_NU, iqc_value, &c, KNOWN},
                               out);
    if (s || !opt || !opt->certify || !isfinite(out->F.value)) return s;
    return prove(&c, noise == FINF_SPEED_NU, out);
}
