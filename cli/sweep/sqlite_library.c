/* SQLite at run time. */
#include "sqlite_library.h"

#include "base.h"

#ifdef FINF_SQLITE_SONAME

#include <pthread.h>

#include "library.h"

static sqlite_library the_library;
static const char *version; /* NULL: not found, or not complete */
static finf_status opened;  /* FINF_ENOMEM: that is why it was not found */

static void load(void)
{
    sqlite_library *s = &the_library;
    void *library;
    opened = library_open(FINF_SQLITE_SONAME, &library, NULL);
    int whole = opened == FINF_OK;
#define FIND(name) whole = whole && library_find(library, "sqlite3_" #name, &s->name);
    SQLITE_FUNCTIONS(FIND)
#undef FIND
    if (whole) version = s->libversion();
}

const char *sqlite_library_version(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return version;
}

const sqlite_library *sqlite_get(finf_status *status, finf_reason *why)
{
    *status = FINF_OK;
    if (sqlite_library_version()) return &the_library;
    if (opened == FINF_ENOMEM)
        *status = finf_why(why, FINF_ENOMEM, "no memory to load %s", FINF_SQLITE_SONAME);
    else
        *status = finf_why(why, FINF_EUSAGE, "%s, which sweeps need, is not to be found",
                           FINF_SQLITE_SONAME);
    return NULL;
}

#else

const char *sqlite_library_version(void) { return NULL; }

#endif
