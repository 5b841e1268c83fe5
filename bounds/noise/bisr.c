/* Banded inverse square root: B(z) is the first b terms of (1-z)^{1/2}, so that a step adds a sum
 * of the last b normals.  (theory 1)
 *
 * beta_t = beta_{t-1} (t-3/2)/t, all negative after beta_0 = 1, and sum_{t>=1} |beta_t| < 1 for
 * every b: B has no zero in |z| <= 1, and gamma^2 is finite. b -> infinity is cc. */
#include <math.h>
#include <stdlib.h>

#include "family.h"
#include "parse.h"

#define BANDS_MAX                                                                                  \
    100000.0 /* up to which the zeros, who close in on z = 1, are told from it */ /* 80 MB of      \
                                                                                     coefficients  \
                                                                                   */

/* The recursion of theory 1.2 for p = 1/2, nu = 0, stopped after b terms. */
static finf_status make(size_t bands, finf_noise **out, finf_reason *why)
{
    double *beta = malloc(bands * sizeof *beta);
    if (!beta) return finf_why(why, FINF_ENOMEM, "no memory for %zu coefficients", bands);
    beta[0] = 1;
    for (size_t t = 1; t < bands; t++) beta[t] = beta[t - 1] * ((double)t - 1.5) / (double)t;
    finf_status s = noise_list_make(&noise_bisr, "bisr", beta, bands, out, why);
    free(beta);
    return s;
}

static finf_status parse(const char *text, finf_noise **out, finf_reason *why)
{
    double bands;
    finf_status s = parse_number(text, "bands", &bands, why);
    if (s) return s;
    if (!(bands >= 1 && bands <= BANDS_MAX && bands == floor(bands)))
        return finf_why(why, FINF_EDOM, "bisr:%.60s: bands must be a whole number from 1 to %.0f",
                        text, BANDS_MAX);
    return make((size_t)bands, out, why);
}

static void spell(const finf_noise *noise, noise_speller *s)
{
    double bands = (double)noise->n;
    noise_spell_text(s, "bisr:");
    noise_spell_list(s, &bands, 1);
}

const noise_family noise_bisr = {
    .name = "bisr",
    .form = "bisr:b",
    .about = "the first b terms of (1-z)^(1/2): banded inverse square root",
    .step = "O(b)",
    .parse = parse,
    .spell = spell,
    NOISE_BETA_FUNCTIONS,
};
