/* bounds/system/curve_optimizer.c, curve_window.c: the learning curve of any linear optimizer. */
#include <string.h>

#include "curve.h"
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
    ck_assert_int_eq(spec_noise(spec, NAN, &noise, NULL), FINF_OK);
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

static TCase *make(void)
{
    TCase *tc = tcase_create("curve of any optimizer");
    tcase_add_test(tc, by_full_moments);
    return tc;
}

int main(void) { return run_suite("curve_optimizer", make); }
