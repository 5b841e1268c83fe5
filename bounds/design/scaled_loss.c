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
    size_t n = r->n, block = (size_t)ceil(sqrt((double)n)), blocks = (n + block - 1) / block;
    *a = (scaled_loss){.r = r, .k = k, .block = block};
    size_t length = moments_length(a), past = n * states(r);
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
    *s = (scaled_step){.out = x->out + t * k, .in = x->in + t * k, .gain = x->gain[t], .e = 1};
    for (size_t i = 0; i < k; i++) {
        s->v[i] = dense_dot(T + i * k, s->out, k);
        s->e += s->out[i] * s->v[i];
    }
    for (size_t i = 0; i < k; i++) s->h[i] = s->e * s->in[i] - x->decay[i] * s->v[i];
}

/* q = Q out. */
static void seen(const scaled_loss *a, const double *Q, const scaled_step *s, double *q)
{
    size_t m = states(a->r);
    memset(q, 0, m * sizeof *q);
    for (size_t i = 0; i < a->k; i++) dense_axpy(s->out[i], Q + i * m, m, q);
}

/* The moments after a step, from those before it; q = Q out, work: as many numbers. */
static void move(const scaled_loss *a, const scaled_noise *x, const scaled_step *s,
                 const double *from, const double *q, double *work, double *to)
{
    size_t k = a->k, m = states(a->r), d = a->r->d;
    const double *T = from, *Q = from + k * k;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            to[i * k + j] = x->decay[i] * (T[i * k + j] * x->decay[j] - s->v[i] * s->in[j]) -
                            s->in[i] * x->decay[j] * s->v[j] + s->e * s->in[i] * s->in[j];
    for (size_t i = 0; i < k; i++) {
        double *next = to + k * k + i * m;
        for (size_t c = 0; c < m; c++) work[c] = x->decay[i] * Q[i * m + c] - s->in[i] * q[c];
        design_advance(a->r, work, next);
        for (size_t l = 0; l < a->r->p; l++)
            for (size_t c = 0; c < d && a->r->gain[l] != 0; c++)
                next[l * d + c] += s->gain * s->h[i] * a->r->gain[l];
    }
}

/* One step; the part of the loss. */
static double step(const scaled_loss *a, const scaled_noise *x, size_t t, const double *from,
                   double *to)
{
    size_t m = states(a->r);
    double *q = a->work, *work = q + m;
    scaled_step s;
    look(a, x, t, from, &s);
    seen(a, from + a->k * a->k, &s, q);
    double loss = s.gain * s.gain * a->own[t] * s.e - 2 * s.gain * dense_dot(a->past + t * m, q, m);
    move(a, x, &s, from, q, work, to);
    return loss;
}

/* The loss; moments are kept at the first step of every block. */
static double forward(scaled_loss *a, const scaled_noise *x)
{
    size_t length = moments_length(a);
    double *now = a->moments, *next = now + length, loss = 0;
    memset(now, 0, length * sizeof *now);
    for (size_t t = 0; t < a->r->n; t++) {
        if (t % a->block == 0) memcpy(a->kept + t / a->block * length, now, length * sizeof *now);
        loss += step(a, x, t, now, next);
        double *swap = now;
        now = next;
        next = swap;
    }
    return loss;
}

/* ---- backward -------------------------------------------------------------------------------- */

/* The part of Q: adds to `by` and to the derivatives of e, h; a->before has those of Q before the
 * step, from those after it in a->slope. */
static void back_states(scaled_loss *a, const scaled_noise *x, size_t t, const scaled_step *s,
                        const double *Q, double *by_h, scaled_noise *by)
{
    size_t k = a->k, m = states(a->r);
    const double *slope = a->slope + k * k, *past = a->past + t * m;
    double *before = a->before + k * k, *q = a->work, *by_q = q + m;
    seen(a, Q, s, q);
    for (size_t c = 0; c < m; c++) by_q[c] = -2 * s->gain * past[c];
    by->gain[t] += 2 * s->gain * a->own[t] * s->e - 2 * dense_dot(past, q, m);
    for (size_t i = 0; i < k; i++) {
        double *H = before + i * m, g = along_gain(a->r, slope + i * m);
        transposed(a->r, slope + i * m, H);
        by->gain[t] += g * s->h[i];
        by_h[i] = s->gain * g;
        by->in[t * k + i] -= dense_dot(H, q, m);
        by->decay[i] += dense_dot(H, Q + i * m, m);
        dense_axpy(-s->in[i], H, m, by_q);
    }
    for (size_t i = 0; i < k; i++) {
        double *H = before + i * m;
        by->out[t * k + i] += dense_dot(Q + i * m, by_q, m);
        for (size_t c = 0; c < m; c++) H[c] = x->decay[i] * H[c] + s->out[i] * by_q[c];
    }
}

/* The part of T, likewise. Z: the derivatives by T after the step. */
static void back_buffers(scaled_loss *a, const scaled_noise *x, size_t t, const scaled_step *s,
                         const double *T, const double *by_h, scaled_noise *by)
{
    size_t k = a->k;
    const double *Z = a->slope;
    double by_e = s->gain * s->gain * a->own[t], by_v[SCALED_MAX], Zin[SCALED_MAX];
    for (size_t i = 0; i < k; i++) {
        Zin[i] = dense_dot(Z + i * k, s->in, k);
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
        by->out[t * k + i] += dense_dot(T + i * k, by_v, k);
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

/* Block by block, the last first: its moments once more, and then back through it. */
double scaled_loss_at(scaled_loss *a, const scaled_noise *x, scaled_noise *by)
{
    size_t n = a->r->n, length = moments_length(a);
    double loss = forward(a, x);
    memset(a->slope, 0, length * sizeof *a->slope);
    for (size_t from = (n - 1) / a->block * a->block;; from -= a->block) {
        size_t to = from + a->block < n ? from + a->block : n;
        memcpy(a->moments, a->kept + from / a->block * length, length * sizeof *a->moments);
        for (size_t t = from; t + 1 < to; t++)
            step(a, x, t, a->moments + (t - from) * length, a->moments + (t - from + 1) * length);
        for (size_t t = to; t-- > from;) back(a, x, t, a->moments + (t - from) * length, by);
        if (from == 0) break;
    }
    return loss;
}
