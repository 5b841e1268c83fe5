/* What montecarlo.c shows to its tests. The public part is in finf.h. */
#ifndef FINF_MONTECARLO_H
#define FINF_MONTECARLO_H

#include "finf.h"

/* (1-(1-nu)z)^p = 1 + sum_i gain_i z/(1 - (1-leak_i) z), good to 1e-5 for frequencies above `slow`. */
typedef struct {
    size_t n;
    double gain[128], leak[128];
} rational;
void rational_power(double p, double nu, double slow, rational *out);

#endif
