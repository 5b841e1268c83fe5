/* The optimal factorisation for several epochs: the least prefix-sum error where a user takes part
 * once in every epoch of b steps, always at the same place in it. (theory 6.4, "Epochs")
 *
 * Steps equal mod b are one user's: b classes r of k_r steps, k_r = k = ceil(n/b) or one less. X_r
 * are the rows and columns of class r of X = C'C. Contributions are vectors of norm at most 1, so
 * the squared sensitivity is the largest over r of
 *
 *     max { tr(X_r Z) : Z >= 0, Z_ii <= 1 } <= sum_{i,j} |X_r,ij|.
 *
 * Minimise tr(S X^{-1}), S = A'A, with either of the two at most 1. Both have the dual
 *
 *     max 2 tr(U^{1/2} S U^{1/2})^{1/2} - sum_r v_r,
 *     U block diagonal by classes, U_r >= 0, its diagonal at most v_r,
 *
 * hence one optimum, X U X = S, at which a user's columns of C are orthogonal: the sensitivity
 * max_r tr X_r is exact whatever the signs elsewhere. Choquette-Choo et al. 2023 make X so by
 * design (banded C).
 *
 * method:      the fixed point of factorization.c, by classes. If only class r were there, with
 *              N_r = X_r U_r X_r in the place of S, the optimum would be U_r = D^{-1} N_r D^{-1},
 *              D = diag(N_r,ii^{1/2})/(sum_i N_r,ii^{1/2}); for one epoch this is v <- v X_ii^2. It
 *              is mixed with its last few values (Anderson), for as long as U stays definite.
 * cost:        X = sum_l weight_l (Delta Delta' + shift_l U)^{-1}, as in factorization.c. Ordered
 *              by classes that matrix is block tridiagonal, with -1 beside the blocks, but for a
 *              corner that ties the end of an epoch to the start of the next one: O(n k^2) an
 *              iteration for the diagonal blocks of its inverse, O(n^2 k) for all of it, once.
 * certificate: with T = tr(U X) = tr(S X^{-1}), every U gives the lower bound T^2/sum v, and X the
 *              upper bound T max_r sum |X_r,ij|. */
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "mixing.h"
#include "system.h"

void epochs_free(epochs *f)
{
    free(f->U);
    f->U = NULL;
}

/* How many steps class r has, and where its block is in an array of b blocks of k x k. */
static size_t class_size(const epochs *f, size_t r) { return (f->n - r + f->b - 1) / f->b; }
static double *block(const epochs *f, double *of, size_t r) { return of + r * f->k * f->k; }

/* ---- small dense algebra --------------------------------------------------------------------- */

/* C += alpha A B, A of rows x inner, B of inner x cols. Entry (i,l) of A is A[i down + l along], so
 * that A may be given by its transpose; rows of B and C are ldb and ldc apart. Four rows of B at a
 * time, so that a row of C is read and written once for all four. */
FINF_VECTOR static void multiply(size_t rows, size_t inner, size_t cols, double alpha,
                                 const double *A, size_t down, size_t along, const double *B,
                                 size_t ldb, double *C, size_t ldc)
{
    for (size_t i = 0; i < rows; i++) {
        const double *a = A + i * down;
        double *restrict c = C + i * ldc;
        size_t l = 0;
        for (; l + 4 <= inner; l += 4) {
            double a0 = alpha * a[l * along];
            double a1 = alpha * a[(l + 1) * along];
            double a2 = alpha * a[(l + 2) * along];
            double a3 = alpha * a[(l + 3) * along];
            const double *restrict b0 = B + l * ldb;
            const double *restrict b1 = b0 + ldb;
            const double *restrict b2 = b1 + ldb;
            const double *restrict b3 = b2 + ldb;
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

/* The inverse of a positive definite matrix in its place, by sweeping one pivot after the other
 * (Gauss and Jordan's elimination; a definite matrix needs no exchange of rows). Returns 0 if M is
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

/* out = A', A of rows x cols. */
static void transpose(size_t rows, size_t cols, const double *A, size_t lda, double *out,
                      size_t ldo)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) out[j * ldo + i] = A[i * lda + j];
}

/* ---- the inverse of Delta Delta' + shift U --------------------------------------------------- */

/* Block elimination of M = Delta Delta' + shift U, ordered by classes. Class 0 is eliminated last,
 * so that each of the others is coupled only to its successor and to class 0. */
typedef struct {
    double *G;      /* for each class the inverse of its pivot; for class 0 the block of M^{-1} */
    double *H;      /* for each class G times its coupling to class 0 */
    double *row;    /* rows of M^{-1} of the present class */
    double *next;   /* room for those of the class before it */
    double *to;     /* rows of M^{-1} of class 0 */
    double *flat;   /* room for a transposed block */
    double *V;      /* room for a block: a coupling, or the class's own block of M^{-1} */
    size_t ld;      /* how far apart the rows in row, next and to are */
    double *memory; /* the allocation that all of it is in */
} elimination;

/* Room for an elimination whose rows of M^{-1} are ld long: n for all of it, 2k for its diagonal
 * blocks. */
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

/* Fills in G and H. Delta Delta' has 2 on the diagonal (1 for the very first step) and -1 between
 * neighbouring steps: step i of class r is tied to step i of class r-1 and r+1, and the last class
 * to the next epoch's step of class 0. What class 0 has left after the elimination of all others,
 * Z, is inverted at last: the block of class 0 of M^{-1}. Returns 0 if M is not definite. */
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

/* The rows of class r of M^{-1} from those of class r+1 (in e->row) and of class 0 (in e->to):
 * (rows of r) = G (rows of r+1) - H (rows of 0). In a row the first columns are those of class 0,
 * columns from..end those of the classes beyond r. Then r's own block, G + G (row of r+1)' - H
 * (row of 0)', goes to the columns from `at` on, and by symmetry into the rows of class 0. */
static void back_substitute(const epochs *f, size_t r, size_t from, size_t end, size_t at,
                            elimination *e)
{
    size_t k = f->k;
    size_t top = class_size(f, 0);
    size_t m = class_size(f, r);
    size_t after = r + 1 < f->b ? class_size(f, r + 1) : 0;
    size_t ld = e->ld;
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
    double *own = e->V;
    memcpy(own, G, k * k * sizeof *own);
    transpose(m, after, row + from, ld, e->flat, k);
    multiply(m, after, m, 1, G, k, 1, e->flat, k, own, k);
    transpose(m, top, row, ld, e->flat, k);
    multiply(m, top, m, -1, H, k, 1, e->flat, k, own, k);
    for (size_t i = 0; i < m; i++) memcpy(row + i * ld + at, own + i * k, m * sizeof *own);
    for (size_t i = 0; i < top; i++) memcpy(e->to + i * ld + at, e->flat + i * k, m * sizeof *own);
}

/* out += weight A, A of rows x cols. */
static void add(size_t rows, size_t cols, double weight, const double *A, size_t lda, double *out,
                size_t ldo)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) out[i * ldo + j] += weight * A[i * lda + j];
}

/* The blocks X_r, not yet scaled: of the rows of M^{-1} only the block of the class itself, of its
 * successor and of class 0 are kept. FINF_ETOL: cancelled, or U is not definite to rounding. */
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

/* All of X, scaled, into the upper triangle. It is added up with its rows and columns ordered by
 * classes, in P, and put into the order of the steps at the end: step i of class r is i b + r. */
finf_status epochs_gram(const epochs *f, const finf_system_options *o, double *X)
{
    size_t n = f->n, k = f->k, top = class_size(f, 0), *from = malloc(f->b * sizeof *from);
    double *P = calloc(n * n, sizeof *P);
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

/* K = X^{-1} = U X S^{-1}, as X U X = S. X S^{-1} = X Delta Delta' are the second differences of
 * the rows of X, which its kink at the diagonal keeps from cancelling. Its rounding is not
 * symmetric; the mean of K and K' is taken. */
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

/* U as a list of numbers x: for each class log v and then U/v below the diagonal, which is all, as
 * the diagonal of U_r is v_r throughout. That is what is mixed: exp(x) cannot become negative.
 * Returns how many they are; x may be NULL. */
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

/* U from that list. */
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

/* The rule for lambda^{-1/2} on the spectrum of U^{-1/2} Delta Delta' U^{-1/2}, which lies between
 * 1/tr(S U) and 4 max_r tr U_r^{-1} (Delta Delta' <= 4). Returns 0 if U is not definite. `work` is
 * room for a block. */
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

/* The certificate, from the blocks X_r: with T = tr(U X), V = sum_r v_r and the sensitivity
 * sens2 = max_r sum |X_r,ij|, error = T sens2 and lower = T^2/V. */
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

/* The map whose fixed point is the optimum: U_r <- D^{-1} N_r D^{-1}, N_r = X_r U_r X_r, see the
 * head of this file. Its diagonal is (sum_i N_ii^{1/2})^2 throughout. `work` is room for a block.
 */
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

#define STEPS_MAX 300
#define PLAIN 3         /* steps of the plain fixed point before the mixing starts */
#define CONVERGED 1e-10 /* a relative gap that is small enough; rounding leaves about 1e-16 k^2 */
#define SUFFICIENT 1e-8 /* a gap that will do if it does not go down any more, */
#define PATIENCE 20     /* for this many steps */

/* What the iteration works with beside the factorisation. */
typedef struct {
    double *X;    /* the blocks X_r */
    double *work; /* room for one of them */
    elimination e;
    mixing m;
} iteration;

/* Allocates everything and sets U = I. */
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

/* The next U and its rule: the mixed one or, where that is not definite, the fixed point's alone,
 * from which the mixing starts anew. Returns 0 if neither is definite. The blocks X_r are
 * overwritten. */
static int advance(epochs *f, iteration *it)
{
    double *x, *g;
    mixing_next(&it->m, &x, &g);
    pack(f, x);
    fixed_point(f, it->X, it->work);
    pack(f, g);
    if (it->m.held > PLAIN) {
        mixing_mix(&it->m, NULL, it->X);
        unpack(f, it->X);
        if (set_rule(f, it->work)) return 1;
        mixing_forget(&it->m);
    }
    unpack(f, g);
    return set_rule(f, it->work);
}

/* Until the gap is CONVERGED, or SUFFICIENT and no longer falling. FINF_ETOL: cancelled, or neither
 * is reached. */
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
    mixing_free(&it.m);
    return s;
}
