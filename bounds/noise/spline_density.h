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
/* log |B|^2 where it is known at any t = tan(w/2), and the spline only says on which scales it
 * varies: the noise is then this, and not the spline. *lost (may be NULL) is its absolute error.
 * `ctx` is the density's from then on. beta_0 becomes 1. */
typedef struct {
    double (*log_at)(double t, const void *ctx, double *lost);
    void (*release)(void *ctx);
    void *ctx;
} spline_exact;
void spline_density_set_exact(spline_density *d, const spline_exact *exact);
/* |B(w)|^2 at any w, and at t = tan(w/2). */
double spline_density_at(const spline_density *d, double w);
double spline_density_at_t(const spline_density *d, double t);
/* The knots inside (0, pi); w may be NULL. */
size_t spline_density_knots(const spline_density *d, double *w);
/* The least frequency on which |B| varies. */
double spline_density_scale(const spline_density *d);
/* (1/2pi) int dw/|B|^2, and T(b). */
finf_real spline_density_gamma2(const spline_density *d);
finf_real spline_density_energy(const spline_density *d, double b);
/* First n coefficients of the minimum-phase B (sign = +1) or 1/B (sign = -1) by the cepstrum.
 * error, unless NULL: of each of them. FINF_ETOL: they have not settled; out and error are what was
 * reached. */
finf_status spline_density_factor(const spline_density *d, int sign, size_t n, double *out,
                                  double *error, finf_reason *why);
/* arg B(w) of the minimum-phase factor. */
double spline_density_phase(const spline_density *d, double w);

/* spectrum.c: the same of a noise that was made by finf_noise_spectrum. */
void noise_spectrum_set_exact(finf_noise *noise, const spline_exact *exact);

#endif
