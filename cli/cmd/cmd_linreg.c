/* finf linreg: F_inf for linear regression. The exact value for Gaussian inputs (or independent
 * ones of a given kurtosis), a lower and an upper bound for any inputs, the least over all noise
 * and the paper's lower bound, and with --directions what each eigenvector contributes. (theory
 * 5) */
#include <stdlib.h>

#include "cmd.h"
#include "kept.h"

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
static finf_status show_directions(doc *d, const args *a, const finf_noise *noise, const problem *p,
                                   finf_reason *why)
{
    static const char *const NAMES[] = {"k", "lambda", "T", "F_inf", "F_lower"};
    const finf_linreg_options o = linreg_of(p);
    if (a->is_point)
        return finf_why(why, FINF_EUSAGE, "--directions is of one answer: give single values");
    size_t n;
    double *k = indices(finf_spectrum_dim(p->H), wants_text(a) ? 40 : ALL_DIRECTIONS, &n);
    finf_direction *rows = k ? malloc(n * sizeof *rows) : NULL;
    double *data = rows ? malloc(5 * n * sizeof *data) : NULL;
    finf_status s = data ? finf_linreg_directions(noise, p->eta, p->H, &o, k, n, rows, why)
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
 * its own. Values that hold for plain SGD only are missing with any other optimizer. */
static void show(doc *d, const args *a, const problem *p, const finf_noise *noise,
                 finf_real eta_max, const finf_linreg_result *r)
{
    char note[160];
    const setting *x = &p->privacy;
    doc_row(d);
    doc_heading(d, "Linear regression, F = (1/2) E(y - <theta,x>)^2");
    show_noise(d, a, noise);
    show_spectrum(d, a, p->H);
    snprintf(note, sizeof note, "step size; stable up to %.6g", eta_max.value);
    doc_number(d, "eta", SHOWN, p->eta, note);
    doc_real(d, "eta_max", DATA_ONLY, eta_max, NULL);
    show_optimizer(d, a, p->optimizer, p->eta, r->lambda_min, r->lambda_max);
    show_setting(d, x, r->gamma2);
    doc_number(d, "kurtosis", p->kurtosis == 0 ? DATA_ONLY : SHOWN, p->kurtosis,
               "excess, of independent inputs");
    doc_real(d, "gamma2", SHOWN, r->gamma2, "gamma_inf^2, sensitivity squared");
    snprintf(note, sizeof note, "lim E[F(theta_t) - F*], exact for %s inputs",
             p->kurtosis == 0 ? "Gaussian" : "such");
    doc_real(d, "F_inf", SHOWN, with_rho(x, r->exact), note);
    doc_real(d, "F_lower", isnan(r->lti.value) ? DATA_ONLY : SHOWN, with_rho(x, r->lti),
             "no inputs of this covariance do better");
    snprintf(note, sizeof note, "for any inputs with R^2 <= %.4g, C_kurt <= %.4g%s%.60s", r->R2,
             r->C_kurt, r->upper_reason.text[0] ? "; " : "", r->upper_reason.text);
    doc_real(d, "F_upper", isnan(r->upper.value) ? DATA_ONLY : SHOWN, with_rho(x, r->upper), note);
    times(note, sizeof note, "least F_inf over all noise", r->exact.value / r->optimum.value);
    doc_real(d, "F_best", SHOWN, with_rho(x, r->optimum), note);
    doc_real(d, "F_lower_best", DATA_ONLY, with_rho(x, r->optimum_lti), NULL);
    times(note, sizeof note, "independent noise", r->exact.value / r->sgd.value);
    if (!isnan(r->sgd.value)) doc_real(d, "F_sgd", SHOWN, with_rho(x, r->sgd), note);
    doc_real(d, "F_floor", isnan(r->floor.value) ? DATA_ONLY : SHOWN, with_rho(x, r->floor),
             p->optimizer ? "no noise, and no inputs of this covariance, do better"
                          : "the paper's lower bound for every noise");
    /* text mentions stability only where it is missing */
    doc_bool(d, "stable", r->stable ? DATA_ONLY : SHOWN, r->stable, NULL);
    if (r->reason.text[0])
        show_reason(d, &r->reason);
    else if (r->upper_reason.text[0]) /* in text it stands beside the number */
        doc_string(d, "reason", DATA_ONLY, r->upper_reason.text, NULL);
}

/* The paper's Table 1 with unit constants: DP-SGD, nu = eta mu, and its lower bound eta^2 Tr H
 * G^2/rho for every noise. Not in text, where they would look like values. (theory 5.4) */
static void show_rates(doc *d, double eta, const finf_spectrum *spectrum, const setting *x)
{
    finf_rates rate;
    if (finf_rates_spectrum(spectrum, eta, &x->set, &rate)) return;
    doc_real(d, "rate_sgd", DATA_ONLY, with_rho(x, rate.sgd), NULL);
    doc_real(d, "rate_nu", DATA_ONLY, with_rho(x, rate.nu), NULL);
    doc_real(d, "rate_floor", DATA_ONLY, with_rho(x, rate.floor), NULL);
}

/* The largest stable eta and the table of directions are beside the point of the answer: where they
 * miss their tolerance, the answer is still shown, with that status. */
static finf_status cmd_linreg(const args *a, doc *d, finf_reason *why)
{
    problem p;
    finf_real eta_max;
    finf_noise *noise = NULL;
    finf_linreg_result r;
    finf_status s = read_problem(a, PROBLEM_LINREG, &p, why);
    if (!s) s = read_noise(a, &p, &noise, why);
    finf_linreg_options o = linreg_of(&p);
    int asked = !s; /* else there is nothing to show, even if reading was only stopped */
    if (asked && (s = finf_linreg(noise, p.eta, p.H, &o, &r))) *why = r.reason;
    if (asked && (!s || s == FINF_ETOL)) {
        finf_reason more = {""};
        finf_status t = eta_max_get(p.H, p.kurtosis, p.optimizer, &eta_max, &more);
        if (t && !s) s = finf_why(why, t, "the largest stable eta: %.200s", more.text);
        show(d, a, &p, noise, eta_max, &r);
        if (!p.optimizer) show_rates(d, p.eta, p.H, &p.privacy);
        /* a direction that diverges by itself has no stationary share */
        if (args_given(a, OPT_DIRECTIONS) &&
            finf_optimizer_stable(p.optimizer, p.eta, r.lambda_max)) {
            t = show_directions(d, a, noise, &p, &more);
            if (t) s = finf_why(why, t, "the table of directions: %.200s", more.text);
        }
    }
    finf_noise_free(noise);
    return s;
}

static const option_use OPTIONS[] = {{.id = OPT_NOISE, .needed = 1},
                                     {.id = OPT_ETA, .needed = 1},
                                     {.id = OPT_SPECTRUM, .needed = 1},
                                     {.id = OPT_DIM},
                                     {.id = OPT_NORMALIZE},
                                     {.id = OPT_KURTOSIS},
                                     {.id = OPT_DIRECTIONS},
                                     OPTIMIZER_OPTIONS,
                                     PRIVACY_OPTIONS,
                                     {.id = OPT_BATCH},
                                     TABLE_OPTIONS,
                                     COMMON_OPTIONS,
                                     {.id = OPT_END}};

const command command_linreg = {
    .name = "linreg",
    .summary = "F_inf for linear regression",
    .about = "lim E[F(theta_t) - F*] for F = (1/2)E(y-<theta,x>)^2, exact for Gaussian inputs, "
             "with bounds for any\n"
             "inputs, the best noise, and the contribution of each direction.",
    .example = "finf linreg --noise nu:paper --eta 0.02 --spectrum power:1 --dim 128 --rho 0.5",
    .options = OPTIONS,
    .columns = "gamma2,F_inf,F_best,F_lower,F_upper",
    .plot = "F_inf",
    .run = cmd_linreg,
};
