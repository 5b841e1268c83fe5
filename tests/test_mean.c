/* bounds/problem/mean.c */
#include "spec.h"
#include "support.h"

static const struct {
    const char *noise;
    double eta, rho, clip, sigma_sgd, gamma2, F, F_optimal, F_sgd;
} ROWS[] = {
#include "tables/mean.inc"
};
static const struct {
    double eta, rho, sigma_sgd, F_sgd, F_optimal, ratio;
} GIVEN[] = {
#include "tables/given_mean.inc"
};

static finf_mean_result mean_of(const char *spec, double eta, finf_privacy_setting set)
{
    finf_noise *noise;
    finf_mean_result r;
    ck_assert_int_eq(noise_named(spec, eta, &noise, NULL), FINF_OK);
    ck_assert_int_eq(finf_mean(noise, eta, &(finf_mean_options){.privacy = set}, &r), FINF_OK);
    finf_noise_free(noise);
    return r;
}

START_TEST(table)
{
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        finf_mean_result r = mean_of(
            ROWS[i].noise, ROWS[i].eta,
            (finf_privacy_setting){ROWS[i].rho, ROWS[i].clip, ROWS[i].sigma_sgd});
        ASSERT_REAL(r.F, ROWS[i].F, 1e-13, 1e-11, "F of %s at eta = %g", ROWS[i].noise,
                    ROWS[i].eta);
        ASSERT_REAL(r.gamma2, ROWS[i].gamma2, 1e-13, 1e-11, "gamma^2 of %s", ROWS[i].noise);
        ASSERT_REAL(r.F_optimal, ROWS[i].F_optimal, 1e-14, 1e-13, "F_optimal at eta = %g",
                    ROWS[i].eta);
        ASSERT_REAL(r.F_sgd, ROWS[i].F_sgd, 1e-14, 1e-13, "F_sgd at eta = %g", ROWS[i].eta);
    }
    for (size_t i = 0; i < COUNT(GIVEN); i++) {
        finf_privacy_setting set = {GIVEN[i].rho, 1, GIVEN[i].sigma_sgd},
                             plain = {GIVEN[i].rho, 1, 0};
        finf_mean_result r = mean_of("nu:paper", GIVEN[i].eta, set),
                         s = mean_of("nu:paper", GIVEN[i].eta, plain);
        ASSERT_REAL(r.F, GIVEN[i].F_optimal, 1e-14, 1e-12, "nu = eta is the optimum, eta = %g",
                    GIVEN[i].eta);
        ASSERT_REAL(r.F_optimal, GIVEN[i].F_optimal, 1e-14, 1e-13, "F_optimal at eta = %g",
                    GIVEN[i].eta);
        ASSERT_REAL(r.F_sgd, GIVEN[i].F_sgd, 1e-14, 1e-13, "F_sgd at eta = %g", GIVEN[i].eta);
        ASSERT_NEAR(s.F_optimal.value / s.F_sgd.value, GIVEN[i].ratio, 1e-14, "ratio at eta = %g",
                    GIVEN[i].eta);
    }
}
END_TEST

/* No noise beats F_optimal; scaling beta changes nothing; F is linear in G^2/rho and sigma_sgd^2.
 */
START_TEST(properties)
{
    rng r = {5};
    for (int i = 0; i < 300; i++) {
        char spec[128], scaled[128];
        double eta = log_uniform(&r, 1e-5, 1.9), x = 2 * uniform(&r) - 1,
               y = (1 - fabs(x)) * (2 * uniform(&r) - 1), G = 1 + uniform(&r);
        snprintf(spec, sizeof spec, "beta:1,%.17g,%.17g", x, y);
        snprintf(scaled, sizeof scaled, "beta:4,%.17g,%.17g", 4 * x, 4 * y);
        finf_mean_result a = mean_of(spec, eta, (finf_privacy_setting){1, 1, 0}),
                         b = mean_of(scaled, eta, (finf_privacy_setting){1, 1, 0});
        finf_mean_result c = mean_of(spec, eta, (finf_privacy_setting){2, G, 0.5});
        ck_assert_msg(a.F.value >= a.F_optimal.value * (1 - 1e-12), "seed 5, case %d", i);
        ASSERT_NEAR(b.F.value, a.F.value, 1e-11, "scaling of beta, case %d", i);
        ASSERT_NEAR(c.F.value, a.F.value * G * G / 2 + 0.125 * eta / (2 - eta), 1e-11,
                    "linearity, case %d", i);
    }
}
END_TEST

/* Errata 4: the one-half is there. Errata 8: the ratio tends to 1, not 0, as eta -> 1. */
START_TEST(errata)
{
    finf_mean_result r = mean_of("sgd", 0.5, (finf_privacy_setting){0.5, 1, 0});
    ASSERT_NEAR(r.F.value, 0.5 * 0.5 / 1.5, 1e-15, "F_sgd with G^2/(2 rho) = 1");
    r = mean_of("nu:paper", 1, (finf_privacy_setting){1, 1, 0});
    ASSERT_NEAR(r.F_optimal.value / r.F_sgd.value, 1, 1e-15, "ratio at eta = 1");
}
END_TEST

START_TEST(divergent_and_refused)
{
    finf_mean_result r = mean_of("sgd", 2, finf_privacy_setting_default());
    ck_assert(isinf(r.F.value) && !r.stable && r.reason.text[0]);
    r = mean_of("cc", 0.1, finf_privacy_setting_default());
    ck_assert(isinf(r.F.value) && r.stable && r.reason.text[0]);
    r = mean_of("strategy:1,-2", 0.1, finf_privacy_setting_default());
    ck_assert(isinf(r.F.value) && r.reason.text[0]);
    finf_noise *noise;
    finf_noise_sgd(&noise);
    const double bad[] = {0, -1, NAN, INFINITY};
    for (size_t i = 0; i < COUNT(bad); i++) {
        finf_privacy_setting rho = {bad[i], 1, 0}, clip = {1, bad[i], 0},
                             sgd = {1, 1, i == 0 ? -1 : bad[i]};
        ck_assert_int_eq(finf_mean(noise, bad[i], NULL, &r), FINF_EDOM);
        ck_assert(isnan(r.F.value) && isinf(r.F.error));
        ck_assert_int_eq(finf_mean(noise, 0.1, &(finf_mean_options){.privacy = rho}, &r),
                         FINF_EDOM);
        ck_assert_int_eq(finf_mean(noise, 0.1, &(finf_mean_options){.privacy = clip}, &r),
                         FINF_EDOM);
        ck_assert_int_eq(finf_mean(noise, 0.1, &(finf_mean_options){.privacy = sgd}, &r),
                         FINF_EDOM);
    }
    finf_noise_free(noise);
}
END_TEST

static TCase *make(void)
{
    TCase *t = tcase_create("mean");
    tcase_add_test(t, table);
    tcase_add_test(t, properties);
    tcase_add_test(t, errata);
    tcase_add_test(t, divergent_and_refused);
    return t;
}

int main(void) { return run_suite("mean", make); }
