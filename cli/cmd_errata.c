/* finf errata: each correction to the paper, shown in numbers.                                   MATH section 10 */
#include "cmd.h"

static void show(doc *d, int number, const char *what, double printed, double computed, const char *note)
{
    char line[200];
    doc_row(d);
    snprintf(line, sizeof line, "%2d. %s", number, what);
    doc_note(d, "%s", line);
    doc_number(d, "erratum", NULL, number, NULL);
    doc_string(d, "what", NULL, what, NULL);
    doc_number(d, "printed", "    printed", printed, NULL);
    doc_number(d, "computed", "    computed", computed, note);
    doc_string(d, "note", NULL, note, NULL);
    if (isinf(computed) || isinf(printed)) doc_string(d, "reason", NULL, note, NULL);
}

/* 1. Noise alternating +-1 on F of curvature mu for theta > 0 and L = 1 for theta < 0: E theta^2 of its two-cycle, and the
 * bound 2 psi(pi) of MATH 7.2 for a real Lambda(pi) = r. */
static double two_cycle(double eta, double mu)
{
    double theta = 0, last = 0;
    for (int t = 0; t < 20000; t++) {
        last = theta;
        theta -= eta * ((theta > 0 ? mu : 1) * theta + (t % 2 ? 1 : -1));
    }
    return (theta * theta + last * last) / 2;
}

static double bound_at_pi(double eta, double mu, double r)
{
    double g = 2 / eta, a = -0.5 + 2 * mu * r - 2 * r * (1 + mu) * g + 2 * r * g * g, m = r * (1 + mu) - 2 * r * g;
    return a > 0 ? 2 * (m * m / a - 2 * r) : INFINITY;
}

static void sign(doc *d)
{
    const double eta = 0.1, mu = 0.1;
    double printed = INFINITY;
    for (double r = 7e-4; r < 10; r *= 1.0001) printed = fmin(printed, bound_at_pi(eta, mu, r)); /* Lambda(pi) is free */
    char note[160];
    snprintf(note, sizeof note, "true E theta^2, above the printed bound; the corrected sign gives %.6g",
             bound_at_pi(eta, mu, 1 / (4 * mu)));
    show(d, 1, "sign of the multiplier: noise +-1 alternating, kappa = 10, eta = 0.1", printed, two_cycle(eta, mu), note);
}

/* 2 and 9 */
static finf_status iqc(doc *d, int number)
{
    finf_noise *noise;
    finf_iqc_options o = finf_iqc_options_default();
    finf_iqc_result printed, computed;
    o.bound = FINF_IQC_DIST;
    o.solver = FINF_IQC_NEWTON;
    finf_status s = finf_noise_sgd(&noise);
    if (!s) s = finf_iqc(noise, 0.1, 100, &o, &computed);
    if (number == 2)
        o.constants = FINF_IQC_CONSTANTS_PAPER;
    else
        o.grid_uniform = 1000;
    if (!s) s = finf_iqc(noise, 0.1, 100, &o, &printed);
    if (!s && number == 2)
        show(d, 2, "constants of the IQC theorem: DP-SGD, kappa = 100, eta = 0.1, rho = 1", printed.bound.value,
             computed.bound.value, "no factor 2 of Cauchy-Schwarz, (2 rho)^-1 and L/2: 8 times smaller");
    else if (!s)
        show(d, 9, "uniform grid of 1000 frequencies at eta mu = 1e-3: the solver's value for DP-SGD", printed.grid_value,
             computed.bound.value, "on all frequencies");
    finf_noise_free(noise);
    return s;
}

/* 3. by the trapezoid rule, which converges geometrically for a periodic function */
static void cosine(doc *d)
{
    const double a = 0.9;
    const int n = 4000;
    double sum = 0;
    for (int i = 0; i < n; i++) sum += 2 * FINF_PI / n / (1 + a * cos(2 * FINF_PI * i / n));
    show(d, 3, "int dw/(1 + a cos w), a = 0.9: printed 2 pi/(1-a^2)", 2 * FINF_PI / (1 - a * a), sum, "2 pi/sqrt(1-a^2)");
}

static finf_status mean(doc *d, int number)
{
    finf_noise *noise;
    finf_mean_result r;
    finf_privacy_setting half = {0.5, 1, 0};
    finf_status s = finf_noise_sgd(&noise);
    if (!s) s = finf_mean(noise, number == 4 ? 0.5 : 1, &half, &r);
    if (!s && number == 4)
        show(d, 4, "F_inf of mean estimation, DP-SGD, eta = 0.5, rho = 1/2: printed without the one-half of F", 0.5 / 1.5,
             r.F.value, "with it");
    else if (!s)
        show(d, 8, "Figure 1's caption: the ratio optimum/DP-SGD tends to 0 as eta -> 1", 0, r.F_optimal / r.F_sgd,
             "the ratio at eta = 1");
    finf_noise_free(noise);
    return s;
}

/* 5. the power of log(d/eta) in (d/eta) ratio, between d = 10^6 and 10^12 */
static finf_status decay(doc *d)
{
    const double eta = 0.01, dims[] = {1e6, 1e12};
    double x[2], y[2];
    finf_status s = FINF_OK;
    for (int i = 0; i < 2 && !s; i++) {
        finf_spectrum *H = NULL;
        finf_noise *sgd = NULL, *nu = NULL;
        finf_linreg_result a, b;
        s = finf_spectrum_power(2, dims[i], &H, NULL);
        if (!s) s = finf_noise_sgd(&sgd);
        if (!s) s = finf_noise_nu(eta * finf_spectrum_min(H), &nu, NULL);
        if (!s) s = finf_linreg(sgd, eta, H, NULL, &a);
        if (!s) s = finf_linreg(nu, eta, H, NULL, &b);
        if (!s) x[i] = log(log(dims[i] / eta)), y[i] = log(dims[i] / eta * b.exact.value / a.exact.value);
        finf_noise_free(sgd);
        finf_noise_free(nu);
        finf_spectrum_free(H);
    }
    if (!s)
        show(d, 5, "Table 3, row 1/k^2: power of log(d/eta) in the ratio of nu to DP-SGD", 3, (y[1] - y[0]) / (x[1] - x[0]),
             "fitted from d = 10^6 to 10^12: at most 2");
    return s;
}

static finf_status sensitivity(doc *d, int number)
{
    finf_noise *noise;
    finf_real g;
    finf_sensitivity sens;
    const double beta[] = {1, number == 10 ? -2 : -1};
    finf_status s = finf_noise_fir(beta, 2, &noise, NULL);
    if (s) return s;
    s = finf_noise_sensitivity_at(noise, 1000, &g, NULL);
    if (!s) s = finf_noise_sensitivity(noise, &sens);
    if (!s && number == 6)
        show(d, 6, "anti-PGD: gamma_T^2 at T = 1000 (printed gamma_T = T)", 1e6, g.value, "gamma_T^2 = T");
    else if (!s && number == 11)
        show(d, 11, "max |B(w)|^2 for beta = (1,-1): printed bound ||beta||_2^2", 2, finf_noise_density(noise, FINF_PI),
             "the bound is ||beta||_1^2 = 4");
    else if (!s)
        show(d, 10, "gamma_inf^2 of beta = (1,-2): printed as the integral of 1/|B|^2", 1.0 / 3, sens.gamma2.value,
             "sum c_t^2 = sum 4^t diverges: the integral needs minimum phase");
    finf_noise_free(noise);
    return s;
}

/* 7. the claim holds with one constant, and with log(8/b) too; only its proof is wrong */
static void elliptic(doc *d)
{
    double with_a = 0, with_b = 0;
    for (double a = 1e-12; a <= 1; a *= 2)
        for (double b = a; b <= 1; b *= 2) {
            finf_real I;
            if (finf_ellint_i(a, b, &I)) continue;
            with_a = fmax(with_a, I.value / log(8 / a));
            with_b = fmax(with_b, I.value / log(8 / b));
        }
    show(d, 7, "I(a,b) <= C log(8/a) for a <= b: the least C (the proof's step is wrong, the claim is not)", with_a, with_b,
         "the least C with log(8/b)");
}

static finf_status dtft(doc *d)
{
    finf_noise *noise;
    double B[2];
    finf_status s = finf_noise_nu(0.1, &noise, NULL);
    if (s) return s;
    finf_noise_response(noise, 1, B);
    show(d, 12, "Im B(1) of nu = 0.1: the DTFT with e^{+iwt} of the text, and e^{-iwt} of the appendix", -B[1], B[1],
         "|B|^2 is the same; here e^{-iwt}");
    finf_noise_free(noise);
    return FINF_OK;
}

finf_status cmd_errata(const args *a, doc *d, finf_reason *why)
{
    finf_privacy_setting set;
    finf_status s = read_setting(a, &set, why);
    if (s) return s;
    doc_heading(d, "Errata of the paper: printed value beside the computed one");
    sign(d);
    s = iqc(d, 2);
    cosine(d);
    if (!s) s = mean(d, 4);
    if (!s) s = decay(d);
    if (!s) s = sensitivity(d, 6);
    elliptic(d);
    if (!s) s = mean(d, 8);
    if (!s) s = iqc(d, 9);
    if (!s) s = sensitivity(d, 10);
    if (!s) s = sensitivity(d, 11);
    if (!s) s = dtft(d);
    return s ? finf_why(why, s, "an erratum could not be computed: %s", finf_status_text(s)) : FINF_OK;
}
