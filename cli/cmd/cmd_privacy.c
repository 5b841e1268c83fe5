/* finf privacy: rho-zCDP, (epsilon, delta), and the three things called noise multiplier. Each
 * conversion is done twice: exactly, as all steps together are one Gaussian mechanism, and by the
 * formula that holds for every rho-zCDP mechanism. (theory 8) */
#include "cmd.h"

/* rho from whatever was given: --rho itself, --noise-multiplier z (rho = 1/(2 z^2)), or --epsilon
 * and --delta, by the formula that --accounting names. Exactly one of the three. *error is that of
 * rho; 0 where it was given. */
static finf_status find_rho(const args *a, double epsilon, double delta, finf_privacy_setting *set,
                            double *error, finf_reason *why)
{
    *error = 0;
    int by_epsilon = args_given(a, OPT_EPSILON) && args_given(a, OPT_DELTA), zcdp = 0;
    int given = args_given(a, OPT_RHO) + args_given(a, OPT_NOISE_MULTIPLIER) + by_epsilon;
    if (given != 1)
        return finf_why(why, FINF_EUSAGE,
                        "give one of --rho, --noise-multiplier, or --epsilon with --delta%s",
                        given ? ", not several" : "");
    finf_status s = args_choice(a, OPT_ACCOUNTING, &zcdp, why);
    if (s) return s;
    if (args_given(a, OPT_NOISE_MULTIPLIER)) {
        double z = NAN;
        s = args_number(a, OPT_NOISE_MULTIPLIER, &z, why);
        if (!s && !(z > 0))
            s = finf_why(why, FINF_EDOM, "noise-multiplier = %.80s: must be positive",
                         args_text(a, OPT_NOISE_MULTIPLIER));
        finf_real rho;
        if (!s && finf_rho_multiplier(z, &rho))
            s = finf_why(why, FINF_EDOM, "noise-multiplier = %.80s: must be from 1e-15 to 1e15",
                         args_text(a, OPT_NOISE_MULTIPLIER));
        if (!s) set->rho = rho.value;
    } else if (by_epsilon) {
        finf_real rho;
        s = (zcdp ? finf_rho_zcdp : finf_rho_gauss)(epsilon, delta, &rho, why);
        if (s) return s;
        set->rho = rho.value;
        *error = rho.error;
    }
    return s;
}

/* NaN for the one that was not given. */
static finf_status read_epsilon_delta(const args *a, double *epsilon, double *delta,
                                      finf_reason *why)
{
    *epsilon = *delta = NAN;
    finf_status s = args_number(a, OPT_EPSILON, epsilon, why);
    if (!s) s = args_number(a, OPT_DELTA, delta, why);
    if (!s && !isnan(*epsilon) && !(*epsilon >= 0 && *epsilon <= 1e30))
        s = finf_why(why, FINF_EDOM, "epsilon = %s: must be from 0 to 1e30", finf_show(*epsilon).s);
    if (!s && !isnan(*delta) && !(*delta >= 1e-300 && *delta < 1))
        s = finf_why(why, FINF_EDOM, "delta = %s: must be in (0, 1), at least 1e-300",
                     finf_show(*delta).s);
    return s;
}

/* With rho and delta epsilon is sought, with rho and epsilon delta; with rho alone there are only
 * the noise multipliers. Where epsilon and delta gave rho, epsilon is computed from it once more by
 * both formulas, and one of them returns what was given. */
static finf_status cmd_privacy(const args *a, doc *d, finf_reason *why)
{
    double eta, mu, T = NAN, epsilon, delta, rho_error = NAN;
    finf_noise *noise = NULL;
    finf_privacy_setting set;
    finf_sensitivity sens = {.minimum_phase = 0};
    finf_status s = read_eta_mu(a, &eta, &mu, why);
    if (!s) s = args_whole(a, OPT_STEPS, 1, FINF_STEPS_MAX, &T, why);
    if (!s) s = read_setting(a, &set, why);
    if (!s) s = read_epsilon_delta(a, &epsilon, &delta, why);
    if (!s) s = find_rho(a, epsilon, delta, &set, &rho_error, why);
    if (!s && !(set.rho >= 1e-30 && set.rho <= 1e30))
        s = finf_why(why, FINF_EDOM, "rho = %s: must be positive, from 1e-30 to 1e30",
                     finf_show(set.rho).s);
    if (!s && !(set.clip >= 1e-50 && set.clip <= 1e50))
        s = finf_why(why, FINF_EDOM, "clip = %s: must be positive, from 1e-50 to 1e50",
                     finf_show(set.clip).s);
    if (!s) s = read_noise(a, eta, mu, &noise, why);
    finf_real gamma2 = {NAN, INFINITY, ""};
    if (!s && isnan(T)) {
        if ((s = finf_noise_sensitivity(noise, &sens))) *why = sens.reason;
        gamma2 = sens.gamma2;
    } else if (!s)
        s = finf_noise_sensitivity_at(noise, (size_t)T, &gamma2, why);
    finf_real zcdp = {NAN, INFINITY, ""}, gauss = zcdp, delta_zcdp = zcdp, delta_gauss = zcdp;
    if (!s && isnan(delta) && !isnan(epsilon)) { /* rho and epsilon: delta is sought */
        s = finf_delta_gauss(set.rho, epsilon, &delta_gauss, why);
        if (!s) s = finf_delta_zcdp(set.rho, epsilon, &delta_zcdp, why);
        zcdp = gauss = (finf_real){epsilon, 0, "given"};
        delta = delta_gauss.value;
    } else if (!s && !isnan(delta)) {
        s = finf_epsilon_zcdp(set.rho, delta, &zcdp, why);
        if (!s) s = finf_epsilon_gauss(set.rho, delta, &gauss, why);
    }
    if (!s) {
        finf_multipliers m = finf_noise_multipliers(&set, gamma2.value);
        doc_row(d);
        doc_heading(d, "Privacy (zero-out adjacency, one participation)");
        doc_real(d, "rho", "rho_error", "rho", (finf_real){set.rho, rho_error, ""}, "zCDP");
        /* delta was given or is not known; else it was found, in two ways */
        if (isnan(delta_zcdp.value))
            doc_number(d, "delta", "delta", delta, NULL);
        else {
            doc_real(d, "delta", "delta_error", "delta", delta_gauss,
                     "exact, of this rho and epsilon");
            doc_real(d, "delta_zcdp", "delta_zcdp_error", "delta (zCDP)", delta_zcdp,
                     "for any rho-zCDP mechanism");
        }
        doc_real(d, "epsilon_gauss", "epsilon_gauss_error", "epsilon", gauss,
                 "exact: the noise is one Gaussian mechanism");
        doc_real(d, "epsilon_zcdp", "epsilon_zcdp_error", "epsilon (zCDP)", zcdp,
                 "for any rho-zCDP mechanism");
        show_noise(d, a, eta, mu);
        doc_real(d, "gamma2", "gamma2_error", "gamma^2", gamma2,
                 isnan(T) ? "sensitivity squared, all time" : "sensitivity squared of these steps");
        doc_note(d, "Noise multiplier means three things:");
        doc_number(d, "noise_multiplier", "sigma/(G gamma)", m.over_sensitivity,
                   "what privacy accountants take");
        doc_number(d, "sigma_over_clip", "sigma/G", m.over_clip, "what DP-SGD libraries take");
        doc_number(d, "sigma", "sigma", m.sigma, "standard deviation of w_t");
        if (isinf(gamma2.value))
            show_reason(d, &sens.reason);
        else if (isnan(delta))
            doc_string(d, "reason", NULL, "epsilon needs --delta", NULL);
    }
    finf_noise_free(noise);
    return s;
}

/* --rho has no default here: it is one of the three ways to say how private. */
static const option_use OPTIONS[] = {
    {.id = OPT_NOISE, .fallback = "sgd", .help = "the noise beta (see NOISE)"},
    OPTIONS_FOR_AUTO,
    {.id = OPT_STEPS, .help = "use the sensitivity of T steps, not of all time"},
    {.id = OPT_EPSILON},
    {.id = OPT_DELTA},
    {.id = OPT_NOISE_MULTIPLIER},
    {.id = OPT_ACCOUNTING},
    {.id = OPT_RHO, .help = "rho-zCDP, to convert"},
    {.id = OPT_CLIP},
    {.id = OPT_SIGMA_SGD,
     .fallback = FROM_LIBRARY,
     .help = "accepted as elsewhere; nothing here depends on it"},
    COMMON_OPTIONS,
    {.id = OPT_PRECISION},
    {.id = OPT_END}};

/* Two rules for --accounting: it needs --epsilon, and it needs --delta. */
static const option_rule RULES[] = {RULES_FOR_AUTO,
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
    .about = "Two of rho, epsilon, delta give the third, by the exact Gaussian formula and by "
             "zCDP; and the three things\n"
             "called noise multiplier, for the noise given (default sgd).",
    .example = "finf privacy --rho 1 --delta 1e-5",
    .options = OPTIONS,
    .rules = RULES,
    .run = cmd_privacy,
};
