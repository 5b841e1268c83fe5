/* --system: a list of names, and the systems they stand for. */
#ifndef FINF_SYSTEMS_H
#define FINF_SYSTEMS_H

#include "cmd.h"

typedef struct {
    char name[256]; /* as given */
    /* the spelling of a Toeplitz one: the name, or what --noise says; NULL for the others */
    const char *noise;
    size_t kind;      /* a row of the table in systems.c */
    size_t count;     /* of me:b, banded:b, banded-sqrt:b */
    int automatic;    /* the noise has an 'auto' in it */
    double nu;        /* what it stands for, once the system is made; else NaN */
    finf_noise *made; /* the noise, unless it waits for the value of auto: files are read once */
} system_spec;

/* Every name is checked, and nothing generated. A part that begins as a number does, or is 'auto',
 * belongs to the name before: "sgd,beta:1,-0.5" are two. noise: what --noise says, or NULL.
 * FINF_EDOM: more than max. After a failure too, *count of them are to be freed. */
finf_status systems_read(const char *list, const char *noise, size_t n, system_spec *out,
                         size_t max, size_t *count, finf_reason *why);

void systems_free(system_spec *s, size_t count);

/* What 'auto' needs: nu itself, or the participations that it is tuned for. */
typedef struct {
    double nu; /* NaN: the least prefix-sum loss, to four digits */
    size_t k, b;
} system_auto;
finf_status system_make(system_spec *s, size_t n, const system_auto *a,
                        const finf_system_options *o, finf_system **out, finf_reason *why);

#endif
