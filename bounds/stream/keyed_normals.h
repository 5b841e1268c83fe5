/* Normals w_{t,j} that are functions of a key, the step t and the coordinate j alone. (theory 13.6)
 */
#ifndef FINF_KEYED_NORMALS_H
#define FINF_KEYED_NORMALS_H

#include "sodium_library.h"

enum {
    KEYED_KEY = 32,  /* bytes of a key */
    KEYED_BLOCK = 8, /* coordinates that one block of ChaCha20 makes */
    KEYED_TILE = 512 /* the most that are made in one call; with their states they fit in a cache */
};

/* Coordinates first .. first+n-1 of step t, of variance 1. first and n are multiples of
 * KEYED_BLOCK, n <= KEYED_TILE, first + n <= 2^64. */
void keyed_normals(const sodium_library *sodium, const unsigned char key[KEYED_KEY], uint64_t step,
                   uint64_t first, size_t n, double *out);
/* The random words below them, one for each coordinate. */
void keyed_words(const sodium_library *sodium, const unsigned char key[KEYED_KEY], uint64_t step,
                 uint64_t first, size_t n, uint64_t *out);
/* Two normals from two words: the method of Box and Muller, n words to n normals, n even and at
 * most KEYED_TILE. */
void keyed_box_muller(const uint64_t *words, size_t n, double *out);

#endif
