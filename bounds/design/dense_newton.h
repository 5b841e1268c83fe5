/* Newton's method on the dual of the dense design. (theory 12.3) */
#ifndef FINF_DENSE_NEWTON_H
#define FINF_DENSE_NEWTON_H

#include "dense_design.h"

typedef struct {
    const dense_work *w;
    size_t pairs;     /* numbers of a step: for each group the change of v, and of U below the .. */
    size_t length;    /* .. diagonal, over v; where weighted, also the changes of log u_1..u_n */
    size_t factors;   /* numbers in `factor` */
    double *V;        /* n x n: X = V' diag(s) V; owns what follows */
    double *Z;        /* n x n, */
    double *room;     /* and n x n, of a second derivative */
    double *U;        /* blocks of U, */
    double *W;        /* and of its factor, where the step begins; */
    double *D;        /* of a change of U, at the end eigenvectors of the step's over U; */
    double *B;        /* and of what is derived from it */
    double *factor;   /* of the preconditioner of each group, one after the other */
    double *y;        /* the step, */
    double *residual; /* and vectors of conjugate gradients */
    double *solved;
    double *along;
    double *image;
    double *f;    /* n, */
    double *e;    /* n: the eigenvalues of the step's change of U, over U */
    double *S;    /* weighted: n x n, rows W q_i/s_i in the order of the steps: NULL if not, */
    double *M;    /* n x n of a change of M, and of one of the losses, */
    double *u;    /* n+1: the weights where the step begins, */
    double *du;   /* n+1: a change of them, */
    double *loss; /* n+1: the losses of X where the step begins, and of a change, */
    double *bar;  /* length: what the barrier adds for each u, */
    double *rise; /* and the derivatives of 2 T */
    double mu;    /* of the barrier, */
    double left;  /* and what it promises: the step's gain, of 2 log T + mu sum log u */
} dense_newton;

finf_status dense_newton_make(const dense_work *w, dense_newton *m);
void dense_newton_free(dense_newton *m);
/* The step at the point that was evaluated last; mu: of the barrier, where weights are searched.
 * FINF_ETOL: cancelled, or there is none. */
finf_status dense_newton_direction(dense_newton *m, double mu);
/* The point x that is this part of the step away from there: U is definite for every part. Z and V
 * are overwritten. */
void dense_newton_point(const dense_newton *m, double step, double *x);

#endif
