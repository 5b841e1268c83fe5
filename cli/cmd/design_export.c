/* --export of `design`: which family, and what the program says of itself. */
#include "design_export.h"

#include <stdlib.h>

#include "design_file.h"
#include "export.h"

#define STREAMABLE 64 /* vectors of state that a noise may need to be chosen before others */

finf_status design_export_check(const args *a, finf_reason *why)
{
    if (!args_given(a, OPT_EXPORT)) return FINF_OK;
    if (a->is_point)
        return finf_why(why, FINF_EUSAGE, "--export is of one run: no ranges beside it");
    if (args_given(a, OPT_FORMAT) || args_given(a, OPT_JSON) || wants_npy(a))
        return finf_why(why, FINF_EUSAGE,
                        "--export writes a program in the place of the table: no --format, --json "
                        "or .npy beside it");
    return FINF_OK;
}

/* ---- which ----------------------------------------------------------------------------------- */

static const finf_noise *noise_of(const design_row *row)
{
    return row->r.noise ? row->r.noise : row->given;
}

/* Vectors of state; INFINITY where the noise has no end and no recursion, or was not found. */
static finf_status find_state(const design_row *row, size_t steps, double *state, finf_reason *why)
{
    noise_filter f;
    finf_reason endless;
    *state = row->done ? (double)steps - 1 : INFINITY;
    if (row->r.recursion) *state = (double)row->r.memory;
    if (!row->done || !noise_of(row)) return FINF_OK;
    finf_status s = noise_filter_make(noise_of(row), steps, &f, &endless);
    if (s == FINF_ENOMEM) return finf_why(why, s, "no memory");
    *state = s ? INFINITY : (double)f.rows;
    noise_filter_free(&f);
    return FINF_OK;
}

/* The least loss of those with little state; where none has little, of all that can be drawn. */
static const design_row *choose(const design_list *list, const double *state)
{
    for (int any = 0; any < 2; any++) {
        const design_row *best = NULL;
        for (size_t i = 0; i < list->n; i++) {
            const design_row *row = &list->all[i];
            if (state[i] > (any ? FINF_SYSTEM_MAX : STREAMABLE) || !isfinite(row->r.sigma))
                continue;
            if (!best || row->r.loss.value < best->r.loss.value) best = row;
        }
        if (best) return best;
    }
    return NULL;
}

/* ---- what it says ---------------------------------------------------------------------------- */

/* What all of it is about. */
typedef struct {
    const args *a;
    const design_list *list;
    double *state;         /* vectors, of each of the list */
    const design_row *row; /* the one that is exported */
    size_t steps;
    const setting *privacy;
    const sensitivity *who;
    double least, batch;
} choice;

static void put_families(const choice *c, FILE *out)
{
    for (size_t i = 0; i < c->list->n; i++) {
        const design_row *row = &c->list->all[i];
        if (!row->done) continue;
        fprintf(out, "%s %-12.60s loss %-12.6g", row == c->row ? "->" : "  ", row->name,
                row->r.loss.value);
        if (!isnan(c->least)) fprintf(out, " %.4f times the least", row->r.loss.value / c->least);
        if (isfinite(c->state[i])) fprintf(out, "  vectors of state %.0f", c->state[i]);
        fputc('\n', out);
    }
}

static void put_privacy(const choice *c, FILE *out)
{
    const setting *x = c->privacy;
    const sensitivity *who = c->who;
    fprintf(out, "\nPrivacy: rho = %.10g (zCDP)", x->set.rho);
    if (!isnan(x->epsilon))
        fprintf(out, ", that is epsilon = %s at delta = %s", finf_show(x->epsilon).s,
                finf_show(x->delta).s);
    fprintf(out, ", zero-out adjacency,\nfor ");
    if (c->steps)
        fprintf(out, "%zu steps", c->steps);
    else
        fprintf(out, "any number of steps");
    if (isnan(who->k) || who->k == 1)
        fprintf(out, " in which a user takes part once.\n");
    else
        fprintf(out, " in which a user takes part at most %.0f times, %s %.0f steps apart.\n",
                who->k, who->fixed_order ? "exactly" : "at least", who->b);
    fprintf(out,
            "Every gradient is clipped to the norm %s: sigma = %s sqrt(sens2/(2 rho)), where\n"
            "sens2 = %.10g is the squared sensitivity. Nothing is gained by sampling.\n",
            finf_show(x->set.clip).s, finf_show(x->set.clip).s, c->row->r.sens2.value);
    if (isnan(c->batch))
        fprintf(out, "Add the noise to the SUM of the clipped gradients of a step.\n");
    else
        fprintf(out, "Add the noise to the MEAN of the clipped gradients of a step, over %.0f.\n",
                c->batch);
}

static finf_status about(const choice *c, memory_file *text, finf_reason *why)
{
    FILE *out = memory_open(text);
    if (!out) return finf_why(why, FINF_ENOMEM, "no memory");
    fputs("Correlated noise for private training, written by finf " FINF_VERSION ":\n", out);
    finf_status s = design_file_command(c->a, "", out, why);
    put_families(c, out);
    put_privacy(c, out);
    if (fclose(out) != 0 || text->failed) s = finf_why(why, FINF_ENOMEM, "no memory");
    return s;
}

/* ---- the program, as it is printed ----------------------------------------------------------- */

static int put_program(void *data, doc_format format, FILE *out)
{
    const memory_file *program = data;
    (void)format;
    fwrite(program->text, 1, program->size, out);
    return 1;
}

static int no_state(void *data, FILE *out)
{
    (void)data;
    (void)out;
    return 1;
}

static void release(void *data)
{
    memory_file *program = data;
    free(program->text);
    free(program);
}

/* Into memory first: what is printed is whole. */
static finf_status show_program(export_language language, const export_program *p, doc *d,
                                finf_reason *why)
{
    static const doc_writer WRITER = {put_program, no_state, release};
    memory_file *text = calloc(1, sizeof *text);
    FILE *out = text ? memory_open(text) : NULL;
    finf_status s = out ? export_write(language, p, out, why) : FINF_ENOMEM;
    if (out && (fclose(out) != 0 || text->failed)) s = FINF_ENOMEM;
    if (!s) {
        doc_written_by(d, &WRITER, text);
        return FINF_OK;
    }
    if (text) release(text);
    return s == FINF_ENOMEM ? finf_why(why, s, "no memory for the program") : s;
}

/* A matrix too large for a program is refused before it is copied. */
static finf_status make_filter(const design_row *row, size_t steps, noise_filter *f,
                               finf_reason *why)
{
    const finf_noise *noise = noise_of(row);
    if (noise) return noise_filter_make(noise, steps, f, why);
    if (row->r.recursion)
        return noise_filter_recursion(row->r.recursion, steps, row->r.memory, f, why);
    if (steps > EXPORT_MATRIX_MOST)
        return finf_why(why, FINF_EDOM,
                        "a matrix of %zu steps in a program: at most %d; --save it, for 'finf "
                        "noise --design'",
                        steps, EXPORT_MATRIX_MOST);
    double *B = malloc(steps * steps * sizeof *B);
    finf_status s = B ? finf_system_noising(row->r.system, NULL, B, why)
                      : finf_why(why, FINF_ENOMEM, "no memory");
    if (!s) s = noise_filter_matrix(B, steps, f, why);
    free(B);
    return s;
}

static finf_status write_choice(const choice *c, doc *d, finf_reason *why)
{
    noise_filter filter = {0};
    memory_file text = {0};
    int language = 0;
    finf_status s = args_choice(c->a, OPT_EXPORT, &language, why);
    if (!s) s = make_filter(c->row, c->steps, &filter, why);
    if (!s) s = about(c, &text, why);
    export_program p = {.about = text.text,
                        .filter = &filter,
                        .steps = c->steps,
                        .sigma = c->row->r.sigma,
                        .batch = c->batch};
    if (!s) s = show_program((export_language)language, &p, d, why);
    noise_filter_free(&filter);
    free(text.text);
    return s;
}

finf_status design_export(const args *a, const design_list *list, size_t steps,
                          const setting *privacy, const sensitivity *who, double least,
                          finf_status sought, doc *d, finf_reason *why)
{
    choice c = {a, list, NULL, NULL, steps, privacy, who, least, NAN};
    finf_status s = args_whole(a, OPT_BATCH, 1, 1e15, &c.batch, why);
    if (!s && !(c.state = malloc(list->n * sizeof *c.state)))
        s = finf_why(why, FINF_ENOMEM, "no memory");
    for (size_t i = 0; i < list->n && !s; i++)
        s = find_state(&list->all[i], steps, &c.state[i], why);
    if (!s && !(c.row = choose(list, c.state)))
        s = finf_why(why, FINF_EDOM,
                     "--export: none of the families can be drawn without a horizon: give --steps, "
                     "or --family blt:..");
    if (!s) s = write_choice(&c, d, why);
    free(c.state);
    return s ? s : sought;
}
