/* Coordinates for BLTs: all of those whose poles and zeros interlace, and no other. (theory 13.2)
 *
 * A search in (1-theta, omega) has to keep the zeros of C inside the disc, and to find them. Here
 * poles and zeros are what is chosen, and the scales follow as products of differences: nothing is
 * solved for, nothing cancels, and every q is feasible. */
#include <string.h>

#include "blt_fit.h"

#define LOGIT_OF_1 40.0 /* of a double that rounding makes 1 */

static double sigmoid(double x) { return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)); }
static double logit(double x) { return log(x) - log1p(-x); }

/* ---- the point ------------------------------------------------------------------------------- */

/* scale_i = prod_m (zero_m - leak_i) / prod_{j != i} (leak_j - leak_i), and weight_m with zeros for
 * leaks: the residues of C = prod (zero_m - x)/prod (leak_i - x) and of 1/C. (13.b) */
static void residues(blt_point *p)
{
    for (size_t i = 0; i < p->k; i++) {
        double s = p->between[i][i], w = p->between[i][i];
        for (size_t j = 0; j < p->k; j++) {
            if (j == i) continue;
            s *= p->between[i][j] / p->leaks[i][j];
            w *= p->between[j][i] / p->zeros[i][j];
        }
        p->scale[i] = fabs(s);
        p->weight[i] = fabs(w);
    }
}

/* All differences from those of neighbours: before[i] = zero_i - leak_i, after[i] = leak_{i+1} -
 * zero_i. Every one is a sum of positive numbers. */
static void differences(blt_point *p, const double *before, const double *after)
{
    size_t k = p->k;
    for (size_t i = 0; i < k; i++) {
        double d = 0;
        p->leaks[i][i] = 0;
        p->zeros[i][i] = 0;
        for (size_t j = i; j < k; j++) { /* from leak_i upward */
            p->leaks[i][j] = d;
            p->leaks[j][i] = -d;
            p->between[i][j] = d + before[j];
            d += before[j] + after[j];
        }
        d = 0;
        for (size_t j = i + 1; j < k; j++) { /* from zero_i upward */
            d += after[j - 1];
            p->between[j][i] = -d;
            d += before[j];
            p->zeros[i][j] = d;
            p->zeros[j][i] = -d;
        }
    }
    residues(p);
}

void blt_chart_point(const double *q, size_t k, blt_point *p)
{
    double before[BLT_MAX], after[BLT_MAX], s = q[0];
    *p = (blt_point){.k = k};
    p->leak[0] = sigmoid(s);
    for (size_t i = 0; i < k; i++) {
        double width = 2 - p->leak[i]; /* to the next leak, or to 2 */
        if (i + 1 < k) {
            double more = exp(q[i + 1]);
            s += more;
            p->leak[i + 1] = sigmoid(s);
            width = p->leak[i + 1] * (1 - p->leak[i]) * -expm1(-more);
        }
        before[i] = width * sigmoid(q[k + i]);
        after[i] = width * sigmoid(-q[k + i]);
        p->zero[i] = p->leak[i] + before[i];
    }
    differences(p, before, after);
}

void blt_chart_numbers(const double *leak, const double *zero, size_t k, double *q)
{
    q[0] = logit(leak[0]);
    for (size_t i = 0; i < k; i++) {
        double next = i + 1 < k ? leak[i + 1] : 2;
        if (i + 1 < k) q[i + 1] = log(logit(leak[i + 1]) - logit(leak[i]));
        q[k + i] = log((zero[i] - leak[i]) / (next - zero[i]));
    }
}

void blt_chart_insert(const double *q, size_t k, size_t where, double *out)
{
    blt_point p;
    double all[2 * BLT_MAX + 2] = {0}, leak[BLT_MAX + 1], zero[BLT_MAX + 1];
    blt_chart_point(q, k, &p);
    for (size_t i = 0, at = 0; i < 2 * k; i++, at++) {
        if (at == where) at += 2;
        all[at] = i % 2 ? p.zero[i / 2] : p.leak[i / 2];
    }
    double low = where ? all[where - 1] : p.leak[0] / 16;
    double high = where < 2 * k ? all[where + 2] : fmin(2, 4 * low);
    all[where] = low * pow(high / low, 0.4);
    all[where + 1] = low * pow(high / low, 0.6);
    for (size_t i = 0; i <= k; i++) {
        leak[i] = all[2 * i];
        zero[i] = all[2 * i + 1];
    }
    blt_chart_numbers(leak, zero, k + 1, out);
}

int blt_chart_append(const double *q, size_t k, double *out)
{
    blt_point p;
    blt_chart_point(q, k, &p);
    double last = p.leak[k - 1], zero = p.zero[k - 1];
    if (!(zero < 1)) return 0;
    memcpy(out, q, k * sizeof *out);
    memcpy(out + k + 1, q + k, k * sizeof *out);
    out[k] = log(LOGIT_OF_1 - logit(last));
    out[2 * k] = log((zero - last) / (1 - zero));
    out[2 * k + 1] = -2; /* a small scale */
    return 1;
}

/* Takes leak i and zero j out: a pole and a zero that coincide cancel. */
static void cancel_pair(blt_point *p, size_t i, size_t j)
{
    p->k--;
    memmove(p->leak + i, p->leak + i + 1, (p->k - i) * sizeof *p->leak);
    memmove(p->zero + j, p->zero + j + 1, (p->k - j) * sizeof *p->zero);
}

/* 1 - (1 - leak) is exact for the decay 1 - leak that is a double, if that is at least 1/2, and
 * differs from it by a rounding otherwise. The zeros stay where they were; the scales follow. */
size_t blt_chart_rounded(blt_point *p)
{
    double before[BLT_MAX], after[BLT_MAX];
    for (size_t i = 0; i < p->k; i++) p->leak[i] = 1 - (1 - p->leak[i]);
    for (size_t i = 0; i < p->k;) {
        if (!(p->leak[i] > 0 && p->leak[i] < p->zero[i]))
            cancel_pair(p, i, i);
        else if (i + 1 < p->k && !(p->zero[i] < p->leak[i + 1]))
            cancel_pair(p, i + 1, i);
        else
            i++;
    }
    for (size_t i = 0; i < p->k; i++) {
        before[i] = p->zero[i] - p->leak[i];
        after[i] = (i + 1 < p->k ? p->leak[i + 1] : 2) - p->zero[i];
    }
    differences(p, before, after);
    return p->k;
}

/* ---- derivatives ----------------------------------------------------------------------------- */

/* Adds what scale and weight contribute to the derivatives by leak and zero: the logarithms of
 * (13.b) are sums of logarithms of differences. */
static void through_residues(const blt_point *p, const blt_partials *slope, double *leak,
                             double *zero)
{
    for (size_t i = 0; i < p->k; i++) {
        double s = slope->scale[i] * p->scale[i], w = slope->weight[i] * p->weight[i];
        for (size_t j = 0; j < p->k; j++) {
            double x = s / p->between[i][j], y = w / p->between[j][i];
            zero[j] += x;
            leak[i] -= x;
            zero[i] += y;
            leak[j] -= y;
            if (j == i) continue;
            x = s / p->leaks[i][j];
            y = w / p->zeros[i][j];
            leak[j] -= x;
            leak[i] += x;
            zero[j] -= y;
            zero[i] += y;
        }
    }
}

void blt_chart_gradient(const double *q, const blt_point *p, const blt_partials *slope,
                        double *gradient)
{
    size_t k = p->k;
    double leak[BLT_MAX], zero[BLT_MAX], above = 0;
    memcpy(leak, slope->leak, sizeof leak);
    memcpy(zero, slope->zero, sizeof zero);
    through_residues(p, slope, leak, zero);
    for (size_t i = 0; i < k; i++) {
        double f = sigmoid(q[k + i]), rest = sigmoid(-q[k + i]);
        gradient[k + i] = zero[i] * p->between[i][i] * rest;
        leak[i] += zero[i] * rest;
        if (i + 1 < k) leak[i + 1] += zero[i] * f;
    }
    for (size_t i = k; i-- > 0;) { /* q_i moves the logits of leak_i and of all above it */
        above += leak[i] * p->leak[i] * (1 - p->leak[i]);
        gradient[i] = i ? above * exp(q[i]) : above;
        if (q[i] == INFINITY) gradient[i] = 0; /* a decay of 0 stays one */
    }
}
