/* The exact F_inf of linear regression for many noises at one step: linreg_search.c, for tune.c. */
#ifndef FINF_LINREG_SEARCH_H
#define FINF_LINREG_SEARCH_H

#include "bounds.h"

/* (5.d) as sigma^2 sum_j c_j T_j and a part that no noise changes. (theory 5.1) */
typedef struct {
    size_t n;           /* nodes of the spectral measure; 0: not made, ask finf_linreg */
    double *b;          /* eta lambda_j */
    double *c;          /* eta weight_j/(2 D e_j) */
    double *error;      /* relative, of c_j T_j, but for what T is known to */
    double *T;          /* room */
    double unit;        /* G^2/(2 rho) */
    double fixed;       /* gradient noise's part, .. */
    double fixed_error; /* .. and its error */
} linreg_search;

/* Prepares the values below. Where eta is not stable, or with an optimizer, n is 0. */
finf_status linreg_search_make(double eta, const finf_spectrum *s, const finf_linreg_options *o,
                               linreg_search *out);
/* `exact` of finf_linreg, to the errors of both. */
finf_status linreg_search_at(const linreg_search *x, const finf_noise *noise, finf_real *F,
                             finf_reason *why);
void linreg_search_free(linreg_search *x);

#endif
