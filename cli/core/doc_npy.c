/* A doc as a .npy file: what the CSV would have, as numpy.load gives it back. An array is an array
 * of float64; a table one with a field for each column; records one with a field for each key,
 * numbers as float64 (NaN where there is none), yes and no as 1 and 0, words as str. */
#include "doc_items.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* One column of what is written. */
typedef struct {
    const char *name;
    size_t letters; /* 0: numbers; else words of so many characters, padded with zeros */
    size_t again;   /* 0: the first of this name; else the second, third, .. */
} column;

/* Little-endian, whatever the machine. */
static void put_bytes(uint64_t x, int n, FILE *out)
{
    for (int i = 0; i < n; i++) fputc((int)(x >> (8 * i) & 0xff), out);
}

static void put_number(double x, FILE *out)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    put_bytes(bits, 8, out);
}

/* The next character of UTF-8, and how many bytes it had; what is none counts as one '?'. */
static uint32_t character(const char *s, int *bytes)
{
    const unsigned char *u = (const unsigned char *)s;
    int n = utf8_length(u);
    *bytes = n ? n : 1;
    if (n == 0) return '?';
    uint32_t x = n == 1 ? u[0] : u[0] & (0xffu >> (n + 1));
    for (int i = 1; i < n; i++) x = x << 6 | (u[i] & 0x3f);
    return x;
}

static size_t count_letters(const char *s)
{
    size_t n = 0;
    for (int bytes; *s; s += bytes, n++) character(s, &bytes);
    return n;
}

static void put_words(const char *s, size_t letters, FILE *out)
{
    for (size_t i = 0; i < letters; i++) {
        int bytes = 0;
        put_bytes(*s ? character(s, &bytes) : 0, 4, out);
        s += bytes;
    }
}

/* A name within the quotes of a Python literal. */
static void put_name(const char *s, FILE *out)
{
    for (; *s; s++) {
        if (*s == '\'' || *s == '\\') fputc('\\', out);
        fputc(*s, out);
    }
}

/* The header: a Python dict as text, padded with blanks so that the data begin at a multiple of 64,
 * in the format of version 3.0, which has its length in 4 bytes and is UTF-8. */
static int put_header(const column *c, size_t n, size_t rows, FILE *out)
{
    memory_file text = {0};
    FILE *f = memory_open(&text);
    if (!f) return 0;
    fputs("{'descr': ", f);
    fputs(c ? "[" : "'<f8'", f);
    for (size_t i = 0; c && i < n; i++) {
        fputs("('", f);
        put_name(c[i].name, f);
        if (c[i].again) fprintf(f, " (%zu)", c[i].again);
        if (c[i].letters)
            fprintf(f, "', '<U%zu'), ", c[i].letters);
        else
            fputs("', '<f8'), ", f);
    }
    fprintf(f, "%s, 'fortran_order': False, 'shape': (%zu,), }", c ? "]" : "", rows);
    fclose(f);
    size_t length = (text.size + 1 + 12 + 63) / 64 * 64 - 12;
    fputs("\x93NUMPY\x03", out);
    fputc(0, out);
    put_bytes(length, 4, out);
    if (text.text) fputs(text.text, out);
    for (size_t i = text.size + 1; i < length; i++) fputc(' ', out);
    fputc('\n', out);
    free(text.text);
    return !text.failed;
}

/* A cell as a word: what it says, or its number. */
static const char *word_of(const doc_cell *cell, char number[32])
{
    if (cell->kind == CELL_TEXT) return cell->text;
    if (cell->kind == CELL_EMPTY || isnan(cell->value)) return "";
    snprintf(number, 32, "%.17g", cell->value);
    return number;
}

/* The columns of the records: a key that has a word anywhere has words. */
static void read_columns(const doc *d, column *c)
{
    for (size_t k = 0; k < d->columns.n; k++) c[k] = (column){.name = d->columns.key[k]};
    for (size_t i = 0, at = 0; i < d->n; i++) {
        const item *x = &d->items[i];
        if ((x->kind != STRING && x->kind != OBJECTS) || x->where == TEXT_ONLY) continue;
        at = doc_find_key(&d->columns, x->key, at);
        size_t n = x->string ? count_letters(x->string) : 0;
        if (n < 1) n = 1;
        if (at < d->columns.n && n > c[at].letters) c[at].letters = n;
    }
    for (size_t i = 0, at = 0; i < d->n; i++) { /* numbers among words need their room too */
        const item *x = &d->items[i];
        if (x->kind > BOOLEAN || x->where == TEXT_ONLY || isnan(x->value)) continue;
        at = doc_find_key(&d->columns, x->key, at);
        int n = at < d->columns.n && c[at].letters ? snprintf(NULL, 0, "%.17g", x->value) : 0;
        if (n > 0 && (size_t)n > c[at].letters) c[at].letters = (size_t)n;
    }
}

static int put_records(const doc *d, FILE *out)
{
    column *c = malloc((d->columns.n ? d->columns.n : 1) * sizeof *c);
    if (!c) return 0;
    read_columns(d, c);
    int good = put_header(c, d->columns.n, doc_rows(d), out);
    for (size_t i = 0; i < d->n; i++)
        for (size_t k = 0; d->items[i].kind == ROW && k < d->columns.n; k++) {
            doc_cell cell = doc_field(d, i + 1, c[k].name);
            char number[32];
            if (c[k].letters)
                put_words(word_of(&cell, number), c[k].letters, out);
            else
                put_number(cell.kind == CELL_EMPTY ? NAN : cell.value, out);
        }
    free(c);
    return good;
}

static int put_table(const item *x, FILE *out)
{
    column *c = malloc(x->columns * sizeof *c);
    if (!c) return 0;
    for (size_t k = 0; k < x->columns; k++) c[k] = (column){.name = x->names[k]};
    int good = put_header(c, x->columns, x->rows, out);
    for (size_t i = 0; i < x->rows * x->columns; i++) put_number(x->data[i], out);
    free(c);
    return good;
}

/* What a field of several is called: the noise, and behind it what else varies, "best eta=0.1".
 * Owned by the caller; NULL: no memory. */
static char *field_name(const doc *d, const item *const *arrays, size_t k)
{
    memory_file name = {0};
    FILE *f = memory_open(&name);
    const char *from = NULL;
    char key[64], text[512];
    if (!f) return NULL;
    fputs(doc_noise_of(d, arrays[k]), f);
    while (doc_next_varying(d, &from, key)) {
        doc_varying_text(d, arrays[k], key, 0, text, sizeof text);
        fprintf(f, " %s=%s", key, text);
    }
    fclose(f);
    if (!name.failed) return name.text;
    free(name.text);
    return NULL;
}

/* Of two columns, the one whose name comes first; of one name, the one that stands first. */
static int by_name(const void *a, const void *b)
{
    const column *x = *(column *const *)a, *y = *(column *const *)b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x > y) - (x < y);
}

/* The names of n fields. What was asked for twice is numbered, as NumPy takes a name once. 0: no
 * memory. */
static int name_fields(const doc *d, const item *const *arrays, size_t n, column *c, char **names)
{
    column **sorted = malloc(n * sizeof *sorted);
    int good = sorted != NULL;
    for (size_t k = 0; k < n && good; k++) {
        good = (names[k] = field_name(d, arrays, k)) != NULL;
        c[k] = (column){.name = names[k]};
        sorted[k] = &c[k];
    }
    if (good) qsort(sorted, n, sizeof *sorted, by_name);
    for (size_t k = 1; k < n && good; k++) {
        size_t before = sorted[k - 1]->again ? sorted[k - 1]->again : 1;
        if (strcmp(sorted[k - 1]->name, sorted[k]->name) == 0) sorted[k]->again = before + 1;
    }
    free(sorted);
    return good;
}

/* One array is an array; several, which are of one length, a field each. */
static int put_arrays(const doc *d, const item *first, FILE *out)
{
    column *c = calloc(d->n, sizeof *c);
    char **names = calloc(d->n, sizeof *names);
    const item **arrays = malloc(d->n * sizeof *arrays);
    size_t n = 0;
    for (size_t i = 0; c && names && arrays && i < d->n; i++)
        if (d->items[i].kind == ARRAY) arrays[n++] = &d->items[i];
    int good = n > 0 && name_fields(d, arrays, n, c, names) &&
               put_header(n > 1 ? c : NULL, n, first->rows, out);
    for (size_t t = 0; good && t < first->rows; t++)
        for (size_t k = 0; k < n; k++)
            put_number(t < arrays[k]->rows ? arrays[k]->data[t] : NAN, out);
    for (size_t k = 0; k < n; k++) free(names[k]);
    free(names);
    free(c);
    free(arrays);
    return good;
}

int print_npy(const doc *d, FILE *out)
{
    const item *array = doc_find_kind(d, ARRAY), *table = doc_find_kind(d, TABLE);
    return array ? put_arrays(d, array, out) : table ? put_table(table, out) : put_records(d, out);
}
