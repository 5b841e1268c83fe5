/* What the figures show, as a table of structs (figures.h). How their data come about and are drawn
 * is in dataset.c. (theory 9) */
#include "figures.h"

#include <stdlib.h>

#include "iqc_options.h"
#include "sweep.h"

/* A colour stands for the same noise in every figure. */
enum { NU, SGD, BEST, BEST_NU, OTHER };

/* ---- the noise optimised, then valued on a grid ---------------------------------------------- */

typedef struct {
    const double *kappa; /* for each of these, */
    double *y;           /* the bound on the grid */
    double eta;
    finf_optimize_options find; /* how the noise is optimised, */
    finf_iqc_options value;     /* and how it is then valued */
    sweep_row *rows;
} grid_job;

/* One kappa: finds the noise, and bounds F_inf with it on the other grid. */
static void value_on_grid(size_t i, void *data)
{
    grid_job *j = data;
    sweep_row *out = &j->rows[i];
    finf_optimize_result found;
    finf_iqc_result r;
    finf_status s = finf_optimize(j->eta, j->kappa[i], &j->find, &found);
    out->why = found.iqc.reason;
    if (!s) {
        s = finf_iqc(found.noise, j->eta, j->kappa[i], &j->value, &r);
        j->y[i] = r.grid_value;
        out->why = r.reason;
        /* the bound that finf_iqc recomputes beside the grid's may not settle; it is not shown */
        if (s == FINF_ETOL && isfinite(r.grid_value)) s = FINF_OK;
    }
    finf_optimize_result_free(&found);
    out->status = s;
    out->done = 1;
}

/* The solver_bound of "optimize .. --save FILE && finf iqc --noise spectrum@FILE .. --verbose",
 * without writing the file: the two command lines are parsed for their options, and the noise is
 * handed over in memory. */
static finf_status optimised_on_grid(const runner *run, const char *line, const double *kappa,
                                     size_t n, double *y, finf_reason *why)
{
    const char *second = strstr(line, " && finf ");
    char first[RUNNER_LINE], words[2][RUNNER_LINE];
    args a;
    grid_job j = {.kappa = kappa, .y = y, .find = finf_optimize_options_default()};
    snprintf(first, sizeof first, "%.*s", (int)(second - line), line);
    finf_status s = runner_parse(run, first, words[0], &a, why);
    setting privacy;
    if (!s) s = read_iqc(&a, &j.find.iqc, why);
    if (!s) s = read_eta(&a, &j.eta, why);
    if (!s) s = runner_parse(run, second + strlen(" && finf "), words[1], &a, why);
    if (!s) s = read_iqc(&a, &j.value, why);
    if (!s) s = read_setting(&a, &privacy, why);
    if (s) return s;
    j.find.iqc.privacy = privacy.set;
    j.value.privacy = privacy.set;
    j.find.iqc.cancel.poll = sweep_interrupted;
    j.value.cancel.poll = sweep_interrupted;
    j.rows = calloc(n, sizeof *j.rows);
    if (!j.rows) return finf_why(why, FINF_ENOMEM, "no memory");
    int interrupted = sweep_run(n, value_on_grid, &j);
    s = sweep_outcome(j.rows, n, sizeof *j.rows, interrupted, why);
    free(j.rows);
    return s;
}

/* ---- the panels ------------------------------------------------------------------------------ */

/* the noise of Figure 1, nu = eta for four eta */
#define NU_0 "coef --noise nu:0.5 --length "
#define NU_1 "coef --noise nu:0.1 --length "
#define NU_2 "coef --noise nu:0.01 --length "
#define NU_3 "coef --noise nu:0.001 --length "

/* What the three panels of Figure 2 have in common, F_inf against one of a (eigenvalues k^-a), d
 * and eta: exact values, then simulations for the values `full` or `quick`. */
#define REGRESSION_SOURCES(a, d, eta, full, quick)                                                 \
    {                                                                                              \
        {"linreg --noise sgd --eta " eta " --spectrum power:" a " --dim " d " --rho 0.5",          \
         {NULL, NULL},                                                                             \
         1,                                                                                        \
         NULL},                                                                                    \
            {"linreg --noise nu:paper --eta " eta " --spectrum power:" a " --dim " d " --rho 0.5", \
             {NULL, NULL},                                                                         \
             1,                                                                                    \
             NULL},                                                                                \
            {"simulate --problem linreg --noise sgd --eta " eta " --spectrum power:" a " --dim " d \
             " --rho 0.5 --relative-error 0.05",                                                   \
             {full, quick},                                                                        \
             1,                                                                                    \
             NULL},                                                                                \
        {                                                                                          \
            "simulate --problem linreg --noise nu:paper --eta " eta " --spectrum power:" a         \
            " --dim " d " --rho 0.5 --relative-error 0.05",                                        \
                {full, quick}, 1, NULL                                                             \
        }                                                                                          \
    }
#define REGRESSION_COLUMNS(sgd, nu)                                                                \
    {                                                                                              \
        {"DP-SGD", .source = 0, .key = "F_inf", .colour = SGD, .slope = 1, .paper_slope = sgd},    \
            {"nu = eta mu", .source = 1, .key = "F_inf",                                           \
             .colour = NU,  .slope = 1,  .paper_slope = nu},                                       \
            {"best noise", .source = 0, .key = "F_best", .colour = BEST, .line = LINE_DOTTED},     \
            {"DP-SGD rate",     "eta d/rho", .source = 0,   .key = "rate_sgd",                     \
             .role = ROLE_RATE, .of = 1,     .colour = SGD, .line = LINE_DASHED},                  \
            {"nu rate",         "eta^2 Tr H log^2(1/(eta mu))/rho",                                \
             .source = 1,       .key = "rate_nu",                                                  \
             .role = ROLE_RATE, .of = 2,                                                           \
             .colour = NU,      .line = LINE_DASHED},                                              \
            {"lower bound",   "lower bound, every noise", .source = 0, .key = "F_floor",           \
             .colour = OTHER, .line = LINE_DASHED},                                                \
            {"DP-SGD lower",                                                                       \
             "DP-SGD, bounds for any inputs",                                                      \
             .source = 0,                                                                          \
             .key = "F_lower",                                                                     \
             .role = ROLE_BAND,                                                                    \
             .extra = "DP-SGD upper",                                                              \
             .extra_key = "F_upper",                                                               \
             .colour = SGD},                                                                       \
            {"nu lower",                                                                           \
             "nu, bounds for any inputs",                                                          \
             .source = 1,                                                                          \
             .key = "F_lower",                                                                     \
             .role = ROLE_BAND,                                                                    \
             .extra = "nu upper",                                                                  \
             .extra_key = "F_upper",                                                               \
             .colour = NU},                                                                        \
            {"DP-SGD simulated",      "DP-SGD, simulated",        .source = 2,                     \
             .key = "F_sim",          .role = ROLE_POINTS,        .of = 1,                         \
             .extra = "DP-SGD error", .extra_key = "F_sim_error", .colour = SGD},                  \
        {                                                                                          \
            "nu simulated", "nu, simulated", .source = 3, .key = "F_sim", .role = ROLE_POINTS,     \
                                             .of = 2, .extra = "nu error",                         \
                                             .extra_key = "F_sim_error", .colour = NU              \
        }                                                                                          \
    }
#define REGRESSION_CAPTION                                                                         \
    " rho = 1/2, Gaussian inputs. Lines: exact; points: simulated, with two standard errors; "     \
    "dashed: the paper's bounds, "                                                                 \
    "times the constant that fits; shaded: proven for any inputs with this H."

#define PAPER_SETTING " --bound dist --class paper --constants paper --rho 0.5"
#define COARSE " --grid uniform:1000 --force --verbose"

/* the axes of Figure 3 in its three versions */
#define BOUND_AGAINST_KAPPA                                                                        \
    .x = "kappa", .x_key = "kappa", .x_label = "condition number kappa",                           \
    .y_label = "bound on F_inf", .x_scale = PLOT_LOG, .y_scale = PLOT_LOG,                         \
    .values = {"2:1000:log:13", "2:1000:log:3"}

const figure FIGURE[FIGURES] = {
    {.name = "fig1-ratio",
     .place = "Figure 1, left",
     .title = "Figure 1, left: best noise / DP-SGD",
     .caption = "F_inf of the best noise over F_inf of DP-SGD, mean estimation. It tends to 1, not "
                "0, as eta -> 1.",
     .x = "eta",
     .x_key = "eta",
     .x_label = "learning rate eta",
     .y_label = "ratio of F_inf",
     .x_scale = PLOT_LOG,
     .y_scale = PLOT_LOG,
     .values = {"1e-4:1:log:61", "1e-4:1:log:7"},
     .source = {{"mean --noise nu:paper --eta {}", {NULL, NULL}, 1, NULL}},
     .column = {{"ratio", .key = "F_best", .over = "F_sgd", .colour = BEST}}},
    {.name = "fig1-beta",
     .place = "Figure 1, middle",
     .title = "Figure 1, middle: the best noise, -beta_t",
     .caption = "beta_0 = 1; every later coefficient is negative: noise is taken back.",
     .x = "t",
     .x_key = "t",
     .x_label = "t",
     .y_label = "-beta_t",
     .x_scale = PLOT_LOG,
     .y_scale = PLOT_LOG,
     .values = {"65", "65"},
     .thin = 1,
     .source = {{NU_0 "{}"}, {NU_1 "{}"}, {NU_2 "{}"}, {NU_3 "{}"}},
     .column = {{"eta=0.5", "eta = 0.5", 0, "noising_coef", .map = MAP_NEGATED, .colour = 0},
                {"eta=0.1", "eta = 0.1", 1, "noising_coef", .map = MAP_NEGATED, .colour = 1},
                {"eta=0.01", "eta = 0.01", 2, "noising_coef", .map = MAP_NEGATED, .colour = 2},
                {"eta=0.001", "eta = 0.001", 3, "noising_coef", .map = MAP_NEGATED, .colour = 3}}},
    {.name = "fig1-spectrum",
     .place = "Figure 1, right",
     .title = "Figure 1, right: the best noise, |B(w)|",
     .caption = "A high-pass filter: low frequencies are what gradient descent accumulates.",
     .x = "w",
     .x_key = "w",
     .x_label = "frequency w",
     .y_label = "|B(w)|",
     .y_scale = PLOT_LOG,
     .values = {"129", "129"},
     .source = {{NU_0 "{} --density"},
                {NU_1 "{} --density"},
                {NU_2 "{} --density"},
                {NU_3 "{} --density"}},
     .column = {{"eta=0.5", "eta = 0.5", 0, "density", .map = MAP_ROOT, .colour = 0},
                {"eta=0.1", "eta = 0.1", 1, "density", .map = MAP_ROOT, .colour = 1},
                {"eta=0.01", "eta = 0.01", 2, "density", .map = MAP_ROOT, .colour = 2},
                {"eta=0.001", "eta = 0.001", 3, "density", .map = MAP_ROOT, .colour = 3}}},
    {.name = "fig2-d",
     .place = "Figure 2, left",
     .title = "Figure 2, left: F_inf against d",
     .caption = "Linear regression, eigenvalues 1/k, d = {}, eta = 0.02," REGRESSION_CAPTION,
     .x = "d",
     .x_key = "d",
     .x_label = "dimension d",
     .y_label = "F_inf",
     .x_scale = PLOT_LOG,
     .y_scale = PLOT_LOG,
     .values = {"16:1024:log:7", "16:1024:log:7"},
     .slopes = "rates --decays 1 --dim {} --eta 0.02 --rho 0.5 --slopes",
     /* simulated up to d = 128: beyond, the start is forgotten so slowly that it takes minutes */
     .source = REGRESSION_SOURCES("1", "{}", "0.02", "16,32,64,128", "16"),
     .column = REGRESSION_COLUMNS(1.00, 0)},
    {.name = "fig2-deff",
     .place = "Figure 2, middle",
     .title = "Figure 2, middle: F_inf against d_eff",
     .caption =
         "Linear regression, eigenvalues k^{-a}, a = {}, d = 128, eta = 0.02," REGRESSION_CAPTION,
     .x = "d_eff",
     .x_key = "d_eff",
     .x_label = "effective dimension d_eff = Tr H/lambda_1",
     .y_label = "F_inf",
     .x_scale = PLOT_LOG,
     .y_scale = PLOT_LOG,
     .values = {"1,0.9,0.8,0.7,0.6,0.5,0.4", "1,0.9,0.8,0.7,0.6,0.5,0.4"},
     .slopes = "rates --decays {} --dim 128 --eta 0.02 --rho 0.5 --slopes",
     .source = REGRESSION_SOURCES("{}", "128", "0.02", NULL, "0.4"),
     .column = REGRESSION_COLUMNS(0.18, 0.94)},
    {.name = "fig2-eta",
     .place = "Figure 2, right",
     .title = "Figure 2, right: F_inf against eta",
     .caption = "Linear regression, eigenvalues 1/k, d = 128, eta = {}," REGRESSION_CAPTION
                " The upper bound holds for eta (Tr H + 3 lambda_1) < 2 only.",
     .x = "eta",
     .x_key = "eta",
     .x_label = "learning rate eta",
     .y_label = "F_inf",
     .x_scale = PLOT_LOG,
     .y_scale = PLOT_LOG,
     .values = {"0.02:0.18:log:9", "0.02:0.18:log:9"},
     .slopes = "rates --decays 1 --dim 128 --eta {} --rho 0.5 --slopes",
     .source = REGRESSION_SOURCES("1", "128", "{}", "0.02:0.18:log:5", "0.18"),
     .column = REGRESSION_COLUMNS(1.27, 2.03)},
    {.name = "fig2-curve",
     .place = "Figure 2, added",
     .title = "Figure 2, added: the exact learning curve",
     .caption = "E[F(theta_t) - F*] for eigenvalues 1/k, d = 128, eta = 0.02, rho = 1/2, |theta_0 "
                "- theta*|^2 = 1, noise "
                "by gamma_inf, t up to {}: what Figure 2 shows the ends of.",
     .x = "t",
     .x_key = "t",
     .x_label = "step t",
     .y_label = "E[F(theta_t) - F*]",
     .x_scale = PLOT_LOG,
     .y_scale = PLOT_LOG,
     .values = {"100000", "1000"},
     .thin = 1,
     .source = {{"curve --system sgd,nu:paper --steps {} --eta 0.02 --spectrum power:1 --dim 128 "
                 "--rho 0.5 --gamma inf"}},
     .column = {{"DP-SGD", .key = "sgd", .colour = SGD},
                {"nu = eta mu", .key = "nu:paper", .colour = NU}}},
    {.name = "fig3-paper",
     .place = "Figure 3",
     .title = "Figure 3: the bound as the paper computes it",
     .caption =
         "Bound on F_inf, L = G = 1, eta = 0.1, rho = 1/2, kappa = {}: the paper's multipliers "
         "(valid for symmetric F "
         "only) and constants. Dotted: its grid of 1000 frequencies, too coarse once eta mu is "
         "small; solid: a "
         "grid that resolves eta mu. Optimised: the noise found on the latter, valued on either.",
     BOUND_AGAINST_KAPPA,
     .source = {{"iqc --noise sgd --eta 0.1 --kappa {}" PAPER_SETTING COARSE},
                {"iqc --noise nu:paper --eta 0.1 --kappa {}" PAPER_SETTING COARSE},
                {"optimize --eta 0.1 --kappa {}" PAPER_SETTING " --solver newton"
                 " --save best.csv && finf iqc --noise spectrum@best.csv --eta 0.1 --kappa "
                 "{}" PAPER_SETTING COARSE,
                 {NULL, "2"},
                 1,
                 optimised_on_grid},
                {"iqc --noise sgd --eta 0.1 --kappa {}" PAPER_SETTING},
                {"iqc --noise nu:paper --eta 0.1 --kappa {}" PAPER_SETTING},
                {"optimize --eta 0.1 --kappa {}" PAPER_SETTING " --solver newton"}},
     .column = {{"DP-SGD uniform:1000", "DP-SGD, 1000 points", 0, "solver_bound", .colour = SGD,
                 .line = LINE_DOTTED},
                {"nu uniform:1000", "nu = eta mu, 1000 points", 1, "solver_bound", .colour = NU,
                 .line = LINE_DOTTED},
                {"optimised uniform:1000", "optimised, 1000 points", 2, "solver_bound",
                 .colour = BEST, .line = LINE_DOTTED},
                {"DP-SGD", NULL, 3, "bound", .colour = SGD},
                {"nu = eta mu", NULL, 4, "bound", .colour = NU},
                {"optimised", NULL, 5, "bound", .colour = BEST}}},
    {.name = "fig3-dist",
     .place = "Figure 3, corrected",
     .title = "Figure 3, corrected: valid for every F",
     .caption =
         "The same bound, of (L/2) E|theta - theta*|^2, with the multipliers that hold for every "
         "strongly convex, smooth "
         "F, sharp constants and a grid that resolves eta mu, kappa = {}. Dashed, in the colour of "
         "its noise: the "
         "worst quadratic, below which no bound for it can be; for the optimised, no noise at all.",
     BOUND_AGAINST_KAPPA,
     .source =
         {{"iqc --noise sgd --eta 0.1 --kappa {} --bound dist --rho 0.5 --solver newton"},
          {"iqc --noise nu:paper --eta 0.1 --kappa {} --bound dist --rho 0.5 --solver newton"},
          {"optimize --eta 0.1 --kappa {} --bound dist --rho 0.5 --solver newton"}},
     .column = {{"DP-SGD", NULL, 0, "bound", .colour = SGD},
                {"nu = eta mu", NULL, 1, "bound", .colour = NU},
                {"optimised", NULL, 2, "bound", .colour = BEST},
                {"DP-SGD lower", "DP-SGD, worst quadratic", 0, "lower", .colour = SGD,
                 .line = LINE_DASHED},
                {"nu lower", "nu, worst quadratic", 1, "lower", .colour = NU, .line = LINE_DASHED},
                {"minimax lower", "lower bound, every noise", 2, "minimax", .colour = BEST,
                 .line = LINE_DASHED}}},
    {.name = "fig3-sharp",
     .place = "Figure 3, added",
     .title = "Figure 3, added: the sharp bound",
     .caption = "The bound of F - F* itself, with causality multipliers, in the same setting: L = "
                "G = 1, eta = 0.1, rho = "
                "1/2, kappa = {}. Best nu: near eta L/2, whatever kappa. Dashed: as above.",
     BOUND_AGAINST_KAPPA,
     .source = {{"iqc --noise sgd --eta 0.1 --kappa {} --rho 0.5 --solver newton"},
                {"iqc --noise nu:paper --eta 0.1 --kappa {} --rho 0.5 --solver newton"},
                {"optimize --eta 0.1 --kappa {} --rho 0.5 --solver newton"}},
     .column = {{"DP-SGD", NULL, 0, "bound", .colour = SGD},
                {"nu = eta mu", NULL, 1, "bound", .colour = NU},
                {"optimised", NULL, 2, "bound", .colour = BEST},
                {"best nu", NULL, 2, "bound_nu", .colour = BEST_NU, .line = LINE_DOTTED},
                {"DP-SGD lower", "DP-SGD, worst quadratic", 0, "lower", .colour = SGD,
                 .line = LINE_DASHED},
                {"nu lower", "nu, worst quadratic", 1, "lower", .colour = NU, .line = LINE_DASHED},
                {"minimax lower", "lower bound, every noise", 2, "minimax", .colour = BEST,
                 .line = LINE_DASHED}}},
};
