/* The one place that writes files: a temporary beside FILE, renamed when everything is written. */
#ifndef FINF_OUTPUT_H
#define FINF_OUTPUT_H

#include <signal.h>
#include <stdio.h>

#include "finf.h"

typedef struct {
    FILE *file;
    const char *path; /* as given, borrowed; NULL: stdout */
    char *real;       /* links resolved; owned */
    char *temporary;  /* NULL: written in place (stdout, a device) */
} sink;

/* Once, at the start: signals, and descriptors that were closed. 0 if even /dev/null cannot be
 * opened. */
int sink_prepare(void);

/* Signals that would end the program wait between these two. */
void signals_hold(sigset_t *before);
void signals_release(const sigset_t *before);

/* Whether two names stand for one file, which may still have to be made. b = NULL: the file that
 * stdout goes to. */
int sink_same(const char *a, const char *b);

finf_status sink_open(const char *path, sink *out, finf_reason *why);
/* Everything is written, and not yet in its place; or an error, and nothing is left. Whoever closes
 * a pipe early has got what he wanted: FINF_OK. */
finf_status sink_finish(sink *s, finf_reason *why);
/* The file is there, whole; or an error, and it is not. */
finf_status sink_close(sink *s, finf_reason *why);
/* Nothing is left behind. Also after sink_close, and on a zeroed sink. */
void sink_drop(sink *s);

#endif
