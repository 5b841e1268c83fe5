/* The noise of the chains. (theory 6.6)
 *
 *   power family  sgd, nu, power, antipgd and cc by a recursion of 20 to 40 poles, started in its
 *                 stationary law, or at rest for T steps: nothing is stored
 *   all others    by FFT, a block as long as a chain: cyclic in the stationary case (stream.h),
 *                 padded with zeros for T steps, which is beta * w exactly */
#include <stdlib.h>
#include <string.h>

#include "montecarlo.h"

/* ---- the recursion's stationary law ---------------------------------------------------------- */

/* The states S_i = sum_t d_i^t w_{-1-t} have the covariance 1/(1 - d_i d_k), too near singular to
 * be factored by elimination. Its Cholesky factor has the entries phi_k(d_i), k <= i, of the
 * functions phi_k(z) = sqrt(1-d_k^2)/(1-d_k z) prod_{j<k} (z-d_j)/(1-d_j z) (Takenaka and
 * Malmquist), which are products, each good to rounding. d = 1 - leak. */
static void stationary_factor(const noise_poles *f, double *factor)
{
    const double *m = f->leak;
    for (size_t i = 0; i < f->n; i++) {
        double product = 1;
        for (size_t k = 0; k < f->n; k++) {
            double cross = m[i] + m[k] - m[i] * m[k]; /* 1 - d_i d_k */
            factor[i * f->n + k] = k <= i ? sqrt(m[k] * (2 - m[k])) / cross * product : 0;
            product *= (m[k] - m[i]) / cross;
        }
    }
}

/* ---- how it is made -------------------------------------------------------------------------- */

finf_status noise_set_source(plan *p, double slow, finf_reason *why)
{
    if (p->noise->family->poles) {
        p->noise->family->poles(p->noise, 0.01 * slow, &p->filter);
        p->source = p->filter.n == 0 ? SOURCE_WHITE : SOURCE_RATIONAL;
        if (p->source == SOURCE_WHITE || p->o.steps) return FINF_OK;
        p->factor = malloc(p->filter.n * p->filter.n * sizeof *p->factor);
        if (!p->factor) return finf_why(why, FINF_ENOMEM, "no memory");
        stationary_factor(&p->filter, p->factor);
        return FINF_OK;
    }
    p->source = SOURCE_BLOCK;
    return FINF_OK;
}

finf_status noise_set_response(plan *p, finf_reason *why)
{
    if (p->source != SOURCE_BLOCK || !p->o.steps) return FINF_OK;
    double *beta = malloc(p->o.steps * sizeof *beta);
    free(p->response);
    p->response = malloc((p->block + 1) * sizeof *p->response);
    finf_status s = beta && p->response ? FINF_OK : finf_why(why, FINF_ENOMEM, "no memory");
    if (!s) s = finf_noise_beta(p->noise, p->o.steps, beta, why);
    if (!s) s = series_transform(beta, p->o.steps, 2 * p->block, p->response);
    free(beta);
    return s;
}

/* ---- the room of a thread -------------------------------------------------------------------- */

void worker_free(worker *k)
{
    normal_source_free(k->normals);
    noise_stream_free(&k->stream);
    free(k->theta);
    free(k->z);
    free(k->pad);
    free(k->spectrum);
}

finf_status worker_make(const plan *p, worker *k)
{
    size_t W = p->width, tile = W * p->tile, lanes = LANES * p->tile, states = W * p->filter.n;
    size_t own = p->optimizer ? W * (p->rule.order + 2) : 0;
    *k = (worker){.p = p, .normals = normal_source_make(p->o.seed)};
    k->theta = malloc((W + 2 * tile + lanes + states + own) * sizeof(double));
    if (!k->normals || !k->theta) return FINF_ENOMEM;
    k->w = k->theta + W;
    k->x = k->w + tile;
    k->xi = k->x + tile;
    k->state = k->xi + lanes;
    if (p->optimizer) {
        k->first = k->state + states;
        k->average = p->optimizer->average == AVERAGE_NONE ? NULL : k->first + W;
        k->buffers = k->first + 2 * W;
    }
    if (p->source != SOURCE_BLOCK) return FINF_OK;
    k->z = malloc(W * p->block * sizeof *k->z);
    if (!k->z) return FINF_ENOMEM;
    if (!p->o.steps)
        return noise_stream_make(p->noise, p->block, p->o.seed ^ 0x5851f42d4c957f2du, &k->stream);
    k->pad = malloc(2 * p->block * sizeof *k->pad);
    k->spectrum = malloc((p->block + 1) * sizeof *k->spectrum);
    return k->pad && k->spectrum ? FINF_OK : FINF_ENOMEM;
}

/* ---- the noise of a batch -------------------------------------------------------------------- */

/* One coordinate of LANES chains through the filter, step by step: w <- w + sum_i gain_i S_i, and
 * S_i <- (1-leak_i) S_i + (the old w). Two poles at a time go along the tile with their states in
 * registers; it is written with vectors of four because a compiler left alone keeps the states in
 * memory. Steps of w are `stride` apart. */
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

FINF_VECTOR static void filter_tile(const noise_poles *f, size_t steps, size_t stride,
                                    double *restrict S, double *restrict w)
{
    double in[TILE_MOST * LANES], out[TILE_MOST * LANES];
    for (size_t t = 0; t < steps; t++) memcpy(in + t * LANES, w + t * stride, LANES * sizeof *w);
    memcpy(out, in, steps * LANES * sizeof *out);
    for (size_t i = 0; i < f->n; i += 2, S += 2 * LANES) {
        double g = f->gain[i], h = f->gain[i + 1], d = 1 - f->leak[i], e = 1 - f->leak[i + 1];
        four *x = (four *)S, *y = (four *)out, a = x[0], b = x[1], p = x[2], q = x[3];
        const four *u = (const four *)in;
        for (size_t t = 0; t < steps; t++, u += 2, y += 2) {
            y[0] += g * a + h * p;
            y[1] += g * b + h * q;
            a = d * a + u[0];
            b = d * b + u[1];
            p = e * p + u[0];
            q = e * q + u[1];
        }
        x[0] = a;
        x[1] = b;
        x[2] = p;
        x[3] = q;
    }
    for (size_t t = 0; t < steps; t++) memcpy(w + t * stride, out + t * LANES, LANES * sizeof *w);
}

/* Draws the filter's states from their stationary law: (lower triangular factor) times normals, in
 * place from the last row up. */
static void start_stationary(worker *k)
{
    const plan *p = k->p;
    size_t P = p->filter.n;
    for (size_t j = 0; j < p->d; j++) {
        double *S = k->state + j * P * LANES;
        normal_source_draw(k->normals, P * LANES, S);
        for (size_t i = P; i-- > 0;)
            for (size_t l = 0; l < LANES; l++) {
                double sum = 0;
                for (size_t c = 0; c <= i; c++) sum += p->factor[i * P + c] * S[c * LANES + l];
                S[i * LANES + l] = sum;
            }
    }
}

/* z_t = sum_{s<=t} beta_s w_{t-s} for t < T: the product of transforms of twice the length does not
 * wrap around. */
static finf_status finite_block(worker *k, double *z)
{
    const plan *p = k->p;
    size_t T = p->o.steps, N = 2 * p->block;
    normal_source_draw(k->normals, T, k->pad);
    finf_status s = series_transform(k->pad, T, N, k->spectrum);
    for (size_t i = 0; i <= N / 2; i++) k->spectrum[i] *= p->response[i];
    if (!s) s = series_untransform(k->spectrum, N, k->pad);
    memcpy(z, k->pad, T * sizeof *z);
    return s;
}

/* A block for each coordinate of each chain. */
static finf_status start_blocks(worker *k, unsigned long long batch)
{
    const plan *p = k->p;
    finf_status s = FINF_OK;
    for (size_t e = 0; e < p->width && !s; e++) {
        double *z = k->z + e * p->block;
        if (p->o.steps)
            s = finite_block(k, z);
        else if (!(s = noise_stream_block(&k->stream, batch * p->width + e)))
            memcpy(z, k->stream.z, p->block * sizeof *z);
    }
    return s;
}

finf_status noise_start(worker *k, unsigned long long batch)
{
    const plan *p = k->p;
    if (p->source == SOURCE_BLOCK) return start_blocks(k, batch);
    if (p->source == SOURCE_RATIONAL && p->o.steps)
        memset(k->state, 0, p->width * p->filter.n * sizeof *k->state);
    if (p->source == SOURCE_RATIONAL && !p->o.steps) start_stationary(k);
    return FINF_OK;
}

void noise_tile(worker *k, size_t from, size_t steps)
{
    const plan *p = k->p;
    size_t W = p->width;
    if (p->source == SOURCE_BLOCK) {
        for (size_t e = 0; e < W; e++)
            for (size_t t = 0; t < steps; t++) k->w[t * W + e] = k->z[e * p->block + from + t];
        return;
    }
    normal_source_draw(k->normals, steps * W, k->w);
    for (size_t j = 0; j < p->d && p->filter.n; j++)
        filter_tile(&p->filter, steps, W, k->state + j * p->filter.n * LANES, k->w + j * LANES);
}
