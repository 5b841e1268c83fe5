/* The paper's figures: for each panel one struct, from which its data, caption, legend and commands
 * all follow. */
#ifndef FINF_FIGURES_H
#define FINF_FIGURES_H

#include "plot.h"
#include "runner.h"

typedef enum { SIZE_FULL, SIZE_QUICK, SIZES } figure_size;

enum { FIGURE_SOURCES = 6, FIGURE_COLUMNS = 12 };

/* A command, or one for each value. */
typedef struct {
    /* {} stands for the values as they are spelled, or with `each` for one of them */
    const char *line;
    /* where they are not those of the figure; "": the command is not run */
    const char *values[SIZES];
    int each;
    /* instead of running the line: y for each of n values x */
    finf_status (*compute)(const runner *run, const char *line, const double *x, size_t n,
                           double *y, finf_reason *why);
} figure_source;

typedef enum { ROLE_CURVE, ROLE_RATE, ROLE_POINTS, ROLE_BAND } figure_role;
typedef enum { MAP_SAME, MAP_NEGATED, MAP_ROOT } figure_map;

typedef struct {
    const char *name;   /* in the CSV */
    const char *legend; /* NULL: the name */
    size_t source;
    const char *key, *over; /* of the command's output; divided by `over`, unless NULL */
    figure_map map;
    figure_role role;
    /* a second column: POINTS: the standard error; BAND: the upper edge */
    const char *extra, *extra_key;
    int colour;
    plot_line line;
    /* RATE, POINTS: the column (from 1) they belong to; a rate is drawn times what fits it */
    size_t of;
    int slope;          /* its log-log slope is shown */
    double paper_slope; /* what the paper says it is; 0: nothing */
} figure_column;

typedef struct {
    const char *name;            /* file name without its ending */
    const char *place;           /* in the paper */
    const char *title, *caption; /* markup.h; {} in the caption: the values */
    /* the first column: its name, and the key in the first source's output */
    const char *x, *x_key;
    const char *x_label, *y_label; /* markup.h */
    plot_scale x_scale, y_scale;
    const char *values[SIZES]; /* numbers between commas, or FROM:TO:log|lin:COUNT */
    const char *slopes;        /* a command for the exact slopes; NULL: none are shown */
    /* of the rows, each step the first, the second, .. and then ever fewer */
    int thin;
    figure_source source[FIGURE_SOURCES];
    figure_column column[FIGURE_COLUMNS];
} figure;

enum { FIGURES = 10 };
extern const figure FIGURE[FIGURES];

typedef struct {
    const figure *f;
    figure_size size;
    size_t rows, columns;
    size_t at[FIGURE_COLUMNS]; /* where f->column[i] is in a row */
    double *data;              /* rows x columns, NaN where there is nothing; owned */
} dataset;

finf_status dataset_make(const figure *f, figure_size size, runner *r, dataset *out,
                         finf_reason *why);
void dataset_free(dataset *d);

/* The commands behind #, which column is what of their output, the names, 17 digits. */
void dataset_csv(const dataset *d, const char *mark, FILE *out);
plot *dataset_plot(const dataset *d);
/* The caption with the values and, where they are asked for, the slopes and constants found. */
void dataset_caption(const dataset *d, FILE *out);
/* Each command on a line of its own. */
void dataset_commands(const dataset *d, FILE *out);
/* The command for the exact slopes, without "finf"; nothing if there is none. */
void figure_slopes_command(const figure *f, figure_size size, FILE *out);
/* A record for each slope: of the exact values, of the paper's rate and of the simulation. */
void dataset_slopes(const dataset *d, doc *out);

#endif
