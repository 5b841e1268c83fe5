/* The learning curve of the mean of the last K points: what independent noise does to it.
 * (theory 11.5)
 *
 * A unit of noise at step s moves the sum of the last K points k steps after s+1 by
 *
 *     k < K:    g_0 + .. + g_k, the answer of the running sum of all points,
 *     k >= K:   (M^{k-K} v)_0,  v = (M + .. + M^K) in,
 *
 * g being the answer of theta and M the loop. Steps are taken in blocks of K. Noise of the present
 * block is `fresh`, noise of more than K steps ago is `tail`: both are covariances that only grow.
 * What is between, noise of the block before, is known when the present one begins: for the m-th
 * step of the block it is rho_m' C rho_m, where C are the second moments, at the block's start, of
 * (state, sum) by the K-m latest noises, and rho_m' is the last row of M^m. C grows while m falls.
 * Nothing is ever subtracted: a start that is large and forgotten leaves no rounding behind. */
#include <string.h>

#include "curve.h"

void curve_window_sums(const double *x, size_t n, size_t K, double *room, double *y)
{
    for (size_t from = 0; from < n; from += K) {
        double sum = 0;
        /* room[i] is the sum of the last i of the block before */
        for (size_t i = 0; i < K && from; i++) {
            room[i] = sum;
            sum += x[from - 1 - i];
        }
        sum = 0;
        for (size_t t = from; t < n && t < from + K; t++) {
            sum += x[t];
            y[t] = from ? sum + room[K - 1 - (t - from)] : sum;
        }
    }
}

size_t curve_window_size(const curve_windows *w)
{
    size_t p = w->m.p, q = p + 1;
    return LANES * (q * q + (w->scratch ? p * p + p + w->K : 0));
}

void curve_window_place(const curve_windows *w, const double *h, double *block, curve_window *out)
{
    size_t p = w->m.p, q = p + 1;
    *out = (curve_window){.fresh = block};
    if (!w->scratch) return;
    out->tail = block + LANES * q * q;
    out->v = out->tail + LANES * p * p;
    out->ring = out->v + LANES * p;
    for (size_t i = 0; i <= w->K; i++)
        curve_step(&w->m, w->m.u.order, p, h, out->v, LANES, i < w->K);
}

/* rho <- M' rho. */
static void transposed(const curve_loop *m, const double *h, const double *rho, double *out)
{
    const update_rule *u = &m->u;
    for (size_t l = 0; l < LANES; l++) {
        double theta = rho[l] + m->gain * rho[m->p * LANES + l], c = 0, rest = 0;
        for (size_t i = 0; i < u->order; i++) {
            double r = rho[(i + 1) * LANES + l];
            c += u->c[i] * r;
            rest += u->rest[i] * r;
            if (i + 1 < u->order) out[(i + 2) * LANES + l] = r;
        }
        if (u->order) out[LANES + l] = -u->eta * theta - rest;
        out[l] = theta + h[l] * (c - u->eta * u->first * theta);
        out[m->p * LANES + l] = m->keep * rho[m->p * LANES + l];
    }
}

/* C += V a a', and the sum over the directions of loss rho' C rho. */
FINF_VECTOR static double add_noise(size_t q, const double *V, const double *a, const double *rho,
                                    const double *loss, double *C)
{
    double sum[LANES] = {0}, total = 0;
    for (size_t i = 0; i < q; i++)
        for (size_t k = 0; k <= i; k++)
            for (size_t l = 0; l < LANES; l++) {
                double *c = C + (i * q + k) * LANES + l;
                *c += V[l] * a[i * LANES + l] * a[k * LANES + l];
                sum[l] += (k < i ? 2 : 1) * rho[i * LANES + l] * rho[k * LANES + l] * *c;
            }
    for (size_t l = 0; l < LANES; l++) total += loss[l] * sum[l];
    return total;
}

/* What the noise of the steps before t adds to F[t+1..t+K-1]. */
static void add_block_before(const curve_windows *w, const curve_window *x, const double *h,
                             const double *loss, size_t t)
{
    size_t q = w->m.p + 1, K = w->K, row = q * LANES;
    double *rho = w->scratch, *C = rho + K * row, *a = C + q * row;
    memset(C, 0, q * row * sizeof *C);
    memcpy(a, w->in, row * sizeof *a);
    memset(rho, 0, row * sizeof *rho);
    for (size_t l = 0; l < LANES; l++) rho[w->m.p * LANES + l] = 1;
    for (size_t m = 1; m < K; m++) transposed(&w->m, h, rho + (m - 1) * row, rho + m * row);
    for (size_t i = 0; i + 1 < K; i++) {
        size_t m = K - 1 - i;
        double F = add_noise(q, x->ring + (K - 1 - i) * LANES, a, rho + m * row, loss, C);
        if (t + m <= w->n) w->F[t + m] += 0.5 * F / ((double)K * (double)K);
        curve_step(&w->m, w->m.u.order, q, h, a, LANES, 0);
        if (i % 64 == 0) curve_clean(a, row);
    }
}

void curve_window_advance(const curve_windows *w, curve_window *x, const double *h, const double *V,
                          const double *loss, size_t t)
{
    size_t p = w->m.p, q = p + 1;
    if (t && t % w->K == 0) {
        add_block_before(w, x, h, loss, t);
        memset(x->fresh, 0, q * q * LANES * sizeof *x->fresh);
    }
    curve_spread(&w->m, q, h, V, w->in, x->fresh);
    if (!w->scratch) return;
    double *now = x->ring + t % w->K * LANES;
    if (t >= w->K) curve_spread(&w->m, p, h, now, x->v, x->tail);
    memcpy(now, V, LANES * sizeof *now);
}

void curve_window_square(const curve_windows *w, const curve_window *x, double *out)
{
    size_t q = w->m.p + 1;
    for (size_t l = 0; l < LANES; l++)
        out[l] = x->fresh[(q * q - 1) * LANES + l] + (x->tail ? x->tail[l] : 0);
}
