/* finf optimize: the noise with the least bound that descents from several starts find, beside
 * DP-SGD, the best nu, and the lower bound over all noise. (theory 7.7, 7.9, 7.14) */
#include <errno.h>
#include <stdlib.h>

#include "iqc_options.h"
#include "output.h"
#include "sweep.h"

typedef struct {
    sweep_row end;
    finf_optimize_result r;
    double gaussian; /* the same noise's bound if w is Gaussian; NaN: of other bounds, or none */
} row;

typedef struct {
    const args *a;
    doc *d;
    finf_optimize_options o;
    iqc_pairs pairs; /* eta and kappa of each row */
    row *rows;
} job;

/* The bound of the optimised noise if w is Gaussian (theory 7.11), which is never above the sharp
 * one. Of --bound gaussian it is the bound itself; NaN beside the other bounds, where there is
 * nothing to compare, and without a noise. */
static finf_status gaussian(const finf_optimize_result *r, double eta, double kappa,
                            finf_iqc_options o, double *out)
{
    finf_iqc_result also;
    *out = NAN;
    if (o.bound != FINF_IQC_SHARP && o.bound != FINF_IQC_GAUSSIAN) return FINF_OK;
    if (!r->noise && o.bound == FINF_IQC_SHARP) return FINF_OK;
    *out = r->iqc.bound.value;
    if (o.bound == FINF_IQC_GAUSSIAN || !isfinite(*out)) return FINF_OK;
    o.bound = FINF_IQC_GAUSSIAN;
    /* a number beside the bound: by the faster solver, and not proved */
    o.solver = FINF_IQC_NEWTON;
    o.certify = 0;
    finf_status s = finf_iqc(r->noise, eta, kappa, &o, &also);
    /* equal but for the solvers' gaps, where it does not help */
    *out = s ? NAN : fmin(also.bound.value, *out);
    return s;
}

/* Row i: first the noise, then its bound for Gaussian w. A noise whose second bound was not found
 * is still a result, with the reason. */
static void solve(size_t i, void *ctx)
{
    job *j = ctx;
    row *out = &j->rows[i];
    out->end.status = finf_optimize(j->pairs.eta[i], j->pairs.kappa[i], &j->o, &out->r);
    if (out->end.status) out->end.why = out->r.iqc.reason;
    /* no memory is a failure; a bound that was not found leaves NaN */
    if (gaussian(&out->r, j->pairs.eta[i], j->pairs.kappa[i], j->o.iqc, &out->gaussian) ==
        FINF_ENOMEM)
        out->end.status = finf_why(&out->end.why, FINF_ENOMEM, "no memory");
    /* a noise with a finite bound */
    int found = out->r.noise && isfinite(out->r.iqc.bound.value);
    /* whether all that belongs beside it is there: only the sharp bound has the Gaussian one */
    int also = j->o.iqc.bound != FINF_IQC_SHARP || !found || isfinite(out->gaussian);
    out->end.cut = (out->end.status || !also) && sweep_interrupted(NULL);
    if (!also && !out->r.iqc.reason.text[0])
        finf_why(&out->r.iqc.reason, FINF_ETOL, "the bound for Gaussian w was not found");
    if (out->end.cut && found) out->end.why = out->r.iqc.reason;
    if (out->end.cut && found && out->end.status)
        finf_why(&out->end.why, FINF_ETOL, "the best noise so far");
    /* of a single one the best so far; in a table it would look final */
    out->end.done = !out->end.cut || (j->pairs.n == 1 && found);
}

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

/* The file begins with the command line that made it and the noise's spelling, both as comments.
 * Its parts are read back by beta@FILE and spectrum@FILE; the columns of [spectrum] behind the
 * density are the multipliers of the bound, on the same frequencies. */
static finf_status save(const job *j, const row *x, doc *d, finf_reason *why)
{
    double *beta = NULL;
    size_t n = 0;
    char noise[SPELLED];
    int cut = 0;
    finf_status s = all_beta(x->r.noise, &beta, &n, &cut, why);
    if (!s && cut)
        doc_note(d,
                 "beta@ of that file is cut after %zu coefficients, so it may be refused or "
                 "inexact: `noise` and spectrum@ "
                 "are whole",
                 n);
    FILE *f = s ? NULL : doc_saved(d);
    if (f) {
        fprintf(f, "# ");
        args_print(j->a, f);
        fprintf(f, "\n# bound %.17g, gamma^2 %.17g\n", x->r.iqc.bound.value, x->r.iqc.gamma2.value);
        if (finf_noise_spell(x->r.noise, noise, sizeof noise) == FINF_OK)
            fprintf(f, "# --noise '%s'\n", noise);
        if (cut)
            fprintf(f,
                    "# beta is cut after %zu coefficients, so it may be refused or inexact; the "
                    "spectrum is whole\n",
                    n);
        fprintf(f,
                "# psi: per unit |B|^2; lambda: the multiplier h_0 - sum_t h_t e^{-iwt}; causal: "
                "that of causality%s\n",
                j->o.iqc.bound == FINF_IQC_GAUSSIAN ? " and of Stein's identities for Gaussian w "
                                                      "(socp/program/stein.c), their cost in psi"
                                                    : "");
        /* 17 digits: what is read back is the same number */
        fprintf(f, "[beta]\nt,beta\n");
        for (size_t t = 0; t < n; t++) fprintf(f, "%zu,%.17g\n", t, beta[t]);
        fprintf(f, "[spectrum]\nw,density,psi,lambda_re,lambda_im,causal_re,causal_im\n");
        for (size_t i = 0; i < x->r.n; i++)
            fprintf(f, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", x->r.w[i], x->r.density[i],
                    x->r.psi[i], x->r.lambda_re[i], x->r.lambda_im[i], x->r.causal_re[i],
                    x->r.causal_im[i]);
    }
    free(beta);
    return s;
}

/* ---- output ---------------------------------------------------------------------------------- */

/* A row of CSV or JSON; in text the answer for a single pair. */
static void show_row(size_t i, void *ctx)
{
    const job *j = ctx;
    doc *d = j->d;
    const finf_optimize_result *r = &j->rows[i].r;
    double also = j->rows[i].gaussian, minimax = r->minimax_lower.value;
    /* of --bound gaussian it is the bound, which text has already */
    int beside = j->o.iqc.bound == FINF_IQC_SHARP && !isnan(also);
    char noise[SPELLED], note[160];
    doc_row(d);
    if (j->pairs.n == 1) doc_heading(d, "Optimised noise for strongly convex, smooth F");
    show_iqc(d, j->a, &j->o.iqc, j->pairs.eta[i], j->pairs.kappa[i], &r->iqc, 0);
    int finite = isfinite(r->iqc.bound.value);
    snprintf(note, sizeof note, "independent noise: %.4g times the bound above",
             r->bound_sgd / r->iqc.bound.value);
    /* of noises that one would take without optimising, by the same bound */
    doc_number(d, "bound_sgd", "DP-SGD", r->bound_sgd, finite ? note : "independent noise");
    snprintf(note, sizeof note, "the best nu, %.4g: %.4g times", r->nu,
             r->bound_nu / r->iqc.bound.value);
    doc_number(d, "bound_nu", "nu", r->bound_nu, finite ? note : "the best nu");
    doc_number(d, "nu", NULL, r->nu, NULL);
    doc_real(d, "minimax_lower", "minimax_lower_error", "minimax", r->minimax_lower,
             iqc_minimax_note(&j->o.iqc));
    doc_number(d, "gap", "gap", r->gap, "bound / minimax");
    int more = snprintf(
        note, sizeof note, "the bound if w is Gaussian%s",
        j->o.iqc.privacy.sigma_sgd > 0 ? " and gradient noise does not depend on theta" : "");
    if (finite)
        snprintf(note + more, sizeof note - (size_t)more, ": %.5g times the minimax",
                 also / minimax);
    if (j->o.iqc.bound == FINF_IQC_SHARP || j->o.iqc.bound == FINF_IQC_GAUSSIAN) {
        doc_number(d, "gaussian_bound", beside ? "Gaussian w" : NULL, also, note);
        doc_number(d, "gaussian_gap", NULL, also / minimax, NULL);
    }
    doc_number(d, "rounds", "rounds", (double)r->rounds, NULL);
    doc_series(d, "history", r->history, r->history ? r->rounds + 1 : 0);
    /* the spread of starts that did not all come to their end would say nothing */
    int ended = !j->rows[i].end.status, cut = j->rows[i].end.cut && !ended;
    snprintf(note, sizeof note, "relative, over %zu start%s%s", r->starts,
             r->starts == 1 ? "" : "s",
             ended ? ": a stationary point, not a proven global one" : "");
    doc_number(d, "spread", "spread", cut ? NAN : r->spread,
               cut ? "it was stopped before its end" : note);
    if (r->noise && finf_noise_spell(r->noise, noise, sizeof noise) == FINF_OK)
        doc_string(d, "noise", "noise", noise, NULL);
}

/* A sweep in text is one table. The columns at its end depend on what was asked for. */
static void show_table(const job *j)
{
    doc *d = j->d;
    enum { MOST = 9 };
    const char *names[MOST] = {"kappa", "eta", "bound", "gap", "DP-SGD", "best nu", "nu"};
    double *data = malloc(MOST * j->pairs.n * sizeof *data);
    if (!data) doc_fail(d);
    size_t rows = 0, columns = 7;
    int also = j->o.iqc.bound == FINF_IQC_SHARP;
    if (also) names[columns++] = "w Gaussian";
    if (j->o.iqc.certify) names[columns++] = "proved";
    for (size_t i = 0; data && i < j->pairs.n; i++) {
        const finf_optimize_result *r = &j->rows[i].r;
        if (!j->rows[i].end.done) continue;
        double *v = data + columns * rows++;
        *v++ = j->pairs.kappa[i];
        *v++ = j->pairs.eta[i];
        *v++ = r->iqc.bound.value;
        *v++ = r->gap;
        *v++ = r->bound_sgd;
        *v++ = r->bound_nu;
        *v++ = r->nu;
        if (also) *v++ = j->rows[i].gaussian;
        if (j->o.iqc.certify) *v++ = r->iqc.certified_upper;
    }
    if (rows > 0) { /* else it was stopped before any */
        doc_note(d, "Bound on F_inf for %s%s, noise optimised; gap: bound / minimax%s; solver %s",
                 iqc_class_note(&j->o.iqc), iqc_noise_note(&j->o.iqc),
                 iqc_is_dist(&j->o.iqc) ? ", both of (L/2) E|theta|^2" : "",
                 finf_iqc_solver_name(j->o.iqc.solver));
        doc_table(d, NULL, columns, names, data, rows);
    }
    free(data);
}

static finf_status cmd_optimize(const args *a, doc *d, finf_reason *why)
{
    job j = {.a = a, .d = d, .o = finf_optimize_options_default()};
    const char *path = args_text(a, OPT_SAVE);
    finf_status s = read_iqc(a, &j.o.iqc, why);
    if (!s) s = read_pairs(a, &j.o.iqc, &j.pairs, why);
    for (size_t i = 0; i < j.pairs.n && !s; i++)
        s = check_iqc_sizes(a, &j.o.iqc, j.pairs.eta[i], j.pairs.kappa[i], why);
    if (!s && path && j.pairs.n > 1)
        s = finf_why(why, FINF_EUSAGE, "--save keeps one noise: give one eta and one kappa");
    if (!s && !(j.rows = calloc(j.pairs.n, sizeof *j.rows)))
        s = finf_why(why, FINF_ENOMEM, "no memory");
    if (!s) {
        j.o.iqc.cancel.poll = sweep_interrupted;
        int interrupted = sweep_run(j.pairs.n, solve, &j, args_given(a, OPT_QUIET));
        s = sweep_outcome(j.rows, j.pairs.n, sizeof *j.rows, interrupted, why);
        /* a noise that missed its tolerance is saved, one that was stopped is not */
        if (path && (!s || (s == FINF_ETOL && !interrupted))) {
            finf_status t = save(&j, &j.rows[0], d, why);
            if (t) s = t;
        }
        if (j.pairs.n > 1 && wants_text(a))
            show_table(&j);
        else
            sweep_show(j.rows, j.pairs.n, sizeof *j.rows, show_row, &j);
    }
    for (size_t i = 0; j.rows && i < j.pairs.n; i++) finf_optimize_result_free(&j.rows[i].r);
    free(j.rows);
    free_pairs(&j.pairs);
    return s;
}

static const option_use OPTIONS[] = {
    {.id = OPT_ETA, .needed = 1, .help = "step size, or a range such as 0.01:1:log:9"},
    {.id = OPT_DIM, .fallback = FROM_LIBRARY, .help = "dimension of theta"},
    {.id = OPT_KAPPA, .needed = 1},
    CONVEX_OPTIONS,
    {.id = OPT_SAVE},
    PRIVACY_OPTIONS,
    COMMON_OPTIONS,
    {.id = OPT_PRECISION},
    {.id = OPT_END}};

static const option_rule RULES[] = {CONVEX_RULES, {.option = OPT_END}};

const command command_optimize = {
    .name = "optimize",
    .summary = "the same with the noise optimised too",
    .about = "The noise with the least bound found (a stationary point, from several starts), "
             "beside DP-SGD, the best nu and a\n"
             "lower bound over all noise. --save writes it with its multipliers.",
    .example = "finf optimize --eta 0.1 --kappa 100",
    .options = OPTIONS,
    .rules = RULES,
    .run = cmd_optimize,
};
