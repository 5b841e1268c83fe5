/* bounds/problem/speed.c, socp/optimize/tune_speed.c: theory 11.6 */
#include "support.h"

static const finf_speed_family FAMILIES[] = {FINF_SPEED_SGD, FINF_SPEED_HEAVY_BALL,
                                             FINF_SPEED_NESTEROV};

/* In one dimension critically damped heavy ball is best, in closed form; sgd is mean estimation. */
START_TEST(one_dimension)
{
    finf_mean_options o = finf_mean_options_default();
    o.privacy.rho = 0.5;
    for (double eps = 0.1; eps > 5e-4; eps /= 10) {
        double R = 1 - eps, part = (1 - R) / (1 + R);
        finf_speed_result ball, sgd;
        finf_mean_result plain;
        finf_noise *noise;
        ck_assert_int_eq(finf_tune_speed_mean(FINF_SPEED_HEAVY_BALL, FINF_SPEED_BEST, R, &o, &ball),
                         FINF_OK);
        ASSERT_NEAR(ball.F.value, part * part / 2, 1e-9, "F_best at R = %g", R);
        ck_assert(fabs(ball.F.value - part * part / 2) <= ball.F.error + 1e-9 * ball.F.value);
        ASSERT_REAL(ball.momentum, R * R, 1e-6, 1e-5, "momentum at R = %g", R);
        ck_assert_int_eq(finf_tune_speed_mean(FINF_SPEED_SGD, FINF_SPEED_BEST, R, &o, &sgd),
                         FINF_OK);
        ck_assert_int_eq(finf_noise_sgd(&noise), FINF_OK);
        ck_assert_int_eq(finf_mean(noise, eps, &o, &plain), FINF_OK);
        ASSERT_NEAR(sgd.F.value, plain.F_optimal.value, 1e-12, "sgd at R = %g", R);
        ASSERT_NEAR(sgd.eta.value, eps, 1e-12, "its step");
        finf_noise_free(noise);
        finf_speed_result_free(&ball);
        finf_speed_result_free(&sgd);
    }
}
END_TEST

/* The speed is that asked for, and no other momentum of the same speed, of a grid, does better. The
 * steps of the grid are found by bisection on the contraction itself, not by the formula. */
START_TEST(regression)
{
    static const finf_speed_noise NOISES[] = {FINF_SPEED_INDEPENDENT, FINF_SPEED_NU,
                                              FINF_SPEED_BEST};
    static const char *const NAMES[] = {"sgd", "heavy-ball", "nesterov"};
    const double R = 0.998;
    finf_spectrum *s;
    finf_linreg_options o = finf_linreg_options_default();
    ck_assert_int_eq(finf_spectrum_power(1, 32, &s, NULL), FINF_OK);
    double mu = finf_spectrum_min(s);
    for (size_t f = 0; f < 3; f++)
        for (size_t n = 0; n < 3; n++) {
            finf_speed_result r;
            finf_real speed;
            ck_assert_int_eq(finf_tune_speed_linreg(FAMILIES[f], NOISES[n], R, s, &o, &r), FINF_OK);
            ck_assert_int_eq(
                finf_optimizer_contraction(r.optimizer, r.eta.value, mu, 1, &speed, NULL), FINF_OK);
            /* the roots nearly meet, and a double has them to the root of its rounding */
            ck_assert_msg(fabs(speed.value - R) <= fmin(speed.error + 1e-15, 4e-8),
                          "contraction %.12g +- %g", speed.value, speed.error);
            ck_assert(isnan(r.nu.value) == (NOISES[n] != FINF_SPEED_NU));
            for (double part = 0; part < 1; part += 0.19) {
                double m = f == 0 ? 0 : part * (f == 1 ? R * R : R / (2 - R)), lo = 0, hi = 1;
                finf_real nu;
                char text[64];
                finf_optimizer *opt;
                finf_linreg_result x;
                finf_noise *sgd;
                snprintf(text, sizeof text, m > 0 ? "%s:%.17g" : "sgd", NAMES[f], m);
                ck_assert_int_eq(finf_optimizer_parse(text, NULL, 0, &opt, NULL), FINF_OK);
                for (int i = 0; i < 80; i++) { /* the least step that is fast enough */
                    double eta = (lo + hi) / 2;
                    finf_optimizer_contraction(opt, eta, mu, mu, &speed, NULL);
                    *(speed.value > R ? &lo : &hi) = eta;
                }
                finf_linreg_options with = o;
                with.optimizer = opt;
                ck_assert_int_eq(finf_noise_sgd(&sgd), FINF_OK);
                if (NOISES[n] == FINF_SPEED_NU)
                    ck_assert_int_eq(finf_tune_linreg(hi, s, &with, &nu, &x), FINF_OK);
                else
                    ck_assert_int_eq(finf_linreg(sgd, hi, s, &with, &x), FINF_OK);
                double F = NOISES[n] == FINF_SPEED_BEST ? x.optimum.value : x.exact.value;
                ck_assert_msg(r.F.value <= F * (1 + 1e-8), "%s: %.12g, at %g %.12g", text,
                              r.F.value, part, F);
                finf_noise_free(sgd);
                finf_optimizer_free(opt);
            }
            finf_speed_result_free(&r);
        }
    finf_spectrum_free(s);
}
END_TEST

/* Every convex F: below the bound at other momenta, and correlated below independent noise. */
START_TEST(convex)
{
    finf_iqc_options o = finf_iqc_options_default();
    finf_speed_result sgd, ball, independent;
    const double R = 0.999, kappa = 20;
    ck_assert_int_eq(finf_tune_speed_iqc(FINF_SPEED_SGD, FINF_SPEED_NU, R, kappa, &o, &sgd),
                     FINF_OK);
    ck_assert_int_eq(finf_tune_speed_iqc(FINF_SPEED_NESTEROV, FINF_SPEED_NU, R, kappa, &o, &ball),
                     FINF_OK);
    ck_assert_int_eq(finf_tune_speed_iqc(FINF_SPEED_NESTEROV, FINF_SPEED_INDEPENDENT, R, kappa, &o,
                                         &independent),
                     FINF_OK);
    ASSERT_REAL(sgd.eta, (1 - R) * kappa, 1e-15, 1e-14, "the step of sgd");
    ck_assert(ball.F.value < sgd.F.value && ball.F.value < independent.F.value);
    double m = 0.5 * R / (2 - R), eta = (1 - R) * (R - m) / (R - m * (1 - R)) * kappa;
    char text[64];
    finf_iqc_result r;
    finf_real nu;
    finf_optimizer *opt;
    snprintf(text, sizeof text, "nesterov:%.17g", m);
    ck_assert_int_eq(finf_optimizer_parse(text, NULL, 0, &opt, NULL), FINF_OK);
    o.optimizer = opt;
    o.solver = FINF_IQC_NEWTON;
    ck_assert_int_eq(finf_tune_iqc(eta, kappa, &o, &nu, &r), FINF_OK);
    ck_assert(ball.F.value <= r.bound.value * (1 + 1e-7));
    finf_optimizer_free(opt);
    finf_speed_result_free(&sgd);
    finf_speed_result_free(&ball);
    finf_speed_result_free(&independent);
}
END_TEST

/* What is found is proved where that is asked for, and is the same; linear regression proves
 * nothing. */
START_TEST(certified)
{
    NEEDS("Arb");
    finf_iqc_options o = finf_iqc_options_default();
    for (int noise = FINF_SPEED_INDEPENDENT; noise <= FINF_SPEED_BEST; noise++) {
        finf_speed_noise which = (finf_speed_noise)noise;
        finf_speed_result plain, proved;
        o.certify = 0;
        ck_assert_int_eq(finf_tune_speed_iqc(FINF_SPEED_HEAVY_BALL, which, 0.95, 10, &o, &plain),
                         FINF_OK);
        o.certify = 1;
        ck_assert_int_eq(finf_tune_speed_iqc(FINF_SPEED_HEAVY_BALL, which, 0.95, 10, &o, &proved),
                         FINF_OK);
        ck_assert(!plain.certified && isnan(plain.certified_upper) && proved.certified);
        ASSERT_NEAR(proved.F.value, plain.F.value, 1e-9, "%d", noise);
        ck_assert(proved.certified_upper >= proved.F.value - proved.F.error &&
                  proved.certified_upper <= proved.F.value * (1 + 1e-5));
        finf_speed_result_free(&plain);
        finf_speed_result_free(&proved);
    }
    finf_spectrum *s = NULL;
    finf_speed_result r;
    ck_assert_int_eq(finf_spectrum_flat(2, &s, NULL), FINF_OK);
    ck_assert_int_eq(
        finf_tune_speed_linreg(FINF_SPEED_SGD, FINF_SPEED_INDEPENDENT, 0.9, s, NULL, &r), FINF_OK);
    ck_assert(!r.certified && isnan(r.certified_upper));
    finf_speed_result_free(&r);
    finf_spectrum_free(s);
}
END_TEST

/* The best noise of the bound: what finf_optimize finds at that step and momentum, below the best
 * nu at the same speed, and below what it finds at other momenta. For kappa = 1 it is mean
 * estimation's optimum, of which heavy ball's has a closed form (theory 11.6). */
START_TEST(convex_best)
{
    const double kappa = 30;
    for (int family = 0; family < 3; family++)
        for (double R = 0.97; R < 0.9999; R = 1 - (1 - R) / 10) {
            finf_speed_family rule = (finf_speed_family)family;
            finf_speed_result nu, best;
            finf_optimize_options o = finf_optimize_options_default();
            finf_optimize_result found;
            ck_assert_int_eq(finf_tune_speed_iqc(rule, FINF_SPEED_NU, R, kappa, NULL, &nu),
                             FINF_OK);
            ck_assert_int_eq(finf_tune_speed_iqc(rule, FINF_SPEED_BEST, R, kappa, NULL, &best),
                             FINF_OK);
            ck_assert_msg(best.F.value <= nu.F.value * (1 + 1e-6), "%d, R %g: %g, %g", family, R,
                          best.F.value, nu.F.value);
            o.iqc.solver = FINF_IQC_NEWTON;
            o.iqc.optimizer = best.optimizer;
            ck_assert_int_eq(finf_optimize(best.eta.value, kappa, &o, &found), FINF_OK);
            ASSERT_NEAR(best.F.value, found.iqc.bound.value, 1e-9, "%d, R %g", family, R);
            finf_optimize_result_free(&found);
            finf_speed_result_free(&nu);
            finf_speed_result_free(&best);
        }
}
END_TEST

START_TEST(convex_one_curvature)
{
    for (double R = 0.5; R < 0.9999; R = 1 - (1 - R) / 5) {
        finf_speed_result r;
        double q = (1 - R) / (1 + R);
        ck_assert_int_eq(
            finf_tune_speed_iqc(FINF_SPEED_HEAVY_BALL, FINF_SPEED_BEST, R, 1, NULL, &r), FINF_OK);
        ck_assert_msg(r.F.value >= q * q / 4 * (1 - 1e-9) && r.F.value <= q * q / 4 * 1.01,
                      "R %g: %.9g, %.9g", R, r.F.value, q * q / 4);
        finf_speed_result_free(&r);
    }
}
END_TEST

/* No step of sgd is so fast on this spectrum: infinite, with the reason. */
START_TEST(refused)
{
    const double bad[] = {0, 1, -0.5, 1.5, NAN, INFINITY};
    finf_spectrum *s;
    finf_speed_result r;
    ck_assert_int_eq(finf_spectrum_power(1, 100, &s, NULL), FINF_OK);
    for (size_t i = 0; i < COUNT(bad); i++) {
        ck_assert_int_eq(
            finf_tune_speed_linreg(FINF_SPEED_SGD, FINF_SPEED_BEST, bad[i], s, NULL, &r),
            FINF_EDOM);
        ck_assert(isnan(r.F.value) && r.reason.text[0]);
        finf_speed_result_free(&r);
    }
    ck_assert_int_eq(
        finf_tune_speed_linreg((finf_speed_family)7, FINF_SPEED_BEST, 0.9, s, NULL, &r),
        FINF_EUSAGE);
    finf_speed_result_free(&r);
    ck_assert_int_eq(finf_tune_speed_mean(FINF_SPEED_SGD, (finf_speed_noise)7, 0.9, NULL, &r),
                     FINF_EUSAGE);
    finf_speed_result_free(&r);
    ck_assert_int_eq(finf_tune_speed_iqc(FINF_SPEED_SGD, (finf_speed_noise)7, 0.9, 2, NULL, &r),
                     FINF_EUSAGE);
    finf_speed_result_free(&r);
    ck_assert_int_eq(finf_tune_speed_linreg(FINF_SPEED_SGD, FINF_SPEED_BEST, 0.9, s, NULL, &r),
                     FINF_OK);
    ck_assert(isinf(r.F.value) && r.reason.text[0]);
    finf_speed_result_free(&r);
    finf_spectrum_free(s);
}
END_TEST

static TCase *make(void)
{
    TCase *tc = tcase_create("speed");
    tcase_add_test(tc, one_dimension);
    tcase_add_test(tc, regression);
    tcase_add_test(tc, convex);
    tcase_add_test(tc, certified);
    tcase_add_test(tc, convex_best);
    tcase_add_test(tc, convex_one_curvature);
    tcase_add_test(tc, refused);
    return tc;
}

int main(void) { return run_suite("speed", make); }
