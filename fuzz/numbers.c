/* Numbers, lists and ranges, as the command line takes them. */
#include "args.h"
#include "base.h"
#include "fuzz.h"

/* A number shown is read back the same. */
static void again(double x)
{
    double y = NAN;
    CHECK(isfinite(x), "%g", x);
    CHECK(parse_number(finf_show(x).s, "x", &y, NULL) == FINF_OK && x == y, "%.17g", x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    const char *end = text + strlen(text);
    double x = NAN, *list = NULL;
    size_t n = 0;
    finf_reason why = {""};
    finf_status s = parse_number(text, "x", &x, &why);
    fuzz_answer(s, s ? NULL : text, &why, text);
    if (!s) again(x);
    s = parse_list(text, end, "x", &list, &n, &why);
    fuzz_answer(s, s ? NULL : text, &why, text);
    for (size_t i = 0; i < n && !s; i++) again(list[i]);
    free(list);
    s = args_numbers(text, "x", &list, &n, &why);
    fuzz_answer(s, s ? NULL : text, &why, text);
    CHECK(s || n > 0, "no number in '%s'", text);
    for (size_t i = 0; i < n && i < 1000 && !s; i++) again(list[i]);
    free(list);
    free(text);
    return 0;
}
