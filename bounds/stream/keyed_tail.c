/* Noise whose far coefficients are a sum of decays, some steps ahead (FILTER_TAIL). (theory 13.5)
 *
 * For each decay one number a coordinate is kept. To read and write all of them at every step would
 * take longer than to draw the normals; so AHEAD steps of some coordinates are made at a time, with
 * their numbers in the cache, and of LANES coordinates GROUP steps, with their sums in registers.
 */
#include <string.h>

#include "keyed_stream.h"
#include "tail_decays.h"

enum {
    AHEAD = NOISE_FILTER_AHEAD,
    LANES = 8,          /* coordinates that are computed together */
    TILE = KEYED_TILE,  /* coordinates that are drawn together */
    ROW = TILE + LANES, /* of w: rows do not all fall upon the same places of the cache */
    GROUP = 8           /* steps for which a buffer is read and written once; divides AHEAD */
};

typedef double lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

size_t keyed_tail_room(void) { return (TAIL_TAPS + AHEAD) * ROW * sizeof(double); }

static const lanes *row(const double *w, size_t t) { return (const lanes *)(w + t * ROW); }

/* ---- the steps of LANES coordinates ---------------------------------------------------------- */

/* z_t = sum_{s<TAPS} beta_s w_{t-s} - sum_k scale_k S_k, where S_k <- decay_k S_k + w_{t-TAPS}
 * before; `count` decays, which is even. w begins TAPS steps before z, whose rows are n apart. */
FINF_VECTOR static void make_steps(const double *beta, const double *decay, size_t count, double *S,
                                   const double *w, size_t n, double *z)
{
    const double *scale = decay + count;
    for (size_t t = 0; t < AHEAD; t += GROUP, w += GROUP * ROW, z += GROUP * n) {
        lanes sum[GROUP];
        for (size_t i = 0; i < GROUP; i++) {
            sum[i] = beta[0] * *row(w, i + TAIL_TAPS);
            for (size_t s = 1; s < TAIL_TAPS; s++) sum[i] += beta[s] * *row(w, i + TAIL_TAPS - s);
        }
        for (size_t k = 0; k < count; k += 2) {
            lanes *x = (lanes *)(S + k * LANES), a = x[0], b = x[1];
            for (size_t i = 0; i < GROUP; i++) {
                a = decay[k] * a + *row(w, i);
                b = decay[k + 1] * b + *row(w, i);
                sum[i] -= scale[k] * a + scale[k + 1] * b;
            }
            x[0] = a;
            x[1] = b;
        }
        for (size_t i = 0; i < GROUP; i++) *(lanes *)(z + i * n) = sum[i];
    }
}

/* The same of m < LANES coordinates, the last of a tile. What lies beside them in w is computed
 * too, and left there. */
static void make_last_steps(const double *beta, const double *decay, size_t count, size_t m,
                            double *S, const double *w, size_t n, double *z)
{
    double buffers[TAIL_DECAYS_MAX * LANES] = {0}, out[AHEAD * LANES];
    for (size_t k = 0; k < count; k++) memcpy(buffers + k * LANES, S + k * m, m * sizeof *S);
    make_steps(beta, decay, count, buffers, w, LANES, out);
    for (size_t k = 0; k < count; k++) memcpy(S + k * m, buffers + k * LANES, m * sizeof *S);
    for (size_t t = 0; t < AHEAD; t++) memcpy(z + t * n, out + t * LANES, m * sizeof *z);
}

/* ---- the state ------------------------------------------------------------------------------- */

/* Tile after tile, each with the buffers, the last TAPS inputs, and AHEAD outputs. Inputs and
 * outputs are rows of as many numbers as the tile has coordinates; buffers are such rows of LANES
 * coordinates, then of the next LANES, so that they are read one after the other. */
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
    size_t whole = n - n % LANES;
    for (size_t j = 0; j < whole; j += LANES)
        make_steps(beta, decay, count, S + count * j, w + j, n, z + j);
    if (n > whole)
        make_last_steps(beta, decay, count, n - whole, S + count * whole, w + whole, n, z + whole);
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
    size_t at = s->filter.n + TAIL_TAPS + (size_t)(s->step % AHEAD);
    const double *tile = s->state;
    for (size_t a = 0, n = tile_size(s, 0), after; a < s->count; a += n, n = after) {
        const double *z = tile + at * n;
        after = a + n < s->count ? tile_size(s, a + n) : 0;
        tile += s->filter.rows * n;
        if (after) fetch(tile + at * after, after);
        keyed_write(s, z, a, n, out);
    }
}
