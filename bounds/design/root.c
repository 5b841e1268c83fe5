/* The square root of a product Y'Y, from its factor. (theory 12.3)
 *
 * An eigenvalue solver finds the eigenvalues s^2 of Y'Y to rounding of the largest one, so that s
 * is known to 1e-8 of the largest s only: not enough where a run forgets its first steps, whose
 * part of Y is tiny. But the eigenvectors of what is small span the right space to rounding, and
 * there Y Q' is small too: its own product is solved again, and so on. */
#include "design.h"

#include <stdlib.h>
#include <string.h>

#include "lapack.h"

#define SMALL 1e-9 /* of the largest eigenvalue: below, the digits of a root may be too few */
#define LEVELS 4   /* of smallness: down to 1e-18 of the largest s */

/* The first m rows of Q span a space on which Y is small: makes them eigenvectors of Y'Y there, and
 * s their roots. */
static finf_status refine(const double *Y, size_t n, size_t m, double *s, double *Q,
                          finf_reason *why)
{
    double *image = malloc((m * n + m * m) * sizeof *image);
    if (!image) return FINF_ENOMEM;
    double *inner = image + m * n;
    finf_status status = lapack_multiply(0, 1, m, n, n, 1, Q, n, Y, n, 0, image, n);
    if (!status) status = lapack_multiply(0, 1, m, m, n, 1, image, n, image, n, 0, inner, m);
    if (!status) status = lapack_eigen(inner, m, 1, s, why);
    if (!status) status = lapack_multiply(0, 0, m, n, m, 1, inner, m, Q, n, 0, image, n);
    if (!status) memcpy(Q, image, m * n * sizeof *Q);
    free(image);
    return status;
}

finf_status design_root(const double *Y, size_t n, double *s, double *Q, finf_reason *why)
{
    finf_status status = lapack_gram(n, n, 1, Y, 0, Q);
    if (!status) status = lapack_eigen(Q, n, 1, s, why);
    size_t m = n;
    for (int level = 0; level < LEVELS && !status; level++) {
        double largest = s[m - 1];
        size_t small = 0;
        while (small < m && s[small] < SMALL * largest) small++;
        m = small;
        if (m == 0) break;
        status = refine(Y, n, m, s, Q, why);
    }
    for (size_t i = 0; i < n && !status; i++) s[i] = sqrt(fmax(s[i], 0));
    return status;
}
