/* cli/sweep/: the two readers of what a person or a database gives, TOML and JSON. */
#include "json_read.h"
#include "no_memory.h"
#include "support.h"
#include "toml.h"

/* ---- JSON ------------------------------------------------------------------------------------ */

static const char EVERYTHING[] =
    "{\"a\": 12, \"b\": -1.5e3, \"c\": null, \"d\": true, \"e\": false, \"f\": \"inf\", "
    "\"g\": \"-inf\", \"h\": \"a\\\"b\\\\c\\n\\u0041\\u00e9\\u20ac\", "
    "\"i\": [1, null, \"inf\"], \"j\": [{\"x\": \"p\", \"y\": \"q\"}, {\"x\": \"r\"}], "
    "\"k\": {\"in\": [1, {\"]\": \"}\"}]}, \"l\": [[1], 2], \"m\": 123456789012345678901, \"n\": "
    "[]}";

static const json_item *member(const json_list *l, const char *key, json_kind kind)
{
    const json_item *x = json_find(l, key);
    ck_assert_msg(x && x->kind == kind, "%s: not of kind %d", key, (int)kind);
    return x;
}

START_TEST(json_values)
{
    json_list l;
    finf_reason why = {""};
    ck_assert_msg(json_read(EVERYTHING, &l, &why) == FINF_OK, "%s", why.text);
    ck_assert(member(&l, "a", JSON_WHOLE)->whole == 12);
    ck_assert(member(&l, "b", JSON_NUMBER)->number == -1500);
    ck_assert(isnan(member(&l, "c", JSON_NUMBER)->number));
    ck_assert(member(&l, "d", JSON_BOOL)->number == 1);
    ck_assert(member(&l, "e", JSON_BOOL)->number == 0);
    ck_assert(member(&l, "f", JSON_NUMBER)->number == INFINITY);
    ck_assert(member(&l, "g", JSON_NUMBER)->number == -INFINITY);
    ck_assert_str_eq(member(&l, "h", JSON_STRING)->text, "a\"b\\c\nA\xc3\xa9\xe2\x82\xac");
    const json_item *x = member(&l, "i", JSON_NUMBERS);
    ck_assert(x->n == 3 && x->data[0] == 1 && isnan(x->data[1]) && isinf(x->data[2]));
    ck_assert_str_eq(member(&l, "j", JSON_STRING)->text, "p: q; r");
    member(&l, "k", JSON_OTHER);
    member(&l, "l", JSON_OTHER);
    ck_assert(member(&l, "m", JSON_NUMBER)->number == 123456789012345678901.0);
    ck_assert(member(&l, "n", JSON_NUMBERS)->n == 0);
    ck_assert(!json_find(&l, "o"));
    json_free(&l);
}
END_TEST

START_TEST(json_array)
{
    json_list l;
    finf_reason why = {""};
    ck_assert_int_eq(json_read(" [1, \"two\"] ", &l, &why), FINF_OK);
    ck_assert(l.n == 2 && !l.items[0].key && l.items[0].whole == 1);
    ck_assert_str_eq(l.items[1].text, "two");
    json_free(&l);
}
END_TEST

START_TEST(json_refused)
{
    static const char *const BAD[] = {"",
                                      "1",
                                      "{\"a\"",
                                      "{\"a\" 1}",
                                      "{\"a\": }",
                                      "{\"a\": 1",
                                      "{\"a\": 1 2}",
                                      "{\"a\": 1-2}",
                                      "{\"a\": \"x}",
                                      "{\"a\": \"\\q\"}",
                                      "{\"a\": \"\\u12\"}",
                                      "{\"a\": \"\\u12g4\"}",
                                      "{\"a\": \"\\",
                                      "{\"a\": {\"b\": [",
                                      "{\"a\": {\"b",
                                      "{\"a\": [1 2]",
                                      "{\"a\": [{\"x\": \"p\"]",
                                      "{a: 1}",
                                      "[1"};
    for (size_t i = 0; i < COUNT(BAD); i++) {
        json_list l;
        finf_reason why = {""};
        ck_assert_msg(json_read(BAD[i], &l, &why) == FINF_EPARSE, "'%s' was read", BAD[i]);
        ck_assert_msg(strncmp(why.text, "no JSON of finf: ", 17) == 0, "%s", why.text);
        json_free(&l);
    }
}
END_TEST

START_TEST(json_without_memory)
{
    finf_status s = FINF_ENOMEM;
    for (long k = 0; s; k++) {
        json_list l;
        finf_reason why = {""};
        allocations_left = k;
        s = json_read(EVERYTHING, &l, &why);
        allocations_left = -1;
        ck_assert_msg(k < 200 && (!s || s == FINF_ENOMEM), "k = %ld: %s", k, finf_status_name(s));
        json_free(&l);
    }
}
END_TEST

/* ---- TOML ------------------------------------------------------------------------------------ */

static const char GRID[] = "# a comment\r\n"
                           "[[ grid ]] # another\n"
                           "'command' = \"a\\t\\\"b\\\\\" # and one\n"
                           "eta = [ 1_000, # first\n  -2.5e-3,\n ]\n"
                           "raw = 'as \\it is'\nyes = true\nno = [false]\n";

START_TEST(toml_values)
{
    static const struct {
        toml_kind kind;
        const char *word;
        size_t n, line;
        toml_type type;
        const char *first;
    } WANT[] = {{TOML_TABLE, "grid", 0, 2, 0, NULL},
                {TOML_KEY, "command", 1, 3, TOML_STRING, "a\t\"b\\"},
                {TOML_KEY, "eta", 2, 6, TOML_NUMBER, "1000"},
                {TOML_KEY, "raw", 1, 7, TOML_STRING, "as \\it is"},
                {TOML_KEY, "yes", 1, 8, TOML_TRUE, "true"},
                {TOML_KEY, "no", 1, 9, TOML_FALSE, "false"}};
    toml t = {.name = "grid.toml", .at = GRID, .line = 1};
    toml_kind kind;
    finf_reason why = {""};
    for (size_t i = 0; i < COUNT(WANT); i++) {
        ck_assert_msg(toml_next(&t, &kind, &why) == FINF_OK, "%s", why.text);
        ck_assert_int_eq(kind, WANT[i].kind);
        ck_assert_str_eq(t.word, WANT[i].word);
        ck_assert_uint_eq(t.n, WANT[i].n);
        ck_assert_uint_eq(t.line, WANT[i].line);
        if (!t.n) continue;
        ck_assert_int_eq(t.values[0].type, WANT[i].type);
        ck_assert_str_eq(t.values[0].text, WANT[i].first);
    }
    ck_assert_int_eq(toml_next(&t, &kind, &why), FINF_OK);
    ck_assert_int_eq(kind, TOML_END);
    toml_free(&t);
}
END_TEST

/* What is refused is told with its line, and the rest of that line. */
START_TEST(toml_refused)
{
    static const struct {
        const char *text, *why;
    } BAD[] = {
        {"\n\n= 1", "line 3: a name of letters, digits, - and _ is expected at '= 1'"},
        {"'a = 1", "line 1: a name of letters, digits, - and _ is expected at 'a = 1'"},
        {"a 1", "line 1: = is expected at '1'"},
        {"a = \"\"\"x\"\"\"", "line 1: strings of several lines are not read: at '\"\"\"x\"\"\"'"},
        {"a = \"x\\q\"", "line 1: an escape that is none of \\\" \\\\ \\t \\n at '\"x\\q\"'"},
        {"a = 'x\n'", "line 1: a string without its end at ''x'"},
        {"a = \"x\\", "line 1: a string without its end at '\"x\\'"},
        {"a = [1\n, b]", "line 2: a string in quotes, a number, true, false or an array is expected"
                         " at 'b]'"},
        {"a = [",
         "line 1: a string in quotes, a number, true, false or an array is expected at ''"},
        {"[[a]", "line 1: ]] is expected at ']'"},
        {"[[]]", "line 1: a name of letters, digits, - and _ is expected at ']]'"},
        {"[[a]] b", "line 1: the end of the line is expected at 'b'"},
        {"a = 1 # x\nb.c = 2", "line 2: = is expected at '.c = 2'"},
        {"a1234567890123456789012345678901234567890123456789012345678901234 = 1",
         "line 1: a name of letters, digits, - and _ is expected at "
         "'a123456789012345678901234567890123456789'"}};
    for (size_t i = 0; i < COUNT(BAD); i++) {
        toml t = {.name = "f", .at = BAD[i].text, .line = 1};
        toml_kind kind = TOML_KEY;
        finf_reason why = {""};
        finf_status s = FINF_OK;
        while (!s && kind != TOML_END) s = toml_next(&t, &kind, &why);
        ck_assert_msg(s == FINF_EPARSE, "'%s' was read", BAD[i].text);
        ck_assert_str_eq(why.text + strlen("'f' "), BAD[i].why);
        toml_free(&t);
    }
}
END_TEST

START_TEST(toml_without_memory)
{
    finf_status s = FINF_ENOMEM;
    for (long k = 0; s; k++) {
        toml t = {.name = "f", .at = GRID, .line = 1};
        toml_kind kind = TOML_KEY;
        finf_reason why = {""};
        s = FINF_OK;
        allocations_left = k;
        while (!s && kind != TOML_END) s = toml_next(&t, &kind, &why);
        allocations_left = -1;
        ck_assert_msg(k < 50 && (!s || s == FINF_ENOMEM), "k = %ld: %s", k, finf_status_name(s));
        toml_free(&t);
    }
}
END_TEST

static TCase *make(void)
{
    TCase *tc = tcase_create("readers");
    tcase_add_test(tc, json_values);
    tcase_add_test(tc, json_array);
    tcase_add_test(tc, json_refused);
    tcase_add_test(tc, json_without_memory);
    tcase_add_test(tc, toml_values);
    tcase_add_test(tc, toml_refused);
    tcase_add_test(tc, toml_without_memory);
    return tc;
}

int main(void) { return run_suite("readers", make); }
