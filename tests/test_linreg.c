/* bounds/problem/linreg.c */
#include <string.h>

#include "linreg_search.h"
#include "spec.h"
#include "support.h"

static const struct {
    const char *noise, *spectrum;
    double d, eta, rho, clip, sigma_sgd, kurtosis, gamma2, exact, lti, upper, optimum, floor;
} ROWS[] = {
#include "tables/linreg.inc"
};
static const struct {
    const char *noise, *spectrum;
    double d, eta, rho, sigma_sgd, gamma2, exact, lti;
} GIVEN[] = {
#include "tables/given_linreg.inc"
};

static finf_linreg_result linreg(const char *noise_spec, const char *spectrum_spec, double d,
                                 double eta, finf_linreg_options opt)
{
    finf_noise *noise;
    finf_spectrum *s;
    finf_linreg_result r;
    if (strncmp(spectrum_spec, "list:", 5) == 0) d = NAN;
    ck_assert_int_eq(spec_spectrum(spectrum_spec, d, &s, NULL), FINF_OK);
    ck_assert_int_eq(noise_named(noise_spec, eta * finf_spectrum_min(s), &noise, NULL), FINF_OK);
    ck_assert_int_eq(finf_linreg(noise, eta, s, &opt, &r), FINF_OK);
    finf_noise_free(noise);
    finf_spectrum_free(s);
    return r;
}

static finf_linreg_options setting(double rho, double clip, double sigma_sgd, double kurtosis)
{
    return (finf_linreg_options){
        .privacy = {rho, clip, sigma_sgd}, .kurtosis = kurtosis, .optimum = 1};
}

START_TEST(table)
{
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        finf_linreg_result r = linreg(
            ROWS[i].noise, ROWS[i].spectrum, ROWS[i].d, ROWS[i].eta,
            setting(ROWS[i].rho, ROWS[i].clip, ROWS[i].sigma_sgd, ROWS[i].kurtosis));
#define COLUMN(name, ref)                                                                          \
    ASSERT_REAL(r.name, ref, 2e-13, 1e-11, #name " of row %zu: %s over %s, d = %g", i,             \
                ROWS[i].noise, ROWS[i].spectrum, ROWS[i].d)
        COLUMN(gamma2, ROWS[i].gamma2);
        COLUMN(exact, ROWS[i].exact);
        COLUMN(lti, ROWS[i].lti);
        COLUMN(upper, ROWS[i].upper);
        COLUMN(optimum, ROWS[i].optimum);
        ASSERT_REAL(r.floor, ROWS[i].floor, 1e-14, 1e-13, "floor of row %zu", i);
        if (isfinite(ROWS[i].gamma2)) ck_assert_int_eq(r.stable, isfinite(ROWS[i].exact) != 0);
    }
    for (size_t i = 0; i < COUNT(GIVEN); i++) {
        finf_linreg_result r = linreg(GIVEN[i].noise, GIVEN[i].spectrum, GIVEN[i].d, GIVEN[i].eta,
                                      setting(GIVEN[i].rho, 1, GIVEN[i].sigma_sgd, 0));
        ASSERT_REAL(r.exact, GIVEN[i].exact, 1e-13, 1e-11, "given row %zu", i);
        ASSERT_REAL(r.lti, GIVEN[i].lti, 1e-13, 1e-11, "given row %zu", i);
        ASSERT_REAL(r.gamma2, GIVEN[i].gamma2, 1e-14, 1e-12, "given row %zu", i);
    }
}
END_TEST

/* d = 128, lambda = 1/k, eta = .02, rho = 1/2 */
START_TEST(figures_of_the_text)
{
    ASSERT_NEAR(linreg("sgd", "power:1", 128, 0.02, setting(0.5, 1, 0, 0)).exact.value,
                0.6775860656, 1e-10, "sgd");
    ASSERT_NEAR(linreg("nu:paper", "power:1", 128, 0.02, setting(0.5, 1, 0, 0)).exact.value,
                0.0095845815, 4e-9, "nu");
}
END_TEST

static double slope(const double *x, const double *y, int n)
{
    double mx = 0, my = 0, xy = 0, xx = 0;
    for (int i = 0; i < n; i++) {
        mx += log(x[i]) / n;
        my += log(y[i]) / n;
    }
    for (int i = 0; i < n; i++) {
        xy += (log(x[i]) - mx) * (log(y[i]) - my);
        xx += (log(x[i]) - mx) * (log(x[i]) - mx);
    }
    return xy / xx;
}

/* The paper's Figure 2: the exact value reproduces its five slopes, the lti value does not. */
START_TEST(five_slopes)
{
    finf_linreg_options o = setting(0.5, 1, 0, 0);
    double x[10], sgd[10], nu[10], sgd_lti[10], nu_lti[10], spec_a;
    char spec[32];
    for (int i = 0; i < 5; i++) {
        x[i] = 16 << i;
        sgd[i] = linreg("sgd", "power:1", x[i], 0.02, o).exact.value;
    }
    ck_assert_double_eq_tol(slope(x, sgd, 5), 1.009, 5e-4);
    for (int i = 0; i < 7; i++) {
        spec_a = (4 + i) / 10.0;
        snprintf(spec, sizeof spec, "power:%g", spec_a);
        finf_linreg_result a = linreg("sgd", spec, 128, 0.02, o),
                           b = linreg("nu:paper", spec, 128, 0.02, o);
        x[i] = a.d_eff;
        sgd[i] = a.exact.value;
        nu[i] = b.exact.value;
        sgd_lti[i] = a.lti.value;
        nu_lti[i] = b.lti.value;
    }
    ck_assert_double_eq_tol(slope(x, sgd, 7), 0.170, 5e-4);
    ck_assert_double_eq_tol(slope(x, nu, 7), 0.942, 5e-4);
    ck_assert_double_eq_tol(slope(x, sgd_lti, 7), 0.001, 5e-4);
    ck_assert_double_eq_tol(slope(x, nu_lti, 7), 0.774, 5e-4);
    for (int i = 0; i < 10; i++) {
        x[i] = 0.02 * pow(9, i / 9.0);
        sgd[i] = linreg("sgd", "power:1", 128, x[i], o).exact.value;
        nu[i] = linreg("nu:paper", "power:1", 128, x[i], o).exact.value;
    }
    ck_assert_double_eq_tol(slope(x, sgd, 10), 1.278, 5e-4);
    ck_assert_double_eq_tol(slope(x, nu, 10), 2.038, 5e-4);
}
END_TEST

/* The second moment's own recursion (theory 6), run to its limit: the other method for the exact
 * value. */
START_TEST(against_the_recursion)
{
    const char *const specs[] = {"sgd", "antipgd:0.05", "beta:1,-0.6,0.2,-0.1"};
    enum { D = 5, STEPS = 20000 };
    for (size_t c = 0; c < COUNT(specs); c++) {
        finf_noise *noise;
        noise_named(specs[c], NAN, &noise, NULL);
        finf_sensitivity sens;
        finf_noise_sensitivity(noise, &sens);
        double beta[8], eta = 0.1, rho = 0.7, sgd = 0.4, sigma2 = sens.gamma2.value / (2 * rho),
                        s[D] = {0}, u[D] = {0}, Q[D] = {0}, lambda[D], F = 0;
        finf_noise_beta(noise, 8, beta, NULL);
        for (int j = 0; j < D; j++) lambda[j] = 1.0 / (j + 1);
        for (int t = 0; t < STEPS; t++) {
            double trace = 0, bt = t < 8 ? beta[t] : 0;
            for (int i = 0; i < D; i++) trace += lambda[i] * s[i];
            F = trace / 2;
            for (int j = 0; j < D; j++) {
                double b = eta * lambda[j];
                u[j] = (1 - b) * u[j] + bt;
                Q[j] += 2 * bt * u[j] - bt * bt;
                s[j] = (1 - 2 * b + 2 * b * b) * s[j] + eta * b * trace +
                       eta * eta * (sgd * sgd * lambda[j] + sigma2 * Q[j]);
            }
        }
        ASSERT_NEAR(linreg(specs[c], "power:1", D, eta, setting(rho, 1, sgd, 0)).exact.value, F,
                    1e-12, "%s", specs[c]);
        finf_noise_free(noise);
    }
}
END_TEST

/* floor <= lti <= exact <= upper, optimum <= exact, optimum_lti <= lti; H -> cH, eta -> eta/c
 * divides T's weight by c. */
START_TEST(order_and_scaling)
{
    const char *const noises[] = {
        "sgd",         "nu:paper",           "nu:0.2",     "power:0.3,0.01", "antipgd:0.02",
        "beta:1,-0.9", "strategy:1,0.5,0.2", "blt:0.9;0.1"};
    rng r = {9};
    for (int i = 0; i < 300; i++) {
        char spectrum[128], scaled[128];
        double l[4], c = 0.5 + 3 * uniform(&r), kx = i % 3 ? 0 : 4 * uniform(&r) - 2;
        for (int k = 0; k < 4; k++) l[k] = log_uniform(&r, 1e-4, 1);
        snprintf(spectrum, sizeof spectrum, "list:%.17g,%.17g,%.17g,%.17g", l[0], l[1], l[2], l[3]);
        snprintf(scaled, sizeof scaled, "list:%.17g,%.17g,%.17g,%.17g", c * l[0], c * l[1],
                 c * l[2], c * l[3]);
        double eta = log_uniform(&r, 1e-4, 0.1);
        finf_linreg_options o = setting(log_uniform(&r, 0.1, 10), 1, uniform(&r), kx),
                            no_sgd = setting(1, 1, 0, kx);
        const char *noise = noises[i % (int)COUNT(noises)];
        finf_linreg_result x = linreg(noise, spectrum, 4, eta, o);
        double slack = 1 + 1e-12;
        ck_assert_msg(x.floor.value <= x.lti.value * slack &&
                          x.lti.value <= x.exact.value * slack &&
                          x.exact.value <= x.upper.value * slack,
                      "seed 9, case %d: %g %g %g %g", i, x.floor.value, x.lti.value, x.exact.value,
                      x.upper.value);
        ck_assert_msg(x.optimum.value <= x.exact.value * slack &&
                          x.optimum_lti.value <= x.lti.value * slack,
                      "seed 9, case %d", i);
        finf_linreg_result y = linreg(noise, spectrum, 4, eta, no_sgd),
                           z = linreg(noise, scaled, 4, eta / c, no_sgd);
        ASSERT_NEAR(z.exact.value, y.exact.value / c, 1e-11, "scaling, case %d", i);
    }
}
END_TEST

/* The optimum is attained: |B|^2 = Hx^{-1/2} as a density on a grid comes within its interpolation
 * error. */
START_TEST(optimum_is_attained)
{
    enum { D = 16, N = 3000 };
    static double w[N], s[N];
    double eta = 0.05;
    finf_linreg_options o = setting(1, 1, 0, 0);
    finf_spectrum *H;
    finf_linreg_result r;
    finf_spectrum_power(1, D, &H, NULL);
    w[0] = 0;
    for (int i = 1; i < N; i++) w[i] = M_PI * pow(1e-6, 1 - i / (N - 1.0));
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int k = 1; k <= D; k++) {
            double b = eta / k, x = b * cos(w[i] / 2), y = (2 - b) * sin(w[i] / 2);
            sum += b * (2 - b) / ((1 - b) * (x * x + y * y));
        }
        s[i] = 1 / sqrt(sum);
    }
    finf_noise *noise;
    ck_assert_int_eq(finf_noise_spectrum(w, s, N, &noise, NULL), FINF_OK);
    ck_assert_int_eq(finf_linreg(noise, eta, H, &o, &r), FINF_OK);
    ASSERT_NEAR(r.exact.value, r.optimum.value, 1e-9, "optimum");
    finf_noise_free(noise);
    finf_spectrum_free(H);
}
END_TEST

/* `sgd` is `exact` of independent noise to the last bit, whatever noise was asked about: one that
 * is infinite or did not settle, momentum, averages, groups of eigenvalues that are refined. */
START_TEST(independent_noise)
{
    static const char *const NOISES[] = {"nu:0.01",
                                         "cc",
                                         "antipgd:0.3",
                                         "strategy:1,-1",
                                         "sgd",
                                         "beta:1,-1,1e-40",
                                         "strategy:1,-1,1e-40"};
    static const char *const RULES[][2] = {{"sgd", NULL},
                                           {"nesterov:0.9", NULL},
                                           {"heavy-ball:0.5", "ema:0.1"},
                                           {"sgd", "last:10"},
                                           {"filter:0,1,0.2;1,-1.3,0.3", NULL}};
    static const double DIM[] = {4, 128, 3000}, ETA[] = {1e-4, 0.02, 5};
    for (size_t i = 0; i < COUNT(RULES) * COUNT(DIM) * COUNT(ETA); i++) {
        const char *const *rule = RULES[i % COUNT(RULES)];
        double d = DIM[i / COUNT(RULES) % COUNT(DIM)], eta = ETA[i / COUNT(RULES) / COUNT(DIM)];
        finf_spectrum *H;
        finf_optimizer *optimizer;
        finf_linreg_options o = setting(0.5, 2, 0.3, 1);
        ck_assert_int_eq(finf_spectrum_power(1, d, &H, NULL), FINF_OK);
        ck_assert_int_eq(finf_optimizer_parse(rule[0], rule[1], 0, &optimizer, NULL), FINF_OK);
        o.optimizer = optimizer;
        finf_linreg_result r, sgd;
        finf_noise *noise;
        finf_noise_sgd(&noise);
        ck_assert_int_eq(finf_linreg(noise, eta, H, &o, &sgd), FINF_OK);
        finf_noise_free(noise);
        for (size_t j = 0; j < COUNT(NOISES); j++) {
            ck_assert_int_eq(noise_named(NOISES[j], 0.01, &noise, NULL), FINF_OK);
            finf_status s = finf_linreg(noise, eta, H, &o, &r);
            ck_assert(s == FINF_OK || (s == FINF_ETOL && strstr(NOISES[j], "1e-40")));
            ck_assert_msg(r.sgd.value == sgd.exact.value && r.sgd.error == sgd.exact.error,
                          "%s %s %g: %.17g +- %g", rule[0], NOISES[j], eta, r.sgd.value,
                          r.sgd.error);
            finf_noise_free(noise);
        }
        o.optimum = 0;
        finf_noise_nu(0.1, &noise, NULL);
        ck_assert_int_eq(finf_linreg(noise, eta, H, &o, &r), FINF_OK);
        ck_assert(r.stable ? isnan(r.sgd.value) && isnan(r.optimum.value) : isinf(r.sgd.value));
        finf_noise_free(noise);
        finf_optimizer_free(optimizer);
        finf_spectrum_free(H);
    }
}
END_TEST

START_TEST(directions)
{
    finf_noise *noise;
    finf_spectrum *H;
    finf_linreg_result r;
    finf_linreg_options o = setting(1, 2, 0.3, 1);
    finf_direction rows[20];
    double k[20], exact = 0, lti = 0;
    finf_noise_nu(0.01, &noise, NULL);
    finf_spectrum_exp(0.4, 20, &H, NULL);
    for (int i = 0; i < 20; i++) k[i] = i + 1;
    ck_assert_int_eq(finf_linreg(noise, 0.1, H, &o, &r), FINF_OK);
    ck_assert_int_eq(finf_linreg_directions(noise, 0.1, H, &o, k, 20, rows, NULL), FINF_OK);
    for (int i = 0; i < 20; i++) {
        exact += rows[i].exact;
        lti += rows[i].lti;
    }
    ASSERT_NEAR(exact, r.exact.value, 1e-13, "sum of the directions");
    ASSERT_NEAR(lti, r.lti.value, 1e-13, "sum of the directions, lti");
    const double beside[] = {21, 0, 1.5, NAN, -1, INFINITY};
    for (size_t i = 0; i < COUNT(beside); i++) {
        k[3] = beside[i];
        finf_reason why = {""};
        ck_assert_int_eq(finf_linreg_directions(noise, 0.1, H, &o, k, 20, rows, &why), FINF_EDOM);
        ck_assert(isnan(finf_spectrum_at(H, beside[i])));
        ck_assert(strstr(why.text, "from 1 to 20") && isnan(rows[0].T) && isnan(rows[19].lti));
    }
    finf_noise_free(noise);
    finf_spectrum_free(H);
}
END_TEST

/* Gaussian, flat: D = 1 - d b/(2(1-b)) = 0 at eta = 2/(d+2). Below it finite, above infinite, and
 * growing towards it. */
START_TEST(largest_step)
{
    for (double d = 1; d < 1e7; d *= 10) {
        finf_spectrum *H;
        finf_real eta;
        finf_spectrum_flat(d, &H, NULL);
        ck_assert_int_eq(finf_linreg_eta_max(H, 0, NULL, &eta, NULL), FINF_OK);
        ASSERT_REAL(eta, 2 / (d + 2), 1e-13, 1e-12, "largest step, d = %g", d);
        ck_assert_int_eq(finf_linreg_eta_max(H, -2, NULL, &eta, NULL), FINF_OK);
        ASSERT_REAL(eta, 2 / d, 1e-13, 1e-12, "largest step for +-1 inputs, d = %g", d);
        finf_spectrum_free(H);
        ck_assert(linreg("sgd", "flat", d, 2 / (d + 2) * 0.999, setting(1, 1, 0, 0)).stable);
        finf_linreg_result r = linreg("sgd", "flat", d, 2 / (d + 2) * 1.001, setting(1, 1, 0, 0));
        ck_assert(!r.stable && isinf(r.exact.value) && r.reason.text[0]);
    }
    ck_assert(isinf(linreg("sgd", "flat", 3, 2.5, setting(1, 1, 0, 0)).lti.value));
}
END_TEST

/* Near D = 0, by mpmath, sgd: what D, 1-b and 2-b have lost is in every error. */
static const struct {
    const char *spectrum;
    double eta, kurtosis, rho, sigma_sgd, exact, optimum;
} EDGE[] = {
    {"list:1", 0.6666666, 0, 1, 0, 833333.2499760369462372, 785333.5969292360771788},
    {"list:1", 0.66666666666666, 0, 1, 0.3, 9786827919515.896546961, 9309101617910.291310002},
    {"list:1,0.5,0.1", 0.49253, 0, 0.5, 0, 1.645434524082267634811, 1.141702156890593726047},
    {"list:1,0.25", 0.30769, 3, 1, 0, 0.7499214663108187836648, 0.4866215361339277382939},
    {"list:0.7,0.3", 1.99999, -2, 1, 1, 199998.9999964693297994, 198708.6593166599626378},
};

START_TEST(near_the_edge)
{
    for (size_t i = 0; i < COUNT(EDGE); i++) {
        finf_linreg_result r = linreg("sgd", EDGE[i].spectrum, NAN, EDGE[i].eta,
                                      setting(EDGE[i].rho, 1, EDGE[i].sigma_sgd, EDGE[i].kurtosis));
        ASSERT_REAL(r.exact, EDGE[i].exact, 1e-13, 1e-11, "exact, row %zu", i);
        ASSERT_REAL(r.optimum, EDGE[i].optimum, 1e-13, 1e-11, "optimum, row %zu", i);
    }
    /* lambda = e^-r k is rounded, and D is what is left of it: the error must tell */
    finf_spectrum *H;
    finf_real eta;
    finf_spectrum_exp(0.01, 1000, &H, NULL);
    ck_assert_int_eq(finf_linreg_eta_max(H, 0, NULL, &eta, NULL), FINF_OK);
    finf_spectrum_free(H);
    finf_linreg_result r = linreg("sgd", "exp:0.01", 1000, eta.value * (1 - 1e-13),
                                  setting(1, 1, 0, 0));
    ck_assert_double_ge(r.exact.error, 1e-3 * r.exact.value);
}
END_TEST

/* beta that is not square-summable: infinite with the reason, whatever the signs of the weights of
 * a spectral measure. */
START_TEST(infinite_energy)
{
    static const struct {
        const char *noise, *spectrum;
        double d;
    } cases[] = {{"strategy:1,-3", "power:0.5", 1000},
                 {"strategy:1,-1", "power:0.3", 100000},
                 {"blt:3;0.1", "power:0.5", 1000},
                 {"strategy:1,-3", "exp:1e-10", 1000}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        finf_linreg_result r = linreg(cases[i].noise, cases[i].spectrum, cases[i].d, 1e-6,
                                      setting(1, 1, 0.1, 0));
        ck_assert_msg(isinf(r.exact.value) && isinf(r.lti.value) && isinf(r.upper.value) &&
                          r.reason.text[0],
                      "%s over %s", cases[i].noise, cases[i].spectrum);
        ck_assert(isfinite(r.optimum.value));
    }
}
END_TEST

/* exact <= upper up to where upper ends, any kurtosis; and it is not loose: 1/(2-3b) against
 * 1/(2-4b) in one dimension. */
START_TEST(upper_bound)
{
    rng g = {31};
    for (int i = 0; i < 2000; i++) {
        double l[3], kx = i % 2 ? 0 : 14 * uniform(&g) - 2, top = 0, trace = 0;
        char spectrum[96];
        for (int k = 0; k < 3; k++) {
            l[k] = log_uniform(&g, 1e-3, 1);
            top = fmax(top, l[k]);
            trace += l[k];
        }
        snprintf(spectrum, sizeof spectrum, "list:%.17g,%.17g,%.17g", l[0], l[1], l[2]);
        double eta = 2 / (trace + (3 + kx) * top) * (1 - log_uniform(&g, 1e-6, 1));
        const char *const noises[] = {"sgd", "nu:paper", "antipgd:0.01", "beta:1,0.9",
                                      "beta:1,-0.9"};
        finf_linreg_options o = setting(1, i % 3 ? 1 : 1e-6, i % 4 ? uniform(&g) : 0, kx);
        finf_linreg_result r = linreg(noises[i % 5], spectrum, 3, eta, o);
        ck_assert_msg(r.exact.value <= r.upper.value * (1 + 1e-12),
                      "seed 31, case %d: %.17g > %.17g", i, r.exact.value, r.upper.value);
    }
    finf_linreg_result r = linreg("sgd", "list:1", 1, 0.3, setting(1, 1, 0, 0));
    ASSERT_REAL(r.exact, 0.5 * 0.3 * 0.5 / (2 - 3 * 0.3), 1e-14, 1e-12, "one dimension");
    ASSERT_REAL(r.upper, 0.5 * 0.3 * 0.5 / (2 - 4 * 0.3), 1e-14, 1e-12, "one dimension, upper");
    r = linreg("sgd", "list:1", 1, 0.5, setting(1, 1, 0, 0));
    ck_assert(isinf(r.upper.value) && r.upper_reason.text[0] && isfinite(r.exact.value));
}
END_TEST

/* Many given eigenvalues go through nodes; the sum of single T's is the other way. */
START_TEST(many_eigenvalues)
{
    size_t n = 100000;
    double *lambda = malloc(n * sizeof *lambda), *b = malloc(n * sizeof *b),
           *T = malloc(n * sizeof *T), eta = 0.01;
    for (size_t i = 0; i < n; i++) lambda[i] = pow((double)i + 1, -1.1);
    finf_noise *noise;
    finf_spectrum *H;
    finf_linreg_result r;
    finf_noise_nu(1e-7, &noise, NULL);
    finf_spectrum_list(lambda, n, &H, NULL);
    finf_linreg(noise, eta, H, NULL, &r);
    long double sum = 0, D = 1;
    for (size_t i = 0; i < n; i++) {
        finf_real integral;
        b[i] = eta * lambda[i];
        finf_ellint_i(1e-7, b[i], &integral);
        T[i] = b[i] * (2 - b[i]) / (2 * M_PI) * integral.value;
    }
    for (size_t i = 0; i < n; i++) {
        D -= b[i] / (2 * (1 - (long double)b[i]));
        sum += T[i] / (2 * (1 - (long double)b[i]));
    }
    ASSERT_NEAR(r.exact.value, (double)(0.5 * eta * r.gamma2.value / 2 * sum / D), 1e-13,
                "10^5 eigenvalues");
    finf_noise_free(noise);
    finf_spectrum_free(H);
    free(lambda);
    free(b);
    free(T);
}
END_TEST

START_TEST(refused)
{
    finf_noise *noise;
    finf_spectrum *H;
    finf_linreg_result r;
    finf_noise_sgd(&noise);
    finf_spectrum_flat(3, &H, NULL);
    const double bad[] = {0, -1, NAN, INFINITY};
    for (size_t i = 0; i < COUNT(bad); i++) {
        ck_assert_int_eq(finf_linreg(noise, bad[i], H, NULL, &r), FINF_EDOM);
        ck_assert(isnan(r.exact.value) && isinf(r.exact.error) && r.reason.text[0]);
        finf_linreg_options o = setting(bad[i], 1, 0, 0), kurt = setting(1, 1, 0,
                                                                         i == 0   ? -2.1
                                                                         : i == 1 ? -3
                                                                                  : bad[i]);
        ck_assert_int_eq(finf_linreg(noise, 0.1, H, &o, &r), FINF_EDOM);
        ck_assert_int_eq(finf_linreg(noise, 0.1, H, &kurt, &r), FINF_EDOM);
    }
    finf_noise_free(noise);
    finf_spectrum_free(H);
}
END_TEST

/* Power laws through points that are not on a line, beside the normal equations; what is left out,
 * and where there is no slope. */
START_TEST(power_laws)
{
    double rows[][2] = {{1, 2}, {0, 1}, {2, 5}, {4, 7}, {8, INFINITY}, {8, -1}, {16, 40}};
    double X[4], Y[4], n = 0, x = 0, y = 0, xx = 0, xy = 0, product = 1;
    size_t points, stride = sizeof rows[0];
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (!(rows[i][0] > 0 && rows[i][1] > 0 && isfinite(rows[i][1]))) continue;
        X[(size_t)n] = log(rows[i][0]);
        Y[(size_t)n] = log(rows[i][1]);
        product *= rows[i][1] / rows[i][0];
        n++;
    }
    for (size_t i = 0; i < (size_t)n; i++) {
        x += X[i];
        y += Y[i];
        xx += X[i] * X[i];
        xy += X[i] * Y[i];
    }
    ASSERT_NEAR(finf_log_slope(&rows[0][0], &rows[0][1], COUNT(rows), stride, &points),
                (n * xy - x * y) / (n * xx - x * x), 1e-13, "slope");
    ck_assert_uint_eq(points, 4);
    ASSERT_NEAR(finf_log_constant(&rows[0][0], &rows[0][1], COUNT(rows), stride),
                sqrt(sqrt(product)), 1e-14, "constant");
    const double flat[] = {3, 3, 3}, up[] = {1, 2, 4};
    ck_assert(finf_log_slope(up, flat, 3, sizeof *up, NULL) == 0);
    ck_assert(isnan(finf_log_slope(flat, up, 3, sizeof *up, &points)) && points == 3);
    ck_assert(isnan(finf_log_slope(up, flat, 1, sizeof *up, &points)) && points == 1);
    ck_assert(isnan(finf_log_constant(up, flat, 0, sizeof *up)));
}
END_TEST

/* F_inf of B(z) = 1 - (1-nu) z */
static double damped(const finf_spectrum *H, double eta, double nu)
{
    finf_noise *noise;
    finf_linreg_result r;
    ck_assert_int_eq(finf_noise_antipgd(nu, &noise, NULL), FINF_OK);
    ck_assert_int_eq(finf_linreg(noise, eta, H, NULL, &r), FINF_OK);
    finf_noise_free(noise);
    return r.exact.value;
}

/* Table 2: the best damping has a smaller F_inf than its neighbours, to second order in their
 * distance, and than the paper's; the laws and rates as they are printed. */
START_TEST(noise_of_prior_work)
{
    const double eta = 0.01, d = 64, T = 1e6;
    finf_privacy_setting set = {0.5, 2, 0};
    finf_prior_rates p[FINF_PRIOR_COUNT];
    finf_spectrum *H;
    finf_reason why = {""};
    finf_spectrum_power(1, d, &H, NULL);
    double trace = finf_spectrum_trace(H), mu = eta / d;
    for (finf_prior m = 0; m < FINF_PRIOR_COUNT; m++)
        ck_assert_int_eq(finf_rates_prior(m, H, eta, &set, T, &p[m], &why), FINF_OK);
    double nu = p[FINF_PRIOR_DAMPED_BEST].nu.value, least = damped(H, eta, nu);
    for (double step = 0.01; step < 0.2; step *= 2) {
        double above = damped(H, eta, nu * (1 + step)) / least - 1;
        double below = damped(H, eta, nu / (1 + step)) / least - 1;
        ck_assert_msg(above > 0 && below > 0 && fabs(log(above / below)) < 3 * step,
                      "nu = %g is not the best: %g, %g at %g", nu, above, below, step);
    }
    ck_assert_double_le(least, damped(H, eta, p[FINF_PRIOR_DAMPED].nu.value));
    ASSERT_REAL(p[FINF_PRIOR_DAMPED].nu, sqrt(eta * trace / d), 1e-15, 1e-13, "damping");
    ASSERT_REAL(p[FINF_PRIOR_NU].nu, mu, 1e-15, 1e-14, "nu");
    ASSERT_REAL(p[FINF_PRIOR_CC].growth, log(T), 1e-15, 1e-15, "growth of cc");
    ASSERT_REAL(p[FINF_PRIOR_NU].growth, -log(mu), 1e-15, 1e-15, "growth of nu");
    ASSERT_NEAR(p[FINF_PRIOR_ANTIPGD].growth.value, T, 1e-15, "growth of anti-PGD");
    ASSERT_NEAR(p[FINF_PRIOR_DAMPED_BEST].growth.value * nu, 1, 1e-15, "growth of damped anti-PGD");
    ASSERT_REAL(p[FINF_PRIOR_NU].rate, 8 * eta * eta * trace * log(mu) * log(mu), 1e-14, 1e-13,
                "rate");
    ASSERT_REAL(p[FINF_PRIOR_DAMPED].rate, 8 * eta * sqrt(eta * d * trace), 1e-14, 1e-13, "rate");
    ck_assert(isinf(p[FINF_PRIOR_CC].rate.value) && isinf(p[FINF_PRIOR_ANTIPGD].rate.value));
    /* where DP-SGD diverges there is no best damping, and none is above 1 */
    ck_assert_int_eq(finf_rates_prior(FINF_PRIOR_DAMPED_BEST, H, 40, &set, T, &p[0], &why), 0);
    ck_assert(p[0].nu.value == 1);
    ck_assert_int_eq(finf_rates_prior(FINF_PRIOR_NU, H, 100 * d, &set, T, &p[0], &why), FINF_OK);
    ck_assert(p[0].nu.value == 1);
    ck_assert_int_eq(finf_rates_prior(FINF_PRIOR_CC, H, eta, &set, 0, &p[0], &why), FINF_EDOM);
    ck_assert(isnan(p[0].nu.value) && isnan(p[0].growth.value) && isnan(p[0].rate.value) &&
              why.text[0]);
    ck_assert_int_eq(finf_rates_prior(FINF_PRIOR_COUNT, H, eta, NULL, T, &p[0], NULL), FINF_EUSAGE);
    ck_assert(isnan(finf_nu_of_paper(NAN, 1)) && isnan(finf_nu_of_paper(1, NAN)));
    finf_spectrum_free(H);
}
END_TEST

/* What a search for nu evaluates is the exact value, with the errors of both; near the largest
 * step, of a grouped spectrum, with gradient noise. */
START_TEST(prepared_for_a_search)
{
    const double ds[] = {1, 7, 1e6}, etas[] = {1e-3, 0.5, 0.999}, nus[] = {1e-7, 0.01, 1};
    for (size_t i = 0; i < 27; i++) {
        finf_spectrum *H;
        finf_noise *noise;
        finf_linreg_options o = finf_linreg_options_default();
        finf_linreg_result r;
        linreg_search x;
        finf_real F, most;
        finf_spectrum_power(1, ds[i % 3], &H, NULL);
        o.privacy.sigma_sgd = i % 2 ? 0.3 : 0;
        o.kurtosis = i % 5 ? 0 : 1.5;
        finf_noise_nu(nus[i / 9], &noise, NULL);
        finf_linreg_eta_max(H, o.kurtosis, NULL, &most, NULL);
        double eta = etas[i / 3 % 3] * most.value;
        ck_assert_int_eq(finf_linreg(noise, eta, H, &o, &r), FINF_OK);
        ck_assert_int_eq(linreg_search_make(eta, H, &o, &x), FINF_OK);
        ck_assert(x.n > 0 && !linreg_search_at(&x, noise, &F, NULL));
        ck_assert(fabs(F.value - r.exact.value) <= F.error + r.exact.error);
        ck_assert(F.error <= 4 * r.exact.error + 1e-14 * F.value);
        linreg_search_free(&x);
        ck_assert_int_eq(linreg_search_make(1.01 * most.value, H, &o, &x), FINF_OK);
        ck_assert(x.n == 0);
        linreg_search_free(&x);
        finf_noise_free(noise);
        finf_spectrum_free(H);
    }
}
END_TEST

static TCase *make(void)
{
    TCase *t = tcase_create("linreg");
    tcase_add_test(t, table);
    tcase_add_test(t, figures_of_the_text);
    tcase_add_test(t, five_slopes);
    tcase_add_test(t, against_the_recursion);
    tcase_add_test(t, order_and_scaling);
    tcase_add_test(t, optimum_is_attained);
    tcase_add_test(t, independent_noise);
    tcase_add_test(t, directions);
    tcase_add_test(t, largest_step);
    tcase_add_test(t, near_the_edge);
    tcase_add_test(t, infinite_energy);
    tcase_add_test(t, upper_bound);
    tcase_add_test(t, many_eigenvalues);
    tcase_add_test(t, power_laws);
    tcase_add_test(t, noise_of_prior_work);
    tcase_add_test(t, prepared_for_a_search);
    tcase_add_test(t, refused);
    return t;
}

int main(void) { return run_suite("linreg", make); }
