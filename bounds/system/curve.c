/* E[F(theta_t) - F*] of linear regression for every t, exactly: the learning curve. (theory 6)
 *
 * In H's eigenbasis the diagonal s_j(t) of the second moment of theta_t - theta* closes on itself
 * (5.c), coupled only through sum_i lambda_i s_i. With b = eta lambda_j and q = 1-b
 *
 *     s_j(t+1) = (1 - b (2 - (2+kx) b)) s_j(t) + eta b sum_i lambda_i s_i(t)
 *                + eta^2 sigma_sgd^2 lambda_j + eta^2 sigma^2 Q_j(t),
 *     Q_j(t)   = K_tt + 2 sum_{s<t} K_ts q^{t-s},
 *
 * and for Toeplitz noise, with u(t) = q u(t-1) + beta_t,
 *
 *     Q_j(t)   = u(t)^2 + b (2-b) sum_{s<t} u(s)^2.
 *
 * This is a sum of squares. The shorter Q(t) = Q(t-1) + 2 beta_t u(t) - beta_t^2 loses digits where
 * Q falls from 1 to T_j ~ b log(1/b). */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "curve.h"
#include "system.h"

finf_curve_options finf_curve_options_default(void)
{
    return (finf_curve_options){.privacy = finf_privacy_setting_default(),
                                .start = 1,
                                .gamma = FINF_CURVE_GAMMA_T,
                                .direct_max = 512};
}

void finf_curve_result_free(finf_curve_result *r)
{
    if (!r) return;
    free(r->F);
    r->F = NULL;
}

/* An entry for each direction or, where there are many, for each node of the spectral measure. The
 * recursion is s += -shrink s + feed trace + sgd + dp Q, trace = sum of weighted s. */
typedef struct {
    size_t n;         /* directions or nodes */
    double *block;    /* all columns, owned */
    double *weighted; /* lambda times how many directions the node stands for */
    double *b;        /* eta lambda */
    double *shrink;   /* b (2 - (2+kx) b) */
    double *feed;     /* eta b */
    double *sgd;      /* eta^2 sigma_sgd^2 lambda */
    double *dp;       /* eta^2 sigma^2 */
    double *s;        /* the second moment, E (theta - theta*)_j^2 */
    double *u;        /* u(t), of Toeplitz noise */
    double *sum;      /* sum_{s<t} u(s)^2, of Toeplitz noise */
    double *Q;        /* Q(t) */
} directions;
#define COLUMNS 10 /* of directions */

/* The domain. gamma_inf is that of Toeplitz noise only, and must be finite. */
static finf_status check(const finf_system *system, double eta, const finf_spectrum *s,
                         const finf_curve_options *o, finf_reason *why)
{
    finf_status status = finf_setting_check(eta, &o->privacy, why);
    if (!status) status = finf_kurtosis_check(o->kurtosis, why);
    if (!status) status = finf_choice_check("gamma", (int)o->gamma, FINF_CURVE_GAMMA_INF, why);
    if (status) return status;
    if (o->start_at && finf_spectrum_dim(s) > 1e8)
        return finf_why(why, FINF_EDOM,
                        "dim = %s: a start given by direction needs at most 1e8 of them",
                        finf_show(finf_spectrum_dim(s)).s);
    status = finf_start_check(o->start, o->start_at, finf_spectrum_dim(s), why);
    if (status) return status;
    if (!(o->sens2 >= 0 && o->sens2 <= BOUNDS_HUGE))
        return finf_why(why, FINF_EDOM, "sens2 = %s: must be from 0 to 1e50",
                        finf_show(o->sens2).s);
    double most = finf_spectrum_max(s) + optimizer_or_sgd(o->optimizer)->weight_decay;
    if (eta * most > BOUNDS_HUGE)
        return finf_why(why, FINF_EDOM, "eta * lambda_max = %s: at most 1e50",
                        finf_show(eta * most).s);
    if (o->sens2 == 0 && o->gamma == FINF_CURVE_GAMMA_INF) {
        finf_system_facts f = finf_system_describe(system);
        if (system->kind != SYSTEM_TOEPLITZ)
            return finf_why(
                why, FINF_EDOM,
                "%s has no gamma_inf: only Toeplitz noise does; use the sensitivity of its steps",
                f.name);
        if (isnan(f.gamma_inf2.value))
            return finf_why(why, FINF_ETOL,
                            "%s: gamma_inf was not found; use the sensitivity of its %zu steps",
                            f.name, f.n);
        if (isinf(f.gamma_inf2.value))
            return finf_why(why, FINF_EDOM,
                            "%s: gamma_inf is infinite; use the sensitivity of its %zu steps",
                            f.name, f.n);
    }
    return FINF_OK;
}

/* The directions, or nodes where `nodes` says so; eigenvalues above `separate` are no part of a
 * node. The start is spread evenly over the directions unless it is given for each of them. */
static finf_status list_directions(const finf_spectrum *spectrum, const finf_curve_options *o,
                                   int nodes, size_t fine, double separate, curve_list *out)
{
    double d = finf_spectrum_dim(spectrum);
    spectral_measure m = {0};
    finf_status status = nodes ? spectral_measure_make_fine(spectrum, separate, fine, &m) : FINF_OK;
    if (status) return status;
    out->n = nodes ? m.n : (size_t)d;
    out->lambda = malloc(3 * out->n * sizeof *out->lambda);
    if (out->lambda) {
        out->count = out->lambda + out->n;
        out->start = out->count + out->n;
        for (size_t j = 0; j < out->n; j++) {
            out->lambda[j] = nodes ? m.lambda[j] : finf_spectrum_at(spectrum, (double)j + 1);
            out->count[j] = nodes ? m.weight[j] : 1;
            out->start[j] = o->start_at ? o->start_at[j] : o->start / d;
        }
    }
    spectral_measure_free(&m);
    return out->lambda ? FINF_OK : FINF_ENOMEM;
}

/* The columns at t = 0. */
static finf_status make_directions(const curve_list *list, double eta, const finf_curve_options *o,
                                   double sigma2, directions *x)
{
    double kx = o->kurtosis;
    x->n = list->n;
    /* each column begins with a line of the cache, so that no vector lies across two of them */
    size_t line = 64 / sizeof(double), stride = (x->n + line - 1) / line * line;
    x->block = calloc(COLUMNS * stride + line, sizeof *x->block);
    if (!x->block) return FINF_ENOMEM;
    double *first = x->block + (line - (uintptr_t)x->block / sizeof(double) % line) % line;
    double **column[COLUMNS] = {&x->weighted, &x->b, &x->shrink, &x->feed, &x->sgd,
                                &x->dp,       &x->s, &x->u,      &x->sum,  &x->Q};
    for (size_t c = 0; c < COLUMNS; c++) *column[c] = first + c * stride;
    for (size_t j = 0; j < x->n; j++) {
        double lambda = list->lambda[j], b = eta * lambda;
        x->weighted[j] = lambda * list->count[j];
        x->b[j] = b;
        x->shrink[j] = b * (2 - (2 + kx) * b);
        x->feed[j] = eta * b;
        x->sgd[j] = eta * eta * o->privacy.sigma_sgd * o->privacy.sigma_sgd * lambda;
        x->dp[j] = eta * eta * sigma2;
        x->s[j] = list->start[j];
    }
    return FINF_OK;
}

/* sum_i lambda_i s_i, in eight sums that need not wait for each other. */
FINF_VECTOR static double trace_of(const directions *x)
{
    double sum[8] = {0};
    size_t j = 0;
    for (; j + 8 <= x->n; j += 8)
        for (size_t k = 0; k < 8; k++) sum[k] += x->weighted[j + k] * x->s[j + k];
    for (; j < x->n; j++) sum[j % 8] += x->weighted[j] * x->s[j];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/* u, the sum of its squares and Q, one step on. */
FINF_VECTOR static void toeplitz_noise(const directions *x, double beta)
{
    double *restrict u = x->u, *restrict sum = x->sum, *restrict Q = x->Q;
    const double *restrict b = x->b;
    for (size_t j = 0; j < x->n; j++) {
        double now = (u[j] - b[j] * u[j]) + beta, square = now * now;
        u[j] = now;
        Q[j] = square + b[j] * (2 - b[j]) * sum[j];
        sum[j] += square;
    }
}

#define TILE 256 /* directions at a time: their partial sums stay in the first-level cache */

/* Q(t) from the row K_t0..K_tt by Horner's rule in q = 1 - b, for all directions of a tile at once.
 * y - b y rather than q y, since rounding 1 - b would be multiplied by t. */
FINF_VECTOR static void covariance_noise(const directions *x, const double *row, size_t t)
{
    for (size_t from = 0; from < x->n; from += TILE) {
        size_t n = x->n - from < TILE ? x->n - from : TILE;
        double sum[TILE] = {0};
        const double *restrict b = x->b + from;
        for (size_t s = 0; s < t; s++)
            for (size_t j = 0; j < n; j++) {
                double y = sum[j] + row[s];
                sum[j] = y - b[j] * y;
            }
        for (size_t j = 0; j < n; j++) x->Q[from + j] = row[t] + 2 * sum[j];
    }
}

/* s from t to t+1; s - shrink s rather than (1 - shrink) s, for the same reason. */
FINF_VECTOR static void advance(const directions *x, double trace)
{
    double *restrict s = x->s;
    const double *restrict shrink = x->shrink;
    const double *restrict feed = x->feed;
    const double *restrict sgd = x->sgd;
    const double *restrict dp = x->dp;
    const double *restrict Q = x->Q;
    for (size_t j = 0; j < x->n; j++)
        s[j] = (s[j] - shrink[j] * s[j]) + ((feed[j] * trace + sgd[j]) + dp[j] * Q[j]);
}

/* K of a system that is not Toeplitz. */
static finf_status make_covariance(const finf_system *system, const finf_curve_options *o,
                                   double **K, finf_reason *why)
{
    size_t n = system->facts.n;
    finf_system_options stop = {o->cancel};
    if (n > FINF_SYSTEM_DENSE_MAX)
        return finf_why(why, FINF_EDOM,
                        "%s of %zu steps: its curve needs a matrix, at most %u steps",
                        system->facts.name, n, FINF_SYSTEM_DENSE_MAX);
    *K = malloc(n * n * sizeof **K);
    return *K ? system_covariance(system, &stop, *K, why)
              : finf_why(why, FINF_ENOMEM, "no memory for %zu steps", n);
}

/* The curve F[0..n] of plain sgd. K is the covariance of the noise, or NULL for Toeplitz noise. A
 * curve that overflows is +inf from there on, with a reason: that eta diverges is an answer. */
static finf_status run_plain(const finf_system *system, const finf_curve_options *o,
                             const double *K, const directions *x, finf_curve_result *out)
{
    size_t n = system->facts.n;
    for (size_t t = 0; t <= n; t++) {
        double trace = trace_of(x);
        out->F[t] = 0.5 * trace;
        if (!isfinite(trace)) {
            for (; t <= n; t++) out->F[t] = INFINITY;
            return finf_why(&out->reason, FINF_OK,
                            "eta diverges in mean square, and the curve overflows");
        }
        if (t == n) break;
        if (t % 64 == 0 && finf_cancelled(o->cancel))
            return finf_why(&out->reason, FINF_ETOL, "stopped at step %zu of %zu", t, n);
        if (K)
            covariance_noise(x, K + t * n, t);
        else
            toeplitz_noise(x, system->beta[t]);
        advance(x, trace);
    }
    return FINF_OK;
}

/* The curve of the directions, whatever the optimizer. */
static finf_status run(const finf_system *system, double eta, const finf_curve_options *o,
                       const double *K, const curve_list *list, finf_curve_result *out)
{
    directions x = {0};
    if (!optimizer_is_plain(o->optimizer)) {
        curve_question q = {.optimizer = o->optimizer,
                            .eta = eta,
                            .sigma2 = out->sigma2,
                            .sgd2 = o->privacy.sigma_sgd * o->privacy.sigma_sgd,
                            .kurtosis = o->kurtosis,
                            .n = system->facts.n,
                            .beta = K ? NULL : system->beta,
                            .K = K,
                            .list = list,
                            .cancel = o->cancel};
        return curve_optimizer(&q, out->F, &out->reason);
    }
    finf_status status = make_directions(list, eta, o, out->sigma2, &x);
    status = status ? finf_why(&out->reason, status, "no memory")
                    : run_plain(system, o, K, &x, out);
    free(x.block);
    return status;
}

/* Lists the directions, makes K where it is needed, and runs. Eigenvalues stay single from a
 * quarter of the way on to where their direction stops decaying, as in linreg.c. */
static finf_status make_curve(const finf_system *system, double eta, const finf_spectrum *s,
                              const finf_curve_options *o, finf_curve_result *out)
{
    curve_list list = {0};
    double *K = NULL, step = eta * finf_optimizer_step(o->optimizer);
    double separate = 0.5 / (fmax(2 + o->kurtosis, 1) * step);
    size_t fine = 1;
    finf_status status = FINF_OK;
    out->nodes = !o->start_at && finf_spectrum_dim(s) > (double)o->direct_max;
    out->F = malloc((out->n + 1) * sizeof *out->F);
    if (out->nodes && !optimizer_is_plain(o->optimizer))
        status = curve_optimizer_fine(o->optimizer, eta, s, &fine);
    if (!status)
        status = out->F ? list_directions(s, o, out->nodes, fine, separate, &list) : FINF_ENOMEM;
    if (status) finf_why(&out->reason, status, "no memory");
    if (!status && system->kind != SYSTEM_TOEPLITZ)
        status = make_covariance(system, o, &K, &out->reason);
    if (!status) status = run(system, eta, o, K, &list, out);
    out->directions = list.n;
    free(K);
    free(list.lambda);
    return status;
}

/* Relative error of F, measured and not proved. Every step rounds s, u and Q, which adds up like
 * the sqrt(n) of a random walk: against the same recursion in long double, for sgd, nu, cc and
 * antipgd and n = 100 to 1e6, 1 to 90 eps, and 1e4 eps for cc at n = 1e6, where 1.6e4 are allowed.
 * The nodes of the spectral measure agree with single directions (power:0.5 to power:2, d = 600 to
 * 15000, 2000 steps) to 4e-15; NODES_OFF is far above, for spectra that were not tried. */
#define ROUNDING 64
#define ROUNDING_STEPS 16
#define NODES_OFF 1e-12

finf_status finf_curve(const finf_system *system, double eta, const finf_spectrum *s,
                       const finf_curve_options *opt, finf_curve_result *out)
{
    finf_curve_options o = opt ? *opt : finf_curve_options_default();
    finf_system_facts f = finf_system_describe(system);
    *out = (finf_curve_result){
        .n = f.n, .relerr = INFINITY, .last = finf_real_failed(), .sens2 = NAN, .sigma2 = NAN};
    finf_status status = check(system, eta, s, &o, &out->reason);
    if (status) return status;
    out->sens2 = o.sens2 > 0                       ? o.sens2
                 : o.gamma == FINF_CURVE_GAMMA_INF ? f.gamma_inf2.value
                                                   : f.sens2.value;
    if (!isfinite(out->sens2))
        return finf_why(&out->reason, FINF_EDOM, "%s: the sensitivity of its %zu steps overflows",
                        f.name, f.n);
    out->sigma2 = o.privacy.clip * o.privacy.clip * out->sens2 / (2 * o.privacy.rho);
    status = make_curve(system, eta, s, &o, out);
    if (status) {
        finf_curve_result_free(out);
        return status;
    }
    out->relerr = FINF_EPS * (ROUNDING + ROUNDING_STEPS * sqrt((double)f.n)) +
                  (out->nodes ? NODES_OFF : 0) +
                  (o.sens2 > 0                       ? 0
                   : o.gamma == FINF_CURVE_GAMMA_INF ? f.gamma_inf2.error / f.gamma_inf2.value
                                                     : f.sens2.error / f.sens2.value);
    double last = out->F[f.n];
    out->last = isfinite(last)
                    ? finf_real_make(last, out->relerr * last, "second moment, step by step")
                    : finf_real_infinite("second moment, step by step");
    return FINF_OK;
}
