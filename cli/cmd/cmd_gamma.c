/* finf gamma: the sensitivity gamma_inf^2 = sum of c_t^2, c = 1/beta, with --steps that of the
 * first T terms, and that to several participations. (theory 2, 6.5) */
#include "cmd.h"

/* gamma_inf^2 may miss its tolerance: a zero of B(z) is too close to |z| = 1 to tell on which side
 * it is, or an integral did not settle. What is known is shown then, and gamma_T^2 too, which is a
 * finite sum in any case. */
static finf_status cmd_gamma(const args *a, doc *d, finf_reason *why)
{
    finf_noise *noise = NULL;
    sensitivity x;
    setting privacy;
    finf_status s = read_setting(a, &privacy, why);
    if (!s) s = read_noise_alone(a, &noise, why);
    int asked = !s;
    if (asked) s = read_sensitivity(a, noise, &x, why);
    if (asked && (!s || s == FINF_ETOL)) {
        doc_row(d);
        doc_heading(d, "Sensitivity of the noise");
        show_noise(d, a, noise);
        doc_real(d, "gamma2", SHOWN, x.all.gamma2, "gamma_inf^2: sum of c_t^2, c = 1/beta");
        doc_real(d, "gamma", SHOWN, finf_real_root(x.all.gamma2), "gamma_inf");
        show_sensitivity(d, &x);
        if (setting_given(a)) show_setting(d, &privacy, sensitivity_meant(&x));
        if (x.status) /* undecided is neither */
            doc_number(d, "minimum_phase", SHOWN, NAN, "no zero of B(z) in |z| <= 1");
        else
            doc_bool(d, "minimum_phase", SHOWN, x.all.minimum_phase,
                     x.all.minimum_phase ? "no zero of B(z) in |z| <= 1"
                                         : "B(z) has a zero in |z| <= 1");
        doc_string(d, "method", SHOWN, x.all.gamma2.method, NULL);
        show_reason(d, x.all.reason.text[0] ? &x.all.reason : &x.why);
        if (x.status && !s) {
            s = x.status;
            *why = x.all.reason;
        }
    }
    finf_noise_free(noise);
    return s;
}

static const option_use OPTIONS[] = {{.id = OPT_NOISE, .needed = 1},
                                     OPTIONS_FOR_BEST,
                                     {.id = OPT_STEPS},
                                     PARTICIPATION_OPTIONS,
                                     PRIVACY_OPTIONS,
                                     {.id = OPT_BATCH},
                                     TABLE_OPTIONS,
                                     COMMON_OPTIONS,
                                     {.id = OPT_END}};

static const option_rule RULES[] = {PARTICIPATION_RULES, {.option = OPT_END}};

const command command_gamma = {
    .name = "gamma",
    .summary = "sensitivity of the noise",
    .about =
        "gamma_inf^2 = sum c_t^2, c = 1/beta: how much noise privacy costs. Infinite, with the\n"
        "reason, when B(z) has a zero in |z| <= 1. With --steps that of T steps, of one or\n"
        "several participations; with a privacy target also the sigma that it asks for.",
    .example = "finf gamma --noise nu:0.01 --steps 1000",
    .options = OPTIONS,
    .rules = RULES,
    .columns = "gamma2,gamma2_T,sens2,sigma,minimum_phase",
    .plot = "gamma2,gamma2_T,sens2",
    .run = cmd_gamma,
};
