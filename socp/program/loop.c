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

/* A(1) + sum a_k (y^k - 1): what is small at w = 0 because A(1) is keeps its digits. In turn,
 * y^{k+1} - 1 = (y^k - 1) + (y - 1) y^k, of which neither term cancels the other near w = 0. */
void socp_loop_at(const socp_loop *l, double w, double complex *A, double complex *E)
{
    double sn = sin(w / 2), cs = cos(w / 2), nr = -2 * sn * sn, ni = -2 * sn * cs;
    double pr = 0, pi = 0, Ar = l->a_one, Ai = 0, Er = l->e_one, Ei = 0;
    for (size_t k = 1; k < l->n; k++) {
        double more = nr * (1 + pr) - ni * pi;
        pi += nr * pi + ni * (1 + pr);
        pr += more;
        Ar += l->a[k] * pr;
        Ai += l->a[k] * pi;
        Er += l->e[k] * pr;
        Ei += l->e[k] * pi;
    }
    *A = Ar + I * Ai;
    *E = Er + I * Ei;
}

void socp_loop_parts(const socp_loop *l, double w, double complex *U, double complex *V)
{
    double complex A, E;
    double sn = sin(w / 2), cs = cos(w / 2), nr = 2 * sn * sn, ni = -2 * sn * cs;
    socp_loop_at(l, w, &A, &E);
    *U = nr * creal(A) - ni * cimag(A) + I * (nr * cimag(A) + ni * creal(A));
    *V = l->eta * E;
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

/* With momentum four are worth up to 0.2% over one, and more than four nothing to six digits unless
 * |B|^2 rises and falls. */
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
