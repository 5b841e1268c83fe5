/* Mean estimation, without and with an optimizer. (theory 4, 11.2) */
#include "honesty.h"

/* a + q b at x = e^{-iw}, b = x or x (1 + m - m x), a = (1-x)(1 - m x): at both x and 1/x. */
static void loop_at(acb_t out, const loop *l, const acb_t x)
{
    acb_t a, b, t;
    arb_t eta, h, m;
    acb_init(a);
    acb_init(b);
    acb_init(t);
    arb_init(eta);
    arb_init(h);
    arb_init(m);
    arb_set_d(eta, l->eta);
    arb_set_d(h, l->h);
    arb_set_d(m, l->momentum);
    acb_mul_arb(t, x, m, BITS);
    acb_sub_ui(t, t, 1, BITS); /* m x - 1 */
    acb_sub_ui(a, x, 1, BITS);
    acb_mul(a, a, t, BITS);
    acb_set(b, x);
    if (l->nesterov) {
        acb_sub_arb(t, t, m, BITS); /* -(1 + m - m x) */
        acb_neg(t, t);
        acb_mul(b, b, t, BITS);
    }
    acb_mul_arb(b, b, eta, BITS);
    acb_mul_arb(t, b, h, BITS);
    acb_add(a, a, t, BITS);
    acb_div(out, b, a, BITS);
    arb_set_d(m, l->average); /* (1-A)/(1 - A x) */
    acb_mul_arb(t, x, m, BITS);
    acb_sub_ui(t, t, 1, BITS);
    arb_sub_ui(m, m, 1, BITS);
    acb_mul_arb(out, out, m, BITS);
    acb_div(out, out, t, BITS);
    acb_clear(a);
    acb_clear(b);
    acb_clear(t);
    arb_clear(eta);
    arb_clear(h);
    arb_clear(m);
}

void loop_density(acb_t out, const acb_t w, const acb_t c, int analytic, void *data)
{
    const loop *l = data;
    acb_t x, z, t;
    acb_init(x);
    acb_init(z);
    acb_init(t);
    acb_mul_onei(z, w);
    acb_exp_invexp(z, x, z, BITS);
    loop_at(out, l, x);
    loop_at(t, l, z);
    acb_mul(out, out, t, BITS);
    if (l->root) acb_sqrt_analytic(out, out, analytic, BITS);
    if (l->r) density(t, l->r, w, c, analytic);
    if (l->r) acb_mul(out, out, t, BITS);
    acb_clear(x);
    acb_clear(z);
    acb_clear(t);
}

/* (h/2) (sigma2 privacy + sgd^2 white) */
static void put_together(arb_t out, double h, const arb_t sigma2, const arb_t privacy, double sgd,
                         const arb_t white)
{
    arb_t s;
    arb_init(s);
    arb_mul(out, sigma2, privacy, BITS);
    arb_set_d(s, sgd);
    arb_mul(s, s, s, BITS);
    arb_addmul(out, s, white, BITS);
    arb_set_d(s, h);
    arb_mul(out, out, s, BITS);
    arb_mul_2exp_si(out, out, -1);
    arb_clear(s);
}

/* G^2/(2 rho) */
static void unit_variance(arb_t out, const finf_privacy_setting *set)
{
    arb_t rho;
    arb_init(rho);
    arb_set_d(out, set->clip);
    arb_mul(out, out, out, BITS);
    arb_set_d(rho, set->rho);
    arb_mul_2exp_si(rho, rho, 1);
    arb_div(out, out, rho, BITS);
    arb_clear(rho);
}

finf_optimizer *loop_optimizer(const loop *l)
{
    char name[64], average[64];
    finf_optimizer *opt = NULL;
    snprintf(name, sizeof name, "%s:%.17g", l->nesterov ? "nesterov" : "heavy-ball", l->momentum);
    snprintf(average, sizeof average, "ema:%.17g", l->average);
    if (finf_optimizer_parse(name, l->average > 0 ? average : "none", 0, &opt, NULL)) exit(5);
    return opt;
}

/* The weight decay is 0 or 1: 1 + V is then a double. */
static finf_optimizer *draw_loop(point *p, loop *l)
{
    char name[64], average[64];
    finf_optimizer *opt = NULL;
    int plain = whole(p, 2) == 0;
    l->momentum = plain ? 0 : uniform(p, 0, whole(p, 3) ? 0.95 : 0.999);
    l->nesterov = !plain && whole(p, 2);
    l->average = plain || whole(p, 2) ? 0 : uniform(p, 0, 0.99);
    l->h = plain || whole(p, 4) ? 1 : 2;
    snprintf(name, sizeof name, "%s:%.17g", l->nesterov ? "nesterov" : "heavy-ball", l->momentum);
    snprintf(average, sizeof average, "ema:%.17g", l->average);
    if (!plain &&
        finf_optimizer_parse(name, l->average > 0 ? average : "none", l->h - 1, &opt, NULL))
        exit(5);
    snprintf(p->what, sizeof p->what, "%s, %s, decay %g", plain ? "sgd" : name,
             l->average > 0 ? average : "none", l->h - 1);
    return opt;
}

void mean_point(point *p)
{
    reference r;
    loop l = {.eta = whole(p, 4) ? log_uniform(p, 1e-6, 1.9) : uniform(p, 1, 1.99)};
    finf_mean_options o = finf_mean_options_default();
    finf_mean_result q;
    finf_optimizer *opt = draw_loop(p, &l);
    char about[200];
    snprintf(about, sizeof about, "%.180s", p->what);
    reference_draw(p, &r);
    o.optimizer = opt;
    o.privacy.rho = log_uniform(p, 1e-3, 1e3);
    o.privacy.clip = log_uniform(p, 1e-3, 1e3);
    o.privacy.sigma_sgd = whole(p, 2) ? 0 : log_uniform(p, 1e-4, 1e4);
    snprintf(p->what, sizeof p->what, "%s, eta %.17g, %s, rho %.17g, G %.17g, sgd %.17g", r.spelled,
             l.eta, about, o.privacy.rho, o.privacy.clip, o.privacy.sigma_sgd);
    finf_status s = finf_mean(r.noise, l.eta, &o, &q);
    finf_sensitivity g;
    if (!s && !finf_noise_sensitivity(r.noise, &g) && g.minimum_phase && q.stable) {
        arb_t gamma2, sigma2, unit, white, x, F;
        arb_init(gamma2);
        arb_init(sigma2);
        arb_init(unit);
        arb_init(white);
        arb_init(x);
        arb_init(F);
        reference_gamma2(gamma2, &r);
        unit_variance(unit, &o.privacy);
        arb_mul(sigma2, unit, gamma2, BITS);
        ball_mean(white, loop_density, &l);
        l.r = &r;
        ball_mean(x, loop_density, &l);
        put_together(F, l.h, sigma2, x, o.privacy.sigma_sgd, white);
        judge(p, opt ? "mean+opt F_inf" : "mean F_inf", q.F, F);
        l.r = NULL;
        put_together(F, l.h, unit, white, o.privacy.sigma_sgd, white);
        judge(p, opt ? "mean+opt F_sgd" : "mean F_sgd", q.F_sgd, F);
        l.root = 1;
        ball_mean(x, loop_density, &l);
        arb_mul(x, x, x, BITS);
        put_together(F, l.h, unit, x, o.privacy.sigma_sgd, white);
        judge(p, opt ? "mean+opt F_best" : "mean F_best", q.F_optimal, F);
        arb_clear(gamma2);
        arb_clear(sigma2);
        arb_clear(unit);
        arb_clear(white);
        arb_clear(x);
        arb_clear(F);
    }
    finf_optimizer_free(opt);
    reference_free(&r);
}
