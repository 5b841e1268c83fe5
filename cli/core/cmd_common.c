/* What several commands read and show. Numbers are checked here as far as they are an option's own
 * matter (a positive eta); what depends on the problem is checked by the library. */
#include "cmd.h"

#include <stdlib.h>

/* NaN where it was not given, which is then no error: the command says whether it needs one. */
finf_status read_eta(const args *a, double *eta, finf_reason *why)
{
    *eta = NAN;
    finf_status s = args_number(a, OPT_ETA, eta, why);
    if (!s && !isnan(*eta) && !(*eta > 0))
        s = finf_why(why, FINF_EDOM, "eta = %.80s: must be positive", args_text(a, OPT_ETA));
    return s;
}

/* auto is the paper's nu = min(eta mu, 1). */
finf_status read_noise(const args *a, double eta, double mu, finf_noise **out, finf_reason *why)
{
    return spec_noise(args_text(a, OPT_NOISE), finf_nu_of_paper(eta, mu), out, why);
}

finf_status read_eta_mu(const args *a, double *eta, double *mu, finf_reason *why)
{
    *mu = 1;
    finf_status s = read_eta(a, eta, why);
    if (!s) s = args_number(a, OPT_MU, mu, why);
    if (!s && !(*mu > 0))
        s = finf_why(why, FINF_EDOM, "mu = %.80s: must be positive", args_text(a, OPT_MU));
    return s;
}

/* rho, clip and sigma-sgd. sigma_sgd = 0 is allowed: no gradient noise. */
finf_status read_setting(const args *a, finf_privacy_setting *out, finf_reason *why)
{
    *out = finf_privacy_setting_default();
    finf_status s = args_number(a, OPT_RHO, &out->rho, why);
    if (!s) s = args_number(a, OPT_CLIP, &out->clip, why);
    if (!s) s = args_number(a, OPT_SIGMA_SGD, &out->sigma_sgd, why);
    if (!s && !(out->rho > 0))
        s = finf_why(why, FINF_EDOM, "rho = %s: must be positive", finf_show(out->rho).s);
    if (!s && !(out->clip > 0))
        s = finf_why(why, FINF_EDOM, "clip = %s: must be positive", finf_show(out->clip).s);
    if (!s && !(out->sigma_sgd >= 0))
        s = finf_why(why, FINF_EDOM, "sigma-sgd = %s: must be >= 0", finf_show(out->sigma_sgd).s);
    return s;
}

/* Whether a value lists its numbers or names a file of them, rather than being a number. */
static int is_listed(const char *text) { return *text == '@' || strncmp(text, "list:", 5) == 0; }

/* |theta_0 - theta*|^2 as one number is spread equally over the eigenvectors; a list gives the part
 * along each. d is a double, as a dimension may be up to 1e15. */
finf_status read_start(const args *a, double d, double *start, double **at, finf_reason *why)
{
    const char *text = args_text(a, OPT_START);
    size_t n = 0;
    *at = NULL;
    if (!is_listed(text)) {
        finf_status s = args_number(a, OPT_START, start, why);
        return s || *start >= 0 ? s : finf_why(why, FINF_EDOM, "start = %.80s: must be >= 0", text);
    }
    finf_status s = spec_list(text, "start", at, &n, why);
    if (!s && (double)n != d)
        s = finf_why(
            why, FINF_EDOM,
            "start '%.60s' has %zu values, but there are %s directions: one is needed for each",
            text, n, finf_show(d).s);
    return s;
}

void show_start(doc *d, const args *a, double start)
{
    if (is_listed(args_text(a, OPT_START)))
        doc_string(d, "start", NULL, args_text(a, OPT_START), NULL);
    else
        doc_number(d, "start", NULL, start, NULL);
}

/* How often a value reads stdin: it names a file by @, and stdin is the file "-". A list of systems
 * may name it more than once. */
static int stdin_reads(const char *text, int is_list)
{
    int count = 0;
    for (const char *p = text; *p; p += *p == ',') {
        size_t length = is_list ? strcspn(p, ",") : strlen(p);
        const char *at = memchr(p, '@', length);
        p += length;
        count += at && p - at == 2 && at[1] == '-';
    }
    return count;
}

/* Stdin can be read once only: a second reader would find it empty. */
finf_status check_stdin(const args *a, finf_reason *why)
{
    /* the options whose values may be read from a file */
    static const struct {
        option_id id;
        const char *name;
    } READERS[] = {{OPT_NOISE, "noise"},
                   {OPT_SPECTRUM, "spectrum"},
                   {OPT_START, "start"},
                   {OPT_SYSTEM, "system"}};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof READERS / sizeof *READERS; i++) {
        const char *name = READERS[i].name;
        /* defaults read nothing */
        int count = args_given(a, READERS[i].id)
                        ? stdin_reads(args_text(a, READERS[i].id), READERS[i].id == OPT_SYSTEM)
                        : 0;
        if (count > 1)
            return finf_why(why, FINF_EUSAGE, "--%s wants to read stdin %d times", name, count);
        if (count && first)
            return finf_why(why, FINF_EUSAGE, "both --%s and --%s want to read stdin", first, name);
        if (count) first = name;
    }
    return FINF_OK;
}

int wants_text(const args *a)
{
    return strcmp(args_text(a, OPT_FORMAT), "text") == 0 && !args_given(a, OPT_JSON);
}

/* The noise with auto replaced by its value, owned by the caller. NULL: no memory, which the doc
 * then knows. */
static char *resolve(doc *d, const args *a, double eta, double mu)
{
    char *resolved = spec_resolve(args_text(a, OPT_NOISE), finf_nu_of_paper(eta, mu));
    if (!resolved) doc_fail(d);
    return resolved;
}

void show_noise_key(doc *d, const args *a, double eta, double mu)
{
    char *resolved = resolve(d, a, eta, mu);
    if (resolved) doc_string(d, "noise", NULL, resolved, NULL);
    free(resolved);
}

/* In text the noise is shown as it was given, cut after 40 characters, with its resolved spelling
 * behind it if `auto` was in it; CSV and JSON have the resolved one, whole. */
void show_noise(doc *d, const args *a, double eta, double mu)
{
    const char *text = args_text(a, OPT_NOISE);
    char note[64];
    char *resolved = resolve(d, a, eta, mu);
    snprintf(note, sizeof note, "%.40s%s", text, strlen(text) > 40 ? ".." : "");
    show_noise_key(d, a, eta, mu);
    doc_string(d, NULL, "noise", note, resolved && strcmp(resolved, text) != 0 ? resolved : NULL);
    free(resolved);
}

void show_reason(doc *d, const finf_reason *why)
{
    if (why->text[0]) doc_string(d, "reason", "reason", why->text, NULL);
}

void show_row_reason(doc *d, const args *a, const char *text)
{
    if (text[0] || strcmp(args_text(a, OPT_FORMAT), "csv") == 0)
        doc_string(d, "reason", NULL, text, NULL);
}
