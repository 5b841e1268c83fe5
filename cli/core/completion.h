/* What a shell needs to complete a command line of finf: written from the same tables as --help. */
#ifndef FINF_COMPLETION_H
#define FINF_COMPLETION_H

#include <stdio.h>

#include "options.h"

void completion_bash(command_table all, FILE *out);
void completion_zsh(command_table all, FILE *out);

#endif
