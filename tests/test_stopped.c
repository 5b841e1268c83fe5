/* A cancel of mean estimation and linear regression: wherever it comes, no number is made up. */
#include "support.h"

static int stop_soon(void *polls) { return --*(int *)polls < 0; }
static int count(void *polls) { return ++*(int *)polls < 0; }

static finf_noise *noise_made(const char *text)
{
    finf_noise *noise;
    ck_assert_int_eq(finf_noise_parse(text, &noise, NULL), FINF_OK);
    return noise;
}

static finf_spectrum *harmonic(double d)
{
    finf_spectrum *s;
    ck_assert_int_eq(finf_spectrum_power(1, d, &s, NULL), FINF_OK);
    return s;
}

static finf_optimizer *optimizer(void)
{
    finf_optimizer *o;
    ck_assert_int_eq(finf_optimizer_parse("nesterov:0.9", "last:4", 0, &o, NULL), FINF_OK);
    return o;
}

static void assert_stopped(finf_status status, const finf_reason *why)
{
    ck_assert_int_eq(status, FINF_ETOL);
    ck_assert_str_eq(why->text, "stopped");
}

/* Every poll of a call may be the one that stops it; without one the answer is that of no cancel.
 */
static void every_poll(double eta, const finf_noise *noise, const finf_spectrum *s)
{
    finf_optimizer *rule = optimizer();
    finf_linreg_options o = finf_linreg_options_default();
    finf_linreg_result plain, r;
    int polls = 0;
    o.optimizer = rule;
    ck_assert_int_eq(finf_linreg(noise, eta, s, &o, &plain), FINF_OK);
    o.cancel = (finf_cancel){count, &polls};
    ck_assert_int_eq(finf_linreg(noise, eta, s, &o, &r), FINF_OK);
    ck_assert(r.stable == plain.stable && r.lti.value == plain.lti.value);
    int all = polls;
    ck_assert_int_gt(all, 8); /* at least one a direction */
    for (int i = 0; i < all; i += 1 + all / 50) {
        polls = i;
        o.cancel.poll = stop_soon;
        assert_stopped(finf_linreg(noise, eta, s, &o, &r), &r.reason);
        ck_assert(isnan(r.exact.value) || (isinf(r.exact.value) && isinf(plain.exact.value)));
        ck_assert(isnan(r.lti.value) && isnan(r.optimum_lti.value));
    }
    finf_optimizer_free(rule);
}

START_TEST(regression)
{
    finf_noise *noise = noise_made("blt:0.9;0.1"); /* its sums are made finer until they settle */
    finf_spectrum *s = harmonic(8), *many = harmonic(1000);
    every_poll(0.01, noise, s);
    every_poll(0.002, noise, many);
    every_poll(0.5, noise, s); /* diverges: the largest stable step is searched for */
    finf_noise_free(noise);
    finf_spectrum_free(s);
    finf_spectrum_free(many);
}
END_TEST

START_TEST(largest_step)
{
    finf_spectrum *s = harmonic(8);
    finf_optimizer *rule = optimizer();
    finf_linreg_options o = finf_linreg_options_default();
    finf_real eta, same;
    finf_reason why;
    int polls = 0;
    ck_assert_int_eq(finf_linreg_eta_max(s, 0, NULL, &same, NULL), FINF_OK);
    ck_assert_int_eq(finf_linreg_eta_max_with(s, NULL, &eta, NULL), FINF_OK);
    ck_assert(eta.value == same.value);
    o.optimizer = rule;
    o.cancel = (finf_cancel){count, &polls};
    ck_assert_int_eq(finf_linreg_eta_max(s, 0, rule, &same, NULL), FINF_OK);
    ck_assert_int_eq(finf_linreg_eta_max_with(s, &o, &eta, NULL), FINF_OK);
    ck_assert(eta.value == same.value && eta.error == same.error);
    int all = polls;
    for (int i = 0; i < all; i += 1 + all / 50) {
        polls = i;
        o.cancel.poll = stop_soon;
        assert_stopped(finf_linreg_eta_max_with(s, &o, &eta, &why), &why);
        ck_assert(isnan(eta.value));
    }
    o.kurtosis = -3;
    ck_assert_int_eq(finf_linreg_eta_max_with(s, &o, &eta, &why), FINF_EDOM);
    finf_optimizer_free(rule);
    finf_spectrum_free(s);
}
END_TEST

START_TEST(mean_and_tuned)
{
    finf_noise *noise = noise_made("nu:0.01"), *best;
    finf_spectrum *s = harmonic(8);
    finf_optimizer *rule = optimizer();
    finf_mean_options m = finf_mean_options_default();
    finf_linreg_options o = finf_linreg_options_default();
    finf_mean_result mean;
    finf_linreg_result r;
    finf_reason why;
    finf_real nu;
    double power, single;
    int polls = 0;
    m.optimizer = o.optimizer = rule;
    m.cancel = o.cancel = (finf_cancel){stop_soon, &polls};
    for (int i = 0; i < 3; i++) {
        polls = i;
        assert_stopped(finf_mean(noise, 0.1, &m, &mean), &mean.reason);
        ck_assert(isnan(mean.F.value) && isnan(mean.F_optimal.value));
    }
    for (int i = 0; i < 50; i += 10) {
        polls = i;
        assert_stopped(finf_tune_mean(0.1, &m, &nu, &mean), &mean.reason);
        ck_assert(isnan(nu.value));
        polls = i;
        assert_stopped(finf_tune_linreg(0.01, s, &o, &nu, &r), &r.reason);
        ck_assert(isnan(nu.value));
        polls = i;
        assert_stopped(finf_tune_power_linreg(0.01, s, &o, &power, &single, &r), &r.reason);
        ck_assert(isnan(power) && isnan(single));
    }
    polls = 0;
    assert_stopped(finf_linreg_best_noise(0.01, s, &o, &best, &why), &why);
    finf_optimizer_free(rule);
    finf_noise_free(noise);
    finf_spectrum_free(s);
}
END_TEST

static TCase *make(void)
{
    TCase *t = tcase_create("stopped");
    tcase_add_test(t, regression);
    tcase_add_test(t, largest_step);
    tcase_add_test(t, mean_and_tuned);
    return t;
}

int main(void) { return run_suite("stopped", make); }
