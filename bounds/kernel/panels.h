/* Means over the unit circle of functions that resonate: panels.c. */
#ifndef FINF_PANELS_H
#define FINF_PANELS_H

#include "bounds.h"

/* A singularity of the function, off the real axis of u = log tan(w/2): it varies near `u` on the
 * scale `width`, its distance from that axis, at most pi/2. */
typedef struct {
    double u, width;
} panel_feature;

typedef struct {
    const panel_feature *feature; /* n of them */
    size_t n;
    const double *knot; /* n_knots increasing w in (0, pi) at which it is not smooth */
    size_t n_knots;
    double near_0;  /* the least w on which it varies near 0, .. */
    double near_pi; /* .. and the least pi - w near pi */
    double longest; /* of a panel, in w: for what swings all over the circle; INFINITY: no limit */
    double base;    /* a number the mean will be added to: accuracy is relative to the sum */
} panel_plan;

/* (1/2pi) int f dw over (-pi, pi), f even and a circle_fn. The error covers the rule, and what
 * rounding of the nodes does to a narrow peak. FINF_ETOL: it has not settled; FINF_ENOMEM. */
finf_status panel_mean(circle_fn f, void *ctx, const panel_plan *plan, finf_real *out);

/* width such functions at t = tan(w/2). */
typedef void (*panel_fn)(double t, void *ctx, double *out);
/* Their means on common panels, which plan must have the features of all for. base[k], instead of
 * plan->base: what mean k will be added to. */
finf_status panel_means(panel_fn f, void *ctx, size_t width, const panel_plan *plan,
                        const double *base, finf_real *out);

/* The ends of the panels, the first at lo and the last at hi (in u), `part` times as long as
 * panel_mean takes them: *n of them, owned by the caller. */
finf_status panel_ends(const panel_plan *plan, double lo, double hi, double part, double **ends,
                       size_t *n);

#endif
