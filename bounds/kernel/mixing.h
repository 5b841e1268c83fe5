/* Anderson's mixing: a fixed point x = g(x) from the last few pairs x, g(x). */
#ifndef FINF_MIXING_H
#define FINF_MIXING_H

#include <stddef.h>

#include "base.h"

#define MIXING_MEMORY 8 /* differences that it looks back at */

/* The last MIXING_MEMORY + 1 pairs, in a ring. */
typedef struct {
    size_t length; /* of a vector x */
    size_t held;   /* pairs so far: the newest is number held - 1 */
    size_t first;  /* the number of the oldest that is to be used */
    double *from;  /* the x, and the allocation of all three */
    double *to;    /* the g(x) */
    double *basis; /* room for MIXING_MEMORY vectors */
} mixing;

finf_status mixing_make(size_t length, mixing *m);
void mixing_free(mixing *m);
/* Room for the next pair: the caller writes x and g(x) there. */
void mixing_next(mixing *m, double **x, double **g);
/* Only the newest pair is used from now on; returns its g(x). */
const double *mixing_forget(mixing *m);
/* The mixed point, into `out` of m->length numbers; g(x) itself while there is only one pair. Each
 * number's residual counts by its weight, or alike where that is NULL. */
void mixing_mix(mixing *m, const double *weight, double *out);

#endif
