/* The jobs of a sweep: command lines, in an order that the file gives them. They are not kept as a
 * list: a grid of a million is a few texts, and job i is put together when it is asked for. */
#ifndef FINF_JOBS_H
#define FINF_JOBS_H

#include <stddef.h>

#include "args.h"

#define JOBS_MAX 10000000 /* jobs of one sweep */
#define JOB_WORDS 128     /* words of one job */

typedef struct jobs jobs;

/* Reads the text of a file: a grid in TOML (its name ends in .toml, or it begins with [) or CSV, a
 * job a line. Every command, option and range of it is checked. FINF_EUSAGE, FINF_EPARSE, FINF_EDOM
 * with the line. The text is taken: it came from malloc, and ends with a NUL. */
finf_status jobs_parse(const char *path, char *text, size_t size, command_table all, jobs **out,
                       finf_reason *why);
void jobs_free(jobs *j);

size_t jobs_count(const jobs *j);
/* The key of what a command takes without an option: `file` for FILE. 0: it takes nothing. */
int jobs_operand(const command *c, char key[64]);
/* The words of job i, the command first, which are the jobs' own; returns how many. */
int jobs_words(const jobs *j, size_t i, char *words[JOB_WORDS]);
/* Job i as it is run: its words, parsed, as with --json. */
finf_status jobs_args(const jobs *j, size_t i, args *out, finf_reason *why);

#endif
