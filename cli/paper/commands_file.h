/* COMMANDS.md, which stands beside the CSV files: for each of them its first line and the commands
 * that give its numbers, for a shell. The files themselves hold nothing but their data, so that
 * every reader of CSV takes them as they are. */
#ifndef FINF_COMMANDS_FILE_H
#define FINF_COMMANDS_FILE_H

#include <stdio.h>

#define COMMANDS_FILE "COMMANDS.md"

void commands_head(const char *mark, FILE *out);

/* A section: the file's name without .csv, what it is, then (written by the caller) its first line,
 * the shell's part with commands and comments, and the end. */
void commands_begin(const char *name, const char *what, FILE *out);
void commands_shell(FILE *out);
void commands_end(FILE *out);

/* Whether the section of `file` in the COMMANDS.md that `index` reads has `header` as its first
 * line of the file. */
int commands_has(FILE *index, const char *file, const char *header);

#endif
