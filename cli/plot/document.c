/* A document as a plot: its rows are sorted into curves by the keys that tell these apart, and what
 * cannot be drawn is said below. */
#include "plot_document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"

#define NAME 160   /* characters of the name of a curve */
#define SHOWN 4    /* values of x named in a note about gaps */
#define MARKED 24  /* curves of at most so many points have marks at them */
#define PIECES 600 /* characters of a title, a label, a note */

/* Keys in words, for titles and axes. */
static const struct {
    const char *key, *words;
} WORDS[] = {
    {"eta", "learning rate eta"},
    {"kappa", "condition number kappa"},
    {"d", "dimension d"},
    {"dim", "dimension d"},
    {"rho", "privacy rho (zCDP)"},
    {"epsilon", "privacy epsilon"},
    {"nu", "damping nu"},
    {"steps", "steps"},
    {"t", "step t"},
    {"half_life", "half-life of the slowest direction, in steps"},
    {"contraction", "contraction of the slowest direction, a step"},
    {"w", "frequency w"},
    {"d_eff", "effective dimension d_eff"},
    {"F_inf", "F_inf = lim E[F(theta_t) - F*]"},
    {"F_sim", "F_inf, simulated"},
    {"F_best", "F_inf of the best noise"},
    {"F_sgd", "F_inf of independent noise"},
    {"bound", "bound on F_inf"},
    {"gamma2", "squared sensitivity gamma^2"},
    {"gamma2_T", "squared sensitivity gamma_T^2"},
    {"sens2", "squared sensitivity"},
};

static const char *in_words(const char *key)
{
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (strcmp(WORDS[i].key, key) == 0) return WORDS[i].words;
    return key;
}

/* The table as it is drawn. */
typedef struct {
    const doc *d;
    const plot_request *r;
    size_t n;             /* rows */
    double *x;            /* of every row */
    double *y[PLOT_KEYS]; /* NULL: not in the table */
    double *low[PLOT_KEYS], *high[PLOT_KEYS];
    size_t ys;          /* keys of r->y */
    size_t drawn;       /* of which so many are in the table */
    char (*name)[NAME]; /* of the curve that a row belongs to; NULL: one curve */
    size_t groups;      /* how many names there are */
    double *points;     /* room for a curve: x, y, low, high, and the row, of each */
    size_t *order;      /* room for the rows of a curve, in the order of x */
} board;

static finf_status no_memory(finf_reason *why)
{
    return finf_why(why, FINF_ENOMEM, "no memory for the plot");
}

static void release(board *b)
{
    free(b->x);
    for (size_t k = 0; k < PLOT_KEYS; k++) {
        free(b->y[k]);
        free(b->low[k]);
        free(b->high[k]);
    }
    free(b->name);
    free(b->points);
    free(b->order);
}

/* ---- reading the document -------------------------------------------------------------------- */

/* A column of numbers as long as x; NULL if there is none. */
static finf_status read_column(const board *b, const char *key, double **out, finf_reason *why)
{
    size_t n = 0;
    *out = doc_column(b->d, key, &n);
    if (!*out && n) return no_memory(why);
    if (*out && n != b->n) {
        free(*out);
        *out = NULL;
    }
    return FINF_OK;
}

/* The band of key K: K_low and K_high, both or none. */
static finf_status read_band(board *b, size_t k, finf_reason *why)
{
    char key[NAME];
    snprintf(key, sizeof key, "%.140s_low", b->r->y[k]);
    finf_status s = read_column(b, key, &b->low[k], why);
    snprintf(key, sizeof key, "%.140s_high", b->r->y[k]);
    if (!s) s = read_column(b, key, &b->high[k], why);
    if (s || (b->low[k] && b->high[k])) return s;
    free(b->low[k]);
    free(b->high[k]);
    b->low[k] = b->high[k] = NULL;
    return s;
}

static finf_status read_columns(board *b, finf_reason *why)
{
    const plot_request *r = b->r;
    b->x = doc_column(b->d, r->x, &b->n);
    if (!b->x && b->n) return no_memory(why);
    if (!b->x || !b->n) return finf_why(why, FINF_EDOM, "nothing to draw: no '%.60s'", r->x);
    for (; b->ys < PLOT_KEYS && r->y[b->ys]; b->ys++) {
        finf_status s = read_column(b, r->y[b->ys], &b->y[b->ys], why);
        if (!s) s = read_band(b, b->ys, why);
        if (s) return s;
        b->drawn += b->y[b->ys] != NULL;
    }
    if (b->drawn) return FINF_OK;
    return finf_why(why, FINF_EDOM, "nothing to draw: no '%.60s'", b->ys ? r->y[0] : "y");
}

/* Whether two cells hold the same. */
static int same_cell(doc_cell a, doc_cell b)
{
    if (a.kind != b.kind) return 0;
    if (a.kind == CELL_TEXT) return strcmp(a.text, b.text) == 0;
    return a.value == b.value || (isnan(a.value) && isnan(b.value));
}

/* Whether records differ in this key. */
static int varies(const board *b, const char *key)
{
    doc_cell first = doc_at(b->d, 0, key);
    for (size_t i = 1; i < b->n; i++)
        if (!same_cell(first, doc_at(b->d, i, key))) return 1;
    return 0;
}

/* Appends the value of a key to the name of a curve: a text as it is, a number with its key. */
static void add_to_name(char *name, const char *key, doc_cell c)
{
    size_t used = strlen(name);
    const char *comma = used ? ", " : "";
    if (c.kind == CELL_TEXT)
        snprintf(name + used, NAME - used, "%s%s", comma, c.text);
    else if (c.kind != CELL_EMPTY)
        snprintf(name + used, NAME - used, "%s%s = %.6g", comma, key, c.value);
}

/* Whether row i is the first of its curve. */
static int is_first(const board *b, size_t i)
{
    for (size_t k = 0; b->name && k < i; k++)
        if (strcmp(b->name[k], b->name[i]) == 0) return 0;
    return b->name || i == 0;
}

/* Names the curve of every row, if these are records and something tells them apart. */
static finf_status name_rows(board *b, finf_reason *why)
{
    b->groups = 1;
    if (doc_rows(b->d) != b->n) return FINF_OK;
    for (size_t k = 0; k < PLOT_KEYS && b->r->by[k]; k++) {
        const char *key = b->r->by[k];
        if (strcmp(key, b->r->x) == 0 || !varies(b, key)) continue;
        if (!b->name && !(b->name = calloc(b->n, sizeof *b->name))) return no_memory(why);
        for (size_t i = 0; i < b->n; i++) add_to_name(b->name[i], key, doc_at(b->d, i, key));
    }
    if (!b->name) return FINF_OK;
    b->groups = 0;
    for (size_t i = 0; i < b->n; i++) b->groups += (size_t)is_first(b, i);
    return FINF_OK;
}

/* ---- curves ---------------------------------------------------------------------------------- */

/* The rows of the curve whose first row is `first`, in the order of x. */
static size_t gather(const board *b, size_t first)
{
    size_t n = 0;
    for (size_t i = first; i < b->n; i++) {
        if (b->name && strcmp(b->name[i], b->name[first]) != 0) continue;
        size_t k = n++;
        for (; k > 0 && b->x[b->order[k - 1]] > b->x[i]; k--) b->order[k] = b->order[k - 1];
        b->order[k] = i;
    }
    return n;
}

/* The name of a curve: what tells its rows apart, its key if there are several, or nothing. */
static void name_curve(const board *b, size_t first, size_t k, char *out, size_t size)
{
    const char *row = b->name ? b->name[first] : "";
    int keyed = b->drawn > 1;
    snprintf(out, size, "%s%s%s%s%s", *row ? MARKUP_LITERAL : "", row, *row ? MARKUP_LITERAL : "",
             *row && keyed ? ", " : "", keyed ? b->r->y[k] : "");
}

/* Colours tell groups apart, and lines keys; with one group colours tell keys apart. Where colours
 * begin again, the line is another. */
static void choose_looks(const board *b, size_t group, size_t k, plot_series *s)
{
    static const int COLOURS[PLOT_COLOURS] = {0, 1, 2, 3, 5, 7, 6, PLOT_GREY};
    size_t colour = b->groups > 1 ? group : k, line = b->groups > 1 ? k : 0;
    s->colour = COLOURS[colour % PLOT_COLOURS];
    s->line = (plot_line)((line + colour / PLOT_COLOURS) % LINE_NONE);
}

/* Adds the curve of key k with the n rows in b->order. */
static void add_curve(const board *b, plot *p, size_t n, size_t group, size_t k, const char *name)
{
    double *x = b->points, *y = x + b->n, *low = y + b->n, *high = low + b->n;
    plot_series s = {.name = name, .x = x, .y = y, .n = n, .marks = n <= MARKED};
    choose_looks(b, group, k, &s);
    for (size_t i = 0; i < n; i++) {
        size_t row = b->order[i];
        x[i] = b->x[row];
        y[i] = b->y[k][row];
        low[i] = b->low[k] ? b->low[k][row] : NAN;
        high[i] = b->high[k] ? b->high[k][row] : NAN;
    }
    if (b->low[k]) {
        s.low = low;
        s.high = high;
    }
    plot_add(p, &s);
}

/* ---- what is said below ---------------------------------------------------------------------- */

/* Appends to a text of PIECES characters. */
static void append(char *text, const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, PIECES - used, "%s", more);
}

/* Whether a value leaves a gap of this kind: infinite, or not there. */
static int is_gap(double v, int infinite) { return infinite ? isinf(v) : isnan(v); }

/* "name: infinite at eta = 1, 2, 3, 4 and 2 more (reason)"; nothing if there is no such gap. */
static int put_gaps(const board *b, size_t n, size_t k, int infinite, const char *name, char *out)
{
    const doc_cell none = {CELL_EMPTY, NAN, NULL};
    doc_cell reason = none;
    char piece[300];
    size_t gaps = 0;
    for (size_t i = 0; i < n; i++) {
        size_t row = b->order[i];
        if (!is_gap(b->y[k][row], infinite)) continue;
        if (!gaps++ && doc_rows(b->d) == b->n) reason = doc_at(b->d, row, "reason");
        snprintf(piece, sizeof piece, "%s%.6g", gaps == 1 ? "" : ", ", b->x[row]);
        if (gaps == 1)
            snprintf(out, PIECES, "%s%s%s at %s = ", name, *name ? ": " : "",
                     infinite ? "infinite" : "no value", b->r->x);
        if (gaps <= SHOWN) append(out, piece);
    }
    if (!gaps) return 0;
    snprintf(piece, sizeof piece, " and %zu more", gaps - SHOWN);
    if (gaps > SHOWN) append(out, piece);
    if (reason.kind == CELL_TEXT && *reason.text) {
        snprintf(piece, sizeof piece, " (" MARKUP_LITERAL "%.250s" MARKUP_LITERAL ")", reason.text);
        append(out, piece);
    }
    return 1;
}

/* Notes about the gaps of a curve; `said` counts all that there are, of which the plot keeps one
 * less than it has room for. */
static void note_gaps(const board *b, plot *p, size_t n, size_t k, const char *name, size_t *said)
{
    char text[PIECES] = "";
    for (int infinite = 1; infinite >= 0; infinite--)
        if (put_gaps(b, n, k, infinite, name, text) && ++*said < PLOT_NOTES) plot_note(p, text);
}

/* ---- the plot -------------------------------------------------------------------------------- */

static void add_curves(const board *b, plot *p)
{
    size_t group = 0, said = 0;
    char name[NAME + 64];
    for (size_t i = 0; i < b->n; i++) {
        if (!is_first(b, i)) continue;
        size_t n = gather(b, i);
        for (size_t k = 0; k < b->ys; k++) {
            if (!b->y[k]) continue;
            name_curve(b, i, k, name, sizeof name);
            add_curve(b, p, n, group, k, name);
            note_gaps(b, p, n, k, name, &said);
        }
        group++;
    }
    if (said < PLOT_NOTES) return;
    snprintf(name, sizeof name, "Gaps of the same kind: %zu more.", said - PLOT_NOTES + 1);
    plot_note(p, name);
}

/* The scale of an axis: logarithmic if every finite value is positive, and there is one. */
static plot_scale scale_of(const double *v, size_t n, plot_scale before)
{
    for (size_t i = 0; i < n; i++)
        if (isfinite(v[i]) && !(v[i] > 0)) return PLOT_LINEAR;
    return before;
}

static plot *make_plot(const board *b)
{
    const plot_request *r = b->r;
    plot_axis x = {r->x_label ? r->x_label : in_words(r->x), r->x, PLOT_LINEAR}, y = {0};
    char label[PIECES] = "", title[2 * PIECES];
    if (r->x_log) x.scale = scale_of(b->x, b->n, PLOT_LOG);
    y.scale = PLOT_LOG;
    for (size_t k = 0; k < b->ys; k++) {
        if (!b->y[k]) continue;
        y.scale = scale_of(b->y[k], b->n, y.scale);
        if (*label) append(label, ", ");
        append(label, b->drawn > 1 ? r->y[k] : in_words(r->y[k]));
    }
    y.label = r->y_label ? r->y_label : label;
    snprintf(title, sizeof title, "%s against %s", y.label, x.label);
    char fixed[PIECES];
    snprintf(fixed, sizeof fixed, MARKUP_LITERAL "%s" MARKUP_LITERAL,
             r->subtitle ? r->subtitle : "");
    plot *p = plot_new(r->title ? r->title : title, r->subtitle ? fixed : NULL, x, y);
    add_curves(b, p);
    plot_command(p, r->command);
    return p;
}

finf_status plot_document(const doc *d, const plot_request *r, FILE *out, finf_reason *why)
{
    board b = {.d = d, .r = r};
    plot *p = NULL;
    finf_status s = read_columns(&b, why);
    if (!s) s = name_rows(&b, why);
    if (!s) {
        b.points = malloc(4 * b.n * sizeof *b.points);
        b.order = malloc(b.n * sizeof *b.order);
        if (b.points && b.order) p = make_plot(&b);
        if (plot_failed(p)) s = no_memory(why);
    }
    if (!s) plot_svg(p, NULL, out);
    plot_free(p);
    release(&b);
    return s;
}
