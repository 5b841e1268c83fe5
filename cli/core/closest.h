/* "Did you mean": the known word nearest to one that is not known. */
#ifndef FINF_CLOSEST_H
#define FINF_CLOSEST_H

#include <stddef.h>

typedef struct {
    const char *word; /* what was written; the first `length` characters of it count */
    size_t length;
    char best[64];   /* the nearest known word so far; "" if none is near */
    size_t distance; /* to it */
} closest;

/* Words are near if a typing slip or two (a letter more, less, other or swapped) turn one into the
 * other. */
closest closest_to(const char *word, size_t length);
/* Offers a known word. */
void closest_try(closest *c, const char *known);
/* The same for each of the words between bars. */
void closest_try_words(closest *c, const char *words);

/* " (did you mean X?)", or "" where no word is near. */
typedef struct {
    char text[96];
} closest_text;
closest_text closest_say(const closest *c, const char *before);

#endif
