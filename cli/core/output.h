/* The one place that writes files: a temporary beside FILE, renamed when everything is written, so
 * that a file is there whole or not at all. */
#ifndef FINF_OUTPUT_H
#define FINF_OUTPUT_H

#include <signal.h>
#include <stdio.h>

#include "finf.h"

typedef struct {
    FILE *file;       /* to write to; NULL once it is closed */
    const char *path; /* as given, borrowed; NULL: stdout */
    char *real;       /* the file itself, links resolved; owned */
    char *temporary;  /* what is written to meanwhile; NULL: written in place (stdout, a device) */
} sink;

/* To be called once, at the start of the program: sets the handlers of signals, and opens standard
 * descriptors that were closed. 0 if even /dev/null cannot be opened. */
int sink_prepare(void);

/* Signals that would end the program wait between these two. */
void signals_hold(sigset_t *before);
void signals_release(const sigset_t *before);

/* Whether two names stand for one file, which may still have to be made. b = NULL: the file that
 * stdout goes to. */
int sink_same(const char *a, const char *b);

/* Opens stdout (path = NULL), a device, or a temporary beside the file `path`. FINF_EIO: it cannot
 * be written to. */
finf_status sink_open(const char *path, sink *out, finf_reason *why);
/* Nobody else may read the file: it holds a secret. */
void sink_private(sink *s);
/* Everything has been written, though it is not yet in its place; or FINF_EIO, and nothing is left.
 * A reader who closes a pipe early has got what he wanted: FINF_OK. */
finf_status sink_finish(sink *s, finf_reason *why);
/* The file is in its place, whole; or FINF_EIO, and what was there before still is. */
finf_status sink_close(sink *s, finf_reason *why);
/* Gives up: nothing is left behind. Also after sink_close, and on a zeroed sink. */
void sink_drop(sink *s);

#endif
