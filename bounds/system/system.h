/* Systems of n steps: what system.c, tree.c, matrix.c, participation.c, factorization.c, epochs.c
 * and curve.c share beside finf.h. (theory 6.1 to 6.5)
 *
 * A system is a strategy matrix C and a decoder. Two n x n matrices say everything about it: the
 * Gram matrix X = C'C, which gives the sensitivity, and the covariance K of the noise on the n
 * gradients at sigma = 1. A is the lower triangle of ones (prefix sums), Delta = A^{-1}. Matrices
 * are stored by rows: entry (i,j) is at i n + j. */
#ifndef FINF_SYSTEM_H
#define FINF_SYSTEM_H

#include "base.h"

typedef enum {
    SYSTEM_TOEPLITZ,     /* any noise of theory 1, and banded C */
    SYSTEM_TREE,         /* binary tree, the nodes of the prefix's digits */
    SYSTEM_HONAKER,      /* the same tree, online estimates of its nodes */
    SYSTEM_FULL_HONAKER, /* the same tree, least squares */
    SYSTEM_FFT,          /* square root of a circulant */
    SYSTEM_ME,           /* the optimal factorisation for one participation */
    SYSTEM_EPOCHS,       /* and for one in every epoch */
    SYSTEM_MATRIX        /* any lower triangular C */
} system_kind;

/* Whether the caller wants to stop; o may be NULL. */
static inline int system_stopped(const finf_system_options *o)
{
    return o && finf_cancelled(o->cancel);
}

/* ---- factorization.c: the optimum for one participation (theory 6.4) ------------------------- */

/* X = scale sum_k weight_k (Delta Delta' + shift_k V)^{-1}, V = diag(v). */
typedef struct {
    size_t n;       /* steps */
    size_t nodes;   /* terms of the sum */
    double *v;      /* n multipliers; v, shift and weight are one allocation, which is v's */
    double *shift;  /* as many as nodes */
    double *weight; /* as many as nodes */
    double scale;   /* 1/max_i of the sum's X_ii, so that X has sens^2 = 1 */
    double error;   /* Tr(A'A X^{-1}) of that X: the loss */
    double lower;   /* the dual value, below the loss of every C */
    int iterations;
} factorization;

/* Writes the nodes of the rule lambda^{-1/2} = sum_k weight_k/(lambda + shift_k), good to rounding
 * for m <= lambda <= M, and returns how many they are: at most FACTORIZATION_NODES. */
#define FACTORIZATION_NODES 128
size_t factorization_rule(double m, double M, double *shift, double *weight);

/* Finds v. FINF_ETOL: cancelled, or not converged. */
finf_status factorization_make(size_t n, const finf_system_options *o, factorization *out,
                               finf_reason *why);
void factorization_free(factorization *f);
/* The upper triangles (j >= i) of X and of K = X^{-1}; the lower ones are left alone. FINF_ETOL:
 * cancelled. */
finf_status factorization_gram(const factorization *f, const finf_system_options *o, double *X);
finf_status factorization_covariance(const factorization *f, const finf_system_options *o,
                                     double *K);

/* ---- epochs.c: the optimum for a participation in every epoch (theory 6.4) ------------------- */

/* X = scale sum_l weight_l (Delta Delta' + shift_l U)^{-1}, where U has a block for each class r of
 * steps equal mod b, and zeros between steps of different classes. */
typedef struct {
    size_t n;       /* steps */
    size_t b;       /* steps of an epoch, and so the number of classes */
    size_t k;       /* epochs, the last of which may be cut short: ceil(n/b) */
    size_t nodes;   /* terms of the sum */
    double *U;      /* b blocks of k x k; U, shift and weight are one allocation, which is U's */
    double *shift;  /* as many as nodes */
    double *weight; /* as many as nodes */
    double scale;   /* 1/max_r of the sum of |X_r,ij|, so that k participations have sens^2 = 1 */
    double one;     /* max_i X_ii of the scaled X: sens^2 of one participation */
    double error;   /* Tr(A'A X^{-1}) of the scaled X */
    double lower;   /* the dual value, below the error of every C with that sensitivity */
    double gap;     /* error/lower - 1 */
    int iterations;
} epochs;

/* As the functions of factorization.c. */
finf_status epochs_make(size_t n, size_t b, const finf_system_options *o, epochs *out,
                        finf_reason *why);
void epochs_free(epochs *f);
finf_status epochs_gram(const epochs *f, const finf_system_options *o, double *X);
finf_status epochs_covariance(const epochs *f, const finf_system_options *o, double *K);

/* ---- factorization.c: banded Toeplitz strategies (theory 6.7) -------------------------------- */

/* The Toeplitz C with coefficients c_0 = 1, .., c_{bands-1} and the least loss over n steps. c has
 * n entries: where to start on entry, the answer (a stationary point) on return. */
finf_status factorization_banded(size_t n, size_t bands, const finf_system_options *o, double *c,
                                 int *iterations, finf_reason *why);

/* ---- tree.c: binary trees (theory 6.2) ------------------------------------------------------- */

/* `honaker` chooses between SYSTEM_HONAKER (1) and SYSTEM_TREE (0). gram and covariance as above,
 * but tree_covariance writes all of K. draw makes n numbers z of covariance K from 2n independent
 * normals w, the noise of the nodes' measurements, which it destroys. */
double tree_sens2(size_t n);
double tree_error(int honaker, size_t n);
double full_honaker_error(size_t n);
void tree_gram(size_t n, double *X);
finf_status tree_covariance(int honaker, size_t n, double *K);
void full_honaker_covariance(size_t n, double *K);
void tree_draw(int honaker, size_t n, double *w, double *z);
void full_honaker_draw(size_t n, double *w, double *z);

/* ---- matrix.c: a strategy given by its matrix ------------------------------------------------ */

/* The upper triangles of X = C'C and of K = BB'. */
finf_status matrix_gram(const finf_system *s, double *X);
finf_status matrix_covariance(const finf_system *s, double *K);

/* ---- system.c -------------------------------------------------------------------------------- */

/* What every constructor begins and ends with: see there. */
finf_status system_begin(system_kind kind, const char *name, size_t n, size_t most,
                         finf_system **out, finf_reason *why);
void system_table(finf_system *s, const char *matrix, int anytime, const char *generation,
                  const char *step, const char *paper_generation, const char *paper_step);
finf_status system_finish(finf_status status, finf_real sens2, finf_real error, finf_system **out);
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
    double *c;           /* Toeplitz: c_0..c_{n-1}; c and beta are one allocation, which is c's */
    double *beta;        /* Toeplitz: beta_0..beta_{n-1} */
    double *r;           /* FFT: r_0..r_{n-1}, then as many of -(second differences): fft_tables */
    factorization dense; /* SYSTEM_ME */
    epochs several;      /* SYSTEM_EPOCHS */
    double *C;           /* SYSTEM_MATRIX: C, n x n; C and B are one allocation, which is C's */
    double *B;           /* SYSTEM_MATRIX: its inverse */
};

#endif
