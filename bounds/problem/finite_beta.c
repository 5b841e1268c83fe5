/* mean |A G B|^2 for a finite beta: the sum of the squares of what beta becomes in the closed loop,
 * step by step, and what is left when beta has ended from the recursion of gain.c. (theory 11.2)
 *
 * Panels would have to follow every swing of |B|^2, some n of them, for every direction. */
#include <stdlib.h>
#include <string.h>

#include "filtered.h"

#define RING (2 * OPTIMIZER_ORDER_MAX) /* steps that are remembered */

/* theta, its moves and the gradients of the last steps; the average is theta's, or that of ema. */
typedef struct {
    const finf_optimizer *o;
    long double q, leak;
    int in_double; /* every step is rounded to double */
    size_t t;
    long double move[RING], gradient[RING];
    long double theta, average;
} run;

static long double kept(const run *r, long double x) { return r->in_double ? (double)x : x; }

/* One step, with `in` added to the gradient: rest * moves = b * (in - q theta). */
static void step(run *r, long double in)
{
    const finf_optimizer *o = r->o;
    long double move = 0;
    for (size_t k = 1; k < o->nb && k <= r->t; k++)
        move = kept(r, move + o->b[k] * r->gradient[(r->t - k) % RING]);
    for (size_t k = 1; k + 1 < o->na && k <= r->t; k++)
        move = kept(r, move - o->rest[k] * r->move[(r->t - k) % RING]);
    r->move[r->t % RING] = move;
    r->theta = kept(r, r->theta + move);
    r->gradient[r->t % RING] = kept(r, in - r->q * r->theta);
    r->average = kept(r, r->average + r->leak * (r->theta - r->average));
    r->t++;
}

/* c = a + q b, times 1 - a x for ema: what the output obeys once beta has ended. */
static size_t free_recursion(const finf_optimizer *o, double q, int ema, schur_real *c)
{
    size_t n;
    loop_polynomial(o, q, c, &n);
    if (!ema) return n;
    c[n] = 0;
    for (size_t k = n; k > 0; k--) c[k] -= (1 - (schur_real)o->average_leak) * c[k - 1];
    return n + 1;
}

/* The sum of squares of a whole run; negative where the rest of it was not found. */
static long double squares(const finf_optimizer *o, double q, const double *beta, size_t n, int ema,
                           int in_double)
{
    run r = {.o = o, .q = q, .leak = ema ? o->average_leak : 1, .in_double = in_double};
    long double sum = 0;
    for (size_t t = 0; t < n + o->nb; t++) {
        step(&r, t < n ? beta[t] : 0);
        sum += r.average * r.average;
    }
    /* the next values u_0, u_1, .. are d/c as a series, with d_k = sum_{i<=k} c_i u_{k-i} */
    schur_real c[OPTIMIZER_ORDER_MAX + 1], d[OPTIMIZER_ORDER_MAX + 1], u[OPTIMIZER_ORDER_MAX + 1];
    size_t order = free_recursion(o, q, ema, c);
    for (size_t k = 0; k < order; k++) {
        step(&r, 0);
        u[k] = r.average;
        d[k] = 0;
        for (size_t i = 0; i <= k && k + 1 < order; i++) d[k] += c[i] * u[k - i];
    }
    finf_real rest;
    if (loop_series_energy(c, d, order, &rest)) return -1;
    return sum + rest.value;
}

/* last:K is a finite filter itself: beta convolved with K numbers 1/K. */
static double *smoothed(const double *beta, size_t n, size_t K)
{
    double *out = malloc((n + K) * sizeof *out);
    long double sum = 0;
    for (size_t t = 0; out && t < n + K - 1; t++) {
        sum += (t < n ? beta[t] : 0) - (t >= K ? (long double)beta[t - K] : 0);
        out[t] = (double)(sum / (long double)K);
    }
    return out;
}

/* Two runs, in long double and in double: the second's rounding is seen, and the first's is 2^-11
 * of it. FINF_ETOL: too much of it, or the rest is not found. */
finf_status finite_beta_mean(const finf_optimizer *o, const double *beta, size_t n, double q,
                             int with_average, finf_real *out)
{
    int ema = with_average && o->average == AVERAGE_EMA,
        last = with_average && o->average == AVERAGE_LAST;
    double *longer = last ? smoothed(beta, n, o->average_last) : NULL;
    if (last && !longer) return FINF_ENOMEM;
    if (last) {
        beta = longer;
        n += o->average_last - 1;
    }
    long double wide = squares(o, q, beta, n, ema, 0), narrow = squares(o, q, beta, n, ema, 1);
    free(longer);
    double value = (double)wide, ratio = (double)(LDBL_EPSILON / DBL_EPSILON);
    double error = (double)fabsl(wide - narrow) * 8 * ratio + 8 * FINF_EPS * value;
    if (last) error += 8 * FINF_EPS * value * sqrt((double)o->average_last);
    if (!(wide > 0 && narrow > 0 && error <= 1e-12 * value)) return FINF_ETOL;
    *out = finf_real_make(value, error, "beta through the closed loop");
    return FINF_OK;
}
