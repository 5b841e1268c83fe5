/* Power series by FFT (FFTW): products, autocorrelations, and the inverse of a series, which takes
 * noising coefficients beta to strategy coefficients c and back. (theory 1.2) */
#include "bounds.h" /* complex.h before fftw3.h: fftw_complex is then the C type */

#include <fftw3.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERIES_MAX ((size_t)1 << 28) /* FFTW takes sizes as int */
#define DIRECT_MAX 128 /* A series with at most this many terms is inverted by its recursion. */

/* FFTW's planner is the one part of it that is not thread-safe. Plans of at most KEPT_MAX points
 * are kept, as planning costs more than a short transform; they are run on other arrays of the same
 * alignment, by any number of threads. */
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;
#define KEPT_MAX ((size_t)1 << 18)
static struct {
    size_t N;    /* real numbers */
    int forward; /* from x to X, else from X to x */
    int align_x; /* alignment of the N real numbers, as FFTW counts it */
    int align_X; /* and of their transform */
    fftw_plan plan;
} kept[64];
static size_t kept_count;

/* The plan that is kept for such a transform, or NULL. */
static fftw_plan find_kept(size_t N, int forward, int align_x, int align_X)
{
    for (size_t i = 0; i < kept_count; i++)
        if (kept[i].N == N && kept[i].forward == forward && kept[i].align_x == align_x &&
            kept[i].align_X == align_X)
            return kept[i].plan;
    return NULL;
}

/* FFTW ends the program by its fftw_assertion_failed when one of its allocations fails. A program
 * whose own function of that name calls finf_fftw_failed gets FINF_ENOMEM from a transform of ours
 * instead. What FFTW held is lost, and its planner is not used again. */
static _Thread_local jmp_buf *leave;
static int planner_lost;

void finf_fftw_failed(void)
{
    if (leave) longjmp(*leave, 1);
}

/* A plan between x and X, or NULL when there is no memory. It is estimated and not measured, as the
 * outcome of a measurement, and the rounding of results with it, depends on the machine's load. */
static fftw_plan make_plan(size_t N, double *x, double complex *X, int forward)
{
    jmp_buf here;
    if (planner_lost) return NULL;
    if (setjmp(here)) {
        leave = NULL;
        planner_lost = 1;
        return NULL;
    }
    leave = &here;
    fftw_plan plan = forward ? fftw_plan_dft_r2c_1d((int)N, x, X, FFTW_ESTIMATE)
                             : fftw_plan_dft_c2r_1d((int)N, X, x, FFTW_ESTIMATE);
    leave = NULL;
    return plan;
}

/* FFTW allocates buffers while it runs, too: that is the failure caught here. */
static finf_status execute(const fftw_plan plan, double *x, double complex *X, int forward)
{
    jmp_buf here;
    if (setjmp(here)) {
        leave = NULL;
        return FINF_ENOMEM;
    }
    leave = &here;
    if (forward)
        fftw_execute_dft_r2c(plan, x, X);
    else
        fftw_execute_dft_c2r(plan, X, x);
    leave = NULL;
    return FINF_OK;
}

/* A fork waits for a plan that another thread is making: in the child that would never end. */
static void lock(void) { pthread_mutex_lock(&planner); }
static void unlock(void) { pthread_mutex_unlock(&planner); }
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void survive_forks(void) { pthread_atfork(lock, unlock, unlock); }

/* One transform between N real numbers x and the N/2+1 of X, with a plan that is kept if it may be.
 * The inverse one destroys X and is not divided by N. */
static finf_status run(size_t N, double *x, double complex *X, int forward)
{
    pthread_once(&once, survive_forks);
    int align_x = fftw_alignment_of(x), align_X = fftw_alignment_of((double *)X);
    pthread_mutex_lock(&planner);
    fftw_plan plan = find_kept(N, forward, align_x, align_X);
    int keep = plan != NULL;
    if (!plan) plan = make_plan(N, x, X, forward);
    if (plan && !keep && N <= KEPT_MAX && kept_count < sizeof kept / sizeof *kept) {
        kept[kept_count].N = N;
        kept[kept_count].forward = forward;
        kept[kept_count].align_x = align_x;
        kept[kept_count].align_X = align_X;
        kept[kept_count++].plan = plan;
        keep = 1;
    }
    pthread_mutex_unlock(&planner);
    if (!plan) return FINF_ENOMEM;
    finf_status s = execute(plan, x, X, forward);
    if (keep) return s;
    pthread_mutex_lock(&planner);
    fftw_destroy_plan(plan);
    pthread_mutex_unlock(&planner);
    return s;
}

finf_status series_transform(const double *x, size_t n, size_t N, double complex *out)
{
    double *padded = fftw_alloc_real(N);
    if (!padded) return FINF_ENOMEM;
    memcpy(padded, x, n * sizeof *x);
    memset(padded + n, 0, (N - n) * sizeof *x);
    finf_status s = run(N, padded, out, 1);
    fftw_free(padded);
    return s;
}

finf_status series_untransform(double complex *in, size_t N, double *x)
{
    double *full = fftw_alloc_real(N);
    if (!full) return FINF_ENOMEM;
    finf_status s = run(N, full, in, 0);
    for (size_t i = 0; i < N && !s; i++) x[i] = full[i] / (double)N;
    fftw_free(full);
    return s;
}

/* The least power of two, from 2 on, that is not below n. */
static size_t power_of_two(size_t n)
{
    size_t N = 2;
    while (N < n) N *= 2;
    return N;
}

finf_status series_autocorrelation(const double *x, size_t n, double *r)
{
    size_t N = power_of_two(2 * n);
    double complex *X = fftw_alloc_complex(N / 2 + 1);
    double *full = fftw_alloc_real(N);
    finf_status s = X && full ? series_transform(x, n, N, X) : FINF_ENOMEM;
    if (!s) {
        for (size_t j = 0; j <= N / 2; j++)
            X[j] = creal(X[j]) * creal(X[j]) + cimag(X[j]) * cimag(X[j]);
        s = series_untransform(X, N, full);
        if (!s) memcpy(r, full, n * sizeof *r);
    }
    fftw_free(X);
    fftw_free(full);
    return s;
}

/* c_t = ([t=0] - sum_{k=1}^{min(t,m-1)} beta_k c_{t-k}) / beta_0 for from <= t < n: exact to
 * rounding however fast c grows. O(n m). */
static void inverse_direct(const double *beta, size_t m, size_t from, size_t n, double *c)
{
    for (size_t t = from; t < n; t++) {
        double sum = t == 0;
        size_t last = t < m - 1 ? t : m - 1;
        for (size_t k = 1; k <= last; k++) sum -= beta[k] * c[t - k];
        c[t] = sum / beta[0];
        if (!isfinite(c[t])) { /* it has outgrown a double, and stays so */
            for (; t < n; t++) c[t] = INFINITY;
            return;
        }
    }
}

/* One Newton step c <- c (2 - beta c) mod z^{2h}, c known to h terms. Of beta c only the terms from
 * h to 2h-1 are unknown (the first h are 1, 0, 0, ..), so products that wrap around after 2h terms
 * will do, half as long as full ones. `work` is room for 2h numbers. */
static finf_status inverse_double(const double *beta, size_t m, size_t h, double *c, double *work)
{
    size_t N = 2 * h;
    double complex *X = fftw_alloc_complex(N / 2 + 1), *C = fftw_alloc_complex(N / 2 + 1);
    finf_status s = X && C ? series_transform(beta, m < N ? m : N, N, X) : FINF_ENOMEM;
    if (!s) s = series_transform(c, h, N, C);
    if (!s) {
        for (size_t j = 0; j <= N / 2; j++) X[j] *= C[j];
        s = series_untransform(X, N, work);
    }
    /* entries from h on of the cyclic product are those of beta c; what wrapped around is in the
     * first h, which are known */
    if (!s) {
        memmove(work, work + h, h * sizeof *work);
        s = series_transform(work, h, N, X);
    }
    if (!s) {
        for (size_t j = 0; j <= N / 2; j++) X[j] *= C[j];
        s = series_untransform(X, N, work);
        for (size_t t = 0; t < h; t++) c[h + t] = -work[t];
    }
    fftw_free(X);
    fftw_free(C);
    return s;
}

finf_status series_multiply(const double *x, const double *y, size_t n, double *out)
{
    size_t N = power_of_two(2 * n);
    double complex *X = fftw_alloc_complex(N / 2 + 1), *Y = fftw_alloc_complex(N / 2 + 1);
    double *full = fftw_alloc_real(N);
    finf_status s = X && Y && full ? series_transform(x, n, N, X) : FINF_ENOMEM;
    if (!s) s = series_transform(y, n, N, Y);
    if (!s) {
        for (size_t j = 0; j <= N / 2; j++) X[j] *= Y[j];
        s = series_untransform(X, N, full);
    }
    if (!s) memcpy(out, full, n * sizeof *out);
    fftw_free(X);
    fftw_free(Y);
    fftw_free(full);
    return s;
}

/* max_t |(beta c)_t - [t=0]| over the first n terms, where beta is m terms and zeros behind them.
 */
static finf_status residual(const double *beta, size_t m, size_t n, const double *c, double *out)
{
    double *product = malloc(n * sizeof *product);
    if (!product) return FINF_ENOMEM;
    memcpy(product, beta, m * sizeof *beta);
    memset(product + m, 0, (n - m) * sizeof *beta);
    finf_status s = series_multiply(product, c, n, product);
    double worst = s ? INFINITY : fabs(product[0] - 1);
    for (size_t t = 1; t < n && !s; t++) worst = fmax(worst, fabs(product[t]));
    *out = isfinite(worst) ? worst : INFINITY;
    free(product);
    return s;
}

/* The first n terms c of 1/beta, beta having m terms.
 * domain:   beta finite, beta_0 != 0; n at most 2^28 where beta is long
 * method:   the recursion where n m is small; else Newton from a start of 2048 terms by the
 *           recursion, accepted if its residual is at rounding level. The rounding of an FFT is
 *           relative to the largest coefficient, so a growing c (B not minimum phase) fails that
 *           check and is redone by the recursion: slow, but right. */
finf_status finf_series_inverse(const double *beta, size_t m, size_t n, double *c, finf_reason *why)
{
    if (m == 0 || n == 0) return finf_why(why, FINF_EDOM, "an empty series has no inverse");
    for (size_t t = 0; t < m; t++)
        if (!isfinite(beta[t]))
            return finf_why(why, FINF_EDOM, "coefficient %zu is %g: must be finite", t, beta[t]);
    if (beta[0] == 0)
        return finf_why(why, FINF_EDOM, "coefficient 0 is 0: the series has no inverse");
    if (n > SERIES_MAX && m > DIRECT_MAX)
        return finf_why(why, FINF_EDOM, "%zu terms: at most %zu", n, SERIES_MAX);
    if (m > n) m = n;
    size_t start = n < 2048 ? n : 2048;
    inverse_direct(beta, m, 0, start, c);
    if (start == n) return FINF_OK;
    if (m <= DIRECT_MAX || (double)n * (double)m < 2e7) {
        inverse_direct(beta, m, start, n, c);
        return FINF_OK;
    }
    size_t N = power_of_two(n);
    double *full = malloc(N * sizeof *full), *work = malloc(N * sizeof *work), worst = INFINITY;
    finf_status s = full && work ? FINF_OK : FINF_ENOMEM;
    if (!s) {
        memcpy(full, c, start * sizeof *c);
        for (size_t h = start; h < n && !s; h *= 2) s = inverse_double(beta, m, h, full, work);
    }
    if (!s) s = residual(beta, m, n, full, &worst);
    if (!s) {
        double largest = 0;
        for (size_t k = 0; k < m; k++) largest = fmax(largest, fabs(beta[k] / beta[0]));
        if (worst < 1e-11 * largest)
            memcpy(c, full, n * sizeof *c);
        else
            inverse_direct(beta, m, start, n, c);
    }
    free(full);
    free(work);
    for (size_t t = 0; t < n && s; t++) c[t] = NAN;
    return s ? finf_why(why, s, "no memory for a series of %zu terms", n) : FINF_OK;
}
