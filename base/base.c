#include "base.h"

#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const struct {
    const char *name, *text;
    int code;
} STATUS[] = {
#define ROW(name, code, text) {#name, text, code},
    FINF_STATUS_LIST(ROW)
#undef ROW
};

/* GSL ends the program on an error, a failed allocation too, unless it is told not to. */
__attribute__((constructor)) static void spare_program(void) { gsl_set_error_handler_off(); }

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

finf_text finf_show(double x)
{
    finf_text t;
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(t.s, sizeof t.s, "%.*g", digits, x);
        if (strtod(t.s, NULL) == x) break;
    }
    return t;
}

double finf_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

finf_status finf_why(finf_reason *why, finf_status s, const char *format, ...)
{
    if (why) {
        va_list ap;
        va_start(ap, format);
        vsnprintf(why->text, sizeof why->text, format, ap);
        va_end(ap);
    }
    return s;
}

finf_privacy_setting finf_privacy_setting_default(void) { return (finf_privacy_setting){1, 1, 0}; }
