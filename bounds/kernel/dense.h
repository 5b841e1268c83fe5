/* Dense linear algebra: the vector operations and the positive definite systems of the solvers. */
#ifndef FINF_DENSE_H
#define FINF_DENSE_H

#include <stddef.h>

#include "base.h"

/* ---- vectors --------------------------------------------------------------------------------- */

double dense_dot(const double *x, const double *y, size_t n);
/* out[j] = the product of row j of x and y, where a row of x is ld numbers long, n of them used */
void dense_multiply(const double *x, size_t rows, size_t ld, size_t n, const double *y,
                    double *out);
/* y = f x */
void dense_scaled(double f, const double *restrict x, size_t n, double *restrict y);
/* y += f x */
void dense_axpy(double f, const double *restrict x, size_t n, double *restrict y);
/* y += sum over rows j of f[j] x[j][0..n), where a row of x is ld numbers long */
void dense_combine(const double *restrict f, const double *restrict x, size_t rows, size_t ld,
                   size_t n, double *restrict y);

/* ---- H = sum of r r', solved by a scaled Cholesky factorisation --------------------------------
 */

/* Used as: clear; for every term, dense_row and fill it in (or add to H's diagonal); factor; solve
 * as often as wanted. */
typedef struct {
    size_t n;      /* The order of H. */
    size_t ld;     /* The length of a row of H and S: n rounded up to whole vectors. */
    size_t fill;   /* How many rows r are waiting in `row` to be added to H. */
    size_t width;  /* The width of those rows. */
    double *H;     /* Upper triangle: H, and after dense_factor its scaled factor. One block. */
    double *S;     /* Upper triangle: H scaled to unit diagonal, for the refinement. */
    double *row;   /* The rows waiting. */
    double *scale; /* The inverse square roots of H's diagonal. */
    double *work;  /* Two vectors for dense_solve. */
} dense_system;
finf_status dense_make(size_t n, dense_system *out);
void dense_free(dense_system *d);
void dense_clear(dense_system *d); /* H = 0 */
/* Room for the next row r of H += r r', zero from width on; filled in by the caller before the next
 * call. */
double *dense_row(dense_system *d, size_t width);
/* 0 if H is not finite. A pivot lost to rounding is dropped: the unknown it belongs to stays 0. */
int dense_factor(dense_system *d);
void dense_solve(const dense_system *d, double *b); /* b <- H^{-1} b, refined once */

/* ---- a matrix as it is: A = U'U ----------------------------------------------------------------
 */

/* U in place of A's upper triangle (n x n, row-major); what is below is left alone. FINF_ETOL:
 * cancelled, or *singular, the first row whose pivot is not positive; *singular = n otherwise. */
finf_status dense_cholesky(double *A, size_t n, finf_cancel cancel, size_t *singular);
void dense_cholesky_solve(const double *U, size_t n, double *b); /* b <- (U'U)^{-1} b */

#endif
