/* Arb and FLINT, loaded when the first certificate is asked for: they bring half a dozen libraries
 * along, whose loading would take longer than most answers. */
#ifndef FINF_ARB_LIBRARY_H
#define FINF_ARB_LIBRARY_H

/* Before any of their functions is called. 0: they are not to be found. */
int arb_library_load(void);
const char *arb_library_version(void); /* NULL: not found */
const char *arb_library_flint(void);

/* scripts/stubs.sh writes the functions that are called, each of which jumps to its place in
 * ARB_SLOTS, and their names in the same order. */
extern const char *const ARB_NAMES[]; /* NULL: the end */
extern void *ARB_SLOTS[];

#endif
