/* What every folder shares beside the public header: filling a finf_real and a reason, numbers as
 * text, the clock, and a few constants. */
#ifndef FINF_BASE_H
#define FINF_BASE_H

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>

#include "finf.h"

#define FINF_PI 3.14159265358979323846264338327950288
#define FINF_EPS DBL_EPSILON

/* Put before a function whose loop takes most of the time: it is compiled several times, and the
 * version with the widest vectors that the processor has is taken. All give the same results,
 * because none may fuse a multiplication with an addition. For static functions only: the choice
 * between them is made by a symbol that hidden visibility does not hide. Once only with
 * FINF_COVERAGE: gcov would count the lines of the versions that are not taken. */
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__ &&                                \
    !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ && !defined FINF_COVERAGE
#define FINF_VECTOR __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FINF_VECTOR
#endif

/* A number, a bound of its absolute error, and how it was found (a string that outlives it). */
finf_real finf_real_make(double value, double error, const char *method);
/* What stands where nothing was found: NaN, with an infinite error. */
finf_real finf_real_failed(void);
/* +inf, and exactly so: a divergence is an answer, not an inaccuracy. */
finf_real finf_real_infinite(const char *method);

/* A number as a person wrote it: the fewest digits that read back the same. Use as finf_show(x).s
 * in an argument. */
typedef struct {
    char s[32];
} finf_text;
finf_text finf_show(double x);

/* Seconds on a clock that only goes forward: the difference of two calls is how long it took. */
double finf_seconds(void);

/* Writes the line into `why`, unless that is NULL, and returns `s`, so that a caller can
 * `return finf_why(why, FINF_EDOM, ...)`. */
finf_status finf_why(finf_reason *why, finf_status s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#ifdef __clang_analyzer__ /* which reads one file at a time, and is told here what comes back */
#define finf_why(why, s, ...) (finf_why(why, s, __VA_ARGS__), (s))
#endif

/* Whether the caller wants the work to stop. */
static inline int finf_cancelled(finf_cancel c) { return c.poll && c.poll(c.data); }

/* The status of two steps together, a before b. A tolerance that a did not reach (FINF_ETOL) must
 * not hide a failure of b; otherwise the first trouble is the one to report. */
static inline finf_status finf_worse(finf_status a, finf_status b)
{
    return b && (a == FINF_OK || a == FINF_ETOL) ? b : a;
}

#endif
