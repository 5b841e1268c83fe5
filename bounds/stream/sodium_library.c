/* libsodium at run time. (theory 13.6) */
#include "sodium_library.h"

#ifdef FINF_SODIUM_SONAME

#include <pthread.h>

#include "library.h"

static sodium_library the_library;
static const char *version; /* NULL: not found, or not complete */
static finf_status opened;  /* FINF_ENOMEM: that is why it was not found */

/* sodium_init also chooses the fastest ChaCha20 for the processor; it may be called twice, and says
 * 1 then. */
static void load(void)
{
    sodium_library *s = &the_library;
    int (*init)(void);
    const char *(*name)(void);
    void *library;
    opened = library_open(FINF_SODIUM_SONAME, &library, NULL);
    if (opened == FINF_OK && library_find(library, "sodium_init", &init) &&
        library_find(library, "sodium_version_string", &name) &&
        library_find(library, "crypto_stream_chacha20_ietf_xor_ic", &s->chacha20) &&
        library_find(library, "randombytes_buf", &s->random) &&
        library_find(library, "crypto_generichash", &s->hash) &&
        library_find(library, "sodium_memzero", &s->wipe) && init() >= 0)
        version = name();
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
    if (opened == FINF_ENOMEM)
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
