/* Labels at the ends of curves: as near to the end as the others let them, none over another. */
#include "parts.h"

#include <math.h>
#include <string.h>

#define MOST 128.0  /* the labels are never wider than this, */
#define NICE 96.0   /* and broken into lines if they would be wider than this */
#define BETWEEN 2.5 /* least space between two labels */

const spot NOWHERE = {NAN, NAN, NAN, NAN, NAN, NAN};

spot locate(const layout *l, const series *s, size_t i)
{
    const axis *y = &l->y;
    spot q = NOWHERE;
    q.x = axis_place(&l->x, s->x[i]);
    if (isnan(q.x)) return q;
    q.y = axis_place(y, s->y[i]);
    if (s->error && s->error[i] > 0 && !isnan(q.y)) {
        q.low = axis_place(y, s->y[i] - s->error[i]);
        q.high = axis_place(y, s->y[i] + s->error[i]);
        if (isnan(q.low)) q.low = y->from + 1;
    }
    if (s->low && s->high && !isnan(s->low[i])) {
        q.from = axis_place(y, s->low[i]);
        q.to = axis_place(y, s->high[i]);
        if (isnan(q.from)) q.from = y->from + 1;
    }
    return q;
}

const char *label_of(const series *s)
{
    const char *label = s->label ? s->label : s->name;
    return label && *label ? label : NULL;
}

int in_legend(const layout *l, const series *s)
{
    return label_of(s) && (s->legend || l->all_in_legend);
}

/* ---- what they say --------------------------------------------------------------------------- */

/* The width in em of the longest word of s. */
static double longest_word(const char *s)
{
    double most = 0;
    for (size_t n; *s; s += n + strspn(s + n, " ")) {
        char word[WRAP_CHARS];
        n = strcspn(s, " ");
        snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), s);
        most = fmax(most, markup_width(word));
    }
    return most;
}

/* Whether the text was too long for its lines. */
static int is_cut(const wrapped *w) { return w->n && strstr(w->line[w->n - 1], "\u2026") != NULL; }

/* Breaks a label into lines, and no word if that can be helped. */
static void break_label(end_label *e)
{
    const char *s = label_of(e->s);
    double room = fmin(MOST, fmax(NICE, longest_word(s) * SIZE_TEXT + 1));
    wrap(s, room / SIZE_TEXT, 3, &e->text);
    /* lines as even as they can be: narrower, as long as there are no more of them */
    wrapped narrower = e->text;
    double least = longest_word(s) * SIZE_TEXT;
    for (double at = room; at > least - 2 && narrower.n == e->text.n && !is_cut(&narrower);
         at -= 2) {
        e->text = narrower;
        wrap(s, at / SIZE_TEXT, 3, &narrower);
    }
}

static double height_of(const end_label *e) { return e->text.n * SIZE_TEXT * LEADING + BETWEEN; }

/* Whether a series has a point to be labelled at. */
static int has_points(const series *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (isfinite(s->x[i]) && isfinite(s->y[i])) return 1;
    return 0;
}

double labels_measure(const plot *p, layout *l)
{
    double width = 0, height = 0;
    size_t wanted = 0;
    for (size_t k = 0; k < p->n; k++) {
        const series *s = &p->all[k];
        if (s->legend || !label_of(s) || !has_points(s)) continue;
        if (wanted++ >= PLOT_LABELS) continue;
        end_label *e = &l->label[l->labels++];
        e->s = s;
        break_label(e);
        width = fmax(width, e->text.width * SIZE_TEXT);
        height += height_of(e);
    }
    l->all_in_legend = wanted > PLOT_LABELS || height > PLOT_FRAME + 10;
    if (l->all_in_legend) l->labels = 0;
    return l->labels ? width + LEADER : 0;
}

/* ---- where they are -------------------------------------------------------------------------- */

/* With the heights of those before it taken off, each block wants a place g, and g must not
 * decrease. That is isotonic regression: neighbours out of order are merged into their mean (pool
 * adjacent violators). Held within the bounds it is the least squares solution with them. */
void labels_spread(const double *want, const double *height, size_t n, double top, double bottom,
                   double *at)
{
    double mean[PLOT_LABELS], offset[PLOT_LABELS], total = 0;
    size_t count[PLOT_LABELS], groups = 0;
    for (size_t i = 0; i < n; i++) {
        offset[i] = total + height[i] / 2;
        total += height[i];
        mean[groups] = want[i] - offset[i];
        count[groups++] = 1;
        while (groups > 1 && mean[groups - 2] > mean[groups - 1]) {
            size_t a = count[groups - 2], b = count[groups - 1];
            mean[groups - 2] = (mean[groups - 2] * (double)a + mean[groups - 1] * (double)b) /
                               (double)(a + b);
            count[groups - 2] = a + b;
            groups--;
        }
    }
    for (size_t g = 0, i = 0; g < groups; g++)
        for (size_t k = 0; k < count[g]; k++, i++)
            at[i] = fmax(top, fmin(bottom - total, mean[g])) + offset[i];
}

/* The last point of a curve, from which its label goes out: the one furthest to the right. */
static void find_end(const layout *l, end_label *e)
{
    e->end_x = -INFINITY;
    for (size_t i = 0; i < e->s->n; i++) {
        spot q = locate(l, e->s, i);
        if (isnan(q.y) || !(q.x >= e->end_x)) continue;
        e->end_x = q.x;
        e->end_y = q.y;
    }
}

/* Whether the segment meets the box: clipped to each side in turn (Liang and Barsky). */
static int crosses(box b, double x0, double y0, double x1, double y1)
{
    double from = 0, to = 1, step[4] = {x0 - x1, x1 - x0, y0 - y1, y1 - y0};
    double room[4] = {x0 - b.x, b.x + b.w - x0, y0 - b.y, b.y + b.h - y0};
    if (isnan(x0 + y0 + x1 + y1)) return 0;
    for (int i = 0; i < 4; i++) {
        if (step[i] == 0 && room[i] < 0) return 0;
        if (step[i] < 0) from = fmax(from, room[i] / step[i]);
        if (step[i] > 0) to = fmin(to, room[i] / step[i]);
    }
    return from <= to;
}

/* Whether a box would cover some point or line, or leave the frame. */
static int is_taken(const plot *p, const layout *l, box b)
{
    const box *f = &l->frame;
    if (b.x + b.w > f->x + f->w || b.y < f->y || b.y + b.h > f->y + f->h) return 1;
    for (size_t k = 0; k < p->n; k++) {
        const series *s = &p->all[k];
        spot o = NOWHERE;
        for (size_t i = 0; i < s->n; i++) {
            spot q = locate(l, s, i);
            if (crosses(b, q.x, q.y, q.x, q.y) || crosses(b, q.x, q.low, q.x, q.high) ||
                (s->line != LINE_NONE && crosses(b, o.x, o.y, q.x, q.y)))
                return 1;
            o = q;
        }
    }
    return 0;
}

/* A curve that ends early has its label beside its end, if nothing else is there. */
static void try_inside(const plot *p, const layout *l, end_label *e)
{
    box b = {e->end_x + 5, e->end_y - height_of(e) / 2, e->text.width * SIZE_TEXT, height_of(e)};
    e->inside = e->end_x < l->frame.x + l->frame.w - 30 && !is_taken(p, l, b);
    if (!e->inside) return;
    e->x = b.x;
    e->y = e->end_y;
}

/* Sorts the labels by the ends of their curves, from the top. Few, so by insertion. */
static void sort_labels(layout *l)
{
    for (size_t i = 1; i < l->labels; i++)
        for (size_t k = i; k > 0 && l->label[k - 1].end_y > l->label[k].end_y; k--) {
            end_label other = l->label[k];
            l->label[k] = l->label[k - 1];
            l->label[k - 1] = other;
        }
}

void labels_place(const plot *p, layout *l)
{
    double want[PLOT_LABELS] = {0}, height[PLOT_LABELS] = {0}, at[PLOT_LABELS];
    size_t n = 0, taken = 0;
    for (size_t i = 0; i < l->labels; i++) {
        find_end(l, &l->label[i]);
        try_inside(p, l, &l->label[i]);
    }
    sort_labels(l);
    for (size_t i = 0; i < l->labels; i++) {
        if (l->label[i].inside) continue;
        want[n] = l->label[i].end_y;
        height[n++] = height_of(&l->label[i]);
    }
    labels_spread(want, height, n, l->frame.y - 5, l->frame.y + l->frame.h + 5, at);
    for (size_t i = 0; i < l->labels; i++) {
        end_label *e = &l->label[i];
        if (e->inside) continue;
        e->x = l->frame.x + l->frame.w + LEADER;
        e->y = at[taken++];
    }
}
