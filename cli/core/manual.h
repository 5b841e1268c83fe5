/* --help, the man page and docs/commands.md: three prints of the same tables. */
#ifndef FINF_MANUAL_H
#define FINF_MANUAL_H

#include <stdio.h>

#include "options.h"

void manual_help(const command *c, FILE *out);
void manual_overview(command_table all, FILE *out);
void manual_roff(command_table all, FILE *out);     /* the man page */
void manual_markdown(command_table all, FILE *out); /* docs/commands.md */

#endif
