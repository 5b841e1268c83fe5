/* What the files of an audit share: the noise as it is asked about, and findings. (theory 13.8) */
#ifndef FINF_AUDIT_H
#define FINF_AUDIT_H

#include "base.h"
#include "system.h"

/* Steps that a noise without a horizon is looked at for, where coefficients may be mixed up: as
 * many as are listed, within these. */
#define AUDIT_LOOK_LEAST 100
#define AUDIT_LOOK_MOST 100000

typedef struct {
    const finf_noise *noise; /* Toeplitz; NULL: a matrix or another system */
    /* n steps of it; NULL: all time. Borrowed. Of a matrix C and B are in it, whichever was
     * given */
    const finf_system *system;
    int inverted;    /* of a matrix: B was given, and C computed */
    double residual; /* of a matrix: |I - M V|_2 is at most that, V the computed inverse of M */
    finf_audit_options o;
    finf_audit_result *out;
} audit;

/* ---- facts.c --------------------------------------------------------------------------------- */

/* A matrix in two spellings: the struct of `s` with C and B exchanged. Nothing is owned. */
finf_system audit_exchanged(const finf_system *s);
/* |M||V| as bound of the residual: n eps (|M||V| 1-norm times oo-norm)^{1/2}. */
finf_status audit_residual(const double *M, const double *V, size_t n, double *out);
/* Variances of prefix sums: their sum, mean and largest. */
finf_status audit_prefix(audit *x, finf_reason *why);
/* Squared sensitivity to k participations b apart; *lower is what is attained. */
finf_status audit_sensitivity(const audit *x, const finf_system *s, size_t k, size_t b,
                              finf_design_count count, finf_real *sens2, finf_real *lower,
                              finf_reason *why);
/* rho and epsilon of a squared sensitivity, for sigma and delta as far as they are there. */
finf_status audit_privacy(const audit *x, finf_real sens2, finf_real *rho, finf_real *epsilon,
                          finf_reason *why);

/* ---- findings.c ------------------------------------------------------------------------------ */

void audit_add(audit *x, finf_audit_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Infinite sensitivity; noise that grows; noising and strategy mixed up; sum and mean. */
finf_status audit_find(audit *x, finf_reason *why);

/* ---- claims.c -------------------------------------------------------------------------------- */

/* A finding for each claim that does not hold. */
finf_status audit_judge(audit *x, finf_reason *why);

#endif
