/* What the targets share. A target is a function of bytes; what must hold is said by CHECK, and
 * what it does not hold for is kept by libFuzzer. */
#ifndef FINF_FUZZ_H
#define FINF_FUZZ_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "finf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(holds, ...)                                                                          \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "\n%s:%d: %s does not hold: ", __FILE__, __LINE__, #holds);            \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* The bytes as a string, which ends at the first NUL among them. For free(). */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) abort();
    if (size) memcpy(text, data, size);
    text[size] = 0;
    return text;
}

/* What every parser owes: an object, or none and a reason of one line. The line quotes the input,
 * whose own control characters the command line replaces. */
static inline void fuzz_answer(finf_status s, const void *object, const finf_reason *why,
                               const char *text)
{
    CHECK(s < FINF_STATUS_COUNT, "status %d", (int)s);
    CHECK((s == FINF_OK) == (object != NULL), "status %s of '%s'", finf_status_name(s), text);
    CHECK(s == FINF_OK || why->text[0], "no reason for '%s'", text);
    CHECK(s == FINF_OK || strchr(text, '\n') || !strchr(why->text, '\n'), "two lines for '%s'",
          text);
    CHECK(s != FINF_ENOMEM, "'%s': %s", text, why->text);
}

/* Bytes as numbers: two a number, 0 after the last. */
typedef struct {
    const uint8_t *at, *end;
} fuzz_bytes;

static inline unsigned fuzz_byte(fuzz_bytes *b) { return b->at < b->end ? *b->at++ : 0; }

/* In [0, 1). */
static inline double fuzz_unit(fuzz_bytes *b)
{
    unsigned high = fuzz_byte(b);
    return (high * 256 + fuzz_byte(b)) / 65536.0;
}

static inline double fuzz_between(fuzz_bytes *b, double lo, double hi)
{
    return lo + (hi - lo) * fuzz_unit(b);
}

static inline double fuzz_log(fuzz_bytes *b, double lo, double hi)
{
    return lo * pow(hi / lo, fuzz_unit(b));
}

#endif
