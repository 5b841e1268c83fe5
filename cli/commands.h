/* All commands. Only main knows them: what needs them below is given them. */
#ifndef FINF_COMMANDS_H
#define FINF_COMMANDS_H

#include "options.h"

extern const command *const COMMANDS[]; /* ends with NULL */

#endif
