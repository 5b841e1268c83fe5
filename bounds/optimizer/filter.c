/* Any strictly causal rational filter of the gradients with a simple pole at z = 1:
 * theta_t = -eta sum_k b_k g_{t-k} - sum_{k>=1} a_k theta_{t-k}, after division by a_0.
 * (theory 11.1) */
#include "optimizer.h"

#include <stdlib.h>
#include <string.h>

#include "parse.h"

/* "b_0,b_1,..;a_0,a_1,.." into two lists, which the caller frees in any case. */
static finf_status read_lists(const char *text, double *list[2], size_t n[2], finf_reason *why)
{
    const char *semicolon = strchr(text, ';');
    if (!semicolon)
        return finf_why(why, FINF_EPARSE,
                        "filter '%.60s': two lists are expected, b_0,b_1,..;a_0,a_1,..", text);
    finf_status s = parse_list(text, semicolon, "filter b", &list[0], &n[0], why);
    if (!s) s = parse_list(semicolon + 1, text + strlen(text), "filter a", &list[1], &n[1], why);
    return s;
}

/* Zeros at the end of a list say nothing. */
static size_t trimmed(const double *x, size_t n)
{
    while (n > 0 && x[n - 1] == 0) n--;
    return n;
}

static finf_status check_lists(double *const list[2], const size_t n[2], finf_reason *why)
{
    const double *b = list[0], *a = list[1];
    for (int i = 0; i < 2; i++) {
        if (n[i] > OPTIMIZER_ORDER_MAX)
            return finf_why(why, FINF_EDOM, "filter %c has %zu coefficients: at most %d", "ba"[i],
                            n[i], OPTIMIZER_ORDER_MAX);
        for (size_t k = 0; k < n[i]; k++)
            if (!(fabs(list[i][k]) <= 1e15))
                return finf_why(why, FINF_EDOM, "filter %c[%zu] = %s: at most 1e15 in size",
                                "ba"[i], k, finf_show(list[i][k]).s);
    }
    if (n[0] > 0 && b[0] != 0)
        return finf_why(why, FINF_EDOM,
                        "filter b[0] = %s: must be 0, a gradient cannot move the point it is "
                        "taken at",
                        finf_show(b[0]).s);
    if (n[0] < 2) return finf_why(why, FINF_EDOM, "filter: b is zero, no gradient is ever used");
    if (n[1] < 2 || !(fabs(a[0]) >= 1e-15))
        return finf_why(why, FINF_EDOM,
                        "filter a: at least two coefficients, the first at least 1e-15 in size");
    return FINF_OK;
}

/* a/(1-x) has the running sums of a as its coefficients, if a(1) = 0 but for rounding. */
static finf_status divide(const double *a, size_t na, double *rest, finf_reason *why)
{
    schur_real sum = 0, size = 0;
    for (size_t k = 0; k < na; k++) {
        sum += a[k];
        size += fabs(a[k]);
        if (k + 1 < na) rest[k] = (double)(sum / a[0]);
    }
    if (fabs((double)sum) > (double)na * FINF_EPS * (double)size)
        return finf_why(why, FINF_EDOM,
                        "filter: a(1) = %s, must be 0: without a pole at z = 1 it does not settle "
                        "at the minimum",
                        finf_show((double)sum).s);
    return FINF_OK;
}

static finf_status read(const char *text, finf_optimizer *o, finf_reason *why)
{
    double *list[2] = {NULL, NULL};
    size_t n[2] = {0, 0};
    finf_status s = read_lists(text, list, n, why);
    for (int i = 0; i < 2 && !s; i++) n[i] = trimmed(list[i], n[i]);
    if (!s) s = check_lists(list, n, why);
    if (!s) s = divide(list[1], n[1], o->rest, why);
    o->nb = n[0];
    o->na = n[1];
    for (size_t k = 0; k < n[0] && !s; k++) o->b[k] = list[0][k] / list[1][0];
    for (size_t k = 0; k < n[1] && !s; k++) o->given_a[k] = list[1][k] / list[1][0];
    o->momentum = NAN;
    free(list[0]);
    free(list[1]);
    return s;
}

const optimizer_rule optimizer_filter = {
    "filter", "filter:B;A", "P = sum B_k z^-k / sum A_k z^-k, B_0 = 0, A(1) = 0", read};
