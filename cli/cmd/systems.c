/* The names that --system takes: trees, the FFT mechanism, optimal and banded factorisations
 * (theory 6), and every spelling of --noise as a Toeplitz system. Reading checks a name; making the
 * system, which may take long, comes later. */
#include "systems.h"

#include <ctype.h>
#include <stdlib.h>

#include "closest.h"
#include "points.h"

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

/* What may have been meant by a name that is none. */
static closest_text closest_system(const char *name)
{
    closest near = closest_to(name, strcspn(name, ":"));
    for (size_t i = 0; i < TOEPLITZ; i++) closest_try_words(&near, KINDS[i].name);
    return closest_say(&near, "");
}

/* What kind of system a name is, and its count b in 1..n. */
static finf_status read_name(size_t n, system_spec *s, finf_reason *why)
{
    s->nu = NAN;
    s->kind = TOEPLITZ;
    for (size_t i = 0; i < TOEPLITZ; i++) {
        size_t length = strlen(KINDS[i].name);
        if (KINDS[i].count ? strncmp(s->name, KINDS[i].name, length) == 0
                           : strcmp(s->name, KINDS[i].name) == 0)
            s->kind = i;
    }
    if (s->kind == TOEPLITZ) {
        finf_status status = needs_problem(s->name) ? FINF_OK /* it is made later */
                                                    : spec_noise(s->name, &s->made, why);
        /* a word that looks like no noise either: all names are told */
        if (status == FINF_EPARSE && !strpbrk(s->name, ":@"))
            finf_why(why, status,
                     "system '%.60s' is not known%s: tree, honaker, full-honaker, fft, me, me:b, "
                     "banded:b, banded-sqrt:b, or a noise as --noise has it (see --help)",
                     s->name, closest_system(s->name).text);
        return status;
    }
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
 * begins as a number does belongs to the name before it. */
static size_t name_length(const char *p)
{
    size_t length = strcspn(p, ",");
    while (p[length] == ',') {
        const char *next = p + length + 1;
        int number = *next && (isdigit((unsigned char)*next) || strchr("+-.", *next));
        if (!number) break;
        length += 1 + strcspn(next, ",");
    }
    return length;
}

static finf_status add(const char *name, size_t n, system_list *list, finf_reason *why)
{
    system_spec *more = realloc(list->all, (list->n + 1) * sizeof *more);
    if (more) list->all = more;
    char *copy = more ? strdup(name) : NULL;
    if (!copy) return finf_why(why, FINF_ENOMEM, "no memory");
    list->all[list->n] = (system_spec){.name = copy};
    return read_name(n, &list->all[list->n++], why);
}

finf_status systems_add_noise(const char *noise, size_t n, system_list *out, finf_reason *why)
{
    char **each = NULL;
    size_t count = 0;
    finf_status s = points_noises(noise, &each, &count, why);
    for (size_t i = 0; i < count && !s; i++) s = add(each[i], n, out, why);
    points_noises_free(each, count);
    return s;
}

finf_status systems_read(const char *list, size_t n, system_list *out, finf_reason *why)
{
    /* p++ goes past the comma */
    for (const char *p = list;; p++) {
        size_t length = name_length(p);
        if (length == 0)
            return finf_why(why, FINF_EPARSE, "system '': a name is missing in '%.60s'", list);
        char *name = strndup(p, length);
        finf_status s = name ? systems_add_noise(name, n, out, why)
                             : finf_why(why, FINF_ENOMEM, "no memory");
        free(name);
        if (s) return s;
        p += length;
        if (!*p) return FINF_OK;
    }
}

void systems_free(system_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        finf_noise_free(list->all[i].made);
        free(list->all[i].name);
    }
    free(list->all);
}

/* The nu of the least loss of prefix sums (theory 6.7), to four digits, where the loss is flat:
 * what is shown is then a --noise that gives the same system. It stays in s->nu, so that making the
 * system once more, for its time, does not tune it again. */
static finf_status tune_prefix(system_spec *s, size_t n, const system_problem *of,
                               const finf_system_options *o, finf_reason *why)
{
    char digits[32];
    finf_status status = finf_system_tune(0.5, n, of->k, of->b, o, &s->nu, why);
    snprintf(digits, sizeof digits, "%.4g", s->nu);
    s->nu = status ? NAN : strtod(digits, NULL);
    return status;
}

/* With a spectrum the noise is that of linear regression, for all time. */
static finf_status make_toeplitz(system_spec *s, size_t n, const system_problem *of,
                                 const finf_system_options *o, finf_system **out, finf_reason *why)
{
    finf_noise *noise = NULL;
    finf_status status = FINF_OK;
    if (s->made) return finf_system_toeplitz(s->made, n, out, why);
    if (of->p) {
        status = noise_for(s->name, of->p, &s->made, why);
        char spelled[64];
        /* nu:paper and nu:best: the number, to be shown */
        if (!status && strcmp(s->name, "best") != 0 &&
            !finf_noise_spell(s->made, spelled, sizeof spelled))
            s->nu = strtod(spelled + 3, NULL);
        return status ? status : finf_system_toeplitz(s->made, n, out, why);
    }
    if (strcmp(s->name, "nu:best") != 0)
        return finf_why(why, FINF_EUSAGE, "%s depends on the problem: give --eta and --spectrum",
                        s->name);
    if (isnan(s->nu)) status = tune_prefix(s, n, of, o, why);
    if (!status) status = finf_noise_nu(s->nu, &noise, why);
    if (!status) status = finf_system_toeplitz(noise, n, out, why);
    finf_noise_free(noise);
    return status;
}

/* The system of n steps that a name stands for. */
finf_status system_make(system_spec *s, size_t n, const system_problem *of,
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
    default: return make_toeplitz(s, n, of, o, out, why);
    }
}
