/* finf gamma: the sensitivity gamma_inf^2 = sum of c_t^2, c = 1/beta, and with --steps that of the
 * first T terms. (theory 2) */
#include "cmd.h"

/* gamma_inf^2 may miss its tolerance: a zero of B(z) is too close to |z| = 1 to tell on which side
 * it is, or an integral did not settle. What is known is shown then, and gamma_T^2 too, which is a
 * finite sum in any case. */
static finf_status cmd_gamma(const args *a, doc *d, finf_reason *why)
{
    double eta, mu, T = NAN;
    finf_noise *noise = NULL;
    finf_sensitivity sens;
    finf_real at = {NAN, INFINITY, ""};
    finf_reason at_reason = {""};
    finf_privacy_setting set;
    finf_status s = read_eta_mu(a, &eta, &mu, why);
    if (!s) s = read_setting(a, &set, why);
    if (!s) s = args_whole(a, OPT_STEPS, 1, FINF_STEPS_MAX, &T, why);
    if (!s) s = read_noise(a, eta, mu, &noise, why);
    if (!s && (s = finf_noise_sensitivity(noise, &sens))) *why = sens.reason;
    /* the status to return once everything is shown */
    finf_status partial = s == FINF_ETOL ? s : FINF_OK;
    if ((!s || partial) && !isnan(T))
        s = finf_noise_sensitivity_at(noise, (size_t)T, &at, &at_reason);
    /* the reason of what failed last; that of a missed tolerance is kept */
    if (s && !partial && at_reason.text[0]) *why = at_reason;
    if (!s || partial) {
        doc_row(d);
        doc_heading(d, "Sensitivity of the noise");
        show_noise(d, a, eta, mu);
        doc_real(d, "gamma2", "gamma2_error", "gamma_inf^2", sens.gamma2,
                 "sum of c_t^2 over all t, c = 1/beta");
        doc_number(d, "gamma", "gamma_inf", sqrt(sens.gamma2.value), NULL);
        if (!isnan(T)) {
            doc_number(d, "steps", "T", T, "steps");
            doc_real(d, "gamma2_T", "gamma2_T_error", "gamma_T^2", at, "the same over the first T");
        }
        if (partial) /* undecided is neither */
            doc_number(d, "minimum_phase", "minimum phase", NAN, "no zero of B(z) in |z| <= 1");
        else
            doc_bool(d, "minimum_phase", "minimum phase", sens.minimum_phase,
                     "no zero of B(z) in |z| <= 1");
        doc_string(d, "method", "method", sens.gamma2.method, NULL);
        show_reason(d, sens.reason.text[0] ? &sens.reason : &at_reason);
        if (partial) s = partial;
    }
    finf_noise_free(noise);
    return s;
}

/* The privacy setting is taken, so that one set of options serves all commands, and has no
 * effect. */
static const option_use OPTIONS[] = {{.id = OPT_NOISE, .needed = 1},
                                     OPTIONS_FOR_AUTO,
                                     {.id = OPT_STEPS},
                                     PRIVACY_OPTIONS_WITHOUT_EFFECT,
                                     COMMON_OPTIONS,
                                     {.id = OPT_PRECISION},
                                     {.id = OPT_END}};

static const option_rule RULES[] = {RULES_FOR_AUTO, {.option = OPT_END}};

const command command_gamma = {
    .name = "gamma",
    .summary = "sensitivity of the noise",
    .about = "gamma_inf^2 = sum c_t^2, c = 1/beta: how much noise privacy costs. Infinite, with "
             "the reason, when B(z) has\n"
             "a zero in |z| <= 1.",
    .example = "finf gamma --noise nu:0.01 --steps 1000",
    .options = OPTIONS,
    .rules = RULES,
    .run = cmd_gamma,
};
