/* An optimizer as the form, the grid and the basis see it: two polynomials on the unit circle, and
 * the poles of its closed loops. (theory 11.4) */
#include <gsl/gsl_poly.h>
#include <math.h>
#include <stdlib.h>

#include "program.h"

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

/* The roots of z^n times (1 - y) A(y) + eta h y E(y), y = 1/z. */
finf_status socp_loop_poles(const socp_loop *l, double h, double complex *pole)
{
    double c[SOCP_LOOP_MOST + 1], z[2 * SOCP_LOOP_MOST];
    size_t n = l->n;
    c[n] = l->a[0];
    for (size_t k = 1; k <= n; k++)
        c[n - k] = (k < n ? l->a[k] : 0) - l->a[k - 1] + l->eta * h * l->e[k - 1];
    gsl_poly_complex_workspace *w = gsl_poly_complex_workspace_alloc(n + 1);
    if (!w) return FINF_ENOMEM;
    int failed = gsl_poly_complex_solve(c, n + 1, w, z);
    gsl_poly_complex_workspace_free(w);
    for (size_t i = 0; i < n; i++) pole[i] = z[2 * i] + I * z[2 * i + 1];
    return failed ? FINF_ETOL : FINF_OK;
}
