/* The best Toeplitz noise of a run: all coefficients c, a band of them, or one nu. (theory 12.4)
 *
 * log sens^2 + log <M, BB'> is minimised over c_1, .., c_{m-1}, c_0 = 1, from the best nu. With
 * beta = 1/c the derivatives of the second term go from beta to c by d beta = -beta^2 dc. In c the
 * problem is well conditioned: for long runs both terms have the second derivative 4/sum c^2 times
 * a Toeplitz matrix whose symbol is 1. */
#include "design.h"

#include <stdlib.h>
#include <string.h>

#include "lbfgs.h"
#include "minimise.h"
#include "system.h"

#define STEPS_MAX 500
#define TOL 1e-10       /* of the loss, relative: what a step promises at the end */
#define SUFFICIENT 1e-6 /* and what is still called stationary */
#define SEEN 1e-10      /* of the loss, relative: above, a pattern is worse than that searched */
#define ALL_WIDTHS 32   /* bands up to which each width is tried, and then each 9/8 of the last, */
#define IDLE_WIDTHS 4   /* until so many in turn are no better */
#define LONG 4e5        /* n (d+16) p of a run in which few others are tried */
#define STEP_COST 16    /* a step costs as much as so many directions */
#define FALLING_BUFFERS 4

typedef struct {
    const finf_design *r;
    size_t k;        /* participations, that fit in the run */
    size_t b;        /* steps between them */
    size_t m;        /* coefficients that are searched, c_0 included */
    double *u;       /* n+1 weights; the allocation of all */
    double *c;       /* n */
    double *beta;    /* n */
    double *by_beta; /* n: derivatives */
    double *square;  /* n: beta^2 */
    double *column;  /* n: the sum of the columns that a user is in */
    double nu;       /* the best so far */
    double least;    /* log of its loss */
} toeplitz_search;

static finf_status search_make(const finf_design *r, toeplitz_search *a)
{
    size_t n = r->n;
    *a = (toeplitz_search){
        .r = r, .b = r->o.separation < n ? r->o.separation : n, .nu = 1, .least = INFINITY};
    a->k = (n + a->b - 1) / a->b;
    if (r->o.participations < a->k) a->k = r->o.participations;
    a->u = malloc((6 * n + 1) * sizeof *a->u);
    if (!a->u) return FINF_ENOMEM;
    a->c = a->u + n + 1;
    a->beta = a->c + n;
    a->by_beta = a->beta + n;
    a->square = a->by_beta + n;
    a->column = a->square + n;
    design_toeplitz_weights(r, a->u);
    return FINF_OK;
}

/* sens^2 of the steps 0, b, 2b, ..: exact for c >= 0 that never increases (theory 6.5), and where c
 * has at most b coefficients; what is found is judged again. */
static double sensitivity(toeplitz_search *a)
{
    size_t n = a->r->n;
    double sum = 0;
    memset(a->column, 0, n * sizeof *a->column);
    for (size_t p = 0; p < a->k; p++)
        for (size_t t = p * a->b; t < n; t++) a->column[t] += a->c[t - p * a->b];
    for (size_t t = 0; t < n; t++) sum += a->column[t] * a->column[t];
    return sum;
}

/* sum_t x_t y_{t-i} for i < n, into y. */
static finf_status correlate(double *x, size_t n, double *y)
{
    for (size_t t = 0; t < n / 2; t++) {
        double swap = x[t];
        x[t] = x[n - 1 - t];
        x[n - 1 - t] = swap;
    }
    finf_status s = series_multiply(x, y, n, y);
    for (size_t t = 0; t < n / 2; t++) {
        double swap = y[t];
        y[t] = y[n - 1 - t];
        y[n - 1 - t] = swap;
    }
    return s;
}

/* The value and its derivatives by c_1..c_{m-1}. */
static finf_status value(const double *x, void *data, double *f, double *g)
{
    toeplitz_search *a = data;
    size_t n = a->r->n, m = a->m;
    double loss, sens2;
    memset(a->c, 0, n * sizeof *a->c);
    a->c[0] = 1;
    memcpy(a->c + 1, x, (m - 1) * sizeof *x);
    sens2 = sensitivity(a);
    *f = INFINITY;
    finf_status s = finf_series_inverse(a->c, m, n, a->beta, NULL);
    if (s == FINF_EDOM) return FINF_OK; /* an overflow: outside the domain */
    if (!s) s = design_toeplitz_loss(a->r, a->u, a->beta, &loss, a->by_beta);
    if (!s) s = series_multiply(a->beta, a->beta, n, a->square);
    if (s) return s;
    double sum = log(sens2) + log(loss);
    if (!isfinite(sum)) return FINF_OK;
    s = correlate(a->by_beta, n, a->square);
    if (s) return s;
    *f = sum;
    memset(g, 0, (m - 1) * sizeof *g);
    for (size_t p = 0; p < a->k; p++)
        for (size_t i = 1; i < m && p * a->b + i < n; i++) g[i - 1] += a->column[p * a->b + i];
    for (size_t i = 1; i < m; i++) g[i - 1] = 2 * g[i - 1] / sens2 - a->square[i] / loss;
    return FINF_OK;
}

static void told(void *data, int step, double f)
{
    const toeplitz_search *a = data;
    const finf_design_options *o = &a->r->o;
    if (o->progress) o->progress(o->progress_data, step, a->r->spread * exp(f), NAN);
}

/* ---- nu -------------------------------------------------------------------------------------- */

/* c and beta of nu (theory 1.2); what would become subnormal is 0, as those are slow. */
static void set_nu(double nu, size_t n, double *c, double *beta)
{
    double q = 1 - nu;
    c[0] = beta[0] = 1;
    for (size_t t = 1; t < n; t++) {
        double x = (double)t;
        c[t] = c[t - 1] * ((x - 0.5) / x) * q;
        beta[t] = beta[t - 1] * ((x - 1.5) / x) * q;
        if (c[t] < 1e-150) c[t] = 0;
        if (fabs(beta[t]) < 1e-150) beta[t] = 0;
    }
}

static finf_status nu_value(double log_nu, void *data, double *f)
{
    toeplitz_search *a = data;
    double loss, nu = exp(log_nu);
    set_nu(nu, a->r->n, a->c, a->beta);
    double sens2 = sensitivity(a);
    finf_status s = design_toeplitz_loss(a->r, a->u, a->beta, &loss, NULL);
    if (s) return s;
    *f = log(sens2 * loss);
    if (*f < a->least) {
        a->least = *f;
        a->nu = nu;
    }
    return FINF_OK;
}

/* a->nu: below 1e-3/n, n steps cannot tell nu from 0. FINF_ETOL: cancelled. */
static finf_status best_nu(toeplitz_search *a)
{
    double log_nu;
    return minimise(nu_value, a, 0, -log(1e3 * (double)a->r->n), log(10) / 4, 1e-5, &log_nu);
}

/* ---- results --------------------------------------------------------------------------------- */

finf_status design_take(const finf_design *r, const char *family, finf_noise *noise,
                        finf_design_result *out)
{
    finf_design uncancelled = *r; /* what was found is worth judging, also after a stop */
    uncancelled.o.cancel = (finf_cancel){NULL, NULL};
    finf_status s = finf_design_noise(&uncancelled, noise, out);
    out->family = family;
    out->noise = noise;
    return s;
}

finf_status design_finish(finf_status s, double began, const char *family, const finf_design *r,
                          finf_design_result *out)
{
    if (s == FINF_ENOMEM) finf_why(&out->reason, s, "no memory for %zu steps", r->n);
    if (s && (s != FINF_ETOL || !out->system)) {
        finf_reason why = out->reason;
        finf_design_result_free(out);
        *out = design_result_failed(family);
        out->reason = why;
        if (!why.text[0])
            finf_why(&out->reason, s, "%s: stopped before anything was found", family);
    }
    out->seconds = finf_seconds() - began;
    return s;
}

finf_status finf_design_nu(const finf_design *r, finf_design_result *out)
{
    double began = finf_seconds();
    toeplitz_search a;
    finf_noise *noise = NULL;
    *out = design_result_failed("nu");
    finf_status s = search_make(r, &a), stopped = FINF_OK;
    if (!s) stopped = best_nu(&a);
    if (!s && stopped && (stopped != FINF_ETOL || !(a.least < INFINITY))) s = stopped;
    if (!s) s = finf_noise_nu(a.nu, &noise, &out->reason);
    if (!s) s = design_take(r, "nu", noise, out);
    if (!s && stopped) s = finf_why(&out->reason, stopped, "stopped at the choice of nu");
    if (out->system) out->nu = a.nu;
    free(a.u);
    return design_finish(s, began, "nu", r, out);
}

/* Searches m coefficients from those in a->c, and judges what is found. *f: log of its loss for the
 * pattern 0, b, 2b, .. */
static finf_status search_coefficients(toeplitz_search *a, size_t m, const char *family, double *f,
                                       finf_design_result *out)
{
    const finf_design *r = a->r;
    double left = 0, *x = malloc(m * sizeof *x);
    finf_noise *noise = NULL;
    int steps = 0;
    if (!x) return FINF_ENOMEM;
    memcpy(x, a->c, m * sizeof *x);
    a->m = m;
    lbfgs_problem p = {m - 1, value, told, a, STEPS_MAX, TOL, 0, 0};
    finf_status s = lbfgs(&p, x + 1, f, &steps, &left), found = s;
    if (s == FINF_ETOL) s = FINF_OK;
    if (!s) s = finf_noise_strategy(x, m, &noise, &out->reason);
    if (!s) s = design_take(r, family, noise, out);
    free(x);
    out->iterations = steps;
    out->bands = m < r->n ? m : 0;
    if (s || !found || left < SUFFICIENT) return s;
    return finf_cancelled(r->o.cancel)
               ? finf_why(&out->reason, found, "stopped after %d steps", steps)
               : finf_why(&out->reason, found, "after %d steps another one promises %.2g", steps,
                          left);
}

/* The better one of *out and *other; the other one is freed. 1: *other was. */
static int keep_better(finf_design_result *other, finf_design_result *out)
{
    int better = other->system && !(out->loss.value <= other->loss.value);
    if (better) {
        finf_design_result swap = *out;
        *out = *other;
        *other = swap;
    }
    finf_design_result_free(other);
    return better;
}

/* From the best nu, cut after m coefficients. That never rises, so that no pattern is worse for it
 * than the one searched: it is the answer where what was found is judged to be above it. */
static finf_status search_width(toeplitz_search *a, size_t m, const char *family,
                                finf_design_result *out)
{
    const finf_design *r = a->r;
    double log_loss = INFINITY;
    finf_design_result other;
    finf_noise *noise = NULL;
    set_nu(a->nu, r->n, a->c, a->beta);
    finf_status s = search_coefficients(a, m, family, &log_loss, out), fell;
    if (!out->system || log(out->loss.value / r->spread) <= log_loss + SEEN) return s;
    set_nu(a->nu, r->n, a->c, a->beta);
    fell = finf_noise_strategy(a->c, m, &noise, &out->reason);
    if (!fell) fell = design_take(r, family, noise, &other);
    if (fell) return fell;
    other.bands = out->bands;
    return keep_better(&other, out) ? FINF_OK : s;
}

/* *out is the better one of itself and *other, which is freed, and *s its status, unless memory
 * ended the search of *other or a stop did. 1: *other was not better. */
static int take_better(const finf_design *r, finf_status found, finf_design_result *other,
                       finf_status *s, finf_design_result *out)
{
    int better = keep_better(other, out);
    if (better || found == FINF_ENOMEM) *s = found;
    if (*s != FINF_ENOMEM && finf_cancelled(r->o.cancel))
        *s = finf_why(&out->reason, FINF_ETOL, "stopped after %d steps", out->iterations);
    return !better;
}

/* The best band of b coefficients has no two columns of a user in common, and may be better than
 * what the search of more finds, which may have patterns worse than the one searched. All widths
 * from b on are tried, wide ones less densely and until some in turn are no better, or in a long
 * run one; beside all coefficients the best BLT, there only where nothing is better than nu. s: the
 * status of *out. */
static finf_status try_others(toeplitz_search *a, size_t m, finf_status s, finf_design_result *out)
{
    const finf_design *r = a->r;
    const char *family = out->family;
    finf_design_result other;
    finf_status found;
    int idle = 0, quick = (double)r->n * (double)((r->d + STEP_COST) * r->p) > LONG;
    size_t all = quick ? 0 : ALL_WIDTHS;
    for (size_t w = a->b; w < m && (w < all || idle < (quick ? 1 : IDLE_WIDTHS));
         w += w < ALL_WIDTHS ? 1 : w / 8) {
        other = design_result_failed(family);
        found = search_width(a, w, family, &other);
        other.bands = out->bands;
        idle = take_better(r, found, &other, &s, out) ? idle + 1 : 0;
        if (s == FINF_ENOMEM || finf_cancelled(r->o.cancel)) return s;
    }
    if (m < r->n || (quick && log(out->loss.value / r->spread) < a->least)) return s;
    found = finf_design_blt(r, FALLING_BUFFERS, NULL, &other);
    other.family = family;
    take_better(r, found, &other, &s, out);
    return s;
}

finf_status finf_design_toeplitz(const finf_design *r, size_t bands, finf_design_result *out)
{
    double began = finf_seconds();
    const char *family = bands && bands < r->n ? "banded" : "toeplitz";
    size_t m = bands && bands < r->n ? bands : r->n;
    toeplitz_search a;
    *out = design_result_failed(family);
    finf_status s = search_make(r, &a);
    if (!s) s = best_nu(&a);
    if (!s || (s == FINF_ETOL && a.least < INFINITY)) {
        s = search_width(&a, m, family, out);
        if (out->system && !finf_cancelled(r->o.cancel) && a.k > 1 && a.b < m)
            s = try_others(&a, m, s, out);
    }
    free(a.u);
    return design_finish(s, began, family, r, out);
}
