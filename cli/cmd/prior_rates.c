/* finf rates --table prior: sensitivity and F_inf of the noise of prior work, the paper's Table 2.
 * For each mechanism its law of growth and its rate are printed with the constant that the exact
 * value has in them: a law that holds has a constant which tends to the one beside it. (theory 2,
 * 5.4, 9) */
#include "rates.h"

#define DAMPED_RATE "eta^(3/2) G^2 rho^-1 sqrt(d Tr H)"

/* growth: the law of gamma_T^2, or of gamma_inf^2 where that is finite; growth_limit: what its
 * constant tends to; rate: the paper's, of F_inf; note: which nu is taken. */
static const struct {
    const char *name, *growth, *growth_limit, *rate, *note;
} TABLE[FINF_PRIOR_COUNT] = {
    [FINF_PRIOR_CC] = {"optimal-cc", "log T", "1/pi as T grows", "inf", NULL},
    [FINF_PRIOR_NU] = {"nu", "log(1/nu)", "1/pi as nu -> 0", "eta^2 G^2 rho^-1 Tr H log^2(1/nu)",
                       "nu = eta mu, the paper's choice"},
    [FINF_PRIOR_ANTIPGD] = {"anti-PGD", "T", "1", "inf", NULL},
    [FINF_PRIOR_DAMPED] = {"damped anti-PGD", "1/nu", "1/2 as nu -> 0", DAMPED_RATE,
                           "nu = sqrt(eta Tr H/d), by the paper's rate"},
    [FINF_PRIOR_DAMPED_BEST] = {"damped anti-PGD (best nu)", "1/nu", "1/2 as nu -> 0", DAMPED_RATE,
                                "the nu with the least F_inf of this family"},
};

/* The T at which gamma_T^2 is shown; the last one stands for its growth. */
static const size_t STEPS[] = {100, 10000, 1000000};
enum { STEPS_COUNT = sizeof STEPS / sizeof *STEPS };

/* A point of the axes, and the problem it is. */
typedef struct {
    double a, d, eta;
    finf_spectrum *H;
    finf_linreg_options o;
} point;

/* A mechanism as --noise spells it. nu is not used where there is none. */
static void spell(finf_prior m, double nu, char *out, size_t size)
{
    if (m == FINF_PRIOR_CC)
        snprintf(out, size, "cc");
    else if (m == FINF_PRIOR_ANTIPGD)
        snprintf(out, size, "antipgd:0");
    else
        snprintf(out, size, "%s:%s", m == FINF_PRIOR_NU ? "nu" : "antipgd", finf_show(nu).s);
}

/* Which mechanism it is, at which point, and a --noise that gives it elsewhere. */
static void show_noise_of(doc *d, const point *p, finf_prior m, finf_real nu, const char *noise)
{
    char spectrum[48];
    snprintf(spectrum, sizeof spectrum, "power:%s", finf_show(p->a).s);
    doc_string(d, "algorithm", SHOWN, TABLE[m].name, NULL);
    doc_string(d, "spectrum", DATA_ONLY, spectrum, NULL);
    doc_number(d, "d", DATA_ONLY, p->d, NULL);
    doc_number(d, "eta", DATA_ONLY, p->eta, NULL);
    doc_string(d, "noise", SHOWN, noise, TABLE[m].note);
    doc_real(d, "nu", DATA_ONLY, nu, NULL);
}

/* gamma_T^2 at a few T, the limit, and the constant of the law: last value/growth, where the last
 * value is gamma_inf^2 if that is finite. */
static void show_growth(doc *d, finf_prior m, finf_real growth, const finf_real *gamma2_at,
                        finf_real gamma2)
{
    char key[32], note[120];
    for (size_t i = 0; i < STEPS_COUNT; i++) {
        snprintf(key, sizeof key, "gamma2_%zu", STEPS[i]);
        doc_real(d, key, SHOWN, gamma2_at[i], "gamma_T^2");
    }
    finf_real last = isinf(gamma2.value) ? gamma2_at[STEPS_COUNT - 1] : gamma2;
    doc_real(d, "gamma2", SHOWN, gamma2, NULL);
    doc_string(d, "growth", SHOWN, TABLE[m].growth, NULL);
    snprintf(note, sizeof note, "of %s; tends to %s",
             isinf(gamma2.value) ? "the last gamma_T^2" : "gamma_inf^2", TABLE[m].growth_limit);
    doc_real(d, "growth_constant", SHOWN, finf_real_over(last, growth), note);
}

/* A mechanism with an infinite F_inf (its noise is not damped, and the sensitivity grows without
 * end) is a row like the others, with the reason. */
static finf_status show_mechanism(const setting *x, const point *p, finf_prior m, doc *d,
                                  finf_reason *why)
{
    char spec[64];
    finf_prior_rates law;
    finf_noise *noise = NULL;
    finf_linreg_result r;
    finf_real gamma2_at[STEPS_COUNT];
    finf_status s = finf_rates_prior(m, p->H, p->eta, &p->o.privacy, (double)STEPS[STEPS_COUNT - 1],
                                     &law, why);
    if (s) return s;
    spell(m, law.nu.value, spec, sizeof spec);
    /* by its spelling, so that what is shown as `noise` is what was computed */
    s = spec_noise(spec, &noise, why);
    if (!s && (s = finf_linreg(noise, p->eta, p->H, &p->o, &r))) *why = r.reason;
    for (size_t i = 0; i < STEPS_COUNT && !s; i++)
        s = finf_noise_sensitivity_at(noise, STEPS[i], &gamma2_at[i], why);
    if (!s) {
        doc_row(d);
        show_noise_of(d, p, m, law.nu, spec);
        show_growth(d, m, law.growth, gamma2_at, r.gamma2);
        doc_real(d, "F_inf", SHOWN, with_rho(x, r.exact), "exact for Gaussian inputs");
        doc_string(d, "rate", SHOWN, TABLE[m].rate, "the paper's");
        doc_real(d, "rate_value", DATA_ONLY, with_rho(x, law.rate), NULL);
        doc_real(d, "rate_constant", isfinite(law.rate.value) ? SHOWN : DATA_ONLY,
                 finf_real_over(r.exact, law.rate), "F_inf / rate");
        doc_string(d, "reason", DATA_ONLY, r.reason.text, NULL);
        if (r.reason.text[0]) doc_string(d, "reason", TEXT_ONLY, r.reason.text, NULL);
    }
    finf_noise_free(noise);
    return s;
}

static finf_status show_point(const setting *x, double decay, double dim, double eta, doc *d,
                              finf_reason *why)
{
    point p = {.a = decay, .d = dim, .eta = eta};
    p.o = finf_linreg_options_default();
    p.o.privacy = x->set;
    /* the least over all noise is not shown here, and so not computed */
    p.o.optimum = 0;
    finf_status s = finf_spectrum_power(decay, dim, &p.H, why);
    if (!s)
        doc_note(d, "Noise of prior work: eigenvalues k^-%s, d = %s, eta = %s", finf_show(decay).s,
                 finf_show(dim).s, finf_show(eta).s);
    for (finf_prior m = 0; m < FINF_PRIOR_COUNT && !s; m++) s = show_mechanism(x, &p, m, d, why);
    finf_spectrum_free(p.H);
    return s;
}

/* One table for each point, as each has five mechanisms. */
finf_status show_prior_rates(const rate_axes *x, doc *d, finf_reason *why)
{
    finf_status s = FINF_OK;
    for (size_t i = 0; i < x->n_decays && !s; i++)
        for (size_t k = 0; k < x->n_dims && !s; k++)
            for (size_t e = 0; e < x->n_etas && !s; e++)
                s = show_point(&x->privacy, x->decays[i], x->dims[k], x->etas[e], d, why);
    return s;
}
