/* A figure in words and as CSV: its caption, the commands as a shell takes them, its section of
 * commands in COMMANDS.md. */
#include <stdlib.h>

#include "dataset.h"

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
    for (size_t i = 0; i < figure_columns(f); i++) {
        const figure_column *c = &f->column[i];
        if (!c->slope) continue;
        fprintf(out, "%s%s %.3f", before, c->label, dataset_slope(d, d->at[i]));
        if (c->paper_slope > 0) fprintf(out, " (%.2f in the paper)", c->paper_slope);
        before = ", ";
    }
    if (*before == ',') fputc('.', out);
}

/* ---- commands -------------------------------------------------------------------------------- */

/* The values of a source between blanks, as the words of a shell's `for`. */
static void put_numbers(const char *values, FILE *out)
{
    double *x = NULL;
    size_t n = 0;
    finf_reason why;
    if (figure_numbers(values, &x, &n, &why) != FINF_OK) fprintf(out, " %s", values);
    for (size_t i = 0; x && i < n; i++) fprintf(out, " %.15g", x[i]);
    free(x);
}

/* The command of a source for pairs: the shell takes each apart. */
static void put_pairs(const figure_source *s, const char *pairs, const char *format, FILE *out)
{
    char line[RUNNER_LINE];
    fill_pair(s->line, "${x%:*}", "${x#*:}", line);
    fprintf(out, "for x in %s; do finf %s%s; done", pairs, line, format);
}

/* The command of a source: a line for the shell; `format` is appended to it. */
static void put_source(const dataset *d, const figure_source *s, const char *format, FILE *out)
{
    const char *values = source_values(d->f, s, d->size);
    if (d->f->pairs[d->size]) {
        put_pairs(s, d->f->pairs[d->size], format, out);
        return;
    }
    if (s->each) {
        fputs("for x in", out);
        put_numbers(values, out);
        fputs("; do ", out);
    }
    fputs("finf ", out);
    put_values(s->line, s->each ? "$x" : values, out);
    fprintf(out, s->each ? "%s; done" : "%s", format);
}

void dataset_commands(const dataset *d, FILE *out)
{
    int some = 0;
    for (size_t i = 0; i < figure_sources(d->f); i++) {
        const figure_source *s = &d->f->source[i];
        if (!*source_values(d->f, s, d->size)) continue;
        if (some++) fputc('\n', out);
        put_source(d, s, "", out);
    }
}

void figure_slopes_command(const figure *f, figure_size size, FILE *out)
{
    if (f->slopes) put_values(f->slopes, f->values[size], out);
}

/* ---- CSV and its section --------------------------------------------------------------------- */

void dataset_csv(const dataset *d, FILE *out)
{
    const figure *f = d->f;
    fputs(f->x, out);
    for (size_t i = 0; i < figure_columns(f); i++) {
        fprintf(out, ",%s", f->column[i].name);
        if (f->column[i].extra) fprintf(out, ",%s", f->column[i].extra);
    }
    fputc('\n', out);
    for (size_t r = 0; r < d->rows; r++)
        for (size_t c = 0; c < d->columns; c++) {
            double x = dataset_cell(d, r, c);
            if (isinf(x))
                fputs(x > 0 ? "inf" : "-inf", out);
            else if (!isnan(x))
                fprintf(out, "%.17g", x);
            fputc(c + 1 < d->columns ? ',' : '\n', out);
        }
}

/* A source in COMMANDS.md: its command, and which columns it gives from which keys. */
static void section_source(const dataset *d, size_t source, FILE *out)
{
    static const char *const BEFORE[] = {
        [MAP_SAME] = "", [MAP_NEGATED] = "-", [MAP_ROOT] = "sqrt "};
    const figure *f = d->f;
    const figure_source *s = &f->source[source];
    const char *comma = "# ";
    if (!*source_values(f, s, d->size)) return;
    put_source(d, s, " --format csv", out);
    fputc('\n', out);
    if (source == 0) {
        fprintf(out, "# %s: %s", f->x, f->x_key);
        if (f->x_over) fprintf(out, " / %s", f->x_over);
        comma = "; ";
    }
    for (size_t i = 0; i < figure_columns(f); i++) {
        const figure_column *c = &f->column[i];
        if (c->source != source) continue;
        fprintf(out, "%s%s: %s%s", comma, c->name, BEFORE[c->map], c->key);
        if (c->over) fprintf(out, " / %s", c->over);
        if (c->extra) fprintf(out, "; %s: %s", c->extra, c->extra_key);
        comma = "; ";
    }
    fputc('\n', out);
}

void dataset_section(const dataset *d, FILE *out)
{
    for (size_t i = 0; i < figure_sources(d->f); i++) section_source(d, i, out);
}
