/* The far coefficients of nu and cc as a sum of decays, which a stream can keep. (theory 13.5) */
#ifndef FINF_TAIL_DECAYS_H
#define FINF_TAIL_DECAYS_H

#include "finf.h"

enum {
    TAIL_TAPS = 8,       /* coefficients before the tail */
    TAIL_DECAYS_MAX = 96 /* there are 64 at nu = 0, and fewer at any other */
};

#define TAIL_STEPS (1ull << 30) /* for which the tail is what it should be */

/* For B(z) = (1 - (1-nu) z)^{1/2}, 0 <= nu <= 1: `count` decays and scales >= 0 with
 *     beta_{TAIL_TAPS + s} = - sum_k scale_k decay_k^s,   s < TAIL_STEPS,
 * so that z = Bw of that many steps is off by a number of standard deviation 2^-44 at most, for w
 * of variance 1. The bits are the same on every machine with IEEE arithmetic. count is even: one
 * may have scale 0. */
typedef struct {
    size_t count;
    double decay[TAIL_DECAYS_MAX], scale[TAIL_DECAYS_MAX];
} tail_decays;

/* FINF_ENOMEM; FINF_ETOL if they are not found, which is not to be expected. */
finf_status tail_decays_find(double nu, tail_decays *out, finf_reason *why);

#endif
