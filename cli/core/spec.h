/* --noise and --spectrum: from their spelling to an object. */
#ifndef FINF_SPEC_H
#define FINF_SPEC_H

#include "finf.h"

/* automatic: what 'auto' stands for (eta*mu), NaN when it is not known. */
finf_status spec_noise(const char *text, double automatic, finf_noise **out, finf_reason *why);
/* The same text with a nu that is 'auto' as the number it stands for. NULL: no memory. Owned by the
 * caller. */
char *spec_resolve(const char *text, double automatic);
/* list:1,2,.. or @FILE; `what` names the numbers, and a part of the file. Owned by the caller, also
 * after a failure. */
finf_status spec_list(const char *text, const char *what, double **out, size_t *n,
                      finf_reason *why);
/* d: NaN when --dim was not given. */
finf_status spec_spectrum(const char *text, double d, finf_spectrum **out, finf_reason *why);

#endif
