/* A strictly feasible start, or the proof that there is none (theory 11.4). For plain sgd the slack
 * h_0 - sum h alone makes a > 0; with momentum its coefficient may be negative somewhere, and the
 * program may be infeasible though every quadratic is stable.
 *
 * With the rows of a, scaled to the size of their largest entry, what is looked for is
 *     a0 xi + A x >= 1 - tau,   xi, x, tau >= 0,   of the least tau + COST (xi + sum x):
 * below 1 it has a > 0 at x/xi; if it is 1 then xi = x = tau - 1 = 0 is the optimum, and the duals
 * y >= 0, sum y = 1, have y'A_i <= COST, y'a0 <= COST: no x whose a is more than COST of the size
 * of its terms. The linear program is one more socp_program, of which m = 0, for the Newton
 * method. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver.h"

static const double COST = 1e-7;

/* A row (c, c0) of the program p, scaled: that of xi first, then those with a sign, tau last. */
static void scaled_row(const double *c, double c0, size_t signs, double *row, double *constant)
{
    double size = fabs(c0);
    for (size_t i = 0; i < signs; i++) size = fmax(size, fabs(c[i]));
    row[0] = c0 / size;
    for (size_t i = 0; i < signs; i++) row[1 + i] = c[i] / size;
    row[1 + signs] = 1;
    *constant = -1;
}

/* The linear program for the cones `cones` of p and its last two inequalities. The cost is spread
 * over the cones, whose weights have the sum 1. */
static finf_status make(const socp_program *p, size_t cones, socp_program *out)
{
    size_t S = p->signs, n = S + 2, J = cones, R = n + 2;
    double *z = calloc(4 * J * n + 5 * J + R * n + R + n, sizeof *z);
    if (!z) return FINF_ENOMEM;
    *out = (socp_program){.n = n, .cones = J, .rows = R, .signs = n, .A = z, .scale = 1};
    out->Mr = z + J * n;
    out->Mi = z + 2 * J * n;
    out->K = z + 3 * J * n;
    out->a0 = z + 4 * J * n;
    out->m0r = out->a0 + J;
    out->m0i = out->m0r + J;
    out->k0 = out->m0i + J;
    out->q = out->k0 + J;
    out->G = out->q + J;
    out->g0 = out->G + R * n;
    out->start = out->g0 + R;
    out->interior = 1;
    for (size_t j = 0; j < J; j++) {
        scaled_row(p->A + j * p->n, p->a0[j], S, out->A + j * n, &out->a0[j]);
        out->q[j] = 1 / (double)J;
        for (size_t i = 0; i < n; i++) out->K[j * n + i] = i + 1 < n ? COST : 1;
    }
    for (size_t i = 0; i < n; i++) out->G[i * n + i] = 1;
    for (size_t e = 0; e < 2; e++)
        scaled_row(p->G + (S + e) * p->n, p->g0[S + e], S, out->G + (n + e) * n, &out->g0[n + e]);
    for (size_t i = 0; i < n; i++) out->start[i] = i + 1 < n ? 1 : 2 + (double)n;
    return FINF_OK;
}

/* Row j of a: a cone's, or one of the last two inequalities. */
static const double *row_of(const socp_program *p, size_t j, double *constant)
{
    size_t end = p->signs + j - p->cones;
    *constant = j < p->cones ? p->a0[j] : p->g0[end];
    return j < p->cones ? p->A + j * p->n : p->G + end * p->n;
}

/* Away from the corner that the linear program ends in: as much is added to all unknowns as leaves
 * half of every a. */
static void spread(socp_program *p)
{
    size_t S = p->signs, J = p->cones + 2;
    double most = 1, a0;
    for (size_t j = 0; j < J; j++) {
        const double *row = row_of(p, j, &a0);
        double sum = 0, a = a0 + dense_dot(row, p->start, S);
        for (size_t i = 0; i < S; i++) sum += row[i];
        if (sum < 0) most = fmin(most, -a / (2 * sum));
    }
    for (size_t i = 0; i < S; i++) p->start[i] += most;
}

/* The start is theta x, whose a is a0 + theta A x: for A x > 0 (which no a0 can spoil) theta is
 * twice what it takes, or 1; else 1/xi. */
static void set_start(socp_program *p, const double *x)
{
    size_t S = p->signs, J = p->cones + 2;
    double sum = 0, ratio = 0;
    for (size_t i = 0; i < S; i++) sum += x[1 + i];
    for (size_t i = 0; i < p->n; i++) p->start[i] = i < S ? x[1 + i] / sum : 0;
    for (size_t j = 0; j < J && isfinite(ratio); j++) {
        double a0, a = dense_dot(row_of(p, j, &a0), p->start, S);
        ratio = a > 0 ? fmax(ratio, -a0 / a) : INFINITY;
    }
    double theta = isfinite(ratio) ? 2 * ratio + 1 : sum / x[0];
    for (size_t i = 0; i < S; i++) p->start[i] *= theta;
    spread(p);
}

finf_status socp_phase_one(socp_program *p, finf_cancel cancel, int *feasible)
{
    socp_program lp;
    socp_outcome so;
    socp_solve_options opt = {.tol = 1e-3, .cancel = cancel};
    *feasible = p->interior;
    if (p->interior) return FINF_OK;
    finf_status st = make(p, p->cones, &lp);
    if (st != FINF_OK) return st;
    double *x = malloc(lp.n * sizeof *x);
    st = x ? socp_newton(&lp, &opt, x, &so) : FINF_ENOMEM;
    if (st == FINF_OK || st == FINF_ETOL) {
        set_start(p, x);
        p->interior = *feasible = x[lp.n - 1] < 1 && isfinite(socp_program_value(p, p->start));
    }
    free(x);
    socp_program_free(&lp);
    return st == FINF_ETOL && *feasible ? FINF_OK : st;
}

/* ECOS ends with value 1 too, or does not tell. */
finf_status socp_phase_one_ecos(const socp_program *p, finf_cancel cancel, int *agrees)
{
    socp_program lp;
    socp_outcome so;
    socp_solve_options opt = {.tol = 1e-6, .cancel = cancel};
    *agrees = 0;
    finf_status st = make(p, p->cones, &lp);
    if (st != FINF_OK) return st;
    double *x = malloc(lp.n * sizeof *x);
    st = x ? socp_ecos(&lp, &opt, x, &so) : FINF_ENOMEM;
    *agrees = st == FINF_OK && so.value > 0.999;
    free(x);
    socp_program_free(&lp);
    return st == FINF_ENOMEM ? st : FINF_OK;
}
