#include "jobs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base.h"
#include "closest.h"
#include "jobs_items.h"
#include "points.h"

void jobs_free(jobs *j)
{
    if (!j) return;
    for (size_t i = 0; i < j->count; i++) grid_free(&j->grids[i]);
    free(j->grids);
    free(j->text);
    free(j->words);
    free(j->first);
    free(j);
}

size_t jobs_count(const jobs *j) { return j->n; }

int jobs_operand(const command *c, char key[64])
{
    snprintf(key, 64, "%s", c->operand ? c->operand : "");
    for (char *p = key; *p; p++) *p = (char)tolower((unsigned char)*p);
    return *key != '\0';
}

/* ---- what a job may be ----------------------------------------------------------------------- */

finf_status jobs_at_line(const jobs *j, size_t line, finf_status s, finf_reason *why)
{
    finf_reason inner = *why;
    if (!line || s == FINF_ENOMEM) return s;
    return finf_why(why, s, "'%.80s' line %zu: %.150s", j->path, line, inner.text);
}

/* Those that answer by files, or by other jobs, are none. */
finf_status jobs_command(const jobs *j, const char *name, size_t line, const command **out,
                         finf_reason *why)
{
    static const char *const OTHERS[] = {"sweep", "reproduce", "noise"};
    *out = command_find(j->all, name);
    finf_status s = FINF_OK;
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
        if (*out && strcmp(name, OTHERS[i]) == 0)
            s = finf_why(why, FINF_EUSAGE, "%s is no command for a job", name);
    if (!*out) {
        closest near = closest_to(name, strlen(name));
        for (command_table c = j->all; *c; c++) closest_try(&near, (*c)->name);
        s = finf_why(why, FINF_EUSAGE, "no command '%.60s'%s", name, closest_say(&near, "").text);
    }
    return s ? jobs_at_line(j, line, s, why) : FINF_OK;
}

int jobs_may_have(option_id id)
{
    static const option_id OTHERS[] = {OPT_SAVE,           OPT_STATE,     OPT_OUT,    OPT_PLOT,
                                       OPT_FORMAT,         OPT_JSON,      OPT_CSV,    OPT_OUTPUT,
                                       OPT_HEADER_COMMENT, OPT_PRECISION, OPT_QUIET,  OPT_THREADS,
                                       OPT_PROGRESS,       OPT_HELP,      OPT_VERSION};
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
        if (OTHERS[i] == id) return 0;
    return 1;
}

/* Standard input is not there a second time, when the sweep goes on. */
int jobs_reads_stdin(const char *word)
{
    size_t n = strlen(word);
    return strcmp(word, "-") == 0 || (n >= 2 && strcmp(word + n - 2, "@-") == 0);
}

/* Whether job i can be parsed, and has no option that is not for jobs. */
static finf_status check_job(const jobs *j, size_t i, size_t line, finf_reason *why)
{
    args a;
    char *words[JOB_WORDS];
    int n = jobs_words(j, i, words);
    const command *c;
    finf_status s = jobs_command(j, words[0], line, &c, why);
    if (s) return s;
    s = args_parse(j->all, c, n, words, &a, why);
    for (int k = 0; k < OPT_COUNT && !s; k++)
        if (a.value[k] && !jobs_may_have((option_id)k))
            s = finf_why(why, FINF_EUSAGE,
                         "--%s is not for a job, whose answer goes to the database",
                         option_get((option_id)k, c).name);
    for (int k = 1; k < n && !s; k++)
        if (jobs_reads_stdin(words[k]))
            s = finf_why(why, FINF_EUSAGE, "'%.60s': a job cannot read standard input", words[k]);
    if (!s) s = points_check_single(&a, why);
    return s ? jobs_at_line(j, line, s, why) : FINF_OK;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* Reads the cell at *from, which it ends with a NUL in place; the cell behind begins at *from then.
 * Returns what ended it: ',' or '\n', or 0 for a cell whose quotes do not end. */
static int read_cell(char **from, char **cell)
{
    char *p = *from, *out = p;
    int quoted = *p == '"';
    p += quoted;
    *cell = out;
    while (quoted ? !strchr("\r\n", *p) && (*p != '"' || p[1] == '"') : !strchr(",\r\n", *p)) {
        p += quoted && *p == '"';
        *out++ = *p++;
    }
    if (quoted && *p != '"') return 0;
    p += quoted;
    int end = *p == ',' ? ',' : '\n';
    p += *p == '\r' && p[1] == '\n';
    if (*p && *p != ',' && *p != '\n' && *p != '\r') return 0;
    *from = p + (*p != '\0');
    *out = '\0';
    return end;
}

/* Commas and ends of lines: no line has more cells than these. */
static size_t count_ends(const char *text, const char *ends)
{
    size_t n = 1;
    for (const char *p = text; *p; p++) n += strchr(ends, *p) != NULL;
    return n;
}

/* The cells of a line as the words of the next job. */
static finf_status read_line(jobs *j, char **p, finf_reason *why)
{
    size_t n = j->first[j->n];
    for (int end = ','; end == ','; n++) {
        if (n - j->first[j->n] == JOB_WORDS - 1)
            return finf_why(why, FINF_EPARSE, "more than %d words", JOB_WORDS - 1);
        end = read_cell(p, &j->words[n]);
        if (!end) return finf_why(why, FINF_EPARSE, "quotes that do not end, or end within a cell");
    }
    j->first[++j->n] = n;
    return FINF_OK;
}

/* A job a line; blank lines and those that begin with # are none. A line of the file is one of the
 * jobs, as no word has an end of line in it. */
static finf_status csv_read(jobs *j, char *text, finf_reason *why)
{
    size_t lines = count_ends(j->text, "\r\n"), line = 0;
    j->words = malloc(count_ends(j->text, ",\r\n") * sizeof *j->words);
    j->first = calloc(lines + 1, sizeof *j->first);
    if (!j->words || !j->first) return finf_why(why, FINF_ENOMEM, "no memory for the jobs");
    for (char *p = text; *p;) {
        line++;
        size_t blank = strspn(p, " \t"), end = strcspn(p, "\r\n");
        if (*p == '#' || blank == end) {
            p += end + (p[end] == '\r' && p[end + 1] == '\n');
            p += *p != '\0';
            continue;
        }
        if (j->n == JOBS_MAX)
            return finf_why(why, FINF_EDOM, "'%.120s' has %zu lines: at most %d jobs", j->path,
                            lines, JOBS_MAX);
        finf_status s = read_line(j, &p, why);
        if (s) return jobs_at_line(j, line, s, why);
        if ((s = check_job(j, j->n - 1, line, why))) return s;
    }
    return FINF_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

static int is_toml(const char *path, const char *text)
{
    size_t n = strlen(path);
    if (n > 5 && strcasecmp(path + n - 5, ".toml") == 0) return 1;
    if (n > 4 && strcasecmp(path + n - 4, ".csv") == 0) return 0;
    while (*text == '#' || strchr(" \t\r\n", *text)) {
        if (!*text) return 0;
        text += *text == '#' ? strcspn(text, "\n") : 1;
    }
    return *text == '[';
}

/* The first job of each grid is parsed: what is missing in it is missing in all. */
static finf_status check_grids(const jobs *j, finf_reason *why)
{
    finf_status s = FINF_OK;
    for (size_t i = 0; i < j->count && !s; i++)
        s = check_job(j, j->grids[i].first, j->grids[i].line, why);
    return s;
}

finf_status jobs_parse(const char *path, char *text, size_t size, command_table all, jobs **out,
                       finf_reason *why)
{
    jobs *j = calloc(1, sizeof *j);
    *out = NULL;
    if (!j) {
        free(text);
        return finf_why(why, FINF_ENOMEM, "no memory for the jobs");
    }
    j->path = path;
    j->all = all;
    j->text = text;
    finf_status s = strlen(text) == size
                        ? FINF_OK
                        : finf_why(why, FINF_EPARSE, "'%.120s' is no text: it has a NUL", path);
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3; /* a byte order mark */
    if (!s) s = is_toml(path, text) ? grid_read(j, text, why) : csv_read(j, text, why);
    if (!s && j->count) s = check_grids(j, why);
    if (!s && !j->n) s = finf_why(why, FINF_EPARSE, "'%.120s' has no job", path);
    if (s)
        jobs_free(j);
    else
        *out = j;
    return s;
}

/* ---- one job --------------------------------------------------------------------------------- */

/* The option that is written last changes first. */
static int grid_words(const grid *g, size_t i, char *words[JOB_WORDS])
{
    size_t at[JOB_WORDS / 2] = {0};
    int n = 0;
    for (size_t k = g->count; k-- > 0; i /= g->axes[k].n) at[k] = i % g->axes[k].n;
    words[n++] = g->command;
    for (size_t k = 0; k < g->count; k++) {
        char *value = g->axes[k].value[at[k]];
        if (!value) continue;
        if (!g->axes[k].operand) words[n++] = g->axes[k].option;
        if (*value) words[n++] = value;
    }
    return n;
}

/* The grid that job i is of: the last one that does not begin behind it. */
static const grid *grid_of(const jobs *j, size_t i)
{
    size_t low = 0, high = j->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (j->grids[middle].first <= i)
            low = middle;
        else
            high = middle;
    }
    return &j->grids[low];
}

int jobs_words(const jobs *j, size_t i, char *words[JOB_WORDS])
{
    if (j->count) {
        const grid *g = grid_of(j, i);
        return grid_words(g, i - g->first, words);
    }
    size_t first = j->first[i], n = j->first[i + 1] - first;
    memcpy(words, j->words + first, n * sizeof *words);
    return (int)n;
}

finf_status jobs_args(const jobs *j, size_t i, args *out, finf_reason *why)
{
    char *words[JOB_WORDS];
    int n = jobs_words(j, i, words);
    const command *c = command_find(j->all, words[0]);
    finf_status s = args_parse(j->all, c, n, words, out, why);
    out->value[OPT_JSON] = "";
    return s;
}
