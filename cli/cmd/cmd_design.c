/* finf design: the noise for a run of T steps, or for F_inf: every family side by side, with its
 * distance from the best possible. (theory 12) */
#include <stdlib.h>

#include "cmd.h"
#include "design_export.h"
#include "iqc_options.h"
#include "sweep.h"

typedef struct {
    const args *a;
    size_t n; /* steps; 0: F_inf */
    int prefix;
    int objective;
    problem p;
    sensitivity who; /* takes part how often */
    int chosen;      /* the step: none was given */
    double *start_at;
    finf_design_options o;
    finf_design *run;
    design_list list;
    finf_real least; /* no noise has a smaller loss; NaN: not computed */
    double gap;      /* of the dense solver; NaN: it was not run */
} job;

static const finf_system_options STOP = {.cancel = {sweep_interrupted, NULL}};

/* ---- reading --------------------------------------------------------------------------------- */

/* Either a loss or prefix sums, and of the first a spectrum and a step. */
static finf_status check_workload(const args *a, const job *j, finf_reason *why)
{
    if (j->prefix && !j->n) return finf_why(why, FINF_EUSAGE, "--workload prefix needs --steps");
    if (args_given(a, OPT_KAPPA) && j->n)
        return finf_why(why, FINF_EUSAGE,
                        "--kappa: the bound of every convex F has no horizon: leave out --steps");
    if (j->prefix) return FINF_OK;
    if (args_given(a, OPT_KAPPA))
        return args_given(a, OPT_ETA) ? FINF_OK : finf_why(why, FINF_EUSAGE, "--kappa needs --eta");
    if (!args_given(a, OPT_SPECTRUM) || (!args_given(a, OPT_ETA) && !j->n))
        return finf_why(
            why, FINF_EUSAGE,
            "the loss needs --spectrum and, without --steps, --eta: for example --eta 0.05 "
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
    int quick = args_given(j->a, OPT_EXPORT) || j->p.kind == PROBLEM_CONVEX;
    double dim = j->p.kind == PROBLEM_LINREG ? finf_spectrum_dim(j->p.H) : 0;
    finf_design_families(j->n, dim, quick, &j->o, room, sizeof room);
    if (!list) list = room;
    finf_status s = designs_read(list, j->n, &j->p, &j->list, why);
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
    /* who asks for prefix sums means all of them; for the last alone no noise is the best */
    if (j->prefix && !args_given(a, OPT_OBJECTIVE)) j->objective = FINF_DESIGN_AVERAGE;
    if (!s) s = check_workload(a, j, why);
    if (!s && j->n) s = read_participations(a, &j->who, why);
    if (!s) s = check_stdin(a, why);
    if (!s)
        s = read_problem(a,
                         j->prefix                  ? PROBLEM_NONE
                         : args_given(a, OPT_KAPPA) ? PROBLEM_CONVEX
                                                    : PROBLEM_LINREG,
                         &j->p, why);
    if (s) return s;
    set_options(j);
    if (j->n && !j->prefix)
        s = read_start(a, finf_spectrum_dim(j->p.H), &j->o.start, &j->start_at, why);
    j->o.start_at = j->start_at;
    if (!s && j->n && !j->prefix && isnan(j->p.eta)) {
        j->chosen = 1;
        if (j->n > FINF_DESIGN_STEP_MAX)
            return finf_why(why, FINF_EUSAGE,
                            "a run of %zu steps needs --eta: it is chosen up to %u", j->n,
                            FINF_DESIGN_STEP_MAX);
        s = finf_design_step(j->p.H, j->n, &j->o, &j->p.eta, why);
    }
    if (!s) s = read_families(j, why);
    if (!s && j->n)
        s = j->prefix ? finf_design_prefix(j->n, &j->o, &j->run, why)
                      : finf_design_make(j->p.eta, j->p.H, j->n, &j->o, &j->run, why);
    return s;
}

/* ---- running --------------------------------------------------------------------------------- */

/* scaled:k is an offer of the default: where its search fails the other families are the answer. */
static int forgiven(const job *j, const design_row *row, finf_status s)
{
    return row->kind == DESIGN_SCALED && !args_text(j->a, OPT_FAMILY) &&
           (s == FINF_EDOM || s == FINF_ETOL) && !sweep_interrupted(NULL);
}

/* One family after the other. A tolerance missed, or Ctrl-C, leaves what there is. */
static finf_status run(job *j, finf_reason *why)
{
    finf_status s = FINF_OK;
    size_t epoch = isnan(j->who.k) || j->who.k == 1 ? 0 : (size_t)j->who.b;
    j->least = finf_real_failed();
    j->gap = NAN;
    for (size_t i = 0; i < j->list.n; i++) {
        design_row *row = &j->list.all[i];
        if (i && sweep_interrupted(NULL))
            return finf_why(why, FINF_ETOL, "stopped after %zu of %zu families", i, j->list.n);
        finf_status one = j->n ? design_run(row, j->run, j->n, epoch, &STOP)
                               : design_stationary(row, &j->p);
        if (forgiven(j, row, one)) one = FINF_OK;
        if (one && !s) *why = row->r.reason;
        if (one && one != FINF_ETOL) return one;
        s = s ? s : one;
        if (row->done && !isnan(row->r.least))
            j->least = finf_real_make(row->r.least, row->r.least_error, "dual");
        if (row->done && !isnan(row->r.duality_gap)) j->gap = row->r.duality_gap;
    }
    return s;
}

/* ---- showing --------------------------------------------------------------------------------- */

#define SPELLED_MOST 4096 /* coefficients of a noise that is printed; a longer one is saved */
#define NOTED_MOST 1024   /* characters of a noise that text shows */

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
    /* coefficients of many steps are for files */
    if (spelled && j->list.n == 1 && strlen(text) < NOTED_MOST) show_quoted(d, "noise", text, NULL);
    free(text);
}

/* What all families have in common. */
static void show_run(doc *d, const job *j)
{
    if (j->n) {
        doc_number(d, "steps", SHOWN, (double)j->n, NULL);
        doc_string(d, "objective", SHOWN, finf_design_objective_name(j->o.objective),
                   "what is to be least");
    }
    doc_string(d, "workload", j->prefix ? SHOWN : DATA_ONLY, args_text(j->a, OPT_WORKLOAD),
               "what it is of");
    if (j->p.kind == PROBLEM_CONVEX) {
        double L = j->p.iqc.smooth;
        doc_number(d, "eta", SHOWN, j->p.eta, "step size");
        doc_number(d, "kappa", SHOWN, j->p.kappa, "condition number L/mu");
        doc_string(d, "bound", SHOWN, finf_iqc_bound_name(j->p.iqc.bound),
                   iqc_class_note(&j->p.iqc));
        show_optimizer(d, j->a, j->p.optimizer, j->p.eta, j->p.mu, L);
    } else if (!j->prefix) {
        show_spectrum(d, j->a, j->p.H);
        doc_number(d, "eta", SHOWN, j->p.eta,
                   j->chosen ? "chosen: loss_total of the best nu is least here" : "step size");
        show_optimizer(d, j->a, j->p.optimizer, j->p.eta, j->p.mu, finf_spectrum_max(j->p.H));
        if (j->n) show_start(d, j->a, j->o.start);
    }
    if (!isnan(j->who.k)) {
        doc_number(d, "participations", SHOWN, j->who.k, "at most, of one user");
        doc_number(d, "separation", SHOWN, j->who.b,
                   j->who.fixed_order ? "steps apart, exactly (fixed order)"
                                      : "steps apart, at least (min-separation)");
        doc_string(d, "count", DATA_ONLY, finf_design_count_name(j->o.count), NULL);
    }
}

/* What `least` is: the dual of disjoint patterns proves the optimum for one participation and for k
 * = ceil(n/b) in fixed order; for others it is a lower bound that may not be reached. */
static const char *least_note(const job *j)
{
    size_t b = j->o.separation, k = j->o.participations;
    if (j->p.kind == PROBLEM_CONVEX) return "minimax: no noise has a worst case below";
    if (!j->n || k == 1 || b >= j->n) return "no noise at all has a smaller loss";
    if (j->who.fixed_order && k >= (j->n + b - 1) / b) return "no noise at all has a smaller loss";
    return "no noise has a smaller loss; perhaps none one so small: patterns exactly b apart alone";
}

static const char *sensitivity_note(const job *j, const finf_design_result *r)
{
    if (r->sens2_exact) return "squared sensitivity";
    return j->who.fixed_order ? "an upper bound of the squared sensitivity"
                              : "an upper bound of the squared sensitivity, min-separation";
}

/* buf_decay decreasing, output_scale, and what is proved of both. */
static void show_blt(doc *d, const design_row *row)
{
    if (row->kind != DESIGN_BLT || !row->fit.buffers) return;
    doc_series(d, "buf_decay", row->fit.decay, row->fit.buffers);
    doc_series(d, "output_scale", row->fit.scale, row->fit.buffers);
    doc_string(d, "proved", SHOWN, row->fit.proved[0] ? row->fit.proved : NULL,
               "in interval arithmetic");
    doc_number(d, "left", DATA_ONLY, row->fit.left, NULL);
}

/* Vectors that a stream keeps; without a horizon those of a recursion alone. */
static double memory_of(const job *j, const design_row *row)
{
    if (j->n) return (double)row->r.memory;
    if (row->kind == DESIGN_BLT) return (double)row->fit.buffers;
    return strcmp(row->name, "sgd") == 0 ? 0 : NAN;
}

static void show_row(doc *d, const job *j, const design_row *row)
{
    const finf_design_result *r = &row->r;
    doc_row(d);
    doc_string(d, "family", SHOWN, row->name, NULL);
    show_run(d, j);
    const setting *x = &j->p.privacy;
    doc_real(d, "loss", SHOWN, with_rho(x, r->loss),
             j->p.kind == PROBLEM_CONVEX ? "F_inf is at most this" : "by privacy noise");
    doc_real(d, "loss_total", SHOWN, with_rho(x, r->loss_total),
             "with the start's and the gradient noise's");
    doc_real(d, "least", SHOWN, with_rho(x, j->least), least_note(j));
    doc_real(d, "gap", SHOWN, finf_real_over(r->loss, j->least), "loss/least");
    if (j->n) doc_number(d, "duality_gap", SHOWN, j->gap, "of the dense solver");
    doc_real(d, "sens2", SHOWN, r->sens2, sensitivity_note(j, r));
    doc_bool(d, "sens2_exact", DATA_ONLY, r->sens2_exact, NULL);
    doc_real(d, "rho", DATA_ONLY, x->rho, NULL);
    show_target(d, x);
    doc_number(d, "clip", DATA_ONLY, x->set.clip, NULL);
    finf_real sigma = with_rho(x, finf_noise_multipliers(&x->set, r->sens2).sigma);
    sigma.value = r->sigma;
    doc_real(d, "sigma", SHOWN, sigma, "standard deviation of w_t");
    show_batch(d, x, sigma);
    show_spelling(d, j, row);
    show_blt(d, row);
    if (!isnan(memory_of(j, row)))
        doc_number(d, "memory", SHOWN, memory_of(j, row), "vectors that a stream keeps");
    doc_number(d, "iterations", DATA_ONLY, r->iterations, NULL);
    doc_number(d, "seconds", SHOWN, r->seconds, NULL);
    show_row_reason(d, j->a,
                    r->reason.text[0] ? r->reason.text
                    : isnan(j->least.value)
                        ? "least was not computed: dense is not among the families"
                        : "");
}

/* In text below the table, as --noise takes it: what was found of a family that its name does not
 * say, a nu or a power; and of the BLTs the one with the least loss. */
static void note_noises(doc *d, const job *j)
{
    const design_row *best = NULL;
    char text[NOTED_MOST];
    for (size_t i = 0; i < j->list.n; i++) {
        const design_row *row = &j->list.all[i];
        if (row->kind == DESIGN_BLT && row->done && row->fit.buffers &&
            (!best || row->r.loss.value < best->r.loss.value))
            best = row;
    }
    for (size_t i = 0; i < j->list.n && j->list.n > 1; i++) {
        const design_row *row = &j->list.all[i];
        const finf_noise *noise = row->r.noise ? row->r.noise : row->given;
        int found = row == best || strcmp(row->name, "nu") == 0 || strcmp(row->name, "power") == 0;
        if (found && row->done && noise && !finf_noise_spell(noise, text, sizeof text))
            doc_note(d, "%s is --noise '%s'", row->name, text);
    }
}

/* Sensitivities that are only known from above are named. */
static void note_bounds(doc *d, const job *j)
{
    for (size_t i = 0; i < j->list.n && j->list.n > 1; i++)
        if (j->list.all[i].done && !j->list.all[i].r.sens2_exact)
            doc_note(d, "%s: sens2 is an upper bound of it, and loss of the loss%s",
                     j->list.all[i].name, j->who.fixed_order ? "" : " (min-separation)");
}

static void show(doc *d, const job *j)
{
    doc_heading(d, j->n                          ? "Noise for a run"
                   : j->p.kind == PROBLEM_CONVEX ? "Noise for every strongly convex, smooth F"
                                                 : "Noise for F_inf");
    for (size_t i = 0; i < j->list.n; i++)
        if (j->list.all[i].done) show_row(d, j, &j->list.all[i]);
    if (j->list.n > 1)
        doc_columns(d, "family,loss,loss_total,gap,sens2,sigma,sigma_mean,memory,seconds");
    note_noises(d, j);
    note_bounds(d, j);
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
        /* a design short of its tolerance is as private as any, and is kept too */
        if ((!s || s == FINF_ETOL) && args_given(a, OPT_SAVE) && j.list.all->done) {
            finf_status saved = design_save(a, j.list.all, &j.p.privacy.set, j.n, d, why);
            if (saved) s = saved;
        }
        if ((!s || s == FINF_ETOL) && args_given(a, OPT_EXPORT))
            s = design_export(a, &j.list, j.n, &j.p.privacy, &j.who, j.least.value, s, d, why);
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
    {.id = OPT_KAPPA, .help = "L/mu, without --steps: for the bound of every convex F"},
    {.id = OPT_SMOOTH},
    {.id = OPT_BOUND},
    {.id = OPT_CLASS},
    PARTICIPATION_OPTIONS,
    OPTIMIZER_OPTIONS,
    PRIVACY_OPTIONS,
    {.id = OPT_SAVE, .help = "c of a Toeplitz noise, for --noise design@FILE; else the matrix B"},
    {.id = OPT_EXPORT},
    {.id = OPT_BATCH,
     .help =
         "also sigma for the mean of n clipped gradients; --export: noise for that, not the sum"},
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
    {.option = OPT_KAPPA, .needs = {OPT_WORKLOAD}, .words = "loss"},
    {.option = OPT_SMOOTH, .needs = {OPT_KAPPA}},
    {.option = OPT_BOUND, .needs = {OPT_KAPPA}},
    {.option = OPT_CLASS, .needs = {OPT_KAPPA}},
    {.option = OPT_DIM, .needs = {OPT_SPECTRUM, OPT_KAPPA}},
    {.option = OPT_NORMALIZE, .needs = {OPT_SPECTRUM}},
    {.option = OPT_KURTOSIS, .needs = {OPT_SPECTRUM}},
    {.option = OPT_END}};

const command command_design = {
    .name = "design",
    .summary = "the noise for a run: every family, and its distance from the best possible",
    .about =
        "For a run of T steps the noise with the least exact loss: over all matrices, proved by "
        "its\ndual, over Toeplitz ones, bands of them and BLTs, beside noise that is given. "
        "Without --steps:\nfor F_inf (--spectrum), or the bound of every convex F (--kappa).",
    .example = "finf design --steps 100 --eta 0.05 --spectrum power:1 --dim 16",
    .options = OPTIONS,
    .rules = RULES,
    .columns = "family,loss,gap,sens2,sigma,memory,seconds",
    .plot = "loss",
    .plot_by = "family",
    .stoppable = 1,
    .run = cmd_design,
};
