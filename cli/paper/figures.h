/* The paper's figures (theory 9) and our own (theory 11.6): for each panel one struct, from which
 * its data, caption, legend and commands all follow. */
#ifndef FINF_FIGURES_H
#define FINF_FIGURES_H

#include "plot.h"
#include "runner.h"

typedef enum { SIZE_FULL, SIZE_QUICK, SIZES } figure_size;

enum { FIGURE_SOURCES = 6, FIGURE_COLUMNS = 12, FIGURE_SAMPLES = 3 };

/* The section of the report that a figure is in. */
typedef enum { SECTION_MEAN, SECTION_LINREG, SECTION_CONVEX, SECTION_MOMENTUM } figure_section;

/* Where numbers come from: a command that gives a row for each value, or one for each value. */
typedef struct {
    /* the command; {} stands for the values as they are spelled or, with `each`, for one of them,
     * {1} and {2} for the two numbers of the figure's pairs */
    const char *line;
    /* the values where they are not those of the figure; "": the command is not run */
    const char *values[SIZES];
    /* the command is run once for each value */
    int each;
    /* what is called instead of running the line, unless NULL: y for each of n values x */
    finf_status (*compute)(const runner *run, const char *line, const double *x, size_t n,
                           double *y, finf_reason *why);
} figure_source;

/* How a column is drawn. */
typedef enum {
    ROLE_CURVE,  /* a line */
    ROLE_RATE,   /* a line, times the constant that fits it to the column it belongs to */
    ROLE_POINTS, /* points with error bars of two standard errors */
    ROLE_BAND,   /* a shaded band */
    ROLE_MARKS,  /* circles without a line, where a line would hide the one they belong to */
    ROLE_HIDDEN, /* not at all: it is in the CSV only */
    ROLES
} figure_role;
/* What is drawn of a number y: y, -y or sqrt(y). */
typedef enum { MAP_SAME, MAP_NEGATED, MAP_ROOT } figure_map;

typedef struct {
    const char *name;  /* in the CSV: an identifier, which readers of CSV take as it is */
    const char *label; /* at the end of the curve; NULL: none */
    size_t source;     /* number of the source it comes from */
    const char *key;   /* in the source's output */
    const char *over;  /* the key of what it is divided by; NULL: nothing */
    figure_map map;    /* taken of it */
    figure_role role;
    const char *extra;     /* name of a second column: the error of points, the top of a band */
    const char *extra_key; /* and its key */
    int colour;            /* of plot.h */
    plot_line line;
    size_t of;          /* of a rate or points: number (from 1) of the column they belong to */
    int slope;          /* its log-log slope is shown */
    double paper_slope; /* what the paper says it is; 0: nothing */
    const char *rate;   /* of a rate: its formula */
} figure_column;

typedef struct {
    const char *name; /* file name without its ending */
    figure_section section;
    const char *place; /* where it is in the paper, or that it is not */
    const char *title; /* what one sees; formulas as in markup.h, also in all texts below */
    const char *subtitle;
    const char *caption; /* {} in it stands for the values */
    const char *x;       /* the first column: its name, */
    const char *x_key;   /* its key in the first source's output, */
    const char *x_over;  /* and the key of what that is divided by; NULL: nothing */
    const char *x_label; /* what stands at the axes */
    const char *y_label;
    plot_scale x_scale;
    plot_scale y_scale;
    const char *values[SIZES]; /* numbers between commas, or FROM:TO:log|lin:COUNT */
    /* "A:B" for each value, between blanks, where a command needs two numbers that follow from it;
     * the first column must then come out as the values. NULL: none */
    const char *pairs[SIZES];
    const char *slopes; /* a command for the exact slopes; NULL: none are shown */
    struct {
        plot_line line;
        const char *words;
    } sample[FIGURE_SAMPLES]; /* what the legend says of lines (none: of circles), without words: no
                                 more */
    size_t thin; /* the first row taken, after which there are ever fewer; 0: all rows */
    figure_source source[FIGURE_SOURCES];
    figure_column column[FIGURE_COLUMNS];
} figure;

enum { FIGURES = 12 };
extern const figure FIGURE[FIGURES];

/* The numbers of a figure. */
typedef struct {
    const figure *f;
    figure_size size;
    size_t rows;
    size_t columns;
    size_t at[FIGURE_COLUMNS]; /* where f->column[i] is in a row; an extra one is behind it */
    double *data;              /* rows x columns, NaN where there is nothing; owned */
} dataset;

finf_status dataset_make(const figure *f, figure_size size, runner *r, dataset *out,
                         finf_reason *why);
void dataset_free(dataset *d);

/* The names, then the numbers with 17 digits. */
void dataset_csv(const dataset *d, FILE *out);
/* For COMMANDS.md: the commands, and in comments which column is what of their output. */
void dataset_section(const dataset *d, FILE *out);
plot *dataset_plot(const dataset *d);
/* The caption with the values and, where they are asked for, the slopes and constants found. */
void dataset_caption(const dataset *d, FILE *out);
/* Each command on a line of its own, as a shell takes it. */
void dataset_commands(const dataset *d, FILE *out);
/* The command for the exact slopes, without "finf"; nothing if there is none. */
void figure_slopes_command(const figure *f, figure_size size, FILE *out);
/* A record for each slope: of the exact values, of the paper's rate and of the simulation. */
void dataset_slopes(const dataset *d, doc *out);

#endif
