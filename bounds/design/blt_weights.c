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

/* Adds the error of term j, sum_t weight_t beta_t (2 u_t - beta_t) with u_t = factor u_{t-1} +
 * beta_t, and its derivatives: from beta_t and u_t as they stand there on the way up, and through
 * the recursion of u on the way down. */
static double add_term(const blt_weighted *x, size_t j)
{
    size_t n = x->given.n;
    const double *W = x->given.weight + j * n;
    double q = x->given.factor[j], u = 0, back = 0, sum = 0;
    for (size_t t = 0; t < n; t++) {
        u = q * u + x->beta[t];
        sum += W[t] * x->beta[t] * (2 * u - x->beta[t]);
        x->slope[t] += 2 * W[t] * (u - x->beta[t]);
    }
    for (size_t t = n; t-- > 0;) {
        back = q * back + 2 * W[t] * x->beta[t];
        x->slope[t] += back;
    }
    return sum;
}

/* Derivatives by weight_m and zero_m from those by beta: sum_t slope_t p^{t-1} and sum_t slope_t
 * (t-1) p^{t-2}, p = 1 - zero_m, both by Horner's rule. */
static void through_beta(const blt_point *p, const blt_weighted *x, double error,
                         blt_partials *slope)
{
    for (size_t m = 0; m < p->k; m++) {
        double pole = 1 - p->zero[m], value = 0, derivative = 0;
        for (size_t t = x->given.n - 1; t > 0; t--) {
            derivative = derivative * pole + value;
            value = value * pole + x->slope[t];
        }
        slope->weight[m] -= value / error;
        slope->zero[m] += p->weight[m] * derivative / error;
    }
}

finf_status blt_weighted_loss(const blt_point *p, void *data, blt_value *value, blt_partials *slope)
{
    const blt_weighted *x = data;
    double error = 0;
    noising(p, x->given.n, x->beta);
    for (size_t t = 0; t < x->given.n; t++) x->slope[t] = 0;
    for (size_t j = 0; j < x->given.terms; j++) error += add_term(x, j);
    through_beta(p, x, error, slope);
    *value = (blt_value){blt_sensitivity(p, (double)x->given.n, slope), error};
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
    blt_weighted x = {*w, malloc(2 * w->n * sizeof *x.beta), NULL};
    if (!x.beta) return finf_why(&out->reason, FINF_ENOMEM, "no memory");
    x.slope = x.beta + w->n;
    blt_problem problem = {blt_weighted_loss, &x, 1 / (double)w->n, 1e-12 + 1e-15 * (double)w->n,
                           "recursion"};
    s = blt_fit_run(&problem, buffers, 1, opt, out);
    free(x.beta);
    return s;
}
