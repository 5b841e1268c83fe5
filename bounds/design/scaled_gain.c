/* Noise with k vectors of state: the gains that make the sensitivity of every user 1, and their
 * derivatives, in O(k^2) a step. (theory 12.5)
 *
 * G(t) = out(t) out(t)' + decay G(t+1) decay is the products of all columns before t from row t on,
 * and S(t) the state that a user's earlier steps have left before step t: of the sum of the user's
 * columns, each times h = within, step t adds
 *
 *     h (h + 2 out'S) + (h in)'G(t+1) (h in + 2 decay S)
 *
 * to the square. */
#include <stdlib.h>
#include <string.h>

#include "scaled.h"

finf_status scaled_noise_make(size_t n, size_t k, scaled_noise *x)
{
    *x = (scaled_noise){.out = calloc(2 * n * (k + 1), sizeof *x->out)};
    if (!x->out) return FINF_ENOMEM;
    x->in = x->out + n * k;
    x->within = x->in + n * k;
    x->gain = x->within + n;
    return FINF_OK;
}

void scaled_noise_free(scaled_noise *x)
{
    free(x->out);
    x->out = NULL;
}

void scaled_noise_clear(size_t n, size_t k, scaled_noise *x)
{
    memset(x->decay, 0, sizeof x->decay);
    memset(x->out, 0, 2 * n * (k + 1) * sizeof *x->out);
}

/* ---- room -------------------------------------------------------------------------------------
 */

/* What the derivatives take from the gains. */
typedef struct {
    double *G; /* (n+1) k k: G(t) at [t k k] */
    double *S; /* n k: the state before a step of the steps of its user */
    double *f; /* n: the derivative by the square of its user's sum */
} gain_work;

static gain_work parts(size_t n, size_t k, double *work)
{
    gain_work w = {.G = work};
    w.S = w.G + (n + 1) * k * k;
    w.f = w.S + n * k;
    return w;
}

size_t scaled_gain_room(const design_groups *g, size_t k)
{
    return (g->n + 1) * k * k + g->n * (k + 1);
}

/* decay^(steps-1), computed where `steps` is not what it was. */
typedef struct {
    size_t steps;
    double power[SCALED_MAX];
} between;

static void set_between(const scaled_noise *x, size_t k, size_t steps, between *b)
{
    if (b->steps == steps) return;
    b->steps = steps;
    for (size_t i = 0; i < k; i++) b->power[i] = pow(x->decay[i], (double)(steps - 1));
}

/* ---- gains ------------------------------------------------------------------------------------
 */

static void gather(size_t n, size_t k, const scaled_noise *x, double *G)
{
    memset(G + n * k * k, 0, k * k * sizeof *G);
    for (size_t t = n; t-- > 0;) {
        const double *after = G + (t + 1) * k * k, *out = x->out + t * k;
        double *to = G + t * k * k;
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < k; j++)
                to[i * k + j] = out[i] * out[j] + x->decay[i] * after[i * k + j] * x->decay[j];
    }
}

/* What step t adds to the square. */
static double add_column(size_t k, const scaled_noise *x, size_t t, const gain_work *w)
{
    const double *in = x->in + t * k, *S = w->S + t * k, *G = w->G + (t + 1) * k * k;
    double h = x->within[t], square = h * (h + 2 * scaled_product(k, x->out + t * k, S));
    for (size_t i = 0; i < k; i++)
        square += (h * in[i] + 2 * x->decay[i] * S[i]) * h * scaled_product(k, G + i * k, in);
    return square;
}

/* S at the user's next step after t. */
static void move_state(size_t k, const scaled_noise *x, size_t t, size_t next, between *b,
                       double *S)
{
    set_between(x, k, next - t, b);
    for (size_t i = 0; i < k; i++)
        S[next * k + i] = b->power[i] *
                          (x->decay[i] * S[t * k + i] + x->within[t] * x->in[t * k + i]);
}

void scaled_gain(const design_groups *g, size_t k, scaled_noise *x, double *work)
{
    gain_work w = parts(g->n, k, work);
    between b = {0};
    gather(g->n, k, x, w.G);
    for (size_t c = 0; c < g->groups; c++) {
        const size_t *step = g->step + g->from[c];
        size_t count = design_group_size(g, c);
        double square = 0;
        memset(w.S + step[0] * k, 0, k * sizeof *w.S);
        for (size_t l = 0; l < count; l++) {
            square += add_column(k, x, step[l], &w);
            if (l + 1 < count) move_state(k, x, step[l], step[l + 1], &b, w.S);
        }
        for (size_t l = 0; l < count; l++) x->gain[step[l]] = sqrt(square) / x->within[step[l]];
    }
}

/* ---- derivatives ------------------------------------------------------------------------------
 */

/* Those by `gain` become those by `within` and by the square, which is returned. */
static double square_slope(const size_t *step, size_t count, const scaled_noise *x,
                           scaled_noise *by)
{
    double slope = 0, root = x->gain[step[0]] * x->within[step[0]];
    for (size_t l = 0; l < count; l++) {
        size_t t = step[l];
        slope += by->gain[t] / x->within[t];
        by->within[t] -= by->gain[t] * x->gain[t] / x->within[t];
    }
    return 0.5 * slope / root;
}

/* Of what step t adds, but by G; Y: by the state before step t. */
static void add_column_slope(size_t k, const scaled_noise *x, size_t t, const gain_work *w,
                             double *Y, scaled_noise *by)
{
    const double *in = x->in + t * k, *out = x->out + t * k, *S = w->S + t * k;
    const double *G = w->G + (t + 1) * k * k;
    double h = x->within[t], f = w->f[t], moved[SCALED_MAX], sum = h + scaled_product(k, out, S);
    for (size_t i = 0; i < k; i++) moved[i] = h * in[i] + x->decay[i] * S[i];
    for (size_t i = 0; i < k; i++) {
        double Gin = scaled_product(k, G + i * k, in);
        sum += moved[i] * Gin;
        by->in[t * k + i] += 2 * f * h * scaled_product(k, G + i * k, moved);
        by->out[t * k + i] += 2 * f * h * S[i];
        by->decay[i] += 2 * f * h * S[i] * Gin;
        Y[i] += 2 * f * h * (out[i] + x->decay[i] * Gin);
    }
    by->within[t] += 2 * f * sum;
}

/* From those by the state before the user's next step, in Y, to those by the state before step t.
 */
static void move_state_slope(size_t k, const scaled_noise *x, size_t t, const between *b,
                             const double *S, double *Y, scaled_noise *by)
{
    double last = (double)(b->steps - 1), h = x->within[t];
    for (size_t i = 0; i < k; i++) {
        double y = b->power[i] * Y[i], left = x->decay[i] * S[t * k + i], in = x->in[t * k + i];
        by->within[t] += y * in;
        by->in[t * k + i] += y * h;
        by->decay[i] += y * (S[t * k + i] + last * (left + h * in) / x->decay[i]);
        Y[i] = y * x->decay[i];
    }
}

/* Forward in time: Y has the derivatives by G(t+1), and those of the steps before in it. */
static void gather_slope(size_t n, size_t k, const scaled_noise *x, const gain_work *w,
                         scaled_noise *by)
{
    double Y[SCALED_MAX * SCALED_MAX] = {0};
    for (size_t t = 0; t < n; t++) {
        const double *G = w->G + (t + 1) * k * k, *in = x->in + t * k, *S = w->S + t * k;
        double h = x->within[t], f = w->f[t] * h, left[SCALED_MAX];
        for (size_t i = 0; i < k; i++) {
            by->out[t * k + i] += 2 * scaled_product(k, Y + i * k, x->out + t * k);
            left[i] = x->decay[i] * S[i];
        }
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < k; j++) {
                double more = h * in[i] * in[j] + left[i] * in[j] + in[i] * left[j];
                by->decay[i] += 2 * Y[i * k + j] * x->decay[j] * G[i * k + j];
                Y[i * k + j] = x->decay[i] * Y[i * k + j] * x->decay[j] + f * more;
            }
    }
}

void scaled_gain_slope(const design_groups *g, size_t k, const scaled_noise *x, double *work,
                       scaled_noise *by)
{
    gain_work w = parts(g->n, k, work);
    between b = {0};
    for (size_t c = 0; c < g->groups; c++) {
        const size_t *step = g->step + g->from[c];
        size_t count = design_group_size(g, c);
        double Y[SCALED_MAX] = {0}, f = square_slope(step, count, x, by);
        for (size_t l = count; l-- > 0;) {
            size_t t = step[l];
            w.f[t] = f;
            if (l + 1 < count) {
                set_between(x, k, step[l + 1] - t, &b);
                move_state_slope(k, x, t, &b, w.S, Y, by);
            }
            add_column_slope(k, x, t, &w, Y, by);
        }
    }
    gather_slope(g->n, k, x, &w, by);
}
