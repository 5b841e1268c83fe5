/* BLTs for any loss of n steps that is affine in the covariance BB' of the noise, given by weights:
 * O(n) operations a term and buffer. (theory 13.3) */
#include <stdlib.h>

#include "blt_fit.h"

/* beta_0 = 1, beta_t = -sum_m weight_m (1-zero_m)^{t-1}. A power falls by its product with zero_m,
 * as 1 - zero_m has lost digits. */
static void noising(const blt_point *p, size_t n, double *beta)
{
    double y[BLT_MAX];
    for (size_t m = 0; m < p->k; m++) y[m] = p->weight[m];
    beta[0] = 1;
    for (size_t t = 1; t < n; t++) {
        double sum = 0;
        for (size_t m = 0; m < p->k; m++) {
            sum += y[m];
            y[m] -= y[m] * p->zero[m];
        }
        beta[t] = -sum;
    }
}

/* Derivatives by weight_m and zero_m from those by beta: sum_t slope_t p^{t-1} and sum_t slope_t
 * (t-1) p^{t-2}, p = 1 - zero_m, both by Horner's rule. */
static void through_beta(const blt_point *p, const blt_coefficients *x, double error,
                         blt_partials *slope)
{
    for (size_t m = 0; m < p->k; m++) {
        double pole = 1 - p->zero[m], value = 0, derivative = 0;
        for (size_t t = x->n - 1; t > 0; t--) {
            derivative = derivative * pole + value;
            value = value * pole + x->slope[t];
        }
        slope->weight[m] -= value / error;
        slope->zero[m] += p->weight[m] * derivative / error;
    }
}

finf_status blt_coefficients_loss(const blt_point *p, void *data, blt_value *value,
                                  blt_partials *slope)
{
    const blt_coefficients *x = data;
    double error = NAN;
    noising(p, x->n, x->beta);
    finf_status s = x->error(x->beta, x->data, &error, x->slope);
    if (s) return s;
    through_beta(p, x, error, slope);
    *value = (blt_value){blt_sensitivity(p, (double)x->n, x->who, slope), error};
    return FINF_OK;
}

finf_status blt_fit_error(size_t n, blt_error_fn *error, void *data, double relerr, double unit,
                          size_t buffers, const finf_blt_fit_options *opt, finf_blt_fit *out)
{
    blt_coefficients x = {n, error, data, blt_participation_of(opt, n), NULL, NULL};
    x.beta = malloc(2 * n * sizeof *x.beta);
    if (!x.beta) return finf_why(&out->reason, FINF_ENOMEM, "no memory");
    x.slope = x.beta + n;
    blt_problem problem = {blt_coefficients_loss, &x, 1 / (double)n, relerr, "recursion", 0};
    finf_status s = blt_fit_run(&problem, buffers, unit, opt, out);
    free(x.beta);
    return s;
}

/* ---- weights --------------------------------------------------------------------------------- */

/* Adds the error of term j, sum_t weight_t beta_t (2 u_t - beta_t) with u_t = factor u_{t-1} +
 * beta_t, and its derivatives: from beta_t and u_t as they stand there on the way up, and through
 * the recursion of u on the way down. */
static double add_term(const finf_blt_weights *x, size_t j, const double *beta, double *slope)
{
    const double *W = x->weight + j * x->n;
    double q = x->factor[j], u = 0, back = 0, sum = 0;
    for (size_t t = 0; t < x->n; t++) {
        u = q * u + beta[t];
        sum += W[t] * beta[t] * (2 * u - beta[t]);
        slope[t] += 2 * W[t] * (u - beta[t]);
    }
    for (size_t t = x->n; t-- > 0;) {
        back = q * back + 2 * W[t] * beta[t];
        slope[t] += back;
    }
    return sum;
}

finf_status blt_weighted_error(const double *beta, void *data, double *error, double *slope)
{
    const finf_blt_weights *x = data;
    *error = 0;
    for (size_t t = 0; t < x->n; t++) slope[t] = 0;
    for (size_t j = 0; j < x->terms; j++) *error += add_term(x, j, beta, slope);
    return FINF_OK;
}

static finf_status check(const finf_blt_weights *w, finf_reason *why)
{
    if (w->n < 1 || w->n > FINF_SYSTEM_MAX)
        return finf_why(why, FINF_EDOM, "%zu steps: must be from 1 to %u", w->n, FINF_SYSTEM_MAX);
    if (w->terms < 1) return finf_why(why, FINF_EDOM, "0 terms: must be at least 1");
    for (size_t j = 0; j < w->terms; j++)
        if (!(fabs(w->factor[j]) <= 1))
            return finf_why(why, FINF_EDOM, "factor %s: must be from -1 to 1",
                            finf_show(w->factor[j]).s);
    for (size_t i = 0; i < w->terms * w->n; i++)
        if (!(fabs(w->weight[i]) <= BOUNDS_HUGE))
            return finf_why(why, FINF_EDOM, "weight %s: must be at most 1e50 in size",
                            finf_show(w->weight[i]).s);
    return FINF_OK;
}

finf_status finf_blt_fit_weights(const finf_blt_weights *w, size_t buffers,
                                 const finf_blt_fit_options *opt, finf_blt_fit *out)
{
    *out = blt_fit_failed();
    finf_status s = blt_fit_check(buffers, opt, &out->reason);
    if (!s) s = check(w, &out->reason);
    if (s) return s;
    finf_blt_weights x = *w;
    return blt_fit_error(w->n, blt_weighted_error, &x, 1e-12 + 1e-15 * (double)w->n, 1, buffers,
                         opt, out);
}
