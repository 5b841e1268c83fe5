/* finf curve: exact learning curves of finite time, and the paper's variants side by side.   MATH sections 6, 9 */
#include <stdlib.h>

#include "cmd.h"
#include "sweep.h"

#define SYSTEMS_MAX 16
#define VARIANTS "sgd,honaker,cc,nu:auto,fft,full-honaker,me" /* the paper's table of variants */

typedef struct {
    char name[64];
    finf_system *system;
    finf_curve_result curve;
    finf_participation many;
} entry;

typedef struct {
    const args *a;
    size_t n, count;
    entry entries[SYSTEMS_MAX];
    double eta;
    finf_spectrum *H; /* NULL: no curve, the table only */
    finf_curve_options o;
    double *start_at; /* NULL, or a value for each direction */
    double k, b;      /* participations, separation; NaN: one */
    int gamma;        /* of GAMMA */
    size_t done;      /* entries with everything in them */
    finf_status status;
    finf_reason reason;
} job;

#define GAMMA "T|inf|fixed-order|min-sep"
enum { GAMMA_T, GAMMA_INF, GAMMA_FIXED_ORDER, GAMMA_MIN_SEP };

static const finf_system_options STOP = {sweep_interrupted, NULL};

static finf_status toeplitz(const char *spec, double automatic, size_t n, finf_system **out, finf_reason *why)
{
    finf_noise *noise = NULL;
    finf_status s = spec_noise(spec, automatic, &noise, why);
    if (!s) s = finf_system_toeplitz(noise, n, out, why);
    finf_noise_free(noise);
    return s;
}

/* NAME:count, a whole number from 1 to n */
static finf_status read_count(const char *name, const char *what, size_t n, size_t *count, finf_reason *why)
{
    double x = NAN;
    finf_status s = parse_number(strchr(name, ':') + 1, what, &x, why);
    if (!s && !(x >= 1 && x <= (double)n && x == floor(x)))
        s = finf_why(why, FINF_EDOM, "%.60s: %s must be a whole number from 1 to %zu", name, what, n);
    if (!s) *count = (size_t)x;
    return s;
}

static finf_status make_system(const job *j, const char *name, finf_system **out, finf_reason *why)
{
    static const struct {
        const char *name;
        finf_status (*make)(size_t, finf_system **, finf_reason *);
    } PLAIN[] = {{"tree", finf_system_tree},
                 {"honaker", finf_system_honaker},
                 {"full-honaker", finf_system_full_honaker},
                 {"fft", finf_system_fft}};
    for (size_t i = 0; i < sizeof PLAIN / sizeof *PLAIN; i++)
        if (strcmp(name, PLAIN[i].name) == 0) return PLAIN[i].make(j->n, out, why);
    size_t count = 0;
    finf_status s;
    if (strcmp(name, "me") == 0) return finf_system_me(j->n, &STOP, out, why);
    if (strncmp(name, "me:", 3) == 0)
        return (s = read_count(name, "steps of an epoch", j->n, &count, why))
                   ? s
                   : finf_system_epochs(j->n, count, &STOP, out, why);
    if (strncmp(name, "banded:", 7) == 0)
        return (s = read_count(name, "bands", j->n, &count, why)) ? s : finf_system_banded(j->n, count, &STOP, out, why);
    if (strncmp(name, "banded-sqrt:", 12) == 0)
        return (s = read_count(name, "bands", j->n, &count, why)) ? s : finf_system_banded_sqrt(j->n, count, out, why);
    double automatic = j->H ? fmin(j->eta * finf_spectrum_min(j->H), 1) : isnan(j->eta) ? NAN : fmin(j->eta, 1);
    if (strcmp(name, "noise") == 0) {
        if (!args_given(j->a, OPT_NOISE))
            return finf_why(why, FINF_EUSAGE, "system 'noise' is the one of --noise: give it");
        return toeplitz(args_text(j->a, OPT_NOISE), automatic, j->n, out, why);
    }
    return toeplitz(name, automatic, j->n, out, why);
}

/* The list of --system, parted by commas; a noise that has commas itself comes by --noise. */
static finf_status make_systems(job *j, finf_reason *why)
{
    const char *fallback = args_given(j->a, OPT_NOISE) ? "noise"
                           : isnan(j->eta)             ? "sgd,honaker,cc,fft,full-honaker,me"
                                                       : VARIANTS;
    const char *p = args_given(j->a, OPT_SYSTEM) ? args_text(j->a, OPT_SYSTEM) : fallback;
    finf_status s = FINF_OK;
    while (!s && *p) {
        if (j->count == SYSTEMS_MAX) return finf_why(why, FINF_EDOM, "more than %d systems", SYSTEMS_MAX);
        entry *e = &j->entries[j->count];
        size_t length = strcspn(p, ",");
        snprintf(e->name, sizeof e->name, "%.*s", (int)(length < 60 ? length : 60), p);
        p += length + (p[length] == ',');
        s = make_system(j, e->name, &e->system, why);
        if (s) break;
        j->count++;
        finf_system_facts f = finf_system_describe(e->system);
        if (isnan(j->k) && f.participations > 1) j->k = (double)f.participations, j->b = (double)f.separation;
    }
    if (!s && isnan(j->k) && j->gamma >= GAMMA_FIXED_ORDER)
        s = finf_why(why, FINF_EUSAGE, "--gamma %s needs --participations and --separation", args_text(j->a, OPT_GAMMA));
    return s;
}

static void run(size_t unused, void *ctx)
{
    (void)unused;
    job *j = ctx;
    finf_status s = make_systems(j, &j->reason);
    for (size_t i = 0; i < j->count && !s; i++) {
        entry *e = &j->entries[i];
        finf_curve_options o = j->o;
        if (!isnan(j->k)) s = finf_system_participation(e->system, (size_t)j->k, (size_t)j->b, &STOP, &e->many, &j->reason);
        if (!s && j->gamma >= GAMMA_FIXED_ORDER)
            o.sens2 = j->gamma == GAMMA_FIXED_ORDER ? e->many.fixed_order : e->many.min_sep;
        if (!s && j->H) {
            s = finf_curve(e->system, j->eta, j->H, &o, &e->curve);
            if (s) j->reason = e->curve.reason;
        }
        if (!s) j->done++;
    }
    j->status = s;
}

/* Several participations: the sensitivity counted in two ways, and with it the loss. */
static void show_participations(doc *d, const finf_participation *p, double error)
{
    char note[200];
    int attained = p->exact;
    snprintf(note, sizeof note, "%zu participations exactly %zu steps apart (fixed order)%s", p->k, p->b,
             p->fixed_lower < p->fixed_order * (1 - 1e-9) ? ": an upper bound" : "");
    doc_number(d, "participations", NULL, (double)p->k, NULL);
    doc_number(d, "separation", NULL, (double)p->b, NULL);
    doc_number(d, "sens2_fixed_order", "  fixed order", p->fixed_order, note);
    doc_number(d, "loss_fixed_order", "    loss", p->fixed_order * error, "that times the prefix error");
    snprintf(note, sizeof note, "at least that far apart (min-separation)%s", attained ? "" : ": an upper bound");
    doc_number(d, "sens2_min_sep", "  min-sep", p->min_sep, note);
    doc_number(d, "loss_min_sep", "    loss", p->min_sep * error, NULL);
    doc_number(d, "sens2_min_sep_lower", NULL, p->min_sep_lower, NULL);
    doc_bool(d, "min_sep_exact", NULL, attained, NULL);
}

/* me: how much smaller the loss it minimises could still be */
static void show_gap(doc *d, const finf_system_facts *f)
{
    char note[160];
    double gap = fmax(f->error.value / f->lower - 1, 0); /* it is scaled to the sensitivity 1 */
    if (isnan(f->lower)) return;
    snprintf(note, sizeof note, "no C has a loss (%zu participation%s) smaller by more than this part of it",
             f->participations, f->participations == 1 ? "" : "s, fixed order");
    doc_number(d, "lower", NULL, f->lower, NULL);
    doc_number(d, "gap", "  duality gap", gap, note);
}

static void show_system(doc *d, const job *j, const entry *e)
{
    finf_system_facts f = finf_system_describe(e->system);
    doc_row(d);
    doc_string(d, "system", "system", e->name, f.matrix);
    doc_number(d, "steps", NULL, (double)f.n, NULL);
    doc_real(d, "sens2", "sens2_error", "  sensitivity^2", f.sens2, "one participation");
    if (!isnan(j->k)) show_participations(d, &e->many, f.error.value);
    doc_real(d, "error", NULL, "  prefix error", f.error, "sum over t of the variance of prefix sum t, sigma = 1");
    doc_real(d, "loss", NULL, "  prefix loss", f.loss, "sensitivity^2 times error");
    show_gap(d, &f);
    if (j->H)
        doc_real(d, "F_last", "F_last_error", "  E[F - F*]", e->curve.last,
                 "after the last step, exact for Gaussian inputs");
    doc_bool(d, "anytime", "  anytime", f.anytime, "does not depend on the number of steps");
    doc_string(d, "generation", NULL, f.generation, NULL);
    doc_string(d, "step", NULL, f.step, NULL);
    doc_string(d, "matrix", NULL, f.matrix, NULL);
    doc_string(d, "paper_generation", NULL, f.paper_generation, NULL);
    doc_string(d, "paper_step", NULL, f.paper_step, NULL);
    doc_number(d, "seconds", "  seconds", f.seconds, "to generate it");
    if (j->H) doc_series(d, "F", e->curve.F, e->curve.n + 1);
}

/* t, then a column for each system: all t in CSV, a few in text */
static finf_status show_curves(doc *d, const job *j, int text, finf_reason *why)
{
    size_t columns = j->done + 1, rows = 0, stride = 1;
    const char *names[SYSTEMS_MAX + 1] = {"t"};
    double *data = malloc((j->n + 1) * columns * sizeof *data);
    if (!data) return finf_why(why, FINF_ENOMEM, "no memory for the curve");
    for (size_t i = 0; i < j->done; i++) names[i + 1] = j->entries[i].name;
    for (size_t t = 0; t <= j->n; t += stride) {
        double *line = data + rows++ * columns;
        line[0] = (double)t;
        for (size_t i = 0; i < j->done; i++) line[i + 1] = j->entries[i].curve.F[t];
        if (text && t >= 8) stride = t / 4;
        if (text && t < j->n && t + stride > j->n) stride = j->n - t;
    }
    if (text) doc_note(d, "%s", "");
    if (text) doc_note(d, "E[F(theta_t) - F*]");
    doc_table(d, text ? NULL : "curve", columns, names, data, rows);
    free(data);
    return FINF_OK;
}

static finf_status read_job(const args *a, job *j, finf_reason *why)
{
    double steps = 1000, dim = NAN;
    finf_status s = read_eta(a, &j->eta, why);
    if (!s) s = args_whole(a, OPT_STEPS, 1, FINF_SYSTEM_MAX, &steps, why);
    j->n = (size_t)steps;
    j->o = finf_curve_options_default();
    if (!s) s = read_setting(a, &j->o.privacy, why);
    if (!s) s = args_number(a, OPT_KURTOSIS, &j->o.kurtosis, why);
    if (!s) s = args_choice(a, OPT_GAMMA, GAMMA, &j->gamma, why);
    j->o.gamma = j->gamma == GAMMA_INF ? FINF_CURVE_GAMMA_INF : FINF_CURVE_GAMMA_T;
    j->o.cancel = sweep_interrupted;
    j->k = j->b = NAN;
    if (!s) s = args_whole(a, OPT_PARTICIPATIONS, 1, steps, &j->k, why);
    if (!s) s = args_whole(a, OPT_SEPARATION, 1, steps, &j->b, why);
    if (!s && isnan(j->k) != isnan(j->b)) s = finf_why(why, FINF_EUSAGE, "--participations and --separation go together");
    if (!s) s = args_whole(a, OPT_DIM, 1, FINF_DIM_MAX, &dim, why);
    if (!s && args_given(a, OPT_SPECTRUM) && isnan(j->eta))
        s = finf_why(why, FINF_EUSAGE, "a curve needs --eta beside --spectrum");
    if (!s && args_given(a, OPT_START) && !args_given(a, OPT_SPECTRUM))
        s = finf_why(why, FINF_EUSAGE, "--start is of a curve: give --eta and --spectrum");
    if (!s) s = check_stdin(a, why);
    if (!s && args_given(a, OPT_SPECTRUM)) s = spec_spectrum(args_text(a, OPT_SPECTRUM), dim, &j->H, why);
    if (!s && j->H && args_given(a, OPT_NORMALIZE)) s = finf_spectrum_normalize(j->H);
    if (!s && j->H) s = read_start(a, finf_spectrum_dim(j->H), &j->o.start, &j->start_at, why);
    j->o.start_at = j->start_at;
    return s;
}

finf_status cmd_curve(const args *a, doc *d, finf_reason *why)
{
    job j = {.a = a};
    int text = wants_text(a);
    finf_status s = read_job(a, &j, why);
    if (!s) {
        int csv = strcmp(args_text(a, OPT_FORMAT), "csv") == 0;
        sweep_run(1, run, &j, 1); /* for its Ctrl-C */
        if ((s = j.status)) *why = j.reason;
        if (j.done && (!s || s == FINF_ETOL)) {
            doc_heading(d, "Noise of finite time");
            for (size_t i = 0; i < j.done; i++) show_system(d, &j, &j.entries[i]);
            finf_status shown = j.H && (text || csv) ? show_curves(d, &j, text, why) : FINF_OK;
            if (shown) s = shown;
        }
    }
    for (size_t i = 0; i < j.count; i++) {
        finf_system_free(j.entries[i].system);
        finf_curve_result_free(&j.entries[i].curve);
    }
    finf_spectrum_free(j.H);
    free(j.start_at);
    return s;
}
