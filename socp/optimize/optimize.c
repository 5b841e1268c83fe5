/* finf_optimize (theory 7.7, 7.9). First the bound of DP-SGD and the best nu, which what is found
 * must not be worse than. Then, from several starts, the descent that the bound calls for: with
 * causality Newton's method in the powers r_i of a product (product_descent.c), without it the
 * program and |B|^2 = psi^{-1/2} in turn (alternate.c). Both see the bound on the nodes of one
 * grid; in the end the noise found gets its bound anew, on a grid of its own, as finf_iqc computes
 * it.
 *
 * The end of a descent is a stationary point (theory 0.4), so the starts are counted and their
 * spread is reported. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optimize.h"

finf_optimize_options finf_optimize_options_default(void)
{
    return (finf_optimize_options){
        .iqc = finf_iqc_options_default(), .tol = 1e-6, .max_rounds = 100, .factors = 12};
}

void finf_optimize_result_free(finf_optimize_result *r)
{
    if (!r) return;
    finf_noise_free(r->noise);
    free(r->history);
    free(r->w);
    r->noise = NULL;
    r->history = NULL;
    r->n = 0;
    r->w = NULL; /* one block for all that follow */
    r->density = NULL;
    r->psi = NULL;
    r->lambda_re = NULL;
    r->lambda_im = NULL;
    r->causal_re = NULL;
    r->causal_im = NULL;
}

typedef struct {
    double eta, kappa;
    socp_setting set; /* What the optimizer makes of them. */
    double e;         /* eta L, or the effective step */
    finf_optimize_options o;
    finf_iqc_options plain; /* Newton's method without certificate: what the descent compares by. */
    int causal;             /* The bound asked for uses causality: the phase of B matters. */
    int cancelled;          /* The caller cancelled: what there is counts as the best so far. */
    double worst, best;     /* The largest and least of the bounds the starts ended with. */
    finf_status ended;      /* How the descent of the start that is kept ended. */
    socp_multipliers kept;  /* The multipliers of the bound. */
    finf_optimize_result *out;
} task;

/* ---- starts ---------------------------------------------------------------------------------- */

/* Records where a start ended, and how; 1 if it is the one to keep. */
static int improved(task *t, double bound, finf_status ended)
{
    /* a tie stays with the first */
    int best = t->out->starts == 0 || bound < t->best * (1 - t->o.tol);
    if (best) t->ended = ended;
    t->worst = t->out->starts ? fmax(t->worst, bound) : bound;
    t->best = t->out->starts ? fmin(t->best, bound) : bound;
    t->out->starts++;
    return best;
}

/* The descents have L = 1; the caller's history is divided by L. */
static void keep_history(task *t, const socp_descent *d)
{
    for (size_t i = 0; i <= d->rounds; i++) t->out->history[i] = d->history[i] / t->set.smooth;
    t->out->rounds = d->rounds;
}

/* nu_i of a product, which stay fixed: log-spaced from lo to 0.95, and a few above 1, whose
 * factors shape |B| near w = pi: half of them for eta L > 1, where the slowest mode alternates,
 * eta L itself one. With an optimizer to 0.8: a low pass is worth so much of e^{0.05 r z} that the
 * power r of 1 - 0.05 z would end at SOCP_LARGEST, a wall at which starts end apart by percents. */
static void place(const task *t, double lo, size_t n, double *nu)
{
    size_t above = t->e > 1 ? n / 2 : n / 6, below = n - above;
    double hi = t->set.has_loop ? 0.8 : 0.95;
    for (size_t i = 0; i < below; i++)
        nu[i] = below > 1 ? lo * pow(hi / lo, (double)i / (double)(below - 1)) : hi;
    lo = t->e > 1 ? (2 - t->e) / 4 : 0.3;
    for (size_t i = 0; i < above; i++)
        nu[below + i] = 2 - lo * pow(0.9 / lo, (double)i / (double)above);
    if (t->e > 1 && above > 0) nu[below] = t->e;
}

/* The best nu and its bound. It takes the place of the nearest nu_i below 1, so that the products
 * have it, r = 1/2 at that factor alone, as a start. */
static finf_status best_nu(task *t, socp_moving *v, double *nu, size_t n)
{
    finf_optimize_result *out = t->out;
    finf_noise *noise = NULL;
    size_t nearest = 0;
    finf_status st = socp_best_nu(v, 1, &out->nu);
    if (st == FINF_ENOMEM || v->cancelled) return st;
    if (out->nu.value < 1) {
        st = finf_noise_nu(out->nu.value, &noise, &out->iqc.reason);
        if (st == FINF_OK) st = socp_moving_bound(v, noise, &out->bound_nu);
        out->bound_nu.value /= t->set.smooth;
        out->bound_nu.error /= t->set.smooth;
        finf_noise_free(noise);
    } else {
        out->bound_nu = out->bound_sgd;
    }
    for (size_t i = 0; i < n && nu[i] < 1; i++)
        if (fabs(log(nu[i] / out->nu.value)) < fabs(log(nu[nearest] / out->nu.value))) nearest = i;
    nu[nearest] = out->nu.value;
    return st;
}

/* Without causality |B| is found at the nodes, and its phase does not matter: the noise is the
 * product whose |B| is nearest. */
static finf_status fitted(task *t, socp_products *s, const double *nu, double *r, size_t n,
                          const double complex *logB)
{
    finf_noise *found = NULL;
    socp_causal_fit(s, logB, SOCP_LARGEST, r);
    finf_status st = finf_noise_product(nu, r, n, &found, &t->out->iqc.reason);
    if (st != FINF_OK) return st;
    finf_noise_free(t->out->noise);
    t->out->noise = found;
    return FINF_OK;
}

/* The alternation from four starts: the best nu, DP-SGD, and nu = eta mu and eta L, the scales of
 * F. One that used up its rounds still counts, as no round raises the bound; one that was
 * cancelled, or whose solver failed, does not. */
static finf_status alternate(task *t, socp_moving *v, socp_products *s, const double *nu, double *r,
                             size_t n, socp_descent *d)
{
    double start[] = {t->out->nu.value, 1, t->e / t->set.kappa, fmin(t->e, 1)};
    double complex *logB = malloc(v->grid.n * sizeof *logB);
    finf_status st = logB ? FINF_OK : FINF_ENOMEM;
    for (size_t i = 0; i < sizeof start / sizeof *start && st == FINF_OK && !v->cancelled; i++) {
        for (size_t j = 0; j < v->grid.n; j++)
            logB[j] = creal(socp_log_factor(start[i], v->grid.w[j])) / 2;
        finf_status as = socp_alternate(v, logB, t->o.tol, t->o.max_rounds, d);
        if (as == FINF_ENOMEM) st = as;
        if (as != FINF_OK &&
            (as != FINF_ETOL || v->cancelled || d->rounds < (size_t)t->o.max_rounds))
            continue;
        if (improved(t, d->history[d->rounds], as)) {
            keep_history(t, d);
            st = fitted(t, s, nu, r, n, logB);
        }
    }
    free(logB);
    return st;
}

/* A start for the causal descent with low frequencies of its own: the alternation for the same
 * bound without causality (fval, dist) on the same nodes, and the product nearest to what it ends
 * with. Well enough done at 3% where there is but one minimum. */
static finf_status alternated(task *t, socp_moving *v, socp_products *s, double *r, socp_descent *d)
{
    double enough = t->e <= 1 && !v->mo.dist ? 3e-2 : 1e-3;
    socp_moving a = {0};
    finf_status st = socp_moving_relax(v, &a);
    double complex *logB = st == FINF_OK ? malloc(a.grid.n * sizeof *logB) : NULL;
    if (st == FINF_OK && !logB) st = FINF_ENOMEM;
    if (st == FINF_OK) {
        for (size_t j = 0; j < a.grid.n; j++)
            logB[j] = creal(socp_log_factor(t->out->nu.value, a.grid.w[j])) / 2;
        st = socp_alternate(&a, logB, enough, t->o.max_rounds, d);
        if (st == FINF_ETOL && !a.cancelled && d->rounds > 0) st = FINF_OK;
    }
    if (st == FINF_OK) socp_causal_fit(s, logB, 5, r); /* with room to move */
    v->cancelled = v->cancelled || a.cancelled;
    free(logB);
    socp_moving_free(&a);
    return st;
}

/* With an optimizer such a start is at hand: the noise that is best for the mixture of quadratics
 * no noise is below (theory 11.4), and the product nearest to it. */
static finf_status mixed(const task *t, const socp_moving *v, socp_products *s, double *r)
{
    socp_loop_means *m = NULL;
    finf_real value;
    double p[SOCP_MIXTURE];
    finf_status st = socp_loop_means_make(NULL, &v->mo, NULL, &m);
    if (st == FINF_OK)
        st = socp_loop_mixture(m, v->mo.dist, socp_unit_weights(&t->plain), &value, p);
    double complex *logB = st == FINF_OK ? malloc(v->grid.n * sizeof *logB) : NULL;
    if (st == FINF_OK && !logB) st = FINF_ENOMEM;
    for (size_t j = 0; st == FINF_OK && j < v->grid.n; j++)
        logB[j] = -log(socp_mixture_at(v->mo.loop, v->mo.mu, v->mo.dist, p, v->grid.w[j])) / 4;
    if (st == FINF_OK) socp_causal_fit(s, logB, 5, r);
    free(logB);
    socp_loop_means_free(m);
    return st;
}

/* The causal descent from two starts: the best nu, then the alternation. The second is told where
 * the first ended, so that it can stop as soon as it is seen to lead there. first, r: n */
static finf_status causal(task *t, socp_moving *v, socp_products *s, const double *nu, double *r,
                          double *first, size_t n, socp_descent *d)
{
    double lower = t->out->minimax_lower.value * t->set.smooth;
    finf_status st = FINF_OK;
    for (int start = 0; start < 2 && st == FINF_OK && !v->cancelled; start++) {
        if (start == 1) memcpy(first, r, n * sizeof *r);
        if (start == 1 && t->out->starts > 0) {
            d->known = first;
            d->best = t->best;
            d->known_settled = d->settled;
        }
        int from_nu = start == (v->mo.loop != NULL);
        if (!from_nu) st = v->mo.loop ? mixed(t, v, s, r) : alternated(t, v, s, r, d);
        if (st == FINF_ETOL) return FINF_OK; /* one start is enough */
        if (st != FINF_OK) return st;
        for (size_t i = 0; i < n && from_nu; i++) r[i] = nu[i] == t->out->nu.value ? 0.5 : 0;
        finf_status cs = socp_causal(s, r, t->o.tol, t->o.max_rounds, lower, d);
        if (cs == FINF_ENOMEM) return cs;
        double end = d->known && memcmp(r, d->known, n * sizeof *r) == 0 ? t->best
                                                                         : d->history[d->rounds];
        if (!isfinite(end) || !improved(t, end, cs)) continue;
        finf_noise *found = NULL;
        st = finf_noise_product(nu, r, n, &found, &t->out->iqc.reason);
        if (st != FINF_OK) continue;
        finf_noise_free(t->out->noise);
        t->out->noise = found;
        keep_history(t, d);
    }
    return st;
}

/* The best nu and the descents, on one grid; out->noise is the best they found, or NULL. */
static finf_status descend(task *t)
{
    /* under causality lower nu change nothing, whatever kappa; else |B| follows psi down to eta mu.
     * With an optimizer not above eta/32, for small kappa: factors nearer to each other are all
     * but dependent, and their powers of opposite signs end at SOCP_LARGEST */
    double e = fmin(t->e, 1), slow = e / (4 * t->set.kappa), lo = slow;
    if (t->causal) lo = t->set.has_loop && slow > e / 32 ? e / 64 : fmax(slow, e / 64);
    size_t n = t->causal ? t->o.factors : 16 + 2 * (size_t)ceil(log2(t->set.kappa)),
           rounds = (size_t)t->o.max_rounds;
    double *z = malloc((3 * n + rounds + 1) * sizeof *z);
    double *nu = z, *r = z ? z + n : NULL, *first = z ? z + 2 * n : NULL;
    socp_descent d = {.history = z ? z + 3 * n : NULL};
    finf_noise *finest = NULL;
    socp_moving v = {0};
    socp_products *s = NULL;
    finf_status st = z ? FINF_OK : FINF_ENOMEM;
    if (st == FINF_OK) {
        place(t, lo, n, nu);
        /* steeper than any optimum, and not too steep for the grid */
        for (size_t i = 0; i < n; i++) r[i] = 6 / (double)n;
        st = finf_noise_product(nu, r, n, &finest, &t->out->iqc.reason);
    }
    if (st == FINF_OK) st = socp_moving_make(t->eta, t->kappa, &t->plain, finest, &v);
    if (st == FINF_OK) st = best_nu(t, &v, nu, n);
    /* no noise is better than the minimax */
    if ((st == FINF_OK || st == FINF_ETOL) && !v.cancelled &&
        !(t->out->bound_nu.value <= t->out->minimax_lower.value * (1 + t->o.tol))) {
        st = socp_products_make(&v, nu, n, &s);
        if (st == FINF_OK)
            st = t->causal ? causal(t, &v, s, nu, r, first, n, &d)
                           : alternate(t, &v, s, nu, r, n, &d);
    } else if (st == FINF_OK) {
        t->out->starts = 1;
    }
    t->cancelled = v.cancelled;
    socp_products_free(s);
    socp_moving_free(&v);
    finf_noise_free(finest);
    free(z);
    return st;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The noise to fall back on. For kappa = 1 it is the optimum of theory 4, which for eta L > 1 is a
 * factor with nu > 1 and so a product, not of the family nu. */
static finf_status best_nu_noise(const task *t, finf_noise **out)
{
    double nu[1] = {t->e}, r[1] = {0.5};
    if (t->set.kappa == 1 && t->e > 1 && t->e < 2)
        return finf_noise_product(nu, r, 1, out, NULL); /* mean estimation's optimum */
    return t->out->nu.value < 1 ? finf_noise_nu(t->out->nu.value, out, NULL) : finf_noise_sgd(out);
}

static void forget(task *t)
{
    socp_basis_free(&t->kept.basis);
    free(t->kept.x);
    t->kept = (socp_multipliers){0};
}

/* The bound of the noise found, by Newton's method. */
static finf_status newton_bound(task *t)
{
    forget(t);
    return socp_iqc(t->out->noise, t->eta, t->kappa, &t->plain, &t->out->iqc, &t->kept);
}

/* Back to the best nu, or to DP-SGD where the search for nu was cancelled so early that its nu is
 * worse. */
static finf_status fall_back(task *t)
{
    finf_optimize_result *out = t->out;
    finf_noise_free(out->noise);
    out->noise = NULL;
    out->rounds = 0;
    if (out->starts == 0) out->starts = 1;
    finf_status st = best_nu_noise(t, &out->noise);
    if (st == FINF_OK) st = newton_bound(t);
    if (t->set.kappa > 1 || t->set.has_loop) out->bound_nu = out->iqc.bound;
    if (out->nu.value < 1 && out->bound_nu.value > out->bound_sgd.value) {
        out->nu = finf_real_exact(1);
        return fall_back(t);
    } /* cancelled early */
    return st;
}

/* The noise found against the best nu, which it must not be worse than; then the caller's solver
 * and certificate. No cancel in the first (one solve, and what has been found still gets its
 * bound); one in the second leaves the first standing. */
static finf_status settle(task *t)
{
    finf_optimize_result *out = t->out;
    finf_status st = FINF_ETOL;
    t->plain.cancel = (finf_cancel){NULL, NULL};
    if (out->noise) st = newton_bound(t);
    if (st == FINF_ENOMEM) return st;
    if (!out->noise || (st != FINF_OK && st != FINF_ETOL) || !isfinite(out->iqc.bound.value) ||
        out->iqc.bound.value > out->bound_nu.value)
        st = fall_back(t);
    if (st == FINF_OK && !t->cancelled &&
        (t->o.iqc.solver != FINF_IQC_NEWTON || t->o.iqc.certify)) {
        finf_iqc_result first = out->iqc;
        st = finf_iqc(out->noise, t->eta, t->kappa, &t->o.iqc, &out->iqc);
        t->cancelled = st != FINF_OK && finf_cancelled(t->o.iqc.cancel);
        if (st == FINF_ENOMEM) return st;
        if (!isfinite(out->iqc.bound.value)) { /* Newton's bound stands */
            const char *failed = out->iqc.solver;
            out->iqc = first;
            finf_why(&out->iqc.reason, st, "%s: the solver failed, this is Newton's bound", failed);
            if (t->cancelled) st = FINF_OK;
        }
    }
    /* on the nodes a round may have seemed better than it was */
    for (size_t i = 0; i < out->rounds; i++)
        out->history[i] = fmax(out->history[i], out->iqc.bound.value);
    out->history[out->rounds] = out->iqc.bound.value;
    out->gap = finf_real_over(out->iqc.bound, out->minimax_lower);
    return st;
}

/* Divergence, or no privacy noise: nothing to choose. */
static finf_status unchanged(task *t, finf_noise *white)
{
    finf_status st = finf_iqc(white, t->eta, t->kappa, &t->o.iqc, &t->out->iqc);
    t->out->noise = white;
    t->out->nu = finf_real_exact(1);
    t->out->bound_nu = t->out->bound_sgd;
    t->out->starts = 1;
    t->out->history[0] = t->out->bound_sgd.value;
    double least = t->out->minimax_lower.value;
    if (isfinite(least) && least > 0)
        t->out->gap = finf_real_over(t->out->iqc.bound, t->out->minimax_lower);
    return st;
}

/* The best nu, then the descents: FINF_OK if the start kept came to its end. */
static finf_status search(task *t)
{
    finf_optimize_result *out = t->out;
    if (t->set.kappa == 1 && !t->set.has_loop) {
        finf_status st = finf_tune_iqc(t->eta, t->kappa, &t->plain, &out->nu, &out->iqc);
        out->bound_nu = out->iqc.bound;
        return st;
    }
    finf_status st = descend(t);
    if (out->starts > 1 && !t->cancelled) out->spread = (t->worst - t->best) / t->best;
    if (st != FINF_OK) return st;
    return out->starts == 0 ? FINF_ETOL : t->ended;
}

static finf_status check(const finf_optimize_options *o, finf_reason *why)
{
    int ok = o->tol > 0 && o->tol < 1 && o->max_rounds >= 1 && o->factors >= 1 && o->factors <= 200;
    return ok ? FINF_OK
              : finf_why(why, FINF_EDOM, "needs 0 < tol < 1, at least one round, 1 to 200 factors");
}

/* `once` is what DP-SGD is solved with: Newton's method, no proof and no cancel, so that there is
 * always a bound to return. */
finf_status finf_optimize(double eta, double kappa, const finf_optimize_options *opt,
                          finf_optimize_result *out)
{
    task t = {
        .eta = eta, .kappa = kappa, .o = opt ? *opt : finf_optimize_options_default(), .out = out};
    finf_iqc_options once = t.o.iqc;
    finf_noise *white = NULL;
    finf_real none = {NAN, INFINITY, ""};
    *out = (finf_optimize_result){.iqc = socp_iqc_failed(&t.o.iqc),
                                  .bound_sgd = none,
                                  .bound_nu = none,
                                  .nu = none,
                                  .minimax_lower = none,
                                  .gap = none};
    once.solver = FINF_IQC_NEWTON;
    once.certify = 0;
    once.cancel = (finf_cancel){NULL, NULL};
    t.plain = once;
    t.plain.cancel = t.o.iqc.cancel;
    t.causal = socp_is_causal(t.o.iqc.bound);
    finf_status st = check(&t.o, &out->iqc.reason);
    if (st == FINF_OK) st = socp_check(eta, kappa, &t.o.iqc, &out->iqc.reason);
    if (st == FINF_OK) {
        t.set = socp_setting_make(eta, kappa, t.o.iqc.smooth, t.o.iqc.optimizer);
        t.e = socp_setting_step(&t.set);
    }
    if (st == FINF_OK) st = finf_noise_sgd(&white);
    if (st == FINF_OK) st = finf_iqc(white, eta, kappa, &once, &out->iqc);
    if (st == FINF_ETOL) st = FINF_OK; /* a bound all the same */
    if (st == FINF_OK && !(out->history = calloc((size_t)t.o.max_rounds + 1, sizeof *out->history)))
        st = FINF_ENOMEM;
    if (st != FINF_OK) {
        finf_noise_free(white);
        return st;
    }
    out->bound_sgd = out->iqc.bound;
    out->minimax_lower = out->iqc.minimax_lower;
    double unit = out->iqc.unit_bound.value;
    if (isinf(unit) || !(socp_unit_weights(&once).dp > 0)) return unchanged(&t, white);
    finf_noise_free(white);

    finf_status found = search(&t);
    st = found == FINF_ENOMEM ? found : settle(&t);
    if (st == FINF_OK || st == FINF_ETOL) {
        finf_status ds = socp_describe(eta, kappa, &t.plain, &t.kept, out);
        st = finf_worse(st, ds);
    }
    forget(&t);
    if (st == FINF_ENOMEM) {
        finf_optimize_result_free(out);
        return st;
    }
    if (st == FINF_OK && t.cancelled)
        return finf_why(&out->iqc.reason, FINF_ETOL, "cancelled: the best noise so far");
    if (st == FINF_OK && found != FINF_OK)
        return finf_why(&out->iqc.reason, found, "the descent did not end: the best noise so far");
    return st;
}
