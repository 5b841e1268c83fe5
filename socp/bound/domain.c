/* What the IQC bound takes, and what an optimizer makes of it: the step, the curvatures and the
 * loop that are solved for (theory 11.4). */
#include <math.h>

#include "bounds.h"
#include "bound.h"
#include "optimizer.h"

finf_status socp_check_sizes(double eta, double kappa, double smooth, double dim, finf_reason *why)
{
    if (!(eta > 0 && isfinite(eta)))
        return finf_why(why, FINF_EDOM, "eta = %s: must be positive and finite", finf_show(eta).s);
    if (!(kappa >= 1 && isfinite(kappa)))
        return finf_why(why, FINF_EDOM, "kappa = %s: must be at least 1 and finite",
                        finf_show(kappa).s);
    if (!(smooth >= BOUNDS_TINY && smooth <= BOUNDS_HUGE))
        return finf_why(why, FINF_EDOM, "L = %s: must be from 1e-50 to 1e50", finf_show(smooth).s);
    if (!(dim >= 1 && isfinite(dim)))
        return finf_why(why, FINF_EDOM, "dim = %s: must be at least 1 and finite",
                        finf_show(dim).s);
    return FINF_OK;
}

/* That of every problem, and here clip = 0: no privacy noise. */
finf_status socp_check_privacy(const finf_privacy_setting *p, finf_reason *why)
{
    finf_privacy_setting usual = *p;
    if (p->clip == 0) usual.clip = 1;
    return finf_setting_check(1, &usual, why);
}

/* What doubles, a million nodes and 2000 lags can resolve: kappa, the slowest mode eta mu, and a
 * grid that tells the lags of a finite multiplier apart. */
static finf_status check_resolution(double eta, double kappa, const finf_iqc_options *o,
                                    finf_reason *why)
{
    double slow = eta * finf_optimizer_step(o->optimizer) * o->smooth / kappa;
    if (kappa > SOCP_KAPPA_MOST)
        return finf_why(why, FINF_EDOM, "kappa = %s: must be at most 1e12", finf_show(kappa).s);
    if (slow < SOCP_SLOW_LEAST)
        return finf_why(why, FINF_EDOM,
                        "eta*mu = %s: must be at least 1e-13 (eta = %s, kappa = %s)",
                        finf_show(slow).s, finf_show(eta).s, finf_show(kappa).s);
    if (o->grid_uniform > SOCP_GRID_MOST || o->fir > SOCP_FIR_MOST)
        return finf_why(why, FINF_EDOM, "uniform:%zu, fir:%zu: at most uniform:%d, fir:%d",
                        o->grid_uniform, o->fir, SOCP_GRID_MOST, SOCP_FIR_MOST);
    if (o->grid_uniform && o->grid_uniform < 4 * o->fir)
        return finf_why(why, FINF_EDOM,
                        "uniform:%zu is too coarse for fir:%zu: at least uniform:%zu",
                        o->grid_uniform, o->fir, 4 * o->fir);
    return FINF_OK;
}

/* ECOS last, since looking for it loads it. */
finf_status socp_check(double eta, double kappa, const finf_iqc_options *o, finf_reason *why)
{
    finf_status st = finf_choice_check("bound", (int)o->bound, FINF_IQC_GAUSSIAN, why);
    if (st == FINF_OK)
        st = finf_choice_check("multipliers", (int)o->multipliers, FINF_IQC_PAPER, why);
    if (st == FINF_OK)
        st = finf_choice_check("constants", (int)o->constants, FINF_IQC_CONSTANTS_PAPER, why);
    if (st == FINF_OK) st = finf_choice_check("solver", (int)o->solver, FINF_IQC_ECOS, why);
    if (st == FINF_OK) st = socp_check_sizes(eta, kappa, o->smooth, o->dim, why);
    if (st == FINF_OK) st = check_resolution(eta, kappa, o, why);
    if (st == FINF_OK) st = socp_check_privacy(&o->privacy, why);
    if (st == FINF_OK && !(o->gap > 0 && o->gap < 1))
        st = finf_why(why, FINF_EDOM, "gap = %s: must be between 0 and 1", finf_show(o->gap).s);
    if (st == FINF_OK && o->solver == FINF_IQC_ECOS && !socp_ecos_version())
        st = finf_why(why, FINF_EUSAGE,
                      "solver ecos: not found (%.150s); auto and newton do without",
                      socp_ecos_where());
    return st;
}

finf_status finf_iqc_check(double eta, double kappa, const finf_iqc_options *opt, finf_reason *why)
{
    finf_iqc_options o = opt ? *opt : finf_iqc_options_default();
    return socp_check(eta, kappa, &o, why);
}

/* ---- the optimizer --------------------------------------------------------------------------- */

/* F + (V/2)|theta|^2 has curvatures from mu + V to L + V. kappa is rounded up: the class of a
 * larger one contains that of a smaller. */
socp_setting socp_setting_make(double eta, double kappa, double smooth, const finf_optimizer *o)
{
    double V = finf_optimizer_weight_decay(o), L = smooth;
    socp_setting s = {.eta = eta, .kappa = kappa, .smooth = L + V, .decay = V, .opt = o};
    if (V > 0 && kappa > 1) s.kappa = fmax(1, kappa * ((L + V) / (L + V * kappa)) * (1 + 8e-16));
    s.has_loop = socp_loop_make(o, eta * s.smooth, &s.loop);
    s.averaged = o && o->average != AVERAGE_NONE;
    s.has_lower = !(s.averaged && o->average_last > SOCP_LAST_MOST);
    return s;
}

double socp_setting_step(const socp_setting *s)
{
    return s->has_loop ? fmin(socp_loop_step(&s->loop), 1) : s->eta * s->smooth;
}

socp_model socp_setting_model(const socp_setting *s, int dist)
{
    socp_model mo = socp_model_make(s->eta * s->smooth, s->kappa, dist);
    mo.eta_rounded = s->decay > 0 ? 2 : s->smooth != 1;
    mo.loop = s->has_loop ? &s->loop : NULL;
    return mo;
}

/* The means are made from U and V, which plain sgd has too. */
finf_status socp_setting_means(const socp_setting *s, const finf_noise *noise,
                               socp_loop_means **out)
{
    socp_model mo = socp_setting_model(s, 0);
    mo.loop = &s->loop;
    return socp_loop_means_make(noise, &mo, s->averaged ? s->opt : NULL, out);
}

/* The first of some curvatures from mu to L, even in h and in log h, that is not stable. The bound
 * itself does not rely on it: no multiplier is found where a quadratic diverges. */
static double first_unstable(const socp_setting *s, double mu, double L)
{
    enum { SAMPLES = 32 };
    for (int i = 0; i <= 2 * SAMPLES; i++) {
        double part = (double)(i / 2) / SAMPLES,
               h = i % 2 ? mu * pow(L / mu, part) : mu + (L - mu) * part;
        if (!finf_optimizer_stable(s->opt, s->eta, h)) return h;
    }
    return NAN;
}

int socp_setting_diverges(const socp_setting *s, double *h, finf_reason *why)
{
    double e = s->eta * s->smooth, L = s->smooth - s->decay,
           mu = fmax(s->smooth / s->kappa - s->decay, 0);
    *h = L;
    if (!s->has_loop) {
        if (e < 2) return 0;
        finf_why(why, FINF_OK,
                 s->decay > 0 ? "eta (L + V) >= 2: the quadratic of curvature L diverges"
                              : "eta L >= 2: the quadratic of curvature L diverges");
        return 1;
    }
    *h = first_unstable(s, mu, L);
    if (isnan(*h)) return 0;
    finf_why(why, FINF_OK,
             "the quadratic of curvature %.6g diverges with this optimizer: the largest stable "
             "step is %.6g",
             *h, finf_optimizer_eta_max(s->opt, mu, L));
    return 1;
}
