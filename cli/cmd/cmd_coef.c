/* finf coef: the first coefficients of a noise, beta or c = 1/beta, or its density |B(w)|^2; to be
 * used elsewhere, or read back by beta@FILE, strategy@FILE and spectrum@FILE. (theory 1) */
#include <stdlib.h>

#include "cmd.h"

/* |B(w)|^2 at n frequencies, equally spaced from 0 to pi with both ends. */
static finf_status show_density(const args *a, const finf_noise *noise, size_t n, double eta,
                                double mu, doc *d, finf_reason *why)
{
    static const char *const NAMES[] = {"w", "density"};
    if (n < 2)
        return finf_why(why, FINF_EDOM, "length = %zu: --density needs at least 2 frequencies", n);
    double *x = malloc(2 * n * sizeof *x);
    if (!x) return finf_why(why, FINF_ENOMEM, "no memory for %zu frequencies", n);
    for (size_t i = 0; i < n; i++) {
        x[2 * i] = FINF_PI * (double)i / (double)(n - 1);
        x[2 * i + 1] = finf_noise_density(noise, x[2 * i]);
    }
    doc_row(d);
    doc_note(d, "# w and |B(w)|^2 of %.80s", args_text(a, OPT_NOISE));
    show_noise_key(d, a, eta, mu);
    doc_table(d, "density", 2, NAMES, x, n);
    free(x);
    return FINF_OK;
}

/* After FINF_ETOL, where the coefficients of a spectrum did not settle, they are printed all the
 * same: as good as they are, with that exit status. */
static finf_status cmd_coef(const args *a, doc *d, finf_reason *why)
{
    double eta, mu, n = NAN;
    finf_noise *noise = NULL;
    double *x = NULL;
    int strategy = args_given(a, OPT_STRATEGY);
    finf_privacy_setting set;
    finf_status s = read_eta_mu(a, &eta, &mu, why);
    if (!s) s = read_setting(a, &set, why);
    if (!s) s = args_whole(a, OPT_LENGTH, 1, 1e8, &n, why);
    if (!s) s = read_noise(a, eta, mu, &noise, why);
    if (!s && strategy && args_given(a, OPT_DENSITY))
        s = finf_why(why, FINF_EUSAGE, "--strategy and --density: one of them");
    if (!s && args_given(a, OPT_DENSITY)) {
        s = show_density(a, noise, (size_t)n, eta, mu, d, why);
        finf_noise_free(noise);
        return s;
    }
    if (!s && !(x = malloc((size_t)n * sizeof *x)))
        s = finf_why(why, FINF_ENOMEM, "no memory for %.0f coefficients", n);
    if (!s) s = (strategy ? finf_noise_coef : finf_noise_beta)(noise, (size_t)n, x, why);
    if (!s || s == FINF_ETOL) {
        doc_row(d);
        /* a comment to whoever reads the numbers back, as it begins with # */
        doc_note(d, "# %s of %.80s, t = 0..%.0f",
                 strategy ? "strategy coefficients c_t = (1/beta)_t"
                          : "noising coefficients beta_t",
                 args_text(a, OPT_NOISE), n - 1);
        show_noise_key(d, a, eta, mu);
        doc_array(d, strategy ? "strategy_coef" : "noising_coef", x, (size_t)n);
    }
    free(x);
    finf_noise_free(noise);
    return s;
}

/* The privacy setting is taken, so that one set of options serves all commands, and has no
 * effect. */
static const option_use OPTIONS[] = {{.id = OPT_NOISE, .needed = 1},
                                     OPTIONS_FOR_AUTO,
                                     {.id = OPT_LENGTH, .needed = 1},
                                     {.id = OPT_STRATEGY},
                                     {.id = OPT_DENSITY},
                                     PRIVACY_OPTIONS_WITHOUT_EFFECT,
                                     COMMON_OPTIONS,
                                     {.id = OPT_PRECISION},
                                     {.id = OPT_END}};

static const option_rule RULES[] = {RULES_FOR_AUTO, {.option = OPT_END}};

const command command_coef = {
    .name = "coef",
    .summary = "coefficients beta (or c = 1/beta), ready to use",
    .about = "The first n noising coefficients, one number a line; what beta@FILE and "
             "strategy@FILE read.",
    .example = "finf coef --noise nu:0.1 --length 5",
    .options = OPTIONS,
    .rules = RULES,
    .run = cmd_coef,
};
