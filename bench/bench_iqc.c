/* make bench, second part: both solvers of the IQC bound on a sweep of kappa, eta, noise and form,
 * in one run. Only the ratios and the exit codes mean anything. Linked with the objects of the
 * library: warm starts are inside it. */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bound.h"
#include "ratios.h"

static const char *const FORM[] = {"sharp", "fval", "dist", "sharp_dist", "gaussian"};
static const double KAPPA[] = {1.5, 2, 5, 10, 30, 100, 300, 1000, 1e4},
                    ETA[] = {1, 0.5, 0.1, 0.01, 0.001};
enum { KAPPAS = 9, ETAS = 5, NOISES = 3, FORMS = 3, SOLVES = KAPPAS * ETAS * NOISES * FORMS };

static finf_noise *noise_of(double nu)
{
    finf_noise *n = NULL;
    if ((nu > 0 ? finf_noise_nu(nu, &n, NULL) : finf_noise_sgd(&n)) != FINF_OK) exit(5);
    return n;
}

static finf_status solve(const finf_noise *n, double eta, double kappa, finf_iqc_bound bound,
                         finf_iqc_solver solver, int certify, finf_iqc_result *r)
{
    finf_iqc_options o = finf_iqc_options_default();
    o.bound = bound;
    o.solver = solver;
    o.certify = certify;
    return finf_iqc(n, eta, kappa, &o, r);
}

/* the least of `times` whole calls, in seconds */
static double best_of(int times, const finf_noise *n, double eta, double kappa,
                      finf_iqc_bound bound, finf_iqc_solver solver, finf_iqc_result *r)
{
    double best = INFINITY;
    for (int i = 0; i < times; i++) {
        double start = cpu_seconds();
        if (solve(n, eta, kappa, bound, solver, 0, r) != FINF_OK)
            printf("kappa %g: %s\n", kappa, r->reason.text);
        best = fmin(best, cpu_seconds() - start);
    }
    return best;
}

/* ---- the sweep ------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    int code[SOLVES], count, most, failed;
    long iterations;
    double seconds, slowest;
} tally;

static void record(tally *t, finf_status st, const finf_iqc_result *r, const char *what)
{
    t->code[t->count++] = r->solver_code;
    t->iterations += r->iterations;
    t->most = r->iterations > t->most ? r->iterations : t->most;
    t->seconds += r->seconds;
    t->slowest = fmax(t->slowest, r->seconds);
    if (st == FINF_OK && r->solver_code == 0) return;
    t->failed++;
    printf("  %s, %s: %s, code %d after %d iterations: %s\n", t->name, what, finf_status_name(st),
           r->solver_code, r->iterations, r->reason.text);
}

static void print_tally(const tally *t)
{
    printf("  %-7s exit codes:", t->name);
    for (int i = 0; i < t->count; i++) {
        int seen = 0, same = 0;
        for (int j = 0; j < t->count; j++) {
            same += t->code[j] == t->code[i];
            seen += j < i && t->code[j] == t->code[i];
        }
        if (!seen) printf(" %d x%d", t->code[i], same);
    }
    printf("; iterations: mean %.1f, most %d; seconds: total %.2f, mean %.4f, most %.4f\n",
           (double)t->iterations / (double)t->count, t->most, t->seconds, t->seconds / t->count,
           t->slowest);
}

static int sweep(void)
{
    tally ecos = {.name = "ecos"}, newton = {.name = "newton"};
    double worst = 0, rate[KAPPAS][2] = {{0}};
    int most[KAPPAS][2] = {{0}};
    printf("sweep: %d kappas x %d etas x {sgd, nu = eta mu, nu = eta L/2} x {sharp, fval, dist} = "
           "%d solves\n",
           KAPPAS, ETAS, SOLVES);
    for (int k = 0; k < KAPPAS; k++)
        for (int e = 0; e < ETAS; e++)
            for (int v = 0; v < NOISES; v++)
                for (int f = 0; f < FORMS; f++) {
                    double nu = v == 0 ? 0 : v == 1 ? ETA[e] / KAPPA[k] : ETA[e] / 2;
                    finf_noise *n = noise_of(nu);
                    finf_iqc_result a, b;
                    finf_status sa = solve(n, ETA[e], KAPPA[k], (finf_iqc_bound)f, FINF_IQC_ECOS, 0,
                                           &a);
                    finf_status sb = solve(n, ETA[e], KAPPA[k], (finf_iqc_bound)f, FINF_IQC_NEWTON,
                                           0, &b);
                    char what[96];
                    snprintf(what, sizeof what, "kappa %g, eta %g, nu %g, %s", KAPPA[k], ETA[e], nu,
                             FORM[f]);
                    record(&ecos, sa, &a, what);
                    record(&newton, sb, &b, what);
                    if (sa == FINF_OK && sb == FINF_OK)
                        worst = fmax(worst, fmax(fabs(a.bound.value / b.bound.value - 1),
                                                 fabs(a.grid_value / b.grid_value - 1)));
                    rate[k][0] += a.seconds;
                    rate[k][1] += b.seconds;
                    most[k][0] = a.iterations > most[k][0] ? a.iterations : most[k][0];
                    most[k][1] = b.iterations > most[k][1] ? b.iterations : most[k][1];
                    finf_noise_free(n);
                }
    printf("  %8s %14s %14s %8s %16s\n", "kappa", "ecos ms/solve", "newton ms", "ratio",
           "most iterations");
    for (int k = 0; k < KAPPAS; k++)
        printf("  %8g %14.2f %14.2f %7.1fx %9d, %d\n", KAPPA[k],
               1e3 * rate[k][0] / (ETAS * NOISES * FORMS),
               1e3 * rate[k][1] / (ETAS * NOISES * FORMS), rate[k][0] / rate[k][1], most[k][0],
               most[k][1]);
    print_tally(&ecos);
    print_tally(&newton);
    printf("  ecos/newton %.1fx; worst relative difference of bound or objective %.1e; %d of %d "
           "failed\n\n",
           ecos.seconds / newton.seconds, worst, ecos.failed + newton.failed, 2 * SOLVES);
    ratio_note("sweep of bounds, newton over ecos", newton.seconds, ecos.seconds);
    return ecos.failed + newton.failed + !(worst < 1e-6);
}

/* ---- one bound, the curve in kappa, the certificate ------------------------------------------ */

static void one_bound(void)
{
    finf_noise *n = noise_of(0.05);
    finf_iqc_result r;
    double newton = best_of(20, n, 0.1, 100, FINF_IQC_SHARP, FINF_IQC_NEWTON, &r);
    double ecos = best_of(5, n, 0.1, 100, FINF_IQC_SHARP, FINF_IQC_ECOS, &r);
    printf("sharp kappa=100 eta=.1: newton %.2f ms, ecos %.2f ms, ratio %.1fx\n\n", 1e3 * newton,
           1e3 * ecos, ecos / newton);
    ratio_note("sharp at kappa 100, newton over ecos", newton, ecos);
    ratio_note("sharp at kappa 100, newton", newton, ratio_yardstick());
    finf_noise_free(n);
}

/* nu = 0.05: no multiplier with a sign pays, one least-squares solve is the optimum. nu = eta mu:
 * from 100 on some do. */
static void curve(void)
{
    printf("sharp, eta = 0.1, as kappa grows: nu = 0.05, and newton for nu = eta mu (whole calls, "
           "least of 20; ecos of 3)\n");
    printf("  %8s %10s %10s %12s %9s %7s %14s %12s %10s\n", "kappa", "newton ms", "ecos ms",
           "nu = eta mu", "unknowns", "nodes", "bound/minimax", "certify ms", "costs");
    double newton = 0, ecos = 0, slow = 0, newton_10 = 0, ecos_10 = 0, slow_100 = 0;
    for (int k = 1; k <= 8; k++) {
        double kappa = pow(10, k);
        finf_noise *tuned = noise_of(0.05), *slowest = noise_of(0.1 / kappa);
        finf_iqc_result r, other;
        newton = best_of(20, tuned, 0.1, kappa, FINF_IQC_SHARP, FINF_IQC_NEWTON, &r);
        ecos = best_of(3, tuned, 0.1, kappa, FINF_IQC_SHARP, FINF_IQC_ECOS, &other);
        slow = best_of(20, slowest, 0.1, kappa, FINF_IQC_SHARP, FINF_IQC_NEWTON, &other);
        printf("  %8g %10.2f %10.2f %12.2f %9zu %7zu %14.5f", kappa, 1e3 * newton, 1e3 * ecos,
               1e3 * slow, r.basis_size, r.grid_points, r.bound.value / r.minimax_lower.value);
        if (solve(tuned, 0.1, kappa, FINF_IQC_SHARP, FINF_IQC_NEWTON, 1, &r) == FINF_OK &&
            r.certified)
            printf(" %12.1f %9.1e\n", 1e3 * r.certify_seconds,
                   r.certified_upper / r.bound.value - 1);
        else
            printf("   %s\n", r.reason.text);
        if (k == 1) {
            newton_10 = newton;
            ecos_10 = ecos;
        }
        if (k == 2) slow_100 = slow;
        finf_noise_free(tuned);
        finf_noise_free(slowest);
    }
    printf("  to 1e8: newton x%.1f and ecos x%.1f from 10; nu = eta mu x%.1f from 100; log kappa "
           "x8 and x4\n\n",
           newton / newton_10, ecos / ecos_10, slow / slow_100);
    ratio_note("sharp by newton, kappa 1e8 over 10", newton, newton_10);
    ratio_note("sharp by newton for nu = eta mu, kappa 1e8 over 100", slow, slow_100);
}

/* ---- warm starts ----------------------------------------------------------------------------- */

/* `bound` over nu at kappa = 100, each program solved from the start and from its neighbour's
 * solution: the solver alone */
static void warm(finf_iqc_bound bound)
{
    int causal = bound == FINF_IQC_SHARP, dist = bound == FINF_IQC_DIST, iterations[2] = {0, 0},
        count = 0, failed = 0;
    double seconds[2] = {0, 0}, *kept = NULL, worst = 0, eta = 0.1, mu = 0.01;
    socp_model mo = socp_model_make(eta, 1 / mu, dist);
    for (double nu = 0.001; nu < 0.5; nu *= 1.05, count++) {
        finf_noise *n = noise_of(nu);
        socp_grid g = {0};
        socp_basis b = {0};
        socp_program p = {0};
        socp_outcome out[2];
        if (socp_grid_make(n, eta, mu, 1, 0, &g) != FINF_OK ||
            socp_basis_make(eta, mu, 1, 1, FINF_IQC_GENERAL, causal, &b) != FINF_OK ||
            socp_program_make(&mo, n, &g, &b, (socp_weights){1, 0}, &p) != FINF_OK)
            exit(5);
        double *x = malloc(p.n * sizeof *x);
        if (!x) exit(5);
        for (int hot = 0; hot < 2; hot++) {
            socp_solve_options s = {.tol = 1e-8, .warm = hot ? kept : NULL};
            double start = cpu_seconds();
            failed += socp_newton(&p, &s, x, &out[hot]) != FINF_OK;
            seconds[hot] += cpu_seconds() - start;
            iterations[hot] += out[hot].iterations;
        }
        worst = fmax(worst, fabs(out[1].value / out[0].value - 1));
        free(kept);
        kept = x;
        socp_program_free(&p);
        socp_basis_free(&b);
        socp_grid_free(&g);
        finf_noise_free(n);
    }
    free(kept);
    printf("  %-6s %d solves: cold %.2f ms, %.1f iterations; warm %.2f ms, %.1f iterations; %.2fx "
           "faster, differ by %.1e, "
           "%d failed\n",
           FORM[bound], count, 1e3 * seconds[0] / count, (double)iterations[0] / count,
           1e3 * seconds[1] / count, (double)iterations[1] / count, seconds[0] / seconds[1], worst,
           failed);
    char what[64];
    snprintf(what, sizeof what, "%s, warm start over cold", FORM[bound]);
    ratio_note(what, seconds[1], seconds[0]);
}

/* ---- an optimizer ---------------------------------------------------------------------------- */

/* One sharp bound at nu = 0.05 (optimize = 0), or the whole descent: the least of `times`. */
static double cpu_of(int times, int optimize, const finf_optimizer *p, double eta, double kappa,
                     finf_iqc_solver solver)
{
    finf_noise *n = noise_of(0.05);
    double best = INFINITY;
    for (int i = 0; i < times; i++) {
        finf_optimize_options o = finf_optimize_options_default();
        finf_optimize_result r;
        finf_iqc_result one;
        o.iqc.optimizer = p;
        o.iqc.solver = solver;
        double t0 = cpu_seconds();
        finf_status st = optimize ? finf_optimize(eta, kappa, &o, &r)
                                  : finf_iqc(n, eta, kappa, &o.iqc, &one);
        best = fmin(best, cpu_seconds() - t0);
        if (st != FINF_OK) printf("momentum: %s\n", finf_status_name(st));
        if (optimize) finf_optimize_result_free(&r);
    }
    finf_noise_free(n);
    return best;
}

/* Momentum against sgd at the same effective step, 0.1: one sharp bound by either solver, and the
 * whole descent by Newton's method alone and by default, with ECOS at the end; in one run. */
static void momentum(void)
{
    static const struct {
        const char *name;
        double eta;
    } WITH[] = {{"nesterov:0.9", 0.01}, {"heavy-ball:0.8", 0.02}};
    printf(
        "momentum against sgd at the same effective step 0.1, CPU time (least of 30, 3, 10, 3)\n");
    for (double kappa = 10; kappa < 2000; kappa *= 10)
        for (int i = 0; i < 2; i++) {
            finf_optimizer *p = NULL;
            if (finf_optimizer_parse(WITH[i].name, NULL, 0, &p, NULL) != FINF_OK) exit(5);
            printf("  %-14s kappa %4g:", WITH[i].name, kappa);
            for (int what = 0; what < 4; what++) {
                finf_iqc_solver solver = what % 2 ? FINF_IQC_ECOS : FINF_IQC_NEWTON;
                int times = what % 2 ? 3 : what ? 10 : 30;
                double with = cpu_of(times, what > 1, p, WITH[i].eta, kappa, solver),
                       sgd = cpu_of(times, what > 1, NULL, 0.1, kappa, solver);
                printf("%s %s, %s %.2f ms, %.1fx", what ? ";" : "", what > 1 ? "optimize" : "sharp",
                       what % 2 ? "ecos" : "newton", 1e3 * with, with / sgd);
                char name[96];
                snprintf(name, sizeof name, "%s over sgd, kappa %g, %s by %s", WITH[i].name, kappa,
                         what > 1 ? "optimize" : "sharp", what % 2 ? "ecos" : "newton");
                ratio_note(name, with, sgd);
            }
            printf("\n");
            finf_optimizer_free(p);
        }
    printf("\n");
}

/* ---- optimize -------------------------------------------------------------------------------- */

static void optimized(void)
{
    const finf_iqc_bound bounds[] = {FINF_IQC_SHARP, FINF_IQC_GAUSSIAN, FINF_IQC_FVAL,
                                     FINF_IQC_DIST};
    printf("optimize, eta = 0.1, all of it by Newton's method, against one solve of the same bound "
           "at nu = 0.05 by either "
           "solver,\n"
           "which for sharp by Newton's method is one least-squares solve (least of 5; 20, 2)\n");
    for (double kappa = 10; kappa < 2e4; kappa *= 10)
        for (size_t f = 0; f < sizeof bounds / sizeof *bounds; f++) {
            finf_noise *n = noise_of(0.05);
            finf_iqc_result one;
            finf_optimize_options o = finf_optimize_options_default();
            finf_optimize_result r;
            finf_status st = FINF_OK;
            double solo = best_of(20, n, 0.1, kappa, bounds[f], FINF_IQC_NEWTON, &one),
                   t = INFINITY;
            double ecos = best_of(2, n, 0.1, kappa, bounds[f], FINF_IQC_ECOS, &one);
            o.iqc.bound = bounds[f];
            o.iqc.solver = FINF_IQC_NEWTON;
            for (int i = 0; i < 5; i++) {
                double t0 = cpu_seconds();
                if (i > 0) finf_optimize_result_free(&r);
                st = finf_optimize(0.1, kappa, &o, &r);
                t = fmin(t, cpu_seconds() - t0);
            }
            printf("  kappa %6g %-8s %8.2f ms = %5.1f newton or %4.1f ecos solves; %s, bound %.6g, "
                   "best nu %.6g, "
                   "bound/minimax %.5f\n",
                   kappa, FORM[bounds[f]], 1e3 * t, t / solo, t / ecos, finf_status_name(st),
                   r.iqc.bound.value, r.bound_nu.value, r.gap.value);
            char name[64];
            snprintf(name, sizeof name, "optimize %s over one solve, kappa %g", FORM[bounds[f]],
                     kappa);
            ratio_note(name, t, solo);
            finf_optimize_result_free(&r);
            finf_noise_free(n);
        }
    printf("\n");
}

int main(void)
{
    gsl_set_error_handler_off();
    if (!socp_ecos_version()) {
        printf("built without ECOS: nothing to compare with\n");
        return 0;
    }
    printf("ECOS %s\n\n", socp_ecos_version());
    one_bound();
    curve();
    printf("newton over a sweep of nu from 0.001 to 0.5, kappa = 100, eta = 0.1: one solve\n");
    warm(FINF_IQC_SHARP);
    warm(FINF_IQC_FVAL);
    warm(FINF_IQC_DIST);
    printf("\n");
    momentum();
    optimized();
    return sweep() ? 1 : 0;
}
