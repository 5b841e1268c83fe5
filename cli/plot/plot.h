/* One figure, written as SVG 1.1: a command fills a plot, and the plot is written alone or inside a
 * report.
 *
 * Curves are named at their ends; a legend below the frame takes what has no end to be named at, or
 * all of them where there are too many. Values show under the pointer, by <title> elements; nothing
 * is a script. Colours follow prefers-color-scheme.
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

/* An axis: what stands at it, what the value is called under the pointer, and its scale. */
typedef struct {
    const char *label;
    const char *key; /* NULL: the label */
    plot_scale scale;
} plot_axis;

typedef struct {
    const char *name;         /* NULL: named nowhere, and not under the pointer */
    const char *label;        /* at the end of the curve; NULL: the name, "": none */
    const double *x, *y;      /* n points, in the order of drawing */
    const double *error;      /* half the length of the error bars; NULL: none */
    const double *low, *high; /* a shaded band; NULL: none */
    size_t n;
    plot_line line;
    int marks;  /* a circle at each point */
    int colour; /* 0..PLOT_COLOURS-1 */
    int legend; /* its label goes to the legend, not to the end of the curve */
} plot_series;

#define PLOT_COLOURS 8
#define PLOT_GREY 4 /* the colour of what belongs to no curve, as a sample in the legend */
#define PLOT_NOTES 6

typedef struct plot plot;

/* title: what one sees, as a sentence; subtitle: what is held fixed, or NULL. */
plot *plot_new(const char *title, const char *subtitle, plot_axis x, plot_axis y);
void plot_free(plot *p);

/* Points that are not finite, or not positive on a log axis, are left out and break the line. */
void plot_add(plot *p, const plot_series *s);
/* A sentence below the figure; PLOT_NOTES at most, further ones are dropped. */
void plot_note(plot *p, const char *text);
/* What a reader who cannot see the figure is told. */
void plot_describe(plot *p, const char *text);
/* The command that made it, kept in the file. */
void plot_command(plot *p, const char *line);

/* Whether memory ran out while filling. */
int plot_failed(const plot *p);

/* A file of its own, with the comment, which has no two hyphens in a row, in its second line; NULL:
 * without. */
void plot_svg(const plot *p, const char *comment, FILE *out);
/* The svg element only, to stand in HTML with plot_style in its style sheet. */
void plot_svg_inline(const plot *p, FILE *out);
/* The colours in the dark, and what happens under the pointer. */
void plot_style(FILE *out);
const char *plot_title(const plot *p);

#endif
