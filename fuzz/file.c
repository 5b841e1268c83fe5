/* Files of numbers: text, CSV, .npy. The first byte says as what the others are read. */
#define _GNU_SOURCE /* memfd_create */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "input.h"
#include "input_stream.h"
#include "spec.h"

/* A reason may quote a line break of the file: the command line replaces it. */
#define QUOTED "a file\n"

static int file = -1;
static char path[64];

/* A file that is only in memory, with a name all the same. */
static void put(const uint8_t *data, size_t size)
{
    if (file < 0) {
        setenv("OPENBLAS_NUM_THREADS", "1", 0);
        file = memfd_create("fuzz", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    if (file < 0 || ftruncate(file, 0)) abort();
    if (size && pwrite(file, data, size, 0) != (ssize_t)size) abort();
}

static void as_noise(const char *family)
{
    char text[96];
    finf_noise *noise = NULL;
    finf_reason why = {""};
    snprintf(text, sizeof text, "%s@%s", family, path);
    finf_status s = spec_noise(text, &noise, &why);
    fuzz_answer(s, noise, &why, QUOTED);
    CHECK(!noise || finf_noise_density(noise, 1) >= 0, "|B|^2 is not a number");
    finf_noise_free(noise);
}

static void as_spectrum(const char *kind)
{
    char text[96];
    finf_spectrum *spectrum = NULL;
    finf_reason why = {""};
    snprintf(text, sizeof text, "%s@%s", kind, path);
    finf_status s = spec_spectrum(text, NAN, &spectrum, &why);
    fuzz_answer(s, spectrum, &why, QUOTED);
    CHECK(!spectrum || finf_spectrum_min(spectrum) > 0, "an eigenvalue that is not positive");
    finf_spectrum_free(spectrum);
}

/* Whole and in pieces: the same numbers, or neither. (A .npy array of one dimension, and a text
 * with parts, are for one of the two readers.) */
static void twice(void)
{
    input_table t;
    input_stream *in = NULL;
    finf_reason why = {""}, other = {""};
    const double *block = NULL;
    size_t rows = 1, columns = 0, done = 0;
    finf_status whole = input_read(path, NULL, &t, &why);
    fuzz_answer(whole, t.data, &why, QUOTED);
    finf_status s = input_stream_open(path, &in, &other);
    while (!s && rows) {
        s = input_stream_next(in, &block, &rows, &columns, &other);
        for (size_t i = 0; !s && !whole && i < rows * columns; i++)
            CHECK(memcmp(&block[i], &t.data[done * columns + i], sizeof *block) == 0,
                  "number %zu is another", i);
        done += s ? 0 : rows;
    }
    CHECK(whole || s || done == t.rows, "%zu rows, and %zu", done, t.rows);
    CHECK(!whole || s, "'%s', but read in pieces", why.text);
    CHECK(whole || !s || t.dimensions == 1, "read, but not in pieces: %s", other.text);
    input_stream_close(in);
    free(t.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const NOISE[] = {"beta", "strategy", "spectrum", "blt", "product", "design"};
    static const char *const SPECTRUM[] = {"covariance", "data", ""};
    if (!size) return 0;
    unsigned kind = data[0] % 10u;
    put(data + 1, size - 1);
    if (kind < 6)
        as_noise(NOISE[kind]);
    else if (kind < 9)
        as_spectrum(SPECTRUM[kind - 6]);
    else
        twice();
    return 0;
}
