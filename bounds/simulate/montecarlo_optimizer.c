/* Steps of the chains by the update rule of any linear optimizer. (theory 11.5)
 *
 * As in montecarlo_steps.c, but a step of linear regression has two parts: the noisy gradients of
 * all coordinates, which take the place of the noise in its tile, and the update rule.
 * The reported point is kept beside theta as a running average: ema, or the sum of the points of
 * the present window of last:K. */
#include <stdint.h>
#include <string.h>

#include "huber.h"
#include "montecarlo.h"

/* How a step counts: F of the reported point is added `weight` times, and the average is kept. */
typedef struct {
    double weight;
    double keep;
    double gain;
} counting;

/* The first step from t on after which a window of last:K ends: stationary ones end at every K-th,
 * that of T steps ends at T and begins after step T - K. */
static size_t window_end(const plan *p, size_t t)
{
    if (p->window == 1) return t;
    if (!p->o.steps) return t + (p->window - 1 - t % p->window);
    return p->window <= p->o.steps && t <= p->o.steps - p->window ? p->o.steps - p->window
                                                                  : SIZE_MAX;
}

static inline counting counting_at(const plan *p, size_t t, size_t end)
{
    double K = (double)p->window;
    if (p->window == 1) return (counting){.weight = 1, .keep = p->keep, .gain = p->gain};
    return (counting){.weight = t == end ? 1 / (K * K) : 0, .keep = t != end, .gain = 1};
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
        for (size_t k = 0; k < LANES; k++)
            r[k] += theta[j * LANES + k] * (root[j] * x[j * LANES + k]);
    for (size_t j = 0; j < d && weight > 0; j++)
        for (size_t k = 0; k < LANES; k++) {
            double e = point[j * LANES + k];
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
    memcpy(k->first, k->theta, p->width * sizeof *k->first);
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

/* One dimension, all steps: Huber's function, or a quadratic. `order` is a constant for the usual
 * rules; without an average `point` is a copy of theta. */
static inline __attribute__((always_inline)) void
scalar_steps(const plan *p, size_t order, size_t from, size_t steps, double *restrict theta,
             double *restrict s, double *restrict point, const double *restrict z,
             const double *restrict xi, double *restrict F, double *restrict cut)
{
    const update_rule *rule = &p->rule;
    double sigma = p->sigma, sgd = p->o.privacy.sigma_sgd, clip = p->clip, decay = p->decay;
    double mu = p->mu, rest = p->L - p->mu, knee = p->knee, share = 1 / (double)p->window;
    double eta = rule->eta, b = rule->first;
    size_t end = window_end(p, from);
    for (size_t t = 0; t < steps; t++, z += LANES, xi += LANES) {
        counting now = counting_at(p, from + t, end);
        double u[LANES], first[LANES];
        for (size_t k = 0; k < LANES && now.weight > 0; k++) {
            double e = share * point[k], c = huber_held(-knee, knee, e);
            F[k] += huber_value(mu, rest, e, c) + 0.5 * decay * e * e;
        }
        for (size_t k = 0; k < LANES; k++) {
            double e = theta[k], c = huber_held(-knee, knee, e);
            double g = huber_slope(mu, rest, e, c);
            g += sgd > 0 ? sgd * xi[k] : 0;
            if (clip < INFINITY) {
                double h = g < clip ? g : clip;
                h = h > -clip ? h : -clip;
                cut[k] += h != g;
                g = h;
            }
            u[k] = g + (decay * e + sigma * z[k]);
            first[k] = order ? s[k] : 0;
            theta[k] = e - eta * (first[k] + b * u[k]);
        }
        for (size_t i = 0; i < order; i++)
            for (size_t k = 0; k < LANES; k++)
                s[i * LANES + k] = ((i + 1 < order ? s[(i + 1) * LANES + k] : 0) -
                                    rule->rest[i] * first[k]) +
                                   rule->c[i] * u[k];
        for (size_t k = 0; k < LANES; k++) point[k] = now.keep * point[k] + now.gain * theta[k];
        if (p->window > 1 && from + t == end) end = window_end(p, from + t + 1);
    }
}

/* The same for momentum without an average, one buffer y: without a branch, so that whole vectors
 * of chains take a step at once. xi: any finite numbers where there is no gradient noise. */
FINF_VECTOR static void momentum_tile(const plan *p, size_t steps, double *restrict theta,
                                      double *restrict s, const double *restrict z,
                                      const double *xi, double *restrict F, double *restrict cut)
{
    double sigma = p->sigma, sgd = p->o.privacy.sigma_sgd, clip = p->clip, decay = p->decay;
    double mu = p->mu, rest = p->L - p->mu, knee = p->knee, half = 0.5 * decay;
    double eta = p->rule.eta, b = p->rule.first, lost = p->rule.rest[0], c_1 = p->rule.c[0];
    for (size_t t = 0; t < steps; t++, z += LANES, xi += LANES)
        for (size_t k = 0; k < LANES; k++) {
            double e = theta[k], c = huber_held(-knee, knee, e), y = s[k];
            F[k] += huber_value(mu, rest, e, c) + half * e * e;
            double g = huber_slope(mu, rest, e, c) + sgd * xi[k], h = huber_held(-clip, clip, g);
            cut[k] += h != g ? 1 : 0;
            double u = h + (decay * e + sigma * z[k]);
            theta[k] = e - eta * (y + b * u);
            s[k] = c_1 * u - lost * y;
        }
}

FINF_VECTOR static void scalar_tile(worker *k, size_t from, size_t steps, double *F, double *cut)
{
    const plan *p = k->p;
    double *point = k->average ? k->average : k->first;
    if (p->rule.order == 1)
        scalar_steps(p, 1, from, steps, k->theta, k->buffers, point, k->w, k->xi, F, cut);
    else
        scalar_steps(p, p->rule.order, from, steps, k->theta, k->buffers, point, k->w, k->xi, F,
                     cut);
}

void optimizer_tile(worker *k, size_t from, size_t steps, double *F, double *cut)
{
    const plan *p = k->p;
    size_t W = p->width, end = window_end(p, from);
    double *point = k->average ? k->average : k->theta;
    int scalar = p->problem != FINF_SIMULATE_LINREG;
    if (scalar && p->rule.order == 1 && !k->average)
        momentum_tile(p, steps, k->theta, k->buffers, k->w,
                      p->o.privacy.sigma_sgd > 0 ? k->xi : k->w, F, cut);
    else if (scalar)
        scalar_tile(k, from, steps, F, cut);
    if (scalar) return;
    for (size_t t = 0; t < steps; t++) {
        counting now = counting_at(p, from + t, end);
        double *u = k->w + t * W;
        linreg_gradient(p, k->theta, point, k->x + t * W, k->xi + t * LANES, now.weight, u, F, cut);
        move(&p->rule, W, u, k->theta, k->buffers, k->first, k->average, now);
        if (p->window > 1 && from + t == end) end = window_end(p, from + t + 1);
    }
}
