/* The numbers of an audit, with their errors: prefix sums, sensitivity, privacy. (theory 13.8) */
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "bounds.h"

finf_system audit_exchanged(const finf_system *s)
{
    finf_system other = *s;
    other.C = s->B;
    other.B = s->C;
    other.c = s->beta;
    other.beta = s->c;
    return other;
}

/* ---- the inverse of a matrix ----------------------------------------------------------------- */

/* Row i of V solves C_i V = e_i by substitution, so that |I - MV| <= n u |M||V| entry by entry
 * (Higham, Accuracy and Stability, 8.5). The 2-norm is at most the root of the two norms that are
 * sums along rows and columns, and these take O(n^2): |M| (|V| 1) and (1'|M|) |V|. */
finf_status audit_residual(const double *M, const double *V, size_t n, double *out)
{
    double *rows = calloc(2 * n, sizeof *rows), *columns = rows ? rows + n : NULL;
    double most_row = 0, most_column = 0;
    *out = INFINITY;
    if (!rows) return FINF_ENOMEM;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            rows[i] += fabs(V[i * n + j]);
            columns[j] += fabs(M[i * n + j]);
        }
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j <= i; j++) sum += fabs(M[i * n + j]) * rows[j];
        most_row = fmax(most_row, sum);
    }
    for (size_t j = 0; j < n; j++) {
        double sum = 0;
        for (size_t i = j; i < n; i++) sum += columns[i] * fabs(V[i * n + j]);
        most_column = fmax(most_column, sum);
    }
    free(rows);
    *out = (double)n * FINF_EPS * sqrt(most_row) * sqrt(most_column);
    return FINF_OK;
}

/* ---- prefix sums ----------------------------------------------------------------------------- */

/* Variances, one after the other. */
typedef struct {
    long double sum, most, sum_lost, most_lost;
} variances;

static void add_variance(variances *v, long double value, long double lost)
{
    v->sum += value;
    v->sum_lost += lost;
    if (value > v->most) {
        v->most = value;
        v->most_lost = lost;
    }
}

/* Prefix sum t has the variance sum_{s<=t} a_s^2, a the prefix sums of beta: these cancel, and
 * `drift` is what rounding of the coefficients may have done to a_s. */
static void toeplitz_prefix(const double *beta, size_t n, variances *v)
{
    long double a = 0, variance = 0, drift = 0, lost = 0;
    for (size_t t = 0; t < n; t++) {
        a += beta[t];
        drift += 2 * (long double)FINF_EPS * fabsl((long double)beta[t]);
        variance += a * a;
        lost += (2 * fabsl(a) + drift) * drift;
        add_variance(v, variance, lost);
    }
}

/* |p_t|^2, p_t the sum of the rows 0..t of B. Where B is a computed inverse the true p_t is
 * p_t (I - R)^{-1}, so that the relative error of the norm is at most |R|_2/(1 - |R|_2). */
static finf_status matrix_prefix(const double *B, size_t n, double residual, variances *v)
{
    long double *p = calloc(n, sizeof *p);
    if (!p) return FINF_ENOMEM;
    long double part = residual < 0.5 ? residual / (1 - residual) : INFINITY;
    for (size_t t = 0; t < n; t++) {
        long double variance = 0;
        for (size_t j = 0; j <= t; j++) {
            p[j] += B[t * n + j];
            variance += p[j] * p[j];
        }
        add_variance(v, variance, variance * part * (2 + part));
    }
    free(p);
    return FINF_OK;
}

/* sum_{i,j<=t} K_ij, row after row; `size` is the sum of |K_ij|, to which rounding is relative. */
static finf_status covariance_prefix(const finf_system *s, const finf_system_options *o,
                                     variances *v, finf_reason *why)
{
    size_t n = s->facts.n;
    finf_status status = system_check_dense(s, why);
    if (status) return status;
    double *K = malloc(n * n * sizeof *K);
    status = K ? system_covariance(s, o, K, why) : FINF_ENOMEM;
    long double variance = 0, size = 0;
    for (size_t t = 0; t < n && !status; t++) {
        variance += K[t * n + t];
        size += fabs(K[t * n + t]);
        for (size_t j = 0; j < t; j++) {
            variance += 2 * (long double)K[t * n + j];
            size += 2 * (long double)fabs(K[t * n + j]);
        }
        add_variance(v, variance, 64 * (long double)FINF_EPS * size);
    }
    free(K);
    return status;
}

finf_status audit_prefix(audit *x, finf_reason *why)
{
    const finf_system *s = x->system;
    size_t n = s->facts.n;
    variances v = {0, 0, 0, 0};
    const char *method = "prefix sums of beta";
    finf_status status = FINF_OK;
    finf_system_options stop = {x->o.cancel};
    if (s->kind == SYSTEM_TOEPLITZ)
        toeplitz_prefix(s->beta, n, &v);
    else if (s->kind == SYSTEM_MATRIX) {
        status = matrix_prefix(s->B, n, x->inverted ? 0 : x->residual, &v);
        method = "prefix sums of B";
    } else {
        status = covariance_prefix(s, &stop, &v, why);
        method = "sums of the covariance";
    }
    if (status == FINF_ENOMEM) finf_why(why, status, "no memory for %zu steps", n);
    if (status) return status;
    double all = (double)v.sum, most = (double)v.most, m = (double)n;
    finf_real sum = finf_real_make(all, (double)v.sum_lost + 4 * FINF_EPS * all, method);
    x->out->prefix_error = sum;
    x->out->prefix_error_mean = finf_real_make(sum.value / m, sum.error / m + FINF_EPS * all / m,
                                               method);
    x->out->prefix_error_max = finf_real_make(most, (double)v.most_lost + 4 * FINF_EPS * most,
                                              method);
    return FINF_OK;
}

/* ---- sensitivity ----------------------------------------------------------------------------- */

/* An entry X_ij of C'C is off by n u |c_i||c_j|, and the sum over a pattern of k steps by k times
 * as much of itself. Where C is a computed inverse V of B, it is V (I - R)^{-1}: for k
 * contributions of norm 1 the norm of the sum is off by |V|_2 |R|_2 k^{1/2}, and |V|_2 <= |V|_F. */
static double matrix_lost(const audit *x, const finf_system *s, size_t k, double sens2)
{
    size_t n = s->facts.n;
    double lost = (double)n * FINF_EPS * (double)k * sens2;
    if (!x->inverted) return lost;
    long double norm2 = 0;
    for (size_t i = 0; i < n * n; i++) norm2 += (long double)s->C[i] * s->C[i];
    double off = (double)sqrtl(norm2) * x->residual * sqrt((double)k);
    return lost + (2 * sqrt(sens2) + off) * off;
}

/* Toeplitz: entries have the relative error of gamma_T^2, one of them, and adding up n of them
 * costs as many roundings. */
static double sens2_lost(const audit *x, const finf_system *s, size_t k, double sens2)
{
    if (s->kind == SYSTEM_MATRIX) return matrix_lost(x, s, k, sens2);
    finf_real one = s->facts.sens2;
    return sens2 * (one.error / one.value + (double)s->facts.n * FINF_EPS);
}

/* The largest squared norm of a column of C; that of a Toeplitz one is the first. */
static finf_status one_participation(const audit *x, const finf_system *s, finf_real *sens2)
{
    size_t n = s->facts.n, columns = s->kind == SYSTEM_MATRIX ? n : 1;
    long double most = 0, *sum = calloc(columns, sizeof *sum);
    if (!sum) return FINF_ENOMEM;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < columns && j <= i; j++) {
            long double c = s->kind == SYSTEM_MATRIX ? s->C[i * n + j] : s->c[i];
            sum[j] += c * c;
        }
    for (size_t j = 0; j < columns; j++) most = fmaxl(most, sum[j]);
    free(sum);
    *sens2 = finf_real_make((double)most, sens2_lost(x, s, 1, (double)most), "largest column");
    return FINF_OK;
}

finf_status audit_sensitivity(const audit *x, const finf_system *s, size_t k, size_t b,
                              finf_design_count count, finf_real *sens2, finf_real *lower,
                              finf_reason *why)
{
    finf_participation p;
    finf_system_options stop = {x->o.cancel};
    if (k == 1) {
        int listed = s->kind == SYSTEM_MATRIX || (s->kind == SYSTEM_TOEPLITZ && s != x->system);
        *sens2 = s->facts.sens2;
        if (listed && one_participation(x, s, sens2))
            return finf_why(why, FINF_ENOMEM, "no memory for %zu steps", s->facts.n);
        *lower = *sens2;
        return FINF_OK;
    }
    finf_status status = finf_system_participation(s, k, b, &stop, &p, why);
    if (status) return status;
    int fixed = count == FINF_DESIGN_FIXED_ORDER;
    double value = fixed ? p.fixed_order : p.min_sep, lost = sens2_lost(x, s, k, value);
    *lower = finf_real_make(fixed ? p.fixed_lower : p.min_sep_lower, lost, "attained");
    *sens2 = finf_real_make(value, lost, p.method);
    return FINF_OK;
}

/* ---- privacy --------------------------------------------------------------------------------- */

/* rho = G^2 sens2/(2 sigma^2); epsilon rises with rho, so that its error is what the ends of rho's
 * make of it. */
finf_status audit_privacy(const audit *x, finf_real sens2, finf_real *rho, finf_real *epsilon,
                          finf_reason *why)
{
    double ratio = x->o.clip / x->o.sigma, value = ratio * ratio * sens2.value / 2;
    *rho = *epsilon = finf_real_failed();
    if (isnan(x->o.sigma)) return FINF_OK;
    if (isinf(sens2.value)) {
        *rho = finf_real_infinite("sensitivity");
        if (!isnan(x->o.delta)) *epsilon = finf_real_infinite("sensitivity");
        return FINF_OK;
    }
    if (!(value >= 1e-30 && value <= 1e30))
        return finf_why(why, FINF_EDOM, "sigma = %s gives rho = %.3g: must be from 1e-30 to 1e30",
                        finf_show(x->o.sigma).s, value);
    double part = sens2.error / sens2.value + 8 * FINF_EPS;
    *rho = finf_real_make(value, part * value, "G^2 sens2/(2 sigma^2)");
    if (isnan(x->o.delta)) return FINF_OK;
    finf_status status = finf_epsilon_gauss(value, x->o.delta, epsilon, why);
    finf_real high;
    if (!status && part < 0.5 && !finf_epsilon_gauss(value * (1 + part), x->o.delta, &high, NULL))
        epsilon->error += 2 * fabs(high.value - epsilon->value);
    return status;
}
