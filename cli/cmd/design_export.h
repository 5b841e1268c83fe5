/* --export of `design`: a program that makes the noise. */
#ifndef FINF_DESIGN_EXPORT_H
#define FINF_DESIGN_EXPORT_H

#include "designs.h"

/* Whether --export may stand beside the other options. */
finf_status design_export_check(const args *a, finf_reason *why);
/* The program takes the place of what is printed. steps: of the run, 0: without a horizon; who: how
 * often a user takes part; least: no noise has a smaller loss, NaN: not known; sought: FINF_OK, or
 * FINF_ETOL where a family missed its tolerance, which is returned again. */
finf_status design_export(const args *a, const design_list *list, size_t steps,
                          const setting *privacy, const sensitivity *who, double least,
                          finf_status sought, doc *d, finf_reason *why);

#endif
