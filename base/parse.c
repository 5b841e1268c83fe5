/* Numbers as a person writes them: all of the text, nothing cut and nothing left over.
 *
 * strtod reads more than that: it skips blanks at the beginning, stops where the number ends,
 * and takes inf and nan. All three are refused here. */
#include "parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FINF_EPARSE for anything but one finite number; "1e999" is infinite, and so refused. */
finf_status parse_number(const char *text, const char *what, double *x, finf_reason *why)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || isspace((unsigned char)*text) || *end)
        return finf_why(why, FINF_EPARSE, "%s = '%.80s': not a number", what, text);
    if (!isfinite(value))
        return finf_why(why, FINF_EPARSE, "%s = '%.80s': must be a finite number", what, text);
    *x = value;
    return FINF_OK;
}

/* A copy, as strtod would read on beyond `end`. */
finf_status parse_part(const char *text, const char *end, const char *what, double *x,
                       finf_reason *why)
{
    char *word = strndup(text, (size_t)(end - text));
    if (!word) return finf_why(why, FINF_ENOMEM, "no memory");
    finf_status s = parse_number(word, what, x, why);
    free(word);
    return s;
}

/* Where the number at p ends: at a separator, or at `end`. */
static const char *number_end(const char *p, const char *end, int separator)
{
    const char *stop = memchr(p, separator, (size_t)(end - p));
    return stop ? stop : end;
}

/* Separators are counted for the room: commas, or blanks where there is no comma. A reason names
 * the number that is wrong: "beta[3]". */
finf_status parse_list(const char *text, const char *end, const char *what, double **out, size_t *n,
                       finf_reason *why)
{
    size_t room = 1;
    int separator = memchr(text, ',', (size_t)(end - text)) ? ',' : ' ';
    for (const char *p = text; p < end; p++) room += *p == separator;
    *out = malloc(room * sizeof **out);
    if (!*out) return finf_why(why, FINF_ENOMEM, "no memory");
    *n = 0;
    if (text == end) return finf_why(why, FINF_EPARSE, "%s: the list is empty", what);
    for (const char *p = text; p <= end;) {
        const char *stop = number_end(p, end, separator);
        char name[48];
        snprintf(name, sizeof name, "%s[%zu]", what, *n);
        if (stop == p)
            return finf_why(why, FINF_EPARSE,
                            "%s: nothing between two commas, or a comma at the end", name);
        finf_status s = parse_part(p, stop, name, &(*out)[*n], why);
        if (s) return s;
        ++*n;
        p = stop + 1;
    }
    return FINF_OK;
}
