/* The parts of psi for an optimizer in balls (theory 7.13, 11.4): form.c's loop_form, with every
 * conjugate f(e^{-iw}) written as f(e^{iw}), as ball_form.c has it. */
#ifndef FINF_NO_ARB

#include "certify.h"

/* The coefficients of A are given. Those of E may be sums that were rounded (1 + m of nesterov), so
 * that each is a ball of one rounding's radius. */
void ball_loop_make(ball_form *f)
{
    const socp_loop *l = f->loop;
    mag_t tiny;
    if (!l) return;
    mag_init(tiny);
    f->loop_a = _arb_vec_init((slong)l->n);
    f->loop_e = _arb_vec_init((slong)l->n);
    for (size_t k = 0; k < l->n; k++) {
        arb_set_d(f->loop_a + k, l->a[k]);
        arb_set_d(f->loop_e + k, l->e[k]);
        mag_set_d(tiny, 1.2e-16 * (l->e[k] < 0 ? -l->e[k] : l->e[k]));
        if (l->e[k] != 1) arb_add_error_mag(f->loop_e + k, tiny);
    }
    mag_clear(tiny);
}

void ball_loop_clear(ball_form *f)
{
    if (!f->loop) return;
    _arb_vec_clear(f->loop_a, (slong)f->loop->n);
    _arb_vec_clear(f->loop_e, (slong)f->loop->n);
}

/* A and E at y = e^{-iw}, or at 1/y */
static void polynomials(const ball_form *f, const acb_t w, int conjugate, acb_t A, acb_t E, acb_t t)
{
    acb_set_arb(A, f->loop_a);
    acb_set_arb(E, f->loop_e);
    for (size_t k = 1; k < f->loop->n; k++) {
        ball_power(t, w, k, conjugate);
        acb_addmul_arb(A, t, f->loop_a + k, PREC);
        acb_addmul_arb(E, t, f->loop_e + k, PREC);
    }
}

/* Re UV* = 2 sin^2(w/2) Re q + sin w Im q and Im UV* = 2 sin^2(w/2) Im q - sin w Re q, q = eta AE*:
 * what is small near w = 0 is a product of small factors, whose boxes are small too. */
static void products(ball_form *f)
{
    acb_struct *t = f->t, *q = t + Q1, *qc = t + Q2, *re = t + T1, *im = t + T2;
    acb_mul(q, t + A1, t + E2, PREC);
    acb_mul_arb(q, q, f->eta, PREC);
    acb_mul(qc, t + A2, t + E1, PREC);
    acb_mul_arb(qc, qc, f->eta, PREC);
    acb_add(re, q, qc, PREC);
    acb_mul_2exp_si(re, re, -1);
    acb_sub(im, q, qc, PREC);
    acb_mul_2exp_si(im, im, -1);
    acb_div_onei(im, im);
    acb_mul(t + UV_RE, t + S2, re, PREC);
    acb_mul_2exp_si(t + UV_RE, t + UV_RE, 1);
    acb_addmul(t + UV_RE, t + SW, im, PREC);
    acb_mul(t + UV_IM, t + S2, im, PREC);
    acb_mul_2exp_si(t + UV_IM, t + UV_IM, 1);
    acb_submul(t + UV_IM, t + SW, re, PREC);
    acb_mul(t + UU, t + A1, t + A2, PREC);
    acb_mul(t + UU, t + UU, t + S2, PREC);
    acb_mul_2exp_si(t + UU, t + UU, 2);
    acb_mul(t + VV, t + E1, t + E2, PREC);
    acb_mul_arb(t + VV, t + VV, f->eta, PREC);
    acb_mul_arb(t + VV, t + VV, f->eta, PREC);
}

/* m D for one of the two conjugates:
 *     root_delta B [Re delta/2 |V|^2 +- i Im gv + perf] + D X,   gv = Re UV* - c |V|^2 +- i Im UV*,
 * perf being |V|^2/4 for dist, else c |V|^2/4 + gv/8. Uses T1, T2. */
static void cross(ball_form *f, acb_t m, const acb_t D, const acb_t B, const acb_t X, int plus)
{
    acb_struct *gv = f->t + T1, *t = f->t + T2, *v2 = f->t + VV;
    acb_mul_onei(gv, f->t + UV_IM);
    if (!plus) acb_neg(gv, gv);
    acb_add(gv, gv, f->t + UV_RE, PREC);
    acb_mul_arb(t, v2, f->c, PREC);
    acb_sub(gv, gv, t, PREC);
    acb_mul_arb(m, f->t + RE, f->delta, PREC);
    acb_mul_2exp_si(m, m, -1);
    acb_mul(m, m, v2, PREC);
    if (f->dist)
        acb_mul_2exp_si(t, v2, -2);
    else {
        acb_mul_2exp_si(t, t, 1); /* 2 c |V|^2 */
        acb_add(t, t, gv, PREC);
        acb_mul_2exp_si(t, t, -3);
    }
    acb_add(m, m, t, PREC);
    acb_mul(t, f->t + IM, gv, PREC);
    acb_mul_onei(t, t);
    if (!plus) acb_neg(t, t);
    acb_add(m, m, t, PREC);
    acb_mul_arb(m, m, f->root_delta, PREC);
    acb_mul(m, m, B, PREC);
    acb_addmul(m, D, X, PREC);
}

/* a D = Re N + Im delta Im UV* + a_0 D, N = |U|^2 - (1+mu) Re UV* + mu |V|^2, D = N + delta^2/4
 * |V|^2, a_0 D = (|U|^2 - 2 Re UV* + mu |V|^2)/8, or -delta |V|^2/8 for dist; Re is without the
 * shift there and has it in m and k, as in ball_form_at. */
void ball_loop_at(ball_form *f, const acb_t w, acb_ptr part)
{
    acb_struct *t = f->t, *a = part + BALL_A, *k = part + BALL_K, *D = part + BALL_D, *x = t + T1,
               *v2 = t + VV;
    polynomials(f, w, 0, t + A1, t + E1, x);
    polynomials(f, w, 1, t + A2, t + E2, x);
    products(f);
    acb_mul_arb(D, v2, f->mu, PREC);
    acb_add(D, D, t + UU, PREC); /* |U|^2 + mu |V|^2 */
    acb_set(a, D);
    acb_sub(D, D, t + UV_RE, PREC);
    acb_mul_arb(x, t + UV_RE, f->mu, PREC);
    acb_sub(D, D, x, PREC); /* N */
    acb_mul_2exp_si(x, t + UV_RE, 1);
    acb_sub(a, a, x, PREC);
    if (f->dist) {
        acb_mul_arb(a, v2, f->delta, PREC);
        acb_neg(a, a);
    }
    acb_mul_2exp_si(a, a, -3);
    acb_addmul(a, t + RE, D, PREC);
    acb_mul(x, t + IM, t + UV_IM, PREC);
    acb_addmul_arb(a, x, f->delta, PREC);
    acb_set_d(x, f->shift);
    acb_add(t + RE, t + RE, x, PREC);
    acb_mul_arb(x, v2, f->delta, PREC);
    acb_mul_arb(x, x, f->delta, PREC);
    acb_mul_2exp_si(x, x, -2);
    acb_add(D, D, x, PREC);

    cross(f, part + BALL_M, D, t + B2, t + X1, 1);
    cross(f, part + BALL_MC, D, t + B1, t + X2, 0);
    acb_mul_arb(k, t + RE, f->delta, PREC);
    acb_one(x);
    if (!f->dist) acb_mul_arb(x, x, f->c, PREC);
    acb_mul_2exp_si(x, x, -1);
    acb_add(k, k, x, PREC);
    acb_mul(k, k, t + B1, PREC);
    acb_mul(k, k, t + B2, PREC);
    acb_mul(k, k, v2, PREC);
}

/* (1 - y) A(y) + eta c y E(y) has no zero in |y| <= 1. */
int ball_loop_stable(const ball_form *f)
{
    size_t n = f->loop->n;
    arb_ptr p = _arb_vec_init((slong)n + 1);
    arb_t q, inverse2;
    arb_init(q);
    arb_init(inverse2);
    arb_mul(q, f->eta, f->c, WIDE);
    for (size_t k = 0; k < n; k++) {
        arb_add(p + k, p + k, f->loop_a + k, WIDE);
        arb_sub(p + k + 1, p + k + 1, f->loop_a + k, WIDE);
        arb_addmul(p + k + 1, q, f->loop_e + k, WIDE);
    }
    int ok = ball_step_down(p, n, WIDE, inverse2);
    _arb_vec_clear(p, (slong)n + 1);
    arb_clear(q);
    arb_clear(inverse2);
    return ok;
}

#else
typedef int finf_nothing_here; /* ISO C wants a declaration */
#endif
