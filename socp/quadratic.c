/* Lower bounds that stand beside the upper one: the worst quadratic (MATH 7.8) and the minimax over all noise (7.9). */
#include <math.h>
#include <stdlib.h>

#include "socp.h"

enum { MAX_HALVINGS = 10, SAMPLES = 65 };

/* |B|^2 on a trapezoid rule in u = log tan(w/2). With t = e^u, dw / |gk-h|^2 = 2t du / (h^2 + (2/eta-h)^2 t^2): no
 * cancellation at either end. */
typedef struct {
    double lo, step, *density;
    size_t n;
    double eta, sgd;
    int dist;
} table;

static double value_at(const table *t, double h)
{
    double sum = 0, b = 2 / t->eta - h;
    for (size_t i = 0; i < t->n; i++) {
        double e = exp(t->lo + t->step * (double)i), be = b * e;
        sum += t->density[i] * 2 * e / (h * h + be * be);
    }
    double white = t->eta / (h * (2 - t->eta * h)); /* the same integral with |B| = 1 */
    return (t->dist ? 0.5 : h / 2) * (sum * t->step / FINF_PI + t->sgd * white);
}

static int tabulate(const finf_noise *noise, double step, double hi, table *t)
{
    t->step = step;
    t->n = (size_t)((hi - t->lo) / step) + 1;
    free(t->density);
    t->density = malloc(t->n * sizeof *t->density);
    for (size_t i = 0; t->density && i < t->n; i++)
        t->density[i] = finf_noise_density(noise, 2 * atan(exp(t->lo + step * (double)i)));
    return t->density != NULL;
}

finf_status socp_quadratic(const finf_noise *noise, double eta, double kappa, int dist, double sgd_ratio, finf_real *value,
                           double *h)
{
    double mu = 1 / kappa, scale = fmin(eta * mu, finf_noise_scale(noise));
    table t = {.lo = log(scale / 2) - 40, .eta = eta, .sgd = sgd_ratio, .dist = dist};
    double step = 0.5, old[3] = {NAN, NAN, NAN}, err = INFINITY;
    for (int level = 0; level < MAX_HALVINGS && !(err <= 1e-12); level++, step /= 2) {
        if (!tabulate(noise, step, 40, &t)) return FINF_ENOMEM;
        double probe[3] = {mu, sqrt(mu), 1}, worst = 0;
        for (int i = 0; i < 3; i++) {
            double v = value_at(&t, probe[i]), rel = fabs(v - old[i]) / v;
            worst = rel <= worst ? worst : rel;
            old[i] = v;
        }
        err = worst;
    }
    double best = 0, at = mu, lmu = log(mu), width = -lmu / (SAMPLES - 1);
    for (int i = 0; i < SAMPLES; i++) {
        double c = i == SAMPLES - 1 ? 1 : exp(lmu + width * i), v = value_at(&t, c);
        if (v > best) best = v, at = c;
    }
    double l = fmax(lmu, log(at) - width), r = fmin(0, log(at) + width), g = 0.6180339887498949;
    for (int it = 0; it < 40 && r > l; it++) {
        double a = r - g * (r - l), b = l + g * (r - l), va = value_at(&t, exp(a)), vb = value_at(&t, exp(b));
        if (fmax(va, vb) > best) best = fmax(va, vb), at = exp(va > vb ? a : b);
        if (va > vb)
            r = b;
        else
            l = a;
    }
    free(t.density);
    *h = at;
    *value = (finf_real){best, (err + 1e-15) * best, FINF_ESTIMATE, "trapezoid rule, golden section"};
    return err <= 1e-9 ? FINF_OK : FINF_ETOL;
}

finf_status finf_iqc_quadratic(const finf_noise *noise, double eta, double kappa, double smooth, int dist, finf_real *value,
                               double *h)
{
    double at = 1;
    finf_status st = FINF_OK;
    *value = (finf_real){NAN, INFINITY, FINF_ESTIMATE, ""};
    if (!(kappa >= 1 && isfinite(kappa) && eta > 0 && smooth > 0)) return FINF_EDOM;
    if (eta * smooth < 2)
        st = socp_quadratic(noise, eta * smooth, kappa, dist, 0, value, &at);
    else
        *value = (finf_real){INFINITY, 0, FINF_BOUND, "eta L >= 2"};
    value->value /= smooth, value->error /= smooth;
    if (h) *h = at * smooth;
    return st;
}

/* gamma_inf(nu)^2 = 1/AGM(1, sqrt(nu(2-nu))), nu = eta L; symmetric about nu = 1, so eta L > 1 needs no other case */
double finf_iqc_minimax(double eta, double smooth, double dim, const finf_privacy_setting *set)
{
    double e = eta * smooth;
    if (!(e > 0 && e < 2)) return INFINITY;
    finf_privacy_setting s = set ? *set : finf_privacy_setting_default();
    double x = 1, y = sqrt(e * (2 - e));
    while (fabs(x - y) > 1e-16 * x * 4) {
        double m = (x + y) / 2;
        y = sqrt(x * y), x = m;
    }
    double gamma2 = 1 / x;
    return dim * s.clip * s.clip / (2 * s.rho) * eta * eta * smooth / 2 * gamma2 * gamma2 +
           s.sigma_sgd * s.sigma_sgd * eta / (2 * (2 - e));
}
