/* Files of jobs, TOML or CSV, and the JSON that a job's answer is kept as. */
#include "commands.h"
#include "fuzz.h"
#include "jobs.h"
#include "json_read.h"

static void as_jobs(const char *path, const uint8_t *data, size_t size)
{
    jobs *j = NULL;
    finf_reason why = {""};
    finf_status s = jobs_parse(path, fuzz_text(data, size), size, COMMANDS, &j, &why);
    fuzz_answer(s, j, &why, "a file\n");
    size_t n = j ? jobs_count(j) : 0;
    CHECK(!j || (n > 0 && n <= JOBS_MAX), "%zu jobs", n);
    for (size_t i = 0; i < 8 && n; i++) { /* the first, the last, and some between */
        char *words[JOB_WORDS];
        size_t at = i * (n - 1) / 7;
        int count = jobs_words(j, at, words);
        CHECK(count > 0 && count <= JOB_WORDS && words[0][0], "job %zu has %d words", at, count);
    }
    jobs_free(j);
}

static void as_json(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    json_list list = {0};
    finf_reason why = {""};
    finf_status s = json_read(text, &list, &why);
    CHECK(s || list.n == 0 || list.n <= size, "%zu fields of %zu bytes", list.n, size);
    json_free(&list);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    switch (data[0] % 3) {
    case 0: as_jobs("jobs.toml", data + 1, size - 1); break;
    case 1: as_jobs("jobs.csv", data + 1, size - 1); break;
    default: as_json(data + 1, size - 1);
    }
    return 0;
}
