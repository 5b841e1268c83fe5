/* Means over the unit circle by the trapezoid rule in u = log tan(w/2).
 *
 *     (1/2pi) int_{-pi}^{pi} f dw = (1/pi) int_{-inf}^{inf} f sech(u) du
 *
 * Why this rule and not a GSL adaptive one: |1-a-e^{iw}|^2 vanishes at e^u = +-i a/(2-a), and every real zero or
 * pole of B does likewise, so all singularities lie on Im u = +-pi/2 whatever a is. The rule then converges like
 * e^{-pi^2/h}, with 1e-17 at h = 1/4, and the nodes cluster at w = 0 by themselves. tests/ compare it with GSL. */
#include "bounds.h"

#define TAIL 38.0 /* e^-38 = 3e-17 */
#define LEVELS 12 /* h = 2^-12: complex zeros of B off the real axis may need it */

finf_status circle_mean(circle_fn f, void *ctx, double near_0, double near_pi, finf_real *out)
{
    double lo = log(fmin(near_0, 1) / 2) - TAIL, hi = TAIL - log(fmin(near_pi, 1) / 2);
    double h = 0.5, sum = 0, previous = 0, relative = INFINITY;
    for (int level = 0; level < LEVELS; level++, h /= 2) {
        /* level 0 takes every node, later ones the midpoints */
        double first = level ? lo + h : lo, step = level ? 2 * h : h, part = 0, carry = 0;
        size_t n = (size_t)((hi - first) / step) + 1;
        for (size_t i = 0; i < n; i++) {
            double u = first + (double)i * step, term = f(exp(u), ctx) / cosh(u) - carry, next = part + term;
            carry = (next - part) - term; /* Kahan: terms span many orders */
            part = next;
        }
        sum += part;
        double value = sum * h / FINF_PI;
        if (!isfinite(value)) break;
        if (level) {
            relative = fabs(value - previous) / fabs(value);
            /* halving h squares the error */
            if (relative < 1e-8 || value == 0) {
                double error = fabs(value) * (10 * relative * relative + 16 * FINF_EPS);
                *out = finf_real_make(value, error, "trapezoid in log tan(w/2)");
                return FINF_OK;
            }
        }
        previous = value;
    }
    *out = finf_real_make(previous, isfinite(relative) ? fabs(previous) * relative : INFINITY, "trapezoid in log tan(w/2)");
    return FINF_ETOL;
}
