/* The bound as a theorem, MATH 7.8: ball arithmetic (Arb), which only the files certify*.c see.
 *
 * Given are doubles: eta (times L), kappa, the noise's parameters, the multipliers x >= 0. On the real axis every conjugate
 * is f(e^{iw}) -> f(e^{-iw}), so psi = |m|^2/a + k is the restriction of a function holomorphic near [0, pi], and Arb's
 * integrator (Petras' algorithm) encloses its integral. Every piece of [0, pi] it accepts lies in a ball on which the
 * integrand, and so 1/a, was found finite: a finite enclosure proves a != 0 on [0, pi], and a > 0 at one point proves it
 * everywhere. */
#include "socp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef FINF_NO_ARB

finf_status socp_certify(const socp_model *mo, double kappa, const finf_noise *noise, const socp_grid *g,
                         const socp_basis *b, const double *x, socp_weights weights, const socp_recomputed *estimate,
                         int (*cancel)(void *), void *cancel_data, socp_certificate *out)
{
    (void)mo, (void)kappa, (void)noise, (void)g, (void)b, (void)x, (void)weights, (void)estimate, (void)cancel,
        (void)cancel_data;
    *out = (socp_certificate){.dp_upper = NAN, .sgd_upper = NAN};
    snprintf(out->reason.text, sizeof out->reason.text, "built without Arb: no certificate");
    return FINF_ETOL;
}

#else

#include "certify.h"

typedef struct {
    const finf_noise *noise;
    const socp_basis *b;
    const double *x, *y; /* h unknowns; X unknowns of this part */
    int dist, unit;      /* unit: B = 1 */
    double shift;
    arb_t eta, inv_eta, mu, delta, root_delta, c;
    arb_t n_pi, excess; /* (2/eta - mu)(2/eta - 1), 4 (1 - eta)/eta^2 */
    acb_t a;            /* a D of the last evaluation */
    acb_ptr t;          /* scratch, see the enum */
    int (*cancel)(void *);
    void *cancel_data;
    int cancelled;
} context;

enum { MAX_TAPS = 1000, MAX_LAGS = 500 }; /* more would take minutes */
enum { SN, CS, S2, SW, N1, N2, RE, IM, X1, X2, P1, P2, D, T1, T2, T3, SCRATCH };

static void make(context *c, const socp_model *mo, double kappa)
{
    arb_t k, two;
    mag_t tiny;
    arb_init(k), arb_init(two), mag_init(tiny);
    arb_init(c->eta), arb_init(c->inv_eta), arb_init(c->mu), arb_init(c->delta), arb_init(c->root_delta), arb_init(c->c),
        arb_init(c->n_pi);
    arb_init(c->excess);
    acb_init(c->a);
    c->t = _acb_vec_init(SCRATCH);
    arb_set_d(k, kappa);
    arb_inv(c->mu, k, PREC);
    arb_sub_ui(k, k, 1, PREC);
    arb_mul(c->delta, k, c->mu, PREC);
    arb_sqrt(c->root_delta, c->delta, PREC);
    arb_add_ui(c->c, c->mu, 1, PREC);
    arb_mul_2exp_si(c->c, c->c, -1);
    arb_set_d(k, mo->eta);
    if (mo->eta_rounded) mag_set_d(tiny, 1.2e-16 * mo->eta), arb_add_error_mag(k, tiny); /* eta L, rounded */
    arb_set(c->eta, k);
    arb_inv(c->inv_eta, k, PREC);
    arb_sub_ui(c->excess, c->inv_eta, 1, PREC); /* (1 - eta)/eta */
    arb_mul(c->excess, c->excess, c->inv_eta, PREC);
    arb_mul_2exp_si(c->excess, c->excess, 2);
    arb_mul_2exp_si(two, c->inv_eta, 1);
    arb_sub(k, two, c->mu, PREC);
    arb_sub_ui(two, two, 1, PREC);
    arb_mul(c->n_pi, k, two, PREC);
    arb_clear(k), arb_clear(two), mag_clear(tiny);
}

static void clear(context *c)
{
    arb_clear(c->eta), arb_clear(c->inv_eta), arb_clear(c->mu), arb_clear(c->delta), arb_clear(c->root_delta),
        arb_clear(c->c), arb_clear(c->n_pi);
    arb_clear(c->excess);
    acb_clear(c->a);
    _acb_vec_clear(c->t, SCRATCH);
}

/* 1/(s + (1 - s) n) */
static void resolvent(acb_t out, const acb_t n, double s)
{
    arb_t t, p;
    arb_init(t), arb_init(p);
    arb_set_d(t, s);
    arb_sub_ui(p, t, 1, PREC), arb_neg(p, p);
    acb_mul_arb(out, n, p, PREC);
    acb_add_arb(out, out, t, PREC);
    acb_inv(out, out, PREC);
    arb_clear(t), arb_clear(p);
}

/* Re Lambda - shift and Im Lambda (continued) in RE, IM; X and its conjugate in X1, X2. basis.c in balls. */
static void multipliers(context *c, const acb_t w, slong prec)
{
    acb_struct *re = c->t + RE, *im = c->t + IM, *t = c->t + T1, *u = c->t + T2;
    const socp_basis *b = c->b;
    const double *x = c->x;
    acb_zero(re);
    acb_one(t), ball_addmul(re, t, *x++);
    acb_zero(im), acb_zero(c->t + X1), acb_zero(c->t + X2);
    acb_one(c->t + P1), acb_one(c->t + P2);
    acb_t d[2], g[2];
    arb_t s;
    for (int k = 0; k < 2; k++) acb_init(d[k]), acb_init(g[k]);
    arb_init(s);
    for (size_t i = 0; i < b->terms; i++, x += socp_basis_each(b)) {
        if (socp_basis_unused(b, x)) continue;
        const double *v = x;
        for (int k = 0; k < 2; k++) { /* 1 - c = n/(s + p n), n = 1 - z^lag */
            if (b->h[i].lag > 1)
                ball_power(t, w, b->h[i].lag, k), acb_sub_ui(g[k], t, 1, prec), acb_neg(g[k], g[k]);
            else
                acb_set(g[k], c->t + (k ? N2 : N1));
            if (b->h[i].s != 1) resolvent(d[k], g[k], b->h[i].s), acb_mul(g[k], g[k], d[k], prec);
            for (size_t f = 1; f < b->h[i].fold; f *= 2) { /* 1 - c^2 = g (2 - g) */
                acb_sub_ui(t, g[k], 2, prec), acb_neg(t, t);
                acb_mul(g[k], g[k], t, prec);
            }
        }
        acb_add(t, g[0], g[1], prec), acb_mul_2exp_si(t, t, -1);                     /* Re gap */
        acb_sub(u, g[0], g[1], prec), acb_mul_2exp_si(u, u, -1), acb_div_onei(u, u); /* Im gap */
        for (int sign = 0; sign < 2; sign++) {
            if (!(sign ? b->minus : b->plus)) continue;
            if (sign) acb_sub_ui(t, t, 2, prec), acb_neg(t, t), acb_neg(u, u);
            ball_addmul(re, t, v[0]), ball_addmul(re, t, v[1]);
            ball_addmul(im, u, v[0]), ball_addmul(im, u, -v[1]);
            v += 2;
        }
    }
    for (size_t i = 0; i < b->nc; i++) {
        for (int k = 0; k < 2; k++) {
            const acb_struct *n = c->t + (k ? N2 : N1);
            acb_struct *prod = c->t + (k ? P2 : P1), *X = c->t + (k ? X2 : X1);
            if (i < b->lags) { /* z^i, and z^{i+1} for what follows */
                ball_addmul(X, prod, c->y[i]);
                ball_power(prod, w, i + 1, k);
                continue;
            }
            resolvent(d[k], n, b->s[i]);
            acb_mul(t, prod, d[k], prec);
            arb_set_d(s, b->s[i]);
            acb_mul_arb(u, t, s, prec);
            ball_addmul(X, u, c->y[i]);
            acb_sub_arb(u, n, s, prec), acb_neg(u, u);
            acb_mul(prod, t, u, prec);
        }
    }
    for (size_t i = 0; i < b->ns && !c->unit; i++) { /* stein.c: powers of 1/z */
        const socp_ahead *h = &b->ahead[i];
        const double *v = c->x + b->nh + 2 * i;
        if (v[0] == 0 && v[1] == 0) continue;
        for (int k = 0; k < 2; k++) {
            acb_struct *X = c->t + (k ? X2 : X1);
            ball_power(u, w, h->lag, !k);
            if (h->s != 1) {
                resolvent(d[k], c->t + (k ? N1 : N2), h->s);
                acb_mul(u, u, d[k], prec);
                arb_set_d(s, h->s), acb_mul_arb(u, u, s, prec);
            }
            ball_power(t, w, 1, !k);
            ball_addmul(u, t, -h->ratio);
            ball_addmul(X, u, v[0]), ball_addmul(X, u, -v[1]);
        }
    }
    for (int k = 0; k < 2; k++) acb_clear(d[k]), acb_clear(g[k]);
    arb_clear(s);
}

/* m D for one of the two conjugates: root_delta B [Re delta/2 +- i Im g + perf] + D X, g = n/eta - c; uses T1, T2, T3 */
static void cross(context *c, acb_t m, const acb_t B, const acb_t n, const acb_t X, int plus)
{
    acb_struct *g = c->t + T1, *t = c->t + T2;
    acb_mul_arb(g, n, c->inv_eta, PREC);
    acb_sub_arb(g, g, c->c, PREC);
    acb_mul(t, c->t + IM, g, PREC);
    acb_mul_onei(t, t);
    if (!plus) acb_neg(t, t);
    acb_mul_arb(m, c->t + RE, c->delta, PREC);
    acb_mul_2exp_si(m, m, -1);
    acb_add(m, m, t, PREC);
    if (c->dist) {
        acb_one(t), acb_mul_2exp_si(t, t, -2);
    } else {
        acb_mul_2exp_si(t, g, -1);
        acb_add_arb(t, t, c->c, PREC);
        acb_mul_2exp_si(t, t, -2);
    }
    acb_add(m, m, t, PREC);
    acb_mul_arb(m, m, c->root_delta, PREC);
    acb_mul(m, m, B, PREC);
    acb_addmul(m, c->t + D, X, PREC);
}

static int integrand(acb_ptr out, const acb_t w, void *data, slong order, slong prec)
{
    context *c = data;
    acb_struct *sn = c->t + SN, *cs = c->t + CS, *s2 = c->t + S2, *sw = c->t + SW, *n = c->t + N1, *nc = c->t + N2,
               *t = c->t + T1;
    acb_t B, Bc, m, mc;
    if (order > 1) return 1;
    c->cancelled = c->cancelled || (c->cancel && c->cancel(c->cancel_data));
    if (c->cancelled) {
        acb_indeterminate(out);
        return 0;
    }
    acb_init(B), acb_init(Bc), acb_init(m), acb_init(mc);
    acb_mul_2exp_si(t, w, -1);
    acb_sin_cos(sn, cs, t, prec);
    acb_mul(sw, sn, cs, prec), acb_mul_2exp_si(sw, sw, 1);
    acb_mul(s2, sn, sn, prec);
    acb_mul_2exp_si(n, s2, 1), acb_set(nc, n);
    acb_mul_onei(t, sw);
    acb_add(n, n, t, prec), acb_sub(nc, nc, t, prec);
    multipliers(c, w, prec);

    /* a D = Re N - Im delta sin w/eta + a_0 D (form.c), D = N + delta^2/4 */
    acb_mul(t, cs, cs, prec);
    acb_mul_arb(t, t, c->mu, prec);
    acb_mul_arb(c->t + D, s2, c->n_pi, prec);
    acb_add(c->t + D, c->t + D, t, prec);
    acb_mul(c->a, c->t + RE, c->t + D, prec);
    acb_mul_arb(t, sw, c->inv_eta, prec);
    acb_mul(t, t, c->t + IM, prec);
    acb_mul_arb(t, t, c->delta, prec);
    acb_sub(c->a, c->a, t, prec);
    acb_zero(t);
    if (c->dist)
        acb_sub_arb(t, t, c->delta, prec);
    else
        acb_mul_arb(t, s2, c->excess, prec), acb_add_arb(t, t, c->mu, prec);
    acb_mul_2exp_si(t, t, -3);
    acb_add(c->a, c->a, t, prec);
    acb_set_d(t, c->shift);
    acb_add(c->t + RE, c->t + RE, t, prec);
    acb_zero(t), acb_add_arb(t, t, c->delta, prec);
    acb_mul_2exp_si(t, t, -1), acb_mul(t, t, t, prec);
    acb_add(c->t + D, c->t + D, t, prec);

    const finf_noise *noise = c->unit ? NULL : c->noise;
    ball_response(noise, B, w, n, 0, order != 0);
    ball_response(noise, Bc, w, nc, 1, order != 0);
    cross(c, m, Bc, nc, c->t + X1, 1);
    cross(c, mc, B, n, c->t + X2, 0);
    acb_mul(m, m, mc, prec);
    acb_div(m, m, c->a, prec);
    /* k D = |B|^2 [delta Re + (1/2 or c/2)] */
    acb_mul_arb(t, c->t + RE, c->delta, prec);
    acb_one(mc);
    if (!c->dist) acb_mul_arb(mc, mc, c->c, prec);
    acb_mul_2exp_si(mc, mc, -1);
    acb_add(t, t, mc, prec);
    acb_mul(t, t, B, prec), acb_mul(t, t, Bc, prec);
    acb_add(m, m, t, prec);
    acb_div(out, m, c->t + D, prec);
    acb_clear(B), acb_clear(Bc), acb_clear(m), acb_clear(mc);
    return 0;
}

/* Upper end of (1/pi) int_0^pi psi and stein.c's cost; NaN if there is no finite enclosure, if a(1/2) > 0 is not proved, or
 * if the enclosure misses the value computed in doubles: the two must be about the same noise and the same multipliers. */
static double enclose(context *c, const socp_grid *g, finf_real estimate)
{
    acb_t lo, hi, part, sum;
    acb_calc_integrate_opt_t opt;
    mag_t tol;
    arf_t end;
    acb_init(lo), acb_init(hi), acb_init(part), acb_init(sum), mag_init(tol), arf_init(end);
    acb_calc_integrate_opt_init(opt);
    opt->eval_limit = 20000, opt->deg_limit = 40;
    int ok;
    acb_set_d(lo, 0.5);
    integrand(part, lo, c, 0, PREC);
    ok = arb_is_positive(acb_realref(c->a)) && acb_is_finite(part);
    acb_zero(lo);
    mag_set_d(tol, 1e-6 * estimate.value / sqrt((double)g->panels));
    for (size_t i = 1; i <= g->panels && ok && !c->cancelled; i++) {
        acb_set_d(hi, g->edge[i]);
        if (i == g->panels) acb_const_pi(hi, PREC);
        acb_calc_integrate(part, integrand, c, lo, hi, 30, tol, opt, PREC);
        ok = acb_is_finite(part);
        acb_add(sum, sum, part, PREC);
        acb_set(lo, hi);
    }
    acb_const_pi(part, PREC);
    acb_div(sum, sum, part, PREC);
    if (c->b->ns > 0 && !c->unit) {
        acb_zero(part);
        ok = ball_stein_cost(c->noise, c->b, c->x, c->eta, c->mu, c->delta, acb_realref(part)) && ok;
        acb_add(sum, sum, part, PREC);
    }
    arb_get_ubound_arf(end, acb_realref(sum), PREC);
    double upper = arf_get_d(end, ARF_RND_UP);
    arb_get_lbound_arf(end, acb_realref(sum), PREC);
    double lower = arf_get_d(end, ARF_RND_DOWN), slack = estimate.error + 1e-9 * estimate.value;
    ok = ok && lower <= estimate.value + slack && upper >= estimate.value - slack;
    acb_clear(lo), acb_clear(hi), acb_clear(part), acb_clear(sum), mag_clear(tol), arf_clear(end);
    return ok && isfinite(upper) ? upper : NAN;
}

finf_status socp_certify(const socp_model *mo, double kappa, const finf_noise *noise, const socp_grid *g,
                         const socp_basis *b, const double *x, socp_weights weights, const socp_recomputed *estimate,
                         int (*cancel)(void *), void *cancel_data, socp_certificate *out)
{
    double t0 = finf_seconds();
    *out = (socp_certificate){.dp_upper = NAN, .sgd_upper = NAN, .certified = 1};
    context c = {.noise = noise,
                 .b = b,
                 .x = x,
                 .y = x + socp_basis_signed(b),
                 .dist = mo->dist,
                 .shift = mo->shift,
                 .cancel = cancel,
                 .cancel_data = cancel_data};
    for (size_t i = 0; i < b->nh; i++) out->certified = out->certified && x[i] >= 0;
    for (size_t i = 0; i < b->terms; i++) /* h_t >= 0, summable */
        out->certified = out->certified && b->h[i].lag > 0 && b->h[i].s > 0 && b->h[i].s <= 1 && b->h[i].fold > 0;
    for (size_t i = 0; i < b->nc; i++) /* |p| < 1 */
        out->certified = out->certified && b->s[i] > 0 && b->s[i] < 2;
    for (size_t i = 0; i < b->ns; i++)
        out->certified = out->certified && b->ahead[i].lag > 0 && b->ahead[i].s > 0 && b->ahead[i].s <= 1;
    int taps = noise->kind == NOISE_FIR || noise->kind == NOISE_STRATEGY;
    const char *no = NULL;
    if (weights.dp > 0 && noise->kind == NOISE_SPECTRUM) no = "no closed formula for this noise: cannot be certified";
    if (weights.dp > 0 && taps && noise->n > MAX_TAPS) no = "more than 1000 coefficients: too many to certify";
    if (b->ns > 0 && (noise->kind == NOISE_STRATEGY || noise->kind == NOISE_BLT))
        no = "Gaussian w, noise given by C: cannot be certified (the sharp bound can)";
    if (b->lags > MAX_LAGS) no = "more than 500 lags in the multiplier: too many to certify";
    if (no) {
        out->certified = 0;
        snprintf(out->reason.text, sizeof out->reason.text, "%s", no);
        return FINF_ETOL;
    }
    make(&c, mo, kappa);
    if (weights.dp > 0) {
        out->certified = ball_gamma2(noise, &out->gamma2_upper) && out->certified;
        out->dp_upper = enclose(&c, g, estimate->dp);
        out->certified = out->certified && isfinite(out->dp_upper);
        c.y += b->nc;
    }
    if (weights.sgd > 0) {
        c.unit = 1;
        out->sgd_upper = enclose(&c, g, estimate->sgd);
        out->certified = out->certified && isfinite(out->sgd_upper);
    }
    clear(&c);
    flint_cleanup();
    out->seconds = finf_seconds() - t0;
    if (!out->certified)
        snprintf(out->reason.text, sizeof out->reason.text,
                 c.cancelled ? "the proof was cancelled"
                             : "ball arithmetic: no finite enclosure, or not of the value computed in doubles");
    return out->certified ? FINF_OK : FINF_ETOL;
}

#endif
