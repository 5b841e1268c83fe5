/* The part of TOML that a grid is written in: tables [[name]], keys, and values that are strings,
 * numbers, true, false, or arrays of these. */
#ifndef FINF_TOML_H
#define FINF_TOML_H

#include <stddef.h>

#include "finf.h"

typedef enum { TOML_STRING, TOML_NUMBER, TOML_TRUE, TOML_FALSE } toml_type;

typedef struct {
    toml_type type;
    char *text; /* a string without its quotes, a number as it is written, but for underscores */
} toml_value;

typedef enum { TOML_END, TOML_TABLE, TOML_KEY } toml_kind;

/* What is read, and where in it. `values` are those of the last key: one, or those of an array. */
typedef struct {
    const char *name; /* of the file, for the reason */
    const char *at;
    size_t line;
    char word[64]; /* the name of a table, or a key */
    toml_value *values;
    size_t n, room;
} toml;

/* The next table or key. FINF_EPARSE with the line. */
finf_status toml_next(toml *t, toml_kind *kind, finf_reason *why);
void toml_free(toml *t); /* its values */

#endif
