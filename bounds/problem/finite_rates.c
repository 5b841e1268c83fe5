/* The paper's statements about finitely many steps of linear regression. (theory 6.8)
 *
 *   finf_curve_bound         E[F(theta_t) - F*] without clipping, a theorem
 *   finf_rate_sgd, .._nu     the rates of its two corollaries with clipping, DP-SGD and nu-noise,
 *                            every "absolute constant" being a field of the options
 *
 * The rates are what the corollaries state. The proof of the one for nu differs from its statement:
 * it has R^4 sigma_sgd^2/(rho mu^2 T^2) inside the bracket, one factor 1/(mu T) too many against
 * the statement and against its own first equation. */
#include "bounds.h"
#include "optimizer.h"
#include "system.h"

finf_rate_options finf_rate_options_default(void)
{
#define FIELD(name, value, zero, meaning) .name = value,
    return (finf_rate_options){.rho = 1, FINF_RATE_CONSTANT_LIST(FIELD)};
#undef FIELD
}

/* T >= 2, the failure probability in (0, 1), everything else positive or, where that makes sense,
 * zero, and at most 1e50. */
static finf_status check(double T, const finf_rate_options *o, finf_reason *why)
{
#define FIELD(name, value, zero, meaning) {#name, o->name, zero},
    const struct {
        const char *name;
        double value;
        int zero; /* whether 0 is allowed */
    } fields[] = {
        {"rho", o->rho, 0}, {"sigma-sgd", o->sigma_sgd, 1}, FINF_RATE_CONSTANT_LIST(FIELD)};
#undef FIELD
    if (!(T >= 2 && isfinite(T)))
        return finf_why(why, FINF_EDOM, "T = %s: must be at least 2 and finite", finf_show(T).s);
    if (!(o->failprob > 0 && o->failprob < 1))
        return finf_why(why, FINF_EDOM, "failprob = %s: must be in (0, 1)",
                        finf_show(o->failprob).s);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!(fields[i].value >= (fields[i].zero ? 0 : BOUNDS_TINY) &&
              fields[i].value <= BOUNDS_HUGE))
            return finf_why(why, FINF_EDOM, "%s = %s: must be %s and at most 1e50", fields[i].name,
                            finf_show(fields[i].value).s, fields[i].zero ? ">= 0" : "positive");
    return FINF_OK;
}

/* What both corollaries are about. They take R^2 = Tr H. */
typedef struct {
    finf_rate_options o;
    int nu;        /* the corollary for nu-noise; else that for DP-SGD */
    double T;      /* steps */
    double q;      /* the power of log(T/p) in the conditions: 7 for nu, 5 for DP-SGD */
    double log_Tp; /* log(T/p), p the failure probability */
    double mu;     /* the least eigenvalue of H */
    double trace;  /* Tr H */
    double d;      /* dimension */
    double kappa;  /* condition number */
    double d_eff;  /* Tr H/lambda_1 */
    double size;   /* kappa^2 d_eff^2 d/rho = R^4 d/(mu^2 rho) */
    double known;  /* mu, lambda_1 and Tr H, to this part of them */
} problem;

static problem make_problem(const finf_spectrum *s, double T, const finf_rate_options *o, int nu)
{
    problem p = {.o = *o, .nu = nu, .T = T, .q = nu ? 7 : 5, .log_Tp = log(T / o->failprob)};
    p.mu = finf_spectrum_min(s);
    p.trace = finf_spectrum_trace(s);
    p.d = finf_spectrum_dim(s);
    p.kappa = finf_spectrum_max(s) / p.mu;
    p.d_eff = p.trace / finf_spectrum_max(s);
    p.size = p.kappa * p.d_eff * p.kappa * p.d_eff * p.d / o->rho;
    p.known = fmax(finf_spectrum_describe(s).resolution / p.mu,
                   finf_spectrum_trace_error(s) / p.trace);
    return p;
}

/* The corollary for nu has a further factor log(kappa^2 d_eff^2 d/rho), which DP-SGD's has not; in
 * its condition on T the constant c is inside that logarithm. It is meant to be at least 1. */
static double further_log(const problem *p, double c)
{
    return p->nu ? fmax(1, log(c * p->size)) : 1;
}

/* The step size that the privacy noise allows, eta1 = mu rho/(c_exp R^4 d log^q(T/p) (further
 * log)), written with size = R^4 d/(mu^2 rho). */
static double eta_by_noise(const problem *p)
{
    return 1 / (p->mu * p->o.c_exp * p->size * pow(p->log_Tp, p->q) * further_log(p, 1));
}

/* The rate itself, term by term:
 *
 *     kappa e^{-mu eta1 T}
 *     + kappa d_eff (D Tr H |theta_0-theta*|^2 + D sigma_sgd^2 + sigma_sgd^2/T) polylog(T),
 *     D = d/(rho T) for DP-SGD, kappa d_eff/(rho T^2) for nu. */
static void terms(const problem *p, finf_rate_result *out)
{
    const finf_rate_options *o = &p->o;
    double ke = p->kappa * p->d_eff, sgd2 = o->sigma_sgd * o->sigma_sgd;
    double D = p->nu ? ke / (o->rho * p->T * p->T) : p->d / (o->rho * p->T);
    out->polylog = o->c_polylog * pow(log(p->T), o->polylog_power);
    out->gap = o->c_gap * p->kappa * exp(-p->mu * eta_by_noise(p) * p->T);
    out->start = o->c_start * ke * D * p->trace * o->start * out->polylog;
    out->dp = o->c_dp * ke * D * sgd2 * out->polylog;
    out->sgd = o->c_sgd * ke * sgd2 / p->T * out->polylog;
    out->value = out->gap + out->start + out->dp + out->sgd;
}

/* The clip norm under which no gradient is cut, with probability 1 - p:
 * G = c_clip R^2 max(|theta_0-theta*|, sqrt(eta R^2 sigma_sgd^2/mu), sigma_sgd/R) log^{5/2}(T/p).
 */
static double clip_norm(const problem *p, double eta)
{
    double sgd2 = p->o.sigma_sgd * p->o.sigma_sgd;
    double reach = fmax(p->o.start, fmax(eta * p->trace * sgd2 / p->mu, sgd2 / p->trace));
    return p->o.c_clip * p->trace * sqrt(reach) * pow(p->log_Tp, 2.5);
}

/* The corollaries need T/log^q(T/p) to be large enough; this is that quotient. */
static double condition_left(const problem *p, double T)
{
    return T / pow(log(T / p->o.failprob), p->q);
}

/* The least T with condition_left(T) >= right, by bisection of log T where the quotient grows, from
 * T = p e^q on. +inf if that is beyond 1e300. */
static double least_T(const problem *p, double right)
{
    double low = fmax(2, p->o.failprob * exp(p->q)), high = low;
    while (high < 1e300 && condition_left(p, high) < right) high *= 2;
    if (!(high < 1e300)) return INFINITY;
    for (int i = 0; i < 200 && high / low > 1 + 1e-15; i++) {
        double mid = sqrt(low * high);
        *(condition_left(p, mid) < right ? &low : &high) = mid;
    }
    return high;
}

/* What the numbers are known to. Terms, eta_max and clip are products of at most eight of mu,
 * lambda_1, Tr H and 1/those, powers up to 7 of a logarithm, and some twenty roundings. The
 * exponent of `gap` is such a product too, and T_min is where a growing function meets one. */
static void errors(const problem *p, finf_rate_result *out)
{
    double relative = 8 * p->known + 64 * FINF_EPS;
    double exponent = p->mu * eta_by_noise(p) * p->T;
    double right = out->T_right;
    out->relerr = relative;
    out->gap_error = out->gap * expm1(relative * (1 + exponent));
    out->T_min_error = isinf(out->T_min)
                           ? 0
                           : least_T(p, right * (1 + relative)) -
                                 least_T(p, right * (1 - relative)) + 8 * FINF_EPS * out->T_min;
}

/* Everything that a corollary says of T steps: the rate, the largest step size and the clip norm it
 * is proved for, and whether T is large enough; if it is not, how large it must be. */
static finf_status rate(const finf_spectrum *s, double T, const finf_rate_options *opt, int nu,
                        finf_rate_result *out)
{
    finf_rate_options o = opt ? *opt : finf_rate_options_default();
    *out = (finf_rate_result){.value = NAN};
    finf_status status = check(T, &o, &out->reason);
    if (status) return status;
    problem p = make_problem(s, T, &o, nu);
    out->kappa = p.kappa;
    out->d_eff = p.d_eff;
    out->d = p.d;
    out->trace = p.trace;
    out->mu = p.mu;
    out->lambda_max = finf_spectrum_max(s);
    terms(&p, out);
    out->eta_max = fmin(eta_by_noise(&p), 1 / (o.c_eta * p.trace * p.log_Tp));
    out->clip = clip_norm(&p, out->eta_max);
    out->T_left = condition_left(&p, T);
    out->T_right = o.c_time * p.size * further_log(&p, o.c_time);
    out->T_min = least_T(&p, out->T_right);
    out->valid = out->T_left >= out->T_right;
    errors(&p, out);
    if (!out->valid)
        finf_why(
            &out->reason, FINF_OK,
            "T = %s is not large enough: T/log^%.0f(T/p) = %.6g must be at least %.6g, T >= %.6g",
            finf_show(T).s, p.q, out->T_left, out->T_right, out->T_min);
    return FINF_OK;
}

finf_status finf_rate_sgd(const finf_spectrum *s, double T, const finf_rate_options *opt,
                          finf_rate_result *out)
{
    return rate(s, T, opt, 0, out);
}

finf_status finf_rate_nu(const finf_spectrum *s, double T, const finf_rate_options *opt,
                         finf_rate_result *out)
{
    return rate(s, T, opt, 1, out);
}

/* (1/2) sum_j lambda_j start/d, to rounding */
double finf_curve_gap(const finf_spectrum *s, double start)
{
    return start * finf_spectrum_trace(s) / (2 * finf_spectrum_dim(s));
}

/* (sqrt((L/mu) e^{-eta mu t} F_0) + sqrt(F_inf))^2 at each t (theory 6.8), with the exact F_inf of
 * 5.1.   domain: F_0 >= 0, t >= 0; +inf with a reason where the theorem's eta R^2 < 1 does not hold
 * or F_inf is infinite. */
finf_status finf_curve_bound(const finf_noise *noise, double eta, const finf_spectrum *s,
                             const finf_linreg_options *opt, double F0, const double *t, size_t n,
                             double *bound, finf_reason *why)
{
    finf_linreg_options o = opt ? *opt : finf_linreg_options_default();
    finf_linreg_result r;
    for (size_t i = 0; i < n; i++) bound[i] = NAN;
    finf_status status = optimizer_only_plain(o.optimizer, "the theorem's bound", why);
    if (status) return status;
    if (!(F0 >= 0 && F0 <= BOUNDS_HUGE))
        return finf_why(why, FINF_EDOM, "F(theta_0) - F* = %s: must be >= 0 and at most 1e50",
                        finf_show(F0).s);
    for (size_t i = 0; i < n; i++)
        if (!(t[i] >= 0))
            return finf_why(why, FINF_EDOM, "t = %s: must be >= 0", finf_show(t[i]).s);
    o.optimum = 0;
    status = finf_linreg(noise, eta, s, &o, &r);
    if (status) {
        if (why) *why = r.reason;
        return status;
    }
    int small = eta * r.R2 < 1, applies = small && isfinite(r.exact.value);
    if (!small)
        finf_why(why, FINF_OK, "the theorem needs eta R^2 < 1, here %.6g", eta * r.R2);
    else if (!applies && why)
        *why = r.reason;
    for (size_t i = 0; i < n; i++) {
        double start = sqrt(r.lambda_max / r.lambda_min * F0) *
                       exp(-0.5 * eta * r.lambda_min * t[i]),
               root = start + sqrt(r.exact.value);
        bound[i] = applies ? root * root : INFINITY;
    }
    return FINF_OK;
}
