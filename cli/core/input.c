/* Files of numbers: the bytes of a file, numpy's .npy format, and text or CSV. What is wrong with a
 * file is said with its name and, for text, the line. */
#include "input.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"

/* ---- bytes ----------------------------------------------------------------------------------- */

#define SIZE_LIMIT ((size_t)1 << 31) /* bytes of a file that is read at all */

/* The whole file, or standard input for "-", with a NUL behind it. Owned by the caller. */
static finf_status slurp(const char *path, char **out, size_t *size, finf_reason *why)
{
    int is_stdin = strcmp(path, "-") == 0;
    FILE *f = is_stdin ? stdin : fopen(path, "rb");
    if (!f) return finf_why(why, FINF_EIO, "cannot open '%.150s': %s", path, strerror(errno));
    size_t room = 1 << 16, n = 0;
    char *data = malloc(room + 1);
    finf_status s = data ? FINF_OK : finf_why(why, FINF_ENOMEM, "no memory to read '%.150s'", path);
    errno = 0;
    while (!s) {
        /* a short count is the end of the file or an error, told apart by ferror below */
        size_t got = fread(data + n, 1, room - n, f);
        n += got;
        if (n < room) break;
        if (room >= SIZE_LIMIT) {
            s = finf_why(why, FINF_EIO, "'%.150s' is larger than 2 GiB", path);
            break;
        }
        char *more = realloc(data, 2 * room + 1);
        if (!more)
            s = finf_why(why, FINF_ENOMEM, "no memory to read '%.150s'", path);
        else {
            data = more;
            room *= 2;
        }
    }
    if (!s && ferror(f))
        s = finf_why(why, FINF_EIO, "cannot read '%.150s': %s", path,
                     strerror(errno ? errno : EIO));
    if (!is_stdin) fclose(f);
    if (s) {
        free(data);
        return s;
    }
    data[n] = '\0';
    *out = data;
    *size = n;
    return FINF_OK;
}

/* ---- .npy ------------------------------------------------------------------------------------ */

/* Where the value of 'key' begins in the header, which is a Python dict as text. NULL: not there.
 */
static const char *npy_field(const char *header, const char *key)
{
    const char *p = strstr(header, key);
    p = p ? strchr(p, ':') : NULL;
    return p ? p + 1 + strspn(p + 1, " ") : NULL;
}

/* Whether this machine stores the least significant byte first. */
static int host_is_little(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

/* One element: a float (kind 'f') or a signed integer ('i') of `width` bytes, 4 or 8; `swap` if its
 * bytes are in the other order than the machine's. */
static double npy_element(const unsigned char *p, char kind, size_t width, int swap)
{
    unsigned char b[8];
    for (size_t i = 0; i < width; i++) b[i] = p[swap ? width - 1 - i : i];
    float f;
    double d;
    int64_t i64;
    int32_t i32;
    if (kind == 'f' && width == 4) {
        memcpy(&f, b, 4);
        return (double)f;
    }
    if (kind == 'f') {
        memcpy(&d, b, 8);
        return d;
    }
    if (width == 4) {
        memcpy(&i32, b, 4);
        return (double)i32;
    }
    memcpy(&i64, b, 8);
    return (double)i64;
}

/* What the header of a .npy file says. */
typedef struct {
    char type[4];   /* the dtype if it has three characters, as "<f8": byte order, kind, width */
    char dtype[24]; /* the dtype as it is written, for an error message */
    size_t dims[2]; /* the shape; 1 for a dimension that is not there */
    int count;      /* how many dimensions there are; 0: not one or two, or not to be read */
    int fortran;    /* stored column by column */
} npy_header;

/* Reads the header's text. What it does not find stays as it is at the start, and is refused later.
 */
static npy_header npy_parse(const char *header)
{
    npy_header h = {.dtype = "?", .dims = {1, 1}};
    const char *descr = npy_field(header, "'descr'");
    const char *order = npy_field(header, "'fortran_order'");
    const char *shape = npy_field(header, "'shape'");
    h.fortran = order && strncmp(order, "True", 4) == 0;
    if (descr && *descr == '\'') {
        size_t k = strcspn(descr + 1, "'");
        snprintf(h.dtype, sizeof h.dtype, "%.*s", (int)(k < 20 ? k : 20), descr + 1);
        if (k == 3) memcpy(h.type, descr + 1, 3);
    }
    for (const char *p = shape && *shape == '(' ? shape + 1 : ""; *p && *p != ')';) {
        char *end;
        unsigned long long v = strtoull(p, &end, 10);
        if (end == p || h.count == 2 || v > SIZE_MAX / 64) {
            h.count = 0;
            break;
        }
        h.dims[h.count++] = (size_t)v;
        p = end + strspn(end, ", ");
    }
    return h;
}

/* An array of one or two dimensions, of float64, float32, int64 or int32. */
static finf_status read_npy(const char *path, const char *bytes, size_t size, input_table *out,
                            finf_reason *why)
{
#define BAD(...) return finf_why(why, FINF_EPARSE, __VA_ARGS__)
    const unsigned char *u = (const unsigned char *)bytes;
    /* magic (6 bytes), version (2), then the header's length: 2 bytes in version 1, 4 in 2 and 3 */
    size_t prefix = size > 6 && u[6] == 1 ? 10 : 12;
    if (size < prefix) BAD("'%.120s': truncated .npy header", path);
    if (u[6] < 1 || u[6] > 3) BAD("'%.120s': .npy version %d is not known (1, 2 or 3)", path, u[6]);
    size_t length = u[8] | (size_t)u[9] << 8;
    if (prefix == 12) length |= (size_t)u[10] << 16 | (size_t)u[11] << 24;
    if (length > size - prefix) BAD("'%.120s': truncated .npy header", path);
    char *header = malloc(length + 1);
    if (!header) return finf_why(why, FINF_ENOMEM, "no memory");
    memcpy(header, bytes + prefix, length);
    header[length] = '\0';
    npy_header h = npy_parse(header);
    free(header);
    if (h.count == 0) BAD("'%.120s': the .npy array must have one or two dimensions", path);
    size_t width = (size_t)(h.type[2] - '0');
    if (!h.type[0] || !strchr("<>|=", h.type[0]) || !strchr("fi", h.type[1]) ||
        (width != 4 && width != 8))
        BAD("'%.120s': dtype '%s' is not read; save as float64, float32, int64 or int32", path,
            h.dtype);
    if (h.dims[1] && h.dims[0] > SIZE_MAX / 64 / h.dims[1])
        BAD("'%.120s': absurd .npy shape", path);
    size_t n = h.dims[0] * h.dims[1];
    if (n == 0) BAD("'%.120s': the .npy array is empty", path);
    if ((size - prefix - length) / width < n)
        BAD("'%.120s': truncated .npy, %zu of %zu numbers are there", path,
            (size - prefix - length) / width, n);
    out->data = malloc(n * sizeof *out->data);
    if (!out->data) return finf_why(why, FINF_ENOMEM, "no memory for %zu numbers", n);
    out->rows = h.dims[0];
    out->columns = h.dims[1];
    int swap = (h.type[0] == '>' && host_is_little()) || (h.type[0] == '<' && !host_is_little());
    const unsigned char *p = u + prefix + length;
    for (size_t i = 0; i < n; i++) {
        /* out->data is row by row, whatever the file is */
        size_t at = h.fortran ? i % h.dims[0] * h.dims[1] + i / h.dims[0] : i;
        out->data[at] = npy_element(p + i * width, h.type[1], width, swap);
    }
    return FINF_OK;
#undef BAD
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

/* A text file while it is read. */
typedef struct {
    const char *path;
    size_t line; /* the present one, counted from 1 */
    size_t n;    /* numbers so far */
    size_t room; /* numbers that out->data has room for */
    input_table *out;
} reader;

/* Appends the number in a cell of `length` characters. It must be all of the cell, and finite. */
static finf_status add_number(reader *r, const char *cell, size_t length, finf_reason *why)
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
static finf_status read_line(reader *r, const char *p, const char *end, finf_reason *why)
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

/* Lines of numbers, ended by \n, \r\n or \r. # starts a comment, the first line may be a header.
 * Where the file is parted by lines [name], only the part `section` is `active`. */
static finf_status read_text(const char *path, const char *section, const char *text, size_t size,
                             input_table *out, finf_reason *why)
{
    /* slurp has put a NUL at the end: one before it is in the file */
    if (strlen(text) != size)
        return finf_why(why, FINF_EPARSE, "'%.120s': binary, but not .npy", path);
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3; /* a byte order mark */
    /* a file without lines [name] is one part, whatever it was asked for */
    int parted = *text == '[' || strstr(text, "\n[") != NULL, active = !parted, found = !parted;
    reader r = {.path = path, .room = 1024, .out = out};
    out->data = malloc(r.room * sizeof *out->data);
    finf_status s = out->data ? FINF_OK : finf_why(why, FINF_ENOMEM, "no memory");
    for (const char *p = text; *p && !s;) {
        const char *end = p + strcspn(p, "\r\n"), *stop = p + strcspn(p, "#\r\n"), *start = p;
        r.line++;
        /* to the next line, over \r\n as over one character */
        p = end + (end[0] == '\r' && end[1] == '\n') + (*end != 0);
        while (start < stop && is_blank(*start)) start++;
        while (stop > start && is_blank(stop[-1])) stop--;
        if (start == stop) continue;
        if (*start == '[' && stop[-1] == ']') {
            active = strlen(section) == (size_t)(stop - start) - 2 &&
                     strncmp(start + 1, section, strlen(section)) == 0;
            found |= active;
            continue;
        }
        if (!active) continue;
        if (!out->rows && !out->named && is_header(start, stop))
            out->named = 1;
        else
            s = read_line(&r, start, stop, why);
    }
    if (!s && !found) s = finf_why(why, FINF_EPARSE, "'%.120s' has no part [%s]", path, section);
    if (!s && r.n == 0) s = finf_why(why, FINF_EPARSE, "'%.120s': no number in it", path);
    return s;
}

/* A .npy file is known by its magic, not by its name. */
finf_status input_read(const char *path, const char *section, input_table *out, finf_reason *why)
{
    char *bytes = NULL;
    size_t size = 0;
    *out = (input_table){0};
    finf_status s = slurp(path, &bytes, &size, why);
    if (s) return s;
    s = size >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0
            ? read_npy(path, bytes, size, out, why)
            : read_text(path, section, bytes, size, out, why);
    free(bytes);
    if (s) {
        free(out->data);
        *out = (input_table){0};
    }
    return s;
}

/* Two columns of which the first counts 0, 1, 2, .. or 1, 2, 3, .. are a list with its index, which
 * is dropped. One line of two numbers is a list of both, unless names above them say that the first
 * is an index. */
finf_status input_list(const char *path, const char *section, double **data, size_t *n,
                       finf_reason *why)
{
    input_table t;
    *data = NULL;
    finf_status s = input_read(path, section, &t, why);
    if (s) return s;
    int indexed = t.columns == 2 && (t.rows > 1 || t.named) && (t.data[0] == 0 || t.data[0] == 1);
    for (size_t i = 0; i < t.rows && indexed; i++) indexed = t.data[2 * i] == t.data[0] + (double)i;
    if (!indexed && t.columns > 1 && t.rows > 1) {
        free(t.data);
        return finf_why(why, FINF_EPARSE,
                        "'%.120s' has %zu columns: one list of numbers is expected", path,
                        t.columns);
    }
    for (size_t i = 0; i < t.rows && indexed; i++) t.data[i] = t.data[2 * i + 1];
    *data = t.data;
    *n = indexed ? t.rows : t.rows * t.columns;
    return FINF_OK;
}
