/* The one parser of the command line. The table in args.c is the only place where an option is
 * spelled: it feeds the parser, --help and the manual. */
#ifndef FINF_ARGS_H
#define FINF_ARGS_H

#include <stdio.h>

#include "finf.h"
#include "parse.h"

typedef enum {
    OPT_NOISE,
    OPT_ETA,
    OPT_MU,
    OPT_SPECTRUM,
    OPT_DIM,
    OPT_NORMALIZE,
    OPT_KURTOSIS,
    OPT_DIRECTIONS,
    OPT_STEPS,
    OPT_LENGTH,
    OPT_STRATEGY,
    OPT_DENSITY,
    OPT_EPSILON,
    OPT_DELTA,
    OPT_NOISE_MULTIPLIER,
    OPT_ACCOUNTING,
    OPT_KAPPA,
    OPT_SMOOTH,
    OPT_BOUND,
    OPT_CLASS,
    OPT_CONSTANTS,
    OPT_SOLVER,
    OPT_GRID,
    OPT_MULTIPLIER,
    OPT_CERTIFY,
    OPT_LOWER,
    OPT_SEED,
    OPT_SAVE,
    OPT_FORCE,
    OPT_VERBOSE,
    OPT_DECAYS,
    OPT_TABLE,
    OPT_SLOPES,
    OPT_SYSTEM,
    OPT_SHOW,
    OPT_START,
    OPT_GAMMA,
    OPT_PARTICIPATIONS,
    OPT_SEPARATION,
    OPT_OUT,
    OPT_SET,
    OPT_QUICK,
    OPT_PROBLEM,
    OPT_KNEE,
    OPT_CLIP_GRADIENTS,
    OPT_THREADS,
    OPT_RELATIVE_ERROR,
    OPT_MAX_STEPS,
    OPT_RHO,
    OPT_CLIP,
    OPT_SIGMA_SGD,
    OPT_FORMAT,
    OPT_JSON,
    OPT_OUTPUT,
    OPT_PRECISION,
    OPT_QUIET,
    OPT_HELP,
    OPT_VERSION,
    OPT_COUNT
} option_id;

typedef enum {
    CMD_GAMMA,
    CMD_MEAN,
    CMD_LINREG,
    CMD_COEF,
    CMD_PRIVACY,
    CMD_IQC,
    CMD_OPTIMIZE,
    CMD_TUNE,
    CMD_RATES,
    CMD_ERRATA,
    CMD_CURVE,
    CMD_REPRODUCE,
    CMD_SIMULATE,
    CMD_COUNT
} command_id;

typedef struct {
    const char *name, *summary, *about, *example;
    unsigned long long required; /* bits of option_id */
} command_info;

extern const command_info COMMANDS[CMD_COUNT];

typedef struct {
    command_id command;
    const char *value[OPT_COUNT]; /* NULL: not given. A flag that is given has "". */
} args;

/* argv[0] is the command's name. FINF_EUSAGE with the reason. */
finf_status args_parse(command_id command, int argc, char **argv, args *out, finf_reason *why);

int args_given(const args *a, option_id id);
/* The text given, or the default of the table (NULL if there is none). */
const char *args_text(const args *a, option_id id);
/* The command line, but for what says where and how to print. */
void args_print(const args *a, FILE *out);
/* As a finite number, nothing after it. *x is untouched when neither given nor defaulted. */
finf_status args_number(const args *a, option_id id, double *x, finf_reason *why);
/* As a whole number in [min, max]; 1e9 is one. */
finf_status args_whole(const args *a, option_id id, double min, double max, double *x,
                       finf_reason *why);
/* As a whole number of 64 bits, every one of them kept. For an option with a default. */
finf_status args_seed(const args *a, option_id id, unsigned long long *seed, finf_reason *why);
/* As one of the words in a |-separated list; *choice is its index. */
finf_status args_choice(const args *a, option_id id, const char *words, int *choice,
                        finf_reason *why);

/* A number, or FROM:TO:log|lin:COUNT. The list is owned by the caller. */
finf_status args_range(const args *a, option_id id, double **list, size_t *n, finf_reason *why);
/* NAME or NAME:n, n a whole number from 1 to max: *n = 0 for the bare `plain`. */
finf_status args_sized(const args *a, option_id id, const char *plain, const char *sized,
                       double max, size_t *n, finf_reason *why);

void args_help(command_id command, FILE *out);
void args_overview(FILE *out);
void args_manual(FILE *out); /* the man page, roff */

#endif
