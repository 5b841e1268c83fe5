/* finf audit: what given coefficients, a BLT or a matrix really have, and what one should know
 * before it is used. (theory 13.8) */
#include <stdlib.h>

#include "audit_file.h"
#include "cmd.h"
#include "sweep.h"
#include "systems.h"

typedef struct {
    audit_file file;     /* the noise, wherever it comes from, or the matrix */
    finf_system *system; /* of --system */
    problem p;
    sensitivity who; /* takes part how often, in how many steps */
    finf_audit_claim claims[FINF_AUDIT_CLAIMS_MAX];
    finf_audit_options o;
    finf_audit_result r;
    finf_real F; /* NaN: no problem is given */
    finf_reason F_reason;
} job;

/* ---- reading --------------------------------------------------------------------------------- */

/* Is it said how private, and sigma is what that asks for? */
static int is_target(const args *a) { return args_given(a, OPT_RHO) || args_given(a, OPT_EPSILON); }

static finf_status check_given(const args *a, finf_reason *why)
{
    int given = (a->operand != NULL) + args_given(a, OPT_NOISE) + args_given(a, OPT_SYSTEM);
    if (given != 1)
        return finf_why(
            why, FINF_EUSAGE, "audit needs one of FILE, --noise or --system%s%s",
            given ? ", not several" : ", for example: ", given ? "" : a->command->example);
    if (args_given(a, OPT_SIGMA) && is_target(a))
        return finf_why(why, FINF_EUSAGE,
                        "--sigma, or --rho or --epsilon with --delta for it: one of them");
    return FINF_OK;
}

/* --delta beside --sigma is that of the epsilon sought, not of a target. */
static finf_status read_the_problem(const args *a, problem *p, finf_reason *why)
{
    args without = *a;
    if (args_given(a, OPT_SIGMA)) without.value[OPT_DELTA] = NULL;
    return read_problem(&without, problem_asked(a), p, why);
}

/* One name of --system, of so many steps. */
static finf_status read_system(const args *a, size_t n, finf_system **out, finf_reason *why)
{
    const finf_system_options stop = {.cancel = {sweep_interrupted, NULL}};
    system_problem of = {.k = 1, .b = n};
    system_list list = {0};
    finf_status s = systems_read(args_text(a, OPT_SYSTEM), n, &list, why);
    if (!s && list.n != 1)
        s = finf_why(why, FINF_EUSAGE, "--system '%.60s': one at a time", args_text(a, OPT_SYSTEM));
    if (!s) s = system_make(list.all, n, &of, &stop, out, why);
    systems_free(&list);
    return s;
}

/* What is audited; its own steps, where it has them and none are given. */
static finf_status read_subject(const args *a, job *j, finf_reason *why)
{
    int coef = -1;
    finf_status s = FINF_OK;
    j->file.steps = NAN;
    if (args_given(a, OPT_COEF)) s = args_choice(a, OPT_COEF, &coef, why);
    if (!s) s = args_whole(a, OPT_STEPS, 1, FINF_SYSTEM_MAX, &j->who.steps, why);
    if (!s && a->operand) s = audit_file_read(a->operand, coef, &j->file, why);
    if (!s && args_given(a, OPT_NOISE)) s = read_noise(a, &j->p, &j->file.noise, why);
    if (!s && args_given(a, OPT_SYSTEM))
        s = isnan(j->who.steps) ? finf_why(why, FINF_EUSAGE, "--system needs --steps")
                                : read_system(a, (size_t)j->who.steps, &j->system, why);
    if (!s && isnan(j->who.steps))
        j->who.steps = j->file.matrix ? (double)j->file.n : j->file.steps;
    return s;
}

static finf_status read_who(const args *a, job *j, finf_reason *why)
{
    int between = 0;
    if (isnan(j->who.steps) && (args_given(a, OPT_PARTICIPATIONS) ||
                                args_given(a, OPT_SEPARATION) || args_given(a, OPT_EPOCHS)))
        return finf_why(why, FINF_EUSAGE, "several participations need --steps");
    if (isnan(j->who.steps)) return FINF_OK;
    finf_status s = args_choice(a, OPT_CONVENTION, &between, why);
    if (!s) s = read_participations(a, &j->who, why);
    if (!s && between && !isnan(j->who.b)) j->who.b++;
    return s;
}

/* What needs no file. */
static finf_status read_numbers(const args *a, job *j, finf_reason *why)
{
    finf_audit_options *o = &j->o;
    *o = finf_audit_options_default();
    finf_status s = args_number(a, OPT_SIGMA, &o->sigma, why);
    if (!s && args_given(a, OPT_SIGMA)) s = args_number(a, OPT_DELTA, &o->delta, why);
    if (!s && args_given(a, OPT_SIGMA)) s = args_whole(a, OPT_BATCH, 1, 1e15, &o->batch, why);
    if (!s && args_given(a, OPT_CLAIMS))
        s = finf_audit_claims(args_text(a, OPT_CLAIMS), j->claims, &o->n_claims, why);
    o->claims = j->claims;
    return s;
}

static void set_options(job *j)
{
    finf_audit_options *o = &j->o;
    o->clip = j->p.privacy.set.clip;
    o->cancel.poll = sweep_interrupted;
    o->steps = isnan(j->who.steps) ? 0 : (size_t)j->who.steps;
    if (isnan(j->who.k)) return;
    o->participations = (size_t)j->who.k;
    o->separation = (size_t)j->who.b;
    o->count = j->who.fixed_order ? FINF_DESIGN_FIXED_ORDER : FINF_DESIGN_MIN_SEP;
}

static finf_status read_job(const args *a, job *j, finf_reason *why)
{
    j->F = finf_real_failed();
    j->who = (sensitivity){.steps = NAN, .k = NAN, .b = NAN};
    finf_status s = check_given(a, why);
    if (!s) s = read_numbers(a, j, why);
    if (!s) s = read_the_problem(a, &j->p, why);
    if (!s) s = read_subject(a, j, why);
    if (!s) s = read_who(a, j, why);
    if (!s) set_options(j);
    if (!s && j->p.kind != PROBLEM_NONE && !j->file.noise)
        s = finf_why(why, FINF_EUSAGE,
                     "F_inf is of Toeplitz noise, which goes on; a matrix or system of n steps has "
                     "the loss of a run: see 'finf design' and 'finf curve'");
    if (!s && j->p.kind == PROBLEM_LINREG && isnan(j->p.eta))
        s = finf_why(why, FINF_EUSAGE, "F_inf needs --eta beside --spectrum");
    return s;
}

/* ---- running --------------------------------------------------------------------------------- */

/* sigma^2 = G^2 gamma^2/(2 rho): a sigma that is given is that of a rho, unless gamma is infinite.
 */
static finf_status find_loss(job *j, finf_reason *why)
{
    finf_status s;
    if (!isnan(j->o.sigma)) {
        double z = j->o.clip / j->o.sigma;
        if (!isfinite(j->r.gamma2.value)) {
            finf_why(&j->F_reason, FINF_OK, "F_inf of a given sigma needs a finite gamma2");
            return FINF_OK;
        }
        j->p.privacy.set.rho = z * z * j->r.gamma2.value / 2;
    }
    finf_mean_options m = mean_of(&j->p);
    finf_linreg_options o = linreg_of(&j->p);
    finf_mean_result mean;
    finf_linreg_result linreg;
    o.optimum = 0;
    if (j->p.kind == PROBLEM_MEAN) {
        s = finf_mean(j->file.noise, j->p.eta, &m, &mean);
        j->F = mean.F;
        j->F_reason = mean.reason;
    } else {
        s = finf_linreg(j->file.noise, j->p.eta, j->p.H, &o, &linreg);
        j->F = linreg.exact;
        j->F_reason = linreg.reason;
    }
    if (s) *why = j->F_reason;
    return s;
}

static finf_status run(job *j, finf_reason *why)
{
    finf_status s = j->file.noise ? finf_audit_noise(j->file.noise, &j->o, &j->r)
                    : j->system
                        ? finf_audit_system(j->system, &j->o, &j->r)
                        : finf_audit_matrix(j->file.matrix, j->file.n, j->file.coef, &j->o, &j->r);
    if (s) *why = j->r.reason;
    return s || j->p.kind == PROBLEM_NONE ? s : find_loss(j, why);
}

/* ---- showing --------------------------------------------------------------------------------- */

/* A number that is not there is null in JSON, and not shown in text. */
static void show_real(doc *d, const char *key, finf_real x, const char *note)
{
    doc_real(d, key, isnan(x.value) ? DATA_ONLY : SHOWN, x, note);
}

static void show_subject(doc *d, const args *a, const job *j)
{
    if (a->operand)
        doc_string(d, "file", SHOWN, a->operand, NULL);
    else if (j->system)
        doc_string(d, "system", SHOWN, args_text(a, OPT_SYSTEM), NULL);
    else
        show_noise(d, a, j->file.noise);
    doc_string(d, "kind", SHOWN, j->r.kind, NULL);
    if (j->file.matrix)
        doc_string(d, "coef", SHOWN, finf_audit_coef_name(j->file.coef),
                   j->file.coef == FINF_AUDIT_NOISING ? "the matrix is B" : "the matrix is C");
    if (j->r.steps) doc_number(d, "steps", SHOWN, (double)j->r.steps, NULL);
    if (isnan(j->who.k)) return;
    doc_number(d, "participations", SHOWN, j->who.k, "at most, of one user");
    doc_number(d, "separation", SHOWN, j->who.b,
               j->who.fixed_order ? "steps apart, exactly (fixed order)"
                                  : "steps apart, at least (min-separation)");
}

static void show_facts(doc *d, const job *j)
{
    const finf_audit_result *r = &j->r;
    char note[160];
    snprintf(note, sizeof note, "squared sensitivity%s%s", r->steps ? "" : " of all time",
             r->sens2_exact ? "" : ": an upper bound, as contributions may cancel");
    doc_real(d, "sens2", SHOWN, r->sens2, note);
    doc_bool(d, "sens2_exact", DATA_ONLY, r->sens2_exact, NULL);
    doc_real(d, "sens2_lower", r->sens2_exact ? DATA_ONLY : SHOWN, r->sens2_lower,
             "what is attained");
    show_real(d, "gamma2", r->gamma2, "of all time, one participation");
    if (r->steps) show_real(d, "gamma2_T", r->gamma2_T, "of these steps, one participation");
    if (r->minimum_phase < 0)
        doc_number(d, "minimum_phase", DATA_ONLY, NAN, NULL);
    else
        doc_bool(d, "minimum_phase", SHOWN, r->minimum_phase,
                 r->minimum_phase ? "no zero of B(z) in |z| <= 1" : "B(z) has a zero in |z| <= 1");
    show_real(d, "prefix_error", r->prefix_error,
              "variances of all prefix sums at sigma = 1, added up");
    show_real(d, "prefix_error_mean", r->prefix_error_mean, "their mean");
    show_real(d, "prefix_error_max", r->prefix_error_max, "the largest");
    show_real(d, "mean_loss", r->mean_loss, "sens2 prefix_error_mean");
    show_real(d, "max_loss", r->max_loss, "sens2 prefix_error_max");
}

/* The epsilon of a sigma, or the sigma of a target. */
static void show_privacy(doc *d, const args *a, const job *j)
{
    if (is_target(a)) show_setting(d, &j->p.privacy, j->r.sens2);
    if (isnan(j->o.sigma)) return;
    doc_number(d, "sigma", SHOWN, j->o.sigma,
               "standard deviation of w_t, added to the sum of clipped gradients");
    doc_number(d, "clip", j->o.clip == 1 ? DATA_ONLY : SHOWN, j->o.clip, "clip norm G");
    if (args_given(a, OPT_BATCH)) doc_number(d, "batch", SHOWN, j->o.batch, "examples");
    doc_real(d, "rho", SHOWN, j->r.rho, "zCDP (zero-out adjacency)");
    if (isnan(j->o.delta)) return;
    doc_number(d, "delta", SHOWN, j->o.delta, NULL);
    doc_real(d, "epsilon", SHOWN, j->r.epsilon, "exact: the noise is one Gaussian mechanism");
}

static void show_loss(doc *d, const args *a, const job *j)
{
    if (j->p.kind == PROBLEM_NONE) return;
    doc_number(d, "eta", SHOWN, j->p.eta, "step size");
    if (j->p.kind == PROBLEM_LINREG) show_spectrum(d, a, j->p.H);
    show_optimizer(d, a, j->p.optimizer, j->p.eta, j->p.mu,
                   j->p.kind == PROBLEM_LINREG ? finf_spectrum_max(j->p.H) : 1);
    if (!is_target(a)) {
        if (isnan(j->o.sigma))
            doc_number(d, "rho", SHOWN, j->p.privacy.set.rho, "zCDP, of all time");
        doc_number(d, "sigma_sgd", DATA_ONLY, j->p.privacy.set.sigma_sgd, NULL);
    }
    show_real(d, "F_inf", is_target(a) ? with_rho(&j->p.privacy, j->F) : j->F,
              is_target(a) && j->r.steps ? "lim E[F(theta_t) - F*], exact, if rho is of all time"
                                         : "lim E[F(theta_t) - F*], exact");
}

/* Why something is infinite or not there. */
static void show_why(doc *d, const args *a, const job *j)
{
    const finf_audit_result *r = &j->r;
    char text[640];
    const char *part[] = {r->reason.text, j->F_reason.text,
                          j->file.noise ? "" : "gamma2 and minimum_phase are of Toeplitz noise",
                          isnan(r->prefix_error.value) && !r->steps ? "prefix_error needs --steps"
                                                                    : ""};
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        if (*part[i] && !(i == 1 && strcmp(part[0], part[1]) == 0))
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? "; " : "", part[i]);
    int infinite = isinf(r->sens2.value) || isinf(r->gamma2.value) || isinf(j->F.value);
    if (text[0] || wants_csv(a))
        doc_string(d, "reason", infinite && text[0] ? SHOWN : DATA_ONLY, text, NULL);
}

static void show_findings(doc *d, const finf_audit_result *r)
{
    static const char *const NAMES[] = {"level", "text"};
    const char *cells[2 * FINF_AUDIT_FINDINGS_MAX];
    for (size_t i = 0; i < r->findings; i++) {
        cells[2 * i] = finf_audit_level_name(r->finding[i].level);
        cells[2 * i + 1] = r->finding[i].text;
    }
    doc_objects(d, "findings", 2, NAMES, cells, r->findings);
    if (!r->findings) doc_note(d, "No findings.");
}

static finf_status cmd_audit(const args *a, doc *d, finf_reason *why)
{
    job *j = calloc(1, sizeof *j);
    if (!j) return finf_why(why, FINF_ENOMEM, "no memory");
    finf_status s = read_job(a, j, why);
    if (!s) s = run(j, why);
    if (!s) {
        doc_row(d);
        doc_heading(d, "What the noise has");
        show_subject(d, a, j);
        show_facts(d, j);
        show_privacy(d, a, j);
        show_loss(d, a, j);
        show_why(d, a, j);
        show_findings(d, &j->r);
    }
    audit_file_free(&j->file);
    finf_system_free(j->system);
    free(j);
    return s;
}

static const option_use OPTIONS[] = {
    {.id = OPT_NOISE, .help = "instead of FILE: the noise (see NOISE); may be repeated"},
    {.id = OPT_SYSTEM,
     .help = "or one of tree, honaker, full-honaker, fft, me, me:b, banded:b, banded-sqrt:b"},
    {.id = OPT_COEF},
    {.id = OPT_STEPS, .help = "of the run (default: those of a matrix or design; else all time)"},
    PARTICIPATION_OPTIONS,
    {.id = OPT_CONVENTION},
    {.id = OPT_SIGMA, .help = "standard deviation of w, added to the sum of clipped gradients"},
    {.id = OPT_EPSILON, .help = "with --delta, instead of --rho: exact"},
    {.id = OPT_DELTA, .help = "of --epsilon; with --sigma: also its epsilon, exact"},
    {.id = OPT_CLIP},
    {.id = OPT_BATCH, .help = "gradients in a sum: is sigma meant for it, or for the mean?"},
    {.id = OPT_CLAIMS},
    {.id = OPT_STRICT},
    {.id = OPT_ETA, .help = "also F_inf: of mean estimation, or of the --spectrum"},
    {.id = OPT_SPECTRUM},
    {.id = OPT_DIM},
    {.id = OPT_NORMALIZE},
    {.id = OPT_KURTOSIS},
    OPTIMIZER_OPTIONS,
    {.id = OPT_RHO,
     .fallback = FROM_LIBRARY,
     .help = "rho-zCDP, instead of --sigma: the sigma that it asks for, and F_inf"},
    {.id = OPT_SIGMA_SGD},
    TABLE_OPTIONS,
    COMMON_OPTIONS,
    {.id = OPT_END}};

static const option_rule RULES[] = {
    OPTION_NEEDS(OPT_CONVENTION, OPT_SEPARATION),
    {.option = OPT_DELTA, .needs = {OPT_SIGMA, OPT_EPSILON}},
    {.option = OPT_BATCH, .needs = {OPT_SIGMA, OPT_RHO, OPT_EPSILON}},
    OPTION_NEEDS(OPT_DIM, OPT_SPECTRUM),
    OPTION_NEEDS(OPT_NORMALIZE, OPT_SPECTRUM),
    OPTION_NEEDS(OPT_KURTOSIS, OPT_SPECTRUM),
    OPTION_NEEDS(OPT_OPTIMIZER, OPT_ETA),
    OPTION_NEEDS(OPT_AVERAGE, OPT_ETA),
    OPTION_NEEDS(OPT_WEIGHT_DECAY, OPT_ETA),
    OPTION_NEEDS(OPT_SIGMA_SGD, OPT_ETA),
    {.option = OPT_END}};

static const option_truth TRUTHS[] = {{OPT_CONVENTION, "jax"}, {OPT_END, NULL}};

const command command_audit = {
    .name = "audit",
    .operand = "FILE",
    .summary = "what given coefficients, a BLT or a matrix really have",
    .about =
        "Sensitivity, prefix error, minimum phase, F_inf of a problem, epsilon of a sigma, and\n"
        "findings: an infinite sensitivity, a claim that does not hold and the slip that explains\n"
        "it, coefficients mixed up, a matrix transposed. FILE: coefficients or a lower triangular\n"
        "matrix as text, CSV or .npy, a BLT as jax_privacy spells it, what design --save wrote; "
        "or\n"
        "a noise, as --noise takes it.",
    .example = "finf audit --noise 'blt:0.9,0.5;0.2,0.1' --steps 100 --epochs 2 "
               "--claims sens2=2.5",
    .options = OPTIONS,
    .rules = RULES,
    .truths = TRUTHS,
    .columns = "kind,sens2,gamma2,prefix_error_mean,prefix_error_max,max_loss,sigma,sigma_mean,"
               "epsilon,F_inf",
    .plot = "sens2,gamma2,prefix_error_mean,max_loss",
    .run = cmd_audit,
};
