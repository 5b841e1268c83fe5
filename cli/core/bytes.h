/* The bytes of a file, whole. */
#ifndef FINF_BYTES_H
#define FINF_BYTES_H

#include "finf.h"

/* Reads a file, or standard input for "-"; a NUL is put behind its bytes. Owned by the caller. What
 * can be read only once (standard input, a pipe) is kept, so that every point of a table finds it.
 * FINF_EIO: it cannot be read, or has more than 2 GiB. */
finf_status bytes_read(const char *path, char **out, size_t *size, finf_reason *why);
void bytes_forget(void); /* frees what is kept, at the end */

#endif
