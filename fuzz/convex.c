/* Bounds for strongly convex F at random parameters: their order, two solvers, the certificate.
 * (theory 7) */
#include "draw.h"

static int there(const char *part)
{
    finf_part p;
    for (size_t i = 0; (p = finf_part_get(i)).name; i++)
        if (strcmp(p.name, part) == 0) return p.version != NULL;
    return 0;
}

/* A bound, or not: NaN where it failed. What the solver left may be above the least by its gap. */
static finf_real bound(const finf_noise *noise, double eta, double kappa, finf_iqc_options o,
                       finf_iqc_result *r)
{
    finf_status s = finf_iqc(noise, eta, kappa, &o, r);
    finf_real x = r->bound;
    if (s || isinf(x.value)) x.value = NAN;
    if (isfinite(x.value)) x.error += 2e-8 * x.value;
    return x;
}

/* quadratic <= gaussian <= sharp <= fval <= (L/2)|theta|^2, minimax <= sharp. */
static void orders(fuzz_bytes *b, const finf_noise *noise, const char *spelled, double eta,
                   double kappa)
{
    finf_iqc_options o = finf_iqc_options_default();
    finf_iqc_result r, other;
    o.solver = fuzz_byte(b) % 4 || !there("ECOS") ? FINF_IQC_NEWTON : FINF_IQC_ECOS;
    finf_real sharp = bound(noise, eta, kappa, o, &r);
    ORDER(r.quadratic_lower, sharp, "%s, eta %.17g, kappa %.17g", spelled, eta, kappa);
    ORDER(r.minimax_lower, sharp, "%s, eta %.17g, kappa %.17g", spelled, eta, kappa);
    o.bound = FINF_IQC_FVAL;
    finf_real fval = bound(noise, eta, kappa, o, &other);
    ORDER(sharp, fval, "%s, eta %.17g, kappa %.17g", spelled, eta, kappa);
    o.bound = FINF_IQC_GAUSSIAN;
    finf_real gaussian = bound(noise, eta, kappa, o, &other);
    ORDER(gaussian, sharp, "%s, eta %.17g, kappa %.17g", spelled, eta, kappa);
    ORDER(r.quadratic_lower, gaussian, "%s, eta %.17g, kappa %.17g", spelled, eta, kappa);
}

static void solvers(fuzz_bytes *b, const finf_noise *noise, const char *spelled, double eta,
                    double kappa)
{
    finf_iqc_options o = finf_iqc_options_default();
    finf_iqc_result r;
    o.bound = (finf_iqc_bound)(fuzz_byte(b) % 5);
    o.solver = FINF_IQC_NEWTON;
    finf_real newton = bound(noise, eta, kappa, o, &r);
    if (!there("ECOS")) return;
    o.solver = FINF_IQC_ECOS;
    finf_real ecos = bound(noise, eta, kappa, o, &r);
    SAME(newton, ecos, "%s, eta %.17g, kappa %.17g, %s", spelled, eta, kappa,
         finf_iqc_bound_name(o.bound));
}

static void proof(fuzz_bytes *b, const finf_noise *noise, const char *spelled, double eta,
                  double kappa)
{
    finf_iqc_options o = finf_iqc_options_default();
    finf_iqc_result r;
    o.bound = (finf_iqc_bound)(fuzz_byte(b) % 5);
    o.solver = FINF_IQC_NEWTON;
    o.certify = 1;
    if (!there("Arb") || finf_iqc(noise, eta, kappa, &o, &r) || !isfinite(r.bound.value)) return;
    CHECK(r.certified && r.certified_upper >= r.bound.value - r.bound.error,
          "%s, eta %.17g, kappa %.17g: %.17g +- %.3g, proved %.17g", spelled, eta, kappa,
          r.bound.value, r.bound.error, r.certified_upper);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const PART[])(fuzz_bytes *, const finf_noise *, const char *, double,
                                double) = {orders, solvers, proof};
    char spelled[256];
    fuzz_bytes b = {data, data + size};
    unsigned part = fuzz_byte(&b) % (sizeof PART / sizeof *PART);
    finf_noise *noise = draw_noise(&b, spelled);
    double eta = fuzz_log(&b, 0.01, 1.8), kappa = fuzz_log(&b, 1.5, 200);
    PART[part](&b, noise, spelled, eta, kappa);
    finf_noise_free(noise);
    return 0;
}
