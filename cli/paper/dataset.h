/* What the files that make something of a figure share. */
#ifndef FINF_DATASET_H
#define FINF_DATASET_H

#include "figures.h"

/* How many sources and columns a figure has. */
size_t figure_sources(const figure *f);
size_t figure_columns(const figure *f);
/* The values of a source: its own, or those of the figure. */
const char *source_values(const figure *f, const figure_source *s, figure_size size);
/* The numbers that `text` spells: a list between commas, or a range FROM:TO:log|lin:COUNT as
 * options have it. Owned by the caller. */
finf_status figure_numbers(const char *text, double **x, size_t *n, finf_reason *why);
/* Writes the text with every {} replaced by the values. */
void put_values(const char *text, const char *values, FILE *out);
/* The line with every {1} and {2} replaced, and cut if it is too long. */
void fill_pair(const char *line, const char *first, const char *second, char out[RUNNER_LINE]);

double dataset_cell(const dataset *d, size_t row, size_t column);
/* The log-log slope of a column against the first one, by least squares. */
double dataset_slope(const dataset *d, size_t column);
/* The constant that takes column `from` to column `to` best, by least squares of the logarithms. */
double dataset_constant(const dataset *d, size_t from, size_t to);

#endif
