/* finf reproduce: the paper's tables and figures, and ours on momentum, as CSV, SVG and one HTML
 * report. (theory 9, 11.6)
 *
 * What figures show is in figures.c, what tables show in tables.c; each is a command line of this
 * program, run within it by runner.c. Here they are put together, and bundle.c writes them. */
#include <stdlib.h>
#include <unistd.h>

#include "bundle.h"
#include "commands_file.h"
#include "figures.h"
#include "output.h"
#include "report.h"
#include "slopes.h"
#include "sweep.h"
#include "tables.h"

#define MARK "written by " BUNDLE_MARK /* in the first lines of SVG and COMMANDS.md */

static const char SLOPES[] = "fig2-slopes";

typedef struct {
    figure_size size;
    int progress;                 /* say on the terminal what is being made */
    bundle files;                 /* all files, */
    FILE *csv[FIGURES];           /* of which these are the data of a figure, */
    FILE *svg[FIGURES];           /* its drawing, */
    FILE *table[TABLES];          /* a table, */
    FILE *slopes_csv;             /* the slopes of Figure 2, */
    FILE *slope_svg[SLOPE_PLOTS]; /* those of Table 3, drawn, */
    FILE *commands;               /* what gives the numbers of the CSV files, */
    FILE *html;                   /* and the report */
    command_table all;            /* the commands that a line may name */
    runner *r;
    doc *slopes;        /* a record for each slope of the figures so far */
    finf_status status; /* of fill() */
    finf_reason *why;
} job;

/* Opens every file there will be, so that a name that is already taken is known before the work. */
static finf_status open_files(job *j)
{
    int good = 1;
    for (size_t i = 0; i < FIGURES; i++) {
        good &= (j->csv[i] = bundle_add(&j->files, FIGURE[i].name, ".csv")) != NULL;
        good &= (j->svg[i] = bundle_add(&j->files, FIGURE[i].name, ".svg")) != NULL;
    }
    for (size_t i = 0; i < TABLES; i++)
        good &= (j->table[i] = bundle_add(&j->files, TABLE[i].name, ".csv")) != NULL;
    good &= (j->slopes_csv = bundle_add(&j->files, SLOPES, ".csv")) != NULL;
    for (size_t i = 0; i < SLOPE_PLOTS; i++)
        good &= (j->slope_svg[i] = bundle_add(&j->files, slopes_name(i), ".svg")) != NULL;
    good &= (j->commands = bundle_add(&j->files, COMMANDS_FILE, "")) != NULL;
    good &= (j->html = bundle_add(&j->files, "report", ".html")) != NULL;
    good &= (j->r = runner_new(j->all)) != NULL && (j->slopes = doc_new()) != NULL;
    return good ? FINF_OK : finf_why(j->why, FINF_ENOMEM, "no memory");
}

/* Shows the name of what is being made in place of the last one. */
static void say(const job *j, const char *name)
{
    if (j->progress) fprintf(stderr, "\r%-20s\r%s", "", name);
}

/* ---- parts of the report --------------------------------------------------------------------- */

/* Begins the section of a CSV file, already written, in COMMANDS.md; its commands follow, then
 * commands_end. */
static void begin_commands(job *j, const char *name, const char *place, FILE *csv)
{
    commands_begin(name, place, j->commands);
    bundle_first_line(&j->files, csv, j->commands);
    commands_shell(j->commands);
}

/* Makes a figure: its CSV, its SVG, its part of the report, and its slopes. */
static finf_status put_figure(job *j, size_t i)
{
    dataset d = {0};
    memory_file text[2] = {{0}}; /* caption, commands */
    say(j, FIGURE[i].name);
    finf_status s = dataset_make(&FIGURE[i], j->size, j->r, &d, j->why);
    if (s) return s;
    plot *p = dataset_plot(&d);
    for (int k = 0; k < 2; k++) {
        FILE *memory = memory_open(&text[k]);
        if (memory) (k ? dataset_commands : dataset_caption)(&d, memory);
        if (!memory || fclose(memory) != 0 || !text[k].text) s = FINF_ENOMEM;
    }
    if (p && !s) plot_describe(p, text[0].text);
    if (plot_failed(p) || s)
        s = finf_why(j->why, FINF_ENOMEM, "no memory");
    else {
        dataset_csv(&d, j->csv[i]);
        begin_commands(j, FIGURE[i].name, FIGURE[i].place, j->csv[i]);
        dataset_section(&d, j->commands);
        commands_end(j->commands);
        plot_svg(p, MARK, j->svg[i]);
        report_figure(j->html, p, text[0].text, text[1].text);
        dataset_slopes(&d, j->slopes);
    }
    for (int k = 0; k < 2; k++) free(text[k].text);
    plot_free(p);
    dataset_free(&d);
    return s;
}

/* The numbers behind this sentence, as slopes against d_eff (theory 3.5, 5.1): for the bound 1 from
 * Tr H less 0.47 from log^2 is 0.53; for F_inf 1 less 0.24 from one log, plus 0.17 from 1/D, is
 * about 0.94. */
#define WHY_FLATTER                                                                                \
    "Against d_eff the bound of nu = eta mu is flatter than F_inf: as a falls, mu = d^{-a} rises " \
    "with d_eff, so that "                                                                         \
    "log^2(1/(eta mu)) falls; F_inf has that log once, and rises like 1/D, D = 1 - sum_j eta "     \
    "lambda_j/(2 - 2 eta "                                                                         \
    "lambda_j), too."

/* The slopes of Figure 2, which its panels have left in j->slopes: their CSV and their table in the
 * report. */
static finf_status put_slopes(job *j)
{
    static const report_column COLUMNS[] = {
        {"noise", "Noise"}, {"against", "Against"},     {"paper", "Paper"},
        {"exact", "Exact"}, {"simulated", "Simulated"}, {"bound", "The paper's bound"}};
    memory_file commands;
    FILE *memory = memory_open(&commands);
    doc_print(j->slopes, (doc_style){.format = FORMAT_CSV}, j->slopes_csv);
    begin_commands(j, SLOPES, "Figure 2, the slopes", j->slopes_csv);
    for (size_t i = 0; memory && i < FIGURES; i++) {
        if (!FIGURE[i].slopes) continue;
        fputs("finf ", j->commands);
        figure_slopes_command(&FIGURE[i], j->size, j->commands);
        fputs(" --format csv\n", j->commands);
        fputs("finf ", memory);
        figure_slopes_command(&FIGURE[i], j->size, memory);
        fputc('\n', memory);
    }
    fputs("# exact: these; simulated, bound: fitted to fig2-d.csv, fig2-deff.csv, fig2-eta.csv\n",
          j->commands);
    commands_end(j->commands);
    fputs("\n" WHY_FLATTER "\n", j->commands);
    int bad = !memory || fclose(memory) != 0 || !commands.text || doc_failed(j->slopes);
    if (!bad)
        report_table(
            j->html, j->slopes, COLUMNS, sizeof COLUMNS / sizeof *COLUMNS,
            "Log-log slopes of F_inf in Figure 2, fitted to its points. The commands give the "
            "exact ones. " WHY_FLATTER,
            commands.text);
    free(commands.text);
    return bad ? finf_why(j->why, FINF_ENOMEM, "no memory") : FINF_OK;
}

/* The slopes of Table 3 as plots, each with its SVG; the commands stand below the last. */
static finf_status draw_slopes(job *j, const table *t, const doc *d)
{
    char commands[TABLE_COMMANDS];
    table_commands(t, commands);
    for (size_t i = 0; i < SLOPE_PLOTS; i++) {
        plot *p = NULL;
        if (!slopes_count(d, i))
            return finf_why(j->why, FINF_EUSAGE, "%s: no slopes in what its command prints",
                            t->name);
        p = slopes_plot(d, i);
        int bad = plot_failed(p);
        if (!bad) {
            plot_svg(p, MARK, j->slope_svg[i]);
            report_figure(j->html, p, slopes_caption(i), i + 1 == SLOPE_PLOTS ? commands : NULL);
        }
        plot_free(p);
        if (bad) return finf_why(j->why, FINF_ENOMEM, "no memory");
    }
    return FINF_OK;
}

/* Makes a table: its CSV and its part of the report. */
static finf_status put_table(job *j, size_t i)
{
    doc *d = NULL;
    say(j, TABLE[i].name);
    finf_status s = table_make(&TABLE[i], j->r, &d, j->why);
    if (!s) {
        table_csv(d, j->table[i]);
        begin_commands(j, TABLE[i].name, TABLE[i].place, j->table[i]);
        table_section(&TABLE[i], j->commands);
        commands_end(j->commands);
        if (TABLE[i].view[0].caption)
            table_report(&TABLE[i], d, j->html);
        else
            s = draw_slopes(j, &TABLE[i], d);
    }
    doc_free(d);
    return s;
}

/* The head of the report: what it is, what is not in it, and its contents. */
static void put_beginning(FILE *html, int quick, size_t n, const char *const *headings)
{
    report_begin(html, "Correlated noise for private learning: the paper, regenerated",
                 BUNDLE_MARK " " FINF_VERSION);
    report_paragraph(html, "Tables 1 to 4 and Figures 1 to 3 of \"Correlated Noise Provably Beats "
                           "Independent Noise for Differentially "
                           "Private Learning\", recomputed by finf " FINF_VERSION
                           ": exact values where the paper has rates, a sharper "
                           "bound beside its own; then what momentum adds. Under each figure and "
                           "table stand the commands "
                           "that give its numbers, which are also, "
                           "to 17 digits, in the CSV files beside this one (COMMANDS.md says which "
                           "column is what). Point at a figure for its values.");
    report_note(html, "Figure 4 of the paper, networks trained on CIFAR-10 and StackOverflow, is "
                      "not here. In its place is training on digits and Fashion-MNIST: "
                      "training/README.md beside this file has the tables and figures, "
                      "docs/training.md says what was done (make train).");
    if (quick) report_note(html, "Made with --quick: fewer points, and few of them simulated.");
    report_contents(html, n, headings);
}

/* What the section on momentum is about. */
#define ABOUT_MOMENTUM                                                                             \
    "The paper has plain gradient descent. Momentum sums up gradients before they move "           \
    "theta, and their noise with them, and so changes which noise is the best: momentum "          \
    "and correlated noise are allies (docs/theory.md, 11.6). The first figure compares at "        \
    "the same effective step, the second at the same speed."

/* Everything, in the order of the report. The slopes follow the panels of Figure 2. */
static finf_status fill(job *j)
{
    static const char *const HEADINGS[] = {"Figure 1: mean estimation",
                                           "Figure 2: linear regression",
                                           "Figure 3: strongly convex losses",
                                           "Beyond the paper: momentum",
                                           "Tables",
                                           "Errata"};
    enum { SECTIONS = 6 };
    finf_status s = FINF_OK;
    put_beginning(j->html, j->size == SIZE_QUICK, SECTIONS, HEADINGS);
    commands_head("These files were " MARK " (" FINF_VERSION ").", j->commands);
    for (size_t i = 0; i < FIGURES && !s; i++) {
        figure_section section = FIGURE[i].section;
        if (i == 0 || section != FIGURE[i - 1].section) {
            if (section == SECTION_CONVEX) s = put_slopes(j);
            report_section(j->html, HEADINGS[section]);
            if (section == SECTION_MOMENTUM) report_paragraph(j->html, ABOUT_MOMENTUM);
        }
        if (!s) s = put_figure(j, i);
    }
    report_section(j->html, HEADINGS[4]);
    for (size_t i = 0; i < TABLES && !s; i++) {
        if (i + 1 == TABLES) report_section(j->html, HEADINGS[5]);
        s = put_table(j, i);
    }
    report_end(j->html);
    say(j, "");
    return s;
}

/* fill() as a sweep of one task: Ctrl-C then stops whatever command is running. */
static void fill_task(size_t unused, void *ctx)
{
    job *j = ctx;
    (void)unused;
    j->status = fill(j);
}

/* The file of --output must not be one of those in --out. */
static finf_status check_output(const job *j, const char *dir, const char *output, finf_reason *why)
{
    int same = output && sink_same(output, dir);
    for (size_t i = 0; output && i < j->files.n && !same; i++) {
        size_t n = strlen(dir) + sizeof j->files.file[i].name + 2;
        char *path = malloc(n);
        if (!path) return finf_why(why, FINF_ENOMEM, "no memory");
        snprintf(path, n, "%s/%s", dir, j->files.file[i].name);
        same = sink_same(output, path);
        free(path);
    }
    if (!same) return FINF_OK;
    return finf_why(why, FINF_EUSAGE, "--out and --output name one file: '%.100s'", output);
}

static finf_status cmd_reproduce(const args *a, doc *d, finf_reason *why)
{
    const char *dir = args_text(a, OPT_OUT);
    int force = args_given(a, OPT_FORCE);
    if (args_given(a, OPT_PRECISION))
        return finf_why(why, FINF_EUSAGE, "--precision has no effect: the files have 17 digits");
    job *j = calloc(1, sizeof *j);
    if (!j) return finf_why(why, FINF_ENOMEM, "no memory");
    j->size = args_given(a, OPT_QUICK) ? SIZE_QUICK : SIZE_FULL;
    j->progress = isatty(STDERR_FILENO) && !args_given(a, OPT_QUIET);
    j->all = a->all;
    j->why = why;
    finf_status s = open_files(j);
    if (!s) s = check_output(j, dir, args_text(a, OPT_OUTPUT), why);
    if (!s) s = bundle_check(&j->files, dir, force, why);
    if (!s)
        s = sweep_run(1, fill_task, j)
                ? finf_why(why, FINF_ETOL, "interrupted: nothing was written")
                : j->status;
    if (!s) s = bundle_install(&j->files, dir, force, why);
    if (!s) {
        doc_row(d);
        doc_heading(d, "The paper, regenerated");
        doc_string(d, "directory", SHOWN, dir, NULL);
        doc_number(d, "figures", SHOWN, FIGURES, "a CSV and an SVG each");
        doc_number(d, "tables", SHOWN, TABLES + 1, "a CSV each");
        doc_string(d, "report", SHOWN, "report.html", "all of them, in one file");
        doc_string(d, "commands", SHOWN, COMMANDS_FILE, "what gives the numbers of the CSV");
    }
    bundle_free(&j->files);
    runner_free(j->r);
    doc_free(j->slopes);
    free(j);
    return s;
}

static const option_use OPTIONS[] = {
    {.id = OPT_FORCE,
     .help = "replace the files of this command in DIR if it exists, and no others"},
    {.id = OPT_OUT, .needed = 1},
    {.id = OPT_QUICK},
    COMMON_OPTIONS,
    {.id = OPT_END}};

const command command_reproduce = {
    .name = "reproduce",
    .summary = "the paper's tables and Figures 1 to 3, and momentum: CSV, SVG, one HTML report",
    .about = "Writes the data behind every table and figure (CSV, 17 digits; COMMANDS.md has the "
             "commands), "
             "the figures as SVG,\n"
             "and report.html with all of them. (Figure 4 shows trained networks: make train "
             "trains others.)",
    .example = "finf reproduce --out paper --quick --force",
    .options = OPTIONS,
    .run = cmd_reproduce,
};
