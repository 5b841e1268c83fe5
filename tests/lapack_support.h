/* Tests that run twice: with LAPACK where it is, and without, by what takes its place. */
#ifndef FINF_TEST_LAPACK_SUPPORT_H
#define FINF_TEST_LAPACK_SUPPORT_H

#include "lapack.h"
#include "support.h"

/* LAPACK is looked for once a process, and every test has its own: 0 with LAPACK, 1 without. */
static inline void choose(int i)
{
    if (i == 0) return;
    ck_assert_int_eq(setenv("FINF_LAPACK_LIBRARY", "", 1), 0);
    ck_assert_ptr_null(lapack_version());
}

/* How many times: once where all tests share a process. */
static inline int ways(void)
{
    const char *fork = getenv("CK_FORK");
    return fork && strcmp(fork, "no") == 0 ? 1 : 2;
}

#endif
