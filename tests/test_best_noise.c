/* bounds/problem/best_noise.c, bounds/noise/coefficient_error.c: the noise with the least F_inf,
 * and how well coefficients are known. (theory 1.2, 1.4, 4, 5.3, 11.2) */
#include "support.h"

static const struct {
    const char *spectrum;
    double eta, kurtosis, gamma2, beta[5];
} ROWS[] = {
#include "tables/best_noise.inc"
};
static const size_t AT[] = {1, 2, 3, 10, 100};

/* Right, honest and useful, of a coefficient whose error was returned. */
#define ASSERT_COEFFICIENT(x, error, ref, ...)                                                     \
    do {                                                                                           \
        char what_[128];                                                                           \
        snprintf(what_, sizeof what_, __VA_ARGS__);                                                \
        ck_assert_msg(fabs((x) - (ref)) <= (error), "%s: %.17g, reference %.17g, error %g", what_, \
                      x, ref, error);                                                              \
        ck_assert_msg((error) < 1e-12, "%s: error %g", what_, error);                              \
    } while (0)

static finf_spectrum *listed(const char *text)
{
    double lambda[8];
    size_t n = 0;
    finf_spectrum *s;
    char *end = (char *)(size_t)text + strlen("list:") - 1;
    do lambda[n++] = strtod(end + 1, &end);
    while (*end == ',');
    ck_assert_int_eq(finf_spectrum_list(lambda, n, &s, NULL), FINF_OK);
    return s;
}

/* Against the roots of the numerator of Hx. */
START_TEST(regression)
{
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        finf_spectrum *s = listed(ROWS[i].spectrum);
        finf_linreg_options o = finf_linreg_options_default();
        finf_noise *noise;
        finf_sensitivity gamma;
        finf_linreg_result r;
        double beta[101], error, c[101], product;
        o.kurtosis = ROWS[i].kurtosis;
        ck_assert_int_eq(finf_linreg_best_noise(ROWS[i].eta, s, &o, &noise, NULL), FINF_OK);
        ck_assert_int_eq(finf_noise_beta_error(noise, 101, beta, &error, NULL), FINF_OK);
        ASSERT_COEFFICIENT(beta[0], error, 1.0, "row %zu, beta_0", i);
        for (size_t k = 0; k < COUNT(AT); k++)
            ASSERT_COEFFICIENT(beta[AT[k]], error, ROWS[i].beta[k], "row %zu, beta_%zu", i, AT[k]);
        ck_assert_int_eq(finf_noise_sensitivity(noise, &gamma), FINF_OK);
        ASSERT_REAL(gamma.gamma2, ROWS[i].gamma2, 1e-13, 1e-11, "gamma2 of row %zu", i);
        ck_assert_int_eq(finf_linreg(noise, ROWS[i].eta, s, &o, &r), FINF_OK);
        ASSERT_NEAR(r.exact.value, r.optimum.value, 1e-12, "F_inf of row %zu", i);
        /* c is 1/beta */
        ck_assert_int_eq(finf_noise_coef_error(noise, 101, c, &error, NULL), FINF_OK);
        for (size_t t = 1; t < 101; t++) {
            product = 0;
            for (size_t k = 0; k <= t; k++) product += beta[k] * c[t - k];
            ck_assert_msg(fabs(product) < 1e-12, "row %zu: (beta c)_%zu = %g", i, t, product);
        }
        finf_noise_free(noise);
        finf_spectrum_free(s);
    }
}
END_TEST

/* Mean estimation with heavy ball: |B|^2 = |1 - (1+m-eta) z + m z^2|, so that B is the root of that
 * polynomial, which is minimum phase. The options and the optimizer are gone when it is used. */
START_TEST(heavy_ball)
{
    static const double ETA[] = {0.01, 0.2, 0.5}, M[] = {0.5, 0.9, 0.3};
    for (size_t i = 0; i < COUNT(ETA); i++) {
        char text[64];
        finf_mean_options o = finf_mean_options_default();
        finf_optimizer *ball;
        finf_noise *noise;
        double beta[200], error, x[200];
        snprintf(text, sizeof text, "heavy-ball:%.17g", M[i]);
        ck_assert_int_eq(finf_optimizer_parse(text, NULL, 0, &ball, NULL), FINF_OK);
        o.optimizer = ball;
        ck_assert_int_eq(finf_mean_best_noise(ETA[i], &o, &noise, NULL), FINF_OK);
        finf_optimizer_free(ball);
        ck_assert_int_eq(finf_noise_beta_error(noise, 200, beta, &error, NULL), FINF_OK);
        /* y = root of a polynomial p: 2 p y' = p' y */
        double p1 = -(1 + M[i] - ETA[i]), p2 = M[i];
        x[0] = 1;
        for (size_t t = 0; t + 1 < 200; t++) {
            double now = (double)t, sum = (0.5 - now) * p1 * x[t];
            if (t > 0) sum += (2 - now) * p2 * x[t - 1];
            x[t + 1] = sum / (now + 1);
        }
        for (size_t t = 0; t < 200; t++)
            ASSERT_COEFFICIENT(beta[t], error, x[t], "%s, eta %g, beta_%zu", text, ETA[i], t);
        finf_noise_free(noise);
    }
}
END_TEST

/* eta mu = 1e-8: no FFT is long enough. It says so, and the error covers how far it is: beta_0
 * is 1. */
START_TEST(too_slow)
{
    finf_spectrum *s = listed("list:1,1e-6");
    finf_noise *noise;
    finf_reason why = {""};
    double beta[3], error;
    ck_assert_int_eq(finf_linreg_best_noise(0.01, s, NULL, &noise, NULL), FINF_OK);
    ck_assert_int_eq(finf_noise_beta_error(noise, 3, beta, &error, &why), FINF_ETOL);
    ck_assert(why.text[0] && isfinite(error) && error > 1e-12);
    ck_assert_msg(fabs(beta[0] - 1) <= error, "beta_0 = %.17g +- %g", beta[0], error);
    finf_noise_free(noise);
    finf_spectrum_free(s);
}
END_TEST

/* Every family: 1/beta and c, which are found in different ways, differ by no more than the errors
 * say; and against long double where a formula is known. */
START_TEST(errors)
{
    static const char *const NOISES[] = {"sgd",
                                         "nu:0.1",
                                         "nu:1e-6",
                                         "power:0.3,0.1",
                                         "antipgd:0.2",
                                         "beta:1,-0.5,0.1",
                                         "strategy:1,0.5,0.3",
                                         "blt:0.9,0.5;0.2,0.1",
                                         "product:0.1,0.5;0.5,0.25",
                                         "bisr:5",
                                         "cc"};
    enum { N = 400 };
    for (size_t i = 0; i < COUNT(NOISES); i++) {
        finf_noise *noise;
        double beta[N], c[N], eb, ec, b1 = 0, c1 = 0;
        ck_assert_int_eq(finf_noise_parse(NOISES[i], &noise, NULL), FINF_OK);
        ck_assert_int_eq(finf_noise_beta_error(noise, N, beta, &eb, NULL), FINF_OK);
        ck_assert_int_eq(finf_noise_coef_error(noise, N, c, &ec, NULL), FINF_OK);
        ck_assert_msg(eb >= 0 && ec >= 0 && eb < 1e-11 && ec < 1e-11, "%s: errors %g, %g",
                      NOISES[i], eb, ec);
        for (size_t t = 0; t < N; t++) {
            b1 += fabs(beta[t]);
            c1 += fabs(c[t]);
        }
        for (size_t t = 0; t < N; t++) {
            long double sum = t == 0 ? -1 : 0;
            for (size_t k = 0; k <= t; k++) sum += (long double)beta[k] * c[t - k];
            ck_assert_msg(fabs((double)sum) <= eb * c1 + ec * b1 + 1e-18 * b1 * c1,
                          "%s: (beta c)_%zu is off by %Lg, errors %g, %g", NOISES[i], t, sum, eb,
                          ec);
        }
        finf_noise_free(noise);
    }
    /* nu = 1/2: beta_t = a_t 2^-t with a_t exact to long double */
    finf_noise *noise;
    double beta[60], error;
    long double x = 1;
    ck_assert_int_eq(finf_noise_nu(0.5, &noise, NULL), FINF_OK);
    ck_assert_int_eq(finf_noise_beta_error(noise, 60, beta, &error, NULL), FINF_OK);
    for (size_t t = 0; t < 60; t++) {
        ck_assert(fabs(beta[t] - (double)x) <= error + 1e-19);
        x *= ((long double)t - 0.5L) / ((long double)t + 1) / 2;
    }
    ck_assert_int_eq(finf_noise_beta_error(noise, 0, beta, &error, NULL), FINF_EDOM);
    ck_assert(isinf(error));
    finf_noise_free(noise);
    /* a product whose beta_1 and c_1 are rounded the same way: their product does not tell */
    double nu = 0.0023802608570340951, r = -0.56268210914434591;
    ck_assert_int_eq(finf_noise_product(&nu, &r, 1, &noise, NULL), FINF_OK);
    ck_assert_int_eq(finf_noise_coef_error(noise, 2, beta, &error, NULL), FINF_OK);
    ck_assert(fabsl(beta[1] - (long double)r * (1 - (long double)nu)) <= error && error < 2e-15);
    finf_noise_free(noise);
}
END_TEST

/* Arithmetic of numbers with errors: every pair of true values at the ends is covered. */
START_TEST(arithmetic)
{
    const finf_real a = {3, 0.1, ""}, b = {-2, 0.3, ""}, x = {0.5, 0.4, ""};
    double ends[] = {-1, 1};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 2; k++) {
            double p = a.value + ends[i] * a.error, q = b.value + ends[k] * b.error;
            ck_assert(fabs(p * q + 6) <= finf_real_times(a, b).error);
            ck_assert(fabs(p / q + 1.5) <= finf_real_over(a, b).error);
            double y = x.value + ends[i] * x.error;
            ck_assert(fabs(sqrt(y) - sqrt(0.5)) <= finf_real_root(x).error);
            ck_assert(fabs(log(y) - log(0.5)) <= finf_real_log(x).error);
        }
    ck_assert(isinf(finf_real_over(a, (finf_real){1, 1, ""}).error));
    ck_assert(isnan(finf_real_over((finf_real){0, 0, ""}, (finf_real){0, 0, ""}).value));
    ck_assert(isinf(finf_real_over((finf_real){INFINITY, 0, ""}, a).value));
    ck_assert(finf_real_over((finf_real){INFINITY, 0, ""}, a).error == 0);
    ck_assert(isnan(finf_real_root((finf_real){-1, 0, ""}).value));
}
END_TEST

static TCase *make(void)
{
    TCase *tc = tcase_create("best_noise");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, regression);
    tcase_add_test(tc, heavy_ball);
    tcase_add_test(tc, too_slow);
    tcase_add_test(tc, errors);
    tcase_add_test(tc, arithmetic);
    return tc;
}

int main(void) { return run_suite("best_noise", make); }
