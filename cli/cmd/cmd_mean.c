/* finf mean: F_inf for mean estimation, exact, beside the least over all noise and that of
 * independent noise. (theory 4, 11.2) */
#include "cmd.h"

static finf_status cmd_mean(const args *a, doc *d, finf_reason *why)
{
    problem p;
    finf_noise *noise = NULL;
    finf_mean_result r;
    finf_status s = read_problem(a, PROBLEM_MEAN, &p, why);
    if (!s) s = read_noise(a, &p, &noise, why);
    finf_mean_options o = mean_of(&p);
    int asked = !s;
    if (asked && (s = finf_mean(noise, p.eta, &o, &r))) *why = r.reason;
    if (asked && (!s || s == FINF_ETOL)) {
        char note[128];
        doc_row(d);
        doc_heading(d, "Mean estimation, F = (1/2) E(theta - z)^2");
        show_noise(d, a, noise);
        doc_number(d, "eta", SHOWN, p.eta, "step size");
        show_optimizer(d, a, p.optimizer, p.eta, 1, 1);
        show_setting(d, &p.privacy, r.gamma2);
        doc_real(d, "gamma2", SHOWN, r.gamma2, "gamma_inf^2, sensitivity squared");
        doc_real(d, "F_inf", SHOWN, with_rho(&p.privacy, r.F), "lim E[F(theta_t) - F*], exact");
        times(note, sizeof note, "least over all noise", r.F.value / r.F_optimal.value);
        doc_real(d, "F_best", SHOWN, with_rho(&p.privacy, r.F_optimal), note);
        times(note, sizeof note, "independent noise", r.F.value / r.F_sgd.value);
        doc_real(d, "F_sgd", SHOWN, with_rho(&p.privacy, r.F_sgd), note);
        /* text mentions stability only where it is missing */
        doc_bool(d, "stable", r.stable ? DATA_ONLY : SHOWN, r.stable, NULL);
        show_reason(d, &r.reason);
    }
    finf_noise_free(noise);
    return s;
}

static const option_use OPTIONS[] = {{.id = OPT_NOISE, .needed = 1},
                                     {.id = OPT_ETA, .needed = 1},
                                     OPTIMIZER_OPTIONS,
                                     PRIVACY_OPTIONS,
                                     {.id = OPT_BATCH},
                                     TABLE_OPTIONS,
                                     COMMON_OPTIONS,
                                     {.id = OPT_END}};

const command command_mean = {
    .name = "mean",
    .summary = "F_inf for mean estimation",
    .about = "lim E[F(theta_t) - F*] for F = (1/2)E(theta-z)^2, exact, beside the best noise and\n"
             "independent noise.",
    .example = "finf mean --noise nu:paper --eta 0.1",
    .options = OPTIONS,
    .columns = "gamma2,F_inf,F_best,F_sgd",
    .plot = "F_inf",
    .run = cmd_mean,
};
