/* What several commands read and show. */
#ifndef FINF_CMD_H
#define FINF_CMD_H

#include <math.h>
#include <string.h>

#include "args.h"
#include "base.h"
#include "doc.h"
#include "problem.h"
#include "spec.h"

/* --eta, when it was given: positive. */
finf_status read_eta(const args *a, double *eta, finf_reason *why);
/* --start: a number, or a value for each of the d directions, then in *at; owned by the caller,
 * also after a failure. */
finf_status read_start(const args *a, double d, double *start, double **at, finf_reason *why);
/* At most one of the values that name files may be stdin. */
finf_status check_stdin(const args *a, finf_reason *why);

/* Is the output for a person? (--format text, no --json, no .npy) */
int wants_text(const args *a);
/* Is it one table: CSV, or .npy, which has what CSV would have? */
int wants_csv(const args *a);
/* Does the name of --output end in .npy (or .NPY), or is that the --format? */
int wants_npy(const args *a);
/* Whether a file's name, if there is one, ends in .npy. */
int names_npy(const char *path);
/* A note on a value that this noise is compared with: what it is, and how many times that this
 * noise has; without the factor where it is infinite or undefined. */
void times(char *out, size_t size, const char *what, double factor);
/* `start`, as it was given. */
void show_start(doc *d, const args *a, double start);
/* `reason`, where an answer is infinite. */
void show_reason(doc *d, const finf_reason *why);
/* The same in a row of many: in CSV every row has the column, in JSON only those with something to
 * say. Not in text. */
void show_row_reason(doc *d, const args *a, const char *text);

#endif
