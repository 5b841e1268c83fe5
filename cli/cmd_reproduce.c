/* finf reproduce: every table and figure of the paper, as CSV, SVG and one HTML report.        MATH section 9 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "figures.h"
#include "report.h"
#include "sweep.h"

/* ---- a directory that appears whole or not at all ------------------------------------------------------ */

static FILE *open_in(const char *dir, const char *name, const char *ending)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s%s", dir, name, ending);
    return fopen(path, "w");
}

static finf_status close_file(FILE *f, const char *name, finf_reason *why)
{
    int bad = ferror(f);
    bad |= fclose(f) != 0;
    return bad ? finf_why(why, FINF_EIO, "cannot write %.100s: %s", name, strerror(errno ? errno : EIO)) : FINF_OK;
}

/* Files only, one level: what this command writes. */
static void remove_directory(const char *dir)
{
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[4400];
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) unlink(path);
    }
    if (d) closedir(d);
    rmdir(dir);
}

/* ---- figures ------------------------------------------------------------------------------------------- */

static plot *draw(const dataset *d)
{
    plot *p = plot_new(d->title, d->x_label, d->log_x ? PLOT_LOG : PLOT_LINEAR, d->y_label,
                       d->log_y ? PLOT_LOG : PLOT_LINEAR);
    double *x = malloc(3 * d->rows * sizeof *x), *y = x ? x + d->rows : NULL, *error = x ? y + d->rows : NULL;
    for (size_t c = 1; x && c < d->columns; c++) {
        int aside = strstr(d->names[c], "lower") != NULL, dotted = strstr(d->names[c], "uniform") != NULL;
        int bars = c + 1 < d->columns && d->is_error[c + 1], any = 0;
        for (size_t r = 0; r < d->rows; r++) {
            const double *row = d->data + r * d->columns;
            x[r] = row[0];
            y[r] = row[c];
            any |= isfinite(y[r]);
            error[r] = bars ? 2 * row[c + 1] : 0;
        }
        if (d->is_error[c] || !any) continue;
        plot_add(p, &(plot_series){.name = d->names[c],
                                   .x = x,
                                   .y = y,
                                   .error = bars ? error : NULL,
                                   .n = d->rows,
                                   .mark = d->rows < 20 && !aside ? MARK_AUTO : MARK_NONE,
                                   .line = bars     ? LINE_NONE
                                           : aside  ? LINE_DASHED
                                           : dotted ? LINE_DOTTED
                                                    : LINE_SOLID});
    }
    plot_describe(p, d->caption);
    free(x);
    return p;
}

static finf_status figure(const char *dir, size_t i, int quick, FILE *html, finf_reason *why)
{
    dataset d = {0};
    finf_status s = FIGURE[i](quick, &d);
    if (s) finf_why(why, s, "%s failed: %s", d.name ? d.name : "a figure", finf_status_text(s));
    plot *p = s ? NULL : draw(&d);
    if (!s && plot_failed(p)) s = finf_why(why, FINF_ENOMEM, "no memory");
    for (int svg = 0; svg < 2 && !s; svg++) {
        FILE *f = open_in(dir, d.name, svg ? ".svg" : ".csv");
        if (!f) s = finf_why(why, FINF_EIO, "cannot write in '%.150s': %s", dir, strerror(errno));
        if (!s && svg) plot_svg(p, f);
        if (!s && !svg) dataset_csv(&d, f);
        if (!s) s = close_file(f, d.name, why);
    }
    if (!s) report_figure(html, p, d.caption, d.command);
    plot_free(p);
    dataset_free(&d);
    return s;
}

/* ---- tables: commands of this program ------------------------------------------------------------------ */

static const struct {
    const char *name, *caption, *line, *quick;
} TABLES[] = {
    {"table1-table3-decays", "Tables 1 and 3: eigenvalue decays, exact values beside the paper's rates",
     "rates --dim 128 --eta 0.01 --rho 0.5", NULL},
    {"table1-table3-slopes", "Log-log slopes against d, d_eff and eta",
     "rates --decays 0.5,0.75,1,1.5,2 --dim 64:1024:log:5 --eta 0.002:0.02:log:5 --rho 0.5 --slopes",
     "rates --decays 1 --dim 64:1024:log:3 --eta 0.02 --slopes"},
    {"table2-prior", "Table 2: noise of prior work", "rates --table prior --dim 128 --eta 0.01 --rho 0.5", NULL},
    {"table4-variants", "Table 4: the variants, n = 1024 steps; 4 participations 256 apart, and the optimum for these",
     "curve --steps 1024 --eta 0.05 --system sgd,honaker,cc,nu:auto,fft,full-honaker,me,me:256 --participations 4 "
     "--separation "
     "256",
     "curve --steps 64 --eta 0.05"},
    {"tuned-nu", "The best nu for the bound (not eta mu)", "tune --eta 0.1 --kappa 100 --solver newton --rho 0.5", NULL},
    {"errata", "Errata: printed value beside the computed one", "errata", NULL},
};

/* Runs "command --option value ..", printing CSV. */
static finf_status run_line(const char *line, FILE *out, finf_reason *why)
{
    char words[512], *argv[48];
    int argc = 0;
    snprintf(words, sizeof words, "%s --format csv", line);
    for (char *w = strtok(words, " "); w && argc < 47; w = strtok(NULL, " ")) argv[argc++] = w;
    int command = 0;
    while (command < CMD_COUNT && strcmp(COMMANDS[command].name, argv[0]) != 0) command++;
    if (command == CMD_COUNT) return finf_why(why, FINF_EUSAGE, "no command %.40s", argv[0]);
    args a;
    doc *d = doc_new();
    finf_status s = d ? args_parse((command_id)command, argc, argv, &a, why) : FINF_ENOMEM;
    if (!s) s = RUN[command](&a, d, why);
    if (!s) doc_print(d, (doc_style){.format = FORMAT_CSV}, out);
    doc_free(d);
    return s;
}

enum { COLUMNS = 32, ROWS = 256 };

/* The CSV again, for the report: columns of numbers, and the first column of words as labels. */
static void table_from(char *csv, const char *caption, const char *command, FILE *html)
{
    static char *cell[ROWS][COLUMNS];
    const char *names[COLUMNS], *labels[ROWS];
    double *data = malloc(ROWS * COLUMNS * sizeof *data);
    size_t rows = 0, columns = 0, kept = 0, label = COLUMNS;
    for (char *line = csv; data && line && *line && rows < ROWS;) {
        char *next = strchr(line, '\n');
        if (next) *next++ = '\0';
        size_t c = 0;
        for (char *p = line; *line != '#' && p && c < COLUMNS;) { /* a quoted cell may hold commas */
            int quoted = *p == '"';
            char *end = quoted ? strchr(p + 1, '"') : p + strcspn(p, ","), *after = end ? end + quoted : NULL;
            cell[rows][c++] = p + quoted;
            p = after && *after == ',' ? after + 1 : NULL;
            if (end) *end = '\0';
        }
        if (c && rows == 0) columns = c;
        if (c == columns && c) rows++;
        line = next;
    }
    for (size_t c = 0; c < columns && rows > 1; c++) {
        int words = 0;
        for (size_t r = 1; r < rows; r++) {
            char *end;
            strtod(cell[r][c], &end);
            words |= *cell[r][c] && *end;
        }
        if (words && label == COLUMNS) label = c;
        if (words || strstr(cell[0][c], "_error") || strcmp(cell[0][c], "seconds") == 0) continue;
        names[kept] = cell[0][c];
        for (size_t r = 1; r < rows; r++) data[(r - 1) * COLUMNS + kept] = *cell[r][c] ? strtod(cell[r][c], NULL) : NAN;
        kept++;
    }
    for (size_t r = 1; r < rows; r++) {
        labels[r - 1] = label < COLUMNS ? cell[r][label] : "";
        for (size_t c = 0; c < kept; c++) data[(r - 1) * kept + c] = data[(r - 1) * COLUMNS + c];
    }
    if (data && rows > 1)
        report_table(html, &(report_table_data){.caption = caption,
                                                .command = command,
                                                .columns = kept,
                                                .rows = rows - 1,
                                                .names = names,
                                                .data = data,
                                                .label_name = label < COLUMNS ? cell[0][label] : NULL,
                                                .labels = label < COLUMNS ? labels : NULL});
    free(data);
}

static finf_status table(const char *dir, size_t i, int quick, FILE *html, finf_reason *why)
{
    char *text = NULL, command[600];
    size_t size = 0;
    const char *line = quick && TABLES[i].quick ? TABLES[i].quick : TABLES[i].line;
    FILE *memory = open_memstream(&text, &size);
    finf_status s = memory ? run_line(line, memory, why) : finf_why(why, FINF_ENOMEM, "no memory");
    if (memory && fclose(memory) != 0 && !s) s = finf_why(why, FINF_ENOMEM, "no memory");
    snprintf(command, sizeof command, "finf %s", line);
    FILE *f = s ? NULL : open_in(dir, TABLES[i].name, ".csv");
    if (!s && !f) s = finf_why(why, FINF_EIO, "cannot write in '%.150s': %s", dir, strerror(errno));
    if (!s) {
        fprintf(f, "# %s --format csv\n%s", command, text);
        s = close_file(f, TABLES[i].name, why);
    }
    if (!s) table_from(text, TABLES[i].caption, command, html);
    free(text);
    return s;
}

/* ---- */

static finf_status fill(const char *dir, int quick, finf_reason *why)
{
    static const char *const HEADINGS[] = {"Figure 1: mean estimation", "Figure 2: linear regression",
                                           "Figure 3: strongly convex losses", "Tables"};
    static const size_t FIRST[] = {0, 3, 7, FIGURES};
    FILE *html = open_in(dir, "report", ".html");
    if (!html) return finf_why(why, FINF_EIO, "cannot write in '%.150s': %s", dir, strerror(errno));
    finf_status s = FINF_OK;
    report_begin(html, "Correlated noise for private learning: the paper, regenerated");
    report_paragraph(html, "Every table and figure of \"Correlated Noise Provably Beats Independent Noise for "
                           "Differentially Private Learning\","
                           " recomputed by finf " FINF_VERSION
                           ": exact values where the paper has Theta(.), a sharper bound beside its own. Each "
                           "figure and table names the command that gives it; the numbers behind them, to 17 digits, are "
                           "the CSV files beside this one.");
    report_contents(html, 4, HEADINGS);
    for (size_t k = 0; k < 4 && !s; k++) {
        report_section(html, HEADINGS[k]);
        for (size_t i = FIRST[k]; k < 3 && i < FIRST[k + 1] && !s; i++)
            s = sweep_interrupted(NULL) ? FINF_ETOL : figure(dir, i, quick, html, why);
    }
    for (size_t i = 0; i < sizeof TABLES / sizeof *TABLES && !s; i++)
        s = sweep_interrupted(NULL) ? FINF_ETOL : table(dir, i, quick, html, why);
    report_end(html);
    finf_status closed = close_file(html, "report.html", why);
    return s ? s : closed;
}

typedef struct {
    const char *dir;
    int quick;
    finf_status status;
    finf_reason *why;
} job;

/* As a sweep of one, so that Ctrl-C is seen between two figures and nothing is left behind. */
static void fill_task(size_t i, void *ctx)
{
    job *j = ctx;
    (void)i;
    j->status = fill(j->dir, j->quick, j->why);
}

finf_status cmd_reproduce(const args *a, doc *d, finf_reason *why)
{
    const char *dir = args_text(a, OPT_OUT);
    struct stat st;
    char making[4096], old[4096];
    int exists = stat(dir, &st) == 0;
    size_t length = strlen(dir);
    if (length == 0 || length > 4000) return finf_why(why, FINF_EDOM, "out = '%.80s': not a directory name", dir);
    while (length > 1 && dir[length - 1] == '/') length--;
    if (exists && !args_given(a, OPT_FORCE)) return finf_why(why, FINF_EIO, "'%.150s' exists: --force replaces it", dir);
    if (exists && !S_ISDIR(st.st_mode)) return finf_why(why, FINF_EIO, "'%.150s' is not a directory", dir);
    snprintf(making, sizeof making, "%.*s.XXXXXX", (int)length, dir);
    snprintf(old, sizeof old, "%.*s.old.XXXXXX", (int)length, dir);
    if (!mkdtemp(making)) return finf_why(why, FINF_EIO, "cannot write '%.150s': %s", dir, strerror(errno));
    mode_t mask = umask(0);
    umask(mask);
    chmod(making, 0777 & ~mask);
    job j = {making, args_given(a, OPT_QUICK), FINF_OK, why};
    finf_status s = sweep_run(1, fill_task, &j, 1) ? finf_why(why, FINF_ETOL, "interrupted: nothing was written")
                                                   : j.status;
    if (!s && exists && (!mkdtemp(old) || rename(dir, old) != 0))
        s = finf_why(why, FINF_EIO, "cannot replace '%.150s': %s", dir, strerror(errno));
    if (!s && rename(making, dir) != 0) s = finf_why(why, FINF_EIO, "cannot write '%.150s': %s", dir, strerror(errno));
    if (s)
        remove_directory(making);
    else if (exists)
        remove_directory(old);
    if (s) return s;
    doc_row(d);
    doc_heading(d, "The paper, regenerated");
    doc_string(d, "directory", "directory", dir, NULL);
    doc_number(d, "figures", "figures", FIGURES, "a CSV and an SVG each");
    doc_number(d, "tables", "tables", sizeof TABLES / sizeof *TABLES, "a CSV each");
    doc_string(d, "report", "report", "report.html", "all of them, in one file");
    return FINF_OK;
}
