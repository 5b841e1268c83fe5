/* Correlated noise that people can run: cryptographic, step by step, the same bits for any division
 * of the coordinates among workers. (theory 13.5-13.7) */
#include "keyed_stream.h"

#include <stdlib.h>
#include <string.h>

finf_stream_options finf_stream_options_default(void) { return (finf_stream_options){.sigma = 1}; }

/* ---- making one ------------------------------------------------------------------------------ */

static finf_status check(unsigned long long dim, const finf_stream_options *o, finf_reason *why)
{
    finf_status s = finf_choice_check("dtype", (int)o->dtype, FINF_STREAM_F32, why);
    if (s) return s;
    if (!(o->sigma >= BOUNDS_TINY && o->sigma <= BOUNDS_HUGE))
        return finf_why(why, FINF_EDOM, "sigma = %s: must be from 1e-50 to 1e50",
                        finf_show(o->sigma).s);
    if (dim < 1 || dim > FINF_STREAM_DIM_MAX)
        return finf_why(why, FINF_EDOM, "%llu coordinates: must be from 1 to 2^62", dim);
    if (o->first >= dim || o->count > dim - o->first)
        return finf_why(why, FINF_EDOM,
                        "coordinates %llu to %llu: the stream has those from 0 to %llu", o->first,
                        o->first + (o->count ? o->count - 1 : 0), dim - 1);
    if (o->key && o->seeded)
        return finf_why(why, FINF_EUSAGE, "a key and a seed: only one of them can be had");
    return FINF_OK;
}

/* The given key, or that of a seed: its 8 bytes, then a text, so that it is no key that anybody
 * draws; or 32 bytes from the system. */
static void set_key(const finf_stream_options *o, finf_stream *s)
{
    static const char text[] = "finf experiment, seeded:"; /* 24 letters */
    s->seeded = o->seeded;
    if (o->key)
        memcpy(s->key, o->key, KEYED_KEY);
    else if (!o->seeded)
        s->sodium->random(s->key, KEYED_KEY);
    else
        for (size_t i = 0; i < KEYED_KEY; i++)
            s->key[i] = (unsigned char)(i < 8 ? o->seed >> 8 * i & 0xff
                                              : (unsigned char)text[i - 8]);
}

/* Takes the filter, also on failure. */
static finf_status make(const sodium_library *sodium, noise_filter *filter, unsigned long long dim,
                        const finf_stream_options *o, finf_stream **out, finf_reason *why)
{
    finf_stream *s = calloc(1, sizeof *s);
    uint64_t count = o->count ? o->count : dim - o->first;
    size_t rows = filter->rows, most = SIZE_MAX / sizeof(double);
    if (s && count <= most && (rows == 0 || count <= most / rows))
        s->state = calloc(rows ? rows * (size_t)count : 1, sizeof *s->state);
    if (s && filter->kind == FILTER_TAIL) s->room = aligned_alloc(64, keyed_tail_room());
    if (!s || !s->state || (filter->kind == FILTER_TAIL && !s->room)) {
        if (s) free(s->state);
        if (s) free(s->room);
        free(s);
        noise_filter_free(filter);
        return finf_why(why, FINF_ENOMEM, "no memory for %zu vectors of %llu numbers", rows,
                        (unsigned long long)count);
    }
    if (s->room) memset(s->room, 0, keyed_tail_room());
    s->sodium = sodium;
    s->sigma = o->sigma;
    s->floats = o->dtype == FINF_STREAM_F32;
    s->dim = dim;
    s->first = o->first;
    s->count = (size_t)count;
    s->filter = *filter;
    set_key(o, s);
    *out = s;
    return FINF_OK;
}

finf_status finf_stream_new(const finf_noise *noise, unsigned long long dim,
                            const finf_stream_options *opt, finf_stream **out, finf_reason *why)
{
    finf_stream_options o = opt ? *opt : finf_stream_options_default();
    noise_filter filter;
    *out = NULL;
    finf_status s = check(dim, &o, why);
    const sodium_library *sodium = s ? NULL : sodium_get(&s, why);
    if (!s) s = noise_filter_stream(noise, o.steps, &filter, why);
    /* a recursion could go on, but what sigma was found for ends here */
    if (!s && o.steps && o.steps < filter.limit) filter.limit = o.steps;
    return s ? s : make(sodium, &filter, dim, &o, out, why);
}

finf_status finf_stream_new_matrix(const double *B, size_t n, unsigned long long dim,
                                   const finf_stream_options *opt, finf_stream **out,
                                   finf_reason *why)
{
    finf_stream_options o = opt ? *opt : finf_stream_options_default();
    noise_filter filter;
    *out = NULL;
    finf_status s = check(dim, &o, why);
    const sodium_library *sodium = s ? NULL : sodium_get(&s, why);
    if (!s) s = noise_filter_matrix(B, n, &filter, why);
    return s ? s : make(sodium, &filter, dim, &o, out, why);
}

finf_status finf_stream_new_recursion(const double *numbers, size_t n, size_t k,
                                      unsigned long long dim, const finf_stream_options *opt,
                                      finf_stream **out, finf_reason *why)
{
    finf_stream_options o = opt ? *opt : finf_stream_options_default();
    noise_filter filter;
    *out = NULL;
    finf_status s = check(dim, &o, why);
    const sodium_library *sodium = s ? NULL : sodium_get(&s, why);
    if (!s) s = noise_filter_recursion(numbers, n, k, &filter, why);
    return s ? s : make(sodium, &filter, dim, &o, out, why);
}

/* The key and the noise of the past are not left behind in memory. */
void finf_stream_free(finf_stream *s)
{
    if (!s) return;
    if (s->filter.rows) s->sodium->wipe(s->state, s->filter.rows * s->count * sizeof *s->state);
    if (s->room) s->sodium->wipe(s->room, keyed_tail_room());
    s->sodium->wipe(s->key, sizeof s->key);
    noise_filter_free(&s->filter);
    free(s->room);
    free(s->state);
    free(s);
}

/* ---- drawing --------------------------------------------------------------------------------- */

FINF_VECTOR static void write_doubles(double sigma, const double *z, size_t n, double *restrict out)
{
    for (size_t j = 0; j < n; j++) out[j] = sigma * z[j];
}

FINF_VECTOR static void write_floats(double sigma, const double *z, size_t n, float *restrict out)
{
    for (size_t j = 0; j < n; j++) out[j] = (float)(sigma * z[j]);
}

void keyed_write(const finf_stream *s, const double *z, size_t a, size_t n, void *out)
{
    if (s->floats)
        write_floats(s->sigma, z, n, (float *)out + a);
    else
        write_doubles(s->sigma, z, n, (double *)out + a);
}

/* ---- step by step ---------------------------------------------------------------------------- */

/* Step `step` of coordinates a .. a+n-1 of this stream, which lie in one tile that begins at a
 * multiple of a block. out = NULL: the state alone. */
static void draw_tile(finf_stream *s, uint64_t step, int keep_only, size_t a, size_t n, void *out)
{
    double w[KEYED_TILE];
    uint64_t at = s->first + a, begin = at - at % KEYED_BLOCK, end = at + n;
    size_t drawn = (size_t)((end - begin + KEYED_BLOCK - 1) / KEYED_BLOCK * KEYED_BLOCK);
    double *z = w + (at - begin);
    keyed_normals(s->sodium, s->key, step, begin, drawn, w);
    noise_filter_step(&s->filter, step, keep_only, s->state + a, s->count, n, z);
    if (out) keyed_write(s, z, a, n, out);
}

static void draw(finf_stream *s, uint64_t step, int keep_only, void *out)
{
    for (size_t a = 0, n; a < s->count; a += n) {
        n = KEYED_TILE - (size_t)((s->first + a) % KEYED_BLOCK); /* then at a block's beginning */
        if (n > s->count - a) n = s->count - a;
        draw_tile(s, step, keep_only, a, n, out);
    }
}

/* Whether `steps` more are there. */
static finf_status available(const finf_stream *s, unsigned long long steps, finf_reason *why)
{
    if (s->stopped)
        return finf_why(why, FINF_EUSAGE,
                        "the stream was stopped while steps were left out: restore a state");
    if (steps <= s->filter.limit - s->step) return FINF_OK;
    return finf_why(why, FINF_EDOM, "step %llu: the stream was made for %llu steps",
                    (unsigned long long)s->step + steps - 1, (unsigned long long)s->filter.limit);
}

finf_status finf_stream_next(finf_stream *s, void *out, finf_reason *why)
{
    finf_status status = available(s, 1, why);
    filter_kind kind = s->filter.kind;
    if (!status && kind == FILTER_WHOLE && !s->filled) status = keyed_whole_fill(s, NULL, why);
    if (status) return status;
    if (kind == FILTER_TAIL && s->step % NOISE_FILTER_AHEAD == 0) keyed_tail_fill(s);
    if (kind == FILTER_TAIL)
        keyed_tail_read(s, out);
    else if (kind == FILTER_WHOLE)
        keyed_write(s, s->state + (size_t)s->step * s->count, 0, s->count, out);
    else
        draw(s, s->step, 0, out);
    s->step++;
    return FINF_OK;
}

/* Where the state is made of the last inputs alone, those are drawn again and no other. */
finf_status finf_stream_skip(finf_stream *s, unsigned long long steps, const finf_cancel *cancel,
                             finf_reason *why)
{
    finf_status status = available(s, steps, why);
    if (!status && cancel && s->filter.kind == FILTER_WHOLE && !s->filled)
        status = keyed_whole_fill(s, cancel, why);
    if (status) return status;
    uint64_t to = s->step + steps, from = noise_filter_memory(&s->filter, to);
    if (from > s->step) s->step = from;
    for (; s->step < to; s->step++) {
        s->stopped = cancel && finf_cancelled(*cancel);
        if (s->stopped)
            return finf_why(why, FINF_ETOL, "stopped before step %llu",
                            (unsigned long long)s->step);
        if (s->filter.kind != FILTER_TAIL)
            draw(s, s->step, 1, NULL);
        else if (s->step % NOISE_FILTER_AHEAD == 0)
            keyed_tail_fill(s);
    }
    return FINF_OK;
}

/* ---- what it is ------------------------------------------------------------------------------ */

static const char *const KINDS[] = {
    [FILTER_NONE] = "independent",
    [FILTER_BUFFERS] = "buffers",
    [FILTER_OUTPUTS] = "past noise",
    [FILTER_INPUTS] = "past inputs",
    [FILTER_ROWS] = "rows of a matrix",
    [FILTER_STEPS] = "buffers whose numbers change",
    [FILTER_WHOLE] = "transforms of the whole run",
    [FILTER_TAIL] = "past inputs and decays",
};

finf_stream_facts finf_stream_describe(const finf_stream *s)
{
    return (finf_stream_facts){
        .generator = "ChaCha20 (libsodium), Box-Muller in doubles",
        .method = KINDS[s->filter.kind],
        .memory = s->filter.rows,
        .dim = s->dim,
        .first = s->first,
        .count = s->count,
        .step = s->step,
        .steps = s->filter.limit == UINT64_MAX ? 0 : s->filter.limit,
        .sigma = s->sigma,
        .dtype = s->floats ? FINF_STREAM_F32 : FINF_STREAM_F64,
        .seeded = s->seeded,
    };
}

void finf_stream_key(const finf_stream *s, unsigned char key[FINF_STREAM_KEY])
{
    memcpy(key, s->key, KEYED_KEY);
}
