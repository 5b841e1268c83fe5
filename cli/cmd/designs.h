/* --family of `design`: names, and what is found for each. */
#ifndef FINF_DESIGNS_H
#define FINF_DESIGNS_H

#include "cmd.h"

typedef enum {
    DESIGN_DENSE,
    DESIGN_TOEPLITZ,
    DESIGN_BANDED,
    DESIGN_BLT,
    DESIGN_SCALED,
    DESIGN_NU,
    DESIGN_POWER,
    DESIGN_ME,
    DESIGN_NOISE /* one that is given */
} design_kind;

typedef struct {
    char *name; /* as given; owned */
    design_kind kind;
    size_t bands;      /* of banded:b */
    size_t buffers;    /* of blt:k and scaled:k */
    finf_noise *given; /* of DESIGN_NOISE */
    int done;          /* the result is there */
    finf_status status;
    finf_design_result r;
    finf_blt_fit fit; /* of blt:k */
} design_row;

typedef struct {
    design_row *all;
    size_t n;
} design_list;

/* The names of a list, each checked, and nothing searched; steps = 0: without a horizon. A part
 * that begins as a number does belongs to the name before. On failure too the list is to be freed.
 */
finf_status designs_read(const char *list, size_t steps, const problem *p, design_list *out,
                         finf_reason *why);
void designs_free(design_list *list);

/* The result of one family in a run of so many steps, in epochs of `epoch` steps (0: one
 * participation), or without a horizon: of F_inf. */
finf_status design_run(design_row *row, const finf_design *run, size_t steps, size_t epoch,
                       const finf_system_options *stop);
/* design_stationary.c: or of the bound of every convex F. */
finf_status design_stationary(design_row *row, const problem *p);

/* What --save writes: see design_file.h. */
finf_status design_save(const args *a, const design_row *row, const finf_privacy_setting *privacy,
                        size_t steps, doc *d, finf_reason *why);

#endif
