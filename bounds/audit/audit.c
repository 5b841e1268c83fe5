/* What a noise that is given really has, and what its owner should know. (theory 13.8) */
#include "audit.h"

#include <stdlib.h>
#include <string.h>

#include "bounds.h"

finf_audit_options finf_audit_options_default(void)
{
    return (finf_audit_options){
        .participations = 1, .separation = 1, .sigma = NAN, .delta = NAN, .clip = 1, .batch = NAN};
}

/* ---- domain ---------------------------------------------------------------------------------- */

static finf_status check_number(const char *name, double value, double low, double high,
                                finf_reason *why)
{
    if (isnan(value) || (value >= low && value <= high)) return FINF_OK;
    return finf_why(why, FINF_EDOM, "%s = %s: must be from %s to %s", name, finf_show(value).s,
                    finf_show(low).s, finf_show(high).s);
}

static finf_status check_claims(const finf_audit_options *o, finf_reason *why)
{
    for (size_t i = 0; i < o->n_claims; i++) {
        const finf_audit_claim *c = &o->claims[i];
        const char *name = finf_audit_quantity_name(c->of);
        if (!name) return finf_why(why, FINF_EUSAGE, "claim %d: no such quantity", (int)c->of);
        if (!(c->value >= BOUNDS_TINY && c->value <= BOUNDS_HUGE && c->tolerance >= 0))
            return finf_why(why, FINF_EDOM, "claim %s = %s: must be from 1e-50 to 1e50", name,
                            finf_show(c->value).s);
        if (c->of >= FINF_AUDIT_RHO && isnan(o->sigma))
            return finf_why(why, FINF_EUSAGE, "a claim on %s needs sigma", name);
        if (c->of == FINF_AUDIT_EPSILON && isnan(o->delta))
            return finf_why(why, FINF_EUSAGE, "a claim on epsilon needs delta");
    }
    return FINF_OK;
}

/* The last of k participations b apart is at step (k-1) b. */
static finf_status check_participations(const finf_audit_options *o, size_t n, finf_reason *why)
{
    size_t k = o->participations, b = o->separation;
    if (k < 1 || b < 1)
        return finf_why(why, FINF_EDOM, "participations = %zu, separation = %zu: at least 1", k, b);
    if (k > 1 && !n)
        return finf_why(why, FINF_EUSAGE, "%zu participations need the steps of the run", k);
    if (k > 1 && (k - 1 >= n || b > (n - 1) / (k - 1)))
        return finf_why(why, FINF_EDOM,
                        "%zu participations %zu steps apart need %.0f steps: there are %zu", k, b,
                        (double)(k - 1) * (double)b + 1, n);
    return FINF_OK;
}

static finf_status check(const finf_audit_options *o, size_t n, finf_reason *why)
{
    finf_status s = check_number("sigma", o->sigma, BOUNDS_TINY, BOUNDS_HUGE, why);
    if (!s) s = check_number("clip", o->clip, BOUNDS_TINY, BOUNDS_HUGE, why);
    if (!s) s = check_number("batch", o->batch, 1, 1e15, why);
    if (!s && isnan(o->clip)) s = finf_why(why, FINF_EDOM, "clip = nan: must be positive");
    if (!s && !isnan(o->delta) && !(o->delta >= 1e-300 && o->delta < 1))
        s = finf_why(why, FINF_EDOM, "delta = %s: must be in (0, 1), at least 1e-300",
                     finf_show(o->delta).s);
    if (!s) s = finf_choice_check("count", (int)o->count, FINF_DESIGN_MIN_SEP, why);
    if (!s) s = check_participations(o, n, why);
    return s ? s : check_claims(o, why);
}

/* ---- what every audit begins and ends with --------------------------------------------------- */

static void clear(finf_audit_result *out)
{
    memset(out, 0, sizeof *out);
    out->kind = "";
    out->minimum_phase = -1;
    out->sens2 = out->sens2_lower = out->gamma2 = out->gamma2_T = finf_real_failed();
    out->prefix_error = out->prefix_error_mean = out->prefix_error_max = finf_real_failed();
    out->mean_loss = out->max_loss = out->rho = out->epsilon = finf_real_failed();
}

static finf_real product(finf_real a, finf_real b)
{
    if (isinf(a.value) && b.value > 0) return finf_real_infinite("sensitivity");
    return finf_real_make(a.value * b.value,
                          a.error * fabs(b.value) + b.error * fabs(a.value) + a.error * b.error +
                              FINF_EPS * fabs(a.value * b.value),
                          "product");
}

/* sens2 of the participations asked for, of the system of all steps. */
static finf_status find_sens2(audit *x, finf_reason *why)
{
    finf_audit_result *r = x->out;
    finf_status s = audit_sensitivity(x, x->system, x->o.participations, x->o.separation,
                                      x->o.count, &r->sens2, &r->sens2_lower, why);
    /* k = 1, for what is not Toeplitz; the other was found before */
    if (!s && isnan(r->gamma2_T.value)) {
        finf_real lower;
        s = audit_sensitivity(x, x->system, 1, 1, x->o.count, &r->gamma2_T, &lower, why);
    }
    return s;
}

/* From the facts to findings. On a failure nothing of it is left. */
static finf_status finish(audit *x, finf_status s)
{
    finf_audit_result *r = x->out;
    finf_reason why = {""};
    if (!s && finf_cancelled(x->o.cancel)) s = finf_why(&r->reason, FINF_ETOL, "stopped");
    if (!s) {
        r->sens2_exact = isinf(r->sens2.value) ||
                         r->sens2_lower.value >= r->sens2.value * (1 - 1e-9);
        r->mean_loss = product(r->sens2, r->prefix_error_mean);
        r->max_loss = product(r->sens2, r->prefix_error_max);
        s = audit_privacy(x, r->sens2, &r->rho, &r->epsilon, &why);
        if (!s) s = audit_find(x, &why);
        if (!s) s = audit_judge(x, &why);
        if (s) r->reason = why;
    }
    if (s) {
        why = r->reason;
        clear(r);
        r->reason = why;
    }
    return s;
}

/* ---- Toeplitz noise -------------------------------------------------------------------------- */

/* gamma_inf^2. Undecided (FINF_ETOL) is neither minimum phase nor not, and no failure where the
 * run has an end. */
static finf_status all_time(audit *x)
{
    finf_audit_result *r = x->out;
    finf_sensitivity all;
    finf_status s = finf_noise_sensitivity(x->noise, &all);
    r->reason = all.reason;
    if (s && (s != FINF_ETOL || !x->o.steps)) return s;
    if (!s) {
        r->gamma2 = all.gamma2;
        r->minimum_phase = all.minimum_phase;
    }
    return FINF_OK;
}

/* A sum that overflows is infinite, and nothing more is computed of it. */
static finf_status finite_steps(audit *x, finf_system **system)
{
    finf_audit_result *r = x->out;
    finf_reason why = {""};
    finf_status s = finf_noise_sensitivity_at(x->noise, x->o.steps, &r->gamma2_T, &why);
    if (!s && isinf(r->gamma2_T.value)) {
        r->sens2 = r->gamma2_T;
        r->sens2_lower = r->sens2;
        r->reason = why;
        return FINF_OK;
    }
    if (!s) s = finf_system_toeplitz(x->noise, x->o.steps, system, &why);
    x->system = *system;
    if (!s) s = audit_prefix(x, &why);
    if (!s) s = find_sens2(x, &why);
    if (s) r->reason = why;
    return s;
}

finf_status finf_audit_noise(const finf_noise *noise, const finf_audit_options *opt,
                             finf_audit_result *out)
{
    finf_system *system = NULL;
    audit x = {.noise = noise, .o = opt ? *opt : finf_audit_options_default(), .out = out};
    clear(out);
    finf_status s = FINF_OK;
    if (x.o.steps > FINF_SYSTEM_MAX)
        s = finf_why(&out->reason, FINF_EDOM, "%zu steps: at most %u", x.o.steps, FINF_SYSTEM_MAX);
    if (!s) s = check(&x.o, x.o.steps, &out->reason);
    if (!s) {
        out->kind = finf_noise_family(noise);
        out->steps = x.o.steps;
        s = all_time(&x);
    }
    if (!s && x.o.steps) s = finite_steps(&x, &system);
    if (!s && !x.o.steps) {
        out->sens2 = out->gamma2;
        out->sens2_lower = out->sens2;
    }
    s = finish(&x, s);
    finf_system_free(system);
    return s;
}

/* ---- matrices and other systems -------------------------------------------------------------- */

static finf_status of_system(audit *x)
{
    finf_audit_result *r = x->out;
    size_t n = x->system->facts.n;
    finf_status s = FINF_OK;
    if (x->o.steps && x->o.steps != n)
        s = finf_why(&r->reason, FINF_EDOM, "steps = %zu, but it has %zu", x->o.steps, n);
    x->o.steps = n;
    if (!s) s = check(&x->o, n, &r->reason);
    r->kind = x->system->facts.name;
    r->steps = n;
    if (!s) s = audit_prefix(x, &r->reason);
    if (!s) s = find_sens2(x, &r->reason);
    return s;
}

finf_status finf_audit_system(const finf_system *system, const finf_audit_options *opt,
                              finf_audit_result *out)
{
    audit x = {.system = system, .o = opt ? *opt : finf_audit_options_default(), .out = out};
    clear(out);
    return finish(&x, of_system(&x));
}

/* Nothing below the diagonal, and something above it. */
static int is_upper(const double *M, size_t n)
{
    int above = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            if (j < i && M[i * n + j] != 0) return 0;
            above |= j > i && M[i * n + j] != 0;
        }
    return above;
}

static finf_status transposed(const double *M, size_t n, double **out, finf_reason *why)
{
    *out = malloc(n * n * sizeof **out);
    if (!*out) return finf_why(why, FINF_ENOMEM, "no memory for %zu steps", n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) (*out)[j * n + i] = M[i * n + j];
    return FINF_OK;
}

/* The system of M as a strategy has both M and its inverse; where M is B they change places. */
static finf_status make_matrix(audit *x, const double *M, size_t n, finf_system **made,
                               finf_system *view)
{
    finf_reason *why = &x->out->reason;
    finf_status s = finf_system_matrix(M, n, made, why);
    if (s && x->inverted && strncmp(why->text, "C(", 2) == 0) why->text[0] = 'B';
    if (s) return s;
    if (audit_residual((*made)->C, (*made)->B, n, &x->residual))
        return finf_why(why, FINF_ENOMEM, "no memory for %zu steps", n);
    *view = x->inverted ? audit_exchanged(*made) : **made;
    x->system = view;
    return FINF_OK;
}

finf_status finf_audit_matrix(const double *matrix, size_t n, finf_audit_coef coef,
                              const finf_audit_options *opt, finf_audit_result *out)
{
    finf_system *made = NULL, view;
    double *turned = NULL;
    audit x = {.o = opt ? *opt : finf_audit_options_default(), .out = out};
    clear(out);
    x.inverted = coef == FINF_AUDIT_NOISING;
    finf_status s = finf_choice_check("coef", (int)coef, FINF_AUDIT_STRATEGY, &out->reason);
    if (!s && (n < 1 || n > FINF_AUDIT_MATRIX_MAX))
        s = finf_why(&out->reason, FINF_EDOM, "a matrix of %zu rows: must have 1 to %d", n,
                     FINF_AUDIT_MATRIX_MAX);
    int upper = !s && is_upper(matrix, n);
    if (upper) s = transposed(matrix, n, &turned, &out->reason);
    if (!s) s = make_matrix(&x, upper ? turned : matrix, n, &made, &view);
    if (!s) s = of_system(&x);
    if (!s && upper)
        audit_add(&x, FINF_AUDIT_ERROR,
                  "the matrix is upper triangular: noise of a step would need the steps after it; "
                  "what is told is of its transpose");
    s = finish(&x, s);
    finf_system_free(made);
    free(turned);
    return s;
}
