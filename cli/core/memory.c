/* A file in memory, on glibc's fopencookie: a stream whose writes are a function of ours. */
#define _GNU_SOURCE /* fopencookie */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

/* The stream's write function. The room doubles, so that n bytes cost O(n) copies in all. Once an
 * allocation has failed no other is tried: a text with a hole in it would be worse than none. */
static ssize_t append(void *cookie, const char *bytes, size_t n)
{
    memory_file *m = cookie;
    if (m->size + n + 1 > m->room) {
        size_t more = 2 * (m->size + n + 1);
        char *text = m->failed ? NULL : realloc(m->text, more);
        if (!text) {
            m->failed = 1;
            return 0;
        }
        m->text = text;
        m->room = more;
    }
    memcpy(m->text + m->size, bytes, n);
    m->size += n;
    m->text[m->size] = 0;
    return (ssize_t)n;
}

FILE *memory_open(memory_file *m)
{
    *m = (memory_file){0};
    return fopencookie(m, "w", (cookie_io_functions_t){.write = append});
}
