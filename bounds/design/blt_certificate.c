/* What is proved of a fitted BLT, in interval arithmetic. (theory 13.4)
 *
 * As a function of x = 1/z, C = 1 + sum_i scale_i/(x - decay_i) with scale_i > 0 falls between any
 * two neighbouring poles from +inf to -inf, and below the last one from 1 at -inf to -inf. So it
 * has exactly one zero in each of these k intervals and none above the first pole; the one below
 * the last pole is above -1 if and only if C(-1) > 0. Signs of C are all that has to be computed.
 *
 * Intervals are pairs of doubles. A result of IEEE arithmetic is within half a unit of the last
 * place of the true one, so that its two neighbours enclose that; no rounding mode is changed. */
#include "blt_fit.h"

typedef struct {
    double low, high;
} interval;

static interval around(double low, double high)
{
    return (interval){nextafter(low, -INFINITY), nextafter(high, INFINITY)};
}

/* C at x, which is no decay. */
static interval strategy_at(const finf_blt_fit *b, double x)
{
    interval sum = {1, 1};
    for (size_t i = 0; i < b->buffers; i++) {
        interval d = around(x - b->decay[i], x - b->decay[i]);
        if (d.low <= 0 && d.high >= 0) return (interval){-INFINITY, INFINITY};
        interval q = around(b->scale[i] / d.high, b->scale[i] / d.low);
        sum = around(sum.low + q.low, sum.high + q.high);
    }
    return sum;
}

/* 1 > decay_0 > decay_1 > .. >= 0 and scale > 0: compared as they are. */
static int in_order(const finf_blt_fit *b)
{
    for (size_t i = 0; i < b->buffers; i++) {
        if (!(b->scale[i] > 0) || !isfinite(b->scale[i])) return 0;
        if (!(b->decay[i] >= 0 && b->decay[i] < (i ? b->decay[i - 1] : 1))) return 0;
    }
    return 1;
}

/* Two doubles about `near`, as close as can be shown, with C > 0 at the lower and C < 0 at the
 * upper one, both between the pole below and the pole above. */
static int enclose(const finf_blt_fit *b, double near, double below, double above, double *low,
                   double *high)
{
    for (double step = FINF_EPS * fmax(fabs(near), 1e-3); step < 1; step *= 2) {
        *low = near - step;
        *high = near + step;
        if (*low <= below && *high >= above) return 0;
        if (*low > below && *high < above && strategy_at(b, *low).low > 0 &&
            strategy_at(b, *high).high < 0)
            return 1;
    }
    return 0;
}

void blt_certify(const blt_point *p, finf_blt_fit *out)
{
    size_t k = out->buffers, found = 0;
    out->proved = "";
    for (size_t i = 0; i < k; i++) out->inverse_low[i] = out->inverse_high[i] = NAN;
    if (!in_order(out) || !(strategy_at(out, -1).low > 0)) return;
    out->stable = 1;
    interval first = {0, 0};
    for (size_t i = 0; i < k; i++)
        first = around(first.low + out->scale[i], first.high + out->scale[i]);
    out->decreasing = first.high <= 1;
    out->proved = "decays and inverse decays interlaced in (-1, 1)";
    for (size_t i = 0; i < k; i++) {
        double below = i + 1 < k ? out->decay[i + 1] : -1, low, high;
        if (!enclose(out, 1 - p->zero[i], below, out->decay[i], &low, &high)) continue;
        out->inverse_low[i] = low;
        out->inverse_high[i] = high;
        found++;
    }
    if (found == k) out->proved = "decays and inverse decays interlaced in (-1, 1), and enclosed";
}
