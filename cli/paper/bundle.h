/* Several files made in memory and put into a directory together: all of them, or none. That is
 * what `finf reproduce` promises of its --out. */
#ifndef FINF_BUNDLE_H
#define FINF_BUNDLE_H

#include <stdio.h>

#include "finf.h"
#include "memory.h"

#define BUNDLE_FILES 64
/* Stands in the first lines of every file but the CSV, and says later that the file is ours to
 * replace. A CSV file is ours if COMMANDS.md, with the mark, names it with its first line. */
#define BUNDLE_MARK "finf reproduce"

typedef struct {
    struct bundle_file {
        char name[64];
        FILE *stream;       /* to write to; NULL once it is closed */
        memory_file memory; /* what was written */
    } file[BUNDLE_FILES];
    size_t n; /* files so far */
} bundle;

/* A file to be written to, NULL when there is no memory. It is closed by bundle_install. */
FILE *bundle_add(bundle *b, const char *name, const char *ending);
/* Writes the first line of what was written to the file `stream` so far. */
void bundle_first_line(const bundle *b, FILE *stream, FILE *out);
void bundle_free(bundle *b);

/* Whether the bundle may go to `dir`: FINF_EIO with the reason if not. A `dir` that is there
 * already needs `force`; then only files that are ours are replaced, and nothing else in it is
 * touched. If something else stands in a file's place, the answer is no. */
finf_status bundle_check(const bundle *b, const char *dir, int force, finf_reason *why);
/* Checks the same once more, then does it. After a failure everything is as it was before. Signals
 * that would end the program wait meanwhile. */
finf_status bundle_install(bundle *b, const char *dir, int force, finf_reason *why);

#endif
