/* Noise with k vectors of state and changing scales: the loss and its derivatives against dense
 * matrices, against the loss of the matrix itself and by differences; what is found against SciPy
 * and the proved least of all noise. */
#include "no_memory.h"

#include <string.h>

#include "scaled.h"
#include "support.h"

static const struct {
    finf_design_objective objective;
    const char *rule;
    size_t steps;
    double dim, eta;
    size_t k, b, buffers;
    double loss, least;
} GIVEN[] = {
#include "tables/design_scaled.inc"
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

/* Run i of the table. */
static finf_design *run_given(int i)
{
    finf_design_options o = unit(GIVEN[i].objective);
    finf_optimizer *rule = NULL;
    finf_design *r = NULL;
    if (GIVEN[i].rule)
        ck_assert_int_eq(finf_optimizer_parse(GIVEN[i].rule, NULL, 0, &rule, NULL), FINF_OK);
    o.optimizer = rule;
    o.participations = GIVEN[i].k;
    o.separation = GIVEN[i].b;
    if (rule)
        r = run_of(GIVEN[i].dim, GIVEN[i].eta, GIVEN[i].steps, &o);
    else
        ck_assert_int_eq(finf_design_prefix(GIVEN[i].steps, &o, &r, NULL), FINF_OK);
    finf_optimizer_free(rule);
    return r;
}

/* ---- the loss -------------------------------------------------------------------------------- */

/* A noise, and what its loss needs. */
typedef struct {
    design_groups g;
    scaled_loss loss;
    scaled_noise x, by;
    double *work;
} given;

static given given_make(const finf_design *r, size_t k)
{
    given a;
    size_t n = r->n;
    double *u = malloc((n + 1) * sizeof *u);
    design_weights(r, u);
    ck_assert_int_eq(design_groups_make(r, &a.g), FINF_OK);
    ck_assert_int_eq(scaled_loss_make(r, u, k, &a.loss), FINF_OK);
    ck_assert_int_eq(scaled_noise_make(n, k, &a.x), FINF_OK);
    ck_assert_int_eq(scaled_noise_make(n, k, &a.by), FINF_OK);
    a.work = calloc(scaled_gain_room(&a.g, k), sizeof *a.work);
    free(u);
    for (size_t t = 0; t < n; t++) {
        a.x.within[t] = 1 + 0.02 * (double)t;
        for (size_t i = 0; i < k; i++) {
            a.x.decay[i] = 0.9 - 0.3 * (double)i;
            a.x.out[t * k + i] = (1 + 0.5 * (double)t / (double)n) / (double)(3 + i);
            a.x.in[t * k + i] = 1 / (1 + 0.01 * (double)t * (double)(i + 1));
        }
    }
    return a;
}

static void given_free(given *a)
{
    design_groups_free(&a->g);
    scaled_loss_free(&a->loss);
    scaled_noise_free(&a->x);
    scaled_noise_free(&a->by);
    free(a->work);
}

static double loss_of(given *a)
{
    scaled_gain(&a->g, a->loss.k, &a->x, a->work);
    scaled_noise_clear(a->g.n, a->loss.k, &a->by);
    return scaled_loss_at(&a->loss, &a->x, &a->by);
}

START_TEST(known)
{
    finf_design *r = run_given(_i);
    given a = given_make(r, GIVEN[_i].buffers);
    ASSERT_NEAR(loss_of(&a), GIVEN[_i].loss, 1e-11, "NumPy, by dense matrices");
    given_free(&a);
    finf_design_free(r);
}
END_TEST

/* The derivative by *at is `slope`, by differences of fourth order. */
static void check_slope(given *a, double *at, double slope, const char *what)
{
    const double h = 2e-4, was = *at;
    double f[4];
    for (int i = 0; i < 4; i++) {
        *at = was + h * (i < 2 ? i - 2 : i - 1);
        f[i] = loss_of(a);
    }
    *at = was;
    double by = (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h);
    ck_assert_msg(fabs(by - slope) < 1e-8 * f[0], "%s: %.12g, and by differences %.12g", what,
                  slope, by);
}

START_TEST(slopes)
{
    finf_design *r = run_given(_i);
    size_t n = r->n, k = GIVEN[_i].buffers;
    given a = given_make(r, k);
    scaled_noise by;
    ck_assert_int_eq(scaled_noise_make(n, k, &by), FINF_OK);
    loss_of(&a);
    scaled_gain_slope(&a.g, k, &a.x, a.work, &a.by);
    memcpy(by.decay, a.by.decay, sizeof by.decay);
    memcpy(by.out, a.by.out, 2 * n * (k + 1) * sizeof *by.out);
    for (size_t i = 0; i < k; i++) check_slope(&a, &a.x.decay[i], by.decay[i], "decay");
    for (size_t c = 0; c < n * k; c += 3) {
        check_slope(&a, &a.x.out[c], by.out[c], "out");
        check_slope(&a, &a.x.in[c], by.in[c], "in");
    }
    for (size_t t = 0; t < n && GIVEN[_i].k > 1; t++)
        check_slope(&a, &a.x.within[t], by.within[t], "within");
    scaled_noise_free(&by);
    given_free(&a);
    finf_design_free(r);
}
END_TEST

/* ---- what is found --------------------------------------------------------------------------- */

static finf_design_result found(const finf_design *r, size_t buffers)
{
    finf_design_result x;
    finf_status s = finf_design_scaled(r, buffers, &x);
    ck_assert_msg(s == FINF_OK, "%s", x.reason.text);
    ck_assert_str_eq(x.family, "scaled");
    ck_assert(x.memory <= buffers && x.system && !x.noise && x.sens2_exact);
    ASSERT_NEAR(x.sens2.value, 1, 1e-12, "sensitivity");
    return x;
}

/* As low as SciPy's least, to 0.1%: the valleys are flat. And not below what is proved. */
START_TEST(table)
{
    finf_design *r = run_given(_i);
    finf_design_result x = found(r, GIVEN[_i].buffers), dense;
    ASSERT_NEAR(x.loss.value, GIVEN[_i].least, 1e-3, "SciPy's least");
    ck_assert_int_eq(finf_design_dense(r, &dense), FINF_OK);
    ck_assert(x.loss.value >= dense.least);
    finf_design_result_free(&dense);
    finf_design_result_free(&x);
    finf_design_free(r);
}
END_TEST

/* Two vectors are within 1% of the least loss of all noise, four within 0.1%. */
START_TEST(near_the_least)
{
    static const char *const RULES[] = {"sgd", "nesterov:0.9"};
    finf_design_options o = unit(_i % 2 ? FINF_DESIGN_AVERAGE : FINF_DESIGN_LAST);
    finf_optimizer *rule = NULL;
    finf_design_result dense;
    ck_assert_int_eq(finf_optimizer_parse(RULES[_i / 2], NULL, 0, &rule, NULL), FINF_OK);
    o.optimizer = rule;
    finf_design *r = run_of(32, _i / 2 ? 0.01 : 0.05, 150, &o);
    ck_assert_int_eq(finf_design_dense(r, &dense), FINF_OK);
    for (size_t k = 2; k <= 4; k += 2) {
        finf_design_result x = found(r, k);
        double gap = x.loss.value / dense.least - 1;
        ck_assert_msg(gap >= 0 && gap < (k == 2 ? 0.01 : 0.001), "%zu: %g", k, gap);
        finf_design_result_free(&x);
    }
    finf_design_result_free(&dense);
    finf_design_free(r);
    finf_optimizer_free(rule);
}
END_TEST

/* ---- what a stream makes of it --------------------------------------------------------------- */

static void take(finf_stream *s, size_t steps, size_t dim, double *z)
{
    for (size_t t = 0; t < steps; t++)
        ck_assert_int_eq(finf_stream_next(s, z + t * dim, NULL), FINF_OK);
}

/* k vectors of state give the rows of B, to rounding, and no step more. */
START_TEST(stream)
{
    NEEDS("libsodium");
    enum { N = 40, D = 3 };
    finf_design_options o = unit(FINF_DESIGN_LAST);
    finf_stream_options so = finf_stream_options_default();
    double B[N * N], z[N * D], y[N * D];
    finf_stream *whole, *short_form;
    finf_reason why;
    so.seeded = 1;
    so.seed = 7;
    o.participations = 2;
    o.separation = 20;
    finf_design *r = run_of(8, 0.1, N, &o);
    finf_design_result x = found(r, 2);
    ck_assert(x.recursion && x.memory == 2);
    ck_assert_int_eq(finf_system_noising(x.system, NULL, B, NULL), FINF_OK);
    ck_assert_int_eq(finf_stream_new_matrix(B, N, D, &so, &whole, NULL), FINF_OK);
    ck_assert_int_eq(finf_stream_new_recursion(x.recursion, N, 2, D, &so, &short_form, NULL),
                     FINF_OK);
    take(whole, N, D, z);
    take(short_form, N, D, y);
    for (size_t i = 0; i < N * D; i++) ck_assert_double_le(fabs(z[i] - y[i]), 1e-12);
    ck_assert_int_eq(finf_stream_next(short_form, y, &why), FINF_EDOM);
    ck_assert_str_eq(why.text, "step 40: the stream was made for 40 steps");
    finf_stream_free(whole);
    finf_stream_free(short_form);
    finf_design_result_free(&x);
    finf_design_free(r);
}
END_TEST

/* The unit of a vector of state is nobody's concern: in units of 2^-400 to 2^380, by step, the bits
 * are those in units of 1, also where out is 0 for a step. */
START_TEST(units)
{
    NEEDS("libsodium");
    enum { N = 40, D = 3, ROW = 4 };
    finf_stream_options so = finf_stream_options_default();
    double numbers[N * ROW], z[2][N * D];
    finf_stream *s;
    so.seeded = 1;
    so.seed = 3;
    for (int far = 0; far < 2; far++) {
        for (int t = 0; t < N; t++) {
            double *x = numbers + t * ROW, out = t % 7 ? -0.2 - 0.01 * t : 0;
            x[0] = 1 + 0.01 * t;
            x[1] = ldexp(0.9, far ? -20 : 0);
            x[2] = ldexp(out, far ? 20 * t - 400 : 0);
            x[3] = ldexp(0.9 + t, far ? 380 - 20 * t : 0);
        }
        ck_assert_int_eq(finf_stream_new_recursion(numbers, N, 1, D, &so, &s, NULL), FINF_OK);
        take(s, N, D, z[far]);
        finf_stream_free(s);
    }
    ck_assert_mem_eq(z[1], z[0], sizeof z[0]);
}
END_TEST

START_TEST(no_stream)
{
    NEEDS("libsodium");
    const double numbers[] = {1, 0.9, 0.1, 1};
    finf_stream *s;
    finf_reason why;
    for (int i = 0; i < 4; i++) {
        double bad[4];
        memcpy(bad, numbers, sizeof bad);
        bad[i] = i == 0 ? 0 : i == 1 ? 1.5 : NAN;
        ck_assert_int_eq(finf_stream_new_recursion(bad, 1, 1, 2, NULL, &s, &why), FINF_EDOM);
        ck_assert(!s && strstr(why.text, "of step 0: must be"));
    }
    const double far[] = {1, 0.9, 0.1, 1e300, 1, 0.9, 1e300, 1};
    ck_assert_int_eq(finf_stream_new_recursion(far, 2, 1, 2, NULL, &s, &why), FINF_EDOM);
    ck_assert(!s && strstr(why.text, "scales of step 0: must have a finite product"));
    ck_assert_int_eq(finf_stream_new_recursion(numbers, 0, 1, 2, NULL, &s, &why), FINF_EDOM);
    ck_assert_int_eq(finf_stream_new_recursion(numbers, 1, 0, 2, NULL, &s, &why), FINF_EDOM);
    ck_assert_int_eq(finf_stream_new_recursion(numbers, 1, 11, 2, NULL, &s, &why), FINF_EDOM);
    ck_assert_int_eq(finf_stream_new_recursion(numbers, 1, 1, 2, NULL, &s, &why), FINF_OK);
    finf_stream_free(s);
}
END_TEST

/* Steps at least b apart: judged by all patterns, more vectors are no worse than fewer, and no
 * matrix is known that is better than `dense`. */
START_TEST(more_are_no_worse)
{
    static const struct {
        const char *rule;
        size_t n, k, b;
        double dim, eta;
    } CASES[] = {{"heavy-ball:0.8", 24, 2, 6, 4, 0.02}, {"sgd", 100, 4, 10, 16, 0.05}};
    finf_design_options o = unit(FINF_DESIGN_LAST);
    finf_optimizer *rule = NULL;
    ck_assert_int_eq(finf_optimizer_parse(CASES[_i].rule, NULL, 0, &rule, NULL), FINF_OK);
    o.optimizer = rule;
    o.participations = CASES[_i].k;
    o.separation = CASES[_i].b;
    o.count = FINF_DESIGN_MIN_SEP;
    finf_design *r = run_of(CASES[_i].dim, CASES[_i].eta, CASES[_i].n, &o);
    finf_design_result x;
    double before = INFINITY;
    for (size_t k = 1; k <= 4; k++) {
        ck_assert_int_eq(finf_design_scaled(r, k, &x), FINF_OK);
        ck_assert_msg(x.loss.value <= before, "%zu: %.9g, fewer: %.9g", k, x.loss.value, before);
        before = x.loss.value;
        finf_design_result_free(&x);
    }
    ck_assert_int_eq(finf_design_dense(r, &x), FINF_OK);
    ck_assert_msg(x.loss.value <= before, "dense: %.9g, scaled: %.9g", x.loss.value, before);
    ck_assert(x.memory == CASES[_i].n - 1 && !x.recursion && x.least < x.loss.value);
    finf_design_result_free(&x);
    finf_design_free(r);
    finf_optimizer_free(rule);
}
END_TEST

/* ---- ends ------------------------------------------------------------------------------------ */

/* One step; a count, an objective and a length that there are not; what overflows. */
START_TEST(ends)
{
    finf_design_options o = unit(FINF_DESIGN_AVERAGE);
    finf_design_result x;
    for (size_t n = 1; n <= 3; n++) {
        finf_design *r = run_of(4, 0.1, n, &o);
        x = found(r, 2);
        ck_assert(x.memory == (n < 3 ? n - 1 : 2));
        finf_design_result_free(&x);
        ck_assert_int_eq(finf_design_scaled(r, 0, &x), FINF_EDOM);
        ck_assert_int_eq(finf_design_scaled(r, 11, &x), FINF_EDOM);
        ck_assert(isnan(x.loss.value) && !x.system && strstr(x.reason.text, "from 1 to 10"));
        finf_design_free(r);
    }
    finf_design *r = run_of(4, 1e3, 2000, &o);
    ck_assert_int_eq(finf_design_scaled(r, 2, &x), FINF_EDOM);
    ck_assert(isnan(x.loss.value) && !x.system && strstr(x.reason.text, "overflows"));
    finf_design_free(r);
    r = run_of(4, 0.1, FINF_SYSTEM_DENSE_MAX + 1, &o);
    ck_assert_int_eq(finf_design_scaled(r, 2, &x), FINF_EDOM);
    finf_design_free(r);
    o.objective = FINF_DESIGN_MAX;
    r = run_of(4, 0.1, 20, &o);
    ck_assert_int_eq(finf_design_scaled(r, 2, &x), FINF_EUSAGE);
    ck_assert(isnan(x.loss.value) && strstr(x.reason.text, "max"));
    finf_design_free(r);
}
END_TEST

/* The last prefix sum is one number: no noise on the others is seen, and there is no least loss. */
START_TEST(singular)
{
    finf_design_options o = unit(FINF_DESIGN_LAST);
    finf_design_result x;
    finf_design *r = NULL;
    ck_assert_int_eq(finf_design_prefix(50, &o, &r, NULL), FINF_OK);
    ck_assert_int_eq(finf_design_scaled(r, 1, &x), FINF_ETOL);
    ck_assert(isnan(x.loss.value) && !x.system && strstr(x.reason.text, "not attained"));
    finf_design_result_free(&x);
    finf_design_free(r);
}
END_TEST

static int polls;
static int stop_soon(void *data) { return ++polls > *(int *)data; }

START_TEST(stopped)
{
    int part = 0, nothing = 0;
    for (int most = 1; most < 1000; most *= 3) {
        finf_design_options o = unit(FINF_DESIGN_LAST);
        finf_design_result x;
        polls = 0;
        o.cancel.poll = stop_soon;
        o.cancel.data = &most;
        finf_design *r = run_of(16, 0.05, 200, &o);
        finf_status s = finf_design_scaled(r, 2, &x);
        ck_assert(s == FINF_OK || (s == FINF_ETOL && x.reason.text[0]));
        part += s == FINF_ETOL && x.system && x.loss.value > 0;
        nothing += s == FINF_ETOL && !x.system && isnan(x.loss.value);
        finf_design_result_free(&x);
        finf_design_free(r);
    }
    ck_assert_msg(part >= 1 && nothing >= 1, "%d %d", part, nothing);
}
END_TEST

START_TEST(no_memory)
{
    finf_design_options o = unit(FINF_DESIGN_LAST);
    o.participations = 2;
    o.separation = 7;
    finf_design *r = run_of(4, 0.1, 14, &o);
    int failed = 0;
    for (long k = 1; k < 1000; k++) {
        finf_design_result x;
        allocations_left = k;
        finf_status s = finf_design_scaled(r, 1, &x);
        allocations_left = -1;
        ck_assert_msg(s == FINF_OK || s == FINF_ENOMEM, "%d %s", (int)s, x.reason.text);
        failed += s == FINF_ENOMEM;
        if (s) ck_assert(isnan(x.loss.value) && !x.system && x.reason.text[0]);
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

static TCase *make(void)
{
    TCase *t = tcase_create("design_scaled");
    tcase_add_loop_test(t, known, 0, COUNT(GIVEN));
    tcase_add_loop_test(t, slopes, 0, COUNT(GIVEN));
    tcase_add_loop_test(t, table, 0, COUNT(GIVEN));
    tcase_add_loop_test(t, near_the_least, 0, 4);
    tcase_add_loop_test(t, more_are_no_worse, 0, 2);
    tcase_add_test(t, stream);
    tcase_add_test(t, units);
    tcase_add_test(t, no_stream);
    tcase_add_test(t, ends);
    tcase_add_test(t, singular);
    tcase_add_test(t, stopped);
    tcase_add_test(t, no_memory);
    return t;
}

int main(void) { return run_suite("design_scaled", make); }
