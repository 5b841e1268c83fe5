/* Alternation for the bounds without causality, theory 7.7: the SOCP for fixed |B|, then |B|^2 =
 * psi^{-1/2}, which by Cauchy-Schwarz minimises gamma^2(B) (1/2pi) int |B|^2 psi for that psi, with
 * or without gradient noise. Neither step can raise the bound. The joint problem minimises a
 * concave function: the end is a stationary point, and the start's. */
#include <math.h>

#include "optimize.h"

/* The B-step: |B|^2 = psi^{-1/2}, scaled to mean log|B| = 0, that is beta_0 = 1. */
static void follow(const socp_moving *v, double complex *logB)
{
    double mean = 0;
    for (size_t j = 0; j < v->grid.n; j++) {
        logB[j] = -log(socp_moving_psi(v, j)) / 4;
        mean += v->grid.q[j] * creal(logB[j]);
    }
    for (size_t j = 0; j < v->grid.n; j++) logB[j] -= mean;
}

/* Rounds until the bound changes by less than tol (relative); the certificate left in v is that of
 * the last round. */
finf_status socp_alternate(socp_moving *v, double complex *logB, double tol, int max_rounds,
                           socp_descent *d)
{
    double fine = fmax(tol / 100, 1e-9);
    d->rounds = 0;
    finf_status st = socp_moving_solve(v, logB, NULL, fine);
    d->history[0] = v->value;
    for (double change = INFINITY; st == FINF_OK && change > tol;) {
        if (d->rounds == (size_t)max_rounds) return FINF_ETOL;
        follow(v, logB);
        st = socp_moving_solve(v, logB, NULL, fine);
        if (st != FINF_OK) break;
        double before = d->history[d->rounds], now = fmin(before, v->value);
        d->history[++d->rounds] = now;
        change = (before - now) / now;
    }
    return st;
}
