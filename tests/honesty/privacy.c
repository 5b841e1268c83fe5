/* epsilon, delta and rho of one Gaussian, and for every rho-zCDP mechanism. (theory 8) */
#include "honesty.h"

enum { WIDE = 512 }; /* bits: the terms of delta cancel */

/* Phi(x) */
static void normal(arb_t out, const arb_t x)
{
    arb_t t;
    arb_init(t);
    arb_set_ui(t, 2);
    arb_sqrt(t, t, WIDE);
    arb_div(t, x, t, WIDE);
    arb_neg(t, t);
    arb_hypgeom_erfc(out, t, WIDE);
    arb_mul_2exp_si(out, out, -1);
    arb_clear(t);
}

/* delta = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), and its derivatives by eps and mu. */
typedef struct {
    arb_t delta, by_eps, by_mu;
} gauss;

static void gauss_init(gauss *g)
{
    arb_init(g->delta);
    arb_init(g->by_eps);
    arb_init(g->by_mu);
}

static void gauss_clear(gauss *g)
{
    arb_clear(g->delta);
    arb_clear(g->by_eps);
    arb_clear(g->by_mu);
}

static void gauss_at(gauss *g, const arb_t mu, const arb_t eps)
{
    arb_t half, ratio, x;
    arb_init(half);
    arb_init(ratio);
    arb_init(x);
    arb_mul_2exp_si(half, mu, -1);
    arb_div(ratio, eps, mu, WIDE);
    arb_sub(x, half, ratio, WIDE);
    normal(g->delta, x);
    arb_mul(x, x, x, WIDE); /* by mu: the normal density at x */
    arb_mul_2exp_si(x, x, -1);
    arb_neg(x, x);
    arb_exp(g->by_mu, x, WIDE);
    arb_const_pi(x, WIDE);
    arb_mul_2exp_si(x, x, 1);
    arb_sqrt(x, x, WIDE);
    arb_div(g->by_mu, g->by_mu, x, WIDE);
    arb_add(x, half, ratio, WIDE);
    arb_neg(x, x);
    normal(g->by_eps, x);
    arb_exp(x, eps, WIDE);
    arb_mul(g->by_eps, g->by_eps, x, WIDE);
    arb_sub(g->delta, g->delta, g->by_eps, WIDE);
    arb_neg(g->by_eps, g->by_eps);
    arb_clear(half);
    arb_clear(ratio);
    arb_clear(x);
}

/* Newton's method for delta(x) = delta in mu or eps, from x. The last step is its radius, twice. */
static void gauss_solve(arb_t x, const arb_t other, int for_mu, double delta)
{
    gauss g;
    arb_t target;
    gauss_init(&g);
    arb_init(target);
    arb_set_d(target, delta);
    for (int i = 0; i < 40; i++) {
        gauss_at(&g, for_mu ? x : other, for_mu ? other : x);
        arb_sub(g.delta, g.delta, target, WIDE);
        arb_div(g.delta, g.delta, for_mu ? g.by_mu : g.by_eps, WIDE);
        arb_sub(x, x, g.delta, WIDE);
        mag_zero(arb_radref(x));
        if (arf_cmpabs_2exp_si(arb_midref(g.delta), -400) < 0) break;
    }
    arb_get_mag(arb_radref(target), g.delta);
    mag_add(arb_radref(x), arb_radref(target), arb_radref(target));
    gauss_clear(&g);
    arb_clear(target);
}

void reference_epsilon(arb_t out, const arb_t rho, double delta, double near)
{
    arb_t mu;
    arb_init(mu);
    arb_mul_2exp_si(mu, rho, 1);
    arb_sqrt(mu, mu, WIDE);
    arb_set_d(out, near);
    gauss_solve(out, mu, 0, delta);
    arb_clear(mu);
}

static void one_gaussian(point *p, double rho, double eps, double delta)
{
    finf_real claim;
    gauss g;
    arb_t mu, x;
    gauss_init(&g);
    arb_init(mu);
    arb_init(x);
    arb_set_d(mu, rho);
    arb_mul_2exp_si(mu, mu, 1);
    arb_sqrt(mu, mu, WIDE);
    snprintf(p->what, sizeof p->what, "rho %.17g, epsilon %.17g", rho, eps);
    if (!finf_delta_gauss(rho, eps, &claim, NULL) && claim.value > 1e-290) {
        arb_set_d(x, eps);
        gauss_at(&g, mu, x);
        judge(p, "privacy delta", claim, g.delta);
    }
    snprintf(p->what, sizeof p->what, "rho %.17g, delta %.17g", rho, delta);
    if (!finf_epsilon_gauss(rho, delta, &claim, NULL) && claim.value > 0) {
        arb_set_d(x, claim.value);
        gauss_solve(x, mu, 0, delta);
        judge(p, "privacy epsilon", claim, x);
    }
    snprintf(p->what, sizeof p->what, "epsilon %.17g, delta %.17g", eps, delta);
    if (!finf_rho_gauss(eps, delta, &claim, NULL)) {
        arb_set_d(x, eps);
        arb_set_d(mu, sqrt(2 * claim.value));
        gauss_solve(mu, x, 1, delta);
        arb_mul(mu, mu, mu, WIDE);
        arb_mul_2exp_si(mu, mu, -1);
        judge(p, "privacy rho", claim, mu);
    }
    gauss_clear(&g);
    arb_clear(mu);
    arb_clear(x);
}

/* ---- zCDP: the stationary order is the only one
 * ----------------------------------------------------- */

/* The alpha > 1 with rho (alpha-1)^2 + log alpha + log delta = 0, or with rho (2 alpha - 1) - eps +
 * log(1 - 1/alpha) = 0: both sides rise with alpha. u = log(alpha - 1) by bisection. */
static void order(arb_t u, const arb_t rho, const double *delta, const double *eps)
{
    arb_t lo, hi, a, f, t;
    arb_init(lo);
    arb_init(hi);
    arb_init(a);
    arb_init(f);
    arb_init(t);
    arb_set_si(lo, -800);
    arb_set_si(hi, 800);
    for (int i = 0; i < 160; i++) {
        arb_add(u, lo, hi, WIDE);
        arb_mul_2exp_si(u, u, -1);
        mag_zero(arb_radref(u));
        arb_exp(a, u, WIDE);
        if (delta) {
            arb_mul(f, a, a, WIDE);
            arb_mul(f, f, rho, WIDE);
            arb_log1p(t, a, WIDE);
            arb_add(f, f, t, WIDE);
            arb_set_d(t, *delta);
            arb_log(t, t, WIDE);
        } else {
            arb_mul_2exp_si(f, a, 1);
            arb_add_ui(f, f, 1, WIDE);
            arb_mul(f, f, rho, WIDE);
            arb_log1p(t, a, WIDE);
            arb_sub(t, u, t, WIDE);
            arb_add(f, f, t, WIDE);
            arb_set_d(t, *eps);
            arb_neg(t, t);
        }
        arb_add(f, f, t, WIDE);
        arb_set(arf_sgn(arb_midref(f)) > 0 ? hi : lo, u);
    }
    arb_clear(lo);
    arb_clear(hi);
    arb_clear(a);
    arb_clear(f);
    arb_clear(t);
}

/* eps at the best order: rho alpha - log(alpha delta)/(alpha-1) + log(1 - 1/alpha); alpha too. */
static void zcdp_epsilon(arb_t out, arb_t alpha, const arb_t rho, double delta)
{
    arb_t u, a, t;
    arb_init(u);
    arb_init(a);
    arb_init(t);
    order(u, rho, &delta, NULL);
    arb_exp(a, u, WIDE); /* alpha - 1 */
    arb_log1p(t, a, WIDE);
    arb_sub(out, u, t, WIDE); /* log(1 - 1/alpha) */
    arb_set_d(alpha, delta);
    arb_log(alpha, alpha, WIDE);
    arb_add(t, t, alpha, WIDE);
    arb_div(t, t, a, WIDE);
    arb_sub(out, out, t, WIDE);
    arb_add_ui(alpha, a, 1, WIDE);
    arb_addmul(out, rho, alpha, WIDE);
    arb_clear(u);
    arb_clear(a);
    arb_clear(t);
}

/* log delta at the best order: (alpha-1)(rho alpha - eps) - log alpha + (alpha-1) log(1 - 1/alpha)
 */
static void zcdp_delta(arb_t out, const arb_t rho, double eps)
{
    arb_t u, a, t, l;
    arb_init(u);
    arb_init(a);
    arb_init(t);
    arb_init(l);
    order(u, rho, NULL, &eps);
    arb_exp(a, u, WIDE);
    arb_log1p(l, a, WIDE);
    arb_sub(u, u, l, WIDE);
    arb_add_ui(t, a, 1, WIDE);
    arb_addmul(u, t, rho, WIDE);
    arb_set_d(t, eps);
    arb_sub(u, u, t, WIDE);
    arb_mul(out, u, a, WIDE);
    arb_sub(out, out, l, WIDE);
    arb_exp(out, out, WIDE);
    arb_clear(u);
    arb_clear(a);
    arb_clear(t);
    arb_clear(l);
}

static void any_mechanism(point *p, double rho, double eps, double delta)
{
    finf_real claim;
    arb_t r, x, alpha, target;
    arb_init(r);
    arb_init(x);
    arb_init(alpha);
    arb_init(target);
    arb_set_d(r, rho);
    snprintf(p->what, sizeof p->what, "rho %.17g, delta %.17g", rho, delta);
    if (!finf_epsilon_zcdp(rho, delta, &claim, NULL) && claim.value > 0) {
        zcdp_epsilon(x, alpha, r, delta);
        judge(p, "privacy epsilon_zcdp", claim, x);
    }
    snprintf(p->what, sizeof p->what, "rho %.17g, epsilon %.17g", rho, eps);
    if (!finf_delta_zcdp(rho, eps, &claim, NULL) && claim.value < 1 && claim.value > 1e-290) {
        zcdp_delta(x, r, eps);
        judge(p, "privacy delta_zcdp", claim, x);
    }
    snprintf(p->what, sizeof p->what, "epsilon %.17g, delta %.17g", eps, delta);
    if (!finf_rho_zcdp(eps, delta, &claim, NULL)) { /* eps rises with rho, with slope alpha */
        arb_set_d(r, claim.value);
        arb_set_d(target, eps);
        for (int i = 0; i < 12; i++) {
            zcdp_epsilon(x, alpha, r, delta);
            arb_sub(x, x, target, WIDE);
            arb_div(x, x, alpha, WIDE);
            arb_sub(r, r, x, WIDE);
            mag_zero(arb_radref(r));
            if (arf_cmpabs_2exp_si(arb_midref(x), -200) < 0) break;
        }
        arb_add_error(r, x);
        judge(p, "privacy rho_zcdp", claim, r);
    }
    arb_clear(r);
    arb_clear(x);
    arb_clear(alpha);
    arb_clear(target);
}

void privacy_point(point *p)
{
    double rho = log_uniform(p, 1e-8, 1e4), delta = log_uniform(p, 1e-20, 0.9),
           eps = log_uniform(p, 1e-6, 1e4);
    if (whole(p, 3) == 0) eps = rho + 4 * sqrt(rho) * uniform(p, 0, 1);
    one_gaussian(p, rho, eps, delta);
    if (whole(p, 4) == 0) any_mechanism(p, rho, eps, delta);
}
