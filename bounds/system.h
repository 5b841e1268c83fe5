/* Systems of n steps: what system.c, factorization.c and curve.c share. The public part is in finf.h. */
#ifndef FINF_SYSTEM_H
#define FINF_SYSTEM_H

#include "finf.h"

typedef enum { SYSTEM_TOEPLITZ, SYSTEM_TREE, SYSTEM_HONAKER, SYSTEM_FULL_HONAKER, SYSTEM_FFT, SYSTEM_ME } system_kind;

/* factorization.c: X = sum_k weight_k (Delta Delta' + shift_k V)^{-1}, Delta = A^{-1}, V = diag(v): see there */
typedef struct {
    size_t n, nodes;
    double *v, *shift, *weight; /* one block, in v */
    double scale;               /* 1 / max_i X_ii: what X must be multiplied by to have sens2 = 1 */
    double error, lower;        /* of that X; the dual value */
    int iterations;
} factorization;

finf_status factorization_make(size_t n, factorization *out, finf_reason *why);
void factorization_free(factorization *f);
/* The upper triangles (j >= i) of X and K = X^{-1}; the others are left alone. */
finf_status factorization_gram(const factorization *f, double *X);
finf_status factorization_covariance(const factorization *f, double *K);

/* The Toeplitz C of `bands` coefficients with the least loss over n steps; c has n entries, the start on entry. */
finf_status factorization_banded(size_t n, size_t bands, double *c, int *iterations, finf_reason *why);

struct finf_system {
    system_kind kind;
    finf_system_facts facts;
    double *c, *beta; /* Toeplitz: n of each, one block in c */
    double *r;        /* FFT: r_0..r_n, X_ij = r_|i-j| */
    factorization dense;
};

#endif
