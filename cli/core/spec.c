#include "spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "base.h"
#include "input.h"

/* text = name + rest: returns rest, or NULL */
static const char *after(const char *text, const char *name)
{
    size_t n = strlen(name);
    return strncmp(text, name, n) == 0 ? text + n : NULL;
}

typedef finf_status (*from_list)(const double *, size_t, finf_noise **, finf_reason *);

static finf_status listed_noise(const char *rest, int file, const char *what, from_list make,
                                finf_noise **out, finf_reason *why)
{
    double *x = NULL;
    size_t n = 0;
    finf_status s = file ? input_list(rest, what, &x, &n, why)
                         : parse_list(rest, rest + strlen(rest), what, &x, &n, why);
    if (!s) s = make(x, n, out, why);
    free(x);
    return s;
}

/* TH1,TH2,..;W1,W2,.. */
typedef finf_status (*from_pairs)(const double *, const double *, size_t, finf_noise **,
                                  finf_reason *);

static finf_status paired_noise(const char *rest, const char *family, const char *first,
                                const char *second, from_pairs make, finf_noise **out,
                                finf_reason *why)
{
    const char *semicolon = strchr(rest, ';');
    if (!semicolon)
        return finf_why(why, FINF_EPARSE, "%s:%.60s: two lists are needed, parted by a semicolon",
                        family, rest);
    double *x = NULL, *y = NULL;
    size_t n = 0, m = 0;
    finf_status s = parse_list(rest, semicolon, first, &x, &n, why);
    if (!s) s = parse_list(semicolon + 1, semicolon + strlen(semicolon), second, &y, &m, why);
    if (!s && n != m)
        s = finf_why(why, FINF_EPARSE, "%s: %zu of %s but %zu of %s", family, n, first, m, second);
    if (!s) s = make(x, y, n, out, why);
    free(x);
    free(y);
    return s;
}

static finf_status density_file(const char *path, finf_noise **out, finf_reason *why)
{
    input_table t;
    finf_status s = input_read(path, "spectrum", &t, why);
    if (s) return s;
    size_t n = t.rows;
    double *w = NULL, *b2 = t.data;
    /* more columns with names: w and |B|^2 are the first two */
    if (t.columns == 2 || (t.columns > 2 && t.named)) {
        w = malloc(2 * n * sizeof *w);
        if (!w) s = finf_why(why, FINF_ENOMEM, "no memory");
        for (size_t i = 0; w && i < n; i++) {
            w[i] = t.data[t.columns * i];
            w[n + i] = t.data[t.columns * i + 1];
        }
        if (w) b2 = w + n;
    } else if (t.columns == 1 || t.rows == 1)
        n = t.rows * t.columns;
    else
        s = finf_why(why, FINF_EPARSE,
                     "'%.120s' has %zu columns: w, |B|^2 or |B|^2 alone is expected", path,
                     t.columns);
    finf_reason reason = {""};
    if (!s && (s = finf_noise_spectrum(w, b2, n, out, &reason)))
        finf_why(why, s, "'%.100s': %.140s", path, reason.text);
    free(w);
    free(t.data);
    return s;
}

/* V or auto */
static finf_status parameter(const char *text, double automatic, double *nu, finf_reason *why)
{
    if (strcmp(text, "auto") != 0) return parse_number(text, "nu", nu, why);
    if (isnan(automatic))
        return finf_why(why, FINF_EUSAGE, "nu = auto is eta*mu: give --eta (and --mu)");
    *nu = automatic;
    return FINF_OK;
}

static finf_status power(const char *rest, double automatic, finf_noise **out, finf_reason *why)
{
    const char *comma = strchr(rest, ',');
    if (!comma) return finf_why(why, FINF_EPARSE, "power:%.60s: must be power:P,V", rest);
    double p, nu;
    finf_status s = parse_part(rest, comma, "power p", &p, why);
    if (!s) s = parameter(comma + 1, automatic, &nu, why);
    return s ? s : finf_noise_power(p, nu, out, why);
}

finf_status spec_noise(const char *text, double automatic, finf_noise **out, finf_reason *why)
{
    const char *rest;
    double nu;
    finf_status s;
    *out = NULL;
    if (strcmp(text, "sgd") == 0) return finf_noise_sgd(out);
    if (strcmp(text, "cc") == 0) return finf_noise_cc(out);
    if ((rest = after(text, "nu:")))
        return (s = parameter(rest, automatic, &nu, why)) ? s : finf_noise_nu(nu, out, why);
    if ((rest = after(text, "antipgd:")))
        return (s = parameter(rest, automatic, &nu, why)) ? s : finf_noise_antipgd(nu, out, why);
    if ((rest = after(text, "power:"))) return power(rest, automatic, out, why);
    if ((rest = after(text, "beta:")))
        return listed_noise(rest, 0, "beta", finf_noise_fir, out, why);
    if ((rest = after(text, "beta@")))
        return listed_noise(rest, 1, "beta", finf_noise_fir, out, why);
    if ((rest = after(text, "strategy:")))
        return listed_noise(rest, 0, "strategy", finf_noise_strategy, out, why);
    if ((rest = after(text, "strategy@")))
        return listed_noise(rest, 1, "strategy", finf_noise_strategy, out, why);
    if ((rest = after(text, "blt:")))
        return paired_noise(rest, "blt", "buf_decay", "output_scale", finf_noise_blt, out, why);
    if ((rest = after(text, "product:")))
        return paired_noise(rest, "product", "nu", "power", finf_noise_product, out, why);
    if ((rest = after(text, "spectrum@"))) return density_file(rest, out, why);
    return finf_why(why, FINF_EPARSE,
                    "noise '%.60s' is not known: sgd, nu:V, power:P,V, antipgd:V, cc, beta:.., "
                    "beta@FILE, strategy:.., "
                    "strategy@FILE, blt:..;.., product:..;.., spectrum@FILE",
                    text);
}

finf_status spec_list(const char *text, const char *what, double **out, size_t *n, finf_reason *why)
{
    const char *rest = after(text, "list:");
    return rest ? parse_list(rest, rest + strlen(rest), what, out, n, why)
                : input_list(text + 1, what, out, n, why);
}

finf_status spec_spectrum(const char *text, double d, finf_spectrum **out, finf_reason *why)
{
    const char *rest;
    double rate, *x = NULL;
    size_t n = 0;
    finf_status s;
    *out = NULL;
    if (*text == '@' || after(text, "list:")) {
        s = spec_list(text, "lambda", &x, &n, why);
        if (!s && !isnan(d) && d != (double)n)
            s = finf_why(why, FINF_EDOM, "dim = %s, but the spectrum has %zu eigenvalues",
                         finf_show(d).s, n);
        if (!s) s = finf_spectrum_list(x, n, out, why);
        free(x);
        return s;
    }
    int known = strcmp(text, "flat") == 0 || strcmp(text, "step") == 0 || after(text, "power:") ||
                after(text, "exp:");
    if (!known)
        return finf_why(why, FINF_EPARSE,
                        "spectrum '%.60s' is not known: power:A, exp:R, flat, step, list:.., @FILE",
                        text);
    if (isnan(d)) return finf_why(why, FINF_EUSAGE, "--spectrum %.60s needs --dim", text);
    if (strcmp(text, "flat") == 0) return finf_spectrum_flat(d, out, why);
    if (strcmp(text, "step") == 0) return finf_spectrum_step(d, out, why);
    rest = strchr(text, ':') + 1;
    if ((s = parse_number(rest, "decay of the spectrum", &rate, why))) return s;
    return *text == 'p' ? finf_spectrum_power(rate, d, out, why)
                        : finf_spectrum_exp(rate, d, out, why);
}
