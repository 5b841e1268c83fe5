/* --spectrum without files, in a dimension that the last two bytes are. */
#include "fuzz.h"
#include "spec.h"

static void used(const finf_spectrum *s, const char *text)
{
    double d = finf_spectrum_dim(s), low = finf_spectrum_min(s), high = finf_spectrum_max(s);
    finf_spectrum_facts about = finf_spectrum_describe(s);
    CHECK(low > 0 && low <= high && isfinite(high), "%g to %g of '%s'", low, high, text);
    CHECK(about.rank == d && about.given == about.rank + about.zeros, "'%s'", text);
    CHECK(about.trace >= high * (1 - 1e-12) && about.trace <= d * high * (1 + 1e-12),
          "a trace of %g of '%s'", about.trace, text);
    for (double k = 1; k <= d && k <= 64; k++) {
        double x = finf_spectrum_at(s, k);
        CHECK(x >= low * (1 - 1e-12) && x <= high * (1 + 1e-12), "%g at %g of '%s'", x, k, text);
    }
    CHECK(isnan(finf_spectrum_at(s, d + 1)), "'%s'", text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double dim = NAN;
    finf_spectrum *spectrum = NULL;
    finf_reason why = {""};
    if (size > 2 && data[size - 1] != 0) dim = pow(1.3, data[size - 1] % 140);
    char *text = fuzz_text(data, size > 2 ? size - 1 : size);
    if (strchr(text, '@')) {
        free(text);
        return 0;
    }
    if (isfinite(dim)) dim = floor(dim);
    finf_status s = spec_spectrum(text, dim, &spectrum, &why);
    fuzz_answer(s, spectrum, &why, text);
    if (spectrum) used(spectrum, text);
    if (spectrum) finf_spectrum_normalize(spectrum);
    CHECK(!spectrum || finf_spectrum_max(spectrum) == 1, "'%s'", text);
    if (spectrum) used(spectrum, text);
    finf_spectrum_free(spectrum);
    free(text);
    return 0;
}
