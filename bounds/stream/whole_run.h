/* z = beta * w over all steps of a run at once, for noise without a recursion. (theory 13.5) */
#ifndef FINF_WHOLE_RUN_H
#define FINF_WHOLE_RUN_H

#include <stddef.h>

#include "finf.h"

enum { WHOLE_RUN_COORDINATES = 8 }; /* that go through one transform */

typedef struct whole_run whole_run;

/* For n >= 1 steps. NULL: no memory. */
whole_run *whole_run_make(const double *beta, size_t n);
void whole_run_free(whole_run *r);
/* The coordinates 0 .. 7 of step t are at x + t stride, w before and z after. A coordinate's bits
 * depend on its own w, on that of its neighbour in the pair (0,1), (2,3), .., and on n alone. */
void whole_run_apply(whole_run *r, double *x, size_t stride);

#endif
