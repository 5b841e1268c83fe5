#include "export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"

/* ---- the test -------------------------------------------------------------------------------- */

#define TEST_ENDS 4    /* values that are compared at the start, and at the end */
#define TEST_MOST 4096 /* steps of the test */
#define TEST_INPUTS 2  /* an impulse, and a pattern that meets every coefficient */

/* What z is at some steps for two known w: 1, 0, 0, .. and ((7t + 3) mod 5) - 2. */
typedef struct {
    size_t steps; /* to be run */
    size_t n;     /* and compared */
    struct {
        size_t t;
        double z[TEST_INPUTS];
    } * at; /* owned */
} self_test;

/* Numbers of a step's own are met by that step alone: all are compared then. */
static int tests_all(const export_program *p) { return p->filter->kind == FILTER_STEPS; }

/* Else long enough for every place of the memory to be used twice. */
static size_t test_steps(const export_program *p)
{
    if (tests_all(p)) return p->steps;
    size_t n = 2 * p->filter->rows + 2 * TEST_ENDS;
    if (n > TEST_MOST) n = TEST_MOST;
    return p->steps && p->steps < n ? p->steps : n;
}

static finf_status make_test(const export_program *p, self_test *out, finf_reason *why)
{
    const noise_filter *f = p->filter;
    double *state = calloc(f->rows ? f->rows * TEST_INPUTS : 1, sizeof *state);
    *out = (self_test){.steps = test_steps(p)};
    out->at = malloc(out->steps * sizeof *out->at);
    if (!state || !out->at) {
        free(state);
        return finf_why(why, FINF_ENOMEM, "no memory for the test of the program");
    }
    for (size_t t = 0; t < out->steps; t++) {
        double x[TEST_INPUTS] = {t == 0, (double)((7 * t + 3) % 5) - 2};
        noise_filter_step(f, t, 0, state, TEST_INPUTS, TEST_INPUTS, x);
        if (t >= TEST_ENDS && t + TEST_ENDS < out->steps && !tests_all(p)) continue;
        out->at[out->n].t = t;
        memcpy(out->at[out->n++].z, x, sizeof x);
    }
    free(state);
    return FINF_OK;
}

/* ---- texts ----------------------------------------------------------------------------------- */

typedef struct {
    const export_program *p;
    const export_template *form;
    export_kind kind;
    self_test test;
    double gain;   /* of EXPORT_WHITE */
    size_t memory; /* vectors of state of the program */
    FILE *out;
} writer;

/* Number i of a list, 17 digits, four a line. */
static void put_number(const writer *w, size_t i, double x)
{
    if (i) fputs(w->form->between, w->out);
    fprintf(w->out, "%s%.17g", i % 4 ? " " : "\n    ", x);
}

static void put_list(const writer *w, const double *x, size_t n)
{
    fputs(w->form->list[0], w->out);
    for (size_t i = 0; i < n; i++) put_number(w, i, x[i]);
    fputs(w->form->list[1], w->out);
}

/* The rows of a lower triangle, without the zeros. */
static void put_triangle(const writer *w, const double *B, size_t n)
{
    size_t k = 0;
    fputs(w->form->list[0], w->out);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) put_number(w, k++, B[i * n + j]);
    fputs(w->form->list[1], w->out);
}

/* Columns first .. first + k - 1 of the rows of FILTER_STEPS. */
static void put_columns(const writer *w, size_t first, size_t k)
{
    const noise_filter *f = w->p->filter;
    size_t row = 3 * f->n + 1;
    fputs(w->form->list[0], w->out);
    for (size_t i = 0; i < w->p->steps * k; i++)
        put_number(w, i, f->coef[i / k * row + first + i % k]);
    fputs(w->form->list[1], w->out);
}

static void put_about(const writer *w)
{
    for (const char *line = w->p->about; *line;) {
        size_t n = strcspn(line, "\n");
        fprintf(w->out, "%s%s%.*s\n", w->form->comment, n ? " " : "", (int)n, line);
        line += n + (line[n] == '\n');
    }
}

static void put_test(const writer *w)
{
    const char *const *pair = w->form->pair;
    for (size_t i = 0; i < w->test.n; i++)
        fprintf(w->out, "    %s%zu%s%.17g%s%.17g%s,\n", pair[0], w->test.at[i].t, pair[1],
                w->test.at[i].z[0], pair[1], w->test.at[i].z[1], pair[2]);
}

static void put_coef(const writer *w)
{
    const noise_filter *f = w->p->filter;
    if (w->kind == EXPORT_ROWS)
        put_triangle(w, f->coef, f->n);
    else if (w->kind == EXPORT_STEPS)
        put_columns(w, 1, f->n);
    else
        put_list(w, f->coef, f->n);
}

static void put_steps(const writer *w) { fprintf(w->out, "%zu", w->p->steps); }
static void put_sigma(const writer *w) { fprintf(w->out, "%.17g", w->p->sigma); }
static void put_gain(const writer *w) { fprintf(w->out, "%.17g", w->gain); }
static void put_memory(const writer *w) { fprintf(w->out, "%zu", w->memory); }
static void put_test_steps(const writer *w) { fprintf(w->out, "%zu", w->test.steps); }

static void put_batch(const writer *w)
{
    fprintf(w->out, "%.0f", isnan(w->p->batch) ? 1 : w->p->batch);
}

static void put_added(const writer *w)
{
    fputs(isnan(w->p->batch) ? "the sum" : "the mean", w->out);
}

/* Of a BLT: its decays stand first, then its scales. */
static void put_scale(const writer *w)
{
    put_list(w, w->p->filter->coef + w->p->filter->n, w->p->filter->n);
}

/* A row of FILTER_STEPS: the gain, then k each of decay, out and in. */
static void put_gains(const writer *w) { put_columns(w, 0, 1); }
static void put_out(const writer *w) { put_columns(w, 1 + w->memory, w->memory); }
static void put_in(const writer *w) { put_columns(w, 1 + 2 * w->memory, w->memory); }

static const struct {
    const char *name;
    void (*put)(const writer *w);
} NAMES[] = {
    {"ABOUT", put_about},   {"COEF", put_coef},
    {"SCALE", put_scale},   {"GAIN", put_gain},
    {"GAINS", put_gains},   {"OUT", put_out},
    {"IN", put_in},         {"STEPS", put_steps},
    {"SIGMA", put_sigma},   {"BATCH", put_batch},
    {"ADDED", put_added},   {"TEST", put_test},
    {"MEMORY", put_memory}, {"TEST_STEPS", put_test_steps},
};

/* What stands behind an @: a name and another @, or anything else. */
static size_t put_name(const writer *w, const char *text)
{
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        size_t n = strlen(NAMES[i].name);
        if (strncmp(text, NAMES[i].name, n) != 0 || text[n] != '@') continue;
        NAMES[i].put(w);
        return n + 1;
    }
    fputc('@', w->out);
    return 0;
}

static void fill(const writer *w, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "@");
        fwrite(text, 1, n, w->out);
        text += n;
        if (*text) text += 1 + put_name(w, text + 1);
    }
}

/* ---- the program ----------------------------------------------------------------------------- */

/* A filter without memory is a factor. */
static void find_kind(writer *w)
{
    static const export_kind KINDS[] = {
        [FILTER_NONE] = EXPORT_WHITE,      [FILTER_BUFFERS] = EXPORT_BUFFERS,
        [FILTER_OUTPUTS] = EXPORT_OUTPUTS, [FILTER_INPUTS] = EXPORT_INPUTS,
        [FILTER_ROWS] = EXPORT_ROWS,       [FILTER_STEPS] = EXPORT_STEPS,
    };
    const noise_filter *f = w->p->filter;
    w->kind = KINDS[f->kind];
    w->gain = 1;
    w->memory = f->rows;
    if (f->rows == 0) {
        if (f->kind != FILTER_NONE)
            w->gain = f->kind == FILTER_OUTPUTS ? 1 / f->coef[0] : f->coef[0];
        w->kind = EXPORT_WHITE;
    } else if (w->kind == EXPORT_INPUTS || w->kind == EXPORT_ROWS)
        w->memory = f->n; /* the present step has a place too */
}

finf_status export_write(export_language language, const export_program *p, FILE *out,
                         finf_reason *why)
{
    static const export_template *const FORMS[] = {[EXPORT_C] = &export_c,
                                                   [EXPORT_NUMPY] = &export_numpy,
                                                   [EXPORT_TORCH] = &export_torch,
                                                   [EXPORT_JAX] = &export_jax};
    writer w = {.p = p, .form = FORMS[language], .out = out};
    finf_status s = make_test(p, &w.test, why);
    if (!s) {
        find_kind(&w);
        fill(&w, w.form->head);
        fill(&w, w.form->coef[w.kind]);
        fill(&w, w.form->filter[w.kind]);
        fill(&w, w.form->tail);
    }
    free(w.test.at);
    return s;
}
