/* A table of numbers, block by block. A .npy array is read by rows, also where it is stored by
 * columns: then a piece of each column at a time, for which the file must be one that can be read
 * from anywhere. Text is read line by line. */
#include "input_stream.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base.h"
#include "input.h"
#include "npy.h"

enum {
    BLOCK = 1 << 20,   /* numbers of a block, or one row if that is longer */
    ROW_MAX = 1 << 27, /* bytes of a row in the file: what never ends must not fill the memory */
};

struct input_stream {
    const char *path;
    FILE *file;
    double size;       /* bytes of the file, NaN if it is not a file */
    double *block;     /* .npy: room for `most` rows */
    npy_array array;   /* .npy, if its width is not 0 */
    char *bytes;       /* .npy: as many elements as they are in the file */
    size_t most;       /* .npy: rows of a block */
    size_t done;       /* .npy: rows read */
    input_table table; /* text: its data has the rows of a block */
    input_text text;
    char *line; /* text: the last line that was read, with a NUL, and what memory it has */
    size_t line_room;
};

static finf_status unreadable(const input_stream *s, finf_reason *why)
{
    return finf_why(why, FINF_EIO, "cannot read '%.150s': %s", s->path,
                    strerror(errno ? errno : EIO));
}

static finf_status no_memory(const input_stream *s, finf_reason *why)
{
    return finf_why(why, FINF_ENOMEM, "no memory to read '%.150s'", s->path);
}

static finf_status too_short(const input_stream *s, finf_reason *why)
{
    return finf_why(why, FINF_EPARSE, "'%.120s': truncated .npy, it ends within its %zu rows",
                    s->path, s->array.rows);
}

/* ---- .npy ------------------------------------------------------------------------------------ */

/* All of the header: `have` bytes of it are in `first` already. */
static finf_status read_header(input_stream *s, const char *first, size_t have, finf_reason *why)
{
    size_t start;
    finf_status status = npy_start(s->path, first, have, &start, why);
    if (status) return status;
    char *header = malloc(start > have ? start : have);
    if (!header) return no_memory(s, why);
    memcpy(header, first, have);
    size_t rest = start > have ? start - have : 0;
    if (fread(header + have, 1, rest, s->file) < rest)
        status = finf_why(why, FINF_EPARSE, "'%.120s': truncated .npy header", s->path);
    if (!status) status = npy_read_header(s->path, header, start, &s->array, why);
    free(header);
    return status;
}

static finf_status open_npy(input_stream *s, const char *first, size_t have, finf_reason *why)
{
    finf_status status = read_header(s, first, have, why);
    if (status) return status;
    const npy_array *a = &s->array;
    if (a->dimensions == 1)
        return finf_why(why, FINF_EPARSE,
                        "'%.120s' is a .npy array of one dimension: rows and columns are expected",
                        s->path);
    if (a->columns > ROW_MAX / a->width)
        return finf_why(why, FINF_EPARSE, "'%.120s': rows of more than %d MiB", s->path,
                        ROW_MAX >> 20);
    if (a->fortran && fseek(s->file, 0, SEEK_CUR))
        return finf_why(why, FINF_EPARSE,
                        "'%.120s' is stored by columns (Fortran order): it can be read from a file "
                        "only, not from a pipe",
                        s->path);
    /* of a file that ends too early nothing is read, and no room asked for */
    if (s->size < (double)a->start + (double)a->rows * (double)a->columns * (double)a->width)
        return too_short(s, why);
    s->most = a->columns < BLOCK ? BLOCK / a->columns : 1;
    if (s->most > a->rows) s->most = a->rows;
    s->block = malloc(s->most * a->columns * sizeof *s->block);
    s->bytes = malloc(s->most * a->columns * a->width);
    return s->block && s->bytes ? FINF_OK : no_memory(s, why);
}

static finf_status read_bytes(input_stream *s, size_t n, finf_reason *why)
{
    errno = 0;
    if (fread(s->bytes, 1, n, s->file) == n) return FINF_OK;
    return ferror(s->file) ? unreadable(s, why) : too_short(s, why);
}

/* The next `rows` of every column, one after another. */
static finf_status by_columns(input_stream *s, size_t rows, finf_reason *why)
{
    const npy_array *a = &s->array;
    double *column = malloc(rows * sizeof *column);
    finf_status status = column ? FINF_OK : no_memory(s, why);
    for (size_t k = 0; k < a->columns && !status; k++) {
        off_t at = (off_t)(a->start + (k * a->rows + s->done) * a->width);
        if (fseeko(s->file, at, SEEK_SET)) status = unreadable(s, why);
        if (!status) status = read_bytes(s, rows * a->width, why);
        if (status) break;
        npy_convert(a, s->bytes, rows, column);
        for (size_t i = 0; i < rows; i++) s->block[i * a->columns + k] = column[i];
    }
    free(column);
    return status;
}

static finf_status next_npy(input_stream *s, size_t *rows, finf_reason *why)
{
    const npy_array *a = &s->array;
    size_t left = a->rows - s->done, n = left < s->most ? left : s->most;
    finf_status status = FINF_OK;
    if (n && a->fortran)
        status = by_columns(s, n, why);
    else if (n) {
        status = read_bytes(s, n * a->columns * a->width, why);
        if (!status) npy_convert(a, s->bytes, n * a->columns, s->block);
    }
    s->done += n;
    *rows = n;
    return status;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Room for n bytes of a line. 0: no memory. */
static int grow_line(input_stream *s, size_t n)
{
    if (n <= s->line_room) return 1;
    char *line = realloc(s->line, 2 * n);
    if (!line) return 0;
    s->line = line;
    s->line_room = 2 * n;
    return 1;
}

/* The next line with its end, \n, \r\n or \r; *length = 0 at the end of the file. */
static finf_status read_line(input_stream *s, size_t *length, finf_reason *why)
{
    size_t n = 0;
    for (int c, last = 0; last != '\n' && (c = getc_unlocked(s->file)) != EOF; last = c) {
        if (last == '\r' && c != '\n') {
            ungetc(c, s->file);
            break;
        }
        if (!c) return finf_why(why, FINF_EPARSE, "'%.120s': binary, but not .npy", s->path);
        if (n == ROW_MAX)
            return finf_why(why, FINF_EPARSE, "'%.120s' line %zu: more than %d MiB", s->path,
                            s->text.line + 1, ROW_MAX >> 20);
        if (!grow_line(s, n + 2)) return no_memory(s, why);
        s->line[n++] = (char)c;
    }
    if (n) s->line[n] = '\0';
    *length = n;
    return FINF_OK;
}

/* Lines until the block is full. Where the file begins was read to look for .npy's magic, and put
 * back. */
static finf_status next_text(input_stream *s, size_t *rows, finf_reason *why)
{
    finf_status status = FINF_OK;
    size_t before = s->table.rows;
    s->text.n = 0;
    errno = 0;
    for (size_t length = 1; !status && length && s->text.n < BLOCK;) {
        status = read_line(s, &length, why);
        if (!status && length) status = input_text_lines(&s->text, s->line, why);
    }
    if (!status && ferror(s->file)) return unreadable(s, why);
    *rows = s->table.rows - before;
    if (!status && s->table.rows == 0)
        return finf_why(why, FINF_EPARSE, "'%.120s': no number in it", s->path);
    return status;
}

static finf_status open_text(input_stream *s, finf_reason *why)
{
    s->text = (input_text){.path = s->path, .active = 1, .room = 1024, .out = &s->table};
    s->table.data = malloc(s->text.room * sizeof *s->table.data);
    return s->table.data ? FINF_OK : no_memory(s, why);
}

/* ---- either ---------------------------------------------------------------------------------- */

/* The first byte of the magic is no beginning of a text. */
static finf_status open_kind(input_stream *s, finf_reason *why)
{
    char first[NPY_PREFIX];
    errno = 0;
    int c = getc(s->file);
    if (c == EOF && ferror(s->file)) return unreadable(s, why);
    if (c != EOF) ungetc(c, s->file);
    if (c != (unsigned char)NPY_MAGIC[0]) return open_text(s, why);
    size_t have = fread(first, 1, sizeof first, s->file);
    if (ferror(s->file)) return unreadable(s, why);
    if (!npy_is(first, have))
        return finf_why(why, FINF_EPARSE, "'%.120s': binary, but not .npy", s->path);
    return open_npy(s, first, have, why);
}

finf_status input_stream_open(const char *path, input_stream **out, finf_reason *why)
{
    struct stat about;
    *out = NULL;
    input_stream *s = calloc(1, sizeof *s);
    if (!s) return finf_why(why, FINF_ENOMEM, "no memory to read '%.150s'", path);
    s->path = path;
    s->file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    finf_status status = FINF_OK;
    if (!s->file)
        status = finf_why(why, FINF_EIO, "cannot open '%.150s': %s", path, strerror(errno));
    if (!status) {
        int whole = fstat(fileno(s->file), &about) == 0 && S_ISREG(about.st_mode);
        s->size = whole ? (double)about.st_size : NAN;
        status = open_kind(s, why);
    }
    if (status) {
        input_stream_close(s);
        return status;
    }
    *out = s;
    return FINF_OK;
}

void input_stream_close(input_stream *s)
{
    if (!s) return;
    if (s->file && s->file != stdin) fclose(s->file);
    free(s->block);
    free(s->bytes);
    free(s->table.data);
    free(s->line);
    free(s);
}

finf_status input_stream_next(input_stream *s, const double **block, size_t *rows, size_t *columns,
                              finf_reason *why)
{
    int npy = s->array.width != 0;
    finf_status status = npy ? next_npy(s, rows, why) : next_text(s, rows, why);
    *block = npy ? s->block : s->table.data;
    *columns = npy ? s->array.columns : s->table.columns;
    return status;
}

double input_stream_part(const input_stream *s)
{
    if (s->array.width != 0) return (double)s->done / (double)s->array.rows;
    return (double)ftello(s->file) / s->size;
}
