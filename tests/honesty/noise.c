/* gamma, gamma_T and T(b): what `finf gamma` prints, and what everything else rests on. */
#include "honesty.h"

static void finite(point *p, const reference *r)
{
    size_t T = 1 + whole(p, 150);
    finf_real claim;
    arb_ptr x = _arb_vec_init((slong)(2 * T));
    arb_t sum;
    arb_init(sum);
    reference_series(r, T, x, x + T);
    for (size_t k = 0; k < T; k++) arb_addmul(sum, x + T + k, x + T + k, BITS);
    finf_noise_sensitivity_at(r->noise, T, &claim, NULL);
    snprintf(p->what, sizeof p->what, "%s, T %zu", r->spelled, T);
    judge(p, "gamma gamma2_T", claim, sum);
    arb_clear(sum);
    _arb_vec_clear(x, (slong)(2 * T));
}

void noise_point(point *p)
{
    reference r;
    finf_sensitivity g;
    double b = log_uniform(p, 1e-7, 1.99), T = NAN, relerr = INFINITY;
    arb_t truth;
    arb_init(truth);
    reference_draw(p, &r);
    finf_status s = finf_noise_sensitivity(r.noise, &g);
    snprintf(p->what, sizeof p->what, "%s", r.spelled);
    if (!s && g.minimum_phase) {
        reference_gamma2(truth, &r);
        judge(p, "gamma gamma2", g.gamma2, truth);
        finf_noise_energy(r.noise, &b, 1, &T, &relerr, NULL);
        reference_energy(truth, &r, b);
        snprintf(p->what, sizeof p->what, "%s, b %.17g", r.spelled, b);
        judge(p, "T(b)", with_relative(T, relerr), truth);
    }
    finite(p, &r);
    reference_free(&r);
    arb_clear(truth);
}
