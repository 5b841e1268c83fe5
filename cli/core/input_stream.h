/* A table of numbers that is read block by block, as it may be larger than memory. */
#ifndef FINF_INPUT_STREAM_H
#define FINF_INPUT_STREAM_H

#include "finf.h"

typedef struct input_stream input_stream;

/* Opens a .npy of two dimensions, text or CSV; "-" is standard input. FINF_EIO, FINF_EPARSE,
 * FINF_ENOMEM: *out is NULL. */
finf_status input_stream_open(const char *path, input_stream **out, finf_reason *why);
void input_stream_close(input_stream *s);

/* The next rows: *rows of them, 0 at the end, of *columns numbers each. *block is the stream's, and
 * holds until the next call. */
finf_status input_stream_next(input_stream *s, const double **block, size_t *rows, size_t *columns,
                              finf_reason *why);

/* How much of it is read, from 0 to 1; NaN where that is not known. */
double input_stream_part(const input_stream *s);

#endif
