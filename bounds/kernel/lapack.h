/* Dense matrices of hundreds to thousands of rows: products, symmetric eigenvalues, Cholesky. By
 * LAPACK, which is loaded when first used, or without it by GSL and multiply.c: the same to
 * rounding, but slower. All are row-major, may be called by several threads at once, and have no
 * room of their own: memory that cannot be had is FINF_ENOMEM.
 *
 * A symmetric matrix is its upper triangle; what is below the diagonal is neither read nor written,
 * unless it is said. Its order n is at most LAPACK_MAX, any other size INT_MAX; else FINF_EDOM. */
#ifndef FINF_LAPACK_H
#define FINF_LAPACK_H

#include <stddef.h>

#include "base.h"

/* The workspace of dsyevd, 2 n^2 numbers, is counted in its integers of 32 bits. */
#define LAPACK_MAX 32000

/* Of the library that is loaded, such as "3.9.0, OpenBLAS 0.3.21", and the file that the BLAS is
 * in. NULL: there is none, and `where` says why. */
const char *lapack_version(void);
const char *lapack_where(void);

/* C = f op(A) op(B) + g C, where op(A) is m x k, op(B) k x n and C m x n; op transposes where
 * `ta` or `tb` is not 0. A row of A is lda numbers long, and so on. g = 0: C is only written. */
finf_status lapack_multiply(int ta, int tb, size_t m, size_t n, size_t k, double f, const double *A,
                            size_t lda, const double *B, size_t ldb, double g, double *C,
                            size_t ldc);

/* H = f X'X + g H, symmetric, X rows x n. */
finf_status lapack_gram(size_t n, size_t rows, double f, const double *X, double g, double *H);

/* The lower triangle from the upper one. */
void lapack_mirror(double *A, size_t n);

/* The eigenvalues of the symmetric A, the least first, into lambda. With `vectors` A = V' diag V
 * and row i of A becomes v_i, the unit eigenvector of lambda_i; otherwise A is destroyed. Either
 * way the lower triangle is overwritten.
 * method:   dsyevd; or Householder and QR steps (gsl_eigen_symm, gsl_eigen_symmv)
 * accuracy: of each eigenvalue a few units of rounding of the largest; GSL: about n of them
 * failure:  FINF_EDOM (an entry is not finite), FINF_ETOL (no convergence); lambda is then NaN */
finf_status lapack_eigen(double *A, size_t n, int vectors, double *lambda, finf_reason *why);

/* A = U'U, U in the place of A's upper triangle. FINF_ETOL: *singular is the first row whose pivot
 * is not positive (A is not definite, or not finite); else it is n. */
finf_status lapack_cholesky(double *A, size_t n, size_t *singular);

/* From U the upper triangle of (U'U)^{-1}, in its place. The diagonal of U is positive. */
finf_status lapack_cholesky_invert(double *U, size_t n);

#endif
