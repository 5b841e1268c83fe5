/* finf coef: coefficients out. */
#include <stdlib.h>

#include "cmd.h"

finf_status cmd_coef(const args *a, doc *d, finf_reason *why)
{
    double eta, mu = 1, n = NAN;
    finf_noise *noise = NULL;
    double *x = NULL;
    int strategy = args_given(a, OPT_STRATEGY);
    finf_status s = read_eta(a, &eta, why);
    if (!s) s = args_number(a, OPT_MU, &mu, why);
    if (!s) s = args_whole(a, OPT_LENGTH, 1, 1e8, &n, why);
    if (!s) s = read_noise(a, eta, mu, NULL, &noise, why);
    if (!s && !(x = malloc((size_t)n * sizeof *x))) s = finf_why(why, FINF_ENOMEM, "no memory for %.0f coefficients", n);
    if (!s) s = (strategy ? finf_noise_coef : finf_noise_beta)(noise, (size_t)n, x, why);
    if (!s || s == FINF_ETOL) {
        doc_row(d);
        doc_note(d, "# %s of %s, t = 0..%.0f", strategy ? "strategy coefficients c_t = (1/beta)_t" : "noising coefficients beta_t",
                 args_text(a, OPT_NOISE), n - 1);
        doc_string(d, "noise", NULL, args_text(a, OPT_NOISE), NULL);
        doc_array(d, strategy ? "strategy_coef" : "noising_coef", x, (size_t)n);
    }
    free(x);
    finf_noise_free(noise);
    return s;
}
