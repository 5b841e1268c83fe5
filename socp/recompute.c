/* The bound that is printed, MATH 7.8: from the multipliers alone, on the continuum. Any x >= 0 is of the class (the
 * unknowns are slacks, basis.c), so only rounding below zero and a(w) <= 0 between nodes need repair; both are done
 * by raising h_0, since a grows with it at every frequency. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "socp.h"

enum { MAX_HALVINGS = 9 };

/* int_0^pi f dw/pi in u = log tan(w/2), dw = du/cosh u: the integrand is analytic in a strip about the real u axis,
 * whatever its scale in w, so the trapezoid rule converges geometrically. Error: the last halving. */
void socp_integrate(socp_integrand *f, void *data, double scale, double tol, socp_integral *out)
{
    double lo = log(scale / 2) - 40, hi = 40, h = 0.5, sum[2] = {0, 0};
    *out = (socp_integral){.error = {INFINITY, INFINITY}};
    for (int level = 0; level <= MAX_HALVINGS && !out->converged; level++) {
        double step = level ? 2 * h : h;
        for (double u = level ? lo + h : lo; u < hi; u += step) {
            double v[2] = {0, 0}, jac = 1 / cosh(u);
            f(2 * atan(exp(u)), data, v);
            sum[0] += jac * v[0], sum[1] += jac * v[1];
        }
        out->converged = 1;
        for (int i = 0; i < 2; i++) {
            double value = sum[i] * h / FINF_PI;
            out->error[i] = level ? fabs(value - out->value[i]) + 1e-14 * fabs(value) : INFINITY; /* halving, rounding */
            out->value[i] = value;
            if (!(out->error[i] <= tol * fabs(value))) out->converged = 0;
        }
        h /= 2;
    }
}

typedef struct {
    const socp_model *mo;
    const finf_noise *noise;
    const socp_basis *b;
    const double *x;
    int dp, sgd;
    double a_min; /* least a met, relative to the size of its terms */
} point;

/* a(w)/a_r(w): how much h_0 there is to spare at w */
static double spare(const point *p, double w)
{
    double complex lambda, X;
    socp_form f;
    socp_basis_sum(p->b, p->x, p->x + p->b->nh, w, &lambda, &X);
    socp_form_at(p->mo, w, 1, &f);
    return creal(lambda) + (f.a_s * cimag(lambda) + f.a_0) / f.a_r;
}

static void integrand(double w, void *data, double out[2])
{
    point *p = data;
    double B[2];
    const double *y = p->x + p->b->nh;
    finf_noise_response(p->noise, w, B);
    for (int part = 0; part < 2; part++) { /* the DP noise, then the gradient noise with B = 1 and its own X */
        if (!(part ? p->sgd : p->dp)) continue;
        double complex lambda, X;
        socp_form f;
        socp_basis_sum(p->b, p->x, y, w, &lambda, &X);
        socp_form_at(p->mo, w, part ? 1 : B[0] + I * B[1], &f);
        double r = creal(lambda), s = cimag(lambda), a = f.a_r * r + f.a_s * s + f.a_0;
        double complex m = f.m_r * r + f.m_s * s + f.m_0 + X;
        p->a_min = fmin(p->a_min, a / (fabs(f.a_r * r) + fabs(f.a_s * s) + fabs(f.a_0)));
        out[part] = a > 0 ? (creal(m) * creal(m) + cimag(m) * cimag(m)) / a + f.k_r * r + f.k_0 : INFINITY;
        y += p->b->nc;
    }
}

/* min over [0,pi] of spare: every local minimum of a fine sample in u, refined by golden section */
static double least_spare(const point *p, double scale)
{
    const double h = 0.125, lo = log(scale / 2) - 12, hi = 12, g = 0.6180339887498949;
    double f0 = spare(p, 0), f1 = spare(p, 2 * atan(exp(lo))), least = fmin(fmin(f0, f1), spare(p, FINF_PI));
    for (double u = lo + h; u < hi; u += h) {
        double f2 = spare(p, 2 * atan(exp(u)));
        if (f1 <= f0 && f1 <= f2)
            for (double l = u - 2 * h, r = u; r - l > 1e-8;) {
                double a = r - g * (r - l), b = l + g * (r - l);
                double fa = spare(p, 2 * atan(exp(a))), fb = spare(p, 2 * atan(exp(b)));
                least = fmin(least, fmin(fa, fb));
                if (fa < fb)
                    r = b;
                else
                    l = a;
            }
        least = fmin(least, f2);
        f0 = f1, f1 = f2;
    }
    return least;
}

/* Where a falls below zero between nodes (a grid too coarse), or vanishes with m, h_0 is raised: by what is missing and a
 * relative 1e-12, 1e-11, .. 1, of which the least converged bound is kept. With none converged the first finite value stands,
 * with its error, as FINF_ETOL. */
finf_status socp_recompute(const socp_model *mo, const finf_noise *noise, const socp_basis *b, socp_weights weights,
                           double *x, socp_recomputed *out)
{
    const char *method = "trapezoid rule in log tan(w/2)";
    finf_real none = {NAN, INFINITY, FINF_ESTIMATE, method};
    point p = {mo, noise, b, x, weights.dp > 0, weights.sgd > 0, INFINITY};
    double scale = fmin(mo->eta * mo->mu, finf_noise_scale(noise)), h0 = mo->shift, best = INFINITY;
    int done = 0;
    *out = (socp_recomputed){.dp = none, .sgd = none};
    for (size_t i = 0; i < b->nh; i++) {
        if (!(x[i] > 0)) x[i] = 0;
        h0 += x[i];
    }
    double x0 = x[0], kept = x0, missing = fmax(0, -least_spare(&p, scale));
    h0 += missing;
    for (double room = missing > 0 ? 1e-12 : 0; room < 2; room = fmax(1e-12, 10 * room)) {
        socp_integral v;
        x[0] = x0 + missing + room * h0;
        p.a_min = INFINITY;
        socp_integrate(integrand, &p, scale, 1e-10, &v);
        double total = weights.dp * v.value[0] + weights.sgd * v.value[1];
        if (!(p.a_min > 0) || !isfinite(total) || (done && !(v.converged && total < best))) continue;
        if (!v.converged && isfinite(best)) continue;
        kept = x[0], best = total, done = v.converged;
        out->dp = (finf_real){v.value[0], v.error[0], FINF_ESTIMATE, method};
        out->sgd = (finf_real){v.value[1], v.error[1], FINF_ESTIMATE, method};
        out->a_min = p.a_min, out->repair = (kept - x0) / h0;
        if (room == 0 && done) break;
    }
    x[0] = kept;
    return done ? FINF_OK : FINF_ETOL;
}
