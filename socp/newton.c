/* Primal-dual interior-point Newton method with psi eliminated, MATH 7.6.
 *
 *   minimise  sum_j q_j (|m_j|^2/a_j + k_j)   over  a_j > 0, s = G x + g0 > 0.
 * Cone j is [[a, m],[m*, psi-k]] >= 0 with dual [[alpha, -zeta],[-zeta*, q]] >= 0 (its psi entry is q exactly), so with
 * eps = alpha - |zeta|^2/q the central path is
 *   a zeta = q m,   a eps = tau,   s lambda = tau,   sum_j (2 Re(zeta* M) - alpha A + q K) - G' lambda = 0.
 * Linearised, it is one symmetric positive definite system in x alone:
 *   H = sum_j (2q/a) |M - (zeta/q) A|^2 + (eps/a) A'A + G' diag(lambda/s) G.
 * zeta/q, the worst S per unit W, stays well defined where a and m vanish together (tight multipliers).
 * gap = sum_j (q/a)|m - a zeta/q|^2 + a eps + s lambda is rigorous once the last equation holds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "socp.h"

typedef struct {
    const socp_program *p;
    size_t n, J, R;
    double order;                         /* number of complementarity products */
    double *x, *a, *mr, *mi, *s;          /* primal */
    double *al, *zr, *zi, *la, *eps;      /* dual: alpha, zeta, lambda; eps follows */
    double *dx, *da, *dmr, *dmi, *ds;     /* direction */
    double *dal, *dzr, *dzi, *dla, *deps; /* deps: first order */
    double *r1r, *r1i, *r2, *r3;          /* residuals of a zeta = q m, a eps = tau, s lambda = tau */
    double *c, *rd;                       /* sum q K, dual residual */
    socp_dense H;
    double *memory;
} state;

static finf_status allocate(state *v, const socp_program *p)
{
    *v = (state){.p = p, .n = p->n, .J = p->cones, .R = p->rows, .order = (double)(p->cones + p->rows)};
    double **cone[] = {&v->a,   &v->mr,  &v->mi,  &v->al,  &v->zr,   &v->zi,  &v->eps, &v->da, &v->dmr,
                       &v->dmi, &v->dal, &v->dzr, &v->dzi, &v->deps, &v->r1r, &v->r1i, &v->r2};
    double **ineq[] = {&v->s, &v->la, &v->ds, &v->dla, &v->r3};
    double **unknown[] = {&v->x, &v->dx, &v->c, &v->rd};
    size_t nc = sizeof cone / sizeof *cone, ni = sizeof ineq / sizeof *ineq, nu = sizeof unknown / sizeof *unknown;
    double *z = v->memory = calloc(nc * v->J + ni * v->R + nu * v->n, sizeof *z);
    if (!z) return FINF_ENOMEM;
    for (size_t i = 0; i < nc; i++) *cone[i] = z, z += v->J;
    for (size_t i = 0; i < ni; i++) *ineq[i] = z, z += v->R;
    for (size_t i = 0; i < nu; i++) *unknown[i] = z, z += v->n;
    return socp_dense_make(v->n, &v->H);
}

static double sq(double r, double i) { return r * r + i * i; }

static void affine(const double *A, const double *a0, const double *x, size_t rows, size_t n, double *out)
{
    for (size_t j = 0; j < rows; j++) out[j] = (a0 ? a0[j] : 0) + socp_dot(A + j * n, x, n);
}

static void primal(state *v)
{
    const socp_program *p = v->p;
    affine(p->A, p->a0, v->x, v->J, v->n, v->a);
    affine(p->Mr, p->m0r, v->x, v->J, v->n, v->mr);
    affine(p->Mi, p->m0i, v->x, v->J, v->n, v->mi);
    affine(p->G, p->g0, v->x, v->R, v->n, v->s);
}

/* eps and the dual residual; 0 if the point has left the cones (rounding) */
static int dual(state *v)
{
    const socp_program *p = v->p;
    size_t n = v->n;
    int inside = 1;
    memcpy(v->rd, v->c, n * sizeof *v->rd);
    for (size_t j = 0; j < v->J; j++) {
        v->eps[j] = v->al[j] - sq(v->zr[j], v->zi[j]) / p->q[j];
        inside = inside && v->a[j] > 0 && v->eps[j] > 0;
        socp_axpy(2 * v->zr[j], p->Mr + j * n, n, v->rd);
        socp_axpy(2 * v->zi[j], p->Mi + j * n, n, v->rd);
        socp_axpy(-v->al[j], p->A + j * n, n, v->rd);
    }
    for (size_t i = 0; i < v->R; i++) {
        inside = inside && v->s[i] > 0 && v->la[i] > 0;
        socp_axpy(-v->la[i], p->G + i * n, n, v->rd);
    }
    return inside;
}

static double objective(const state *v)
{
    double f = socp_dot(v->c, v->x, v->n);
    for (size_t j = 0; j < v->J; j++) f += v->p->q[j] * (sq(v->mr[j], v->mi[j]) / v->a[j] + v->p->k0[j]);
    return f;
}

/* gap after steps tp (primal) and td (dual) along the current direction */
static double gap_at(const state *v, double tp, double td)
{
    double gap = 0;
    for (size_t j = 0; j < v->J; j++) {
        double q = v->p->q[j], a = v->a[j] + tp * v->da[j];
        double zr = v->zr[j] + td * v->dzr[j], zi = v->zi[j] + td * v->dzi[j];
        double er = v->mr[j] + tp * v->dmr[j] - a * zr / q, ei = v->mi[j] + tp * v->dmi[j] - a * zi / q;
        gap += q / a * sq(er, ei) + a * (v->al[j] + td * v->dal[j] - sq(zr, zi) / q);
    }
    for (size_t i = 0; i < v->R; i++) gap += (v->s[i] + tp * v->ds[i]) * (v->la[i] + td * v->dla[i]);
    return gap;
}

static int factor(state *v)
{
    const socp_program *p = v->p;
    size_t n = v->n;
    socp_dense_clear(&v->H);
    for (size_t j = 0; j < v->J; j++) {
        double q = p->q[j], f = sqrt(2 * q / v->a[j]), yr = v->zr[j] / q, yi = v->zi[j] / q, e = sqrt(v->eps[j] / v->a[j]);
        const double *A = p->A + j * n, *Mr = p->Mr + j * n, *Mi = p->Mi + j * n;
        double *r = socp_dense_row(&v->H);
        for (size_t i = 0; i < n; i++) r[i] = f * (Mr[i] - yr * A[i]);
        r = socp_dense_row(&v->H);
        for (size_t i = 0; i < n; i++) r[i] = f * (Mi[i] - yi * A[i]);
        r = socp_dense_row(&v->H);
        for (size_t i = 0; i < n; i++) r[i] = e * A[i];
    }
    for (size_t k = 0; k < v->R; k++) {
        double f = sqrt(v->la[k] / v->s[k]), *r = socp_dense_row(&v->H);
        for (size_t i = 0; i < n; i++) r[i] = f * p->G[k * n + i];
    }
    return socp_dense_factor(&v->H);
}

/* What is missing to the point tau of the path; second: with the second-order terms of the direction just computed. */
static void residuals(state *v, double tau, int second)
{
    for (size_t j = 0; j < v->J; j++) {
        double q = v->p->q[j], a = v->a[j];
        v->r1r[j] = q * v->mr[j] - a * v->zr[j], v->r1i[j] = q * v->mi[j] - a * v->zi[j];
        v->r2[j] = tau - a * v->eps[j];
        if (second) {
            double dz2 = sq(v->dzr[j], v->dzi[j]) / q;
            v->r1r[j] -= v->da[j] * v->dzr[j], v->r1i[j] -= v->da[j] * v->dzi[j];
            v->r2[j] += a * dz2 - v->da[j] * (v->deps[j] - dz2);
        }
    }
    for (size_t i = 0; i < v->R; i++) v->r3[i] = tau - v->s[i] * v->la[i] - (second ? v->ds[i] * v->dla[i] : 0);
}

/* The Newton direction for these residuals. */
static void direction(state *v)
{
    const socp_program *p = v->p;
    size_t n = v->n;
    for (size_t i = 0; i < n; i++) v->dx[i] = -v->rd[i];
    for (size_t j = 0; j < v->J; j++) {
        double a = v->a[j], y = (v->zr[j] * v->r1r[j] + v->zi[j] * v->r1i[j]) / p->q[j];
        socp_axpy(-2 * v->r1r[j] / a, p->Mr + j * n, n, v->dx);
        socp_axpy(-2 * v->r1i[j] / a, p->Mi + j * n, n, v->dx);
        socp_axpy((v->r2[j] + 2 * y) / a, p->A + j * n, n, v->dx);
    }
    for (size_t i = 0; i < v->R; i++) socp_axpy(v->r3[i] / v->s[i], p->G + i * n, n, v->dx);
    socp_dense_solve(&v->H, v->dx);

    affine(p->A, NULL, v->dx, v->J, n, v->da);
    affine(p->Mr, NULL, v->dx, v->J, n, v->dmr);
    affine(p->Mi, NULL, v->dx, v->J, n, v->dmi);
    affine(p->G, NULL, v->dx, v->R, n, v->ds);
    for (size_t j = 0; j < v->J; j++) {
        double q = p->q[j], a = v->a[j];
        v->dzr[j] = (q * v->dmr[j] - v->zr[j] * v->da[j] + v->r1r[j]) / a;
        v->dzi[j] = (q * v->dmi[j] - v->zi[j] * v->da[j] + v->r1i[j]) / a;
        v->deps[j] = (v->r2[j] - v->eps[j] * v->da[j]) / a;
        v->dal[j] = v->deps[j] + 2 * (v->zr[j] * v->dzr[j] + v->zi[j] * v->dzi[j]) / q;
    }
    for (size_t i = 0; i < v->R; i++) v->dla[i] = (v->r3[i] - v->la[i] * v->ds[i]) / v->s[i];
}

/* `fraction` of the way to the boundary, at most 1. Along the dual step eps is eps + t deps - t^2 |dzeta|^2/q. */
static void steps(const state *v, double fraction, double *tp, double *td)
{
    double P = 1 / fraction, D = 1 / fraction;
    for (size_t j = 0; j < v->J; j++) {
        if (v->da[j] < 0) P = fmin(P, -v->a[j] / v->da[j]);
        double b = v->deps[j], root = sqrt(b * b + 4 * v->eps[j] * sq(v->dzr[j], v->dzi[j]) / v->p->q[j]);
        if (root > b) D = fmin(D, 2 * v->eps[j] / (root - b));
    }
    for (size_t i = 0; i < v->R; i++) {
        if (v->ds[i] < 0) P = fmin(P, -v->s[i] / v->ds[i]);
        if (v->dla[i] < 0) D = fmin(D, -v->la[i] / v->dla[i]);
    }
    *tp = fraction * P, *td = fraction * D;
}

/* Steps to take; a common one where different ones would pull a zeta = q m apart. */
static void choose_steps(const state *v, double *tp, double *td)
{
    steps(v, 0.99, tp, td);
    double both = fmin(*tp, *td);
    if (gap_at(v, both, both) < gap_at(v, *tp, *td)) *tp = *td = both;
}

/* A strictly feasible x, and the duals of the central path as far as x allows. They start infeasible, so tau starts
 * large: the gap must not get ahead of the infeasibility. */
static void initialise(state *v, const double *warm)
{
    const socp_program *p = v->p;
    int ok = 0;
    for (size_t j = 0; j < v->J; j++) socp_axpy(p->q[j], p->K + j * v->n, v->n, v->c);
    for (double f = 0.01; warm && !ok && f < 1; f *= 3) { /* pulled inside, so that no a or s starts at zero */
        for (size_t i = 0; i < v->n; i++) v->x[i] = (1 - f) * warm[i] + f * p->start[i];
        ok = isfinite(socp_program_value(p, v->x));
    }
    if (!ok) memcpy(v->x, p->start, v->n * sizeof *v->x);
    primal(v);
    double tau = objective(v) / v->order * (ok ? 0.1 : 100);
    for (size_t j = 0; j < v->J; j++) {
        double f = p->q[j] / v->a[j];
        v->zr[j] = f * v->mr[j], v->zi[j] = f * v->mi[j];
        v->al[j] = sq(v->zr[j], v->zi[j]) / p->q[j] + tau / v->a[j];
    }
    for (size_t i = 0; i < v->R; i++) v->la[i] = tau / v->s[i];
}

/* One predictor-corrector step (Mehrotra). */
static void iterate(state *v, double gap)
{
    double tp, td;
    residuals(v, 0, 0);
    direction(v);
    steps(v, 0.9, &tp, &td);
    double ratio = fmin(1, gap_at(v, tp, td) / gap);
    residuals(v, ratio * ratio * ratio * gap / v->order, 1);
    direction(v);
    choose_steps(v, &tp, &td);
    if (fmin(tp, td) < 0.1) { /* off centre: back to the path */
        residuals(v, gap / v->order, 0);
        direction(v);
        choose_steps(v, &tp, &td);
    }
    socp_axpy(tp, v->dx, v->n, v->x);
    socp_axpy(td, v->dal, v->J, v->al);
    socp_axpy(td, v->dzr, v->J, v->zr);
    socp_axpy(td, v->dzi, v->J, v->zi);
    socp_axpy(td, v->dla, v->R, v->la);
    primal(v);
}

static void keep(state *v, socp_kkt *out)
{
    socp_dense was = out->H;
    out->H = v->H, v->H = was;
    memcpy(out->zr, v->zr, v->J * sizeof *v->zr);
    memcpy(out->zi, v->zi, v->J * sizeof *v->zi);
}

finf_status socp_newton(const socp_program *p, const socp_solve_options *opt, double *x, socp_outcome *out)
{
    double t0 = finf_seconds();
    int max_iter = opt->max_iter > 0 ? opt->max_iter : 100;
    state v;
    *out = (socp_outcome){.code = -1, .status = "iteration limit", .value = NAN, .gap = INFINITY};
    finf_status st = allocate(&v, p);
    memcpy(x, p->start, p->n * sizeof *x);
    if (st == FINF_OK) initialise(&v, opt->warm);
    for (; st == FINF_OK; out->iterations++) {
        double infeasible = 0, f = objective(&v);
        if (!dual(&v)) {
            out->code = -2, out->status = "numerical trouble";
            break;
        }
        for (size_t i = 0; i < v.n; i++) infeasible += fabs(v.rd[i] * v.x[i]);
        double gap = gap_at(&v, 0, 0);
        out->value = f * p->scale, out->gap = (gap + infeasible) / f;
        memcpy(x, v.x, v.n * sizeof *x);
        if (out->gap <= opt->tol) {
            out->code = 0, out->status = "optimal";
            break;
        }
        if (out->iterations == max_iter) break;
        if (opt->cancel && opt->cancel(opt->cancel_data)) {
            out->code = -4, out->status = "cancelled";
            break;
        }
        if (!factor(&v)) {
            out->code = -2, out->status = "numerical trouble";
            break;
        }
        iterate(&v, gap);
    }
    /* rounding ends it short of tol: the last system that could be factored */
    if (st == FINF_OK && opt->kkt && (out->code ? out->iterations > 0 : factor(&v))) keep(&v, opt->kkt);
    socp_dense_free(&v.H);
    free(v.memory);
    out->seconds = finf_seconds() - t0;
    return st != FINF_OK ? st : out->code ? FINF_ETOL : FINF_OK;
}
