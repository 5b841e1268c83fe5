/* Gauss quadrature for a sum over consecutive integers. (theory 5.5) */
#include "sumrule.h"

#include <gsl/gsl_eigen.h>
#include <gsl/gsl_matrix.h>
#include <gsl/gsl_vector.h>
#include <math.h>

/* sum_{k=0}^{N-1} f(k) ~ sum_i weight_i f(node_i), exact for f of degree at most 2 SUMRULE - 1,
 * with positive weights.
 * domain:   N >= SUMRULE, a whole number
 * method:   Golub and Welsch. The polynomials orthogonal on 0..N-1 (Chebyshev's discrete ones)
 *           have the recurrence coefficients (N-1)/2 and n^2 (N^2-n^2)/(4(4n^2-1)); the
 *           eigenvalues of their Jacobi matrix are the nodes, the squared first entries of its
 *           eigenvectors, times N, the weights.
 * Chosen over Euler and Maclaurin's formula because it needs no derivatives, and because its nodes
 * do not depend on the summand. Returns 0 if there is no memory. */
int sumrule_gauss(double N, double node[SUMRULE], double weight[SUMRULE])
{
    gsl_matrix *J = gsl_matrix_calloc(SUMRULE, SUMRULE), *V = gsl_matrix_alloc(SUMRULE, SUMRULE);
    gsl_vector *x = gsl_vector_alloc(SUMRULE);
    gsl_eigen_symmv_workspace *w = gsl_eigen_symmv_alloc(SUMRULE);
    int ok = J && V && x && w;
    if (ok) { /* centred and divided by N, so that the matrix is of order one however large N is */
        for (size_t i = 1; i < SUMRULE; i++) {
            double n = (double)i;
            double r = n / N;
            double off = n * sqrt((1 - r) * (1 + r) / (4 * (4 * n * n - 1)));
            gsl_matrix_set(J, i, i - 1, off);
            gsl_matrix_set(J, i - 1, i, off);
        }
        ok = gsl_eigen_symmv(J, x, V, w) == 0;
        for (size_t i = 0; i < SUMRULE; i++) {
            double v = gsl_matrix_get(V, 0, i);
            node[i] = (N - 1) / 2 + N * gsl_vector_get(x, i);
            weight[i] = N * v * v;
        }
    }
    gsl_eigen_symmv_free(w);
    gsl_vector_free(x);
    gsl_matrix_free(V);
    gsl_matrix_free(J);
    return ok;
}
