/* finf simulate: Monte Carlo of Noisy-FTRL, or with --clip-gradients of DP-FTRL, by independent
 * chains: in the limit or after --steps, beside the exact value where there is one. It is a second
 * opinion on the formulas, and the only one where gradients are clipped. (theory 0, 4, 5, 6.6) */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "sweep.h"

typedef struct {
    finf_noise *noise;
    finf_simulate_problem which;
    problem p;        /* mean or linreg; of huber the convex one that its noise is best for */
    double *start_at; /* NULL, or a value for each direction */
    sensitivity who;  /* with --steps: to several participations, if they are asked for */
    finf_simulate_options o;
    finf_simulate_result r; /* of the simulation, once it has ended */
} job;

/* ---- progress -------------------------------------------------------------------------------- */

typedef struct {
    struct timespec last; /* when the line was last written */
    int shown;            /* whether it was at all */
} bar;

/* A line on the terminal, at most ten times a second: a bar of ten, the steps done, and the
 * estimate so far. Three blanks and as many backspaces behind it remove what a longer line has
 * left. */
static void progress(void *data, double done, double expected, double mean, double error)
{
    bar *b = data;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (b->shown &&
        (double)(now.tv_sec - b->last.tv_sec) + 1e-9 * (double)(now.tv_nsec - b->last.tv_nsec) <
            0.1)
        return;
    *b = (bar){now, 1};
    int tenths = (int)(10 * fmin(done / expected, 1) + 0.5);
    fprintf(stderr, "\r[%.*s%.*s] %.3g steps", tenths, "==========", 10 - tenths, "          ",
            done);
    if (isfinite(error)) fprintf(stderr, ", %.5g +- %.2g", mean, error);
    fputs("   \b\b\b", stderr);
    fflush(stderr);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* What each problem needs; what it has no use for, args.c refuses. */
static finf_status check_options(const args *a, finf_simulate_problem which, finf_reason *why)
{
    if (which == FINF_SIMULATE_LINREG && !args_given(a, OPT_SPECTRUM))
        return finf_why(
            why, FINF_EUSAGE,
            "--problem linreg needs --spectrum, for example --spectrum power:1 --dim 16");
    if (which == FINF_SIMULATE_HUBER && !args_given(a, OPT_KAPPA))
        return finf_why(why, FINF_EUSAGE, "--problem huber needs --kappa, for example --kappa 100");
    return FINF_OK;
}

/* What is not given keeps the library's default. o.steps = 0 stands for the limit: that is what no
 * --steps means. */
static finf_status read_options(const args *a, job *j, finf_reason *why)
{
    double threads = 1, steps = 0;
    j->o = finf_simulate_options_default();
    finf_status s = args_number(a, OPT_KAPPA, &j->o.kappa, why);
    if (!s) s = args_number(a, OPT_SMOOTH, &j->o.smooth, why);
    if (!s) s = args_number(a, OPT_KNEE, &j->o.knee, why);
    if (!s && args_given(a, OPT_KNEE) && !(j->o.knee > 0))
        s = finf_why(why, FINF_EDOM, "knee = %.80s: must be positive", args_text(a, OPT_KNEE));
    if (!s) s = args_whole(a, OPT_STEPS, 1, FINF_STEPS_MAX, &steps, why);
    if (!s) s = args_seed(a, OPT_SEED, &j->o.seed, why);
    /* of several simulations each has one thread */
    if (!s) threads = a->is_point ? 1 : sweep_threads();
    if (!s) s = args_number(a, OPT_RELATIVE_ERROR, &j->o.relative_error, why);
    if (!s) s = args_whole(a, OPT_MAX_STEPS, 1, 1e15, &j->o.max_steps, why);
    j->o.threads = (unsigned)threads;
    j->o.steps = (size_t)steps;
    j->o.clip_gradients = args_given(a, OPT_CLIP_GRADIENTS);
    return s;
}

/* The simulation takes sigma^2 = G^2 gamma_T^2/(2 rho), of one participation: several are those of
 * a smaller rho. */
static finf_status read_who(const args *a, job *j, finf_reason *why)
{
    j->who = (sensitivity){.k = NAN};
    if (!args_given(a, OPT_PARTICIPATIONS) && !args_given(a, OPT_SEPARATION) &&
        !args_given(a, OPT_EPOCHS))
        return FINF_OK;
    finf_status s = read_sensitivity(a, j->noise, &j->who, why);
    if (!s && isfinite(j->who.sens2.value))
        j->o.privacy.rho *= j->who.steps2.value / j->who.sens2.value;
    return s;
}

static finf_status read_job(const args *a, job *j, finf_reason *why)
{
    static const problem_kind KINDS[] = {[FINF_SIMULATE_MEAN] = PROBLEM_MEAN,
                                         [FINF_SIMULATE_LINREG] = PROBLEM_LINREG,
                                         [FINF_SIMULATE_HUBER] = PROBLEM_CONVEX};
    int choice = 0;
    finf_status s = args_choice(a, OPT_PROBLEM, &choice, why);
    j->which = (finf_simulate_problem)choice;
    if (!s) s = check_options(a, j->which, why);
    if (!s) s = read_problem(a, KINDS[choice], &j->p, why);
    if (!s) s = read_options(a, j, why);
    j->o.privacy = j->p.privacy.set;
    j->o.optimizer = j->p.optimizer;
    if (!s)
        s = read_start(a, j->p.H ? finf_spectrum_dim(j->p.H) : 1, &j->o.start, &j->start_at, why);
    j->o.start_at = j->start_at;
    if (!s) s = read_noise(a, &j->p, &j->noise, why);
    return s ? s : read_who(a, j, why);
}

/* ---- showing --------------------------------------------------------------------------------- */

/* What was simulated: all that the numbers depend on, so that a row of CSV or JSON says how to get
 * it again. */
static void show_what(doc *d, const args *a, const job *j)
{
    const finf_simulate_options *o = &j->o;
    const problem *p = &j->p;
    double L = p->H ? finf_spectrum_max(p->H) : j->which == FINF_SIMULATE_HUBER ? o->smooth : 1;
    doc_row(d);
    doc_heading(d, o->clip_gradients ? "Simulation of DP-FTRL (gradients clipped)"
                                     : "Simulation of Noisy-FTRL (no clipping)");
    doc_string(d, "problem", SHOWN, finf_simulate_problem_name(j->which), NULL);
    show_noise(d, a, j->noise);
    doc_number(d, "eta", SHOWN, p->eta, "step size");
    show_optimizer(d, a, p->optimizer, p->eta, p->mu, L);
    if (p->H) show_spectrum(d, a, p->H);
    if (j->which == FINF_SIMULATE_HUBER) {
        doc_number(d, "kappa", SHOWN, o->kappa, "condition number");
        doc_number(d, "smooth", DATA_ONLY, o->smooth, NULL);
        if (!isnan(j->r.knee))
            doc_number(d, "knee", SHOWN, j->r.knee,
                       "curvature L below this |theta - theta*|, mu beyond");
    }
    show_setting(d, &p->privacy, isnan(j->who.k) ? j->r.gamma2 : j->who.sens2);
    doc_bool(d, "clip_gradients", DATA_ONLY, o->clip_gradients, NULL);
    /* the start matters after finitely many steps only */
    if (o->steps) {
        doc_number(d, "steps", SHOWN, (double)o->steps, "of a chain");
        show_start(d, a, o->start);
    }
    /* not in text; in a file it is what makes the run repeatable */
    doc_whole(d, "seed", DATA_ONLY, o->seed, NULL);
}

/* A value that was found for the rho of read_who, with what the error of that does to it. */
static finf_real with_sensitivity(const sensitivity *x, finf_real value)
{
    if (isnan(x->k) || !isfinite(x->sens2.value)) return value;
    return finf_privacy_widen(value, finf_real_over(x->steps2, x->sens2));
}

/* How it was done. */
static void show_work(doc *d, const job *j)
{
    const finf_simulate_result *r = &j->r;
    char note[160], size[64] = "";
    if (r->method_size) snprintf(size, sizeof size, " (%zu)", r->method_size);
    snprintf(note, sizeof note, "noise: %s%s", r->method, size);
    doc_number(d, "clipped_fraction", j->o.clip_gradients ? SHOWN : DATA_ONLY, r->clipped_fraction,
               "part of the gradients");
    doc_number(d, "steps_total", r->steps > 0 ? SHOWN : DATA_ONLY, r->steps, note);
    snprintf(note, sizeof note, "independent, %.15g steps each", r->chain_steps);
    if (!j->o.steps)
        snprintf(note + strlen(note), sizeof note - strlen(note), ", the first %.15g not counted",
                 r->burn_in);
    doc_number(d, "chains", r->steps > 0 ? SHOWN : DATA_ONLY, r->chains, note);
    doc_number(d, "chain_steps", DATA_ONLY, r->chain_steps, NULL);
    doc_number(d, "burn_in", DATA_ONLY, r->burn_in, NULL);
    doc_string(d, "method", DATA_ONLY, r->method, NULL);
    doc_number(d, "seconds", DATA_ONLY, r->seconds, NULL);
}

/* The estimate with one standard error, its 95% interval, and how far the exact value is from it in
 * standard errors. */
static void show(doc *d, const args *a, const job *j)
{
    const finf_simulate_result *r = &j->r;
    const char *exact = j->o.steps ? "F_last" : "F_inf";
    char note[160] = "";
    int have = isfinite(r->F.value);
    show_what(d, a, j);
    doc_real(d, j->o.steps ? "gamma2_T" : "gamma2", SHOWN, r->gamma2, "sensitivity squared");
    show_who(d, &j->who);
    snprintf(note, sizeof note,
             have ? "mean of E[F(theta) - F*], one standard error; 95%%: %.6g to %.6g"
                  : "E[F(theta) - F*]",
             r->low, r->high);
    doc_real(d, "F_sim", SHOWN, r->F, note);
    doc_number(d, "F_sim_low", DATA_ONLY, r->low, NULL);
    doc_number(d, "F_sim_high", DATA_ONLY, r->high, NULL);
    /* text has a dash and why no exact value is known; CSV and JSON have the reason at their end */
    if (isnan(r->exact.value))
        snprintf(note, sizeof note, "exact: %.140s", r->exact_reason.text);
    else if (have && isfinite(r->exact.value))
        snprintf(note, sizeof note, "exact; the simulation is %+.2f standard errors from it",
                 (r->F.value - r->exact.value) / r->F.error);
    else
        snprintf(note, sizeof note, "exact");
    doc_real(d, exact, SHOWN, with_sensitivity(&j->who, r->exact), note);
    show_work(d, j);
    if (r->reason.text[0])
        show_reason(d, &r->reason);
    else if (isnan(r->exact.value)) /* in text it stands beside the number */
        doc_string(d, "reason", DATA_ONLY, r->exact_reason.text, NULL);
}

static finf_status cmd_simulate(const args *a, doc *d, finf_reason *why)
{
    job j = {0};
    bar b = {0};
    finf_status s = read_job(a, &j, why);
    if (!s) {
        j.o.cancel.poll = sweep_interrupted;
        /* progress is for somebody who watches, and of one simulation */
        if (!a->is_point && sweep_progress()) {
            j.o.progress = progress;
            j.o.progress_data = &b;
        }
        s = finf_simulate(j.noise, j.which, j.p.eta, j.p.H, &j.o, &j.r);
        if (b.shown) fprintf(stderr, "\r%60s\r", "");
        if (s) *why = j.r.reason;
        if (!s || s == FINF_ETOL) show(d, a, &j);
    }
    finf_noise_free(j.noise);
    free(j.start_at);
    return s;
}

static const option_use OPTIONS[] = {
    {.id = OPT_NOISE, .needed = 1},
    {.id = OPT_ETA, .needed = 1},
    {.id = OPT_SPECTRUM, .help = "linreg: eigenvalues of H (see SPECTRUM)"},
    {.id = OPT_DIM, .help = "linreg: dimension of the spectrum (not for list and file)"},
    {.id = OPT_NORMALIZE, .help = "linreg: divide the spectrum by its largest eigenvalue"},
    {.id = OPT_STEPS, .help = "E[F - F*] after T steps, not in the limit"},
    {.id = OPT_KAPPA, .help = "huber: condition number L/mu"},
    {.id = OPT_SMOOTH, .fallback = FROM_LIBRARY, .help = "huber: smoothness L; mu = L/kappa"},
    {.id = OPT_SEED},
    {.id = OPT_START,
     .fallback = FROM_LIBRARY,
     .help = "with --steps: |theta_0 - theta*|^2, spread equally over the eigenvectors; or its "
             "part along each: list:.., @FILE"},
    {.id = OPT_PROBLEM, .needed = 1},
    {.id = OPT_KNEE},
    {.id = OPT_CLIP_GRADIENTS},
    {.id = OPT_RELATIVE_ERROR},
    {.id = OPT_MAX_STEPS},
    OPTIMIZER_OPTIONS,
    PARTICIPATION_OPTIONS,
    PRIVACY_OPTIONS,
    {.id = OPT_BATCH},
    TABLE_OPTIONS,
    COMMON_OPTIONS,
    {.id = OPT_END}};

/* What a problem has no use for is refused. */
static const option_rule RULES[] = {
    PARTICIPATION_RULES,
    {.option = OPT_SPECTRUM, .needs = {OPT_PROBLEM}, .words = "linreg"},
    {.option = OPT_DIM, .needs = {OPT_PROBLEM}, .words = "linreg"},
    {.option = OPT_NORMALIZE, .needs = {OPT_PROBLEM}, .words = "linreg"},
    {.option = OPT_KAPPA, .needs = {OPT_PROBLEM}, .words = "huber"},
    {.option = OPT_SMOOTH, .needs = {OPT_PROBLEM}, .words = "huber"},
    {.option = OPT_KNEE, .needs = {OPT_PROBLEM}, .words = "huber"},
    {.option = OPT_END}};

/* Mean estimation and the Huber-like loss are in one dimension. */
static const option_truth TRUTHS[] = {{OPT_DIM, "1"}, {OPT_END, NULL}};

const command command_simulate = {
    .name = "simulate",
    .summary = "Monte Carlo of Noisy-FTRL and DP-FTRL (--clip-gradients)",
    .about = "E[F(theta_t) - F*] from independent chains, in the limit or after --steps, with a "
             "standard error, a\n95% interval and "
             "the exact value where it is known. The same seed gives the same numbers. Ctrl-C "
             "prints what there is.",
    .example = "finf simulate --problem linreg --spectrum power:1 --dim 16 --noise nu:paper --eta "
               "0.05",
    .options = OPTIONS,
    .rules = RULES,
    .truths = TRUTHS,
    .columns = "F_sim,F_sim_low,F_sim_high,F_inf,F_last",
    .plot = "F_sim",
    .stoppable = 1,
    .run = cmd_simulate,
};
