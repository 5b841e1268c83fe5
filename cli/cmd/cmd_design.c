/* finf design: the noise for a run of T steps, or for F_inf: every family side by side, with its
 * distance from the best possible. (theory 12) */
#include <stdlib.h>

#include "cmd.h"
#include "design_export.h"
#include "sweep.h"

typedef struct {
    const args *a;
    size_t n; /* steps; 0: F_inf */
    int prefix;
    int objective;
    problem p;
    sensitivity who; /* takes part how often */
    double *start_at;
    finf_design_options o;
    finf_design *run;
    design_list list;
    double least; /* no noise has a smaller loss; NaN: not computed */
    double gap;   /* of the dense solver; NaN: it was not run */
} job;

static const finf_system_options STOP = {.cancel = {sweep_interrupted, NULL}};

/* ---- reading --------------------------------------------------------------------------------- */

/* Either a loss or prefix sums, and of the first a spectrum and a step. */
static finf_status check_workload(const args *a, const job *j, finf_reason *why)
{
    if (j->prefix && !j->n) return finf_why(why, FINF_EUSAGE, "--workload prefix needs --steps");
    if (j->prefix) return FINF_OK;
    if (!args_given(a, OPT_SPECTRUM) || !args_given(a, OPT_ETA))
        return finf_why(why, FINF_EUSAGE,
                        "the loss of a run needs --eta and --spectrum, for example --eta 0.05 "
                        "--spectrum power:1 --dim 64; or --workload prefix");
    return FINF_OK;
}

/* A line on the terminal for whoever watches. */
static void progress(void *data, int iteration, double loss, double least)
{
    (void)data;
    fprintf(stderr, "\r%d iterations, loss %.9g", iteration, loss);
    if (!isnan(least)) fprintf(stderr, ", at least %.9g", least);
    fputs("   \b\b\b", stderr);
    fflush(stderr);
}

static void set_options(job *j)
{
    j->o = finf_design_options_default();
    j->o.privacy = j->p.privacy.set;
    j->o.kurtosis = j->prefix ? 0 : j->p.kurtosis;
    j->o.objective = (finf_design_objective)j->objective;
    j->o.optimizer = j->p.optimizer;
    j->o.cancel.poll = sweep_interrupted;
    if (!isnan(j->who.k)) {
        j->o.participations = (size_t)j->who.k;
        j->o.separation = (size_t)j->who.b;
        j->o.count = j->who.fixed_order ? FINF_DESIGN_FIXED_ORDER : FINF_DESIGN_MIN_SEP;
    }
    if (!j->a->is_point && sweep_progress()) j->o.progress = progress;
}

static finf_status read_families(job *j, finf_reason *why)
{
    char room[128];
    const char *list = args_text(j->a, OPT_FAMILY);
    int quick = args_given(j->a, OPT_EXPORT) || j->o.participations > 1 ||
                j->objective == FINF_DESIGN_MAX || j->p.kind == PROBLEM_CONVEX;
    finf_status s = designs_read(list ? list : designs_default(j->n, quick, room, sizeof room),
                                 j->n, &j->p, &j->list, why);
    if (!s && args_given(j->a, OPT_SAVE) && (j->list.n != 1 || !j->n))
        s = finf_why(why, FINF_EUSAGE,
                     "--save keeps one noise of a run: give --steps and one "
                     "--family");
    return s;
}

static finf_status read_job(const args *a, job *j, finf_reason *why)
{
    double steps = 0;
    finf_status s = args_whole(a, OPT_STEPS, 1, FINF_SYSTEM_MAX, &steps, why);
    j->n = (size_t)steps;
    j->who = (sensitivity){.steps = steps, .k = NAN, .b = NAN};
    if (!s) s = args_choice(a, OPT_WORKLOAD, &j->prefix, why);
    if (!s) s = args_choice(a, OPT_OBJECTIVE, &j->objective, why);
    if (!s) s = check_workload(a, j, why);
    if (!s && j->n) s = read_participations(a, &j->who, why);
    if (!s) s = check_stdin(a, why);
    if (!s) s = read_problem(a, j->prefix ? PROBLEM_NONE : PROBLEM_LINREG, &j->p, why);
    if (s) return s;
    set_options(j);
    if (j->n && !j->prefix)
        s = read_start(a, finf_spectrum_dim(j->p.H), &j->o.start, &j->start_at, why);
    j->o.start_at = j->start_at;
    if (!s) s = read_families(j, why);
    if (!s && j->n)
        s = j->prefix ? finf_design_prefix(j->n, &j->o, &j->run, why)
                      : finf_design_make(j->p.eta, j->p.H, j->n, &j->o, &j->run, why);
    return s;
}

/* ---- running --------------------------------------------------------------------------------- */

/* One family after the other. A tolerance missed, or Ctrl-C, leaves what there is. */
static finf_status run(job *j, finf_reason *why)
{
    finf_status s = FINF_OK;
    size_t epoch = isnan(j->who.k) || j->who.k == 1 ? 0 : (size_t)j->who.b;
    j->least = j->gap = NAN;
    for (size_t i = 0; i < j->list.n; i++) {
        design_row *row = &j->list.all[i];
        if (i && sweep_interrupted(NULL))
            return finf_why(why, FINF_ETOL, "stopped after %zu of %zu families", i, j->list.n);
        finf_status one = j->n ? design_run(row, j->run, j->n, epoch, &STOP)
                               : design_stationary(row, &j->p);
        if (one && !s) *why = row->r.reason;
        if (one && one != FINF_ETOL) return one;
        s = s ? s : one;
        if (row->done && !isnan(row->r.least)) j->least = row->r.least;
        if (row->done && !isnan(row->r.duality_gap)) j->gap = row->r.duality_gap;
    }
    return s;
}

/* ---- showing --------------------------------------------------------------------------------- */

#define SPELLED_MOST 4096 /* coefficients of a noise that is printed; a longer one is saved */

/* `noise`: what --noise takes; a matrix has none. */
static void show_spelling(doc *d, const job *j, const design_row *row)
{
    const finf_noise *noise = row->r.noise ? row->r.noise : row->given;
    size_t size = 64 + 32 * (j->n < SPELLED_MOST ? j->n + 64 : SPELLED_MOST);
    char *text = malloc(size);
    if (!text) {
        doc_fail(d);
        return;
    }
    int spelled = noise && !finf_noise_spell(noise, text, size);
    if (!spelled && !j->n && row->kind == DESIGN_TOEPLITZ) {
        strcpy(text, "best"); /* for the same problem again */
        spelled = 1;
    }
    if (spelled) doc_string(d, "noise", DATA_ONLY, text, NULL);
    free(text);
}

/* What all families have in common. */
static void show_run(doc *d, const job *j)
{
    if (j->n) {
        doc_number(d, "steps", SHOWN, (double)j->n, NULL);
        doc_string(d, "objective", SHOWN, args_text(j->a, OPT_OBJECTIVE), "what is to be least");
    }
    doc_string(d, "workload", j->prefix ? SHOWN : DATA_ONLY, args_text(j->a, OPT_WORKLOAD),
               "what it is of");
    if (!j->prefix) {
        show_spectrum(d, j->a, j->p.H);
        doc_number(d, "eta", SHOWN, j->p.eta, "step size");
        show_optimizer(d, j->a, j->p.optimizer, j->p.eta, j->p.mu, finf_spectrum_max(j->p.H));
        if (j->n) show_start(d, j->a, j->o.start);
    }
    if (!isnan(j->who.k)) {
        doc_number(d, "participations", SHOWN, j->who.k, "at most, of one user");
        doc_number(d, "separation", SHOWN, j->who.b,
                   j->who.fixed_order ? "steps apart, exactly (fixed order)"
                                      : "steps apart, at least (min-separation)");
    }
}

static void show_row(doc *d, const job *j, const design_row *row)
{
    const finf_design_result *r = &row->r;
    doc_row(d);
    doc_string(d, "family", SHOWN, row->name, NULL);
    show_run(d, j);
    doc_real(d, "loss", SHOWN, r->loss, "by privacy noise");
    doc_real(d, "loss_total", SHOWN, r->loss_total, "with the start's and the gradient noise's");
    doc_number(d, "least", SHOWN, j->least, "no noise at all has a smaller loss");
    doc_number(d, "gap", SHOWN, r->loss.value / j->least, "loss/least");
    if (j->n) doc_number(d, "duality_gap", SHOWN, j->gap, "of the dense solver");
    doc_real(d, "sens2", SHOWN, r->sens2, "squared sensitivity");
    doc_bool(d, "sens2_exact", DATA_ONLY, r->sens2_exact, NULL);
    doc_number(d, "rho", DATA_ONLY, j->p.privacy.set.rho, NULL);
    doc_number(d, "clip", DATA_ONLY, j->p.privacy.set.clip, NULL);
    doc_number(d, "sigma", SHOWN, r->sigma, "standard deviation of w_t");
    show_spelling(d, j, row);
    if (j->n) doc_number(d, "memory", SHOWN, (double)r->memory, "vectors that a stream keeps");
    doc_number(d, "iterations", DATA_ONLY, r->iterations, NULL);
    doc_number(d, "seconds", SHOWN, r->seconds, NULL);
    show_row_reason(d, j->a,
                    r->reason.text[0] ? r->reason.text
                    : isnan(j->least) ? "least was not computed: dense is not among the families"
                                      : "");
}

static void show(doc *d, const job *j)
{
    doc_heading(d, j->n ? "Noise for a run" : "Noise for F_inf");
    for (size_t i = 0; i < j->list.n; i++)
        if (j->list.all[i].done) show_row(d, j, &j->list.all[i]);
    if (j->list.n > 1) doc_columns(d, "family,loss,loss_total,gap,sens2,sigma,memory,seconds");
    if (j->n && !j->prefix && j->objective == FINF_DESIGN_MAX)
        doc_note(d, "max: loss is the largest of privacy noise's part, loss_total of the whole");
}

static finf_status cmd_design(const args *a, doc *d, finf_reason *why)
{
    job j = {.a = a};
    finf_status s = design_export_check(a, why);
    if (!s) s = read_job(a, &j, why);
    if (!s) {
        s = run(&j, why);
        if (!s || s == FINF_ETOL) show(d, &j);
        if (!s && args_given(a, OPT_SAVE))
            s = design_save(a, j.list.all, &j.p.privacy.set, j.n, d, why);
        if ((!s || s == FINF_ETOL) && args_given(a, OPT_EXPORT))
            s = design_export(a, &j.list, j.n, &j.p.privacy, &j.who, j.least, s, d, why);
    }
    designs_free(&j.list);
    finf_design_free(j.run);
    free(j.start_at);
    return s;
}

static const option_use OPTIONS[] = {
    {.id = OPT_STEPS, .help = "of the run; without: of F_inf, as T grows"},
    {.id = OPT_FAMILY},
    {.id = OPT_WORKLOAD},
    {.id = OPT_OBJECTIVE},
    {.id = OPT_ETA},
    {.id = OPT_SPECTRUM},
    {.id = OPT_DIM},
    {.id = OPT_NORMALIZE},
    {.id = OPT_KURTOSIS},
    {.id = OPT_START},
    PARTICIPATION_OPTIONS,
    OPTIMIZER_OPTIONS,
    PRIVACY_OPTIONS,
    {.id = OPT_SAVE, .help = "c of a Toeplitz noise, for --noise design@FILE; else the matrix B"},
    {.id = OPT_EXPORT},
    {.id = OPT_BATCH,
     .help = "--export: the noise is added to the mean of n clipped gradients, not to their sum"},
    TABLE_OPTIONS,
    COMMON_OPTIONS,
    {.id = OPT_END}};

static const option_rule RULES[] = {
    PARTICIPATION_RULES,
    {.option = OPT_OBJECTIVE, .needs = {OPT_STEPS}, .because = "F_inf has no horizon"},
    {.option = OPT_START, .needs = {OPT_STEPS}, .because = "F_inf has forgotten the start"},
    {.option = OPT_ETA, .needs = {OPT_WORKLOAD}, .words = "loss"},
    {.option = OPT_SPECTRUM, .needs = {OPT_WORKLOAD}, .words = "loss"},
    {.option = OPT_START, .needs = {OPT_WORKLOAD}, .words = "loss"},
    {.option = OPT_SIGMA_SGD, .needs = {OPT_WORKLOAD}, .words = "loss"},
    {.option = OPT_BATCH, .needs = {OPT_EXPORT}},
    {.option = OPT_DIM, .needs = {OPT_SPECTRUM}},
    {.option = OPT_NORMALIZE, .needs = {OPT_SPECTRUM}},
    {.option = OPT_KURTOSIS, .needs = {OPT_SPECTRUM}},
    {.option = OPT_END}};

const command command_design = {
    .name = "design",
    .summary = "the noise for a run: every family, and its distance from the best possible",
    .about =
        "For a run of T steps the noise with the least exact loss: over all matrices, proved by "
        "its\ndual, over Toeplitz ones and bands of them, beside noise that is given. Without "
        "--steps: for\nF_inf.",
    .example = "finf design --steps 100 --eta 0.05 --spectrum power:1 --dim 16",
    .options = OPTIONS,
    .rules = RULES,
    .columns = "family,loss,gap,sens2,sigma",
    .plot = "loss",
    .stoppable = 1,
    .run = cmd_design,
};
