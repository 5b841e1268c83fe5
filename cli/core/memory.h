/* A file in memory that tells when memory ran out. (glibc's open_memstream loses the text, and
 * ferror does not know.) */
#ifndef FINF_MEMORY_H
#define FINF_MEMORY_H

#include <stdio.h>

typedef struct {
    char *text;  /* ends with a NUL; NULL while it is empty; owned by the caller */
    size_t size; /* bytes written, the NUL not counted */
    size_t room; /* bytes allocated */
    int failed;  /* after fclose: memory ran out, and the text is not whole */
} memory_file;

/* A stream that writes into `m`, or NULL without memory. `m` must stay where it is until the stream
 * is closed. */
FILE *memory_open(memory_file *m);

#endif
