/* Gauss quadrature for a sum over consecutive integers. (theory 5.5) */
#ifndef FINF_SUMRULE_H
#define FINF_SUMRULE_H

#include <stddef.h>

#define SUMRULE 16 /* nodes of the rule */

/* sum_{k=0}^{N-1} f(k) = sum_i weight_i f(node_i) for f of degree below 2 SUMRULE, N >= SUMRULE.
 * Returns 0 if there is no memory. */
int sumrule_gauss(double N, double node[SUMRULE], double weight[SUMRULE]);

#endif
