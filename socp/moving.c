/* The IQC program as a function of the noise: grid and basis stay, B moves. A new B only rescales rows (no basis function
 * is evaluated again), and the last certificate starts the next solve: 4-6 Newton iterations in place of 9. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optimize.h"

socp_weights socp_unit_weights(const finf_iqc_options *o)
{
    const finf_privacy_setting *p = &o->privacy;
    int paper = o->constants == FINF_IQC_CONSTANTS_PAPER;
    double dp = o->dim * p->clip * p->clip / (2 * p->rho), sgd = p->sigma_sgd * p->sigma_sgd;
    return (socp_weights){dp * (paper ? 8 : 1), sgd * (paper ? 4 * o->dim : 1)};
}

finf_status socp_moving_make(double eta, double kappa, const finf_iqc_options *o, const finf_noise *finest,
                             socp_moving *out)
{
    double e = eta * o->smooth;
    int dist = o->bound == FINF_IQC_DIST || o->bound == FINF_IQC_SHARP_DIST;
    int causal = o->bound == FINF_IQC_SHARP || o->bound == FINF_IQC_SHARP_DIST;
    size_t lags = o->fir ? o->fir : socp_basis_lags(finest, e);
    socp_moving v = {.mo = socp_model_make(e, kappa, dist), .cancel = o->cancel, .cancel_data = o->cancel_data};
    socp_weights weights = socp_unit_weights(o);
    finf_noise *white = NULL;
    finf_status st = finf_noise_sgd(&white);
    if (st == FINF_OK) st = socp_grid_make(finest, e, v.mo.mu, lags, o->grid_uniform, &v.grid);
    if (st == FINF_OK) st = socp_basis_make(e, v.mo.mu, lags, !o->fir, o->multipliers, causal, &v.basis);
    if (st == FINF_OK) st = socp_program_make(&v.mo, white, &v.grid, &v.basis, weights, &v.unit);
    if (st == FINF_OK) st = socp_program_make(&v.mo, white, &v.grid, &v.basis, weights, &v.prog);
    if (st == FINF_OK) {
        v.B = malloc(v.grid.n * sizeof *v.B);
        v.x = calloc(2 * v.prog.n, sizeof *v.x);
        v.warm = v.x ? v.x + v.prog.n : NULL;
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
            .tol = tol, .warm = warm ? v->warm : NULL, .cancel = v->cancel, .cancel_data = v->cancel_data};
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

double socp_moving_psi(const socp_moving *v, double w, double complex logB, double complex *lambda)
{
    double complex X, B = cexp(logB) * sqrt(v->gamma2);
    socp_form f;
    socp_basis_sum(&v->basis, v->x, v->x + v->basis.nh, w, lambda, &X);
    socp_form_at(&v->mo, w, B, &f);
    double r = creal(*lambda), s = cimag(*lambda);
    double complex m = f.m_r * r + f.m_s * s + f.m_0 + X;
    return (size2(m) / (f.a_r * r + f.a_s * s + f.a_0) + f.k_r * r + f.k_0) / size2(B);
}

double complex socp_log_factor(double nu, double w)
{
    double s = sin(w / 2), re = nu + 2 * (1 - nu) * s * s, x = nu * cos(w / 2), y = (2 - nu) * s;
    return log(x * x + y * y) / 2 + I * atan2((1 - nu) * sin(w), re);
}
