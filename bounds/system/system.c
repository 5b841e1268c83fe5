/* The matrix mechanisms of the paper's table of variants: their Gram matrix X = C'C, the covariance
 * K of the noise of n steps, the error of the prefix sums, the sensitivity for one participation;
 * and draws of their noise. (theory 6.1, 6.3, 6.7; the trees of 6.2 and the optima of 6.4 are in
 * files of their own) */
#include "system.h"

#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "dense.h"
#include "minimise.h"

/* ---- construction ---------------------------------------------------------------------------- */

/* A system of n <= `most` steps of which nothing is known yet. The clock runs from here: `seconds`
 * has the time of the start until system_finish() turns it into a duration. */
finf_status system_begin(system_kind kind, const char *name, size_t n, size_t most,
                         finf_system **out, finf_reason *why)
{
    *out = NULL;
    if (n < 1 || n > most)
        return finf_why(why, FINF_EDOM, "%s of %zu steps: must be from 1 to %zu", name, n, most);
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

/* A row of the table of variants: the shape of the system's matrix, whether it can go on beyond
 * n, the cost of making it and of a step, here and in the paper's own table. */
void system_table(finf_system *s, const char *matrix, int anytime, const char *generation,
                  const char *step, const char *paper_generation, const char *paper_step)
{
    s->facts.matrix = matrix;
    s->facts.anytime = anytime;
    s->facts.generation = generation;
    s->facts.step = step;
    s->facts.paper_generation = paper_generation;
    s->facts.paper_step = paper_step;
}

/* What was made in the time that facts.seconds gives. */
static const char *const TIMED[] = {
    [SYSTEM_TOEPLITZ] = "n coefficients beta, n of c",
    [SYSTEM_TREE] = "a weight for each height of the tree",
    [SYSTEM_HONAKER] = "a weight for each height of the tree",
    [SYSTEM_FULL_HONAKER] = "a weight for each height of the tree",
    [SYSTEM_FFT] = "n covariances of the prefix sums",
    [SYSTEM_ME] = "the optimum's n multipliers, not its matrix",
    [SYSTEM_EPOCHS] = "the optimum's n k multipliers, not its matrix",
    [SYSTEM_MATRIX] = "the inverse of the matrix"};

/* The last step of a construction: stops the clock and fills in sens^2, error and their product,
 * the loss. If `status` is a failure *out is freed, and the status returned. */
finf_status system_finish(finf_status status, finf_real sens2, finf_real error, finf_system **out)
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
    double loss = sens2.value * error.value,
           relative = sens2.error / sens2.value + error.error / error.value + FINF_EPS;
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
    free(s->C);
    free(s);
}

finf_system_facts finf_system_describe(const finf_system *s) { return s->facts; }

finf_system_options finf_system_options_default(void)
{
    return (finf_system_options){.cancel = {NULL, NULL}};
}

/* A value that was computed by a handful of operations. */
static finf_real exactly(double value, const char *method)
{
    return finf_real_make(value, 8 * FINF_EPS * value, method);
}

/* ||A B||_F^2 = sum_t (n-t) a_t^2, a the prefix sums of beta (theory 6.1). These cancel, and
 * `drift` is the rounding error of a_t so far. */
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
    return finf_real_make((double)sum, (double)off + 8 * FINF_EPS * (double)sum,
                          "sum of squared prefix sums of beta");
}

/* Room for c and beta, in one allocation. */
static finf_status toeplitz_room(finf_system *s, finf_reason *why)
{
    size_t n = s->facts.n;
    s->c = malloc(2 * n * sizeof *s->c);
    if (!s->c) return finf_why(why, FINF_ENOMEM, "no memory for %zu steps", n);
    s->beta = s->c + n;
    return FINF_OK;
}

finf_status finf_system_toeplitz(const finf_noise *noise, size_t n, finf_system **out,
                                 finf_reason *why)
{
    const char *family = finf_noise_family(noise);
    finf_status status = system_begin(SYSTEM_TOEPLITZ, family, n, FINF_SYSTEM_MAX, out, why);
    if (status) return status;
    finf_system *s = *out;
    int sgd = strcmp(family, "sgd") == 0,
        row = strcmp(family, "cc") == 0 || strcmp(family, "nu") == 0;
    system_table(s, sgd ? "identity" : "Toeplitz, lower triangular", 1, sgd ? "O(1)" : "O(n)",
                 noise_step_cost(noise), sgd || row ? "O(1)" : "",
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
    status = system_finish(status, sens2, status ? sens2 : toeplitz_error(s->beta, n), out);
    if (!status) s->facts.seconds = made - started;
    return status;
}

/* ---- nu for n steps -------------------------------------------------------------------------- */

/* Whose loss is made least. */
typedef struct {
    double power; /* p of (1-(1-nu)z)^p */
    size_t n;     /* steps */
    size_t k;     /* participations of a user, */
    size_t b;     /* b steps apart */
    double *c;    /* room for c_0..c_{n-1} if k > 1, else NULL */
    const finf_system_options *opt;
} tuning;

/* log(sens^2 error) of (1-(1-nu)z)^p over n steps, to the few digits that a comparison needs: beta
 * and c by their recursions (theory 1.2). c >= 0 never increases, so the steps 0, b, 2b, .. are the
 * worst participations (theory 6.5). */
static finf_status tuned_loss(double log_nu, void *data, double *loss)
{
    const tuning *x = data;
    if (system_stopped(x->opt)) return FINF_ETOL;
    double nu = exp(log_nu), c = 1, beta = 1, prefix = 1, error = (double)x->n, sens2 = 1,
           p = x->power;
    if (x->c) x->c[0] = 1;
    for (size_t t = 1; t < x->n; t++) {
        double damp = (1 - nu) / (double)t, before = (double)(t - 1);
        c *= (before + p) * damp;
        beta *= (before - p) * damp;
        if (c < 1e-150) c = 0; /* what follows would soon be subnormal, which is slow */
        if (fabs(beta) < 1e-150) beta = 0;
        prefix += beta;
        error += (double)(x->n - t) * prefix * prefix;
        double column = c;
        for (size_t q = 1; x->c && q < x->k && q * x->b <= t; q++) column += x->c[t - q * x->b];
        sens2 += column * column;
        if (x->c) x->c[t] = c;
    }
    *loss = log(sens2 * error);
    return FINF_OK;
}

#define TUNE_POINTS 4   /* a factor of ten */
#define TUNE_KNOWN 1e-5 /* of log nu: the loss is flat there to 1e-10 */

finf_status finf_system_tune(double power, size_t n, size_t k, size_t b,
                             const finf_system_options *opt, double *nu, finf_reason *why)
{
    *nu = NAN;
    if (!(power > 0 && power <= 1))
        return finf_why(why, FINF_EDOM, "power = %s: must be above 0 and at most 1",
                        finf_show(power).s);
    if (n < 1 || n > FINF_SYSTEM_MAX)
        return finf_why(why, FINF_EDOM, "%zu steps: must be from 1 to %u", n, FINF_SYSTEM_MAX);
    if (k < 1 || b < 1)
        return finf_why(why, FINF_EDOM, "participations = %zu, separation = %zu: at least 1", k, b);
    tuning x = {power, n, k < (n + b - 1) / b ? k : (n + b - 1) / b, b, NULL, opt};
    if (x.k > 1 && !(x.c = malloc(n * sizeof *x.c)))
        return finf_why(why, FINF_ENOMEM, "no memory for %zu steps", n);
    /* below 1e-3/n, n steps cannot tell nu from 0 */
    double log_nu;
    finf_status status = minimise(tuned_loss, &x, 0, -log(1e3 * (double)n), log(10) / TUNE_POINTS,
                                  TUNE_KNOWN, &log_nu);
    free(x.c);
    if (status) return finf_why(why, status, "stopped at the choice of nu");
    *nu = exp(log_nu);
    return FINF_OK;
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* theory 6.2, either of the two trees that are decoded node by node. */
static finf_status make_tree(int honaker, const char *name, size_t n, finf_system **out,
                             finf_reason *why)
{
    finf_status status = system_begin(honaker ? SYSTEM_HONAKER : SYSTEM_TREE, name, n,
                                      FINF_SYSTEM_MAX, out, why);
    if (status) return status;
    double error = tree_error(honaker, n);
    system_table(*out, "lower triangular", 1, "O(1)", "O(log n)", "O(1)", "O(log T)");
    return system_finish(FINF_OK, exactly(tree_sens2(n), "nodes above a step"),
                         exactly(error, "binary digits of the prefixes"), out);
}

finf_status finf_system_tree(size_t n, finf_system **out, finf_reason *why)
{
    return make_tree(0, "tree", n, out, why);
}
finf_status finf_system_honaker(size_t n, finf_system **out, finf_reason *why)
{
    return make_tree(1, "honaker", n, out, why);
}

finf_status finf_system_full_honaker(size_t n, finf_system **out, finf_reason *why)
{
    finf_status status = system_begin(SYSTEM_FULL_HONAKER, "full-honaker", n, FINF_SYSTEM_MAX, out,
                                      why);
    if (status) return status;
    double error = full_honaker_error(n), sens2 = tree_sens2(n);
    system_table(*out, "dense", 0, "O(n^2), or O(1) an entry", "O(n)", "O(T^2)", "O(T^2)");
    finf_real e = finf_real_make(error, 64 * FINF_EPS * error * sens2,
                                 "Sherman-Morrison up the tree");
    return system_finish(FINF_OK, exactly(sens2, "nodes above a step"), e, out);
}

/* ---- FFT ------------------------------------------------------------------------------------- */

/* The circulant of theory 6.3 has eigenvalues of modulus n at the frequency 0, 0 at the other even
 * ones and 1/sin(pi k/2n) at the odd ones. r is the inverse transform of these. kappa_t =
 * -(r_{t-1} - 2 r_t + r_{t+1}) is the inverse transform of 4 sin(pi k/2n) over odd k, and computed
 * as such it needs no subtraction. n entries of each. */
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

/* theory 6.3: sens^2 = r_0, the mean modulus of the eigenvalues, and error = n r_0. */
finf_status finf_system_fft(size_t n, finf_system **out, finf_reason *why)
{
    finf_status status = system_begin(SYSTEM_FFT, "fft", n, FINF_SYSTEM_MAX, out, why);
    if (status) return status;
    finf_system *s = *out;
    system_table(s, "dense (Toeplitz on prefix sums)", 0, "O(n log n)", "O(n)", "O(1)",
                 "O(T log^2 T)");
    s->r = malloc(2 * n * sizeof *s->r);
    status = s->r ? fft_tables(n, s->r, s->r + n) : FINF_ENOMEM;
    if (status) finf_why(why, status, "no memory for %zu steps", n);
    long double sum = (long double)n;
    for (size_t k = 1; k < 2 * n; k += 2)
        sum += 1 / sin(FINF_PI * (double)(k < n ? k : 2 * n - k) / (2 * (double)n));
    double mean = (double)(sum / (2 * (long double)n));
    return system_finish(status, exactly(mean, "mean modulus"),
                         exactly((double)n * mean, "mean modulus"), out);
}

/* ---- optimal factorisations ------------------------------------------------------------------ */

#define ME_MAX 200000 /* steps: the iteration takes a kilobyte for each */

/* theory 6.4, one participation. The claimed error of the loss is the distance to the dual value.
 */
finf_status finf_system_me(size_t n, const finf_system_options *opt, finf_system **out,
                           finf_reason *why)
{
    finf_status status = system_begin(SYSTEM_ME, "me", n, ME_MAX, out, why);
    if (status) return status;
    finf_system *s = *out;
    system_table(s, "lower triangular, dense", 0, "O(n) an iteration, O(n^2) the matrix", "O(n)",
                 "O(T^3)", "O(T^2)");
    s->facts.participations = 1;
    s->facts.separation = n;
    status = factorization_make(n, opt, &s->dense, why);
    s->facts.lower = s->dense.lower;
    /* 2 tr - sum of numbers of its own size, each known as the loss is */
    s->facts.lower_error = 3 * 64 * FINF_EPS * fabs(s->dense.lower);
    s->facts.iterations = s->dense.iterations;
    double error = s->dense.error;
    finf_real e = finf_real_make(error, fabs(error - s->dense.lower) + 64 * FINF_EPS * fabs(error),
                                 "fixed point, rational square root");
    return system_finish(status, exactly(1, "normalised"), e, out);
}

/* theory 6.4, a participation in every epoch of b steps; a single epoch is finf_system_me. */
finf_status finf_system_epochs(size_t n, size_t b, const finf_system_options *opt,
                               finf_system **out, finf_reason *why)
{
    *out = NULL;
    if (b < 1) return finf_why(why, FINF_EDOM, "epochs of %zu steps: at least 1", b);
    if (b >= n) return finf_system_me(n, opt, out, why);
    size_t k = (n + b - 1) / b;
    finf_status status = system_begin(SYSTEM_EPOCHS, "me", n, FINF_SYSTEM_DENSE_MAX, out, why);
    if (status) return status;
    finf_system *s = *out;
    system_table(s, "lower triangular, dense", 0, "O(n k^2) an iteration, O(n^2 k) the matrix",
                 "O(n)", "", "");
    s->facts.participations = k;
    s->facts.separation = b;
    if ((double)n * (double)k * (double)k > FINF_SYSTEM_EPOCHS_MAX)
        status = finf_why(why, FINF_EDOM, "%zu epochs of %zu steps: n k^2 = %.3g, at most %.3g", k,
                          b, (double)n * (double)k * (double)k, FINF_SYSTEM_EPOCHS_MAX);
    else
        status = epochs_make(n, b, opt, &s->several, why);
    s->facts.lower = s->several.lower;
    s->facts.lower_error = 3e-13 * fabs(s->several.lower); /* T^2/V, each known as the loss is */
    s->facts.iterations = s->several.iterations;
    double error = s->several.error;
    finf_real e = finf_real_make(error, fabs(error - s->several.lower) + 1e-13 * fabs(error),
                                 "fixed point by classes, rational square root");
    return system_finish(status, finf_real_make(s->several.one, 1e-13 * s->several.one, "diagonal"),
                         e, out);
}

/* theory 6.7: C with the first `bands` coefficients of (1-z)^{-1/2}, or, if `optimal`, the best
 * coefficients that are found from there. */
static finf_status make_banded(int optimal, const char *name, size_t n, size_t bands,
                               const finf_system_options *opt, finf_system **out, finf_reason *why)
{
    *out = NULL;
    if (bands < 1) return finf_why(why, FINF_EDOM, "%s of %zu bands: at least 1", name, bands);
    finf_status status = system_begin(SYSTEM_TOEPLITZ, name, n, FINF_SYSTEM_MAX, out, why);
    if (status) return status;
    finf_system *s = *out;
    if (bands > n) bands = n;
    s->facts.bands = bands;
    system_table(s, "Toeplitz, lower triangular; C banded", !optimal,
                 optimal ? "O(n bands) an iteration" : "O(bands)", "O(bands)", "", "");
    status = toeplitz_room(s, why);
    double sens2 = 0;
    if (!status) {
        memset(s->c, 0, n * sizeof *s->c);
        s->c[0] = 1;
        for (size_t t = 1; t < bands; t++)
            s->c[t] = s->c[t - 1] * (2 * (double)t - 1) / (2 * (double)t);
        if (optimal) status = factorization_banded(n, bands, opt, s->c, &s->facts.iterations, why);
    }
    if (!status) status = finf_series_inverse(s->c, bands, n, s->beta, why);
    for (size_t t = 0; t < bands && !status; t++) sens2 += s->c[t] * s->c[t];
    s->facts.gamma_inf2 = exactly(sens2, "sum of squares");
    return system_finish(status, exactly(sens2, "sum of squares"),
                         status ? finf_real_failed() : toeplitz_error(s->beta, n), out);
}

finf_status finf_system_banded(size_t n, size_t bands, const finf_system_options *opt,
                               finf_system **out, finf_reason *why)
{
    return make_banded(1, "banded", n, bands, opt, out, why);
}
finf_status finf_system_banded_sqrt(size_t n, size_t bands, finf_system **out, finf_reason *why)
{
    return make_banded(0, "banded-sqrt", n, bands, NULL, out, why);
}

/* ---- the matrices ---------------------------------------------------------------------------- */

finf_status system_check_dense(const finf_system *s, finf_reason *why)
{
    if (s->facts.n <= FINF_SYSTEM_DENSE_MAX) return FINF_OK;
    return finf_why(why, FINF_EDOM,
                    "%s of %zu steps: a matrix is needed, for which %u steps are the most",
                    s->facts.name, s->facts.n, FINF_SYSTEM_DENSE_MAX);
}

/* Fills the lower triangle from the upper one. */
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

finf_status system_gram(const finf_system *s, const finf_system_options *o, double *X,
                        finf_reason *why)
{
    size_t n = s->facts.n;
    finf_status status = system_check_dense(s, why);
    if (status) return status;
    switch (s->kind) {
    case SYSTEM_TOEPLITZ: /* X_ij = sum_{t<n-j} c_t c_{t+j-i}: each diagonal adds up from its end */
        for (size_t i = n; i-- > 0;)
            for (size_t j = i; j < n; j++) {
                double below = j + 1 < n ? X[(i + 1) * n + j + 1] : 0;
                X[i * n + j] = below + s->c[n - 1 - j] * s->c[n - 1 - i];
            }
        break;
    case SYSTEM_TREE:
    case SYSTEM_HONAKER:
    case SYSTEM_FULL_HONAKER: tree_gram(n, X); break;
    case SYSTEM_FFT:
        for (size_t i = 0; i < n; i++)
            for (size_t j = i; j < n; j++) X[i * n + j] = s->r[j - i];
        break;
    case SYSTEM_ME: status = factorization_gram(&s->dense, o, X); break;
    case SYSTEM_EPOCHS: status = epochs_gram(&s->several, o, X); break;
    case SYSTEM_MATRIX: status = matrix_gram(s, X); break;
    }
    if (status) return matrix_failed(s, status, why);
    mirror(n, X);
    return FINF_OK;
}

finf_status system_covariance(const finf_system *s, const finf_system_options *o, double *K,
                              finf_reason *why)
{
    size_t n = s->facts.n;
    finf_status status = system_check_dense(s, why);
    if (status) return status;
    switch (s->kind) {
    case SYSTEM_TOEPLITZ: /* K_ij = sum_{t<=i} beta_t beta_{t+j-i}: each adds up from its start */
        for (size_t i = 0; i < n; i++)
            for (size_t j = i; j < n; j++)
                K[i * n + j] = (i ? K[(i - 1) * n + j - 1] : 0) + s->beta[i] * s->beta[j];
        break;
    case SYSTEM_TREE: status = tree_covariance(0, n, K); break;
    case SYSTEM_HONAKER: status = tree_covariance(1, n, K); break;
    case SYSTEM_FULL_HONAKER: full_honaker_covariance(n, K); break;
    case SYSTEM_FFT: /* the noise of the prefix sums has the covariance r_|t-s|, and K is the
                        difference of that in both t and s */
        for (size_t i = 0; i < n; i++)
            for (size_t j = i; j < n; j++)
                K[i * n + j] = i ? s->r[n + j - i] : j ? s->r[j] - s->r[j - 1] : s->r[0];
        break;
    case SYSTEM_ME: status = factorization_covariance(&s->dense, o, K); break;
    case SYSTEM_EPOCHS: status = epochs_covariance(&s->several, o, K); break;
    case SYSTEM_MATRIX: status = matrix_covariance(s, K); break;
    }
    if (status) return matrix_failed(s, status, why);
    mirror(n, K);
    return FINF_OK;
}

finf_status finf_system_gram(const finf_system *s, double *X, finf_reason *why)
{
    return system_gram(s, NULL, X, why);
}
finf_status finf_system_covariance(const finf_system *s, double *K, finf_reason *why)
{
    return system_covariance(s, NULL, K, why);
}

/* The lower triangular B with B B' = K, whose inverse is a strategy C with C'C = X (theory 6.1):
 * for Toeplitz systems the coefficients themselves, else Cholesky's factor of K, in K's place.
 * FINF_ETOL: cancelled, or K is singular to rounding. */
finf_status finf_system_noising(const finf_system *s, const finf_system_options *opt, double *B,
                                finf_reason *why)
{
    size_t n = s->facts.n;
    finf_status status = system_check_dense(s, why);
    if (status) return status;
    if (s->kind == SYSTEM_TOEPLITZ) {
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) B[i * n + j] = j <= i ? s->beta[i - j] : 0;
        return FINF_OK;
    }
    if (s->kind == SYSTEM_MATRIX) {
        memcpy(B, s->B, n * n * sizeof *B);
        return FINF_OK;
    }
    status = system_covariance(s, opt, B, why);
    if (status) return status;
    size_t singular;
    status = dense_cholesky(B, n, opt ? opt->cancel : (finf_cancel){NULL, NULL}, &singular);
    if (status && singular == n) return matrix_failed(s, status, why);
    if (status)
        return finf_why(why, status,
                        "%s of %zu steps: the noise's covariance is singular to rounding at step "
                        "%zu",
                        s->facts.name, n, singular);
    for (size_t i = 0; i < n; i++) /* B = U' */
        for (size_t j = i + 1; j < n; j++) {
            B[j * n + i] = B[i * n + j];
            B[i * n + j] = 0;
        }
    return FINF_OK;
}

/* ---- noise ----------------------------------------------------------------------------------- */

/* z_t = sum_i beta_i w_{t-i}, t < n: term by term where at most 32 coefficients are not 0 (sgd,
 * antipgd, a short fir), by FFT where there are more. */
static finf_status toeplitz_draw(const double *beta, size_t n, const double *w, double *z)
{
    size_t taps = n;
    while (taps > 1 && beta[taps - 1] == 0) taps--;
    if (taps > 32) return series_multiply(beta, w, n, z);
    for (size_t t = 0; t < n; t++) {
        z[t] = 0;
        for (size_t i = 0; i < taps && i <= t; i++) z[t] += beta[i] * w[t - i];
    }
    return FINF_OK;
}

/* The first n entries of P = |circulant|^{1/2} w, w of 2n normals, have the covariance r_|t-s| of
 * the noise of the prefix sums; z are its differences. */
static finf_status fft_draw(size_t n, double *w, double *z)
{
    double complex *x = malloc((n + 1) * sizeof *x);
    finf_status s = x ? series_transform(w, 2 * n, 2 * n, x) : FINF_ENOMEM;
    for (size_t k = 0; k <= n && !s; k++)
        x[k] *= k % 2 ? sqrt(1 / sin(FINF_PI * (double)k / (2 * (double)n)))
                : k   ? 0
                      : sqrt((double)n);
    if (!s) s = series_untransform(x, 2 * n, w);
    for (size_t t = 0; t < n && !s; t++) z[t] = t ? w[t] - w[t - 1] : w[t];
    free(x);
    return s;
}

/* z = B w, for systems that have nothing but their matrix. */
static finf_status dense_draw(const finf_system *s, const finf_system_options *opt, const double *w,
                              double *z, finf_reason *why)
{
    size_t n = s->facts.n;
    finf_status status = system_check_dense(s, why);
    if (status) return status;
    double *B = malloc(n * n * sizeof *B);
    status = B ? finf_system_noising(s, opt, B, why)
               : finf_why(why, FINF_ENOMEM, "no memory for %zu steps", n);
    for (size_t t = 0; t < n && !status; t++) z[t] = dense_dot(B + t * n, w, t + 1);
    free(B);
    return status;
}

finf_status finf_system_draw(const finf_system *s, const finf_system_options *opt, const double *w,
                             double *z, finf_reason *why)
{
    size_t n = s->facts.n;
    if (s->kind == SYSTEM_ME || s->kind == SYSTEM_EPOCHS) return dense_draw(s, opt, w, z, why);
    if (s->kind == SYSTEM_MATRIX) {
        for (size_t t = 0; t < n; t++) z[t] = dense_dot(s->B + t * n, w, t + 1);
        return FINF_OK;
    }
    finf_status status = FINF_OK;
    double *copy = malloc(2 * n * sizeof *copy);
    if (!copy) return finf_why(why, FINF_ENOMEM, "no memory for %zu steps", n);
    memcpy(copy, w, 2 * n * sizeof *copy);
    switch (s->kind) {
    case SYSTEM_TREE: tree_draw(0, n, copy, z); break;
    case SYSTEM_HONAKER: tree_draw(1, n, copy, z); break;
    case SYSTEM_FULL_HONAKER: full_honaker_draw(n, copy, z); break;
    case SYSTEM_FFT: status = fft_draw(n, copy, z); break;
    default: status = toeplitz_draw(s->beta, n, w, z);
    }
    free(copy);
    return status ? finf_why(why, status, "no memory for %zu steps", n) : FINF_OK;
}
