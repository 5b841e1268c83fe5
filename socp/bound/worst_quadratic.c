/* Lower bounds that stand beside the upper one: the worst quadratic (theory 7.8) and the minimax
 * over all noise (7.9). */
#include <math.h>
#include <stdlib.h>

#include "bound.h"

/* UPPER: of the first ones, even in h next to L */
enum { SAMPLES = 49, UPPER = 16, ALL = SAMPLES + 2 };
#define DIVERGES "eta L >= 2: the quadratic of curvature L diverges"
static const double KNOWN = 1e-5; /* of log h: the value is flat there */

/* E[F] (dist: (L/2) E|theta|^2) of the quadratics h in [mu, 1], L = 1, u = log h: h/2 (or 1/2)
 * times
 *     (1/2pi) int |B|^2/|gk - h|^2 = eta T(eta h)/(h (2 - eta h)),
 * T = 1 for the gradient noise. *relerr is raised to the largest relative error of T. */
static finf_status values(const finf_noise *noise, double eta, const socp_loop_means *loop,
                          int dist, double sgd_ratio, const double *u, double *v, double *relerr)
{
    double b[ALL], T[ALL], err = 0;
    if (loop) {
        for (int i = 0; i < ALL; i++) {
            double h = exp(u[i]);
            v[i] = (dist ? 1 : h) / 2 * socp_loop_mean(loop, h, sgd_ratio, &err);
            *relerr = fmax(*relerr, err);
        }
        return *relerr < 1e-6 ? FINF_OK : FINF_ETOL;
    }
    for (int i = 0; i < ALL; i++) b[i] = eta * exp(u[i]);
    finf_status st = finf_noise_energy(noise, b, ALL, T, &err, NULL);
    for (int i = 0; i < ALL; i++)
        v[i] = eta * (T[i] + sgd_ratio) / (2 * (dist ? exp(u[i]) : 1) * (2 - b[i]));
    *relerr = fmax(*relerr, err);
    return st;
}

/* u over [l, 0]: even but for the upper decade (a third, if there is less), where even in h: T is a
 * polynomial in 1 - eta h for FIR noise, and may rise and fall there several times. */
static void spread(double l, double *u)
{
    double middle = -fmin(log(10), -l / 3), from = exp(middle);
    int below = SAMPLES - 1 - UPPER;
    for (int i = 0; i < below; i++) u[i] = l + (middle - l) * i / below;
    for (int i = 0; i <= UPPER; i++)
        u[below + i] = i == UPPER ? 0 : log(from + (1 - from) * i / UPPER);
}

/* T(b) costs as much at fifty b as at one, so this is a search by whole samples, not minimise.c's:
 * the largest sample, then the largest about it, until h is known; last the top of the parabola
 * through three. Most often it is an end, which the value falls away from: two more samples, just
 * inside, tell. */
static finf_status largest(const finf_noise *noise, const socp_loop_means *loop, double eta,
                           double kappa, int dist, double sgd_ratio, finf_real *value, double *h)
{
    double low = -log(kappa), l = low, r = 0, at, worst = 0, u[ALL], v[ALL];
    finf_status reached = FINF_OK;
    int top;
    spread(low, u);
    for (;;) {
        u[SAMPLES] = fmin(l + KNOWN, r);
        u[SAMPLES + 1] = fmax(r - KNOWN, l);
        finf_status st = values(noise, eta, loop, dist, sgd_ratio, u, v, &worst);
        if (st != FINF_OK && st != FINF_ETOL) return st;
        if (st == FINF_ETOL) reached = st;
        top = 0;
        for (int i = 1; i < SAMPLES; i++)
            if (v[i] > v[top]) top = i;
        at = u[top];
        if ((at == low && v[SAMPLES] < v[top]) || (at == 0 && v[SAMPLES + 1] < v[top])) break;
        if (r - l < SAMPLES * KNOWN / 2) break;
        l = u[top > 0 ? top - 1 : 0];
        r = u[top < SAMPLES - 1 ? top + 1 : top];
        for (int i = 0; i < SAMPLES; i++)
            u[i] = i == SAMPLES - 1 ? r : l + (r - l) * i / (SAMPLES - 1);
    }
    double best = v[top];
    if (top > 0 && top < SAMPLES - 1) {
        double rise = v[top + 1] - v[top - 1], fall = 2 * best - v[top - 1] - v[top + 1];
        if (fall > 0) {
            at += (u[top + 1] - u[top]) * rise / (2 * fall);
            best += rise * rise / (8 * fall);
        }
    }
    *h = exp(at);
    if (loop) {
        *value = (finf_real){best, best * (worst + 64 * FINF_EPS),
                             "Gauss-Legendre on panels, largest over h"};
        return reached;
    }
    if (isinf(best)) {
        *value = (finf_real){INFINITY, 0, "T(b), largest over h"};
        return reached;
    }
    /* eta, h and b = eta h are rounded, and |d log v/d log b| <= (3+b)/(2-b) by Harnack's
     * inequality for T; rounding h, an exponential, costs log h */
    double b = eta * *h, steep = 1 + (3 + b) / (2 - b);
    *value = (finf_real){best, best * (worst + FINF_EPS * (8 + steep * (3 - at))),
                         "T(b), largest over h"};
    return reached;
}

finf_status socp_quadratic(const finf_noise *noise, const socp_model *mo,
                           const socp_loop_means *means, int dist, double sgd_ratio,
                           finf_real *value, double *h)
{
    socp_loop_means *own = NULL;
    finf_status st = FINF_OK;
    *value = (finf_real){NAN, INFINITY, ""};
    if (mo->loop && !means) {
        st = socp_loop_means_make(noise, mo, NULL, &own);
        means = own;
    }
    if (st == FINF_OK) st = largest(noise, means, mo->eta, mo->kappa, dist, sgd_ratio, value, h);
    socp_loop_means_free(own);
    return st;
}

/* Plain sgd: L is worst for F; for dist the end where h (2 - eta h) is least. */
finf_status socp_quadratic_sgd(const socp_model *mo, int dist, finf_real *value, double *h)
{
    double e = mo->eta;
    if (mo->loop) return socp_quadratic(NULL, mo, NULL, dist, 0, value, h);
    *h = dist && e * (1 + mo->mu) < 2 ? mo->mu : 1;
    *value = (finf_real){e / (2 * (dist ? *h : 1) * (2 - e * *h)), 0, "closed form"};
    return FINF_OK;
}

finf_status finf_iqc_quadratic(const finf_noise *noise, double eta, double kappa, double smooth,
                               int dist, finf_real *value, double *h, finf_reason *why)
{
    double at = NAN;
    *value = (finf_real){NAN, INFINITY, ""};
    finf_status st = socp_check_sizes(eta, kappa, smooth, 1, why);
    if (st == FINF_OK && eta * smooth < 2) {
        st = largest(noise, NULL, eta * smooth, kappa, dist, 0, value, &at);
        if (st != FINF_OK)
            finf_why(why, st,
                     st == FINF_ENOMEM ? "no memory"
                                       : "the worst quadratic was not found to its accuracy");
    } else if (st == FINF_OK) {
        *value = (finf_real){INFINITY, 0, "eta L >= 2"};
        at = 1;
    }
    if (isinf(value->value))
        finf_why(why, st, eta * smooth < 2 ? "beta is not square-summable" : DIVERGES);
    value->value /= smooth;
    value->error /= smooth;
    if (h) *h = at * smooth;
    return st;
}

/* What no Toeplitz noise is below on the quadratic of curvature h (theory 7.9; g2 of theory 4):
 *     d (G^2/2rho) (eta^2 h/2) g2^2 + sigma_sgd^2 eta/(2(2 - eta h)),
 * g2 = gamma_inf(nu)^2 = 1/AGM(1, sqrt(nu(2-nu))) at nu = eta h; symmetric about nu = 1, so eta
 * h > 1 needs no other case. eta h is rounded: 2 - eta h is off by that. */
static finf_status minimax_at(double eta, double h, double dim, const finf_privacy_setting *s,
                              finf_real *out)
{
    double e = eta * h;
    finf_real agm;
    finf_status st = finf_agm(1, sqrt(e * (2 - e)), &agm);
    if (st != FINF_OK) return st;
    double gamma2 = 1 / agm.value;
    double value = dim * s->clip * s->clip / (2 * s->rho) * eta * eta * h / 2 * gamma2 * gamma2 +
                   s->sigma_sgd * s->sigma_sgd * eta / (2 * (2 - e));
    double relerr = 2 * agm.error / agm.value + FINF_EPS * (12 + 2 * e / (2 - e));
    *out = (finf_real){value, relerr * value, "arithmetic-geometric mean"};
    return isfinite(value) ? FINF_OK : FINF_EDOM;
}

/* Every noise must serve h = L. For dist, where the quadratic h counts L/h as much, h = mu may ask
 * for more: the larger of the two. */
finf_status finf_iqc_minimax(double eta, double kappa, int dist, double smooth, double dim,
                             const finf_privacy_setting *set, finf_real *value, finf_reason *why)
{
    finf_privacy_setting s = set ? *set : finf_privacy_setting_default();
    finf_real failed = {NAN, INFINITY, ""}, at_L = failed, at_mu = failed;
    *value = failed;
    finf_status st = socp_check_sizes(eta, kappa, smooth, dim, why);
    if (st == FINF_OK) st = socp_check_privacy(&s, why);
    if (st != FINF_OK) return st;
    if (!(eta * smooth < 2)) {
        *value = (finf_real){INFINITY, 0, "eta L >= 2"};
        return finf_why(why, FINF_OK, DIVERGES);
    }
    st = minimax_at(eta, smooth, dim, &s, &at_L);
    if (st == FINF_OK && dist) {
        st = minimax_at(eta, smooth / kappa, dim, &s, &at_mu);
        at_mu.value *= kappa;
        at_mu.error = kappa * at_mu.error + 4 * FINF_EPS * at_mu.value;
        if (at_mu.value > at_L.value) at_L = at_mu;
    }
    if (st == FINF_OK)
        *value = at_L;
    else
        finf_why(why, st, "the value overflows or eta L is too small: eta = %s, L = %s, dim = %s",
                 finf_show(eta).s, finf_show(smooth).s, finf_show(dim).s);
    return st;
}

/* For an optimizer, or an average, the mixtures of theory 11.4, with L = 1: weights are divided by
 * L in the end. */
finf_status socp_minimax(const socp_setting *s, const socp_loop_means *means,
                         const finf_iqc_options *o, finf_real *value)
{
    const finf_privacy_setting *p = &o->privacy;
    int dist = socp_is_dist(o->bound);
    *value = (finf_real){NAN, INFINITY, ""};
    if (!s->has_lower) return FINF_OK;
    if (!s->has_loop && !s->averaged)
        return finf_iqc_minimax(s->eta, s->kappa, dist, s->smooth, o->dim, p, value, NULL);
    *value = (finf_real){INFINITY, 0, "a quadratic diverges"};
    if (!means) return FINF_OK;
    socp_weights w = {o->dim * p->clip * p->clip / (2 * p->rho), p->sigma_sgd * p->sigma_sgd};
    finf_status st = socp_loop_mixture(means, dist, w, value, NULL);
    value->value /= s->smooth;
    value->error /= s->smooth;
    return st == FINF_OK && !isfinite(value->value) ? FINF_EDOM : st;
}
