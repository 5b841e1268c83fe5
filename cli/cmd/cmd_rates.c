/* finf rates: exact values of F_inf beside the rates that the paper states up to a constant, for
 * eigenvalues lambda_k = k^-a, with the constant that each rate would need and the slopes that are
 * measured. The table of decays is here (the paper's Table 3); the two others have files of their
 * own. (theory 5.4, 9, 10.5) */
#include <stdlib.h>

#include "decay_table.h"

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
static finf_status fill(const finf_privacy_setting *set, decay_cell *c, finf_reason *why)
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
static void show_cell(doc *d, const args *a, const setting *x, const decay_cell *c)
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
    show_target(d, x);
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
static void show_values(doc *d, const decay_table *t)
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
        const decay_cell *c = &t->cells[i];
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
        const decay_cell *c = &t->cells[i];
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

/* Task i of the sweep: the i-th cell in the order of decay_at(). */
static void fill_at(size_t i, void *ctx)
{
    const decay_table *t = ctx;
    decay_cell *c = &t->cells[i];
    c->a = t->x.decays[i / (t->x.n_dims * t->x.n_etas)];
    c->d = t->x.dims[i / t->x.n_etas % t->x.n_dims];
    c->eta = t->x.etas[i % t->x.n_etas];
    c->end.status = fill(&t->x.privacy.set, c, &c->end.why);
    c->end.done = 1;
}

/* After Ctrl-C: the cells that are done, in their order. */
static void keep_done(decay_table *t)
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
    decay_table t = {.x = *x, .n = x->n_decays * x->n_dims * x->n_etas};
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
    .plot = "F_sgd|value|F_inf,F_paper,F_best", /* of decays, finite, prior */
    .plot_by = "algorithm,spectrum",
    .stoppable = 1,
    .ranges = (const option_id[]){OPT_ETA, OPT_DIM, OPT_END},
    .run = cmd_rates,
};
