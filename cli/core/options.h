/* The options of all commands, each spelled once (options.c), and the table a command is. Both feed
 * the parser, --help, the man page and docs/commands.md. */
#ifndef FINF_OPTIONS_H
#define FINF_OPTIONS_H

#include "doc.h"
#include "finf.h"

typedef enum {
    OPT_END, /* no option: the end of a list of them */
    OPT_NOISE,
    OPT_ETA,
    OPT_OPTIMIZER,
    OPT_AVERAGE,
    OPT_WEIGHT_DECAY,
    OPT_CONTRACTION,
    OPT_HALF_LIFE,
    OPT_FRONTIER,
    OPT_SPECTRUM,
    OPT_DIM,
    OPT_NORMALIZE,
    OPT_KURTOSIS,
    OPT_DIRECTIONS,
    OPT_STEPS,
    OPT_LENGTH,
    OPT_STRATEGY,
    OPT_DENSITY,
    OPT_NOISE_MULTIPLIER,
    OPT_ACCOUNTING,
    OPT_DESIGN,
    OPT_SIGMA,
    OPT_HORIZON,
    OPT_DTYPE,
    OPT_KEY,
    OPT_FROM,
    OPT_COORDINATES,
    OPT_STATE,
    OPT_DB,
    OPT_RESUME,
    OPT_WITHOUT,
    OPT_COEF,
    OPT_CONVENTION,
    OPT_CLAIMS,
    OPT_STRICT,
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
    OPT_FAMILY,
    OPT_WORKLOAD,
    OPT_OBJECTIVE,
    OPT_EXPORT,
    OPT_SYSTEM,
    OPT_SHOW,
    OPT_START,
    OPT_GAMMA,
    OPT_PARTICIPATIONS,
    OPT_SEPARATION,
    OPT_EPOCHS,
    OPT_OUT,
    OPT_SET,
    OPT_QUICK,
    OPT_PROBLEM,
    OPT_KNEE,
    OPT_CLIP_GRADIENTS,
    OPT_RELATIVE_ERROR,
    OPT_MAX_STEPS,
    OPT_RHO,
    OPT_EPSILON,
    OPT_DELTA,
    OPT_CLIP,
    OPT_BATCH,
    OPT_SIGMA_SGD,
    OPT_PLOT,
    OPT_FORMAT,
    OPT_JSON,
    OPT_CSV,
    OPT_OUTPUT,
    OPT_HEADER_COMMENT,
    OPT_PRECISION,
    OPT_QUIET,
    OPT_THREADS,
    OPT_PROGRESS,
    OPT_HELP,
    OPT_VERSION,
    OPT_COUNT
} option_id;

/* A default that is the library's, in place of a text of ours. */
extern const char FROM_LIBRARY[];

typedef struct {
    const char *name;     /* without the dashes */
    const char *argument; /* NULL: a flag. Words between bars: one of them */
    const int *numbers;   /* of these words, in their order; NULL: 0, 1, .. */
    const char *fallback; /* the default; NULL: none */
    const char *subject;  /* stands before the help; NULL: nothing */
    const char *help;
    option_id implies;   /* given alone it stands for that option .. */
    const char *implied; /* .. with this value; NULL: nothing */
    int repeats;         /* may be given several times: an answer for each */
    const char *key; /* may be a range or a list, an answer for each value: its key in the answer */
    int whole;       /* those values are whole numbers: within a range they are rounded */
} option_info;

/* An option as a command takes it. */
typedef struct {
    option_id id;
    int needed;           /* the command does not run without it */
    const char *help;     /* NULL: help and default are the table's */
    const char *fallback; /* with `help`: the default instead of the table's */
    const char *argument; /* NULL: the table's; else its words, the first of them the table's */
} option_use;

/* Where an option would have no effect, and so mislead, it is refused: `option` needs one of the
 * options `needs` to be given, or, with `words`, one in `needs` to be (by default or not) a list
 * with one of them (or with what begins as in `k:n`). */
typedef struct {
    option_id option;
    option_id needs[3]; /* ends with OPT_END */
    /* NULL: any value will do; why it would have no effect, for the message (NULL: it is plain) */
    const char *words, *because;
} option_rule;

/* Not misleading: these values state what holds anyway, whatever the rules say. */
typedef struct {
    option_id option;
    const char *words;
} option_truth;

typedef struct args args;

/* A command: all there is to know about it. The lists end with OPT_END. */
typedef struct {
    /* the word after finf; what it answers, in a line; the same in a few; a command line that
     * runs */
    const char *name, *summary, *about, *example;
    const char *operand;        /* what may stand behind the name, for the help; NULL: nothing */
    const option_use *options;  /* those it takes */
    const option_rule *rules;   /* NULL: none */
    const option_truth *truths; /* NULL: none */
    /* several answers as a table in text: these keys, between commas, beside those that were given
     * several values; NULL: no such table */
    const char *columns;
    const char *plot; /* the keys that --plot draws, between commas; the first may be alternatives
                         a|b; NULL: none */
    const char *plot_by; /* keys that tell its curves apart, between commas, beside the options */
    int stoppable;       /* after Ctrl-C it shows what there is */
    const option_id *ranges; /* options whose ranges the command reads itself; NULL: none */
    /* Fills the doc. FINF_ETOL: the doc holds the best value. Any other failure: nothing is printed
     * but the reason. */
    finf_status (*run)(const args *a, doc *d, finf_reason *why);
} command;

/* Every command, ended by NULL: commands.c has the one there is. */
typedef const command *const *command_table;

/* NULL if there is none of this name. */
const command *command_find(command_table all, const char *name);

/* How this command takes an option; NULL: not at all. */
const option_use *option_of_command(const command *c, option_id id);
/* The option with the help and default of this command (NULL: those of the table), the library's
 * defaults as text. */
option_info option_get(option_id id, const command *c);
/* By its name, without the dashes; OPT_END if there is none. */
option_id option_find(const char *name, size_t length);

/* ---- what several commands have in common ---------------------------------------------------- */

/* how and where to print: every command has them */
#define COMMON_OPTIONS                                                                             \
    {.id = OPT_FORMAT}, {.id = OPT_JSON}, {.id = OPT_CSV}, {.id = OPT_OUTPUT},                     \
        {.id = OPT_HEADER_COMMENT}, {.id = OPT_PRECISION}, {.id = OPT_QUIET}, {.id = OPT_HELP},    \
    {                                                                                              \
        .id = OPT_VERSION                                                                          \
    }

/* the commands that answer ranges and lists by a table */
#define TABLE_OPTIONS                                                                              \
    {.id = OPT_PLOT}, {.id = OPT_THREADS}, { .id = OPT_PROGRESS }

/* what scales the noise */
#define PRIVACY_OPTIONS                                                                            \
    {.id = OPT_RHO}, {.id = OPT_EPSILON}, {.id = OPT_DELTA}, {.id = OPT_CLIP},                     \
    {                                                                                              \
        .id = OPT_SIGMA_SGD                                                                        \
    }

/* the update rule that turns noisy gradients into iterates */
#define OPTIMIZER_OPTIONS                                                                          \
    {.id = OPT_OPTIMIZER}, {.id = OPT_AVERAGE}, { .id = OPT_WEIGHT_DECAY }

/* the problem that nu:paper, nu:best and best are for, in the commands that are about the noise
 * alone */
#define OPTIONS_FOR_BEST                                                                           \
    {.id = OPT_ETA, .help = "step size, for nu:paper, nu:best and best"},                          \
        {.id = OPT_SPECTRUM, .help = "for these: of linear regression (see SPECTRUM)"},            \
        {.id = OPT_DIM, .help = "for these: dimension of the spectrum"}, {.id = OPT_NORMALIZE},    \
        {.id = OPT_KURTOSIS}, OPTIMIZER_OPTIONS,                                                   \
    {                                                                                              \
        .id = OPT_KAPPA, .help = "for these: L/mu of the bound of iqc (neither: mean estimation)"  \
    }
/* who takes part in these steps, and how often */
#define PARTICIPATION_OPTIONS                                                                      \
    {.id = OPT_PARTICIPATIONS, .help = "with --separation: of one user, at most"},                 \
        {.id = OPT_SEPARATION},                                                                    \
    {                                                                                              \
        .id = OPT_EPOCHS                                                                           \
    }
#define PARTICIPATION_RULES                                                                        \
    {.option = OPT_PARTICIPATIONS, .needs = {OPT_STEPS}},                                          \
        {.option = OPT_SEPARATION, .needs = {OPT_STEPS}},                                          \
    {                                                                                              \
        .option = OPT_EPOCHS, .needs = { OPT_STEPS }                                               \
    }

/* the strongly convex problem */
#define CONVEX_OPTIONS                                                                             \
    {.id = OPT_SMOOTH}, {.id = OPT_BOUND}, {.id = OPT_CLASS}, {.id = OPT_CONSTANTS},               \
        {.id = OPT_SOLVER}, {.id = OPT_GRID}, {.id = OPT_MULTIPLIER}, {.id = OPT_CERTIFY},         \
        {.id = OPT_FORCE},                                                                         \
    {                                                                                              \
        .id = OPT_VERBOSE                                                                          \
    }
/* of three problems: what belongs to linear regression, and to the bound */
#define OPTION_NEEDS(id, other)                                                                    \
    {                                                                                              \
        .option = id, .needs = { other }                                                           \
    }
#define PROBLEM_RULES                                                                              \
    {.option = OPT_DIM, .needs = {OPT_SPECTRUM, OPT_KAPPA}},                                       \
        OPTION_NEEDS(OPT_NORMALIZE, OPT_SPECTRUM), OPTION_NEEDS(OPT_KURTOSIS, OPT_SPECTRUM),       \
        OPTION_NEEDS(OPT_SMOOTH, OPT_KAPPA), OPTION_NEEDS(OPT_BOUND, OPT_KAPPA),                   \
        OPTION_NEEDS(OPT_CLASS, OPT_KAPPA), OPTION_NEEDS(OPT_CONSTANTS, OPT_KAPPA),                \
        OPTION_NEEDS(OPT_SOLVER, OPT_KAPPA), OPTION_NEEDS(OPT_GRID, OPT_KAPPA),                    \
        OPTION_NEEDS(OPT_MULTIPLIER, OPT_KAPPA), OPTION_NEEDS(OPT_CERTIFY, OPT_KAPPA),             \
        OPTION_NEEDS(OPT_FORCE, OPT_KAPPA)
#define CONVEX_RULES                                                                               \
    {                                                                                              \
        .option = OPT_FORCE, .needs = {OPT_GRID, OPT_MULTIPLIER}, .words = "uniform:k|fir:T"       \
    }

#endif
