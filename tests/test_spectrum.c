/* bounds/problem/spectrum.c, sumrule.c, circle.c: short sums against long ones. */
#include <gsl/gsl_integration.h>
#include <string.h>

#include "bounds.h"
#include "spec.h"
#include "sumrule.h"
#include "support.h"

/* sum f over the measure against the direct sum, f = T(b) of the nu noise, the hardest that is
 * summed */
static double nu_energy(double lambda)
{
    finf_real x;
    finf_ellint_i(1e-4, 0.3 * lambda, &x);
    return 0.3 * lambda * (2 - 0.3 * lambda) * x.value;
}

static double rational(double lambda) { return lambda / (2 - 0.9 * lambda); }

static double over_measure(const finf_spectrum *s, double (*f)(double))
{
    spectral_measure m;
    ck_assert_int_eq(spectral_measure_make(s, 0.25, &m), FINF_OK);
    long double sum = 0;
    for (size_t i = 0; i < m.n; i++) sum += (long double)m.weight[i] * f(m.lambda[i]);
    spectral_measure_free(&m);
    return (double)sum;
}

static double direct(const finf_spectrum *s, double (*f)(double))
{
    double sum = 0, carry = 0; /* Kahan: valgrind has no long double */
    for (double k = 1; k <= finf_spectrum_dim(s); k++) {
        double term = f(finf_spectrum_at(s, k)) - carry, next = sum + term;
        carry = (next - sum) - term;
        sum = next;
    }
    return sum;
}

START_TEST(analytic_spectra)
{
    const char *const specs[] = {"power:0",   "power:0.3", "power:1",  "power:2",
                                 "power:3.7", "power:12",  "exp:1e-4", "exp:0.003",
                                 "exp:1",     "flat",      "step"};
    const double dims[] = {1, 2, 63, 64, 65, 96, 97, 130, 1000, 54321};
    for (size_t i = 0; i < COUNT(specs); i++)
        for (size_t j = 0; j < COUNT(dims); j++) {
            finf_spectrum *s;
            if (spec_spectrum(specs[i], dims[j], &s, NULL)) continue; /* underflows */
            if (finf_spectrum_min(s) > 1e-40) {
                ASSERT_NEAR(over_measure(s, nu_energy), direct(s, nu_energy), 1e-13,
                            "sum of T over %s, d = %g", specs[i], dims[j]);
                ASSERT_NEAR(over_measure(s, rational), direct(s, rational), 1e-13,
                            "rational sum over %s, d = %g", specs[i], dims[j]);
            }
            finf_spectrum_free(s);
        }
}
END_TEST

/* d = 10^7 against the direct sum: 1e-10 is asked, 1e-13 is reached; and the cost does not depend
 * on d. */
START_TEST(ten_million)
{
    finf_spectrum *s;
    spectral_measure m;
    finf_spectrum_power(1, 1e7, &s, NULL);
    ASSERT_NEAR(over_measure(s, rational), direct(s, rational), 1e-13, "d = 1e7");
    ASSERT_NEAR(finf_spectrum_trace(s), log(1e7) + 0.57721566490153286 + 0.5e-7, 1e-13,
                "harmonic number");
    finf_spectrum_free(s);
    finf_spectrum_power(1, 1e15, &s, NULL);
    ck_assert_int_eq(spectral_measure_make(s, 1, &m), FINF_OK);
    ck_assert_uint_lt(m.n, 1000);
    double count = 0;
    for (size_t i = 0; i < m.n; i++) count += m.weight[i];
    ASSERT_NEAR(count, 1e15, 1e-14, "number of eigenvalues");
    spectral_measure_free(&m);
    finf_spectrum_free(s);
}
END_TEST

START_TEST(lists)
{
    size_t n = 200000;
    double *x = malloc(n * sizeof *x);
    rng r = {3};
    for (int kind = 0; kind < 3; kind++) {
        for (size_t i = 0; i < n; i++) /* wide; narrow; with repeats */
            x[i] = kind == 0   ? log_uniform(&r, 1e-12, 1)
                   : kind == 1 ? 0.1 + 1e-3 * uniform(&r)
                               : 1 / (1 + floor(100 * uniform(&r)));
        finf_spectrum *s;
        ck_assert_int_eq(finf_spectrum_list(x, n, &s, NULL), FINF_OK);
        ASSERT_NEAR(over_measure(s, rational), direct(s, rational), 1e-13, "list %d", kind);
        ASSERT_NEAR(over_measure(s, nu_energy), direct(s, nu_energy), 1e-13, "list %d", kind);
        finf_spectrum_normalize(s);
        ck_assert_double_eq(finf_spectrum_max(s), 1);
        ASSERT_NEAR(over_measure(s, rational), direct(s, rational), 1e-13, "normalised list %d",
                    kind);
        finf_spectrum_free(s);
    }
    free(x);
}
END_TEST

/* The Gauss rule of a sum is exact for polynomials of degree 31. */
START_TEST(gauss_for_sums)
{
    const double sizes[] = {33, 100, 1e4};
    for (size_t j = 0; j < COUNT(sizes); j++) {
        double N = sizes[j], node[SUMRULE], weight[SUMRULE];
        ck_assert(sumrule_gauss(N, node, weight));
        for (int degree = 0; degree <= 31; degree++) {
            long double sum = 0, rule = 0;
            for (double k = 0; k < N; k++) sum += powl(2 * (long double)k / (N - 1) - 1, degree);
            for (int i = 0; i < SUMRULE; i++)
                rule += weight[i] * powl(2 * (long double)node[i] / (N - 1) - 1, degree);
            ck_assert_msg(fabsl(sum - rule) < 1e-13 * N, "N = %g, degree %d", N, degree);
        }
    }
}
END_TEST

/* circle_mean, circle_means against closed forms and against GSL, from smooth to peaked. */
static double poisson(double t, void *b) { return 1 / circle_gap_t(*(double *)b, t); }
static double one(double t, void *ctx) { return (void)t, (void)ctx, 1; }
static double rough(double t, void *ctx)
{
    (void)ctx;
    return exp(cos(40 * 2 * atan(t))); /* needs a finer step than the usual */
}

START_TEST(means_over_the_circle)
{
    finf_real x;
    for (double b = 1; b > 1e-14; b /= 7) {
        ck_assert_int_eq(circle_mean(poisson, &b, b, 2 - b, &x), FINF_OK);
        ASSERT_REAL(x, 1 / (b * (2 - b)), 1e-14, 1e-13, "Poisson kernel at b = %g", b);
    }
    double b[CIRCLE_MANY];
    finf_real many[CIRCLE_MANY];
    for (int j = 0; j < CIRCLE_MANY; j++) b[j] = j % 2 ? pow(0.5, j) : 2 - pow(0.7, j);
    ck_assert_int_eq(circle_means(one, NULL, 1, 1, b, CIRCLE_MANY, many), FINF_OK);
    for (int j = 0; j < CIRCLE_MANY; j++)
        ASSERT_REAL(many[j], 1 / (b[j] * (2 - b[j])), 1e-14, 1e-13,
                    "Poisson kernel at b = %g, one of many", b[j]);
    ck_assert_int_eq(circle_mean(rough, NULL, 1, 1, &x), FINF_OK);
    ASSERT_REAL(x, 1.2660658777520083356, 1e-13, 1e-12, "I_0(1)");
}
END_TEST

static double wall(double t, void *ctx) { return t < *(double *)ctx ? 1 : 0; }

START_TEST(not_settled)
{
    finf_real x;
    double at = 0.7;
    /* a jump is not analytic: said, not hidden */
    ck_assert_int_eq(circle_mean(wall, &at, 1, 1, &x), FINF_ETOL);
    ck_assert_double_le(fabs(x.value - 2 * atan(at) / M_PI), 10 * x.error);
}
END_TEST

START_TEST(refused)
{
    finf_spectrum *s;
    finf_reason why = {""};
    const double bad[] = {0, -1, 1.5, NAN, INFINITY, 1e16};
    for (size_t i = 0; i < COUNT(bad); i++) {
        ck_assert_int_eq(finf_spectrum_power(1, bad[i], &s, &why), FINF_EDOM);
        ck_assert(s == NULL && why.text[0]);
        ck_assert_int_eq(finf_spectrum_flat(bad[i], &s, &why), FINF_EDOM);
    }
    ck_assert_int_eq(finf_spectrum_power(-1, 5, &s, &why), FINF_EDOM);
    ck_assert_int_eq(finf_spectrum_exp(NAN, 5, &s, &why), FINF_EDOM);
    ck_assert_int_eq(finf_spectrum_exp(1, 1e6, &s, &why), FINF_EDOM);
    const double zero[] = {0, 0}, negative[] = {1, -2}, nan[] = {NAN};
    ck_assert_int_eq(finf_spectrum_list(zero, 2, &s, &why), FINF_EDOM);
    ck_assert_int_eq(finf_spectrum_list(negative, 2, &s, &why), FINF_EDOM);
    ck_assert_int_eq(finf_spectrum_list(nan, 1, &s, &why), FINF_EDOM);
    ck_assert_int_eq(finf_spectrum_list(zero, 0, &s, &why), FINF_EDOM);
    finf_spectrum_free(NULL);
}
END_TEST

/* Beside 1..d there is no eigenvalue, and a list's end is not read beyond. */
START_TEST(out_of_range)
{
    const char *const specs[] = {"power:1", "exp:0.1", "flat", "step", "list:3,2,1"};
    const double bad[] = {0, 4, 1.5, -1, 1e300, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < COUNT(specs); i++) {
        finf_spectrum *s;
        ck_assert_int_eq(spec_spectrum(specs[i], i == 4 ? NAN : 3, &s, NULL), FINF_OK);
        for (size_t k = 0; k < COUNT(bad); k++)
            ck_assert_msg(isnan(finf_spectrum_at(s, bad[k])), "%s at %g", specs[i], bad[k]);
        ck_assert(finf_spectrum_at(s, 1) == finf_spectrum_max(s) &&
                  finf_spectrum_at(s, 3) == finf_spectrum_min(s));
        finf_spectrum_free(s);
    }
}
END_TEST

static TCase *make(void)
{
    TCase *t = tcase_create("spectrum");
    tcase_add_test(t, analytic_spectra);
    tcase_add_test(t, ten_million);
    tcase_add_test(t, lists);
    tcase_add_test(t, gauss_for_sums);
    tcase_add_test(t, means_over_the_circle);
    tcase_add_test(t, not_settled);
    tcase_add_test(t, refused);
    tcase_add_test(t, out_of_range);
    return t;
}

int main(void) { return run_suite("spectrum", make); }
