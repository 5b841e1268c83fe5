/* The noise in ball arithmetic: a row of a table for each family that can be certified, with its
 * response, its coefficients and a proof of its stability and sensitivity.  (theory 7.13)
 *
 * A response is a function of the box w, and of n = 1 - z, z = e^{-iw}, which has more digits
 * near w = 0 than z. For the conjugate, which is the same function of 1/z, n is 1 - 1/z already,
 * and `conjugate` tells those that need z itself. `analytic` asks for a result that is not
 * finite unless the response is holomorphic on the box; only roots, powers and logarithms, with
 * their cut along the negative reals, have to be told, as a quotient with a pole in the box is
 * not finite anyway. The parameters are doubles, and exact. */
#ifndef FINF_NO_ARB

#include "certify.h"

#include <math.h>
#include <stdint.h>

#include FINF_ARB_HYPGEOM_HEADER

void ball_addmul(acb_t sum, const acb_t v, double f)
{
    arb_t d;
    arb_init(d);
    arb_set_d(d, f);
    acb_addmul_arb(sum, v, d, PREC);
    arb_clear(d);
}

/* z^t = e^{-iwt} (conjugate: e^{iwt}), directly: a product of boxes widens with each rotation */
void ball_power(acb_t out, const acb_t w, size_t t, int conjugate)
{
    acb_mul_ui(out, w, t, PREC);
    acb_mul_onei(out, out);
    if (!conjugate) acb_neg(out, out);
    acb_exp(out, out, PREC);
}

/* 1 - (1-nu) z as nu + (1-nu) n: nu and n may both be small. */
static void factor_at(double nu, const acb_t n, acb_t out)
{
    arb_t d, e;
    arb_init(d);
    arb_init(e);
    arb_set_d(d, nu);
    arb_sub_ui(e, d, 1, PREC);
    arb_neg(e, e);
    acb_mul_arb(out, n, e, PREC);
    acb_add_arb(out, out, d, PREC);
    arb_clear(d);
    arb_clear(e);
}

/* ---- step-down in balls: a proof of minimum phase, and (1/2pi) int dw/|A|^2 ------------------ */

/* The recursion of theory 2.1 on a_0..a_n, which is destroyed, divided by a_0:
 *     k = a_m,   a_i <- (a_i - k a_{m-i})/(1 - k^2),   m = n, .., 1.
 * 1 if every |k| < 1 is proved: A has no zero in |z| <= 1, and inverse2 encloses the mean of
 * 1/|A|^2, 1/(a_0^2 prod (1 - k^2)). 0 says that these bits do not prove it, not that it is false.
 */
int ball_step_down(arb_ptr a, size_t n, slong prec, arb_t inverse2)
{
    arb_t k, d, x, product;
    arb_ptr b = _arb_vec_init((slong)n + 1);
    int ok = 1;
    arb_init(k);
    arb_init(d);
    arb_init(x);
    arb_init(product);
    arb_mul(product, a, a, prec);
    for (size_t i = n + 1; i-- > 0;) arb_div(a + i, a + i, a, prec);
    for (size_t m = n; m >= 1 && ok; m--) {
        arb_set(k, a + m);
        arb_mul(d, k, k, prec);
        arb_sub_ui(d, d, 1, prec);
        arb_neg(d, d);
        ok = arb_is_positive(d);
        arb_mul(product, product, d, prec);
        for (size_t i = 1; i < m; i++) {
            arb_mul(x, k, a + (m - i), prec);
            arb_sub(x, a + i, x, prec);
            arb_div(b + i, x, d, prec);
        }
        for (size_t i = 1; i < m; i++) arb_swap(a + i, b + i);
    }
    arb_inv(inverse2, product, prec);
    _arb_vec_clear(b, (slong)n + 1);
    arb_clear(k);
    arb_clear(d);
    arb_clear(x);
    arb_clear(product);
    return ok && arb_is_finite(inverse2);
}

/* ---- (1-(1-nu)z)^p: sgd, nu, power, antipgd, cc ---------------------------------------------- */

/* The square root is narrower and faster than the general power. Both are on the principal
 * branch, which is right on the circle, where the factor has a positive real part. */
static void power_response(const finf_noise *f, acb_t B, const acb_t w, const acb_t n,
                           int conjugate, int analytic)
{
    double p = f->coef[0], nu = f->coef[1];
    acb_t u, z;
    (void)w;
    (void)conjugate;
    acb_one(B);
    if (p == 0) return;
    acb_init(u);
    acb_init(z);
    factor_at(nu, n, z);
    acb_set_d(u, p);
    if (p == 0.5)
        acb_sqrt_analytic(B, z, analytic, PREC);
    else
        acb_pow_analytic(B, z, u, analytic, PREC);
    acb_clear(u);
    acb_clear(z);
}

/* prod (1 - q_i z)^{r_i}, q = 1 - nu: k beta_k = -sum_i r_i u_ik, u_ik = q_i (u_{i,k-1} +
 * beta_{k-1}) (theory 1.2). peak: each |1 - q z| is between 1 - |q| and 1 + |q| on the circle, and
 * the sign of r says which of the two makes |B| large. */
static void factors_beta(const double *nu, const double *r, size_t m, arb_ptr beta, size_t n,
                         arb_t peak)
{
    arb_ptr q = _arb_vec_init((slong)m), u = _arb_vec_init((slong)m);
    arb_t t, s;
    arb_init(t);
    arb_init(s);
    arb_one(beta);
    arb_one(peak);
    for (size_t i = 0; i < m; i++) {
        arb_set_d(q + i, nu[i]);
        arb_sub_ui(q + i, q + i, 1, WIDE);
        arb_neg(q + i, q + i);
        arb_abs(t, q + i);
        if (r[i] < 0) arb_neg(t, t);
        arb_add_ui(t, t, 1, WIDE);
        arb_set_d(s, r[i]);
        arb_pow(t, t, s, WIDE);
        arb_mul(peak, peak, t, WIDE);
    }
    for (size_t k = 1; k < n; k++) {
        arb_zero(beta + k);
        for (size_t i = 0; i < m; i++) {
            arb_add(t, u + i, beta + k - 1, WIDE);
            arb_mul(u + i, q + i, t, WIDE);
            arb_set_d(s, r[i]);
            arb_submul(beta + k, s, u + i, WIDE);
        }
        arb_div_ui(beta + k, beta + k, k, WIDE);
    }
    arb_clear(t);
    arb_clear(s);
    _arb_vec_clear(q, (slong)m);
    _arb_vec_clear(u, (slong)m);
}

/* One factor: coef has p, then nu. */
static int power_beta(const finf_noise *f, arb_ptr beta, size_t n, arb_t peak)
{
    factors_beta(f->coef + 1, f->coef, 1, beta, n, peak);
    return 1;
}

/* 2F1(p, p; 1; (1-nu)^2) (theory 2.3). For nu > 0 B is minimum phase; nu = 0, cc, has no finite
 * gamma, and no certificate. */
static int power_gamma2(const finf_noise *noise, arb_t out)
{
    arb_t p, x, one;
    arb_init(p);
    arb_init(x);
    arb_init(one);
    arb_set_d(p, noise->coef[0]);
    arb_set_d(x, noise->coef[1]);
    arb_sub_ui(x, x, 1, 256);
    arb_mul(x, x, x, 256);
    arb_one(one);
    arb_hypgeom_2f1(out, p, p, one, x, 0, 256);
    arb_clear(p);
    arb_clear(x);
    arb_clear(one);
    return noise->coef[1] > 0;
}

/* ---- product: exp sum r log(nu + (1-nu) n), every factor with a positive real part ----------- */

/* The logarithms add up without a jump, as each is on its principal branch all around the
 * circle. */
static void product_response(const finf_noise *f, acb_t B, const acb_t w, const acb_t n,
                             int conjugate, int analytic)
{
    acb_t u;
    (void)w;
    (void)conjugate;
    acb_init(u);
    acb_zero(B);
    for (size_t i = 0; i < f->n; i++) {
        factor_at(f->coef[i], n, u);
        acb_log_analytic(u, u, analytic, PREC);
        ball_addmul(B, u, f->coef[f->n + i]);
    }
    acb_exp(B, B, PREC);
    acb_clear(u);
}

static int product_beta(const finf_noise *f, arb_ptr beta, size_t n, arb_t peak)
{
    factors_beta(f->coef, f->coef + f->n, f->n, beta, n, peak);
    return 1;
}

/* 1/|B|^2 continued to the box w, for the integrator: order 0 wants its value, 1 also that it is
 * holomorphic there; it asks for no more. */
static int inverse_density(acb_ptr out, const acb_t w, void *data, slong order, slong prec)
{
    acb_t half, s, c, n, m, B;
    if (order > 1) return 1;
    acb_init(half);
    acb_init(s);
    acb_init(c);
    acb_init(n);
    acb_init(m);
    acb_init(B);
    acb_mul_2exp_si(half, w, -1);
    acb_sin_cos(s, c, half, prec);
    acb_mul(c, s, c, prec);
    acb_mul_2exp_si(c, c, 1);
    acb_mul_onei(c, c);
    acb_mul(s, s, s, prec);
    acb_mul_2exp_si(s, s, 1);
    acb_add(n, s, c, prec);
    acb_sub(m, s, c, prec); /* 1 - e^{-iw} and its conjugate */
    ball_response(data, B, w, n, 0, order != 0);
    ball_response(data, s, w, m, 1, order != 0);
    acb_mul(B, B, s, prec);
    acb_inv(out, B, prec);
    acb_clear(half);
    acb_clear(s);
    acb_clear(c);
    acb_clear(n);
    acb_clear(m);
    acb_clear(B);
    return 0;
}

/* A product of powers is minimum phase by construction; its gamma^2 is an integral, (1/pi) that
 * over [0, pi]. The panels double from the scale on which |B| varies near 0. The tolerance is what
 * the integrator aims at: whatever it reaches, the result encloses the integral. */
static int product_gamma2(const finf_noise *noise, arb_t out)
{
    acb_t lo, hi, part;
    mag_t tol;
    int last = 0;
    acb_init(lo);
    acb_init(hi);
    acb_init(part);
    mag_init(tol);
    mag_set_d(tol, 1e-9);
    arb_zero(out);
    for (double edge = finf_noise_scale(noise); !last; edge *= 2) {
        last = edge > 2;
        acb_set_d(hi, edge);
        if (last) acb_const_pi(hi, PREC);
        acb_calc_integrate(part, inverse_density, (void *)(uintptr_t)noise, lo, hi, 40, tol, NULL,
                           PREC);
        arb_add(out, out, acb_realref(part), PREC);
        acb_set(lo, hi);
    }
    acb_const_pi(part, PREC);
    arb_div(out, out, acb_realref(part), PREC);
    acb_clear(lo);
    acb_clear(hi);
    acb_clear(part);
    mag_clear(tol);
    return 1;
}

/* ---- beta, and everything else that is a finite beta ----------------------------------------- */

/* sum x_t z^t, each power by itself: Horner's rule would widen the box at each step. */
static void list_at(const finf_noise *f, acb_t X, const acb_t w, int conjugate)
{
    acb_t u;
    acb_init(u);
    acb_zero(X);
    for (size_t i = 0; i < f->n; i++) {
        ball_power(u, w, i, conjugate);
        ball_addmul(X, u, f->coef[i]);
    }
    acb_clear(u);
}

static void beta_response(const finf_noise *f, acb_t B, const acb_t w, const acb_t n, int conjugate,
                          int analytic)
{
    (void)n;
    (void)analytic;
    list_at(f, B, w, conjugate);
}

/* |B| is at most the sum of |beta_t| on the circle. Beyond the list the coefficients are left at
 * 0, as the caller made them. */
static int beta_beta(const finf_noise *f, arb_ptr beta, size_t n, arb_t peak)
{
    arb_t t;
    arb_init(t);
    arb_zero(peak);
    for (size_t k = 0; k < f->n; k++) {
        arb_set_d(t, f->coef[k]);
        if (k < n) arb_set(beta + k, t);
        arb_abs(t, t);
        arb_add(peak, peak, t, WIDE);
    }
    arb_clear(t);
    return 1;
}

/* A list as the polynomial that proved_stable tests: exact at every precision. */
static void list_numerator(const finf_noise *noise, slong prec, arb_ptr out)
{
    (void)prec;
    for (size_t i = 0; i < noise->n; i++) arb_set_d(out + i, noise->coef[i]);
}

/* The polynomial behind the noise, of this degree, must have no zero in |z| <= 1: ever more bits
 * until that is proved. *inverse2: (1/2pi) int dw/|A|^2. Returns the precision; 0: not proved. */
static slong proved_stable(const finf_noise *noise, size_t degree,
                           void (*polynomial)(const finf_noise *, slong, arb_ptr), arb_t inverse2)
{
    for (slong prec = 192; prec <= 6144; prec *= 2) {
        arb_ptr a = _arb_vec_init((slong)degree + 1);
        polynomial(noise, prec, a);
        int ok = ball_step_down(a, degree, prec, inverse2);
        _arb_vec_clear(a, (slong)degree + 1);
        if (ok) return prec;
    }
    return 0;
}

/* B without a zero in |z| <= 1 is minimum phase, and the mean of 1/|B|^2 is gamma^2. (theory 2) */
static int beta_gamma2(const finf_noise *noise, arb_t out)
{
    return proved_stable(noise, noise->n - 1, list_numerator, out) > 0;
}

/* ---- strategy: B = 1/C, gamma^2 = sum c_t^2 -------------------------------------------------- */

/* An inverse is not finite on a box with a zero of C: `analytic` need not be asked. */
static void strategy_response(const finf_noise *f, acb_t B, const acb_t w, const acb_t n,
                              int conjugate, int analytic)
{
    (void)n;
    (void)analytic;
    list_at(f, B, w, conjugate);
    acb_inv(B, B, PREC);
}

/* The sum itself is finite for every list; the step-down recursion on C proves that B = 1/C is
 * analytic in |z| <= 1, without which the noise on the gradients would grow for ever. */
static int strategy_gamma2(const finf_noise *noise, arb_t out)
{
    slong prec = proved_stable(noise, noise->n - 1, list_numerator, out);
    arb_t x;
    arb_init(x);
    arb_zero(out);
    for (size_t t = 0; t < noise->n; t++) {
        arb_set_d(x, noise->coef[t]);
        arb_addmul(out, x, x, prec ? prec : PREC);
    }
    arb_clear(x);
    return prec > 0;
}

/* ---- blt: C = 1 + sum w z/(1 - th z) --------------------------------------------------------- */

/* 1 - th z loses digits where th is near 1 and w near 0: the ball is wide there, and still
 * encloses. */
static void blt_response(const finf_noise *f, acb_t B, const acb_t w, const acb_t n, int conjugate,
                         int analytic)
{
    arb_t d;
    acb_t u, z;
    (void)w;
    (void)conjugate;
    (void)analytic;
    arb_init(d);
    acb_init(u);
    acb_init(z);
    acb_sub_ui(z, n, 1, PREC);
    acb_neg(z, z);
    acb_one(B);
    for (size_t i = 0; i < f->n; i++) {
        arb_set_d(d, -f->coef[i]);
        acb_mul_arb(u, z, d, PREC);
        acb_add_ui(u, u, 1, PREC);
        acb_div(u, z, u, PREC);
        ball_addmul(B, u, f->coef[f->n + i]);
    }
    acb_inv(B, B, PREC);
    arb_clear(d);
    acb_clear(u);
    acb_clear(z);
}

/* The numerator prod_j (1 - th_j z) C(z) of a BLT: the whole product, and for each i w_i z times
 * the product without factor i. n+1 coefficients, added to out, which comes as zeros. Its zeros
 * crowd at 1, so that in doubles it would be worthless; proved_stable adds bits until it is not. */
static void blt_numerator(const finf_noise *noise, slong prec, arb_ptr out)
{
    size_t n = noise->n;
    arb_ptr part = _arb_vec_init((slong)n + 1);
    arb_t th, w;
    arb_init(th);
    arb_init(w);
    for (size_t skip = 0; skip <= n; skip++) { /* skip = n: the whole product */
        _arb_vec_zero(part, (slong)n + 1);
        arb_one(part);
        for (size_t j = 0; j < n; j++) {
            if (j == skip) continue;
            arb_set_d(th, noise->coef[j]);
            for (size_t i = n; i >= 1; i--) arb_submul(part + i, th, part + (i - 1), prec);
        }
        if (skip == n)
            for (size_t i = 0; i <= n; i++) arb_add(out + i, out + i, part + i, prec);
        else {
            arb_set_d(w, noise->coef[n + skip]);
            for (size_t i = 1; i <= n; i++) arb_addmul(out + i, w, part + (i - 1), prec);
        }
    }
    arb_clear(th);
    arb_clear(w);
    _arb_vec_clear(part, (slong)n + 1);
}

/* 1 + sum w_i w_j/(1 - th_i th_j) for |th| < 1 (theory 2.3), which makes C analytic in |z| <= 1;
 * that its numerator has no zero there makes B so. */
static int blt_gamma2(const finf_noise *noise, arb_t out)
{
    size_t n = noise->n;
    slong prec = proved_stable(noise, n, blt_numerator, out);
    arb_t x, y, d;
    int ok = prec > 0;
    if (!ok) return 0;
    arb_init(x);
    arb_init(y);
    arb_init(d);
    arb_one(out);
    for (size_t i = 0; i < n; i++) {
        ok = ok && fabs(noise->coef[i]) < 1;
        for (size_t j = 0; j < n; j++) {
            arb_set_d(x, noise->coef[i]);
            arb_set_d(y, noise->coef[j]);
            arb_mul(d, x, y, prec);
            arb_sub_ui(d, d, 1, prec);
            arb_neg(d, d);
            arb_set_d(x, noise->coef[n + i]);
            arb_set_d(y, noise->coef[n + j]);
            arb_mul(x, x, y, prec);
            arb_div(x, x, d, prec);
            arb_add(out, out, x, prec);
        }
    }
    arb_clear(x);
    arb_clear(y);
    arb_clear(d);
    return ok;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Every family that can be certified: one line each. */
static const ball_family FAMILIES[] = {
    {&noise_sgd, power_response, power_beta, power_gamma2},
    {&noise_nu, power_response, power_beta, power_gamma2},
    {&noise_power, power_response, power_beta, power_gamma2},
    {&noise_antipgd, power_response, power_beta, power_gamma2},
    {&noise_cc, power_response, power_beta, power_gamma2},
    {&noise_product, product_response, product_beta, product_gamma2},
    {&noise_beta, beta_response, beta_beta, beta_gamma2},
    {&noise_bisr, beta_response, beta_beta, beta_gamma2},
    {&noise_strategy, strategy_response, NULL, strategy_gamma2},
    {&noise_blt, blt_response, NULL, blt_gamma2},
};

const ball_family *ball_family_of(const finf_noise *noise)
{
    for (size_t i = 0; i < sizeof FAMILIES / sizeof *FAMILIES; i++)
        if (FAMILIES[i].family == noise->family) return &FAMILIES[i];
    return NULL;
}

void ball_response(const finf_noise *noise, acb_t B, const acb_t w, const acb_t n, int conjugate,
                   int analytic)
{
    if (noise)
        ball_family_of(noise)->response(noise, B, w, n, conjugate, analytic);
    else
        acb_one(B);
}

/* Where a recurrence makes them, a coefficient that is not finite makes all later ones so: the
 * last one tells. */
int ball_beta(const finf_noise *noise, arb_ptr beta, size_t n, arb_t peak)
{
    const ball_family *family = ball_family_of(noise);
    if (!family || !family->beta || !family->beta(noise, beta, n, peak)) return 0;
    return arb_is_finite(peak) && arb_is_finite(beta + n - 1);
}

/* The upper end of the enclosure, rounded up to a double. */
int ball_gamma2(const finf_noise *noise, double *upper)
{
    const ball_family *family = ball_family_of(noise);
    arb_t value;
    arf_t end;
    arb_init(value);
    arf_init(end);
    int ok = family && family->gamma2(noise, value);
    arb_get_ubound_arf(end, value, PREC);
    *upper = arf_get_d(end, ARF_RND_UP);
    ok = ok && arb_is_finite(value) && isfinite(*upper);
    arb_clear(value);
    arf_clear(end);
    return ok;
}

#else
typedef int finf_nothing_here; /* ISO C wants a declaration */
#endif
