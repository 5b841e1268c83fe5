/* Noise whose far coefficients are a sum of decays, some steps ahead (FILTER_TAIL). (theory 13.5)
 *
 * For each decay one number a coordinate is kept. To read and write all of them at every step would
 * take longer than to draw the normals; so AHEAD steps of some coordinates are made at a time, with
 * their numbers in the cache. */
#include <string.h>

#include "keyed_stream.h"
#include "tail_decays.h"

enum {
    AHEAD = NOISE_FILTER_AHEAD,
    TILE = 256,     /* coordinates that are drawn together */
    ROW = TILE + 8, /* of w: rows do not all fall upon the same places of the cache */
    GROUP = 4       /* steps for which a buffer is read and written once */
};

size_t keyed_tail_room(void) { return (TAIL_TAPS + AHEAD) * ROW * sizeof(double); }

/* ---- the steps of n coordinates -------------------------------------------------------------- */

/* z_t = sum_{s<TAPS} beta_s w_{t-s}; w begins TAPS steps before z. */
FINF_VECTOR static void near_steps(const double *restrict beta, size_t n, const double *restrict w,
                                   double *restrict z)
{
    for (size_t t = 0; t < AHEAD; t++, w += ROW, z += n)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t s = 0; s < TAIL_TAPS; s++) sum += beta[s] * w[(TAIL_TAPS - s) * ROW + j];
            z[j] = sum;
        }
}

/* S_k <- decay_k S_k + w_{t-TAPS}, and z_t -= scale_k S_k: two of `count` decays, which is even,
 * and GROUP steps at a time, so that there is more to compute than to read and write. */
FINF_VECTOR static void far_steps(const double *restrict decay, const double *restrict scale,
                                  size_t count, size_t n, double *restrict S,
                                  const double *restrict w, double *restrict z)
{
    for (size_t t = 0; t < AHEAD; t += GROUP, w += GROUP * ROW, z += GROUP * n)
        for (size_t k = 0; k < count; k += 2) {
            double *restrict x = S + k * n, *restrict y = x + n;
            double *restrict z0 = z, *restrict z1 = z0 + n, *restrict z2 = z1 + n;
            double *restrict z3 = z2 + n;
            for (size_t j = 0; j < n; j++) {
                double a = decay[k] * x[j] + w[j], b = decay[k + 1] * y[j] + w[j];
                z0[j] -= scale[k] * a + scale[k + 1] * b;
                a = decay[k] * a + w[ROW + j], b = decay[k + 1] * b + w[ROW + j];
                z1[j] -= scale[k] * a + scale[k + 1] * b;
                a = decay[k] * a + w[2 * ROW + j], b = decay[k + 1] * b + w[2 * ROW + j];
                z2[j] -= scale[k] * a + scale[k + 1] * b;
                a = decay[k] * a + w[3 * ROW + j], b = decay[k + 1] * b + w[3 * ROW + j];
                z3[j] -= scale[k] * a + scale[k + 1] * b;
                x[j] = a;
                y[j] = b;
            }
        }
}

/* ---- the state ------------------------------------------------------------------------------- */

/* Tile after tile, each with rows of as many numbers as it has coordinates: the buffers, the last
 * TAPS inputs, and AHEAD outputs. */
static size_t tile_size(const finf_stream *s, size_t a)
{
    size_t n = TILE - (size_t)((s->first + a) % KEYED_BLOCK); /* then at a block's beginning */
    return n < s->count - a ? n : s->count - a;
}

/* Into the cache, while something else is computed. */
static void fetch(const double *x, size_t n)
{
    for (size_t j = 0; j < n; j += 8) __builtin_prefetch(x + j);
}

/* The tile of n coordinates that begins with coordinate a of this stream. */
static void fill_tile(finf_stream *s, size_t a, size_t n)
{
    const double *beta = s->filter.coef, *decay = beta + TAIL_TAPS;
    size_t count = s->filter.n;
    double *S = s->state + s->filter.rows * a, *past = S + count * n, *z = past + TAIL_TAPS * n;
    uint64_t at = s->first + a, begin = at - at % KEYED_BLOCK;
    double *w = s->room + (at - begin), *next = s->room + TAIL_TAPS * ROW;
    size_t drawn = (size_t)((at + n - begin + KEYED_BLOCK - 1) / KEYED_BLOCK * KEYED_BLOCK);
    size_t part = s->filter.rows * n / AHEAD;
    for (size_t t = 0; t < TAIL_TAPS; t++) memcpy(w + t * ROW, past + t * n, n * sizeof *w);
    for (size_t t = 0; t < AHEAD; t++) {
        fetch(S + t * part, part);
        keyed_normals(s->sodium, s->key, s->step + t, begin, drawn, next + t * ROW);
    }
    near_steps(beta, n, w, z);
    far_steps(decay, decay + count, count, n, S, w, z);
    for (size_t t = 0; t < TAIL_TAPS; t++)
        memcpy(past + t * n, w + (AHEAD + t) * ROW, n * sizeof *w);
}

void keyed_tail_fill(finf_stream *s)
{
    for (size_t a = 0, n; a < s->count; a += n) {
        n = tile_size(s, a);
        fill_tile(s, a, n);
    }
}

void keyed_tail_read(const finf_stream *s, void *out)
{
    size_t row = s->filter.n + TAIL_TAPS + (size_t)(s->step % AHEAD);
    const double *tile = s->state;
    for (size_t a = 0, n = tile_size(s, 0), after; a < s->count; a += n, n = after) {
        const double *z = tile + row * n;
        after = a + n < s->count ? tile_size(s, a + n) : 0;
        tile += s->filter.rows * n;
        if (after) fetch(tile + row * after, after);
        keyed_write(s, z, a, n, out);
    }
}
