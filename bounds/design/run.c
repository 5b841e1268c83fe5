/* A run of n steps as a linear system in each direction of H, for any linear optimizer. (theory
 * 12.1)
 *
 * With eta b/(a + q b), q = eta (lambda + V), for the closed loop (theory 11.1) the state is that
 * of the direct form: theta_t = x_1(t) and x_i(t+1) = x_{i+1}(t) - (a_i + q b_i) x_1(t) + eta b_i
 * z_t. Averaging adds a number for an exponential mean, or the points that the mean is over. */
#include "design.h"

#include <stdlib.h>
#include <string.h>

#include "optimizer.h"

#define DIRECT_MAX 512 /* directions one by one; beyond, nodes of the spectral measure */

/* ---- states of all directions ---------------------------------------------------------------- */

FINF_VECTOR static void product(size_t d, const double *restrict x, const double *restrict value,
                                double *restrict y)
{
    for (size_t j = 0; j < d; j++) y[j] += x[j] * value[j];
}
FINF_VECTOR static void scaled(size_t d, double f, const double *restrict x, double *restrict y)
{
    for (size_t j = 0; j < d; j++) y[j] += f * x[j];
}
void design_add_product(size_t d, const double *x, const double *value, double *y)
{
    product(d, x, value, y);
}
void design_add(size_t d, double f, const double *x, double *y) { scaled(d, f, x, y); }

/* In eight sums that need not wait for each other. */
FINF_VECTOR static double sum_of(size_t d, const double *x)
{
    double sum[8] = {0};
    size_t j = 0;
    for (; j + 8 <= d; j += 8)
        for (size_t k = 0; k < 8; k++) sum[k] += x[j + k];
    for (; j < d; j++) sum[j % 8] += x[j];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}
double design_sum(size_t d, const double *x) { return sum_of(d, x); }

void design_advance(const finf_design *r, const double *x, double *next)
{
    memset(next, 0, r->p * r->d * sizeof *next);
    for (size_t e = 0; e < r->entries; e++)
        product(r->d, x + r->A[e].column * r->d, r->A[e].value, next + r->A[e].row * r->d);
}

void design_congruence(const finf_design *r, int transposed, double *V, double *work)
{
    size_t p = r->p, d = r->d;
    memset(work, 0, p * p * d * sizeof *work);
    for (size_t e = 0; e < r->entries; e++) {
        size_t from = transposed ? r->A[e].row : r->A[e].column,
               to = transposed ? r->A[e].column : r->A[e].row;
        for (size_t i = 0; i < p; i++)
            product(d, V + (i * p + from) * d, r->A[e].value, work + (i * p + to) * d);
    }
    memset(V, 0, p * p * d * sizeof *V);
    for (size_t e = 0; e < r->entries; e++) {
        size_t from = transposed ? r->A[e].row : r->A[e].column,
               to = transposed ? r->A[e].column : r->A[e].row;
        for (size_t i = 0; i < p; i++)
            product(d, work + (from * p + i) * d, r->A[e].value, V + (to * p + i) * d);
    }
}

void design_form(const finf_design *r, const double *x, const double *V, double *out)
{
    memset(out, 0, r->d * sizeof *out);
    for (size_t i = 0; i < r->p; i++)
        for (size_t l = 0; l < r->p; l++)
            if (x[i] * x[l] != 0) scaled(r->d, x[i] * x[l], V + (i * r->p + l) * r->d, out);
}

/* ---- construction ---------------------------------------------------------------------------- */

finf_design_options finf_design_options_default(void)
{
    return (finf_design_options){.privacy = finf_privacy_setting_default(),
                                 .start = 1,
                                 .objective = FINF_DESIGN_LAST,
                                 .participations = 1,
                                 .separation = 1,
                                 .count = FINF_DESIGN_FIXED_ORDER,
                                 .tol = 1e-9};
}

void finf_design_free(finf_design *r)
{
    if (!r) return;
    free(r->A);
    free(r->memory);
    free(r);
}

/* What does not depend on the loss. */
static finf_status check(size_t n, const finf_design_options *o, finf_reason *why)
{
    if (n < 1 || n > FINF_SYSTEM_MAX)
        return finf_why(why, FINF_EDOM, "%zu steps: must be from 1 to %u", n, FINF_SYSTEM_MAX);
    if (o->participations < 1)
        return finf_why(why, FINF_EDOM, "participations = %zu: at least 1", o->participations);
    if (o->separation < 1)
        return finf_why(why, FINF_EDOM, "separation = %zu: at least 1", o->separation);
    if (!(o->tol > 0 && o->tol < 1))
        return finf_why(why, FINF_EDOM, "tol = %s: must be between 0 and 1", finf_show(o->tol).s);
    finf_status s = finf_choice_check("objective", (int)o->objective, FINF_DESIGN_MAX, why);
    return s ? s : finf_choice_check("count", (int)o->count, FINF_DESIGN_MIN_SEP, why);
}

/* How many numbers the optimizer's own state has, and with its average. */
static size_t loop_states(const finf_optimizer *o) { return (o->na > o->nb ? o->na : o->nb) - 1; }
static size_t all_states(const finf_optimizer *o)
{
    size_t more = o->average == AVERAGE_EMA    ? o->average_leak < 1
                  : o->average == AVERAGE_LAST ? o->average_last - 1
                                               : 0;
    return loop_states(o) + more;
}

/* The next entry of A: `constant` in every direction, less q times `by_q`. */
static void put(finf_design *r, size_t row, size_t column, double constant, double by_q,
                const double *q)
{
    design_entry *e = r->A + r->entries;
    e->row = row;
    e->column = column;
    e->value = r->memory + (6 + r->entries++) * r->d;
    for (size_t j = 0; j < r->d; j++) e->value[j] = constant - by_q * q[j];
}

/* A, gain, report and begin. Before time 0 no gradient was taken; an exponential mean begins with
 * theta_0, and a window with theta_0 alone. */
static void set_loop(finf_design *r, const finf_optimizer *o, double step, const double *q)
{
    size_t own = loop_states(o);
    double left = 1; /* -(a_i + a_{i+1} + ..), as a(1) = 0 */
    for (size_t i = 0; i < own; i++) {
        double a = i + 1 < o->na ? o->a[i + 1] : 0, b = i + 1 < o->nb ? o->b[i + 1] : 0;
        put(r, i, 0, -a, b, q);
        if (i + 1 < own) put(r, i, i + 1, 1, 0, q);
        r->gain[i] = step * b;
        r->begin[i] = left;
        left += a;
    }
    double leak = o->average == AVERAGE_EMA ? o->average_leak : 1;
    r->window = o->average == AVERAGE_LAST ? o->average_last : 1;
    r->report[0] = own < r->p && o->average == AVERAGE_LAST ? 1 / (double)o->average_last : leak;
    for (size_t i = own; i < r->p; i++) {
        int ema = o->average == AVERAGE_EMA;
        put(r, i, i == own ? 0 : i - 1, ema ? leak : 1, 0, q);
        if (ema) put(r, i, i, 1 - leak, 0, q);
        r->report[i] = ema ? 1 - leak : r->report[0];
        r->begin[i] = ema;
    }
}

/* An empty run with room for d directions: six columns, the entries of A, and q for a while. */
static finf_status room(size_t n, size_t d, const finf_optimizer *o, const finf_design_options *opt,
                        finf_design **out, finf_reason *why)
{
    size_t p = all_states(o), entries = 2 * p + 2;
    if (p > DESIGN_STATE_MAX)
        return finf_why(why, FINF_EDOM, "a state of %zu numbers: last:K, K at most %zu here", p,
                        DESIGN_STATE_MAX - loop_states(o) + 1);
    finf_design *r = calloc(1, sizeof *r);
    if (r) {
        r->memory = calloc((6 + entries) * d, sizeof *r->memory);
        r->A = calloc(entries, sizeof *r->A);
    }
    if (!r || !r->memory || !r->A) {
        finf_design_free(r);
        return finf_why(why, FINF_ENOMEM, "no memory for %zu directions", d);
    }
    r->n = n;
    r->d = d;
    r->p = p;
    r->o = *opt;
    r->spread = opt->privacy.clip * opt->privacy.clip / (2 * opt->privacy.rho);
    double **column[] = {&r->count, &r->half, &r->feed, &r->lambda, &r->pull, &r->start};
    for (size_t c = 0; c < sizeof column / sizeof *column; c++) *column[c] = r->memory + c * d;
    *out = r;
    return FINF_OK;
}

/* The columns of the directions; *q is 1/step times what closes the loop, and the caller's. */
static finf_status set_directions(finf_design *r, const finf_spectrum *s, const spectral_measure *m,
                                  const finf_optimizer *o, double eta, double **q)
{
    double d = finf_spectrum_dim(s), kx = r->o.kurtosis;
    *q = malloc(r->d * sizeof **q);
    if (!*q) return FINF_ENOMEM;
    for (size_t j = 0; j < r->d; j++) {
        double lambda = m->n ? m->lambda[j] : finf_spectrum_at(s, (double)j + 1);
        r->lambda[j] = lambda;
        r->count[j] = m->n ? m->weight[j] : 1;
        r->pull[j] = r->count[j] * lambda;
        r->half[j] = 0.5 * (lambda + o->weight_decay);
        r->feed[j] = (1 + kx) * lambda * lambda;
        r->start[j] = r->o.start_at ? r->o.start_at[j] : r->o.start / d;
        (*q)[j] = eta * (lambda + o->weight_decay);
    }
    return FINF_OK;
}

/* The domain of a loss. */
static finf_status check_loss(double eta, const finf_spectrum *s, const finf_design_options *o,
                              finf_reason *why)
{
    finf_status status = finf_setting_check(eta, &o->privacy, why);
    if (!status) status = finf_kurtosis_check(o->kurtosis, why);
    if (!status) status = finf_start_check(o->start, o->start_at, finf_spectrum_dim(s), why);
    if (status) return status;
    double most = eta * (finf_spectrum_max(s) + optimizer_or_sgd(o->optimizer)->weight_decay);
    if (most > BOUNDS_HUGE)
        return finf_why(why, FINF_EDOM, "eta * lambda_max = %s: at most 1e50", finf_show(most).s);
    if (o->start_at && finf_spectrum_dim(s) > DIRECT_MAX)
        return finf_why(why, FINF_EDOM,
                        "dim = %s: a start given by direction needs at most %d of them",
                        finf_show(finf_spectrum_dim(s)).s, DIRECT_MAX);
    return FINF_OK;
}

finf_status finf_design_make(double eta, const finf_spectrum *s, size_t n,
                             const finf_design_options *opt, finf_design **out, finf_reason *why)
{
    finf_design_options o = opt ? *opt : finf_design_options_default();
    const finf_optimizer *optimizer = optimizer_or_sgd(o.optimizer);
    *out = NULL;
    finf_status status = check(n, &o, why);
    if (!status) status = check_loss(eta, s, &o, why);
    if (status) return status;
    spectral_measure m = {0};
    double *q = NULL;
    if (finf_spectrum_dim(s) > DIRECT_MAX)
        status = spectral_measure_make(s, 0.5 / (fmax(2 + o.kurtosis, 1) * eta), &m);
    if (status) return finf_why(why, status, "no memory");
    status = room(n, m.n ? m.n : (size_t)finf_spectrum_dim(s), optimizer, &o, out, why);
    if (!status && (status = set_directions(*out, s, &m, optimizer, eta, &q)))
        finf_why(why, status, "no memory");
    if (!status) set_loop(*out, optimizer, eta, q);
    free(q);
    spectral_measure_free(&m);
    if (status) {
        finf_design_free(*out);
        *out = NULL;
    }
    return status;
}

finf_status finf_design_prefix(size_t n, const finf_design_options *opt, finf_design **out,
                               finf_reason *why)
{
    finf_design_options o = opt ? *opt : finf_design_options_default();
    const finf_optimizer *optimizer = optimizer_or_sgd(o.optimizer);
    const double open = 0; /* no gradient closes the loop */
    *out = NULL;
    finf_status status = check(n, &o, why);
    if (!status) status = finf_setting_check(1, &o.privacy, why);
    if (!status) status = room(n, 1, optimizer, &o, out, why);
    if (status) return status;
    (*out)->prefix = 1;
    (*out)->count[0] = (*out)->half[0] = 1;
    set_loop(*out, optimizer, 1, &open);
    return FINF_OK;
}
