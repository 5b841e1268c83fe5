/* NumPy's .npy format. A file begins with a magic word, a version and the length of its header,
 * which is a Python dict as text; then come the elements. */
#include "npy.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"

#define HEADER_MAX ((size_t)1 << 20) /* bytes of a header: NumPy itself reads 10000 */

int npy_is(const char *bytes, size_t size) { return size >= 6 && memcmp(bytes, NPY_MAGIC, 6) == 0; }

/* magic (6 bytes), version (2), then the header's length: 2 bytes in version 1, 4 in 2 and 3 */
finf_status npy_start(const char *path, const char *bytes, size_t size, size_t *start,
                      finf_reason *why)
{
    const unsigned char *u = (const unsigned char *)bytes;
    size_t prefix = size > 6 && u[6] == 1 ? 10 : 12;
    if (size < prefix) return finf_why(why, FINF_EPARSE, "'%.120s': truncated .npy header", path);
    if (u[6] < 1 || u[6] > 3)
        return finf_why(why, FINF_EPARSE, "'%.120s': .npy version %d is not known (1, 2 or 3)",
                        path, u[6]);
    size_t length = u[8] | (size_t)u[9] << 8;
    if (prefix == 12) length |= (size_t)u[10] << 16 | (size_t)u[11] << 24;
    if (length > HEADER_MAX || length < NPY_PREFIX)
        return finf_why(why, FINF_EPARSE, "'%.120s': a .npy header of %zu bytes", path, length);
    *start = prefix + length;
    return FINF_OK;
}

/* Where the value of 'key' begins in the header. NULL: not there. */
static const char *field(const char *header, const char *key)
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

/* The dtype, as '<f8': byte order, kind, width. It is written to `shown`, for an error message. 0:
 * it is none that is read. */
static int read_type(const char *descr, npy_array *a, char shown[24])
{
    snprintf(shown, 24, "?");
    if (!descr || *descr != '\'') return 0;
    const char *type = descr + 1;
    size_t length = strcspn(type, "'");
    snprintf(shown, 24, "%.*s", (int)(length < 20 ? length : 20), type);
    if (length != 3 || !strchr("<>|=", type[0]) || type[2] < '1' || type[2] > '8') return 0;
    a->kind = type[1];
    a->width = (size_t)(type[2] - '0');
    a->swap = (type[0] == '>' && host_is_little()) || (type[0] == '<' && !host_is_little());
    switch (a->kind) {
    case 'f': return a->width == 4 || a->width == 8;
    case 'i':
    case 'u': return a->width == 1 || a->width == 2 || a->width == 4 || a->width == 8;
    }
    return 0;
}

/* The shape, as (3, 4) or (3,): 0 dimensions where it is another. */
static void read_shape(const char *shape, npy_array *a)
{
    size_t dims[2] = {1, 1};
    a->dimensions = 0;
    for (const char *p = shape && *shape == '(' ? shape + 1 : ""; *p && *p != ')';) {
        char *end;
        unsigned long long v = strtoull(p, &end, 10);
        if (end == p || a->dimensions == 2 || v > SIZE_MAX / 64) {
            a->dimensions = 0;
            return;
        }
        dims[a->dimensions++] = (size_t)v;
        p = end + strspn(end, ", ");
    }
    a->rows = dims[0];
    a->columns = dims[1];
}

static finf_status check(const char *path, const npy_array *a, int known, const char *type,
                         finf_reason *why)
{
#define BAD(...) return finf_why(why, FINF_EPARSE, __VA_ARGS__)
    if (a->dimensions == 0) BAD("'%.120s': the .npy array must have one or two dimensions", path);
    if (!known)
        BAD("'%.120s': dtype '%s' is not read; save as float64, float32 or an integer type", path,
            type);
    if (a->columns && a->rows > SIZE_MAX / 64 / a->columns)
        BAD("'%.120s': absurd .npy shape", path);
    if (a->rows == 0 || a->columns == 0) BAD("'%.120s': the .npy array is empty", path);
    return FINF_OK;
#undef BAD
}

finf_status npy_read_header(const char *path, const char *bytes, size_t start, npy_array *out,
                            finf_reason *why)
{
    size_t prefix = bytes[6] == 1 ? 10 : 12;
    char shown[24], *header = malloc(start - prefix + 1);
    if (!header) return finf_why(why, FINF_ENOMEM, "no memory");
    memcpy(header, bytes + prefix, start - prefix);
    header[start - prefix] = '\0';
    const char *order = field(header, "'fortran_order'");
    *out = (npy_array){.start = start, .fortran = order && strncmp(order, "True", 4) == 0};
    int known = read_type(field(header, "'descr'"), out, shown);
    read_shape(field(header, "'shape'"), out);
    free(header);
    return check(path, out, known, shown, why);
}

/* One element from its bytes, which may be in the other order. */
static double element(const npy_array *a, const unsigned char *p)
{
    unsigned char b[8];
    uint64_t bits = 0;
    float f;
    double d;
    for (size_t i = 0; i < a->width; i++) b[i] = p[a->swap ? a->width - 1 - i : i];
    if (a->kind == 'f' && a->width == 4) {
        memcpy(&f, b, 4);
        return (double)f;
    }
    if (a->kind == 'f') {
        memcpy(&d, b, 8);
        return d;
    }
    for (size_t i = 0; i < a->width; i++)
        bits |= (uint64_t)b[host_is_little() ? i : a->width - 1 - i] << (8 * i);
    uint64_t sign = (uint64_t)1 << (8 * a->width - 1);
    if (a->kind != 'i' || !(bits & sign)) return (double)bits;
    return -(double)(sign - (bits & (sign - 1))); /* two's complement */
}

/* float64 and float32 in the machine's order, as they nearly always are, go by quickly. */
void npy_convert(const npy_array *a, const char *bytes, size_t n, double *out)
{
    if (a->kind == 'f' && a->width == 8 && !a->swap) {
        memcpy(out, bytes, n * sizeof *out);
        return;
    }
    if (a->kind == 'f' && a->width == 4 && !a->swap) {
        for (size_t i = 0; i < n; i++) {
            float f;
            memcpy(&f, bytes + 4 * i, 4);
            out[i] = (double)f;
        }
        return;
    }
    for (size_t i = 0; i < n; i++) out[i] = element(a, (const unsigned char *)bytes + i * a->width);
}
