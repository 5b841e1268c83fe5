/* What finf optimize --save writes beside the coefficients: |B|^2, psi and Lambda on a grid.
 * (theory 7.7) */
#include <math.h>
#include <stdlib.h>

#include "optimize.h"

/* The frequencies: 0, then even steps in log tan(w/2), then pi; dense enough for a cubic spline of
 * log|B|^2 to lose less than 1e-7. They begin a factor e^-margin below the slowest scale, and end
 * as far beyond that of the mode eta L at pi. One block for all seven arrays. */
static finf_status knots(double e, double scale, finf_optimize_result *out)
{
    const double step = 0.07, margin = 4;
    double lo = log(scale / 2) - margin, hi = log(2 / fmin(2 - e, 1)) + margin;
    size_t n = (size_t)ceil((hi - lo) / step) + 3;
    double *z = calloc(7 * n, sizeof *z);
    if (!z) return FINF_ENOMEM;
    out->n = n;
    out->w = z;
    out->density = z + n;
    out->psi = z + 2 * n;
    out->lambda_re = z + 3 * n;
    out->lambda_im = z + 4 * n;
    out->causal_re = z + 5 * n;
    out->causal_im = z + 6 * n;
    for (size_t k = 1; k + 1 < n; k++)
        z[k] = 2 * atan(exp(lo + (hi - lo) * (double)(k - 1) / (double)(n - 3)));
    z[n - 1] = FINF_PI;
    return FINF_OK;
}

/* kappa = 1, the quadratic: psi = (L/2)/|gk - L|^2, no multiplier */
static void quadratic(const socp_setting *s, finf_optimize_result *out)
{
    double L = s->smooth, e = s->eta * L;
    for (size_t k = 0; k < out->n; k++) {
        if (s->has_loop) {
            double complex U, V;
            socp_loop_parts(&s->loop, out->w[k], &U, &V);
            out->psi[k] = socp_loop_ratio(U, V, 1) / (2 * L);
            continue;
        }
        double x = e * cos(out->w[k] / 2), y = (2 - e) * sin(out->w[k] / 2);
        out->psi[k] = e * e / (2 * L * (x * x + y * y));
    }
}

/* psi is that of theory 7.3, by which |B|^2 is multiplied in the bound: the form's is psi_w, |B|^2
 * times as much. Lambda is as in theory 7.1, in units of 1/L; program.h's is its conjugate and
 * delta/2 as large. X is program.h's. Without multipliers (m->x NULL) they stay 0. */
finf_status socp_describe(double eta, double kappa, const finf_iqc_options *o,
                          const socp_multipliers *m, finf_optimize_result *out)
{
    socp_setting set = socp_setting_make(eta, kappa, o->smooth, o->optimizer);
    socp_model mo = socp_setting_model(&set, socp_is_dist(o->bound));
    double L = set.smooth, e = socp_setting_step(&set);
    finf_status st = knots(e, fmin(e / set.kappa, finf_noise_scale(out->noise)), out);
    if (st != FINF_OK) return st;
    for (size_t k = 0; k < out->n; k++) out->density[k] = finf_noise_density(out->noise, out->w[k]);
    if (set.kappa == 1) quadratic(&set, out);
    for (size_t k = 0; m->x && k < out->n; k++) {
        double complex lambda, X;
        double B[2], margin;
        socp_form f;
        finf_noise_response(out->noise, out->w[k], B);
        socp_form_at(&mo, out->w[k], B[0] + I * B[1], &f);
        socp_basis_sum(&m->basis, m->x, m->x + socp_basis_signed(&m->basis), out->w[k], &lambda,
                       &X);
        X += socp_stein_sum(&m->basis, m->x, out->w[k]);
        out->psi[k] = (socp_form_psi(&f, lambda, X, &margin) + socp_stein_cost(&m->basis, m->x)) /
                      (out->density[k] * L);
        out->lambda_re[k] = creal(lambda) * 2 / (mo.delta * L);
        out->lambda_im[k] = -cimag(lambda) * 2 / (mo.delta * L);
        out->causal_re[k] = creal(X);
        out->causal_im[k] = cimag(X);
    }
    return FINF_OK;
}
