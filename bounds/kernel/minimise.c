/* One-dimensional minimisation without derivatives: a scan, then Brent's method in its bracket.
 *
 * Kept apart, as they know more of their function: the best nu of the IQC bound has derivatives
 * (socp/optimize/tune.c); the worst quadratic is evaluated at fifty points for the price of one
 * (socp/bound/worst_quadratic.c); the worst knee is that of a noisy simulation
 * (socp/bound/worst_simulated.c); least_spare looks for every local minimum and wants no argument,
 * only the least value seen (socp/program/recompute.c). */
#include "minimise.h"

#include <math.h>

enum { MAX_STEPS = 100 };

/* R. P. Brent, Algorithms for Minimization without Derivatives (1973), chapter 5: the vertex of the
 * parabola through the three best points where that is a shrinking step inside of the bracket, else
 * a golden section of its larger side. a < c is the bracket; x is in it, with fx the least value so
 * far. */
static finf_status brent(minimise_fn *f, void *data, double a, double c, double tol, double *x,
                         double *fx)
{
    const double golden = 0.3819660112501051; /* (3 - sqrt 5)/2 */
    double w = *x, v = *x;                    /* the second best point, and the one before it */
    double fw = *fx, fv = *fx;
    double d = 0, e = 0; /* the last step, and the one before it */
    for (int k = 0; k < MAX_STEPS; k++) {
        double mid = (a + c) / 2;
        if (fabs(*x - mid) <= 2 * tol - (c - a) / 2) break;
        double r = (*x - w) * (*fx - fv), q = (*x - v) * (*fx - fw);
        double p = (*x - v) * q - (*x - w) * r, before = e;
        q = 2 * (q - r);
        p = q > 0 ? -p : p;
        q = fabs(q);
        if (fabs(e) > tol && fabs(p) < fabs(q * before / 2) && p > q * (a - *x) &&
            p < q * (c - *x)) {
            e = d;
            d = p / q;
        } else {
            e = *x < mid ? c - *x : a - *x;
            d = golden * e;
        }
        double u = *x + (fabs(d) >= tol ? d : copysign(tol, d)), fu;
        finf_status s = f(u, data, &fu);
        if (s) return s;
        if (fu <= *fx) {
            *(u < *x ? &c : &a) = *x;
            v = w;
            fv = fw;
            w = *x;
            fw = *fx;
            *x = u;
            *fx = fu;
        } else {
            *(u < *x ? &a : &c) = u;
            if (fu <= fw || w == *x) {
                v = w;
                fv = fw;
                w = u;
                fw = fu;
            } else if (fu <= fv || v == *x || v == w) {
                v = u;
                fv = fu;
            }
        }
    }
    return FINF_OK;
}

/* The least sample, the first one of equals; *first is the value at `from`. */
static finf_status scan(minimise_fn *f, void *data, double from, double to, double step, double *x,
                        double *first, double *least)
{
    double lo = fmin(from, to), hi = fmax(from, to);
    if (to < from) step = -step;
    *x = from;
    finf_status s = f(from, data, first);
    *least = *first;
    for (double u = from + step; !s && fabs(u - from) < fabs(to - from) + fabs(step); u += step) {
        double at = fmax(fmin(u, hi), lo), value;
        s = f(at, data, &value);
        if (!s && value < *least) {
            *least = value;
            *x = at;
        }
    }
    if (!s && !isfinite(*least)) *x = from;
    return s;
}

static finf_status search(minimise_fn *f, void *data, double from, double to, double step,
                          double tol, int ends, double *x)
{
    double lo = fmin(from, to), hi = fmax(from, to), first, least, inside;
    finf_status s = scan(f, data, from, to, step, x, &first, &least);
    if (s || !isfinite(least)) return s;
    if (ends && (*x == lo || *x == hi)) {
        s = f(*x == lo ? lo + tol : hi - tol, data, &inside);
        if (s || inside > least) return s;
    }
    s = brent(f, data, fmax(*x - step, lo), fmin(*x + step, hi), tol, x, &least);
    if (!s && !(least < first)) *x = from;
    return s;
}

finf_status minimise(minimise_fn *f, void *data, double from, double to, double step, double tol,
                     double *x)
{
    return search(f, data, from, to, step, tol, 0, x);
}

finf_status minimise_or_end(minimise_fn *f, void *data, double from, double to, double step,
                            double tol, double *x)
{
    return search(f, data, from, to, step, tol, 1, x);
}

/* Is the value at `at` above that of the minimum for sure, or is there nothing beyond? Where it is
 * not, *grow is at least how many times as far that may be, by the parabola through both. */
static finf_status is_wall(minimise_real_fn *f, void *data, double at, int beyond, finf_real least,
                           int *wall, double *grow)
{
    finf_real value = {INFINITY, 0, ""};
    finf_status s = beyond ? FINF_OK : f(at, data, &value);
    double above = value.value - least.value, needed = value.error + least.error;
    *wall = above > needed;
    if (!*wall && above > 0) *grow = fmax(*grow, fmin(1.1 * sqrt(needed / above), 256));
    return s;
}

finf_status minimise_error(minimise_real_fn *f, void *data, double lo, double hi, double x,
                           double tol, double *error)
{
    finf_real least;
    int below = 0, above = 0;
    finf_status s = f(x, data, &least);
    for (*error = 4 * tol; !s;) {
        int all = x - *error <= lo && x + *error >= hi;
        double grow = 1.25;
        if (!below) s = is_wall(f, data, x - *error, x - *error <= lo, least, &below, &grow);
        if (!s && !above) s = is_wall(f, data, x + *error, x + *error >= hi, least, &above, &grow);
        if (all || (below && above)) break;
        *error *= grow > 1.25 ? grow : 4;
    }
    if (s) *error = INFINITY;
    return s;
}
