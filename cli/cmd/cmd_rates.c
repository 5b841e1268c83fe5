/* finf rates: exact values of F_inf beside the rates that the paper states up to a constant, for
 * eigenvalues lambda_k = k^-a, with the constant that each rate would need and the slopes that are
 * measured. The table of decays is here (the paper's Table 3); the two others have files of their
 * own. (theory 5.4, 9, 10.5) */
#include <stdlib.h>

#include "rates.h"
#include "sweep.h"

typedef struct {
    sweep_row end;
    double a, d, eta; /* decay, dimension and step size */
    /* Tr H/lambda_1; the best nu; then F_inf of DP-SGD, of nu = eta mu and of the best nu, the
     * least over all noise, and the paper's lower bound */
    finf_real d_eff, best_nu, sgd, nu, best, optimum, floor;
    finf_rates rate;    /* what the paper has for them, with unit constants */
    finf_reason reason; /* why they are infinite */
} cell;

typedef struct {
    rate_axes x;
    cell *cells; /* eta fastest, then d, then decay */
    size_t n;
} table;

/* The cell of these indices into the axes. */
static cell *at(const table *t, size_t decay, size_t dim, size_t eta)
{
    return &t->cells[(decay * t->x.n_dims + dim) * t->x.n_etas + eta];
}

/* ---- values ---------------------------------------------------------------------------------- */

/* F_inf of nu, or of DP-SGD where nu = 0. */
static finf_status regress(const finf_spectrum *H, double eta, double nu,
                           const finf_linreg_options *o, finf_linreg_result *r, finf_reason *why)
{
    finf_noise *noise = NULL;
    finf_status s = nu > 0 ? finf_noise_nu(nu, &noise, why) : finf_noise_sgd(&noise);
    if (!s && (s = finf_linreg(noise, eta, H, o, r))) *why = r->reason;
    finf_noise_free(noise);
    return s;
}

/* All values of a cell. An unstable step size is no failure: the values are infinite, with the
 * reason, and no best nu is sought. */
static finf_status fill(const finf_privacy_setting *set, cell *c, finf_reason *why)
{
    finf_spectrum *H = NULL;
    finf_linreg_options o = finf_linreg_options_default();
    finf_linreg_result sgd, nu, best;
    o.privacy = *set;
    finf_status s = finf_spectrum_power(c->a, c->d, &H, why);
    if (!s) s = regress(H, c->eta, 0, &o, &sgd, why);
    if (!s) s = regress(H, c->eta, finf_nu_of_paper(c->eta, finf_spectrum_min(H)), &o, &nu, why);
    if (!s) {
        best = nu;
        c->best_nu = finf_real_failed();
        /* where nu = eta mu is unstable every nu is: stability does not depend on the noise */
        if (nu.stable && (s = finf_tune_linreg(c->eta, H, &o, &c->best_nu, &best)))
            *why = best.reason;
    }
    if (!s && (s = finf_rates_power(c->a, c->d, c->eta, set, &c->rate))) *why = c->rate.reason;
    if (!s) {
        /* lambda_1 = 1 */
        c->d_eff = finf_real_make(nu.d_eff, finf_spectrum_trace_error(H), "");
        c->sgd = sgd.exact;
        c->nu = nu.exact;
        c->best = best.exact;
        c->optimum = nu.optimum;
        c->floor = nu.floor;
        c->reason = nu.reason;
    }
    finf_spectrum_free(H);
    return s;
}

/* A row of CSV and JSON. constant_..: value/rate, the constant that the paper's rate would need to
 * be exact here. */
static void show_cell(doc *d, const args *a, const setting *x, const cell *c)
{
    /* in a table over other options text has a line for each */
    doc_where where = a->is_point ? SHOWN : DATA_ONLY;
    char spectrum[48];
    snprintf(spectrum, sizeof spectrum, "power:%s", finf_show(c->a).s);
    doc_row(d);
    doc_string(d, "spectrum", where, spectrum, NULL);
    doc_number(d, "d", where, c->d, NULL);
    doc_number(d, "eta", where, c->eta, NULL);
    doc_real(d, "rho", DATA_ONLY, x->rho, NULL);
    doc_real(d, "d_eff", DATA_ONLY, c->d_eff, NULL);
    doc_real(d, "F_sgd", where, with_rho(x, c->sgd), NULL);
    doc_real(d, "F_paper", where, with_rho(x, c->nu), NULL);
    doc_real(d, "ratio", DATA_ONLY, finf_real_over(c->nu, c->sgd), NULL);
    doc_real(d, "F_best_nu", DATA_ONLY, with_rho(x, c->best), NULL);
    doc_real(d, "best_nu", DATA_ONLY, c->best_nu, NULL);
    doc_real(d, "F_best", where, with_rho(x, c->optimum), NULL);
    doc_real(d, "F_floor", where, with_rho(x, c->floor), NULL);
    doc_real(d, "sgd_over_floor", DATA_ONLY, finf_real_over(c->sgd, c->floor), NULL);
    doc_real(d, "paper_over_floor", DATA_ONLY, finf_real_over(c->nu, c->floor), NULL);
    doc_real(d, "best_over_floor", DATA_ONLY, finf_real_over(c->optimum, c->floor), NULL);
    doc_real(d, "rate_sgd", DATA_ONLY, with_rho(x, c->rate.sgd), NULL);
    doc_real(d, "rate_nu", DATA_ONLY, with_rho(x, c->rate.nu), NULL);
    doc_real(d, "rate_floor", DATA_ONLY, with_rho(x, c->rate.floor), NULL);
    doc_real(d, "constant_sgd", DATA_ONLY, finf_real_over(c->sgd, c->rate.sgd), NULL);
    doc_real(d, "constant_paper", DATA_ONLY, finf_real_over(c->nu, c->rate.nu), NULL);
    doc_real(d, "constant_floor", DATA_ONLY, finf_real_over(c->floor, c->rate.floor), NULL);
    doc_string(d, "reason", DATA_ONLY, c->reason.text, NULL);
}

/* The cells in text, as two tables, so that a line fits a screen: values, and ratios of them.
 * Infinite ones are explained below, the first five. */
static void show_values(doc *d, const table *t)
{
    static const char *const VALUES[] = {"a",       "d",         "eta",    "d_eff",  "F_sgd",
                                         "F_paper", "F_best_nu", "F_best", "F_floor"};
    static const char *const RATIOS[] = {"a",
                                         "d",
                                         "eta",
                                         "ratio",
                                         "sgd_over_floor",
                                         "paper_over_floor",
                                         "best_over_floor",
                                         "constant_sgd",
                                         "constant_paper"};
    enum { COLUMNS = 9, INFINITE_MAX = 5 };
    size_t infinite = 0;
    /* both tables in one allocation */
    double *values = malloc(2 * COLUMNS * t->n * sizeof *values),
           *ratios = values ? values + COLUMNS * t->n : NULL;
    for (size_t i = 0; values && i < t->n; i++) {
        const cell *c = &t->cells[i];
        double value[COLUMNS] = {c->a,          c->d,        c->eta,        c->d_eff.value,
                                 c->sgd.value,  c->nu.value, c->best.value, c->optimum.value,
                                 c->floor.value};
        double ratio[COLUMNS] = {c->a,
                                 c->d,
                                 c->eta,
                                 c->nu.value / c->sgd.value,
                                 c->sgd.value / c->floor.value,
                                 c->nu.value / c->floor.value,
                                 c->optimum.value / c->floor.value,
                                 c->sgd.value / c->rate.sgd.value,
                                 c->nu.value / c->rate.nu.value};
        memcpy(values + COLUMNS * i, value, sizeof value);
        memcpy(ratios + COLUMNS * i, ratio, sizeof ratio);
    }
    doc_note(d, "F_inf for linear regression, Gaussian inputs, eigenvalues k^-a; floor: the "
                "paper's lower bound for every "
                "noise");
    if (!values) doc_fail(d);
    if (values) doc_table(d, NULL, COLUMNS, VALUES, values, t->n);
    for (size_t i = 0; i < t->n; i++) {
        const cell *c = &t->cells[i];
        if (c->reason.text[0] && infinite++ < INFINITE_MAX)
            doc_note(d, "  inf at a = %s, d = %s, eta = %s: %s", finf_show(c->a).s,
                     finf_show(c->d).s, finf_show(c->eta).s, c->reason.text);
    }
    if (infinite > INFINITE_MAX)
        doc_note(d, "  .. and at %zu more: --json has the reason of each", infinite - INFINITE_MAX);
    doc_note(d, "Ratios, and c: value / rate of the paper, eta d/rho for DP-SGD; for nu eta^2/rho "
                "times d log^2(1/eta) (a = 0),");
    doc_note(d, "d^(1-a)/(1-a) log^2(d/eta) (a < 1), log^3(d/eta) (a = 1), a^2/(a-1) log^2(d/eta) "
                "(a > 1); floor: eta^2 d_eff/rho");
    if (values) doc_table(d, NULL, COLUMNS, RATIOS, ratios, t->n);
    free(values);
}

/* ---- slopes ---------------------------------------------------------------------------------- */

/* What a slope is taken against. d_eff changes with the decay a, at fixed d and eta. */
typedef enum { AGAINST_D, AGAINST_ETA, AGAINST_D_EFF, AGAINST_COUNT } against;
static const char *const AGAINST[] = {"d", "eta", "d_eff"};

/* A line of cells along which one thing changes. */
typedef struct {
    against x;
    const cell *first; /* its first one */
    size_t n, stride;  /* how many, and how far apart in `cells` */
} line;

/* The slope of log y against log x along a line. y points at a member of its first cell; the other
 * cells have theirs at the same distance from their start. (d_eff, the one x that is computed, is
 * right to rounding, which the error has in it.) */
static finf_real slope(const line *l, const finf_real *y, size_t *points)
{
    const cell *c = l->first;
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
    const cell *c = l->first;
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
static size_t lines(const table *t, against x, line *out)
{
    size_t A = t->x.n_decays, D = t->x.n_dims, E = t->x.n_etas, n = 0;
    size_t across[] = {[AGAINST_D] = D, [AGAINST_ETA] = E, [AGAINST_D_EFF] = A};
    size_t stride[] = {[AGAINST_D] = E, [AGAINST_ETA] = 1, [AGAINST_D_EFF] = D * E};
    if (across[x] < 2) return 0;
    for (size_t a = 0; a < (x == AGAINST_D_EFF ? 1 : A); a++)
        for (size_t k = 0; k < (x == AGAINST_D ? 1 : D); k++)
            for (size_t e = 0; e < (x == AGAINST_ETA ? 1 : E); e++, n++)
                if (out) out[n] = (line){x, at(t, a, k, e), across[x], stride[x]};
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
        const cell *c = l[i].first;
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
static finf_status show_slopes(doc *d, const args *a, const table *t, finf_reason *why)
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

/* ---- reading --------------------------------------------------------------------------------- */

/* A dimension is whole. The ends of a range must be; what is between them is rounded, and each
 * value taken once. */
static finf_status whole_dims(const args *a, double *dims, size_t *n, finf_reason *why)
{
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++) {
        int end = i == 0 || i + 1 == *n;
        if (!(dims[i] >= 1 && dims[i] <= FINF_DIM_MAX) || (end && dims[i] != floor(dims[i])))
            return finf_why(why, FINF_EDOM, "dim = %.80s: must be whole, from 1 to 1e15",
                            args_text(a, OPT_DIM));
        double whole = round(dims[i]);
        /* a range is monotone: equal ones are neighbours */
        if (!kept || dims[kept - 1] != whole) dims[kept++] = whole;
    }
    *n = kept;
    return FINF_OK;
}

/* `decays` is a list of numbers. On failure too, the lists in *x are the caller's to free. */
static finf_status read_axes(const args *a, const char *decays, rate_axes *x, finf_reason *why)
{
    finf_status s = read_setting(a, &x->privacy, why);
    if (!s) s = args_range(a, OPT_DIM, &x->dims, &x->n_dims, why);
    if (!s) s = whole_dims(a, x->dims, &x->n_dims, why);
    if (!s) s = args_range(a, OPT_ETA, &x->etas, &x->n_etas, why);
    for (size_t i = 0; i < x->n_etas && !s; i++)
        if (!(x->etas[i] > 0))
            s = finf_why(why, FINF_EDOM, "eta = %s: must be positive", finf_show(x->etas[i]).s);
    if (!s)
        s = parse_list(decays, decays + strlen(decays), "decays", &x->decays, &x->n_decays, why);
    if (!s && x->n_decays * x->n_dims * x->n_etas > 100000)
        s = finf_why(why, FINF_EDOM, "more than 100000 rows");
    return s;
}

/* Task i of the sweep: the i-th cell in the order of at(). */
static void fill_at(size_t i, void *ctx)
{
    const table *t = ctx;
    cell *c = &t->cells[i];
    c->a = t->x.decays[i / (t->x.n_dims * t->x.n_etas)];
    c->d = t->x.dims[i / t->x.n_etas % t->x.n_dims];
    c->eta = t->x.etas[i % t->x.n_etas];
    c->end.status = fill(&t->x.privacy.set, c, &c->end.why);
    c->end.done = 1;
}

/* After Ctrl-C: the cells that are done, in their order. */
static void keep_done(table *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++)
        if (t->cells[i].end.done && !t->cells[i].end.status) t->cells[n++] = t->cells[i];
    t->n = n;
}

/* In text the values and, where something is swept, the slopes; in CSV and JSON one or the other,
 * as their rows have other keys: slopes with --slopes. After a missed tolerance or Ctrl-C the
 * values are shown in any case, and no slopes, which need all points. */
static finf_status show_decays(const args *a, const rate_axes *x, doc *d, finf_reason *why)
{
    table t = {.x = *x, .n = x->n_decays * x->n_dims * x->n_etas};
    int slopes = args_given(a, OPT_SLOPES), text = wants_text(a);
    if (slopes && t.n < 2)
        return finf_why(
            why, FINF_EUSAGE,
            "--slopes needs several points: a range of --dim or --eta, or several --decays");
    t.cells = calloc(t.n, sizeof *t.cells);
    finf_status s = t.cells ? FINF_OK : finf_why(why, FINF_ENOMEM, "no memory");
    if (!s) {
        int interrupted = sweep_run(t.n, fill_at, &t);
        s = sweep_outcome(t.cells, t.n, sizeof *t.cells, interrupted, why);
        if (interrupted) keep_done(&t);
    }
    int values = t.n > 0 && (!s || s == FINF_ETOL); /* what is done is shown; slopes are of all */
    if (values && text && (!slopes || s)) show_values(d, &t);
    /* records are data; in text they are there for a table over other options, and for --plot */
    for (size_t i = 0; i < t.n && values && (!slopes || s); i++)
        show_cell(d, a, &t.x.privacy, &t.cells[i]);
    if (!s && (slopes || text)) s = show_slopes(d, a, &t, why);
    free(t.cells);
    return s;
}

static finf_status cmd_rates(const args *a, doc *d, finf_reason *why)
{
    /* in the order of the words of --table */
    enum { DECAYS, PRIOR, FINITE };
    int which = DECAYS;
    rate_axes x = {0};
    finf_status s = args_choice(a, OPT_TABLE, &which, why);
    if (!s && which == FINITE) return show_finite_rates(a, d, why);
    /* Table 2 has no decay of its own: one is enough to show it */
    const char *decays = which == PRIOR && !args_given(a, OPT_DECAYS) ? "1"
                                                                      : args_text(a, OPT_DECAYS);
    if (!s) s = read_axes(a, decays, &x, why);
    if (!s) s = which == PRIOR ? show_prior_rates(&x, d, why) : show_decays(a, &x, d, why);
    free(x.decays);
    free(x.dims);
    free(x.etas);
    return s;
}

static const option_use OPTIONS[] = {
    {.id = OPT_ETA,
     .fallback = "0.01",
     .help = "step size, or a range such as 0.01:0.1:log:5; finite: one, of the bound without "
             "clipping"},
    {.id = OPT_SPECTRUM, .fallback = "power:1", .help = "finite: eigenvalues of H (see SPECTRUM)"},
    {.id = OPT_DIM,
     .fallback = "128",
     .help = "dimension, or a range such as 64:1024:log:5 (rounded to whole numbers); finite: "
             "one"},
    {.id = OPT_STEPS, .fallback = "1e6", .help = "finite: how many"},
    {.id = OPT_DECAYS},
    {.id = OPT_TABLE},
    {.id = OPT_SLOPES},
    {.id = OPT_SET},
    PRIVACY_OPTIONS,
    TABLE_OPTIONS,
    COMMON_OPTIONS,
    {.id = OPT_END}};

/* Each table takes some of the options: the others are refused. */
static const option_rule RULES[] = {{.option = OPT_SPECTRUM,
                                     .needs = {OPT_TABLE},
                                     .words = "finite",
                                     .because = "the decays are given by --decays"},
                                    {.option = OPT_STEPS,
                                     .needs = {OPT_TABLE},
                                     .words = "finite",
                                     .because = "the others are limits"},
                                    {.option = OPT_SET, .needs = {OPT_TABLE}, .words = "finite"},
                                    {.option = OPT_SLOPES, .needs = {OPT_TABLE}, .words = "decays"},
                                    {.option = OPT_DECAYS,
                                     .needs = {OPT_TABLE},
                                     .words = "decays|prior",
                                     .because = "finite takes a --spectrum"},
                                    {.option = OPT_END}};

const command command_rates = {
    .name = "rates",
    .summary = "the eigenvalue-decay table: exact values beside the paper's rates",
    .about = "Exact F_inf of DP-SGD, nu = eta mu, the best nu and the best noise for each decay,"
             " the paper's rate and the\n"
             "constant that fits, beside the lower bound. Ranges of --dim or --eta add log-log "
             "slopes. --table prior: the noise of\n"
             "prior work. --table finite: the bounds after T steps.",
    .example = "finf rates --dim 128 --eta 0.01",
    .options = OPTIONS,
    .rules = RULES,
    .columns = "spectrum,d,eta,F_sgd,F_paper,F_best,F_floor",
    .plot = "F_sgd,F_paper,F_best",
    .plot_by = "spectrum",
    .stoppable = 1,
    .ranges = (const option_id[]){OPT_ETA, OPT_DIM, OPT_END},
    .run = cmd_rates,
};
