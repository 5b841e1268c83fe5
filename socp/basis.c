/* Multipliers h_t (t > 0 and t < 0) and x_t, MATH 7.5: sums of geometric sequences, or finite ones.
 *
 * The unknowns are the slack h_0 - sum h and the h columns themselves, so that the class is x_i >= 0 and nothing else,
 * and Lambda = slack + sum_i x_i (1 -+ c_i(w)). With n = 1 - e^{-iw} and s = 1 - p a geometric column is
 *     1 - c = n/(s + p n),
 * without cancellation as w, s -> 0. X has no sign, so its geometric columns 1/(1 - p_i e^{-iw}) are replaced by a basis of
 * their span that is orthogonal on the circle (Takenaka-Malmquist): s_i/(s_i + p_i n) prod_{l<i} (s_l - n)/(s_l + p_l n).
 * Order: slack, then per pole p (or t): t > 0, t < 0, once per sign. */
#include <math.h>
#include <stdlib.h>

#include "socp.h"

/* adds the pole s, in place of one within 5% of it (nearly equal columns only cost digits);
 * s = 1, one step of memory, stays: without it eta L > 1 loses a tenth */
static void add(socp_basis *b, double s)
{
    size_t i = 0;
    while (i < b->poles && (b->s[i] == 1 || !(fabs(b->s[i] / s - 1) < 0.05))) i++;
    b->s[i] = s;
    if (i == b->poles) b->poles++;
}

/* Poles p = 1 - s: s = 2^-j >= eta mu/8, and the closed-loop poles s = eta h of the quadratics h = mu, (mu+L)/2, L, with
 * which the causal bound meets the worst quadratic. p < 0 (eta h > 1) serves X only: its h_t would change sign. */
finf_status socp_basis_make(double eta, double mu, size_t fir, finf_iqc_class cls, int causal, socp_basis *out)
{
    socp_basis b = {.fir = fir, .plus = cls != FINF_IQC_PAPER, .minus = cls != FINF_IQC_GENERAL};
    if (fir) {
        b.poles = b.one_signed = fir;
    } else {
        int most = (int)ceil(-log2(fmin(eta * mu, 1))) + 4;
        double own[3] = {eta * (1 + mu) / 2, eta, eta * mu};
        b.s = malloc(((size_t)most + 4) * sizeof *b.s);
        if (!b.s) return FINF_ENOMEM;
        for (int j = 0; j < most && (j == 0 || ldexp(1, -j) >= eta * mu / 8); j++) b.s[b.poles++] = ldexp(1, -j);
        for (int i = 0; i < 3; i++)
            if (own[i] <= 1) add(&b, own[i]);
        b.one_signed = b.poles;
        for (int i = 0; i < 3 && causal; i++)
            if (own[i] > 1) add(&b, own[i]);
    }
    b.nh = 1 + 2 * b.one_signed * (size_t)(b.plus + b.minus);
    b.nc = causal ? b.poles : 0;
    *out = b;
    return FINF_OK;
}

void socp_basis_free(socp_basis *b)
{
    if (b) free(b->s), *b = (socp_basis){0};
}

/* 1 - e^{-iw} */
static double complex one_minus(double w)
{
    double sn = sin(w / 2);
    return 2 * sn * sn + I * sin(w);
}

/* column i: *gap = 1 - c_i(w) for t > 0, returns the causal column; *blaschke carries the product from i = 0 on */
static double complex column(const socp_basis *b, size_t i, double w, double complex n, double complex *gap,
                             double complex *blaschke)
{
    if (b->fir) {
        *gap = one_minus(w * (double)(i + 1));
        return 1 - one_minus(w * (double)i);
    }
    double s = b->s[i];
    double complex d = 1 / (s + (1 - s) * n), c = s * d * *blaschke;
    *gap = n * d;
    *blaschke *= (s - n) * d;
    return c;
}

void socp_basis_at(const socp_basis *b, double w, double complex *lambda, double complex *x)
{
    double complex n = one_minus(w), gap, product = 1;
    size_t k = 0;
    lambda[k++] = 1;
    for (size_t i = 0; i < b->poles; i++) {
        double complex c = column(b, i, w, n, &gap, &product);
        if (b->nc) x[i] = c;
        if (i >= b->one_signed) continue;
        if (b->plus) lambda[k++] = gap, lambda[k++] = conj(gap);
        if (b->minus) lambda[k++] = 2 - gap, lambda[k++] = 2 - conj(gap);
    }
}

void socp_basis_sum(const socp_basis *b, const double *x, const double *y, double w, double complex *lambda,
                    double complex *X)
{
    double complex n = one_minus(w), gap, product = 1, h = *x++, xs = 0;
    for (size_t i = 0; i < b->poles; i++) {
        double complex c = column(b, i, w, n, &gap, &product);
        if (b->nc) xs += y[i] * c;
        if (i >= b->one_signed) continue;
        if (b->plus) h += x[0] * gap + x[1] * conj(gap), x += 2;
        if (b->minus) h += x[0] * (2 - gap) + x[1] * (2 - conj(gap)), x += 2;
    }
    *lambda = h;
    *X = xs;
}
