/* The least loss over all matrices: min tr(M X^{-1}), X = C'C of sensitivity at most 1. (theory
 * 12.2, 12.3)
 *
 * The dual is over U, a positive definite block for each group of steps that one user takes part in
 * (groups.c), with v_g on its diagonal: every U gives
 *
 *     T^2/sum v <= the loss of every C,   T = tr (U^{1/2} M U^{1/2})^{1/2},
 *
 * and X = W^{-T} (W'MW)^{1/2} W^{-1}, WW' = U, with the columns of a group made orthogonal and
 * scaled to sensitivity 1, is feasible. For the largest loss over t M is sum_t u_t M_t, and the
 * dual is over the weights u too: their map is u_t <- u_t (f_t/mean f)^2, f_t the loss at t. Both
 * maps together are mixed (mixing.c); near the optimum Newton's method takes over (dense_newton.c).
 *
 * What is returned is computed anew: the loss from C, and the lower bound from a matrix Z of norm
 * at most 1, as T = max { tr(Z'Y) : |Z| <= 1 } for Y'Y = W'MW (certify.c). */
#include "dense_band.h"
#include "dense_newton.h"

#include <stdlib.h>
#include <string.h>

#include "lapack.h"
#include "mixing.h"

#define PLAIN 3         /* steps of the plain map before the mixing starts */
#define STEPS_LONG 500  /* iterations at most, for runs of so many steps or fewer, */
#define STEPS_LEAST 100 /* for longer ones fewer, as each takes longer, but so many, */
#define STEPS_MAX_U 300 /* and where weights are searched too */
#define PATIENCE 120    /* iterations without progress that end it, */
#define PATIENCE_U 60   /* as above, */
#define CONTENT 15      /* and where the gap is as small as is asked for */
#define STEP_BACK                                                                                  \
    0.5 /* of the gap: a lower bound that falls by as much was mixed badly, and the map alone is   \
           taken */
#define SUFFICIENT 1e-8 /* the gap that is asked for */
#define MIXED 6         /* iterations of the mixing at least before Newton's method, */
#define MIXED_ONE 15    /* for one participation, where the mixing alone often ends before, */
#define MIXED_LONG 25   /* and at most; */
#define NEAR 1e-2       /* in between the gap decides; */
#define MIXED_U 50      /* and where weights are searched too, iterations in which the gap .. */
#define SLOW 0.5        /* .. should become as much less; */
#define STEPS_MAX_MU 40 /* of Newton's method there, */
#define NEAR_MU 0.3     /* whose barrier becomes less where a step promises this part of its gap, */
#define LESS_MU 0.2     /* by this */
#define ABOUT 0.3       /* a gap at which orthogonal columns may be worth trying */
#define FAR 4.0         /* what Newton's step may change U by, relative to it, */
#define STEP_LEAST 0.01 /* and the least part of that */
#define ROUNDING 1e-13  /* of the lower bound, */
#define HIDDEN 1e-10    /* and what a step promises to add to it where rounding may hide that */
#define FLOOR_U (-50.0) /* log of the least weight, the largest being 1 */

/* ---- room ------------------------------------------------------------------------------------ */

static finf_status work_make(const finf_design *r, dense_work *w)
{
    size_t n = r->n;
    w->r = r;
    w->weighted = r->o.objective == FINF_DESIGN_MAX;
    finf_status s = design_groups_make(r, &w->g);
    if (s) return s;
    size_t blocks = w->g.block[w->g.groups], length = design_groups_length(&w->g);
    w->length = length + (w->weighted ? n + 1 : 0);
    w->L = malloc((3 * n * n + 3 * blocks + 4 * w->length + 5 * (n + 1)) * sizeof *w->L);
    if (!w->L) return FINF_ENOMEM;
    w->Y = w->L + n * n;
    w->Q = w->Y + n * n;
    w->U = w->Q + n * n;
    w->W = w->U + blocks;
    w->X = w->W + blocks;
    w->x = w->X + blocks;
    w->best_up = w->x + w->length;
    w->best_low = w->best_up + w->length;
    w->weight = w->best_low + w->length;
    w->s = w->weight + w->length;
    w->u = w->s + n + 1;
    w->f = w->u + n + 1;
    w->sens = w->f + n + 1;
    w->ridge = w->sens + n + 1;
    if (w->weighted) {
        w->K = malloc(2 * n * n * sizeof *w->K);
        if (!w->K) return FINF_ENOMEM;
        return design_responses(r, &w->responses);
    }
    return FINF_OK;
}

static void work_free(dense_work *w)
{
    design_groups_free(&w->g);
    free(w->L);
    free(w->K);
    free(w->responses);
}

/* ---- M and its factor ------------------------------------------------------------------------ */

/* L with L'L = M, its columns in the order of the groups. Where M is singular to rounding a ridge
 * is added to it, and told to the certificate by w->ridge. */
static finf_status factor_workload(dense_work *w)
{
    size_t n = w->r->n, singular = 0;
    double *M = w->Y, *U = w->Q, ridge = 0;
    finf_status s = design_matrix(w->r, w->u, M);
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, M[i * n + i]);
    if (!s && !(largest > 0 && largest < INFINITY)) return FINF_EDOM;
    for (int attempt = 0; attempt < 12 && !s; attempt++) {
        memcpy(U, M, n * n * sizeof *U);
        for (size_t i = 0; i < n; i++) {
            w->ridge[i] = ridge * (M[i * n + i] + FINF_EPS * largest);
            U[i * n + i] += w->ridge[i];
        }
        s = lapack_cholesky(U, n, &singular);
        if (s != FINF_ETOL) break;
        s = attempt < 11 ? FINF_OK : FINF_EDOM;
        ridge = ridge > 0 ? 10 * ridge : 10 * FINF_EPS;
    }
    w->singular = ridge > 0;
    for (size_t i = 0; i < n && !s; i++)
        for (size_t c = 0; c < n; c++) {
            size_t step = w->g.step[c];
            w->L[i * n + c] = step >= i ? U[i * n + step] : 0;
        }
    return s;
}

/* U at the start: no correlation within a group, and v as for one participation, the root of M's
 * diagonal, which is that of L'L. */
static void begin(dense_work *w)
{
    size_t n = w->r->n;
    memset(w->U, 0, w->g.block[w->g.groups] * sizeof *w->U);
    for (size_t i = 0; i < w->g.groups; i++) {
        size_t size = design_group_size(&w->g, i);
        double sum = 0;
        for (size_t c = w->g.from[i]; c < w->g.from[i + 1]; c++)
            for (size_t l = 0; l < n; l++) sum += w->L[l * n + c] * w->L[l * n + c];
        for (size_t a = 0; a < size; a++) w->U[w->g.block[i] + a * size + a] = sqrt(sum);
    }
    design_groups_pack(&w->g, w->U, w->x);
    for (size_t t = 0; t <= n && w->weighted; t++) w->x[w->length - n - 1 + t] = t ? 0 : FLOOR_U;
}

/* ---- one evaluation -------------------------------------------------------------------------- */

/* Y = L W: each group's columns are combined by its block. */
static void form(dense_work *w)
{
    size_t n = w->r->n;
    for (size_t l = 0; l < n; l++)
        for (size_t i = 0; i < w->g.groups; i++) {
            size_t from = w->g.from[i], size = design_group_size(&w->g, i);
            const double *W = w->W + w->g.block[i], *row = w->L + l * n + from;
            for (size_t c = 0; c < size; c++) {
                double sum = 0;
                for (size_t a = c; a < size; a++) sum += row[a] * W[a * size + c];
                w->Y[l * n + from + c] = sum;
            }
        }
}

/* The blocks of R = sum_i s_i q_i q_i'. */
static void root_blocks(dense_work *w)
{
    size_t n = w->r->n;
    memset(w->X, 0, w->g.block[w->g.groups] * sizeof *w->X);
    for (size_t l = 0; l < n; l++)
        for (size_t i = 0; i < w->g.groups; i++) {
            size_t size = design_group_size(&w->g, i);
            const double *q = w->Q + l * n + w->g.from[i];
            double *X = w->X + w->g.block[i];
            for (size_t a = 0; a < size; a++)
                for (size_t c = 0; c < size; c++) X[a * size + c] += w->s[l] * q[a] * q[c];
        }
}

/* The sensitivity of a group is at most its sum of |X_ij|, or of X_ii where the others are made
 * 0; sens is the root of that. */
void dense_scale(dense_work *w, dense_scaling scaling)
{
    double most = 0;
    w->scaling = scaling;
    for (size_t i = 0; i < w->g.groups; i++) {
        size_t size = design_group_size(&w->g, i);
        double sum = 0;
        const double *X = w->X + w->g.block[i];
        for (size_t a = 0; a < size * size; a++)
            if (scaling != DENSE_ORTHOGONAL || a % (size + 1) == 0) sum += fabs(X[a]);
        for (size_t c = w->g.from[i]; c < w->g.from[i + 1]; c++) w->sens[c] = sqrt(sum);
        most = fmax(most, sqrt(sum));
    }
    for (size_t c = 0; c < w->r->n && scaling == DENSE_ALIKE; c++) w->sens[c] = most;
}

/* T, the sum of v, and the lower bound. */
static void measure(dense_work *w)
{
    w->T = w->v = 0;
    for (size_t i = 0; i < w->g.groups; i++) w->v += w->U[w->g.block[i]];
    for (size_t i = 0; i < w->r->n; i++) w->T += w->s[i];
    w->lower = w->T * w->T / w->v;
}

/* Everything at the point w->x. FINF_ETOL: U is not definite, or cancelled. */
finf_status dense_evaluate(dense_work *w, finf_reason *why)
{
    size_t n = w->r->n;
    design_groups_unpack(&w->g, w->x, w->U);
    if (!design_groups_factor(&w->g, w->U, w->W)) return FINF_ETOL;
    if (w->weighted) {
        const double *log_u = w->x + w->length - n - 1;
        double largest = -INFINITY, sum = 0;
        for (size_t t = 1; t <= n; t++) largest = fmax(largest, log_u[t]);
        for (size_t t = 1; t <= n; t++) sum += w->u[t] = exp(fmax(log_u[t] - largest, FLOOR_U));
        for (size_t t = 1; t <= n; t++) w->u[t] /= sum;
        finf_status s = factor_workload(w);
        if (s) return s;
    }
    form(w);
    finf_status s = design_root(w->Y, n, w->s, w->Q, why);
    if (s) return s;
    for (size_t i = 0; i < n; i++) w->s[i] = fmax(w->s[i], 1e-18 * w->s[n - 1]);
    root_blocks(w);
    design_groups_divide(&w->g, w->W, w->X);
    measure(w);
    return FINF_OK;
}

/* tr(M X^{-1}) of X with every group scaled to sensitivity 1: sum_i |Y E q_i|^2/s_i, E = sens. Q is
 * left alone; w->f has the loss of each t where weights are searched. */
static finf_status scaled_loss(dense_work *w, double *loss)
{
    size_t n = w->r->n;
    double *E = malloc(2 * n * n * sizeof *E), sum = 0;
    if (!E) return FINF_ENOMEM;
    double *image = E + n * n;
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < n; c++) E[i * n + c] = w->Q[i * n + c] * w->sens[c];
    finf_status s = lapack_multiply(0, 1, n, n, n, 1, E, n, w->Y, n, 0, image, n);
    for (size_t i = 0; i < n && !s; i++) {
        double part = 0;
        for (size_t c = 0; c < n; c++) part += image[i * n + c] * image[i * n + c];
        sum += part / w->s[i];
    }
    *loss = sum;
    free(E);
    return s;
}

/* K = E W R^{-1} W' E in the order of the steps, and from it the loss at every t. */
static finf_status losses(dense_work *w, double *largest)
{
    size_t n = w->r->n;
    double *K = w->K, *V = K + n * n;
    for (size_t l = 0; l < n; l++)
        for (size_t i = 0; i < w->g.groups; i++) {
            size_t from = w->g.from[i], size = design_group_size(&w->g, i);
            const double *W = w->W + w->g.block[i], *q = w->Q + l * n + from;
            for (size_t a = 0; a < size; a++) {
                double sum = 0;
                for (size_t c = 0; c <= a; c++) sum += W[a * size + c] * q[c];
                V[l * n + w->g.step[from + a]] = sum * w->sens[from + a] / sqrt(w->s[l]);
            }
        }
    finf_status s = lapack_gram(n, n, 1, V, 0, K);
    if (s) return s;
    lapack_mirror(K, n);
    s = design_forward(w->r, w->responses, K, 1, 0, w->f);
    *largest = 0;
    for (size_t t = 1; t <= n; t++) *largest = fmax(*largest, w->f[t]);
    return s;
}

/* The largest loss, of each group scaled or, near the optimum, of orthogonal columns. */
static finf_status judge_largest(dense_work *w)
{
    dense_scale(w, DENSE_BY_GROUP);
    finf_status s = losses(w, &w->upper);
    if (s || w->g.most == 1 || w->upper > w->lower * (1 + ABOUT)) return s;
    double loss;
    dense_scale(w, DENSE_ORTHOGONAL);
    s = dense_strategy_largest(w, &loss);
    if (!s && loss < w->upper)
        w->upper = loss;
    else
        dense_scale(w, DENSE_BY_GROUP);
    return s;
}

/* The least loss of the X that follow from the point, and how it was scaled. A user's columns are
 * orthogonal at the optimum: made so, they change the loss by the square of what they lacked,
 * while their products count in a sensitivity by themselves. */
static finf_status judge(dense_work *w)
{
    finf_status s = FINF_OK;
    if (w->weighted) return judge_largest(w);
    if (w->g.most > 1) {
        dense_scale(w, DENSE_ORTHOGONAL);
        s = dense_strategy_loss(w, &w->upper);
        if (s || w->upper < INFINITY) return s;
    }
    double loss;
    dense_scale(w, DENSE_BY_GROUP);
    s = scaled_loss(w, &loss);
    dense_scale(w, DENSE_ALIKE);
    w->upper = w->T * w->sens[0] * w->sens[0];
    if (!s && loss < w->upper) {
        dense_scale(w, DENSE_BY_GROUP);
        w->upper = loss;
    }
    return s;
}

/* ---- the iteration --------------------------------------------------------------------------- */

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
    log_u[0] = FLOOR_U;
    for (size_t t = 1; t <= n; t++)
        log_u[t] = log(w->u[t] / sum) + 2 * log(fmax(w->f[t] / mean, 1e-3));
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
        x[w->length - n - 1 + t] = t ? log(w->u[t]) : FLOOR_U;
    design_groups_weigh(&w->g, w->U, w->weight);
    for (size_t t = 0; t <= n && w->weighted; t++)
        w->weight[w->length - n - 1 + t] = t ? sqrt(w->u[t]) : 0;
    finf_status s = map(w, g);
    if (s) return s;
    memcpy(w->x, g, w->length * sizeof *g);
    if (m->held <= PLAIN) return FINF_OK;
    mixing_mix(m, w->weight, w->x);
    int finite = 1;
    for (size_t i = 0; i < w->length; i++) finite = finite && isfinite(w->x[i]);
    if (finite) design_groups_unpack(&w->g, w->x, w->U);
    if (finite && design_groups_factor(&w->g, w->U, w->W)) return FINF_OK;
    mixing_forget(m);
    memcpy(w->x, g, w->length * sizeof *g);
    return FINF_OK;
}

/* Keeps what is better than before. Returns whether something is. */
static int keep(dense_work *w)
{
    int better = 0;
    if (w->upper < w->best_upper) {
        better |= w->upper < w->best_upper - 0.01 * (w->best_upper - w->best_lower);
        w->best_upper = w->upper;
        w->best_scaling = w->scaling;
        memcpy(w->best_up, w->x, w->length * sizeof *w->x);
    }
    if (w->lower > w->best_lower) {
        better |= w->lower > w->best_lower + 0.01 * (w->best_upper - w->best_lower);
        w->best_lower = w->lower;
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
    if (!s) s = judge(w);
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
    return w->best_upper <= w->best_lower * (1 + SUFFICIENT / 2);
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

/* From the last point along Newton's step: the whole of it, or what changes no U too much, or the
 * first half of a half of that which does not go down. *part: of the step, or 0 if there is none.
 */
static finf_status search(dense_work *w, const dense_newton *m, int *better, double *part,
                          finf_reason *why)
{
    double least = height(w, m->mu) - ROUNDING, most = fmin(1, FAR / m->size);
    for (*part = most; *part >= STEP_LEAST * most; *part /= 2) {
        dense_newton_point(m, *part, w->x);
        finf_status s = look(w, better, why);
        if (s == FINF_ETOL && !finf_cancelled(w->r->o.cancel)) continue;
        if (s || height(w, m->mu) >= least || m->left < HIDDEN) return s;
    }
    *part = 0;
    return FINF_OK;
}

/* The best point as Newton's method begins with it: no weight is below the barrier's mu. */
static finf_status start_again(dense_work *w, double mu, finf_reason *why)
{
    size_t n = w->r->n;
    if (!w->weighted && memcmp(w->x, w->best_low, w->length * sizeof *w->x) == 0) return FINF_OK;
    memcpy(w->x, w->best_low, w->length * sizeof *w->x);
    finf_status s = dense_evaluate(w, why);
    if (s || !w->weighted) return s;
    double *log_u = w->x + w->length - n - 1;
    for (size_t t = 1; t <= n; t++) log_u[t] = log(fmax(w->u[t], mu));
    return dense_evaluate(w, why);
}

/* Newton's method from the best point, while it makes the gap smaller; where weights are searched
 * the barrier's gap, mu n, is made smaller as soon as a step comes near its optimum. */
static finf_status polish(dense_work *w, int most, finf_reason *why)
{
    dense_newton m;
    int better = 1;
    double n = (double)w->r->n, part = 1;
    double mu = w->weighted ? (w->best_upper / w->best_lower - 1) / n : 0;
    finf_status s = dense_newton_make(w, &m);
    if (s) return s;
    s = start_again(w, mu, why);
    for (int step = 0; !s && part > 0 && (better || w->weighted) && !is_done(w, most); step++) {
        if (w->weighted && step == STEPS_MAX_MU) break;
        s = dense_newton_direction(&m, mu);
        if (s == FINF_ETOL && !finf_cancelled(w->r->o.cancel)) {
            s = FINF_OK;
            break;
        }
        if (!s) s = search(w, &m, &better, &part, why);
        if (part > 0.9 && m.left < NEAR_MU * mu * n) mu = fmax(mu * LESS_MU, 0.2 * w->r->o.tol / n);
    }
    dense_newton_free(&m);
    memcpy(w->x, w->best_low, w->length * sizeof *w->x);
    return s;
}

/* Whether Newton's method is to be tried, `since` iterations after it was: near the optimum, or
 * where the mixing takes long. Where weights are searched a step takes three times as long, and it
 * is tried where the mixing no longer halves the gap in MIXED_U iterations; *gap was that.
 */
static int is_time(const dense_work *w, int since, double *gap)
{
    if (!dense_newton_fits(w)) return 0;
    if (w->weighted) {
        double before = *gap;
        if (since == 0 || since % MIXED_U != 0) return 0;
        *gap = w->best_upper / w->best_lower - 1;
        return *gap > SLOW * before && !is_content(w);
    }
    return since >= (w->g.most > 1 ? MIXED : MIXED_ONE) &&
           (since >= MIXED_LONG || w->best_upper <= w->best_lower * (1 + NEAR));
}

/* Until the gap is tol, or nothing improves any more. FINF_ETOL: cancelled. */
static finf_status iterate(dense_work *w, finf_reason *why)
{
    mixing m;
    finf_status s = mixing_make(w->length, &m);
    double before = 0, gap = INFINITY; /* the lower bound of the last point, and a gap before */
    int idle = 0, newton = 0, most = w->weighted ? STEPS_MAX_U : steps_max(w->r->n);
    while (!s) {
        int better;
        s = look(w, &better, why);
        if (s) break;
        idle = better ? 0 : idle + 1;
        int patience = w->weighted ? PATIENCE_U : is_content(w) ? CONTENT : PATIENCE;
        if (is_done(w, most) || idle >= patience) break;
        if (is_time(w, w->iterations - newton, &gap)) {
            s = polish(w, most, why);
            if (s || is_done(w, most)) break;
            newton = w->iterations;
        } else if (m.held > PLAIN &&
                   w->lower < before - STEP_BACK * (w->best_upper - w->best_lower))
            memcpy(w->x, mixing_forget(&m), w->length * sizeof *w->x);
        else {
            before = w->lower;
            s = advance(w, &m);
        }
    }
    mixing_free(&m);
    if (!s && w->weighted && !is_content(w) && dense_newton_fits(w))
        s = polish(w, w->iterations + STEPS_MAX_MU, why);
    return s;
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* C at the best point: X scaled, its rows in the order of the steps. */
static finf_status strategy(dense_work *w, double *C, finf_reason *why)
{
    memcpy(w->x, w->best_up, w->length * sizeof *w->x);
    finf_status s = dense_evaluate(w, why);
    if (s) return s;
    dense_scale(w, w->best_scaling);
    return dense_strategy(w, C);
}

/* FINF_ETOL, and what is in the way of a smaller gap, where it is not small enough. */
static finf_status explain(const dense_work *w, finf_design_result *out)
{
    const finf_design_options *o = &w->r->o;
    if (finf_cancelled(o->cancel) && isnan(out->least))
        return finf_why(&out->reason, FINF_ETOL,
                        "stopped before the first iteration: the best Toeplitz noise so far");
    if (finf_cancelled(o->cancel))
        return finf_why(&out->reason, FINF_ETOL, "stopped after %d iterations: the gap is %.2g",
                        out->iterations, out->duality_gap);
    if (out->duality_gap <= SUFFICIENT || dense_is_relaxed(w->r)) return FINF_OK;
    return finf_why(&out->reason, FINF_ETOL,
                    w->singular ? "the gap is %.2g: the loss does not see some noise at all, and "
                                  "its least value is not attained"
                                : "the gap is %.2g after %d iterations",
                    out->duality_gap, out->iterations);
}

/* The result at the best points found. */
static finf_status answer(dense_work *w, finf_design_result *out)
{
    size_t n = w->r->n;
    double *C = malloc(n * n * sizeof *C), lower = NAN;
    finf_status s = C ? strategy(w, C, &out->reason) : FINF_ENOMEM;
    if (!s) s = finf_system_matrix(C, n, &out->system, &out->reason);
    free(C);
    if (!s && memcmp(w->best_low, w->best_up, w->length * sizeof *w->x) != 0) {
        memcpy(w->x, w->best_low, w->length * sizeof *w->x);
        s = dense_evaluate(w, &out->reason);
    }
    if (!s) s = dense_certify(w, &lower);
    if (!s) s = design_judge(w->r, out);
    if (s) return s;
    out->iterations = w->iterations;
    out->least = lower * w->r->spread;
    /* a trace of n^2 products, squared, as the loss is */
    out->least_error = 2 * FINF_EPS * (64 + 16 * sqrt((double)n)) * out->least;
    out->duality_gap = out->loss.value / out->least - 1;
    out->memory = n - 1;
    return FINF_OK;
}

/* The search, and what it found: *answered says whether that is in `out`. */
static finf_status solve(const finf_design *r, dense_work *w, finf_design_result *out,
                         int *answered)
{
    finf_design uncancelled = *r; /* what was found is worth judging, also after a stop */
    uncancelled.o.cancel = (finf_cancel){NULL, NULL};
    finf_status s = work_make(r, w);
    if (s) return s;
    design_weights(r, w->u);
    s = factor_workload(w);
    if (s) return s;
    begin(w);
    s = iterate(w, &out->reason);
    if (s && !(s == FINF_ETOL && w->best_upper < INFINITY)) return s;
    w->r = &uncancelled;
    s = answer(w, out);
    w->r = r;
    *answered = !s;
    return s;
}

/* The same where the dual may leave a gap, beside Toeplitz noise, which takes seconds and is there
 * when the search is stopped, and bands. */
static finf_status solve_relaxed(const finf_design *r, dense_work *w, finf_design_result *out,
                                 int *answered)
{
    finf_design quiet = *r; /* the losses of two searches would not fall one after the other */
    quiet.o.progress = NULL;
    finf_design_result toeplitz;
    finf_status s = finf_design_toeplitz(&quiet, 0, &toeplitz);
    if (s != FINF_ENOMEM) s = solve(r, w, out, answered);
    *answered = !s || (s == FINF_ETOL && finf_cancelled(r->o.cancel) && toeplitz.system);
    if (!*answered) {
        finf_design_result_free(&toeplitz);
        return s;
    }
    out->memory = r->n - 1;
    dense_keep_better(&toeplitz, out);
    return finf_cancelled(r->o.cancel) ? FINF_OK : dense_try_bands(r, w->u, out);
}

finf_status finf_design_dense(const finf_design *r, finf_design_result *out)
{
    double began = finf_seconds();
    int answered = 0;
    *out = design_result_failed("dense");
    if (r->n > FINF_SYSTEM_DENSE_MAX)
        return finf_why(&out->reason, FINF_EDOM, "dense of %zu steps: at most %u", r->n,
                        FINF_SYSTEM_DENSE_MAX);
    dense_work w = {.best_upper = INFINITY, .best_lower = 0};
    finf_status s = dense_is_relaxed(r) ? solve_relaxed(r, &w, out, &answered)
                                        : solve(r, &w, out, &answered);
    if (s) answered = 0;
    if (answered) s = explain(&w, out);
    work_free(&w);
    if (!answered) {
        finf_reason why = out->reason;
        finf_design_result_free(out);
        *out = design_result_failed("dense");
        out->reason = why;
        if (s == FINF_ENOMEM) finf_why(&out->reason, s, "no memory for %zu steps", r->n);
        if (s == FINF_EDOM && !why.text[0])
            finf_why(&out->reason, s, "the loss of %zu steps is 0, or overflows: no noise is best",
                     r->n);
        if (s == FINF_ETOL && !why.text[0])
            finf_why(&out->reason, s, "stopped before the first iteration");
    }
    out->seconds = finf_seconds() - began;
    return s;
}
