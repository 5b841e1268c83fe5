/* The IQC bound with momentum and other linear optimizers (theory 11.4): against values by another
 * method, against closed forms and simulated F, between two solvers, and in ball arithmetic. */
#include "iqc_support.h"
#include "optimizer.h"

static finf_optimizer *optimizer_of(const char *spec, double decay)
{
    finf_optimizer *o;
    finf_reason why;
    ck_assert_msg(finf_optimizer_parse(spec, NULL, decay, &o, &why) == FINF_OK, "%s: %s", spec,
                  why.text);
    return o;
}

/* unit-variance w, L = 1, Newton's method unless `o` says otherwise */
static finf_iqc_result bound_of(const char *optimizer, double eta, double kappa, const char *noise,
                                finf_iqc_options o)
{
    finf_optimizer *p = optimizer_of(optimizer, 0);
    o.optimizer = p;
    finf_iqc_result r = iqc(noise, eta, kappa, o);
    finf_optimizer_free(p);
    return r;
}

/* sharp: a barrier method in the variables of theory 7.2, poles and single lags (numpy); a richer
 * basis may be lower by up to 0.2%. quad: the worst quadratic. */
static const struct {
    const char *optimizer;
    double eta, kappa;
    const char *noise;
    double sharp, quad;
} ROWS[] = {{"heavy-ball:0.2", 0.1, 10, "sgd", 0.0482735, 0.0326087},
            {"heavy-ball:0.5", 0.05, 10, "sgd", 0.0384103, 0.0254237},
            {"heavy-ball:0.5", 0.05, 100, "sgd", 0.0456606, 0.0254237},
            {"heavy-ball:0.5", 0.05, 100, "nu:0.05", 0.00456875, 0.00431276},
            {"heavy-ball:0.8", 0.02, 100, "nu:0.05", 0.00345275, 0.00302362},
            {"nesterov:0.5", 0.05, 100, "sgd", 0.0456392, 0.0254516},
            {"nesterov:0.5", 0.05, 100, "nu:0.05", 0.00534553, 0.00512960},
            {"nesterov:0.8", 0.02, 100, "nu:0.05", 0.00355812, 0.00312351},
            {"nesterov:0.9", 0.01, 100, "nu:0.05", 0.00301411, 0.00232327}};

START_TEST(table)
{
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        finf_iqc_result r = bound_of(ROWS[i].optimizer, ROWS[i].eta, ROWS[i].kappa, ROWS[i].noise,
                                     options(FINF_IQC_SHARP));
        ck_assert_msg(r.unit_bound.value <= ROWS[i].sharp * 1.000002 &&
                          r.unit_bound.value >= ROWS[i].sharp * 0.998,
                      "row %zu: %.9g, %.6g", i, r.unit_bound.value, ROWS[i].sharp);
        ASSERT_NEAR(r.unit_quadratic_lower.value, ROWS[i].quad, 3e-6, "row %zu: quadratic", i);
        ck_assert_double_gt(r.unit_bound.value, r.unit_quadratic_lower.value);
        ck_assert_double_lt(r.bound.error, 1e-10 * r.bound.value);
        ck_assert_double_le(r.minimax_lower.value, r.bound.value);
        ck_assert_double_gt(r.a_min, 0);
    }
}
END_TEST

/* ---- the form, and what must not change --------------------------------------------------------
 */

/* psi of theory 7.2, for gk = -1/P as the optimizer itself computes P, and Lambda of 7.1. */
static double psi_7_2(double complex gk, double mu, int dist, double complex lambda)
{
    double complex P = mu * lambda + conj(lambda);
    double r = creal(lambda), g2 = square(gk);
    double al = 1 / (1 - mu), be = 1 / (2 * (1 - mu)), ga = mu / (2 * (1 - mu));
    double c11 = dist ? 0.5 : -ga + al * creal(gk) - be * g2, c22 = dist ? 0 : -be;
    double complex c12 = dist ? 0 : -al / 2 + be * conj(gk);
    double a = -c11 - (-2 * mu * r + 2 * creal(P * gk) - 2 * r * g2);
    double complex m = -c12 - (-P + 2 * r * conj(gk));
    return square(m) / a + c22 - 2 * r;
}

START_TEST(form)
{
    const char *spec[] = {"heavy-ball:0.9", "nesterov:0.7", "filter:0,1,-0.3,0.1;1,-1.5,0.6,-0.1"};
    rng random = {1};
    for (int i = 0; i < 3000; i++) {
        finf_optimizer *o = optimizer_of(spec[i % 3], 0);
        socp_loop loop;
        double eta = log_uniform(&random, 0.01, 0.5), kappa = log_uniform(&random, 1.5, 100),
               w = log_uniform(&random, 1e-3, FINF_PI), margin;
        int dist = uniform(&random) < 0.5;
        ck_assert(socp_loop_make(o, eta, &loop));
        socp_model mo = socp_model_make(eta, kappa, dist);
        mo.loop = &loop;
        socp_form f;
        socp_form_at(&mo, w, 1, &f);
        double r = log_uniform(&random, 1, 1e3), s = (2 * uniform(&random) - 1) * r;
        double psi = socp_form_psi(&f, r + I * s, 0, &margin);
        double complex lambda = 2 / mo.delta * (r - I * s);
        double other = psi_7_2(-optimizer_p_inverse(o, w) / eta, mo.mu, dist, lambda);
        /* where a > 0 in both sets of variables both are the same maximum; 7.2's terms cancel */
        if (isfinite(psi) && margin > 1e-3 && other > 0)
            ASSERT_NEAR(psi, other, 1e-6, "%s, eta %g, kappa %g, w %g", spec[i % 3], eta, kappa, w);
        finf_optimizer_free(o);
    }
}
END_TEST

START_TEST(form_of_sgd)
{
    rng random = {2};
    finf_optimizer *o = optimizer_of("filter:0,1;1,-1", 0);
    for (int i = 0; i < 1000; i++) {
        double eta = log_uniform(&random, 1e-4, 1.9), kappa = log_uniform(&random, 1, 1e8),
               w = log_uniform(&random, 1e-9, FINF_PI);
        socp_loop loop;
        ck_assert(!socp_loop_make(o, eta, &loop));
        socp_model plain = socp_model_make(eta, kappa, i % 2), with = plain;
        with.loop = &loop;
        socp_form f, g;
        socp_form_at(&plain, w, 0.3 + 0.4 * I, &f);
        socp_form_at(&with, w, 0.3 + 0.4 * I, &g);
        double tol = 1e-13 / (2 - eta);
        ASSERT_NEAR(g.a_r, f.a_r, tol, "a_r, eta %g, kappa %g, w %g", eta, kappa, w);
        ASSERT_NEAR(g.a_s, f.a_s, tol, "a_s");
        ASSERT_NEAR(g.k_r, f.k_r, tol, "k_r");
        ASSERT_NEAR(g.k_0, f.k_0, tol, "k_0");
        ck_assert_double_le(cabs(g.m_s - f.m_s), tol * cabs(f.m_s));
        ck_assert_double_le(cabs(g.m_0 - f.m_0), tol * (cabs(f.m_0) + cabs(f.m_s)));
    }
    finf_optimizer_free(o);
}
END_TEST

/* Momentum 0 is plain sgd; a filter that is plain sgd at another step goes the other way through
 * the code, and comes to the same. */
START_TEST(limits)
{
    static const finf_iqc_bound bounds[] = {FINF_IQC_SHARP, FINF_IQC_FVAL, FINF_IQC_DIST,
                                            FINF_IQC_SHARP_DIST, FINF_IQC_GAUSSIAN};
    for (size_t i = 0; i < COUNT(bounds); i++) {
        finf_iqc_options o = options(bounds[i]);
        o.privacy.sigma_sgd = 0.2;
        finf_iqc_result sgd = iqc("nu:0.05", 0.1, 100, o);
        finf_iqc_result heavy = bound_of("heavy-ball:0", 0.1, 100, "nu:0.05", o),
                        nesterov = bound_of("nesterov:0", 0.1, 100, "nu:0.05", o),
                        filter = bound_of("filter:0,2;1,-1", 0.05, 100, "nu:0.05", o);
        ck_assert(heavy.bound.value == sgd.bound.value && nesterov.bound.value == sgd.bound.value);
        ASSERT_NEAR(filter.bound.value, sgd.bound.value, 2e-5, "%s", NAME[bounds[i]]);
        ASSERT_NEAR(filter.quadratic_lower.value, sgd.quadratic_lower.value, 1e-12, "quadratic");
        /* mixtures begin with single curvatures, of which L is best for F, and an end for dist */
        ck_assert_double_ge(filter.minimax_lower.value, sgd.minimax_lower.value * (1 - 1e-12));
        if (!is_dist(bounds[i]))
            ASSERT_NEAR(filter.minimax_lower.value, sgd.minimax_lower.value, 1e-12, "minimax");
    }
}
END_TEST

/* Momentum 1e-9 is nearly that. */
START_TEST(little_momentum)
{
    finf_iqc_result sgd = iqc("nu:0.05", 0.1, 30, options(FINF_IQC_SHARP));
    finf_iqc_result r = bound_of("nesterov:1e-9", 0.1, 30, "nu:0.05", options(FINF_IQC_SHARP));
    ASSERT_NEAR(r.bound.value, sgd.bound.value, 1e-6, "nesterov:1e-9");
}
END_TEST

/* ---- two solvers, and the proof ----------------------------------------------------------------
 */

START_TEST(solvers)
{
    NEEDS("ECOS");
    for (size_t i = 0; i < COUNT(ROWS); i++)
        for (size_t b = 0; b < COUNT(BOUNDS); b++) {
            finf_optimizer *p = optimizer_of(ROWS[i].optimizer, 0);
            finf_iqc_options o = options(BOUNDS[b]);
            o.optimizer = p;
            both(ROWS[i].noise, ROWS[i].eta, ROWS[i].kappa, o);
            finf_optimizer_free(p);
        }
}
END_TEST

/* Where the slack alone makes no a positive: phase one finds a start for both. */
static const struct {
    const char *optimizer;
    double eta, kappa;
} HARD[] = {{"heavy-ball:0.8", 0.2, 10},  {"heavy-ball:0.9", 0.1, 100},
            {"heavy-ball:0.8", 1, 4},     {"nesterov:0.9", 0.3, 100},
            {"nesterov:0.8", 1, 10},      {"heavy-ball:0.9", 0.5, 100},
            {"nesterov:0.99", 1e-3, 1e3}, {"filter:0,0,1;1,-1", 0.4, 20}};

START_TEST(phase_one)
{
    NEEDS("ECOS");
    for (size_t i = 0; i < COUNT(HARD); i++) {
        finf_optimizer *p = optimizer_of(HARD[i].optimizer, 0);
        finf_iqc_options o = options(FINF_IQC_SHARP);
        o.optimizer = p;
        finf_iqc_result r = both("nu:0.05", HARD[i].eta, HARD[i].kappa, o);
        ck_assert_double_gt(r.bound.value, r.quadratic_lower.value);
        ck_assert_double_gt(r.a_min, 0);
        finf_optimizer_free(p);
    }
}
END_TEST

START_TEST(certified)
{
    NEEDS("Arb");
    const finf_iqc_bound bounds[] = {FINF_IQC_SHARP, FINF_IQC_FVAL, FINF_IQC_DIST,
                                     FINF_IQC_SHARP_DIST, FINF_IQC_GAUSSIAN};
    for (size_t i = 0; i < COUNT(ROWS); i += 2)
        for (size_t b = 0; b < COUNT(bounds); b++) {
            finf_iqc_options o = options(bounds[b]);
            o.certify = 1;
            if (b == 0) o.privacy.sigma_sgd = 0.1;
            finf_iqc_result r = bound_of(ROWS[i].optimizer, ROWS[i].eta, ROWS[i].kappa,
                                         ROWS[i].noise, o);
            ck_assert_msg(r.certified && r.certified_upper >= r.bound.value - r.bound.error &&
                              r.certified_upper <= r.bound.value * (1 + 1e-5),
                          "row %zu, %s: %d, %.9g, %.9g", i, NAME[bounds[b]], r.certified,
                          r.certified_upper, r.bound.value);
        }
    for (size_t i = 0; i < COUNT(HARD); i++) {
        finf_iqc_options o = options(FINF_IQC_SHARP);
        o.certify = 1;
        finf_iqc_result r = bound_of(HARD[i].optimizer, HARD[i].eta, HARD[i].kappa, "nu:0.05", o);
        ck_assert(r.certified && r.certified_upper >= r.bound.value - r.bound.error);
        ck_assert_double_le(r.certified_upper, r.bound.value * (1 + 1e-5));
    }
}
END_TEST

/* ---- lower bounds ------------------------------------------------------------------------------
 */

/* (h/2) mean(|G_h|^2 |B|^2) from the impulse response of G_h B: another method. */
static double quadratic_by_steps(const finf_optimizer *o, double eta, double h, const double *beta,
                                 size_t taps)
{
    enum { STEPS = 20000 };
    static double g[STEPS];
    double sum = 0;
    ck_assert_int_eq(finf_optimizer_response(o, eta, h, STEPS, g, NULL), FINF_OK);
    for (size_t t = 0; t < STEPS; t++) {
        double x = 0;
        for (size_t k = 0; k < taps && k <= t; k++) x += beta[k] * g[t - k];
        sum += x * x;
    }
    return h / 2 * sum;
}

/* The noise has its power where the loop of some h inside [mu, L] resonates. */
START_TEST(worst_quadratic)
{
    const double beta[] = {1, 0.9, 0.4, -0.2, -0.5, -0.4, -0.1};
    const char *noise = "beta:1,0.9,0.4,-0.2,-0.5,-0.4,-0.1";
    finf_optimizer *o = optimizer_of("heavy-ball:0.9", 0);
    for (double eta = 0.1; eta < 2; eta *= 3) {
        double most = 0, at = 0;
        for (int i = 0; i <= 400; i++) {
            double h = pow(20, -i / 400.0), v = quadratic_by_steps(o, eta, h, beta, COUNT(beta));
            if (v > most) {
                most = v;
                at = h;
            }
        }
        finf_noise *n = noise_of(noise, 0);
        finf_iqc_options opt = options(FINF_IQC_SHARP);
        opt.optimizer = o;
        finf_iqc_result r;
        ck_assert_int_eq(finf_iqc(n, eta, 20, &opt, &r), FINF_OK);
        finf_noise_free(n);
        ck_assert_msg(r.unit_quadratic_lower.value >= most * (1 - 1e-12) &&
                          r.unit_quadratic_lower.value <= most * (1 + 1e-3),
                      "eta %g: %.9g, %.9g at %g", eta, r.unit_quadratic_lower.value, most, at);
        double there = quadratic_by_steps(o, eta, r.quadratic_h, beta, COUNT(beta));
        ASSERT_NEAR(r.unit_quadratic_lower.value, there, 1e-8, "eta %g, h %g", eta, r.quadratic_h);
    }
    finf_optimizer_free(o);
}
END_TEST

/* kappa = 1 is a quadratic; white noise has a closed form on it. */
START_TEST(quadratic_limit)
{
    for (double m = 0.1; m < 1; m += 0.4)
        for (double eta = 0.01; eta < 0.5; eta *= 4) {
            char heavy[32], nesterov[32];
            snprintf(heavy, sizeof heavy, "heavy-ball:%.1f", m);
            snprintf(nesterov, sizeof nesterov, "nesterov:%.1f", m);
            double q = eta, f = m * (1 - q);
            double by_heavy = eta * eta * (1 + m) / ((1 - m) * q * (2 * (1 + m) - q)) / 2;
            double by_nesterov = eta * eta *
                                 ((1 + 2 * m + 2 * m * m) * (1 + f) -
                                  2 * m * (1 + m) * (1 + m) * (1 - q)) /
                                 ((1 - f) * q * (2 + 2 * m - (1 + 2 * m) * q)) / 2;
            finf_iqc_options o = options(FINF_IQC_SHARP);
            ASSERT_NEAR(bound_of(heavy, eta, 1, "sgd", o).unit_bound.value, by_heavy, 1e-12, "%s",
                        heavy);
            ASSERT_NEAR(bound_of(nesterov, eta, 1, "sgd", o).unit_bound.value, by_nesterov, 1e-12,
                        "%s", nesterov);
            ASSERT_NEAR(bound_of(heavy, eta, 1 + 1e-7, "sgd", o).unit_bound.value, by_heavy, 1e-6,
                        "%s", heavy);
            ASSERT_NEAR(bound_of(nesterov, eta, 1 + 1e-7, "sgd", o).unit_bound.value, by_nesterov,
                        1e-6, "%s", nesterov);
        }
}
END_TEST

/* Every mixture is below the worst quadratic of every noise, and a single h is one. */
START_TEST(minimax)
{
    const char *noise[] = {"sgd", "nu:0.02", "nu:0.1", "antipgd:0.2", "beta:1,-0.7,0.1"};
    const char *spec[] = {"heavy-ball:0.9", "nesterov:0.8", "heavy-ball:0.5"};
    const double eta[] = {0.01, 0.5, 2};
    for (size_t i = 0; i < COUNT(spec); i++)
        for (size_t e = 0; e < COUNT(eta); e++) {
            finf_optimizer *p = optimizer_of(spec[i], 0);
            double least = INFINITY, lower = 0;
            for (size_t k = 0; k < COUNT(noise) && finf_optimizer_stable(p, eta[e], 1); k++) {
                finf_noise *n = noise_of(noise[k], 0);
                finf_iqc_options o = options(FINF_IQC_FVAL);
                finf_iqc_result r;
                o.optimizer = p;
                ck_assert_int_eq(finf_iqc(n, eta[e], 50, &o, &r), FINF_OK);
                lower = r.minimax_lower.value;
                least = fmin(least, r.quadratic_lower.value);
                finf_noise_free(n);
            }
            ck_assert_double_le(lower, least);
            finf_optimizer_free(p);
        }
}
END_TEST

START_TEST(simulated)
{
    for (size_t i = 0; i < COUNT(ROWS); i += 2) {
        finf_optimizer *p = optimizer_of(ROWS[i].optimizer, 0);
        finf_noise *n = noise_of(ROWS[i].noise, 0);
        for (int kind = 0; kind < 2; kind++) {
            finf_worst_result w;
            ck_assert_int_eq(finf_iqc_simulate(n, ROWS[i].eta, ROWS[i].kappa, 1, p, 0,
                                               (finf_worst_kind)kind, 1, 0.01, NULL, &w),
                             FINF_OK);
            ck_assert_double_le(w.mean - 4 * w.error, ROWS[i].sharp);
            /* the Huber-like one is not far below */
            if (kind == FINF_WORST_HUBER) ck_assert_double_ge(w.mean, 0.85 * ROWS[i].sharp);
        }
        finf_noise_free(n);
        finf_optimizer_free(p);
    }
}
END_TEST

/* On a quadratic what is simulated is known. */
START_TEST(simulated_quadratic)
{
    finf_optimizer *p = optimizer_of("nesterov:0.9", 0), *two = optimizer_of("filter:0,2;1,-1", 0);
    finf_noise *n = noise_of("nu:0.05", 0);
    finf_iqc_result r = bound_of("nesterov:0.9", 0.05, 1, "nu:0.05", options(FINF_IQC_SHARP));
    finf_worst_result w, plain, filter;
    ck_assert_int_eq(finf_iqc_simulate(n, 0.05, 1, 1, p, 0, FINF_WORST_HUBER, 3, 0.005, NULL, &w),
                     FINF_OK);
    ck_assert_double_le(fabs(w.mean - r.unit_bound.value), 4 * w.error);
    finf_iqc_simulate(n, 0.1, 10, 1, NULL, 0.3, FINF_WORST_HUBER, 3, 0.02, NULL, &plain);
    finf_iqc_simulate(n, 0.05, 10, 1, two, 0.3, FINF_WORST_HUBER, 3, 0.02, NULL, &filter);
    ASSERT_NEAR(filter.mean, plain.mean, 1e-4, "the same recursion, written as a filter");
    finf_noise_free(n);
    finf_optimizer_free(p);
    finf_optimizer_free(two);
}
END_TEST

/* ---- two kinds of infinity ---------------------------------------------------------------------
 */

START_TEST(infeasible)
{
    const finf_iqc_bound bounds[] = {FINF_IQC_SHARP, FINF_IQC_DIST, FINF_IQC_GAUSSIAN};
    finf_optimizer *p = optimizer_of("heavy-ball:0.9", 0);
    finf_noise *n = noise_of("nu:0.05", 0);
    for (size_t b = 0; b < COUNT(bounds); b++)
        for (int ecos = 0; ecos <= (socp_ecos_version() != NULL); ecos++) {
            finf_iqc_options o = options(bounds[b]);
            finf_iqc_result r;
            o.optimizer = p;
            o.solver = ecos ? FINF_IQC_ECOS : FINF_IQC_NEWTON;
            o.certify = 1;
            ck_assert_int_eq(finf_iqc(n, 2, 100, &o, &r), FINF_OK);
            ck_assert(isinf(r.bound.value) && isinf(r.unit_bound.value) && !r.certified);
            ck_assert_msg(
                strstr(r.reason.text, "no multiplier of this class proves convergence (general)"),
                "%s", r.reason.text);
            ck_assert_str_eq(r.solver_status, "primal infeasible");
            ck_assert(isfinite(r.quadratic_lower.value) && isfinite(r.minimax_lower.value));
        }
    finf_worst_result w; /* which a simulated F does not contradict */
    ck_assert_int_eq(finf_iqc_simulate(n, 2, 100, 1, p, 0, FINF_WORST_HUBER, 1, 0.05, NULL, &w),
                     FINF_OK);
    ck_assert(isfinite(w.mean));
    finf_real nu;
    finf_iqc_options o = options(FINF_IQC_SHARP);
    finf_iqc_result r;
    o.optimizer = p;
    ck_assert_int_eq(finf_tune_iqc(2, 100, &o, &nu, &r), FINF_OK);
    ck_assert(isinf(r.bound.value) && nu.value == 1);
    finf_optimize_options d = finf_optimize_options_default();
    finf_optimize_result best;
    d.iqc = o;
    ck_assert_int_eq(finf_optimize(2, 100, &d, &best), FINF_OK);
    ck_assert(isinf(best.iqc.bound.value) && isinf(best.bound_sgd.value));
    finf_optimize_result_free(&best);
    finf_noise_free(n);
    finf_optimizer_free(p);
}
END_TEST

START_TEST(unstable)
{
    finf_optimizer *p = optimizer_of("heavy-ball:0.9", 0);
    finf_noise *n = noise_of("nu:0.05", 0);
    finf_iqc_options o = options(FINF_IQC_SHARP);
    finf_iqc_result r;
    finf_worst_result w;
    o.optimizer = p;
    ck_assert_int_eq(finf_iqc(n, 4, 100, &o, &r), FINF_OK);
    ck_assert(isinf(r.bound.value) && isinf(r.quadratic_lower.value) && isinf(r.unit_bound.value));
    ck_assert(isinf(r.minimax_lower.value));
    ck_assert_msg(strstr(r.reason.text, "diverges") && strstr(r.reason.text, "step is 3.8"), "%s",
                  r.reason.text);
    ck_assert(!finf_optimizer_stable(p, 4, r.quadratic_h));
    ck_assert_int_eq(finf_iqc_simulate(n, 4, 100, 1, p, 0, FINF_WORST_HUBER, 1, 0.05, NULL, &w),
                     FINF_OK);
    ck_assert(isinf(w.mean));
    /* just inside, and just outside */
    ck_assert_int_eq(finf_iqc(n, 3.7999, 1, &o, &r), FINF_OK);
    ck_assert(isfinite(r.bound.value));
    ck_assert_int_eq(finf_iqc(n, 3.8001, 1, &o, &r), FINF_OK);
    ck_assert(isinf(r.bound.value));
    finf_noise_free(n);
    finf_optimizer_free(p);
}
END_TEST

/* ---- laws --------------------------------------------------------------------------------------
 */

/* Weight decay V adds to both curvatures; L scales. */
START_TEST(decay_and_scale)
{
    finf_optimizer *with = optimizer_of("nesterov:0.8", 0.3), *sgd = optimizer_of("sgd", 0.3);
    finf_iqc_options o = options(FINF_IQC_SHARP), d = o;
    d.optimizer = with;
    finf_iqc_result r = iqc("nu:0.05", 0.02, 100, d);
    o.smooth = 1.3;
    finf_iqc_result other = bound_of("nesterov:0.8", 0.02, 1.3 / 0.31, "nu:0.05", o);
    ASSERT_NEAR(r.bound.value, other.bound.value, 1e-9, "decay");
    ASSERT_NEAR(r.quadratic_lower.value, other.quadratic_lower.value, 1e-9, "quadratic");
    ASSERT_NEAR(r.minimax_lower.value, other.minimax_lower.value, 1e-9, "minimax");
    ASSERT_NEAR(r.quadratic_h, other.quadratic_h - 0.3, 1e-9, "h is F's");
    d.optimizer = sgd;
    r = iqc("nu:0.05", 0.02, 100, d);
    other = iqc("nu:0.05", 0.02, 1.3 / 0.31, o);
    ASSERT_NEAR(r.bound.value, other.bound.value, 1e-9, "decay, sgd");
    o.smooth = 1;
    r = bound_of("nesterov:0.8", 0.02, 100, "nu:0.05", o);
    o.smooth = 8;
    other = bound_of("nesterov:0.8", 0.02 / 8, 100, "nu:0.05", o);
    ASSERT_NEAR(other.bound.value, r.bound.value / 8, 1e-9, "L");
    finf_optimizer_free(with);
    finf_optimizer_free(sgd);
}
END_TEST

/* More multipliers, or more that is known of w: no larger. */
START_TEST(order)
{
    for (size_t i = 0; i < COUNT(ROWS); i += 3) {
        double v[5], sgd;
        for (int b = 0; b < 5; b++) {
            finf_iqc_options o = options((finf_iqc_bound)b);
            v[b] = bound_of(ROWS[i].optimizer, ROWS[i].eta, ROWS[i].kappa, ROWS[i].noise, o)
                       .bound.value;
        }
        ck_assert_double_le(v[FINF_IQC_GAUSSIAN], v[FINF_IQC_SHARP] * (1 + 1e-7));
        ck_assert_double_le(v[FINF_IQC_SHARP], v[FINF_IQC_FVAL] * (1 + 1e-7));
        ck_assert_double_le(v[FINF_IQC_FVAL], v[FINF_IQC_DIST] * (1 + 1e-7));
        ck_assert_double_le(v[FINF_IQC_SHARP_DIST], v[FINF_IQC_DIST] * (1 + 1e-7));
        finf_iqc_options odd = options(FINF_IQC_FVAL);
        odd.multipliers = FINF_IQC_ODD;
        sgd =
            bound_of(ROWS[i].optimizer, ROWS[i].eta, ROWS[i].kappa, ROWS[i].noise, odd).bound.value;
        ck_assert_double_le(sgd, v[FINF_IQC_FVAL] * (1 + 1e-6));
    }
}
END_TEST

/* ---- the noise ---------------------------------------------------------------------------------
 */

/* eta_eff = 0.1, kappa = 100, rho = 1: the best nu, and DP-SGD (theory 11.4). */
static const struct {
    const char *optimizer;
    double eta, tuned, sgd, optimized;
} BEST[] = {{"sgd", 0.1, 0.0055843189, 0.022844201, 0.0055647},
            {"nesterov:0.5", 0.05, 0.0043988021, 0.022819592, 0.0043478},
            {"nesterov:0.8", 0.02, 0.0029303830, 0.022783947, 0.0024102},
            {"nesterov:0.9", 0.01, 0.0023749574, 0.022750730, 0.0016194}};

START_TEST(best_noise)
{
    for (size_t i = 0; i < COUNT(BEST); i++) {
        finf_optimizer *p = optimizer_of(BEST[i].optimizer, 0);
        finf_optimize_options d = finf_optimize_options_default();
        finf_iqc_result r, near;
        finf_optimize_result best;
        finf_real nu;
        d.iqc.solver = FINF_IQC_NEWTON;
        d.iqc.optimizer = p;
        ck_assert_int_eq(finf_tune_iqc(BEST[i].eta, 100, &d.iqc, &nu, &r), FINF_OK);
        ASSERT_NEAR(r.bound.value, BEST[i].tuned, 1e-6, "%s, tuned", BEST[i].optimizer);
        for (int side = -1; side <= 1; side += 2) {
            finf_noise *n;
            ck_assert_int_eq(finf_noise_nu(nu.value * (1 + 0.05 * side), &n, NULL), FINF_OK);
            ck_assert_int_eq(finf_iqc(n, BEST[i].eta, 100, &d.iqc, &near), FINF_OK);
            ck_assert_double_gt(near.bound.value, r.bound.value);
            finf_noise_free(n);
        }
        ck_assert_int_eq(finf_optimize(BEST[i].eta, 100, &d, &best), FINF_OK);
        ASSERT_NEAR(best.bound_sgd.value, BEST[i].sgd, 1e-6, "%s, DP-SGD", BEST[i].optimizer);
        ASSERT_NEAR(best.bound_nu.value, r.bound.value, 1e-6, "%s, best nu", BEST[i].optimizer);
        ck_assert_double_le(best.iqc.bound.value, BEST[i].optimized * 1.0005);
        ck_assert_double_ge(best.gap.value, 1);
        for (size_t k = 0; k < best.rounds; k++)
            ck_assert_double_le(best.history[k + 1], best.history[k] * (1 + 1e-12));
        finf_optimize_result_free(&best);
        finf_optimizer_free(p);
    }
}
END_TEST

/* What is saved is the bound: (1/pi) int |B|^2 psi by the trapezoid rule on the saved grid. And on
 * a quadratic the best of all noise is the minimax. */
START_TEST(described)
{
    finf_optimizer *p = optimizer_of("nesterov:0.8", 0);
    for (int i = 0; i < 3; i++) {
        finf_optimize_options d = finf_optimize_options_default();
        finf_optimize_result r;
        d.iqc.solver = FINF_IQC_NEWTON;
        d.iqc.bound = i == 2 ? FINF_IQC_FVAL : FINF_IQC_SHARP;
        d.iqc.optimizer = p;
        ck_assert_int_eq(finf_optimize(0.02, i == 0 ? 1 : 100, &d, &r), FINF_OK);
        double sum = 0;
        for (size_t k = 1; k < r.n; k++)
            sum += (r.w[k] - r.w[k - 1]) / FINF_PI *
                   (r.density[k] * r.psi[k] + r.density[k - 1] * r.psi[k - 1]) / 2;
        ASSERT_NEAR(sum, r.iqc.unit_bound.value, 2e-3, "%d", i);
        if (i == 0) ASSERT_NEAR(r.gap.value, 1, 1e-3, "the best noise of a quadratic");
        finf_optimize_result_free(&r);
    }
    finf_optimizer_free(p);
}
END_TEST

static int stop_after(void *left) { return --*(int *)left < 0; }

START_TEST(cancelled)
{
    finf_optimizer *p = optimizer_of("heavy-ball:0.9", 0);
    finf_optimize_options d = finf_optimize_options_default();
    d.iqc.optimizer = p;
    d.iqc.solver = FINF_IQC_NEWTON;
    for (int polls = 0; polls < 300; polls += 23) {
        finf_optimize_result r;
        int left = polls;
        d.iqc.cancel = (finf_cancel){stop_after, &left};
        finf_status st = finf_optimize(0.01, 100, &d, &r);
        ck_assert(st == FINF_ETOL || st == FINF_OK);
        ck_assert(r.noise && r.iqc.bound.value <= r.bound_sgd.value * (1 + 1e-9));
        finf_optimize_result_free(&r);
    }
    finf_optimizer_free(p);
}
END_TEST

static TCase *make(void)
{
    TCase *t = tcase_create("all");
    tcase_add_test(t, table);
    tcase_add_test(t, form);
    tcase_add_test(t, form_of_sgd);
    tcase_add_test(t, limits);
    tcase_add_test(t, little_momentum);
    tcase_add_test(t, solvers);
    tcase_add_test(t, phase_one);
    tcase_add_test(t, certified);
    tcase_add_test(t, worst_quadratic);
    tcase_add_test(t, quadratic_limit);
    tcase_add_test(t, minimax);
    tcase_add_test(t, simulated);
    tcase_add_test(t, simulated_quadratic);
    tcase_add_test(t, infeasible);
    tcase_add_test(t, unstable);
    tcase_add_test(t, decay_and_scale);
    tcase_add_test(t, order);
    tcase_add_test(t, best_noise);
    tcase_add_test(t, described);
    tcase_add_test(t, cancelled);
    return t;
}

int main(void) { return run_suite("iqc_optimizer", make); }
