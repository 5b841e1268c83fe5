/* stein.c's cost of given multipliers in ball arithmetic: its recurrences again, and the tails
 * it left out. (theory 7.11, 7.13) */
#ifndef FINF_NO_ARB

#include "certify.h"

/* cen_k and rad_k, k = 1 .. n, and P: for k > n only |cen_k| <= P and rad_k <= (eta delta/2) P k
 * are used, P = eta max|B|/(1 - |1 - eta c|), which needs 0 < eta c < 2. keep is 1 - eta c and most
 * max(1 - eta mu, eta - 1), the factors of the recurrences
 *     cen_{k+1} = keep cen_k - eta beta_k,   rad_{k+1} = most rad_k + spread |cen_k|,   rad_1 = 0,
 * spread being eta delta/2. P begins as max|B|. */
static int sequences(const ball_form *f, arb_srcptr beta, size_t n, const arb_t spread, arb_t P,
                     arb_ptr cen, arb_ptr rad)
{
    arb_t keep, most, t;
    arb_init(keep);
    arb_init(most);
    arb_init(t);
    arb_add_ui(keep, f->mu, 1, WIDE);
    arb_mul_2exp_si(keep, keep, -1);
    arb_mul(keep, keep, f->eta, WIDE);
    arb_sub_ui(keep, keep, 1, WIDE);
    arb_neg(keep, keep); /* 1 - eta c */
    arb_mul(most, f->eta, f->mu, WIDE);
    arb_sub_ui(most, most, 1, WIDE);
    arb_neg(most, most);
    arb_sub_ui(t, f->eta, 1, WIDE);
    arb_max(most, most, t, WIDE);
    arb_mul(P, P, f->eta, WIDE);
    arb_abs(t, keep);
    arb_sub_ui(t, t, 1, WIDE);
    arb_neg(t, t);
    int ok = arb_is_positive(t);
    arb_div(P, P, t, WIDE);

    arb_mul(cen + 1, f->eta, beta, WIDE);
    arb_neg(cen + 1, cen + 1);
    for (size_t k = 1; k < n; k++) {
        arb_mul(cen + k + 1, keep, cen + k, WIDE);
        arb_submul(cen + k + 1, f->eta, beta + k, WIDE);
        arb_abs(t, cen + k);
        arb_mul(t, t, spread, WIDE);
        arb_mul(rad + k + 1, most, rad + k, WIDE);
        arb_add(rad + k + 1, rad + k + 1, t, WIDE);
    }
    arb_clear(keep);
    arb_clear(most);
    arb_clear(t);
    return ok;
}

/* The closed loop's impulse response g_1 .. g_n on curvature c, as stein.c has it. */
static void response(const ball_form *f, size_t n, arb_ptr g)
{
    size_t order = f->loop->n;
    arb_t q, t;
    arb_init(q);
    arb_init(t);
    arb_mul(q, f->eta, f->c, WIDE);
    for (size_t k = 1; k <= n; k++) {
        if (k <= order) arb_mul(g + k, f->eta, f->loop_e + k - 1, WIDE);
        for (size_t i = 1; i < k && i <= order; i++) {
            arb_mul(t, q, f->loop_e + i - 1, WIDE);
            arb_sub(t, t, f->loop_a + i - 1, WIDE);
            if (i < order) arb_add(t, t, f->loop_a + i, WIDE);
            arb_submul(g + k, t, g + (k - i), WIDE);
        }
        arb_div(g + k, g + k, f->loop_a, WIDE);
    }
    arb_clear(q);
    arb_clear(t);
}

/* The same for an optimizer, whose columns end at lag n: no tail. */
static void loop_sequences(const ball_form *f, arb_srcptr beta, size_t n, arb_ptr cen, arb_ptr rad)
{
    arb_ptr g = _arb_vec_init((slong)n + 1);
    arb_t t, u;
    arb_init(t);
    arb_init(u);
    response(f, n, g);
    for (size_t k = 1; k <= n; k++) {
        for (size_t j = 1; j <= k; j++) arb_submul(cen + k, g + j, beta + (k - j), WIDE);
        for (size_t j = 1; j < k; j++) {
            arb_abs(t, cen + j);
            arb_add(t, t, rad + j, WIDE);
            arb_abs(u, g + (k - j));
            arb_addmul(rad + k, t, u, WIDE);
        }
        arb_mul(rad + k, rad + k, f->delta, WIDE);
        arb_mul_2exp_si(rad + k, rad + k, -1);
    }
    _arb_vec_clear(g, (slong)n + 1);
    arb_clear(t);
    arb_clear(u);
}

/* The bound is on | sum_k y_k E<S_t, w_{t-k}> | for the sequence y that all columns make: |E tr
 * J| <= d times |sum y_k cen_k|, and sum |y_k| rad_k. A column's weights beyond n add up to
 * (1-s)^{n+1-lag}, and times k to at most (n + 1/s) of that.
 *
 * H is sum y_k cen_k, and v the weight of a column, the difference of its two unknowns. The cost is
 * 2 sqrt(delta) (|H| + sum |v| radius). */
int ball_stein_cost_of(const ball_form *f, arb_srcptr beta, arb_t P, arb_t cost)
{
    const socp_basis *b = f->b;
    const double *x = f->x;
    size_t n = socp_stein_length(b);
    int ok = 1;
    arb_ptr cen = _arb_vec_init((slong)n + 1), rad = _arb_vec_init((slong)n + 1);
    arb_t spread, H, v, s, t, weight, centre, radius;
    arb_init(spread);
    arb_init(H);
    arb_init(v);
    arb_init(s);
    arb_init(t);
    arb_init(weight);
    arb_init(centre);
    arb_init(radius);
    arb_mul(spread, f->eta, f->delta, WIDE);
    arb_mul_2exp_si(spread, spread, -1);
    if (f->loop)
        loop_sequences(f, beta, n, cen, rad);
    else
        ok = sequences(f, beta, n, spread, P, cen, rad);
    arb_zero(cost);
    for (size_t i = 0; i < b->ns; i++) {
        const socp_ahead *c = &b->ahead[i];
        arb_set_d(v, x[b->nh + 2 * i]);
        arb_set_d(t, x[b->nh + 2 * i + 1]);
        arb_sub(v, v, t, WIDE);
        arb_zero(centre);
        arb_zero(radius);
        arb_set_d(weight, c->s);
        arb_sub_ui(s, weight, 1, WIDE);
        arb_neg(s, s);
        /* the weights s (1-s)^{k-lag} of a column, up to k = n; s = 1 is the single lag */
        for (size_t k = c->lag; k <= n; k++) {
            arb_addmul(centre, weight, cen + k, WIDE);
            arb_addmul(radius, weight, rad + k, WIDE);
            arb_mul(weight, weight, s, WIDE);
        }
        /* the column has -ratio at lag 1, where rad is 0 */
        arb_set_d(t, c->ratio);
        arb_submul(centre, t, cen + 1, WIDE);
        arb_addmul(H, v, centre, WIDE);
        arb_set_d(t, c->s);
        arb_div(weight, weight, t, WIDE); /* (1-s)^{n+1-lag} */
        /* the tail: (1 + spread (n + 1/s)) P (1-s)^{n+1-lag} */
        arb_inv(t, t, WIDE);
        arb_add_ui(t, t, n, WIDE);
        arb_mul(t, t, spread, WIDE);
        arb_add_ui(t, t, 1, WIDE);
        arb_mul(t, t, weight, WIDE);
        arb_addmul(radius, t, P, WIDE);
        arb_abs(v, v);
        arb_addmul(cost, v, radius, WIDE);
    }
    arb_abs(H, H);
    arb_add(cost, cost, H, WIDE);
    arb_sqrt(t, f->delta, WIDE);
    arb_mul(cost, cost, t, WIDE);
    arb_mul_2exp_si(cost, cost, 1);
    ok = ok && arb_is_finite(cost);

    _arb_vec_clear(cen, (slong)n + 1);
    _arb_vec_clear(rad, (slong)n + 1);
    arb_clear(spread);
    arb_clear(H);
    arb_clear(v);
    arb_clear(s);
    arb_clear(t);
    arb_clear(weight);
    arb_clear(centre);
    arb_clear(radius);
    return ok;
}

int ball_stein_cost(const ball_form *f, arb_t cost)
{
    size_t n = socp_stein_length(f->b);
    arb_ptr beta = _arb_vec_init((slong)n);
    arb_t peak;
    arb_init(peak);
    int ok = ball_beta(f->noise, beta, n, peak) && ball_stein_cost_of(f, beta, peak, cost);
    _arb_vec_clear(beta, (slong)n);
    arb_clear(peak);
    return ok;
}

#else
typedef int finf_nothing_here; /* ISO C wants a declaration */
#endif
