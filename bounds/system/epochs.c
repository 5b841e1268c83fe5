/* ME for several epochs: the least prefix-sum error where a user takes part once in every epoch of
 * b steps, always at the same place in it. (theory 6)
 *
 * Steps equal mod b are one user's: b classes r of k_r steps, k = ceil(n/b) or one less.
 * Contributions are vectors of norm at most 1, so the squared sensitivity of X = C'C is the largest
 * over r of max { tr(X_r Z) : Z >= 0, Z_ii <= 1 } <= sum_{i,j} |X_r,ij|,                 X_r: the
 * rows and columns of class r. Minimise tr(S X^{-1}), S = A'A, with either of the two at most 1.
 * The dual of both is max 2 tr(U^{1/2} S U^{1/2})^{1/2} - sum_r v_r,   U block diagonal by classes,
 * U_r >= 0, its diagonal at most v_r, because no entry of a semidefinite U_r exceeds its diagonal.
 * So they have one optimum, X U X = S. U is definite there, hence |U_r,ij| < v_r off the diagonal,
 * hence (complementarity) X_r,ij = 0: a user's columns of C are orthogonal, and the sensitivity
 * max_r tr X_r is exact whatever the other signs. Choquette-Choo et al. 2023 make X so by design
 * (banded C).
 *
 * method: the fixed point of factorization.c, by classes. Were X_r the geometric mean of U_r^{-1}
 * and some N_r, that is N_r = X_r U_r X_r, the optimum would be U_r = D^{-1} N_r D^{-1}, D =
 * diag(N_r,ii^{1/2}) / (sum_i N_r,ii^{1/2}); for one epoch this is v <- v X_ii^2. It is mixed with
 * the last few (Anderson), for as long as U stays definite. cost: X_r from the same integral, X =
 * sum_l weight_l (Delta Delta' + shift_l U)^{-1}. By classes that matrix is block tridiagonal with
 * -1 beside the blocks, but for a corner that ties the end of an epoch to the next one's start: O(n
 * k^2) an iteration for the diagonal blocks of its inverse, O(n^2 k) for all of it, once.
 * certificate: with T = tr(U X) = tr(S X^{-1}), every U gives the lower bound T^2/sum v, and X the
 * upper one T max_r sum|X_r|. */
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "system.h"

void epochs_free(epochs *f)
{
    free(f->U);
    f->U = NULL;
}

static size_t class_size(const epochs *f, size_t r) { return (f->n - r + f->b - 1) / f->b; }
static double *block(const epochs *f, double *of, size_t r) { return of + r * f->k * f->k; }

/* ---- small dense algebra --------------------------------------------------------------------- */

/* C += alpha A B; entry (i,l) of A is A[i down + l along] */
FINF_VECTOR static void multiply(size_t rows, size_t inner, size_t cols, double alpha,
                                 const double *A, size_t down, size_t along, const double *B,
                                 size_t ldb, double *C, size_t ldc)
{
    for (size_t i = 0; i < rows; i++) {
        const double *a = A + i * down;
        double *restrict c = C + i * ldc;
        size_t l = 0;
        for (; l + 4 <= inner; l += 4) {
            double a0 = alpha * a[l * along], a1 = alpha * a[(l + 1) * along],
                   a2 = alpha * a[(l + 2) * along], a3 = alpha * a[(l + 3) * along];
            const double *restrict b0 = B + l * ldb, *restrict b1 = b0 + ldb,
                                   *restrict b2 = b1 + ldb, *restrict b3 = b2 + ldb;
            for (size_t j = 0; j < cols; j++)
                c[j] += (a0 * b0[j] + a1 * b1[j]) + (a2 * b2[j] + a3 * b3[j]);
        }
        for (; l < inner; l++) {
            double x = alpha * a[l * along];
            const double *restrict y = B + l * ldb;
            for (size_t j = 0; j < cols; j++) c[j] += x * y[j];
        }
    }
}

/* The inverse of a definite matrix in its place, by sweeping one pivot after the other; 0 if it is
 * not definite. */
FINF_VECTOR static int invert(size_t n, double *M, size_t ld)
{
    for (size_t p = 0; p < n; p++) {
        double *restrict pivot = M + p * ld, d = 1 / pivot[p];
        if (!(pivot[p] > 0 && d > 0)) return 0;
        for (size_t j = 0; j < n; j++) pivot[j] *= d;
        pivot[p] = d;
        for (size_t i = 0; i < n; i++) {
            if (i == p) continue;
            double *restrict row = M + i * ld, x = row[p];
            row[p] = 0;
            for (size_t j = 0; j < n; j++) row[j] -= x * pivot[j];
        }
    }
    return 1;
}

static void transpose(size_t rows, size_t cols, const double *A, size_t lda, double *out,
                      size_t ldo)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) out[j * ldo + i] = A[i * lda + j];
}

/* ---- the inverse of Delta Delta' + shift U --------------------------------------------------- */

/* Class 0 is eliminated last, so that of the others each meets only its successor and class 0. */
typedef struct {
    /* by classes: the inverse of the pivot, and that times its coupling to class 0 */
    double *G, *H;
    /* rows of the inverse: of a class, of the one before; and those of class 0 */
    double *row, *next, *to;
    double *flat, *V;
    size_t ld; /* of row, next, to */
    double *memory;
} elimination;

static finf_status elimination_make(const epochs *f, size_t ld, elimination *e)
{
    size_t k = f->k, square = k * k;
    e->ld = ld;
    e->memory = calloc(2 * f->b * square + 3 * k * ld + 2 * square, sizeof *e->memory);
    if (!e->memory) return FINF_ENOMEM;
    e->G = e->memory;
    e->H = e->G + f->b * square;
    e->row = e->H + f->b * square;
    e->next = e->row + k * ld;
    e->to = e->next + k * ld;
    e->flat = e->to + k * ld;
    e->V = e->flat + square;
    return FINF_OK;
}

/* G and H; at last G_0 = the block of class 0 of the inverse. */
static int eliminate(const epochs *f, double shift, const elimination *e)
{
    size_t k = f->k, b = f->b, top = class_size(f, 0);
    double *Z = e->G;
    for (size_t r = 0; r < b; r++) {
        double *F = block(f, e->G, r), *H = block(f, e->H, r), *V = e->V;
        const double *U = block(f, f->U, r);
        size_t m = class_size(f, r);
        for (size_t i = 0; i < m; i++) {
            for (size_t j = 0; j < m; j++) F[i * k + j] = shift * U[i * k + j];
            F[i * k + i] += r + i ? 2 : 1;
        }
        if (r == 0) {
            for (size_t i = 0; i + 1 < m && b == 1; i++) {
                F[i * k + i + 1] -= 1;
                F[(i + 1) * k + i] -= 1;
            }
            continue;
        }
        for (size_t i = 0; i < m; i++) {
            const double *before = r > 1 ? block(f, e->G, r - 1) + i * k : NULL,
                         *fill = block(f, e->H, r - 1) + i * k;
            for (size_t j = 0; j < m && before; j++) F[i * k + j] -= before[j];
            for (size_t j = 0; j < top; j++) V[i * k + j] = before ? fill[j] : 0;
            if (r == 1) V[i * k + i] -= 1;
            if (r == b - 1 && i + 1 < top) V[i * k + i + 1] -= 1; /* the next epoch's first step */
        }
        if (!invert(m, F, k)) return 0;
        for (size_t i = 0; i < m; i++) memset(H + i * k, 0, top * sizeof *H);
        multiply(m, m, top, 1, F, k, 1, V, k, H, k);
        multiply(top, m, top, -1, V, 1, k, H, k, Z, k);
    }
    return invert(top, Z, k);
}

/* Rows of class r of the inverse from those of class r+1: columns of class 0 (the first ones) and
 * of classes beyond r (from..end), then its own block at `at`, and what class 0 sees of it. */
static void back_substitute(const epochs *f, size_t r, size_t from, size_t end, size_t at,
                            elimination *e)
{
    size_t k = f->k, top = class_size(f, 0), m = class_size(f, r),
           after = r + 1 < f->b ? class_size(f, r + 1) : 0, ld = e->ld;
    const double *G = block(f, e->G, r), *H = block(f, e->H, r);
    double *row = e->next, *swap = e->row;
    for (size_t i = 0; i < m; i++) {
        memset(row + i * ld, 0, top * sizeof *row);
        memset(row + i * ld + from, 0, (end - from) * sizeof *row);
    }
    multiply(m, after, top, 1, G, k, 1, e->row, ld, row, ld);
    multiply(m, after, end - from, 1, G, k, 1, e->row + from, ld, row + from, ld);
    multiply(m, top, top, -1, H, k, 1, e->to, ld, row, ld);
    multiply(m, top, end - from, -1, H, k, 1, e->to + from, ld, row + from, ld);
    e->row = row;
    e->next = swap;
    double *own = e->V; /* G + G (row of r+1)' - H (row of 0)' */
    memcpy(own, G, k * k * sizeof *own);
    transpose(m, after, row + from, ld, e->flat, k);
    multiply(m, after, m, 1, G, k, 1, e->flat, k, own, k);
    transpose(m, top, row, ld, e->flat, k);
    multiply(m, top, m, -1, H, k, 1, e->flat, k, own, k);
    for (size_t i = 0; i < m; i++) memcpy(row + i * ld + at, own + i * k, m * sizeof *own);
    for (size_t i = 0; i < top; i++) memcpy(e->to + i * ld + at, e->flat + i * k, m * sizeof *own);
}

static void add(size_t rows, size_t cols, double weight, const double *A, size_t lda, double *out,
                size_t ldo)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) out[i * ldo + j] += weight * A[i * lda + j];
}

/* The blocks X_r. FINF_ETOL: cancelled, or U is not definite to rounding. */
static finf_status diagonal_blocks(const epochs *f, const finf_system_options *o, elimination *e,
                                   double *X)
{
    size_t k = f->k, top = class_size(f, 0);
    memset(X, 0, f->b * k * k * sizeof *X);
    for (size_t l = 0; l < f->nodes; l++) {
        if (system_stopped(o) || !eliminate(f, f->shift[l], e)) return FINF_ETOL;
        add(top, top, f->weight[l], e->G, k, X, k);
        for (size_t i = 0; i < top; i++)
            memcpy(e->to + i * e->ld, e->G + i * k, top * sizeof *e->to);
        for (size_t r = f->b; r-- > 1;) {
            size_t m = class_size(f, r), after = r + 1 < f->b ? class_size(f, r + 1) : 0;
            back_substitute(f, r, k, k + after, k, e);
            add(m, m, f->weight[l], e->row + k, e->ld, block(f, X, r), k);
        }
    }
    return FINF_OK;
}

/* All of X, scaled, into the upper triangle. */
finf_status epochs_gram(const epochs *f, const finf_system_options *o, double *X)
{
    size_t n = f->n, k = f->k, top = class_size(f, 0), *from = malloc(f->b * sizeof *from);
    double *P = calloc(n * n, sizeof *P); /* by classes, the upper triangle */
    elimination e = {0};
    finf_status s = from && P ? elimination_make(f, n, &e) : FINF_ENOMEM;
    for (size_t r = 0, at = 0; r < f->b && !s; at += class_size(f, r++)) from[r] = at;
    for (size_t l = 0; l < f->nodes && !s; l++) {
        if (system_stopped(o) || !eliminate(f, f->shift[l], &e)) {
            s = FINF_ETOL;
            break;
        }
        double weight = f->weight[l] * f->scale;
        for (size_t i = 0; i < top; i++) memcpy(e.to + i * n, e.G + i * k, top * sizeof *e.to);
        for (size_t r = f->b; r-- > 1;) {
            size_t m = class_size(f, r), at = from[r];
            back_substitute(f, r, at + m, n, at, &e);
            add(m, n - at, weight, e.row + at, n, P + at * n + at, n);
        }
        add(top, n, weight, e.to, n, P, n);
    }
    for (size_t r = 0; r < f->b && !s; r++)
        for (size_t c = r; c < f->b; c++)
            for (size_t i = 0; i < class_size(f, r); i++)
                for (size_t j = 0; j < class_size(f, c); j++) {
                    size_t x = i * f->b + r, y = j * f->b + c;
                    X[x <= y ? x * n + y : y * n + x] = P[(from[r] + i) * n + from[c] + j];
                }
    free(from);
    free(P);
    free(e.memory);
    return s;
}

/* K = X^{-1} = U X S^{-1}: second differences of the rows of X, which the kink at the diagonal
 * keeps from cancelling. */
finf_status epochs_covariance(const epochs *f, const finf_system_options *o, double *K)
{
    size_t n = f->n, k = f->k;
    double *X = malloc(n * n * sizeof *X);
    finf_status s = X ? epochs_gram(f, o, X) : FINF_ENOMEM;
    for (size_t i = 0; i < n && !s; i++)
        for (size_t j = 0; j < i; j++) X[i * n + j] = X[j * n + i];
    for (size_t i = 0; i < n && !s; i++) {
        double *x = X + i * n, before = x[0];
        for (size_t j = 0; j < n; j++) {
            double here = x[j], after = j + 1 < n ? x[j + 1] : 0;
            x[j] = j ? (here - before) + (here - after) : here - after;
            before = here;
        }
    }
    double scale = 1 / (f->scale * f->scale);
    if (!s) memset(K, 0, n * n * sizeof *K);
    for (size_t i = 0; i < n && !s; i++) {
        size_t r = i % f->b;
        multiply(1, class_size(f, r), n, scale, block(f, f->U, r) + i / f->b * k, k, 1, X + r * n,
                 f->b * n, K + i * n, n);
    }
    for (size_t i = 0; i < n && !s; i++)
        for (size_t j = i + 1; j < n; j++) K[i * n + j] = 0.5 * (K[i * n + j] + K[j * n + i]);
    free(X);
    return s;
}

/* ---- the fixed point ------------------------------------------------------------------------- */

/* log v and U/v below the diagonal, class after class: what is mixed */
static size_t pack(const epochs *f, double *x)
{
    size_t at = 0;
    for (size_t r = 0; r < f->b; r++) {
        const double *U = block(f, f->U, r);
        if (x) x[at] = log(U[0]);
        at++;
        for (size_t i = 1; i < class_size(f, r); i++)
            for (size_t j = 0; j < i; j++, at++)
                if (x) x[at] = U[i * f->k + j] / U[0];
    }
    return at;
}

static void unpack(const epochs *f, const double *x)
{
    for (size_t r = 0; r < f->b; r++) {
        double *U = block(f, f->U, r), v = exp(*x++);
        for (size_t i = 0; i < class_size(f, r); i++) {
            U[i * f->k + i] = v;
            for (size_t j = 0; j < i; j++) U[i * f->k + j] = U[j * f->k + i] = v * *x++;
        }
    }
}

/* The spectrum of U^{-1/2} Delta Delta' U^{-1/2}: from 1/tr(S U) to 4 max_r tr U_r^{-1}; 0 if U is
 * not definite. */
static int set_rule(epochs *f, double *work)
{
    size_t k = f->k;
    double trace = 0, top = 0;
    for (size_t r = 0; r < f->b; r++) {
        const double *U = block(f, f->U, r);
        size_t m = class_size(f, r);
        double sum = 0;
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < m; j++)
                trace += U[i * k + j] * (double)(f->n - r - (i > j ? i : j) * f->b);
        memcpy(work, U, k * k * sizeof *U);
        if (!invert(m, work, k)) return 0;
        for (size_t i = 0; i < m; i++) sum += work[i * k + i];
        top = fmax(top, sum);
    }
    if (!(trace > 0 && 4 * top * trace < INFINITY)) return 0;
    f->nodes = factorization_rule(1 / trace, 4 * top, f->shift, f->weight);
    return 1;
}

/* What the blocks X_r say: with T = tr(U X), V = sum v, the largest sum |X_r| and the largest X_ii.
 */
static void measure(epochs *f, const double *X)
{
    long double T = 0, V = 0;
    double sens2 = 0, one = 0;
    for (size_t r = 0; r < f->b; r++) {
        const double *x = X + r * f->k * f->k, *U = block(f, f->U, r);
        double sum = 0;
        for (size_t i = 0; i < class_size(f, r); i++)
            for (size_t j = 0; j < class_size(f, r); j++) {
                T += U[i * f->k + j] * x[i * f->k + j];
                sum += fabs(x[i * f->k + j]);
                if (i == j) one = fmax(one, x[i * f->k + j]);
            }
        V += U[0];
        sens2 = fmax(sens2, sum);
    }
    double t = (double)T, v = (double)V;
    f->gap = sens2 * v / t - 1;
    f->scale = 1 / sens2;
    f->one = one / sens2;
    f->error = t * sens2;
    f->lower = t * t / v;
}

/* U_r <- D^{-1} X_r U_r X_r D^{-1} */
static void fixed_point(const epochs *f, const double *X, double *work)
{
    size_t k = f->k;
    for (size_t r = 0; r < f->b; r++) {
        double *U = block(f, f->U, r), sum = 0;
        const double *x = X + r * k * k;
        size_t m = class_size(f, r);
        memset(work, 0, k * k * sizeof *work);
        multiply(m, m, m, 1, x, k, 1, U, k, work, k);
        memset(U, 0, k * k * sizeof *U);
        multiply(m, m, m, 1, work, k, 1, x, k, U, k);
        for (size_t i = 0; i < m; i++) sum += sqrt(U[i * k + i]);
        for (size_t i = 0; i < m; i++) work[i] = sqrt(U[i * k + i]) / sum;
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < i; j++)
                U[i * k + j] = U[j * k + i] = 0.5 * (U[i * k + j] + U[j * k + i]) /
                                              (work[i] * work[j]);
        for (size_t i = 0; i < m; i++) U[i * k + i] = sum * sum;
    }
}

#define MEMORY 8

/* The last pairs x, g(x): the newest is number held - 1, in a ring. */
typedef struct {
    size_t length, held, first; /* first: the oldest to be used */
    double *from, *to;
    double *basis; /* MEMORY vectors */
} mixing;

static finf_status mixing_make(size_t length, mixing *m)
{
    *m = (mixing){.length = length};
    m->from = malloc((3 * MEMORY + 2) * length * sizeof *m->from);
    if (!m->from) return FINF_ENOMEM;
    m->to = m->from + (MEMORY + 1) * length;
    m->basis = m->to + (MEMORY + 1) * length;
    return FINF_OK;
}

static double *entry(const mixing *m, double *of, size_t number)
{
    return of + number % (MEMORY + 1) * m->length;
}

static double dot(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* Anderson: g(x) less the combination of the differences of earlier g that makes g(x) - x least, by
 * Gram-Schmidt. A difference that the others nearly span is left out. */
static void mix(mixing *m, double *out)
{
    size_t n = m->length, last = m->held - 1, count = last - m->first;
    const double *x = entry(m, m->from, last), *g = entry(m, m->to, last);
    double R[MEMORY][MEMORY], part[MEMORY];
    for (size_t i = 0; i < n; i++) out[i] = g[i] - x[i];
    for (size_t c = 0; c < count; c++) {
        const double *x0 = entry(m, m->from, m->first + c),
                     *x1 = entry(m, m->from, m->first + c + 1), *g0 = entry(m, m->to, m->first + c),
                     *g1 = entry(m, m->to, m->first + c + 1);
        double *q = m->basis + c * n;
        for (size_t i = 0; i < n; i++) q[i] = (g1[i] - x1[i]) - (g0[i] - x0[i]);
        double size = sqrt(dot(q, q, n));
        for (size_t d = 0; d < c; d++) {
            const double *p = m->basis + d * n;
            R[d][c] = dot(p, q, n);
            for (size_t i = 0; i < n; i++) q[i] -= R[d][c] * p[i];
        }
        double left = sqrt(dot(q, q, n)), unit = left > 1e-10 * size ? 1 / left : 0;
        R[c][c] = unit > 0 ? left : 0;
        for (size_t i = 0; i < n; i++) q[i] *= unit;
        part[c] = dot(q, out, n);
        for (size_t i = 0; i < n; i++) out[i] -= part[c] * q[i];
    }
    memcpy(out, g, n * sizeof *out);
    for (size_t c = count; c-- > 0;) {
        const double *g0 = entry(m, m->to, m->first + c), *g1 = entry(m, m->to, m->first + c + 1);
        for (size_t d = c + 1; d < count; d++) part[c] -= R[c][d] * part[d];
        part[c] = R[c][c] > 0 ? part[c] / R[c][c] : 0;
        for (size_t i = 0; i < n; i++) out[i] -= part[c] * (g1[i] - g0[i]);
    }
}

#define STEPS_MAX 300
#define PLAIN 3         /* steps before the mixing starts */
#define CONVERGED 1e-10 /* relative gap; rounding leaves about 1e-16 k^2 */
#define SUFFICIENT 1e-8 /* where it goes down no more */
#define PATIENCE 20

/* What it works with beside f. */
typedef struct {
    double *X, *work; /* the blocks X_r; room for one of them */
    elimination e;
    mixing m;
} iteration;

/* From U = I. */
static finf_status begin(epochs *f, iteration *it)
{
    size_t square = f->k * f->k, blocks = f->b * square;
    f->U = calloc(blocks + 2 * FACTORIZATION_NODES, sizeof *f->U);
    it->X = malloc((blocks + square) * sizeof *it->X);
    if (!f->U || !it->X) return FINF_ENOMEM;
    it->work = it->X + blocks;
    f->shift = f->U + blocks;
    f->weight = f->shift + FACTORIZATION_NODES;
    for (size_t r = 0; r < f->b; r++)
        for (size_t i = 0; i < class_size(f, r); i++) block(f, f->U, r)[i * f->k + i] = 1;
    finf_status s = elimination_make(f, 2 * f->k, &it->e);
    return s ? s : mixing_make(pack(f, NULL), &it->m);
}

/* The next U: mixed, or where that is not definite the fixed point's alone, from which the mixing
 * starts anew. 0 if neither is definite. X is lost. */
static int advance(epochs *f, iteration *it)
{
    mixing *m = &it->m;
    size_t number = m->held++;
    if (number > MEMORY && m->first < number - MEMORY) m->first = number - MEMORY;
    pack(f, entry(m, m->from, number));
    fixed_point(f, it->X, it->work);
    pack(f, entry(m, m->to, number));
    if (number >= PLAIN) {
        mix(m, it->X); /* X has the room */
        unpack(f, it->X);
        if (set_rule(f, it->work)) return 1;
        m->first = number;
    }
    unpack(f, entry(m, m->to, number));
    return set_rule(f, it->work);
}

static finf_status iterate(epochs *f, const finf_system_options *o, iteration *it, finf_reason *why)
{
    double best = INFINITY;
    int best_at = 0, definite = set_rule(f, it->work);
    for (;;) {
        finf_status s = definite ? diagonal_blocks(f, o, &it->e, it->X) : FINF_ETOL;
        if (s && system_stopped(o))
            return finf_why(
                why, s, "stopped after %d iterations: the gap of the optimal factorisation is %.2g",
                f->iterations, f->gap);
        if (!s) measure(f, it->X);
        if (f->gap < best) {
            best = f->gap;
            best_at = f->iterations;
        }
        if (!s &&
            (f->gap <= CONVERGED || (f->gap <= SUFFICIENT && f->iterations - best_at >= PATIENCE)))
            return FINF_OK;
        if (s || !(f->gap < INFINITY) || ++f->iterations == STEPS_MAX)
            return finf_why(why, FINF_ETOL,
                            "optimal factorisation of %zu steps in %zu epochs: the gap is %.2g "
                            "after %d iterations",
                            f->n, f->k, f->gap, f->iterations);
        definite = advance(f, it);
    }
}

finf_status epochs_make(size_t n, size_t b, const finf_system_options *o, epochs *f,
                        finf_reason *why)
{
    *f = (epochs){.n = n,
                  .b = b,
                  .k = (n + b - 1) / b,
                  .gap = INFINITY,
                  .scale = NAN,
                  .error = NAN,
                  .lower = NAN};
    iteration it = {0};
    finf_status s = begin(f, &it);
    s = s ? finf_why(why, s, "no memory for %zu steps in %zu epochs", n, f->k)
          : iterate(f, o, &it, why);
    if (s) epochs_free(f);
    free(it.X);
    free(it.e.memory);
    free(it.m.from);
    return s;
}
