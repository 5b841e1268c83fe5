/* Simulation of the recursion itself (theory 0.1), with clipping or without: what is asked, and the
 * exact value that stands beside it where there is one. (theory 6.6; exact values 4, 5.1, 6) */
#include "montecarlo.h"

#include <stdlib.h>

#include "system.h"

#define EXACT_MOST 2e9 /* directions times steps of the exact curve */

finf_simulate_options finf_simulate_options_default(void)
{
    return (finf_simulate_options){.privacy = finf_privacy_setting_default(),
                                   .kappa = 10,
                                   .smooth = 1,
                                   .start = 1,
                                   .seed = 1,
                                   .threads = 1,
                                   .relative_error = 0.01,
                                   .max_steps = 1e8};
}

/* ---- the optimizer --------------------------------------------------------------------------- */

/* Its rule, its average and, where it is asked for, its slowest pole over the curvatures from
 * `least` to `most`. */
static finf_status set_optimizer(plan *p, double least, double most, finf_reason *why)
{
    const finf_optimizer *o = p->o.optimizer;
    p->window = 1;
    p->D = 1;
    if (optimizer_is_plain(o)) return FINF_OK;
    p->optimizer = o;
    p->rule = update_rule_make(o, p->eta);
    p->decay = o->weight_decay;
    p->keep = 1 - o->average_leak;
    p->gain = o->average_leak;
    if (o->average == AVERAGE_LAST) {
        p->window = o->average_last;
        if (p->o.steps && p->o.steps < p->window) p->window = p->o.steps + 1;
    }
    if (p->o.steps && p->problem != FINF_SIMULATE_HUBER) return FINF_OK;
    finf_real slowest;
    finf_status s = finf_optimizer_contraction(o, p->eta, least, most, &slowest, why);
    p->slowest = slowest.value;
    return s;
}

/* A quadratic of curvature L is mean estimation of L theta at the step eta L, divided by L: the
 * optimizer of that, with the average or without. NULL is plain sgd. */
static const finf_optimizer *rescaled(const plan *p, int average, finf_optimizer *room)
{
    if (!p->optimizer) return NULL;
    *room = *p->optimizer;
    if (p->problem != FINF_SIMULATE_LINREG) room->weight_decay /= p->L;
    if (average) return room;
    room->average = AVERAGE_NONE;
    room->average_leak = 1;
    room->average_last = 1;
    return room;
}

/* ---- exact values beside it ------------------------------------------------------------------ */

/* After T steps: the learning curve of theory 6. Only a failure of memory is one of the simulation;
 * otherwise the exact value is missing, with a reason. */
static finf_status exact_finite(const plan *p, const finf_spectrum *s, finf_simulate_result *out)
{
    const finf_simulate_options *o = &p->o;
    finf_curve_options c = finf_curve_options_default();
    finf_curve_result r = {0};
    finf_system *system = NULL;
    finf_spectrum *one = NULL;
    finf_optimizer room;
    double L = p->problem == FINF_SIMULATE_LINREG ? 1 : p->L;
    if ((double)o->steps * (double)(p->d < 512 || o->start_at ? p->d : 512) > EXACT_MOST ||
        o->steps > FINF_SYSTEM_MAX)
        return finf_why(&out->exact_reason, FINF_OK,
                        "the exact curve is not computed for this many steps");
    c.privacy = o->privacy;
    c.start = (o->start_at ? o->start_at[0] : o->start) * L * L;
    if (s) {
        c.start = o->start;
        c.start_at = o->start_at;
    }
    c.cancel = o->cancel;
    c.optimizer = rescaled(p, 1, &room);
    if (!s) c.kurtosis = -2; /* mean estimation is regression on inputs x = +-1 */
    finf_status status = finf_system_toeplitz(p->noise, o->steps, &system, &out->exact_reason);
    if (!status && !s) status = finf_spectrum_flat(1, &one, &out->exact_reason);
    if (!status && (status = finf_curve(system, p->eta * L, s ? s : one, &c, &r)))
        out->exact_reason = r.reason;
    if (!status) {
        out->exact = r.last;
        out->exact.value /= L;
        out->exact.error /= L;
    }
    finf_curve_result_free(&r);
    finf_system_free(system);
    finf_spectrum_free(one);
    return status == FINF_ENOMEM ? status : FINF_OK;
}

/* The exact value, or why there is none. */
static finf_status exact_value(plan *p, const finf_spectrum *s, finf_simulate_result *out)
{
    const finf_simulate_options *o = &p->o;
    out->exact = finf_real_failed();
    if (p->problem == FINF_SIMULATE_HUBER && p->L != p->mu)
        return finf_why(&out->exact_reason, FINF_OK,
                        "no exact value is known for a loss that is not quadratic");
    if (o->clip_gradients)
        return finf_why(&out->exact_reason, FINF_OK, "no exact value is known with clipping");
    if (o->steps) return exact_finite(p, s, out);
    finf_status status;
    finf_optimizer room;
    if (s) {
        finf_linreg_options l = finf_linreg_options_default();
        finf_linreg_result r;
        l.privacy = o->privacy;
        l.optimum = 0;
        l.optimizer = p->optimizer;
        status = finf_linreg(p->noise, p->eta, s, &l, &r);
        out->exact = r.exact;
        out->exact_reason = r.reason;
        if (r.D > 0) p->D = r.D;
    } else {
        finf_mean_result r;
        finf_mean_options m = {.privacy = o->privacy, .optimizer = rescaled(p, 1, &room)};
        status = finf_mean(p->noise, p->eta * p->L, &m, &r);
        out->exact = r.F;
        out->exact_reason = r.reason;
        out->exact.value /= p->L;
        out->exact.error /= p->L;
    }
    return status == FINF_ETOL ? FINF_OK : status;
}

/* ---- the question ---------------------------------------------------------------------------- */

/* The domain of everything that is asked, from the problem to the knee. */
static finf_status check(const plan *p, const finf_spectrum *s, finf_reason *why)
{
    const finf_simulate_options *o = &p->o;
    finf_status status = finf_choice_check("problem", (int)p->problem, FINF_SIMULATE_HUBER, why);
    if (!status) status = finf_setting_check(p->eta, &o->privacy, why);
    if (status) return status;
    if ((p->problem == FINF_SIMULATE_LINREG) != (s != NULL))
        return finf_why(why, FINF_EDOM, "linear regression, and nothing else, needs a spectrum");
    if (p->eta > BOUNDS_HUGE)
        return finf_why(why, FINF_EDOM, "eta = %s: at most 1e50", finf_show(p->eta).s);
    if (!(o->relative_error > 0 && o->relative_error < 1))
        return finf_why(why, FINF_EDOM, "relative-error = %s: must be between 0 and 1",
                        finf_show(o->relative_error).s);
    if (!(o->max_steps >= 1 && o->max_steps <= 1e15))
        return finf_why(why, FINF_EDOM, "max-steps = %s: must be from 1 to 1e15",
                        finf_show(o->max_steps).s);
    if (!(o->threads >= 1 && o->threads <= THREADS_MOST))
        return finf_why(why, FINF_EDOM, "threads = %u: must be from 1 to %d", o->threads,
                        THREADS_MOST);
    if (o->steps > FINF_STEPS_MAX)
        return finf_why(why, FINF_EDOM, "steps = %zu: at most %u", o->steps, FINF_STEPS_MAX);
    if (s && finf_spectrum_dim(s) > FINF_SIMULATE_DIM_MAX)
        return finf_why(why, FINF_EDOM, "dim = %s: at most %d in a simulation",
                        finf_show(finf_spectrum_dim(s)).s, FINF_SIMULATE_DIM_MAX);
    status = finf_start_check(o->start, o->start_at, s ? finf_spectrum_dim(s) : 1, why);
    if (status) return status;
    if (s && p->eta * finf_spectrum_min(s) < BOUNDS_TINY)
        return finf_why(why, FINF_EDOM, "eta * lambda_min = %s: must be at least 1e-50",
                        finf_show(p->eta * finf_spectrum_min(s)).s);
    if (p->problem != FINF_SIMULATE_HUBER) return FINF_OK;
    if (!(o->kappa >= 1 && o->kappa <= BOUNDS_HUGE))
        return finf_why(why, FINF_EDOM, "kappa = %s: must be at least 1 (at most 1e50)",
                        finf_show(o->kappa).s);
    if (!(o->smooth >= BOUNDS_TINY && o->smooth <= BOUNDS_HUGE))
        return finf_why(why, FINF_EDOM, "smooth = %s: must be from 1e-50 to 1e50",
                        finf_show(o->smooth).s);
    if (!(o->knee >= 0 && o->knee <= BOUNDS_HUGE))
        return finf_why(why, FINF_EDOM, "knee = %s: must be from 0 (automatic) to 1e50",
                        finf_show(o->knee).s);
    return FINF_OK;
}

/* The loss, the start and the sizes of a batch. */
static finf_status set_problem(plan *p, const finf_spectrum *s, finf_reason *why)
{
    const finf_simulate_options *o = &p->o;
    p->d = s ? (size_t)finf_spectrum_dim(s) : 1;
    p->width = p->d * LANES;
    size_t tile = TILE_NUMBERS / p->width;
    p->tile = tile < 1 ? 1 : tile > TILE_MOST ? TILE_MOST : tile;
    p->L = p->problem == FINF_SIMULATE_HUBER ? o->smooth : 1;
    p->mu = p->problem == FINF_SIMULATE_HUBER ? o->smooth / o->kappa : 1;
    p->knee = INFINITY;
    p->clip = o->clip_gradients ? o->privacy.clip : INFINITY;
    p->lambda = malloc(3 * p->d * sizeof *p->lambda);
    if (!p->lambda) return finf_why(why, FINF_ENOMEM, "no memory");
    p->root = p->lambda + p->d;
    p->start = p->root + p->d;
    for (size_t j = 0; j < p->d; j++) {
        p->lambda[j] = s ? finf_spectrum_at(s, (double)j + 1) : 1;
        p->root[j] = sqrt(p->lambda[j]);
        p->start[j] = !o->steps ? 0 : sqrt(o->start_at ? o->start_at[j] : o->start / (double)p->d);
    }
    return FINF_OK;
}

/* sigma = G gamma/sqrt(2 rho), gamma of T steps or of all (theory 2). A gamma that has missed its
 * tolerance is good enough for a simulation. */
static finf_status set_sigma(plan *p, finf_simulate_result *out)
{
    const finf_simulate_options *o = &p->o;
    finf_sensitivity sens = {.gamma2 = finf_real_failed()};
    finf_status s = o->steps
                        ? finf_noise_sensitivity_at(p->noise, o->steps, &out->gamma2, &out->reason)
                        : finf_noise_sensitivity(p->noise, &sens);
    if (!o->steps) {
        out->gamma2 = sens.gamma2;
        out->reason = sens.reason;
    }
    if (s == FINF_ETOL && isfinite(out->gamma2.value)) s = FINF_OK;
    p->sigma = o->privacy.clip * sqrt(out->gamma2.value / (2 * o->privacy.rho));
    return s;
}

/* The knee, where none is given: the one that makes a loss of this family as little quadratic as it
 * can be. Far within the knee theta sees the curvature L alone, far outside mu alone; with the knee
 * at the root mean square of the quadratic of curvature L both are met all the time. For sgd that
 * is, by theory 4 at the step b = eta L, E theta^2 = (b/(2-b)) (sigma^2 T(b) + sigma_sgd^2)/L^2. */
static finf_status sgd_knee(plan *p, double b, finf_simulate_result *out)
{
    double T, relerr, sgd = p->o.privacy.sigma_sgd;
    finf_status s = finf_noise_energy(p->noise, &b, 1, &T, &relerr, &out->reason);
    if (s && s != FINF_ETOL) return s;
    p->knee = sqrt(b / (2 - b) * (p->sigma * p->sigma * T + sgd * sgd)) / p->L;
    return FINF_OK;
}

/* For other optimizers 2/(1 + V/L) times F_inf of mean estimation, of which the part that the
 * privacy noise has is scaled from gamma_inf^2 to the gamma^2 of sigma. */
static finf_status optimizer_knee(plan *p, finf_simulate_result *out)
{
    finf_optimizer room;
    finf_mean_options m = {.privacy = p->o.privacy, .optimizer = rescaled(p, 0, &room)};
    finf_mean_result all, private;
    finf_status s = finf_mean(p->noise, p->eta * p->L, &m, &all);
    m.privacy.sigma_sgd = 0;
    if (!s || s == FINF_ETOL) s = finf_mean(p->noise, p->eta * p->L, &m, &private);
    if (s && s != FINF_ETOL) {
        out->reason = all.reason;
        return s;
    }
    double more = (out->gamma2.value / all.gamma2.value - 1) * private.F.value;
    p->knee = sqrt(2 * (all.F.value + more) / (1 + room.weight_decay)) / p->L;
    return FINF_OK;
}

static finf_status set_knee(plan *p, finf_simulate_result *out)
{
    const finf_simulate_options *o = &p->o;
    if (p->problem != FINF_SIMULATE_HUBER) return FINF_OK;
    double b = p->eta * p->L;
    finf_status s = FINF_OK;
    if (!p->optimizer && !(b < 2))
        return finf_why(&out->reason, FINF_EDOM, "eta * smooth = %s: must be below 2",
                        finf_show(b).s);
    if (p->optimizer && !(p->slowest < 1))
        return finf_why(&out->reason, FINF_EDOM,
                        "eta = %s: the optimizer is not stable for every curvature from %s to %s",
                        finf_show(p->eta).s, finf_show(p->mu).s, finf_show(p->L).s);
    p->knee = o->knee;
    if (p->knee == 0) s = p->optimizer ? optimizer_knee(p, out) : sgd_knee(p, b, out);
    if (s) return s;
    if (!(p->knee <= BOUNDS_HUGE))
        return finf_why(&out->reason, FINF_EDOM, "the noise has no finite variance: give the knee");
    out->knee = p->knee;
    return FINF_OK;
}

/* ---- how long the start is remembered -------------------------------------------------------- */

/* How fast the second moments forget their start: the r in (0, min_j b_j e_j) with
 * sum_j b_j^2/(b_j e_j - r) = 1, e_j = 2(1-b_j) for Gaussian inputs (theory 6), by bisection from
 * below. */
static double linreg_rate(const plan *p)
{
    double lo = 0, hi = INFINITY;
    for (size_t j = 0; j < p->d; j++)
        hi = fmin(hi, 2 * p->eta * p->lambda[j] * (1 - p->eta * p->lambda[j]));
    for (int i = 0; i < 60; i++) {
        double r = (lo + hi) / 2, sum = 0;
        for (size_t j = 0; j < p->d; j++) {
            double b = p->eta * p->lambda[j];
            sum += b * b / (2 * b * (1 - b) - r);
        }
        if (sum < 1 && sum >= 0)
            lo = r;
        else
            hi = r;
    }
    return lo;
}

/* Steps in which the start is forgotten by a factor e. Without clipping that follows from the
 * slopes (curvatures) of F. With clipping it is a guess, which the halves of the chains are there
 * to check: the drift is at most G, so that noise of variance s^2 is forgotten in about 2 s^2/G^2
 * steps; a cut gradient G x/|x| has only the part sqrt(lambda/Tr H) of its length along a
 * direction; and gradient noise larger than G turns the drift into G/sigma_sgd of itself.
 * Optimizers: by their slowest pole and their effective step (theory 11.5). */
static double memory(const plan *p, double slope_min, double slope_max, double trace, int stable)
{
    double eta = p->eta, b = eta * slope_min, linear = fmax(1 / b, 1 / (2 - eta * slope_max));
    if (p->optimizer) {
        eta *= finf_optimizer_step(p->optimizer);
        linear = -1 / (log(p->slowest) * p->D); /* D: by how much inputs slow it down */
    }
    if (p->problem != FINF_SIMULATE_HUBER || p->L == p->mu)
        linear /= 2; /* squares forget twice as fast */
    if (p->problem == FINF_SIMULATE_LINREG && stable && !p->optimizer) linear = 1 / linreg_rate(p);
    if (p->optimizer && p->window == 1) linear += (1 - p->gain) / p->gain;
    if (!(p->clip < INFINITY)) return linear;
    double ratio = p->sigma / p->clip;
    return linear + (2 * ratio * ratio + 2) * FINF_PI / 2 * trace / slope_min +
           p->o.privacy.sigma_sgd * sqrt(trace) / (0.8 * eta * p->clip * slope_min);
}

/* The least frequency that matters to the reported point of the stationary law. */
static double slow_frequency(const plan *p, double least)
{
    if (!p->optimizer) return fmin(p->eta * least, 1);
    return fmin(fmin(1 - p->slowest, p->window > 1 ? 1 : p->gain), 1 / (double)p->window);
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* The simulation of a question that has been checked. What diverges for sure, by an infinite
 * sensitivity or an infinite exact value, is not run. */
static finf_status simulate(plan *p, const finf_spectrum *s, finf_simulate_result *out)
{
    const finf_simulate_options *o = &p->o;
    finf_status status = set_problem(p, s, &out->reason);
    if (status) return status;
    double least = s ? finf_spectrum_min(s) : p->mu;
    double most = s ? finf_spectrum_max(s) : p->L;
    double trace = s ? finf_spectrum_trace(s) : most;
    status = set_optimizer(p, least, most, &out->reason);
    if (!status) status = set_sigma(p, out);
    if (status) return status;
    if (!isfinite(p->sigma)) {
        out->F = out->exact = finf_real_infinite("infinite sensitivity");
        out->low = out->high = INFINITY;
        return FINF_OK;
    }
    status = set_knee(p, out);
    if (!status) status = exact_value(p, s, out);
    if (status) return status;
    if (isinf(out->exact.value) && !o->steps) {
        out->F = out->exact;
        out->low = out->high = INFINITY;
        out->reason = out->exact_reason;
        return FINF_OK;
    }
    if (!o->steps && !(p->optimizer ? p->slowest < 1 : p->eta * most < 2))
        return finf_why(&out->reason, FINF_EDOM,
                        p->optimizer ? "eta = %s: the optimizer is not stable on this spectrum"
                                     : "eta = %s: eta times the largest curvature must be below 2",
                        finf_show(p->eta).s);
    double slow = o->steps ? 1 / (double)o->steps : slow_frequency(p, least);
    double burn = o->steps ? 0
                           : (3 - log(o->relative_error)) *
                                 memory(p, least, most, trace, isfinite(out->exact.value));
    if (p->window > 1) burn += 2 * (double)p->window; /* a whole window in each half of a chain */
    status = noise_set_source(p, slow, &out->reason);
    out->method = p->source == SOURCE_WHITE   ? "independent"
                  : p->source == SOURCE_BLOCK ? "FFT blocks"
                                              : "rational recursion";
    if (!status) status = course_run(p, fmax(burn, 8), slow, out);
    out->method_size = p->source == SOURCE_BLOCK ? p->block : p->filter.n;
    return status;
}

finf_status finf_simulate(const finf_noise *noise, finf_simulate_problem problem, double eta,
                          const finf_spectrum *s, const finf_simulate_options *opt,
                          finf_simulate_result *out)
{
    double began = finf_seconds();
    plan p = {.noise = noise,
              .problem = problem,
              .eta = eta,
              .o = opt ? *opt : finf_simulate_options_default()};
    finf_real failed = finf_real_failed();
    *out = (finf_simulate_result){.F = failed,
                                  .low = NAN,
                                  .high = NAN,
                                  .exact = failed,
                                  .gamma2 = failed,
                                  .knee = NAN,
                                  .method = ""};
    finf_status status = check(&p, s, &out->reason);
    if (!status) status = simulate(&p, s, out);
    free(p.lambda);
    free(p.factor);
    free(p.response);
    out->seconds = finf_seconds() - began;
    return status;
}
