/* finf optimize: the noise with the least bound.                                           MATH sections 7.7, 7.9 */
#include <errno.h>
#include <stdlib.h>

#include "iqc_options.h"
#include "output.h"
#include "sweep.h"

typedef struct {
    finf_status status;
    int done;
    finf_optimize_result r;
    finf_reason why;
} row;

typedef struct {
    const args *a;
    finf_optimize_options o;
    iqc_pairs pairs;
    row *rows;
} job;

static void solve(size_t i, void *ctx)
{
    job *j = ctx;
    row *out = &j->rows[i];
    out->status = finf_optimize(j->pairs.eta[i], j->pairs.kappa[i], &j->o, &out->r);
    if (out->status) out->why = out->r.iqc.reason;
    out->done = !sweep_interrupted(NULL);
}

/* ---- --save: a file with a part [beta] and a part [spectrum] ------------------------------------------- */

#define BETA_MAX ((size_t)1 << 20)

/* beta until it has died out */
static finf_status all_beta(const finf_noise *noise, double **beta, size_t *n, finf_reason *why)
{
    for (*n = 1024;; *n *= 2) {
        double tail = 0;
        *beta = malloc(*n * sizeof **beta);
        finf_status s = *beta ? finf_noise_beta(noise, *n, *beta, why) : finf_why(why, FINF_ENOMEM, "no memory");
        for (size_t t = *n / 2; t < *n && !s; t++) tail = fmax(tail, fabs((*beta)[t]));
        if (!s && *n < BETA_MAX && tail > 1e-10 * fabs((*beta)[0])) {
            free(*beta);
            continue;
        }
        return s;
    }
}

static finf_status save(sink *file, const job *j, const row *x, finf_reason *why)
{
    double *beta = NULL;
    size_t n = 0;
    char noise[8192];
    finf_status s = all_beta(x->r.noise, &beta, &n, why);
    if (!s) {
        FILE *f = file->file;
        fprintf(f, "# finf optimize --eta %.17g --kappa %.17g --smooth %.17g --bound %s\n# bound %.17g, gamma^2 %.17g\n",
                j->pairs.eta[0], j->pairs.kappa[0], j->o.iqc.smooth, args_text(j->a, OPT_BOUND), x->r.iqc.bound.value,
                x->r.iqc.gamma2.value);
        if (finf_noise_spell(x->r.noise, noise, sizeof noise) == FINF_OK) fprintf(f, "# --noise '%s'\n", noise);
        fprintf(f, "[beta]\nt,beta\n");
        for (size_t t = 0; t < n; t++) fprintf(f, "%zu,%.17g\n", t, beta[t]);
        fprintf(f, "[spectrum]\nw,density,psi,lambda_re,lambda_im\n");
        for (size_t i = 0; i < x->r.n; i++)
            fprintf(f, "%.17g,%.17g,%.17g,%.17g,%.17g\n", x->r.w[i], x->r.density[i], x->r.psi[i], x->r.lambda_re[i],
                    x->r.lambda_im[i]);
    }
    free(beta);
    return s;
}

/* ---- output -------------------------------------------------------------------------------------------- */

static void show_row(doc *d, const job *j, size_t i)
{
    const finf_optimize_result *r = &j->rows[i].r;
    char noise[8192], note[160];
    doc_row(d);
    if (j->pairs.n == 1) doc_heading(d, "Optimised noise for strongly convex, smooth F");
    show_iqc(d, j->a, &j->o.iqc, j->pairs.eta[i], j->pairs.kappa[i], &r->iqc);
    snprintf(note, sizeof note, "independent noise: %.4g times the bound above", r->bound_sgd / r->iqc.bound.value);
    doc_number(d, "bound_sgd", "DP-SGD", r->bound_sgd, note);
    snprintf(note, sizeof note, "the best nu, %.4g: %.4g times", r->nu, r->bound_nu / r->iqc.bound.value);
    doc_number(d, "bound_nu", "nu", r->bound_nu, note);
    doc_number(d, "nu", NULL, r->nu, NULL);
    doc_number(d, "minimax_lower", "minimax", r->minimax_lower, "no noise at all has a worst case below this");
    doc_number(d, "gap", "gap", r->gap, "bound / minimax");
    doc_number(d, "rounds", "rounds", (double)r->rounds, NULL);
    doc_series(d, "history", r->history, r->history ? r->rounds + 1 : 0);
    snprintf(note, sizeof note, "relative, over %zu starts: a stationary point, not a proven global one", r->starts);
    doc_number(d, "spread", "spread", r->spread, note);
    const char *saved = args_text(j->a, OPT_SAVE);
    if (r->noise && finf_noise_spell(r->noise, noise, sizeof noise) == FINF_OK)
        doc_string(d, "noise", "noise", noise, NULL);
    else if (saved) {
        snprintf(noise, sizeof noise, "spectrum@%.4000s", saved);
        doc_string(d, "noise", "noise", noise, NULL);
    } else {
        doc_string(d, "noise", NULL, NULL, NULL);
        doc_note(d, "  --save FILE keeps this noise: spectrum@FILE and beta@FILE read it");
    }
}

static void show_table(doc *d, const job *j)
{
    static const char *const NAMES[] = {"kappa", "eta", "bound", "gap", "DP-SGD", "best nu", "nu"};
    double *data = malloc(7 * j->pairs.n * sizeof *data);
    size_t n = 0;
    for (size_t i = 0; data && i < j->pairs.n; i++) {
        const finf_optimize_result *r = &j->rows[i].r;
        if (!j->rows[i].done) continue;
        double line[] = {j->pairs.kappa[i], j->pairs.eta[i], r->iqc.bound.value, r->gap, r->bound_sgd, r->bound_nu, r->nu};
        memcpy(data + 7 * n++, line, sizeof line);
    }
    doc_note(d, "Bound on F_inf for %s, noise optimised; gap: bound / minimax", iqc_class_note(&j->o.iqc));
    if (data) doc_table(d, NULL, 7, NAMES, data, n);
    free(data);
}

finf_status cmd_optimize(const args *a, doc *d, finf_reason *why)
{
    job j = {.a = a, .o = finf_optimize_options_default()};
    sink file = {0};
    size_t done = 0;
    const char *path = args_text(a, OPT_SAVE);
    finf_status s = read_iqc(a, &j.o.iqc, why);
    if (!s) s = read_pairs(a, &j.pairs, why);
    for (size_t i = 0; i < j.pairs.n && !s; i++) s = check_iqc_sizes(a, &j.o.iqc, j.pairs.eta[i], j.pairs.kappa[i], why);
    if (!s && path && j.pairs.n > 1) s = finf_why(why, FINF_EUSAGE, "--save keeps one noise: give one eta and one kappa");
    if (!s && !(j.rows = calloc(j.pairs.n, sizeof *j.rows))) s = finf_why(why, FINF_ENOMEM, "no memory");
    if (!s && path) s = sink_open(path, &file, why);
    if (!s) {
        j.o.iqc.cancel = sweep_interrupted;
        int interrupted = sweep_run(j.pairs.n, solve, &j, args_given(a, OPT_QUIET));
        for (size_t i = 0; i < j.pairs.n; i++) {
            const row *x = &j.rows[i];
            if (!x->done) continue;
            done++;
            if (x->status && (!s || s == FINF_ETOL)) s = x->status, *why = x->why;
        }
        int text = wants_text(a);
        if (path && !interrupted && (!s || s == FINF_ETOL)) {
            finf_status t = save(&file, &j, &j.rows[0], why);
            if (!t) t = sink_close(&file, why);
            if (t) s = t;
        }
        if (j.pairs.n > 1 && text)
            show_table(d, &j);
        else
            for (size_t i = 0; i < j.pairs.n; i++)
                if (j.rows[i].done && (!j.rows[i].status || j.rows[i].status == FINF_ETOL)) show_row(d, &j, i);
        if (interrupted) s = finf_why(why, FINF_ETOL, "interrupted: %zu of %zu are done", done, j.pairs.n);
    }
    sink_drop(&file);
    for (size_t i = 0; j.rows && i < j.pairs.n; i++) finf_optimize_result_free(&j.rows[i].r);
    free(j.rows);
    free_pairs(&j.pairs);
    return s;
}
