/* What no single command prints: the noise optimised on one grid and valued on another. */
#ifndef FINF_OPTIMISED_ON_GRID_H
#define FINF_OPTIMISED_ON_GRID_H

#include "runner.h"

/* The solver_bound of "optimize .. --save FILE && finf iqc --noise spectrum@FILE .. --verbose" for
 * each of n kappa, into y, without writing the file: the two command lines are parsed for their
 * options, and the noise is handed over in memory. */
finf_status optimised_on_grid(const runner *run, const char *line, const double *kappa, size_t n,
                              double *y, finf_reason *why);

#endif
