/* Noise with k vectors of state for a run, fitted to its own loss. (theory 12.5)
 *
 * The scales of a buffer change with the steps that are left: log out_i(t), log in_i(t) and, with
 * several participations, log within(t) are polynomials in log(n-t), searched by L-BFGS. */
#include <stdlib.h>
#include <string.h>

#include "dense.h"
#include "dense_design.h"
#include "lbfgs.h"
#include "scaled.h"

#define DEGREE 5 /* of the polynomials */
#define STEPS_MAX 2000
#define PAIRS 150       /* steps that the search remembers: its valleys are long and bent */
#define TOL 1e-8        /* of the loss, relative: what a step promises at the end */
#define SLOW 3e-5       /* of the loss, relative: what 50 steps gain together at the end */
#define SUFFICIENT 1e-4 /* and what is still called stationary */
#define SEEN 1e-6       /* error of the loss, relative: above, noise cancels in it */
#define SHORT 5e4       /* n (d+16) p up to which fewer buffers are always tried too; */
#define STEP_COST 16    /* a step costs as much as so many directions */
#define LARGE 300.0     /* of the logarithm of a scale: beyond, there is no number */

typedef struct {
    const finf_design *r;
    size_t k;
    design_groups g;
    scaled_loss loss;
    scaled_noise x;
    scaled_noise by;
    double *basis; /* n (DEGREE+1): the Chebyshev polynomials; the allocation of the two below */
    double *work;  /* of scaled_gain */
    double *point; /* the numbers that are searched */
} scaled_search;

/* ---- from the numbers that are searched to a noise, and back ----------------------------------
 */

/* They are k logits of decays, coefficients of log out (the constant one first, k each), those of
 * log in without the constant, and likewise those of log within where there are several
 * participations. */
static size_t length_of(size_t k, int several)
{
    return k + (2 * DEGREE + 1) * k + (several ? DEGREE : 0);
}

static void set_basis(size_t n, double *basis)
{
    for (size_t t = 0; t < n; t++) {
        double *T = basis + t * (DEGREE + 1);
        double u = n > 1 ? 2 * log((double)(n - t)) / log((double)n) - 1 : 0;
        T[0] = 1;
        T[1] = u;
        for (int l = 2; l <= DEGREE; l++) T[l] = 2 * u * T[l - 1] - T[l - 2];
    }
}

/* value(t) = exp(sum_l T_l(t) c_l), l >= from, c_l at every `stride`. 0: too large. */
static int set_scales(const scaled_search *a, int from, const double *c, size_t stride,
                      double *value, size_t apart)
{
    int fine = 1;
    for (size_t t = 0; t < a->r->n; t++) {
        double sum = 0;
        for (int l = from; l <= DEGREE; l++)
            sum += a->basis[t * (DEGREE + 1) + (size_t)l] * c[(size_t)(l - from) * stride];
        fine &= fabs(sum) < LARGE;
        value[t * apart] = exp(sum);
    }
    return fine;
}

/* g_l = sum_t T_l(t) value(t) by(t). */
static void scales_slope(const scaled_search *a, int from, const double *value, const double *by,
                         size_t apart, double *g, size_t stride)
{
    for (int l = from; l <= DEGREE; l++) {
        double sum = 0;
        for (size_t t = 0; t < a->r->n; t++)
            sum += a->basis[t * (DEGREE + 1) + (size_t)l] * value[t * apart] * by[t * apart];
        g[(size_t)(l - from) * stride] = sum;
    }
}

/* The noise at y, but for its gains. 0: it is outside the domain. */
static int set_noise(scaled_search *a, const double *y)
{
    size_t k = a->k;
    const double *out = y + k, *in = out + (DEGREE + 1) * k;
    int fine = 1;
    for (size_t i = 0; i < k; i++) {
        a->x.decay[i] = 1 / (1 + exp(-y[i]));
        fine &= a->x.decay[i] > 0 && a->x.decay[i] < 1;
        fine &= set_scales(a, 0, out + i, k, a->x.out + i, k);
        fine &= set_scales(a, 1, in + i, k, a->x.in + i, k);
    }
    for (size_t t = 0; t < a->r->n; t++) a->x.within[t] = 1;
    return fine && (a->g.most == 1 || set_scales(a, 1, in + DEGREE * k, 1, a->x.within, 1));
}

static void noise_slope(const scaled_search *a, double *g)
{
    size_t k = a->k;
    double *out = g + k, *in = out + (DEGREE + 1) * k;
    for (size_t i = 0; i < k; i++) {
        g[i] = a->by.decay[i] * a->x.decay[i] * (1 - a->x.decay[i]);
        scales_slope(a, 0, a->x.out + i, a->by.out + i, k, out + i, k);
        scales_slope(a, 1, a->x.in + i, a->by.in + i, k, in + i, k);
    }
    if (a->g.most > 1) scales_slope(a, 1, a->x.within, a->by.within, 1, in + DEGREE * k, 1);
}

/* log of the loss at sensitivity 1. */
static finf_status value(const double *y, void *data, double *f, double *g)
{
    scaled_search *a = data;
    size_t n = a->r->n, length = length_of(a->k, a->g.most > 1);
    *f = INFINITY;
    if (finf_cancelled(a->r->o.cancel)) return FINF_ETOL;
    if (!set_noise(a, y)) return FINF_OK;
    scaled_gain(&a->g, a->k, &a->x, a->work);
    scaled_noise_clear(n, a->k, &a->by);
    double loss = scaled_loss_at(&a->loss, &a->x, &a->by);
    if (!(loss > 0 && isfinite(loss))) return FINF_OK;
    scaled_gain_slope(&a->g, a->k, &a->x, a->work, &a->by);
    noise_slope(a, g);
    for (size_t i = 0; i < length; i++) {
        g[i] /= loss;
        if (!isfinite(g[i])) return FINF_OK;
    }
    *f = log(loss);
    return FINF_OK;
}

static void told(void *data, int steps, double f)
{
    const scaled_search *a = data;
    const finf_design_options *o = &a->r->o;
    if (o->progress) o->progress(o->progress_data, steps, a->r->spread * exp(f), NAN);
}

/* ---- the search -------------------------------------------------------------------------------
 */

static void search_free(scaled_search *a)
{
    design_groups_free(&a->g);
    scaled_loss_free(&a->loss);
    scaled_noise_free(&a->x);
    scaled_noise_free(&a->by);
    free(a->basis);
}

static finf_status search_make(const finf_design *r, size_t k, scaled_search *a)
{
    size_t n = r->n;
    double *u = malloc((n + 1) * sizeof *u);
    *a = (scaled_search){.r = r, .k = k};
    finf_status s = u ? design_groups_make(r, &a->g) : FINF_ENOMEM;
    if (!s) design_weights(r, u);
    if (!s) s = scaled_loss_make(r, u, k, &a->loss);
    free(u);
    if (!s) s = scaled_noise_make(n, k, &a->x);
    if (!s) s = scaled_noise_make(n, k, &a->by);
    if (s) return s;
    size_t basis = n * (DEGREE + 1), work = scaled_gain_room(&a->g, k);
    a->basis = calloc(basis + work + length_of(k, 1), sizeof *a->basis);
    if (!a->basis) return FINF_ENOMEM;
    a->work = a->basis + basis;
    a->point = a->work + work;
    set_basis(n, a->basis);
    return FINF_OK;
}

/* Leaks from 2/n to 1/2, evenly in their logarithm, and scales that do not change. */
static void begin(scaled_search *a)
{
    size_t k = a->k;
    double low = fmin(2 / (double)a->r->n, 0.25);
    for (size_t i = 0; i < k; i++) {
        double leak = low * pow(0.5 / low, k > 1 ? (double)i / (double)(k - 1) : 0);
        a->point[i] = log((1 - leak) / leak);
        a->point[k + i] = log((0.5 * leak + 0.1) / (double)k);
    }
}

/* C = L/gain, all n x n of it. */
static void strategy(const scaled_search *a, double *C)
{
    size_t n = a->r->n, k = a->k;
    const scaled_noise *x = &a->x;
    memset(C, 0, n * n * sizeof *C);
    for (size_t s = 0; s < n; s++) {
        double state[SCALED_MAX];
        memcpy(state, x->in + s * k, k * sizeof *state);
        C[s * n + s] = 1 / x->gain[s];
        for (size_t t = s + 1; t < n; t++) {
            C[t * n + s] = dense_dot(x->out + t * k, state, k) / x->gain[s];
            for (size_t i = 0; i < k; i++) state[i] *= x->decay[i];
        }
    }
}

/* What a stream takes: a row of gain, decays, out and in for every step. One step has no past. */
static finf_status write_recursion(const scaled_search *a, finf_design_result *out)
{
    size_t n = a->r->n, k = a->k, row = 3 * k + 1;
    out->memory = k < n - 1 ? k : n - 1;
    if (out->memory < k) return FINF_OK;
    out->recursion = malloc(n * row * sizeof *out->recursion);
    if (!out->recursion) return FINF_ENOMEM;
    for (size_t t = 0; t < n; t++) {
        double *to = out->recursion + t * row;
        to[0] = a->x.gain[t];
        memcpy(to + 1, a->x.decay, k * sizeof *to);
        memcpy(to + 1 + k, a->x.out + t * k, k * sizeof *to);
        memcpy(to + 1 + 2 * k, a->x.in + t * k, k * sizeof *to);
    }
    return FINF_OK;
}

/* What the noise at a->point has, also after a stop. */
static finf_status answer(scaled_search *a, finf_design_result *out)
{
    size_t n = a->r->n;
    finf_design uncancelled = *a->r;
    double *C = malloc(n * n * sizeof *C);
    if (!C) return FINF_ENOMEM;
    uncancelled.o.cancel = (finf_cancel){NULL, NULL};
    set_noise(a, a->point);
    scaled_gain(&a->g, a->k, &a->x, a->work);
    strategy(a, C);
    finf_status s = finf_system_matrix(C, n, &out->system, &out->reason);
    free(C);
    if (!s) s = design_judge(&uncancelled, out);
    return s ? s : write_recursion(a, out);
}

static finf_status search(scaled_search *a, finf_design_result *out)
{
    double f, left = 0;
    int steps = 0;
    begin(a);
    lbfgs_problem p = {length_of(a->k, a->g.most > 1), value, told, a, STEPS_MAX, TOL, PAIRS, SLOW};
    finf_status found = lbfgs(&p, a->point, &f, &steps, &left), s = found;
    if (found == FINF_EDOM)
        return finf_why(&out->reason, s, "scaled: the loss of %zu steps is 0, or overflows",
                        a->r->n);
    if (found == FINF_ETOL && isinf(f)) return found;
    if (found && found != FINF_ETOL) return found;
    s = answer(a, out);
    out->iterations = steps;
    if (s) return s;
    if (out->loss.error > SEEN * out->loss.value) {
        finf_design_result_free(out);
        return finf_why(&out->reason, FINF_ETOL,
                        "scaled: the loss does not see some noise at all, and its least value is "
                        "not attained");
    }
    if (found && finf_cancelled(a->r->o.cancel))
        return finf_why(&out->reason, found, "stopped after %d steps", steps);
    if (!found || left < SUFFICIENT) return FINF_OK;
    return finf_why(&out->reason, found, "after %d steps another one promises %.2g", steps, left);
}

/* ---- the answer -------------------------------------------------------------------------------
 */

static finf_status check(const finf_design *r, size_t buffers, finf_reason *why)
{
    if (buffers < 1 || buffers > SCALED_MAX)
        return finf_why(why, FINF_EDOM, "%zu buffers: must be from 1 to %d", buffers, SCALED_MAX);
    if (r->n > FINF_SYSTEM_DENSE_MAX)
        return finf_why(why, FINF_EDOM, "scaled of %zu steps: at most %u", r->n,
                        FINF_SYSTEM_DENSE_MAX);
    if (r->o.objective == FINF_DESIGN_MAX)
        return finf_why(why, FINF_EUSAGE,
                        "scaled is searched for the objectives last and average, not for max");
    return FINF_OK;
}

/* One search of so many buffers. */
static finf_status fit(const finf_design *r, size_t buffers, finf_design_result *out)
{
    double began = finf_seconds();
    scaled_search a;
    *out = design_result_failed("scaled");
    finf_status s = search_make(r, buffers, &a);
    if (!s) s = search(&a, out);
    search_free(&a);
    return design_finish(s, began, "scaled", r, out);
}

/* Fewer buffers may be better: the valleys are long, and where the groups are not all patterns a
 * close fit to them is worse for others. s: the status of *out. */
static finf_status try_fewer(const finf_design *r, size_t buffers, finf_status s,
                             finf_design_result *out)
{
    finf_design quiet = *r; /* the losses of two searches would not fall one after the other */
    quiet.o.progress = NULL;
    while (--buffers > 0 && s != FINF_ENOMEM && !finf_cancelled(r->o.cancel)) {
        finf_design_result other;
        finf_status found = fit(&quiet, buffers, &other);
        other.iterations = out->iterations += other.iterations;
        if (other.system && !(other.loss.value >= out->loss.value)) {
            finf_design_result swap = *out;
            *out = other;
            other = swap;
            s = found;
        }
        finf_design_result_free(&other);
        if (found == FINF_ENOMEM) s = found;
    }
    if (s || !finf_cancelled(r->o.cancel)) return s;
    return finf_why(&out->reason, FINF_ETOL, "stopped after %d steps", out->iterations);
}

finf_status finf_design_scaled(const finf_design *r, size_t buffers, finf_design_result *out)
{
    double began = finf_seconds();
    *out = design_result_failed("scaled");
    finf_status s = check(r, buffers, &out->reason);
    if (s) return s;
    s = fit(r, buffers, out);
    double cost = (double)r->n * (double)((r->d + STEP_COST) * r->p);
    if (out->system && (dense_is_relaxed(r) || cost <= SHORT)) s = try_fewer(r, buffers, s, out);
    return design_finish(s, began, "scaled", r, out);
}
