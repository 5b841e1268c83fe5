/* The one printer: a command fills a doc, and the doc is written as text, CSV or JSON. No command
 * prints anything itself, so that the three formats cannot disagree. */
#ifndef FINF_DOC_H
#define FINF_DOC_H

#include <stdio.h>

#include "finf.h"
#include "memory.h"

typedef enum { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON, FORMAT_NPY } doc_format;

typedef struct doc doc;

doc *doc_new(void);
void doc_free(doc *d);
int doc_empty(const doc *d); /* nothing to print */

/* Starts the next object (a row of CSV, a line of JSON). A doc begins with none. */
void doc_row(doc *d);

/* Where a field is seen. Its key is one word with one meaning: the label in text, the header in
 * CSV and the key in JSON. */
typedef enum {
    SHOWN,     /* everywhere */
    DATA_ONLY, /* in CSV and JSON: text would be too long with it */
    TEXT_ONLY  /* in text: CSV and JSON say it by other keys */
} doc_where;

/* Fields of the current row. note: what it means, for text; may be NULL. Strings are copied. */
void doc_number(doc *d, const char *key, doc_where where, double value, const char *note);
/* A number with its error, which has the key `key`_error. */
void doc_real(doc *d, const char *key, doc_where where, finf_real x, const char *note);
/* A whole number, all digits of it whatever the precision: 64 bits do not fit in a double. */
void doc_whole(doc *d, const char *key, doc_where where, unsigned long long value,
               const char *note);
void doc_bool(doc *d, const char *key, doc_where where, int value, const char *note);
/* value = NULL: a dash in text, null in JSON. */
void doc_string(doc *d, const char *key, doc_where where, const char *value, const char *note);
/* Numbers that are the whole output: one a line in text, to be read back. `error` is that of each,
 * with the key `key`_error. */
void doc_array(doc *d, const char *key, const double *x, size_t n, double error);
/* Numbers of this row, where doc_array is the whole output: JSON an array, CSV one cell, not in
 * text. */
void doc_series(doc *d, const char *key, const double *x, size_t n);
/* A table below the row: in JSON an array of objects under `key`; in CSV it takes the place of the
 * row. key = NULL: text only. */
void doc_table(doc *d, const char *key, size_t columns, const char *const *names,
               const double *data, size_t rows);

/* An array of objects whose fields are words, cells row by row: JSON has it so; in CSV one cell,
 * the objects between semicolons; in text a line each, behind the key. */
void doc_objects(doc *d, const char *key, size_t columns, const char *const *names,
                 const char *const *cells, size_t rows);
/* How many such objects there are in all records. */
size_t doc_object_count(const doc *d);

/* One of several tables with the same columns, which CSV has as one: `label` is the name of a first
 * column more, which is `name` in all rows of this one. */
void doc_part(doc *d, const char *key, const char *label, const char *name, size_t columns,
              const char *const *names, const double *data, size_t rows);

/* In text the records are one table with these columns, keys between commas, below a line for each
 * field that is the same in all records. Those that no record shows are passed over, but for the
 * ones before a semicolon, which may be data only. */
void doc_columns(doc *d, const char *keys);

/* The columns that the keys so far have made stay the first of the CSV, whatever comes. */
void doc_columns_first(doc *d);

/* Text only. */
void doc_heading(doc *d, const char *text);
void doc_note(doc *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

void doc_fail(doc *d);        /* memory ran out for something that belongs in it */
int doc_failed(const doc *d); /* memory ran out while filling */
/* Whether a number's error is as large as the number, finite and not 0: the first such in *why, and
 * each record's in its `reason`. */
int doc_imprecise(doc *d, finf_reason *why);

/* What goes to the file of --save, if it is to be written: a file of the doc's own, NULL without
 * memory. */
FILE *doc_saved(doc *d);
/* Closes it; NULL: there is nothing to save. */
const memory_file *doc_end_saved(doc *d);

/* Bytes that are the whole output, made while they are written: for numbers that memory need not
 * hold. Takes `data`. */
typedef struct {
    int (*write)(void *data, doc_format format, FILE *out); /* 0: failed */
    int (*state)(void *data, FILE *out); /* after it, what goes to the file of --state; 0: failed */
    void (*release)(void *data);
} doc_writer;
void doc_written_by(doc *d, const doc_writer *writer, void *data);
/* 0: failed. Nothing where no writer is there. */
int doc_print_state(const doc *d, FILE *out);

/* A doc of its own for what --plot draws, where that is not the records: filled by the command,
 * printed by nobody. NULL: no memory, which the doc then knows. */
doc *doc_plot(doc *d);
const doc *doc_plotted(const doc *d); /* NULL: there is none */

/* How the records are drawn, where the options do not tell: against x, on a logarithmic axis or
 * not, the keys y, a curve for each value of the keys `by`; lists between commas. */
void doc_figure(doc *d, const char *x, int x_log, const char *y, const char *by);
typedef struct {
    char *x; /* NULL: it was not said */
    int x_log;
    char *y, *by;
} doc_drawing;
const doc_drawing *doc_drawn(const doc *d);

/* The key of the arrays that are the whole output; NULL: there are none. */
const char *doc_array_key(const doc *d);
/* The arrays of this key as records, for a logarithmic plot: `noise` and what else varies, the
 * index t = 1, 2, .. (from some on not all of them), and under the key the size of the number. One
 * that is 0 is missing, with the `reason`. Owned by the caller; NULL: no memory. */
doc *doc_unrolled(const doc *d, const char *key);

/* What was filled, for a report: fields of record `row` = 0.. by their key (or error key). */
typedef struct {
    enum { CELL_EMPTY, CELL_NUMBER, CELL_BOOL, CELL_TEXT } kind;
    double value;     /* a number; 0 or 1 */
    const char *text; /* borrowed from the doc */
} doc_cell;

size_t doc_rows(const doc *d);
doc_cell doc_at(const doc *d, size_t row, const char *key);
/* A column of numbers as the CSV lists it: of the array, of the table (of one in parts by a part's
 * name, with the part's values), or of the records (NaN where
 * one is without). NULL if there is none, with n = 0, or no memory. Owned by the caller. */
double *doc_column(const doc *d, const char *key, size_t *n);
/* The fields of a record, arrays among them, once more in the current row of `to`. */
void doc_copy(doc *to, const doc *from, size_t row);

typedef struct {
    doc_format format;
    int precision; /* significant digits; 0: 10 in text, 17 (read back exactly) in CSV and JSON */
    int quiet;     /* text: values only */
} doc_style;

/* 0: memory ran out, and what was written is not whole. */
int doc_print(const doc *d, doc_style style, FILE *out);
/* A string as JSON has it, in its quotes; what is not UTF-8 becomes U+FFFD. */
void doc_json_string(const char *s, FILE *out);
/* A string from outside on a terminal: what is no character of UTF-8, or moves the cursor (a
 * control character of ASCII or U+0080..U+009F), is a question mark. */
void doc_plain(const char *s, FILE *out);

#endif
