/* From the struct of a figure (figures.h) to its numbers, its CSV, its caption and its plot. */
#include <stdlib.h>

#include "figures.h"
#include "sweep.h"

void dataset_free(dataset *d)
{
    free(d->data);
    d->data = NULL;
}

/* ---- commands and their values --------------------------------------------------------------- */

/* The values of a source: its own, or those of the figure. */
static const char *values_of(const figure *f, const figure_source *s, figure_size size)
{
    return s->values[size] ? s->values[size] : f->values[size];
}

static size_t count_sources(const figure *f)
{
    size_t n = 0;
    while (n < FIGURE_SOURCES && f->source[n].line) n++;
    return n;
}

static size_t count_columns(const figure *f)
{
    size_t n = 0;
    while (n < FIGURE_COLUMNS && f->column[n].name) n++;
    return n;
}

/* Writes the text with every {} replaced by the values; fill_line does the same into a line. */
static void put_values(const char *text, const char *values, FILE *out)
{
    for (const char *p; (p = strstr(text, "{}")); text = p + 2)
        fprintf(out, "%.*s%s", (int)(p - text), text, values);
    fputs(text, out);
}

static void fill_line(const char *line, const char *values, char out[RUNNER_LINE])
{
    size_t n = 0;
    for (const char *p; n < RUNNER_LINE && (p = strstr(line, "{}")); line = p + 2)
        n += (size_t)snprintf(out + n, RUNNER_LINE - n, "%.*s%s", (int)(p - line), line, values);
    if (n < RUNNER_LINE) snprintf(out + n, RUNNER_LINE - n, "%s", line);
}

/* The numbers that `text` spells: a list between commas, or a range FROM:TO:log|lin:COUNT as
 * options have it. Owned by the caller. */
static finf_status read_values(const char *text, double **x, size_t *n, finf_reason *why)
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

/* What a source's command prints under `key`, run for one value. */
static finf_status read_one(const job *j, const figure_source *s, double value, const char *key,
                            double *out)
{
    const doc *d;
    char digits[32], line[RUNNER_LINE];
    snprintf(digits, sizeof digits, "%.15g", value);
    fill_line(s->line, digits, line);
    finf_status st = runner_run(j->r, line, &d, j->why);
    if (st) return st;
    *out = doc_at(d, 0, key).value;
    return doc_at(d, 0, key).kind == CELL_EMPTY ? missing(j, key) : FINF_OK;
}

/* Fills out[row] for every value of a source: by a run for each, or all computed at once. */
static finf_status read_each(const job *j, const figure_source *s, const char *key, double *out)
{
    double *x, *y = NULL;
    size_t n = 0;
    finf_status st = read_values(values_of(j->f, s, j->size), &x, &n, j->why);
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
        fill_line(s->line, values_of(j->f, s, j->size), line);
        *st = runner_run(j->r, line, &d, j->why);
        if (!*st && !(out = doc_column(d, key, &n)) && n > 0)
            *st = finf_why(j->why, FINF_ENOMEM, "no memory");
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

/* Fills a column of the dataset with map(y), or map(y/over). Thinned figures have a log axis, and
 * row 0 (t = 0) is left out of them. */
static void put_column(const job *j, dataset *d, size_t column, const double *y, const double *over,
                       figure_map how)
{
    size_t to = 0;
    for (size_t row = j->f->thin ? 1 : 0; row < j->n; row = next_row(j->f, row))
        d->data[to++ * d->columns + column] = map(how, over ? y[row] / over[row] : y[row]);
}

/* Fills a column of the dataset from one key of a source, or the quotient of two. */
static finf_status add_key(job *j, dataset *d, size_t column, const figure_source *s,
                           const char *key, const char *over, figure_map how)
{
    finf_status st = FINF_OK;
    double *y = read_key(j, s, key, &st), *z = !st && over ? read_key(j, s, over, &st) : NULL;
    if (!st) put_column(j, d, column, y, z, how);
    free(y);
    free(z);
    return st;
}

/* The first column, which says how many rows there are; all others are filled with NaN. Where one
 * command gives all rows, its x are kept as the figure's values: another source may have only some
 * of them. */
static finf_status begin(job *j, dataset *d)
{
    const figure *f = j->f;
    finf_status st = FINF_OK;
    if (f->source[0].each) st = read_values(f->values[j->size], &j->values, &j->n, j->why);
    double *x = st ? NULL : read_key(j, &f->source[0], f->x_key, &st);
    if (!st && !j->values && !f->thin) {
        j->values = malloc(j->n * sizeof *x);
        if (j->values)
            memcpy(j->values, x, j->n * sizeof *x);
        else
            st = finf_why(j->why, FINF_ENOMEM, "no memory");
    }
    for (size_t row = f->thin ? 1 : 0; !st && row < j->n; row = next_row(f, row)) d->rows++;
    if (!st && !(d->data = malloc((d->rows + 1) * d->columns * sizeof *d->data)))
        st = finf_why(j->why, FINF_ENOMEM, "no memory");
    for (size_t i = 0; !st && i < d->rows * d->columns; i++) d->data[i] = NAN;
    if (!st) put_column(j, d, 0, x, NULL, MAP_SAME);
    free(x);
    return st;
}

finf_status dataset_make(const figure *f, figure_size size, runner *r, dataset *out,
                         finf_reason *why)
{
    job j = {.f = f, .size = size, .r = r, .why = why};
    dataset d = {.f = f, .size = size, .columns = 1};
    size_t n = count_columns(f);
    for (size_t i = 0; i < n; i++) {
        d.at[i] = d.columns;
        d.columns += f->column[i].extra ? 2 : 1;
    }
    finf_status s = begin(&j, &d);
    for (size_t i = 0; i < n && !s; i++) {
        const figure_column *c = &f->column[i];
        const figure_source *from = &f->source[c->source];
        if (!*values_of(f, from, size)) continue;
        s = add_key(&j, &d, d.at[i], from, c->key, c->over, c->map);
        if (!s && c->extra) s = add_key(&j, &d, d.at[i] + 1, from, c->extra_key, NULL, MAP_SAME);
    }
    free(j.values);
    if (s) dataset_free(&d);
    *out = d;
    return s;
}

/* ---- slopes and constants -------------------------------------------------------------------- */

static double cell(const dataset *d, size_t row, size_t column)
{
    return d->data[row * d->columns + column];
}

/* The log-log slope of a column against the first one, by least squares. */
static double slope_of(const dataset *d, size_t column)
{
    size_t stride = d->columns * sizeof *d->data;
    return finf_log_slope(d->data, d->data + column, d->rows, stride, NULL);
}

/* The constant that takes column `from` to column `to` best, by least squares of the logarithms. */
static double constant_of(const dataset *d, size_t from, size_t to)
{
    size_t stride = d->columns * sizeof *d->data;
    return finf_log_constant(d->data + from, d->data + to, d->rows, stride);
}

/* The column of this role that belongs to column i; FIGURE_COLUMNS if there is none. */
static size_t belonging(const figure *f, size_t i, figure_role role)
{
    size_t k = 0, n = count_columns(f);
    while (k < n && !(f->column[k].role == role && f->column[k].of == i + 1)) k++;
    return k < n ? k : FIGURE_COLUMNS;
}

void dataset_slopes(const dataset *d, doc *out)
{
    const figure *f = d->f;
    for (size_t i = 0; i < count_columns(f); i++) {
        const figure_column *c = &f->column[i];
        if (!c->slope) continue;
        size_t rate = belonging(f, i, ROLE_RATE), points = belonging(f, i, ROLE_POINTS);
        doc_row(out);
        doc_string(out, "figure", DATA_ONLY, f->name, NULL);
        doc_string(out, "against", DATA_ONLY, f->x, NULL);
        doc_string(out, "noise", DATA_ONLY, c->name, NULL);
        doc_number(out, "paper", DATA_ONLY, c->paper_slope > 0 ? c->paper_slope : NAN, NULL);
        doc_number(out, "exact", DATA_ONLY, slope_of(d, d->at[i]), NULL);
        doc_number(out, "simulated", DATA_ONLY,
                   points < FIGURE_COLUMNS ? slope_of(d, d->at[points]) : NAN, NULL);
        doc_number(out, "bound", DATA_ONLY, rate < FIGURE_COLUMNS ? slope_of(d, d->at[rate]) : NAN,
                   NULL);
        doc_string(out, "bound_rate", DATA_ONLY,
                   rate < FIGURE_COLUMNS ? f->column[rate].legend : NULL, NULL);
        doc_number(out, "bound_constant", DATA_ONLY,
                   rate < FIGURE_COLUMNS ? constant_of(d, d->at[rate], d->at[i]) : NAN, NULL);
    }
}

void figure_slopes_command(const figure *f, figure_size size, FILE *out)
{
    if (f->slopes) put_values(f->slopes, f->values[size], out);
}

/* ---- words ----------------------------------------------------------------------------------- */

/* "1,2,3" as "1, 2, 3", and "1:9:log:5" as "1 to 9 (5 of them)". */
static void spell_values(const char *values, char *out, size_t size)
{
    double from, to, count;
    if (sscanf(values, "%lg:%lg:%*[a-z]:%lg", &from, &to, &count) == 3) {
        snprintf(out, size, "%g to %g (%g of them)", from, to, count);
        return;
    }
    for (size_t n = 0; *values && n + 2 < size; values++) {
        out[n++] = *values;
        if (*values == ',') out[n++] = ' ';
        out[n] = 0;
    }
}

void dataset_caption(const dataset *d, FILE *out)
{
    const figure *f = d->f;
    const char *before = " Slopes of the exact values: ";
    char values[160] = "";
    spell_values(f->values[d->size], values, sizeof values);
    put_values(f->caption, values, out);
    for (size_t i = 0; i < count_columns(f); i++) {
        const figure_column *c = &f->column[i];
        if (!c->slope) continue;
        fprintf(out, "%s%s %.3f", before, c->name, slope_of(d, d->at[i]));
        if (c->paper_slope > 0) fprintf(out, " (%.2f in the paper)", c->paper_slope);
        before = ", ";
    }
    if (*before == ',') fputc('.', out);
}

void dataset_commands(const dataset *d, FILE *out)
{
    for (size_t i = 0; i < count_sources(d->f); i++) {
        const figure_source *s = &d->f->source[i];
        const char *values = values_of(d->f, s, d->size);
        if (!*values) continue;
        if (i) fputc('\n', out);
        fputs("finf ", out);
        put_values(s->line, s->each ? "{}" : values, out);
        if (s->each) fprintf(out, "    {} = %s", values);
    }
}

/* The name of a column in the legend, with its slope and, for a rate, the constant it is drawn
 * with.
 */
static void put_legend(const dataset *d, size_t i, char *out, size_t size)
{
    const figure_column *c = &d->f->column[i];
    const char *name = c->legend ? c->legend : c->name;
    if (c->slope)
        snprintf(out, size, "%s, slope %.2f", name, slope_of(d, d->at[i]));
    else if (c->role == ROLE_RATE)
        snprintf(out, size, "%s times %.2g, slope %.2f", name,
                 constant_of(d, d->at[i], d->at[c->of - 1]), slope_of(d, d->at[i]));
    else
        snprintf(out, size, "%s", name);
}

/* ---- CSV and plot ---------------------------------------------------------------------------- */

/* A source in the head of the CSV: its command, its values, and which columns it gives from which
 * keys. */
static void csv_source(const dataset *d, size_t source, FILE *out)
{
    static const char *const BEFORE[] = {
        [MAP_SAME] = "", [MAP_NEGATED] = "-", [MAP_ROOT] = "sqrt "};
    const figure *f = d->f;
    const figure_source *s = &f->source[source];
    const char *comma = "#   ", *values = values_of(f, s, d->size);
    if (!*values) return;
    fputs("# finf ", out);
    put_values(s->line, s->each ? "{}" : values, out);
    fputs(" --format csv\n", out);
    if (s->each) fprintf(out, "#   {} = %s\n", values);
    if (source == 0) {
        fprintf(out, "#   %s: %s", f->x, f->x_key);
        comma = "; ";
    }
    for (size_t i = 0; i < count_columns(f); i++) {
        const figure_column *c = &f->column[i];
        if (c->source != source) continue;
        fprintf(out, "%s%s: %s%s", comma, c->name, BEFORE[c->map], c->key);
        if (c->over) fprintf(out, " / %s", c->over);
        if (c->extra) fprintf(out, "; %s: %s", c->extra, c->extra_key);
        comma = "; ";
    }
    fputc('\n', out);
}

void dataset_csv(const dataset *d, const char *mark, FILE *out)
{
    const figure *f = d->f;
    fprintf(out, "# %s: %s\n", f->place, mark);
    for (size_t i = 0; i < count_sources(f); i++) csv_source(d, i, out);
    fputs(f->x, out);
    for (size_t i = 0; i < count_columns(f); i++) {
        fprintf(out, ",%s", f->column[i].name);
        if (f->column[i].extra) fprintf(out, ",%s", f->column[i].extra);
    }
    fputc('\n', out);
    for (size_t r = 0; r < d->rows; r++)
        for (size_t c = 0; c < d->columns; c++) {
            double x = cell(d, r, c);
            if (isinf(x))
                fputs(x > 0 ? "inf" : "-inf", out);
            else if (!isnan(x))
                fprintf(out, "%.17g", x);
            fputc(c + 1 < d->columns ? ',' : '\n', out);
        }
}

/* x, y and the second column of series i, one after the other, d->rows of each, into z. A rate is
 * multiplied by the constant that fits. Returns 0 if there is nothing to draw. */
static int series_data(const dataset *d, size_t i, double *z)
{
    const figure_column *c = &d->f->column[i];
    double *x = z, *y = z + d->rows, *e = y + d->rows;
    double scale = c->role == ROLE_RATE ? constant_of(d, d->at[i], d->at[c->of - 1]) : 1;
    int any = 0;
    for (size_t r = 0; r < d->rows; r++) {
        x[r] = cell(d, r, 0);
        y[r] = scale * cell(d, r, d->at[i]);
        e[r] = c->extra ? cell(d, r, d->at[i] + 1) : NAN;
        any |= isfinite(y[r]);
    }
    return any;
}

plot *dataset_plot(const dataset *d)
{
    const figure *f = d->f;
    size_t n = d->rows;
    plot *p = plot_new(f->title, NULL, (plot_axis){f->x_label, f->x, f->x_scale},
                       (plot_axis){f->y_label, NULL, f->y_scale});
    double *z = malloc(4 * (n + 1) * sizeof *z);
    double *y = z ? z + n : NULL;
    double *e = z ? y + n : NULL;
    double *none = z ? e + n : NULL;
    for (size_t i = 0; z && i < n; i++) none[i] = NAN;
    for (size_t i = 0; z && i < count_columns(f); i++) {
        const figure_column *c = &f->column[i];
        char name[128];
        if (!series_data(d, i, z)) continue;
        put_legend(d, i, name, sizeof name);
        plot_series s = {.name = count_columns(f) > 1 ? name : NULL,
                         .x = z,
                         .y = y,
                         .n = n,
                         .colour = c->colour,
                         .line = c->line};
        if (c->role == ROLE_BAND) {
            s.y = none;
            s.low = y;
            s.high = e;
            s.line = LINE_NONE;
        } else if (c->role == ROLE_POINTS) {
            for (size_t r = 0; r < n; r++) e[r] *= 2;
            s.error = e;
            s.line = LINE_NONE;
            s.marks = 1;
        }
        plot_add(p, &s);
    }
    int failed = !z;
    free(z);
    if (!failed) return p;
    plot_free(p);
    return NULL;
}
