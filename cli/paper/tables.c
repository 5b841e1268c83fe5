/* What the tables show (theory 9): numbers from commands of this program, with the words of the
 * paper beside them. */
#include "tables.h"

#include <stdlib.h>

/* ---- words of the paper beside numbers ------------------------------------------------------- */

enum { WORDS = 5 }; /* of a row, at most */

/* What the paper prints in one row. */
typedef struct {
    const char *value;       /* by which the row is known in the output of a command */
    const char *word[WORDS]; /* what the paper has there */
} words;

/* Appends to the current row of `out` the words of the row that is known by `value`, under the
 * names given; empty fields where the paper has no such row. */
static void add_words(const words *list, size_t n, const char *value, const char *const *names,
                      doc *out)
{
    size_t i = 0;
    while (i < n && strcmp(list[i].value, value) != 0) i++;
    for (size_t k = 0; k < WORDS && names[k]; k++)
        doc_string(out, names[k], DATA_ONLY, i < n ? list[i].word[k] : NULL, NULL);
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* A number of the first record, and a text of any; "" if there is none. */
static double number(const doc *d, const char *key) { return doc_at(d, 0, key).value; }

static const char *text(const doc *d, size_t row, const char *key)
{
    const char *t = doc_at(d, row, key).text;
    return t ? t : "";
}

/* A row of Table 1: the paper's words, the value, the rate, and both over those of the lower bound.
 */
static void table1_row(doc *out, const char *algorithm, const char *rate_words,
                       const char *ratio_words, const char *remark, double F, double rate,
                       const doc *sgd)
{
    double floor = number(sgd, "F_floor"), floor_rate = number(sgd, "rate_floor");
    doc_row(out);
    doc_string(out, "algorithm", DATA_ONLY, algorithm, NULL);
    doc_string(out, "paper_rate", DATA_ONLY, rate_words, NULL);
    doc_string(out, "paper_ratio", DATA_ONLY, ratio_words, NULL);
    doc_string(out, "remark", DATA_ONLY, remark, NULL);
    doc_number(out, "F_inf", DATA_ONLY, F, NULL);
    doc_number(out, "rate", DATA_ONLY, rate, NULL);
    doc_number(out, "constant", DATA_ONLY, F / rate, NULL);
    doc_number(out, "ratio", DATA_ONLY, F / floor, NULL);
    doc_number(out, "rate_ratio", DATA_ONLY, rate / floor_rate, NULL);
}

/* The rates of Table 1. `from` are the outputs of linreg for sgd and for nu = eta mu. */
static void make_table1(const doc *const *from, doc *out)
{
    const doc *sgd = from[0], *nu = from[1];
    table1_row(out, "lower bound", "Omega(eta^2 rho^-1 d_eff)", "1",
               "for every noise with a finite sum of |beta_t|", number(sgd, "F_floor"),
               number(sgd, "rate_floor"), sgd);
    table1_row(out, "DP-SGD", "Theta(eta rho^-1 d)", "d/(eta d_eff)",
               "upper and lower bounds match up to constants", number(sgd, "F_inf"),
               number(sgd, "rate_sgd"), sgd);
    table1_row(out, "nu = eta mu", "O(eta^2 rho^-1 d_eff log^2(1/(eta mu)))", "log^2(1/(eta mu))",
               "mu is the least eigenvalue of H", number(nu, "F_inf"), number(nu, "rate_nu"), sgd);
    table1_row(out, "best noise", NULL, NULL, "not in the paper: the least over all noise",
               number(sgd, "F_best"), NAN, sgd);
}

/* Prior work. `from` is the output of rates --table prior. */
static void make_table2(const doc *const *from, doc *out)
{
    static const char *const NAMES[WORDS] = {"coefficients"};
    static const words PAPER[] = {{"optimal-cc", {"nu at nu = 0"}},
                                  {"nu", {"nu, 0 < nu <= eta mu"}},
                                  {"anti-PGD", {"(1, -1, 0, ..)"}},
                                  {"damped anti-PGD", {"(1, -(1-nu), 0, ..)"}},
                                  {"damped anti-PGD (best nu)", {"(1, -(1-nu), 0, ..)"}}};
    for (size_t r = 0; r < doc_rows(from[0]); r++) {
        doc_row(out);
        doc_copy(out, from[0], r);
        add_words(PAPER, COUNT(PAPER), text(from[0], r, "algorithm"), NAMES, out);
    }
}

/* Eigenvalue decays. `from` is the output of rates, whose rows are those of the paper's Table 3. */
static void make_table3(const doc *const *from, doc *out)
{
    static const char *const NAMES[WORDS] = {"eigenvalues", "paper_d_eff", "paper_sgd", "paper_nu",
                                             "paper_ratio"};
#define SGD_RATE "eta d rho^-1"
    static const words PAPER[] = {
        {"power:0", {"1", "d", SGD_RATE, "eta^2 d rho^-1 log^2(1/eta)", "eta log^2(1/eta)"}},
        {"power:0.5",
         {"1/sqrt(k)", "sqrt(d)", SGD_RATE, "eta^2 sqrt(d) rho^-1 log^2(d/eta)",
          "eta d^{-1/2} log^2(d/eta)"}},
        {"power:0.75",
         {"k^{-a}, a = 3/4 < 1", "d^{1-a}/(1-a)", SGD_RATE,
          "(1-a)^-1 eta^2 d^{1-a} rho^-1 log^2(d/eta)", "(1-a)^-1 eta d^{-a} log^2(d/eta)"}},
        {"power:1",
         {"1/k", "log d", SGD_RATE, "eta^2 rho^-1 log^3(d/eta)", "eta d^-1 log^3(d/eta)"}},
        {"power:1.5",
         {"k^{-a}, a = 3/2 > 1", "a/(a-1)", SGD_RATE, "a^2/(a-1) eta^2 rho^-1 log^2(d/eta)",
          "a^2/(a-1) eta d^-1 log^2(d/eta)"}},
        {"power:2",
         {"1/k^2", "constant", SGD_RATE, "eta^2 rho^-1 log^2(d/eta)",
          "eta d^-1 log^2(d/eta) (printed log^3: erratum 5)"}},
    };
    for (size_t r = 0; r < doc_rows(from[0]); r++) {
        doc_row(out);
        doc_copy(out, from[0], r);
        doc_number(out, "rate_ratio", DATA_ONLY,
                   doc_at(from[0], r, "rate_nu").value / doc_at(from[0], r, "rate_sgd").value,
                   NULL);
        add_words(PAPER, COUNT(PAPER), text(from[0], r, "spectrum"), NAMES, out);
    }
}

/* The number behind "name = " in a text such as "(a = 0.5, eta = 0.002)"; NaN if it is not there.
 */
static double named_value(const char *at, const char *name)
{
    char key[16];
    snprintf(key, sizeof key, "%s = ", name);
    for (const char *found = at; (found = strstr(found, key)); found++)
        if (found > at && strchr("( ", found[-1])) return strtod(found + strlen(key), NULL);
    return NAN;
}

/* Slopes. `from` is the output of rates --slopes; what is held fixed goes into a column each. */
static void make_slopes(const doc *const *from, doc *out)
{
    static const char *const FIXED[] = {"a", "d", "eta"};
    static const char *const SLOPE[] = {"slope_sgd", "slope_paper", "slope_best", "points"};
    for (size_t r = 0; r < doc_rows(from[0]); r++) {
        doc_row(out);
        doc_string(out, "against", DATA_ONLY, text(from[0], r, "against"), NULL);
        for (size_t i = 0; i < COUNT(FIXED); i++)
            doc_number(out, FIXED[i], DATA_ONLY, named_value(text(from[0], r, "at"), FIXED[i]),
                       NULL);
        for (size_t i = 0; i < COUNT(SLOPE); i++)
            doc_number(out, SLOPE[i], DATA_ONLY, doc_at(from[0], r, SLOPE[i]).value, NULL);
    }
}

/* The variants. `from` is the output of curve for the systems of the paper's Table 4. */
static void make_table4(const doc *const *from, doc *out)
{
    static const char *const NAMES[WORDS] = {"variant"};
    static const words PAPER[] = {{"sgd", {"DP-SGD"}},       {"honaker", {"Honaker/TreeAgg"}},
                                  {"cc", {"Optimal CC"}},    {"nu:best", {"nu-DP-FTRL"}},
                                  {"fft", {"FFT"}},          {"full-honaker", {"Full Honaker"}},
                                  {"me", {"ME, one epoch"}}, {"me:256", {"ME, four epochs"}}};
    for (size_t r = 0; r < doc_rows(from[0]); r++) {
        const char *system = text(from[0], r, "system");
        doc_row(out);
        /* the best nu is printed as its value */
        if (strncmp(system, "nu:", 3) == 0) system = "nu:best";
        add_words(PAPER, COUNT(PAPER), system, NAMES, out);
        doc_copy(out, from[0], r);
    }
}

/* ---- the tables ------------------------------------------------------------------------------ */

const table TABLE[TABLES] = {
    {"table1",
     "Table 1",
     {"linreg --noise sgd --eta 0.01 --spectrum power:1 --dim 128 --rho 0.5",
      "linreg --noise nu:paper --eta 0.01 --spectrum power:1 --dim 128 --rho 0.5"},
     make_table1,
     {{"Table 1, the rates: F_inf of linear regression, and its ratio with the lower bound",
       {{"algorithm", "Algorithm"},
        {"paper_rate", "F_inf"},
        {"paper_ratio", "Ratio with lower bound"},
        {"remark", "Remark"}}},
      {"Table 1 in numbers: eigenvalues 1/k, d = 128, eta = 0.01, rho = 1/2, Gaussian inputs. "
       "Constant: F_inf over the "
       "rate "
       "with constant 1.",
       {{"algorithm", "Algorithm"},
        {"F_inf", "F_inf"},
        {"rate", "Rate"},
        {"constant", "Constant"},
        {"ratio", "Ratio with lower bound"},
        {"rate_ratio", "Ratio of the rates"}}}}},
    {"table2-prior",
     "Table 2",
     {"rates --table prior --dim 128 --eta 0.01 --rho 0.5"},
     make_table2,
     {{"Table 2, the rates: the noise of prior work",
       {{"algorithm", "Algorithm"},
        {"coefficients", "beta"},
        {"growth", "gamma_T^2"},
        {"rate", "F_inf"}}},
      {"Table 2 in numbers: eigenvalues 1/k, d = 128, eta = 0.01, rho = 1/2. Constant: F_inf over "
       "the rate.",
       {{"algorithm", "Algorithm"},
        {"nu", "nu"},
        {"gamma2_100", "gamma_T^2, T = 100"},
        {"gamma2_10000", "T = 10^4"},
        {"gamma2_1000000", "T = 10^6"},
        {"gamma2", "gamma_inf^2"},
        {"F_inf", "F_inf"},
        {"rate_value", "Rate"},
        {"rate_constant", "Constant"}}}}},
    {"table3-decays",
     "Table 3",
     {"rates --dim 128 --eta 0.01 --rho 0.5"},
     make_table3,
     {{"Table 3, the rates: eigenvalue decays",
       {{"eigenvalues", "lambda_k"},
        {"paper_d_eff", "d_eff"},
        {"paper_sgd", "DP-SGD"},
        {"paper_nu", "nu = eta mu"},
        {"paper_ratio", "Ratio"}}},
      {"Table 3 in numbers: d = 128, eta = 0.01, rho = 1/2, exact. Ratio: nu over DP-SGD; "
       "constant: value over rate.",
       {{"eigenvalues", "lambda_k"},
        {"d_eff", "d_eff"},
        {"F_sgd", "DP-SGD"},
        {"F_paper", "nu = eta mu"},
        {"F_best_nu", "best nu"},
        {"F_best", "best noise"},
        {"ratio", "Ratio"},
        {"rate_ratio", "Ratio of the rates"},
        {"constant_sgd", "Constant of DP-SGD"},
        {"constant_paper", "Constant of nu"}}}}},
    {"table3-slopes",
     "Table 3, added",
     {"rates --decays 0.5,0.75,1,1.5,2 --dim 64:1024:log:3 --eta 0.002:0.018:log:3 --rho 0.5 "
      "--slopes"},
     make_slopes,
     {{NULL, {{NULL, NULL}}}}},
    {"table4-variants",
     "Table 4",
     {"curve --steps 1024 --system sgd,honaker,cc,nu:best,fft,full-honaker,me,me:256 "
      "--participations 4 "
      "--separation 256"},
     make_table4,
     {{"Table 4: the variants, and what they cost in the paper and here (T = n steps). Seconds: to "
       "prepare it and "
       "draw the noise of all steps, one coordinate.",
       {{"variant", "Variant"},
        {"matrix", "Matrix B"},
        {"anytime", "Anytime"},
        {"paper_generation", "Generation, paper"},
        {"generation", "Generation, here"},
        {"paper_step", "Step, paper"},
        {"step", "Step, here"},
        {"seconds", "Seconds, n = 1024"}}},
      {"Table 4 in numbers: n = 1024 steps, nu the one of least loss. Squared sensitivity, and "
       "loss (that times the "
       "error of the prefix sums), of one participation and of four: 256 steps apart (fixed order) "
       "or at least that "
       "(min-sep; not exact: an upper bound). Each ME is the optimum for its own.",
       {{"variant", "Variant"},
        {"prefix_error", "Prefix error"},
        {"gamma2_T", "Sensitivity^2, one"},
        {"loss_T", "Loss, one"},
        {"sens2_fixed_order", "Sensitivity^2, four"},
        {"loss_fixed_order", "Loss, four"},
        {"loss_min_sep", "Loss, min-sep"},
        {"min_sep_exact", "min-sep exact"}}}}},
    {"tuned-nu",
     "Section 3, added",
     {"tune --eta 0.1 --kappa 100 --solver newton --rho 0.5"},
     NULL,
     {{"Which nu? For the sharp bound the best is far from eta mu = 0.001: eta = 0.1, kappa = 100, "
       "rho = 1/2.",
       {{"nu", "best nu"},
        {"gamma2", "gamma_inf^2"},
        {"bound", "bound on F_inf"},
        {"lower", "worst quadratic with this nu"},
        {"minimax", "no noise at all below"},
        {"gap", "bound / that"}}}}},
    {"errata",
     "Errata",
     {"errata"},
     NULL,
     {{"What the paper prints, and what it should be",
       {{"erratum", "No"},
        {"what", "What"},
        {"printed", "Printed"},
        {"computed", "Computed"},
        {"note", "Note"}}},
      {"Of the same errata, more numbers",
       {{"erratum", "No"},
        {"also", "What"},
        {"also_printed", "Printed"},
        {"also_computed", "Computed"}}}}},
};

/* Whether some record has the field. */
static int has(const doc *d, const char *key)
{
    size_t r = 0, n = doc_rows(d);
    while (r < n && doc_at(d, r, key).kind == CELL_EMPTY) r++;
    return r < n;
}

/* Every column that is shown must be filled somewhere: if not, a command has renamed its key. */
static finf_status check_views(const table *t, const doc *d, finf_reason *why)
{
    for (size_t v = 0; v < TABLE_VIEWS; v++)
        for (size_t c = 0; c < VIEW_COLUMNS && t->view[v].column[c].key; c++)
            if (!has(d, t->view[v].column[c].key))
                return finf_why(why, FINF_EUSAGE, "%s: no %s in what its commands print", t->name,
                                t->view[v].column[c].key);
    return FINF_OK;
}

finf_status table_make(const table *t, runner *r, doc **out, finf_reason *why)
{
    const doc *from[TABLE_LINES] = {NULL};
    finf_status s = (*out = doc_new()) ? FINF_OK : finf_why(why, FINF_ENOMEM, "no memory");
    for (size_t i = 0; i < TABLE_LINES && t->line[i] && !s; i++)
        s = runner_run(r, t->line[i], &from[i], why);
    if (s) return s;
    if (t->make)
        t->make(from, *out);
    else
        for (size_t i = 0; i < doc_rows(from[0]); i++) {
            doc_row(*out);
            doc_copy(*out, from[0], i);
        }
    return doc_failed(*out) ? finf_why(why, FINF_ENOMEM, "no memory") : check_views(t, *out, why);
}

void table_csv(const doc *d, FILE *out) { doc_print(d, (doc_style){.format = FORMAT_CSV}, out); }

void table_section(const table *t, FILE *out)
{
    for (size_t i = 0; i < TABLE_LINES && t->line[i]; i++)
        fprintf(out, "finf %s --format csv\n", t->line[i]);
}

void table_commands(const table *t, char out[TABLE_COMMANDS])
{
    size_t n = 0;
    out[0] = 0;
    for (size_t i = 0; i < TABLE_LINES && t->line[i]; i++, n = strlen(out))
        snprintf(out + n, TABLE_COMMANDS - n, "%sfinf %s", i ? "\n" : "", t->line[i]);
}

void table_report(const table *t, const doc *d, FILE *html)
{
    char commands[TABLE_COMMANDS];
    table_commands(t, commands);
    for (size_t v = 0; v < TABLE_VIEWS && t->view[v].caption; v++) {
        size_t n = 0;
        while (n < VIEW_COLUMNS && t->view[v].column[n].key) n++;
        report_table(html, d, t->view[v].column, n, t->view[v].caption, v ? NULL : commands);
    }
}
