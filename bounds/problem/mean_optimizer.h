/* Mean estimation with any optimizer: mean_optimizer.c. */
#ifndef FINF_MEAN_OPTIMIZER_H
#define FINF_MEAN_OPTIMIZER_H

#include "filtered.h"

/* finf_mean with an optimizer that is not plain, its arguments checked. */
finf_status mean_with_optimizer(const finf_noise *noise, double eta, const finf_mean_options *o,
                                finf_mean_result *out);

/* |A G| at t = tan(w/2), a circle_fn of a mean_loop, for eta = 1. */
typedef struct {
    const finf_optimizer *o;
    double q;
} mean_loop;
double mean_loop_size(double t, void *loop);

#endif
