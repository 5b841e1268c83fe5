/* Families given by pairs of numbers: blt (decay, scale), and product (nu, power).
 *
 * noise->coef has the first numbers of all n pairs, then the second ones. No two first numbers
 * are equal and no second one is 0, so that n = 0 is white noise. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "parse.h"

/* Adds the second numbers of equal first ones; returns how many pairs that leaves, in the order in
 * which the first numbers came. */
static size_t merge(const double *first, const double *second, size_t n, double *x, double *y)
{
    size_t pairs = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < pairs && x[k] != first[i]) k++;
        y[k] = k < pairs ? y[k] + second[i] : second[i];
        x[k] = first[i];
        pairs += k == pairs;
    }
    return pairs;
}

/* `most` is tested on the sums: two powers of 20 on the same nu are one of 40. The array has
 * room for all the pairs given; where fewer are left, the second numbers move up behind the
 * first. */
finf_status noise_pairs_make(const noise_family *family, const char *first_name,
                             const double *first, const char *second_name, const double *second,
                             double most, size_t n, finf_noise **out, finf_reason *why)
{
    *out = NULL;
    if (n == 0) return finf_why(why, FINF_EDOM, "%s: the list is empty", family->name);
    if (n > NOISE_PAIRS_MAX)
        return finf_why(why, FINF_EDOM, "%s of %zu terms: at most %d", family->name, n,
                        NOISE_PAIRS_MAX);
    finf_status s = noise_check_size(first_name, first, n, why);
    if (!s) s = noise_check_size(second_name, second, n, why);
    if (!s) s = noise_make(family, NULL, 2 * n, out, why);
    if (s) return s;
    double *x = (*out)->coef, *y = x + n;
    size_t pairs = merge(first, second, n, x, y), kept = 0;
    for (size_t i = 0; i < pairs && !s; i++) {
        if (!(fabs(y[i]) <= most))
            s = finf_why(why, FINF_EDOM, "%s %s at %s %s, all together: must be from -%g to %g",
                         second_name, finf_show(y[i]).s, first_name, finf_show(x[i]).s, most, most);
        if (y[i] == 0) continue;
        x[kept] = x[i];
        y[kept] = y[i];
        kept++;
    }
    if (s) {
        finf_noise_free(*out);
        *out = NULL;
        return s;
    }
    memmove(x + kept, y, kept * sizeof *y);
    (*out)->n = kept;
    return FINF_OK;
}

/* "x_1,..;y_1,..": both lists of the same length. */
finf_status noise_pairs_parse(const char *text, const char *first, const char *second,
                              const char *family, noise_pairs_fn make, finf_noise **out,
                              finf_reason *why)
{
    const char *semicolon = strchr(text, ';'), *end = text + strlen(text);
    if (!semicolon)
        return finf_why(why, FINF_EPARSE, "%s:%.60s: two lists are needed, parted by a semicolon",
                        family, text);
    double *x = NULL, *y = NULL;
    size_t n = 0, m = 0;
    finf_status s = parse_list(text, semicolon, first, &x, &n, why);
    if (!s) s = parse_list(semicolon + 1, end, second, &y, &m, why);
    if (!s && n != m)
        s = finf_why(why, FINF_EPARSE, "%s: %zu of %s but %zu of %s", family, n, first, m, second);
    if (!s) s = make(x, y, n, out, why);
    free(x);
    free(y);
    return s;
}

/* Where every term has cancelled the noise is white, and a list must not be empty. */
void noise_pairs_spell(const finf_noise *noise, noise_speller *s)
{
    if (noise->n == 0) {
        noise_spell_text(s, "sgd");
        return;
    }
    noise_spell_text(s, noise->family->name);
    noise_spell_text(s, ":");
    noise_spell_list(s, noise->coef, noise->n);
    noise_spell_text(s, ";");
    noise_spell_list(s, noise->coef + noise->n, noise->n);
}
