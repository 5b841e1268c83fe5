/* A step of Newton's method on the dual of the dense design. (theory 12.3)
 *
 * With X = V' diag(s) V, V = Q W^{-1}, the second derivative of 2 T along a change D of U is
 *
 *     - sum_ij h_ij (V D V')_ij^2,   h_ij = s_i s_j/(s_i + s_j):
 *
 * two products of n x n matrices. The step that maximises 2 T - sum v to second order is found by
 * conjugate gradients. They are preconditioned within each group by the same form of its X and its
 * U alone, which is not below: for a residual R of one group only D = X^{-1} R U + U R X^{-1}.
 *
 * For the largest loss the weights u are unknowns too: a change N of M adds -S N S' to V D V', S =
 * diag(1/s) Q W', and the step is that of 2 log T - sum v - (1 + mu n) sum u + mu sum log u. At its
 * optimum the gap is mu n, and u_t = mu/(1 + mu n - f_t/T); where that slack is positive, the
 * second derivative of the barrier is slack/u, as in primal-dual methods, which for losses below
 * the largest goes on to that u in one step. */
#include "dense_newton.h"

#include <stdlib.h>
#include <string.h>

#include "dense.h"
#include "lapack.h"

#define ENOUGH 0.1      /* what is left of the residual, in the preconditioner's norm */
#define STEPS_MAX 60    /* of conjugate gradients; */
#define ENOUGH_U 0.03   /* these two where weights are searched, .. */
#define STEPS_MAX_U 300 /* .. whose condition is worse */
#define LEAST_BY 0.1    /* what a step multiplies U in any direction and a weight u by, at least */
#define MOST_BY 4.0     /* and at most */
#define LEAST_U (-50.0) /* in the place of log u_0, which has none */

static size_t count_of(size_t size) { return 1 + size * (size - 1) / 2; }

/* How many numbers the preconditioner has of a group of this size, */
static size_t factor_of(size_t size) { return 2 * size * size + size; }

/* and of all. */
static size_t factor_length(const design_groups *g)
{
    size_t length = 0;
    for (size_t i = 0; i < g->groups; i++) length += factor_of(design_group_size(g, i));
    return length;
}

finf_status dense_newton_make(const dense_work *w, dense_newton *m)
{
    size_t n = w->r->n, blocks = w->g.block[w->g.groups], length = design_groups_length(&w->g);
    size_t factors = factor_length(&w->g), pairs = length;
    if (w->weighted) length += n;
    *m = (dense_newton){.w = w, .pairs = pairs, .length = length, .factors = factors};
    size_t more = w->weighted ? 2 * n * n + 2 * length + 3 * (n + 1) : 0;
    m->V = malloc((3 * n * n + 4 * blocks + factors + 5 * length + 2 * n + more) * sizeof *m->V);
    if (!m->V) return FINF_ENOMEM;
    m->Z = m->V + n * n;
    m->room = m->Z + n * n;
    m->U = m->room + n * n;
    m->W = m->U + blocks;
    m->D = m->W + blocks;
    m->B = m->D + blocks;
    m->factor = m->B + blocks;
    m->y = m->factor + factors;
    m->residual = m->y + length;
    m->solved = m->residual + length;
    m->along = m->solved + length;
    m->image = m->along + length;
    m->f = m->image + length;
    m->e = m->f + n;
    if (!w->weighted) return FINF_OK;
    m->S = m->e + n;
    m->M = m->S + n * n;
    m->bar = m->M + n * n;
    m->rise = m->bar + length;
    m->u = m->rise + length;
    m->du = m->u + n + 1;
    m->loss = m->du + n + 1;
    return FINF_OK;
}

void dense_newton_free(dense_newton *m)
{
    free(m->V);
    m->V = NULL;
}

/* ---- changes of U, and their numbers --------------------------------------------------------- */

/* D of the numbers y: for each group the change of v, and of U below the diagonal, over v. */
static void spread(const dense_newton *m, const double *y, double *D)
{
    const design_groups *g = &m->w->g;
    for (size_t i = 0; i < g->groups; i++) {
        size_t size = design_group_size(g, i);
        double *block = D + g->block[i], v = m->U[g->block[i]], diagonal = v * *y++;
        for (size_t a = 0; a < size; a++) {
            block[a * size + a] = diagonal;
            for (size_t c = 0; c < a; c++) block[a * size + c] = block[c * size + a] = v * *y++;
        }
    }
}

/* The derivatives by y of sum_g tr(B_g D_g). */
static void gather(const dense_newton *m, const double *B, double *y)
{
    const design_groups *g = &m->w->g;
    for (size_t i = 0; i < g->groups; i++) {
        size_t size = design_group_size(g, i);
        const double *block = B + g->block[i];
        double v = m->U[g->block[i]], *diagonal = y++;
        *diagonal = 0;
        for (size_t a = 0; a < size; a++) {
            *diagonal += v * block[a * size + a];
            for (size_t c = 0; c < a; c++) *y++ = v * (block[a * size + c] + block[c * size + a]);
        }
    }
}

/* ---- the second derivative ------------------------------------------------------------------- */

/* V = Q W^{-1}, row by row and group by group. */
static void form_rows(dense_newton *m)
{
    const dense_work *w = m->w;
    size_t n = w->r->n;
    for (size_t l = 0; l < n; l++)
        for (size_t i = 0; i < w->g.groups; i++) {
            size_t from = w->g.from[i], size = design_group_size(&w->g, i);
            const double *W = w->W + w->g.block[i], *q = w->Q + l * n + from;
            double *row = m->V + l * n + from;
            for (size_t a = size; a-- > 0;) {
                double sum = q[a];
                for (size_t c = a + 1; c < size; c++) sum -= W[c * size + a] * row[c];
                row[a] = sum / W[a * size + a];
            }
        }
}

/* out = V D. */
static void times_blocks(const dense_newton *m, const double *D, double *out)
{
    const design_groups *g = &m->w->g;
    size_t n = g->n;
    for (size_t l = 0; l < n; l++)
        for (size_t i = 0; i < g->groups; i++) {
            size_t from = g->from[i], size = design_group_size(g, i);
            const double *block = D + g->block[i], *row = m->V + l * n + from;
            for (size_t c = 0; c < size; c++) {
                double sum = 0;
                for (size_t a = 0; a < size; a++) sum += row[a] * block[a * size + c];
                out[l * n + from + c] = sum;
            }
        }
}

/* B = the blocks of V' diag(f) A; f NULL: of ones. */
static void blocks_of(const dense_newton *m, const double *f, const double *A, double *B)
{
    const design_groups *g = &m->w->g;
    size_t n = g->n;
    memset(B, 0, g->block[g->groups] * sizeof *B);
    for (size_t l = 0; l < n; l++) {
        double by = f ? f[l] : 1;
        for (size_t i = 0; i < g->groups && by > 0; i++) {
            size_t from = g->from[i], size = design_group_size(g, i);
            const double *row = m->V + l * n + from, *other = A + l * n + from;
            double *block = B + g->block[i];
            for (size_t a = 0; a < size; a++)
                for (size_t c = 0; c < size; c++) block[a * size + c] += by * row[a] * other[c];
        }
    }
}

/* Z -= S N S', N the change of M by that of u. */
static finf_status add_weights(dense_newton *m, const double *y)
{
    size_t n = m->w->r->n;
    m->du[0] = 0;
    for (size_t t = 1; t <= n; t++) m->du[t] = m->u[t] * y[m->pairs + t - 1];
    finf_status s = design_matrix(m->w->r, m->du, m->M);
    if (!s) s = lapack_multiply(0, 0, n, n, n, 1, m->S, n, m->M, n, 0, m->room, n);
    return s ? s : lapack_multiply(0, 1, n, n, n, -1, m->room, n, m->S, n, 1, m->Z, n);
}

/* The derivatives by log u: those by M are -S'ZS, and what the barrier and the logarithm add. */
static finf_status weights_image(dense_newton *m, const double *y, double *image)
{
    size_t n = m->w->r->n;
    finf_status s = lapack_multiply(0, 0, n, n, n, 1, m->Z, n, m->S, n, 0, m->room, n);
    if (!s) s = lapack_multiply(1, 0, n, n, n, 1, m->S, n, m->room, n, 0, m->M, n);
    if (!s) s = design_forward(m->w->r, m->w->responses, m->M, 1, 0, m->du);
    if (s) return s;
    for (size_t t = 1; t <= n; t++) image[m->pairs + t - 1] = -m->u[t] * m->du[t];
    double along = dense_dot(m->rise, y, m->length) / (2 * m->w->T);
    for (size_t i = 0; i < m->length; i++) image[i] += along * m->rise[i] + m->bar[i] * y[i];
    return FINF_OK;
}

/* image = - the second derivative of 2 T times y; weighted: of T times the function above. */
static finf_status apply(dense_newton *m, const double *y, double *image)
{
    size_t n = m->w->r->n;
    const double *s = m->w->s;
    spread(m, y, m->D);
    times_blocks(m, m->D, m->room);
    finf_status status = lapack_multiply(0, 1, n, n, n, 1, m->room, n, m->V, n, 0, m->Z, n);
    if (!status && m->S) status = add_weights(m, y);
    if (status) return status;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) m->Z[i * n + j] *= s[i] * (s[j] / (s[i] + s[j]));
    status = lapack_multiply(0, 0, n, n, n, 1, m->Z, n, m->V, n, 0, m->room, n);
    if (status) return status;
    blocks_of(m, NULL, m->room, m->B);
    gather(m, m->B, image);
    return m->S ? weights_image(m, y, image) : FINF_OK;
}

/* ---- the preconditioner ---------------------------------------------------------------------- */

/* A = X^{-1} of a group, the factor of H_ij = A_ij U_ij, and H^{-1} 1. */
static finf_status factor_group(size_t size, const double *X, const double *U, double *P)
{
    double *A = P, *H = A + size * size, *e = H + size * size;
    size_t singular;
    memcpy(A, X, size * size * sizeof *A);
    finf_status s = lapack_cholesky(A, size, &singular);
    if (!s) s = lapack_cholesky_invert(A, size);
    if (s) return s;
    lapack_mirror(A, size);
    for (size_t a = 0; a < size * size; a++) H[a] = A[a] * U[a];
    for (size_t a = 0; a < size; a++) e[a] = 1;
    s = lapack_cholesky(H, size, &singular);
    if (!s) dense_cholesky_solve(H, size, e);
    return s;
}

/* The factors of what stands for the second derivative within each group. FINF_ETOL: it is not
 * definite. */
static finf_status precondition(dense_newton *m)
{
    const design_groups *g = &m->w->g;
    double *P = m->factor;
    finf_status s = FINF_OK;
    for (size_t i = 0; i < g->groups && !s; i++) {
        size_t size = design_group_size(g, i);
        s = factor_group(size, m->w->X + g->block[i], m->U + g->block[i], P);
        P += factor_of(size);
    }
    return s;
}

/* The D of an equal diagonal that the form above makes of the residual: D = A (R + diag(l)) U + its
 * transpose, sum l being the residual of the diagonal. */
static finf_status solve_group(const dense_newton *m, size_t group, const double *P, double *y)
{
    size_t size = design_group_size(&m->w->g, group), i = 1, block = m->w->g.block[group];
    double *R = m->B + block, *D = m->D + block, *l = m->f;
    const double *U = m->U + block, *A = P, *H = A + size * size, *e = H + size * size;
    double v = U[0], all = 0, sum = y[0] / v;
    for (size_t a = 0; a < size; a++) {
        R[a * size + a] = 0;
        for (size_t c = 0; c < a; c++) R[a * size + c] = R[c * size + a] = y[i++] / (2 * v);
    }
    finf_status s = lapack_multiply(0, 0, size, size, size, 1, A, size, R, size, 0, D, size);
    for (size_t a = 0; a < size; a++) {
        l[a] = -dense_dot(D + a * size, U + a * size, size);
        sum -= e[a] * l[a];
        all += e[a];
    }
    for (size_t a = 0; a < size; a++) l[a] += sum / all; /* half of the diagonal of D */
    dense_cholesky_solve(H, size, l);
    for (size_t a = 0; a < size; a++)
        for (size_t c = 0; c < size; c++) D[a * size + c] += A[a * size + c] * l[c];
    if (!s) s = lapack_multiply(0, 0, size, size, size, 1, D, size, U, size, 0, R, size);
    y[0] = 2 * sum / all / v;
    for (size_t a = 1, j = 1; a < size; a++)
        for (size_t c = 0; c < a; c++) y[j++] = (R[a * size + c] + R[c * size + a]) / v;
    return s;
}

static finf_status solve_groups(const dense_newton *m, const double *residual, double *out)
{
    const double *P = m->factor;
    finf_status s = FINF_OK;
    memcpy(out, residual, m->length * sizeof *out);
    for (size_t i = 0; i < m->w->g.groups && !s; i++) {
        size_t size = design_group_size(&m->w->g, i);
        s = solve_group(m, i, P, out);
        P += factor_of(size);
        out += count_of(size);
    }
    /* the map u <- u (f/mean f)^2 takes rise/2 for the second derivative by log u */
    for (size_t t = m->pairs; t < m->length; t++) *out++ /= 0.5 * m->rise[t] + m->bar[t];
    return s;
}

/* ---- the step -------------------------------------------------------------------------------- */

/* The rows of S, and the losses of X. */
static finf_status begin_weights(dense_newton *m)
{
    const dense_work *w = m->w;
    size_t n = w->r->n;
    for (size_t l = 0; l < n; l++)
        for (size_t i = 0; i < w->g.groups; i++) {
            size_t from = w->g.from[i], size = design_group_size(&w->g, i);
            const double *W = w->W + w->g.block[i], *q = w->Q + l * n + from;
            for (size_t a = 0; a < size; a++)
                m->S[l * n + w->g.step[from + a]] = dense_dot(W + a * size, q, a + 1) / w->s[l];
        }
    for (size_t l = 0; l < n; l++) dense_scaled(sqrt(w->s[l]), m->S + l * n, n, m->room + l * n);
    finf_status s = lapack_gram(n, n, 1, m->room, 0, m->M);
    if (s) return s;
    lapack_mirror(m->M, n);
    memcpy(m->u, w->u, (n + 1) * sizeof *m->u);
    return design_forward(w->r, w->responses, m->M, 1, 0, m->loss);
}

/* The derivatives by log u, and what belongs to them. */
static void weights_gradient(dense_newton *m)
{
    size_t n = m->w->r->n;
    double T = m->w->T, mu = m->mu, all = 1 + mu * (double)n;
    memcpy(m->rise, m->residual, m->pairs * sizeof *m->rise);
    memset(m->bar, 0, m->pairs * sizeof *m->bar);
    for (size_t t = 1; t <= n; t++) {
        size_t i = m->pairs + t - 1;
        double slack = all - m->loss[t] / T;
        m->rise[i] = m->u[t] * m->loss[t];
        m->bar[i] = T * fmax(mu, slack * m->u[t]);
        m->residual[i] = T * (mu - slack * m->u[t]);
    }
}

/* The derivatives of 2 T - c sum v, c such that no multiple of U is better than U. */
static void set_gradient(dense_newton *m)
{
    const dense_work *w = m->w;
    double *y = m->residual;
    gather(m, w->X, y);
    if (m->S) weights_gradient(m);
    for (size_t i = 0; i < w->g.groups; i++) {
        *y -= m->U[w->g.block[i]] * (w->T / w->v);
        y += count_of(design_group_size(&w->g, i));
    }
}

static finf_status conjugate_gradients(dense_newton *m)
{
    size_t length = m->length;
    int most = m->S ? STEPS_MAX_U : STEPS_MAX;
    double enough = m->S ? ENOUGH_U : ENOUGH;
    memset(m->y, 0, length * sizeof *m->y);
    finf_status s = solve_groups(m, m->residual, m->solved);
    memcpy(m->along, m->solved, length * sizeof *m->along);
    double size = dense_dot(m->residual, m->solved, length), first = size;
    m->left = size / m->w->T;
    for (int i = 0; i < most && !s && size > enough * enough * first; i++) {
        if (finf_cancelled(m->w->r->o.cancel)) return FINF_ETOL;
        s = apply(m, m->along, m->image);
        double curved = dense_dot(m->along, m->image, length);
        if (s || !(curved > 0)) break;
        dense_axpy(size / curved, m->along, length, m->y);
        dense_axpy(-size / curved, m->image, length, m->residual);
        s = solve_groups(m, m->residual, m->solved);
        double next = dense_dot(m->residual, m->solved, length);
        for (size_t l = 0; l < length; l++) m->along[l] = m->solved[l] + next / size * m->along[l];
        size = next;
    }
    return s;
}

/* e <- W^{-1} e, W lower triangular. */
static void divide(const double *W, size_t size, double *e)
{
    for (size_t a = 0; a < size; a++) {
        for (size_t l = 0; l < a; l++) e[a] -= W[a * size + l] * e[l];
        e[a] /= W[a * size + a];
    }
}

/* D becomes the eigenvectors, by rows, of E = W^{-1} D W^{-T}, so that U + D = W (I + E) W', and
 * m->e its eigenvalues. */
static finf_status relate(dense_newton *m)
{
    const design_groups *g = &m->w->g;
    finf_status s = FINF_OK;
    for (size_t i = 0; i < g->groups && !s; i++) {
        size_t size = design_group_size(g, i);
        const double *W = m->W + g->block[i];
        double *E = m->D + g->block[i];
        for (size_t a = 0; a < size; a++) divide(W, size, E + a * size);
        for (size_t c = 0; c < size; c++) {
            for (size_t a = 0; a < size; a++) m->f[a] = E[a * size + c];
            divide(W, size, m->f);
            for (size_t a = 0; a < size; a++) E[a * size + c] = m->f[a];
        }
        s = lapack_eigen(E, size, 1, m->e + g->from[i], NULL);
    }
    return s;
}

finf_status dense_newton_direction(dense_newton *m, double mu)
{
    const dense_work *w = m->w;
    size_t blocks = w->g.block[w->g.groups];
    memcpy(m->U, w->U, blocks * sizeof *m->U);
    memcpy(m->W, w->W, blocks * sizeof *m->W);
    m->mu = mu;
    form_rows(m);
    finf_status s = m->S ? begin_weights(m) : FINF_OK;
    if (s) return s;
    set_gradient(m);
    s = precondition(m);
    if (!s) s = conjugate_gradients(m);
    if (s) return s;
    spread(m, m->y, m->D);
    return relate(m);
}

/* What U and u are multiplied by where the step changes them by e of theirs. */
static double factor_by(double e) { return fmax(1 + fmin(e, MOST_BY - 1), LEAST_BY); }

/* F = W L, LL' = I + step E with its eigenvalues kept from 0: the factor of a group's U after a
 * part of the step, but for the lengths of its rows. */
static void move_factor(const dense_newton *m, size_t group, double step, double *F)
{
    const design_groups *g = &m->w->g;
    size_t size = design_group_size(g, group);
    const double *W = m->W + g->block[group], *E = m->D + g->block[group];
    const double *e = m->e + g->from[group];
    double *square = m->Z, *L = m->V;
    memset(square, 0, size * size * sizeof *square);
    for (size_t l = 0; l < size; l++)
        for (size_t a = 0; a < size; a++)
            dense_axpy(factor_by(step * e[l]) * E[l * size + a], E + l * size, size,
                       square + a * size);
    design_group_factor(square, size, L);
    memset(F, 0, size * size * sizeof *F);
    for (size_t a = 0; a < size; a++)
        for (size_t l = 0; l <= a; l++)
            dense_axpy(W[a * size + l], L + l * size, l + 1, F + a * size);
}

void dense_newton_point(const dense_newton *m, double step, double *x)
{
    const design_groups *g = &m->w->g;
    for (size_t i = 0; i < g->groups; i++) {
        double *F = m->B + g->block[i];
        size_t size = design_group_size(g, i);
        move_factor(m, i, step, F);
        double mean = dense_dot(F, F, size * size) / (double)size; /* the new v */
        for (size_t a = 0; a < size; a++) {
            double length = sqrt(dense_dot(F + a * size, F + a * size, size));
            for (size_t c = 0; c <= a; c++) F[a * size + c] *= sqrt(mean) / length;
        }
    }
    design_groups_pack_factor(g, m->B, x);
    x += m->pairs;
    if (!m->S) return;
    *x++ = LEAST_U;
    for (size_t t = 1; t <= g->n; t++) {
        double by = factor_by(step * m->y[m->pairs + t - 1]);
        *x++ = log(m->u[t]) + log(by);
    }
}
