/* The quadratic form at one frequency, in the variables (S, W) of program.h. (theory 7.2, 7.4,
 * 7.12) */
#include <math.h>

#include "program.h"

/* delta = 1 - mu from kappa, which loses nothing as kappa -> 1 */
socp_model socp_model_make(double eta, double kappa, int dist)
{
    double mu = 1 / kappa;
    return (socp_model){.eta = eta,
                        .kappa = kappa,
                        .mu = mu,
                        .delta = (kappa - 1) / kappa,
                        .c = (1 + mu) / 2,
                        .shift = dist ? 0 : 0.125,
                        .dist = dist};
}

/* The coefficients of theory 7.12. Theta = (B W + (delta/2) S)/g, D = |g|^2 and N = D - delta^2/4,
 * which is written without cancellation:
 *     a = [ Re Lambda N + Im Lambda delta Im g - perf_a ]/D,   -delta a being that of |S|^2,
 *     m = sqrt(delta) B* [ Re Lambda delta/2 + i Im Lambda g + perf_m ]/D + X,
 *     k = |B|^2 [ delta Re Lambda + perf_k ]/D,
 * with (1/2)|Theta|^2 (dist) or (1/2)<g,theta> (fval) as performance. For fval the shift 1/8 and
 * the performance together leave a D = (mu + 4 (1-eta) sin^2(w/2)/eta^2)/8 >= 0 for eta <= 1: no
 * multiplier is needed to make a positive. */
static void plain_form(const socp_model *mo, double w, double complex B, socp_form *f)
{
    double sn = sin(w / 2), cs = cos(w / 2), s2 = sn * sn, c2 = cs * cs;
    double eta = mo->eta, d = mo->delta, c = mo->c;
    double rek = 2 * s2 / eta, img = -2 * sn * cs / eta;
    double N = mo->mu * c2 + (2 - eta * mo->mu) / eta * ((2 - eta) / eta) * s2;
    double D = N + d * d / 4;
    double complex g = rek - c + I * img;
    double complex b = sqrt(d) * conj(B) / D;
    double b2 = (creal(B) * creal(B) + cimag(B) * cimag(B)) / D;
    f->a_r = N / D;
    f->a_s = d * img / D;
    f->a_0 = (mo->dist ? -d : mo->mu + 4 * (1 - eta) / (eta * eta) * s2) / (8 * D);
    f->m_r = b * d / 2;
    f->m_s = b * I * g;
    f->m_0 = b * (mo->shift * d / 2 + (mo->dist ? 0.25 : c / 4 + g / 8));
    f->k_r = b2 * d;
    f->k_0 = b2 * (mo->shift * d + (mo->dist ? 0.5 : c / 2));
}

/* The same for an optimizer (theory 11.4), -1/P = U/V with U = (1 - e^{iw}) A(y), V = eta E(y). All
 * is multiplied by |V|^2, which may vanish, so that D and N stand for |U - cV|^2 and
 *     |U|^2 - (1 + mu) Re UV* + mu |V|^2,
 * of which only the last does not vanish with w. Re UV* has two terms of the order w^2, since
 * Im AE* is of the order w. */
static void loop_form(const socp_model *mo, double w, double complex B, socp_form *f)
{
    double complex A, E;
    socp_loop_at(mo->loop, w, &A, &E);
    double sn = sin(w / 2), s2 = sn * sn, sw = sin(w), eta = mo->eta, d = mo->delta, c = mo->c;
    double complex q = eta * A * conj(E), U = (2 * s2 - I * sw) * A, V = eta * E;
    double re = 2 * s2 * creal(q) + sw * cimag(q), im = 2 * s2 * cimag(q) - sw * creal(q);
    double u2 = 4 * s2 * (creal(A) * creal(A) + cimag(A) * cimag(A)),
           v2 = creal(V) * creal(V) + cimag(V) * cimag(V);
    double complex g = U - c * V;
    double D = creal(g) * creal(g) + cimag(g) * cimag(g), N = u2 - (1 + mo->mu) * re + mo->mu * v2;
    double complex b = sqrt(d) * conj(B) / D, gv = re - c * v2 + I * im;
    double b2 = (creal(B) * creal(B) + cimag(B) * cimag(B)) * v2 / D;
    f->a_r = N / D;
    f->a_s = d * im / D;
    f->a_0 = (mo->dist ? -d * v2 : u2 - 2 * re + mo->mu * v2) / (8 * D);
    f->m_r = b * v2 * d / 2;
    f->m_s = b * I * gv;
    f->m_0 = b * (mo->shift * d / 2 * v2 + (mo->dist ? 0.25 * v2 : c / 4 * v2 + gv / 8));
    f->k_r = b2 * d;
    f->k_0 = b2 * (mo->shift * d + (mo->dist ? 0.5 : c / 2));
}

void socp_form_at(const socp_model *mo, double w, double complex B, socp_form *f)
{
    (mo->loop ? loop_form : plain_form)(mo, w, B, f);
}

double socp_form_psi(const socp_form *f, double complex lambda, double complex X, double *margin)
{
    double r = creal(lambda), s = cimag(lambda), a = f->a_r * r + f->a_s * s + f->a_0;
    double complex m = f->m_r * r + f->m_s * s + f->m_0 + X;
    *margin = a / (fabs(f->a_r * r) + fabs(f->a_s * s) + fabs(f->a_0));
    return a > 0 ? (creal(m) * creal(m) + cimag(m) * cimag(m)) / a + f->k_r * r + f->k_0 : INFINITY;
}
