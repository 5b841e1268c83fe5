/* Inside the certificate: enclosures on boxes against values at points, and what must not be
 * proved. (theory 7.8) */
#include "iqc_support.h"

#ifdef FINF_NO_ARB

START_TEST(all) { NEEDS("Arb"); }
END_TEST

static TCase *make(void)
{
    TCase *t = tcase_create("built without Arb");
    tcase_add_test(t, all);
    return t;
}

#else

#include "certify.h"

/* finf optimize --eta 1.5 --kappa 100: a is 1e-5 of its terms for w > 1.8 */
#define TIGHT                                                                                      \
    "product:0.015625,0.0355,0.0808,0.1837,0.4178,1,1.5,1.8263,1.7586,1.6646,1.5339,1.3523;"       \
    "-0.0085,0.0327,-0.0644,0.0942,-0.1623,-4.2024,6.6557,0.0066,-0.0843,0.4763,-5.3203,-1.7367"

static const struct {
    const char *noise;
    double eta, kappa;
    finf_iqc_bound bound;
} CASES[] = {{TIGHT, 1.5, 100, FINF_IQC_SHARP},
             {TIGHT, 1.5, 100, FINF_IQC_GAUSSIAN},
             {"sgd", 1.5, 3, FINF_IQC_SHARP_DIST}, /* a is 2e-11 of its terms */
             {"nu:0.05", 0.1, 100, FINF_IQC_SHARP},
             {"power:1,0.5", 1.3, 10, FINF_IQC_FVAL},
             {"power:0.3,0.2", 0.5, 10, FINF_IQC_DIST},
             {"beta:1,-0.6,0.2,-0.1", 1.1, 10, FINF_IQC_SHARP},
             {"beta:1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.9", 0.5, 10,
              FINF_IQC_FVAL},
             {"strategy:1,0.5,0.2", 0.7, 30, FINF_IQC_SHARP_DIST},
             {"blt:0.9,0.5;0.1,0.2", 0.2, 1000, FINF_IQC_SHARP}};

typedef struct {
    finf_noise *noise;
    socp_model mo;
    socp_grid grid;
    socp_multipliers kept;
    finf_iqc_result r;
    ball_form form;
} proof;

static void proof_make(size_t i, proof *out)
{
    double eta = CASES[i].eta, kappa = CASES[i].kappa;
    proof p = {.noise = noise_of(CASES[i].noise, NAN)};
    finf_iqc_options o = options(CASES[i].bound);
    o.solver = FINF_IQC_NEWTON;
    ck_assert_int_eq(socp_iqc(p.noise, eta, kappa, &o, &p.r, &p.kept), FINF_OK);
    p.mo = socp_model_make(eta, kappa, is_dist(CASES[i].bound));
    size_t lags = socp_basis_lags(p.noise, eta, is_causal(CASES[i].bound));
    ck_assert_int_eq(socp_grid_make(p.noise, eta, 1 / kappa, lags, 0, &p.grid), FINF_OK);
    p.form = (ball_form){.noise = p.noise, .x = p.kept.x};
    p.form.y = p.kept.x + socp_basis_signed(&p.kept.basis);
    ball_form_make(&p.form, &p.mo, kappa);
    *out = p;
    out->form.b = &out->kept.basis;
}

static void proof_free(proof *p)
{
    ball_form_clear(&p->form);
    socp_grid_free(&p->grid);
    socp_basis_free(&p->kept.basis);
    free(p->kept.x);
    finf_noise_free(p->noise);
}

static double middle(const arb_t x) { return arf_get_d(arb_midref(x), ARF_RND_NEAR); }

/* At points of the real axis: form.c, basis.c and the noise's response in doubles. */
START_TEST(points)
{
    rng g = {11};
    acb_t w;
    acb_ptr v = _acb_vec_init(BALL_PARTS);
    acb_init(w);
    for (size_t i = 0; i < COUNT(CASES); i++) {
        proof p;
        proof_make(i, &p);
        for (int n = 0; n < 100; n++) {
            double at = log_uniform(&g, 1e-4, FINF_PI), B[2], size;
            double complex lambda, X;
            socp_form f;
            finf_noise_response(p.noise, at, B);
            socp_basis_sum(&p.kept.basis, p.form.x, p.form.y, at, &lambda, &X);
            X += socp_stein_sum(&p.kept.basis, p.form.x, at);
            socp_form_at(&p.mo, at, B[0] + I * B[1], &f);
            double r = creal(lambda), s = cimag(lambda);
            double complex m = f.m_r * r + f.m_s * s + f.m_0 + X;
            acb_set_d(w, at), ball_form_at(&p.form, w, 1, v);
            double D = middle(acb_realref(v + BALL_D));
            size = fabs(f.a_r * r) + fabs(f.a_s * s) + fabs(f.a_0);
            ck_assert_double_le(
                fabs(middle(acb_realref(v + BALL_A)) / D - (f.a_r * r + f.a_s * s + f.a_0)),
                1e-14 * size);
            size = cabs(f.m_r * r) + cabs(f.m_s * s) + cabs(f.m_0) + cabs(X);
            ck_assert_double_le(fabs(middle(acb_realref(v + BALL_M)) / D - creal(m)), 1e-13 * size);
            ck_assert_double_le(fabs(middle(acb_imagref(v + BALL_M)) / D - cimag(m)), 1e-13 * size);
            ck_assert_double_le(fabs(middle(acb_imagref(v + BALL_MC)) / D + cimag(m)),
                                1e-13 * size);
            ASSERT_NEAR(middle(acb_realref(v + BALL_K)) / D, f.k_r * r + f.k_0, 1e-13, "k of %s",
                        CASES[i].noise);
        }
        proof_free(&p);
    }
    acb_clear(w), _acb_vec_clear(v, BALL_PARTS);
}
END_TEST

/* A box about a point of the real axis, every fourth an interval of it, every fifth so large that
 * the polynomials' errors show; and a point of the box */
typedef struct {
    double centre, wide, high;
} box;
static box box_make(rng *g, int n)
{
    double centre = log_uniform(g, n % 5 ? 1e-2 : 1, n % 5 ? FINF_PI : 2);
    double wide = n % 5 ? log_uniform(g, 1e-5, 0.05) * fmin(1, centre) : log_uniform(g, 0.05, 0.3);
    return (box){centre, wide, n % 4 ? wide * uniform(g) : 0};
}
static void box_set(const box *b, acb_t w)
{
    acb_set_d(w, b->centre);
    mag_set_d(arb_radref(acb_realref(w)), b->wide);
    mag_set_d(arb_radref(acb_imagref(w)), b->high);
}
static void box_point(const box *b, rng *g, acb_t w)
{
    double re = b->wide * (1.999 * uniform(g) - 0.9995),
           im = b->high * (1.999 * uniform(g) - 0.9995);
    acb_set_d_d(w, b->centre + re, im);
}

/* Enclosures contain the values at points; Taylor's tell a from 0 where the plain ones do not. */
START_TEST(boxes)
{
    rng g = {12};
    acb_t w, at;
    acb_ptr v = _acb_vec_init(3 * BALL_PARTS), plain = v + BALL_PARTS, fine = plain + BALL_PARTS;
    acb_init(w), acb_init(at);
    int resolved = 0;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        proof p;
        proof_make(i, &p);
        for (int n = 0; n < 60; n++) {
            box b = box_make(&g, n);
            box_set(&b, w);
            ball_form_at(&p.form, w, 1, plain);
            _acb_vec_set(fine, plain, BALL_PARTS);
            ball_form_refine(&p.form, w, fine);
            resolved += acb_contains_zero(plain + BALL_A) && !acb_contains_zero(fine + BALL_A);
            for (int k = 0; k < 10 * BALL_PARTS; k++) {
                int q = k % BALL_PARTS;
                if (q == 0) box_point(&b, &g, at), ball_form_at(&p.form, at, 1, v);
                ck_assert_msg(acb_contains(plain + q, v + q) && acb_contains(fine + q, v + q),
                              "%s: part %d on %.17g +- %g +- %g i", CASES[i].noise, q, b.centre,
                              b.wide, b.high);
            }
        }
        proof_free(&p);
    }
    ck_assert_int_ge(resolved, 50);
    acb_clear(w), acb_clear(at), _acb_vec_clear(v, 3 * BALL_PARTS);
}
END_TEST

enum { K = BALL_TAYLOR };

/* sum F_j u^j with its error */
static void polynomial(acb_t out, acb_srcptr F, const acb_t u, const mag_t error)
{
    acb_set(out, F + K - 1);
    for (int j = K - 1; j-- > 0;) {
        acb_mul(out, out, u, PREC);
        acb_add(out, out, F + j, PREC);
    }
    acb_add_error_mag(out, error);
}

/* The polynomials, at both conjugates, are off by no more than their error, which is small; F_1 is
 * what differences give: (f(c + r/256) - f(c - r/256)) 128 = F_1 + F_3/256^2 + .. */
START_TEST(taylor)
{
    rng g = {13};
    acb_t at, u, z;
    arf_t c;
    mag_t r, t;
    acb_ptr F = _acb_vec_init(BALL_PARTS * K), v = _acb_vec_init(2 * BALL_PARTS),
            low = v + BALL_PARTS;
    mag_ptr error = _mag_vec_init(BALL_PARTS);
    acb_init(at), acb_init(u), acb_init(z), arf_init(c), mag_init(r), mag_init(t);
    int proved = 0;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        proof p;
        proof_make(i, &p);
        for (int n = 0; n < 40; n++) {
            box b = box_make(&g, n);
            int e = ilogb(b.wide);
            double R = ldexp(1, e);
            arf_set_d(c, b.centre), mag_set_ui_2exp_si(r, 1, e); /* exactly; mag_set_d rounds up */
            if (!ball_form_taylor(&p.form, c, r, F, error)) continue;
            proved++;
            for (int k = 0; k < 10; k++) {
                double angle = 2 * FINF_PI * uniform(&g), size = sqrt(uniform(&g));
                acb_set_d_d(u, size * cos(angle), size * sin(angle));
                acb_mul_2exp_si(at, u, e), acb_set_d(z, b.centre), acb_add(at, at, z, WIDE);
                ball_form_at(&p.form, at, 1, v);
                for (int q = 0; q < BALL_PARTS; q++) {
                    polynomial(z, F + q * K, u, error + q);
                    ck_assert_msg(acb_overlaps(z, v + q), "%s: part %d, %.17g + %g u, |u| = %g",
                                  CASES[i].noise, q, b.centre, R, size);
                }
            }
            acb_set_d(at, b.centre), arb_set_d(acb_realref(z), R / 256), arb_zero(acb_imagref(z));
            acb_add(u, at, z, WIDE), ball_form_at(&p.form, u, 1, v);
            acb_sub(u, at, z, WIDE), ball_form_at(&p.form, u, 1, low);
            for (int q = 0; q < BALL_PARTS; q++) {
                acb_sub(z, v + q, low + q, PREC), acb_mul_2exp_si(z, z, 7);
                for (int j = 3; j < K; j += 2)
                    acb_get_mag(t, F + q * K + j), mag_mul_2exp_si(t, t, -16),
                        acb_add_error_mag(z, t);
                mag_mul_2exp_si(t, error + q, 8), acb_add_error_mag(z, t);
                ck_assert_msg(acb_overlaps(z, F + q * K + 1), "%s: derivative of part %d at %.17g",
                              CASES[i].noise, q, b.centre);
                acb_get_mag(t, F + q * K);
                if (R < 1e-3 * fmin(1, b.centre))
                    ck_assert_double_le(mag_get_d(error + q), 1e-13 * (1 + mag_get_d(t)));
            }
        }
        proof_free(&p);
    }
    ck_assert_int_ge(proved, 250);
    acb_clear(at), acb_clear(u), acb_clear(z), arf_clear(c), mag_clear(r), mag_clear(t);
    _acb_vec_clear(F, BALL_PARTS * K), _acb_vec_clear(v, 2 * BALL_PARTS),
        _mag_vec_clear(error, BALL_PARTS);
}
END_TEST

/* Where a disc of 8 r meets a branch point or a pole there is no polynomial, though that of r does
 * not; nor off the axis. */
START_TEST(not_analytic)
{
    acb_t w;
    arf_t c;
    mag_t r;
    acb_ptr F = _acb_vec_init(BALL_PARTS * K), v = _acb_vec_init(2 * BALL_PARTS),
            was = v + BALL_PARTS;
    mag_ptr error = _mag_vec_init(BALL_PARTS);
    acb_init(w), arf_init(c), mag_init(r);
    arf_set_d(c, 0.1), mag_set_d(r, 0.02);
    for (size_t i = 3; i < COUNT(CASES); i++) {
        proof p;
        proof_make(i, &p);
        acb_set_d(w, 0.1), acb_add_error_mag(w, r), ball_form_at(&p.form, w, 1, v);
        for (int q = 0; q < BALL_PARTS; q++) ck_assert(acb_is_finite(v + q));
        ck_assert_msg(!ball_form_taylor(&p.form, c, r, F, error), "%s", CASES[i].noise);
        acb_set_d_d(w, 2, 1e-6), mag_set_d(arb_radref(acb_realref(w)), 1e-3);
        ball_form_at(&p.form, w, 1, v), _acb_vec_set(was, v, BALL_PARTS);
        ball_form_refine(&p.form, w, v);
        for (int q = 0; q < BALL_PARTS; q++) ck_assert(acb_equal(v + q, was + q));
        proof_free(&p);
    }
    acb_clear(w), arf_clear(c), mag_clear(r);
    _acb_vec_clear(F, BALL_PARTS * K), _acb_vec_clear(v, 2 * BALL_PARTS),
        _mag_vec_clear(error, BALL_PARTS);
}
END_TEST

static int certified(const proof *p, double kappa, const double *x, double value)
{
    socp_certificate out;
    socp_recomputed estimate = {.dp = {value, 1e-10 * value, ""}};
    finf_status st = socp_certify(&p->mo, kappa, p->noise, &p->grid, &p->kept.basis, x,
                                  (socp_weights){1, 0}, &estimate, (finf_cancel){NULL, NULL}, &out);
    ck_assert_int_eq(st == FINF_OK, out.certified);
    if (out.certified) ck_assert(out.dp_upper >= value && out.dp_upper <= value * (1 + 1e-5));
    return out.certified;
}

/* h_0 to spare, a/a_r at its least: recompute.c */
static double spare(const proof *p)
{
    double least = INFINITY;
    for (int k = 0; k <= 5000; k++) {
        double w = FINF_PI * k / 5000;
        double complex lambda;
        socp_form f;
        socp_basis_sum(&p->kept.basis, p->kept.x, NULL, w, &lambda, NULL);
        socp_form_at(&p->mo, w, 1, &f);
        least = fmin(least, creal(lambda) + (f.a_s * cimag(lambda) + f.a_0) / f.a_r);
    }
    return least;
}

/* Not another value, not multipliers of another sign, and not an a that is negative somewhere, by
 * however little. */
START_TEST(rejected)
{
    for (size_t i = 0; i < 3; i += 2) {
        proof p;
        proof_make(i, &p);
        double kappa = CASES[i].kappa, value = p.r.unit_bound.value, *x = p.kept.x, x1 = x[1];
        ck_assert(certified(&p, kappa, x, value));
        ck_assert(!certified(&p, kappa, x, value * (1 + 1e-4)));
        ck_assert(!certified(&p, kappa, x, value * (1 - 1e-4)));
        x[1] = -1e-12;
        ck_assert(!certified(&p, kappa, x, value));
        x[1] = x1;
        ck_assert_double_gt(spare(&p), 0);
        for (double less = 1e-12; spare(&p) >= 0; less *= 2) /* a_0 < 0 where a is least */
            for (size_t k = 0; k < p.kept.basis.nh; k++) x[k] *= 1 - less;
        ck_assert_double_gt(spare(&p), -1e-4);
        ck_assert(!certified(&p, kappa, x, value));
        proof_free(&p);
    }
}
END_TEST

static TCase *make(void)
{
    TCase *t = tcase_create("all");
    tcase_add_test(t, points);
    tcase_add_test(t, boxes);
    tcase_add_test(t, taylor);
    tcase_add_test(t, not_analytic);
    tcase_add_test(t, rejected);
    return t;
}

#endif

int main(void) { return run_suite("certify", make); }
