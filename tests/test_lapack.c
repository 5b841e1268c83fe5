/* Dense matrices, by LAPACK and by what takes its place. */
#define _XOPEN_SOURCE 700
#include "lapack_support.h"

static double *fill(size_t n, unsigned long long seed)
{
    rng r = {seed};
    double *x = malloc(n * sizeof *x);
    ck_assert_ptr_nonnull(x);
    for (size_t i = 0; i < n; i++) x[i] = 2 * uniform(&r) - 1;
    return x;
}

/* ---- products -------------------------------------------------------------------------------- */

/* op(A) op(B) in long double */
static double entry(int ta, int tb, size_t i, size_t j, size_t k, const double *A, size_t lda,
                    const double *B, size_t ldb)
{
    long double sum = 0;
    for (size_t l = 0; l < k; l++)
        sum += (long double)A[ta ? l * lda + i : i * lda + l] * B[tb ? j * ldb + l : l * ldb + j];
    return (double)sum;
}

/* sizes on both sides of the tiles, blocks and slabs */
START_TEST(products)
{
    static const size_t SIZES[][3] = {{1, 1, 1},   {3, 5, 7},     {4, 8, 256},
                                      {5, 9, 257}, {97, 33, 300}, {100, 17, 600}};
    choose(_i);
    for (size_t c = 0; c < COUNT(SIZES); c++)
        for (int t = 0; t < 4; t++) {
            size_t m = SIZES[c][0], n = SIZES[c][1], k = SIZES[c][2];
            int ta = t & 1, tb = t >> 1;
            size_t lda = (ta ? m : k) + 2, ldb = (tb ? k : n) + 1, ldc = n + 3;
            double *A = fill(lda * (ta ? k : m), 1), *B = fill(ldb * (tb ? n : k), 2),
                   *C = fill(ldc * m, 3), *D = fill(ldc * m, 3);
            ck_assert_int_eq(lapack_multiply(ta, tb, m, n, k, 2, A, lda, B, ldb, -0.5, C, ldc), 0);
            for (size_t i = 0; i < m; i++)
                for (size_t j = 0; j < ldc; j++) {
                    double d = D[i * ldc + j];
                    double ref = j < n ? 2 * entry(ta, tb, i, j, k, A, lda, B, ldb) - d / 2 : d;
                    ck_assert_double_eq_tol(C[i * ldc + j], ref, 1e-15 * (double)(k + 2));
                }
            for (size_t i = 0; i < ldc * m; i++) C[i] = NAN;
            ck_assert_int_eq(lapack_multiply(ta, tb, m, n, k, 1, A, lda, B, ldb, 0, C, ldc), 0);
            ck_assert(isfinite(C[0]));
            free(A);
            free(B);
            free(C);
            free(D);
        }
}
END_TEST

START_TEST(grams)
{
    static const size_t SIZES[][2] = {{1, 1}, {3, 0}, {5, 2}, {8, 300}, {103, 40}, {130, 520}};
    choose(_i);
    for (size_t c = 0; c < COUNT(SIZES); c++) {
        size_t n = SIZES[c][0], rows = SIZES[c][1];
        double *X = fill(n * rows + 1, 4), *H = fill(n * n, 5), *G = fill(n * n, 5);
        ck_assert_int_eq(lapack_gram(n, rows, 0.5, X, 3, H), 0);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++) {
                double ref = k < i ? G[i * n + k]
                                   : entry(1, 0, i, k, rows, X, n, X, n) / 2 + 3 * G[i * n + k];
                ck_assert_double_eq_tol(H[i * n + k], ref, 1e-15 * (double)(rows + 4));
            }
        lapack_mirror(H, n);
        for (size_t i = 0; i < n * n; i++) ck_assert_double_eq(H[i], H[i % n * n + i / n]);
        free(X);
        free(H);
        free(G);
    }
}
END_TEST

/* ---- eigenvalues and Cholesky ---------------------------------------------------------------- */

/* V'V = 1 and V' diag V = A, to rounding of the largest eigenvalue; values alone are the same */
START_TEST(eigenvectors)
{
    static const size_t SIZES[] = {1, 2, 3, 30, 131};
    choose(_i);
    for (size_t c = 0; c < COUNT(SIZES); c++)
        for (int e = -300; e <= 300; e += 300) {
            size_t n = SIZES[c];
            double unit = ldexp(1, e), tol = 4 * DBL_EPSILON * (double)n, largest;
            double *A = fill(n * n, 6), *V = malloc(n * n * sizeof *V), *W = fill(n * n, 7),
                   *l = malloc(2 * n * sizeof *l);
            for (size_t i = 0; i < n * n; i++) A[i] *= unit;
            lapack_mirror(A, n);
            memcpy(V, A, n * n * sizeof *V);
            memcpy(W, A, n * n * sizeof *V);
            ck_assert_int_eq(lapack_eigen(V, n, 1, l, NULL), 0);
            ck_assert_int_eq(lapack_eigen(W, n, 0, l + n, NULL), 0);
            largest = fmax(fabs(l[0]), fabs(l[n - 1]));
            for (size_t i = 0; i < n; i++) {
                if (i) ck_assert_double_ge(l[i], l[i - 1]);
                ck_assert_double_eq_tol(l[n + i] / unit, l[i] / unit, tol * largest / unit);
                for (size_t k = 0; k < n; k++) {
                    long double one = 0, a = 0;
                    for (size_t j = 0; j < n; j++) {
                        one += (long double)V[i * n + j] * V[k * n + j];
                        a += (long double)V[j * n + i] * l[j] * V[j * n + k];
                    }
                    ck_assert_double_eq_tol((double)one, i == k, tol);
                    ck_assert_double_eq_tol((double)a / unit, A[i * n + k] / unit,
                                            tol * largest / unit);
                }
            }
            free(A);
            free(V);
            free(W);
            free(l);
        }
}
END_TEST

START_TEST(not_finite)
{
    finf_reason why = {""};
    choose(_i);
    for (int vectors = 0; vectors < 2; vectors++) {
        double A[4] = {1, NAN, 0, 1}, l[2];
        ck_assert_int_eq(lapack_eigen(A, 2, vectors, l, &why), FINF_EDOM);
        ck_assert_str_eq(why.text, "the matrix is not finite");
        ck_assert(isnan(l[0]) && isnan(l[1]));
        double B[4] = {-INFINITY, 0, 0, 1};
        ck_assert_int_eq(lapack_eigen(B, 2, vectors, l, &why), FINF_EDOM);
    }
}
END_TEST

/* the inverse of X'X + 1 times itself, and matrices that are not definite */
START_TEST(cholesky)
{
    static const size_t SIZES[] = {1, 2, 9, 150};
    choose(_i);
    for (size_t c = 0; c < COUNT(SIZES); c++) {
        size_t n = SIZES[c], singular = 99;
        double *X = fill(n * n, 8), *A = calloc(n * n, sizeof *A), *U = malloc(n * n * sizeof *U);
        for (size_t i = 0; i < n; i++) A[i * n + i] = 1;
        ck_assert_int_eq(lapack_gram(n, n, 1, X, 1, A), 0);
        memcpy(U, A, n * n * sizeof *U);
        ck_assert_int_eq(lapack_cholesky(U, n, &singular), 0);
        ck_assert_uint_eq(singular, n);
        ck_assert_int_eq(lapack_cholesky_invert(U, n), 0);
        lapack_mirror(A, n);
        lapack_mirror(U, n);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++)
                ck_assert_double_eq_tol(entry(0, 0, i, k, n, U, n, A, n), i == k,
                                        1e-15 * (double)(n * n));
        free(X);
        free(A);
        free(U);
    }
    size_t singular;
    double A[4] = {1, 2, 0, 4}, B[4] = {1, NAN, 0, 4}, C[4] = {INFINITY, 0, 0, 1};
    ck_assert_int_eq(lapack_cholesky(A, 2, &singular), FINF_ETOL);
    ck_assert_uint_eq(singular, 1);
    ck_assert_int_eq(lapack_cholesky(B, 2, &singular), FINF_ETOL);
    ck_assert_uint_eq(singular, 1);
    ck_assert_int_eq(lapack_cholesky(C, 2, &singular), FINF_ETOL);
    ck_assert_uint_eq(singular, 0);
}
END_TEST

static TCase *cases(void)
{
    TCase *tc = tcase_create("lapack");
    tcase_add_loop_test(tc, products, 0, ways());
    tcase_add_loop_test(tc, grams, 0, ways());
    tcase_add_loop_test(tc, eigenvectors, 0, ways());
    tcase_add_loop_test(tc, not_finite, 0, ways());
    tcase_add_loop_test(tc, cholesky, 0, ways());
    return tc;
}

int main(void) { return run_suite("lapack", cases); }
