#include "bytes.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base.h"

#define SIZE_LIMIT ((size_t)1 << 31) /* bytes of a file that is read at all */

/* What cannot be read again, by its name. */
typedef struct stream {
    char *path, *bytes;
    size_t size;
    struct stream *next;
} stream;

static stream *streams;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static finf_status no_memory(const char *path, finf_reason *why)
{
    return finf_why(why, FINF_ENOMEM, "no memory to read '%.150s'", path);
}

/* All that is left in an open file. */
static finf_status read_rest(FILE *f, const char *path, char **out, size_t *size, finf_reason *why)
{
    size_t room = 1 << 16, n = 0;
    char *data = malloc(room + 1);
    finf_status s = data ? FINF_OK : no_memory(path, why);
    errno = 0;
    while (!s) {
        /* a short count is the end of the file or an error, told apart by ferror below */
        n += fread(data + n, 1, room - n, f);
        if (n < room) break;
        if (room >= SIZE_LIMIT) {
            s = finf_why(why, FINF_EIO, "'%.150s' is larger than 2 GiB", path);
            break;
        }
        char *more = realloc(data, 2 * room + 1);
        if (more) data = more;
        if (!more) s = no_memory(path, why);
        room *= 2;
    }
    if (!s && ferror(f))
        s = finf_why(why, FINF_EIO, "cannot read '%.150s': %s", path,
                     strerror(errno ? errno : EIO));
    if (s) {
        free(data);
        return s;
    }
    data[n] = '\0';
    *out = data;
    *size = n;
    return FINF_OK;
}

static finf_status read_now(const char *path, char **out, size_t *size, finf_reason *why)
{
    int is_stdin = strcmp(path, "-") == 0;
    FILE *f = is_stdin ? stdin : fopen(path, "rb");
    if (!f) return finf_why(why, FINF_EIO, "cannot open '%.150s': %s", path, strerror(errno));
    finf_status s = read_rest(f, path, out, size, why);
    if (!is_stdin) fclose(f);
    return s;
}

static int is_read_once(const char *path)
{
    struct stat st;
    return strcmp(path, "-") == 0 ||
           (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

static void free_stream(stream *x)
{
    free(x->path);
    free(x->bytes);
    free(x);
}

/* The stream of this name, read now if it was not before. */
static finf_status find_stream(const char *path, const stream **out, finf_reason *why)
{
    for (*out = streams; *out; *out = (*out)->next)
        if (strcmp((*out)->path, path) == 0) return FINF_OK;
    stream *x = calloc(1, sizeof *x);
    if (!x) return no_memory(path, why);
    x->path = strdup(path);
    finf_status s = x->path ? read_now(path, &x->bytes, &x->size, why) : no_memory(path, why);
    if (s) {
        free_stream(x);
        return s;
    }
    x->next = streams;
    *out = streams = x;
    return FINF_OK;
}

finf_status bytes_read(const char *path, char **out, size_t *size, finf_reason *why)
{
    const stream *x = NULL;
    *out = NULL;
    *size = 0;
    if (!is_read_once(path)) return read_now(path, out, size, why);
    pthread_mutex_lock(&lock);
    finf_status s = find_stream(path, &x, why);
    if (!s) {
        *size = x->size;
        *out = malloc(*size + 1);
        if (*out)
            memcpy(*out, x->bytes, *size + 1);
        else
            s = no_memory(path, why);
    }
    pthread_mutex_unlock(&lock);
    return s;
}

void bytes_forget(void)
{
    while (streams) {
        stream *next = streams->next;
        free_stream(streams);
        streams = next;
    }
}
