/* The least value of a function of many variables, from its derivatives. */
#ifndef FINF_LBFGS_H
#define FINF_LBFGS_H

#include <stddef.h>

#include "base.h"

typedef struct {
    size_t n; /* variables */
    /* f and its n derivatives at x; f = +inf where x is outside the domain. Any status but FINF_OK
     * ends the search with it. */
    finf_status (*value)(const double *x, void *data, double *f, double *g);
    /* NULL, or told after every step. */
    void (*told)(void *data, int step, double f);
    void *data;    /* handed to both */
    int steps_max; /* at most so many steps */
    double tol;    /* it ends where a step promises less than this, twice in turn */
    size_t pairs;  /* steps that are remembered; 0: 12, enough for most */
    double slow;   /* it also ends where 50 steps together gain less than this; 0: never */
} lbfgs_problem;

/* From x, which becomes the best point found, whatever the status; *f its value, *left what the
 * last step promised. FINF_ETOL: that is not below tol, after steps_max or where no step goes down.
 */
finf_status lbfgs(const lbfgs_problem *p, double *x, double *f, int *steps, double *left);

#endif
