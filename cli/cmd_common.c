#include "cmd.h"

finf_status read_eta(const args *a, double *eta, finf_reason *why)
{
    *eta = NAN;
    finf_status s = args_number(a, OPT_ETA, eta, why);
    if (!s && !isnan(*eta) && !(*eta > 0)) s = finf_why(why, FINF_EDOM, "eta = %s: must be positive", args_text(a, OPT_ETA));
    return s;
}

static double automatic(double eta, double mu) { return isnan(eta) || isnan(mu) ? NAN : fmin(eta * mu, 1); }

static const char *noise_text(const args *a, const char *fallback)
{
    return args_given(a, OPT_NOISE) ? args_text(a, OPT_NOISE) : fallback;
}

finf_status read_noise(const args *a, double eta, double mu, const char *fallback, finf_noise **out, finf_reason *why)
{
    return spec_noise(noise_text(a, fallback), automatic(eta, mu), out, why);
}

finf_status read_setting(const args *a, finf_privacy_setting *out, finf_reason *why)
{
    *out = finf_privacy_setting_default();
    finf_status s = args_number(a, OPT_RHO, &out->rho, why);
    if (!s) s = args_number(a, OPT_CLIP, &out->clip, why);
    if (!s) s = args_number(a, OPT_SIGMA_SGD, &out->sigma_sgd, why);
    return s;
}

void show_noise(doc *d, const args *a, const char *fallback, double eta, double mu)
{
    const char *text = noise_text(a, fallback);
    size_t n = strlen(text);
    char line[96], note[96];
    if (n > 4 && n < 60 && strcmp(text + n - 4, "auto") == 0)
        snprintf(line, sizeof line, "%.*s%.17g", (int)n - 4, text, automatic(eta, mu));
    else
        snprintf(line, sizeof line, "%s", "");
    snprintf(note, sizeof note, "%.40s%s", text, n > 40 ? ".." : "");
    doc_string(d, "noise", NULL, *line ? line : text, NULL);
    doc_string(d, NULL, "noise", note, *line ? line : NULL);
}

void show_reason(doc *d, const finf_reason *why)
{
    if (why->text[0]) doc_string(d, "reason", "reason", why->text, NULL);
}
