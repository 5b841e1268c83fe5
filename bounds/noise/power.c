/* B(z) = (1-(1-nu)z)^p: sgd (p = 0), nu (p = 1/2), power, antipgd (p = 1), and cc (p = 1/2 at
 * nu = 0).  (theory 1)
 *
 *   beta_t = beta_{t-1} (t-1-p)/t (1-nu),   c_t = c_{t-1} (t-1+p)/t (1-nu)
 *   gamma^2 = 2F1(p, p; 1; (1-nu)^2):  1/AGM(1, sqrt(nu(2-nu))) for p = 1/2, 1/(nu(2-nu)) for 1 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "family.h"
#include "parse.h"

/* noise->coef has p, then nu. */
static double p_of(const finf_noise *noise) { return noise->coef[0]; }
static double nu_of(const finf_noise *noise) { return noise->coef[1]; }

/* ---- construction -------------------------------------------------------------------------- */

/* 0 <= p <= 1 and 0 < nu <= 1; antipgd also nu = 0, anti-PGD itself. cc, which has nu = 0 too, does
 * not come this way. */
static finf_status make(const noise_family *family, double p, double nu, finf_noise **out,
                        finf_reason *why)
{
    *out = NULL;
    int zero = family == &noise_antipgd && nu == 0;
    if (!zero && !(nu >= BOUNDS_TINY && nu <= 1))
        return finf_why(why, FINF_EDOM, "nu = %s: must be in %s0, 1]%s", finf_show(nu).s,
                        family == &noise_antipgd ? "[" : "(",
                        nu > 0 && nu < 1 ? ", at least 1e-50" : "");
    if (!(p >= 0 && p <= 1))
        return finf_why(why, FINF_EDOM, "power p = %s: must be in [0, 1]", finf_show(p).s);
    double x[2] = {p, nu};
    return noise_make(family, x, 2, out, why);
}

finf_status finf_noise_sgd(finf_noise **out) { return make(&noise_sgd, 0, 1, out, NULL); }

finf_status finf_noise_nu(double nu, finf_noise **out, finf_reason *why)
{
    return make(&noise_nu, 0.5, nu, out, why);
}

finf_status finf_noise_power(double p, double nu, finf_noise **out, finf_reason *why)
{
    return make(&noise_power, p, nu, out, why);
}

finf_status finf_noise_antipgd(double nu, finf_noise **out, finf_reason *why)
{
    return make(&noise_antipgd, 1, nu, out, why);
}

finf_status finf_noise_cc(finf_noise **out)
{
    const double x[2] = {0.5, 0};
    return noise_make(&noise_cc, x, 2, out, NULL);
}

/* ---- spelling ------------------------------------------------------------------------------ */

/* "sgd:" is "sgd", but "sgd:1" is refused. */
static finf_status nothing_after(const char *name, const char *text, finf_reason *why)
{
    if (!*text) return FINF_OK;
    return finf_why(why, FINF_EPARSE, "%s:%.60s: %s has no parameter", name, text, name);
}

static finf_status parse_sgd(const char *text, finf_noise **out, finf_reason *why)
{
    finf_status s = nothing_after("sgd", text, why);
    return s ? s : finf_noise_sgd(out);
}

static finf_status parse_cc(const char *text, finf_noise **out, finf_reason *why)
{
    finf_status s = nothing_after("cc", text, why);
    return s ? s : finf_noise_cc(out);
}

static finf_status parse_nu(const char *text, finf_noise **out, finf_reason *why)
{
    double nu;
    finf_status s = parse_number(text, "nu", &nu, why);
    return s ? s : finf_noise_nu(nu, out, why);
}

static finf_status parse_antipgd(const char *text, finf_noise **out, finf_reason *why)
{
    double nu;
    finf_status s = parse_number(text, "nu", &nu, why);
    return s ? s : finf_noise_antipgd(nu, out, why);
}

static finf_status parse_power(const char *text, finf_noise **out, finf_reason *why)
{
    const char *comma = strpbrk(text, ", ");
    double p, nu;
    if (!comma) return finf_why(why, FINF_EPARSE, "power:%.60s: must be power:P,V", text);
    finf_status s = parse_part(text, comma, "power p", &p, why);
    if (!s) s = parse_number(comma + 1, "nu", &nu, why);
    return s ? s : finf_noise_power(p, nu, out, why);
}

static void spell_name(const finf_noise *noise, noise_speller *s)
{
    noise_spell_text(s, noise->family->name);
}

/* nu and antipgd, whose p is not written. */
static void spell_nu(const finf_noise *noise, noise_speller *s)
{
    noise_spell_text(s, noise->family->name);
    noise_spell_text(s, ":");
    noise_spell_list(s, noise->coef + 1, 1);
}

static void spell_power(const finf_noise *noise, noise_speller *s)
{
    noise_spell_text(s, "power:");
    noise_spell_list(s, noise->coef, 2);
}

/* ---- coefficients -------------------------------------------------------------------------- */

/* The binomial series of (1-(1-nu)z)^p: beta for p, and c for -p. (theory 1.2) */
static finf_status series(double p, double nu, size_t n, double *out)
{
    out[0] = 1;
    for (size_t t = 1; t < n; t++) {
        double x = out[t - 1] * ((double)t - 1 - p) / (double)t;
        out[t] = noise_damp(x, nu);
    }
    return FINF_OK;
}

static finf_status beta(const finf_noise *noise, size_t n, double *out, finf_reason *why)
{
    (void)why;
    return series(p_of(noise), nu_of(noise), n, out);
}

static finf_status coef(const finf_noise *noise, size_t n, double *out, finf_reason *why)
{
    (void)why;
    return series(-p_of(noise), nu_of(noise), n, out);
}

/* ---- frequencies --------------------------------------------------------------------------- */

/* For nu > 0 1 - (1-nu) z has a positive real part, so that the principal argument is the right
 * one. */
static double complex response(const finf_noise *noise, double w)
{
    double p = p_of(noise);
    double complex f = circle_factor(nu_of(noise), w);
    return p == 0 ? 1 : pow(cabs(f), p) * cexp(I * p * carg(f));
}

/* gap(nu, w)^p */
static double density(const finf_noise *noise, double t)
{
    return pow(circle_gap_t(nu_of(noise), t), p_of(noise));
}

/* The zero or branch point of B is at 1/(1-nu), about nu from z = 1. That of cc is at 1 itself:
 * it has no scale. */
static double scale(const finf_noise *noise)
{
    return p_of(noise) > 0 && nu_of(noise) > 0 ? nu_of(noise) : 1;
}

/* ---- sensitivity --------------------------------------------------------------------------- */

/* 2F1(p, p; 1; (1-nu)^2): in closed form for p = 0, 1/2 and 1, else by the integral of 1/|B|^2,
 * as B is minimum phase for nu > 0. (theory 2.3) */
static finf_status gamma2(const finf_noise *noise, finf_sensitivity *out)
{
    double p = p_of(noise), nu = nu_of(noise);
    out->minimum_phase = nu > 0;
    if (nu == 0) {
        out->gamma2 = finf_real_infinite("closed form");
        return finf_why(&out->reason, FINF_OK,
                        "sum c_t^2 diverges: gamma_T^2 %s (zero of B at z = 1)",
                        p == 1 ? "= T" : "grows like log(T)/pi");
    }
    if (p == 0 || nu == 1) {
        out->gamma2 = finf_real_make(1, 0, "closed form");
    } else if (p == 1) {
        double value = 1 / (nu * (2 - nu));
        out->gamma2 = finf_real_make(value, 4 * FINF_EPS * value, "closed form");
    } else if (p == 0.5) {
        finf_real agm;
        finf_status s = finf_agm(1, sqrt(nu * (2 - nu)), &agm);
        if (s) return s;
        out->gamma2 = finf_real_make(1 / agm.value, agm.error / (agm.value * agm.value), "AGM");
    } else {
        return circle_mean(noise_inverse_density_t, (void *)(uintptr_t)noise, nu, 1, &out->gamma2);
    }
    return FINF_OK;
}

/* c_t summed without storing it, and with compensation (Kahan); stops when what is left cannot
 * change the sum. */
static double sum_of_squares(double p, double nu, size_t T)
{
    double c = 1, sum = 0, carry = 0;
    for (size_t t = 0; t < T; t++) {
        if (t) c = noise_damp(c * (1 - (1 - p) / (double)t), nu);
        double term = c * c - carry, next = sum + term;
        carry = (next - sum) - term;
        sum = next;
        if (c * c < FINF_EPS / 8 * sum * nu) break; /* the tail is below c^2/nu */
    }
    return sum;
}

/* antipgd: (1 - (1-nu)^{2T})/(nu(2-nu)), by expm1 and log1p for small nu. (theory 2.4) */
static finf_status gamma2_at(const finf_noise *noise, size_t T, finf_real *out, finf_reason *why)
{
    double p = p_of(noise), nu = nu_of(noise), rounding = 8, value = 1;
    (void)why;
    if (p == 1 && nu == 0) {
        value = (double)T;
    } else if (p == 1 && nu < 1) {
        value = -expm1(2 * (double)T * log1p(-nu)) / (nu * (2 - nu));
    } else if (p != 0 && nu < 1) {
        value = sum_of_squares(p, nu, T);
        rounding = 8 + 8 * sqrt((double)T); /* of the running product */
    }
    *out = finf_real_make(value, rounding * FINF_EPS * value, "sum of squares");
    return FINF_OK;
}

/* ---- T(b) ---------------------------------------------------------------------------------- */

/* nu = 0: int |1-e^{iw}|/|1-b-e^{iw}|^2 dw = 8/(2-b)^2 atanh(x)/x, x^2 = 1 - be^2, be = b/(2-b)
 * (theory 3.2). atanh(x) is asinh(x/be), which does not see how close x is to 1 for small b; b > 1
 * has be > 1 and atan. */
static double cc_energy(double b)
{
    double be = b / (2 - b), x2 = (1 - be) * (1 + be), x = sqrt(fabs(x2));
    double g = x < 1e-8 ? 1 : x2 > 0 ? asinh(x / be) / x : atan(x) / x;
    return 4 * be / FINF_PI * g;
}

/* One b, p = 0, 1/2 and 1 (theory 5.6); p = 1/2 by the elliptic integral I(nu, b) of theory 3.2. */
static finf_status energy_at(double p, double nu, double b, double *T, double *relerr)
{
    if (p == 0) {
        *T = 1;
        *relerr = 0;
    } else if (p == 1) { /* 1 + x^2 - 2xq, x = 1-nu, q = 1-b, written so that nothing cancels */
        *T = nu * nu + 2 * b * (1 - nu);
        *relerr = 4 * FINF_EPS;
    } else if (nu == 0) {
        *T = cc_energy(b);
        *relerr = 16 * FINF_EPS;
    } else {
        finf_real integral;
        finf_status s = finf_ellint_i(nu, b, &integral);
        if (s) return s;
        *T = b * (2 - b) / (2 * FINF_PI) * integral.value;
        *relerr = integral.error / integral.value + 4 * FINF_EPS;
    }
    return FINF_OK;
}

/* Closed forms for p = 0, 1/2 and 1; any other power by quadrature. (theory 5.6) */
static finf_status energy(const finf_noise *noise, const double *b, size_t m, double *T,
                          double *relerr, finf_reason *why)
{
    double p = p_of(noise);
    if (p != 0 && p != 0.5 && p != 1) return noise_energy_by_density(noise, b, m, T, relerr, why);
    *relerr = 0;
    for (size_t j = 0; j < m; j++) {
        double rel;
        finf_status s = energy_at(p, nu_of(noise), b[j], &T[j], &rel);
        if (s) return finf_why(why, s, "T(b) at b = %s did not settle", finf_show(b[j]).s);
        *relerr = fmax(*relerr, rel);
    }
    return FINF_OK;
}

/* ---- as a recursion ------------------------------------------------------------------------ */

/* For 0 < p < 1, a = 1-nu: (1-az)^p = (1-az) (sin(pi p)/pi) int_0^inf s^{p-1} / (s+1-az) ds, in
 * which (1-az)/(s+1-az) = 1/(1+s) - s d z / ((1+s)(1-dz)), d = a/(1+s). The trapezoid rule in log s
 * has the error e^{-pi^2/h}; every gain has one sign, so that nothing cancels. What is left below
 * the first node goes into one pole with the same zeroth and first moments, what is left above the
 * last into one that makes beta_1 and beta_2 exact. h = 0.75 leaves 2e-6, and nodes begin at a
 * hundredth of the larger of nu and `slow`. p = 1 is that last pole alone. */
static void poles(const finf_noise *noise, double slow, noise_poles *out)
{
    const double h = 0.75, p = p_of(noise), nu = nu_of(noise), a = 1 - nu;
    double least = 0.01 * fmax(fmax(nu, slow), 1e-15), factor = h * sin(FINF_PI * p) / FINF_PI;
    double b1 = -p * a, b2 = -p * (1 - p) / 2 * a * a; /* of beta_1 and beta_2, what is left */
    out->n = 0;
    if (p == 0 || nu == 1) return;
    for (double u = log(least); u < 5 && p < 1; u += h) {
        double s = exp(u), leak = (s + nu) / (1 + s);
        double gain = -factor * pow(s, p + 1) * a / ((1 + s) * (1 + s));
        if (out->n == 0) { /* the nodes below, a geometric series */
            double q = exp(-h * (p + 1)), q2 = exp(-h * (p + 2)), sum = q / (1 - q);
            double below = s * q2 / (1 - q2) / sum;
            out->gain[0] = gain * sum;
            out->leak[0] = (below + nu) / (1 + below);
            b1 -= out->gain[0];
            b2 -= out->gain[0] * (1 - out->leak[0]);
            out->n = 1;
        }
        b1 -= gain;
        b2 -= gain * (1 - leak);
        out->gain[out->n] = gain;
        out->leak[out->n] = leak;
        out->n++;
    }
    out->gain[out->n] = b1;
    out->leak[out->n] = 1 - b2 / b1;
    out->n++;
    if (out->n % 2) { /* the filter takes two at a time */
        out->gain[out->n] = 0;
        out->leak[out->n] = 1;
        out->n++;
    }
}

/* ---- the tables ---------------------------------------------------------------------------- */

/* What the five have in common. */
#define POWER_FUNCTIONS                                                                            \
    .beta = beta, .coef = coef, .response = response, .density = density, .scale = scale,          \
    .gamma2 = gamma2, .gamma2_at = gamma2_at, .energy = energy, .poles = poles

const noise_family noise_sgd = {.name = "sgd",
                                .form = "sgd",
                                .about = "independent noise",
                                .step = "O(1)",
                                .parse = parse_sgd,
                                .spell = spell_name,
                                POWER_FUNCTIONS};
const noise_family noise_nu = {.name = "nu",
                               .form = "nu:V",
                               .about = "(1-(1-V)z)^(1/2), the paper's noise; 0 < V <= 1",
                               .parse = parse_nu,
                               .spell = spell_nu,
                               POWER_FUNCTIONS};
const noise_family noise_power = {.name = "power",
                                  .form = "power:P,V",
                                  .about = "(1-(1-V)z)^P, 0 <= P <= 1",
                                  .parse = parse_power,
                                  .spell = spell_power,
                                  POWER_FUNCTIONS};
const noise_family noise_antipgd = {.name = "antipgd",
                                    .form = "antipgd:V",
                                    .about = "1-(1-V)z, damped anti-PGD; V = 0: anti-PGD",
                                    .step = "O(1)",
                                    .parse = parse_antipgd,
                                    .spell = spell_nu,
                                    POWER_FUNCTIONS};
const noise_family noise_cc = {.name = "cc",
                               .form = "cc",
                               .about = "nu at V = 0 (optimal for counting; infinite sensitivity)",
                               .parse = parse_cc,
                               .spell = spell_name,
                               POWER_FUNCTIONS};
