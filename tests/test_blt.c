/* bounds/design/blt_*.c: BLTs fitted to a loss, against figures found elsewhere, against the same
 * losses by other methods, and what is proved of them. */
#include "blt_fit.h"
#pragma GCC visibility push(default) /* so that GSL's allocations are these too */
#include "no_memory.h"
#pragma GCC visibility pop
#include "support.h"
#undef I /* of complex.h */

/* ---- the sums and the chart ------------------------------------------------------------------ */

/* On both sides of n gap = 1, and of gap = 1, beside the sums themselves. */
START_TEST(sums_of_powers)
{
    double gaps[] = {0, 1e-9, 1e-4, 9.9e-4, 1.01e-3, 0.01, 0.3, 0.999, 1, 1.2, 1.9};
    for (size_t i = 0; i < COUNT(gaps); i++)
        for (double n = 1; n <= 1000; n = n < 3 ? n + 1 : n == 3 ? 31 : n == 31 ? 1000 : 2000) {
            long double x = 1 - (long double)gaps[i], power = 1, G = 0, H = 0, dG = 0, dH = 0;
            for (double t = 0; t < n; t++) {
                G += power;
                H += (n - t) * power;
                power *= x;
            }
            power = 1;
            for (double t = 1; t < n; t++) {
                dG -= t * power;
                dH -= t * (n - t) * power;
                power *= x;
            }
            blt_sum g = blt_geometric(gaps[i], n), h = blt_triangular(gaps[i], n);
            ASSERT_NEAR(g.sum, (double)G, 1e-13, "G, gap %g, n %g", gaps[i], n);
            ASSERT_NEAR(h.sum, (double)H, 1e-13, "H, gap %g, n %g", gaps[i], n);
            /* of 1 - (something below 1), relative to what it is made of */
            ck_assert_double_le(fabs(g.slope - (double)dG), 1e-12 * n * (double)G);
            ck_assert_double_le(fabs(h.slope - (double)dH), 1e-12 * n * (double)H);
        }
    ck_assert(blt_geometric(0.25, INFINITY).sum == 4 && blt_geometric(0.25, 0).sum == 0);
}
END_TEST

/* A point of the chart: C 1/C = 1 from both expansions, and back to the same numbers. */
START_TEST(chart)
{
    rng r = {11};
    for (int trial = 0; trial < 200; trial++) {
        size_t k = 1 + (size_t)(uniform(&r) * BLT_MAX);
        double q[2 * BLT_MAX], back[2 * BLT_MAX];
        blt_point p;
        q[0] = -8 * uniform(&r);
        for (size_t i = 1; i < 2 * k; i++) q[i] = 2 * uniform(&r) - 1.5;
        blt_chart_point(q, k, &p);
        blt_chart_numbers(p.leak, p.zero, k, back);
        for (size_t i = 0; i < 2 * k; i++)
            ck_assert_msg(fabs(q[i] - back[i]) < 1e-6, "trial %d: %g, back %g", trial, q[i],
                          back[i]);
        for (double x = -2; x < 0; x += 0.37) { /* 1 - 1/z outside of all poles */
            double C = 1, B = 1;
            for (size_t i = 0; i < k; i++) {
                C += p.scale[i] / (p.leak[i] - x);
                B -= p.weight[i] / (p.zero[i] - x);
            }
            ASSERT_NEAR(C * B, 1, 1e-9, "trial %d, k %zu", trial, k);
        }
    }
}
END_TEST

/* Central differences of log(sens2 error) in q against the gradient. */
static void check_gradient(blt_loss_fn *loss, void *data, rng *r, const char *name)
{
    for (int trial = 0; trial < 20; trial++) {
        size_t k = 1 + (size_t)(uniform(r) * 5);
        double q[2 * BLT_MAX], g[2 * BLT_MAX], h = 1e-5;
        blt_point p;
        blt_value v, up, down;
        blt_partials slope = {.leak = {0}}, unused;
        q[0] = -5 * uniform(r) - 1;
        for (size_t i = 1; i < 2 * k; i++) q[i] = 2 * uniform(r) - 1.5;
        blt_chart_point(q, k, &p);
        ck_assert_int_eq(loss(&p, data, &v, &slope), FINF_OK);
        blt_chart_gradient(q, &p, &slope, g);
        for (size_t i = 0; i < 2 * k; i++) {
            double at = q[i];
            q[i] = at + h;
            blt_chart_point(q, k, &p);
            loss(&p, data, &up, &unused);
            q[i] = at - h;
            blt_chart_point(q, k, &p);
            loss(&p, data, &down, &unused);
            q[i] = at;
            double difference = log(up.sens2 * up.error / (down.sens2 * down.error)) / (2 * h);
            ck_assert_msg(
                fabs(difference - g[i]) < 1e-8 * (1 + fabs(g[i])),
                "%s, trial %d (seed 5), k %zu: derivative %zu is %.12g, differences %.12g", name,
                trial, k, i, g[i], difference);
        }
    }
}

START_TEST(gradients)
{
    enum { NODES = 60, STEPS = 50 };
    rng r = {5};
    double t[NODES], weight[NODES], W[2 * STEPS], factor[] = {1, 0.7}, beta[STEPS], slope[STEPS];
    for (int i = 0; i < NODES; i++) {
        t[i] = exp(-9 + 0.2 * i);
        weight[i] = uniform(&r);
    }
    for (int i = 0; i < 2 * STEPS; i++) W[i] = STEPS - i % STEPS;
    blt_nodes nodes = {NODES, t, weight};
    check_gradient(blt_density_loss, &nodes, &r, "density");
    for (int average = 0; average < 2; average++)
        for (double n = 3; n < 1e7; n *= 100) {
            blt_prefix_sums x = {n, average, {1, 1}};
            check_gradient(blt_prefix_loss, &x, &r, "prefix sums");
            x.who = (blt_participation){3, (size_t)n / 3};
            check_gradient(blt_prefix_loss, &x, &r, "prefix sums, participations");
        }
    finf_blt_weights given = {STEPS, 2, factor, W};
    blt_coefficients x = {STEPS, blt_weighted_error, &given, {2, 7}, beta, slope};
    check_gradient(blt_coefficients_loss, &x, &r, "weights");
}
END_TEST

/* ---- without a horizon ----------------------------------------------------------------------- */

/* What every fit must be: ordered, positive, proved, and flat. */
static void check_fit(finf_status s, const finf_blt_fit *f, size_t k)
{
    ck_assert_msg(s == FINF_OK, "%s: %s", finf_status_text(s), f->reason.text);
    ck_assert(f->buffers == k && f->stable && f->left <= 1e-6 && f->starts == 4);
    ck_assert_str_eq(f->proved, "decays and inverse decays interlaced in (-1, 1), and enclosed");
    for (size_t i = 0; i < k; i++) {
        ck_assert(f->scale[i] > 0 && f->decay[i] >= 0 && f->decay[i] < (i ? f->decay[i - 1] : 1));
        ck_assert(f->inverse_low[i] < f->inverse_high[i] && f->inverse_high[i] < f->decay[i] &&
                  f->inverse_low[i] > (i + 1 < k ? f->decay[i + 1] : -1));
        ck_assert_double_le(f->inverse_high[i] - f->inverse_low[i], 1e-13);
    }
    double unit = f->loss.value / (f->sens2.value * f->error.value);
    ck_assert_double_le(fabs(unit - round(2 * unit) / 2), 1e-14 * unit); /* 1, 1/2 or 9/2 */
}

/* F_inf of the noise as finf_linreg has it, by T(b) and sums over directions, is the loss (rho =
 * 1/2, G = 1); and the optimum over all noise is `least`. Ratios by a search in Python, (log(1-th),
 * log w) by L-BFGS. */
START_TEST(linear_regression)
{
    const double most[] = {1.5214, 1.0654, 1.01031, 1.00165, 1.00028, 1.00005};
    finf_linreg_options o = finf_linreg_options_default();
    finf_spectrum *spectrum;
    o.privacy.rho = 0.5;
    ck_assert_int_eq(finf_spectrum_power(1, 128, &spectrum, NULL), FINF_OK);
    for (size_t k = 1; k <= COUNT(most); k++) {
        finf_blt_fit f;
        finf_linreg_result r;
        finf_noise *noise;
        check_fit(finf_blt_fit_linreg(0.02, spectrum, &o, k, NULL, &f), &f, k);
        ck_assert_msg(f.ratio > 1 && f.ratio <= most[k - 1], "k %zu: %.8g", k, f.ratio);
        ck_assert_int_eq(finf_noise_blt(f.decay, f.scale, k, &noise, NULL), FINF_OK);
        ck_assert_int_eq(finf_linreg(noise, 0.02, spectrum, &o, &r), FINF_OK);
        ASSERT_REAL(f.sens2, r.gamma2.value, 1e-13, 1e-12, "gamma2, k %zu", k);
        ASSERT_REAL(f.loss, r.exact.value, 1e-12, 1e-11, "loss, k %zu", k);
        ASSERT_NEAR(f.least.value, r.optimum.value, 1e-13, "least");
        finf_noise_free(noise);
    }
    finf_spectrum_free(spectrum);
}
END_TEST

START_TEST(many_buffers)
{
    finf_spectrum *spectrum;
    double before = INFINITY;
    ck_assert_int_eq(finf_spectrum_power(1, 128, &spectrum, NULL), FINF_OK);
    for (size_t k = 7; k <= 10; k++) {
        finf_blt_fit f;
        check_fit(finf_blt_fit_linreg(0.02, spectrum, NULL, k, NULL, &f), &f, k);
        ck_assert_msg(f.ratio < before && f.ratio > 1, "k %zu: %.10g after %.10g", k, f.ratio,
                      before);
        before = f.ratio;
    }
    ck_assert_double_le(before, 1 + 2e-7);
    finf_spectrum_free(spectrum);
}
END_TEST

/* Heavy ball with momentum m: |G_h|^2 = eta^2/|q - 2(1+m) sin^2(w/2) + i (1-m) sin w|^2, q = eta h;
 * Hx = (1/2) sum_j (lambda_j + v_j)|G_j|^2 with the v_j that the gradients' own randomness adds. */
enum { DIM = 128 };
typedef struct {
    double eta, m, lambda[DIM], share[DIM];
} heavy_ball;

static double heavy_ball_at(double w, void *data)
{
    const heavy_ball *x = data;
    double sum = 0, s = sin(w / 2), y = (1 - x->m) * sin(w);
    for (int j = 0; j < DIM; j++) {
        double re = x->eta * x->lambda[j] - 2 * (1 + x->m) * s * s;
        sum += x->share[j] * x->eta * x->eta / (re * re + y * y);
    }
    return sum;
}

static heavy_ball heavy_ball_make(double eta, double m)
{
    heavy_ball x = {.eta = eta, .m = m};
    double r[DIM], gain[DIM], D = 1, all = 0;
    for (int j = 0; j < DIM; j++) {
        double h = 1 / (j + 1.0), q = eta * h;
        x.lambda[j] = h;
        gain[j] = h * h * eta * eta * (1 + m) / ((1 - m) * q * (2 * (1 + m) - q));
        r[j] = 1 / (1 - gain[j]);
        D -= gain[j] * r[j];
        all += gain[j] * (1 + gain[j] * r[j]);
    }
    for (int j = 0; j < DIM; j++)
        x.share[j] = x.lambda[j] / 2 * (1 + gain[j] * r[j] + r[j] / D * all);
    return x;
}

START_TEST(momentum)
{
    const double most[] = {1.033, 1.0026, 1.00023, 1.00002};
    heavy_ball x = heavy_ball_make(0.002, 0.9);
    for (size_t k = 2; k <= 5; k++) {
        finf_blt_fit f;
        check_fit(finf_blt_fit_density(heavy_ball_at, &x, 0.02 / DIM, 0.1, k, NULL, &f), &f, k);
        ASSERT_NEAR(f.least.value, 0.003973486662727, 1e-10, "the optimum with momentum 0.9");
        ck_assert_msg(f.ratio <= most[k - 2] + 5e-6, "k %zu: %.8g", k, f.ratio);
    }
}
END_TEST

/* The same figures through finf_optimizer, and others; the loss as finf_linreg and finf_mean have
 * it for the noise found, by gains of each direction. */
START_TEST(optimizers)
{
    const struct {
        const char *rule, *average;
        double decay, eta;
    } rows[] = {{"heavy-ball:0.9", "none", 0, 0.002},
                {"nesterov:0.95", "none", 0.01, 0.002},
                {"heavy-ball:0.9", "ema:0.9", 0, 0.01},
                {"sgd", "last:5", 0, 0.05},
                {"filter:0,0.1,0.05;1,-1.2,0.2", "none", 0, 0.1}};
    finf_spectrum *spectrum;
    ck_assert_int_eq(finf_spectrum_power(1, 128, &spectrum, NULL), FINF_OK);
    for (size_t i = 0; i < COUNT(rows); i++) {
        finf_linreg_options o = finf_linreg_options_default();
        finf_mean_options m = finf_mean_options_default();
        finf_optimizer *rule;
        finf_blt_fit f, by_mean;
        finf_linreg_result r;
        finf_mean_result e;
        finf_noise *noise;
        ck_assert_int_eq(
            finf_optimizer_parse(rows[i].rule, rows[i].average, rows[i].decay, &rule, NULL),
            FINF_OK);
        o.optimizer = m.optimizer = rule;
        o.privacy.rho = m.privacy.rho = 0.5;
        check_fit(finf_blt_fit_linreg(rows[i].eta, spectrum, &o, 3, NULL, &f), &f, 3);
        ck_assert_int_eq(finf_noise_blt(f.decay, f.scale, 3, &noise, NULL), FINF_OK);
        ck_assert_int_eq(finf_linreg(noise, rows[i].eta, spectrum, &o, &r), FINF_OK);
        ASSERT_NEAR(f.loss.value, r.exact.value, 1e-10, "%s, linreg", rows[i].rule);
        ASSERT_NEAR(f.least.value, r.optimum.value, 1e-11, "%s, linreg", rows[i].rule);
        if (i == 0) ck_assert_double_le(f.ratio, 1.0026);
        finf_noise_free(noise);
        finf_status s = finf_blt_fit_mean(rows[i].eta, &m, 2, NULL, &by_mean);
        check_fit(s, &by_mean, 2);
        ck_assert_int_eq(finf_noise_blt(by_mean.decay, by_mean.scale, 2, &noise, NULL), FINF_OK);
        ck_assert_int_eq(finf_mean(noise, rows[i].eta, &m, &e), FINF_OK);
        ASSERT_NEAR(by_mean.loss.value, e.F.value, 1e-10, "%s, mean", rows[i].rule);
        ASSERT_NEAR(by_mean.least.value, e.F_optimal.value, 1e-11, "%s, mean", rows[i].rule);
        finf_noise_free(noise);
        finf_optimizer_free(rule);
    }
    finf_spectrum_free(spectrum);
}
END_TEST

START_TEST(mean_estimation)
{
    for (double eta = 1e-4; eta < 2; eta = eta < 0.1 ? eta * 10 : eta + 0.6) {
        finf_mean_options set = finf_mean_options_default();
        finf_blt_fit f;
        finf_mean_result r;
        finf_noise *noise;
        set.privacy.clip = 3;
        check_fit(finf_blt_fit_mean(eta, &set, 2, NULL, &f), &f, 2);
        ck_assert_int_eq(finf_noise_blt(f.decay, f.scale, 2, &noise, NULL), FINF_OK);
        ck_assert_int_eq(finf_mean(noise, eta, &set, &r), FINF_OK);
        ASSERT_NEAR(f.loss.value, r.F.value, 1e-12, "loss at eta = %g", eta);
        ASSERT_NEAR(f.least.value, r.F_optimal.value, 1e-12, "least at eta = %g", eta);
        ck_assert(f.ratio >= 1 - 1e-13);
        finf_noise_free(noise);
    }
}
END_TEST

/* ---- n steps --------------------------------------------------------------------------------- */

static const struct {
    size_t n, buffers;
    double most; /* sqrt(loss of the largest prefix sum)/(1 + log(n)/pi) */
} CEILINGS[] = {{1000, 3, 1.03}, {100000, 4, 1.03}, {1000000, 5, 1.05}, {10000000, 4, 1.05}};

/* sens2 and variances step by step, in long double. */
static void run_blt(const finf_blt_fit *f, size_t n, double *sens2, double *last, double *average)
{
    long double s[BLT_MAX] = {0}, c[BLT_MAX], sum = 0, variance = 0, mean = 0, squares = 1;
    for (size_t i = 0; i < f->buffers; i++) c[i] = f->scale[i];
    for (size_t t = 0; t < n; t++) {
        long double y = t == 0, strategy = 0;
        for (size_t i = 0; i < f->buffers; i++) y -= f->scale[i] * s[i];
        for (size_t i = 0; i < f->buffers; i++) s[i] = f->decay[i] * s[i] + y;
        sum += y;
        variance += sum * sum;
        mean += variance / (long double)n;
        for (size_t i = 0; i < f->buffers && t + 1 < n; i++) {
            strategy += c[i];
            c[i] *= f->decay[i];
        }
        squares += strategy * strategy;
    }
    *sens2 = (double)squares;
    *last = (double)variance;
    *average = (double)mean;
}

START_TEST(prefix_sums)
{
    for (size_t i = 0; i < COUNT(CEILINGS); i++) {
        size_t n = CEILINGS[i].n, k = CEILINGS[i].buffers;
        finf_blt_fit average, last, largest;
        double sens2, variance, mean;
        check_fit(finf_blt_fit_prefix(n, FINF_BLT_LARGEST, k, NULL, &largest), &largest, k);
        check_fit(finf_blt_fit_prefix(n, FINF_BLT_LAST, k, NULL, &last), &last, k);
        check_fit(finf_blt_fit_prefix(n, FINF_BLT_AVERAGE, k, NULL, &average), &average, k);
        ck_assert(last.loss.value == largest.loss.value && isnan(last.least.value));
        double ratio = sqrt(largest.loss.value) / (1 + log((double)n) / 3.14159265358979);
        ck_assert_msg(ratio <= CEILINGS[i].most, "n %zu: %.6g", n, ratio);
        ck_assert(average.loss.value < largest.loss.value);
        if (n > 1000000) continue;
        run_blt(&largest, n, &sens2, &variance, &mean);
        ASSERT_REAL(largest.sens2, sens2, 1e-12, 1e-11, "sens2, n %zu", n);
        ASSERT_REAL(largest.error, variance, 1e-12, 1e-11, "last, n %zu", n);
        ck_assert(average.loss.value < sens2 * mean); /* which is a BLT too */
        run_blt(&average, n, &sens2, &variance, &mean);
        ASSERT_REAL(average.sens2, sens2, 1e-12, 1e-11, "sens2, n %zu", n);
        ASSERT_REAL(average.error, mean, 1e-12, 1e-11, "average, n %zu", n);
        ck_assert(largest.loss.value < sens2 * variance);
    }
}
END_TEST

/* The system of n steps made of the same noise; and no less than the optimal factorisation. */
START_TEST(beside_systems)
{
    size_t n = 2048;
    finf_blt_fit f;
    finf_noise *noise;
    finf_system *system, *best;
    check_fit(finf_blt_fit_prefix(n, FINF_BLT_AVERAGE, 4, NULL, &f), &f, 4);
    ck_assert_int_eq(finf_noise_blt(f.decay, f.scale, 4, &noise, NULL), FINF_OK);
    ck_assert_int_eq(finf_system_toeplitz(noise, n, &system, NULL), FINF_OK);
    ck_assert_int_eq(finf_system_me(n, NULL, &best, NULL), FINF_OK);
    finf_system_facts x = finf_system_describe(system), me = finf_system_describe(best);
    ASSERT_NEAR(f.loss.value * (double)n, x.loss.value, 1e-11, "as a system");
    ck_assert_double_ge(f.loss.value * (double)n, me.lower);
    ck_assert_double_le(f.loss.value * (double)n, 1.11 * me.lower);
    finf_system_free(system);
    finf_system_free(best);
    finf_noise_free(noise);
}
END_TEST

/* The two ways to the same loss, O(k^2) and O(n k). */
START_TEST(weights)
{
    enum { N = 1500 };
    static double W[N];
    double factor = 1;
    finf_blt_weights w = {N, 1, &factor, W};
    for (int average = 0; average < 2; average++) {
        finf_blt_fit f, g;
        for (size_t t = 0; t < N; t++) /* S_0^2 + .. + S_{N-1}^2 counts beta_t in each from t on */
            W[t] = average ? (double)((N - t) * (N - t + 1)) / (2.0 * N) : (double)(N - t);
        check_fit(finf_blt_fit_weights(&w, 3, NULL, &f), &f, 3);
        check_fit(finf_blt_fit_prefix(N, average ? FINF_BLT_AVERAGE : FINF_BLT_LAST, 3, NULL, &g),
                  &g, 3);
        ASSERT_NEAR(f.loss.value, g.loss.value, 1e-12, "loss");
        for (size_t i = 0; i < 3; i++) {
            ASSERT_NEAR(1 - f.decay[i], 1 - g.decay[i], 1e-4, "decay %zu", i);
            ASSERT_NEAR(f.scale[i], g.scale[i], 1e-4, "scale %zu", i);
        }
    }
}
END_TEST

/* Several participations: sens2 as finf_system_participation has it, and less loss than the noise
 * that is best for one. */
START_TEST(participations)
{
    const struct {
        size_t n, k, b;
    } rows[] = {{1000, 4, 250}, {1000, 3, 100}, {777, 20, 41}, {50, 9, 49}};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int average = 0; average < 2; average++) {
            finf_blt_objective objective = average ? FINF_BLT_AVERAGE : FINF_BLT_LAST;
            finf_blt_fit_options o = finf_blt_fit_options_default();
            finf_blt_fit f, one;
            finf_participation p, q;
            o.participations = rows[i].k;
            o.separation = rows[i].b;
            check_fit(finf_blt_fit_prefix(rows[i].n, objective, 3, &o, &f), &f, 3);
            check_fit(finf_blt_fit_prefix(rows[i].n, objective, 3, NULL, &one), &one, 3);
            ck_assert(f.decreasing && one.decreasing);
            for (int which = 0; which < 2; which++) {
                finf_noise *noise;
                finf_system *system;
                const finf_blt_fit *x = which ? &one : &f;
                ck_assert_int_eq(finf_noise_blt(x->decay, x->scale, 3, &noise, NULL), FINF_OK);
                ck_assert_int_eq(finf_system_toeplitz(noise, rows[i].n, &system, NULL), FINF_OK);
                ck_assert_int_eq(finf_system_participation(system, rows[i].k, rows[i].b, NULL,
                                                           which ? &q : &p, NULL),
                                 FINF_OK);
                finf_system_free(system);
                finf_noise_free(noise);
            }
            ASSERT_NEAR(f.sens2.value, p.min_sep, 1e-12, "row %zu", i);
            ck_assert_double_le(f.loss.value, q.min_sep * one.error.value * (1 + 1e-12));
        }
}
END_TEST

/* A run of linear regression: the loss of the last iterate by the adjoint recursion's weights, and
 * by the learning curve of the noise found. */
START_TEST(run_of_regression)
{
    enum { D = 8, N = 200 };
    static double W[D * N];
    double factor[D], lambda[D], a[D] = {0}, eta = 0.05, nu;
    for (int j = 0; j < D; j++) {
        lambda[j] = 1 / (j + 1.0);
        factor[j] = 1 - eta * lambda[j];
        a[j] = lambda[j] / 2;
    }
    for (size_t t = N; t-- > 0;) {
        double all = 0;
        for (int j = 0; j < D; j++) {
            W[(size_t)j * N + t] = eta * eta * a[j] + (t + 1 < N ? W[(size_t)j * N + t + 1] : 0);
            all += eta * lambda[j] * a[j];
        }
        for (int j = 0; j < D; j++) {
            double b = eta * lambda[j];
            a[j] = (1 - 2 * b + 2 * b * b) * a[j] + eta * lambda[j] * all;
        }
    }
    finf_blt_weights w = {N, D, factor, W};
    finf_blt_fit f;
    check_fit(finf_blt_fit_weights(&w, 3, NULL, &f), &f, 3);
    finf_spectrum *spectrum;
    finf_noise *noise;
    finf_system *system;
    finf_curve_options o = finf_curve_options_default();
    finf_curve_result r;
    o.privacy.rho = 0.5;
    o.start = 0;
    ck_assert_int_eq(finf_spectrum_power(1, D, &spectrum, NULL), FINF_OK);
    ck_assert_int_eq(finf_noise_blt(f.decay, f.scale, 3, &noise, NULL), FINF_OK);
    ck_assert_int_eq(finf_system_toeplitz(noise, N, &system, NULL), FINF_OK);
    ck_assert_int_eq(finf_curve(system, eta, spectrum, &o, &r), FINF_OK);
    ASSERT_NEAR(f.loss.value, r.last.value, 1e-11, "the last iterate");
    finf_curve_result_free(&r);
    finf_system_free(system);
    finf_noise_free(noise);
    for (nu = 1e-4; nu < 1; nu *= 3) { /* and no nu is as good */
        ck_assert_int_eq(finf_noise_nu(nu, &noise, NULL), FINF_OK);
        ck_assert_int_eq(finf_system_toeplitz(noise, N, &system, NULL), FINF_OK);
        ck_assert_int_eq(finf_curve(system, eta, spectrum, &o, &r), FINF_OK);
        ck_assert_double_gt(r.last.value, f.loss.value);
        finf_curve_result_free(&r);
        finf_system_free(system);
        finf_noise_free(noise);
    }
    finf_spectrum_free(spectrum);
}
END_TEST

/* ---- what is proved -------------------------------------------------------------------------- */

static int sign_of_strategy(const finf_blt_fit *f, double x)
{
    schur_real C = 1;
    for (size_t i = 0; i < f->buffers; i++) C += f->scale[i] / ((schur_real)x - f->decay[i]);
    return C > 0 ? 1 : -1;
}

/* The enclosures, in quadruple precision. */
START_TEST(enclosures)
{
    for (size_t k = 1; k <= 10; k++) {
        finf_blt_fit f;
        check_fit(finf_blt_fit_prefix(100000, FINF_BLT_LAST, k, NULL, &f), &f, k);
        ck_assert_int_eq(sign_of_strategy(&f, -1), 1);
        for (size_t i = 0; i < k; i++) {
            ck_assert_int_eq(sign_of_strategy(&f, f.inverse_low[i]), 1);
            ck_assert_int_eq(sign_of_strategy(&f, f.inverse_high[i]), -1);
        }
    }
}
END_TEST

/* What does not hold is not said to be proved. */
START_TEST(not_proved)
{
    const struct {
        double decay[2], scale[2], zero[2];
        int stable, enclosed;
    } rows[] = {
        {{0.9, 0.5}, {0.1, 0.2}, {0.15, 0.6}, 1, 0}, /* zeros far from where they are said to be */
        {{0.9, 0.5}, {1.5, 2}, {0.3, 1.8}, 0, 0},    /* a zero below -1 */
        {{0.5, 0.9}, {0.1, 0.2}, {0.15, 0.6}, 0, 0}, /* the wrong order */
        {{0.9, 0.9}, {0.1, 0.2}, {0.15, 0.6}, 0, 0}, /* one pole only */
        {{0.9, -0.1}, {0.1, 0.2}, {0.15, 0.6}, 0, 0}, {{1, 0.5}, {0.1, 0.2}, {0.15, 0.6}, 0, 0},
        {{0.9, 0.5}, {0.1, -0.2}, {0.15, 0.6}, 0, 0}, {{0.9, 0.5}, {NAN, 0.2}, {0.15, 0.6}, 0, 0},
    };
    for (size_t r = 0; r < COUNT(rows); r++) {
        finf_blt_fit f = {.buffers = 2};
        blt_point p = {.k = 2};
        memcpy(f.decay, rows[r].decay, sizeof rows[r].decay);
        memcpy(f.scale, rows[r].scale, sizeof rows[r].scale);
        memcpy(p.zero, rows[r].zero, sizeof rows[r].zero);
        blt_certify(&p, &f);
        ck_assert_msg(f.stable == rows[r].stable, "row %zu: %s", r, f.proved);
        ck_assert(f.stable || (!f.proved[0] && isnan(f.inverse_low[0])));
        for (size_t i = 0; i < 2 && f.stable; i++)
            if (!isnan(f.inverse_low[i]))
                ck_assert(sign_of_strategy(&f, f.inverse_low[i]) == 1 &&
                          sign_of_strategy(&f, f.inverse_high[i]) == -1);
    }
}
END_TEST

/* ---- what is refused, stopped, or degenerate ------------------------------------------------- */

static int stop_at; /* polls until cancel says stop */
static int stop(void *data)
{
    (void)data;
    return --stop_at <= 0;
}

static double bad_density(double w, void *data) { return w * *(double *)data; }

START_TEST(refused)
{
    finf_blt_fit f;
    finf_spectrum *s;
    finf_blt_fit_options o = finf_blt_fit_options_default();
    double factor = 2, one = 1, weight = NAN, bad = NAN, zero = 0;
    finf_blt_weights w = {1, 1, &factor, &one};
    finf_spectrum_flat(3, &s, NULL);
    ck_assert_int_eq(finf_blt_fit_mean(0.1, NULL, 0, NULL, &f), FINF_EDOM);
    ck_assert_str_eq(f.reason.text, "0 buffers: must be from 1 to 10");
    ck_assert_int_eq(finf_blt_fit_mean(0.1, NULL, 11, NULL, &f), FINF_EDOM);
    ck_assert_int_eq(finf_blt_fit_mean(2, NULL, 2, NULL, &f), FINF_EDOM);
    ck_assert_int_eq(finf_blt_fit_mean(NAN, NULL, 2, NULL, &f), FINF_EDOM);
    ck_assert_int_eq(finf_blt_fit_linreg(0.5, s, NULL, 2, NULL, &f), FINF_EDOM);
    ck_assert_ptr_nonnull(strstr(f.reason.text, "diverges in mean square"));
    ck_assert_int_eq(finf_blt_fit_linreg(1e-51, s, NULL, 2, NULL, &f), FINF_EDOM);
    ck_assert_int_eq(finf_blt_fit_prefix(0, FINF_BLT_LAST, 2, NULL, &f), FINF_EDOM);
    ck_assert_int_eq(finf_blt_fit_prefix(2000000000, FINF_BLT_LAST, 2, NULL, &f), FINF_EDOM);
    ck_assert_int_eq(finf_blt_fit_prefix(10, (finf_blt_objective)3, 2, NULL, &f), FINF_EUSAGE);
    ck_assert_int_eq(finf_blt_fit_weights(&w, 2, NULL, &f), FINF_EDOM);
    factor = 1;
    w.weight = &weight;
    ck_assert_int_eq(finf_blt_fit_weights(&w, 2, NULL, &f), FINF_EDOM);
    weight = -1; /* the error is negative */
    ck_assert_int_eq(finf_blt_fit_weights(&w, 2, NULL, &f), FINF_ETOL);
    w.terms = 0;
    ck_assert_int_eq(finf_blt_fit_weights(&w, 2, NULL, &f), FINF_EDOM);
    ck_assert_int_ne(finf_blt_fit_density(bad_density, &bad, 1, 1, 2, NULL, &f), FINF_OK);
    ck_assert_int_ne(finf_blt_fit_density(bad_density, &zero, 1, 1, 2, NULL, &f), FINF_OK);
    ck_assert_int_eq(finf_blt_fit_density(bad_density, &one, 0, 1, 2, NULL, &f), FINF_EDOM);
    o.starts = 0;
    ck_assert_int_eq(finf_blt_fit_mean(0.1, NULL, 2, &o, &f), FINF_EDOM);
    o.starts = 1;
    o.participations = 2;
    ck_assert_int_eq(finf_blt_fit_mean(0.1, NULL, 2, &o, &f), FINF_EDOM);
    o.separation = 0;
    ck_assert_int_eq(finf_blt_fit_prefix(9, FINF_BLT_LAST, 2, &o, &f), FINF_EDOM);
    o.participations = o.separation = 1;
    o.max_iterations = 0;
    ck_assert_int_eq(finf_blt_fit_mean(0.1, NULL, 2, &o, &f), FINF_EDOM);
    ck_assert(isnan(f.loss.value) && f.buffers == 0 && f.reason.text[0] && !f.stable);
    ck_assert_ptr_null(finf_blt_objective_name((finf_blt_objective)3));
    ck_assert_str_eq(finf_blt_objective_name(FINF_BLT_LARGEST), "max");
    finf_spectrum_free(s);
}
END_TEST

/* Stopped at once there is nothing, later the best there is. */
START_TEST(stopped)
{
    finf_blt_fit f, whole;
    finf_blt_fit_options o = finf_blt_fit_options_default();
    o.cancel.poll = stop;
    stop_at = 1;
    ck_assert_int_eq(finf_blt_fit_mean(0.01, NULL, 3, &o, &f), FINF_ETOL);
    ck_assert_str_eq(f.reason.text, "stopped");
    ck_assert(isnan(f.loss.value) && f.buffers == 0);
    stop_at = 40;
    ck_assert_int_eq(finf_blt_fit_mean(0.01, NULL, 3, &o, &f), FINF_ETOL);
    ck_assert_int_eq(finf_blt_fit_mean(0.01, NULL, 3, NULL, &whole), FINF_OK);
    ck_assert(f.buffers == 3 && f.stable && f.loss.value > whole.loss.value && f.starts == 0);
    ck_assert_double_le(f.loss.value, 1.2 * whole.loss.value);
}
END_TEST

/* Nothing to gain: one step, and mean estimation at eta = 1, where independent noise is best. */
START_TEST(degenerate)
{
    finf_blt_fit f;
    ck_assert_int_eq(finf_blt_fit_prefix(1, FINF_BLT_LAST, 3, NULL, &f), FINF_OK);
    ASSERT_NEAR(f.loss.value, 1, 1e-14, "one step");
    ck_assert_int_eq(finf_blt_fit_prefix(2, FINF_BLT_AVERAGE, 2, NULL, &f), FINF_OK);
    /* (1 + c^2)(1 + (1-c)^2/2) by hand */
    double least = INFINITY;
    for (double c = 0; c < 1; c += 1e-5)
        least = fmin(least, (1 + c * c) * (1 + (1 - c) * (1 - c) / 2));
    ASSERT_NEAR(f.loss.value, least, 1e-9, "two steps");
    finf_blt_fit_options all = finf_blt_fit_options_default();
    all.participations = 64; /* in every step: independent noise is best, and decays coincide */
    ck_assert_int_eq(finf_blt_fit_prefix(64, FINF_BLT_LAST, 3, &all, &f), FINF_OK);
    ck_assert(f.buffers <= 3 && f.buffers > 0 && f.stable);
    ck_assert_double_le(f.loss.value, 64. * 64 * 64 * (1 + 1e-6));
    ck_assert_int_eq(finf_blt_fit_mean(1, NULL, 2, NULL, &f), FINF_OK);
    ASSERT_NEAR(f.ratio, 1, 1e-7, "eta = 1");
    ck_assert(f.stable);
}
END_TEST

/* Whichever allocation fails, GSL's among them, the answer is the whole one or none. */
START_TEST(without_memory)
{
    finf_spectrum *s;
    double W[3] = {3, 2, 1}, factor = 1;
    finf_blt_weights w = {3, 1, &factor, W};
    finf_blt_fit whole = {0}, f;
    finf_blt_fit_options o = finf_blt_fit_options_default();
    o.starts = 1;
    finf_spectrum_power(1, 20, &s, NULL);
    gsl_set_error_handler_off(); /* as the library has it */
    for (int which = 0; which < 3; which++) {
        int failed = 0;
        for (long left = 0; left < 200; left++) { /* the first: none fails */
            allocations_left = left ? left : -1;
            finf_status status = which == 0   ? finf_blt_fit_linreg(0.1, s, NULL, 2, &o, &f)
                                 : which == 1 ? finf_blt_fit_prefix(9, FINF_BLT_LAST, 2, &o, &f)
                                              : finf_blt_fit_weights(&w, 1, &o, &f);
            allocations_left = -1;
            if (left == 0) whole = f;
            if (status == FINF_OK) {
                ck_assert(f.loss.value == whole.loss.value);
            } else {
                ck_assert_int_eq(status, FINF_ENOMEM);
                ck_assert(isnan(f.loss.value) && strstr(f.reason.text, "no memory"));
                failed++;
            }
        }
#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__
        ck_assert_msg(failed > 5 || getenv("CK_FORK"), "fit %d: %d failures", which, failed);
#endif
    }
    finf_spectrum_free(s);
}
END_TEST

static TCase *make(void)
{
    TCase *tc = tcase_create("blt");
    tcase_add_test(tc, sums_of_powers);
    tcase_add_test(tc, chart);
    tcase_add_test(tc, gradients);
    tcase_add_test(tc, linear_regression);
    tcase_add_test(tc, many_buffers);
    tcase_add_test(tc, momentum);
    tcase_add_test(tc, optimizers);
    tcase_add_test(tc, mean_estimation);
    tcase_add_test(tc, prefix_sums);
    tcase_add_test(tc, beside_systems);
    tcase_add_test(tc, weights);
    tcase_add_test(tc, participations);
    tcase_add_test(tc, run_of_regression);
    tcase_add_test(tc, enclosures);
    tcase_add_test(tc, not_proved);
    tcase_add_test(tc, refused);
    tcase_add_test(tc, stopped);
    tcase_add_test(tc, degenerate);
    tcase_add_test(tc, without_memory);
    return tc;
}

int main(void) { return run_suite("blt", make); }
