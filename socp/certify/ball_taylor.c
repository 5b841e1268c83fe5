/* Enclosures by Taylor polynomials, for the certificate of theory 7.13. Where the multipliers
 * are nearly tight, a is 1e-5 or less of its terms over a range of w, and ball_form_at, whose
 * error is of first order in the size of the box, would need boxes as small as that to tell a
 * from 0. The expansion about the box's midpoint c sees the size of a itself.
 *
 * Let f be holomorphic on |w - c| <= R = 8r, at most M there. K samples at c + r u, u^K = -1,
 * give
 *     F_j = (1/K) sum_u f(c + r u) u^-j = f_j r^j - f_{j+K} r^{j+K} + f_{j+2K} r^{j+2K} - ..,
 * in which |f_j| <= M/R^j (Cauchy), so that for |w - c| <= r
 *     | f(w) - sum_{j<K} F_j ((w - c)/r)^j | <= M 8^-K (1/(1 - 8^-K) + 1)/(1 - 1/8) < 3 M 8^-K.
 * M is ball_form_at's on a square around the disc, where it proves f holomorphic too; 8^-K makes
 * up for its size. */
#ifndef FINF_NO_ARB

#include "certify.h"

enum { K = BALL_TAYLOR };

/* F_j of the part f from the samples with Im u > 0; at conj u, c being real, it is what its pair is
 * at u, conjugated */
static void coefficient(acb_t F, acb_srcptr f, acb_srcptr pair, acb_srcptr root, size_t j)
{
    acb_t t, s;
    acb_init(t);
    acb_init(s);
    acb_zero(F);
    for (size_t k = 1; k < K; k += 2, f += BALL_PARTS, pair += BALL_PARTS) {
        const acb_struct *power = root + k * j % (2 * K); /* u^j, u = root[k] */
        acb_conj(t, f);
        acb_mul(t, t, power, PREC);
        acb_conj(t, t);
        acb_conj(s, pair);
        acb_addmul(t, s, power, PREC);
        acb_add(F, F, t, PREC);
    }
    acb_div_ui(F, F, K, PREC);
    acb_clear(t);
    acb_clear(s);
}

/* The u are the odd powers of a 2K-th root of unity. On the real axis a, k and D are real and m,
 * mc are conjugates, so that the samples below the axis come from those above it: `pair` is the
 * part whose conjugate is meant. `at` has one part after another for each sample; it is used
 * first for M. */
int ball_form_taylor(ball_form *f, const arf_t centre, const mag_t r, acb_ptr F, mag_ptr error)
{
    static const int pair[BALL_PARTS] = {BALL_A, BALL_K, BALL_D, BALL_MC, BALL_M};
    acb_t c, w;
    arb_t radius;
    mag_t R;
    acb_ptr at = _acb_vec_init(BALL_PARTS * K / 2), root = _acb_vec_init(2 * K);
    acb_init(c);
    acb_init(w);
    arb_init(radius);
    mag_init(R);
    arb_set_arf(acb_realref(c), centre);
    arf_set_mag(arb_midref(radius), r);
    mag_mul_2exp_si(R, r, 3);
    acb_set(w, c);
    acb_add_error_mag(w, R);
    ball_form_at(f, w, 1, at);
    int ok = 1;
    for (int i = 0; i < BALL_PARTS; i++) {
        ok = ok && acb_is_finite(at + i);
        acb_get_mag(error + i, at + i);
        mag_mul_2exp_si(error + i, error + i, -3 * K);
        mag_mul_ui(error + i, error + i, 3);
    }
    if (ok) {
        _acb_vec_unit_roots(root, 2 * K, 2 * K, PREC);
        for (size_t k = 0; k < K / 2; k++) {
            acb_mul_arb(w, root + 2 * k + 1, radius, PREC);
            acb_add(w, w, c, PREC);
            ball_form_at(f, w, 1, at + k * BALL_PARTS);
        }
        for (int i = 0; i < BALL_PARTS; i++)
            for (size_t j = 0; j < K; j++)
                coefficient(F + (size_t)i * K + j, at + i, at + pair[i], root, j);
    }
    acb_clear(c);
    acb_clear(w);
    arb_clear(radius);
    mag_clear(R);
    _acb_vec_clear(at, BALL_PARTS * K / 2);
    _acb_vec_clear(root, 2 * K);
    return ok;
}

/* The larger of the two half-widths of the box z: what enclosures are compared by. */
static void radius_of(mag_t out, const acb_t z)
{
    mag_max(out, arb_radref(acb_realref(z)), arb_radref(acb_imagref(z)));
}

/* F_0 + F_1 u, u = (w - c)/r, and as an error what |F_2| + |F_3| + .. allow. The integrator's boxes
 * have c real. */
void ball_form_refine(ball_form *f, const acb_t w, acb_ptr part)
{
    acb_t u, v;
    arb_t radius;
    arf_t centre;
    mag_t r, t;
    acb_ptr F = _acb_vec_init(BALL_PARTS * K);
    mag_ptr error = _mag_vec_init(BALL_PARTS);
    acb_init(u);
    acb_init(v);
    arb_init(radius);
    arf_init(centre);
    mag_init(r);
    mag_init(t);
    acb_set(u, w);
    arf_swap(centre, arb_midref(acb_realref(u)));
    mag_hypot(r, arb_radref(acb_realref(u)), arb_radref(acb_imagref(u)));
    int real = arf_is_zero(arb_midref(acb_imagref(u)));
    arf_set_mag(arb_midref(radius), r);
    acb_div_arb(u, u, radius, PREC);
    if (real && ball_form_taylor(f, centre, r, F, error)) {
        for (int i = 0; i < BALL_PARTS; i++) {
            acb_srcptr Fi = F + i * K;
            acb_mul(v, Fi + 1, u, PREC);
            acb_add(v, v, Fi, PREC);
            for (size_t j = 2; j < K; j++) {
                acb_get_mag(t, Fi + j);
                mag_add(error + i, error + i, t);
            }
            acb_add_error_mag(v, error + i);
            radius_of(r, v);
            radius_of(t, part + i);
            if (acb_is_finite(v) && mag_cmp(r, t) < 0) acb_swap(part + i, v);
        }
    }
    _acb_vec_clear(F, BALL_PARTS * K);
    _mag_vec_clear(error, BALL_PARTS);
    acb_clear(u);
    acb_clear(v);
    arb_clear(radius);
    arf_clear(centre);
    mag_clear(r);
    mag_clear(t);
}

#else
typedef int finf_nothing_here; /* ISO C wants a declaration */
#endif
