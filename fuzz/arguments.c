/* A command line: the lines of the input are its words. It is parsed, its values are read, and it
 * is printed as the shell would take it back; no command is run. */
#include "args.h"
#include "commands.h"
#include "fuzz.h"
#include "memory.h"

enum { WORDS = 40 };

static void values(const args *a)
{
    for (int i = OPT_END + 1; i < OPT_COUNT; i++) {
        option_id id = (option_id)i;
        double x = NAN, *list = NULL;
        size_t n;
        finf_reason why = {""};
        if (!args_given(a, id) || !a->value[id][0]) continue;
        finf_status s = args_number(a, id, &x, &why);
        CHECK(s || isfinite(x), "%g", x);
        s = args_whole(a, id, 1, 1e15, &x, &why);
        CHECK(s || (x == floor(x) && x >= 1 && x <= 1e15), "%g", x);
        s = args_range(a, id, &list, &n, &why);
        CHECK(s || n > 0, "no number");
        free(list);
        unsigned long long seed;
        if (id == OPT_SEED) args_seed(a, id, &seed, &why);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *word[WORDS + 1] = {"finf"};
    int n = 1;
    for (char *p = strtok(text, "\n"); p && n < WORDS; p = strtok(NULL, "\n")) word[n++] = p;
    const command *c = n > 1 ? command_find(COMMANDS, word[1]) : NULL;
    args a;
    finf_reason why = {""};
    if (c) {
        finf_status s = args_parse(COMMANDS, c, n - 1, word + 1, &a, &why);
        fuzz_answer(s, s ? NULL : c, &why, text);
        memory_file printed = {0};
        FILE *out = s ? NULL : memory_open(&printed);
        if (out) args_print(&a, out);
        if (out) fclose(out);
        CHECK(!out || strncmp(printed.text, "finf ", 5) == 0, "'%s'", printed.text);
        free(printed.text);
        if (!s) values(&a);
    }
    free(text);
    return 0;
}
