/* A plot written as SVG. Colours are attributes, as every renderer knows them; a style sheet with
 * the classes fp-.. turns them over in the dark. */
#include "parts.h"

#include <math.h>

/* Colours of Okabe and Ito, which the colour-blind can tell apart, a grey, and three more; orange
 * and sky are darker than theirs, to be seen on white, and orange is thereby near vermilion for the
 * green-blind: it comes late, and curves are named at their ends. `text` has a contrast of 5 and
 * more against white, `dark` of 7 and more against the dark background. */
static const struct {
    const char *line, *text, *dark;
} PALETTE[PLOT_COLOURS] = {{"#0072B2", "#00639C", "#56B4E9"}, {"#D55E00", "#B34E00", "#FF8F4D"},
                           {"#009E73", "#00775A", "#35C9A0"}, {"#CC79A7", "#A8487E", "#E79DC8"},
                           {"#777777", "#666666", "#A9ABB0"}, {"#C98500", "#8A5C00", "#F2BE4A"},
                           {"#3FA0DC", "#1B6FA3", "#9AD4F5"}, {"#333333", "#333333", "#E6E6E8"}};

#define INK "#222222"
#define SOFT "#5c5f66"
#define PAPER "#ffffff"

double tidy(double v) { return round(100 * v) / 100 + 0.0; }

void plot_style(FILE *out)
{
    fputs(".fp-hit:hover{fill-opacity:.09}\n@media screen and (prefers-color-scheme:dark){\n"
          ".fp-paper{fill:#17181b}.fp-halo{stroke:#17181b}.fp-ink{fill:#e6e6e8}"
          ".fp-soft{fill:#a9abb0}.fp-grid{stroke:#303238}.fp-axis{stroke:#85888f}\n",
          out);
    for (int i = 0; i < PLOT_COLOURS; i++)
        fprintf(out, ".fp-s%d{stroke:%s}.fp-f%d,.fp-t%d{fill:%s}%s", i, PALETTE[i].dark, i, i,
                PALETTE[i].dark, i % 2 ? "\n" : "");
    fputs("}\n", out);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* How a text looks: its size, its colour and the class of that, and at which side of x it is. */
typedef struct {
    double size;
    const char *colour, *class, *anchor;
    int bold;
} face;

static const face TITLE = {SIZE_TITLE, INK, "ink", "start", 1};
static const face SUBTITLE = {SIZE_TEXT, SOFT, "soft", "start", 0};
static const face AXIS_NAME = {SIZE_TEXT, INK, "ink", "start", 0};
static const face TICK_X = {SIZE_TICK, SOFT, "soft", "middle", 0};
static const face TICK_Y = {SIZE_TICK, SOFT, "soft", "end", 0};
static const face NOTE = {SIZE_NOTE, SOFT, "soft", "start", 0};

/* A line of text. */
static void text(FILE *out, face f, double x, double y, const char *s)
{
    fprintf(out, "<text class=\"fp-%s\" fill=\"%s\" x=\"%.6g\" y=\"%.6g\" font-size=\"%.6g\"",
            f.class, f.colour, tidy(x), tidy(y), tidy(f.size));
    if (*f.anchor != 's') fprintf(out, " text-anchor=\"%s\"", f.anchor);
    if (f.bold) fputs(" font-weight=\"bold\"", out);
    fputc('>', out);
    markup_write(s, MARKUP_SVG, out);
    fputs("</text>\n", out);
}

static void lines_of_text(FILE *out, face f, double x, double y, const wrapped *t)
{
    for (int i = 0; i < t->n; i++) text(out, f, x, y + i * f.size * LEADING, t->line[i]);
}

/* A command of a path: M moves to (x, y), L draws a line to it. */
static void go(FILE *out, char how, double x, double y)
{
    fprintf(out, "%c%.6g %.6g", how, tidy(x), tidy(y));
}

static void segment(FILE *out, double x0, double y0, double x1, double y1)
{
    go(out, 'M', x0, y0);
    go(out, 'L', x1, y1);
}

/* The beginnings of paths: of a line, of a band, of marks. Coordinates and end_path follow.
 * `level`: how many other lines lie on this one. It is the wider and paler for them, and not
 * dashed. */
static void begin_line(FILE *out, const series *s, int level)
{
    static const char *const DASHES[] = {[LINE_DASHED] = " stroke-dasharray=\"7 3.5\"",
                                         [LINE_DOTTED] = " stroke-dasharray=\"1.8 3.2\"",
                                         [LINE_SOLID] = "",
                                         [LINE_NONE] = ""};
    fprintf(out,
            "<path class=\"fp-s%d\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.6g\"%s "
            "stroke-linejoin=\"round\" d=\"",
            s->colour, PALETTE[s->colour].line, 2 + 2.5 * level,
            level ? " stroke-opacity=\".4\"" : DASHES[s->line]);
}

static void begin_band(FILE *out, const series *s)
{
    fprintf(out, "<path class=\"fp-f%d\" fill=\"%s\" fill-opacity=\".18\" d=\"", s->colour,
            PALETTE[s->colour].line);
}

static void begin_marks(FILE *out, const series *s)
{
    fprintf(out,
            "<path class=\"fp-f%d fp-halo\" fill=\"%s\" stroke=\"" PAPER
            "\" stroke-width=\".8\" d=\"",
            s->colour, PALETTE[s->colour].line);
}

/* A circle, as a part of a path. */
static void put_mark(FILE *out, double x, double y)
{
    go(out, 'M', x, y);
    fputs("m-3.2 0a3.2 3.2 0 0 0 6.4 0a3.2 3.2 0 0 0-6.4 0z", out);
}

static void end_path(FILE *out) { fputs("\"/>\n", out); }

/* ---- axes ------------------------------------------------------------------------------------ */

/* The lines of the grid, or the ticks. */
static void draw_ticks(FILE *out, const axis *a, const axis *other, int is_y, int grid)
{
    double base = other->from;
    fprintf(out,
            grid ? "<path class=\"fp-grid\" fill=\"none\" stroke=\"#e4e5e8\" stroke-width=\".8\" "
                   "d=\""
                 : "<path class=\"fp-axis\" fill=\"none\" stroke=\"#6b6e75\" stroke-width=\".9\" "
                   "d=\"");
    for (int i = 0; i < a->n; i++) {
        double at = axis_between(a, a->ticks[i].at), length = a->ticks[i].major ? 4.5 : 2.5;
        double to = grid ? other->to : base + (is_y ? -length : length);
        if (grid && !a->ticks[i].major) continue;
        segment(out, is_y ? base : at, is_y ? at : base, is_y ? to : at, is_y ? at : to);
    }
    if (!grid)
        segment(out, is_y ? base : a->from, is_y ? a->from : base, is_y ? base : a->to,
                is_y ? a->to : base);
    end_path(out);
}

/* The labels of the ticks, of which those of x are left out where they would run into each other,
 * and the power of ten of a linear axis. */
static void draw_tick_labels(FILE *out, const axis *a, const axis *other, int is_y)
{
    double base = other->from, end = -INFINITY;
    char factor[32];
    for (int i = 0; i < a->n; i++) {
        const char *label = a->ticks[i].label;
        double at = axis_between(a, a->ticks[i].at), half = 0.5 * markup_width(label) * SIZE_TICK;
        if (!a->ticks[i].major) continue;
        if (is_y)
            text(out, TICK_Y, base - 7, at + 4, label);
        else if (at - half > end) {
            text(out, TICK_X, at, base + 18, label);
            end = at + half + 4;
        }
    }
    axis_factor(a, factor, sizeof factor);
    if (a->exponent && is_y) text(out, TICK_Y, base - 7, a->to - 10, factor);
    if (a->exponent && !is_y) {
        face at_end = TICK_X;
        at_end.anchor = "end";
        text(out, at_end, a->to, base + 35, factor);
    }
}

static void draw_axes(FILE *out, const plot *p, const layout *l)
{
    face below = AXIS_NAME;
    below.anchor = "middle";
    for (int grid = 1; grid >= 0; grid--) {
        draw_ticks(out, &l->x, &l->y, 0, grid);
        draw_ticks(out, &l->y, &l->x, 1, grid);
    }
    draw_tick_labels(out, &l->x, &l->y, 0);
    draw_tick_labels(out, &l->y, &l->x, 1);
    text(out, AXIS_NAME, l->y.exponent ? l->frame.x : PLOT_EDGE, l->label_y, p->y_label);
    text(out, below, l->frame.x + l->frame.w / 2, l->y.from + 35, p->x_label);
}

/* ---- series ---------------------------------------------------------------------------------- */

/* Whether point i of a is less than 3 units from point i of b, at the same x. */
static int is_near(const layout *l, const series *a, const series *b, size_t i)
{
    spot q = locate(l, a, i), o = locate(l, b, i);
    return fabs(q.x - o.x) < 0.5 && fabs(q.y - o.y) < 3;
}

/* Whether b, which is drawn later, lies on a for a fifth of its length or more. */
static int lies_on(const layout *l, const series *a, const series *b)
{
    size_t near = 0, all = 0;
    if (a->n != b->n || a->line == LINE_NONE || b->line == LINE_NONE) return 0;
    for (size_t i = 0; i < a->n; i++) {
        if (isnan(locate(l, a, i).y + locate(l, b, i).y)) continue;
        all++;
        near += (size_t)is_near(l, a, b, i);
    }
    return near >= 2 && 5 * near >= all;
}

#define ABOVE_MOST 3 /* so many curves on one are told apart */

/* The curves that lie on s. Where they do, s is drawn wide and pale, and they are seen on it. */
typedef struct {
    const series *above[ABOVE_MOST];
    int n;
} pile;

static pile find_above(const plot *p, const layout *l, const series *s)
{
    pile found = {.n = 0};
    for (const series *b = s + 1; b < p->all + p->n && found.n < ABOVE_MOST; b++)
        if (lies_on(l, s, b)) found.above[found.n++] = b;
    return found;
}

/* How many of them are at point i. */
static int count_at(const layout *l, const series *s, const pile *a, size_t i)
{
    int n = 0;
    for (int k = 0; k < a->n; k++) n += is_near(l, s, a->above[k], i);
    return n;
}

/* A band is a closed path for each run of points that have one. */
static void draw_band(FILE *out, const layout *l, const series *s)
{
    for (size_t i = 0, j; s->low && i < s->n; i = j + 1) {
        for (j = i; j < s->n && !isnan(locate(l, s, j).to);) j++;
        if (j < i + 2) continue;
        begin_band(out, s);
        for (size_t k = i; k < j; k++)
            go(out, k == i ? 'M' : 'L', locate(l, s, k).x, locate(l, s, k).to);
        for (size_t k = j; k-- > i;) go(out, 'L', locate(l, s, k).x, locate(l, s, k).from);
        fputs("Z", out);
        end_path(out);
    }
}

/* The coordinates of those parts of a curve on which `level` others lie: a segment has the level of
 * its less covered end. Of points too close to be told apart only one is drawn; but the last of a
 * run always is. Nothing is written, not even the beginning of the path, if there is no such part.
 */
static void draw_level(FILE *out, const layout *l, const series *s, const pile *a, int level)
{
    spot last = NOWHERE;
    int before = -1, begun = 0, joined = 0;
    for (size_t i = 0; i < s->n; i++) {
        spot q = locate(l, s, i);
        int more = i + 1 < s->n && !isnan(locate(l, s, i + 1).y);
        if (more && hypot(q.x - last.x, q.y - last.y) < 0.3) continue;
        int now = isnan(q.y) ? -1 : count_at(l, s, a, i);
        int here = before >= 0 && now >= 0 && (before < now ? before : now) == level;
        if (here && !begun++) begin_line(out, s, level);
        if (here && !joined) go(out, 'M', last.x, last.y);
        if (here) go(out, 'L', q.x, q.y);
        joined = here;
        before = now;
        last = q;
    }
    if (begun) end_path(out);
}

static void draw_line(FILE *out, const plot *p, const layout *l, const series *s)
{
    if (s->line == LINE_NONE) return;
    pile above = find_above(p, l, s);
    for (int level = above.n; level >= 0; level--) draw_level(out, l, s, &above, level);
}

/* Error bars, which end at the frame, without a cap there. */
static void draw_bars(FILE *out, const layout *l, const series *s)
{
    const axis *y = &l->y;
    fprintf(out, "<path class=\"fp-s%d\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.2\" d=\"",
            s->colour, PALETTE[s->colour].line);
    for (size_t i = 0; i < s->n; i++) {
        spot q = locate(l, s, i);
        if (!(q.low > y->to && q.high < y->from)) continue;
        segment(out, q.x, fmin(q.low, y->from), q.x, fmax(q.high, y->to));
        if (q.low < y->from) segment(out, q.x - 3, q.low, q.x + 3, q.low);
        if (q.high > y->to) segment(out, q.x - 3, q.high, q.x + 3, q.high);
    }
    end_path(out);
}

/* Whether point i stands alone, so that no line shows it. */
static int is_alone(const layout *l, const series *s, size_t i)
{
    int before = i > 0 && !isnan(locate(l, s, i - 1).y);
    int after = i + 1 < s->n && !isnan(locate(l, s, i + 1).y);
    return !before && !after;
}

/* Circles: at every point if they are asked for, else at points that no line shows. */
static void draw_marks(FILE *out, const layout *l, const series *s)
{
    int any = 0;
    for (size_t i = 0; i < s->n; i++) {
        spot q = locate(l, s, i);
        if (isnan(q.y) || !(s->marks || is_alone(l, s, i))) continue;
        if (!any++) begin_marks(out, s);
        put_mark(out, q.x, q.y);
    }
    if (any) end_path(out);
}

/* Bands below all lines, lines in their order, then bars and marks. */
static void draw_series(FILE *out, const plot *p, const layout *l)
{
    int drawn = 0;
    for (size_t k = 0; k < p->n; k++) draw_band(out, l, &p->all[k]);
    for (size_t k = 0; k < p->n; k++) draw_line(out, p, l, &p->all[k]);
    for (size_t k = 0; k < p->n; k++) {
        if (p->all[k].error) draw_bars(out, l, &p->all[k]);
        draw_marks(out, l, &p->all[k]);
        for (size_t i = 0; !drawn && i < p->all[k].n; i++)
            drawn = !isnan(locate(l, &p->all[k], i).y);
    }
    face centred = SUBTITLE;
    centred.anchor = "middle";
    if (!drawn)
        text(out, centred, l->frame.x + l->frame.w / 2, l->frame.y + l->frame.h / 2, "no data");
}

/* ---- names of curves ------------------------------------------------------------------------- */

/* A label, and the thin line that leads to it from the end of its curve. */
static void draw_label(FILE *out, const end_label *e)
{
    int colour = e->s->colour;
    char class[8];
    snprintf(class, sizeof class, "t%d", colour);
    face f = {SIZE_TEXT, PALETTE[colour].text, class, "start", 0};
    double step = SIZE_TEXT * LEADING, first = e->y - step * (e->text.n - 1) / 2 + 0.35 * SIZE_TEXT;
    if (!e->inside) {
        fprintf(out,
                "<path class=\"fp-s%d\" fill=\"none\" stroke=\"%s\" stroke-width=\".8\" "
                "stroke-opacity=\".7\" d=\"",
                colour, PALETTE[colour].line);
        segment(out, e->end_x + 2.5, e->end_y, e->x - 3, e->y);
        end_path(out);
    }
    lines_of_text(out, f, e->x, first, &e->text);
}

/* A sample of a series in the legend: its band, line and mark. */
static void draw_sample(FILE *out, const series *s, double x, double y)
{
    if (s->low) {
        begin_band(out, s);
        segment(out, x, y - 5, x + SAMPLE, y - 5);
        fputs("v10", out);
        go(out, 'L', x, y + 5);
        end_path(out);
    }
    if (s->line != LINE_NONE) {
        begin_line(out, s, 0);
        segment(out, x, y, x + SAMPLE, y);
        end_path(out);
    }
    if (s->marks) {
        begin_marks(out, s);
        put_mark(out, x + SAMPLE / 2, y);
        end_path(out);
    }
}

/* Entry i of the legend. */
static void draw_entry(FILE *out, const layout *l, const series *s, size_t i)
{
    double x = l->legend.x + (double)(i % l->legend_columns) * l->legend_column;
    double y = l->legend.y + LEGEND_LINE * ((double)(i / l->legend_columns) + 0.5);
    wrapped name;
    char more[48];
    if (i + 1 == LEGEND_MOST && l->legend_entries > LEGEND_MOST) {
        snprintf(more, sizeof more, "and %zu more", l->legend_entries - i);
        text(out, SUBTITLE, x + SAMPLE + 6, y + 4, more);
        return;
    }
    wrap(label_of(s), (l->legend_column - SAMPLE - 6) / SIZE_TEXT, 1, &name);
    draw_sample(out, s, x, y);
    text(out, AXIS_NAME, x + SAMPLE + 6, y + 4, name.line[0]);
}

static void draw_legend(FILE *out, const plot *p, const layout *l)
{
    size_t i = 0;
    for (size_t k = 0; k < p->n && i < LEGEND_MOST; k++)
        if (in_legend(l, &p->all[k])) draw_entry(out, l, &p->all[k], i++);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void attribute(FILE *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"", name);
    markup_write(value, MARKUP_PLAIN, out);
    fputc('"', out);
}

/* What a reader is told who cannot see the figure. */
static void describe(FILE *out, const plot *p, int whole_file)
{
    if (whole_file) {
        fputs("<title>", out);
        markup_write(plot_title(p), MARKUP_PLAIN, out);
        fputs("</title>\n", out);
    }
    fputs("<desc>", out);
    markup_write(p->description, MARKUP_PLAIN, out);
    fputs("</desc>\n", out);
    if (!p->command) return;
    fputs("<metadata>", out);
    markup_write(p->command, MARKUP_PLAIN, out);
    fputs("</metadata>\n", out);
}

static void draw(const plot *p, const layout *l, FILE *out)
{
    fprintf(out, "<rect class=\"fp-paper\" fill=\"" PAPER "\" width=\"%.6g\" height=\"%.6g\"/>\n",
            PLOT_WIDTH, tidy(l->bottom));
    lines_of_text(out, TITLE, PLOT_EDGE, l->title_y, &l->title);
    lines_of_text(out, SUBTITLE, PLOT_EDGE, l->subtitle_y, &l->subtitle);
    draw_axes(out, p, l);
    draw_series(out, p, l);
    for (size_t i = 0; i < l->labels; i++) draw_label(out, &l->label[i]);
    draw_legend(out, p, l);
    for (size_t i = 0; i < p->notes; i++)
        lines_of_text(out, NOTE, PLOT_EDGE, l->note_y[i], &l->note[i]);
    draw_hover(p, l, out);
}

/* A file of its own has a size, at which a browser shows it; on a phone it shrinks to the screen.
 */
static void write_svg(const plot *p, int whole_file, FILE *out)
{
    layout l;
    layout_find(p, &l);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" viewBox=\"0 0 %.6g %.6g\"",
            PLOT_WIDTH, tidy(l.bottom));
    if (whole_file)
        fprintf(out, " width=\"%.6g\" height=\"%.6g\" style=\"max-width:100%%;height:auto\"",
                1.5 * PLOT_WIDTH, tidy(1.5 * l.bottom));
    attribute(out, "role", "img");
    attribute(out, "aria-label", plot_title(p));
    attribute(out, "font-family",
              "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif");
    fputs(">\n", out);
    describe(out, p, whole_file);
    if (whole_file) {
        fputs("<style>\n", out);
        plot_style(out);
        fputs("</style>\n", out);
    }
    draw(p, &l, out);
    fputs("</svg>\n", out);
}

void plot_svg_inline(const plot *p, FILE *out)
{
    if (p) write_svg(p, 0, out);
}

void plot_svg(const plot *p, const char *comment, FILE *out)
{
    if (!p) return;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    if (comment) fprintf(out, "<!-- %s -->\n", comment);
    write_svg(p, 1, out);
}
