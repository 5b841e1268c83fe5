/* The search for the best momentum at a given speed, for every problem that has a value. */
#ifndef FINF_SPEED_H
#define FINF_SPEED_H

#include "bounds.h"

typedef struct {
    finf_speed_family family;
    double R;                     /* contraction a step */
    double h_min, h_max;          /* curvatures */
    const finf_optimizer *beside; /* whose average and weight decay are taken; NULL: none */
    /* the value with this optimizer and step (+inf: diverges), and the nu that goes with it */
    finf_status (*value)(const finf_optimizer *o, double eta, void *ctx, finf_real *F, double *nu,
                         finf_reason *why);
    void *ctx;
    double known; /* of m over its largest value; 0: as far as an exact F_inf tells */
} speed_search;

/* Fills *out, which is to be freed whatever the status. */
finf_status speed_find(const speed_search *x, finf_speed_result *out);

#endif
