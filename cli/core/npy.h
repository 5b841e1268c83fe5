/* NumPy's .npy format: its header, and its elements as doubles. */
#ifndef FINF_NPY_H
#define FINF_NPY_H

#include <stddef.h>

#include "finf.h"

#define NPY_MAGIC "\x93NUMPY"
enum { NPY_PREFIX = 12 }; /* bytes by which the length of the header is known */

typedef struct {
    size_t rows;
    size_t columns; /* 1 where the array has one dimension */
    int dimensions; /* 1 or 2 */
    int fortran;    /* stored column by column */
    size_t start;   /* bytes before the first element */
    size_t width;   /* bytes of an element */
    char kind;      /* 'f' float, 'i' signed, 'u' unsigned */
    int swap;       /* its bytes are in the other order than the machine's */
} npy_array;

/* Whether the file begins as a .npy. */
int npy_is(const char *bytes, size_t size);
/* The bytes up to the first element, from the first NPY_PREFIX of the file (or all of it, if it is
 * shorter). FINF_EPARSE: it is no .npy that is known. */
finf_status npy_start(const char *path, const char *bytes, size_t size, size_t *start,
                      finf_reason *why);
/* What those bytes say: an array of one or two dimensions, not empty, of float64, float32 or
 * integers; else FINF_EPARSE. */
finf_status npy_read_header(const char *path, const char *bytes, size_t start, npy_array *out,
                            finf_reason *why);
/* n elements at `bytes` as doubles. */
void npy_convert(const npy_array *a, const char *bytes, size_t n, double *out);

#endif
