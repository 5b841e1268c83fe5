/* The squared sensitivity of a BLT in closed form, whatever the number of steps. (theory 13.3) */
#include "blt_fit.h"

blt_participation blt_participation_of(const finf_blt_fit_options *opt, size_t n)
{
    finf_blt_fit_options o = opt ? *opt : finf_blt_fit_options_default();
    size_t fit = 1 + (n - 1) / o.separation; /* participations that fit in */
    return (blt_participation){o.participations < fit ? o.participations : fit, o.separation};
}

/* (1 - leak)^L, and L (1 - leak)^(L-1) */
static double power_of(double leak, double L)
{
    return L == 0 ? 1 : leak >= 1 ? 0 : exp(L * log1p(-leak));
}
static double power_slope(double leak, double L) { return L == 0 ? 0 : L * power_of(leak, L - 1); }

/* Adds f sum_{s<N} c_s c_{s+L} and its derivatives. c_0 = 1, c_s = sum_i scale_i decay_i^{s-1}, so
 * that beside c_0 c_L there is sum_ij scale_i scale_j decay_j^L G(decay_i decay_j) of N-1 terms.
 * 1 - decay_i decay_j = leak_i + leak_j (1 - leak_i). */
static double add_products(const blt_point *p, double f, double N, double L, blt_partials *by)
{
    double sum = L == 0 ? f : 0;
    for (size_t j = 0; j < p->k; j++) {
        double leak = p->leak[j], scale = p->scale[j];
        if (L > 0) {
            sum += f * scale * power_of(leak, L - 1);
            by->scale[j] += f * power_of(leak, L - 1);
            by->leak[j] -= f * scale * power_slope(leak, L - 1);
        }
        double far = power_of(leak, L), slope = power_slope(leak, L);
        for (size_t i = 0; i < p->k; i++) {
            blt_sum g = blt_geometric(p->leak[i] + leak * (1 - p->leak[i]), N - 1);
            double both = f * p->scale[i] * scale;
            sum += both * far * g.sum;
            by->scale[i] += f * scale * far * g.sum;
            by->scale[j] += f * p->scale[i] * far * g.sum;
            by->leak[i] += both * far * g.slope * (1 - leak);
            by->leak[j] += both * (far * g.slope * (1 - p->leak[i]) - slope * g.sum);
        }
    }
    return sum;
}

/* |sum_m (column m b of C)|^2 over the participations m, by the products of pairs of columns, of
 * which the later one has n - m b rows. */
double blt_sensitivity(const blt_point *p, double n, blt_participation who, blt_partials *slope)
{
    double sum = 0, b = (double)who.b;
    blt_partials by = {.leak = {0}};
    for (size_t m = 0; m < who.k; m++)
        for (size_t l = 0; l <= m; l++)
            sum += add_products(p, l < m ? 2 : 1, n - (double)m * b, (double)(m - l) * b, &by);
    for (size_t i = 0; i < p->k; i++) {
        slope->leak[i] += by.leak[i] / sum;
        slope->scale[i] += by.scale[i] / sum;
    }
    return sum;
}
