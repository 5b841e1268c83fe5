/* What the figures show, as a table of structs (figures.h). How their data come about and are drawn
 * is in dataset.c. (theory 9, 11.6) */
#include "figures.h"

#include "looks.h"
#include "optimised_on_grid.h"

enum {
    NU = LOOK_NU,
    SGD = LOOK_SGD,
    BEST = LOOK_BEST,
    BEST_NU = LOOK_OTHER_NOISE,
    OTHER = LOOK_BOUND
};

/* ---- the panels ------------------------------------------------------------------------------ */

/* the noise of Figure 1, nu = eta for four eta */
#define NU_0 "coef --noise nu:0.5 --length "
#define NU_1 "coef --noise nu:0.1 --length "
#define NU_2 "coef --noise nu:0.01 --length "
#define NU_3 "coef --noise nu:0.001 --length "

/* What the three panels of Figure 2 have in common, F_inf against one of a (eigenvalues k^-a), d
 * and eta: exact values, then simulations for the values `full` or `quick`. */
#define REGRESSION_SOURCES(a, d, eta, each, full, quick)                                           \
    {                                                                                              \
        {"linreg --noise sgd" REGRESSION_SETTING(a, d, eta), {NULL, NULL}, each, NULL},            \
            {"linreg --noise nu:paper" REGRESSION_SETTING(a, d, eta), {NULL, NULL}, each, NULL},   \
            {"simulate --problem linreg --noise sgd" REGRESSION_SETTING(                           \
                 a, d, eta) " --relative-error 0.05",                                              \
             {full, quick},                                                                        \
             each,                                                                                 \
             NULL},                                                                                \
            {"simulate --problem linreg --noise nu:paper" REGRESSION_SETTING(                      \
                 a, d, eta) " --relative-error 0.05",                                              \
             {full, quick},                                                                        \
             each,                                                                                 \
             NULL},                                                                                \
    }
#define REGRESSION_SETTING(a, d, eta) " --eta " eta " --spectrum power:" a " --dim " d " --rho 0.5"
#define REGRESSION_COLUMNS(sgd, nu)                                                                \
    {                                                                                              \
        {"F_inf_sgd",   "DP-SGD",   .source = 0,       .key = "F_inf",                             \
         .colour = SGD, .slope = 1, .paper_slope = sgd},                                           \
            {"F_inf_nu",   "nu = eta mu", .source = 1,      .key = "F_inf",                        \
             .colour = NU, .slope = 1,    .paper_slope = nu},                                      \
            {"F_best",        "best noise",   .source = 0,                                         \
             .key = "F_best", .colour = BEST, .line = LINE_DOTTED},                                \
            {"rate_sgd", .source = 0,   .key = "rate_sgd",   .role = ROLE_RATE,                    \
             .of = 1,    .colour = SGD, .line = LINE_DASHED, .rate = "eta d/rho"},                 \
            {"rate_nu",                                                                            \
             .source = 1,                                                                          \
             .key = "rate_nu",                                                                     \
             .role = ROLE_RATE,                                                                    \
             .of = 2,                                                                              \
             .colour = NU,                                                                         \
             .line = LINE_DASHED,                                                                  \
             .rate = "eta^2 Tr H log^2(1/(eta mu))/rho"},                                          \
            {"F_floor",        "the paper's lower bound", .source = 0,                             \
             .key = "F_floor", .colour = OTHER,           .line = LINE_DASHED},                    \
            {"F_lower_sgd",          .source = 0,                                                  \
             .key = "F_lower",       .role = ROLE_BAND,                                            \
             .extra = "F_upper_sgd", .extra_key = "F_upper",                                       \
             .colour = SGD},                                                                       \
            {"F_lower_nu",      .source = 1,           .key = "F_lower",                           \
             .role = ROLE_BAND, .extra = "F_upper_nu", .extra_key = "F_upper",                     \
             .colour = NU},                                                                        \
            {"F_sim_sgd",                                                                          \
             .source = 2,                                                                          \
             .key = "F_sim",                                                                       \
             .role = ROLE_POINTS,                                                                  \
             .of = 1,                                                                              \
             .extra = "F_sim_error_sgd",                                                           \
             .extra_key = "F_sim_error",                                                           \
             .colour = SGD},                                                                       \
            {"F_sim_nu",                                                                           \
             .source = 3,                                                                          \
             .key = "F_sim",                                                                       \
             .role = ROLE_POINTS,                                                                  \
             .of = 2,                                                                              \
             .extra = "F_sim_error_nu",                                                            \
             .extra_key = "F_sim_error",                                                           \
             .colour = NU},                                                                        \
    }
#define REGRESSION_CAPTION                                                                         \
    " rho = 1/2, Gaussian inputs. Lines: exact; points: simulated, with two standard errors; "     \
    "dashed: the paper's bounds, times the constant that fits; shaded: proven for any inputs "     \
    "with "                                                                                        \
    "this H."

#define PAPER_SETTING " --bound dist --class paper --constants paper --rho 0.5"
#define COARSE " --grid uniform:1000 --force --verbose"

/* the axes of Figure 3 in its three versions */
#define BOUND_AGAINST_KAPPA                                                                        \
    .x = "kappa", .x_key = "kappa", .x_label = "condition number kappa",                           \
    .y_label = "bound on F_inf", .x_scale = PLOT_LOG, .y_scale = PLOT_LOG,                         \
    .values = {"2:1000:log:13", "2:1000:log:3"}

/* momentum, then the step; and the best momentum at a given speed */
#define MOMENTUM_SETTING "{1} --eta {2} --spectrum power:1 --dim 128 --rho 0.5"
#define FRONTIER "tune --half-life {} --spectrum power:1 --dim 128 --rho 0.5 --optimizer "

const figure FIGURE[FIGURES] = {
    {.name = "fig1-ratio",
     .section = SECTION_MEAN,
     .place = "Figure 1, left",
     .title = "The smaller the learning rate, the more correlated noise gains",
     .subtitle = "Figure 1, left: F_inf of the best noise over F_inf of DP-SGD, mean estimation",
     .caption = "Mean estimation, whatever rho and d. The ratio tends to 1, not 0, as eta -> 1.",
     .x = "eta",
     .x_key = "eta",
     .x_label = "learning rate eta",
     .y_label = "F_inf, best noise / DP-SGD",
     .x_scale = PLOT_LOG,
     .y_scale = PLOT_LOG,
     .values = {"1e-4:1:log:61", "1e-4:1:log:7"},
     .source = {{"mean --noise nu:paper --eta {}"}},
     .column = {{"ratio", .key = "F_best", .over = "F_sgd", .colour = BEST}}},
    {.name = "fig1-beta",
     .section = SECTION_MEAN,
     .place = "Figure 1, middle",
     .title = "The best noise is taken back later: every beta_t after the first is negative",
     .subtitle =
         "Figure 1, middle: \u2212beta_t of the best noise for mean estimation (beta_0 = 1)",
     .caption =
         "The best noise for mean estimation is nu = eta. The smaller eta, the longer it takes to "
         "take the noise back.",
     .x = "t",
     .x_key = "t",
     .x_label = "steps t after the noise was added",
     .y_label = "\u2212beta_t",
     .x_scale = PLOT_LOG,
     .y_scale = PLOT_LOG,
     .values = {"65", "65"},
     .thin = 1,
     .source = {{NU_0 "{}"}, {NU_1 "{}"}, {NU_2 "{}"}, {NU_3 "{}"}},
     .column = {{"eta_0p5", "eta = 0.5", 0, "noising_coef", .map = MAP_NEGATED, .colour = 0},
                {"eta_0p1", "eta = 0.1", 1, "noising_coef", .map = MAP_NEGATED, .colour = 1},
                {"eta_0p01", "eta = 0.01", 2, "noising_coef", .map = MAP_NEGATED, .colour = 2},
                {"eta_0p001", "eta = 0.001", 3, "noising_coef", .map = MAP_NEGATED, .colour = 3}}},
    {.name = "fig1-spectrum",
     .section = SECTION_MEAN,
     .place = "Figure 1, right",
     .title = "The best noise has no low frequencies: those are what gradient descent adds up",
     .subtitle = "Figure 1, right: |B(w)| of the best noise for mean estimation",
     .caption =
         "A high-pass filter, the steeper the smaller eta. Independent noise would be |B(w)| = 1.",
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
     .column = {{"eta_0p5", "eta = 0.5", 0, "density", .map = MAP_ROOT, .colour = 0},
                {"eta_0p1", "eta = 0.1", 1, "density", .map = MAP_ROOT, .colour = 1},
                {"eta_0p01", "eta = 0.01", 2, "density", .map = MAP_ROOT, .colour = 2},
                {"eta_0p001", "eta = 0.001", 3, "density", .map = MAP_ROOT, .colour = 3}}},
    {.name = "fig2-d",
     .section = SECTION_LINREG,
     .place = "Figure 2, left",
     .title = "DP-SGD pays for the dimension, correlated noise hardly does",
     .subtitle = "Figure 2, left: linear regression, eigenvalues 1/k, eta = 0.02, rho = 1/2",
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
     .source = REGRESSION_SOURCES("1", "{}", "0.02", 0, "16,32,64,128", "16"),
     .column = REGRESSION_COLUMNS(1.00, 0)},
    {.name = "fig2-deff",
     .section = SECTION_LINREG,
     .place = "Figure 2, middle",
     .title = "Correlated noise pays for the effective dimension, DP-SGD for all of d",
     .subtitle = "Figure 2, middle: linear regression, d = 128, eta = 0.02, rho = 1/2; eigenvalues "
                 "k^{-a}, a from 1 to 0.4",
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
     .source = REGRESSION_SOURCES("{}", "128", "0.02", 1, NULL, "0.4"),
     .column = REGRESSION_COLUMNS(0.18, 0.94)},
    {.name = "fig2-eta",
     .section = SECTION_LINREG,
     .place = "Figure 2, right",
     .title = "A smaller learning rate helps correlated noise by a power more",
     .subtitle = "Figure 2, right: linear regression, eigenvalues 1/k, d = 128, rho = 1/2",
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
     .source = REGRESSION_SOURCES("1", "128", "{}", 0, "0.02:0.18:log:5", "0.18"),
     .column = REGRESSION_COLUMNS(1.27, 2.03)},
    {.name = "learning-curve",
     .section = SECTION_LINREG,
     .place = "Figure 2, added",
     .title = "At the same privacy, correlated noise ends 70 times below DP-SGD",
     .subtitle =
         "Exact learning curves of linear regression: eigenvalues 1/k, d = 128, eta = 0.02, "
         "rho = 1/2, batches of 32",
     .caption =
         "E[F(theta_t) - F*], t up to {}, from |theta_0 - theta*|^2 = 1. Gradients of norm up to "
         "1 averaged over 32 examples: one example moves a step by G = 1/32. Noise by gamma_inf, "
         "so "
         "that the privacy holds however long one trains. nu = eta mu is the paper's noise; "
         "anti-PGD is damped as suits it best; the best noise has the least F_inf of all.",
     .x = "t",
     .x_key = "t",
     .x_label = "step t",
     .y_label = "E[F(theta_t) - F*]",
     .x_scale = PLOT_LOG,
     .y_scale = PLOT_LOG,
     .values = {"100000", "1000"},
     .thin = 100,
     .source =
         {{"curve --noise sgd --noise antipgd:0.0405 --noise nu:paper --noise best --steps {} "
           "--eta 0.02 --spectrum power:1 --dim 128 --rho 0.5 --clip 0.03125 --gamma inf --show "
           "curve"}},
     .column = {{"sgd", "DP-SGD", .key = "sgd", .colour = SGD},
                {"antipgd", "damped anti-PGD", .key = "antipgd:0.0405", .colour = BEST_NU},
                {"nu", "nu = eta mu", .key = "nu:paper", .colour = NU},
                {"best", "best noise", .key = "best", .colour = BEST, .line = LINE_DASHED}}},
    {.name = "fig3-paper",
     .section = SECTION_CONVEX,
     .place = "Figure 3",
     .sample = {{LINE_SOLID, "a grid that resolves eta mu"},
                {LINE_DOTTED, "the paper's grid of 1000 frequencies"}},
     .title =
         "On the paper's grid the bound looks better than it is: 3.4 times for DP-SGD at kappa = "
         "1000",
     .subtitle = "Figure 3 as the paper computes it: eta = 0.1, L = G = 1, rho = 1/2",
     .caption =
         "Bound on F_inf, L = G = 1, eta = 0.1, rho = 1/2, kappa = {}: the paper's multipliers "
         "(valid for symmetric F "
         "only) and constants. Dotted: its grid of 1000 frequencies, too coarse once eta mu is "
         "small; solid: a "
         "grid that resolves eta mu. Optimised: the noise found on the latter, valued on either.",
     BOUND_AGAINST_KAPPA,
     /* one by one: that is what ECOS is used for, and Newton does not get far on the coarse grid */
     .source =
         {{"iqc --noise sgd --eta 0.1 --kappa {}" PAPER_SETTING COARSE, {NULL, NULL}, 1, NULL},
          {"iqc --noise nu:paper --eta 0.1 --kappa {}" PAPER_SETTING COARSE, {NULL, NULL}, 1, NULL},
          {"optimize --eta 0.1 --kappa {}" PAPER_SETTING " --solver newton"
           " --save best.csv && finf iqc --noise spectrum@best.csv --eta 0.1 --kappa "
           "{}" PAPER_SETTING COARSE,
           {NULL, "2"},
           1,
           optimised_on_grid},
          {"iqc --noise sgd --eta 0.1 --kappa {}" PAPER_SETTING, {NULL, NULL}, 1, NULL},
          {"iqc --noise nu:paper --eta 0.1 --kappa {}" PAPER_SETTING, {NULL, NULL}, 1, NULL},
          {"optimize --eta 0.1 --kappa {}" PAPER_SETTING " --solver newton"}},
     .column = {{"grid1000_sgd", NULL, 0, "solver_bound", .colour = SGD, .line = LINE_DOTTED},
                {"grid1000_nu", NULL, 1, "solver_bound", .colour = NU, .line = LINE_DOTTED},
                {"grid1000_optimised", NULL, 2, "solver_bound", .colour = BEST,
                 .line = LINE_DOTTED},
                {"bound_sgd", "DP-SGD", 3, "bound", .colour = SGD},
                {"bound_nu", "nu = eta mu", 4, "bound", .colour = NU},
                {"bound_optimised", "optimised", 5, "bound", .colour = BEST}}},
    {.name = "fig3-dist",
     .section = SECTION_CONVEX,
     .place = "Figure 3, corrected",
     .title = "Valid for every loss, correlated noise has a bound 16 times below DP-SGD's",
     .subtitle =
         "Figure 3, corrected: eta = 0.1, L = G = 1, rho = 1/2; the bound of (L/2) E|theta - "
         "theta*|^2",
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
     .column = {{"bound_sgd", "DP-SGD", 0, "bound", .colour = SGD},
                {"bound_nu", "nu = eta mu", 1, "bound", .colour = NU},
                {"bound_optimised", "optimised", 2, "bound", .colour = BEST},
                {"lower_sgd", "worst quadratic", 0, "lower", .colour = SGD, .line = LINE_DASHED},
                {"lower_nu", "worst quadratic", 1, "lower", .colour = NU, .line = LINE_DASHED},
                {"minimax", "no noise below", 2, "minimax", .colour = BEST, .line = LINE_DASHED}}},
    {.name = "fig3-sharp",
     .section = SECTION_CONVEX,
     .place = "Figure 3, added",
     .title =
         "Bounding F itself, optimised noise is within 6% of what no noise can beat, at any kappa",
     .subtitle = "Figure 3, added: the sharp bound of F - F*; eta = 0.1, L = G = 1, rho = 1/2",
     .caption = "The bound of F - F* itself, with causality multipliers, in the same setting: L = "
                "G = 1, eta = 0.1, rho = "
                "1/2, kappa = {}. Best nu: near eta L/2, whatever kappa. Dashed: as above.",
     BOUND_AGAINST_KAPPA,
     .source = {{"iqc --noise sgd --eta 0.1 --kappa {} --rho 0.5 --solver newton"},
                {"iqc --noise nu:paper --eta 0.1 --kappa {} --rho 0.5 --solver newton"},
                {"optimize --eta 0.1 --kappa {} --rho 0.5 --solver newton"}},
     .column = {{"bound_sgd", "DP-SGD", 0, "bound", .colour = SGD},
                {"bound_nu", "nu = eta mu", 1, "bound", .colour = NU},
                {"bound_optimised", "optimised", 2, "bound", .colour = BEST},
                {"bound_best_nu", "best nu", 2, "bound_nu", .colour = BEST_NU, .line = LINE_DOTTED},
                {"lower_sgd", "worst quadratic", 0, "lower", .colour = SGD, .line = LINE_DASHED},
                {"lower_nu", "worst quadratic", 1, "lower", .colour = NU, .line = LINE_DASHED},
                {"minimax", "no noise below", 2, "minimax", .colour = BEST, .line = LINE_DASHED}}},
    {.name = "momentum-step",
     .section = SECTION_MOMENTUM,
     .place = "Not in the paper: momentum at the same effective step",
     .sample = {{LINE_SOLID, "heavy ball"}, {LINE_NONE, "Nesterov"}},
     .title = "Momentum lowers F_inf 6.9 times with the best noise, and by at most 0.2% with "
              "independent noise",
     .subtitle = "F_inf at the same effective step eta/(1 \u2212 m) = 0.02: linear regression, "
                 "eigenvalues 1/k, d = 128, rho = 1/2",
     .caption =
         "The momentum m makes a gradient last for about 1/(1 \u2212 m) = {} steps, and the step "
         "size "
         "is "
         "eta = 0.02 (1 \u2212 m). Exact for Gaussian inputs, clip norm G = 1; noise by gamma_inf, "
         "added "
         "to the gradients before momentum. Independent noise does not feel it; the best noise has "
         "its power at high frequencies, to which momentum is deaf (theory 11.6). Best noise: no "
         "noise has a smaller F_inf with this optimizer; best nu: the best of the paper's family.",
     .x = "memory",
     .x_key = "eta_eff",
     .x_over = "eta",
     .x_label = "memory 1/(1 \u2212 m) of the momentum, in steps",
     .y_label = "F_inf",
     .x_scale = PLOT_LOG,
     .y_scale = PLOT_LOG,
     .values = {"1,2,5,10,20,50,100,200", "1,10,200"},
     .pairs = {"0:0.02 0.5:0.01 0.8:0.004 0.9:0.002 0.95:0.001 0.98:0.0004 0.99:0.0002 "
               "0.995:0.0001",
               "0:0.02 0.9:0.002 0.995:0.0001"},
     .source = {{"linreg --noise sgd --optimizer heavy-ball:" MOMENTUM_SETTING, .each = 1},
                {"linreg --noise nu:best --optimizer heavy-ball:" MOMENTUM_SETTING, .each = 1},
                {"linreg --noise sgd --optimizer nesterov:" MOMENTUM_SETTING, .each = 1},
                {"linreg --noise nu:best --optimizer nesterov:" MOMENTUM_SETTING, .each = 1}},
     .column = {{"sgd_heavy_ball", "independent noise", 0, "F_inf", .colour = SGD},
                {"nu_heavy_ball", "best nu", 1, "F_inf", .colour = BEST_NU},
                {"best_heavy_ball", "best noise", 0, "F_best", .colour = BEST},
                {"sgd_nesterov", NULL, 2, "F_inf", .role = ROLE_MARKS, .colour = SGD},
                {"nu_nesterov", NULL, 3, "F_inf", .role = ROLE_MARKS, .colour = BEST_NU},
                {"best_nesterov", NULL, 2, "F_best", .role = ROLE_MARKS, .colour = BEST}}},
    {.name = "momentum-frontier",
     .section = SECTION_MOMENTUM,
     .place = "Not in the paper: the best momentum at a given speed",
     .sample = {{LINE_DASHED, "sgd"}, {LINE_SOLID, "heavy ball"}, {LINE_NONE, "Nesterov"}},
     .title = "At the same speed momentum gains a factor 2.0 to 2.3 with independent noise, and 59 "
              "to 134 with the best",
     .subtitle = "The least F_inf at a given half-life, by noise and optimizer: linear regression, "
                 "eigenvalues 1/k, d = 128, rho = 1/2",
     .caption =
         "Half-life n = {}: the slowest direction of the mean contracts by 2^{-1/n} a step. Each "
         "momentum has one step size of that speed; the best is here the largest, critically "
         "damped in that direction, and is in the CSV. The factors of the title are heavy ball's "
         "from n = 1000 on; below n of about 272 F_inf of sgd is infinite. Exact for Gaussian "
         "inputs, clip norm G = 1; noise by gamma_inf, added to the gradients before momentum "
         "(theory 11.6).",
     .x = "half_life",
     .x_key = "half_life",
     .x_label = "half-life, in steps",
     .y_label = "F_inf",
     .x_scale = PLOT_LOG,
     .y_scale = PLOT_LOG,
     .values = {"200,300,350,400,500,700,1000,2000,5000,10000,20000,50000,100000",
                "200,1000,100000"},
     .source = {{FRONTIER "sgd --noise sgd"},
                {FRONTIER "sgd --noise best"},
                {FRONTIER "heavy-ball --noise sgd"},
                {FRONTIER "heavy-ball --noise best"},
                {FRONTIER "nesterov --noise sgd"},
                {FRONTIER "nesterov --noise best"}},
     .column = {{"sgd_independent", "independent, sgd", 0, "F_inf", .colour = SGD,
                 .line = LINE_DASHED},
                {"sgd_best", "best, sgd", 1, "F_inf", .colour = BEST, .line = LINE_DASHED},
                {"heavy_ball_independent", "independent, momentum", 2, "F_inf", .colour = SGD},
                {"heavy_ball_best", "best, momentum", 3, "F_inf", .colour = BEST},
                {"nesterov_independent", NULL, 4, "F_inf", .role = ROLE_MARKS, .colour = SGD},
                {"nesterov_best", NULL, 5, "F_inf", .role = ROLE_MARKS, .colour = BEST},
                {"eta_sgd", NULL, 0, "eta", .role = ROLE_HIDDEN},
                {"m_heavy_ball", NULL, 3, "momentum", .role = ROLE_HIDDEN},
                {"eta_heavy_ball", NULL, 3, "eta", .role = ROLE_HIDDEN},
                {"m_nesterov", NULL, 5, "momentum", .role = ROLE_HIDDEN},
                {"eta_nesterov", NULL, 5, "eta", .role = ROLE_HIDDEN}}},
};
