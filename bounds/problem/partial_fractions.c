/* A closed loop with real poles, by partial fractions in cos w. (theory 11.2)
 *
 * With p = 1 - b, c = 1 - cos w and gap_i = |1-p_i e^{iw}|^2 = b_i^2 + 2 p_i c, a loop of two poles
 * has
 *
 *     |G|^2 = (e + 2 k c)/prod_i gap_i,    e = (b_1 + b_2)^2,  k = -b_1 b_2 of its filter:
 *
 * e = 1 and k = 0 for heavy ball, m (1+m) for Nesterov's. An average of leak b is one more factor
 * b^2/gap. gap_j at the zero c = -b_i^2/(2 p_i) of gap_i is (b_j - b_i)(b_i + b_j - b_i b_j)/p_i,
 * so that the share of 1/gap_i is
 *
 *     p_i^{n-2} (e p_i - k b_i^2) / prod_{j != i} (b_j - b_i)(b_i + b_j - b_i b_j):
 *
 * products of differences that keep their digits while the poles are well apart. */
#include "filtered.h"

#define APART 0.25 /* two poles are, if 1-p differs by this part of the larger */

/* The poles of G, as b = 1 - z = -y/(1-y); 0 unless all are real. */
static size_t real_poles(const finf_optimizer *o, double q, double *b)
{
    double complex y[OPTIMIZER_ORDER_MAX];
    size_t n = 0;
    if (o->rule == &optimizer_sgd) {
        b[0] = q;
        return 1;
    }
    if (o->nb > 3 || o->na > 3 || loop_poles(o, q, y, &n) || n != 2) return 0;
    for (size_t i = 0; i < n; i++) {
        if (cimag(y[i]) != 0) return 0;
        b[i] = -creal(y[i]) / (1 - creal(y[i]));
    }
    return n;
}

int fractions_make(const finf_optimizer *opt, double q, int averaged, fractions *f)
{
    const finf_optimizer *o = optimizer_or_sgd(opt);
    double front = 1, e = o->b_y[0] * o->b_y[0], k = o->nb > 2 ? -o->b[1] * o->b[2] : 0;
    *f = (fractions){.error = 40 * FINF_EPS};
    f->n = real_poles(o, q, f->b);
    if (f->n == 0 || (averaged && o->average == AVERAGE_LAST)) return 0;
    if (averaged && o->average == AVERAGE_EMA) {
        front = o->average_leak * o->average_leak;
        f->b[f->n++] = o->average_leak;
    }
    for (size_t i = 0; i < f->n; i++) {
        double b = f->b[i], p = 1 - b, top = f->n == 1 ? 1 : e * p - k * b * b, share = front * top;
        if (!(b >= BOUNDS_TINY && b < 2)) return 0;
        /* a zero near the pole: what its two terms have lost */
        if (f->n > 1 && fabs(e * p) + fabs(k * b * b) > 4 * fabs(top)) return 0;
        if (f->n == 3) share *= p;
        for (size_t j = 0; j < f->n; j++) {
            double other = f->b[j];
            if (j == i) continue;
            if (!(fabs(other - b) > APART * fmax(b, other))) return 0;
            share /= (other - b) * (b + other - b * other);
        }
        f->share[i] = share;
    }
    return 1;
}

finf_real fractions_mean(const fractions *f, const double *T, double T_error)
{
    double sum = 0, size = 0;
    for (size_t i = 0; i < f->n; i++) {
        double term = f->share[i] * T[i] / (f->b[i] * (2 - f->b[i]));
        sum += term;
        /* 2 - b is known to eps only, and T to 2 eps/(2-b) by its argument (theory 5.6) */
        size += fabs(term) * (1 + 2 / (2 - f->b[i]));
    }
    return finf_real_make(sum, size * (f->error + T_error), "partial fractions in T(b)");
}
