/* finf tune: the nu of (1 - (1-nu) z)^{1/2} with the least bound (--kappa; theory 7.9), or the
 * least exact F_inf (--spectrum; theory 5, or neither: mean estimation; theory 4). */
#include "iqc_options.h"
#include "sweep.h"

/* For eta <= 1 the best nu is eta and no other noise does better; beyond, the optimum over all
 * noise is not of this family. (theory 4) */
static finf_status tune_mean(const args *a, double eta, doc *d, finf_reason *why)
{
    finf_privacy_setting set;
    finf_mean_result r;
    double nu;
    finf_status s = read_setting(a, &set, why);
    if (!s && (s = finf_tune_mean(eta, &(finf_mean_options){set, NULL}, &nu, &r))) *why = r.reason;
    if (s) return s;
    doc_row(d);
    doc_heading(d, "The best nu for mean estimation");
    doc_number(d, "eta", "eta", eta, "step size");
    doc_number(d, "nu", "nu", nu, "optimal among all noise for eta <= 1");
    doc_real(d, "gamma2", "gamma2_error", "gamma_inf^2", r.gamma2, "sensitivity squared");
    doc_real(d, "F", "F_error", "F_inf", r.F, "exact");
    doc_real(d, "F_sgd", "F_sgd_error", "DP-SGD", r.F_sgd, "independent noise");
    doc_real(d, "F_optimal", "F_optimal_error", "best noise", r.F_optimal, "least over all noise");
    show_reason(d, &r.reason);
    return FINF_OK;
}

/* The best nu, beside nu = eta mu, which the paper's rate is for, and the least over all noise. */
static finf_status tune_linreg(const args *a, double eta, doc *d, finf_reason *why)
{
    finf_linreg_options o = finf_linreg_options_default();
    finf_linreg_result r, automatic;
    finf_spectrum *H = NULL;
    finf_noise *noise = NULL;
    double nu, dim = NAN;
    finf_status s = read_setting(a, &o.privacy, why);
    if (!s) s = args_number(a, OPT_KURTOSIS, &o.kurtosis, why);
    if (!s) s = args_whole(a, OPT_DIM, 1, FINF_DIM_MAX, &dim, why);
    if (!s) s = spec_spectrum(args_text(a, OPT_SPECTRUM), dim, &H, why);
    if (!s && args_given(a, OPT_NORMALIZE)) s = finf_spectrum_normalize(H);
    if (!s && (s = finf_tune_linreg(eta, H, &o, &nu, &r))) *why = r.reason;
    /* the paper's choice, to be compared with */
    if (!s) s = finf_noise_nu(finf_nu_of_paper(eta, finf_spectrum_min(H)), &noise, why);
    if (!s && (s = finf_linreg(noise, eta, H, &o, &automatic))) *why = automatic.reason;
    if (!s) {
        doc_row(d);
        doc_heading(d, "The best nu for linear regression");
        doc_string(d, "spectrum", "spectrum of H", args_text(a, OPT_SPECTRUM), NULL);
        doc_number(d, "d", "d", r.d, "dimension");
        doc_number(d, "eta", "eta", eta, "step size");
        doc_number(d, "nu", "nu", nu, "the least F_inf of its family");
        doc_real(d, "gamma2", "gamma2_error", "gamma_inf^2", r.gamma2, "sensitivity squared");
        doc_real(d, "F_exact", "F_error", "F_inf", r.exact, "exact for such inputs");
        doc_real(d, "F_auto", "F_auto_error", "nu = eta mu", automatic.exact, "the paper's choice");
        doc_real(d, "F_optimum", "F_optimum_error", "best noise", r.optimum,
                 "least over all noise");
        doc_bool(d, "stable", r.stable ? NULL : "stable", r.stable, NULL);
        if (isinf(r.exact.value)) show_reason(d, &r.reason);
    }
    finf_noise_free(noise);
    finf_spectrum_free(H);
    return s;
}

/* The bound as the only task of a sweep, for its Ctrl-C. */
typedef struct {
    sweep_row end;
    double eta, kappa, nu; /* nu: the one found */
    finf_iqc_options o;
    finf_iqc_result r;
} iqc_job;

/* Stopped before its end it has the best nu so far, with its bound: that is shown, and
 * FINF_ETOL. */
static void solve_iqc(size_t unused, void *ctx)
{
    (void)unused;
    iqc_job *j = ctx;
    j->end.status = finf_tune_iqc(j->eta, j->kappa, &j->o, &j->nu, &j->r);
    j->end.why = j->r.reason;
    j->end.done = 1;
    j->end.cut = j->end.status && sweep_interrupted(NULL);
    if (j->end.cut) finf_why(&j->end.why, FINF_ETOL, "the best nu so far");
}

/* The answer is that of iqc at the best nu, with `gap`: how far any other noise could still be
 * better. */
static finf_status tune_iqc(const args *a, double eta, doc *d, finf_reason *why)
{
    iqc_job j = {.eta = eta, .kappa = NAN, .nu = NAN};
    finf_status s = read_iqc(a, &j.o, why);
    if (!s) s = args_number(a, OPT_KAPPA, &j.kappa, why);
    if (!s) s = check_iqc_sizes(a, &j.o, eta, j.kappa, why);
    if (s) return s;
    j.o.cancel.poll = sweep_interrupted;
    int interrupted = sweep_run(1, solve_iqc, &j, 1);
    s = sweep_outcome(&j, 1, sizeof j, interrupted, why);
    if (s && s != FINF_ETOL) return s;
    doc_row(d);
    doc_heading(d, "The best nu for strongly convex, smooth F");
    doc_number(d, "nu", "nu", j.nu,
               j.end.cut ? "the best so far" : "the least bound of its family");
    doc_real(d, "minimax_lower", "minimax_lower_error", "minimax", j.r.minimax_lower,
             iqc_minimax_note(&j.o));
    doc_number(d, "gap", "gap", j.r.bound.value / j.r.minimax_lower.value, "bound / minimax");
    show_iqc(d, a, &j.o, eta, j.kappa, &j.r, 0);
    return s;
}

/* The problem is the one whose option is given; with neither --kappa nor --spectrum it is mean
 * estimation, which has no parameter. */
static finf_status cmd_tune(const args *a, doc *d, finf_reason *why)
{
    double eta;
    finf_status s = read_eta(a, &eta, why);
    if (s) return s;
    if (args_given(a, OPT_KAPPA) && args_given(a, OPT_SPECTRUM))
        return finf_why(why, FINF_EUSAGE,
                        "--kappa asks for iqc, --spectrum for linear regression: give one of them");
    return (args_given(a, OPT_KAPPA)      ? tune_iqc
            : args_given(a, OPT_SPECTRUM) ? tune_linreg
                                          : tune_mean)(a, eta, d, why);
}

static const option_use OPTIONS[] = {
    {.id = OPT_ETA, .needed = 1},
    {.id = OPT_SPECTRUM, .help = "eigenvalues of H (see SPECTRUM), for linear regression"},
    {.id = OPT_DIM,
     .help = "dimension of the spectrum (not for list and file); with --kappa of theta, 1 unless"
             " given"},
    {.id = OPT_NORMALIZE},
    {.id = OPT_KURTOSIS},
    {.id = OPT_KAPPA, .help = "condition number L/mu, for the bound of iqc"},
    CONVEX_OPTIONS,
    PRIVACY_OPTIONS,
    COMMON_OPTIONS,
    {.id = OPT_PRECISION},
    {.id = OPT_END}};

/* Each option belongs to one of the three problems, known by the option that asks for it. */
static const option_rule RULES[] = {{.option = OPT_DIM, .needs = {OPT_SPECTRUM, OPT_KAPPA}},
                                    {.option = OPT_NORMALIZE, .needs = {OPT_SPECTRUM}},
                                    {.option = OPT_KURTOSIS, .needs = {OPT_SPECTRUM}},
                                    {.option = OPT_SMOOTH, .needs = {OPT_KAPPA}},
                                    {.option = OPT_BOUND, .needs = {OPT_KAPPA}},
                                    {.option = OPT_CLASS, .needs = {OPT_KAPPA}},
                                    {.option = OPT_CONSTANTS, .needs = {OPT_KAPPA}},
                                    {.option = OPT_SOLVER, .needs = {OPT_KAPPA}},
                                    {.option = OPT_GRID, .needs = {OPT_KAPPA}},
                                    {.option = OPT_MULTIPLIER, .needs = {OPT_KAPPA}},
                                    {.option = OPT_CERTIFY, .needs = {OPT_KAPPA}},
                                    {.option = OPT_FORCE, .needs = {OPT_KAPPA}},
                                    CONVEX_RULES,
                                    {.option = OPT_END}};

/* Mean estimation is in one dimension. */
static const option_truth TRUTHS[] = {{OPT_DIM, "1"}, {OPT_END, NULL}};

const command command_tune = {
    .name = "tune",
    .summary = "the best nu: for iqc (--kappa), linear regression (--spectrum) or mean estimation",
    .about = "Which nu? The one with the least bound (iqc) or the least exact F_inf (linreg, "
             "mean).",
    .example = "finf tune --eta 0.1 --kappa 100",
    .options = OPTIONS,
    .rules = RULES,
    .truths = TRUTHS,
    .run = cmd_tune,
};
