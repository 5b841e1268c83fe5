/* What a database has, as a document: the table of its jobs, and how far they are. */
#ifndef FINF_TABLE_H
#define FINF_TABLE_H

#include "store.h"

/* A row for each job that is done, in their order: its arguments, the keys of its answer, status,
 * reason and seconds; without the columns of the list `without` (NULL: with all). plot: it is to be
 * drawn. FINF_ETOL: some jobs are not done. FINF_EUSAGE: a column to be left out is not there, or
 * there is nothing to draw. */
finf_status table_export(store *s, command_table all, const char *without, int plot, doc *d,
                         finf_reason *why);
/* How many jobs there are, are done, ended with which status. run: those of this start; (size_t)-1:
 * not told. *unsettled: those to be tried again. */
finf_status table_status(store *s, size_t run, doc *d, finf_reason *why);

#endif
