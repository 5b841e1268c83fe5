/* The paper's figures as data: one dataset a panel, computed from the library. */
#ifndef FINF_FIGURES_H
#define FINF_FIGURES_H

#include "cmd.h"

typedef struct {
    const char *name; /* file name without its ending */
    const char *title, *caption;
    const char *command; /* a command line that gives (a part of) it */
    const char *x_label, *y_label;
    int log_x, log_y;
    size_t columns, rows;
    const char *names[12]; /* names[0] is x */
    int is_error[12];      /* this column is the standard error of the one before */
    double *data;          /* rows x columns, NaN where there is none; owned */
} dataset;

#define FIGURES 9
typedef finf_status (*figure_fn)(int quick, dataset *out);
extern const figure_fn FIGURE[FIGURES];

void dataset_free(dataset *d);
/* CSV: the command behind #, the names, 17 digits. */
void dataset_csv(const dataset *d, FILE *out);

#endif
