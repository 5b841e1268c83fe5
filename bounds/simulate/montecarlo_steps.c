/* A batch of chains: LANES of them side by side, so that a vector operation is a step of each, from
 * start to end. The recursion is that of theory 0.1, for the losses of theory 4, 5 and 6.6. */
#include <string.h>

#include "huber.h"
#include "montecarlo.h"

/* Linear regression. theta is theta - theta*, so the sampled gradient is g = (<theta,x> - sigma_sgd
 * xi) x with x_j = sqrt(lambda_j) times a normal. It is cut to the norm `clip`, and theta moves by
 * -eta (g + sigma z). F before the step, and whether g was cut, are added to a lane for each chain.
 */
FINF_VECTOR static void linreg_tile(const plan *p, size_t steps, double *restrict theta,
                                    const double *restrict z, const double *restrict x,
                                    const double *restrict xi, double *restrict F,
                                    double *restrict cut)
{
    size_t d = p->d;
    const double *restrict lambda = p->lambda, *restrict root = p->root;
    double eta = p->eta, noise = p->eta * p->sigma, sgd = p->o.privacy.sigma_sgd, clip = p->clip;
    int clipping = clip < INFINITY;
    for (size_t t = 0; t < steps; t++, z += d * LANES, x += d * LANES, xi += LANES) {
        double r[LANES], f[LANES], norm2[LANES];
        for (size_t k = 0; k < LANES; k++) {
            r[k] = sgd > 0 ? -sgd * xi[k] : 0;
            f[k] = norm2[k] = 0;
        }
        for (size_t j = 0; j < d; j++)
            for (size_t k = 0; k < LANES; k++) {
                double e = theta[j * LANES + k];
                r[k] += e * (root[j] * x[j * LANES + k]);
                f[k] += lambda[j] * e * e;
            }
        if (clipping) {
            for (size_t j = 0; j < d; j++)
                for (size_t k = 0; k < LANES; k++)
                    norm2[k] += lambda[j] * x[j * LANES + k] * x[j * LANES + k];
            for (size_t k = 0; k < LANES; k++) {
                double norm = fabs(r[k]) * sqrt(norm2[k]);
                cut[k] += norm > clip;
                r[k] = norm > clip ? r[k] * (clip / norm) : r[k];
            }
        }
        for (size_t k = 0; k < LANES; k++) {
            F[k] += 0.5 * f[k];
            r[k] *= eta;
        }
        for (size_t j = 0; j < d; j++)
            for (size_t k = 0; k < LANES; k++)
                theta[j * LANES + k] -= r[k] * (root[j] * x[j * LANES + k]) +
                                        noise * z[j * LANES + k];
    }
}

/* One dimension, e = theta - theta*: Huber's function (huber.h), a quadratic if mu = L, and for
 * L = 1 mean estimation. Otherwise as above. */
FINF_VECTOR static void scalar_tile(const plan *p, size_t steps, double *restrict theta,
                                    const double *restrict z, const double *restrict xi,
                                    double *restrict F, double *restrict cut)
{
    double eta = p->eta;
    double sigma = p->sigma;
    double sgd = p->o.privacy.sigma_sgd;
    double clip = p->clip;
    double mu = p->mu;
    double rest = p->L - p->mu;
    double knee = p->knee;
    int clipping = clip < INFINITY;
    for (size_t t = 0; t < steps; t++, z += LANES, xi += LANES)
        for (size_t k = 0; k < LANES; k++) {
            double e = theta[k], c = huber_held(-knee, knee, e);
            F[k] += huber_value(mu, rest, e, c);
            double g = huber_slope(mu, rest, e, c) + (sgd > 0 ? sgd * xi[k] : 0);
            if (clipping) {
                double h = g < clip ? g : clip;
                h = h > -clip ? h : -clip;
                cut[k] += h != g;
                g = h;
            }
            theta[k] = e - eta * (g + sigma * z[k]);
        }
}

/* `steps` steps of all chains, with their noise and their inputs. */
static void steps_tile(worker *k, size_t from, size_t steps, double *F, double *cut)
{
    const plan *p = k->p;
    noise_tile(k, from, steps);
    if (p->problem == FINF_SIMULATE_LINREG) normal_source_draw(k->normals, steps * p->width, k->x);
    if (p->o.privacy.sigma_sgd > 0) normal_source_draw(k->normals, steps * LANES, k->xi);
    if (p->optimizer)
        optimizer_tile(k, from, steps, F, cut);
    else if (p->problem == FINF_SIMULATE_LINREG)
        linreg_tile(p, steps, k->theta, k->w, k->x, k->xi, F, cut);
    else
        scalar_tile(p, steps, k->theta, k->w, k->xi, F, cut);
}

/* F of each chain as it stands, after T steps. */
static void value(const worker *w, double F[LANES])
{
    const plan *p = w->p;
    const double *theta = w->theta;
    if (p->optimizer) {
        optimizer_value(w, (double)p->window, F);
        return;
    }
    for (size_t k = 0; k < LANES; k++) {
        double e = theta[k], c = huber_held(-p->knee, p->knee, e);
        F[k] = 0;
        if (p->problem == FINF_SIMULATE_LINREG)
            for (size_t j = 0; j < p->d; j++)
                F[k] += 0.5 * p->lambda[j] * theta[j * LANES + k] * theta[j * LANES + k];
        else
            F[k] = huber_value(p->mu, p->L - p->mu, e, c);
    }
}

/* How often F was added to in the steps from `from` to t-1. */
static double windows(const plan *p, size_t from, size_t t)
{
    return t <= from ? 0 : (double)(t / p->window) - (double)(from / p->window);
}

finf_status batch_run(worker *w, unsigned long long batch, tally *out, batch_state *done,
                      void (*tell)(void *, size_t), void *told)
{
    const plan *p = w->p;
    double none[LANES], half[2][LANES] = {{0}}, cut[LANES] = {0};
    size_t middle = p->burn + (p->length - p->burn) / 2, t = 0;
    *done = BATCH_NONE;
    normal_source_seek(w->normals, batch);
    for (size_t e = 0; e < p->width; e++) w->theta[e] = p->start[e / LANES];
    if (p->optimizer) optimizer_start(w);
    finf_status s = noise_start(w, batch);
    if (s) return s;
    while (t < p->length) {
        size_t stop = t < p->burn  ? p->burn
                      : t < middle ? middle
                                   : p->length,
               steps = stop - t < p->tile ? stop - t : p->tile;
        if (plan_cancelled(p)) break;
        if (t < p->burn) memset(none, 0, sizeof none);
        steps_tile(w, t, steps, t < p->burn ? none : half[t >= middle], t < p->burn ? none : cut);
        t += steps;
        tell(told, steps);
    }
    if (p->o.steps ? t < p->length : windows(p, p->burn, t) == 0) return FINF_OK;
    double F[LANES];
    double counted = (double)(t - p->burn);
    double first = windows(p, p->burn, middle);
    double second = windows(p, middle, t);
    if (p->o.steps) value(w, F);
    *out = (tally){.chains = LANES};
    for (size_t k = 0; k < LANES; k++) {
        double drift = p->o.steps || t < p->length ? 0 : half[1][k] / second - half[0][k] / first;
        if (!p->o.steps) F[k] = (half[0][k] + half[1][k]) / windows(p, p->burn, t);
        double n = (double)k + 1, a = F[k] - out->mean, b = drift - out->drift;
        out->mean += a / n;
        out->m2 += a * (F[k] - out->mean);
        out->drift += b / n;
        out->drift2 += b * (drift - out->drift);
        out->clipped += cut[k] / (counted * LANES);
    }
    *done = t >= middle ? BATCH_WHOLE : BATCH_PART;
    return FINF_OK;
}

void tally_add(tally *a, const tally *b)
{
    double n = a->chains + b->chains;
    double f = b->chains / n;
    double g = a->chains * f;
    double x = b->mean - a->mean;
    double y = b->drift - a->drift;
    a->m2 += b->m2 + x * x * g;
    a->drift2 += b->drift2 + y * y * g;
    a->mean += x * f;
    a->drift += y * f;
    a->clipped += (b->clipped - a->clipped) * f;
    a->chains = n;
}
