/* Steps of the chains by the update rule of any linear optimizer. (theory 11.5)
 *
 * As in montecarlo_steps.c, but a step has two parts: the noisy gradients of all coordinates, which
 * take the place of the noise in its tile, and the update rule, which is the same for each of them.
 * The reported point is kept beside theta as a running average: ema, or the sum of the points of
 * the present window of last:K. */
#include <string.h>

#include "huber.h"
#include "montecarlo.h"

/* How a step counts: F of the reported point is added `weight` times, and the average is kept. */
typedef struct {
    double weight;
    double keep;
    double gain;
} counting;

/* Stationary windows of last:K end at every K-th step; that of T steps ends at T. */
static counting counting_at(const plan *p, size_t t)
{
    double K = (double)p->window;
    counting c = {.weight = 1, .keep = p->keep, .gain = p->gain};
    if (p->window == 1) return c;
    int ends = p->o.steps ? t + p->window == p->o.steps : (t + 1) % p->window == 0;
    c.keep = !ends;
    c.weight = ends ? 1 / (K * K) : 0;
    return c;
}

/* Linear regression: u = g + V theta + sigma z, g as in linreg_tile of montecarlo_steps.c, in place
 * of z. */
FINF_VECTOR static void linreg_gradient(const plan *p, const double *theta, const double *point,
                                        const double *restrict x, const double *restrict xi,
                                        double weight, double *restrict u, double *restrict F,
                                        double *restrict cut)
{
    size_t d = p->d;
    const double *restrict lambda = p->lambda, *restrict root = p->root;
    double sigma = p->sigma, sgd = p->o.privacy.sigma_sgd, clip = p->clip, decay = p->decay;
    double r[LANES], f[LANES] = {0}, norm2[LANES] = {0};
    for (size_t k = 0; k < LANES; k++) r[k] = sgd > 0 ? -sgd * xi[k] : 0;
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k < LANES; k++) {
            double e = point[j * LANES + k];
            r[k] += theta[j * LANES + k] * (root[j] * x[j * LANES + k]);
            f[k] += (lambda[j] + decay) * e * e;
        }
    if (clip < INFINITY) {
        for (size_t j = 0; j < d; j++)
            for (size_t k = 0; k < LANES; k++)
                norm2[k] += lambda[j] * x[j * LANES + k] * x[j * LANES + k];
        for (size_t k = 0; k < LANES; k++) {
            double norm = fabs(r[k]) * sqrt(norm2[k]);
            cut[k] += norm > clip;
            r[k] = norm > clip ? r[k] * (clip / norm) : r[k];
        }
    }
    for (size_t k = 0; k < LANES; k++) F[k] += 0.5 * weight * f[k];
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k < LANES; k++)
            u[j * LANES + k] = r[k] * (root[j] * x[j * LANES + k]) +
                               (decay * theta[j * LANES + k] + sigma * u[j * LANES + k]);
}

/* One dimension: Huber's function, or a quadratic. */
FINF_VECTOR static void scalar_gradient(const plan *p, const double *restrict theta,
                                        const double *restrict xi, double *restrict u,
                                        double *restrict cut)
{
    double sigma = p->sigma, sgd = p->o.privacy.sigma_sgd, clip = p->clip, decay = p->decay;
    double mu = p->mu, rest = p->L - p->mu, knee = p->knee;
    for (size_t k = 0; k < LANES; k++) {
        double e = theta[k], c = huber_held(-knee, knee, e);
        double g = huber_slope(mu, rest, e, c) + (sgd > 0 ? sgd * xi[k] : 0);
        if (clip < INFINITY) {
            double h = g < clip ? g : clip;
            h = h > -clip ? h : -clip;
            cut[k] += h != g;
            g = h;
        }
        u[k] = g + (decay * e + sigma * u[k]);
    }
}

/* The update rule (update_rule.h) for n coordinates, and the average of the points. */
FINF_VECTOR static void move(const update_rule *r, size_t n, const double *restrict u,
                             double *restrict theta, double *restrict s, double *restrict first,
                             double *restrict average, counting c)
{
    double eta = r->eta, b = r->first;
    if (r->order == 0)
        for (size_t i = 0; i < n; i++) theta[i] -= eta * (b * u[i]);
    else if (r->order == 1) {
        double rest = r->rest[0], c_1 = r->c[0];
        for (size_t i = 0; i < n; i++) {
            double y = s[i];
            theta[i] -= eta * (y + b * u[i]);
            s[i] = c_1 * u[i] - rest * y;
        }
    } else {
        memcpy(first, s, n * sizeof *first);
        for (size_t i = 0; i < n; i++) theta[i] -= eta * (first[i] + b * u[i]);
        for (size_t k = 0; k < r->order; k++)
            for (size_t i = 0; i < n; i++) {
                double next = k + 1 < r->order ? s[(k + 1) * n + i] : 0;
                s[k * n + i] = next - r->rest[k] * first[i] + r->c[k] * u[i];
            }
    }
    if (average)
        for (size_t i = 0; i < n; i++) average[i] = c.keep * average[i] + c.gain * theta[i];
}

void optimizer_start(worker *k)
{
    const plan *p = k->p;
    memset(k->buffers, 0, p->rule.order * p->width * sizeof *k->buffers);
    if (k->average) memcpy(k->average, k->theta, p->width * sizeof *k->average);
}

void optimizer_value(const worker *k, double points, double F[LANES])
{
    const plan *p = k->p;
    const double *point = k->average ? k->average : k->theta;
    memset(F, 0, LANES * sizeof *F);
    for (size_t j = 0; j < p->d; j++)
        for (size_t l = 0; l < LANES; l++) {
            double e = point[j * LANES + l] / points, c = huber_held(-p->knee, p->knee, e);
            F[l] += p->problem == FINF_SIMULATE_LINREG
                        ? 0.5 * (p->lambda[j] + p->decay) * e * e
                        : huber_value(p->mu, p->L - p->mu, e, c) + 0.5 * p->decay * e * e;
        }
}

void optimizer_tile(worker *k, size_t from, size_t steps, double *F, double *cut)
{
    const plan *p = k->p;
    size_t W = p->width;
    double *point = k->average ? k->average : k->theta, now[LANES];
    for (size_t t = 0; t < steps; t++) {
        counting c = counting_at(p, from + t);
        double *u = k->w + t * W, *xi = k->xi + t * LANES;
        if (p->problem == FINF_SIMULATE_LINREG)
            linreg_gradient(p, k->theta, point, k->x + t * W, xi, c.weight, u, F, cut);
        else {
            if (c.weight > 0) optimizer_value(k, (double)p->window, now);
            for (size_t l = 0; l < LANES && c.weight > 0; l++) F[l] += now[l];
            scalar_gradient(p, k->theta, xi, u, cut);
        }
        move(&p->rule, W, u, k->theta, k->buffers, k->first, k->average, c);
    }
}
