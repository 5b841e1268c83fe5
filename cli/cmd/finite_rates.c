/* finf rates --table finite: the paper's finite-time corollaries for DP-SGD and nu-DP-FTRL, which
 * hold up to absolute constants: each constant is a number that --set changes. Beside them its
 * theorem without clipping, which has no such constant. (theory 6.8) */
#include <stddef.h>
#include <stdlib.h>

#include "rates.h"

/* The constants as finf.h lists them: name, meaning, and where each is in the options. */
static const struct {
    const char *name, *meaning;
    size_t at; /* in finf_rate_options */
} CONSTANTS[] = {
#define CONSTANT(name, value, zero, meaning) {#name, meaning, offsetof(finf_rate_options, name)},
    FINF_RATE_CONSTANT_LIST(CONSTANT)
#undef CONSTANT
};
enum { CONSTANTS_COUNT = sizeof CONSTANTS / sizeof *CONSTANTS };

/* Constant i of these options. */
static double *constant(finf_rate_options *o, size_t i)
{
    return (double *)((char *)o + CONSTANTS[i].at);
}

/* The reason, with all names that there are. */
static finf_status unknown_constant(const char *text, size_t length, finf_reason *why)
{
    char names[160] = "";
    for (size_t i = 0, n = 0; i < CONSTANTS_COUNT && n < sizeof names; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "",
                              CONSTANTS[i].name);
    return finf_why(why, FINF_EPARSE, "set '%.*s': must be NAME=VALUE, NAME one of %s",
                    (int)(length < 40 ? length : 40), text, names);
}

/* --set NAME=VALUE,..: each name at most once. */
static finf_status set_constants(const char *text, finf_rate_options *o, finf_reason *why)
{
    int given[CONSTANTS_COUNT] = {0};
    for (const char *p = text; p;) {
        size_t length = strcspn(p, ","), name = strcspn(p, "=,"), i = 0;
        while (i < CONSTANTS_COUNT &&
               !(strlen(CONSTANTS[i].name) == name && strncmp(p, CONSTANTS[i].name, name) == 0))
            i++;
        if (i == CONSTANTS_COUNT || p[name] != '=') return unknown_constant(p, length, why);
        if (given[i]++)
            return finf_why(why, FINF_EUSAGE, "set: %s is given twice", CONSTANTS[i].name);
        finf_status s = parse_part(p + name + 1, p + length, CONSTANTS[i].name, constant(o, i),
                                   why);
        if (s) return s;
        p = p[length] ? p + length + 1 : NULL;
    }
    return FINF_OK;
}

/* ---- what is computed ------------------------------------------------------------------------ */

typedef struct {
    finf_spectrum *H;     /* owned */
    const char *spectrum; /* its spelling */
    double T, eta;
    setting privacy;     /* of F_inf and of the theorem */
    finf_rate_options o; /* of the corollaries */
} job;

typedef struct {
    const char *name;
    finf_rate_result rate;
    finf_real F_inf;  /* of eta and --clip: exact, .. */
    finf_real noclip; /* .. and theorem lr-finite-noclip */
    finf_reason noclip_reason;
} entry;

/* (A + sqrt F)^2, F = F_inf, with its error: A = sqrt((L/mu) F_0) e^{-eta mu T/2} is known as mu, L
 * and Tr H are, its exponent that many times its size; d (A + sqrt F)^2 = 2 (A + sqrt F)(..). */
static finf_real bound_known(const job *j, double bound, finf_real F)
{
    double mu = finf_spectrum_min(j->H), sum = sqrt(bound), A = fmax(sum - sqrt(F.value), 0);
    double known = fmax(finf_spectrum_describe(j->H).resolution / mu,
                        finf_spectrum_trace_error(j->H) / finf_spectrum_trace(j->H));
    if (!isfinite(bound)) return finf_real_infinite("theorem");
    double relative = expm1((known + 4 * FINF_EPS) * (4 + j->eta * mu * j->T));
    double off = A * relative + finf_real_root(with_rho(&j->privacy, F)).error;
    return finf_real_make(bound, off * (2 * sum + off) + 8 * FINF_EPS * bound, "theorem");
}

/* Theorem lr-finite-noclip, from theta_0 with the start spread equally over the eigenvectors, as in
 * finf curve. */
static finf_status without_clipping(const job *j, const finf_noise *noise, entry *e,
                                    finf_reason *why)
{
    finf_linreg_options o = finf_linreg_options_default();
    finf_linreg_result r;
    double F0 = finf_curve_gap(j->H, j->o.start), bound = NAN;
    o.privacy = j->privacy.set;
    /* not shown here, and so not computed */
    o.optimum = 0;
    finf_status s = finf_linreg(noise, j->eta, j->H, &o, &r);
    if (s) *why = r.reason;
    if (!s) s = finf_curve_bound(noise, j->eta, j->H, &o, F0, &j->T, 1, &bound, &e->noclip_reason);
    if (s && !why->text[0]) *why = e->noclip_reason;
    e->F_inf = s ? finf_real_failed() : r.exact;
    e->noclip = s ? finf_real_failed() : bound_known(j, bound, e->F_inf);
    return s;
}

/* nu: nu-DP-FTRL with nu = eta mu; else DP-SGD. */
static finf_status compute(const job *j, int nu, entry *e, finf_reason *why)
{
    finf_noise *noise = NULL;
    *e = (entry){.name = nu ? "nu-DP-FTRL" : "DP-SGD"};
    finf_status s = (nu ? finf_rate_nu : finf_rate_sgd)(j->H, j->T, &j->o, &e->rate);
    if (s) *why = e->rate.reason;
    if (!s)
        s = nu ? finf_noise_nu(finf_nu_of_paper(j->eta, finf_spectrum_min(j->H)), &noise, why)
               : finf_noise_sgd(&noise);
    if (!s) s = without_clipping(j, noise, e, why);
    finf_noise_free(noise);
    return s;
}

/* ---- output ---------------------------------------------------------------------------------- */

/* Text: the constants stand once above both algorithms. */
static void show_constants(doc *d, job *j)
{
    doc_heading(d, "Finite-time corollaries of the paper, with these constants (--set NAME=V,..)");
    for (size_t i = 0; i < CONSTANTS_COUNT; i++)
        doc_number(d, CONSTANTS[i].name, TEXT_ONLY, *constant(&j->o, i), CONSTANTS[i].meaning);
}

/* CSV and JSON: the problem and every constant, in each row. */
static void show_problem(doc *d, job *j, const entry *e)
{
    doc_string(d, "spectrum", DATA_ONLY, j->spectrum, NULL);
    doc_number(d, "d", DATA_ONLY, e->rate.d, NULL);
    finf_real trace = {e->rate.trace, finf_spectrum_trace_error(j->H), ""},
              largest = {e->rate.lambda_max, finf_spectrum_describe(j->H).resolution, ""};
    doc_real(d, "d_eff", DATA_ONLY, finf_real_over(trace, largest), NULL);
    doc_number(d, "kappa", DATA_ONLY, e->rate.kappa, NULL);
    doc_number(d, "eta", DATA_ONLY, j->eta, NULL);
    doc_real(d, "rho", DATA_ONLY, j->privacy.rho, NULL);
    show_target(d, &j->privacy);
    doc_number(d, "clip", DATA_ONLY, j->privacy.set.clip, NULL);
    doc_number(d, "sigma_sgd", DATA_ONLY, j->privacy.set.sigma_sgd, NULL);
    for (size_t i = 0; i < CONSTANTS_COUNT; i++)
        doc_number(d, CONSTANTS[i].name, DATA_ONLY, *constant(&j->o, i), NULL);
}

/* A product of what is known of the spectrum, with that error. */
static void show_product(doc *d, const char *key, doc_where where, const entry *e, double value,
                         const char *note)
{
    doc_real(d, key, where, finf_real_make(value, e->rate.relerr * value, ""), note);
}

/* The bound, the four terms that it is the sum of, and whether its conditions hold: a corollary
 * that does not apply has a value still, but it is no bound. */
static void show_entry(doc *d, job *j, const entry *e)
{
    const finf_rate_result *r = &e->rate;
    double rest = (r->start + r->dp + r->sgd) * r->relerr;
    char note[200];
    finf_reason both = r->reason;
    if (e->noclip_reason.text[0])
        finf_why(&both, FINF_OK, "%.120s%s%.120s", r->reason.text, r->reason.text[0] ? "; " : "",
                 e->noclip_reason.text);
    doc_row(d);
    doc_string(d, "algorithm", SHOWN, e->name, NULL);
    doc_number(d, "steps", SHOWN, j->T, NULL);
    doc_real(d, "value", SHOWN, finf_real_make(r->value, r->gap_error + rest, ""),
             "bound on E[(F(theta_T) - F*) 1_E], the sum of");
    doc_real(d, "term_gap", SHOWN, finf_real_make(r->gap, r->gap_error, ""),
             "what is left of it, (L/mu) exp(-mu eta1 T)");
    show_product(d, "term_start", SHOWN, e, r->start,
                 "privacy noise, its clip norm set by |theta_0 - theta*|");
    show_product(d, "term_dp", SHOWN, e, r->dp, "privacy noise, its clip norm set by sigma_sgd");
    show_product(d, "term_sgd", SHOWN, e, r->sgd, "gradient noise");
    show_product(d, "polylog", DATA_ONLY, e, r->polylog, NULL);
    doc_bool(d, "valid", SHOWN, r->valid, r->valid ? NULL : r->reason.text);
    doc_real(d, "T_min", SHOWN, finf_real_make(r->T_min, r->T_min_error, ""),
             "for the corollary to apply");
    show_product(d, "eta_max", SHOWN, e, r->eta_max, "for its proof");
    show_product(d, "clip_norm", SHOWN, e, r->clip, "G of theorem dp-main, at this eta");
    snprintf(note, sizeof note, "exact, without clipping, at eta = %s, G = %s", finf_show(j->eta).s,
             finf_show(j->privacy.set.clip).s);
    doc_real(d, "F_inf", SHOWN, with_rho(&j->privacy, e->F_inf), note);
    doc_real(d, "noclip", SHOWN, e->noclip,
             e->noclip_reason.text[0] ? e->noclip_reason.text
                                      : "there E[F(theta_T) - F*] is at most (sqrt((L/mu) "
                                        "e^(-eta mu T) F_0) + sqrt(F_inf))^2");
    show_problem(d, j, e);
    doc_string(d, "reason", DATA_ONLY, both.text, NULL);
}

/* --eta and --dim are ranges in the other tables. A listed spectrum needs no --dim, so its default
 * is not looked at; if it is given, it must agree. */
static finf_status read_job(const args *a, job *j, finf_reason *why)
{
    static const option_id SINGLE[] = {OPT_ETA, OPT_DIM};
    double dim = NAN;
    j->o = finf_rate_options_default();
    for (size_t i = 0; i < 2; i++)
        if (strpbrk(args_text(a, SINGLE[i]), ":,"))
            return finf_why(why, FINF_EUSAGE, "--table finite takes one %s, not a range: '%.60s'",
                            i ? "--dim" : "--eta", args_text(a, SINGLE[i]));
    finf_status s = read_setting(a, &j->privacy, why);
    j->o.rho = j->privacy.set.rho;
    j->o.sigma_sgd = j->privacy.set.sigma_sgd;
    j->spectrum = args_text(a, OPT_SPECTRUM);
    /* knows its dimension */
    int listed = *j->spectrum == '@' || strncmp(j->spectrum, "list:", 5) == 0;
    if (!s) s = read_eta(a, &j->eta, why);
    if (!s && (!listed || args_given(a, OPT_DIM)))
        s = args_whole(a, OPT_DIM, 1, FINF_DIM_MAX, &dim, why);
    if (!s) s = args_whole(a, OPT_STEPS, 2, 1e15, &j->T, why);
    if (!s) s = set_constants(args_text(a, OPT_SET), &j->o, why);
    return s ? s : spec_spectrum(j->spectrum, dim, &j->H, why);
}

finf_status show_finite_rates(const args *a, doc *d, finf_reason *why)
{
    job j = {0};
    entry sgd, nu;
    finf_status s = read_job(a, &j, why);
    if (!s) s = compute(&j, 0, &sgd, why);
    if (!s) s = compute(&j, 1, &nu, why);
    if (!s) {
        show_constants(d, &j);
        show_entry(d, &j, &sgd);
        show_entry(d, &j, &nu);
    }
    finf_spectrum_free(j.H);
    return s;
}
