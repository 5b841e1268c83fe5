/* Spectra of a covariance and of data, by LAPACK and by what takes its place. */
#define _XOPEN_SOURCE 700
#include <pthread.h>

#include "lapack_support.h"
#include "no_memory.h"

static const struct {
    const char *kind;
    size_t n, d, k;
    double lambda;
} ROWS[] = {
#include "tables/data.inc"
};

/* The n x d whole numbers of the table. */
static double *sample(size_t n, size_t d)
{
    unsigned long long s = 1;
    double *X = malloc(n * d * sizeof *X);
    for (size_t i = 0; i < n * d; i++) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        X[i] = (double)((s >> 33) % 19) - 9;
    }
    return X;
}

static double *hilbert(size_t d)
{
    double *H = malloc(d * d * sizeof *H);
    for (size_t i = 0; i < d * d; i++) H[i] = 1.0 / (double)(i / d + i % d + 1);
    return H;
}

static finf_spectrum *of_data(const double *X, size_t n, size_t d, size_t block)
{
    finf_gram *g;
    finf_spectrum *s;
    ck_assert_int_eq(finf_gram_new(d, &g, NULL), FINF_OK);
    for (size_t i = 0; i < n; i += block)
        ck_assert_int_eq(finf_gram_add(g, X + i * d, n - i < block ? n - i : block, NULL), FINF_OK);
    ck_assert_uint_eq(finf_gram_rows(g), n);
    ck_assert_int_eq(finf_spectrum_gram(g, &s, NULL), FINF_OK);
    finf_gram_free(g);
    return s;
}

static finf_spectrum *of_row(size_t row)
{
    size_t n = ROWS[row].n, d = ROWS[row].d;
    finf_spectrum *s;
    if (ROWS[row].kind[0] == 'h') {
        double *H = hilbert(d);
        ck_assert_int_eq(finf_spectrum_covariance(H, d, 0, &s, NULL), FINF_OK);
        free(H);
        return s;
    }
    double *X = sample(n, d);
    s = of_data(X, n, d, n);
    free(X);
    return s;
}

/* Right to 1e-15 d of the largest, honest by the resolution, which is not huge; and what is
 * below the resolution is a zero. */
START_TEST(table)
{
    choose(_i);
    for (size_t row = 0; row < COUNT(ROWS); row += ROWS[row].d) {
        finf_spectrum *s = of_row(row);
        finf_spectrum_facts f = finf_spectrum_describe(s);
        double d = (double)ROWS[row].d, n = (double)ROWS[row].n, top = finf_spectrum_max(s);
        ck_assert(f.given == d && f.rank + f.zeros == d && f.zeros == finf_spectrum_zeros(s));
        ck_assert(f.rank == finf_spectrum_dim(s) && f.trace == finf_spectrum_trace(s));
        ck_assert(f.rows == (ROWS[row].kind[0] == 'h' ? 0 : n));
        ck_assert(f.condition == top / finf_spectrum_min(s));
        ck_assert(f.resolution > 0 &&
                  f.resolution <= (2 * d + 10 + sqrt(n + d)) * DBL_EPSILON * top);
        for (size_t k = 1; k <= ROWS[row].d; k++) {
            double value = finf_spectrum_at(s, (double)k), ref = ROWS[row + k - 1].lambda;
            ck_assert_uint_eq(ROWS[row + k - 1].k, k);
            if ((double)k > f.rank) {
                ck_assert_double_le(ref, f.resolution);
                continue;
            }
            double off = fabs(value - ref);
            ck_assert_msg(off <= 1e-15 * d * top && off <= f.resolution,
                          "%s %zu x %zu, %zu: %.17g, not %.17g", ROWS[row].kind, ROWS[row].n,
                          ROWS[row].d, k, value, ref);
        }
        finf_spectrum_free(s);
    }
}
END_TEST

/* the n - 1 smaller eigenvalues of 1 x 3, and the last of the 12 of Hilbert's */
START_TEST(zeros)
{
    static const struct {
        size_t n, d;
        double zeros;
    } CASES[] = {{1, 3, 2}, {7, 5, 0}, {6, 20, 14}, {400, 3, 0}, {20, 20, 0}};
    choose(_i);
    for (size_t i = 0; i < COUNT(CASES); i++) {
        double *X = sample(CASES[i].n, CASES[i].d);
        finf_spectrum *s = of_data(X, CASES[i].n, CASES[i].d, 5);
        ck_assert_double_eq(finf_spectrum_zeros(s), CASES[i].zeros);
        finf_spectrum_free(s);
        free(X);
    }
    /* columns that are copies or sums of others, and a row that comes again and again */
    for (size_t n = 3; n < 3000; n *= 3) {
        double *X = sample(n, 8);
        for (size_t r = 0; r < n; r++) {
            X[8 * r + 3] = X[8 * r];
            X[8 * r + 7] = X[8 * r + 1] - 3 * X[8 * r + 2];
        }
        finf_spectrum *s = of_data(X, n, 8, 100);
        ck_assert_double_eq(finf_spectrum_zeros(s), n == 3 ? 5 : 2);
        finf_spectrum_free(s);
        for (size_t r = 8; r < 8 * n; r++) X[r] = X[r % 8];
        s = of_data(X, n, 8, 1);
        ck_assert_double_eq(finf_spectrum_zeros(s), 7);
        finf_spectrum_free(s);
        free(X);
    }
    double *H = hilbert(12);
    finf_spectrum *s;
    ck_assert_int_eq(finf_spectrum_covariance(H, 12, 0, &s, NULL), FINF_OK);
    ck_assert_double_eq(finf_spectrum_zeros(s), 1);
    finf_spectrum_free(s);
    free(H);
    const double list[] = {0, 2, -0.0, 1, 0};
    ck_assert_int_eq(finf_spectrum_list(list, 5, &s, NULL), FINF_OK);
    ck_assert(finf_spectrum_zeros(s) == 3 && finf_spectrum_dim(s) == 2);
    ck_assert(finf_spectrum_at(s, 1) == 2 && finf_spectrum_at(s, 2) == 1);
    finf_spectrum_free(s);
}
END_TEST

/* However the rows are cut, before and after the first d of them, and beyond what waits. */
START_TEST(blocks)
{
    static const size_t SIZES[][2] = {{256, 3}, {257, 3}, {700, 300}, {2500, 7}, {299, 300}},
                        BLOCKS[] = {1, 13, 255, 1024};
    choose(_i);
    for (size_t i = 0; i < COUNT(SIZES); i++) {
        size_t n = SIZES[i][0], d = SIZES[i][1];
        double *X = sample(n, d);
        finf_spectrum *whole = of_data(X, n, d, n);
        for (size_t b = 0; b < COUNT(BLOCKS); b++) {
            finf_spectrum *s = of_data(X, n, d, BLOCKS[b]);
            ck_assert_double_eq(finf_spectrum_dim(s), finf_spectrum_dim(whole));
            for (double k = 1; k <= finf_spectrum_dim(s); k++)
                ck_assert_double_eq_tol(finf_spectrum_at(s, k), finf_spectrum_at(whole, k),
                                        1e-13 * finf_spectrum_max(whole));
            finf_spectrum_free(s);
        }
        finf_spectrum_free(whole);
        free(X);
    }
}
END_TEST

/* A spectrum of data again, from what it says of itself: nothing is lost. */
START_TEST(again)
{
    double X[] = {1, 2, 3, 2, 4, 6, 0, 1, 0, 5, 5, 15};
    finf_spectrum *s = of_data(X, 4, 3, 4), *t;
    double lambda[3], off = finf_spectrum_trace_error(s);
    finf_spectrum_facts f = finf_spectrum_describe(s), g;
    ck_assert(f.rank == 2 && f.zeros == 1 && f.rows == 4 && f.resolution > 0);
    for (int k = 0; k < 2; k++) lambda[k] = finf_spectrum_at(s, k + 1);
    ck_assert_int_eq(finf_spectrum_again(lambda, 2, &f, off, &t, NULL), FINF_OK);
    g = finf_spectrum_describe(t);
    ck_assert(g.rank == f.rank && g.zeros == f.zeros && g.rows == f.rows && g.trace == f.trace);
    ck_assert(g.resolution == f.resolution && finf_spectrum_trace_error(t) == off);
    finf_spectrum_free(t);
    finf_spectrum_free(s);
    ck_assert_int_eq(finf_spectrum_again(lambda, 2, &f, -1, &t, NULL), FINF_EDOM);
    f.resolution = NAN;
    ck_assert_int_eq(finf_spectrum_again(lambda, 2, &f, off, &t, NULL), FINF_EDOM);
    ck_assert_ptr_null(t);
}
END_TEST

/* D turned by a reflection, A = D - v p' - p v' with p = 2 (Dv - (v'Dv) v), has the eigenvalues of
 * D; one of them twice. */
START_TEST(rotated)
{
    enum { N = 60 };
    static double A[N * N];
    double v[N], D[N], p[N], norm = 0, mean = 0;
    rng r = {11};
    choose(_i);
    for (int i = 0; i < N; i++) {
        D[i] = i == N - 1 ? D[N - 2] : 3 * pow(0.7, i);
        v[i] = uniform(&r) - 0.5;
        norm += v[i] * v[i];
    }
    for (int i = 0; i < N; i++) {
        v[i] /= sqrt(norm);
        mean += v[i] * v[i] * D[i];
    }
    for (int i = 0; i < N; i++) p[i] = 2 * (D[i] - mean) * v[i];
    for (int i = 0; i < N * N; i++) {
        int a = i / N, b = i % N;
        A[i] = (a == b ? D[a] : 0) - v[a] * p[b] - p[a] * v[b];
    }
    finf_spectrum *s;
    ck_assert_int_eq(finf_spectrum_covariance(A, N, 0, &s, NULL), FINF_OK);
    ck_assert_double_eq(finf_spectrum_zeros(s), 0);
    for (int k = 0; k < N; k++) ck_assert_double_eq_tol(finf_spectrum_at(s, k + 1), D[k], 3e-14);
    ck_assert_int_eq(finf_spectrum_normalize(s), FINF_OK);
    ck_assert_double_eq_tol(finf_spectrum_describe(s).resolution, (2 * N + 10) * DBL_EPSILON,
                            1e-20);
    finf_spectrum_free(s);
}
END_TEST

/* The error of every value of F_inf covers what the errors of the eigenvalues do to it. */
static void covered(const finf_spectrum *s, const finf_spectrum *exact, double eta,
                    const finf_linreg_options *o, const char *what)
{
    finf_noise *noise;
    finf_linreg_result a, b;
    ck_assert_int_eq(finf_noise_nu(0.01, &noise, NULL), FINF_OK);
    ck_assert_int_eq(finf_linreg(noise, eta, s, o, &a), FINF_OK);
    ck_assert_int_eq(finf_linreg(noise, eta, exact, o, &b), FINF_OK);
    const finf_real all[][2] = {{a.exact, b.exact},     {a.lti, b.lti},
                                {a.upper, b.upper},     {a.floor, b.floor},
                                {a.optimum, b.optimum}, {a.optimum_lti, b.optimum_lti}};
    for (size_t k = 0; k < COUNT(all); k++) {
        if (isnan(all[k][0].value)) continue; /* for SGD only */
        double off = fabs(all[k][0].value - all[k][1].value);
        ck_assert_msg(off <= all[k][0].error, "%s, value %zu: off by %g > %g", what, k, off,
                      all[k][0].error);
        ck_assert_double_ge(all[k][0].error, all[k][1].error);
    }
    if (finf_spectrum_describe(s).condition < 1e4)
        ck_assert_double_le(a.exact.error, 1e-9 * a.exact.value);
    finf_noise_free(noise);
}

START_TEST(error_covers)
{
    finf_linreg_options plain = finf_linreg_options_default(), heavy = plain;
    finf_optimizer *ball;
    choose(_i);
    ck_assert_int_eq(finf_optimizer_parse("heavy-ball:0.5", NULL, 0, &ball, NULL), FINF_OK);
    heavy.optimizer = ball;
    for (size_t row = 0; row < COUNT(ROWS); row += ROWS[row].d) {
        finf_spectrum *s = of_row(row), *exact;
        double lambda[32], eta = 0.05 / finf_spectrum_trace(s);
        size_t rank = (size_t)finf_spectrum_dim(s);
        char what[64];
        for (size_t k = 0; k < rank; k++) lambda[k] = ROWS[row + k].lambda;
        ck_assert_int_eq(finf_spectrum_list(lambda, rank, &exact, NULL), FINF_OK);
        snprintf(what, sizeof what, "%s %zu x %zu", ROWS[row].kind, ROWS[row].n, ROWS[row].d);
        covered(s, exact, eta, &plain, what);
        covered(s, exact, eta, &heavy, what);
        finf_spectrum_free(exact);
        finf_spectrum_free(s);
    }
    finf_optimizer_free(ball);
}
END_TEST

/* Several threads at once, of which one loads the library: the same numbers in each. */
enum { THREADS = 4, ORDER = 150 };

static void *in_thread(void *data)
{
    double *X = sample(2 * ORDER, ORDER), *lambda = data;
    finf_spectrum *s = of_data(X, 2 * ORDER, ORDER, 100);
    for (int k = 0; k < ORDER; k++) lambda[k] = finf_spectrum_at(s, k + 1);
    finf_spectrum_free(s);
    free(X);
    return NULL;
}

START_TEST(threads)
{
    static double lambda[THREADS + 1][ORDER];
    pthread_t thread[THREADS];
    if (_i == 1) ck_assert_int_eq(setenv("FINF_LAPACK_LIBRARY", "", 1), 0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, in_thread, lambda[i]), 0);
    for (int i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
    in_thread(lambda[THREADS]);
    for (int i = 0; i < THREADS; i++)
        for (int k = 0; k < ORDER; k++)
            ck_assert_double_eq_tol(lambda[i][k], lambda[THREADS][k], 1e-13 * lambda[THREADS][0]);
}
END_TEST

#define REFUSED(call, line)                                                                        \
    do {                                                                                           \
        finf_spectrum *s_ = (finf_spectrum *)&why;                                                 \
        finf_spectrum **out = &s_;                                                                 \
        ck_assert_int_eq(call, FINF_EDOM);                                                         \
        ck_assert_ptr_null(s_);                                                                    \
        ck_assert_str_eq(why.text, line);                                                          \
    } while (0)

START_TEST(refused)
{
    finf_reason why = {""};
    finf_gram *g;
    choose(_i);
    const double skew[] = {1, 0.5, 0.25, 2}, negative[] = {1, 2, 2, 1}, nothing[4] = {0},
                 nan[] = {1, 0, NAN, 1};
    REFUSED(finf_spectrum_covariance(skew, 2, 0, out, &why),
            "the matrix is not symmetric: row 1, column 2 is 0.5, row 2, column 1 is 0.25 (they "
            "differ by 0.25)");
    REFUSED(finf_spectrum_covariance(negative, 2, 0, out, &why),
            "an eigenvalue of the matrix is -1: those of a covariance are not negative, but for "
            "-9.3e-15 by rounding");
    REFUSED(finf_spectrum_covariance(nothing, 2, 0, out, &why),
            "every eigenvalue is 0: there is no loss to be minimised");
    REFUSED(finf_spectrum_covariance(nan, 2, 0, out, &why),
            "row 2, column 1 of the matrix is nan: must be finite, up to 1e50");
    REFUSED(finf_spectrum_covariance(skew, 0, 0, out, &why), "a matrix of 0 rows: from 1 to 32000");
    REFUSED(finf_spectrum_covariance(skew, 2, -1, out, &why),
            "rounding = -1: must be from 0 to below 1");
    ck_assert_int_eq(finf_gram_new(0, &g, &why), FINF_EDOM);
    ck_assert_ptr_null(g);
    ck_assert_int_eq(finf_gram_new(2, &g, &why), FINF_OK);
    REFUSED(finf_spectrum_gram(g, out, &why), "the data has no rows");
    ck_assert_int_eq(finf_gram_add(g, skew, 2, &why), FINF_OK);
    ck_assert_int_eq(finf_gram_add(g, nan, 2, &why), FINF_EDOM);
    ck_assert_str_eq(why.text, "row 4, column 1 of the data is nan: must be finite, up to 1e150");
    ck_assert_uint_eq(finf_gram_rows(g), 2);
    finf_gram_free(g);
    finf_gram_free(NULL);
}
END_TEST

/* A covariance that was stored as floats is symmetric and positive to their rounding. */
START_TEST(single_precision)
{
    enum { N = 20 };
    finf_spectrum *s;
    choose(_i);
    double *X = sample(10, N), *H = calloc(N * N, sizeof *H);
    ck_assert_int_eq(lapack_gram(N, 10, 1.0 / 7, X, 0, H), FINF_OK);
    lapack_mirror(H, N);
    for (size_t i = 0; i < N * N; i++) H[i] = (double)(float)H[i];
    H[1] *= 1 + 0x1p-23;
    ck_assert_int_eq(finf_spectrum_covariance(H, N, 0, &s, NULL), FINF_EDOM);
    ck_assert_int_eq(finf_spectrum_covariance(H, N, 0x1p-24, &s, NULL), FINF_OK);
    ck_assert_double_eq(finf_spectrum_zeros(s), 10);
    finf_spectrum_free(s);
    free(X);
    free(H);
}
END_TEST

/* Every allocation fails in turn, with all after it. */
START_TEST(no_memory)
{
    choose(_i);
    lapack_version(); /* loaded, with what its own libraries allocate */
    static const size_t SIZES[][2] = {{10, 4}, {4, 10}, {600, 300}};
    for (size_t c = 0; c < COUNT(SIZES); c++) {
        size_t n = SIZES[c][0], d = SIZES[c][1];
        double *X = sample(n, d), *H = hilbert(d);
        finf_status st = FINF_ENOMEM;
        for (long k = 1; st; k++) {
            finf_gram *g = NULL;
            finf_spectrum *s = NULL, *t = NULL;
            ck_assert_int_lt(k, 100);
            allocations_left = k;
            st = finf_gram_new(d, &g, NULL);
            if (!st) st = finf_gram_add(g, X, n, NULL);
            if (!st) st = finf_spectrum_gram(g, &s, NULL);
            if (!st) st = finf_spectrum_covariance(H, d, 0, &t, NULL);
            allocations_left = -1;
            ck_assert(st == FINF_OK || st == FINF_ENOMEM);
            ck_assert(!t == !!st);
            finf_spectrum_free(s);
            finf_spectrum_free(t);
            finf_gram_free(g);
        }
        free(X);
        free(H);
    }
}
END_TEST

static TCase *cases(void)
{
    TCase *tc = tcase_create("data");
    tcase_add_loop_test(tc, table, 0, ways());
    tcase_add_loop_test(tc, zeros, 0, ways());
    tcase_add_loop_test(tc, blocks, 0, ways());
    tcase_add_loop_test(tc, rotated, 0, ways());
    tcase_add_test(tc, again);
    tcase_add_loop_test(tc, error_covers, 0, ways());
    tcase_add_loop_test(tc, threads, 0, ways());
    tcase_add_loop_test(tc, refused, 0, ways());
    tcase_add_loop_test(tc, single_precision, 0, ways());
    tcase_add_loop_test(tc, no_memory, 0, ways());
    return tc;
}

int main(void) { return run_suite("data", cases); }
