/* bounds/: mechanisms, sensitivity, T(b), series, quadrature. */
#include <gsl/gsl_integration.h>
#include <string.h>

#include "args.h"
#include "bounds.h"
#include "spec.h"
#include "support.h"

static const struct {
    const char *noise;
    double gamma2;
} GAMMA[] = {
#include "tables/gamma.inc"
#include "tables/given_gamma.inc"
};
static const struct {
    const char *noise;
    double b, T;
} TJ[] = {
#include "tables/tj.inc"
};

static const struct {
    const char *noise;
    size_t T;
    double gamma2;
} STEPS[] = {
#include "tables/steps.inc"
};

static finf_noise *noise_of(const char *spec)
{
    finf_noise *noise;
    finf_reason why = {""};
    ck_assert_msg(noise_named(spec, NAN, &noise, &why) == FINF_OK, "%s: %s", spec, why.text);
    return noise;
}

START_TEST(gamma_inf)
{
    for (size_t i = 0; i < COUNT(GAMMA); i++) {
        finf_noise *noise = noise_of(GAMMA[i].noise);
        finf_sensitivity s;
        ck_assert_int_eq(finf_noise_sensitivity(noise, &s), FINF_OK);
        /* a zero at distance 1e-6 amplifies the rounding of the coefficients by as much; long
         * double takes it back */
        ASSERT_REAL(s.gamma2, GAMMA[i].gamma2, 1e-14, 1e-9, "gamma^2 of %s", GAMMA[i].noise);
        ck_assert_int_eq(isinf(GAMMA[i].gamma2) != 0, !s.minimum_phase);
        ck_assert_int_eq(isinf(GAMMA[i].gamma2) != 0, s.reason.text[0] != 0);
        finf_noise_free(noise);
    }
}
END_TEST

START_TEST(gamma_steps)
{
    for (size_t i = 0; i < COUNT(STEPS); i++) {
        finf_noise *noise = noise_of(STEPS[i].noise);
        finf_real at;
        ck_assert_int_eq(finf_noise_sensitivity_at(noise, STEPS[i].T, &at, NULL), FINF_OK);
        /* three zeros within 1e-2 of the circle and of each other cost long double eight digits */
        ASSERT_REAL(at, STEPS[i].gamma2, 1e-11, 1e-9, "gamma_%zu^2 of %s", STEPS[i].T,
                    STEPS[i].noise);
        finf_noise_free(noise);
    }
}
END_TEST

START_TEST(noise_energy)
{
    for (size_t i = 0; i < COUNT(TJ); i++) {
        finf_noise *noise = noise_of(TJ[i].noise);
        double T, rel;
        ck_assert_int_eq(finf_noise_energy(noise, &TJ[i].b, 1, &T, &rel, NULL), FINF_OK);
        ASSERT_REAL(((finf_real){T, rel * T, ""}), TJ[i].T, 2e-13, 1e-11, "T(%g) of %s", TJ[i].b,
                    TJ[i].noise);
        finf_noise_free(noise);
    }
    /* B = 1/(1 + (1-x) z): a pole nearer to w = pi than w itself can tell */
    for (double x = 0.1; x > 1e-12; x /= 7) {
        double nu = 2 - x, y = 2 - nu, r = -1, b[] = {0.9, 0.1, 1e-4, 1e-9}, T[COUNT(b)], rel;
        finf_noise *noise;
        ck_assert_int_eq(finf_noise_product(&nu, &r, 1, &noise, NULL), FINF_OK);
        ck_assert_int_eq(finf_noise_energy(noise, b, COUNT(b), T, &rel, NULL), FINF_OK);
        for (size_t j = 0; j < COUNT(b); j++)
            ASSERT_REAL(((finf_real){T[j], rel * T[j], ""}),
                        (y + b[j] * (1 - y)) / (y * nu * (nu - b[j] * (1 - y))), 1e-14, 1e-13,
                        "T(%g), a pole at pi + i %g", b[j], y);
        finf_noise_free(noise);
    }
    finf_noise *steep = noise_of(
        "product:1.9999999998650175,0.00030305554868060452,3.2763496426461489e-11,1.99999969581051;"
        "3.7614832050453328,0.68784190341264095,-0.52252919470077797,-0.7206189750789751");
    finf_sensitivity s; /* exp sum r log loses digits, and says so; 40 digits by mpmath */
    ck_assert_int_eq(finf_noise_sensitivity(steep, &s), FINF_OK);
    ASSERT_REAL(s.gamma2, 1.254181905126866809900e54, 3e-14, 1e-13, "gamma^2 of a steep product");
    finf_noise_free(steep);
}
END_TEST

static const char *const FAMILIES[] = {"sgd",
                                       "nu:0.3",
                                       "nu:1e-3",
                                       "power:0.25,0.05",
                                       "power:0.8,0.2",
                                       "antipgd:0.1",
                                       "beta:2,-0.7,0.3,0.1",
                                       "strategy:1,0.5,0.25,0.1",
                                       "strategy:3,-1",
                                       "blt:0.9,0.4;0.1,0.2",
                                       "blt:0.8;-0.1",
                                       "product:0.02,0.5,1.3;0.6,-0.2,0.3",
                                       "bisr:12"};

/* beta * c = 1, gamma_T^2 = sum c^2 rises to gamma_inf^2, B(w) is the series, T(b) is the double
 * sum, and both gamma^2 and T are what GSL's quadrature of |B|^2 gives. */
typedef struct {
    const finf_noise *noise;
    double b;
} ctx_t;
static double inverse_density(double w, void *ctx)
{
    return 1 / finf_noise_density(((ctx_t *)ctx)->noise, w) / M_PI;
}
static double energy_density(double w, void *ctx)
{
    ctx_t *x = ctx;
    double s = 4 * sin(w / 2) * sin(w / 2), b = x->b;
    return b * (2 - b) * finf_noise_density(x->noise, w) / (b * b + (1 - b) * s) / M_PI;
}

START_TEST(one_noise_seen_five_ways)
{
    /* qag may stop at its rounding level; everything else runs under GSL's aborting handler */
    gsl_set_error_handler_off();
    enum { N = 20000 };
    static double beta[N], c[N];
    gsl_integration_workspace *ws = gsl_integration_workspace_alloc(2000);
    for (size_t i = 0; i < COUNT(FAMILIES); i++) {
        const char *name = FAMILIES[i];
        finf_noise *noise = noise_of(name);
        ck_assert_int_eq(finf_noise_beta(noise, N, beta, NULL), FINF_OK);
        ck_assert_int_eq(finf_noise_coef(noise, N, c, NULL), FINF_OK);
        for (int t = 0; t < 200; t++) {
            double sum = 0;
            for (int k = 0; k <= t; k++) sum += beta[k] * c[t - k];
            ck_assert_msg(fabs(sum - (t == 0)) < 1e-14, "%s: (beta c)_%d = %g", name, t, sum);
        }
        finf_sensitivity s;
        finf_real at;
        finf_noise_sensitivity(noise, &s);
        double sum = 0, before = 0;
        for (size_t T = 1; T <= 4096; T++) {
            sum += c[T - 1] * c[T - 1];
            if (T & (T - 1)) continue;
            ck_assert_int_eq(finf_noise_sensitivity_at(noise, T, &at, NULL), FINF_OK);
            /* sum is less exact than at */
            ASSERT_NEAR(at.value, sum, 1e-13, "gamma_%zu^2 of %s", T, name);
            ck_assert_msg(at.error <= 1e-12 * sum, "gamma_%zu^2 of %s: error %.2g is not useful", T,
                          name, at.error);
            ck_assert_double_ge(at.value, before * (1 - 1e-14));
            ck_assert_double_le(at.value, s.gamma2.value * (1 + 1e-14));
            before = at.value;
        }
        finf_noise_sensitivity_at(noise, 1000000, &at, NULL);
        ASSERT_NEAR(at.value, s.gamma2.value, 1e-12, "gamma_T^2 of %s for large T", name);
        for (double w = 0; w < M_PI; w += 0.4) {
            double complex series = 0, z = cexp(-I * w), power = 1;
            for (int t = 0; t < N; t++, power *= z) series += beta[t] * power;
            double re_im[2], density = finf_noise_density(noise, w);
            finf_noise_response(noise, w, re_im);
            ck_assert_msg(cabs(re_im[0] + I * re_im[1] - series) < 1e-11, "B(%g) of %s", w, name);
            ASSERT_NEAR(re_im[0] * re_im[0] + re_im[1] * re_im[1], density, 1e-12,
                        "|B(%g)|^2 of %s", w, name);
        }
        double value, error;
        ctx_t ctx = {noise, 0.07};
        gsl_function f = {inverse_density, &ctx}, g = {energy_density, &ctx};
        gsl_integration_qag(&f, 0, M_PI, 0, 1e-12, 2000, GSL_INTEG_GAUSS61, ws, &value, &error);
        ASSERT_NEAR(value, s.gamma2.value, 1e-11, "gamma^2 of %s by GSL quadrature", name);
        double T, rel;
        gsl_integration_qag(&g, 0, M_PI, 0, 1e-12, 2000, GSL_INTEG_GAUSS61, ws, &value, &error);
        finf_noise_energy(noise, &ctx.b, 1, &T, &rel, NULL);
        ASSERT_NEAR(value, T, 1e-11, "T of %s by GSL quadrature", name);
        finf_noise_free(noise);
    }
    gsl_integration_workspace_free(ws);
}
END_TEST

/* The paths for long lists, each against the short one or a closed form. */
START_TEST(long_lists)
{
    enum { N = 6000 };
    static double x[N];
    /* strategy of AR(1): B = (1 - .998 z) up to 6e-6 */
    for (int t = 0; t < N; t++) x[t] = pow(0.998, t);
    finf_noise *noise;
    finf_sensitivity s;
    double b[] = {0.5, 0.05, 1e-3, 1e-6}, T[4], direct[4], rel;
    ck_assert_int_eq(finf_noise_strategy(x, N, &noise, NULL), FINF_OK);
    ck_assert_int_eq(finf_noise_energy(noise, b, 4, T, &rel, NULL), FINF_OK);
    ck_assert_double_le(rel, 1e-11);
    finf_noise_free(noise);
    noise = noise_of("antipgd:0.002");
    finf_noise_energy(noise, b, 4, direct, NULL, NULL);
    for (int i = 0; i < 4; i++)
        ck_assert_msg(fabs(T[i] - direct[i]) < 2e-5, "T(%g): %g, %g", b[i], T[i], direct[i]);
    finf_noise_free(noise);

    /* beta as a long FIR: FFT route for gamma, FFT and filter routes for T */
    noise = noise_of("nu:0.01");
    finf_noise_beta(noise, N, x, NULL);
    finf_noise_energy(noise, b, 4, direct, NULL, NULL);
    finf_noise_free(noise);
    ck_assert_int_eq(finf_noise_fir(x, N, &noise, NULL), FINF_OK);
    ck_assert_int_eq(finf_noise_sensitivity(noise, &s), FINF_OK);
    ASSERT_REAL(s.gamma2, 2.136878261111106692623717, 1e-12, 1e-9, "gamma^2 of a long FIR");
    ck_assert_str_eq(s.gamma2.method, "trapezoid rule (FFT)");
    finf_noise_energy(noise, b, 4, T, &rel, NULL);
    for (int i = 0; i < 4; i++)
        ASSERT_REAL(((finf_real){T[i], rel * T[i], ""}), direct[i], 1e-11, 1e-9,
                    "T(%g) of a long FIR", b[i]);
    finf_noise_free(noise);
    for (int t = 0; t < N / 2; t++) { /* a zero inside: reversed coefficients */
        double y = x[t];
        x[t] = x[N - 1 - t];
        x[N - 1 - t] = y;
    }
    ck_assert_int_eq(finf_noise_fir(x, N, &noise, NULL), FINF_OK);
    ck_assert_int_eq(finf_noise_sensitivity(noise, &s), FINF_OK);
    ck_assert(isinf(s.gamma2.value) && !s.minimum_phase);
    finf_noise_free(noise);
}
END_TEST

/* Step-down against quadrature on random polynomials, on both sides of the circle. */
START_TEST(minimum_phase)
{
    gsl_set_error_handler_off();
    rng r = {11};
    gsl_integration_workspace *ws = gsl_integration_workspace_alloc(4000);
    for (int i = 0; i < 200; i++) {
        double a[9] = {1}, smallest = INFINITY;
        int n = 0;
        while (n < 7) { /* a product of (1 - z/z0), z0 real or a pair, 0.7 < |z0| < 3 */
            double size = log_uniform(&r, 0.96, 3), angle = M_PI * uniform(&r);
            smallest = fmin(smallest, size);
            double p = uniform(&r) < 0.5 ? -2 * cos(angle) / size : 1 / size,
                   q = p == 1 / size ? 0 : 1 / (size * size);
            for (int k = n + 2; k >= 1; k--) a[k] += p * a[k - 1] + (k >= 2 ? q * a[k - 2] : 0);
            n += q == 0 ? 1 : 2;
        }
        finf_noise *noise;
        finf_sensitivity s;
        finf_noise_fir(a, (size_t)n + 1, &noise, NULL);
        finf_noise_sensitivity(noise, &s);
        ck_assert_msg(s.minimum_phase == (smallest > 1), "seed 11, case %d: smallest zero %g", i,
                      smallest);
        ctx_t ctx = {noise, 0};
        double value, error;
        gsl_function f = {inverse_density, &ctx};
        gsl_integration_qag(&f, 0, M_PI, 0, 1e-11, 4000, GSL_INTEG_GAUSS61, ws, &value, &error);
        if (smallest > 1)
            ASSERT_NEAR(s.gamma2.value, value, 1e-9, "case %d by quadrature", i);
        else { /* errata 10: the integral is finite, the sensitivity is not */
            ck_assert(isfinite(value));
            ck_assert(isinf(s.gamma2.value));
        }
        finf_noise_free(noise);
    }
    gsl_integration_workspace_free(ws);
}
END_TEST

/* A zero that the arithmetic cannot tell from one on the circle has no answer, neither a number nor
 * infinity. */
START_TEST(undecided)
{
    finf_noise *fir = noise_of("beta:1,-1,1e-40"), *strategy = noise_of("strategy:1,-1,1e-40");
    finf_sensitivity s;
    finf_reason why = {""};
    double b = 0.5, T = 0, rel = 0;
    ck_assert_int_eq(finf_noise_sensitivity(fir, &s), FINF_ETOL);
    ck_assert(isnan(s.gamma2.value) && isinf(s.gamma2.error));
    ck_assert_msg(strstr(s.reason.text, "too close to |z| = 1") != NULL, "%s", s.reason.text);
    ck_assert_int_eq(finf_noise_energy(strategy, &b, 1, &T, &rel, &why), FINF_ETOL);
    ck_assert(isnan(T) && isinf(rel));
    ck_assert_msg(strstr(why.text, "too close to |z| = 1") != NULL, "%s", why.text);
    finf_noise_free(fir);
    finf_noise_free(strategy);
    /* long: the FFT cannot decide, the step-down can */
    static double beta[5002] = {1, -(1 - 1e-12)};
    beta[5001] = 1e-30;
    ck_assert_int_eq(finf_noise_fir(beta, 5002, &fir, NULL), FINF_OK);
    ck_assert_int_eq(finf_noise_sensitivity(fir, &s), FINF_OK);
    ASSERT_REAL(s.gamma2, 1 / ((1 + beta[1]) * (1 - beta[1])), 1e-7, 1e-6,
                "gamma^2 of a long FIR, a zero at 1 + 1e-12");
    finf_noise_free(fir);
}
END_TEST

START_TEST(finite_but_exponential)
{
    finf_noise *noise = noise_of("beta:1,-2");
    finf_real at;
    finf_reason why = {""};
    finf_noise_sensitivity_at(noise, 10, &at, NULL);
    ASSERT_REAL(at, (pow(4, 10) - 1) / 3, 1e-15, 1e-13, "gamma_10^2 of beta:1,-2");
    ck_assert_int_eq(finf_noise_sensitivity_at(noise, 10000, &at, &why), FINF_OK);
    ck_assert(isinf(at.value) && why.text[0]);
    finf_noise_free(noise);
}
END_TEST

/* Errata 6: anti-PGD has gamma_T^2 = T. Errata 11: |B|^2 <= ||beta||_1^2, and ||beta||_2^2 is not
 * enough. */
START_TEST(errata)
{
    finf_noise *noise = noise_of("beta:1,-1");
    finf_real at;
    finf_noise_sensitivity_at(noise, 1000, &at, NULL);
    ASSERT_NEAR(at.value, 1000, 1e-14, "gamma_T^2 of anti-PGD");
    ck_assert_double_gt(finf_noise_density(noise, M_PI), 2 + 1);
    ck_assert_double_le(finf_noise_density(noise, M_PI), 4 * (1 + 1e-15));
    finf_noise_free(noise);
    noise = noise_of("cc"); /* gamma_T^2 = (log T + Euler + 4 log 2)/pi + o(1) */
    finf_noise_sensitivity_at(noise, 1000000, &at, NULL);
    ASSERT_NEAR(at.value, (log(1e6) + 0.57721566490153286 + 4 * log(2)) / M_PI, 1e-6,
                "gamma_T^2 of optimal-cc");
    finf_noise_free(noise);
}
END_TEST

START_TEST(series_inverse)
{
    size_t n = 1000000;
    double *beta = malloc(n * sizeof *beta), *c = malloc(n * sizeof *c),
           *ref = malloc(n * sizeof *ref), worst = 0;
    finf_noise *noise = noise_of("nu:1e-5");
    finf_noise_beta(noise, n, beta, NULL);
    finf_noise_coef(noise, n, ref, NULL);
    ck_assert_int_eq(finf_series_inverse(beta, n, n, c, NULL), FINF_OK);
    for (size_t t = 0; t < n; t++) worst = fmax(worst, fabs(c[t] - ref[t]));
    ck_assert_msg(worst < 1e-14, "off by %g", worst);
    finf_noise_free(noise);
    /* 30000 terms of a growing inverse: FFT rounding would drown it, so the check must catch that
     */
    size_t m = 30000;
    for (size_t t = 0; t < m; t++) beta[t] = t ? -0.001 * pow(0.9999, (double)t) : 1;
    ck_assert_int_eq(finf_series_inverse(beta, m, m, c, NULL), FINF_OK);
    /* beta = 1 - .001 x/(1-x), x = .9999 z: c_t = .001 x^t 1.001^(t-1) for t >= 1 */
    for (size_t t = 1; t < m; t += 997)
        ASSERT_NEAR(c[t], 0.001 * pow(0.9999, (double)t) * pow(1.001, (double)t - 1), 1e-9,
                    "growing inverse at %zu", t);
    finf_reason why = {""};
    const double zero[] = {0, 1}, nan[] = {1, NAN};
    ck_assert_int_eq(finf_series_inverse(zero, 2, 5, c, &why), FINF_EDOM);
    ck_assert_int_eq(finf_series_inverse(nan, 2, 5, c, &why), FINF_EDOM);
    ck_assert_int_eq(finf_series_inverse(beta, 0, 5, c, &why), FINF_EDOM);
    free(beta);
    free(c);
    free(ref);
}
END_TEST

/* |B|^2 on a grid: the nu noise given by samples must come back with its gamma, T, beta, c and
 * phase. */
START_TEST(density_on_a_grid)
{
    size_t n = 0;
    static double w[4000], s[4000];
    w[n++] = 0;
    for (double x = 1e-4; x < M_PI; x *= 1.01) w[n++] = x;
    w[n++] = M_PI;
    finf_noise *exact = noise_of("nu:0.02"), *noise;
    for (size_t i = 0; i < n; i++) s[i] = finf_noise_density(exact, w[i]);
    ck_assert_int_eq(finf_noise_spectrum(w, s, n, &noise, NULL), FINF_OK);
    finf_sensitivity a, b;
    finf_noise_sensitivity(exact, &a);
    finf_noise_sensitivity(noise, &b);
    /* up to the interpolation */
    ASSERT_NEAR(b.gamma2.value, a.gamma2.value, 1e-8, "gamma^2 of sampled nu");
    double bs[] = {0.5, 1e-2, 1e-4, 1e-7}, T[4], U[4], rel;
    finf_noise_energy(exact, bs, 4, T, NULL, NULL);
    finf_noise_energy(noise, bs, 4, U, &rel, NULL);
    for (int i = 0; i < 4; i++) ASSERT_NEAR(U[i], T[i], 1e-7, "T(%g) of sampled nu", bs[i]);
    for (double x = 0.003; x < 3; x *= 2) {
        double p[2], q[2];
        finf_noise_response(exact, x, p);
        finf_noise_response(noise, x, q);
        ck_assert_msg(hypot(p[0] - q[0], p[1] - q[1]) < 1e-7, "B(%g): %g%+gi, %g%+gi", x, p[0],
                      p[1], q[0], q[1]);
    }
    double beta[2][300];
    for (int strategy = 0; strategy < 2; strategy++) {
        finf_status (*get)(const finf_noise *, size_t, double *,
                           finf_reason *) = strategy ? finf_noise_coef : finf_noise_beta;
        ck_assert_int_eq(get(exact, 300, beta[0], NULL), FINF_OK);
        ck_assert_int_eq(get(noise, 300, beta[1], NULL), FINF_OK);
        for (int t = 0; t < 300; t++)
            ck_assert_msg(fabs(beta[0][t] - beta[1][t]) < 1e-7, "coefficient %d", t);
    }
    ck_assert(isfinite(finf_noise_density(noise, 40.0))); /* any w is folded onto the grid */
    finf_noise_free(noise);
    /* T = 2 at every scale of b */
    double white[5] = {2, 2, 2, 2, 2}, tiny[] = {1e-3, 1e-9, 1e-15, 1e-30, 1.9, 2 - 1e-9};
    ck_assert_int_eq(finf_noise_spectrum(NULL, white, 5, &noise, NULL), FINF_OK);
    for (size_t i = 0; i < COUNT(tiny); i++) {
        finf_noise_energy(noise, &tiny[i], 1, T, &rel, NULL);
        ASSERT_REAL(((finf_real){T[0], rel * T[0], ""}), 2, 1e-12 + 1e-15 / (2 - tiny[i]), 1e-5,
                    "white density, b = %g", tiny[i]);
    }
    finf_noise_free(noise);
    ck_assert_int_eq(finf_noise_spectrum(NULL, s + 1, 3, &noise, NULL), FINF_EDOM);
    s[5] = -1;
    ck_assert_int_eq(finf_noise_spectrum(w, s, n, &noise, NULL), FINF_EDOM);
    finf_noise_free(exact);
}
END_TEST

/* The spline through few and uneven points, against its integrals with 50 digits. */
static const struct {
    const char *w, *s;
    double b, gamma2, T;
} DENSITY[] = {
#include "tables/density.inc"
};

START_TEST(uneven_grids)
{
    for (size_t i = 0; i < COUNT(DENSITY); i++) {
        double *w, *s, T, rel;
        size_t n, m;
        finf_noise *noise;
        finf_sensitivity sens;
        const char *at = DENSITY[i].w, *of = DENSITY[i].s;
        ck_assert_int_eq(parse_list(at, at + strlen(at), "w", &w, &n, NULL), FINF_OK);
        ck_assert_int_eq(parse_list(of, of + strlen(of), "s", &s, &m, NULL), FINF_OK);
        ck_assert_uint_eq(n, m);
        ck_assert_int_eq(finf_noise_spectrum(w, s, n, &noise, NULL), FINF_OK);
        ck_assert_int_eq(finf_noise_sensitivity(noise, &sens), FINF_OK);
        ASSERT_REAL(sens.gamma2, DENSITY[i].gamma2, 1e-13, 1e-12, "gamma^2 on %s", at);
        ck_assert_int_eq(finf_noise_energy(noise, &DENSITY[i].b, 1, &T, &rel, NULL), FINF_OK);
        ASSERT_REAL(((finf_real){T, rel * T, ""}), DENSITY[i].T, 1e-13, 1e-12, "T(%g) on %s",
                    DENSITY[i].b, at);
        finf_noise_free(noise);
        free(w);
        free(s);
    }
    /* a spline that goes to e^(1e8) and back */
    const double w[] = {0, 1, 1 + 1e-9, 2, 3}, jump[] = {1, 1, 2, 1, 1};
    finf_noise *noise;
    finf_reason why = {""};
    ck_assert_int_eq(finf_noise_spectrum(w, jump, 5, &noise, &why), FINF_EDOM);
    ck_assert_msg(noise == NULL && strstr(why.text, "too uneven") != NULL, "%s", why.text);
}
END_TEST

/* B = 1 - z: c_t = 1 for all t, so that gamma_T^2 = T, and T(b) = 2b. */
START_TEST(anti_pgd)
{
    finf_noise *noise, *fir;
    finf_sensitivity sens;
    finf_real at;
    double b[] = {1e-9, 0.1, 1, 1.9}, T[4], relerr, beta[4];
    ck_assert_int_eq(finf_noise_antipgd(0, &noise, NULL), FINF_OK);
    ck_assert_int_eq(finf_noise_fir((double[]){1, -1}, 2, &fir, NULL), FINF_OK);
    ck_assert_int_eq(finf_noise_sensitivity(noise, &sens), FINF_OK);
    ck_assert(isinf(sens.gamma2.value) && !sens.minimum_phase && sens.reason.text[0]);
    ck_assert_int_eq(finf_noise_sensitivity_at(noise, 1000, &at, NULL), FINF_OK);
    ASSERT_REAL(at, 1000, 0, 1e-14, "gamma_T^2");
    ck_assert_int_eq(finf_noise_energy(noise, b, 4, T, &relerr, NULL), FINF_OK);
    for (int i = 0; i < 4; i++) ASSERT_NEAR(T[i], 2 * b[i], 1e-15, "T(%g)", b[i]);
    ck_assert_int_eq(finf_noise_beta(noise, 4, beta, NULL), FINF_OK);
    ck_assert(beta[0] == 1 && beta[1] == -1 && beta[2] == 0 && beta[3] == 0);
    for (double w = 0; w < 3.2; w += 0.1)
        ASSERT_NEAR(finf_noise_density(noise, w), finf_noise_density(fir, w), 1e-14, "w = %g", w);
    finf_noise_free(noise);
    finf_noise_free(fir);
}
END_TEST

START_TEST(refused)
{
    finf_noise *noise;
    finf_reason why;
    const double bad[] = {0, -0.1, 1.1, NAN, INFINITY, 1e-60};
    for (size_t i = 0; i < COUNT(bad); i++) {
        why.text[0] = 0;
        ck_assert_int_eq(finf_noise_nu(bad[i], &noise, &why), FINF_EDOM);
        ck_assert(noise == NULL && why.text[0]);
        if (i) ck_assert_int_eq(finf_noise_antipgd(bad[i], &noise, &why), FINF_EDOM);
        ck_assert_int_eq(finf_noise_power(0.5, bad[i], &noise, &why), FINF_EDOM);
        if (i)
            ck_assert_int_eq(finf_noise_power(i == 2   ? 1.1
                                              : i == 5 ? -1
                                                       : bad[i],
                                              0.5, &noise, &why),
                             FINF_EDOM);
    }
    double x[] = {0, 1}, y[] = {1, NAN};
    ck_assert_int_eq(finf_noise_fir(x, 2, &noise, &why), FINF_EDOM);
    ck_assert_int_eq(finf_noise_fir(y, 2, &noise, &why), FINF_EDOM);
    ck_assert_int_eq(finf_noise_fir(x, 0, &noise, &why), FINF_EDOM);
    ck_assert_int_eq(finf_noise_strategy(x, 2, &noise, &why), FINF_EDOM);
    ck_assert_int_eq(finf_noise_blt(x, y, 2, &noise, &why), FINF_EDOM);
    ck_assert_int_eq(finf_noise_blt(x, x, 0, &noise, &why), FINF_EDOM);
    noise = noise_of("nu:0.5");
    double b[] = {0.5, 2}, T[2];
    ck_assert_int_eq(finf_noise_energy(noise, b, 2, T, NULL, &why), FINF_EDOM);
    ck_assert(isnan(T[0]));
    finf_real at;
    ck_assert_int_eq(finf_noise_sensitivity_at(noise, 0, &at, &why), FINF_EDOM);
    ck_assert(isnan(at.value) && isinf(at.error));
    ck_assert_int_eq(finf_noise_beta(noise, 0, T, &why), FINF_EDOM);
    finf_noise_free(noise);
    finf_noise_free(NULL);
}
END_TEST

/* Interpolated over octaves or one by one: the same within the errors reported. */
START_TEST(many_at_once)
{
    enum { N = 400 };
    static double b[N], T[N];
    rng r = {23};
    for (size_t i = 0; i < COUNT(FAMILIES); i++) {
        finf_noise *noise = noise_of(FAMILIES[i]);
        double rel, one, rel_one;
        for (int j = 0; j < N; j++)
            b[j] = log_uniform(&r, j % 2 ? 1e-3 : 1e-5, j % 4 ? 0.02 : 1.99);
        ck_assert_int_eq(finf_noise_energy(noise, b, N, T, &rel, NULL), FINF_OK);
        for (int j = 0; j < N; j++) {
            finf_noise_energy(noise, &b[j], 1, &one, &rel_one, NULL);
            ck_assert_msg(relative(T[j], one) <= rel + rel_one && rel < 1e-12,
                          "seed 23, %s: T(%g) = %.17g, alone %.17g", FAMILIES[i], b[j], T[j], one);
        }
        finf_noise_free(noise);
    }
}
END_TEST

/* A strategy or BLT whose C(z) has a zero in the disk: c is fine, beta grows, so gamma is finite
 * and T is not. */
START_TEST(unstable_inverse)
{
    const char *const specs[] = {"strategy:1,-2", "strategy:1,1", "blt:0.9,0.5;-0.3,-0.1"};
    for (size_t i = 0; i < COUNT(specs); i++) {
        finf_noise *noise = noise_of(specs[i]);
        finf_sensitivity s;
        finf_reason why = {""};
        double b = 0.1, T, rel;
        finf_noise_sensitivity(noise, &s);
        ck_assert(isfinite(s.gamma2.value));
        ck_assert_int_eq(finf_noise_energy(noise, &b, 1, &T, &rel, &why), FINF_OK);
        ck_assert_msg(isinf(T) && why.text[0], "%s", specs[i]);
        finf_noise_free(noise);
    }
}
END_TEST

/* What is spelled reads back as the same noise: the same beta to the last bit. */
START_TEST(spelled)
{
    const char *const more[] = {"cc",
                                "power:0,0.3",
                                "power:1,1",
                                "beta:-3,1e-320,0.1",
                                "beta:1,-0.3333333333333333,5e-324",
                                "strategy:0.1,-0",
                                "product:0.1,1.9;-0.3,1e-17",
                                "product:0.1,0.1;0.5,-0.5",
                                "blt:0.5;0",
                                "blt:0.3,0.3;0.1,-0.1",
                                "product:0.1,0.1;19,1",
                                "blt:-0.9999999999,1e-300;0.3,1e50"};
    double beta[2][5];
    for (size_t i = 0; i < COUNT(FAMILIES) + COUNT(more); i++) {
        const char *spec = i < COUNT(FAMILIES) ? FAMILIES[i] : more[i - COUNT(FAMILIES)];
        char text[1000], again_text[1000];
        finf_noise *noise = noise_of(spec);
        ck_assert_int_eq(finf_noise_spell(noise, text, sizeof text), FINF_OK);
        finf_noise *again = noise_of(text);
        ck_assert_int_eq(finf_noise_spell(again, again_text, sizeof again_text), FINF_OK);
        ck_assert_str_eq(text, again_text);
        finf_status s = finf_noise_beta(noise, 5, beta[0], NULL);
        ck_assert_int_eq(finf_noise_beta(again, 5, beta[1], NULL), s);
        for (int t = 0; t < 5 && !s; t++)
            ck_assert_msg(beta[0][t] == beta[1][t], "%s: beta_%d of '%s'", spec, t, text);
        /* no room for the end */
        ck_assert_int_eq(finf_noise_spell(noise, text, strlen(text)), FINF_EDOM);
        finf_noise_free(noise);
        finf_noise_free(again);
    }
    finf_noise *noise; /* equal factors are one factor, and must be one that can be written */
    finf_reason why = {""};
    const double nu[] = {0.1, 0.1}, power[] = {20, 20}, scale[] = {1e50, 1e50};
    ck_assert_int_eq(finf_noise_product(nu, power, 2, &noise, &why), FINF_EDOM);
    ck_assert_msg(noise == NULL && strstr(why.text, "power 40") != NULL, "%s", why.text);
    ck_assert_int_eq(finf_noise_blt(nu, scale, 2, &noise, &why), FINF_EDOM);
    ck_assert_msg(noise == NULL && strstr(why.text, "output_scale 2e+50") != NULL, "%s", why.text);
    const double white[] = {1, 1, 1, 1, 1};
    char text[100];
    ck_assert_int_eq(finf_noise_spectrum(NULL, white, 5, &noise, NULL), FINF_OK);
    ck_assert_int_eq(finf_noise_spell(noise, text, sizeof text), FINF_EDOM);
    finf_noise_free(noise);
}
END_TEST

START_TEST(status_list)
{
    for (int s = 0; s < FINF_STATUS_COUNT; s++) {
        ck_assert(strncmp(finf_status_name((finf_status)s), "FINF_", 5) == 0);
        ck_assert(finf_status_text((finf_status)s)[0]);
        ck_assert(finf_status_exit((finf_status)s) <= 5);
    }
    ck_assert_int_eq(finf_status_exit(FINF_EDOM), 3);
    ck_assert_int_eq(finf_status_exit((finf_status)99), 5);
}
END_TEST

static TCase *make(void)
{
    TCase *t = tcase_create("noise");
    tcase_add_test(t, gamma_inf);
    tcase_add_test(t, gamma_steps);
    tcase_add_test(t, noise_energy);
    tcase_add_test(t, one_noise_seen_five_ways);
    tcase_add_test(t, long_lists);
    tcase_add_test(t, minimum_phase);
    tcase_add_test(t, undecided);
    tcase_add_test(t, finite_but_exponential);
    tcase_add_test(t, errata);
    tcase_add_test(t, series_inverse);
    tcase_add_test(t, density_on_a_grid);
    tcase_add_test(t, uneven_grids);
    tcase_add_test(t, anti_pgd);
    tcase_add_test(t, refused);
    tcase_add_test(t, many_at_once);
    tcase_add_test(t, unstable_inverse);
    tcase_add_test(t, spelled);
    tcase_add_test(t, status_list);
    return t;
}

int main(void) { return run_suite("noise", make); }
