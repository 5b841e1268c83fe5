#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "closest.h"
#include "json_read.h"
#include "spec.h"

#define OPTIONS_MAX 64  /* options in all jobs */
#define COMMANDS_MAX 32 /* commands of them */

/* An option that some job has. */
typedef struct {
    option_id id;
    char key[64]; /* its column */
    char *first;  /* its value in the first job that has it */
    size_t jobs;  /* that have it */
    size_t row;   /* the last of them, counted from 1 */
    int varies;   /* not all have the same */
} seen_option;

typedef struct {
    doc *d;
    command_table all;
    const char *without;
    char left_out[OPTIONS_MAX]; /* of the names in `without`: whether there was such a column */
    seen_option seen[OPTIONS_MAX];
    size_t n; /* of seen */
    size_t rows;
    int filling;                           /* the rows are being made */
    const command *commands[COMMANDS_MAX]; /* of the jobs, each once */
    size_t count;                          /* of them */
} table;

/* ---- columns --------------------------------------------------------------------------------- */

/* Whether this column is left out, which is noted. */
static int is_left_out(table *t, const char *key)
{
    size_t i = 0;
    for (const char *p = t->without; p && *p && i < OPTIONS_MAX; p += *p == ',', i++) {
        size_t n = strcspn(p, ",");
        int same = strlen(key) == n && strncmp(p, key, n) == 0;
        if (same) t->left_out[i] = 1;
        if (same) return 1;
        p += n;
    }
    return 0;
}

/* The first name of the list that no column has had. */
static finf_status check_left_out(const table *t, finf_reason *why)
{
    size_t i = 0;
    for (const char *p = t->without; p && *p && i < OPTIONS_MAX; p += *p == ',', i++) {
        size_t n = strcspn(p, ",");
        if (!t->left_out[i])
            return finf_why(why, FINF_EUSAGE, "--without '%.*s': there is no such column",
                            (int)(n < 80 ? n : 80), p);
        p += n;
    }
    return FINF_OK;
}

/* The column of an option: the key that answers have for it, else its name with underscores. */
static void column_of(option_id id, char key[64])
{
    option_info o = option_get(id, NULL);
    snprintf(key, 64, "%s", o.key ? o.key : o.name);
    for (char *p = key; *p; p++)
        if (*p == '-') *p = '_';
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void show_item(table *t, const char *key, doc_where where, const json_item *x)
{
    if (is_left_out(t, key)) return;
    switch (x->kind) {
    case JSON_NUMBER: doc_number(t->d, key, where, x->number, NULL); break;
    case JSON_WHOLE: doc_whole(t->d, key, where, x->whole, NULL); break;
    case JSON_BOOL: doc_bool(t->d, key, where, x->number != 0, NULL); break;
    case JSON_STRING: doc_string(t->d, key, where, x->text, NULL); break;
    case JSON_NUMBERS: doc_series(t->d, key, x->data, x->n); break;
    case JSON_OTHER: break; /* a table within a row: the database has it */
    }
}

static void show_text(table *t, const char *key, doc_where where, const char *text)
{
    if (!is_left_out(t, key)) doc_string(t->d, key, where, text, NULL);
}

/* An argument as it was given: a number, if it is one. */
static void show_argument(table *t, const seen_option *o, const char *text)
{
    double x;
    if (is_left_out(t, o->key)) return;
    if (o->id == OPT_END)
        doc_string(t->d, o->key, SHOWN, text, NULL);
    else if (!option_get(o->id, NULL).argument)
        doc_bool(t->d, o->key, SHOWN, 1, NULL);
    else if (parse_number(text, "", &x, NULL) == FINF_OK)
        doc_number(t->d, o->key, SHOWN, x, NULL);
    else
        doc_string(t->d, o->key, SHOWN, text, NULL);
}

/* ---- one row --------------------------------------------------------------------------------- */

/* The entry of an option (OPT_END: of what stands without one) with this column; NULL: no room or
 * memory. */
static seen_option *see(table *t, option_id id, const char *key, const char *text)
{
    seen_option *o = t->seen;
    while (o < t->seen + t->n && strcmp(o->key, key) != 0) o++;
    if (o == t->seen + OPTIONS_MAX) return NULL;
    if (o == t->seen + t->n) {
        *o = (seen_option){.id = id, .first = strdup(text)};
        if (!o->first) return NULL;
        snprintf(o->key, sizeof o->key, "%s", key);
        t->n++;
    }
    o->varies |= strcmp(o->first, text) != 0;
    return o;
}

static void see_command(table *t, const command *c)
{
    size_t i = 0;
    while (i < t->count && t->commands[i] != c) i++;
    if (c && i == t->count && i < COMMANDS_MAX) t->commands[t->count++] = c;
}

/* An argument, or what the answer has under its key; of one that is given twice the first. */
static finf_status show_given(table *t, option_id id, const char *key, const char *value,
                              const json_list *answer, finf_reason *why)
{
    seen_option *o = see(t, id, key, value);
    if (!o) return finf_why(why, FINF_ENOMEM, "no memory for the table");
    if (!t->filling || o->row == t->rows + 1) return FINF_OK;
    o->row = t->rows + 1;
    o->jobs++;
    const json_item *x = json_find(answer, key);
    if (x)
        show_item(t, key, SHOWN, x);
    else
        show_argument(t, o, value);
    if (id == OPT_NOISE) show_text(t, "noise_given", DATA_ONLY, value);
    return FINF_OK;
}

/* The text of word i; "" if it is none. */
static const char *word_at(const json_list *words, size_t i)
{
    return i < words->n && words->items[i].text ? words->items[i].text : "";
}

/* The words of a job: its command, then options with or without values, and what has no option. */
static finf_status show_arguments(table *t, const json_list *words, const json_list *answer,
                                  finf_reason *why)
{
    const command *c = command_find(t->all, word_at(words, 0));
    finf_status s = FINF_OK;
    char key[64];
    see_command(t, c);
    if (t->filling) show_text(t, "command", SHOWN, word_at(words, 0));
    for (size_t i = 1; i < words->n && !s; i++) {
        const char *word = word_at(words, i), *equals = strchr(word, '='), *value = word;
        option_id id = OPT_END;
        if (strncmp(word, "--", 2) == 0) {
            id = option_find(word + 2, strcspn(word + 2, "="));
            if (id == OPT_END)
                return finf_why(why, FINF_EPARSE, "a job has no option '%.60s'", word);
            column_of(id, key);
            value = equals ? equals + 1 : option_get(id, c).argument ? word_at(words, ++i) : "";
        } else if (c && option_of_command(c, OPT_NOISE) && spec_is_noise(word)) {
            id = OPT_NOISE; /* audit nu:0.1 */
            column_of(id, key);
        } else if (!c || !jobs_operand(c, key))
            return finf_why(why, FINF_EPARSE, "a job has a word too many: '%.60s'", word);
        s = show_given(t, id, key, value, answer, why);
    }
    return s;
}

/* Whether the key of an answer is shown elsewhere: with the arguments, or behind all. */
static int is_elsewhere(const table *t, const char *key)
{
    if (strcmp(key, "reason") == 0 || strcmp(key, "seconds") == 0 || strcmp(key, "status") == 0)
        return 1;
    for (size_t i = 0; i < t->n; i++)
        if (t->seen[i].row == t->rows + 1 &&
            (strcmp(t->seen[i].key, key) == 0 ||
             (t->seen[i].id == OPT_NOISE && strcmp(key, "noise_given") == 0)))
            return 1;
    return 0;
}

static finf_status show_row(table *t, const store_row *x, const json_list *words,
                            const json_list *answer, finf_reason *why)
{
    doc_row(t->d);
    finf_status s = show_arguments(t, words, answer, why);
    for (size_t i = 0; i < answer->n && !s; i++)
        if (answer->items[i].key && !is_elsewhere(t, answer->items[i].key))
            show_item(t, answer->items[i].key, DATA_ONLY, &answer->items[i]);
    const json_item *own = json_find(answer, "reason");
    const char *reason = !*x->reason && own && own->text ? own->text : x->reason;
    show_text(t, "status", DATA_ONLY, x->status);
    show_text(t, "reason", *reason ? SHOWN : DATA_ONLY, reason);
    if (!is_left_out(t, "seconds")) doc_number(t->d, "seconds", DATA_ONLY, x->seconds, NULL);
    t->rows++;
    return !s && doc_failed(t->d) ? finf_why(why, FINF_ENOMEM, "no memory for the table") : s;
}

/* A text of the database, all of which are JSON. */
static finf_status read_text(const char *text, size_t job, json_list *out, finf_reason *why)
{
    finf_reason inner = {""};
    finf_status s = json_read(text, out, &inner);
    if (s == FINF_EPARSE)
        return finf_why(why, FINF_EIO, "the database is damaged: job %zu has %.150s", job + 1,
                        inner.text);
    return s ? finf_why(why, s, "%s", inner.text) : s;
}

/* First the options of all jobs are seen, then the rows are filled. */
static finf_status add_row(const store_row *x, void *ctx, finf_reason *why)
{
    table *t = ctx;
    json_list words = {0}, answer = {0};
    finf_status s = read_text(x->arguments, x->job, &words, why);
    if (!s && t->filling && x->answer) s = read_text(x->answer, x->job, &answer, why);
    if (!s)
        s = t->filling ? show_row(t, x, &words, &answer, why)
                       : show_arguments(t, &words, &answer, why);
    json_free(&words);
    json_free(&answer);
    return s;
}

/* A field that is of no record only makes a column: so the arguments come before the answers. */
static void make_column(table *t, const char *key)
{
    if (!is_left_out(t, key)) doc_number(t->d, key, DATA_ONLY, NAN, NULL);
}

static void make_columns(table *t)
{
    if (t->count) make_column(t, "command");
    for (size_t i = 0; i < t->n; i++) {
        make_column(t, t->seen[i].key);
        if (t->seen[i].id == OPT_NOISE) make_column(t, "noise_given");
    }
    doc_columns_first(t->d);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How many values a column of numbers has, and the least and the largest; 0: not all are numbers.
 */
static size_t count_values(const doc *d, const char *key, double ends[2])
{
    size_t n, count = 0, missing = 0;
    double *column = doc_column(d, key, &n);
    if (!column) return 0;
    for (size_t i = 0; i < n; i++) missing += isnan(column[i]) != 0;
    if (!missing) {
        qsort(column, n, sizeof *column, compare);
        for (size_t i = 0; i < n; i++) count += i == 0 || column[i] != column[i - 1];
        ends[0] = column[0];
        ends[1] = column[n - 1];
    }
    free(column);
    return count;
}

/* Adds a key to a list of them between commas. */
static void add_key(char *list, size_t size, const char *key)
{
    size_t n = strlen(list);
    if (n < size) snprintf(list + n, size - n, "%s%s", n ? "," : "", key);
}

static const char *key_of(const seen_option *o)
{
    return o->id == OPT_NOISE ? "noise_given" : o->key;
}

/* In text: what varies, what the command has for a table, and how it ended. In a figure: against
 * the option with most values, a curve for each of what else varies. */
static void lay_out(table *t)
{
    char columns[1024] = "", by[256] = "";
    const seen_option *x = NULL;
    double ends[2], x_ends[2] = {0, 0};
    size_t most = 1;
    if (t->count > 1) add_key(columns, sizeof columns, "command");
    for (size_t i = 0; i < t->n; i++) {
        seen_option *o = &t->seen[i];
        o->varies |= o->jobs < t->rows;
        if (!o->varies) continue;
        add_key(columns, sizeof columns, key_of(o));
        size_t n = o->id == OPT_NOISE ? 0 : count_values(t->d, o->key, ends);
        if (n <= most) continue;
        most = n;
        x = o;
        memcpy(x_ends, ends, sizeof ends);
    }
    for (size_t i = 0; i < t->n; i++)
        if (t->seen[i].varies && &t->seen[i] != x) add_key(by, sizeof by, key_of(&t->seen[i]));
    for (size_t i = 0; i < t->count; i++)
        if (t->commands[i]->columns) add_key(columns, sizeof columns, t->commands[i]->columns);
    add_key(columns, sizeof columns, "status;");
    doc_columns(t->d, columns);
    const command *c = t->count == 1 ? t->commands[0] : NULL;
    if (x && c && c->plot)
        doc_figure(t->d, x->key, x_ends[0] > 0 && x_ends[1] >= 30 * x_ends[0], c->plot, by);
}

/* Why there is no figure, if one was asked for. */
static finf_status no_figure(const table *t, finf_reason *why)
{
    if (t->count > 1)
        return finf_why(why, FINF_EUSAGE,
                        "--plot draws the jobs of one command, and these are of %zu: give each a "
                        "sweep and a --db of its own",
                        t->count);
    return finf_why(why, FINF_EUSAGE, "--plot draws against an option that has several numbers: %s",
                    !t->count || t->commands[0]->plot ? "no column of these jobs has"
                                                      : "not this command");
}

finf_status table_export(store *s, command_table all, const char *without, int plot, doc *d,
                         finf_reason *why)
{
    table *t = calloc(1, sizeof *t);
    store_about about;
    if (!t) return finf_why(why, FINF_ENOMEM, "no memory for the table");
    t->d = d;
    t->all = all;
    t->without = without;
    finf_status status = store_read_about(s, &about, why);
    if (!status) status = store_rows(s, add_row, t, why);
    if (!status) make_columns(t);
    t->filling = 1;
    if (!status) status = store_rows(s, add_row, t, why);
    if (!status && t->rows) status = check_left_out(t, why);
    if (!status) lay_out(t);
    if (!status && t->rows && plot && !doc_drawn(d)->x) status = no_figure(t, why);
    if (!status && t->rows < about.jobs)
        status = finf_why(why, FINF_ETOL,
                          "%zu of %zu jobs are not done: the sweep goes on with "
                          "'finf sweep JOBS --db'",
                          about.jobs - t->rows, about.jobs);
    for (size_t i = 0; i < t->n; i++) free(t->seen[i].first);
    free(t);
    return status;
}

/* ---- how far it is --------------------------------------------------------------------------- */

#define REASONS_MAX 5

typedef struct {
    size_t count[FINF_STATUS_COUNT];
    double seconds;
    size_t reasons; /* how many are in: */
    struct {
        size_t job;
        char word[16];
        finf_reason why;
    } first[REASONS_MAX];
} tally;

static finf_status count_row(const store_row *x, void *ctx, finf_reason *why)
{
    tally *t = ctx;
    finf_status ended = FINF_OK;
    (void)why;
    t->seconds += x->seconds;
    if (job_status_read(x->status, &ended)) t->count[ended]++;
    if (!ended || t->reasons == REASONS_MAX) return FINF_OK;
    t->first[t->reasons].job = x->job + 1;
    snprintf(t->first[t->reasons].word, sizeof t->first->word, "%s", x->status);
    snprintf(t->first[t->reasons++].why.text, sizeof t->first->why.text, "%s", x->reason);
    return FINF_OK;
}

finf_status table_status(store *s, size_t run, doc *d, finf_reason *why)
{
    static const char *const MEANING[FINF_STATUS_COUNT] = {
        [FINF_OK] = "answered",
        [FINF_EUSAGE] = "not a command line for one answer",
        [FINF_EDOM] = "outside the domain",
        [FINF_EPARSE] = "not a number, or the like",
        [FINF_ETOL] = "a tolerance was not reached: the best value is there",
        [FINF_EIO] = "a file could not be read: tried again at the next start",
        [FINF_ENOMEM] = "no memory: tried again at the next start"};
    tally t = {.seconds = 0};
    store_about about;
    size_t done = 0;
    finf_status status = store_read_about(s, &about, why);
    if (!status) status = store_rows(s, count_row, &t, why);
    if (status) return status;
    for (int i = 0; i < FINF_STATUS_COUNT; i++)
        done += job_is_unsettled((finf_status)i) ? 0 : t.count[i];
    doc_row(d);
    doc_heading(d, "A sweep of jobs");
    doc_whole(d, "jobs", SHOWN, about.jobs, NULL);
    doc_whole(d, "done", SHOWN, done, NULL);
    doc_whole(d, "left", SHOWN, about.jobs - done, NULL);
    if (run != (size_t)-1) doc_whole(d, "run", SHOWN, run, "by this start");
    for (int i = 0; i < FINF_STATUS_COUNT; i++)
        doc_whole(d, job_status_word((finf_status)i), t.count[i] || !i ? SHOWN : DATA_ONLY,
                  t.count[i], MEANING[i]);
    doc_number(d, "seconds", SHOWN, t.seconds, "of all jobs, one after the other");
    doc_string(d, "version", SHOWN, about.version, "of the finf that made it");
    for (size_t i = 0; i < t.reasons; i++)
        doc_note(d, "job %zu, %s: %.200s", t.first[i].job, t.first[i].word, t.first[i].why.text);
    return FINF_OK;
}
