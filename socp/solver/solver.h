/* The solvers of a socp_program (theory 7.6, 7.15). */
#ifndef FINF_SOLVER_H
#define FINF_SOLVER_H

#include "dense.h"
#include "program.h"

/* The last linear system of the Newton method or of least squares, and the duals there: how the
 * optimum moves with the program (theory 7.14). */
typedef struct {
    dense_system H;  /* The system of those unknowns with a sign that moved, and of all of X. */
    size_t moved;    /* How many with a sign moved: all for Newton, none for least squares. */
    size_t *at;      /* Which they are, in rising order; room for all. */
    double *zr, *zi; /* The real and imaginary part of zeta, one for each cone. */
} socp_kkt;

/* The duals of theory 7.6, which price unknowns that did not move. */
typedef struct {
    double *alpha, *zr, *zi; /* For each cone. */
    double end[2];           /* lambda of the last two inequalities, a >= 0 at 0 and pi. */
} socp_duals;

typedef struct {
    double tol;         /* The relative gap asked for. */
    socp_kkt *kkt;      /* NULL, or filled in (not by ECOS); its memory is the caller's. */
    int max_iter;       /* 0 stands for the solver's own limit. */
    const double *warm; /* NULL, or a point of a neighbouring program with the same unknowns. */
    const double *hint; /* NULL, or one that tells which unknowns are at work: active_set.c. */
    socp_duals *duals;  /* NULL, or filled in; its memory is the caller's. */
    /* NULL, or asked at each point of Newton's method, with its duals: 1 ends it there. */
    int (*enough)(void *data, double value, double gap);
    void *data;
    double limit;       /* 0, or: an optimum above this need not be known better (SOCP_ENOUGH). */
    int not_least;      /* Least squares are known not to be the optimum. */
    finf_cancel cancel; /* Polled once an iteration. */
} socp_solve_options;

enum { SOCP_ENOUGH = -5, SOCP_CANCELLED = -4, SOCP_INFEASIBLE = 1 }; /* of socp_outcome.code */

typedef struct {
    int code;           /* 0: optimal to tol. Nothing else is success. */
    const char *status; /* The code in words. */
    int iterations;     /* Least squares count as one. */
    double value;       /* The objective. */
    double gap;         /* Its relative gap. */
    double seconds;     /* The time taken. */
} socp_outcome;

/* newton.c: least squares first, then the interior-point method; x is feasible whatever the code.
 */
finf_status socp_newton(const socp_program *p, const socp_solve_options *opt, double *x,
                        socp_outcome *out);
/* active_set.c: the same, with few of the unknowns that have a sign while that is enough. */
finf_status socp_newton_few(const socp_program *p, const socp_solve_options *opt, double *x,
                            socp_outcome *out);
/* least_squares.c: 1: optimal to tol; 0: not; -1: no memory. */
int socp_least(const socp_program *p, const socp_solve_options *opt, double *x, socp_outcome *out);
/* phase_one.c: sets p->start where p->interior is 0. *feasible = 0: there is no point to start
 * from.
 */
finf_status socp_phase_one(socp_program *p, finf_cancel cancel, int *feasible);
/* Whether ECOS finds so too, by the same linear program. */
finf_status socp_phase_one_ecos(const socp_program *p, finf_cancel cancel, int *agrees);
/* ecos.c */
finf_status socp_ecos(const socp_program *p, const socp_solve_options *opt, double *x,
                      socp_outcome *out);
/* active_set.c: the same, with few of the unknowns that have a sign where opt->hint says which, and
 * where ECOS's own duals show that the others gain nothing. */
finf_status socp_ecos_few(const socp_program *p, const socp_solve_options *opt, double *x,
                          socp_outcome *out);

/* ecos_library.c */
const char *socp_ecos_version(void); /* NULL: there is none. Loads it at the first call. */
const char *socp_ecos_where(void);   /* The file it is in, or why there is none. */

#endif
