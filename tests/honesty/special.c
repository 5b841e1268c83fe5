/* Elliptic integrals. K by the mean of Gauss, E by a hypergeometric series, the others by their
 * definition. (theory 3) */
#include "honesty.h"

typedef struct {
    double a, b;
    int root, poles; /* powers of gap(a)^{1/2} and of gap(b) */
} parts;

static void integrand(acb_t out, const acb_t w, const acb_t c, int analytic, void *data)
{
    const parts *d = data;
    acb_t x;
    (void)w;
    acb_init(x);
    gap(x, d->a, c);
    acb_sqrt_analytic(out, x, analytic, BITS);
    if (d->root < 0) acb_inv(out, out, BITS);
    gap(x, d->b, c);
    if (d->poles) acb_div(out, out, x, BITS);
    acb_clear(x);
}

/* int from -pi to pi */
static void whole_circle(arb_t out, parts d)
{
    arb_t pi;
    arb_init(pi);
    ball_mean(out, integrand, &d);
    arb_const_pi(pi, BITS);
    arb_mul(out, out, pi, BITS);
    arb_mul_2exp_si(out, out, 1);
    arb_clear(pi);
}

static void complete(point *p)
{
    finf_real claim;
    double m1 = whole(p, 2) ? log_uniform(p, 1e-60, 1e60) : log_uniform(p, 1e-3, 1e3);
    arb_t K, E, x, pi, half;
    arb_init(K);
    arb_init(E);
    arb_init(x);
    arb_init(pi);
    arb_init(half);
    arb_const_pi(pi, BITS);
    arb_set_d(x, m1);
    arb_sqrt(x, x, BITS);
    arb_one(K);
    arb_agm(K, K, x, BITS);
    finf_agm(1, sqrt(m1), &claim);
    arb_div(K, pi, K, BITS);
    arb_mul_2exp_si(K, K, -1);
    snprintf(p->what, sizeof p->what, "m1 %.17g", m1);
    finf_ellint_k(m1, &claim);
    judge(p, "ellint K", claim, K);
    if (m1 > 1e-3 && m1 < 1e3) { /* E = (pi/2) 2F1(-1/2, 1/2; 1; 1 - m1) */
        arb_t a, one;
        arb_init(a);
        arb_init(one);
        arb_one(one);
        arb_set_d(half, 0.5);
        arb_set_d(a, -0.5);
        arb_set_d(x, m1);
        arb_sub(x, one, x, BITS);
        arb_hypgeom_2f1(E, a, half, one, x, 0, BITS);
        arb_mul(E, E, pi, BITS);
        arb_mul_2exp_si(E, E, -1);
        finf_ellint_e(m1, &claim);
        judge(p, "ellint E", claim, E);
        arb_clear(a);
        arb_clear(one);
    }
    arb_clear(K);
    arb_clear(E);
    arb_clear(x);
    arb_clear(pi);
    arb_clear(half);
}

static void mean_of_two(point *p)
{
    finf_real claim;
    double x = log_uniform(p, 1e-40, 1e40), y = log_uniform(p, 1e-40, 1e40);
    arb_t a, b;
    arb_init(a);
    arb_init(b);
    arb_set_d(a, x);
    arb_set_d(b, y);
    arb_agm(a, a, b, BITS);
    finf_agm(x, y, &claim);
    snprintf(p->what, sizeof p->what, "agm(%.17g, %.17g)", x, y);
    judge(p, "agm", claim, a);
    arb_clear(a);
    arb_clear(b);
}

void special_point(point *p)
{
    finf_real claim;
    arb_t truth;
    complete(p);
    mean_of_two(p);
    if (whole(p, 4)) return;
    double a = log_uniform(p, 1e-9, 1), b = log_uniform(p, 1e-9, 1.999);
    arb_init(truth);
    snprintf(p->what, sizeof p->what, "a %.17g, b %.17g", a, b);
    finf_ellint_i(a, b, &claim);
    whole_circle(truth, (parts){a, b, 1, 1});
    judge(p, "ellint I", claim, truth);
    finf_ellint_j1(a, b, &claim);
    whole_circle(truth, (parts){a, b, -1, 1});
    judge(p, "ellint J1", claim, truth);
    finf_ellint_j0(b, &claim);
    whole_circle(truth, (parts){b, b, -1, 0});
    judge(p, "ellint J0", claim, truth);
    arb_clear(truth);
}
