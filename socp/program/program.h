/* The program of theory 7.2-7.5: frequencies, multipliers, the quadratic form, the cones; and the
 * bound recomputed from the multipliers. L = 1 throughout: finf_iqc solves for eta L, mu/L, 1 and
 * divides by L.
 *
 * Variables (equivalent to theory 7.2 and 7.4 by a congruence, chosen so that nothing cancels;
 * theory 7.12). With delta = 1 - mu, c = (1 + mu)/2 and g(w) = (1 - e^{iw})/eta - c, write the
 * gradient as
 *     G = c Theta + (delta/2) S,      so that      g Theta = B W + (delta/2) S.
 * Then u = (delta/2)(Theta + S), v = (delta/2)(Theta - S); with Lambda conjugated and rescaled by
 * delta/2 the multiplier term is
 *     2 Re(Lambda <u,v>) = delta [ Re Lambda (|Theta|^2 - |S|^2) - 2 Im Lambda Im(S Theta*) ],
 * and F - F* <= <u,v>/(2 delta) + <g,theta>/2: the first part is a shift of Lambda by 1/8, the
 * second the performance.
 *
 * S_t is a function of theta_t, and so of the w_s with s < t; given these, w_{t+k} has mean zero
 * (for independent w, or martingale differences; white is not enough), so E<S_t, w_{t+k}> = 0 for
 * k >= 0: the causality multiplier is any causal X(w) = sum_{k>=0} x_k e^{-iwk} on <S, W>. It
 * equals C/g* of theory 7.4, whose c_{-1} and constant have dropped out. Eliminating S instead of
 * Theta leaves, at each frequency,
 *     psi = |m|^2/a + k,      a, m, k affine in (Re Lambda, Im Lambda, X),      k >= 0,
 * a sum of non-negative terms that tends to the quadratic's value as kappa -> 1.
 */
#ifndef FINF_PROGRAM_H
#define FINF_PROGRAM_H

#include <complex.h>
#include <stddef.h>

#include "base.h"

/* Is it a bound on (L/2) |theta|^2, not on F? */
static inline int socp_is_dist(finf_iqc_bound b)
{
    return b == FINF_IQC_DIST || b == FINF_IQC_SHARP_DIST;
}

/* Does it use the causality multiplier X? */
static inline int socp_is_causal(finf_iqc_bound b)
{
    return b == FINF_IQC_SHARP || b == FINF_IQC_SHARP_DIST || b == FINF_IQC_GAUSSIAN;
}

/* ---- loop.c: the optimizer (theory 11.4) ----------------------------------------------------- */

enum { SOCP_LOOP_MOST = 64 }; /* coefficients of each polynomial */

/* An optimizer P(z) = eta b(1/z)/a(1/z) for L = 1, as the two polynomials in y = e^{-iw} that are
 * left when the pole at z = 1 and the delay of one step are taken out,
 *     -1/P(e^{iw}) = (1 - e^{iw}) A(y)/(eta E(y)),     a = (1 - y) A,   b = y E. */
typedef struct {
    double eta;               /* The step size, times L. */
    size_t n;                 /* Coefficients of A and of E; the shorter is filled up with zeros. */
    double a[SOCP_LOOP_MOST]; /* A */
    double e[SOCP_LOOP_MOST]; /* E */
    double a_one, e_one;      /* A(1) and E(1). */
    const finf_optimizer *opt; /* The optimizer itself, for its poles. */
} socp_loop;
/* For eta L = e. 0: it is theta -= eta g, and needs no loop. Weight decay and averaging are not
 * looked at. */
int socp_loop_make(const finf_optimizer *o, double e, socp_loop *out);
/* The effective step size, eta E(1)/A(1). */
static inline double socp_loop_step(const socp_loop *l) { return l->eta * l->e_one / l->a_one; }
/* A and E at y = e^{-iw}. */
void socp_loop_at(const socp_loop *l, double w, double complex *A, double complex *E);
/* U = (1 - e^{iw}) A and V = eta E, of which -1/P = U/V. */
void socp_loop_parts(const socp_loop *l, double w, double complex *U, double complex *V);
/* |G_h|^2 = |P/(1 + hP)|^2 = |V|^2/|U - hV|^2. */
static inline double socp_loop_ratio(double complex U, double complex V, double h)
{
    double vr = creal(V), vi = cimag(V), gr = creal(U) - h * vr, gi = cimag(U) - h * vi;
    return (vr * vr + vi * vi) / (gr * gr + gi * gi);
}
/* The curvature h on which that is largest. */
static inline double socp_loop_curvature(double complex U, double complex V)
{
    double vr = creal(V), vi = cimag(V);
    return (creal(U) * vr + cimag(U) * vi) / (vr * vr + vi * vi);
}
/* The closed loop's poles p on curvature h, as 1 - p: *n of them, those at 0 left out. FINF_ENOMEM,
 * or FINF_ETOL where they were not found. pole: SOCP_LOOP_MOST */
finf_status socp_loop_poles(const socp_loop *l, double h, double complex *pole, size_t *n);

/* ---- grid.c: frequencies (theory 7.5) -------------------------------------------------------- */

typedef struct {
    size_t n;      /* How many nodes there are. */
    size_t panels; /* How many panels, on each of which everything is smooth. */
    double *w;     /* The n nodes, in [0, pi]. */
    double *q;     /* Their weights, whose sum is 1. */
    double *edge;  /* The panels + 1 ends of the panels, from 0 to pi. */
} socp_grid;
/* lags: what the multipliers need resolved (socp_basis_reach). uniform: 0 for nodes on the panels,
 * k for the paper's k equally spaced ones. */
finf_status socp_grid_make(const finf_noise *noise, double eta, double mu, size_t lags,
                           size_t uniform, socp_grid *out);
/* The same for an optimizer: panels are halved until its closed loops are resolved too. */
finf_status socp_grid_loop(const finf_noise *noise, const socp_loop *loop, double mu, size_t lags,
                           size_t uniform, socp_grid *out);
/* The same with the marked ones of its panels quartered. */
finf_status socp_grid_quarter(const socp_grid *g, const unsigned char *marked, socp_grid *out);
void socp_grid_free(socp_grid *g);

/* ---- basis.c: the multipliers (theory 7.5) --------------------------------------------------- */

/* A sequence h_t of Lambda: a single lag (s = 1), or a geometric one. */
typedef struct {
    size_t lag;  /* The single lag; 1 for geometric sequences. */
    double s;    /* The sequence falls by the factor 1 - s at each step. */
    size_t fold; /* It is convolved with itself so many times: a lump about t = fold/s. */
} socp_term;

/* A column of X on future lags, which only Gaussian w allows (theory 7.11). */
typedef struct {
    size_t lag;   /* The single lag (s = 1), or the first of a geometric sequence. */
    double s;     /* As above. */
    double ratio; /* So much of lag 1 is taken off that E tr J drops out; 0 for lag 1 itself. */
    double cost;  /* What each unit of the column adds to psi. */
} socp_ahead;

/* Lambda = shift + sum_i x_i col_i, with x_i >= 0 of which the first is the slack h_0 - sum h, and
 * X = sum_i y_i col_i. A program's unknowns are, in this order:
 *     nh of Lambda and 2 ns of stein.c, all non-negative;
 *     nc of X for the DP noise;
 *     nc of X' for the gradient noise, if there is any. */
typedef struct {
    size_t nh;         /* Unknowns of Lambda. */
    size_t nc;         /* Columns of X; 0 without causality. */
    size_t ns;         /* Columns of stein.c, each with an unknown for either sign. */
    size_t terms;      /* Sequences h_t. */
    size_t poles;      /* Poles of X. */
    size_t lags;       /* The first poles of X are s = 1: their columns are z^i. */
    socp_term *h;      /* The terms. */
    double *s;         /* The poles of X, as 1 - p_i. */
    size_t pairs;      /* Pairs of complex poles of X, with two columns each, after the others. */
    double complex *t; /* One of each pair, as 1 - p_i; NULL if there are none. */
    int plus;          /* h_t >= 0 enters Lambda with the sign -, as theory 7.1 has it. */
    int minus;         /* h_t >= 0 enters Lambda with the sign +: symmetric F only. */
    socp_ahead *ahead; /* The ns columns of stein.c; NULL if there are none. */
} socp_basis;
/* How many unknowns must be >= 0. */
static inline size_t socp_basis_signed(const socp_basis *b) { return b->nh + 2 * b->ns; }
/* How many unknowns one term has: t > 0 and t < 0, for each sign. */
static inline size_t socp_basis_each(const socp_basis *b)
{
    return 2 * (size_t)(b->plus + b->minus);
}
/* Are the unknowns x of a term all 0? */
static inline int socp_basis_unused(const socp_basis *b, const double *x)
{
    size_t i = 0, n = socp_basis_each(b);
    while (i < n && x[i] == 0) i++;
    return i == n;
}
/* How many single lags the noise deserves; NULL stands for noise that does not resonate. */
size_t socp_basis_lags(const finf_noise *noise, double eta, int causal);
/* How many lags the grid must resolve for that. */
size_t socp_basis_reach(size_t lags, finf_iqc_class cls);
/* geometric: with geometric sequences beside the single lags. */
finf_status socp_basis_make(double eta, double mu, size_t lags, int geometric, finf_iqc_class cls,
                            int causal, socp_basis *out);
/* The same for an optimizer: the poles are those of its closed loops. */
finf_status socp_basis_loop(const socp_loop *loop, double mu, size_t lags, int geometric,
                            finf_iqc_class cls, int causal, socp_basis *out);
/* All columns at w. */
void socp_basis_at(const socp_basis *b, double w, double complex *lambda, double complex *x);
/* Lambda - shift and X at w for the unknowns x and y; X may be NULL. */
void socp_basis_sum(const socp_basis *b, const double *x, const double *y, double w,
                    double complex *lambda, double complex *X);
void socp_basis_free(socp_basis *b);

/* ---- form.c: a, m, k at one frequency (theory 7.12) ------------------------------------------ */

typedef struct {
    double eta;            /* The step size, times L. */
    double kappa;          /* L/mu, as given. */
    double mu;             /* 1/kappa. */
    double delta;          /* 1 - mu. */
    double c;              /* (1 + mu)/2. */
    double shift;          /* The part of Lambda that is given: 1/8, or 0 for dist. */
    int dist;              /* Is (L/2) |theta|^2 bounded, not F? */
    int eta_rounded;       /* How many roundings eta is the result of, which a proof must know. */
    const socp_loop *loop; /* NULL for theta -= eta g; else the optimizer. */
} socp_model;

/* The grid, the single lags and the basis that are the model's: plain sgd's or its optimizer's. */
finf_status socp_model_grid(const socp_model *mo, const finf_noise *noise, size_t lags,
                            size_t uniform, socp_grid *out);
size_t socp_model_lags(const socp_model *mo, const finf_noise *noise, int causal);
finf_status socp_model_basis(const socp_model *mo, size_t lags, int geometric, finf_iqc_class cls,
                             int causal, socp_basis *out);

/* With Lambda = shift + r + i s:
 *     a = a_r r + a_s s + a_0,   m = m_r r + m_s s + m_0 + X,   k = k_r r + k_0. */
typedef struct {
    double a_r, a_s, a_0;
    double complex m_r, m_s, m_0;
    double k_r, k_0;
} socp_form;
socp_model socp_model_make(double eta, double kappa, int dist);
void socp_form_at(const socp_model *mo, double w, double complex B, socp_form *f);
/* psi = |m|^2/a + k, +inf where a <= 0; *margin = a relative to the size of its terms. */
double socp_form_psi(const socp_form *f, double complex lambda, double complex X, double *margin);

/* ---- stein.c: columns of X for E<S_t, w_{t-k}>, k >= 1 (theory 7.11) ------------------------- */

enum {
    SOCP_STEIN_LAGS = 8, /* single lags */
    SOCP_STEIN_FAR = 16, /* the farthest for an optimizer */
    SOCP_STEIN_MOST = 16 /* columns in all */
};
finf_status socp_stein_make(const socp_model *mo, const finf_noise *noise, socp_basis *b,
                            finf_reason *why);
double complex socp_stein_at(const socp_ahead *c, double w);
/* What the columns add to X, and to psi; x: all unknowns. */
double complex socp_stein_sum(const socp_basis *b, const double *x, double w);
double socp_stein_cost(const socp_basis *b, const double *x);
/* How many coefficients beta the columns see. */
size_t socp_stein_length(const socp_basis *b);
/* Sets ratio and cost for the noise beta. */
void socp_stein_set(const socp_model *mo, const double *beta, socp_basis *b);
/* The change of ratio and cost as beta moves by d, d_0 = 0 (d = beta: ratio and cost themselves).
 */
void socp_stein_along(const socp_model *mo, const socp_basis *b, const double *beta,
                      const double *d, double *ratio, double *cost);

/* ---- program.c: what the solvers take (theory 7.6) ------------------------------------------- */

/* Minimise sum_j q_j (|m_j|^2/a_j + k_j) over x with a > 0 and G x + g0 >= 0, where
 *     a = a0 + A x,   m = m0 + M x,   k = k0 + K x.
 * Matrices are row-major, a row for each cone or inequality. */
typedef struct {
    size_t n;          /* Unknowns. */
    size_t cones;      /* Cones: a node for the DP noise, then one for the gradient noise. */
    size_t rows;       /* Inequalities. */
    size_t signs;      /* The first so many unknowns are >= 0. */
    double *A, *a0;    /* a, cones x n and cones. One block for all of these. */
    double *Mr, *Mi;   /* The real and imaginary part of M. */
    double *m0r, *m0i; /* Those of m0. */
    double *K, *k0;    /* k. */
    double *q;         /* The weights of the cones. */
    double *G, *g0;    /* The inequalities, rows x n and rows. */
    double *start;     /* A strictly feasible x, if `interior`. */
    int interior;      /* Else one must be looked for (phase_one.c), and there may be none. */
    int slack;         /* a grows with the slack h_0 - sum h at every node. */
    double scale;      /* The true objective is so many times the one here. */
} socp_program;

/* The weights of |B|^2 psi and of psi' in the bound. */
typedef struct {
    double dp;  /* d sigma^2 */
    double sgd; /* sigma_sgd^2 */
} socp_weights;
/* d G^2/(2 rho), without gamma^2, and sigma_sgd^2, with the constants asked for. (theory 7.3) */
socp_weights socp_unit_weights(const finf_iqc_options *o);
finf_status socp_program_make(const socp_model *mo, const finf_noise *noise, const socp_grid *g,
                              const socp_basis *b, socp_weights weights, socp_program *out);
/* Sets the entries of stein.c's columns, for B scaled by `scale`. */
void socp_program_ahead(const socp_program *p, const socp_grid *g, const socp_basis *b,
                        double scale);
void socp_program_free(socp_program *p);
/* The objective at x; +inf outside the domain. */
double socp_program_value(const socp_program *p, const double *x);

/* ---- recompute.c: the bound on the continuum, from the multipliers (theory 7.8) -------------- */

typedef struct {
    finf_real dp, sgd; /* The bounds for unit-variance DP and gradient noise. */
    double a_min;      /* The least a(w) found, relative to its terms. */
    double repair;     /* The relative increase of h_0 that made a > 0 everywhere. */
    size_t coarse;     /* Panels that are too wide for these multipliers; 0: not asked, or none. */
} socp_recomputed;
/* x is repaired in place. on_grid: the solver's objective, which the bound is compared with. inner:
 * NULL where a grows with the slack, as it does for plain sgd; else a point with a > 0. */
finf_status socp_recompute(const socp_model *mo, const finf_noise *noise, const socp_grid *g,
                           const socp_basis *b, socp_weights weights, double on_grid,
                           const double *inner, double *x, socp_recomputed *out);
/* The same, but where the bound would be more than 1e-6 above on_grid and panels of the grid are to
 * blame, these are marked and counted in out->coarse, and nothing else is done. marked: panels */
finf_status socp_recompute_or_mark(const socp_model *mo, const finf_noise *noise,
                                   const socp_grid *g, const socp_basis *b, socp_weights weights,
                                   double on_grid, const double *inner, double *x,
                                   unsigned char *marked, socp_recomputed *out);

#endif
