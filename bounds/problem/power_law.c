/* Power laws fitted to points: what stands beside a rate that is given up to a constant. */
#include "bounds.h"

static double at(const double *x, size_t i, size_t stride)
{
    return *(const double *)(const void *)((const char *)x + i * stride);
}

static int counts(double x, double y) { return x > 0 && y > 0 && isfinite(x) && isfinite(y); }

/* slope = sum (X - mean X)(Y - mean Y) / sum (X - mean X)^2, X = log x, Y = log y
 * domain:   any; points that are not positive and finite are left out
 * method:   two passes, so that nothing cancels in the sums of squares; below 1e-14 it is rounding,
 *           and 0
 * accuracy: n ulp of |log x|, |log y| over the spread of log x */
double finf_log_slope(const double *x, const double *y, size_t n, size_t stride, size_t *points)
{
    double mx = 0, my = 0, xy = 0, xx = 0, least = INFINITY, most = 0;
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        double a = at(x, i, stride), b = at(y, i, stride);
        if (!counts(a, b)) continue;
        used++;
        mx += log(a);
        my += log(b);
        least = fmin(least, a);
        most = fmax(most, a);
    }
    if (points) *points = used;
    if (used < 2 || most == least) return NAN;
    mx /= (double)used;
    my /= (double)used;
    for (size_t i = 0; i < n; i++) {
        double a = at(x, i, stride), b = at(y, i, stride);
        if (!counts(a, b)) continue;
        xy += (log(a) - mx) * (log(b) - my);
        xx += (log(a) - mx) * (log(a) - mx);
    }
    return fabs(xy) > 1e-14 * xx ? xy / xx : 0;
}

/* With X centred the slope is sum X Y/sum X^2, in which Y may be off by y_error/(y - y_error) and
 * the rounding of a logarithm, and X by that rounding. Both sums add some n units. */
double finf_log_slope_error(const double *x, const double *y, const double *y_error, size_t n,
                            size_t stride)
{
    size_t used = 0;
    double slope = fabs(finf_log_slope(x, y, n, stride, &used)), mx = 0, lost = 0, xx = 0;
    if (isnan(slope)) return INFINITY;
    for (size_t i = 0; i < n; i++)
        if (counts(at(x, i, stride), at(y, i, stride))) mx += log(at(x, i, stride)) / (double)used;
    for (size_t i = 0; i < n; i++) {
        double a = at(x, i, stride), b = at(y, i, stride), off = at(y_error, i, stride);
        if (!counts(a, b)) continue;
        if (!(off < b)) return INFINITY;
        double X = fabs(log(a) - mx), in_x = 2 * FINF_EPS * (fabs(log(a)) + fabs(mx)),
               in_y = off / (b - off) + 2 * FINF_EPS * fabs(log(b));
        lost += (X + in_x) * (in_y + 2 * slope * in_x);
        xx += X * X;
    }
    return lost / xx + (double)used * FINF_EPS * slope + 1e-14; /* below that it was set to 0 */
}

/* exp(mean log(y/x)), over the same points; NaN (0/0) where there is none */
double finf_log_constant(const double *x, const double *y, size_t n, size_t stride)
{
    double used = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
        double a = at(x, i, stride), b = at(y, i, stride);
        if (!counts(a, b)) continue;
        used++;
        sum += log(b / a);
    }
    return exp(sum / used);
}
