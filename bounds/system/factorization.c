/* The factorisations that are the answer to an optimisation: over all C (`me`, theory 6.4) and over
 * banded Toeplitz C (theory 6.7).
 *
 * `me` minimises tr(A'A X^{-1}) over X with X_ii <= 1. Its optimum is X = D^{-1} (D A'A D)^{1/2}
 * D^{-1}, D^2 = V = diag(v), where v is the fixed point of v <- diag (D A'A D)^{1/2} = v X_ii. By
 * the square root of a matrix that is O(n^3) a step. But A'A is the inverse of the tridiagonal
 * Delta Delta' (Delta = A^{-1}, differences), so that M^{1/2} = (2/pi) int_0^inf (M^{-1} +
 * x^2)^{-1} dx gives
 *
 *     X = (2/pi) int_0^inf (Delta Delta' + x^2 V)^{-1} dx = sum_k weight_k G_k,
 *     G_k = (Delta Delta' + shift_k V)^{-1},
 *     K = X^{-1} = sum_k weight_k (V - shift_k V G_k V),
 *     error = tr(A'A X^{-1}) = sum_i v_i X_ii
 *
 * with about 40 nodes to full precision. The diagonal of a tridiagonal's inverse is O(n): a step
 * costs O(40 n), and X or K, once, O(40 n^2). Nothing cancels: Delta Delta' + x^2 V is a diagonally
 * dominant M-matrix, and its pivots from either end, written 1 + e_i from the top and 1 + f_i from
 * the bottom, are sums of positive terms. X > 0 entrywise follows, and K_ij < 0 off the diagonal.
 */
#include <gsl/gsl_multimin.h>
#include <gsl/gsl_sf_elljac.h>
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "system.h"

void factorization_free(factorization *f)
{
    free(f->v);
    f->v = NULL;
}

/* The rule lambda^{-1/2} = (2/pi) int_0^inf dx/(lambda + x^2) ~ sum_k weight_k/(lambda + shift_k).
 * domain:   0 < m <= lambda <= M
 * method:   the substitution x = sqrt(m) sc(u), of squared modulus 1 - m/M, makes the integrand
 *           periodic in u, and the midpoint rule converge like exp(-pi^2 nodes/K), K the complete
 *           elliptic integral (Hale, Higham and Trefethen 2008, method 3). As many nodes are taken
 *           as make that e^-42, at most FACTORIZATION_NODES. u and K - u are computed together, so
 *           that the small one of sn(u), cn(u) is never needed. */
size_t factorization_rule(double m, double M, double *shift, double *weight)
{
    double parameter = 1 - fmin(m / M, 0.5), comp = 1 - parameter;
    finf_real K;
    finf_ellint_k(comp, &K);
    size_t half = (size_t)ceil(0.5 * (4 + 42 * K.value / (FINF_PI * FINF_PI)));
    if (half > FACTORIZATION_NODES / 2) half = FACTORIZATION_NODES / 2;
    size_t nodes = 2 * half;
    double step = K.value / (double)nodes, unit = 2 / FINF_PI * sqrt(m) * step, kc = sqrt(comp);
    for (size_t k = 0; k < half; k++) {
        double sn, cn, dn;
        gsl_sf_elljac_e(((double)k + 0.5) * step, parameter, &sn, &cn, &dn);
        shift[k] = m * (sn / cn) * (sn / cn);
        weight[k] = unit * dn / (cn * cn);
        shift[nodes - 1 - k] = m / comp * (cn / sn) * (cn / sn);
        weight[nodes - 1 - k] = unit * dn / (kc * sn * sn);
    }
    return nodes;
}

/* For one shift: e_i = shift v_i + e_{i-1}/(1 + e_{i-1}) from the top, and from the bottom the tail
 * g_i = f_{i+1}/(1 + f_{i+1}), f_i = shift v_i + g_i, with g = 1 for the last step. Then
 * 1/G_ii = e_i + g_i and, for i <= j, G_ij = G_jj/prod_{i <= k < j} (1 + e_k). */
static void pivots(const factorization *f, double shift, double *e, double *g)
{
    double x = 0, y = 1;
    for (size_t i = 0; i < f->n; i++) {
        x = shift * f->v[i] + x / (1 + x);
        e[i] = x;
    }
    for (size_t i = f->n; i-- > 0;) {
        g[i] = y;
        double low = shift * f->v[i] + y;
        y = low / (1 + low);
    }
}

/* diag X = sum_k weight_k/(e_i + g_i): the recursions of pivots() for all shifts side by side,
 * since a single one would wait for each of its divisions. `tail` is room for n times the nodes. */
FINF_VECTOR static void diagonal(const factorization *f, double *tail, double *diag)
{
    size_t N = f->nodes, n = f->n;
    double x[FACTORIZATION_NODES], y[FACTORIZATION_NODES];
    for (size_t k = 0; k < N; k++) {
        x[k] = 0;
        y[k] = 1;
    }
    for (size_t i = n; i-- > 0;) {
        double v = f->v[i];
        memcpy(tail + i * N, y, N * sizeof *y);
        for (size_t k = 0; k < N; k++) {
            double low = f->shift[k] * v + y[k];
            y[k] = low / (1 + low);
        }
    }
    for (size_t i = 0; i < n; i++) {
        double v = f->v[i], term[FACTORIZATION_NODES], sum = 0;
        const double *g = tail + i * N;
        for (size_t k = 0; k < N; k++) {
            x[k] = f->shift[k] * v + x[k] / (1 + x[k]);
            term[k] = f->weight[k] / (x[k] + g[k]);
        }
        for (size_t k = 0; k < N; k++) sum += term[k];
        diag[i] = sum;
    }
}

/* The rule for the spectrum of D^{-1} Delta Delta' D^{-1}, which lies between 1/(the trace of its
 * inverse) and the largest of Gershgorin's row sums. */
static void set_rule(factorization *f)
{
    double trace = 0, top = 0;
    for (size_t i = 0; i < f->n; i++) {
        double left = i ? 1 / sqrt(f->v[i - 1] * f->v[i]) : 0,
               right = i + 1 < f->n ? 1 / sqrt(f->v[i] * f->v[i + 1]) : 0;
        trace += f->v[i] * (double)(f->n - i);
        top = fmax(top, (i ? 2 : 1) / f->v[i] + left + right);
    }
    f->nodes = factorization_rule(1 / trace, top, f->shift, f->weight);
}

#define STEPS_MAX 1000  /* iterations, of `me` and of the banded optimum */
#define CONVERGED 2e-14 /* max |X_ii - 1|; rounding leaves about 1e-15 */

/* One step towards X_ii = 1: v <- v X_ii^3. d log X_ii/d log v_j is minus a matrix J with entries
 * >= 0 and row sums 1/2, which is symmetric but for scaling, and semidefinite: the plain fixed
 * point v <- v X_ii converges like 1 - J, and the power 3 like 1 - 3J, J in (0, 1/2]. The power 2,
 * taken first, is exact for an error that is a common factor. */
static void improve(factorization *f, const double *diag)
{
    for (size_t i = 0; i < f->n; i++)
        f->v[i] *= f->iterations < 4 ? diag[i] * diag[i] : diag[i] * diag[i] * diag[i];
}

/* The two ends of the optimum: X divided by its largest X_ii is feasible, and 2 tr(D A'A D)^{1/2} -
 * sum v is below the loss of every C. Both traces are sum_i v_i X_ii. */
static void measure(factorization *f, const double *diag, double largest)
{
    long double trace = 0, sum = 0;
    for (size_t i = 0; i < f->n; i++) {
        trace += (long double)f->v[i] * diag[i];
        sum += f->v[i];
    }
    f->scale = 1 / largest;
    f->error = (double)(trace * largest);
    f->lower = (double)(2 * trace - sum);
}

finf_status factorization_make(size_t n, const finf_system_options *o, factorization *f,
                               finf_reason *why)
{
    *f = (factorization){.n = n, .scale = NAN, .error = NAN, .lower = NAN};
    f->v = malloc((n + 2 * FACTORIZATION_NODES) * sizeof *f->v);
    double *diag = malloc(n * (FACTORIZATION_NODES + 1) * sizeof *diag);
    double *tail = diag ? diag + n : NULL;
    double off = INFINITY;
    double largest = 1;
    finf_status s = f->v && diag ? FINF_OK
                                 : finf_why(why, FINF_ENOMEM, "no memory for %zu steps", n);
    if (!s) {
        f->shift = f->v + n;
        f->weight = f->shift + FACTORIZATION_NODES;
        for (size_t i = 0; i < n; i++) f->v[i] = sqrt((double)(n - i));
    }
    while (!s) {
        set_rule(f);
        diagonal(f, tail, diag);
        off = largest = 0;
        for (size_t i = 0; i < n; i++) {
            off = fmax(off, fabs(diag[i] - 1));
            largest = fmax(largest, diag[i]);
        }
        if (off <= CONVERGED) break;
        if (system_stopped(o))
            s = finf_why(why, FINF_ETOL,
                         "stopped after %d iterations: X_ii of the optimal factorisation is still "
                         "%.2g from 1",
                         f->iterations, off);
        else if (!(off < INFINITY) || ++f->iterations == STEPS_MAX)
            s = finf_why(
                why, FINF_ETOL,
                "optimal factorisation of %zu steps: X_ii is still %.2g from 1 after %d iterations",
                n, off, f->iterations);
        improve(f, diag);
    }
    if (!s)
        measure(f, diag, largest);
    else
        factorization_free(f);
    free(diag);
    return s;
}

/* out_ij += left_i right_j G_ij for j >= i, G given by its e and g: row i is row i+1 divided by
 * 1 + e_i, with G_ii in front, so that the rows are made from the last up, in `row`. Entries below
 * 1e-200 at a row's end are dropped, or they would become subnormal, which is slow. */
FINF_VECTOR static void add_inverse(size_t n, const double *e, const double *g, const double *left,
                                    const double *right, double *row, double *out)
{
    size_t end = n;
    for (size_t i = n; i-- > 0;) {
        double shrink = 1 / (1 + e[i]), l = left[i], *o = out + i * n;
        row[i] = 1 / (e[i] + g[i]);
        while (end > i + 1 && row[end - 1] < 1e-200) end--;
        for (size_t j = i + 1; j < end; j++) row[j] *= shrink;
        for (size_t j = i; j < end; j++) o[j] += l * right[j] * row[j];
    }
}

finf_status factorization_gram(const factorization *f, const finf_system_options *o, double *X)
{
    size_t n = f->n;
    double *work = malloc(5 * n * sizeof *work);
    if (!work) return FINF_ENOMEM;
    double *e = work;
    double *g = e + n;
    double *row = g + n;
    double *left = row + n;
    double *one = left + n;
    for (size_t i = 0; i < n; i++) {
        one[i] = 1;
        memset(X + i * n + i, 0, (n - i) * sizeof *X);
    }
    finf_status s = FINF_OK;
    for (size_t k = 0; k < f->nodes && !s; k++) {
        pivots(f, f->shift[k], e, g);
        for (size_t i = 0; i < n; i++) left[i] = f->weight[k] * f->scale;
        add_inverse(n, e, g, left, one, row, X);
        if (system_stopped(o)) s = FINF_ETOL;
    }
    free(work);
    return s;
}

finf_status factorization_covariance(const factorization *f, const finf_system_options *o,
                                     double *K)
{
    size_t n = f->n;
    double *work = calloc(5 * n, sizeof *work);
    if (!work) return FINF_ENOMEM;
    double *e = work;
    double *g = e + n;
    double *row = g + n;
    double *left = row + n;
    double *diag = left + n;
    for (size_t i = 0; i < n; i++) memset(K + i * n + i, 0, (n - i) * sizeof *K);
    finf_status s = FINF_OK;
    for (size_t k = 0; k < f->nodes && !s; k++) {
        double weight = f->weight[k] / f->scale;
        pivots(f, f->shift[k], e, g);
        for (size_t i = 0; i < n; i++) {
            left[i] = -weight * f->shift[k] * f->v[i];
            /* 1 - shift v_i G_ii = G_ii (e_{i-1}/(1+e_{i-1}) + g_i): without the subtraction */
            diag[i] += weight * f->v[i] * ((i ? e[i - 1] / (1 + e[i - 1]) : 0) + g[i]) /
                       (e[i] + g[i]);
        }
        add_inverse(n, e, g, left, f->v, row, K);
        if (system_stopped(o)) s = FINF_ETOL;
    }
    for (size_t i = 0; i < n; i++) K[i * n + i] = diag[i];
    free(work);
    return s;
}

/* ---- banded Toeplitz C ----------------------------------------------------------------------- */

/* What is minimised: log(sum_j c_j^2) + log(sum_t (n-t) a_t^2), a = 1/((1-z) C(z)), as a function
 * of c_1, .., c_{bands-1}, c_0 being 1. */
typedef struct {
    size_t n, bands;
    double *c; /* bands coefficients */
    double *a; /* n prefix sums of beta */
    double *y; /* n, the adjoint */
    const finf_system_options *o;
} band_problem;

#define POLL 4096 /* steps of a recursion between two questions whether to stop */

/* Its value and, unless grad is NULL, its gradient, by the adjoint: with C'y = ((n-t) a_t) the
 * second sum has d/dc_j = -2 sum_t y_{t+j} a_t. O(n bands). 1e300 stands for a step too far, where
 * C is far from minimum phase and a overflows, and ends the search when it is to stop. */
static double band_value(const gsl_vector *x, void *ctx, gsl_vector *grad)
{
    const band_problem *p = ctx;
    size_t n = p->n, b = p->bands;
    double *c = p->c, *a = p->a, *y = p->y, sens2 = 0, error = 0;
    c[0] = 1;
    for (size_t j = 1; j < b; j++) c[j] = gsl_vector_get(x, j - 1);
    for (size_t j = 0; j < b; j++) sens2 += c[j] * c[j];
    for (size_t t = 0; t < n; t++) {
        if (t % POLL == 0 && system_stopped(p->o)) return 1e300;
        double sum = 1;
        for (size_t j = 1; j < b && j <= t; j++) sum -= c[j] * a[t - j];
        a[t] = sum;
        error += (double)(n - t) * sum * sum;
    }
    if (grad) {
        for (size_t t = n; t-- > 0;) {
            if (t % POLL == 0 && system_stopped(p->o)) return 1e300;
            double sum = (double)(n - t) * a[t];
            for (size_t j = 1; j < b && t + j < n; j++) sum -= c[j] * y[t + j];
            y[t] = sum;
        }
        for (size_t j = 1; j < b; j++) {
            if (system_stopped(p->o)) return 1e300;
            double sum = 0;
            for (size_t t = 0; t + j < n; t++) sum += y[t + j] * a[t];
            gsl_vector_set(grad, j - 1, 2 * c[j] / sens2 - 2 * sum / error);
        }
    }
    double value = log(sens2) + log(error);
    return isfinite(value) ? value : 1e300;
}

/* The three forms in which GSL's minimiser asks for it. */
static double band_f(const gsl_vector *x, void *ctx) { return band_value(x, ctx, NULL); }
static void band_df(const gsl_vector *x, void *ctx, gsl_vector *grad) { band_value(x, ctx, grad); }
static void band_fdf(const gsl_vector *x, void *ctx, double *f, gsl_vector *grad)
{
    *f = band_value(x, ctx, grad);
}

finf_status factorization_banded(size_t n, size_t bands, const finf_system_options *o, double *c,
                                 int *iterations, finf_reason *why)
{
    *iterations = 0;
    if (bands == 1) return FINF_OK;
    size_t m = bands - 1;
    double *work = malloc((bands + 2 * n) * sizeof *work);
    gsl_vector *x = gsl_vector_alloc(m);
    gsl_multimin_fdfminimizer *min = gsl_multimin_fdfminimizer_alloc(
        gsl_multimin_fdfminimizer_vector_bfgs2, m);
    finf_status s = work && x && min ? FINF_OK
                                     : finf_why(why, FINF_ENOMEM, "no memory for %zu bands", bands);
    if (!s) {
        band_problem p = {n, bands, work, work + bands, work + bands + n, o};
        gsl_multimin_function_fdf f = {band_f, band_df, band_fdf, m, &p};
        for (size_t j = 0; j < m; j++) gsl_vector_set(x, j, c[j + 1]);
        double size = INFINITY, least = band_f(x, &p);
        gsl_multimin_fdfminimizer_set(min, &f, x, 0.01, 0.1);
        while (*iterations < STEPS_MAX && !system_stopped(o)) {
            int stop = gsl_multimin_fdfminimizer_iterate(min);
            ++*iterations;
            size = 0;
            for (size_t j = 0; j < m; j++)
                size = fmax(size, fabs(gsl_vector_get(min->gradient, j)));
            if (stop || size < 1e-10) break;
        }
        if (system_stopped(o))
            s = finf_why(why, FINF_ETOL, "stopped after %d iterations of the banded optimum",
                         *iterations);
        else if (!(size < 1e-5 && min->f <= least))
            s = finf_why(
                why, FINF_ETOL,
                "banded optimum of %zu steps, %zu bands: gradient %.2g after %d iterations", n,
                bands, size, *iterations);
        else
            for (size_t j = 0; j < m; j++) c[j + 1] = gsl_vector_get(min->x, j);
    }
    if (min) gsl_multimin_fdfminimizer_free(min);
    if (x) gsl_vector_free(x);
    free(work);
    return s;
}
