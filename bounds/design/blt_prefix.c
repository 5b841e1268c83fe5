/* BLTs for the prefix sums of n steps, in O(k^2) operations whatever n is. (theory 13.3)
 *
 * The prefix sums of beta are S_t = 1/C(1) + sum_m (weight_m/zero_m) (1-zero_m)^t: k+1 exponentials
 * with positive factors. The variance of prefix sum t is S_0^2 + .. + S_t^2, the largest is the
 * last one, and sums over t of products of exponentials are geometric. */
#include "blt_fit.h"

/* factor_0 .. factor_k of the exponentials, and their gaps from 1: factor_0 = 1/C(1) has none. */
typedef struct {
    double factor[BLT_MAX + 1], gap[BLT_MAX + 1];
    double by_factor[BLT_MAX + 1], by_gap[BLT_MAX + 1]; /* derivatives of the error */
} exponentials;

static void expand(const blt_point *p, exponentials *e)
{
    *e = (exponentials){.factor = {1}};
    for (size_t i = 0; i < p->k; i++) {
        e->factor[0] *= p->leak[i] / p->zero[i];
        e->factor[i + 1] = p->weight[i] / p->zero[i];
        e->gap[i + 1] = p->zero[i];
    }
}

/* sum_ab factor_a factor_b sum_t u_t ((1-gap_a)(1-gap_b))^t, u_t = 1, or (n-t)/n for the mean. */
static double pair_sums(double n, int average, size_t terms, exponentials *e)
{
    double sum = 0;
    for (size_t a = 0; a < terms; a++)
        for (size_t b = 0; b < terms; b++) {
            double gap = e->gap[a] + e->gap[b] - e->gap[a] * e->gap[b];
            blt_sum g = average ? blt_triangular(gap, n) : blt_geometric(gap, n);
            double weight = e->factor[b] / (average ? n : 1);
            sum += e->factor[a] * weight * g.sum;
            e->by_factor[a] += 2 * weight * g.sum;
            e->by_gap[a] += 2 * e->factor[a] * weight * g.slope * (1 - e->gap[b]);
        }
    return sum;
}

double blt_prefix_error(const blt_point *p, double n, int average, blt_partials *slope)
{
    exponentials e;
    expand(p, &e);
    double sum = pair_sums(n, average, p->k + 1, &e), first = e.by_factor[0] * e.factor[0] / sum;
    for (size_t i = 0; i < p->k; i++) {
        double by = e.by_factor[i + 1] / sum;
        slope->leak[i] += first / p->leak[i];
        slope->zero[i] += (e.by_gap[i + 1] / sum) - (first + by * e.factor[i + 1]) / p->zero[i];
        slope->weight[i] += by / p->zero[i];
    }
    return sum;
}

finf_status blt_prefix_loss(const blt_point *p, void *data, blt_value *value, blt_partials *slope)
{
    const blt_prefix_sums *x = data;
    double error = blt_prefix_error(p, x->n, x->average, slope);
    *value = (blt_value){blt_sensitivity(p, x->n, x->who, slope), error};
    return FINF_OK;
}

finf_status finf_blt_fit_prefix(size_t n, finf_blt_objective objective, size_t buffers,
                                const finf_blt_fit_options *opt, finf_blt_fit *out)
{
    *out = blt_fit_failed();
    finf_status s = blt_fit_check(buffers, opt, &out->reason);
    if (!s) s = finf_choice_check("objective", (int)objective, FINF_BLT_LARGEST, &out->reason);
    if (s) return s;
    if (n < 1 || n > FINF_STEPS_MAX)
        return finf_why(&out->reason, FINF_EDOM, "%zu steps: must be from 1 to %u", n,
                        FINF_STEPS_MAX);
    blt_prefix_sums x = {(double)n, objective == FINF_BLT_AVERAGE, blt_participation_of(opt, n)};
    blt_problem problem = {blt_prefix_loss, &x, 1 / (double)n, 1e-12, "closed form", 0};
    return blt_fit_run(&problem, buffers, 1, opt, out);
}
