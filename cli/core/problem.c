#include "problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "data_spectrum.h"
#include "cmd.h"
#include "iqc_options.h"
#include "kept.h"
#include "spec.h"
#include "sweep.h"

problem_kind problem_asked(const args *a)
{
    return args_given(a, OPT_KAPPA)      ? PROBLEM_CONVEX
           : args_given(a, OPT_SPECTRUM) ? PROBLEM_LINREG
           : args_given(a, OPT_ETA)      ? PROBLEM_MEAN
                                         : PROBLEM_NONE;
}

static finf_status read_linreg(const args *a, problem *p, finf_reason *why)
{
    double dim = NAN;
    p->kurtosis = finf_linreg_options_default().kurtosis;
    finf_status s = args_number(a, OPT_KURTOSIS, &p->kurtosis, why);
    if (!s) s = args_whole(a, OPT_DIM, 1, FINF_DIM_MAX, &dim, why);
    if (!s)
        s = spectrum_get(args_text(a, OPT_SPECTRUM), dim, args_given(a, OPT_NORMALIZE), &p->H, why);
    if (!s) p->mu = finf_spectrum_min(p->H);
    return s;
}

static finf_status read_convex(const args *a, problem *p, finf_reason *why)
{
    finf_status s = read_iqc(a, &p->iqc, why);
    p->iqc.privacy = p->privacy.set;
    p->iqc.optimizer = p->optimizer;
    p->iqc.cancel.poll = sweep_interrupted;
    if (!s) s = args_number(a, OPT_KAPPA, &p->kappa, why);
    /* at a given speed there is no eta yet */
    if (!s && !isnan(p->eta)) s = check_iqc_sizes(a, &p->iqc, p->eta, p->kappa, why);
    p->mu = p->iqc.smooth / p->kappa;
    return s;
}

finf_status read_problem(const args *a, problem_kind kind, problem *p, finf_reason *why)
{
    *p = (problem){.kind = kind, .eta = NAN, .mu = NAN, .kappa = NAN};
    if (args_given(a, OPT_KAPPA) && args_given(a, OPT_SPECTRUM))
        return finf_why(why, FINF_EUSAGE,
                        "--kappa is about every convex F, --spectrum about linear regression: give "
                        "one of them");
    finf_status s = read_eta(a, &p->eta, why);
    if (!s) s = read_setting(a, &p->privacy, why);
    if (!s) s = read_optimizer(a, &p->optimizer, why);
    if (!s && kind == PROBLEM_MEAN) p->mu = 1;
    if (!s && kind == PROBLEM_LINREG) s = read_linreg(a, p, why);
    if (!s && kind == PROBLEM_CONVEX) s = read_convex(a, p, why);
    return s;
}

finf_mean_options mean_of(const problem *p)
{
    return (finf_mean_options){.privacy = p->privacy.set, .optimizer = p->optimizer};
}

finf_linreg_options linreg_of(const problem *p)
{
    finf_linreg_options o = finf_linreg_options_default();
    o.privacy = p->privacy.set;
    o.kurtosis = p->kurtosis;
    o.optimizer = p->optimizer;
    return o;
}

/* ---- optimizer ------------------------------------------------------------------------------- */

finf_status read_optimizer(const args *a, const finf_optimizer **out, finf_reason *why)
{
    double decay = 0;
    const char *name = args_text(a, OPT_OPTIMIZER), *average = args_text(a, OPT_AVERAGE);
    *out = NULL;
    if (!option_of_command(a->command, OPT_OPTIMIZER)) return FINF_OK;
    finf_status s = args_number(a, OPT_WEIGHT_DECAY, &decay, why);
    if (s || (strcmp(name, "sgd") == 0 && !average && decay == 0)) return s;
    return optimizer_get(name, average, decay, out, why);
}

void show_quoted(doc *d, const char *key, const char *text, const char *note)
{
    memory_file quoted = {0};
    FILE *f = text ? memory_open(&quoted) : NULL;
    if (f) args_quote(text, f);
    if (!f || fclose(f) != 0 || quoted.failed)
        doc_fail(d);
    else
        doc_string(d, key, TEXT_ONLY, quoted.text, note);
    free(quoted.text);
}

void show_optimizer(doc *d, const args *a, const finf_optimizer *o, double eta, double mu, double L)
{
    double decay = finf_optimizer_weight_decay(o);
    finf_real contraction, step = finf_real_exact(1);
    const char *average = args_text(a, OPT_AVERAGE);
    doc_where where = o ? SHOWN : DATA_ONLY;
    char note[96];
    doc_string(d, "optimizer", DATA_ONLY, args_text(a, OPT_OPTIMIZER), NULL);
    if (o) show_quoted(d, "optimizer", args_text(a, OPT_OPTIMIZER), "the update rule");
    if (average)
        doc_string(d, "average", SHOWN, average, "what is reported is an average of the iterates");
    if (decay > 0) doc_number(d, "weight_decay", SHOWN, decay, "F + (V/2)|theta|^2 is minimised");
    if (o) step = finf_real_rounded(finf_optimizer_step(o), 2); /* 1/(1-M), or a filter's sum */
    step = o ? finf_real_times(finf_real_exact(eta), step) : finf_real_exact(eta);
    doc_real(d, "eta_eff", where, step, "effective step");
    /* a failure leaves NaN, which is a dash */
    finf_optimizer_contraction(o, eta, mu, L, &contraction, NULL);
    if (contraction.value < 1)
        snprintf(note, sizeof note, "of the slowest direction, a step: halved in %.3g steps",
                 log(0.5) / log(contraction.value));
    else
        snprintf(note, sizeof note, "of the slowest direction, a step: it diverges");
    doc_real(d, "contraction", where, contraction, note);
}

/* ---- noise ----------------------------------------------------------------------------------- */

int needs_problem(const char *text)
{
    return strcmp(text, "best") == 0 || strcmp(text, "nu:best") == 0 ||
           strcmp(text, "nu:paper") == 0;
}

/* The nu with the least F_inf, or bound. */
static finf_status best_nu(const problem *p, finf_real *nu, finf_reason *why)
{
    finf_mean_result mean;
    finf_linreg_result linreg;
    finf_iqc_result iqc;
    finf_mean_options m = mean_of(p);
    finf_linreg_options o = linreg_of(p);
    finf_iqc_options q = p->iqc;
    finf_status s;
    o.optimum = 0;
    q.certify = 0;
    q.solver = FINF_IQC_NEWTON; /* the faster, many times: only nu is kept */
    switch (p->kind) {
    case PROBLEM_MEAN:
        if ((s = finf_tune_mean(p->eta, &m, nu, &mean))) *why = mean.reason;
        return s;
    case PROBLEM_LINREG:
        if ((s = finf_tune_linreg(p->eta, p->H, &o, nu, &linreg))) *why = linreg.reason;
        return s;
    default:
        if ((s = finf_tune_iqc(p->eta, p->kappa, &q, nu, &iqc))) *why = iqc.reason;
        return s;
    }
}

/* Does every noise diverge at this step size? */
static int diverges(const problem *p)
{
    finf_noise *sgd = NULL;
    finf_mean_result mean = {.stable = 1};
    finf_linreg_result linreg = {.stable = 1};
    finf_mean_options m = mean_of(p);
    finf_linreg_options o = linreg_of(p);
    finf_status s = finf_noise_sgd(&sgd);
    o.optimum = 0;
    if (!s && p->kind == PROBLEM_MEAN) s = finf_mean(sgd, p->eta, &m, &mean);
    if (!s && p->kind == PROBLEM_LINREG) s = finf_linreg(sgd, p->eta, p->H, &o, &linreg);
    finf_noise_free(sgd);
    return !s && !(mean.stable && linreg.stable);
}

/* The optimum over all noise (theory 4, 5.3). Where all are infinite any is the best, such as
 * independent noise: the answer is infinite then, with its reason. */
static finf_status best_quadratic(const problem *p, finf_noise **out, finf_reason *why)
{
    finf_linreg_options o = linreg_of(p);
    finf_mean_options m = mean_of(p);
    finf_status s = p->kind == PROBLEM_LINREG ? finf_linreg_best_noise(p->eta, p->H, &o, out, why)
                                              : finf_mean_best_noise(p->eta, &m, out, why);
    return s == FINF_EDOM && diverges(p) ? finf_noise_sgd(out) : s;
}

/* That, or the least bound that was found (theory 7.7). */
static finf_status best_noise(const problem *p, finf_noise **out, finf_reason *why)
{
    if (p->kind != PROBLEM_CONVEX) return best_quadratic(p, out, why);
    finf_optimize_options o = finf_optimize_options_default();
    finf_optimize_result r;
    o.iqc = p->iqc;
    o.iqc.certify = 0;
    finf_status s = finf_optimize(p->eta, p->kappa, &o, &r);
    if (s) *why = r.iqc.reason;
    *out = s ? NULL : r.noise;
    if (!s) r.noise = NULL;
    finf_optimize_result_free(&r);
    if (!s && !*out)
        s = finf_why(why, FINF_EDOM, "there is no best noise: every bound is infinite");
    return s;
}

finf_status noise_for(const char *text, const problem *p, finf_noise **out, finf_reason *why)
{
    finf_real nu;
    *out = NULL;
    if (!needs_problem(text)) return spec_noise(text, out, why);
    if (p->kind == PROBLEM_NONE)
        return finf_why(why, FINF_EUSAGE,
                        "%s depends on the problem: give --eta (mean estimation), with --spectrum "
                        "(linear regression) or --kappa (every convex F)",
                        text);
    if (isnan(p->eta)) return finf_why(why, FINF_EUSAGE, "%s needs --eta", text);
    if (strcmp(text, "best") == 0) return best_noise(p, out, why);
    if (strcmp(text, "nu:paper") == 0)
        return finf_noise_nu(finf_nu_of_paper(p->eta, p->mu), out, why);
    finf_status s = best_nu(p, &nu, why);
    /* the search knows seven digits, and F is flat there: six make a noise that is easily pasted */
    char digits[32];
    snprintf(digits, sizeof digits, "%.6g", nu.value);
    return s ? s : finf_noise_nu(strtod(digits, NULL), out, why);
}

finf_status read_noise(const args *a, const problem *p, finf_noise **out, finf_reason *why)
{
    const char *text = args_text(a, OPT_NOISE);
    *out = NULL;
    if (needs_problem(text) && p->kind == PROBLEM_NONE && !option_of_command(a->command, OPT_KAPPA))
        return finf_why(why, FINF_EUSAGE,
                        "%s depends on the problem: give --eta (mean estimation), with --spectrum "
                        "(linear regression)",
                        text);
    return noise_for(text, p, out, why);
}

finf_status read_noise_alone(const args *a, finf_noise **out, finf_reason *why)
{
    static const option_id ONLY_FOR_BEST[] = {OPT_SPECTRUM,     OPT_DIM,       OPT_NORMALIZE,
                                              OPT_KURTOSIS,     OPT_OPTIMIZER, OPT_AVERAGE,
                                              OPT_WEIGHT_DECAY, OPT_KAPPA,     OPT_SIGMA_SGD};
    const char *text = args_text(a, OPT_NOISE);
    problem p;
    *out = NULL;
    if (needs_problem(text)) {
        finf_status s = read_problem(a, problem_asked(a), &p, why);
        return s ? s : noise_for(text, &p, out, why);
    }
    /* with several noises one of the others may need them */
    for (size_t i = 0; i < sizeof ONLY_FOR_BEST / sizeof *ONLY_FOR_BEST && !a->is_point; i++)
        if (args_given(a, ONLY_FOR_BEST[i]))
            return finf_why(why, FINF_EUSAGE,
                            "--%s has no effect without --noise nu:paper, nu:best or best",
                            option_get(ONLY_FOR_BEST[i], NULL).name);
    return spec_noise(text, out, why);
}

/* A --noise that gives the same again: as it was given, or what a noise that depends on the problem
 * was resolved to. A best noise that has no spelling is best for the same problem again. Owned by
 * the caller; NULL: no memory. */
static char *spelling(const args *a, const finf_noise *noise)
{
    const char *given = args_text(a, OPT_NOISE);
    char spelled[16384];
    int resolved = needs_problem(given) && !finf_noise_spell(noise, spelled, sizeof spelled);
    return strdup(resolved ? spelled : given);
}

void show_noise_key(doc *d, const args *a, const finf_noise *noise)
{
    char *text = spelling(a, noise);
    if (text)
        doc_string(d, "noise", DATA_ONLY, text, NULL);
    else
        doc_fail(d);
    free(text);
}

/* In text quoted where the shell needs it, and behind it what was given where that was resolved. */
void show_noise(doc *d, const args *a, const finf_noise *noise)
{
    const char *given = args_text(a, OPT_NOISE);
    char *text = spelling(a, noise);
    if (!text) {
        doc_fail(d);
        return;
    }
    int resolved = strcmp(text, given) != 0;
    doc_string(d, "noise", DATA_ONLY, text, NULL);
    /* in a table: what its curves are called, and drawn against */
    if (resolved || a->is_point)
        doc_string(d, "noise_given", resolved && a->is_point ? SHOWN : DATA_ONLY, given, NULL);
    if (a->is_point && (strncmp(text, "nu:", 3) == 0 || strncmp(text, "antipgd:", 8) == 0))
        doc_number(d, "nu", DATA_ONLY, strtod(strchr(text, ':') + 1, NULL), NULL);
    show_quoted(d, "noise", text, resolved ? given : NULL);
    free(text);
}

/* ---- spectrum -------------------------------------------------------------------------------- */

void show_spectrum(doc *d, const args *a, const finf_spectrum *H)
{
    char note[96];
    double n = finf_spectrum_dim(H), largest = finf_spectrum_max(H);
    finf_real trace = {finf_spectrum_trace(H), finf_spectrum_trace_error(H), ""};
    finf_real top = {largest, finf_spectrum_describe(H).resolution, ""};
    doc_string(d, "spectrum", SHOWN, args_text(a, OPT_SPECTRUM),
               args_given(a, OPT_NORMALIZE) ? "divided by its largest eigenvalue" : NULL);
    doc_number(d, "d", SHOWN, n,
               finf_spectrum_describe(H).resolution > 0 ? "dimension: the rank of H" : "dimension");
    doc_real(d, "d_eff", SHOWN, finf_real_over(trace, top), "Tr H / lambda_1");
    snprintf(note, sizeof note, "Tr H; eigenvalues from %.4g to %.4g, condition %.4g",
             finf_spectrum_min(H), largest, largest / finf_spectrum_min(H));
    doc_real(d, "trace", SHOWN, trace, note);
    show_spectrum_facts(d, H);
}
