#include "closest.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 40 /* letters of a word that is compared */

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* The number of letters to insert, delete, replace or swap with a neighbour: the usual recursion
 * over the two words' beginnings, of which three rows are kept. */
static size_t slips(const char *a, size_t n, const char *b, size_t m)
{
    size_t rows[3][LONGEST + 1];
    for (size_t j = 0; j <= m; j++) rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = rows[i % 3], *before = rows[(i + 2) % 3], *swapped = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            now[j] = least(least(before[j], now[j - 1]) + 1,
                           before[j - 1] + (size_t)(a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], swapped[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

closest closest_to(const char *word, size_t length)
{
    return (closest){.word = word,
                     .length = length,
                     .distance = length > 7   ? 3
                                 : length > 3 ? 2
                                              : 1};
}

static void try_part(closest *c, const char *known, size_t m)
{
    if (c->length > LONGEST || m > LONGEST || m == 0) return;
    size_t distance = slips(c->word, c->length, known, m);
    /* the first of several as near, and nothing that is another word altogether */
    if (distance > least(c->distance, m - 1) || (c->best[0] && distance == c->distance)) return;
    c->distance = distance;
    snprintf(c->best, sizeof c->best, "%.*s", (int)m, known);
}

void closest_try(closest *c, const char *known) { try_part(c, known, strlen(known)); }

void closest_try_words(closest *c, const char *words)
{
    for (const char *w = words; *w;) {
        size_t n = strcspn(w, "|");
        try_part(c, w, strcspn(w, ":|"));
        w += n + (w[n] == '|');
    }
}

closest_text closest_say(const closest *c, const char *before)
{
    closest_text t = {""};
    if (c->best[0]) snprintf(t.text, sizeof t.text, " (did you mean %s%s?)", before, c->best);
    return t;
}
