/* SQLite at run time. */
#include "sqlite_library.h"

#include "base.h"

#ifdef FINF_SQLITE_SONAME

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static sqlite_library the_library;
static const char *version; /* NULL: not found, or not complete */
static int no_memory;       /* that is why it was not found */

/* *place = the function `name`. A cast between the two kinds of pointers is not in ISO C; POSIX
 * says that they have the same representation. */
static int find(void *library, const char *name, void *place)
{
    void *symbol = dlsym(library, name);
    memcpy(place, &symbol, sizeof symbol);
    return symbol != NULL;
}

static void load(void)
{
    sqlite_library *s = &the_library;
    void *library = dlopen(FINF_SQLITE_SONAME, RTLD_LAZY | RTLD_LOCAL);
    int whole = library != NULL;
#define FIND(name) whole = whole && find(library, "sqlite3_" #name, &s->name);
    SQLITE_FUNCTIONS(FIND)
#undef FIND
    if (whole) version = s->libversion();
    /* dlopen has no other way to tell */
    const char *text = library ? NULL : dlerror();
    no_memory = text && strstr(text, "memory") != NULL;
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
    *status = no_memory ? finf_why(why, FINF_ENOMEM, "no memory to load %s", FINF_SQLITE_SONAME)
                        : finf_why(why, FINF_EUSAGE, "%s, which sweeps need, is not to be found",
                                   FINF_SQLITE_SONAME);
    return NULL;
}

#else

const char *sqlite_library_version(void) { return NULL; }

#endif
