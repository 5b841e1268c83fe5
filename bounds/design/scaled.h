/* Inside bounds/design/: noise with k vectors of state whose scales change from step to step.
 * (theory 12.5)
 *
 * C = L D, L_ts = sum_i out_i(t) decay_i^{t-1-s} in_i(s) for s < t, 1 for s = t, and D diagonal. So
 *
 *     y_t = w_t - sum_i out_i(t) S_i(t),   S_i(t+1) = decay_i S_i(t) + in_i(t) y_t,   z_t = gain_t
 * y_t,
 *
 * gain = 1/D, which makes the sensitivity of every user 1. Numbers of a buffer are stored step by
 * step: out_i(t) is at [t k + i]. */
#ifndef FINF_SCALED_H
#define FINF_SCALED_H

#include "design.h"

#define SCALED_MAX FINF_BLT_BUFFERS_MAX

/* A noise, or the derivatives of a number by each part of it. */
typedef struct {
    double decay[SCALED_MAX];
    double *out;    /* n k; the allocation of all four */
    double *in;     /* n k */
    double *within; /* n: how large a step is beside the others of a user's, up to a factor */
    double *gain;   /* n */
} scaled_noise;
finf_status scaled_noise_make(size_t n, size_t k, scaled_noise *x);
void scaled_noise_free(scaled_noise *x);
void scaled_noise_clear(size_t n, size_t k, scaled_noise *x);

/* x'y of k numbers, too few for dense_dot. */
static inline double scaled_product(size_t k, const double *x, const double *y)
{
    double sum = 0;
    for (size_t i = 0; i < k; i++) sum += x[i] * y[i];
    return sum;
}

/* ---- scaled_loss.c: <M, BB'> (theory 12.5) ---- */

typedef struct {
    const finf_design *r;
    size_t k;
    size_t block;    /* steps between those whose moments are kept; n: all are kept */
    double *own;     /* n: M_tt; the allocation of all */
    double *past;    /* n p d: M_ts is its row t times A^{t-s-1} gain */
    double *kept;    /* moments at every block-th step, */
    double *moments; /* and at all steps of one block */
    double *slope;   /* derivatives by the moments after a step, */
    double *before;  /* and before it */
    double *work;    /* 2 p d */
} scaled_loss;
/* u: n+1 weights of an objective that is a sum. FINF_ETOL: cancelled. */
finf_status scaled_loss_make(const finf_design *r, const double *u, size_t k, scaled_loss *a);
void scaled_loss_free(scaled_loss *a);
/* The loss at sigma = 1; its derivatives are added to `by`. */
double scaled_loss_at(scaled_loss *a, const scaled_noise *x, scaled_noise *by);

/* ---- scaled_gain.c: what makes the sensitivity 1 ---- */

/* gain_t = (sum over i, j of the user's group of within_i within_j (L'L)_ij)^{1/2} / within_t. As
 * all entries are positive that is the group's sensitivity whatever the signs; for one
 * participation it is the norm of a column. work: of as many numbers as scaled_gain_room says, left
 * as they are for the derivatives. */
size_t scaled_gain_room(const design_groups *g, size_t k);
void scaled_gain(const design_groups *g, size_t k, scaled_noise *x, double *work);
/* Derivatives by `gain` become those by the others. */
void scaled_gain_slope(const design_groups *g, size_t k, const scaled_noise *x, double *work,
                       scaled_noise *by);

#endif
