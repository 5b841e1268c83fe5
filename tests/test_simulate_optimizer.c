/* bounds/simulate/montecarlo_optimizer.c: simulations with any linear optimizer, with fixed seeds.
 */
#include "montecarlo.h"
#include "spec.h"
#include "support.h"

enum { MEAN = FINF_SIMULATE_MEAN, LINREG = FINF_SIMULATE_LINREG, HUBER = FINF_SIMULATE_HUBER };

typedef struct {
    int problem;
    const char *noise, *spectrum, *optimizer, *average;
    double decay, eta, sgd;
    size_t steps;
    double start;
} setting;

static finf_status simulate(const setting *x, finf_simulate_options o, finf_simulate_result *r)
{
    finf_noise *noise;
    finf_spectrum *s = NULL;
    finf_optimizer *opt;
    finf_reason why = {""};
    ck_assert_int_eq(spec_noise(x->noise, &noise, NULL), FINF_OK);
    if (x->problem == LINREG) ck_assert_int_eq(spec_spectrum(x->spectrum, 8, &s, NULL), FINF_OK);
    ck_assert_msg(!finf_optimizer_parse(x->optimizer, x->average, x->decay, &opt, &why), "%s",
                  why.text);
    o.optimizer = opt;
    o.privacy.sigma_sgd = x->sgd;
    o.steps = x->steps;
    o.start = x->start;
    finf_status status = finf_simulate(noise, (finf_simulate_problem)x->problem, x->eta, s, &o, r);
    finf_noise_free(noise);
    finf_spectrum_free(s);
    finf_optimizer_free(opt);
    return status;
}

/* Every setting within 4 standard errors of `exact`, and the squares of z together within the 0.001
 * and 0.999 quantiles of their chi^2, by Wilson and Hilferty's formula. */
static void agree(const setting *settings, size_t n, unsigned long long seed)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        finf_simulate_options o = finf_simulate_options_default();
        finf_simulate_result r;
        o.kappa = 1;
        o.smooth = 2;
        o.relative_error = 0.004;
        o.threads = 2;
        o.seed = seed + i;
        finf_status s = simulate(&settings[i], o, &r);
        ck_assert_msg(s == FINF_OK, "setting %zu: %s: %s", i, finf_status_text(s), r.reason.text);
        double z = (r.F.value - r.exact.value) / r.F.error;
        if (getenv("FINF_TEST_VERBOSE"))
            printf("%2zu z %6.2f  F %.6g +- %.2g  exact %.6g  steps %.3g chains %g of %g (burn-in "
                   "%g)  %.3g s\n",
                   i, z, r.F.value, r.F.error, r.exact.value, r.steps, r.chains, r.chain_steps,
                   r.burn_in, r.seconds);
        ck_assert_msg(fabs(z) < 4, "setting %zu: %.6g +- %.2g, exact %.6g: z = %.2f", i, r.F.value,
                      r.F.error, r.exact.value, z);
        ck_assert(r.F.error <= 0.004 * r.F.value && r.F.error > 0.0004 * r.F.value);
        sum += z * z;
    }
    double k = (double)n, a = 2 / (9 * k), low = 1 - a - 3.09 * sqrt(a),
           high = 1 - a + 3.09 * sqrt(a);
    ck_assert_msg(sum < k * high * high * high && (low < 0 || sum > k * low * low * low),
                  "sum of z^2 over %zu settings: %.3g", n, sum);
}

static const setting FINITE[] = {
    {MEAN, "nu:0.1", NULL, "heavy-ball:0.7", "none", 0, 0.1, 0.5, 17, 1},
    {MEAN, "cc", NULL, "nesterov:0.9", "ema:0.8", 0, 0.05, 0, 60, 0.3},
    {MEAN, "beta:1,-0.5,0.2", NULL, "sgd", "last:8", 0.2, 0.1, 0.3, 20, 1},
    {LINREG, "nu:0.01", "power:1", "heavy-ball:0.9", "none", 0, 0.02, 0.2, 40, 1},
    {LINREG, "sgd", "power:1", "nesterov:0.8", "none", 0.05, 0.02, 0, 25, 2},
    {LINREG, "blt:0.9;0.3", "power:0.5", "heavy-ball:0.5", "ema:0.9", 0, 0.02, 0.1, 50, 1},
    {LINREG, "nu:0.05", "exp:0.3", "filter:0,0.5,0.3,0.2;1,-1", "last:10", 0, 0.05, 0, 30, 1},
    {LINREG, "cc", "power:1", "filter:0,2,-1;2,-3,1.5,-0.75,0.25", "last:100", 0.1, 0.02, 0, 40, 1},
    {HUBER, "nu:0.05", NULL, "heavy-ball:0.8", "ema:0.5", 0.3, 0.05, 0.3, 30, 4},
};

START_TEST(after_some_steps) { agree(FINITE, COUNT(FINITE), 300); }
END_TEST

static const setting STATIONARY[] = {
    {MEAN, "nu:0.1", NULL, "heavy-ball:0.7", "none", 0, 0.05, 0, 0, 0},
    {MEAN, "beta:1,-0.5,0.2", NULL, "nesterov:0.6", "last:12", 0.1, 0.05, 0.3, 0, 0},
    {LINREG, "nu:0.01", "power:1", "heavy-ball:0.9", "none", 0, 0.01, 0, 0, 0},
    {LINREG, "nu:0.01", "power:1", "heavy-ball:0.9", "ema:0.95", 0, 0.01, 0, 0, 0},
    {LINREG, "nu:0.01", "power:1", "nesterov:0.9", "none", 0, 0.01, 0.1, 0, 0},
    {LINREG, "sgd", "power:0.5", "filter:0,0.5,0.3,0.2;1,-1", "last:30", 0.05, 0.03, 0, 0, 0},
    {HUBER, "nu:0.05", NULL, "nesterov:0.5", "none", 0.3, 0.05, 0.3, 0, 0},
};

START_TEST(stationary) { agree(STATIONARY, COUNT(STATIONARY), 400); }
END_TEST

/* The steps themselves, from the same numbers: PyTorch's rule, a loop over coordinates. */
START_TEST(replayed)
{
    enum { D = 3, STEPS = 40 };
    static const char *const RULES[] = {"sgd", "heavy-ball:0.9", "nesterov:0.7"};
    double lambda[D] = {1, 0.5, 0.1}, root[D], start[D] = {1, -2, 0.5};
    static double x[STEPS * D * LANES], w[STEPS * D * LANES], xi[STEPS * LANES],
        u[STEPS * D * LANES];
    rng random = {5};
    for (size_t j = 0; j < D; j++) root[j] = sqrt(lambda[j]);
    for (size_t i = 0; i < COUNT(x); i++) {
        x[i] = uniform(&random) - 0.5;
        w[i] = uniform(&random) - 0.5;
    }
    for (size_t i = 0; i < COUNT(xi); i++) xi[i] = uniform(&random) - 0.5;
    for (size_t i = 0; i < 2 * COUNT(RULES); i++) {
        double m = i % COUNT(RULES) == 1 ? 0.9 : i % COUNT(RULES) == 2 ? 0.7 : 0;
        int nesterov = i % COUNT(RULES) == 2, clip = i >= COUNT(RULES);
        finf_optimizer *opt;
        ck_assert_int_eq(finf_optimizer_parse(RULES[i % COUNT(RULES)], "ema:0.9", 0.05, &opt, NULL),
                         FINF_OK);
        plan p = {.problem = FINF_SIMULATE_LINREG,
                  .d = D,
                  .width = D * LANES,
                  .lambda = lambda,
                  .root = root,
                  .sigma = 0.4,
                  .clip = clip ? 0.1 : INFINITY,
                  .window = 1,
                  .optimizer = opt,
                  .rule = update_rule_make(opt, 0.1),
                  .decay = 0.05,
                  .keep = 0.9,
                  .gain = 0.1};
        p.o.privacy.sigma_sgd = 0.3;
        double theta[D * LANES], buffers[D * LANES], first[D * LANES], mean[D * LANES],
            F[LANES] = {0}, cut[LANES] = {0};
        worker k = {.p = &p,
                    .theta = theta,
                    .buffers = buffers,
                    .first = first,
                    .average = mean,
                    .x = x,
                    .w = u,
                    .xi = xi};
        memcpy(u, w, sizeof w);
        for (size_t e = 0; e < D * LANES; e++) theta[e] = start[e / LANES];
        optimizer_start(&k);
        optimizer_tile(&k, 0, STEPS, F, cut);
        for (size_t l = 0; l < LANES; l++) {
            double q[D], avg[D], buf[D] = {0}, loss = 0, cuts = 0;
            for (size_t j = 0; j < D; j++) avg[j] = q[j] = start[j];
            for (size_t t = 0; t < STEPS; t++) {
                double r = -0.3 * xi[t * LANES + l], norm = 0;
                for (size_t j = 0; j < D; j++) {
                    double in = root[j] * x[(t * D + j) * LANES + l];
                    r += in * q[j];
                    norm += in * in;
                    loss += 0.5 * (lambda[j] + 0.05) * avg[j] * avg[j];
                }
                norm = fabs(r) * sqrt(norm);
                double scale = norm > p.clip ? p.clip / norm : 1;
                cuts += norm > p.clip;
                for (size_t j = 0; j < D; j++) {
                    size_t at = (t * D + j) * LANES + l;
                    double g = scale * r * root[j] * x[at] + 0.4 * w[at] + 0.05 * q[j];
                    buf[j] = m * buf[j] + g;
                    q[j] -= 0.1 * (nesterov ? g + m * buf[j] : buf[j]);
                    avg[j] = 0.9 * avg[j] + 0.1 * q[j];
                }
            }
            for (size_t j = 0; j < D; j++) {
                ck_assert(fabs(theta[j * LANES + l] - q[j]) < 1e-13);
                ck_assert(fabs(mean[j * LANES + l] - avg[j]) < 1e-13);
            }
            ASSERT_NEAR(F[l], loss, 1e-13, "F of %s", RULES[i % COUNT(RULES)]);
            ck_assert(cut[l] == cuts && (cuts > 0) == clip);
        }
        finf_optimizer_free(opt);
    }
}
END_TEST

/* What is sgd in other words takes the same steps, clipped or not, quadratic or not. */
START_TEST(sgd_in_other_words)
{
    static const char *const WORDS[] = {"heavy-ball:0", "nesterov:0", "filter:0,1;1,-1",
                                        "filter:0,2,-1;2,-3,1"}; /* a zero on a pole, at 1/2 */
    for (int problem = MEAN; problem <= HUBER; problem++)
        for (int clip = 0; clip < 2; clip++)
            for (size_t i = 0; i < COUNT(WORDS); i++) {
                setting x = {problem, "nu:0.05", "power:1", "sgd", "none", 0, 0.1, 0.3, 30, 2};
                finf_simulate_options o = finf_simulate_options_default();
                finf_simulate_result a, b;
                o.clip_gradients = clip;
                o.kappa = 5;
                o.knee = 0.5;
                ck_assert_int_eq(simulate(&x, o, &a), FINF_OK);
                x.optimizer = WORDS[i];
                ck_assert_int_eq(simulate(&x, o, &b), FINF_OK);
                ASSERT_NEAR(b.F.value, a.F.value, 1e-12, "%s", WORDS[i]);
                ck_assert(a.steps == b.steps && a.clipped_fraction == b.clipped_fraction);
                ck_assert(isnan(a.exact.value) == isnan(b.exact.value));
                if (!isnan(a.exact.value))
                    ASSERT_NEAR(b.exact.value, a.exact.value, 1e-12, "exact, %s", WORDS[i]);
            }
}
END_TEST

/* To the bit on any number of threads, for every average. */
START_TEST(reproducible)
{
    static const setting WHICH[] = {
        {LINREG, "nu:0.01", "power:1", "heavy-ball:0.9", "last:9", 0.1, 0.01, 0.5, 0, 0},
        {LINREG, "beta:1,-0.5", "power:1", "filter:0,0.5,0.3,0.2;1,-1", "ema:0.9", 0, 0.03, 1, 0,
         0},
        {MEAN, "nu:0.1", NULL, "nesterov:0.5", "last:5", 0, 0.1, 0.5, 40, 1},
        {HUBER, "sgd", NULL, "heavy-ball:0.7", "none", 0, 0.1, 0.5, 0, 0}};
    for (size_t i = 0; i < COUNT(WHICH); i++)
        for (int clip = 0; clip < 2; clip++) {
            finf_simulate_options o = finf_simulate_options_default();
            finf_simulate_result one, other;
            o.relative_error = 0.02;
            o.clip_gradients = clip;
            ck_assert_int_eq(simulate(&WHICH[i], o, &one), FINF_OK);
            ck_assert((one.clipped_fraction > 0) == clip);
            ck_assert(isnan(one.exact.value) == (clip || WHICH[i].problem == HUBER));
            o.threads = 3;
            ck_assert_int_eq(simulate(&WHICH[i], o, &other), FINF_OK);
            ck_assert(one.F.value == other.F.value && one.F.error == other.F.error);
            ck_assert(one.steps == other.steps && one.chains == other.chains);
        }
}
END_TEST

static int stop_now(void *count) { return --*(int *)count < 0; }

/* What does not settle is infinite or refused, with a reason; a stop is a stop. */
START_TEST(infinite_refused_stopped)
{
    finf_simulate_options o = finf_simulate_options_default();
    finf_simulate_result r;
    setting x = {LINREG, "nu:0.01", "power:1", "heavy-ball:0.9", "none", 0, 0.5, 0, 0, 0};
    ck_assert_int_eq(simulate(&x, o, &r), FINF_OK); /* diverges in mean square */
    ck_assert(isinf(r.F.value) && r.reason.text[0]);
    x.problem = HUBER; /* heavy ball is stable for eta h < 2 (1 + m) */
    x.eta = 3.79;
    ck_assert_int_eq(simulate(&x, o, &r), FINF_OK);
    ck_assert(r.knee > 0 && isfinite(r.F.value));
    x.eta = 3.81;
    ck_assert_int_eq(simulate(&x, o, &r), FINF_EDOM);
    ck_assert(isnan(r.F.value) && strstr(r.reason.text, "not stable"));
    x.eta = 0.01;
    x.average = "last:100000";
    x.problem = LINREG;
    o.max_steps = 1e6;
    ck_assert_int_eq(simulate(&x, o, &r), FINF_ETOL);
    ck_assert(isnan(r.F.value) && strstr(r.reason.text, "max-steps"));
    x.average = "last:100";
    int polls = 20;
    o.cancel = (finf_cancel){stop_now, &polls};
    ck_assert_int_eq(simulate(&x, o, &r), FINF_ETOL);
    ck_assert(strstr(r.reason.text, "interrupted"));
}
END_TEST

static TCase *make(void)
{
    TCase *tc = tcase_create("simulation with any optimizer");
    tcase_add_test(tc, after_some_steps);
    tcase_add_test(tc, replayed);
    tcase_add_test(tc, sgd_in_other_words);
    tcase_add_test(tc, stationary);
    tcase_add_test(tc, reproducible);
    tcase_add_test(tc, infinite_refused_stopped);
    return tc;
}

int main(void) { return run_suite("simulate_optimizer", make); }
