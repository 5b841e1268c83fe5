/* A table over a range, drawn: what --plot writes. */
#ifndef FINF_PLOT_DOCUMENT_H
#define FINF_PLOT_DOCUMENT_H

#include "doc.h"
#include "plot.h"

#define PLOT_KEYS 8

typedef struct {
    const char *x; /* the key that varies */
    int x_log;     /* it was a log range: its axis is logarithmic (where its values are positive) */
    const char *y[PLOT_KEYS]; /* the keys drawn, the rest NULL: each makes a curve */
    /* Keys whose values tell curves apart ("noise"), the rest NULL; of records only. Those that
     * have one value in the whole table are not named at the curves. */
    const char *by[PLOT_KEYS];
    const char *title;    /* what is shown, in words, as in markup.h; NULL: "F_inf against eta" */
    const char *subtitle; /* what is held fixed, taken as it is; NULL: nothing */
    const char *x_label;  /* at the axes, as in markup.h; NULL: known keys in words, or the key */
    const char *y_label;
    const char *command; /* that made it, kept in the file; NULL: nothing */
} plot_request;

/* Writes the table of d (its records, its array or its table) as an SVG file.
 *
 * y has a log axis if every value drawn is positive. Values that are infinite or missing leave a
 * gap, and a note below the plot says where. A key K with K_low and K_high beside it is drawn with
 * that band. FINF_EDOM: x, or every y, is not in the table. FINF_ENOMEM: no memory. After either
 * nothing has been written. */
finf_status plot_document(const doc *d, const plot_request *r, FILE *out, finf_reason *why);

#endif
