/* The one parser of the command line. */
#ifndef FINF_ARGS_H
#define FINF_ARGS_H

#include <stdio.h>

#include "options.h"
#include "parse.h"

#define ARGS_REPEATS 64 /* how often the options that may be repeated are given in all */

struct args {
    const command *command;
    command_table all;            /* of which it is one */
    const char *operand;          /* the word that is no option; NULL: none */
    const char *value[OPT_COUNT]; /* NULL: not given. A flag that is given has "". */
    /* every time a repeatable option was given, in their order; value[] has the first of each */
    struct {
        option_id id;
        const char *text;
    } repeated[ARGS_REPEATS];
    size_t repeats;
    int is_point; /* one of several that the command line stands for (points.h) */
};

/* The options in argv[1], .., of `c`, a command of the table. FINF_EUSAGE with the reason. */
finf_status args_parse(command_table all, const command *c, int argc, char **argv, args *out,
                       finf_reason *why);

int args_given(const args *a, option_id id);
/* The text given, or the default of the table (NULL if there is none). */
const char *args_text(const args *a, option_id id);
/* A value as the shell would take it back: quoted where that is needed. */
void args_quote(const char *text, FILE *out);
/* The command line, but for what says where and how to print. */
void args_print(const args *a, FILE *out);
/* As a finite number, nothing after it. *x is untouched when neither given nor defaulted. */
finf_status args_number(const args *a, option_id id, double *x, finf_reason *why);
/* As a whole number in [min, max]; 1e9 is one. */
finf_status args_whole(const args *a, option_id id, double min, double max, double *x,
                       finf_reason *why);
/* As a whole number of 64 bits, every one of them kept. For an option with a default. */
finf_status args_seed(const args *a, option_id id, unsigned long long *seed, finf_reason *why);
/* As one of the words of the table; *choice is the number of it. */
finf_status args_choice(const args *a, option_id id, int *choice, finf_reason *why);

/* Numbers: one, a list a,b,c, or FROM:TO:log|lin:COUNT; `name` is for the reason. *list is owned by
 * the caller, also after a failure. */
finf_status args_numbers(const char *text, const char *name, double **list, size_t *n,
                         finf_reason *why);
/* How many these are, without making the values of a range. */
finf_status args_numbers_count(const char *text, const char *name, size_t *n, finf_reason *why);
/* The value of an option so. */
finf_status args_range(const args *a, option_id id, double **list, size_t *n, finf_reason *why);
/* NAME or NAME:n, n a whole number from 1 to max: *n = 0 for the bare `plain`. */
finf_status args_sized(const args *a, option_id id, const char *plain, const char *sized,
                       double max, size_t *n, finf_reason *why);

#endif
