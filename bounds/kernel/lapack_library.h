/* LAPACK and its BLAS as lapack_library.c finds them; seen by lapack.c alone. */
#ifndef FINF_LAPACK_LIBRARY_H
#define FINF_LAPACK_LIBRARY_H

#include <stddef.h>

#include "base.h"

/* Fortran's: matrices by columns, every argument by its address, and behind the others the length
 * of every text. */
typedef struct {
    void (*dgemm)(const char *ta, const char *tb, const int *m, const int *n, const int *k,
                  const double *f, const double *A, const int *lda, const double *B, const int *ldb,
                  const double *g, double *C, const int *ldc, size_t, size_t);
    void (*dsyrk)(const char *uplo, const char *trans, const int *n, const int *k, const double *f,
                  const double *A, const int *lda, const double *g, double *C, const int *ldc,
                  size_t, size_t);
    void (*dsyevd)(const char *job, const char *uplo, const int *n, double *A, const int *lda,
                   double *lambda, double *work, const int *lwork, int *iwork, const int *liwork,
                   int *info, size_t, size_t);
    void (*dpotrf)(const char *uplo, const int *n, double *A, const int *lda, int *info, size_t);
    void (*dpotri)(const char *uplo, const int *n, double *A, const int *lda, int *info, size_t);
    int fast_blas;       /* its products are blocked: not so in the reference BLAS */
    const char *version; /* NULL: none was found, and no function above may be called */
    const char *where;   /* the file that the BLAS is in */
    finf_reason reason;  /* why none was found */
} lapack_library;

/* Loads it, the first time. */
const lapack_library *lapack_get(void);

/* Around every call of a function above: OpenBLAS then has one thread, as it has in the program
 * finf, and answers do not depend on the machine's cores; nor does a fork meanwhile wait for its
 * threads, which would be for ever. After the last of such calls it has as many as before: the
 * process may use the same library for its own. Where the environment says how many there are to be
 * (OPENBLAS_NUM_THREADS), and in builds with OpenMP, nothing is changed. */
void lapack_begin(void);
void lapack_end(void);

#endif
