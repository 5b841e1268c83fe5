/* A step of Newton's method on the dual of the dense design. (theory 12.3)
 *
 * With X = V' diag(s) V, V = Q W^{-1}, the second derivative of 2 T along a change D of U is
 *
 *     - sum_ij h_ij (V D V')_ij^2,   h_ij = s_i s_j/(s_i + s_j):
 *
 * two products of n x n matrices. The step that maximises 2 T - sum v to second order is found by
 * conjugate gradients. They are preconditioned by what the second derivative is within each group;
 * there
 *
 *     h_ij = int_0^inf exp(-t/s_i) exp(-t/s_j) dt,
 *
 * by the trapezoid rule in log t, makes it a few products of blocks of V' diag(exp(-t/s)) V. */
#include "dense_newton.h"

#include <stdlib.h>
#include <string.h>

#include "dense.h"
#include "lapack.h"

#define NODE_STEP 2.0 /* of the trapezoid rule in log t: right to 6%, */
#define SMALLEST 1e-9 /* for s down to this part of the largest */
#define RIDGE 1e-12   /* added to a preconditioner's diagonal, relative */
#define ENOUGH 0.1    /* what is left of the residual, in the preconditioner's norm */
#define STEPS_MAX 60  /* of conjugate gradients */

static size_t count_of(size_t size) { return 1 + size * (size - 1) / 2; }

/* How many numbers the preconditioner has. */
static size_t factor_length(const design_groups *g)
{
    size_t length = 0;
    for (size_t i = 0; i < g->groups; i++) {
        size_t count = count_of(design_group_size(g, i));
        length += count * count;
    }
    return length;
}

int dense_newton_fits(const dense_work *w)
{
    return w->g.most <= DENSE_NEWTON_GROUP && factor_length(&w->g) <= DENSE_NEWTON_NUMBERS;
}

finf_status dense_newton_make(const dense_work *w, dense_newton *m)
{
    size_t n = w->r->n, blocks = w->g.block[w->g.groups], length = design_groups_length(&w->g);
    size_t factors = factor_length(&w->g);
    *m = (dense_newton){.w = w, .length = length, .factors = factors};
    m->V = malloc((3 * n * n + 4 * blocks + factors + 5 * length + n) * sizeof *m->V);
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

/* image = - the second derivative of 2 T times y. */
static finf_status apply(dense_newton *m, const double *y, double *image)
{
    size_t n = m->w->r->n;
    const double *s = m->w->s;
    spread(m, y, m->D);
    times_blocks(m, m->D, m->room);
    finf_status status = lapack_multiply(0, 1, n, n, n, 1, m->room, n, m->V, n, 0, m->Z, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) m->Z[i * n + j] *= s[i] * (s[j] / (s[i] + s[j]));
    if (!status) status = lapack_multiply(0, 0, n, n, n, 1, m->Z, n, m->V, n, 0, m->room, n);
    blocks_of(m, NULL, m->room, m->B);
    gather(m, m->B, image);
    return status;
}

/* ---- the preconditioner ---------------------------------------------------------------------- */

/* P += by times the derivatives of tr(G D G D), D the change of a group, in its upper triangle. */
static void add_node(size_t size, double by, const double *G, double *P)
{
    size_t count = count_of(size), i = 1;
    double all = 0;
    for (size_t e = 0; e < size * size; e++) all += G[e] * G[e];
    P[0] += by * all;
    for (size_t a = 1; a < size; a++)
        for (size_t c = 0; c < a; c++, i++) {
            const double *Ga = G + a * size, *Gc = G + c * size;
            size_t j = 1;
            P[i] += 2 * by * dense_dot(Ga, Gc, size);
            for (size_t p = 1; p < size; p++)
                for (size_t q = 0; q < p; q++, j++)
                    if (j >= i) P[i * count + j] += 2 * by * (Ga[p] * Gc[q] + Ga[q] * Gc[p]);
        }
}

/* The factors of the second derivative within each group. FINF_ETOL: it is not definite. */
static finf_status precondition(dense_newton *m)
{
    const dense_work *w = m->w;
    const design_groups *g = &w->g;
    size_t n = w->r->n, singular;
    double largest = w->s[n - 1], least = fmax(w->s[0], SMALLEST * largest);
    memset(m->factor, 0, m->factors * sizeof *m->factor);
    /* the integral is over t from where exp(-2t/s) is nearly 1 for the least s to where it is
     * nearly 0 for the largest */
    for (double u = log(least / 2) - 2; u < log(largest / 2) + 3.5; u += NODE_STEP) {
        double t = exp(u), *P = m->factor;
        for (size_t i = 0; i < n; i++) m->f[i] = exp(-t / w->s[i]);
        blocks_of(m, m->f, m->V, m->B);
        for (size_t i = 0; i < g->groups; i++) {
            size_t size = design_group_size(g, i), count = count_of(size);
            double v = m->U[g->block[i]];
            add_node(size, NODE_STEP * t * v * v, m->B + g->block[i], P);
            P += count * count;
        }
    }
    double *P = m->factor;
    for (size_t i = 0; i < g->groups; i++) {
        size_t count = count_of(design_group_size(g, i));
        for (size_t a = 0; a < count; a++) P[a * count + a] *= 1 + RIDGE;
        if (dense_cholesky(P, count, (finf_cancel){NULL, NULL}, &singular)) return FINF_ETOL;
        P += count * count;
    }
    return FINF_OK;
}

static void solve_groups(const dense_newton *m, const double *residual, double *out)
{
    const double *P = m->factor;
    memcpy(out, residual, m->length * sizeof *out);
    for (size_t i = 0; i < m->w->g.groups; i++) {
        size_t count = count_of(design_group_size(&m->w->g, i));
        dense_cholesky_solve(P, count, out);
        P += count * count;
        out += count;
    }
}

/* ---- the step -------------------------------------------------------------------------------- */

/* The derivatives of 2 T - c sum v, c such that no multiple of U is better than U. */
static void set_gradient(dense_newton *m)
{
    const dense_work *w = m->w;
    double *y = m->residual;
    gather(m, w->X, y);
    for (size_t i = 0; i < w->g.groups; i++) {
        *y -= m->U[w->g.block[i]] * (w->T / w->v);
        y += count_of(design_group_size(&w->g, i));
    }
}

static finf_status conjugate_gradients(dense_newton *m)
{
    size_t length = m->length;
    finf_status s = FINF_OK;
    memset(m->y, 0, length * sizeof *m->y);
    solve_groups(m, m->residual, m->solved);
    memcpy(m->along, m->solved, length * sizeof *m->along);
    double size = dense_dot(m->residual, m->solved, length), first = size;
    for (int i = 0; i < STEPS_MAX && size > ENOUGH * ENOUGH * first; i++) {
        if (finf_cancelled(m->w->r->o.cancel)) return FINF_ETOL;
        s = apply(m, m->along, m->image);
        double curved = dense_dot(m->along, m->image, length);
        if (s || !(curved > 0)) break;
        dense_axpy(size / curved, m->along, length, m->y);
        dense_axpy(-size / curved, m->image, length, m->residual);
        solve_groups(m, m->residual, m->solved);
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

/* D becomes J = D W^{-T}, so that (W + J/2)(W + J/2)' = U + D + ..; m->size is that of W^{-1} J. */
static void halve(dense_newton *m)
{
    const design_groups *g = &m->w->g;
    m->size = 0;
    for (size_t i = 0; i < g->groups; i++) {
        size_t size = design_group_size(g, i);
        const double *W = m->W + g->block[i];
        double *J = m->D + g->block[i], sum = 0;
        for (size_t a = 0; a < size; a++) divide(W, size, J + a * size);
        for (size_t c = 0; c < size; c++) {
            for (size_t a = 0; a < size; a++) m->f[a] = J[a * size + c];
            divide(W, size, m->f);
            sum += dense_dot(m->f, m->f, size);
        }
        m->size = fmax(m->size, sqrt(sum));
    }
}

finf_status dense_newton_direction(dense_newton *m)
{
    const dense_work *w = m->w;
    size_t blocks = w->g.block[w->g.groups];
    memcpy(m->U, w->U, blocks * sizeof *m->U);
    memcpy(m->W, w->W, blocks * sizeof *m->W);
    form_rows(m);
    set_gradient(m);
    finf_status s = precondition(m);
    if (!s) s = conjugate_gradients(m);
    spread(m, m->y, m->D);
    halve(m);
    return s;
}

void dense_newton_point(const dense_newton *m, double step, double *x)
{
    const design_groups *g = &m->w->g;
    for (size_t i = 0; i < g->groups; i++) {
        size_t size = design_group_size(g, i);
        const double *W = m->W + g->block[i], *J = m->D + g->block[i];
        double *F = m->B + g->block[i], *norm = m->f, mean = 0, *log_v = x++;
        for (size_t a = 0; a < size * size; a++) F[a] = W[a] + 0.5 * step * J[a];
        for (size_t a = 0; a < size; a++) {
            norm[a] = sqrt(dense_dot(F + a * size, F + a * size, size));
            mean += norm[a] * norm[a] / (double)size;
            for (size_t c = 0; c < a; c++)
                *x++ = dense_dot(F + a * size, F + c * size, size) / (norm[a] * norm[c]);
        }
        *log_v = log(mean);
    }
}
