/* The dynamic loader, as the rest of the house uses it. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "library.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "base.h"

/* Whether this part of the process names a loader. */
static int names_loader(struct dl_phdr_info *part, size_t size, void *ctx)
{
    (void)size;
    (void)ctx;
    for (int i = 0; i < part->dlpi_phnum; i++)
        if (part->dlpi_phdr[i].p_type == PT_INTERP) return 1;
    return 0;
}

/* A program that was linked with -static has no loader. dlopen would bring a second C library into
 * it, and what is loaded then may crash. */
finf_status library_open(const char *name, void **library, finf_reason *why)
{
    *library = NULL;
    if (!dl_iterate_phdr(names_loader, NULL))
        return finf_why(why, FINF_EUSAGE, "a static program does not load '%.150s'", name);
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
