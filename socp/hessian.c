/* How the bound moves with the noise, log B = sum_i r_i f_i: gradient and Hessian in r, the certificate following.
 *
 * With d_i = dlogB/dr_i, normalised to gamma = 1 (d_i = f_i - E Re f_i, E in the probability |B|^-2/gamma^2 on the circle),
 * m = b + X moves by dm_i = b d_i*, k by 2 k Re d_i, and d_i itself: log gamma^2 / 2 has the Hessian 2 Cov(Re f_i, Re f_l).
 * Held x leaves phi_il; x follows by H dx = -c_i, which takes c_i' H^-1 c_l off.
 * Of stein.c's columns the second derivatives in r are left out: with them no round less. */
#include <math.h>
#include <string.h>

#include "optimize.h"

/* stein.c's columns move m by turn_i e^{iw}, k by price_i, at the x there is. */
typedef struct {
    double *turn, *price, *ratio, *cost; /* n, n; n x ns: of each column */
    double paid;                         /* what the columns add to k */
} ahead_moves;

/* d_i and sqrt(2q/a) dm_i at a node, real and imaginary parts */
typedef struct {
    double *dr, *di, *mr, *mi; /* n */
} node_moves;

size_t socp_moving_scratch(const socp_moving *v, size_t n) { return n * (v->prog.n + 7 + 2 * v->basis.ns); }

/* cost is that of gamma = 1: scaled by gamma, whose log falls by mean_i */
static ahead_moves follow_ahead(const socp_moving *v, const double *dbeta, const double *mean, size_t n, double *scratch)
{
    size_t ns = v->basis.ns;
    const double *x = v->x + v->basis.nh;
    double gamma = sqrt(v->gamma2);
    ahead_moves a = {.turn = scratch, .price = scratch + n, .ratio = scratch + 2 * n, .cost = scratch + (2 + ns) * n};
    for (size_t s = 0; s < ns; s++) a.paid += (x[2 * s] + x[2 * s + 1]) * gamma * v->basis.ahead[s].cost;
    for (size_t i = 0; i < n && ns; i++) {
        double *ratio = a.ratio + i * ns, *cost = a.cost + i * ns;
        socp_stein_along(&v->mo, &v->basis, v->beta, dbeta + i * v->taps, ratio, cost);
        for (size_t s = 0; s < ns; s++) {
            cost[s] = gamma * (cost[s] - mean[i] * v->basis.ahead[s].cost);
            a.turn[i] -= (x[2 * s] - x[2 * s + 1]) * ratio[s], a.price[i] += (x[2 * s] + x[2 * s + 1]) * cost[s];
        }
    }
    return a;
}

/* hessian += (2q/a) Re(dm_i* dm_l) + 2 Re(zb (d_i d_l)*) + 4 q k Re d_i Re d_l, cov += weight Re d_i Re d_l; l <= i */
FINF_VECTOR static void add_node(const node_moves *s, size_t n, double complex zb, double qk, double weight,
                                 double *hessian, double *cov)
{
    double re = 2 * creal(zb), im = 2 * cimag(zb);
    for (size_t i = 0; i < n; i++) {
        double *restrict h = hessian + i * n, *restrict c = cov + i * n, dr = s->dr[i], di = s->di[i];
        double fr = (re + 4 * qk) * dr + im * di, fi = im * dr - re * di, mr = s->mr[i], mi = s->mi[i], w = weight * dr;
        for (size_t l = 0; l <= i; l++) {
            h[l] += mr * s->mr[l] + mi * s->mi[l] + fr * s->dr[l] + fi * s->di[l];
            c[l] += w * s->dr[l];
        }
    }
}

void socp_moving_hessian(socp_moving *v, const double complex *f, const double *dbeta, size_t n, double *gradient,
                         double *hessian, double *cov, double *scratch)
{
    const socp_program *p = &v->prog;
    size_t N = p->n, nh = v->basis.nh, J = v->grid.n, ns = v->basis.ns, first = v->kkt.first;
    double *c = scratch, *mean = c + n * N;
    node_moves s = {mean + n, mean + 2 * n, mean + 3 * n, mean + 4 * n};
    double force = 0, turned = 0, weight = 0; /* the gradients of log|B| everywhere, of turn and of price */
    memset(scratch, 0, socp_moving_scratch(v, n) * sizeof *scratch);
    memset(gradient, 0, n * sizeof *gradient);
    memset(hessian, 0, n * n * sizeof *hessian);
    memset(cov, 0, n * n * sizeof *cov);
    for (size_t j = 0; j < J; j++)
        for (size_t i = 0; i < n; i++) mean[i] += v->grid.q[j] / socp_size2(v->B[j]) * creal(f[j * n + i]);
    ahead_moves ahead = follow_ahead(v, dbeta, mean, n, mean + 5 * n);
    for (size_t j = 0; j < J; j++) {
        const double *A = p->A + j * N, *Mr = p->Mr + j * N, *Mi = p->Mi + j * N, *K = p->K + j * N;
        double q = p->q[j], a, k;
        double complex b;
        socp_moving_cone(v, j, &a, &b, &k);
        double complex zeta = v->kkt.zr[j] + I * v->kkt.zi[j], zb = conj(zeta) * b, z = ns ? cexp(I * v->grid.w[j]) : 0;
        double zeta_z = creal(conj(zeta) * z), root = sqrt(2 * q / a);
        turned += 2 * zeta_z, weight += q, force += 2 * (creal(zb) + q * k);
        for (size_t i = 0; i < n; i++) {
            double complex d = f[j * n + i] - mean[i], dm = root * (b * conj(d) + ahead.turn[i] * z), zd = conj(zeta * d);
            double *ci = c + i * N, mr = root * creal(dm), mi = root * cimag(dm), along = creal(zb * conj(d));
            s.dr[i] = creal(d), s.di[i] = cimag(d), s.mr[i] = creal(dm), s.mi[i] = cimag(dm);
            gradient[i] += 2 * (along + q * k * creal(d));
            if (first == 0) {
                socp_axpy(2 * creal(zd) + mr, Mr, nh, ci);
                socp_axpy(-2 * cimag(zd) + mi, Mi, nh, ci);
                socp_axpy(2 * q * creal(d), K, nh, ci);
                socp_axpy(-2 * (along + ahead.turn[i] * zeta_z) / a, A, nh, ci);
            }
            socp_axpy(mr, Mr + nh, N - nh, ci + nh);
            socp_axpy(mi, Mi + nh, N - nh, ci + nh);
        }
        add_node(&s, n, zb, q * k, v->grid.q[j] / socp_size2(v->B[j]), hessian, cov);
    }
    force += weight * ahead.paid;
    for (size_t i = 0; i < n; i++) {
        gradient[i] += turned * ahead.turn[i] + weight * ahead.price[i];
        for (size_t u = 0; u < 2 * ns; u++) /* one unknown for each sign */
            c[i * N + nh + u] += weight * ahead.cost[i * ns + u / 2] +
                                 (u % 2 ? 1 : -1) * turned * ahead.ratio[i * ns + u / 2];
    }
    for (size_t i = 0; i < n; i++) {
        double *y = v->warm; /* free between solves */
        memcpy(y, c + i * N + first, (N - first) * sizeof *y);
        socp_dense_solve(&v->kkt.H, y);
        for (size_t l = 0; l <= i; l++)
            hessian[i * n + l] += 2 * force * cov[i * n + l] - socp_dot(y, c + l * N + first, N - first);
    }
    for (size_t i = 0; i < n; i++) {
        gradient[i] *= p->scale;
        for (size_t l = 0; l <= i; l++) {
            hessian[i * n + l] = hessian[l * n + i] = hessian[i * n + l] * p->scale;
            cov[l * n + i] = cov[i * n + l];
        }
    }
}
