/* Arb and FLINT at run time. With FINF_ARB_SONAME the program is not linked with them: the stubs
 * of arb_library.h stand for their functions, and are filled here when a certificate is first
 * asked for. Without it they are linked with as usual. */
#ifndef FINF_NO_ARB

#include "arb_library.h"

#ifdef FINF_ARB_SONAME

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#include "library.h"

static void *library; /* NULL: not found */
static int complete;  /* every function that a stub jumps to was found in it */

/* All or nothing: a stub whose place is empty would jump to address 0. */
static void load(void)
{
    complete = 0;
    if (library_open(FINF_ARB_SONAME, &library, NULL) != FINF_OK) return;
    for (size_t i = 0; ARB_NAMES[i]; i++) {
        ARB_SLOTS[i] = dlsym(library, ARB_NAMES[i]); /* in what it brings along too */
        if (!ARB_SLOTS[i]) return;
    }
    complete = 1;
}

int arb_library_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return complete;
}

/* A variable of the libraries, which no stub can stand for. */
static void *find(const char *name) { return arb_library_load() ? dlsym(library, name) : NULL; }

const char *arb_library_version(void)
{
    const char *const *version = find("arb_version"); /* there a pointer .. */
    return version ? *version : NULL;
}

const char *arb_library_flint(void) { return find("flint_version"); } /* .. and here an array */

#else /* linked with: where there are no stubs for the processor, and in the tests */

#include FINF_ARB_HEADER

int arb_library_load(void) { return 1; }
const char *arb_library_version(void) { return arb_version; }
const char *arb_library_flint(void) { return flint_version; }

#endif
#else
typedef int finf_nothing_here; /* ISO C wants a declaration */
#endif
