/* finf mean: F_inf for mean estimation, exact, beside the least over all noise and that of DP-SGD.
 * (theory 4) */
#include "cmd.h"

/* A note on a value that this noise is compared with: what it is, and how many times that this
 * noise has. Without the factor where it is infinite or undefined. */
static void times(char *out, size_t size, const char *what, double x)
{
    if (isfinite(x))
        snprintf(out, size, "%s; this noise is %.4g times that", what, x);
    else
        snprintf(out, size, "%s", what);
}

/* auto is eta mu with mu = 1, the curvature of F = (1/2) E(theta - z)^2. */
static finf_status cmd_mean(const args *a, doc *d, finf_reason *why)
{
    double eta;
    finf_noise *noise = NULL;
    finf_privacy_setting set;
    finf_mean_result r;
    finf_status s = read_eta(a, &eta, why);
    if (!s) s = read_setting(a, &set, why);
    if (!s) s = read_noise(a, eta, 1, &noise, why);
    if (!s && (s = finf_mean(noise, eta, &(finf_mean_options){set, NULL}, &r))) *why = r.reason;
    if (!s || s == FINF_ETOL) {
        char note[128];
        doc_row(d);
        doc_heading(d, "Mean estimation, F = (1/2) E(theta - z)^2");
        show_noise(d, a, eta, 1);
        doc_number(d, "eta", "eta", eta, "step size");
        doc_number(d, "rho", "rho", set.rho, "zCDP");
        doc_number(d, "clip", NULL, set.clip, NULL);
        doc_number(d, "sigma_sgd", NULL, set.sigma_sgd, NULL);
        doc_real(d, "gamma2", "gamma2_error", "gamma_inf^2", r.gamma2, "sensitivity squared");
        doc_real(d, "F", "F_error", "F_inf", r.F, "lim E[F(theta_t) - F*], exact");
        times(note, sizeof note, "least over all noise", r.F.value / r.F_optimal.value);
        doc_real(d, "F_optimal", "F_optimal_error", "best noise", r.F_optimal, note);
        times(note, sizeof note, "independent noise", r.F.value / r.F_sgd.value);
        doc_real(d, "F_sgd", "F_sgd_error", "DP-SGD", r.F_sgd, note);
        /* text mentions stability only where it is missing */
        doc_bool(d, "stable", r.stable ? NULL : "stable", r.stable, "converges for eta < 2");
        show_reason(d, &r.reason);
    }
    finf_noise_free(noise);
    return s;
}

static const option_use OPTIONS[] = {{.id = OPT_NOISE, .needed = 1},
                                     {.id = OPT_ETA, .needed = 1},
                                     PRIVACY_OPTIONS,
                                     COMMON_OPTIONS,
                                     {.id = OPT_PRECISION},
                                     {.id = OPT_END}};

const command command_mean = {
    .name = "mean",
    .summary = "F_inf for mean estimation",
    .about = "lim E[F(theta_t) - F*] for F = (1/2)E(theta-z)^2, exact, beside the best noise and"
             " DP-SGD.",
    .example = "finf mean --noise nu:auto --eta 0.1",
    .options = OPTIONS,
    .run = cmd_mean,
};
