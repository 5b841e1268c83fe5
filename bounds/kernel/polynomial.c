/* The response A(w) = sum_{t<n} x_t e^{-iwt} of a long polynomial at any w. (theory 1.3)
 *
 * method:   one FFT of x on a grid at least twice as fine as x is long, with x_t divided beforehand
 *           by the transform at t of a bell; A(w) is then the sum of the WIDTH table entries around
 *           w, weighted by that bell. The bell is Kaiser and Bessel's: both it and its transform
 *           have a formula.
 * cost:     WIDTH terms a frequency, where Horner's rule takes n. FFTW offers no transform at
 *           frequencies that are not on its grid.
 * accuracy: rounding, relative to the largest |A| */
#include <gsl/gsl_sf_bessel.h>
#include <stdlib.h>

#include "bounds.h"

enum { WIDTH = 16 }; /* table entries that an A(w) is made of */
/* s of the bell below: what leaks from one period of the grid into the next is then below e^-37. */
static const double SHARPNESS = 0.75 * FINF_PI * WIDTH;

struct response_table {
    size_t n;          /* terms of the polynomial */
    size_t N;          /* points on the circle, a power of two, at least 2 n */
    double complex *g; /* the transform at 2 pi j/N, j = 0..N/2: the other half is its conjugate */
};

/* The bell e^{-s} I_0(s sqrt(1-u^2)), |u| <= 1; u = 1 is WIDTH/2 grid points away. */
static double bell(double u)
{
    double x = SHARPNESS * sqrt(fmax(0, 1 - u * u));
    return exp(x - SHARPNESS) * gsl_sf_bessel_I0_scaled(x);
}

/* Its transform, e^{-s} int_{-1}^1 I_0(s sqrt(1-u^2)) cos(f u) du = 2 sinh(r) e^{-s}/r with
 * r = sqrt(s^2 - f^2).   domain: |f| < s */
static double bell_transform(double f)
{
    double r = sqrt(SHARPNESS * SHARPNESS - f * f);
    return (exp(r - SHARPNESS) - exp(-r - SHARPNESS)) / r;
}

finf_status response_table_make(const double *x, size_t n, response_table **out)
{
    response_table *t = calloc(1, sizeof *t);
    size_t N = 2;
    while (N < 2 * n) N *= 2;
    double *y = calloc(N, sizeof *y);
    if (t) {
        t->n = n;
        t->N = N;
        t->g = malloc((N / 2 + 1) * sizeof *t->g);
    }
    finf_status s = t && y && t->g ? FINF_OK : FINF_ENOMEM;
    /* the polynomial is centred about its middle term (response_table_at turns it back): |f| is
     * then at most pi WIDTH/4, where the bell's transform is not small and the division loses
     * nothing */
    for (size_t k = 0; s == FINF_OK && k < n; k++) {
        double f = FINF_PI * WIDTH * ((double)k - (double)(n / 2)) / (double)N;
        y[k >= n / 2 ? k - n / 2 : N + k - n / 2] = x[k] / (WIDTH / 2 * bell_transform(f));
    }
    if (s == FINF_OK) s = series_transform(y, N, N, t->g);
    free(y);
    if (s != FINF_OK) {
        response_table_free(t);
        t = NULL;
    }
    *out = t;
    return s;
}

void response_table_free(response_table *t)
{
    if (t) free(t->g);
    free(t);
}

double complex response_table_at(const response_table *t, double w)
{
    double at = fabs(w) * (double)t->N / (2 * FINF_PI), base = floor(at), rest = at - base;
    long first = (long)base - WIDTH / 2 + 1, N = (long)t->N;
    double complex sum = 0;
    for (long l = first; l < first + WIDTH; l++) {
        long i = (l + N) % N;
        sum += bell((at - (double)l) * 2 / WIDTH) * (2 * i <= N ? t->g[i] : conj(t->g[N - i]));
    }
    /* e^{-iw n/2}, which undoes the centring; whole turns are taken out in integers, as the product
     * of w and a large n would round */
    size_t half = t->n / 2, turn = (size_t)base * half % t->N;
    double complex A = sum *
                       cexp(-2 * FINF_PI * I * ((double)turn + rest * (double)half) / (double)t->N);
    return w < 0 ? conj(A) : A;
}
