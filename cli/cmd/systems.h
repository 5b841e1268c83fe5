/* --system and --noise of `curve`: names, and the systems they stand for. */
#ifndef FINF_SYSTEMS_H
#define FINF_SYSTEMS_H

#include "cmd.h"

typedef struct {
    char *name;       /* as given; owned */
    size_t kind;      /* a row of the table in systems.c */
    size_t count;     /* of me:b, banded:b, banded-sqrt:b */
    double nu;        /* what nu:paper or nu:best stands for, once the system is made; else NaN */
    finf_noise *made; /* a noise that depends on nothing else: files are read once */
} system_spec;

typedef struct {
    system_spec *all;
    size_t n;
} system_list;

/* The names of a list, each checked, and nothing generated. A part that begins as a number does
 * belongs to the name before: "sgd,beta:1,-0.5" are two. n: steps. On failure too the list is to be
 * freed. */
finf_status systems_read(const char *list, size_t n, system_list *out, finf_reason *why);
/* One name more, or several: a noise as --noise has it, of which nu may be a range. */
finf_status systems_add_noise(const char *noise, size_t n, system_list *out, finf_reason *why);
void systems_free(system_list *list);

/* What a noise that depends on the problem needs. */
typedef struct {
    const problem *p; /* linear regression; NULL: prefix sums, of these participations */
    size_t k, b;
} system_problem;
finf_status system_make(system_spec *s, size_t n, const system_problem *of,
                        const finf_system_options *o, finf_system **out, finf_reason *why);

#endif
