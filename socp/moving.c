/* The IQC program as a function of the noise: grid and basis stay, B moves. A new B only rescales rows (no basis function
 * is evaluated again), and the last certificate starts the next solve: 4-6 Newton iterations in place of 9. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optimize.h"

finf_status socp_moving_make(double eta, double kappa, const finf_iqc_options *o, const finf_noise *finest,
                             socp_moving *out)
{
    double e = eta * o->smooth;
    int dist = socp_is_dist(o->bound);
    int causal = socp_is_causal(o->bound);
    socp_moving v = {.mo = socp_model_make(e, kappa, dist), .cancel = o->cancel, .cancel_data = o->cancel_data};
    socp_weights weights = socp_unit_weights(o);
    finf_noise *white = NULL;
    finf_status st = finf_noise_sgd(&white);
    size_t lags = o->fir          ? o->fir
                  : st == FINF_OK ? socp_basis_lags(white, e, causal)
                                  : 0; /* as for noise that does not resonate */
    if (st == FINF_OK)
        st = socp_grid_make(finest, e, v.mo.mu, socp_basis_reach(lags, o->multipliers), o->grid_uniform, &v.grid);
    if (st == FINF_OK) st = socp_basis_make(e, v.mo.mu, lags, !o->fir, o->multipliers, causal, &v.basis);
    if (st == FINF_OK) st = socp_program_make(&v.mo, white, &v.grid, &v.basis, weights, &v.unit);
    if (st == FINF_OK) st = socp_program_make(&v.mo, white, &v.grid, &v.basis, weights, &v.prog);
    if (st == FINF_OK) {
        v.B = malloc(v.grid.n * sizeof *v.B);
        v.x = calloc(2 * v.prog.n + 2 * v.prog.cones, sizeof *v.x);
        v.warm = v.x ? v.x + v.prog.n : NULL;
        v.kkt.zr = v.x ? v.warm + v.prog.n : NULL;
        v.kkt.zi = v.x ? v.kkt.zr + v.prog.cones : NULL;
        if (!v.B || !v.x) st = FINF_ENOMEM;
    }
    finf_noise_free(white);
    if (st != FINF_OK) socp_moving_free(&v);
    *out = v;
    return st;
}

void socp_moving_free(socp_moving *v)
{
    if (!v) return;
    socp_grid_free(&v->grid);
    socp_basis_free(&v->basis);
    socp_program_free(&v->unit);
    socp_program_free(&v->prog);
    socp_dense_free(&v->kkt.H);
    free(v->B);
    free(v->x);
    *v = (socp_moving){0};
}

static double size2(double complex z) { return creal(z) * creal(z) + cimag(z) * cimag(z); }

/* Rows of the DP cones are linear in B* (m) and in |B|^2 (k); a, X and the gradient noise's cones do not see B. */
static void set_rows(socp_moving *v)
{
    size_t n = v->prog.n, nh = v->basis.nh;
    for (size_t j = 0; j < v->grid.n; j++) {
        double re = creal(v->B[j]), im = cimag(v->B[j]), b2 = size2(v->B[j]);
        const double *ur = v->unit.Mr + j * n, *ui = v->unit.Mi + j * n, *uk = v->unit.K + j * n;
        double *mr = v->prog.Mr + j * n, *mi = v->prog.Mi + j * n, *k = v->prog.K + j * n;
        for (size_t i = 0; i < nh; i++) {
            mr[i] = re * ur[i] + im * ui[i], mi[i] = re * ui[i] - im * ur[i];
            k[i] = b2 * uk[i];
        }
        v->prog.m0r[j] = re * v->unit.m0r[j] + im * v->unit.m0i[j];
        v->prog.m0i[j] = re * v->unit.m0i[j] - im * v->unit.m0r[j];
        v->prog.k0[j] = b2 * v->unit.k0[j];
    }
}

finf_status socp_moving_solve(socp_moving *v, const double complex *logB, double tol)
{
    v->value = NAN, v->gap = INFINITY, v->gamma2 = 0;
    for (size_t j = 0; j < v->grid.n; j++) v->gamma2 += v->grid.q[j] * exp(-2 * creal(logB[j]));
    if (!(v->gamma2 > 0 && isfinite(v->gamma2))) return FINF_ETOL;
    for (size_t j = 0; j < v->grid.n; j++) v->B[j] = cexp(logB[j]) * sqrt(v->gamma2);
    set_rows(v);
    finf_status st = FINF_ETOL;
    memcpy(v->warm, v->x, v->prog.n * sizeof *v->x);
    for (int warm = v->warm_next; st == FINF_ETOL && warm >= 0;
         warm--) { /* a warm start that fails is followed by a cold one */
        socp_outcome so;
        socp_solve_options s = {
            .tol = tol, .kkt = &v->kkt, .warm = warm ? v->warm : NULL, .cancel = v->cancel, .cancel_data = v->cancel_data};
        st = socp_newton(&v->prog, &s, v->x, &so);
        v->iterations += so.iterations, v->solves++;
        if (!warm) v->cold = so.iterations;
        v->value = so.value, v->gap = so.gap;
        v->cancelled = v->cancelled || so.code == -4;
        if (v->cancelled) break;
        if (so.gap <= 100 * tol) st = FINF_OK;                    /* rounding ends it: a feasible point all the same */
        v->warm_next = st == FINF_OK && so.iterations <= v->cold; /* B moved far, kappa large: warm starts may not pay */
    }
    return st;
}

void socp_moving_gradient(const socp_moving *v, double complex *out)
{
    const socp_program *p = &v->prog;
    size_t n = p->n, nh = v->basis.nh, nc = v->basis.nc;
    double total = 0;
    for (size_t j = 0; j < v->grid.n; j++) {
        const double *Mr = p->Mr + j * n, *Mi = p->Mi + j * n;
        double a = p->a0[j] + socp_dot(p->A + j * n, v->x, nh), k = p->k0[j] + socp_dot(p->K + j * n, v->x, nh);
        double complex b = p->m0r[j] + socp_dot(Mr, v->x, nh) + I * (p->m0i[j] + socp_dot(Mi, v->x, nh)); /* m = b + X */
        double complex X = socp_dot(Mr + nh, v->x + nh, nc) + I * socp_dot(Mi + nh, v->x + nh, nc);
        out[j] = 2 * p->q[j] * p->scale * (conj(b + X) * b / a + k);
        total += creal(out[j]);
    }
    for (size_t j = 0; j < v->grid.n; j++) out[j] -= total * v->grid.q[j] / size2(v->B[j]);
}

/* With d_i = dlogB/dr_i, normalised to gamma = 1 (d_i = f_i - E Re f_i, E in the probability |B|^-2/gamma^2 on the circle),
 * m = b + X moves by b d_i*, k by 2 k Re d_i. Held x leaves phi_il; x follows by H dx = -c_i, which takes c_i' H^-1 c_l off. */
void socp_moving_hessian(socp_moving *v, const double complex *f, size_t n, double *gradient, double *hessian,
                         double *scratch)
{
    const socp_program *p = &v->prog;
    size_t N = p->n, nh = v->basis.nh, J = v->grid.n;
    double *c = scratch, *mean = scratch + n * N, force = 0; /* force: the gradient of one more unit of log|B| everywhere */
    memset(scratch, 0, (n * N + n) * sizeof *scratch);
    memset(gradient, 0, n * sizeof *gradient);
    memset(hessian, 0, n * n * sizeof *hessian);
    for (size_t j = 0; j < J; j++)
        for (size_t i = 0; i < n; i++) mean[i] += v->grid.q[j] / size2(v->B[j]) * creal(f[j * n + i]);
    for (size_t j = 0; j < J; j++) {
        const double *A = p->A + j * N, *Mr = p->Mr + j * N, *Mi = p->Mi + j * N, *K = p->K + j * N;
        double q = p->q[j], a = p->a0[j] + socp_dot(A, v->x, nh), k = p->k0[j] + socp_dot(K, v->x, nh);
        double complex b = p->m0r[j] + socp_dot(Mr, v->x, nh) + I * (p->m0i[j] + socp_dot(Mi, v->x, nh));
        double complex zb = conj(v->kkt.zr[j] + I * v->kkt.zi[j]) * b;
        force += 2 * (creal(zb) + q * k);
        for (size_t i = 0; i < n; i++) {
            double complex di = f[j * n + i] - mean[i], dm = b * conj(di),
                           zd = conj(v->kkt.zr[j] + I * v->kkt.zi[j]) * conj(di);
            double *ci = c + i * N, mr = 2 * q / a * creal(dm), mi = 2 * q / a * cimag(dm);
            gradient[i] += 2 * (creal(zb * conj(di)) + q * k * creal(di));
            for (size_t l = 0; l <= i; l++) {
                double complex dl = f[j * n + l] - mean[l];
                hessian[i * n + l] += 2 * q * size2(b) / a * creal(di * conj(dl)) + 2 * creal(zb * conj(di * dl)) +
                                      4 * q * k * creal(di) * creal(dl);
            }
            socp_axpy(2 * creal(zd) + mr, Mr, nh, ci);
            socp_axpy(-2 * cimag(zd) + mi, Mi, nh, ci);
            socp_axpy(2 * q * creal(di), K, nh, ci);
            socp_axpy(-2 * creal(zb * conj(di)) / a, A, nh, ci);
            socp_axpy(mr, Mr + nh, N - nh, ci + nh);
            socp_axpy(mi, Mi + nh, N - nh, ci + nh);
        }
    }
    for (size_t j = 0; j < J; j++) /* d_i moves too: log gamma^2 / 2 has the Hessian 2 Cov(Re f_i, Re f_l) */
        for (size_t i = 0; i < n; i++)
            for (size_t l = 0; l <= i; l++)
                hessian[i * n + l] += force * 2 * v->grid.q[j] / size2(v->B[j]) * (creal(f[j * n + i]) - mean[i]) *
                                      (creal(f[j * n + l]) - mean[l]);
    for (size_t i = 0; i < n; i++) {
        double *y = v->warm; /* free between solves */
        memcpy(y, c + i * N, N * sizeof *y);
        socp_dense_solve(&v->kkt.H, y);
        for (size_t l = 0; l <= i; l++) hessian[i * n + l] -= socp_dot(y, c + l * N, N);
    }
    for (size_t i = 0; i < n; i++) {
        gradient[i] *= p->scale;
        for (size_t l = 0; l <= i; l++) hessian[i * n + l] = hessian[l * n + i] = hessian[i * n + l] * p->scale;
    }
}

double socp_moving_psi(const socp_moving *v, double w, double complex logB, double complex *lambda, double complex *X)
{
    double complex B = cexp(logB) * sqrt(v->gamma2);
    socp_form f;
    socp_basis_sum(&v->basis, v->x, v->x + v->basis.nh, w, lambda, X);
    socp_form_at(&v->mo, w, B, &f);
    double margin;
    return socp_form_psi(&f, *lambda, *X, &margin) / size2(B);
}

double complex socp_log_factor(double nu, double w)
{
    double s = sin(w / 2), re = nu + 2 * (1 - nu) * s * s, x = nu * cos(w / 2), y = (2 - nu) * s;
    return log(x * x + y * y) / 2 + I * atan2((1 - nu) * sin(w), re);
}
