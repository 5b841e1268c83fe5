/* Multipliers h_t (t > 0 and t < 0) and x_t, theory 7.5: geometric sequences and single lags.
 *
 * The unknowns are the slack h_0 - sum h and the h columns themselves, so that the class is
 * x_i >= 0 and nothing else, and Lambda = slack + sum_i x_i (1 -+ c_i(w)). With n = 1 - z^lag,
 * z = e^{-iw}, s = 1 - p, a column is
 *     1 - c = n/(s + p n),
 * without cancellation as w, s -> 0; s = 1 is the single lag. Its fold-fold convolution 1 - c^fold
 * has h_t >= 0 too. X has no sign, so its geometric columns 1/(1 - p_i z) are replaced by a basis
 * of their span that is orthogonal on the circle (Takenaka-Malmquist),
 *     s_i/(s_i + p_i n) prod_{l<i} (s_l - n)/(s_l + p_l n),
 * which for s_0 = .. = s_i = 1 is z^i. Order: slack, then per term: t > 0, t < 0, once per sign. */
#include <math.h>
#include <stdlib.h>

#include "family.h"
#include "program.h"

enum { FOLDS = 8 }; /* of the farthest lump, a power of two */

/* Does |B|^2 rise and fall between 0 and pi? */
static int resonant(const finf_noise *noise)
{
    enum { SAMPLES = 64 };
    double last = finf_noise_density(noise, 0);
    int rose = 0, fell = 0;
    for (int i = 1; i <= SAMPLES; i++) {
        double now = finf_noise_density(noise, FINF_PI * i / SAMPLES);
        rose = rose || now > last * (1 + 1e-6);
        fell = fell || now < last * (1 - 1e-6);
        last = now;
    }
    return rose && fell;
}

/* Single lags beside the poles. Noise that resonates at some angle needs as many as it remembers,
 * 16 at most (else up to a quarter is lost); else one will do while eta L is small, a few are worth
 * 0.2% above (sooner without causality), a dozen for eta L > 1, where L alternates. */
size_t socp_basis_lags(const finf_noise *noise, double eta, int causal)
{
    enum { MOST = 16, FEW = 8 };
    size_t least = eta > 1 ? 12 : eta > (causal ? 0.2 : 0.05) ? FEW : 1;
    if (!noise || !resonant(noise)) return least;
    size_t taps = noise_taps(noise), own = taps && taps + 2 < MOST ? taps + 2 : MOST;
    return own > least ? own : least > FEW ? least : FEW;
}

/* The shortest lump, s = 1/2 folded FOLDS times, is about 2 FOLDS lags away and wide. h_t < 0 alone
 * (paper) would also hide between wider panels: 3% of sharp-dist. */
size_t socp_basis_reach(size_t lags, finf_iqc_class cls)
{
    size_t lump = cls == FINF_IQC_GENERAL ? 1 : 3 * FOLDS;
    return lags > lump ? lags : lump;
}

/* adds the pole s, in place of one within 5% of it: nearly equal columns only cost digits */
static void add(double *list, size_t *n, double s)
{
    size_t i = 0;
    while (i < *n && !(fabs(list[i] / s - 1) < 0.05)) i++;
    list[i] = s;
    if (i == *n) ++*n;
}

/* Poles p = 1 - s: s = 2^-j >= eta mu/8, and the closed-loop poles s = eta h of the quadratics h =
 * mu, (mu+L)/2, L, with which the causal bound meets the worst quadratic. p < 0 (eta h > 1) serves
 * X only: its h_t would change sign. Where h_t may have any sign, lumps of either sign at a
 * distance are worth a tenth: folds 1, 2, 4, 8. */
finf_status socp_basis_make(double eta, double mu, size_t lags, int geometric, finf_iqc_class cls,
                            int causal, socp_basis *out)
{
    socp_basis b = {.lags = lags, .plus = cls != FINF_IQC_PAPER, .minus = cls != FINF_IQC_GENERAL};
    size_t most = lags + (geometric ? (size_t)ceil(-log2(fmin(eta * mu, 1))) + 7 : 0);
    double own[3] = {eta * (1 + mu) / 2, eta, eta * mu};
    size_t folds = cls == FINF_IQC_ODD ? FOLDS : 1;
    b.h = malloc(4 * most * sizeof *b.h);
    b.s = malloc(most * sizeof *b.s);
    if (!b.h || !b.s) {
        socp_basis_free(&b);
        return FINF_ENOMEM;
    }
    for (size_t t = 1; t <= lags; t++) {
        b.s[b.poles++] = 1;
        b.h[b.terms++] = (socp_term){t, 1, 1};
    }
    if (geometric) {
        double *s = b.s + lags;
        size_t n = 0;
        for (int j = 1; ldexp(1, -j) >= eta * mu / 8; j++) s[n++] = ldexp(1, -j);
        for (int i = 0; i < 3; i++)
            if (own[i] < 1) add(s, &n, own[i]);
        for (size_t fold = 1; fold <= folds; fold *= 2)
            for (size_t i = 0; i < n; i++) b.h[b.terms++] = (socp_term){1, s[i], fold};
        for (int i = 0; i < 3; i++)
            if (own[i] > 1) add(s, &n, own[i]);
        b.poles += n;
    }
    b.nh = 1 + b.terms * socp_basis_each(&b);
    b.nc = causal ? b.poles : 0;
    *out = b;
    return FINF_OK;
}

/* Pairs of complex poles, of which one within 5% is there already are left out. */
static void add_pair(double complex *list, size_t *n, double complex s)
{
    for (size_t i = 0; i < *n; i++)
        if (cabs(list[i] - s) < 0.05 * creal(s)) return;
    list[(*n)++] = s;
}

/* The closed loops' poles on h = (mu+L)/2, L, mu, as 1 - p; the first of them are those of X
 * wherever no Zames-Falb multiplier pays. *slowest: the least modulus. pole: 3 SOCP_LOOP_MOST */
static finf_status loop_scales(const socp_loop *loop, double mu, double complex *pole, size_t *n,
                               double *slowest)
{
    double h[3] = {(1 + mu) / 2, 1, mu};
    *n = 0;
    *slowest = 1;
    for (int i = 0; i < 3; i++) {
        size_t more;
        finf_status st = socp_loop_poles(loop, h[i], pole + *n, &more);
        if (st != FINF_OK) return st;
        *n += more;
    }
    for (size_t i = 0; i < *n; i++) *slowest = fmin(*slowest, cabs(pole[i]));
    return FINF_OK;
}

/* As above, with the closed loops' poles for eta h. Complex pairs serve X only; with
 * causality every second of the others is enough for Lambda, beside its four single lags: no bound
 * was seen to lose more than 1e-4, and most nothing in nine digits. (theory 11.4) */
finf_status socp_basis_loop(const socp_loop *loop, double mu, size_t lags, int geometric,
                            finf_iqc_class cls, int causal, socp_basis *out)
{
    double complex pole[3 * SOCP_LOOP_MOST];
    double slowest;
    size_t own;
    socp_basis b = {.lags = lags, .plus = cls != FINF_IQC_PAPER, .minus = cls != FINF_IQC_GENERAL};
    size_t folds = cls == FINF_IQC_ODD ? FOLDS : 1;
    finf_status st = loop_scales(loop, mu, pole, &own, &slowest);
    if (st != FINF_OK) return st;
    size_t most = lags + own + (geometric ? (size_t)ceil(-log2(slowest)) + 4 : 0);
    b.h = malloc(4 * most * sizeof *b.h);
    b.s = malloc(most * sizeof *b.s);
    b.t = malloc((own + 1) * sizeof *b.t);
    if (!b.h || !b.s || !b.t) {
        socp_basis_free(&b);
        return FINF_ENOMEM;
    }
    for (size_t t = 1; t <= lags; t++) {
        b.s[b.poles++] = 1;
        b.h[b.terms++] = (socp_term){t, 1, 1};
    }
    if (geometric) {
        double *s = b.s + lags;
        size_t n = 0;
        for (int j = 1; ldexp(1, -j) >= slowest / 8; j++) s[n++] = ldexp(1, -j);
        for (size_t i = 0; i < own; i++)
            if (cimag(pole[i]) == 0 && creal(pole[i]) > 0 && creal(pole[i]) < 1)
                add(s, &n, creal(pole[i]));
        for (size_t fold = 1; fold <= folds; fold *= 2)
            for (size_t i = causal ? 1 : 0; i < n; i += causal ? 2 : 1)
                b.h[b.terms++] = (socp_term){1, s[i], fold};
        for (size_t i = 0; i < own && causal; i++) {
            double complex t = pole[i];
            if (cimag(t) == 0 && creal(t) > 1 && creal(t) < 2) add(s, &n, creal(t));
            if (cimag(t) > 0 && cabs(1 - t) < 1) add_pair(b.t, &b.pairs, t);
        }
        b.poles += n;
    }
    b.nh = 1 + b.terms * socp_basis_each(&b);
    b.nc = causal ? b.poles + 2 * b.pairs : 0;
    *out = b;
    return FINF_OK;
}

void socp_basis_free(socp_basis *b)
{
    if (b) {
        free(b->s);
        free(b->h);
        free(b->ahead);
        free(b->t);
        *b = (socp_basis){0};
    }
}

/* 1 - e^{-iw} */
static double complex one_minus(double w)
{
    double sn = sin(w / 2);
    return 2 * sn * sn + I * sin(w);
}

/* 1/z, z neither huge nor tiny: the compiler's own division guards against that at five times the
 * cost */
static double complex inverse(double complex z)
{
    double f = 1 / (creal(z) * creal(z) + cimag(z) * cimag(z));
    return f * creal(z) - I * (f * cimag(z));
}

/* 1 - c of a term */
static double complex gap(const socp_term *h, double w, double complex n)
{
    if (h->lag > 1) n = one_minus(w * (double)h->lag);
    double complex g = h->s == 1 ? n : n * inverse(h->s + (1 - h->s) * n);
    for (size_t f = 1; f < h->fold; f *= 2) g *= 2 - g; /* 1 - c^2 = (1 - c)(1 + c) */
    return g;
}

/* the causal column of pole s; *blaschke carries the product */
static double complex causal_column(double s, double complex n, double complex *blaschke)
{
    double complex d = inverse(s + (1 - s) * n), c = s * d * *blaschke;
    *blaschke *= (s - n) * d;
    return c;
}

/* Both columns of a pair of complex poles 1 - t and its conjugate,
 *     n/|t|^2 and (2 - n)/.. over (1 - p y)(1 - p* y),   1 - p y = t + (1 - t) n,
 * which are orthogonal on the circle; *blaschke carries the product. */
static void pair_columns(double complex t, double complex n, double complex *blaschke,
                         double complex *c)
{
    double complex D = (t + (1 - t) * n) * (conj(t) + (1 - conj(t)) * n),
                   f = inverse(D) * *blaschke;
    double size = creal(t) * creal(t) + cimag(t) * cimag(t), damp = creal(t);
    c[0] = sqrt(size) * damp / 2 * (2 - n) * f;
    c[1] = damp * n * f;
    *blaschke *= (t - n) * (conj(t) - n) * inverse(D);
}

void socp_basis_at(const socp_basis *b, double w, double complex *lambda, double complex *x)
{
    double complex n = one_minus(w), product = 1;
    size_t k = 0;
    lambda[k++] = 1;
    for (size_t i = 0; i < b->terms; i++) {
        double complex g = gap(&b->h[i], w, n);
        if (b->plus) {
            lambda[k++] = g;
            lambda[k++] = conj(g);
        }
        if (b->minus) {
            lambda[k++] = 2 - g;
            lambda[k++] = 2 - conj(g);
        }
    }
    for (size_t i = 0; i < b->nc - 2 * b->pairs; i++) x[i] = causal_column(b->s[i], n, &product);
    for (size_t i = 0; i < b->pairs; i++)
        pair_columns(b->t[i], n, &product, x + b->nc - 2 * (b->pairs - i));
}

void socp_basis_sum(const socp_basis *b, const double *x, const double *y, double w,
                    double complex *lambda, double complex *X)
{
    double complex n = one_minus(w), product = 1;
    *lambda = *x++;
    for (size_t i = 0; i < b->terms; i++, x += socp_basis_each(b)) {
        if (socp_basis_unused(b, x)) continue;
        double complex g = gap(&b->h[i], w, n);
        const double *v = x;
        if (b->plus) {
            *lambda += v[0] * g + v[1] * conj(g);
            v += 2;
        }
        if (b->minus) *lambda += v[0] * (2 - g) + v[1] * (2 - conj(g));
    }
    if (X) *X = 0;
    size_t real = b->nc - 2 * b->pairs;
    for (size_t i = 0; X && i < real; i++) *X += y[i] * causal_column(b->s[i], n, &product);
    for (size_t i = 0; X && i < b->pairs; i++) {
        double complex c[2];
        pair_columns(b->t[i], n, &product, c);
        *X += y[real + 2 * i] * c[0] + y[real + 2 * i + 1] * c[1];
    }
}
