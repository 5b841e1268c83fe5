/* A doc is a list of items in the order in which a command added them. Functions that fill it do
 * not report a failed allocation; they note it, and doc_failed tells in the end. The printers
 * (doc_text.c, doc_data.c) go through the list once. */
#include "doc_items.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

doc *doc_new(void) { return calloc(1, sizeof(doc)); }

int doc_empty(const doc *d) { return d->n == 0; }

void doc_free(doc *d)
{
    if (!d) return;
    for (size_t i = 0; i < d->n; i++) {
        item *x = &d->items[i];
        free(x->key);
        free(x->error_key);
        free(x->label);
        free(x->note);
        free(x->string);
        free(x->data);
        for (size_t c = 0; x->names && c < doc_names(x); c++) free(x->names[c]);
        free(x->names);
    }
    if (d->saved) fclose(d->saved);
    free(d->saved_text.text);
    free(d->items);
    free(d->columns.key);
    free(d->columns.cell);
    free(d->table);
    free(d->drawing.x);
    free(d->drawing.y);
    free(d->drawing.by);
    doc_free(d->plotted);
    if (d->writer) d->writer->release(d->writer_data);
    free(d);
}

void doc_fail(doc *d) { d->failed = 1; }

int doc_failed(const doc *d) { return d->failed || (d->plotted && d->plotted->failed); }

doc *doc_plot(doc *d)
{
    if (!d->plotted) d->plotted = doc_new();
    if (!d->plotted) d->failed = 1;
    return d->plotted;
}

const doc *doc_plotted(const doc *d) { return d->plotted; }

/* In memory until everything is known to be right: only then is a file written. */
FILE *doc_saved(doc *d)
{
    if (!d->saved) d->saved = memory_open(&d->saved_text);
    if (!d->saved) d->failed = 1;
    return d->saved;
}

const memory_file *doc_end_saved(doc *d)
{
    if (d->saved && fclose(d->saved) != 0) d->failed = 1;
    d->saved = NULL;
    if (d->saved_text.failed) d->failed = 1;
    return d->saved_text.text ? &d->saved_text : NULL;
}

/* A copy of s; NULL for NULL. */
static char *copy(doc *d, const char *s)
{
    char *c = s ? strdup(s) : NULL;
    if (s && !c) d->failed = 1;
    return c;
}

/* The column of `key`, or c->n if it has none. The search starts at column `from`, where the key is
 * if this record is like the last one: filling n records of m keys then costs O(n m). */
size_t doc_find_key(const csv_columns *c, const char *key, size_t from)
{
    for (size_t i = 0; i < c->n; i++) {
        size_t at = (from + i) % c->n;
        if (strcmp(c->key[at], key) == 0) return at;
    }
    return c->n;
}

/* Room for twice as many columns. 0: no memory; what is there stays. */
static int grow_columns(csv_columns *c)
{
    size_t more = c->room ? 2 * c->room : 32;
    const char **key = realloc(c->key, more * sizeof *key);
    if (key) c->key = key;
    const item **cell = realloc(c->cell, more * sizeof *cell);
    if (cell) c->cell = cell;
    if (key && cell) c->room = more;
    return key && cell;
}

/* Makes a column for `key`, unless it has one, behind the last key of the current record. */
static void add_column(doc *d, const char *key)
{
    csv_columns *c = &d->columns;
    if (!key) return;
    size_t found = doc_find_key(c, key, c->at);
    if (found == c->n) {
        if (c->n == c->room && !grow_columns(c)) {
            d->failed = 1;
            return;
        }
        found = c->at;
        memmove(c->key + found + 1, c->key + found, (c->n++ - found) * sizeof *c->key);
        c->key[found] = key;
    }
    if (found >= c->first) c->at = found + 1;
}

/* Appends an item. Without memory it is one that nobody prints, so that the caller can fill it. */
static item *add(doc *d, item_kind kind, const char *key, doc_where where, const char *note)
{
    /* filled by whoever added it, and never read */
    static _Thread_local item spare;
    if (d->n == d->room) {
        size_t more = d->room ? 2 * d->room : 32;
        item *items = realloc(d->items, more * sizeof *items);
        if (!items) {
            d->failed = 1;
            return &spare;
        }
        d->items = items;
        d->room = more;
    }
    item *x = &d->items[d->n++];
    *x = (item){.kind = kind, .key = copy(d, key), .where = where, .note = copy(d, note)};
    /* the next key may be that of the first column again */
    if (kind == ROW) d->columns.at = d->columns.first;
    if (where != TEXT_ONLY) add_column(d, x->key);
    return x;
}

void doc_row(doc *d) { add(d, ROW, NULL, SHOWN, NULL); }

void doc_number(doc *d, const char *key, doc_where where, double value, const char *note)
{
    add(d, NUMBER, key, where, note)->value = value;
}

/* The key of its error, which has a column of its own. */
static void add_error(doc *d, item *x, const char *key, doc_where where, double error)
{
    size_t size = strlen(key) + sizeof "_error";
    x->error = error;
    x->error_key = malloc(size);
    if (!x->error_key) {
        d->failed = 1;
        return;
    }
    snprintf(x->error_key, size, "%s_error", key);
    if (where != TEXT_ONLY) add_column(d, x->error_key);
}

void doc_real(doc *d, const char *key, doc_where where, finf_real v, const char *note)
{
    item *x = add(d, REAL, key, where, note);
    x->value = v.value;
    add_error(d, x, key, where, v.error);
}

void doc_whole(doc *d, const char *key, doc_where where, unsigned long long value, const char *note)
{
    item *x = add(d, WHOLE, key, where, note);
    x->value = (double)value;
    x->whole = value;
}

void doc_bool(doc *d, const char *key, doc_where where, int value, const char *note)
{
    add(d, BOOLEAN, key, where, note)->value = value != 0;
}

void doc_string(doc *d, const char *key, doc_where where, const char *value, const char *note)
{
    item *x = add(d, STRING, key, where, note);
    x->string = copy(d, value);
}

/* A copy of n numbers as the data of an item. */
static void keep(doc *d, item *x, const double *data, size_t n)
{
    x->data = malloc((n ? n : 1) * sizeof *data);
    if (!x->data)
        d->failed = 1;
    else
        for (size_t i = 0; i < n; i++) x->data[i] = data[i];
}

void doc_array(doc *d, const char *key, const double *data, size_t n, double error)
{
    item *x = add(d, ARRAY, key, SHOWN, NULL);
    x->rows = n;
    keep(d, x, data, n);
    add_error(d, x, key, SHOWN, error);
}

void doc_series(doc *d, const char *key, const double *data, size_t n)
{
    item *x = add(d, SERIES, key, DATA_ONLY, NULL);
    x->rows = n;
    keep(d, x, data, n);
}

void doc_table(doc *d, const char *key, size_t columns, const char *const *names,
               const double *data, size_t rows)
{
    item *x = add(d, TABLE, key, SHOWN, NULL);
    x->rows = rows;
    x->columns = columns;
    keep(d, x, data, rows * columns);
    x->names = calloc(columns, sizeof *x->names);
    if (!x->names) d->failed = 1;
    for (size_t c = 0; x->names && c < columns; c++) x->names[c] = copy(d, names[c]);
}

/* Once for each doc. */
void doc_figure(doc *d, const char *x, int x_log, const char *y, const char *by)
{
    d->drawing = (doc_drawing){copy(d, x), x_log, copy(d, y), copy(d, by)};
}

const doc_drawing *doc_drawn(const doc *d) { return &d->drawing; }

void doc_objects(doc *d, const char *key, size_t columns, const char *const *names,
                 const char *const *cells, size_t rows)
{
    item *x = add(d, OBJECTS, key, SHOWN, NULL);
    char **all = calloc((rows + 1) * columns, sizeof *all);
    if (!all) {
        d->failed = 1;
        return;
    }
    x->rows = rows;
    x->columns = columns;
    x->names = all;
    for (size_t c = 0; c < columns; c++) all[c] = copy(d, names[c]);
    for (size_t i = 0; i < rows * columns; i++) all[columns + i] = copy(d, cells[i]);
    x->string = doc_one_cell(d, x);
}

void doc_part(doc *d, const char *key, const char *label, const char *name, size_t columns,
              const char *const *names, const double *data, size_t rows)
{
    doc_table(d, key, columns, names, data, rows);
    item *x = &d->items[d->n - 1];
    if (d->failed || x->kind != TABLE) return;
    x->label = copy(d, label);
    x->string = copy(d, name);
}

void doc_columns_first(doc *d) { d->columns.first = d->columns.at = d->columns.n; }

void doc_columns(doc *d, const char *keys)
{
    free(d->table);
    d->table = copy(d, keys);
}

void doc_heading(doc *d, const char *text)
{
    add(d, HEADING, NULL, TEXT_ONLY, NULL)->label = copy(d, text);
}

void doc_note(doc *d, const char *format, ...)
{
    char line[1280]; /* a noise of 1000 characters is one line */
    va_list ap;
    va_start(ap, format);
    vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    add(d, NOTE, NULL, TEXT_ONLY, NULL)->label = copy(d, line);
}

/* A value that is shown and says nothing: its error is as large as itself. An exact 0 does. */
static int as_uncertain_as_large(const item *x)
{
    return x->kind == REAL && isfinite(x->value) && x->value != 0 && x->error >= fabs(x->value);
}

/* Adds `text` to the field `reason` of the record that ends before item `end`. A record without one
 * gets it only if it is the last: items are appended, not inserted. */
static void give_reason(doc *d, size_t end, const char *text)
{
    for (size_t i = end; i-- > 0 && d->items[i].kind != ROW;) {
        item *x = &d->items[i];
        if (x->kind != STRING || !x->key || strcmp(x->key, "reason") != 0) continue;
        char both[640];
        snprintf(both, sizeof both, "%.255s%s%s", x->string ? x->string : "",
                 x->string && x->string[0] ? "; " : "", text);
        free(x->string);
        x->string = copy(d, both);
        x->where = SHOWN;
        return;
    }
    if (end == d->n) doc_string(d, "reason", SHOWN, text, NULL);
}

/* One reason for each record, about its first such number: at the end of a record (the next ROW, or
 * the end of the list) the reason goes into it. The loop runs over the n items that there were, as
 * give_reason may append one. */
int doc_imprecise(doc *d, finf_reason *why)
{
    size_t n = d->n;
    const item *bad = NULL;
    int found = 0;
    for (size_t i = 0; i <= n; i++) {
        if (i < n && !bad && as_uncertain_as_large(&d->items[i])) bad = &d->items[i];
        if (!bad || (i < n && d->items[i].kind != ROW)) continue;
        finf_reason one;
        snprintf(one.text, sizeof one.text,
                 "%.60s = %.6g +- %.1e: the error is as large as the value", bad->key, bad->value,
                 bad->error);
        if (!found++) *why = one;
        bad = NULL;
        give_reason(d, i, one.text);
    }
    return found > 0;
}

void doc_written_by(doc *d, const doc_writer *writer, void *data)
{
    d->writer = writer;
    d->writer_data = data;
}

int doc_print_state(const doc *d, FILE *out)
{
    return d->writer ? d->writer->state(d->writer_data, out) : 1;
}

int doc_print(const doc *d, doc_style style, FILE *out)
{
    if (d->writer) return d->writer->write(d->writer_data, style.format, out);
    switch (style.format) {
    case FORMAT_TEXT: return print_text(d, style, out);
    case FORMAT_CSV: print_csv(d, style, out); break;
    case FORMAT_JSON: print_json(d, style, out); break;
    case FORMAT_NPY: return print_npy(d, out);
    }
    return 1;
}

const item *doc_find_kind(const doc *d, item_kind kind)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->items[i].kind == kind && d->items[i].key) return &d->items[i];
    return NULL;
}

/* ---- reading back ---------------------------------------------------------------------------- */

size_t doc_rows(const doc *d)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++) n += d->items[i].kind == ROW;
    return n;
}

/* The first item of a record; d->n if there is no such record. */
size_t doc_record(const doc *d, size_t row)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->items[i].kind == ROW && row-- == 0) return i + 1;
    return d->n;
}

/* Whether an item's name, which may be NULL, is this key. */
static int named(const char *name, const char *key) { return name && strcmp(name, key) == 0; }

/* The value of an item, or its error, whichever has this key. */
static doc_cell cell_of(const item *x, const char *key)
{
    if (named(x->error_key, key)) return (doc_cell){CELL_NUMBER, x->error, NULL};
    switch (x->kind) {
    case NUMBER:
    case WHOLE:
    case REAL: return (doc_cell){CELL_NUMBER, x->value, NULL};
    case BOOLEAN: return (doc_cell){CELL_BOOL, x->value, NULL};
    case OBJECTS:
    case STRING: return (doc_cell){x->string ? CELL_TEXT : CELL_EMPTY, NAN, x->string};
    default: return (doc_cell){CELL_EMPTY, NAN, NULL};
    }
}

doc_cell doc_field(const doc *d, size_t first, const char *key)
{
    for (size_t i = first; i < d->n && d->items[i].kind != ROW; i++)
        if (d->items[i].where != TEXT_ONLY &&
            (named(d->items[i].key, key) || named(d->items[i].error_key, key)))
            return cell_of(&d->items[i], key);
    return (doc_cell){CELL_EMPTY, NAN, NULL};
}

doc_cell doc_at(const doc *d, size_t row, const char *key)
{
    return doc_field(d, doc_record(d, row), key);
}

/* Where the column `key` of an array or a table begins in its data; its numbers are `stride` apart.
 * NULL: not there. */
static const double *find_data(const item *x, const char *key, size_t *stride)
{
    *stride = x->kind == TABLE ? x->columns : 1;
    if (x->kind == ARRAY) return named(x->key, key) ? x->data : NULL;
    for (size_t c = 0; c < x->columns; c++)
        if (named(x->names[c], key)) return x->data + c;
    return NULL;
}

/* Of a table in parts the one that is called so: its values are the second column, behind what they
 * are listed by. NULL: there is no such part. */
static const item *find_part(const doc *d, const char *name)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->items[i].kind == TABLE && named(d->items[i].string, name)) return &d->items[i];
    return NULL;
}

/* An array is a column under its key, beside an index t; a table has the columns it names; else the
 * records make one, in which a record without the key has NaN. */
double *doc_column(const doc *d, const char *key, size_t *n)
{
    const item *array = doc_find_kind(d, ARRAY), *whole = array ? array : doc_find_kind(d, TABLE);
    size_t stride = 1, row = 0;
    const item *part = whole == array ? NULL : find_part(d, key);
    const double *data = whole ? find_data(whole, key, &stride) : NULL;
    if (part) data = part->data + 1;
    int index = array && named("t", key);
    *n = 0;
    if (whole ? !data && !index : doc_find_key(&d->columns, key, 0) == d->columns.n) return NULL;
    *n = whole ? whole->rows : doc_rows(d);
    double *out = malloc((*n ? *n : 1) * sizeof *out);
    for (size_t i = 0; out && i < *n; i++)
        out[i] = index ? (double)i : data ? data[i * stride] : NAN;
    for (size_t i = 0; out && !whole && i < d->n; i++) {
        const item *x = &d->items[i];
        row += x->kind == ROW;
        if (row && x->where != TEXT_ONLY && (named(x->key, key) || named(x->error_key, key)))
            out[row - 1] = cell_of(x, key).value;
    }
    return out;
}

/* Tables, headings and notes are left out: they are not fields of a record. */
void doc_copy(doc *to, const doc *from, size_t row)
{
    for (size_t i = doc_record(from, row); i < from->n && from->items[i].kind != ROW; i++) {
        const item *x = &from->items[i];
        finf_real v = {x->value, x->error, ""};
        switch (x->kind) {
        case NUMBER: doc_number(to, x->key, x->where, x->value, x->note); break;
        case REAL: doc_real(to, x->key, x->where, v, x->note); break;
        case WHOLE: doc_whole(to, x->key, x->where, x->whole, x->note); break;
        case BOOLEAN: doc_bool(to, x->key, x->where, x->value != 0, x->note); break;
        case STRING: doc_string(to, x->key, x->where, x->string, x->note); break;
        case ARRAY: doc_array(to, x->key, x->data, x->rows, x->error); break;
        case SERIES: doc_series(to, x->key, x->data, x->rows); break;
        case OBJECTS: doc_copy_objects(to, x); break;
        default: break; /* not of the record, or for text only */
        }
    }
}
