/* --plot: what a command answered, drawn. */
#ifndef FINF_DRAW_H
#define FINF_DRAW_H

#include "args.h"
#include "points.h"

/* Whether there will be something to draw; before the work. */
finf_status draw_check(const args *a, finf_reason *why);
/* The answers over what varies (shape), or what the command has for a plot of its own. */
finf_status draw(const args *a, const doc *d, const points_shape *shape, FILE *out,
                 finf_reason *why);

#endif
