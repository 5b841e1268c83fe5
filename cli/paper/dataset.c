/* From the struct of a figure (figures.h) to its numbers: its commands are run, and what they print
 * is put into columns. */
#include "dataset.h"

#include <stdlib.h>

#include "sweep.h"

void dataset_free(dataset *d)
{
    free(d->data);
    d->data = NULL;
}

/* ---- commands and their values --------------------------------------------------------------- */

/* The values of a source: its own, or those of the figure. */
const char *source_values(const figure *f, const figure_source *s, figure_size size)
{
    return s->values[size] ? s->values[size] : f->values[size];
}

size_t figure_sources(const figure *f)
{
    size_t n = 0;
    while (n < FIGURE_SOURCES && f->source[n].line) n++;
    return n;
}

size_t figure_columns(const figure *f)
{
    size_t n = 0;
    while (n < FIGURE_COLUMNS && f->column[n].name) n++;
    return n;
}

/* Writes the text with every {} replaced by the values; fill_line does the same, for any mark, into
 * a line. */
void put_values(const char *text, const char *values, FILE *out)
{
    for (const char *p; (p = strstr(text, "{}")); text = p + 2)
        fprintf(out, "%.*s%s", (int)(p - text), text, values);
    fputs(text, out);
}

static void fill_line(const char *line, const char *mark, const char *values, char out[RUNNER_LINE])
{
    size_t n = 0;
    for (const char *p; n < RUNNER_LINE && (p = strstr(line, mark)); line = p + strlen(mark))
        n += (size_t)snprintf(out + n, RUNNER_LINE - n, "%.*s%s", (int)(p - line), line, values);
    if (n < RUNNER_LINE) snprintf(out + n, RUNNER_LINE - n, "%s", line);
}

void fill_pair(const char *line, const char *first, const char *second, char out[RUNNER_LINE])
{
    char half[RUNNER_LINE];
    fill_line(line, "{1}", first, half);
    fill_line(half, "{2}", second, out);
}

/* The line for the pair "A:B" of a row, those of all rows being between blanks. */
static void fill_row(const char *line, const char *pairs, size_t row, char out[RUNNER_LINE])
{
    char first[32] = "", second[32] = "";
    for (; row && *pairs; row--) pairs += strcspn(pairs, " ") + 1;
    sscanf(pairs, "%31[^: ]:%31[^ ]", first, second);
    fill_pair(line, first, second, out);
}

/* The numbers that `text` spells: a list between commas, or a range FROM:TO:log|lin:COUNT as
 * options have it. Owned by the caller. */
finf_status figure_numbers(const char *text, double **x, size_t *n, finf_reason *why)
{
    args a = {.value[OPT_ETA] = text};
    *x = NULL;
    return strchr(text, ':') ? args_range(&a, OPT_ETA, x, n, why)
                             : parse_list(text, text + strlen(text), "values", x, n, why);
}

/* ---- the data -------------------------------------------------------------------------------- */

typedef struct {
    const figure *f;
    figure_size size;
    runner *r;
    double *values; /* of the figure; NULL: not known, and not needed */
    size_t n;       /* how many there are, or rows where one command gives them all */
    finf_reason *why;
} job;

/* The row of the figure that has this value; j->n if none has. */
static size_t row_of(const job *j, double value)
{
    size_t row = 0;
    while (row < j->n && !(fabs(j->values[row] - value) <= 1e-12 * fabs(value))) row++;
    return row;
}

static finf_status missing(const job *j, const char *key)
{
    return finf_why(j->why, FINF_EUSAGE, "%s: no %s in what its command prints", j->f->name, key);
}

/* Whether record `row` is not that of a solver which gave up, whose numbers are none to be shown.
 */
static int is_solved(const doc *d, size_t row)
{
    doc_cell code = doc_at(d, row, "solver_code");
    return code.kind != CELL_NUMBER || code.value == 0;
}

/* What a source's command prints under `key`, run for one value. */
static finf_status read_one(const job *j, const figure_source *s, double value, const char *key,
                            double *out)
{
    const doc *d;
    const char *pairs = j->f->pairs[j->size];
    char digits[32], line[RUNNER_LINE];
    snprintf(digits, sizeof digits, "%.15g", value);
    if (pairs)
        fill_row(s->line, pairs, row_of(j, value), line);
    else
        fill_line(s->line, "{}", digits, line);
    finf_status st = runner_run(j->r, line, &d, j->why);
    if (st) return st;
    *out = is_solved(d, 0) ? doc_at(d, 0, key).value : NAN;
    return doc_at(d, 0, key).kind == CELL_EMPTY ? missing(j, key) : FINF_OK;
}

/* Fills out[row] for every value of a source: by a run for each, or all computed at once. */
static finf_status read_each(const job *j, const figure_source *s, const char *key, double *out)
{
    double *x, *y = NULL;
    size_t n = 0;
    finf_status st = figure_numbers(source_values(j->f, s, j->size), &x, &n, j->why);
    if (!st && s->compute) {
        y = malloc(n * sizeof *y);
        st = y ? s->compute(j->r, s->line, x, n, y, j->why)
               : finf_why(j->why, FINF_ENOMEM, "no memory");
    }
    for (size_t i = 0; i < n && !st; i++) {
        size_t row = row_of(j, x[i]);
        if (row == j->n)
            st = finf_why(j->why, FINF_EDOM, "%s: %.15g is none of its values", j->f->name, x[i]);
        else if (y)
            out[row] = y[i];
        else
            st = read_one(j, s, x[i], key, &out[row]);
    }
    free(x);
    free(y);
    return st;
}

/* What one command has printed for some of the values, put into the rows of these: *y, n numbers,
 * becomes one for every row, NaN where there is none. */
static finf_status scatter(const job *j, const doc *d, double **y, size_t *n)
{
    size_t found = 0;
    double *x = doc_column(d, j->f->x_key, &found), *all = malloc(j->n * sizeof *all);
    finf_status s = FINF_OK;
    if (!all || (!x && found)) s = finf_why(j->why, FINF_ENOMEM, "no memory");
    for (size_t i = 0; !s && i < j->n; i++) all[i] = NAN;
    for (size_t i = 0; !s && x && i < *n && i < found; i++)
        if (row_of(j, x[i]) < j->n) all[row_of(j, x[i])] = (*y)[i];
    free(x);
    if (s) {
        free(all);
        return s;
    }
    free(*y);
    *y = all;
    *n = j->n;
    return FINF_OK;
}

/* A key of a source's output, a number for each row. Owned by the caller; NULL after a failure. */
static double *read_key(job *j, const figure_source *s, const char *key, finf_status *st)
{
    double *out = NULL;
    if (s->each) {
        out = malloc(j->n * sizeof *out);
        for (size_t i = 0; out && i < j->n; i++) out[i] = NAN;
        *st = out ? read_each(j, s, key, out) : finf_why(j->why, FINF_ENOMEM, "no memory");
    } else {
        const doc *d;
        char line[RUNNER_LINE];
        size_t n = 0;
        fill_line(s->line, "{}", source_values(j->f, s, j->size), line);
        *st = runner_run(j->r, line, &d, j->why);
        if (!*st && !(out = doc_column(d, key, &n)) && n > 0)
            *st = finf_why(j->why, FINF_ENOMEM, "no memory");
        for (size_t i = 0; out && n == doc_rows(d) && i < n; i++)
            if (!is_solved(d, i)) out[i] = NAN;
        if (!*st && out && j->values && s->values[j->size]) *st = scatter(j, d, &out, &n);
        if (!*st && (!out || (j->n && n != j->n))) *st = missing(j, key);
        if (!j->n) j->n = n;
    }
    if (!*st) return out;
    free(out);
    return NULL;
}

/* What is drawn of a number. */
static double map(figure_map how, double x)
{
    return how == MAP_NEGATED ? -x : how == MAP_ROOT ? sqrt(x) : x;
}

/* The row after `row`: in a thinned figure every one of the first 24, then ever fewer, so that
 * points are about even on a log axis. */
static size_t next_row(const figure *f, size_t row) { return row + 1 + (f->thin ? row / 24 : 0); }

/* A key of a source's output over another one, as read_key; over: NULL for the key itself. */
static double *read_quotient(job *j, const figure_source *s, const char *key, const char *over,
                             finf_status *st)
{
    double *y = read_key(j, s, key, st), *z = !*st && over ? read_key(j, s, over, st) : NULL;
    for (size_t i = 0; z && i < j->n; i++) y[i] /= z[i];
    free(z);
    if (!*st) return y;
    free(y);
    return NULL;
}

/* Fills a column of the dataset with map(y). Thinned figures have a log axis, on
 * which the first rows (t = 0 among them) have no place. */
static void put_column(const job *j, dataset *d, size_t column, const double *y, figure_map how)
{
    size_t to = 0;
    for (size_t row = j->f->thin; row < j->n; row = next_row(j->f, row))
        d->data[to++ * d->columns + column] = map(how, y[row]);
}

/* Fills a column of the dataset from one key of a source, or the quotient of two. */
static finf_status add_key(job *j, dataset *d, size_t column, const figure_source *s,
                           const char *key, const char *over, figure_map how)
{
    finf_status st = FINF_OK;
    double *y = read_quotient(j, s, key, over, &st);
    if (!st) put_column(j, d, column, y, how);
    free(y);
    return st;
}

/* With pairs the first column x follows from them: it must be the values, which take its place so
 * that rounding does not show. */
static finf_status check_pairs(const job *j, double *x)
{
    for (size_t i = 0; i < j->n; i++) {
        if (row_of(j, x[i]) != i)
            return finf_why(j->why, FINF_EDOM, "%s: pair %zu gives %.15g, not %.15g", j->f->name,
                            i + 1, x[i], j->values[i]);
        x[i] = j->values[i];
    }
    return FINF_OK;
}

/* The first column, which says how many rows there are; all others are filled with NaN. Where one
 * command gives all rows, its x are kept as the figure's values: another source may have only some
 * of them. */
static finf_status begin(job *j, dataset *d)
{
    const figure *f = j->f;
    finf_status st = FINF_OK;
    if (f->source[0].each) st = figure_numbers(f->values[j->size], &j->values, &j->n, j->why);
    double *x = st ? NULL : read_quotient(j, &f->source[0], f->x_key, f->x_over, &st);
    if (!st && f->pairs[j->size]) st = check_pairs(j, x);
    if (!st && !j->values && !f->thin) {
        j->values = malloc(j->n * sizeof *x);
        if (j->values)
            memcpy(j->values, x, j->n * sizeof *x);
        else
            st = finf_why(j->why, FINF_ENOMEM, "no memory");
    }
    for (size_t row = f->thin; !st && row < j->n; row = next_row(f, row)) d->rows++;
    if (!st && !(d->data = malloc((d->rows + 1) * d->columns * sizeof *d->data)))
        st = finf_why(j->why, FINF_ENOMEM, "no memory");
    for (size_t i = 0; !st && i < d->rows * d->columns; i++) d->data[i] = NAN;
    if (!st) put_column(j, d, 0, x, MAP_SAME);
    free(x);
    return st;
}

finf_status dataset_make(const figure *f, figure_size size, runner *r, dataset *out,
                         finf_reason *why)
{
    job j = {.f = f, .size = size, .r = r, .why = why};
    dataset d = {.f = f, .size = size, .columns = 1};
    size_t n = figure_columns(f);
    for (size_t i = 0; i < n; i++) {
        d.at[i] = d.columns;
        d.columns += f->column[i].extra ? 2 : 1;
    }
    finf_status s = begin(&j, &d);
    for (size_t i = 0; i < n && !s; i++) {
        const figure_column *c = &f->column[i];
        const figure_source *from = &f->source[c->source];
        if (!*source_values(f, from, size)) continue;
        s = add_key(&j, &d, d.at[i], from, c->key, c->over, c->map);
        if (!s && c->extra) s = add_key(&j, &d, d.at[i] + 1, from, c->extra_key, NULL, MAP_SAME);
    }
    free(j.values);
    if (s) dataset_free(&d);
    *out = d;
    return s;
}

/* ---- slopes and constants -------------------------------------------------------------------- */

double dataset_cell(const dataset *d, size_t row, size_t column)
{
    return d->data[row * d->columns + column];
}

/* The log-log slope of a column against the first one, by least squares. */
double dataset_slope(const dataset *d, size_t column)
{
    size_t stride = d->columns * sizeof *d->data;
    return finf_log_slope(d->data, d->data + column, d->rows, stride, NULL);
}

/* The constant that takes column `from` to column `to` best, by least squares of the logarithms. */
double dataset_constant(const dataset *d, size_t from, size_t to)
{
    size_t stride = d->columns * sizeof *d->data;
    return finf_log_constant(d->data + from, d->data + to, d->rows, stride);
}

/* The column of this role that belongs to column i; FIGURE_COLUMNS if there is none. */
static size_t belonging(const figure *f, size_t i, figure_role role)
{
    size_t k = 0, n = figure_columns(f);
    while (k < n && !(f->column[k].role == role && f->column[k].of == i + 1)) k++;
    return k < n ? k : FIGURE_COLUMNS;
}

void dataset_slopes(const dataset *d, doc *out)
{
    const figure *f = d->f;
    for (size_t i = 0; i < figure_columns(f); i++) {
        const figure_column *c = &f->column[i];
        if (!c->slope) continue;
        size_t rate = belonging(f, i, ROLE_RATE), points = belonging(f, i, ROLE_POINTS);
        doc_row(out);
        doc_string(out, "figure", DATA_ONLY, f->name, NULL);
        doc_string(out, "against", DATA_ONLY, f->x, NULL);
        doc_string(out, "noise", DATA_ONLY, c->label, NULL);
        doc_number(out, "paper", DATA_ONLY, c->paper_slope > 0 ? c->paper_slope : NAN, NULL);
        doc_number(out, "exact", DATA_ONLY, dataset_slope(d, d->at[i]), NULL);
        doc_number(out, "simulated", DATA_ONLY,
                   points < FIGURE_COLUMNS ? dataset_slope(d, d->at[points]) : NAN, NULL);
        doc_number(out, "bound", DATA_ONLY,
                   rate < FIGURE_COLUMNS ? dataset_slope(d, d->at[rate]) : NAN, NULL);
        doc_string(out, "bound_rate", DATA_ONLY,
                   rate < FIGURE_COLUMNS ? f->column[rate].rate : NULL, NULL);
        doc_number(out, "bound_constant", DATA_ONLY,
                   rate < FIGURE_COLUMNS ? dataset_constant(d, d->at[rate], d->at[i]) : NAN, NULL);
    }
}
