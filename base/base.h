/* What every folder shares: filling a finf_real, a reason, and a few constants. */
#ifndef FINF_BASE_H
#define FINF_BASE_H

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>

#include "finf.h"

#define FINF_PI 3.14159265358979323846264338327950288
#define FINF_EPS DBL_EPSILON

/* On a loop worth it: compiled twice, the wider version taken where the processor has it. Same
 * results: no fused multiply-add. Static functions only: the choice between the two is a symbol
 * that hidden visibility does not hide. */
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__ && !defined __SANITIZE_ADDRESS__
#define FINF_VECTOR __attribute__((target_clones("avx2", "default")))
#else
#define FINF_VECTOR
#endif

finf_real finf_real_make(double value, double error, const char *method);
finf_real finf_real_failed(void);
/* +inf, and exactly so: a divergence is an answer, not an inaccuracy. */
finf_real finf_real_infinite(const char *method);

/* A number as a person wrote it: the fewest digits that read back the same. Use as finf_show(x).s
 * in an argument. */
typedef struct {
    char s[32];
} finf_text;
finf_text finf_show(double x);

/* Of a clock that only goes forward: for how long something took. */
double finf_seconds(void);

/* Writes the line and returns `s`, so that a caller can `return finf_why(why, FINF_EDOM, ...)`. */
finf_status finf_why(finf_reason *why, finf_status s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline int finf_cancelled(finf_cancel c) { return c.poll && c.poll(c.data); }

/* What two steps come to: a tolerance not reached does not hide a failure. */
static inline finf_status finf_worse(finf_status a, finf_status b)
{
    return b && (a == FINF_OK || a == FINF_ETOL) ? b : a;
}

#endif
