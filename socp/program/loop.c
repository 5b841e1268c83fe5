/* An optimizer as the form, the grid and the basis see it: two polynomials on the unit circle, and
 * the poles of its closed loops. (theory 11.4) */
#include <math.h>
#include <stdlib.h>

#include "optimizer.h"
#include "program.h"

/* The optimizer's b_0 is 0, its a divided by 1 - y is there as `rest`; the sums at y = 1 are its
 * first coefficients in powers of 1 - y, which have lost nothing. */
int socp_loop_make(const finf_optimizer *o, double e, socp_loop *out)
{
    const finf_optimizer *p = optimizer_or_sgd(o);
    size_t na = p->na - 1, nb = p->nb - 1;
    *out = (socp_loop){
        .eta = e, .n = na > nb ? na : nb, .a_one = p->rest_y[0], .e_one = p->b_y[0], .opt = p};
    for (size_t k = 0; k < na; k++) out->a[k] = p->rest[k];
    for (size_t k = 0; k < nb; k++) out->e[k] = p->b[k + 1];
    while (out->n > 1 && out->a[out->n - 1] == 0 && out->e[out->n - 1] == 0) out->n--;
    return out->n > 1 || out->a[0] != 1 || out->e[0] != 1;
}

/* y^k - 1 at y = e^{-iw} */
static double complex power_less_one(double w, size_t k)
{
    double angle = (double)k * w, s = sin(angle / 2);
    return -2 * s * s - I * sin(angle);
}

/* A(1) + sum a_k (y^k - 1): what is small at w = 0 because A(1) is keeps its digits. */
void socp_loop_at(const socp_loop *l, double w, double complex *A, double complex *E)
{
    *A = l->a_one;
    *E = l->e_one;
    for (size_t k = 1; k < l->n; k++) {
        double complex p = power_less_one(w, k);
        *A += l->a[k] * p;
        *E += l->e[k] * p;
    }
}

double socp_loop_gain(const socp_loop *l, double h, double w)
{
    double complex A, E;
    socp_loop_at(l, w, &A, &E);
    double s = sin(w / 2);
    double complex V = l->eta * E, g = (2 * s * s - I * sin(w)) * A - h * V;
    return (creal(V) * creal(V) + cimag(V) * cimag(V)) /
           (creal(g) * creal(g) + cimag(g) * cimag(g));
}

/* |U - hV|^2 is least at h = Re(UV*)/|V|^2. */
double socp_loop_curvature(const socp_loop *l, double w)
{
    double complex A, E;
    socp_loop_at(l, w, &A, &E);
    double s = sin(w / 2);
    double complex V = l->eta * E, U = (2 * s * s - I * sin(w)) * A;
    return creal(U * conj(V)) / (creal(V) * creal(V) + cimag(V) * cimag(V));
}

/* The optimizer has them as y = 1 - 1/p, so that 1 - p = y/(y - 1). */
finf_status socp_loop_poles(const socp_loop *l, double h, double complex *pole, size_t *n)
{
    finf_status st = loop_poles(l->opt, l->eta * h, pole, n);
    for (size_t i = 0; i < *n && st == FINF_OK; i++) pole[i] = pole[i] / (pole[i] - 1);
    return st;
}

finf_status socp_model_grid(const socp_model *mo, const finf_noise *noise, size_t lags,
                            size_t uniform, socp_grid *out)
{
    return mo->loop ? socp_grid_loop(noise, mo->loop, mo->mu, lags, uniform, out)
                    : socp_grid_make(noise, mo->eta, mo->mu, lags, uniform, out);
}

/* With momentum four are worth up to 0.2% over one, and more than four nothing to six digits. */
size_t socp_model_lags(const socp_model *mo, const finf_noise *noise, int causal)
{
    enum { LEAST = 4 };
    if (!mo->loop) return socp_basis_lags(noise, mo->eta, causal);
    size_t lags = socp_basis_lags(noise, fmin(socp_loop_step(mo->loop), 1), causal);
    return lags > LEAST ? lags : LEAST;
}

finf_status socp_model_basis(const socp_model *mo, size_t lags, int geometric, finf_iqc_class cls,
                             int causal, socp_basis *out)
{
    return mo->loop ? socp_basis_loop(mo->loop, mo->mu, lags, geometric, cls, causal, out)
                    : socp_basis_make(mo->eta, mo->mu, lags, geometric, cls, causal, out);
}
