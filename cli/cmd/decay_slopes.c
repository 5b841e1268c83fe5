/* finf rates: the slopes that are measured in the table of decays, beside those of the rates.
 * (theory 5.4, 9) */
#include <stdlib.h>

#include "decay_table.h"

/* What a slope is taken against. d_eff changes with the decay a, at fixed d and eta. */
typedef enum { AGAINST_D, AGAINST_ETA, AGAINST_D_EFF, AGAINST_COUNT } against;
static const char *const AGAINST[] = {"d", "eta", "d_eff"};

/* A line of cells along which one thing changes. */
typedef struct {
    against x;
    const decay_cell *first; /* its first one */
    size_t n, stride;        /* how many, and how far apart in `cells` */
} line;

/* The slope of log y against log x along a line. y points at a member of its first cell; the other
 * cells have theirs at the same distance from their start. (d_eff, the one x that is computed, is
 * right to rounding, which the error has in it.) */
static finf_real slope(const line *l, const finf_real *y, size_t *points)
{
    const decay_cell *c = l->first;
    const double *x = l->x == AGAINST_D ? &c->d : l->x == AGAINST_ETA ? &c->eta : &c->d_eff.value;
    size_t stride = l->stride * sizeof *c;
    return finf_real_make(finf_log_slope(x, &y->value, l->n, stride, points),
                          finf_log_slope_error(x, &y->value, &y->error, l->n, stride),
                          "least squares");
}

typedef struct {
    finf_real sgd, nu, optimum; /* log-log slopes of F_inf; NaN: none */
    size_t points;              /* that they are fitted to */
    char at[96], why[160];      /* where; why there is no slope, or which points it leaves out */
} fit;

/* The slopes of one line, and where it runs: the names and values of the two things that do not
 * change along it. */
static fit fit_line(const line *l)
{
    fit f;
    const decay_cell *c = l->first;
    const char *names[] = {"a", "d", "eta"};
    const double values[] = {c->a, c->d, c->eta};
    /* which of a, d, eta changes along the line; the two others say where it is */
    const int swept[] = {[AGAINST_D] = 1, [AGAINST_ETA] = 2, [AGAINST_D_EFF] = 0};
    int first = swept[l->x] == 0, second = swept[l->x] == 2 ? 1 : 2;
    f.sgd = slope(l, &c->sgd, &f.points);
    f.nu = slope(l, &c->nu, &f.points);
    f.optimum = slope(l, &c->optimum, &f.points);
    f.why[0] = 0;
    snprintf(f.at, sizeof f.at, "(%s = %s, %s = %s)", names[first], finf_show(values[first]).s,
             names[second], finf_show(values[second]).s);
    if (f.points < 2)
        snprintf(f.why, sizeof f.why, "no slope: %zu of %zu values are finite", f.points, l->n);
    else if (isnan(f.sgd.value))
        snprintf(f.why, sizeof f.why, "no slope: %s has one value only", AGAINST[l->x]);
    else if (f.points < l->n)
        snprintf(f.why, sizeof f.why, "over the %zu finite values of %zu", f.points, l->n);
    return f;
}

/* Every line of one kind: one for each choice of the two other things. There is none where the
 * swept thing has one value. out = NULL: only how many there are. */
static size_t lines(const decay_table *t, against x, line *out)
{
    size_t A = t->x.n_decays, D = t->x.n_dims, E = t->x.n_etas, n = 0;
    size_t across[] = {[AGAINST_D] = D, [AGAINST_ETA] = E, [AGAINST_D_EFF] = A};
    size_t stride[] = {[AGAINST_D] = E, [AGAINST_ETA] = 1, [AGAINST_D_EFF] = D * E};
    if (across[x] < 2) return 0;
    for (size_t a = 0; a < (x == AGAINST_D_EFF ? 1 : A); a++)
        for (size_t k = 0; k < (x == AGAINST_D ? 1 : D); k++)
            for (size_t e = 0; e < (x == AGAINST_ETA ? 1 : E); e++, n++)
                if (out) out[n] = (line){x, decay_at(t, a, k, e), across[x], stride[x]};
    return n;
}

static void show_fit(doc *d, const line *l, const fit *f)
{
    doc_row(d);
    doc_string(d, "against", DATA_ONLY, AGAINST[l->x], NULL);
    doc_string(d, "at", DATA_ONLY, f->at, NULL);
    doc_real(d, "slope_sgd", DATA_ONLY, f->sgd, NULL);
    doc_real(d, "slope_paper", DATA_ONLY, f->nu, NULL);
    doc_real(d, "slope_best", DATA_ONLY, f->optimum, NULL);
    doc_number(d, "points", DATA_ONLY, (double)f->points, NULL);
    doc_string(d, "reason", DATA_ONLY, f->why, NULL);
}

/* A table for each kind of line. What changes along the line has no value, and is a dash. */
static void show_fits_text(doc *d, against x, const line *l, const fit *f, size_t n)
{
    static const char *const NAMES[] = {"a",           "d",          "eta",   "slope_sgd",
                                        "slope_paper", "slope_best", "points"};
    enum { COLUMNS = 7 };
    double *data = malloc(COLUMNS * n * sizeof *data);
    for (size_t i = 0; data && i < n; i++) {
        const decay_cell *c = l[i].first;
        double row[COLUMNS] = {x == AGAINST_D_EFF ? NAN : c->a,
                               x == AGAINST_D ? NAN : c->d,
                               x == AGAINST_ETA ? NAN : c->eta,
                               f[i].sgd.value,
                               f[i].nu.value,
                               f[i].optimum.value,
                               (double)f[i].points};
        memcpy(data + COLUMNS * i, row, sizeof row);
    }
    doc_note(d, "Log-log slopes against %s", AGAINST[x]);
    if (!data) doc_fail(d);
    if (data) doc_table(d, NULL, COLUMNS, NAMES, data, n);
    for (size_t i = 0; i < n; i++)
        if (f[i].why[0]) doc_note(d, "  %s: %s", f[i].at, f[i].why);
    free(data);
}

/* Slopes against everything that has several values: text as a table for each, CSV and JSON a row
 * for each line. */
finf_status show_slopes(doc *d, const args *a, const decay_table *t, finf_reason *why)
{
    for (against x = 0; x < AGAINST_COUNT; x++) {
        size_t n = lines(t, x, NULL);
        if (!n) continue;
        line *l = malloc(n * sizeof *l);
        fit *f = l ? malloc(n * sizeof *f) : NULL;
        if (f) lines(t, x, l);
        for (size_t i = 0; f && i < n; i++) f[i] = fit_line(&l[i]);
        if (f && wants_text(a)) show_fits_text(d, x, l, f, n);
        for (size_t i = 0; f && i < n && !wants_text(a); i++) show_fit(d, &l[i], &f[i]);
        int failed = !f;
        free(f);
        free(l);
        if (failed) return finf_why(why, FINF_ENOMEM, "no memory");
    }
    return FINF_OK;
}
