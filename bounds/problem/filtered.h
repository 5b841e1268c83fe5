/* What noise does to theta through an optimizer's closed loop: filtered.c, partial_fractions.c. */
#ifndef FINF_FILTERED_H
#define FINF_FILTERED_H

#include "bounds.h"
#include "optimizer.h"

/* For one q = eta (h + V) and eta = 1, with G = b/(a + q b); on a curvature h the second moments
 * are eta^2 times these. Bars have |A|^2 inside. (theory 11.2) */
typedef struct {
    finf_real g;     /* mean |G|^2 */
    finf_real g_bar; /* mean |A G|^2 */
    finf_real N;     /* mean |G B|^2; +inf where beta is not square-summable */
    finf_real N_bar; /* mean |A G B|^2 */
} filtered;

/* g and g_bar at n stable q; N and N_bar are left as failed. FINF_ETOL: some mean has not settled,
 * or q is too near the edge of stability; what was reached is there, with its error. Or `cancel`,
 * which is polled before each q: then nothing there is to be used. */
finf_status filtered_white(const finf_optimizer *o, const double *q, size_t n, finf_cancel cancel,
                           filtered *out, finf_reason *why);
/* N and N_bar beside them, where filtered_white has been. */
finf_status filtered_noise(const finf_optimizer *o, const finf_noise *noise, const double *q,
                           size_t n, finf_cancel cancel, filtered *out, finf_reason *why);
/* All four. */
finf_status filtered_gains(const finf_optimizer *o, const finf_noise *noise, const double *q,
                           size_t n, finf_cancel cancel, filtered *out, finf_reason *why);

/* The panels for means of |G|^2 W at n q: W varies from frequency `scale` on, and |A|^2 and the
 * noise (may be NULL) are in it. The arrays belong to the plan; filtered_plan_free. */
typedef struct {
    panel_plan plan;
    panel_feature *feature;
    double *knot;
    double *peak, *width; /* n each: where the pole of q[i] nearest to the axis of u is */
} filtered_plan;
finf_status filtered_plan_make(const finf_optimizer *o, const finf_noise *noise, const double *q,
                               size_t n, filtered_plan *out);
void filtered_plan_free(filtered_plan *p);

/* ---- finite_beta.c ---- */

/* mean |G B|^2, or |A G B|^2, of n coefficients beta. */
finf_status finite_beta_mean(const finf_optimizer *o, const double *beta, size_t n, double q,
                             int with_average, finf_real *out);

/* ---- partial_fractions.c ---- */

/* The closed loop with its averaging filter as at most three real poles 1 - b_i: |A G|^2 = sum_i
 * share_i/|1-b_i-e^{iw}|^2, so that a mean against any |B|^2 is a sum of T(b_i). */
#define FRACTIONS_MAX 3
typedef struct {
    size_t n;
    double b[FRACTIONS_MAX];
    double share[FRACTIONS_MAX];
    double error; /* relative, of each share */
} fractions;

/* 0 where there is no such sum, or its terms would cancel: complex or nearby poles, a filter,
 * last:K. averaged: with |A|^2. */
int fractions_make(const finf_optimizer *o, double q, int averaged, fractions *out);
/* The mean from T_i = T(b_i), each with the relative error T_error. */
finf_real fractions_mean(const fractions *f, const double *T, double T_error);

#endif
