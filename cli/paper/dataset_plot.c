/* A figure drawn: curves with their names and slopes, the paper's rates, simulated points, bands.
 */
#include <stdlib.h>

#include "dataset.h"

/* x, y and the second column of series i, one after the other, d->rows of each, into z. A rate is
 * multiplied by the constant that fits. Returns 0 if there is nothing to draw. */
static int series_data(const dataset *d, size_t i, double *z)
{
    const figure_column *c = &d->f->column[i];
    double *x = z, *y = z + d->rows, *e = y + d->rows;
    double scale = c->role == ROLE_RATE ? dataset_constant(d, d->at[i], d->at[c->of - 1]) : 1;
    int any = 0;
    for (size_t r = 0; r < d->rows; r++) {
        x[r] = dataset_cell(d, r, 0);
        y[r] = scale * dataset_cell(d, r, d->at[i]);
        e[r] = c->extra ? dataset_cell(d, r, d->at[i] + 1) : NAN;
        any |= isfinite(y[r]);
    }
    return any;
}

/* A column as a series of the plot; z as series_data has filled it, and n times NaN behind it. */
static void add_column(const dataset *d, size_t i, double *z, plot *p)
{
    const figure_column *c = &d->f->column[i];
    size_t n = d->rows;
    double *y = z + n, *e = y + n, *none = e + n;
    char label[128] = "";
    if (c->label && c->slope)
        snprintf(label, sizeof label, "%s, slope %.2f", c->label, dataset_slope(d, d->at[i]));
    else if (c->label)
        snprintf(label, sizeof label, "%s", c->label);
    plot_series s = {.name = c->label && c->role == ROLE_CURVE ? c->label : c->name,
                     .label = label,
                     .x = z,
                     .y = y,
                     .n = n,
                     .colour = c->colour,
                     .line = c->line};
    if (c->role == ROLE_BAND) {
        s.y = none;
        s.low = y;
        s.high = e;
        s.line = LINE_NONE;
    } else if (c->role == ROLE_POINTS || c->role == ROLE_MARKS) {
        for (size_t r = 0; r < n; r++) e[r] *= 2;
        s.error = c->role == ROLE_POINTS ? e : NULL;
        s.line = LINE_NONE;
        s.marks = 1;
    }
    plot_add(p, &s);
}

/* A sample in the legend, in grey: it holds for every colour. */
static void add_sample(plot *p, const char *words, plot_line line, int marks, int band)
{
    double none = NAN;
    plot_add(p, &(plot_series){.label = words,
                               .x = &none,
                               .y = &none,
                               .low = band ? &none : NULL,
                               .high = band ? &none : NULL,
                               .line = line,
                               .marks = marks,
                               .colour = PLOT_GREY,
                               .legend = 1});
}

/* What lines, points and shades mean, where the figure has them. */
static void add_samples(const figure *f, const int *has_role, plot *p)
{
    for (size_t i = 0; i < FIGURE_SAMPLES && f->sample[i].words; i++)
        add_sample(p, f->sample[i].words, f->sample[i].line, f->sample[i].line == LINE_NONE, 0);
    if (has_role[ROLE_RATE]) add_sample(p, "the paper's rate, fitted", LINE_DASHED, 0, 0);
    if (has_role[ROLE_POINTS]) add_sample(p, "simulated", LINE_NONE, 1, 0);
    if (has_role[ROLE_BAND]) add_sample(p, "proven for any inputs", LINE_NONE, 0, 1);
}

plot *dataset_plot(const dataset *d)
{
    const figure *f = d->f;
    size_t n = d->rows;
    int has_role[ROLES] = {0};
    plot *p = plot_new(f->title, f->subtitle, (plot_axis){f->x_label, f->x, f->x_scale},
                       (plot_axis){f->y_label, NULL, f->y_scale});
    double *z = malloc(4 * (n + 1) * sizeof *z);
    for (size_t i = 0; z && i < n; i++) z[3 * n + i] = NAN;
    for (size_t i = 0; z && i < figure_columns(f); i++) {
        if (f->column[i].role == ROLE_HIDDEN || !series_data(d, i, z)) continue;
        add_column(d, i, z, p);
        has_role[f->column[i].role] = 1;
    }
    add_samples(f, has_role, p);
    if (z) {
        free(z);
        return p;
    }
    plot_free(p);
    return NULL;
}
