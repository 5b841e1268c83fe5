/* libsodium at run time. (theory 13.6) */
#include "sodium_library.h"

#ifdef FINF_SODIUM_SONAME

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static sodium_library the_library;
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

/* sodium_init also chooses the fastest ChaCha20 for the processor; it may be called twice, and says
 * 1 then. */
static void load(void)
{
    sodium_library *s = &the_library;
    int (*init)(void);
    const char *(*name)(void);
    void *library = dlopen(FINF_SODIUM_SONAME, RTLD_LAZY | RTLD_LOCAL);
    if (library && find(library, "sodium_init", &init) &&
        find(library, "sodium_version_string", &name) &&
        find(library, "crypto_stream_chacha20_ietf_xor_ic", &s->chacha20) &&
        find(library, "randombytes_buf", &s->random) &&
        find(library, "crypto_generichash", &s->hash) &&
        find(library, "sodium_memzero", &s->wipe) && init() >= 0)
        version = name();
    /* dlopen has no other way to tell */
    const char *text = library ? NULL : dlerror();
    no_memory = text && strstr(text, "memory") != NULL;
}

const char *sodium_library_version(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return version;
}

const sodium_library *sodium_get(finf_status *status, finf_reason *why)
{
    *status = FINF_OK;
    if (sodium_library_version()) return &the_library;
    if (no_memory)
        *status = finf_why(why, FINF_ENOMEM, "no memory to load %s", FINF_SODIUM_SONAME);
    else
        *status = finf_why(why, FINF_EUSAGE, "%s, which streams need, is not to be found",
                           FINF_SODIUM_SONAME);
    return NULL;
}

#else

const char *sodium_library_version(void) { return NULL; }

const sodium_library *sodium_get(finf_status *status, finf_reason *why)
{
    *status = finf_why(why, FINF_EUSAGE, "finf was built without libsodium, which streams need");
    return NULL;
}

#endif
