/* ECOS as it is called: what ecos.c and ecos_library.c share, and no other file sees.
 *
 * No header comes with the library that Debian ships (r-cran-ecosolver: ECOS 2.0.7, 64-bit
 * indices), so what is called is declared here. Versions whose layout is not known are refused. */
#ifndef FINF_ECOS_H
#define FINF_ECOS_H

#include <assert.h>
#include <stddef.h>

#include "solver.h"

/* ECOS's own structures, laid out as its 64-bit build has them. Of the settings the tolerances,
 * maxit and verbose are set; of the results iter, pcost and gap are read. */
typedef struct {
    double gamma, delta, eps, feastol, abstol, reltol, feastol_inacc, abstol_inacc, reltol_inacc;
    long nitref, maxit, verbose, max_bk_iter;
    double bk_scale, centrality;
} ecos_settings;
typedef struct {
    double pcost, dcost, pres, dres, pinf, dinf, pinfres, dinfres, gap, relgap, sigma, mu, step,
        step_aff, kapovert;
    long iter, nitref[3];
    double tsetup, tsolve;
    long counts[7];
    double last;
} ecos_info;
/* n unknowns, m inequalities, p equations (none here), D the degree of the cones. x is the point
 * found, z its duals. */
typedef struct {
    long n, m, p, D;
    double *x, *y, *z, *s, *lambda, kap, tau;
    char unused[368];
    ecos_info *info;
    ecos_settings *stgs;
} ecos_work;

/* The offsets that the library was seen to use: a compiler that lays the structures out
 * differently is refused here, a library that does by the trial of ecos_library.c. */
static_assert(sizeof(long) == 8 && sizeof(void *) == 8, "ECOS backend: 64-bit only");
static_assert(sizeof(ecos_settings) == 120 && offsetof(ecos_settings, maxit) == 80,
              "ECOS settings");
static_assert(offsetof(ecos_settings, feastol) == 24, "ECOS settings");
static_assert(sizeof(ecos_info) == 232 && offsetof(ecos_info, iter) == 120, "ECOS info");
static_assert(sizeof(ecos_work) == 472 && offsetof(ecos_work, x) == 32, "ECOS work");
static_assert(offsetof(ecos_work, kap) == 72 && offsetof(ecos_work, info) == 456, "ECOS work");
static_assert(offsetof(ecos_work, stgs) == 464, "ECOS work");

/* The functions that are called, and where they came from. setup: minimise c'x over h - G x in the
 * product of l half-lines and ncones second-order cones of dimensions q, and A x = b; matrices by
 * columns. cleanup: frees all but what the caller passed in. */
typedef struct {
    ecos_work *(*setup)(long n, long m, long p, long l, long ncones, long *q, long nexc,
                        double *Gpr, long *Gjc, long *Gir, double *Apr, long *Ajc, long *Air,
                        double *c, double *h, double *b);
    long (*solve)(ecos_work *w); /* by ecos_run */
    void (*cleanup)(ecos_work *w, long keepvars);
    const char *version; /* NULL: there is none, for the reason given */
    const char *where;   /* the file it is in */
    finf_reason reason;
} ecos_library;

/* The library, loaded by the first call in the process and kept. */
const ecos_library *ecos_get(void);

/* ECOS's exit code. Its own Ctrl-C handler is not installed: opt's cancel is polled once an
 * iteration instead. Threads may be in here at the same time, each with a cancel of its own. */
long ecos_run(const ecos_library *e, ecos_work *w, const socp_solve_options *opt);

#endif
