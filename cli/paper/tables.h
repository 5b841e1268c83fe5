/* The paper's tables (theory 9): for each one struct with its commands, what is made of their
 * output, and how the report shows it. */
#ifndef FINF_TABLES_H
#define FINF_TABLES_H

#include "report.h"
#include "runner.h"

enum { TABLE_LINES = 3, TABLE_VIEWS = 2, VIEW_COLUMNS = 12 };

typedef struct {
    const char *caption; /* with formulas as in markup.h */
    report_column column[VIEW_COLUMNS];
} table_view;

typedef struct {
    const char *name;              /* file name without its ending */
    const char *place;             /* where it is in the paper */
    const char *line[TABLE_LINES]; /* its commands */
    /* Fills `out` from their output; NULL: the output of the first is taken as it is. */
    void (*make)(const doc *const *from, doc *out);
    /* the tables that the report makes of the records; without any it has plots (slopes.c) */
    table_view view[TABLE_VIEWS];
} table;

enum { TABLES = 7 };
extern const table TABLE[TABLES];

/* The records of the table. Owned by the caller, also after a failure. */
finf_status table_make(const table *t, runner *r, doc **out, finf_reason *why);
void table_csv(const doc *d, FILE *out);
/* For COMMANDS.md: the commands. */
void table_section(const table *t, FILE *out);
void table_report(const table *t, const doc *d, FILE *html);
/* The commands, one a line, as a shell takes them. */
#define TABLE_COMMANDS (TABLE_LINES * RUNNER_LINE)
void table_commands(const table *t, char out[TABLE_COMMANDS]);

#endif
