/* The update rule of a linear optimizer, step by step. (theory 11.1, 11.5)
 *
 * With P = b/a, a = (1 - x) rest, x one step back: rest makes of the gradients u_t the move y_t of
 * theta. In the transposed direct form, with buffers s_1..s_order that are 0 at the start,
 *
 *     y = s_1 + b_1 u,   theta <- theta - eta y,   s_i <- s_{i+1} - rest_i s_1 + c_i u,
 *     c_i = b_{i+1} - rest_i b_1,   s_{order+1} = 0.
 *
 * The pole at z = 1 is the sum theta itself and is not rounded; no other pole is ever found, so
 * none is divided by its distance to another. For heavy ball, s_1 is m times PyTorch's buffer,
 * for Nesterov m^2 times. */
#ifndef FINF_UPDATE_RULE_H
#define FINF_UPDATE_RULE_H

#include "optimizer.h"

typedef struct {
    size_t order;                     /* buffers */
    double eta;                       /* the step */
    double first;                     /* b_1 */
    double rest[OPTIMIZER_ORDER_MAX]; /* rest_1.. at [0].. */
    double c[OPTIMIZER_ORDER_MAX];    /* c_1.. at [0].. */
} update_rule;

static inline update_rule update_rule_make(const finf_optimizer *o, double eta)
{
    size_t poles = o->na - 2, zeros = o->nb - 2;
    update_rule u = {.order = poles > zeros ? poles : zeros, .eta = eta, .first = o->b[1]};
    for (size_t i = 0; i < u.order; i++) {
        u.rest[i] = i < poles ? o->rest[i + 1] : 0;
        u.c[i] = (i < zeros ? o->b[i + 2] : 0) - u.rest[i] * u.first;
    }
    return u;
}

#endif
