/* The noise under causality, MATH 7.7: the phase of B matters, so B(z) = prod_i (1 - (1-nu_i) z)^{r_i} with fixed nu_i is
 * descended in r; it is minimum phase whatever r. log(bound) has the gradient of the envelope theorem.
 *
 * Quasi-Newton: with a dozen unknowns a dense BFGS matrix costs nothing beside one solve, and L-BFGS would save nothing;
 * what counts is the number of solves, hence the matrix it starts with. Were the bound gamma^2 (1/2pi) int |B|^2 psi with
 * psi fixed, the Hessian at the optimum would be 8 Cov(log|f_i|, log|f_j|) in the probability |B|^{-2}/gamma^2 on the
 * circle. That is the start; it also takes out the near dependence of neighbouring factors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optimize.h"

enum { MAX_HALVINGS = 12 };

typedef struct {
    socp_moving *v;
    size_t n, J;
    double tol;
    double complex *f, *logB, *g;                       /* J x n: log factors; J: at the nodes */
    double *r, *grad, *trial, *trial_grad, *d, *y, *Hd; /* n */
    double *H, *U;                                      /* n x n: BFGS matrix, its Cholesky factor */
    double *memory;
} descent;

static finf_status allocate(descent *s, socp_moving *v, const double *nu, size_t n)
{
    *s = (descent){.v = v, .n = n, .J = v->grid.n};
    double **vec[] = {&s->r, &s->grad, &s->trial, &s->trial_grad, &s->d, &s->y, &s->Hd};
    size_t count = sizeof vec / sizeof *vec;
    s->f = malloc((s->J * (n + 2)) * sizeof *s->f);
    double *z = s->memory = calloc(count * n + 2 * n * n, sizeof *z);
    if (!s->f || !z) return FINF_ENOMEM;
    s->logB = s->f + s->J * n, s->g = s->logB + s->J;
    for (size_t i = 0; i < count; i++) *vec[i] = z, z += n;
    s->H = z, s->U = z + n * n;
    for (size_t j = 0; j < s->J; j++)
        for (size_t i = 0; i < n; i++) s->f[j * n + i] = socp_log_factor(nu[i], v->grid.w[j]);
    return FINF_OK;
}

static void release(descent *s)
{
    free(s->f);
    free(s->memory);
}

/* log(bound) and its gradient at r; +inf where there is none */
static double evaluate(descent *s, const double *r, double *grad)
{
    for (size_t j = 0; j < s->J; j++) {
        s->logB[j] = 0;
        for (size_t i = 0; i < s->n; i++) s->logB[j] += r[i] * s->f[j * s->n + i];
    }
    if (socp_moving_solve(s->v, s->logB, s->tol) != FINF_OK) return INFINITY;
    socp_moving_gradient(s->v, s->g);
    for (size_t i = 0; i < s->n; i++) {
        grad[i] = 0;
        for (size_t j = 0; j < s->J; j++) grad[i] += creal(conj(s->g[j]) * s->f[j * s->n + i]);
        grad[i] /= s->v->value;
    }
    return log(s->v->value);
}

/* 8 Cov(log|f_i|, log|f_k|), a little more on the diagonal; y: 8 Cov(log|f_i|, target) */
static void covariance(descent *s, const double complex *weight, const double complex *target)
{
    size_t n = s->n;
    double total = 0, mean_t = 0, *mean = s->Hd;
    memset(mean, 0, n * sizeof *mean);
    memset(s->H, 0, n * n * sizeof *s->H);
    memset(s->y, 0, n * sizeof *s->y);
    for (size_t j = 0; j < s->J; j++) {
        double p = creal(weight[j]);
        total += p, mean_t += p * creal(target[j]);
        for (size_t i = 0; i < n; i++) mean[i] += p * creal(s->f[j * n + i]);
    }
    for (size_t j = 0; j < s->J; j++)
        for (size_t i = 0; i < n; i++) {
            double a = 8 * creal(weight[j]) / total * (creal(s->f[j * n + i]) - mean[i] / total);
            s->y[i] += a * (creal(target[j]) - mean_t / total);
            for (size_t k = 0; k < n; k++) s->H[i * n + k] += a * (creal(s->f[j * n + k]) - mean[k] / total);
        }
    for (size_t i = 0; i < n; i++) s->H[i * n + i] = s->H[i * n + i] * (1 + 1e-6) + 1e-12;
}

/* d <- H^{-1} d; 0 if H is not positive definite */
static int solve(descent *s, double *d)
{
    size_t n = s->n;
    double *U = s->U;
    for (size_t i = 0; i < n; i++)
        for (size_t k = i; k < n; k++) {
            double sum = s->H[i * n + k];
            for (size_t l = 0; l < i; l++) sum -= U[l * n + i] * U[l * n + k];
            if (k == i && !(sum > 0)) return 0;
            U[i * n + k] = k == i ? sqrt(sum) : sum / U[i * n + i];
        }
    for (size_t i = 0; i < n; i++) {
        for (size_t l = 0; l < i; l++) d[i] -= U[l * n + i] * d[l];
        d[i] /= U[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) d[i] -= U[i * n + k] * d[k];
        d[i] /= U[i * n + i];
    }
    return 1;
}

/* BFGS for the step t d, damped (Powell) so that H stays positive definite. The first pair also rescales the start. */
static void update(descent *s, double t, int first)
{
    size_t n = s->n;
    double sy = 0, sHs = 0;
    for (size_t i = 0; i < n; i++) s->d[i] *= t, s->y[i] = s->trial_grad[i] - s->grad[i];
    for (size_t i = 0; i < n; i++) s->Hd[i] = socp_dot(s->H + i * n, s->d, n);
    sy = socp_dot(s->y, s->d, n), sHs = socp_dot(s->Hd, s->d, n);
    if (!(sHs > 0)) return;
    if (first) {
        double scale = fmin(fmax(sy / sHs, 0.5), 10);
        for (size_t i = 0; i < n * n; i++) s->H[i] *= scale;
        for (size_t i = 0; i < n; i++) s->Hd[i] *= scale;
        sHs *= scale;
    }
    double keep = sy < 0.2 * sHs ? 0.8 * sHs / (sHs - sy) : 1;
    for (size_t i = 0; i < n; i++) s->y[i] = keep * s->y[i] + (1 - keep) * s->Hd[i];
    sy = keep * sy + (1 - keep) * sHs;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) s->H[i * n + k] += s->y[i] * s->y[k] / sy - s->Hd[i] * s->Hd[k] / sHs;
}

/* Steps along d until the bound has decreased as the slope promises (Armijo): the parabola's minimum, between a tenth and a
 * half of the last try. Returns the step, 0 if there is none. */
static double search(descent *s, double value, double slope, double *found)
{
    double t = 1;
    for (int k = 0; k < MAX_HALVINGS && !s->v->cancelled; k++) {
        double most = 0;
        for (size_t i = 0; i < s->n; i++) {
            s->trial[i] = s->r[i] + t * s->d[i];
            most = fmax(most, fabs(s->trial[i]));
        }
        *found = most <= 20 ? evaluate(s, s->trial, s->trial_grad) : INFINITY; /* finf_noise_product's domain */
        if (*found <= value + 1e-4 * t * slope) return t;
        double next = isfinite(*found) ? -slope * t * t / (2 * (*found - value - slope * t)) : 0;
        t = fmin(fmax(next, t / 10), t / 2);
    }
    return 0;
}

/* |B|^{-2} on the circle, as covariance() wants it; s->g is free then */
static void set_metric(descent *s, const double complex *logB)
{
    for (size_t j = 0; j < s->J; j++) s->g[j] = s->v->grid.q[j] * exp(-2 * creal(logB[j]));
    covariance(s, s->g, logB);
}

/* Until a full step changes the bound by less than tol, or promises a tenth of it. s->r is where it ends. */
static finf_status descend(descent *s, double tol, int max_rounds, double lower, socp_descent *d)
{
    double value = evaluate(s, s->r, s->grad), found = value, gain = INFINITY, t = 0;
    d->history[0] = isfinite(value) ? exp(value) : NAN;
    if (!isfinite(value)) return FINF_ETOL;
    set_metric(s, s->logB);
    while (exp(value) > lower * (1 + tol / 10) && !(t == 1 && gain < tol)) {
        for (size_t i = 0; i < s->n; i++) s->d[i] = -s->grad[i];
        if (!solve(s, s->d)) break;
        double slope = socp_dot(s->d, s->grad, s->n);
        if (!(slope < -tol / 10)) break;
        if (d->rounds == (size_t)max_rounds) return FINF_ETOL;
        t = search(s, value, slope, &found);
        if (s->v->cancelled) return FINF_ETOL;
        if (!(t > 0)) break; /* down to the solver's rounding */
        update(s, t, d->rounds == 0);
        memcpy(s->r, s->trial, s->n * sizeof *s->r);
        memcpy(s->grad, s->trial_grad, s->n * sizeof *s->grad);
        gain = value - found, value = found;
        s->tol = fmax(fmin(s->tol, gain / 100), tol / 10); /* solved only as well as the steps need */
        d->history[++d->rounds] = exp(value);
    }
    return FINF_OK;
}

finf_status socp_causal(socp_moving *v, const double *nu, double *r, size_t n, double tol, int max_rounds, double lower,
                        socp_descent *d)
{
    descent s;
    finf_status st = allocate(&s, v, nu, n);
    d->rounds = 0, d->history[0] = NAN;
    if (st == FINF_OK) {
        s.tol = fmax(tol / 10, 1e-4);
        memcpy(s.r, r, n * sizeof *r);
        st = descend(&s, tol, max_rounds, lower, d);
        memcpy(r, s.r, n * sizeof *r);
    }
    release(&s);
    return st;
}

finf_status socp_causal_fit(socp_moving *v, const double *nu, size_t n, const double complex *logB, double *r)
{
    descent s;
    finf_status st = allocate(&s, v, nu, n);
    if (st == FINF_OK) {
        set_metric(&s, logB);
        memcpy(r, s.y, n * sizeof *r);
        if (!solve(&s, r)) memset(r, 0, n * sizeof *r);
    }
    release(&s);
    return st;
}
