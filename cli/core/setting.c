#include "setting.h"

#include <math.h>
#include <stdio.h>

#include "base.h"
#include "kept.h"

/* rho of (epsilon, delta), exact: all steps together are one Gaussian mechanism. (theory 8.2) */
static finf_status find_rho(const args *a, setting *x, finf_reason *why)
{
    finf_status s = args_number(a, OPT_EPSILON, &x->epsilon, why);
    if (!s) s = args_number(a, OPT_DELTA, &x->delta, why);
    if (s) return s;
    if (isnan(x->epsilon) || isnan(x->delta))
        return finf_why(why, FINF_EUSAGE, "--epsilon and --delta go together");
    if (args_given(a, OPT_RHO))
        return finf_why(why, FINF_EUSAGE, "--rho, or --epsilon with --delta: one of them");
    if (!(x->epsilon > 0 && x->epsilon <= 1e30))
        return finf_why(why, FINF_EDOM, "epsilon = %s: must be positive, at most 1e30",
                        finf_show(x->epsilon).s);
    if (!(x->delta >= 1e-300 && x->delta < 1))
        return finf_why(why, FINF_EDOM, "delta = %s: must be in (0, 1), at least 1e-300",
                        finf_show(x->delta).s);
    s = rho_get(x->epsilon, x->delta, &x->rho, why);
    x->set.rho = x->rho.value;
    return s;
}

finf_status read_setting(const args *a, setting *x, finf_reason *why)
{
    *x = (setting){.set = finf_privacy_setting_default(),
                   .epsilon = NAN,
                   .delta = NAN,
                   .batch = NAN,
                   .asked = setting_given(a)};
    finf_status s = args_number(a, OPT_RHO, &x->set.rho, why);
    x->rho = finf_real_make(x->set.rho, 0, "given");
    if (!s) s = args_number(a, OPT_CLIP, &x->set.clip, why);
    if (!s) s = args_number(a, OPT_SIGMA_SGD, &x->set.sigma_sgd, why);
    if (!s) s = args_whole(a, OPT_BATCH, 1, 1e15, &x->batch, why);
    if (!s && (args_given(a, OPT_EPSILON) || args_given(a, OPT_DELTA))) s = find_rho(a, x, why);
    if (!s && !(x->set.rho > 0))
        s = finf_why(why, FINF_EDOM, "rho = %s: must be positive", finf_show(x->set.rho).s);
    if (!s && !(x->set.clip > 0))
        s = finf_why(why, FINF_EDOM, "clip = %s: must be positive", finf_show(x->set.clip).s);
    if (!s && !(x->set.sigma_sgd >= 0))
        s = finf_why(why, FINF_EDOM, "sigma-sgd = %s: must be >= 0", finf_show(x->set.sigma_sgd).s);
    return s;
}

int setting_given(const args *a)
{
    return args_given(a, OPT_RHO) || args_given(a, OPT_EPSILON) || args_given(a, OPT_DELTA) ||
           args_given(a, OPT_CLIP) || args_given(a, OPT_BATCH);
}

void show_batch(doc *d, const setting *x, finf_real sigma)
{
    char note[96];
    if (isnan(x->batch)) return;
    doc_number(d, "batch", SHOWN, x->batch, "examples");
    snprintf(note, sizeof note, "sigma/%s, where it is added to their mean over the batch",
             finf_show(x->batch).s);
    doc_real(d, "sigma_mean", SHOWN, finf_real_over(sigma, finf_real_exact(x->batch)), note);
}

void show_target(doc *d, const setting *x)
{
    if (isnan(x->epsilon)) return;
    doc_number(d, "epsilon", DATA_ONLY, x->epsilon, NULL);
    doc_number(d, "delta", DATA_ONLY, x->delta, NULL);
}

/* Text shows what was given or differs from its default; CSV and JSON have all of it. */
void show_setting(doc *d, const setting *x, finf_real gamma2)
{
    char note[128] = "zCDP";
    int target = !isnan(x->epsilon);
    if (target)
        snprintf(note, sizeof note, "zCDP: epsilon = %s at delta = %s, exact",
                 finf_show(x->epsilon).s, finf_show(x->delta).s);
    doc_real(d, "rho", SHOWN, x->rho, note);
    show_target(d, x);
    doc_number(d, "clip", x->set.clip == 1 ? DATA_ONLY : SHOWN, x->set.clip, "clip norm G");
    doc_number(d, "sigma_sgd", x->set.sigma_sgd == 0 ? DATA_ONLY : SHOWN, x->set.sigma_sgd,
               "gradient noise");
    if (isnan(gamma2.value)) return; /* of no one noise */
    finf_real sigma = with_rho(x, finf_noise_multipliers(&x->set, gamma2).sigma);
    doc_real(d, "sigma", x->asked ? SHOWN : DATA_ONLY, sigma,
             isnan(x->batch) ? "standard deviation of w_t, as it is added to a clipped gradient"
                             : "standard deviation of w_t, added to the sum of clipped gradients "
                               "(any F is of this)");
    show_batch(d, x, sigma);
}

finf_real with_rho(const setting *x, finf_real value) { return finf_privacy_widen(value, x->rho); }

/* ---- sensitivity ----------------------------------------------------------------------------- */

/* Who takes part when: k times, b steps apart, at least or exactly. */
finf_status read_participations(const args *a, sensitivity *x, finf_reason *why)
{
    double epochs = NAN;
    finf_status s = args_whole(a, OPT_PARTICIPATIONS, 1, x->steps, &x->k, why);
    if (!s) s = args_whole(a, OPT_SEPARATION, 1, x->steps, &x->b, why);
    if (!s) s = args_whole(a, OPT_EPOCHS, 1, x->steps, &epochs, why);
    if (s) return s;
    if (isnan(x->k) != isnan(x->b))
        return finf_why(why, FINF_EUSAGE, "--participations and --separation go together");
    if (isnan(epochs) && (x->k - 1) * x->b + 1 > x->steps)
        return finf_why(why, FINF_EDOM,
                        "%s participations %s steps apart need %s steps: there are %s",
                        finf_show(x->k).s, finf_show(x->b).s, finf_show((x->k - 1) * x->b + 1).s,
                        finf_show(x->steps).s);
    if (isnan(epochs)) return FINF_OK;
    if (!isnan(x->k))
        return finf_why(why, FINF_EUSAGE,
                        "--epochs, or --participations with --separation: one of them");
    if (fmod(x->steps, epochs) != 0)
        return finf_why(why, FINF_EDOM, "epochs = %s: must divide the %s steps",
                        finf_show(epochs).s, finf_show(x->steps).s);
    x->k = epochs;
    x->b = x->steps / epochs;
    x->fixed_order = 1;
    return FINF_OK;
}

/* The entries of X = C'C have the relative error that gamma_T^2, one of them, has; adding them up
 * costs one rounding for each of the steps more. */
static finf_status several(const finf_noise *noise, sensitivity *x, finf_reason *why)
{
    finf_system *system = NULL;
    finf_participation p;
    finf_status s = finf_system_toeplitz(noise, (size_t)x->steps, &system, why);
    if (!s) s = finf_system_participation(system, (size_t)x->k, (size_t)x->b, NULL, &p, why);
    if (!s) {
        double value = x->fixed_order ? p.fixed_order : p.min_sep;
        double error = value * (x->steps2.error / x->steps2.value + x->steps * FINF_EPS);
        x->sens2 = finf_real_make(value, error, p.method);
        x->exact = x->fixed_order ? p.fixed_lower >= p.fixed_order * (1 - 1e-9) : p.exact;
    }
    finf_system_free(system);
    return s;
}

finf_status read_sensitivity(const args *a, const finf_noise *noise, sensitivity *out,
                             finf_reason *why)
{
    sensitivity *x = out;
    *x = (sensitivity){.steps = NAN, .k = NAN, .b = NAN, .exact = 1};
    x->steps2 = x->sens2 = finf_real_failed();
    finf_status s = args_whole(a, OPT_STEPS, 1, FINF_STEPS_MAX, &x->steps, why);
    if (!s && !isnan(x->steps)) s = read_participations(a, x, why);
    if (s) return s;
    x->status = finf_noise_sensitivity(noise, &x->all);
    if (x->status && (isnan(x->steps) || x->status != FINF_ETOL)) {
        *why = x->all.reason;
        if (x->status != FINF_ETOL) return x->status;
    }
    if (isnan(x->steps)) return x->status;
    s = finf_noise_sensitivity_at(noise, (size_t)x->steps, &x->steps2, &x->why);
    if (s) *why = x->why;
    if (isinf(x->steps2.value)) x->sens2 = x->steps2;
    if (!s && !isnan(x->k) && isfinite(x->steps2.value)) s = several(noise, x, why);
    return s;
}

finf_real sensitivity_meant(const sensitivity *x)
{
    return !isnan(x->k) ? x->sens2 : !isnan(x->steps) ? x->steps2 : x->all.gamma2;
}

const char *sensitivity_words(const sensitivity *x)
{
    return isnan(x->steps)  ? "all time, one participation"
           : isnan(x->k)    ? "these steps, one participation"
           : x->fixed_order ? "these steps, participations exactly so far apart (fixed order)"
                            : "these steps, participations at least so far apart (min-separation)";
}

void show_sensitivity(doc *d, const sensitivity *x)
{
    if (isnan(x->steps)) return;
    doc_number(d, "steps", SHOWN, x->steps, NULL);
    doc_real(d, "gamma2_T", SHOWN, x->steps2,
             "squared sensitivity over these steps, one participation");
    show_who(d, x);
}

void show_who(doc *d, const sensitivity *x)
{
    char note[128];
    if (isnan(x->k)) return;
    doc_number(d, "participations", SHOWN, x->k, "at most, of one user");
    doc_number(d, "separation", SHOWN, x->b,
               x->fixed_order ? "steps apart, exactly (fixed order)"
                              : "steps apart, at least (min-separation)");
    snprintf(note, sizeof note, "squared sensitivity to them%s",
             x->exact ? "" : ": an upper bound");
    doc_real(d, "sens2", SHOWN, x->sens2, note);
}
