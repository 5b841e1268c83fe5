/* Shared libraries that are loaded when they are first used, by one way to open one and one to find
 * what is in it. Whoever includes this says in a file of its own what it needs of a library. */
#ifndef FINF_LIBRARY_H
#define FINF_LIBRARY_H

#include "finf.h"

/* *library = the file `name`, looked for as the loader looks for any. Its names are kept to itself:
 * no function of the program is taken for one of them. FINF_ENOMEM: memory ran out; FINF_EUSAGE:
 * it cannot be loaded; `why` says what the loader does. */
finf_status library_open(const char *name, void **library, finf_reason *why);

/* Fills *function, which is a pointer to a function, by the one called `name`. 0: not found. */
int library_find(void *library, const char *name, void *function);

#endif
