/* n steps: systems and learning curves, step by step. (theory 5.1, 6) */
#include "honesty.h"

enum { ROOM = 600 };

/* sens2 = sum c^2 and error = sum (n-t) a_t^2, a the prefix sums of beta. */
static void systems(point *p, const reference *r, size_t n, arb_srcptr beta, arb_srcptr c,
                    const finf_system *s)
{
    finf_system_facts f = finf_system_describe(s);
    arb_t sens2, error, a, t;
    arb_init(sens2);
    arb_init(error);
    arb_init(a);
    arb_init(t);
    for (size_t k = 0; k < n; k++) {
        arb_addmul(sens2, c + k, c + k, BITS);
        arb_add(a, a, beta + k, BITS);
        arb_mul(t, a, a, BITS);
        arb_mul_ui(t, t, n - k, BITS);
        arb_add(error, error, t, BITS);
    }
    snprintf(p->what, sizeof p->what, "%s, n %zu", r->spelled, n);
    judge(p, "curve sens2", f.sens2, sens2);
    judge(p, "curve prefix_error", f.error, error);
    arb_mul(t, sens2, error, BITS);
    judge(p, "curve loss", f.loss, t);
    arb_clear(sens2);
    arb_clear(error);
    arb_clear(a);
    arb_clear(t);
}

typedef struct {
    size_t d, n;
    double lambda[8], eta, kurtosis, start, sgd, rho;
} run;

/* (5.c): the second moments of d directions, and of them (1/2) sum lambda_j s_j after n steps. */
static void curve(arb_t out, const run *g, arb_srcptr beta, arb_srcptr c)
{
    enum { S, U, Q, L, B, KINDS };
    size_t d = g->d;
    arb_ptr v = _arb_vec_init((slong)(KINDS * d + 8)), sigma2 = v + KINDS * d, eta = sigma2 + 1,
            k2 = eta + 1, sum = k2 + 1, t = sum + 1, x = t + 1, noise = x + 1, one_b = noise + 1;
    for (size_t k = 0; k < g->n; k++) arb_addmul(sigma2, c + k, c + k, SERIES_BITS);
    arb_set_d(t, g->rho);
    arb_mul_2exp_si(t, t, 1);
    arb_div(sigma2, sigma2, t, SERIES_BITS);
    arb_set_d(eta, g->eta);
    arb_set_d(k2, g->kurtosis);
    arb_add_ui(k2, k2, 2, SERIES_BITS);
    for (size_t j = 0; j < d; j++) {
        arb_set_d(v + L * d + j, g->lambda[j]);
        arb_mul(v + B * d + j, eta, v + L * d + j, SERIES_BITS);
        arb_set_d(v + S * d + j, g->start);
        arb_div_ui(v + S * d + j, v + S * d + j, d, SERIES_BITS);
    }
    for (size_t step = 0; step < g->n; step++) {
        arb_zero(sum);
        for (size_t j = 0; j < d; j++) arb_addmul(sum, v + L * d + j, v + S * d + j, SERIES_BITS);
        for (size_t j = 0; j < d; j++) {
            arb_ptr s = v + S * d + j, u = v + U * d + j, q = v + Q * d + j, b = v + B * d + j;
            arb_sub_ui(one_b, b, 1, SERIES_BITS);
            arb_neg(one_b, one_b);
            arb_mul(u, u, one_b, SERIES_BITS);
            arb_add(u, u, beta + step, SERIES_BITS);
            arb_mul_2exp_si(t, u, 1); /* Q += beta (2u - beta) */
            arb_sub(t, t, beta + step, SERIES_BITS);
            arb_addmul(q, t, beta + step, SERIES_BITS);
            arb_mul(t, b, k2, SERIES_BITS); /* 1 - 2b + (2+kx) b^2 */
            arb_sub_ui(t, t, 2, SERIES_BITS);
            arb_mul(t, t, b, SERIES_BITS);
            arb_add_ui(t, t, 1, SERIES_BITS);
            arb_mul(x, t, s, SERIES_BITS);
            arb_mul(t, eta, b, SERIES_BITS);
            arb_addmul(x, t, sum, SERIES_BITS);
            arb_set_d(t, g->sgd);
            arb_mul(t, t, t, SERIES_BITS);
            arb_mul(t, t, v + L * d + j, SERIES_BITS);
            arb_addmul(t, sigma2, q, SERIES_BITS);
            arb_mul(noise, eta, eta, SERIES_BITS);
            arb_addmul(x, noise, t, SERIES_BITS);
            arb_set(s, x);
        }
    }
    arb_zero(out);
    for (size_t j = 0; j < d; j++) arb_addmul(out, v + L * d + j, v + S * d + j, SERIES_BITS);
    arb_mul_2exp_si(out, out, -1);
    _arb_vec_clear(v, (slong)(KINDS * d + 8));
}

static run draw_run(point *p, size_t n)
{
    run g = {.d = 1 + whole(p, 8), .n = n, .start = whole(p, 2) ? 0 : log_uniform(p, 1e-3, 1e3)};
    double trace = 0;
    for (size_t j = 0; j < g.d; j++) trace += g.lambda[j] = log_uniform(p, 1e-4, 1);
    g.eta = log_uniform(p, 1e-4, whole(p, 4) ? 0.6 : 3) / trace;
    g.kurtosis = whole(p, 2) ? 0 : uniform(p, -2, 4);
    g.sgd = whole(p, 2) ? 0 : log_uniform(p, 1e-3, 1e2);
    g.rho = log_uniform(p, 1e-2, 1e2);
    return g;
}

/* What finf design judges a given noise by: the last loss, by privacy noise alone and in all. */
static void design(point *p, const reference *r, run g, arb_srcptr beta, arb_srcptr c,
                   const finf_spectrum *h, const arb_t total)
{
    finf_design_options o = finf_design_options_default();
    finf_design *made = NULL;
    finf_design_result q;
    arb_t loss;
    arb_init(loss);
    o.start = g.start;
    o.kurtosis = g.kurtosis;
    o.privacy.sigma_sgd = g.sgd;
    o.privacy.rho = g.rho;
    if (!finf_design_make(g.eta, h, g.n, &o, &made, NULL)) {
        if (!finf_design_noise(made, r->noise, &q)) {
            g.start = g.sgd = 0;
            curve(loss, &g, beta, c);
            judge(p, "design loss", q.loss, loss);
            judge(p, "design loss_total", q.loss_total, total);
            finf_design_result_free(&q);
        }
        finf_design_free(made);
    }
    arb_clear(loss);
}

void finite_point(point *p)
{
    reference r;
    size_t n = 1 + whole(p, 80);
    finf_system *s = NULL;
    finf_spectrum *h = NULL;
    finf_curve_options o = finf_curve_options_default();
    finf_curve_result q;
    arb_ptr x = _arb_vec_init((slong)(2 * n));
    arb_t truth;
    arb_init(truth);
    reference_draw(p, &r);
    reference_series(&r, n, x, x + n);
    run g = draw_run(p, n);
    if (finf_system_toeplitz(r.noise, n, &s, NULL) || finf_spectrum_list(g.lambda, g.d, &h, NULL))
        exit(5);
    systems(p, &r, n, x, x + n, s);
    o.start = g.start;
    o.kurtosis = g.kurtosis;
    o.privacy.sigma_sgd = g.sgd;
    o.privacy.rho = g.rho;
    o.direct_max = whole(p, 2) ? 0 : 512;
    snprintf(
        p->what, sizeof p->what,
        "%s, n %zu, eta %.17g, d %zu, kurtosis %.17g, start %.17g, sgd %.17g, rho %.17g, nodes %d",
        r.spelled, n, g.eta, g.d, g.kurtosis, g.start, g.sgd, g.rho, o.direct_max == 0);
    curve(truth, &g, x, x + n);
    if (!finf_curve(s, g.eta, h, &o, &q)) {
        judge(p, "curve F_last", q.last, truth);
        finf_curve_result_free(&q);
    }
    design(p, &r, g, x, x + n, h, truth);
    finf_system_free(s);
    finf_spectrum_free(h);
    reference_free(&r);
    arb_clear(truth);
    _arb_vec_clear(x, (slong)(2 * n));
}

/* ---- families of finf design, as they are printed
 * ---------------------------------------------- */

/* The loss in balls, from the noise that is spelled; 0: it is not. */
static int judge_design(point *p, const run *g, const json_list *l, arb_t loss)
{
    reference r;
    const char *noise = printed_word(l, "noise");
    run alone = *g;
    arb_t x;
    if (!noise || !reference_read(noise, &r)) return 0;
    arb_ptr v = _arb_vec_init((slong)(2 * g->n));
    arb_init(x);
    reference_series(&r, g->n, v, v + g->n);
    for (size_t k = 0; k < g->n; k++) arb_addmul(x, v + g->n + k, v + g->n + k, BITS);
    judge(p, "designed sens2", printed_claim(l, "sens2"), x);
    curve(x, g, v, v + g->n);
    judge(p, "designed loss_total", printed_claim(l, "loss_total"), x);
    alone.start = alone.sgd = 0;
    curve(loss, &alone, v, v + g->n);
    judge(p, "designed loss", printed_claim(l, "loss"), loss);
    arb_clear(x);
    _arb_vec_clear(v, (slong)(2 * g->n));
    reference_free(&r);
    return 1;
}

/* No matrix is below `least`, and so this one is not; and its gap is what it says. */
static void judge_least(point *p, const json_list *l, const arb_t loss)
{
    arb_t x, y;
    finf_real least = printed_claim(l, "least");
    arb_init(x);
    arb_init(y);
    arb_set_d(x, least.value);
    if (arb_gt(x, loss)) arb_set(x, loss);
    judge(p, "dense least", least, x);
    arb_set_d(x, least.value);
    arb_set_d(y, printed_number(l, "loss"));
    arb_div(y, y, x, BITS);
    judge(p, "dense gap", printed_claim(l, "gap"), y);
    arb_clear(x);
    arb_clear(y);
}

void designed_point(point *p)
{
    static const char *const FAMILY[] = {"blt:1", "blt:2",    "blt:3",    "nu",
                                         "power", "banded:2", "banded:5", "sgd"};
    run g = draw_run(p, 2 + whole(p, 30));
    json_list l;
    char options[ROOM];
    int n = 0;
    arb_t loss;
    arb_init(loss);
    g.eta = fmin(g.eta, 0.6 / (double)g.d); /* the trace is at most d */
    g.kurtosis = 0;
    for (size_t j = 0; j < g.d; j++)
        n += snprintf(options + n, ROOM - (size_t)n, "%c%.17g", j ? ',' : ':', g.lambda[j]);
    snprintf(options + n, ROOM - (size_t)n,
             "\",--steps,%zu,--eta,%.17g,--rho,%.17g,--sigma-sgd,%.17g,--start,%.17g", g.n, g.eta,
             g.rho, g.sgd, g.start);
    snprintf(p->what, sizeof p->what, "design,--family,%s,--spectrum,\"list%s", FAMILY[whole(p, 8)],
             options);
    int known = printed_ask(p, &l) && judge_design(p, &g, &l, loss);
    json_free(&l);
    if (known) {
        snprintf(p->what, sizeof p->what, "design,--family,dense,--spectrum,\"list%s", options);
        if (printed_ask(p, &l)) judge_least(p, &l, loss);
        json_free(&l);
    }
    arb_clear(loss);
}
