/* finf curve: noise of n steps. The paper's variants side by side (Table 4): sensitivity, error of
 * the prefix sums, what it takes to make them; and with --eta and --spectrum the exact learning
 * curve of linear regression for each. (theory 6, 9) */
#include <stdarg.h>
#include <stdlib.h>

#include "cmd.h"
#include "sweep.h"
#include "systems.h"

#define SYSTEMS_MAX 16
#define VARIANTS "sgd,honaker,cc,nu:auto,fft,full-honaker,me" /* the paper's table of variants */
#define NOISING_MOST 2048  /* steps of `me` up to which its time has the matrix B in it */
#define DRAW_MOST 1000000u /* steps of the others up to which it has their noise */
#define WARM_MOST 200000   /* steps up to which all is done twice, and the second time taken */

typedef struct {
    finf_system *system;
    finf_system_facts facts; /* its sensitivity, error, loss and costs */
    finf_curve_result curve; /* with H only */
    finf_participation many; /* its sensitivity to several participations, if asked for */
    double seconds;          /* that it took */
    const char *timed;       /* to do what */
    int drawn;               /* its noise, too */
} entry;

typedef struct {
    const args *a;
    /* steps, and systems */
    size_t n, count;
    system_spec specs[SYSTEMS_MAX]; /* what was asked for, by name */
    entry entries[SYSTEMS_MAX];     /* what was made of it */
    double eta;
    finf_spectrum *H; /* NULL: no curve, the table only */
    finf_curve_options o;
    double *start_at; /* NULL, or a value for each direction */
    double k, b;      /* participations, separation; NaN: one */
    int gamma;        /* a finf_curve_gamma, or GAMMA_.. */
    int shown;        /* SHOW_.. */
    int precision;    /* of the text table */
    size_t done;      /* entries with everything in them */
    finf_status status;
    finf_reason reason;
} job;

/* --gamma, after finf_curve_gamma's own; and --show */
enum { GAMMA_FIXED_ORDER = FINF_CURVE_GAMMA_INF + 1, GAMMA_MIN_SEP };
enum { SHOW_BOTH, SHOW_SYSTEMS, SHOW_CURVE };

/* Everything long is stopped by Ctrl-C. */
static const finf_system_options STOP = {.cancel = {sweep_interrupted, NULL}};

/* ---- values ---------------------------------------------------------------------------------- */

/* All names, before any work. me:b is optimal for an epoch of b steps, taken in the same order each
 * time: where neither --participations nor --separation is given, it says which are meant for all
 * systems, ceil(n/b) participations b steps apart. */
static finf_status read_systems(job *j, finf_reason *why)
{
    const char *noise = args_given(j->a, OPT_NOISE) ? args_text(j->a, OPT_NOISE) : NULL;
    const char *list = args_given(j->a, OPT_SYSTEM) ? args_text(j->a, OPT_SYSTEM)
                       : noise                      ? "noise"
                                                    : VARIANTS;
    finf_status s = systems_read(list, noise, j->n, j->specs, SYSTEMS_MAX, &j->count, why);
    for (size_t i = 0; i < j->count && !s && isnan(j->k); i++) {
        size_t b = j->specs[i].count;
        if (strncmp(j->specs[i].name, "me:", 3) != 0 || b >= j->n) continue;
        j->k = (double)((j->n + b - 1) / b);
        j->b = (double)b;
    }
    if (!s && isnan(j->k) && j->gamma >= GAMMA_FIXED_ORDER)
        s = finf_why(why, FINF_EUSAGE, "--gamma %s needs --participations and --separation",
                     args_text(j->a, OPT_GAMMA));
    return s;
}

/* The time that is compared: from nothing to the noise of all steps, one coordinate, its normals
 * given. Systems are prepared in different ways (a tree not at all, me by an optimisation), and
 * only up to that point do they all do the same. Where drawing would take too long or cannot be
 * done, it is the preparation alone, and `timed` says so. */
static finf_status time_draw(const job *j, entry *e, finf_reason *why)
{
    e->seconds = e->facts.seconds;
    e->timed = "preparing it alone: so many steps are not drawn";
    e->drawn = 0;
    if (j->n > (e->facts.participations ? NOISING_MOST : DRAW_MOST)) return FINF_OK;
    double *w = malloc(3 * j->n * sizeof *w);
    if (!w) return finf_why(why, FINF_ENOMEM, "no memory for %zu steps", j->n);
    /* not random: the time is the same */
    for (size_t i = 0; i < 2 * j->n; i++) w[i] = i % 3 ? 1 : -2;
    double began = finf_seconds();
    finf_status s = finf_system_draw(e->system, &STOP, w, w + 2 * j->n, why);
    began = finf_seconds() - began;
    free(w);
    /* a matrix singular to rounding: all else stands */
    if (s == FINF_ETOL && !sweep_interrupted(NULL)) {
        e->timed = "preparing it alone: its matrix is singular to rounding";
        return FINF_OK;
    }
    e->seconds += began;
    e->timed = "preparing it (nu given), and the noise of all steps, one coordinate";
    e->drawn = 1;
    return s;
}

/* Everything about one system. Short ones are made and drawn twice, and the second time is taken;
 * what is found by iteration is made once. */
static finf_status fill(const job *j, const system_auto *automatic, system_spec *spec, entry *e,
                        finf_reason *why)
{
    finf_curve_options o = j->o;
    finf_status s = FINF_OK;
    for (int again = 1; again && !s;) {
        int first = !e->system;
        finf_system_free(e->system);
        s = system_make(spec, j->n, automatic, &STOP, &e->system, why);
        if (s) return s;
        e->facts = finf_system_describe(e->system);
        s = time_draw(j, e, why);
        /* FFTW plans its transforms at their first use */
        again = first && !e->facts.iterations && j->n < WARM_MOST;
    }
    if (!s && !isnan(j->k))
        s = finf_system_participation(e->system, (size_t)j->k, (size_t)j->b, &STOP, &e->many, why);
    if (!s && j->gamma >= GAMMA_FIXED_ORDER)
        o.sens2 = j->gamma == GAMMA_FIXED_ORDER ? e->many.fixed_order : e->many.min_sep;
    if (!s && j->H && (s = finf_curve(e->system, j->eta, j->H, &o, &e->curve)))
        *why = e->curve.reason;
    return s;
}

/* One system after the other; those that were whole before Ctrl-C or a failure are shown. */
static void run(size_t unused, void *ctx)
{
    (void)unused;
    job *j = ctx;
    system_auto automatic = {j->H ? finf_nu_of_paper(j->eta, finf_spectrum_min(j->H)) : NAN, 1, 1};
    if (!isnan(j->k)) {
        automatic.k = (size_t)j->k;
        automatic.b = (size_t)j->b;
    }
    for (; j->done < j->count && !j->status; j->done += !j->status)
        j->status = fill(j, &automatic, &j->specs[j->done], &j->entries[j->done], &j->reason);
}

/* ---- the comparison -------------------------------------------------------------------------- */

/* Whether the fixed-order value is only an upper bound: no contributions u, -u attain it, which
 * happens where X has negative entries. (theory 6.5) */
static int fixed_is_upper(const finf_participation *p)
{
    return p->fixed_lower < p->fixed_order * (1 - 1e-9);
}

/* Several participations: the sensitivity counted in two ways, and with it the loss. */
static void show_participations(doc *d, const finf_participation *p, double error, int block)
{
    char note[200];
    snprintf(note, sizeof note, "%zu participations exactly %zu steps apart (fixed order)%s", p->k,
             p->b, fixed_is_upper(p) ? ": an upper bound" : "");
    doc_number(d, "participations", NULL, (double)p->k, NULL);
    doc_number(d, "separation", NULL, (double)p->b, NULL);
    doc_number(d, "sens2_fixed_order", block ? "  fixed order" : NULL, p->fixed_order, note);
    doc_number(d, "loss_fixed_order", block ? "    loss" : NULL, p->fixed_order * error,
               "that times the prefix error");
    snprintf(note, sizeof note, "at least that far apart (min-separation)%s%s",
             p->exact ? "" : ": an upper bound; at least ",
             p->exact ? "" : finf_show(p->min_sep_lower).s);
    doc_number(d, "sens2_min_sep", block ? "  min-sep" : NULL, p->min_sep, note);
    doc_number(d, "loss_min_sep", block ? "    loss" : NULL, p->min_sep * error, NULL);
    doc_number(d, "sens2_min_sep_lower", NULL, p->min_sep_lower, NULL);
    doc_bool(d, "min_sep_exact", NULL, p->exact, NULL);
}

/* me, banded: how the optimum was found, and how much smaller the loss it minimises could still be
 */
static void show_gap(doc *d, const finf_system_facts *f, int block)
{
    char note[160];
    double gap = fmax(f->error.value / f->lower - 1, 0); /* it is scaled to the sensitivity 1 */
    if (f->iterations)
        doc_number(d, "iterations", block ? "  iterations" : NULL, f->iterations,
                   "of the optimisation");
    /* only me has a lower bound; banded is a stationary point */
    if (isnan(f->lower)) return;
    snprintf(note, sizeof note,
             "no C has a loss (%zu participation%s) smaller by more than this part of it",
             f->participations, f->participations == 1 ? "" : "s, fixed order");
    doc_number(d, "lower", NULL, f->lower, NULL);
    doc_number(d, "gap", block ? "  duality gap" : NULL, gap, note);
}

/* The columns of the paper's table of variants, and what it costs here. */
static void show_costs(doc *d, const entry *e, int block)
{
    const finf_system_facts *f = &e->facts;
    char generation[96] = "", step[96] = "";
    if (f->paper_generation[0]) {
        snprintf(generation, sizeof generation, "to generate; the paper has %s",
                 f->paper_generation);
        snprintf(step, sizeof step, "training, a step; the paper has %s", f->paper_step);
    }
    doc_string(d, "matrix", NULL, f->matrix, NULL);
    doc_bool(d, "anytime", block ? "  anytime" : NULL, f->anytime,
             "does not depend on the number of steps");
    doc_string(d, "generation", block ? "  cost" : NULL, f->generation,
               generation[0] ? generation : "to generate");
    doc_string(d, "step", block ? "  cost" : NULL, f->step, step[0] ? step : "training, a step");
    doc_string(d, "paper_generation", NULL, f->paper_generation, NULL);
    doc_string(d, "paper_step", NULL, f->paper_step, NULL);
    doc_number(d, "seconds", block ? "  seconds" : NULL, e->seconds, e->timed);
    doc_string(d, "timed", NULL, e->timed, NULL);
}

/* A row of CSV and JSON; in text a block of lines, or nothing. */
static void show_system(doc *d, const job *j, size_t i, int block)
{
    const entry *e = &j->entries[i];
    const finf_system_facts *f = &e->facts;
    doc_row(d);
    doc_string(d, "system", block ? "system" : NULL, j->specs[i].name, f->matrix);
    doc_number(d, "steps", NULL, (double)f->n, NULL);
    doc_real(d, "sens2", "sens2_error", block ? "  sensitivity^2" : NULL, f->sens2,
             "one participation");
    if (!isnan(j->k)) show_participations(d, &e->many, f->error.value, block);
    doc_real(d, "error", NULL, block ? "  prefix error" : NULL, f->error,
             "sum over t of the variance of prefix sum t, sigma = 1");
    doc_real(d, "loss", NULL, block ? "  prefix loss" : NULL, f->loss, "sensitivity^2 times error");
    if (!isnan(j->specs[i].nu))
        doc_number(d, "nu", block ? "  nu" : NULL, j->specs[i].nu,
                   j->H          ? "auto: eta times the least eigenvalue"
                   : isnan(j->k) ? "auto: the least loss, to four digits"
                                 : "auto: the least loss for these participations, to four digits");
    show_gap(d, f, block);
    if (j->H) {
        doc_real(d, "F_last", "F_last_error", block ? "  E[F - F*]" : NULL, e->curve.last,
                 "after the last step, exact for Gaussian inputs");
        show_row_reason(d, j->a, e->curve.reason.text);
        if (block && e->curve.reason.text[0])
            doc_string(d, NULL, "  reason", e->curve.reason.text, NULL);
    }
    show_costs(d, e, block);
    if (j->H && j->shown != SHOW_SYSTEMS) doc_series(d, "F", e->curve.F, e->curve.n + 1);
}

/* A line of the table: cells right-aligned, words at the end. */
typedef struct {
    char text[512];
    size_t length;
} line;

/* Appends to the line, which has room for all columns at 17 digits. */
static void cell(line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void cell(line *l, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(l->text + l->length, sizeof l->text - l->length, format, ap);
    va_end(ap);
    if (n > 0 && (size_t)n < sizeof l->text - l->length) l->length += (size_t)n;
}

/* A number in a column as wide as its digits need; `upper`: it is an upper bound, marked <=. */
static void number_cell(line *l, const job *j, double x, int upper)
{
    char text[48];
    snprintf(text, sizeof text, "%s%.*g", upper ? "<=" : "", j->precision, x);
    cell(l, "%*s", j->precision + 7, text);
}

/* The head and the lines of the table are strings with a label, not a doc_table: their last columns
 * are words. */
static void show_table_head(doc *d, const job *j)
{
    const char *const more[] = {"fixed order", "its loss", "min-sep", "its loss"};
    int width = j->precision + 7;
    line l = {.length = 0};
    cell(&l, "%*s%*s%*s", width, "sens^2", width, "error", width, "loss");
    for (size_t c = 0; c < 4 && !isnan(j->k); c++) cell(&l, "%*s", width, more[c]);
    if (j->H) cell(&l, "%*s", width, "E[F - F*]");
    cell(&l, "%10s  anytime  cost of a step", "seconds");
    doc_string(d, NULL, "system", l.text, NULL);
}

static void show_table_line(doc *d, const job *j, const system_spec *spec, const entry *e)
{
    const finf_system_facts *f = &e->facts;
    const finf_participation *p = &e->many;
    char name[300], seconds[32];
    line l = {.length = 0};
    number_cell(&l, j, f->sens2.value, 0);
    number_cell(&l, j, f->error.value, 0);
    number_cell(&l, j, f->loss.value, 0);
    if (!isnan(j->k)) {
        number_cell(&l, j, p->fixed_order, fixed_is_upper(p));
        number_cell(&l, j, p->fixed_order * f->error.value, fixed_is_upper(p));
        number_cell(&l, j, p->min_sep, !p->exact);
        number_cell(&l, j, p->min_sep * f->error.value, !p->exact);
    }
    if (j->H) number_cell(&l, j, e->curve.last.value, 0);
    snprintf(seconds, sizeof seconds, "%s%.2g", e->drawn ? "" : ">", e->seconds);
    cell(&l, "%10s  %-7s  %s", seconds, f->anytime ? "yes" : "no", f->step);
    snprintf(name, sizeof name, isnan(spec->nu) ? "%s" : "%s = %s", spec->name,
             finf_show(spec->nu).s);
    doc_string(d, NULL, name, l.text, NULL);
}

/* One table, a line for each system: what is compared. --verbose has the rest. */
static void show_table(doc *d, const job *j)
{
    int bare = 0;
    const char *infinite = NULL;
    show_table_head(d, j);
    for (size_t i = 0; i < j->done; i++) {
        const entry *e = &j->entries[i];
        show_table_line(d, j, &j->specs[i], e);
        bare |= !e->drawn;
        if (j->H && e->curve.reason.text[0]) infinite = e->curve.reason.text;
    }
    if (infinite) doc_note(d, "inf: %s", infinite);
    doc_note(d, "sens^2: one participation; error: sum of the prefix sums' variances at sigma = 1; "
                "loss: sens^2 times error");
    if (!isnan(j->k))
        doc_note(d,
                 "%g participations exactly (fixed order) or at least (min-sep) %g steps apart: "
                 "sens^2 and loss",
                 j->k, j->b);
    if (j->H) doc_note(d, "E[F - F*]: after the last step");
    doc_note(d, "seconds: from nothing (nu given) to the noise of all steps, one coordinate%s",
             bare ? "; >: to prepare it only" : "");
}

/* ---- the curves ------------------------------------------------------------------------------ */

/* A table of t, then E[F(theta_t) - F*] of each system: all t in CSV; in text t = 0..8, from there
 * on a quarter further each time, and the last. */
static finf_status show_curves(doc *d, const job *j, int text, finf_reason *why)
{
    size_t columns = j->done + 1, rows = 0, stride = 1;
    const char *names[SYSTEMS_MAX + 1] = {"t"};
    char spelled[SYSTEMS_MAX][sizeof j->specs[0].name + 1];
    double *data = malloc((j->n + 1) * columns * sizeof *data);
    if (!data) return finf_why(why, FINF_ENOMEM, "no memory for the curve");
    for (size_t i = 0; i < j->done; i++) {
        snprintf(spelled[i], sizeof spelled[i], "%s%s", text ? " " : "", j->specs[i].name);
        /* a comma parts the columns of CSV */
        for (char *p = spelled[i]; *p; p++) *p = *p == ',' ? ' ' : *p;
        names[i + 1] = spelled[i];
    }
    for (size_t t = 0; t <= j->n; t += stride) {
        double *row = data + rows++ * columns;
        row[0] = (double)t;
        for (size_t i = 0; i < j->done; i++) row[i + 1] = j->entries[i].curve.F[t];
        if (text && t >= 8) stride = t / 4;
        if (text && t < j->n && t + stride > j->n) stride = j->n - t;
    }
    if (text) doc_note(d, "%s", "");
    if (text) doc_note(d, "E[F(theta_t) - F*]");
    doc_table(d, text ? NULL : "curve", columns, names, data, rows);
    free(data);
    return FINF_OK;
}

/* A curve needs eta and H; without them there is the table of systems alone. */
static finf_status read_job(const args *a, job *j, finf_reason *why)
{
    double steps = 1000, dim = NAN;
    finf_status s = read_eta(a, &j->eta, why);
    if (!s) s = args_whole(a, OPT_STEPS, 1, FINF_SYSTEM_MAX, &steps, why);
    j->n = (size_t)steps;
    j->o = finf_curve_options_default();
    if (!s) s = read_setting(a, &j->o.privacy, why);
    if (!s) s = args_number(a, OPT_KURTOSIS, &j->o.kurtosis, why);
    if (!s) s = args_choice(a, OPT_GAMMA, &j->gamma, why);
    if (!s) s = args_choice(a, OPT_SHOW, &j->shown, why);
    /* of the text table, where main's default of 10 would make the lines too long */
    double precision = 6;
    if (!s) s = args_whole(a, OPT_PRECISION, 1, 17, &precision, why);
    j->precision = (int)precision;
    /* the two of several participations are numbers that fill() puts into o.sens2 */
    j->o.gamma = j->gamma < GAMMA_FIXED_ORDER ? (finf_curve_gamma)j->gamma : FINF_CURVE_GAMMA_T;
    j->o.cancel.poll = sweep_interrupted;
    j->k = j->b = NAN;
    if (!s) s = args_whole(a, OPT_PARTICIPATIONS, 1, steps, &j->k, why);
    if (!s) s = args_whole(a, OPT_SEPARATION, 1, steps, &j->b, why);
    if (!s && isnan(j->k) != isnan(j->b))
        s = finf_why(why, FINF_EUSAGE, "--participations and --separation go together");
    if (!s) s = args_whole(a, OPT_DIM, 1, FINF_DIM_MAX, &dim, why);
    if (!s && args_given(a, OPT_SPECTRUM) && isnan(j->eta))
        s = finf_why(why, FINF_EUSAGE, "a curve needs --eta beside --spectrum");
    if (!s && args_given(a, OPT_START) && !args_given(a, OPT_SPECTRUM))
        s = finf_why(why, FINF_EUSAGE, "--start is of a curve: give --eta and --spectrum");
    if (!s) s = check_stdin(a, why);
    if (!s && args_given(a, OPT_SPECTRUM))
        s = spec_spectrum(args_text(a, OPT_SPECTRUM), dim, &j->H, why);
    if (!s && j->H && args_given(a, OPT_NORMALIZE)) s = finf_spectrum_normalize(j->H);
    if (!s && j->H) s = read_start(a, finf_spectrum_dim(j->H), &j->o.start, &j->start_at, why);
    j->o.start_at = j->start_at;
    return s ? s : read_systems(j, why);
}

/* A row for each system in CSV and JSON, which in JSON has its curve in it. CSV is one table: that
 * of the curves where there are any and they are to be shown. Text has a block of lines for a
 * single system, a table for several, then the curves. */
static finf_status show(doc *d, const job *j, finf_reason *why)
{
    int text = wants_text(j->a), csv = strcmp(args_text(j->a, OPT_FORMAT), "csv") == 0;
    int block = text && j->shown != SHOW_CURVE && (j->done == 1 || args_given(j->a, OPT_VERBOSE));
    doc_heading(d, "Noise of finite time");
    for (size_t i = 0; i < j->done; i++) show_system(d, j, i, block);
    if (text && j->shown != SHOW_CURVE && j->done > 1) show_table(d, j);
    if (!j->H || j->shown == SHOW_SYSTEMS) return FINF_OK;
    return text || csv ? show_curves(d, j, text, why) : FINF_OK;
}

static finf_status cmd_curve(const args *a, doc *d, finf_reason *why)
{
    job j = {.a = a};
    finf_status s = read_job(a, &j, why);
    if (!s) {
        sweep_run(1, run, &j, 1); /* for its Ctrl-C */
        if ((s = j.status)) *why = j.reason;
        finf_status shown = j.done && (!s || s == FINF_ETOL) ? show(d, &j, why) : FINF_OK;
        if (shown) s = shown;
    }
    for (size_t i = 0; i < j.count; i++) {
        finf_system_free(j.entries[i].system);
        finf_curve_result_free(&j.entries[i].curve);
    }
    systems_free(j.specs, j.count);
    finf_spectrum_free(j.H);
    free(j.start_at);
    return s;
}

static const option_use OPTIONS[] = {
    {.id = OPT_NOISE, .help = "the system called noise: any Toeplitz one (see NOISE)"},
    {.id = OPT_ETA,
     .help = "step size of the curve, in which auto is eta times the least eigenvalue"},
    {.id = OPT_SPECTRUM, .help = "eigenvalues of H (see SPECTRUM), for a learning curve"},
    {.id = OPT_DIM},
    {.id = OPT_NORMALIZE},
    {.id = OPT_KURTOSIS},
    {.id = OPT_STEPS, .fallback = "1000", .help = "how many"},
    {.id = OPT_VERBOSE,
     .help = "several systems: everything about each, with the paper's costs, before the table"},
    {.id = OPT_SYSTEM},
    {.id = OPT_SHOW},
    {.id = OPT_START},
    {.id = OPT_GAMMA},
    {.id = OPT_PARTICIPATIONS},
    {.id = OPT_SEPARATION},
    PRIVACY_OPTIONS,
    COMMON_OPTIONS,
    {.id = OPT_PRECISION},
    {.id = OPT_END}};

/* Without a spectrum there is no curve, and nothing that its parameters could change. */
static const option_rule RULES[] = {
    {.option = OPT_DIM, .needs = {OPT_SPECTRUM}},
    {.option = OPT_NORMALIZE, .needs = {OPT_SPECTRUM}},
    {.option = OPT_KURTOSIS, .needs = {OPT_SPECTRUM}, .because = "it is a parameter of the curve"},
    {.option = OPT_START, .needs = {OPT_SPECTRUM}, .because = "it is a parameter of the curve"},
    {.option = OPT_GAMMA, .needs = {OPT_SPECTRUM}, .because = "it is a parameter of the curve"},
    {.option = OPT_ETA, .needs = {OPT_SPECTRUM}, .because = "it is a parameter of the curve"},
    {.option = OPT_RHO, .needs = {OPT_SPECTRUM}, .because = "it is a parameter of the curve"},
    {.option = OPT_CLIP, .needs = {OPT_SPECTRUM}, .because = "it is a parameter of the curve"},
    {.option = OPT_SIGMA_SGD, .needs = {OPT_SPECTRUM}, .because = "it is a parameter of the curve"},
    {.option = OPT_SHOW, .needs = {OPT_SPECTRUM}, .because = "there is no curve to show"},
    {.option = OPT_NOISE, .needs = {OPT_SYSTEM}, .words = "noise"},
    {.option = OPT_END}};

/* Without a curve the systems are what is shown, and the sensitivity is that of these steps. */
static const option_truth TRUTHS[] = {
    {OPT_SHOW, "both|systems"}, {OPT_GAMMA, "T"}, {OPT_END, NULL}};

const command command_curve = {
    .name = "curve",
    .summary = "exact learning curves, and the paper's variants side by side",
    .about = "For n steps: sensitivity, prefix-sum error, generation time and cost of each "
             "system, in one table; with --eta and\n"
             "--spectrum also the exact E[F(theta_t) - F*] of linear regression for every t "
             "(csv, json: all of them).",
    .example = "finf curve --steps 256 --eta 0.05 --spectrum power:1 --dim 16",
    .options = OPTIONS,
    .rules = RULES,
    .truths = TRUTHS,
    .run = cmd_curve,
};
