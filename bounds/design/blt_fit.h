/* Inside bounds/design/: what the files that fit BLTs share. (theory 13.1, 13.2) */
#ifndef FINF_BLT_FIT_H
#define FINF_BLT_FIT_H

#include "bounds.h"

enum { BLT_MAX = FINF_BLT_BUFFERS_MAX };

/* C = 1 + sum_i scale_i z/(1-(1-leak_i)z) and 1/C = 1 - sum_i weight_i z/(1-(1-zero_i)z). Both
 * poles are kept as their distance from 1, where they crowd, in increasing order; they interlace:
 * 0 < leak_0 < zero_0 < leak_1 < .. < zero_{k-1} < 2, and scale, weight > 0. (13.a) */
typedef struct {
    size_t k;
    double leak[BLT_MAX];
    double scale[BLT_MAX];
    double zero[BLT_MAX];
    double weight[BLT_MAX];
    /* differences, none of which is formed by cancellation */
    double between[BLT_MAX][BLT_MAX]; /* zero_m - leak_i at [i][m] */
    double leaks[BLT_MAX][BLT_MAX];   /* leak_j - leak_i at [i][j] */
    double zeros[BLT_MAX][BLT_MAX];   /* zero_j - zero_m at [m][j] */
} blt_point;

/* Derivatives of a number by each of the four lists, as if these were independent. */
typedef struct {
    double leak[BLT_MAX];
    double scale[BLT_MAX];
    double zero[BLT_MAX];
    double weight[BLT_MAX];
} blt_partials;

/* The loss is the product of two positive numbers: the squared sensitivity, and the error at sigma
 * = 1. `slope` is to be filled with the derivatives of the logarithm of that product. */
typedef struct {
    double sens2;
    double error;
} blt_value;
typedef finf_status blt_loss_fn(const blt_point *p, void *data, blt_value *value,
                                blt_partials *slope);

/* ---- blt_sensitivity.c ---- */

/* Participations 0, b, 2b, .., (k-1) b: the worst there are where c >= 0 never increases. */
typedef struct {
    size_t k, b;
} blt_participation;
/* Those of the options that fit in n steps. */
blt_participation blt_participation_of(const finf_blt_fit_options *opt, size_t n);
/* The squared sensitivity of n >= 1 steps; n = INFINITY: of all time, for one participation. The
 * derivatives of its logarithm by leak and scale are added to `slope`. */
double blt_sensitivity(const blt_point *p, double n, blt_participation who, blt_partials *slope);

/* ---- the losses ---- */

/* blt_density.c: gamma^2 mean(Hx/|C|^2) on nodes of the circle rule in log tan(w/2). */
typedef struct {
    size_t n;
    double *t;      /* tan(w/2) */
    double *weight; /* of the rule times Hx */
} blt_nodes;
blt_loss_fn blt_density_loss;

/* blt_prefix.c: n prefix sums. Their error, the mean or the last; the derivatives of its logarithm
 * are added to `slope`. */
double blt_prefix_error(const blt_point *p, double n, int average, blt_partials *slope);
typedef struct {
    double n;
    int average; /* the mean over all; else the last one */
    blt_participation who;
} blt_prefix_sums;
blt_loss_fn blt_prefix_loss;

/* blt_weights.c: any error of n noising coefficients beta, which also gives its n derivatives. */
typedef finf_status blt_error_fn(const double *beta, void *data, double *error, double *slope);
typedef struct {
    size_t n;
    blt_error_fn *error;
    void *data;
    blt_participation who;
    double *beta;  /* room for n numbers, */
    double *slope; /* and n more */
} blt_coefficients;
blt_loss_fn blt_coefficients_loss;
/* The fit to such an error, which is right to relerr. */
finf_status blt_fit_error(size_t n, blt_error_fn *error, void *data, double relerr, double unit,
                          size_t buffers, const finf_blt_fit_options *opt, finf_blt_fit *out);
blt_error_fn blt_weighted_error; /* of finf_blt_weights */

/* ---- blt_chart.c: every such point from 2k numbers without constraints ---- */

/* The point at q: logit(leak_0) = q_0, logit(leak_i) - logit(leak_{i-1}) = e^{q_i}, i < k; zero_i
 * divides the interval from leak_i to leak_{i+1} (the last one: to 2) at the fraction with the
 * logit q_{k+i}. */
void blt_chart_point(const double *q, size_t k, blt_point *p);
/* The q of given leaks and zeros, in the order above. */
void blt_chart_numbers(const double *leak, const double *zero, size_t k, double *q);
/* The derivatives by q from those by the four lists. */
void blt_chart_gradient(const double *q, const blt_point *p, const blt_partials *slope,
                        double *gradient);
/* q of k buffers, with one more pole and zero, close to each other, in interval number `where` of
 * the 2k+1 that the poles and zeros divide (0, 2) into: k+1 buffers. */
void blt_chart_insert(const double *q, size_t k, size_t where, double *out);
/* The same with a pole whose decay is 0, where a search that moves decays only creeps to. 0: the
 * last zero is beyond. */
int blt_chart_append(const double *q, size_t k, double *out);
/* The same point with decays 1 - leak that are doubles, and how many are left: a pole that meets a
 * zero by that is taken out with it. */
size_t blt_chart_rounded(blt_point *p);

/* ---- blt_fit.c: the search ---- */

typedef struct {
    blt_loss_fn *loss;
    void *data;
    double slowest; /* frequencies below this one matter little: where the leaks of a start begin */
    double relerr;  /* of sens2 and of error */
    const char *method; /* of error */
    double enough;      /* Newton's method ends where a step gains less; 0: at rounding */
} blt_problem;

/* A fit of which nothing is known. */
finf_blt_fit blt_fit_failed(void);
/* The domain of the two. */
finf_status blt_fit_check(size_t buffers, const finf_blt_fit_options *opt, finf_reason *why);
/* Everything but `least` and `ratio`. The loss is unit times sens2 times error. */
finf_status blt_fit_run(const blt_problem *problem, size_t buffers, double unit,
                        const finf_blt_fit_options *opt, finf_blt_fit *out);
/* The answer at the decays and scales of q as they are printed, doubles: all but `left`, `spread`
 * and what was counted. FINF_ETOL: no buffer is left. */
finf_status blt_fit_write(const blt_problem *problem, const double *q, size_t k, double unit,
                          finf_blt_fit *out);

/* A point, the logarithm of the loss there, and coordinates about it in which the Hessian is near
 * 1: q + metric y. */
typedef struct {
    size_t k;
    double q[2 * BLT_MAX];
    double f;
    double left; /* what a step from there may still gain, of the loss */
    double metric[2 * BLT_MAX][2 * BLT_MAX];
} blt_place;
/* From place->q to a minimum nearby, by at most so many steps of BFGS and by Newton's method.
 * FINF_ETOL: cancelled, and the best so far, or there is no number at q. */
finf_status blt_fit_place(const blt_problem *problem, size_t most, finf_cancel cancel,
                          blt_place *place);
/* Leaks from `low` to 1/2: where a search may begin. */
void blt_log_spaced(double low, size_t k, double *q);

/* ---- blt_geometric.c ---- */

/* G = 1 + x + .. + x^{n-1} and H = sum_{t<n} (n-t) x^t for x = 1 - gap, 0 < gap < 2, n >= 0, with
 * their derivatives by gap. n = INFINITY is allowed in G. */
typedef struct {
    double sum, slope;
} blt_sum;
blt_sum blt_geometric(double gap, double n);
blt_sum blt_triangular(double gap, double n);

/* ---- blt_certificate.c ---- */

/* Fills the fields of `out` that say what is proved of its decays and scales. */
void blt_certify(const blt_point *p, finf_blt_fit *out);

#endif
