/* Several records in text: one table of the columns that were asked for, below what all records
 * have in common. */
#include "doc_items.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 40
#define CELL 4096 /* characters of a value; a longer one is cut */
#define REASONS_MAX 5

/* A column of the table. */
typedef struct {
    char key[64];
    size_t width;
    int words; /* its cells are not numbers: they begin at the left */
} column;

/* The field `key` of the record that begins at item `first`, as text has it: of two of that key the
 * one that is not for data only. NULL: there is none. */
static const item *field(const doc *d, size_t first, const char *key)
{
    const item *found = NULL;
    for (size_t i = first; i < d->n && d->items[i].kind != ROW; i++) {
        const item *x = &d->items[i];
        if (x->kind > STRING || strcmp(x->key, key) != 0) continue;
        if (!found || found->where == DATA_ONLY) found = x;
    }
    return found;
}

/* A cell: the value without its error, which CSV and JSON have. */
static void cell_text(const item *x, int precision, char out[CELL])
{
    item bare = x ? *x : (item){.kind = STRING, .string = ""};
    bare.error = 0;
    value_text(&bare, precision, out, CELL);
}

/* Where the records begin: the first item of each. Owned by the caller; NULL: no memory. */
static size_t *records(const doc *d, size_t *n)
{
    size_t *first = malloc((doc_rows(d) + 1) * sizeof *first);
    *n = 0;
    for (size_t i = 0; first && i < d->n; i++)
        if (d->items[i].kind == ROW) first[(*n)++] = i + 1;
    return first;
}

/* The columns that some record has, as wide as their widest cell; wide words come last. */
static size_t read_columns(const doc *d, const size_t *first, size_t n, int precision, column *out)
{
    size_t count = 0;
    int always = strchr(d->table, ';') != NULL;
    char cell[CELL];
    for (const char *p = d->table; *p && count < COLUMNS_MAX;) {
        size_t length = strcspn(p, ",;");
        column c = {.width = 0};
        snprintf(c.key, sizeof c.key, "%.*s", (int)length, p);
        int there = 0;
        for (size_t i = 0; i < count; i++) there |= strcmp(out[i].key, c.key) == 0;
        int asked = always;
        always &= p[length] != ';';
        p += length + (p[length] != '\0');
        if (there || !length) continue;
        for (size_t r = 0; r < n; r++) {
            const item *x = field(d, first[r], c.key);
            if (!x) continue;
            there |= asked || x->where != DATA_ONLY;
            c.words |= x->kind == STRING;
            cell_text(x, precision, cell);
            if (strlen(cell) > c.width) c.width = strlen(cell);
        }
        if (strlen(c.key) > c.width) c.width = strlen(c.key);
        if (there) out[count++] = c;
    }
    return count;
}

static int is_column(const column *c, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(c[i].key, key) == 0) return 1;
    return 0;
}

/* Is the field of the first record the same in all? */
static int is_common(const doc *d, const size_t *first, size_t n, const item *x)
{
    char mine[CELL], other[CELL];
    value_text(x, 17, mine, sizeof mine);
    for (size_t r = 1; r < n; r++) {
        const item *y = field(d, first[r], x->key);
        if (!y) return 0;
        value_text(y, 17, other, sizeof other);
        if (strcmp(mine, other) != 0) return 0;
    }
    return 1;
}

/* Lines "key  value  note" of what all records have and no column shows. */
static void print_common(const doc *d, const size_t *first, size_t n, const column *c,
                         size_t columns, doc_style style, FILE *out)
{
    size_t keys = 0, values = 0;
    char value[CELL];
    for (int print = 0; print < 2; print++)
        for (size_t i = first[0]; i < d->n && d->items[i].kind != ROW; i++) {
            const item *x = &d->items[i];
            if (x->kind > STRING || x->where == DATA_ONLY || is_column(c, columns, x->key) ||
                strcmp(x->key, "reason") == 0 || !is_common(d, first, n, x))
                continue;
            value_text(x, style.precision ? style.precision : 10, value, sizeof value);
            if (strlen(x->key) > keys) keys = strlen(x->key);
            if (strlen(value) > values && strlen(value) < 40) values = strlen(value);
            item line = *x;
            for (size_t r = 1; r < n && line.note; r++) {
                const item *y = field(d, first[r], x->key);
                if (!y->note || strcmp(y->note, x->note) != 0) line.note = NULL;
            }
            if (print) print_value(&line, keys, values, style, out);
        }
}

static void print_cell(const char *text, const column *c, int last, FILE *out)
{
    fputs("  ", out);
    print_padded(text, c->words ? (last ? 0 : -(int)c->width) : (int)c->width, out);
}

/* Why values are infinite or missing: each reason once, the first few. */
static void print_reasons(const doc *d, const size_t *first, size_t n, FILE *out)
{
    const char *said[REASONS_MAX];
    size_t count = 0;
    for (size_t r = 0; r < n && count < REASONS_MAX; r++) {
        const item *x = field(d, first[r], "reason");
        if (!x || x->where == DATA_ONLY || !x->string || !x->string[0]) continue;
        size_t i = 0;
        while (i < count && strcmp(said[i], x->string) != 0) i++;
        if (i < count) continue;
        said[count++] = x->string;
        fputs("reason: ", out);
        doc_plain(x->string, out);
        fputc('\n', out);
    }
}

/* What is of no record: headings, notes and tables before the first one, or behind the fields of
 * the last. */
static void print_others(const doc *d, size_t from, size_t to, doc_style style, FILE *out)
{
    for (size_t i = from; i < to; i++) {
        const item *x = &d->items[i];
        if (x->kind == TABLE) print_table_text(x, style.precision ? style.precision : 6, out);
        if ((x->kind != HEADING && x->kind != NOTE) || style.quiet) continue;
        doc_plain(x->label, out);
        fputc('\n', out);
    }
}

/* ", eta = 0.1": what else varies, in the record of x. */
static void print_place(const doc *d, const item *x, doc_style style, FILE *out)
{
    const char *from = NULL;
    char key[64], text[512];
    while (doc_next_varying(d, &from, key)) {
        doc_varying_text(d, x, key, style.precision, text, sizeof text);
        fprintf(out, ", %s = ", key);
        doc_plain(text, out);
    }
}

/* Arrays in full, each behind its record's noise and what else varies, as a comment to who reads
 * the numbers back. */
static void print_arrays(const doc *d, const size_t *first, size_t n, doc_style style, FILE *out)
{
    for (size_t r = 0; r < n; r++)
        for (size_t i = first[r]; i < d->n && d->items[i].kind != ROW; i++) {
            const item *x = &d->items[i], *noise = field(d, first[r], "noise");
            if (x->kind != ARRAY) continue;
            fprintf(out, "# %s of ", x->key);
            doc_plain(noise && noise->string ? noise->string : "", out);
            print_place(d, x, style, out);
            const item *sigma = field(d, first[r], "sigma");
            if (sigma)
                fprintf(out, ": sigma = %.*g", style.precision ? style.precision : 17,
                        sigma->value);
            fputc('\n', out);
            for (size_t j = 0; j < x->rows && !ferror(out); j++)
                fprintf(out, "%.*g\n", style.precision ? style.precision : 17, x->data[j]);
        }
}

int print_records(const doc *d, doc_style style, FILE *out)
{
    int precision = style.precision ? style.precision : 6;
    column c[COLUMNS_MAX];
    char cell[CELL];
    size_t n, *first = records(d, &n);
    if (!first) return 0;
    if (n == 0 || doc_find_kind(d, ARRAY)) {
        if (n) print_arrays(d, first, n, style, out);
        free(first);
        return 1;
    }
    size_t columns = read_columns(d, first, n, precision, c);
    print_others(d, 0, first[0], style, out);
    print_common(d, first, n, c, columns, style, out);
    for (size_t k = 0; k < columns; k++) print_cell(c[k].key, &c[k], k + 1 == columns, out);
    fputc('\n', out);
    for (size_t r = 0; r < n && !ferror(out); r++) {
        for (size_t k = 0; k < columns; k++) {
            cell_text(field(d, first[r], c[k].key), precision, cell);
            print_cell(cell, &c[k], k + 1 == columns, out);
        }
        fputc('\n', out);
    }
    print_reasons(d, first, n, out);
    print_objects_below(d, out);
    print_others(d, first[n - 1], d->n, style, out);
    free(first);
    return 1;
}
