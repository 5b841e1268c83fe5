/* Sums of powers to their last digit, also where x^n is near 1. (theory 13.3) */
#include "blt_fit.h"

/* sum_j (-gap)^j binomial(m, j + r), j >= 0, and its derivative by gap: G with m = n, r = 1, and H
 * with m = n+1, r = 2. For m gap <= 1 the terms fall at least as fast as 1/j!, with signs that
 * alternate. */
static blt_sum binomial_series(double gap, double m, double r)
{
    double term = r > 1 ? m * (m - 1) / 2 : m, sum = 0, slope = 0;
    for (double j = 0; j < 40 && fabs(term) > 1e-19 * fabs(sum); j++) {
        sum += term;
        double next = -term * (m - r - j) / (j + r + 1); /* over gap: of the slope, but (j+1) */
        slope += (j + 1) * next;
        term = next * gap;
    }
    return (blt_sum){sum, slope};
}

/* (1 - gap)^n; log1p keeps the digits of a small gap, and 1 - gap is exact for a large one. */
static double power_of(double gap, double n)
{
    if (gap < 1) return exp(n * log1p(-gap));
    if (gap == 1) return n == 0;
    return exp(n * log(gap - 1)) * (fmod(n, 2) != 0 ? -1 : 1);
}

blt_sum blt_geometric(double gap, double n)
{
    if (isinf(n)) return (blt_sum){1 / gap, -1 / (gap * gap)};
    if (n == 0) return (blt_sum){0, 0};
    if (n * gap <= 1) return binomial_series(gap, n, 1);
    double last = power_of(gap, n - 1), sum = (1 - last * (1 - gap)) / gap;
    return (blt_sum){sum, (n * last - sum) / gap};
}

/* (n - x G)/gap */
blt_sum blt_triangular(double gap, double n)
{
    if (n * gap <= 1) return binomial_series(gap, n + 1, 2);
    blt_sum g = blt_geometric(gap, n);
    double sum = (n - (1 - gap) * g.sum) / gap;
    return (blt_sum){sum, (g.sum - (1 - gap) * g.slope - sum) / gap};
}
