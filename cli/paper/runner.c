/* Runs command lines of this program within it, each at most once. */
#include "runner.h"

#include <stdlib.h>

#include "points.h"
#include "sweep.h"

/* A line that was run, and what it printed. */
typedef struct {
    char *line;
    doc *d;
} entry;

struct runner {
    command_table all;
    entry *done;
    size_t n;    /* lines that were run */
    size_t room; /* lines that there is room for */
};

runner *runner_new(command_table all)
{
    runner *r = calloc(1, sizeof *r);
    if (r) r->all = all;
    return r;
}

void runner_free(runner *r)
{
    if (!r) return;
    for (size_t i = 0; i < r->n; i++) {
        free(r->done[i].line);
        doc_free(r->done[i].d);
    }
    free(r->done);
    free(r);
}

finf_status runner_parse(const runner *r, const char *line, char words[RUNNER_LINE], args *out,
                         finf_reason *why)
{
    char *argv[64], *rest;
    int argc = 0;
    if (snprintf(words, RUNNER_LINE, "%s --format csv --quiet", line) >= RUNNER_LINE)
        return finf_why(why, FINF_EUSAGE, "too long: %.60s ..", line);
    for (char *w = strtok_r(words, " ", &rest); w && argc < 64; w = strtok_r(NULL, " ", &rest))
        argv[argc++] = w;
    const command *c = command_find(r->all, argv[0]);
    if (!c) return finf_why(why, FINF_EUSAGE, "no command %.40s", argv[0]);
    return args_parse(r->all, c, argc, argv, out, why);
}

/* Runs a line into d. A missed tolerance is no failure if there is something to show; a failure is
 * reported with the command that failed. */
static finf_status run(const runner *r, const char *line, doc *d, finf_reason *why)
{
    char words[RUNNER_LINE];
    args a;
    finf_status s = runner_parse(r, line, words, &a, why);
    points_shape shape;
    if (!s) s = points_run(&a, d, &shape, why);
    if (sweep_interrupted(NULL)) return finf_why(why, FINF_ETOL, "interrupted");
    if (s == FINF_ETOL && doc_rows(d) > 0) s = FINF_OK;
    if (!s && doc_failed(d)) s = finf_why(why, FINF_ENOMEM, "no memory for the output");
    if (s) {
        finf_reason inner = *why;
        finf_why(why, s, "'finf %.90s' failed: %.120s", line,
                 inner.text[0] ? inner.text : finf_status_text(s));
    }
    return s;
}

finf_status runner_run(runner *r, const char *line, const doc **out, finf_reason *why)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->done[i].line, line) == 0) {
            *out = r->done[i].d;
            return FINF_OK;
        }
    if (r->n == r->room) {
        size_t more = r->room ? 2 * r->room : 64;
        entry *done = realloc(r->done, more * sizeof *done);
        if (!done) return finf_why(why, FINF_ENOMEM, "no memory");
        r->done = done;
        r->room = more;
    }
    entry e = {strdup(line), doc_new()};
    finf_status s = e.line && e.d ? run(r, line, e.d, why)
                                  : finf_why(why, FINF_ENOMEM, "no memory");
    if (s) {
        free(e.line);
        doc_free(e.d);
        return s;
    }
    r->done[r->n++] = e;
    *out = e.d;
    return FINF_OK;
}
