/* Noise, spectra and optimizers of random parameters, all within their domains. */
#ifndef FINF_FUZZ_DRAW_H
#define FINF_FUZZ_DRAW_H

#include <stdarg.h>

#include "fuzz.h"

static inline finf_noise *draw_noise(fuzz_bytes *b, char spelled[256])
{
    finf_noise *noise = NULL;
    finf_reason why = {""};
    size_t room = 256;
    double u = fuzz_log(b, 1e-6, 1), v = fuzz_log(b, 1e-4, 1), p = fuzz_between(b, -0.9, 0.9);
    switch (fuzz_byte(b) % 8) {
    case 0: snprintf(spelled, room, "sgd"); break;
    case 1: snprintf(spelled, room, "nu:%.17g", u); break;
    case 2: snprintf(spelled, room, "power:%.17g,%.17g", fabs(p), u); break;
    case 3: snprintf(spelled, room, "antipgd:%.17g", v); break;
    case 4: snprintf(spelled, room, "product:%.17g,%.17g;0.5,%.17g", u, v, p); break;
    case 5: snprintf(spelled, room, "blt:%.17g,%.17g;%.17g,0.01", 1 - v / 2, v / 2, v / 2); break;
    case 6: snprintf(spelled, room, "beta:1,%.17g,%.17g", -0.6 * v, p / 3); break;
    default: snprintf(spelled, room, "strategy:1,%.17g,%.17g", 0.6 * v, p / 3);
    }
    CHECK(finf_noise_parse(spelled, &noise, &why) == FINF_OK, "%s: %s", spelled, why.text);
    return noise;
}

static inline finf_spectrum *draw_spectrum(fuzz_bytes *b)
{
    finf_spectrum *s = NULL;
    finf_reason why = {""};
    double d = floor(fuzz_log(b, 1, 3000)), rate = fuzz_between(b, 0, 2.5), list[12];
    finf_status status;
    switch (fuzz_byte(b) % 5) {
    case 0: status = finf_spectrum_power(rate, d, &s, &why); break;
    case 1: status = finf_spectrum_exp(rate / 10, fmin(d, 40), &s, &why); break;
    case 2: status = finf_spectrum_flat(d, &s, &why); break;
    case 3: status = finf_spectrum_step(d, &s, &why); break;
    default:
        for (int i = 0; i < 12; i++) list[i] = fuzz_log(b, 1e-5, 1);
        status = finf_spectrum_list(list, 1 + (size_t)d % 12, &s, &why);
    }
    CHECK(status == FINF_OK, "%s", why.text);
    return s;
}

static inline finf_optimizer *draw_optimizer(fuzz_bytes *b)
{
    static const char *const RULE[] = {"sgd", "heavy-ball:0.5", "heavy-ball:0.9", "nesterov:0.7"};
    static const char *const AVERAGE[] = {"none", "none", "ema:0.8", "last:3"};
    finf_optimizer *opt = NULL;
    const char *rule = RULE[fuzz_byte(b) % 4], *average = AVERAGE[fuzz_byte(b) % 4];
    double decay = fuzz_byte(b) % 3 ? 0 : fuzz_log(b, 1e-4, 1);
    CHECK(finf_optimizer_parse(rule, average, decay, &opt, NULL) == FINF_OK, "%s", rule);
    return opt;
}

__attribute__((format(printf, 4, 5), noreturn)) static inline void
draw_fail(const char *what, finf_real x, finf_real y, const char *format, ...)
{
    va_list more;
    va_start(more, format);
    fprintf(stderr, "\n%s does not hold: %.17g +- %.3g and %.17g +- %.3g; ", what, x.value, x.error,
            y.value, y.error);
    vfprintf(stderr, format, more);
    fputc('\n', stderr);
    abort();
}

/* x <= y, but for their errors and a few roundings; a NaN was not come to. */
static inline int draw_order(finf_real x, finf_real y)
{
    return isnan(x.value) || isnan(y.value) || isinf(y.value) ||
           x.value - x.error <= y.value + y.error + 1e-14 * fabs(y.value);
}

/* The same number twice. */
static inline int draw_same(finf_real x, finf_real y)
{
    return x.value == y.value || isnan(x.value) || isnan(y.value) ||
           fabs(x.value - y.value) <= x.error + y.error + 1e-15 * fabs(y.value);
}

#define ORDER(x, y, ...)                                                                           \
    do {                                                                                           \
        if (!draw_order(x, y)) draw_fail(#x " <= " #y, x, y, __VA_ARGS__);                         \
    } while (0)
#define SAME(x, y, ...)                                                                            \
    do {                                                                                           \
        if (!draw_same(x, y)) draw_fail(#x " = " #y, x, y, __VA_ARGS__);                           \
    } while (0)

#endif
