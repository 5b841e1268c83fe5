/* What test_iqc.c and test_socp.c share: a bound by the name of its noise. */
#ifndef FINF_TEST_IQC_SUPPORT_H
#define FINF_TEST_IQC_SUPPORT_H

#include <complex.h>
#include <string.h>

#include "bound.h"
#include "spec.h"
#include "support.h"

static const finf_iqc_bound BOUNDS[] = {FINF_IQC_SHARP, FINF_IQC_FVAL, FINF_IQC_DIST,
                                        FINF_IQC_SHARP_DIST};
static const char *const NAME[] = {"sharp", "fval", "dist", "sharp_dist", "gaussian"};

static inline double square(double complex z) { return creal(z) * creal(z) + cimag(z) * cimag(z); }
#define is_dist socp_is_dist
#define is_causal socp_is_causal

static inline finf_noise *noise_of(const char *spec, double automatic)
{
    finf_noise *n;
    finf_reason why;
    ck_assert_msg(noise_named(spec, automatic, &n, &why) == FINF_OK, "%s: %s", spec, why.text);
    return n;
}

/* rho = 1/2: sigma^2 = gamma^2 */
static inline finf_iqc_options options(finf_iqc_bound bound)
{
    finf_iqc_options o = finf_iqc_options_default();
    o.bound = bound;
    o.privacy.rho = 0.5;
    o.solver = FINF_IQC_NEWTON;
    return o;
}

/* nu:paper is eta mu, at most 1 */
static inline finf_iqc_result iqc(const char *spec, double eta, double kappa, finf_iqc_options o)
{
    finf_noise *n = noise_of(spec, fmin(eta / kappa, 1));
    finf_iqc_result r;
    finf_status st = finf_iqc(n, eta, kappa, &o, &r);
    ck_assert_msg(st == FINF_OK, "%s, eta %g, kappa %g, %s: %s, %s", spec, eta, kappa,
                  NAME[o.bound], finf_status_name(st), r.reason.text);
    ck_assert_msg(r.solver_code == 0 && r.solver_gap <= o.gap,
                  "%s, eta %g, kappa %g, %s: code %d, gap %g", spec, eta, kappa, NAME[o.bound],
                  r.solver_code, r.solver_gap);
    finf_noise_free(n);
    return r;
}

/* Newton's answer, after checking that ECOS (where there is one) ends with code 0 and agrees */
static inline finf_iqc_result both(const char *spec, double eta, double kappa, finf_iqc_options o)
{
    o.solver = FINF_IQC_NEWTON;
    finf_iqc_result r = iqc(spec, eta, kappa, o);
    if (!socp_ecos_version()) return r;
    o.solver = FINF_IQC_ECOS;
    finf_iqc_result e = iqc(spec, eta, kappa, o);
    ck_assert_str_eq(e.solver, "ecos");
    ASSERT_NEAR(e.bound.value, r.bound.value, 1e-6,
                "bound: ecos and newton, %s, eta %g, kappa %g, %s", spec, eta, kappa,
                NAME[o.bound]);
    ASSERT_NEAR(e.grid_value, r.grid_value, 1e-6,
                "objective: ecos and newton, %s, eta %g, kappa %g, %s", spec, eta, kappa,
                NAME[o.bound]);
    return r;
}

#endif
