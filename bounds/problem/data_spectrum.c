/* The spectrum of a covariance, and of data. (theory 5.7) */
#include "bounds.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lapack.h"

_Static_assert(FINF_MATRIX_MAX == LAPACK_MAX, "the header says what can be done");

#define ENTRY_MAX 1e150 /* squares of entries below it can be summed */

/* The error of an eigenvalue of a matrix of order m, in units of rounding of the largest: LAPACK's
 * is a few, GSL's was at most 1.5 m + 5 in 2500 matrices of order 2 to 314. */
static double of_order(size_t m) { return 2 * (double)m + 10; }

/* The eigenvalues of A (order m, upper triangle, destroyed) times `unit`, the largest first; owned
 * by the caller, also after a failure. */
static finf_status eigenvalues(double *A, size_t m, double unit, double **out, finf_reason *why)
{
    double *lambda = *out = malloc(m * sizeof *lambda);
    if (!lambda) return finf_why(why, FINF_ENOMEM, "no memory for %zu eigenvalues", m);
    finf_status s = lapack_eigen(A, m, 0, lambda, why);
    for (size_t i = 0; i < m - i; i++) {
        double least = unit * lambda[i];
        lambda[i] = unit * lambda[m - 1 - i];
        lambda[m - 1 - i] = least;
    }
    return s;
}

/* ---- a covariance ---------------------------------------------------------------------------- */

/* The upper triangle of (H + H')/2 into A, unless an entry is not finite or differs from its mirror
 * image by more than `tol` times the largest. */
static finf_status symmetric_part(const double *H, size_t d, double tol, double *A,
                                  finf_reason *why)
{
    double max = 0, worst = -1;
    size_t row = 0, column = 0;
    for (size_t i = 0; i < d * d; i++) {
        if (!(fabs(H[i]) <= BOUNDS_HUGE))
            return finf_why(why, FINF_EDOM,
                            "row %zu, column %zu of the matrix is %s: must be finite, up to 1e50",
                            i / d + 1, i % d + 1, finf_show(H[i]).s);
        max = fmax(max, fabs(H[i]));
    }
    for (size_t i = 0; i < d; i++)
        for (size_t k = i; k < d; k++) {
            double above = H[i * d + k], below = H[k * d + i];
            A[i * d + k] = (above + below) / 2;
            if (fabs(above - below) <= worst) continue;
            worst = fabs(above - below);
            row = i;
            column = k;
        }
    if (worst > tol * max)
        return finf_why(why, FINF_EDOM,
                        "the matrix is not symmetric: row %zu, column %zu is %s, row %zu, column "
                        "%zu is %s (they differ by %.2g)",
                        row + 1, column + 1, finf_show(H[row * d + column]).s, column + 1, row + 1,
                        finf_show(H[column * d + row]).s, worst);
    return FINF_OK;
}

/* What can be told from 0: errors of the eigenvalues, and of the entries, which move them by at
 * most rounding times the norm sqrt(sum lambda^2) of H. Entries may be worse than they are said to
 * be: a negative eigenvalue shows how much. FINF_EDOM if one is below what `tolerance` explains. */
static finf_status resolve(const double *lambda, size_t d, double rounding, double tolerance,
                           double *resolution, finf_reason *why)
{
    double top = fmax(fabs(lambda[0]), fabs(lambda[d - 1])), least = lambda[d - 1], square = 0;
    if (least < -tolerance * top)
        return finf_why(why, FINF_EDOM,
                        "an eigenvalue of the matrix is %.6g: those of a covariance are not "
                        "negative, but for %.2g by rounding",
                        least, -tolerance * top);
    for (size_t i = 0; i < d && top > 0; i++) square += lambda[i] / top * (lambda[i] / top);
    *resolution = (of_order(d) * FINF_EPS + rounding * sqrt(square)) * top;
    *resolution = fmax(*resolution, -2 * least);
    return FINF_OK;
}

finf_status finf_spectrum_covariance(const double *H, size_t d, double rounding,
                                     finf_spectrum **out, finf_reason *why)
{
    *out = NULL;
    if (d < 1 || d > FINF_MATRIX_MAX)
        return finf_why(why, FINF_EDOM, "a matrix of %zu rows: from 1 to %d", d, FINF_MATRIX_MAX);
    if (!(rounding >= 0 && rounding < 1))
        return finf_why(why, FINF_EDOM, "rounding = %s: must be from 0 to below 1",
                        finf_show(rounding).s);
    double *A = malloc(d * d * sizeof *A), *lambda = NULL;
    if (!A) return finf_why(why, FINF_ENOMEM, "no memory for a matrix of %zu rows", d);
    double tolerance = of_order(d) * fmax(FINF_EPS, 2 * rounding);
    finf_spectrum_facts f = {0};
    finf_status s = symmetric_part(H, d, tolerance, A, why);
    if (!s) s = eigenvalues(A, d, 1, &lambda, why);
    if (!s) s = resolve(lambda, d, rounding, tolerance, &f.resolution, why);
    if (!s) s = spectrum_computed(lambda, d, &f, out, why);
    free(lambda);
    free(A);
    return s;
}

/* ---- data ------------------------------------------------------------------------------------ */

/* Rows wait in `row`. If they all do, and are no more than d, then XX' is the smaller matrix, and
 * X'X is never made. */
struct finf_gram {
    size_t d;    /* columns */
    size_t rows; /* of all that was added */
    size_t fill; /* rows waiting */
    size_t room; /* for so many is memory there, */
    size_t most; /* and so many may wait */
    double *row;
    double *H; /* upper triangle: X'X of the rows that do not wait; NULL: all of them wait */
};

enum { WAIT_LEAST = 256, WAIT_LATER = 1024 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

finf_status finf_gram_new(size_t d, finf_gram **out, finf_reason *why)
{
    *out = NULL;
    if (d < 1 || d > INT_MAX)
        return finf_why(why, FINF_EDOM, "data of %zu columns: from 1 to 2^31 - 1", d);
    finf_gram *g = calloc(1, sizeof *g);
    if (!g) return finf_why(why, FINF_ENOMEM, "no memory");
    size_t most = d > WAIT_LEAST ? d : WAIT_LEAST;
    *g = (finf_gram){.d = d, .most = least(most, FINF_MATRIX_MAX)};
    *out = g;
    return FINF_OK;
}

void finf_gram_free(finf_gram *g)
{
    if (!g) return;
    free(g->row);
    free(g->H);
    free(g);
}

size_t finf_gram_rows(const finf_gram *g) { return g->rows; }

/* Adds the rows that wait to H. The first time their memory is cut to what is needed from then on.
 */
static finf_status flush(finf_gram *g)
{
    finf_status s = FINF_OK;
    if (!g->H) {
        g->H = calloc(g->d * g->d, sizeof *g->H);
        if (!g->H) return FINF_ENOMEM;
    }
    s = lapack_gram(g->d, g->fill, 1, g->row, 1, g->H);
    g->fill = 0;
    if (g->room > WAIT_LATER) {
        free(g->row);
        g->row = NULL;
        g->room = 0;
        g->most = WAIT_LATER;
    }
    return s;
}

/* Memory for more rows: twice as many, up to most. */
static finf_status grow(finf_gram *g, size_t wanted)
{
    size_t room = g->room;
    while (room < wanted) room = room ? 2 * room : 16;
    room = least(room, g->most);
    if (room <= g->room) return FINF_OK;
    double *row = room > SIZE_MAX / sizeof *row / g->d ? NULL
                                                       : realloc(g->row, room * g->d * sizeof *row);
    if (!row) return FINF_ENOMEM;
    g->row = row;
    g->room = room;
    return FINF_OK;
}

/* Takes the first of the rows, at least one, and says how many. Many at once need not wait. */
static finf_status take(finf_gram *g, const double *X, size_t rows, size_t *taken)
{
    if (g->fill == g->most) {
        finf_status s = flush(g);
        if (s) return s;
    }
    if (g->H && g->fill == 0 && rows >= g->most) {
        *taken = least(rows, INT_MAX);
        return lapack_gram(g->d, *taken, 1, X, 1, g->H);
    }
    *taken = least(rows, g->most - g->fill);
    finf_status s = grow(g, g->fill + *taken);
    if (s) return s;
    memcpy(g->row + g->fill * g->d, X, *taken * g->d * sizeof *X);
    g->fill += *taken;
    return FINF_OK;
}

static finf_status check_rows(const finf_gram *g, const double *X, size_t rows, finf_reason *why)
{
    if (g->d > FINF_MATRIX_MAX && rows > FINF_MATRIX_MAX - g->rows)
        return finf_why(why, FINF_EDOM,
                        "data of %zu columns and more than %d rows: one of the two must be at most "
                        "%d",
                        g->d, FINF_MATRIX_MAX, FINF_MATRIX_MAX);
    for (size_t i = 0; i < rows * g->d; i++)
        if (!(fabs(X[i]) <= ENTRY_MAX))
            return finf_why(why, FINF_EDOM,
                            "row %zu, column %zu of the data is %s: must be finite, up to 1e150",
                            g->rows + i / g->d + 1, i % g->d + 1, finf_show(X[i]).s);
    return FINF_OK;
}

finf_status finf_gram_add(finf_gram *g, const double *X, size_t rows, finf_reason *why)
{
    finf_status s = check_rows(g, X, rows, why);
    for (size_t taken; rows && !s; rows -= taken, X += taken * g->d) {
        s = take(g, X, rows, &taken);
        if (s) return finf_why(why, s, "no memory for data of %zu columns", g->d);
        g->rows += taken;
    }
    return s;
}

/* The smaller of X'X and XX', in a matrix of its own. */
static finf_status smaller(const finf_gram *g, size_t m, double *A)
{
    size_t d = g->d;
    if (!g->H && g->rows <= d)
        return lapack_multiply(0, 1, m, m, d, 1, g->row, d, g->row, d, 0, A, m);
    if (g->H) memcpy(A, g->H, d * d * sizeof *A);
    return lapack_gram(d, g->fill, 1, g->row, g->H ? 1 : 0, A);
}

finf_status finf_spectrum_gram(const finf_gram *g, finf_spectrum **out, finf_reason *why)
{
    *out = NULL;
    if (g->rows == 0) return finf_why(why, FINF_EDOM, "the data has no rows");
    size_t m = least(g->rows, g->d);
    double *A = malloc(m * m * sizeof *A), *lambda = NULL, n = (double)g->rows;
    if (!A) return finf_why(why, FINF_ENOMEM, "no memory for a matrix of %zu rows", m);
    finf_status s = smaller(g, m, A);
    if (s) finf_why(why, s, "no memory for data of %zu columns", g->d);
    if (!s) s = eigenvalues(A, m, 1 / n, &lambda, why);
    if (!s) {
        double units = of_order(m) + sqrt((double)(g->rows > g->d ? g->rows : g->d));
        finf_spectrum_facts f = {.zeros = (double)(g->d - m),
                                 .rows = n,
                                 .resolution = units * FINF_EPS * fabs(lambda[0])};
        s = spectrum_computed(lambda, m, &f, out, why);
    }
    free(lambda);
    free(A);
    return s;
}
