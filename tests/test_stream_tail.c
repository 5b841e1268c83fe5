/* bounds/stream/tail_decays.c, keyed_tail.c: nu and cc as decays. */
#include "keyed_stream.h"
#include "no_memory.h"
#include "support.h"
#include "tail_decays.h"

static const double NUS[] = {0, 1e-50, 1e-9, 1e-6, 1e-3, 0.01, 0.1, 0.3, 0.7, 0.95, 0.999, 1};

/* The sum of decays is beta, whose recursion in long double is exact here, to within 2^-44 in the
 * root of the sum of squares. */
START_TEST(decays)
{
    for (size_t i = 0; i < COUNT(NUS); i++) {
        tail_decays far;
        long double beta = 1, square = 0, power[TAIL_DECAYS_MAX];
        ck_assert_int_eq(tail_decays_find(NUS[i], &far, NULL), FINF_OK);
        ck_assert(far.count % 2 == 0 && far.count <= TAIL_DECAYS_MAX);
        for (size_t k = 0; k < far.count; k++) {
            ck_assert(far.decay[k] >= 0 && far.decay[k] < 1 && far.scale[k] >= 0);
            power[k] = far.scale[k];
        }
        for (long t = 1; t < 100000; t++) {
            long double sum = 0;
            beta *= (t - 1.5L) / t * (1 - (long double)NUS[i]);
            if (t < TAIL_TAPS) continue;
            for (size_t k = 0; k < far.count; k++) {
                sum += power[k];
                power[k] *= far.decay[k];
            }
            square += (beta + sum) * (beta + sum);
        }
        ck_assert_msg(sqrtl(square) < 0x1p-44L, "nu = %g, %zu decays: %.2Le", NUS[i], far.count,
                      sqrtl(square));
    }
}
END_TEST

/* Far lags, where all that is left is what decays slowest: against the expansion of beta_t in 1/t,
 * beta_t = -t^{-3/2}/(2 sqrt(pi)) (1 + 3/(8t) + 25/(128 t^2) + ..). */
START_TEST(far_lags)
{
    tail_decays far;
    ck_assert_int_eq(tail_decays_find(0, &far, NULL), FINF_OK);
    for (int e = 12; e <= 30; e++) {
        double t = ldexp(1, e), sum = 0;
        for (size_t k = 0; k < far.count; k++)
            sum += far.scale[k] * exp((t - TAIL_TAPS) * log1p(far.decay[k] - 1));
        double beta = pow(t, -1.5) / (2 * sqrt(M_PI)) * (1 + 3 / (8 * t) + 25 / (128 * t * t));
        /* a sum of squares of t such numbers has the root 2^-44 */
        ck_assert_msg(fabs(sum - beta) < 0x1p-44 / sqrt(t) + 1e-12 * beta, "2^%d: %.17g, not %.17g",
                      e, sum, beta);
    }
}
END_TEST

/* How many decays it takes grows with log 1/nu; the documentation has these. */
START_TEST(counts)
{
    static const struct {
        double nu;
        size_t count;
    } rows[] = {{0, 64}, {1e-3, 26}, {1e-4, 32}, {0.01, 18}, {0.1, 12}, {1, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        tail_decays far;
        ck_assert_int_eq(tail_decays_find(rows[i].nu, &far, NULL), FINF_OK);
        ck_assert_msg(far.count == rows[i].count, "nu = %g: %zu", rows[i].nu, far.count);
    }
}
END_TEST

static finf_stream *make_stream(double nu, unsigned long long dim, const finf_stream_options *o)
{
    finf_noise *noise;
    finf_stream *s;
    finf_reason why = {""};
    ck_assert_int_eq(nu > 0 ? finf_noise_nu(nu, &noise, NULL) : finf_noise_cc(&noise), FINF_OK);
    ck_assert_msg(finf_stream_new(noise, dim, o, &s, &why) == FINF_OK, "%s", why.text);
    finf_noise_free(noise);
    return s;
}

static void take(finf_stream *s, size_t n, double *z)
{
    for (size_t t = 0; t < n; t++)
        ck_assert_int_eq(finf_stream_next(s, z + t * finf_stream_describe(s).count, NULL), FINF_OK);
}

/* Against sums in long double over the w of independent noise: off by a normal number of standard
 * deviation 2^-44 at most, so by 5 times that. */
START_TEST(sums)
{
    NEEDS("libsodium");
    enum { D = 5, T = 700 };
    static double w[T * D], z[T * D], beta[T];
    static const double nus[] = {0, 1e-4, 0.02, 0.6, 0.97};
    finf_stream_options o = {.sigma = 1, .seeded = 1, .seed = 12, .count = D, .first = 3};
    finf_noise *sgd;
    finf_stream *s;
    finf_noise_sgd(&sgd);
    ck_assert_int_eq(finf_stream_new(sgd, D + 3, &o, &s, NULL), FINF_OK);
    take(s, T, w);
    finf_stream_free(s);
    finf_noise_free(sgd);
    for (size_t i = 0; i < COUNT(nus); i++) {
        s = make_stream(nus[i], D + 3, &o);
        take(s, T, z);
        finf_stream_free(s);
        beta[0] = 1;
        for (size_t t = 1; t < T; t++)
            beta[t] = beta[t - 1] * ((double)t - 1.5) / (double)t * (1 - nus[i]);
        for (size_t t = 0; t < T; t++)
            for (size_t j = 0; j < D; j++) {
                long double sum = 0;
                for (size_t k = 0; k <= t; k++) sum += (long double)beta[k] * w[(t - k) * D + j];
                double off = (double)(z[t * D + j] - sum);
                ck_assert_msg(fabs(off) < 5 * 0x1p-44, "nu = %g, step %zu, coordinate %zu: %.2e",
                              nus[i], t, j, off);
            }
    }
}
END_TEST

/* The same bits: however many steps are asked for, whichever coordinates, and after a state that
 * was saved at any step, in the middle of the steps that are drawn ahead or between them. */
START_TEST(parts)
{
    NEEDS("libsodium");
    enum { D = 600, T = 150 };
    static double whole[T * D], part[T * D];
    static const size_t at[] = {0, 1, 15, 16, 17, 32, 127, 149};
    finf_stream_options o = {.sigma = 0.3, .seeded = 1, .seed = 3};
    finf_stream *s = make_stream(0.001, D, &o);
    finf_stream_facts f = finf_stream_describe(s);
    ck_assert_str_eq(f.method, "past inputs and decays");
    ck_assert_uint_eq(f.memory, 26 + TAIL_TAPS + NOISE_FILTER_AHEAD);
    ck_assert_uint_eq(f.steps, TAIL_STEPS);
    take(s, T, whole);
    finf_stream_free(s);
    for (size_t i = 0; i < COUNT(at); i++) {
        o.first = 13 + 31 * i;
        o.count = i % 2 ? 290 : 5;
        o.steps = at[i] + 1;
        s = make_stream(0.001, D, &o);
        size_t size = finf_stream_state_size(s);
        unsigned char *state = malloc(size);
        ck_assert_ptr_nonnull(state);
        ck_assert_int_eq(finf_stream_skip(s, at[i], NULL, NULL), FINF_OK);
        ck_assert_int_eq(finf_stream_state(s, state, size, NULL), FINF_OK);
        take(s, 1, part);
        ck_assert_mem_eq(part, whole + at[i] * D + o.first, o.count * sizeof *part);
        ck_assert_int_eq(finf_stream_next(s, part, NULL), FINF_EDOM);
        finf_stream_free(s);
        o.steps = 0;
        o.seed++;
        s = make_stream(0.001, D, &o);
        take(s, 3, part);
        finf_reason why = {""};
        unsigned char *digest = state + size - 32;
        state[8] = 1; /* the version that had the buffers in another order */
        s->sodium->hash(digest, 32, state, size - 32, NULL, 0);
        ck_assert_int_eq(finf_stream_restore(s, state, size, &why), FINF_EPARSE);
        ck_assert_str_eq(why.text, "state of version 1: must be 2");
        state[8] = 2;
        s->sodium->hash(digest, 32, state, size - 32, NULL, 0);
        ck_assert_int_eq(finf_stream_restore(s, state, size, NULL), FINF_OK);
        take(s, T - at[i], part);
        for (size_t t = at[i]; t < T; t++)
            ck_assert_mem_eq(part + (t - at[i]) * o.count, whole + t * D + o.first,
                             o.count * sizeof *part);
        o.seed--;
        finf_stream_free(s);
        free(state);
    }
}
END_TEST

/* The bits of a seed do not change between versions, compilers or machines. */
START_TEST(pinned)
{
    NEEDS("libsodium");
    const double last[] = {-0x1.03bdea783d07fp+0, 0x1.878f346a1b198p-1, -0x1.81baa744e049fp-1,
                           -0x1.a99fc5550f6a5p-1};
    finf_stream_options o = {.sigma = 1, .seeded = 1, .seed = 1};
    finf_stream *s = make_stream(0.25, 4, &o);
    double z[4];
    ck_assert_int_eq(finf_stream_skip(s, 199, NULL, NULL), FINF_OK);
    take(s, 1, z);
    for (int j = 0; j < 4; j++)
        ck_assert_msg(z[j] == last[j], "number %d: %a, pinned %a", j, z[j], last[j]);
    ck_assert_int_eq(finf_stream_skip(s, TAIL_STEPS, NULL, NULL), FINF_EDOM);
    finf_stream_free(s);
}
END_TEST

START_TEST(without_memory)
{
    NEEDS("libsodium");
    finf_noise *noise;
    int failed = 0;
    finf_noise_nu(0.1, &noise, NULL);
    for (long left = 0; left < 8; left++) {
        finf_stream *s;
        finf_reason why = {""};
        allocations_left = left;
        finf_status status = finf_stream_new(noise, 4, NULL, &s, &why);
        allocations_left = -1;
        ck_assert(status == FINF_OK ? s != NULL : s == NULL && status == FINF_ENOMEM);
        failed += status != FINF_OK;
        finf_stream_free(s);
    }
#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__
    if (!getenv("VALGRIND")) ck_assert_int_ge(failed, 4);
#endif
    finf_noise_free(noise);
}
END_TEST

static TCase *make(void)
{
    TCase *tc = tcase_create("stream_tail");
    tcase_add_test(tc, decays);
    tcase_add_test(tc, far_lags);
    tcase_add_test(tc, counts);
    tcase_add_test(tc, sums);
    tcase_add_test(tc, parts);
    tcase_add_test(tc, pinned);
    tcase_add_test(tc, without_memory);
    return tc;
}

int main(void) { return run_suite("stream_tail", make); }
