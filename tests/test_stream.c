/* bounds/stream/keyed_*.c, noise_filter.c, stream_state.c: the noise that people run. */
#include "keyed_stream.h"
#include "no_memory.h"
#include "support.h"
#undef I /* of complex.h */

static const sodium_library *sodium(void)
{
    finf_status status;
    return sodium_get(&status, NULL);
}

/* ---- ChaCha20 -------------------------------------------------------------------------------- */

static void bytes_of(const char *hex, unsigned char *out)
{
    for (unsigned x; sscanf(hex, "%2x", &x) == 1; hex += 2) *out++ = (unsigned char)x;
}

/* RFC 8439, 2.4.2: a text of 114 bytes. */
START_TEST(rfc_encryption)
{
    NEEDS("libsodium");
    const char *text =
        "Ladies and Gentlemen of the class of '99: If I could offer you only one tip "
        "for the future, sunscreen would be it.";
    unsigned char key[32], nonce[12] = {[7] = 0x4a}, expected[128], out[128];
    for (unsigned char i = 0; i < 32; i++) key[i] = i;
    bytes_of(
        "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab8f593dab"
        "cd62b3571639d624e65152ab8f530c359f0861d807ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806"
        "818ce91ab77937365af90bbf74a35be6b40b8eedf2785e42874d",
        expected);
    ck_assert_uint_eq(strlen(text), 114);
    sodium()->chacha20(out, (const unsigned char *)text, 114, nonce, 1, key);
    ck_assert_mem_eq(out, expected, 114);
}
END_TEST

/* RFC 8439, A.1: key streams of the key 0, as the words of our (step, coordinate). */
START_TEST(rfc_key_stream)
{
    NEEDS("libsodium");
    static const struct {
        unsigned long long step, first;
        const char *block;
    } rows[] = {
        {0, 0,
         "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7da41597c5157488d7724e03fb"
         "8d8"
         "4a376a43b8f41518a11cc387b669b2ee6586"},
        {0, 8,
         "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed29b721769ce64e43d57133b07"
         "4d8"
         "39d531ed1f28510afb45ace10a1f4b794d6f"},
        /* the nonce 0 .. 0 2: bytes 8 to 11 are j/2^35 */
        {0, 1ull << 60,
         "c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c78a970e0e955c14f3a88e741b9"
         "7c2"
         "86f75f8fc299e8148362fa198a39531bed6d"},
    };
    const unsigned char key[KEYED_KEY] = {0};
    for (size_t r = 0; r < COUNT(rows); r++) {
        unsigned char expected[64];
        uint64_t words[8];
        bytes_of(rows[r].block, expected);
        keyed_words(sodium(), key, rows[r].step, rows[r].first, 8, words);
        for (size_t i = 0; i < 64; i++)
            ck_assert_msg((words[i / 8] >> 8 * (i % 8) & 255) == expected[i], "row %zu, byte %zu",
                          r, i);
    }
}
END_TEST

/* One long call is many short ones, also across the change of nonce at 2^35. */
START_TEST(words_by_blocks)
{
    NEEDS("libsodium");
    unsigned char key[KEYED_KEY] = {7};
    uint64_t whole[KEYED_TILE], part[8], base = (1ull << 35) - KEYED_TILE / 2;
    keyed_words(sodium(), key, 3, base, KEYED_TILE, whole);
    for (size_t i = 0; i < KEYED_TILE; i += 8) {
        keyed_words(sodium(), key, 3, base + i, 8, part);
        ck_assert_mem_eq(part, whole + i, sizeof part);
    }
    for (size_t i = 0; i < KEYED_TILE; i++)
        for (size_t j = 0; j < i; j++) ck_assert(whole[i] != whole[j]);
}
END_TEST

/* ---- normals --------------------------------------------------------------------------------- */

/* Against the long double functions, at words of every size; the errors are in units of 2^-53 of
 * the radius. */
START_TEST(box_muller)
{
    SKIP_UNLESS(has_long_double());
    const long double turn = 6.283185307179586476925286766559L;
    rng r = {99};
    for (int i = 0; i < 200000; i++) {
        uint64_t x[2];
        double out[2];
        for (int k = 0; k < 2; k++)
            x[k] = (uint64_t)(uniform(&r) * 0x1p32) << 32 ^ (uint64_t)(uniform(&r) * 0x1p32);
        if (i % 4 == 0) x[0] = ~(x[0] >> (i / 4 % 64)); /* U near 1 */
        if (i % 4 == 1) x[0] >>= i / 4 % 64;            /* U near 0 */
        if (i % 7 == 0) x[1] = (x[1] >> (i / 7 % 62)) + ((uint64_t)(i % 4) << 62);
        keyed_box_muller(x, 2, out);
        long double U = ((long double)x[0] + 0.5L) * 0x1p-64L,
                    V = ((long double)~x[0] + 0.5L) * 0x1p-64L;
        long double radius = sqrtl(-2 * (x[0] >> 63 ? log1pl(-V) : logl(U))),
                    angle = (long double)x[1] * 0x1p-64L * turn;
        ck_assert_msg(fabsl(out[0] - radius * cosl(angle)) <= 5 * 0x1p-53L * radius &&
                          fabsl(out[1] - radius * sinl(angle)) <= 5 * 0x1p-53L * radius,
                      "words %llx %llx: %.17g, %.17g", (unsigned long long)x[0],
                      (unsigned long long)x[1], out[0], out[1]);
    }
    double out[2];
    keyed_box_muller((uint64_t[]){0, 0}, 2, out); /* the largest there is */
    ASSERT_NEAR(out[0], sqrt(130 * log(2)), 1e-15, "the largest");
    ck_assert_double_le(fabs(out[1]), 1e-18);
    keyed_box_muller((uint64_t[]){~0ull, 1ull << 62}, 2,
                     out); /* the least radius, a quarter turn */
    ASSERT_NEAR(out[1], sqrt(0x1p-64), 1e-15, "the least");
}
END_TEST

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { MANY = 1 << 20 };

/* 2^20 normals of one key: coordinates of some steps. */
static double *many_normals(unsigned char salt)
{
    unsigned char key[KEYED_KEY] = {salt};
    double *w = malloc(MANY * sizeof *w);
    ck_assert_ptr_nonnull(w);
    for (size_t i = 0; i < MANY; i += KEYED_TILE)
        keyed_normals(sodium(), key, i >> 16, i & 0xffff, KEYED_TILE, w + i);
    return w;
}

/* The first six moments, each in its standard errors; pairs, neighbours and steps uncorrelated. */
START_TEST(moments)
{
    NEEDS("libsodium");
    const double expected[] = {0, 1, 0, 3, 0, 15}, variance[] = {1, 2, 15, 96, 945, 10170};
    const size_t lags[] = {1, 2, 8, 1024, 65536};
    double *w = many_normals(1);
    for (int m = 1; m <= 6; m++) {
        double sum = 0;
        for (size_t i = 0; i < MANY; i++) sum += pow(w[i], m);
        double z = (sum / MANY - expected[m - 1]) / sqrt(variance[m - 1] / MANY);
        ck_assert_msg(fabs(z) < 4, "moment %d: z = %.2f", m, z);
    }
    for (size_t l = 0; l < COUNT(lags); l++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i + lags[l] < MANY; i++) {
            sum += w[i] * w[i + lags[l]];
            squares += (w[i] * w[i] - 1) * (w[i + lags[l]] * w[i + lags[l]] - 1);
        }
        double n = (double)(MANY - lags[l]);
        ck_assert_msg(fabs(sum / sqrt(n)) < 4 && fabs(squares / (2 * sqrt(n))) < 4,
                      "lag %zu: z = %.2f, of squares %.2f", lags[l], sum / sqrt(n),
                      squares / (2 * sqrt(n)));
    }
    free(w);
}
END_TEST

/* Kolmogorov and Smirnov: sqrt(n) D < 1.95 but for one key in a thousand; of the cosines, the sines
 * and all. And as many beyond 4 and 5 as there should be. */
START_TEST(kolmogorov_smirnov)
{
    NEEDS("libsodium");
    for (int part = 0; part < 3; part++) {
        double *w = many_normals((unsigned char)(2 + part)), D = 0;
        size_t n = 0, beyond[2] = {0, 0};
        for (size_t i = 0; i < MANY; i++)
            if (part == 2 || (int)(i % 2) == part) w[n++] = w[i];
        qsort(w, n, sizeof *w, ascending);
        for (size_t i = 0; i < n; i++) {
            double P = erfc(-w[i] / sqrt(2)) / 2;
            D = fmax(D, fmax(P - (double)i / (double)n, (double)(i + 1) / (double)n - P));
            beyond[0] += fabs(w[i]) > 4;
            beyond[1] += fabs(w[i]) > 5;
        }
        ck_assert_msg(sqrt((double)n) * D < 1.95, "part %d: %.3f", part, sqrt((double)n) * D);
        for (int k = 0; k < 2; k++) {
            double mean = (double)n * erfc((4 + k) / sqrt(2)),
                   z = ((double)beyond[k] - mean) / sqrt(mean);
            ck_assert_msg(fabs(z) < 4, "part %d: %zu beyond %d, expected %.1f", part, beyond[k],
                          4 + k, mean);
        }
        free(w);
    }
}
END_TEST

/* ---- the noises ------------------------------------------------------------------------------ */

enum { STEPS = 60 };

static const struct {
    const char *spelling, *method;
    size_t memory; /* vectors; for the given number of steps */
} NOISES[] = {
    {"sgd", "independent", 0},
    {"power:0,0.5", "independent", 0},
    {"blt:0.97,0.6;0.1,0.25", "buffers", 2},
    {"blt:0.999,0.99,0.9,0.3;0.01,0.05,0.12,0.3", "buffers", 4},
    {"strategy:1,0.5,0.375,0.3125", "past noise", 3},
    {"strategy:2,-0.5", "past noise", 1},
    {"strategy:3", "past noise", 0},
    {"beta:1,-0.5,0.25,-0.6", "past inputs", 3},
    {"beta:-2", "past inputs", 0},
    {"antipgd:0.1", "past inputs", 1},
    {"power:1,0.25", "past inputs", 1},
    {"bisr:20", "past inputs", 19},
    {"nu:0.01", "past inputs and decays", 18 + 8 + 16},
    {"cc", "past inputs and decays", 64 + 8 + 16},
    {"power:0.5,0.1", "past inputs and decays", 12 + 8 + 16},
    {"power:0.3,0.2", "transforms of the whole run", STEPS},
    {"product:0.1,0.5;0.4,-0.2", "transforms of the whole run", STEPS},
};
static finf_stream *make_stream(const char *spelling, unsigned long long dim,
                                const finf_stream_options *o)
{
    finf_noise *noise;
    finf_stream *s;
    finf_reason why = {""};
    ck_assert_int_eq(finf_noise_parse(spelling, &noise, NULL), FINF_OK);
    ck_assert_msg(finf_stream_new(noise, dim, o, &s, &why) == FINF_OK, "%s: %s", spelling,
                  why.text);
    finf_noise_free(noise);
    return s;
}

static finf_stream_options seeded(unsigned long long seed)
{
    finf_stream_options o = finf_stream_options_default();
    o.seeded = 1;
    o.seed = seed;
    o.steps = STEPS;
    return o;
}

/* n steps one after another. */
static void take(finf_stream *s, size_t n, double *z)
{
    for (size_t t = 0; t < n; t++)
        ck_assert_int_eq(finf_stream_next(s, z + t * finf_stream_describe(s).count, NULL), FINF_OK);
}

/* Every noise is the sum beta_s w_{t-s}, by finf_noise_beta and the w of independent noise. */
START_TEST(convolution)
{
    NEEDS("libsodium");
    enum { D = 21 };
    static double w[STEPS * D], z[STEPS * D];
    finf_stream_options o = seeded(5);
    finf_stream *white = make_stream("sgd", D, &o);
    take(white, STEPS, w);
    finf_stream_free(white);
    for (size_t i = 0; i < COUNT(NOISES); i++) {
        double beta[STEPS];
        finf_noise *noise;
        o.sigma = 1.7;
        finf_stream *s = make_stream(NOISES[i].spelling, D, &o);
        finf_stream_facts f = finf_stream_describe(s);
        ck_assert_str_eq(f.method, NOISES[i].method);
        ck_assert_uint_eq(f.memory, NOISES[i].memory);
        ck_assert_uint_eq(f.steps, STEPS);
        take(s, STEPS, z);
        ck_assert_int_eq(finf_stream_next(s, (double[D]){0}, NULL), FINF_EDOM); /* recursions too */
        finf_noise_parse(NOISES[i].spelling, &noise, NULL);
        finf_noise_beta(noise, STEPS, beta, NULL);
        for (size_t t = 0; t < STEPS; t++)
            for (size_t j = 0; j < D; j++) {
                double sum = 0;
                for (size_t k = 0; k <= t; k++) sum += beta[k] * w[(t - k) * D + j];
                ck_assert_msg(fabs(z[t * D + j] - 1.7 * sum) < 1e-13 * 1.7 * 20,
                              "%s, step %zu, coordinate %zu: %.17g, sum %.17g", NOISES[i].spelling,
                              t, j, z[t * D + j], 1.7 * sum);
            }
        finf_noise_free(noise);
        finf_stream_free(s);
    }
}
END_TEST

/* Whole runs by transforms, of every size with a remainder of its own, against sums in long double:
 * log2 N roundings, N points of the transform, of a number as large as any of them, 5. The first
 * steps are sums in doubles, to the bit, however long the run is. */
START_TEST(whole_runs)
{
    SKIP_UNLESS(has_long_double());
    NEEDS("libsodium");
    enum { D = 10, MOST = 1100 };
    static const size_t RUNS[] = {2, 32, 33, 34, 63, 64, 65, 127, 128, 129, 255, 257, 600, MOST};
    static double w[MOST * D], z[MOST * D], beta[MOST];
    finf_stream_options o = seeded(12);
    finf_noise *noise;
    ck_assert_int_eq(finf_noise_power(0.4, 1e-4, &noise, NULL), FINF_OK);
    finf_noise_beta(noise, MOST, beta, NULL);
    finf_noise_free(noise);
    o.steps = MOST;
    finf_stream *white = make_stream("sgd", D, &o);
    take(white, MOST, w);
    finf_stream_free(white);
    for (size_t i = 0; i < COUNT(RUNS); i++) {
        o.steps = RUNS[i];
        finf_stream *s = make_stream("power:0.4,1e-4", D, &o);
        take(s, RUNS[i], z);
        ck_assert_int_eq(finf_stream_next(s, w, NULL), FINF_EDOM);
        finf_stream_free(s);
        for (size_t t = 0; t < RUNS[i] && t < FINF_STREAM_SUMS; t++)
            for (size_t j = 0; j < D; j++) {
                double sum = beta[0] * w[t * D + j];
                for (size_t k = 1; k <= t; k++) sum += beta[k] * w[(t - k) * D + j];
                ck_assert_msg(z[t * D + j] == sum, "%zu steps: other bits at %zu", RUNS[i], t);
            }
        for (size_t t = 0; t < RUNS[i]; t++)
            for (size_t j = 0; j < D; j++) {
                long double sum = 0;
                for (size_t k = 0; k <= t; k++) sum += (long double)beta[k] * w[(t - k) * D + j];
                double off = (double)(z[t * D + j] - sum);
                ck_assert_msg(fabs(off) < 5 * log2(4 * (double)RUNS[i]) * 0x1p-53,
                              "%zu steps, step %zu, coordinate %zu: %.2e", RUNS[i], t, j, off);
            }
    }
}
END_TEST

/* A design: the rows of its B. */
START_TEST(matrix)
{
    NEEDS("libsodium");
    enum { N = 24, D = 3 };
    double B[N * N], w[N * D], z[N * D], extra[D];
    finf_system *me;
    finf_stream *s, *white;
    finf_stream_options o = seeded(6);
    finf_reason why;
    ck_assert_int_eq(finf_system_me(N, NULL, &me, NULL), FINF_OK);
    ck_assert_int_eq(finf_system_noising(me, NULL, B, NULL), FINF_OK);
    ck_assert_int_eq(finf_stream_new_matrix(B, N, D, &o, &s, NULL), FINF_OK);
    white = make_stream("sgd", D, &o);
    take(white, N, w);
    take(s, N, z);
    for (size_t t = 0; t < N; t++)
        for (size_t j = 0; j < D; j++) {
            double sum = 0;
            for (size_t k = 0; k <= t; k++) sum += B[t * N + k] * w[k * D + j];
            ck_assert_double_le(fabs(z[t * D + j] - sum), 1e-13);
        }
    ck_assert_int_eq(finf_stream_next(s, extra, &why), FINF_EDOM);
    ck_assert_str_eq(why.text, "step 24: the stream was made for 24 steps");
    B[0] = NAN;
    finf_stream_free(s);
    ck_assert_int_eq(finf_stream_new_matrix(B, N, D, &o, &s, &why), FINF_EDOM);
    ck_assert(s == NULL && strstr(why.text, "row 1, column 1") != NULL);
    ck_assert_int_eq(finf_stream_new_matrix(B, 0, D, &o, &s, NULL), FINF_EDOM);
    finf_stream_free(white);
    finf_system_free(me);
}
END_TEST

/* Products z_t z_{t+k}, averaged over a long stream, against the autocorrelation of beta from rest;
 * the standard error is that of the mean over independent coordinates. All together are a chi^2. */
START_TEST(covariance)
{
    NEEDS("libsodium");
    enum { D = 256, T = 600, LAGS = 6 };
    const char *noises[] = {"sgd", "blt:0.99,0.8;0.06,0.3", "strategy:1,0.5,0.375",
                            "beta:1,-0.7,0.2", "nu:0.02"};
    double sum = 0, *z = malloc(T * D * sizeof *z), beta[T];
    int count = 0;
    ck_assert_ptr_nonnull(z);
    for (size_t i = 0; i < COUNT(noises); i++) {
        finf_stream_options o = seeded(40 + i);
        finf_noise *noise;
        o.steps = T;
        finf_stream *s = make_stream(noises[i], D, &o);
        take(s, T, z);
        finf_noise_parse(noises[i], &noise, NULL);
        finf_noise_beta(noise, T, beta, NULL);
        for (size_t k = 0; k < LAGS; k++) {
            double expected = 0, r = 0, mean = 0, square = 0;
            for (size_t t = 0; t + k < T; t++) {
                r += beta[t] * beta[t + k];
                expected += r;
            }
            for (size_t j = 0; j < D; j++) {
                double x = 0;
                for (size_t t = 0; t + k < T; t++) x += z[t * D + j] * z[(t + k) * D + j];
                mean += x / D;
                square += x * x / D;
            }
            double error = sqrt((square - mean * mean) / (D - 1)),
                   score = (mean - expected) / error;
            ck_assert_msg(fabs(score) < 4, "%s, lag %zu: %.6g, expected %.6g, z = %.2f", noises[i],
                          k, mean, expected, score);
            sum += score * score;
            count++;
        }
        finf_noise_free(noise);
        finf_stream_free(s);
    }
    /* 30 scores, those of one noise not independent: a wide interval about 30 */
    ck_assert_msg(count == 30 && sum > 8 && sum < 75, "sum of squares of %d scores: %.1f", count,
                  sum);
    free(z);
}
END_TEST

/* ---- the same bits --------------------------------------------------------------------------- */

/* A part of the coordinates, from any one on, has the bits of the whole; also where it is longer
 * than a tile. */
START_TEST(shards)
{
    NEEDS("libsodium");
    enum { D = 2500, N = 5 };
    static double whole[N * D], part[N * D];
    const size_t bounds[][2] = {{0, 1},    {1, 7},       {5, 32},  {8, 16},
                                {7, 2493}, {1017, 1100}, {2499, 1}};
    for (size_t i = 0; i < COUNT(NOISES); i++) {
        finf_stream_options o = seeded(7);
        finf_stream *s = make_stream(NOISES[i].spelling, D, &o);
        take(s, N, whole);
        finf_stream_free(s);
        for (size_t b = 0; b < COUNT(bounds); b++) {
            o.first = bounds[b][0];
            o.count = bounds[b][1];
            s = make_stream(NOISES[i].spelling, D, &o);
            take(s, N, part);
            for (size_t t = 0; t < N; t++)
                ck_assert_msg(memcmp(part + t * o.count, whole + t * D + o.first,
                                     o.count * sizeof *part) == 0,
                              "%s, coordinates %zu and %zu more, step %zu", NOISES[i].spelling,
                              bounds[b][0], bounds[b][1], t);
            finf_stream_free(s);
        }
    }
}
END_TEST

/* Steps that are left out, and steps after a state was saved and restored, have the bits of an
 * uninterrupted run; the state is a function of key and step. */
START_TEST(skip_and_restore)
{
    NEEDS("libsodium");
    enum { D = 13, N = 40 };
    static double whole[N * D], part[N * D];
    const size_t at[] = {0, 1, 2, 5, 19, 33};
    for (size_t i = 0; i < COUNT(NOISES); i++)
        for (size_t a = 0; a < COUNT(at); a++) {
            finf_stream_options o = seeded(8), fresh = finf_stream_options_default();
            o.first = fresh.first = 3;
            o.count = fresh.count = 0;
            fresh.steps = STEPS;
            finf_stream *s = make_stream(NOISES[i].spelling, D + 3, &o),
                        *jumped = make_stream(NOISES[i].spelling, D + 3, &o),
                        *other = make_stream(NOISES[i].spelling, D + 3, &fresh);
            size_t size = finf_stream_state_size(s);
            unsigned char *state = malloc(size), *state_2 = malloc(size);
            ck_assert(state && state_2);
            take(s, at[a], whole);
            ck_assert_int_eq(finf_stream_state(s, state, size, NULL), FINF_OK);
            take(s, N - at[a], whole + at[a] * D);
            ck_assert_int_eq(finf_stream_skip(jumped, at[a], NULL, NULL), FINF_OK);
            ck_assert_uint_eq(finf_stream_describe(jumped).step, at[a]);
            take(jumped, N - at[a], part);
            ck_assert_msg(memcmp(part, whole + at[a] * D, (N - at[a]) * D * sizeof *part) == 0,
                          "%s, %zu steps left out", NOISES[i].spelling, at[a]);
            take(other, 3, part);
            ck_assert(!finf_stream_describe(other).seeded);
            ck_assert_int_eq(finf_stream_restore(other, state, size, NULL), FINF_OK);
            ck_assert(finf_stream_describe(other).seeded);
            ck_assert_uint_eq(finf_stream_describe(other).step, at[a]);
            ck_assert_int_eq(finf_stream_state(other, state_2, size, NULL), FINF_OK);
            ck_assert_mem_eq(state, state_2, size);
            take(other, N - at[a], part);
            ck_assert_msg(memcmp(part, whole + at[a] * D, (N - at[a]) * D * sizeof *part) == 0,
                          "%s, restored at %zu", NOISES[i].spelling, at[a]);
            finf_stream_free(s);
            finf_stream_free(jumped);
            finf_stream_free(other);
            free(state);
            free(state_2);
        }
}
END_TEST

/* A finite beta goes far at once. */
START_TEST(far)
{
    NEEDS("libsodium");
    finf_stream_options o = seeded(9);
    o.steps = 0;
    finf_stream *s = make_stream("beta:1,-0.5", 4, &o), *white = make_stream("sgd", 4, &o);
    double z[4], w[8];
    finf_reason why;
    ck_assert_int_eq(finf_stream_skip(s, 1ull << 62, NULL, NULL), FINF_OK);
    ck_assert_int_eq(finf_stream_skip(white, (1ull << 62) - 1, NULL, NULL), FINF_OK);
    take(s, 1, z);
    take(white, 2, w);
    for (int j = 0; j < 4; j++) ck_assert(z[j] == w[4 + j] + -0.5 * w[j]);
    ck_assert_int_eq(finf_stream_skip(s, ~0ull, NULL, &why), FINF_EDOM);
    finf_stream_free(s);
    finf_stream_free(white);
}
END_TEST

START_TEST(floats)
{
    NEEDS("libsodium");
    enum { D = 1500 };
    static double z[3 * D];
    static float x[3 * D];
    finf_stream_options o = seeded(10);
    o.sigma = 0.3;
    finf_stream *s = make_stream("blt:0.9;0.3", D, &o);
    o.dtype = FINF_STREAM_F32;
    finf_stream *f = make_stream("blt:0.9;0.3", D, &o);
    for (size_t t = 0; t < 3; t++) {
        finf_stream_next(s, z + t * D, NULL);
        finf_stream_next(f, x + t * D, NULL);
    }
    for (size_t i = 0; i < 3 * D; i++) ck_assert(x[i] == (float)z[i]);
    ck_assert(finf_stream_describe(f).dtype == FINF_STREAM_F32);
    finf_stream_free(s);
    finf_stream_free(f);
}
END_TEST

/* ---- keys ------------------------------------------------------------------------------------ */

START_TEST(keys)
{
    NEEDS("libsodium");
    finf_stream_options plain = finf_stream_options_default(), o = plain, seed1 = seeded(1),
                        seed2 = seeded(2);
    finf_stream *a = make_stream("sgd", 8, &plain), *b = make_stream("sgd", 8, NULL),
                *c = make_stream("sgd", 8, &seed1), *d = make_stream("sgd", 8, &seed2);
    unsigned char key[FINF_STREAM_KEY], other[FINF_STREAM_KEY];
    double x[8], y[8];
    finf_stream_key(a, key);
    finf_stream_key(b, other);
    ck_assert_mem_ne(key, other, sizeof key);
    ck_assert(!finf_stream_describe(a).seeded && finf_stream_describe(c).seeded);
    o.key = key;
    finf_stream *same = make_stream("sgd", 8, &o);
    ck_assert(!finf_stream_describe(same).seeded);
    take(a, 1, x);
    take(same, 1, y);
    ck_assert_mem_eq(x, y, sizeof x);
    take(b, 1, y);
    for (int j = 0; j < 8; j++) ck_assert(x[j] != y[j]);
    take(c, 1, x);
    take(d, 1, y);
    for (int j = 0; j < 8; j++) ck_assert(x[j] != y[j]);
    finf_stream_key(c, key);
    finf_stream_key(d, other);
    ck_assert(key[0] == 1 && other[0] == 2 && memcmp(key + 8, "finf experiment, seeded:", 24) == 0);
    finf_stream *all[] = {a, b, c, d, same};
    for (size_t i = 0; i < COUNT(all); i++) finf_stream_free(all[i]);
    finf_stream_free(NULL);
}
END_TEST

/* The bits of a seed do not change between versions, compilers or machines. ChaCha20 in Python and
 * mpmath give these numbers to one unit in the last place. */
START_TEST(pinned)
{
    NEEDS("libsodium");
    const double expected[] = {-0x1.309e8976f4ecap-3, 0x1.46338de42cd2p-1,   -0x1.460c6dd791f0cp-2,
                               0x1.48b6c1922da1bp-4,  -0x1.1a4506de323cfp-1, -0x1.f337a12a7ae4ap-2,
                               0x1.0e1ccdd1e4ea1p+0,  -0x1.393ad88e94cc1p-2};
    finf_stream_options o = seeded(1);
    finf_stream *s = make_stream("blt:0.9,0.5;0.2,0.1", 4, &o);
    double z[8];
    take(s, 2, z);
    for (int j = 0; j < 8; j++)
        ck_assert_msg(z[j] == expected[j], "number %d: %a, pinned %a", j, z[j], expected[j]);
    finf_stream_free(s);
    /* a whole run by transforms: the numbers are whole_runs' to check, the bits are here */
    const double last[] = {-0x1.e577fd3f12e76p-1, 0x1.3540e3d530642p-1, -0x1.8437ea812cfb8p-1,
                           -0x1.800347f48d5c9p-1};
    o.steps = 200;
    s = make_stream("power:0.4,0.25", 4, &o);
    finf_stream_skip(s, o.steps - 1, NULL, NULL);
    take(s, 1, z);
    for (int j = 0; j < 4; j++)
        ck_assert_msg(z[j] == last[j], "power, number %d: %a, pinned %a", j, z[j], last[j]);
    finf_stream_free(s);
}
END_TEST

/* ---- what is refused ------------------------------------------------------------------------- */

/* Every byte of a state that is changed is noticed, as is every length; and the stream is as it
 * was. */
START_TEST(malformed_states)
{
    NEEDS("libsodium");
    finf_stream_options o = seeded(11);
    finf_stream *s = make_stream("blt:0.9,0.5;0.2,0.1", 3, &o);
    size_t size = finf_stream_state_size(s);
    unsigned char *state = malloc(size + 1), *before = malloc(size), *after = malloc(size);
    double z[3];
    finf_reason why;
    ck_assert(state && before && after);
    take(s, 1, z);
    ck_assert_int_eq(finf_stream_state(s, state, size, NULL), FINF_OK);
    ck_assert_int_eq(finf_stream_state(s, state, size - 1, &why), FINF_EDOM);
    take(s, 1, z);
    finf_stream_state(s, before, size, NULL);
    for (size_t i = 0; i < size; i++) {
        state[i] ^= (unsigned char)(1 + i % 255);
        ck_assert_int_eq(finf_stream_restore(s, state, size, &why), FINF_EPARSE);
        state[i] ^= (unsigned char)(1 + i % 255);
        ck_assert_int_eq(finf_stream_restore(s, state, i, &why), FINF_EPARSE);
    }
    state[size] = 0;
    ck_assert_int_eq(finf_stream_restore(s, state, size + 1, &why), FINF_EPARSE);
    finf_stream_state(s, after, size, NULL);
    ck_assert_mem_eq(before, after, size);
    const struct {
        const char *spelling;
        unsigned long long dim, first;
        double sigma;
        int good;
    } others[] = {
        {"blt:0.9,0.5;0.2,0.1", 3, 0, 1, 1},
        {"blt:0.9,0.5;0.2,0.11", 3, 0, 1, 0},
        {"sgd", 3, 0, 1, 0},
        {"strategy:1,0.2,0.1", 3, 0, 1, 0},
        {"blt:0.9,0.5;0.2,0.1", 3, 1, 1, 0},
        {"blt:0.9,0.5;0.2,0.1", 4, 0, 1, 0},
        {"blt:0.9,0.5;0.2,0.1", 3, 0, 2, 0},
    };
    for (size_t i = 0; i < COUNT(others); i++) {
        finf_stream_options x = seeded(12);
        x.first = others[i].first;
        x.sigma = others[i].sigma;
        finf_stream *t = make_stream(others[i].spelling, others[i].dim, &x);
        ck_assert_msg(finf_stream_restore(t, state, size, &why) ==
                          (others[i].good ? FINF_OK : FINF_EDOM),
                      "row %zu: %s", i, why.text);
        finf_stream_free(t);
    }
    finf_stream_free(s);
    free(state);
    free(before);
    free(after);
}
END_TEST

static int stop_at;
static int stop(void *data)
{
    (void)data;
    return --stop_at <= 0;
}

START_TEST(refused)
{
    NEEDS("libsodium");
    finf_noise *noise;
    finf_stream *s;
    finf_reason why;
    finf_stream_options o = finf_stream_options_default();
    unsigned char key[FINF_STREAM_KEY] = {0};
    double z[4];
    finf_noise_power(0.4, 0.1, &noise, NULL);
    ck_assert_int_eq(finf_stream_new(noise, 4, &o, &s, &why), FINF_EUSAGE);
    ck_assert_str_eq(why.text,
                     "power has no recursion: its past must be kept, so say for how many steps");
    ck_assert_ptr_null(s);
    o.steps = 2;
    ck_assert_int_eq(finf_stream_new(noise, 0, &o, &s, &why), FINF_EDOM);
    ck_assert_int_eq(finf_stream_new(noise, (1ull << 62) + 1, &o, &s, &why), FINF_EDOM);
#ifndef __SANITIZE_ADDRESS__ /* which ends the program there */
    ck_assert_int_eq(finf_stream_new(noise, 1ull << 60, &o, &s, &why), FINF_ENOMEM);
    ck_assert_ptr_nonnull(strstr(why.text, "1 vectors of"));
#endif
    o.first = 4;
    ck_assert_int_eq(finf_stream_new(noise, 4, &o, &s, &why), FINF_EDOM);
    o.first = 2;
    o.count = 3;
    ck_assert_int_eq(finf_stream_new(noise, 4, &o, &s, &why), FINF_EDOM);
    ck_assert_str_eq(why.text, "coordinates 2 to 4: the stream has those from 0 to 3");
    o.first = o.count = 0;
    for (int i = 0; i < 3; i++) {
        o.sigma = i == 0 ? 0 : i == 1 ? NAN : INFINITY;
        ck_assert_int_eq(finf_stream_new(noise, 4, &o, &s, &why), FINF_EDOM);
    }
    o.sigma = 1;
    o.dtype = (finf_stream_dtype)2;
    ck_assert_int_eq(finf_stream_new(noise, 4, &o, &s, &why), FINF_EUSAGE);
    o.dtype = FINF_STREAM_F64;
    o.key = key;
    o.seeded = 1;
    ck_assert_int_eq(finf_stream_new(noise, 4, &o, &s, &why), FINF_EUSAGE);
    o.seeded = 0;
    ck_assert_int_eq(finf_stream_new(noise, 4, &o, &s, &why), FINF_OK);
    ck_assert_int_eq(finf_stream_skip(s, 3, NULL, &why), FINF_EDOM);
    take(s, 1, z);
    take(s, 1, z);
    ck_assert_int_eq(finf_stream_next(s, z, &why), FINF_EDOM);
    finf_stream_free(s);
    finf_noise_free(noise);
    finf_cancel cancel = {stop, NULL};
    s = make_stream("blt:0.5;0.1", 4, NULL);
    unsigned char state[256];
    ck_assert_int_eq(finf_stream_state(s, state, sizeof state, NULL), FINF_OK);
    stop_at = 5;
    ck_assert_int_eq(finf_stream_skip(s, 100, &cancel, &why), FINF_ETOL);
    ck_assert_int_eq(finf_stream_next(s, z, &why), FINF_EUSAGE);
    ck_assert_int_eq(finf_stream_skip(s, 1, NULL, &why), FINF_EUSAGE);
    ck_assert_int_eq(finf_stream_state(s, state + 128, 128, &why), FINF_EUSAGE);
    ck_assert_int_eq(finf_stream_restore(s, state, finf_stream_state_size(s), &why), FINF_OK);
    ck_assert_int_eq(finf_stream_next(s, z, &why), FINF_OK);
    finf_stream_free(s);
    ck_assert_str_eq(finf_stream_dtype_name(FINF_STREAM_F32), "f32");
}
END_TEST

/* The transforms of a whole run can be stopped; the stream is then as it was. */
START_TEST(stopped_in_transforms)
{
    NEEDS("libsodium");
    enum { WIDE = 300, LENGTH = 50 };
    finf_stream_options o = finf_stream_options_default();
    o.steps = LENGTH;
    o.seeded = 1;
    finf_stream *stopped = make_stream("power:0.4,0.1", WIDE, &o),
                *other = make_stream("power:0.4,0.1", WIDE, &o);
    finf_cancel cancel = {stop, NULL};
    finf_reason why = {""};
    double z[WIDE], same[WIDE];
    stop_at = 2;
    ck_assert_int_eq(finf_stream_skip(stopped, 0, &cancel, &why), FINF_ETOL);
    ck_assert_ptr_nonnull(strstr(why.text, "stopped"));
    stop_at = 1000;
    ck_assert_int_eq(finf_stream_skip(stopped, 0, &cancel, &why), FINF_OK);
    ck_assert_int_lt(stop_at, 1000);
    for (int t = 0; t < LENGTH; t++) {
        ck_assert_int_eq(finf_stream_next(stopped, z, &why), FINF_OK);
        ck_assert_int_eq(finf_stream_next(other, same, &why), FINF_OK);
        ck_assert_mem_eq(z, same, sizeof z);
    }
    finf_stream_free(stopped);
    finf_stream_free(other);
}
END_TEST

START_TEST(without_memory)
{
    NEEDS("libsodium");
    finf_noise *noise;
    double B[4] = {1, 0, 0.5, 1};
    finf_noise_power(0.4, 0.1, &noise, NULL);
    finf_stream_options o = seeded(3);
    o.steps = 5;
    for (int which = 0; which < 2; which++)
        for (long left = 1; left < 10; left++) {
            finf_stream *s;
            allocations_left = left;
            finf_status status = which ? finf_stream_new_matrix(B, 2, 4, &o, &s, NULL)
                                       : finf_stream_new(noise, 4, &o, &s, NULL);
            allocations_left = -1;
            ck_assert(status == FINF_OK ? s != NULL : s == NULL && status == FINF_ENOMEM);
            finf_stream_free(s);
        }
    /* the room of a transform: the stream stays, and the next call has it */
    double z[4];
    int failed = 0;
    o.steps = STEPS;
    for (long left = 0; left < 6; left++) {
        finf_stream *s;
        ck_assert_int_eq(finf_stream_new(noise, 4, &o, &s, NULL), FINF_OK);
        allocations_left = left;
        finf_status status = finf_stream_next(s, z, NULL);
        allocations_left = -1;
        ck_assert(status == FINF_OK || status == FINF_ENOMEM);
        failed += status == FINF_ENOMEM;
        ck_assert_int_eq(finf_stream_next(s, z, NULL), FINF_OK);
        finf_stream_free(s);
    }
#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__
    if (!getenv("VALGRIND")) ck_assert_int_ge(failed, 4);
#else
    ck_assert_int_eq(failed, 0);
#endif
    finf_noise_free(noise);
}
END_TEST

/* Where libsodium is not there it is said so, and nothing else happens. */
START_TEST(without_libsodium)
{
    if (has_part("libsodium")) return;
    finf_noise *noise;
    finf_stream *s;
    finf_reason why;
    finf_noise_sgd(&noise);
    ck_assert_int_eq(finf_stream_new(noise, 4, NULL, &s, &why), FINF_EUSAGE);
    ck_assert(s == NULL && strstr(why.text, "libsodium") != NULL);
    finf_noise_free(noise);
}
END_TEST

static TCase *make(void)
{
    TCase *tc = tcase_create("stream");
    tcase_add_test(tc, rfc_encryption);
    tcase_add_test(tc, rfc_key_stream);
    tcase_add_test(tc, words_by_blocks);
    tcase_add_test(tc, box_muller);
    tcase_add_test(tc, moments);
    tcase_add_test(tc, kolmogorov_smirnov);
    tcase_add_test(tc, convolution);
    tcase_add_test(tc, whole_runs);
    tcase_add_test(tc, matrix);
    tcase_add_test(tc, covariance);
    tcase_add_test(tc, shards);
    tcase_add_test(tc, skip_and_restore);
    tcase_add_test(tc, stopped_in_transforms);
    tcase_add_test(tc, far);
    tcase_add_test(tc, floats);
    tcase_add_test(tc, keys);
    tcase_add_test(tc, pinned);
    tcase_add_test(tc, malformed_states);
    tcase_add_test(tc, refused);
    tcase_add_test(tc, without_memory);
    tcase_add_test(tc, without_libsodium);
    return tc;
}

int main(void) { return run_suite("stream", make); }
