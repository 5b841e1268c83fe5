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
    finf_real nu;
    finf_status s = finf_tune_mean(p->eta, &o, &nu, &r);
    if (s) {
        *why = r.reason;
        return s;
    }
    doc_row(d);
    doc_heading(d, "The best nu for mean estimation");
    doc_number(d, "eta", SHOWN, p->eta, "step size");
    show_optimizer(d, a, p->optimizer, p->eta, 1, 1);
    doc_real(d, "nu", SHOWN, nu,
             p->optimizer ? "the least F_inf of its family"
                          : "optimal among all noise for eta <= 1");
    show_setting(d, &p->privacy, r.gamma2);
    doc_real(d, "gamma2", SHOWN, r.gamma2, "gamma_inf^2, sensitivity squared");
    doc_real(d, "F_inf", SHOWN, with_rho(&p->privacy, r.F), "exact");
    doc_real(d, "F_sgd", SHOWN, with_rho(&p->privacy, r.F_sgd), "independent noise");
    doc_real(d, "F_best", SHOWN, with_rho(&p->privacy, r.F_optimal), "least over all noise");
    show_reason(d, &r.reason);
    return FINF_OK;
}

/* The best nu, beside nu = eta mu, which the paper's rate is for, and the least over all noise. */
static finf_status tune_linreg(const args *a, const problem *p, doc *d, finf_reason *why)
{
    finf_linreg_options o = linreg_of(p);
    finf_linreg_result r, paper;
    finf_noise *noise = NULL;
    finf_real nu;
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
    doc_real(d, "nu", SHOWN, nu, "the least F_inf of its family");
    show_setting(d, &p->privacy, r.gamma2);
    doc_real(d, "gamma2", SHOWN, r.gamma2, "gamma_inf^2, sensitivity squared");
    doc_real(d, "F_inf", SHOWN, with_rho(&p->privacy, r.exact), "exact for such inputs");
    doc_real(d, "F_paper", SHOWN, with_rho(&p->privacy, paper.exact), "of nu:paper = eta mu");
    if (!isnan(r.sgd.value))
        doc_real(d, "F_sgd", SHOWN, with_rho(&p->privacy, r.sgd), "independent noise");
    doc_real(d, "F_best", SHOWN, with_rho(&p->privacy, r.optimum), "least over all noise");
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
    finf_real nu;
    finf_status s = finf_tune_iqc(p->eta, p->kappa, &p->iqc, &nu, &r);
    int stopped = s && sweep_interrupted(NULL);
    if (s) *why = r.reason;
    if (stopped && !isnan(nu.value)) finf_why(why, s, "the best nu so far");
    if (s && (s != FINF_ETOL || isnan(nu.value))) return s;
    doc_row(d);
    doc_heading(d, "The best nu for strongly convex, smooth F");
    doc_real(d, "nu", SHOWN, nu, stopped ? "the best so far" : "the least bound of its family");
    show_iqc(d, a, p, &r, 1);
    show_iqc_reason(d, p, &r);
    return s;
}

/* ---- at a given speed ------------------------------------------------------------------------ */

/* A contraction R = 2^(-1/n) by either option. */
static finf_status read_speed(const args *a, finf_real *R, finf_real *half_life, finf_reason *why)
{
    double r = NAN, n = NAN;
    finf_status s = args_number(a, OPT_CONTRACTION, &r, why);
    if (!s) s = args_number(a, OPT_HALF_LIFE, &n, why);
    if (s) return s;
    if (!isnan(r) && !isnan(n))
        return finf_why(why, FINF_EUSAGE, "--contraction, --half-life or --frontier: one of them");
    if (isnan(r) && !(n > 0 && n <= 1e12))
        return finf_why(why, FINF_EDOM, "half-life = %s: must be positive, at most 1e12",
                        finf_show(n).s);
    if (!isnan(r) && !(r > 0 && r < 1))
        return finf_why(why, FINF_EDOM, "contraction = %s: must be in (0, 1)", finf_show(r).s);
    /* the exponent is off by a unit of 1/n, which is less than one of the power */
    *R = isnan(r) ? finf_real_rounded(exp2(-1 / n), 2) : finf_real_exact(r);
    *half_life = isnan(r) ? finf_real_exact(n) : finf_real_rounded(-1 / log2(r), 3);
    return FINF_OK;
}

/* Which families and noises: those asked for, or all but the best nu. */
static finf_status read_which(const args *a, int families[3], int noises[3], finf_reason *why)
{
    static const char *const NOISES[] = {"sgd", "nu:best", "best"};
    const char *family = a->value[OPT_OPTIMIZER], *noise = a->value[OPT_NOISE];
    int known = !family, heard = !noise;
    for (int i = 0; i < 3; i++) {
        const char *name = finf_speed_family_name((finf_speed_family)i);
        families[i] = !family || strcmp(family, name) == 0;
        noises[i] = noise ? strcmp(noise, NOISES[i]) == 0 : i != 1;
        known |= families[i];
        heard |= noises[i];
    }
    if (!known)
        return finf_why(why, FINF_EUSAGE,
                        "--optimizer '%.60s': at a given speed sgd, heavy-ball or nesterov, whose "
                        "momentum is sought",
                        family);
    if (!heard)
        return finf_why(why, FINF_EUSAGE, "--noise '%.60s': at a given speed sgd, nu:best or best",
                        noise);
    return FINF_OK;
}

static finf_status at_speed(const problem *p, finf_speed_family family, finf_speed_noise noise,
                            double R, finf_speed_result *r)
{
    finf_linreg_options linreg = linreg_of(p);
    finf_mean_options mean = mean_of(p);
    switch (p->kind) {
    case PROBLEM_CONVEX: return finf_tune_speed_iqc(family, noise, R, p->kappa, &p->iqc, r);
    case PROBLEM_LINREG: return finf_tune_speed_linreg(family, noise, R, p->H, &linreg, r);
    default: return finf_tune_speed_mean(family, noise, R, &mean, r);
    }
}

/* A record: the optimizer and noise can be pasted into the other commands, beside its eta. */
static void show_speed(doc *d, const args *a, const problem *p, finf_real R, finf_real half_life,
                       finf_speed_family family, finf_speed_noise noise, const finf_speed_result *r)
{
    char optimizer[96] = "", spelled[64];
    if (isfinite(r->F.value)) finf_optimizer_spell(r->optimizer, optimizer, sizeof optimizer);
    int nu = noise == FINF_SPEED_NU;
    snprintf(spelled, sizeof spelled, nu && !isnan(r->nu.value) ? "nu:%s" : "%s",
             nu && !isnan(r->nu.value)  ? finf_show(r->nu.value).s
             : nu                       ? "nu:best"
             : noise == FINF_SPEED_BEST ? "best"
                                        : "sgd");
    doc_row(d);
    if (p->kind == PROBLEM_LINREG) show_spectrum(d, a, p->H);
    if (p->kind == PROBLEM_CONVEX) doc_number(d, "kappa", SHOWN, p->kappa, "condition number L/mu");
    doc_real(d, "contraction", SHOWN, R, "of the slowest direction, a step");
    doc_real(d, "half_life", SHOWN, half_life, "steps");
    doc_string(d, "rule", SHOWN, finf_speed_family_name(family), NULL);
    doc_string(d, "optimizer", SHOWN, isfinite(r->F.value) ? optimizer : NULL,
               "with the best momentum");
    doc_string(d, "noise", SHOWN, spelled, NULL);
    doc_string(d, "noise_given", DATA_ONLY, noise == FINF_SPEED_NU ? "nu:best" : spelled, NULL);
    doc_real(d, "eta", SHOWN, r->eta, "step size");
    doc_real(d, "momentum", SHOWN, r->momentum, NULL);
    doc_real(d, "eta_eff", SHOWN, r->eta_eff, "effective step");
    show_setting(d, &p->privacy, finf_real_failed());
    doc_real(d, p->kind == PROBLEM_CONVEX ? "bound" : "F_inf", SHOWN, with_rho(&p->privacy, r->F),
             p->kind == PROBLEM_CONVEX ? iqc_class_note(&p->iqc) : "the least at that speed");
    if (p->kind == PROBLEM_CONVEX) show_bound_of(d, &p->iqc);
    if (p->kind == PROBLEM_CONVEX && p->iqc.certify) {
        doc_bool(d, "certified", SHOWN, r->certified, "proved in ball arithmetic");
        doc_number(d, "certified_upper", SHOWN, r->certified_upper, "the bound that is proved");
    }
    show_reason(d, &r->reason);
}

/* What a practitioner asks: training must be so fast; which momentum, step and noise? */
static finf_status tune_speed(const args *a, doc *d, finf_reason *why)
{
    args without = *a; /* the rule's momentum is the answer, so that no optimizer is read */
    problem p;
    finf_real R, half_life;
    int families[3], noises[3];
    without.value[OPT_OPTIMIZER] = NULL;
    if (args_given(a, OPT_ETA))
        return finf_why(why, FINF_EUSAGE,
                        "--eta has no effect at a given speed: the step is what is sought");
    finf_status s = read_speed(a, &R, &half_life, why);
    problem_kind kind = problem_asked(a);
    if (!s) s = read_problem(&without, kind == PROBLEM_NONE ? PROBLEM_MEAN : kind, &p, why);
    if (!s) s = read_which(a, families, noises, why);
    if (s) return s;
    doc_heading(d, "The best step, momentum and noise at a given speed");
    finf_status worst = FINF_OK;
    for (int f = 0; f < 3 && !s; f++)
        for (int n = 0; n < 3 && !s; n++) {
            finf_speed_result r;
            if (!families[f] || !noises[n]) continue;
            s = at_speed(&p, (finf_speed_family)f, (finf_speed_noise)n, R.value, &r);
            if (s) *why = r.reason;
            if (s == FINF_ETOL && isfinite(r.F.value)) { /* found, and not proved */
                worst = s;
                s = FINF_OK;
            }
            if (!s)
                show_speed(d, a, &p, R, half_life, (finf_speed_family)f, (finf_speed_noise)n, &r);
            finf_speed_result_free(&r);
        }
    doc_columns(d, "rule,optimizer,noise,eta,eta_eff,F_inf,bound,certified_upper");
    return s ? s : worst;
}

/* The problem is the one whose option is given; with neither --kappa nor --spectrum it is mean
 * estimation, which has no parameter. */
static finf_status cmd_tune(const args *a, doc *d, finf_reason *why)
{
    problem p;
    if (args_given(a, OPT_CONTRACTION) || args_given(a, OPT_HALF_LIFE))
        return tune_speed(a, d, why);
    if (!args_given(a, OPT_ETA))
        return finf_why(why, FINF_EUSAGE,
                        "tune needs --eta, or a speed: --contraction, --half-life or --frontier");
    finf_status s = read_problem(a, problem_asked(a), &p, why);
    if (s) return s;
    return (p.kind == PROBLEM_CONVEX   ? tune_convex
            : p.kind == PROBLEM_LINREG ? tune_linreg
                                       : tune_mean)(a, &p, d, why);
}

static const option_use OPTIONS[] = {
    {.id = OPT_NOISE, .help = "at a given speed: sgd, nu:best or best; may be repeated"},
    {.id = OPT_ETA, .help = "step size, whose best nu is sought"},
    {.id = OPT_CONTRACTION},
    {.id = OPT_HALF_LIFE},
    {.id = OPT_FRONTIER},
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
    {.id = OPT_BATCH},
    TABLE_OPTIONS,
    COMMON_OPTIONS,
    {.id = OPT_END}};

/* Each option belongs to one of the three problems, known by the option that asks for it. */
static const option_rule RULES[] = {
    PROBLEM_RULES,
    CONVEX_RULES,
    {.option = OPT_BATCH, .needs = {OPT_ETA}},
    {.option = OPT_NOISE, .needs = {OPT_CONTRACTION, OPT_HALF_LIFE}},
    {.option = OPT_END}};

/* Mean estimation is in one dimension. */
static const option_truth TRUTHS[] = {{OPT_DIM, "1"}, {OPT_END, NULL}};

const command command_tune = {
    .name = "tune",
    .summary = "the best nu; or the best step, momentum and noise at a given speed",
    .about =
        "Which nu? The one with the least bound (--kappa) or the least exact F_inf (--spectrum: "
        "linear regression; neither: mean estimation). With --contraction, --half-life or "
        "--frontier: which momentum and step, for sgd, heavy ball and Nesterov, with "
        "independent and the best noise.",
    .example = "finf tune --eta 0.1 --kappa 100",
    .options = OPTIONS,
    .rules = RULES,
    .truths = TRUTHS,
    .columns =
        "rule,optimizer,noise,eta,eta_eff,nu,gamma2,F_inf,F_paper,F_best,F_sgd,bound,minimax,gap",
    .plot = "bound|F_inf",
    .plot_by = "rule,noise_given",
    .stoppable = 1,
    .run = cmd_tune,
};
