/* Exact values with an optimizer on settings drawn at random (tests/tables/random_optimizers.py):
 * all rules, noise families and averages, poles that meet, momentum up to 1e-6 from 1.
 * (theory 11.2, 11.3) */
#include "optimizer.h"
#include "support.h"

static const struct {
    const char *optimizer, *average;
    double decay, eta, lambda[4];
    size_t d;
    const char *noise;
    double sigma_sgd, kurtosis;
    double gamma2, F, lti, best;
} ROWS[] = {
#include "tables/random_optimizer.inc"
};

/* Right; honest: the error covers what is off, but for the rounding of the table to doubles;
 * useful. */
static void check(finf_real got, double want, size_t row, const char *what)
{
    double off = fabs(got.value - want);
    ck_assert_msg(off <= got.error + 1.2e-16 * want, "row %zu, %s: %.17g +- %.1g, %.17g", row, what,
                  got.value, got.error, want);
    ck_assert_msg(got.error <= 1e-10 * want, "row %zu, %s: error %.1g of %.3g", row, what,
                  got.error, want);
}

START_TEST(rows)
{
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        finf_optimizer *o;
        finf_noise *n;
        finf_spectrum *s;
        finf_linreg_options opt = finf_linreg_options_default();
        finf_linreg_result r;
        const char *average = *ROWS[i].average ? ROWS[i].average : NULL;
        ck_assert_int_eq(finf_optimizer_parse(ROWS[i].optimizer, average, ROWS[i].decay, &o, NULL),
                         FINF_OK);
        ck_assert_int_eq(finf_noise_parse(ROWS[i].noise, &n, NULL), FINF_OK);
        ck_assert_int_eq(finf_spectrum_list(ROWS[i].lambda, ROWS[i].d, &s, NULL), FINF_OK);
        opt.optimizer = o;
        opt.privacy.sigma_sgd = ROWS[i].sigma_sgd;
        opt.kurtosis = ROWS[i].kurtosis;
        ck_assert_int_eq(finf_linreg(n, ROWS[i].eta, s, &opt, &r), FINF_OK);
        check(r.gamma2, ROWS[i].gamma2, i, "gamma2");
        check(r.exact, ROWS[i].F, i, "F_inf");
        check(r.lti, ROWS[i].lti, i, "F_lower");
        check(r.optimum, ROWS[i].best, i, "F_best");
        ck_assert_double_le(r.optimum.value, r.exact.value * (1 + 1e-12));
        int plain = o->rule == &optimizer_sgd && !average && ROWS[i].decay == 0;
        if (!plain) ck_assert_double_le(r.floor.value, r.optimum_lti.value * (1 + 1e-12));
        finf_spectrum_free(s);
        finf_noise_free(n);
        finf_optimizer_free(o);
    }
}
END_TEST

static TCase *make(void)
{
    TCase *t = tcase_create("random optimizer");
    tcase_add_test(t, rows);
    return t;
}

int main(void) { return run_suite("random_optimizer", make); }
