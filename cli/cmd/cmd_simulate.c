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
    finf_simulate_problem problem;
    finf_spectrum *spectrum; /* linreg only; else NULL */
    double eta, mu;          /* mu: for 'auto' */
    double *start_at;        /* NULL, or a value for each direction */
    finf_simulate_options o;
    finf_simulate_result r; /* of the simulation, once run() has ended */
    finf_status status;
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

/* The only task of a sweep. */
static void run(size_t unused, void *ctx)
{
    (void)unused;
    job *j = ctx;
    j->status = finf_simulate(j->noise, j->problem, j->eta, j->spectrum, &j->o, &j->r);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* What each problem needs; what it has no use for, args.c refuses. */
static finf_status check_options(const args *a, finf_simulate_problem problem, finf_reason *why)
{
    if (problem == FINF_SIMULATE_LINREG && !args_given(a, OPT_SPECTRUM))
        return finf_why(
            why, FINF_EUSAGE,
            "--problem linreg needs --spectrum, for example --spectrum power:1 --dim 16");
    if (problem == FINF_SIMULATE_HUBER && !args_given(a, OPT_KAPPA))
        return finf_why(why, FINF_EUSAGE, "--problem huber needs --kappa, for example --kappa 100");
    return FINF_OK;
}

/* What is not given keeps the library's default. o.steps = 0 stands for the limit: that is what no
 * --steps means. */
static finf_status read_options(const args *a, job *j, finf_reason *why)
{
    double threads = 1, steps = 0;
    j->o = finf_simulate_options_default();
    finf_status s = read_setting(a, &j->o.privacy, why);
    if (!s) s = args_number(a, OPT_KAPPA, &j->o.kappa, why);
    if (!s) s = args_number(a, OPT_SMOOTH, &j->o.smooth, why);
    if (!s) s = args_number(a, OPT_KNEE, &j->o.knee, why);
    if (!s && args_given(a, OPT_KNEE) && !(j->o.knee > 0))
        s = finf_why(why, FINF_EDOM, "knee = %.80s: must be positive", args_text(a, OPT_KNEE));
    if (!s) s = args_whole(a, OPT_STEPS, 1, FINF_STEPS_MAX, &steps, why);
    if (!s) s = args_seed(a, OPT_SEED, &j->o.seed, why);
    if (!s) s = args_whole(a, OPT_THREADS, 1, 256, &threads, why);
    if (!s) s = args_number(a, OPT_RELATIVE_ERROR, &j->o.relative_error, why);
    if (!s) s = args_whole(a, OPT_MAX_STEPS, 1, 1e15, &j->o.max_steps, why);
    j->o.threads = (unsigned)threads;
    j->o.steps = (size_t)steps;
    j->o.clip_gradients = args_given(a, OPT_CLIP_GRADIENTS);
    return s;
}

/* mu, which auto needs, is the least eigenvalue for linreg, L/kappa for huber, and 1 for mean
 * estimation. */
static finf_status read_problem(const args *a, job *j, finf_reason *why)
{
    int choice = 0;
    double dim = NAN;
    finf_status s = args_choice(a, OPT_PROBLEM, &choice, why);
    j->problem = (finf_simulate_problem)choice;
    if (!s) s = check_options(a, j->problem, why);
    if (!s) s = read_eta(a, &j->eta, why);
    if (!s) s = read_options(a, j, why);
    if (!s) s = check_stdin(a, why);
    j->mu = j->problem == FINF_SIMULATE_HUBER ? j->o.smooth / j->o.kappa : 1;
    if (!s && j->problem == FINF_SIMULATE_LINREG) {
        s = args_whole(a, OPT_DIM, 1, FINF_DIM_MAX, &dim, why);
        if (!s) s = spec_spectrum(args_text(a, OPT_SPECTRUM), dim, &j->spectrum, why);
        if (!s && args_given(a, OPT_NORMALIZE)) s = finf_spectrum_normalize(j->spectrum);
        if (!s) j->mu = finf_spectrum_min(j->spectrum);
    }
    if (!s)
        s = read_start(a, j->spectrum ? finf_spectrum_dim(j->spectrum) : 1, &j->o.start,
                       &j->start_at, why);
    j->o.start_at = j->start_at;
    return s ? s : read_noise(a, j->eta, j->mu, &j->noise, why);
}

/* ---- showing --------------------------------------------------------------------------------- */

/* What was simulated: all that the numbers depend on, so that a row of CSV or JSON says how to get
 * it again. */
static void show_problem(doc *d, const args *a, const job *j)
{
    const finf_simulate_options *o = &j->o;
    char note[96];
    doc_row(d);
    doc_heading(d, o->clip_gradients ? "Simulation of DP-FTRL (gradients clipped)"
                                     : "Simulation of Noisy-FTRL (no clipping)");
    doc_string(d, "problem", "problem", finf_simulate_problem_name(j->problem), NULL);
    show_noise(d, a, j->eta, j->mu);
    doc_number(d, "eta", "eta", j->eta, "step size");
    if (j->spectrum) {
        const char *spectrum = args_text(a, OPT_SPECTRUM);
        snprintf(note, sizeof note, "%.40s%s", spectrum, strlen(spectrum) > 40 ? ".." : "");
        doc_string(d, "spectrum", NULL, spectrum, NULL);
        doc_string(d, NULL, "spectrum of H", note,
                   args_given(a, OPT_NORMALIZE) ? "divided by its largest" : NULL);
        doc_number(d, "d", "d", finf_spectrum_dim(j->spectrum), "dimension");
    }
    if (j->problem == FINF_SIMULATE_HUBER) {
        doc_number(d, "kappa", "kappa", o->kappa, "condition number");
        doc_number(d, "smooth", NULL, o->smooth, NULL);
        if (!isnan(j->r.knee))
            doc_number(d, "knee", "knee", j->r.knee,
                       "curvature L below this |theta - theta*|, mu beyond");
    }
    doc_number(d, "rho", "rho", o->privacy.rho, "zCDP");
    doc_number(d, "clip", o->clip_gradients ? "clip" : NULL, o->privacy.clip,
               "norm of the gradients");
    doc_number(d, "sigma_sgd", NULL, o->privacy.sigma_sgd, NULL);
    doc_bool(d, "clip_gradients", NULL, o->clip_gradients, NULL);
    /* the start matters after finitely many steps only */
    if (o->steps) {
        doc_number(d, "T", "T", (double)o->steps, "steps of a chain");
        show_start(d, a, o->start);
    }
    /* not in text; in a file it is what makes the run repeatable */
    doc_whole(d, "seed", NULL, o->seed, NULL);
}

/* The estimate with one standard error, its 95% interval, and how far the exact value is from it in
 * standard errors. */
static void show(doc *d, const args *a, const job *j)
{
    const finf_simulate_result *r = &j->r;
    char note[160], size[64] = "";
    int have = isfinite(r->F.value);
    show_problem(d, a, j);
    doc_real(d, "gamma2", "gamma2_error", j->o.steps ? "gamma_T^2" : "gamma_inf^2", r->gamma2,
             "sensitivity squared");
    snprintf(note, sizeof note,
             have ? "mean of E[F(theta) - F*], one standard error; 95%%: %.6g to %.6g"
                  : "E[F(theta) - F*]",
             r->low, r->high);
    doc_real(d, "F_sim", "F_error", j->o.steps ? "F_T" : "F_inf", r->F, note);
    doc_number(d, "F_low", NULL, r->low, NULL);
    doc_number(d, "F_high", NULL, r->high, NULL);
    /* text has a dash and why no exact value is known; CSV and JSON have the reason at their end */
    if (isnan(r->exact.value))
        doc_string(d, NULL, "exact", "-", r->exact_reason.text);
    else if (have && isfinite(r->exact.value))
        snprintf(note, sizeof note, "the simulation is %+.2f standard errors from it",
                 (r->F.value - r->exact.value) / r->F.error);
    else
        note[0] = 0;
    doc_number(d, "F_exact", isnan(r->exact.value) ? NULL : "exact", r->exact.value,
               note[0] ? note : NULL);
    doc_number(d, "F_exact_error", NULL, r->exact.error, NULL);
    if (j->o.clip_gradients)
        doc_number(d, NULL, "clipped", r->clipped_fraction, "part of the gradients");
    doc_number(d, "clipped_fraction", NULL, r->clipped_fraction, NULL);
    if (r->steps > 0) {
        if (r->method_size) snprintf(size, sizeof size, " (%zu)", r->method_size);
        snprintf(note, sizeof note, "noise: %s%s", r->method, size);
        doc_number(d, NULL, "steps", r->steps, note);
        snprintf(note, sizeof note, "independent, %.15g steps each", r->chain_steps);
        if (!j->o.steps)
            snprintf(note + strlen(note), sizeof note - strlen(note),
                     ", the first %.15g not counted", r->burn_in);
        doc_number(d, NULL, "chains", r->chains, note);
    }
    doc_number(d, "steps", NULL, r->steps, NULL);
    doc_number(d, "chains", NULL, r->chains, NULL);
    doc_number(d, "chain_steps", NULL, r->chain_steps, NULL);
    doc_number(d, "burn_in", NULL, r->burn_in, NULL);
    doc_string(d, "method", NULL, r->method, NULL);
    doc_number(d, "seconds", NULL, r->seconds, NULL);
    if (r->reason.text[0])
        show_reason(d, &r->reason);
    else if (isnan(r->exact.value)) /* in text it stands beside the number */
        doc_string(d, "reason", NULL, r->exact_reason.text, NULL);
}

static finf_status cmd_simulate(const args *a, doc *d, finf_reason *why)
{
    job j = {0};
    bar b = {0};
    finf_status s = read_problem(a, &j, why);
    if (!s) {
        j.o.cancel.poll = sweep_interrupted;
        /* progress is for somebody who watches: not in a file, not with --quiet */
        if (isatty(STDERR_FILENO) && !args_given(a, OPT_QUIET)) {
            j.o.progress = progress;
            j.o.progress_data = &b;
        }
        sweep_run(1, run, &j, 1); /* for its Ctrl-C */
        if (b.shown) fprintf(stderr, "\r%60s\r", "");
        if ((s = j.status)) *why = j.r.reason;
        if (!s || s == FINF_ETOL) show(d, a, &j);
    }
    finf_noise_free(j.noise);
    finf_spectrum_free(j.spectrum);
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
    {.id = OPT_THREADS},
    {.id = OPT_RELATIVE_ERROR},
    {.id = OPT_MAX_STEPS},
    PRIVACY_OPTIONS,
    COMMON_OPTIONS,
    {.id = OPT_PRECISION},
    {.id = OPT_END}};

/* What a problem has no use for is refused. */
static const option_rule RULES[] = {
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
             "standard error, a 95% interval and\n"
             "the exact value where it is known. The same seed gives the same numbers. Ctrl-C "
             "prints what there is.",
    .example = "finf simulate --problem linreg --spectrum power:1 --dim 16 --noise nu:auto --eta "
               "0.05",
    .options = OPTIONS,
    .rules = RULES,
    .truths = TRUTHS,
    .run = cmd_simulate,
};
