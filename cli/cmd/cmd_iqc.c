/* finf iqc: an upper bound on F_inf for every mu-strongly convex, L-smooth F, given noise, beside
 * what stands below it: the worst quadratic, the minimax over all noise and, with --lower simulate,
 * two F that are not quadratic. Ranges of eta and kappa are swept on two threads. (theory 7) */
#include <stdlib.h>

#include "iqc_options.h"
#include "sweep.h"

typedef struct {
    sweep_row end;
    finf_iqc_result r;
    finf_worst_result worst[2]; /* Huber's and the asymmetric F; NaN: not simulated */
} row;

typedef struct {
    const args *a;
    doc *d;
    finf_iqc_options o;
    iqc_pairs pairs;         /* eta and kappa of each row */
    finf_noise *noise;       /* NULL: it depends on eta*mu, one for each row */
    int simulate;            /* --lower simulate */
    unsigned long long seed; /* of it */
    row *rows;               /* one for each of the pairs */
} job;

/* d sigma^2 = E|w_t|^2: what turns a value per unit of w's variance into one of F. */
static double noise_scale(const job *j, const row *x)
{
    return finf_noise_variance(&j->o.privacy, x->r.gamma2.value, j->o.dim);
}

/* E[F - F*] of two F that are not quadratic, separable and alike in all d coordinates: any bound
 * must be above them. F - F* scales with the variance of w, so a simulation at unit variance serves
 * every sigma; only the ratio sigma_sgd/sigma enters. (theory 6.6, 7.8) */
static finf_status simulate(const job *j, size_t i, const finf_noise *noise, row *out)
{
    static const finf_worst_kind KINDS[] = {FINF_WORST_HUBER, FINF_WORST_ASYMMETRIC};
    finf_status worst = FINF_OK;
    double sigma = sqrt(noise_scale(j, out));
    /* d = 1: the bound's d is in its scale, and |what|^2 is spread over d */
    for (int k = 0; k < 2 && sigma > 0; k++) {
        finf_status s = finf_iqc_simulate(noise, j->pairs.eta[i], j->pairs.kappa[i], j->o.smooth,
                                          j->o.optimizer, j->o.privacy.sigma_sgd / sigma, KINDS[k],
                                          j->seed, 0.005, &j->o.cancel, &out->worst[k]);
        worst = finf_worse(worst, s);
    }
    if (worst)
        finf_why(&out->end.why, worst,
                 worst == FINF_ENOMEM ? "no memory"
                                      : "the simulation did not reach its error of 0.5%%");
    return worst;
}

/* Row i. The noise is made here if it depends on eta mu. */
static void solve(size_t i, void *ctx)
{
    job *j = ctx;
    row *out = &j->rows[i];
    double eta = j->pairs.eta[i], kappa = j->pairs.kappa[i];
    finf_noise *own = NULL;
    /* what has no value stays NaN, whichever step fails */
    finf_status s = check_iqc_sizes(j->a, &j->o, eta, kappa, &out->end.why);
    for (int k = 0; k < 2; k++) {
        out->worst[k].mean = NAN;
        out->worst[k].error = INFINITY;
    }
    if (!s && !j->noise) s = read_noise(j->a, eta, j->o.smooth / kappa, &own, &out->end.why);
    if (!s) {
        s = finf_iqc(j->noise ? j->noise : own, eta, kappa, &j->o, &out->r);
        if (s) out->end.why = out->r.reason;
    }
    if (!s && j->simulate && isfinite(out->r.bound.value))
        s = simulate(j, i, j->noise ? j->noise : own, out);
    out->end.status = s;
    out->end.cut = s && sweep_interrupted(NULL);
    /* a bound whose solver came to its end stands, whatever is stopped after it */
    out->end.done = !out->end.cut || (out->r.solver_code == 0 && isfinite(out->r.bound.value));
    finf_noise_free(own);
}

/* A simulated value in the units of `bound` */
static finf_real simulated(const job *j, const row *x, int k)
{
    double scale = noise_scale(j, x);
    return (finf_real){scale * x->worst[k].mean, scale * x->worst[k].error, "simulation"};
}

/* A row of CSV or JSON; in text the answer for a single pair. */
static void show_row(size_t i, void *ctx)
{
    const job *j = ctx;
    doc *d = j->d;
    const row *x = &j->rows[i];
    static const char *const KEYS[] = {"huber_lower", "asymmetric_lower"},
                             *const ERRORS[] = {"huber_error", "asymmetric_error"},
                             *const LABELS[] = {"Huber", "asymmetric"};
    doc_row(d);
    if (j->pairs.n == 1) doc_heading(d, "Bound on F_inf for strongly convex, smooth F");
    show_noise(d, j->a, j->pairs.eta[i], j->o.smooth / j->pairs.kappa[i]);
    show_iqc(d, j->a, &j->o, j->pairs.eta[i], j->pairs.kappa[i], &x->r, 1);
    for (int k = 0; k < 2 && j->simulate; k++)
        doc_real(d, KEYS[k], ERRORS[k], LABELS[k], simulated(j, x, k),
                 k ? "E[F - F*], simulated: curvature mu for x > 0, L for x < 0"
                   : "E[F - F*], simulated: curvature L near the minimum, mu outside");
}

/* A sweep in text is one table. */
static void show_table(const job *j)
{
    doc *d = j->d;
    enum { MOST = 9 };
    const char *names[MOST] = {"kappa", "eta", "bound", "lower", "bound/lower", "gamma2"};
    double *data = malloc(MOST * j->pairs.n * sizeof *data);
    if (!data) doc_fail(d);
    size_t rows = 0, columns = 6;
    if (j->o.certify) names[columns++] = "proved";
    if (j->simulate) {
        names[columns++] = "Huber";
        names[columns++] = "asymmetric";
    }
    for (size_t i = 0; data && i < j->pairs.n; i++) {
        const row *x = &j->rows[i];
        if (!x->end.done) continue;
        double *v = data + columns * rows++, lower = x->r.quadratic_lower.value;
        *v++ = j->pairs.kappa[i];
        *v++ = j->pairs.eta[i];
        *v++ = x->r.bound.value;
        *v++ = lower;
        *v++ = x->r.bound.value / lower;
        *v++ = x->r.gamma2.value;
        if (j->o.certify) *v++ = x->r.certified_upper;
        if (j->simulate) {
            *v++ = simulated(j, x, 0).value;
            *v++ = simulated(j, x, 1).value;
        }
    }
    if (rows > 0) { /* else it was stopped before any */
        doc_note(d, "Bound on F_inf for %s%s, noise %.60s; solver %s", iqc_class_note(&j->o),
                 iqc_noise_note(&j->o), args_text(j->a, OPT_NOISE),
                 finf_iqc_solver_name(j->o.solver));
        if (iqc_is_dist(&j->o))
            doc_note(d, "bound and lower: of (L/2) E|theta|^2, which F_inf is never above%s",
                     j->simulate ? "; Huber and asymmetric: of F - F*" : "");
        doc_table(d, NULL, columns, names, data, rows);
    }
    free(data);
}

static finf_status cmd_iqc(const args *a, doc *d, finf_reason *why)
{
    job j = {.a = a, .d = d};
    int lower = 0;
    const char *noise = args_text(a, OPT_NOISE);
    size_t length = strlen(noise);
    /* ends in auto and is no file: it depends on eta and mu, which differ from row to row */
    int automatic = length > 4 && strcmp(noise + length - 4, "auto") == 0 && !strchr(noise, '@');
    finf_status s = read_iqc(a, &j.o, why);
    if (!s) s = args_choice(a, OPT_LOWER, &lower, why);
    if (!s) s = args_seed(a, OPT_SEED, &j.seed, why);
    if (!s) s = read_pairs(a, &j.o, &j.pairs, why);
    /* every pair, before the first is computed: a sweep should not end in the middle of it */
    for (size_t i = 0; i < j.pairs.n && !s; i++)
        s = check_iqc_sizes(a, &j.o, j.pairs.eta[i], j.pairs.kappa[i], why);
    /* read once: it may come from stdin */
    if (!s && !automatic) s = read_noise(a, NAN, NAN, &j.noise, why);
    if (!s && !(j.rows = calloc(j.pairs.n, sizeof *j.rows)))
        s = finf_why(why, FINF_ENOMEM, "no memory");
    if (!s) {
        j.simulate = lower;
        j.o.cancel.poll = sweep_interrupted;
        int interrupted = sweep_run(j.pairs.n, solve, &j, args_given(a, OPT_QUIET));
        s = sweep_outcome(j.rows, j.pairs.n, sizeof *j.rows, interrupted, why);
        if (j.pairs.n > 1 && wants_text(a))
            show_table(&j);
        else
            sweep_show(j.rows, j.pairs.n, sizeof *j.rows, show_row, &j);
    }
    free(j.rows);
    free_pairs(&j.pairs);
    finf_noise_free(j.noise);
    return s;
}

static const option_use OPTIONS[] = {
    {.id = OPT_NOISE, .needed = 1},
    {.id = OPT_ETA, .needed = 1, .help = "step size, or a range such as 0.01:1:log:9"},
    {.id = OPT_DIM, .fallback = FROM_LIBRARY, .help = "dimension of theta"},
    {.id = OPT_KAPPA, .needed = 1},
    CONVEX_OPTIONS,
    {.id = OPT_LOWER},
    {.id = OPT_SEED, .fallback = FROM_LIBRARY, .help = "of --lower simulate"},
    PRIVACY_OPTIONS,
    COMMON_OPTIONS,
    {.id = OPT_PRECISION},
    {.id = OPT_END}};

/* A seed is of --lower simulate alone: nothing else here is random. */
static const option_rule RULES[] = {CONVEX_RULES,
                                    {.option = OPT_SEED, .needs = {OPT_LOWER}, .words = "simulate"},
                                    {.option = OPT_END}};

const command command_iqc = {
    .name = "iqc",
    .summary = "bound on F_inf for every mu-strongly convex, L-smooth F",
    .about = "An upper bound by integral quadratic constraints, recomputed from its multipliers "
             "on all frequencies, beside the\n"
             "worst quadratic. --certify proves it. A range of --kappa or --eta gives a table.",
    .example = "finf iqc --noise nu:0.056 --eta 0.1 --kappa 100 --certify",
    .options = OPTIONS,
    .rules = RULES,
    .run = cmd_iqc,
};
