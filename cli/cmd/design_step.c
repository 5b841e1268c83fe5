/* `finf design` without --eta: the step at which the run's loss, the start's part included, is
 * least for the best nu. (theory 12.1) */
#include <stdlib.h>

#include "designs.h"

#define SCAN_MOST 24 /* halvings of the largest stable step */
#define RISES 2      /* of the loss in turn that end the scan */

typedef struct {
    const problem *p;
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
    finf_status s = finf_design_make(rounded(eta), a->p->H, a->n, a->o, &run, why);
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

finf_status design_step(const problem *p, size_t n, const finf_design_options *o, double *eta,
                        finf_reason *why)
{
    step_search a = {p, n, o, NAN, INFINITY};
    double most, at;
    finf_real top;
    int better, rises = 0;
    if (n > DESIGN_STEP_MOST)
        return finf_why(why, FINF_EUSAGE, "a run of %zu steps needs --eta: it is chosen up to %d",
                        n, DESIGN_STEP_MOST);
    finf_status s = finf_linreg_eta_max(p->H, p->kurtosis, p->optimizer, &top, why);
    most = top.value;
    if (!s && !(most > 0))
        s = finf_why(why, FINF_EDOM, "no step converges for this optimizer: give --eta");
    for (int i = 1; i <= SCAN_MOST && rises < RISES && !s; i++) {
        s = try_step(&a, ldexp(most, -i), &better, why);
        rises = better ? 0 : rises + (a.least < INFINITY);
    }
    at = a.eta;
    if (!s) s = try_step(&a, at * sqrt(2), &better, why);
    if (!s) s = try_step(&a, at / sqrt(2), &better, why);
    *eta = a.eta;
    return s;
}
