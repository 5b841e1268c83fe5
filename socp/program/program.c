/* The one program both solvers take (theory 7.6): the form of theory 7.12 at every node, a row for
 * each, written in the unknowns of the basis; the inequalities; a strictly feasible start. */
#include <math.h>
#include <stdlib.h>

#include "dense.h"
#include "program.h"

/* All of it is one block of zeros, which A points to the start of. */
static finf_status allocate(socp_program *p)
{
    size_t n = p->n, J = p->cones, R = p->rows;
    double *z = calloc(4 * J * n + 5 * J + R * n + R + n, sizeof *z);
    if (!z) return FINF_ENOMEM;
    p->A = z;
    z += J * n;
    p->Mr = z;
    z += J * n;
    p->Mi = z;
    z += J * n;
    p->K = z;
    z += J * n;
    p->a0 = z;
    z += J;
    p->m0r = z;
    z += J;
    p->m0i = z;
    z += J;
    p->k0 = z;
    z += J;
    p->q = z;
    z += J;
    p->G = z;
    z += R * n;
    p->g0 = z;
    z += R;
    p->start = z;
    return FINF_OK;
}

void socp_program_free(socp_program *p)
{
    if (p) {
        free(p->A);
        *p = (socp_program){0};
    }
}

/* The paper's constants are 8 and 4 d times as large (theory 7.3). */
socp_weights socp_unit_weights(const finf_iqc_options *o)
{
    const finf_privacy_setting *p = &o->privacy;
    int paper = o->constants == FINF_IQC_CONSTANTS_PAPER;
    double dp = o->dim * p->clip * p->clip / (2 * p->rho), sgd = p->sigma_sgd * p->sigma_sgd;
    return (socp_weights){dp * (paper ? 8 : 1), sgd * (paper ? 4 * o->dim : 1)};
}

/* The row of a(w): that of a cone, or of the constraint a >= 0 at w = 0 or pi. */
static void row_a(const socp_form *f, size_t nh, const double complex *lambda, double *A,
                  double *a0)
{
    for (size_t i = 0; i < nh; i++) A[i] = f->a_r * creal(lambda[i]) + f->a_s * cimag(lambda[i]);
    *a0 = f->a_0;
}

/* Row j of A, M, K and their constants, from the form and the columns at its node; X's columns
 * begin at x_at. */
static void row_cone(const socp_program *p, size_t j, const socp_form *f, const socp_basis *b,
                     const double complex *lambda, const double complex *x, size_t x_at)
{
    double *A = p->A + j * p->n, *Mr = p->Mr + j * p->n, *Mi = p->Mi + j * p->n,
           *K = p->K + j * p->n;
    row_a(f, b->nh, lambda, A, &p->a0[j]);
    for (size_t i = 0; i < b->nh; i++) {
        double complex m = f->m_r * creal(lambda[i]) + f->m_s * cimag(lambda[i]);
        Mr[i] = creal(m);
        Mi[i] = cimag(m);
        K[i] = f->k_r * creal(lambda[i]);
    }
    for (size_t i = 0; i < b->nc; i++) {
        Mr[x_at + i] = creal(x[i]);
        Mi[x_at + i] = cimag(x[i]);
    }
    p->m0r[j] = creal(f->m_0);
    p->m0i[j] = cimag(f->m_0);
    p->k0[j] = f->k_0;
}

/* A column of stein.c and its negative, each with an unknown >= 0, so that the cost of its modulus
 * is linear (theory 7.11); sum q = 1, so a constant k is that cost */
void socp_program_ahead(const socp_program *p, const socp_grid *g, const socp_basis *b,
                        double scale)
{
    for (size_t j = 0; j < g->n; j++) {
        double *Mr = p->Mr + j * p->n + b->nh, *Mi = p->Mi + j * p->n + b->nh,
               *K = p->K + j * p->n + b->nh;
        for (size_t i = 0; i < b->ns; i++) {
            double complex v = socp_stein_at(&b->ahead[i], g->w[j]);
            Mr[2 * i] = creal(v);
            Mi[2 * i] = cimag(v);
            Mr[2 * i + 1] = -creal(v);
            Mi[2 * i + 1] = -cimag(v);
            K[2 * i] = K[2 * i + 1] = scale * b->ahead[i].cost;
        }
    }
}

/* The slack alone makes a > 0 once it exceeds max -a_0/a_r; equal h_t, h_-t keep Lambda real and
 * only add to it, and equal unknowns of either sign of stein.c's columns cancel in m. */
static void start(socp_program *p, const socp_basis *b, double ratio)
{
    p->start[0] = 2 * fmax(ratio, 0) + 1;
    for (size_t i = 1; i < socp_basis_signed(b); i++) p->start[i] = p->start[0] / (double)b->nh;
}

/* The unknowns are in the order program.h says. With sigma_sgd > 0 a second family of cones, with
 * B = 1 and an X' of its own, shares a(w) with the first (theory 7.4); psi' is a sum of
 * non-negative terms, so knowing E|what|^2 from above is enough. Of a noise without weight there
 * are no cones: with gradient noise alone the one family is its. Weights are divided by their sum,
 * scale, so that sum q = 1. The inequalities are x_i >= 0 and, without weight, a >= 0 at w = 0 and
 * pi, where Gauss-Legendre rules have no nodes. */
finf_status socp_program_make(const socp_model *mo, const finf_noise *noise, const socp_grid *g,
                              const socp_basis *b, socp_weights weights, socp_program *out)
{
    int two = weights.sgd > 0 && weights.dp > 0;
    size_t plain = socp_basis_signed(b);
    socp_program p = {.n = plain + b->nc * (size_t)(1 + two),
                      .cones = g->n * (size_t)(1 + two),
                      .rows = plain + 2,
                      .signs = plain};
    double complex *col = malloc((b->nh + b->nc + 1) * sizeof *col);
    finf_status st = col ? allocate(&p) : FINF_ENOMEM;
    if (st != FINF_OK) {
        free(col);
        return st;
    }
    double complex *lambda = col, *x = col + b->nh;
    double ratio = 0; /* the least slack that makes a >= 0 at all w met so far */
    p.interior = 1;
    p.scale = weights.dp + weights.sgd;
    for (size_t j = 0; j < g->n; j++) {
        double w = g->w[j], B[2];
        socp_form f;
        socp_basis_at(b, w, lambda, x);
        finf_noise_response(noise, w, B);
        socp_form_at(mo, w, weights.dp > 0 ? B[0] + I * B[1] : 1, &f);
        row_cone(&p, j, &f, b, lambda, x, plain);
        p.q[j] = g->q[j] * (weights.dp > 0 ? weights.dp : weights.sgd) / p.scale;
        p.interior = p.interior && f.a_r > 0;
        ratio = fmax(ratio, -f.a_0 / f.a_r);
        if (two) {
            socp_form_at(mo, w, 1, &f);
            row_cone(&p, g->n + j, &f, b, lambda, x, plain + b->nc);
            p.q[g->n + j] = g->q[j] * weights.sgd / p.scale;
        }
    }
    if (weights.dp > 0) socp_program_ahead(&p, g, b, 1);
    for (size_t i = 0; i < plain; i++) p.G[i * p.n + i] = 1;
    for (size_t e = 0; e < 2; e++) {
        socp_form f;
        double w = e ? FINF_PI : 0;
        socp_basis_at(b, w, lambda, x);
        /* a does not see B, so 1 will do */
        socp_form_at(mo, w, 1, &f);
        row_a(&f, b->nh, lambda, p.G + (plain + e) * p.n, &p.g0[plain + e]);
        p.interior = p.interior && f.a_r > 0;
        ratio = fmax(ratio, -f.a_0 / f.a_r);
    }
    p.slack = p.interior;
    start(&p, b, ratio);
    free(col);
    *out = p;
    return FINF_OK;
}

double socp_program_value(const socp_program *p, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < p->rows; i++)
        if (!(p->g0[i] + dense_dot(p->G + i * p->n, x, p->n) >= 0)) return INFINITY;
    for (size_t j = 0; j < p->cones; j++) {
        double a = p->a0[j] + dense_dot(p->A + j * p->n, x, p->n);
        double r = p->m0r[j] + dense_dot(p->Mr + j * p->n, x, p->n),
               i = p->m0i[j] + dense_dot(p->Mi + j * p->n, x, p->n);
        double k = p->k0[j] + dense_dot(p->K + j * p->n, x, p->n);
        if (!(a > 0)) return INFINITY;
        sum += p->q[j] * ((r * r + i * i) / a + k);
    }
    return sum;
}
