/* --optimizer, --average and --weight-decay: three lines of the input. */
#include "fuzz.h"
#include "parse.h"

/* The next line of *text, which goes on behind it; NULL where there is none. */
static char *line(char **text)
{
    char *start = *text, *end = start ? strchr(start, '\n') : NULL;
    if (end) *end++ = 0;
    *text = end;
    return start;
}

static void spelled(const finf_optimizer *opt)
{
    char once[1 << 12], average[64], twice[1 << 12];
    finf_optimizer *again = NULL;
    finf_reason why = {""};
    double decay = finf_optimizer_weight_decay(opt);
    if (finf_optimizer_spell(opt, once, sizeof once)) return;
    CHECK(finf_optimizer_spell_average(opt, average, sizeof average) == FINF_OK, "'%s'", once);
    CHECK(finf_optimizer_parse(once, average, decay, &again, &why) == FINF_OK, "'%s' '%s': %s",
          once, average, why.text);
    CHECK(finf_optimizer_spell(again, twice, sizeof twice) == FINF_OK, "'%s'", once);
    CHECK(strcmp(once, twice) == 0, "'%s' and '%s'", once, twice);
    finf_optimizer_free(again);
}

static void used(const finf_optimizer *opt)
{
    double theta[32], step = finf_optimizer_step(opt);
    finf_real contraction;
    CHECK(step > 0 && isfinite(step), "a step of %g", step);
    int stable = finf_optimizer_stable(opt, 0.1 / step, 1);
    finf_status s = finf_optimizer_contraction(opt, 0.1 / step, 1, 1, &contraction, NULL);
    CHECK(s || (contraction.value >= 0 && (!stable || contraction.value < 1 + 1e-6)),
          "stable, but a contraction of %.17g", contraction.value);
    finf_optimizer_response(opt, 0.1 / step, 1, 32, theta, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *rest = text;
    const char *name = line(&rest), *average = line(&rest), *number = line(&rest);
    double decay = 0;
    finf_optimizer *opt = NULL;
    finf_reason why = {""};
    if (!number || parse_number(number, "V", &decay, NULL)) decay = 0;
    finf_status s = finf_optimizer_parse(name, average, decay, &opt, &why);
    fuzz_answer(s, opt, &why, text);
    if (opt) spelled(opt);
    if (opt) used(opt);
    finf_optimizer_free(opt);
    free(text);
    return 0;
}
