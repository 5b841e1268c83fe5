/* Values under the pointer: the frame is covered by transparent rectangles, one a value of x, each
 * with a <title> that lists what every curve has there. They reach half way to their neighbours, so
 * that there is no spot to be hit exactly. */
#include "parts.h"

#include <math.h>

#define APART 5.0 /* values of x closer than this share a rectangle, which shows the first */
#define SAME 0.05 /* so close in coordinates, two points have the same x */

/* The least coordinate of a named point that is above `after`; INFINITY if there is none. Points
 * without a y count too: that they have none is what the pointer should say. */
static double next_x(const plot *p, const layout *l, double after)
{
    double next = INFINITY;
    for (size_t k = 0; k < p->n; k++)
        for (size_t i = 0; p->all[k].name && i < p->all[k].n; i++) {
            double x = axis_place(&l->x, p->all[k].x[i]);
            if (x > after && x < next && x < l->x.to + 1) next = x;
        }
    return next;
}

/* The point of a series at coordinate x; s->n if it has none. */
static size_t point_at(const layout *l, const series *s, double x)
{
    size_t i = 0;
    while (i < s->n && !(fabs(axis_place(&l->x, s->x[i]) - x) < SAME)) i++;
    return i;
}

/* A value, with its error or its band. */
static void put_value(FILE *out, const series *s, size_t i)
{
    if (isnan(s->y[i]) && !(s->low && isfinite(s->low[i])))
        fputs("no value", out);
    else if (isinf(s->y[i]))
        fputs(s->y[i] > 0 ? "infinite" : "-infinite", out);
    else if (!isnan(s->y[i]))
        fprintf(out, "%.5g", s->y[i]);
    if (s->error && s->error[i] > 0) fprintf(out, " \u00b1 %.2g", s->error[i]);
    if (s->low && isfinite(s->low[i])) fprintf(out, " [%.5g, %.5g]", s->low[i], s->high[i]);
}

/* "eta = 0.1", then a line for each curve that has a point there. A single curve is called by what
 * is on the axis of y. */
static void put_title(FILE *out, const plot *p, const layout *l, double x)
{
    int headed = 0;
    for (size_t k = 0; k < p->n; k++) {
        const series *s = &p->all[k];
        size_t i = s->name ? point_at(l, s, x) : s->n;
        if (i == s->n) continue;
        if (!headed++) {
            markup_write(p->x_key, MARKUP_PLAIN, out);
            fprintf(out, " = %.6g", s->x[i]);
        }
        fputc('\n', out);
        markup_write(*s->name ? s->name : p->y_key, MARKUP_PLAIN, out);
        fputs(": ", out);
        put_value(out, s, i);
    }
}

void draw_hover(const plot *p, const layout *l, FILE *out)
{
    double from = l->frame.x, x = next_x(p, l, -INFINITY);
    while (isfinite(x)) {
        double next = next_x(p, l, x + APART);
        double to = isfinite(next) ? (x + next) / 2 : l->frame.x + l->frame.w;
        fprintf(out,
                "<rect class=\"fp-hit fp-ink\" fill=\"#222222\" fill-opacity=\"0\" x=\"%.6g\" "
                "y=\"%.6g\" width=\"%.6g\" height=\"%.6g\"><title>",
                tidy(from), tidy(l->frame.y), tidy(to - from), tidy(l->frame.h));
        put_title(out, p, l, x);
        fputs("</title></rect>\n", out);
        from = to;
        x = next;
    }
}
