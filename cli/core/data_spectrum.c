/* --spectrum covariance@FILE and data@FILE: the matrix is read whole, the data block by block. */
#include "data_spectrum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base.h"
#include "input.h"
#include "input_stream.h"
#include "sweep.h"

/* What the library says of the numbers, with the name of the file they are from. */
static finf_status named(const char *path, finf_status s, const finf_reason *said, finf_reason *why)
{
    return s ? finf_why(why, s, "'%.100s': %.150s", path, said->text) : s;
}

/* ---- a matrix -------------------------------------------------------------------------------- */

static finf_status read_covariance(const char *path, finf_spectrum **out, finf_reason *why)
{
    input_table t;
    finf_reason said = {""};
    finf_status s = input_read(path, "covariance", &t, why);
    if (s) return s;
    if (t.dimensions == 1)
        s = finf_why(why, FINF_EPARSE,
                     "'%.120s' is a .npy array of one dimension: a square matrix is expected",
                     path);
    else if (t.rows != t.columns)
        s = finf_why(why, FINF_EPARSE, "'%.120s' is not square: %zu rows of %zu numbers", path,
                     t.rows, t.columns);
    else
        s = named(path,
                  finf_spectrum_covariance(t.data, t.rows, t.single ? 0x1p-24 : 0, out, &said),
                  &said, why);
    free(t.data);
    return s;
}

/* ---- data ------------------------------------------------------------------------------------ */

/* The progress of a file that takes long, on a terminal: a line that is written over. */
typedef struct {
    int shown;
    double next; /* when to show it again, by the clock */
} progress;

static void show_progress(progress *p, const input_stream *in, size_t rows)
{
    double now = finf_seconds(), part = input_stream_part(in);
    if (now < p->next) return;
    p->next = now + 0.2;
    p->shown = 1;
    fprintf(stderr, "\r%zu rows", rows);
    if (part >= 0 && part <= 1) fprintf(stderr, ", %.0f%%", 100 * part);
    fputs("   ", stderr);
    fflush(stderr);
}

static void end_progress(const progress *p)
{
    if (p->shown) fprintf(stderr, "\r%40s\r", "");
}

/* Every block of the file into *g. */
static finf_status accumulate(const char *path, input_stream *in, finf_gram **g, finf_reason *why)
{
    const double *block = NULL;
    size_t rows = 0, columns = 0;
    finf_reason said = {""};
    progress p = {.next = isatty(STDERR_FILENO) ? finf_seconds() + 0.5 : INFINITY};
    finf_status s = input_stream_next(in, &block, &rows, &columns, why);
    if (!s) s = named(path, finf_gram_new(columns, g, &said), &said, why);
    while (!s && rows) {
        s = named(path, finf_gram_add(*g, block, rows, &said), &said, why);
        if (!s) show_progress(&p, in, finf_gram_rows(*g));
        if (!s && sweep_interrupted(NULL))
            s = finf_why(why, FINF_ETOL, "interrupted: %zu rows of '%.100s' were read",
                         finf_gram_rows(*g), path);
        if (!s) s = input_stream_next(in, &block, &rows, &columns, why);
    }
    end_progress(&p);
    return s;
}

static finf_status read_data(const char *path, finf_spectrum **out, finf_reason *why)
{
    input_stream *in;
    finf_gram *g = NULL;
    finf_reason said = {""};
    finf_status s = input_stream_open(path, &in, why);
    if (!s) s = accumulate(path, in, &g, why);
    input_stream_close(in);
    if (!s) s = named(path, finf_spectrum_gram(g, out, &said), &said, why);
    finf_gram_free(g);
    return s;
}

finf_status read_data_spectrum(const char *kind, const char *path, finf_spectrum **out,
                               finf_reason *why)
{
    *out = NULL;
    return strcmp(kind, "data") == 0 ? read_data(path, out, why) : read_covariance(path, out, why);
}

/* ---- what it is ------------------------------------------------------------------------------ */

void show_spectrum_facts(doc *d, const finf_spectrum *s)
{
    finf_spectrum_facts f = finf_spectrum_describe(s);
    char note[160];
    int computed = f.resolution > 0;
    if (f.zeros == 0 && !computed) return;
    if (f.rows > 0) doc_number(d, "rows", SHOWN, f.rows, "of the data X: H = X'X/n, not centred");
    snprintf(note, sizeof note, "of %.0f eigenvalues, left out: directions without loss", f.given);
    if (computed)
        snprintf(note, sizeof note, "of %.0f eigenvalues, left out: not told from 0 below %.2g",
                 f.given, f.resolution);
    doc_number(d, "zeros", f.zeros > 0 ? SHOWN : DATA_ONLY, f.zeros, note);
    if (!computed) return;
    finf_real largest = {finf_spectrum_max(s), f.resolution, ""},
              smallest = {finf_spectrum_min(s), f.resolution, ""};
    doc_real(d, "condition", DATA_ONLY, finf_real_over(largest, smallest), NULL);
    doc_number(d, "resolution", DATA_ONLY, f.resolution, NULL);
}
