/* Noise with k vectors of state: the gains that make the sensitivity of every user 1, and their
 * derivatives. (theory 12.5) */
#include <stdlib.h>
#include <string.h>

#include "dense.h"
#include "scaled.h"

finf_status scaled_noise_make(size_t n, size_t k, scaled_noise *x)
{
    *x = (scaled_noise){.out = calloc(2 * n * (k + 1), sizeof *x->out)};
    if (!x->out) return FINF_ENOMEM;
    x->in = x->out + n * k;
    x->within = x->in + n * k;
    x->gain = x->within + n;
    return FINF_OK;
}

void scaled_noise_free(scaled_noise *x)
{
    free(x->out);
    x->out = NULL;
}

void scaled_noise_clear(size_t n, size_t k, scaled_noise *x)
{
    memset(x->decay, 0, sizeof x->decay);
    memset(x->out, 0, 2 * n * (k + 1) * sizeof *x->out);
}

/* ---- one participation: every column of L on its own ------------------------------------------
 */

/* G <- out(t) out(t)' + decay G decay: column t-1 of L has the square 1 + in'G in. */
static void gather(const scaled_noise *x, size_t k, size_t t, const double *after, double *G)
{
    const double *out = x->out + t * k;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            G[i * k + j] = out[i] * out[j] + x->decay[i] * after[i * k + j] * x->decay[j];
}

/* G(t) of the steps t.., for t = n, .., 1, at work[t k k]. */
static void columns(size_t n, size_t k, scaled_noise *x, double *work)
{
    memset(work + n * k * k, 0, k * k * sizeof *work);
    for (size_t t = n; t-- > 0;) {
        const double *G = work + (t + 1) * k * k, *in = x->in + t * k;
        double sum = 1;
        for (size_t i = 0; i < k; i++) sum += in[i] * dense_dot(G + i * k, in, k);
        x->gain[t] = sqrt(sum);
        gather(x, k, t, G, work + t * k * k);
    }
}

/* Forward in time: Y has the derivatives by G(t+1), and those of the steps before in it. */
static void columns_slope(size_t n, size_t k, const scaled_noise *x, const double *work,
                          scaled_noise *by)
{
    double Y[SCALED_MAX * SCALED_MAX] = {0};
    for (size_t t = 0; t < n; t++) {
        const double *G = work + (t + 1) * k * k, *in = x->in + t * k, *out = x->out + t * k;
        double f = by->gain[t] / x->gain[t];
        for (size_t i = 0; i < k; i++) {
            by->out[t * k + i] += 2 * dense_dot(Y + i * k, out, k);
            by->in[t * k + i] += f * dense_dot(G + i * k, in, k);
        }
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < k; j++) {
                by->decay[i] += 2 * Y[i * k + j] * x->decay[j] * G[i * k + j];
                Y[i * k + j] = x->decay[i] * Y[i * k + j] * x->decay[j] + 0.5 * f * in[i] * in[j];
            }
    }
}

/* ---- several: the sum of a user's columns -----------------------------------------------------
 */

/* The sum of the columns of group c, each times `within`, at sum[first..n), first its first step,
 * and the state before every step at S. */
static double add_columns(const design_groups *g, size_t c, size_t k, const scaled_noise *x,
                          double *S, double *sum)
{
    size_t at = g->from[c], first = g->step[at];
    double square = 0;
    memset(S + first * k, 0, k * sizeof *S);
    for (size_t t = first; t < g->n; t++) {
        int mine = at < g->from[c + 1] && g->step[at] == t;
        double h = mine ? x->within[t] : 0;
        sum[t] = h + dense_dot(x->out + t * k, S + t * k, k);
        square += sum[t] * sum[t];
        for (size_t i = 0; i < k && t + 1 < g->n; i++)
            S[(t + 1) * k + i] = x->decay[i] * S[t * k + i] + h * x->in[t * k + i];
        at += (size_t)mine;
    }
    return square;
}

/* Derivatives of f times that square, added to `by`. */
static void add_columns_slope(const design_groups *g, size_t c, size_t k, const scaled_noise *x,
                              const double *S, const double *sum, double f, scaled_noise *by)
{
    size_t at = g->from[c + 1], first = g->step[g->from[c]];
    double Y[SCALED_MAX] = {0}; /* by the state after step t */
    for (size_t t = g->n; t-- > first;) {
        const double *in = x->in + t * k, *out = x->out + t * k;
        double slope = 2 * f * sum[t];
        int mine = at > g->from[c] && g->step[at - 1] == t;
        if (mine) by->within[t] += slope + dense_dot(in, Y, k);
        for (size_t i = 0; i < k; i++) {
            if (mine) by->in[t * k + i] += x->within[t] * Y[i];
            by->decay[i] += S[t * k + i] * Y[i];
            by->out[t * k + i] += slope * S[t * k + i];
            Y[i] = x->decay[i] * Y[i] + slope * out[i];
        }
        at -= (size_t)mine;
    }
}

static void users_slope(const design_groups *g, size_t k, const scaled_noise *x, double *work,
                        scaled_noise *by)
{
    double *sum = work + g->n * k;
    for (size_t c = 0; c < g->groups; c++) {
        double root = sqrt(add_columns(g, c, k, x, work, sum)), slope = 0;
        for (size_t at = g->from[c]; at < g->from[c + 1]; at++) {
            size_t t = g->step[at];
            slope += by->gain[t] / x->within[t];
            by->within[t] -= by->gain[t] * x->gain[t] / x->within[t];
        }
        add_columns_slope(g, c, k, x, work, sum, 0.5 * slope / root, by);
    }
}

/* ---- either -----------------------------------------------------------------------------------
 */

size_t scaled_gain_room(const design_groups *g, size_t k)
{
    return (g->n + 1) * (g->most == 1 ? k * k : k + 1);
}

void scaled_gain(const design_groups *g, size_t k, scaled_noise *x, double *work)
{
    if (g->most == 1) {
        columns(g->n, k, x, work);
        return;
    }
    for (size_t c = 0; c < g->groups; c++) {
        double root = sqrt(add_columns(g, c, k, x, work, work + g->n * k));
        for (size_t at = g->from[c]; at < g->from[c + 1]; at++)
            x->gain[g->step[at]] = root / x->within[g->step[at]];
    }
}

void scaled_gain_slope(const design_groups *g, size_t k, const scaled_noise *x, double *work,
                       scaled_noise *by)
{
    if (g->most == 1)
        columns_slope(g->n, k, x, work, by);
    else
        users_slope(g, k, x, work, by);
}
