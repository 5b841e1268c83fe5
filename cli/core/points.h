/* A command line whose options are ranges, lists or repeated stands for several, one a point; a
 * command answers one, and here they become a table. */
#ifndef FINF_POINTS_H
#define FINF_POINTS_H

#include "args.h"
#include "doc.h"

/* What varies over the table: an option that has several values. */
typedef struct {
    option_id id;
    const char *key; /* its key in the answers */
    int numbers;     /* its values are numbers */
    size_t n;        /* values */
    int logarithmic; /* they are in equal ratios */
} points_axis;

#define POINTS_AXES 12

typedef struct {
    points_axis axis[POINTS_AXES]; /* the outermost first */
    size_t axes;
} points_shape;

/* Runs the command: once, or for every point, on several threads, and its answers as a table.
 * *shape: what varies; no axes for a single answer. The statuses are those of the command; the
 * first failure of a point is that of all, and after Ctrl-C the points that are done are there. */
finf_status points_run(const args *a, doc *d, points_shape *shape, finf_reason *why);

/* The same for a command line that stands for one answer, as one of a table has it; FINF_EUSAGE
 * where it stands for several. */
finf_status points_single(const args *a, doc *d, finf_reason *why);
finf_status points_check_single(const args *a, finf_reason *why); /* whether it does */

/* The values that the text of an option stands for: those of a range or a list where the option of
 * this command takes them, else the text itself. To be freed by points_noises_free, also after a
 * failure. */
finf_status points_values(const command *c, option_id id, const char *text, char ***out, size_t *n,
                          finf_reason *why);

/* How many these are, without making them. */
finf_status points_count(const command *c, option_id id, const char *text, size_t *n,
                         finf_reason *why);

/* The noises that one --noise stands for: one, or of a range or list of nu one each. For a command
 * that reads them itself; the list is to be freed, also after a failure. */
finf_status points_noises(const char *text, char ***out, size_t *n, finf_reason *why);
void points_noises_free(char **list, size_t n);

#endif
