/* The product of two matrices where there is no BLAS, or the reference one, which is several times
 * slower: GSL's cblas is of that kind.
 *
 * A and B are copied, a slab of DEEP columns and rows at a time, into strips: TALL rows of A beside
 * each other, WIDE columns of B beside each other, so that the innermost loop reads both in the
 * order of memory, whichever of them is transposed. A tile of TALL x WIDE sums stays in registers
 * while a strip goes by; a strip of B stays in the first-level cache, a block of HIGH rows of A in
 * the second. */
#include "multiply.h"

#include <stdlib.h>
#include <string.h>

enum { TALL = 4, WIDE = 8, DEEP = 256, HIGH = 96 };

typedef double lanes __attribute__((vector_size(32), aligned(8), may_alias));

static size_t least(size_t a, size_t b) { return a < b ? a : b; }
static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

/* The strip of `width` rows of V, `columns` of each, with 0 for those beyond `rows`. For strips of
 * B the view is of its transpose. */
static void pack(multiply_view V, size_t rows, size_t columns, size_t width, double *out)
{
    for (size_t k = 0; k < columns; k++)
        for (size_t i = 0; i < width; i++) *out++ = i < rows ? V.at[i * V.down + k * V.right] : 0;
}

/* All strips of V, one after another. */
static void pack_all(multiply_view V, size_t rows, size_t columns, size_t width, double *out)
{
    for (size_t i = 0; i < rows; i += width, out += width * columns)
        pack((multiply_view){V.at + i * V.down, V.down, V.right}, least(width, rows - i), columns,
             width, out);
}

/* sum_k a[k][i] b[k][j] of two strips into `sum`. */
static inline __attribute__((always_inline)) void tile(const double *a, const double *b, size_t k,
                                                       double sum[TALL][WIDE])
{
    lanes c[TALL][2] = {{{0}}};
    for (; k > 0; k--, a += TALL, b += WIDE)
        for (size_t i = 0; i < TALL; i++) {
            c[i][0] += a[i] * *(const lanes *)b;
            c[i][1] += a[i] * *(const lanes *)(b + 4);
        }
    memcpy(sum, c, sizeof c);
}

/* C += f (strips of a) (strips of b), m x n; row 0 and column 0 of C are `low` rows below the
 * diagonal of the whole. */
FINF_VECTOR static void block(const double *a, const double *b, size_t m, size_t n, size_t k,
                              double f, double *C, size_t ldc, int upper, size_t low)
{
    for (size_t j = 0; j < n; j += WIDE)
        for (size_t i = 0; i < m; i += TALL) {
            if (upper && j + WIDE <= low + i) break;
            double sum[TALL][WIDE];
            tile(a + i * k, b + j * k, k, sum);
            size_t rows = least(TALL, m - i), columns = least(WIDE, n - j);
            for (size_t r = 0; r < rows; r++)
                for (size_t c = 0; c < columns; c++) C[(i + r) * ldc + j + c] += f * sum[r][c];
        }
}

finf_status multiply_add(size_t m, size_t n, size_t k, double f, multiply_view A, multiply_view B,
                         double *C, size_t ldc, int upper)
{
    if (m == 0 || n == 0 || k == 0) return FINF_OK;
    size_t deep = least(k, DEEP);
    double *a = malloc((HIGH + round_up(n, WIDE)) * deep * sizeof *a);
    if (!a) return FINF_ENOMEM;
    double *b = a + HIGH * deep;
    for (size_t p = 0; p < k; p += deep) {
        size_t depth = least(deep, k - p);
        pack_all((multiply_view){B.at + p * B.down, B.right, B.down}, n, depth, WIDE, b);
        for (size_t i = 0; i < m; i += HIGH) {
            size_t rows = least(HIGH, m - i);
            pack_all((multiply_view){A.at + i * A.down + p * A.right, A.down, A.right}, rows, depth,
                     TALL, a);
            block(a, b, rows, n, depth, f, C + i * ldc, ldc, upper, i);
        }
    }
    free(a);
    return FINF_OK;
}
