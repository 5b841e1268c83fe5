/* The paper's finite-time results: theorem lr-finite-noclip, and the rates of corollaries dpsgd and dpftrl with every
 * "absolute constant" a field of the options. The rates are the corollaries' statements, not their proofs, where the two
 * differ: the proof of cor:dpftrl has R^4 sigma_sgd^2/(rho mu^2 T^2) inside the bracket, one factor 1/(mu T) too many
 * against its own statement and equation pf:dpftrl-dp:1. */
#include "bounds.h"
#include "system.h"

finf_rate_options finf_rate_options_default(void)
{
    return (finf_rate_options){.rho = 1,
                               .start = 1,
                               .failprob = 0.05,
                               .c_time = 1,
                               .c_exp = 1,
                               .c_gap = 1,
                               .c_start = 1,
                               .c_dp = 1,
                               .c_sgd = 1,
                               .c_polylog = 1,
                               .polylog_power = 1,
                               .c_eta = 1,
                               .c_clip = 1};
}

static finf_status check(double T, const finf_rate_options *o, finf_reason *why)
{
    const struct {
        const char *name;
        double value;
        int zero;
    } fields[] = {{"rho", o->rho, 0},
                  {"sigma-sgd", o->sigma_sgd, 1},
                  {"start", o->start, 1},
                  {"c_time", o->c_time, 1},
                  {"c_exp", o->c_exp, 0},
                  {"c_gap", o->c_gap, 1},
                  {"c_start", o->c_start, 1},
                  {"c_dp", o->c_dp, 1},
                  {"c_sgd", o->c_sgd, 1},
                  {"c_polylog", o->c_polylog, 1},
                  {"c_eta", o->c_eta, 0},
                  {"c_clip", o->c_clip, 0},
                  {"polylog_power", o->polylog_power, 1}};
    if (!(T >= 2 && isfinite(T))) return finf_why(why, FINF_EDOM, "T = %s: must be at least 2 and finite", finf_show(T).s);
    if (!(o->failprob > 0 && o->failprob < 1))
        return finf_why(why, FINF_EDOM, "failprob = %s: must be in (0, 1)", finf_show(o->failprob).s);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!(fields[i].value >= (fields[i].zero ? 0 : BOUNDS_TINY) && fields[i].value <= BOUNDS_HUGE))
            return finf_why(why, FINF_EDOM, "%s = %s: must be %s and at most 1e50", fields[i].name,
                            finf_show(fields[i].value).s, fields[i].zero ? ">= 0" : "positive");
    return FINF_OK;
}

/* What the two corollaries share. power: of log(T/p), 5 or 7; extra: the further logarithm of cor:dpftrl. */
static finf_status rate(const finf_spectrum *s, double T, const finf_rate_options *opt, int nu, finf_rate_result *out)
{
    finf_rate_options o = opt ? *opt : finf_rate_options_default();
    *out = (finf_rate_result){.value = NAN};
    finf_status status = check(T, &o, &out->reason);
    if (status) return status;
    double L = finf_spectrum_max(s), mu = finf_spectrum_min(s), trace = finf_spectrum_trace(s), d = finf_spectrum_dim(s);
    double kappa = L / mu, d_eff = trace / L, ke = kappa * d_eff, sgd2 = o.sigma_sgd * o.sigma_sgd;
    double logTp = log(T / o.failprob), size = ke * ke * d / o.rho;
    double logs = pow(logTp, nu ? 7 : 5);
    /* cor:dpftrl has log(kappa^2 d_eff^2 d / rho) in the exponent, and log(c ...) in the condition on T: meant as at
     * least 1 */
    double more = nu ? fmax(1, log(size)) : 1, more_T = nu ? fmax(1, log(o.c_time * size)) : 1;
    out->kappa = kappa;
    out->d_eff = d_eff;
    out->d = d;
    out->trace = trace;
    out->mu = mu;
    out->lambda_max = L;
    out->T_left = T / logs;
    out->T_right = o.c_time * size * more_T;
    out->polylog = o.c_polylog * pow(log(T), o.polylog_power);
    out->gap = o.c_gap * kappa * exp(-T / (o.c_exp * size * logs * more));
    double time = nu ? T * T : T, front = ke * out->polylog, dp_size = nu ? ke : d;
    out->start = o.c_start * front * dp_size * trace * o.start / (o.rho * time);
    out->dp = o.c_dp * front * dp_size * sgd2 / (o.rho * time);
    out->sgd = o.c_sgd * front * sgd2 / T;
    out->value = out->gap + out->start + out->dp + out->sgd;
    /* theorem dp-main with R^2 = Tr H, nu~ = mu; for nu its proof's eta_max = mu rho / (c R^4 d log^7(T/p) log(R^4
     * d/(mu^2 rho))) */
    double R4 = trace * trace, by_noise = mu * o.rho / (o.c_exp * R4 * d * logs * more),
           by_step = 1 / (o.c_eta * trace * logTp);
    out->eta_max = fmin(by_noise, by_step);
    double reach = fmax(o.start, fmax(out->eta_max * trace * sgd2 / mu, sgd2 / trace));
    out->clip = o.c_clip * trace * sqrt(reach) * pow(logTp, 2.5);
    /* the smallest T that is large enough: T / log^q(T/p) grows from T = p e^q on */
    double q = nu ? 7 : 5, low = fmax(2, o.failprob * exp(q)), high = low;
    while (high < 1e300 && high / pow(log(high / o.failprob), q) < out->T_right) high *= 2;
    for (int i = 0; i < 200 && high / low > 1 + 1e-15; i++) {
        double mid = sqrt(low * high);
        *(mid / pow(log(mid / o.failprob), q) < out->T_right ? &low : &high) = mid;
    }
    out->T_min = high < 1e300 ? high : INFINITY;
    out->valid = out->T_left >= out->T_right;
    if (!out->valid)
        finf_why(&out->reason, FINF_OK, "T = %s is not large enough: T/log^%d(T/p) = %.6g must be at least %.6g, T >= %.6g",
                 finf_show(T).s, nu ? 7 : 5, out->T_left, out->T_right, out->T_min);
    return FINF_OK;
}

finf_status finf_rate_sgd(const finf_spectrum *s, double T, const finf_rate_options *opt, finf_rate_result *out)
{
    return rate(s, T, opt, 0, out);
}

finf_status finf_rate_nu(const finf_spectrum *s, double T, const finf_rate_options *opt, finf_rate_result *out)
{
    return rate(s, T, opt, 1, out);
}

finf_status finf_curve_bound(const finf_noise *noise, double eta, const finf_spectrum *s, const finf_linreg_options *opt,
                             double F0, const double *t, size_t n, double *bound, finf_reason *why)
{
    finf_linreg_options o = opt ? *opt : finf_linreg_options_default();
    finf_linreg_result r;
    for (size_t i = 0; i < n; i++) bound[i] = NAN;
    if (!(F0 >= 0 && F0 <= BOUNDS_HUGE))
        return finf_why(why, FINF_EDOM, "F(theta_0) - F* = %s: must be >= 0 and at most 1e50", finf_show(F0).s);
    for (size_t i = 0; i < n; i++)
        if (!(t[i] >= 0)) return finf_why(why, FINF_EDOM, "t = %s: must be >= 0", finf_show(t[i]).s);
    o.optimum = 0;
    finf_status status = finf_linreg(noise, eta, s, &o, &r);
    if (status) {
        if (why) *why = r.reason;
        return status;
    }
    int applies = isfinite(r.upper.value) && isfinite(r.exact.value);
    if (!applies && why) *why = isfinite(r.upper.value) ? r.reason : r.upper_reason;
    for (size_t i = 0; i < n; i++) {
        double start = sqrt(r.lambda_max / r.lambda_min * F0) * exp(-0.5 * eta * r.lambda_min * t[i]),
               root = start + sqrt(r.exact.value);
        bound[i] = applies ? root * root : INFINITY;
    }
    return FINF_OK;
}
