/* A strategy given by its matrix: any lower triangular C, decoded by its inverse B. (theory 6.1) */
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "dense.h"
#include "lapack.h"
#include "system.h"

#define BLOCK 64 /* rows of B that are made together */

/* Rows from..to-1 of B = C^{-1}, of which those above are known: C_i B = e_i gives
 * B_i = (e_i - sum_{k<i} C_ik B_k)/C_ii, where the sum over k < from is one product. */
static finf_status invert_rows(const double *C, size_t n, size_t from, size_t to, double *B)
{
    finf_status s = FINF_OK;
    if (from)
        s = lapack_multiply(0, 0, to - from, from, from, -1, C + from * n, n, B, n, 0, B + from * n,
                            n);
    for (size_t i = from; i < to && !s; i++) {
        double *row = B + i * n;
        for (size_t k = from; k < i; k++) dense_axpy(-C[i * n + k], B + k * n, k + 1, row);
        row[i] = 1;
        for (size_t k = 0; k <= i; k++) row[k] /= C[i * n + i];
    }
    return s;
}

static finf_status check(const double *C, size_t n, finf_reason *why)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            if (!(fabs(C[i * n + j]) <= BOUNDS_HUGE))
                return finf_why(why, FINF_EDOM, "C(%zu,%zu) = %s: at most 1e50 in size", i + 1,
                                j + 1, finf_show(C[i * n + j]).s);
            else if (j > i && C[i * n + j] != 0)
                return finf_why(why, FINF_EDOM, "C(%zu,%zu) = %s: above the diagonal must be 0",
                                i + 1, j + 1, finf_show(C[i * n + j]).s);
        if (!(fabs(C[i * n + i]) >= BOUNDS_TINY))
            return finf_why(why, FINF_EDOM, "C(%zu,%zu) = %s: a step without noise of its own",
                            i + 1, i + 1, finf_show(C[i * n + i]).s);
    }
    return FINF_OK;
}

/* The largest squared norm of a column of C. */
static double largest_column(const double *C, size_t n, double *sum)
{
    double most = 0;
    memset(sum, 0, n * sizeof *sum);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) sum[j] += C[i * n + j] * C[i * n + j];
    for (size_t j = 0; j < n; j++) most = fmax(most, sum[j]);
    return most;
}

/* ||A B||_F^2, row by row of A B: the sums of B's columns so far. */
static double prefix_error(const double *B, size_t n, double *sum)
{
    long double error = 0;
    memset(sum, 0, n * sizeof *sum);
    for (size_t i = 0; i < n; i++) {
        dense_axpy(1, B + i * n, i + 1, sum);
        error += dense_dot(sum, sum, i + 1);
    }
    return (double)error;
}

finf_status finf_system_matrix(const double *C, size_t n, finf_system **out, finf_reason *why)
{
    finf_status status = system_begin(SYSTEM_MATRIX, "matrix", n, FINF_SYSTEM_DENSE_MAX, out, why);
    if (status) return status;
    finf_system *s = *out;
    double sens2 = NAN, error = NAN, *room = malloc(n * sizeof *room);
    system_table(s, "lower triangular, dense", 0, "O(n^3)", "O(n)", "", "");
    status = check(C, n, why);
    if (!status) {
        s->C = calloc(2 * n * n, sizeof *s->C);
        status = s->C && room ? FINF_OK : FINF_ENOMEM;
        for (size_t i = 0; i < n && !status; i++)
            memcpy(s->C + i * n, C + i * n, (i + 1) * sizeof *C);
        if (!status) s->B = s->C + n * n;
        for (size_t i = 0; i < n && !status; i += BLOCK)
            status = invert_rows(s->C, n, i, i + BLOCK < n ? i + BLOCK : n, s->B);
        if (status) finf_why(why, status, "no memory for %zu steps", n);
    }
    if (!status) {
        sens2 = largest_column(s->C, n, room);
        error = prefix_error(s->B, n, room);
        if (!isfinite(error))
            status = finf_why(why, FINF_EDOM, "the inverse of the matrix overflows");
    }
    free(room);
    double rounding = (double)n *
                      FINF_EPS; /* an estimate: that of the inverse is not bounded here */
    return system_finish(status, finf_real_make(sens2, rounding * sens2, "largest column"),
                         finf_real_make(error, rounding * error, "sums of the inverse"), out);
}

finf_status matrix_gram(const finf_system *s, double *X)
{
    return lapack_gram(s->facts.n, s->facts.n, 1, s->C, 0, X);
}

finf_status matrix_covariance(const finf_system *s, double *K)
{
    size_t n = s->facts.n;
    return lapack_multiply(0, 1, n, n, n, 1, s->B, n, s->B, n, 0, K, n);
}
