/* finf linreg: F_inf for linear regression. The exact value for Gaussian inputs (or independent
 * ones of a given kurtosis), a lower and an upper bound for any inputs, the least over all noise
 * and the paper's lower bound, and with --directions what each eigenvector contributes. (theory
 * 5) */
#include <stdlib.h>

#include "cmd.h"

#define ALL_DIRECTIONS 1e6 /* csv and json list every direction up to here, text up to 40 */

/* The indices k = 1..d of the eigenvalues to list: all of them if d <= most, else 1, 2, 3, 4, 6, 8,
 * 12, .. and d. Doubles, as d may be 1e15; 256 places hold two for each power of 2 below that, and
 * d. Owned by the caller; NULL: no memory. */
static double *indices(double d, double most, size_t *n)
{
    double *k = malloc((d <= most ? (size_t)d : 256) * sizeof *k);
    *n = 0;
    if (k && d <= most)
        for (double i = 1; i <= d; i++) k[(*n)++] = i;
    else if (k) {
        /* 2^j and 3 2^(j-1) */
        for (double p = 1; p < d; p *= 2) {
            k[(*n)++] = p;
            if (p >= 2 && 1.5 * p < d) k[(*n)++] = 1.5 * p;
        }
        k[(*n)++] = d;
    }
    return k;
}

/* For each direction its eigenvalue, T(eta lambda) of (5.a), and what it adds to the exact F_inf
 * and to its lower bound. */
static finf_status show_directions(doc *d, const finf_noise *noise, double eta,
                                   const finf_spectrum *spectrum, const finf_linreg_options *opt,
                                   double most, finf_reason *why)
{
    static const char *const NAMES[] = {"k", "lambda", "T", "F_exact", "F_lti"};
    size_t n;
    double *k = indices(finf_spectrum_dim(spectrum), most, &n);
    finf_direction *rows = k ? malloc(n * sizeof *rows) : NULL;
    double *data = rows ? malloc(5 * n * sizeof *data) : NULL;
    finf_status s = data ? finf_linreg_directions(noise, eta, spectrum, opt, k, n, rows, why)
                         : finf_why(why, FINF_ENOMEM, "no memory");
    if (!s) {
        for (size_t i = 0; i < n; i++) {
            double row[] = {k[i], rows[i].lambda, rows[i].T, rows[i].exact, rows[i].lti};
            for (size_t c = 0; c < 5; c++) data[5 * i + c] = row[c];
        }
        doc_note(d, "%s", "");
        doc_note(d, "Contribution of each eigendirection (T: noise energy that reaches it)");
        doc_table(d, "directions", 5, NAMES, data, n);
    }
    free(data);
    free(rows);
    free(k);
    return s;
}

/* What is infinite has its reason. The upper bound may be infinite alone: its condition on eta is
 * its own. */
static void show(doc *d, const args *a, double eta, double eta_max, const finf_linreg_options *o,
                 const finf_linreg_result *r)
{
    char note[160];
    doc_row(d);
    doc_heading(d, "Linear regression, F = (1/2) E(y - <theta,x>)^2");
    show_noise(d, a, eta, r->lambda_min);
    /* a list may be long: text has its beginning, CSV and JSON all of it */
    const char *spectrum = args_text(a, OPT_SPECTRUM);
    snprintf(note, sizeof note, "%.40s%s", spectrum, strlen(spectrum) > 40 ? ".." : "");
    doc_string(d, "spectrum", NULL, spectrum, NULL);
    doc_string(d, NULL, "spectrum of H", note,
               args_given(a, OPT_NORMALIZE) ? "divided by its largest" : NULL);
    doc_number(d, "d", "d", r->d, "dimension");
    doc_number(d, "d_eff", "d_eff", r->d_eff, "Tr H / lambda_1");
    snprintf(note, sizeof note, "step size; stable up to %.6g", eta_max);
    doc_number(d, "eta", "eta", eta, note);
    doc_number(d, "eta_max", NULL, eta_max, NULL);
    doc_number(d, "rho", "rho", o->privacy.rho, "zCDP");
    doc_number(d, "clip", NULL, o->privacy.clip, NULL);
    doc_number(d, "sigma_sgd", NULL, o->privacy.sigma_sgd, NULL);
    doc_number(d, "kurtosis", o->kurtosis == 0 ? NULL : "kurtosis", o->kurtosis,
               "excess, of independent inputs");
    doc_real(d, "gamma2", "gamma2_error", "gamma_inf^2", r->gamma2, "sensitivity squared");
    snprintf(note, sizeof note, "lim E[F(theta_t) - F*], exact for %s inputs",
             o->kurtosis == 0 ? "Gaussian" : "such");
    doc_real(d, "F_exact", "F_error", "F_inf", r->exact, note);
    doc_real(d, "F_lti", "F_lti_error", "lower", r->lti, "no inputs of this covariance do better");
    snprintf(note, sizeof note, "for any inputs with R^2 <= %.4g, C_kurt <= %.4g%s%.60s", r->R2,
             r->C_kurt, r->upper_reason.text[0] ? "; " : "", r->upper_reason.text);
    doc_real(d, "F_upper", "F_upper_error", "upper", r->upper, note);
    if (r->exact.value / r->optimum.value > 0 && isfinite(r->exact.value))
        snprintf(note, sizeof note, "least F_inf over all noise; this noise is %.4g times that",
                 r->exact.value / r->optimum.value);
    else
        snprintf(note, sizeof note, "least F_inf over all noise");
    doc_real(d, "F_optimum", "F_optimum_error", "best noise", r->optimum, note);
    doc_real(d, "F_optimum_lti", "F_optimum_lti_error", NULL, r->optimum_lti, NULL);
    doc_real(d, "F_floor", "F_floor_error", "floor", r->floor,
             "the paper's lower bound for every noise");
    /* text mentions stability only where it is missing */
    doc_bool(d, "stable", r->stable ? NULL : "stable", r->stable, NULL);
    if (r->reason.text[0])
        show_reason(d, &r->reason);
    else if (r->upper_reason.text[0]) /* in text it stands beside the number */
        doc_string(d, "reason", NULL, r->upper_reason.text, NULL);
}

/* The paper's Table 1 with unit constants: DP-SGD, nu = eta mu, and its lower bound eta^2 Tr H
 * G^2/rho for every noise. Not in text, where they would look like values. (theory 5.4) */
static void show_rates(doc *d, double eta, const finf_spectrum *spectrum,
                       const finf_privacy_setting *set)
{
    finf_rates rate;
    if (finf_rates_spectrum(spectrum, eta, set, &rate)) return;
    doc_number(d, "rate_sgd", NULL, rate.sgd, NULL);
    doc_number(d, "rate_nu", NULL, rate.nu, NULL);
    doc_number(d, "rate_floor", NULL, rate.floor, NULL);
}

/* The largest stable eta and the table of directions are beside the point of the answer: where they
 * miss their tolerance, the answer is still shown, with that status. */
static finf_status cmd_linreg(const args *a, doc *d, finf_reason *why)
{
    double eta, dim = NAN, eta_max = NAN;
    finf_noise *noise = NULL;
    finf_spectrum *spectrum = NULL;
    finf_linreg_options opt = finf_linreg_options_default();
    finf_linreg_result r;
    finf_status s = read_eta(a, &eta, why);
    if (!s) s = read_setting(a, &opt.privacy, why);
    if (!s) s = args_number(a, OPT_KURTOSIS, &opt.kurtosis, why);
    if (!s) s = args_whole(a, OPT_DIM, 1, FINF_DIM_MAX, &dim, why);
    if (!s) s = check_stdin(a, why);
    if (!s) s = spec_spectrum(args_text(a, OPT_SPECTRUM), dim, &spectrum, why);
    if (!s && args_given(a, OPT_NORMALIZE)) s = finf_spectrum_normalize(spectrum);
    if (!s) s = read_noise(a, eta, finf_spectrum_min(spectrum), &noise, why);
    if (!s && (s = finf_linreg(noise, eta, spectrum, &opt, &r))) *why = r.reason;
    if (!s || s == FINF_ETOL) {
        int text = wants_text(a);
        finf_reason more = {""};
        finf_status t = finf_linreg_eta_max(spectrum, opt.kurtosis, opt.optimizer, &eta_max, &more);
        if (t && !s) s = finf_why(why, t, "the largest stable eta: %.200s", more.text);
        show(d, a, eta, eta_max, &opt, &r);
        show_rates(d, eta, spectrum, &opt.privacy);
        /* beyond eta lambda = 2 a direction diverges by itself, and T is not defined */
        if (args_given(a, OPT_DIRECTIONS) && eta * r.lambda_max < 2) {
            t = show_directions(d, noise, eta, spectrum, &opt, text ? 40 : ALL_DIRECTIONS, &more);
            if (t) s = finf_why(why, t, "the table of directions: %.200s", more.text);
        }
    }
    finf_noise_free(noise);
    finf_spectrum_free(spectrum);
    return s;
}

static const option_use OPTIONS[] = {{.id = OPT_NOISE, .needed = 1},
                                     {.id = OPT_ETA, .needed = 1},
                                     {.id = OPT_SPECTRUM, .needed = 1},
                                     {.id = OPT_DIM},
                                     {.id = OPT_NORMALIZE},
                                     {.id = OPT_KURTOSIS},
                                     {.id = OPT_DIRECTIONS},
                                     PRIVACY_OPTIONS,
                                     COMMON_OPTIONS,
                                     {.id = OPT_PRECISION},
                                     {.id = OPT_END}};

const command command_linreg = {
    .name = "linreg",
    .summary = "F_inf for linear regression",
    .about = "lim E[F(theta_t) - F*] for F = (1/2)E(y-<theta,x>)^2, exact for Gaussian inputs, "
             "with bounds for any inputs,\n"
             "the best noise, and the contribution of each direction.",
    .example = "finf linreg --noise nu:auto --eta 0.02 --spectrum power:1 --dim 128 --rho 0.5",
    .options = OPTIONS,
    .run = cmd_linreg,
};
