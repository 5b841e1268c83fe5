/* Dense matrices by LAPACK where there is one, else by GSL and our own products.
 *
 * LAPACK's matrices are stored by columns. A row-major matrix is then its transpose: a product is
 * asked for as B'A' = (AB)', and the upper triangle of a symmetric one is LAPACK's lower. */
#include "lapack.h"

#include <gsl/gsl_eigen.h>
#include <gsl/gsl_sort_vector.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "dense.h"
#include "lapack_library.h"
#include "multiply.h"

const char *lapack_version(void) { return lapack_get()->version; }
const char *lapack_where(void)
{
    return lapack_get()->version ? lapack_get()->where : lapack_get()->reason.text;
}

static const lapack_library *fast_blas(void)
{
    const lapack_library *l = lapack_get();
    return l->version && l->fast_blas ? l : NULL;
}

/* ---- products -------------------------------------------------------------------------------- */

/* C = g C; g = 0 also where C is not a number. */
static void scale(double g, size_t m, size_t n, double *C, size_t ldc)
{
    if (g == 1) return;
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < n; k++) C[i * ldc + k] = g == 0 ? 0 : g * C[i * ldc + k];
}

finf_status lapack_multiply(int ta, int tb, size_t m, size_t n, size_t k, double f, const double *A,
                            size_t lda, const double *B, size_t ldb, double g, double *C,
                            size_t ldc)
{
    const lapack_library *l = fast_blas();
    if (lda > INT_MAX || ldb > INT_MAX || ldc > INT_MAX || m > INT_MAX) return FINF_EDOM;
    if (n > INT_MAX || k > INT_MAX) return FINF_EDOM;
    if (m == 0 || n == 0) return FINF_OK;
    if (!l || k == 0) {
        scale(g, m, n, C, ldc);
        multiply_view a = {A, ta ? 1 : lda, ta ? lda : 1}, b = {B, tb ? 1 : ldb, tb ? ldb : 1};
        return multiply_add(m, n, k, f, a, b, C, ldc, 0);
    }
    int rows = (int)m, columns = (int)n, inner = (int)k, a = (int)lda, b = (int)ldb, c = (int)ldc;
    lapack_begin();
    l->dgemm(tb ? "T" : "N", ta ? "T" : "N", &columns, &rows, &inner, &f, B, &b, A, &a, &g, C, &c,
             1, 1);
    lapack_end();
    return FINF_OK;
}

/* Without BLAS the tiles on the diagonal also have entries below it: those are put back. */
static finf_status own_gram(size_t n, size_t rows, double f, const double *X, double g, double *H)
{
    double *sum = calloc(n * n, sizeof *sum);
    if (!sum) return FINF_ENOMEM;
    finf_status s = multiply_add(n, n, rows, f, (multiply_view){X, 1, n}, (multiply_view){X, n, 1},
                                 sum, n, 1);
    for (size_t i = 0; i < n && !s; i++) {
        scale(g, 1, n - i, H + i * n + i, n);
        for (size_t k = i; k < n; k++) H[i * n + k] += sum[i * n + k];
    }
    free(sum);
    return s;
}

finf_status lapack_gram(size_t n, size_t rows, double f, const double *X, double g, double *H)
{
    const lapack_library *l = fast_blas();
    if (n > LAPACK_MAX || rows > INT_MAX) return FINF_EDOM;
    if (n == 0) return FINF_OK;
    if (!l || rows == 0) return own_gram(n, rows, f, X, g, H);
    int width = (int)n, height = (int)rows;
    lapack_begin();
    l->dsyrk("L", "N", &width, &height, &f, X, &width, &g, H, &width, 1, 1);
    lapack_end();
    return FINF_OK;
}

void lapack_mirror(double *A, size_t n)
{
    /* in squares, so that the columns written stay in the cache */
    enum { SIDE = 32 };
    for (size_t top = 0; top < n; top += SIDE)
        for (size_t left = 0; left <= top; left += SIDE)
            for (size_t i = top; i < n && i < top + SIDE; i++)
                for (size_t k = left; k < i && k < left + SIDE; k++) A[i * n + k] = A[k * n + i];
}

/* ---- eigenvalues ----------------------------------------------------------------------------- */

/* The largest |A_ik| of the upper triangle; NaN or infinite if any is. */
static double largest(const double *A, size_t n)
{
    double max = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = i; k < n; k++) {
            double a = fabs(A[i * n + k]);
            if (!(a <= max)) max = a;
            if (!isfinite(max)) return max;
        }
    return max;
}

/* dsyevd, with a workspace of the size it asks for. */
static finf_status by_lapack(const lapack_library *l, double *A, int n, int vectors, double *lambda)
{
    double best = 0;
    int least = 0, ask = -1, info = 0;
    const char *job = vectors ? "V" : "N";
    l->dsyevd(job, "L", &n, A, &n, lambda, &best, &ask, &least, &ask, &info, 1, 1);
    if (info != 0) return FINF_ETOL;
    int size = (int)best;
    double *work = malloc((size_t)size * sizeof *work);
    int *iwork = malloc((size_t)least * sizeof *iwork);
    finf_status s = work && iwork ? FINF_OK : FINF_ENOMEM;
    if (!s) {
        lapack_begin();
        l->dsyevd(job, "L", &n, A, &n, lambda, work, &size, iwork, &least, &info, 1, 1);
        lapack_end();
        s = info == 0 ? FINF_OK : FINF_ETOL;
    }
    free(work);
    free(iwork);
    return s;
}

/* GSL's, which reads the lower triangle. Its eigenvectors are the columns of V. */
static finf_status by_gsl(double *A, size_t n, int vectors, double *lambda)
{
    gsl_matrix_view a = gsl_matrix_view_array(A, n, n);
    gsl_vector_view x = gsl_vector_view_array(lambda, n);
    finf_status s = FINF_ENOMEM;
    lapack_mirror(A, n);
    if (!vectors) {
        gsl_eigen_symm_workspace *w = gsl_eigen_symm_alloc(n);
        if (w) s = gsl_eigen_symm(&a.matrix, &x.vector, w) ? FINF_ETOL : FINF_OK;
        gsl_eigen_symm_free(w);
        if (!s) gsl_sort_vector(&x.vector);
        return s;
    }
    gsl_eigen_symmv_workspace *w = gsl_eigen_symmv_alloc(n);
    gsl_matrix *V = gsl_matrix_alloc(n, n);
    if (w && V) s = gsl_eigen_symmv(&a.matrix, &x.vector, V, w) ? FINF_ETOL : FINF_OK;
    if (!s) gsl_eigen_symmv_sort(&x.vector, V, GSL_EIGEN_SORT_VAL_ASC);
    if (!s) gsl_matrix_transpose_memcpy(&a.matrix, V);
    gsl_matrix_free(V);
    gsl_eigen_symmv_free(w);
    return s;
}

/* Scaled to entries about 1 by a power of 2, which is exact but where a number underflows. */
finf_status lapack_eigen(double *A, size_t n, int vectors, double *lambda, finf_reason *why)
{
    const lapack_library *l = lapack_get();
    double max = largest(A, n);
    for (size_t i = 0; i < n; i++) lambda[i] = NAN;
    if (n > LAPACK_MAX)
        return finf_why(why, FINF_EDOM, "a matrix of %zu rows: at most %d", n, LAPACK_MAX);
    if (!isfinite(max)) return finf_why(why, FINF_EDOM, "the matrix is not finite");
    if (n == 0) return FINF_OK;
    int exponent = max > 0 ? ilogb(max) : 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = i; k < n; k++) A[i * n + k] = ldexp(A[i * n + k], -exponent);
    finf_status s = l->version ? by_lapack(l, A, (int)n, vectors, lambda)
                               : by_gsl(A, n, vectors, lambda);
    for (size_t i = 0; i < n; i++) lambda[i] = s ? NAN : ldexp(lambda[i], exponent);
    if (s == FINF_ENOMEM) finf_why(why, s, "no memory for the eigenvalues of %zu rows", n);
    if (s == FINF_ETOL) finf_why(why, s, "the eigenvalues of %zu rows did not converge", n);
    return s;
}

/* ---- Cholesky -------------------------------------------------------------------------------- */

/* A pivot that is not a number passes through some dpotrf: an entry that is not finite shows on the
 * diagonal of U at the latest in its own column. */
finf_status lapack_cholesky(double *A, size_t n, size_t *singular)
{
    const lapack_library *l = lapack_get();
    int order = (int)n, info = 0;
    *singular = n;
    if (n > LAPACK_MAX) return FINF_EDOM;
    if (!l->version) {
        finf_status s = dense_cholesky(A, n, (finf_cancel){0}, singular);
        if (s) return s;
    } else if (n > 0) {
        lapack_begin();
        l->dpotrf("L", &order, A, &order, &info, 1);
        lapack_end();
    }
    if (info > 0) *singular = (size_t)info - 1;
    for (size_t i = 0; i < *singular; i++)
        if (!(A[i * n + i] > 0 && isfinite(A[i * n + i]))) *singular = i;
    return *singular < n ? FINF_ETOL : FINF_OK;
}

/* W = U^{-1} by rows from the last, W_i = (e_i - sum_{k>i} U_ik W_k)/U_ii, then W W'. */
static finf_status own_invert(double *U, size_t n)
{
    double *W = calloc(2 * n * n, sizeof *W);
    if (!W) return FINF_ENOMEM;
    double *P = W + n * n;
    for (size_t i = n; i-- > 0;) {
        double *w = W + i * n, *u = U + i * n;
        dense_combine(u + i + 1, w + n, n - i - 1, n, n, w);
        for (size_t k = i + 1; k < n; k++) w[k] /= -u[i];
        w[i] = 1 / u[i];
    }
    finf_status s = multiply_add(n, n, n, 1, (multiply_view){W, n, 1}, (multiply_view){W, 1, n}, P,
                                 n, 1);
    for (size_t i = 0; i < n && !s; i++) memcpy(U + i * n + i, P + i * n + i, (n - i) * sizeof *U);
    free(W);
    return s;
}

finf_status lapack_cholesky_invert(double *U, size_t n)
{
    const lapack_library *l = lapack_get();
    if (n > LAPACK_MAX) return FINF_EDOM;
    if (n == 0) return FINF_OK;
    if (!l->version) return own_invert(U, n);
    int order = (int)n, info = 0;
    lapack_begin();
    l->dpotri("L", &order, U, &order, &info, 1);
    lapack_end();
    return info ? FINF_ETOL : FINF_OK;
}
