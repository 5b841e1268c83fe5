/* The proof of a bound in ball arithmetic (theory 7.13), as the rest of socp/ sees it; Arb is seen
 * by certify.h's files only. */
#ifndef FINF_CERTIFICATE_H
#define FINF_CERTIFICATE_H

#include "program.h"

typedef struct {
    double gamma2_upper; /* Proved: gamma^2 is at most this. */
    double dp_upper;     /* Proved: so is the mean of psi. */
    double sgd_upper;    /* Proved: so is the mean of psi', for the gradient noise. */
    double seconds;      /* The time it took. */
    int certified;       /* Whether all of these are proved. */
    finf_reason reason;  /* Why not. */
} socp_certificate;
/* x: the multipliers; estimate: the same bound in doubles, which the enclosure must contain. */
finf_status socp_certify(const socp_model *mo, double kappa, const finf_noise *noise,
                         const socp_grid *g, const socp_basis *b, const double *x,
                         socp_weights weights, const socp_recomputed *estimate, finf_cancel cancel,
                         socp_certificate *out);

/* NULL: built without, or not found. */
const char *socp_arb_version(void);
const char *socp_flint_version(void);

#endif
