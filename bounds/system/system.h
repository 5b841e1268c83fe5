/* Systems of n steps: what system.c, tree.c, participation.c, factorization.c, epochs.c and curve.c
 * share beside finf.h. */
#ifndef FINF_SYSTEM_H
#define FINF_SYSTEM_H

#include "base.h"

typedef enum {
    SYSTEM_TOEPLITZ,
    SYSTEM_TREE,
    SYSTEM_HONAKER,
    SYSTEM_FULL_HONAKER,
    SYSTEM_FFT,
    SYSTEM_ME,
    SYSTEM_EPOCHS
} system_kind;

static inline int system_stopped(const finf_system_options *o)
{
    return o && finf_cancelled(o->cancel);
}

/* factorization.c: X = sum_k weight_k (Delta Delta' + shift_k V)^{-1}, Delta = A^{-1}, V = diag(v):
 * see there */
typedef struct {
    size_t n, nodes;
    double *v, *shift, *weight; /* one block, in v */
    double scale;               /* 1 / max_i X_ii: what X must be multiplied by to have sens2 = 1 */
    double error, lower;        /* of that X; the dual value */
    int iterations;
} factorization;

/* Nodes for lambda^{-1/2} = sum_k weight_k / (lambda + shift_k), m <= lambda <= M; how many: at
 * most that number. */
#define FACTORIZATION_NODES 128
size_t factorization_rule(double m, double M, double *shift, double *weight);

finf_status factorization_make(size_t n, const finf_system_options *o, factorization *out,
                               finf_reason *why);
void factorization_free(factorization *f);
/* The upper triangles (j >= i) of X and K = X^{-1}; the others are left alone. FINF_ETOL:
 * cancelled. */
finf_status factorization_gram(const factorization *f, const finf_system_options *o, double *X);
finf_status factorization_covariance(const factorization *f, const finf_system_options *o,
                                     double *K);

/* epochs.c: the same with U, b blocks of k x k, in the place of V */
typedef struct {
    size_t n, b, k, nodes;
    double *U, *shift, *weight; /* one block, in U */
    double scale, one;          /* 1 / (max_r sum |X_r|); max_i X_ii after scaling */
    /* as above, for the participations of b epochs; gap = error/lower - 1 */
    double error, lower, gap;
    int iterations;
} epochs;

finf_status epochs_make(size_t n, size_t b, const finf_system_options *o, epochs *out,
                        finf_reason *why);
void epochs_free(epochs *f);
finf_status epochs_gram(const epochs *f, const finf_system_options *o, double *X);
finf_status epochs_covariance(const epochs *f, const finf_system_options *o, double *K);

/* The Toeplitz C of `bands` coefficients with the least loss over n steps; c has n entries, the
 * start on entry. */
finf_status factorization_banded(size_t n, size_t bands, const finf_system_options *o, double *c,
                                 int *iterations, finf_reason *why);

/* tree.c; gram and covariance as above. draw: n numbers z from 2n measurements w (it needs the
 * nodes'), destroyed. */
double tree_sens2(size_t n);
double tree_error(int honaker, size_t n);
double full_honaker_error(size_t n);
void tree_gram(size_t n, double *X);
finf_status tree_covariance(int honaker, size_t n, double *K);
void full_honaker_covariance(size_t n, double *K);
void tree_draw(int honaker, size_t n, double *w, double *z);
void full_honaker_draw(size_t n, double *w, double *z);

/* FINF_EDOM where n is too large for a matrix. */
finf_status system_check_dense(const finf_system *s, finf_reason *why);
/* finf_system_gram and finf_system_covariance, which can be cancelled (FINF_ETOL). */
finf_status system_gram(const finf_system *s, const finf_system_options *o, double *X,
                        finf_reason *why);
finf_status system_covariance(const finf_system *s, const finf_system_options *o, double *K,
                              finf_reason *why);

struct finf_system {
    system_kind kind;
    finf_system_facts facts;
    double *c, *beta; /* Toeplitz: n of each, one block in c */
    double *r;        /* FFT: r_0..r_n, X_ij = r_|i-j| */
    factorization dense;
    epochs several;
};

#endif
