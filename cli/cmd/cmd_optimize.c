/* finf optimize: the best noise. For linear regression and mean estimation it is the optimum over
 * all noise (theory 4, 5.3, 11.3); for every strongly convex, smooth F the noise with the least
 * bound that descents from several starts find, beside independent noise, the best nu, and the
 * lower bound over all noise. (theory 7.7, 7.9, 7.14) */
#include <stdlib.h>

#include "cmd.h"
#include "iqc_options.h"
#include "sweep.h"

/* ---- --save: a file with a part [beta] and a part [spectrum] --------------------------------- */

/* The most coefficients that are saved. A noise that forgets so slowly is better read from its
 * spectrum, which is always whole. */
#define BETA_MAX ((size_t)1 << 20)
#define SPELLED 16384 /* a noise's formula */

/* beta until it has died out: until the second half of what was computed is below 1e-10 of beta_0.
 * The number of coefficients doubles up to BETA_MAX; *cut: they have not died out by then, and the
 * file's beta is a noise other than the optimised one. *beta is owned by the caller, also after a
 * failure. */
static finf_status all_beta(const finf_noise *noise, double **beta, size_t *n, int *cut,
                            finf_reason *why)
{
    for (*n = 1024;; *n *= 2) {
        double tail = 0;
        *beta = malloc(*n * sizeof **beta);
        finf_status s = *beta ? finf_noise_beta(noise, *n, *beta, why)
                              : finf_why(why, FINF_ENOMEM, "no memory");
        for (size_t t = *n / 2; t < *n && !s; t++) tail = fmax(tail, fabs((*beta)[t]));
        *cut = !s && tail > 1e-10 * fabs((*beta)[0]);
        if (!*cut || *n == BETA_MAX) return s;
        free(*beta);
    }
}

/* Columns of the part [spectrum] behind w and the density: for a bound its multipliers. */
static void save_multipliers(const finf_optimize_result *r, int gaussian, FILE *f)
{
    fprintf(f,
            "# psi: per unit |B|^2; lambda: the multiplier h_0 - sum_t h_t e^{-iwt}; causal: "
            "that of causality%s\n",
            gaussian ? " and of Stein's identities for Gaussian w (socp/program/stein.c), their "
                       "cost in psi"
                     : "");
    fprintf(f, "[spectrum]\nw,density,psi,lambda_re,lambda_im,causal_re,causal_im\n");
    for (size_t i = 0; i < r->n; i++)
        fprintf(f, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", r->w[i], r->density[i], r->psi[i],
                r->lambda_re[i], r->lambda_im[i], r->causal_re[i], r->causal_im[i]);
}

/* |B|^2 at frequencies from 0 to pi that are dense where it varies, down to a thousandth of its
 * scale: 64 for each factor e. */
static void save_density(const finf_noise *noise, FILE *f)
{
    double least = 1e-3 * finf_noise_scale(noise);
    int n = (int)ceil(64 * log(FINF_PI / least));
    fprintf(f, "[spectrum]\nw,density\n0,%.17g\n", finf_noise_density(noise, 0));
    for (int i = 0; i <= n; i++) {
        double w = i == n ? FINF_PI : least * pow(FINF_PI / least, (double)i / n);
        fprintf(f, "%.17g,%.17g\n", w, finf_noise_density(noise, w));
    }
}

/* The file begins with the command line that made it and the noise's spelling, both as comments.
 * Its parts are read back by beta@FILE and spectrum@FILE. r: of a bound; NULL for the others. */
static finf_status save(const args *a, const problem *p, const finf_noise *noise,
                        const finf_optimize_result *r, doc *d, finf_reason *why)
{
    double *beta = NULL;
    size_t n = 0;
    char spelled[SPELLED];
    int cut = 0;
    finf_status s = all_beta(noise, &beta, &n, &cut, why);
    if (!s && cut)
        doc_note(d,
                 "beta@ of that file is cut after %zu coefficients, so it may be refused or "
                 "inexact: spectrum@ is whole",
                 n);
    FILE *f = s ? NULL : doc_saved(d);
    if (f) {
        fprintf(f, "# ");
        args_print(a, f);
        fputc('\n', f);
        if (r) fprintf(f, "# bound %.17g, gamma2 %.17g\n", r->iqc.bound.value, r->iqc.gamma2.value);
        if (finf_noise_spell(noise, spelled, sizeof spelled) == FINF_OK)
            fprintf(f, "# --noise '%s'\n", spelled);
        if (cut)
            fprintf(f,
                    "# beta is cut after %zu coefficients, so it may be refused or inexact; the "
                    "spectrum is whole\n",
                    n);
        /* 17 digits: what is read back is the same number */
        fprintf(f, "[beta]\nt,beta\n");
        for (size_t t = 0; t < n; t++) fprintf(f, "%zu,%.17g\n", t, beta[t]);
        if (r && r->n)
            save_multipliers(r, p->iqc.bound == FINF_IQC_GAUSSIAN, f);
        else
            save_density(noise, f);
    }
    free(beta);
    return s;
}

/* A formula, in text with the quotes that the shell needs. */
static void show_spelled(doc *d, const char *noise, const char *note)
{
    char quoted[SPELLED + 2];
    snprintf(quoted, sizeof quoted, strchr(noise, ';') ? "'%s'" : "%s", noise);
    doc_string(d, "noise", DATA_ONLY, noise, NULL);
    doc_string(d, "noise", TEXT_ONLY, quoted, note);
}

/* ---- linear regression and mean estimation --------------------------------------------------- */

/* The optimum over all noise, and its F_inf: computed from the noise itself, it is F_best. */
static finf_status optimize_quadratic(const args *a, const problem *p, doc *d, finf_reason *why)
{
    finf_noise *noise = NULL;
    finf_linreg_options lo = linreg_of(p);
    finf_mean_options mo = mean_of(p);
    finf_linreg_result best;
    finf_mean_result mean;
    int linreg = p->kind == PROBLEM_LINREG;
    finf_status s = noise_for("best", p, &noise, why);
    if (!s && linreg && (s = finf_linreg(noise, p->eta, p->H, &lo, &best))) *why = best.reason;
    if (!s && !linreg && (s = finf_mean(noise, p->eta, &mo, &mean))) *why = mean.reason;
    if (!s) {
        char spelled[SPELLED], note[128];
        finf_real F = linreg ? best.exact : mean.F,
                  F_sgd = with_rho(&p->privacy, linreg ? best.sgd : mean.F_sgd);
        int has = finf_noise_spell(noise, spelled, sizeof spelled) == FINF_OK;
        doc_row(d);
        doc_heading(d, linreg ? "The best noise for linear regression"
                              : "The best noise for mean estimation");
        show_spelled(d, has ? spelled : "best",
                     isinf(F.value) ? "every noise is infinite"
                     : has          ? NULL
                           : "by its |B|^2: --save keeps it, 'finf coef --noise best' lists it");
        if (linreg) show_spectrum(d, a, p->H);
        doc_number(d, "eta", SHOWN, p->eta, "step size");
        show_optimizer(d, a, p->optimizer, p->eta, linreg ? best.lambda_min : 1,
                       linreg ? best.lambda_max : 1);
        show_setting(d, &p->privacy, linreg ? best.gamma2 : mean.gamma2);
        doc_real(d, "gamma2", SHOWN, linreg ? best.gamma2 : mean.gamma2,
                 "gamma_inf^2, sensitivity squared");
        doc_real(d, "F_inf", SHOWN, with_rho(&p->privacy, F), "of this noise, exact");
        doc_real(d, "F_best", SHOWN, with_rho(&p->privacy, linreg ? best.optimum : mean.F_optimal),
                 "least over all noise, by another formula");
        snprintf(note, sizeof note, "independent noise: %.4g times the best",
                 F_sgd.value / F.value);
        if (!isnan(F_sgd.value))
            doc_real(d, "F_sgd", SHOWN, F_sgd, isfinite(F.value) ? note : "independent noise");
        show_reason(d, linreg ? &best.reason : &mean.reason);
        if (args_given(a, OPT_SAVE)) s = save(a, p, noise, NULL, d, why);
    }
    finf_noise_free(noise);
    return s;
}

/* ---- strongly convex, smooth F --------------------------------------------------------------- */

/* The bound of the optimised noise if w is Gaussian (theory 7.11), which is never above the sharp
 * one. Of --bound gaussian it is the bound itself; NaN beside the other bounds, where there is
 * nothing to compare, and without a noise. */
static finf_status gaussian(const finf_optimize_result *r, const problem *p, finf_real *out)
{
    finf_iqc_result also;
    finf_iqc_options o = p->iqc;
    *out = finf_real_failed();
    if (o.bound != FINF_IQC_SHARP && o.bound != FINF_IQC_GAUSSIAN) return FINF_OK;
    if (!r->noise && o.bound == FINF_IQC_SHARP) return FINF_OK;
    *out = r->iqc.bound;
    if (o.bound == FINF_IQC_GAUSSIAN || !isfinite(out->value)) return FINF_OK;
    o.bound = FINF_IQC_GAUSSIAN;
    /* a number beside the bound: by the faster solver, and not proved */
    o.solver = FINF_IQC_NEWTON;
    o.certify = 0;
    finf_status s = finf_iqc(r->noise, p->eta, p->kappa, &o, &also);
    /* equal but for the solvers' gaps, where it does not help */
    if (s)
        *out = finf_real_failed();
    else if (also.bound.value < out->value)
        *out = also.bound;
    return s;
}

/* Of noises that one would take without optimising, by the same bound. */
static void show_others(doc *d, const problem *p, const finf_optimize_result *r, finf_real also)
{
    char note[160];
    int finite = isfinite(r->iqc.bound.value);
    snprintf(note, sizeof note, "independent noise: %.4g times the bound above",
             r->bound_sgd.value / r->iqc.bound.value);
    doc_real(d, "bound_sgd", SHOWN, with_rho(&p->privacy, r->bound_sgd),
             finite ? note : "independent noise");
    snprintf(note, sizeof note, "the best nu, %.4g: %.4g times", r->nu.value,
             r->bound_nu.value / r->iqc.bound.value);
    doc_real(d, "bound_nu", SHOWN, with_rho(&p->privacy, r->bound_nu),
             finite ? note : "the best nu");
    doc_real(d, "nu", DATA_ONLY, r->nu, NULL);
    doc_real(d, "minimax", SHOWN, with_rho(&p->privacy, r->minimax_lower),
             iqc_minimax_note(&p->iqc));
    doc_real(d, "gap", SHOWN, r->gap, "bound / minimax");
    if (p->iqc.bound != FINF_IQC_SHARP && p->iqc.bound != FINF_IQC_GAUSSIAN) return;
    int more = snprintf(
        note, sizeof note, "the bound if w is Gaussian%s",
        p->iqc.privacy.sigma_sgd > 0 ? " and gradient noise does not depend on theta" : "");
    if (finite)
        snprintf(note + more, sizeof note - (size_t)more, ": %.5g times the minimax",
                 also.value / r->minimax_lower.value);
    /* of --bound gaussian it is the bound, which text has already */
    int beside = p->iqc.bound == FINF_IQC_SHARP && !isnan(also.value);
    doc_real(d, "gaussian_bound", beside ? SHOWN : DATA_ONLY, with_rho(&p->privacy, also), note);
    doc_real(d, "gaussian_gap", DATA_ONLY, finf_real_over(also, r->minimax_lower), NULL);
}

/* The spread of starts that did not all come to their end would say nothing. */
static void show_descent(doc *d, const finf_optimize_result *r, finf_status s)
{
    char note[160], noise[SPELLED];
    int stopped = s && sweep_interrupted(NULL);
    doc_number(d, "rounds", SHOWN, (double)r->rounds, NULL);
    doc_series(d, "history", r->history, r->history ? r->rounds + 1 : 0);
    snprintf(note, sizeof note, "relative, over %zu start%s%s", r->starts,
             r->starts == 1 ? "" : "s", s ? "" : ": a stationary point, not a proven global one");
    doc_number(d, "spread", SHOWN, stopped ? NAN : r->spread,
               stopped ? "it was stopped before its end" : note);
    if (!r->noise || finf_noise_spell(r->noise, noise, sizeof noise)) return;
    show_spelled(d, noise, NULL);
}

/* First the noise, then its bound for Gaussian w. A noise whose second bound was not found is still
 * a result, with the reason; one that was stopped is shown if it has a bound, and not saved. */
static finf_status optimize_convex(const args *a, const problem *p, doc *d, finf_reason *why)
{
    finf_optimize_options o = finf_optimize_options_default();
    finf_optimize_result r;
    finf_real also;
    o.iqc = p->iqc;
    finf_status s = finf_optimize(p->eta, p->kappa, &o, &r);
    if (s) *why = r.iqc.reason;
    int found = r.noise && isfinite(r.iqc.bound.value);
    if (gaussian(&r, p, &also) == FINF_ENOMEM) s = finf_why(why, FINF_ENOMEM, "no memory");
    int lacks = p->iqc.bound == FINF_IQC_SHARP && found && !isfinite(also.value);
    int stopped = (s || lacks) && sweep_interrupted(NULL);
    if (lacks && !r.iqc.reason.text[0])
        finf_why(&r.iqc.reason, FINF_ETOL, "the bound for Gaussian w was not found");
    if (stopped && found) {
        s = FINF_ETOL;
        *why = r.iqc.reason;
        finf_why(why, s, "the best noise so far");
    }
    if (!s || (s == FINF_ETOL && (found || !stopped))) {
        doc_row(d);
        doc_heading(d, "Optimised noise for strongly convex, smooth F");
        show_iqc(d, a, p, &r.iqc, 0);
        show_others(d, p, &r, also);
        show_descent(d, &r, s);
        show_iqc_reason(d, p, &r.iqc);
    }
    if (args_given(a, OPT_SAVE) && r.noise && (!s || (s == FINF_ETOL && !stopped))) {
        finf_status t = save(a, p, r.noise, &r, d, why);
        if (t) s = t;
    }
    finf_optimize_result_free(&r);
    return s;
}

static finf_status cmd_optimize(const args *a, doc *d, finf_reason *why)
{
    problem p;
    finf_status s = read_problem(a, problem_asked(a), &p, why);
    if (s) return s;
    return (p.kind == PROBLEM_CONVEX ? optimize_convex : optimize_quadratic)(a, &p, d, why);
}

static const option_use OPTIONS[] = {
    {.id = OPT_ETA, .needed = 1},
    {.id = OPT_SPECTRUM, .help = "eigenvalues of H (see SPECTRUM), for linear regression"},
    {.id = OPT_DIM, .help = "dimension of the spectrum; with --kappa of theta, 1 unless given"},
    {.id = OPT_NORMALIZE},
    {.id = OPT_KURTOSIS},
    {.id = OPT_KAPPA, .help = "condition number L/mu, for every convex F (neither: mean)"},
    CONVEX_OPTIONS,
    {.id = OPT_SAVE},
    OPTIMIZER_OPTIONS,
    PRIVACY_OPTIONS,
    {.id = OPT_BATCH},
    TABLE_OPTIONS,
    COMMON_OPTIONS,
    {.id = OPT_END}};

static const option_rule RULES[] = {PROBLEM_RULES, CONVEX_RULES, {.option = OPT_END}};

/* Mean estimation is in one dimension. */
static const option_truth TRUTHS[] = {{OPT_DIM, "1"}, {OPT_END, NULL}};

const command command_optimize = {
    .name = "optimize",
    .summary = "the best noise: for iqc (--kappa), linear regression (--spectrum) or the mean",
    .about =
        "--spectrum, or neither: the optimum over all noise. --kappa: the noise with the least\n"
        "bound found (a stationary point, from several starts), beside independent noise, the\n"
        "best nu and a lower bound over all noise. --save writes it.",
    .example = "finf optimize --eta 0.1 --kappa 100",
    .options = OPTIONS,
    .rules = RULES,
    .truths = TRUTHS,
    .columns = "bound,gap,bound_sgd,bound_nu,nu,gaussian_bound,certified_upper,F_inf,F_sgd,gamma2",
    .plot = "bound,F_inf", /* an answer has one of them */
    .stoppable = 1,
    .run = cmd_optimize,
};
