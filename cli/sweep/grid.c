/* A grid of jobs in TOML: tables [[grid]], each with a command and its options. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "closest.h"
#include "jobs_items.h"
#include "points.h"
#include "toml.h"

void grid_free(grid *g)
{
    for (size_t k = 0; k < g->count; k++) {
        points_noises_free(g->axes[k].value, g->axes[k].counted ? 0 : g->axes[k].n);
        free(g->axes[k].option);
    }
    free(g->axes);
    free(g->command);
}

static finf_status no_memory(finf_reason *why)
{
    return finf_why(why, FINF_ENOMEM, "no memory for the jobs");
}

/* ---- one key --------------------------------------------------------------------------------- */

/* Appends n texts, which are taken, to an axis. */
static finf_status append(grid_axis *x, char **texts, size_t n, finf_reason *why)
{
    char **value = realloc(x->value, (x->n + n) * sizeof *value);
    if (!value) {
        points_noises_free(texts, n);
        return no_memory(why);
    }
    x->value = value;
    memcpy(value + x->n, texts, n * sizeof *texts);
    x->n += n;
    free(texts);
    return FINF_OK;
}

/* true, false: of an option without a value, there or not. */
static finf_status add_flag(grid_axis *x, int there, finf_reason *why)
{
    if (x->counted) {
        x->n++;
        return FINF_OK;
    }
    char **one = malloc(sizeof *one);
    if (!one) return no_memory(why);
    *one = there ? strdup("") : NULL;
    if (there && !*one) {
        free(one);
        return no_memory(why);
    }
    return append(x, one, 1, why);
}

/* A value: of a range all that it stands for. */
static finf_status add_text(grid_axis *x, const command *c, option_id id, const char *text,
                            finf_reason *why)
{
    char **texts = NULL;
    size_t n = 0;
    finf_status s = x->counted ? points_count(c, id, text, &n, why)
                               : points_values(c, id, text, &texts, &n, why);
    if (x->counted) {
        x->n += n;
        return s;
    }
    if (s) {
        points_noises_free(texts, n);
        return s;
    }
    return append(x, texts, n, why);
}

static finf_status add_value(grid_axis *x, const command *c, option_id id, const toml_value *v,
                             finf_reason *why)
{
    option_info o = option_get(id, c);
    if (x->operand) o = (option_info){.name = x->option + 2, .argument = ""};
    int flag = v->type == TOML_TRUE || v->type == TOML_FALSE;
    if (flag != !o.argument)
        return finf_why(why, FINF_EUSAGE, "--%s %s", o.name,
                        flag ? "needs a value, not true or false"
                             : "takes no value: it is true or false");
    if (!flag && jobs_reads_stdin(v->text))
        return finf_why(why, FINF_EUSAGE, "'%.60s': a job cannot read standard input", v->text);
    if (!flag && !*v->text)
        return finf_why(why, FINF_EUSAGE, "--%s: an empty string is no value", o.name);
    return flag ? add_flag(x, v->type == TOML_TRUE, why) : add_text(x, c, id, v->text, why);
}

/* The option of this name, if the command has it and jobs may. */
static finf_status find_option(const grid *g, const command *c, const char *name, option_id *out,
                               finf_reason *why)
{
    option_id id = option_find(name, strlen(name));
    char operand[64];
    int is_operand = jobs_operand(c, operand) && strcmp(name, operand) == 0;
    *out = is_operand ? OPT_END : id;
    if (!is_operand && (id == OPT_END || !option_of_command(c, id))) {
        closest near = closest_to(name, strlen(name));
        for (const option_use *u = c->options; u->id != OPT_END; u++)
            if (jobs_may_have(u->id)) closest_try(&near, option_get(u->id, c).name);
        return finf_why(why, FINF_EUSAGE, "%s has no option '%.60s'%s", c->name, name,
                        closest_say(&near, "").text);
    }
    if (!is_operand && !jobs_may_have(id))
        return finf_why(why, FINF_EUSAGE,
                        "--%s is not for a job, whose answer goes to the database", name);
    for (size_t k = 0; k < g->count; k++)
        if (strcmp(g->axes[k].option + 2, name) == 0)
            return finf_why(why, FINF_EUSAGE, "'%s' is given twice", name);
    return FINF_OK;
}

/* An option of the grid with all its values. */
static finf_status add_axis(grid *g, const command *c, const toml *t, finf_reason *why)
{
    option_id id;
    finf_status s = find_option(g, c, t->word, &id, why);
    if (s) return s;
    if (g->count == JOB_WORDS / 2 - 1)
        return finf_why(why, FINF_EUSAGE, "more than %d options", JOB_WORDS / 2 - 1);
    grid_axis *axes = realloc(g->axes, (g->count + 1) * sizeof *axes);
    if (!axes) return no_memory(why);
    g->axes = axes;
    grid_axis *x = &axes[g->count++];
    size_t size = strlen(t->word) + 3;
    *x = (grid_axis){.option = malloc(size), .operand = id == OPT_END, .counted = g->counted};
    if (!x->option) return no_memory(why);
    snprintf(x->option, size, "--%s", t->word);
    for (size_t i = 0; i < t->n && !s; i++) s = add_value(x, c, id, &t->values[i], why);
    return s;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* A new grid, without a command yet. */
static finf_status add_grid(jobs *j, const toml *t, int counted, finf_reason *why)
{
    if (strcmp(t->word, "grid") != 0)
        return finf_why(why, FINF_EPARSE, "[[%s]]: only [[grid]] is known", t->word);
    grid *grids = realloc(j->grids, (j->count + 1) * sizeof *grids);
    if (!grids) return no_memory(why);
    j->grids = grids;
    grids[j->count++] = (grid){.line = t->line, .n = 1, .counted = counted};
    return FINF_OK;
}

/* command = "..": before the options, as these are checked against it. */
static finf_status read_command(jobs *j, grid *g, const toml *t, const command **c,
                                finf_reason *why)
{
    if (t->n != 1 || t->values[0].type != TOML_STRING)
        return finf_why(why, FINF_EPARSE, "command: one string is expected");
    if (g->command) return finf_why(why, FINF_EUSAGE, "'command' is given twice");
    g->command = strdup(t->values[0].text);
    if (!g->command) return no_memory(why);
    return jobs_command(j, g->command, 0, c, why);
}

static finf_status read_key(jobs *j, const toml *t, const command **c, finf_reason *why)
{
    if (!j->count) return finf_why(why, FINF_EPARSE, "'%s' before the first [[grid]]", t->word);
    grid *g = &j->grids[j->count - 1];
    if (strcmp(t->word, "command") == 0) return read_command(j, g, t, c, why);
    if (!g->command)
        return finf_why(why, FINF_EUSAGE, "'%s' before command: a grid begins with its command",
                        t->word);
    return add_axis(g, *c, t, why);
}

/* How many jobs, which may be far more than can be counted by a size_t. */
static finf_status count(jobs *j, finf_reason *why)
{
    double all = 0;
    for (size_t i = 0; i < j->count; i++) {
        grid *g = &j->grids[i];
        double n = 1;
        if (!g->command) {
            finf_why(why, FINF_EUSAGE, "a grid without a command");
            return jobs_at_line(j, g->line, FINF_EUSAGE, why);
        }
        for (size_t k = 0; k < g->count; k++) n *= (double)g->axes[k].n;
        g->first = all <= JOBS_MAX ? (size_t)all : 0;
        g->n = n <= JOBS_MAX ? (size_t)n : 0;
        all += n;
    }
    if (all > JOBS_MAX)
        return finf_why(why, FINF_EDOM, "'%.120s' has %.15g jobs: at most %d", j->path, all,
                        JOBS_MAX);
    j->n = (size_t)all;
    return FINF_OK;
}

static finf_status read_grids(jobs *j, const char *text, int counted, finf_reason *why)
{
    toml t = {.name = j->path, .at = text, .line = 1};
    toml_kind kind = TOML_END;
    const command *c = NULL;
    finf_status s;
    do {
        s = toml_next(&t, &kind, why);
        if (s || kind == TOML_END) break;
        s = kind == TOML_TABLE ? add_grid(j, &t, counted, why) : read_key(j, &t, &c, why);
        if (s) jobs_at_line(j, t.line, s, why);
    } while (!s);
    toml_free(&t);
    return s ? s : count(j, why);
}

/* The text is read twice: what has too many jobs is refused before their values are made. */
finf_status grid_read(jobs *j, const char *text, finf_reason *why)
{
    finf_status s = read_grids(j, text, 1, why);
    if (s) return s;
    for (size_t i = 0; i < j->count; i++) grid_free(&j->grids[i]);
    j->count = 0;
    return read_grids(j, text, 0, why);
}
