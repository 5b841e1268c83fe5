/* What finf curve shows: each system, their table, and the curves. (theory 6, 9) */
#include "curve_show.h"

#include <stdlib.h>

/* ---- the comparison -------------------------------------------------------------------------- */

/* Whether the fixed-order value is only an upper bound: no contributions u, -u attain it, which
 * happens where X has negative entries. (theory 6.5) */
static int fixed_is_upper(const finf_participation *p)
{
    return p->fixed_lower < p->fixed_order * (1 - 1e-9);
}

/* A sum of entries of X = C'C, which have the relative error that the largest on its diagonal has;
 * adding them up costs one rounding for each of the steps more. */
static finf_real of_many(const finf_system_facts *f, double value)
{
    double relative = f->sens2.error / f->sens2.value + (double)f->n * FINF_EPS;
    return finf_real_make(value, relative * value, f->sens2.method);
}

/* sens2: the squared sensitivity that sigma is scaled by, to the participations given or to one. */
static finf_real sens2_used(const curve_job *j, const curve_entry *e)
{
    if (j->gamma >= GAMMA_FIXED_ORDER)
        return of_many(&e->facts,
                       j->gamma == GAMMA_FIXED_ORDER ? e->many.fixed_order : e->many.min_sep);
    if (!j->p.H) return e->facts.sens2;
    finf_real one = j->o.gamma == FINF_CURVE_GAMMA_INF ? e->facts.gamma_inf2 : e->facts.sens2;
    return finf_real_make(e->curve.sens2, one.error, one.method);
}

/* Whether it is attained, and not an upper bound. */
static int sens2_exact(const curve_job *j, const curve_entry *e)
{
    return j->gamma == GAMMA_FIXED_ORDER ? !fixed_is_upper(&e->many)
           : j->gamma == GAMMA_MIN_SEP   ? e->many.exact
                                         : 1;
}

/* What it is of, in words. */
static const char *sens2_words(const curve_job *j)
{
    return j->gamma == GAMMA_FIXED_ORDER ? "participations exactly so far apart (fixed order)"
           : j->gamma == GAMMA_MIN_SEP   ? "participations at least so far apart (min-separation)"
           : j->o.gamma == FINF_CURVE_GAMMA_INF ? "one participation, of all time"
                                                : "one participation";
}

/* E[F(theta_t) - F*], with what its squared sensitivity, where that is of several participations,
 * and rho are off by. */
static finf_real curve_at(const curve_job *j, const curve_entry *e, size_t t)
{
    double F = e->curve.F[t], relative = e->curve.relerr;
    finf_real sens2 = sens2_used(j, e);
    if (j->gamma >= GAMMA_FIXED_ORDER) relative += sens2.error / sens2.value;
    if (!isfinite(F)) return finf_real_infinite("second moment, step by step");
    return with_rho(&j->p.privacy, finf_real_make(F, relative * F, e->curve.last.method));
}

/* The squared sensitivity that counts, and that of one participation, where it is another. */
static void show_sens2(doc *d, const curve_job *j, const curve_entry *e)
{
    char note[160];
    int exact = sens2_exact(j, e), many = !isnan(j->k);
    doc_real(d, "gamma2_T", many ? SHOWN : DATA_ONLY, e->facts.sens2,
             "squared sensitivity to one participation");
    if (many) {
        doc_number(d, "participations", SHOWN, (double)e->many.k, "of one user, at most");
        doc_number(d, "separation", SHOWN, (double)e->many.b, "steps between two of them");
    }
    snprintf(note, sizeof note, "squared sensitivity to %s%s", sens2_words(j),
             exact ? "" : ": an upper bound");
    doc_real(d, "sens2", SHOWN, sens2_used(j, e), note);
    doc_bool(d, "sens2_exact", exact ? DATA_ONLY : SHOWN, exact, NULL);
}

/* Several participations: their sensitivity counted in two ways, and with it the loss. The way that
 * sens2 is counted in is not said again in text. */
static void show_participations(doc *d, const curve_job *j, const curve_entry *e)
{
    const finf_system_facts *f = &e->facts;
    const finf_participation *p = &e->many;
    finf_real fixed = of_many(f, p->fixed_order), min_sep = of_many(f, p->min_sep);
    doc_where as_fixed = j->gamma == GAMMA_FIXED_ORDER ? DATA_ONLY : SHOWN;
    doc_where as_min_sep = j->gamma == GAMMA_MIN_SEP ? DATA_ONLY : SHOWN;
    char note[200];
    snprintf(note, sizeof note, "to steps exactly so far apart (fixed order)%s",
             fixed_is_upper(p) ? ": an upper bound" : "");
    doc_real(d, "sens2_fixed_order", as_fixed, fixed, note);
    doc_real(d, "loss_fixed_order", as_fixed, finf_real_times(fixed, f->error),
             "that times prefix_error");
    snprintf(note, sizeof note, "to steps at least so far apart (min-separation)%s%s",
             p->exact ? "" : ": an upper bound; at least ",
             p->exact ? "" : finf_show(p->min_sep_lower).s);
    doc_real(d, "sens2_min_sep", as_min_sep, min_sep, note);
    doc_real(d, "loss_min_sep", as_min_sep, finf_real_times(min_sep, f->error),
             "that times prefix_error");
    doc_real(d, "sens2_min_sep_lower", DATA_ONLY, of_many(f, p->min_sep_lower), NULL);
    doc_bool(d, "fixed_order_exact", fixed_is_upper(p) ? as_fixed : DATA_ONLY, !fixed_is_upper(p),
             NULL);
    doc_bool(d, "min_sep_exact", p->exact ? DATA_ONLY : as_min_sep, p->exact, NULL);
    doc_real(d, "loss_T", DATA_ONLY, f->loss, NULL); /* gamma2_T times prefix_error */
}

/* me, banded: how the optimum was found, and how much smaller the loss it minimises could still be
 */
static void show_gap(doc *d, const finf_system_facts *f)
{
    char note[160];
    double gap = fmax(f->error.value / f->lower - 1, 0); /* it is scaled to the sensitivity 1 */
    if (f->iterations) doc_number(d, "iterations", SHOWN, f->iterations, "of the optimisation");
    /* only me has a lower bound; banded is a stationary point */
    if (isnan(f->lower)) return;
    snprintf(note, sizeof note,
             "no C has a loss (%zu participation%s) smaller by more than this part of it",
             f->participations, f->participations == 1 ? "" : "s, fixed order");
    doc_real(d, "least", DATA_ONLY, finf_real_make(f->lower, f->lower_error, f->error.method),
             NULL);
    doc_number(d, "duality_gap", SHOWN, gap, note);
}

/* The curve in JSON, and its error at every step. */
static void show_series(doc *d, const curve_job *j, const curve_entry *e)
{
    double *error = malloc((e->curve.n + 1) * sizeof *error);
    if (!error) {
        doc_fail(d);
        return;
    }
    for (size_t t = 0; t <= e->curve.n; t++) error[t] = curve_at(j, e, t).error;
    doc_series(d, "F", e->curve.F, e->curve.n + 1);
    doc_series(d, "F_error", error, e->curve.n + 1);
    free(error);
}

/* The columns of the paper's table of variants, and what it costs here. */
static void show_costs(doc *d, const curve_entry *e)
{
    const finf_system_facts *f = &e->facts;
    char generation[96] = "to generate", step[96] = "training, a step";
    if (f->paper_generation[0]) {
        snprintf(generation, sizeof generation, "to generate; the paper has %s",
                 f->paper_generation);
        snprintf(step, sizeof step, "training, a step; the paper has %s", f->paper_step);
    }
    doc_bool(d, "anytime", SHOWN, f->anytime, "does not depend on the number of steps");
    doc_string(d, "generation", SHOWN, f->generation, generation);
    doc_string(d, "step", SHOWN, f->step, step);
    doc_string(d, "paper_generation", DATA_ONLY, f->paper_generation, NULL);
    doc_string(d, "paper_step", DATA_ONLY, f->paper_step, NULL);
    doc_number(d, "seconds", SHOWN, e->seconds, e->timed);
    doc_string(d, "timed", DATA_ONLY, e->timed, NULL);
    doc_bool(d, "drawn", DATA_ONLY, e->drawn, NULL);
}

/* The noise that nu:paper or nu:best stood for. */
static void show_name(doc *d, const system_spec *spec, const char *matrix)
{
    char spelled[64];
    snprintf(spelled, sizeof spelled, "nu:%s", finf_show(spec->nu).s);
    doc_string(d, "system", SHOWN, isnan(spec->nu) ? spec->name : spelled, matrix);
}

const char *curve_nu_range(const curve_job *j)
{
    const char *text = NULL;
    size_t given = j->a->value[OPT_SYSTEM] != NULL;
    for (size_t i = 0; i < j->a->repeats; i++)
        if (j->a->repeated[i].id == OPT_NOISE) {
            text = j->a->repeated[i].text;
            given++;
        }
    const char *values = !text || given > 1                  ? NULL
                         : strncmp(text, "nu:", 3) == 0      ? text + 3
                         : strncmp(text, "antipgd:", 8) == 0 ? text + 8
                                                             : NULL;
    return values && strpbrk(values, ":,") ? values : NULL;
}

/* A record: in text a block of lines, or a line of the table of systems. */
void curve_show_system(doc *d, const curve_job *j, size_t i)
{
    const curve_entry *e = &j->entries[i];
    const finf_system_facts *f = &e->facts;
    doc_row(d);
    show_name(d, &j->systems.all[i], f->matrix);
    /* what the curves of a table over a range are called */
    if (j->a->is_point) doc_string(d, "system_given", DATA_ONLY, j->systems.all[i].name, NULL);
    doc_string(d, "matrix", DATA_ONLY, f->matrix, NULL);
    doc_number(d, "steps", SHOWN, (double)f->n, NULL);
    if (j->p.H) {
        show_spectrum(d, j->a, j->p.H);
        doc_number(d, "eta", SHOWN, j->p.eta, "step size");
        show_optimizer(d, j->a, j->p.optimizer, j->p.eta, j->p.mu, finf_spectrum_max(j->p.H));
    }
    if (j->p.H || setting_given(j->a)) show_setting(d, &j->p.privacy, sens2_used(j, e));
    show_sens2(d, j, e);
    doc_real(d, "prefix_error", SHOWN, f->error,
             "sum over t of the variance of prefix sum t, sigma = 1");
    doc_real(d, "loss", SHOWN,
             j->gamma == FINF_CURVE_GAMMA_T ? f->loss : finf_real_times(sens2_used(j, e), f->error),
             "sens2 times prefix_error");
    if (!isnan(j->k)) show_participations(d, j, e);
    if (!isnan(j->systems.all[i].nu)) doc_number(d, "nu", DATA_ONLY, j->systems.all[i].nu, NULL);
    if (curve_nu_range(j))
        doc_number(d, "nu", DATA_ONLY, strtod(strchr(j->systems.all[i].name, ':') + 1, NULL), NULL);
    show_gap(d, f);
    if (j->p.H)
        doc_real(d, "F_last", SHOWN, curve_at(j, e, j->n),
                 "E[F - F*] after the last step, exact for Gaussian inputs");
    show_costs(d, e);
    if (j->p.H && j->shown != SHOW_SYSTEMS) show_series(d, j, e);
    if (j->p.H) show_reason(d, &e->curve.reason);
}

/* Several systems in text: one table of what is compared. --verbose has the rest. */
void curve_show_table(doc *d, const curve_job *j)
{
    int bare = 0, inexact = 0;
    for (size_t i = 0; i < j->done; i++) {
        bare |= !j->entries[i].drawn;
        inexact |= !isnan(j->k) &&
                   (fixed_is_upper(&j->entries[i].many) || !j->entries[i].many.exact);
    }
    doc_columns(d, "system,gamma2_T,sens2,sens2_exact,prefix_error,loss,sens2_fixed_order,"
                   "loss_fixed_order,fixed_order_exact,sens2_min_sep,loss_min_sep,min_sep_exact,"
                   "sigma,sigma_mean,F_last,seconds,anytime,step");
    doc_note(d,
             "sens2: %s; prefix_error: sum of the prefix sums' variances at sigma = 1; "
             "loss: sens2 times prefix_error",
             sens2_words(j));
    if (!isnan(j->k))
        doc_note(d,
                 "gamma2_T: one participation; the others: %g exactly (fixed order) or at least "
                 "(min-sep) %g steps apart%s",
                 j->k, j->b, inexact ? "; where it is not exact, an upper bound" : "");
    if (j->p.privacy.asked) doc_note(d, "sigma: of w_t, for sens2");
    if (j->p.H) doc_note(d, "F_last: E[F - F*] after the last step");
    doc_note(d, "seconds: from nothing (nu given) to the noise of all steps, one coordinate%s",
             bare ? "; where so many are not drawn, to prepare it only" : "");
}

/* ---- the curves ------------------------------------------------------------------------------ */

/* A table of t, then E[F(theta_t) - F*] of each system: all t in CSV; in text t = 0..8, from there
 * on a quarter further each time, and the last. */
finf_status curve_show_curves(doc *d, const curve_job *j, int text, finf_reason *why)
{
    size_t columns = j->done + 1, rows = 0, stride = 1;
    const char **names = malloc(columns * sizeof *names);
    double *data = malloc((j->n + 1) * columns * sizeof *data);
    if (!data || !names) {
        free(data);
        free(names);
        return finf_why(why, FINF_ENOMEM, "no memory for the curve");
    }
    names[0] = "t";
    for (size_t i = 0; i < j->done; i++) names[i + 1] = j->systems.all[i].name;
    for (size_t t = 0; t <= j->n; t += stride) {
        double *row = data + rows++ * columns;
        row[0] = (double)t;
        for (size_t i = 0; i < j->done; i++) row[i + 1] = j->entries[i].curve.F[t];
        if (text && t >= 8) stride = t / 4;
        if (text && t < j->n && t + stride > j->n) stride = j->n - t;
    }
    if (text) doc_note(d, "%s", "");
    if (text) doc_note(d, "E[F(theta_t) - F*]");
    doc_table(d, text ? NULL : "curve", columns, names, data, rows);
    free(data);
    free(names);
    return FINF_OK;
}

/* The curves as CSV: a line for each system and t. */
finf_status curve_show_parts(doc *d, const curve_job *j, finf_reason *why)
{
    static const char *const NAMES[] = {"t", "F", "F_error"};
    double *data = malloc(3 * (j->n + 1) * sizeof *data);
    if (!data) return finf_why(why, FINF_ENOMEM, "no memory for the curve");
    for (size_t i = 0; i < j->done; i++) {
        const curve_entry *e = &j->entries[i];
        for (size_t t = 0; t <= j->n; t++) {
            double row[] = {(double)t, e->curve.F[t], curve_at(j, e, t).error};
            memcpy(data + 3 * t, row, sizeof row);
        }
        doc_part(d, "curve", "system", j->systems.all[i].name, 3, NAMES, data, j->n + 1);
    }
    free(data);
    return FINF_OK;
}

/* For --plot: the curves, at steps in nearly equal ratios, 48 for each factor 10. */
void curve_plot(doc *d, const curve_job *j)
{
    doc *p = doc_plot(d);
    for (size_t i = 0; p && i < j->done; i++) {
        size_t t = 1; /* step 0 has no place on a log axis */
        while (t <= j->n) {
            doc_row(p);
            doc_string(p, "system", DATA_ONLY, j->systems.all[i].name, NULL);
            doc_number(p, "t", DATA_ONLY, (double)t, NULL);
            doc_number(p, "F", DATA_ONLY, j->entries[i].curve.F[t], NULL);
            size_t next = (size_t)ceil((double)t * 1.05);
            t = t == j->n ? t + 1 : next > j->n ? j->n : next > t ? next : t + 1;
        }
    }
}
