/* Reads back the JSON that finf writes: the members of an object, or the elements of an array. */
#ifndef FINF_JSON_READ_H
#define FINF_JSON_READ_H

#include <stddef.h>

#include "finf.h"

typedef enum {
    JSON_NUMBER, /* also null, which is NaN, and "inf" */
    JSON_WHOLE,  /* digits that 64 bits hold */
    JSON_BOOL,
    JSON_STRING,  /* also an array of objects of strings, such as findings: one text of it */
    JSON_NUMBERS, /* an array of numbers */
    JSON_OTHER    /* an object, or an array of other things: passed over */
} json_kind;

/* Texts and data are its own; json_free. */
typedef struct {
    char *key; /* NULL: an element of an array */
    json_kind kind;
    double number; /* JSON_BOOL: 0 or 1 */
    unsigned long long whole;
    char *text;
    double *data;
    size_t n; /* of data */
} json_item;

typedef struct {
    json_item *items;
    size_t n, room;
} json_list;

/* FINF_EPARSE: it is no JSON. *out is to be freed, also after a failure. */
finf_status json_read(const char *text, json_list *out, finf_reason *why);
void json_free(json_list *l);
/* The member of this key; NULL: there is none. */
const json_item *json_find(const json_list *l, const char *key);

#endif
