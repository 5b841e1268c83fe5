/* The binary tree of the complete dyadic nodes in 0..n-1: plain, Honaker's online estimate, least
 * squares. (theory 6)
 *
 * C has a row of ones for each node. In-order numbering: the node of height h that covers the 2^h
 * steps from a has the index 2a + 2^h - 1, and its subtree is the 2^{h+1} - 1 indices about it. */
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "system.h"

/* Step i is in the nodes of heights 0..tree_top. */
static unsigned tree_top(size_t n, size_t i)
{
    unsigned h = 0;
    while ((i >> (h + 1) << (h + 1)) + ((size_t)2 << h) <= n) h++;
    return h;
}

/* The height of the smallest dyadic interval with both i and j. */
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

/* How many steps the largest node that ends with step t covers. */
static size_t ending_length(size_t t) { return (t + 1) & -(t + 1); }

/* How many of 1..n have bit h. */
static double bit_count(size_t n, unsigned h)
{
    size_t period = (size_t)2 << h, rest = (n + 1) % period, half = period / 2;
    return (double)((n + 1) / period * half + (rest > half ? rest - half : 0));
}

/* Variance of a node of height h: 1 for its own measurement, and for the average of that with the
 * sum of its two children (weights inverse to the variances) V_h = 2V_{h-1}/(2V_{h-1}+1). V_h is
 * also the weight of its own measurement. */
static double node_variance(int honaker, unsigned h)
{
    double V = 1;
    for (unsigned k = 0; k < h && honaker; k++) V = 2 * V / (2 * V + 1);
    return V;
}

double tree_sens2(size_t n) { return log2_floor(n) + 1; }

double tree_error(int honaker, size_t n)
{
    double error = 0;
    for (unsigned h = 0; h <= log2_floor(n); h++)
        error += bit_count(n, h) * node_variance(honaker, h);
    return error;
}

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

/* Adds scale * (the estimate of the node of height h from a) to row, as a combination of the nodes'
 * measurements. */
static void add_node(int honaker, size_t a, unsigned h, double scale, double *row)
{
    double own = node_variance(honaker, h);
    row[2 * a + ((size_t)1 << h) - 1] += scale * own;
    if (h == 0 || !honaker) return;
    add_node(honaker, a, h - 1, scale * (1 - own), row);
    add_node(honaker, a + ((size_t)1 << (h - 1)), h - 1, scale * (1 - own), row);
}

/* The noise of step t (from 0) is prefix t+1 minus prefix t: the node N of height h that ends
 * there, minus the nodes of prefix t within it. It lives on N's subtree, so two steps are
 * correlated only if one's N is in the other's. */
finf_status tree_covariance(int honaker, size_t n, double *K)
{
    size_t nodes = 2 * n, total = 0, *from = malloc(3 * n * sizeof *from),
           *length = from ? from + n : NULL, *at = from ? length + n : NULL;
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

/* Full Honaker: K = (C'C)^{-1} =: Y. For a complete tree X_h = diag(X_{h-1}, X_{h-1}) + 11', so by
 * Sherman-Morrison Y_h = diag(Y_{h-1}, Y_{h-1}) - y_{h-1}^2/(1 + 2 g_{h-1}) 11', Y_h 1 = y_h 1, g_h
 * = 1'Y_h 1 = 2 g_{h-1}/(1 + 2 g_{h-1}) = 2^h y_h. drop[h] = y_{h-1}^2/(1 + 2 g_{h-1}); prefix[h] =
 * sum over the 2^h prefixes p of p'Y_h p. */
#define TREE_HEIGHTS 64
typedef struct {
    double g[TREE_HEIGHTS], drop[TREE_HEIGHTS], prefix[TREE_HEIGHTS];
} honaker_table;

static honaker_table honaker_make(unsigned top)
{
    honaker_table t;
    t.g[0] = t.prefix[0] = 1;
    t.drop[0] = 0;
    for (unsigned h = 1; h <= top; h++) {
        double half = ldexp(1, (int)h - 1), full = 2 * half, g = t.g[h - 1], y = g / half,
               d = y * y / (1 + 2 * g);
        t.g[h] = 2 * g / (1 + 2 * g);
        t.drop[h] = d;
        /* sum over m = 1..2^h of (p_m' diag(Y,Y) p_m - d m^2) */
        t.prefix[h] = 2 * t.prefix[h - 1] + half * g - d * full * (full + 1) * (2 * full + 1) / 6;
    }
    return t;
}

double full_honaker_error(size_t n)
{
    unsigned top = log2_floor(n);
    honaker_table t = honaker_make(top);
    /* X is block diagonal over the largest nodes, one for each binary digit of n */
    double error = 0, before = 0;
    for (unsigned h = top + 1; h-- > 0;)
        if (n >> h & 1) {
            error += ldexp(before, (int)h) + t.prefix[h];
            before += t.g[h];
        }
    return error;
}

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

/* The nodes' estimates take the place of their measurements: w_N' = V w_N + (1-V)(its children's).
 * Then as in tree_covariance. */
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

/* z = X^{-1} C'w, which has the covariance X^{-1}: v = C'w down the tree, then
 * Y_h v = diag(Y_{h-1}, Y_{h-1}) v - drop_h 1'v. */
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
    double *sum = w; /* done with; sum[a]: of v over the node from a */
    memcpy(sum, z, n * sizeof *sum);
    for (unsigned h = 1; h <= top; h++) {
        size_t length = (size_t)1 << h;
        for (size_t a = 0; a + length <= n; a += length) {
            sum[a] += sum[a + length / 2];
            for (size_t i = a; i < a + length; i++) z[i] -= t.drop[h] * sum[a];
        }
    }
}
