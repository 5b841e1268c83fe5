#include "doc.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef enum { NUMBER, REAL, BOOLEAN, STRING, ARRAY, SERIES, TABLE, HEADING, NOTE, ROW } item_kind;

typedef struct {
    item_kind kind;
    char *key, *error_key, *label, *note, *string;
    double value, error;
    double *data;
    size_t rows, columns;
    char **names;
} item;

struct doc {
    item *items;
    size_t n, room;
    int failed;
};

doc *doc_new(void) { return calloc(1, sizeof(doc)); }

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
        for (size_t c = 0; x->names && c < x->columns; c++) free(x->names[c]);
        free(x->names);
    }
    free(d->items);
    free(d);
}

int doc_failed(const doc *d) { return d->failed; }

static char *copy(doc *d, const char *s)
{
    char *c = s ? strdup(s) : NULL;
    if (s && !c) d->failed = 1;
    return c;
}

static item *add(doc *d, item_kind kind, const char *key, const char *label, const char *note)
{
    static item spare;
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
    *x = (item){.kind = kind, .key = copy(d, key), .label = copy(d, label), .note = copy(d, note)};
    return x;
}

void doc_row(doc *d) { add(d, ROW, NULL, NULL, NULL); }

void doc_number(doc *d, const char *key, const char *label, double value, const char *note)
{
    add(d, NUMBER, key, label, note)->value = value;
}

void doc_real(doc *d, const char *key, const char *error_key, const char *label, finf_real v, const char *note)
{
    item *x = add(d, REAL, key, label, note);
    x->value = v.value;
    x->error = v.error;
    x->error_key = copy(d, error_key);
}

void doc_bool(doc *d, const char *key, const char *label, int value, const char *note)
{
    add(d, BOOLEAN, key, label, note)->value = value != 0;
}

void doc_string(doc *d, const char *key, const char *label, const char *value, const char *note)
{
    item *x = add(d, STRING, key, label, note);
    x->string = copy(d, value);
}

static void keep(doc *d, item *x, const double *data, size_t n)
{
    x->data = malloc((n ? n : 1) * sizeof *data);
    if (!x->data)
        d->failed = 1;
    else
        for (size_t i = 0; i < n; i++) x->data[i] = data[i];
}

void doc_array(doc *d, const char *key, const double *data, size_t n)
{
    item *x = add(d, ARRAY, key, NULL, NULL);
    x->rows = n;
    keep(d, x, data, n);
}

void doc_series(doc *d, const char *key, const double *data, size_t n)
{
    item *x = add(d, SERIES, key, NULL, NULL);
    x->rows = n;
    keep(d, x, data, n);
}

void doc_table(doc *d, const char *key, size_t columns, const char *const *names, const double *data, size_t rows)
{
    item *x = add(d, TABLE, key, NULL, NULL);
    x->rows = rows;
    x->columns = columns;
    keep(d, x, data, rows * columns);
    x->names = calloc(columns, sizeof *x->names);
    if (!x->names) d->failed = 1;
    for (size_t c = 0; x->names && c < columns; c++) x->names[c] = copy(d, names[c]);
}

void doc_heading(doc *d, const char *text) { add(d, HEADING, NULL, text, NULL); }

void doc_note(doc *d, const char *format, ...)
{
    char line[512];
    va_list ap;
    va_start(ap, format);
    vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    add(d, NOTE, NULL, line, NULL);
}

/* ---- text ---------------------------------------------------------------------------------------------- */

static void format_number(char *out, size_t size, double x, int precision)
{
    if (isnan(x))
        snprintf(out, size, "-");
    else if (isinf(x))
        snprintf(out, size, x > 0 ? "inf" : "-inf");
    else
        snprintf(out, size, "%.*g", precision, x);
}

/* A string from outside, with nothing in it that moves the cursor. */
static void print_plain(const char *s, FILE *out)
{
    for (; *s; s++) fputc((unsigned char)*s < 0x20 || *s == 0x7f ? '?' : *s, out);
}

static void value_text(const item *x, int precision, char *out, size_t size)
{
    char number[64];
    format_number(number, sizeof number, x->value, precision);
    if (x->kind == BOOLEAN)
        snprintf(out, size, "%s", x->value != 0 ? "yes" : "no");
    else if (x->kind == STRING)
        snprintf(out, size, "%s", x->string ? x->string : "-");
    else if (x->kind == REAL && isfinite(x->value) && x->error > 0)
        snprintf(out, size, "%s +- %.1e", number, x->error);
    else
        snprintf(out, size, "%s", number);
}

static int is_value(const item *x) { return x->kind <= STRING && x->label; }

static void print_table_text(const item *x, int precision, FILE *out)
{
    int width = precision + 8;
    for (size_t c = 0; c < x->columns; c++) fprintf(out, "%*s", c ? width : 12, x->names[c]);
    fputc('\n', out);
    for (size_t r = 0; r < x->rows; r++) {
        for (size_t c = 0; c < x->columns; c++) {
            char cell[64];
            format_number(cell, sizeof cell, x->data[r * x->columns + c], precision);
            fprintf(out, "%*s", c ? width : 12, cell);
        }
        fputc('\n', out);
    }
}

static void print_text(const doc *d, doc_style style, FILE *out)
{
    int precision = style.precision ? style.precision : 10;
    size_t labels = 0, values = 0;
    char value[512];
    for (size_t i = 0; i < d->n; i++)
        if (is_value(&d->items[i])) {
            value_text(&d->items[i], precision, value, sizeof value);
            if (strlen(d->items[i].label) > labels) labels = strlen(d->items[i].label);
            if (strlen(value) > values && strlen(value) < 40) values = strlen(value);
        }
    for (size_t i = 0; i < d->n; i++) {
        const item *x = &d->items[i];
        if (is_value(x)) {
            value_text(x, precision, value, sizeof value);
            int note = x->note && !style.quiet;
            fprintf(out, "  %-*s  ", (int)labels, x->label);
            print_plain(x->kind == STRING && x->string ? x->string : value, out); /* a noise may be long */
            if (note) fprintf(out, "%*s  ", (int)(values > strlen(value) ? values - strlen(value) : 0), "");
            if (note) print_plain(x->note, out);
            fputc('\n', out);
        } else if (x->kind == TABLE)
            print_table_text(x, style.precision ? style.precision : 6, out);
        else if (x->kind == ARRAY) /* one number a line, read back exactly: the format `beta@FILE` takes */
            for (size_t j = 0; j < x->rows; j++) fprintf(out, "%.*g\n", style.precision ? style.precision : 17, x->data[j]);
        else if ((x->kind == HEADING || x->kind == NOTE) && !style.quiet) {
            print_plain(x->label, out);
            fputc('\n', out);
        }
    }
}

/* ---- CSV and JSON -------------------------------------------------------------------------------------- */

static int machine_digits(doc_style style) { return style.precision ? style.precision : 17; }

static void csv_string(const char *s, FILE *out)
{
    int quote = s && strpbrk(s, ",\"\r\n") != NULL;
    if (!quote) {
        fputs(s ? s : "", out);
        return;
    }
    fputc('"', out);
    for (; *s; s++) {
        if (*s == '"') fputc('"', out);
        fputc(*s, out);
    }
    fputc('"', out);
}

static void csv_number(double x, int digits, FILE *out)
{
    if (!isnan(x)) fprintf(out, isinf(x) ? (x > 0 ? "inf" : "-inf") : "%.*g", digits, x);
}

static void csv_value(const item *x, int digits, FILE *out)
{
    if (x->kind == SERIES)
        for (size_t i = 0; i < x->rows; i++) {
            if (i) fputc(';', out);
            csv_number(x->data[i], digits, out);
        }
    else if (x->kind == STRING)
        csv_string(x->string, out);
    else if (x->kind == BOOLEAN)
        fputs(x->value != 0 ? "true" : "false", out);
    else
        csv_number(x->value, digits, out);
}

static const item *find_kind(const doc *d, item_kind kind)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->items[i].kind == kind && d->items[i].key) return &d->items[i];
    return NULL;
}

/* The keys of all rows: one that only later rows have stands after the one it follows there. */
#define COLUMNS_MAX 128
typedef struct {
    const char *names[COLUMNS_MAX];
    size_t n;
} columns;

static size_t column_of(columns *c, const char *name, size_t at)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->names[i], name) == 0) return i;
    if (c->n == COLUMNS_MAX) return c->n;
    memmove(c->names + at + 1, c->names + at, (c->n++ - at) * sizeof *c->names);
    c->names[at] = name;
    return at;
}

/* The fields of the row that starts at item `row`; what it does not have is empty. */
static void print_csv_row(const doc *d, size_t row, columns *all, int digits, FILE *out)
{
    const item *value[COLUMNS_MAX + 1] = {NULL}, *error[COLUMNS_MAX + 1] = {NULL};
    for (size_t i = row + 1; i < d->n && d->items[i].kind != ROW; i++) {
        const item *x = &d->items[i];
        if (x->key) value[column_of(all, x->key, all->n)] = x;
        if (x->error_key) error[column_of(all, x->error_key, all->n)] = x;
    }
    for (size_t c = 0; c < all->n; c++) {
        if (c) fputc(',', out);
        if (value[c]) csv_value(value[c], digits, out);
        if (error[c]) csv_number(error[c]->error, digits, out);
    }
    fputc('\n', out);
}

static void print_csv(const doc *d, doc_style style, FILE *out)
{
    int digits = machine_digits(style);
    const item *table = find_kind(d, TABLE), *array = find_kind(d, ARRAY);
    if (array) {
        fprintf(out, "t,%s\n", array->key);
        for (size_t t = 0; t < array->rows; t++) {
            fprintf(out, "%zu,", t);
            csv_number(array->data[t], digits, out);
            fputc('\n', out);
        }
        return;
    }
    if (table) {
        for (size_t c = 0; c < table->columns; c++) fprintf(out, "%s%s", c ? "," : "", table->names[c]);
        fputc('\n', out);
        for (size_t r = 0; r < table->rows; r++)
            for (size_t c = 0; c < table->columns; c++) {
                if (c) fputc(',', out);
                csv_number(table->data[r * table->columns + c], digits, out);
                if (c + 1 == table->columns) fputc('\n', out);
            }
        return;
    }
    columns all = {0};
    for (size_t i = 0, at = 0; i < d->n; i++) {
        const item *x = &d->items[i];
        if (x->kind == ROW) at = 0;
        if (x->key) at = column_of(&all, x->key, at) + 1;
        if (x->error_key) at = column_of(&all, x->error_key, at) + 1;
    }
    if (!all.n) return;
    for (size_t c = 0; c < all.n; c++) fprintf(out, "%s%s", c ? "," : "", all.names[c]);
    fputc('\n', out);
    for (size_t i = 0; i < d->n; i++)
        if (d->items[i].kind == ROW) print_csv_row(d, i, &all, digits, out);
}

/* Bytes of the UTF-8 character at s, 0 when it is none. */
static int utf8_length(const unsigned char *s)
{
    int n = *s < 0x80 ? 1 : *s >= 0xc2 && *s < 0xe0 ? 2 : *s >= 0xe0 && *s < 0xf0 ? 3 : *s >= 0xf0 && *s < 0xf5 ? 4 : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

static void json_string(const char *s, FILE *out)
{
    fputc('"', out);
    while (*s) {
        unsigned char c = (unsigned char)*s;
        int n = utf8_length((const unsigned char *)s);
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else if (n == 0)
            fputs("\\ufffd", out);
        else
            fwrite(s, 1, (size_t)n, out);
        s += n ? n : 1;
    }
    fputc('"', out);
}

static void json_number(double x, int digits, FILE *out)
{
    if (isnan(x))
        fputs("null", out);
    else if (isinf(x))
        fputs(x > 0 ? "\"inf\"" : "\"-inf\"", out);
    else
        fprintf(out, "%.*g", digits, x);
}

static void json_table(const item *x, int digits, FILE *out)
{
    for (size_t r = 0; r < x->rows; r++) {
        fputs(r ? ",{" : "{", out);
        for (size_t c = 0; c < x->columns; c++) {
            if (c) fputc(',', out);
            json_string(x->names[c], out);
            fputc(':', out);
            json_number(x->data[r * x->columns + c], digits, out);
        }
        fputc('}', out);
    }
}

static void json_value(const item *x, int digits, FILE *out)
{
    switch (x->kind) {
    case BOOLEAN: fputs(x->value != 0 ? "true" : "false", out); break;
    case STRING:
        if (x->string)
            json_string(x->string, out);
        else
            fputs("null", out);
        break;
    case ARRAY:
    case SERIES:
    case TABLE:
        fputc('[', out);
        if (x->kind == TABLE)
            json_table(x, digits, out);
        else
            for (size_t i = 0; i < x->rows; i++) {
                if (i) fputc(',', out);
                json_number(x->data[i], digits, out);
            }
        fputc(']', out);
        break;
    default: json_number(x->value, digits, out);
    }
}

static void print_json(const doc *d, doc_style style, FILE *out)
{
    int digits = machine_digits(style);
    for (size_t i = 0; i < d->n; i++) {
        if (d->items[i].kind != ROW) continue;
        const char *comma = "{";
        for (size_t j = i + 1; j < d->n && d->items[j].kind != ROW; j++) {
            const item *x = &d->items[j];
            if (!x->key) continue;
            fputs(comma, out);
            comma = ",";
            json_string(x->key, out);
            fputc(':', out);
            json_value(x, digits, out);
            if (x->error_key) {
                fputc(',', out);
                json_string(x->error_key, out);
                fputc(':', out);
                json_number(x->error, digits, out);
            }
        }
        fputs(*comma == '{' ? "{}\n" : "}\n", out);
    }
}

void doc_print(const doc *d, doc_style style, FILE *out)
{
    switch (style.format) {
    case FORMAT_TEXT: print_text(d, style, out); break;
    case FORMAT_CSV: print_csv(d, style, out); break;
    case FORMAT_JSON: print_json(d, style, out); break;
    }
}
