/* The options of the bound for strongly convex, smooth F (theory 7), and how it is shown: the same
 * in iqc, optimize and tune. */
#include "iqc_options.h"

#include <stdlib.h>
#include <string.h>

/* The options are read into ints and then cast: args_choice knows numbers, not the library's
 * enums. */
finf_status read_iqc(const args *a, finf_iqc_options *out, finf_reason *why)
{
    finf_iqc_options o = finf_iqc_options_default();
    int bound = 0, class = 0, constants = 0, solver = 0;
    finf_status s = args_number(a, OPT_SMOOTH, &o.smooth, why);
    if (!s && !(o.smooth >= 1e-50 && o.smooth <= 1e50))
        s = finf_why(why, FINF_EDOM, "smooth = %s: must be positive, from 1e-50 to 1e50",
                     finf_show(o.smooth).s);
    if (!s) s = args_whole(a, OPT_DIM, 1, FINF_DIM_MAX, &o.dim, why);
    if (!s) s = args_choice(a, OPT_BOUND, &bound, why);
    if (!s) s = args_choice(a, OPT_CLASS, &class, why);
    if (!s) s = args_choice(a, OPT_CONSTANTS, &constants, why);
    if (!s) s = args_choice(a, OPT_SOLVER, &solver, why);
    /* 0 stands for the bare word: the grid and the basis that the library chooses */
    if (!s) s = args_sized(a, OPT_GRID, "auto", "uniform", 1e6, &o.grid_uniform, why);
    if (!s) s = args_sized(a, OPT_MULTIPLIER, "compact", "fir", 2000, &o.fir, why);
    o.bound = (finf_iqc_bound)bound;
    o.multipliers = (finf_iqc_class) class;
    o.constants = (finf_iqc_constants)constants;
    o.solver = (finf_iqc_solver)solver;
    /* auto would take ECOS, which is slower: it matters where there are many programs */
    if (a->is_point && o.solver == FINF_IQC_AUTO) o.solver = FINF_IQC_NEWTON;
    o.certify = args_given(a, OPT_CERTIFY);
    *out = o;
    return s;
}

/* A uniform grid of N points integrates the slowest mode with a relative error of about e^(-eta mu
 * N), so N >= 20/(eta mu) is asked for; a multiplier of T lags has to reach as far as that mode
 * remembers, T >= 1/(eta mu). On less the optimiser exploits what lies between the points and the
 * result is no bound worth having. (theory 7.5, 10.9) */
finf_status check_iqc_sizes(const args *a, const finf_iqc_options *o, double eta, double kappa,
                            finf_reason *why)
{
    double slow = eta * o->smooth / kappa; /* eta mu: the slowest mode */
    /* the library's domain, which --force does not widen */
    finf_status s = finf_iqc_check(eta, kappa, o, why);
    if (s) return s;
    if (args_given(a, OPT_FORCE)) return FINF_OK;
    if (o->grid_uniform && (double)o->grid_uniform < 20 / slow)
        return finf_why(why, FINF_EDOM,
                        "uniform:%zu is too coarse for eta*mu = %s: at least uniform:%.0f (or "
                        "auto; --force takes it)",
                        o->grid_uniform, finf_show(slow).s, ceil(20 / slow));
    if (o->fir && (double)o->fir < 1 / slow)
        return finf_why(why, FINF_EDOM,
                        "fir:%zu is too short for eta*mu = %s: at least fir:%.0f (or compact; "
                        "--force takes it)",
                        o->fir, finf_show(slow).s, ceil(1 / slow));
    return FINF_OK;
}

/* Which multipliers are allowed decides for which F the bound holds: all, or those symmetric about
 * their minimum, whose gradient is odd. (theory 7.1, 10.1) */
const char *iqc_class_note(const finf_iqc_options *o)
{
    switch (o->multipliers) {
    case FINF_IQC_GENERAL: return "every mu-strongly convex, L-smooth F";
    case FINF_IQC_ODD: return "F symmetric about its minimum only";
    case FINF_IQC_PAPER:
        return "F symmetric about its minimum only: the paper's sign, below the truth for others";
    }
    return "";
}

/* The Gaussian bound assumes more than the others: w must be Gaussian, and gradient noise, if there
 * is any, independent of theta. (theory 7.11) */
const char *iqc_noise_note(const finf_iqc_options *o)
{
    return o->bound != FINF_IQC_GAUSSIAN ? ""
           : o->privacy.sigma_sgd > 0
               ? ", Gaussian w, and gradient noise that does not depend on theta"
               : ", and Gaussian w";
}

/* Two of the bounds are on the distance, (L/2) E|theta|^2 >= F_inf. (theory 7.2) */
int iqc_is_dist(const finf_iqc_options *o)
{
    return o->bound == FINF_IQC_DIST || o->bound == FINF_IQC_SHARP_DIST;
}

/* Is an average of the points reported? The bound is then theirs, the lower bounds the average's.
 * (theory 11.4) */
static int averaged(const finf_iqc_options *o)
{
    char name[8] = "";
    finf_optimizer_spell_average(o->optimizer, name, sizeof name);
    return strcmp(name, "none") != 0;
}

const char *iqc_minimax_note(const finf_iqc_options *o)
{
    if (averaged(o))
        return iqc_is_dist(o)
                   ? "no noise at all has a worst case of (L/2) E|theta|^2, averaged, below this"
                   : "no noise at all has a worst case of the average below this";
    return iqc_is_dist(o) ? "no noise at all has a worst case of (L/2) E|theta|^2 below this"
                          : "no noise at all has a worst case below this";
}

/* What is said beside the worst quadratic's value, which is below every true bound: its curvature h
 * in [mu, L], or that all of them diverge (then there is no worst one). */
static void quadratic_note(const finf_iqc_options *o, const finf_iqc_result *r, char *out,
                           size_t size)
{
    char curvature[32] = "";
    if (isfinite(r->quadratic_h))
        snprintf(curvature, sizeof curvature, " (curvature %.4g)", r->quadratic_h);
    if (isinf(r->quadratic_lower.value) && !curvature[0])
        snprintf(out, size, "every quadratic diverges");
    else
        snprintf(out, size, "%sthe worst quadratic%s%s: no bound%s can be lower",
                 iqc_is_dist(o) ? "(L/2) E|theta|^2 of " : "", curvature,
                 averaged(o) ? ", of the average" : "", iqc_is_dist(o) ? " on that" : "");
}

/* How the solver's answer became a bound (theory 7.8). */
static void show_solution(doc *d, const problem *p, const finf_iqc_result *r)
{
    doc_number(d, "solver_bound", SHOWN, r->grid_value, "the solver's own objective: not a bound");
    doc_number(d, "solver_gap", SHOWN, r->solver_gap, "its relative gap");
    doc_number(d, "repair", SHOWN, r->repair,
               "relative change of the multiplier that made it feasible everywhere");
    doc_number(d, "a_min", SHOWN, r->a_min,
               "least a(w), relative to its terms: positive on all frequencies");
    doc_number(d, "seconds", SHOWN, r->seconds, NULL);
    if (p->iqc.certify) doc_number(d, "certify_seconds", SHOWN, r->certify_seconds, "of the proof");
}

/* Which bound, and for which F: in text where they are not the default, so that a table says it
 * too. */
static void show_kind(doc *d, const finf_iqc_options *o)
{
    const finf_iqc_options usual = finf_iqc_options_default();
    doc_string(d, "bound_kind", o->bound == usual.bound ? DATA_ONLY : SHOWN,
               finf_iqc_bound_name(o->bound),
               iqc_is_dist(o) ? "bound, lower and minimax are of (L/2) E|theta|^2, which is at "
                                "least F - F*; what is simulated is F - F*"
                              : NULL);
    doc_string(d, "class", o->multipliers == usual.multipliers ? DATA_ONLY : SHOWN,
               finf_iqc_class_name(o->multipliers), iqc_class_note(o));
}

/* In text one line for all that CSV and JSON have under six keys. */
static void show_solver(doc *d, const finf_iqc_result *r)
{
    char line[160];
    doc_string(d, "solver", DATA_ONLY, r->solver, NULL);
    doc_string(d, "solver_status", DATA_ONLY, r->solver_status, NULL);
    doc_number(d, "solver_code", DATA_ONLY, r->solver_code, NULL);
    doc_number(d, "iterations", DATA_ONLY, r->iterations, NULL);
    doc_number(d, "grid_points", DATA_ONLY, (double)r->grid_points, NULL);
    doc_number(d, "basis_size", DATA_ONLY, (double)r->basis_size, NULL);
    snprintf(line, sizeof line, "%.20s: %.40s, %d iteration%s, %zu frequencies, %zu unknowns",
             r->solver, r->solver_status, r->iterations, r->iterations == 1 ? "" : "s",
             r->grid_points, r->basis_size);
    doc_string(d, "solver", TEXT_ONLY, line, NULL);
}

void show_bound_of(doc *d, const finf_iqc_options *o)
{
    if (averaged(o))
        doc_string(d, "bound_of", SHOWN, "the points without averaging",
                   "it holds for their average, as F is convex, and is no tighter");
}

/* Text shows what differs from its default and a line on the solver; CSV and JSON have all of it.
 * unit_..: per unit of d sigma^2, before privacy scales it. */
void show_iqc(doc *d, const args *a, const problem *p, const finf_iqc_result *r, int minimax)
{
    const finf_iqc_options *o = &p->iqc;
    char note[240];
    doc_number(d, "eta", SHOWN, p->eta, "step size");
    doc_number(d, "kappa", SHOWN, p->kappa, "condition number L/mu");
    doc_number(d, "smooth", o->smooth == 1 ? DATA_ONLY : SHOWN, o->smooth, "smoothness L");
    doc_number(d, "d", o->dim == 1 ? DATA_ONLY : SHOWN, o->dim, "dimension");
    show_optimizer(d, a, p->optimizer, p->eta, o->smooth / p->kappa, o->smooth);
    show_setting(d, &p->privacy, r->gamma2);
    doc_real(d, "gamma2", SHOWN, r->gamma2, "gamma_inf^2, sensitivity squared");
    show_kind(d, o);
    snprintf(note, sizeof note, "%s at most this, for %s%s",
             iqc_is_dist(o) ? "(L/2) E|theta|^2, and so F_inf, is" : "F_inf is", iqc_class_note(o),
             iqc_noise_note(o));
    doc_real(d, "bound", SHOWN, with_rho(&p->privacy, r->bound), note);
    show_bound_of(d, o);
    doc_real(d, "unit_bound", DATA_ONLY, r->unit_bound, NULL);
    if (o->privacy.sigma_sgd > 0) doc_real(d, "unit_sgd", DATA_ONLY, r->unit_sgd, NULL);
    doc_bool(d, "certified", o->certify ? SHOWN : DATA_ONLY, r->certified,
             "proved in ball arithmetic");
    doc_number(d, "certified_upper", o->certify ? SHOWN : DATA_ONLY, r->certified_upper,
               "the bound that is proved");
    quadratic_note(o, r, note, sizeof note);
    doc_real(d, "lower", SHOWN, with_rho(&p->privacy, r->quadratic_lower), note);
    doc_real(d, "unit_lower", DATA_ONLY, r->unit_quadratic_lower, NULL);
    if (minimax) {
        doc_real(d, "minimax", SHOWN, with_rho(&p->privacy, r->minimax_lower), iqc_minimax_note(o));
        doc_real(d, "gap", SHOWN, finf_real_over(r->bound, r->minimax_lower), "bound / minimax");
    }
    show_solver(d, r);
    if (args_given(a, OPT_VERBOSE)) show_solution(d, p, r);
}

void show_iqc_reason(doc *d, const problem *p, const finf_iqc_result *r)
{
    if (r->reason.text[0])
        show_reason(d, &r->reason);
    else if (!p->iqc.certify)
        doc_string(d, "reason", DATA_ONLY, "not certified: ask with --certify", NULL);
}
