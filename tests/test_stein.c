/* Gaussian w: the identities of socp/program/stein.c on F whose answers are known, and the bound
 * they give.
 */
#include <gsl/gsl_randist.h>

#include "family.h"
#include "iqc_support.h"

static const struct {
    const char *noise;
    double eta, kappa;
} CASES[] = {{"sgd", 0.1, 100},
             {"nu:0.06", 0.1, 1000},
             {"nu:0.006", 0.01, 1000},
             {"nu:0.5", 1.5, 100},
             {"nu:0.1", 1.9, 10},
             {"beta:1,-0.9", 0.5, 100},
             {"product:0.05,0.7;0.4,0.2", 0.2, 30},
             {"blt:0.9;0.1", 0.5, 10}};

static socp_basis columns(const finf_noise *noise, const socp_model *mo)
{
    socp_basis b = {0};
    finf_reason why;
    ck_assert_int_eq(socp_stein_make(mo, noise, &b, &why), FINF_OK);
    ck_assert_uint_ge(b.ns, 8);
    return b;
}

/* sum_k y_k E<S_t, w_{t-k}> of a column, E<S_t, w_{t-k}> given for k < n, divided by what the
 * column allows */
static double share(const socp_ahead *c, const double *corr, size_t n, double delta)
{
    double sum = -c->ratio * corr[1], weight = c->s;
    for (size_t k = c->lag; k < n; k++, weight *= 1 - c->s) sum += weight * corr[k];
    return fabs(sum) * 2 * sqrt(delta) / c->cost;
}

/* Quadratics: S = j theta, and E<S_t, w_{t-k}> is j times the response of theta. Those of j = +-1,
 * the curvatures mu and L, fill what the first column allows. */
START_TEST(quadratics)
{
    for (size_t i = 0; i < COUNT(CASES); i++) {
        double eta = CASES[i].eta;
        finf_noise *noise = noise_of(CASES[i].noise, NAN);
        socp_model mo = socp_model_make(eta, CASES[i].kappa, 0);
        socp_basis b = columns(noise, &mo);
        enum { N = 8000 };
        static double beta[N], corr[N];
        finf_reason why;
        ck_assert_int_eq(finf_noise_beta(noise, N, beta, &why), FINF_OK);
        for (double j = -1; j <= 1; j += 0.25) {
            double response = -eta * beta[0];
            for (size_t k = 1; k < N; k++) {
                corr[k] = j * response;
                response = (1 - eta * (mo.c + mo.delta / 2 * j)) * response - eta * beta[k];
            }
            for (size_t c = 0; c < b.ns; c++) {
                double part = share(&b.ahead[c], corr, N, mo.delta);
                ck_assert_msg(part <= 1 + 1e-9, "%s, eta %g, j %g, column %zu: %g", CASES[i].noise,
                              eta, j, c, part);
                if (c == 0) ASSERT_NEAR(part, fabs(j), 1e-13, "first column");
            }
        }
        socp_basis_free(&b);
        finf_noise_free(noise);
    }
}
END_TEST

/* The same on a simulated Huber F (S = theta near 0, then saturated) of slow noise. */
START_TEST(huber)
{
    enum { N = 2000000, LAGS = 9, TAPS = 3 };
    const double eta = 0.2, kappa = 20, knee = 0.4, taps[TAPS] = {1, 0.5, 0.2};
    finf_noise *noise = noise_of("beta:1,0.5,0.2", NAN);
    socp_model mo = socp_model_make(eta, kappa, 0);
    socp_basis b = columns(noise, &mo);
    gsl_rng *source = gsl_rng_alloc(gsl_rng_mt19937);
    double w[LAGS] = {0}, corr[LAGS] = {0}, theta = 0;
    for (int t = 0; t < N; t++) { /* w[k]: w_{t-k} */
        double S = fmax(-knee, fmin(theta, knee)) * 2 - theta, z = 0;
        memmove(w + 1, w, (LAGS - 1) * sizeof *w);
        w[0] = gsl_ran_gaussian_ziggurat(source, 1);
        for (int k = 1; k < LAGS; k++) corr[k] += S * w[k] / N;
        for (int k = 0; k < TAPS; k++) z += taps[k] * w[k];
        theta -= eta * (mo.c * theta + mo.delta / 2 * S + z);
    }
    gsl_rng_free(source);
    for (size_t c = 0; c < b.ns && b.ahead[c].s == 1; c++) {
        double error = 4 / sqrt(N) * 2 * sqrt(mo.delta) / b.ahead[c].cost;
        ck_assert_msg(share(&b.ahead[c], corr, LAGS, mo.delta) <= 1 + error, "lag %zu",
                      b.ahead[c].lag);
    }
    double used = share(&b.ahead[1], corr, LAGS, mo.delta);
    ck_assert_msg(used > 0.3, "the inequality has little to do: %g", used);
    socp_basis_free(&b);
    finf_noise_free(noise);
}
END_TEST

/* Between the worst quadratic and sharp, by both solvers. */
START_TEST(order)
{
    for (size_t i = 0; i < COUNT(CASES); i++) {
        finf_iqc_options o = options(FINF_IQC_GAUSSIAN);
        finf_iqc_result sharp = iqc(CASES[i].noise, CASES[i].eta, CASES[i].kappa,
                                    options(FINF_IQC_SHARP)),
                        r = both(CASES[i].noise, CASES[i].eta, CASES[i].kappa, o);
        ck_assert_msg(r.bound.value <= sharp.bound.value * (1 + 2e-8) &&
                          r.bound.value >= r.quadratic_lower.value,
                      "%s, eta %g, kappa %g: %.10g not between %.10g and %.10g", CASES[i].noise,
                      CASES[i].eta, CASES[i].kappa, r.bound.value, r.quadratic_lower.value,
                      sharp.bound.value);
        o.privacy.sigma_sgd = 0.3;
        finf_iqc_result with = both(CASES[i].noise, CASES[i].eta, CASES[i].kappa, o);
        ck_assert_double_gt(with.bound.value, r.bound.value);
        ck_assert_double_ge(with.bound.value, with.quadratic_lower.value);
    }
}
END_TEST

/* Large steps: nothing is worse than the quadratic. Small ones: what there is to gain over sharp.
 */
START_TEST(values)
{
    finf_iqc_options o = options(FINF_IQC_GAUSSIAN);
    finf_iqc_result r = iqc("nu:0.5", 1.5, 100, o);
    ASSERT_NEAR(r.bound.value, r.quadratic_lower.value, 2e-8, "eta 1.5: the worst quadratic");
    r = iqc("nu:0.1", 1.9, 2, o);
    ASSERT_NEAR(r.bound.value, r.quadratic_lower.value, 2e-8, "eta 1.9: the worst quadratic");
    r = iqc("sgd", 1.9999999, 30, o);
    ck_assert_msg(r.bound.value >= r.quadratic_lower.value, "eta near 2: %.12g < %.12g",
                  r.bound.value, r.quadratic_lower.value);
    /* lags 1 .. 40 one by one, by a program written apart */
    ASSERT_NEAR(iqc("nu:0.062", 0.1, 1000, o).unit_bound.value, 0.00703492, 1e-6, "eta 0.1");
    ASSERT_NEAR(iqc("nu:0.01", 1, 100, o).unit_bound.value, 0.78696791, 1e-7, "eta 1");
    ASSERT_NEAR(iqc("nu:5e-5", 0.5, 10000, o).unit_bound.value, 0.19690151, 1e-4, "eta 0.5");
    o.privacy.clip = 0;
    o.privacy.sigma_sgd = 1; /* no w at all */
    finf_iqc_result none = iqc("nu:0.1", 0.1, 10, o);
    o.bound = FINF_IQC_SHARP;
    ASSERT_NEAR(none.bound.value, iqc("nu:0.1", 0.1, 10, o).bound.value, 1e-14,
                "gradient noise alone");
}
END_TEST

START_TEST(certificate)
{
    NEEDS("Arb");
    for (size_t i = 0; i < COUNT(CASES); i++) {
        finf_iqc_options o = options(FINF_IQC_GAUSSIAN);
        finf_iqc_result r;
        finf_noise *noise = noise_of(CASES[i].noise, NAN);
        o.certify = 1;
        finf_status st = finf_iqc(noise, CASES[i].eta, CASES[i].kappa, &o, &r);
        if (noise->family == &noise_blt) {
            ck_assert_int_eq(st, FINF_ETOL);
            ck_assert_ptr_nonnull(strstr(r.reason.text, "cannot be certified"));
        } else {
            ck_assert_msg(st == FINF_OK && r.certified, "%s: %s", CASES[i].noise, r.reason.text);
            ck_assert_msg(r.certified_upper >= r.bound.value * (1 - 1e-12) &&
                              r.certified_upper <= r.bound.value * (1 + 1e-5),
                          "%s: %.10g of %.10g", CASES[i].noise, r.certified_upper, r.bound.value);
        }
        finf_noise_free(noise);
    }
}
END_TEST

/* ---- the noise optimised for it -------------------------------------------------------------- */

static finf_optimize_options descent(finf_iqc_bound bound)
{
    finf_optimize_options o = finf_optimize_options_default();
    o.iqc = options(bound);
    return o;
}

/* log bound of the product with power i more by h */
static double log_bound(const finf_noise *product, size_t i, double h, double eta, double kappa,
                        finf_iqc_options o)
{
    size_t n = product->n;
    double r[32];
    finf_noise *noise;
    finf_iqc_result b;
    memcpy(r, product->coef + n, n * sizeof *r);
    r[i] += h;
    ck_assert_int_eq(finf_noise_product(product->coef, r, n, &noise, NULL), FINF_OK);
    ck_assert_int_eq(finf_iqc(noise, eta, kappa, &o, &b), FINF_OK);
    finf_noise_free(noise);
    return log(b.bound.value);
}

/* The largest slope of the bound in one power, by differences. */
static double slope(const finf_noise *product, double eta, double kappa, finf_iqc_options o)
{
    const double h = 1e-3;
    double most = 0;
    for (size_t i = 0; i < product->n; i++)
        most = fmax(most, fabs(log_bound(product, i, h, eta, kappa, o) -
                               log_bound(product, i, -h, eta, kappa, o)) /
                              (2 * h));
    return most;
}

/* Below the best nu and below the sharp bound's noise, by what is measured; stationary, which that
 * is not. */
START_TEST(optimised)
{
    static const struct {
        /* so much below the noise of sharp; for eta L > 1 it is one of several minima */
        double eta, kappa, sgd, gap, gain;
    } ROWS[] = {{0.1, 10, 0, 1.04699, 9e-5},     {0.1, 100, 0, 1.05407, 1.2e-4},
                {0.1, 1000, 0, 1.05482, 1.4e-4}, {0.01, 100, 0, 1.03537, 4e-4},
                {0.05, 50, 0.1, NAN, 2e-4},      {0.5, 10, 0, 1.03243, 0},
                {1.5, 1000, 0, 1.01185, -1e-6},  {1, 30, 0, 1.000001, 0}};
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        double eta = ROWS[i].eta, kappa = ROWS[i].kappa;
        finf_optimize_options o = descent(FINF_IQC_GAUSSIAN), so = descent(FINF_IQC_SHARP);
        finf_optimize_result r, sharp;
        finf_iqc_result of_sharp;
        o.iqc.privacy.sigma_sgd = so.iqc.privacy.sigma_sgd = ROWS[i].sgd;
        ck_assert_int_eq(finf_optimize(eta, kappa, &o, &r), FINF_OK);
        ck_assert_int_eq(finf_optimize(eta, kappa, &so, &sharp), FINF_OK);
        ck_assert_int_eq(finf_iqc(sharp.noise, eta, kappa, &o.iqc, &of_sharp), FINF_OK);
        double bound = r.iqc.bound.value;
        ck_assert_msg(bound <= of_sharp.bound.value * (1 - ROWS[i].gain) * (1 + 1e-8),
                      "eta %g, kappa %g: %.9g of %.9g", eta, kappa, bound, of_sharp.bound.value);
        ck_assert_msg(!(r.gap.value > ROWS[i].gap), "eta %g, kappa %g: gap %.9g", eta, kappa,
                      r.gap.value);
        ck_assert(bound <= r.bound_nu.value * (1 + 1e-9) &&
                  r.bound_nu.value <= sharp.bound_nu.value * (1 + 1e-8));
        ck_assert(bound >= r.iqc.quadratic_lower.value * (1 - 1e-9));
        for (size_t k = 1; k <= r.rounds; k++)
            ck_assert_double_le(r.history[k], r.history[k - 1] * (1 + 1e-9));
        ck_assert(r.rounds <= 4 || eta > 1);
        if (i == 1) {
            double at = slope(r.noise, eta, kappa, o.iqc),
                   from = slope(sharp.noise, eta, kappa, o.iqc);
            /* tol = 1e-6 in the bound: its root in the slope */
            ck_assert_msg(at < 1e-3 && from > 30 * at, "slope %g, of the noise of sharp %g", at,
                          from);
        }
        finf_optimize_result_free(&r);
        finf_optimize_result_free(&sharp);
    }
}
END_TEST

/* What is saved: (1/pi) int |B|^2 psi is the bound, stein.c's cost in it. */
START_TEST(described)
{
    finf_optimize_options o = descent(FINF_IQC_GAUSSIAN);
    finf_optimize_result r;
    double sum = 0;
    ck_assert_int_eq(finf_optimize(0.1, 100, &o, &r), FINF_OK);
    for (size_t k = 1; k < r.n; k++)
        sum += (r.w[k] - r.w[k - 1]) * (r.density[k] * r.psi[k] + r.density[k - 1] * r.psi[k - 1]) /
               (2 * FINF_PI);
    ASSERT_NEAR(sum, r.iqc.unit_bound.value, 1e-3, "the integral of what is saved");
    finf_optimize_result_free(&r);
}
END_TEST

/* The best nu against a scan by finf_iqc. */
START_TEST(tuned)
{
    finf_iqc_options o = options(FINF_IQC_GAUSSIAN);
    finf_iqc_result best;
    finf_real nu;
    ck_assert_int_eq(finf_tune_iqc(0.1, 100, &o, &nu, &best), FINF_OK);
    ck_assert_double_eq_tol(nu.value, 0.0657, 1e-4);
    static const double BESIDE[] = {0.2, 0.5, 0.8, 0.99, 1.01, 1.2, 2, 8};
    for (size_t i = 0; i < COUNT(BESIDE); i++) {
        char spec[32];
        snprintf(spec, sizeof spec, "nu:%.17g", BESIDE[i] * nu.value);
        ck_assert_double_gt(iqc(spec, 0.1, 100, o).bound.value, best.bound.value * (1 - 1e-9));
    }
}
END_TEST

static int stop_after(void *left) { return --*(int *)left < 0; }

/* Cancelled anywhere: the best noise so far. */
START_TEST(cancelled)
{
    finf_optimize_options o = descent(FINF_IQC_GAUSSIAN);
    finf_optimize_result r;
    int left = 1000;
    o.iqc.cancel.poll = stop_after;
    o.iqc.cancel.data = &left;
    ck_assert_int_eq(finf_optimize(0.1, 100, &o, &r), FINF_OK);
    finf_optimize_result_free(&r);
    int all = 1000 - left;
    for (int polls = 0; polls < all; polls += 15) {
        left = polls;
        finf_status st = finf_optimize(0.1, 100, &o, &r);
        ck_assert(st == FINF_ETOL || st == FINF_OK); /* it may have been the last step of a start */
        ck_assert(r.noise && r.starts > 0 && r.iqc.bound.value <= r.bound_nu.value * (1 + 1e-9));
        ck_assert_double_le(r.bound_nu.value, r.bound_sgd.value * (1 + 1e-9));
        finf_optimize_result_free(&r);
    }
}
END_TEST

static TCase *make(void)
{
    TCase *t = tcase_create("all");
    tcase_add_test(t, quadratics);
    tcase_add_test(t, huber);
    tcase_add_test(t, order);
    tcase_add_test(t, values);
    tcase_add_test(t, certificate);
    tcase_add_test(t, optimised);
    tcase_add_test(t, described);
    tcase_add_test(t, tuned);
    tcase_add_test(t, cancelled);
    return t;
}

int main(void) { return run_suite("stein", make); }
