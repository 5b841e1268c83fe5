/* T(b) = sum_{t,s} beta_t beta_s (1-b)^{|t-s|} = b(2-b)/(2pi) int |B|^2 / |1-b-e^{iw}|^2 dw for
 * 0 < b < 2 (theory 5): what the families share of its computation. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "family.h"

/* ---- by quadrature: families whose |B|^2 is a formula ---------------------------------------- */

/* By the rule of theory 3.4, as many b at a time as circle_means takes: |B|^2, the dear part, is
 * evaluated once at a node for all of them. */
finf_status noise_energy_by_circle(circle_fn f, void *ctx, double scale, const double *lost,
                                   const double *b, size_t m, double *T, double *relerr,
                                   finf_reason *why)
{
    finf_status s = FINF_OK;
    *relerr = 0;
    for (size_t first = 0, n; first < m; first += n, b += n, T += n) {
        finf_real mean[CIRCLE_MANY];
        n = m - first < CIRCLE_MANY ? m - first : CIRCLE_MANY;
        if (circle_means(f, ctx, scale, scale, b, n, mean)) s = FINF_ETOL;
        for (size_t j = 0; j < n; j++) {
            T[j] = b[j] * (2 - b[j]) * mean[j].value;
            *relerr = fmax(*relerr, mean[j].error / mean[j].value + 4 * FINF_EPS + *lost);
        }
    }
    return s ? finf_why(why, s,
                        "the integral of |B|^2 did not settle: B has a pole very close to |z| = 1")
             : FINF_OK;
}

finf_status noise_energy_by_density(const finf_noise *noise, const double *b, size_t m, double *T,
                                    double *relerr, finf_reason *why)
{
    double lost = noise_density_rounding(noise);
    return noise_energy_by_circle(noise_density_t, (void *)(uintptr_t)noise,
                                  finf_noise_scale(noise), &lost, b, m, T, relerr, why);
}

/* ---- a finite beta --------------------------------------------------------------------------- */

/* r_0 + 2 sum_k r_k q^k, stopped where q^k is spent: O(1/b) terms. Its rounding, relative to the
 * result, decides whether it may be used. */
static double by_autocorrelation(const double *r, size_t n, double b, double *relerr)
{
    double q = 1 - b, power = q, sum = r[0], size = r[0];
    size_t k = 1;
    for (; k < n && fabs(power) > FINF_EPS / 64; k++, power *= q) {
        sum += 2 * r[k] * power;
        size += 2 * fabs(r[k] * power);
    }
    /* each r_k from an FFT is off by a few eps r_0, and q by eps */
    *relerr = FINF_EPS * (4 * size + 8 * r[0] * (double)k) / fabs(sum);
    return sum;
}

/* T = b(2-b) sum_t u_t^2, u_t = (1-b) u_{t-1} + beta_t (the filtered noise): a sum of squares, so
 * nothing cancels but inside u itself, whose rounding e_t is carried along. LANES values of b run
 * side by side to hide the latency of the recursion. */
#define LANES 8
#define BLOCK 256
FINF_VECTOR static void by_filter(const double *beta, size_t n, const double *b, double *T,
                                  double *rel)
{
    double u[LANES] = {0}, e[LANES] = {0}, lost[LANES] = {0}, sum[LANES] = {0};
    /* sums in blocks: a long plain sum of equal terms drifts */
    for (size_t start = 0; start < n; start += BLOCK) {
        size_t end = start + BLOCK < n ? start + BLOCK : n;
        double part[LANES] = {0};
        for (size_t t = start; t < end; t++) {
            double size = fabs(beta[t]);
            for (int i = 0; i < LANES; i++) {
                double q = fabs(1 - b[i]);
                e[i] = q * e[i] + (fabs(u[i]) + size);
                u[i] = (u[i] + beta[t]) - b[i] * u[i];
                part[i] += u[i] * u[i];
                lost[i] += fabs(u[i]) * e[i];
            }
        }
        for (int i = 0; i < LANES; i++) sum[i] += part[i];
    }
    /* After its end beta is 0 and u_t falls by q at each step: with 1 - q^2 = b(2-b) what is left
     * of the sum, times b(2-b), is q^2 u^2. */
    for (int i = 0; i < LANES; i++) {
        double q = 1 - b[i], rest = q * q * u[i] * u[i], sums = BLOCK + (double)n / BLOCK;
        T[i] = b[i] * (2 - b[i]) * sum[i] + rest;
        rel[i] = FINF_EPS *
                 (4 + sums / 2 + 2 * (b[i] * (2 - b[i]) * lost[i] + fabs(u[i]) * e[i]) / T[i]);
    }
}

/* by_filter for the b[index[i]], i < count <= LANES; a lane to spare repeats the first of them.
 * Returns the worst relative error. */
static double filter_lanes(const double *beta, size_t n, const double *b, const size_t *index,
                           size_t count, double *T)
{
    double bb[LANES], TT[LANES], rel[LANES], worst = 0;
    for (size_t i = 0; i < LANES; i++) bb[i] = b[index[i < count ? i : 0]];
    by_filter(beta, n, bb, TT, rel);
    for (size_t i = 0; i < count; i++) {
        T[index[i]] = TT[i];
        worst = fmax(worst, rel[i]);
    }
    return worst;
}

/* The filter takes n operations for each b. A long list has its autocorrelation from one FFT,
 * and then O(1/b) operations are enough; but that sum may cancel (for good noise T is of order b
 * log(1/b)), and where its error is above 1e-13 the filter is taken after all. */
finf_status noise_energy_of_beta(const double *beta, size_t n, const double *b, size_t m, double *T,
                                 double *relerr, finf_reason *why)
{
    size_t index[LANES], waiting = 0;
    double *r = NULL;
    if (n > 256) {
        r = malloc(n * sizeof *r);
        finf_status s = r ? series_autocorrelation(beta, n, r) : FINF_ENOMEM;
        if (s) {
            free(r);
            return finf_why(why, s, "no memory for %zu coefficients", n);
        }
    }
    *relerr = 8 * FINF_EPS;
    for (size_t j = 0; j < m; j++) {
        if (r && fmin(b[j], 2 - b[j]) * (double)n > 100) { /* q^k is spent well before the end */
            double rel, value = by_autocorrelation(r, n, b[j], &rel);
            if (rel < 1e-13) {
                T[j] = value;
                *relerr = fmax(*relerr, rel);
                continue;
            }
        }
        index[waiting++] = j;
        if (waiting == LANES) {
            *relerr = fmax(*relerr, filter_lanes(beta, n, b, index, waiting, T));
            waiting = 0;
        }
    }
    if (waiting) *relerr = fmax(*relerr, filter_lanes(beta, n, b, index, waiting, T));
    free(r);
    return FINF_OK;
}

finf_status noise_energy_infinite(size_t m, double *T, double *relerr, finf_reason *why,
                                  const char *zero_of_C)
{
    for (size_t j = 0; j < m; j++) T[j] = INFINITY;
    *relerr = 0;
    return finf_why(why, FINF_OK, "beta is not square-summable: C(z) has %.180s", zero_of_C);
}

/* ---- many b: 22 of them for each octave ------------------------------------------------------ */

#define CHEB 22
#define WORTH (2 * CHEB) /* an octave with more than this is interpolated */

double noise_energy_interpolation(size_t n) { return n > WORTH ? 32 * FINF_EPS : 0; }

/* T is analytic for |1-b| < 1, so on [x, 2x], x <= 1/2, its Chebyshev interpolation error falls
 * like 5.83^-n: b = 0, the nearest singularity, is at -3 where the octave is [-1, 1], and 5.83 =
 * 3 + sqrt(8). 22 nodes leave 1e-17. Returns the octave, -1 for b >= 1/2, which stay single. */
static int octave_of(double b)
{
    int e;
    frexp(b, &e);
    return b < 0.5 ? -e : -1; /* b in [2^-(e+1), 2^-e) */
}

typedef struct {
    double node[CHEB];   /* in (-1, 1) */
    double weight[CHEB]; /* of the barycentric formula */
} chebyshev;

/* The polynomial through the values at the nodes, at x in [-1, 1]. */
static double interpolate(const chebyshev *c, const double *value, double x)
{
    double top = 0, bottom = 0;
    /* beta is not square-summable: it is infinite everywhere */
    if (isinf(value[0])) return value[0];
    for (int k = 0; k < CHEB; k++) { /* barycentric */
        double gap = x - c->node[k], w = c->weight[k] / gap;
        if (gap == 0) return value[k];
        top += w * value[k];
        bottom += w;
    }
    return top / bottom;
}

/* Replaces the b of crowded octaves by nodes, evaluates, interpolates back. x has the nodes of the
 * octaves, octave o from at[o] on, and after them the single b in the order they came in. */
static finf_status energy_many(const finf_noise *noise, const double *b, size_t n, double *T,
                               double *relerr, finf_reason *why)
{
    enum { OCTAVES = 200 };
    chebyshev c;
    for (int k = 0; k < CHEB; k++) {
        double angle = FINF_PI * (k + 0.5) / CHEB;
        c.node[k] = cos(angle);
        c.weight[k] = (k % 2 ? -1 : 1) * sin(angle);
    }
    size_t count[OCTAVES] = {0}, at[OCTAVES], m = 0;
    for (size_t j = 0; j < n; j++)
        if (octave_of(b[j]) >= 0) count[octave_of(b[j])]++;
    double *x = malloc((2 * n + 2 * OCTAVES * CHEB) * sizeof *x);
    if (!x) return finf_why(why, FINF_ENOMEM, "no memory for %zu values", n);
    double *value = x + n + OCTAVES * CHEB;
    for (int o = 0; o < OCTAVES; o++) {
        at[o] = m;
        for (int k = 0; k < CHEB && count[o] > WORTH; k++) x[m++] = ldexp(3 + c.node[k], -o - 2);
    }
    size_t single = m;
    for (size_t j = 0; j < n; j++)
        if (octave_of(b[j]) < 0 || count[octave_of(b[j])] <= WORTH) x[m++] = b[j];
    finf_status s = noise->family->energy(noise, x, m, value, relerr, why);
    if (!s) {
        for (size_t j = 0; j < n; j++) {
            int o = octave_of(b[j]);
            T[j] = o < 0 || count[o] <= WORTH
                       ? value[single++]
                       : interpolate(&c, value + at[o], ldexp(b[j], o + 2) - 3);
        }
        *relerr += noise_energy_interpolation(n);
    }
    free(x);
    return s;
}

/* A failure leaves no number behind: every T is NaN then. */
finf_status finf_noise_energy(const finf_noise *noise, const double *b, size_t n, double *T,
                              double *relerr, finf_reason *why)
{
    double ignored;
    finf_status s = FINF_OK;
    if (!relerr) relerr = &ignored;
    for (size_t j = 0; j < n && !s; j++)
        if (!(b[j] >= BOUNDS_TINY && b[j] < 2))
            s = finf_why(why, FINF_EDOM, "b = %s: must be in (0, 2), at least 1e-50",
                         finf_show(b[j]).s);
    if (!s)
        s = n > WORTH ? energy_many(noise, b, n, T, relerr, why)
                      : noise->family->energy(noise, b, n, T, relerr, why);
    for (size_t j = 0; j < n && s; j++) T[j] = NAN;
    if (s) *relerr = INFINITY;
    return s;
}
