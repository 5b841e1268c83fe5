/* finf iqc: an upper bound on F_inf for every mu-strongly convex, L-smooth F, given noise, beside
 * what stands below it: the worst quadratic, the minimax over all noise and, with --lower simulate,
 * two F that are not quadratic. (theory 7, 11.4) */
#include "cmd.h"
#include "iqc_options.h"
#include "sweep.h"

/* The two F of --lower simulate. */
static const struct {
    finf_worst_kind kind;
    const char *key, *about;
} WORST[] = {{FINF_WORST_HUBER, "huber_lower",
              "E[F - F*], simulated: curvature L near the minimum, mu outside"},
             {FINF_WORST_ASYMMETRIC, "asymmetric_lower",
              "E[F - F*], simulated: curvature mu for x > 0, L for x < 0"}};

/* E[F - F*] of two F that are not quadratic, separable and alike in all d coordinates: any bound
 * must be above them. F - F* scales with the variance of w, so a simulation at unit variance serves
 * every sigma; only the ratio sigma_sgd/sigma enters. (theory 6.6, 7.8) */
static finf_status simulate(const args *a, const problem *p, const finf_noise *noise,
                            const finf_iqc_result *r, doc *d, finf_reason *why)
{
    finf_status worst = FINF_OK;
    unsigned long long seed = 0;
    /* d sigma^2 = E|w_t|^2: what turns a value per unit of w's variance into one of F */
    double scale = finf_noise_variance(&p->iqc.privacy, r->gamma2.value, p->iqc.dim);
    finf_status s = args_seed(a, OPT_SEED, &seed, why);
    if (s) return s;
    /* d = 1: the bound's d is in its scale, and |what|^2 is spread over d */
    for (size_t k = 0; k < 2; k++) {
        finf_worst_result x = {.mean = NAN, .error = INFINITY};
        if (scale > 0 && isfinite(r->bound.value))
            worst = finf_worse(
                worst, finf_iqc_simulate(noise, p->eta, p->kappa, p->iqc.smooth, p->optimizer,
                                         p->iqc.privacy.sigma_sgd / sqrt(scale), WORST[k].kind,
                                         seed, 0.005, &p->iqc.cancel, &x));
        doc_real(d, WORST[k].key, SHOWN, (finf_real){scale * x.mean, scale * x.error, "simulation"},
                 WORST[k].about);
    }
    return worst
               ? finf_why(why, worst,
                          worst == FINF_ENOMEM ? "no memory"
                                               : "the simulation did not reach its error of 0.5%%")
               : FINF_OK;
}

static finf_status cmd_iqc(const args *a, doc *d, finf_reason *why)
{
    problem p;
    finf_noise *noise = NULL;
    finf_iqc_result r;
    int lower = 0;
    finf_status s = read_problem(a, PROBLEM_CONVEX, &p, why);
    if (!s) s = args_choice(a, OPT_LOWER, &lower, why);
    if (!s) s = read_noise(a, &p, &noise, why);
    int asked = !s;
    if (asked && (s = finf_iqc(noise, p.eta, p.kappa, &p.iqc, &r))) *why = r.reason;
    /* stopped by Ctrl-C before there was a bound: nothing to show */
    int stopped = asked && s && sweep_interrupted(NULL) && !isfinite(r.bound.value);
    if (asked && (!s || s == FINF_ETOL) && !stopped) {
        doc_row(d);
        doc_heading(d, "Bound on F_inf for strongly convex, smooth F");
        show_noise(d, a, noise);
        show_iqc(d, a, &p, &r, 1);
        if (lower) s = finf_worse(s, simulate(a, &p, noise, &r, d, why));
        show_iqc_reason(d, &p, &r);
    }
    finf_noise_free(noise);
    return s;
}

static const option_use OPTIONS[] = {
    {.id = OPT_NOISE, .needed = 1},
    {.id = OPT_ETA, .needed = 1},
    {.id = OPT_DIM, .fallback = FROM_LIBRARY, .help = "dimension of theta"},
    {.id = OPT_KAPPA, .needed = 1},
    CONVEX_OPTIONS,
    {.id = OPT_LOWER},
    {.id = OPT_SEED, .fallback = FROM_LIBRARY, .help = "of --lower simulate"},
    OPTIMIZER_OPTIONS,
    PRIVACY_OPTIONS,
    {.id = OPT_BATCH},
    TABLE_OPTIONS,
    COMMON_OPTIONS,
    {.id = OPT_END}};

/* A seed is of --lower simulate alone: nothing else here is random. */
static const option_rule RULES[] = {CONVEX_RULES,
                                    {.option = OPT_SEED, .needs = {OPT_LOWER}, .words = "simulate"},
                                    {.option = OPT_END}};

const command command_iqc = {
    .name = "iqc",
    .summary = "bound on F_inf for every mu-strongly convex, L-smooth F",
    .about =
        "An upper bound by integral quadratic constraints, recomputed from its multipliers on\n"
        "all frequencies, beside the worst quadratic. --certify proves it.",
    .example = "finf iqc --noise nu:0.056 --eta 0.1 --kappa 100 --certify",
    .options = OPTIONS,
    .rules = RULES,
    .columns = "bound,lower,gap,gamma2,certified_upper,huber_lower,asymmetric_lower",
    .plot = "bound",
    .stoppable = 1,
    .run = cmd_iqc,
};
