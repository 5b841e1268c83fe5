/* One figure, written as SVG 1.1: a command fills a plot, and the plot is written alone or inside a report.
 *
 * Strings are UTF-8 with formulas as in markup.h. Strings and data are copied. Every function accepts NULL for the
 * plot, and plot_failed(NULL) is true, so that one check after filling is enough. */
#ifndef FINF_PLOT_H
#define FINF_PLOT_H

#include <stddef.h>
#include <stdio.h>

#include "markup.h"

typedef enum { PLOT_LINEAR, PLOT_LOG } plot_scale;
/* LINE_AUTO: solid for the first seven series, then dashed, then dotted. */
typedef enum { LINE_AUTO, LINE_SOLID, LINE_DASHED, LINE_DOTTED, LINE_NONE } plot_line;
/* MARK_AUTO: a different one for each series. */
typedef enum {
    MARK_NONE,
    MARK_AUTO,
    MARK_CIRCLE,
    MARK_SQUARE,
    MARK_TRIANGLE,
    MARK_DIAMOND,
    MARK_CROSS,
    MARK_DOWN
} plot_mark;

typedef struct {
    const char *name;         /* NULL: not in the legend */
    const double *x, *y;      /* n points, in the order of drawing */
    const double *error;      /* half the length of the error bars; NULL: none */
    const double *low, *high; /* a shaded band; NULL: none */
    size_t n;
    plot_line line;
    plot_mark mark; /* on a line without bars, marks that would crowd are left out */
    int colour;     /* 0: the next one; else 1..PLOT_COLOURS */
} plot_series;

#define PLOT_COLOURS 10

typedef struct plot plot;

plot *plot_new(const char *title, const char *x_label, plot_scale x, const char *y_label, plot_scale y);
void plot_free(plot *p);

/* Points that are not finite, or not positive on a log axis, are left out and break the line. */
void plot_add(plot *p, const plot_series *s);
/* A horizontal grey line across the plot. name: in the legend; may be NULL. LINE_AUTO is dashed. */
void plot_level(plot *p, double y, const char *name, plot_line line);
/* What a reader who cannot see the figure is told; without it, the axes and the names of the series. */
void plot_describe(plot *p, const char *text);
/* In place of the range of the data; NaN at either end keeps that end automatic. */
void plot_range_x(plot *p, double low, double high);
void plot_range_y(plot *p, double low, double high);

int plot_failed(const plot *p); /* memory ran out while filling */

void plot_svg(const plot *p, const char *comment, FILE *out); /* a standalone file */
void plot_svg_inline(const plot *p, FILE *out);               /* the svg element only, to stand in HTML */
const char *plot_title(const plot *p);

#endif
