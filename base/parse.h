/* The one parser of numbers and lists of numbers. `what` names the number in the reason. */
#ifndef FINF_PARSE_H
#define FINF_PARSE_H

#include "base.h"

/* One finite number and nothing else. */
finf_status parse_number(const char *text, const char *what, double *x, finf_reason *why);
/* The number that is all of [text, end). */
finf_status parse_part(const char *text, const char *end, const char *what, double *x,
                       finf_reason *why);
/* Numbers between commas, or all between single blanks (as cells of CSV have them), in [text, end).
 * *out is owned by the caller, also after a failure. */
finf_status parse_list(const char *text, const char *end, const char *what, double **out, size_t *n,
                       finf_reason *why);

#endif
