/* The dual of the dense design at a point, and the loss of the matrix that belongs to it. (theory
 * 12.2) */
#include "dense_design.h"

#include <stdlib.h>
#include <string.h>

#include "lapack.h"

#define SMALL 1e-9         /* for design_root, */
#define SMALL_PRECISE 1e-4 /* and where s need more digits */
#define ABOUT 0.3          /* a gap at which orthogonal columns may be worth trying */

/* ---- M and its factor ------------------------------------------------------------------------ */

/* As dense_factor_workload, for prefix sums, of which row t-1 is sum t, times the root of its
 * weight: no ridge, and every digit of a weight however small. */
static finf_status factor_sums(dense_work *w)
{
    const finf_design *r = w->r;
    size_t n = r->n;
    double *x = w->Y; /* the response of a sum, k steps after the noise */
    for (size_t k = 0; k < n; k++) {
        x[k] = 0;
        for (size_t i = 0; i < r->p; i++) x[k] += r->report[i] * w->responses[k * r->p + i];
    }
    for (size_t i = 0; i < n; i++) {
        double root = sqrt(w->u[i + 1] * design_scale(r, i + 1) * r->half[0] * r->count[0]);
        for (size_t c = 0; c < n; c++) {
            size_t step = w->g.step[c];
            w->L[i * n + c] = step <= i ? root * x[i - step] : 0;
        }
    }
    memset(w->ridge, 0, n * sizeof *w->ridge);
    w->singular = 0;
    return FINF_OK;
}

/* L with L'L = M, its columns in the order of the groups. Where M is singular to rounding a ridge
 * is added to it, and told to the certificate by w->ridge. */
finf_status dense_factor_workload(dense_work *w)
{
    if (w->r->prefix && w->precise) return factor_sums(w);
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
void dense_begin(dense_work *w)
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
    design_groups_factor(&w->g, w->U, w->W);
    design_groups_pack_factor(&w->g, w->W, w->x);
    for (size_t t = 0; t <= n && w->weighted; t++)
        w->x[w->length - n - 1 + t] = t ? 0 : DENSE_FLOOR_U;
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

/* Everything at the point w->x. FINF_ETOL: cancelled. */
finf_status dense_evaluate(dense_work *w, finf_reason *why)
{
    size_t n = w->r->n;
    design_groups_unpack_factor(&w->g, w->x, w->U, w->W);
    if (w->weighted) {
        const double *log_u = w->x + w->length - n - 1;
        double largest = -INFINITY, sum = 0;
        for (size_t t = 1; t <= n; t++) largest = fmax(largest, log_u[t]);
        for (size_t t = 1; t <= n; t++)
            sum += w->u[t] = exp(fmax(log_u[t] - largest, DENSE_FLOOR_U));
        for (size_t t = 1; t <= n; t++) w->u[t] /= sum;
        finf_status s = dense_factor_workload(w);
        if (s) return s;
    }
    form(w);
    finf_status s = design_root(w->Y, n, w->precise ? SMALL_PRECISE : SMALL, w->s, w->Q, why);
    if (s) return s;
    for (size_t i = 0; i < n; i++) w->s[i] = fmax(w->s[i], 1e-18 * w->s[n - 1]);
    root_blocks(w);
    design_groups_divide(&w->g, w->W, w->X);
    measure(w);
    return FINF_OK;
}

finf_status dense_evaluate_up(dense_work *w, finf_reason *why)
{
    memcpy(w->x, w->best_up, w->length * sizeof *w->x);
    w->precise = w->best_up_precise;
    return dense_evaluate(w, why);
}

finf_status dense_evaluate_low(dense_work *w, finf_reason *why)
{
    memcpy(w->x, w->best_low, w->length * sizeof *w->x);
    w->precise = w->best_low_precise;
    return dense_evaluate(w, why);
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
finf_status dense_judge(dense_work *w)
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
