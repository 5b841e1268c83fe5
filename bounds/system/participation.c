/* Sensitivity of a system to several participations of one user. (theory 6.5)
 *
 * A pattern P of at most k steps costs f(P) = sum_{i,j in P} |X_ij|, X = C'C: the squared
 * sensitivity where X >= 0, and an upper bound of it elsewhere. The largest f is found
 *
 *   fixed order      (steps exactly b apart) by going through all windows;
 *   min-separation   (steps at least b apart) for Toeplitz C with c >= 0 never increasing, as that
 *                    of the pattern 0, b, 2b, ..; for any other system between the value of the
 *                    best pattern seen and the lesser of two bounds. Both are sums over P, which
 *                    a dynamic program makes largest:
 *
 *     rows   f(P) <= sum_{i in P} max { sum_{j in P'} |X_ij| : P' has i in it },
 *     later  f(P) <= sum_{i in P} (|X_ii| + 2 max { sum_{j in P'} |X_ij| : P' comes after i }),
 *
 * the second exact where |X_ij| is a never increasing function of j - i (fft). Branch and bound,
 * step after step, closes what is left between them for as long as WORK_MOST lasts; then the
 * largest bound still open is the upper one. */
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "system.h"

#define TABLE_MOST ((size_t)1 << 23) /* numbers in the tables of the search: 64 MB */
#define WORK_MOST 1e8                /* numbers it may compute: a second */
#define ATTAINED 1e-13               /* relative: sums of k^2 terms in two orders differ by less */
/* relative: entries of X that should be 0 (me:b) may have the wrong sign by as much */
#define EXACT 1e-9

/* ---- steps exactly b apart ------------------------------------------------------------------- */

/* The largest f of steps exactly b apart: a window of k steps (or the whole class, if it has fewer)
 * slides along each residue class mod b, and its sum is mended by what enters and what leaves.
 * *first is the first step of the worst one. */
static double fixed_order(const double *X, size_t n, size_t k, size_t b, size_t *first)
{
    double worst = -1;
    for (size_t start = 0; start < b && start < n; start++) {
        double sum = 0;
        size_t length = 0;
        for (size_t end = start; end < n; end += b) {
            size_t from = start + (length == k ? end - start - k * b : 0), i;
            if (length == k) { /* the window is full: its step `from` leaves */
                sum -= fabs(X[from * n + from]);
                for (i = from + b; i < end; i += b) sum -= 2 * fabs(X[from * n + i]);
                from += b;
            } else
                length++;
            sum += fabs(X[end * n + end]);
            for (i = from; i < end; i += b) sum += 2 * fabs(X[end * n + i]);
            if (sum > worst) {
                worst = sum;
                *first = from;
            }
        }
    }
    return worst;
}

/* ---- steps at least b apart: bounds ---------------------------------------------------------- */

/* The patterns of at most k of the steps 0..n-1, at least b apart. Tables over them have a row for
 * "at most p steps", p = 0..k, or a single row if k is no limit, because no more than k fit. */
typedef struct {
    size_t n, k, b;
    int unlimited; /* k is no limit */
    size_t rows;   /* of a table */
} family;

static family family_make(size_t n, size_t k, size_t b)
{
    int unlimited = k >= (n + b - 1) / b;
    return (family){n, k, b, unlimited, unlimited ? 1 : k + 1};
}

/* The row of all patterns, and the row of those with one step less than row p has. */
static size_t all(const family *q) { return q->rows - 1; }
static size_t one_less(const family *q, size_t p) { return q->unlimited ? 0 : p - 1; }

/* best[p][j], j <= m: the largest sum of at most p of the numbers |x[0]|, |x[stride]|, .., of which
 * the first j may be taken, at least b apart. Rows are n+1 long; `rows` of them are made. Either
 * number j-1 is not taken, or it is and the others come from the first j-b. */
static void best_sums(const family *q, const double *x, ptrdiff_t stride, size_t m, size_t rows,
                      double *best)
{
    size_t width = q->n + 1, p = 0;
    if (!q->unlimited)
        for (size_t j = 0; j <= m; j++) best[j] = 0;
    for (p = q->unlimited ? 0 : 1; p < rows; p++) {
        double *now = best + p * width;
        const double *less = best + one_less(q, p) * width;
        now[0] = 0;
        for (size_t j = 1; j <= m; j++)
            now[j] = fmax(now[j - 1],
                          fabs(x[(ptrdiff_t)(j - 1) * stride]) + (j > q->b ? less[j - q->b] : 0));
    }
}

/* The terms of the two bounds. row[i] of the first: |X_ii| and the largest sum of |X_ij| over at
 * most k-1 other steps, p of them before i and the rest after. later[p][i] of the second: twice the
 * largest sum of at most p of |X_ij|, j >= i+b. `best` is room for a table of best_sums. */
static finf_status row_sums(const family *q, const double *X, const finf_system_options *o,
                            double *best, double *row, double *later)
{
    size_t n = q->n, b = q->b, width = n + 1, others = q->unlimited ? 1 : q->k;
    for (size_t i = 0; i < n; i++) {
        if (system_stopped(o)) return FINF_ETOL;
        const double *x = X + i * n;
        /* how many steps are b or more away, on either side */
        size_t before = i >= b ? i - b + 1 : 0, after = n - i > b ? n - i - b : 0;
        best_sums(q, x + n - 1, -1, after, others, best);
        for (size_t p = 0; p < others; p++) later[p * n + i] = 2 * best[p * width + after];
        best_sums(q, x, 1, before, others, best);
        double most = 0;
        for (size_t p = 0; p < others; p++)
            most = fmax(most, best[p * width + before] + later[(others - 1 - p) * n + i] / 2);
        row[i] = fabs(x[i]) + most;
    }
    return FINF_OK;
}

/* ahead[p][j], j >= from: the largest sum of weight_i + later_i over at most p steps i from j on,
 * at least b apart, where a step that has at most p-1 after it uses that row of later. */
static void bound_ahead(const family *q, const double *weight, const double *later, size_t from,
                        double *ahead)
{
    size_t n = q->n, width = n + 1;
    if (!q->unlimited) memset(ahead + from, 0, (width - from) * sizeof *ahead);
    for (size_t p = q->unlimited ? 0 : 1; p < q->rows; p++) {
        double *now = ahead + p * width;
        const double *less = ahead + one_less(q, p) * width, *x = later + one_less(q, p) * n;
        now[n] = 0;
        for (size_t j = n; j-- > from;)
            now[j] = fmax(now[j + 1], weight[j] + x[j] + (j + q->b < n ? less[j + q->b] : 0));
    }
}

/* f(P) */
static double pattern_value(const double *X, size_t n, const size_t *pattern, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) sum += fabs(X[pattern[i] * n + pattern[j]]);
    return sum;
}

/* A squared sensitivity that a user does attain on the pattern, with contributions u or -u: all
 * alike, or with the signs of X's row of the first step, whichever gives more. It is f(P) if X >= 0
 * on the pattern or becomes so by these signs. */
static double attained_value(const double *X, size_t n, const size_t *pattern, size_t count)
{
    double alike = 0, signs = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            const double *first = X + pattern[0] * n;
            double x = X[pattern[i] * n + pattern[j]];
            alike += x;
            signs += (first[pattern[i]] < 0) == (first[pattern[j]] < 0) ? x : -x;
        }
    return fmax(alike, signs);
}

/* The pattern behind the last entry of a table of best_sums: returns how many steps it has. */
static size_t trace_pattern(const family *q, const double *best, size_t *pattern)
{
    size_t count = 0, p = all(q);
    for (size_t j = q->n; j > 0 && (p > 0 || q->unlimited);) {
        const double *now = best + p * (q->n + 1);
        if (now[j] == now[j - 1]) {
            j--;
            continue;
        }
        pattern[count++] = j - 1;
        j = j > q->b ? j - q->b : 0;
        p = one_less(q, p);
    }
    return count;
}

/* ---- steps at least b apart: branch and bound ------------------------------------------------ */

typedef struct {
    family q;
    const double *X;
    const double *later; /* of row_sums */
    double *weight;      /* n at each depth: |X_jj| + 2 sum |X_ij| over the steps i chosen so far */
    double *ahead;       /* a table of bound_ahead at each depth */
    double best;         /* the largest f of a pattern seen so far */
    double work;         /* numbers computed so far */
    size_t *path;        /* the steps chosen */
    size_t *pattern;     /* those of the best pattern so far, */
    size_t count;        /* and how many they are */
    const finf_system_options *o;
} search;

/* Keeps the first `count` steps of the path, whose f is `value`, if that is the best so far. */
static void keep_best(search *s, double value, size_t count)
{
    if (!(value > s->best)) return;
    s->best = value;
    s->count = count;
    memcpy(s->pattern, s->path, count * sizeof *s->path);
}

/* An upper bound of f over all patterns that begin with the `depth` steps chosen, whose f is
 * `value`, and go on with at most p more from step `from` on (p is a row of the tables). Each of
 * these steps j is tried in turn: if the bound of what can come after it does not exceed the best
 * pattern seen, or the work is spent, that bound stands; else it is explored. */
static double explore(search *s, size_t depth, size_t from, size_t p, double value)
{
    const family *q = &s->q;
    size_t n = q->n, less = one_less(q, p), width = n + 1;
    double *weight = s->weight + depth * n;
    double *ahead = s->ahead + depth * q->rows * width;
    double most = value;
    keep_best(s, value, depth);
    if (from >= n || (p == 0 && !q->unlimited)) return value;
    bound_ahead(q, weight, s->later, from, ahead);
    s->work += (double)(n - from) * (double)q->rows;
    for (size_t j = from; j < n; j++) {
        size_t next = j + q->b;
        double bound = value + weight[j] + s->later[less * n + j] +
                       (next < n ? ahead[less * width + next] : 0);
        if (bound > s->best * (1 + ATTAINED) && s->work < WORK_MOST && !system_stopped(s->o)) {
            for (size_t l = next; l < n; l++) weight[n + l] = weight[l] + 2 * fabs(s->X[j * n + l]);
            s->path[depth] = j;
            bound = explore(s, depth + 1, next, less, value + weight[j]);
        }
        most = fmax(most, bound);
    }
    return most;
}

/* The largest f is at least s->best, that of s->pattern, and at most *upper: narrows both by branch
 * and bound, unless they agree already or the tables would take too much memory. */
static finf_status close_gap(search *s, double *upper)
{
    const family *q = &s->q;
    size_t n = q->n, depths = q->k + 1, each = n + q->rows * (n + 1);
    if (*upper <= s->best * (1 + ATTAINED) || depths > TABLE_MOST / each) return FINF_OK;
    s->weight = malloc(depths * each * sizeof *s->weight);
    if (!s->weight) return FINF_ENOMEM;
    s->ahead = s->weight + depths * n;
    for (size_t j = 0; j < n; j++) s->weight[j] = fabs(s->X[j * n + j]);
    *upper = fmin(*upper, fmax(explore(s, 0, 0, all(q), 0), s->best));
    free(s->weight);
    return system_stopped(s->o) ? FINF_ETOL : FINF_OK;
}

/* Both bounds, a pattern from the first one's table, and the search between them. `numbers` is room
 * for a row of n and two tables, s->path for n steps; s->pattern and s->best are those of the worst
 * pattern with steps exactly b apart on entry. */
static finf_status bound_and_search(search *s, double *numbers, double *upper)
{
    const family *q = &s->q;
    size_t n = q->n;
    double *row = numbers, *later = row + n, *best = later + q->rows * n;
    finf_status status = row_sums(q, s->X, s->o, best, row, later);
    if (status) return status;
    best_sums(q, row, 1, n, q->rows, best);
    *upper = best[all(q) * (n + 1) + n];
    size_t count = trace_pattern(q, best, s->path);
    keep_best(s, pattern_value(s->X, n, s->path, count), count);
    for (size_t i = 0; i < n; i++) row[i] = fabs(s->X[i * n + i]);
    bound_ahead(q, row, later, 0, best);
    *upper = fmin(*upper, best[all(q) * (n + 1)]);
    s->later = later;
    return close_gap(s, upper);
}

/* Fills in what `out` says of steps at least b apart; out->fixed_order and out->first are known. */
static finf_status min_separation(const double *X, size_t n, size_t k, size_t b,
                                  const finf_system_options *o, finf_participation *out)
{
    search s = {.q = family_make(n, k, b), .X = X, .o = o, .best = out->fixed_order};
    double *numbers = malloc((n + s.q.rows * n + s.q.rows * (n + 1)) * sizeof *numbers);
    s.path = malloc(2 * n * sizeof *s.path);
    finf_status status = numbers && s.path ? FINF_OK : FINF_ENOMEM;
    if (!status) {
        s.pattern = s.path + n;
        for (size_t i = out->first; s.count < k && i < n; i += b) s.pattern[s.count++] = i;
        out->fixed_lower = attained_value(X, n, s.pattern, s.count);
        status = bound_and_search(&s, numbers, &out->min_sep);
        out->min_sep_lower = fmax(out->fixed_lower, attained_value(X, n, s.pattern, s.count));
    }
    free(numbers);
    free(s.path);
    return status;
}

/* ---- the two ways to count ------------------------------------------------------------------- */

/* For Toeplitz C with c >= 0 never increasing: X_ij = sum_{t<n-j} c_t c_{t+j-i} grows when j and
 * all later steps move left together, so the pattern 0, b, 2b, .. is the worst of both kinds
 * (theory 6.5; Kalinin and Lampert 2024). Its f is sum_t (sum_p c_{t-pb})^2. */
static finf_status first_steps(const double *c, size_t n, size_t k, size_t b,
                               finf_participation *out)
{
    double *column = calloc(n, sizeof *column);
    if (!column) return FINF_ENOMEM;
    for (size_t p = 0; p < k; p++)
        for (size_t t = p * b; t < n; t++) column[t] += c[t - p * b];
    long double sum = 0;
    for (size_t t = 0; t < n; t++) sum += (long double)column[t] * column[t];
    free(column);
    out->fixed_order = out->fixed_lower = out->min_sep = out->min_sep_lower = (double)sum;
    out->exact = out->nonnegative = 1;
    out->method = "first steps, for c >= 0 never increasing";
    return FINF_OK;
}

/* For any system, from X. An entry of X that is negative by EXACT of the largest counts as 0. */
static finf_status by_matrix(const double *X, size_t n, size_t k, size_t b,
                             const finf_system_options *o, finf_participation *out)
{
    double least = 0, most = 0;
    for (size_t i = 0; i < n * n; i++) {
        least = fmin(least, X[i]);
        most = fmax(most, X[i]);
    }
    out->nonnegative = least >= -EXACT * most;
    out->fixed_order = fixed_order(X, n, k, b, &out->first);
    finf_status status = min_separation(X, n, k, b, o, out);
    /* the two ends may cross by rounding, as they are summed in different orders */
    out->min_sep = fmax(out->min_sep, out->min_sep_lower);
    out->exact = out->min_sep_lower >= out->min_sep * (1 - EXACT);
    out->method = out->exact ? "branch and bound, attained" : "branch and bound, an upper bound";
    return status;
}

/* Whether first_steps applies. */
static int never_increasing(const finf_system *s)
{
    if (s->kind != SYSTEM_TOEPLITZ) return 0;
    for (size_t t = 0; t < s->facts.n; t++)
        if (!(s->c[t] >= 0 && (t == 0 || s->c[t] <= s->c[t - 1]))) return 0;
    return 1;
}

finf_status finf_system_participation(const finf_system *s, size_t k, size_t b,
                                      const finf_system_options *opt, finf_participation *out,
                                      finf_reason *why)
{
    size_t n = s->facts.n;
    *out = (finf_participation){.k = k,
                                .b = b,
                                .fixed_order = NAN,
                                .fixed_lower = NAN,
                                .min_sep = NAN,
                                .min_sep_lower = NAN,
                                .method = ""};
    if (k < 1) return finf_why(why, FINF_EDOM, "participations = %zu: at least 1", k);
    if (b < 1) return finf_why(why, FINF_EDOM, "separation = %zu: at least 1", b);
    if (b > n) b = n;
    if (k > (n + b - 1) / b) k = (n + b - 1) / b;
    finf_status status;
    if (never_increasing(s))
        status = first_steps(s->c, n, k, b, out);
    else {
        double *X = NULL;
        status = system_check_dense(s, why);
        if (!status && !(X = malloc(n * n * sizeof *X))) status = FINF_ENOMEM;
        if (!status && (status = system_gram(s, opt, X, why))) {
            free(X);
            return status;
        }
        if (!status) status = by_matrix(X, n, k, b, opt, out);
        free(X);
    }
    if (status == FINF_ENOMEM) finf_why(why, status, "no memory for %zu steps", n);
    if (status == FINF_ETOL)
        finf_why(why, status, "stopped at the participations of %s", s->facts.name);
    return status;
}
