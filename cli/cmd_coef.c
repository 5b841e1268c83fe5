/* finf coef: coefficients out. */
#include <stdlib.h>

#include "cmd.h"

finf_status cmd_coef(const args *a, doc *d, finf_reason *why)
{
    double eta, mu, n = NAN;
    finf_noise *noise = NULL;
    double *x = NULL;
    int strategy = args_given(a, OPT_STRATEGY);
    finf_privacy_setting set;
    finf_status s = read_eta_mu(a, &eta, &mu, why);
    if (!s) s = read_setting(a, &set, why);
    if (!s) s = args_whole(a, OPT_LENGTH, 1, 1e8, &n, why);
    if (!s) s = read_noise(a, eta, mu, NULL, &noise, why);
    if (!s && !(x = malloc((size_t)n * sizeof *x))) s = finf_why(why, FINF_ENOMEM, "no memory for %.0f coefficients", n);
    if (!s) s = (strategy ? finf_noise_coef : finf_noise_beta)(noise, (size_t)n, x, why);
    if (!s || s == FINF_ETOL) {
        doc_row(d);
        doc_note(d, "# %s of %.80s, t = 0..%.0f",
                 strategy ? "strategy coefficients c_t = (1/beta)_t" : "noising coefficients beta_t",
                 args_text(a, OPT_NOISE), n - 1);
        show_noise(d, a, NULL, eta, mu);
        doc_array(d, strategy ? "strategy_coef" : "noising_coef", x, (size_t)n);
    }
    free(x);
    finf_noise_free(noise);
    return s;
}
