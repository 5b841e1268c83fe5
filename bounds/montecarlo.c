/* Monte Carlo of Noisy-FTRL and DP-FTRL.                                                           MATH sections 0, 4, 5, 6
 *
 * chains: independent, LANES side by side (one vector operation for all), a batch of them with its own generator: the answer is a
 *   function of the seed alone, whoever runs which batch. Batches are added up in their order, and looked at after fixed numbers.
 * error: stationary, a chain's sample is its mean after a burn-in; after T steps, F(theta_T). Chains are independent, so the standard
 *   error over them is honest whatever the correlation along a chain. The burn-in is a bound on the transient where there is one
 *   (quadratics), else a guess: the means of the chains' two halves are compared, and it is made longer until they agree.
 * noise: sgd, nu, power, antipgd, cc by a rational recursion of 20 to 40 poles, started in its stationary law or at rest (finite
 *   time): nothing is stored. The others by FFT, a block as long as a chain: cyclic in the stationary case (see stream.h), zero-padded
 *   after T steps, which is beta * w exactly. */
#include "montecarlo.h"

#include <gsl/gsl_cdf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bounds.h"
#include "stream.h"
#include "system.h"

enum { LANES = 8, LEAST_BATCHES = 4, TILE_MOST = 64, THREADS_MOST = 256 };
#define TILE_NUMBERS 4096            /* of a tile: it and its like stay in the second-level cache */
#define BLOCK_MOST ((size_t)1 << 26) /* numbers, of the FFT blocks of one thread: 512 MB */
#define EXACT_MOST 2e9               /* directions times steps of the exact curve beside it */
#define DRIFT_T 4.5                  /* halves of a chain further apart than this many standard errors: burn in longer */

finf_simulate_options finf_simulate_options_default(void)
{
    return (finf_simulate_options){.privacy = finf_privacy_setting_default(),
                                   .kappa = 10,
                                   .smooth = 1,
                                   .start = 1,
                                   .seed = 1,
                                   .threads = 1,
                                   .relative_error = 0.01,
                                   .max_steps = 1e8};
}

/* ---- (1-az)^p as a sum of poles ------------------------------------------------------------------------
 * For 0 < p < 1, a = 1-nu: (1-az)^p = (1-az) (sin(pi p)/pi) int_0^inf s^{p-1} / (s+1-az) ds, in which
 * (1-az)/(s+1-az) = 1/(1+s) - s d z / ((1+s)(1-dz)), d = a/(1+s). The trapezoid rule in log s has the error e^{-pi^2/h}; every gain has
 * one sign, so that nothing cancels. What is left below the first node goes into one pole with the same zeroth and first moments,
 * what is left above the last into one that makes beta_1 and beta_2 exact. */
void rational_power(double p, double nu, double slow, rational *out)
{
    const double h = 0.75;
    double a = 1 - nu, least = 0.01 * fmax(fmax(nu, slow), 1e-15), factor = h * sin(FINF_PI * p) / FINF_PI, b1 = -p * a,
           b2 = -p * (1 - p) / 2 * a * a;
    out->n = 0;
    if (p == 0 || nu == 1) return;
    for (double u = log(least); u < 5 && p < 1; u += h) {
        double s = exp(u), gain = -factor * pow(s, p + 1) * a / ((1 + s) * (1 + s)), leak = (s + nu) / (1 + s);
        if (out->n == 0) { /* the nodes below, a geometric series */
            double q = exp(-h * (p + 1)), q2 = exp(-h * (p + 2)), sum = q / (1 - q), below = s * q2 / (1 - q2) / sum;
            out->gain[0] = gain * sum, out->leak[0] = (below + nu) / (1 + below);
            b1 -= out->gain[0], b2 -= out->gain[0] * (1 - out->leak[0]);
            out->n = 1;
        }
        b1 -= gain, b2 -= gain * (1 - leak);
        out->gain[out->n] = gain, out->leak[out->n++] = leak;
    }
    out->gain[out->n] = b1, out->leak[out->n++] = 1 - b2 / b1;
    if (out->n % 2) out->gain[out->n] = 0, out->leak[out->n++] = 1; /* the filter takes two at a time */
}

/* The states S_i = sum_t d_i^t w_{-1-t} have the covariance 1/(1 - d_i d_k), too near singular to be factored by elimination; its
 * Cholesky factor is phi_k(d_i) with the Takenaka-Malmquist functions
 * phi_k(z) = sqrt(1-d_k^2)/(1-d_k z) prod_{j<k} (z-d_j)/(1-d_j z), every entry to rounding. */
static void stationary_factor(const rational *f, double *factor)
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

/* ---- what is run --------------------------------------------------------------------------------------- */

typedef enum { SOURCE_WHITE, SOURCE_RATIONAL, SOURCE_BLOCK } source_kind;

typedef struct {
    const finf_noise *noise;
    finf_simulate_problem problem;
    double eta, sigma, sgd, clip;  /* clip: INFINITY without clipping */
    double L, mu, knee;            /* mean: 1, 1, anything */
    size_t d, width, tile;         /* width = d LANES: entry j LANES + k is coordinate j of chain k */
    double *lambda, *root, *start; /* d of each: eigenvalues, their square roots, theta_0 - theta*; one block */
    size_t finite;                 /* T, or 0 */
    size_t burn, length;           /* of a chain */
    source_kind source;
    rational filter;
    double *factor;           /* its stationary factor */
    size_t block;             /* length of the FFT blocks */
    double complex *response; /* finite: of beta_0..beta_{T-1} at the frequencies of 2 block */
    unsigned long long seed;
    int (*cancel)(void *);
    void *cancel_data;
} plan;

typedef struct {
    double chains, mean, m2, drift, drift2, clipped; /* m2, drift2: sums of squares about the mean */
} tally;

typedef struct {
    const plan *p;
    normal_source *normals;
    noise_stream stream;
    double *theta, *w, *x, *xi; /* theta - theta*; tiles of noise, inputs, and one more normal a step */
    double *state;              /* of the filter: coordinate, pole, lane */
    double *z;                  /* FFT blocks: entry, time */
    double *pad;
    double complex *spectrum;
} worker;

static void worker_free(worker *k)
{
    normal_source_free(k->normals);
    noise_stream_free(&k->stream);
    free(k->theta), free(k->z), free(k->pad), free(k->spectrum);
}

static finf_status worker_make(const plan *p, worker *k)
{
    size_t W = p->width, tile = W * p->tile, lanes = LANES * p->tile, states = W * p->filter.n;
    *k = (worker){.p = p, .normals = normal_source_make(p->seed)};
    k->theta = malloc((W + 2 * tile + lanes + states) * sizeof(double));
    if (!k->normals || !k->theta) return FINF_ENOMEM;
    k->w = k->theta + W, k->x = k->w + tile, k->xi = k->x + tile, k->state = k->xi + lanes;
    if (p->source != SOURCE_BLOCK) return FINF_OK;
    k->z = malloc(W * p->block * sizeof *k->z);
    if (!k->z) return FINF_ENOMEM;
    if (!p->finite) return noise_stream_make(p->noise, p->block, p->seed ^ 0x5851f42d4c957f2du, &k->stream);
    k->pad = malloc(2 * p->block * sizeof *k->pad);
    k->spectrum = malloc((p->block + 1) * sizeof *k->spectrum);
    return k->pad && k->spectrum ? FINF_OK : FINF_ENOMEM;
}

/* ---- noise --------------------------------------------------------------------------------------------- */

/* One coordinate of LANES chains: w <- w + sum_i gain_i S_i, S_i <- (1-leak_i) S_i + w. Two poles at a time go along the tile, their
 * states in registers: written with vectors of 4, as a compiler left alone keeps them in memory. */
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

FINF_VECTOR static void filter_tile(const rational *f, size_t steps, size_t stride, double *restrict S, double *restrict w)
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
            a = d * a + u[0], b = d * b + u[1], p = e * p + u[0], q = e * q + u[1];
        }
        x[0] = a, x[1] = b, x[2] = p, x[3] = q;
    }
    for (size_t t = 0; t < steps; t++) memcpy(w + t * stride, out + t * LANES, LANES * sizeof *w);
}

static finf_status start_noise(worker *k, unsigned long long batch)
{
    const plan *p = k->p;
    size_t P = p->filter.n, W = p->width;
    if (p->source == SOURCE_RATIONAL && p->finite) memset(k->state, 0, W * P * sizeof *k->state);
    if (p->source == SOURCE_RATIONAL && !p->finite)
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
    if (p->source == SOURCE_BLOCK)
        for (size_t e = 0; e < W; e++) {
            finf_status s = FINF_OK;
            double *z = k->z + e * p->block;
            if (p->finite) {
                size_t N = 2 * p->block;
                normal_source_draw(k->normals, p->finite, k->pad);
                s = series_transform(k->pad, p->finite, N, k->spectrum);
                for (size_t i = 0; i <= N / 2; i++) k->spectrum[i] *= p->response[i];
                if (!s) s = series_untransform(k->spectrum, N, k->pad);
                memcpy(z, k->pad, p->finite * sizeof *z);
            } else if (!(s = noise_stream_block(&k->stream, batch * W + e)))
                memcpy(z, k->stream.z, p->block * sizeof *z);
            if (s) return s;
        }
    return FINF_OK;
}

static void noise_tile(worker *k, size_t from, size_t steps)
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

/* ---- steps --------------------------------------------------------------------------------------------- */

/* g = (<theta,x> - sigma_sgd xi) x, cut to the norm `clip`: F and the count of cuts are added up, a lane for each chain. */
FINF_VECTOR static void linreg_tile(const plan *p, size_t steps, double *restrict theta, const double *restrict z,
                                    const double *restrict x, const double *restrict xi, double *restrict F,
                                    double *restrict cut)
{
    size_t d = p->d;
    const double *restrict lambda = p->lambda, *restrict root = p->root;
    double eta = p->eta, noise = p->eta * p->sigma, sgd = p->sgd, clip = p->clip;
    int clipping = clip < INFINITY;
    for (size_t t = 0; t < steps; t++, z += d * LANES, x += d * LANES, xi += LANES) {
        double r[LANES], f[LANES], norm2[LANES];
        for (size_t k = 0; k < LANES; k++) r[k] = sgd > 0 ? -sgd * xi[k] : 0, f[k] = norm2[k] = 0;
        for (size_t j = 0; j < d; j++)
            for (size_t k = 0; k < LANES; k++) {
                double e = theta[j * LANES + k];
                r[k] += e * (root[j] * x[j * LANES + k]);
                f[k] += lambda[j] * e * e;
            }
        if (clipping) {
            for (size_t j = 0; j < d; j++)
                for (size_t k = 0; k < LANES; k++) norm2[k] += lambda[j] * x[j * LANES + k] * x[j * LANES + k];
            for (size_t k = 0; k < LANES; k++) {
                double norm = fabs(r[k]) * sqrt(norm2[k]);
                cut[k] += norm > clip;
                r[k] = norm > clip ? r[k] * (clip / norm) : r[k];
            }
        }
        for (size_t k = 0; k < LANES; k++) F[k] += 0.5 * f[k], r[k] *= eta;
        for (size_t j = 0; j < d; j++)
            for (size_t k = 0; k < LANES; k++)
                theta[j * LANES + k] -= r[k] * (root[j] * x[j * LANES + k]) + noise * z[j * LANES + k];
    }
}

/* F' = mu e + (L-mu) c, F = mu e^2/2 + (L-mu) c (e - c/2), c = e held within the knee; mu = L: a quadratic */
FINF_VECTOR static void scalar_tile(const plan *p, size_t steps, double *restrict theta, const double *restrict z,
                                    const double *restrict xi, double *restrict F, double *restrict cut)
{
    double eta = p->eta, sigma = p->sigma, sgd = p->sgd, clip = p->clip, mu = p->mu, rest = p->L - p->mu, knee = p->knee;
    int clipping = clip < INFINITY;
    for (size_t t = 0; t < steps; t++, z += LANES, xi += LANES)
        for (size_t k = 0; k < LANES; k++) {
            double e = theta[k], c = e < knee ? e : knee;
            c = c > -knee ? c : -knee;
            F[k] += mu / 2 * e * e + rest * c * (e - c / 2);
            double g = mu * e + rest * c + (sgd > 0 ? sgd * xi[k] : 0);
            if (clipping) {
                double h = g < clip ? g : clip;
                h = h > -clip ? h : -clip;
                cut[k] += h != g;
                g = h;
            }
            theta[k] = e - eta * (g + sigma * z[k]);
        }
}

static void steps_tile(worker *k, size_t from, size_t steps, double *F, double *cut)
{
    const plan *p = k->p;
    noise_tile(k, from, steps);
    if (p->problem == FINF_SIMULATE_LINREG) normal_source_draw(k->normals, steps * p->width, k->x);
    if (p->sgd > 0) normal_source_draw(k->normals, steps * LANES, k->xi);
    if (p->problem == FINF_SIMULATE_LINREG)
        linreg_tile(p, steps, k->theta, k->w, k->x, k->xi, F, cut);
    else
        scalar_tile(p, steps, k->theta, k->w, k->xi, F, cut);
}

/* F(theta) of each chain: what a step would add, not taken */
static void value(const plan *p, const double *theta, double F[LANES])
{
    for (size_t k = 0; k < LANES; k++) {
        double e = theta[k], c = fmax(fmin(e, p->knee), -p->knee);
        F[k] = p->mu / 2 * e * e + (p->L - p->mu) * c * (e - c / 2);
        if (p->problem != FINF_SIMULATE_LINREG) continue;
        F[k] = 0;
        for (size_t j = 0; j < p->d; j++) F[k] += 0.5 * p->lambda[j] * theta[j * LANES + k] * theta[j * LANES + k];
    }
}

typedef enum { BATCH_NONE, BATCH_PART, BATCH_WHOLE } batch_state;

/* LANES chains. Cancelled on the way, stationary chains count as whole from half of their length. Now and then: tell. */
static finf_status run_batch(worker *w, unsigned long long batch, tally *out, batch_state *done,
                             void (*tell)(void *, size_t), void *told)
{
    const plan *p = w->p;
    double none[LANES], half[2][LANES] = {{0}}, cut[LANES] = {0};
    size_t middle = p->burn + (p->length - p->burn) / 2, t = 0;
    *done = BATCH_NONE;
    normal_source_seek(w->normals, batch);
    for (size_t e = 0; e < p->width; e++) w->theta[e] = p->start[e / LANES];
    finf_status s = start_noise(w, batch);
    if (s) return s;
    while (t < p->length) {
        size_t stop = t < p->burn  ? p->burn
                      : t < middle ? middle
                                   : p->length,
               steps = stop - t < p->tile ? stop - t : p->tile;
        if (p->cancel && p->cancel(p->cancel_data)) break;
        if (t < p->burn) memset(none, 0, sizeof none);
        steps_tile(w, t, steps, t < p->burn ? none : half[t >= middle], t < p->burn ? none : cut);
        t += steps;
        tell(told, steps);
    }
    if (t <= p->burn || (p->finite && t < p->length)) return FINF_OK;
    double F[LANES], counted = (double)(t - p->burn), first = (double)(middle - p->burn),
                     second = (double)t - (double)middle;
    if (p->finite) value(p, w->theta, F);
    *out = (tally){.chains = LANES};
    for (size_t k = 0; k < LANES; k++) {
        double drift = p->finite || t < p->length ? 0 : half[1][k] / second - half[0][k] / first;
        if (!p->finite) F[k] = (half[0][k] + half[1][k]) / counted;
        double n = (double)k + 1, a = F[k] - out->mean, b = drift - out->drift;
        out->mean += a / n, out->m2 += a * (F[k] - out->mean);
        out->drift += b / n, out->drift2 += b * (drift - out->drift);
        out->clipped += cut[k] / (counted * LANES);
    }
    *done = t >= middle ? BATCH_WHOLE : BATCH_PART;
    return FINF_OK;
}

static void tally_add(tally *a, const tally *b)
{
    double n = a->chains + b->chains, f = b->chains / n, g = a->chains * f, x = b->mean - a->mean, y = b->drift - a->drift;
    a->m2 += b->m2 + x * x * g;
    a->drift2 += b->drift2 + y * y * g;
    a->mean += x * f;
    a->drift += y * f;
    a->clipped += (b->clipped - a->clipped) * f;
    a->chains = n;
}

/* The standard deviation of Student's t: few chains, and stopping when it looks small, would else flatter it. */
static double standard_error(double m2, double n) { return n > 3 ? sqrt(m2 / ((n - 3) * n)) : INFINITY; }

/* ---- a round of batches on the threads ----------------------------------------------------------------- */

typedef struct {
    const plan *p;
    const finf_simulate_options *o;
    worker *workers;
    unsigned threads;
    unsigned long long first; /* number of the round's first batch */
    size_t n;
    tally *batches;
    batch_state *done;
    atomic_size_t next;
    _Atomic unsigned long long steps; /* of a chain, over all batches */
    atomic_int status;
    double before, expected, mean, error; /* for the progress */
} round_of;

static void tell_only(void *data, size_t steps) { atomic_fetch_add(&((round_of *)data)->steps, steps); }

static void tell_and_report(void *data, size_t steps)
{
    round_of *r = data;
    double done = LANES * (double)(atomic_fetch_add(&r->steps, steps) + steps);
    r->o->progress(r->o->progress_data, r->before + done, r->expected, r->mean, r->error);
}

static void work(round_of *r, worker *w, int report)
{
    void (*tell)(void *, size_t) = report && r->o->progress ? tell_and_report : tell_only;
    for (size_t i; !atomic_load(&r->status) && (i = atomic_fetch_add(&r->next, 1)) < r->n;) {
        finf_status s = run_batch(w, r->first + i, &r->batches[i], &r->done[i], tell, r);
        if (s) atomic_store(&r->status, (int)s);
        if (r->p->cancel && r->p->cancel(r->p->cancel_data)) return;
    }
}

typedef struct {
    round_of *r;
    worker *w;
} job;

static void *run_job(void *data)
{
    job *j = data;
    work(j->r, j->w, 0);
    return NULL;
}

static finf_status run_round(round_of *r, tally *sum)
{
    pthread_t thread[THREADS_MOST];
    job jobs[THREADS_MOST];
    unsigned started = 0;
    r->batches = malloc(r->n * sizeof *r->batches);
    r->done = calloc(r->n, sizeof *r->done);
    finf_status s = r->batches && r->done ? FINF_OK : FINF_ENOMEM;
    if (!s) {
        atomic_init(&r->next, 0), atomic_init(&r->steps, 0), atomic_init(&r->status, FINF_OK);
        for (unsigned i = 1; i < r->threads && i < r->n; i++, started++) {
            jobs[started] = (job){r, &r->workers[i]};
            if (pthread_create(&thread[started], NULL, run_job, &jobs[started])) break; /* then fewer do the same */
        }
        work(r, &r->workers[0], 1);
        for (unsigned i = 0; i < started; i++) pthread_join(thread[i], NULL);
        s = (finf_status)atomic_load(&r->status);
    }
    for (size_t i = 0; i < r->n && !s; i++)
        if (r->done[i] == BATCH_WHOLE) tally_add(sum, &r->batches[i]);
    for (size_t i = 0, none = sum->chains == 0; i < r->n && none && !s; i++) /* interrupted: better than nothing */
        if (r->done[i] == BATCH_PART) tally_add(sum, &r->batches[i]);
    free(r->batches);
    free(r->done);
    return s;
}

/* ---- how long a chain must be -------------------------------------------------------------------------- */

/* The slowest rate of the second moments: the r in (0, min 2b(1-b)) with sum b^2/(2b(1-b) - r) = 1 (kx = 0; MATH section 6). */
static double linreg_rate(const plan *p)
{
    double lo = 0, hi = INFINITY;
    for (size_t j = 0; j < p->d; j++) hi = fmin(hi, 2 * p->eta * p->lambda[j] * (1 - p->eta * p->lambda[j]));
    for (int i = 0; i < 60; i++) {
        double r = (lo + hi) / 2, sum = 0;
        for (size_t j = 0; j < p->d; j++) {
            double b = p->eta * p->lambda[j];
            sum += b * b / (2 * b * (1 - b) - r);
        }
        if (sum < 1 && sum >= 0)
            lo = r;
        else
            hi = r;
    }
    return lo;
}

/* Steps in which the start is forgotten by a factor e. Clipping: the drift is at most G, so noise of variance s^2 is forgotten in about
 * 2 s^2/G^2 steps; G x/|x| has the part sqrt(lambda/Tr H) of it along each direction; and gradient noise larger than G turns the
 * drift into G/sigma_sgd of itself. A guess, which the halves of the chains are there to check. */
static double memory(const plan *p, double slope_min, double slope_max, double trace, int stable)
{
    double b = p->eta * slope_min, linear = fmax(1 / b, 1 / (2 - p->eta * slope_max));
    if (p->problem != FINF_SIMULATE_HUBER || p->L == p->mu) linear /= 2; /* of squares */
    if (p->problem == FINF_SIMULATE_LINREG && stable) linear = 1 / linreg_rate(p);
    if (!(p->clip < INFINITY)) return linear;
    double ratio = p->sigma / p->clip;
    return linear + (2 * ratio * ratio + 2) * FINF_PI / 2 * trace / slope_min +
           p->sgd * sqrt(trace) / (0.8 * p->eta * p->clip * slope_min);
}

static finf_status no_room(const plan *p, finf_reason *why)
{
    return finf_why(why, FINF_EDOM,
                    "this noise is made in FFT blocks, and %zu chains of %zu steps in %zu dimensions do not fit in memory; "
                    "nu, power and antipgd need none",
                    (size_t)LANES, p->length, p->d);
}

/* The lengths, and for FFT noise the block: at least 64 slow time constants, where being periodic is a matter of 1e-4. */
static finf_status set_lengths(plan *p, double burn, double counted, double slow, double budget, finf_reason *why)
{
    const double most = 1e15;
    double measure = counted * burn, least = LEAST_BATCHES * LANES * 2 * burn;
    if (p->finite)
        p->burn = 0, p->length = p->finite;
    else {
        if (!(least <= budget))
            return finf_why(
                why, FINF_ETOL,
                "max-steps = %s: too few; the start is forgotten in %.3g steps, and %d chains of twice that are the least",
                finf_show(budget).s, burn, LEAST_BATCHES * LANES);
        if (LEAST_BATCHES * LANES * (burn + measure) > budget) measure = budget / (LEAST_BATCHES * LANES) - burn;
        if (burn + measure > most) return FINF_EDOM;
        p->burn = (size_t)ceil(burn), p->length = p->burn + (size_t)ceil(measure);
    }
    if (p->source != SOURCE_BLOCK) return FINF_OK;
    double length = p->finite ? (double)p->finite : fmax((double)p->length, 64 / slow);
    size_t taps = p->noise->kind == NOISE_FIR || p->noise->kind == NOISE_STRATEGY ? p->noise->n : 0;
    p->block = 16;
    while (((double)p->block < length || (!p->finite && p->block < 4 * taps)) && p->block <= BLOCK_MOST) p->block *= 2;
    if (p->finite) p->block = p->finite > 8 ? p->block : 8;
    if ((double)p->block * (double)p->width > (double)BLOCK_MOST) return no_room(p, why);
    if (!p->finite) p->length = p->block;
    return FINF_OK;
}

static finf_status set_source(plan *p, double slow, finf_reason *why)
{
    if (p->noise->kind == NOISE_POWER) {
        p->source = p->noise->p == 0 || p->noise->nu == 1 ? SOURCE_WHITE : SOURCE_RATIONAL;
        rational_power(p->noise->p, p->noise->nu, 0.01 * slow, &p->filter);
        if (p->source == SOURCE_WHITE || p->finite) return FINF_OK;
        p->factor = malloc(p->filter.n * p->filter.n * sizeof *p->factor);
        if (!p->factor) return finf_why(why, FINF_ENOMEM, "no memory");
        stationary_factor(&p->filter, p->factor);
        return FINF_OK;
    }
    p->source = SOURCE_BLOCK;
    return FINF_OK;
}

static finf_status set_response(plan *p, finf_reason *why)
{
    if (p->source != SOURCE_BLOCK || !p->finite) return FINF_OK;
    double *beta = malloc(p->finite * sizeof *beta);
    p->response = malloc((p->block + 1) * sizeof *p->response);
    finf_status s = beta && p->response ? FINF_OK : finf_why(why, FINF_ENOMEM, "no memory");
    if (!s) s = finf_noise_beta(p->noise, p->finite, beta, why);
    if (!s) s = series_transform(beta, p->finite, 2 * p->block, p->response);
    free(beta);
    return s;
}

/* ---- the run ------------------------------------------------------------------------------------------- */

static void report(const plan *p, const tally *sum, finf_simulate_result *out)
{
    double n = sum->chains, e = standard_error(sum->m2, n);
    out->chains = n;
    out->burn_in = (double)p->burn, out->chain_steps = (double)p->length;
    out->clipped_fraction = sum->clipped;
    if (!(n > 3)) return;
    double t = gsl_cdf_tdist_Pinv(0.975, n - 1) * sqrt((n - 3) / (n - 1)); /* of the plain standard error */
    out->F = finf_real_make(sum->mean, e, "independent chains");
    out->low = sum->mean - t * e, out->high = sum->mean + t * e;
}

/* What the chains of one length are run for, and how far they have come. */
typedef struct {
    plan *p;
    const finf_simulate_options *o;
    finf_simulate_result *out;
    worker *workers;
    unsigned long long first; /* number of the next batch: none is used twice */
    double burn, counted;     /* wanted: the burn-in, and how many times that is counted */
    double budget;            /* steps */
} course;

/* Relative error over the one wanted, squared: how many times the chains so far would do. */
static double shortfall(const finf_simulate_options *o, const tally *sum, double error)
{
    double x = error / (o->relative_error * sum->mean);
    return x * x;
}

static finf_status one_round(course *c, tally *sum, size_t batches, size_t next, double error)
{
    const finf_simulate_options *o = c->o;
    double cost = LANES * (double)c->p->length, before = c->out->steps;
    round_of r = {.p = c->p,
                  .o = o,
                  .workers = c->workers,
                  .threads = o->threads,
                  .first = c->first,
                  .n = next - batches,
                  .before = before,
                  .mean = batches ? sum->mean : NAN,
                  .error = error,
                  .expected = before + (double)(next - batches) * cost};
    if (batches)
        r.expected = fmax(r.expected, fmin(before + cost * (double)batches * (shortfall(o, sum, error) - 1), o->max_steps));
    finf_status s = run_round(&r, sum);
    c->first += r.n;
    c->out->steps += LANES * (double)atomic_load(&r.steps);
    return s ? finf_why(&c->out->reason, s, "no memory") : FINF_OK;
}

/* Chains of one length until the error is right. *again: set when they should be longer. */
static finf_status one_length(course *c, int *again)
{
    const plan *p = c->p;
    const finf_simulate_options *o = c->o;
    finf_simulate_result *out = c->out;
    tally sum = {0};
    size_t batches = 0, next = LEAST_BATCHES;
    double cost = LANES * (double)p->length, most = floor(c->budget / cost), error = INFINITY;
    if (most < 1)
        return finf_why(&out->reason, FINF_ETOL, "max-steps = %s: too few; %d chains side by side take %s",
                        finf_show(o->max_steps).s, LANES, finf_show(cost).s);
    for (;;) {
        next = (size_t)fmin((double)next, most);
        finf_status s = one_round(c, &sum, batches, next, error);
        if (s) return s;
        int cancelled = o->cancel && o->cancel(o->cancel_data);
        if (!cancelled || sum.chains >= LEAST_BATCHES * LANES || isnan(out->F.value)) report(p, &sum, out);
        if (cancelled)
            return finf_why(&out->reason, FINF_ETOL, "interrupted: %s chains were long enough to be counted",
                            finf_show(out->chains).s);
        batches = next;
        error = out->F.error;
        if (!isfinite(sum.mean) || !isfinite(sum.m2)) {
            out->F = finf_real_failed();
            out->low = out->high = NAN;
            return finf_why(&out->reason, FINF_ETOL, "theta has grown beyond every double");
        }
        if (!p->finite && fabs(sum.drift) > DRIFT_T * standard_error(sum.drift2, sum.chains)) {
            c->burn = 4 * (double)p->burn;
            *again = 1;
            return FINF_OK;
        }
        double times = shortfall(o, &sum, error);
        if (times <= 1) return FINF_OK;
        if ((double)batches >= most)
            return finf_why(&out->reason, FINF_ETOL, "max-steps = %s: the relative error is %.2g, not %s",
                            finf_show(o->max_steps).s, error / sum.mean, finf_show(o->relative_error).s);
        if (c->counted == 1 && p->source != SOURCE_BLOCK && !p->finite && times > 4 && (double)batches < most / 8) {
            c->counted = fmin(times / 2, 8); /* many more: less of them should be burn-in */
            *again = 1;
            return FINF_OK;
        }
        /* looked at rarely, so that stopping does not favour a lucky error */
        next = (size_t)ceil((double)batches * fmin(fmax(1.02 * times, 1.1), 8));
    }
}

static finf_status run(plan *p, const finf_simulate_options *o, double burn, double slow, finf_simulate_result *out)
{
    worker workers[THREADS_MOST] = {{0}};
    course c = {.p = p, .o = o, .out = out, .workers = workers, .burn = burn, .counted = 1};
    finf_status s = FINF_OK;
    for (int again = 1; again && !s;) {
        unsigned made = 0;
        again = 0;
        c.budget = o->max_steps - out->steps;
        s = set_lengths(p, c.burn, c.counted, slow, c.budget, &out->reason);
        if (!s) s = set_response(p, &out->reason);
        for (; made < o->threads && !s; made++) s = worker_make(p, &workers[made]);
        if (s == FINF_ENOMEM) finf_why(&out->reason, s, "no memory");
        if (!s) s = one_length(&c, &again);
        for (unsigned i = 0; i < made; i++) worker_free(&workers[i]);
    }
    if (!isfinite(out->F.error)) out->F = finf_real_failed();
    return s;
}

/* ---- exact values beside it ---------------------------------------------------------------------------- */

static finf_status exact_finite(const plan *p, const finf_simulate_options *o, const finf_spectrum *s,
                                finf_simulate_result *out)
{
    finf_curve_options c = finf_curve_options_default();
    finf_curve_result r = {0};
    finf_system *system = NULL;
    finf_spectrum *one = NULL;
    double L = p->problem == FINF_SIMULATE_LINREG ? 1 : p->L;
    if ((double)p->finite * (double)(p->d < 512 || o->start_at ? p->d : 512) > EXACT_MOST || p->finite > FINF_SYSTEM_MAX)
        return finf_why(&out->exact_reason, FINF_OK, "the exact curve is not computed for this many steps");
    c.privacy = o->privacy;
    c.start = (o->start_at ? o->start_at[0] : o->start) * L *
              L; /* of L theta, which has the curvature 1 at the step eta L */
    if (s) c.start = o->start, c.start_at = o->start_at;
    c.cancel = o->cancel, c.cancel_data = o->cancel_data;
    if (!s) c.kurtosis = -2; /* x = +-1: mean estimation is regression on it */
    finf_status status = finf_system_toeplitz(p->noise, p->finite, &system, &out->exact_reason);
    if (!status && !s) status = finf_spectrum_flat(1, &one, &out->exact_reason);
    if (!status && (status = finf_curve(system, p->eta * L, s ? s : one, &c, &r))) out->exact_reason = r.reason;
    if (!status) {
        out->exact = r.last;
        out->exact.value /= L, out->exact.error /= L;
    }
    finf_curve_result_free(&r);
    finf_system_free(system);
    finf_spectrum_free(one);
    return status == FINF_ENOMEM ? status : FINF_OK; /* only what stands beside it is missing */
}

static finf_status exact_value(const plan *p, const finf_simulate_options *o, const finf_spectrum *s,
                               finf_simulate_result *out)
{
    out->exact = finf_real_failed();
    if (p->problem == FINF_SIMULATE_HUBER && p->L != p->mu)
        return finf_why(&out->exact_reason, FINF_OK, "no exact value is known for a loss that is not quadratic");
    if (o->clip_gradients) return finf_why(&out->exact_reason, FINF_OK, "no exact value is known with clipping");
    if (p->finite) return exact_finite(p, o, s, out);
    finf_status status;
    if (s) {
        finf_linreg_options l = finf_linreg_options_default();
        finf_linreg_result r;
        l.privacy = o->privacy, l.optimum = 0;
        status = finf_linreg(p->noise, p->eta, s, &l, &r);
        out->exact = r.exact, out->exact_reason = r.reason;
    } else {
        finf_mean_result r;
        status = finf_mean(p->noise, p->eta * p->L, &o->privacy, &r);
        out->exact = r.F, out->exact_reason = r.reason;
        out->exact.value /= p->L, out->exact.error /= p->L;
    }
    return status == FINF_ETOL ? FINF_OK : status;
}

/* ---- */

static finf_status check(const plan *p, const finf_simulate_options *o, const finf_spectrum *s, finf_reason *why)
{
    finf_status status = finf_setting_check(p->eta, &o->privacy, why);
    if (status) return status;
    if ((p->problem == FINF_SIMULATE_LINREG) != (s != NULL))
        return finf_why(why, FINF_EDOM, "linear regression, and nothing else, needs a spectrum");
    if (p->eta > BOUNDS_HUGE) return finf_why(why, FINF_EDOM, "eta = %s: at most 1e50", finf_show(p->eta).s);
    if (!(o->relative_error > 0 && o->relative_error < 1))
        return finf_why(why, FINF_EDOM, "relative-error = %s: must be between 0 and 1", finf_show(o->relative_error).s);
    if (!(o->max_steps >= 1 && o->max_steps <= 1e15))
        return finf_why(why, FINF_EDOM, "max-steps = %s: must be from 1 to 1e15", finf_show(o->max_steps).s);
    if (!(o->threads >= 1 && o->threads <= THREADS_MOST))
        return finf_why(why, FINF_EDOM, "threads = %u: must be from 1 to %d", o->threads, THREADS_MOST);
    if (o->steps > FINF_STEPS_MAX) return finf_why(why, FINF_EDOM, "steps = %zu: at most %u", o->steps, FINF_STEPS_MAX);
    if (!(o->start >= 0 && o->start <= BOUNDS_HUGE))
        return finf_why(why, FINF_EDOM, "start = %s: |theta_0 - theta*|^2 must be from 0 to 1e50", finf_show(o->start).s);
    if (s && finf_spectrum_dim(s) > FINF_SIMULATE_DIM_MAX)
        return finf_why(why, FINF_EDOM, "dim = %s: at most %d in a simulation", finf_show(finf_spectrum_dim(s)).s,
                        FINF_SIMULATE_DIM_MAX);
    status = finf_start_check(o->start_at, s ? finf_spectrum_dim(s) : 1, why);
    if (status) return status;
    if (s && p->eta * finf_spectrum_min(s) < BOUNDS_TINY)
        return finf_why(why, FINF_EDOM, "eta * lambda_min = %s: must be at least 1e-50",
                        finf_show(p->eta * finf_spectrum_min(s)).s);
    if (p->problem != FINF_SIMULATE_HUBER) return FINF_OK;
    if (!(o->kappa >= 1 && o->kappa <= BOUNDS_HUGE))
        return finf_why(why, FINF_EDOM, "kappa = %s: must be at least 1 (at most 1e50)", finf_show(o->kappa).s);
    if (!(o->smooth >= BOUNDS_TINY && o->smooth <= BOUNDS_HUGE))
        return finf_why(why, FINF_EDOM, "smooth = %s: must be from 1e-50 to 1e50", finf_show(o->smooth).s);
    if (!(o->knee >= 0 && o->knee <= BOUNDS_HUGE))
        return finf_why(why, FINF_EDOM, "knee = %s: must be from 0 (automatic) to 1e50", finf_show(o->knee).s);
    return FINF_OK;
}

static finf_status set_problem(plan *p, const finf_simulate_options *o, const finf_spectrum *s, finf_reason *why)
{
    p->d = s ? (size_t)finf_spectrum_dim(s) : 1;
    p->width = p->d * LANES;
    size_t tile = TILE_NUMBERS / p->width;
    p->tile = tile < 1 ? 1 : tile > TILE_MOST ? TILE_MOST : tile;
    p->L = p->problem == FINF_SIMULATE_HUBER ? o->smooth : 1;
    p->mu = p->problem == FINF_SIMULATE_HUBER ? o->smooth / o->kappa : 1;
    p->knee = INFINITY;
    p->sgd = o->privacy.sigma_sgd;
    p->clip = o->clip_gradients ? o->privacy.clip : INFINITY;
    p->lambda = malloc(3 * p->d * sizeof *p->lambda);
    if (!p->lambda) return finf_why(why, FINF_ENOMEM, "no memory");
    p->root = p->lambda + p->d;
    p->start = p->root + p->d;
    for (size_t j = 0; j < p->d; j++) {
        p->lambda[j] = s ? finf_spectrum_at(s, (double)j + 1) : 1;
        p->root[j] = sqrt(p->lambda[j]);
        p->start[j] = !o->steps ? 0 : sqrt(o->start_at ? o->start_at[j] : o->start / (double)p->d);
    }
    return FINF_OK;
}

static finf_status set_sigma(plan *p, const finf_simulate_options *o, finf_simulate_result *out)
{
    finf_sensitivity sens = {.gamma2 = finf_real_failed()};
    finf_status s = p->finite ? finf_noise_sensitivity_at(p->noise, p->finite, &out->gamma2, &out->reason)
                              : finf_noise_sensitivity(p->noise, &sens);
    if (!p->finite) out->gamma2 = sens.gamma2, out->reason = sens.reason;
    if (s == FINF_ETOL && isfinite(out->gamma2.value)) s = FINF_OK;
    p->sigma = o->privacy.clip * sqrt(out->gamma2.value / (2 * o->privacy.rho));
    return s;
}

static finf_status set_knee(plan *p, const finf_simulate_options *o, finf_simulate_result *out)
{
    if (p->problem != FINF_SIMULATE_HUBER) return FINF_OK;
    double b = p->eta * p->L, T, relerr;
    if (!(b < 2)) return finf_why(&out->reason, FINF_EDOM, "eta * smooth = %s: must be below 2", finf_show(b).s);
    p->knee = o->knee;
    if (p->knee == 0) {
        finf_status s = finf_noise_energy(p->noise, &b, 1, &T, &relerr, &out->reason);
        if (s && s != FINF_ETOL) return s;
        p->knee = sqrt(b / (2 - b) * (p->sigma * p->sigma * T + p->sgd * p->sgd)) / p->L;
        if (!(p->knee <= BOUNDS_HUGE))
            return finf_why(&out->reason, FINF_EDOM, "the noise has no finite variance: give the knee");
    }
    out->knee = p->knee;
    return FINF_OK;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static finf_status simulate(plan *p, const finf_simulate_options *o, const finf_spectrum *s, finf_simulate_result *out)
{
    finf_status status = set_problem(p, o, s, &out->reason);
    if (!status) status = set_sigma(p, o, out);
    if (status) return status;
    if (!isfinite(p->sigma)) {
        out->F = out->exact = finf_real_infinite("infinite sensitivity");
        out->low = out->high = INFINITY;
        return FINF_OK;
    }
    status = set_knee(p, o, out);
    if (!status) status = exact_value(p, o, s, out);
    if (status) return status;
    if (isinf(out->exact.value) && !p->finite) {
        out->F = out->exact;
        out->low = out->high = INFINITY;
        out->reason = out->exact_reason;
        return FINF_OK;
    }
    double least = s ? finf_spectrum_min(s) : p->mu, most = s ? finf_spectrum_max(s) : p->L,
           trace = s ? finf_spectrum_trace(s) : most;
    if (!p->finite && !(p->eta * most < 2))
        return finf_why(&out->reason, FINF_EDOM, "eta = %s: eta times the largest curvature must be below 2",
                        finf_show(p->eta).s);
    double slow = p->finite ? 1 / (double)p->finite : fmin(p->eta * least, 1);
    double burn = p->finite ? 0 : (3 - log(o->relative_error)) * memory(p, least, most, trace, isfinite(out->exact.value));
    status = set_source(p, slow, &out->reason);
    out->method = p->source == SOURCE_WHITE   ? "independent"
                  : p->source == SOURCE_BLOCK ? "FFT blocks"
                                              : "rational recursion";
    if (!status) status = run(p, o, fmax(burn, 8), slow, out);
    out->method_size = p->source == SOURCE_BLOCK ? p->block : p->filter.n;
    return status;
}

finf_status finf_simulate(const finf_noise *noise, finf_simulate_problem problem, double eta, const finf_spectrum *s,
                          const finf_simulate_options *opt, finf_simulate_result *out)
{
    finf_simulate_options o = opt ? *opt : finf_simulate_options_default();
    plan p = {.noise = noise,
              .problem = problem,
              .eta = eta,
              .finite = o.steps,
              .seed = o.seed,
              .cancel = o.cancel,
              .cancel_data = o.cancel_data};
    double began = seconds();
    finf_real failed = finf_real_failed();
    *out = (finf_simulate_result){
        .F = failed, .low = NAN, .high = NAN, .exact = failed, .gamma2 = failed, .knee = NAN, .method = ""};
    finf_status status = check(&p, &o, s, &out->reason);
    if (!status) status = simulate(&p, &o, s, out);
    free(p.lambda);
    free(p.factor);
    free(p.response);
    out->seconds = seconds() - began;
    return status;
}
