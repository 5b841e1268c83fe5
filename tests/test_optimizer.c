/* bounds/optimizer/, and mean estimation and linear regression with it */
#include "no_memory.h"
#include "optimizer.h"
#include "spec.h"
#include "support.h"

static const struct {
    const char *optimizer, *average;
    double decay, eta;
    const char *spectrum;
    double dim;
    const char *noise;
    double rho, sigma_sgd, kurtosis, gamma2, F, lti, best;
} ROWS[] = {
#include "tables/optimizer.inc"
};

static finf_optimizer *made(const char *text, const char *average, double decay)
{
    finf_optimizer *o = NULL;
    finf_reason why = {""};
    finf_status s = finf_optimizer_parse(text, *average ? average : NULL, decay, &o, &why);
    ck_assert_msg(s == FINF_OK, "%s %s: %s", text, average, why.text);
    return o;
}

static finf_noise *noise_made(const char *text)
{
    finf_noise *n = NULL;
    ck_assert_int_eq(finf_noise_parse(text, &n, NULL), FINF_OK);
    return n;
}

/* flat, power:A or exp:R */
static finf_spectrum *spectrum_made(const char *text, double d)
{
    finf_spectrum *s = NULL;
    const char *colon = strchr(text, ':');
    double rate = colon ? atof(colon + 1) : 0;
    finf_status status = *text == 'p'   ? finf_spectrum_power(rate, d, &s, NULL)
                         : *text == 'e' ? finf_spectrum_exp(rate, d, &s, NULL)
                                        : finf_spectrum_flat(d, &s, NULL);
    ck_assert_int_eq(status, FINF_OK);
    return s;
}

static finf_linreg_result linreg(const finf_optimizer *o, const finf_noise *noise, double eta,
                                 const finf_spectrum *s, double sigma_sgd, double kurtosis)
{
    finf_linreg_options opt = finf_linreg_options_default();
    finf_linreg_result r;
    opt.optimizer = o;
    opt.privacy.sigma_sgd = sigma_sgd;
    opt.kurtosis = kurtosis;
    finf_status status = finf_linreg(noise, eta, s, &opt, &r);
    ck_assert_msg(status == FINF_OK, "%s", r.reason.text);
    return r;
}

/* ---- what is read, and what is refused ---- */

START_TEST(spelling)
{
    const char *const good[][2] = {{"sgd", "sgd"},
                                   {"heavy-ball:0.9", "heavy-ball:0.9"},
                                   {"nesterov:0.99", "nesterov:0.99"},
                                   {"heavy-ball:0", "sgd"},
                                   {"nesterov:0", "sgd"},
                                   {"filter:0,1;1,-1", "sgd"},
                                   {"filter:0,2;2,-2,0", "sgd"},
                                   {"filter:0,1;1,-1.9,0.9", "filter:0,1;1,-1.9,0.9"}};
    char text[128];
    for (size_t i = 0; i < COUNT(good); i++) {
        finf_optimizer *o = made(good[i][0], "ema:0.9", 0.1);
        ck_assert_int_eq(finf_optimizer_spell(o, text, sizeof text), FINF_OK);
        ck_assert_str_eq(text, good[i][1]);
        ck_assert_int_eq(finf_optimizer_spell(o, text, strlen(good[i][1])), FINF_EDOM);
        ck_assert_int_eq(finf_optimizer_spell_average(o, text, sizeof text), FINF_OK);
        ck_assert_str_eq(text, "ema:0.9");
        ck_assert(finf_optimizer_weight_decay(o) == 0.1);
        finf_optimizer_free(o);
    }
    ck_assert_int_eq(finf_optimizer_spell(NULL, text, sizeof text), FINF_OK);
    ck_assert_str_eq(text, "sgd");
    size_t n = 0;
    for (finf_optimizer_form f; (f = finf_optimizer_form_get(n)).name; n++)
        ck_assert(strncmp(f.form, f.name, strlen(f.name)) == 0 && f.about[0]);
    ck_assert_uint_eq(n, 4);
}
END_TEST

START_TEST(refused)
{
    static const struct {
        const char *optimizer, *average;
        double decay;
        finf_status status;
        const char *says;
    } bad[] = {
        {"adam", "none", 0, FINF_EPARSE, "heavy-ball:M"},
        {"heavy-ball", "none", 0, FINF_EPARSE, "not known"},
        {"heavy-ball:x", "none", 0, FINF_EPARSE, "not a number"},
        {"heavy-ball:1", "none", 0, FINF_EDOM, "[0, 1)"},
        {"nesterov:-0.1", "none", 0, FINF_EDOM, "[0, 1)"},
        {"sgd:1", "none", 0, FINF_EPARSE, "no number"},
        {"filter:0,1", "none", 0, FINF_EPARSE, "two lists"},
        {"filter:0;1,-1", "none", 0, FINF_EDOM, "b is zero"},
        {"filter:1,1;1,-1", "none", 0, FINF_EDOM, "b[0] = 1"},
        {"filter:1;1,-1", "none", 0, FINF_EDOM, "b[0] = 1"},
        {"filter:0,1;1,-0.5", "none", 0, FINF_EDOM, "a(1) = 0.5"},
        {"filter:0,1;0,-1", "none", 0, FINF_EDOM, "first at least"},
        {"filter:0,1,-1;1,-1", "none", 0, FINF_EDOM, "no pole at z = 1"},
        {"filter:0,1;1,-2,1", "none", 0, FINF_EDOM, "simple"},
        {"filter:0,-1;1,-1", "none", 0, FINF_EDOM, "ascends"},
        {"filter:0,1,-2;1,-3,2", "none", 0, FINF_EDOM, "hides a pole at |z| = 2"},
        {"filter:0,1e99;1,-1", "none", 0, FINF_EDOM, "1e15"},
        {"sgd", "ema:1", 0, FINF_EDOM, "[0, 1)"},
        {"sgd", "ema:-1", 0, FINF_EDOM, "[0, 1)"},
        {"sgd", "last:0", 0, FINF_EDOM, "whole number"},
        {"sgd", "last:2.5", 0, FINF_EDOM, "whole number"},
        {"sgd", "mean:3", 0, FINF_EPARSE, "none, ema:A, last:K"},
        {"sgd", "none", -1, FINF_EDOM, "weight-decay"},
        {"sgd", "none", NAN, FINF_EDOM, "weight-decay"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        finf_optimizer *o = (finf_optimizer *)8;
        finf_reason why = {""};
        ck_assert_int_eq(
            finf_optimizer_parse(bad[i].optimizer, bad[i].average, bad[i].decay, &o, &why),
            bad[i].status);
        ck_assert(o == NULL);
        ck_assert_msg(strstr(why.text, bad[i].says), "%s: %s", bad[i].optimizer, why.text);
        ck_assert(!strchr(why.text, '\n'));
    }
}
END_TEST

/* ---- the update rules, step by step ---- */

#define STEPS 400

/* theta_t from 0 on a quadratic of curvature h whose first gradient is 1 larger: PyTorch's SGD. */
static void torch_sgd(int nesterov, double m, double decay, double eta, double h, double *theta)
{
    double p = 0, buf = 0;
    for (int t = 0; t < STEPS; t++) {
        theta[t] = p;
        double g = h * p + (t == 0) + decay * p;
        buf = m * buf + g;
        p -= eta * (nesterov ? g + m * buf : buf);
    }
}

/* A filter as it is defined, with b and a of given lengths. */
static void direct_filter(const double *b, size_t nb, const double *a, size_t na, double eta,
                          double h, double *theta)
{
    for (size_t t = 0; t < STEPS; t++) {
        double p = 0;
        for (size_t k = 1; k < nb && k <= t; k++) p -= eta * b[k] * (h * theta[t - k] + (t == k));
        for (size_t k = 1; k < na && k <= t; k++) p -= a[k] * theta[t - k];
        theta[t] = p;
    }
}

static void averaged(const char *average, const double *theta, double *out)
{
    double x = atof(strchr(average, ':') + 1), avg = 0;
    for (int t = 0; t < STEPS; t++) {
        if (*average == 'e')
            avg = x * avg + (1 - x) * theta[t];
        else {
            avg = 0;
            for (int s = t; s >= 0 && s > t - (int)x; s--) avg += theta[s] / x;
        }
        out[t] = avg;
    }
}

static void same_response(const finf_optimizer *o, const char *average, double eta, double h,
                          const double *theta)
{
    double got[STEPS], got_average[STEPS], want[STEPS], size = 0;
    averaged(average, theta, want);
    ck_assert_int_eq(finf_optimizer_response(o, eta, h, STEPS, got, got_average), FINF_OK);
    for (int t = 0; t < STEPS; t++) {
        size = fmax(size, fabs(theta[t]));
        ck_assert_msg(fabs(got[t] + theta[t]) <= 1e-13 * size, "step %d of %s", t, average);
        ck_assert_msg(fabs(got_average[t] + want[t]) <= 1e-13 * size, "average %d", t);
    }
}

START_TEST(replayed)
{
    const double b[] = {0, 0.5, -0.25, 0.125}, a[] = {1, -1.25, 0.5, -0.375, 0.125};
    const char *const averages[] = {"ema:0.9", "last:7", "last:1", "ema:0"};
    double theta[STEPS];
    for (size_t k = 0; k < COUNT(averages); k++)
        for (double h = 1e-3; h < 2; h *= 7) {
            finf_optimizer *o = made("heavy-ball:0.9", averages[k], 0.25);
            torch_sgd(0, 0.9, 0.25, 0.1, h, theta);
            same_response(o, averages[k], 0.1, h, theta);
            finf_optimizer_free(o);
            o = made("nesterov:0.8", averages[k], 0);
            torch_sgd(1, 0.8, 0, 0.1, h, theta);
            same_response(o, averages[k], 0.1, h, theta);
            finf_optimizer_free(o);
            o = made("filter:0,0.5,-0.25,0.125;1,-1.25,0.5,-0.375,0.125", averages[k], 0);
            direct_filter(b, 4, a, 5, 0.1, h, theta);
            same_response(o, averages[k], 0.1, h, theta);
            finf_optimizer_free(o);
        }
    ck_assert_int_eq(finf_optimizer_response(NULL, -1, 1, 3, theta, NULL), FINF_EDOM);
    ck_assert(isnan(theta[0]) && isnan(theta[2]));
}
END_TEST

/* ---- the closed loop ---- */

/* The table of theory 11.1, and the response's decay, which knows no poles. */
START_TEST(stability)
{
    rng r = {11};
    for (int i = 0; i < 40; i++) {
        double m = uniform(&r), L = log_uniform(&r, 0.1, 10), mu = L * uniform(&r);
        char text[64];
        for (int nesterov = 0; nesterov < 2; nesterov++) {
            snprintf(text, sizeof text, "%s:%.17g", nesterov ? "nesterov" : "heavy-ball", m);
            finf_optimizer *o = made(text, "", 0);
            double edge = 2 * (1 + m) / (nesterov ? 1 + 2 * m : 1) / L;
            ASSERT_NEAR(finf_optimizer_eta_max(o, mu, L), edge, 1e-14, "%s, seed 11", text);
            ck_assert(finf_optimizer_stable(o, edge * (1 - 1e-12), L));
            ck_assert(!finf_optimizer_stable(o, edge * (1 + 1e-12), L));
            ASSERT_NEAR(finf_optimizer_step(o), 1 / (1 - m), 1e-14, "step of %s", text);
            finf_optimizer_free(o);
        }
    }
    ck_assert(finf_optimizer_eta_max(NULL, 0.1, 4) == 0.5);
    ck_assert(!finf_optimizer_stable(NULL, 0, 1) && !finf_optimizer_stable(NULL, NAN, 1));
    ck_assert(isnan(finf_optimizer_eta_max(NULL, 2, 1)));
}
END_TEST

/* A filter that is unstable for small and for large curvatures: the whole interval counts. P has a
 * pair of poles at |z| = 1.02, and b is such that all poles are at 1/2 for q = 1. */
START_TEST(conditional_stability)
{
    const double c = 2 * 1.02 * cos(0.5), r2 = 1.02 * 1.02;
    const double a[] = {1, -1 - c, c + r2, -r2}, want[] = {1, -1.5, 0.75, -0.125};
    char text[200];
    snprintf(text, sizeof text, "filter:0,%.17g,%.17g,%.17g;1,%.17g,%.17g,%.17g", want[1] - a[1],
             want[2] - a[2], want[3] - a[3], a[1], a[2], a[3]);
    finf_optimizer *o = made(text, "", 0);
    ck_assert(finf_optimizer_stable(o, 1, 1) && !finf_optimizer_stable(o, 1e-4, 1));
    double top = finf_optimizer_eta_max(o, 1, 1), bottom = 1;
    ck_assert(top > 1 && finf_optimizer_stable(o, top * (1 - 1e-12), 1));
    ck_assert(!finf_optimizer_stable(o, top * (1 + 1e-12), 1));
    while (finf_optimizer_stable(o, bottom, 1)) bottom *= 1 - 1e-4;
    /* [h, 1] fits below `top` as long as h is above bottom/top */
    ASSERT_NEAR(finf_optimizer_eta_max(o, 1.001 * bottom / top, 1), top, 1e-14, "it fits");
    ck_assert(finf_optimizer_eta_max(o, 0.999 * bottom / top, 1) == 0);
    finf_optimizer_free(o);
}
END_TEST

START_TEST(contraction)
{
    finf_real c;
    ck_assert_int_eq(finf_optimizer_contraction(NULL, 0.1, 0.01, 1, &c, NULL), FINF_OK);
    ASSERT_REAL(c, 0.999, 1e-15, 1e-14, "sgd");
    ck_assert_int_eq(finf_optimizer_contraction(NULL, 1.9, 0.5, 1, &c, NULL), FINF_OK);
    ASSERT_REAL(c, 0.9, 1e-14, 1e-14, "sgd at its largest curvature");
    /* The filter of the same numbers is asked between the ends too. */
    finf_optimizer *o = made("filter:0,1;1,-1", "", 0);
    for (double eta = 0.01; eta < 3; eta *= 1.3) {
        finf_real same;
        ck_assert_int_eq(finf_optimizer_contraction(NULL, eta, 0.01, 1, &c, NULL), FINF_OK);
        ck_assert_int_eq(finf_optimizer_contraction(o, eta, 0.01, 1, &same, NULL), FINF_OK);
        ASSERT_NEAR(c.value, same.value, 1e-14, "sgd as a filter");
    }
    finf_optimizer_free(o);
    o = made("heavy-ball:0.81", "", 0);
    ck_assert_int_eq(finf_optimizer_contraction(o, 0.01, 1, 100, &c, NULL), FINF_OK);
    ASSERT_REAL(c, 0.9, 1e-8, 1e-7, "critically damped: a double pole at sqrt(m)");
    ck_assert_int_eq(finf_optimizer_contraction(o, 0.01, 2, 100, &c, NULL), FINF_OK);
    ASSERT_REAL(c, 0.9, 1e-14, 1e-14, "underdamped: |z|^2 = m");
    ck_assert_int_eq(finf_optimizer_contraction(o, -1, 2, 100, &c, NULL), FINF_EDOM);
    ck_assert(isnan(c.value) && isinf(c.error));
    finf_optimizer_free(o);
    /* by the response's decay */
    o = made("filter:0,0.5,-0.25,0.125;1,-1.25,0.5,-0.375,0.125", "", 0);
    double theta[STEPS];
    finf_optimizer_response(o, 0.5, 0.4, STEPS, theta, NULL);
    ck_assert_int_eq(finf_optimizer_contraction(o, 0.5, 0.4, 0.4, &c, NULL), FINF_OK);
    ASSERT_NEAR(c.value, theta[200] / theta[199], 1e-9, "filter");
    ck_assert(c.error > 0 && c.error < 1e-13);
    finf_optimizer_free(o);
}
END_TEST

/* The gain of white noise: formula, recursion (a filter with the same numbers) and the sum of the
 * squared response. */
START_TEST(white_gain)
{
    const char *const pairs[][2] = {{"heavy-ball:0.75", "filter:0,1;1,-1.75,0.75"},
                                    {"nesterov:0.75", "filter:0,1.75,-0.75;1,-1.75,0.75"}};
    for (size_t i = 0; i < COUNT(pairs); i++)
        for (double q = 1e-12; q < 1.3; q *= 3) {
            finf_optimizer *o = made(pairs[i][0], "", 0), *f = made(pairs[i][1], "", 0);
            finf_real g, same;
            ck_assert_int_eq(loop_white_gain(o, q, &g), FINF_OK);
            ck_assert_int_eq(loop_white_gain(f, q, &same), FINF_OK);
            ASSERT_REAL(same, g.value, 1e-13, 1e-12, "%s, q = %g", pairs[i][1], q);
            if (q > 0.1) {
                double theta[STEPS];
                long double sum = 0;
                finf_optimizer_response(o, 1, q, STEPS, theta, NULL);
                for (int t = 0; t < STEPS; t++) sum += (long double)theta[t] * theta[t];
                ASSERT_REAL(g, (double)sum, 1e-13, 1e-14, "%s, q = %g", pairs[i][0], q);
            }
            finf_optimizer_free(o);
            finf_optimizer_free(f);
        }
}
END_TEST

/* ---- values ---- */

START_TEST(table)
{
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        char what[160];
        finf_optimizer *o = made(ROWS[i].optimizer, ROWS[i].average, ROWS[i].decay);
        finf_noise *noise = noise_made(ROWS[i].noise);
        finf_spectrum *s = spectrum_made(ROWS[i].spectrum, ROWS[i].dim);
        finf_linreg_options opt = finf_linreg_options_default();
        finf_linreg_result r;
        opt.privacy = (finf_privacy_setting){ROWS[i].rho, 1, ROWS[i].sigma_sgd};
        opt.kurtosis = ROWS[i].kurtosis;
        opt.optimizer = o;
        ck_assert_int_eq(finf_linreg(noise, ROWS[i].eta, s, &opt, &r), FINF_OK);
        snprintf(what, sizeof what, "row %zu, %s %s eta %g", i, ROWS[i].optimizer, ROWS[i].average,
                 ROWS[i].eta);
        /* a peak 1e-9 wide is known to some 1e-9 eps: the optimum has no closed part */
        int narrow = strstr(ROWS[i].optimizer, "999") != NULL;
        double loose = r.D < 1e-3 ? 1e-9 : 1e-10; /* the error grows like 1/D */
        ASSERT_REAL(r.exact, ROWS[i].F, 1e-12, loose, "F, %s", what);
        ASSERT_REAL(r.lti, ROWS[i].lti, 1e-12, 1e-11, "lti, %s", what);
        ASSERT_REAL(r.optimum, ROWS[i].best, narrow ? 1e-9 : 1e-12, narrow ? 1e-5 : loose,
                    "best, %s", what);
        ASSERT_REAL(r.gamma2, ROWS[i].gamma2, 1e-13, 1e-11, "gamma^2, %s", what);
        if (ROWS[i].kurtosis == -2 && ROWS[i].dim == 1) {
            finf_mean_options mo = {.privacy = opt.privacy, .optimizer = o};
            finf_mean_result m;
            ck_assert_int_eq(finf_mean(noise, ROWS[i].eta, &mo, &m), FINF_OK);
            ASSERT_REAL(m.F, ROWS[i].F, 1e-12, 1e-10, "mean, %s", what);
            ASSERT_REAL(m.F_optimal, ROWS[i].best, narrow ? 1e-9 : 1e-12, narrow ? 1e-5 : 1e-10,
                        "best mean, %s", what);
        }
        finf_optimizer_free(o);
        finf_noise_free(noise);
        finf_spectrum_free(s);
    }
}
END_TEST

/* The recursion of second moments itself, from theta_0 = theta* until it no longer moves: with the
 * rules replayed above, nothing of the library. F at the averaged point. */
enum { RUN = 1200 };

static double second_moments(const double *response, const double *averaged_response,
                             const double *beta, size_t nb, const double *lambda, size_t d,
                             double decay, double k, double sigma2, double sgd2)
{
    static double v[4][RUN], S[4][RUN];
    double F = 0;
    for (int t = 0; t < RUN; t++) {
        double Q = 0;
        F = 0;
        for (size_t j = 0; j < d; j++) {
            const double *g = response + j * RUN, *h = averaged_response + j * RUN;
            double noise = 0, noise_bar = 0, bar = 0;
            for (int s = 0; s <= t; s++) {
                double u = 0, u_bar = 0;
                for (size_t i = 0; i < nb && (int)i <= s; i++) {
                    u += beta[i] * g[s - (int)i];
                    u_bar += beta[i] * h[s - (int)i];
                }
                noise += u * u;
                noise_bar += u_bar * u_bar;
            }
            S[j][t] = sigma2 * noise;
            bar = sigma2 * noise_bar;
            for (int s = 0; s < t; s++) {
                S[j][t] += g[t - s] * g[t - s] * v[j][s];
                bar += h[t - s] * h[t - s] * v[j][s];
            }
            Q += lambda[j] * S[j][t];
            F += 0.5 * (lambda[j] + decay) * bar;
        }
        for (size_t j = 0; j < d; j++)
            v[j][t] = k * lambda[j] * lambda[j] * S[j][t] + lambda[j] * (Q + sgd2);
    }
    return F;
}

START_TEST(stationary_recursion)
{
    static const struct {
        const char *optimizer, *average;
        double decay, eta;
    } cases[] = {{"sgd", "", 0.3, 0.1},
                 {"heavy-ball:0.8", "", 0, 0.03},
                 {"heavy-ball:0.8", "ema:0.9", 0.2, 0.03},
                 {"nesterov:0.8", "", 0, 0.03},
                 {"nesterov:0.8", "last:9", 0, 0.03},
                 {"filter:0,0.5,-0.25,0.125;1,-1.25,0.5,-0.375,0.125", "ema:0.5", 0.1, 0.2}};
    static double g[4 * RUN], h[4 * RUN];
    const double lambda[] = {1, 0.7, 0.4}, beta[] = {1, -0.6, -0.2}, kurtosis = 0.5, sgd = 0.3;
    finf_noise *noise = noise_made("beta:1,-0.6,-0.2");
    finf_spectrum *s;
    ck_assert_int_eq(finf_spectrum_list(lambda, 3, &s, NULL), FINF_OK);
    for (size_t i = 0; i < COUNT(cases); i++) {
        finf_optimizer *o = made(cases[i].optimizer, cases[i].average, cases[i].decay);
        finf_linreg_result r = linreg(o, noise, cases[i].eta, s, sgd, kurtosis);
        for (size_t j = 0; j < 3; j++)
            finf_optimizer_response(o, cases[i].eta, lambda[j], RUN, g + j * RUN, h + j * RUN);
        double F = second_moments(g, h, beta, 3, lambda, 3, cases[i].decay, 1 + kurtosis,
                                  r.gamma2.value / 2, sgd * sgd);
        ASSERT_NEAR(r.exact.value, F, 1e-11, "%s %s", cases[i].optimizer, cases[i].average);
        ck_assert(r.lti.value < r.exact.value && isnan(r.upper.value));
        ck_assert(r.floor.value > 0 && r.floor.value <= r.optimum_lti.value);
        finf_optimizer_free(o);
    }
    finf_noise_free(noise);
    finf_spectrum_free(s);
}
END_TEST

/* Momentum 0 is sgd to the last bit; small momentum, averaging and decay change little. */
START_TEST(limits)
{
    finf_noise *noise = noise_made("nu:0.01");
    finf_spectrum *s = spectrum_made("power:1", 200);
    finf_linreg_result plain = linreg(NULL, noise, 0.02, s, 0.1, 0);
    const char *const same[] = {"sgd", "heavy-ball:0", "nesterov:0", "filter:0,1;1,-1"};
    for (size_t i = 0; i < COUNT(same); i++) {
        finf_optimizer *o = made(same[i], i % 2 ? "last:1" : "ema:0", 0);
        finf_linreg_result r = linreg(o, noise, 0.02, s, 0.1, 0);
        ck_assert(r.exact.value == plain.exact.value && r.optimum.value == plain.optimum.value &&
                  r.upper.value == plain.upper.value && r.floor.value == plain.floor.value);
        finf_optimizer_free(o);
    }
    static const struct {
        const char *optimizer, *average;
        double decay, off;
    } near[] = {{"heavy-ball:1e-13", "", 0, 1e-11},
                {"nesterov:1e-13", "", 0, 1e-11},
                {"filter:0,1.0000000000001;1,-1", "", 0, 1e-11},
                {"sgd", "ema:1e-13", 0, 1e-11},
                {"sgd", "", 1e-15, 1e-11}};
    for (size_t i = 0; i < COUNT(near); i++) {
        finf_optimizer *o = made(near[i].optimizer, near[i].average, near[i].decay);
        finf_linreg_result r = linreg(o, noise, 0.02, s, 0.1, 0);
        ASSERT_NEAR(r.exact.value, plain.exact.value, near[i].off, "%s", near[i].optimizer);
        ASSERT_NEAR(r.lti.value, plain.lti.value, near[i].off, "%s", near[i].optimizer);
        ASSERT_NEAR(r.optimum.value, plain.optimum.value, near[i].off, "%s", near[i].optimizer);
        ASSERT_NEAR(r.optimum_lti.value, plain.optimum_lti.value, near[i].off, "lti optimum");
        finf_optimizer_free(o);
    }
    finf_noise_free(noise);
    finf_spectrum_free(s);
}
END_TEST

/* Partial fractions (momentum) against panels (a filter with the same numbers), for noise of every
 * kind, real and complex poles. */
START_TEST(two_methods)
{
    const char *const noises[] = {"nu:0.003",
                                  "power:0.3,0.01",
                                  "antipgd:0.2",
                                  "beta:1,-0.5,0.2",
                                  "strategy:1,0.5,0.3",
                                  "blt:0.9,0.5;0.1,0.2",
                                  "product:0.1,1.7;0.4,-0.3",
                                  "bisr:12"};
    const char *const pairs[][2] = {{"heavy-ball:0.75", "filter:0,1;1,-1.75,0.75"},
                                    {"nesterov:0.5", "filter:0,1.5,-0.5;1,-1.5,0.5"}};
    const char *const averages[] = {"", "ema:0.875", "last:5"};
    finf_spectrum *s = spectrum_made("power:2", 6);
    for (size_t i = 0; i < COUNT(noises); i++)
        for (size_t j = 0; j < COUNT(pairs); j++)
            for (size_t k = 0; k < COUNT(averages); k++) {
                finf_optimizer *o = made(pairs[j][0], averages[k], 0),
                               *f = made(pairs[j][1], averages[k], 0);
                finf_noise *noise = noise_made(noises[i]);
                finf_linreg_result x = linreg(o, noise, 0.05, s, 0, 0),
                                   y = linreg(f, noise, 0.05, s, 0, 0);
                ck_assert_msg(fabs(x.exact.value - y.exact.value) <= x.exact.error + y.exact.error,
                              "%s %s %s", noises[i], pairs[j][0], averages[k]);
                ASSERT_NEAR(x.exact.value, y.exact.value, 1e-12, "%s", noises[i]);
                ck_assert(x.exact.value >= x.optimum.value * (1 - 1e-12));
                ck_assert(x.lti.value >= x.optimum_lti.value * (1 - 1e-12));
                finf_noise_free(noise);
                finf_optimizer_free(o);
                finf_optimizer_free(f);
            }
    finf_spectrum_free(s);
}
END_TEST

/* Groups of eigenvalues: formula against list, and both against one by one. */
START_TEST(many_directions)
{
    static const char *const optimizers[] = {"heavy-ball:0.9", "nesterov:0.99",
                                             "filter:0,1;1,-1.875,0.875"};
    enum { D = 600 };
    double lambda[D], k[D];
    finf_direction at[D];
    for (size_t i = 0; i < D; i++) {
        k[i] = (double)(i + 1);
        lambda[i] = 1 / k[i];
    }
    finf_spectrum *formula = spectrum_made("power:1", D), *list;
    ck_assert_int_eq(finf_spectrum_list(lambda, D, &list, NULL), FINF_OK);
    for (size_t i = 0; i < COUNT(optimizers); i++)
        for (int strange = 0; strange < 2; strange++) {
            finf_optimizer *o = made(optimizers[i], "", 0.001);
            /* the second one has a line at w = 1.05, which a resonance moves across */
            finf_noise *noise = noise_made(strange ? "strategy:1,-0.98,0.9604" : "nu:0.001");
            double eta = i == 1 ? 0.002 : 0.02, sum = 0, sum_lti = 0;
            finf_linreg_options opt = finf_linreg_options_default();
            opt.optimizer = o;
            finf_linreg_result x = linreg(o, noise, eta, formula, 0, 0),
                               y = linreg(o, noise, eta, list, 0, 0);
            ASSERT_NEAR(x.exact.value, y.exact.value, 1e-12, "list, %s", optimizers[i]);
            ASSERT_NEAR(x.optimum.value, y.optimum.value, 1e-12, "optimum, %s", optimizers[i]);
            ck_assert_int_eq(finf_linreg_directions(noise, eta, formula, &opt, k, D, at, NULL),
                             FINF_OK);
            for (size_t j = 0; j < D; j++) {
                sum += at[j].exact;
                sum_lti += at[j].lti;
            }
            ASSERT_NEAR(x.exact.value, sum, 1e-12, "directions, %s", optimizers[i]);
            ASSERT_NEAR(x.lti.value, sum_lti, 1e-12, "lti, %s", optimizers[i]);
            finf_noise_free(noise);
            finf_optimizer_free(o);
        }
    finf_spectrum_free(formula);
    finf_spectrum_free(list);
}
END_TEST

/* An unstable step is an answer, with the largest stable one beside it. */
START_TEST(largest_step)
{
    static const char *const optimizers[] = {"heavy-ball:0.9", "nesterov:0.9",
                                             "filter:0,0,1;1,-1.25,0.25"};
    finf_noise *noise = noise_made("nu:0.01");
    finf_spectrum *s = spectrum_made("power:1", 8);
    for (size_t i = 0; i < COUNT(optimizers); i++) {
        finf_optimizer *o = made(optimizers[i], "", 0);
        finf_real top;
        ck_assert_int_eq(finf_linreg_eta_max(s, 0, o, &top, NULL), FINF_OK);
        double eta = top.value;
        ck_assert(top.error > 0 && top.error < 1e-11 * eta);
        finf_linreg_result r = linreg(o, noise, eta * (1 - 1e-9), s, 0, 0);
        ck_assert(r.stable && isfinite(r.exact.value) && r.D > 0 && r.D < 1e-6);
        r = linreg(o, noise, eta * (1 + 1e-9), s, 0, 0);
        ck_assert(!r.stable && isinf(r.exact.value) && isinf(r.optimum.value));
        ck_assert(isfinite(r.lti.value) && strstr(r.reason.text, "largest stable eta"));
        r = linreg(o, noise, 40, s, 0, 0);
        ck_assert(isinf(r.lti.value) && isinf(r.exact.value));
        finf_mean_options mo = {.privacy = finf_privacy_setting_default(), .optimizer = o};
        finf_mean_result m;
        ck_assert_int_eq(finf_mean(noise, 40, &mo, &m), FINF_OK);
        ck_assert(isinf(m.F.value) && isinf(m.F_optimal.value) && !m.stable);
        finf_optimizer_free(o);
    }
    /* noise without a finite gamma, or that is not square-summable */
    finf_optimizer *o = made("nesterov:0.9", "ema:0.5", 0);
    finf_noise *cc = noise_made("cc"), *grows = noise_made("strategy:1,-2");
    ck_assert(isinf(linreg(o, cc, 0.01, s, 0, 0).exact.value));
    ck_assert(isinf(linreg(o, grows, 0.01, s, 0, 0).exact.value));
    finf_noise_free(cc);
    finf_noise_free(grows);
    finf_noise_free(noise);
    finf_optimizer_free(o);
    finf_spectrum_free(s);
}
END_TEST

/* Steps so small that 1 - q is 1: F is proportional to eta there, up to logarithms. */
START_TEST(small_steps)
{
    static const char *const optimizers[] = {"heavy-ball:0.75", "nesterov:0.75",
                                             "filter:0,1;1,-1.75,0.75"};
    finf_noise *sgd = noise_made("sgd"), *nu = noise_made("nu:0.5");
    finf_spectrum *s = spectrum_made("flat", 1);
    for (size_t i = 0; i < COUNT(optimizers); i++)
        for (int ema = 0; ema < 2; ema++)
            for (double eta = 1e-49; eta < 1e-10; eta *= 1e6) {
                finf_optimizer *o = made(optimizers[i], ema ? "ema:0.5" : "", 0);
                finf_linreg_result r = linreg(o, sgd, eta, s, 0.5, 0);
                /* white noise, eta_eff = 4 eta: (1/2) eta_eff/2 (1/2 + 1/4) */
                ASSERT_NEAR(r.exact.value, 0.75 * eta, 1e-9, "%s, eta = %g", optimizers[i], eta);
                ck_assert(r.exact.error < 1e-12 * r.exact.value);
                r = linreg(o, nu, eta, s, 0, 0);
                /* |B(0)|^2 = nu */
                ASSERT_NEAR(r.exact.value, 0.5 * eta * 0.5 * r.gamma2.value, 1e-8, "nu, %g", eta);
                finf_optimizer_free(o);
            }
    finf_noise_free(sgd);
    finf_noise_free(nu);
    finf_spectrum_free(s);
}
END_TEST

static finf_mean_result mean_of(const finf_optimizer *o, const finf_noise *noise, double eta)
{
    finf_mean_options opt = {.privacy = finf_linreg_options_default().privacy, .optimizer = o};
    finf_mean_result r;
    ck_assert_msg(finf_mean(noise, eta, &opt, &r) == FINF_OK, "%s", r.reason.text);
    return r;
}

/* Right, and honest but for the rounding of what it is compared with. */
static void check_mean(finf_real got, double want, double digits, const char *what, double off)
{
    ck_assert_msg(fabs(got.value - want) <= got.error + 2 * FINF_EPS * want, "%s, %g: %.17g %.17g",
                  what, off, got.value, want);
    ck_assert_msg(got.error <= digits * want, "%s, %g: error %g", what, off, got.error / want);
}

/* Up to the largest stable step, where a pole of the loop comes to z = -1: a rounded a + q b would
 * be off by 1e-16 over the distance to it. Heavy ball through white noise is an AR(2) process,
 * whose first autocorrelation is (1+m-q)/(1+m); with next to no momentum it is sgd, which has other
 * code. With a decay q is rounded, and the error is as large as that makes it. */
START_TEST(large_steps)
{
    const double nu = 0.1, m = 0.9, V = 0.3;
    finf_optimizer *ball = made("heavy-ball:0.9", "", 0), *decay = made("heavy-ball:0.9", "", V),
                   *sgd = made("heavy-ball:1e-30", "", 0);
    finf_noise *anti = noise_made("antipgd:0.1"), *half = noise_made("nu:0.1");
    for (double off = 0.1; off > 1e-15; off /= 10) {
        double eta = 2 * (1 + m) * (1 - off);
        for (int with = 0; with < 2; with++) {
            double step = with ? eta / (1 + V) : eta;
            schur_real p = 1 - (schur_real)nu, M = m, h = 1 + (schur_real)(with ? V : 0),
                       q = (schur_real)step * h, g = (1 + M) / ((1 - M) * q * (2 * (1 + M) - q)),
                       N = g * (1 + p * p - 2 * p * (1 + M - q) / (1 + M));
            /* half of h eta^2 sigma^2, sigma^2 = gamma^2/2, gamma^2 = 1/(nu (2-nu)) */
            double F = (double)(N * h * step * step / (4 * (1 - p * p)));
            if (with && off < 1e-14) continue; /* the rounded q may be beyond */
            check_mean(mean_of(with ? decay : ball, anti, step).F, F, with ? 1e-14 / off : 1e-13,
                       with ? "decay" : "AR(2)", off);
        }
        eta = 2 * (1 - off);
        finf_mean_result plain = mean_of(NULL, half, eta), r = mean_of(sgd, half, eta);
        check_mean(r.F, plain.F.value, 2e-13, "nu", off);
        check_mean(r.F_optimal, plain.F_optimal.value, 1e-13, "best", off);
    }
    finf_noise_free(anti);
    finf_noise_free(half);
    finf_optimizer_free(ball);
    finf_optimizer_free(decay);
    finf_optimizer_free(sgd);
}
END_TEST

/* The best noise attains the optimum, and the best nu is not below it. */
START_TEST(best_noise)
{
    static const struct {
        const char *optimizer, *average;
        double decay, eta;
    } cases[] = {{NULL, "", 0, 0.02},
                 {"heavy-ball:0.9", "", 0, 0.01},
                 {"nesterov:0.99", "ema:0.9", 0, 0.0005},
                 {"heavy-ball:0.8", "last:6", 0.01, 0.01},
                 {"filter:0,0.5,-0.25,0.125;1,-1.25,0.5,-0.375,0.125", "", 0, 0.02}};
    finf_spectrum *s = spectrum_made("power:1", 12);
    for (size_t i = 0; i < COUNT(cases); i++) {
        finf_optimizer *o = cases[i].optimizer
                                ? made(cases[i].optimizer, cases[i].average, cases[i].decay)
                                : NULL;
        finf_linreg_options opt = finf_linreg_options_default();
        finf_linreg_result tuned;
        finf_noise *noise = NULL;
        finf_reason why = {""};
        finf_real nu;
        opt.optimizer = o;
        opt.privacy.sigma_sgd = 0.1;
        ck_assert_msg(finf_linreg_best_noise(cases[i].eta, s, &opt, &noise, &why) == FINF_OK, "%s",
                      why.text);
        finf_linreg_result r = linreg(o, noise, cases[i].eta, s, 0.1, 0);
        ASSERT_NEAR(r.exact.value, r.optimum.value, 1e-9, "case %zu", i);
        ck_assert_int_eq(finf_tune_linreg(cases[i].eta, s, &opt, &nu, &tuned), FINF_OK);
        ck_assert(nu.value > 0 && nu.value <= 1 &&
                  tuned.exact.value >= r.optimum.value * (1 - 1e-12));
        finf_noise_free(noise);
        finf_mean_options mo = {.privacy = opt.privacy, .optimizer = o};
        finf_mean_result m, mean_tuned;
        finf_status status = finf_mean_best_noise(0.1, &mo, &noise, &why);
        if (strncmp(cases[i].average, "last", 4) == 0) {
            ck_assert(status == FINF_EDOM && !noise && strstr(why.text, "infinite"));
        } else {
            ck_assert_int_eq(status, FINF_OK);
            ck_assert_int_eq(finf_mean(noise, 0.1, &mo, &m), FINF_OK);
            ASSERT_NEAR(m.F.value, m.F_optimal.value, 1e-9, "mean, case %zu", i);
            ck_assert_int_eq(finf_tune_mean(0.1, &mo, &nu, &mean_tuned), FINF_OK);
            ck_assert(mean_tuned.F.value >= m.F_optimal.value * (1 - 1e-12));
            finf_noise_free(noise);
        }
        ck_assert_int_eq(finf_linreg_best_noise(100, s, &opt, &noise, &why), FINF_EDOM);
        ck_assert(!noise && strstr(why.text, "diverges"));
        ck_assert_int_eq(finf_mean_best_noise(-1, &mo, &noise, &why), FINF_EDOM);
        finf_optimizer_free(o);
    }
    finf_noise *nu;
    ck_assert_int_eq(finf_mean_best_noise(0.25, NULL, &nu, NULL), FINF_OK);
    ck_assert_str_eq(finf_noise_family(nu), "nu");
    finf_noise_free(nu);
    finf_spectrum_free(s);
}
END_TEST

/* What the tuned nu is: no nu nearby is better. */
START_TEST(tuned)
{
    finf_optimizer *o = made("nesterov:0.9", "", 0);
    finf_spectrum *s = spectrum_made("power:1", 16);
    finf_linreg_options opt = finf_linreg_options_default();
    finf_linreg_result best;
    finf_real nu;
    opt.optimizer = o;
    ck_assert_int_eq(finf_tune_linreg(0.005, s, &opt, &nu, &best), FINF_OK);
    for (double by = 0.5; by < 2; by *= 1.2) {
        finf_noise *noise;
        ck_assert_int_eq(finf_noise_nu(fmin(1, nu.value * by), &noise, NULL), FINF_OK);
        ck_assert(linreg(o, noise, 0.005, s, 0, 0).exact.value >= best.exact.value * (1 - 1e-12));
        finf_noise_free(noise);
    }
    finf_optimizer_free(o);
    finf_spectrum_free(s);
}
END_TEST

/* Each allocation fails in turn: a status and NaN, or the same number. */
START_TEST(out_of_memory)
{
    finf_optimizer *o = made("heavy-ball:0.9", "ema:0.5", 0);
    finf_noise *noise = noise_made("nu:0.01"), *best;
    finf_spectrum *s = spectrum_made("power:1", 100);
    finf_linreg_options opt = finf_linreg_options_default();
    finf_mean_options mo = {.privacy = finf_privacy_setting_default(), .optimizer = o};
    finf_linreg_result r, whole;
    finf_mean_result m;
    finf_direction at;
    const double k = 3;
    finf_real nu, eta;
    opt.optimizer = o;
    ck_assert_int_eq(finf_linreg(noise, 0.01, s, &opt, &whole), FINF_OK);
    for (long i = 1; i < 400; i++) {
        finf_optimizer *other;
        allocations_left = i;
        finf_status status[7];
        status[0] = finf_linreg(noise, 0.01, s, &opt, &r);
        allocations_left = i;
        status[1] = finf_mean(noise, 0.1, &mo, &m);
        allocations_left = i;
        status[2] = finf_linreg_directions(noise, 0.01, s, &opt, &k, 1, &at, NULL);
        allocations_left = i;
        status[3] = finf_mean_best_noise(0.1, &mo, &best, NULL);
        allocations_left = -1;
        if (!status[3]) finf_noise_free(best);
        allocations_left = i;
        status[4] = finf_optimizer_parse("filter:0,1;1,-1.5,0.5", NULL, 0, &other, NULL);
        allocations_left = -1;
        if (!status[4]) finf_optimizer_free(other);
        allocations_left = i;
        status[5] = finf_linreg_eta_max(s, 0, o, &eta, NULL);
        allocations_left = i;
        status[6] = i < 20 ? finf_tune_mean(0.1, &mo, &nu, &m) : FINF_OK;
        allocations_left = -1;
        for (int j = 0; j < 7; j++)
            ck_assert_msg(status[j] == FINF_OK || status[j] == FINF_ENOMEM, "call %d: %s", j,
                          finf_status_name(status[j]));
        if (status[0])
            ck_assert(isnan(r.exact.value) || r.exact.value == whole.exact.value);
        else
            ck_assert(r.exact.value == whole.exact.value);
        ck_assert(!status[2] || isnan(at.exact));
        ck_assert(!status[5] || isnan(eta.value));
    }
    finf_optimizer_free(o);
    finf_noise_free(noise);
    finf_spectrum_free(s);
}
END_TEST

static TCase *make(void)
{
    TCase *t = tcase_create("optimizer");
    tcase_add_test(t, spelling);
    tcase_add_test(t, refused);
    tcase_add_test(t, replayed);
    tcase_add_test(t, stability);
    tcase_add_test(t, conditional_stability);
    tcase_add_test(t, contraction);
    tcase_add_test(t, white_gain);
    tcase_add_test(t, table);
    tcase_add_test(t, stationary_recursion);
    tcase_add_test(t, limits);
    tcase_add_test(t, two_methods);
    tcase_add_test(t, many_directions);
    tcase_add_test(t, largest_step);
    tcase_add_test(t, small_steps);
    tcase_add_test(t, large_steps);
    tcase_add_test(t, best_noise);
    tcase_add_test(t, tuned);
    tcase_add_test(t, out_of_memory);
    return t;
}

int main(void) { return run_suite("optimizer", make); }
