/* A doc as text: labels, values and notes in columns, or a table of its records. */
#include "doc_items.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- characters ------------------------------------------------------------------------------ */

/* How many bytes the UTF-8 character at s has; 0 if it is none (too long a form, a surrogate, or
 * beyond U+10FFFF). */
int utf8_length(const unsigned char *s)
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
int is_control(const unsigned char *s)
{
    return *s < 0x20 || *s == 0x7f || (s[0] == 0xc2 && s[1] >= 0x80 && s[1] < 0xa0);
}

/* Writes one character, or a question mark for what is none or a control character. Returns how
 * many bytes of s it was. */
int put_plain(const char *s, FILE *out)
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
void print_padded(const char *s, int width, FILE *out)
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
void value_text(const item *x, int precision, char *out, size_t size)
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

/* Whether text shows the item as "key  value  note". */
static int is_value(const item *x) { return x->kind <= STRING && x->where != DATA_ONLY; }

/* How wide a column of a table is: the first one 12, the others as their digits need; two more than
 * a longer name. */
static int column_width(const item *x, size_t c, int precision)
{
    int width = c ? precision + 8 : 12, name = (int)strlen(x->names[c]) + (c ? 2 : 0);
    return name > width ? name : width;
}

void print_table_text(const item *x, int precision, FILE *out)
{
    for (size_t c = 0; c < x->columns; c++)
        print_padded(x->names[c], column_width(x, c, precision), out);
    fputc('\n', out);
    for (size_t r = 0; r < x->rows; r++) {
        for (size_t c = 0; c < x->columns; c++) {
            char cell[64];
            format_number(cell, sizeof cell, x->data[r * x->columns + c], precision);
            fprintf(out, "%*s", column_width(x, c, precision), cell);
        }
        fputc('\n', out);
    }
}

void print_value(const item *x, size_t keys, size_t values, doc_style style, FILE *out)
{
    char value[512];
    int note = x->note && !style.quiet;
    value_text(x, style.precision ? style.precision : 10, value, sizeof value);
    fputs("  ", out);
    print_padded(x->key, -(int)keys, out);
    fputs("  ", out);
    /* a string is written from the item, as a noise may be longer than `value` */
    doc_plain(x->kind == STRING && x->string ? x->string : value, out);
    if (note) {
        fprintf(out, "%*s  ", (int)(values > strlen(value) ? values - strlen(value) : 0), "");
        doc_plain(x->note, out);
    }
    fputc('\n', out);
}

/* Keys, values and notes each begin in one column; values of 40 characters and more do not make
 * theirs wider. */
int print_text(const doc *d, doc_style style, FILE *out)
{
    /* the widths of the two columns, from a first pass over all items */
    size_t keys = 0, values = 0;
    char value[512];
    if (d->table) return print_records(d, style, out);
    for (size_t i = 0; i < d->n; i++)
        if (is_value(&d->items[i])) {
            value_text(&d->items[i], style.precision ? style.precision : 10, value, sizeof value);
            if (strlen(d->items[i].key) > keys) keys = strlen(d->items[i].key);
            if (strlen(value) > values && strlen(value) < 40) values = strlen(value);
        }
    for (size_t i = 0; i < d->n; i++) {
        const item *x = &d->items[i];
        if (is_value(x))
            print_value(x, keys, values, style, out);
        else if (x->kind == OBJECTS)
            print_objects_text(x, keys, out);
        else if (x->kind == TABLE)
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
    return 1;
}
