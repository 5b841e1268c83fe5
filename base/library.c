/* The dynamic loader, as the rest of the house uses it. */
#include "library.h"

#include <dlfcn.h>
#include <string.h>

#include "base.h"

finf_status library_open(const char *name, void **library, finf_reason *why)
{
    *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (*library) return FINF_OK;
    const char *text = dlerror();
    if (!text) text = name;
    /* the loader has no other way to tell */
    return finf_why(why, strstr(text, "memory") ? FINF_ENOMEM : FINF_EUSAGE, "%.200s", text);
}

/* ISO C has no cast from dlsym's pointer to a function, so its bytes are copied: POSIX says that
 * the two kinds of pointers have the same representation. */
int library_find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}
