/* One figure, written as SVG 1.1: a command fills a plot, and the plot is written alone or inside a
 * report.
 *
 * Strings are UTF-8 with formulas as in markup.h. Strings and data are copied. Every function
 * accepts NULL for the plot, and plot_failed(NULL) is true, so that one check after filling is
 * enough. */
#ifndef FINF_PLOT_H
#define FINF_PLOT_H

#include <stddef.h>
#include <stdio.h>

#include "markup.h"

typedef enum { PLOT_LINEAR, PLOT_LOG } plot_scale;
typedef enum { LINE_SOLID, LINE_DASHED, LINE_DOTTED, LINE_NONE } plot_line;

typedef struct {
    const char *name;         /* NULL: not in the legend */
    const double *x, *y;      /* n points, in the order of drawing */
    const double *error;      /* half the length of the error bars; NULL: none */
    const double *low, *high; /* a shaded band; NULL: none */
    size_t n;
    plot_line line;
    int marks;  /* a circle at each point */
    int colour; /* 0..PLOT_COLOURS-1 */
} plot_series;

#define PLOT_COLOURS 5

typedef struct plot plot;

plot *plot_new(const char *title, const char *x_label, plot_scale x, const char *y_label,
               plot_scale y);
void plot_free(plot *p);

/* Points that are not finite, or not positive on a log axis, are left out and break the line. */
void plot_add(plot *p, const plot_series *s);
/* What a reader who cannot see the figure is told. */
void plot_describe(plot *p, const char *text);

/* Whether memory ran out while filling. */
int plot_failed(const plot *p);

/* A file of its own, with the comment in its second line. */
void plot_svg(const plot *p, const char *comment, FILE *out);
/* The svg element only, to stand in HTML. */
void plot_svg_inline(const plot *p, FILE *out);
const char *plot_title(const plot *p);

#endif
