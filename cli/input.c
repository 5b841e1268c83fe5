#include "input.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"

/* ---- bytes --------------------------------------------------------------------------------------------- */

/* The whole file with a NUL behind it. */
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
        size_t got = fread(data + n, 1, room - n, f);
        n += got;
        if (n < room) break;
        char *more = realloc(data, 2 * room + 1);
        if (!more)
            s = finf_why(why, FINF_ENOMEM, "no memory to read '%.150s'", path);
        else
            data = more, room *= 2;
    }
    if (!s && ferror(f)) s = finf_why(why, FINF_EIO, "cannot read '%.150s': %s", path, strerror(errno ? errno : EIO));
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

/* ---- .npy ---------------------------------------------------------------------------------------------- */

/* The value after 'key': in the header's dict literal. */
static const char *npy_field(const char *header, const char *key)
{
    const char *p = strstr(header, key);
    p = p ? strchr(p, ':') : NULL;
    return p ? p + 1 + strspn(p + 1, " ") : NULL;
}

static int host_is_little(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

/* One element of dtype kind f or i or u and `width` bytes. */
static double npy_element(const unsigned char *p, char kind, size_t width, int swap)
{
    unsigned char b[8];
    for (size_t i = 0; i < width; i++) b[i] = p[swap ? width - 1 - i : i];
    float f;
    double d;
    int64_t i64;
    int32_t i32;
    if (kind == 'f' && width == 4) return memcpy(&f, b, 4), (double)f;
    if (kind == 'f') return memcpy(&d, b, 8), d;
    if (width == 4) return memcpy(&i32, b, 4), (double)i32;
    return memcpy(&i64, b, 8), (double)i64;
}

static finf_status read_npy(const char *path, const char *bytes, size_t size, input_table *out, finf_reason *why)
{
#define BAD(...) return finf_why(why, FINF_EPARSE, __VA_ARGS__)
    const unsigned char *u = (const unsigned char *)bytes;
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
    const char *descr = npy_field(header, "'descr'"), *order = npy_field(header, "'fortran_order'"), *shape = npy_field(header, "'shape'");
    char type[4] = "", dtype[24] = "?";
    size_t dims[2] = {1, 1};
    int count = 0, fortran = order && strncmp(order, "True", 4) == 0;
    if (descr && *descr == '\'') {
        size_t k = strcspn(descr + 1, "'");
        snprintf(dtype, sizeof dtype, "%.*s", (int)(k < 20 ? k : 20), descr + 1);
        if (k == 3) memcpy(type, descr + 1, 3);
    }
    int shape_ok = shape && *shape == '(';
    for (const char *p = shape_ok ? shape + 1 : ""; *p && *p != ')';) {
        char *end;
        unsigned long long v = strtoull(p, &end, 10);
        if (end == p || count == 2 || v > SIZE_MAX / 64) {
            shape_ok = 0;
            break;
        }
        dims[count++] = (size_t)v;
        p = end + strspn(end, ", ");
    }
    free(header);
    if (!shape_ok || count == 0) BAD("'%.120s': the .npy array must have one or two dimensions", path);
    size_t width = (size_t)(type[2] - '0');
    if (!type[0] || !strchr("<>|=", type[0]) || !strchr("fi", type[1]) || (width != 4 && width != 8))
        BAD("'%.120s': dtype '%s' is not read; save as float64, float32, int64 or int32", path, dtype);
    if (dims[1] && dims[0] > SIZE_MAX / 64 / dims[1]) BAD("'%.120s': absurd .npy shape", path);
    size_t n = dims[0] * dims[1];
    if (n == 0) BAD("'%.120s': the .npy array is empty", path);
    if ((size - prefix - length) / width < n)
        BAD("'%.120s': truncated .npy, %zu of %zu numbers are there", path, (size - prefix - length) / width, n);
    out->data = malloc(n * sizeof *out->data);
    if (!out->data) return finf_why(why, FINF_ENOMEM, "no memory for %zu numbers", n);
    out->rows = dims[0];
    out->columns = dims[1];
    int swap = (type[0] == '>' && host_is_little()) || (type[0] == '<' && !host_is_little());
    const unsigned char *p = u + prefix + length;
    for (size_t i = 0; i < n; i++) {
        size_t at = fortran ? i % dims[0] * dims[1] + i / dims[0] : i;
        out->data[at] = npy_element(p + i * width, type[1], width, swap);
    }
    return FINF_OK;
#undef BAD
}

/* ---- text and CSV -------------------------------------------------------------------------------------- */

static int is_separator(char c) { return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r'; }

/* A first line of names: no token of it is a number. */
static int is_header(const char *p, const char *end)
{
    while (p < end) {
        while (p < end && is_separator(*p)) p++;
        if (p == end) break;
        char *stop;
        strtod(p, &stop);
        if (stop != p && (stop >= end || is_separator(*stop))) return 0;
        while (p < end && !is_separator(*p)) p++;
    }
    return 1;
}

static finf_status read_text(const char *path, const char *text, size_t size, input_table *out, finf_reason *why)
{
    if (strlen(text) != size) return finf_why(why, FINF_EPARSE, "'%.120s': binary, but not .npy", path);
    size_t room = 1024, n = 0, line = 0;
    int first = 1;
    out->data = malloc(room * sizeof *out->data);
    if (!out->data) return finf_why(why, FINF_ENOMEM, "no memory");
    for (const char *p = text; *p;) {
        const char *end = p + strcspn(p, "\n");
        const char *stop = memchr(p, '#', (size_t)(end - p));
        if (!stop) stop = end;
        line++;
        size_t before = n;
        const char *q = p;
        while (q < stop && is_separator(*q)) q++;
        int blank = q == stop, skip = blank || (first && is_header(p, stop));
        if (!blank) first = 0;
        while (!skip && q < stop) {
            char *after;
            double x = strtod(q, &after);
            size_t length = 0;
            while (q + length < stop && !is_separator(q[length])) length++;
            if (after != q + length)
                return finf_why(why, FINF_EPARSE, "'%.120s' line %zu: '%.*s' is not a number", path, line, (int)(length < 40 ? length : 40), q);
            if (!isfinite(x))
                return finf_why(why, FINF_EPARSE, "'%.120s' line %zu: '%.*s' must be a finite number", path, line, (int)(length < 40 ? length : 40), q);
            if (n == room) {
                double *more = realloc(out->data, 2 * room * sizeof *more);
                if (!more) return finf_why(why, FINF_ENOMEM, "no memory for %zu numbers", n);
                out->data = more;
                room *= 2;
            }
            out->data[n++] = x;
            q = after;
            while (q < stop && is_separator(*q)) q++;
        }
        if (n > before) {
            size_t columns = n - before;
            if (out->rows && columns != out->columns)
                return finf_why(why, FINF_EPARSE, "'%.120s' line %zu: %zu numbers where the lines before have %zu", path, line, columns, out->columns);
            out->columns = columns;
            out->rows++;
        }
        p = *end ? end + 1 : end;
    }
    if (n == 0) return finf_why(why, FINF_EPARSE, "'%.120s': no number in it", path);
    return FINF_OK;
}

finf_status input_read(const char *path, input_table *out, finf_reason *why)
{
    char *bytes = NULL;
    size_t size = 0;
    *out = (input_table){0};
    finf_status s = slurp(path, &bytes, &size, why);
    if (s) return s;
    s = size >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0 ? read_npy(path, bytes, size, out, why) : read_text(path, bytes, size, out, why);
    free(bytes);
    if (s) {
        free(out->data);
        *out = (input_table){0};
    }
    return s;
}

finf_status input_list(const char *path, double **data, size_t *n, finf_reason *why)
{
    input_table t;
    finf_status s = input_read(path, &t, why);
    if (s) return s;
    *data = t.data;
    *n = t.rows * t.columns;
    if (t.columns == 1 || t.rows == 1) return FINF_OK;
    int indexed = t.columns == 2;
    for (size_t i = 0; i < t.rows && indexed; i++) indexed = t.data[2 * i] == t.data[0] + (double)i;
    if (!indexed || (t.data[0] != 0 && t.data[0] != 1)) {
        free(t.data);
        return finf_why(why, FINF_EPARSE, "'%.120s' has %zu columns: one list of numbers is expected", path, t.columns);
    }
    for (size_t i = 0; i < t.rows; i++) t.data[i] = t.data[2 * i + 1];
    *n = t.rows;
    return FINF_OK;
}
