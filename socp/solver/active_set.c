/* Newton's method with only the multipliers that pay (theory 11.4). Of an optimizer's many
 * sequences h_t few are at work, single lags most often, and the cost of a step goes with the
 * square of the number of unknowns. So the program is solved with the first few unknowns that have
 * a sign and all of X, and the others are priced: f is convex, so with r its gradient at that point
 *     f(y) >= f(x) + r'(y - x) >= f(x) - sum |r_i x_i| - om c'y,   om = max(-r_i/c_i),
 * and c'y <= f(y), c_i = sum_j q K_i: the optimum of the whole program is below f(x) by a relative
 * om + sum |r_i x_i|/f at most. That number is the gap. Where it is too large, all unknowns move.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver.h"

enum { FEW = 9 }; /* the slack and four single lags either way */

/* Copies from a row of the whole program to one of the part, or back. */
static void part_row(const double *row, size_t signs, size_t few, size_t n, double *out)
{
    memcpy(out, row, few * sizeof *out);
    memcpy(out + few, row + signs, (n - signs) * sizeof *out);
}

/* The program without the unknowns FEW .. signs - 1. Its start is that of the whole one. */
static finf_status make_part(const socp_program *p, size_t few, socp_program *out)
{
    size_t drop = p->signs - few, n = p->n - drop, J = p->cones, R = p->rows - drop;
    double *z = calloc(4 * J * n + 5 * J + R * n + R + n, sizeof *z);
    if (!z) return FINF_ENOMEM;
    *out = *p;
    out->n = n;
    out->rows = R;
    out->signs = few;
    out->A = z;
    out->Mr = z + J * n;
    out->Mi = z + 2 * J * n;
    out->K = z + 3 * J * n;
    out->G = z + 4 * J * n;
    out->g0 = out->G + R * n;
    out->start = out->g0 + R;
    for (size_t j = 0; j < J; j++) {
        part_row(p->A + j * p->n, p->signs, few, p->n, out->A + j * n);
        part_row(p->Mr + j * p->n, p->signs, few, p->n, out->Mr + j * n);
        part_row(p->Mi + j * p->n, p->signs, few, p->n, out->Mi + j * n);
        part_row(p->K + j * p->n, p->signs, few, p->n, out->K + j * n);
    }
    for (size_t i = 0; i < R; i++) {
        size_t from = i < few ? i : i + drop;
        part_row(p->G + from * p->n, p->signs, few, p->n, out->G + i * n);
        out->g0[i] = p->g0[from];
    }
    part_row(p->start, p->signs, few, p->n, out->start);
    return FINF_OK;
}

/* What is missing to the optimum of the whole program at x, relative to its objective. r, c: n */
static double missing(const socp_program *p, const double *x, double *r, double *c)
{
    size_t n = p->n;
    double f = 0, most = 0, rest = 0;
    memset(r, 0, n * sizeof *r);
    memset(c, 0, n * sizeof *c);
    for (size_t j = 0; j < p->cones; j++) {
        const double *A = p->A + j * n, *Mr = p->Mr + j * n, *Mi = p->Mi + j * n, *K = p->K + j * n;
        double q = p->q[j], a = p->a0[j] + dense_dot(A, x, p->signs),
               yr = (p->m0r[j] + dense_dot(Mr, x, n)) / a,
               yi = (p->m0i[j] + dense_dot(Mi, x, n)) / a, y2 = yr * yr + yi * yi;
        f += q * (y2 * a + p->k0[j] + dense_dot(K, x, p->signs));
        dense_axpy(2 * q * yr, Mr, n, r);
        dense_axpy(2 * q * yi, Mi, n, r);
        dense_axpy(-q * y2, A, p->signs, r);
        dense_axpy(q, K, p->signs, c);
    }
    for (size_t i = 0; i < n; i++) {
        r[i] += c[i];
        rest += fabs(r[i] * x[i]);
        if (i < p->signs && r[i] < 0) most = fmax(most, -r[i] / c[i]);
    }
    return most + rest / f;
}

finf_status socp_newton_few(const socp_program *p, const socp_solve_options *opt, double *x,
                            socp_outcome *out)
{
    size_t few = FEW;
    socp_program part;
    socp_solve_options s = {.tol = opt->tol, .max_iter = opt->max_iter, .cancel = opt->cancel};
    if (opt->kkt || opt->warm || p->signs <= FEW || p->signs == p->n || !p->slack)
        return socp_newton(p, opt, x, out);
    part.A = NULL;
    finf_status st = make_part(p, few, &part);
    double *y = st == FINF_OK ? malloc((part.n + 2 * p->n) * sizeof *y) : NULL;
    if (st == FINF_OK && !y) st = FINF_ENOMEM;
    if (st == FINF_OK && isfinite(socp_program_value(&part, part.start)))
        st = socp_newton(&part, &s, y, out);
    else if (st == FINF_OK)
        st = FINF_ETOL;
    int done = 0;
    if (st == FINF_OK) {
        memset(x, 0, p->n * sizeof *x);
        memcpy(x, y, few * sizeof *x);
        memcpy(x + p->signs, y + few, (part.n - few) * sizeof *x);
        out->gap = fmax(out->gap, missing(p, x, y + part.n, y + part.n + p->n));
        done = out->gap <= opt->tol;
    }
    free(y);
    free(part.A);
    if (done || st == FINF_ENOMEM) return st;
    return socp_newton(p, opt, x, out);
}
