/* The one reader of files: text, CSV and .npy, or stdin as "-". */
#ifndef FINF_INPUT_H
#define FINF_INPUT_H

#include "finf.h"

typedef struct {
    size_t rows, columns;
    int named;    /* the first line was names */
    double *data; /* row by row; owned, release with free() */
} input_table;

/* A text file may be parted by lines "[name]"; then only the part `section` is read.
 * FINF_EIO: cannot be read; FINF_EPARSE: read, but not numbers. */
finf_status input_read(const char *path, const char *section, input_table *out, finf_reason *why);

/* One list: a single column, a single row, or an index column 0,1,2,.. (1,2,3,..) beside it, as
 * `finf coef` writes. */
finf_status input_list(const char *path, const char *section, double **data, size_t *n,
                       finf_reason *why);

#endif
