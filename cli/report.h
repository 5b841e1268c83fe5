/* One HTML file to read on a phone, on a screen or on paper: no script, nothing fetched. It is written as it comes, in
 * the order of the calls, so that there is nothing to free; the stream says whether writing went wrong.
 *
 * Strings are UTF-8 and may hold _{sub} and ^{super}, as in plot.h; all are escaped. */
#ifndef FINF_REPORT_H
#define FINF_REPORT_H

#include "plot.h"

void report_begin(FILE *out, const char *title);
void report_end(FILE *out);

/* Links to the sections, whose headings are given as to report_section. */
void report_contents(FILE *out, size_t n, const char *const *headings);
void report_section(FILE *out, const char *heading);
void report_paragraph(FILE *out, const char *text);
void report_note(FILE *out, const char *text); /* smaller, set apart */

/* caption and command may be NULL. A plot that failed is not drawn. */
void report_figure(FILE *out, const plot *p, const char *caption, const char *command);

typedef struct {
    const char *caption, *command; /* may be NULL */
    size_t columns, rows;
    const char *const *names;  /* of the columns of numbers */
    const double *data;        /* rows x columns, row by row */
    const char *label_name;    /* the heading of the labels; may be NULL */
    const char *const *labels; /* of the rows; NULL: none */
    int digits;                /* significant; 0: 5 */
} report_table_data;

/* NaN is shown as a dash. Wide tables scroll sideways on a phone. */
void report_table(FILE *out, const report_table_data *t);

#endif
