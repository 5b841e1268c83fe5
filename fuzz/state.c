/* The state of a stream: bytes as they come, and as changes to a state whose checksum is right. A
 * state that is refused leaves the stream as it was; one that is taken is written the same. */
#include "fuzz.h"
#include "keyed_stream.h"

enum { DIGEST = 32, ROOM = 1 << 14 };

static finf_stream *stream_make(void)
{
    static finf_noise *noise;
    finf_stream *s = NULL;
    finf_stream_options o = finf_stream_options_default();
    finf_reason why = {""};
    o.seeded = 1;
    if (!noise && finf_noise_parse("blt:0.9,0.5;0.2,0.1", &noise, &why)) abort();
    CHECK(finf_stream_new(noise, 3, &o, &s, &why) == FINF_OK, "%s", why.text);
    return s;
}

static void restore(const unsigned char *in, size_t size)
{
    finf_stream *s = stream_make();
    unsigned char before[ROOM], after[ROOM];
    double z[3];
    finf_reason why = {""};
    size_t length = finf_stream_state_size(s);
    CHECK(finf_stream_next(s, z, &why) == FINF_OK, "%s", why.text);
    CHECK(finf_stream_state(s, before, sizeof before, &why) == FINF_OK, "%s", why.text);
    finf_status status = finf_stream_restore(s, in, size, &why);
    fuzz_answer(status, status ? NULL : s, &why, "a state");
    CHECK(finf_stream_state(s, after, sizeof after, &why) == FINF_OK, "%s", why.text);
    if (status)
        CHECK(memcmp(before, after, length) == 0, "refused, and the stream is another");
    else
        CHECK(size == length && memcmp(in, after, length) == 0, "taken, and written as another");
    finf_stream_next(s, z, &why);
    finf_stream_free(s);
}

/* Pairs of bytes (place, value) over a state, then its checksum as it must be. */
static void changed(const uint8_t *data, size_t size)
{
    finf_stream *s = stream_make();
    unsigned char state[ROOM];
    size_t length = finf_stream_state_size(s);
    if (finf_stream_state(s, state, sizeof state, NULL)) abort();
    for (size_t i = 0; i + 1 < size; i += 2) state[data[i] % (length - DIGEST)] = data[i + 1];
    s->sodium->hash(state + length - DIGEST, DIGEST, state, length - DIGEST, NULL, 0);
    finf_stream_free(s);
    restore(state, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    finf_status status;
    if (!sodium_get(&status, NULL)) return 0;
    restore(data, size);
    changed(data, size);
    return 0;
}
