/* z = Bw one step at a time. (theory 13.5)
 *
 * Every coordinate goes through the same operations in the same order, whatever lies beside it: a
 * worker that has some of the coordinates makes the bits of one that has all. */
#include "noise_filter.h"

#include <stdlib.h>
#include <string.h>

#include "tail_decays.h"

/* ---- which filter ---------------------------------------------------------------------------- */

static finf_status allocate(filter_kind kind, size_t n, size_t length, noise_filter *out,
                            finf_reason *why)
{
    *out = (noise_filter){.kind = kind, .n = n, .length = length, .limit = UINT64_MAX};
    out->rows = kind == FILTER_BUFFERS || kind == FILTER_STEPS ? n : n - 1;
    if (length <= SIZE_MAX / sizeof *out->coef) out->coef = malloc(length * sizeof *out->coef);
    return out->coef ? FINF_OK : finf_why(why, FINF_ENOMEM, "no memory");
}

/* beta_0 .. beta_{n-1} are all there are, or all that will be used. */
static finf_status inputs(const finf_noise *noise, size_t n, noise_filter *out, finf_reason *why)
{
    finf_status s = allocate(FILTER_INPUTS, n, n, out, why);
    if (!s) s = finf_noise_beta(noise, n, out->coef, why);
    return s;
}

/* B = 1 - (1-nu) z, which power:1,V is too. */
static int is_antipgd(const finf_noise *noise)
{
    return noise->family == &noise_antipgd ||
           (noise->family == &noise_power && noise->coef[0] == 1);
}

/* A noise that has neither a recursion nor a finite beta is exact for the steps asked for: nothing
 * is cut off, and nothing is put in its place. */
static finf_status windowed(const finf_noise *noise, size_t steps, noise_filter *out,
                            finf_reason *why)
{
    const char *name = noise->family->name;
    if (steps == 0)
        return finf_why(why, FINF_EUSAGE,
                        "%s has no recursion: its past must be kept, so say for how many steps",
                        name);
    finf_status s = inputs(noise, steps, out, why);
    out->limit = steps;
    return s;
}

finf_status noise_filter_make(const finf_noise *noise, size_t steps, noise_filter *out,
                              finf_reason *why)
{
    finf_status s = FINF_OK;
    *out = (noise_filter){.kind = FILTER_NONE, .limit = UINT64_MAX};
    if (noise_is_white(noise) || (noise->family == &noise_blt && noise->n == 0)) return FINF_OK;
    if (noise->family == &noise_blt) {
        s = allocate(FILTER_BUFFERS, noise->n, 2 * noise->n, out, why);
        if (!s) memcpy(out->coef, noise->coef, 2 * noise->n * sizeof *out->coef);
    } else if (noise->family == &noise_strategy) {
        s = allocate(FILTER_OUTPUTS, noise_taps(noise), noise_taps(noise), out, why);
        if (!s) s = finf_noise_coef(noise, out->n, out->coef, why);
    } else if (noise_taps(noise)) {
        s = inputs(noise, noise_taps(noise), out, why);
    } else if (is_antipgd(noise)) {
        s = inputs(noise, 2, out, why);
    } else {
        s = windowed(noise, steps, out, why);
    }
    if (s) noise_filter_free(out);
    return s;
}

finf_status noise_filter_matrix(const double *B, size_t n, noise_filter *out, finf_reason *why)
{
    *out = (noise_filter){.kind = FILTER_NONE};
    if (n < 1 || n > FINF_SYSTEM_DENSE_MAX)
        return finf_why(why, FINF_EDOM, "%zu steps: must be from 1 to %u", n,
                        FINF_SYSTEM_DENSE_MAX);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            if (!(fabs(B[i * n + j]) <= BOUNDS_HUGE))
                return finf_why(why, FINF_EDOM,
                                "entry %s in row %zu, column %zu: must be at most 1e50 in size",
                                finf_show(B[i * n + j]).s, i + 1, j + 1);
    finf_status s = allocate(FILTER_ROWS, n, n * n, out, why);
    if (s) return s;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) out->coef[i * n + j] = j <= i ? B[i * n + j] : 0;
    out->limit = n;
    return FINF_OK;
}

#define SCALE_MOST 1e300 /* of out and in: it is their products that matter */

/* Entry i of a row of gain, decays, out and in. */
static finf_status check_number(double x, size_t t, size_t i, size_t k, finf_reason *why)
{
    if (i == 0 && !(x > 0 && x <= BOUNDS_HUGE))
        return finf_why(why, FINF_EDOM, "gain %s of step %zu: must be above 0 and at most 1e50",
                        finf_show(x).s, t);
    if (i >= 1 && i <= k && !(fabs(x) <= 1))
        return finf_why(why, FINF_EDOM, "decay %s of step %zu: must be from -1 to 1",
                        finf_show(x).s, t);
    if (!(fabs(x) <= SCALE_MOST))
        return finf_why(why, FINF_EDOM, "scale %s of step %zu: must be at most 1e300 in size",
                        finf_show(x).s, t);
    return FINF_OK;
}

/* Buffer i in units of 2^e(t), in which out_i(t) is from 1 to 2: what is kept is what it adds to y.
 * A fit's scales may have any size, of which floats, and in the end doubles, have not enough.
 * Powers of two change no bit of z. */
static finf_status balance(noise_filter *f, size_t n, size_t i, finf_reason *why)
{
    size_t k = f->n, row = 3 * k + 1;
    int unit = 0; /* e(t), */
    for (size_t t = 0; t < n; t++) {
        double *decay = f->coef + t * row + 1 + i, *out = decay + k, *in = out + k;
        if (t == 0 && *out != 0) unit = -ilogb(*out);
        double next = t + 1 < n ? out[row] : 0;
        int after = next != 0 ? -ilogb(next) : unit; /* and e(t+1) */
        *out = ldexp(*out, unit);
        *decay = ldexp(*decay, unit - after);
        *in = ldexp(*in, -after);
        if (!(isfinite(*decay) && isfinite(*in)))
            return finf_why(why, FINF_EDOM, "scales of step %zu: must have a finite product", t);
        unit = after;
    }
    return FINF_OK;
}

finf_status noise_filter_recursion(const double *numbers, size_t n, size_t k, noise_filter *out,
                                   finf_reason *why)
{
    size_t row = 3 * k + 1;
    *out = (noise_filter){.kind = FILTER_NONE};
    if (n < 1 || n > FINF_SYSTEM_MAX)
        return finf_why(why, FINF_EDOM, "%zu steps: must be from 1 to %u", n, FINF_SYSTEM_MAX);
    if (k < 1 || k > FINF_BLT_BUFFERS_MAX)
        return finf_why(why, FINF_EDOM, "%zu vectors of state: must be from 1 to %d", k,
                        FINF_BLT_BUFFERS_MAX);
    for (size_t c = 0; c < n * row; c++) {
        finf_status s = check_number(numbers[c], c / row, c % row, k, why);
        if (s) return s;
    }
    finf_status s = allocate(FILTER_STEPS, k, n * row, out, why);
    if (s) return s;
    memcpy(out->coef, numbers, n * row * sizeof *out->coef);
    out->limit = n;
    for (size_t i = 0; i < k && !s; i++) s = balance(out, n, i, why);
    if (s) noise_filter_free(out);
    return s;
}

/* ---- as a stream has it ---------------------------------------------------------------------- */

/* (1 - (1-nu) z)^{1/2}: nu, cc, and power:0.5,V. */
static int is_root(const noise_family *family, const double *p)
{
    return family == &noise_nu || family == &noise_cc || (family == &noise_power && *p == 0.5);
}

/* The first coefficients, and the others as a sum of decays. */
static finf_status tail(const finf_noise *noise, noise_filter *out, finf_reason *why)
{
    tail_decays far;
    finf_status s = tail_decays_find(noise->coef[1], &far, why);
    if (!s) s = allocate(FILTER_TAIL, far.count, TAIL_TAPS + 2 * far.count, out, why);
    if (s) return s;
    s = finf_noise_beta(noise, TAIL_TAPS, out->coef, why);
    if (s) noise_filter_free(out);
    if (s) return s;
    memcpy(out->coef + TAIL_TAPS, far.decay, far.count * sizeof *far.decay);
    memcpy(out->coef + TAIL_TAPS + far.count, far.scale, far.count * sizeof *far.scale);
    out->rows = far.count + TAIL_TAPS + NOISE_FILTER_AHEAD;
    out->limit = TAIL_STEPS;
    return FINF_OK;
}

#define WHOLE_LEAST 33 /* steps from which some coordinates of all of them at a time are faster */

/* Whether the past is never forgotten, and long. */
static int is_whole(const noise_filter *f)
{
    return f->kind == FILTER_INPUTS && f->limit == f->n && f->n >= WHOLE_LEAST;
}

finf_status noise_filter_stream(const finf_noise *noise, size_t steps, noise_filter *out,
                                finf_reason *why)
{
    int root = is_root(noise->family, noise->coef) && !noise_is_white(noise);
    finf_status s = root ? tail(noise, out, why) : noise_filter_make(noise, steps, out, why);
    if (!s && is_whole(out)) {
        out->kind = FILTER_WHOLE;
        out->rows = out->n;
    }
    return s;
}

void noise_filter_free(noise_filter *f)
{
    free(f->coef);
    *f = (noise_filter){.kind = FILTER_NONE};
}

uint64_t noise_filter_memory(const noise_filter *f, uint64_t t)
{
    if (f->kind == FILTER_NONE || f->kind == FILTER_WHOLE) return t;
    if (f->kind == FILTER_INPUTS || f->kind == FILTER_ROWS) return t > f->rows ? t - f->rows : 0;
    return 0;
}

/* ---- one step -------------------------------------------------------------------------------- */

/* y = w - sum_i scale_i S_i, then S_i = decay_i S_i + y: the recursion of 1/C. */
FINF_VECTOR static void buffers(const double *restrict decay, const double *restrict scale,
                                size_t k, double *restrict state, size_t stride, size_t n,
                                double *restrict w)
{
    for (size_t i = 0; i < k; i++) {
        const double *S = state + i * stride;
        for (size_t j = 0; j < n; j++) w[j] -= scale[i] * S[j];
    }
    for (size_t i = 0; i < k; i++) {
        double *S = state + i * stride;
        for (size_t j = 0; j < n; j++) S[j] = decay[i] * S[j] + w[j];
    }
}

FINF_VECTOR static void add(double factor, const double *restrict x, size_t n, double *restrict to)
{
    for (size_t j = 0; j < n; j++) to[j] += factor * x[j];
}

FINF_VECTOR static void scale_by(double factor, size_t n, double *restrict x)
{
    for (size_t j = 0; j < n; j++) x[j] *= factor;
}

/* y = w - sum_i out_i S_i, then S_i = decay_i S_i + in_i y, and z = gain y; x: the step's row. */
FINF_VECTOR static void changing_buffers(const double *restrict x, size_t k, double *restrict state,
                                         size_t stride, size_t n, double *restrict w)
{
    const double *decay = x + 1, *out = decay + k, *in = out + k;
    for (size_t i = 0; i < k; i++) {
        const double *S = state + i * stride;
        for (size_t j = 0; j < n; j++) w[j] -= out[i] * S[j];
    }
    for (size_t i = 0; i < k; i++) {
        double *S = state + i * stride;
        for (size_t j = 0; j < n; j++) S[j] = decay[i] * S[j] + in[i] * w[j];
    }
    for (size_t j = 0; j < n; j++) w[j] *= x[0];
}

/* The row in which step t is kept. */
static double *row(const noise_filter *f, uint64_t t, double *state, size_t stride)
{
    return state + (size_t)(t % f->rows) * stride;
}

/* The number that step t - lag is multiplied by at step t. */
static double input_factor(const noise_filter *f, uint64_t t, size_t lag)
{
    return f->kind == FILTER_ROWS ? f->coef[(size_t)t * f->n + (size_t)t - lag] : f->coef[lag];
}

/* The past is added to from the nearest step to the farthest. w is kept before it is changed, but
 * its row is that of the farthest step: that one comes last, and the new w waits in `fresh`. */
static void from_inputs(const noise_filter *f, uint64_t t, int keep_only, double *state,
                        size_t stride, size_t n, double *w)
{
    double fresh[NOISE_FILTER_TILE];
    size_t past = t < f->rows ? (size_t)t : f->rows;
    memcpy(fresh, w, n * sizeof *w);
    if (!keep_only) {
        scale_by(input_factor(f, t, 0), n, w);
        for (size_t lag = 1; lag <= past; lag++)
            add(input_factor(f, t, lag), row(f, t - lag, state, stride), n, w);
    }
    if (f->rows) memcpy(row(f, t, state, stride), fresh, n * sizeof *w);
}

static void from_outputs(const noise_filter *f, uint64_t t, double *state, size_t stride, size_t n,
                         double *w)
{
    size_t past = t < f->rows ? (size_t)t : f->rows;
    for (size_t lag = 1; lag <= past; lag++)
        add(-f->coef[lag], row(f, t - lag, state, stride), n, w);
    for (size_t j = 0; j < n; j++) w[j] /= f->coef[0];
    if (f->rows) memcpy(row(f, t, state, stride), w, n * sizeof *w);
}

void noise_filter_step(const noise_filter *f, uint64_t t, int keep_only, double *state,
                       size_t stride, size_t n, double *w)
{
    switch (f->kind) {
    case FILTER_NONE:
    case FILTER_WHOLE:
    case FILTER_TAIL: break;
    case FILTER_BUFFERS: buffers(f->coef, f->coef + f->n, f->n, state, stride, n, w); break;
    case FILTER_STEPS:
        changing_buffers(f->coef + (size_t)t * (3 * f->n + 1), f->n, state, stride, n, w);
        break;
    case FILTER_OUTPUTS: from_outputs(f, t, state, stride, n, w); break;
    case FILTER_INPUTS:
    case FILTER_ROWS: from_inputs(f, t, keep_only, state, stride, n, w); break;
    }
}
