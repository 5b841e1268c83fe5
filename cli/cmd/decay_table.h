/* The table of decays of finf rates (the paper's Table 3), for cmd_rates.c and decay_slopes.c. */
#ifndef FINF_DECAY_TABLE_H
#define FINF_DECAY_TABLE_H

#include "rates.h"
#include "sweep.h"

typedef struct {
    sweep_row end;
    double a, d, eta; /* decay, dimension and step size */
    /* Tr H/lambda_1; the best nu; then F_inf of DP-SGD, of nu = eta mu and of the best nu, the
     * least over all noise, and the paper's lower bound */
    finf_real d_eff, best_nu, sgd, nu, best, optimum, floor;
    finf_rates rate;    /* what the paper has for them, with unit constants */
    finf_reason reason; /* why they are infinite */
} decay_cell;

typedef struct {
    rate_axes x;
    decay_cell *cells; /* eta fastest, then d, then decay */
    size_t n;
} decay_table;

/* The cell of these indices into the axes. */
static inline decay_cell *decay_at(const decay_table *t, size_t decay, size_t dim, size_t eta)
{
    return &t->cells[(decay * t->x.n_dims + dim) * t->x.n_etas + eta];
}

/* The slopes of each curve of the table; all cells are filled. */
finf_status show_slopes(doc *d, const args *a, const decay_table *t, finf_reason *why);

#endif
