/* Numbers computed from numbers that have an error: what the error of the result is. Every bound
 * here holds for all true values within the given errors, not only to the first order, and has
 * the rounding of the operation itself in it. (theory 0.4) */
#include "base.h"

finf_real finf_real_exact(double value) { return (finf_real){value, 0, "given"}; }

finf_real finf_real_rounded(double value, double units)
{
    if (isnan(value)) return finf_real_failed();
    return (finf_real){value, isinf(value) ? 0 : units * FINF_EPS * fabs(value) + DBL_TRUE_MIN,
                       "closed form"};
}

/* An infinite factor makes an infinite product, exactly; 0 times that is unknown. */
finf_real finf_real_times(finf_real a, finf_real b)
{
    double value = a.value * b.value;
    if (isnan(value)) return finf_real_failed();
    if (isinf(value)) return finf_real_infinite(a.method);
    double lost = fabs(a.value) * b.error + fabs(b.value) * a.error + a.error * b.error;
    return (finf_real){value, lost + FINF_EPS * fabs(value), a.method};
}

/* |a'/b' - a/b| <= (|a' - a| + |a/b| |b' - b|)/|b'|, and |b'| >= |b| - error. */
finf_real finf_real_over(finf_real a, finf_real b)
{
    double value = a.value / b.value, least = fabs(b.value) - b.error;
    if (isnan(value)) return finf_real_failed();
    if (isinf(value)) return finf_real_infinite(a.method);
    if (isinf(b.value)) return (finf_real){value, 0, a.method};
    if (!(least > 0)) return (finf_real){value, INFINITY, a.method};
    double lost = (a.error + fabs(value) * b.error) / least;
    return (finf_real){value, lost + FINF_EPS * fabs(value), a.method};
}

/* |sqrt x' - sqrt x| = |x' - x|/(sqrt x' + sqrt x), and x' >= x - error, or 0. */
finf_real finf_real_root(finf_real x)
{
    double value = sqrt(x.value), least = sqrt(fmax(x.value - x.error, 0));
    if (isnan(value)) return finf_real_failed();
    if (isinf(value)) return finf_real_infinite(x.method);
    double lost = value > 0 ? x.error / (value + least) : sqrt(x.error);
    return (finf_real){value, lost + FINF_EPS * value, x.method};
}

/* |log x' - log x| <= |x' - x|/min(x, x'). The logarithm itself is right to a unit. */
finf_real finf_real_log(finf_real x)
{
    double value = log(x.value), least = x.value - x.error;
    if (!isfinite(value)) return finf_real_failed();
    double lost = least > 0 ? x.error / least : INFINITY;
    return (finf_real){value, lost + FINF_EPS * fabs(value), x.method};
}
