#include "args.h"

#include "base.h"
#include "parse.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G (1u << CMD_GAMMA)
#define M (1u << CMD_MEAN)
#define L (1u << CMD_LINREG)
#define C (1u << CMD_COEF)
#define P (1u << CMD_PRIVACY)
#define I (1u << CMD_IQC)
#define O (1u << CMD_OPTIMIZE)
#define T (1u << CMD_TUNE)
#define R (1u << CMD_RATES)
#define V (1u << CMD_CURVE)
#define Z (1u << CMD_REPRODUCE)
#define U (1u << CMD_SIMULATE)
#define E (1u << CMD_ERRATA)
#define S (I | O | T) /* the strongly convex problem */
#define ALL (~0u)
#define PROBLEM (ALL & ~(E | Z)) /* what has parameters of its own */

typedef struct {
    const char *name, *argument, *fallback, *help;
    unsigned commands;
} option_info;

/* name, argument (NULL: a flag), default (NULL: none), help, commands */
static const option_info OPTIONS[OPT_COUNT] = {
    [OPT_NOISE] = {"noise", "N", NULL, "the noise beta (see NOISE)", G | M | L | C | P | I | V | U},
    [OPT_ETA] = {"eta", "E", NULL, "step size", PROBLEM},
    [OPT_MU] = {"mu", "M", "1", "strong convexity for 'auto' = eta*mu", G | C | P},
    [OPT_SPECTRUM] = {"spectrum", "S", NULL, "eigenvalues of H (see SPECTRUM)", L | T | V | U | R},
    [OPT_DIM] = {"dim", "D", NULL, "dimension of the spectrum, up to 1e15 (not for list and file)",
                 L | S | R | V | U},
    [OPT_NORMALIZE] = {"normalize", NULL, NULL, "divide the spectrum by its largest eigenvalue",
                       L | T | V | U},
    [OPT_KURTOSIS] = {"kurtosis", "K", "0", "excess kurtosis of independent inputs; 0 is Gaussian",
                      L | T | V},
    [OPT_DIRECTIONS] = {"directions", NULL, NULL, "also the contribution of each eigendirection",
                        L},
    [OPT_STEPS] = {"steps", "T", NULL, "also the sensitivity of T steps", G | P | V | U | R},
    [OPT_LENGTH] = {"length", "n", NULL, "how many coefficients", C},
    [OPT_STRATEGY] = {"strategy", NULL, NULL, "print c = 1/beta (strategy_coef) instead of beta",
                      C},
    [OPT_DENSITY] =
        {"density", NULL, NULL,
         "print |B(w)|^2 at n frequencies from 0 to pi instead: what spectrum@FILE reads", C},
    [OPT_EPSILON] = {"epsilon", "e", NULL, "with --delta: find rho; with --rho: find delta", P},
    [OPT_DELTA] = {"delta", "d", NULL, "with --rho: find epsilon", P},
    [OPT_NOISE_MULTIPLIER] = {"noise-multiplier", "z", NULL, "sigma/(G gamma), instead of --rho",
                              P},
    [OPT_ACCOUNTING] = {"accounting", "gauss|zcdp", "gauss",
                        "which epsilon fixes rho: the exact one or zCDP's", P},
    [OPT_KAPPA] = {"kappa", "K", NULL, "condition number L/mu, or a range such as 2:1000:log:25",
                   S | U},
    [OPT_SMOOTH] = {"smooth", "L", "1", "smoothness L; mu = L/kappa", S | U},
    [OPT_BOUND] = {"bound", "sharp|gaussian|fval|dist|sharp-dist", "sharp",
                   "sharp: F - F* with causality, for independent w (or martingale differences); "
                   "gaussian: for "
                   "Gaussian w; fval: without; dist: (L/2)|theta|^2, the paper's; sharp-dist: that "
                   "with causality",
                   S},
    [OPT_CLASS] = {"class", "general|odd|paper", "general",
                   "which F: all; symmetric; symmetric, with the paper's sign", S},
    [OPT_CONSTANTS] = {"constants", "sharp|paper", "sharp", "constants in front of the integral",
                       S},
    [OPT_SOLVER] = {"solver", "auto|ecos|newton", "auto",
                    "auto: ECOS for one bound where it is found, Newton for a range", S},
    [OPT_GRID] = {"grid", "auto|uniform:k", "auto",
                  "frequencies: clustered at 0, or k equally spaced", S},
    [OPT_MULTIPLIER] = {"multiplier", "compact|fir:T", "compact",
                        "multipliers: sums of exponentials, or T free ones a side", S},
    [OPT_CERTIFY] = {"certify", NULL, NULL, "prove the bound in ball arithmetic", S},
    [OPT_LOWER] = {"lower", "quadratic|simulate", "quadratic",
                   "lower bound: the worst quadratic; also simulated F", I},
    [OPT_SEED] = {"seed", "n", "1", "of the simulation", I | U},
    [OPT_SAVE] = {"save", "FILE", NULL,
                  "multipliers, psi, |B|^2 and beta: beta@FILE and spectrum@FILE read it", O},
    [OPT_FORCE] = {"force", NULL, NULL,
                   "take a grid or multiplier too small for eta*mu, as the paper's may be", S | Z},
    [OPT_VERBOSE] = {"verbose", NULL, NULL, "also the solver's own objective, gap and repair",
                     S | V},
    [OPT_DECAYS] =
        {"decays", "LIST", "0,0.5,0.75,1,1.5,2",
         "exponents a of lambda_k = k^-a, a row each; prior: a table each, 1 unless given", R},
    [OPT_TABLE] = {"table", "decays|prior|finite", "decays",
                   "eigenvalue decays; the noise of prior work; the finite-time corollaries", R},
    [OPT_SLOPES] = {"slopes", NULL, NULL, "the log-log slopes instead of the values", R},
    [OPT_SYSTEM] = {"system", "LIST", NULL,
                    "of sgd, cc, nu:V, .., tree, honaker, full-honaker, fft, me, me:b, banded:b, "
                    "banded-sqrt:b, noise "
                    "(me:b: epochs of b steps in one order; nu:auto without --spectrum: the nu of "
                    "least loss); default: the paper's "
                    "variants, or --noise",
                    V},
    [OPT_SHOW] = {"show", "both|systems|curve", "both",
                  "with --spectrum: the comparison of the systems, the curve, or both (csv, one "
                  "table: the curve)",
                  V},
    [OPT_START] = {"start", "X", "1",
                   "|theta_0 - theta*|^2, spread equally over the eigenvectors; or its part along "
                   "each: list:.., @FILE (in the "
                   "order of the spectrum)",
                   V | U},
    [OPT_GAMMA] =
        {"gamma", "T|inf|fixed-order|min-sep", "T",
         "noise by the sensitivity of these steps, of all time, or of several participations", V},
    [OPT_PARTICIPATIONS] =
        {"participations", "k", NULL,
         "with --separation: also their sensitivity, counted in two ways (default: those of me:b)",
         V},
    [OPT_SEPARATION] = {"separation", "b", NULL, "least distance of two participations, in steps",
                        V},
    [OPT_PROBLEM] = {"problem", "mean|linreg|huber", NULL,
                     "mean estimation; linear regression (--spectrum); curvature L near the "
                     "minimum, mu outside (--kappa)",
                     U},
    [OPT_KNEE] =
        {"knee", "X", NULL,
         "where huber's curvature changes (default: the rms of theta were it L everywhere)", U},
    [OPT_CLIP_GRADIENTS] = {"clip-gradients", NULL, NULL,
                            "cut every gradient to the norm G, as DP-FTRL does", U},
    [OPT_THREADS] = {"threads", "n", "2", "1 to 256; the output does not depend on it", U},
    [OPT_RELATIVE_ERROR] = {"relative-error", "X", "0.01",
                            "stop when a standard error is this part of the mean", U},
    [OPT_MAX_STEPS] = {"max-steps", "n", "1e8",
                       "or after this many steps in all (exit 4, with the best value)", U},
    [OPT_SET] = {"set", "NAME=V,..", NULL, "finite: constants of the corollaries (see CONSTANTS)",
                 R},
    [OPT_OUT] = {"out", "DIR", NULL, "where to write: all of the files or none", Z},
    [OPT_QUICK] = {"quick", NULL, NULL, "fewer points", Z},
    [OPT_RHO] = {"rho", "R", "1", "rho-zCDP: how private", PROBLEM},
    [OPT_CLIP] = {"clip", "G", "1", "clip norm of the gradients", PROBLEM},
    [OPT_SIGMA_SGD] = {"sigma-sgd", "S", "0", "standard deviation of the gradient noise", PROBLEM},
    [OPT_FORMAT] = {"format", "text|csv|json", "text", "how to print", ALL},
    [OPT_JSON] = {"json", NULL, NULL, "short for --format json", ALL},
    [OPT_OUTPUT] = {"output", "FILE", NULL, "write there (whole or not at all) instead of stdout",
                    ALL},
    [OPT_PRECISION] = {"precision", "n", NULL,
                       "significant digits, 1 to 17 (text 10, csv and json 17)", ALL & ~Z},
    [OPT_QUIET] = {"quiet", NULL, NULL, "text: the values only", ALL},
    [OPT_HELP] = {"help", NULL, NULL, "this text", ALL},
    [OPT_VERSION] = {"version", NULL, NULL, "the version", ALL},
};

/* What an option means in some commands, where that is not the text above. */
static const struct {
    option_id id;
    unsigned commands;
    const char *fallback, *help;
} VARIANTS[] = {
    {OPT_NOISE, P, "sgd", "the noise beta (see NOISE)"},
    {OPT_NOISE, V, NULL, "the system called noise: any Toeplitz one (see NOISE)"},
    {OPT_ETA, G | C | P, NULL, "step size, for 'auto' only"},
    {OPT_ETA, I | O, NULL, "step size, or a range such as 0.01:1:log:9"},
    {OPT_ETA, R, "0.01",
     "step size, or a range such as 0.01:0.1:log:5; finite: one, of the bound without clipping"},
    {OPT_ETA, V, NULL, "step size of the curve, in which auto is eta times the least eigenvalue"},
    {OPT_VERBOSE, V, NULL,
     "several systems: everything about each, with the paper's costs, before the table"},
    {OPT_SPECTRUM, T, NULL, "eigenvalues of H (see SPECTRUM), for linear regression"},
    {OPT_SPECTRUM, V, NULL, "eigenvalues of H (see SPECTRUM), for a learning curve"},
    {OPT_SPECTRUM, U, NULL, "linreg: eigenvalues of H (see SPECTRUM)"},
    {OPT_SPECTRUM, R, "power:1", "finite: eigenvalues of H (see SPECTRUM)"},
    {OPT_DIM, I | O, "1", "dimension of theta"},
    {OPT_DIM, T, NULL,
     "dimension of the spectrum (not for list and file); with --kappa of theta, 1 unless given"},
    {OPT_DIM, U, NULL, "linreg: dimension of the spectrum (not for list and file)"},
    {OPT_DIM, R, "128",
     "dimension, or a range such as 64:1024:log:5 (rounded to whole numbers); finite: one"},
    {OPT_NORMALIZE, U, NULL, "linreg: divide the spectrum by its largest eigenvalue"},
    {OPT_STEPS, P, NULL, "use the sensitivity of T steps, not of all time"},
    {OPT_STEPS, V, "1000", "how many"},
    {OPT_STEPS, U, NULL, "E[F - F*] after T steps, not in the limit"},
    {OPT_STEPS, R, "1e6", "finite: how many"},
    {OPT_KAPPA, T, NULL, "condition number L/mu, for the bound of iqc"},
    {OPT_KAPPA, U, NULL, "huber: condition number L/mu"},
    {OPT_SMOOTH, U, "1", "huber: smoothness L; mu = L/kappa"},
    {OPT_SEED, I, "1", "of --lower simulate"},
    {OPT_FORCE, Z, NULL, "replace the files of this command in DIR if it exists, and no others"},
    {OPT_START, U, "1",
     "with --steps: |theta_0 - theta*|^2, spread equally over the eigenvectors; or its part along "
     "each: list:.., @FILE"},
    {OPT_RHO, G | C, "1", "accepted as elsewhere; nothing here depends on it"},
    {OPT_RHO, P, NULL, "rho-zCDP, to convert"},
    {OPT_CLIP, G | C, "1", "accepted as elsewhere; nothing here depends on it"},
    {OPT_SIGMA_SGD, G | C | P, "0", "accepted as elsewhere; nothing here depends on it"},
};

#define BIT(id) (1ull << (id))

/* Where an option would have no effect, and so mislead, it is refused: `option` of `commands` needs
 * one of the options `needs` to be given, or, with `words`, one in `needs` to be (by default or
 * not) a list with one of them (or with what begins as in `k:n`). */
static const struct {
    unsigned commands;
    option_id option;
    unsigned long long needs;
    const char *words, *because;
} RULES[] = {
    {R, OPT_SPECTRUM, BIT(OPT_TABLE), "finite", "the decays are given by --decays"},
    {R, OPT_STEPS, BIT(OPT_TABLE), "finite", "the others are limits"},
    {R, OPT_SET, BIT(OPT_TABLE), "finite", NULL},
    {R, OPT_SLOPES, BIT(OPT_TABLE), "decays", NULL},
    {R, OPT_DECAYS, BIT(OPT_TABLE), "decays|prior", "finite takes a --spectrum"},
    {V, OPT_DIM, BIT(OPT_SPECTRUM), NULL, NULL},
    {V, OPT_NORMALIZE, BIT(OPT_SPECTRUM), NULL, NULL},
    {V, OPT_KURTOSIS, BIT(OPT_SPECTRUM), NULL, "it is a parameter of the curve"},
    {V, OPT_START, BIT(OPT_SPECTRUM), NULL, "it is a parameter of the curve"},
    {V, OPT_GAMMA, BIT(OPT_SPECTRUM), NULL, "it is a parameter of the curve"},
    {V, OPT_ETA, BIT(OPT_SPECTRUM), NULL, "it is a parameter of the curve"},
    {V, OPT_RHO, BIT(OPT_SPECTRUM), NULL, "it is a parameter of the curve"},
    {V, OPT_CLIP, BIT(OPT_SPECTRUM), NULL, "it is a parameter of the curve"},
    {V, OPT_SIGMA_SGD, BIT(OPT_SPECTRUM), NULL, "it is a parameter of the curve"},
    {V, OPT_SHOW, BIT(OPT_SPECTRUM), NULL, "there is no curve to show"},
    {V, OPT_NOISE, BIT(OPT_SYSTEM), "noise", NULL},
    {T, OPT_DIM, BIT(OPT_KAPPA) | BIT(OPT_SPECTRUM), NULL, NULL},
    {T, OPT_NORMALIZE, BIT(OPT_SPECTRUM), NULL, NULL},
    {T, OPT_KURTOSIS, BIT(OPT_SPECTRUM), NULL, NULL},
    {T, OPT_SMOOTH, BIT(OPT_KAPPA), NULL, NULL},
    {T, OPT_BOUND, BIT(OPT_KAPPA), NULL, NULL},
    {T, OPT_CLASS, BIT(OPT_KAPPA), NULL, NULL},
    {T, OPT_CONSTANTS, BIT(OPT_KAPPA), NULL, NULL},
    {T, OPT_SOLVER, BIT(OPT_KAPPA), NULL, NULL},
    {T, OPT_GRID, BIT(OPT_KAPPA), NULL, NULL},
    {T, OPT_MULTIPLIER, BIT(OPT_KAPPA), NULL, NULL},
    {T, OPT_CERTIFY, BIT(OPT_KAPPA), NULL, NULL},
    {T, OPT_FORCE, BIT(OPT_KAPPA), NULL, NULL},
    {S, OPT_FORCE, BIT(OPT_GRID) | BIT(OPT_MULTIPLIER), "uniform:k|fir:T", NULL},
    {I, OPT_SEED, BIT(OPT_LOWER), "simulate", NULL},
    {U, OPT_SPECTRUM, BIT(OPT_PROBLEM), "linreg", NULL},
    {U, OPT_DIM, BIT(OPT_PROBLEM), "linreg", NULL},
    {U, OPT_NORMALIZE, BIT(OPT_PROBLEM), "linreg", NULL},
    {U, OPT_KAPPA, BIT(OPT_PROBLEM), "huber", NULL},
    {U, OPT_SMOOTH, BIT(OPT_PROBLEM), "huber", NULL},
    {U, OPT_KNEE, BIT(OPT_PROBLEM), "huber", NULL},
    {G | C | P, OPT_MU, BIT(OPT_ETA), NULL, "auto is eta*mu"},
    {P, OPT_ACCOUNTING, BIT(OPT_EPSILON), NULL, "it is how epsilon and delta fix rho"},
    {P, OPT_ACCOUNTING, BIT(OPT_DELTA), NULL, "it is how epsilon and delta fix rho"},
};

/* Not misleading: these values state what holds anyway, whatever the rules say. */
static const struct {
    unsigned commands;
    option_id option;
    const char *words;
} HOLDS[] = {
    {V, OPT_SHOW, "both|systems"},
    {V, OPT_GAMMA, "T"},
    {T | U, OPT_DIM, "1"},
};

const command_info COMMANDS[CMD_COUNT] = {
    [CMD_GAMMA] = {"gamma", "sensitivity of the noise",
                   "gamma_inf^2 = sum c_t^2, c = 1/beta: how much noise privacy costs. Infinite, "
                   "with the reason, when B(z) has\n"
                   "a zero in |z| <= 1.",
                   "finf gamma --noise nu:0.01 --steps 1000", BIT(OPT_NOISE)},
    [CMD_MEAN] = {"mean", "F_inf for mean estimation",
                  "lim E[F(theta_t) - F*] for F = (1/2)E(theta-z)^2, exact, beside the best noise "
                  "and DP-SGD.",
                  "finf mean --noise nu:auto --eta 0.1", BIT(OPT_NOISE) | BIT(OPT_ETA)},
    [CMD_LINREG] = {"linreg", "F_inf for linear regression",
                    "lim E[F(theta_t) - F*] for F = (1/2)E(y-<theta,x>)^2, exact for Gaussian "
                    "inputs, with bounds for any inputs,\n"
                    "the best noise, and the contribution of each direction.",
                    "finf linreg --noise nu:auto --eta 0.02 --spectrum power:1 --dim 128 --rho 0.5",
                    BIT(OPT_NOISE) | BIT(OPT_ETA) | BIT(OPT_SPECTRUM)},
    [CMD_COEF] = {"coef", "coefficients beta (or c = 1/beta), ready to use",
                  "The first n noising coefficients, one number a line; what beta@FILE and "
                  "strategy@FILE read.",
                  "finf coef --noise nu:0.1 --length 5", BIT(OPT_NOISE) | BIT(OPT_LENGTH)},
    [CMD_PRIVACY] = {"privacy", "rho-zCDP, (epsilon, delta) and noise multipliers",
                     "Two of rho, epsilon, delta give the third, by the exact Gaussian formula and "
                     "by zCDP; and the three things\n"
                     "called noise multiplier, for the noise given (default sgd).",
                     "finf privacy --rho 1 --delta 1e-5", 0},
    [CMD_IQC] = {"iqc", "bound on F_inf for every mu-strongly convex, L-smooth F",
                 "An upper bound by integral quadratic constraints, recomputed from its "
                 "multipliers on all frequencies, "
                 "beside the\n"
                 "worst quadratic. --certify proves it. A range of --kappa or --eta gives a table.",
                 "finf iqc --noise nu:0.056 --eta 0.1 --kappa 100 --certify",
                 BIT(OPT_NOISE) | BIT(OPT_ETA) | BIT(OPT_KAPPA)},
    [CMD_OPTIMIZE] = {"optimize", "the same with the noise optimised too",
                      "The noise with the least bound found (a stationary point, from several "
                      "starts), beside DP-SGD, the "
                      "best nu and a\n"
                      "lower bound over all noise. --save writes it with its multipliers.",
                      "finf optimize --eta 0.1 --kappa 100", BIT(OPT_ETA) | BIT(OPT_KAPPA)},
    [CMD_RATES] = {"rates", "the eigenvalue-decay table: exact values beside the paper's rates",
                   "Exact F_inf of DP-SGD, nu = eta mu, the best nu and the best noise for each "
                   "decay, the paper's rate and the\n"
                   "constant that fits, beside the lower bound. Ranges of --dim or --eta add "
                   "log-log slopes. --table prior: the "
                   "noise of\n"
                   "prior work. --table finite: the bounds after T steps.",
                   "finf rates --dim 128 --eta 0.01", 0},
    [CMD_ERRATA] = {"errata", "corrections to the paper, in numbers",
                    "Each erratum of the paper: the printed value beside the computed one.",
                    "finf errata", 0},
    [CMD_CURVE] = {"curve", "exact learning curves, and the paper's variants side by side",
                   "For n steps: sensitivity, prefix-sum error, generation time and cost of each "
                   "system, in one table; with "
                   "--eta and\n"
                   "--spectrum also the exact E[F(theta_t) - F*] of linear regression for every t "
                   "(csv, json: all of "
                   "them).",
                   "finf curve --steps 256 --eta 0.05 --spectrum power:1 --dim 16", 0},
    [CMD_SIMULATE] =
        {"simulate", "Monte Carlo of Noisy-FTRL and DP-FTRL (--clip-gradients)",
         "E[F(theta_t) - F*] from independent chains, in the limit or after --steps, with a "
         "standard error, a 95% interval "
         "and\n"
         "the exact value where it is known. The same seed gives the same numbers. Ctrl-C prints "
         "what there is.",
         "finf simulate --problem linreg --spectrum power:1 --dim 16 --noise nu:auto --eta 0.05",
         BIT(OPT_NOISE) | BIT(OPT_ETA) | BIT(OPT_PROBLEM)},
    [CMD_REPRODUCE] = {"reproduce",
                       "the paper's tables and Figures 1 to 3: CSV, SVG and one HTML report",
                       "Writes the data behind every table and figure (17 digits, each file naming "
                       "its commands), the figures as SVG,\n"
                       "and report.html with all of them. (Figure 4 shows trained networks, which "
                       "this program does not do.)",
                       "finf reproduce --out paper --quick --force", BIT(OPT_OUT)},
    [CMD_TUNE] =
        {"tune",
         "the best nu: for iqc (--kappa), linear regression (--spectrum) or mean estimation",
         "Which nu? The one with the least bound (iqc) or the least exact F_inf (linreg, mean).",
         "finf tune --eta 0.1 --kappa 100", BIT(OPT_ETA)},
};

/* Every family of the library, a line each. */
static const char *noise_help(void)
{
    static char text[2048];
    finf_noise_form f;
    size_t n = 0;
    for (size_t i = 0; (f = finf_noise_form_get(i)).name && n < sizeof text; i++) {
        int also = f.file && !strchr(f.form, '@'); /* it may come from a file too */
        n += (size_t)snprintf(text + n, sizeof text - n, "  %-17s %-*s%s%s\n", f.form,
                              also ? 34 : 0, f.about, also ? f.name : "", also ? "@FILE" : "");
    }
    if (n < sizeof text)
        snprintf(text + n, sizeof text - n,
                 "  V may be auto = eta*mu. FILE is text, CSV or .npy; - is stdin.\n");
    return text;
}

static const char SPECTRUM_HELP[] = "  power:A           lambda_k = k^-A\n"
                                    "  exp:R             lambda_k = e^(-R(k-1))\n"
                                    "  flat              lambda_k = 1\n"
                                    "  step              1, 1/d, 1/d, ..\n"
                                    "  list:1,0.5,..     given eigenvalues                 @FILE\n";

/* ---- parsing --------------------------------------------------------------------------------- */

static int find_option(const char *name, size_t length)
{
    for (int i = 0; i < OPT_COUNT; i++)
        if (strlen(OPTIONS[i].name) == length && strncmp(OPTIONS[i].name, name, length) == 0)
            return i;
    return -1;
}

/* Is one of the words (a|b, or c:n for anything behind c:) in the list (a,b,c)? */
static int has_word(const char *list, const char *words)
{
    for (const char *p = list; *p; p += strcspn(p, ","), p += *p == ',')
        for (const char *w = words; *w; w += strcspn(w, "|"), w += *w == '|') {
            size_t n = strcspn(w, ":|"), whole = w[n] != ':';
            if ((!whole || strcspn(p, ",") == n) && strncmp(p, w, n + !whole) == 0) return 1;
        }
    return 0;
}

/* "--kappa or --spectrum" */
static void name_options(unsigned long long bits, char *out, size_t size)
{
    size_t n = 0;
    for (int i = 0; i < OPT_COUNT && n < size; i++)
        if (bits & BIT(i))
            n += (size_t)snprintf(out + n, size - n, "%s--%s", n ? " or " : "", OPTIONS[i].name);
}

static int states_what_holds(const args *a, option_id id)
{
    for (size_t i = 0; i < sizeof HOLDS / sizeof *HOLDS; i++)
        if (HOLDS[i].option == id && HOLDS[i].commands & (1u << a->command) &&
            has_word(args_text(a, id), HOLDS[i].words))
            return 1;
    return 0;
}

/* No option is passed over: one that has no effect beside the others is a mistake. */
static finf_status check_rules(const args *a, finf_reason *why)
{
    for (size_t r = 0; r < sizeof RULES / sizeof *RULES; r++) {
        if (!(RULES[r].commands & (1u << a->command)) || !args_given(a, RULES[r].option)) continue;
        if (states_what_holds(a, RULES[r].option)) continue;
        const char *words = RULES[r].words, *because = RULES[r].because;
        char others[96] = "";
        int fulfilled = 0;
        for (int i = 0; i < OPT_COUNT; i++) {
            if (!(RULES[r].needs & BIT(i))) continue;
            const char *text = args_text(a, (option_id)i);
            fulfilled |= words ? !text || has_word(text, words) : args_given(a, (option_id)i);
        }
        if (fulfilled) continue;
        name_options(RULES[r].needs, others, sizeof others);
        return finf_why(why, FINF_EUSAGE, "--%s has no effect without %s%s%s%s%s",
                        OPTIONS[RULES[r].option].name, others, words ? " " : "", words ? words : "",
                        because ? ": " : "", because ? because : "");
    }
    return FINF_OK;
}

finf_status args_parse(command_id command, int argc, char **argv, args *out, finf_reason *why)
{
    const char *name = COMMANDS[command].name;
    *out = (args){.command = command};
    for (int i = 1; i < argc; i++) {
        const char *word = strcmp(argv[i], "-h") == 0 ? "--help" : argv[i];
        if (strncmp(word, "--", 2) != 0 || !word[2])
            return finf_why(why, FINF_EUSAGE,
                            "%s: unexpected argument '%.80s'; options start with --", name, word);
        const char *equals = strchr(word, '=');
        size_t length = equals ? (size_t)(equals - word) - 2 : strlen(word) - 2;
        int id = find_option(word + 2, length);
        if (id < 0 || !(OPTIONS[id].commands & (1u << command)))
            return finf_why(why, FINF_EUSAGE,
                            "%s has no option '%.80s'; 'finf %s --help' lists them", name, word,
                            name);
        if (out->value[id])
            return finf_why(why, FINF_EUSAGE, "--%s is given twice", OPTIONS[id].name);
        if (!OPTIONS[id].argument) {
            if (equals) return finf_why(why, FINF_EUSAGE, "--%s takes no value", OPTIONS[id].name);
            out->value[id] = "";
        } else if (equals)
            out->value[id] = equals + 1;
        else if (i + 1 < argc)
            out->value[id] = argv[++i];
        else
            return finf_why(why, FINF_EUSAGE, "--%s needs a value (%s)", OPTIONS[id].name,
                            OPTIONS[id].argument);
        if (OPTIONS[id].argument && strcmp(OPTIONS[id].argument, "LIST") == 0 && !*out->value[id])
            return finf_why(why, FINF_EPARSE, "%s: the list is empty", OPTIONS[id].name);
    }
    if (out->value[OPT_HELP] || out->value[OPT_VERSION]) return FINF_OK;
    for (int i = 0; i < OPT_COUNT; i++)
        if ((COMMANDS[command].required & BIT(i)) && !out->value[i])
            return finf_why(why, FINF_EUSAGE, "%s needs --%s, for example: %s", name,
                            OPTIONS[i].name, COMMANDS[command].example);
    return check_rules(out, why);
}

int args_given(const args *a, option_id id) { return a->value[id] != NULL; }

/* The option as this command takes it. */
static option_info option_of(option_id id, command_id command)
{
    option_info o = OPTIONS[id];
    for (size_t i = 0; i < sizeof VARIANTS / sizeof *VARIANTS; i++)
        if (VARIANTS[i].id == id && (VARIANTS[i].commands & (1u << command))) {
            o.fallback = VARIANTS[i].fallback;
            o.help = VARIANTS[i].help;
        }
    return o;
}

const char *args_text(const args *a, option_id id)
{
    return a->value[id] ? a->value[id] : option_of(id, a->command).fallback;
}

void args_print(const args *a, FILE *out)
{
    const unsigned long long printing = BIT(OPT_SAVE) | BIT(OPT_VERBOSE) | BIT(OPT_FORMAT) |
                                        BIT(OPT_JSON) | BIT(OPT_OUTPUT) | BIT(OPT_PRECISION) |
                                        BIT(OPT_QUIET);
    fprintf(out, "finf %s", COMMANDS[a->command].name);
    for (int i = 0; i < OPT_COUNT; i++) {
        if (!a->value[i] || printing & BIT(i)) continue;
        fprintf(out, " --%s%s%s", OPTIONS[i].name, OPTIONS[i].argument ? " " : "", a->value[i]);
    }
}

finf_status args_number(const args *a, option_id id, double *x, finf_reason *why)
{
    const char *text = args_text(a, id);
    return text ? parse_number(text, OPTIONS[id].name, x, why) : FINF_OK;
}

finf_status args_whole(const args *a, option_id id, double min, double max, double *x,
                       finf_reason *why)
{
    double value = NAN;
    finf_status s = args_number(a, id, &value, why);
    if (s || isnan(value)) return s;
    if (!(value >= min && value <= max && value == floor(value)))
        return finf_why(why, FINF_EDOM, "%s = %.80s: must be a whole number from %.15g to %.15g",
                        OPTIONS[id].name, args_text(a, id), min, max);
    *x = value;
    return FINF_OK;
}

finf_status args_seed(const args *a, option_id id, unsigned long long *seed, finf_reason *why)
{
    const char *text = args_text(a, id);
    /* below 2^53 a double is the number that was written */
    const double exact = 9007199254740992.0;
    double value = NAN;
    finf_status s = args_number(a, id, &value, why);
    if (s) return s;
    errno = 0;
    *seed = strtoull(text, NULL, 10);
    if (text[strspn(text, "0123456789")] == '\0' && errno == 0) return FINF_OK;
    if (!(value >= 0 && value < exact && value == floor(value)))
        return finf_why(
            why, FINF_EDOM,
            "%s = %.80s: must be a whole number from 0 to %llu (from 2^53 on in digits)",
            OPTIONS[id].name, text, ULLONG_MAX);
    *seed = (unsigned long long)value; /* 1e9 is one */
    return FINF_OK;
}

/* FROM:TO:log|lin:COUNT, already split at the colons */
static finf_status fill_range(const char *name, double from, double to, int is_log, double count,
                              double **list, size_t *n, finf_reason *why)
{
    if (!(count >= 2 && count <= 100000 && count == floor(count)))
        return finf_why(why, FINF_EDOM,
                        "%s: %s points in a range, must be a whole number from 2 to 100000", name,
                        finf_show(count).s);
    if (is_log && !(from > 0 && to > 0))
        return finf_why(why, FINF_EDOM, "%s: a log range needs positive ends", name);
    *n = (size_t)count;
    *list = malloc(*n * sizeof **list);
    if (!*list) return finf_why(why, FINF_ENOMEM, "no memory");
    for (size_t i = 0; i < *n; i++) {
        double f = (double)i / (count - 1);
        (*list)[i] = i + 1 == *n ? to : is_log ? from * pow(to / from, f) : from + (to - from) * f;
    }
    return FINF_OK;
}

/* The four fields of FROM:TO:log|lin:COUNT: field i is [at[i], at[i+1] - 1). 0 if there are more or
 * fewer. */
static int split_range(const char *text, const char *at[5])
{
    int fields = 0;
    for (const char *p = text; fields < 4; p++) {
        at[fields++] = p;
        p += strcspn(p, ":");
        at[fields] = p + 1;
        if (!*p) return fields == 4;
    }
    return 0;
}

static int is_word(const char *text, const char *end, const char *word)
{
    return strlen(word) == (size_t)(end - text) && strncmp(text, word, strlen(word)) == 0;
}

finf_status args_range(const args *a, option_id id, double **list, size_t *n, finf_reason *why)
{
    const char *text = args_text(a, id), *name = OPTIONS[id].name, *at[5];
    if (!strchr(text, ':')) {
        *n = 1;
        *list = malloc(sizeof **list);
        return *list ? parse_number(text, name, *list, why)
                     : finf_why(why, FINF_ENOMEM, "no memory");
    }
    int whole = split_range(text, at);
    int is_log = whole && is_word(at[2], at[3] - 1, "log");
    if (!whole || (!is_log && !is_word(at[2], at[3] - 1, "lin")))
        return finf_why(why, FINF_EPARSE,
                        "%s = '%.80s': a range is FROM:TO:log:COUNT or FROM:TO:lin:COUNT", name,
                        text);
    double from, to, count;
    finf_status s = parse_part(at[0], at[1] - 1, name, &from, why);
    if (!s) s = parse_part(at[1], at[2] - 1, name, &to, why);
    if (!s) s = parse_part(at[3], at[4] - 1, name, &count, why);
    return s ? s : fill_range(name, from, to, is_log, count, list, n, why);
}

finf_status args_sized(const args *a, option_id id, const char *plain, const char *sized,
                       double max, size_t *n, finf_reason *why)
{
    const char *text = args_text(a, id);
    size_t length = strlen(sized);
    double value;
    *n = 0;
    if (strcmp(text, plain) == 0) return FINF_OK;
    if (strncmp(text, sized, length) != 0 || text[length] != ':')
        return finf_why(why, FINF_EUSAGE, "--%s '%.80s': must be %s or %s:n", OPTIONS[id].name,
                        text, plain, sized);
    finf_status s = parse_number(text + length + 1, OPTIONS[id].name, &value, why);
    if (!s && !(value >= 1 && value <= max && value == floor(value)))
        s = finf_why(why, FINF_EDOM, "%s = %.80s: must be a whole number from 1 to %.15g",
                     OPTIONS[id].name, text, max);
    if (!s) *n = (size_t)value;
    return s;
}

finf_status args_choice(const args *a, option_id id, const char *words, int *choice,
                        finf_reason *why)
{
    const char *text = args_text(a, id), *word = words;
    for (int i = 0; *word; i++) {
        size_t length = strcspn(word, "|");
        if (strlen(text) == length && strncmp(text, word, length) == 0) {
            *choice = i;
            return FINF_OK;
        }
        word += length + (word[length] == '|');
    }
    return finf_why(why, FINF_EUSAGE, "--%s '%.80s': must be one of %s", OPTIONS[id].name, text,
                    words);
}

/* ---- help and manual ------------------------------------------------------------------------- */

static void option_lines(command_id command, FILE *out)
{
    for (int i = 0; i < OPT_COUNT; i++) {
        option_info o = option_of((option_id)i, command);
        if (!(o.commands & (1u << command))) continue;
        char left[80];
        snprintf(left, sizeof left, "--%s%s%s", o.name, o.argument ? " " : "",
                 o.argument ? o.argument : "");
        fprintf(out, "  %-28s", left);
        if (strlen(left) > 28) fprintf(out, "\n  %-28s", "");
        fprintf(out, " %s", o.help);
        if (o.fallback) fprintf(out, " (default %s)", o.fallback);
        fputc('\n', out);
    }
}

static void plain(const char *text, FILE *out) { fputs(text, out); }

static void constant_lines(void (*put)(const char *, FILE *), FILE *out)
{
    char line[160];
#define LINE(name, value, zero, meaning)                                                           \
    snprintf(line, sizeof line, "  %-15s %s (default %s)\n", #name, meaning, finf_show(value).s);  \
    put(line, out);
    FINF_RATE_CONSTANT_LIST(LINE)
#undef LINE
}

void args_help(command_id command, FILE *out)
{
    const command_info *c = &COMMANDS[command];
    fprintf(out, "finf %s: %s\n\n%s\n\nOptions\n", c->name, c->summary, c->about);
    option_lines(command, out);
    if (OPTIONS[OPT_NOISE].commands & (1u << command)) fprintf(out, "\nNOISE\n%s", noise_help());
    if (OPTIONS[OPT_SPECTRUM].commands & (1u << command))
        fprintf(out, "\nSPECTRUM\n%s", SPECTRUM_HELP);
    if (OPTIONS[OPT_SET].commands & (1u << command)) {
        fputs("\nCONSTANTS (--set)\n", out);
        constant_lines(plain, out);
    }
    fprintf(out, "\nExample\n  %s\n", c->example);
}

void args_overview(FILE *out)
{
    fputs("finf: how well private learning with correlated noise can do\n\nCommands\n", out);
    for (int i = 0; i < CMD_COUNT; i++)
        fprintf(out, "  finf %-10s %s\n", COMMANDS[i].name, COMMANDS[i].summary);
    fputs("\n'finf COMMAND --help' has the options and an example. 'finf --version' has the "
          "version.\n",
          out);
}

/* roff: a line must not begin with . or ', and - and \ are escaped */
static void roff(const char *text, FILE *out)
{
    for (int start = 1; *text; text++) {
        if (start && (*text == '.' || *text == '\'')) fputs("\\&", out);
        if (*text == '\\' || *text == '-') fputc('\\', out);
        fputc(*text, out);
        start = *text == '\n';
    }
}

static void roff_block(const char *text, FILE *out)
{
    fputs(".nf\n", out);
    roff(text, out);
    fputs(".fi\n", out);
}

/* One meaning, after the commands that give it this one (none named: all of them). */
static void roff_meaning(const char *help, const char *fallback, unsigned commands, FILE *out)
{
    const char *before = "";
    for (int c = 0; c < CMD_COUNT; c++)
        if (commands & (1u << c)) {
            fprintf(out, "%s\\fI%s\\fR", before, COMMANDS[c].name);
            before = ", ";
        }
    if (*before) fputs(": ", out);
    roff(help, out);
    if (fallback) fprintf(out, " (default %s)", fallback);
    fputc('\n', out);
}

static void roff_option(option_id id, FILE *out)
{
    const option_info *o = &OPTIONS[id];
    unsigned rest = o->commands & ((1u << CMD_COUNT) - 1), special = 0;
    for (size_t i = 0; i < sizeof VARIANTS / sizeof *VARIANTS; i++)
        if (VARIANTS[i].id == id) special |= VARIANTS[i].commands;
    fprintf(out, ".TP\n.B \\-\\-%s", o->name);
    if (o->argument) fprintf(out, " \\fI%s\\fR", o->argument);
    fputc('\n', out);
    if (rest & ~special) roff_meaning(o->help, o->fallback, special ? rest & ~special : 0, out);
    for (size_t i = 0; i < sizeof VARIANTS / sizeof *VARIANTS; i++)
        if (VARIANTS[i].id == id) {
            if (rest & ~special || VARIANTS[i].commands != special) fputs(".br\n", out);
            roff_meaning(VARIANTS[i].help, VARIANTS[i].fallback, VARIANTS[i].commands, out);
        }
}

void args_manual(FILE *out)
{
    fputs(".TH FINF 1 \"\" \"finf " FINF_VERSION "\" \"User Commands\"\n.SH NAME\n"
          "finf \\- how well private learning with correlated noise can do\n.SH SYNOPSIS\n.B "
          "finf\n.I COMMAND\n[options]\n"
          ".SH DESCRIPTION\nDP\\-FTRL trains with noise z_t = sum beta_tau w_{t\\-tau}. finf "
          "computes its sensitivity and "
          "the\n"
          "asymptotic suboptimality F_inf of training with it, exactly where an exact value is "
          "known, each number with its\n"
          "error.\n.SH COMMANDS\n",
          out);
    for (int i = 0; i < CMD_COUNT; i++) {
        fprintf(out, ".TP\n.B %s\n", COMMANDS[i].name);
        roff(COMMANDS[i].about, out);
        fputs("\n.br\nExample: ", out);
        roff(COMMANDS[i].example, out);
        fputc('\n', out);
    }
    fputs(".SH OPTIONS\n", out);
    for (int i = 0; i < OPT_COUNT; i++) roff_option((option_id)i, out);
    fputs(".SH NOISE\n", out);
    roff_block(noise_help(), out);
    fputs(".SH SPECTRUM\n", out);
    roff_block(SPECTRUM_HELP, out);
    fputs(".SH CONSTANTS\nof 'rates \\-\\-table finite', by \\-\\-set:\n.nf\n", out);
    constant_lines(roff, out);
    fputs(".fi\n.SH EXIT STATUS\n0 answered (also when the answer is infinite); 2 usage; 3 input "
          "outside the domain or "
          "malformed;\n"
          "4 tolerance not reached (the best value is still printed); 5 input, output or memory.\n",
          out);
}
