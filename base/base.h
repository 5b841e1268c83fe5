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

finf_real finf_real_make(double value, double error, const char *method);
finf_real finf_real_failed(void);
/* +inf, and exactly so: a divergence is an answer, not an inaccuracy. */
finf_real finf_real_infinite(const char *method);

/* Writes the line and returns `s`, so that a caller can `return finf_why(why, FINF_EDOM, ...)`. */
finf_status finf_why(finf_reason *why, finf_status s, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
