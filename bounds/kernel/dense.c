/* Dense symmetric positive definite matrices, by two Cholesky factorisations with different ends.
 *
 * dense_system is the Newton method's (theory 7.6): H comes as a sum of outer products, is scaled
 * to unit diagonal, and its columns may be dependent to rounding, so that a lost pivot is dropped
 * and the solution refined; nothing is ever refused. dense_cholesky takes a matrix as it is, and a
 * pivot that is not positive is its answer: the matrix is not definite. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense.h"

/* A tile of TALL x WIDE entries of H stays in registers while all rows of a block go by; BLOCK rows
 * of about 100 entries stay in the first-level cache while all tiles go by. */
enum { TALL = 4, WIDE = 8, BLOCK = 32 };

/* The length of a row in memory: a whole number of tiles. */
static size_t round_up(size_t n) { return (n + WIDE - 1) / WIDE * WIDE; }

/* One tile: H[i][k] += sign sum_r left[r][i] right[r][k] for i < TALL, k < WIDE. Most of the time
 * of a Newton step is spent here, hence the vectors of four spelt out. ld is the length of a row of
 * each of the three. */
typedef double lanes __attribute__((vector_size(32), aligned(8), may_alias));
static inline __attribute__((always_inline)) void
tile(double *H, size_t ld, const double *left, const double *right, size_t rows, double sign)
{
    lanes c[TALL][2] = {{{0}}};
    for (size_t r = 0; r < rows; r++, left += ld, right += ld)
        for (size_t i = 0; i < TALL; i++) {
            c[i][0] += left[i] * *(const lanes *)right;
            c[i][1] += left[i] * *(const lanes *)(right + 4);
        }
    for (size_t i = 0; i < TALL; i++) {
        *(lanes *)(H + i * ld) += sign * c[i][0];
        *(lanes *)(H + i * ld + 4) += sign * c[i][1];
    }
}

/* H += R'R in the upper triangle. Tiles that straddle the diagonal also write what of them is below
 * it; nobody reads that. */
FINF_VECTOR static void gram(double *H, size_t ld, const double *R, size_t rows, size_t width)
{
    for (size_t i = 0; i < width; i += TALL)
        for (size_t k = i / WIDE * WIDE; k < width; k += WIDE)
            tile(H + i * ld + k, ld, R + i, R + k, rows, 1);
}

/* Cholesky's factor: U'U = H, U in the place of H's upper triangle and, on the diagonal, 1/U_ii,
 * since the substitutions multiply by that. H has unit diagonal, so a pivot of 1e-15 or less is
 * rounding alone: its row is set to 0, which leaves that unknown at 0 in every solution. Returns 0
 * if H is not finite. */
FINF_VECTOR static int cholesky(double *H, size_t ld, size_t n)
{
    for (size_t top = 0; top < n; top += TALL) {
        for (size_t k = top / WIDE * WIDE; k < n; k += WIDE)
            tile(H + top * ld + k, ld, H + top, H + k, top, -1);
        for (size_t i = top; i < n && i < top + TALL; i++) {
            double *h = H + i * ld;
            for (size_t l = top; l < i; l++) {
                const double *u = H + l * ld;
                for (size_t k = i; k < n; k++) h[k] -= u[i] * u[k];
            }
            if (!isfinite(h[i])) return 0;
            double f = h[i] > 1e-15 ? 1 / sqrt(h[i]) : 0;
            for (size_t k = i + 1; k < n; k++) h[k] *= f;
            h[i] = f;
        }
    }
    return 1;
}

/* y += f x */
FINF_VECTOR static void axpy(double f, const double *restrict x, size_t n, double *restrict y)
{
    for (size_t i = 0; i < n; i++) y[i] += f * x[i];
}

/* x'y in eight sums side by side, so that the additions need not wait for each other. */
static inline __attribute__((always_inline)) double sum_of_products(const double *x,
                                                                    const double *y, size_t n)
{
    lanes s = {0}, t = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        s += *(const lanes *)(x + i) * *(const lanes *)(y + i);
        t += *(const lanes *)(x + i + 4) * *(const lanes *)(y + i + 4);
    }
    s += t;
    double sum = (s[0] + s[2]) + (s[1] + s[3]);
    for (; i < n; i++) sum += x[i] * y[i];
    return sum;
}

FINF_VECTOR static double dot(const double *x, const double *y, size_t n)
{
    return sum_of_products(x, y, n);
}

/* out_j = x_j'y, the x_j being rows of n numbers, ld apart */
FINF_VECTOR static void multiply(const double *x, size_t rows, size_t ld, size_t n, const double *y,
                                 double *out)
{
    for (size_t j = 0; j < rows; j++) out[j] = sum_of_products(x + j * ld, y, n);
}

/* y = f x */
FINF_VECTOR static void scaled(double f, const double *restrict x, size_t n, double *restrict y)
{
    for (size_t i = 0; i < n; i++) y[i] = f * x[i];
}

/* y += sum_j f_j x_j, the x_j being rows of n numbers, ld apart: four rows at a time, so that y is
 * read and written once for all four. */
FINF_VECTOR static void combine(const double *restrict f, const double *restrict x, size_t rows,
                                size_t ld, size_t n, double *restrict y)
{
    size_t j = 0;
    for (; j + 4 <= rows; j += 4, x += 4 * ld) {
        const double *a = x, *b = x + ld, *c = x + 2 * ld, *d = x + 3 * ld;
        double fa = f[j], fb = f[j + 1], fc = f[j + 2], fd = f[j + 3];
        for (size_t i = 0; i < n; i++) y[i] += fa * a[i] + fb * b[i] + fc * c[i] + fd * d[i];
    }
    for (; j < rows; j++, x += ld)
        for (size_t i = 0; i < n; i++) y[i] += f[j] * x[i];
}

void dense_axpy(double f, const double *restrict x, size_t n, double *restrict y)
{
    axpy(f, x, n, y);
}

double dense_dot(const double *x, const double *y, size_t n) { return dot(x, y, n); }

void dense_multiply(const double *x, size_t rows, size_t ld, size_t n, const double *y, double *out)
{
    multiply(x, rows, ld, n, y, out);
}

void dense_scaled(double f, const double *restrict x, size_t n, double *restrict y)
{
    scaled(f, x, n, y);
}

void dense_combine(const double *restrict f, const double *restrict x, size_t rows, size_t ld,
                   size_t n, double *restrict y)
{
    combine(f, x, rows, ld, n, y);
}

/* One allocation holds all of it: H and S of ld x ld, a block of rows, the scales, and room for two
 * vectors. */
finf_status dense_make(size_t n, dense_system *out)
{
    size_t ld = round_up(n);
    double *z = calloc(ld * (2 * ld + BLOCK + 3), sizeof *z);
    if (!z) return FINF_ENOMEM;
    *out = (dense_system){.n = n, .ld = ld, .H = z};
    out->S = z + ld * ld;
    out->row = out->S + ld * ld;
    out->scale = out->row + BLOCK * ld;
    out->work = out->scale + ld;
    return FINF_OK;
}

void dense_free(dense_system *d)
{
    if (d) {
        free(d->H);
        *d = (dense_system){0};
    }
}

void dense_clear(dense_system *d)
{
    memset(d->H, 0, d->ld * d->ld * sizeof *d->H);
    d->fill = 0;
}

/* Adds the rows that are waiting in the block to H. */
static void flush(dense_system *d)
{
    gram(d->H, d->ld, d->row, d->fill, d->width);
    d->fill = 0;
}

/* Room for the next row r of H += r r'. The caller writes its first `width` entries before the next
 * call; the rest of the row is zero and is not touched. Rows of one width share a block. */
double *dense_row(dense_system *d, size_t width)
{
    if (d->fill == BLOCK || (d->fill && d->width != width)) flush(d);
    double *r = d->row + d->ld * d->fill++;
    d->width = width;
    for (size_t i = width; i < round_up(width); i++) r[i] = 0;
    return r;
}

/* Scales H to unit diagonal, D H D with D = diag(H_ii^{-1/2}), keeps that as S for the refinement
 * and factors it in its place. The unknowns of the program differ by many orders, and among the
 * diagonal scalings this one is within a factor n of the best condition number. Returns 0 if H is
 * not finite. */
int dense_factor(dense_system *d)
{
    size_t n = d->n, ld = d->ld;
    double *scale = d->scale;
    flush(d);
    for (size_t i = 0; i < n; i++) scale[i] = 1 / sqrt(d->H[i * ld + i]);
    for (size_t i = 0; i < n; i++)
        for (size_t k = i; k < n; k++) d->S[i * ld + k] = d->H[i * ld + k] *= scale[i] * scale[k];
    return cholesky(d->H, ld, n);
}

/* b <- (U'U)^{-1} b: forward with U', then backward with U. */
static void substitute(const dense_system *d, double *b)
{
    for (size_t i = 0; i < d->n; i++) {
        const double *u = d->H + i * d->ld;
        b[i] *= u[i];
        dense_axpy(-b[i], u + i + 1, d->n - i - 1, b + i + 1);
    }
    for (size_t i = d->n; i-- > 0;) {
        const double *u = d->H + i * d->ld;
        b[i] = u[i] * (b[i] - dense_dot(u + i + 1, b + i + 1, d->n - i - 1));
    }
}

/* b <- H^{-1} b by y = (D H D)^{-1} D b and one refinement, y + (D H D)^{-1} (D b - S y): what the
 * solution of a Newton system leaves as a residual stays in the dual infeasibility. S is symmetric
 * and only its upper triangle is kept, so each of its rows is used as a row and as a column. */
void dense_solve(const dense_system *d, double *b)
{
    size_t n = d->n;
    double *y = d->work, *r = d->work + n;
    for (size_t i = 0; i < n; i++) y[i] = r[i] = b[i] * d->scale[i];
    substitute(d, y);
    for (size_t i = 0; i < n; i++) {
        const double *s = d->S + i * d->ld;
        r[i] -= dense_dot(s + i, y + i, n - i);
        dense_axpy(-y[i], s + i + 1, n - i - 1, r + i + 1);
    }
    substitute(d, r);
    for (size_t i = 0; i < n; i++) b[i] = (y[i] + r[i]) * d->scale[i];
}

/* ---- A = U'U --------------------------------------------------------------------------------- */

/* By rows, each less its part along the earlier ones; a few rows at a time, so that an earlier one
 * is read once for all of them. */
enum { CHOLESKY_ROWS = 16 };

finf_status dense_cholesky(double *A, size_t n, finf_cancel cancel, size_t *singular)
{
    *singular = n;
    for (size_t from = 0; from < n; from += CHOLESKY_ROWS) {
        size_t end = from + CHOLESKY_ROWS < n ? from + CHOLESKY_ROWS : n;
        if (finf_cancelled(cancel)) return FINF_ETOL;
        for (size_t l = 0; l < end; l++) {
            double *u = A + l * n;
            if (l >= from) {
                if (!(u[l] > 0)) {
                    *singular = l;
                    return FINF_ETOL;
                }
                u[l] = sqrt(u[l]);
                for (size_t k = l + 1; k < n; k++) u[k] /= u[l];
            }
            for (size_t i = l < from ? from : l + 1; i < end; i++)
                axpy(-u[i], u + i, n - i, A + i * n + i);
        }
    }
    return FINF_OK;
}

void dense_cholesky_solve(const double *U, size_t n, double *b)
{
    for (size_t i = 0; i < n; i++) {
        b[i] /= U[i * n + i];
        axpy(-b[i], U + i * n + i + 1, n - i - 1, b + i + 1);
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) b[i] -= U[i * n + k] * b[k];
        b[i] /= U[i * n + i];
    }
}
