/* What the files of the dense design share: its dual at a point. (theory 12.2) */
#ifndef FINF_DENSE_DESIGN_H
#define FINF_DENSE_DESIGN_H

#include "design.h"

#define DENSE_SUFFICIENT 1e-8 /* the gap that is asked for */
#define DENSE_FLOOR_U (-50.0) /* log of the least weight, the largest being 1 */

/* How X becomes one of sensitivity 1. */
typedef enum {
    DENSE_ALIKE,      /* divided by its largest sensitivity, */
    DENSE_BY_GROUP,   /* every group by its own, */
    DENSE_ORTHOGONAL, /* or so after the columns of a user were made orthogonal */
} dense_scaling;

typedef struct {
    const finf_design *r;
    design_groups g;
    int weighted;      /* the weights u are searched too: the largest loss over t */
    int singular;      /* M needed a ridge */
    size_t length;     /* of a point: the numbers of W, then log u_0..u_n where weighted */
    double *L;         /* n x n: L'L = M, columns in the order of the groups; owns what follows */
    double *Y;         /* n x n: L W */
    double *Q;         /* n x n: rows are the eigenvectors of Y'Y */
    double *U;         /* blocks of U, */
    double *W;         /* of its factor, */
    double *X;         /* and of X */
    double *x;         /* the point */
    double *best_up;   /* that with the least loss, */
    double *best_low;  /* and that with the largest lower bound */
    double *weight;    /* of each number of a point, for the mixing, */
    double *mixed;     /* and where it leads */
    double *s;         /* n: the roots of the eigenvalues of Y'Y, the least first */
    double *u;         /* n+1: weights of the losses */
    double *f;         /* n+1: losses, where weighted */
    double *sens;      /* n: what X's row and column of each position are divided by */
    double *ridge;     /* n: what was added to M's diagonal, by step */
    double *K;         /* 2 n x n, where weighted */
    double *responses; /* of design_responses, where weighted */
    double T;          /* tr (Y'Y)^{1/2} */
    double v;          /* the sum of v */
    double lower;      /* T^2/v, */
    double upper;      /* and the loss, at the point */
    double best_lower; /* the best of each so far */
    double best_upper;
    int precise; /* along a barrier: M of prefix sums without a ridge, and s with more digits */
    int best_up_precise; /* when the best points were found */
    int best_low_precise;
    dense_scaling scaling;      /* of the loss at the point, */
    dense_scaling best_scaling; /* and at the one with the least loss */
    int iterations;
} dense_work;

/* ---- dense_point.c ---- */

/* L with L'L = M of the weights w->u; FINF_EDOM: there is none. */
finf_status dense_factor_workload(dense_work *w);
/* The point w->x that a search begins at. */
void dense_begin(dense_work *w);
/* Everything at the point w->x: U, W, Y, Q, s, X, T, v. */
finf_status dense_evaluate(dense_work *w, finf_reason *why);
/* The same at one of the best points, as it was when it was found. */
finf_status dense_evaluate_up(dense_work *w, finf_reason *why);
finf_status dense_evaluate_low(dense_work *w, finf_reason *why);
/* w->scaling, and w->sens that belongs to it. */
void dense_scale(dense_work *w, dense_scaling scaling);

/* w->lower and w->upper at the point that was evaluated last. */
finf_status dense_judge(dense_work *w);

/* ---- dense.c ---- */

/* The gap of out's loss and lower bound: not below 0 by rounding. */
void dense_set_gap(finf_design_result *out);

/* ---- dense_search.c ---- */

/* From w->x to the best points. FINF_ETOL: cancelled; what was found before is there. */
finf_status dense_search(dense_work *w, finf_reason *why);

/* ---- certify.c ---- */

/* C with C'C = X, X scaled to sensitivity 1, at the point evaluated last. */
finf_status dense_strategy(const dense_work *w, double *C);
/* tr(M X^{-1}) of that X, and the largest loss over t; INFINITY where it is not definite. */
finf_status dense_strategy_loss(const dense_work *w, double *loss);
finf_status dense_strategy_largest(const dense_work *w, double *loss);
/* T^2/v at the point evaluated last, from below: whatever the eigenvectors are. */
finf_status dense_certify(const dense_work *w, double *lower);
/* The dual over the groups may be below that of the participations asked for. */
int dense_is_relaxed(const finf_design *r);

#endif
