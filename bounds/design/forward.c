/* E[F(theta_t) - F*] of a run for every t, forward in time: the other way to what workload.c finds
 * backward, and what the largest loss of a run is taken over. (theory 12.1)
 *
 * V(t), the state's second moment, has V(t+1) = A V A' + A r gain' + gain r' A' + gain gain' (K_tt
 * + m_j), r = E[x(t) z_t] = sum_{s<t} K_ts A^{t-1-s} gain, and m_j the variance of gradient noise.
 */
#include "design.h"

#include <stdlib.h>
#include <string.h>

finf_status design_responses(const finf_design *r, double **out)
{
    size_t length = r->p * r->d;
    *out = malloc(r->n * length * sizeof **out);
    if (!*out) return FINF_ENOMEM;
    for (size_t i = 0; i < r->p; i++)
        for (size_t j = 0; j < r->d; j++) (*out)[i * r->d + j] = r->gain[i];
    for (size_t k = 1; k < r->n; k++) design_advance(r, *out + (k - 1) * length, *out + k * length);
    return FINF_OK;
}

/* What a pass over time works with: one allocation, which is V's. */
typedef struct {
    double *V;     /* p x p x d: second moments, of what is not in `sums` */
    double *work;  /* as many */
    double *x;     /* p x d: r, or the response of Toeplitz noise */
    double *next;  /* p x d */
    double *sum;   /* d: sum of squares of theta's response to Toeplitz noise */
    double *told;  /* d: and of the reported point's */
    double *S;     /* d: second moment of theta */
    double *white; /* d: what white noise adds at this step */
} pass;

static finf_status pass_make(const finf_design *r, int rest, pass *a)
{
    size_t p = r->p, d = r->d, square = p * p * d;
    a->V = calloc(2 * square + 2 * p * d + 4 * d, sizeof *a->V);
    if (!a->V) return FINF_ENOMEM;
    a->work = a->V + square;
    a->x = a->work + square;
    a->next = a->x + p * d;
    a->sum = a->next + p * d;
    a->told = a->sum + d;
    a->S = a->told + d;
    a->white = a->S + d;
    for (size_t i = 0; i < p && rest; i++)
        for (size_t l = 0; l < p; l++)
            design_add(d, r->begin[i] * r->begin[l], r->start, a->V + (i * p + l) * d);
    return FINF_OK;
}

/* The loss at time t. */
static double loss_now(const finf_design *r, size_t t, const pass *a, double *room)
{
    double f = 0;
    design_form(r, r->report, a->V, room);
    for (size_t j = 0; j < r->d; j++) f += r->count[j] * r->half[j] * (room[j] + a->told[j]);
    return f * design_scale(r, t);
}

/* white = the variance of gradient noise at this step. */
static void gradient_noise(const finf_design *r, int rest, pass *a)
{
    double trace = 0, sgd = rest ? r->o.privacy.sigma_sgd * r->o.privacy.sigma_sgd : 0;
    for (size_t j = 0; j < r->d; j++) {
        a->S[j] = a->V[j] + a->sum[j];
        trace += r->count[j] * r->lambda[j] * a->S[j];
    }
    for (size_t j = 0; j < r->d; j++)
        a->white[j] = r->feed[j] * a->S[j] + r->lambda[j] * (trace + sgd);
}

/* V <- A V A' + gain gain' white. */
static void advance(const finf_design *r, pass *a)
{
    size_t p = r->p, d = r->d;
    design_congruence(r, 0, a->V, a->work);
    for (size_t i = 0; i < p; i++)
        for (size_t l = 0; l < p; l++)
            if (r->gain[i] * r->gain[l] != 0)
                design_add(d, r->gain[i] * r->gain[l], a->white, a->V + (i * p + l) * d);
}

/* V += A r gain' + gain r' A', r from row t of K. */
static void correlate(const finf_design *r, const double *responses, const double *row, size_t t,
                      double scale, pass *a)
{
    size_t p = r->p, d = r->d;
    memset(a->x, 0, p * d * sizeof *a->x);
    for (size_t s = 0; s < t; s++)
        design_add(p * d, scale * row[s], responses + (t - 1 - s) * p * d, a->x);
    design_advance(r, a->x, a->next);
    for (size_t i = 0; i < p; i++)
        for (size_t l = 0; l < p; l++)
            if (r->gain[l] != 0) {
                design_add(d, r->gain[l], a->next + i * d, a->V + (i * p + l) * d);
                design_add(d, r->gain[l], a->next + i * d, a->V + (l * p + i) * d);
            }
}

finf_status design_forward(const finf_design *r, const double *responses, const double *K,
                           double scale, int rest, double *f)
{
    pass a = {0};
    finf_status s = pass_make(r, rest, &a);
    for (size_t t = 0; t <= r->n && !s; t++) {
        f[t] = loss_now(r, t, &a, a.white);
        if (t == r->n) break;
        if (t % 64 == 0 && finf_cancelled(r->o.cancel)) s = FINF_ETOL;
        gradient_noise(r, rest, &a);
        for (size_t j = 0; j < r->d; j++) a.white[j] += scale * K[t * r->n + t];
        advance(r, &a);
        correlate(r, responses, K + t * r->n, t, scale, &a);
    }
    free(a.V);
    return s;
}

/* The response to one unit of noise, which began t steps ago, goes on by a step: its squares are
 * what the noise that began then adds to the second moments. */
static void respond(const finf_design *r, double beta, double scale, pass *a)
{
    double *swap = a->x;
    design_advance(r, a->x, a->next);
    a->x = a->next;
    a->next = swap;
    for (size_t i = 0; i < r->p; i++)
        for (size_t j = 0; j < r->d; j++) a->x[i * r->d + j] += r->gain[i] * beta;
    for (size_t j = 0; j < r->d; j++) {
        double told = 0;
        for (size_t i = 0; i < r->p; i++) told += r->report[i] * a->x[i * r->d + j];
        a->sum[j] += scale * a->x[j] * a->x[j];
        a->told[j] += scale * told * told;
    }
}

finf_status design_forward_toeplitz(const finf_design *r, const double *beta, double scale,
                                    int rest, double *f)
{
    pass a = {0};
    finf_status s = pass_make(r, rest, &a);
    for (size_t t = 0; t <= r->n && !s; t++) {
        f[t] = loss_now(r, t, &a, a.white);
        if (t == r->n) break;
        if (t % 4096 == 0 && finf_cancelled(r->o.cancel)) s = FINF_ETOL;
        gradient_noise(r, rest, &a);
        advance(r, &a);
        respond(r, beta[t], scale, &a);
    }
    free(a.V);
    return s;
}
