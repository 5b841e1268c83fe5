/* How the bound moves with the noise, log B = sum_i r_i f_i: gradient and Hessian in r, the
 * certificate following. (theory 7.14)
 *
 * V(r) = min_x f(x, r), f = sum_j q (|m|^2/a + k), has
 *     V_i = f_i,      V_il = phi_il - c_i' H^-1 c_l,
 * where phi_il = f_il at the x there is, c_i is the gradient of f_i in x, and H, the solver's last
 * linear system, the Hessian of f in x. With d_i = dlogB/dr_i, normalised to gamma = 1 (d_i = f_i -
 * E Re f_i, E in the probability |B|^-2/gamma^2 on the circle), m = b + X moves by dm_i = b d_i*
 * and k by 2 k Re d_i, so that with zeta = q m/a
 *     f_i    = sum_j 2 Re(zeta* dm_i) + 2 q k Re d_i,
 *     phi_il = sum_j (2q/a) Re(dm_i* dm_l) + 2 Re(zeta* b (d_i d_l)*) + 4 q k Re d_i Re d_l
 *              + 2 f_1 Cov(Re f_i, Re f_l),
 * the last as d_i moves too, f_1 being f_i for d = 1. stein.c's columns add turn_i e^{iw} to dm_i
 * and price_i to what k moves by; their second derivatives in r are left out: with them no round
 * less. */
#include <math.h>
#include <string.h>

#include "optimize.h"

typedef struct {
    double *c;                 /* n x unknowns */
    double *mean;              /* n: E Re f_i */
    double *dr, *di, *mr, *mi; /* n: at a node, d_i and sqrt(2q/a) dm_i */
    double *turn, *price;      /* n: of stein.c's columns, at the x there is */
    double *ratio, *cost;      /* n x columns: how each of them moves */
    double paid;               /* what they add to k */
} moves;

size_t socp_moving_scratch(const socp_moving *v, size_t n)
{
    return n * (v->prog.n + 7 + 2 * v->basis.ns);
}

/* Cuts the scratch space into its pieces, and clears it. */
static moves lay_out(const socp_moving *v, size_t n, double *z)
{
    moves s = {.c = z};
    double **vec[] = {&s.mean, &s.dr, &s.di, &s.mr, &s.mi, &s.turn, &s.price, &s.ratio};
    memset(z, 0, socp_moving_scratch(v, n) * sizeof *z);
    z += n * v->prog.n;
    for (size_t i = 0; i < sizeof vec / sizeof *vec; i++, z += n) *vec[i] = z;
    s.cost = s.ratio + n * v->basis.ns;
    return s;
}

/* stein.c's cost is that of gamma = 1: scaled by gamma, whose log falls by mean_i */
static void follow_stein(const socp_moving *v, const double *dbeta, size_t n, moves *s)
{
    size_t ns = v->basis.ns;
    const double *x = v->x + v->basis.nh;
    double gamma = sqrt(v->gamma2);
    for (size_t k = 0; k < ns; k++)
        s->paid += (x[2 * k] + x[2 * k + 1]) * gamma * v->basis.ahead[k].cost;
    for (size_t i = 0; i < n && ns; i++) {
        double *ratio = s->ratio + i * ns, *cost = s->cost + i * ns;
        socp_stein_along(&v->mo, &v->basis, v->beta, dbeta + i * v->taps, ratio, cost);
        for (size_t k = 0; k < ns; k++) {
            cost[k] = gamma * (cost[k] - s->mean[i] * v->basis.ahead[k].cost);
            s->turn[i] -= (x[2 * k] - x[2 * k + 1]) * ratio[k];
            s->price[i] += (x[2 * k] + x[2 * k + 1]) * cost[k];
        }
    }
}

/* phi's node, all but its covariance, and weight Re d_i Re d_l; l <= i */
FINF_VECTOR static void add_node(const moves *s, size_t n, double complex zb, double qk,
                                 double weight, double *phi, double *cov)
{
    double re = 2 * creal(zb), im = 2 * cimag(zb);
    for (size_t i = 0; i < n; i++) {
        double *restrict h = phi + i * n, *restrict c = cov + i * n, dr = s->dr[i], di = s->di[i];
        double fr = (re + 4 * qk) * dr + im * di, fi = im * dr - re * di, mr = s->mr[i],
               mi = s->mi[i], w = weight * dr;
        for (size_t l = 0; l <= i; l++) {
            h[l] += mr * s->mr[l] + mi * s->mi[l] + fr * s->dr[l] + fi * s->di[l];
            c[l] += w * s->dr[l];
        }
    }
}

/* c_i's node: 2 Re(zeta* dM) + (2q/a) Re(dm_i* M) + q dK - (2/a) Re(zeta* dm_i) A, where the
 * columns M and K of the h turn with B as m and k do; not theirs where they stay 0 */
static void add_cross(const socp_moving *v, size_t j, size_t i, double complex zeta, double a,
                      double along, const moves *s)
{
    const socp_program *p = &v->prog;
    size_t N = p->n, nh = v->basis.nh;
    const double *Mr = p->Mr + j * N, *Mi = p->Mi + j * N;
    double q = p->q[j], root = sqrt(2 * q / a), mr = root * s->mr[i], mi = root * s->mi[i],
           *c = s->c + i * N;
    double complex zd = conj(zeta * (s->dr[i] + I * s->di[i]));
    double fr = 2 * creal(zd) + mr, fi = -2 * cimag(zd) + mi, fk = 2 * q * s->dr[i],
           fa = -2 * along / a;
    if (v->kkt.moved == p->signs) {
        dense_axpy(fr, Mr, nh, c);
        dense_axpy(fi, Mi, nh, c);
        dense_axpy(fk, p->K + j * N, nh, c);
        dense_axpy(fa, p->A + j * N, nh, c);
    }
    for (size_t k = 0; v->kkt.moved < p->signs && k < v->kkt.moved && v->kkt.at[k] < nh; k++) {
        size_t u = v->kkt.at[k];
        c[u] += fr * Mr[u] + fi * Mi[u] + fk * p->K[j * N + u] + fa * p->A[j * N + u];
    }
    dense_axpy(mr, Mr + nh, N - nh, c + nh);
    dense_axpy(mi, Mi + nh, N - nh, c + nh);
}

/* The entries of c_i that belong to the unknowns that moved, moved up to its beginning. */
static size_t gather(const socp_moving *v, double *c)
{
    size_t S = v->prog.signs, X = v->prog.n - S, m = v->kkt.moved;
    for (size_t k = 0; k < m; k++) c[k] = c[v->kkt.at[k]];
    memmove(c + m, c + S, X * sizeof *c);
    return m + X;
}

/* Two passes over the nodes: E Re f_i, which normalises d_i, then the sums of f_i, phi_il, Cov and
 * c_i. Only the cones of the DP noise are visited: those of the gradient noise do not see B, and
 * act through H alone. Only the unknowns that moved in the last solve follow r, and X. */
void socp_moving_hessian(socp_moving *v, const double complex *f, const double *dbeta, size_t n,
                         double *gradient, double *hessian, double *cov, double *scratch)
{
    size_t N = v->prog.n, nh = v->basis.nh, J = v->grid.n, ns = v->basis.ns, moved = 0;
    moves s = lay_out(v, n, scratch);
    double all = 0, turned = 0, weight = 0; /* f_1, and how f moves with turn and with price */
    memset(gradient, 0, n * sizeof *gradient);
    memset(hessian, 0, n * n * sizeof *hessian);
    memset(cov, 0, n * n * sizeof *cov);
    for (size_t j = 0; j < J; j++)
        for (size_t i = 0; i < n; i++)
            s.mean[i] += v->grid.q[j] / socp_size2(v->B[j]) * creal(f[j * n + i]);
    follow_stein(v, dbeta, n, &s);
    for (size_t j = 0; j < J; j++) {
        double q = v->prog.q[j], a, k;
        double complex b;
        socp_moving_cone(v, j, &a, &b, &k);
        double complex zeta = v->kkt.zr[j] + I * v->kkt.zi[j], zb = conj(zeta) * b,
                       z = ns ? cexp(I * v->grid.w[j]) : 0;
        double zeta_z = creal(conj(zeta) * z), root = sqrt(2 * q / a);
        all += 2 * (creal(zb) + q * k);
        turned += 2 * zeta_z;
        weight += q;
        for (size_t i = 0; i < n; i++) {
            double complex d = f[j * n + i] - s.mean[i], dm = root * (b * conj(d) + s.turn[i] * z);
            double along = creal(zb * conj(d));
            s.dr[i] = creal(d);
            s.di[i] = cimag(d);
            s.mr[i] = creal(dm);
            s.mi[i] = cimag(dm);
            gradient[i] += 2 * (along + q * k * creal(d));
            add_cross(v, j, i, zeta, a, along + s.turn[i] * zeta_z, &s);
        }
        add_node(&s, n, zb, q * k, v->grid.q[j] / socp_size2(v->B[j]), hessian, cov);
    }
    all += weight * s.paid;
    for (size_t i = 0; i < n; i++) {
        gradient[i] += turned * s.turn[i] + weight * s.price[i];
        for (size_t u = 0; u < 2 * ns; u++) /* one unknown for each sign */
            s.c[i * N + nh + u] += weight * s.cost[i * ns + u / 2] +
                                   (u % 2 ? 1 : -1) * turned * s.ratio[i * ns + u / 2];
    }
    double scale = v->prog.scale, *y = v->warm; /* free between solves */
    for (size_t i = 0; i < n; i++) moved = gather(v, s.c + i * N);
    for (size_t i = 0; i < n; i++) {
        gradient[i] *= scale;
        memcpy(y, s.c + i * N, moved * sizeof *y);
        dense_solve(&v->kkt.H, y);
        for (size_t l = 0; l <= i; l++) {
            double phi = hessian[i * n + l] + 2 * all * cov[i * n + l];
            hessian[i * n + l] = hessian[l * n + i] = scale *
                                                      (phi - dense_dot(y, s.c + l * N, moved));
            cov[l * n + i] = cov[i * n + l];
        }
    }
}
