/* What is returned of the dense design, computed without trust in the iteration: C from X, and a
 * lower bound that holds for whatever eigenvectors were found. (theory 12.3) */
#include <stdlib.h>
#include <string.h>

#include "dense.h"
#include "dense_design.h"
#include "lapack.h"

int dense_is_relaxed(const finf_design *r)
{
    size_t k = r->o.participations, b = r->o.separation;
    return k > 1 && b < r->n && (r->o.count == FINF_DESIGN_MIN_SEP || k < (r->n + b - 1) / b);
}

/* Rows V_i = s_i^{1/2} (W^{-T} q_i) of the positions, in the order of the steps reversed: V'V = X.
 */
static void reversed_root(const dense_work *w, double *V)
{
    size_t n = w->r->n;
    for (size_t l = 0; l < n; l++)
        for (size_t i = 0; i < w->g.groups; i++) {
            size_t from = w->g.from[i], size = design_group_size(&w->g, i);
            const double *W = w->W + w->g.block[i], *q = w->Q + l * n + from;
            double *row = V + l * n;
            for (size_t a = size; a-- > 0;) { /* W' y = q, from the last one up */
                double sum = q[a];
                for (size_t c = a + 1; c < size; c++)
                    sum -= W[c * size + a] * row[n - 1 - w->g.step[from + c]];
                row[n - 1 - w->g.step[from + a]] = sum / W[a * size + a];
            }
            for (size_t a = 0; a < size; a++)
                row[n - 1 - w->g.step[from + a]] *= sqrt(w->s[l]) / w->sens[from + a];
        }
}

/* X with both orders reversed, in its upper triangle; V is room. */
static finf_status reversed_product(const dense_work *w, double *V, double *X)
{
    size_t n = w->r->n;
    reversed_root(w, V);
    finf_status s = lapack_gram(n, n, 1, V, 0, X);
    for (size_t i = 0; i < w->g.groups && w->scaling == DENSE_ORTHOGONAL; i++)
        for (size_t a = w->g.from[i]; a < w->g.from[i + 1]; a++)
            for (size_t c = w->g.from[i]; c < a; c++) /* the later step has the smaller index */
                X[(n - 1 - w->g.step[a]) * n + n - 1 - w->g.step[c]] = 0;
    return s;
}

/* The upper Cholesky factor of X with both orders reversed is C with both orders reversed: C'C = X
 * and C is lower triangular (theory 6.1). Where X is singular to rounding a ridge is added, which
 * keeps X feasible once it is scaled. */
finf_status dense_strategy(const dense_work *w, double *C)
{
    size_t n = w->r->n, singular = 0;
    double *V = malloc(2 * n * n * sizeof *V), ridge = 0;
    if (!V) return FINF_ENOMEM;
    double *X = V + n * n;
    finf_status s = reversed_product(w, V, X);
    for (int attempt = 0; attempt < 12 && !s; attempt++) {
        memcpy(V, X, n * n * sizeof *V);
        for (size_t i = 0; i < n; i++) V[i * n + i] += ridge * X[i * n + i];
        s = lapack_cholesky(V, n, &singular);
        if (s != FINF_ETOL) break;
        s = attempt < 11 ? FINF_OK : FINF_ETOL;
        ridge = ridge > 0 ? 10 * ridge : FINF_EPS;
    }
    memset(C, 0, n * n * sizeof *C);
    for (size_t i = 0; i < n && !s; i++)
        for (size_t j = 0; j <= i; j++) C[i * n + j] = V[(n - 1 - i) * n + n - 1 - j];
    free(V);
    return s;
}

#define KEPT 1e-14 /* of the largest root: a direction below has no digits, and is left out */
#define BLOCK 64   /* rows that are solved for together */

/* P <- U^{-T} P of m rows of n numbers, U upper triangular m x m: row i becomes (p_i - sum_{l<i}
 * U_li p_l)/U_ii. */
static finf_status divide(const double *U, size_t m, size_t n, double *P)
{
    finf_status s = FINF_OK;
    for (size_t from = 0; from < m && !s; from += BLOCK) {
        size_t to = from + BLOCK < m ? from + BLOCK : m;
        if (from)
            s = lapack_multiply(1, 0, to - from, n, from, -1, U + from, m, P, n, 1, P + from * n,
                                n);
        for (size_t i = from; i < to && !s; i++) {
            for (size_t l = from; l < i; l++) dense_axpy(-U[l * m + i], P + l * n, n, P + i * n);
            for (size_t c = 0; c < n; c++) P[i * n + c] /= U[i * m + i];
        }
    }
    return s;
}

/* |L C^{-1}|^2, L'L = M: a sum of squares, in which nothing cancels. */
finf_status dense_strategy_loss(const dense_work *w, double *loss)
{
    size_t n = w->r->n, singular = 0;
    double *P = malloc(2 * n * n * sizeof *P);
    if (!P) return FINF_ENOMEM;
    double *X = P + n * n;
    finf_status s = reversed_product(w, P, X);
    if (!s) s = lapack_cholesky(X, n, &singular);
    for (size_t c = 0; c < n && !s; c++)
        for (size_t l = 0; l < n; l++) P[(n - 1 - w->g.step[c]) * n + l] = w->L[l * n + c];
    if (!s) s = divide(X, n, n, P);
    *loss = s ? INFINITY : dense_dot(P, P, n * n);
    free(P);
    return s == FINF_ETOL ? FINF_OK : s;
}

/* |QQ' - I|_F of m rows of n numbers; `room` has m x m. */
static finf_status defect(const double *Q, size_t m, size_t n, double *room, double *out)
{
    finf_status s = lapack_multiply(0, 1, m, m, n, 1, Q, n, Q, n, 0, room, m);
    double sum = 0;
    for (size_t i = 0; i < m && !s; i++) {
        room[i * m + i] -= 1;
        for (size_t c = 0; c < m; c++) sum += room[i * m + c] * room[i * m + c];
    }
    *out = sqrt(sum);
    return s;
}

/* Makes the rows of P orthonormal, each to those before it, which come first as they have more
 * digits: with PP' = U'U, P becomes U^{-T} P. FINF_ETOL: row *bad depends on those before it. */
static finf_status orthogonalise(size_t m, size_t n, double *P, double *room, size_t *bad)
{
    finf_status s = lapack_multiply(0, 1, m, m, n, 1, P, n, P, n, 0, room, m);
    if (!s) s = lapack_cholesky(room, m, bad);
    return s ? s : divide(room, m, n, P);
}

finf_status dense_strategy_largest(const dense_work *w, double *loss)
{
    size_t n = w->r->n, singular = 0;
    double *K = malloc((2 * n * n + n + 1) * sizeof *K);
    if (!K) return FINF_ENOMEM;
    double *X = K + n * n, *f = X + n * n;
    finf_status s = reversed_product(w, K, X);
    if (!s) s = lapack_cholesky(X, n, &singular);
    int definite = !s;
    if (!s) s = lapack_cholesky_invert(X, n);
    for (size_t i = 0; i < n && !s; i++)
        for (size_t j = 0; j <= i; j++)
            K[i * n + j] = K[j * n + i] = X[(n - 1 - i) * n + n - 1 - j];
    if (!s) s = design_forward(w->r, w->responses, K, 1, 0, f);
    *loss = s ? INFINITY : 0;
    for (size_t t = 1; t <= n && !s; t++) *loss = fmax(*loss, f[t]);
    free(K);
    return s == FINF_ETOL && !definite ? FINF_OK : s;
}

/* Rows of P: the images Y q_i over their lengths, that of the largest root first. Returns how many
 * have digits. */
static size_t directions(size_t n, const double *image, double *P)
{
    size_t m = 0;
    double largest = 0;
    for (size_t i = n; i-- > 0; m++) {
        double size = sqrt(dense_dot(image + i * n, image + i * n, n));
        largest = fmax(largest, size);
        if (!(size > KEPT * largest)) break;
        for (size_t c = 0; c < n; c++) P[m * n + c] = image[i * n + c] / size;
    }
    return m;
}

/* What the ridge adds to T at most: tr (A + B)^{1/2} <= tr A^{1/2} + tr B^{1/2}, and a block of B
 * has tr B^{1/2} <= (size tr B)^{1/2}. */
static double ridge_part(const dense_work *w)
{
    double part = 0;
    for (size_t i = 0; i < w->g.groups; i++) {
        size_t size = design_group_size(&w->g, i);
        double sum = 0;
        for (size_t a = 0; a < size; a++)
            sum += w->ridge[w->g.step[w->g.from[i] + a]] * w->U[w->g.block[i] + a * size + a];
        part += sqrt((double)size * sum);
    }
    return part;
}

/* The trace norm T of Y is at least tr(Z'Y)/|Z| for every Z. Here Z = sum_i p_i q_i', p_i the
 * images Y q_i made orthonormal, so that |Z|^2 is at most (1 + |PP' - I|)(1 + |QQ' - I|). */
finf_status dense_certify(const dense_work *w, double *lower)
{
    size_t n = w->r->n, bad = 0;
    double *P = malloc(3 * n * n * sizeof *P), trace = 0, off_p = 0, off_q = 0;
    if (!P) return FINF_ENOMEM;
    double *image = P + n * n, *room = image + n * n;
    finf_status s = lapack_multiply(0, 1, n, n, n, 1, w->Q, n, w->Y, n, 0, image, n);
    size_t m = s ? 0 : directions(n, image, P);
    while (!s && m > 0 && (s = orthogonalise(m, n, P, room, &bad)) == FINF_ETOL) {
        size_t had = directions(n, image, P);
        m = bad < had ? bad : had - 1; /* the rows before the one that depends on them */
        s = FINF_OK;
    }
    if (!s) s = defect(P, m, n, room, &off_p);
    if (!s) s = defect(w->Q, n, n, room, &off_q);
    for (size_t i = 0; i < m && !s; i++) trace += dense_dot(P + i * n, image + (n - 1 - i) * n, n);
    free(P);
    double T = fmax(trace / sqrt((1 + off_p) * (1 + off_q)) - ridge_part(w), 0);
    *lower = T * T / w->v;
    return s;
}
