/* The state of a stream as bytes, and back. (theory 13.7)
 *
 *     0   "finfstrm"                    48  the key, 32 bytes
 *     8   version, 4 bytes              80  fingerprint of noise, sigma and dim, 32 bytes
 *     12  1: from a seed, 4 bytes       112 the state, 8 bytes a number
 *     16  length of all this            ..  BLAKE2b of all before, 32 bytes
 *     24  step   32  first   40  count
 *
 * All numbers are little-endian, 8 bytes where nothing is said; doubles as their bits. Version 2
 * is that of FILTER_TAIL, whose state had another order before; that of all others is 1. */
#include <string.h>

#include "keyed_stream.h"

enum { AT_LENGTH = 16, AT_STEP = 24, AT_FIRST = 32, AT_COUNT = 40, AT_KEY = 48, AT_PRINT = 80 };
enum { AT_STATE = 112, DIGEST = 32, VERSION_MAX = 2 };
static const char MAGIC[8] = {'f', 'i', 'n', 'f', 's', 't', 'r', 'm'};

static void put(unsigned char *to, uint64_t x, int bytes)
{
    for (int i = 0; i < bytes; i++) to[i] = (unsigned char)(x >> 8 * i);
}

static uint64_t get(const unsigned char *from, int bytes)
{
    uint64_t x = 0;
    for (int i = 0; i < bytes; i++) x |= (uint64_t)from[i] << 8 * i;
    return x;
}

static void put_double(unsigned char *to, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    put(to, bits, 8);
}

static double get_double(const unsigned char *from)
{
    uint64_t bits = get(from, 8);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static unsigned version(const finf_stream *s) { return s->filter.kind == FILTER_TAIL ? 2 : 1; }

/* Of a whole run nothing is kept: the key makes it again. */
static size_t numbers(const finf_stream *s)
{
    return s->filter.kind == FILTER_WHOLE ? 0 : s->filter.rows * s->count;
}

size_t finf_stream_state_size(const finf_stream *s) { return AT_STATE + 8 * numbers(s) + DIGEST; }

/* What two streams must have in common for the state of one to be the other's: BLAKE2b, in a chain,
 * of (dim, sigma, kind, n) and of each coefficient. */
static void fingerprint(const finf_stream *s, unsigned char digest[DIGEST])
{
    unsigned char bytes[32 + 8 * 64];
    const noise_filter *f = &s->filter;
    put(bytes, s->dim, 8);
    put_double(bytes + 8, s->sigma);
    put(bytes + 16, (uint64_t)f->kind, 8);
    put(bytes + 24, f->n, 8);
    s->sodium->hash(digest, DIGEST, bytes, 32, NULL, 0);
    for (size_t i = 0; i < f->length; i += 64) {
        size_t n = f->length - i < 64 ? f->length - i : 64;
        memcpy(bytes, digest, DIGEST);
        for (size_t j = 0; j < n; j++) put_double(bytes + DIGEST + 8 * j, f->coef[i + j]);
        s->sodium->hash(digest, DIGEST, bytes, DIGEST + 8 * n, NULL, 0);
    }
}

finf_status finf_stream_state(const finf_stream *s, unsigned char *out, size_t size,
                              finf_reason *why)
{
    size_t length = finf_stream_state_size(s);
    if (s->stopped)
        return finf_why(why, FINF_EUSAGE, "the stream was stopped half way: it has no state");
    if (size < length)
        return finf_why(why, FINF_EDOM, "room for %zu bytes: the state has %zu", size, length);
    memcpy(out, MAGIC, sizeof MAGIC);
    put(out + 8, version(s), 4);
    put(out + 12, (uint64_t)s->seeded, 4);
    put(out + AT_LENGTH, length, 8);
    put(out + AT_STEP, s->step, 8);
    put(out + AT_FIRST, s->first, 8);
    put(out + AT_COUNT, s->count, 8);
    memcpy(out + AT_KEY, s->key, KEYED_KEY);
    fingerprint(s, out + AT_PRINT);
    for (size_t i = 0; i < numbers(s); i++) put_double(out + AT_STATE + 8 * i, s->state[i]);
    s->sodium->hash(out + length - DIGEST, DIGEST, out, length - DIGEST, NULL, 0);
    return FINF_OK;
}

static finf_status other_version(const finf_stream *s, const unsigned char *in, finf_reason *why)
{
    return finf_why(why, FINF_EPARSE, "state of version %llu: must be %u",
                    (unsigned long long)get(in + 8, 4), version(s));
}

/* Whether the bytes are such a state at all: FINF_EPARSE. */
static finf_status well_formed(const finf_stream *s, const unsigned char *in, size_t size,
                               finf_reason *why)
{
    unsigned char digest[DIGEST];
    if (size < AT_STATE + DIGEST || memcmp(in, MAGIC, sizeof MAGIC) != 0)
        return finf_why(why, FINF_EPARSE, "this is not the state of a stream");
    if (get(in + 8, 4) < 1 || get(in + 8, 4) > VERSION_MAX) return other_version(s, in, why);
    if (get(in + AT_LENGTH, 8) != size)
        return finf_why(why, FINF_EPARSE, "a state of %llu bytes, of which there are %zu",
                        (unsigned long long)get(in + AT_LENGTH, 8), size);
    s->sodium->hash(digest, DIGEST, in, size - DIGEST, NULL, 0);
    if (memcmp(digest, in + size - DIGEST, DIGEST) != 0 || get(in + 12, 4) > 1)
        return finf_why(why, FINF_EPARSE, "the state is damaged: its checksum is another");
    return FINF_OK;
}

/* Whether they are this stream's: FINF_EDOM, or FINF_EPARSE where only the version is another. */
static finf_status belongs(const finf_stream *s, const unsigned char *in, size_t size,
                           finf_reason *why)
{
    unsigned char print[DIGEST];
    uint64_t first = get(in + AT_FIRST, 8), count = get(in + AT_COUNT, 8);
    fingerprint(s, print);
    if (memcmp(print, in + AT_PRINT, DIGEST) != 0)
        return finf_why(why, FINF_EDOM,
                        "the state is of a stream with another noise, sigma or dimension");
    if (get(in + 8, 4) != version(s)) return other_version(s, in, why);
    if (first != s->first || count != s->count || size != finf_stream_state_size(s))
        return finf_why(why, FINF_EDOM,
                        "the state has %llu coordinates from %llu on, the stream %zu from %llu on",
                        (unsigned long long)count, (unsigned long long)first, s->count,
                        (unsigned long long)s->first);
    if (get(in + AT_STEP, 8) > s->filter.limit)
        return finf_why(why, FINF_EDOM, "the state is of step %llu: the stream has %llu steps",
                        (unsigned long long)get(in + AT_STEP, 8),
                        (unsigned long long)s->filter.limit);
    return FINF_OK;
}

finf_status finf_stream_restore(finf_stream *s, const unsigned char *in, size_t size,
                                finf_reason *why)
{
    finf_status status = well_formed(s, in, size, why);
    if (!status) status = belongs(s, in, size, why);
    if (status) return status;
    s->seeded = (int)get(in + 12, 4);
    s->step = get(in + AT_STEP, 8);
    s->stopped = 0;
    if (memcmp(s->key, in + AT_KEY, KEYED_KEY) != 0) s->filled = 0;
    memcpy(s->key, in + AT_KEY, KEYED_KEY);
    for (size_t i = 0; i < numbers(s); i++) s->state[i] = get_double(in + AT_STATE + 8 * i);
    return FINF_OK;
}
