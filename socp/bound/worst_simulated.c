/* Two non-quadratic F, simulated: a lower bound beside the upper one. (theory 7.4, 7.8)
 *
 * Both have curvature L = 1 within [lo, hi] and mu outside (huber.h): Huber-like for
 * [-delta, delta], asymmetric for (-inf, 0].
 *
 * method: blocks of periodic noise, 20 times the memory 1/(eta mu) long, 64 if |B| varies on a
 * finer scale than eta mu. What being periodic changes, on quadratics: e^-20, or 1e-4 (e^-16 and
 * 2e-3 for memories near 1e6, where a block is at its longest). A step contracts by 1 - eta mu, so
 * periodic noise has one periodic theta: it is found by going round until it closes, and there is
 * no burn-in. Blocks are independent, so the standard error is that of their means. variance:
 * theta_t does not know w_t, so E[f(theta_t) w_t] = 0 for every f: the causality of theory 7.4. The
 * block means of theta w and c w, regressed out, take the variance down 9 to 800 times for
 * independent noise (in the diffusion limit f = u', u solving Poisson's equation, would leave
 * nothing), 1.5 to 20 times for correlated noise. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "bounds.h"
#include "huber.h"
#include "bound.h"
#include "optimizer.h"
#include "stream.h"

enum { LANES = 8, KNEES = 12, SCAN_BLOCKS = 8, LEAST_BLOCKS = 32 };
#define BLOCK_LEAST ((size_t)1 << 14)
#define BLOCK_MOST ((size_t)1 << 24)
#define STEPS_MOST 2e9 /* of the long run: half a minute, minutes for correlated noise */
#define ROUNDS_MOST 40

/* The recursion, L = 1: step size, and the F of huber.h. For an optimizer theta_t is the first of
 * `states` numbers s_i, which a gradient u_t with its noise moves to
 *     s_i <- s_{i+1} - step_i u_t - keep_i theta_t,     i = 1 .. states, s_{states+1} = 0:
 * the filter of theory 11.4 with (1 - y) A(y) = 1 + sum keep_i y^i, eta y E(y) = sum step_i y^i. */
typedef struct {
    double eta, mu, lo, hi;
    int filtered;  /* 0 for plain sgd, which uses eta alone */
    size_t states; /* 1 for that */
    double keep[SOCP_LOOP_MOST], step[SOCP_LOOP_MOST];
    const finf_optimizer *average; /* NULL, or that F is taken at an average of the thetas: */
    double *path;                  /* then a block of them */
} model;

/* The numbers s_i of each lane. */
typedef struct {
    double s[SOCP_LOOP_MOST][LANES];
} lanes_state;

static void set_filter(const socp_loop *l, model *m)
{
    m->filtered = 1;
    m->states = l->n;
    for (size_t i = 0; i < l->n; i++) {
        m->keep[i] = ((i + 1 < l->n ? l->a[i + 1] : 0) - l->a[i]) / l->a[0];
        m->step[i] = l->eta * l->e[i] / l->a[0];
    }
}

/* Means over a block: of F(theta), and of theta w and c w, whose expectation is 0; c is theta held
 * within [lo, hi]. */
typedef struct {
    double F, xw, cw;
} sums;

/* One period: w, and z = beta * w plus, with gradient noise, `ratio` times normals of its own. */
typedef struct {
    size_t n;
    const double *w, *z;
    noise_stream stream;
    normal_source *gradient;
    double ratio, *sum, *extra; /* sum: z where there is gradient noise */
    finf_cancel cancel;
} blocks;

static int stopped(const blocks *s) { return finf_cancelled(s->cancel); }

static void blocks_free(blocks *s)
{
    noise_stream_free(&s->stream);
    normal_source_free(s->gradient);
    free(s->sum);
}

/* ratio: sigma_sgd over sigma, the gradient noise's share; 0: none is drawn. What is made is freed
 * by blocks_free, also after a failure. */
static finf_status blocks_make(const finf_noise *noise, size_t n, unsigned long long seed,
                               double ratio, blocks *s)
{
    s->n = n;
    s->ratio = ratio;
    finf_status st = noise_stream_make(noise, n, seed, &s->stream);
    if (st || !(ratio > 0)) return st;
    s->gradient = normal_source_make(seed + 0x9e3779b97f4a7c15u);
    s->sum = malloc(2 * n * sizeof *s->sum);
    s->extra = s->sum ? s->sum + n : NULL;
    return s->gradient && s->sum ? FINF_OK : FINF_ENOMEM;
}

/* Draws block number `index`, the same whenever it is asked for. */
static finf_status block(blocks *s, unsigned long long index)
{
    finf_status st = noise_stream_block(&s->stream, index);
    s->w = s->stream.w;
    s->z = s->stream.z;
    if (st || !s->gradient) return st;
    normal_source_seek(s->gradient, index);
    normal_source_draw(s->gradient, s->n, s->extra);
    for (size_t t = 0; t < s->n; t++) s->sum[t] = s->stream.z[t] + s->ratio * s->extra[t];
    s->z = s->sum;
    return FINF_OK;
}

/* LANES pieces of the block at once, each from its own x: once along it. FINF_VECTOR: c is a max
 * and a min, no branch. */
FINF_VECTOR static sums go_round(const model *m, const blocks *s, double x[LANES])
{
    size_t piece = s->n / LANES;
    double eta = m->eta, mu = m->mu, d = 1 - mu, lo = m->lo, hi = m->hi, F[LANES] = {0},
           xw[LANES] = {0}, cw[LANES] = {0};
    for (size_t t = 0; t < piece; t++)
        for (size_t l = 0; l < LANES; l++) {
            double w = s->w[l * piece + t], z = s->z[l * piece + t], y = x[l];
            double c = huber_held(lo, hi, y);
            F[l] += huber_value(mu, d, y, c);
            xw[l] += y * w;
            cw[l] += c * w;
            x[l] = y - eta * (huber_slope(mu, d, y, c) + z);
        }
    sums out = {0};
    for (size_t l = 0; l < LANES; l++) {
        out.F += F[l];
        out.xw += xw[l];
        out.cw += cw[l];
    }
    double n = (double)s->n;
    return (sums){out.F / n, out.xw / n, out.cw / n};
}

/* The same with the filter of an optimizer. */
FINF_VECTOR static sums go_round_filter(const model *m, const blocks *s, lanes_state *x)
{
    size_t piece = s->n / LANES, n = m->states;
    double mu = m->mu, d = 1 - mu, lo = m->lo, hi = m->hi, F[LANES] = {0}, xw[LANES] = {0},
           cw[LANES] = {0};
    for (size_t t = 0; t < piece; t++) {
        double u[LANES], y[LANES];
        for (size_t l = 0; l < LANES; l++) {
            double w = s->w[l * piece + t], z = s->z[l * piece + t];
            y[l] = x->s[0][l];
            double c = huber_held(lo, hi, y[l]);
            F[l] += huber_value(mu, d, y[l], c);
            xw[l] += y[l] * w;
            cw[l] += c * w;
            u[l] = huber_slope(mu, d, y[l], c) + z;
        }
        for (size_t i = 0; i < n; i++)
            for (size_t l = 0; l < LANES; l++)
                x->s[i][l] = (i + 1 < n ? x->s[i + 1][l] : 0) - m->step[i] * u[l] -
                             m->keep[i] * y[l];
    }
    sums out = {0};
    for (size_t l = 0; l < LANES; l++) {
        out.F += F[l];
        out.xw += xw[l];
        out.cw += cw[l];
    }
    double N = (double)s->n;
    return (sums){out.F / N, out.xw / N, out.cw / N};
}

/* ---- F at an average of the thetas ----------------------------------------------------------- */

/* Every theta of the block, from the periodic x that begins each lane. */
static void trace(const model *m, const blocks *s, const lanes_state *x)
{
    size_t piece = s->n / LANES, n = m->states;
    for (size_t l = 0; l < LANES; l++) {
        double v[SOCP_LOOP_MOST + 1] = {0};
        for (size_t i = 0; i < n; i++) v[i] = x->s[i][l];
        for (size_t t = l * piece; t < (l + 1) * piece; t++) {
            double y = m->path[t] = v[0];
            double u = huber_slope(m->mu, 1 - m->mu, y, huber_held(m->lo, m->hi, y)) + s->z[t];
            for (size_t i = 0; i < n; i++) v[i] = v[i + 1] - m->step[i] * u - m->keep[i] * y;
        }
    }
}

/* The mean of F(avg_t) over the period. ema: avg begins as what the period before it makes of it;
 * last:K: the sum of K thetas slides, K being far below the period. */
static double averaged_value(const model *m, const blocks *s)
{
    const double *y = m->path;
    size_t n = s->n, K = m->average->average_last;
    double leak = m->average->average_leak, avg = 0, sum = 0, F = 0;
    int ema = m->average->average == AVERAGE_EMA;
    for (size_t t = 0; t < n && ema; t++) avg += leak * (y[t] - avg);
    for (size_t t = n - K; t < n && !ema; t++) sum += y[t];
    for (size_t t = 0; t < n; t++) {
        if (ema)
            avg += leak * (y[t] - avg);
        else
            avg = (sum += y[t] - y[t >= K ? t - K : n + t - K]) / (double)K;
        F += huber_value(m->mu, 1 - m->mu, avg, huber_held(m->lo, m->hi, avg));
    }
    return F / (double)n;
}

/* The means along the periodic theta: the end of a piece is the start of the next, until that
 * changes nothing above tol. x: where to start, and what it came to. */
static sums periodic(const model *m, const blocks *s, double tol, lanes_state *x)
{
    sums out = {0};
    double change = INFINITY;
    for (int i = 0; i < ROUNDS_MOST && !(change <= tol); i++) {
        lanes_state start = *x;
        out = m->filtered ? go_round_filter(m, s, x) : go_round(m, s, x->s[0]);
        change = 0;
        for (size_t k = 0; k < m->states; k++) {
            double *v = x->s[k], last = v[LANES - 1];
            for (int l = LANES - 1; l > 0; l--) v[l] = v[l - 1];
            v[0] = last;
            for (int l = 0; l < LANES; l++) change = fmax(change, fabs(v[l] - start.s[k][l]));
        }
    }
    if (m->average) {
        trace(m, s, x);
        out.F = averaged_value(m, s);
    }
    return out;
}

/* ---- block means, and their regression on the two of mean zero ------------------------------- */

typedef struct {
    double n, s[3], ss[3][3]; /* means and centred second moments of F, xw, cw (Welford) */
} moments;

static void moments_add(moments *a, sums b)
{
    double v[3] = {b.F, b.xw, b.cw}, d[3];
    a->n++;
    for (int i = 0; i < 3; i++) {
        d[i] = v[i] - a->s[i];
        a->s[i] += d[i] / a->n;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a->ss[i][j] += d[i] * (v[j] - a->s[j]);
}

/* The intercept of F on (xw, cw), by elimination of one after the other, skipping what is
 * dependent. The error is the standard deviation of Student's t: few blocks, and stopping when it
 * looks small, would else flatter it by a tenth. */
static double intercept(const moments *a, double *error)
{
    moments m = *a;
    double leverage = 1 / m.n, freedom = m.n - 1;
    for (int k = 2; k > 0; k--) {
        double p = m.ss[k][k];
        if (!(p > 1e-12 * a->ss[k][k])) continue;
        leverage += m.s[k] * m.s[k] / p;
        freedom--;
        for (int i = 0; i < k; i++) {
            double f = m.ss[i][k] / p;
            m.s[i] -= f * m.s[k];
            for (int j = 0; j < k; j++) m.ss[i][j] -= f * m.ss[k][j];
        }
    }
    *error = sqrt(fmax(m.ss[0][0], 0) / (freedom - 2) * leverage);
    return m.s[0];
}

/* ---- the worst knee, and the long run -------------------------------------------------------- */

/* As mu -> 0 the worst delta tends to 0 but stays above sqrt(mu) rms, where the quadratic of
 * curvature mu begins (F = |x| has twice the square's E[F]); under correlated noise it is a few
 * rms. Scanned with common random numbers over both, then the vertex of a parabola: the values are
 * noisy, and minimise.c would follow the noise. Block numbers from the top: none is used again. */
static finf_status worst_knee(model m, blocks *s, double rms, double *delta, double *steps)
{
    double low = log(rms * sqrt(m.mu) / 2), step = (log(4 * rms) - low) / (KNEES - 1), value[KNEES],
           error;
    moments sum[KNEES] = {0};
    int best = 0;
    finf_status st = FINF_OK;
    for (unsigned b = 0; b < SCAN_BLOCKS && !st && !stopped(s); b++, *steps += (double)s->n) {
        lanes_state x = {{{0}}};
        st = block(s, UINT64_MAX / 8 - b);
        /* each starts from its neighbour's */
        for (int i = 0; i < KNEES && !st && !stopped(s); i++) {
            m.hi = exp(low + step * i);
            m.lo = -m.hi;
            moments_add(&sum[i], periodic(&m, s, 1e-3 * rms, &x));
        }
    }
    for (int i = 0; i < KNEES; i++) {
        value[i] = intercept(&sum[i], &error);
        if (value[i] > value[best]) best = i;
    }
    double at = best;
    if (best > 0 && best < KNEES - 1)
        at += (value[best + 1] - value[best - 1]) /
              (2 * (2 * value[best] - value[best - 1] - value[best + 1]));
    *delta = exp(low + step * at);
    return st;
}

/* Blocks 0, 1, .. at the given F until the standard error is `relative` times the mean, or
 * STEPS_MOST steps are made. The search for a periodic theta starts from that of the block
 * before. */
static finf_status long_run(const model *m, blocks *s, double rms, double relative,
                            finf_worst_result *out)
{
    moments sum = {0};
    lanes_state x = {{{0}}};
    double next = LEAST_BLOCKS, most = fmax(LEAST_BLOCKS, STEPS_MOST / (double)s->n);
    for (;;) { /* looked at rarely, so that stopping does not favour a lucky error */
        while (sum.n < next) {
            if (stopped(s)) {
                if (sum.n >= LEAST_BLOCKS) out->mean = intercept(&sum, &out->error);
                return FINF_ETOL;
            }
            finf_status st = block(s, (unsigned long long)sum.n);
            if (st) return st;
            moments_add(&sum, periodic(m, s, 0.01 * relative * rms, &x));
            out->steps += (double)s->n;
        }
        out->mean = intercept(&sum, &out->error);
        if (out->error <= relative * out->mean) return FINF_OK;
        if (!(sum.n < most)) return FINF_ETOL;
        next = fmin(ceil(1.5 * sum.n), most);
    }
}

/* How long F remembers, the inverse of 1 - the slowest pole over [mu, L], and the root mean square
 * of theta on the quadratic of curvature L = 1: of plain sgd and of an optimizer. */
static finf_status scales(const finf_noise *noise, const socp_setting *s, double sgd_ratio,
                          double *memory, double *rms, finf_reason *why)
{
    double b = s->eta * s->smooth, T, relerr;
    finf_real slowest;
    if (!s->has_loop) {
        finf_status st = finf_noise_energy(noise, &b, 1, &T, &relerr, why);
        *memory = fmax(s->kappa / b, 1 / (2 - b));
        *rms = sqrt(b * (T + sgd_ratio * sgd_ratio) / (2 - b));
        return st;
    }
    double L = s->smooth - s->decay, mu = fmax(s->smooth / s->kappa - s->decay, 0);
    socp_model mo = socp_setting_model(s, 0);
    socp_loop_means *m = NULL;
    finf_status st = finf_optimizer_contraction(s->opt, s->eta, fmin(mu, L), L, &slowest, why);
    if (st == FINF_OK) st = socp_loop_means_make(noise, &mo, NULL, &m);
    if (st == FINF_OK) {
        *memory = 1 / (1 - slowest.value);
        *rms = sqrt(socp_loop_mean(m, 1, sgd_ratio * sgd_ratio, &relerr));
    }
    socp_loop_means_free(m);
    return st;
}

/* How long a block is: by the memory of F, and doubled until the noise in it is that of theory 0.1,
 * as a density with a narrow peak takes longer ones. */
static finf_status block_length(const finf_noise *noise, double memory, size_t *n, finf_reason *why)
{
    size_t taps = noise_taps(noise);
    double length = (finf_noise_scale(noise) < 1 / memory ? 64 : 20) * memory;
    int fits = 0;
    for (*n = BLOCK_LEAST; *n < BLOCK_MOST && ((double)*n < length || *n < 4 * taps);) *n *= 2;
    for (;; *n *= 2) {
        finf_status s = noise_stream_fits(noise, *n, fmin(1 / memory, 1), 2e-3, &fits, why);
        if (s || fits) return s;
        if (*n >= BLOCK_MOST)
            return finf_why(why, FINF_ETOL,
                            "blocks of %zu steps are too short for so narrow a peak of |B|^2", *n);
    }
}

/* domain:   as finf_iqc; 0 < relative_error < 1
 * cancel:   NULL, or polled between blocks: nonzero ends it (FINF_ETOL, with what was reached)
 * accuracy: error is one standard error; FINF_ETOL when it is above relative_error at the last step
 *           allowed (with what was reached), or when F remembers more than 1e6 steps, 1/(eta mu) or
 *           1/(2 - eta L) of plain sgd (with NaN: a block would be too short). +inf where a
 *           quadratic diverges or z has no finite variance. */
finf_status finf_iqc_simulate(const finf_noise *noise, double eta, double kappa, double smooth,
                              const finf_optimizer *optimizer, double sgd_ratio,
                              finf_worst_kind kind, unsigned long long seed, double relative_error,
                              const finf_cancel *cancel, finf_worst_result *out)
{
    double L = smooth, b = eta * L, h, memory = 0, rms = 0;
    const finf_worst_result failed = {.kind = kind, .mean = NAN, .error = INFINITY};
    *out = failed;
    finf_status st = finf_choice_check("kind", (int)kind, FINF_WORST_ASYMMETRIC, &out->reason);
    if (!st) st = socp_check_sizes(eta, kappa, L, 1, &out->reason);
    if (st) return st;
    if (!(kappa <= BOUNDS_HUGE && b > 0 && sgd_ratio >= 0 && isfinite(sgd_ratio) &&
          relative_error > 0 && relative_error < 1))
        return finf_why(&out->reason, FINF_EDOM,
                        "kappa = %s, eta L = %s, sgd_ratio = %s, relative_error = %s: must be at "
                        "most 1e50, positive, >= 0 and finite, between 0 and 1",
                        finf_show(kappa).s, finf_show(b).s, finf_show(sgd_ratio).s,
                        finf_show(relative_error).s);
    socp_setting set = socp_setting_make(eta, kappa, smooth, optimizer);
    if (socp_setting_diverges(&set, &h, &out->reason)) {
        out->mean = INFINITY;
        out->error = 0;
        return FINF_OK;
    }
    L = set.smooth;
    st = scales(noise, &set, sgd_ratio, &memory, &rms, &out->reason);
    if (st) return st;
    if (!isfinite(rms)) {
        out->mean = INFINITY;
        out->error = 0;
        return FINF_OK;
    }
    if (set.averaged)
        memory = fmax(memory, fmax(1 / set.opt->average_leak, (double)set.opt->average_last));
    size_t n, taps = noise_taps(noise);
    st = block_length(noise, memory, &n, &out->reason);
    if (st) return st;
    if ((double)n < 16 * memory || n < 4 * taps)
        return finf_why(
            &out->reason, FINF_ETOL,
            set.has_loop || set.averaged
                ? "blocks of %zu steps are too short for noise of %zu coefficients and an F that "
                  "remembers %.3g steps"
                : "blocks of %zu steps are too short for noise of %zu coefficients and an F that "
                  "remembers %.3g steps, the larger of 1/(eta mu) and 1/(2 - eta L)",
            n, taps, memory);

    model m = {.eta = eta * L, .mu = 1 / set.kappa, .lo = -INFINITY, .hi = 0, .states = 1};
    if (set.has_loop || set.averaged) set_filter(&set.loop, &m);
    if (set.averaged) {
        m.average = set.opt;
        m.path = malloc(n * sizeof *m.path);
        if (!m.path) return finf_why(&out->reason, FINF_ENOMEM, "no memory");
    }
    blocks s = {.cancel = cancel ? *cancel : (finf_cancel){NULL, NULL}};
    st = blocks_make(noise, n, seed, sgd_ratio, &s);
    if (!st && kind == FINF_WORST_HUBER) {
        st = worst_knee(m, &s, rms, &out->delta, &out->steps);
        m.hi = out->delta;
        m.lo = -m.hi;
    }
    if (!st) st = long_run(&m, &s, rms, relative_error, out);
    blocks_free(&s);
    free(m.path);
    if (st && st != FINF_ETOL) *out = failed;
    if (st)
        finf_why(&out->reason, st,
                 st == FINF_ETOL ? "stopped before the relative error of %s was reached"
                                 : "no memory",
                 finf_show(relative_error).s);
    out->delta /= L;
    out->mean /= L;
    out->error /= L;
    return st;
}
