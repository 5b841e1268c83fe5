/* finf curve: noise of n steps. The paper's variants side by side (Table 4): sensitivity, error of
 * the prefix sums, what it takes to make them; and with --eta and --spectrum the exact learning
 * curve of linear regression for each. (theory 6, 9) */
#include <stdlib.h>

#include "curve_show.h"
#include "sweep.h"

/* the paper's table of variants, and with a curve, where its nu is known */
#define VARIANTS "sgd,honaker,cc,nu:best,fft,full-honaker,me"
#define VARIANTS_OF_CURVE "sgd,honaker,cc,nu:paper,fft,full-honaker,me"
#define NOISING_MOST 2048  /* steps of `me` up to which its time has the matrix B in it */
#define DRAW_MOST 1000000u /* steps of the others up to which it has their noise */
#define WARM_MOST 200000   /* steps up to which all is done twice, and the second time taken */

/* Everything long is stopped by Ctrl-C. */
static const finf_system_options STOP = {.cancel = {sweep_interrupted, NULL}};

/* ---- values ---------------------------------------------------------------------------------- */

/* All names, before any work: --system, and every --noise. me:b is optimal for an epoch of b steps,
 * taken in the same order each time: where neither --participations nor --separation is given, it
 * says which are meant for all systems, ceil(n/b) participations b steps apart, and the noise is
 * for them. */
static finf_status read_systems(curve_job *j, finf_reason *why)
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
        if (!args_given(j->a, OPT_GAMMA)) j->gamma = GAMMA_FIXED_ORDER;
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
static finf_status time_draw(const curve_job *j, curve_entry *e, finf_reason *why)
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
static finf_status fill(const curve_job *j, const system_problem *of, system_spec *spec,
                        curve_entry *e, finf_reason *why)
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
static void run(curve_job *j)
{
    system_problem of = {j->p.H ? &j->p : NULL, 1, 1};
    if (!isnan(j->k)) {
        of.k = (size_t)j->k;
        of.b = (size_t)j->b;
    }
    for (; j->done < j->systems.n && !j->status; j->done += !j->status)
        j->status = fill(j, &of, &j->systems.all[j->done], &j->entries[j->done], &j->reason);
}

/* Which steps, sensitivity and output are asked for. */
static finf_status read_choices(const args *a, curve_job *j, finf_reason *why)
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
    /* who says how often a user takes part means the noise for that */
    if (!isnan(j->k) && !args_given(a, OPT_GAMMA))
        j->gamma = who.fixed_order ? GAMMA_FIXED_ORDER : GAMMA_MIN_SEP;
    return s;
}

/* A curve needs eta and H; without them there is the table of systems alone. */
static finf_status read_job(const args *a, curve_job *j, finf_reason *why)
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
static finf_status show(doc *d, const curve_job *j, finf_reason *why)
{
    int text = wants_text(j->a), csv = wants_csv(j->a);
    int curves = j->p.H && j->shown != SHOW_SYSTEMS && !j->a->is_point;
    if (!(text && j->shown == SHOW_CURVE)) {
        doc_heading(d, "Noise of finite time");
        for (size_t i = 0; i < j->done; i++) curve_show_system(d, j, i);
        if (j->done > 1 && !args_given(j->a, OPT_VERBOSE)) curve_show_table(d, j);
    } else
        doc_row(d);
    if (j->p.H && args_given(j->a, OPT_PLOT) && !j->a->is_point) curve_plot(d, j);
    const char *nu = curve_nu_range(j);
    if (!j->p.H && nu && !j->a->is_point)
        doc_figure(d, "nu", strstr(nu, ":log:") != NULL, "loss", "");
    if (curves && csv && !wants_npy(j->a)) return curve_show_parts(d, j, why);
    return curves && (text || csv) ? curve_show_curves(d, j, text, why) : FINF_OK;
}

static finf_status cmd_curve(const args *a, doc *d, finf_reason *why)
{
    curve_job j = {.a = a};
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
    {.id = OPT_GAMMA,
     .fallback = "T",
     .help = "noise by the sensitivity of these steps, of all time, or of several participations; "
             "where these are given: of them, --epochs and me:b fixed-order, --separation min-sep"},
    {.id = OPT_PARTICIPATIONS},
    {.id = OPT_SEPARATION},
    {.id = OPT_EPOCHS,
     .help = "or k passes over the data: as many participations, T/k steps apart"},
    OPTIMIZER_OPTIONS,
    PRIVACY_OPTIONS,
    {.id = OPT_BATCH},
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
    {.option = OPT_SIGMA_SGD, .needs = {OPT_SPECTRUM}, .because = "it is a parameter of the curve"},
    {.option = OPT_SHOW, .needs = {OPT_SPECTRUM}, .because = "there is no curve to show"},
    OPTION_NEEDS(OPT_OPTIMIZER, OPT_SPECTRUM),
    OPTION_NEEDS(OPT_AVERAGE, OPT_SPECTRUM),
    OPTION_NEEDS(OPT_WEIGHT_DECAY, OPT_SPECTRUM),
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
    .columns = "system,sens2,prefix_error,loss,sigma,F_last",
    .plot = "F_last|loss",
    .plot_by = "system_given",
    .stoppable = 1,
    .ranges = (const option_id[]){OPT_NOISE, OPT_END},
    .run = cmd_curve,
};
