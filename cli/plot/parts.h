/* What the files of cli/plot share: the plot as filled, and where everything goes when it is drawn.
 *
 * Coordinates are in units of the viewBox, PLOT_WIDTH wide: text of 12 units is then 10.3 px on a
 * phone of 360 px and 15 px at the 540 px of the report on a screen. Nothing is allocated while a
 * plot is laid out and written. */
#ifndef FINF_PLOT_PARTS_H
#define FINF_PLOT_PARTS_H

#include "plot.h"

#define PLOT_WIDTH 420.0
#define PLOT_FRAME 230.0 /* height of the frame */
#define PLOT_EDGE 10.0   /* left free at both sides of the figure */

/* Sizes of text, and from one line of it to the next. */
#define SIZE_TITLE 15.5
#define SIZE_TEXT 12.5
#define SIZE_TICK 12.0
#define SIZE_NOTE 11.5
#define LEADING 1.22

#define PLOT_TICKS 48  /* of an axis, at most */
#define PLOT_LABELS 16 /* at the ends of curves, at most */
#define SAMPLE 24.0    /* length of the sample of a line in the legend, */
#define LEGEND_LINE 17 /* and from one of its lines to the next */
#define LEGEND_MOST 24 /* entries of the legend; of more curves the last says how many */
#define LEADER 13.0    /* from the frame to the labels */

/* The plot's own copy of a plot_series. */
typedef struct {
    char *name, *label;
    double *x, *y, *error, *low, *high; /* n of each; the last three may be NULL */
    size_t n;
    plot_line line;
    int marks, colour, legend;
} series;

struct plot {
    char *title, *subtitle, *description, *command;
    char *x_label, *y_label, *x_key, *y_key;
    char *note[PLOT_NOTES];
    size_t notes;
    plot_scale x, y;
    series *all;
    size_t n;    /* series */
    size_t room; /* series that there is room for */
    int failed;  /* memory ran out */
};

/* ---- axes (axis.c) --------------------------------------------------------------------------- */

typedef struct {
    double at; /* its value, or log10 of it on a log axis */
    int major; /* it has a label and a line of the grid */
    char label[48];
} tick;

/* An axis. On a log axis lo, hi and the ticks are log10 of values. */
typedef struct {
    plot_scale scale;
    double lo, hi;   /* the range of values */
    double from, to; /* the coordinates at which lo and hi are drawn */
    tick ticks[PLOT_TICKS];
    int n;        /* ticks */
    int exponent; /* a linear axis shows value/10^exponent */
} axis;

/* Ranges and ticks of both axes; from and to are for the caller to set. */
void axis_find(const plot *p, axis *x, axis *y);
/* The coordinate of a tick, and that of a value: NaN if it has none. */
double axis_between(const axis *a, double at);
double axis_place(const axis *a, double value);
/* "x10^k" of an axis with an exponent, as markup. */
void axis_factor(const axis *a, char *out, size_t size);

/* ---- text in lines (wrap.c) ------------------------------------------------------------------ */

#define WRAP_LINES 8
#define WRAP_CHARS 200

typedef struct {
    char line[WRAP_LINES][WRAP_CHARS];
    int n;
    double width; /* of the widest line, in em */
} wrapped;

/* Breaks s at blanks (a word that is too long anywhere) so that no line is wider than `room` em; at
 * most `lines` of them, of which the last then ends with an ellipsis. */
void wrap(const char *s, double room, int lines, wrapped *out);

/* ---- the layout (layout.c, labels.c) --------------------------------------------------------- */

/* A rectangle: its upper left corner, width and height. */
typedef struct {
    double x, y, w, h;
} box;

/* A point in coordinates; NaN for what it does not have. */
typedef struct {
    double x, y;      /* the point */
    double low, high; /* the ends of its error bar */
    double from, to;  /* the edges of the band, below and above */
} spot;

extern const spot NOWHERE;

/* The label of a curve. */
typedef struct {
    const series *s;
    double end_x, end_y; /* where the curve ends, */
    double x, y;         /* the label: its left side, and its middle */
    wrapped text;
    int inside; /* it stands in the frame, beside the end: no leader is needed */
} end_label;

typedef struct {
    axis x, y;
    box frame;
    wrapped title, subtitle, note[PLOT_NOTES];
    double title_y, subtitle_y, label_y, note_y[PLOT_NOTES];
    end_label label[PLOT_LABELS];
    size_t labels;
    int all_in_legend; /* there are too many curves to be labelled */
    box legend;
    size_t legend_entries; /* all that there are */
    size_t legend_columns;
    double legend_column; /* width of one */
    double bottom;        /* of the whole figure */
} layout;

void layout_find(const plot *p, layout *out);
/* Finds the labels' texts, and how much room they need to the right of the frame. */
double labels_measure(const plot *p, layout *l);
/* Finds their places once the frame is known. */
void labels_place(const plot *p, layout *l);
/* Places n blocks of these heights, one below the other in this order, between top and bottom: each
 * as near to where its middle is wanted as the others let it, by least squares. at: their middles.
 */
void labels_spread(const double *want, const double *height, size_t n, double top, double bottom,
                   double *at);
/* Whether the label of a series goes into the legend. */
int in_legend(const layout *l, const series *s);
/* The label of a series; NULL if it has none. */
const char *label_of(const series *s);
/* Point i of a series. An end that is not positive on a log axis is just below the frame. */
spot locate(const layout *l, const series *s, size_t i);

/* ---- drawing (svg.c, hover.c) ---------------------------------------------------------------- */

/* Two decimals, and no -0: the files stay small, and the same everywhere. */
double tidy(double v);
/* Rectangles over the frame, one a value of x, whose <title> says what the curves have there. */
void draw_hover(const plot *p, const layout *l, FILE *out);

#endif
