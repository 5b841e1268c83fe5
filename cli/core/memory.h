/* A file in memory that tells when memory ran out. (glibc's open_memstream loses the text, and
 * ferror does not know.) */
#ifndef FINF_MEMORY_H
#define FINF_MEMORY_H

#include <stdio.h>

typedef struct {
    char *text; /* ends with a NUL; NULL while it is empty; owned by the caller */
    size_t size, room;
    int failed; /* after fclose: it is not whole */
} memory_file;

/* NULL: no memory. `m` stays where it is until the file is closed. */
FILE *memory_open(memory_file *m);

#endif
