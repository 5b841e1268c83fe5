/* The IQC bound of an averaged point (theory 11.4): the bound is that of the points, the lower
 * bounds are the average's own, against mean estimation's code and step by step. */
#include "iqc_support.h"
#include "optimizer.h"

static finf_optimizer *averaging(const char *rule, const char *average)
{
    finf_optimizer *o;
    finf_reason why;
    ck_assert_msg(finf_optimizer_parse(rule, average, 0, &o, &why) == FINF_OK, "%s", why.text);
    return o;
}

static const char *const RULES[] = {"sgd", "heavy-ball:0.8", "nesterov:0.9",
                                    "filter:0,1,-0.3;1,-1.5,0.5"};
static const char *const AVERAGES[] = {"ema:0.5", "ema:0.99", "last:2", "last:25", "last:1000"};
static const double ETA[] = {0.1, 0.02, 0.01, 0.03};
static const double KAPPA = 40;

/* On the quadratic of curvature h the value is mean estimation's at the step eta h, over h: G_h
 * depends on eta h alone. finf_mean has its own panels and closed forms. */
static finf_mean_result on_quadratic(const finf_optimizer *o, const finf_noise *n, double eta,
                                     double h, double sigma_sgd)
{
    finf_mean_options m = finf_mean_options_default();
    finf_mean_result r;
    m.privacy.rho = 0.5;
    m.privacy.sigma_sgd = sigma_sgd;
    m.optimizer = o;
    ck_assert_int_eq(finf_mean(n, eta * h, &m, &r), FINF_OK);
    r.F.value /= h;
    r.F_optimal.value /= h;
    return r;
}

/* sigma_sgd enters mean estimation at the step eta h as eta^2 h^2 too: the same scale. */
static void check(const char *rule, double eta, const char *average, const char *noise,
                  double sigma_sgd)
{
    finf_optimizer *o = averaging(rule, average), *points = averaging(rule, NULL);
    finf_iqc_options opt = options(FINF_IQC_SHARP);
    finf_noise *n = noise_of(noise, 0);
    opt.privacy.sigma_sgd = sigma_sgd;
    opt.optimizer = points;
    finf_iqc_result plain = iqc(noise, eta, KAPPA, opt);
    opt.optimizer = o;
    finf_iqc_result r = iqc(noise, eta, KAPPA, opt);
    ASSERT_NEAR(r.bound.value, plain.bound.value, 1e-14, "%s %s: the same bound", rule, average);
    ck_assert_double_le(r.quadratic_lower.value, plain.quadratic_lower.value);
    ck_assert_double_le(r.minimax_lower.value, r.quadratic_lower.value);
    ck_assert_double_lt(r.quadratic_lower.value, r.bound.value);
    finf_mean_result at = on_quadratic(o, n, eta, r.quadratic_h, sigma_sgd);
    double allowed = r.quadratic_lower.error + at.F.error / r.quadratic_h + 1e-9 * at.F.value;
    ck_assert_msg(fabs(r.quadratic_lower.value - at.F.value) <= allowed,
                  "%s %s %s: %.15g +- %.1g, %.15g", rule, average, noise, r.quadratic_lower.value,
                  r.quadratic_lower.error, at.F.value);
    for (double h = 1; h >= 1 / KAPPA; h *= 0.7) {
        at = on_quadratic(o, n, eta, h, sigma_sgd);
        ck_assert_double_le(at.F.value, r.quadratic_lower.value * (1 + 1e-9));
        ck_assert_double_le(at.F_optimal.value, r.minimax_lower.value * (1 + 1e-2));
    }
    at = on_quadratic(o, n, eta, 1, sigma_sgd);
    ck_assert_double_le(at.F_optimal.value, r.minimax_lower.value * (1 + 1e-6));
    finf_noise_free(n);
    finf_optimizer_free(o);
    finf_optimizer_free(points);
}

START_TEST(lower_bounds)
{
    const char *noise[] = {"sgd", "nu:0.05", "antipgd:0.3"};
    for (size_t i = 0; i < COUNT(RULES); i++)
        for (size_t k = 0; k < COUNT(AVERAGES); k++)
            check(RULES[i], ETA[i], AVERAGES[k], noise[(i + k) % COUNT(noise)], k % 2 ? 0.3 : 0);
}
END_TEST

/* (h/2) of the squares of the averaged impulse response to beta, added up. */
START_TEST(by_steps)
{
    enum { STEPS = 6000 };
    static double theta[STEPS], average[STEPS];
    const double beta[] = {1, -0.6, 0.2};
    for (size_t k = 0; k < COUNT(AVERAGES) - 1; k++) {
        finf_optimizer *o = averaging("heavy-ball:0.8", AVERAGES[k]);
        finf_iqc_options opt = options(FINF_IQC_DIST);
        opt.optimizer = o;
        finf_iqc_result r = iqc("beta:1,-0.6,0.2", 0.05, KAPPA, opt);
        double h = r.quadratic_h, sum = 0;
        ck_assert_int_eq(finf_optimizer_response(o, 0.05, h, STEPS, theta, average), FINF_OK);
        for (size_t t = 0; t < STEPS; t++) {
            double x = 0;
            for (size_t s = 0; s < COUNT(beta) && s <= t; s++) x += beta[s] * average[t - s];
            sum += x * x / 2;
        }
        ASSERT_NEAR(r.unit_quadratic_lower.value, sum, 1e-9, "%s, h %g", AVERAGES[k], h);
        finf_optimizer_free(o);
    }
}
END_TEST

/* A quadratic: the average has its exact value, the bound the points'. And without privacy noise.
 */
START_TEST(one_curvature)
{
    finf_optimizer *o = averaging("nesterov:0.5", "ema:0.9"),
                   *points = averaging("nesterov:0.5", NULL);
    finf_noise *n = noise_of("nu:0.1", 0);
    finf_iqc_options opt = options(FINF_IQC_SHARP);
    opt.privacy.sigma_sgd = 0.5;
    for (int k = 0; k < 2; k++) {
        opt.optimizer = o;
        opt.privacy.clip = k ? 0 : 1;
        finf_iqc_result r = iqc("nu:0.1", 0.1, 1, opt);
        finf_mean_result averaged = on_quadratic(o, n, 0.1, 1, 0.5),
                         each = on_quadratic(points, n, 0.1, 1, 0.5);
        double white = 0.25;
        finf_noise *sgd = noise_of("sgd", 0);
        double gain = on_quadratic(o, sgd, 0.1, 1, 0).F.value,
               gain_points = on_quadratic(points, sgd, 0.1, 1, 0).F.value;
        ASSERT_NEAR(r.quadratic_lower.value, k == 0 ? averaged.F.value : white * gain, 1e-9,
                    "lower, %d", k);
        ASSERT_NEAR(r.bound.value, k == 0 ? each.F.value : white * gain_points, 1e-9, "bound, %d",
                    k);
        if (k == 0) ASSERT_NEAR(r.minimax_lower.value, averaged.F_optimal.value, 1e-9, "minimax");
        finf_noise_free(sgd);
    }
    finf_noise_free(n);
    finf_optimizer_free(o);
    finf_optimizer_free(points);
}
END_TEST

/* What is simulated at the average is above its worst quadratic's value or near it, below the
 * bound, and known on a quadratic. */
START_TEST(simulated)
{
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 1; k < 4; k += 2) {
            finf_optimizer *o = averaging(RULES[i], AVERAGES[k]);
            finf_noise *n = noise_of("nu:0.05", 0);
            finf_iqc_options opt = options(FINF_IQC_SHARP);
            opt.optimizer = o;
            finf_iqc_result r = iqc("nu:0.05", ETA[i], KAPPA, opt),
                            one = iqc("nu:0.05", ETA[i], 1, opt);
            finf_worst_result w, q;
            ck_assert_int_eq(
                finf_iqc_simulate(n, ETA[i], KAPPA, 1, o, 0, FINF_WORST_HUBER, 1, 0.01, NULL, &w),
                FINF_OK);
            ck_assert_double_le(w.mean - 4 * w.error, r.unit_bound.value);
            ck_assert_int_eq(
                finf_iqc_simulate(n, ETA[i], 1, 1, o, 0, FINF_WORST_ASYMMETRIC, 2, 0.01, NULL, &q),
                FINF_OK);
            ck_assert_msg(fabs(q.mean - one.unit_quadratic_lower.value) <= 4 * q.error,
                          "%s %s: %g +- %g, %g", RULES[i], AVERAGES[k], q.mean, q.error,
                          one.unit_quadratic_lower.value);
            finf_noise_free(n);
            finf_optimizer_free(o);
        }
}
END_TEST

/* Averages too long for the lower bounds have a bound all the same, and the reason. */
START_TEST(long_average)
{
    finf_optimizer *o = averaging("heavy-ball:0.5", "last:10001");
    finf_iqc_options opt = options(FINF_IQC_SHARP);
    opt.optimizer = o;
    finf_iqc_result r = iqc("nu:0.1", 0.05, 10, opt);
    ck_assert(isfinite(r.bound.value) && isnan(r.quadratic_lower.value));
    ck_assert(isnan(r.minimax_lower.value) && strstr(r.reason.text, "10000"));
    finf_optimizer_free(o);
}
END_TEST

/* The noise and nu that are found do not depend on the average. */
START_TEST(found)
{
    finf_optimizer *o = averaging("nesterov:0.8", "ema:0.9"),
                   *points = averaging("nesterov:0.8", NULL);
    finf_optimize_options d = finf_optimize_options_default();
    finf_optimize_result r[2];
    finf_iqc_result t[2];
    finf_real nu[2];
    d.iqc.solver = FINF_IQC_NEWTON;
    for (int k = 0; k < 2; k++) {
        d.iqc.optimizer = k ? o : points;
        ck_assert_int_eq(finf_optimize(0.02, 20, &d, &r[k]), FINF_OK);
        ck_assert_int_eq(finf_tune_iqc(0.02, 20, &d.iqc, &nu[k], &t[k]), FINF_OK);
    }
    ASSERT_NEAR(r[1].iqc.bound.value, r[0].iqc.bound.value, 1e-6, "optimize");
    ASSERT_NEAR(t[1].bound.value, t[0].bound.value, 1e-12, "tune");
    ASSERT_NEAR(nu[1].value, nu[0].value, 1e-12, "nu");
    ck_assert_double_lt(r[1].minimax_lower.value, r[0].minimax_lower.value);
    ck_assert_double_le(r[1].minimax_lower.value, r[1].iqc.quadratic_lower.value);
    ck_assert_double_lt(r[1].iqc.quadratic_lower.value, r[1].iqc.bound.value);
    for (int k = 0; k < 2; k++) finf_optimize_result_free(&r[k]);
    finf_optimizer_free(o);
    finf_optimizer_free(points);
}
END_TEST

static TCase *make(void)
{
    TCase *t = tcase_create("all");
    tcase_add_test(t, lower_bounds);
    tcase_add_test(t, by_steps);
    tcase_add_test(t, one_curvature);
    tcase_add_test(t, simulated);
    tcase_add_test(t, long_average);
    tcase_add_test(t, found);
    return t;
}

int main(void) { return run_suite("iqc_average", make); }
