/* Files of numbers, read whole: a .npy array, text or CSV. What is wrong with a file is said with
 * its name and, for text, the line. */
#include "input.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "bytes.h"
#include "npy.h"

/* ---- .npy ------------------------------------------------------------------------------------ */

/* out->data is row by row, whatever the file is. */
static finf_status read_npy(const char *path, const char *bytes, size_t size, input_table *out,
                            finf_reason *why)
{
    npy_array a;
    size_t start;
    finf_status s = npy_start(path, bytes, size, &start, why);
    if (s) return s;
    if (start > size) return finf_why(why, FINF_EPARSE, "'%.120s': truncated .npy header", path);
    if ((s = npy_read_header(path, bytes, start, &a, why))) return s;
    size_t n = a.rows * a.columns;
    if ((size - start) / a.width < n)
        return finf_why(why, FINF_EPARSE, "'%.120s': truncated .npy, %zu of %zu numbers are there",
                        path, (size - start) / a.width, n);
    out->data = malloc(n * sizeof *out->data);
    if (!out->data) return finf_why(why, FINF_ENOMEM, "no memory for %zu numbers", n);
    out->rows = a.rows;
    out->columns = a.columns;
    out->dimensions = a.dimensions;
    out->single = a.kind == 'f' && a.width == 4;
    const char *p = bytes + start;
    if (!a.fortran) npy_convert(&a, p, n, out->data);
    for (size_t i = 0; i < n && a.fortran; i++)
        npy_convert(&a, p + i * a.width, 1, out->data + i % a.rows * a.columns + i / a.rows);
    return FINF_OK;
}

/* ---- text and CSV ---------------------------------------------------------------------------- */

/* Cells are parted by blanks, commas or semicolons. */
static int is_blank(char c) { return c == ' ' || c == '\t'; }
static int is_comma(char c) { return c == ',' || c == ';'; }

/* Whether a line is a header: every cell starts with a letter, an underscore, a quote or a bar (as
 * |B|), and none is a number, which nan and inf are too. */
static int is_header(const char *p, const char *end)
{
    while (p < end) {
        const char *cell = p;
        char *after;
        while (p < end && !is_blank(*p) && !is_comma(*p)) p++;
        strtod(cell, &after);
        if ((!isalpha((unsigned char)*cell) && !strchr("_\"'|", *cell)) || after == p) return 0;
        while (p < end && (is_blank(*p) || is_comma(*p))) p++;
    }
    return 1;
}

/* Appends the number in a cell of `length` characters. It must be all of the cell, and finite. */
static finf_status add_number(input_text *r, const char *cell, size_t length, finf_reason *why)
{
    int shown = (int)(length < 40 ? length : 40);
    char *after;
    double x = strtod(cell, &after);
    if (length == 0)
        return finf_why(why, FINF_EPARSE, "'%.120s' line %zu: an empty cell", r->path, r->line);
    if (after != cell + length)
        return finf_why(why, FINF_EPARSE, "'%.120s' line %zu: '%.*s' is not a number", r->path,
                        r->line, shown, cell);
    if (!isfinite(x))
        return finf_why(why, FINF_EPARSE, "'%.120s' line %zu: '%.*s' must be a finite number",
                        r->path, r->line, shown, cell);
    if (r->n == r->room) {
        double *more = realloc(r->out->data, 2 * r->room * sizeof *more);
        if (!more) return finf_why(why, FINF_ENOMEM, "no memory for %zu numbers", r->n);
        r->out->data = more;
        r->room *= 2;
    }
    r->out->data[r->n++] = x;
    return FINF_OK;
}

/* A line of numbers, between blanks or commas or both: as many as the lines before it have. */
static finf_status read_line(input_text *r, const char *p, const char *end, finf_reason *why)
{
    size_t before = r->n;
    finf_status s = FINF_OK;
    int comma = 1; /* whether a cell must follow: at the start, and behind a comma */
    while (!s) {
        while (p < end && is_blank(*p)) p++;
        if (p == end && !comma) break;
        const char *cell = p;
        while (p < end && !is_blank(*p) && !is_comma(*p)) p++;
        s = add_number(r, cell, (size_t)(p - cell), why);
        while (p < end && is_blank(*p)) p++;
        comma = p < end && is_comma(*p);
        p += comma;
    }
    size_t columns = r->n - before;
    if (!s && r->out->rows && columns != r->out->columns)
        s = finf_why(why, FINF_EPARSE,
                     "'%.120s' line %zu: %zu numbers where the lines before have %zu", r->path,
                     r->line, columns, r->out->columns);
    r->out->columns = columns;
    r->out->rows++;
    return s;
}

/* Whether the line is a [name], which begins a part of the file. */
static int is_name(input_text *r, const char *start, const char *stop)
{
    if (*start != '[' || stop[-1] != ']') return 0;
    size_t length = strlen(r->section);
    r->active = length == (size_t)(stop - start) - 2 && !strncmp(start + 1, r->section, length);
    r->found |= r->active;
    return 1;
}

finf_status input_text_lines(input_text *r, const char *text, finf_reason *why)
{
    finf_status s = FINF_OK;
    if (r->line == 0 && strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3; /* a byte order mark */
    for (const char *p = text; *p && !s;) {
        const char *end = p + strcspn(p, "\r\n"), *stop = p + strcspn(p, "#\r\n"), *start = p;
        r->line++;
        /* to the next line, over \r\n as over one character */
        p = end + (end[0] == '\r' && end[1] == '\n') + (*end != 0);
        while (start < stop && is_blank(*start)) start++;
        while (stop > start && is_blank(stop[-1])) stop--;
        if (start == stop || (r->section && is_name(r, start, stop)) || !r->active) continue;
        if (!r->out->rows && !r->out->named && is_header(start, stop))
            r->out->named = 1;
        else
            s = read_line(r, start, stop, why);
    }
    return s;
}

/* Where the file is parted by lines [name], only the part `section` is active. */
static finf_status read_text(const char *path, const char *section, const char *text, size_t size,
                             input_table *out, finf_reason *why)
{
    /* bytes_read has put a NUL at the end: one before it is in the file */
    if (strlen(text) != size)
        return finf_why(why, FINF_EPARSE, "'%.120s': binary, but not .npy", path);
    /* a file without lines [name] is one part, whatever it was asked for */
    int parted = strstr(text, "\n[") != NULL || *text == '[' ||
                 strncmp(text, "\xef\xbb\xbf[", 4) == 0;
    input_text r = {.path = path,
                    .section = parted ? section : NULL,
                    .active = !parted,
                    .found = !parted,
                    .room = 1024,
                    .out = out};
    out->dimensions = 2;
    out->data = malloc(r.room * sizeof *out->data);
    finf_status s = out->data ? FINF_OK : finf_why(why, FINF_ENOMEM, "no memory");
    if (!s) s = input_text_lines(&r, text, why);
    if (!s && !r.found) s = finf_why(why, FINF_EPARSE, "'%.120s' has no part [%s]", path, section);
    if (!s && r.n == 0) s = finf_why(why, FINF_EPARSE, "'%.120s': no number in it", path);
    return s;
}

/* A .npy file is known by its magic, not by its name. */
finf_status input_read(const char *path, const char *section, input_table *out, finf_reason *why)
{
    char *bytes = NULL;
    size_t size = 0;
    *out = (input_table){0};
    finf_status s = bytes_read(path, &bytes, &size, why);
    if (s) return s;
    s = npy_is(bytes, size) ? read_npy(path, bytes, size, out, why)
                            : read_text(path, section, bytes, size, out, why);
    free(bytes);
    if (s) {
        free(out->data);
        *out = (input_table){0};
    }
    return s;
}

/* Two columns of which the first counts 0, 1, 2, .. or 1, 2, 3, .. are a list with its index, which
 * is dropped; three with names above them have the error as well, as `finf coef` writes. One line
 * of two numbers is a list of both, unless names above them say that the first is an index. */
finf_status input_list(const char *path, const char *section, double **data, size_t *n,
                       finf_reason *why)
{
    input_table t;
    *data = NULL;
    finf_status s = input_read(path, section, &t, why);
    if (s) return s;
    int listed = (t.columns == 2 && (t.rows > 1 || t.named)) || (t.columns == 3 && t.named);
    int indexed = listed && (t.data[0] == 0 || t.data[0] == 1);
    for (size_t i = 0; i < t.rows && indexed; i++)
        indexed = t.data[t.columns * i] == t.data[0] + (double)i;
    if (!indexed && t.columns > 1 && t.rows > 1) {
        free(t.data);
        return finf_why(why, FINF_EPARSE,
                        "'%.120s' has %zu columns: one list of numbers is expected", path,
                        t.columns);
    }
    for (size_t i = 0; i < t.rows && indexed; i++) t.data[i] = t.data[t.columns * i + 1];
    *data = t.data;
    *n = indexed ? t.rows : t.rows * t.columns;
    return FINF_OK;
}
