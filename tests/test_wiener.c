/* The sharp bound by hand: without Zames-Falb multipliers it is a Wiener-Hopf problem; and the best
 * noise for it.
 *
 * With Lambda = 1/8 alone and eta < 1 (form.c), L = 1, zeta = e^{iw}, p = 1 - eta c, write a =
 * |phi|^2, phi = (eta/sqrt 8)(u - v conj zeta)/(1 - p conj zeta),   u^2 + v^2 = mu +
 * 2(1-eta)/eta^2,   u v = (1-eta)/eta^2, m/phi = sqrt(delta/8) conj f(zeta)/(u - v conj zeta),   f
 * = B r,   r = (1 + eta - zeta)/(1 - p zeta). The best causal X leaves the anticausal part of
 * m/phi, with zeta_0 = v/u of the square (delta/8u^2) int |f - f(zeta_0)|^2/|1 - zeta_0 zeta|^2,
 * int over the circle, so that for any B psi = int |B|^2 K - k B(zeta_0)^2,   K = eta^2 (delta/8 +
 * c/2)/|1 - p zeta|^2 + (delta/8u^2) |r/(1 - zeta_0 zeta)|^2, k = (delta/8u^2) r(zeta_0)^2/(1 -
 * zeta_0^2). This is a bound for every F; more multipliers can only lower it, and for DP-SGD and a
 * tuned nu they do not.
 *
 * In S = |B|^2, B(zeta_0)^2 = exp int P log S with Poisson's kernel P, and gamma^2 = int 1/S. Where
 * gamma^2 psi is stationary among all S, K S^2 - k B(zeta_0)^2 P S - psi/gamma^2 = 0: found by
 * iterating on two numbers. That it is the least is not proved; a dozen starts tried end at the
 * same value. */
#include "iqc_support.h"
#include "optimize.h"

enum { NODES = 4000 };

typedef struct {
    double k, zeta0, weight[NODES], w[NODES], K[NODES], P[NODES]; /* weights of (1/pi) int_0^pi */
} wiener;

/* even steps in log tan(w/2): the trapezoidal rule converges exponentially */
static void wiener_make(double eta, double kappa, wiener *h)
{
    double mu = 1 / kappa, delta = 1 - mu, c = (1 + mu) / 2, p = 1 - eta * c,
           q = (1 - eta) / (eta * eta);
    double sum = sqrt(mu + 4 * q), difference = sqrt(mu), u = (sum + difference) / 2,
           zeta0 = (sum - difference) / 2 / u;
    double top = (1 + eta - zeta0) / (1 - p * zeta0), f = delta / (8 * u * u),
           lo = log(eta * mu) - 38, hi = 38;
    h->zeta0 = zeta0;
    h->k = f * top * top / (1 - zeta0 * zeta0);
    for (int j = 0; j < NODES; j++) {
        double t = lo + (hi - lo) * (j + 0.5) / NODES;
        double complex z = cexp(I * (h->w[j] = 2 * atan(exp(t)))), r = (1 + eta - z) / (1 - p * z);
        h->weight[j] = (hi - lo) / NODES / cosh(t) / FINF_PI;
        h->K[j] = eta * eta * (delta / 8 + c / 2) / square(1 - p * z) +
                  f * square(r) / square(1 - zeta0 * z);
        h->P[j] = (1 - zeta0 * zeta0) / square(1 - zeta0 * z);
    }
}

/* psi for S = |B|^2, k B(zeta_0)^2 and gamma^2 */
static double wiener_psi(const wiener *h, const double *S, double *kB2, double *gamma2)
{
    double power = 0, log_B2 = 0;
    *gamma2 = 0;
    for (int j = 0; j < NODES; j++) {
        power += h->weight[j] * h->K[j] * S[j];
        log_B2 += h->weight[j] * h->P[j] * log(S[j]);
        *gamma2 += h->weight[j] / S[j];
    }
    *kB2 = h->k * exp(log_B2);
    return power - *kB2;
}

START_TEST(bound)
{
    const struct {
        const char *noise;
        double eta, kappa;
        int helped; /* by Zames-Falb multipliers */
    } cases[] = {{"sgd", 0.1, 100, 0},           {"sgd", 0.1, 1e6, 0},
                 {"sgd", 0.5, 100, 0},           {"sgd", 0.01, 2, 0},
                 {"nu:0.062", 0.1, 1000, 0},     {"nu:0.006", 0.01, 1e4, 0},
                 {"nu:0.3", 0.5, 10, 0},         {"nu:0.001", 0.1, 100, 1},
                 {"nu:1e-5", 0.5, 1e4, 1},       {"beta:1,-0.9", 0.5, 100, 1},
                 {"power:0.3,0.05", 0.2, 50, 0}, {"product:0.05,0.7;0.3,0.2", 0.1, 30, 0}};
    static wiener h;
    static double S[NODES];
    for (size_t i = 0; i < COUNT(cases); i++) {
        double kB2, gamma2;
        finf_noise *noise = noise_of(cases[i].noise, NAN);
        wiener_make(cases[i].eta, cases[i].kappa, &h);
        for (int j = 0; j < NODES; j++) S[j] = finf_noise_density(noise, h.w[j]);
        double psi = wiener_psi(&h, S, &kB2, &gamma2);
        finf_iqc_result r = both(cases[i].noise, cases[i].eta, cases[i].kappa,
                                 options(FINF_IQC_SHARP));
        ASSERT_NEAR(r.gamma2.value, gamma2, 1e-11, "gamma^2, %s", cases[i].noise);
        ck_assert_msg(r.unit_bound.value <= psi * (1 + 2e-8), "%s: %.10g above %.10g",
                      cases[i].noise, r.unit_bound.value, psi);
        if (cases[i].helped)
            ck_assert_msg(r.unit_bound.value < psi * (1 - 1e-4), "%s: no help", cases[i].noise);
        else
            ASSERT_NEAR(r.unit_bound.value, psi, 2e-8, "%s, eta %g, kappa %g", cases[i].noise,
                        cases[i].eta, cases[i].kappa);
        finf_noise_free(noise);
    }
}
END_TEST

/* A dozen factors, found by descents, reach the value at which all noise is stationary, and do not
 * go below it. */
START_TEST(best_noise)
{
    const double etas[] = {0.001, 0.01, 0.1, 0.5}, kappas[] = {10, 1000, 1e6};
    static wiener h;
    static double S[NODES];
    for (size_t i = 0; i < COUNT(etas) * COUNT(kappas); i++) {
        double eta = etas[i / COUNT(kappas)], kappa = kappas[i % COUNT(kappas)], kB2, gamma2,
               psi = 0, best = INFINITY;
        finf_optimize_options o = finf_optimize_options_default();
        finf_optimize_result r;
        o.iqc = options(FINF_IQC_SHARP);
        wiener_make(eta, kappa, &h);
        for (int j = 0; j < NODES; j++) S[j] = exp(creal(socp_log_factor(0.6 * eta, h.w[j])));
        for (int round = 0; round < 100; round++) {
            psi = wiener_psi(&h, S, &kB2, &gamma2);
            best = fmin(best, gamma2 * psi);
            for (int j = 0; j < NODES; j++) {
                double b = kB2 * h.P[j];
                S[j] = (b + sqrt(b * b + 4 * h.K[j] * psi / gamma2)) / (2 * h.K[j]);
            }
        }
        ck_assert_int_eq(finf_optimize(eta, kappa, &o, &r), FINF_OK);
        ck_assert_msg(r.iqc.bound.value >= best * (1 - 1e-8), "eta %g, kappa %g: %.10g below %.10g",
                      eta, kappa, r.iqc.bound.value, best);
        ASSERT_NEAR(r.iqc.bound.value, best, eta < 0.005 ? 1e-5 : 3e-7, "eta %g, kappa %g", eta,
                    kappa);
        finf_optimize_result_free(&r);
    }
}
END_TEST

static TCase *make(void)
{
    TCase *t = tcase_create("all");
    tcase_add_test(t, bound);
    tcase_add_test(t, best_noise);
    return t;
}

int main(void) { return run_suite("wiener", make); }
