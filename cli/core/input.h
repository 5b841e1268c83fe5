/* The one reader of files of numbers: text, CSV and .npy, or standard input as "-". */
#ifndef FINF_INPUT_H
#define FINF_INPUT_H

#include "finf.h"

typedef struct {
    size_t rows;
    size_t columns;
    int named;    /* the first line was a header of names */
    double *data; /* row by row; owned by the caller, to be released with free() */
} input_table;

/* Reads a table. A text file may be parted by lines "[name]"; then only the part `section` is read.
 * FINF_EIO: the file cannot be read; FINF_EPARSE: it can, but has no table of numbers in it. */
finf_status input_read(const char *path, const char *section, input_table *out, finf_reason *why);

/* Reads a list: a single column, a single row, or a column beside an index 0,1,2,.. or 1,2,3,.., as
 * `finf coef` writes it. *data is owned by the caller. */
finf_status input_list(const char *path, const char *section, double **data, size_t *n,
                       finf_reason *why);

#endif
