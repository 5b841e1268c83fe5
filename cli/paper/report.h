/* One HTML file to read on a phone, on a screen or on paper: no script, nothing fetched. It is
 * written as it comes, in the order of the calls, so that there is nothing to free; the stream says
 * whether writing went wrong.
 *
 * Strings are UTF-8 with formulas as in markup.h; all are escaped. Commands: one a line. */
#ifndef FINF_REPORT_H
#define FINF_REPORT_H

#include "doc.h"
#include "plot.h"

/* generator: what made it, in the head of the file. */
void report_begin(FILE *out, const char *title, const char *generator);
void report_end(FILE *out);

/* Links to the sections, whose headings are given as to report_section. */
void report_contents(FILE *out, size_t n, const char *const *headings);
void report_section(FILE *out, const char *heading);
void report_paragraph(FILE *out, const char *text);
void report_note(FILE *out, const char *text); /* set apart */

/* A plot that failed is not drawn. */
void report_figure(FILE *out, const plot *p, const char *caption, const char *commands);

/* A column of a table: a field of every record. */
typedef struct {
    const char *key, *heading;
} report_column;

/* Every record of d that has the second column, the columns asked for; with one record only, a line
 * for each column instead. What a record does not have is shown as a dash. commands may be NULL. */
void report_table(FILE *out, const doc *d, const report_column *columns, size_t n,
                  const char *caption, const char *commands);

#endif
