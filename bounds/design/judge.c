/* What a noise has in a run: sensitivity to the participations asked for, the loss two ways, and
 * what the start and gradient noise add. (theory 12.1, 12.2) */
#include "design.h"

#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "system.h"

finf_design_result design_result_failed(const char *family)
{
    return (finf_design_result){.family = family,
                                .loss = finf_real_failed(),
                                .loss_total = finf_real_failed(),
                                .sens2 = finf_real_failed(),
                                .sigma = NAN,
                                .least = NAN,
                                .duality_gap = NAN,
                                .nu = NAN};
}

void finf_design_result_free(finf_design_result *r)
{
    if (!r) return;
    finf_system_free(r->system);
    finf_noise_free(r->noise);
    free(r->recursion);
    r->recursion = NULL;
    r->system = NULL;
    r->noise = NULL;
}

/* ---- sensitivity ----------------------------------------------------------------------------- */

/* For Toeplitz C where there is no room for a matrix. With m_t the largest |c_s|, s >= t, which
 * never increases, |X_ij| is at most that of m, and the worst pattern of m is 0, b, 2b, ..
 * (theory 6.5): an upper bound, and exact where c = m. Where c has at most b coefficients no two
 * columns of a user meet, and the first k are the longest: exact too. */
static finf_status majorant(const double *c, size_t n, size_t k, size_t b, double *sens2,
                            int *exact)
{
    double *column = calloc(2 * n, sizeof *column), most = 0;
    if (!column) return FINF_ENOMEM;
    double *m = column + n;
    size_t taps = n;
    while (taps > 1 && c[taps - 1] == 0) taps--;
    *exact = 1;
    for (size_t t = n; t-- > 0;) {
        most = fmax(most, fabs(c[t]));
        m[t] = taps <= b ? c[t] : most;
        if (m[t] != c[t]) *exact = 0;
    }
    for (size_t p = 0; p < k && p * b < n; p++)
        for (size_t t = p * b; t < n; t++) column[t] += m[t - p * b];
    long double sum = 0;
    for (size_t t = 0; t < n; t++) sum += (long double)column[t] * column[t];
    free(column);
    *sens2 = (double)sum;
    return FINF_OK;
}

/* sens2 of the system for the run's participations. */
static finf_status sensitivity(const finf_design *r, const finf_system *system,
                               finf_design_result *out)
{
    size_t n = r->n, k = r->o.participations, b = r->o.separation;
    finf_participation p;
    finf_system_options o = {r->o.cancel};
    if (k == 1 || b >= n) {
        out->sens2 = finf_system_describe(system).sens2;
        out->sens2_exact = 1;
        return FINF_OK;
    }
    double value = NAN;
    finf_status s = finf_system_participation(system, k, b, &o, &p, &out->reason);
    if (!s) {
        int fixed = r->o.count == FINF_DESIGN_FIXED_ORDER;
        value = fixed ? p.fixed_order : p.min_sep;
        out->sens2_exact = fixed ? p.fixed_lower >= value * (1 - 1e-9) : p.exact;
        out->sens2 = finf_real_make(value, (double)n * FINF_EPS * value, "participation patterns");
    } else if (s == FINF_EDOM && system->kind == SYSTEM_TOEPLITZ) {
        out->reason.text[0] = 0;
        s = majorant(system->c, n, k, b, &value, &out->sens2_exact);
        out->sens2 = finf_real_make(value, 64 * FINF_EPS * value,
                                    out->sens2_exact ? "the pattern 0, b, 2b, .."
                                                     : "majorant of c, an upper bound");
    }
    return s;
}

/* ---- the loss -------------------------------------------------------------------------------- */

/* The objective of the losses f_1..f_n. */
static double objective(const finf_design *r, const double *f)
{
    double sum = 0, most = -INFINITY;
    for (size_t t = 1; t <= r->n; t++) {
        sum += f[t];
        most = fmax(most, f[t]);
    }
    return r->o.objective == FINF_DESIGN_LAST      ? f[r->n]
           : r->o.objective == FINF_DESIGN_AVERAGE ? sum / (double)r->n
                                                   : most;
}

/* The objective of Toeplitz noise for sigma = 1 and, forward in time, for sigma^2 = scale: with the
 * rest where `rest`. The largest loss is the last, as it never falls from theta* (theory 12.4), but
 * where a window is still filling. */
static finf_status toeplitz_losses(const finf_design *r, const double *beta, double scale,
                                   double *backward, double *forward, double *total)
{
    double *u = malloc(2 * (r->n + 1) * sizeof *u);
    if (!u) return FINF_ENOMEM;
    double *f = u + r->n + 1;
    design_toeplitz_weights(r, u);
    finf_status s = design_toeplitz_loss(r, u, beta, backward, NULL);
    if (!s) s = design_forward_toeplitz(r, beta, 1, 0, f);
    if (!s) *forward = objective(r, f);
    if (!s && r->window > 1 && r->o.objective == FINF_DESIGN_MAX) *backward = *forward;
    if (!s) s = design_forward_toeplitz(r, beta, scale, 1, f);
    if (!s) *total = objective(r, f);
    free(u);
    return s;
}

/* The same for any covariance K: backward it is <M, K>. The largest loss has the forward way only.
 */
static finf_status matrix_losses(const finf_design *r, const double *K, double scale,
                                 double *backward, double *forward, double *total)
{
    size_t n = r->n;
    double *M = malloc((n * n + 2 * (n + 1)) * sizeof *M), *responses = NULL;
    if (!M) return FINF_ENOMEM;
    double *u = M + n * n, *f = u + n + 1;
    finf_status s = design_responses(r, &responses);
    if (!s) s = design_forward(r, responses, K, 1, 0, f);
    if (!s) *backward = *forward = objective(r, f);
    if (!s) s = design_forward(r, responses, K, scale, 1, f);
    if (!s) *total = objective(r, f);
    if (!s && r->o.objective != FINF_DESIGN_MAX) {
        design_weights(r, u);
        s = design_matrix(r, u, M);
        long double sum = 0;
        for (size_t i = 0; i < n * n && !s; i++) sum += (long double)M[i] * K[i];
        *backward = (double)sum;
    }
    free(responses);
    free(M);
    return s;
}

/* Relative rounding of a sum over the run, as in finf_curve. */
static double rounding(size_t n) { return FINF_EPS * (64 + 16 * sqrt((double)n)); }

static finf_status losses(const finf_design *r, const finf_system *system, double scale,
                          double *backward, double *forward, double *total, finf_reason *why)
{
    if (system->kind == SYSTEM_TOEPLITZ)
        return toeplitz_losses(r, system->beta, scale, backward, forward, total);
    finf_system_options o = {r->o.cancel};
    finf_status s = system_check_dense(system, why);
    if (s) return s;
    double *K = malloc(r->n * r->n * sizeof *K);
    s = K ? system_covariance(system, &o, K, why) : FINF_ENOMEM;
    if (!s) s = matrix_losses(r, K, scale, backward, forward, total);
    free(K);
    return s;
}

static finf_status judge(const finf_design *r, const finf_system *system, finf_design_result *out)
{
    finf_status s = sensitivity(r, system, out);
    double scale = r->spread * out->sens2.value, backward = NAN, forward = NAN, total = NAN;
    if (!s) s = losses(r, system, scale, &backward, &forward, &total, &out->reason);
    if (s == FINF_ETOL) return finf_why(&out->reason, s, "stopped at the loss of %s", out->family);
    if (s == FINF_ENOMEM) return finf_why(&out->reason, s, "no memory for %zu steps", r->n);
    if (s) return s;
    if (!isfinite(backward) || !isfinite(total))
        return finf_why(&out->reason, FINF_EDOM, "%s: the loss of %zu steps overflows", out->family,
                        r->n);
    double relative = out->sens2.error / out->sens2.value + rounding(r->n);
    out->sigma = sqrt(scale);
    out->loss = finf_real_make(scale * backward,
                               scale * (fabs(backward - forward) + relative * backward),
                               "adjoint recursion, and forward");
    out->loss_total = finf_real_make(
        total, scale * fabs(backward - forward) + relative * (scale * backward + total),
        "second moment, step by step");
    return FINF_OK;
}

finf_status design_judge(const finf_design *r, finf_design_result *out)
{
    return judge(r, out->system, out);
}

/* ---- noise and systems that are given -------------------------------------------------------- */

/* Vectors that a stream keeps: the past of a recursion, or of all steps. */
static size_t state_of(const finf_noise *noise, size_t n)
{
    size_t taps = noise_taps(noise), most = n - 1;
    size_t own = noise_is_white(noise)                          ? 0
                 : strcmp(finf_noise_family(noise), "blt") == 0 ? noise->n
                 : taps                                         ? taps - 1
                                                                : most;
    return own < most ? own : most;
}

/* After a failure nothing is owned. */
static finf_status finish(finf_status s, double began, finf_design_result *out)
{
    if (s) {
        finf_reason why = out->reason;
        finf_design_result_free(out);
        *out = design_result_failed(out->family);
        out->reason = why;
    }
    out->seconds = finf_seconds() - began;
    return s;
}

finf_status finf_design_noise(const finf_design *r, const finf_noise *noise,
                              finf_design_result *out)
{
    double began = finf_seconds();
    *out = design_result_failed(finf_noise_family(noise));
    finf_status s = finf_system_toeplitz(noise, r->n, &out->system, &out->reason);
    if (!s) s = judge(r, out->system, out);
    if (!s) out->memory = state_of(noise, r->n);
    return finish(s, began, out);
}

finf_status finf_design_system(const finf_design *r, const finf_system *system,
                               finf_design_result *out)
{
    double began = finf_seconds();
    finf_system_facts f = finf_system_describe(system);
    *out = design_result_failed(f.name);
    if (f.n != r->n)
        return finf_why(&out->reason, FINF_EDOM, "%s of %zu steps: the run has %zu", f.name, f.n,
                        r->n);
    finf_status s = judge(r, system, out);
    if (!s) out->memory = f.bands ? f.bands - 1 : r->n - 1;
    return finish(s, began, out);
}
