/* BLTs fitted to a loss: the search, whatever the loss is. (theory 13.2)
 *
 * Several starts, each descended by GSL's BFGS with the exact gradient; then Newton's method, as
 * the valleys are long and BFGS gives up in them. */
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_multimin.h>
#include <stdlib.h>
#include <string.h>

#include "blt_fit.h"

#define ALMOST_FLAT 1e-6 /* gradient of the logarithm of the loss where BFGS hands over, */
#define FLAT 1e-9        /* and where Newton's method ends */
#define NEWTON_MOST 100  /* steps */
#define SMALL_MOST 4     /* of them in turn that gain less than what is enough */
#define VALLEY 400.0     /* times that is what is taken to be left then */
#define STARTS_MOST 20
#define LEFT_MOST 1e-6 /* what may be left to gain, of the loss, in an answer */

finf_blt_fit_options finf_blt_fit_options_default(void)
{
    return (finf_blt_fit_options){
        .starts = 4, .max_iterations = 2000, .participations = 1, .separation = 1};
}

finf_blt_fit blt_fit_failed(void)
{
    finf_real failed = finf_real_failed();
    return (finf_blt_fit){.sens2 = failed,
                          .error = failed,
                          .loss = failed,
                          .least = failed,
                          .ratio = NAN,
                          .left = NAN,
                          .spread = NAN,
                          .proved = ""};
}

finf_status blt_fit_check(size_t buffers, const finf_blt_fit_options *opt, finf_reason *why)
{
    if (buffers < 1 || buffers > BLT_MAX)
        return finf_why(why, FINF_EDOM, "%zu buffers: must be from 1 to %d", buffers, (int)BLT_MAX);
    if (opt && (opt->starts < 1 || opt->starts > STARTS_MOST))
        return finf_why(why, FINF_EDOM, "%zu starts: must be from 1 to %d", opt->starts,
                        STARTS_MOST);
    if (opt && opt->max_iterations < 1)
        return finf_why(why, FINF_EDOM, "max_iterations = 0: must be at least 1");
    if (opt && (opt->participations < 1 || opt->separation < 1))
        return finf_why(why, FINF_EDOM, "%zu participations %zu apart: both must be at least 1",
                        opt->participations, opt->separation);
    return FINF_OK;
}

/* ---- one descent ----------------------------------------------------------------------------- */

typedef struct {
    const blt_problem *problem;
    finf_cancel cancel;
    size_t k;
    finf_status status; /* the first trouble */
    size_t evaluations;
    double best; /* the least logarithm of a loss so far, */
    double q[2 * BLT_MAX];
    double gradient; /* where it is, and the largest derivative there */
    double left;     /* what Newton's last step promised */
} descent;

/* log(sens2 error) at q, and its gradient; NaN ends the descent. */
static double evaluate(descent *d, const double *q, double *gradient)
{
    blt_point p;
    blt_value value = {NAN, NAN};
    blt_partials slope = {.leak = {0}};
    d->evaluations++;
    if (!d->status && finf_cancelled(d->cancel)) d->status = FINF_ETOL;
    if (d->status) return NAN;
    blt_chart_point(q, d->k, &p);
    d->status = d->problem->loss(&p, d->problem->data, &value, &slope);
    if (d->status) return NAN;
    blt_chart_gradient(q, &p, &slope, gradient);
    double loss = log(value.sens2) + log(value.error), most = 0;
    for (size_t i = 0; i < 2 * d->k; i++) most = fmax(most, fabs(gradient[i]));
    if (!isfinite(loss) || !isfinite(most)) return NAN;
    if (loss < d->best || (loss == d->best && most < d->gradient)) {
        d->best = loss;
        d->gradient = most;
        memcpy(d->q, q, 2 * d->k * sizeof *q);
    }
    return loss;
}

static void value_and_gradient(const gsl_vector *q, void *data, double *value, gsl_vector *gradient)
{
    double g[2 * BLT_MAX] = {0}, at[2 * BLT_MAX];
    descent *d = data;
    for (size_t i = 0; i < 2 * d->k; i++) at[i] = gsl_vector_get(q, i);
    *value = evaluate(d, at, g);
    for (size_t i = 0; i < 2 * d->k; i++) gsl_vector_set(gradient, i, g[i]);
}

static double value_only(const gsl_vector *q, void *data)
{
    double g[2 * BLT_MAX], value;
    gsl_vector_view view = gsl_vector_view_array(g, 2 * ((descent *)data)->k);
    value_and_gradient(q, data, &value, &view.vector);
    return value;
}

static void gradient_only(const gsl_vector *q, void *data, gsl_vector *gradient)
{
    double value;
    value_and_gradient(q, data, &value, gradient);
}

static finf_status bfgs(descent *d, size_t most)
{
    gsl_multimin_function_fdf f = {value_only, gradient_only, value_and_gradient, 2 * d->k, d};
    gsl_multimin_fdfminimizer *m = gsl_multimin_fdfminimizer_alloc(
        gsl_multimin_fdfminimizer_vector_bfgs2, 2 * d->k);
    if (!m) return FINF_ENOMEM;
    gsl_vector_view start = gsl_vector_view_array(d->q, 2 * d->k);
    int state = gsl_multimin_fdfminimizer_set(m, &f, &start.vector, 0.1, 0.1);
    for (size_t i = 0; i < most && !state && !d->status && d->gradient > ALMOST_FLAT; i++)
        state = gsl_multimin_fdfminimizer_iterate(m);
    gsl_multimin_fdfminimizer_free(m);
    return d->status;
}

/* ---- Newton's method ------------------------------------------------------------------------- */

/* What a Newton step needs, for n = 2k numbers. */
typedef struct {
    size_t n;
    gsl_matrix *hessian, *vectors;
    gsl_vector *values;
    gsl_eigen_symmv_workspace *room;
} newton_room;

static void newton_free(newton_room *r)
{
    if (r->room) gsl_eigen_symmv_free(r->room);
    gsl_matrix_free(r->hessian);
    gsl_matrix_free(r->vectors);
    gsl_vector_free(r->values);
}

static finf_status newton_make(size_t n, newton_room *r)
{
    *r = (newton_room){.n = n, .hessian = gsl_matrix_alloc(n, n)};
    r->vectors = gsl_matrix_alloc(n, n);
    r->values = gsl_vector_alloc(n);
    r->room = gsl_eigen_symmv_alloc(n);
    if (r->hessian && r->vectors && r->values && r->room) return FINF_OK;
    newton_free(r);
    return FINF_ENOMEM;
}

/* The Hessian by central differences of the exact gradient; its error is about 1e-8 of the third
 * derivatives, which slows Newton's method down and nothing else. */
static void difference_hessian(descent *d, const double *q, newton_room *r)
{
    const double h = 1e-4;
    size_t n = r->n;
    double up[2 * BLT_MAX] = {0}, down[2 * BLT_MAX] = {0}, at[2 * BLT_MAX];
    memcpy(at, q, n * sizeof *at);
    for (size_t i = 0; i < n; i++) {
        at[i] = q[i] + h;
        evaluate(d, at, up);
        at[i] = q[i] - h;
        evaluate(d, at, down);
        at[i] = q[i];
        for (size_t j = 0; j < n; j++)
            gsl_matrix_set(r->hessian, i, j, (up[j] - down[j]) / (2 * h));
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double x = gsl_matrix_get(r->hessian, i, j) + gsl_matrix_get(r->hessian, j, i);
            gsl_matrix_set(r->hessian, i, j, x / 2);
            gsl_matrix_set(r->hessian, j, i, x / 2);
        }
}

/* step = -|H|^{-1} g, with the eigenvalues of H in modulus: downhill also at a saddle. Those below
 * the rounding of H count as that, and no step is longer than 1 (e in a leak). */
static void newton_step(newton_room *r, const double *g, double *step)
{
    size_t n = r->n;
    double largest = 0, length = 0;
    memset(step, 0, n * sizeof *step);
    gsl_eigen_symmv(r->hessian, r->values, r->vectors, r->room);
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(gsl_vector_get(r->values, i)));
    for (size_t i = 0; i < n; i++) {
        double along = 0, value = fmax(fabs(gsl_vector_get(r->values, i)), 1e-11 * largest);
        if (value == 0) continue; /* and nothing is to be gained */
        for (size_t j = 0; j < n; j++) along -= gsl_matrix_get(r->vectors, j, i) * g[j];
        for (size_t j = 0; j < n; j++) step[j] += gsl_matrix_get(r->vectors, j, i) * along / value;
    }
    for (size_t i = 0; i < n; i++) length = fmax(length, fabs(step[i]));
    for (size_t i = 0; i < n && length > 1; i++) step[i] /= length;
}

/* What a Newton step gains, g'|H|^{-1}g/2. */
static double promise(const double *g, const double *step, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum -= g[i] * step[i] / 2;
    return sum;
}

/* Newton's method from the best point so far, until it is flat there, or no step leads down; what a
 * first step promises is known also where it is flat already. */
static finf_status newton(descent *d, size_t most)
{
    newton_room r;
    double q[2 * BLT_MAX] = {0}, g[2 * BLT_MAX] = {0}, step[2 * BLT_MAX], to[2 * BLT_MAX];
    int small = 0;
    if (newton_make(2 * d->k, &r)) return FINF_ENOMEM;
    for (size_t i = 0; i < most && !d->status && (i == 0 || d->gradient > FLAT); i++) {
        memcpy(q, d->q, sizeof q);
        double from = evaluate(d, q, g), before = d->best;
        difference_hessian(d, q, &r);
        newton_step(&r, g, step);
        d->left = promise(g, step, r.n);
        if (d->left < d->problem->enough) break;
        for (double part = 1; part > 1e-3 && !(d->best < from) && !d->status; part /= 4) {
            for (size_t j = 0; j < r.n; j++) to[j] = q[j] + part * step[j];
            evaluate(d, to, g);
        }
        small = before - d->best > d->problem->enough ? 0 : small + 1;
        /* in a long flat valley a step promises more than any gains */
        if (small == SMALL_MOST) d->left = fmin(d->left, VALLEY * d->problem->enough);
        if (small == SMALL_MOST || !(before - d->best > 1e-15 * fabs(before))) break;
    }
    newton_free(&r);
    return d->status;
}

/* ---- starts ---------------------------------------------------------------------------------- */

/* Leaks spaced evenly in their logarithm from `low` to 1/2, each zero between two of them at the
 * geometric mean: C is then near (1-z)^{-1/2} over that range, and B near the noise that is best
 * for prefix sums and for slow directions. */
void blt_log_spaced(double low, size_t k, double *q)
{
    double leak[BLT_MAX], zero[BLT_MAX], high = 0.5;
    if (!(low < high / 4)) low = high / 4;
    for (size_t i = 0; i < k; i++)
        leak[i] = k == 1 ? sqrt(low * high) : low * pow(high / low, (double)i / (double)(k - 1));
    for (size_t i = 0; i < k; i++) zero[i] = sqrt(leak[i] * (i + 1 < k ? leak[i + 1] : 1.5));
    blt_chart_numbers(leak, zero, k, q);
}

/* The lower end of start number i: the slowest scale of the problem first, then above and below. */
static double start_from(double slowest, size_t i)
{
    double factor = pow(8, (double)((i + 1) / 2));
    return i % 2 ? slowest * factor : slowest / factor;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* From q: BFGS, then Newton's method. */
static finf_status descend(const blt_problem *problem, const finf_blt_fit_options *o,
                           const double *q, descent *d)
{
    double gradient[2 * BLT_MAX];
    *d = (descent){.problem = problem, .cancel = o->cancel, .k = d->k, .best = INFINITY};
    evaluate(d, q, gradient);
    finf_status s = d->status;
    if (!s && isinf(d->best)) s = FINF_ETOL; /* the loss itself overflows there */
    if (!s) s = bfgs(d, o->max_iterations);
    return s ? s : newton(d, NEWTON_MOST);
}

/* What a Newton step from the best point would still gain: g'|H|^{-1}g/2, of the logarithm of the
 * loss. */
static finf_status what_is_left(descent *d, double *left)
{
    newton_room r;
    double q[2 * BLT_MAX] = {0}, g[2 * BLT_MAX] = {0}, step[2 * BLT_MAX];
    if (newton_make(2 * d->k, &r)) return FINF_ENOMEM;
    memcpy(q, d->q, sizeof q);
    evaluate(d, q, g);
    difference_hessian(d, q, &r);
    newton_step(&r, g, step);
    *left = promise(g, step, r.n);
    newton_free(&r);
    return d->status;
}

finf_status blt_fit_write(const blt_problem *problem, const double *q, size_t k, double unit,
                          finf_blt_fit *out)
{
    blt_point p;
    blt_value v;
    blt_partials slope = {.leak = {0}};
    blt_chart_point(q, k, &p);
    if (!blt_chart_rounded(&p))
        return finf_why(&out->reason, FINF_ETOL, "no BLT is better than independent noise");
    finf_status s = problem->loss(&p, problem->data, &v, &slope);
    if (s) return s;
    out->buffers = p.k;
    for (size_t i = 0; i < p.k; i++) {
        out->decay[i] = 1 - p.leak[i];
        out->scale[i] = p.scale[i];
    }
    double loss = unit * v.sens2 * v.error;
    out->sens2 = finf_real_make(v.sens2, problem->relerr * v.sens2, "closed form");
    out->error = finf_real_make(v.error, problem->relerr * v.error, problem->method);
    out->loss = finf_real_make(loss, 2 * problem->relerr * loss, problem->method);
    blt_certify(&p, out);
    return FINF_OK;
}

/* V |h|^{-1/2} of the Hessian V h V': in the coordinates y of q + metric y it is near 1. */
static finf_status set_metric(descent *d, blt_place *place)
{
    newton_room r;
    double largest = 0;
    if (newton_make(2 * d->k, &r)) return FINF_ENOMEM;
    difference_hessian(d, place->q, &r);
    if (!d->status) gsl_eigen_symmv(r.hessian, r.values, r.vectors, r.room);
    for (size_t i = 0; i < r.n; i++) largest = fmax(largest, fabs(gsl_vector_get(r.values, i)));
    for (size_t i = 0; i < r.n && !d->status; i++) {
        double h = fmax(fabs(gsl_vector_get(r.values, i)), fmax(1e-5 * largest, 1e-8));
        for (size_t j = 0; j < r.n; j++)
            place->metric[j][i] = gsl_matrix_get(r.vectors, j, i) / sqrt(h);
    }
    newton_free(&r);
    return d->status;
}

finf_status blt_fit_place(const blt_problem *problem, size_t most, finf_cancel cancel,
                          blt_place *place)
{
    finf_blt_fit_options o = finf_blt_fit_options_default();
    descent d = {.k = place->k};
    o.cancel = cancel;
    o.max_iterations = most;
    finf_status s = descend(problem, &o, place->q, &d);
    if (isinf(d.best)) return s ? s : FINF_ETOL;
    place->f = d.best;
    place->left = d.left;
    memcpy(place->q, d.q, sizeof d.q);
    return s ? s : set_metric(&d, place);
}

/* The reason of a status that came from inside. */
static finf_status explained(finf_status s, const finf_blt_fit_options *o, finf_blt_fit *out)
{
    if (!s || out->reason.text[0]) return s;
    if (s == FINF_ENOMEM) return finf_why(&out->reason, s, "no memory");
    if (finf_cancelled(o->cancel)) return finf_why(&out->reason, s, "stopped");
    return finf_why(&out->reason, s, "the loss is not a positive finite number");
}

finf_status blt_fit_run(const blt_problem *problem, size_t buffers, double unit,
                        const finf_blt_fit_options *opt, finf_blt_fit *out)
{
    finf_blt_fit_options o = opt ? *opt : finf_blt_fit_options_default();
    descent best = {.problem = problem, .k = buffers, .best = INFINITY}, d = best;
    double begin = finf_seconds(), worst = -INFINITY, q[2 * BLT_MAX] = {0};
    finf_status s = FINF_OK, last;
    for (size_t i = 0; i < o.starts && !s; i++) {
        blt_log_spaced(start_from(problem->slowest, i), buffers, q);
        s = descend(problem, &o, q, &d);
        out->evaluations += d.evaluations;
        out->starts += !s;
        if (!s) worst = fmax(worst, d.best);
        if (d.best < best.best) best = d;
    }
    if (s == FINF_ENOMEM || isinf(best.best)) return explained(s ? s : FINF_ETOL, &o, out);
    best.status = FINF_OK; /* stopped or not, the best point there is gets its numbers */
    best.cancel = (finf_cancel){NULL, NULL};
    last = what_is_left(&best, &out->left);
    if (!last) last = blt_fit_write(problem, best.q, best.k, unit, out);
    out->spread = out->starts ? expm1(worst - best.best) : NAN;
    out->seconds = finf_seconds() - begin;
    if (last || s) return explained(last ? last : s, &o, out);
    if (out->left <= LEFT_MOST) return FINF_OK;
    return finf_why(&out->reason, FINF_ETOL,
                    "the search ended where a step may still gain %.1e of the loss", out->left);
}
