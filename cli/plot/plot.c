/* Filling a plot: strings and data are copied in. */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

/* Copies of a string and of n numbers; NULL for NULL, or without memory, which the plot notes. */
static char *copy(plot *p, const char *s)
{
    char *c = s ? strdup(s) : NULL;
    if (s && !c) p->failed = 1;
    return c;
}

static double *keep(plot *p, const double *x, size_t n)
{
    if (!x) return NULL;
    double *c = calloc(n ? n : 1, sizeof *c);
    if (!c)
        p->failed = 1;
    else if (n)
        memcpy(c, x, n * sizeof *c);
    return c;
}

plot *plot_new(const char *title, const char *subtitle, plot_axis x, plot_axis y)
{
    plot *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->x = x.scale;
    p->y = y.scale;
    p->title = copy(p, title);
    p->subtitle = copy(p, subtitle);
    p->x_label = copy(p, x.label);
    p->y_label = copy(p, y.label);
    p->x_key = copy(p, x.key ? x.key : x.label);
    p->y_key = copy(p, y.key ? y.key : y.label);
    return p;
}

static void release(series *s)
{
    free(s->name);
    free(s->label);
    free(s->x);
    free(s->y);
    free(s->error);
    free(s->low);
    free(s->high);
}

void plot_free(plot *p)
{
    if (!p) return;
    for (size_t i = 0; i < p->n; i++) release(&p->all[i]);
    for (size_t i = 0; i < p->notes; i++) free(p->note[i]);
    free(p->all);
    free(p->title);
    free(p->subtitle);
    free(p->x_label);
    free(p->y_label);
    free(p->x_key);
    free(p->y_key);
    free(p->description);
    free(p->command);
    free(p);
}

int plot_failed(const plot *p) { return !p || p->failed; }

const char *plot_title(const plot *p) { return p && p->title ? p->title : ""; }

/* Appends a series, which is the plot's from then on. */
static void grow(plot *p, series s)
{
    if (p->n == p->room) {
        size_t more = p->room ? 2 * p->room : 8;
        series *all = realloc(p->all, more * sizeof *all);
        if (all) {
            p->all = all;
            p->room = more;
        }
    }
    if (p->n < p->room)
        p->all[p->n++] = s;
    else {
        p->failed = 1;
        release(&s);
    }
}

void plot_add(plot *p, const plot_series *from)
{
    if (!p) return;
    int band = from->low && from->high;
    series s = {.line = from->line,
                .marks = from->marks,
                .colour = from->colour % PLOT_COLOURS,
                .legend = from->legend,
                .name = copy(p, from->name),
                .label = copy(p, from->label)};
    s.x = keep(p, from->x, from->n);
    s.y = keep(p, from->y, from->n);
    s.error = keep(p, from->error, from->n);
    s.low = keep(p, band ? from->low : NULL, from->n);
    s.high = keep(p, band ? from->high : NULL, from->n);
    /* without memory it is empty: writing it anyway does no harm */
    s.n = p->failed || !s.x || !s.y ? 0 : from->n;
    grow(p, s);
}

void plot_note(plot *p, const char *text)
{
    if (p && p->notes < PLOT_NOTES) p->note[p->notes++] = copy(p, text);
}

void plot_describe(plot *p, const char *text)
{
    if (!p) return;
    free(p->description);
    p->description = copy(p, text);
}

void plot_command(plot *p, const char *line)
{
    if (!p) return;
    free(p->command);
    p->command = copy(p, line);
}
