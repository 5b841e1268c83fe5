/* The program with every unknown that has a sign at 0: least squares in X (theory 7.15). Under
 * causality, for eta L <= 1, that is most often the optimum: no Zames-Falb multiplier pays. The
 * duals zeta = q m/a, alpha = |zeta|^2/q prove it if they price none of the other columns below
 * zero:
 *     r_i = sum_j (2 Re(zeta* M_i) - alpha A_i + q K_i) >= 0.
 * With c_i = sum_j q K_i, c'x is part of the objective, so the optimum is below the value found by
 * a relative max(-r_i/c_i) at most. That number is the gap. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver.h"

/* Is X alone in the domain? a and the inequalities do not see X: a0 > 0 and g0 >= 0. */
static int feasible(const socp_program *p)
{
    size_t j = 0, i = 0;
    while (j < p->cones && p->a0[j] > 0) j++;
    while (i < p->rows && p->g0[i] >= 0) i++;
    return j == p->cones && i == p->rows;
}

/* Minimises sum_j (q/a)|m0 + M X|^2 by its normal equations,
 *     H X = -sum_j (2q/a) Re(M* m0),   H = sum_j (2q/a) Re(M* M),
 * in columns that are orthogonal but for the weight 1/a (basis.c). 0: H is singular in rounding. */
static int solve(const socp_program *p, dense_system *H, double *X)
{
    size_t n = p->n - p->signs;
    dense_clear(H);
    memset(X, 0, n * sizeof *X);
    for (size_t j = 0; j < p->cones; j++) {
        const double *M[2] = {p->Mr + j * p->n + p->signs, p->Mi + j * p->n + p->signs},
                     m0[2] = {p->m0r[j], p->m0i[j]};
        double f = 2 * p->q[j] / p->a0[j], root = sqrt(f);
        for (size_t part = 0; part < 2; part++) {
            double *r = dense_row(H, n);
            for (size_t i = 0; i < n; i++) r[i] = root * M[part][i];
            dense_axpy(-f * m0[part], M[part], n, X);
        }
    }
    if (!dense_factor(H)) return 0;
    dense_solve(H, X);
    return 1;
}

/* zeta, and the objective */
static double duals(const socp_program *p, const double *X, double *zr, double *zi)
{
    size_t n = p->n - p->signs;
    double f = 0;
    for (size_t j = 0; j < p->cones; j++) {
        size_t at = j * p->n + p->signs;
        double q = p->q[j], mr = p->m0r[j] + dense_dot(p->Mr + at, X, n),
               mi = p->m0i[j] + dense_dot(p->Mi + at, X, n);
        zr[j] = q * mr / p->a0[j];
        zi[j] = q * mi / p->a0[j];
        f += q * ((mr * mr + mi * mi) / p->a0[j] + p->k0[j]);
    }
    return f;
}

/* What is missing to optimality, relative to the objective f: max(-r_i/c_i) over the unknowns with
 * a sign, and for X, where r is 0 but for rounding, what that rounding may be worth. r, c: n */
static double missing(const socp_program *p, const double *x, const double *zr, const double *zi,
                      double f, double *r, double *c)
{
    size_t n = p->n, S = p->signs;
    double most = 0, rest = 0;
    memset(r, 0, n * sizeof *r);
    memset(c, 0, n * sizeof *c);
    for (size_t j = 0; j < p->cones; j++) {
        dense_axpy(2 * zr[j], p->Mr + j * n, n, r);
        dense_axpy(2 * zi[j], p->Mi + j * n, n, r);
        dense_axpy(-(zr[j] * zr[j] + zi[j] * zi[j]) / p->q[j], p->A + j * n, S, r);
        dense_axpy(p->q[j], p->K + j * n, S, c);
    }
    for (size_t i = 0; i < S; i++)
        if (r[i] + c[i] < 0) most = fmax(most, -(r[i] + c[i]) / c[i]);
    for (size_t i = S; i < n; i++) rest += fabs(r[i] * x[i]);
    return most + rest / f;
}

int socp_least(const socp_program *p, const socp_solve_options *opt, double *x, socp_outcome *out)
{
    double t0 = finf_seconds();
    size_t S = p->signs, J = p->cones;
    dense_system H = {0};
    if (S == p->n || !feasible(p)) return 0;
    double *z = malloc((2 * J + 2 * p->n) * sizeof *z), *zr = z, *zi = z ? z + J : NULL,
           *r = z ? zi + J : NULL, f = 0;
    int memory = z && dense_make(p->n - S, &H) == FINF_OK, done = memory && solve(p, &H, x + S);
    if (done) {
        memset(x, 0, S * sizeof *x);
        f = duals(p, x + S, zr, zi);
        *out = (socp_outcome){.status = "optimal", .iterations = 1, .value = f * p->scale};
        out->gap = missing(p, x, zr, zi, f, r, r + p->n);
        done = out->gap <= opt->tol;
    }
    if (done && opt->kkt) {
        dense_system was = opt->kkt->H; /* exchanged, not copied: what was there is freed below */
        opt->kkt->H = H;
        H = was;
        opt->kkt->moved = 0;
        memcpy(opt->kkt->zr, zr, J * sizeof *zr);
        memcpy(opt->kkt->zi, zi, J * sizeof *zi);
    }
    if (done && finf_cancelled(opt->cancel)) {
        out->code = -4;
        out->status = "cancelled";
    } /* a bound still */
    free(z);
    dense_free(&H);
    out->seconds = finf_seconds() - t0;
    return memory ? done : -1;
}
