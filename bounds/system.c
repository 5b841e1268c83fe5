/* The matrix mechanisms of the paper's variants table (tab:exp_algorithms): X = C'C, the covariance K of the noise of n
 * steps, the prefix-sum error, the sensitivity for one participation.
 * MATH section 6 */
#include "system.h"

#include <stdlib.h>
#include <string.h>

#include "bounds.h"

/* ---- construction -------------------------------------------------------------------------------------- */

static finf_status make(system_kind kind, const char *name, size_t n, size_t most, finf_system **out, finf_reason *why)
{
    *out = NULL;
    if (n < 1 || n > most) return finf_why(why, FINF_EDOM, "%s of %zu steps: must be from 1 to %zu", name, n, most);
    finf_system *s = calloc(1, sizeof *s);
    if (!s) return finf_why(why, FINF_ENOMEM, "no memory");
    s->kind = kind;
    s->facts = (finf_system_facts){.name = name,
                                   .n = n,
                                   .sens2 = finf_real_failed(),
                                   .error = finf_real_failed(),
                                   .loss = finf_real_failed(),
                                   .gamma_inf2 = finf_real_failed(),
                                   .lower = NAN,
                                   .seconds = finf_seconds(),
                                   .paper_generation = "",
                                   .paper_step = ""};
    *out = s;
    return FINF_OK;
}

static void set_table(finf_system *s, const char *matrix, int anytime, const char *generation, const char *step,
                      const char *paper_generation, const char *paper_step)
{
    s->facts.matrix = matrix;
    s->facts.anytime = anytime;
    s->facts.generation = generation;
    s->facts.step = step;
    s->facts.paper_generation = paper_generation;
    s->facts.paper_step = paper_step;
}

/* What facts.seconds is the time of. */
static const char *const TIMED[] = {[SYSTEM_TOEPLITZ] = "n coefficients beta, n of c",
                                    [SYSTEM_TREE] = "a weight for each height of the tree",
                                    [SYSTEM_HONAKER] = "a weight for each height of the tree",
                                    [SYSTEM_FULL_HONAKER] = "a weight for each height of the tree",
                                    [SYSTEM_FFT] = "n covariances of the prefix sums",
                                    [SYSTEM_ME] = "the optimum's n multipliers, not its matrix",
                                    [SYSTEM_EPOCHS] = "the optimum's n k multipliers, not its matrix"};

/* The last step of a construction; on failure *out is freed. */
static finf_status finish(finf_status status, finf_real sens2, finf_real error, finf_system **out)
{
    finf_system_facts *f = &(*out)->facts;
    if (status) {
        finf_system_free(*out);
        *out = NULL;
        return status;
    }
    f->seconds = finf_seconds() - f->seconds;
    f->timed = TIMED[(*out)->kind];
    f->sens2 = sens2;
    f->error = error;
    double loss = sens2.value * error.value, relative = sens2.error / sens2.value + error.error / error.value + FINF_EPS;
    f->loss = finf_real_make(loss, loss * relative, "sens2 * error");
    return FINF_OK;
}

void finf_system_free(finf_system *s)
{
    if (!s) return;
    factorization_free(&s->dense);
    epochs_free(&s->several);
    free(s->c);
    free(s->r);
    free(s);
}

finf_system_facts finf_system_describe(const finf_system *s) { return s->facts; }

finf_system_options finf_system_options_default(void) { return (finf_system_options){NULL, NULL}; }

static finf_real exactly(double value, const char *method) { return finf_real_make(value, 8 * FINF_EPS * value, method); }

/* ||A B||_F^2 = sum_t (n-t) a_t^2, a the prefix sums of beta. The error is that of the sums a_t, which cancel. */
static finf_real toeplitz_error(const double *beta, size_t n)
{
    long double sum = 0, off = 0;
    double a = 0, drift = 0;
    for (size_t t = 0; t < n; t++) {
        a += beta[t];
        drift += FINF_EPS * (0.5 * fabs(a) + 2 * fabs(beta[t]));
        sum += (long double)(n - t) * a * a;
        off += (long double)(n - t) * (2 * fabs(a) + drift) * drift;
    }
    return finf_real_make((double)sum, (double)off + 8 * FINF_EPS * (double)sum, "sum of squared prefix sums of beta");
}

static finf_status toeplitz_room(finf_system *s, finf_reason *why)
{
    size_t n = s->facts.n;
    s->c = malloc(2 * n * sizeof *s->c);
    if (!s->c) return finf_why(why, FINF_ENOMEM, "no memory for %zu steps", n);
    s->beta = s->c + n;
    return FINF_OK;
}

finf_status finf_system_toeplitz(const finf_noise *noise, size_t n, finf_system **out, finf_reason *why)
{
    const char *family = finf_noise_family(noise);
    finf_status status = make(SYSTEM_TOEPLITZ, family, n, FINF_SYSTEM_MAX, out, why);
    if (status) return status;
    finf_system *s = *out;
    int sgd = strcmp(family, "sgd") == 0, row = strcmp(family, "optimal-cc") == 0 || strcmp(family, "nu") == 0;
    set_table(s, sgd ? "identity" : "Toeplitz, lower triangular", 1, sgd ? "O(1)" : "O(n)",
              sgd ? "O(1)" : "O(n), or O(log^2 n) by FFT", sgd || row ? "O(1)" : "",
              sgd   ? "O(1)"
              : row ? "O(T)"
                    : "");
    status = toeplitz_room(s, why);
    if (!status) status = finf_noise_coef(noise, n, s->c, why);
    if (!status) status = finf_noise_beta(noise, n, s->beta, why);
    double started = s->facts.seconds, made = finf_seconds();
    finf_real sens2 = finf_real_failed();
    finf_sensitivity limit;
    if (!status) status = finf_noise_sensitivity_at(noise, n, &sens2, why);
    if (!status && !finf_noise_sensitivity(noise, &limit)) s->facts.gamma_inf2 = limit.gamma2;
    status = finish(status, sens2, status ? sens2 : toeplitz_error(s->beta, n), out);
    if (!status) s->facts.seconds = made - started;
    return status;
}

/* ---- nu for n steps ------------------------------------------------------------------------------------ */

typedef struct {
    double power;
    size_t n, k, b;
    double *column, *beta;
} tuning;

/* log of sens2 times error of (1-(1-nu)z)^p. c >= 0 never increases, so steps 0, b, 2b, .. are the worst participations. */
static finf_status tuned_loss(const tuning *x, double nu, double *loss)
{
    finf_noise *noise = NULL;
    double *c = x->beta; /* needed before beta */
    finf_status s = finf_noise_power(x->power, nu, &noise, NULL);
    if (!s) s = finf_noise_coef(noise, x->n, c, NULL);
    memset(x->column, 0, x->n * sizeof *x->column);
    for (size_t p = 0; p < x->k && !s; p++)
        for (size_t t = p * x->b; t < x->n; t++) x->column[t] += c[t - p * x->b];
    long double sens2 = 0;
    for (size_t t = 0; t < x->n; t++) sens2 += (long double)x->column[t] * x->column[t];
    if (!s) s = finf_noise_beta(noise, x->n, x->beta, NULL);
    if (!s) *loss = log((double)sens2 * toeplitz_error(x->beta, x->n).value);
    finf_noise_free(noise);
    return s;
}

#define TUNE_POINTS 4   /* a factor of ten */
#define TUNE_WIDTH 1e-4 /* of log nu: the loss is flat there to 1e-9 */

finf_status finf_system_tune(double power, size_t n, size_t k, size_t b, const finf_system_options *opt, double *nu,
                             finf_reason *why)
{
    *nu = NAN;
    if (!(power > 0 && power <= 1))
        return finf_why(why, FINF_EDOM, "power = %s: must be above 0 and at most 1", finf_show(power).s);
    if (n < 1 || n > FINF_SYSTEM_MAX)
        return finf_why(why, FINF_EDOM, "%zu steps: must be from 1 to %u", n, FINF_SYSTEM_MAX);
    if (k < 1 || b < 1) return finf_why(why, FINF_EDOM, "participations = %zu, separation = %zu: at least 1", k, b);
    tuning x = {power, n, k < (n + b - 1) / b ? k : (n + b - 1) / b, b, calloc(2 * n, sizeof(double)), NULL};
    if (!x.column) return finf_why(why, FINF_ENOMEM, "no memory for %zu steps", n);
    x.beta = x.column + n;
    /* a coarse grid on 1e-3/n .. 1, beyond which n steps cannot tell nu from 0; then golden section about its best */
    double step = log(10) / TUNE_POINTS, most = 0, least = -log(1e3 * (double)n), best = INFINITY, at = 0, here = INFINITY;
    finf_status s = FINF_OK;
    for (double u = most; u > least - step && !s; u -= step) {
        if (system_stopped(opt)) s = FINF_ETOL;
        if (!s) s = tuned_loss(&x, exp(u), &here);
        if (!s && here < best) best = here, at = u;
    }
    double lo = at - step, hi = fmin(at + step, most), ratio = (sqrt(5) - 1) / 2;
    double u[2] = {hi - ratio * (hi - lo), lo + ratio * (hi - lo)}, loss[2] = {INFINITY, INFINITY};
    for (int i = 0; i < 2 && !s; i++) s = tuned_loss(&x, exp(u[i]), &loss[i]);
    while (hi - lo > TUNE_WIDTH && !s) {
        int left = loss[0] < loss[1];
        if (left)
            hi = u[1], u[1] = u[0], loss[1] = loss[0], u[0] = hi - ratio * (hi - lo);
        else
            lo = u[0], u[0] = u[1], loss[0] = loss[1], u[1] = lo + ratio * (hi - lo);
        if (system_stopped(opt)) s = FINF_ETOL;
        if (!s) s = tuned_loss(&x, exp(u[!left]), &loss[!left]);
    }
    if (!s) *nu = fmin(loss[0], loss[1]) < best ? exp((lo + hi) / 2) : exp(at);
    free(x.column);
    if (s == FINF_ETOL) return finf_why(why, s, "stopped at the choice of nu");
    return s ? finf_why(why, s, "no memory for %zu steps", n) : FINF_OK;
}

/* ---- trees --------------------------------------------------------------------------------------------- */

/* The complete dyadic nodes in 0..n-1: a node of height h covers 2^h steps from a multiple of 2^h. Step i is in those of
 * heights 0..top(i). */
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

/* How many of 1..n have bit h. */
static double bit_count(size_t n, unsigned h)
{
    size_t period = (size_t)2 << h, rest = (n + 1) % period, half = period / 2;
    return (double)((n + 1) / period * half + (rest > half ? rest - half : 0));
}

/* Variance of a node of height h: 1 for its own measurement, and for the average of that with the sum of its two children
 * (weights inverse to the variances) V_h = 2V_{h-1}/(2V_{h-1}+1). V_h is also the weight of its own measurement. */
static double node_variance(int honaker, unsigned h)
{
    double V = 1;
    for (unsigned k = 0; k < h && honaker; k++) V = 2 * V / (2 * V + 1);
    return V;
}

static finf_status make_tree(int honaker, const char *name, size_t n, finf_system **out, finf_reason *why)
{
    finf_status status = make(honaker ? SYSTEM_HONAKER : SYSTEM_TREE, name, n, FINF_SYSTEM_MAX, out, why);
    if (status) return status;
    double error = 0;
    for (unsigned h = 0; h <= log2_floor(n); h++) error += bit_count(n, h) * node_variance(honaker, h);
    set_table(*out, "lower triangular", 1, "O(1)", "O(log n)", "O(1)", "O(log T)");
    return finish(FINF_OK, exactly(log2_floor(n) + 1, "nodes above a step"),
                  exactly(error, "binary digits of the prefixes"), out);
}

finf_status finf_system_tree(size_t n, finf_system **out, finf_reason *why) { return make_tree(0, "tree", n, out, why); }
finf_status finf_system_honaker(size_t n, finf_system **out, finf_reason *why)
{
    return make_tree(1, "honaker", n, out, why);
}

/* Full Honaker: K = (C'C)^{-1} =: Y. For a complete tree X_h = diag(X_{h-1}, X_{h-1}) + 11', so by Sherman-Morrison
 *   Y_h = diag(Y_{h-1}, Y_{h-1}) - y_{h-1}^2/(1 + 2 g_{h-1}) 11',
 *   Y_h 1 = y_h 1,  g_h = 1'Y_h 1 = 2 g_{h-1}/(1 + 2 g_{h-1}) = 2^h y_h.
 * drop[h] = y_{h-1}^2/(1 + 2 g_{h-1}); prefix[h] = sum over the 2^h prefixes p of p'Y_h p. */
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
        double half = ldexp(1, (int)h - 1), full = 2 * half, g = t.g[h - 1], y = g / half, d = y * y / (1 + 2 * g);
        t.g[h] = 2 * g / (1 + 2 * g);
        t.drop[h] = d;
        /* sum over m = 1..2^h of (p_m' diag(Y,Y) p_m - d m^2) */
        t.prefix[h] = 2 * t.prefix[h - 1] + half * g - d * full * (full + 1) * (2 * full + 1) / 6;
    }
    return t;
}

finf_status finf_system_full_honaker(size_t n, finf_system **out, finf_reason *why)
{
    finf_status status = make(SYSTEM_FULL_HONAKER, "full-honaker", n, FINF_SYSTEM_MAX, out, why);
    if (status) return status;
    unsigned top = log2_floor(n);
    honaker_table t = honaker_make(top);
    double error = 0, before = 0; /* X is block diagonal over the largest nodes, one for each binary digit of n */
    for (unsigned h = top + 1; h-- > 0;)
        if (n >> h & 1) {
            error += ldexp(before, (int)h) + t.prefix[h];
            before += t.g[h];
        }
    set_table(*out, "dense", 0, "O(n^2), or O(1) an entry", "O(n)", "O(T^2)", "O(T^2)");
    finf_real e = finf_real_make(error, 64 * FINF_EPS * error * (1 + top), "Sherman-Morrison up the tree");
    return finish(FINF_OK, exactly(top + 1, "nodes above a step"), e, out);
}

/* In-order numbering of the whole tree: the node of height h from step a has index 2a + 2^h - 1, and its subtree is the
 * 2^{h+1} - 1 indices about it. Adds scale * (the estimate of that node) to row, as a combination of the nodes'
 * measurements. */
static void add_node(int honaker, size_t a, unsigned h, double scale, double *row)
{
    double own = node_variance(honaker, h);
    row[2 * a + ((size_t)1 << h) - 1] += scale * own;
    if (h == 0 || !honaker) return;
    add_node(honaker, a, h - 1, scale * (1 - own), row);
    add_node(honaker, a + ((size_t)1 << (h - 1)), h - 1, scale * (1 - own), row);
}

/* The noise of step t (from 0) is prefix t+1 minus prefix t: the node N of height h that ends there, minus the nodes of
 * prefix t within it. It lives on N's subtree, so two steps are correlated only if one's N is in the other's. */
static finf_status tree_covariance(int honaker, size_t n, double *K)
{
    size_t nodes = 2 * n, total = 0, *from = malloc(3 * n * sizeof *from), *length = from ? from + n : NULL,
           *at = from ? length + n : NULL;
    double *row = calloc(nodes, sizeof *row), *kept = NULL;
    if (from)
        for (size_t t = 0; t < n; t++) {
            size_t low = (t + 1) & -(t + 1);
            from[t] = 2 * (t + 1 - low);
            length[t] = 2 * low - 1;
            at[t] = total;
            total += length[t];
        }
    kept = malloc((total + 1) * sizeof *kept);
    finf_status status = from && row && kept ? FINF_OK : FINF_ENOMEM;
    for (size_t t = 0; t < n && !status; t++) {
        size_t low = (t + 1) & -(t + 1), a = t + 1 - low;
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

/* ---- FFT ----------------------------------------------------------------------------------------------- */

/* |FFT(1..1,0..0)| of size 2n: n at 0, nothing at the even frequencies, 1/sin(pi k/2n) at the odd ones. r is its inverse
 * transform, and kappa = -(second difference of r) that of 4 sin(pi k/2n), odd k, which needs no subtraction. */
static finf_status fft_tables(size_t n, double *r, double *kappa)
{
    double complex *z = malloc((n + 1) * sizeof *z);
    double *x = malloc(2 * n * sizeof *x);
    finf_status status = z && x ? FINF_OK : FINF_ENOMEM;
    for (int second = 0; second < 2 && !status; second++) {
        for (size_t k = 0; k <= n; k++) {
            double sine = sin(FINF_PI * (double)k / (2 * (double)n));
            z[k] = k % 2 ? (second ? 4 * sine : 1 / sine) : k || second ? 0 : (double)n;
        }
        status = series_untransform(z, 2 * n, x);
        memcpy(second ? kappa : r, x, n * sizeof *x);
    }
    free(z);
    free(x);
    return status;
}

finf_status finf_system_fft(size_t n, finf_system **out, finf_reason *why)
{
    finf_status status = make(SYSTEM_FFT, "fft", n, FINF_SYSTEM_MAX, out, why);
    if (status) return status;
    finf_system *s = *out;
    set_table(s, "dense (Toeplitz on prefix sums)", 0, "O(n log n)", "O(n)", "O(1)", "O(T log^2 T)");
    s->r = malloc(2 * n * sizeof *s->r);
    status = s->r ? fft_tables(n, s->r, s->r + n) : FINF_ENOMEM;
    if (status) finf_why(why, status, "no memory for %zu steps", n);
    long double sum = (long double)n;
    for (size_t k = 1; k < 2 * n; k += 2) sum += 1 / sin(FINF_PI * (double)(k < n ? k : 2 * n - k) / (2 * (double)n));
    double mean = (double)(sum / (2 * (long double)n));
    return finish(status, exactly(mean, "mean modulus"), exactly((double)n * mean, "mean modulus"), out);
}

/* ---- optimal factorisations ---------------------------------------------------------------------------- */

#define ME_MAX 200000

finf_status finf_system_me(size_t n, const finf_system_options *opt, finf_system **out, finf_reason *why)
{
    finf_status status = make(SYSTEM_ME, "me", n, ME_MAX, out, why);
    if (status) return status;
    finf_system *s = *out;
    set_table(s, "lower triangular, dense", 0, "O(n) an iteration, O(n^2) the matrix", "O(n)", "O(T^3)", "O(T^2)");
    s->facts.participations = 1;
    s->facts.separation = n;
    status = factorization_make(n, opt, &s->dense, why);
    s->facts.lower = s->dense.lower;
    s->facts.iterations = s->dense.iterations;
    double error = s->dense.error;
    finf_real e = finf_real_make(error, fabs(error - s->dense.lower) + 64 * FINF_EPS * fabs(error),
                                 "fixed point, rational square root");
    return finish(status, exactly(1, "normalised"), e, out);
}

finf_status finf_system_epochs(size_t n, size_t b, const finf_system_options *opt, finf_system **out, finf_reason *why)
{
    *out = NULL;
    if (b < 1) return finf_why(why, FINF_EDOM, "epochs of %zu steps: at least 1", b);
    if (b >= n) return finf_system_me(n, opt, out, why);
    size_t k = (n + b - 1) / b;
    finf_status status = make(SYSTEM_EPOCHS, "me", n, FINF_SYSTEM_DENSE_MAX, out, why);
    if (status) return status;
    finf_system *s = *out;
    set_table(s, "lower triangular, dense", 0, "O(n k^2) an iteration, O(n^2 k) the matrix", "O(n)", "", "");
    s->facts.participations = k;
    s->facts.separation = b;
    if ((double)n * (double)k * (double)k > FINF_SYSTEM_EPOCHS_MAX)
        status = finf_why(why, FINF_EDOM, "%zu epochs of %zu steps: n k^2 = %.3g, at most %.3g", k, b,
                          (double)n * (double)k * (double)k, FINF_SYSTEM_EPOCHS_MAX);
    else
        status = epochs_make(n, b, opt, &s->several, why);
    s->facts.lower = s->several.lower;
    s->facts.iterations = s->several.iterations;
    double error = s->several.error;
    finf_real e = finf_real_make(error, fabs(error - s->several.lower) + 1e-13 * fabs(error),
                                 "fixed point by classes, rational square root");
    return finish(status, finf_real_make(s->several.one, 1e-13 * s->several.one, "diagonal"), e, out);
}

static finf_status make_banded(int optimal, const char *name, size_t n, size_t bands, const finf_system_options *opt,
                               finf_system **out, finf_reason *why)
{
    *out = NULL;
    if (bands < 1) return finf_why(why, FINF_EDOM, "%s of %zu bands: at least 1", name, bands);
    finf_status status = make(SYSTEM_TOEPLITZ, name, n, FINF_SYSTEM_MAX, out, why);
    if (status) return status;
    finf_system *s = *out;
    if (bands > n) bands = n;
    s->facts.bands = bands;
    set_table(s, "Toeplitz, lower triangular; C banded", !optimal, optimal ? "O(n bands) an iteration" : "O(bands)",
              "O(bands)", "", "");
    status = toeplitz_room(s, why);
    double sens2 = 0;
    if (!status) {
        memset(s->c, 0, n * sizeof *s->c);
        s->c[0] = 1;
        for (size_t t = 1; t < bands; t++) s->c[t] = s->c[t - 1] * (2 * (double)t - 1) / (2 * (double)t);
        if (optimal) status = factorization_banded(n, bands, opt, s->c, &s->facts.iterations, why);
    }
    if (!status) status = finf_series_inverse(s->c, bands, n, s->beta, why);
    for (size_t t = 0; t < bands && !status; t++) sens2 += s->c[t] * s->c[t];
    s->facts.gamma_inf2 = exactly(sens2, "sum of squares");
    return finish(status, exactly(sens2, "sum of squares"), status ? finf_real_failed() : toeplitz_error(s->beta, n), out);
}

finf_status finf_system_banded(size_t n, size_t bands, const finf_system_options *opt, finf_system **out, finf_reason *why)
{
    return make_banded(1, "banded", n, bands, opt, out, why);
}
finf_status finf_system_banded_sqrt(size_t n, size_t bands, finf_system **out, finf_reason *why)
{
    return make_banded(0, "banded-sqrt", n, bands, NULL, out, why);
}

/* ---- the matrices -------------------------------------------------------------------------------------- */

finf_status system_check_dense(const finf_system *s, finf_reason *why)
{
    if (s->facts.n <= FINF_SYSTEM_DENSE_MAX) return FINF_OK;
    return finf_why(why, FINF_EDOM, "%s of %zu steps: a matrix is needed, for which %u steps are the most", s->facts.name,
                    s->facts.n, FINF_SYSTEM_DENSE_MAX);
}

static void mirror(size_t n, double *M)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) M[i * n + j] = M[j * n + i];
}

static finf_status matrix_failed(const finf_system *s, finf_status status, finf_reason *why)
{
    return status == FINF_ETOL ? finf_why(why, status, "stopped at the matrix of %s", s->facts.name)
                               : finf_why(why, status, "no memory for %zu steps", s->facts.n);
}

finf_status system_gram(const finf_system *s, const finf_system_options *o, double *X, finf_reason *why)
{
    size_t n = s->facts.n;
    finf_status status = system_check_dense(s, why);
    if (status) return status;
    switch (s->kind) {
    case SYSTEM_TOEPLITZ: /* X_ij = sum_{t < n-j} c_t c_{t+j-i}: each diagonal from its end */
        for (size_t i = n; i-- > 0;)
            for (size_t j = i; j < n; j++) {
                double below = j + 1 < n ? X[(i + 1) * n + j + 1] : 0;
                X[i * n + j] = below + s->c[n - 1 - j] * s->c[n - 1 - i];
            }
        break;
    case SYSTEM_TREE:
    case SYSTEM_HONAKER:
    case SYSTEM_FULL_HONAKER: /* how many nodes have both */
        for (size_t i = 0; i < n; i++) {
            unsigned top = tree_top(n, i);
            for (size_t j = i; j < n; j++) {
                unsigned meet = tree_meet(i, j);
                X[i * n + j] = meet <= top ? top - meet + 1 : 0;
            }
        }
        break;
    case SYSTEM_FFT:
        for (size_t i = 0; i < n; i++)
            for (size_t j = i; j < n; j++) X[i * n + j] = s->r[j - i];
        break;
    case SYSTEM_ME: status = factorization_gram(&s->dense, o, X); break;
    case SYSTEM_EPOCHS: status = epochs_gram(&s->several, o, X); break;
    }
    if (status) return matrix_failed(s, status, why);
    mirror(n, X);
    return FINF_OK;
}

finf_status system_covariance(const finf_system *s, const finf_system_options *o, double *K, finf_reason *why)
{
    size_t n = s->facts.n;
    finf_status status = system_check_dense(s, why);
    if (status) return status;
    switch (s->kind) {
    case SYSTEM_TOEPLITZ:
        for (size_t i = 0; i < n; i++)
            for (size_t j = i; j < n; j++) K[i * n + j] = (i ? K[(i - 1) * n + j - 1] : 0) + s->beta[i] * s->beta[j];
        break;
    case SYSTEM_TREE: status = tree_covariance(0, n, K); break;
    case SYSTEM_HONAKER: status = tree_covariance(1, n, K); break;
    case SYSTEM_FULL_HONAKER: {
        honaker_table t = honaker_make(log2_floor(n));
        for (size_t i = 0; i < n; i++) {
            unsigned top = tree_top(n, i);
            for (size_t j = i; j < n; j++) {
                double sum = i == j;
                for (unsigned h = top; h >= 1 && h >= tree_meet(i, j); h--) sum -= t.drop[h];
                K[i * n + j] = sum;
            }
        }
        break;
    }
    case SYSTEM_FFT: /* the prefix sums' noise has covariance r_|t-s|; that of the steps is its difference in both */
        for (size_t i = 0; i < n; i++)
            for (size_t j = i; j < n; j++) K[i * n + j] = i ? s->r[n + j - i] : j ? s->r[j] - s->r[j - 1] : s->r[0];
        break;
    case SYSTEM_ME: status = factorization_covariance(&s->dense, o, K); break;
    case SYSTEM_EPOCHS: status = epochs_covariance(&s->several, o, K); break;
    }
    if (status) return matrix_failed(s, status, why);
    mirror(n, K);
    return FINF_OK;
}

finf_status finf_system_gram(const finf_system *s, double *X, finf_reason *why) { return system_gram(s, NULL, X, why); }
finf_status finf_system_covariance(const finf_system *s, double *K, finf_reason *why)
{
    return system_covariance(s, NULL, K, why);
}

FINF_VECTOR static double dot(const double *x, const double *y, size_t n)
{
    double sum[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; k++) sum[k] += x[i + k] * y[i + k];
    for (; i < n; i++) sum[i % 8] += x[i] * y[i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

#define CHOLESKY_ROWS 16

finf_status finf_system_noising(const finf_system *s, const finf_system_options *opt, double *B, finf_reason *why)
{
    size_t n = s->facts.n;
    finf_status status = system_check_dense(s, why);
    if (status) return status;
    if (s->kind == SYSTEM_TOEPLITZ) {
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) B[i * n + j] = j <= i ? s->beta[i - j] : 0;
        return FINF_OK;
    }
    status = system_covariance(s, opt, B, why);
    /* Cholesky by rows, a few at a time so that each earlier row is read once for all of them */
    for (size_t from = 0; from < n && !status; from += CHOLESKY_ROWS) {
        size_t end = from + CHOLESKY_ROWS < n ? from + CHOLESKY_ROWS : n;
        if (system_stopped(opt)) return matrix_failed(s, FINF_ETOL, why);
        for (size_t j = 0; j < end && !status; j++) {
            double *above = B + j * n;
            if (j >= from) {
                double square = above[j] - dot(above, above, j);
                if (!(square > 0))
                    status = finf_why(why, FINF_ETOL,
                                      "%s of %zu steps: the noise's covariance is singular to rounding at step %zu",
                                      s->facts.name, n, j);
                above[j] = sqrt(square);
                memset(above + j + 1, 0, (n - j - 1) * sizeof *above);
            }
            for (size_t i = j < from ? from : j + 1; i < end; i++)
                B[i * n + j] = (B[i * n + j] - dot(B + i * n, above, j)) / above[j];
        }
    }
    return status;
}
