/* Means of |G|^2 W over the circle, G the closed loop of an optimizer, W made of |A|^2 and |B|^2.
 * (theory 11.2)
 *
 *   white noise     step-down recursion (optimizer/gain.c)
 *   real poles      partial fractions, in T(b) of the noise (partial_fractions.c)
 *   a finite beta   step by step (finite_beta.c)
 *   any other       panels about each pole (kernel/panels.c), after the narrowest resonance is
 * taken out: mean |G|^2 W = W(r) mean |G|^2 + mean |G|^2 (W - W(r)), r its frequency, the first
 * mean being known without quadrature. What rounding does to a narrow peak is then in a term that
 * vanishes at it. */
#include "filtered.h"

#include <stdint.h>
#include <stdlib.h>

#include "family.h"

#define NARROW 0.3   /* resonances of this width in u are taken out */
#define ENOUGH 2e-13 /* partial fractions with a larger relative error are not used */

/* ---- panels ---------------------------------------------------------------------------------- */

static void add_loop(const finf_optimizer *o, double q, filtered_plan *p, finf_status *s)
{
    double complex y[OPTIMIZER_ORDER_MAX];
    size_t n = 0;
    if (!*s) *s = loop_poles(o, q, y, &n);
    for (size_t i = 0; i < n && !*s; i++) {
        panel_feature f = loop_feature(y[i]);
        p->plan.near_0 = fmin(p->plan.near_0, exp(f.u));
        p->plan.near_pi = fmin(p->plan.near_pi, exp(-f.u));
        /* wider ones are what every panel is made for; of a pair one is enough */
        if (f.width < 1 && cimag(y[i]) >= 0) p->feature[p->plan.n++] = f;
    }
}

/* The zeros of last:K, where |A| has corners. */
static size_t zeros_of_average(const finf_optimizer *o, double *w)
{
    size_t K = o->average_last;
    for (size_t k = 1; 2 * k < K && w; k++) w[k - 1] = 2 * FINF_PI * (double)k / (double)K;
    return o->average == AVERAGE_LAST ? (K - 1) / 2 : 0;
}

static int increasing(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

finf_status filtered_plan_make(const finf_optimizer *opt, const finf_noise *noise, const double *q,
                               size_t n, filtered_plan *out)
{
    const finf_optimizer *o = optimizer_or_sgd(opt);
    size_t order = o->na > o->nb ? o->na : o->nb, from_noise = noise ? noise_knots(noise, NULL) : 0,
           from_average = zeros_of_average(o, NULL), taps = noise ? noise_taps(noise) : 0;
    double scale = noise ? finf_noise_scale(noise) : 1;
    *out = (filtered_plan){
        .plan = {.near_0 = fmin(scale, o->average_leak), .near_pi = scale, .longest = INFINITY},
        .feature = malloc(n * order * sizeof *out->feature),
        .knot = malloc((from_noise + from_average + 1) * sizeof *out->knot)};
    finf_status s = out->feature && out->knot ? FINF_OK : FINF_ENOMEM;
    for (size_t i = 0; i < n; i++) add_loop(o, q[i], out, &s);
    out->plan.feature = out->feature;
    out->plan.knot = out->knot;
    if (!s) {
        if (from_noise) noise_knots(noise, out->knot);
        if (from_average) zeros_of_average(o, out->knot + from_noise);
        out->plan.n_knots = from_noise + from_average;
        qsort(out->knot, out->plan.n_knots, sizeof *out->knot, increasing);
    }
    double swings = fmax((double)taps, o->average == AVERAGE_LAST ? (double)o->average_last : 0);
    if (swings > 8) out->plan.longest = 2 * FINF_PI / swings;
    if (o->average == AVERAGE_LAST)
        out->plan.near_0 = fmin(out->plan.near_0, 1 / (double)o->average_last);
    if (s) filtered_plan_free(out);
    return s;
}

void filtered_plan_free(filtered_plan *p)
{
    free(p->feature);
    free(p->knot);
    *p = (filtered_plan){.feature = NULL, .knot = NULL};
}

/* ---- one mean -------------------------------------------------------------------------------- */

typedef struct {
    const finf_optimizer *o;
    const finf_noise *noise; /* NULL: without |B|^2 */
    int averaged;            /* with |A|^2 */
    double q;
    double taken; /* out of W */
} mean_ctx;

static double weight_at(const mean_ctx *x, double t)
{
    double W = x->averaged ? average_gain(x->o, t) : 1;
    return x->noise ? W * noise_density_t(t, (void *)(uintptr_t)x->noise) : W;
}

static double integrand(double t, void *ctx)
{
    const mean_ctx *x = ctx;
    return optimizer_gain(x->o, x->q, t) * (weight_at(x, t) - x->taken);
}

/* mean |G|^2 W at q by panels; g is mean |G|^2. */
static finf_status by_panels(mean_ctx *x, finf_real g, finf_real *out)
{
    filtered_plan p;
    finf_status s = filtered_plan_make(x->o, x->noise, &x->q, 1, &p);
    if (s) return s;
    double width = NARROW;
    x->taken = 0;
    for (size_t i = 0; i < p.plan.n; i++)
        if (p.feature[i].width < width) {
            width = p.feature[i].width;
            x->taken = weight_at(x, exp(p.feature[i].u));
        }
    p.plan.base = x->taken * g.value;
    s = panel_mean(integrand, x, &p.plan, out);
    double lost = x->noise ? noise_density_rounding(x->noise) : 0;
    out->value += p.plan.base;
    out->error += x->taken * g.error + (lost + 8 * FINF_EPS) * fabs(out->value);
    filtered_plan_free(&p);
    return s;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* The sums in T of all q, and T at all their poles: one call of finf_noise_energy. */
typedef struct {
    fractions *plain, *averaged; /* n each; n = 0 in one: not so */
    double *b, *T;
    double error;
    int known; /* T was found */
} table;

static void gather(const fractions *f, double *b, size_t *m)
{
    for (size_t i = 0; i < f->n; i++) b[(*m)++] = f->b[i];
}

static finf_status table_make(const finf_optimizer *o, const finf_noise *noise, const double *q,
                              size_t n, table *t, finf_reason *why)
{
    size_t m = 0, most = 2 * FRACTIONS_MAX * n;
    t->plain = calloc(2 * n, sizeof *t->plain);
    t->b = malloc(2 * most * sizeof *t->b);
    if (!t->plain || !t->b) return FINF_ENOMEM;
    t->averaged = t->plain + n;
    t->T = t->b + most;
    for (size_t i = 0; i < n; i++) {
        if (!fractions_make(o, q[i], 0, &t->plain[i])) t->plain[i].n = 0;
        if (!fractions_make(o, q[i], 1, &t->averaged[i])) t->averaged[i].n = 0;
        if (o->average == AVERAGE_NONE) t->averaged[i].n = 0;
        gather(&t->plain[i], t->b, &m);
        gather(&t->averaged[i], t->b, &m);
    }
    finf_status s = m ? finf_noise_energy(noise, t->b, m, t->T, &t->error, why) : FINF_OK;
    t->known = m && !s;
    return s == FINF_ENOMEM ? s : FINF_OK; /* otherwise panels do without */
}

/* N or N_bar of one q, from the table if it is there. *T moves on. */
static finf_status noise_mean(const table *t, const fractions *f, const double **T, mean_ctx *x,
                              finf_real g, finf_real *out)
{
    if (f->n && t->known) {
        *out = fractions_mean(f, *T, t->error);
        *T += f->n;
        if (out->error <= ENOUGH * out->value) return FINF_OK;
    }
    if (x->noise->family->response == noise_list_at) { /* beta is listed */
        finf_status s = finite_beta_mean(x->o, x->noise->coef, x->noise->n, x->q, x->averaged, out);
        if (s != FINF_ETOL) return s;
    }
    return by_panels(x, g, out);
}

/* beta is not square-summable: then every T is infinite, and so are N and N_bar. */
static finf_status infinite(const finf_noise *noise, int *yes, finf_reason *why)
{
    double half = 0.5, T = 0;
    finf_reason reason = {""};
    finf_status s = finf_noise_energy(noise, &half, 1, &T, NULL, &reason);
    *yes = !s && isinf(T);
    if (*yes || s == FINF_ENOMEM) finf_why(why, s, "%s", reason.text);
    return s == FINF_ENOMEM ? s : FINF_OK;
}

static finf_status white(const finf_optimizer *o, double q, filtered *x)
{
    finf_status s = loop_white_gain(o, q, &x->g);
    x->g_bar = x->g;
    if (s || o->average == AVERAGE_NONE) return s;
    if (loop_average_gain(o, q, &x->g_bar) == FINF_OK) return FINF_OK;
    mean_ctx ctx = {o, NULL, 1, q, 0};
    return by_panels(&ctx, x->g, &x->g_bar);
}

/* The two means with the noise, of q number i. */
static finf_status coloured(const finf_optimizer *o, const finf_noise *noise, double q,
                            const table *t, size_t i, const double **T, filtered *x)
{
    mean_ctx plain = {o, noise, 0, q, 0}, averaged = {o, noise, 1, q, 0};
    finf_status s = noise_mean(t, &t->plain[i], T, &plain, x->g, &x->N);
    x->N_bar = x->N;
    if (o->average == AVERAGE_NONE) return s;
    return finf_worse(s, noise_mean(t, &t->averaged[i], T, &averaged, x->g, &x->N_bar));
}

/* g and g_bar of all q. */
static finf_status all_white(const finf_optimizer *o, const double *q, size_t n, finf_cancel cancel,
                             filtered *out, finf_reason *why)
{
    finf_status s = FINF_OK;
    finf_real failed = finf_real_failed();
    for (size_t i = 0; i < n; i++) out[i] = (filtered){failed, failed, failed, failed};
    for (size_t i = 0; i < n; i++) {
        if (finf_cancelled(cancel)) return finf_why(why, FINF_ETOL, "stopped");
        s = finf_worse(s, white(o, q[i], &out[i]));
    }
    if (s) finf_why(why, s, s == FINF_ENOMEM ? "no memory" : "a gain has not settled");
    return s;
}

finf_status filtered_gains(const finf_optimizer *opt, const finf_noise *noise, const double *q,
                           size_t n, finf_cancel cancel, filtered *out, finf_reason *why)
{
    const finf_optimizer *o = optimizer_or_sgd(opt);
    int diverges = 0, stopped = 0, plain = noise && noise_is_white(noise);
    finf_status s = all_white(o, q, n, cancel, out, why);
    if (s || !noise) return s;
    if (!plain) s = infinite(noise, &diverges, why);
    table t = {0};
    if (!s && !plain && !diverges) s = table_make(o, noise, q, n, &t, why);
    const double *T = t.T;
    for (size_t i = 0; i < n && s != FINF_ENOMEM && !(stopped = finf_cancelled(cancel)); i++) {
        finf_real inf = finf_real_infinite("beta is not square-summable");
        out[i].N = plain ? out[i].g : inf;
        out[i].N_bar = plain ? out[i].g_bar : inf;
        if (!plain && !diverges) s = finf_worse(s, coloured(o, noise, q[i], &t, i, &T, &out[i]));
    }
    free(t.plain);
    free(t.b);
    if (stopped) return finf_why(why, FINF_ETOL, "stopped");
    if (s) finf_why(why, s, s == FINF_ENOMEM ? "no memory" : "an integral of |B|^2 did not settle");
    return s;
}
