/* The slopes as plots. Every record is a slope for each noise, at a pair of values: one of them
 * goes along the axis of x, the other tells lines apart; colours are noises. */
#include "slopes.h"

#include <math.h>
#include <string.h>

#include "looks.h"

enum { POINTS = 64, LINES = 3, NOISES = 3 };

static const struct {
    const char *name, *against;  /* the file, and the field `against` of its records */
    const char *x_label, *x_key; /* what is along the axis of x */
    plot_scale scale;
    const char *line; /* what tells lines apart */
    const char *title, *subtitle, *caption;
} PLOT[SLOPE_PLOTS] = {
    {"table3-slopes-d", "d", "eigenvalues decay like k^{-a}: a", "a", PLOT_LINEAR, "eta",
     "The faster the eigenvalues decay, the less correlated noise feels the dimension; DP-SGD "
     "always "
     "does",
     "Log-log slopes of the exact F_inf against d, from d = 64 to 1024",
     "Table 3 says 1 for DP-SGD, and for nu = eta mu 1 - a up to logarithms, 0 from a = 1 on. The "
     "best "
     "noise loses the logarithms too."},
    {"table3-slopes-eta", "eta", "eigenvalues decay like k^{-a}: a", "a", PLOT_LINEAR, "d",
     "Against the learning rate, correlated noise has a slope near 2 and DP-SGD near 1, whatever "
     "the "
     "spectrum",
     "Log-log slopes of the exact F_inf against eta, from eta = 0.002 to 0.018",
     "Table 3 says 1 for DP-SGD, and 2 up to logarithms for nu = eta mu. For slow decay and large "
     "d "
     "both are steeper: the largest eta comes near the limit of stability."},
    {"table3-slopes-deff", "d_eff", "learning rate eta", "eta", PLOT_LOG, "d",
     "Against the effective dimension, correlated noise has a slope near 1 and DP-SGD near 0",
     "Log-log slopes of the exact F_inf against d_eff; eigenvalues k^{-a}, a from 0.5 to 2",
     "Table 3 says 0 for DP-SGD, and 1 up to logarithms for nu = eta mu."}};

static const struct {
    const char *key, *name;
    int colour;
} NOISE[NOISES] = {{"slope_sgd", "DP-SGD", LOOK_SGD},
                   {"slope_paper", "nu = eta mu", LOOK_NU},
                   {"slope_best", "best noise", LOOK_BEST}};

const char *slopes_name(size_t i) { return PLOT[i].name; }

const char *slopes_caption(size_t i) { return PLOT[i].caption; }

/* The points of one plot. */
typedef struct {
    double x[POINTS], line[POINTS], y[NOISES][POINTS];
    size_t n;
    double lines[LINES]; /* the values that tell lines apart, */
    size_t n_lines;      /* as they come */
} slopes;

/* Adds a record, if it belongs to plot i and there is room. */
static void read_record(const doc *d, size_t row, size_t i, slopes *s)
{
    doc_cell against = doc_at(d, row, "against");
    double line = doc_at(d, row, PLOT[i].line).value;
    if (against.kind != CELL_TEXT || strcmp(against.text, PLOT[i].against) != 0) return;
    if (isnan(line)) return;
    size_t k = 0;
    while (k < s->n_lines && s->lines[k] != line) k++;
    if (k == LINES || s->n == POINTS) return;
    if (k == s->n_lines) s->lines[s->n_lines++] = line;
    s->x[s->n] = doc_at(d, row, PLOT[i].x_key).value;
    s->line[s->n] = line;
    for (size_t j = 0; j < NOISES; j++) s->y[j][s->n] = doc_at(d, row, NOISE[j].key).value;
    s->n++;
}

/* The line k of noise j; the middle one is labelled. */
static void add_line(const slopes *s, size_t i, size_t j, size_t k, plot *p)
{
    static const plot_line LOOKS[LINES] = {LINE_DOTTED, LINE_SOLID, LINE_DASHED};
    double x[POINTS], y[POINTS];
    size_t n = 0;
    char name[64];
    for (size_t m = 0; m < s->n; m++) {
        if (s->line[m] != s->lines[k]) continue;
        x[n] = s->x[m];
        y[n++] = s->y[j][m];
    }
    snprintf(name, sizeof name, "%s, %s = %.6g", NOISE[j].name, PLOT[i].line, s->lines[k]);
    plot_add(p, &(plot_series){.name = name,
                               .label = k == s->n_lines / 2 ? NOISE[j].name : "",
                               .x = x,
                               .y = y,
                               .n = n,
                               .marks = 1,
                               .line = LOOKS[k],
                               .colour = NOISE[j].colour});
    snprintf(name, sizeof name, "%s = %.6g", PLOT[i].line, s->lines[k]);
    double none = NAN;
    if (j == 0)
        plot_add(p, &(plot_series){.label = name,
                                   .x = &none,
                                   .y = &none,
                                   .line = LOOKS[k],
                                   .colour = PLOT_GREY,
                                   .legend = 1});
}

static slopes read_all(const doc *d, size_t i)
{
    slopes s = {.n = 0};
    for (size_t row = 0; row < doc_rows(d); row++) read_record(d, row, i, &s);
    return s;
}

size_t slopes_count(const doc *d, size_t i)
{
    slopes s = read_all(d, i);
    size_t n = 0;
    for (size_t j = 0; j < NOISES; j++)
        for (size_t m = 0; m < s.n; m++) n += isfinite(s.y[j][m]) != 0;
    return n;
}

plot *slopes_plot(const doc *d, size_t i)
{
    slopes s = read_all(d, i);
    plot *p = plot_new(PLOT[i].title, PLOT[i].subtitle,
                       (plot_axis){PLOT[i].x_label, PLOT[i].x_key, PLOT[i].scale},
                       (plot_axis){"slope", NULL, PLOT_LINEAR});
    for (size_t j = 0; j < NOISES; j++)
        for (size_t k = 0; k < s.n_lines; k++) add_line(&s, i, j, k, p);
    plot_describe(p, PLOT[i].caption);
    return p;
}
