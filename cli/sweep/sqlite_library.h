/* SQLite, loaded when the first database is opened: neither finf nor its start needs it. */
#ifndef FINF_SQLITE_LIBRARY_H
#define FINF_SQLITE_LIBRARY_H

#include "finf.h"

#ifdef FINF_SQLITE_SONAME

#include <sqlite3.h>

/* What is called of it. */
#define SQLITE_FUNCTIONS(X)                                                                        \
    X(open_v2)                                                                                     \
    X(close)                                                                                       \
    X(exec)                                                                                        \
    X(prepare_v2)                                                                                  \
    X(step)                                                                                        \
    X(reset)                                                                                       \
    X(finalize)                                                                                    \
    X(bind_int64)                                                                                  \
    X(bind_double)                                                                                 \
    X(bind_text)                                                                                   \
    X(bind_null)                                                                                   \
    X(column_bytes)                                                                                \
    X(column_int64)                                                                                \
    X(column_double)                                                                               \
    X(column_text)                                                                                 \
    X(column_type)                                                                                 \
    X(errmsg)                                                                                      \
    X(errcode)                                                                                     \
    X(busy_timeout)                                                                                \
    X(libversion)

/* Its functions, each under its name without sqlite3_, with the types of its header. */
typedef struct {
#define MEMBER(name) __typeof__(sqlite3_##name) *name;
    SQLITE_FUNCTIONS(MEMBER)
#undef MEMBER
} sqlite_library;

/* The library; NULL with *status and the reason where it is not to be had. */
const sqlite_library *sqlite_get(finf_status *status, finf_reason *why);

#endif

/* Its version; NULL: not there. */
const char *sqlite_library_version(void);

#endif
