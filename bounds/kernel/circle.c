/* Means over the unit circle by the trapezoid rule in u = log tan(w/2). (theory 3.4)
 *
 *     (1/2pi) int_{-pi}^{pi} f dw = (1/pi) int_{-inf}^{inf} f sech(u) du,    t = e^u:
 *     sech(u)/|1-b-e^{iw}|^2 = 2t/(b^2 + (2-b)^2 t^2)
 *
 * Why this rule and not a GSL adaptive one: |1-a-e^{iw}|^2 vanishes at e^u = +-i a/(2-a), and every
 * real zero or pole of B does likewise, so all singularities lie on Im u = +-pi/2 whatever a is.
 * The rule then converges like e^{-pi^2/h}, with 1e-17 at h = 1/4, and the nodes cluster at w = 0
 * and pi by themselves. tests/test_spectrum.c compares it with GSL. */
#include "bounds.h"

#define TAIL 38.0 /* The integrand falls like e^-|u| beyond its last scale, and e^-38 = 3e-17. */
#define LEVELS 13 /* h goes down to 2^-12: complex zeros of B off the real axis may need it. */

/* The relative error that is left after a relative change `change`, when the two changes before it
 * were `before` and `earlier`. The error at h is about A q^(1/h), q < 1, with a sign that swings,
 * and each change is the error of the level before it. Three estimates of it follow:
 *
 *     change (change/before)^2,   before (before/earlier)^6,   before^4, for A = 1.
 *
 * A may be small, where a weak pole is far from the peak, and a change may be small by chance, so
 * the largest of the three counts. */
static double what_is_left(double change, double before, double earlier)
{
    if (!(before < 1)) return 1;
    double falls = fmin(1, change == 0 ? 0 : change / before);
    double fell = fmin(1, before == 0 ? 0 : before / earlier);
    return fmax(change * falls * falls,
                fmax(pow(before, 4), isfinite(earlier) ? before * pow(fell, 6) : 0));
}

/* (1/2pi) int f(w)/|1-b_j-e^{iw}|^2 dw for all b_j by one rule: the nodes do not depend on b, and f
 * costs more at a node than all the kernels 1/|1-b_j-e^{iw}|^2.
 * domain:   0 < b_j < 2; near_0 and near_pi > 0 say from which w on f is constant at either end
 * method:   the kernels at t are the second line above; h is halved until every mean has settled,
 *           and each level adds only the nodes between those of the last one
 * accuracy: settled is what has a relative 1e-16 left by the last three changes; ten times that and
 *           rounding are claimed */
FINF_VECTOR static finf_status means(circle_fn f, void *ctx, double near_0, double near_pi,
                                     const double *b, size_t m, finf_real *out)
{
    double h = 1, b2[CIRCLE_MANY], c2[CIRCLE_MANY], sum[CIRCLE_MANY] = {0};
    double before[CIRCLE_MANY], earlier[CIRCLE_MANY]; /* the last two relative changes */
    for (size_t j = 0; j < m; j++) {
        before[j] = INFINITY;
        earlier[j] = INFINITY;
        near_0 = fmin(near_0, b[j]);
        near_pi = fmin(near_pi, 2 - b[j]);
        b2[j] = b[j] * b[j];
        c2[j] = (2 - b[j]) * (2 - b[j]);
        out[j] = finf_real_make(0, INFINITY, "trapezoid in log tan(w/2)");
    }
    /* lo is a whole number and h a power of 2, so that every node u is an exact double */
    double lo = floor(log(near_0 / 2) - TAIL), hi = TAIL - log(near_pi / 2);
    for (int level = 0; level < LEVELS; level++, h /= 2) {
        /* level 0 takes every node, later ones the midpoints between those they have */
        double first = level ? lo + h : lo;
        double step = level ? 2 * h : h;
        double part[CIRCLE_MANY] = {0};
        double carry[CIRCLE_MANY] = {0};
        size_t n = (size_t)((hi - first) / step) + 1;
        for (size_t i = 0; i < n; i++) {
            double t = exp(first + (double)i * step), t2 = t * t, weight = 2 * t * f(t, ctx);
            for (size_t j = 0; j < m; j++) {
                double term = weight / (b2[j] + c2[j] * t2) - carry[j], next = part[j] + term;
                carry[j] = (next - part[j]) - term; /* Kahan's sum: terms span many orders */
                part[j] = next;
            }
        }
        int settled = 1;
        for (size_t j = 0; j < m; j++) {
            sum[j] += part[j];
            double value = sum[j] * h / FINF_PI, change = fabs(value - out[j].value);
            if (!isfinite(value)) return FINF_ETOL;
            double relative = level == 0 ? INFINITY : value == 0 ? 0 : change / fabs(value);
            double left = what_is_left(relative, before[j], earlier[j]);
            /* or nothing but rounding is left in the last two changes */
            int fine = left < 1e-16 || fmax(relative, before[j]) < 16 * FINF_EPS;
            double claimed = fine ? 10 * left + 16 * FINF_EPS : fmax(relative, before[j]);
            out[j].value = value;
            out[j].error = value == 0 ? 0 : fabs(value) * claimed;
            earlier[j] = before[j];
            before[j] = relative;
            settled = settled && fine;
        }
        if (settled) return FINF_OK;
    }
    return FINF_ETOL;
}

finf_status circle_means(circle_fn f, void *ctx, double near_0, double near_pi, const double *b,
                         size_t m, finf_real *out)
{
    return means(f, ctx, near_0, near_pi, b, m, out);
}

finf_status circle_mean(circle_fn f, void *ctx, double near_0, double near_pi, finf_real *out)
{
    const double one = 1; /* the kernel 1/|1-b-e^{iw}|^2 is 1 at b = 1 */
    return circle_means(f, ctx, near_0, near_pi, &one, 1, out);
}
