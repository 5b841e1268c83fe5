/* Each correction to the paper as two numbers: what it prints, and what is computed here by the
 * functions of this library or, where that is the point, by the definition. One function for each
 * of the sections 1 to 12 of theory 10, in that order: it fills in the two numbers, a second pair
 * where there is one, and the note that says what follows from them and what does not. */
#include <stdarg.h>
#include <stdio.h>

#include "bounds.h"

typedef finf_erratum erratum;

/* Writes the note, cut off where it would be longer than its array. */
static void note(erratum *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(erratum *e, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(e->note, sizeof e->note, format, ap);
    va_end(ap);
}

/* The computed number of an erratum, and that of its second pair, each with its error. */
static void computed(erratum *e, finf_real x)
{
    e->computed = x.value;
    e->computed_error = x.error;
}

static void also_computed(erratum *e, finf_real x)
{
    e->also_computed = x.value;
    e->also_computed_error = x.error;
}

/* ---- 1 to 12 --------------------------------------------------------------------------------- */

/* Noise alternating +-1 on the F of curvature mu for theta > 0 and L = 1 for theta < 0: E theta^2
 * of its two-cycle, by running the recursion until nothing of its start is left. */
static double two_cycle(double eta, double mu)
{
    double theta = 0, last = 0;
    for (int t = 0; t < 20000; t++) {
        last = theta;
        theta -= eta * ((theta > 0 ? mu : 1) * theta + (t % 2 ? 1 : -1));
    }
    return (theta * theta + last * last) / 2;
}

/* What theory 7.2 bounds E theta^2 by for the same noise, whose spectrum is all at w = pi: 2
 * psi(pi) for `dist`, with L = 1 and Lambda(pi) = r, which is real. gk(pi) = 2/eta is g here. */
static finf_real bound_at_pi(double eta, double mu, double r)
{
    double g = 2 / eta, a = -0.5 + 2 * mu * r - 2 * r * (1 + mu) * g + 2 * r * g * g,
           m = r * (1 + mu) - 2 * r * g;
    if (!(a > 0)) return finf_real_infinite("closed form");
    return finf_real_make(2 * (m * m / a - 2 * r), 32 * FINF_EPS * (m * m / a + 2 * r),
                          "closed form");
}

/* theory 10.1. With the printed sign Lambda(pi) is free, whatever Lambda(0) is, so the least bound
 * over all r counts; a > 0 from just below the first r of the scan on. With the right sign
 * Lambda(pi) is at least Lambda(0), and a(0) > 0 is 2 mu Lambda(0) > 1/2; the bound grows with r
 * from there on. */
static finf_status sign_of_multiplier(erratum *e)
{
    const double eta = 0.1, mu = 0.1;
    e->what = "sign of the multiplier in the IQC proof: E theta^2 bounded, noise alternating +-1, "
              "kappa = 10, eta = 0.1";
    e->printed = INFINITY;
    for (double r = 7e-4; r < 10; r *= 1.0001)
        e->printed = fmin(e->printed, bound_at_pi(eta, mu, r).value);
    /* a step's rounding is forgotten like 0.9^t: ten of them are there at a time, squared */
    computed(e, finf_real_rounded(two_cycle(eta, mu), 128));
    e->also = "the theorem, with its two loose factors of 2; computed: the proof's inequality "
              "with the right sign";
    e->also_printed = 4 * e->printed;
    also_computed(e, bound_at_pi(eta, mu, 1 / (4 * mu)));
    note(e,
         "printed: the proof's inequality, before Cauchy-Schwarz and rho^-1 for (2 rho)^-1; "
         "computed: the true value, for F of curvature mu on one side and L on the other. It is "
         "above, so that step of the proof fails (for symmetric F it holds). The theorem's loose "
         "factors hide it: its own value is not refuted here. With the right sign r = Re Lambda "
         "has r(pi) >= r(0), and a(0) > 0 needs r(0) > 1/(4 mu): the bound is what r(pi) = 1/(4 "
         "mu) gives, an infimum (r = 2.536, within 1.5%% of it, gives %.5f)",
         bound_at_pi(eta, mu, 2.536).value);
    return FINF_OK;
}

/* The paper's bound of DP-SGD at kappa = 100, with valid multipliers; grid 0: all frequencies. */
static finf_status bound_of_sgd(double eta, finf_iqc_constants constants, size_t grid,
                                finf_iqc_result *r)
{
    finf_iqc_options o = finf_iqc_options_default();
    finf_noise *noise;
    o.bound = FINF_IQC_DIST;
    o.solver = FINF_IQC_NEWTON;
    o.constants = constants;
    o.grid_uniform = grid;
    finf_status s = finf_noise_sgd(&noise);
    if (!s) s = finf_iqc(noise, eta, 100, &o, r);
    finf_noise_free(noise);
    return s;
}

/* DP-SGD at kappa = 100 and rho = 1. *sharp: the bound with the constants of theory 7.3. *text:
 * with those of the paper's text. The appendix has 2 L d/(2 pi eta^2) and G^2/rho, the text L d/(2
 * pi) without eta, both for the appendix's psi, which is 2 eta^2/L times that here; so the text's
 * value is 4 eta^2 times the sharp one. *attained: F_inf of F = theta^2/2, which no bound may be
 * below. */
static finf_status constants_at(double eta, double *text, finf_real *attained,
                                finf_iqc_result *sharp)
{
    finf_noise *noise;
    finf_mean_result quadratic;
    finf_status s = bound_of_sgd(eta, FINF_IQC_CONSTANTS_SHARP, 0, sharp);
    if (!s) s = finf_noise_sgd(&noise);
    if (s) return s;
    s = finf_mean(noise, eta, NULL, &quadratic);
    finf_noise_free(noise);
    *text = 4 * eta * eta * sharp->bound.value;
    *attained = quadratic.F;
    return s;
}

/* theory 10.2. eta = 0.01, where the text's value is too small; the note has eta = 0.1, where it
 * is not. */
static finf_status constants_of_iqc(erratum *e)
{
    const double eta = 0.01;
    double text;
    finf_real attained, below;
    finf_iqc_result sharp, paper;
    finf_status s = constants_at(0.1, &text, &attained, &sharp);
    if (!s) s = constants_at(eta, &e->also_printed, &below, &sharp);
    if (!s) s = bound_of_sgd(eta, FINF_IQC_CONSTANTS_PAPER, 0, &paper);
    if (s) return s;
    e->what = "constants of the IQC theorem, the appendix's: bound for DP-SGD, kappa = 100, eta = "
              "0.01, rho = 1";
    e->printed = paper.bound.value;
    computed(e, sharp.bound);
    also_computed(e, below);
    e->also = "the text's, without 2/eta^2; computed: F_inf of the quadratic of curvature L";
    note(e,
         "text and appendix do not match. The text's value is below what a quadratic attains, so "
         "it is no bound; at eta = 0.1 it is above (%.4g against %.4g). The appendix's is a bound "
         "where the multipliers are valid, and its factor 8 is slack, not an error: 2 of "
         "Cauchy-Schwarz, which uncorrelated noises do not need, rho^-1 for (2 rho)^-1, and L for "
         "L/2; computed: without it",
         text, attained.value);
    return FINF_OK;
}

/* theory 10.3, by the trapezoid rule, which converges geometrically for a periodic function */
static finf_status cosine_integral(erratum *e)
{
    const double a = 0.9;
    const int n = 4000;
    double sum = 0;
    for (int i = 0; i < n; i++) sum += 2 * FINF_PI / n / (1 + a * cos(2 * FINF_PI * i / n));
    e->what = "int dw/(1 + a cos w), a = 0.9: printed 2 pi/(1-a^2)";
    e->printed = 2 * FINF_PI / (1 - a * a);
    computed(e, finf_real_rounded(sum, n)); /* one for each term */
    note(e, "2 pi/sqrt(1-a^2)");
    return FINF_OK;
}

/* theory 10.4: the two places of the paper where the one-half of F is lost, each beside the exact
 * value for DP-SGD. */
static finf_status one_half(erratum *e)
{
    const double eta = 0.02, d = 128, rho = 0.5;
    finf_noise *sgd = NULL;
    finf_spectrum *H = NULL;
    finf_mean_result mean;
    finf_linreg_result regression;
    finf_linreg_options o = finf_linreg_options_default();
    o.privacy.rho = rho;
    finf_status s = finf_noise_sgd(&sgd);
    if (!s) s = finf_mean(sgd, 0.5, &(finf_mean_options){.privacy = o.privacy}, &mean);
    if (!s) s = finf_spectrum_power(1, d, &H, NULL);
    if (!s) s = finf_linreg(sgd, eta, H, &o, &regression);
    if (!s) {
        e->what = "F_inf of mean estimation, DP-SGD, eta = 0.5, rho = 1/2: printed without the "
                  "one-half of F";
        e->printed = 0.5 / (2 - 0.5) / (2 * rho);
        computed(e, mean.F);
        e->also = "lower bound on F_inf of regression, eta G^2 gamma^2 <beta,T beta>/(4 rho): "
                  "DP-SGD, 128 eigenvalues 1/k, "
                  "eta = 0.02";
        e->also_printed = eta * d / (4 * rho);
        also_computed(e, regression.exact);
        note(e,
             "the text's F has the one-half in both problems. The proof for mean estimation drops "
             "it: F_inf there is lim E delta_t^2 (its theorem is up to constants). The appendix "
             "on regression has an F without it, and its lower-bound theorem is consistent with "
             "that F; for the text's F it is twice too large, above the exact F_inf computed "
             "here: with the one-half it is %.4g",
             eta * d / (8 * rho));
    }
    finf_noise_free(sgd);
    finf_spectrum_free(H);
    return s;
}

/* (d/eta) times F_inf of nu = eta lambda_d over that of DP-SGD, for lambda_k = 1/k^2, k = 1 .. d:
 * by the rates of Table 3 a power of log(d/eta) */
static finf_status scaled_ratio(double eta, double d, finf_real *out)
{
    finf_spectrum *H = NULL;
    finf_noise *sgd = NULL, *nu = NULL;
    finf_linreg_result a, b;
    finf_status s = finf_spectrum_power(2, d, &H, NULL);
    if (!s) s = finf_noise_sgd(&sgd);
    if (!s) s = finf_noise_nu(eta * finf_spectrum_min(H), &nu, NULL);
    if (!s) s = finf_linreg(sgd, eta, H, NULL, &a);
    if (!s) s = finf_linreg(nu, eta, H, NULL, &b);
    if (!s) *out = finf_real_times(finf_real_over(b.exact, a.exact), finf_real_rounded(d / eta, 1));
    finf_noise_free(sgd);
    finf_noise_free(nu);
    finf_spectrum_free(H);
    return s;
}

/* theory 10.5: that power, from two d that are far apart */
static finf_status decay_table(erratum *e)
{
    const double eta = 0.01, low = 1e6, high = 1e12;
    finf_real at_low, at_high;
    finf_status s = scaled_ratio(eta, low, &at_low);
    if (!s) s = scaled_ratio(eta, high, &at_high);
    if (s) return s;
    e->what = "Table 3, row 1/k^2: power of log(d/eta) in the ratio of nu to DP-SGD";
    e->printed = 3;
    double growth = log(log(high / eta) / log(low / eta)); /* 0.4: four roundings, magnified */
    computed(e, finf_real_over(finf_real_log(finf_real_over(at_high, at_low)),
                               finf_real_rounded(growth, 16)));
    note(e, "fitted from d = 10^6 to 10^12. The rate in that row gives 2. The log^2(1/nu) behind "
            "it is really log(1/nu) "
            "log(1/(eta lambda_j)), and of 1/k^2 only the first few j count, whose second "
            "logarithm does not grow with d: so "
            "the power measured is nearer 1");
    return FINF_OK;
}

/* gamma_T^2, gamma_inf^2 and |B(pi)|^2 of beta = (1, x) */
static finf_status two_taps(double x, size_t T, finf_real *at_T, finf_real *limit,
                            finf_real *density)
{
    const double beta[] = {1, x};
    finf_noise *noise;
    finf_real g;
    finf_sensitivity sens;
    finf_status s = finf_noise_fir(beta, 2, &noise, NULL);
    if (s) return s;
    s = finf_noise_sensitivity_at(noise, T, &g, NULL);
    if (!s) s = finf_noise_sensitivity(noise, &sens);
    if (!s) {
        *at_T = g;
        *limit = sens.gamma2;
        *density = finf_real_rounded(finf_noise_density(noise, FINF_PI), 8);
    }
    finf_noise_free(noise);
    return s;
}

/* theory 10.6 */
static finf_status antipgd_sensitivity(erratum *e)
{
    finf_real at_T, limit, density;
    finf_status s = two_taps(-1, 1000, &at_T, &limit, &density);
    if (s) return s;
    computed(e, at_T);
    e->what = "anti-PGD: gamma_T^2 at T = 1000, printed gamma_T = T in the appendix";
    e->printed = 1e6;
    note(e, "gamma_T^2 = T, as in Table 2: c_t = 1 for every t");
    return FINF_OK;
}

/* theory 10.7. I(a,b) = 2a^2/(b^2(1-a/2)) Pi(alpha^2,k) with 1-alpha^2 = (a(1-b/2)/(b(1-a/2)))^2;
 * Pi <= (1-alpha^2)^-1 log(4/sqrt(1-k^2)) to leading order, where the proof has the power -1/2.
 * least_a, least_b: the least C with which I <= C log(8/a), or log(8/b), on a grid of
 * a <= b <= 1/4. */
static finf_status elliptic_proof(erratum *e)
{
    const double a = 1e-6, b = 0.1;
    finf_real integral;
    finf_real least_a = {0, 0, ""};
    double least_b = 0;
    finf_status s = finf_ellint_i(a, b, &integral);
    for (double x = 1e-12; x <= 0.25 && !s; x *= 2)
        for (double y = x; y <= 0.25 && !s; y *= 2) {
            finf_real J;
            s = finf_ellint_i(x, y, &J);
            finf_real C = finf_real_over(J, finf_real_rounded(log(8 / x), 2));
            if (C.value > least_a.value) least_a = C;
            least_b = fmax(least_b, J.value / log(8 / y));
        }
    if (s) return s;
    double root = a * (1 - b / 2) / (b * (1 - a / 2)); /* sqrt(1-alpha^2) */
    e->what = "bound on I(a,b) in the proof, with (1-alpha^2)^(-1/2): a = 1e-6, b = 0.1";
    e->printed = 2 * a * a / (b * b * (1 - a / 2)) / root * log(4 * (2 - a) / a);
    computed(e, integral);
    e->also = "the claim, I(a,b) <= C log(8/a) for a <= b <= 1/4: its C, and the least on a grid";
    e->also_printed = 128.0 / 49;
    also_computed(e, least_a);
    note(e,
         "the cited bound has (1-alpha^2)^(-1), which gives %.4g here and is what the next line of "
         "the proof has; the claim "
         "holds, and with log(8/b) too (least C %.4g)",
         e->printed / root, least_b);
    return FINF_OK;
}

/* theory 10.8 */
static finf_status figure1_caption(erratum *e)
{
    finf_noise *noise;
    finf_mean_result r;
    finf_status s = finf_noise_sgd(&noise);
    if (!s) s = finf_mean(noise, 1, NULL, &r);
    finf_noise_free(noise);
    e->what = "Figure 1's caption: ratio of the optimum to DP-SGD, orders of magnitude below 1 "
              "also as eta -> 1";
    e->printed = 0;
    if (!s) computed(e, finf_real_over(r.F_optimal, r.F_sgd));
    note(e, "at eta = 1 the ratio is eta(2-eta) gamma^4 = 1: DP-SGD is optimal there; as eta -> 0 "
            "the caption is right");
    return s;
}

/* theory 10.9, in two steps: what the optimiser makes of such a grid, and what the grid makes of
 * an integral that has a closed form, mean 1/gap(b, w) = 1/(b(2-b)). */
static finf_status uniform_grid(erratum *e)
{
    const double b = 1e-4;
    const int k = 1000;
    double sum = 0;
    finf_iqc_result all, grid;
    finf_status s = bound_of_sgd(0.1, FINF_IQC_CONSTANTS_SHARP, 0, &all);
    if (!s) s = bound_of_sgd(0.1, FINF_IQC_CONSTANTS_SHARP, (size_t)k, &grid);
    if (s) return s;
    for (int i = 0; i < k; i++) {
        double x = sin(FINF_PI * i / k); /* |1-b-e^{iw}|^2 = b^2 + 4(1-b) sin^2(w/2) */
        sum += 1 / (b * b + 4 * (1 - b) * x * x) / k;
    }
    e->what = "what a uniform grid of k = 1000 frequencies gives for the bound of DP-SGD, eta mu "
              "= 1e-3, eta = 0.1";
    e->printed = grid.grid_value;
    computed(e, all.bound);
    e->also = "the plain quadratic, (1/2pi) int dw/|1-eta mu-e^{iw}|^2, at eta mu = 1e-4";
    e->also_printed = sum;
    also_computed(e, finf_real_rounded(1 / (b * (2 - b)), 4));
    note(e, "printed: on such a grid, which the paper takes; computed: on all frequencies. A "
            "uniform grid needs about 20/(eta mu) points. The paper's source does not give the "
            "eta mu of its figure: this is what such a grid does, not a statement that the figure "
            "is wrong");
    return FINF_OK;
}

/* theory 10.10 */
static finf_status minimum_phase(erratum *e)
{
    finf_real at_T, limit, density;
    finf_status s = two_taps(-2, 100, &at_T, &limit, &density);
    if (s) return s;
    computed(e, limit);
    e->what = "gamma_inf^2 of beta = (1,-2): printed as the integral of 1/|B|^2";
    e->printed = 1.0 / 3;
    note(e, "sum c_t^2 = sum 4^t diverges: the integral needs B without zeros in |z| <= 1");
    return FINF_OK;
}

/* theory 10.11: |B(pi)|^2 is the largest |B|^2 of this beta */
static finf_status norm_of_beta(erratum *e)
{
    finf_real at_T, limit, density;
    finf_status s = two_taps(-1, 100, &at_T, &limit, &density);
    if (s) return s;
    computed(e, density);
    e->what = "max |B(w)|^2 for beta = (1,-1): printed bound ||beta||_2^2";
    e->printed = 2;
    note(e, "the bound is ||beta||_1^2 = 4");
    return FINF_OK;
}

/* theory 10.12: beta is real, so the other sign conjugates B */
static finf_status dtft_sign(erratum *e)
{
    finf_noise *noise;
    double B[2];
    finf_status s = finf_noise_nu(0.1, &noise, NULL);
    if (s) return s;
    finf_noise_response(noise, 1, B);
    finf_noise_free(noise);
    e->what = "Im B(1) of nu = 0.1: with e^{+iwt}, where B is defined, and with e^{-iwt}, where "
              "LTI systems are";
    e->printed = -B[1];
    /* the square root of a number near 1 */
    computed(e, finf_real_make(B[1], 16 * FINF_EPS, "closed form"));
    note(e, "|B|^2 is the same; here it is e^{-iwt} everywhere");
    return FINF_OK;
}

/* number i of theory 10 is entry i - 1 */
static finf_status (*const ERRATA[])(erratum *) = {
    sign_of_multiplier, constants_of_iqc,    cosine_integral, one_half,
    decay_table,        antipgd_sensitivity, elliptic_proof,  figure1_caption,
    uniform_grid,       minimum_phase,       norm_of_beta,    dtft_sign};
enum { ERRATA_COUNT = sizeof ERRATA / sizeof *ERRATA };

size_t finf_errata_count(void) { return ERRATA_COUNT; }

finf_status finf_errata_get(size_t number, finf_erratum *out)
{
    const finf_erratum none = {
        .what = "", .printed = NAN, .computed = NAN, .also_printed = NAN, .also_computed = NAN};
    *out = none;
    finf_status s = number >= 1 && number <= ERRATA_COUNT ? ERRATA[number - 1](out) : FINF_EDOM;
    if (s) *out = none;
    return s;
}
