/* bounds/simulate/montecarlo*.c: simulations against exact values, with fixed seeds. */
#include "montecarlo.h"
#include "support.h"

#include <stdatomic.h>
#include <string.h>

enum { MEAN = FINF_SIMULATE_MEAN, LINREG = FINF_SIMULATE_LINREG, HUBER = FINF_SIMULATE_HUBER };
enum { SGD, NU, POWER, ANTIPGD, CC, FIR, STRATEGY, BLT, PRODUCT };

static finf_noise *make_noise(int kind, double x, double y)
{
    finf_noise *out = NULL;
    double taps[] = {1, -x, y}, nu[] = {x, 0.5}, r[] = {y, 0.2};
    switch (kind) {
    case SGD: finf_noise_sgd(&out); break;
    case NU: finf_noise_nu(x, &out, NULL); break;
    case POWER: finf_noise_power(x, y, &out, NULL); break;
    case ANTIPGD: finf_noise_antipgd(x, &out, NULL); break;
    case CC: finf_noise_cc(&out); break;
    case FIR: finf_noise_fir(taps, 3, &out, NULL); break;
    case STRATEGY: finf_noise_strategy(taps, 3, &out, NULL); break;
    case BLT: finf_noise_blt(&x, &y, 1, &out, NULL); break;
    case PRODUCT: finf_noise_product(nu, r, 2, &out, NULL); break;
    }
    ck_assert_ptr_nonnull(out);
    return out;
}

typedef struct {
    int problem, noise;
    double x, y, eta, a, d, sgd; /* noise, step, lambda_k = k^-a in d dimensions, gradient noise */
    size_t steps;
    double start;
} setting;

static const setting SETTINGS[] = {
    {MEAN, SGD, 0, 0, 0.1, 0, 1, 0, 0, 0},
    {MEAN, NU, 0.1, 0, 0.1, 0, 1, 0.5, 0, 0},
    {MEAN, NU, 0.001, 0, 0.05, 0, 1, 0, 0, 0},
    {MEAN, POWER, 0.25, 0.02, 1.5, 0, 1, 1, 0, 0},
    {MEAN, ANTIPGD, 0.2, 0, 0.2, 0, 1, 0, 0, 0},
    {MEAN, FIR, 0.6, 0.1, 0.1, 0, 1, 0.2, 0, 0},
    {MEAN, STRATEGY, -0.5, 0.2, 0.1, 0, 1, 0, 0, 0},
    {MEAN, BLT, 0.9, 0.3, 0.1, 0, 1, 0, 0, 0},
    {MEAN, PRODUCT, 0.05, 0.3, 0.1, 0, 1, 0, 0, 0},
    {LINREG, SGD, 0, 0, 0.05, 1, 16, 0.5, 0, 0},
    {LINREG, NU, 0.003125, 0, 0.05, 1, 16, 0.5, 0, 0},
    {LINREG, NU, 0.02, 0, 0.02, 0, 5, 0, 0, 0},
    {LINREG, ANTIPGD, 0.05, 0, 0.1, 0.5, 3, 1, 0, 0},
    {LINREG, FIR, 0.5, 0.2, 0.1, 1, 4, 0, 0, 0},
    {HUBER, NU, 0.05, 0, 0.1, 0, 1, 0.3, 0, 0}, /* kappa = 1 */
    {MEAN, NU, 0.1, 0, 0.1, 0, 1, 0.5, 17, 1},
    {MEAN, CC, 0, 0, 0.1, 0, 1, 0, 100, 0},
    {LINREG, SGD, 0, 0, 0.1, 1, 4, 0.5, 10, 2},
    {LINREG, NU, 0.01, 0, 0.1, 1, 4, 0, 50, 1},
    {LINREG, BLT, 0.9, 0.3, 0.1, 1, 2, 0, 30, 1},
    {LINREG, CC, 0, 0, 0.05, 1, 16, 1, 64, 0},
    {HUBER, FIR, 0.5, 0.1, 0.1, 0, 1, 0.3, 5, 4},
};

static finf_status simulate(const setting *x, const finf_simulate_options *o,
                            finf_simulate_result *r)
{
    finf_noise *noise = make_noise(x->noise, x->x, x->y);
    finf_spectrum *s = NULL;
    if (x->problem == LINREG) finf_spectrum_power(x->a, x->d, &s, NULL);
    finf_status status = finf_simulate(noise, (finf_simulate_problem)x->problem, x->eta, s, o, r);
    finf_noise_free(noise);
    finf_spectrum_free(s);
    return status;
}

static finf_simulate_options options(const setting *x, double relative_error)
{
    finf_simulate_options o = finf_simulate_options_default();
    o.privacy.sigma_sgd = x->sgd;
    o.steps = x->steps;
    o.start = x->start;
    o.kappa = 1;
    o.smooth = 2;
    o.relative_error = relative_error;
    o.threads = 2;
    o.seed = 100 + (unsigned long long)(x - SETTINGS);
    return o;
}

/* Right within 4 standard errors, each; and together the squares of z are a chi^2 (0.001 to 0.999),
 * or the errors are not honest. */
START_TEST(agrees_with_exact)
{
    double sum = 0, worst = 0;
    size_t n = COUNT(SETTINGS);
    for (size_t i = 0; i < n; i++) {
        finf_simulate_result r;
        finf_simulate_options o = options(&SETTINGS[i], 0.005);
        finf_status s = simulate(&SETTINGS[i], &o, &r);
        ck_assert_msg(s == FINF_OK, "setting %zu: %s: %s", i, finf_status_text(s), r.reason.text);
        double z = (r.F.value - r.exact.value) / r.F.error;
        if (getenv("FINF_TEST_VERBOSE"))
            printf("%2zu z %6.2f  F %.6g +- %.2g  exact %.6g  steps %.3g chains %g of %g (burn-in "
                   "%g)  %.3g s  %s %zu\n",
                   i, z, r.F.value, r.F.error, r.exact.value, r.steps, r.chains, r.chain_steps,
                   r.burn_in, r.seconds, r.method, r.method_size);
        ck_assert_msg(fabs(z) < 4, "setting %zu: %.6g +- %.2g, exact %.6g: z = %.2f", i, r.F.value,
                      r.F.error, r.exact.value, z);
        ck_assert_msg(r.F.error <= 0.005 * r.F.value && r.F.error > 0.0005 * r.F.value,
                      "setting %zu: error %.2g", i, r.F.error);
        ck_assert(r.low < r.F.value && r.F.value < r.high && r.clipped_fraction == 0);
        sum += z * z;
        worst = fmax(worst, fabs(z));
    }
    if (getenv("FINF_TEST_VERBOSE"))
        printf("mean z^2 %.3f of %zu, worst %.2f\n", sum / (double)n, n, worst);
    ck_assert_msg(sum > 6.98 && sum < 48.3, "sum of z^2 over %zu settings: %.3g", n,
                  sum); /* chi^2 of 22: 0.001 and 0.999 */
}
END_TEST

/* A start of its own in each direction, beside the exact curve from there; in equal parts it is
 * `start`. */
START_TEST(start_by_direction)
{
    const double at[] = {0, 3, 0.5, 0}, equal[] = {0.25, 0.25, 0.25, 0.25};
    setting x = {LINREG, NU, 0.01, 0, 0.1, 1, 4, 0, 50, 1};
    finf_simulate_result r, one;
    finf_simulate_options o = options(SETTINGS, 0.005);
    o.privacy.sigma_sgd = 0;
    o.steps = 50;
    o.start = 1;
    ck_assert_int_eq(simulate(&x, &o, &one), FINF_OK);
    o.start_at = equal;
    ck_assert_int_eq(simulate(&x, &o, &r), FINF_OK);
    ck_assert(r.F.value == one.F.value);
    ASSERT_NEAR(r.exact.value, one.exact.value, 1e-14, "equal parts");
    o.start_at = at;
    ck_assert_int_eq(simulate(&x, &o, &r), FINF_OK);
    ck_assert_msg(fabs(r.F.value - r.exact.value) < 4 * r.F.error, "%.6g +- %.2g, exact %.6g",
                  r.F.value, r.F.error, r.exact.value);
    ck_assert(fabs(r.exact.value - one.exact.value) > 20 * r.F.error); /* it matters */
    x.problem = MEAN;
    ck_assert_int_eq(simulate(&x, &o, &one), FINF_OK);
    o.start_at = NULL;
    o.start = 0;
    ck_assert_int_eq(simulate(&x, &o, &r), FINF_OK);
    ck_assert(r.F.value == one.F.value);
    x.problem = LINREG;
    const double bad[] = {1, -1, 1, 1};
    o.start_at = bad;
    ck_assert_int_eq(simulate(&x, &o, &r), FINF_EDOM);
    ck_assert(strstr(r.reason.text, "direction 2"));
}
END_TEST

/* Every power against its beta and its |B|^2: what the chains are fed is what was asked for. */
START_TEST(rational_is_the_power)
{
    static const double P[] = {0.05, 0.25, 0.5, 0.75, 0.95, 1},
                        VALUES[] = {0, 1e-6, 1e-3, 0.1, 0.9};
    enum { N = 20000 };
    static double beta[N];
    for (size_t i = 0; i < COUNT(P); i++)
        for (size_t j = 0; j < COUNT(VALUES); j++) {
            noise_poles f;
            finf_noise *noise;
            if (VALUES[j] == 0 && P[i] != 0.5) continue;
            if (VALUES[j] == 0)
                finf_noise_cc(&noise);
            else
                finf_noise_power(P[i], VALUES[j], &noise, NULL);
            noise->family->poles(noise, 1e-5, &f);
            ck_assert_uint_le(f.n, 60);
            finf_noise_beta(noise, N, beta, NULL);
            /* where 1e-5 is the slowest that matters */
            for (size_t t = 1; t < N; t = t < 8 ? t + 1 : t * 3 / 2) {
                double sum = 0;
                for (size_t k = 0; k < f.n; k++)
                    sum += f.gain[k] * pow(1 - f.leak[k], (double)t - 1);
                ck_assert_msg(fabs(sum - beta[t]) <= 2e-4 * fabs(beta[t]) + 1e-10,
                              "p %g nu %g t %zu: %g, beta %g", P[i], VALUES[j], t, sum, beta[t]);
            }
            for (double w = 1e-4; w < 3.2; w *= 1.7) {
                double re = 1, im = 0;
                for (size_t k = 0; k < f.n;
                     /* z/(1-dz) = 1/(e^{iw} - d), e^{iw} - d = leak - 2 sin^2(w/2) + i sin w */
                     k++) {
                    double m = f.leak[k], x = m - 2 * sin(w / 2) * sin(w / 2), y = sin(w),
                           n = x * x + y * y;
                    re += f.gain[k] * x / n;
                    im -= f.gain[k] * y / n;
                }
                double exact = finf_noise_density(noise, w);
                ck_assert_msg(relative(re * re + im * im, exact) < (w < 1e-3 ? 1e-3 : 2e-4),
                              "p %g nu %g w %g: |B|^2 %g, exact %g", P[i], VALUES[j], w,
                              re * re + im * im, exact);
            }
            finf_noise_free(noise);
        }
}
END_TEST

static void assert_same(const finf_simulate_result *a, const finf_simulate_result *b,
                        const char *what)
{
    ck_assert_msg(a->F.value == b->F.value && a->F.error == b->F.error && a->low == b->low &&
                      a->high == b->high && a->steps == b->steps && a->chains == b->chains &&
                      a->clipped_fraction == b->clipped_fraction,
                  "%s: %.17g and %.17g", what, a->F.value, b->F.value);
}

/* To the bit: for 1, 2 and 5 threads, and again; another seed gives another number. */
START_TEST(reproducible)
{
    static const setting WHICH[] = {{MEAN, NU, 0.01, 0, 0.1, 0, 1, 0.5, 0, 0},
                                    {LINREG, NU, 0.01, 0, 0.1, 1, 7, 0.5, 0, 0},
                                    {LINREG, FIR, 0.5, 0.2, 0.1, 1, 3, 1, 0, 0},
                                    {HUBER, SGD, 0, 0, 0.1, 0, 1, 0.5, 0, 0},
                                    {LINREG, SGD, 0, 0, 0.1, 0, 2, 1, 25, 1},
                                    {MEAN, STRATEGY, -0.5, 0.2, 0.1, 0, 1, 0, 40, 1}};
    for (size_t i = 0; i < COUNT(WHICH); i++)
        for (int clip = 0; clip < 2; clip++) {
            finf_simulate_result one, other;
            finf_simulate_options o = finf_simulate_options_default();
            o.privacy.sigma_sgd = WHICH[i].sgd;
            o.steps = WHICH[i].steps;
            o.start = WHICH[i].start;
            o.relative_error = 0.02;
            o.clip_gradients = clip;
            o.seed = 7;
            ck_assert_int_eq(simulate(&WHICH[i], &o, &one), FINF_OK);
            ck_assert((one.clipped_fraction > 0) == clip && one.clipped_fraction <= 1);
            for (o.threads = 1; o.threads <= 5; o.threads += o.threads == 1 ? 1 : 3) {
                ck_assert_int_eq(simulate(&WHICH[i], &o, &other), FINF_OK);
                assert_same(&one, &other, "threads");
            }
            o.threads = 1;
            o.seed = 8;
            ck_assert_int_eq(simulate(&WHICH[i], &o, &other), FINF_OK);
            ck_assert(one.F.value != other.F.value);
        }
}
END_TEST

/* ---- what has no formula: the stationary density of one dimension, independent noise, by its
 * integral equation on a grid
 * ---- */

enum { GRID = 401, INPUTS = 401 };
typedef struct {
    int problem;
    double eta, sigma, clip, L, mu, knee;
} law;

static double held(double x, double most) { return fmax(fmin(x, most), -most); }
static double gradient(const law *m, double e, double x)
{
    double g = m->problem == LINREG ? e * x * x : m->mu * e + (m->L - m->mu) * held(e, m->knee);
    return held(g, m->clip);
}
static double loss(const law *m, double e)
{
    double c = held(e, m->knee);
    return m->problem == HUBER ? m->mu / 2 * e * e + (m->L - m->mu) * c * (e - c / 2) : e * e / 2;
}

/* p(e') = int p(e) N(e' - e + eta g(e), eta^2 sigma^2) de, to its fixed point; also how often a
 * gradient is clipped */
static double stationary(const law *m, double width, double *clipped)
{
    static double K[GRID][GRID], p[GRID], q[GRID];
    double h = 2 * width / (GRID - 1), s = m->eta * m->sigma, change = 1, F = 0, total = 0,
           hx = 12.0 / (INPUTS - 1);
    int inputs = m->problem == LINREG ? INPUTS : 1;
    memset(K, 0, sizeof K);
    *clipped = 0;
    for (int i = 0; i < GRID; i++) {
        double e = -width + h * i;
        for (int k = 0; k < inputs; k++) {
            double x = inputs == 1 ? 1 : -6 + hx * k,
                   weight = inputs == 1 ? 1 : hx * exp(-x * x / 2) / sqrt(2 * M_PI);
            double to = e - m->eta * gradient(m, e, x);
            for (int j = 0; j < GRID; j++) {
                double u = (-width + h * j - to) / s;
                if (fabs(u) < 9) K[i][j] += weight * h * exp(-u * u / 2) / (s * sqrt(2 * M_PI));
            }
        }
        p[i] = 1.0 / GRID;
    }
    for (int n = 0; n < 20000 && change > 1e-9; n++) {
        memset(q, 0, sizeof q);
        change = total = 0;
        for (int i = 0; i < GRID; i++)
            for (int j = 0; j < GRID; j++) q[j] += p[i] * K[i][j];
        for (int j = 0; j < GRID; j++) total += q[j];
        for (int j = 0; j < GRID; j++) {
            change += fabs(q[j] / total - p[j]);
            p[j] = q[j] / total;
        }
    }
    for (int i = 0; i < GRID; i++) {
        double e = -width + h * i;
        F += p[i] * loss(m, e);
        /* P(|e| x^2 > G) */
        double edge = m->problem == LINREG ? erfc(sqrt(m->clip / fabs(e == 0 ? 1e-9 : e) / 2)) : 0;
        law open = *m;
        open.clip = INFINITY;
        if (m->problem != LINREG) edge = fabs(gradient(&open, e, 1)) > m->clip;
        *clipped += p[i] * edge;
    }
    return F;
}

START_TEST(clipped_and_huber)
{
    static const struct {
        law m;
        double width;
        int clip;
    } CASES[] = {
        {{MEAN, 0.5, 1, 0.5, 1, 1, 1}, 8, 1},       {{LINREG, 0.2, 1, 0.5, 1, 1, 1}, 6, 1},
        {{LINREG, 0.4, 0.5, 1, 1, 1, 1}, 5, 1},     {{HUBER, 0.5, 1, INFINITY, 1, 0.1, 0.4}, 12, 0},
        {{HUBER, 0.5, 1, 0.75, 2, 0.2, 0.3}, 9, 1}, {{MEAN, 1.5, 1, 1, 1, 1, 1}, 12, 1}};
    finf_noise *noise;
    finf_spectrum *one;
    finf_noise_sgd(&noise);
    finf_spectrum_flat(1, &one, NULL);
    for (size_t i = 0; i < COUNT(CASES); i++) {
        const law *m = &CASES[i].m;
        double clipped, F = stationary(m, CASES[i].width, &clipped);
        finf_simulate_options o = finf_simulate_options_default();
        finf_simulate_result r;
        o.clip_gradients = CASES[i].clip;
        o.privacy.clip = CASES[i].clip ? m->clip : 1;
        o.privacy.rho = o.privacy.clip * o.privacy.clip / (2 * m->sigma * m->sigma);
        o.smooth = m->L;
        o.kappa = m->L / m->mu;
        o.knee = m->problem == HUBER ? m->knee : 0;
        o.relative_error = 0.005;
        o.threads = 2;
        o.seed = 40 + i;
        ck_assert_int_eq(finf_simulate(noise, (finf_simulate_problem)m->problem, m->eta,
                                       m->problem == LINREG ? one : NULL, &o, &r),
                         FINF_OK);
        double z = (r.F.value - F) / r.F.error;
        if (getenv("FINF_TEST_VERBOSE"))
            printf(
                "density %zu: z %.2f  F %.6g +- %.2g, %.6g; clipped %.5f, %.5f; burn-in %g of %g\n",
                i, z, r.F.value, r.F.error, F, r.clipped_fraction, clipped, r.burn_in,
                r.chain_steps);
        ck_assert_msg(fabs(z) < 4, "case %zu: %.6g +- %.2g, density %.6g", i, r.F.value, r.F.error,
                      F);
        ck_assert(isnan(r.exact.value) && r.exact_reason.text[0]);
        if (CASES[i].clip)
            ck_assert_msg(fabs(r.clipped_fraction - clipped) < 0.01,
                          "case %zu: clipped %g, density %g", i, r.clipped_fraction, clipped);
    }
    finf_noise_free(noise);
    finf_spectrum_free(one);
}
END_TEST

/* A clip norm that nothing reaches changes nothing; so does a knee that nothing reaches. */
START_TEST(limits)
{
    setting x = {LINREG, NU, 0.01, 0, 0.1, 1, 4, 0.5, 30, 1},
            h = {HUBER, NU, 0.01, 0, 0.1, 0, 1, 0.5, 30, 1}, m = h;
    finf_simulate_result a, b;
    finf_simulate_options o = finf_simulate_options_default();
    o.relative_error = 0.05;
    o.steps = 30;
    o.privacy.sigma_sgd = 0.5;
    o.privacy.clip = 1e3;
    o.privacy.rho = 1e6;
    ck_assert_int_eq(simulate(&x, &o, &a), FINF_OK);
    o.clip_gradients = 1;
    ck_assert_int_eq(simulate(&x, &o, &b), FINF_OK);
    assert_same(&a, &b, "clip");
    m.problem = MEAN;
    o.clip_gradients = 0;
    o.kappa = 10;
    o.knee = 1e9;
    ck_assert_int_eq(simulate(&h, &o, &a), FINF_OK);
    ck_assert_int_eq(simulate(&m, &o, &b), FINF_OK);
    ASSERT_NEAR(a.F.value, b.F.value, 1e-12, "knee");
}
END_TEST

static int after(void *count) { return atomic_fetch_sub((atomic_int *)count, 1) <= 0; }
static void watch(void *data, double done, double expected, double mean, double error)
{
    double *last = data;
    ck_assert(done >= last[0] && expected > 0 && !(error < 0) && !(mean < 0));
    last[0] = done;
    last[1]++;
}

START_TEST(stopped)
{
    setting x = {MEAN, NU, 0.01, 0, 0.01, 0, 1, 0, 0, 0};
    finf_simulate_result r;
    finf_simulate_options o = finf_simulate_options_default();
    o.relative_error = 1e-6;
    o.max_steps = 1e6;
    double last[2] = {0};
    o.progress = watch;
    o.progress_data = last;
    /* with the best value, within the steps allowed */
    ck_assert_int_eq(simulate(&x, &o, &r), FINF_ETOL);
    ck_assert(r.steps <= 1e6 && r.steps > 9e5 && r.reason.text[0] && last[1] > 1);
    ck_assert(fabs(r.F.value - r.exact.value) < 4 * r.F.error);
    o.progress = NULL;
    o.max_steps = 10;
    ck_assert_int_eq(simulate(&x, &o, &r), FINF_ETOL);
    ck_assert(isnan(r.F.value) && isinf(r.F.error) && r.steps == 0 && r.reason.text[0]);
    x.steps = o.steps = 5;
    o.max_steps = 30;
    ck_assert_int_eq(simulate(&x, &o, &r), FINF_ETOL);
    ck_assert(isnan(r.F.value) && r.reason.text[0]);
    x.steps = o.steps = 0;
    o.max_steps = 1e9;
    for (unsigned threads = 1; threads <= 2; threads++)
        for (int n = 0; n < 100000; n = n ? 10 * n : 1) { /* interrupted sooner or later */
            atomic_int count = n;
            o.cancel.poll = after;
            o.cancel.data = &count;
            o.threads = threads;
            ck_assert_int_eq(simulate(&x, &o, &r), FINF_ETOL);
            ck_assert(strstr(r.reason.text, "interrupted"));
            ck_assert(r.chains > 3 ? fabs(r.F.value - r.exact.value) < 5 * r.F.error
                                   : isnan(r.F.value) && isinf(r.F.error));
        }
}
END_TEST

START_TEST(infinite_and_refused)
{
    setting x = {MEAN, SGD, 0, 0, 2.5, 0, 1, 0, 0, 0};
    finf_simulate_result r;
    finf_simulate_options d = finf_simulate_options_default(), o = d;
    ck_assert_int_eq(simulate(&x, &o, &r), FINF_OK);
    ck_assert(isinf(r.F.value) && r.reason.text[0] && r.steps == 0);
    x = (setting){LINREG, SGD, 0, 0, 0.9, 0, 4, 0, 0, 0};
    ck_assert_int_eq(simulate(&x, &o, &r), FINF_OK);
    ck_assert(isinf(r.F.value) && r.reason.text[0]);
    x = (setting){MEAN, CC, 0, 0, 0.1, 0, 1, 0, 0, 0};
    ck_assert_int_eq(simulate(&x, &o, &r), FINF_OK);
    ck_assert(isinf(r.F.value) && r.reason.text[0]);
    o.steps = 5000;
    o.start = 1; /* grows beyond every double: said, not averaged */
    x = (setting){MEAN, SGD, 0, 0, 9, 0, 1, 0, 5000, 1};
    ck_assert_int_eq(simulate(&x, &o, &r), FINF_ETOL);
    ck_assert(isnan(r.F.value) && r.reason.text[0]);
    x = (setting){HUBER, SGD, 0, 0, 2.5, 0, 1, 0, 0, 0};
    ck_assert_int_eq(simulate(&x, NULL, &r), FINF_EDOM);
    ck_assert(strstr(r.reason.text, "below 2"));

    finf_noise *noise;
    finf_spectrum *s;
    finf_noise_sgd(&noise);
    finf_spectrum_flat(2, &s, NULL);
    ck_assert_int_eq(finf_simulate(noise, FINF_SIMULATE_MEAN, 0.1, s, NULL, &r), FINF_EDOM);
    ck_assert_int_eq(finf_simulate(noise, FINF_SIMULATE_LINREG, 0.1, NULL, NULL, &r), FINF_EDOM);
    ck_assert_int_eq(finf_simulate(noise, FINF_SIMULATE_MEAN, 1e60, NULL, NULL, &r), FINF_EDOM);
    finf_spectrum_free(s);
    finf_spectrum_flat(1e6, &s, NULL);
    ck_assert_int_eq(finf_simulate(noise, FINF_SIMULATE_LINREG, 1e-8, s, NULL, &r), FINF_EDOM);
    finf_spectrum_free(s);
    finf_spectrum_flat(50000, &s, NULL);
    finf_noise *fir = make_noise(FIR, 0.5, 0.1);
    /* 1e8 steps are too few */
    ck_assert_int_eq(finf_simulate(fir, FINF_SIMULATE_LINREG, 1e-6, s, NULL, &r), FINF_ETOL);
    o = d;
    o.max_steps = 1e15;
    ck_assert_int_eq(finf_simulate(fir, FINF_SIMULATE_LINREG, 1e-6, s, &o, &r), FINF_EDOM);
    ck_assert(strstr(r.reason.text, "memory"));
    const double bad[] = {0, -1, NAN, INFINITY, 1e300};
    for (size_t i = 0; i < COUNT(bad); i++) {
#define REFUSED(problem, eta, field)                                                               \
    o = d;                                                                                         \
    o.field = bad[i];                                                                              \
    ck_assert_msg(finf_simulate(noise, problem, eta, NULL, &o, &r) == FINF_EDOM, #field " = %g",   \
                  bad[i]);                                                                         \
    ck_assert_msg(r.reason.text[0] && isnan(r.F.value) && isinf(r.F.error), #field " = %g", bad[i])
        if (i < 4)
            ck_assert_int_eq(finf_simulate(noise, FINF_SIMULATE_MEAN, bad[i], NULL, NULL, &r),
                             FINF_EDOM);
        REFUSED(FINF_SIMULATE_MEAN, 0.1, privacy.rho);
        REFUSED(FINF_SIMULATE_MEAN, 0.1, privacy.clip);
        REFUSED(FINF_SIMULATE_MEAN, 0.1, relative_error);
        REFUSED(FINF_SIMULATE_MEAN, 0.1, max_steps);
        REFUSED(FINF_SIMULATE_HUBER, 0.1, kappa);
        REFUSED(FINF_SIMULATE_HUBER, 0.1, smooth);
        if (i == 0) continue; /* 0 is right */
        REFUSED(FINF_SIMULATE_MEAN, 0.1, privacy.sigma_sgd);
        REFUSED(FINF_SIMULATE_MEAN, 0.1, start);
        REFUSED(FINF_SIMULATE_HUBER, 0.1, knee);
    }
    for (unsigned threads = 0; threads < 1000; threads += 999) {
        o = d;
        o.threads = threads;
        ck_assert_int_eq(finf_simulate(noise, FINF_SIMULATE_MEAN, 0.1, NULL, &o, &r), FINF_EDOM);
    }
    o = d;
    o.steps = (size_t)FINF_STEPS_MAX + 1;
    ck_assert_int_eq(finf_simulate(noise, FINF_SIMULATE_MEAN, 0.1, NULL, &o, &r), FINF_EDOM);
    finf_noise_free(noise);
    finf_noise_free(fir);
    finf_spectrum_free(s);
}
END_TEST

static TCase *make(void)
{
    TCase *t = tcase_create("simulate");
    tcase_add_test(t, agrees_with_exact);
    tcase_add_test(t, start_by_direction);
    tcase_add_test(t, rational_is_the_power);
    tcase_add_test(t, reproducible);
    tcase_add_test(t, clipped_and_huber);
    tcase_add_test(t, limits);
    tcase_add_test(t, stopped);
    tcase_add_test(t, infinite_and_refused);
    return t;
}

int main(void) { return run_suite("simulate", make); }
