/* Status codes and their texts, the making of a finf_real, numbers as text, the clock, reasons:
 * what every folder uses and no formula is in. (theory 0.4 says what value and error mean.) */
#include "base.h"

#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A row for each status, in the order of the enum: both are made from FINF_STATUS_LIST. */
static const struct {
    const char *name; /* "FINF_EDOM" */
    const char *text; /* what it means, in words */
    int code;         /* the program's exit code */
} STATUS[] = {
#define ROW(name, code, text) {#name, text, code},
    FINF_STATUS_LIST(ROW)
#undef ROW
};

/* GSL ends the program on an error, a failed allocation too, unless it is told not to. */
__attribute__((constructor)) static void spare_program(void) { gsl_set_error_handler_off(); }

/* A caller may hand over any number as a status: one that is not in the table has no row. */
static int known(finf_status s) { return (unsigned)s < FINF_STATUS_COUNT; }

const char *finf_status_name(finf_status s) { return known(s) ? STATUS[s].name : "unknown"; }
const char *finf_status_text(finf_status s) { return known(s) ? STATUS[s].text : "unknown status"; }
int finf_status_exit(finf_status s) { return known(s) ? STATUS[s].code : 5; }

finf_real finf_real_make(double value, double error, const char *method)
{
    return (finf_real){value, error, method};
}

finf_real finf_real_failed(void) { return (finf_real){NAN, INFINITY, "failed"}; }

finf_real finf_real_infinite(const char *method) { return (finf_real){INFINITY, 0, method}; }

/* 17 significant digits always read back as the same double; most numbers that a person wrote need
 * fewer, and are shown as they were written. */
finf_text finf_show(double x)
{
    finf_text t;
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(t.s, sizeof t.s, "%.*g", digits, x);
        if (strtod(t.s, NULL) == x) break;
    }
    return t;
}

/* CLOCK_MONOTONIC: setting the time of day does not move it. */
double finf_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

finf_status(finf_why)(finf_reason *why, finf_status s, const char *format, ...)
{
    if (why) {
        va_list ap;
        va_start(ap, format);
        vsnprintf(why->text, sizeof why->text, format, ap);
        va_end(ap);
    }
    return s;
}

/* rho = 1, clip norm 1, no gradient noise. */
finf_privacy_setting finf_privacy_setting_default(void) { return (finf_privacy_setting){1, 1, 0}; }
