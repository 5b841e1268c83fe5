/* --noise and --spectrum: from their spelling to an object. */
#ifndef FINF_SPEC_H
#define FINF_SPEC_H

#include "finf.h"

/* A noise that does not depend on a problem: families, files, designs. What depends on one
 * (nu:best, best) is read by problem.h. */
finf_status spec_noise(const char *text, finf_noise **out, finf_reason *why);
/* Whether a word reads as a noise, right or wrong, and not as a path, which has a dot or a slash
 * before any colon. */
int spec_is_noise(const char *word);
/* Whether a comma in it is followed by the name of a noise: two noises, where one is expected. */
int spec_is_several(const char *text);
/* list:1,2,.. or @FILE; `what` names the numbers, and a part of the file. Owned by the caller, also
 * after a failure. */
finf_status spec_list(const char *text, const char *what, double **out, size_t *n,
                      finf_reason *why);
/* d: NaN when --dim was not given. */
finf_status spec_spectrum(const char *text, double d, finf_spectrum **out, finf_reason *why);

#endif
