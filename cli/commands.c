/* The commands there are, in the order of the help: a line each. Everything else about a command is
 * in its file. */
#include "commands.h"

#define COMMAND_LIST(X)                                                                            \
    X(gamma)                                                                                       \
    X(mean)                                                                                        \
    X(linreg)                                                                                      \
    X(coef)                                                                                        \
    X(noise)                                                                                       \
    X(privacy)                                                                                     \
    X(iqc)                                                                                         \
    X(optimize)                                                                                    \
    X(tune)                                                                                        \
    X(rates)                                                                                       \
    X(errata)                                                                                      \
    X(curve)                                                                                       \
    X(design)                                                                                      \
    X(audit)                                                                                       \
    X(reproduce)                                                                                   \
    X(simulate)                                                                                    \
    X(sweep)

/* A command's table is called command_NAME; no header declares it, as only this list needs it. */
#define DECLARED(name) extern const command command_##name;
#define ENTRY(name) &command_##name,

COMMAND_LIST(DECLARED)

const command *const COMMANDS[] = {COMMAND_LIST(ENTRY) NULL};
