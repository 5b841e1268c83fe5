/* One figure as SVG: the data are copied in, then axes, ticks and the place of the legend are
 * found, then everything is drawn.
 *
 * Coordinates are in units of the viewBox, 480 wide: text of 13 units is then 9 px on a phone of
 * 360 px and 16 px at the 600 px of the report on a screen. Nothing is allocated while writing. */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 480.0
#define HEIGHT 270.0 /* of the frame */
#define FONT 13.0    /* size of the labels of axes, */
#define SMALL 11.5   /* and of ticks and the legend */
#define TICKS 48     /* of an axis, at most */
#define KEY 26.0     /* length of the sample of a line in the legend */
#define LINE 16.0    /* from one line of the legend to the next */

/* Colours of Okabe and Ito, which the colour-blind can tell apart, and a grey; neighbours differ
 * most. */
static const char *const palette[PLOT_COLOURS] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                  "#777777"};

/* The plot's own copy of a plot_series. */
typedef struct {
    char *name;
    double *x, *y, *error, *low, *high; /* n of each; the last three may be NULL */
    size_t n;
    plot_line line;
    int marks;
    const char *colour;
} series;

struct plot {
    char *title, *x_label, *y_label, *description;
    plot_scale x, y;
    series *all;
    size_t n;    /* series */
    size_t room; /* series that there is room for */
    int failed;  /* memory ran out */
};

typedef struct {
    double at; /* its value, or log10 of it on a log axis */
    int major; /* it has a label and a line of the grid */
    char label[48];
} tick;

/* An axis. On a log axis lo, hi and the ticks are log10 of values. */
typedef struct {
    plot_scale scale;
    double lo, hi;   /* the range of values */
    double from, to; /* the coordinates at which lo and hi are drawn */
    tick ticks[TICKS];
    int n;        /* ticks */
    int exponent; /* a linear axis shows value/10^exponent */
} axis;

/* A rectangle: its upper left corner, width and height. */
typedef struct {
    double x, y, w, h;
} box;

/* ---- filling --------------------------------------------------------------------------------- */

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

plot *plot_new(const char *title, const char *x_label, plot_scale x, const char *y_label,
               plot_scale y)
{
    plot *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->x = x;
    p->y = y;
    p->title = copy(p, title);
    p->x_label = copy(p, x_label);
    p->y_label = copy(p, y_label);
    return p;
}

static void release(series *s)
{
    free(s->name);
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
    free(p->all);
    free(p->title);
    free(p->x_label);
    free(p->y_label);
    free(p->description);
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
                .colour = palette[from->colour],
                .name = copy(p, from->name)};
    s.x = keep(p, from->x, from->n);
    s.y = keep(p, from->y, from->n);
    s.error = keep(p, from->error, from->n);
    s.low = keep(p, band ? from->low : NULL, from->n);
    s.high = keep(p, band ? from->high : NULL, from->n);
    /* without memory it is empty: writing it anyway does no harm */
    s.n = p->failed || !s.x || !s.y ? 0 : from->n;
    grow(p, s);
}

void plot_describe(plot *p, const char *text)
{
    if (!p) return;
    free(p->description);
    p->description = copy(p, text);
}

/* The size at which s is at most `room` wide. */
static double fit(const char *s, double size, double room)
{
    return markup_width(s) * size > room ? room / markup_width(s) : size;
}

/* ---- axes ------------------------------------------------------------------------------------ */

/* Whether v can be drawn on the axis at all. */
static int usable(const axis *a, double v)
{
    return fabs(v) < 1e300 && (a->scale == PLOT_LINEAR || v > 0);
}

/* The value of which the axis is linear, and the coordinate of such a value. */
static double transform(const axis *a, double v) { return a->scale == PLOT_LOG ? log10(v) : v; }

static double between(const axis *a, double t)
{
    return a->from + (t - a->lo) / (a->hi - a->lo) * (a->to - a->from);
}

/* The coordinate of v; NaN if it has none. It is held within 1e5, since renderers go wrong on
 * coordinates far outside the figure. */
static double place(const axis *a, double v)
{
    return usable(a, v) ? fmax(-1e5, fmin(1e5, between(a, transform(a, v)))) : NAN;
}

/* Makes the range of the axis include v, or `least` if v is below that. */
static void extend(axis *a, double v, double least)
{
    if (!usable(a, v)) return;
    v = fmax(transform(a, v), least);
    a->lo = fmin(a->lo, v);
    a->hi = fmax(a->hi, v);
}

/* Leaves some room on both sides of the range, and makes one of a single value, or of none. */
static void bound(axis *a)
{
    if (!(a->lo <= a->hi)) a->lo = a->hi = 0;
    double span = a->hi - a->lo, pad = 0.045 * span;
    if (!(span > 1e-12 * fabs(a->hi)))
        pad = a->scale == PLOT_LOG ? 0.5 : a->hi == 0 ? 1 : fabs(a->hi) / 10;
    a->lo -= pad;
    a->hi += pad;
}

/* The ranges of both axes: first of the points alone, then with their bars and bands. These may
 * reach down to 0, and make a log axis at most a decade longer than the points need. */
static void find_ranges(const plot *p, axis *x, axis *y)
{
    *x = (axis){.scale = p->x, .lo = INFINITY, .hi = -INFINITY};
    *y = (axis){.scale = p->y, .lo = INFINITY, .hi = -INFINITY};
    double least = -INFINITY;
    for (int bars = 0; bars < 2; bars++) {
        for (size_t k = 0; k < p->n; k++) {
            const series *s = &p->all[k];
            for (size_t i = 0; i < s->n; i++) {
                int point = usable(y, s->y[i]);
                if (!usable(x, s->x[i])) continue;
                if (point || (s->high && usable(y, s->high[i]))) extend(x, s->x[i], -INFINITY);
                extend(y, s->y[i], least);
                for (int sign = -1; bars && s->error && point && sign < 2; sign += 2)
                    extend(y, s->y[i] + sign * s->error[i], least);
                if (bars && s->low) extend(y, s->low[i], least);
                if (bars && s->high) extend(y, s->high[i], least);
            }
        }
        if (y->scale == PLOT_LOG && y->lo <= y->hi) least = y->lo - 1;
    }
    bound(x);
    bound(y);
}

/* A number as a label, with a true minus sign. */
static void number(char *out, size_t size, double v, int decimals)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.*f", decimals, fabs(v));
    snprintf(out, size, "%s%s", v < 0 && strpbrk(digits, "123456789") ? "\u2212" : "", digits);
}

/* `before` and then 10^k, as markup. */
static void power(char *out, size_t size, const char *before, int k)
{
    snprintf(out, size, "%s10^{%s%d}", before, k < 0 ? "\u2212" : "", abs(k));
}

/* A new tick; one that nobody draws if it is outside the range or there are too many. */
static tick *add_tick(axis *a, double at, int major)
{
    double slack = 1e-9 * (a->hi - a->lo);
    static tick spare;
    if (a->n == TICKS || !(at >= a->lo - slack && at <= a->hi + slack)) return &spare;
    a->ticks[a->n] = (tick){.at = at, .major = major};
    return &a->ticks[a->n++];
}

/* Ticks at round values, 1, 2 or 5 times a power of ten apart, about `want` of them. Also for a log
 * axis that spans too little for powers of ten. */
static void linear_ticks(axis *a, int want)
{
    int is_log = a->scale == PLOT_LOG;
    double lo = is_log ? pow(10, a->lo) : a->lo;
    double hi = is_log ? pow(10, a->hi) : a->hi;
    double apart = (hi - lo) / want;
    double step = pow(10, floor(log10(apart))), part = apart / step;
    step *= part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10;
    int size = (int)floor(log10(fmax(fabs(lo), fabs(hi))) + 1e-9);
    a->exponent = size > 4 || size < -3 ? size : 0;
    double unit = pow(10, a->exponent), first = ceil(lo / step - 1e-9);
    int decimals = (int)fmin(15, fmax(0, -floor(log10(step / unit) + 1e-9)));
    for (int i = 0; i < TICKS && (first + i) * step <= hi + 1e-9 * step; i++) {
        double v = (first + i) * step;
        tick *t = add_tick(a, transform(a, v), 1);
        number(t->label, sizeof t->label, v / unit, decimals);
    }
}

/* Ticks of a log axis: every power of ten has a label, or every second, third, .. one if there are
 * more than `want`. Of the multiples between them 2 and 5 have one too, where there are few powers.
 */
static void log_ticks(axis *a, int want)
{
    int first = (int)ceil(a->lo - 1e-9);
    int last = (int)floor(a->hi + 1e-9);
    int decades = last - first + 1;
    int stride = decades > want ? (decades + want - 1) / want : 1,
        plain = a->lo > -3.1 && a->hi < 4.1;
    for (int k = first - 1; k <= last; k++) {
        for (int digit = 1; digit < (decades <= 4 ? 10 : 2); digit++) {
            int major = digit == 1 ? k % stride == 0 : decades <= 2 && (digit == 2 || digit == 5);
            if (!major && decades >= TICKS / 2) continue;
            tick *t = add_tick(a, k + log10(digit), major);
            char before[8] = "";
            if (digit > 1) snprintf(before, sizeof before, "%d\u00b7", digit);
            if (plain)
                number(t->label, sizeof t->label, digit * pow(10, k), k < 0 ? -k : 0);
            else
                power(t->label, sizeof t->label, before, k);
        }
    }
}

static void find_ticks(axis *a, int want)
{
    if (a->scale == PLOT_LOG && a->hi - a->lo > 0.75)
        log_ticks(a, want + 1);
    else
        linear_ticks(a, want);
}

/* ---- points and the legend ------------------------------------------------------------------- */

/* A point in coordinates; NaN for what it does not have. */
typedef struct {
    double x, y;      /* the point */
    double low, high; /* the ends of its error bar */
    double from, to;  /* the edges of the band, below and above */
} spot;

static const spot nowhere = {NAN, NAN, NAN, NAN, NAN, NAN};

/* Point i of a series. An end that is not positive on a log axis is just below the frame. */
static spot locate(const axis *x, const axis *y, const series *s, size_t i)
{
    spot q = nowhere;
    q.x = place(x, s->x[i]);
    if (isnan(q.x)) return q;
    q.y = place(y, s->y[i]);
    if (s->error && s->error[i] > 0 && !isnan(q.y)) {
        q.low = place(y, s->y[i] - s->error[i]);
        q.high = place(y, s->y[i] + s->error[i]);
        if (isnan(q.low)) q.low = y->from + 1;
    }
    if (s->low && s->high && !isnan(s->low[i])) {
        q.from = place(y, s->low[i]);
        q.to = place(y, s->high[i]);
        if (isnan(q.from)) q.from = y->from + 1;
    }
    return q;
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

/* Whether a box would cover some point, line, bar or band. */
static int covers(const plot *p, const axis *x, const axis *y, box b)
{
    for (size_t k = 0; k < p->n; k++) {
        spot o = nowhere;
        for (size_t i = 0; i < p->all[k].n; i++) {
            spot q = locate(x, y, &p->all[k], i);
            if (crosses(b, q.x, q.y, q.x, q.y) ||
                (p->all[k].line != LINE_NONE && crosses(b, o.x, o.y, q.x, q.y)) ||
                crosses(b, q.x, q.low, q.x, q.high) || crosses(b, q.x, q.from, q.x, q.to) ||
                crosses(b, o.x, o.from, q.x, q.from) || crosses(b, o.x, o.to, q.x, q.to) ||
                crosses(b, o.x, o.from, q.x, q.to))
                return 1;
            o = q;
        }
    }
    return 0;
}

/* Finds a place inside the frame where the legend b, of given width and height, covers nothing: the
 * corners first, then the middles of the sides. 0 if there is none. */
static int find_place(const plot *p, const axis *x, const axis *y, box *b)
{
    static const double places[][2] = {{1, 0},  {0, 0},  {1, 1},  {0, 1},
                                       {.5, 0}, {.5, 1}, {1, .5}, {0, .5}};
    const double gap = 8, clear = 5;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        b->x = x->from + gap + places[i][0] * (x->to - x->from - b->w - 2 * gap);
        b->y = y->to + gap + places[i][1] * (y->from - y->to - b->h - 2 * gap);
        if (!covers(p, x, y, (box){b->x - clear, b->y - clear, b->w + 2 * clear, b->h + 2 * clear}))
            return 1;
    }
    return 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Two decimals, and no -0: the files stay small, and the same everywhere. */
static double tidy(double v) { return round(100 * v) / 100 + 0.0; }

/* A line of text; `more` are further attributes. */
static void text(FILE *out, double x, double y, const char *anchor, double size, const char *more,
                 const char *s)
{
    fprintf(out,
            "<text x=\"%.6g\" y=\"%.6g\" text-anchor=\"%s\" font-size=\"%.6g\" "
            "xml:space=\"preserve\"%s>",
            tidy(x), tidy(y), anchor, tidy(size), more);
    markup_write(s, MARKUP_SVG, out);
    fputs("</text>\n", out);
}

static void rectangle(FILE *out, box b, const char *more)
{
    fprintf(out, "<rect x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" height=\"%.6g\" %s/>\n", tidy(b.x),
            tidy(b.y), tidy(b.w), tidy(b.h), more);
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

/* The beginnings of paths: of a line, of a band, of marks. Coordinates and end_path follow. */
static void begin_line(FILE *out, const series *s)
{
    const char *dashes = s->line == LINE_DASHED   ? "7 3.5"
                         : s->line == LINE_DOTTED ? "1.6 3"
                                                  : "none";
    fprintf(out,
            "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.9\" stroke-linejoin=\"round\" "
            "stroke-dasharray=\"%s\" d=\"",
            s->colour, dashes);
}

static void begin_band(FILE *out, const series *s)
{
    fprintf(out, "<path fill=\"%s\" fill-opacity=\".18\" d=\"", s->colour);
}

static void begin_marks(FILE *out, const series *s)
{
    fprintf(out, "<path fill=\"%s\" stroke=\"#fff\" stroke-width=\".7\" d=\"", s->colour);
}

/* A circle, as a part of a path. */
static void put_mark(FILE *out, double x, double y)
{
    go(out, 'M', x, y);
    fputs("m-3.3 0a3.3 3.3 0 0 0 6.6 0a3.3 3.3 0 0 0-6.6 0z", out);
}

static void end_path(FILE *out) { fputs("\"/>\n", out); }

/* An axis: the lines of its grid, its ticks, then its labels, of which those of x are left out
 * where they would run into each other, and the power of ten of a linear axis. */
static void draw_axis(FILE *out, const axis *a, const axis *other, int is_y)
{
    double base = other->from, end = -INFINITY;
    for (int grid = 1; grid >= 0; grid--) {
        fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\".9\" d=\"",
                grid ? "#e2e2e2" : "#444");
        for (int i = 0; i < a->n; i++) {
            double at = between(a, a->ticks[i].at), length = a->ticks[i].major ? 5 : 2.5;
            double to = grid ? other->to : base + (is_y ? -length : length);
            if (grid && !a->ticks[i].major) continue;
            segment(out, is_y ? base : at, is_y ? at : base, is_y ? to : at, is_y ? at : to);
        }
        end_path(out);
    }
    for (int i = 0; i < a->n; i++) {
        const char *label = a->ticks[i].label;
        double at = between(a, a->ticks[i].at), half = 0.5 * markup_width(label) * SMALL;
        if (!a->ticks[i].major) continue;
        if (is_y)
            text(out, base - 8, at + 4, "end", SMALL, "", label);
        else if (at - half > end) {
            text(out, at, base + 18, "middle", SMALL, "", label);
            end = at + half + 4;
        }
    }
    char factor[32];
    power(factor, sizeof factor, "\u00d7", a->exponent);
    if (a->exponent && is_y) text(out, base, a->to - 6, "start", SMALL, "", factor);
    if (a->exponent && !is_y) text(out, a->to, base + 36, "end", SMALL, "", factor);
}

/* The band and the line of a series; the frame clips them. A band is a closed path for each run of
 * points that have one. */
static void draw_lines(FILE *out, const series *s, const axis *x, const axis *y)
{
    for (size_t i = 0, j; s->low && i < s->n; i = j + 1) {
        for (j = i; j < s->n && !isnan(locate(x, y, s, j).to);) j++;
        if (j < i + 2) continue;
        begin_band(out, s);
        for (size_t k = i; k < j; k++)
            go(out, k == i ? 'M' : 'L', locate(x, y, s, k).x, locate(x, y, s, k).to);
        for (size_t k = j; k-- > i;) go(out, 'L', locate(x, y, s, k).x, locate(x, y, s, k).from);
        fputs("Z", out);
        end_path(out);
    }
    if (s->line == LINE_NONE) return;
    begin_line(out, s);
    spot last = nowhere;
    for (size_t i = 0; i < s->n; i++) {
        spot q = locate(x, y, s, i);
        /* of points too close to be told apart only one is drawn; but the last of a run always is
         */
        int more = i + 1 < s->n && !isnan(locate(x, y, s, i + 1).y);
        if (more && hypot(q.x - last.x, q.y - last.y) < 0.3) continue;
        if (!isnan(q.y)) go(out, isnan(last.y) ? 'M' : 'L', q.x, q.y);
        last = q;
    }
    end_path(out);
}

/* The error bars and marks of a series. Marks are drawn whole, and only those inside the frame;
 * bars end at the frame, without a cap there. */
static void draw_points(FILE *out, const series *s, const axis *x, const axis *y)
{
    if (s->error) {
        fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.2\" d=\"", s->colour);
        for (size_t i = 0; i < s->n; i++) {
            spot q = locate(x, y, s, i);
            if (!(q.x >= x->from - 0.01 && q.x <= x->to + 0.01 && q.low > y->to &&
                  q.high < y->from))
                continue;
            segment(out, q.x, fmin(q.low, y->from), q.x, fmax(q.high, y->to));
            if (q.low < y->from) segment(out, q.x - 3, q.low, q.x + 3, q.low);
            if (q.high > y->to) segment(out, q.x - 3, q.high, q.x + 3, q.high);
        }
        end_path(out);
    }
    if (!s->marks) return;
    begin_marks(out, s);
    for (size_t i = 0; i < s->n; i++) {
        spot q = locate(x, y, s, i);
        if (!(q.x >= x->from - 0.01 && q.x <= x->to + 0.01 && q.y >= y->to - 0.01 &&
              q.y <= y->from + 0.01))
            continue;
        put_mark(out, q.x, q.y);
    }
    end_path(out);
}

/* The legend in the box b: a sample of each series that has a name, and the name. */
static void draw_legend(FILE *out, const plot *p, box b, size_t columns, double column, double size)
{
    size_t i = 0;
    for (size_t k = 0; k < p->n; k++) {
        const series *s = &p->all[k];
        if (!s->name) continue;
        double x = b.x + 7 + (double)(i % columns) * column,
               y = b.y + 5 + LINE * ((double)(i / columns) + 0.5);
        if (s->low) {
            begin_band(out, s);
            segment(out, x, y - 5, x + KEY, y - 5);
            fputs("v10", out);
            go(out, 'L', x, y + 5);
            end_path(out);
        }
        if (s->line != LINE_NONE) {
            begin_line(out, s);
            segment(out, x, y, x + KEY, y);
            end_path(out);
        }
        if (s->marks) {
            begin_marks(out, s);
            put_mark(out, x + KEY / 2, y);
            end_path(out);
        }
        text(out, x + KEY + 6, y + 4, "start", size, "", s->name);
        i++;
    }
}

/* What a reader is told who cannot see the figure. */
static void describe(FILE *out, const plot *p)
{
    fputs("<title>", out);
    markup_write(plot_title(p), MARKUP_PLAIN, out);
    fputs("</title>\n<desc>", out);
    markup_write(p->description, MARKUP_PLAIN, out);
    fputs("</desc>\n", out);
}

/* Where everything goes. */
typedef struct {
    axis x, y;
    box frame;
    box legend;
    size_t columns; /* of the legend, */
    double column;  /* the width of each, */
    double size;    /* and of its text */
    double bottom;  /* of the whole figure */
    int within;     /* the legend is inside the frame */
} layout;

/* Ranges, ticks, and the frame: as far from the left as the widest label of y needs. */
static void place_axes(const plot *p, layout *l)
{
    axis *x = &l->x, *y = &l->y;
    double widest = 0;
    find_ranges(p, x, y);
    find_ticks(x, 6);
    find_ticks(y, 6);
    for (int i = 0; i < y->n; i++) widest = fmax(widest, markup_width(y->ticks[i].label) * SMALL);
    double top = y->exponent ? 48 : 34, left = 34 + widest;
    x->from = left;
    x->to = WIDTH - 16;
    y->from = top + HEIGHT;
    y->to = top;
    l->frame = (box){left, top, x->to - left, HEIGHT};
    l->bottom = y->from + 44;
}

/* The legend goes inside the frame where it covers nothing, else below it, in columns as even as
 * they can be. */
static void place_legend(const plot *p, layout *l)
{
    size_t named = 0;
    l->size = SMALL;
    l->columns = 1;
    for (size_t k = 0; k < p->n; k++) {
        named += p->all[k].name ? 1 : 0;
        l->size = fit(p->all[k].name, l->size, WIDTH - KEY - 40);
    }
    for (size_t k = 0; k < p->n; k++)
        l->column = fmax(l->column, KEY + 6 + markup_width(p->all[k].name) * l->size);
    l->legend = (box){0, 0, l->column + 14, LINE * (double)named + 10};
    l->within = named && l->legend.w < 0.62 * l->frame.w && l->legend.h < 0.5 * HEIGHT &&
                find_place(p, &l->x, &l->y, &l->legend);
    if (!named || l->within) return;
    l->column += 14;
    l->columns = (size_t)fmax(1, floor((WIDTH - 16) / l->column));
    size_t lines = (named + l->columns - 1) / l->columns;
    l->columns = (named + lines - 1) / lines;
    l->legend = (box){fmax(2, (WIDTH - (double)l->columns * l->column) / 2), l->bottom, 0,
                      LINE * (double)lines + 10};
    l->bottom += l->legend.h;
}

/* The data: bands below all lines, then the frame, then bars and marks. */
static void draw_series(FILE *out, const plot *p, const layout *l)
{
    box f = l->frame;
    int drawn = 0;
    /* A nested svg clips without an id, which two figures of one page could share. */
    fprintf(out,
            "<svg x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" height=\"%.6g\" viewBox=\"%.6g %.6g %.6g "
            "%.6g\">\n",
            tidy(f.x), tidy(f.y), tidy(f.w), f.h, tidy(f.x), tidy(f.y), tidy(f.w), f.h);
    for (int bands = 1; bands >= 0; bands--)
        for (size_t k = 0; k < p->n; k++)
            if (bands == (p->all[k].low != NULL)) draw_lines(out, &p->all[k], &l->x, &l->y);
    fputs("</svg>\n", out);
    rectangle(out, f, "fill=\"none\" stroke=\"#444\" stroke-width=\".9\"");
    for (size_t k = 0; k < p->n; k++) {
        draw_points(out, &p->all[k], &l->x, &l->y);
        for (size_t i = 0; !drawn && i < p->all[k].n; i++)
            drawn = !isnan(locate(&l->x, &l->y, &p->all[k], i).y);
    }
    if (!drawn) text(out, f.x + f.w / 2, f.y + f.h / 2, "middle", FONT, "", "no data");
}

/* The title and the labels of both axes, made smaller where they would not fit. */
static void draw_labels(FILE *out, const plot *p, const layout *l)
{
    box f = l->frame;
    double room = f.w - (l->x.exponent ? 90 : 0), middle = f.x + f.w / 2;
    char turn[64];
    snprintf(turn, sizeof turn, " transform=\"rotate(-90 16 %.6g)\"", tidy(f.y + f.h / 2));
    text(out, WIDTH / 2, 20, "middle", fit(p->title, 14.5, WIDTH - 20), " font-weight=\"bold\"",
         p->title);
    text(out, middle, l->y.from + 37, "middle", fit(p->x_label, FONT, room), "", p->x_label);
    text(out, 16, f.y + f.h / 2, "middle", fit(p->y_label, FONT, f.h + 20), turn, p->y_label);
}

void plot_svg_inline(const plot *p, FILE *out)
{
    layout l = {0};
    if (!p) return;
    place_axes(p, &l);
    place_legend(p, &l);
    fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" viewBox=\"0 0 %.6g %.6g\" "
        "fill=\"#222\" font-family=\""
        "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif\">\n",
        WIDTH, tidy(l.bottom));
    describe(out, p);
    rectangle(out, (box){0, 0, WIDTH, l.bottom}, "fill=\"#fff\"");
    draw_axis(out, &l.x, &l.y, 0);
    draw_axis(out, &l.y, &l.x, 1);
    draw_series(out, p, &l);
    draw_labels(out, p, &l);
    if (l.within)
        rectangle(out, l.legend, "rx=\"3\" fill=\"#fff\" fill-opacity=\".9\" stroke=\"#ccc\"");
    draw_legend(out, p, l.legend, l.columns, l.column, l.size);
    fputs("</svg>\n", out);
}

void plot_svg(const plot *p, const char *comment, FILE *out)
{
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- %s -->\n", comment);
    plot_svg_inline(p, out);
}
