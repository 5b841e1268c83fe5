/* Means of |G|^2 W over the circle, G the closed loop of an optimizer, W made of |A|^2 and |B|^2.
 * (theory 11.2)
 *
 *   white noise     step-down recursion (optimizer/gain.c)
 *   real poles      partial fractions, in T(b) of the noise (partial_fractions.c)
 *   a finite beta   step by step (finite_beta.c)
 *   any other       panels about each pole (kernel/panels.c), common to many q, after the narrowest
 * resonance is taken out: mean |G|^2 W = W(r) mean |G|^2 + mean |G|^2 (W - W(r)), r its frequency,
 * the first mean being known without quadrature. What rounding does to a narrow peak is then in a
 * term that vanishes at it. */
#include "filtered.h"

#include <stdint.h>
#include <stdlib.h>

#include "family.h"

#define NARROW 0.3   /* resonances of this width in u are taken out */
#define BATCH 64     /* most q on common panels */
#define ENOUGH 2e-13 /* partial fractions with a larger relative error are not used */

/* ---- panels ---------------------------------------------------------------------------------- */

/* The poles of q[number]. */
static void add_loop(const finf_optimizer *o, double q, size_t number, filtered_plan *p,
                     finf_status *s)
{
    double complex y[OPTIMIZER_ORDER_MAX];
    size_t n = 0;
    if (!*s) *s = loop_poles(o, q, y, &n);
    p->width[number] = INFINITY;
    for (size_t i = 0; i < n && !*s; i++) {
        panel_feature f = loop_feature(y[i]);
        p->plan.near_0 = fmin(p->plan.near_0, exp(f.u));
        p->plan.near_pi = fmin(p->plan.near_pi, exp(-f.u));
        /* wider ones are what every panel is made for; of a pair one is enough */
        if (f.width < 1 && cimag(y[i]) >= 0) p->feature[p->plan.n++] = f;
        if (f.width < p->width[number]) {
            p->width[number] = f.width;
            p->peak[number] = f.u;
        }
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
        .knot = malloc((from_noise + from_average + 1) * sizeof *out->knot),
        .peak = malloc(2 * n * sizeof *out->peak)};
    finf_status s = out->feature && out->knot && out->peak ? FINF_OK : FINF_ENOMEM;
    if (!s) out->width = out->peak + n;
    for (size_t i = 0; i < n && !s; i++) add_loop(o, q[i], i, out, &s);
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
    free(p->peak);
    *p = (filtered_plan){.feature = NULL, .knot = NULL};
}

/* ---- means by panels ------------------------------------------------------------------------- */

/* A mean that is wanted: of |G|^2 W at q, mean |G|^2 being g. */
typedef struct {
    double q;
    finf_real g, *mean;
} mean_at;

/* Some q whose means are made on common panels. */
typedef struct {
    const finf_optimizer *o;
    const finf_noise *noise; /* NULL: without |B|^2 */
    int averaged;            /* with |A|^2 */
    size_t n;                /* of q, at most BATCH */
    double q[BATCH];
    double taken[BATCH]; /* out of W, for each q */
} batch;

static double weight_at(const batch *x, double t)
{
    double W = x->averaged ? average_gain(x->o, t) : 1;
    return x->noise ? W * noise_density_t(t, (void *)(uintptr_t)x->noise) : W;
}

/* |b/(a + q b)|^2 (W - taken) for every q. */
FINF_VECTOR static void set_integrands(const batch *x, const optimizer_point *p, double W,
                                       double *out)
{
    double br = creal(p->b), bi = cimag(p->b), ar = creal(p->bottom), ai = cimag(p->bottom),
           top = br * br + bi * bi, q0 = p->q0, low = p->q0_low;
    for (size_t k = 0; k < x->n; k++) {
        double q = (x->q[k] - q0) - low, re = ar + q * br, im = ai + q * bi;
        out[k] = top / (re * re + im * im) * (W - x->taken[k]);
    }
}

static void integrands(double t, void *ctx, double *out)
{
    const batch *x = ctx;
    optimizer_point p = optimizer_point_at(x->o, t);
    set_integrands(x, &p, weight_at(x, t), out);
}

/* mean |G|^2 W at the q of a batch; at[k] is where mean |G|^2 of q[k] and the result are. */
static finf_status batch_means(batch *x, const mean_at *at)
{
    filtered_plan p;
    finf_real out[BATCH];
    double base[BATCH];
    finf_status s = filtered_plan_make(x->o, x->noise, x->q, x->n, &p);
    if (s) return s;
    for (size_t k = 0; k < x->n; k++) {
        x->taken[k] = p.width[k] < NARROW ? weight_at(x, exp(p.peak[k])) : 0;
        base[k] = x->taken[k] * at[k].g.value;
    }
    s = panel_means(integrands, x, x->n, &p.plan, base, out);
    double lost = (x->noise ? noise_density_rounding(x->noise) : 0) + 8 * FINF_EPS;
    for (size_t k = 0; k < x->n; k++) {
        out[k].value += base[k];
        out[k].error += x->taken[k] * at[k].g.error + lost * fabs(out[k].value);
        *at[k].mean = out[k];
    }
    filtered_plan_free(&p);
    return s;
}

/* How many q may share panels: not so many that the sums of all panels fill the memory, where |B|
 * or |A| asks for thousands of them. */
static size_t batch_size(const finf_optimizer *o, const finf_noise *noise)
{
    size_t panels = 128 + zeros_of_average(o, NULL) + o->average_last +
                    (noise ? noise_knots(noise, NULL) + noise_taps(noise) : 0),
           most = BATCH * 1024 / panels;
    return most < 1 ? 1 : most > BATCH ? BATCH : most;
}

static int by_q(const void *x, const void *y)
{
    double a = ((const mean_at *)x)->q, b = ((const mean_at *)y)->q;
    return (a > b) - (a < b);
}

/* All of a list, which is put in order: neighbours resonate near each other. */
static finf_status by_panels(const finf_optimizer *o, const finf_noise *noise, int averaged,
                             finf_cancel cancel, mean_at *list, size_t n)
{
    size_t most = batch_size(o, noise);
    finf_status s = FINF_OK;
    qsort(list, n, sizeof *list, by_q);
    for (size_t i = 0; i < n && s != FINF_ENOMEM; i += most) {
        if (finf_cancelled(cancel)) return FINF_ETOL;
        batch x = {.o = o, .noise = noise, .averaged = averaged, .n = n - i < most ? n - i : most};
        for (size_t k = 0; k < x.n; k++) x.q[k] = list[i + k].q;
        s = finf_worse(s, batch_means(&x, list + i));
    }
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

/* N or N_bar of one q, from the table if it is there, or step by step; *done = 0: neither. *T moves
 * on. */
static finf_status noise_mean(const finf_optimizer *o, const finf_noise *noise, double q,
                              int averaged, const table *t, const fractions *f, const double **T,
                              finf_real *out, int *done)
{
    *done = 0;
    if (f->n && t->known) {
        *out = fractions_mean(f, *T, t->error);
        *T += f->n;
        *done = out->error <= ENOUGH * out->value;
    }
    if (*done || noise->family->response != noise_list_at) return FINF_OK;
    finf_status s = finite_beta_mean(o, noise->coef, noise->n, q, averaged, out); /* beta listed */
    *done = s != FINF_ETOL;
    return *done ? s : FINF_OK;
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

/* mean |G|^2, with |A|^2 where that is by recursion; what is left for panels goes to `list`. */
static finf_status white(const finf_optimizer *o, double q, filtered *x, mean_at *list, size_t *m)
{
    finf_status s = loop_white_gain(o, q, &x->g);
    x->g_bar = x->g;
    if (s || o->average == AVERAGE_NONE) return s;
    if (loop_average_gain(o, q, &x->g_bar) != FINF_OK) list[(*m)++] = (mean_at){q, x->g, &x->g_bar};
    return FINF_OK;
}

/* Why a call failed. */
static finf_status failed_for(finf_status s, finf_cancel cancel, const char *unsettled,
                              finf_reason *why)
{
    if (s == FINF_ETOL && finf_cancelled(cancel)) unsettled = "stopped";
    return s ? finf_why(why, s, "%s", s == FINF_ENOMEM ? "no memory" : unsettled) : FINF_OK;
}

finf_status filtered_white(const finf_optimizer *opt, const double *q, size_t n, finf_cancel cancel,
                           filtered *out, finf_reason *why)
{
    const finf_optimizer *o = optimizer_or_sgd(opt);
    finf_real failed = finf_real_failed();
    size_t m = 0;
    mean_at *list = malloc(n * sizeof *list);
    finf_status s = list ? FINF_OK : FINF_ENOMEM;
    for (size_t i = 0; i < n; i++) out[i] = (filtered){failed, failed, failed, failed};
    for (size_t i = 0; i < n && s != FINF_ENOMEM; i++) {
        if (finf_cancelled(cancel)) {
            s = FINF_ETOL;
            break;
        }
        s = finf_worse(s, white(o, q[i], &out[i], list, &m));
    }
    if (!s && m) s = by_panels(o, NULL, 1, cancel, list, m);
    free(list);
    return failed_for(s, cancel, "a gain has not settled", why);
}

/* N of all q, and N_bar where there is an average; list: 2 n to work with. */
static finf_status coloured(const finf_optimizer *o, const finf_noise *noise, const double *q,
                            size_t n, finf_cancel cancel, const table *t, mean_at *list,
                            filtered *out)
{
    const double *T = t->T;
    mean_at *bars = list + n;
    size_t m = 0, m_bar = 0;
    int done = 0, averaged = o->average != AVERAGE_NONE;
    finf_status s = FINF_OK;
    for (size_t i = 0; i < n && s != FINF_ENOMEM; i++) {
        filtered *x = &out[i];
        if (finf_cancelled(cancel)) return FINF_ETOL;
        s = finf_worse(s, noise_mean(o, noise, q[i], 0, t, &t->plain[i], &T, &x->N, &done));
        if (!done) list[m++] = (mean_at){q[i], x->g, &x->N};
        if (!averaged) continue;
        s = finf_worse(s, noise_mean(o, noise, q[i], 1, t, &t->averaged[i], &T, &x->N_bar, &done));
        if (!done) bars[m_bar++] = (mean_at){q[i], x->g, &x->N_bar};
    }
    if (s != FINF_ENOMEM) s = finf_worse(s, by_panels(o, noise, 0, cancel, list, m));
    if (s != FINF_ENOMEM) s = finf_worse(s, by_panels(o, noise, 1, cancel, bars, m_bar));
    for (size_t i = 0; i < n && !averaged; i++) out[i].N_bar = out[i].N;
    return s;
}

finf_status filtered_noise(const finf_optimizer *opt, const finf_noise *noise, const double *q,
                           size_t n, finf_cancel cancel, filtered *out, finf_reason *why)
{
    const finf_optimizer *o = optimizer_or_sgd(opt);
    finf_status s = FINF_OK;
    int diverges = 0, plain = noise_is_white(noise);
    if (!plain) s = infinite(noise, &diverges, why);
    finf_real inf = finf_real_infinite("beta is not square-summable");
    for (size_t i = 0; i < n && (plain || diverges); i++) {
        out[i].N = plain ? out[i].g : inf;
        out[i].N_bar = plain ? out[i].g_bar : inf;
    }
    if (plain || diverges || s) return s;
    table t = {0};
    mean_at *list = malloc(2 * n * sizeof *list);
    s = list ? table_make(o, noise, q, n, &t, why) : FINF_ENOMEM;
    if (!s) s = coloured(o, noise, q, n, cancel, &t, list, out);
    free(list);
    free(t.plain);
    free(t.b);
    return failed_for(s, cancel, "an integral of |B|^2 did not settle", why);
}

finf_status filtered_gains(const finf_optimizer *o, const finf_noise *noise, const double *q,
                           size_t n, finf_cancel cancel, filtered *out, finf_reason *why)
{
    finf_status s = filtered_white(o, q, n, cancel, out, why);
    return s ? s : filtered_noise(o, noise, q, n, cancel, out, why);
}
