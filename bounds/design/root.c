/* The square root of a product Y'Y, from its factor. (theory 12.3)
 *
 * An eigenvalue solver finds the eigenvalues s^2 of Y'Y to rounding of the largest one, so that s
 * is known to 1e-8 of the largest s only: not enough where a run forgets its first steps, whose
 * part of Y is tiny, or where all but a few losses hardly count. But the eigenvectors of what is
 * small span the right space to rounding, and there the images Y q_i are small too: their own
 * product is solved again, and so on. What rounding left in them of the larger images, to which
 * they are orthogonal, is taken off before. */
#include "design.h"

#include <stdlib.h>
#include <string.h>

#include "dense.h"
#include "lapack.h"

#define LEAST 1e-36 /* of the largest eigenvalue: what is below has no digits */

typedef struct {
    size_t n;
    double *Q;     /* n x n: rows q_i, */
    double *image; /* and Y q_i; owns what follows */
    double *inner; /* n x n: products of images, */
    double *room;  /* and n x n */
} root_search;

/* The first m images without their parts along the next k. */
static finf_status project(const root_search *a, size_t m, size_t k)
{
    size_t n = a->n;
    const double *larger = a->image + m * n;
    finf_status s = lapack_multiply(0, 1, m, k, n, 1, a->image, n, larger, n, 0, a->room, k);
    for (size_t l = 0; l < k && !s; l++) {
        double square = dense_dot(larger + l * n, larger + l * n, n);
        for (size_t i = 0; i < m; i++) a->room[i * k + l] /= square;
    }
    return s ? s : lapack_multiply(0, 0, m, n, k, -1, a->room, k, larger, n, 1, a->image, n);
}

/* The first m rows of A become their combinations by `inner`. */
static finf_status turn(const root_search *a, size_t m, double *A)
{
    finf_status s = lapack_multiply(0, 0, m, a->n, m, 1, a->inner, m, A, a->n, 0, a->room, a->n);
    if (!s) memcpy(A, a->room, m * a->n * sizeof *A);
    return s;
}

/* The first m rows of Q become eigenvectors of Y'Y in the space that they span, and s their
 * eigenvalues. */
static finf_status refine(const root_search *a, size_t m, double *s, finf_reason *why)
{
    size_t n = a->n;
    finf_status status = lapack_multiply(0, 1, m, m, n, 1, a->image, n, a->image, n, 0, a->inner,
                                         m);
    if (!status) status = lapack_eigen(a->inner, m, 1, s, why);
    if (!status) status = turn(a, m, a->Q);
    return status ? status : turn(a, m, a->image);
}

/* How many of m eigenvalues, the least first, are below `small` of the largest. */
static size_t count_small(const double *s, size_t m, double small)
{
    size_t count = 0;
    while (count < m && s[count] < small * s[m - 1]) count++;
    return count;
}

finf_status design_root(const double *Y, size_t n, double small, double *s, double *Q,
                        finf_reason *why)
{
    root_search a = {.n = n, .Q = Q, .image = malloc(3 * n * n * sizeof *a.image)};
    if (!a.image) return FINF_ENOMEM;
    a.inner = a.image + n * n;
    a.room = a.inner + n * n;
    finf_status status = lapack_gram(n, n, 1, Y, 0, Q);
    if (!status) status = lapack_eigen(Q, n, 1, s, why);
    size_t m = n, below = status ? 0 : count_small(s, n, small);
    if (below) status = lapack_multiply(0, 1, n, n, n, 1, Q, n, Y, n, 0, a.image, n);
    for (double level = 1; level > LEAST && below && !status; level *= small) {
        status = project(&a, below, m - below);
        if (!status) status = refine(&a, below, s, why);
        m = below;
        below = status ? 0 : count_small(s, m, small);
    }
    for (size_t i = 0; i < n && !status; i++) s[i] = sqrt(fmax(s[i], 0));
    free(a.image);
    return status;
}
