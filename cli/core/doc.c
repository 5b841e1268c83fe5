/* A doc is a list of items in the order in which a command added them. Each printer goes through
 * the list once: text shows labels and notes, JSON keys and values, CSV a line for each record
 * under the keys of all records. Functions that fill it do not report a failed allocation; they
 * note it, and doc_failed tells in the end. */
#include "doc.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The kinds up to STRING are single values, which text shows after their label. */
typedef enum {
    NUMBER,
    REAL, /* a number with its error */
    WHOLE,
    BOOLEAN,
    STRING,
    ARRAY,  /* numbers that are the whole output */
    SERIES, /* numbers that are a field of their record */
    TABLE,
    HEADING, /* HEADING and NOTE are for text only */
    NOTE,
    ROW /* a record begins */
} item_kind;

/* Strings and data are the item's own; those that its kind does not need are NULL. */
typedef struct {
    item_kind kind;
    char *key;                /* name in CSV and JSON; NULL: not there */
    char *error_key;          /* name of the error there; NULL: not there */
    char *label;              /* name in text, or the text itself; NULL: not there */
    char *note;               /* what it means, in text */
    char *string;             /* STRING */
    double value;             /* NUMBER, REAL, WHOLE, BOOLEAN (0 or 1) */
    double error;             /* REAL */
    unsigned long long whole; /* WHOLE, every digit of it */
    double *data;             /* ARRAY, SERIES; TABLE row by row */
    size_t rows;              /* of data */
    size_t columns;           /* TABLE */
    char **names;             /* TABLE: of its columns */
} item;

/* The columns of the CSV: the keys of all records. A key that only some records have comes after
 * the key that it follows there. */
typedef struct {
    const char **key;  /* borrowed from the items */
    const item **cell; /* room for one record, a column each, while it is printed */
    size_t n;          /* columns */
    size_t room;       /* columns that both arrays have room for */
    size_t at;         /* while filling: the place behind the last key of the current record */
} csv_columns;

/* What a command fills: items, and the columns that their keys make. */
struct doc {
    item *items;
    size_t n;    /* items */
    size_t room; /* items that there is room for */
    csv_columns columns;
    FILE *saved;            /* what --save writes, while it is open */
    memory_file saved_text; /* and its text */
    int failed;             /* memory ran out */
};

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
        for (size_t c = 0; x->names && c < x->columns; c++) free(x->names[c]);
        free(x->names);
    }
    if (d->saved) fclose(d->saved);
    free(d->saved_text.text);
    free(d->items);
    free(d->columns.key);
    free(d->columns.cell);
    free(d);
}

void doc_fail(doc *d) { d->failed = 1; }

int doc_failed(const doc *d) { return d->failed; }

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
static size_t find_key(const csv_columns *c, const char *key, size_t from)
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
    size_t found = find_key(c, key, c->at);
    if (found == c->n) {
        if (c->n == c->room && !grow_columns(c)) {
            d->failed = 1;
            return;
        }
        found = c->at;
        memmove(c->key + found + 1, c->key + found, (c->n++ - found) * sizeof *c->key);
        c->key[found] = key;
    }
    c->at = found + 1;
}

/* Appends an item. Without memory it is one that nobody prints, so that the caller can fill it. */
static item *add(doc *d, item_kind kind, const char *key, const char *label, const char *note)
{
    /* filled by whoever added it, and never read */
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
    /* the next key may be that of the first column again */
    if (kind == ROW) d->columns.at = 0;
    add_column(d, x->key);
    return x;
}

void doc_row(doc *d) { add(d, ROW, NULL, NULL, NULL); }

void doc_number(doc *d, const char *key, const char *label, double value, const char *note)
{
    add(d, NUMBER, key, label, note)->value = value;
}

void doc_real(doc *d, const char *key, const char *error_key, const char *label, finf_real v,
              const char *note)
{
    item *x = add(d, REAL, key, label, note);
    x->value = v.value;
    x->error = v.error;
    x->error_key = copy(d, error_key);
    add_column(d, x->error_key);
}

void doc_whole(doc *d, const char *key, const char *label, unsigned long long value,
               const char *note)
{
    item *x = add(d, WHOLE, key, label, note);
    x->value = (double)value;
    x->whole = value;
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

/* A copy of n numbers as the data of an item. */
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

void doc_table(doc *d, const char *key, size_t columns, const char *const *names,
               const double *data, size_t rows)
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

/* A value that is shown and says nothing: its error is as large as itself. An exact 0 does. */
static int as_uncertain_as_large(const item *x)
{
    return x->kind == REAL && (x->key || x->label) && isfinite(x->value) && x->value != 0 &&
           x->error >= fabs(x->value);
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
        if (!x->label) x->label = copy(d, "reason");
        return;
    }
    if (end == d->n) doc_string(d, "reason", "reason", text, NULL);
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
                 "%.60s = %.6g +- %.1e: the error is as large as the value",
                 bad->key ? bad->key : bad->label, bad->value, bad->error);
        if (!found++) *why = one;
        bad = NULL;
        give_reason(d, i, one.text);
    }
    return found > 0;
}

/* ---- characters ------------------------------------------------------------------------------ */

/* How many bytes the UTF-8 character at s has; 0 if it is none (too long a form, a surrogate, or
 * beyond U+10FFFF). */
static int utf8_length(const unsigned char *s)
{
    int n = *s < 0x80                 ? 1
            : *s >= 0xc2 && *s < 0xe0 ? 2
            : *s >= 0xe0 && *s < 0xf0 ? 3
            : *s >= 0xf0 && *s < 0xf5 ? 4
                                      : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

/* A control character, which a terminal may obey instead of showing it: below U+0020, U+007F, or
 * U+0080 to U+009F, which are the bytes c2 80 to c2 9f. */
static int is_control(const unsigned char *s)
{
    return *s < 0x20 || *s == 0x7f || (s[0] == 0xc2 && s[1] >= 0x80 && s[1] < 0xa0);
}

/* Writes one character, or a question mark for what is none or a control character. Returns how
 * many bytes of s it was. */
static int put_plain(const char *s, FILE *out)
{
    int n = utf8_length((const unsigned char *)s);
    if (n == 0 || is_control((const unsigned char *)s))
        fputc('?', out);
    else
        fwrite(s, 1, (size_t)n, out);
    return n ? n : 1;
}

void doc_plain(const char *s, FILE *out)
{
    while (*s) s += put_plain(s, out);
}

/* A string in at least |width| columns: behind blanks, or before them where width < 0, as printf's
 * %*s does, but with doc_plain. */
static void print_padded(const char *s, int width, FILE *out)
{
    int length = (int)strlen(s);
    if (width > length) fprintf(out, "%*s", width - length, "");
    doc_plain(s, out);
    if (-width > length) fprintf(out, "%*s", -width - length, "");
}

/* ---- text ------------------------------------------------------------------------------------ */

/* A number in text; what is missing is a dash. */
static void format_number(char *out, size_t size, double x, int precision)
{
    if (isnan(x))
        snprintf(out, size, "-");
    else if (isinf(x))
        snprintf(out, size, x > 0 ? "inf" : "-inf");
    else
        snprintf(out, size, "%.*g", precision, x);
}

/* A value in text, with its error if it has one. A long string may be cut short. */
static void value_text(const item *x, int precision, char *out, size_t size)
{
    char number[64];
    format_number(number, sizeof number, x->value, precision);
    if (x->kind == WHOLE)
        snprintf(out, size, "%llu", x->whole);
    else if (x->kind == BOOLEAN)
        snprintf(out, size, "%s", x->value != 0 ? "yes" : "no");
    else if (x->kind == STRING)
        snprintf(out, size, "%s", x->string ? x->string : "-");
    else if (x->kind == REAL && isfinite(x->value) && x->error > 0)
        snprintf(out, size, "%s +- %.1e", number, x->error);
    else
        snprintf(out, size, "%s", number);
}

/* Whether text shows the item as "label  value  note". */
static int is_value(const item *x) { return x->kind <= STRING && x->label; }

/* A table in text: the first column 12 wide, the others as wide as their digits need. */
static void print_table_text(const item *x, int precision, FILE *out)
{
    int width = precision + 8;
    for (size_t c = 0; c < x->columns; c++) print_padded(x->names[c], c ? width : 12, out);
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

/* Labels, values and notes each begin in one column; values of 40 characters and more do not make
 * theirs wider. */
static void print_text(const doc *d, doc_style style, FILE *out)
{
    int precision = style.precision ? style.precision : 10;
    /* the widths of the two columns, from a first pass over all items */
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
            fputs("  ", out);
            print_padded(x->label, -(int)labels, out);
            fputs("  ", out);
            /* a string is written from the item, as a noise may be longer than `value` */
            doc_plain(x->kind == STRING && x->string ? x->string : value, out);
            if (note)
                fprintf(out, "%*s  ", (int)(values > strlen(value) ? values - strlen(value) : 0),
                        "");
            if (note) doc_plain(x->note, out);
            fputc('\n', out);
        } else if (x->kind == TABLE)
            print_table_text(x, style.precision ? style.precision : 6, out);
        else if (x->kind == ARRAY)
            /* one number a line, to be read back exactly: the format that `beta@FILE` takes */
            for (size_t j = 0; j < x->rows && !ferror(out); j++)
                fprintf(out, "%.*g\n", style.precision ? style.precision : 17, x->data[j]);
        else if ((x->kind == HEADING || x->kind == NOTE) && !style.quiet) {
            doc_plain(x->label, out);
            fputc('\n', out);
        }
    }
}

/* ---- CSV and JSON ---------------------------------------------------------------------------- */

/* 17 digits give every double back exactly. */
static int machine_digits(doc_style style) { return style.precision ? style.precision : 17; }

/* A cell as RFC 4180 has it: in quotes where there is a comma, a quote or an end of line in it, and
 * quotes in it doubled. */
static void csv_string(const char *s, FILE *out)
{
    if (!s) return;
    int quote = strpbrk(s, ",\"\n") != NULL;
    if (quote) fputc('"', out);
    while (*s) {
        if (*s == '"') fputc('"', out);
        if (*s == '\n')
            fputc(*s++, out);
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
    else if (x->kind == STRING)
        csv_string(x->string, out);
    else if (x->kind == WHOLE)
        fprintf(out, "%llu", x->whole);
    else if (x->kind == BOOLEAN)
        fputs(x->value != 0 ? "true" : "false", out);
    else
        csv_number(x->value, digits, out);
}

/* The first item of this kind that has a key; NULL: there is none. */
static const item *find_kind(const doc *d, item_kind kind)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->items[i].kind == kind && d->items[i].key) return &d->items[i];
    return NULL;
}

/* An array takes two columns: its index t, and its numbers under its key. */
static void csv_array(const item *x, int digits, FILE *out)
{
    fputs("t,", out);
    csv_string(x->key, out);
    fputc('\n', out);
    for (size_t t = 0; t < x->rows && !ferror(out); t++) {
        fprintf(out, "%zu,", t);
        csv_number(x->data[t], digits, out);
        fputc('\n', out);
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

static void csv_table(const item *x, int digits, FILE *out)
{
    csv_header((const char *const *)x->names, x->columns, out);
    for (size_t r = 0; r < x->rows && !ferror(out); r++)
        for (size_t c = 0; c < x->columns; c++) {
            if (c) fputc(',', out);
            csv_number(x->data[r * x->columns + c], digits, out);
            if (c + 1 == x->columns) fputc('\n', out);
        }
}

/* The record whose items begin at `first`: each goes to the column of its key, then the columns are
 * written in their order. */
static void csv_record(const csv_columns *c, const item *first, const item *end, int digits,
                       FILE *out)
{
    for (size_t k = 0; k < c->n; k++) c->cell[k] = NULL;
    size_t at = 0;
    for (const item *x = first; x < end && x->kind != ROW; x++) {
        if (x->key) c->cell[at = find_key(c, x->key, at)] = x;
        if (x->error_key) c->cell[at = find_key(c, x->error_key, at)] = x;
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
static void print_csv(const doc *d, doc_style style, FILE *out)
{
    int digits = machine_digits(style);
    const item *table = find_kind(d, TABLE), *array = find_kind(d, ARRAY), *end = d->items + d->n;
    if (array) {
        csv_array(array, digits, out);
        return;
    }
    if (table) {
        csv_table(table, digits, out);
        return;
    }
    if (!d->columns.n) return;
    csv_header(d->columns.key, d->columns.n, out);
    for (const item *x = d->items; x < end && !ferror(out); x++)
        if (x->kind == ROW) csv_record(&d->columns, x + 1, end, digits, out);
}

/* A string as JSON has it; what is not UTF-8 becomes U+FFFD. Of a control character c2 80 .. c2 9f
 * the second byte is the number. */
static void json_string(const char *s, FILE *out)
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
            json_string(x->names[c], out);
            fputc(':', out);
            json_number(x->data[r * x->columns + c], digits, out);
        }
        fputc('}', out);
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
            for (size_t i = 0; i < x->rows && !ferror(out); i++) {
                if (i) fputc(',', out);
                json_number(x->data[i], digits, out);
            }
        fputc(']', out);
        break;
    default: json_number(x->value, digits, out);
    }
}

/* An object for each record, each on a line of its own. */
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

/* ---- reading back ---------------------------------------------------------------------------- */

size_t doc_rows(const doc *d)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++) n += d->items[i].kind == ROW;
    return n;
}

/* The first item of a record; d->n if there is no such record. */
static size_t record(const doc *d, size_t row)
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
    case STRING: return (doc_cell){x->string ? CELL_TEXT : CELL_EMPTY, NAN, x->string};
    default: return (doc_cell){CELL_EMPTY, NAN, NULL};
    }
}

doc_cell doc_at(const doc *d, size_t row, const char *key)
{
    for (size_t i = record(d, row); i < d->n && d->items[i].kind != ROW; i++)
        if (named(d->items[i].key, key) || named(d->items[i].error_key, key))
            return cell_of(&d->items[i], key);
    return (doc_cell){CELL_EMPTY, NAN, NULL};
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

/* An array is a column under its key, beside an index t; a table has the columns it names; else the
 * records make one, in which a record without the key has NaN. */
double *doc_column(const doc *d, const char *key, size_t *n)
{
    const item *array = find_kind(d, ARRAY), *whole = array ? array : find_kind(d, TABLE);
    size_t stride = 1, row = 0;
    const double *data = whole ? find_data(whole, key, &stride) : NULL;
    int index = array && named("t", key);
    *n = 0;
    if (whole ? !data && !index : find_key(&d->columns, key, 0) == d->columns.n) return NULL;
    *n = whole ? whole->rows : doc_rows(d);
    double *out = malloc((*n ? *n : 1) * sizeof *out);
    for (size_t i = 0; out && i < *n; i++)
        out[i] = index ? (double)i : data ? data[i * stride] : NAN;
    for (size_t i = 0; out && !whole && i < d->n; i++) {
        const item *x = &d->items[i];
        row += x->kind == ROW;
        if (row && (named(x->key, key) || named(x->error_key, key)))
            out[row - 1] = cell_of(x, key).value;
    }
    return out;
}

/* Arrays, tables, headings and notes are left out: they are not fields of a record. */
void doc_copy(doc *to, const doc *from, size_t row)
{
    for (size_t i = record(from, row); i < from->n && from->items[i].kind != ROW; i++) {
        const item *x = &from->items[i];
        finf_real v = {x->value, x->error, ""};
        switch (x->kind) {
        case NUMBER: doc_number(to, x->key, x->label, x->value, x->note); break;
        case REAL: doc_real(to, x->key, x->error_key, x->label, v, x->note); break;
        case WHOLE: doc_whole(to, x->key, x->label, x->whole, x->note); break;
        case BOOLEAN: doc_bool(to, x->key, x->label, x->value != 0, x->note); break;
        case STRING: doc_string(to, x->key, x->label, x->string, x->note); break;
        case SERIES: doc_series(to, x->key, x->data, x->rows); break;
        default: break; /* not of the record, or for text only */
        }
    }
}
