/* bounds/system/curve_optimizer.c, curve_window.c: the learning curve of any linear optimizer. */
#include <string.h>

#include "curve.h"
#include "no_memory.h"
#include "spec.h"
#include "support.h"
#include "system.h"

/* ---- what is compared ------------------------------------------------------------------------ */

typedef enum { TORCH, NESTEROV, FILTER } rule_kind;

/* An optimizer by its update rule, and as finf spells it. */
typedef struct {
    const char *spell;
    rule_kind kind;
    double m;
    size_t nb, na;
    double b[5], a[5];
} rule;

static const rule RULES[] = {
    {"sgd", TORCH, 0, 0, 0, {0}, {0}},
    {"heavy-ball:0", TORCH, 0, 0, 0, {0}, {0}},
    {"heavy-ball:0.5", TORCH, 0.5, 0, 0, {0}, {0}},
    {"heavy-ball:0.9", TORCH, 0.9, 0, 0, {0}, {0}},
    {"nesterov:0", NESTEROV, 0, 0, 0, {0}, {0}},
    {"nesterov:0.8", NESTEROV, 0.8, 0, 0, {0}, {0}},
    {"filter:0,1;1,-1", FILTER, 0, 2, 2, {0, 1}, {1, -1}},
    {"filter:0,0.5,0.3,0.2;1,-1", FILTER, 0, 4, 2, {0, 0.5, 0.3, 0.2}, {1, -1}},
    {"filter:0,2,-1;2,-3,1.5,-0.75,0.25", FILTER, 0, 3, 5, {0, 2, -1}, {2, -3, 1.5, -0.75, 0.25}},
    /* two real poles that meet on lambda = 1 at eta = 0.2: (1 - sqrt 0.2)^2 */
    {"heavy-ball:0.305572809000084121", TORCH, 0.305572809000084121, 0, 0, {0}, {0}},
};

typedef struct {
    const char *spell;
    double keep; /* of ema, or 0 */
    size_t last; /* or K, or 0 */
} average;
static const average AVERAGES[] = {{"none", 0, 0},   {"ema:0.7", 0.7, 0}, {"last:2", 0, 2},
                                   {"last:5", 0, 5}, {"last:14", 0, 14},  {"last:100", 0, 100}};

enum { SLOTS = 20 }; /* numbers an optimizer remembers of one coordinate */

/* One coordinate as PyTorch moves it: x[0] is theta, then its buffers, then what is averaged. */
static size_t rule_slots(const rule *r, const average *v)
{
    size_t own = r->kind == FILTER ? (r->na - 1) + (r->nb - 2) : 2;
    return own + (v->keep > 0) + (v->last ? (v->last < 14 ? v->last : 14) - 1 : 0);
}
static void rule_step(const rule *r, const average *v, double eta, double g, double *x)
{
    size_t own = r->kind == FILTER ? (r->na - 1) + (r->nb - 2) : 2;
    size_t all = rule_slots(r, v);
    if (v->last) {
        for (size_t i = all - 1; i > own; i--) x[i] = x[i - 1];
        x[own] = x[0];
    }
    if (r->kind == FILTER) { /* x: theta_t, theta_{t-1}, .., u_{t-1}, u_{t-2}, .. */
        size_t past = r->na - 1;
        double sum = -eta * r->b[1] * g;
        for (size_t k = 1; k < r->na; k++) sum -= r->a[k] * x[k - 1];
        for (size_t k = 2; k < r->nb; k++) sum -= eta * r->b[k] * x[past + k - 2];
        for (size_t i = past - 1; i > 0; i--) x[i] = x[i - 1];
        for (size_t i = own - 1; i > past; i--) x[i] = x[i - 1];
        if (own > past) x[past] = g;
        x[0] = sum / r->a[0];
    } else { /* torch.optim.SGD */
        double buf = r->m * x[1] + g;
        x[0] -= eta * (r->kind == NESTEROV ? g + r->m * buf : buf);
        x[1] = buf;
    }
    if (v->keep > 0) x[own] = v->keep * x[own] + (1 - v->keep) * x[0];
}
/* The coordinate at the start, theta_0 = 1: the past is theta_0, the buffers are 0. */
static void rule_start(const rule *r, const average *v, double *x)
{
    memset(x, 0, SLOTS * sizeof *x);
    x[0] = 1;
    for (size_t i = 1; r->kind == FILTER && i < r->na - 1; i++) x[i] = 1;
    if (v->keep > 0) x[rule_slots(r, v) - 1] = 1;
}
/* The averaged point at t is sum_i c_i x_i. */
static void rule_average(const rule *r, const average *v, size_t t, double *c)
{
    size_t own = r->kind == FILTER ? (r->na - 1) + (r->nb - 2) : 2;
    size_t points = !v->last ? 1 : t + 1 < v->last ? t + 1 : v->last;
    memset(c, 0, SLOTS * sizeof *c);
    c[v->keep > 0 ? own : 0] = 1 / (double)points;
    for (size_t i = 1; i < points; i++) c[own + i - 1] = 1 / (double)points;
}

static finf_optimizer *optimizer(const char *spell, const char *mean, double decay)
{
    finf_optimizer *o;
    finf_reason why = {""};
    finf_status s = finf_optimizer_parse(spell, mean, decay, &o, &why);
    ck_assert_msg(s == FINF_OK, "%s: %s", spell, why.text);
    return o;
}
static finf_system *toeplitz(const char *spec, size_t n)
{
    finf_noise *noise;
    finf_system *s;
    ck_assert_int_eq(spec_noise(spec, &noise, NULL), FINF_OK);
    ck_assert_int_eq(finf_system_toeplitz(noise, n, &s, NULL), FINF_OK);
    finf_noise_free(noise);
    return s;
}
static finf_curve_result curve(const finf_system *s, double eta, const finf_spectrum *H,
                               finf_curve_options o)
{
    finf_curve_result r;
    finf_status status = finf_curve(s, eta, H, &o, &r);
    ck_assert_msg(status == FINF_OK, "%s", r.reason.text);
    return r;
}

/* ---- all second moments, in a basis that is not H's ------------------------------------------ */

enum { D = 3, N = 13, ALL = D * SLOTS };
static const double LAMBDA[D] = {1, 0.4, 0.05};

typedef struct {
    double H[D][D];         /* the inputs' covariance */
    double U[D][D];         /* its eigenvectors, in columns */
    double decay, kurtosis; /* kurtosis only for U = I */
    double eta, sgd, sigma2;
    const double *B; /* N x N */
    double theta[D]; /* theta_0 */
} world;

/* x <- M x of all slots and coordinates, with the mean gradient; x is ALL numbers `by` apart. */
static void mean_step(const world *w, const rule *r, const average *v, double *x, size_t by)
{
    double y[D][SLOTS] = {{0}}, g[D];
    size_t slots = rule_slots(r, v);
    for (size_t i = 0; i < D; i++) {
        for (size_t s = 0; s < slots; s++) y[i][s] = x[(s * D + i) * by];
        g[i] = w->decay * x[i * by];
        for (size_t k = 0; k < D; k++) g[i] += w->H[i][k] * x[k * by];
    }
    for (size_t i = 0; i < D; i++) {
        rule_step(r, v, w->eta, g[i], y[i]);
        for (size_t s = 0; s < slots; s++) x[(s * D + i) * by] = y[i][s];
    }
}

/* F[0..N] from E X X' and E X w_k', X being everything that the optimizer remembers. */
static void full_moments(const world *w, const rule *r, const average *v, double *F)
{
    static double S[ALL][ALL], cross[N][ALL][D], Xz[ALL][D];
    size_t slots = rule_slots(r, v), all = slots * D;
    double first[SLOTS], in[SLOTS] = {0}, c[SLOTS];
    rule_start(r, v, first);
    rule_step(r, v, w->eta, 1, in);
    memset(cross, 0, sizeof cross);
    for (size_t a = 0; a < all; a++)
        for (size_t b = 0; b < all; b++)
            S[a][b] = first[a / D] * first[b / D] * w->theta[a % D] * w->theta[b % D];
    for (size_t t = 0; t <= N; t++) {
        double T[D][D] = {{0}}, HT[D][D] = {{0}}, E[D][D] = {{0}}, trace = 0, own = 0;
        rule_average(r, v, t, c);
        F[t] = 0;
        for (size_t a = 0; a < all; a++)
            for (size_t b = 0; b < all; b++)
                F[t] += 0.5 * c[a / D] * c[b / D] * S[a][b] *
                        (w->H[a % D][b % D] + (a % D == b % D ? w->decay : 0));
        if (t == N) break;
        memset(Xz, 0, sizeof Xz);
        for (size_t k = 0; k <= t; k++) {
            double b = w->B[t * N + k];
            own += b * b * w->sigma2;
            for (size_t i = 0; i < D; i++) {
                mean_step(w, r, v, &cross[k][0][i], D);
                for (size_t a = 0; a < all; a++) Xz[a][i] += b * cross[k][a][i];
                for (size_t s = 0; s < slots; s++) cross[k][s * D + i][i] += in[s] * b * w->sigma2;
            }
        }
        for (size_t i = 0; i < D; i++)
            for (size_t j = 0; j < D; j++) T[i][j] = S[i][j];
        for (size_t i = 0; i < D; i++)
            for (size_t j = 0; j < D; j++)
                for (size_t k = 0; k < D; k++) HT[i][j] += w->H[i][k] * T[k][j];
        for (size_t i = 0; i < D; i++) trace += HT[i][i];
        for (size_t i = 0; i < D; i++)
            for (size_t j = 0; j < D; j++) {
                for (size_t k = 0; k < D; k++) E[i][j] += HT[i][k] * w->H[k][j];
                E[i][j] += (trace + w->sgd * w->sgd) * w->H[i][j];
                if (i == j) E[i][j] += w->kurtosis * w->H[i][i] * w->H[i][i] * T[i][i] + own;
            }
        for (size_t b = 0; b < all; b++) mean_step(w, r, v, &S[0][b], ALL);
        for (size_t a = 0; a < all; a++) mean_step(w, r, v, S[a], 1);
        for (size_t a = 0; a < all; a++)
            for (size_t b = 0; b < all; b++)
                S[a][b] += in[a / D] * in[b / D] * E[a % D][b % D] + Xz[a][b % D] * in[b / D] +
                           Xz[b][a % D] * in[a / D];
    }
}

static world make_world(int rotated, double decay, double kurtosis)
{
    static const double U[D][D] = {{2, -2, 1}, {1, 2, 2}, {2, 1, -2}};
    world w = {.decay = decay, .kurtosis = kurtosis, .eta = 0.2, .sgd = 0.3};
    w.theta[0] = 0.7;
    w.theta[1] = -0.3;
    w.theta[2] = 1.1;
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++) w.U[i][j] = rotated ? U[i][j] / 3 : i == j;
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++)
            for (size_t k = 0; k < D; k++) w.H[i][j] += w.U[i][k] * LAMBDA[k] * w.U[j][k];
    return w;
}

static void compare_moments(const finf_system *s, const char *name, world *w)
{
    double B[N * N], F[N + 1], start[D] = {0};
    finf_spectrum *H;
    finf_spectrum_list(LAMBDA, D, &H, NULL);
    ck_assert_int_eq(finf_system_noising(s, NULL, B, NULL), FINF_OK);
    w->B = B;
    for (size_t j = 0; j < D; j++) {
        for (size_t i = 0; i < D; i++) start[j] += w->U[i][j] * w->theta[i];
        start[j] *= start[j];
    }
    for (size_t i = 0; i < COUNT(RULES); i++)
        for (size_t k = 0; k < COUNT(AVERAGES); k++) {
            finf_optimizer *opt = optimizer(RULES[i].spell, AVERAGES[k].spell, w->decay);
            finf_curve_options o = finf_curve_options_default();
            o.privacy = (finf_privacy_setting){0.7, 1.5, w->sgd};
            o.start_at = start;
            o.kurtosis = w->kurtosis;
            o.optimizer = opt;
            finf_curve_result r = curve(s, w->eta, H, o);
            w->sigma2 = r.sigma2;
            full_moments(w, &RULES[i], &AVERAGES[k], F);
            for (size_t t = 0; t <= N; t++)
                ASSERT_NEAR(r.F[t], F[t], 2e-13, "%s, %s, %s, decay %g, t = %zu", name,
                            RULES[i].spell, AVERAGES[k].spell, w->decay, t);
            finf_curve_result_free(&r);
            finf_optimizer_free(opt);
        }
    finf_spectrum_free(H);
}

START_TEST(by_full_moments)
{
    static const struct {
        int rotated;
        double decay, kurtosis;
    } worlds[] = {{1, 0, 0}, {1, 0.1, 0}, {0, 0, 1.5}, {0, 0.03, -2}};
    for (size_t i = 0; i < COUNT(worlds); i++) {
        world w = make_world(worlds[i].rotated, worlds[i].decay, worlds[i].kurtosis);
        finf_system *s = toeplitz("nu:0.1", N);
        compare_moments(s, "nu", &w);
        finf_system_free(s);
        s = toeplitz("blt:0.9;0.3", N);
        compare_moments(s, "blt", &w);
        finf_system_free(s);
        ck_assert_int_eq(finf_system_me(N, NULL, &s, NULL), FINF_OK);
        compare_moments(s, "me", &w);
        finf_system_free(s);
        ck_assert_int_eq(finf_system_honaker(N, &s, NULL), FINF_OK);
        compare_moments(s, "honaker", &w);
        finf_system_free(s);
    }
}
END_TEST

/* ---- digits ---------------------------------------------------------------------------------- */

/* heavy ball and Nesterov in long double: (theta, buf) and an average, three directions. */
typedef struct {
    int nesterov;
    long double m, eta, keep, gain;
} torch;
enum { T3 = 3 };
static void torch_step(const torch *r, long double h, long double in, size_t by, long double *x)
{
    long double g = h * x[0] + in, buf = r->m * x[by] + g;
    x[0] -= r->eta * (r->nesterov ? g + r->m * buf : buf);
    x[by] = buf;
    x[2 * by] = r->keep * x[2 * by] + r->gain * x[0];
}
typedef struct {
    long double x[T3], r[T3], N[T3], C[T3][T3];
} moments;
static void moments_advance(const torch *r, long double h, long double beta, long double V,
                            moments *a)
{
    long double in[T3] = {0};
    torch_step(r, 0, 1, 1, in);
    torch_step(r, h, beta, 1, a->x);
    torch_step(r, h, 0, 1, a->r);
    for (int k = 0; k < T3; k++) torch_step(r, h, 0, T3, &a->C[0][k]);
    for (int i = 0; i < T3; i++) torch_step(r, h, 0, 1, a->C[i]);
    for (int i = 0; i < T3; i++) {
        a->N[i] += a->x[i] * a->x[i];
        for (int k = 0; k < T3; k++) a->C[i][k] += V * in[i] * in[k];
    }
}
static long double moments_square(const moments *a, int i, long double start, long double sigma2)
{
    return start * a->r[i] * a->r[i] + sigma2 * a->N[i] + a->C[i][i];
}

START_TEST(keeps_its_digits)
{
    enum { STEPS = 200000, J = 3 };
    static const struct {
        const char *noise, *optimizer, *average;
        torch r;
    } rows[] = {{"cc", "heavy-ball:0.9", "none", {0, 0.9L, 0, 0, 1}},
                {"nu:1e-6", "nesterov:0.99", "ema:0.999", {1, 0.99L, 0, 0.999L, 0.001L}},
                {"antipgd:1e-4", "heavy-ball:0.5", "ema:0.5", {0, 0.5L, 0, 0.5L, 0.5L}},
                {"nu:0.01", "nesterov:0.9", "none", {1, 0.9L, 0, 0, 1}}};
    const double lambda[J] = {1, 1e-3, 1e-6}, eta = 0.02;
    finf_spectrum *H;
    finf_spectrum_list(lambda, J, &H, NULL);
    for (size_t c = 0; c < COUNT(rows); c++) {
        finf_system *s = toeplitz(rows[c].noise, STEPS);
        finf_curve_options o = finf_curve_options_default();
        finf_optimizer *opt = optimizer(rows[c].optimizer, rows[c].average, 0);
        torch r = rows[c].r;
        r.eta = eta;
        r.m = opt->momentum;
        r.gain = opt->average_leak;
        r.keep = 1 - r.gain;
        o.optimizer = opt;
        finf_curve_result got = curve(s, eta, H, o);
        moments a[J] = {{.r = {1, 0, 1}}, {.r = {1, 0, 1}}, {.r = {1, 0, 1}}};
        double worst = 0;
        for (size_t t = 0; t <= STEPS; t++) {
            long double trace = 0, F = 0;
            for (int j = 0; j < J; j++) {
                trace += lambda[j] * moments_square(&a[j], 0, 1 / 3.0L, got.sigma2);
                F += lambda[j] / 2 * moments_square(&a[j], 2, 1 / 3.0L, got.sigma2);
            }
            double off = relative(got.F[t], (double)F);
            if (off > worst) worst = off;
            ck_assert_msg(off <= got.relerr, "%s, %s, t = %zu: off by %.2g, relerr %.2g",
                          rows[c].noise, rows[c].optimizer, t, off, got.relerr);
            for (int j = 0; j < J && t < STEPS; j++) {
                long double S = moments_square(&a[j], 0, 1 / 3.0L, got.sigma2);
                moments_advance(&r, lambda[j], s->beta[t], lambda[j] * (lambda[j] * S + trace),
                                &a[j]);
            }
        }
        if (getenv("FINF_TEST_VERBOSE"))
            printf("%s, %s: off by %.2g, relerr %.2g\n", rows[c].noise, rows[c].optimizer, worst,
                   got.relerr);
        finf_curve_result_free(&got);
        finf_optimizer_free(opt);
        finf_system_free(s);
    }
    finf_spectrum_free(H);
}
END_TEST

/* last:K by its definition in long double, from a start that is 1e18 times the limit: what has left
 * the window must leave nothing behind. */
START_TEST(windows_keep_their_digits)
{
    enum { STEPS = 900, K = 100 };
    static long double g[STEPS + 1], sums[STEPS + 1], r[STEPS + 1], h[STEPS + 1], V[STEPS + 1];
    const double eta = 0.1, lambda = 0.8, start = 1e14;
    finf_spectrum *H;
    finf_spectrum_list(&lambda, 1, &H, NULL);
    for (int nesterov = 0; nesterov < 2; nesterov++) {
        finf_system *s = toeplitz("nu:0.05", STEPS);
        finf_optimizer *opt = optimizer(nesterov ? "nesterov:0.5" : "heavy-ball:0.5", "last:100",
                                        0);
        finf_curve_options o = finf_curve_options_default();
        o.start = start;
        o.privacy.rho = 1e4;
        o.optimizer = opt;
        finf_curve_result got = curve(s, eta, H, o);
        torch torched = {nesterov, 0.5L, eta, 1, 1};
        moments a = {.r = {1, 0, 1}};
        long double impulse[T3] = {0};
        for (size_t t = 0; t <= STEPS; t++) { /* g, r, h and V of theta */
            long double S = moments_square(&a, 0, start, got.sigma2), W = 0, E = 0, C = 0, R = 0;
            size_t points = t + 1 < K ? t + 1 : K;
            r[t] = a.r[0];
            h[t] = a.x[0];
            V[t] = 2 * lambda * lambda * S;
            torch_step(&torched, lambda, t == 1, 1, impulse);
            g[t] = t ? impulse[0] : 0;
            sums[t] = 0;
            for (size_t i = 0; i < K && i <= t; i++) {
                sums[t] += g[t - i];
                R += r[t - i];
            }
            for (size_t k = 1; k <= t; k++) {
                long double seen = 0;
                for (size_t i = 0; i < K && i <= k; i++) seen += h[k - i];
                E += seen * seen;
                C += sums[k] * sums[k] * V[t - k];
            }
            W = start * R * R + got.sigma2 * E + C;
            ASSERT_NEAR(got.F[t], (double)(lambda / 2 * W / (points * points)), 1e-13,
                        "%s, t = %zu", nesterov ? "nesterov" : "heavy ball", t);
            if (t < STEPS) moments_advance(&torched, lambda, s->beta[t], V[t], &a);
        }
        ck_assert(got.F[0] > 1e18 * got.F[STEPS]);
        finf_curve_result_free(&got);
        finf_optimizer_free(opt);
        finf_system_free(s);
    }
    finf_spectrum_free(H);
}
END_TEST

/* ---- other ways to the same curve ------------------------------------------------------------ */

static finf_system *make_system(const char *name, size_t n)
{
    finf_system *s = NULL;
    if (!strcmp(name, "me"))
        ck_assert_int_eq(finf_system_me(n, NULL, &s, NULL), FINF_OK);
    else if (!strcmp(name, "tree"))
        ck_assert_int_eq(finf_system_tree(n, &s, NULL), FINF_OK);
    else if (!strcmp(name, "fft"))
        ck_assert_int_eq(finf_system_fft(n, &s, NULL), FINF_OK);
    else
        s = toeplitz(name, n);
    return s;
}

/* What is sgd in other words has sgd's curve, which curve.c finds without any of this. */
START_TEST(sgd_in_other_words)
{
    static const char *const WORDS[] = {"heavy-ball:0", "nesterov:0", "filter:0,1;1,-1",
                                        "filter:0,2,-1;2,-3,1"}; /* a zero on a pole, at 1/2 */
    static const char *const SYSTEMS[] = {"sgd", "nu:0.02", "cc", "me", "tree", "fft"};
    const double kurtosis[] = {0, 2, -2};
    finf_spectrum *H;
    finf_spectrum_power(1, 37, &H, NULL);
    for (size_t i = 0; i < COUNT(SYSTEMS); i++)
        for (size_t k = 0; k < COUNT(WORDS); k++) {
            finf_system *s = make_system(SYSTEMS[i], 128);
            finf_optimizer *opt = optimizer(WORDS[k], "none", 0);
            finf_curve_options o = finf_curve_options_default();
            o.privacy.sigma_sgd = 0.4;
            o.kurtosis = kurtosis[(i + k) % 3];
            finf_curve_result want = curve(s, 0.1, H, o);
            o.optimizer = opt;
            finf_curve_result got = curve(s, 0.1, H, o);
            for (size_t t = 0; t <= 128; t++)
                ASSERT_NEAR(got.F[t], want.F[t], 2e-13, "%s, %s, t = %zu", SYSTEMS[i], WORDS[k], t);
            finf_curve_result_free(&want);
            finf_curve_result_free(&got);
            finf_optimizer_free(opt);
            finf_system_free(s);
        }
    finf_spectrum_free(H);
}
END_TEST

/* Many directions through the nodes of the measure; where the poles of the large ones are complex
 * these stay single. */
START_TEST(nodes_and_directions)
{
    static const struct {
        const char *optimizer, *average, *spectrum;
        double decay, eta;
    } rows[] = {{"heavy-ball:0.9", "none", "power:0.5", 0, 0.001},
                {"heavy-ball:0.99", "ema:0.9", "power:1", 0, 0.0005},
                {"nesterov:0.95", "last:30", "power:2", 0, 0.02},
                {"heavy-ball:0.999", "none", "power:1", 0, 0.001},
                {"nesterov:0.8", "none", "exp:0.01", 0.3, 0.001},
                {"filter:0,0.5,0.3,0.2;1,-1", "none", "power:1.3", 0, 0.1},
                {"filter:0,2,-1;2,-3,1.5,-0.75,0.25", "last:50", "power:1", 0.01, 0.02}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        finf_spectrum *H;
        finf_system *s = toeplitz("nu:0.02", 400);
        finf_optimizer *opt = optimizer(rows[i].optimizer, rows[i].average, rows[i].decay);
        finf_curve_options o = finf_curve_options_default(), direct = o;
        ck_assert_int_eq(spec_spectrum(rows[i].spectrum, 3000, &H, NULL), FINF_OK);
        o.optimizer = direct.optimizer = opt;
        o.direct_max = 0;
        direct.direct_max = 100000;
        finf_curve_result a = curve(s, rows[i].eta, H, o), b = curve(s, rows[i].eta, H, direct);
        ck_assert(a.nodes && !b.nodes && b.directions == 3000);
        ck_assert_msg(a.directions < 2500, "row %zu: %zu nodes", i, a.directions);
        for (size_t t = 0; t <= 400; t++)
            ASSERT_NEAR(a.F[t], b.F[t], 1e-12, "%s, %s, t = %zu, %zu nodes", rows[i].optimizer,
                        rows[i].spectrum, t, a.directions);
        if (getenv("FINF_TEST_VERBOSE")) printf("row %zu: %zu nodes\n", i, a.directions);
        finf_curve_result_free(&a);
        finf_curve_result_free(&b);
        finf_optimizer_free(opt);
        finf_spectrum_free(H);
        finf_system_free(s);
    }
}
END_TEST

/* With gamma_inf the curve tends to F_inf: values by the circle rule in numpy (60001 nodes in log
 * tan(w/2), some 1e-11), a method that knows nothing of time. */
START_TEST(to_its_limit)
{
    static const struct {
        const char *optimizer, *average, *spectrum, *noise;
        double d, eta, rho, sgd, kurtosis, F;
        size_t steps;
    } rows[] = {
        {"heavy-ball:0.9", "none", "power:1", "nu:0.01", 8, 0.01, 1, 0, 0, 0.01015947601417, 4000},
        {"heavy-ball:0.9", "ema:0.95", "power:1", "nu:0.01", 8, 0.01, 1, 0, 0, 0.004938355176216,
         4000},
        {"nesterov:0.9", "none", "power:1", "nu:0.01", 8, 0.01, 1, 0.1, 0, 0.01078888514283, 4000},
        {"nesterov:0.8", "ema:0.9", "power:1", "nu:0.05", 8, 0.02, 1, 0, 0, 0.01024312687864, 4000},
        {"heavy-ball:0.9", "none", "power:1", "sgd", 128, 0.002, 0.5, 0, 0, 0.6771976255667,
         100000},
        {"nesterov:0.99", "none", "power:1", "nu:0.001", 128, 0.0002, 0.5, 0, 0, 0.003509185537645,
         100000},
        {"heavy-ball:0.81", "none", "flat", "nu:0.1", 1, 0.01, 1, 0, -2, 0.001222605275603, 1000},
        {"nesterov:0.3", "none", "power:2", "nu:0.02", 20, 0.1, 1, 0.2, 1.5, 0.0428111672374,
         60000},
        {"sgd", "ema:0.99", "power:1", "nu:0.01", 32, 0.05, 1, 0, 0, 0.004097020038442, 20000},
        {"heavy-ball:0.9", "ema:0.5", "exp:0.3", "nu:0.003", 12, 0.01, 1, 0.3, 0, 0.02661765972187,
         10000}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        finf_spectrum *H;
        finf_system *s = toeplitz(rows[i].noise, rows[i].steps);
        finf_optimizer *opt = optimizer(rows[i].optimizer, rows[i].average, 0);
        finf_curve_options o = finf_curve_options_default();
        ck_assert_int_eq(spec_spectrum(rows[i].spectrum, rows[i].d, &H, NULL), FINF_OK);
        o.privacy = (finf_privacy_setting){rows[i].rho, 1, rows[i].sgd};
        o.kurtosis = rows[i].kurtosis;
        o.optimizer = opt;
        o.gamma = FINF_CURVE_GAMMA_INF;
        finf_curve_result r = curve(s, rows[i].eta, H, o);
        ASSERT_NEAR(r.last.value, rows[i].F, 1e-10, "limit of row %zu", i);
        finf_curve_result_free(&r);
        finf_optimizer_free(opt);
        finf_spectrum_free(H);
        finf_system_free(s);
    }
}
END_TEST

/* The same limit as finf_linreg gives it, with weight decay, a mean of the last points, and other
 * rules. */
START_TEST(to_that_of_linreg)
{
    static const struct {
        const char *optimizer, *average, *spectrum, *noise;
        double decay, eta, sgd, kurtosis;
        size_t steps;
    } rows[] = {
        {"heavy-ball:0.8", "last:40", "power:1", "nu:0.01", 0, 0.01, 0.2, 0, 4000},
        {"nesterov:0.9", "last:7", "power:1", "antipgd:0.05", 0.1, 0.01, 0, 1, 4000},
        {"sgd", "last:300", "power:0.5", "nu:0.05", 0.05, 0.03, 0.1, 0, 6000},
        {"filter:0,0.5,0.3,0.2;1,-1", "none", "exp:0.3", "blt:0.9;0.3", 0.02, 0.1, 0.3, -1, 6000},
        {"filter:0,2,-1;2,-3,1.5,-0.75,0.25", "ema:0.9", "power:1", "nu:0.1", 0, 0.02, 0, 0, 8000}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        finf_spectrum *H;
        finf_noise *noise;
        finf_linreg_result limit;
        finf_linreg_options l = finf_linreg_options_default();
        finf_system *s = toeplitz(rows[i].noise, rows[i].steps);
        finf_optimizer *opt = optimizer(rows[i].optimizer, rows[i].average, rows[i].decay);
        finf_curve_options o = finf_curve_options_default();
        ck_assert_int_eq(spec_spectrum(rows[i].spectrum, 8, &H, NULL), FINF_OK);
        ck_assert_int_eq(spec_noise(rows[i].noise, &noise, NULL), FINF_OK);
        l.privacy = o.privacy = (finf_privacy_setting){0.8, 1.3, rows[i].sgd};
        l.kurtosis = o.kurtosis = rows[i].kurtosis;
        l.optimizer = o.optimizer = opt;
        l.optimum = 0;
        o.gamma = FINF_CURVE_GAMMA_INF;
        ck_assert_int_eq(finf_linreg(noise, rows[i].eta, H, &l, &limit), FINF_OK);
        finf_curve_result r = curve(s, rows[i].eta, H, o);
        ASSERT_NEAR(r.last.value, limit.exact.value, 1e-11, "limit of row %zu", i);
        finf_curve_result_free(&r);
        finf_optimizer_free(opt);
        finf_noise_free(noise);
        finf_spectrum_free(H);
        finf_system_free(s);
    }
}
END_TEST

/* ---- refused, stopped, infinite -------------------------------------------------------------- */

static int stop_now(void *count) { return --*(int *)count < 0; }

START_TEST(at_the_edges)
{
    finf_system *s = toeplitz("nu:0.1", 3000), *me = make_system("me", 40);
    finf_spectrum *H;
    finf_noise *noise;
    finf_curve_result r;
    finf_reason why = {""};
    finf_spectrum_power(1, 5, &H, NULL);
    finf_noise_nu(0.1, &noise, NULL);
    const char *const averages[] = {"none", "ema:0.9", "last:7"};
    for (size_t i = 0; i < COUNT(averages); i++) {
        finf_optimizer *opt = optimizer("heavy-ball:0.9", averages[i], 0.1);
        finf_curve_options o = finf_curve_options_default();
        o.optimizer = opt;
        r = curve(s, 3, H, o); /* diverges: finite, then infinite with the reason */
        ck_assert(isfinite(r.F[1]) && isinf(r.F[3000]) && isinf(r.last.value) && r.reason.text[0]);
        for (size_t t = 0; t <= 3000; t++) ck_assert(!isnan(r.F[t]));
        finf_curve_result_free(&r);
        r = curve(me, 0.05, H, o);
        ASSERT_NEAR(r.F[0], 0.1 * (finf_spectrum_trace(H) + 0.5), 1e-15, "the start");
        finf_curve_result_free(&r);
        int polls = 3;
        o.cancel = (finf_cancel){stop_now, &polls};
        ck_assert_int_eq(finf_curve(s, 0.05, H, &o, &r), FINF_ETOL);
        ck_assert(!r.F && r.reason.text[0]);
        o.cancel = (finf_cancel){0};
        ck_assert_int_eq(finf_curve(s, 2e49, H, &o, &r), FINF_OK); /* at once */
        ck_assert(isinf(r.F[2000]) && isfinite(r.F[0]));
        finf_curve_result_free(&r);
        ck_assert_int_eq(finf_curve(s, 2e50, H, &o, &r), FINF_EDOM);
        finf_linreg_options l = finf_linreg_options_default();
        double t = 3, bound = 0;
        l.optimizer = opt;
        ck_assert_int_eq(finf_curve_bound(noise, 0.01, H, &l, 1, &t, 1, &bound, &why), FINF_EUSAGE);
        ck_assert(isnan(bound) && strstr(why.text, "heavy-ball"));
        finf_optimizer_free(opt);
    }
    finf_noise_free(noise);
    finf_spectrum_free(H);
    finf_system_free(s);
    finf_system_free(me);
}
END_TEST

/* Whichever allocation fails, nothing is left behind and nothing is a number. */
START_TEST(without_memory)
{
    finf_system *systems[] = {toeplitz("nu:0.1", 30), make_system("tree", 30)};
    finf_spectrum *H;
    finf_curve_result r;
    finf_spectrum_power(1, 600, &H, NULL);
    for (size_t i = 0; i < COUNT(systems); i++) {
        finf_optimizer *opt = optimizer("nesterov:0.9", "last:7", 0.1);
        finf_curve_options o = finf_curve_options_default();
        o.optimizer = opt;
        finf_status status = FINF_ENOMEM;
        for (long k = 1; k < 200 && status; k++) {
            allocations_left = k;
            status = finf_curve(systems[i], 0.001, H, &o, &r);
            int ran_out = allocations_left == 0;
            allocations_left = -1;
            ck_assert_int_eq(status, ran_out ? FINF_ENOMEM : FINF_OK);
            ck_assert(!status || (!r.F && isnan(r.last.value) && r.reason.text[0]));
        }
        ck_assert_int_eq(status, FINF_OK);
        finf_curve_result_free(&r);
        finf_optimizer_free(opt);
        finf_system_free(systems[i]);
    }
    finf_spectrum_free(H);
}
END_TEST

static TCase *make(void)
{
    TCase *tc = tcase_create("curve of any optimizer");
    tcase_add_test(tc, by_full_moments);
    tcase_add_test(tc, keeps_its_digits);
    tcase_add_test(tc, windows_keep_their_digits);
    tcase_add_test(tc, sgd_in_other_words);
    tcase_add_test(tc, nodes_and_directions);
    tcase_add_test(tc, to_its_limit);
    tcase_add_test(tc, to_that_of_linreg);
    tcase_add_test(tc, at_the_edges);
    tcase_add_test(tc, without_memory);
    return tc;
}

int main(void) { return run_suite("curve_optimizer", make); }
