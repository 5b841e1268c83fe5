/* The far coefficients of nu and cc as a sum of decays. (theory 13.5)
 *
 *     beta_t = -(1/pi) int_0^inf (e^{-u} (1-nu))^t e^{u/2} (1 - e^{-u})^{1/2} du,   t >= 1,
 *
 * by the trapezoidal rule in log u is such a sum, with far more terms than it takes. Its Hankel
 * matrix is reduced to the few directions that matter (balanced truncation), which leaves a sum of
 * fewer decays, again with positive scales.
 *
 * Workers must agree on every bit, and the exponentials and eigenvalues of a library depend on its
 * version and on the processor: here are only + - * / and square roots, in a fixed order. */
#include "tail_decays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"

enum {
    POINTS = 152, /* of the trapezoidal rule: u = 8 2^{-j/3}, from 8 to 6e-15; a multiple of 8 */
    SWEEPS = 60   /* of rotations; about 7 are needed */
};

#define TOLERANCE 0x1p-44 /* of the standard deviation of z */
#define FORGETS 0x1p-20   /* nu from which the decays are short enough by themselves */
#define PIVOT 0x1p-54     /* what is left of the diagonal when the rest is rounding */

typedef struct {
    double root[POINTS]; /* square roots of the weights */
    double loss[POINTS]; /* 1 - e^{-u} (1-nu) */
    double forget;       /* decays are shorter by 1 - this in the Hankel matrix */
} measure;

/* 1 - e^{-u} for 0 < u <= 8: a series at u/16, then 1 - e^{-2u} = (1 - e^{-u})(1 + e^{-u}). */
static double one_minus_exp(double u)
{
    double y = u / 16, sum = 1;
    for (int k = 18; k >= 2; k--) sum = 1 - y / k * sum;
    sum *= y;
    for (int i = 0; i < 4; i++) sum *= 2 - sum;
    return sum;
}

static void fill_measure(double nu, measure *m)
{
    const double third[3] = {1, 0x1.965fea53d6e3dp-1, 0x1.428a2f98d728bp-1}; /* 2^{-j/3} */
    const double step_over_pi = 0x1.2d3dbb4ff0f13p-4;                        /* log 2/(3 pi) */
    for (int j = 0; j < POINTS; j++) {
        double u = ldexp(third[j % 3], 3 - j / 3), rise = one_minus_exp(u);
        double kept = (1 - rise) * (1 - nu), power = kept; /* kept^TAIL_TAPS e^{u/2}, */
        for (int i = TAIL_TAPS; i > 1; i /= 2) power *= power;
        power /= sqrt(1 - rise);
        m->root[j] = sqrt(step_over_pi * u * power * sqrt(rise));
        m->loss[j] = rise + nu - rise * nu;
    }
    m->forget = nu < FORGETS ? 1.0 / (double)TAIL_STEPS : 0;
}

/* ---- the directions that matter -------------------------------------------------------------- */

/* The Hankel matrix in the coordinates of the measure. Where nu is tiny its decays are shorter by
 * the factor 1 - 1/TAIL_STEPS: what comes after so many steps does not count. */
static double hankel(const measure *m, int i, int j)
{
    double a = m->loss[i] + m->forget - m->loss[i] * m->forget;
    double b = m->loss[j] + m->forget - m->loss[j] * m->forget;
    return m->root[i] * m->root[j] / (a + b - a * b);
}

/* Columns L with LL' the Hankel matrix but for a rest of rounding: Cholesky, the largest pivot
 * first. Returns how many; *rest is the trace of what is left. */
static int factor(const measure *m, double (*L)[POINTS], double *rest)
{
    double left[POINTS];
    int count = 0;
    for (int j = 0; j < POINTS; j++) left[j] = hankel(m, j, j);
    for (; count < TAIL_DECAYS_MAX; count++) {
        int pivot = 0;
        for (int j = 1; j < POINTS; j++)
            if (left[j] > left[pivot]) pivot = j;
        if (left[pivot] <= PIVOT) break;
        double root = sqrt(left[pivot]);
        for (int j = 0; j < POINTS; j++) {
            double sum = hankel(m, pivot, j);
            for (int k = 0; k < count; k++) sum -= L[k][pivot] * L[k][j];
            L[count][j] = sum / root;
            left[j] -= L[count][j] * L[count][j];
        }
        left[pivot] = 0;
    }
    *rest = 0;
    for (int j = 0; j < POINTS; j++) *rest += fmax(left[j], 0);
    return count;
}

/* Eight sums side by side, which do not wait for each other, then one of them. */
static inline double dot(const double *x, const double *y)
{
    double sum[8] = {0};
    for (int j = 0; j < POINTS; j += 8)
        for (int i = 0; i < 8; i++) sum[i] += x[j + i] * y[j + i];
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

/* One of Jacobi's rotations, which makes columns x and y orthogonal; the numbers p and q below them
 * go along. Returns whether there was anything to do. */
FINF_VECTOR static int rotate(double *x, double *y, double *p, double *q)
{
    double a = dot(x, x), b = dot(y, y), c = dot(x, y);
    if (fabs(c) <= 0x1p-50 * sqrt(a * b)) return 0;
    double zeta = (b - a) / (2 * c);
    double tan = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double cos = 1 / sqrt(1 + tan * tan), sin = cos * tan, kept = *p;
    for (int j = 0; j < POINTS; j++) {
        double old = x[j];
        x[j] = cos * old - sin * y[j];
        y[j] = sin * old + cos * y[j];
    }
    *p = cos * kept - sin * *q;
    *q = sin * kept + cos * *q;
    return 1;
}

/* Makes all columns orthogonal (Hestenes). */
static int orthogonalise(double (*X)[POINTS], double *below, int count)
{
    for (int sweep = 0, turned = 1; turned; sweep++) {
        if (sweep == SWEEPS) return 0;
        turned = 0;
        for (int i = 0; i < count; i++)
            for (int j = i + 1; j < count; j++) turned |= rotate(X[i], X[j], &below[i], &below[j]);
    }
    return 1;
}

/* The columns of length 1, the longest first; length[k] is what they had, squared: the Hankel
 * singular values. */
static void normalise(double (*X)[POINTS], double *length, int count)
{
    for (int i = 0; i < count; i++) length[i] = dot(X[i], X[i]);
    for (int i = 0; i < count; i++) {
        int most = i;
        for (int j = i + 1; j < count; j++)
            if (length[j] > length[most]) most = j;
        double longest = length[most], column[POINTS];
        memcpy(column, X[most], sizeof column);
        memcpy(X[most], X[i], sizeof column);
        length[most] = length[i];
        length[i] = longest;
        for (int j = 0; j < POINTS; j++) X[i][j] = column[j] / sqrt(longest);
    }
}

/* z is off by twice the singular values that are left out, and by e times that where the decays are
 * shorter in the Hankel matrix: by the factor e at most in TAIL_STEPS. */
static int good(const measure *m, double left_out)
{
    return (m->forget > 0 ? 2 * 2.7183 : 2) * left_out <= TOLERANCE;
}

/* As few directions as are good. */
static int enough(const measure *m, const double *singular, int count, double rest)
{
    while (count > 0 && good(m, rest + singular[count - 1])) rest += singular[--count];
    return count;
}

/* The decays of the system in these directions: 1 - decay are the eigenvalues of V' diag(loss) V,
 * the squared lengths of diag(loss)^{1/2} V made orthogonal. */
static int reduce(const measure *m, double (*V)[POINTS], int count, tail_decays *out)
{
    double below[TAIL_DECAYS_MAX];
    for (int k = 0; k < count; k++) {
        below[k] = dot(V[k], m->root);
        for (int j = 0; j < POINTS; j++) V[k][j] *= sqrt(m->loss[j]);
    }
    if (!orthogonalise(V, below, count)) return 0;
    out->count = (size_t)count;
    for (int k = 0; k < count; k++) {
        out->decay[k] = 1 - dot(V[k], V[k]);
        out->scale[k] = below[k] * below[k];
    }
    out->count += out->count % 2;
    return 1;
}

finf_status tail_decays_find(double nu, tail_decays *out, finf_reason *why)
{
    double below[TAIL_DECAYS_MAX] = {0}, singular[TAIL_DECAYS_MAX], rest;
    double(*V)[POINTS] = malloc(TAIL_DECAYS_MAX * sizeof *V);
    measure m;
    *out = (tail_decays){.count = 0};
    if (!V) return finf_why(why, FINF_ENOMEM, "no memory");
    fill_measure(nu, &m);
    int count = factor(&m, V, &rest), found = orthogonalise(V, below, count) && good(&m, rest);
    normalise(V, singular, count);
    found = found && reduce(&m, V, enough(&m, singular, count, rest), out);
    free(V);
    if (found) return FINF_OK;
    return finf_why(why, FINF_ETOL, "nu = %s: no sum of decays was found", finf_show(nu).s);
}
