/* The product of two matrices where there is no BLAS, or the reference one. */
#ifndef FINF_MULTIPLY_H
#define FINF_MULTIPLY_H

#include <stddef.h>

#include "base.h"

/* A matrix of which element (i, k) is at[i * down + k * right]: transposed by exchanging the two.
 */
typedef struct {
    const double *at;
    size_t down, right;
} multiply_view;

/* C += f A B, where A is m x k, B k x n; a row of C is ldc numbers long. With `upper` only tiles
 * that reach the diagonal or above it are computed; what they have below it is written too, where
 * it is within the tile. FINF_ENOMEM: C may be changed in part. */
finf_status multiply_add(size_t m, size_t n, size_t k, double f, multiply_view A, multiply_view B,
                         double *C, size_t ldc, int upper);

#endif
