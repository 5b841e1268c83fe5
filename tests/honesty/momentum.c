/* Linear regression with momentum and averages: the exact F_inf, its part of linear systems, and
 * the least of each over all noise. (theory 11.3) */
#include "honesty.h"

enum { MOST = 4 };

/* One direction: means over the circle, and the same of the average. */
typedef struct {
    arb_t lambda, g, N, g_bar, N_bar, r, v;
} direction;

typedef struct {
    size_t d;
    loop l; /* of the point where gradients are taken and, with its average, of what is reported */
    double average, lambda[MOST], kurtosis;
    direction j[MOST];
    arb_t D, k; /* k = 1 + kurtosis */
    int exact;  /* of weight: Hx of F_inf, else of its part of linear systems */
} descent;

static void descent_begin(descent *s)
{
    arb_init(s->D);
    arb_init(s->k);
    for (size_t j = 0; j < MOST; j++) {
        direction *x = &s->j[j];
        arb_t *all[] = {&x->lambda, &x->g, &x->N, &x->g_bar, &x->N_bar, &x->r, &x->v};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) arb_init(*all[i]);
    }
}

static void descent_end(descent *s)
{
    arb_clear(s->D);
    arb_clear(s->k);
    for (size_t j = 0; j < MOST; j++) {
        direction *x = &s->j[j];
        arb_t *all[] = {&x->lambda, &x->g, &x->N, &x->g_bar, &x->N_bar, &x->r, &x->v};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) arb_clear(*all[i]);
    }
}

/* The mean of |G_j|^2, with |A|^2 and |B|^2 where asked. */
static void mean_of(arb_t out, descent *s, size_t j, int averaged, const reference *r)
{
    s->l.h = s->lambda[j];
    s->l.average = averaged ? s->average : 0;
    s->l.r = r;
    ball_mean(out, loop_density, &s->l);
}

/* g, N, r, D and v; 0 where it diverges in mean square. */
static int prepare(descent *s, const reference *r)
{
    arb_t t, all;
    int stable = 1;
    arb_init(t);
    arb_init(all);
    arb_set_d(s->k, s->kurtosis);
    arb_add_ui(s->k, s->k, 1, BITS);
    arb_one(s->D);
    for (size_t j = 0; j < s->d; j++) {
        direction *x = &s->j[j];
        arb_set_d(x->lambda, s->lambda[j]);
        mean_of(x->g, s, j, 0, NULL);
        mean_of(x->N, s, j, 0, r);
        mean_of(x->g_bar, s, j, 1, NULL);
        mean_of(x->N_bar, s, j, 1, r);
        arb_mul(t, x->lambda, x->lambda, BITS);
        arb_mul(t, t, x->g, BITS); /* g lambda^2 */
        arb_mul(x->r, t, s->k, BITS);
        arb_sub_ui(x->r, x->r, 1, BITS);
        arb_neg(x->r, x->r);
        stable = stable && arb_is_positive(x->r);
        arb_inv(x->r, x->r, BITS);
        arb_submul(s->D, t, x->r, BITS);
        arb_mul(t, t, x->r, BITS); /* all += g_bar lambda^2 (1 + k g lambda^2 r) */
        arb_mul(t, t, s->k, BITS);
        arb_add_ui(t, t, 1, BITS);
        arb_mul(t, t, x->lambda, BITS);
        arb_mul(t, t, x->lambda, BITS);
        arb_addmul(all, t, x->g_bar, BITS);
    }
    arb_div(all, all, s->D, BITS);
    for (size_t j = 0; j < s->d; j++) { /* v = r lambda (k g_bar lambda^2 + all/D) */
        direction *x = &s->j[j];
        arb_mul(t, x->lambda, x->lambda, BITS);
        arb_mul(t, t, s->k, BITS);
        arb_mul(t, t, x->g_bar, BITS);
        arb_add(t, t, all, BITS);
        arb_mul(t, t, x->lambda, BITS);
        arb_mul(x->v, t, x->r, BITS);
    }
    arb_clear(t);
    arb_clear(all);
    return stable && arb_is_positive(s->D);
}

/* The root of Hx = (1/2) sum (lambda |A|^2 + v) |G|^2; without v of the linear systems. */
static void root(acb_t out, const acb_t w, const acb_t c, int analytic, void *data)
{
    descent *s = data;
    loop l = s->l;
    acb_t x;
    acb_init(x);
    acb_zero(out);
    l.r = NULL;
    for (size_t j = 0; j < s->d; j++) {
        l.h = s->lambda[j];
        l.average = s->average;
        loop_density(x, w, c, analytic, &l);
        acb_mul_arb(x, x, s->j[j].lambda, BITS);
        acb_add(out, out, x, BITS);
        if (!s->exact) continue;
        l.average = 0;
        loop_density(x, w, c, analytic, &l);
        acb_mul_arb(x, x, s->j[j].v, BITS);
        acb_add(out, out, x, BITS);
    }
    acb_mul_2exp_si(out, out, -1);
    acb_sqrt_analytic(out, out, analytic, BITS);
    acb_clear(x);
}

/* F_inf, or its part of linear systems, where the privacy noise has variance sigma2. */
static void value(arb_t out, const descent *s, const arb_t sigma2, double sgd, int exact)
{
    arb_t Q, S, t, noise;
    arb_init(Q);
    arb_init(S);
    arb_init(t);
    arb_init(noise);
    arb_zero(out);
    arb_set_d(noise, sgd);
    arb_mul(noise, noise, noise, BITS);
    for (size_t j = 0; j < s->d && exact; j++) {
        const direction *x = &s->j[j];
        arb_mul(t, x->g, x->lambda, BITS);
        arb_mul(t, t, noise, BITS);
        arb_addmul(t, sigma2, x->N, BITS);
        arb_mul(t, t, x->r, BITS);
        arb_addmul(Q, t, x->lambda, BITS);
    }
    arb_div(Q, Q, s->D, BITS);
    arb_add(noise, noise, Q, BITS); /* Q + s */
    for (size_t j = 0; j < s->d; j++) {
        const direction *x = &s->j[j];
        arb_mul(S, x->g, x->lambda, BITS);
        arb_mul(S, S, noise, BITS);
        arb_addmul(S, sigma2, x->N, BITS);
        arb_mul(S, S, x->r, BITS);
        arb_mul(S, S, s->k, BITS);
        arb_mul(S, S, x->lambda, BITS); /* k lambda S, and once more lambda below */
        if (!exact) arb_zero(S);
        arb_add(S, S, noise, BITS);
        arb_mul(S, S, x->lambda, BITS);
        arb_mul(t, S, x->g_bar, BITS);
        arb_addmul(t, sigma2, x->N_bar, BITS);
        arb_addmul(out, t, x->lambda, BITS);
    }
    arb_mul_2exp_si(out, out, -1);
    arb_clear(Q);
    arb_clear(S);
    arb_clear(t);
    arb_clear(noise);
}

/* The least over all noise: that of no privacy noise, and (mean Hx^{1/2})^2 of it. */
static void least(arb_t out, descent *s, const arb_t unit, double sgd, int exact)
{
    arb_t x;
    arb_init(x);
    s->exact = exact;
    value(out, s, x, sgd, exact);
    ball_mean(x, root, s);
    arb_mul(x, x, x, BITS);
    arb_addmul(out, x, unit, BITS);
    arb_clear(x);
}

static void judge_all(point *p, descent *s, const reference *r, const finf_linreg_options *o,
                      const finf_linreg_result *q)
{
    arb_t x, unit, sigma2;
    arb_init(x);
    arb_init(unit);
    arb_init(sigma2);
    arb_set_d(unit, 2 * o->privacy.rho);
    arb_inv(unit, unit, BITS);
    reference_gamma2(sigma2, r);
    arb_mul(sigma2, sigma2, unit, BITS);
    value(x, s, sigma2, o->privacy.sigma_sgd, 1);
    judge(p, "linreg+opt F_inf", q->exact, x);
    value(x, s, sigma2, o->privacy.sigma_sgd, 0);
    judge(p, "linreg+opt F_lower", q->lti, x);
    least(x, s, unit, o->privacy.sigma_sgd, 1);
    judge(p, "linreg+opt F_best", q->optimum, x);
    least(x, s, unit, o->privacy.sigma_sgd, 0);
    judge(p, "linreg+opt F_lower_best", q->optimum_lti, x);
    arb_clear(x);
    arb_clear(unit);
    arb_clear(sigma2);
}

void momentum_point(point *p)
{
    reference r;
    descent s = {.d = 1 + whole(p, MOST)};
    finf_linreg_options o = finf_linreg_options_default();
    finf_linreg_result q;
    finf_spectrum *h = NULL;
    finf_sensitivity about;
    finf_real top;
    descent_begin(&s);
    reference_draw(p, &r);
    for (size_t j = 0; j < s.d; j++) s.lambda[j] = log_uniform(p, 1e-3, 1);
    s.kurtosis = o.kurtosis = whole(p, 2) ? 0 : uniform(p, -1, 4);
    s.average = whole(p, 2) ? 0 : uniform(p, 0, 0.99);
    s.l = (loop){
        .momentum = uniform(p, 0, 0.97), .nesterov = (int)whole(p, 2), .average = s.average};
    finf_optimizer *opt = loop_optimizer(&s.l);
    o.optimizer = opt;
    o.privacy.rho = log_uniform(p, 1e-2, 1e2);
    o.privacy.sigma_sgd = whole(p, 2) ? 0 : log_uniform(p, 1e-3, 1e2);
    if (finf_spectrum_list(s.lambda, s.d, &h, NULL)) exit(5);
    if (!finf_linreg_eta_max(h, o.kurtosis, opt, &top, NULL) &&
        !finf_noise_sensitivity(r.noise, &about) && about.minimum_phase) {
        double eta = top.value * log_uniform(p, 1e-3, 0.95);
        s.l.eta = eta;
        int n = snprintf(p->what, sizeof p->what,
                         "%s, %s:%.17g, ema %.17g, eta %.17g, kurtosis %.17g, sgd %.17g, rho "
                         "%.17g, lambda",
                         r.spelled, s.l.nesterov ? "nesterov" : "heavy-ball", s.l.momentum,
                         s.average, eta, o.kurtosis, o.privacy.sigma_sgd, o.privacy.rho);
        for (size_t j = 0; j < s.d && n < 600; j++)
            n += snprintf(p->what + n, sizeof p->what - (size_t)n, " %.17g", s.lambda[j]);
        if (!finf_linreg(r.noise, eta, h, &o, &q) && prepare(&s, &r)) judge_all(p, &s, &r, &o, &q);
    }
    finf_optimizer_free(opt);
    finf_spectrum_free(h);
    reference_free(&r);
    descent_end(&s);
}
