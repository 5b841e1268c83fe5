/* What the files of socp/ share. L = 1 throughout: finf_iqc solves for eta L, mu/L, 1 and divides
 * by L.
 *
 * Variables (equivalent to theory 7.2 and 7.4 by a congruence, chosen so that nothing cancels).
 * With delta = 1 - mu, c = (1 + mu)/2 and g(w) = (1 - e^{iw})/eta - c, write the gradient as G = c
 * Theta + (delta/2) S,     so that     g Theta = B W + (delta/2) S. Then u = (delta/2)(Theta + S),
 * v = (delta/2)(Theta - S); with Lambda conjugated and rescaled by delta/2 the multiplier term is
 *     2 Re(Lambda <u,v>) = delta [ Re Lambda (|Theta|^2 - |S|^2) - 2 Im Lambda Im(S Theta*) ],
 * and F - F* <= <u,v>/(2 delta) + <g,theta>/2: the first part is a shift of Lambda by 1/8, the
 * second the performance. S_t is a function of theta_t, and so of the w_s with s < t; given these,
 * w_{t+k} has mean zero (for independent w, or martingale differences; white is not enough), so
 * E<S_t, w_{t+k}> = 0 for k >= 0: the causality multiplier is any causal X(w) = sum_{k>=0} x_k
 * e^{-iwk} on <S, W>. It equals C/g*, c_{-1} and its constant have dropped out. Eliminating S
 * instead of Theta leaves, per frequency, psi = |m|^2/a + k,   a, m, k affine in (Re Lambda, Im
 * Lambda, X),   k >= 0, a sum of non-negative terms that tends to the quadratic's value as kappa
 * -> 1. */
#ifndef FINF_SOCP_H
#define FINF_SOCP_H

#include <complex.h>
#include <stddef.h>

#include "base.h"

static inline int socp_is_dist(finf_iqc_bound b)
{
    return b == FINF_IQC_DIST || b == FINF_IQC_SHARP_DIST;
}
static inline int socp_is_causal(finf_iqc_bound b)
{
    return b == FINF_IQC_SHARP || b == FINF_IQC_SHARP_DIST || b == FINF_IQC_GAUSSIAN;
}

/* ---- grid.c: nodes on (0, pi), weights q summing to 1; panels on which everything is smooth ----
 */
typedef struct {
    size_t n, panels;
    double *w, *q, *edge;
} socp_grid;
/* uniform: 0, or the paper's k */
finf_status socp_grid_make(const finf_noise *noise, double eta, double mu, size_t lags,
                           size_t uniform, socp_grid *out);
void socp_grid_free(socp_grid *g);

/* ---- basis.c: Lambda = shift + sum x_i col_i (nh unknowns >= 0, the first is h_0 - sum h), X =
 * sum y_i col_i (nc) ---- A program's unknowns: nh, then stein.c's 2 ns, all >= 0; nc of X for the
 * DP noise, nc for the gradient noise. */
typedef struct {
    /* s = 1: h_t on t = lag alone; else geometric, falling by 1 - s a step (lag = 1) .. */
    size_t lag;
    double s;
    size_t fold; /* .. convolved with itself so many times: about t = fold/s */
} socp_term;
typedef struct {
    size_t lag; /* s = 1: this lag alone; else geometric from it on */
    double s;
    double ratio; /* of lag 1 taken off, so that E tr J drops out; 0 for lag 1 itself */
    double cost;  /* in psi, for each unit of the column */
} socp_ahead;
typedef struct {
    size_t nh, nc, ns;
    size_t terms, poles;
    size_t lags;       /* the first poles of X with s = 1: columns z^i */
    socp_term *h;      /* terms */
    double *s;         /* poles of X: 1 - p_i */
    int plus, minus;   /* h_t >= 0 enters Lambda with sign -, with sign + */
    socp_ahead *ahead; /* ns: columns of X of the DP noise for lags w_{t-k}, k >= 1; NULL if none */
} socp_basis;
/* unknowns >= 0 */
static inline size_t socp_basis_signed(const socp_basis *b) { return b->nh + 2 * b->ns; }
/* of one term */
static inline size_t socp_basis_each(const socp_basis *b)
{
    return 2 * (size_t)(b->plus + b->minus);
}
/* the term whose unknowns are x is not there */
static inline int socp_basis_unused(const socp_basis *b, const double *x)
{
    size_t i = 0, n = socp_basis_each(b);
    while (i < n && x[i] == 0) i++;
    return i == n;
}
/* NULL: noise that does not resonate */
size_t socp_basis_lags(const finf_noise *noise, double eta, int causal);
/* the lags the grid must resolve */
size_t socp_basis_reach(size_t lags, finf_iqc_class cls);
finf_status socp_basis_make(double eta, double mu, size_t lags, int geometric, finf_iqc_class cls,
                            int causal, socp_basis *out);
void socp_basis_at(const socp_basis *b, double w, double complex *lambda, double complex *x);
void socp_basis_sum(const socp_basis *b, const double *x, const double *y, double w,
                    double complex *lambda, double complex *X); /* X: NULL if not wanted */
void socp_basis_free(socp_basis *b);

/* ---- form.c: a, m, k at one frequency -------------------------------------------------------- */
typedef struct {
    double eta, mu, delta, c, shift;
    int dist, eta_rounded; /* eta is eta L after a rounding */
} socp_model;
typedef struct {
    double a_r, a_s, a_0;         /* a = a_r r + a_s i + a_0, Lambda = shift + r + i I */
    double complex m_r, m_s, m_0; /* m = m_r r + m_s i + m_0 + X */
    double k_r, k_0;              /* k = k_r r + k_0 */
} socp_form;
socp_model socp_model_make(double eta, double kappa, int dist);
void socp_form_at(const socp_model *mo, double w, double complex B, socp_form *f);
/* psi = |m|^2/a + k, +inf where a <= 0; *margin = a relative to the size of its terms */
double socp_form_psi(const socp_form *f, double complex lambda, double complex X, double *margin);

enum { SOCP_STEIN_LAGS = 8, SOCP_STEIN_MOST = 16 }; /* single lags among them, all */
/* ---- stein.c: columns of X for E<S_t, w_{t-k}>, k >= 1, which Gaussian w bounds -------------- */
finf_status socp_stein_make(const socp_model *mo, const finf_noise *noise, socp_basis *b,
                            finf_reason *why);
double complex socp_stein_at(const socp_ahead *c, double w);
double complex socp_stein_sum(const socp_basis *b, const double *x, double w); /* x: all unknowns */
double socp_stein_cost(const socp_basis *b, const double *x);
size_t socp_stein_length(const socp_basis *b); /* coefficients beta its columns see */
void socp_stein_set(const socp_model *mo, const double *beta, socp_basis *b);
/* The change of ratio and cost as beta moves by d, d_0 = 0 (d = beta: ratio and cost themselves) */
void socp_stein_along(const socp_model *mo, const socp_basis *b, const double *beta,
                      const double *d, double *ratio, double *cost);

/* ---- program.c: minimise sum_j q_j (|m_j|^2/a_j + k_j), a = a0 + A x, m = m0 + M x, k = k0 + K x,
 * G x + g0 >= 0 ---- */
typedef struct {
    size_t n, cones, rows;
    size_t signs;                                      /* unknowns >= 0, the first ones */
    double *A, *a0, *Mr, *Mi, *m0r, *m0i, *K, *k0, *q; /* cones x n, row major, and cones */
    double *G, *g0;                                    /* rows x n, rows */
    double *start;                                     /* n: strictly feasible */
    double scale;                                      /* true objective / objective here */
} socp_program;
typedef struct {
    double dp, sgd;
} socp_weights; /* of |B|^2 and of 1: d sigma^2, sigma_sgd^2 */
/* d G^2/(2 rho), without gamma^2, and sigma_sgd^2, with the constants asked for. (theory 7.3) */
socp_weights socp_unit_weights(const finf_iqc_options *o);
finf_status socp_program_make(const socp_model *mo, const finf_noise *noise, const socp_grid *g,
                              const socp_basis *b, socp_weights weights, socp_program *out);
/* rows of stein.c's columns, for B scaled by `scale` */
void socp_program_ahead(const socp_program *p, const socp_grid *g, const socp_basis *b,
                        double scale);
void socp_program_free(socp_program *p);
double socp_program_value(const socp_program *p, const double *x); /* +inf outside the domain */

/* ---- dense.c: H = sum r r', scaled Cholesky -------------------------------------------------- */
typedef struct {
    /* ld: of H and S, n rounded up; fill, width: rows not yet in H */
    size_t n, ld, fill, width;
    double *H, *S, *row, *scale, *work; /* upper triangles: H, then its factor; H scaled */
} socp_dense;
finf_status socp_dense_make(size_t n, socp_dense *out);
void socp_dense_free(socp_dense *d);
void socp_dense_clear(socp_dense *d);
double *socp_dense_row(socp_dense *d, size_t width);
int socp_dense_factor(socp_dense *d);
void socp_dense_solve(const socp_dense *d, double *b);
void socp_axpy(double f, const double *restrict x, size_t n, double *restrict y);
double socp_dot(const double *x, const double *y, size_t n);
void socp_combine(const double *restrict f, const double *restrict x, size_t rows, size_t ld,
                  size_t n, double *restrict y);

/* ---- newton.c, least_squares.c, ecos.c, ecos_library.c --------------------------------------- */
/* the Newton method's last linear system: how the optimum moves with the program */
typedef struct {
    socp_dense H;
    /* H is that of the unknowns from here on; those before stay 0: least_squares.c if not 0 */
    size_t first;
    double *zr, *zi; /* cones: zeta */
} socp_kkt;
typedef struct {
    double tol;    /* relative gap */
    socp_kkt *kkt; /* NULL, or filled in (Newton); its memory is the caller's */
    int max_iter;
    const double *warm; /* NULL, or a point of a neighbouring program with the same unknowns */
    finf_cancel cancel;
} socp_solve_options;
enum { SOCP_CANCELLED = -4 }; /* a code */
typedef struct {
    int code; /* 0: optimal to tol. Nothing else is success. */
    const char *status;
    int iterations;
    double value, gap; /* objective, relative gap */
    double seconds;
} socp_outcome;
finf_status socp_newton(const socp_program *p, const socp_solve_options *opt, double *x,
                        socp_outcome *out);
/* 0: not optimal; -1: no memory */
int socp_least(const socp_program *p, const socp_solve_options *opt, double *x, socp_outcome *out);
finf_status socp_ecos(const socp_program *p, const socp_solve_options *opt, double *x,
                      socp_outcome *out);
const char *socp_ecos_version(void); /* NULL: there is none. Loads it at the first call */
const char *socp_ecos_where(void);   /* the file it is in, or why there is none */

/* ---- recompute.c: the bound on the continuum, from the multipliers alone (repairs x in place)
 * ---- */
typedef struct {
    finf_real dp, sgd; /* unit bounds */
    double a_min, repair;
} socp_recomputed;
finf_status socp_recompute(const socp_model *mo, const finf_noise *noise, const socp_grid *g,
                           const socp_basis *b, socp_weights weights, double on_grid, double *x,
                           socp_recomputed *out);

/* ---- iqc.c: the domain; every `why` may be NULL ---------------------------------------------- */
enum { SOCP_GRID_MOST = 1000000, SOCP_FIR_MOST = 2000 };
finf_status socp_check_sizes(double eta, double kappa, double smooth, double dim, finf_reason *why);
finf_status socp_check_privacy(const finf_privacy_setting *p, finf_reason *why);
finf_status socp_check(double eta, double kappa, const finf_iqc_options *o, finf_reason *why);

/* ---- worst_quadratic.c: max over h of the DP value + sgd_ratio * the SGD value, L = 1 -------- */
finf_status socp_quadratic(const finf_noise *noise, double eta, double kappa, int dist,
                           double sgd_ratio, finf_real *value, double *h);

/* ---- certify.c ------------------------------------------------------------------------------- */
typedef struct {
    double gamma2_upper, dp_upper, sgd_upper, seconds;
    int certified;
    finf_reason reason;
} socp_certificate; /* cancel as in finf_iqc_options */
finf_status socp_certify(const socp_model *mo, double kappa, const finf_noise *noise,
                         const socp_grid *g, const socp_basis *b, const double *x,
                         socp_weights weights, const socp_recomputed *estimate, finf_cancel cancel,
                         socp_certificate *out);

const char *socp_arb_version(void), *socp_flint_version(void); /* NULL: built without */

/* ---- iqc.c: finf_iqc; kept, if not NULL: the multipliers of the bound, owned by the caller ----
 */
typedef struct {
    socp_basis basis;
    double *x; /* NULL: none */
} socp_multipliers;
finf_iqc_result socp_iqc_failed(const finf_iqc_options *o); /* of which nothing is known yet */
finf_status socp_iqc(const finf_noise *noise, double eta, double kappa, const finf_iqc_options *opt,
                     finf_iqc_result *out, socp_multipliers *kept);

#endif
