/* finf curve: noise of n steps. The paper's variants side by side (Table 4): sensitivity, error of
 * the prefix sums, what it takes to make them; and with --eta and --spectrum the exact learning
 * curve of linear regression for each. (theory 6, 9) */
#include <stdarg.h>
#include <stdlib.h>

#include "cmd.h"
#include "sweep.h"
#include "systems.h"

/* the paper's table of variants, and with a curve, where its nu is known */
#define VARIANTS "sgd,honaker,cc,nu:best,fft,full-honaker,me"
#define VARIANTS_OF_CURVE "sgd,honaker,cc,nu:paper,fft,full-honaker,me"
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
    size_t n;            /* steps */
    system_list systems; /* what was asked for, by name */
    entry *entries;      /* what was made of each */
    problem p;           /* linear regression; without H there is no curve, the table only */
    finf_curve_options o;
    double *start_at; /* NULL, or a value for each direction */
    double k, b;      /* participations, separation; NaN: one */
    int gamma;        /* a finf_curve_gamma, or GAMMA_.. */
    int shown;        /* SHOW_.. */
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

/* All names, before any work: --system, and every --noise. me:b is optimal for an epoch of b steps,
 * taken in the same order each time: where neither --participations nor --separation is given, it
 * says which are meant for all systems, ceil(n/b) participations b steps apart. */
static finf_status read_systems(job *j, finf_reason *why)
{
    const char *list = args_given(j->a, OPT_SYSTEM)  ? args_text(j->a, OPT_SYSTEM)
                       : args_given(j->a, OPT_NOISE) ? NULL
                       : j->p.H                      ? VARIANTS_OF_CURVE
                                                     : VARIANTS;
    finf_status s = list ? systems_read(list, j->n, &j->systems, why) : FINF_OK;
    for (size_t i = 0; i < j->a->repeats && !s; i++)
        if (j->a->repeated[i].id == OPT_NOISE)
            s = systems_add_noise(j->a->repeated[i].text, j->n, &j->systems, why);
    for (size_t i = 0; i < j->systems.n && !s && isnan(j->k); i++) {
        size_t b = j->systems.all[i].count;
        if (strncmp(j->systems.all[i].name, "me:", 3) != 0 || b >= j->n) continue;
        j->k = (double)((j->n + b - 1) / b);
        j->b = (double)b;
    }
    if (!s && isnan(j->k) && j->gamma >= GAMMA_FIXED_ORDER)
        s = finf_why(why, FINF_EUSAGE, "--gamma %s needs --participations and --separation",
                     args_text(j->a, OPT_GAMMA));
    if (!s && !(j->entries = calloc(j->systems.n, sizeof *j->entries)))
        s = finf_why(why, FINF_ENOMEM, "no memory");
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
static finf_status fill(const job *j, const system_problem *of, system_spec *spec, entry *e,
                        finf_reason *why)
{
    finf_curve_options o = j->o;
    finf_status s = FINF_OK;
    for (int again = 1; again && !s;) {
        int first = !e->system;
        finf_system_free(e->system);
        s = system_make(spec, j->n, of, &STOP, &e->system, why);
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
    if (!s && j->p.H && (s = finf_curve(e->system, j->p.eta, j->p.H, &o, &e->curve)))
        *why = e->curve.reason;
    return s;
}

/* One system after the other; those that were whole before Ctrl-C or a failure are shown. */
static void run(job *j)
{
    system_problem of = {j->p.H ? &j->p : NULL, 1, 1};
    if (!isnan(j->k)) {
        of.k = (size_t)j->k;
        of.b = (size_t)j->b;
    }
    for (; j->done < j->systems.n && !j->status; j->done += !j->status)
        j->status = fill(j, &of, &j->systems.all[j->done], &j->entries[j->done], &j->reason);
}

/* ---- the comparison -------------------------------------------------------------------------- */

/* Whether the fixed-order value is only an upper bound: no contributions u, -u attain it, which
 * happens where X has negative entries. (theory 6.5) */
static int fixed_is_upper(const finf_participation *p)
{
    return p->fixed_lower < p->fixed_order * (1 - 1e-9);
}

/* A sum of entries of X = C'C, which have the relative error that the largest on its diagonal has;
 * adding them up costs one rounding for each of the steps more. */
static finf_real of_many(const finf_system_facts *f, double value)
{
    double relative = f->sens2.error / f->sens2.value + (double)f->n * FINF_EPS;
    return finf_real_make(value, relative * value, f->sens2.method);
}

/* The squared sensitivity that sigma is scaled by. */
static finf_real sens2_used(const job *j, const entry *e)
{
    if (j->gamma >= GAMMA_FIXED_ORDER) return of_many(&e->facts, e->curve.sens2);
    finf_real one = j->o.gamma == FINF_CURVE_GAMMA_INF ? e->facts.gamma_inf2 : e->facts.sens2;
    return finf_real_make(e->curve.sens2, one.error, one.method);
}

/* E[F(theta_t) - F*], with what its squared sensitivity, where that is of several participations,
 * and rho are off by. */
static finf_real curve_at(const job *j, const entry *e, size_t t)
{
    double F = e->curve.F[t], relative = e->curve.relerr;
    finf_real sens2 = sens2_used(j, e);
    if (j->gamma >= GAMMA_FIXED_ORDER) relative += sens2.error / sens2.value;
    if (!isfinite(F)) return finf_real_infinite("second moment, step by step");
    return with_rho(&j->p.privacy, finf_real_make(F, relative * F, e->curve.last.method));
}

/* Several participations: the sensitivity counted in two ways, and with it the loss. */
static void show_participations(doc *d, const finf_system_facts *f, const finf_participation *p)
{
    finf_real fixed = of_many(f, p->fixed_order), min_sep = of_many(f, p->min_sep);
    char note[200];
    doc_number(d, "participations", SHOWN, (double)p->k, "of one user, at most");
    doc_number(d, "separation", SHOWN, (double)p->b, "steps between two of them");
    snprintf(note, sizeof note, "to steps exactly so far apart (fixed order)%s",
             fixed_is_upper(p) ? ": an upper bound" : "");
    doc_real(d, "sens2_fixed_order", SHOWN, fixed, note);
    doc_real(d, "loss_fixed_order", SHOWN, finf_real_times(fixed, f->error),
             "that times prefix_error");
    snprintf(note, sizeof note, "to steps at least so far apart (min-separation)%s%s",
             p->exact ? "" : ": an upper bound; at least ",
             p->exact ? "" : finf_show(p->min_sep_lower).s);
    doc_real(d, "sens2_min_sep", SHOWN, min_sep, note);
    doc_real(d, "loss_min_sep", SHOWN, finf_real_times(min_sep, f->error),
             "that times prefix_error");
    doc_real(d, "sens2_min_sep_lower", DATA_ONLY, of_many(f, p->min_sep_lower), NULL);
    doc_bool(d, "fixed_order_exact", fixed_is_upper(p) ? SHOWN : DATA_ONLY, !fixed_is_upper(p),
             NULL);
    doc_bool(d, "min_sep_exact", p->exact ? DATA_ONLY : SHOWN, p->exact, NULL);
}

/* me, banded: how the optimum was found, and how much smaller the loss it minimises could still be
 */
static void show_gap(doc *d, const finf_system_facts *f)
{
    char note[160];
    double gap = fmax(f->error.value / f->lower - 1, 0); /* it is scaled to the sensitivity 1 */
    if (f->iterations) doc_number(d, "iterations", SHOWN, f->iterations, "of the optimisation");
    /* only me has a lower bound; banded is a stationary point */
    if (isnan(f->lower)) return;
    snprintf(note, sizeof note,
             "no C has a loss (%zu participation%s) smaller by more than this part of it",
             f->participations, f->participations == 1 ? "" : "s, fixed order");
    doc_real(d, "least", DATA_ONLY, finf_real_make(f->lower, f->lower_error, f->error.method),
             NULL);
    doc_number(d, "duality_gap", SHOWN, gap, note);
}

/* The curve in JSON, and its error at every step. */
static void show_series(doc *d, const job *j, const entry *e)
{
    double *error = malloc((e->curve.n + 1) * sizeof *error);
    if (!error) {
        doc_fail(d);
        return;
    }
    for (size_t t = 0; t <= e->curve.n; t++) error[t] = curve_at(j, e, t).error;
    doc_series(d, "F", e->curve.F, e->curve.n + 1);
    doc_series(d, "F_error", error, e->curve.n + 1);
    free(error);
}

/* The columns of the paper's table of variants, and what it costs here. */
static void show_costs(doc *d, const entry *e)
{
    const finf_system_facts *f = &e->facts;
    char generation[96] = "to generate", step[96] = "training, a step";
    if (f->paper_generation[0]) {
        snprintf(generation, sizeof generation, "to generate; the paper has %s",
                 f->paper_generation);
        snprintf(step, sizeof step, "training, a step; the paper has %s", f->paper_step);
    }
    doc_bool(d, "anytime", SHOWN, f->anytime, "does not depend on the number of steps");
    doc_string(d, "generation", SHOWN, f->generation, generation);
    doc_string(d, "step", SHOWN, f->step, step);
    doc_string(d, "paper_generation", DATA_ONLY, f->paper_generation, NULL);
    doc_string(d, "paper_step", DATA_ONLY, f->paper_step, NULL);
    doc_number(d, "seconds", SHOWN, e->seconds, e->timed);
    doc_string(d, "timed", DATA_ONLY, e->timed, NULL);
    doc_bool(d, "drawn", DATA_ONLY, e->drawn, NULL);
}

/* The noise that nu:paper or nu:best stood for. */
static void show_name(doc *d, const system_spec *spec, const char *matrix)
{
    char spelled[64];
    snprintf(spelled, sizeof spelled, "nu:%s", finf_show(spec->nu).s);
    doc_string(d, "system", SHOWN, isnan(spec->nu) ? spec->name : spelled, matrix);
}

/* A record: in text a block of lines, or a line of the table of systems. */
static void show_system(doc *d, const job *j, size_t i)
{
    const entry *e = &j->entries[i];
    const finf_system_facts *f = &e->facts;
    doc_row(d);
    show_name(d, &j->systems.all[i], f->matrix);
    doc_string(d, "matrix", DATA_ONLY, f->matrix, NULL);
    doc_number(d, "steps", SHOWN, (double)f->n, NULL);
    if (j->p.H) {
        show_spectrum(d, j->a, j->p.H);
        doc_number(d, "eta", SHOWN, j->p.eta, "step size");
        show_optimizer(d, j->a, j->p.optimizer, j->p.eta, j->p.mu, finf_spectrum_max(j->p.H));
        show_setting(d, &j->p.privacy, sens2_used(j, e));
    }
    doc_real(d, "sens2", SHOWN, f->sens2, "squared sensitivity to one participation");
    if (!isnan(j->k)) show_participations(d, f, &e->many);
    doc_real(d, "prefix_error", SHOWN, f->error,
             "sum over t of the variance of prefix sum t, sigma = 1");
    doc_real(d, "loss", SHOWN, f->loss, "sens2 times prefix_error");
    if (!isnan(j->systems.all[i].nu)) doc_number(d, "nu", DATA_ONLY, j->systems.all[i].nu, NULL);
    show_gap(d, f);
    if (j->p.H)
        doc_real(d, "F_last", SHOWN, curve_at(j, e, j->n),
                 "E[F - F*] after the last step, exact for Gaussian inputs");
    show_costs(d, e);
    if (j->p.H && j->shown != SHOW_SYSTEMS) show_series(d, j, e);
    if (j->p.H) show_reason(d, &e->curve.reason);
}

/* Several systems in text: one table of what is compared. --verbose has the rest. */
static void show_table(doc *d, const job *j)
{
    int bare = 0, inexact = 0;
    for (size_t i = 0; i < j->done; i++) {
        bare |= !j->entries[i].drawn;
        inexact |= !isnan(j->k) &&
                   (fixed_is_upper(&j->entries[i].many) || !j->entries[i].many.exact);
    }
    doc_columns(d, "system,sens2,prefix_error,loss,sens2_fixed_order,loss_fixed_order,"
                   "fixed_order_exact,sens2_min_sep,loss_min_sep,min_sep_exact,F_last,seconds,"
                   "anytime,step");
    doc_note(d, "sens2: one participation; prefix_error: sum of the prefix sums' variances at "
                "sigma = 1; loss: sens2 times prefix_error");
    if (!isnan(j->k))
        doc_note(d,
                 "%g participations exactly (fixed order) or at least (min-sep) %g steps apart%s",
                 j->k, j->b, inexact ? "; where it is not exact, an upper bound" : "");
    if (j->p.H) doc_note(d, "F_last: E[F - F*] after the last step");
    doc_note(d, "seconds: from nothing (nu given) to the noise of all steps, one coordinate%s",
             bare ? "; where so many are not drawn, to prepare it only" : "");
}

/* ---- the curves ------------------------------------------------------------------------------ */

/* A table of t, then E[F(theta_t) - F*] of each system: all t in CSV; in text t = 0..8, from there
 * on a quarter further each time, and the last. */
static finf_status show_curves(doc *d, const job *j, int text, finf_reason *why)
{
    size_t columns = j->done + 1, rows = 0, stride = 1;
    const char **names = malloc(columns * sizeof *names);
    double *data = malloc((j->n + 1) * columns * sizeof *data);
    if (!data || !names) {
        free(data);
        free(names);
        return finf_why(why, FINF_ENOMEM, "no memory for the curve");
    }
    names[0] = "t";
    for (size_t i = 0; i < j->done; i++) names[i + 1] = j->systems.all[i].name;
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
    free(names);
    return FINF_OK;
}

/* The curves as CSV: a line for each system and t. */
static finf_status show_parts(doc *d, const job *j, finf_reason *why)
{
    static const char *const NAMES[] = {"t", "F", "F_error"};
    double *data = malloc(3 * (j->n + 1) * sizeof *data);
    if (!data) return finf_why(why, FINF_ENOMEM, "no memory for the curve");
    for (size_t i = 0; i < j->done; i++) {
        const entry *e = &j->entries[i];
        for (size_t t = 0; t <= j->n; t++) {
            double row[] = {(double)t, e->curve.F[t], curve_at(j, e, t).error};
            memcpy(data + 3 * t, row, sizeof row);
        }
        doc_part(d, "curve", "system", j->systems.all[i].name, 3, NAMES, data, j->n + 1);
    }
    free(data);
    return FINF_OK;
}

/* For --plot: the curves, at steps in nearly equal ratios, 48 for each factor 10. */
static void plot_curves(doc *d, const job *j)
{
    doc *p = doc_plot(d);
    for (size_t i = 0; p && i < j->done; i++) {
        size_t t = 1; /* step 0 has no place on a log axis */
        while (t <= j->n) {
            doc_row(p);
            doc_string(p, "system", DATA_ONLY, j->systems.all[i].name, NULL);
            doc_number(p, "t", DATA_ONLY, (double)t, NULL);
            doc_number(p, "F", DATA_ONLY, j->entries[i].curve.F[t], NULL);
            size_t next = (size_t)ceil((double)t * 1.05);
            t = t == j->n ? t + 1 : next > j->n ? j->n : next > t ? next : t + 1;
        }
    }
}

/* Which steps, sensitivity and output are asked for. */
static finf_status read_choices(const args *a, job *j, finf_reason *why)
{
    double steps = 1000;
    finf_status s = args_whole(a, OPT_STEPS, 1, FINF_SYSTEM_MAX, &steps, why);
    j->n = (size_t)steps;
    if (!s) s = args_choice(a, OPT_GAMMA, &j->gamma, why);
    if (!s) s = args_choice(a, OPT_SHOW, &j->shown, why);
    sensitivity who = {.steps = steps, .k = NAN, .b = NAN};
    if (!s) s = read_participations(a, &who, why);
    j->k = who.k;
    j->b = who.b;
    return s;
}

/* A curve needs eta and H; without them there is the table of systems alone. */
static finf_status read_job(const args *a, job *j, finf_reason *why)
{
    int curve = args_given(a, OPT_SPECTRUM);
    finf_status s = read_choices(a, j, why);
    if (!s && curve && !args_given(a, OPT_ETA))
        s = finf_why(why, FINF_EUSAGE, "a curve needs --eta beside --spectrum");
    if (!s && args_given(a, OPT_START) && !curve)
        s = finf_why(why, FINF_EUSAGE, "--start is of a curve: give --eta and --spectrum");
    if (!s) s = read_problem(a, curve ? PROBLEM_LINREG : PROBLEM_NONE, &j->p, why);
    j->o = finf_curve_options_default();
    j->o.privacy = j->p.privacy.set;
    j->o.optimizer = j->p.optimizer;
    if (curve) j->o.kurtosis = j->p.kurtosis;
    /* the two of several participations are numbers that fill() puts into o.sens2 */
    j->o.gamma = j->gamma < GAMMA_FIXED_ORDER ? (finf_curve_gamma)j->gamma : FINF_CURVE_GAMMA_T;
    j->o.cancel.poll = sweep_interrupted;
    if (!s && curve) s = read_start(a, finf_spectrum_dim(j->p.H), &j->o.start, &j->start_at, why);
    j->o.start_at = j->start_at;
    return s ? s : read_systems(j, why);
}

/* A record for each system, which in JSON has its curve in it. CSV is one table: that of the curves
 * where there are any and they are to be shown. Text has a block of lines for a single system, a
 * table for several, then the curves. */
static finf_status show(doc *d, const job *j, finf_reason *why)
{
    int text = wants_text(j->a), csv = wants_csv(j->a);
    int curves = j->p.H && j->shown != SHOW_SYSTEMS && !j->a->is_point;
    if (!(text && j->shown == SHOW_CURVE)) {
        doc_heading(d, "Noise of finite time");
        for (size_t i = 0; i < j->done; i++) show_system(d, j, i);
        if (j->done > 1 && !args_given(j->a, OPT_VERBOSE)) show_table(d, j);
    } else
        doc_row(d);
    if (j->p.H && args_given(j->a, OPT_PLOT) && !j->a->is_point) plot_curves(d, j);
    if (curves && csv && !wants_npy(j->a)) return show_parts(d, j, why);
    return curves && (text || csv) ? show_curves(d, j, text, why) : FINF_OK;
}

static finf_status cmd_curve(const args *a, doc *d, finf_reason *why)
{
    job j = {.a = a};
    finf_status s = read_job(a, &j, why);
    if (!s) {
        run(&j);
        if ((s = j.status)) *why = j.reason;
        finf_status shown = j.done && (!s || s == FINF_ETOL) ? show(d, &j, why) : FINF_OK;
        if (shown) s = shown;
    }
    for (size_t i = 0; j.entries && i < j.systems.n; i++) {
        finf_system_free(j.entries[i].system);
        finf_curve_result_free(&j.entries[i].curve);
    }
    free(j.entries);
    systems_free(&j.systems);
    free(j.start_at);
    return s;
}

static const option_use OPTIONS[] = {
    {.id = OPT_NOISE, .help = "a system more: any Toeplitz noise (see NOISE); may be repeated"},
    {.id = OPT_ETA, .help = "step size of the curve"},
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
    {.id = OPT_EPOCHS,
     .help = "or k passes over the data: as many participations, T/k steps apart"},
    OPTIMIZER_OPTIONS,
    PRIVACY_OPTIONS,
    TABLE_OPTIONS,
    COMMON_OPTIONS,
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
    OPTION_NEEDS(OPT_OPTIMIZER, OPT_SPECTRUM),
    OPTION_NEEDS(OPT_AVERAGE, OPT_SPECTRUM),
    OPTION_NEEDS(OPT_WEIGHT_DECAY, OPT_SPECTRUM),
    OPTION_NEEDS(OPT_EPSILON, OPT_SPECTRUM),
    OPTION_NEEDS(OPT_DELTA, OPT_SPECTRUM),
    {.option = OPT_END}};

/* Without a curve the systems are what is shown, and the sensitivity is that of these steps. */
static const option_truth TRUTHS[] = {
    {OPT_SHOW, "both|systems"}, {OPT_GAMMA, "T"}, {OPT_END, NULL}};

const command command_curve = {
    .name = "curve",
    .summary = "exact learning curves, and the paper's variants side by side",
    .about =
        "For n steps: sensitivity, prefix-sum error, generation time and cost of each "
        "system, in one\ntable; with --eta and --spectrum also the exact E[F(theta_t) - F*] of "
        "linear regression\nfor every t (csv, json: all of them).",
    .example = "finf curve --steps 256 --eta 0.05 --spectrum power:1 --dim 16",
    .options = OPTIONS,
    .rules = RULES,
    .truths = TRUTHS,
    .columns = "system,sens2,prefix_error,loss,F_last",
    .plot = "F_last|loss",
    .stoppable = 1,
    .ranges = (const option_id[]){OPT_NOISE, OPT_END},
    .run = cmd_curve,
};
