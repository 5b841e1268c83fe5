#include "draw.h"

#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "memory.h"
#include "plot_document.h"

/* The axis to draw against: the one with most values among those of numbers. NULL: none. */
static const points_axis *drawn_axis(const points_shape *shape)
{
    const points_axis *best = NULL;
    for (size_t i = 0; i < shape->axes; i++)
        if (shape->axis[i].numbers && (!best || shape->axis[i].n > best->n)) best = &shape->axis[i];
    return best;
}

/* Does the command read every --noise itself? */
static int several_noises(const command *c)
{
    const option_id *id = c->ranges;
    while (id && *id != OPT_END && *id != OPT_NOISE) id++;
    return id && *id == OPT_NOISE;
}

/* "linreg, spectrum power:1, dim 128": the options that are the same for the whole plot. */
static void put_fixed(const args *a, const points_shape *shape, int own, FILE *out)
{
    static const option_id LEFT_OUT[] = {
        OPT_PLOT,    OPT_FORMAT,         OPT_JSON,    OPT_CSV,      OPT_OUTPUT,
        OPT_QUIET,   OPT_PRECISION,      OPT_THREADS, OPT_PROGRESS, OPT_SAVE,
        OPT_VERBOSE, OPT_HEADER_COMMENT, OPT_SHOW};
    fputs(a->command->name, out);
    for (int i = 0; i < OPT_COUNT; i++) {
        option_info o = option_get((option_id)i, a->command);
        int shown = a->value[i] != NULL;
        for (size_t k = 0; k < sizeof LEFT_OUT / sizeof *LEFT_OUT; k++)
            shown &= LEFT_OUT[k] != (option_id)i;
        for (size_t k = 0; k < shape->axes; k++) shown &= shape->axis[k].id != (option_id)i;
        /* curves are named after these, where a command reads several noises itself */
        if (own || several_noises(a->command)) shown &= i != OPT_NOISE && i != OPT_SYSTEM;
        if (shown) fprintf(out, ", %s%s%.60s", o.name, *a->value[i] ? " " : "", a->value[i]);
    }
}

/* The whole command line, or what of it is fixed; owned by the caller. NULL: no memory. */
static char *text_of(const args *a, const points_shape *shape, int own, int whole)
{
    memory_file m = {0};
    FILE *f = memory_open(&m);
    if (!f) return NULL;
    if (whole)
        args_print(a, f);
    else
        put_fixed(a, shape, own, f);
    fclose(f);
    if (!m.failed) return m.text;
    free(m.text);
    return NULL;
}

/* The keys of a list between commas, which is cut into them; `room` at most. */
static void split(char *list, const char **out, size_t room)
{
    size_t n = 0;
    for (char *rest, *key = strtok_r(list, ",", &rest); key && n < room;
         key = strtok_r(NULL, ",", &rest))
        out[n++] = key;
}

/* Of alternatives between bars the first that the doc has; the list is cut there. */
static const char *first_there(char *key, const doc *d)
{
    for (char *rest, *one = strtok_r(key, "|", &rest); one; one = strtok_r(NULL, "|", &rest)) {
        size_t n;
        double *column = doc_column(d, one, &n);
        int there = column != NULL;
        free(column);
        if (there) return one;
    }
    return key;
}

/* The range that a command reads itself, as if it were one of the table's. */
static points_axis own_axis(const args *a)
{
    for (const option_id *id = a->command->ranges; id && *id != OPT_END; id++) {
        const char *text = a->value[*id];
        if (*id != OPT_NOISE && text && strpbrk(text, ":,"))
            return (points_axis){*id, option_get(*id, a->command).key, 1, 2,
                                 strstr(text, ":log:") != NULL};
    }
    return (points_axis){.key = NULL};
}

finf_status draw_check(const args *a, finf_reason *why)
{
    if (!args_given(a, OPT_PLOT)) return FINF_OK;
    const char *path = args_text(a, OPT_PLOT), *dot = strrchr(path, '.');
    if (!dot || strcmp(dot, ".svg") != 0)
        return finf_why(why, FINF_EUSAGE, "--plot '%.120s': must end in .svg", path);
    return FINF_OK;
}

/* Nothing varies: a range of the option that was given is one that would do, or of one that the
 * command has. */
static finf_status no_range(const args *a, finf_reason *why)
{
    static const struct {
        option_id id;
        const char *range;
    } WOULD_DO[] = {{OPT_ETA, "0.01:0.1:log:20"},
                    {OPT_STEPS, "10:1000:log:20"},
                    {OPT_RHO, "0.1:10:log:20"},
                    {OPT_EPSILON, "1:10:log:20"},
                    {OPT_NOISE, "nu:0.001:0.1:log:20"}};
    size_t i = 0, last = sizeof WOULD_DO / sizeof *WOULD_DO - 1;
    while (i < last && !args_given(a, WOULD_DO[i].id)) i++;
    if (!option_of_command(a->command, WOULD_DO[i].id)) i = 0;
    while (i < last && !option_of_command(a->command, WOULD_DO[i].id)) i++;
    return finf_why(why, FINF_EUSAGE,
                    "--plot draws a table over a range: give one, such as --%s %s",
                    option_get(WOULD_DO[i].id, a->command).name, WOULD_DO[i].range);
}

/* What is drawn, by the options that vary, or as the command says. The texts are cut into keys.
 * FINF_EUSAGE: nothing varies. */
static finf_status request(const args *a, const doc *d, const points_shape *shape, char y[128],
                           char by[256], plot_request *r, finf_reason *why)
{
    const points_axis *x = drawn_axis(shape), read = own_axis(a);
    const doc_drawing *said = doc_drawn(d);
    const doc *own = doc_plotted(d);
    if (!x && read.key) x = &read;
    *r = (plot_request){.x = own       ? "t"
                             : said->x ? said->x
                             : x       ? x->key
                                       : NULL,
                        .x_log = own       ? 1
                                 : said->x ? said->x_log
                                           : x && x->logarithmic};
    if (!r->x) return no_range(a, why);
    snprintf(y, 128, "%s", own ? "F" : said->x ? said->y : a->command->plot);
    split(y, r->y, PLOT_KEYS);
    if (!own) r->y[0] = first_there(y, d); /* a list of alternatives is its first key */
    size_t n = 0;
    if (own) r->by[n++] = "system";
    for (size_t i = 0; i < shape->axes && n < PLOT_KEYS; i++)
        if (&shape->axis[i] != x || own)
            r->by[n++] = shape->axis[i].id == OPT_NOISE ? "noise_given" : shape->axis[i].key;
    const char *also = said->x ? said->by : !own ? a->command->plot_by : NULL;
    snprintf(by, 256, "%s", also ? also : "");
    split(by, r->by + n, PLOT_KEYS - n);
    return FINF_OK;
}

/* Coefficients against t: a curve for each noise, and for whatever else varies. */
static finf_status request_arrays(const doc *lines, const char *key, const points_shape *shape,
                                  plot_request *r, finf_reason *why)
{
    size_t n = 0;
    if (doc_rows(lines) == 0)
        return finf_why(why, FINF_EUSAGE,
                        "--plot draws the coefficients after the first: give a --length of 2 or "
                        "more");
    *r = (plot_request){.x = "t", .x_log = 1, .y = {key}, .x_label = "lag t"};
    r->by[n++] = "noise";
    for (size_t i = 0; i < shape->axes && n < PLOT_KEYS; i++)
        if (shape->axis[i].id != OPT_NOISE) r->by[n++] = shape->axis[i].key;
    return FINF_OK;
}

finf_status draw(const args *a, const doc *d, const points_shape *shape, FILE *out,
                 finf_reason *why)
{
    char y[128], by[256];
    plot_request r;
    const doc *own = doc_plotted(d);
    const char *array = doc_array_key(d);
    doc *lines = array ? doc_unrolled(d, array) : NULL;
    finf_status s = array && (!lines || doc_failed(lines)) ? finf_why(why, FINF_ENOMEM, "no memory")
                    : array ? request_arrays(lines, array, shape, &r, why)
                            : request(a, d, shape, y, by, &r, why);
    if (s) {
        doc_free(lines);
        return s;
    }
    char *fixed = text_of(a, shape, own != NULL, 0), *line = text_of(a, shape, own != NULL, 1);
    if (!fixed || !line) s = finf_why(why, FINF_ENOMEM, "no memory");
    r.subtitle = fixed;
    r.command = line;
    if (own) {
        r.title = "E[F(theta_t) - F*] against the step t";
        r.x_label = "step t";
        r.y_label = "E[F(theta_t) - F*]";
    }
    if (!s) s = plot_document(lines ? lines : own ? own : d, &r, out, why);
    doc_free(lines);
    free(fixed);
    free(line);
    return s;
}
