/* finf coef: the first coefficients of a noise, beta or c = 1/beta, or its density |B(w)|^2; to be
 * used elsewhere, or read back by beta@FILE, strategy@FILE and spectrum@FILE. (theory 1) */
#include <stdlib.h>

#include "cmd.h"

/* Beside the coefficients, where a privacy target was given: the standard deviation of the normals
 * that they are applied to. */
static finf_status show_sigma(const args *a, const finf_noise *noise, doc *d, finf_reason *why)
{
    setting x;
    finf_sensitivity gamma;
    finf_status s = read_setting(a, &x, why);
    if (s || !setting_given(a)) return s;
    if ((s = finf_noise_sensitivity(noise, &gamma))) {
        *why = gamma.reason;
        return s;
    }
    finf_real sigma = with_rho(&x, finf_noise_multipliers(&x.set, gamma.gamma2).sigma);
    doc_note(d, "# sigma = %s: of the normals, for rho = %s and the clip norm %s",
             finf_show(sigma.value).s, finf_show(x.set.rho).s, finf_show(x.set.clip).s);
    doc_real(d, "gamma2", DATA_ONLY, gamma.gamma2, NULL);
    doc_real(d, "rho", DATA_ONLY, x.rho, NULL);
    show_target(d, &x);
    doc_number(d, "clip", DATA_ONLY, x.set.clip, NULL);
    doc_real(d, "sigma", DATA_ONLY, sigma, NULL);
    if (!isnan(x.batch)) {
        finf_real mean = finf_real_over(sigma, finf_real_exact(x.batch));
        doc_note(d, "# sigma_mean = %s: where it is added to the mean over a batch of %s",
                 finf_show(mean.value).s, finf_show(x.batch).s);
        doc_number(d, "batch", DATA_ONLY, x.batch, NULL);
        doc_real(d, "sigma_mean", DATA_ONLY, mean, NULL);
    }
    show_row_reason(d, a, gamma.reason.text);
    return FINF_OK;
}

/* |B(w)|^2 at n frequencies, equally spaced from 0 to pi with both ends. */
static finf_status show_density(const args *a, const finf_noise *noise, size_t n, doc *d,
                                finf_reason *why)
{
    static const char *const NAMES[] = {"w", "density"};
    if (n < 2)
        return finf_why(why, FINF_EDOM, "length = %zu: --density needs at least 2 frequencies", n);
    if (a->is_point)
        return finf_why(why, FINF_EUSAGE, "--density is a table of one noise: give one");
    double *x = malloc(2 * n * sizeof *x);
    if (!x) return finf_why(why, FINF_ENOMEM, "no memory for %zu frequencies", n);
    for (size_t i = 0; i < n; i++) {
        x[2 * i] = FINF_PI * (double)i / (double)(n - 1);
        x[2 * i + 1] = finf_noise_density(noise, x[2 * i]);
    }
    doc_row(d);
    doc_note(d, "# w and |B(w)|^2 of %.80s", args_text(a, OPT_NOISE));
    show_noise_key(d, a, noise);
    finf_status s = show_sigma(a, noise, d, why);
    doc_table(d, "density", 2, NAMES, x, n);
    doc_figure(d, "w", 0, "density", "");
    free(x);
    return s;
}

/* After FINF_ETOL, where the coefficients of a spectrum did not settle, they are printed all the
 * same: as good as they are, with that exit status. */
static finf_status show_coefficients(const args *a, const finf_noise *noise, size_t n, doc *d,
                                     finf_reason *why)
{
    int strategy = args_given(a, OPT_STRATEGY);
    double *x = malloc(n * sizeof *x);
    if (!x) return finf_why(why, FINF_ENOMEM, "no memory for %zu coefficients", n);
    double error = INFINITY;
    finf_status s = (strategy ? finf_noise_coef_error : finf_noise_beta_error)(noise, n, x, &error,
                                                                               why);
    if (!s || s == FINF_ETOL) {
        doc_row(d);
        /* a comment to whoever reads the numbers back, as it begins with # */
        doc_note(d, "# %s of %.80s, t = 0..%zu, each +- %.1e",
                 strategy ? "strategy coefficients c_t = (1/beta)_t"
                          : "noising coefficients beta_t",
                 args_text(a, OPT_NOISE), n - 1, error);
        show_noise_key(d, a, noise);
        finf_status t = show_sigma(a, noise, d, why);
        if (t) s = t;
        doc_array(d, strategy ? "strategy_coef" : "noising_coef", x, n, error);
        if (!s && isinf(error) && !wants_csv(a) && !setting_given(a))
            doc_string(d, "reason", DATA_ONLY, "they grow so far that their error has no bound",
                       NULL);
    }
    free(x);
    return s;
}

static finf_status cmd_coef(const args *a, doc *d, finf_reason *why)
{
    double n = NAN;
    finf_noise *noise = NULL;
    finf_status s = args_whole(a, OPT_LENGTH, 1, 1e8, &n, why);
    if (!s && args_given(a, OPT_STRATEGY) && args_given(a, OPT_DENSITY))
        s = finf_why(why, FINF_EUSAGE, "--strategy and --density: one of them");
    if (!s) s = read_noise_alone(a, &noise, why);
    if (!s)
        s = (args_given(a, OPT_DENSITY) ? show_density : show_coefficients)(a, noise, (size_t)n, d,
                                                                            why);
    finf_noise_free(noise);
    return s;
}

static const option_use OPTIONS[] = {
    {.id = OPT_NOISE, .needed = 1},
    OPTIONS_FOR_BEST,
    {.id = OPT_LENGTH, .needed = 1},
    {.id = OPT_STRATEGY},
    {.id = OPT_DENSITY},
    PRIVACY_OPTIONS,
    {.id = OPT_BATCH},
    {.id = OPT_PLOT, .help = "also draw them against t, one curve a noise"},
    {.id = OPT_THREADS},
    {.id = OPT_PROGRESS},
    COMMON_OPTIONS,
    {.id = OPT_END}};

const command command_coef = {
    .name = "coef",
    .summary = "coefficients beta (or c = 1/beta), ready to use",
    .about =
        "The first n noising coefficients, one number a line; what beta@FILE and strategy@FILE\n"
        "read. --output FILE.npy writes them for NumPy.",
    .example = "finf coef --noise nu:0.1 --length 5",
    .options = OPTIONS,
    .run = cmd_coef,
};
