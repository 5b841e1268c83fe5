#ifndef FINF_SUMRULE_H
#define FINF_SUMRULE_H

#include <stddef.h>

#define SUMRULE 16

/* sum_{k=0}^{N-1} f(k) = sum_i weight_i f(node_i) for f of degree < 2 SUMRULE; N >= SUMRULE. 0 if
 * out of memory. */
int sumrule_gauss(double N, double node[SUMRULE], double weight[SUMRULE]);

#endif
