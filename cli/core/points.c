#include "points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "cmd.h"
#include "sweep.h"

#define POINTS_MAX 1000000 /* answers of one command line */

/* The values of one option, as texts. */
typedef struct {
    option_id id;
    char **text;
    size_t n, room;
    int logarithmic, numbers; /* of a noise: the nu of one family */
    int counted;              /* n alone is wanted, and no text is made */
} axis;

typedef struct {
    sweep_row end;
    doc *d;
} point;

typedef struct {
    const args *a;
    axis axes[POINTS_AXES];
    size_t count; /* axes */
    size_t n;     /* points */
    point *points;
} job;

/* ---- what varies ----------------------------------------------------------------------------- */

static finf_status add_value(axis *x, const char *text, size_t length, finf_reason *why)
{
    if (x->counted) {
        x->n++;
        return FINF_OK;
    }
    if (x->n == x->room) {
        size_t more = x->room ? 2 * x->room : 16;
        char **texts = realloc(x->text, more * sizeof *texts);
        if (!texts) return finf_why(why, FINF_ENOMEM, "no memory");
        x->text = texts;
        x->room = more;
    }
    x->text[x->n] = strndup(text, length);
    if (!x->text[x->n]) return finf_why(why, FINF_ENOMEM, "no memory");
    x->n++;
    return FINF_OK;
}

/* `before`, then each number of a list or range. Whole numbers: the ends of a range must be whole
 * by themselves, which the command checks; what is between them is rounded, each value once. */
static finf_status add_numbers(axis *x, const char *before, const char *numbers, int whole,
                               finf_reason *why)
{
    double *list = NULL, last = NAN;
    size_t n = 0;
    char name[48], text[96];
    int range = strchr(numbers, ':') != NULL;
    snprintf(name, sizeof name, "%s", *before ? "nu" : option_get(x->id, NULL).name);
    if (x->counted && !(whole && range)) return args_numbers_count(numbers, name, &x->n, why);
    finf_status s = args_numbers(numbers, name, &list, &n, why);
    for (size_t i = 0; i < n && !s; i++) {
        double v = whole && range && i > 0 && i + 1 < n ? round(list[i]) : list[i];
        if (whole && range && v == last) continue;
        last = v;
        int length = snprintf(text, sizeof text, "%s%s", before, finf_show(v).s);
        s = add_value(x, text, (size_t)length, why);
    }
    x->logarithmic = range && strstr(numbers, ":log:") != NULL;
    free(list);
    return s;
}

/* A noise whose nu is a range or a list is one for each. power:P,V is no list. */
static finf_status add_noise(axis *x, const char *text, finf_reason *why)
{
    static const char *const FAMILIES[] = {"nu:", "antipgd:"};
    if (spec_is_several(text))
        return finf_why(why, FINF_EPARSE, "noise '%.60s': for several noises repeat --noise", text);
    for (size_t i = 0; i < 2; i++) {
        size_t length = strlen(FAMILIES[i]);
        if (strncmp(text, FAMILIES[i], length) == 0 && strpbrk(text + length, ":,"))
            return add_numbers(x, FAMILIES[i], text + length, 0, why);
    }
    return add_value(x, text, strlen(text), why);
}

finf_status points_noises(const char *text, char ***out, size_t *n, finf_reason *why)
{
    return points_values(NULL, OPT_NOISE, text, out, n, why);
}

static finf_status add_option(axis *x, const command *c, const char *text, finf_reason *why)
{
    option_info o = option_get(x->id, c);
    int numbers = o.key && !o.repeats && strpbrk(text, ":,");
    return x->id == OPT_NOISE ? add_noise(x, text, why)
           : numbers          ? add_numbers(x, "", text, o.whole, why)
                              : add_value(x, text, strlen(text), why);
}

finf_status points_values(const command *c, option_id id, const char *text, char ***out, size_t *n,
                          finf_reason *why)
{
    axis x = {.id = id};
    finf_status s = add_option(&x, c, text, why);
    *out = x.text;
    *n = x.n;
    return s;
}

finf_status points_count(const command *c, option_id id, const char *text, size_t *n,
                         finf_reason *why)
{
    axis x = {.id = id, .counted = 1};
    finf_status s = add_option(&x, c, text, why);
    *n = x.n;
    return s;
}

void points_noises_free(char **list, size_t n)
{
    for (size_t i = 0; i < n; i++) free(list[i]);
    free(list);
}

/* Does the command read the ranges of this option itself? */
static int own_range(const command *c, option_id id)
{
    const option_id *o = c->ranges;
    while (o && *o != OPT_END && *o != id) o++;
    return o && *o == id;
}

/* The values of an option; none where it has a single one, as it is. */
static finf_status read_axis(const args *a, option_id id, axis *x, finf_reason *why)
{
    option_info o = option_get(id, a->command);
    finf_status s = FINF_OK;
    *x = (axis){.id = id};
    if (!a->value[id] || !o.key || own_range(a->command, id)) return FINF_OK;
    x->numbers = 1;
    if (!o.repeats)
        return strpbrk(a->value[id], ":,") ? add_numbers(x, "", a->value[id], o.whole, why) : s;
    size_t given = 0;
    for (size_t i = 0; i < a->repeats && !s; i++) {
        const char *text = a->repeated[i].text;
        if (a->repeated[i].id != id) continue;
        given++;
        s = id == OPT_NOISE ? add_noise(x, text, why) : add_value(x, text, strlen(text), why);
    }
    x->numbers = given == 1; /* one noise that is several: of a range of nu */
    return s;
}

/* The key of an axis: that of its option, or of the nu that alone varies. */
static const char *key_of(const job *j, const axis *x)
{
    return x->id == OPT_NOISE && x->numbers ? "nu" : option_get(x->id, j->a->command).key;
}

static void free_axis(axis *x) { points_noises_free(x->text, x->n); }

/* Every option that has several values, in the order of the table of options. */
static finf_status read_axes(job *j, finf_reason *why)
{
    j->n = 1;
    for (int i = OPT_END + 1; i < OPT_COUNT; i++) {
        axis x;
        finf_status s = read_axis(j->a, (option_id)i, &x, why);
        /* a range of whole numbers may be a single one, and is a range all the same */
        int several = !s && x.n > (option_get((option_id)i, j->a->command).repeats ? 1 : 0);
        if (several && j->count == POINTS_AXES)
            s = finf_why(why, FINF_EUSAGE, "more than %d options with several values", POINTS_AXES);
        if (s || !several) {
            free_axis(&x);
            if (s) return s;
            continue;
        }
        j->axes[j->count++] = x;
        if (j->n > POINTS_MAX / x.n)
            return finf_why(why, FINF_EDOM, "more than a million answers are asked for");
        j->n *= x.n;
    }
    return FINF_OK;
}

/* ---- the points ------------------------------------------------------------------------------ */

/* Does this option vary? */
static int is_axis(const job *j, option_id id)
{
    for (size_t k = 0; k < j->count; k++)
        if (j->axes[k].id == id) return 1;
    return 0;
}

/* The command line of point i: the last axis fastest. */
static args at(const job *j, size_t i)
{
    args a = *j->a;
    a.is_point = 1;
    a.repeats = 0;
    /* what a command reads itself stays as it was given */
    for (size_t r = 0; r < j->a->repeats; r++)
        if (!is_axis(j, j->a->repeated[r].id)) a.repeated[a.repeats++] = j->a->repeated[r];
    for (size_t k = j->count; k-- > 0;) {
        const axis *x = &j->axes[k];
        a.value[x->id] = x->text[i % x->n];
        i /= x->n;
    }
    return a;
}

static void answer(size_t i, void *ctx)
{
    const job *j = ctx;
    point *p = &j->points[i];
    const args a = at(j, i);
    p->d = doc_new();
    p->end.status = p->d ? a.command->run(&a, p->d, &p->end.why)
                         : finf_why(&p->end.why, FINF_ENOMEM, "no memory");
    p->end.cut = p->end.status && sweep_interrupted(NULL);
    p->end.done = !p->end.cut;
}

/* What varies is in every row, also of a command that does not show it by itself, such as the eta
 * of a noise that is best for it: a row would else not say which one it is of. A noise has a name
 * in every command. */
static void show_place(doc *to, const job *j, size_t i, size_t row)
{
    const args a = at(j, i);
    for (size_t k = 0; k < j->count; k++) {
        option_id id = j->axes[k].id;
        const char *key = key_of(j, &j->axes[k]);
        if (id == OPT_NOISE || doc_at(j->points[i].d, row, key).kind != CELL_EMPTY) continue;
        if (option_get(id, a.command).repeats)
            doc_string(to, key, DATA_ONLY, a.value[id], NULL);
        else
            doc_number(to, key, DATA_ONLY, strtod(a.value[id], NULL), NULL);
    }
}

/* One record after the other. A doc that memory ran out for is not whole, and neither is the table.
 */
static void join(doc *to, const job *j, size_t i)
{
    const doc *from = j->points[i].d;
    if (doc_failed(from)) {
        doc_fail(to);
        return;
    }
    for (size_t r = 0; r < doc_rows(from); r++) {
        doc_row(to);
        show_place(to, j, i, r);
        doc_copy(to, from, r);
    }
}

static void note_done(size_t i, void *ctx)
{
    (void)i;
    *(int *)ctx = 1;
}

static void join_done(size_t i, void *ctx)
{
    void **both = ctx;
    point *p = &((job *)both[0])->points[i];
    join(both[1], both[0], i);
    doc_free(p->d); /* of a million points all twice would be much */
    p->d = NULL;
}

/* What varies; the noise, and what it was given as, where that was resolved; then what the command
 * has for a table. */
static void choose_columns(const job *j, doc *d)
{
    char keys[512];
    size_t n = 0;
    int resolved = args_given(j->a, OPT_NOISE) && needs_problem(args_text(j->a, OPT_NOISE));
    for (size_t k = 0; k < j->count && n < sizeof keys; k++)
        n += (size_t)snprintf(keys + n, sizeof keys - n, "%s%s", n ? "," : "",
                              key_of(j, &j->axes[k]));
    if (n < sizeof keys)
        snprintf(keys + n, sizeof keys - n, ";%snoise_given,%s", resolved ? "noise," : "",
                 j->a->command->columns ? j->a->command->columns : "");
    doc_columns(d, keys);
}

static finf_status run_all(job *j, doc *d, finf_reason *why)
{
    if (args_given(j->a, OPT_SAVE))
        return finf_why(why, FINF_EUSAGE, "--save keeps one noise: give single values");
    j->points = calloc(j->n, sizeof *j->points);
    if (!j->points) return finf_why(why, FINF_ENOMEM, "no memory");
    int interrupted = sweep_run(j->n, answer, j);
    finf_status s = sweep_outcome(j->points, j->n, sizeof *j->points, interrupted, why);
    if (s && s != FINF_ETOL) return s;
    int any = 0;
    sweep_show(j->points, j->n, sizeof *j->points, note_done, &any);
    if (!any) return s;
    doc_heading(d, j->a->command->summary);
    sweep_show(j->points, j->n, sizeof *j->points, join_done, (void *[]){j, d});
    choose_columns(j, d);
    return s;
}

/* A single answer. Of a command that shows what there is when it is stopped, Ctrl-C is for it. */
typedef struct {
    const args *a;
    doc *d;
    finf_status status;
    finf_reason why;
} single;

static void answer_single(size_t unused, void *ctx)
{
    (void)unused;
    single *x = ctx;
    x->status = x->a->command->run(x->a, x->d, &x->why);
}

static finf_status run_single(const args *a, doc *d, finf_reason *why)
{
    single x = {.a = a, .d = d};
    int interrupted = 0;
    if (a->command->stoppable)
        interrupted = sweep_run(1, answer_single, &x);
    else
        answer_single(0, &x);
    int said = strncmp(x.why.text, "interrupted", 11) == 0;
    if (x.status && interrupted && !said)
        return finf_why(why, FINF_ETOL, "interrupted%s%.200s", x.why.text[0] ? ": " : "",
                        x.why.text);
    if (x.status) *why = x.why;
    return x.status;
}

finf_status points_run(const args *a, doc *d, points_shape *shape, finf_reason *why)
{
    job j = {.a = a};
    *shape = (points_shape){.axes = 0};
    finf_status s = check_stdin(a, why);
    if (!s) s = read_axes(&j, why);
    if (!s) s = j.count == 0 ? run_single(a, d, why) : run_all(&j, d, why);
    for (size_t i = 0; j.points && i < j.n; i++) doc_free(j.points[i].d);
    free(j.points);
    for (size_t k = 0; k < j.count; k++) {
        if (!s || s == FINF_ETOL)
            shape->axis[shape->axes++] = (points_axis){j.axes[k].id, key_of(&j, &j.axes[k]),
                                                       j.axes[k].numbers, j.axes[k].n,
                                                       j.axes[k].logarithmic};
        free_axis(&j.axes[k]);
    }
    return s;
}

finf_status points_check_single(const args *a, finf_reason *why)
{
    job j = {.a = a};
    finf_status s = check_stdin(a, why);
    if (!s) s = read_axes(&j, why);
    if (!s && j.count)
        s = finf_why(why, FINF_EUSAGE, "--%s has several values, where one answer is asked for",
                     option_get(j.axes[0].id, a->command).name);
    for (size_t k = 0; k < j.count; k++) free_axis(&j.axes[k]);
    return s;
}

finf_status points_single(const args *a, doc *d, finf_reason *why)
{
    args one = *a;
    one.is_point = 1;
    finf_status s = points_check_single(a, why);
    return s ? s : a->command->run(&one, d, why);
}
