/* A run for which neither a step nor families are given: the step at which its loss, the start's
 * part included, is least for the best nu, and the families that are worth their time. (theory
 * 12.1) */
#include <stdio.h>
#include <stdlib.h>

#include "design.h"

#define SCAN_MOST 24 /* halvings of the largest stable step */
#define RISES 2      /* of the loss in turn that end the scan */

typedef struct {
    const finf_spectrum *s;
    size_t n;
    const finf_design_options *o;
    double eta, least; /* the best so far */
} step_search;

/* Two digits: the loss is flat there, and they are easily given again. */
static double rounded(double eta)
{
    char text[32];
    snprintf(text, sizeof text, "%.2g", eta);
    return strtod(text, NULL);
}

/* The loss at one step; a loss that overflows is infinite. 1: it is the least so far. */
static finf_status try_step(step_search *a, double eta, int *better, finf_reason *why)
{
    finf_design *run = NULL;
    finf_design_result r;
    *better = 0;
    finf_status s = finf_design_make(rounded(eta), a->s, a->n, a->o, &run, why);
    if (s) return s;
    s = finf_design_nu(run, &r);
    if (!s && r.loss_total.value < a->least) {
        a->least = r.loss_total.value;
        a->eta = rounded(eta);
        *better = 1;
    }
    if (s) *why = r.reason;
    finf_design_result_free(&r);
    finf_design_free(run);
    return s == FINF_EDOM ? FINF_OK : s;
}

finf_status finf_design_step(const finf_spectrum *s, size_t n, const finf_design_options *opt,
                             double *eta, finf_reason *why)
{
    finf_design_options o = opt ? *opt : finf_design_options_default();
    finf_linreg_options problem = {
        .kurtosis = o.kurtosis, .optimizer = o.optimizer, .cancel = o.cancel};
    step_search a = {s, n, &o, NAN, INFINITY};
    finf_real top;
    int better, rises = 0;
    *eta = NAN;
    if (n > FINF_DESIGN_STEP_MAX)
        return finf_why(why, FINF_EDOM, "steps = %zu: a step is chosen for at most %u", n,
                        FINF_DESIGN_STEP_MAX);
    finf_status status = finf_linreg_eta_max_with(s, &problem, &top, why);
    double most = top.value, at;
    if (!status && !(most > 0))
        status = finf_why(why, FINF_EDOM, "no step converges for this optimizer: give eta");
    for (int i = 1; i <= SCAN_MOST && rises < RISES && !status; i++) {
        status = try_step(&a, ldexp(most, -i), &better, why);
        rises = better ? 0 : rises + (a.least < INFINITY);
    }
    at = a.eta;
    if (!status) status = try_step(&a, at * sqrt(2), &better, why);
    if (!status) status = try_step(&a, at / sqrt(2), &better, why);
    if (!status) *eta = a.eta;
    return status;
}

/* ---- families -------------------------------------------------------------------------------- */

#define DENSE_MOST 1000    /* steps up to which the dense optimum is among them: seconds, */
#define DENSE_QUICK 400    /* and where it is to be quick */
#define ME_MOST 2048       /* up to which the optimum for prefix sums is */
#define SCALED_MOST 2048   /* up to which scaled:4 is, */
#define SCALED_ROOM 131072 /* if steps times directions are no more than this: seconds */
#define BAND 32            /* of the banded noise, */
#define BAND_LONG 128      /* and of more than DENSE_QUICK steps */

/* scaled:k is not searched for `max`, and the last prefix sum has no least loss (theory 12.5). */
static int worth_scaling(size_t steps, double dim, finf_design_objective objective)
{
    if (objective == FINF_DESIGN_MAX || (dim == 0 && objective == FINF_DESIGN_LAST)) return 0;
    return steps <= SCALED_MOST && fmax(dim, 1) * (double)steps <= SCALED_ROOM;
}

void finf_design_families(size_t steps, double dim, int quick, const finf_design_options *opt,
                          char *text, size_t size)
{
    finf_design_options o = opt ? *opt : finf_design_options_default();
    if (!steps) {
        snprintf(text, size,
                 "best,blt:1,blt:2,blt:3,blt:4,blt:5,blt:6,blt:7,blt:8,blt:9,blt:10,nu,%ssgd",
                 quick ? "" : "power,");
        return;
    }
    quick = quick || o.participations > 1 || o.objective == FINF_DESIGN_MAX;
    char band[32] = "";
    if (steps > BAND)
        snprintf(band, sizeof band, ",banded:%d", steps > DENSE_QUICK ? BAND_LONG : BAND);
    snprintf(text, size, "%stoeplitz%s,blt:2,blt:4,%snu,%ssgd",
             steps <= (quick ? DENSE_QUICK : DENSE_MOST) ? "dense," : "", band,
             worth_scaling(steps, dim, o.objective) ? "scaled:4," : "",
             steps <= (quick ? DENSE_QUICK : ME_MOST) ? "me," : "");
}
