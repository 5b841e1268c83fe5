/* z = beta * w over all steps of a run: two transforms and a product, for each pair of coordinates.
 *
 * A transform of our own, as the bits of a stream are the same on every machine: FFTW's depend on
 * the plan, and so on the processor. Four pairs go through it side by side, which is what makes it
 * fast; each of them by itself, in the same operations on every machine. The order in which
 * frequencies come out does not matter: beta's come in the same one. */
#include "whole_run.h"

#include <math.h>
#include <stdlib.h>

#include "base.h"

enum { LANES = WHOLE_RUN_COORDINATES / 2 };

/* One step, or one frequency, of four pairs: a pair is a complex number. */
typedef struct {
    double re[LANES], im[LANES];
} point;

typedef struct {
    double re, im;
} number;

struct whole_run {
    size_t n, size; /* steps; points of the transform: a power of two, at least 2n and 4 */
    number *turn;   /* e^{-2 pi i k/size} */
    number *kernel; /* the transform of beta, over size */
    point *x;
};

/* ---- the transform --------------------------------------------------------------------------- */

/* By halving angles (square roots are exact to half a unit everywhere, sines of libraries are not),
 * and e^{ia} e^{ib} for the others: at most log2(size) products. */
static void fill_turns(size_t size, number *turn)
{
    turn[0] = (number){1, 0};
    turn[size / 2] = (number){-1, 0};
    turn[size / 4] = (number){0, -1};
    for (size_t h = size / 8; h >= 1; h /= 2) {
        double c = sqrt((1 + turn[2 * h].re) / 2);
        turn[h] = (number){c, turn[2 * h].im / (2 * c)};
    }
    for (size_t h = 2; h < size; h *= 2)
        for (size_t k = 1; k < h; k++) {
            number a = turn[h], b = turn[k];
            turn[h + k] = (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
        }
}

/* Inlined into functions that exist for several processors, as they are to be compiled for each. */
#define STAGE static inline __attribute__((always_inline)) void
#define EACH_LANE for (int j = 0; j < LANES; j++)

/* x[0], x[q], x[2q], x[3q] of the input a, b, c, d: their four sums with powers of -i, times 1, w,
 * w^2, w^3 of the turn w. Decimation in frequency, radix 4. */
STAGE forward4(const point *a, const point *b, const point *c, const point *d, size_t q, number w1,
               number w2, number w3, point *x)
{
    EACH_LANE
    {
        double sr = a->re[j] + c->re[j], si = a->im[j] + c->im[j];
        double ur = a->re[j] - c->re[j], ui = a->im[j] - c->im[j];
        double tr = b->re[j] + d->re[j], ti = b->im[j] + d->im[j];
        double vr = b->re[j] - d->re[j], vi = b->im[j] - d->im[j];
        double fr = ur + vi, fi = ui - vr, gr = sr - tr, gi = si - ti, hr = ur - vi, hi = ui + vr;
        x[0].re[j] = sr + tr;
        x[0].im[j] = si + ti;
        x[q].re[j] = fr * w1.re - fi * w1.im;
        x[q].im[j] = fr * w1.im + fi * w1.re;
        x[2 * q].re[j] = gr * w2.re - gi * w2.im;
        x[2 * q].im[j] = gr * w2.im + gi * w2.re;
        x[3 * q].re[j] = hr * w3.re - hi * w3.im;
        x[3 * q].im[j] = hr * w3.im + hi * w3.re;
    }
}

/* Its inverse, times 4, into a, b, c, d. */
STAGE backward4(const point *x, size_t q, number w1, number w2, number w3, point *a, point *b,
                point *c, point *d)
{
    EACH_LANE
    {
        double er = x[0].re[j], ei = x[0].im[j], br = x[q].re[j], bi = x[q].im[j];
        double cr = x[2 * q].re[j], ci = x[2 * q].im[j], dr = x[3 * q].re[j], di = x[3 * q].im[j];
        double fr = br * w1.re + bi * w1.im, fi = bi * w1.re - br * w1.im;
        double gr = cr * w2.re + ci * w2.im, gi = ci * w2.re - cr * w2.im;
        double hr = dr * w3.re + di * w3.im, hi = di * w3.re - dr * w3.im;
        double sr = er + gr, si = ei + gi, ur = er - gr, ui = ei - gi;
        double tr = fr + hr, ti = fi + hi, vr = fr - hr, vi = fi - hi;
        a->re[j] = sr + tr;
        a->im[j] = si + ti;
        b->re[j] = ur - vi;
        b->im[j] = ui + vr;
        c->re[j] = sr - tr;
        c->im[j] = si - ti;
        d->re[j] = ur + vi;
        d->im[j] = ui - vr;
    }
}

/* Sums and differences of neighbours: what is left of a size that is no power of 4. */
STAGE neighbours(point *x, size_t n)
{
    for (size_t i = 0; i < n; i += 2) EACH_LANE
        {
            double ar = x[i].re[j], ai = x[i].im[j], br = x[i + 1].re[j], bi = x[i + 1].im[j];
            x[i].re[j] = ar + br;
            x[i].im[j] = ai + bi;
            x[i + 1].re[j] = ar - br;
            x[i + 1].im[j] = ai - bi;
        }
}

STAGE multiply(point *x, size_t n, const number *kernel)
{
    for (size_t i = 0; i < n; i++) EACH_LANE
        {
            double re = x[i].re[j], im = x[i].im[j];
            x[i].re[j] = re * kernel[i].re - im * kernel[i].im;
            x[i].im[j] = re * kernel[i].im + im * kernel[i].re;
        }
}

/* All stages of n points but those of the largest size; f = size/n. */
STAGE forward_from(point *x, size_t points, size_t n, size_t f, const number *turn)
{
    for (; n >= 4; n /= 4, f *= 4)
        for (size_t i = 0, q = n / 4; i < points; i += n)
            for (size_t k = 0; k < q; k++) {
                point *y = x + i + k;
                forward4(y, y + q, y + 2 * q, y + 3 * q, q, turn[k * f], turn[2 * k * f],
                         turn[3 * k * f], y);
            }
    if (n == 2) neighbours(x, points);
}

STAGE backward_to(point *x, size_t points, size_t f, const number *turn)
{
    size_t n = points, size = points * f;
    while (n >= 4) n /= 4;
    if (n == 2) neighbours(x, points);
    for (n *= 4; n <= points; n *= 4)
        for (size_t i = 0, q = n / 4, g = size / n; i < points; i += n)
            for (size_t k = 0; k < q; k++) {
                point *y = x + i + k;
                backward4(y, q, turn[k * g], turn[2 * k * g], turn[3 * k * g], y, y + q, y + 2 * q,
                          y + 3 * q);
            }
}

/* Step t of the four pairs; after the last there are zeros. */
STAGE read_step(const double *w, size_t stride, size_t n, size_t t, point *x)
{
    EACH_LANE
    {
        x->re[j] = t < n ? w[t * stride + 2 * (size_t)j] : 0;
        x->im[j] = t < n ? w[t * stride + 2 * (size_t)j + 1] : 0;
    }
}

STAGE write_step(const point *x, size_t stride, size_t n, size_t t, double *z)
{
    if (t < n) EACH_LANE
        {
            z[t * stride + 2 * (size_t)j] = x->re[j];
            z[t * stride + 2 * (size_t)j + 1] = x->im[j];
        }
}

/* The first stage, of which the second half is 0: from the steps of w into x. */
FINF_VECTOR static void first_stage(const whole_run *r, const double *w, size_t stride)
{
    const point zero = {{0}, {0}};
    size_t q = r->size / 4;
    for (size_t k = 0; k < q; k++) {
        point a, b;
        read_step(w, stride, r->n, k, &a);
        read_step(w, stride, r->n, q + k, &b);
        forward4(&a, &b, &zero, &zero, q, r->turn[k], r->turn[2 * k], r->turn[3 * k], r->x + k);
    }
}

/* A quarter at a time, from its second stage forward to its last but one back: it stays in a cache.
 */
FINF_VECTOR static void inner_stages(const whole_run *r, int and_back)
{
    size_t q = r->size / 4;
    for (size_t i = 0; i < r->size; i += q) {
        forward_from(r->x + i, q, q, 4, r->turn);
        if (!and_back) continue;
        multiply(r->x + i, q, r->kernel + i);
        backward_to(r->x + i, q, 4, r->turn);
    }
}

/* The last stage, of which the second half is not wanted: from x into the steps of z. */
FINF_VECTOR static void last_stage(const whole_run *r, double *z, size_t stride)
{
    size_t q = r->size / 4;
    for (size_t k = 0; k < q; k++) {
        point a, b, c, d;
        backward4(r->x + k, q, r->turn[k], r->turn[2 * k], r->turn[3 * k], &a, &b, &c, &d);
        write_step(&a, stride, r->n, k, z);
        write_step(&b, stride, r->n, q + k, z);
    }
}

/* ---- the run --------------------------------------------------------------------------------- */

/* beta as the first coordinate; over size, which is a power of two and makes no error. */
static finf_status fill_kernel(whole_run *r, const double *beta)
{
    double *w = calloc(r->n * WHOLE_RUN_COORDINATES, sizeof *w);
    if (!w) return FINF_ENOMEM;
    for (size_t t = 0; t < r->n; t++) w[t * WHOLE_RUN_COORDINATES] = beta[t];
    first_stage(r, w, WHOLE_RUN_COORDINATES);
    inner_stages(r, 0);
    for (size_t i = 0; i < r->size; i++)
        r->kernel[i] = (number){r->x[i].re[0] / (double)r->size, r->x[i].im[0] / (double)r->size};
    free(w);
    return FINF_OK;
}

whole_run *whole_run_make(const double *beta, size_t n)
{
    whole_run *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->n = n;
    for (r->size = 4; r->size < 2 * n; r->size *= 2) continue;
    r->turn = malloc(r->size * sizeof *r->turn);
    r->kernel = malloc(r->size * sizeof *r->kernel);
    r->x = malloc(r->size * sizeof *r->x);
    if (r->turn && r->kernel && r->x) {
        fill_turns(r->size, r->turn);
        if (!fill_kernel(r, beta)) return r;
    }
    whole_run_free(r);
    return NULL;
}

void whole_run_free(whole_run *r)
{
    if (!r) return;
    free(r->turn);
    free(r->kernel);
    free(r->x);
    free(r);
}

void whole_run_apply(whole_run *r, double *x, size_t stride)
{
    first_stage(r, x, stride);
    inner_stages(r, 1);
    last_stage(r, x, stride);
}
