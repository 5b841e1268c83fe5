/* finf tune: the nu of (1 - (1-nu) z)^{1/2} with the least bound (--kappa; theory 7.9), or the
 * least exact F_inf (--spectrum; theory 5, or neither: mean estimation; theory 4). */
#include "cmd.h"
#include "iqc_options.h"
#include "sweep.h"

/* For eta <= 1 and plain SGD the best nu is eta and no other noise does better; beyond, the optimum
 * over all noise is not of this family. (theory 4) */
static finf_status tune_mean(const args *a, const problem *p, doc *d, finf_reason *why)
{
    finf_mean_options o = mean_of(p);
    finf_mean_result r;
    double nu;
    finf_status s = finf_tune_mean(p->eta, &o, &nu, &r);
    if (s) {
        *why = r.reason;
        return s;
    }
    doc_row(d);
    doc_heading(d, "The best nu for mean estimation");
    doc_number(d, "eta", SHOWN, p->eta, "step size");
    show_optimizer(d, a, p->optimizer, p->eta, 1, 1);
    doc_number(d, "nu", SHOWN, nu,
               p->optimizer ? "the least F_inf of its family"
                            : "optimal among all noise for eta <= 1");
    show_setting(d, &p->privacy, r.gamma2.value);
    doc_real(d, "gamma2", SHOWN, r.gamma2, "gamma_inf^2, sensitivity squared");
    doc_real(d, "F_inf", SHOWN, r.F, "exact");
    doc_real(d, "F_sgd", SHOWN, r.F_sgd, "independent noise");
    doc_real(d, "F_best", SHOWN, r.F_optimal, "least over all noise");
    show_reason(d, &r.reason);
    return FINF_OK;
}

/* The best nu, beside nu = eta mu, which the paper's rate is for, and the least over all noise. */
static finf_status tune_linreg(const args *a, const problem *p, doc *d, finf_reason *why)
{
    finf_linreg_options o = linreg_of(p);
    finf_linreg_result r, paper;
    finf_noise *noise = NULL;
    double nu;
    finf_status s = finf_tune_linreg(p->eta, p->H, &o, &nu, &r);
    if (s) *why = r.reason;
    /* the paper's choice, to be compared with */
    if (!s) s = finf_noise_nu(finf_nu_of_paper(p->eta, p->mu), &noise, why);
    if (!s && (s = finf_linreg(noise, p->eta, p->H, &o, &paper))) *why = paper.reason;
    finf_noise_free(noise);
    if (s) return s;
    doc_row(d);
    doc_heading(d, "The best nu for linear regression");
    show_spectrum(d, a, p->H);
    doc_number(d, "eta", SHOWN, p->eta, "step size");
    show_optimizer(d, a, p->optimizer, p->eta, r.lambda_min, r.lambda_max);
    doc_number(d, "nu", SHOWN, nu, "the least F_inf of its family");
    show_setting(d, &p->privacy, r.gamma2.value);
    doc_real(d, "gamma2", SHOWN, r.gamma2, "gamma_inf^2, sensitivity squared");
    doc_real(d, "F_inf", SHOWN, r.exact, "exact for such inputs");
    doc_real(d, "F_paper", SHOWN, paper.exact, "of nu:paper = eta mu");
    doc_real(d, "F_best", SHOWN, r.optimum, "least over all noise");
    doc_bool(d, "stable", r.stable ? DATA_ONLY : SHOWN, r.stable, NULL);
    if (isinf(r.exact.value)) show_reason(d, &r.reason);
    return FINF_OK;
}

/* The answer is that of iqc at the best nu, with `gap`: how far any other noise could still be
 * better. Stopped before its end it has the best nu so far, with its bound: that is shown, and
 * FINF_ETOL. */
static finf_status tune_convex(const args *a, const problem *p, doc *d, finf_reason *why)
{
    finf_iqc_result r;
    double nu = NAN;
    finf_status s = finf_tune_iqc(p->eta, p->kappa, &p->iqc, &nu, &r);
    int stopped = s && sweep_interrupted(NULL);
    if (s) *why = r.reason;
    if (stopped && !isnan(nu)) finf_why(why, s, "the best nu so far");
    if (s && (s != FINF_ETOL || isnan(nu))) return s;
    doc_row(d);
    doc_heading(d, "The best nu for strongly convex, smooth F");
    doc_number(d, "nu", SHOWN, nu, stopped ? "the best so far" : "the least bound of its family");
    show_iqc(d, a, p, &r, 1);
    show_iqc_reason(d, p, &r);
    return s;
}

/* The problem is the one whose option is given; with neither --kappa nor --spectrum it is mean
 * estimation, which has no parameter. */
static finf_status cmd_tune(const args *a, doc *d, finf_reason *why)
{
    problem p;
    finf_status s = read_problem(a, problem_asked(a), &p, why);
    if (s) return s;
    return (p.kind == PROBLEM_CONVEX   ? tune_convex
            : p.kind == PROBLEM_LINREG ? tune_linreg
                                       : tune_mean)(a, &p, d, why);
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
    OPTIMIZER_OPTIONS,
    PRIVACY_OPTIONS,
    TABLE_OPTIONS,
    COMMON_OPTIONS,
    {.id = OPT_END}};

/* Each option belongs to one of the three problems, known by the option that asks for it. */
static const option_rule RULES[] = {PROBLEM_RULES, CONVEX_RULES, {.option = OPT_END}};

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
    .columns = "nu,gamma2,F_inf,F_paper,F_best,F_sgd,bound,minimax,gap",
    .plot = "nu",
    .stoppable = 1,
    .run = cmd_tune,
};
