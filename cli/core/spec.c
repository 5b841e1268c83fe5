/* The spellings of --noise and --spectrum. The families of noise and their syntax are the library's
 * (finf_noise_parse); what is added here are files, which the library does not read. */
#include "spec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "base.h"
#include "bytes.h"
#include "closest.h"
#include "data_spectrum.h"
#include "design_file.h"
#include "input.h"
#include "parse.h"

/* What follows `name` at the start of `text`; NULL if the text does not begin so. */
static const char *after(const char *text, const char *name)
{
    size_t n = strlen(name);
    return strncmp(text, name, n) == 0 ? text + n : NULL;
}

/* The numbers of `path` as the columns a family takes: y, and x where it takes pairs and the file
 * has them. Both are in *room, owned by the caller. */
static finf_status read_columns(const char *path, const finf_noise_form *form, double **room,
                                const double **x, const double **y, size_t *n, finf_reason *why)
{
    input_table t;
    *x = NULL;
    if (!form->pairs) {
        finf_status s = input_list(path, form->name, room, n, why);
        *y = *room;
        return s;
    }
    finf_status s = input_read(path, form->name, &t, why);
    if (s) return s;
    *n = t.rows;
    /* more columns with names: the pairs are the first two */
    if (t.columns == 2 || (t.columns > 2 && t.named)) {
        double *pairs = malloc(2 * *n * sizeof *pairs);
        for (size_t i = 0; pairs && i < *n; i++) {
            pairs[i] = t.data[t.columns * i];
            pairs[*n + i] = t.data[t.columns * i + 1];
        }
        free(t.data);
        *room = pairs;
        *x = pairs;
        *y = pairs ? pairs + *n : NULL;
        return pairs ? FINF_OK : finf_why(why, FINF_ENOMEM, "no memory");
    }
    *room = t.data;
    *y = t.data;
    if (t.columns != 1 && t.rows != 1)
        return finf_why(why, FINF_EPARSE, "'%.120s' has %zu columns: %s or one alone is expected",
                        path, t.columns, form->pairs);
    *n = t.rows * t.columns;
    return FINF_OK;
}

/* NAME@FILE: the numbers of the file as a noise of that family. Where they are pairs, what the
 * library objects to is said with the file's name. */
static finf_status noise_file(const finf_noise_form *form, const char *path, finf_noise **out,
                              finf_reason *why)
{
    double *room = NULL;
    const double *x, *y;
    size_t n = 0;
    finf_reason reason = {""};
    finf_status s = read_columns(path, form, &room, &x, &y, &n, why);
    if (!s && (s = finf_noise_from_table(form->name, x, y, n, out, &reason))) {
        if (form->pairs)
            finf_why(why, s, "'%.100s': %.140s", path, reason.text);
        else if (why)
            *why = reason;
    }
    free(room);
    return s;
}

/* 0.1 had `auto`, with several meanings; they have names now. */
static int is_auto(const char *text)
{
    size_t n = strlen(text);
    return n > 4 && strcmp(text + n - 4, "auto") == 0 && strchr(":,", text[n - 5]) &&
           !strchr(text, '@');
}

/* What may have been meant by a name that no family has. */
static void suggest_name(const char *text, size_t length, finf_reason *why)
{
    finf_noise_form form;
    closest near = closest_to(text, length);
    for (size_t i = 0; (form = finf_noise_form_get(i)).name; i++) closest_try(&near, form.name);
    closest_try(&near, "best");
    closest_try(&near, "design");
    if (near.best[0] && near.distance > 0)
        finf_why(why, FINF_OK, "noise '%.40s' is not known%s; see NOISE in --help", text,
                 closest_say(&near, "").text);
}

/* nu:best and nu:paper are words where others have numbers: what may have been meant by another. */
static void suggest_word(const char *word, finf_reason *why)
{
    closest near = closest_to(word, strlen(word));
    closest_try_words(&near, "best|paper");
    if (near.best[0])
        finf_why(why, FINF_OK, "noise 'nu:%.40s': must be a number, nu:best or nu:paper%s", word,
                 closest_say(&near, "nu:").text);
}

/* A known name with something wrong behind it has a reason of its own. */
static void suggest(const char *text, finf_reason *why)
{
    const char *word = after(text, "nu:");
    if (!why) return;
    if (word)
        suggest_word(word, why);
    else
        suggest_name(text, strcspn(text, ":@"), why);
}

/* NAME@FILE first, for the families that may come from a file; everything else is the library's to
 * parse. */
finf_status spec_noise(const char *text, finf_noise **out, finf_reason *why)
{
    finf_noise_form form;
    *out = NULL;
    for (size_t i = 0; (form = finf_noise_form_get(i)).name; i++) {
        const char *path = after(text, form.name);
        if (path && *path == '@' && form.file) return noise_file(&form, path + 1, out, why);
    }
    if (after(text, "design@")) return design_file_noise(text + strlen("design@"), out, why);
    if (is_auto(text))
        return finf_why(why, FINF_EPARSE,
                        "noise '%.60s': there is no auto; nu:paper is eta*mu, nu:best the nu that "
                        "is best for the problem",
                        text);
    finf_status s = finf_noise_parse(text, out, why);
    if (s == FINF_EPARSE) suggest(text, why);
    return s;
}

/* A text without list: begins with @, which the callers have seen to. */
finf_status spec_list(const char *text, const char *what, double **out, size_t *n, finf_reason *why)
{
    const char *rest = after(text, "list:");
    return rest ? parse_list(rest, rest + strlen(rest), what, out, n, why)
                : input_list(text + 1, what, out, n, why);
}

/* What may have been meant by a spectrum that is not known. */
static closest_text closest_spectrum(const char *text)
{
    closest near = closest_to(text, strcspn(text, ":@"));
    closest_try_words(&near, "power|exp|flat|step|list|covariance|data");
    return closest_say(&near, "");
}

/* A --dim beside a spectrum that brings its own has to agree; s is how that spectrum was read. */
static finf_status check_dim(double d, finf_status s, finf_spectrum **out, finf_reason *why)
{
    if (s || isnan(d)) return s;
    double given = finf_spectrum_describe(*out).given;
    if (d == given) return FINF_OK;
    finf_spectrum_free(*out);
    *out = NULL;
    return finf_why(why, FINF_EDOM, "dim = %s, but the spectrum has %.0f eigenvalues",
                    finf_show(d).s, given);
}

/* power:A, exp:R, flat and step need a dimension; the others bring theirs. */
finf_status spec_spectrum(const char *text, double d, finf_spectrum **out, finf_reason *why)
{
    const char *rest;
    double rate, *x = NULL;
    size_t n = 0;
    finf_status s;
    *out = NULL;
    if ((rest = after(text, "covariance@")))
        return check_dim(d, read_data_spectrum("covariance", rest, out, why), out, why);
    if ((rest = after(text, "data@")))
        return check_dim(d, read_data_spectrum("data", rest, out, why), out, why);
    if (*text == '@' || after(text, "list:")) {
        s = spec_list(text, "lambda", &x, &n, why);
        if (!s) s = finf_spectrum_list(x, n, out, why);
        free(x);
        return check_dim(d, s, out, why);
    }
    /* checked before --dim is: of a name that does not exist no dimension is missing */
    int known = strcmp(text, "flat") == 0 || strcmp(text, "step") == 0 || after(text, "power:") ||
                after(text, "exp:");
    if (!known)
        return finf_why(why, FINF_EPARSE,
                        "spectrum '%.60s' is not known%s: power:A, exp:R, flat, step, list:.., "
                        "@FILE, covariance@FILE, data@FILE",
                        text, closest_spectrum(text).text);
    if (isnan(d)) return finf_why(why, FINF_EUSAGE, "--spectrum %.60s needs --dim", text);
    if (strcmp(text, "flat") == 0) return finf_spectrum_flat(d, out, why);
    if (strcmp(text, "step") == 0) return finf_spectrum_step(d, out, why);
    rest = strchr(text, ':') + 1;
    if ((s = parse_number(rest, "decay of the spectrum", &rate, why))) return s;
    return *text == 'p' ? finf_spectrum_power(rate, d, out, why)
                        : finf_spectrum_exp(rate, d, out, why);
}

int spec_is_noise(const char *word)
{
    finf_noise *noise = NULL;
    size_t name = strcspn(word, ":@");
    if (strcmp(word, "-") == 0) return 0;
    if (word[name]) return name < strcspn(word, "/.") && name > 1;
    int known = strcmp(word, "best") == 0 || spec_noise(word, &noise, NULL) == FINF_OK;
    finf_noise_free(noise);
    return known;
}

int spec_is_several(const char *text)
{
    finf_noise_form form;
    for (const char *p = strchr(text, '@') ? NULL : strchr(text, ','); p; p = strchr(p, ',')) {
        size_t length = strcspn(++p, ",:@;");
        for (size_t i = 0; (form = finf_noise_form_get(i)).name; i++)
            if (strlen(form.name) == length && strncmp(form.name, p, length) == 0) return 1;
    }
    return 0;
}
