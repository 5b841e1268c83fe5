/* Anderson's mixing of a fixed-point iteration (theory 6.4, 12.3). GSL has no such method: its root
 * finders in several variables keep a matrix of the size of the problem, and here that is the
 * square of thousands. */
#include "mixing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense.h"

#define SPANNED 1e-10 /* a difference that the others span to this is left out */

finf_status mixing_make(size_t length, mixing *m)
{
    *m = (mixing){.length = length};
    m->from = malloc((3 * MIXING_MEMORY + 2) * length * sizeof *m->from);
    if (!m->from) return FINF_ENOMEM;
    m->to = m->from + (MIXING_MEMORY + 1) * length;
    m->basis = m->to + (MIXING_MEMORY + 1) * length;
    return FINF_OK;
}

void mixing_free(mixing *m)
{
    free(m->from);
    m->from = NULL;
}

/* Pair number `number`, its x or its g(x). */
static double *entry(const mixing *m, double *of, size_t number)
{
    return of + number % (MIXING_MEMORY + 1) * m->length;
}

void mixing_next(mixing *m, double **x, double **g)
{
    size_t number = m->held++;
    if (number > MIXING_MEMORY && m->first < number - MIXING_MEMORY)
        m->first = number - MIXING_MEMORY;
    *x = entry(m, m->from, number);
    *g = entry(m, m->to, number);
}

const double *mixing_forget(mixing *m)
{
    m->first = m->held - 1;
    return entry(m, m->to, m->first);
}

/* Column c of the residuals' differences df, made orthogonal to those before it, whose parts go
 * into R: df = Q R, by Gram and Schmidt. */
static void orthogonalise(const mixing *m, const double *weight, size_t c,
                          double R[MIXING_MEMORY][MIXING_MEMORY])
{
    size_t n = m->length;
    const double *x0 = entry(m, m->from, m->first + c);
    const double *x1 = entry(m, m->from, m->first + c + 1);
    const double *g0 = entry(m, m->to, m->first + c);
    const double *g1 = entry(m, m->to, m->first + c + 1);
    double *q = m->basis + c * n;
    for (size_t i = 0; i < n; i++)
        q[i] = (weight ? weight[i] : 1) * ((g1[i] - x1[i]) - (g0[i] - x0[i]));
    double size = sqrt(dense_dot(q, q, n));
    for (size_t d = 0; d < c; d++) {
        R[d][c] = dense_dot(m->basis + d * n, q, n);
        dense_axpy(-R[d][c], m->basis + d * n, n, q);
    }
    double left = sqrt(dense_dot(q, q, n)), unit = left > SPANNED * size ? 1 / left : 0;
    R[c][c] = unit > 0 ? left : 0;
    for (size_t i = 0; i < n; i++) q[i] *= unit;
}

/* Let f = g(x) - x be the newest residual, and df_c, dg_c the differences of neighbouring residuals
 * and values. The coefficients that make |f - sum_c a_c df_c| least solve R a = Q'f, and out =
 * g(x) - sum_c a_c dg_c. */
void mixing_mix(mixing *m, const double *weight, double *out)
{
    size_t n = m->length, last = m->held - 1, count = last - m->first;
    const double *x = entry(m, m->from, last), *g = entry(m, m->to, last);
    double R[MIXING_MEMORY][MIXING_MEMORY], part[MIXING_MEMORY];
    for (size_t i = 0; i < n; i++) out[i] = (weight ? weight[i] : 1) * (g[i] - x[i]);
    for (size_t c = 0; c < count; c++) {
        orthogonalise(m, weight, c, R);
        part[c] = dense_dot(m->basis + c * n, out, n);
        dense_axpy(-part[c], m->basis + c * n, n, out);
    }
    memcpy(out, g, n * sizeof *out);
    for (size_t c = count; c-- > 0;) {
        const double *g0 = entry(m, m->to, m->first + c), *g1 = entry(m, m->to, m->first + c + 1);
        for (size_t d = c + 1; d < count; d++) part[c] -= R[c][d] * part[d];
        part[c] = R[c][c] > 0 ? part[c] / R[c][c] : 0;
        for (size_t i = 0; i < n; i++) out[i] -= part[c] * (g1[i] - g0[i]);
    }
}
