#include "job.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "kept.h"
#include "points.h"
#include "sweep.h"

static const char *const WORDS[FINF_STATUS_COUNT] = {
    [FINF_OK] = "ok",          [FINF_EUSAGE] = "usage",
    [FINF_EDOM] = "domain",    [FINF_EPARSE] = "malformed",
    [FINF_ETOL] = "tolerance", [FINF_EIO] = "io",
    [FINF_ENOMEM] = "memory"};

const char *job_status_word(finf_status s) { return WORDS[s]; }

int job_status_read(const char *word, finf_status *out)
{
    for (int i = 0; word && i < FINF_STATUS_COUNT; i++) {
        *out = (finf_status)i;
        if (strcmp(word, WORDS[i]) == 0) return 1;
    }
    return 0;
}

int job_is_unsettled(finf_status s) { return s == FINF_EIO || s == FINF_ENOMEM; }

/* ---- texts ----------------------------------------------------------------------------------- */

/* The text of a file in memory that was written, and closed by this; NULL: no memory. */
static char *text_of(FILE *f, memory_file *m)
{
    fclose(f);
    if (!m->failed) return m->text;
    free(m->text);
    return NULL;
}

char *job_arguments(const jobs *j, size_t i)
{
    char *words[JOB_WORDS];
    int n = jobs_words(j, i, words);
    memory_file m;
    FILE *f = memory_open(&m);
    if (!f) return NULL;
    for (int k = 0; k < n; k++) {
        fputc(k ? ',' : '[', f);
        doc_json_string(words[k], f);
    }
    fputc(']', f);
    return text_of(f, &m);
}

/* The one record of a doc, without the end of its line. */
static char *answer_of(const doc *d)
{
    memory_file m;
    FILE *f = memory_open(&m);
    if (!f) return NULL;
    doc_print(d, (doc_style){.format = FORMAT_JSON}, f);
    char *text = text_of(f, &m);
    if (text) text[strcspn(text, "\n")] = '\0';
    return text;
}

/* ---- running --------------------------------------------------------------------------------- */

/* Spectra and optimizers are kept for all jobs (kept.h). Of a sweep over many of them the memory
 * would fill: when there are more than a few they are forgotten, while no job is at work on one. */
#define KEPT_MAX 64
static pthread_rwlock_t at_work = PTHREAD_RWLOCK_INITIALIZER;

static void tidy(void)
{
    if (kept_count() <= KEPT_MAX) return;
    pthread_rwlock_wrlock(&at_work);
    kept_forget();
    pthread_rwlock_unlock(&at_work);
}

/* The command fills the doc; a job is one row of a table, so its answer is one record. */
static finf_status answer(const args *a, doc *d, finf_reason *why)
{
    finf_status s = points_single(a, d, why);
    if (s && s != FINF_ETOL) return s;
    if (doc_failed(d)) return finf_why(why, FINF_ENOMEM, "no memory for the answer");
    finf_reason imprecise;
    if (doc_imprecise(d, &imprecise) && !s) {
        s = FINF_ETOL;
        *why = imprecise;
    }
    if (doc_rows(d) > 1)
        return finf_why(why, FINF_EUSAGE, "the answer has %zu rows, and a job has one",
                        doc_rows(d));
    return s;
}

void job_run(const jobs *j, size_t i, job_result *out)
{
    args a;
    double start = finf_seconds();
    doc *d = doc_new();
    *out = (job_result){.job = i, .arguments = job_arguments(j, i)};
    pthread_rwlock_rdlock(&at_work);
    finf_status s = d && out->arguments ? jobs_args(j, i, &a, &out->why) : FINF_ENOMEM;
    if (!s) s = answer(&a, d, &out->why);
    pthread_rwlock_unlock(&at_work);
    out->cut = s && sweep_interrupted(NULL);
    if ((!s || s == FINF_ETOL) && doc_rows(d) == 1) {
        out->answer = answer_of(d);
        if (!out->answer) s = FINF_ENOMEM;
    }
    if (s == FINF_ENOMEM && !out->why.text[0]) finf_why(&out->why, s, "no memory for the job");
    if (s && !out->why.text[0]) finf_why(&out->why, s, "%s", finf_status_text(s));
    doc_free(d);
    out->status = s;
    out->seconds = finf_seconds() - start;
    tidy();
}

void job_result_free(job_result *r)
{
    free(r->arguments);
    free(r->answer);
    *r = (job_result){0};
}
