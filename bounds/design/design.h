/* The noise of a finite run, designed for its loss: what the files of this room share. (theory 12)
 *
 * A run of n steps is a linear system in each direction j of H: a state x of p numbers with
 *
 *     x(t+1) = A_j x(t) + gain z_t,   theta_t = x_1(t),   the reported point = report' x(t),
 *
 * z_t the privacy noise (theory 12.1). Numbers that differ by direction are stored with the
 * directions side by side: entry i of a state is at [i d + j]. Matrices of n steps are by rows. */
#ifndef FINF_DESIGN_H
#define FINF_DESIGN_H

#include "bounds.h"

#define DESIGN_STATE_MAX 80 /* p: numbers in the state of a direction */

/* A_j has the same entries that are not 0 in every direction. */
typedef struct {
    size_t row;
    size_t column;
    double *value; /* d numbers */
} design_entry;

struct finf_design {
    size_t n;                      /* steps */
    int prefix;                    /* prefix sums, and not a loss */
    finf_design_options o;         /* as asked; its pointers are not used any more */
    double spread;                 /* G^2/(2 rho): what a loss at sens2 = 1 is multiplied by */
    size_t d;                      /* directions, or nodes of the spectral measure */
    size_t p;                      /* numbers in a state */
    size_t window;                 /* points that the reported one is the mean of; 1: it is theta */
    size_t entries;                /* of A that are not 0 */
    design_entry *A;               /* these entries */
    double gain[DESIGN_STATE_MAX]; /* of the noise */
    double report[DESIGN_STATE_MAX]; /* of the point whose loss counts */
    double begin[DESIGN_STATE_MAX];  /* the state of theta_0 = 1 */
    double *memory;                  /* the allocation of all that follows, and of A's values */
    double *count;                   /* how many directions this one stands for */
    double *half;                    /* the loss of the reported point, over its square */
    double *feed;   /* (1+kx) lambda^2: gradient noise by the direction's own error */
    double *lambda; /* 0 for prefix sums */
    double *pull;   /* count lambda */
    double *start;  /* (theta_0 - theta*)^2 */
};

/* ---- workload.c: the adjoint recursion (theory 12.1) ----------------------------------------- */

/* The weight of the state's second moments in the objective, from t = n down. */
typedef struct {
    double *P;    /* p x p x d: the weights at time t; owns all of them */
    double *work; /* room for as many */
    double *feed; /* d: the weight of theta_t^2 by the gradient noise that it makes */
    double *gain; /* d: gain' P(t+1) gain, the weight of white noise that enters at t */
    double trace; /* sum_j count lambda gain: that of gradient noise at theta* */
} design_adjoint;
finf_status design_adjoint_make(const finf_design *r, design_adjoint *a);
void design_adjoint_free(design_adjoint *a);
/* From t+1 to t, where F(theta_t) has the weight u. */
void design_adjoint_step(const finf_design *r, double u, design_adjoint *a);

/* What the square of report' x(t) is multiplied by: while there are fewer points than the window
 * has, they are divided by their own number. All that is random, and every point before theta_0, is
 * 0. */
static inline double design_scale(const finf_design *r, size_t t)
{
    double more = t + 1 < r->window ? (double)r->window / (double)(t + 1) : 1;
    return more * more;
}
/* u_1..u_n at u[1..n], u[0] = 0: the weights of an objective that is a sum; `max` has equal ones,
 * to begin with. */
void design_weights(const finf_design *r, double *u);
/* w = count P gain, of p d numbers: M_ts is its product with A^{t-s} gain, where P is P(t+1). */
void design_row_weights(const finf_design *r, const double *P, double *w);
/* M of the weights u (n+1 numbers), all n x n of it. FINF_ETOL: cancelled. */
finf_status design_matrix(const finf_design *r, const double *u, double *M);

/* ---- run.c: the linear system of a run ------------------------------------------------------- */

/* y += x value of d numbers, and y += f x. */
void design_add_product(size_t d, const double *x, const double *value, double *y);
void design_add(size_t d, double f, const double *x, double *y);
/* The sum of d numbers. */
double design_sum(size_t d, const double *x);
/* next = A x, for the states x of all directions. */
void design_advance(const finf_design *r, const double *x, double *next);
/* V <- A V A', or A' V A where `transposed`, for p x p numbers V a direction; work: room for as
 * many. */
void design_congruence(const finf_design *r, int transposed, double *V, double *work);
/* out = x' V x of d numbers, x the same p numbers in all directions. */
void design_form(const finf_design *r, const double *x, const double *V, double *out);

/* ---- forward.c: the loss at every t (theory 12.1) -------------------------------------------- */

/* A_j^k gain for k < n, row by row of p d numbers. */
finf_status design_responses(const finf_design *r, double **out);
/* E[F(theta_t) - F*] at f[0..n] where the noise has the covariance scale K; rest: with the start
 * and gradient noise, else from theta* without it. FINF_ETOL: cancelled. */
finf_status design_forward(const finf_design *r, const double *responses, const double *K,
                           double scale, int rest, double *f);
/* The same for Toeplitz noise of n coefficients beta. */
finf_status design_forward_toeplitz(const finf_design *r, const double *beta, double scale,
                                    int rest, double *f);

/* ---- toeplitz_loss.c: Toeplitz noise (theory 12.4) ------------------------------------------- */

/* The weights of the objective under Toeplitz noise, for which the largest loss is the last. */
void design_toeplitz_weights(const finf_design *r, double *u);
/* <M, BB'> of the Toeplitz B with first column beta and, unless NULL, its n derivatives. u: weights
 * of an objective that is a sum. O(n d p^2). FINF_ETOL: cancelled. */
finf_status design_toeplitz_loss(const finf_design *r, const double *u, const double *beta,
                                 double *loss, double *gradient);

/* ---- toeplitz.c: the end of every search of Toeplitz noise ----------------------------------- */

/* The result of a noise, which it then owns; what was found is judged also after a stop. */
finf_status design_take(const finf_design *r, const char *family, finf_noise *noise,
                        finf_design_result *out);
/* The reason and the seconds; after anything but FINF_OK and FINF_ETOL nothing is owned. */
finf_status design_finish(finf_status s, double began, const char *family, const finf_design *r,
                          finf_design_result *out);

/* ---- root.c: square roots (theory 12.3) ------------------------------------------------------ */

/* Y'Y = sum_i s_i^2 q_i q_i', Y n x n: s_i >= 0, the least first, and q_i row i of Q. s_i^2 below
 * `small` of the largest are found again by themselves, and so on: a small s_i is right to rounding
 * of itself over `small`. */
finf_status design_root(const double *Y, size_t n, double small, double *s, double *Q,
                        finf_reason *why);

/* ---- groups.c: who takes part when, and the dual's matrix U (theory 12.2) -------------------- */

/* The n steps in disjoint patterns, each a user's participations: U has a block for each. Positions
 * 0..n-1 are the steps ordered by group; blocks are stored one after the other. */
typedef struct {
    size_t n;
    size_t groups;
    size_t most;   /* steps of the largest group */
    size_t *step;  /* the step at each position; the allocation of all three */
    size_t *from;  /* the first position of each group, and n */
    size_t *block; /* where each group's block begins, and their length in all */
} design_groups;
finf_status design_groups_make(const finf_design *r, design_groups *g);
void design_groups_free(design_groups *g);
static inline size_t design_group_size(const design_groups *g, size_t r)
{
    return g->from[r + 1] - g->from[r];
}
/* U as numbers to be mixed: for each group log v, v its diagonal, and U/v below the diagonal. */
size_t design_groups_length(const design_groups *g);
void design_groups_pack(const design_groups *g, const double *U, double *x);
void design_groups_unpack(const design_groups *g, const double *x, double *U);
/* Another point of as many numbers, of the factor W of U: log v, then the rows of W below the
 * diagonal over the diagonal, which keeps the digits of a U that is nearly singular. */
void design_groups_pack_factor(const design_groups *g, const double *W, double *x);
void design_groups_unpack_factor(const design_groups *g, const double *x, double *U, double *W);
/* The square roots of v, for each of those numbers: what it counts for. */
void design_groups_weigh(const design_groups *g, const double *U, double *weight);
/* W lower triangular with zeros above, WW' = U, of one block and of all. 0: U is not definite. Only
 * U's lower triangle is read. */
int design_group_factor(const double *U, size_t n, double *W);
int design_groups_factor(const design_groups *g, const double *U, double *W);
/* The blocks X_g = W_g^{-T} R_g W_g^{-1} in the place of R_g. */
void design_groups_divide(const design_groups *g, const double *W, double *R);
/* The map whose fixed point is the optimum; U is replaced. */
finf_status design_groups_map(const design_groups *g, const double *X, double *U);

/* ---- judge.c: what every family's answer has ------------------------------------------------- */

/* A result of which nothing is known but the family. */
finf_design_result design_result_failed(const char *family);
/* sens2 of the participations asked for, and everything that follows from it and from the system:
 * loss, loss_total, sigma. r->system is set. */
finf_status design_judge(const finf_design *r, finf_design_result *out);

#endif
