/* The one place that writes files: a temporary beside FILE, renamed when everything is written. */
#ifndef FINF_OUTPUT_H
#define FINF_OUTPUT_H

#include <stdio.h>

#include "finf.h"

typedef struct {
    FILE *file;
    const char *path; /* NULL: stdout */
    char *real;       /* links resolved; owned */
    char *temporary;  /* NULL: written in place (stdout, a device) */
} sink;

/* Once, at the start: signals, and descriptors that were closed. 0 if even /dev/null cannot be opened. */
int sink_prepare(void);

finf_status sink_open(const char *path, sink *out, finf_reason *why);
/* The file is there, whole; or an error, and it is not. */
finf_status sink_close(sink *s, finf_reason *why);
/* Nothing is left behind. Also after sink_close, and on a zeroed sink. */
void sink_drop(sink *s);

#endif
