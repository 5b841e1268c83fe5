/* bounds/problem/privacy.c */
#include "no_memory.h"
#include "support.h"

static const struct {
    double rho, delta, zcdp, gauss;
} ROWS[] = {
#include "tables/privacy.inc"
#include "tables/given_privacy.inc"
};

START_TEST(table)
{
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        finf_real x;
        ck_assert_int_eq(finf_epsilon_zcdp(ROWS[i].rho, ROWS[i].delta, &x, NULL), FINF_OK);
        ASSERT_NEAR(x.value, ROWS[i].zcdp, 1e-11, "zCDP epsilon, rho = %g, delta = %g", ROWS[i].rho,
                    ROWS[i].delta);
        ck_assert_msg(fabs(x.value - ROWS[i].zcdp) <= x.error,
                      "zCDP error %.2g at rho = %g, delta = %g", x.error, ROWS[i].rho,
                      ROWS[i].delta);
        ck_assert_int_eq(finf_epsilon_gauss(ROWS[i].rho, ROWS[i].delta, &x, NULL), FINF_OK);
        ASSERT_NEAR(x.value, ROWS[i].gauss, 1e-11, "exact epsilon, rho = %g, delta = %g",
                    ROWS[i].rho, ROWS[i].delta);
        ck_assert_msg(fabs(x.value - ROWS[i].gauss) <= x.error,
                      "exact error %.2g at rho = %g, delta = %g", x.error, ROWS[i].rho,
                      ROWS[i].delta);
    }
}
END_TEST

/* There and back in all three directions; exact <= zCDP; epsilon grows with rho and falls with
 * delta. */
START_TEST(both_directions)
{
    rng r = {17};
    for (int i = 0; i < 300; i++) {
        double rho = log_uniform(&r, 1e-4, 1e3), delta = log_uniform(&r, 1e-30, 1e-2);
        finf_real z, g, x, more;
        finf_epsilon_zcdp(rho, delta, &z, NULL);
        finf_epsilon_gauss(rho, delta, &g, NULL);
        ck_assert_msg(g.value <= z.value * (1 + 1e-12), "seed 17, case %d: exact %g above zCDP %g",
                      i, g.value, z.value);
        finf_epsilon_gauss(1.1 * rho, delta, &more, NULL);
        ck_assert_double_ge(more.value, g.value);
        finf_epsilon_zcdp(rho, 1.1 * delta, &more, NULL);
        ck_assert_double_le(more.value, z.value);
        if (g.value <= 0 || z.value <= 0) continue;
        ck_assert_int_eq(finf_rho_gauss(g.value, delta, &x, NULL), FINF_OK);
        ASSERT_NEAR(x.value, rho, 1e-9, "rho back from the exact epsilon, case %d", i);
        ck_assert_int_eq(finf_rho_zcdp(z.value, delta, &x, NULL), FINF_OK);
        ASSERT_NEAR(x.value, rho, 1e-9, "rho back from zCDP's epsilon, case %d", i);
        ck_assert_int_eq(finf_delta_gauss(rho, g.value, &x, NULL), FINF_OK);
        ASSERT_NEAR(x.value, delta, 1e-9, "delta back, case %d", i);
        ck_assert_int_eq(finf_delta_zcdp(rho, z.value, &x, NULL), FINF_OK);
        ASSERT_NEAR(x.value, delta, 1e-9, "delta back from zCDP, case %d", i);
    }
}
END_TEST

/* delta from far below 1 to its last digit, by mpmath: the exact one as the difference of two Phi,
 * with 60 digits. */
static const struct {
    double rho, epsilon, gauss, zcdp;
} DELTAS[] = {
    {100, 60.5, 0.9966837927676623283112, 0.9999999999999999929956},
    {400, 190.25, 0.9999999999999177348561, 1},
    {1000, 700, 0.999999999988373882796, 1},
    {3.7, 0, 0.8262166056400859519756, 0.9772402075411857496016},
    {1e6, 995000, 0.9997959780556545265341, 1},
    {50, 50, 0.4604933058986139970555, 0.9123424769640131763116},
    {0.02, 0.7, 0.00001652391146533669352599, 0.00006252426226084423854999},
    {1e20, 1e20, 0.4999999999717905208226, 1},
    {1e-20, 1e-8, 0, 0},
    {2e4, 1.9e4, 0.9999997057244259703266, 1},
    {30, 4, 0.9992951248311964745498, 0.9999999999948909109727},
};

START_TEST(deltas)
{
    for (size_t i = 0; i < COUNT(DELTAS); i++) {
        finf_real x;
        ck_assert_int_eq(finf_delta_gauss(DELTAS[i].rho, DELTAS[i].epsilon, &x, NULL), FINF_OK);
        ASSERT_REAL(x, DELTAS[i].gauss, 1e-14, 1e-12, "exact delta %zu", i);
        ck_assert_int_eq(finf_delta_zcdp(DELTAS[i].rho, DELTAS[i].epsilon, &x, NULL), FINF_OK);
        ASSERT_REAL(x, DELTAS[i].zcdp, 1e-14, 1e-12, "zCDP's delta %zu", i);
    }
    finf_real x; /* far out, where 1 - xR once was a difference of rounded ones */
    ck_assert_int_eq(finf_delta_gauss(1e-30, 1e30, &x, NULL), FINF_OK);
    ck_assert(x.value == 0 && x.error > 0);
    /* delta one unit below 1: rho is known as well as elsewhere */
    ck_assert_int_eq(finf_rho_gauss(1, 1 - 0x1p-53, &x, NULL), FINF_OK);
    ck_assert_double_le(x.error, 1e-12 * x.value);
}
END_TEST

/* No memory is no epsilon of 0: nothing here needs any. */
START_TEST(without_memory)
{
    finf_real with[6], without[6];
    for (int pass = 0; pass < 2; pass++) {
        finf_real *x = pass ? without : with;
        finf_status s[6];
        allocations_left = pass ? 1 : -1;
        s[0] = finf_epsilon_zcdp(0.3, 1e-6, &x[0], NULL);
        s[1] = finf_epsilon_gauss(0.3, 1e-6, &x[1], NULL);
        s[2] = finf_delta_zcdp(0.3, 2, &x[2], NULL);
        s[3] = finf_delta_gauss(0.3, 2, &x[3], NULL);
        s[4] = finf_rho_zcdp(2, 1e-6, &x[4], NULL);
        s[5] = finf_rho_gauss(2, 1e-6, &x[5], NULL);
        allocations_left = -1;
        for (int i = 0; i < 6; i++) ck_assert_int_eq(s[i], FINF_OK);
    }
    for (int i = 0; i < 6; i++) ck_assert_msg(with[i].value == without[i].value, "function %d", i);
}
END_TEST

START_TEST(refused)
{
    finf_real x;
    const double bad[] = {0, -1, NAN, INFINITY};
    for (size_t i = 0; i < COUNT(bad); i++) {
        ck_assert_int_eq(finf_epsilon_zcdp(bad[i], 1e-5, &x, NULL), FINF_EDOM);
        ck_assert_int_eq(finf_epsilon_gauss(bad[i], 1e-5, &x, NULL), FINF_EDOM);
        ck_assert_int_eq(finf_epsilon_gauss(1, bad[i], &x, NULL), FINF_EDOM);
        ck_assert_int_eq(finf_epsilon_zcdp(1, i ? bad[i] : 1, &x, NULL), FINF_EDOM);
        ck_assert_int_eq(finf_rho_gauss(1, bad[i], &x, NULL), FINF_EDOM);
        ck_assert_int_eq(finf_rho_zcdp(i ? bad[i] : -2, 1e-5, &x, NULL), FINF_EDOM);
        ck_assert_int_eq(finf_delta_gauss(bad[i], 1, &x, NULL), FINF_EDOM);
        ck_assert_int_eq(finf_delta_zcdp(bad[i], 1, &x, NULL), FINF_EDOM);
        ck_assert(isnan(x.value) && isinf(x.error));
    }
    /* no rho in range: said, not aborted */
    ck_assert_int_eq(finf_rho_gauss(0, 1e-300, &x, NULL), FINF_EDOM);
    ck_assert(isnan(x.value) && isinf(x.error));
}
END_TEST

/* Each refusal names the value, and nothing else does: one line for each of the six. */
START_TEST(reasons)
{
    finf_real x;
    finf_reason why[8] = {{""}};
    finf_epsilon_zcdp(-3, 1e-5, &x, &why[0]);
    finf_epsilon_gauss(1, -3, &x, &why[1]);
    finf_delta_zcdp(1, -3, &x, &why[2]);
    finf_delta_gauss(-3, 1, &x, &why[3]);
    finf_rho_zcdp(1, -3, &x, &why[4]);
    finf_rho_gauss(-3, 1e-5, &x, &why[5]);
    for (int i = 0; i < 6; i++)
        ck_assert_msg(strstr(why[i].text, "-3"), "function %d: '%s'", i, why[i].text);
    finf_rho_gauss(0, 1e-300, &x, &why[6]);
    ck_assert_msg(strstr(why[6].text, "1e-300"), "%s", why[6].text);
    finf_epsilon_gauss(1, 1e-5, &x, &why[7]);
    ck_assert(!why[7].text[0]);
}
END_TEST

/* The three multipliers and the variance are one sigma^2 = G^2 gamma^2/(2 rho). */
START_TEST(multipliers)
{
    const double bad[] = {0, -1, 1e-16, 1e16, NAN, INFINITY};
    finf_privacy_setting set = {0.3, 2.5, 0};
    finf_multipliers m = finf_noise_multipliers(&set, (finf_real){1.7, 1e-10, ""});
    finf_real rho;
    ck_assert_int_eq(finf_rho_multiplier(m.over_sensitivity.value, &rho), FINF_OK);
    ASSERT_REAL(rho, 0.3, 1e-15, 1e-15, "rho");
    double over_clip = m.over_clip.value, sigma = m.sigma.value;
    ASSERT_NEAR(over_clip * over_clip, 1.7 / 0.6, 1e-15, "sigma/G");
    ASSERT_NEAR(sigma * sigma, 6.25 * 1.7 / 0.6, 1e-15, "sigma");
    /* what an error of gamma^2 does: half of it, relative, and rounding */
    ASSERT_NEAR(m.sigma.error, sigma * 0.5e-10 / 1.7, 1e-4, "error of sigma");
    ck_assert(fabs(sqrt(6.25 * (1.7 + 1e-10) / 0.6) - sigma) <= m.sigma.error);
    /* and of a rho that was found */
    finf_real found = finf_privacy_widen(m.sigma, (finf_real){0.3, 0.003, ""});
    ck_assert(fabs(sqrt(6.25 * 1.7 / (2 * 0.297)) - sigma) <= found.error);
    ck_assert(found.error < 0.0102 * sigma);
    ck_assert(isinf(finf_privacy_widen(m.sigma, (finf_real){0.3, 0.4, ""}).error));
    ck_assert(isinf(finf_noise_multipliers(NULL, (finf_real){INFINITY, 0, ""}).sigma.value));
    ASSERT_NEAR(finf_noise_variance(&set, 1.7, 3), 3 * sigma * sigma, 1e-15, "variance");
    ASSERT_NEAR(finf_noise_multipliers(NULL, (finf_real){4, 0, ""}).sigma.value, sqrt(2), 1e-15,
                "defaults");
    for (size_t i = 0; i < COUNT(bad); i++) {
        ck_assert_int_eq(finf_rho_multiplier(bad[i], &rho), FINF_EDOM);
        ck_assert(isnan(rho.value) && isinf(rho.error));
    }
}
END_TEST

static TCase *make(void)
{
    TCase *t = tcase_create("privacy");
    tcase_add_test(t, table);
    tcase_add_test(t, both_directions);
    tcase_add_test(t, deltas);
    tcase_add_test(t, without_memory);
    tcase_add_test(t, multipliers);
    tcase_add_test(t, refused);
    tcase_add_test(t, reasons);
    return t;
}

int main(void) { return run_suite("privacy", make); }
