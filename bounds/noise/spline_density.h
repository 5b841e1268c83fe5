/* |B|^2 given on a grid: its logarithm's spline, integrals over it, and its minimum-phase
 * factor. (theory 1.4) */
#ifndef FINF_SPLINE_DENSITY_H
#define FINF_SPLINE_DENSITY_H

#include "bounds.h"

typedef struct spline_density spline_density;

/* From n >= 5 points, s = |B|^2 at w in [0, pi]; w = NULL: evenly spaced. */
finf_status spline_density_make(const double *w, const double *s, size_t n, spline_density **out,
                                finf_reason *why);
void spline_density_free(spline_density *d);
/* |B(w)|^2 at any w. */
double spline_density_at(const spline_density *d, double w);
/* The knots inside (0, pi); w may be NULL. */
size_t spline_density_knots(const spline_density *d, double *w);
/* The least frequency on which |B| varies. */
double spline_density_scale(const spline_density *d);
/* (1/2pi) int dw/|B|^2, and T(b). */
finf_real spline_density_gamma2(const spline_density *d);
finf_real spline_density_energy(const spline_density *d, double b);
/* First n coefficients of the minimum-phase B (sign = +1) or 1/B (sign = -1) by the cepstrum.
 * error, unless NULL: of each of them. */
finf_status spline_density_factor(const spline_density *d, int sign, size_t n, double *out,
                                  double *error, finf_reason *why);
/* arg B(w) of the minimum-phase factor. */
double spline_density_phase(const spline_density *d, double w);

#endif
