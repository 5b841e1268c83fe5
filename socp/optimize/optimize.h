/* What the files that move the noise share: moving_noise.c below alternate.c, product_descent.c,
 * tune.c and saved_grid.c, and optimize.c above them. */
#ifndef FINF_SOCP_OPTIMIZE_H
#define FINF_SOCP_OPTIMIZE_H

#include "bound.h"

/* ---- moving_noise.c: one grid, one basis, a noise that changes ------------------------------- */

/* How an attempt at the program starts; next_start in moving_noise.c says which comes when. */
typedef enum {
    SOCP_START_NONE, /* no attempt yet, or none left to make */
    /* Only X is solved for, by least squares, with every unknown that has a sign at 0
     * (theory 7.15). That is a bound whatever its gap, which says what the other multipliers could
     * gain. */
    SOCP_START_LEAST_SQUARES,
    SOCP_START_WARM, /* Newton's method from the certificate of the last B */
    SOCP_START_COLD  /* Newton's method from the program's own feasible point */
} socp_start;

/* The bound as a function of B at the nodes, L = 1. B is kept scaled to gamma = 1 on the grid: then
 * the objective is the whole bound, the gradient noise's part included, and its weights never
 * change. */
typedef struct {
    socp_setting set; /* What the model was made from, which mo may point to. */
    socp_model mo;
    int infeasible; /* No multiplier proves convergence, whatever the noise: nothing to solve. */
    socp_grid grid;
    int grid_is_borrowed; /* The grid belongs to another socp_moving, which outlives this one. */
    socp_basis basis;
    socp_weights weights;
    socp_program prog;    /* The program for the present B. */
    size_t taps;          /* How many coefficients beta stein.c's columns see; 0 without such. */
    double *beta;         /* These coefficients of the present B, as it was given. */
    double complex *B;    /* The present B at the nodes, scaled to gamma = 1. */
    double complex *next; /* The B to come, while the rows are being turned to it. */
    double *x;            /* The certificate: the multipliers of the last solve. */
    double *warm;         /* A copy of x for warm starts; scratch between solves. */
    socp_kkt kkt;         /* The last linear system of the last solve. */
    finf_cancel cancel;
    double limit; /* 0, or: a bound that is seen to be above this is not solved to the end. */

    /* What decides how a solve starts. */
    int least_squares_first; /* A descent sets this while it is content with X alone. */
    int x_is_a_start;        /* x came from Newton's method, and B has not moved far since. */
    int warm_costs_more;     /* A warm start once took more iterations than a cold one would. */
    double cold_iterations;  /* What the last cold start took, less one for each digit asked. */

    /* What the last solve found. */
    double value;  /* The bound. */
    double gap;    /* Its relative gap; +inf before the first solve. */
    double gamma2; /* gamma^2 on the grid of B as it was given. */
    int cancelled; /* Some solve was cancelled: value is not the optimum, here or later. */
    int no_memory; /* Some solve had no memory: every later one fails too. */
} socp_moving;

/* finest: a noise whose grid serves all that will be tried. Needs stable quadratics and clip > 0;
 * kappa = 1, which has no program, is taken as 1 + 1e-6. */
finf_status socp_moving_make(double eta, double kappa, const finf_iqc_options *o,
                             const finf_noise *finest, socp_moving *out);
/* The same without the causality multiplier (fval for sharp), on v's grid, with every second of its
 * multipliers. */
finf_status socp_moving_relax(const socp_moving *v, socp_moving *out);
void socp_moving_free(socp_moving *v);
/* log B given at the nodes, and for gaussian B's first v->taps coefficients, beta_0 = 1; the SOCP
 * to relative gap tol, from the last certificate. FINF_ETOL: value NaN, or not even to 100 tol */
finf_status socp_moving_solve(socp_moving *v, const double complex *logB, const double *beta,
                              double tol);
/* a, k and m = b + X of cone j at x; X is returned, stein.c's columns in it; their cost is not in k
 */
double complex socp_moving_cone(const socp_moving *v, size_t j, double *a, double complex *b,
                                double *k);
static inline double socp_size2(double complex z)
{
    return creal(z) * creal(z) + cimag(z) * cimag(z);
}
double socp_moving_psi(const socp_moving *v, size_t j); /* psi_w/|B|^2 at a node */
/* The bound for `noise`, whose B was solved for last: recomputed on the continuum, L = 1. */
finf_status socp_moving_bound(const socp_moving *v, const finf_noise *noise, finf_real *bound);

double complex socp_log_factor(double nu, double w); /* log(1 - (1-nu) e^{-iw}) */

/* ---- hessian.c ------------------------------------------------------------------------------- */
/* For logB = sum_i r_i f_i, f given at the nodes (grid.n x n, row major) and for gaussian dbeta/dr
 * (n x taps): gradient and Hessian of the bound in r, the certificate following r along the
 * solver's last linear system; cov: Cov(Re f_i, Re f_l) in the probability |B|^-2/gamma^2. */
void socp_moving_hessian(socp_moving *v, const double complex *f, const double *dbeta, size_t n,
                         double *gradient, double *hessian, double *cov, double *scratch);
size_t socp_moving_scratch(const socp_moving *v, size_t n); /* numbers in scratch */

/* ---- a descent's record ---------------------------------------------------------------------- */
typedef struct {
    double *history;     /* The bound after each round; room for max_rounds + 1. */
    size_t rounds;       /* How many rounds were made. */
    const double *known; /* product_descent.c: NULL, or where another descent ended, .. */
    double best;         /* .. and its bound, .. */
    int known_settled;   /* .. and `settled` of it */
    int settled;         /* product_descent.c: the last step was undamped: a minimum, no crease. */
} socp_descent;

/* ---- alternate.c: dist and fval; logB (real) is start and result. FINF_ETOL: max_rounds, or the
 * solver ---- */
finf_status socp_alternate(socp_moving *v, double complex *logB, double tol, int max_rounds,
                           socp_descent *d);

enum { SOCP_LARGEST = 20 }; /* |r|: finf_noise_product's domain */
/* ---- product_descent.c: B = prod (1 - (1-nu_i) z)^{r_i}, nu fixed, on v's nodes -------------- */
typedef struct socp_products socp_products;
finf_status socp_products_make(socp_moving *v, const double *nu, size_t n, socp_products **out);
void socp_products_free(socp_products *s);
/* r is start and result. `lower`: no B is below. A descent ends at d->known, exactly, as soon as a
 * step leads there, and goes on beyond 1e-4 only below d->best */
finf_status socp_causal(socp_products *s, double *r, double tol, int max_rounds, double lower,
                        socp_descent *d);
/* The r, none larger than `largest`, for which |B| is nearest to e^{Re logB}, weighted as gamma^2
 * is. */
void socp_causal_fit(socp_products *s, const double complex *logB, double largest, double *r);

/* ---- saved_grid.c: w, density, psi and the multipliers `m` of out->noise --------------------- */
finf_status socp_describe(double eta, double kappa, const finf_iqc_options *o,
                          const socp_multipliers *m, finf_optimize_result *out);

/* ---- tune.c: the best nu, the best so far if cancelled. solved: v is left solved for it, unless
 * cancelled ---- */
finf_status socp_best_nu(socp_moving *v, int solved, finf_real *nu);

#endif
