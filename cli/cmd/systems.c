/* The names that --system takes: trees, the FFT mechanism, optimal and banded factorisations
 * (theory 6), and every spelling of --noise as a Toeplitz system. Reading checks a name; making the
 * system, which may take long, comes later. */
#include "systems.h"

#include <ctype.h>
#include <stdlib.h>

/* The rows of KINDS, and TOEPLITZ for every name that is not in it. */
enum { TREE, HONAKER, FULL_HONAKER, FFT, ME, EPOCHS, BANDED, BANDED_SQRT, TOEPLITZ };

/* A name with a colon has a count behind it: of what. All others are Toeplitz noise. */
static const struct {
    const char *name, *count;
} KINDS[TOEPLITZ] = {[TREE] = {"tree", NULL},
                     [HONAKER] = {"honaker", NULL},
                     [FULL_HONAKER] = {"full-honaker", NULL},
                     [FFT] = {"fft", NULL},
                     [ME] = {"me", NULL},
                     [EPOCHS] = {"me:", "steps of an epoch"},
                     [BANDED] = {"banded:", "bands"},
                     [BANDED_SQRT] = {"banded-sqrt:", "bands"}};

/* The power p of a noise (1 - (1-nu) z)^p whose nu is auto: 1/2 for nu:auto, 1 for antipgd:auto, P
 * for power:P,auto. NaN where there is no auto. */
static double automatic_power(const char *noise)
{
    if (strcmp(noise, "nu:auto") == 0) return 0.5;
    if (strcmp(noise, "antipgd:auto") == 0) return 1;
    const char *comma = strchr(noise, ',');
    double p = NAN;
    if (strncmp(noise, "power:", 6) == 0 && comma && strcmp(comma, ",auto") == 0)
        parse_part(noise + 6, comma, "power p", &p, NULL);
    return p;
}

/* A Toeplitz system: `noise`, which is what --noise gives, or a noise by its own spelling. It is
 * made once to see whether it is one; the 0.5 stands for an auto that is not known yet, and what
 * was made with it is thrown away. */
static finf_status read_noise_name(const char *given, system_spec *s, finf_reason *why)
{
    s->noise = s->name;
    if (strcmp(s->name, "noise") == 0) {
        if (!given)
            return finf_why(why, FINF_EUSAGE, "system 'noise' is the one of --noise: give it");
        s->noise = given;
    }
    s->automatic = !isnan(automatic_power(s->noise));
    finf_status status = spec_noise(s->noise, 0.5, &s->made, why);
    if (s->automatic) {
        finf_noise_free(s->made);
        s->made = NULL;
    }
    /* a word that looks like no noise either: all names are told */
    if (status == FINF_EPARSE && s->noise == s->name && !strpbrk(s->name, ":@"))
        finf_why(why, status,
                 "system '%.60s' is not known: tree, honaker, full-honaker, fft, me, me:b, "
                 "banded:b, banded-sqrt:b, noise "
                 "(that of --noise), or a noise as --noise has it (see --help)",
                 s->name);
    return status;
}

/* What kind of system a name is, and its count b in 1..n. */
static finf_status read_name(const char *given, size_t n, system_spec *s, finf_reason *why)
{
    s->nu = NAN;
    s->kind = TOEPLITZ;
    for (size_t i = 0; i < TOEPLITZ; i++) {
        size_t length = strlen(KINDS[i].name);
        if (KINDS[i].count ? strncmp(s->name, KINDS[i].name, length) == 0
                           : strcmp(s->name, KINDS[i].name) == 0)
            s->kind = i;
    }
    if (s->kind == TOEPLITZ) return read_noise_name(given, s, why);
    const char *what = KINDS[s->kind].count;
    if (!what) return FINF_OK;
    double x = NAN;
    finf_status status = parse_number(strchr(s->name, ':') + 1, what, &x, why);
    if (!status && !(x >= 1 && x <= (double)n && x == floor(x)))
        status = finf_why(why, FINF_EDOM, "%.60s: %s must be a whole number from 1 to %zu", s->name,
                          what, n);
    if (!status) s->count = (size_t)x;
    return status;
}

/* Where the name at p ends: at a comma before another name, or at the end of the list. A part that
 * begins as a number does, or is auto, belongs to the name before it. */
static size_t name_length(const char *p)
{
    size_t length = strcspn(p, ",");
    while (p[length] == ',') {
        const char *next = p + length + 1;
        size_t part = strcspn(next, ",");
        int number = *next && (isdigit((unsigned char)*next) || strchr("+-.", *next));
        if (!number && !(part == 4 && strncmp(next, "auto", 4) == 0)) break;
        length += 1 + part;
    }
    return length;
}

finf_status systems_read(const char *list, const char *noise, size_t n, system_spec *out,
                         size_t max, size_t *count, finf_reason *why)
{
    *count = 0;
    /* p++ goes past the comma */
    for (const char *p = list;; p++) {
        size_t length = name_length(p);
        if (length == 0)
            return finf_why(why, FINF_EPARSE, "system '': a name is missing in '%.60s'", list);
        if (*count == max) return finf_why(why, FINF_EDOM, "more than %zu systems", max);
        system_spec *s = &out[*count];
        *s = (system_spec){.count = 0};
        if (length >= sizeof s->name)
            return finf_why(why, FINF_EDOM,
                            "system '%.40s..' is longer than %zu letters: give it by --noise", p,
                            sizeof s->name - 1);
        memcpy(s->name, p, length);
        finf_status status = read_name(noise, n, s, why);
        if (status) return status;
        ++*count;
        p += length;
        if (!*p) return FINF_OK;
    }
}

void systems_free(system_spec *s, size_t count)
{
    for (size_t i = 0; i < count; i++) finf_noise_free(s[i].made);
}

/* An auto is the nu that the curve's eta and mu give, or, where there is no curve, the one with the
 * least loss of prefix sums (theory 6.7). The latter is rounded to four digits, where the loss is
 * flat: what is shown is then a --noise that gives the same system. It stays in s->nu, so that
 * making the system once more, for its time, does not tune it again. */
static finf_status make_toeplitz(system_spec *s, size_t n, const system_auto *a,
                                 const finf_system_options *o, finf_system **out, finf_reason *why)
{
    if (!s->automatic) return finf_system_toeplitz(s->made, n, out, why);
    finf_noise *noise = NULL;
    finf_status status = FINF_OK;
    double power = automatic_power(s->noise);
    if (isnan(s->nu)) s->nu = a->nu;
    if (isnan(s->nu)) {
        char digits[32];
        s->nu = 1; /* power 0 is sgd, whatever nu */
        if (power > 0) status = finf_system_tune(power, n, a->k, a->b, o, &s->nu, why);
        snprintf(digits, sizeof digits, "%.4g", s->nu);
        s->nu = strtod(digits, NULL);
    }
    if (!status) status = spec_noise(s->noise, s->nu, &noise, why);
    if (!status) status = finf_system_toeplitz(noise, n, out, why);
    finf_noise_free(noise);
    return status;
}

/* The system of n steps that a name stands for. */
finf_status system_make(system_spec *s, size_t n, const system_auto *a,
                        const finf_system_options *o, finf_system **out, finf_reason *why)
{
    *out = NULL;
    switch (s->kind) {
    case TREE: return finf_system_tree(n, out, why);
    case HONAKER: return finf_system_honaker(n, out, why);
    case FULL_HONAKER: return finf_system_full_honaker(n, out, why);
    case FFT: return finf_system_fft(n, out, why);
    case ME: return finf_system_me(n, o, out, why);
    case EPOCHS: return finf_system_epochs(n, s->count, o, out, why);
    case BANDED: return finf_system_banded(n, s->count, o, out, why);
    case BANDED_SQRT: return finf_system_banded_sqrt(n, s->count, out, why);
    default: return make_toeplitz(s, n, a, o, out, why);
    }
}
