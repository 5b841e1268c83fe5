/* The one place where an option is spelled: its name, what it takes, its default and its help. A
 * command may give help and default of its own. */
#include "options.h"

#include "base.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

const char FROM_LIBRARY[] = "the library's";

/* The lists in finf.h have for each word its constant, its number and its meaning. These macros
 * make of a list the text of the help, with each entry behind a separator: &..[1] leaves out the
 * first. So a word added to the library is an option's word and is explained, without a change
 * here. */
#define BAR(constant, number, word, meaning) "|" word
#define EXPLAINED(constant, number, word, meaning) "; " word ": " meaning
#define MEANING(constant, number, word, meaning) "; " meaning
#define NUMBER(constant, number, word, meaning) number,
#define CHOICE(LIST)                                                                               \
    .argument = &LIST(BAR)[1], .numbers = (const int[]) { LIST(NUMBER) }

/* In the order of option_id, which is that of the help. An argument with bars is a list of the
 * words that are taken (args_choice, args_sized); LIST is one that must not be empty; anything else
 * is a name for what the help explains. A command whose
 * help or default differs has its own. */
static const option_info OPTIONS[OPT_COUNT] = {
    /* the noise, and the quadratic problem */
    [OPT_NOISE] = {.name = "noise",
                   .argument = "N",
                   .repeats = 1,
                   .key = "noise",
                   .help = "the noise beta (see NOISE); may be repeated"},
    [OPT_ETA] = {.name = "eta", .argument = "E", .key = "eta", .help = "step size"},
    [OPT_OPTIMIZER] = {.name = "optimizer",
                       .argument = "O",
                       .fallback = "sgd",
                       .repeats = 1,
                       .key = "optimizer",
                       .help = "the update rule (see OPTIMIZER); may be repeated"},
    [OPT_AVERAGE] = {.name = "average",
                     .argument = "ema:A|last:K",
                     .help = "report an average of the iterates: exponential, or of the last K"},
    [OPT_WEIGHT_DECAY] = {.name = "weight-decay",
                          .argument = "V",
                          .fallback = "0",
                          .key = "weight_decay",
                          .help = "minimise F + (V/2)|theta|^2 instead of F"},
    [OPT_CONTRACTION] = {.name = "contraction",
                         .argument = "R",
                         .key = "contraction",
                         .help = "the best step, momentum and noise of those whose slowest "
                                 "direction contracts by R a step"},
    [OPT_HALF_LIFE] = {.name = "half-life",
                       .argument = "n",
                       .key = "half_life",
                       .help = "the same, R = 2^(-1/n)"},
    [OPT_FRONTIER] = {.name = "frontier",
                      .implies = OPT_HALF_LIFE,
                      .implied = "100:100000:log:13",
                      .help = "the same over speeds: --half-life 100:100000:log:13"},
    [OPT_SPECTRUM] = {.name = "spectrum",
                      .argument = "S",
                      .repeats = 1,
                      .key = "spectrum",
                      .help = "eigenvalues of H (see SPECTRUM)"},
    [OPT_DIM] = {.name = "dim",
                 .argument = "D",
                 .key = "d",
                 .whole = 1,
                 .help = "dimension of the spectrum, up to 1e15 (not for list and file)"},
    [OPT_NORMALIZE] = {.name = "normalize",
                       .help = "divide the spectrum by its largest eigenvalue"},
    [OPT_KURTOSIS] = {.name = "kurtosis",
                      .argument = "K",
                      .fallback = FROM_LIBRARY,
                      .key = "kurtosis",
                      .help = "excess kurtosis of independent inputs; 0 is Gaussian"},
    [OPT_DIRECTIONS] = {.name = "directions",
                        .help = "also the contribution of each eigendirection"},
    [OPT_STEPS] = {.name = "steps",
                   .argument = "T",
                   .key = "steps",
                   .whole = 1,
                   .help = "also the sensitivity of T steps"},
    /* coef */
    [OPT_LENGTH] = {.name = "length", .argument = "n", .help = "how many coefficients"},
    [OPT_STRATEGY] = {.name = "strategy",
                      .help = "print c = 1/beta (strategy_coef) instead of beta"},
    [OPT_DENSITY] =
        {.name = "density",
         .help = "print |B(w)|^2 at n frequencies from 0 to pi instead: what spectrum@FILE reads"},
    /* privacy */
    [OPT_NOISE_MULTIPLIER] = {.name = "noise-multiplier",
                              .argument = "z",
                              .help = "sigma/(G gamma), instead of --rho"},
    [OPT_ACCOUNTING] = {.name = "accounting",
                        .argument = "gauss|zcdp",
                        .fallback = "gauss",
                        .help = "which epsilon fixes rho: the exact one or zCDP's"},
    /* noise (theory 13.5-13.7) */
    [OPT_DESIGN] = {.name = "design",
                    .argument = "FILE",
                    .help = "or what 'finf design --save FILE' wrote, with its sigma and steps"},
    [OPT_SIGMA] = {.name = "sigma",
                   .argument = "S",
                   .help = "standard deviation of the independent w; or a privacy target:"},
    [OPT_HORIZON] = {.name = "horizon",
                     .argument = "T",
                     .help = "steps of the whole run, where this is a part of it"},
    [OPT_DTYPE] = {.name = "dtype",
                   CHOICE(FINF_STREAM_DTYPE_LIST),
                   .fallback = "f64",
                   .help = "doubles, or floats: those rounded"},
    [OPT_KEY] = {.name = "key",
                 .argument = "FILE",
                 .help = "32 secret bytes, for several workers on one noise"},
    [OPT_FROM] = {.name = "from", .argument = "t", .help = "begin at step t (default 0)"},
    [OPT_COORDINATES] = {.name = "coordinates",
                         .argument = "a:b",
                         .help = "only a, .., b-1 of the D coordinates: the same bits"},
    [OPT_STATE] = {.name = "state",
                   .argument = "FILE",
                   .help = "go on where it stopped, if it is there; and stop there (a secret)"},
    /* sweep */
    [OPT_DB] = {.name = "db",
                .argument = "FILE",
                .help = "the database (SQLite) that has the jobs which are done"},
    [OPT_RESUME] = {.name = "resume", .help = "go on with what is left, as a sweep always does"},
    [OPT_WITHOUT] = {.name = "without",
                     .argument = "LIST",
                     .help = "export: columns to leave out, such as seconds"},
    /* audit (theory 13.8) */
    [OPT_COEF] = {.name = "coef",
                  CHOICE(FINF_AUDIT_COEF_LIST),
                  .help =
                      "what a plain list or matrix in FILE is (default: a list noising, a matrix "
                      "strategy)"},
    [OPT_CONVENTION] =
        {.name = "convention",
         .argument = "jax|tf",
         .fallback = "jax",
         .help = "how --separation counts: from one participation to the next, as jax_privacy, or "
                 "the steps between, as TF-Privacy: one less"},
    [OPT_CLAIMS] = {.name = "claims",
                    .argument = "NAME=V,..",
                    .help =
                        "what is said of it, to be checked: sens2, gamma2, prefix_error, "
                        "prefix_error_mean, prefix_error_max, mean_loss, max_loss, rho, epsilon"},
    [OPT_STRICT] = {.name = "strict", .help = "exit 1 if there is a finding"},
    /* strongly convex, smooth F: iqc, optimize, tune (theory 7) */
    [OPT_KAPPA] = {.name = "kappa",
                   .argument = "K",
                   .key = "kappa",
                   .help = "condition number L/mu"},
    [OPT_SMOOTH] = {.name = "smooth",
                    .argument = "L",
                    .fallback = FROM_LIBRARY,
                    .help = "smoothness L; mu = L/kappa"},
    [OPT_BOUND] = {.name = "bound",
                   CHOICE(FINF_IQC_BOUND_LIST),
                   .fallback = FROM_LIBRARY,
                   .help = &FINF_IQC_BOUND_LIST(EXPLAINED)[2]},
    [OPT_CLASS] = {.name = "class",
                   CHOICE(FINF_IQC_CLASS_LIST),
                   .fallback = FROM_LIBRARY,
                   .subject = "which F: ",
                   .help = &FINF_IQC_CLASS_LIST(MEANING)[2]},
    [OPT_CONSTANTS] = {.name = "constants",
                       CHOICE(FINF_IQC_CONSTANTS_LIST),
                       .fallback = FROM_LIBRARY,
                       .help = "constants in front of the integral"},
    [OPT_SOLVER] = {.name = "solver",
                    CHOICE(FINF_IQC_SOLVER_LIST),
                    .fallback = FROM_LIBRARY,
                    .help = "auto: ECOS for one bound where it is found, Newton for a range"},
    [OPT_GRID] = {.name = "grid",
                  .argument = "auto|uniform:k",
                  .fallback = "auto",
                  .help = "frequencies: clustered at 0, or k equally spaced"},
    [OPT_MULTIPLIER] = {.name = "multiplier",
                        .argument = "compact|fir:T",
                        .fallback = "compact",
                        .help = "multipliers: sums of exponentials, or T free ones a side"},
    [OPT_CERTIFY] = {.name = "certify", .help = "prove the bound in ball arithmetic"},
    [OPT_LOWER] = {.name = "lower",
                   .argument = "quadratic|simulate",
                   .fallback = "quadratic",
                   .help = "lower bound: the worst quadratic; also simulated F"},
    [OPT_SEED] = {.name = "seed",
                  .argument = "n",
                  .fallback = FROM_LIBRARY,
                  .help = "of the simulation"},
    [OPT_SAVE] = {.name = "save",
                  .argument = "FILE",
                  .help = "multipliers, psi, |B|^2 and beta: beta@FILE and spectrum@FILE read it"},
    [OPT_FORCE] = {.name = "force",
                   .help = "take a grid or multiplier too small for eta*mu, as the paper's may be"},
    [OPT_VERBOSE] = {.name = "verbose", .help = "also the solver's own objective, gap and repair"},
    /* rates (theory 5.4) */
    [OPT_DECAYS] =
        {.name = "decays",
         .argument = "LIST",
         .fallback = "0,0.5,0.75,1,1.5,2",
         .help = "exponents a of lambda_k = k^-a, a row each; prior: a table each, 1 unless given"},
    [OPT_TABLE] = {.name = "table",
                   .argument = "decays|prior|finite",
                   .fallback = "decays",
                   .help =
                       "eigenvalue decays; the noise of prior work; the finite-time corollaries"},
    [OPT_SLOPES] = {.name = "slopes", .help = "the log-log slopes instead of the values"},
    /* design (theory 12) */
    [OPT_FAMILY] =
        {.name = "family",
         .argument = "LIST",
         .help =
             "of dense, toeplitz, banded:b, blt:k, scaled:k, nu, me (the optimum for prefix sums), "
             "without --steps best, blt:k, nu, power, or any noise (see NOISE) as it is; "
             "default: all that fit"},
    [OPT_WORKLOAD] = {.name = "workload",
                      .argument = "loss|prefix",
                      .fallback = "loss",
                      .help = "what is to be least: the loss of the run, or the error of prefix "
                              "sums"},
    [OPT_OBJECTIVE] = {.name = "objective",
                       CHOICE(FINF_DESIGN_OBJECTIVE_LIST),
                       .fallback = FROM_LIBRARY,
                       .help = &FINF_DESIGN_OBJECTIVE_LIST(
                           EXPLAINED) "; the default of prefix sums is average"[2]},
    [OPT_EXPORT] =
        {.name = "export",
         .argument = "c|numpy|torch|jax",
         .help =
             "instead of the table: a program that makes the noise, of the family with the least "
             "loss and at most 64 vectors of state (of one --family: of that)"},
    /* curve (theory 6) */
    [OPT_SYSTEM] =
        {.name = "system",
         .argument = "LIST",
         .help = "of sgd, cc, nu:V, .., tree, honaker, full-honaker, fft, me, me:b, banded:b, "
                 "banded-sqrt:b (me:b: epochs of b steps in one order; nu:best without --spectrum: "
                 "of least loss); default: the paper's variants, or every --noise"},
    [OPT_SHOW] =
        {.name = "show",
         .argument = "both|systems|curve",
         .fallback = "both",
         .help = "with --spectrum: the comparison of the systems, the curve, or both (csv, one "
                 "table: the curve)"},
    [OPT_START] =
        {.name = "start",
         .argument = "X",
         .fallback = FROM_LIBRARY,
         .help = "|theta_0 - theta*|^2, spread equally over the eigenvectors; or its part along "
                 "each: list:.., @FILE (in the order of the spectrum)"},
    [OPT_GAMMA] =
        {.name = "gamma",
         .argument = &FINF_CURVE_GAMMA_LIST(BAR) "|fixed-order|min-sep"[1],
         .fallback = FROM_LIBRARY,
         .help =
             "noise by the sensitivity of these steps, of all time, or of several participations"},
    [OPT_PARTICIPATIONS] =
        {.name = "participations",
         .argument = "k",
         .help =
             "with --separation: sens2 and loss are of so many of one user (default: one, or those "
             "of me:b)"},
    [OPT_SEPARATION] = {.name = "separation",
                        .argument = "b",
                        .help = "least distance of two participations, in steps"},
    [OPT_EPOCHS] = {.name = "epochs",
                    .argument = "k",
                    .help =
                        "or k passes over the data in one order: a user at T/k, exactly, apart"},
    /* reproduce, and the constants of rates */
    [OPT_OUT] = {.name = "out",
                 .argument = "DIR",
                 .help = "where to write: all of the files or none"},
    [OPT_SET] = {.name = "set",
                 .argument = "NAME=V,..",
                 .help = "finite: constants of the corollaries (see CONSTANTS)"},
    [OPT_QUICK] = {.name = "quick", .help = "fewer points"},
    /* simulate (theory 6.6) */
    [OPT_PROBLEM] =
        {.name = "problem",
         CHOICE(FINF_SIMULATE_PROBLEM_LIST),
         .help =
             "mean estimation; linear regression (--spectrum); curvature L near the minimum, mu "
             "outside (--kappa)"},
    [OPT_KNEE] =
        {.name = "knee",
         .argument = "X",
         .help =
             "where huber's curvature changes (default: the rms of theta were it L everywhere)"},
    [OPT_CLIP_GRADIENTS] = {.name = "clip-gradients",
                            .help = "cut every gradient to the norm G, as DP-FTRL does"},
    [OPT_RELATIVE_ERROR] = {.name = "relative-error",
                            .argument = "X",
                            .fallback = FROM_LIBRARY,
                            .help = "stop when a standard error is this part of the mean"},
    [OPT_MAX_STEPS] = {.name = "max-steps",
                       .argument = "n",
                       .fallback = FROM_LIBRARY,
                       .help = "or after this many steps in all (exit 4, with the best value)"},
    /* the privacy setting, sigma^2 = G^2 gamma^2/(2 rho) */
    [OPT_RHO] = {.name = "rho",
                 .argument = "R",
                 .fallback = FROM_LIBRARY,
                 .key = "rho",
                 .help = "rho-zCDP: how private"},
    [OPT_EPSILON] = {.name = "epsilon",
                     .argument = "e",
                     .key = "epsilon",
                     .help = "with --delta, instead of --rho: exact for this Gaussian mechanism"},
    [OPT_DELTA] = {.name = "delta", .argument = "d", .key = "delta", .help = "of --epsilon"},
    [OPT_CLIP] = {.name = "clip",
                  .argument = "G",
                  .fallback = FROM_LIBRARY,
                  .key = "clip",
                  .help = "clip norm of the gradients"},
    [OPT_BATCH] = {.name = "batch",
                   .argument = "n",
                   .help = "also sigma for the mean of n clipped gradients, not their sum"},
    [OPT_SIGMA_SGD] = {.name = "sigma-sgd",
                       .argument = "S",
                       .fallback = FROM_LIBRARY,
                       .key = "sigma_sgd",
                       .help = "standard deviation of the gradient noise"},
    /* how and where to print */
    [OPT_PLOT] = {.name = "plot",
                  .argument = "FILE.svg",
                  .help = "also draw the table, over what has a range; one curve a noise"},
    [OPT_FORMAT] = {.name = "format",
                    .argument = "text|csv|json",
                    .fallback = "text",
                    .help = "how to print"},
    [OPT_JSON] = {.name = "json", .help = "short for --format json"},
    [OPT_CSV] = {.name = "csv",
                 .help = "short for --format csv",
                 .implies = OPT_FORMAT,
                 .implied = "csv"},
    [OPT_OUTPUT] = {.name = "output",
                    .argument = "FILE",
                    .help = "write there, whole or not at all, instead of stdout; .npy: for NumPy; "
                            ".csv, .json: in that format"},
    [OPT_HEADER_COMMENT] = {.name = "header-comment",
                            .help = "csv: the command line as a first line that begins with #"},
    [OPT_PRECISION] = {.name = "precision",
                       .argument = "n",
                       .help = "significant digits, 1 to 17 (text 10, csv and json 17)"},
    [OPT_QUIET] = {.name = "quiet", .help = "text: the values only"},
    [OPT_THREADS] = {.name = "threads",
                     .argument = "n",
                     .help = "1 to 256, as many as there are cores; no answer depends on it"},
    [OPT_PROGRESS] = {.name = "progress", .help = "how far it is, on stderr, also to a file"},
    [OPT_HELP] = {.name = "help", .help = "this text"},
    [OPT_VERSION] = {.name = "version", .help = "the version"},
};

/* ---- defaults of the library ----------------------------------------------------------------- */

static finf_text word(const char *name)
{
    finf_text t;
    snprintf(t.s, sizeof t.s, "%s", name);
    return t;
}

/* A default as one would write it on the command line: 1e8, not 1e+08. */
static finf_text number(double x)
{
    finf_text t = finf_show(x);
    char *e = strstr(t.s, "e+");
    if (e) {
        size_t zeros = strspn(e + 2, "0");
        memmove(e + 1, e + 2 + zeros, strlen(e + 2 + zeros) + 1);
    }
    return t;
}

/* The value that the library's own option structs have, so that the help cannot disagree with
 * it. */
static finf_text library_default(option_id id)
{
    const finf_privacy_setting privacy = finf_privacy_setting_default();
    const finf_iqc_options iqc = finf_iqc_options_default();
    const finf_curve_options curve = finf_curve_options_default();
    const finf_simulate_options simulation = finf_simulate_options_default();
    switch (id) {
    case OPT_RHO: return number(privacy.rho);
    case OPT_CLIP: return number(privacy.clip);
    case OPT_SIGMA_SGD: return number(privacy.sigma_sgd);
    case OPT_KURTOSIS: return number(finf_linreg_options_default().kurtosis);
    case OPT_DIM: return number(iqc.dim);
    case OPT_SMOOTH: return number(iqc.smooth);
    case OPT_BOUND: return word(finf_iqc_bound_name(iqc.bound));
    case OPT_CLASS: return word(finf_iqc_class_name(iqc.multipliers));
    case OPT_CONSTANTS: return word(finf_iqc_constants_name(iqc.constants));
    case OPT_SOLVER: return word(finf_iqc_solver_name(iqc.solver));
    case OPT_START: return number(curve.start);
    case OPT_GAMMA: return word(finf_curve_gamma_name(curve.gamma));
    case OPT_OBJECTIVE:
        return word(finf_design_objective_name(finf_design_options_default().objective));
    case OPT_SEED: return number((double)simulation.seed);
    case OPT_RELATIVE_ERROR: return number(simulation.relative_error);
    case OPT_MAX_STEPS: return number(simulation.max_steps);
    default: return word("?"); /* tests/docs.sh looks for it */
    }
}

/* Their texts, filled at the first use and never changed again: option_get returns pointers to
 * them, and tasks of a sweep call it from two threads. */
static finf_text DEFAULTS[OPT_COUNT];
static pthread_once_t defaults_once = PTHREAD_ONCE_INIT;

static void fill_defaults(void)
{
    for (int i = 0; i < OPT_COUNT; i++) DEFAULTS[i] = library_default((option_id)i);
}

/* ---- access ---------------------------------------------------------------------------------- */

const command *command_find(command_table all, const char *name)
{
    while (*all && strcmp((*all)->name, name) != 0) all++;
    return *all;
}

const option_use *option_of_command(const command *c, option_id id)
{
    const option_use *u = c->options;
    while (u->id != OPT_END && u->id != id) u++;
    return u->id == OPT_END ? NULL : u;
}

/* The table's entry, changed by what the command says. A copy: the table is constant. */
option_info option_get(option_id id, const command *c)
{
    option_info o = OPTIONS[id];
    const option_use *u = c ? option_of_command(c, id) : NULL;
    if (u && u->argument) o.argument = u->argument;
    /* a command's own help takes its own default with it, even if that is none */
    if (u && u->help) {
        o.subject = NULL;
        o.help = u->help;
        o.fallback = u->fallback;
    }
    if (o.fallback == FROM_LIBRARY) {
        pthread_once(&defaults_once, fill_defaults);
        o.fallback = DEFAULTS[id].s;
    }
    return o;
}

option_id option_find(const char *name, size_t length)
{
    for (int i = OPT_END + 1; i < OPT_COUNT; i++)
        if (strlen(OPTIONS[i].name) == length && strncmp(OPTIONS[i].name, name, length) == 0)
            return (option_id)i;
    return OPT_END;
}
