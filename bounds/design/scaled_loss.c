/* The loss of noise with k vectors of state, and its derivatives, without a matrix. (theory 12.5)
 *
 * With T = E[S S'] and Q = E[x S'], x the states of all directions, at step t:
 *
 *     v = T out,  e = 1 + out'v,  q = Q out,          E y_t^2 = e,  E[x y_t] = -q,
 *     loss += gain_t^2 M_tt e - 2 gain_t past_t . q,
 *     h = e in - decay v                              = E[y_t S(t+1)],
 *     T <- decay T decay - (decay v) in' - in (decay v)' + e in in',
 *     Q <- A (Q decay - q in') + gain_t g h',
 *
 * decay the diagonal matrix and g the run's own gain: O(k p d) a step. */
#include "scaled.h"

#include <stdlib.h>
#include <string.h>

#include "dense.h"

#define KEPT_MOST ((size_t)1 << 22) /* numbers: where all moments are fewer, all are kept */

/* ---- room ------------------------------------------------------------------------------------ */

static size_t states(const finf_design *r) { return r->p * r->d; }

/* T and Q of a step: k x k, and k rows of the states. */
static size_t moments_length(const scaled_loss *a) { return a->k * (a->k + states(a->r)); }

void scaled_loss_free(scaled_loss *a)
{
    free(a->own);
    a->own = NULL;
}

static finf_status room(const finf_design *r, size_t k, scaled_loss *a)
{
    *a = (scaled_loss){.r = r, .k = k};
    size_t n = r->n, length = moments_length(a), past = n * states(r);
    size_t block = n * length <= KEPT_MOST ? n : (size_t)ceil(sqrt((double)n));
    size_t blocks = (n + block - 1) / block;
    a->block = block;
    a->own = malloc((n + past + (blocks + block + 3) * length + 2 * states(r)) * sizeof *a->own);
    if (!a->own) return FINF_ENOMEM;
    a->past = a->own + n;
    a->kept = a->past + past;
    a->moments = a->kept + blocks * length;
    a->slope = a->moments + (block + 1) * length;
    a->before = a->slope + length;
    a->work = a->before + length;
    return FINF_OK;
}

/* y = A'x of the states of all directions. */
static void transposed(const finf_design *r, const double *x, double *y)
{
    memset(y, 0, states(r) * sizeof *y);
    for (size_t e = 0; e < r->entries; e++)
        design_add_product(r->d, x + r->A[e].row * r->d, r->A[e].value, y + r->A[e].column * r->d);
}

/* The run's gain times x. */
static double along_gain(const finf_design *r, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < r->p; i++)
        if (r->gain[i] != 0) sum += r->gain[i] * design_sum(r->d, x + i * r->d);
    return sum;
}

finf_status scaled_loss_make(const finf_design *r, const double *u, size_t k, scaled_loss *a)
{
    design_adjoint w;
    finf_status s = room(r, k, a);
    if (s) return s;
    s = design_adjoint_make(r, &w);
    for (size_t t = r->n; t-- > 0 && !s;) {
        if (t % 64 == 0 && finf_cancelled(r->o.cancel)) s = FINF_ETOL;
        design_adjoint_step(r, u[t + 1] * design_scale(r, t + 1), &w);
        design_row_weights(r, w.P, a->work);
        a->own[t] = along_gain(r, a->work);
        transposed(r, a->work, a->past + t * states(r));
    }
    design_adjoint_free(&w);
    return s;
}

/* ---- forward --------------------------------------------------------------------------------- */

/* What a step has besides its moments. */
typedef struct {
    const double *out, *in;
    double gain;
    double v[SCALED_MAX]; /* T out */
    double e;             /* 1 + out'v */
    double h[SCALED_MAX]; /* e in - decay v */
} scaled_step;

static void look(const scaled_loss *a, const scaled_noise *x, size_t t, const double *T,
                 scaled_step *s)
{
    size_t k = a->k;
    s->out = x->out + t * k;
    s->in = x->in + t * k;
    s->gain = x->gain[t];
    s->e = 1;
    for (size_t i = 0; i < k; i++) {
        s->v[i] = scaled_product(k, T + i * k, s->out);
        s->e += s->out[i] * s->v[i];
    }
    for (size_t i = 0; i < k; i++) s->h[i] = s->e * s->in[i] - x->decay[i] * s->v[i];
}

/* q = Q out. */
static void seen(const scaled_loss *a, const double *Q, const scaled_step *s, double *q)
{
    size_t m = states(a->r);
    memset(q, 0, m * sizeof *q);
    dense_combine(s->out, Q, a->k, m, m, q);
}

/* T after a step, from that before it. */
static void move_buffers(const scaled_loss *a, const scaled_noise *x, const scaled_step *s,
                         const double *T, double *to)
{
    size_t k = a->k;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            to[i * k + j] = x->decay[i] * (T[i * k + j] * x->decay[j] - s->v[i] * s->in[j]) -
                            s->in[i] * x->decay[j] * s->v[j] + s->e * s->in[i] * s->in[j];
}

/* next = A (decay Q - in q) + push gain, for one buffer. */
FINF_VECTOR static void move_states(const finf_design *r, double decay, double in, double push,
                                    const double *restrict Q, const double *restrict q,
                                    double *restrict next)
{
    size_t d = r->d;
    for (size_t l = 0; l < r->p; l++)
        for (size_t j = 0; j < d; j++) next[l * d + j] = push * r->gain[l];
    for (size_t e = 0; e < r->entries; e++) {
        const double *value = r->A[e].value, *x = Q + r->A[e].column * d;
        const double *y = q + r->A[e].column * d;
        double *to = next + r->A[e].row * d;
        for (size_t j = 0; j < d; j++) to[j] += value[j] * (decay * x[j] - in * y[j]);
    }
}

/* One step; the part of the loss. */
static double step(const scaled_loss *a, const scaled_noise *x, size_t t, const double *from,
                   double *to)
{
    size_t m = states(a->r), k = a->k;
    const double *Q = from + k * k;
    double *q = a->work, *next = to + k * k;
    scaled_step s;
    look(a, x, t, from, &s);
    seen(a, Q, &s, q);
    double loss = s.gain * s.gain * a->own[t] * s.e - 2 * s.gain * dense_dot(a->past + t * m, q, m);
    move_buffers(a, x, &s, from, to);
    for (size_t i = 0; i < k; i++)
        move_states(a->r, x->decay[i], s.in[i], s.gain * s.h[i], Q + i * m, q, next + i * m);
    return loss;
}

/* The loss; moments are kept at all steps, or at the first of every block. */
static double forward(scaled_loss *a, const scaled_noise *x)
{
    size_t n = a->r->n, length = moments_length(a);
    double *now = a->moments, *next = now + length, loss = 0;
    memset(now, 0, length * sizeof *now);
    for (size_t t = 0; t < n; t++) {
        if (t % a->block == 0) memcpy(a->kept + t / a->block * length, now, length * sizeof *now);
        loss += step(a, x, t, now, next);
        double *swap = now;
        now = next;
        next = a->block == n ? now + length : swap;
    }
    return loss;
}

/* ---- backward -------------------------------------------------------------------------------- */

/* Four numbers side by side, so that additions need not wait for each other. */
typedef double lanes __attribute__((vector_size(32), aligned(8), may_alias));
enum { LANES = 4 };

/* H = A' slope for one buffer; by_q -= in H; sums: of H with q and with Q. */
FINF_VECTOR static void pull(const finf_design *r, double in, const double *restrict slope,
                             const double *restrict q, const double *restrict Q, double *restrict H,
                             double *restrict by_q, double sums[2])
{
    size_t d = r->d, m = r->p * d, c = 0;
    lanes with_q = {0}, with_Q = {0};
    memset(H, 0, m * sizeof *H);
    for (size_t e = 0; e < r->entries; e++) {
        const double *value = r->A[e].value, *from = slope + r->A[e].row * d;
        double *to = H + r->A[e].column * d;
        for (size_t j = 0; j < d; j++) to[j] += value[j] * from[j];
    }
    for (; c + LANES <= m; c += LANES) {
        lanes h = *(const lanes *)(H + c);
        with_q += h * *(const lanes *)(q + c);
        with_Q += h * *(const lanes *)(Q + c);
        *(lanes *)(by_q + c) -= in * h;
    }
    sums[0] = (with_q[0] + with_q[2]) + (with_q[1] + with_q[3]);
    sums[1] = (with_Q[0] + with_Q[2]) + (with_Q[1] + with_Q[3]);
    for (; c < m; c++) {
        sums[0] += H[c] * q[c];
        sums[1] += H[c] * Q[c];
        by_q[c] -= in * H[c];
    }
}

/* H = decay H + out by_q; Q'by_q. */
FINF_VECTOR static double settle(size_t m, double decay, double out, const double *restrict by_q,
                                 const double *restrict Q, double *restrict H)
{
    size_t c = 0;
    lanes sums = {0};
    for (; c + LANES <= m; c += LANES) {
        lanes by = *(const lanes *)(by_q + c);
        sums += by * *(const lanes *)(Q + c);
        *(lanes *)(H + c) = decay * *(const lanes *)(H + c) + out * by;
    }
    double sum = (sums[0] + sums[2]) + (sums[1] + sums[3]);
    for (; c < m; c++) {
        sum += Q[c] * by_q[c];
        H[c] = decay * H[c] + out * by_q[c];
    }
    return sum;
}

/* The part of Q: adds to `by` and to the derivatives of e, h; a->before has those of Q before the
 * step, from those after it in a->slope. */
static void back_states(scaled_loss *a, const scaled_noise *x, size_t t, const scaled_step *s,
                        const double *Q, double *by_h, scaled_noise *by)
{
    size_t k = a->k, m = states(a->r);
    const double *slope = a->slope + k * k, *past = a->past + t * m;
    double *before = a->before + k * k, *q = a->work, *by_q = q + m, sums[2];
    seen(a, Q, s, q);
    dense_scaled(-2 * s->gain, past, m, by_q);
    by->gain[t] += 2 * s->gain * a->own[t] * s->e - 2 * dense_dot(past, q, m);
    for (size_t i = 0; i < k; i++) {
        double g = along_gain(a->r, slope + i * m);
        by->gain[t] += g * s->h[i];
        by_h[i] = s->gain * g;
        pull(a->r, s->in[i], slope + i * m, q, Q + i * m, before + i * m, by_q, sums);
        by->in[t * k + i] -= sums[0];
        by->decay[i] += sums[1];
    }
    for (size_t i = 0; i < k; i++)
        by->out[t * k + i] += settle(m, x->decay[i], s->out[i], by_q, Q + i * m, before + i * m);
}

/* The part of T, likewise. Z: the derivatives by T after the step. */
static void back_buffers(scaled_loss *a, const scaled_noise *x, size_t t, const scaled_step *s,
                         const double *T, const double *by_h, scaled_noise *by)
{
    size_t k = a->k;
    const double *Z = a->slope;
    double by_e = s->gain * s->gain * a->own[t], by_v[SCALED_MAX], Zin[SCALED_MAX];
    for (size_t i = 0; i < k; i++) {
        Zin[i] = scaled_product(k, Z + i * k, s->in);
        by_e += s->in[i] * (by_h[i] + Zin[i]);
    }
    for (size_t i = 0; i < k; i++) {
        double moved = 0, more = -by_h[i] - 2 * Zin[i]; /* by decay_i v_i */
        for (size_t j = 0; j < k; j++) {
            moved += Z[i * k + j] * x->decay[j] * s->v[j];
            by->decay[i] += 2 * T[i * k + j] * x->decay[j] * Z[i * k + j];
        }
        by->in[t * k + i] += s->e * (by_h[i] + 2 * Zin[i]) - 2 * moved;
        by->decay[i] += s->v[i] * more;
        by->out[t * k + i] += by_e * s->v[i];
        by_v[i] = x->decay[i] * more + by_e * s->out[i];
    }
    for (size_t i = 0; i < k; i++) {
        by->out[t * k + i] += scaled_product(k, T + i * k, by_v);
        for (size_t j = 0; j < k; j++)
            a->before[i * k + j] = x->decay[i] * Z[i * k + j] * x->decay[j] +
                                   0.5 * (by_v[i] * s->out[j] + s->out[i] * by_v[j]);
    }
}

static void back(scaled_loss *a, const scaled_noise *x, size_t t, const double *moments,
                 scaled_noise *by)
{
    scaled_step s;
    double by_h[SCALED_MAX];
    look(a, x, t, moments, &s);
    back_states(a, x, t, &s, moments + a->k * a->k, by_h, by);
    back_buffers(a, x, t, &s, moments, by_h, by);
    double *swap = a->slope;
    a->slope = a->before;
    a->before = swap;
}

/* Block by block, the last first: its moments once more, unless all are kept, and then back through
 * it. */
double scaled_loss_at(scaled_loss *a, const scaled_noise *x, scaled_noise *by)
{
    size_t n = a->r->n, length = moments_length(a);
    double loss = forward(a, x);
    memset(a->slope, 0, length * sizeof *a->slope);
    for (size_t from = (n - 1) / a->block * a->block;; from -= a->block) {
        size_t to = from + a->block < n ? from + a->block : n;
        memcpy(a->moments, a->kept + from / a->block * length, length * sizeof *a->moments);
        for (size_t t = from; t + 1 < to && a->block < n; t++)
            step(a, x, t, a->moments + (t - from) * length, a->moments + (t - from + 1) * length);
        for (size_t t = to; t-- > from;) back(a, x, t, a->moments + (t - from) * length, by);
        if (from == 0) break;
    }
    return loss;
}
