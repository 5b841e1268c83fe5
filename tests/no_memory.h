/* Allocations that fail: a call must then end with its status and NaN, or give the number it always
 * gives. Needs glibc, whose malloc a program may replace; elsewhere, and under tools that replace
 * it themselves, none ever fails. */
#ifndef FINF_TEST_NO_MEMORY_H
#define FINF_TEST_NO_MEMORY_H

#include <stdlib.h>

/* k: the k-th from now on and all after it fail; -1: none does */
static long allocations_left = -1;

#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static int allocation_fails(void)
{
    if (allocations_left > 0) allocations_left--;
    return allocations_left == 0;
}

void *malloc(size_t n) { return allocation_fails() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return allocation_fails() ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { return allocation_fails() ? NULL : __libc_realloc(p, n); }
#endif

#endif
