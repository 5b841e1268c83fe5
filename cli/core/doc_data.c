/* A doc as CSV and JSON: a line for each record, under the keys of all records in CSV. */
#include "base.h"
#include "doc_items.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- CSV and JSON ---------------------------------------------------------------------------- */

/* 17 digits give every double back exactly. */
static int machine_digits(doc_style style) { return style.precision ? style.precision : 17; }

/* A cell, as RFC 4180 has it and numpy.genfromtxt reads it too, which knows no quotes: a comma is
 * written as a blank in a list of numbers, which is read back as well (parse.h), and as a semicolon
 * in a sentence. Names of files keep theirs: where one is left, or a quote or an end of line, the
 * cell is in quotes, and quotes in it are doubled. */
static void csv_string(const char *s, FILE *out)
{
    if (!s) return;
    int file = strchr(s, '@') != NULL, quote = strpbrk(s, file ? ",\"\n" : "\"\n") != NULL;
    if (quote) fputc('"', out);
    while (*s) {
        if (*s == '"') fputc('"', out);
        if (*s == '\n')
            fputc(*s++, out);
        else if (*s == ',' && !file)
            fputc(*++s == ' ' ? ';' : ' ', out);
        else
            s += put_plain(s, out);
    }
    if (quote) fputc('"', out);
}

/* A number, or nothing where there is none. */
static void csv_number(double x, int digits, FILE *out)
{
    if (!isnan(x)) fprintf(out, isinf(x) ? (x > 0 ? "inf" : "-inf") : "%.*g", digits, x);
}

/* A cell of any kind; a series is one cell, its numbers between semicolons. */
static void csv_value(const item *x, int digits, FILE *out)
{
    if (x->kind == SERIES)
        for (size_t i = 0; i < x->rows; i++) {
            if (i) fputc(';', out);
            csv_number(x->data[i], digits, out);
        }
    else if (x->kind == STRING || x->kind == OBJECTS)
        csv_string(x->string, out);
    else if (x->kind == WHOLE)
        fprintf(out, "%llu", x->whole);
    else if (x->kind == BOOLEAN)
        fputs(x->value != 0 ? "true" : "false", out);
    else
        csv_number(x->value, digits, out);
}

/* The record that an item is in. */
static size_t record_of(const doc *d, const item *x)
{
    size_t i = (size_t)(x - d->items);
    while (i > 0 && d->items[i].kind != ROW) i--;
    return i + 1;
}

const char *doc_noise_of(const doc *d, const item *x)
{
    doc_cell noise = doc_field(d, record_of(d, x), "noise");
    return noise.kind == CELL_TEXT ? noise.text : x->key;
}

int doc_next_varying(const doc *d, const char **from, char key[64])
{
    const char *p = *from ? *from : d->table;
    if (!p || (!*from && !strchr(p, ';'))) return 0;
    while (*p && *p != ';') {
        size_t length = strcspn(p, ",;");
        snprintf(key, 64, "%.*s", (int)length, p);
        p += length + (p[length] == ',');
        if (strcmp(key, "noise") == 0 || strcmp(key, "nu") == 0) continue;
        *from = p;
        return 1;
    }
    return 0;
}

void doc_varying_text(const doc *d, const item *x, const char *key, int digits, char *out,
                      size_t size)
{
    doc_cell c = doc_field(d, record_of(d, x), key);
    if (c.kind == CELL_NUMBER && digits)
        snprintf(out, size, "%.*g", digits, c.value);
    else
        snprintf(out, size, "%s",
                 c.kind == CELL_TEXT     ? c.text
                 : c.kind == CELL_NUMBER ? finf_show(c.value).s
                                         : "");
}

/* The noise of an array and what else varies, each a cell. */
static void csv_place(const doc *d, const item *x, doc_style style, FILE *out)
{
    const char *from = NULL;
    char key[64], text[512];
    csv_string(doc_noise_of(d, x), out);
    fputc(',', out);
    while (doc_next_varying(d, &from, key)) {
        doc_varying_text(d, x, key, style.precision, text, sizeof text);
        csv_string(text, out);
        fputc(',', out);
    }
}

/* An array has a line for each number: its index t, the number and its error; of several arrays
 * each line begins with the noise that it is of, and what else varies. */
static void csv_arrays(const doc *d, doc_style style, FILE *out)
{
    int digits = machine_digits(style);
    const item *first = doc_find_kind(d, ARRAY);
    const char *from = NULL;
    char key[64];
    size_t count = 0;
    for (size_t i = 0; i < d->n; i++) count += d->items[i].kind == ARRAY;
    if (count > 1) fputs("noise,", out);
    while (count > 1 && doc_next_varying(d, &from, key)) fprintf(out, "%s,", key);
    fprintf(out, "t,%s,%s\n", first->key, first->error_key);
    for (size_t i = 0; i < d->n; i++) {
        const item *x = &d->items[i];
        for (size_t t = 0; x->kind == ARRAY && t < x->rows && !ferror(out); t++) {
            if (count > 1) csv_place(d, x, style, out);
            fprintf(out, "%zu,", t);
            csv_number(x->data[t], digits, out);
            fputc(',', out);
            csv_number(x->error, digits, out);
            fputc('\n', out);
        }
    }
}

/* The first line of a CSV: the names of its columns. */
static void csv_header(const char *const *names, size_t n, FILE *out)
{
    for (size_t i = 0; i < n; i++) {
        if (i) fputc(',', out);
        csv_string(names[i], out);
    }
    fputc('\n', out);
}

static void csv_rows(const item *x, int digits, FILE *out)
{
    for (size_t r = 0; r < x->rows && !ferror(out); r++)
        for (size_t c = 0; c < x->columns; c++) {
            if (c == 0 && x->string) csv_string(x->string, out);
            if (c || x->string) fputc(',', out);
            csv_number(x->data[r * x->columns + c], digits, out);
            if (c + 1 == x->columns) fputc('\n', out);
        }
}

/* A table, or all parts of one. */
static void csv_table(const doc *d, const item *first, int digits, FILE *out)
{
    if (first->string) fprintf(out, "%s,", first->label);
    csv_header((const char *const *)first->names, first->columns, out);
    for (const item *x = first; x < d->items + d->n; x++)
        if (x == first || (first->string && x->kind == TABLE && x->string))
            csv_rows(x, digits, out);
}

/* The record whose items begin at `first`: each goes to the column of its key, then the columns are
 * written in their order. */
static void csv_record(const csv_columns *c, const item *first, const item *end, int digits,
                       FILE *out)
{
    for (size_t k = 0; k < c->n; k++) c->cell[k] = NULL;
    size_t at = 0;
    for (const item *x = first; x < end && x->kind != ROW; x++) {
        if (x->where == TEXT_ONLY) continue;
        if (x->key) c->cell[at = doc_find_key(c, x->key, at)] = x;
        if (x->error_key) c->cell[at = doc_find_key(c, x->error_key, at)] = x;
    }
    for (size_t k = 0; k < c->n; k++) {
        const item *x = c->cell[k];
        if (k) fputc(',', out);
        if (x && x->error_key && strcmp(x->error_key, c->key[k]) == 0)
            csv_number(x->error, digits, out);
        else if (x)
            csv_value(x, digits, out);
    }
    fputc('\n', out);
}

/* An array or a table takes the place of the records: a CSV file is one table. */
void print_csv(const doc *d, doc_style style, FILE *out)
{
    int digits = machine_digits(style);
    const item *table = doc_find_kind(d, TABLE), *array = doc_find_kind(d, ARRAY),
               *end = d->items + d->n;
    if (array) {
        csv_arrays(d, style, out);
        return;
    }
    if (table) {
        csv_table(d, table, digits, out);
        return;
    }
    if (!d->columns.n) return;
    csv_header(d->columns.key, d->columns.n, out);
    for (const item *x = d->items; x < end && !ferror(out); x++)
        if (x->kind == ROW) csv_record(&d->columns, x + 1, end, digits, out);
}

/* Of a control character c2 80 .. c2 9f the second byte is the number. */
void doc_json_string(const char *s, FILE *out)
{
    fputc('"', out);
    while (*s) {
        unsigned char c = (unsigned char)*s;
        int n = utf8_length((const unsigned char *)s);
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (is_control((const unsigned char *)s))
            fprintf(out, "\\u%04x", n == 2 ? (unsigned char)s[1] : c);
        else if (n == 0)
            fputs("\\ufffd", out);
        else
            fwrite(s, 1, (size_t)n, out);
        s += n ? n : 1;
    }
    fputc('"', out);
}

/* A number; JSON has no infinities, so they are strings, and what is missing is null. */
static void json_number(double x, int digits, FILE *out)
{
    if (isnan(x))
        fputs("null", out);
    else if (isinf(x))
        fputs(x > 0 ? "\"inf\"" : "\"-inf\"", out);
    else
        fprintf(out, "%.*g", digits, x);
}

/* The rows of a table as objects, between commas. */
static void json_table(const item *x, int digits, FILE *out)
{
    for (size_t r = 0; r < x->rows && !ferror(out); r++) {
        fputs(r ? ",{" : "{", out);
        for (size_t c = 0; c < x->columns; c++) {
            if (c) fputc(',', out);
            doc_json_string(x->names[c], out);
            fputc(':', out);
            json_number(x->data[r * x->columns + c], digits, out);
        }
        fputc('}', out);
    }
}

/* Objects of words, between commas. */
static void json_objects(const item *x, FILE *out)
{
    for (size_t r = 0; r < x->rows; r++)
        for (size_t c = 0; c < x->columns; c++) {
            fputs(c ? "," : r ? ",{" : "{", out);
            doc_json_string(x->names[c], out);
            fputc(':', out);
            doc_json_string(x->names[(r + 1) * x->columns + c], out);
            if (c + 1 == x->columns) fputc('}', out);
        }
}

/* A value of any kind: arrays and series are arrays of numbers, tables arrays of objects. */
static void json_value(const item *x, int digits, FILE *out)
{
    switch (x->kind) {
    case WHOLE: fprintf(out, "%llu", x->whole); break;
    case BOOLEAN: fputs(x->value != 0 ? "true" : "false", out); break;
    case STRING:
        if (x->string)
            doc_json_string(x->string, out);
        else
            fputs("null", out);
        break;
    case ARRAY:
    case SERIES:
    case OBJECTS:
    case TABLE:
        fputc('[', out);
        if (x->kind == OBJECTS)
            json_objects(x, out);
        else if (x->kind == TABLE)
            json_table(x, digits, out);
        else
            for (size_t i = 0; i < x->rows && !ferror(out); i++) {
                if (i) fputc(',', out);
                json_number(x->data[i], digits, out);
            }
        fputc(']', out);
        break;
    default: json_number(x->value, digits, out);
    }
}

/* Whether it is the reason of a record in which nothing needs one, a cell of CSV without words. */
static int is_no_reason(const item *x)
{
    return x->kind == STRING && x->string && !x->string[0] && strcmp(x->key, "reason") == 0;
}

/* An object for each record, each on a line of its own. */
void print_json(const doc *d, doc_style style, FILE *out)
{
    int digits = machine_digits(style);
    for (size_t i = 0; i < d->n; i++) {
        if (d->items[i].kind != ROW) continue;
        const char *comma = "{";
        for (size_t j = i + 1; j < d->n && d->items[j].kind != ROW; j++) {
            const item *x = &d->items[j];
            if (!x->key || x->where == TEXT_ONLY || is_no_reason(x)) continue;
            fputs(comma, out);
            comma = ",";
            doc_json_string(x->key, out);
            fputc(':', out);
            json_value(x, digits, out);
            if (x->error_key) {
                fputc(',', out);
                doc_json_string(x->error_key, out);
                fputc(':', out);
                json_number(x->error, digits, out);
            }
        }
        fputs(*comma == '{' ? "{}\n" : "}\n", out);
    }
}
