/* finf privacy: rho-zCDP, (epsilon, delta), and the three things called noise multiplier. Each
 * conversion is done twice: exactly, as all steps together are one Gaussian mechanism, and by the
 * formula that holds for every rho-zCDP mechanism. (theory 8) */
#include "cmd.h"

/* What was given, and what follows from it. */
typedef struct {
    finf_privacy_setting set;
    finf_real rho; /* error 0 where it was given */
    int zcdp;      /* epsilon and delta fix it by that formula, not the exact one */
    /* NaN where it was not given; else what both formulas make of it */
    double epsilon, delta;
    finf_real epsilon_gauss, epsilon_zcdp, delta_gauss, delta_zcdp;
} conversion;

/* rho = 1/(2 z^2) of a noise multiplier z = sigma/(G gamma) */
static finf_status rho_of_multiplier(const args *a, conversion *x, finf_reason *why)
{
    double z = NAN;
    finf_status s = args_number(a, OPT_NOISE_MULTIPLIER, &z, why);
    if (!s && !(z > 0))
        s = finf_why(why, FINF_EDOM, "noise-multiplier = %.80s: must be positive",
                     args_text(a, OPT_NOISE_MULTIPLIER));
    if (!s && finf_rho_multiplier(z, &x->rho))
        s = finf_why(why, FINF_EDOM, "noise-multiplier = %.80s: must be from 1e-15 to 1e15",
                     args_text(a, OPT_NOISE_MULTIPLIER));
    return s;
}

/* rho from whatever was given: --rho itself, --noise-multiplier, or --epsilon and --delta by the
 * formula that --accounting names. Exactly one of the three. */
static finf_status find_rho(const args *a, conversion *x, finf_reason *why)
{
    int by_epsilon = args_given(a, OPT_EPSILON) && args_given(a, OPT_DELTA);
    int given = args_given(a, OPT_RHO) + args_given(a, OPT_NOISE_MULTIPLIER) + by_epsilon;
    if (given != 1)
        return finf_why(why, FINF_EUSAGE,
                        "give one of --rho, --noise-multiplier, or --epsilon with --delta%s",
                        given ? ", not several" : "");
    finf_status s = args_choice(a, OPT_ACCOUNTING, &x->zcdp, why);
    if (!s && args_given(a, OPT_NOISE_MULTIPLIER)) s = rho_of_multiplier(a, x, why);
    if (!s && by_epsilon)
        s = (x->zcdp ? finf_rho_zcdp : finf_rho_gauss)(x->epsilon, x->delta, &x->rho, why);
    if (!s && args_given(a, OPT_RHO)) s = args_number(a, OPT_RHO, &x->rho.value, why);
    if (!s && !(x->rho.value >= 1e-30 && x->rho.value <= 1e30))
        s = finf_why(why, FINF_EDOM, "rho = %s: must be positive, from 1e-30 to 1e30",
                     finf_show(x->rho.value).s);
    x->set.rho = x->rho.value;
    return s;
}

static finf_status read_given(const args *a, conversion *x, finf_reason *why)
{
    finf_real none = {NAN, INFINITY, ""};
    *x = (conversion){.set = finf_privacy_setting_default(), .epsilon = NAN, .delta = NAN};
    x->rho = (finf_real){NAN, 0, "given"};
    x->epsilon_gauss = x->epsilon_zcdp = x->delta_gauss = x->delta_zcdp = none;
    finf_status s = args_number(a, OPT_CLIP, &x->set.clip, why);
    if (!s && !(x->set.clip >= 1e-50 && x->set.clip <= 1e50))
        s = finf_why(why, FINF_EDOM, "clip = %s: must be positive, from 1e-50 to 1e50",
                     finf_show(x->set.clip).s);
    if (!s) s = args_number(a, OPT_EPSILON, &x->epsilon, why);
    if (!s) s = args_number(a, OPT_DELTA, &x->delta, why);
    if (!s && !isnan(x->epsilon) && !(x->epsilon >= 0 && x->epsilon <= 1e30))
        s = finf_why(why, FINF_EDOM, "epsilon = %s: must be from 0 to 1e30",
                     finf_show(x->epsilon).s);
    if (!s && !isnan(x->delta) && !(x->delta >= 1e-300 && x->delta < 1))
        s = finf_why(why, FINF_EDOM, "delta = %s: must be in (0, 1), at least 1e-300",
                     finf_show(x->delta).s);
    return s ? s : find_rho(a, x, why);
}

/* With rho and delta epsilon is sought, with rho and epsilon delta; with rho alone there are only
 * the noise multipliers. Where epsilon and delta gave rho by one formula, the other says what that
 * is by it. */
static finf_status convert(conversion *x, finf_reason *why)
{
    finf_status s = FINF_OK;
    if (isnan(x->delta) && !isnan(x->epsilon)) {
        s = finf_delta_gauss(x->set.rho, x->epsilon, &x->delta_gauss, why);
        if (!s) s = finf_delta_zcdp(x->set.rho, x->epsilon, &x->delta_zcdp, why);
        x->epsilon_gauss = x->epsilon_zcdp = (finf_real){x->epsilon, 0, "given"};
    } else if (!isnan(x->delta)) {
        s = finf_epsilon_zcdp(x->set.rho, x->delta, &x->epsilon_zcdp, why);
        if (!s) s = finf_epsilon_gauss(x->set.rho, x->delta, &x->epsilon_gauss, why);
        if (!isnan(x->epsilon))
            *(x->zcdp ? &x->epsilon_zcdp : &x->epsilon_gauss) = (finf_real){x->epsilon, 0, "given"};
    }
    return s;
}

static void show_conversion(doc *d, const conversion *x)
{
    doc_real(d, "rho", SHOWN, x->rho, "zCDP");
    /* delta was given or is not known; else it was found, in two ways */
    if (isnan(x->delta_zcdp.value))
        doc_real(d, "delta", SHOWN,
                 isnan(x->delta) ? finf_real_failed() : finf_real_exact(x->delta), NULL);
    else {
        doc_real(d, "delta", SHOWN, x->delta_gauss, "exact, of this rho and epsilon");
        doc_real(d, "delta_zcdp", SHOWN, x->delta_zcdp, "for any rho-zCDP mechanism");
    }
    doc_real(d, "epsilon", SHOWN, x->epsilon_gauss, "exact: the noise is one Gaussian mechanism");
    doc_real(d, "epsilon_zcdp", SHOWN, x->epsilon_zcdp, "for any rho-zCDP mechanism");
}

/* The three, for the sum of clipped gradients, and sigma for their mean. */
static void show_multipliers(doc *d, const conversion *x, finf_real sens2, double batch)
{
    finf_multipliers m = finf_noise_multipliers(&x->set, sens2);
    finf_real sigma = finf_privacy_widen(m.sigma, x->rho);
    doc_note(d, "Noise multiplier means three things:");
    doc_real(d, "noise_multiplier", SHOWN, finf_privacy_widen(m.over_sensitivity, x->rho),
             "sigma/(G gamma), what privacy accountants take");
    doc_real(d, "sigma_over_clip", SHOWN, finf_privacy_widen(m.over_clip, x->rho),
             "sigma/G, what DP-SGD libraries take");
    doc_real(d, "sigma", SHOWN, sigma,
             "standard deviation of w_t, where it is added to the sum of clipped gradients");
    show_batch(d, &(setting){.batch = batch}, sigma);
}

static finf_status cmd_privacy(const args *a, doc *d, finf_reason *why)
{
    finf_noise *noise = NULL;
    conversion x;
    sensitivity sens;
    double batch = NAN;
    finf_status s = read_given(a, &x, why);
    if (!s) s = args_whole(a, OPT_BATCH, 1, 1e15, &batch, why);
    if (!s) s = read_noise_alone(a, &noise, why);
    if (!s) s = read_sensitivity(a, noise, &sens, why);
    if (!s) s = convert(&x, why);
    if (!s) {
        char note[128];
        finf_real meant = sensitivity_meant(&sens);
        doc_row(d);
        doc_heading(d, "Privacy (zero-out adjacency)");
        show_conversion(d, &x);
        show_noise(d, a, noise);
        snprintf(note, sizeof note, "sensitivity squared: %s", sensitivity_words(&sens));
        if (isnan(sens.steps))
            doc_real(d, "gamma2", SHOWN, meant, note);
        else {
            show_sensitivity(d, &sens);
        }
        show_multipliers(d, &x, meant, batch);
        if (isinf(meant.value))
            show_reason(d, isnan(sens.steps) ? &sens.all.reason : &sens.why);
        else if (isnan(x.delta) && isnan(x.epsilon))
            doc_string(d, "reason", DATA_ONLY, "epsilon needs --delta", NULL);
    }
    finf_noise_free(noise);
    return s;
}

/* --rho has no default here: it is one of the three ways to say how private. */
static const option_use OPTIONS[] = {
    {.id = OPT_NOISE, .fallback = "sgd", .help = "the noise beta (see NOISE); may be repeated"},
    OPTIONS_FOR_BEST,
    {.id = OPT_STEPS, .help = "use the sensitivity of T steps, not of all time"},
    PARTICIPATION_OPTIONS,
    {.id = OPT_EPSILON, .help = "with --delta: find rho; with --rho: find delta"},
    {.id = OPT_DELTA, .help = "with --rho: find epsilon"},
    {.id = OPT_NOISE_MULTIPLIER},
    {.id = OPT_ACCOUNTING},
    {.id = OPT_RHO, .help = "rho-zCDP, to convert"},
    {.id = OPT_CLIP},
    {.id = OPT_BATCH},
    TABLE_OPTIONS,
    COMMON_OPTIONS,
    {.id = OPT_END}};

/* Two rules for --accounting: it needs --epsilon, and it needs --delta. */
static const option_rule RULES[] = {PARTICIPATION_RULES,
                                    {.option = OPT_ACCOUNTING,
                                     .needs = {OPT_EPSILON},
                                     .because = "it is how epsilon and delta fix rho"},
                                    {.option = OPT_ACCOUNTING,
                                     .needs = {OPT_DELTA},
                                     .because = "it is how epsilon and delta fix rho"},
                                    {.option = OPT_END}};

const command command_privacy = {
    .name = "privacy",
    .summary = "rho-zCDP, (epsilon, delta) and noise multipliers",
    .about =
        "Two of rho, epsilon, delta give the third, by the exact Gaussian formula and by zCDP;\n"
        "and the three things called noise multiplier, for the noise given (default sgd).",
    .example = "finf privacy --rho 1 --delta 1e-5",
    .options = OPTIONS,
    .rules = RULES,
    .columns = "rho,epsilon,delta,gamma2,gamma2_T,sens2,sigma",
    .plot = "sigma",
    .run = cmd_privacy,
};
