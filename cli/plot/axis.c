/* Axes: the range that the points need, ticks at round values, and the way from values to
 * coordinates. */
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether v can be drawn on the axis at all. */
static int usable(const axis *a, double v)
{
    return fabs(v) < 1e300 && (a->scale == PLOT_LINEAR || v > 0);
}

/* The value of which the axis is linear. */
static double transform(const axis *a, double v) { return a->scale == PLOT_LOG ? log10(v) : v; }

double axis_between(const axis *a, double at)
{
    return a->from + (at - a->lo) / (a->hi - a->lo) * (a->to - a->from);
}

/* Held within 1e5, since renderers go wrong on coordinates far outside the figure. */
double axis_place(const axis *a, double v)
{
    return usable(a, v) ? fmax(-1e5, fmin(1e5, axis_between(a, transform(a, v)))) : NAN;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* Makes the range of the axis include v, or `least` if v is below that. */
static void extend(axis *a, double v, double least)
{
    if (!usable(a, v)) return;
    v = fmax(transform(a, v), least);
    a->lo = fmin(a->lo, v);
    a->hi = fmax(a->hi, v);
}

/* Leaves `part` of the range free on both sides, and makes a range of a single value, or of none.
 */
static void bound(axis *a, double part)
{
    if (!(a->lo <= a->hi)) a->lo = a->hi = 0;
    double span = a->hi - a->lo, pad = part * span;
    if (!(span > 1e-12 * fabs(a->hi)))
        pad = a->scale == PLOT_LOG ? 0.5 : a->hi == 0 ? 1 : fabs(a->hi) / 10;
    a->lo -= pad;
    a->hi += pad;
}

/* Extends both axes by a series; with `bars`, by its bars and bands too. */
static void extend_by(const series *s, axis *x, axis *y, int bars, double least)
{
    for (size_t i = 0; i < s->n; i++) {
        int point = usable(y, s->y[i]);
        if (!usable(x, s->x[i])) continue;
        if (point || (s->high && usable(y, s->high[i]))) extend(x, s->x[i], -INFINITY);
        extend(y, s->y[i], least);
        for (int sign = -1; bars && s->error && point && sign < 2; sign += 2)
            extend(y, s->y[i] + sign * s->error[i], least);
        if (bars && s->low) extend(y, s->low[i], least);
        if (bars && s->high) extend(y, s->high[i], least);
    }
}

/* First of the points alone, then with their bars and bands. These may reach down to 0, and make a
 * log axis at most a decade longer than the points need. */
static void find_ranges(const plot *p, axis *x, axis *y)
{
    *x = (axis){.scale = p->x, .lo = INFINITY, .hi = -INFINITY};
    *y = (axis){.scale = p->y, .lo = INFINITY, .hi = -INFINITY};
    double least = -INFINITY;
    for (int bars = 0; bars < 2; bars++) {
        for (size_t k = 0; k < p->n; k++) extend_by(&p->all[k], x, y, bars, least);
        if (y->scale == PLOT_LOG && y->lo <= y->hi) least = y->lo - 1;
    }
    bound(x, 0.025);
    bound(y, 0.045);
}

/* ---- ticks ----------------------------------------------------------------------------------- */

/* A number as a label, with a true minus sign. */
static void number(char *out, size_t size, double v, int decimals)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.*f", decimals, fabs(v));
    snprintf(out, size, "%s%s", v < 0 && strpbrk(digits, "123456789") ? "\u2212" : "", digits);
}

/* `before` and then 10^k, as markup. */
static void power(char *out, size_t size, const char *before, int k)
{
    snprintf(out, size, "%s10^{%s%d}", before, k < 0 ? "\u2212" : "", abs(k));
}

void axis_factor(const axis *a, char *out, size_t size) { power(out, size, "\u00d7", a->exponent); }

/* A new tick; one that nobody draws if it is outside the range or there are too many. */
static tick *add_tick(axis *a, double at, int major)
{
    double slack = 1e-9 * (a->hi - a->lo);
    static tick spare;
    if (a->n == PLOT_TICKS || !(at >= a->lo - slack && at <= a->hi + slack)) return &spare;
    a->ticks[a->n] = (tick){.at = at, .major = major};
    return &a->ticks[a->n++];
}

/* The largest of 1, 2, 5 and 10 times a power of ten that is about `apart`. */
static double round_step(double apart)
{
    double step = pow(10, floor(log10(apart))), part = apart / step;
    return step * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

/* Ticks at round values, 1, 2 or 5 times a power of ten apart, about `want` of them. Also for a log
 * axis that spans too little for powers of ten. */
static void linear_ticks(axis *a, int want)
{
    int is_log = a->scale == PLOT_LOG;
    double lo = is_log ? pow(10, a->lo) : a->lo;
    double hi = is_log ? pow(10, a->hi) : a->hi;
    double step = round_step((hi - lo) / want);
    int size = (int)floor(log10(fmax(fabs(lo), fabs(hi))) + 1e-9);
    a->exponent = size > 4 || size < -3 ? size : 0;
    double unit = pow(10, a->exponent), first = ceil(lo / step - 1e-9);
    int decimals = (int)fmin(15, fmax(0, -floor(log10(step / unit) + 1e-9)));
    for (int i = 0; i < PLOT_TICKS && (first + i) * step <= hi + 1e-9 * step; i++) {
        double v = (first + i) * step;
        tick *t = add_tick(a, transform(a, v), 1);
        number(t->label, sizeof t->label, v / unit, decimals);
    }
}

/* The label of digit*10^k: in full on an axis of ordinary numbers, else a power of ten. */
static void log_label(char *out, size_t size, double digit, int k, int in_full)
{
    char before[16] = "";
    int decimals = (k < 0 ? -k : 0) + (digit == 1.5 && k <= 0);
    if (digit > 1) snprintf(before, sizeof before, "%g\u00b7", digit);
    if (in_full)
        number(out, size, digit * pow(10, k), decimals);
    else
        power(out, size, before, k);
}

/* Ticks of a log axis over more than a decade or so: every power of ten has a label, or every
 * second, third, .. one if there are more than `want`. Of the multiples between them 2 and 5 have
 * one too, where there are few powers. */
static void log_ticks(axis *a, int want)
{
    int first = (int)ceil(a->lo - 1e-9);
    int last = (int)floor(a->hi + 1e-9);
    int decades = last - first + 1;
    int stride = decades > want ? (decades + want - 1) / want : 1;
    int in_full = a->lo > -3.1 && a->hi < 4.1;
    for (int k = first - 1; k <= last; k++)
        for (int digit = 1; digit < (decades <= 4 ? 10 : 2); digit++) {
            int major = digit == 1 ? k % stride == 0 : decades <= 2 && (digit == 2 || digit == 5);
            if (!major && decades >= PLOT_TICKS / 2) continue;
            tick *t = add_tick(a, k + log10(digit), major);
            log_label(t->label, sizeof t->label, digit, k, in_full);
        }
}

/* Ticks of a log axis over a decade or less: 1, 1.5, 2, 3, 5 and 7 times a power of ten. */
static void short_log_ticks(axis *a)
{
    static const double DIGIT[] = {1, 1.5, 2, 3, 5, 7};
    int in_full = a->lo > -4 && a->hi < 4.1;
    for (int k = (int)floor(a->lo); k <= (int)ceil(a->hi); k++)
        for (size_t i = 0; i < sizeof DIGIT / sizeof *DIGIT; i++) {
            tick *t = add_tick(a, k + log10(DIGIT[i]), 1);
            log_label(t->label, sizeof t->label, DIGIT[i], k, in_full);
        }
}

/* A log axis that spans less than a factor of 4 is as good as linear. */
static void find_ticks(axis *a, int want)
{
    double decades = a->hi - a->lo;
    if (a->scale == PLOT_LINEAR || decades < 0.6)
        linear_ticks(a, want);
    else if (decades < 1.15)
        short_log_ticks(a);
    else
        log_ticks(a, want + 1);
}

void axis_find(const plot *p, axis *x, axis *y)
{
    find_ranges(p, x, y);
    find_ticks(x, 5);
    find_ticks(y, 6);
}
