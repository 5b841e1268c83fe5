/* The bound for strongly convex F from the multipliers kept, and what stands below it. (theory 7)
 */
#include "bound.h"
#include "certify.h"
/* after the room's own header, which names fewer bits */
#include "honesty.h"

/* ---- the bound: the integral of the certificate, to more digits
 * ------------------------------------- */

typedef struct {
    ball_form form;
    acb_ptr part;
    const reference *r;
} context;

static int psi(acb_ptr out, const acb_t w, void *data, slong order, slong prec)
{
    context *c = data;
    acb_ptr p = c->part;
    if (order > 1) return 1;
    ball_form_at(&c->form, w, order != 0, p);
    if (!(acb_rel_accuracy_bits(p + BALL_A) > 1)) ball_form_refine(&c->form, w, p);
    acb_mul(out, p + BALL_M, p + BALL_MC, prec);
    acb_div(out, out, p + BALL_A, prec);
    acb_add(out, out, p + BALL_K, prec);
    acb_div(out, out, p + BALL_D, prec);
    return 0;
}

/* What Stein's columns cost, also of noise for which the certificate has no beta; 0: not known. */
static int stein_cost(const context *c, arb_t out)
{
    size_t n = socp_stein_length(c->form.b);
    if (ball_stein_cost(&c->form, out)) return 1;
    arb_ptr beta = _arb_vec_init((slong)n + 1);
    int ok = reference_by_strategy(c->r, n, beta, beta + n) &&
             ball_stein_cost_of(&c->form, beta, beta + n, out);
    _arb_vec_clear(beta, (slong)n + 1);
    return ok;
}

/* (1/pi) int psi, and what Stein's columns cost; not finite where it could not be enclosed. */
static void enclose(arb_t out, context *c, const socp_grid *g)
{
    acb_t lo, hi, part, sum;
    mag_t tol;
    acb_calc_integrate_opt_t opt;
    acb_init(lo);
    acb_init(hi);
    acb_init(part);
    acb_init(sum);
    mag_init(tol);
    acb_calc_integrate_opt_init(opt);
    opt->deg_limit = 60;
    opt->eval_limit = 4000;
    for (size_t i = 1; i <= g->panels; i++) {
        acb_set_d(hi, g->edge[i]);
        if (i == g->panels) acb_const_pi(hi, PREC);
        acb_calc_integrate(part, psi, c, lo, hi, 44, tol, opt, PREC);
        acb_add(sum, sum, part, PREC);
        acb_set(lo, hi);
    }
    acb_const_pi(part, PREC);
    acb_div(sum, sum, part, PREC);
    arb_set(out, acb_realref(sum));
    acb_zero(part);
    if (c->form.b->ns > 0) {
        if (stein_cost(c, acb_realref(part)))
            arb_add(out, out, acb_realref(part), PREC);
        else
            arb_indeterminate(out);
    }
    acb_clear(lo);
    acb_clear(hi);
    acb_clear(part);
    acb_clear(sum);
    mag_clear(tol);
}

void judge_bound(point *p, const char *key, const reference *r, double eta, double kappa,
                 const finf_iqc_options *o, const finf_real *claim, arb_t truth)
{
    finf_iqc_result q;
    socp_multipliers kept = {0};
    context c = {.part = _acb_vec_init(BALL_PARTS), .r = r};
    socp_grid grid;
    arb_t gamma2;
    arb_init(gamma2);
    arb_indeterminate(truth);
    finf_status s = socp_iqc(r->noise, eta, kappa, o, &q, &kept);
    if (!s && isfinite(q.bound.value) && kept.x) {
        socp_setting set = socp_setting_make(eta, kappa, 1, o->optimizer);
        socp_model mo = socp_setting_model(&set, socp_is_dist(o->bound));
        size_t lags = socp_model_lags(&mo, r->noise, socp_is_causal(o->bound));
        if (!socp_model_grid(&mo, r->noise, lags, 0, &grid)) {
            c.form = (ball_form){.noise = r->noise, .x = kept.x, .b = &kept.basis};
            c.form.y = kept.x + socp_basis_signed(&kept.basis);
            ball_form_make(&c.form, &mo, kappa);
            enclose(truth, &c, &grid);
            reference_gamma2(gamma2, r);
            arb_mul(truth, truth, gamma2, BITS);
            arb_set_d(gamma2, 2 * o->privacy.rho);
            arb_div(truth, truth, gamma2, BITS);
            judge(p, key, claim ? *claim : q.bound, truth);
            ball_form_clear(&c.form);
            socp_grid_free(&grid);
        }
    }
    socp_basis_free(&kept.basis);
    free(kept.x);
    _acb_vec_clear(c.part, BALL_PARTS);
    arb_clear(gamma2);
}

static void bound(point *p, const reference *r, double eta, double kappa, finf_iqc_bound which)
{
    finf_iqc_options o = finf_iqc_options_default();
    o.bound = which;
    o.privacy.rho = 0.5;
    o.solver = FINF_IQC_NEWTON;
    arb_t truth;
    arb_init(truth);
    judge_bound(p, "iqc bound", r, eta, kappa, &o, NULL, truth);
    arb_clear(truth);
}

/* ---- what stands below
 * ------------------------------------------------------------------------------- */

/* gamma^2 (eta/2) T(eta h)/(2 - eta h) at rho = 1/2: no claim of the largest may be below it. */
static void quadratic_at(arb_t out, const reference *r, double eta, double h, const arb_t gamma2)
{
    arb_t t;
    arb_init(t);
    reference_energy(out, r, eta * h); /* of the double next to eta h: some 1e-16 */
    arb_mul(out, out, gamma2, BITS);
    arb_set_d(t, eta);
    arb_mul(out, out, t, BITS);
    arb_mul_2exp_si(out, out, -1);
    arb_set_d(t, eta * h);
    arb_sub_ui(t, t, 2, BITS);
    arb_neg(t, t);
    arb_div(out, out, t, BITS);
    arb_clear(t);
}

/* The largest of a scan: the claim must be the value at its own h, and not below any other. */
static void lower(point *p, const reference *r, double eta, double kappa)
{
    finf_real claim;
    double at;
    arb_t gamma2, truth, other;
    arb_init(gamma2);
    arb_init(truth);
    arb_init(other);
    arb_one(gamma2);
    if (!finf_iqc_quadratic(r->noise, eta, kappa, 1, 0, &claim, &at, NULL)) {
        quadratic_at(truth, r, eta, at, gamma2);
        arb_get_mag(arb_radref(other), truth);
        mag_mul_2exp_si(arb_radref(other), arb_radref(other), -51); /* eta h is rounded */
        mag_add(arb_radref(truth), arb_radref(truth), arb_radref(other));
        for (int i = 0; i <= 8; i++) {
            quadratic_at(other, r, eta, pow(kappa, (i - 8) / 8.0), gamma2);
            if (arb_gt(other, truth)) arb_set(truth, other);
        }
        judge(p, "iqc unit_lower", claim, truth);
    }
    arb_clear(gamma2);
    arb_clear(truth);
    arb_clear(other);
}

/* One curvature: (h/2) mean |A G|^2 |B|^2, or (1/2) of it. */
static void loop_quadratic(arb_t out, loop *l, double h, int dist)
{
    arb_t t;
    arb_init(t);
    l->h = h;
    ball_mean(out, loop_density, l);
    arb_set_d(t, dist ? 1 : h);
    arb_mul(out, out, t, BITS);
    arb_mul_2exp_si(out, out, -1);
    arb_clear(t);
}

void worst_quadratic(arb_t out, loop *l, double kappa, double at, int dist)
{
    arb_t other;
    arb_init(other);
    loop_quadratic(out, l, at, dist);
    for (int i = 0; i <= 8; i++) {
        loop_quadratic(other, l, pow(kappa, (i - 8) / 8.0), dist);
        if (arb_gt(other, out)) arb_set(out, other);
    }
    reference_gamma2(other, l->r);
    arb_mul(out, out, other, BITS);
    arb_clear(other);
}

/* g2 = 1/AGM(1, sqrt(eta (2 - eta))) */
void reference_minimax(arb_t x, double eta)
{
    arb_t t;
    arb_init(t);
    arb_set_d(t, eta);
    arb_sub_ui(x, t, 2, BITS);
    arb_neg(x, x);
    arb_mul(x, x, t, BITS);
    arb_sqrt(x, x, BITS);
    arb_one(t);
    arb_agm(x, t, x, BITS);
    arb_set_d(t, eta);
    arb_div(x, t, x, BITS);
    arb_mul(x, x, x, BITS);
    arb_mul_2exp_si(x, x, -1);
    arb_clear(t);
}

static void minimax(point *p, double eta, double kappa)
{
    finf_privacy_setting set = finf_privacy_setting_default();
    finf_real claim;
    arb_t x;
    arb_init(x);
    set.rho = 0.5;
    reference_minimax(x, eta);
    if (!finf_iqc_minimax(eta, kappa, 0, 1, 1, &set, &claim, NULL))
        judge(p, "iqc minimax", claim, x);
    arb_clear(x);
}

void convex_point(point *p)
{
    reference r;
    finf_sensitivity g;
    double eta = log_uniform(p, 0.01, 1.8), kappa = log_uniform(p, 1.5, 300);
    finf_iqc_bound which = (finf_iqc_bound)whole(p, 5);
    reference_draw(p, &r);
    snprintf(p->what, sizeof p->what, "%s, eta %.17g, kappa %.17g, %s", r.spelled, eta, kappa,
             finf_iqc_bound_name(which));
    if (!finf_noise_sensitivity(r.noise, &g) && g.minimum_phase && isfinite(g.gamma2.value)) {
        bound(p, &r, eta, kappa, which);
        lower(p, &r, eta, kappa);
    }
    minimax(p, eta, kappa);
    reference_free(&r);
}
