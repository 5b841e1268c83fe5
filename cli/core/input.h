/* The one reader of files of numbers: text, CSV and .npy, or standard input as "-". */
#ifndef FINF_INPUT_H
#define FINF_INPUT_H

#include "finf.h"

typedef struct {
    size_t rows;
    size_t columns;
    int named;      /* the first line was a header of names */
    int dimensions; /* 2, but for a .npy array of one dimension: that is a column */
    int single;     /* the numbers were float32 */
    double *data;   /* row by row; owned by the caller, to be released with free() */
} input_table;

/* Reads a table. A text file may be parted by lines "[name]"; then only the part `section` is read.
 * FINF_EIO: the file cannot be read; FINF_EPARSE: it can, but has no table of numbers in it. */
finf_status input_read(const char *path, const char *section, input_table *out, finf_reason *why);

/* Reads a list: a single column, a single row, or a column beside an index 0,1,2,.. or 1,2,3,.., as
 * `finf coef` writes it. *data is owned by the caller. */
finf_status input_list(const char *path, const char *section, double **data, size_t *n,
                       finf_reason *why);

/* Text while it is read, perhaps in pieces. */
typedef struct {
    const char *path;
    const char *section; /* only the lines of this part count; NULL: all do */
    int active;          /* within that part */
    int found;           /* it was seen */
    size_t line;         /* the present one, counted from 1 */
    size_t n;            /* numbers in out->data, */
    size_t room;         /* which has room for so many */
    input_table *out;    /* rows: how many were read so far */
} input_text;

/* Appends the numbers of a text of whole lines, ended by \n, \r\n or \r. # starts a comment, the
 * first line may be a header. As many numbers in every line, all finite; else FINF_EPARSE. */
finf_status input_text_lines(input_text *r, const char *text, finf_reason *why);

#endif
