/* The search for the best momentum at a given speed, for every problem that has a value. */
#ifndef FINF_SPEED_H
#define FINF_SPEED_H

#include "bounds.h"

typedef struct {
    finf_speed_family family;
    double R;                     /* contraction a step */
    double h_min, h_max;          /* curvatures */
    const finf_optimizer *beside; /* whose average and weight decay are taken; NULL: none */
    int tuned;                    /* the noise is the best nu, not independent */
    /* the value of this noise with this optimizer and step (+inf: diverges); noise = NULL: of the
     * best nu, which goes with it */
    finf_status (*value)(const finf_noise *noise, const finf_optimizer *o, double eta, void *ctx,
                         finf_real *F, finf_real *nu, finf_reason *why);
    void *ctx;
    double known; /* of m over its largest value; 0: as far as an exact F_inf tells */
} speed_search;

/* Fills *out, which is to be freed whatever the status. */
finf_status speed_find(const speed_search *x, finf_speed_result *out);

#endif
