/* Participation as disjoint groups of steps, and the fixed-point map of the dual. (theory 12.2)
 *
 * One participation: n groups of one step. k participations b apart: each residue class mod b is
 * cut into groups of k steps; for k = ceil(n/b) the groups are the classes, and the dual is that of
 * the problem itself. Otherwise a user may also take part at other patterns than these groups, and
 * the dual over the groups is below that of the problem. */
#include "design.h"

#include <stdlib.h>
#include <string.h>

#define FLOOR 1e-24       /* of the largest v: a step that matters less is kept at this */
#define LEAST_PIVOT 1e-14 /* of a diagonal entry: what is less by rounding becomes so much */

/* Step `at` of residue class `at` % b begins a group where it is the first of its class, or k steps
 * after the last beginning. */
static void list_groups(size_t n, size_t k, size_t b, design_groups *g)
{
    size_t position = 0;
    for (size_t first = 0; first < b && first < n; first++) {
        size_t held = 0;
        for (size_t t = first; t < n; t += b) {
            if (held % k == 0) g->from[g->groups++] = position;
            g->step[position++] = t;
            held++;
        }
    }
    g->from[g->groups] = n;
}

finf_status design_groups_make(const finf_design *r, design_groups *g)
{
    size_t n = r->n, b = r->o.separation < n ? r->o.separation : n, k = r->o.participations;
    *g = (design_groups){.n = n};
    if (k > (n + b - 1) / b) k = (n + b - 1) / b;
    if (k == 1) b = n;
    g->step = malloc((3 * n + 2) * sizeof *g->step);
    if (!g->step) return FINF_ENOMEM;
    g->from = g->step + n;
    g->block = g->from + n + 1;
    list_groups(n, k, b, g);
    size_t at = 0;
    for (size_t i = 0; i < g->groups; i++) {
        size_t size = design_group_size(g, i);
        g->block[i] = at;
        at += size * size;
        if (size > g->most) g->most = size;
    }
    g->block[g->groups] = at;
    return FINF_OK;
}

void design_groups_free(design_groups *g)
{
    free(g->step);
    g->step = NULL;
}

/* Numbers of a group in a point. */
static size_t count_of(size_t size) { return 1 + size * (size - 1) / 2; }

size_t design_groups_length(const design_groups *g)
{
    size_t length = 0;
    for (size_t i = 0; i < g->groups; i++) length += count_of(design_group_size(g, i));
    return length;
}

void design_groups_pack(const design_groups *g, const double *U, double *x)
{
    for (size_t i = 0; i < g->groups; i++) {
        const double *block = U + g->block[i];
        size_t size = design_group_size(g, i);
        *x++ = log(block[0]);
        for (size_t a = 1; a < size; a++)
            for (size_t c = 0; c < a; c++) *x++ = block[a * size + c] / block[0];
    }
}

/* The v of a point of either kind, into the first number of each block: above FLOOR of the largest,
 * and scaled to a sum of 1, which changes nothing. */
static void unpack_diagonal(const design_groups *g, const double *x, double *U)
{
    double largest = -INFINITY, sum = 0;
    const double *at = x;
    for (size_t i = 0; i < g->groups; at += count_of(design_group_size(g, i)), i++)
        largest = fmax(largest, *at);
    at = x;
    for (size_t i = 0; i < g->groups; at += count_of(design_group_size(g, i)), i++)
        sum += U[g->block[i]] = fmax(exp(*at - largest), FLOOR);
    for (size_t i = 0; i < g->groups; i++) U[g->block[i]] /= sum;
}

void design_groups_unpack(const design_groups *g, const double *x, double *U)
{
    unpack_diagonal(g, x, U);
    for (size_t i = 0; i < g->groups; i++) {
        double *block = U + g->block[i], v = block[0];
        size_t size = design_group_size(g, i);
        x++;
        for (size_t a = 0; a < size; a++) {
            block[a * size + a] = v;
            for (size_t c = 0; c < a; c++) block[a * size + c] = block[c * size + a] = v * *x++;
        }
    }
}

void design_groups_pack_factor(const design_groups *g, const double *W, double *x)
{
    for (size_t i = 0; i < g->groups; i++) {
        const double *block = W + g->block[i];
        size_t size = design_group_size(g, i);
        *x++ = 2 * log(block[0]);
        for (size_t a = 1; a < size; a++)
            for (size_t c = 0; c < a; c++) *x++ = block[a * size + c] / block[a * size + a];
    }
}

/* W of one group from its rows, which are scaled to the length of v^{1/2}, and U = WW'. */
static void unpack_rows(size_t size, const double *x, double *U, double *W)
{
    double root = sqrt(U[0]);
    memset(W, 0, size * size * sizeof *W);
    for (size_t a = 0; a < size; a++) {
        double length = 1;
        for (size_t c = 0; c < a; c++) length = hypot(length, x[c]);
        W[a * size + a] = root / length;
        for (size_t c = 0; c < a; c++) W[a * size + c] = *x++ * (root / length);
    }
    for (size_t a = 0; a < size; a++)
        for (size_t c = 0; c <= a; c++) {
            double sum = 0;
            for (size_t l = 0; l <= c; l++) sum += W[a * size + l] * W[c * size + l];
            U[a * size + c] = U[c * size + a] = a == c ? root * root : sum;
        }
}

void design_groups_unpack_factor(const design_groups *g, const double *x, double *U, double *W)
{
    unpack_diagonal(g, x, U);
    for (size_t i = 0; i < g->groups; x += count_of(design_group_size(g, i)), i++)
        unpack_rows(design_group_size(g, i), x + 1, U + g->block[i], W + g->block[i]);
}

void design_groups_weigh(const design_groups *g, const double *U, double *weight)
{
    for (size_t i = 0; i < g->groups; i++) {
        size_t count = count_of(design_group_size(g, i));
        double root = sqrt(U[g->block[i]]);
        for (size_t a = 0; a < count; a++) *weight++ = root;
    }
}

int design_group_factor(const double *U, size_t n, double *W)
{
    memset(W, 0, n * n * sizeof *W);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = U[i * n + j];
            for (size_t l = 0; l < j; l++) sum -= W[i * n + l] * W[j * n + l];
            if (i == j && !(sum > -LEAST_PIVOT * U[i * n + i])) return 0;
            if (i == j) sum = fmax(sum, LEAST_PIVOT * U[i * n + i]);
            W[i * n + j] = i == j ? sqrt(sum) : sum / W[j * n + j];
        }
    return 1;
}

int design_groups_factor(const design_groups *g, const double *U, double *W)
{
    for (size_t i = 0; i < g->groups; i++)
        if (!design_group_factor(U + g->block[i], design_group_size(g, i), W + g->block[i]))
            return 0;
    return 1;
}

/* R <- W^{-T} R, n x n: row i from the last one up. */
static void divide(const double *W, size_t n, double *R)
{
    for (size_t i = n; i-- > 0;)
        for (size_t c = 0; c < n; c++) {
            double sum = R[i * n + c];
            for (size_t l = i + 1; l < n; l++) sum -= W[l * n + i] * R[l * n + c];
            R[i * n + c] = sum / W[i * n + i];
        }
}

static void transpose(size_t n, double *R)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double swap = R[i * n + j];
            R[i * n + j] = R[j * n + i];
            R[j * n + i] = swap;
        }
}

void design_groups_divide(const design_groups *g, const double *W, double *R)
{
    for (size_t i = 0; i < g->groups; i++) {
        size_t size = design_group_size(g, i);
        divide(W + g->block[i], size, R + g->block[i]);
        transpose(size, R + g->block[i]);
        divide(W + g->block[i], size, R + g->block[i]);
    }
}

/* out = A B, n x n. */
static void multiply(size_t n, const double *A, const double *B, double *out)
{
    memset(out, 0, n * n * sizeof *out);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < n; l++)
            for (size_t j = 0; j < n; j++) out[i * n + j] += A[i * n + l] * B[l * n + j];
}

/* If only group g were there, with N = X_g U_g X_g in the place of M, the optimum would be U_g =
 * D^{-1} N D^{-1}, D = diag(N_ii^{1/2})/(sum_i N_ii^{1/2}); a group of one: v <- v X^2. Scaled to a
 * sum of v of 1, as the residual of a common factor is none. */
finf_status design_groups_map(const design_groups *g, const double *X, double *U)
{
    double all = 0, *work = malloc((g->most * g->most + g->most) * sizeof *work);
    if (!work) return FINF_ENOMEM;
    for (size_t i = 0; i < g->groups; i++) {
        double *block = U + g->block[i], *root = work + g->most * g->most, sum = 0;
        const double *x = X + g->block[i];
        size_t n = design_group_size(g, i);
        multiply(n, x, block, work);
        multiply(n, work, x, block);
        for (size_t a = 0; a < n; a++) {
            root[a] = sqrt(block[a * n + a]);
            sum += root[a];
        }
        for (size_t a = 0; a < n; a++)
            for (size_t c = 0; c < a; c++) {
                double mean = 0.5 * (block[a * n + c] + block[c * n + a]);
                block[a * n + c] = block[c * n + a] = mean * (sum / root[a]) * (sum / root[c]);
            }
        for (size_t a = 0; a < n; a++) block[a * n + a] = sum * sum;
        all += sum * sum;
    }
    for (size_t i = 0; i < g->block[g->groups]; i++) U[i] /= all;
    free(work);
    return FINF_OK;
}
