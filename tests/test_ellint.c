/* ellint/: every row of the tables, both sides of a = b, honest errors, domain. */
#include <gsl/gsl_integration.h>

#include "support.h"

static const struct {
    double a, b, I, J1;
} ROWS[] = {
#include "tables/ellint_i.inc"
};
static const struct {
    double m1, K, E;
} ROWS_K[] = {
#include "tables/ellint_k.inc"
};
static const struct {
    double p, m1, Pi;
} ROWS_PI[] = {
#include "tables/ellint_pi.inc"
};

START_TEST(integrals_over_the_circle)
{
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        finf_real x;
        double a = ROWS[i].a, b = ROWS[i].b;
        ck_assert_int_eq(finf_ellint_i(a, b, &x), FINF_OK);
        ASSERT_REAL(x, ROWS[i].I, 3e-15, 1e-14, "I(%g,%g)", a, b);
        ck_assert_int_eq(finf_ellint_j1(a, b, &x), FINF_OK);
        ASSERT_REAL(x, ROWS[i].J1, 3e-15, 1e-14, "J1(%g,%g)", a, b);
    }
}
END_TEST

START_TEST(complete_integrals)
{
    finf_real x;
    for (size_t i = 0; i < COUNT(ROWS_K); i++) {
        ck_assert_int_eq(finf_ellint_k(ROWS_K[i].m1, &x), FINF_OK);
        ASSERT_REAL(x, ROWS_K[i].K, 2e-15, 1e-14, "K(m1=%g)", ROWS_K[i].m1);
        ck_assert_int_eq(finf_ellint_e(ROWS_K[i].m1, &x), FINF_OK);
        ASSERT_REAL(x, ROWS_K[i].E, 2e-15, 1e-14, "E(m1=%g)", ROWS_K[i].m1);
    }
    for (size_t i = 0; i < COUNT(ROWS_PI); i++) {
        ck_assert_int_eq(finf_ellint_pi(ROWS_PI[i].p, ROWS_PI[i].m1, &x), FINF_OK);
        ASSERT_REAL(x, ROWS_PI[i].Pi, 3e-15, 1e-14, "Pi(p=%g,m1=%g)", ROWS_PI[i].p, ROWS_PI[i].m1);
    }
}
END_TEST

/* I(a,a) = J0(a); K = pi/(2 AGM(1, sqrt m1)); Legendre's relation K E' + K' E - K K' = pi/2. */
START_TEST(identities)
{
    rng r = {20240601};
    for (int i = 0; i < 2000; i++) {
        finf_real I, J0, K, K1, E, E1, agm;
        double a = log_uniform(&r, 1e-14, 1), k2 = 0.5 + 0.5 * uniform(&r), m1 = 1 - k2;
        finf_ellint_i(a, a, &I);
        finf_ellint_j0(a, &J0);
        ASSERT_NEAR(I.value, J0.value, 4e-15, "I(a,a) at a = %g", a);
        finf_ellint_k(a, &K);
        finf_agm(1, sqrt(a), &agm);
        ASSERT_NEAR(K.value, M_PI / 2 / agm.value, 2e-15, "K against AGM at m1 = %g", a);
        if (m1 <= 0) continue;
        finf_ellint_k(m1, &K);
        finf_ellint_k(k2, &K1);
        finf_ellint_e(m1, &E);
        finf_ellint_e(k2, &E1);
        ASSERT_NEAR(K.value * E1.value + K1.value * E.value - K.value * K1.value, M_PI / 2, 2e-14,
                    "Legendre at m1 = %g", m1);
    }
}
END_TEST

/* GSL's adaptive quadrature, the other method, at easy parameters. */
typedef struct {
    double a, b;
} pair;
static double integrand(double w, void *ctx)
{
    const pair *x = ctx;
    double s = 4 * sin(w / 2) * sin(w / 2);
    return 2 * sqrt(x->a * x->a + (1 - x->a) * s) / (x->b * x->b + (1 - x->b) * s);
}

START_TEST(against_gsl_quadrature)
{
    /* qag may stop at its rounding level; everything else runs under GSL's aborting handler */
    gsl_set_error_handler_off();
    gsl_integration_workspace *w = gsl_integration_workspace_alloc(2000);
    rng r = {7};
    for (int i = 0; i < 60; i++) {
        pair p = {log_uniform(&r, 1e-4, 1), log_uniform(&r, 1e-4, 1)};
        gsl_function f = {integrand, &p};
        double value, error;
        finf_real x;
        gsl_integration_qag(&f, 0, M_PI, 0, 1e-13, 2000, GSL_INTEG_GAUSS61, w, &value, &error);
        finf_ellint_i(p.a, p.b, &x);
        ASSERT_NEAR(x.value, value, 1e-12, "I(%g,%g) by qag", p.a, p.b);
    }
    gsl_integration_workspace_free(w);
}
END_TEST

/* Errata 7: I(a,b) <= C log(8/a) and log(8/b) for a <= b. Errata 3: int dw/(1 + a cos w) =
 * 2pi/sqrt(1-a^2). */
static double cosine(double w, void *a) { return 2 / (1 + *(double *)a * cos(w)); }

START_TEST(errata)
{
    for (double a = 1e-12; a < 1; a *= 10)
        for (double b = a; b < 1; b *= 10) {
            finf_real x;
            finf_ellint_i(a, b, &x);
            ck_assert_double_le(x.value, 4 * log(8 / b));
            ck_assert_double_le(x.value, 4 * log(8 / a));
        }
    gsl_integration_workspace *w = gsl_integration_workspace_alloc(1000);
    double a = 0.9, value, error;
    gsl_function f = {cosine, &a};
    gsl_integration_qag(&f, 0, M_PI, 0, 1e-13, 1000, GSL_INTEG_GAUSS61, w, &value, &error);
    ASSERT_NEAR(value, 2 * M_PI / sqrt(1 - a * a), 1e-12, "errata 3");
    ck_assert_double_gt(fabs(value - 2 * M_PI / (1 - a * a)), 1);
    gsl_integration_workspace_free(w);
}
END_TEST

START_TEST(outside_the_domain)
{
    const double bad[] = {0, -1, NAN, INFINITY, -INFINITY, 1e-60, 2.5};
    for (size_t i = 0; i < COUNT(bad); i++) {
        finf_real x[6];
        ck_assert_int_eq(finf_ellint_i(bad[i], 0.5, &x[0]), FINF_EDOM);
        ck_assert_int_eq(finf_ellint_i(0.5, bad[i], &x[1]), FINF_EDOM);
        ck_assert_int_eq(finf_ellint_j1(bad[i], 0.5, &x[2]), FINF_EDOM);
        ck_assert_int_eq(finf_ellint_j0(bad[i], &x[3]), FINF_EDOM);
        for (int k = 0; k < 4; k++) ck_assert(isnan(x[k].value) && isinf(x[k].error));
        if (bad[i] > 0 && isfinite(bad[i])) continue;
        ck_assert_int_eq(finf_ellint_k(bad[i], &x[0]), FINF_EDOM);
        ck_assert_int_eq(finf_ellint_e(bad[i], &x[1]), FINF_EDOM);
        ck_assert_int_eq(finf_ellint_pi(bad[i], 0.5, &x[2]), FINF_EDOM);
        ck_assert_int_eq(finf_ellint_pi(0.5, bad[i], &x[3]), FINF_EDOM);
        ck_assert_int_eq(finf_agm(bad[i], 1, &x[4]), FINF_EDOM);
        for (int k = 0; k < 5; k++) ck_assert(isnan(x[k].value) && isinf(x[k].error));
    }
}
END_TEST

static TCase *make(void)
{
    TCase *t = tcase_create("ellint");
    tcase_add_test(t, integrals_over_the_circle);
    tcase_add_test(t, complete_integrals);
    tcase_add_test(t, identities);
    tcase_add_test(t, against_gsl_quadrature);
    tcase_add_test(t, errata);
    tcase_add_test(t, outside_the_domain);
    return t;
}

int main(void) { return run_suite("ellint", make); }
