/* F_inf of many noises for one problem: what a search for the best nu evaluates. finf_linreg makes
 * the measure of the spectrum, D and the factors of T_j in extended precision each time, and lower
 * and upper bounds beside the value; here they are made once, and a value costs gamma^2 and T.
 * (theory 5.1) */
#include "linreg_search.h"

#include <stdlib.h>

#include "optimizer.h"
#include "regression.h"

void linreg_search_free(linreg_search *x)
{
    free(x->b);
    *x = (linreg_search){.n = 0};
}

/* The factors of T at each node, and the part of gradient noise. */
static void fill(const spectral_measure *m, double eta, const finf_linreg_options *o, finf_real D,
                 linreg_search *x)
{
    long double fixed = 0, lost = 0;
    double sgd2 = o->privacy.sigma_sgd * o->privacy.sigma_sgd, D_error = D.error / D.value;
    for (size_t i = 0; i < m->n; i++) {
        linreg_direction d = linreg_direction_at(m, i, eta, o->kurtosis);
        double weight = spectral_measure_error(m, i), off = d.b_error + FINF_EPS;
        x->b[i] = eta * m->lambda[i];
        x->c[i] = 0.5 * eta / D.value * (double)(m->weight[i] / d.damp);
        /* T at a rounded b as in linreg.c, by Harnack's inequality */
        x->error[i] = weight + 2 * off / (double)d.slow + d.damp_error + D_error + 16 * FINF_EPS;
        double part = x->c[i] * sgd2 * m->lambda[i];
        fixed += part;
        lost += fabs(part) * (weight + d.b_error + d.damp_error + D_error + 16 * FINF_EPS);
    }
    x->unit = o->privacy.clip * o->privacy.clip / (2 * o->privacy.rho);
    x->fixed = (double)fixed;
    x->fixed_error = (double)lost;
}

finf_status linreg_search_make(double eta, const finf_spectrum *s, const finf_linreg_options *o,
                               linreg_search *out)
{
    spectral_measure m;
    *out = (linreg_search){.n = 0};
    if (!optimizer_is_plain(o->optimizer) || !(eta * finf_spectrum_max(s) < 2)) return FINF_OK;
    finf_status status = spectral_measure_make(s, linreg_separate_above(eta, o->kurtosis), &m);
    if (status) return status;
    finf_real D = linreg_margin(&m, eta, o->kurtosis);
    if (D.value > 0) {
        out->b = malloc(4 * m.n * sizeof *out->b);
        if (!out->b) status = FINF_ENOMEM;
    }
    if (out->b) {
        out->n = m.n;
        out->c = out->b + m.n;
        out->error = out->c + m.n;
        out->T = out->error + m.n;
        fill(&m, eta, o, D, out);
    }
    spectral_measure_free(&m);
    return status;
}

finf_status linreg_search_at(const linreg_search *x, const finf_noise *noise, finf_real *F,
                             finf_reason *why)
{
    finf_sensitivity sens;
    double T_error = 0;
    long double sum = 0, lost = 0;
    *F = finf_real_failed();
    finf_status status = finf_noise_sensitivity(noise, &sens);
    if (status && why) *why = sens.reason;
    if (!status) status = finf_noise_energy(noise, x->b, x->n, x->T, &T_error, why);
    if (status) return status;
    double gamma2 = sens.gamma2.value, relative = T_error + sens.gamma2.error / gamma2;
    for (size_t i = 0; i < x->n; i++) {
        double term = x->c[i] * x->T[i];
        sum += term;
        lost += fabs(term) * (x->error[i] + relative);
    }
    double sigma2 = x->unit * gamma2, value = sigma2 * (double)sum + x->fixed;
    *F = finf_real_make(value, sigma2 * (double)lost + x->fixed_error + 8 * FINF_EPS * value,
                        "closed second moment");
    return FINF_OK;
}
