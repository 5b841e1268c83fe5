/* The least value of a function of one variable. */
#ifndef FINF_MINIMISE_H
#define FINF_MINIMISE_H

#include "base.h"

/* f(x) in *value; any status but FINF_OK ends the search with it. */
typedef finf_status minimise_fn(double x, void *data, double *value);

/* f may have several minima: it is sampled at `from`, every `step` from there towards `to`, and at
 * `to`. Between the neighbours of the least sample, the first one of equals, Brent's method finds
 * the minimum until x is known to about tol; *x is the best of all points tried. It is `from` where
 * no sample is finite. */
finf_status minimise(minimise_fn *f, void *data, double from, double to, double step, double tol,
                     double *x);

/* The same for an f that is costly and known to few digits: where the least sample is an end, and f
 * is larger tol inside of it, the minimum is that end. */
finf_status minimise_or_end(minimise_fn *f, void *data, double from, double to, double step,
                            double tol, double *x);

/* Of a minimum x that was found in [lo, hi]: how far from it the true one may be. At this distance,
 * on both sides that there are, the value is larger beyond the errors of both; it starts from 4
 * tol, and grows as the parabola through the values says until that holds. The valley in between is
 * taken to have one minimum. */
typedef finf_status minimise_real_fn(double x, void *data, finf_real *value);
finf_status minimise_error(minimise_real_fn *f, void *data, double lo, double hi, double x,
                           double tol, double *error);

#endif
