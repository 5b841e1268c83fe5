/* form.c, basis.c and stein.c in balls, for the certificate of theory 7.13: psi = ((m D)(mc
 * D)/(a D) + k D)/D, D = |g|^2, on boxes w of the complex plane, by the formulas of theory 7.12.
 *
 * On the real axis the conjugate of f(e^{iw}) is f(e^{-iw}); written so, it is holomorphic in w,
 * and so is each part. What has a conjugate is therefore computed twice, with z = e^{-iw} and
 * with 1/z in its place (index k = 0 and 1), and real and imaginary parts are half the sum and
 * half the difference of the two. */
#ifndef FINF_NO_ARB

#include <math.h>

#include "certify.h"

/* delta = (kappa - 1)/kappa comes from kappa, which is given exactly: 1 - mu would lose its
 * digits as kappa -> 1. eta is a ball of relative radius 1.2e-16 if it is a rounded product eta
 * L (theory 7.13). */
void ball_form_make(ball_form *c, const socp_model *mo, double kappa)
{
    arb_t k, two;
    mag_t tiny;
    c->dist = mo->dist;
    c->shift = mo->shift;
    arb_init(k);
    arb_init(two);
    mag_init(tiny);
    arb_init(c->eta);
    arb_init(c->inv_eta);
    arb_init(c->mu);
    arb_init(c->delta);
    arb_init(c->root_delta);
    arb_init(c->c);
    arb_init(c->n_pi);
    arb_init(c->excess);
    c->t = _acb_vec_init(SCRATCH);
    arb_set_d(k, kappa);
    arb_inv(c->mu, k, PREC);
    arb_sub_ui(k, k, 1, PREC);
    arb_mul(c->delta, k, c->mu, PREC);
    arb_sqrt(c->root_delta, c->delta, PREC);
    arb_add_ui(c->c, c->mu, 1, PREC);
    arb_mul_2exp_si(c->c, c->c, -1);
    arb_set_d(k, mo->eta);
    if (mo->eta_rounded) {
        mag_set_d(tiny, 1.2e-16 * mo->eta_rounded * mo->eta);
        arb_add_error_mag(k, tiny);
    } /* eta L, rounded */
    arb_set(c->eta, k);
    arb_inv(c->inv_eta, k, PREC);
    arb_sub_ui(c->excess, c->inv_eta, 1, PREC); /* (1 - eta)/eta */
    arb_mul(c->excess, c->excess, c->inv_eta, PREC);
    arb_mul_2exp_si(c->excess, c->excess, 2);
    arb_mul_2exp_si(two, c->inv_eta, 1);
    arb_sub(k, two, c->mu, PREC);
    arb_sub_ui(two, two, 1, PREC);
    arb_mul(c->n_pi, k, two, PREC);
    c->loop = mo->loop;
    ball_loop_make(c);
    arb_clear(k);
    arb_clear(two);
    mag_clear(tiny);
}

void ball_form_clear(ball_form *c)
{
    arb_clear(c->eta);
    arb_clear(c->inv_eta);
    arb_clear(c->mu);
    arb_clear(c->delta);
    arb_clear(c->root_delta);
    arb_clear(c->c);
    arb_clear(c->n_pi);
    arb_clear(c->excess);
    _acb_vec_clear(c->t, SCRATCH);
    ball_loop_clear(c);
}

/* 1/(1 - (1-s) z) from n = 1 - z, as 1/(s + (1-s) n): s and n may both be small. */
static void resolvent(acb_t out, const acb_t n, double s)
{
    arb_t t, p;
    arb_init(t);
    arb_init(p);
    arb_set_d(t, s);
    arb_sub_ui(p, t, 1, PREC);
    arb_neg(p, p);
    acb_mul_arb(out, n, p, PREC);
    acb_add_arb(out, out, t, PREC);
    acb_inv(out, out, PREC);
    arb_clear(t);
    arb_clear(p);
}

/* s + (1-s) n, s complex */
static void complex_factor(acb_t out, const acb_t n, const acb_t s)
{
    acb_sub_ui(out, s, 1, PREC);
    acb_mul(out, out, n, PREC);
    acb_sub(out, s, out, PREC);
}

/* Both columns of a pair of complex poles (basis.c), with the unknowns y, added to X; product is
 * the one before them, and becomes the one after. */
static void pair(double complex pole, const double *y, const acb_t n, acb_t product, acb_t X)
{
    acb_t s[2], d, u, f;
    double re = creal(pole), size = re * re + cimag(pole) * cimag(pole);
    acb_init(s[0]);
    acb_init(s[1]);
    acb_init(d);
    acb_init(u);
    acb_init(f);
    acb_set_d_d(s[0], re, cimag(pole));
    acb_conj(s[1], s[0]);
    complex_factor(d, n, s[0]);
    complex_factor(u, n, s[1]);
    acb_mul(d, d, u, PREC);
    acb_div(f, product, d, PREC);
    acb_mul(u, f, n, PREC);
    ball_addmul(X, u, re * y[1]);
    acb_mul_2exp_si(d, f, 1);
    acb_sub(u, d, u, PREC);
    ball_addmul(X, u, sqrt(size) * re / 2 * y[0]);
    acb_sub(d, s[0], n, PREC);
    acb_sub(u, s[1], n, PREC);
    acb_mul(d, d, u, PREC);
    acb_mul(product, f, d, PREC);
    acb_clear(s[0]);
    acb_clear(s[1]);
    acb_clear(d);
    acb_clear(u);
    acb_clear(f);
}

/* Re Lambda - shift and Im Lambda (continued) in RE, IM; X and its conjugate in X1, X2. basis.c in
 * balls: the unknowns x are the slack h_0 - sum h, then for each term those of t > 0 and t < 0,
 * once for each sign of h that the class allows; y are those of X. N1 and N2 are set. */
static void multipliers(ball_form *c, const acb_t w)
{
    acb_struct *re = c->t + RE, *im = c->t + IM, *t = c->t + T1, *u = c->t + T2;
    const socp_basis *b = c->b;
    const double *x = c->x;
    acb_zero(re);
    acb_one(t);
    ball_addmul(re, t, *x++);
    acb_zero(im);
    acb_zero(c->t + X1);
    acb_zero(c->t + X2);
    acb_one(c->t + P1);
    acb_one(c->t + P2);
    acb_t d[2], g[2];
    arb_t s;
    for (int k = 0; k < 2; k++) {
        acb_init(d[k]);
        acb_init(g[k]);
    }
    arb_init(s);
    for (size_t i = 0; i < b->terms; i++, x += socp_basis_each(b)) {
        if (socp_basis_unused(b, x)) continue;
        const double *v = x;
        for (int k = 0; k < 2; k++) { /* 1 - c = n/(s + p n), n = 1 - z^lag */
            if (b->h[i].lag > 1) {
                ball_power(t, w, b->h[i].lag, k);
                acb_sub_ui(g[k], t, 1, PREC);
                acb_neg(g[k], g[k]);
            } else
                acb_set(g[k], c->t + (k ? N2 : N1));
            if (b->h[i].s != 1) {
                resolvent(d[k], g[k], b->h[i].s);
                acb_mul(g[k], g[k], d[k], PREC);
            }
            for (size_t f = 1; f < b->h[i].fold; f *= 2) { /* 1 - c^2 = g (2 - g) */
                acb_sub_ui(t, g[k], 2, PREC);
                acb_neg(t, t);
                acb_mul(g[k], g[k], t, PREC);
            }
        }
        acb_add(t, g[0], g[1], PREC);
        acb_mul_2exp_si(t, t, -1); /* Re gap */
        acb_sub(u, g[0], g[1], PREC);
        acb_mul_2exp_si(u, u, -1);
        acb_div_onei(u, u); /* Im gap */
        /* A term adds 1 - c to Lambda, or 1 + c = 2 - (1 - c) with the other sign; t < 0 is the
         * conjugate, so that its imaginary part is subtracted. */
        for (int sign = 0; sign < 2; sign++) {
            if (!(sign ? b->minus : b->plus)) continue;
            if (sign) {
                acb_sub_ui(t, t, 2, PREC);
                acb_neg(t, t);
                acb_neg(u, u);
            }
            ball_addmul(re, t, v[0]);
            ball_addmul(re, t, v[1]);
            ball_addmul(im, u, v[0]);
            ball_addmul(im, u, -v[1]);
            v += 2;
        }
    }
    /* X: columns z^i, then those of Takenaka and Malmquist, s_i/(s_i + p_i n) times the product of
     * (s_l - n)/(s_l + p_l n) over the columns before it. */
    for (size_t i = 0; i < b->nc - 2 * b->pairs; i++) {
        for (int k = 0; k < 2; k++) {
            const acb_struct *n = c->t + (k ? N2 : N1);
            acb_struct *prod = c->t + (k ? P2 : P1), *X = c->t + (k ? X2 : X1);
            if (i < b->lags) { /* z^i, and z^{i+1} for what follows */
                ball_addmul(X, prod, c->y[i]);
                ball_power(prod, w, i + 1, k);
                continue;
            }
            resolvent(d[k], n, b->s[i]);
            acb_mul(t, prod, d[k], PREC);
            arb_set_d(s, b->s[i]);
            acb_mul_arb(u, t, s, PREC);
            ball_addmul(X, u, c->y[i]);
            acb_sub_arb(u, n, s, PREC);
            acb_neg(u, u);
            acb_mul(prod, t, u, PREC);
        }
    }
    for (size_t i = 0; i < b->pairs; i++)
        for (int k = 0; k < 2; k++)
            pair(b->t[i], c->y + b->nc - 2 * (b->pairs - i), c->t + (k ? N2 : N1),
                 c->t + (k ? P2 : P1), c->t + (k ? X2 : X1));
    /* stein.c: z^-lag s/(1 - (1-s)/z) - ratio/z, for the DP noise only (theory 7.11) */
    for (size_t i = 0; i < b->ns && !c->unit; i++) {
        const socp_ahead *h = &b->ahead[i];
        const double *v = c->x + b->nh + 2 * i;
        if (v[0] == 0 && v[1] == 0) continue;
        for (int k = 0; k < 2; k++) {
            acb_struct *X = c->t + (k ? X2 : X1);
            ball_power(u, w, h->lag, !k);
            if (h->s != 1) {
                resolvent(d[k], c->t + (k ? N1 : N2), h->s);
                acb_mul(u, u, d[k], PREC);
                arb_set_d(s, h->s);
                acb_mul_arb(u, u, s, PREC);
            }
            ball_power(t, w, 1, !k);
            ball_addmul(u, t, -h->ratio);
            ball_addmul(X, u, v[0]);
            ball_addmul(X, u, -v[1]);
        }
    }
    for (int k = 0; k < 2; k++) {
        acb_clear(d[k]);
        acb_clear(g[k]);
    }
    arb_clear(s);
}

/* m D for one of the two conjugates: root_delta B [Re delta/2 +- i Im g + perf] + D X, g = n/eta -
 * c, where Re and Im are those of Lambda with its shift, and perf is 1/4 for dist, else c/4 + g/8.
 * Uses T1, T2. */
static void cross(ball_form *c, acb_t m, const acb_t D, const acb_t B, const acb_t n, const acb_t X,
                  int plus)
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
        acb_one(t);
        acb_mul_2exp_si(t, t, -2);
    } else {
        acb_mul_2exp_si(t, g, -1);
        acb_add_arb(t, t, c->c, PREC);
        acb_mul_2exp_si(t, t, -2);
    }
    acb_add(m, m, t, PREC);
    acb_mul_arb(m, m, c->root_delta, PREC);
    acb_mul(m, m, B, PREC);
    acb_addmul(m, D, X, PREC);
}

/* n = 1 - z = 2 sin^2(w/2) + i sin w, as 1 - e^{-iw} of a box would lose what is small near w =
 * 0. */
void ball_form_at(ball_form *c, const acb_t w, int analytic, acb_ptr part)
{
    acb_struct *sn = c->t + SN, *cs = c->t + CS, *s2 = c->t + S2, *sw = c->t + SW, *n = c->t + N1,
               *nc = c->t + N2, *B = c->t + B1, *Bc = c->t + B2, *t = c->t + T1, *a = part + BALL_A,
               *k = part + BALL_K, *D = part + BALL_D;
    acb_mul_2exp_si(t, w, -1);
    acb_sin_cos(sn, cs, t, PREC);
    acb_mul(sw, sn, cs, PREC);
    acb_mul_2exp_si(sw, sw, 1);
    acb_mul(s2, sn, sn, PREC);
    acb_mul_2exp_si(n, s2, 1);
    acb_set(nc, n);
    acb_mul_onei(t, sw);
    acb_add(n, n, t, PREC);
    acb_sub(nc, nc, t, PREC);
    multipliers(c, w);
    const finf_noise *noise = c->unit ? NULL : c->noise;
    if (c->loop) {
        ball_response(noise, B, w, n, 0, analytic);
        ball_response(noise, Bc, w, nc, 1, analytic);
        ball_loop_at(c, w, part);
        return;
    }

    /* a D = Re N - Im delta sin w/eta + a_0 D (form.c), N = mu cos^2(w/2) + n_pi sin^2(w/2), D = N
     * + delta^2/4. Re is without the shift here, because a_0 D has shift N - perf_a already, in
     * which the large terms have cancelled by hand: (mu + excess sin^2(w/2))/8, or -delta/8 for
     * dist. */
    acb_mul(t, cs, cs, PREC);
    acb_mul_arb(t, t, c->mu, PREC);
    acb_mul_arb(D, s2, c->n_pi, PREC);
    acb_add(D, D, t, PREC);
    acb_mul(a, c->t + RE, D, PREC);
    acb_mul_arb(t, sw, c->inv_eta, PREC);
    acb_mul(t, t, c->t + IM, PREC);
    acb_mul_arb(t, t, c->delta, PREC);
    acb_sub(a, a, t, PREC);
    acb_zero(t);
    if (c->dist)
        acb_sub_arb(t, t, c->delta, PREC);
    else {
        acb_mul_arb(t, s2, c->excess, PREC);
        acb_add_arb(t, t, c->mu, PREC);
    }
    acb_mul_2exp_si(t, t, -3);
    acb_add(a, a, t, PREC);
    /* from here on Re has the shift, and D its delta^2/4 */
    acb_set_d(t, c->shift);
    acb_add(c->t + RE, c->t + RE, t, PREC);
    acb_zero(t);
    acb_add_arb(t, t, c->delta, PREC);
    acb_mul_2exp_si(t, t, -1);
    acb_mul(t, t, t, PREC);
    acb_add(D, D, t, PREC);

    /* m has the conjugate of B, and mc B itself: each takes its own n and X */
    ball_response(noise, B, w, n, 0, analytic);
    ball_response(noise, Bc, w, nc, 1, analytic);
    cross(c, part + BALL_M, D, Bc, nc, c->t + X1, 1);
    cross(c, part + BALL_MC, D, B, n, c->t + X2, 0);
    /* k D = |B|^2 [delta Re + perf], perf = 1/2 for dist, else c/2 */
    acb_mul_arb(k, c->t + RE, c->delta, PREC);
    acb_one(t);
    if (!c->dist) acb_mul_arb(t, t, c->c, PREC);
    acb_mul_2exp_si(t, t, -1);
    acb_add(k, k, t, PREC);
    acb_mul(k, k, B, PREC);
    acb_mul(k, k, Bc, PREC);
}

#else
typedef int finf_nothing_here; /* ISO C wants a declaration */
#endif
