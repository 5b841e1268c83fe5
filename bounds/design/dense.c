/* The least loss over all matrices: min tr(M X^{-1}), X = C'C of sensitivity at most 1. (theory
 * 12.2, 12.3)
 *
 * The dual is over U, a positive definite block for each group of steps that one user takes part in
 * (groups.c), with v_g on its diagonal: every U gives
 *
 *     T^2/sum v <= the loss of every C,   T = tr (U^{1/2} M U^{1/2})^{1/2},
 *
 * and X = W^{-T} (W'MW)^{1/2} W^{-1}, WW' = U, with the columns of a group made orthogonal and
 * scaled to sensitivity 1, is feasible. For the largest loss over t M is sum_t u_t M_t, and the
 * dual is over the weights u too: their map is u_t <- u_t (f_t/mean f)^2, f_t the loss at t. Both
 * maps together are mixed (dense_search.c); near the optimum Newton's method takes over
 * (dense_newton.c).
 *
 * What is returned is computed anew: the loss from C, and the lower bound from a matrix Z of norm
 * at most 1, as T = max { tr(Z'Y) : |Z| <= 1 } for Y'Y = W'MW (certify.c). */
#include "dense_band.h"
#include "dense_design.h"

#include <stdlib.h>
#include <string.h>

/* ---- room ------------------------------------------------------------------------------------ */

static finf_status work_make(const finf_design *r, dense_work *w)
{
    size_t n = r->n;
    w->r = r;
    w->weighted = r->o.objective == FINF_DESIGN_MAX;
    finf_status s = design_groups_make(r, &w->g);
    if (s) return s;
    size_t blocks = w->g.block[w->g.groups], length = design_groups_length(&w->g);
    w->length = length + (w->weighted ? n + 1 : 0);
    w->L = malloc((3 * n * n + 3 * blocks + 5 * w->length + 5 * (n + 1)) * sizeof *w->L);
    if (!w->L) return FINF_ENOMEM;
    w->Y = w->L + n * n;
    w->Q = w->Y + n * n;
    w->U = w->Q + n * n;
    w->W = w->U + blocks;
    w->X = w->W + blocks;
    w->x = w->X + blocks;
    w->best_up = w->x + w->length;
    w->best_low = w->best_up + w->length;
    w->weight = w->best_low + w->length;
    w->mixed = w->weight + w->length;
    w->s = w->mixed + w->length;
    w->u = w->s + n + 1;
    w->f = w->u + n + 1;
    w->sens = w->f + n + 1;
    w->ridge = w->sens + n + 1;
    if (w->weighted) {
        w->K = malloc(2 * n * n * sizeof *w->K);
        if (!w->K) return FINF_ENOMEM;
        return design_responses(r, &w->responses);
    }
    return FINF_OK;
}

static void work_free(dense_work *w)
{
    design_groups_free(&w->g);
    free(w->L);
    free(w->K);
    free(w->responses);
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* A lower bound above the loss by no more than their errors is the loss. */
void dense_set_gap(finf_design_result *out)
{
    double above = out->least - out->loss.value;
    if (above > 0 && above <= out->least_error + out->loss.error) out->least = out->loss.value;
    out->duality_gap = out->loss.value / out->least - 1;
}

/* C at the best point: X scaled, its rows in the order of the steps. */
static finf_status strategy(dense_work *w, double *C, finf_reason *why)
{
    finf_status s = dense_evaluate_up(w, why);
    if (s) return s;
    dense_scale(w, w->best_scaling);
    return dense_strategy(w, C);
}

/* FINF_ETOL, and what is in the way of a smaller gap, where it is not small enough. */
static finf_status explain(const dense_work *w, finf_design_result *out)
{
    const finf_design_options *o = &w->r->o;
    if (finf_cancelled(o->cancel) && isnan(out->least))
        return finf_why(&out->reason, FINF_ETOL,
                        "stopped before the first iteration: the best Toeplitz noise so far");
    if (finf_cancelled(o->cancel))
        return finf_why(&out->reason, FINF_ETOL, "stopped after %d iterations: the gap is %.2g",
                        out->iterations, out->duality_gap);
    if (out->duality_gap <= DENSE_SUFFICIENT || dense_is_relaxed(w->r)) return FINF_OK;
    return finf_why(&out->reason, FINF_ETOL,
                    w->singular && !w->weighted
                        ? "the gap is %.2g: the loss does not see some noise at all, and "
                          "its least value is not attained"
                        : "the gap is %.2g after %d iterations",
                    out->duality_gap, out->iterations);
}

/* The result at the best points found. */
static finf_status answer(dense_work *w, finf_design_result *out)
{
    size_t n = w->r->n;
    double *C = malloc(n * n * sizeof *C), lower = NAN;
    finf_status s = C ? strategy(w, C, &out->reason) : FINF_ENOMEM;
    if (!s) s = finf_system_matrix(C, n, &out->system, &out->reason);
    free(C);
    if (!s) s = dense_evaluate_low(w, &out->reason);
    if (!s) s = dense_certify(w, &lower);
    if (!s) s = design_judge(w->r, out);
    if (s) return s;
    out->iterations = w->iterations;
    out->least = lower * w->r->spread;
    /* a trace of n^2 products, squared, as the loss is */
    out->least_error = 2 * FINF_EPS * (64 + 16 * sqrt((double)n)) * out->least;
    dense_set_gap(out);
    out->memory = n - 1;
    return FINF_OK;
}

/* The search, and what it found: *answered says whether that is in `out`. */
static finf_status solve(const finf_design *r, dense_work *w, finf_design_result *out,
                         int *answered)
{
    finf_design uncancelled = *r; /* what was found is worth judging, also after a stop */
    uncancelled.o.cancel = (finf_cancel){NULL, NULL};
    finf_status s = work_make(r, w);
    if (s) return s;
    design_weights(r, w->u);
    s = dense_factor_workload(w);
    if (s) return s;
    dense_begin(w);
    s = dense_search(w, &out->reason);
    if (s && !(s == FINF_ETOL && w->best_upper < INFINITY)) return s;
    w->r = &uncancelled;
    s = answer(w, out);
    w->r = r;
    *answered = !s;
    return s;
}

/* The same where the dual may leave a gap, beside Toeplitz noise, which takes seconds and is there
 * when the search is stopped, and bands. */
static finf_status solve_relaxed(const finf_design *r, dense_work *w, finf_design_result *out,
                                 int *answered)
{
    finf_design quiet = *r; /* the losses of two searches would not fall one after the other */
    quiet.o.progress = NULL;
    finf_design_result toeplitz;
    finf_status s = finf_design_toeplitz(&quiet, 0, &toeplitz);
    if (s != FINF_ENOMEM) s = solve(r, w, out, answered);
    *answered = !s || (s == FINF_ETOL && finf_cancelled(r->o.cancel) && toeplitz.system);
    if (!*answered) {
        finf_design_result_free(&toeplitz);
        return s;
    }
    out->memory = r->n - 1;
    dense_keep_better(&toeplitz, out);
    return finf_cancelled(r->o.cancel) ? FINF_OK : dense_try_bands(r, w->u, out);
}

finf_status finf_design_dense(const finf_design *r, finf_design_result *out)
{
    double began = finf_seconds();
    int answered = 0;
    *out = design_result_failed("dense");
    if (r->n > FINF_SYSTEM_DENSE_MAX)
        return finf_why(&out->reason, FINF_EDOM, "dense of %zu steps: at most %u", r->n,
                        FINF_SYSTEM_DENSE_MAX);
    dense_work w = {.best_upper = INFINITY, .best_lower = 0};
    finf_status s = dense_is_relaxed(r) ? solve_relaxed(r, &w, out, &answered)
                                        : solve(r, &w, out, &answered);
    if (s) answered = 0;
    if (answered) s = explain(&w, out);
    work_free(&w);
    if (!answered) {
        finf_reason why = out->reason;
        finf_design_result_free(out);
        *out = design_result_failed("dense");
        out->reason = why;
        if (s == FINF_ENOMEM) finf_why(&out->reason, s, "no memory for %zu steps", r->n);
        if (s == FINF_EDOM && !why.text[0])
            finf_why(&out->reason, s, "the loss of %zu steps is 0, or overflows: no noise is best",
                     r->n);
        if (s == FINF_ETOL && !why.text[0])
            finf_why(&out->reason, s, "stopped before the first iteration");
    }
    out->seconds = finf_seconds() - began;
    return s;
}
