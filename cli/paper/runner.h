/* Command lines of this program, run within it: what a figure or table shows is what its command
 * prints. */
#ifndef FINF_RUNNER_H
#define FINF_RUNNER_H

#include "cmd.h"

typedef struct runner runner;

/* all: the commands that it may run */
runner *runner_new(command_table all);
void runner_free(runner *r); /* and every doc it handed out */

/* Runs "command --option value ..", without "finf" before it, as with --format csv; the same line
 * again gives the same doc. FINF_OK also where a tolerance was not reached (the doc holds the best
 * value). FINF_ETOL: interrupted. */
finf_status runner_run(runner *r, const char *line, const doc **out, finf_reason *why);

/* Parses such a line. `words`: room for its copy, which `out` points into. */
#define RUNNER_LINE 512
finf_status runner_parse(const runner *r, const char *line, char words[RUNNER_LINE], args *out,
                         finf_reason *why);

#endif
