/* The F that are simulated beside quadratics (theory 6.6, 7.8): curvature mu + rest where x is
 * within [lo, hi], which holds 0, and mu outside. With c = x held within [lo, hi],
 *     F(x) = mu x^2/2 + rest c (x - c/2),      F'(x) = mu x + rest c.
 * [-knee, knee] is Huber's function on a slope, (-inf, 0] the asymmetric one; rest = 0 is a
 * quadratic. Inline, and without a branch, as whole vectors of x take a step at once. */
#ifndef FINF_HUBER_H
#define FINF_HUBER_H

static inline __attribute__((always_inline)) double huber_held(double lo, double hi, double x)
{
    double c = x > lo ? x : lo;
    return c < hi ? c : hi;
}

static inline __attribute__((always_inline)) double huber_value(double mu, double rest, double x,
                                                                double c)
{
    return mu / 2 * x * x + rest * c * (x - c / 2);
}

static inline __attribute__((always_inline)) double huber_slope(double mu, double rest, double x,
                                                                double c)
{
    return mu * x + rest * c;
}

#endif
