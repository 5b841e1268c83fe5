/* What jobs are made of, for the files that read them. */
#ifndef FINF_JOBS_ITEMS_H
#define FINF_JOBS_ITEMS_H

#include "jobs.h"

/* An option of a grid and the values that it takes. */
typedef struct {
    char *option; /* with its dashes */
    int operand;  /* the values stand without it */
    char **value; /* NULL: the option is not given. "": it is, and takes no value */
    size_t n;
    int counted; /* there are no values, only how many there would be */
} grid_axis;

/* All combinations of the values: the option that is written last changes first. */
typedef struct {
    size_t line; /* where it begins in the file */
    char *command;
    grid_axis *axes;
    size_t count; /* axes */
    size_t n;     /* jobs */
    size_t first; /* jobs of the grids before it */
    int counted;  /* its axes are */
} grid;

struct jobs {
    const char *path; /* borrowed, for the reason */
    command_table all;
    size_t n;
    grid *grids; /* of TOML; none for CSV */
    size_t count;
    char *text;    /* of CSV: the words point into it */
    char **words;  /* of all lines */
    size_t *first; /* where in words those of line i begin; one more than there are */
};

/* Fills the grids from the text. */
finf_status grid_read(jobs *j, const char *text, finf_reason *why);
void grid_free(grid *g);

/* The command of this name, if it is one for jobs. FINF_EUSAGE. */
finf_status jobs_command(const jobs *j, const char *name, size_t line, const command **out,
                         finf_reason *why);
/* Whether jobs may have this option: those that say where and how to print are not theirs. */
int jobs_may_have(option_id id);
/* Whether a word means standard input. */
int jobs_reads_stdin(const char *word);
/* Puts the line before the reason. */
finf_status jobs_at_line(const jobs *j, size_t line, finf_status s, finf_reason *why);

#endif
