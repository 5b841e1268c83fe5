/* The table of slopes (rates --slopes), drawn: a plot for what the slope is taken against. */
#ifndef FINF_SLOPES_H
#define FINF_SLOPES_H

#include "doc.h"
#include "plot.h"

enum { SLOPE_PLOTS = 3 };

/* The file name of plot i, without its ending, and what is said below it in the report. */
const char *slopes_name(size_t i);
const char *slopes_caption(size_t i);
/* How many slopes of d it shows. */
size_t slopes_count(const doc *d, size_t i);
/* The plot of the records of d; NULL without memory. */
plot *slopes_plot(const doc *d, size_t i);

#endif
