/* BLTs designed for a run, for F_inf and for the bound of every convex F: against SciPy and dense
 * matrices, against the fits that know no run, and by perturbation of what was found. */
#include "no_memory.h"

#include <string.h>

#include "blt_fit.h"
#include "design.h"
#include "support.h"

static const struct {
    finf_design_objective objective;
    const char *rule;
    size_t steps;
    double dim, eta;
    size_t k, b, buffers;
    double loss;
} GIVEN[] = {
#include "tables/design_blt.inc"
};

static finf_design_options unit(finf_design_objective objective)
{
    finf_design_options o = finf_design_options_default();
    o.privacy.rho = 0.5; /* G^2/(2 rho) = 1 */
    o.objective = objective;
    return o;
}

static finf_design *run_of(double dim, double eta, size_t n, const finf_design_options *o)
{
    finf_design *r = NULL;
    finf_spectrum *s = NULL;
    finf_reason why = {""};
    ck_assert_int_eq(finf_spectrum_power(1, dim, &s, NULL), FINF_OK);
    ck_assert_msg(finf_design_make(eta, s, n, o, &r, &why) == FINF_OK, "%s", why.text);
    finf_spectrum_free(s);
    return r;
}

static finf_design *prefix_of(size_t n, const finf_design_options *o)
{
    finf_design *r = NULL;
    ck_assert_int_eq(finf_design_prefix(n, o, &r, NULL), FINF_OK);
    return r;
}

/* What every fit has: decreasing decays, positive scales, a proof, and a result of its noise. */
static finf_design_result fitted(const finf_design *r, size_t buffers, finf_blt_fit *fit)
{
    finf_design_result x;
    finf_status s = finf_design_blt(r, buffers, fit, &x);
    ck_assert_msg(s == FINF_OK, "%s", x.reason.text);
    ck_assert(fit->buffers >= 1 && fit->buffers <= buffers && x.memory <= fit->buffers);
    ck_assert(fit->stable && fit->proved[0]);
    for (size_t i = 0; i < fit->buffers; i++)
        ck_assert(fit->scale[i] > 0 && fit->decay[i] < (i ? fit->decay[i - 1] : 1));
    ck_assert_str_eq(x.family, "blt");
    ck_assert_ptr_nonnull(x.noise);
    return x;
}

/* ---- a run ----------------------------------------------------------------------------------- */

START_TEST(table)
{
    finf_design_options o = unit(GIVEN[_i].objective);
    finf_optimizer *rule = NULL;
    finf_blt_fit fit;
    if (GIVEN[_i].rule)
        ck_assert_int_eq(finf_optimizer_parse(GIVEN[_i].rule, NULL, 0, &rule, NULL), FINF_OK);
    o.optimizer = rule;
    o.participations = GIVEN[_i].k;
    o.separation = GIVEN[_i].b;
    finf_design *r = rule ? run_of(GIVEN[_i].dim, GIVEN[_i].eta, GIVEN[_i].steps, &o)
                          : prefix_of(GIVEN[_i].steps, &o);
    finf_design_result x = fitted(r, GIVEN[_i].buffers, &fit);
    ck_assert(x.sens2_exact);
    ASSERT_NEAR(x.loss.value, GIVEN[_i].loss, 2e-6, "SciPy's least");
    ASSERT_NEAR(fit.loss.value, x.loss.value, 1e-11, "the fit's own loss");
    finf_design_result_free(&x);
    finf_design_free(r);
    finf_optimizer_free(rule);
}
END_TEST

/* More buffers lose no more; all are above the best Toeplitz noise, and near it; what is spelled
 * is the same noise. */
START_TEST(order)
{
    finf_design_options o = unit(_i ? FINF_DESIGN_AVERAGE : FINF_DESIGN_LAST);
    finf_design *r = run_of(16, 0.1, 200, &o);
    finf_design_result all;
    ck_assert_int_eq(finf_design_toeplitz(r, 0, &all), FINF_OK);
    double before = INFINITY;
    for (size_t k = 1; k <= 5; k++) {
        finf_blt_fit fit;
        finf_design_result x = fitted(r, k, &fit), y;
        char text[1024];
        finf_noise *pasted = NULL;
        ck_assert(x.loss.value >= all.loss.value * (1 - 1e-9));
        ck_assert_msg(x.loss.value <= before * (1 + 1e-7), "%zu buffers", k);
        before = x.loss.value;
        ck_assert_int_eq(finf_noise_spell(x.noise, text, sizeof text), FINF_OK);
        ck_assert_int_eq(finf_noise_parse(text, &pasted, NULL), FINF_OK);
        ck_assert_int_eq(finf_design_noise(r, pasted, &y), FINF_OK);
        ASSERT_NEAR(y.loss.value, x.loss.value, 1e-14, "pasted");
        finf_noise_free(pasted);
        finf_design_result_free(&y);
        finf_design_result_free(&x);
    }
    ck_assert(before < 1.001 * all.loss.value);
    finf_design_result_free(&all);
    finf_design_free(r);
}
END_TEST

/* The best two buffers may have a decay of 0: as low as those that were once given, and more
 * buffers are no worse. */
START_TEST(decay_zero)
{
    static const double LEAST[] = {0.2232577039, 0.1921187226};
    finf_design_options o = unit(_i ? FINF_DESIGN_AVERAGE : FINF_DESIGN_LAST);
    o.participations = 4;
    o.separation = 15;
    finf_design *r = run_of(8, 0.1, 60, &o);
    for (size_t k = 2; k <= 4; k++) {
        finf_blt_fit fit;
        finf_design_result x = fitted(r, k, &fit);
        ck_assert_msg(x.loss.value <= LEAST[_i] * (1 + 1e-9), "%zu: %.12g", k, x.loss.value);
        finf_design_result_free(&x);
    }
    finf_design_free(r);
}
END_TEST

/* Nor in a run that is not searched buffer by buffer. */
START_TEST(more_are_no_worse)
{
    finf_design_options o = unit(FINF_DESIGN_LAST);
    finf_optimizer *rule = NULL;
    ck_assert_int_eq(finf_optimizer_parse("heavy-ball:0.9", NULL, 0, &rule, NULL), FINF_OK);
    o.optimizer = rule;
    o.participations = 4;
    o.separation = 100;
    finf_design *r = run_of(64, 0.05, 400, &o);
    double before = INFINITY;
    for (size_t k = 1; k <= 4; k++) {
        finf_blt_fit fit;
        finf_design_result x = fitted(r, k, &fit);
        ck_assert_msg(x.loss.value <= before, "%zu: %.12g", k, x.loss.value);
        ASSERT_NEAR(fit.loss.value, x.loss.value, 1e-11, "the fit's own loss");
        before = x.loss.value;
        finf_design_result_free(&x);
    }
    finf_design_free(r);
    finf_optimizer_free(rule);
}
END_TEST

/* A long run goes through shorter ones, and ends where the fit for F_inf does. */
START_TEST(long_run)
{
    finf_design_options o = unit(FINF_DESIGN_LAST);
    finf_linreg_options l = finf_linreg_options_default();
    finf_spectrum *s;
    l.privacy.rho = 0.5;
    ck_assert_int_eq(finf_spectrum_power(1, 16, &s, NULL), FINF_OK);
    for (int epochs = 0; epochs < 2; epochs++) {
        if (epochs) {
            o.participations = 3;
            o.separation = 5000;
        }
        finf_design *r = run_of(16, 0.1, 15000, &o);
        for (size_t k = 1; k <= 4; k++) {
            finf_blt_fit fit, limit;
            finf_design_result x = fitted(r, k, &fit);
            ck_assert_int_eq(finf_blt_fit_linreg(0.1, s, &l, k, NULL, &limit), FINF_OK);
            ck_assert(x.sens2_exact);
            ASSERT_NEAR(x.loss.value, (epochs ? 3 : 1) * limit.loss.value, 3e-5, "F_inf");
            finf_design_result_free(&x);
        }
        finf_design_free(r);
    }
    finf_spectrum_free(s);
}
END_TEST

/* Known ceilings of prefix sums: sqrt(largest loss) <= ratio (1 + ln n/pi). */
START_TEST(ceilings)
{
    static const struct {
        size_t n, buffers;
        double ratio;
    } rows[] = {{1000, 3, 1.03}, {100000, 4, 1.03}, {1000000, 5, 1.05}};
    finf_design_options o = unit(FINF_DESIGN_MAX);
    finf_design *r = prefix_of(rows[_i].n, &o);
    finf_blt_fit fit, closed;
    finf_design_result x = fitted(r, rows[_i].buffers, &fit);
    double most = rows[_i].ratio * (1 + log((double)rows[_i].n) / FINF_PI);
    ck_assert_msg(sqrt(x.loss.value) <= most, "%.6f > %.6f", sqrt(x.loss.value), most);
    ck_assert_int_eq(
        finf_blt_fit_prefix(rows[_i].n, FINF_BLT_LARGEST, rows[_i].buffers, NULL, &closed),
        FINF_OK);
    ASSERT_NEAR(x.loss.value, closed.loss.value, 1e-7, "the closed form's fit");
    finf_design_result_free(&x);
    finf_design_free(r);
}
END_TEST

/* One step, and two: the noise of a BLT of one buffer is any; and what overflows is no number. */
START_TEST(ends)
{
    finf_design_options o = unit(FINF_DESIGN_LAST);
    finf_optimizer *rule = NULL;
    finf_blt_fit fit;
    finf_design_result x;
    for (size_t n = 1; n <= 2; n++) {
        finf_design *r = prefix_of(n, &o);
        x = fitted(r, 1, &fit);
        ASSERT_NEAR(x.loss.value, n == 1 ? 1 : 1.5625, 1e-9, "prefix sums"); /* c_1 = 1/2 */
        finf_design_result_free(&x);
        finf_design_free(r);
    }
    ck_assert_int_eq(finf_optimizer_parse("heavy-ball:0.9", NULL, 0, &rule, NULL), FINF_OK);
    o.optimizer = rule;
    finf_design *r = run_of(64, 0.5, 3000, &o);
    ck_assert_int_eq(finf_design_blt(r, 2, &fit, &x), FINF_EDOM);
    ck_assert(isnan(x.loss.value) && !x.system && strstr(x.reason.text, "overflows"));
    ck_assert_int_eq(finf_design_blt(r, 0, NULL, &x), FINF_EDOM);
    ck_assert_int_eq(finf_design_blt(r, 11, NULL, &x), FINF_EDOM);
    finf_design_free(r);
    finf_optimizer_free(rule);
}
END_TEST

static int polls;
static int stop_soon(void *data) { return ++polls > *(int *)data; }

/* Stopped at any time: the best so far, or nothing, and the reason. */
START_TEST(stopped)
{
    int found = 0, nothing = 0;
    for (int most = 1; most < 100000; most *= 3) {
        finf_design_options o = unit(FINF_DESIGN_LAST);
        finf_design_result x;
        polls = 0;
        o.cancel.poll = stop_soon;
        o.cancel.data = &most;
        finf_design *r = run_of(64, 0.05, 2000, &o);
        finf_status s = finf_design_blt(r, 2, NULL, &x);
        ck_assert(s == FINF_OK || s == FINF_ETOL);
        if (s == FINF_ETOL) ck_assert(x.reason.text[0]);
        found += s == FINF_ETOL && x.system && x.loss.value > 0;
        nothing += s == FINF_ETOL && !x.system && isnan(x.loss.value);
        finf_design_result_free(&x);
        finf_design_free(r);
    }
    ck_assert_msg(found >= 1 && nothing >= 1, "%d %d", found, nothing);
}
END_TEST

START_TEST(no_memory)
{
    finf_design_options o = unit(FINF_DESIGN_LAST);
    o.participations = 2;
    o.separation = 7;
    finf_design *r = run_of(4, 0.1, 14, &o);
    int failed = 0;
    for (long k = 1; k < 100000; k += k < 100 ? 1 : k / 3) {
        finf_design_result x;
        allocations_left = k;
        finf_status s = finf_design_blt(r, 2, NULL, &x);
        allocations_left = -1;
        ck_assert_msg(s == FINF_OK || s == FINF_ENOMEM, "%d %s", (int)s, x.reason.text);
        failed += s == FINF_ENOMEM;
        if (s) ck_assert(isnan(x.loss.value) && !x.system && !x.noise && x.reason.text[0]);
        finf_design_result_free(&x);
        if (!s) break;
    }
#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__
    ck_assert_int_gt(failed, 10);
#else
    ck_assert_int_ge(failed, 0);
#endif
    finf_design_free(r);
}
END_TEST

/* ---- without a horizon ----------------------------------------------------------------------- */

/* The best power is at least as good as the best nu, and as its neighbours. */
START_TEST(power)
{
    finf_spectrum *s;
    finf_linreg_result nu_is, is, other;
    finf_real nu;
    double v, p;
    ck_assert_int_eq(finf_spectrum_power(1, 128, &s, NULL), FINF_OK);
    ck_assert_int_eq(finf_tune_linreg(0.02, s, NULL, &nu, &nu_is), FINF_OK);
    ck_assert_int_eq(finf_tune_power_linreg(0.02, s, NULL, &p, &v, &is), FINF_OK);
    ck_assert(is.exact.value < nu_is.exact.value && is.exact.value > is.optimum.value);
    for (int i = 0; i < 4; i++) {
        finf_noise *z;
        double to = p * (i == 0   ? 1.02
                         : i == 1 ? 0.98
                                  : 1),
               w = v * (i == 2   ? 1.05
                        : i == 3 ? 0.95
                                 : 1);
        ck_assert_int_eq(finf_noise_power(to, w, &z, NULL), FINF_OK);
        ck_assert_int_eq(finf_linreg(z, 0.02, s, NULL, &other), FINF_OK);
        ck_assert(other.exact.value > is.exact.value);
        finf_noise_free(z);
    }
    finf_spectrum_free(s);
}
END_TEST

/* The bound of a BLT: not above its neighbours', nor below what optimize finds by more than that is
 * from the optimum; buffers lose no more than fewer; the minimax is below. */
START_TEST(bound)
{
    static const struct {
        double eta, kappa;
        finf_iqc_bound bound;
        double near; /* to the best of all, with four buffers */
    } rows[] = {{0.1, 100, FINF_IQC_SHARP, 1.0001},
                {0.01, 1000, FINF_IQC_SHARP, 1.001},
                {0.1, 100, FINF_IQC_DIST, 1.001},
                {0.1, 20, FINF_IQC_GAUSSIAN, 1.001}};
    finf_optimize_options all = finf_optimize_options_default();
    finf_optimize_result best;
    finf_iqc_options o = finf_iqc_options_default();
    o.bound = all.iqc.bound = rows[_i].bound;
    o.solver = all.iqc.solver = FINF_IQC_NEWTON;
    ck_assert_int_eq(finf_optimize(rows[_i].eta, rows[_i].kappa, &all, &best), FINF_OK);
    double before = INFINITY;
    for (size_t k = 1; k <= 4; k++) {
        finf_blt_fit fit;
        finf_iqc_result x, y;
        ck_assert_int_eq(finf_blt_fit_iqc(rows[_i].eta, rows[_i].kappa, &o, k, &fit, &x), FINF_OK);
        ck_assert(fit.stable && fit.loss.value == x.bound.value && fit.ratio >= 1);
        ck_assert(x.bound.value <= before * (1 + 1e-6));
        ck_assert(x.bound.value >= best.iqc.bound.value * (1 - 1e-5));
        before = x.bound.value;
        for (size_t i = 0; i < 2 * k; i++)
            for (int side = -1; side <= 1; side += 2) {
                double decay[FINF_BLT_BUFFERS_MAX], scale[FINF_BLT_BUFFERS_MAX];
                finf_noise *z;
                memcpy(decay, fit.decay, sizeof decay);
                memcpy(scale, fit.scale, sizeof scale);
                if (i < k)
                    decay[i] = 1 - (1 - decay[i]) * (1 + 0.01 * side);
                else
                    scale[i - k] *= 1 + 0.01 * side;
                ck_assert_int_eq(finf_noise_blt(decay, scale, k, &z, NULL), FINF_OK);
                ck_assert_int_eq(finf_iqc(z, rows[_i].eta, rows[_i].kappa, &o, &y), FINF_OK);
                ck_assert_msg(y.bound.value >= x.bound.value * (1 - 1e-6), "%zu: %.3g", i,
                              y.bound.value / x.bound.value - 1);
                finf_noise_free(z);
            }
    }
    ck_assert_msg(before <= rows[_i].near * best.iqc.bound.value, "%.6f",
                  before / best.iqc.bound.value);
    finf_optimize_result_free(&best);
}
END_TEST

/* kappa = 1 is mean estimation; where every bound is infinite there is no fit. */
START_TEST(bound_ends)
{
    finf_blt_fit fit, mean;
    finf_iqc_result x;
    ck_assert_int_eq(finf_blt_fit_iqc(0.1, 1, NULL, 2, &fit, &x), FINF_OK);
    ck_assert_int_eq(finf_blt_fit_mean(0.1, NULL, 2, NULL, &mean), FINF_OK);
    ASSERT_NEAR(fit.loss.value, mean.loss.value, 1e-5, "mean estimation");
    ck_assert_int_eq(finf_blt_fit_iqc(2.5, 3, NULL, 2, &fit, &x), FINF_EDOM);
    ck_assert(fit.buffers == 0 && isnan(x.bound.value) && x.reason.text[0]);
    ck_assert_int_eq(finf_blt_fit_iqc(0.1, 10, NULL, 11, &fit, &x), FINF_EDOM);
    ck_assert_int_eq(finf_blt_fit_iqc(-1, 10, NULL, 1, &fit, &x), FINF_EDOM);
}
END_TEST

static TCase *make(void)
{
    TCase *t = tcase_create("design_blt");
    tcase_add_loop_test(t, table, 0, COUNT(GIVEN));
    tcase_add_loop_test(t, decay_zero, 0, 2);
    tcase_add_test(t, more_are_no_worse);
    tcase_add_loop_test(t, order, 0, 2);
    tcase_add_test(t, long_run);
    tcase_add_loop_test(t, ceilings, 0, 3);
    tcase_add_test(t, ends);
    tcase_add_test(t, stopped);
    tcase_add_test(t, no_memory);
    tcase_add_test(t, power);
    tcase_add_loop_test(t, bound, 0, 4);
    tcase_add_test(t, bound_ends);
    return t;
}

int main(void) { return run_suite("design_blt", make); }
