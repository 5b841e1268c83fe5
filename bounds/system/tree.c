/* The binary tree of the complete dyadic intervals ("nodes") in 0..n-1, decoded in three ways:
 * plainly, by Honaker's online estimates, and by least squares. (theory 6.2)
 *
 * C has a row of ones for each node. Nodes are numbered in order: the node of height h that covers
 * the 2^h steps from a has the index 2a + 2^h - 1, and its subtree has the 2^{h+1} - 1 indices
 * around that one, 2a to 2a + 2^{h+1} - 2. */
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "system.h"

/* Step i lies in complete nodes of the heights 0..h, and this h is returned: the largest for which
 * the dyadic interval of length 2^h with i in it ends by n. */
static unsigned tree_top(size_t n, size_t i)
{
    unsigned h = 0;
    while ((i >> (h + 1) << (h + 1)) + ((size_t)2 << h) <= n) h++;
    return h;
}

/* The height of the smallest dyadic interval that has both i and j in it: the number of binary
 * digits in which they differ, counted from the last. */
static unsigned tree_meet(size_t i, size_t j)
{
    unsigned h = 0;
    for (size_t x = i ^ j; x; x >>= 1) h++;
    return h;
}

static unsigned log2_floor(size_t n)
{
    unsigned h = 0;
    while (n >>= 1) h++;
    return h;
}

/* How many steps the largest node that ends with step t covers: the lowest bit of t+1. */
static size_t ending_length(size_t t) { return (t + 1) & -(t + 1); }

/* How many of the numbers 1..n have the binary digit h. */
static double bit_count(size_t n, unsigned h)
{
    size_t period = (size_t)2 << h, rest = (n + 1) % period, half = period / 2;
    return (double)((n + 1) / period * half + (rest > half ? rest - half : 0));
}

/* The variance of a node's sum: 1 by its own measurement; for Honaker's average of that with the
 * sum of its children's estimates, weights inverse to the variances, V_0 = 1, V_h =
 * 2V_{h-1}/(2V_{h-1} + 1). V_h is also the weight of the node's own measurement in it. */
static double node_variance(int honaker, unsigned h)
{
    double V = 1;
    for (unsigned k = 0; k < h && honaker; k++) V = 2 * V / (2 * V + 1);
    return V;
}

double tree_sens2(size_t n) { return log2_floor(n) + 1; }

/* Prefix m is the sum of the nodes of m's binary digits: sum_h V_h #{m <= n : m has digit h}. */
double tree_error(int honaker, size_t n)
{
    double error = 0;
    for (unsigned h = 0; h <= log2_floor(n); h++)
        error += bit_count(n, h) * node_variance(honaker, h);
    return error;
}

/* X_ij is the number of nodes that have both i and j in them, those of heights meet..top. */
void tree_gram(size_t n, double *X)
{
    for (size_t i = 0; i < n; i++) {
        unsigned top = tree_top(n, i);
        for (size_t j = i; j < n; j++) {
            unsigned meet = tree_meet(i, j);
            X[i * n + j] = meet <= top ? top - meet + 1 : 0;
        }
    }
}

/* Adds `scale` times the estimate of the node of height h from step a to `row`, which has a
 * coefficient for each node's measurement. */
static void add_node(int honaker, size_t a, unsigned h, double scale, double *row)
{
    double own = node_variance(honaker, h);
    row[2 * a + ((size_t)1 << h) - 1] += scale * own;
    if (h == 0 || !honaker) return;
    add_node(honaker, a, h - 1, scale * (1 - own), row);
    add_node(honaker, a + ((size_t)1 << (h - 1)), h - 1, scale * (1 - own), row);
}

/* The noise of step t (from 0) is that of prefix t+1 minus that of prefix t: the node N_t that ends
 * there minus the nodes of prefix t within it. As a combination of measurements it lives on N_t's
 * subtree, of length[t] nodes from number from[t] on, and is kept from kept[at[t]] on. Two steps
 * are correlated only if the subtree of one is in the other's. */
finf_status tree_covariance(int honaker, size_t n, double *K)
{
    size_t nodes = 2 * n;
    size_t total = 0;
    size_t *from = malloc(3 * n * sizeof *from);
    size_t *length = from ? from + n : NULL;
    size_t *at = from ? length + n : NULL;
    double *row = calloc(nodes, sizeof *row), *kept = NULL;
    if (from)
        for (size_t t = 0; t < n; t++) {
            size_t low = ending_length(t);
            from[t] = 2 * (t + 1 - low);
            length[t] = 2 * low - 1;
            at[t] = total;
            total += length[t];
        }
    kept = malloc((total + 1) * sizeof *kept);
    finf_status status = from && row && kept ? FINF_OK : FINF_ENOMEM;
    for (size_t t = 0; t < n && !status; t++) {
        size_t low = ending_length(t), a = t + 1 - low;
        unsigned h = log2_floor(low);
        add_node(honaker, a, h, 1, row);
        while (h-- > 0) {
            add_node(honaker, a, h, -1, row);
            a += (size_t)1 << h;
        }
        memcpy(kept + at[t], row + from[t], length[t] * sizeof *row);
        memset(row + from[t], 0, length[t] * sizeof *row);
        for (size_t s = 0; s <= t; s++) {
            double sum = 0;
            if (from[s] >= from[t]) { /* s <= t: N_s is within N_t, or before it */
                const double *x = kept + at[s], *y = kept + at[t] + (from[s] - from[t]);
                for (size_t i = 0; i < length[s]; i++) sum += x[i] * y[i];
            }
            K[t * n + s] = K[s * n + t] = sum;
        }
    }
    free(from);
    free(row);
    free(kept);
    return status;
}

/* ---- full Honaker ---------------------------------------------------------------------------- */

/* Least squares: K = X^{-1} =: Y. For a complete tree of height h, X_h = diag(X_{h-1}, X_{h-1}) +
 * 11', so by Sherman and Morrison's formula, Y_h 1 being y_h 1,
 *
 *     Y_h = diag(Y_{h-1}, Y_{h-1}) - drop_h 11',   drop_h = y_{h-1}^2/(1 + 2 g_{h-1}),
 *     g_h = 1'Y_h 1 = 2^h y_h = 2 g_{h-1}/(1 + 2 g_{h-1}). */
#define TREE_HEIGHTS 64
typedef struct {
    double g[TREE_HEIGHTS];
    double drop[TREE_HEIGHTS];
    double prefix[TREE_HEIGHTS]; /* the sum over the 2^h prefixes p of the tree of p'Y_h p */
} honaker_table;

/* The table for the heights 0..top. */
static honaker_table honaker_make(unsigned top)
{
    honaker_table t;
    t.g[0] = t.prefix[0] = 1;
    t.drop[0] = 0;
    for (unsigned h = 1; h <= top; h++) {
        double half = ldexp(1, (int)h - 1);
        double full = 2 * half;
        double g = t.g[h - 1];
        double y = g / half;
        double d = y * y / (1 + 2 * g);
        t.g[h] = 2 * g / (1 + 2 * g);
        t.drop[h] = d;
        /* sum over m = 1..2^h of (p_m' diag(Y,Y) p_m - d m^2) */
        t.prefix[h] = 2 * t.prefix[h - 1] + half * g - d * full * (full + 1) * (2 * full + 1) / 6;
    }
    return t;
}

/* Tr(A K A') of n steps: X is block diagonal over the largest nodes, one for each binary digit of
 * n, and `before` is the variance of the sum over the blocks before the present one. */
double full_honaker_error(size_t n)
{
    unsigned top = log2_floor(n);
    honaker_table t = honaker_make(top);
    double error = 0, before = 0;
    for (unsigned h = top + 1; h-- > 0;)
        if (n >> h & 1) {
            error += ldexp(before, (int)h) + t.prefix[h];
            before += t.g[h];
        }
    return error;
}

/* Y_ij = [i = j] minus drop_h for every node, of height h >= 1, that has both i and j in it. */
void full_honaker_covariance(size_t n, double *K)
{
    honaker_table t = honaker_make(log2_floor(n));
    for (size_t i = 0; i < n; i++) {
        unsigned top = tree_top(n, i);
        for (size_t j = i; j < n; j++) {
            unsigned meet = tree_meet(i, j);
            double sum = i == j;
            for (unsigned h = top; h >= 1 && h >= meet; h--) sum -= t.drop[h];
            K[i * n + j] = sum;
        }
    }
}

/* ---- noise ----------------------------------------------------------------------------------- */

/* Honaker's estimates take the place of the measurements, from the leaves up: w_N becomes V w_N +
 * (1-V) (the sum of its children's). Then the step's noise is the combination of tree_covariance.
 */
void tree_draw(int honaker, size_t n, double *w, double *z)
{
    for (unsigned h = 1; h <= log2_floor(n) && honaker; h++) {
        size_t length = (size_t)1 << h, half = length / 2;
        double own = node_variance(1, h);
        for (size_t a = 0; a + length <= n; a += length) {
            double *node = w + 2 * a + length - 1;
            *node = own * *node + (1 - own) * (*(node - half) + *(node + half));
        }
    }
    for (size_t t = 0; t < n; t++) {
        size_t low = ending_length(t), a = t + 1 - low;
        z[t] = w[2 * a + low - 1];
        for (size_t length = low / 2; length; a += length, length /= 2)
            z[t] -= w[2 * a + length - 1];
    }
}

/* z = X^{-1} C'w, which has the covariance X^{-1} C'C X^{-1} = X^{-1}: first v = C'w, each step's
 * sum over the nodes above it, then Y_h v = diag(Y_{h-1}, Y_{h-1}) v - drop_h (1'v) 1, height by
 * height. */
void full_honaker_draw(size_t n, double *w, double *z)
{
    unsigned top = log2_floor(n);
    honaker_table t = honaker_make(top);
    memset(z, 0, n * sizeof *z);
    for (unsigned h = 0; h <= top; h++) {
        size_t length = (size_t)1 << h;
        for (size_t a = 0; a + length <= n; a += length)
            for (size_t i = a; i < a + length; i++) z[i] += w[2 * a + length - 1];
    }
    double *sum = w; /* w is not needed any more; sum[a] is that of v over the node from a */
    memcpy(sum, z, n * sizeof *sum);
    for (unsigned h = 1; h <= top; h++) {
        size_t length = (size_t)1 << h;
        for (size_t a = 0; a + length <= n; a += length) {
            sum[a] += sum[a + length / 2];
            for (size_t i = a; i < a + length; i++) z[i] -= t.drop[h] * sum[a];
        }
    }
}
