/* The averaged point A Theta (theory 11.1):
 *
 *     none     A = 1
 *     ema:a    avg = a avg + (1-a) theta        A = (1-a)/(1 - a x)
 *     last:K   the mean of the last K points    A = (1 - x^K)/(K (1 - x)) */
#include "optimizer.h"

#include <string.h>

#include "parse.h"

finf_status average_read(const char *text, finf_optimizer *o, finf_reason *why)
{
    double x = 0;
    o->average = AVERAGE_NONE;
    o->average_leak = 1;
    o->average_last = 1;
    if (!text || strcmp(text, "none") == 0) return FINF_OK;
    if (strncmp(text, "ema:", 4) == 0) {
        finf_status s = parse_number(text + 4, "average ema", &x, why);
        if (s) return s;
        if (!(x >= 0 && x < 1))
            return finf_why(why, FINF_EDOM, "average ema = %s: must be in [0, 1)", finf_show(x).s);
        o->average_leak = 1 - x;
        o->average = x > 0 ? AVERAGE_EMA : AVERAGE_NONE;
        return FINF_OK;
    }
    if (strncmp(text, "last:", 5) == 0) {
        finf_status s = parse_number(text + 5, "average last", &x, why);
        if (s) return s;
        if (!(x >= 1 && x <= OPTIMIZER_AVERAGE_MAX && x == floor(x)))
            return finf_why(why, FINF_EDOM,
                            "average last = %s: must be a whole number from 1 to %u",
                            finf_show(x).s, OPTIMIZER_AVERAGE_MAX);
        o->average_last = (size_t)x;
        o->average = x > 1 ? AVERAGE_LAST : AVERAGE_NONE;
        return FINF_OK;
    }
    return finf_why(why, FINF_EPARSE, "average '%.60s' is not known: none, ema:A, last:K", text);
}

/* The Dirichlet kernel sin(K w/2)/(K sin(w/2)). */
static double dirichlet(size_t K, double w)
{
    double s = sin(w / 2);
    return fabs(s) < 1e-300 ? 1 : sin((double)K * w / 2) / ((double)K * s);
}

double average_gain(const finf_optimizer *o, double t)
{
    if (o->average == AVERAGE_NONE) return 1;
    if (o->average == AVERAGE_EMA)
        return o->average_leak * o->average_leak / circle_gap_t(o->average_leak, t);
    double D = dirichlet(o->average_last, 2 * atan(t));
    return D * D;
}
