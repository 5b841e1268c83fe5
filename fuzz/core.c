/* Quadratic losses, noise and privacy at random parameters: orders that must hold, and two methods
 * that must agree within the errors they print. */
#include "draw.h"

#define PI 3.14159265358979323846

/* floor <= best <= F_inf and lower <= F_inf <= upper. (theory 5) */
static void linreg(fuzz_bytes *b)
{
    char spelled[256];
    finf_noise *noise = draw_noise(b, spelled), *best = NULL;
    finf_spectrum *s = draw_spectrum(b);
    finf_linreg_options o = finf_linreg_options_default();
    finf_linreg_result r, q;
    finf_real top = {0, 0, ""};
    o.kurtosis = fuzz_between(b, -2, 4);
    o.privacy.sigma_sgd = fuzz_byte(b) % 2 ? fuzz_log(b, 1e-3, 10) : 0;
    finf_linreg_eta_max(s, o.kurtosis, NULL, &top, NULL);
    double most = top.value, eta = most * fuzz_between(b, 0.01, 1.2), d = finf_spectrum_dim(s);
    if (finf_linreg(noise, eta, s, &o, &r)) goto end;
    ORDER(r.lti, r.exact, "%s, eta %.17g, d %g", spelled, eta, d);
    ORDER(r.exact, r.upper, "%s, eta %.17g, d %g", spelled, eta, d);
    ORDER(r.floor, r.lti, "%s, eta %.17g, d %g", spelled, eta, d);
    ORDER(r.floor, r.optimum_lti, "%s, eta %.17g, d %g", spelled, eta, d);
    ORDER(r.optimum_lti, r.lti, "%s, eta %.17g, d %g", spelled, eta, d);
    ORDER(r.optimum, r.exact, "%s, eta %.17g, d %g", spelled, eta, d);
    ORDER(r.optimum_lti, r.optimum, "%s, eta %.17g, d %g", spelled, eta, d);
    CHECK(r.stable == (eta < most) || fabs(eta / most - 1) < 1e-9, "eta %.17g of %.17g", eta, most);
    if (fuzz_byte(b) % 8 || !r.stable) goto end;
    if (finf_linreg_best_noise(eta, s, &o, &best, NULL)) goto end;
    if (finf_linreg(best, eta, s, &o, &q)) goto end;
    ORDER(r.optimum, q.exact, "the best, eta %.17g, d %g", eta, d);
    CHECK(q.exact.value <= r.optimum.value * (1 + 2e-9) + r.optimum.error + q.exact.error,
          "the best has %.17g, the optimum is %.17g", q.exact.value, r.optimum.value);
end:
    finf_noise_free(best);
    finf_noise_free(noise);
    finf_spectrum_free(s);
}

/* The best of all noise is below each; and an optimizer in two spellings. (theory 4, 11.2) */
static void mean(fuzz_bytes *b)
{
    char spelled[256], filter[128];
    finf_noise *noise = draw_noise(b, spelled);
    finf_optimizer *opt = draw_optimizer(b), *same = NULL;
    finf_mean_options o = finf_mean_options_default();
    finf_mean_result r, q;
    double M = fuzz_between(b, 0, 0.95), eta = fuzz_log(b, 1e-4, 2.2);
    o.privacy.sigma_sgd = fuzz_byte(b) % 2 ? fuzz_log(b, 1e-3, 10) : 0;
    if (!finf_mean(noise, eta, &o, &r)) {
        ORDER(r.F_optimal, r.F, "%s, eta %.17g", spelled, eta);
        ORDER(r.F_optimal, r.F_sgd, "%s, eta %.17g", spelled, eta);
    }
    o.optimizer = opt;
    if (!finf_mean(noise, eta, &o, &r)) {
        ORDER(r.F_optimal, r.F, "%s, eta %.17g, an optimizer", spelled, eta);
        ORDER(r.F_optimal, r.F_sgd, "%s, eta %.17g, an optimizer", spelled, eta);
    }
    finf_optimizer_free(opt);
    snprintf(filter, sizeof filter, "heavy-ball:%.17g", M);
    CHECK(finf_optimizer_parse(filter, NULL, 0, &opt, NULL) == FINF_OK, "%s", filter);
    snprintf(filter, sizeof filter, "filter:0,1;1,%.17g,%.17g", -1 - M, M);
    o.optimizer = opt;
    finf_status first = finf_mean(noise, eta, &o, &r);
    if (finf_optimizer_parse(filter, NULL, 0, &same, NULL) == FINF_OK) {
        o.optimizer = same;
        /* -1 - M is rounded: the filter is that of a momentum some 1e-16 away */
        if (!finf_mean(noise, eta, &o, &q) && !first && isfinite(r.F.value) && isfinite(q.F.value))
            CHECK(fabs(r.F.value - q.F.value) <=
                      r.F.error + q.F.error + 1e-12 / (1 - M) / eta * r.F.value,
                  "%s, eta %.17g, %s: %.17g +- %.3g and %.17g +- %.3g", spelled, eta, filter,
                  r.F.value, r.F.error, q.F.value, q.F.error);
    }
    finf_optimizer_free(same);
    finf_optimizer_free(opt);
    finf_noise_free(noise);
}

/* Elliptic integrals beside the circle rule: nu, and the same as a product. (theory 3.4, 5.6) */
static void two_ways(fuzz_bytes *b)
{
    double nu = fuzz_log(b, 1e-12, 1), at = fuzz_log(b, 1e-9, 1.99), half = 0.5, T[2], relerr[2];
    finf_noise *by_formula = NULL, *by_circle = NULL;
    finf_sensitivity g[2];
    CHECK(finf_noise_nu(nu, &by_formula, NULL) == FINF_OK, "%g", nu);
    CHECK(finf_noise_product(&nu, &half, 1, &by_circle, NULL) == FINF_OK, "%g", nu);
    if (!finf_noise_sensitivity(by_formula, &g[0]) && !finf_noise_sensitivity(by_circle, &g[1]))
        SAME(g[0].gamma2, g[1].gamma2, "nu %.17g", nu);
    if (!finf_noise_energy(by_formula, &at, 1, &T[0], &relerr[0], NULL) &&
        !finf_noise_energy(by_circle, &at, 1, &T[1], &relerr[1], NULL))
        CHECK(fabs(T[0] / T[1] - 1) <= relerr[0] + relerr[1], "nu %.17g, b %.17g: %.17g and %.17g",
              nu, at, T[0], T[1]);
    finf_noise_free(by_formula);
    finf_noise_free(by_circle);
}

/* K by Carlson's form beside the mean, and J0 by K. (theory 3.1, 3.2) */
static void elliptic(fuzz_bytes *b)
{
    finf_real K, mean, I, J1, J0;
    double m1 = fuzz_log(b, 1e-30, 1e30), at = fuzz_log(b, 1e-20, 1);
    CHECK(!finf_ellint_k(m1, &K) && !finf_agm(1, sqrt(m1), &mean), "m1 %g", m1);
    CHECK(fabs(K.value * mean.value / (PI / 2) - 1) <=
              K.error / K.value + mean.error / mean.value + 1e-15,
          "K(%.17g) = %.17g, agm = %.17g", m1, K.value, mean.value);
    /* |1-a-e|/|1-a-e|^2 is 1/|1-a-e| */
    CHECK(!finf_ellint_i(at, at, &I) && !finf_ellint_j0(at, &J0), "%g", at);
    SAME(I, J0, "a = b = %.17g", at);
    CHECK(!finf_ellint_j1(at, at, &J1), "%g", at);
    CHECK(J1.value > 0 && J1.value * at <= I.value * (1 + 1e-13) / at, "J1(%.17g)", at);
}

/* Exact beside sufficient, there and back. (theory 8) */
static void privacy(fuzz_bytes *b)
{
    double rho = fuzz_log(b, 1e-6, 1e3), delta = fuzz_log(b, 1e-12, 0.5);
    finf_real gauss, zcdp, back;
    if (finf_epsilon_gauss(rho, delta, &gauss, NULL)) return;
    if (finf_epsilon_zcdp(rho, delta, &zcdp, NULL)) return;
    ORDER(gauss, zcdp, "rho %.17g, delta %.17g", rho, delta);
    if (gauss.value > 0 && !finf_rho_gauss(gauss.value, delta, &back, NULL)) {
        finf_real there;
        CHECK(!finf_epsilon_gauss(back.value, delta, &there, NULL), "rho %.17g", back.value);
        SAME(there, gauss, "rho %.17g, %.17g, delta %.17g", rho, back.value, delta);
    }
    if (gauss.value > 0 && !finf_delta_gauss(rho, gauss.value, &back, NULL))
        CHECK(fabs(back.value / delta - 1) <=
                  1e-12 + back.error / back.value +
                      (1 + gauss.value / rho) * gauss.error * (1 + gauss.value),
              "rho %.17g, delta %.17g: %.17g", rho, delta, back.value);
}

/* No factorisation has a smaller loss than the optimal one's dual. (theory 6.4, 6.5) */
static void systems(fuzz_bytes *b)
{
    char spelled[256];
    size_t n = 1 + fuzz_byte(b) % 48, k = 1 + fuzz_byte(b) % 5, gap = 1 + fuzz_byte(b) % 12;
    finf_noise *noise = draw_noise(b, spelled);
    finf_system *s = NULL, *me = NULL;
    finf_participation p;
    if (finf_system_toeplitz(noise, n, &s, NULL)) goto end;
    finf_system_facts f = finf_system_describe(s);
    ORDER(f.sens2, f.gamma_inf2, "%s, n %zu", spelled, n);
    CHECK(!finf_system_me(n, NULL, &me, NULL), "n %zu", n);
    finf_system_facts g = finf_system_describe(me);
    CHECK(g.lower <= f.loss.value * (1 + 1e-12) + f.loss.error, "%s, n %zu: %.17g and %.17g",
          spelled, n, g.lower, f.loss.value);
    if (finf_system_participation(s, k, gap, NULL, &p, NULL)) goto end;
    double slack = 1e-12 * p.min_sep;
    CHECK(p.fixed_lower <= p.fixed_order + slack && p.fixed_order <= p.min_sep + slack &&
              p.min_sep_lower <= p.min_sep + slack,
          "%s, n %zu, k %zu, b %zu: %.17g, %.17g, %.17g, %.17g", spelled, n, k, gap, p.fixed_lower,
          p.fixed_order, p.min_sep_lower, p.min_sep);
    CHECK(p.min_sep + slack >= f.sens2.value - f.sens2.error, "%s, n %zu", spelled, n);
end:
    finf_system_free(s);
    finf_system_free(me);
    finf_noise_free(noise);
}

/* Each direction by itself beside the nodes of the spectral measure; below the bound. (theory 6) */
static void curve(fuzz_bytes *b)
{
    char spelled[256];
    size_t n = 1 + fuzz_byte(b) % 60;
    finf_noise *noise = draw_noise(b, spelled);
    finf_spectrum *h = draw_spectrum(b);
    finf_optimizer *opt = draw_optimizer(b);
    finf_system *s = NULL;
    finf_curve_options o = finf_curve_options_default();
    finf_curve_result one, nodes;
    double eta = fuzz_log(b, 1e-4, 1.5) / finf_spectrum_trace(h);
    o.optimizer = fuzz_byte(b) % 2 ? opt : NULL;
    o.direct_max = 100000;
    if (finf_system_toeplitz(noise, n, &s, NULL)) goto end;
    finf_status first = finf_curve(s, eta, h, &o, &one);
    o.direct_max = 0;
    finf_status second = finf_curve(s, eta, h, &o, &nodes);
    for (size_t t = 0; t <= n && !first && !second; t++)
        CHECK(one.F[t] == nodes.F[t] ||
                  fabs(one.F[t] / nodes.F[t] - 1) <= one.relerr + nodes.relerr,
              "%s, eta %.17g, d %g, t %zu: %.17g and %.17g, %.3g and %.3g", spelled, eta,
              finf_spectrum_dim(h), t, one.F[t], nodes.F[t], one.relerr, nodes.relerr);
    if (!first) finf_curve_result_free(&one);
    if (!second) finf_curve_result_free(&nodes);
end:
    finf_system_free(s);
    finf_optimizer_free(opt);
    finf_spectrum_free(h);
    finf_noise_free(noise);
}

/* beta * c = 1, and gamma_T grows to gamma. (theory 1.2, 2.4) */
static void series(fuzz_bytes *b)
{
    enum { N = 64 };
    char spelled[256];
    finf_noise *noise = draw_noise(b, spelled);
    double beta[N], c[N];
    finf_sensitivity all;
    finf_real some;
    size_t T = 1 + fuzz_byte(b);
    if (!finf_noise_beta(noise, N, beta, NULL) && !finf_noise_coef(noise, N, c, NULL))
        for (size_t t = 0; t < N; t++) {
            double sum = 0, size = 0;
            for (size_t i = 0; i <= t; i++) sum += beta[i] * c[t - i];
            for (size_t i = 0; i <= t; i++) size += fabs(beta[i] * c[t - i]);
            CHECK(fabs(sum - (t == 0)) <= 1e-12 * size, "%s: %g at %zu", spelled, sum, t);
        }
    if (!finf_noise_sensitivity(noise, &all) && !finf_noise_sensitivity_at(noise, T, &some, NULL))
        ORDER(some, all.gamma2, "%s, T %zu", spelled, T);
    finf_noise_free(noise);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const PART[])(fuzz_bytes *) = {linreg,  mean,    two_ways, elliptic,
                                                 privacy, systems, curve,    series};
    fuzz_bytes b = {data, data + size};
    PART[fuzz_byte(&b) % (sizeof PART / sizeof *PART)](&b);
    return 0;
}
