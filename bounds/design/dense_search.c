/* The search for the dense design: maps that are mixed, then Newton's method. (theory 12.3) */
#include "dense_newton.h"

#include <string.h>

#include "mixing.h"

#define PLAIN 3          /* steps of the plain map before the mixing starts */
#define STEPS_LONG 500   /* iterations at most, for runs of so many steps or fewer, */
#define STEPS_LEAST 100  /* for longer ones fewer, as each takes longer, but so many, */
#define STEPS_MAX_U 300  /* and where weights are searched too */
#define PATIENCE 120     /* iterations without progress that end it, */
#define PATIENCE_U 60    /* as above, */
#define CONTENT 15       /* and where the gap is as small as is asked for */
#define STEP_BACK 0.5    /* of the gap: where the lower bound falls by it, the map alone is taken */
#define MIXED 6          /* iterations of the mixing at least before Newton's method, */
#define MIXED_ONE 15     /* for one participation, where the mixing alone often ends before, */
#define MIXED_LONG 25    /* and at most; */
#define NEAR 1e-2        /* in between the gap decides; */
#define MIXED_U 30       /* and where weights are searched too, iterations in which the gap .. */
#define SLOW 0.5         /* .. should become as much less; */
#define STEPS_MAX_MU 120 /* of Newton's method there, */
#define FIRST_MU 10.0    /* whose barrier begins with this over n, */
#define NEAR_MU 0.3      /* becomes less where a step promises this part of it, */
#define LESS_MU 0.2      /* by this, */
#define LAST_MU 0.8      /* ends with this over n, of the gap asked for, */
#define STEPS_LAST 12    /* and has so many steps there; */
#define STEP_LEAST 0.01  /* the least part of Newton's step that is taken, */
#define ROUNDING 1e-13   /* of the lower bound, */
#define HIDDEN 1e-10     /* and what a step promises to add to it where rounding may hide that */

/* The point that the maps send w->x to, into g. U and w->u are overwritten. */
static finf_status map(dense_work *w, double *g)
{
    size_t n = w->r->n;
    finf_status s = design_groups_map(&w->g, w->X, w->U);
    if (s) return s;
    design_groups_pack(&w->g, w->U, g);
    if (!w->weighted) return FINF_OK;
    double mean = 0, sum = 0, *log_u = g + w->length - n - 1;
    for (size_t t = 1; t <= n; t++) mean += w->u[t] * w->f[t];
    for (size_t t = 1; t <= n; t++) sum += w->u[t] * (w->f[t] / mean) * (w->f[t] / mean);
    log_u[0] = DENSE_FLOOR_U;
    for (size_t t = 1; t <= n; t++)
        log_u[t] = log(w->u[t] / sum) + 2 * log(fmax(w->f[t] / mean, 1e-3));
    return FINF_OK;
}

/* The point w->x at numbers as they are mixed. FINF_ETOL: U is not definite there. */
static finf_status take(dense_work *w, const double *mixed)
{
    for (size_t i = 0; i < w->length; i++)
        if (!isfinite(mixed[i])) return FINF_ETOL;
    design_groups_unpack(&w->g, mixed, w->U);
    if (!design_groups_factor(&w->g, w->U, w->W)) return FINF_ETOL;
    memcpy(w->x, mixed, w->length * sizeof *w->x);
    design_groups_pack_factor(&w->g, w->W, w->x);
    return FINF_OK;
}

/* The next point: the mixed one, or the map's alone where that is not definite. */
static finf_status advance(dense_work *w, mixing *m)
{
    double *x, *g;
    size_t n = w->r->n;
    mixing_next(m, &x, &g);
    design_groups_pack(&w->g, w->U, x);
    for (size_t t = 0; t <= n && w->weighted; t++)
        x[w->length - n - 1 + t] = t ? log(w->u[t]) : DENSE_FLOOR_U;
    design_groups_weigh(&w->g, w->U, w->weight);
    for (size_t t = 0; t <= n && w->weighted; t++)
        w->weight[w->length - n - 1 + t] = t ? sqrt(w->u[t]) : 0;
    finf_status s = map(w, g);
    if (s) return s;
    if (m->held <= PLAIN) return take(w, g);
    mixing_mix(m, w->weight, w->mixed);
    s = take(w, w->mixed);
    return s ? take(w, mixing_forget(m)) : FINF_OK;
}

/* Keeps what is better than before. Returns whether something is. */
static int keep(dense_work *w)
{
    int better = 0;
    if (w->upper < w->best_upper) {
        better |= w->upper < w->best_upper - 0.01 * (w->best_upper - w->best_lower);
        w->best_upper = w->upper;
        w->best_scaling = w->scaling;
        w->best_up_precise = w->precise;
        memcpy(w->best_up, w->x, w->length * sizeof *w->x);
    }
    if (w->lower > w->best_lower) {
        better |= w->lower > w->best_lower + 0.01 * (w->best_upper - w->best_lower);
        w->best_lower = w->lower;
        w->best_low_precise = w->precise;
        memcpy(w->best_low, w->x, w->length * sizeof *w->x);
    }
    return better;
}

/* Where Newton's method does not help, the mixing may take hundreds of iterations. */
static int steps_max(size_t n)
{
    size_t most = STEPS_LONG * STEPS_LONG / (n > STEPS_LONG ? n : STEPS_LONG);
    return (int)(most > STEPS_LEAST ? most : STEPS_LEAST);
}

/* Everything at the point w->x, kept where it is better than before: *better says whether. */
static finf_status look(dense_work *w, int *better, finf_reason *why)
{
    const finf_design_options *o = &w->r->o;
    *better = 0;
    if (finf_cancelled(o->cancel)) return FINF_ETOL;
    finf_status s = dense_evaluate(w, why);
    if (!s) s = dense_judge(w);
    if (s) return s;
    *better = keep(w);
    w->iterations++;
    if (o->progress)
        o->progress(o->progress_data, w->iterations, w->best_upper * w->r->spread,
                    w->best_lower * w->r->spread);
    return FINF_OK;
}

/* The gap is as small as is asked for. */
static int is_content(const dense_work *w)
{
    return w->best_upper <= w->best_lower * (1 + DENSE_SUFFICIENT / 2);
}

static int is_done(const dense_work *w, int most)
{
    return w->best_upper <= w->best_lower * (1 + w->r->o.tol) || w->iterations >= most;
}

/* What Newton's method makes as large as possible: the logarithm of the lower bound and, where
 * weights are searched, the barrier that keeps them positive. */
static double height(const dense_work *w, double mu)
{
    double sum = 0;
    for (size_t t = 1; t <= w->r->n && w->weighted; t++) sum += log(w->u[t]);
    return log(w->lower) + mu * sum;
}

/* From the last point along Newton's step: the whole of it, or the first half of a half that does
 * not go down. *part: of the step, or 0 if there is none. */
static finf_status search(dense_work *w, const dense_newton *m, int *better, double *part,
                          finf_reason *why)
{
    double least = height(w, m->mu) - ROUNDING;
    for (*part = 1; *part >= STEP_LEAST; *part /= 2) {
        dense_newton_point(m, *part, w->x);
        finf_status s = look(w, better, why);
        if (s == FINF_ETOL && !finf_cancelled(w->r->o.cancel)) continue;
        if (s || height(w, m->mu) >= least || m->left < HIDDEN) return s;
    }
    *part = 0;
    return FINF_OK;
}

/* Newton's step from the last point; *part: of it, 0 if there is none that goes up. */
static finf_status newton_step(dense_work *w, dense_newton *m, double mu, int *better, double *part,
                               finf_reason *why)
{
    finf_status s = dense_newton_direction(m, mu);
    *part = 0;
    if (s) return s == FINF_ETOL && !finf_cancelled(w->r->o.cancel) ? FINF_OK : s;
    return search(w, m, better, part, why);
}

/* Newton's method from the best point, while it makes the gap smaller. */
static finf_status polish(dense_work *w, dense_newton *m, int most, finf_reason *why)
{
    int better = 1;
    double part = 1;
    finf_status s = FINF_OK;
    if (memcmp(w->x, w->best_low, w->length * sizeof *w->x) != 0) s = dense_evaluate_low(w, why);
    while (!s && part > 0 && better && !is_done(w, most))
        s = newton_step(w, m, 0, &better, &part, why);
    return s;
}

/* Where weights are searched: Newton's method along the path of the barrier's optima, from equal
 * weights on, mu being made smaller as soon as a step comes near the optimum for it. The best point
 * of the mixing is no place to begin: many weights, and a part of U, are nearly 0 there, which they
 * should be only together. */
static finf_status follow_path(dense_work *w, dense_newton *m, int most, finf_reason *why)
{
    size_t n = w->r->n;
    int better, last = 0;
    double mu = FIRST_MU / (double)n, least = LAST_MU * w->r->o.tol / (double)n, part = 1;
    w->precise = 1;
    for (size_t t = 0; t <= n; t++) w->u[t] = t ? 1 / (double)n : 0;
    finf_status s = dense_factor_workload(w);
    if (s) return s;
    dense_begin(w);
    s = dense_evaluate(w, why);
    while (!s && part > 0 && last < STEPS_LAST && !is_done(w, most)) {
        s = newton_step(w, m, mu, &better, &part, why);
        if (mu <= least) last++;
        if (part > 0.9 && m->left < NEAR_MU * mu) mu = fmax(mu * LESS_MU, least);
    }
    return s;
}

/* Newton's method. Returns in *helped whether the gap is smaller than before; if it is not, the
 * point is that of before. */
static finf_status newton(dense_work *w, int most, int *helped, finf_reason *why)
{
    dense_newton m;
    double gap = w->best_upper / w->best_lower - 1;
    finf_status s = dense_newton_make(w, &m);
    if (s) return s;
    memcpy(w->mixed, w->x, w->length * sizeof *w->x);
    s = w->weighted ? follow_path(w, &m, w->iterations + STEPS_MAX_MU, why)
                    : polish(w, &m, most, why);
    dense_newton_free(&m);
    *helped = w->best_upper / w->best_lower - 1 < gap;
    memcpy(w->x, *helped && !w->weighted ? w->best_low : w->mixed, w->length * sizeof *w->x);
    w->precise = 0;
    return s;
}

/* Whether Newton's method is to be tried, `since` iterations after it was, `vain` times without
 * help: near the optimum, or where the mixing takes long. Where weights are searched a step takes
 * three times as long, and it is tried once, where the mixing no longer halves the gap in MIXED_U
 * iterations; *gap was that. */
static int is_time(const dense_work *w, int since, int vain, double *gap)
{
    if (w->weighted) {
        double before = *gap;
        if (vain || since == 0 || since % MIXED_U != 0) return 0;
        *gap = w->best_upper / w->best_lower - 1;
        return *gap > SLOW * before && !is_content(w);
    }
    since >>= vain < 8 ? vain : 8; /* each time after twice as many */
    return since >= (w->g.most > 1 ? MIXED : MIXED_ONE) &&
           (since >= MIXED_LONG || w->best_upper <= w->best_lower * (1 + NEAR));
}

/* Until the gap is tol, or nothing improves any more. FINF_ETOL: cancelled. */
finf_status dense_search(dense_work *w, finf_reason *why)
{
    mixing m;
    finf_status s = mixing_make(w->length, &m);
    double before = 0, gap = INFINITY; /* the lower bound of the last point, and a gap before */
    int idle = 0, since = 0, vain = 0, most = w->weighted ? STEPS_MAX_U : steps_max(w->r->n);
    while (!s) {
        int better, helped = 0;
        s = look(w, &better, why);
        if (s) break;
        idle = better ? 0 : idle + 1;
        int patience = w->weighted ? PATIENCE_U : is_content(w) ? CONTENT : PATIENCE;
        if (is_done(w, most) || idle >= patience) break;
        if (is_time(w, w->iterations - since, vain, &gap)) {
            since = w->iterations;
            s = newton(w, most, &helped, why);
            if (w->weighted || !helped) most += w->iterations - since;
            if (s || is_done(w, most) || (w->weighted && is_content(w))) break;
            vain += w->weighted || !helped;
            since = w->iterations;
            idle = 0;
        } else if (m.held > PLAIN &&
                   w->lower < before - STEP_BACK * (w->best_upper - w->best_lower))
            s = take(w, mixing_forget(&m));
        else {
            before = w->lower;
            s = advance(w, &m);
        }
    }
    mixing_free(&m);
    if (s == FINF_ETOL && !finf_cancelled(w->r->o.cancel) && w->best_upper < INFINITY)
        s = FINF_OK; /* the mixing lost U's definiteness */
    int helped;
    return s || !w->weighted || vain || is_content(w) ? s : newton(w, most, &helped, why);
}
