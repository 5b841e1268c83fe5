/* The bound for L = 1 and kappa > 1 (theory 7): the grid of frequencies, the basis of multipliers,
 * the program, its solver, the bound recomputed from the multipliers the solver found, and its
 * proof if one is asked for. */
#include <math.h>
#include <stdlib.h>

#include "bound.h"

int socp_uses_ecos(const finf_iqc_options *o)
{
    return o->solver == FINF_IQC_ECOS || (o->solver == FINF_IQC_AUTO && socp_ecos_version());
}

/* What is solved: the program, and all it was made from. */
typedef struct {
    const socp_model *mo; /* eta L and kappa, for L = 1 */
    const finf_noise *noise;
    const finf_iqc_options *opt;
    socp_weights weights; /* of the two noises in the objective */
    socp_grid grid;
    socp_basis basis;
    socp_program prog;     /* the form of theory 7.12 on grid and basis */
    unsigned char *marked; /* NULL, or a flag for each panel: it is to be halved */
    double *warm;          /* NULL, or the unknowns that were found on a coarser grid */
} unit_problem;

/* What one solver made of it. */
typedef struct {
    finf_iqc_solver solver;
    socp_outcome so;
    double *x;          /* The unknowns, repaired so that a > 0 everywhere. */
    socp_recomputed re; /* The bound that x proves. */
    finf_reason why;    /* What went wrong. */
} attempt;

static const char *solver_name(finf_iqc_solver s) { return s == FINF_IQC_ECOS ? "ecos" : "newton"; }

/* A noise without weight is not integrated for, and leaves NaN in its place: one is enough. */
static int has_bound(const attempt *a)
{
    return isfinite(a->re.dp.value) || isfinite(a->re.sgd.value);
}

/* Solves by one solver and recomputes the bound. Newton's iterates are feasible, so an unfinished
 * one is still a bound, and FINF_ETOL says that a better one was asked for; ECOS's are a number
 * with code 0 only. a->x is the caller's to free, whatever is returned. */
static finf_status try_solver(unit_problem *u, finf_iqc_solver solver, attempt *a)
{
    const finf_iqc_options *o = u->opt;
    socp_solve_options s = {.tol = o->gap, .cancel = o->cancel, .warm = u->warm, .hint = u->warm};
    finf_real none = {NAN, INFINITY, ""};
    *a = (attempt){.solver = solver,
                   .so = {.status = "not started", .code = -1},
                   .re = {.dp = none, .sgd = none}};
    a->x = malloc(u->prog.n * sizeof *a->x);
    if (!a->x) return finf_why(&a->why, FINF_ENOMEM, "no memory");
    finf_status (*newton)(const socp_program *, const socp_solve_options *, double *,
                          socp_outcome *) = u->mo->loop ? socp_newton_few : socp_newton;
    finf_status st = (solver == FINF_IQC_ECOS ? socp_ecos_few : newton)(&u->prog, &s, a->x, &a->so);
    if (st == FINF_ENOMEM)
        finf_why(&a->why, st, "no memory");
    else if (st != FINF_OK)
        finf_why(&a->why, st, "%s: %s (code %d, relative gap %.1e)", solver_name(solver),
                 a->so.status, a->so.code, a->so.gap);
    if (a->so.code != 0 && !(solver == FINF_IQC_NEWTON && st == FINF_ETOL)) return st;
    finf_status rs = socp_recompute_or_mark(u->mo, u->noise, &u->grid, &u->basis, u->weights,
                                            a->so.value, u->prog.slack ? NULL : u->prog.start, a->x,
                                            u->marked, &a->re);
    if (a->re.coarse) return st;
    if (st == FINF_OK && rs != FINF_OK)
        finf_why(&a->why, rs, rs == FINF_ETOL ? "recomputation did not converge" : "no memory");
    return finf_worse(st, rs);
}

/* No x makes a > 0, which phase one has shown; where ECOS is asked for it is asked too, about the
 * cone program and then about phase one's own, and its status is what is reported. */
static finf_status report_infeasible(const unit_problem *u, attempt *a)
{
    finf_real none = {INFINITY, 0, "no multiplier"};
    *a = (attempt){.solver = socp_uses_ecos(u->opt) ? FINF_IQC_ECOS : FINF_IQC_NEWTON,
                   .so = {.code = SOCP_INFEASIBLE,
                          .status = "primal infeasible",
                          .value = INFINITY,
                          .gap = INFINITY},
                   .re = {.dp = none, .sgd = none}};
    if (a->solver != FINF_IQC_ECOS) return FINF_OK;
    socp_solve_options s = {.tol = u->opt->gap, .cancel = u->opt->cancel};
    double *x = malloc(u->prog.n * sizeof *x);
    finf_status st = x ? socp_ecos(&u->prog, &s, x, &a->so) : FINF_ENOMEM;
    free(x);
    if (st == FINF_ENOMEM || a->so.code == SOCP_CANCELLED) return st;
    if (a->so.code == 0)
        return finf_why(&a->why, FINF_ETOL, "no feasible start was found, yet ECOS has a solution");
    a->so.value = INFINITY;
    if (a->so.code % 10 == SOCP_INFEASIBLE) return FINF_OK;
    int agrees; /* the cone program may be too badly scaled for ECOS to tell */
    st = socp_phase_one_ecos(&u->prog, s.cancel, &agrees);
    if (agrees) {
        a->so.code = SOCP_INFEASIBLE;
        a->so.status = "primal infeasible";
    }
    return st;
}

/* Newton's method alone, which the grid is refined by. FINF_ETOL: it does not tell. */
static finf_status solve_by_newton(unit_problem *u, attempt *a)
{
    int feasible;
    finf_status st = socp_phase_one(&u->prog, u->opt->cancel, &feasible);
    if (st == FINF_OK && !feasible) st = FINF_ETOL;
    return st == FINF_OK ? try_solver(u, FINF_IQC_NEWTON, a) : st;
}

/* The solver asked for; where ECOS fails, or what it found cannot be made feasible everywhere,
 * Newton's method, whose result is taken if it is optimal or ECOS left no bound at all. The reason
 * then says both. */
static finf_status solve_program(unit_problem *u, attempt *a)
{
    int feasible;
    finf_status st = socp_phase_one(&u->prog, u->opt->cancel, &feasible);
    if (st == FINF_ETOL) finf_why(&a->why, st, "the search for a feasible start did not end");
    if (st != FINF_OK) return st;
    if (!feasible) return report_infeasible(u, a);
    st = try_solver(u, socp_uses_ecos(u->opt) ? FINF_IQC_ECOS : FINF_IQC_NEWTON, a);
    if (st != FINF_ETOL || a->solver != FINF_IQC_ECOS || a->so.code == SOCP_CANCELLED) return st;
    attempt other;
    finf_status again = try_solver(u, FINF_IQC_NEWTON, &other);
    int better = again == FINF_OK || (again == FINF_ETOL && !has_bound(a));
    if (!better) {
        free(other.x);
        return st;
    }
    finf_why(&other.why, again, "%.120s: the bound is the Newton solver's", a->why.text);
    free(a->x);
    *a = other;
    return again;
}

/* The marked panels quartered, the program made anew there, and the point found kept as a start. */
static finf_status refine(unit_problem *u, attempt *a)
{
    socp_grid finer;
    finf_status st = socp_grid_quarter(&u->grid, u->marked, &finer);
    if (st != FINF_OK) return st;
    socp_grid_free(&u->grid);
    u->grid = finer;
    socp_program_free(&u->prog);
    free(u->warm);
    u->warm = a->x;
    a->x = NULL;
    return socp_program_make(u->mo, u->noise, &u->grid, &u->basis, u->weights, &u->prog);
}

/* With an optimizer the optimum is often tight, a touching 0 at a frequency that is not known
 * before, and a program on nodes too far apart there is below what its multipliers prove. So the
 * panels that are to blame are quartered, and it is solved again (theory 11.4); the last time as it
 * is. Newton's method finds the grid for ECOS too, which takes many times as long: where it cannot,
 * ECOS does. */
static finf_status solve_refined(unit_problem *u, attempt *a)
{
    enum { ROUNDS = 8 };
    int refines = u->mo->loop && !u->opt->grid_uniform, scout = refines && socp_uses_ecos(u->opt);
    attempt fresh = *a;
    for (int round = 0;; round++) {
        u->marked = refines && round < ROUNDS ? malloc(u->grid.panels) : NULL;
        if (refines && round < ROUNDS && !u->marked) return FINF_ENOMEM;
        if (!u->marked) scout = 0;
        finf_status st = (scout ? solve_by_newton : solve_program)(u, a);
        int ended = st == FINF_ENOMEM || a->so.code == SOCP_CANCELLED,
            coarse = !ended && u->marked && a->re.coarse;
        if (coarse) st = refine(u, a);
        free(u->marked);
        u->marked = NULL;
        if (ended || (coarse && st != FINF_OK) || (!coarse && !scout)) return st;
        if (!coarse) { /* the grid is found: now the solver asked for, from what is at work */
            scout = 0;
            free(u->warm);
            u->warm = a->x;
            a->x = NULL;
        }
        free(a->x);
        *a = fresh; /* nothing of this grid is taken for the next one's */
    }
}

/* The bound for L = 1 and kappa > 1: grid, multipliers, program, solver, recomputation and, if
 * asked for, the proof. Fills in the solver's part of the result, *re and *cert. */
finf_status socp_solve_unit(const socp_model *mo, const finf_noise *noise, double kappa,
                            const finf_iqc_options *opt, socp_weights weights, finf_iqc_result *out,
                            socp_recomputed *re, socp_certificate *cert, socp_multipliers *kept)
{
    /* A basis asked for by `fir` is single lags alone; else they are few, beside geometric
     * sequences. The grid must resolve all of them, Stein's columns too. */
    int causal = socp_is_causal(opt->bound);
    size_t lags = opt->fir ? opt->fir : socp_model_lags(mo, noise, causal);
    size_t reach = socp_basis_reach(lags, opt->multipliers);
    int gaussian = opt->bound == FINF_IQC_GAUSSIAN && weights.dp > 0;
    size_t ahead = mo->loop ? SOCP_STEIN_FAR : SOCP_STEIN_LAGS;
    if (gaussian && reach < ahead) reach = ahead;
    unit_problem u = {.mo = mo, .noise = noise, .opt = opt, .weights = weights};
    attempt a = {.so = {.status = "not started", .code = -1, .value = NAN, .gap = INFINITY},
                 .re = *re,
                 .solver = socp_uses_ecos(opt) ? FINF_IQC_ECOS : FINF_IQC_NEWTON};
    finf_status st = socp_model_grid(mo, noise, reach, opt->grid_uniform, &u.grid);
    if (st == FINF_OK)
        st = socp_model_basis(mo, lags, !opt->fir, opt->multipliers, causal, &u.basis);
    if (st == FINF_OK && gaussian) st = socp_stein_make(mo, noise, &u.basis, &out->reason);
    if (st == FINF_OK) st = socp_program_make(mo, noise, &u.grid, &u.basis, weights, &u.prog);
    if (st == FINF_OK) {
        st = solve_refined(&u, &a);
        *re = a.re;
        out->reason = a.why;
        out->solver = solver_name(a.solver);
        out->solver_status = a.so.status;
        out->solver_code = a.so.code;
        out->iterations = a.so.iterations;
        out->grid_value = a.so.value;
        out->solver_gap = a.so.gap;
        out->grid_points = u.grid.n;
        out->basis_size = u.prog.n;
        if (opt->certify && has_bound(&a)) {
            finf_status cs = socp_certify(mo, kappa, noise, &u.grid, &u.basis, a.x, weights, re,
                                          opt->cancel, cert);
            if (finf_worse(st, cs) != st) out->reason = cert->reason;
            st = finf_worse(st, cs);
        }
    }
    /* basis and x change hands; what is freed below is then empty */
    if (kept && st != FINF_ENOMEM) {
        *kept = (socp_multipliers){.basis = u.basis, .x = a.x};
        u.basis = (socp_basis){0};
        a.x = NULL;
    }
    free(a.x);
    free(u.warm);
    socp_program_free(&u.prog);
    socp_basis_free(&u.basis);
    socp_grid_free(&u.grid);
    return st;
}
