/* bounds/privacy.c */
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
        ck_assert_int_eq(finf_epsilon_zcdp(ROWS[i].rho, ROWS[i].delta, &x), FINF_OK);
        ASSERT_NEAR(x.value, ROWS[i].zcdp, 1e-11, "zCDP epsilon, rho = %g, delta = %g", ROWS[i].rho, ROWS[i].delta);
        ck_assert_msg(fabs(x.value - ROWS[i].zcdp) <= x.error, "zCDP error %.2g at rho = %g, delta = %g", x.error,
                      ROWS[i].rho, ROWS[i].delta);
        ck_assert_int_eq(finf_epsilon_gauss(ROWS[i].rho, ROWS[i].delta, &x), FINF_OK);
        ASSERT_NEAR(x.value, ROWS[i].gauss, 1e-11, "exact epsilon, rho = %g, delta = %g", ROWS[i].rho, ROWS[i].delta);
        ck_assert_msg(fabs(x.value - ROWS[i].gauss) <= x.error, "exact error %.2g at rho = %g, delta = %g", x.error,
                      ROWS[i].rho, ROWS[i].delta);
    }
}
END_TEST

/* There and back in all three directions; exact <= zCDP; epsilon grows with rho and falls with delta. */
START_TEST(both_directions)
{
    rng r = {17};
    for (int i = 0; i < 300; i++) {
        double rho = log_uniform(&r, 1e-4, 1e3), delta = log_uniform(&r, 1e-30, 1e-2);
        finf_real z, g, x, more;
        finf_epsilon_zcdp(rho, delta, &z);
        finf_epsilon_gauss(rho, delta, &g);
        ck_assert_msg(g.value <= z.value * (1 + 1e-12), "seed 17, case %d: exact %g above zCDP %g", i, g.value, z.value);
        finf_epsilon_gauss(1.1 * rho, delta, &more);
        ck_assert_double_ge(more.value, g.value);
        finf_epsilon_zcdp(rho, 1.1 * delta, &more);
        ck_assert_double_le(more.value, z.value);
        if (g.value <= 0 || z.value <= 0) continue;
        ck_assert_int_eq(finf_rho_gauss(g.value, delta, &x), FINF_OK);
        ASSERT_NEAR(x.value, rho, 1e-9, "rho back from the exact epsilon, case %d", i);
        ck_assert_int_eq(finf_rho_zcdp(z.value, delta, &x), FINF_OK);
        ASSERT_NEAR(x.value, rho, 1e-9, "rho back from zCDP's epsilon, case %d", i);
        ck_assert_int_eq(finf_delta_gauss(rho, g.value, &x), FINF_OK);
        ASSERT_NEAR(x.value, delta, 1e-9, "delta back, case %d", i);
        ck_assert_int_eq(finf_delta_zcdp(rho, z.value, &x), FINF_OK);
        ASSERT_NEAR(x.value, delta, 1e-9, "delta back from zCDP, case %d", i);
    }
}
END_TEST

START_TEST(refused)
{
    finf_real x;
    const double bad[] = {0, -1, NAN, INFINITY};
    for (size_t i = 0; i < COUNT(bad); i++) {
        ck_assert_int_eq(finf_epsilon_zcdp(bad[i], 1e-5, &x), FINF_EDOM);
        ck_assert_int_eq(finf_epsilon_gauss(bad[i], 1e-5, &x), FINF_EDOM);
        ck_assert_int_eq(finf_epsilon_gauss(1, bad[i], &x), FINF_EDOM);
        ck_assert_int_eq(finf_epsilon_zcdp(1, i ? bad[i] : 1, &x), FINF_EDOM);
        ck_assert_int_eq(finf_rho_gauss(1, bad[i], &x), FINF_EDOM);
        ck_assert_int_eq(finf_rho_zcdp(i ? bad[i] : -2, 1e-5, &x), FINF_EDOM);
        ck_assert_int_eq(finf_delta_gauss(bad[i], 1, &x), FINF_EDOM);
        ck_assert_int_eq(finf_delta_zcdp(bad[i], 1, &x), FINF_EDOM);
        ck_assert(isnan(x.value) && isinf(x.error));
    }
    ck_assert_int_eq(finf_rho_gauss(0, 1e-300, &x), FINF_EDOM); /* no rho in range: said, not aborted */
}
END_TEST

static TCase *make(void)
{
    TCase *t = tcase_create("privacy");
    tcase_add_test(t, table);
    tcase_add_test(t, both_directions);
    tcase_add_test(t, refused);
    return t;
}

int main(void) { return run_suite("privacy", make); }
