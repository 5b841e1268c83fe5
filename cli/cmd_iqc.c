/* finf iqc: the bound for general strongly convex F, given noise.                                MATH section 7 */
#include <stdlib.h>

#include "iqc_options.h"
#include "sweep.h"

typedef struct {
    finf_status status;
    int done;
    finf_iqc_result r;
    finf_worst_result worst[2];
    finf_reason why;
} row;

typedef struct {
    const args *a;
    finf_iqc_options o;
    iqc_pairs pairs;
    finf_noise *noise; /* NULL: it depends on eta*mu, one for each row */
    int simulate;
    unsigned long long seed;
    row *rows;
} job;

/* E[F - F*] of two F that are not quadratic: what any bound must be above */
static finf_status simulate(const job *j, size_t i, const finf_noise *noise, row *out)
{
    static const finf_worst_kind KINDS[] = {FINF_WORST_HUBER, FINF_WORST_ASYMMETRIC};
    finf_status worst = FINF_OK;
    for (int k = 0; k < 2; k++) {
        finf_status s = finf_iqc_simulate(noise, j->pairs.eta[i], j->pairs.kappa[i], j->o.smooth, KINDS[k], j->seed, 0.005,
                                          &out->worst[k]);
        if (s) worst = s;
    }
    if (worst) finf_why(&out->why, worst, "the simulation did not reach its error of 0.5%%");
    return worst;
}

static void solve(size_t i, void *ctx)
{
    job *j = ctx;
    row *out = &j->rows[i];
    double eta = j->pairs.eta[i], kappa = j->pairs.kappa[i];
    finf_noise *own = NULL;
    out->status = check_iqc_sizes(j->a, &j->o, eta, kappa, &out->why);
    if (!out->status && !j->noise) out->status = read_noise(j->a, eta, j->o.smooth / kappa, NULL, &own, &out->why);
    if (!out->status) {
        out->status = finf_iqc(j->noise ? j->noise : own, eta, kappa, &j->o, &out->r);
        if (out->status) out->why = out->r.reason;
    }
    if (!out->status && j->simulate && isfinite(out->r.bound.value))
        out->status = simulate(j, i, j->noise ? j->noise : own, out);
    finf_noise_free(own);
    out->done = !sweep_interrupted(NULL);
}

static void show_row(doc *d, const job *j, size_t i)
{
    const row *x = &j->rows[i];
    static const char *const KEYS[] = {"huber_lower", "asymmetric_lower"},
                             *const ERRORS[] = {"huber_error", "asymmetric_error"},
                             *const LABELS[] = {"Huber", "asymmetric"};
    doc_row(d);
    if (j->pairs.n == 1) doc_heading(d, "Bound on F_inf for strongly convex, smooth F");
    show_noise(d, j->a, NULL, j->pairs.eta[i], j->o.smooth / j->pairs.kappa[i]);
    show_iqc(d, j->a, &j->o, j->pairs.eta[i], j->pairs.kappa[i], &x->r);
    for (int k = 0; k < 2 && j->simulate; k++) { /* in the units of `bound`; gradient noise is not simulated */
        double scale = j->o.dim * j->o.privacy.clip * j->o.privacy.clip * x->r.gamma2.value / (2 * j->o.privacy.rho);
        finf_real v = {scale * x->worst[k].mean, scale * x->worst[k].error, FINF_ESTIMATE, "simulation"};
        doc_real(d, KEYS[k], ERRORS[k], LABELS[k], v,
                 k ? "simulated: curvature mu for x > 0, L for x < 0"
                   : "simulated: curvature L near the minimum, mu outside");
    }
}

/* A sweep in text is one table. */
static void show_table(doc *d, const job *j)
{
    static const char *const NAMES[] = {"kappa", "eta", "bound", "lower", "bound/lower", "gamma2"};
    double *data = malloc(6 * j->pairs.n * sizeof *data);
    size_t n = 0;
    for (size_t i = 0; data && i < j->pairs.n; i++) {
        const row *x = &j->rows[i];
        if (!x->done) continue;
        double line[] = {j->pairs.kappa[i],
                         j->pairs.eta[i],
                         x->r.bound.value,
                         x->r.quadratic_lower,
                         x->r.bound.value / x->r.quadratic_lower,
                         x->r.gamma2.value};
        memcpy(data + 6 * n++, line, sizeof line);
    }
    doc_note(d, "Bound on F_inf for %s, noise %.60s", iqc_class_note(&j->o), args_text(j->a, OPT_NOISE));
    if (data) doc_table(d, NULL, 6, NAMES, data, n);
    free(data);
}

finf_status cmd_iqc(const args *a, doc *d, finf_reason *why)
{
    job j = {.a = a};
    int lower = 0;
    double seed = 1;
    const char *noise = args_text(a, OPT_NOISE);
    size_t length = strlen(noise), done = 0;
    int automatic = length > 4 && strcmp(noise + length - 4, "auto") == 0 && !strchr(noise, '@');
    finf_status s = read_iqc(a, &j.o, why);
    if (!s) s = args_choice(a, OPT_LOWER, "quadratic|simulate", &lower, why);
    if (!s) s = args_whole(a, OPT_SEED, 0, 9007199254740992.0, &seed, why);
    if (!s) s = read_pairs(a, &j.pairs, why);
    for (size_t i = 0; i < j.pairs.n && !s; i++) s = check_iqc_sizes(a, &j.o, j.pairs.eta[i], j.pairs.kappa[i], why);
    if (!s && !automatic) s = read_noise(a, NAN, NAN, NULL, &j.noise, why);
    if (!s && !(j.rows = calloc(j.pairs.n, sizeof *j.rows))) s = finf_why(why, FINF_ENOMEM, "no memory");
    if (!s) {
        j.simulate = lower;
        j.seed = (unsigned long long)seed;
        j.o.cancel = sweep_interrupted;
        int interrupted = sweep_run(j.pairs.n, solve, &j, args_given(a, OPT_QUIET));
        for (size_t i = 0; i < j.pairs.n; i++) {
            const row *x = &j.rows[i];
            if (!x->done) continue;
            done++;
            if (x->status && (!s || s == FINF_ETOL)) s = x->status, *why = x->why;
        }
        int text = wants_text(a);
        if (j.pairs.n > 1 && text)
            show_table(d, &j);
        else
            for (size_t i = 0; i < j.pairs.n; i++)
                if (j.rows[i].done && (!j.rows[i].status || j.rows[i].status == FINF_ETOL)) show_row(d, &j, i);
        if (interrupted) s = finf_why(why, FINF_ETOL, "interrupted: %zu of %zu bounds are done", done, j.pairs.n);
    }
    free(j.rows);
    free_pairs(&j.pairs);
    finf_noise_free(j.noise);
    return s;
}
