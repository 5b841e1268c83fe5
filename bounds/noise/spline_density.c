/* Noise given by |B|^2 on a grid of frequencies: what the optimiser returns and `spectrum@` reads.
 *
 * log |B|^2 is interpolated by the cubic spline that is even about 0 and pi, and that is what the
 * noise is: B is the spline's minimum-phase factor, and an error is one of quadrature and rounding,
 * not of a grid too coarse for what somebody had in mind. Integrals go by Gauss-Legendre on panels
 * that end at knots, are no longer than their distance to 0 and pi, and on which log |B|^2 varies
 * little. */
#include "spline_density.h"

#include <fftw3.h>
#include <gsl/gsl_integration.h>
#include <stdlib.h>
#include <string.h>

#define GAUSS 12
#define VARIATION                                                                                  \
    2 /* of log |B|^2 on a panel: 12 points then integrate its exponential to rounding */
#define LOG_MAX 600 /* the spline may overshoot the data this far .. */
#define VARIATION_MAX                                                                              \
    1e5 /* .. and surely overshoots that on a cubic with coefficients this large */
#define FACTOR_LIMIT ((size_t)1 << 24) /* points of the largest FFT */

typedef struct {
    double from; /* the segment ends where the next one begins, the last one at pi */
    double c[4]; /* log |B|^2 = c_0 + c_1 x + c_2 x^2 + c_3 x^3, x = w - from */
} segment;

struct spline_density {
    segment *segment; /* from 0 to pi */
    size_t segments;
    size_t nodes;             /* how many, a multiple of GAUSS */
    double *w, *weight, *log; /* quadrature nodes on (0, pi); weights sum to 1 */
    double *lost;             /* what rounding did to log */
    double *mass;             /* weight |B|^2: of many integrals, each against another kernel */
    double *sine, *cosine;    /* of w/2 */
    double scale;             /* the first knot above 0: |B| varies on no less there */
    /* no nodes in [0, end_0] and [pi - end_pi, pi]: there the kernel is integrated in closed
     * form */
    double end_0, end_pi;
    spline_exact exact; /* log_at = NULL: the density is the spline */
    double shift;       /* added to its logarithm */
};

void spline_density_free(spline_density *d)
{
    if (!d) return;
    if (d->exact.log_at) d->exact.release(d->exact.ctx);
    free(d->segment);
    free(d->w);
    free(d);
}

/* The moments M = L'' at the knots, L = log |B|^2. With h_i = x_{i+1} - x_i, L' is continuous at
 * x_i if
 *     h_{i-1} M_{i-1} + 2 (h_{i-1} + h_i) M_i + h_i M_{i+1} = 6 (slope_i - slope_{i-1}).
 * Mirrored about 0 and pi, the first and last interval that are not closed by a knot have the
 * same moment at both ends and slope 0: one of length 2 x_0 adds (2 + 1) 2 x_0 M_0. A knot at 0
 * itself leaves the equation L'(0) = 0. Diagonally dominant, so elimination needs no pivots;
 * upper is scratch for it. */
static void solve_moments(const double *x, size_t n, const long double *slope, long double *M,
                          long double *upper)
{
    for (size_t i = 0; i < n; i++) {
        long double before = i > 0 ? (long double)x[i] - x[i - 1] : 0,
                    after = i + 1 < n ? (long double)x[i + 1] - x[i] : 0;
        long double diagonal = 2 * (before + after),
                    right = (i + 1 < n ? slope[i] : 0) - (i > 0 ? slope[i - 1] : 0);
        if (i == 0) diagonal += 6 * (long double)x[0];
        if (i + 1 == n) diagonal += 6 * ((long double)FINF_PI - x[n - 1]);
        long double pivot = diagonal - (i > 0 ? before * upper[i - 1] : 0);
        upper[i] = after / pivot;
        M[i] = (6 * right - (i > 0 ? before * M[i - 1] : 0)) / pivot;
    }
    for (size_t i = n - 1; i-- > 0;) M[i] -= upper[i] * M[i + 1];
}

/* In long double, and from ratios of neighbours: knots may be very close to each other. Before the
 * first knot and after the last one L is a parabola, level at 0 and at pi. */
static finf_status make_segments(spline_density *d, const double *x, const double *s, size_t n)
{
    long double *slope = malloc(3 * n * sizeof *slope), *M = slope ? slope + n : NULL,
                *upper = slope ? M + n : NULL;
    d->segment = malloc((n + 1) * sizeof *d->segment);
    if (!slope || !d->segment) {
        free(slope);
        return FINF_ENOMEM;
    }
    for (size_t i = 0; i + 1 < n; i++) {
        long double ratio = (long double)s[i + 1] / s[i],
                    change = ((long double)s[i + 1] - s[i]) / s[i];
        slope[i] = (ratio > 0.5L && ratio < 2 ? log1pl(change) : logl(ratio)) /
                   ((long double)x[i + 1] - x[i]);
    }
    solve_moments(x, n, slope, M, upper);
    segment *at = d->segment;
    if (x[0] > 0) {
        long double top = logl(s[0]) - M[0] * x[0] * x[0] / 2;
        *at++ = (segment){0, {(double)top, 0, (double)(M[0] / 2), 0}};
    }
    for (size_t i = 0; i + 1 < n; i++) {
        long double h = (long double)x[i + 1] - x[i],
                    first = slope[i] - h * (2 * M[i] + M[i + 1]) / 6;
        *at++ = (segment){
            x[i],
            {log(s[i]), (double)first, (double)(M[i] / 2), (double)((M[i + 1] - M[i]) / (6 * h))}};
    }
    if (x[n - 1] < FINF_PI) {
        long double h = (long double)FINF_PI - x[n - 1], last = M[n - 1];
        *at++ = (segment){x[n - 1], {log(s[n - 1]), (double)(-last * h), (double)(last / 2), 0}};
    }
    d->segments = (size_t)(at - d->segment);
    free(slope);
    return FINF_OK;
}

/* log |B|^2 at w in the segment; lost, unless NULL: its absolute rounding error, which is the
 * relative one of |B|^2. */
static double segment_at(const segment *s, double w, double *lost)
{
    double x = w - s->from, t1 = s->c[1] * x, t2 = s->c[2] * x * x, t3 = s->c[3] * x * x * x;
    if (lost) *lost = FINF_EPS * (2 * fabs(s->c[0]) + 4 * fabs(t1) + 5 * fabs(t2) + 6 * fabs(t3));
    return s->c[0] + (t1 + (t2 + t3));
}

/* Where a panel [a, b] is to be cut, or 0: the kernels that |B|^2 is integrated against may peak at
 * 0 and at pi, at any scale. */
static double cut_of(const segment *s, double a, double b)
{
    double x = a - s->from, h = b - a;
    double first = s->c[1] + x * (2 * s->c[2] + 3 * x * s->c[3]),
           second = s->c[2] + 3 * x * s->c[3];
    double variation = h * (fabs(first) + h * (fabs(second) + h * fabs(s->c[3])));
    double cut = a > 0 && b > 2.5 * a                               ? 2 * a
                 : b < FINF_PI && FINF_PI - a > 2.5 * (FINF_PI - b) ? FINF_PI - 2 * (FINF_PI - b)
                 : variation > VARIATION                            ? a + h / 2
                                                                    : 0;
    return cut > a && cut < b ? cut : 0;
}

/* Gauss-Legendre on [a, b], cut as often as needed. Only counts the nodes while there is no room
 * for them. */
static void add_panel(spline_density *d, const gsl_integration_glfixed_table *gl, const segment *s,
                      double a, double b)
{
    for (double cut; (cut = cut_of(s, a, b)) > 0; a = cut) add_panel(d, gl, s, a, cut);
    for (size_t i = 0; i < GAUSS && d->w; i++) {
        size_t k = d->nodes + i;
        double x, weight;
        gsl_integration_glfixed_point(a, b, i, &x, &weight, gl);
        d->w[k] = x;
        d->weight[k] = weight / FINF_PI;
        d->sine[k] = sin(x / 2);
        d->cosine[k] = cos(x / 2);
        d->log[k] = segment_at(s, x, &d->lost[k]);
        d->mass[k] = d->weight[k] * exp(d->log[k]);
    }
    d->nodes += GAUSS;
}

/* All panels of all segments, but for the flat ends. */
static void add_panels(spline_density *d, const gsl_integration_glfixed_table *gl)
{
    d->nodes = 0;
    for (size_t i = 0; i < d->segments; i++) {
        double from = i > 0 ? d->segment[i].from : d->end_0;
        double to = i + 1 < d->segments ? d->segment[i + 1].from : FINF_PI - d->end_pi;
        add_panel(d, gl, &d->segment[i], from, to);
    }
}

/* How far from 0 or pi log |B|^2 is its value there: `half` is half its second derivative, h the
 * interval's length. */
static double flat_end(double h, double half)
{
    return fmin(0x1p-26 * h, sqrt(FINF_EPS / 64 / (fabs(half) + 1)));
}

/* add_panels runs twice: to count the nodes, and with room for them. The seven arrays are one
 * block, which d->w owns. */
static finf_status make_nodes(spline_density *d)
{
    gsl_integration_glfixed_table *gl = gsl_integration_glfixed_table_alloc(GAUSS);
    if (!gl) return FINF_ENOMEM;
    const segment *last = &d->segment[d->segments - 1];
    double h = FINF_PI - last->from;
    d->end_0 = flat_end(d->segment[1].from, d->segment[0].c[2]);
    d->end_pi = flat_end(h, last->c[2] + 3 * last->c[3] * h);
    add_panels(d, gl);
    size_t n = d->nodes;
    d->w = malloc(7 * n * sizeof *d->w);
    if (d->w) {
        d->weight = d->w + n;
        d->log = d->weight + n;
        d->lost = d->log + n;
        d->sine = d->lost + n;
        d->cosine = d->sine + n;
        d->mass = d->cosine + n;
        add_panels(d, gl);
    }
    gsl_integration_glfixed_table_free(gl);
    return d->w ? FINF_OK : FINF_ENOMEM;
}

/* A spline through data that jump between close knots swings far beyond them elsewhere. */
static finf_status overshoots(double w, finf_reason *why)
{
    return finf_why(
        why, FINF_EDOM,
        "the spline through log |B|^2 leaves [-600, 600] near w = %s: the grid is too uneven there",
        finf_show(w).s);
}

/* Before the nodes are made: a segment that varies by more than this would be cut into too many
 * panels. */
static finf_status check_spline(const spline_density *d, finf_reason *why)
{
    for (size_t i = 0; i < d->segments; i++) {
        const segment *s = &d->segment[i];
        double h = (i + 1 < d->segments ? s[1].from : FINF_PI) - s->from;
        if (!(h * (fabs(s->c[1]) + h * (fabs(s->c[2]) + h * fabs(s->c[3]))) <= VARIATION_MAX))
            return overshoots(s->from, why);
    }
    return FINF_OK;
}

/* And after: e^600 and e^-600 are in the range of doubles, with some room. */
static finf_status check_nodes(const spline_density *d, finf_reason *why)
{
    for (size_t i = 0; i < d->nodes; i++)
        if (!(fabs(d->log[i]) <= LOG_MAX)) return overshoots(d->w[i], why);
    return FINF_OK;
}

/* |B|^2 = s at the n >= 5 frequencies w, increasing in [0, pi] (NULL: evenly from 0 to pi). The
 * ends may be missing by a little, over which the mirrored spline goes on: 0.1 at 0, a tenth of
 * pi at pi. */
finf_status spline_density_make(const double *w, const double *s, size_t n, spline_density **out,
                                finf_reason *why)
{
    *out = NULL;
    if (n < 5)
        return finf_why(why, FINF_EDOM, "a spectrum of %zu points: at least 5 are needed", n);
    double *x = malloc(n * sizeof *x);
    spline_density *d = calloc(1, sizeof *d);
    finf_status status = x && d ? FINF_OK : FINF_ENOMEM;
    for (size_t i = 0; i < n && !status; i++) {
        x[i] = w ? w[i] : FINF_PI * (double)i / (double)(n - 1);
        if (fabs(x[i] - FINF_PI) < 1e-9) x[i] = FINF_PI; /* pi as printed */
        if (!(x[i] >= 0 && x[i] <= FINF_PI))
            status = finf_why(why, FINF_EDOM, "frequency %s at point %zu: must be in [0, pi]",
                              finf_show(x[i]).s, i);
        else if (i && !(x[i] > x[i - 1]))
            status = finf_why(why, FINF_EDOM, "frequency %s at point %zu does not increase",
                              finf_show(x[i]).s, i);
        else if (!(s[i] >= BOUNDS_TINY && s[i] <= BOUNDS_HUGE))
            status = finf_why(
                why, FINF_EDOM,
                "|B|^2 = %s at point %zu: must be positive and finite, from 1e-50 to 1e50",
                finf_show(s[i]).s, i);
    }
    if (!status && (x[0] > 0.1 || x[n - 1] < 0.9 * FINF_PI))
        status = finf_why(why, FINF_EDOM,
                          "frequencies from %s to %s: the grid must reach from near 0 to near pi",
                          finf_show(x[0]).s, finf_show(x[n - 1]).s);
    if (!status) {
        d->scale = x[0] > 0 ? x[0] : x[1];
        status = make_segments(d, x, s, n);
    }
    if (!status) status = check_spline(d, why);
    if (!status) status = make_nodes(d);
    if (!status) status = check_nodes(d, why);
    free(x);
    if (status) spline_density_free(d);
    if (status == FINF_ENOMEM)
        return finf_why(why, status, "no memory for a spectrum of %zu points", n);
    if (!status) *out = d;
    return status;
}

/* The segment that w in [0, pi] is in. */
static const segment *segment_of(const spline_density *d, double w)
{
    size_t lo = 0, hi = d->segments;
    while (hi - lo > 1) {
        size_t middle = lo + (hi - lo) / 2;
        if (d->segment[middle].from <= w)
            lo = middle;
        else
            hi = middle;
    }
    return &d->segment[lo];
}

/* log |B(w)|^2 at any w, folded onto [0, pi]. */
static double log_at(const spline_density *d, double w)
{
    w = fmin(fabs(remainder(w, 2 * FINF_PI)), FINF_PI);
    if (d->exact.log_at) return d->shift + d->exact.log_at(tan(w / 2), d->exact.ctx, NULL);
    return segment_at(segment_of(d, w), w, NULL);
}

double spline_density_at(const spline_density *d, double w) { return exp(log_at(d, w)); }

double spline_density_at_t(const spline_density *d, double t)
{
    if (d->exact.log_at) return exp(d->shift + d->exact.log_at(fabs(t), d->exact.ctx, NULL));
    return spline_density_at(d, 2 * atan(t));
}

/* What the rounding of w, a unit, does to the logarithm at a node: by the spline's slope there. */
static double moved_by_rounding(const spline_density *d, double w)
{
    const segment *s = segment_of(d, w);
    double x = w - s->from, slope = s->c[1] + x * (2 * s->c[2] + 3 * x * s->c[3]);
    return FINF_EPS * w * fabs(slope);
}

/* The panels stay: they are shorter than the scales on which the density varies, and a rule of 12
 * points is right to rounding on them for the one and the other. The mean of the logarithm is log
 * beta_0^2. */
void spline_density_set_exact(spline_density *d, const spline_exact *exact)
{
    long double mean = 0;
    d->exact = *exact;
    d->shift = 0;
    for (size_t i = 0; i < d->nodes; i++) {
        d->log[i] = exact->log_at(d->sine[i] / d->cosine[i], exact->ctx, &d->lost[i]);
        d->lost[i] += FINF_EPS * (2 + fabs(d->log[i])) + moved_by_rounding(d, d->w[i]);
        mean += (long double)d->weight[i] * d->log[i];
    }
    mean += (d->end_0 * log_at(d, 0) + d->end_pi * log_at(d, FINF_PI)) / FINF_PI;
    d->shift = -(double)mean;
    for (size_t i = 0; i < d->nodes; i++) {
        d->log[i] += d->shift;
        d->mass[i] = d->weight[i] * exp(d->log[i]);
    }
}

size_t spline_density_knots(const spline_density *d, double *w)
{
    for (size_t i = 1; i < d->segments && w; i++) w[i - 1] = d->segment[i].from;
    return d->segments - 1;
}

double spline_density_scale(const spline_density *d) { return d->scale; }

/* (1/pi) int_0^pi |B|^(2 sign) K dw for K = b(2-b)/|1-b-e^{iw}|^2 (mean 1), or K = 1 when b = 1.
 * The kernel's mass in [0, x] is (2/pi) atan((2-b)/b tan(x/2)): where |B|^2 is flat, at both ends,
 * the integral is that mass, however narrow the kernel's peak is. (theory 5.6) */
static finf_real integral(const spline_density *d, int sign, double b)
{
    double at_0 = exp(sign * log_at(d, 0)), at_pi = exp(sign * log_at(d, FINF_PI)),
           be = b / (2 - b);
    double ends = 2 / FINF_PI *
                  (at_0 * atan(tan(d->end_0 / 2) / be) + at_pi * atan(tan(d->end_pi / 2) * be));
    double first = d->lost[0], last = d->lost[d->nodes - 1];
    long double sum = ends, lost = ends * fmax(first, last);
    for (size_t i = 0; i < d->nodes; i++) {
        double x = b * d->cosine[i], y = (2 - b) * d->sine[i];
        double mass = sign > 0 ? d->mass[i] : d->weight[i] * exp(-d->log[i]);
        double term = mass * (b * (2 - b)) / (x * x + y * y);
        sum += term;
        lost += term * d->lost[i];
    }
    double rounding = 16 + 4 / (2 - b); /* w near pi is known to eps only */
    return finf_real_make((double)sum, (double)(lost + rounding * FINF_EPS * sum),
                          "spline, Gauss-Legendre");
}

finf_real spline_density_gamma2(const spline_density *d) { return integral(d, -1, 1); }
finf_real spline_density_energy(const spline_density *d, double b) { return integral(d, 1, b); }

/* arg B(w) = -(sin w / 2pi) int_0^pi (L(v) - L(w)) / (cos v - cos w) dv,  L = log|B|^2 (Hilbert
 * transform, the singularity subtracted; theory 1.4). This is the mean of the fraction over (0,
 * pi). */
FINF_VECTOR static double hilbert(const spline_density *d, double w, double L)
{
    double sine = sin(w / 2), cosine = cos(w / 2), sum[4] = {0};
    for (size_t i = 0; i < d->nodes; i += 4) /* GAUSS is a multiple of 4 */
        /* four sums side by side: this is where a spectrum's bound spends its time */
        for (size_t k = 0; k < 4; k++) {
            double x = sine * d->cosine[i + k], y = cosine * d->sine[i + k],
                   gap = 2 * (x + y) * (x - y); /* cos v - cos w */
            sum[k] += gap != 0 ? d->weight[i + k] * (d->log[i + k] - L) / gap : 0;
        }
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

double spline_density_phase(const spline_density *d, double w)
{
    return -sin(w) / 2 * hilbert(d, w, log_at(d, w));
}

/* log |B|^2 at 2 pi j/N, j = 0..N/2. Of those that were found for N/2 points (half, NULL: none)
 * none is found again: the density may be a sum over many eigenvalues. */
static finf_status sample(const spline_density *d, size_t N, double *half, double **out)
{
    double *L = malloc((N / 2 + 1) * sizeof *L);
    *out = L;
    if (!L) return FINF_ENOMEM;
    for (size_t j = 0; j <= N / 2; j++)
        L[j] = half && j % 2 == 0 ? half[j / 2] : log_at(d, 2 * FINF_PI * (double)j / (double)N);
    return FINF_OK;
}

/* Cepstral factorisation on N points: log|B|^2 -> its causal part -> exp -> coefficients, of B for
 * sign = 1 and of 1/B for sign = -1 (theory 1.4). */
static finf_status factor(const double *L, int sign, size_t N, size_t n, double *out)
{
    double complex *X = fftw_alloc_complex(N / 2 + 1);
    double *x = fftw_alloc_real(N);
    finf_status s = X && x ? FINF_OK : FINF_ENOMEM;
    if (!s) {
        for (size_t j = 0; j <= N / 2; j++) X[j] = sign * L[j];
        s = series_untransform(X, N, x);
    }
    if (!s) {
        x[0] /= 2;
        x[N / 2] /= 2;
        memset(x + N / 2 + 1, 0, (N / 2 - 1) * sizeof *x);
        s = series_transform(x, N, N, X);
    }
    if (!s) {
        for (size_t j = 0; j <= N / 2; j++) X[j] = cexp(X[j]);
        s = series_untransform(X, N, x);
    }
    if (!s) memcpy(out, x, n * sizeof *x);
    fftw_free(X);
    fftw_free(x);
    return s;
}

/* What rounding does to every coefficient, relative to the first: that of log |B|^2, which each is
 * an exponential of, and that of three transforms, a few units for each of their log N levels of
 * numbers as large as the largest B. */
static double factor_rounding(const spline_density *d, const double *L, int sign, size_t N)
{
    double log_size = 0, largest = 0, lost = 0;
    for (size_t j = 0; j <= N / 2; j++) {
        largest = fmax(largest, sign * L[j]);
        log_size = fmax(log_size, fabs(L[j]));
    }
    for (size_t i = 0; i < d->nodes; i++) lost = fmax(lost, d->lost[i]);
    return exp(largest / 2) * (lost + FINF_EPS * (2 * log2((double)N) + log_size));
}

/* The largest change of a coefficient, relative to the first; NaN stays. */
static double change_of(const double *now, const double *before, size_t n)
{
    double change = 0;
    for (size_t t = 0; t < n && !isnan(change); t++) {
        double moved = fabs(now[t] - before[t]) / fabs(now[0]);
        if (!(moved <= change)) change = moved;
    }
    return change;
}

/* One doubling of *N: the samples, the coefficients on them, and how far these have moved. */
static finf_status refine(const spline_density *d, int sign, size_t n, size_t *N, double **L,
                          double *now, double *change)
{
    double *finer, *before = malloc(n * sizeof *before);
    finf_status s = before ? sample(d, 2 * *N, *L, &finer) : FINF_ENOMEM;
    if (!s) {
        memcpy(before, now, n * sizeof *now);
        free(*L);
        *L = finer;
        *N *= 2;
        s = factor(*L, sign, *N, n, now);
    }
    if (!s) *change = change_of(now, before, n);
    free(before);
    return s;
}

/* N is doubled until the coefficients have settled. The cepstrum of a cubic spline falls like k^-4,
 * so that what is left is well below the last change: 1e-10 of the first is asked for. One that is
 * known exactly is analytic, and its cepstrum falls exponentially once N is beyond its scale: it
 * settles to rounding, or not at all. */
finf_status spline_density_factor(const spline_density *d, int sign, size_t n, double *out,
                                  double *error, finf_reason *why)
{
    size_t N = 8192;
    if (8 * n > FACTOR_LIMIT)
        return finf_why(why, FINF_EDOM, "%zu coefficients of a given spectrum: at most %zu", n,
                        FACTOR_LIMIT / 8);
    while (N < 4 * n) N *= 2;
    double *L = NULL, change = INFINITY, rounding = 0, enough = 1e-10;
    finf_status s = sample(d, N, NULL, &L);
    if (!s) rounding = factor_rounding(d, L, sign, N);
    if (d->exact.log_at) enough = rounding;
    if (!s) s = factor(L, sign, N, n, out);
    while (!s && !(change <= enough) && 2 * N <= FACTOR_LIMIT)
        s = refine(d, sign, n, &N, &L, out, &change);
    free(L);
    if (s) return finf_why(why, s, "no memory for %zu coefficients", n);
    if (error) *error = (change + rounding) * fabs(out[0]);
    if (!(change <= fmax(enough, 1e-10)))
        return finf_why(why, FINF_ETOL, "spectral factorisation: coefficients settled only to %.1g",
                        change);
    return FINF_OK;
}
