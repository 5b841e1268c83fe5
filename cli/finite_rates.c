/* finf rates --table finite: the paper's finite-time corollaries, every constant a number one can set. */
#include <stddef.h>
#include <stdlib.h>

#include "cmd.h"

/* --set NAME=VALUE,.. */
static finf_status set_constants(const char *text, finf_rate_options *o, finf_reason *why)
{
    static const struct {
        const char *name;
        size_t at;
    } FIELD[] = {
#define FIELD_OF(x) {#x, offsetof(finf_rate_options, x)}
        FIELD_OF(start),     FIELD_OF(failprob),      FIELD_OF(c_time), FIELD_OF(c_exp),
        FIELD_OF(c_gap),     FIELD_OF(c_start),       FIELD_OF(c_dp),   FIELD_OF(c_sgd),
        FIELD_OF(c_polylog), FIELD_OF(polylog_power), FIELD_OF(c_eta),  FIELD_OF(c_clip),
    };
    for (const char *p = text; p && *p;) {
        size_t length = strcspn(p, ","), name = strcspn(p, "=,"), i = 0;
        while (i < sizeof FIELD / sizeof *FIELD && !(strlen(FIELD[i].name) == name && strncmp(p, FIELD[i].name, name) == 0))
            i++;
        if (i == sizeof FIELD / sizeof *FIELD || p[name] != '=')
            return finf_why(
                why, FINF_EPARSE,
                "set '%.60s': NAME=VALUE, NAME one of start, failprob, c_time, c_exp, c_gap, c_start, c_dp, c_sgd, "
                "c_polylog, polylog_power, c_eta, c_clip",
                p);
        finf_status s = parse_part(p + name + 1, p + length, FIELD[i].name, (double *)((char *)o + FIELD[i].at), why);
        if (s) return s;
        p += length + (p[length] == ',');
    }
    return FINF_OK;
}

static void show(doc *d, const char *name, double T, const finf_rate_result *r)
{
    doc_row(d);
    doc_string(d, "algorithm", "algorithm", name, NULL);
    doc_number(d, "T", "  steps T", T, NULL);
    doc_number(d, "value", "  bound", r->value, "on E[(F(theta_T) - F*) 1_E], up to the constants set");
    doc_number(d, "gap", "  start, decayed", r->gap, NULL);
    doc_number(d, "start", "  from the start", r->start, NULL);
    doc_number(d, "dp", "  from privacy", r->dp, NULL);
    doc_number(d, "sgd", "  from gradients", r->sgd, NULL);
    doc_number(d, "polylog", NULL, r->polylog, NULL);
    doc_number(d, "T_min", "  T at least", r->T_min, "for the corollary to apply");
    doc_bool(d, "valid", "  applies", r->valid, NULL);
    doc_number(d, "kappa", NULL, r->kappa, NULL);
    doc_number(d, "d_eff", NULL, r->d_eff, NULL);
    doc_number(d, "eta_max", "  eta at most", r->eta_max, NULL);
    doc_number(d, "clip", "  clip norm", r->clip, NULL);
    if (r->reason.text[0]) doc_string(d, "reason", NULL, r->reason.text, NULL);
}

finf_status show_finite_rates(const args *a, doc *d, finf_reason *why)
{
    finf_rate_options o = finf_rate_options_default();
    finf_privacy_setting set;
    finf_rate_result r;
    finf_spectrum *H = NULL;
    double dim = 128, T = 1e6;
    finf_status s = read_setting(a, &set, why);
    o.rho = set.rho;
    o.sigma_sgd = set.sigma_sgd;
    if (!s) s = args_whole(a, OPT_DIM, 1, FINF_DIM_MAX, &dim, why);
    if (!s) s = args_whole(a, OPT_STEPS, 2, 1e15, &T, why);
    if (!s) s = set_constants(args_text(a, OPT_SET), &o, why);
    const char *spectrum = args_given(a, OPT_SPECTRUM) ? args_text(a, OPT_SPECTRUM) : "power:1";
    int listed = *spectrum == '@' || strncmp(spectrum, "list:", 5) == 0;
    if (!s) s = spec_spectrum(spectrum, listed && !args_given(a, OPT_DIM) ? NAN : dim, &H, why);
    if (!s) s = finf_rate_sgd(H, T, &o, &r);
    if (!s) doc_heading(d, "Finite-time corollaries of the paper, constants as set (all 1 by default)");
    if (!s) show(d, "DP-SGD", T, &r);
    if (!s) s = finf_rate_nu(H, T, &o, &r);
    if (!s) show(d, "nu-DP-FTRL", T, &r);
    if (s && !why->text[0]) finf_why(why, s, "the corollaries could not be evaluated: %s", r.reason.text);
    finf_spectrum_free(H);
    return s;
}
