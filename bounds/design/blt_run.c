/* BLTs for a run, fitted to its own loss. (theory 13.3)
 *
 * An evaluation of that loss takes O(n d) operations. A short run is searched buffer by buffer: one
 * more pole and zero are put where they gain most, and moved from there by Newton's method, beside
 * a start with spaced poles. A long run begins where the same run of an eighth of its steps ended,
 * and where prefix sums of its length did, by L-BFGS in coordinates in which the Hessian was 1
 * there: some 10 to 40 evaluations. */
#include <stdlib.h>
#include <string.h>

#include "blt_fit.h"
#include "design.h"
#include "lbfgs.h"

#define STEPS_MAX 200
#define TOL 1e-8        /* of the loss, relative: what a step promises at the end */
#define SUFFICIENT 1e-5 /* and what is still called stationary */
#define SEEN 1e-10      /* of the sensitivity, relative: above, a pattern is worse than another */
#define SHORT 5e4       /* n (d+16) p of a run that is searched buffer by buffer, */
#define LONG 3e6     /* and beyond this one prefix sums are only followed where they are better */
#define FEWER 4e5    /* up to which one fewer buffers are tried too */
#define STEP_COST 16 /* a step costs as much as so many directions */
#define SHORTER 8    /* a longer one has so many times the steps of the next shorter */
#define BFGS_MOST 60 /* steps before Newton's method takes over */
#define PATTERN_MOST 16 /* participations of prefix sums */

typedef struct {
    const finf_design *r;
    blt_coefficients x;
    blt_prefix_sums sums; /* of a run that is these alone */
    blt_problem problem;
    double *u;             /* n+1 weights; the allocation of beta and slope too */
    const blt_place *from; /* of the descent under way */
    int *steps;            /* of all of them */
    size_t *evaluations;
} blt_search;

/* <M, BB'> of the noising coefficients, and its derivatives. */
static finf_status run_error(const double *beta, void *data, double *error, double *slope)
{
    blt_search *a = data;
    ++*a->evaluations;
    return design_toeplitz_loss(a->r, a->u, beta, error, slope);
}

/* Prefix sums of z itself have a closed form. */
static int is_plain(const finf_design *r)
{
    return r->prefix && r->p == 1 && r->A[0].value[0] == 1 && r->gain[0] == 1 &&
           r->report[0] == 1 && r->window == 1;
}

static finf_status search_make(const finf_design *r, int *steps, size_t *evaluations, blt_search *a)
{
    size_t n = r->n;
    finf_blt_fit_options o = finf_blt_fit_options_default();
    o.participations = r->o.participations;
    o.separation = r->o.separation < n ? r->o.separation : n;
    *a = (blt_search){.r = r,
                      .u = malloc((3 * n + 1) * sizeof *a->u),
                      .steps = steps,
                      .evaluations = evaluations};
    if (!a->u) return FINF_ENOMEM;
    a->x = (blt_coefficients){.n = n,
                              .error = run_error,
                              .data = a,
                              .who = blt_participation_of(&o, n),
                              .beta = a->u + n + 1,
                              .slope = a->u + 2 * n + 1};
    design_toeplitz_weights(r, a->u);
    a->problem = (blt_problem){.loss = blt_coefficients_loss,
                               .data = &a->x,
                               .slowest = 1 / (double)n,
                               .relerr = 1e-14 * (10 + sqrt((double)n)),
                               .method = "adjoint recursion",
                               .enough = TOL};
    if (is_plain(r)) {
        a->sums = (blt_prefix_sums){(double)n, r->o.objective == FINF_DESIGN_AVERAGE, a->x.who};
        a->problem.loss = blt_prefix_loss;
        a->problem.data = &a->sums;
        a->problem.method = "closed form";
        a->problem.enough = TOL / 1000;
    }
    return FINF_OK;
}

static double cost(const finf_design *r)
{
    return (double)r->n * (double)((r->d + STEP_COST) * r->p);
}

static int stopped(const blt_search *a) { return finf_cancelled(a->r->o.cancel); }

/* Where there is no number, that is no end. */
static finf_status go_on(const blt_search *a, finf_status s)
{
    return s == FINF_ETOL && !stopped(a) ? FINF_OK : s;
}

static void told(void *data, int step, double f)
{
    const blt_search *a = data;
    const finf_design_options *o = &a->r->o;
    (void)step;
    ++*a->steps;
    if (o->progress) o->progress(o->progress_data, *a->steps, a->r->spread * exp(f), NAN);
}

/* ---- a descent ------------------------------------------------------------------------------- */

/* log(sens2 error) of the run at from->q + metric y, and its derivatives. */
static finf_status whitened(const double *y, void *data, double *f, double *g)
{
    blt_search *a = data;
    size_t n = 2 * a->from->k;
    double q[2 * BLT_MAX] = {0}, by[2 * BLT_MAX] = {0};
    blt_point p;
    blt_value v = {NAN, NAN};
    blt_partials slope = {.leak = {0}};
    memcpy(q, a->from->q, sizeof q);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) q[i] += a->from->metric[i][j] * y[j];
    blt_chart_point(q, a->from->k, &p);
    finf_status s = a->problem.loss(&p, a->problem.data, &v, &slope);
    if (s) return s;
    blt_chart_gradient(q, &p, &slope, by);
    *f = log(v.sens2) + log(v.error);
    for (size_t j = 0; j < n; j++) {
        g[j] = 0;
        for (size_t i = 0; i < n; i++) g[j] += a->from->metric[i][j] * by[i];
        if (!isfinite(g[j])) *f = INFINITY;
    }
    if (!isfinite(*f)) *f = INFINITY;
    return FINF_OK;
}

/* The better one of *best and where L-BFGS ends from a place. */
static finf_status follow(blt_search *a, const blt_place *from, blt_place *best)
{
    size_t n = 2 * from->k;
    double y[2 * BLT_MAX] = {0}, f = INFINITY, more = NAN;
    int steps;
    a->from = from;
    lbfgs_problem p = {n, whitened, told, a, STEPS_MAX, TOL, 0, 0};
    finf_status s = lbfgs(&p, y, &f, &steps, &more);
    if (s == FINF_EDOM) return FINF_OK; /* no number there */
    if (!(f < best->f)) return go_on(a, s);
    *best = *from;
    best->f = f;
    best->left = more;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) best->q[i] += from->metric[i][j] * y[j];
    return go_on(a, s);
}

/* ---- a short run ----------------------------------------------------------------------------- */

/* The better one of *best and where Newton's method ends from q, or, where that promises more than
 * it gains, L-BFGS from there. */
static finf_status improve(blt_search *a, const double *q, size_t k, blt_place *best)
{
    blt_place p = {.k = k, .f = INFINITY};
    memcpy(p.q, q, sizeof p.q);
    finf_status s = blt_fit_place(&a->problem, BFGS_MOST, a->r->o.cancel, &p);
    if (!s && p.left > SUFFICIENT) {
        blt_place from = p;
        s = follow(a, &from, &p);
    }
    if (best->k < k || p.f < best->f) *best = p;
    if (p.f < INFINITY) told(a, 0, best->f);
    return go_on(a, s);
}

/* The loss at q alone; +inf: no number. */
static finf_status loss_at(blt_search *a, const double *q, size_t k, double *f)
{
    blt_point p;
    blt_value v = {NAN, NAN};
    blt_partials slope = {.leak = {0}};
    blt_chart_point(q, k, &p);
    finf_status s = a->problem.loss(&p, a->problem.data, &v, &slope);
    *f = log(v.sens2) + log(v.error);
    if (!isfinite(*f)) *f = INFINITY;
    return s;
}

/* One buffer more than *best has. */
static finf_status add_buffer(blt_search *a, blt_place *best)
{
    size_t k = best->k;
    double q[2 * BLT_MAX] = {0}, to[2 * BLT_MAX] = {0}, least = INFINITY, f;
    finf_status s = FINF_OK;
    for (size_t where = 0; where <= 2 * k && !s; where++) {
        blt_chart_insert(best->q, k, where, q);
        s = loss_at(a, q, k + 1, &f);
        if (s || !(f < least)) continue;
        least = f;
        memcpy(to, q, sizeof to);
    }
    if (!s && least < INFINITY) s = improve(a, to, k + 1, best);
    blt_log_spaced(a->problem.slowest, k + 1, q);
    return s ? s : improve(a, q, k + 1, best);
}

/* The same with a buffer of decay 0, to which a search that may move it only creeps, and which it
 * does not leave. */
static finf_status add_decay_zero(blt_search *a, const blt_place *to, blt_place *best)
{
    double q[2 * BLT_MAX] = {0};
    blt_place place = {.f = INFINITY};
    if (!blt_chart_append(to->q, to->k, q)) return FINF_OK;
    finf_status s = improve(a, q, to->k + 1, &place);
    if (place.f < best->f) *best = place;
    return s;
}

/* The best of all: a buffer more may lose a little where it cannot gain, and then it is left out.
 * zero: the best may have a decay of 0, and then it is no place to begin at. */
static finf_status search_short(blt_search *a, size_t buffers, int zero, blt_place *best)
{
    double q[2 * BLT_MAX] = {0};
    blt_place now = {.f = INFINITY};
    blt_log_spaced(a->problem.slowest, 1, q);
    finf_status s = improve(a, q, 1, &now);
    *best = now;
    while (!s && now.k < buffers && now.f < INFINITY) {
        if (zero) s = add_decay_zero(a, &now, best);
        if (!s) s = add_buffer(a, &now);
        if (now.f < best->f) *best = now;
    }
    return s;
}

/* ---- a long run ------------------------------------------------------------------------------ */

/* Where prefix sums of as many steps have their minimum. */
static finf_status prefix_place(const blt_search *a, size_t buffers, blt_place *place)
{
    blt_prefix_sums x = {(double)a->r->n, a->r->o.objective == FINF_DESIGN_AVERAGE, a->x.who};
    if (x.who.k > PATTERN_MOST) x.who.k = PATTERN_MOST;
    blt_problem problem = {blt_prefix_loss, &x, 1 / x.n, 1e-12, "closed form", TOL};
    *place = (blt_place){.k = buffers, .f = INFINITY};
    blt_log_spaced(1 / x.n, buffers, place->q);
    return blt_fit_place(&problem, 10 * BFGS_MOST, a->r->o.cancel, place);
}

static finf_status search_run(const finf_design *r, size_t buffers, int zero, int *steps,
                              size_t *evaluations, blt_place *best);

/* From where the same run of fewer steps ended: in as many epochs, or with one participation. Where
 * that is stopped, its end is better than nothing. */
static finf_status follow_shorter(blt_search *a, int epochs, size_t buffers, blt_place *best)
{
    finf_design less = *a->r;
    blt_place place = {.f = INFINITY};
    less.n = (less.n + SHORTER - 1) / SHORTER;
    less.o.separation = (less.o.separation + SHORTER - 1) / SHORTER;
    if (!epochs) less.o.participations = 1;
    finf_status s = search_run(&less, buffers, 0, a->steps, a->evaluations, &place);
    if (s == FINF_ETOL && stopped(a) && place.f < INFINITY && isinf(best->f)) *best = place;
    s = go_on(a, s);
    return s || isinf(place.f) ? s : follow(a, &place, best);
}

static finf_status search_long(blt_search *a, size_t buffers, blt_place *best)
{
    blt_place place = {.f = INFINITY};
    finf_status s = follow_shorter(a, 1, buffers, best);
    if (!s && a->x.who.k > 1) s = follow_shorter(a, 0, buffers, best);
    if (!s) s = go_on(a, prefix_place(a, buffers, &place));
    if (s || isinf(place.f)) return s;
    if (cost(a->r) > LONG) {
        s = loss_at(a, place.q, buffers, &place.f);
        if (s || place.f > best->f) return s;
    }
    return follow(a, &place, best);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* *best->k = 0: nothing was found. */
static finf_status search_run(const finf_design *r, size_t buffers, int zero, int *steps,
                              size_t *evaluations, blt_place *best)
{
    blt_search a;
    *best = (blt_place){.f = INFINITY};
    finf_status s = search_make(r, steps, evaluations, &a);
    if (!s)
        s = cost(r) <= SHORT ? search_short(&a, buffers, zero, best)
                             : search_long(&a, buffers, best);
    free(a.u);
    return s;
}

/* The fit at the place: what is proved of it, and the noise. */
static finf_status settle(const finf_design *r, const blt_place *place, finf_blt_fit *fit,
                          finf_noise **noise)
{
    finf_design uncancelled = *r; /* what was found is worth writing, also after a stop */
    blt_search a;
    int steps = 0;
    uncancelled.o.cancel = (finf_cancel){NULL, NULL};
    finf_status s = search_make(&uncancelled, &steps, &fit->evaluations, &a);
    if (!s) s = blt_fit_write(&a.problem, place->q, place->k, r->spread, fit);
    free(a.u);
    if (s == FINF_ETOL) return finf_noise_sgd(noise); /* the BLT without a buffer, and the reason */
    return s ? s : finf_noise_blt(fit->decay, fit->scale, fit->buffers, noise, &fit->reason);
}

static finf_status fit_run(const finf_design *r, size_t buffers, finf_blt_fit *fit,
                           finf_design_result *out)
{
    blt_place best;
    finf_noise *noise = NULL;
    int steps = 0;
    finf_status found = search_run(r, buffers, 1, &steps, &fit->evaluations, &best);
    if (found && found != FINF_ETOL) return found;
    if (!(best.f < INFINITY))
        return found ? found
                     : finf_why(&out->reason, FINF_EDOM, "blt: the loss of %zu steps overflows",
                                r->n);
    fit->left = best.left;
    finf_status s = settle(r, &best, fit, &noise);
    out->reason = fit->reason;
    if (!s) s = design_take(r, "blt", noise, out);
    out->iterations = steps;
    if (!s && found) return finf_why(&out->reason, found, "stopped after %d steps", steps);
    if (s || fit->left < SUFFICIENT) return s;
    return finf_why(&out->reason, FINF_ETOL, "after %d steps another one promises %.2g", steps,
                    fit->left);
}

/* Fewer buffers may be better where c rises, as other patterns are then worse than the one that is
 * searched, 0, b, 2b, .., and in a long run, which is not searched buffer by buffer. s: the status
 * of *out. */
static finf_status try_fewer(const finf_design *r, size_t buffers, finf_status s, finf_blt_fit *fit,
                             finf_design_result *out)
{
    finf_design quiet = *r; /* the losses of two searches would not fall one after the other */
    finf_blt_fit fewer;
    finf_design_result other;
    int exact = out->sens2.value <= fit->sens2.value * (1 + SEEN);
    if (buffers == 1 || (exact && (cost(r) <= SHORT || cost(r) > FEWER))) return s;
    quiet.o.progress = NULL;
    finf_status found = finf_design_blt(&quiet, buffers - 1, &fewer, &other);
    if (found == FINF_ENOMEM) return found;
    other.iterations = out->iterations += other.iterations;
    if (other.system && other.loss.value < out->loss.value) {
        finf_design_result swap = *out;
        *out = other;
        other = swap;
        *fit = fewer;
        s = found;
    }
    finf_design_result_free(&other);
    if (s || !finf_cancelled(r->o.cancel)) return s;
    return finf_why(&out->reason, FINF_ETOL, "stopped after %d steps", out->iterations);
}

finf_status finf_design_blt(const finf_design *r, size_t buffers, finf_blt_fit *fit,
                            finf_design_result *out)
{
    double began = finf_seconds();
    finf_blt_fit unused;
    if (!fit) fit = &unused;
    *fit = blt_fit_failed();
    *out = design_result_failed("blt");
    finf_status s = blt_fit_check(buffers, NULL, &out->reason);
    if (s) return s;
    s = fit_run(r, buffers, fit, out);
    if (out->system && !finf_cancelled(r->o.cancel)) s = try_fewer(r, buffers, s, fit, out);
    s = design_finish(s, began, "blt", r, out);
    if (s && !out->system) *fit = blt_fit_failed();
    fit->reason = out->reason;
    fit->seconds = out->seconds;
    return s;
}
