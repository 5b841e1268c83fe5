/* The matrix M of a run's loss: loss = sigma^2 <M, K> + rest, K the covariance of the noise of n
 * steps. (theory 12.1)
 *
 * It comes from an adjoint recursion. With P(t) the weight of the state's second moment at time t,
 * and directions j that stand for m_j each,
 *
 *     a_j = gain' P_j(t+1) gain,
 *     P_j(t) = A_j' P_j(t+1) A_j + u_t half_j report report'
 *              + ((1+kx) lambda_j^2 a_j + lambda_j sum_i m_i lambda_i a_i) e_1 e_1',
 *     M_ts = sum_j m_j gain' P_j(t+1) A_j^{t-s} gain,   s <= t.
 *
 * The last term of P is the gradient noise (xx' - H) theta: white, whatever the optimizer, and as
 * large as theta's second moment says. */
#include "design.h"

#include <stdlib.h>
#include <string.h>

#include "dense.h"

finf_status design_adjoint_make(const finf_design *r, design_adjoint *a)
{
    size_t square = r->p * r->p * r->d;
    *a = (design_adjoint){.P = calloc(2 * square + 2 * r->d, sizeof *a->P)};
    if (!a->P) return FINF_ENOMEM;
    a->work = a->P + square;
    a->feed = a->work + square;
    a->gain = a->feed + r->d;
    return FINF_OK;
}

void design_adjoint_free(design_adjoint *a)
{
    free(a->P);
    a->P = NULL;
}

/* A run with a single number for a state, which is what plain SGD has. */
FINF_VECTOR static void step_one(const finf_design *r, double u, design_adjoint *a)
{
    const double *restrict q = r->A[0].value;
    double *restrict P = a->P;
    double report = u * r->report[0] * r->report[0];
    const double *restrict half = r->half;
    const double *restrict feed = a->feed;
    for (size_t j = 0; j < r->d; j++) P[j] = q[j] * P[j] * q[j] + report * half[j] + feed[j];
}

/* feed from gain and its trace. */
FINF_VECTOR static void set_feed(const finf_design *r, double trace, design_adjoint *a)
{
    double *restrict feed = a->feed;
    const double *restrict own = r->feed;
    const double *restrict gain = a->gain;
    const double *restrict lambda = r->lambda;
    for (size_t j = 0; j < r->d; j++) feed[j] = own[j] * gain[j] + lambda[j] * trace;
}

/* gain, trace and feed from P(t+1). */
static void feed_back(const finf_design *r, design_adjoint *a)
{
    design_form(r, r->gain, a->P, a->gain);
    a->trace = dense_dot(r->pull, a->gain, r->d);
    set_feed(r, a->trace, a);
}

void design_adjoint_step(const finf_design *r, double u, design_adjoint *a)
{
    size_t p = r->p, d = r->d;
    feed_back(r, a);
    if (p == 1) {
        step_one(r, u, a);
        return;
    }
    design_congruence(r, 1, a->P, a->work);
    for (size_t i = 0; i < p && u != 0; i++)
        for (size_t l = 0; l < p; l++)
            if (r->report[i] * r->report[l] != 0)
                design_add(d, u * r->report[i] * r->report[l], r->half, a->P + (i * p + l) * d);
    design_add(d, 1, a->feed, a->P);
}

void design_weights(const finf_design *r, double *u)
{
    int last = r->o.objective == FINF_DESIGN_LAST;
    u[0] = 0;
    for (size_t t = 1; t <= r->n; t++) u[t] = last ? t == r->n : 1 / (double)r->n;
}

void design_row_weights(const finf_design *r, const double *P, double *w)
{
    size_t p = r->p, d = r->d;
    memset(w, 0, p * d * sizeof *w);
    for (size_t i = 0; i < p; i++)
        for (size_t l = 0; l < p; l++)
            if (r->gain[l] != 0) design_add(d, r->gain[l], P + (l * p + i) * d, w + i * d);
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < d; j++) w[i * d + j] *= r->count[j];
}

/* Rows n-1, .., 0 of M, of which row t needs P(t+1). */
static finf_status fill(const finf_design *r, const double *u, const double *responses,
                        design_adjoint *a, double *w, double *M)
{
    size_t n = r->n, length = r->p * r->d;
    for (size_t t = n; t-- > 0;) {
        if (t % 64 == 0 && finf_cancelled(r->o.cancel)) return FINF_ETOL;
        design_adjoint_step(r, u[t + 1] * design_scale(r, t + 1), a);
        design_row_weights(r, a->P, w);
        for (size_t k = 0; k <= t; k++)
            M[t * n + t - k] = M[(t - k) * n + t] = dense_dot(w, responses + k * length, length);
    }
    return FINF_OK;
}

finf_status design_matrix(const finf_design *r, const double *u, double *M)
{
    double *responses = NULL, *w = malloc(r->p * r->d * sizeof *w);
    design_adjoint a = {0};
    finf_status s = w ? design_adjoint_make(r, &a) : FINF_ENOMEM;
    if (!s) s = design_responses(r, &responses);
    if (!s) s = fill(r, u, responses, &a, w, M);
    free(w);
    free(responses);
    design_adjoint_free(&a);
    return s;
}

finf_status finf_design_workload(const finf_design *r, const double *weights, double *M,
                                 finf_reason *why)
{
    if (r->n > FINF_SYSTEM_DENSE_MAX)
        return finf_why(why, FINF_EDOM, "%zu steps: a matrix is needed, at most %u", r->n,
                        FINF_SYSTEM_DENSE_MAX);
    if (!weights && r->o.objective == FINF_DESIGN_MAX)
        return finf_why(why, FINF_EUSAGE, "the largest loss has no matrix without weights");
    for (size_t t = 0; t < r->n && weights; t++)
        if (!(weights[t] >= 0 && weights[t] <= BOUNDS_HUGE))
            return finf_why(why, FINF_EDOM, "weight %zu = %s: must be from 0 to 1e50", t + 1,
                            finf_show(weights[t]).s);
    double *u = malloc((r->n + 1) * sizeof *u);
    if (!u) return finf_why(why, FINF_ENOMEM, "no memory for %zu steps", r->n);
    design_weights(r, u);
    if (weights) memcpy(u + 1, weights, r->n * sizeof *u);
    finf_status s = design_matrix(r, u, M);
    free(u);
    return s == FINF_ETOL ? finf_why(why, s, "stopped at the matrix of the loss")
           : s            ? finf_why(why, s, "no memory for %zu steps", r->n)
                          : FINF_OK;
}
