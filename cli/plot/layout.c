/* Where everything goes, from the top: title, subtitle, label of y, frame with the labels of the
 * curves beside it, label of x, legend, notes. */
#include "parts.h"

#include <math.h>

/* Breaks a text into lines as wide as the figure, whose first has its baseline at *baseline; moves
 * `top` below them. */
static void place_text(const char *s, double size, int lines, wrapped *text, double *baseline,
                       double *top)
{
    double bold = size == SIZE_TITLE ? 1.14 : 1; /* bold type is so much wider */
    wrap(s, (PLOT_WIDTH - 2 * PLOT_EDGE) / (bold * size), lines, text);
    *baseline = *top + size * 0.95;
    *top += text->n * size * LEADING;
}

/* The frame: below `top`, as far from the left as the widest label of y needs, and from the right
 * as the labels of the curves. */
static void place_frame(const plot *p, layout *l, double top)
{
    axis *x = &l->x, *y = &l->y;
    double widest = 0, right = labels_measure(p, l);
    for (int i = 0; i < y->n; i++)
        if (y->ticks[i].major) widest = fmax(widest, markup_width(y->ticks[i].label) * SIZE_TICK);
    double left = PLOT_EDGE + widest + 6;
    x->from = left;
    x->to = PLOT_WIDTH - (right > 0 ? right + 4 : PLOT_EDGE + 6);
    y->to = top;
    y->from = top + PLOT_FRAME;
    l->frame = (box){left, top, x->to - left, PLOT_FRAME};
}

/* The legend, below the axis of x, in columns as even as they can be. */
static void place_legend(const plot *p, layout *l, double *top)
{
    size_t named = 0;
    for (size_t k = 0; k < p->n; k++) {
        if (!in_legend(l, &p->all[k])) continue;
        named++;
        double width = markup_width(label_of(&p->all[k])) * SIZE_TEXT;
        l->legend_column = fmax(l->legend_column, SAMPLE + 18 + width);
    }
    l->legend_entries = named;
    if (!named) return;
    if (named > LEGEND_MOST) named = LEGEND_MOST;
    double room = PLOT_WIDTH - 2 * PLOT_EDGE;
    l->legend_column = fmin(l->legend_column, room);
    l->legend_columns = (size_t)fmax(1, floor(room / l->legend_column));
    size_t lines = (named + l->legend_columns - 1) / l->legend_columns;
    l->legend_columns = (named + lines - 1) / lines;
    l->legend = (box){PLOT_EDGE, *top, room, LEGEND_LINE * (double)lines + 4};
    *top += l->legend.h;
}

void layout_find(const plot *p, layout *l)
{
    double top = 9;
    *l = (layout){0};
    axis_find(p, &l->x, &l->y);
    place_text(p->title, SIZE_TITLE, 4, &l->title, &l->title_y, &top);
    if (p->subtitle) {
        top += 2;
        place_text(p->subtitle, SIZE_TEXT, 4, &l->subtitle, &l->subtitle_y, &top);
    }
    top += 22;
    l->label_y = top - 5;
    place_frame(p, l, top + 5);
    labels_place(p, l);
    top = l->y.from + 44;
    place_legend(p, l, &top);
    for (size_t i = 0; i < p->notes; i++)
        place_text(p->note[i], SIZE_NOTE, 6, &l->note[i], &l->note_y[i], &top);
    l->bottom = top + (p->notes ? 6 : 0);
}
