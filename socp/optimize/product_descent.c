/* The noise under causality, theory 7.7: the phase of B matters, so B(z) = prod_i (1 - (1-nu_i)
 * z)^{r_i} with fixed nu_i is descended in r; it is minimum phase whatever r. log(bound) has the
 * gradient of the envelope theorem.
 *
 * Newton's method in r, with the Hessian that lets the certificate follow r: a dozen unknowns cost
 * nothing beside one solve, what counts is the number of solves. A little of the metric is added,
 * more where it is not positive definite, the step would go too far, or the last one had to be
 * shortened: were the bound gamma^2 (1/2pi) int |B|^2 psi with psi fixed, the Hessian of its log at
 * the optimum would be 8 Cov(log|f_i|, log|f_j|) in the probability |B|^{-2}/gamma^2 on the circle.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense.h"
#include "optimize.h"

enum { MAX_HALVINGS = 12 };
static const double RIDGE = 1e-3;  /* of the metric, relative to its diagonal */
static const double LEAST = 1e-4;  /* damping: what is added of the metric */
static const double COARSE = 1e-4; /* tolerance where another descent ended lower */
/* with an optimizer the bound has creases, and powers end at SOCP_LARGEST: along these a descent
 * may go on for hundreds of rounds, and ends where so many gain less than this */
enum { SLOW_ROUNDS = 10 };
static const double SLOW = 5e-5;
static const double LOOSE = 1e-2; /* relative gap far from the end */
/* of a step in log|B|, root mean square: beyond, the quadratic model is no guide; with an
 * optimizer, whose bound has creases, a little sooner */
static const double REACH = 0.3, REACH_LOOP = 0.25;

struct socp_products {
    socp_moving *v;
    size_t n, J;
    double tol, damping;      /* of the solves, of the last step */
    double complex *f, *logB; /* J x n: log factors; J: at the nodes */
    /* n: 1 - nu_i; n; (n + 1) x taps: beta, and dbeta/dr */
    double *p, *state, *beta;
    double *r, *grad, *trial, *d, *y, *mean; /* n */
    double *metric, *H, *U, *scratch; /* n x n, the Cholesky factor last; what the Hessian needs */
    double *memory;
    char *fixed; /* n: 1 or -1 where a power ends at SOCP_LARGEST, or its negative */
};

/* log(1 - (1-nu_i) z) at the nodes of v is tabulated once. After a failure *out is still to be
 * freed. */
finf_status socp_products_make(socp_moving *v, const double *nu, size_t n, socp_products **out)
{
    socp_products *s = *out = calloc(1, sizeof *s);
    if (!s) return FINF_ENOMEM;
    s->v = v;
    s->n = n;
    s->J = v->grid.n;
    double **vec[] = {&s->r, &s->grad, &s->trial, &s->d, &s->y, &s->mean, &s->p, &s->state};
    size_t count = sizeof vec / sizeof *vec, scratch = socp_moving_scratch(v, n);
    s->f = malloc((s->J * (n + 1)) * sizeof *s->f);
    double *z = s->memory = calloc(count * n + 3 * n * n + scratch + (n + 1) * v->taps, sizeof *z);
    s->fixed = malloc(n);
    if (!s->f || !z || !s->fixed) return FINF_ENOMEM;
    s->logB = s->f + s->J * n;
    for (size_t i = 0; i < count; i++) {
        *vec[i] = z;
        z += n;
    }
    s->metric = z;
    s->H = z + n * n;
    s->U = z + 2 * n * n;
    s->scratch = z + 3 * n * n;
    s->beta = s->scratch + scratch;
    for (size_t i = 0; i < n; i++) s->p[i] = 1 - nu[i];
    for (size_t j = 0; j < s->J; j++)
        for (size_t i = 0; i < n; i++) s->f[j * n + i] = socp_log_factor(nu[i], v->grid.w[j]);
    return FINF_OK;
}

void socp_products_free(socp_products *s)
{
    if (!s) return;
    free(s->f);
    free(s->memory);
    free(s->fixed);
    free(s);
}

/* Coefficients y of B (source NULL, y_0 = 1), or of dB/dr_i = B log(1 - p z), p = p_i (source B's,
 * y_0 = 0): by z B' = -B sum_l r_l p_l z/(1 - p_l z), t y_t = -sum_l r_l sum_k p_l^k y_{t-k} -
 * sum_k p^k source_{t-k}. */
static void set_series(socp_products *s, const double *r, const double *source, double p, double *y)
{
    double from = 0;
    memset(s->state, 0, s->n * sizeof *s->state);
    for (size_t t = 0; t < s->v->taps; t++) {
        for (size_t l = 0; l < s->n && t > 0; l++) s->state[l] = s->p[l] * (s->state[l] + y[t - 1]);
        if (source && t > 0) from = p * (from + source[t - 1]);
        y[t] = t > 0 ? -(dense_dot(r, s->state, s->n) + from) / (double)t : !source;
    }
}

/* log(bound) at r; +inf where there is none */
static double evaluate(socp_products *s, const double *r)
{
    for (size_t j = 0; j < s->J; j++) {
        s->logB[j] = 0;
        for (size_t i = 0; i < s->n; i++) s->logB[j] += r[i] * s->f[j * s->n + i];
    }
    set_series(s, r, NULL, 0, s->beta);
    return socp_moving_solve(s->v, s->logB, s->beta, s->tol) == FINF_OK ? log(s->v->value)
                                                                        : INFINITY;
}

/* on the metric, as neighbouring factors are nearly dependent; and a factor with nu = 1 is 1
 * everywhere */
static void add_ridge(socp_products *s, double ridge)
{
    for (size_t i = 0; i < s->n; i++)
        s->metric[i * (s->n + 1)] = s->metric[i * (s->n + 1)] * (1 + ridge) + 1e-12;
}

/* metric: 8 Cov(log|f_i|, log|f_k|), with a ridge; y: 8 Cov(log|f_i|, log|B|) */
static void set_metric(socp_products *s, const double complex *logB, double ridge)
{
    size_t n = s->n;
    double total = 0, mean_t = 0, *mean = s->mean;
    memset(mean, 0, n * sizeof *mean);
    memset(s->metric, 0, n * n * sizeof *s->metric);
    memset(s->y, 0, n * sizeof *s->y);
    for (int pass = 0; pass < 2; pass++)
        for (size_t j = 0; j < s->J; j++) {
            double p = s->v->grid.q[j] * exp(-2 * creal(logB[j]));
            if (pass == 0) {
                total += p;
                mean_t += p * creal(logB[j]);
            }
            for (size_t i = 0; i < n && pass == 0; i++) mean[i] += p * creal(s->f[j * n + i]);
            for (size_t i = 0; i < n && pass == 1; i++) {
                double a = 8 * p / total * (creal(s->f[j * n + i]) - mean[i] / total);
                s->y[i] += a * (creal(logB[j]) - mean_t / total);
                for (size_t k = 0; k < n; k++)
                    s->metric[i * n + k] += a * (creal(s->f[j * n + k]) - mean[k] / total);
            }
        }
    add_ridge(s, ridge);
}

/* d <- (h H + m metric)^{-1} d; 0 if that is not positive definite. Where fixed (may be NULL), d is
 * to stay as it is, and the others are solved for with that. */
static int solve(socp_products *s, double h, double m, const char *fixed, double *d)
{
    size_t n = s->n, singular;
    for (size_t i = 0; i < n * n; i++) s->U[i] = h * s->H[i] + m * s->metric[i];
    for (size_t i = 0; i < n && fixed; i++) {
        if (!fixed[i]) continue;
        for (size_t k = 0; k < n; k++) {
            if (!fixed[k]) d[k] -= s->U[k * n + i] * d[i];
            s->U[k * n + i] = s->U[i * n + k] = k == i;
        }
    }
    if (dense_cholesky(s->U, n, (finf_cancel){NULL, NULL}, &singular) != FINF_OK) return 0;
    dense_cholesky_solve(s->U, n, d);
    return 1;
}

/* Gradient and Hessian of log(bound): V''/V - g g'. */
static void set_model(socp_products *s)
{
    size_t n = s->n;
    double V = s->v->value;
    double *dbeta = s->beta + s->v->taps;
    for (size_t i = 0; i < n; i++) set_series(s, s->r, s->beta, s->p[i], dbeta + i * s->v->taps);
    socp_moving_hessian(s->v, s->f, dbeta, n, s->grad, s->H, s->metric, s->scratch);
    for (size_t i = 0; i < n * n; i++) s->metric[i] *= 8;
    add_ridge(s, RIDGE);
    for (size_t i = 0; i < n; i++) s->grad[i] /= V;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            s->H[i * n + k] = s->H[i * n + k] / V - s->grad[i] * s->grad[k];
}

/* The length of d in log|B|, squared. */
static double length2(const socp_products *s, const double *d)
{
    double sum = 0;
    for (size_t i = 0; i < s->n; i++) sum += d[i] * dense_dot(s->metric + i * s->n, d, s->n) / 8;
    return sum;
}

/* The step d to the minimum of the model with so much of the metric added, over all r within
 * SOCP_LARGEST: a power that would go beyond ends there, and the others are solved for anew. */
static int model_step(socp_products *s, double damping)
{
    char *fixed = s->fixed;
    memset(fixed, 0, s->n);
    for (int more = 1; more;) {
        for (size_t i = 0; i < s->n; i++)
            s->d[i] = fixed[i] ? copysign(SOCP_LARGEST, fixed[i]) - s->r[i] : -s->grad[i];
        if (!solve(s, 1, damping, fixed, s->d)) return 0;
        more = 0;
        for (size_t i = 0; i < s->n; i++) {
            double to = s->r[i] + s->d[i];
            if (fixed[i] || !(fabs(to) > SOCP_LARGEST)) continue;
            fixed[i] = to > 0 ? 1 : -1;
            more = 1;
        }
    }
    return 1;
}

/* The step d, with `damping` of the metric added or as much more as it takes. Returns what it
 * promises: half its slope. */
static double newton_step(socp_products *s, double damping)
{
    double reach = s->v->mo.loop ? REACH_LOOP : REACH;
    for (s->damping = damping; s->damping < 1e8; s->damping *= 4) {
        if (!model_step(s, s->damping) || !(length2(s, s->d) < reach * reach)) continue;
        double promise = -dense_dot(s->d, s->grad, s->n) / 2;
        if (promise >= 0) return promise;
    }
    return 0;
}

/* Steps along d until the bound has decreased as the slope promises (Armijo): the parabola's
 * minimum, between a tenth and a half of the last try. Returns the step, 0 if there is none.
 * trusted: the full step, its bound as promised. */
static double search(socp_products *s, double value, double slope, int trusted, double *found)
{
    double t = 1;
    for (int k = 0; k < MAX_HALVINGS && !s->v->cancelled && !s->v->no_memory; k++) {
        double most = 0;
        for (size_t i = 0; i < s->n; i++) {
            s->trial[i] = s->r[i] + t * s->d[i];
            most = fmax(most, fabs(s->trial[i]));
        }
        s->v->limit = exp(value + 1e-4 * t * slope);
        *found = most > SOCP_LARGEST * (1 + 4 * FINF_EPS) ? INFINITY
                 : trusted                                ? value + slope / 2
                                                          : evaluate(s, s->trial);
        s->v->limit = 0;
        if (*found <= value + 1e-4 * t * slope) return t;
        double next = isfinite(*found) ? -slope * t * t / (2 * (*found - value - slope * t)) : 0;
        t = fmin(fmax(next, t / 10), t / 2);
    }
    return 0;
}

/* Does Newton's step, undamped, lead to d->known, place and bound, but for a quarter of the way? */
static int leads_there(socp_products *s, double value, const socp_descent *d)
{
    double promise = newton_step(s, LEAST);
    for (size_t i = 0; i < s->n; i++) s->trial[i] = s->r[i] + s->d[i] - d->known[i];
    return s->damping == LEAST && fabs(value - promise - log(d->best)) < promise / 4 &&
           length2(s, s->trial) < length2(s, s->d) / 16;
}

/* Does the model, along the line to d->known, have its minimum there, and that bound, but for a
 * quarter? With an optimizer the bound has creases, where multipliers take turns, and Newton's
 * steps must be shortened or damped where the way is clear. A descent may end on one, too: then
 * another is not held back. */
static int lies_there(socp_products *s, double value, const socp_descent *d)
{
    double above = value - log(d->best), curve = 0;
    if (!s->v->mo.loop || !d->known_settled || !(above > 0)) return 0;
    for (size_t i = 0; i < s->n; i++) s->trial[i] = d->known[i] - s->r[i];
    for (size_t i = 0; i < s->n; i++)
        curve += s->trial[i] * dense_dot(s->H + i * s->n, s->trial, s->n);
    double slope = dense_dot(s->grad, s->trial, s->n);
    return fabs(slope + 2 * above) < above / 2 && fabs(curve - 2 * above) < above / 2;
}

/* The last rounds of a descent that began at round `first` gained next to nothing. */
static int crawls(const socp_products *s, const socp_descent *d, size_t first)
{
    if (!s->v->mo.loop || d->rounds < first + SLOW_ROUNDS) return 0;
    return d->history[d->rounds - SLOW_ROUNDS] < d->history[d->rounds] * (1 + SLOW);
}

/* Until a full step, undamped, changes the bound by less than tol (above d->best: COARSE), or any
 * promises a quarter of that, or it crawls. Newton's steps square the promise: once it falls a
 * hundredfold, a small undamped one is taken on trust. s->r is where it ends. */
static finf_status descend(socp_products *s, double tol, int max_rounds, double lower,
                           socp_descent *d)
{
    double value = evaluate(s, s->r), gain = INFINITY, last = 0, t = 1;
    size_t first = d->rounds;
    d->settled = 0;
    if (!isfinite(value)) return FINF_ETOL;
    d->history[d->rounds] = exp(value);
    for (int trusted = 0; !trusted;) {
        double little = d->known && exp(value) > d->best ? fmax(tol, COARSE) : tol;
        double damping = t < 1 ? 4 * s->damping : LEAST, found;
        if ((t == 1 && gain < little && s->damping == LEAST) ||
            exp(value) <= lower * (1 + tol / 10))
            break;
        set_model(s);
        if (d->known && (leads_there(s, value, d) || lies_there(s, value, d))) {
            memcpy(s->r, d->known, s->n * sizeof *s->r);
            break;
        }
        double promise = newton_step(s, damping);
        d->settled = s->damping == LEAST;
        if (!(promise > little / 4) || crawls(s, d, first)) break;
        if (d->rounds == (size_t)max_rounds) return FINF_ETOL;
        trusted = s->damping == LEAST && promise < fmin(10 * tol, last / 100);
        /* solved only as well as the steps need */
        s->tol = fmin(fmax(promise * promise / 10, little), LOOSE);
        t = search(s, value, -2 * promise, trusted, &found);
        if (s->v->cancelled || s->v->no_memory) return FINF_ETOL;
        if (!(t > 0)) break; /* down to the solver's rounding */
        memcpy(s->r, s->trial, s->n * sizeof *s->r);
        gain = value - found;
        value = found;
        last = promise;
        d->history[++d->rounds] = exp(value);
    }
    return FINF_OK;
}

/* First with X alone, by least squares, which most often is all (theory 7.15); where that leaves
 * more than tol to gain, on with all multipliers from where it ended. */
finf_status socp_causal(socp_products *s, double *r, double tol, int max_rounds, double lower,
                        socp_descent *d)
{
    socp_moving *v = s->v;
    d->rounds = 0;
    d->history[0] = NAN;
    s->tol = LOOSE;
    memcpy(s->r, r, s->n * sizeof *r);
    v->least_squares_first = 1;
    finf_status st = descend(s, tol, max_rounds, lower, d);
    v->least_squares_first = 0;
    /* where the last solve was for X alone, and its gap is what other multipliers may gain */
    int pays = v->kkt.moved == 0 && v->gap > tol;
    if (st == FINF_OK && pays) {
        s->tol = tol;
        st = descend(s, tol, max_rounds, lower, d);
    }
    memcpy(r, s->r, s->n * sizeof *r);
    return v->no_memory ? FINF_ENOMEM : st;
}

/* Weighted least squares of log|B| on the log|f_i|, both without their means: the normal equations
 * have the metric as their matrix. The ridge grows until no r_i is too large; if that does not
 * come about, r = 0. */
void socp_causal_fit(socp_products *s, const double complex *logB, double largest, double *r)
{
    double most = INFINITY;
    for (double ridge = 1e-9; most > largest && ridge < 1; ridge *= 100) {
        set_metric(s, logB, ridge);
        memcpy(r, s->y, s->n * sizeof *r);
        if (!solve(s, 0, 1, NULL, r)) continue;
        most = 0;
        for (size_t i = 0; i < s->n; i++) most = fmax(most, fabs(r[i]));
    }
    if (most > largest) memset(r, 0, s->n * sizeof *r);
}
