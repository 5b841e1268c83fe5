/* What dense.c and certify.c share: the dual of the dense design at a point. (theory 12.2) */
#ifndef FINF_DENSE_DESIGN_H
#define FINF_DENSE_DESIGN_H

#include "design.h"

typedef struct {
    const finf_design *r;
    design_groups g;
    int weighted;      /* the weights u are searched too: the largest loss over t */
    int singular;      /* M needed a ridge */
    size_t length;     /* of a point: the numbers of U, then log u_0..u_n where weighted */
    double *L;         /* n x n: L'L = M, columns in the order of the groups; owns what follows */
    double *Y;         /* n x n: L W */
    double *Q;         /* n x n: rows are the eigenvectors of Y'Y */
    double *U;         /* blocks of U, */
    double *W;         /* of its factor, */
    double *X;         /* and of X */
    double *x;         /* the point */
    double *best_up;   /* that with the least loss, */
    double *best_low;  /* and that with the largest lower bound */
    double *weight;    /* of each number of a point, for the mixing */
    double *s;         /* n: the roots of the eigenvalues of Y'Y, the least first */
    double *u;         /* n+1: weights of the losses */
    double *f;         /* n+1: losses, where weighted */
    double *sens;      /* n: root of the sensitivity of each position's group */
    double *ridge;     /* n: what was added to M's diagonal, by step */
    double *K;         /* 2 n x n, where weighted */
    double *responses; /* of design_responses, where weighted */
    double T;          /* tr (Y'Y)^{1/2} */
    double v;          /* the sum of v */
    double lower;      /* T^2/v, */
    double upper;      /* and the loss, at the point */
    double best_lower; /* the best of each so far */
    double best_upper;
    int scaled;      /* each group is scaled to sensitivity 1, and not all alike: at the point, */
    int best_scaled; /* and at the one with the least loss */
    int iterations;
} dense_work;

/* Everything at the point w->x: U, W, Y, Q, s, X, sens, T, v. */
finf_status dense_evaluate(dense_work *w, finf_reason *why);

/* ---- certify.c ---- */

/* C with C'C = X, X scaled to sensitivity 1, at the point evaluated last. */
finf_status dense_strategy(const dense_work *w, double *C);
/* T^2/v at the point evaluated last, from below: whatever the eigenvectors are. */
finf_status dense_certify(const dense_work *w, double *lower);
/* The dual over the groups may be below that of the participations asked for. */
int dense_is_relaxed(const finf_design *r);

#endif
