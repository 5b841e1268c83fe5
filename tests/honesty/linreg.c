/* Linear regression by plain SGD, its sums term by term. (theory 5) */
#include "honesty.h"

enum { MOST = 400 };

/* The eigenvalues as the formula has them, before any rounding. */
static finf_spectrum *draw_spectrum(point *p, regression *g, char *spelled, size_t room)
{
    finf_spectrum *s = NULL;
    finf_status status;
    double rate = uniform(p, 0, 2), d = (double)g->d, list[MOST];
    int kind = (int)whole(p, 4);
    arb_t x;
    arb_init(x);
    arb_set_d(x, rate);
    arb_neg(x, x);
    for (size_t k = 0; k < g->d; k++) {
        arb_ptr out = g->lambda + k;
        switch (kind) {
        case 0: /* k^-rate */
            arb_set_ui(out, k + 1);
            arb_pow(out, out, x, BITS);
            break;
        case 1: /* e^{-rate/8 (k-1)}: rate/8 is a double */
            arb_mul_ui(out, x, k, BITS);
            arb_mul_2exp_si(out, out, -3);
            arb_exp(out, out, BITS);
            break;
        case 2:
            arb_one(out);
            if (k) arb_div_ui(out, out, g->d, BITS);
            break;
        default: arb_set_d(out, list[k] = log_uniform(p, 1e-4, 1));
        }
    }
    arb_clear(x);
    snprintf(spelled, room, "%s, rate %.17g, d %g",
             (const char *[]){"power", "exp", "step", "list"}[kind], rate, d);
    status = kind == 0   ? finf_spectrum_power(rate, d, &s, NULL)
             : kind == 1 ? finf_spectrum_exp(rate / 8, d, &s, NULL)
             : kind == 2 ? finf_spectrum_step(d, &s, NULL)
                         : finf_spectrum_list(list, g->d, &s, NULL);
    return status ? NULL : s;
}

int regression_prepare(regression *g)
{
    arb_t x, k;
    int stable = 1;
    arb_init(x);
    arb_init(k);
    arb_set_d(k, g->kurtosis);
    arb_add_ui(k, k, 2, BITS);
    arb_one(g->D);
    for (size_t j = 0; j < g->d; j++) {
        arb_set_d(x, g->eta);
        arb_mul(g->b + j, x, g->lambda + j, BITS);
        arb_mul(x, k, g->b + j, BITS);
        arb_sub_ui(x, x, 2, BITS);
        arb_neg(g->e + j, x);
        stable = stable && arb_is_positive(g->e + j);
        arb_div(x, g->b + j, g->e + j, BITS);
        arb_sub(g->D, g->D, x, BITS);
    }
    arb_clear(x);
    arb_clear(k);
    return stable && arb_is_positive(g->D);
}

/* (eta/2) sum b_j (2 - b_j)/(e_j gap(b_j))/D, or of lti (eta/2) sum b_j/gap(b_j); times |B|^2. */
static void weight(acb_t out, const acb_t w, const acb_t c, int analytic, void *data)
{
    const regression *g = data;
    acb_t x;
    arb_t t;
    acb_init(x);
    arb_init(t);
    acb_zero(out);
    for (size_t j = 0; j < g->d; j++) {
        gap_arb(x, g->b + j, c);
        if (g->lti)
            arb_set(t, g->b + j);
        else {
            arb_sub_ui(t, g->b + j, 2, BITS);
            arb_neg(t, t);
            arb_mul(t, t, g->b + j, BITS);
            arb_div(t, t, g->e + j, BITS);
            arb_div(t, t, g->D, BITS);
        }
        acb_inv(x, x, BITS);
        acb_mul_arb(x, x, t, BITS);
        acb_add(out, out, x, BITS);
    }
    arb_set_d(t, g->eta);
    arb_mul_2exp_si(t, t, -1);
    acb_mul_arb(out, out, t, BITS);
    if (g->root)
        acb_sqrt_analytic(out, out, analytic, BITS);
    else {
        density(x, g->r, w, c, analytic);
        acb_mul(out, out, x, BITS);
    }
    acb_clear(x);
    arb_clear(t);
}

/* (1/2) eta sgd^2 sum lambda_j/e_j/D, or lambda_j/(2 - b_j) */
static void gradient_part(arb_t out, const regression *g)
{
    arb_t t, s;
    arb_init(t);
    arb_init(s);
    arb_zero(out);
    for (size_t j = 0; j < g->d; j++) {
        arb_sub_ui(t, g->b + j, 2, BITS);
        arb_neg(t, t);
        arb_div(t, g->lambda + j, g->lti ? t : g->e + j, BITS);
        arb_add(out, out, t, BITS);
    }
    if (!g->lti) arb_div(out, out, g->D, BITS);
    arb_set_d(s, g->set.sigma_sgd);
    arb_mul(s, s, s, BITS);
    arb_mul(out, out, s, BITS);
    arb_set_d(s, g->eta / 2);
    arb_mul(out, out, s, BITS);
    arb_clear(t);
    arb_clear(s);
}

void regression_value(arb_t out, regression *g, int lti, int best, const arb_t unit,
                      const arb_t gamma2)
{
    arb_t x;
    arb_init(x);
    g->lti = lti;
    g->root = best;
    ball_mean(out, weight, g);
    arb_mul(out, out, best ? out : gamma2, BITS);
    arb_mul(out, out, unit, BITS);
    gradient_part(x, g);
    arb_add(out, out, x, BITS);
    arb_clear(x);
}

void regression_floor(arb_t out, const regression *g, const arb_t unit)
{
    arb_t t, s;
    arb_init(t);
    arb_init(s);
    for (size_t j = 0; j < g->d; j++) arb_add(t, t, g->lambda + j, BITS);
    arb_set_d(s, g->eta);
    arb_mul(out, s, unit, BITS);
    arb_mul_2exp_si(out, out, -1);
    arb_mul(t, t, s, BITS);
    arb_set_d(s, g->set.sigma_sgd);
    arb_addmul(out, s, s, BITS);
    arb_mul(out, out, t, BITS);
    arb_mul_2exp_si(out, out, -2);
    arb_clear(t);
    arb_clear(s);
}

void regression_begin(regression *g, size_t d)
{
    *g = (regression){.d = d, .lambda = _arb_vec_init((slong)(3 * d))};
    g->b = g->lambda + d;
    g->e = g->b + d;
    arb_init(g->D);
}

void regression_end(regression *g)
{
    _arb_vec_clear(g->lambda, (slong)(3 * g->d));
    arb_clear(g->D);
}

void linreg_point(point *p)
{
    reference r;
    regression g;
    finf_linreg_options o = finf_linreg_options_default();
    finf_linreg_result q;
    char spelled[100];
    finf_real top;
    arb_t unit, gamma2, x;
    regression_begin(&g, 1 + whole(p, whole(p, 5) ? 12 : whole(p, 8) ? 60 : MOST));
    arb_init(unit);
    arb_init(gamma2);
    arb_init(x);
    reference_draw(p, &r);
    g.r = &r;
    finf_spectrum *s = draw_spectrum(p, &g, spelled, sizeof spelled);
    g.kurtosis = o.kurtosis = whole(p, 2) ? 0 : uniform(p, -2, 5);
    g.set.sigma_sgd = o.privacy.sigma_sgd = whole(p, 2) ? 0 : log_uniform(p, 1e-3, 1e2);
    g.set.rho = o.privacy.rho = log_uniform(p, 1e-2, 1e2);
    if (!s || finf_linreg_eta_max(s, o.kurtosis, NULL, &top, NULL)) exit(5);
    double most = top.value;
    /* a quarter of the points near the largest stable step, where D loses digits */
    g.eta = most * (whole(p, 4) ? log_uniform(p, 1e-3, 0.99) : 1 - log_uniform(p, 1e-8, 0.1));
    finf_sensitivity about;
    snprintf(p->what, sizeof p->what, "%s, eta %.17g, %s, kurtosis %.17g, sgd %.17g, rho %.17g",
             r.spelled, g.eta, spelled, g.kurtosis, g.set.sigma_sgd, g.set.rho);
    if (!finf_noise_sensitivity(r.noise, &about) && about.minimum_phase &&
        !finf_linreg(r.noise, g.eta, s, &o, &q) && regression_prepare(&g)) {
        reference_gamma2(gamma2, &r);
        arb_set_d(unit, g.set.rho);
        arb_mul_2exp_si(unit, unit, 1);
        arb_inv(unit, unit, BITS);
        regression_value(x, &g, 0, 0, unit, gamma2);
        judge(p, "linreg F_inf", q.exact, x);
        regression_value(x, &g, 1, 0, unit, gamma2);
        judge(p, "linreg F_lower", q.lti, x);
        regression_value(x, &g, 0, 1, unit, gamma2);
        judge(p, "linreg F_best", q.optimum, x);
        regression_value(x, &g, 1, 1, unit, gamma2);
        judge(p, "linreg F_lower_best", q.optimum_lti, x);
        regression_floor(x, &g, unit);
        judge(p, "linreg F_floor", q.floor, x);
    }
    finf_spectrum_free(s);
    reference_free(&r);
    regression_end(&g);
    arb_clear(unit);
    arb_clear(gamma2);
    arb_clear(x);
}
