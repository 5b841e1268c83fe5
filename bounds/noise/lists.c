/* Families given by a list of coefficients x_0..x_{n-1}: beta and bisr, where it is the noise's
 * own beta, and strategy, where it is c = 1/beta.
 *
 * noise->coef has the list and noise->own, where the list is long, a table of X(w) = sum x_t
 * e^{-iwt} (theory 1.3). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "parse.h"

#define TABLE_MIN ((size_t)512)     /* from here on X(w) is interpolated in a table .. */
#define TABLE_MAX ((size_t)1 << 23) /* .. that fits in memory */

/* x_0 != 0, or 1/X would be no power series. Zeros at the end are dropped, because schur_test
 * needs the true degree. */
finf_status noise_list_make(const noise_family *family, const char *what, const double *x, size_t n,
                            finf_noise **out, finf_reason *why)
{
    *out = NULL;
    if (n == 0)
        return finf_why(why, FINF_EDOM, "%s is empty: at least one coefficient is needed", what);
    finf_status s = noise_check_size(what, x, n, why);
    if (s) return s;
    if (!(fabs(x[0]) >= BOUNDS_TINY))
        return finf_why(why, FINF_EDOM,
                        "%s[0] = %s: the first coefficient must not be zero (at least 1e-50)", what,
                        finf_show(x[0]).s);
    while (n > 1 && x[n - 1] == 0) n--;
    s = noise_make(family, x, n, out, why);
    if (s || n < TABLE_MIN || n > TABLE_MAX) return s;
    response_table *table = NULL;
    s = response_table_make(x, n, &table);
    (*out)->own = table;
    if (!s) return FINF_OK;
    finf_noise_free(*out);
    *out = NULL;
    return finf_why(why, s, "no memory for %zu coefficients", n);
}

finf_status noise_list_parse(const char *text, const char *what,
                             finf_status (*make)(const double *, size_t, finf_noise **,
                                                 finf_reason *),
                             finf_noise **out, finf_reason *why)
{
    double *x = NULL;
    size_t n = 0;
    finf_status s = parse_list(text, text + strlen(text), what, &x, &n, why);
    if (!s) s = make(x, n, out, why);
    free(x);
    return s;
}

void noise_list_spell(const finf_noise *noise, noise_speller *s)
{
    noise_spell_text(s, noise->family->name);
    noise_spell_text(s, ":");
    noise_spell_list(s, noise->coef, noise->n);
}

void noise_list_release(finf_noise *noise) { response_table_free(noise->own); }

void noise_list_padded(const finf_noise *noise, size_t n, double *out)
{
    for (size_t t = 0; t < n; t++) out[t] = t < noise->n ? noise->coef[t] : 0;
}

/* Horner's rule, or 16 entries of the table however long the list. */
double complex noise_list_at(const finf_noise *noise, double w)
{
    if (noise->own) return response_table_at(noise->own, w);
    double complex z = cexp(-I * w), sum = 0;
    for (size_t t = noise->n; t-- > 0;) sum = sum * z + noise->coef[t];
    return sum;
}

/* A polynomial of degree n - 1 does not vary on less than about 1/n. */
double noise_list_scale(const finf_noise *noise) { return fmin(1, 1 / (double)noise->n); }

size_t noise_list_taps(const finf_noise *noise) { return noise->n; }

/* O(n log n) however long the list; FINF_EDOM: the block is too short for it. */
finf_status noise_list_transform(const finf_noise *noise, size_t n, double *room, double complex *X)
{
    (void)room;
    return 4 * noise->n <= n ? series_transform(noise->coef, noise->n, n, X) : FINF_EDOM;
}
