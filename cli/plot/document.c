/* A document as a plot: its rows are sorted into curves by the keys that tell these apart, and what
 * cannot be drawn is said below. */
#include "plot_document.h"

#include <ctype.h>
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
    {"noising_coef", "noising coefficients |beta_t|"},
    {"strategy_coef", "strategy coefficients |c_t|"},
    {"density", "density |B(w)|^2"},
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

/* A name as a label: numbers of more than eight characters have four digits only. */
static void shorten(const char *name, char *out, size_t size)
{
    size_t n = 0;
    while (*name && n + 32 < size) {
        char *end = NULL;
        double v = strspn(name, "0123456789") ? strtod(name, &end) : 0;
        if (end && end - name > 8) {
            n += (size_t)snprintf(out + n, size - n, "%.4g", v);
            name = end;
            continue;
        }
        /* a number as it is, or one character */
        for (const char *stop = end ? end : name + 1; name < stop && n + 1 < size;)
            out[n++] = *name++;
    }
    out[n] = 0;
}

/* Colours tell groups apart, and lines keys; with one group colours tell keys apart. Where colours
 * begin again, the line is another. */
static void choose_looks(const board *b, size_t group, size_t k, plot_series *s)
{
    static const int COLOURS[PLOT_COLOURS] = {0, 1, 2, 3, 7, 6, 5, PLOT_GREY};
    size_t colour = b->groups > 1 ? group : k, line = b->groups > 1 ? k : 0;
    s->colour = COLOURS[colour % PLOT_COLOURS];
    s->line = (plot_line)((line + colour / PLOT_COLOURS) % LINE_NONE);
}

/* Adds the curve of key k with the n rows in b->order. */
static void add_curve(const board *b, plot *p, size_t n, size_t group, size_t k, const char *name)
{
    double *x = b->points, *y = x + b->n, *low = y + b->n, *high = low + b->n;
    char label[NAME + 128];
    shorten(name, label, sizeof label);
    plot_series s = {.name = name, .label = label, .x = x, .y = y, .n = n, .marks = n <= MARKED};
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

/* A gap that one or several curves have. */
typedef struct {
    char where[PIECES]; /* "infinite at eta = 1, 2, 3, 4 and 2 more" */
    char reason[300];   /* of the first row, or nothing */
    char names[PIECES]; /* of the first curves that have it, */
    size_t curves;      /* and how many have it */
} gap;

typedef struct {
    gap all[PLOT_NOTES - 1];
    size_t n;
    size_t more;   /* gaps that there is no room for */
    size_t curves; /* of the plot */
} gap_list;

/* Finds the gap of this kind in key k of the n rows in b->order. 0: there is none. */
static int find_gap(const board *b, size_t n, size_t k, int infinite, gap *out)
{
    doc_cell reason = {CELL_EMPTY, NAN, NULL};
    char piece[64];
    size_t gaps = 0;
    *out = (gap){.curves = 1};
    snprintf(out->where, PIECES, "%s at %s =", infinite ? "infinite" : "no value", b->r->x);
    for (size_t i = 0; i < n; i++) {
        size_t row = b->order[i];
        if (!is_gap(b->y[k][row], infinite)) continue;
        if (!gaps++ && doc_rows(b->d) == b->n) reason = doc_at(b->d, row, "reason");
        snprintf(piece, sizeof piece, "%s %.6g", gaps == 1 ? "" : ",", b->x[row]);
        if (gaps <= SHOWN) append(out->where, piece);
    }
    snprintf(piece, sizeof piece, " and %zu more", gaps - SHOWN);
    if (gaps > SHOWN) append(out->where, piece);
    if (reason.kind == CELL_TEXT && *reason.text)
        snprintf(out->reason, sizeof out->reason, " (" MARKUP_LITERAL "%.250s" MARKUP_LITERAL ")",
                 reason.text);
    return gaps > 0;
}

/* Adds the gaps of the curve `name`; those that another curve has too are said once. */
static void add_gaps(const board *b, size_t n, size_t k, const char *name, gap_list *to)
{
    for (int infinite = 1; infinite >= 0; infinite--) {
        gap g;
        size_t i = 0;
        if (!find_gap(b, n, k, infinite, &g)) continue;
        while (i < to->n && strcmp(to->all[i].where, g.where) != 0) i++;
        if (i == PLOT_NOTES - 1) {
            to->more++;
            continue;
        }
        if (i == to->n)
            to->all[to->n++] = g;
        else
            to->all[i].curves++;
        if (to->all[i].curves > SHOWN) continue;
        if (to->all[i].curves > 1) append(to->all[i].names, ", ");
        append(to->all[i].names, name);
    }
    to->curves++;
}

/* "sgd, nu:0.1 and 3 more: infinite at eta = 1, 2 (reason)". */
static void note_gap(const gap *g, size_t curves, plot *p)
{
    char text[2 * PIECES + 400], more[64] = "";
    if (g->curves > SHOWN) snprintf(more, sizeof more, " and %zu more", g->curves - SHOWN);
    if (g->curves == curves && curves > 1)
        snprintf(text, sizeof text, "every curve: %s%s", g->where, g->reason);
    else
        snprintf(text, sizeof text, "%s%s%s%s%s", g->names, more, *g->names ? ": " : "", g->where,
                 g->reason);
    plot_note(p, text);
}

static void note_gaps(const gap_list *all, plot *p)
{
    char text[64];
    for (size_t i = 0; i < all->n; i++) note_gap(&all->all[i], all->curves, p);
    if (!all->more) return;
    snprintf(text, sizeof text, "Other gaps: %zu.", all->more);
    plot_note(p, text);
}

/* ---- the plot -------------------------------------------------------------------------------- */

static void add_curves(const board *b, plot *p)
{
    size_t group = 0;
    gap_list gaps = {.n = 0};
    char name[NAME + 64];
    for (size_t i = 0; i < b->n; i++) {
        if (!is_first(b, i)) continue;
        size_t n = gather(b, i);
        for (size_t k = 0; k < b->ys; k++) {
            if (!b->y[k]) continue;
            name_curve(b, i, k, name, sizeof name);
            add_curve(b, p, n, group, k, name);
            add_gaps(b, n, k, name, &gaps);
        }
        group++;
    }
    note_gaps(&gaps, p);
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
    /* "F_inf = lim .." is "F_inf" in the title */
    const char *defined = strstr(y.label, " = ");
    snprintf(title, sizeof title, "%.*s against %s",
             (int)(defined ? (size_t)(defined - y.label) : strlen(y.label)), y.label, x.label);
    /* words begin with a capital, a key stays as it is */
    if (b->drawn == 1 && strchr(y.label, ' ')) title[0] = (char)toupper((unsigned char)title[0]);
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
