/* The families of `finf design` without a horizon: for F_inf of linear regression (theory 5, 11.3,
 * 13.2), or for the bound of every strongly convex, smooth F (theory 7.7). */
#include "designs.h"

/* ---- the noise of a family ------------------------------------------------------------------- */

/* Where every noise diverges any is as good as another: the answer is infinite, with its reason. */
static int diverges(const problem *p)
{
    finf_noise *sgd = NULL;
    finf_linreg_options o = linreg_of(p);
    finf_linreg_result r = {.stable = 1};
    finf_iqc_result q = {.bound = {.value = 0}};
    finf_status s = finf_noise_sgd(&sgd);
    o.optimum = 0;
    if (!s && p->kind == PROBLEM_LINREG) s = finf_linreg(sgd, p->eta, p->H, &o, &r);
    if (!s && p->kind == PROBLEM_CONVEX) s = finf_iqc(sgd, p->eta, p->kappa, &p->iqc, &q);
    finf_noise_free(sgd);
    return !s && (!r.stable || isinf(q.bound.value));
}

static finf_status fit_blt(design_row *row, const problem *p, finf_reason *why)
{
    finf_linreg_options o = linreg_of(p);
    finf_iqc_options q = p->iqc;
    finf_iqc_result unused;
    finf_blt_fit_options f = finf_blt_fit_options_default();
    f.cancel = p->iqc.cancel;
    q.certify = 0;
    q.solver = FINF_IQC_NEWTON; /* the faster: the bound is found again below */
    finf_status s = p->kind == PROBLEM_CONVEX
                        ? finf_blt_fit_iqc(p->eta, p->kappa, &q, row->buffers, &row->fit, &unused)
                        : finf_blt_fit_linreg(p->eta, p->H, &o, row->buffers, &f, &row->fit);
    *why = row->fit.reason;
    /* independent noise is the BLT without a buffer */
    if (!row->fit.buffers)
        return (s == FINF_EDOM && diverges(p)) || (s == FINF_ETOL && !finf_cancelled(f.cancel))
                   ? finf_noise_sgd(&row->given)
                   : s;
    finf_status made = finf_noise_blt(row->fit.decay, row->fit.scale, row->fit.buffers, &row->given,
                                      why);
    return made ? made : s;
}

static finf_status best_power(design_row *row, const problem *p, finf_reason *why)
{
    finf_linreg_options o = linreg_of(p);
    finf_linreg_result r;
    double power, nu;
    finf_status s = finf_tune_power_linreg(p->eta, p->H, &o, &power, &nu, &r);
    *why = r.reason;
    return s ? s : finf_noise_power(power, nu, &row->given, why);
}

static finf_status find(design_row *row, const problem *p, finf_reason *why)
{
    switch (row->kind) {
    case DESIGN_NOISE: return FINF_OK;
    case DESIGN_BLT: return fit_blt(row, p, why);
    case DESIGN_POWER: return best_power(row, p, why);
    case DESIGN_NU: return noise_for("nu:best", p, &row->given, why);
    default: return noise_for("best", p, &row->given, why);
    }
}

/* ---- what it has ----------------------------------------------------------------------------- */

/* F_inf, privacy noise's part of it and all, beside the least over all noise. */
static finf_status judge_linreg(const finf_noise *noise, const problem *p, finf_design_result *r)
{
    finf_linreg_options o = linreg_of(p);
    finf_linreg_result part, all;
    finf_status s = finf_linreg(noise, p->eta, p->H, &o, &all);
    if (s) r->reason = all.reason;
    o.privacy.sigma_sgd = 0;
    if (!s && (s = finf_linreg(noise, p->eta, p->H, &o, &part))) r->reason = part.reason;
    if (s) return s;
    r->loss = part.exact;
    r->loss_total = all.exact;
    r->sens2 = part.gamma2;
    r->least = part.optimum.value;
    r->least_error = part.optimum.error;
    if (isinf(part.exact.value)) r->reason = part.reason;
    return FINF_OK;
}

/* The bound, which is of both together, beside the minimax. */
static finf_status judge_convex(const finf_noise *noise, const problem *p, finf_design_result *r)
{
    finf_iqc_result q;
    finf_status s = finf_iqc(noise, p->eta, p->kappa, &p->iqc, &q);
    if (q.reason.text[0]) r->reason = q.reason;
    r->loss = r->loss_total = q.bound;
    r->sens2 = q.gamma2;
    r->least = q.minimax_lower.value;
    r->least_error = q.minimax_lower.error;
    return s;
}

/* A tolerance that the search missed is said, and its noise judged all the same. */
finf_status design_stationary(design_row *row, const problem *p)
{
    finf_design_result *r = &row->r;
    finf_reason why = {""};
    double began = finf_seconds();
    *r = (finf_design_result){
        .family = row->name, .nu = NAN, .sigma = NAN, .least = NAN, .duality_gap = NAN};
    finf_status s = find(row, p, &why);
    if (s && (s != FINF_ETOL || !row->given)) {
        r->reason = why;
        r->seconds = finf_seconds() - began;
        return row->status = s;
    }
    finf_status judged = p->kind == PROBLEM_CONVEX ? judge_convex(row->given, p, r)
                                                   : judge_linreg(row->given, p, r);
    if (why.text[0] && !judged && !r->reason.text[0]) r->reason = why;
    r->seconds = finf_seconds() - began;
    r->sens2_exact = 1;
    r->sigma = finf_noise_multipliers(&p->privacy.set, r->sens2).sigma.value;
    row->status = judged ? judged : s;
    row->done = !judged || (judged == FINF_ETOL && !isnan(r->loss.value));
    return row->status;
}
