/* Primal-dual interior-point Newton method with psi eliminated, theory 7.6:
 *     minimise  sum_j q_j (|m_j|^2/a_j + k_j)   over  a_j > 0, s = G x + g0 > 0.
 *
 * Cone j is [[a, m],[m*, psi-k]] >= 0 with dual [[alpha, -zeta],[-zeta*, q]] >= 0 (its psi entry is
 * q exactly), so with eps = alpha - |zeta|^2/q the central path is
 *     a zeta = q m,   a eps = tau,   s lambda = tau,
 *     sum_j (2 Re(zeta* M) - alpha A + q K) - G' lambda = 0.                                (7.i)
 * Linearised, it is one symmetric positive definite system in x alone,
 *     H = sum_j (2q/a) |M - (zeta/q) A|^2 + (eps/a) A'A + G' diag(lambda/s) G.              (7.j)
 * zeta/q, the worst S per unit W, stays well defined where a and m vanish together (tight
 * multipliers). Once (7.i) holds,
 *     gap = sum_j (q/a)|m - a zeta/q|^2 + a eps + s lambda
 * is rigorous. Least squares come first (least_squares.c): where they prove their point optimal
 * there is nothing to iterate, or to start from. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver.h"

typedef struct {
    const socp_program *p;
    size_t n, J, R;                       /* unknowns, cones, inequalities */
    size_t nh;                            /* only the first nh columns of A and G are not 0 */
    size_t units;                         /* the first rows of G say x_i >= 0 */
    double order;                         /* number of complementarity products */
    double *x, *a, *mr, *mi, *s;          /* primal */
    double *al, *zr, *zi, *la, *eps;      /* dual: alpha, zeta, lambda; eps follows */
    double *dx, *da, *dmr, *dmi, *ds;     /* direction */
    double *dal, *dzr, *dzi, *dla, *deps; /* deps: first order */
    /* residuals of a zeta = q m, a eps = tau, s lambda = tau */
    double *r1r, *r1i, *r2, *r3;
    double *c, *rd; /* sum q K, dual residual */
    dense_system H;
    double *memory;
} state;

/* All vectors are pieces of one block, which is zero at first. */
static finf_status allocate(state *v, const socp_program *p)
{
    *v = (state){
        .p = p, .n = p->n, .J = p->cones, .R = p->rows, .order = (double)(p->cones + p->rows)};
    double **cone[] = {&v->a,   &v->mr,   &v->mi,  &v->al,  &v->zr,  &v->zi,
                       &v->eps, &v->da,   &v->dmr, &v->dmi, &v->dal, &v->dzr,
                       &v->dzi, &v->deps, &v->r1r, &v->r1i, &v->r2};
    double **ineq[] = {&v->s, &v->la, &v->ds, &v->dla, &v->r3};
    double **unknown[] = {&v->x, &v->dx, &v->c, &v->rd};
    size_t nc = sizeof cone / sizeof *cone, ni = sizeof ineq / sizeof *ineq,
           nu = sizeof unknown / sizeof *unknown;
    double *z = v->memory = calloc(nc * v->J + ni * v->R + nu * v->n, sizeof *z);
    if (!z) return FINF_ENOMEM;
    for (size_t i = 0; i < nc; i++) {
        *cone[i] = z;
        z += v->J;
    }
    for (size_t i = 0; i < ni; i++) {
        *ineq[i] = z;
        z += v->R;
    }
    for (size_t i = 0; i < nu; i++) {
        *unknown[i] = z;
        z += v->n;
    }
    return dense_make(v->n, &v->H);
}

static double sq(double r, double i) { return r * r + i * i; }

static int zero_column(const double *A, size_t rows, size_t n, size_t i)
{
    size_t j = 0;
    while (j < rows && A[j * n + i] == 0) j++;
    return j == rows;
}

static int unit_row(const double *g, size_t n, size_t i)
{
    size_t k = 0;
    while (k < n && g[k] == (k == i)) k++;
    return k == n;
}

/* Most of G says x_i >= 0, and neither A nor G has X: half of the work if it is done on zeros. */
static void structure(state *v)
{
    const socp_program *p = v->p;
    for (v->nh = v->n; v->nh > 0 && zero_column(p->A, v->J, v->n, v->nh - 1) &&
                       zero_column(p->G, v->R, v->n, v->nh - 1);)
        v->nh--;
    while (v->units < v->R && unit_row(p->G + v->units * v->n, v->n, v->units)) v->units++;
}

/* a, m, s of x, without the constants */
static void products(const state *v, const double *x, double *a, double *mr, double *mi, double *s)
{
    const socp_program *p = v->p;
    size_t n = v->n, u = v->units;
    dense_multiply(p->A, v->J, n, v->nh, x, a);
    dense_multiply(p->Mr, v->J, n, n, x, mr);
    dense_multiply(p->Mi, v->J, n, n, x, mi);
    memcpy(s, x, u * sizeof *s);
    dense_multiply(p->G + u * n, v->R - u, n, v->nh, x, s + u);
}

/* out += A'a + Mr'mr + Mi'mi + G's */
static void transposed(const state *v, const double *a, const double *mr, const double *mi,
                       const double *s, double *out)
{
    const socp_program *p = v->p;
    size_t n = v->n, u = v->units;
    dense_combine(a, p->A, v->J, n, v->nh, out);
    dense_combine(mr, p->Mr, v->J, n, n, out);
    dense_combine(mi, p->Mi, v->J, n, n, out);
    for (size_t i = 0; i < u; i++) out[i] += s[i];
    dense_combine(s + u, p->G + u * n, v->R - u, n, v->nh, out);
}

/* a, m and s at the present x */
static void primal(state *v)
{
    const socp_program *p = v->p;
    products(v, v->x, v->a, v->mr, v->mi, v->s);
    dense_axpy(1, p->a0, v->J, v->a);
    dense_axpy(1, p->m0r, v->J, v->mr);
    dense_axpy(1, p->m0i, v->J, v->mi);
    dense_axpy(1, p->g0, v->R, v->s);
}

/* eps and the dual residual; 0 if the point has left the cones (rounding) */
static int dual(state *v)
{
    double *wa = v->r2, *wr = v->r1r, *wi = v->r1i, *ws = v->r3; /* free between directions */
    int inside = 1;
    for (size_t j = 0; j < v->J; j++) {
        v->eps[j] = v->al[j] - sq(v->zr[j], v->zi[j]) / v->p->q[j];
        inside = inside && v->a[j] > 0 && v->eps[j] > 0;
        wr[j] = 2 * v->zr[j];
        wi[j] = 2 * v->zi[j];
        wa[j] = -v->al[j];
    }
    for (size_t i = 0; i < v->R; i++) {
        inside = inside && v->s[i] > 0 && v->la[i] > 0;
        ws[i] = -v->la[i];
    }
    memcpy(v->rd, v->c, v->n * sizeof *v->rd);
    transposed(v, wa, wr, wi, ws, v->rd);
    return inside;
}

/* sum_j q (|m|^2/a + k), the part of k that moves with x being c'x */
static double objective(const state *v)
{
    double f = dense_dot(v->c, v->x, v->n);
    for (size_t j = 0; j < v->J; j++)
        f += v->p->q[j] * (sq(v->mr[j], v->mi[j]) / v->a[j] + v->p->k0[j]);
    return f;
}

/* The gap of theory 7.6 after steps tp (primal) and td (dual) along the current direction: a lower
 * bound of the optimum is that far below the objective, once (7.i) holds */
static double gap_at(const state *v, double tp, double td)
{
    double gap = 0;
    for (size_t j = 0; j < v->J; j++) {
        double q = v->p->q[j], a = v->a[j] + tp * v->da[j];
        double zr = v->zr[j] + td * v->dzr[j], zi = v->zi[j] + td * v->dzi[j];
        double er = v->mr[j] + tp * v->dmr[j] - a * zr / q,
               ei = v->mi[j] + tp * v->dmi[j] - a * zi / q;
        gap += q / a * sq(er, ei) + a * (v->al[j] + td * v->dal[j] - sq(zr, zi) / q);
    }
    for (size_t i = 0; i < v->R; i++)
        gap += (v->s[i] + tp * v->ds[i]) * (v->la[i] + td * v->dla[i]);
    return gap;
}

/* The matrix of (7.j) at the present point, as a sum of outer products r r': for each cone two
 * rows sqrt(2q/a) (M - (zeta/q) A), real and imaginary part, and one sqrt(eps/a) A; for each
 * inequality one sqrt(lambda/s) G, or a diagonal entry where it says x_i >= 0. 0: not positive
 * definite in rounding. */
static int factor(state *v)
{
    const socp_program *p = v->p;
    size_t n = v->n, nh = v->nh, ld = v->H.ld;
    dense_clear(&v->H);
    for (size_t i = 0; i < v->units; i++) v->H.H[i * ld + i] = v->la[i] / v->s[i];
    for (size_t j = 0; j < v->J; j++) {
        double q = p->q[j], f = sqrt(2 * q / v->a[j]);
        const double *A = p->A + j * n, *M[2] = {p->Mr + j * n, p->Mi + j * n},
                     y[2] = {v->zr[j] / q, v->zi[j] / q};
        for (size_t part = 0; part < 2; part++) {
            double *r = dense_row(&v->H, n);
            dense_scaled(f, M[part], n, r);
            dense_axpy(-f * y[part], A, nh, r);
        }
    }
    for (size_t j = 0; j < v->J; j++) {
        double f = sqrt(v->eps[j] / v->a[j]), *r = dense_row(&v->H, nh);
        dense_scaled(f, p->A + j * n, nh, r);
    }
    for (size_t k = v->units; k < v->R; k++) {
        double f = sqrt(v->la[k] / v->s[k]), *r = dense_row(&v->H, nh);
        for (size_t i = 0; i < nh; i++) r[i] = f * p->G[k * n + i];
    }
    return dense_factor(&v->H);
}

/* What is missing to the point tau of the path; second: with the second-order terms of the
 * direction just computed. */
static void residuals(state *v, double tau, int second)
{
    for (size_t j = 0; j < v->J; j++) {
        double q = v->p->q[j], a = v->a[j];
        v->r1r[j] = q * v->mr[j] - a * v->zr[j];
        v->r1i[j] = q * v->mi[j] - a * v->zi[j];
        v->r2[j] = tau - a * v->eps[j];
        if (second) {
            double dz2 = sq(v->dzr[j], v->dzi[j]) / q;
            v->r1r[j] -= v->da[j] * v->dzr[j];
            v->r1i[j] -= v->da[j] * v->dzi[j];
            v->r2[j] += a * dz2 - v->da[j] * (v->deps[j] - dz2);
        }
    }
    for (size_t i = 0; i < v->R; i++)
        v->r3[i] = tau - v->s[i] * v->la[i] - (second ? v->ds[i] * v->dla[i] : 0);
}

/* The Newton direction for these residuals: in the linearised equations of theory 7.6 the changes
 * of zeta, alpha and lambda are eliminated,
 *     Hs dx = -rd - sum_j [(2/a) Re(r1* M) - ((r2 + 2 Re(zeta* r1)/q)/a) A] + G'(r3/s),
 * and then found from dx. */
static void direction(state *v)
{
    const socp_program *p = v->p;
    double *wa = v->da, *wr = v->dmr, *wi = v->dmi, *ws = v->ds; /* not yet known */
    for (size_t i = 0; i < v->n; i++) v->dx[i] = -v->rd[i];
    for (size_t j = 0; j < v->J; j++) {
        double f = 1 / v->a[j], y = (v->zr[j] * v->r1r[j] + v->zi[j] * v->r1i[j]) / p->q[j];
        wr[j] = -2 * f * v->r1r[j];
        wi[j] = -2 * f * v->r1i[j];
        wa[j] = f * (v->r2[j] + 2 * y);
    }
    for (size_t i = 0; i < v->R; i++) ws[i] = v->r3[i] / v->s[i];
    transposed(v, wa, wr, wi, ws, v->dx);
    dense_solve(&v->H, v->dx);

    products(v, v->dx, v->da, v->dmr, v->dmi, v->ds);
    for (size_t j = 0; j < v->J; j++) {
        double q = p->q[j], a = v->a[j];
        v->dzr[j] = (q * v->dmr[j] - v->zr[j] * v->da[j] + v->r1r[j]) / a;
        v->dzi[j] = (q * v->dmi[j] - v->zi[j] * v->da[j] + v->r1i[j]) / a;
        v->deps[j] = (v->r2[j] - v->eps[j] * v->da[j]) / a;
        v->dal[j] = v->deps[j] + 2 * (v->zr[j] * v->dzr[j] + v->zi[j] * v->dzi[j]) / q;
    }
    for (size_t i = 0; i < v->R; i++) v->dla[i] = (v->r3[i] - v->la[i] * v->ds[i]) / v->s[i];
}

/* `fraction` of the way to the boundary, at most 1. Along the dual step eps is eps + t deps - t^2
 * |dzeta|^2/q. */
static void steps(const state *v, double fraction, double *tp, double *td)
{
    double P = 1 / fraction, D = 1 / fraction;
    for (size_t j = 0; j < v->J; j++) {
        if (v->da[j] < 0) P = fmin(P, -v->a[j] / v->da[j]);
        double b = v->deps[j],
               root = sqrt(b * b + 4 * v->eps[j] * sq(v->dzr[j], v->dzi[j]) / v->p->q[j]);
        if (root > b) D = fmin(D, 2 * v->eps[j] / (root - b));
    }
    for (size_t i = 0; i < v->R; i++) {
        if (v->ds[i] < 0) P = fmin(P, -v->s[i] / v->ds[i]);
        if (v->dla[i] < 0) D = fmin(D, -v->la[i] / v->dla[i]);
    }
    *tp = fraction * P;
    *td = fraction * D;
}

/* Steps to take; a common one where different ones would pull a zeta = q m apart. */
static void choose_steps(const state *v, double *tp, double *td)
{
    steps(v, 0.99, tp, td);
    double both = fmin(*tp, *td);
    if (gap_at(v, both, both) < gap_at(v, *tp, *td)) *tp = *td = both;
}

/* A strictly feasible x, and the duals of the central path as far as x allows. They start
 * infeasible, so tau starts large: the gap must not get ahead of the infeasibility. From the
 * program's own start X is still 0 and |m|^2/a says nothing: tau is taken from k, and zeta = 0. */
static void initialise(state *v, const double *warm)
{
    const socp_program *p = v->p;
    int ok = 0;
    structure(v);
    for (size_t j = 0; j < v->J; j++) dense_axpy(p->q[j], p->K + j * v->n, v->n, v->c);
    /* pulled inside, so that no a or s starts at zero */
    for (double f = 0.01; warm && !ok && f < 1; f *= 3) {
        for (size_t i = 0; i < v->n; i++) v->x[i] = (1 - f) * warm[i] + f * p->start[i];
        ok = isfinite(socp_program_value(p, v->x));
    }
    if (!ok) memcpy(v->x, p->start, v->n * sizeof *v->x);
    primal(v);
    double k = dense_dot(v->c, v->x, v->n) + dense_dot(p->q, p->k0, v->J);
    double tau = (ok ? 0.1 * objective(v) : 10 * k) / v->order;
    for (size_t j = 0; j < v->J; j++) {
        double f = ok ? p->q[j] / v->a[j] : 0;
        v->zr[j] = f * v->mr[j];
        v->zi[j] = f * v->mi[j];
        v->al[j] = sq(v->zr[j], v->zi[j]) / p->q[j] + tau / v->a[j];
    }
    for (size_t i = 0; i < v->R; i++) v->la[i] = tau / v->s[i];
}

/* What takes a product back to [tau/3, 10 tau], by 10 tau at most */
static double recentre(double product, double tau)
{
    return fmax(fmin(fmax(product, tau / 3), 10 * tau) - product, -10 * tau);
}

/* Asks of the direction that the products stay together after steps tp, td (Gondzio). */
static void centre(state *v, double tau, double tp, double td)
{
    for (size_t j = 0; j < v->J; j++) {
        double eps = v->eps[j] + td * (v->deps[j] - td * sq(v->dzr[j], v->dzi[j]) / v->p->q[j]);
        v->r2[j] += recentre((v->a[j] + tp * v->da[j]) * eps, tau);
    }
    for (size_t i = 0; i < v->R; i++)
        v->r3[i] += recentre((v->s[i] + tp * v->ds[i]) * (v->la[i] + td * v->dla[i]), tau);
}

/* One predictor-corrector step (Mehrotra): a direction to tau = 0, which is not taken, shows what
 * fraction of the gap would be left. The true tau is the present average times its cube, and the
 * second-order terms of that direction are corrected for. Where the step is short, two corrections
 * for one that is longer by 0.3. A direction costs 4/n of a factorisation, and they save one in
 * seven. */
static void iterate(state *v, double gap)
{
    double tp, td;
    residuals(v, 0, 0);
    direction(v);
    steps(v, 0.9, &tp, &td);
    double tau = pow(fmin(1, gap_at(v, tp, td) / gap), 3) * gap / v->order;
    residuals(v, tau, 1);
    direction(v);
    choose_steps(v, &tp, &td);
    for (int k = 0; k < 2 && fmin(tp, td) < 0.95; k++) {
        centre(v, tau, fmin(1, tp + 0.3), fmin(1, td + 0.3));
        direction(v);
        choose_steps(v, &tp, &td);
    }
    if (fmin(tp, td) < 0.1) { /* off centre: back to the path */
        residuals(v, gap / v->order, 0);
        direction(v);
        choose_steps(v, &tp, &td);
    }
    dense_axpy(tp, v->dx, v->n, v->x);
    dense_axpy(td, v->dal, v->J, v->al);
    dense_axpy(td, v->dzr, v->J, v->zr);
    dense_axpy(td, v->dzi, v->J, v->zi);
    dense_axpy(td, v->dla, v->R, v->la);
    primal(v);
}

/* Hands the factored system and the duals to the caller, who gets to free the system. */
static void keep(state *v, socp_kkt *out)
{
    dense_system was = out->H;
    out->H = v->H;
    v->H = was;
    out->moved = v->p->signs;
    for (size_t i = 0; i < out->moved; i++) out->at[i] = i;
    memcpy(out->zr, v->zr, v->J * sizeof *v->zr);
    memcpy(out->zi, v->zi, v->J * sizeof *v->zi);
}

/* Copies the duals that belong to the present point. */
static void keep_duals(const state *v, socp_duals *out)
{
    memcpy(out->alpha, v->al, v->J * sizeof *v->al);
    memcpy(out->zr, v->zr, v->J * sizeof *v->zr);
    memcpy(out->zi, v->zi, v->J * sizeof *v->zi);
    memcpy(out->end, v->la + v->R - 2, sizeof out->end);
}

/* Each round: the duals and the gap at the present x, which is kept unless, below tol, rounding
 * has made it worse; then a factorisation and a step. What the dual residual is worth at x counts
 * as part of the gap. All iterates are strictly feasible, so every end leaves a point of which
 * socp_recompute makes a bound. code: 0, -1 (max_iter), -2 (rounding), -4 (cancelled), -5 (the
 * caller's). */
finf_status socp_newton(const socp_program *p, const socp_solve_options *opt, double *x,
                        socp_outcome *out)
{
    double t0 = finf_seconds();
    int least = opt->not_least ? 0 : socp_least(p, opt, x, out);
    if (least > 0) return out->code ? FINF_ETOL : FINF_OK;
    int max_iter = opt->max_iter > 0 ? opt->max_iter : 100, factored = 0;
    state v;
    *out = (socp_outcome){.code = -1, .status = "iteration limit", .value = NAN, .gap = INFINITY};
    finf_status st = least < 0 ? FINF_ENOMEM : FINF_OK;
    if (st) return st;
    st = allocate(&v, p);
    memcpy(x, p->start, p->n * sizeof *x);
    if (st == FINF_OK) initialise(&v, opt->warm);
    for (; st == FINF_OK; out->iterations++) {
        double infeasible = 0, f = objective(&v);
        if (!dual(&v)) {
            out->code = -2;
            out->status = "numerical trouble";
            break;
        }
        for (size_t i = 0; i < v.n; i++) infeasible += fabs(v.rd[i] * v.x[i]);
        double gap = gap_at(&v, 0, 0), relative = (gap + infeasible) / f;
        if (out->gap <= opt->tol && !(relative < out->gap)) break; /* rounding */
        out->value = f * p->scale;
        out->gap = relative;
        memcpy(x, v.x, v.n * sizeof *x);
        if (opt->duals) keep_duals(&v, opt->duals);
        /* a last step gains a factor 100: half a step more on average, and bounds agree to a
         * quarter of tol */
        if (out->gap <= opt->tol / 4 || out->iterations == max_iter) break;
        if (opt->enough && opt->enough(opt->data, out->value, relative)) {
            out->code = SOCP_ENOUGH;
            out->status = "ended by the caller";
            break;
        }
        if (finf_cancelled(opt->cancel)) {
            out->code = -4;
            out->status = "cancelled";
            break;
        }
        if (!(factored = factor(&v))) {
            out->code = -2;
            out->status = "numerical trouble";
            break;
        }
        iterate(&v, gap);
    }
    if (out->code > SOCP_CANCELLED && out->gap <= opt->tol) {
        out->code = 0;
        out->status = "optimal";
    }
    /* where rounding ends it short of tol, the last system */
    if (st == FINF_OK && opt->kkt && out->code > SOCP_CANCELLED) {
        if (out->code == 0) factored = factor(&v);
        if (factored)
            keep(&v, opt->kkt);
        else {
            out->code = -2;
            out->status = "numerical trouble";
            out->gap = INFINITY;
        }
    }
    dense_free(&v.H);
    free(v.memory);
    out->seconds = finf_seconds() - t0;
    return st != FINF_OK ? st : out->code ? FINF_ETOL : FINF_OK;
}
