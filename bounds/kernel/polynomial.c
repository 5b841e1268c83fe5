/* A(w) = sum_t x_t e^{-iwt} of a long x at any w in WIDTH terms: one FFT of x on a grid twice as
 * fine, with x divided beforehand by the transform of the bell that interpolates between its points
 * (Kaiser and Bessel's: both it and its transform have a formula). FFTW has no such transform, and
 * Horner's rule takes n steps a frequency. */
#include <gsl/gsl_sf_bessel.h>
#include <stdlib.h>

#include "bounds.h"

enum { WIDTH = 16 };
static const double SHARPNESS = 0.75 * FINF_PI * WIDTH; /* aliases are then below e^-37 */

struct response_table {
    size_t n, N;       /* terms, points on the circle */
    double complex *g; /* N/2 + 1 */
};

/* e^-b I_0(b sqrt(1-u^2)), |u| <= 1 */
static double bell(double u)
{
    double x = SHARPNESS * sqrt(fmax(0, 1 - u * u));
    return exp(x - SHARPNESS) * gsl_sf_bessel_I0_scaled(x);
}

/* e^-b int_{-1}^1 I_0(b sqrt(1-u^2)) cos(f u) du, f < b */
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
    for (size_t k = 0; s == FINF_OK && k < n; k++) { /* centred, so that |f| <= pi WIDTH/4 */
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
    /* e^{-iw n/2} with the whole turns taken out in integers: n w would round */
    size_t half = t->n / 2, turn = (size_t)base * half % t->N;
    double complex A = sum *
                       cexp(-2 * FINF_PI * I * ((double)turn + rest * (double)half) / (double)t->N);
    return w < 0 ? conj(A) : A;
}
