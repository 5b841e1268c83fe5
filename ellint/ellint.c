/* Complete elliptic integrals by complementary parameter, on GSL's Carlson forms. (theory 3)
 * 1 - k^2 is never formed from k: the caller gives m1 = 1 - k^2, and that keeps every digit. */
#include <gsl/gsl_sf_ellint.h>

#include "base.h"

#define RF(y, z) gsl_sf_ellint_RF(0, (y), (z), GSL_PREC_DOUBLE)
#define RD(x, y, z) gsl_sf_ellint_RD((x), (y), (z), GSL_PREC_DOUBLE)
#define RJ(y, z, p) gsl_sf_ellint_RJ(0, (y), (z), (p), GSL_PREC_DOUBLE)

/* GSL's RJ and RD refuse arguments outside about 1e+-102; squares of a, b >= 1e-50 stay inside. */
#define ARG_MIN 1e-50
#define RJ_MIN 1e-101
#define RJ_MAX 1e101

/* Rounding of a Carlson form and the few products around it: 24 ulp covers every row of
 * tests/tables. */
#define CARLSON_REL (24 * FINF_EPS)

static finf_status set(finf_real *out, double value, const char *method)
{
    *out = finf_real_make(value, CARLSON_REL * fabs(value), method);
    return FINF_OK;
}

static finf_status outside(finf_real *out)
{
    *out = finf_real_failed();
    return FINF_EDOM;
}

static int within(double x, double lo, double hi) { return x >= lo && x <= hi; }

/* Arithmetic-geometric mean. domain: x, y > 0 finite. Converges quadratically; 2 ulp a step. */
finf_status finf_agm(double x, double y, finf_real *out)
{
    if (!(x > 0 && y > 0 && isfinite(x) && isfinite(y))) return outside(out);
    for (int i = 0; i < 64 && fabs(x - y) > 2 * FINF_EPS * x; i++) {
        double mean = 0.5 * (x + y);
        y = sqrt(x) * sqrt(y); /* x*y may overflow */
        x = mean;
    }
    return set(out, x, "AGM");
}

/* K(k) = int_0^{pi/2} (1 - k^2 sin^2)^{-1/2} = RF(0, m1, 1).   domain: 1e-300 <= m1 <= 1e300 (m1 >
 * 1: imaginary k) */
finf_status finf_ellint_k(double m1, finf_real *out)
{
    if (!within(m1, 1e-300, 1e300)) return outside(out);
    return set(out, RF(m1, 1), "Carlson RF");
}

/* E(k) = (m1/3) [RD(0,m1,1) + RD(0,1,m1)]: both terms positive, unlike RF - (k^2/3) RD (Carlson).
 * Below m1 = 1e-40, E = 1 + O(m1 log m1) is 1. */
finf_status finf_ellint_e(double m1, finf_real *out)
{
    if (!within(m1, 1e-300, 1e300)) return outside(out);
    if (m1 > 1) { /* E(m1) = sqrt(m1) E(1/m1): cos and sin change places */
        finf_status s = finf_ellint_e(1 / m1, out);
        return s ? s : set(out, sqrt(m1) * out->value, out->method);
    }
    if (m1 < 1e-40) return set(out, 1, "limit k -> 1");
    return set(out, m1 / 3 * (RD(0, m1, 1) + RD(0, 1, m1)), "Carlson RD");
}

/* Pi(n,k) = int_0^{pi/2} dt / ((cos^2 + p sin^2) sqrt(cos^2 + m1 sin^2)),  p = 1 - n
 * domain:   1e-101 <= p, m1 <= 1e101 and the same for m1/p
 * method:   p <= 1: RF + (1-p)/3 RJ(p), both terms >= 0. p > 1 cancels there, so the change of
 * parameter p -> m1/p is made first (both terms >= 0 again); m1 > 1 is turned into 1/m1 by cos <->
 * sin. */
finf_status finf_ellint_pi(double p, double m1, finf_real *out)
{
    static const char method[] = "Carlson RF, RJ";
    if (!within(p, RJ_MIN, RJ_MAX) || !within(m1, RJ_MIN, RJ_MAX)) return outside(out);
    if (m1 > 1) {
        finf_status s = finf_ellint_pi(1 / p, 1 / m1, out);
        return s ? s : set(out, out->value / (p * sqrt(m1)), method);
    }
    if (p <= 1) return set(out, RF(m1, 1) + (1 - p) / 3 * RJ(m1, 1, p), method);
    double q = m1 / p;
    if (q < RJ_MIN) return outside(out);
    double K = RF(m1, 1), Pi = K + (1 - q) / 3 * RJ(m1, 1, q);
    return set(out, (p - 1) / (p - m1) * q * Pi + (1 - m1) / (p - m1) * K, method);
}

/* The three integrals over the circle. With t = tan(w/2) and al = a/(2-a),
 *     |1-a-e^{iw}|^2 = (2-a)^2 (al^2 + t^2) / (1 + t^2),
 * so each is a K or a Pi of parameter m1 = al^2. Domain 1e-50 <= a <= 1 (J0: a < 2), 1e-50 <= b
 * < 2. */
static double half_angle(double a) { return a / (2 - a); }

static int in_domain(double a, double a_max, double b)
{
    return within(a, ARG_MIN, a_max) && b >= ARG_MIN && b < 2 && a < 2;
}

/* J0(a) = int dw / |1-a-e^{iw}| = 4/(2-a) K.   (2-a)-symmetric: a and 2-a give the same |..| with w
 * -> pi - w */
finf_status finf_ellint_j0(double a, finf_real *out)
{
    if (!in_domain(a, 2, 1)) return outside(out);
    double al = half_angle(a);
    return set(out, 4 / (2 - a) * RF(al * al, 1), "Carlson RF");
}

/* J1(a,b) = int dw / (|1-a-e^{iw}| |1-b-e^{iw}|^2) = 4/((2-a)(2-b)^2) Pi(p = be^2, m1 = al^2) */
finf_status finf_ellint_j1(double a, double b, finf_real *out)
{
    if (!in_domain(a, 1, b)) return outside(out);
    double al = half_angle(a), be = half_angle(b);
    finf_status s = finf_ellint_pi(be * be, al * al, out);
    return s ? s : set(out, 4 / ((2 - a) * (2 - b) * (2 - b)) * out->value, out->method);
}

/* I(a,b) = int |1-a-e^{iw}| / |1-b-e^{iw}|^2 dw = 2 a^2/(b^2 (1-a/2)) Pi(p = (al/be)^2, m1 = al^2)
 * accuracy: 1e-14 relative on tests/tables/ellint_i.inc, a to 1e-12, b to 1e-13, and on both sides
 * of a = b. For a <= b this is theory's first form; for a > b the change of parameter inside Pi is
 * its second. */
finf_status finf_ellint_i(double a, double b, finf_real *out)
{
    if (!in_domain(a, 1, b)) return outside(out);
    double al = half_angle(a), r = al / half_angle(b), ab = a / b;
    finf_status s = finf_ellint_pi(r * r, al * al, out);
    return s ? s : set(out, 4 * ab * ab / (2 - a) * out->value, out->method);
}
