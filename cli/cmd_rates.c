/* finf rates: exact values beside the paper's rates.                                        MATH sections 5, 9, 10 */
#include <stdlib.h>

#include "cmd.h"

typedef struct {
    double a, d, eta, d_eff, sgd, nu, best, best_nu, optimum;
    finf_rates rate;
    finf_reason reason;
} cell;

typedef struct {
    finf_privacy_setting set;
    double *decays, *dims, *etas;
    size_t n_decays, n_dims, n_etas;
    cell *cells; /* eta fastest, then d, then decay */
} table;

static cell *at(const table *t, size_t decay, size_t dim, size_t eta)
{
    return &t->cells[(decay * t->n_dims + dim) * t->n_etas + eta];
}

static finf_status exact(const table *t, const finf_spectrum *H, double eta, double nu, double *out, finf_linreg_result *r)
{
    finf_linreg_options o = finf_linreg_options_default();
    finf_noise *noise = NULL;
    o.privacy = t->set;
    finf_status s = nu > 0 ? finf_noise_nu(fmin(nu, 1), &noise, NULL) : finf_noise_sgd(&noise);
    if (!s) s = finf_linreg(noise, eta, H, &o, r);
    *out = r->exact.value;
    finf_noise_free(noise);
    return s;
}

static finf_status fill(const table *t, cell *c, finf_reason *why)
{
    finf_spectrum *H = NULL;
    finf_linreg_result r;
    finf_linreg_options o = finf_linreg_options_default();
    o.privacy = t->set;
    finf_status s = finf_spectrum_power(c->a, c->d, &H, why);
    if (!s) s = exact(t, H, c->eta, 0, &c->sgd, &r);
    if (!s) s = exact(t, H, c->eta, c->eta * finf_spectrum_min(H), &c->nu, &r);
    if (!s) {
        c->d_eff = r.d_eff;
        c->optimum = r.optimum.value;
        c->best = c->nu;
        c->best_nu = NAN;
        c->reason = r.reason;
        if (r.stable && !(s = finf_tune_linreg(c->eta, H, &o, &c->best_nu, &r))) c->best = r.exact.value;
    }
    if (s && !why->text[0]) *why = r.reason;
    if (!s) s = finf_rates_power(c->a, c->d, c->eta, &t->set, &c->rate);
    finf_spectrum_free(H);
    return s;
}

static void show_cell(doc *d, const cell *c)
{
    char spectrum[48];
    snprintf(spectrum, sizeof spectrum, "power:%s", finf_show(c->a).s);
    doc_row(d);
    doc_string(d, "spectrum", NULL, spectrum, NULL);
    doc_number(d, "d", NULL, c->d, NULL);
    doc_number(d, "eta", NULL, c->eta, NULL);
    doc_number(d, "d_eff", NULL, c->d_eff, NULL);
    doc_number(d, "F_sgd", NULL, c->sgd, NULL);
    doc_number(d, "F_nu", NULL, c->nu, NULL);
    doc_number(d, "ratio", NULL, c->nu / c->sgd, NULL);
    doc_number(d, "F_best_nu", NULL, c->best, NULL);
    doc_number(d, "best_nu", NULL, c->best_nu, NULL);
    doc_number(d, "F_optimum", NULL, c->optimum, NULL);
    doc_number(d, "rate_sgd", NULL, c->rate.sgd, NULL);
    doc_number(d, "rate_nu", NULL, c->rate.nu, NULL);
    doc_number(d, "constant_sgd", NULL, c->sgd / c->rate.sgd, NULL);
    doc_number(d, "constant_nu", NULL, c->nu / c->rate.nu, NULL);
    if (c->reason.text[0]) doc_string(d, "reason", NULL, c->reason.text, NULL);
}

/* ---- slopes -------------------------------------------------------------------------------------------- */

typedef double (*reader)(const cell *);
static double of_d(const cell *c) { return c->d; }
static double of_d_eff(const cell *c) { return c->d_eff; }
static double of_eta(const cell *c) { return c->eta; }
static double of_sgd(const cell *c) { return c->sgd; }
static double of_nu(const cell *c) { return c->nu; }
static double of_optimum(const cell *c) { return c->optimum; }

/* Least squares in logarithms over cells[0], cells[stride], ..: y ~ x^slope */
static double slope(const cell *cells, size_t n, size_t stride, reader x, reader y)
{
    double mx = 0, my = 0, xy = 0, xx = 0;
    for (size_t i = 0; i < n; i++)
        mx += log(x(&cells[i * stride])) / (double)n, my += log(y(&cells[i * stride])) / (double)n;
    for (size_t i = 0; i < n; i++) {
        double dx = log(x(&cells[i * stride])) - mx;
        xy += dx * (log(y(&cells[i * stride])) - my);
        xx += dx * dx;
    }
    return xy / xx;
}

static void show_slope(doc *d, int machine, const char *against, const cell *cells, size_t n, size_t stride, reader x,
                       const char *what)
{
    double sgd = slope(cells, n, stride, x, of_sgd), nu = slope(cells, n, stride, x, of_nu),
           best = slope(cells, n, stride, x, of_optimum);
    if (!machine) {
        doc_note(d, "  against %-6s %-34s DP-SGD %7.4f   nu = eta mu %7.4f   best noise %7.4f", against, what, sgd, nu,
                 best);
        return;
    }
    doc_row(d);
    doc_string(d, "against", NULL, against, NULL);
    doc_string(d, "at", NULL, what, NULL);
    doc_number(d, "slope_sgd", NULL, sgd, NULL);
    doc_number(d, "slope_nu", NULL, nu, NULL);
    doc_number(d, "slope_optimum", NULL, best, NULL);
}

static void show_slopes(doc *d, const table *t, int machine)
{
    char what[96];
    size_t D = t->n_dims, E = t->n_etas;
    for (size_t a = 0; a < t->n_decays; a++) {
        for (size_t e = 0; e < E && D > 1; e++) {
            snprintf(what, sizeof what, "(a = %s, eta = %s)", finf_show(t->decays[a]).s, finf_show(t->etas[e]).s);
            show_slope(d, machine, "d", at(t, a, 0, e), D, E, of_d, what);
        }
        for (size_t k = 0; k < D && E > 1; k++) {
            snprintf(what, sizeof what, "(a = %s, d = %s)", finf_show(t->decays[a]).s, finf_show(t->dims[k]).s);
            show_slope(d, machine, "eta", at(t, a, k, 0), E, 1, of_eta, what);
        }
    }
    for (size_t k = 0; k < D && t->n_decays > 1; k++)
        for (size_t e = 0; e < E; e++) {
            snprintf(what, sizeof what, "(d = %s, eta = %s)", finf_show(t->dims[k]).s, finf_show(t->etas[e]).s);
            show_slope(d, machine, "d_eff", at(t, 0, k, e), t->n_decays, D * E, of_d_eff, what);
        }
}

static void show_text(doc *d, const table *t)
{
    static const char *const NAMES[] = {"a",       "d",          "eta",   "d_eff", "DP-SGD", "nu=eta mu",
                                        "best nu", "best noise", "ratio", "c_sgd", "c_nu"};
    enum { COLUMNS = 11 };
    size_t n = t->n_decays * t->n_dims * t->n_etas;
    double *data = malloc(COLUMNS * n * sizeof *data);
    for (size_t i = 0; data && i < n; i++) {
        const cell *c = &t->cells[i];
        double line[COLUMNS] = {c->a,
                                c->d,
                                c->eta,
                                c->d_eff,
                                c->sgd,
                                c->nu,
                                c->best,
                                c->optimum,
                                c->nu / c->sgd,
                                c->sgd / c->rate.sgd,
                                c->nu / c->rate.nu};
        memcpy(data + COLUMNS * i, line, sizeof line);
    }
    doc_note(d, "F_inf for linear regression, Gaussian inputs, eigenvalues k^-a. ratio: nu / DP-SGD; c: value / rate of "
                "the paper,");
    doc_note(d, "eta d/rho for DP-SGD; eta^2/rho times d log^2(1/eta), d^(1-a)/(1-a) log^2(d/eta), log^3(d/eta), a^2/(a-1) "
                "log^2(d/eta) for nu");
    if (data) doc_table(d, NULL, COLUMNS, NAMES, data, n);
    free(data);
    doc_note(d, "Log-log slopes");
    show_slopes(d, t, 0);
}

/* ---- prior work ---------------------------------------------------------------------------------------- */

/* Table 2: gamma_T^2 and F_inf of the noise of prior work. damped anti-PGD: the best damping of its family by the rate. */
static finf_status show_prior(const args *a, const table *t, doc *d, finf_reason *why)
{
    double eta = t->etas[0], dim = t->dims[0], decay = t->n_decays && args_given(a, OPT_DECAYS) ? t->decays[0] : 1;
    finf_spectrum *H = NULL;
    finf_status s = finf_spectrum_power(decay, dim, &H, why);
    if (s) return s;
    double mu = finf_spectrum_min(H), damp = sqrt(eta * finf_spectrum_trace(H) / dim);
    char spec[4][64], law[4][48] = {"log(T)/pi", "log(1/nu)", "T", "1/nu"};
    const char *names[] = {"optimal-cc", "nu", "anti-PGD", "damped anti-PGD"};
    snprintf(spec[0], sizeof spec[0], "cc");
    snprintf(spec[1], sizeof spec[1], "nu:%s", finf_show(fmin(eta * mu, 1)).s);
    snprintf(spec[2], sizeof spec[2], "beta:1,-1");
    snprintf(spec[3], sizeof spec[3], "antipgd:%s", finf_show(fmin(damp, 1)).s);
    doc_note(d, "Noise of prior work: eigenvalues k^-%s, d = %s, eta = %s", finf_show(decay).s, finf_show(dim).s,
             finf_show(eta).s);
    for (int i = 0; i < 4 && !s; i++) {
        finf_noise *noise = NULL;
        finf_linreg_options o = finf_linreg_options_default();
        finf_linreg_result r;
        o.privacy = t->set;
        s = spec_noise(spec[i], NAN, &noise, why);
        if (!s && (s = finf_linreg(noise, eta, H, &o, &r))) *why = r.reason;
        if (!s) {
            doc_row(d);
            doc_string(d, "algorithm", "algorithm", names[i], NULL);
            doc_string(d, "noise", "  noise", spec[i], NULL);
            for (size_t T = 100; T <= 1000000 && !s; T *= 100) {
                char key[32], label[32];
                finf_real g;
                s = finf_noise_sensitivity_at(noise, T, &g, why);
                snprintf(key, sizeof key, "gamma2_%zu", T);
                snprintf(label, sizeof label, "  gamma_T^2, T = %zu", T);
                doc_number(d, key, label, g.value, NULL);
            }
            doc_string(d, "growth", "  grows like", law[i], NULL);
            doc_number(d, "gamma2", "  gamma_inf^2", r.gamma2.value, NULL);
            doc_real(d, "F_exact", "F_error", "  F_inf", r.exact, NULL);
            if (isinf(r.exact.value)) doc_string(d, "reason", "  reason", r.reason.text, NULL);
        }
        finf_noise_free(noise);
    }
    finf_spectrum_free(H);
    return s;
}

/* --dim and --eta with the defaults of this command */
static finf_status ranges(const args *a, table *t, finf_reason *why)
{
    args with = *a;
    if (!with.value[OPT_DIM]) with.value[OPT_DIM] = "128";
    if (!with.value[OPT_ETA]) with.value[OPT_ETA] = "0.01";
    finf_status s = args_range(&with, OPT_DIM, &t->dims, &t->n_dims, why);
    for (size_t i = 0; i < t->n_dims && !s; i++) t->dims[i] = round(t->dims[i]);
    if (!s) s = args_range(&with, OPT_ETA, &t->etas, &t->n_etas, why);
    for (size_t i = 0; i < t->n_etas && !s; i++)
        if (!(t->etas[i] > 0)) s = finf_why(why, FINF_EDOM, "eta = %s: must be positive", finf_show(t->etas[i]).s);
    const char *text = args_text(a, OPT_DECAYS);
    if (!s) s = parse_list(text, text + strlen(text), "decays", &t->decays, &t->n_decays, why);
    if (!s && t->n_decays * t->n_dims * t->n_etas > 100000) s = finf_why(why, FINF_EDOM, "more than 100000 rows");
    return s;
}

finf_status cmd_rates(const args *a, doc *d, finf_reason *why)
{
    table t = {0};
    int prior = 0, text = wants_text(a);
    finf_status s = read_setting(a, &t.set, why);
    if (!s) s = args_choice(a, OPT_TABLE, "decays|prior|finite", &prior, why);
    if (!s && prior == 2) return show_finite_rates(a, d, why);
    if (!s) s = ranges(a, &t, why);
    if (!s && prior)
        s = show_prior(a, &t, d, why);
    else if (!s) {
        size_t n = t.n_decays * t.n_dims * t.n_etas;
        t.cells = calloc(n, sizeof *t.cells);
        if (!t.cells) s = finf_why(why, FINF_ENOMEM, "no memory");
        for (size_t i = 0; i < n && !s; i++) {
            cell *c = &t.cells[i];
            c->a = t.decays[i / (t.n_dims * t.n_etas)];
            c->d = t.dims[i / t.n_etas % t.n_dims];
            c->eta = t.etas[i % t.n_etas];
            s = fill(&t, c, why);
        }
        if (!s && text)
            show_text(d, &t);
        else if (!s && args_given(a, OPT_SLOPES))
            show_slopes(d, &t, 1);
        else if (!s)
            for (size_t i = 0; i < n; i++) show_cell(d, &t.cells[i]);
    }
    free(t.cells);
    free(t.decays);
    free(t.dims);
    free(t.etas);
    return s;
}
