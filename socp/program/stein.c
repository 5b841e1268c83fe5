/* What Gaussian w adds to causality (theory 7.11): E<S_t, w_{t-k}> for k >= 1 is not free.
 *
 * S_t is a function of theta_t with a symmetric Jacobian J_t, -1 <= J_t <= 1 (program.h), so by
 * Stein's lemma, with J that of the step between,
 *     E<S_t, w_{t-k}> = E tr(J_t e_k),   e_k = d theta_t/d w_{t-k},
 *     e_1 = -eta beta_0,   e_{k+1} = (1 - eta c - (eta delta/2) J) e_k - eta beta_k.
 * In the operator norm e_k is within rad_k of cen_k times the identity, whatever F and the
 * dimension:
 *     cen_{k+1} = (1 - eta c) cen_k - eta beta_k,   cen_1 = -eta beta_0,
 *     rad_{k+1} = max(1 - eta mu, eta - 1) rad_k + (eta delta/2) |cen_k|,   rad_1 = 0.
 * E tr J_t, the same for every k, is known only to be within d of 0; k = 1 gives it exactly, and
 * eliminating it,
 *     | E<S_t, w_{t-k}> - (cen_k/cen_1) E<S_t, w_{t-1}> | <= d rad_k.
 * A column of X is such a combination for one k, or for all k >= lag with weights s (1-s)^{k-lag};
 * two unknowns >= 0, one for each sign, cost 2 sqrt(delta) rad each. Gradient noise must not
 * depend on theta for this; any w must be Gaussian. */
#include <math.h>
#include <stdlib.h>

#include "bounds.h"
#include "program.h"

enum { SINGLE = SOCP_STEIN_LAGS }; /* lags 1 .. 8 alone, then geometric ones */
/* the least s: some 5000 coefficients beta are looked at */
static const double SLOWEST = 1.0 / 128;
/* weights below e^-45 are not summed: ball_stein.c bounds them */
static const double TAIL = 45;

size_t socp_stein_length(const socp_basis *b)
{
    double least = 1;
    size_t single = SINGLE;
    for (size_t i = 0; i < b->ns; i++) {
        least = fmin(least, b->ahead[i].s);
        if (b->ahead[i].s == 1 && b->ahead[i].lag > single) single = b->ahead[i].lag;
    }
    return single + (least < 1 ? (size_t)ceil(TAIL / least) : 0);
}

/* The impulse response of the closed loop on curvature c, g_1 .. g_n (theory 11.4). */
static void response(const socp_model *mo, size_t n, double *g)
{
    const socp_loop *l = mo->loop;
    g[0] = 0;
    for (size_t k = 1; k <= n; k++) {
        double sum = k <= l->n ? mo->eta * l->e[k - 1] : 0;
        for (size_t i = 1; i < k && i <= l->n; i++)
            sum -= ((i < l->n ? l->a[i] : 0) - l->a[i - 1] + mo->eta * mo->c * l->e[i - 1]) *
                   g[k - i];
        g[k] = sum / l->a[0];
    }
}

/* The same for an optimizer, all of whose columns are single lags: cen = -g * beta, and
 *     rad_k = (delta/2) sum_j |g_{k-j}| (|cen_j| + rad_j). */
static void along_loop(const socp_model *mo, const socp_basis *b, const double *beta,
                       const double *d, double *ratio, double *cost)
{
    double g[SOCP_STEIN_FAR + 1], c[SOCP_STEIN_FAR + 1] = {0}, cen[SOCP_STEIN_FAR + 1] = {0},
                                                     rad[SOCP_STEIN_FAR + 1] = {0};
    size_t n = socp_stein_length(b);
    response(mo, n, g);
    for (size_t k = 1; k <= n; k++)
        for (size_t j = 1; j <= k; j++) {
            c[k] -= g[j] * beta[k - j];
            cen[k] -= g[j] * d[k - j];
            if (j < k)
                rad[k] += mo->delta / 2 * fabs(g[k - j]) * (copysign(1, c[j]) * cen[j] + rad[j]);
        }
    for (size_t i = 0; i < b->ns; i++) {
        size_t k = b->ahead[i].lag;
        ratio[i] = k > 1 ? cen[k] / c[1] : 0;
        cost[i] = 2 * sqrt(mo->delta) * (k > 1 ? rad[k] : copysign(1, c[1]) * cen[1]);
    }
}

/* The recurrences for d, with sign(c_k) cen_k in place of |cen_k|, c_k being beta's cen_k: linear
 * in d, and for d = beta those above. */
void socp_stein_along(const socp_model *mo, const socp_basis *b, const double *beta,
                      const double *d, double *ratio, double *cost)
{
    if (mo->loop) {
        along_loop(mo, b, beta, d, ratio, cost);
        return;
    }
    double keep = 1 - mo->eta * mo->c, most = fmax(1 - mo->eta * mo->mu, mo->eta - 1),
           spread = mo->eta * mo->delta / 2;
    double weight[SOCP_STEIN_MOST], first = -mo->eta * beta[0], c = first, cen = -mo->eta * d[0],
                                    rad = 0;
    size_t n = socp_stein_length(b);
    for (size_t i = 0; i < b->ns; i++) {
        weight[i] = b->ahead[i].s;
        ratio[i] = cost[i] = 0;
    }
    cost[0] = copysign(1, c) * cen;
    for (size_t k = 1; k < n; k++) {
        rad = most * rad + spread * copysign(1, c) * cen;
        c = keep * c - mo->eta * beta[k];
        cen = keep * cen - mo->eta * d[k];
        if (k < SINGLE) { /* lag k + 1 alone */
            ratio[k] = cen;
            cost[k] = rad;
            continue;
        }
        for (size_t i = SINGLE; i < b->ns; i++) {
            ratio[i] += weight[i] * cen;
            cost[i] += weight[i] * rad;
            weight[i] *= 1 - b->ahead[i].s;
        }
    }
    for (size_t i = 0; i < b->ns; i++) {
        ratio[i] /= first;
        cost[i] *= 2 * sqrt(mo->delta);
    }
}

void socp_stein_set(const socp_model *mo, const double *beta, socp_basis *b)
{
    double ratio[SOCP_STEIN_MOST], cost[SOCP_STEIN_MOST];
    socp_stein_along(mo, b, beta, beta, ratio, cost);
    for (size_t i = 0; i < b->ns; i++) {
        b->ahead[i].ratio = ratio[i];
        b->ahead[i].cost = cost[i];
    }
}

/* Adds the columns to b; for an optimizer single lags up to SOCP_STEIN_FAR alone, as rad may grow
 * without end where the loop resonates; else the single lags, then geometric sequences from the
 * next lag on, down to s = eta/4 or SLOWEST; then ratio and cost of each, from the coefficients of
 * the noise. */
finf_status socp_stein_make(const socp_model *mo, const finf_noise *noise, socp_basis *b,
                            finf_reason *why)
{
    static const size_t far[] = {10, 12, 14, SOCP_STEIN_FAR};
    b->ahead = calloc(SOCP_STEIN_MOST, sizeof *b->ahead);
    if (!b->ahead) return FINF_ENOMEM;
    /* e_1 = 0: E tr J_t is not known from E<S_t, w_{t-1}> */
    if (mo->loop && mo->loop->e[0] == 0) return FINF_OK;
    for (size_t k = 1; k <= SINGLE; k++) b->ahead[b->ns++] = (socp_ahead){.lag = k, .s = 1};
    for (size_t i = 0; mo->loop && i < sizeof far / sizeof *far; i++)
        b->ahead[b->ns++] = (socp_ahead){.lag = far[i], .s = 1};
    for (double s = 0.5; !mo->loop && s >= fmax(mo->eta / 4, SLOWEST); s /= 2)
        b->ahead[b->ns++] = (socp_ahead){.lag = SINGLE + 1, .s = s};

    size_t n = socp_stein_length(b);
    double *beta = malloc(n * sizeof *beta);
    finf_status st = beta ? finf_noise_beta(noise, n, beta, why) : FINF_ENOMEM;
    if (st == FINF_OK) socp_stein_set(mo, beta, b);
    free(beta);
    return st;
}

/* s z^lag/(1 - (1-s) z) - ratio z, z = e^{iw} */
double complex socp_stein_at(const socp_ahead *c, double w)
{
    double complex z = cexp(I * w);
    return c->s * cexp(I * w * (double)c->lag) / (1 - (1 - c->s) * z) - c->ratio * z;
}

double complex socp_stein_sum(const socp_basis *b, const double *x, double w)
{
    double complex sum = 0;
    const double *v = x + b->nh;
    for (size_t i = 0; i < b->ns; i++, v += 2)
        if (v[0] != v[1]) sum += (v[0] - v[1]) * socp_stein_at(&b->ahead[i], w);
    return sum;
}

/* A column is in X with the difference of its two unknowns, and the modulus of that is paid for:
 * not their sum, as in the program, which is no less. */
double socp_stein_cost(const socp_basis *b, const double *x)
{
    double sum = 0;
    const double *v = x + b->nh;
    for (size_t i = 0; i < b->ns; i++, v += 2) sum += fabs(v[0] - v[1]) * b->ahead[i].cost;
    return sum;
}
