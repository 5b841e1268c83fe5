/* finf curve: what was asked for and found, in cmd_curve.c, and how it is shown, in curve_show.c.
 */
#ifndef FINF_CURVE_SHOW_H
#define FINF_CURVE_SHOW_H

#include "cmd.h"
#include "systems.h"

typedef struct {
    finf_system *system;
    finf_system_facts facts; /* its sensitivity, error, loss and costs */
    finf_curve_result curve; /* with H only */
    finf_participation many; /* its sensitivity to several participations, if asked for */
    double seconds;          /* that it took */
    const char *timed;       /* to do what */
    int drawn;               /* its noise, too */
} curve_entry;

typedef struct {
    const args *a;
    size_t n;             /* steps */
    system_list systems;  /* what was asked for, by name */
    curve_entry *entries; /* what was made of each */
    problem p;            /* linear regression; without H there is no curve, the table only */
    finf_curve_options o;
    double *start_at; /* NULL, or a value for each direction */
    double k, b;      /* participations, separation; NaN: one */
    int gamma;        /* a finf_curve_gamma, or GAMMA_.. */
    int shown;        /* SHOW_.. */
    size_t done;      /* entries with everything in them */
    finf_status status;
    finf_reason reason;
} curve_job;

/* --gamma, after finf_curve_gamma's own; and --show */
enum { GAMMA_FIXED_ORDER = FINF_CURVE_GAMMA_INF + 1, GAMMA_MIN_SEP };
enum { SHOW_BOTH, SHOW_SYSTEMS, SHOW_CURVE };

/* The range or list of V where one nu:V or antipgd:V is all systems; else NULL. */
const char *curve_nu_range(const curve_job *j);
/* A record: in text a block of lines, or a line of the table of systems. */
void curve_show_system(doc *d, const curve_job *j, size_t i);
/* Several systems side by side, below what is the same for all. */
void curve_show_table(doc *d, const curve_job *j);
/* The curves as one table: in text at a few steps, else at all. */
finf_status curve_show_curves(doc *d, const curve_job *j, int text, finf_reason *why);
/* The same one below the other, for CSV. */
finf_status curve_show_parts(doc *d, const curve_job *j, finf_reason *why);
/* What --plot draws. */
void curve_plot(doc *d, const curve_job *j);

#endif
