/* The closed loop of an optimizer on a quadratic of curvature h: eta b/(a + q b), q = eta h. Its
 * poles decide stability and speed. (theory 11.1) */
#include "optimizer.h"

#include <gsl/gsl_poly.h>
#include <stdlib.h>
#include <string.h>

/* a_k = rest_k - rest_{k-1}, exactly: rounded, a(1) would be some 1e-16, and a loop with q = 1e-12
 * would be off by 1e-4. */
static schur_real denominator(const finf_optimizer *o, size_t k)
{
    schur_real now = k + 1 < o->na ? o->rest[k] : 0, before = k && k < o->na ? o->rest[k - 1] : 0;
    return now - before;
}

/* Nesterov's 1 + m is no double: rounded, a loop near the edge of its stability would be off by
 * that over its distance to it. */
schur_real loop_numerator(const finf_optimizer *o, size_t k)
{
    if (k == 1 && o->rule == &optimizer_nesterov) return 1 + (schur_real)o->momentum;
    return k < o->nb ? (schur_real)o->b[k] : 0;
}

/* ---- stability ------------------------------------------------------------------------------- */

void loop_polynomial(const finf_optimizer *opt, double q, schur_real *c, size_t *n)
{
    const finf_optimizer *o = optimizer_or_sgd(opt);
    *n = o->na > o->nb ? o->na : o->nb;
    for (size_t k = 0; k < *n; k++) c[k] = denominator(o, k) + (schur_real)q * loop_numerator(o, k);
}

/* By the step-down recursion (theory 2.1): c_0 + c_1 x + .. has no zero in |x| <= 1 if no
 * reflection coefficient reaches 1. c is destroyed. */
static int minimum_phase(schur_real *c, size_t n)
{
    schur_real old[OPTIMIZER_ORDER_MAX];
    for (size_t k = n - 1; k > 0; k--) {
        schur_real r = c[k] / c[0];
        if (!(r < 1 && r > -1)) return 0;
        memcpy(old, c, sizeof old);
        for (size_t i = 0; i < k; i++) c[i] = old[i] - r * old[k - i];
    }
    return 1;
}

/* Momentum by the table of theory 11.1. A filter by its polynomial; where q is below what its
 * numbers can hold, the pole at z = 1 moves inside, as its effective step is positive, and the
 * others stay: those of `rest` decide. */
int loop_stable(const finf_optimizer *opt, double q)
{
    const finf_optimizer *o = optimizer_or_sgd(opt);
    schur_real c[OPTIMIZER_ORDER_MAX];
    size_t n;
    if (o->rule != &optimizer_filter) {
        schur_real m = o->momentum, ahead = o->rule == &optimizer_nesterov ? m : 0;
        return q > 0 && (1 + 2 * ahead) * (schur_real)q < 2 * (1 + m);
    }
    double size = 0;
    for (size_t k = 0; k < o->nb; k++) size += fabs(o->b[k]);
    if (q * size < 1e-20 * fabs(o->rest_y[0])) {
        n = o->na - 1;
        for (size_t k = 0; k < n; k++) c[k] = o->rest[k];
    } else
        loop_polynomial(o, q, c, &n);
    return minimum_phase(c, n);
}

static double loop_q(const finf_optimizer *o, double eta, double h)
{
    return eta * (h + optimizer_or_sgd(o)->weight_decay);
}

int finf_optimizer_stable(const finf_optimizer *opt, double eta, double h)
{
    double q = loop_q(opt, eta, h);
    return q > 0 && isfinite(q) && loop_stable(opt, q);
}

/* ---- poles ----------------------------------------------------------------------------------- */

/* A y^2 + B y + C without cancellation; a root at infinity (z = 0) is left out. */
static size_t quadratic(schur_real A, schur_real B, schur_real C, double complex *y)
{
    schur_real disc = B * B - 4 * A * C;
    if (disc < 0) {
        double re = (double)(-B / (2 * A)), im = sqrt((double)(-disc)) / (2 * fabs((double)A));
        y[0] = re + I * im;
        y[1] = re - I * im;
        return 2;
    }
    double root = sqrt((double)disc), b = (double)B, s = -(b + copysign(root, b)) / 2;
    size_t n = 0;
    if (s != 0) y[n++] = (double)C / s;
    if (A != 0 && s != 0) y[n++] = s / (double)A;
    return n;
}

/* Newton's steps in powers of y for a root near y = 0, which the solver in x has without digits. */
static double complex polish(const double *c, size_t n, double complex y)
{
    for (int step = 0; step < 5; step++) {
        double complex value = 0, slope = 0;
        for (size_t k = n; k-- > 0;) {
            slope = slope * y + value;
            value = value * y + c[k];
        }
        double complex move = value / slope;
        if (!(cabs(move) < 0.5 * cabs(y) + 1e-3)) break;
        y -= move;
    }
    return y;
}

/* The zeros in x = 1/z of c_0 + c_1 x + .., c_0 not 0, as eigenvalues of the companion matrix of z:
 * what counts are the largest z, which are the ones found best where the c_k differ much in size.
 * Those at z = 0 are left out. */
static finf_status solve(const double *c, size_t n, double complex *x, size_t *count)
{
    double root[2 * OPTIMIZER_ORDER_MAX], in_z[OPTIMIZER_ORDER_MAX];
    gsl_poly_complex_workspace *work = gsl_poly_complex_workspace_alloc(n);
    if (!work) return FINF_ENOMEM;
    for (size_t k = 0; k < n; k++) in_z[k] = c[n - 1 - k];
    int failed = gsl_poly_complex_solve(in_z, n, work, root);
    gsl_poly_complex_workspace_free(work);
    for (size_t i = 0; i + 1 < n && !failed; i++) {
        double complex z = root[2 * i] + I * root[2 * i + 1];
        if (cabs(z) > 0) x[(*count)++] = 1 / z;
    }
    return failed ? FINF_ETOL : FINF_OK;
}

finf_status loop_poles(const finf_optimizer *opt, double q, double complex *y, size_t *n)
{
    const finf_optimizer *o = optimizer_or_sgd(opt);
    size_t length = o->na > o->nb ? o->na : o->nb;
    schur_real wide[OPTIMIZER_ORDER_MAX];
    double c[OPTIMIZER_ORDER_MAX], in_y[OPTIMIZER_ORDER_MAX];
    for (size_t k = 0; k < length; k++) {
        wide[k] = (k && k < o->na ? (schur_real)o->rest_y[k - 1] : 0) +
                  (k < o->nb ? (schur_real)q * (schur_real)o->b_y[k] : 0);
        in_y[k] = (double)wide[k];
    }
    *n = 0;
    if (length <= 3) {
        *n = length == 2 ? quadratic(0, wide[1], wide[0], y)
                         : quadratic(wide[2], wide[1], wide[0], y);
        return FINF_OK;
    }
    loop_polynomial(o, q, wide, &length);
    for (size_t k = 0; k < length; k++) c[k] = (double)wide[k];
    while (length > 1 && c[length - 1] == 0) length--;
    finf_status s = length > 1 ? solve(c, length, y, n) : FINF_OK;
    for (size_t i = 0; i < *n && !s; i++) {
        y[i] = 1 - y[i];
        if (cabs(y[i]) * (double)length < 0.5) y[i] = polish(in_y, length, y[i]);
    }
    return s;
}

/* z = 1/(1-y), and |1-y|^2 - 1 = |y|^2 - 2 Re y. */
double loop_pole_leak(double complex y)
{
    double size = cabs(1 - y), more = creal(y) * (creal(y) - 2) + cimag(y) * cimag(y);
    return more / ((size + 1) * size);
}

/* ---- speed ----------------------------------------------------------------------------------- */

/* 1 - the largest modulus of a pole: what is lost of the slowest mode in a step. *slow, unless
 * NULL: that pole, as y = 1 - 1/z. */
static finf_status slowest_pole(const finf_optimizer *o, double q, double *leak,
                                double complex *slow)
{
    double complex y[OPTIMIZER_ORDER_MAX];
    size_t n;
    finf_status s = loop_poles(o, q, y, &n);
    *leak = 1;
    for (size_t i = 0; i < n && !s; i++) {
        double one = loop_pole_leak(y[i]);
        if (slow && one < *leak) *slow = y[i];
        *leak = fmin(*leak, one);
    }
    return s;
}

static finf_status slowest(const finf_optimizer *o, double q, double *leak)
{
    return slowest_pole(o, q, leak, NULL);
}

/* How far a pole of a filter, an eigenvalue, may be from a zero of its polynomial c(y): by
 * Newton's step from there, and by what rounding of the polynomial's value does to that. */
static double pole_error(const finf_optimizer *o, double q, double complex y)
{
    size_t length = o->na > o->nb ? o->na : o->nb;
    double complex value = 0, slope = 0;
    double size = 0;
    for (size_t k = length; k-- > 0;) {
        double c = (k && k < o->na ? o->rest_y[k - 1] : 0) + (k < o->nb ? q * o->b_y[k] : 0);
        slope = slope * y + value;
        value = value * y + c;
        size = size * cabs(y) + fabs(c);
    }
    double off = (cabs(value) + 4 * (double)length * FINF_EPS * size) / cabs(slope);
    double reach = cabs(1 - y); /* z = 1/(1-y) */
    return reach > 2 * off ? 2 * off / (reach * reach) : INFINITY;
}

/* The error of `leak`, the least over the curvatures, which is attained at q: what the rounding of
 * q does to it, and that of the poles themselves. */
static finf_status leak_error(const finf_optimizer *opt, double q, double leak, double *error)
{
    const finf_optimizer *o = optimizer_or_sgd(opt);
    double low, high, same;
    double complex slow = 0;
    finf_status s = slowest(o, q * (1 - 4 * FINF_EPS), &low);
    if (!s) s = slowest(o, q * (1 + 4 * FINF_EPS), &high);
    if (!s) s = slowest_pole(o, q, &same, &slow);
    if (s) return s;
    *error = fmax(fabs(low - leak), fabs(high - leak)) + 8 * FINF_EPS * (1 + fabs(leak));
    if (o->rule == &optimizer_filter && (o->na > 3 || o->nb > 3)) *error += pole_error(o, q, slow);
    return FINF_OK;
}

/* The least of `slowest` over log q in [lo, hi], a bracket of three samples: golden sections; and
 * the q of it. */
static finf_status refine(const finf_optimizer *o, double lo, double hi, double *leak, double *q)
{
    const double ratio = 0.38196601125010515;
    double x[2] = {lo + ratio * (hi - lo), hi - ratio * (hi - lo)}, value[2];
    finf_status s = slowest(o, exp(x[0]), &value[0]);
    if (!s) s = slowest(o, exp(x[1]), &value[1]);
    for (int i = 0; i < 60 && !s; i++) {
        int right = value[1] < value[0]; /* keep the side of the smaller */
        if (value[right] < *leak) {
            *leak = value[right];
            *q = exp(x[right]);
        }
        if (right) {
            lo = x[0];
            x[0] = x[1];
            value[0] = value[1];
            x[1] = hi - ratio * (hi - lo);
            s = slowest(o, exp(x[1]), &value[1]);
        } else {
            hi = x[1];
            x[1] = x[0];
            value[1] = value[0];
            x[0] = lo + ratio * (hi - lo);
            s = slowest(o, exp(x[0]), &value[0]);
        }
    }
    return s;
}

#define SAMPLES 257

finf_status finf_optimizer_contraction(const finf_optimizer *opt, double eta, double h_lo,
                                       double h_hi, finf_real *contraction, finf_reason *why)
{
    *contraction = finf_real_failed();
    double lo = loop_q(opt, eta, h_lo), hi = loop_q(opt, eta, h_hi), leak[SAMPLES], least = 1,
           at = hi, error = INFINITY;
    if (!(lo >= BOUNDS_TINY && hi <= BOUNDS_HUGE && lo <= hi))
        return finf_why(why, FINF_EDOM,
                        "eta (h + V) from %s to %s: must be positive, increasing, 1e-50 to 1e50",
                        finf_show(lo).s, finf_show(hi).s);
    finf_status s = FINF_OK;
    /* Plain SGD has one pole, 1 - q: the largest modulus is at an end. */
    size_t samples = lo == hi ? 1 : optimizer_or_sgd(opt)->rule == &optimizer_sgd ? 2 : SAMPLES;
    double step = samples > 1 ? log(hi / lo) / (double)(samples - 1) : 0;
    for (size_t i = 0; i < samples && !s; i++) {
        double q = i + 1 == samples ? hi : lo * exp(step * (double)i);
        s = slowest(opt, q, &leak[i]);
        if (!s && leak[i] < least) {
            least = leak[i];
            at = q;
        }
    }
    for (size_t i = 1; i + 1 < samples && !s; i++)
        if (leak[i] < leak[i - 1] && leak[i] < leak[i + 1])
            s = refine(opt, log(lo) + step * (double)(i - 1), log(lo) + step * (double)(i + 1),
                       &least, &at);
    if (!s) s = leak_error(opt, at, least, &error);
    if (s) return finf_why(why, s, s == FINF_ENOMEM ? "no memory" : "the closed-loop poles failed");
    *contraction = finf_real_make(1 - least, error, "closed-loop poles");
    return FINF_OK;
}

/* ---- the largest step ------------------------------------------------------------------------ */

#define SCAN 4096

static double reactive(const finf_optimizer *o, double u)
{
    double complex b, a;
    optimizer_at(o, optimizer_y(exp(u)), &b, &a);
    return cimag(a * conj(b));
}

/* A pole reaches the circle at z = e^{iw} only where q = -1/P(e^{iw}) is real: at w = pi, and at
 * the zeros of Im(a conj b), which a scan of log tan(w/2) finds. */
static size_t crossings(const finf_optimizer *o, double *q)
{
    size_t n = 0;
    double complex b, a;
    optimizer_at(o, 2, &b, &a);
    q[n++] = creal(-a / b);
    double before = reactive(o, -40), u0 = -40;
    for (int i = 1; i <= SCAN; i++) {
        double u1 = -40 + 80 * (double)i / SCAN, now = reactive(o, u1);
        if ((before < 0) != (now < 0) && n < 2 * OPTIMIZER_ORDER_MAX) {
            double lo = u0, hi = u1;
            for (int k = 0; k < 60; k++) {
                double mid = (lo + hi) / 2;
                if ((reactive(o, mid) < 0) == (before < 0))
                    lo = mid;
                else
                    hi = mid;
            }
            optimizer_at(o, optimizer_y(exp(lo)), &b, &a);
            q[n++] = creal(-a / b);
        }
        before = now;
        u0 = u1;
    }
    return n;
}

/* The edge of stability near q, where a scan put it, by bisection on the exact test. */
static double sharpen(const finf_optimizer *o, double q)
{
    double lo = q * (1 - 1e-7), hi = q * (1 + 1e-7);
    int low = loop_stable(o, lo);
    if (low == loop_stable(o, hi)) return q;
    for (int k = 0; k < 60; k++) {
        double mid = (lo + hi) / 2;
        if (loop_stable(o, mid) == low)
            lo = mid;
        else
            hi = mid;
    }
    return low ? hi : lo; /* the end that is not stable */
}

static int increasing(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Between two neighbouring crossings all q are stable or none is; [eta h_min, eta h_max] has to fit
 * between two. Where a filter is stable in several intervals, the last one that holds it counts. */
double finf_optimizer_eta_max(const finf_optimizer *opt, double h_min, double h_max)
{
    const finf_optimizer *o = optimizer_or_sgd(opt);
    double q[2 * OPTIMIZER_ORDER_MAX + 1], lo = 0, start = 0, best = 0;
    double h0 = h_min + o->weight_decay, h1 = h_max + o->weight_decay;
    if (!(h0 > 0 && h1 >= h0 && isfinite(h1))) return NAN;
    size_t n = crossings(o, q);
    qsort(q, n, sizeof *q, increasing);
    int before = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(q[i] > 0 && isfinite(q[i])) || q[i] <= lo * (1 + 1e-9)) continue;
        int stable = loop_stable(o, lo > 0 ? sqrt(lo * q[i]) : q[i] / 2);
        if (stable && !before) start = lo > 0 ? sharpen(o, lo) : 0;
        double end = sharpen(o, q[i]);
        if (stable && end / h1 > start / h0) best = end / h1;
        before = stable;
        lo = q[i];
    }
    return best;
}

/* ---- impulse response ------------------------------------------------------------------------ */

/* The move of -theta at step t, as the optimizer makes it: rest * moves = eta b * gradients, where
 * the gradient is the impulse at 0 less h times -theta. By moves, and not by c = a + q b, which in
 * doubles does not have its slow pole to more than 1e-16. */
static double move(const finf_optimizer *o, double eta, double h, const double *theta, size_t t)
{
    double in = 0;
    for (size_t k = 1; k < o->nb && k <= t; k++)
        in += eta * o->b[k] * ((t == k) - h * theta[t - k]);
    for (size_t k = 1; k + 1 < o->na && k <= t; k++)
        in -= o->rest[k] * (theta[t - k] - (k < t ? theta[t - k - 1] : 0));
    return in;
}

finf_status finf_optimizer_response(const finf_optimizer *opt, double eta, double h, size_t n,
                                    double *theta, double *average)
{
    const finf_optimizer *o = optimizer_or_sgd(opt);
    double q = loop_q(opt, eta, h), last = 0;
    if (!(eta > 0 && isfinite(eta) && q >= 0 && isfinite(q))) {
        for (size_t t = 0; t < n; t++) {
            theta[t] = NAN;
            if (average) average[t] = NAN;
        }
        return FINF_EDOM;
    }
    size_t K = o->average_last;
    for (size_t t = 0; t < n; t++)
        theta[t] = t ? theta[t - 1] + move(o, eta, h + o->weight_decay, theta, t) : 0;
    for (size_t t = 0; t < n && average; t++) {
        last += theta[t] - (t >= K ? theta[t - K] : 0); /* the sum of the last K */
        double before = t ? average[t - 1] : 0;
        average[t] = o->average == AVERAGE_LAST ? last / (double)K
                                                : before + o->average_leak * (theta[t] - before);
    }
    return FINF_OK;
}
