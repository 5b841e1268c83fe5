/* --noise without files: what is read is spelled, and the spelling is read as the same. */
#include "fuzz.h"
#include "points.h"
#include "spec.h"

static void spelled(const finf_noise *noise, const char *text)
{
    static char once[1 << 16], twice[1 << 16];
    finf_noise *again = NULL;
    finf_reason why = {""};
    if (finf_noise_spell(noise, once, sizeof once)) return;
    CHECK(finf_noise_parse(once, &again, &why) == FINF_OK, "'%s' as '%s': %s", text, once,
          why.text);
    CHECK(finf_noise_spell(again, twice, sizeof twice) == FINF_OK, "'%s'", once);
    CHECK(strcmp(once, twice) == 0, "'%s' and '%s'", once, twice);
    finf_noise_free(again);
}

static void used(const finf_noise *noise, const char *text)
{
    double at[2];
    for (int i = 0; i <= 4; i++) {
        double w = i * 0.785398163397448309, density = finf_noise_density(noise, w);
        finf_noise_response(noise, w, at);
        CHECK(!(density < 0), "|B|^2 = %g at %g of '%s'", density, w, text);
        CHECK(!isnan(at[0]) || isnan(density) || isinf(density), "B(%g) of '%s'", w, text);
    }
    double scale = finf_noise_scale(noise);
    CHECK(scale > 0 && scale <= 1, "a scale of %g of '%s'", scale, text);
    CHECK(finf_noise_family(noise)[0], "'%s' has no family", text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), **several = NULL;
    finf_noise *noise = NULL;
    finf_reason why = {""};
    size_t n = 0;
    if (strchr(text, '@')) { /* a file: that is another target */
        free(text);
        return 0;
    }
    finf_status s = spec_noise(text, &noise, &why);
    fuzz_answer(s, noise, &why, text);
    if (noise) spelled(noise, text);
    if (noise) used(noise, text);
    finf_noise_free(noise);
    s = points_noises(text, &several, &n, &why);
    CHECK(s || n > 0, "no noise in '%s'", text);
    points_noises_free(several, n);
    free(text);
    return 0;
}
