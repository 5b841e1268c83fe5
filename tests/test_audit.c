/* bounds/audit/: what a given noise has, against brute force and dense matrices; its findings. */
#include "no_memory.h"
#include "support.h"

/* ---- the plain way --------------------------------------------------------------------------- */

#define MOST 64 /* rows */

/* V = M^{-1} of a lower triangular M, n x n, in long double. */
static void invert(const double *M, size_t n, long double *V)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            long double sum = i == j;
            for (size_t k = j; k < i; k++) sum -= M[i * n + k] * V[k * n + j];
            V[i * n + j] = i < j ? 0 : sum / M[i * n + i];
        }
}

static void widen(const double *M, size_t n, long double *out)
{
    for (size_t i = 0; i < n * n; i++) out[i] = M[i];
}

/* The mean and largest |p_t|^2, p_t the rows of A B by their definition. */
static void prefix_errors(const long double *B, size_t n, double *mean, double *most)
{
    long double sum = 0, largest = 0;
    for (size_t t = 0; t < n; t++) {
        long double variance = 0;
        for (size_t j = 0; j < n; j++) {
            long double p = 0;
            for (size_t i = 0; i <= t; i++) p += B[i * n + j];
            variance += p * p;
        }
        sum += variance;
        if (variance > largest) largest = variance;
    }
    *mean = (double)(sum / n);
    *most = (double)largest;
}

/* A pattern, as bits, of at most k of n steps: exactly b apart, or at least. */
static int allowed(unsigned pattern, size_t n, size_t k, size_t b, int fixed)
{
    size_t count = 0, last = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(pattern >> i & 1)) continue;
        if (count && (fixed ? i - last != b : i - last < b)) return 0;
        last = i;
        count++;
    }
    return count >= 1 && count <= k;
}

/* The largest |sum_{i in P} s_i c_i|^2 over all patterns and signs s, and the largest sum of
 * |<c_i, c_j>| over patterns, c_i the columns of C. */
static void by_brute_force(const long double *C, size_t n, size_t k, size_t b, int fixed,
                           double *attained, double *bound)
{
    *attained = *bound = 0;
    for (unsigned p = 1; p < 1u << n; p++) {
        if (!allowed(p, n, k, b, fixed)) continue;
        long double sum = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                if (!(p >> i & 1) || !(p >> j & 1)) continue;
                long double x = 0;
                for (size_t l = 0; l < n; l++) x += C[l * n + i] * C[l * n + j];
                sum += fabsl(x);
            }
        *bound = fmax(*bound, (double)sum);
        for (unsigned s = p;; s = (s - 1) & p) { /* all subsets of p have the sign - */
            long double norm2 = 0;
            for (size_t l = 0; l < n; l++) {
                long double x = 0;
                for (size_t i = 0; i < n; i++)
                    if (p >> i & 1) x += s >> i & 1 ? -C[l * n + i] : C[l * n + i];
                norm2 += x * x;
            }
            *attained = fmax(*attained, (double)norm2);
            if (!s) break;
        }
    }
}

static void random_matrix(rng *r, size_t n, int signs, double *M)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            M[i * n + j] = j > i ? 0 : j == i ? 0.5 + uniform(r) : uniform(r) - (signs ? 0.5 : 0);
}

/* ---- numbers --------------------------------------------------------------------------------- */

START_TEST(brute_force)
{
    static const size_t KB[][2] = {{1, 1}, {2, 1}, {2, 3}, {3, 2}, {4, 1}};
    double M[64];
    long double C[64];
    rng r = {17};
    for (int trial = 0; trial < 24; trial++) {
        size_t n = 4 + (size_t)trial % 5;
        int signs = trial % 2, noising = trial % 3 == 2;
        random_matrix(&r, n, signs, M);
        if (noising)
            invert(M, n, C);
        else
            widen(M, n, C);
        for (size_t i = 0; i < 2 * COUNT(KB); i++) {
            finf_audit_options o = finf_audit_options_default();
            finf_audit_result x;
            size_t k = KB[i / 2][0], b = KB[i / 2][1];
            double attained, bound;
            o.participations = k;
            o.separation = b;
            o.count = i % 2 ? FINF_DESIGN_MIN_SEP : FINF_DESIGN_FIXED_ORDER;
            if ((k - 1) * b >= n) continue;
            ck_assert_int_eq(
                finf_audit_matrix(M, n, noising ? FINF_AUDIT_NOISING : FINF_AUDIT_STRATEGY, &o, &x),
                FINF_OK);
            by_brute_force(C, n, k, b, i % 2 == 0, &attained, &bound);
            ASSERT_REAL(x.sens2, bound, 1e-12, 1e-11, "trial %d, k = %zu, b = %zu", trial, k, b);
            ck_assert_msg(x.sens2.value >= attained * (1 - 1e-12), "below what is attained");
            ck_assert_msg(x.sens2_lower.value <= attained * (1 + 1e-12), "more than is attained");
            if (x.sens2_exact)
                ASSERT_NEAR(x.sens2.value, attained, 1e-9, "exact, trial %d", trial);
            else
                ck_assert_msg(signs || noising, "trial %d: X >= 0, and not exact", trial);
            if (!signs && !noising) ck_assert_int_eq(x.sens2_exact, 1);
        }
    }
}
END_TEST

/* Signs that cancel whatever the contributions are: an upper bound, and said to be one. */
START_TEST(upper_bound)
{
    const double C[9] = {1, 0, 0, 1, 1, 0, -1, 1, 1}; /* X has the signs +, +, - about a triangle */
    long double wide[9];
    double attained, bound;
    finf_audit_options o = finf_audit_options_default();
    finf_audit_result x;
    const double D[9] = {1, 0, 0, 0.5, 1, 0, -0.9, 0.5, 1};
    o.participations = 3;
    for (int i = 0; i < 2; i++) {
        const double *M = i ? D : C;
        widen(M, 3, wide);
        by_brute_force(wide, 3, 3, 1, 1, &attained, &bound);
        ck_assert_int_eq(finf_audit_matrix(M, 3, FINF_AUDIT_STRATEGY, &o, &x), FINF_OK);
        ASSERT_NEAR(x.sens2.value, bound, 1e-14, "bound");
        if (attained >= bound * (1 - 1e-9)) continue;
        ck_assert_int_eq(x.sens2_exact, 0);
        ck_assert(x.sens2_lower.value <= attained * (1 + 1e-14));
    }
    ck_assert_msg(attained < 0.99 * bound, "the second is no example");
    /* a claim between the two is not refuted, one below is */
    finf_audit_claim c = {FINF_AUDIT_SENS2, 0.999 * bound, 1e-9};
    o.claims = &c;
    o.n_claims = 1;
    ck_assert_int_eq(finf_audit_matrix(D, 3, FINF_AUDIT_STRATEGY, &o, &x), FINF_OK);
    ck_assert_uint_eq(x.findings, 1);
    ck_assert_int_eq(x.finding[0].level, FINF_AUDIT_WARNING);
    ck_assert_msg(strstr(x.finding[0].text, "is not proved") != NULL, "%s", x.finding[0].text);
    c.value = 0.9 * x.sens2_lower.value;
    ck_assert_int_eq(finf_audit_matrix(D, 3, FINF_AUDIT_STRATEGY, &o, &x), FINF_OK);
    ck_assert_int_eq(x.finding[0].level, FINF_AUDIT_ERROR);
}
END_TEST

static const char *const NOISES[] = {"sgd",
                                     "nu:0.1",
                                     "cc",
                                     "antipgd:0.05",
                                     "beta:1,0.4,-0.3,0.2",
                                     "strategy:1,0.5,-0.25,0.125",
                                     "blt:0.9,0.5;0.2,0.1",
                                     "power:0.3,0.01",
                                     "product:0.1,0.6;0.5,-0.5"};

/* Toeplitz noise, its matrix, and the inverse of that, agree; prefix sums by their definition. */
START_TEST(prefix_sums)
{
    const size_t n = 40;
    double *c = malloc(n * sizeof *c), *M = calloc(n * n, sizeof *M);
    long double *C = malloc(n * n * sizeof *C), *B = malloc(n * n * sizeof *B);
    for (size_t i = 0; i < COUNT(NOISES); i++) {
        finf_noise *noise;
        finf_audit_result x, y, z;
        finf_audit_options o = finf_audit_options_default();
        double mean, most;
        o.steps = n;
        o.participations = 3;
        o.separation = 10;
        ck_assert_int_eq(finf_noise_parse(NOISES[i], &noise, NULL), FINF_OK);
        ck_assert_int_eq(finf_audit_noise(noise, &o, &x), FINF_OK);
        ck_assert_int_eq(finf_noise_coef(noise, n, c, NULL), FINF_OK);
        for (size_t t = 0; t < n; t++)
            for (size_t s = 0; s <= t; s++) M[t * n + s] = c[t - s];
        invert(M, n, B);
        prefix_errors(B, n, &mean, &most);
        /* c is given in doubles, so that the two may differ by what that does */
        ASSERT_NEAR(x.prefix_error_mean.value, mean, 1e-12, "mean of %s", NOISES[i]);
        ASSERT_NEAR(x.prefix_error.value, (double)n * mean, 1e-12, "sum of %s", NOISES[i]);
        ASSERT_NEAR(x.prefix_error_max.value, most, 1e-12, "largest of %s", NOISES[i]);
        ASSERT_NEAR(x.max_loss.value, x.sens2.value * most, 1e-12, "loss of %s", NOISES[i]);
        ck_assert_int_eq(finf_audit_matrix(M, n, FINF_AUDIT_STRATEGY, &o, &y), FINF_OK);
        ASSERT_REAL(y.prefix_error_mean, mean, 1e-12, 1e-10, "matrix of %s", NOISES[i]);
        ASSERT_REAL(y.prefix_error_max, most, 1e-12, 1e-10, "matrix of %s", NOISES[i]);
        ASSERT_NEAR(y.sens2.value, x.sens2.value, 1e-12, "sens2 of %s", NOISES[i]);
        ck_assert_int_eq(y.sens2_exact, x.sens2_exact);
        for (size_t k = 0; k < n * n; k++) M[k] = (double)B[k];
        ck_assert_int_eq(finf_audit_matrix(M, n, FINF_AUDIT_NOISING, &o, &z), FINF_OK);
        ASSERT_NEAR(z.prefix_error_mean.value, mean, 1e-12, "B of %s", NOISES[i]);
        ASSERT_NEAR(z.sens2.value, x.sens2.value, 1e-11, "B of %s", NOISES[i]);
        finf_noise_free(noise);
    }
    free(c);
    free(M);
    free(C);
    free(B);
}
END_TEST

/* Inverses that grow: the error reported covers what is lost. */
START_TEST(ill_conditioned)
{
    const size_t n = 40;
    double *M = malloc(n * n * sizeof *M), most_lost = 0;
    long double *V = malloc(n * n * sizeof *V);
    rng r = {5};
    for (int trial = 0; trial < 20; trial++) {
        finf_audit_result x;
        double mean, most, sens2 = 0;
        random_matrix(&r, n, 1, M);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++) M[i * n + j] *= 1.2;
        invert(M, n, V);
        prefix_errors(V, n, &mean, &most);
        ck_assert_int_eq(finf_audit_matrix(M, n, FINF_AUDIT_STRATEGY, NULL, &x), FINF_OK);
        ck_assert_msg(fabs(x.prefix_error_mean.value - mean) <= x.prefix_error_mean.error,
                      "trial %d", trial);
        ck_assert_msg(fabs(x.prefix_error_max.value - most) <= x.prefix_error_max.error, "trial %d",
                      trial);
        most_lost = fmax(most_lost, relative(x.prefix_error_mean.value, mean));
        for (size_t j = 0; j < n; j++) {
            long double sum = 0;
            for (size_t i = 0; i < n; i++) sum += V[i * n + j] * V[i * n + j];
            sens2 = fmax(sens2, (double)sum);
        }
        ck_assert_int_eq(finf_audit_matrix(M, n, FINF_AUDIT_NOISING, NULL, &x), FINF_OK);
        ck_assert_msg(fabs(x.sens2.value - sens2) <= x.sens2.error, "trial %d: sens2", trial);
    }
    ck_assert_msg(most_lost < 1e-6, "more is lost than these matrices do: %.2g", most_lost);
    free(M);
    free(V);
}
END_TEST

/* ---- figures of others ----------------------------------------------------------------------- */

START_TEST(figures)
{
    const double decay[] = {0.9999999999921251, 0.9944453083640997, 0.8985923474607591,
                            0.4912001418098778};
    const double scale[] = {0.0070314825502323835, 0.10613806907600574, 0.1898159060327625,
                            0.1966594748073734};
    const double decay2[] = {0.9999528892, 0.9857068667}, scale2[] = {0.0122853238, 0.1878393665};
    static const struct {
        size_t n, k, b;
        double sens2;
    } TREES[] = {{4, 2, 2, 8}, {5, 3, 2, 9}, {7, 4, 2, 11}, {7, 3, 3, 9}};
    finf_noise *noise;
    finf_system *tree;
    finf_audit_options o = finf_audit_options_default();
    finf_audit_result x;
    o.steps = 100;
    o.participations = 2;
    o.separation = 50;
    o.sigma = 1;
    ck_assert_int_eq(finf_noise_blt(decay, scale, 4, &noise, NULL), FINF_OK);
    ck_assert_int_eq(finf_audit_noise(noise, &o, &x), FINF_OK);
    ASSERT_NEAR(x.rho.value, 3.17226586, 1e-9, "zCDP of a BLT");
    ASSERT_NEAR(x.sens2.value, 6.344531723, 1e-10, "sens2 of a BLT");
    ck_assert_int_eq(x.sens2_exact, 1);
    finf_noise_free(noise);
    o = finf_audit_options_default();
    o.steps = 100000;
    ck_assert_int_eq(finf_noise_blt(decay2, scale2, 2, &noise, NULL), FINF_OK);
    ck_assert_int_eq(finf_audit_noise(noise, &o, &x), FINF_OK);
    ASSERT_NEAR(x.gamma2.value, 4.1669214, 1e-8, "gamma2 of a BLT");
    ASSERT_NEAR(sqrt(x.max_loss.value), 5.29674715, 1e-9, "largest loss of a BLT");
    finf_noise_free(noise);
    for (size_t i = 0; i < COUNT(TREES); i++)
        for (int count = 0; count < 2; count++) {
            o = finf_audit_options_default();
            o.participations = TREES[i].k;
            o.separation = TREES[i].b;
            o.count = count ? FINF_DESIGN_MIN_SEP : FINF_DESIGN_FIXED_ORDER;
            ck_assert_int_eq(finf_system_tree(TREES[i].n, &tree, NULL), FINF_OK);
            ck_assert_int_eq(finf_audit_system(tree, &o, &x), FINF_OK);
            ASSERT_REAL(x.sens2, TREES[i].sens2, 1e-15, 1e-13, "tree of %zu", TREES[i].n);
            ck_assert_str_eq(x.kind, "tree");
            finf_system_free(tree);
        }
}
END_TEST

/* ---- findings -------------------------------------------------------------------------------- */

/* What is audited, and what is found; "": nothing. k 2 and b 50 of 100 steps where steps is 100. */
static const struct {
    const char *noise;
    size_t steps;
    const char *claims;
    finf_audit_level level;
    const char *found;
} FINDINGS[] = {
    {"sgd", 0, "sens2=1,gamma2=1", 0, ""},
    {"nu:0.01", 0, "", 0, ""},
    {"blt:0.9,0.5;0.2,0.1", 100, "sens2=2.5980,max_loss=30.55", 0, ""},
    {"cc", 0, "", FINF_AUDIT_ERROR, "is infinite"},
    {"cc", 50, "", FINF_AUDIT_WARNING, "a noise for 50 steps and no more"},
    {"beta:1,-2", 0, "", FINF_AUDIT_ERROR, "over the 2 steps that coefficients are there for, 5"},
    {"blt:0.9999999999921251;0.0070314825502323835", 0, "", FINF_AUDIT_WARNING, "made for a run"},
    {"beta:1,0.5,0.375,0.3125", 0, "", FINF_AUDIT_WARNING, "read as strategy coefficients"},
    {"beta:1,0.5,0.375,0.3125", 4, "", FINF_AUDIT_WARNING, "mixed up"},
    {"strategy:1,-0.5,-0.125,-0.0625", 0, "", FINF_AUDIT_WARNING, "read as noising coefficients"},
    {"blt:0.9,0.5;-0.05,-0.1", 0, "", FINF_AUDIT_WARNING, "read as that of the noise B"},
    {"beta:1,-0.5,-0.125,-0.0625", 4, "", 0, ""},
    {"strategy:1,0.5,0.375,0.3125", 4, "", 0, ""},
    /* of separation 49, 51; of 1 and 3 participations */
    {"blt:0.9,0.5;0.2,0.1", 100, "sens2=2.59854085", FINF_AUDIT_WARNING, "2 participations 49"},
    {"blt:0.9,0.5;0.2,0.1", 100, "sens2=2.5975170992", FINF_AUDIT_ERROR, "2 participations 51"},
    {"blt:0.9,0.5;0.2,0.1", 100, "sens2=1.29658692", FINF_AUDIT_ERROR, "one participation"},
    /* the root, 4, 1/4, 2 and 1/2 of 2.598002266 */
    {"blt:0.9,0.5;0.2,0.1", 100, "sens2=1.61183196", FINF_AUDIT_ERROR, "sens2's root"},
    {"blt:0.9,0.5;0.2,0.1", 100, "sens2=10.392009", FINF_AUDIT_WARNING, "replace-one"},
    {"blt:0.9,0.5;0.2,0.1", 100, "sens2=0.64950057", FINF_AUDIT_ERROR, "replace-one"},
    {"blt:0.9,0.5;0.2,0.1", 100, "sens2=5.1960045", FINF_AUDIT_WARNING, "a factor 2"},
    {"blt:0.9,0.5;0.2,0.1", 100, "sens2=1.29900113", FINF_AUDIT_ERROR, "half"},
    {"blt:0.9,0.5;0.2,0.1", 100, "sens2=2", FINF_AUDIT_ERROR, "claimed sens2 = 2, but it is 2.59"},
    {"blt:0.9,0.5;0.2,0.1", 100, "prefix_error_mean=6", FINF_AUDIT_WARNING,
     "but it is 6.889043821"},
    /* sum of beta^2 instead of c^2, of 4 steps */
    {"strategy:1,0.5,0.375,0.3125", 4, "sens2=1.26953125", FINF_AUDIT_ERROR, "B in the place of C"},
    {"nu:0.1", 50, "gamma2=1.2", FINF_AUDIT_ERROR, "claimed gamma2"},
    {"nu:0.1", 0, "max_loss=1.52", FINF_AUDIT_WARNING, "cannot be checked"}};

START_TEST(findings)
{
    for (size_t i = 0; i < COUNT(FINDINGS); i++) {
        finf_audit_claim claims[FINF_AUDIT_CLAIMS_MAX];
        finf_audit_options o = finf_audit_options_default();
        finf_audit_result x;
        finf_noise *noise;
        finf_reason why = {""};
        o.steps = FINDINGS[i].steps;
        o.participations = o.steps == 100 ? 2 : 1;
        o.separation = 50;
        o.claims = claims;
        if (*FINDINGS[i].claims)
            ck_assert_msg(!finf_audit_claims(FINDINGS[i].claims, claims, &o.n_claims, &why), "%s",
                          why.text);
        ck_assert_int_eq(finf_noise_parse(FINDINGS[i].noise, &noise, NULL), FINF_OK);
        ck_assert_int_eq(finf_audit_noise(noise, &o, &x), FINF_OK);
        finf_noise_free(noise);
        const char *text = x.findings ? x.finding[0].text : "";
        ck_assert_msg(x.findings == (*FINDINGS[i].found != 0), "%s, %s: %zu findings: %s",
                      FINDINGS[i].noise, FINDINGS[i].claims, x.findings, text);
        ck_assert_msg(strstr(text, FINDINGS[i].found) != NULL, "%s, %s: '%s'", FINDINGS[i].noise,
                      FINDINGS[i].claims, text);
        ck_assert_msg(!x.findings || x.finding[0].level == FINDINGS[i].level, "%s, %s: level %d",
                      FINDINGS[i].noise, FINDINGS[i].claims, (int)x.finding[0].level);
    }
}
END_TEST

/* The transpose, and rows taken for columns. */
START_TEST(transposed)
{
    const double C[9] = {1, 0, 0, 0.5, 2, 0, 0.25, 0.5, 1},
                 T[9] = {1, 0.5, 0.25, 0, 2, 0.5, 0, 0, 1};
    finf_audit_options o = finf_audit_options_default();
    finf_audit_result x, y;
    finf_audit_claim c = {FINF_AUDIT_SENS2, 4.25, 1e-9};
    ck_assert_int_eq(finf_audit_matrix(C, 3, FINF_AUDIT_STRATEGY, NULL, &x), FINF_OK);
    ck_assert_uint_eq(x.findings, 0);
    ck_assert_int_eq(finf_audit_matrix(T, 3, FINF_AUDIT_STRATEGY, NULL, &y), FINF_OK);
    ck_assert_uint_eq(y.findings, 1);
    ck_assert_int_eq(y.finding[0].level, FINF_AUDIT_ERROR);
    ck_assert(strstr(y.finding[0].text, "upper triangular") != NULL);
    ck_assert(x.sens2.value == y.sens2.value && x.prefix_error.value == y.prefix_error.value);
    ASSERT_NEAR(x.sens2.value, 4.25, 1e-15, "columns");
    c.value = 4.25 + 1;
    o.claims = &c;
    o.n_claims = 1;
    const double D[4] = {1, 0, 2, 1}; /* columns 5 and 1, rows 1 and 5 */
    c.value = 5;
    ck_assert_int_eq(finf_audit_matrix(D, 2, FINF_AUDIT_STRATEGY, &o, &x), FINF_OK);
    ck_assert_uint_eq(x.findings, 0);
    const double E[9] = {1, 0, 0, 1, 1, 0, 1, 2, 3}; /* columns 3, 5, 9, rows 1, 2, 14 */
    c.value = 14;
    ck_assert_int_eq(finf_audit_matrix(E, 3, FINF_AUDIT_STRATEGY, &o, &x), FINF_OK);
    ck_assert_uint_eq(x.findings, 1);
    ck_assert_msg(strstr(x.finding[0].text, "of rows") != NULL, "%s", x.finding[0].text);
}
END_TEST

/* Sum and mean, with epsilon against finf_epsilon_gauss. */
START_TEST(batches)
{
    finf_noise *noise;
    finf_audit_options o = finf_audit_options_default();
    finf_audit_result x;
    finf_real epsilon;
    finf_audit_claim c = {FINF_AUDIT_EPSILON, 0, 0};
    ck_assert_int_eq(finf_noise_sgd(&noise), FINF_OK);
    o.sigma = 4;
    o.clip = 2;
    o.delta = 1e-5;
    ck_assert_int_eq(finf_audit_noise(noise, &o, &x), FINF_OK);
    ck_assert_int_eq(finf_epsilon_gauss(0.125, 1e-5, &epsilon, NULL), FINF_OK);
    ASSERT_REAL(x.rho, 0.125, 1e-15, 1e-14, "rho");
    ASSERT_REAL(x.epsilon, epsilon.value, 1e-15, 1e-12, "epsilon");
    ck_assert_uint_eq(x.findings, 0);
    o.sigma = 0.04; /* of the mean of 100 */
    o.batch = 100;
    ck_assert_int_eq(finf_audit_noise(noise, &o, &x), FINF_OK);
    ck_assert_uint_eq(x.findings, 1);
    ck_assert_msg(strstr(x.finding[0].text, "a sigma for the mean?") != NULL, "%s",
                  x.finding[0].text);
    o.sigma = 400; /* of the sum, times 100 */
    ck_assert_int_eq(finf_audit_noise(noise, &o, &x), FINF_OK);
    ck_assert_uint_eq(x.findings, 1);
    ck_assert(strstr(x.finding[0].text, "without need") != NULL);
    o.sigma = 4; /* right, but epsilon claimed as if of the mean */
    c.tolerance = 1e-6;
    o.claims = &c;
    o.n_claims = 1;
    ck_assert_int_eq(finf_epsilon_gauss(0.125e-4, 1e-5, &epsilon, NULL), FINF_OK);
    c.value = epsilon.value;
    ck_assert_int_eq(finf_audit_noise(noise, &o, &x), FINF_OK);
    ck_assert_uint_eq(x.findings, 1);
    ck_assert_msg(strstr(x.finding[0].text, "added to the mean of the batch") != NULL, "%s",
                  x.finding[0].text);
    finf_noise_free(noise);
}
END_TEST

START_TEST(claims)
{
    static const struct {
        const char *text;
        finf_status status;
        const char *why;
    } BAD[] = {{"", FINF_EPARSE, "NAME=NUMBER"},
               {"sens2", FINF_EPARSE, "NAME=NUMBER"},
               {"sens2=", FINF_EPARSE, "sens2"},
               {"sens2=x", FINF_EPARSE, "not a number"},
               {"sens2=1,", FINF_EPARSE, "NAME=NUMBER"},
               {"sens2=1,sens2=2", FINF_EPARSE, "twice"},
               {"sense=1", FINF_EPARSE, "'sense' is not known"},
               {"sens2=0", FINF_EDOM, "1e-50 to 1e50"},
               {"sens2=-1", FINF_EDOM, "1e-50 to 1e50"},
               {"sens2=nan", FINF_EPARSE, "sens2"},
               {"sens2=1;rho=2", FINF_EPARSE, "sens2"}};
    static const struct {
        const char *text;
        double value, tolerance;
    } GOOD[] = {{"sens2=6.3445", 6.3445, 5e-5},
                {"sens2=8", 8, 8e-3},
                {" sens2 = 8e3 ", 8000, 8},
                {"rho=1.25e-2", 0.0125, 1.25e-5},
                {"epsilon=2.00000000000000", 2, 2e-9},
                {"max_loss=28.05,sens2=1", 28.05, 5e-3}};
    finf_audit_claim c[FINF_AUDIT_CLAIMS_MAX];
    size_t n;
    for (size_t i = 0; i < COUNT(BAD); i++) {
        finf_reason why = {""};
        ck_assert_msg(finf_audit_claims(BAD[i].text, c, &n, &why) == BAD[i].status, "'%s'",
                      BAD[i].text);
        ck_assert_msg(strstr(why.text, BAD[i].why) != NULL, "'%s': %s", BAD[i].text, why.text);
    }
    for (size_t i = 0; i < COUNT(GOOD); i++) {
        ck_assert_msg(!finf_audit_claims(GOOD[i].text, c, &n, NULL), "'%s'", GOOD[i].text);
        ck_assert(c[0].value == GOOD[i].value);
        ASSERT_NEAR(c[0].tolerance, GOOD[i].tolerance, 1e-9, "'%s'", GOOD[i].text);
    }
    ck_assert_uint_eq(n, 2);
    ck_assert_int_eq(c[1].of, FINF_AUDIT_SENS2);
}
END_TEST

/* ---- failures -------------------------------------------------------------------------------- */

static void assert_failed(finf_status s, finf_status want, const finf_audit_result *x,
                          const char *text)
{
    ck_assert_msg(s == want, "%s: %s: %s", text, finf_status_name(s), x->reason.text);
    ck_assert_msg(strstr(x->reason.text, text) != NULL, "not '%s': %s", text, x->reason.text);
    ck_assert(isnan(x->sens2.value) && isinf(x->sens2.error) && isnan(x->prefix_error.value));
    ck_assert_uint_eq(x->findings, 0);
}

static int always(void *data)
{
    (void)data;
    return 1;
}

START_TEST(refused)
{
    double M[9] = {1, 0, 0, 0.5, 1, 0, 0.25, 0.5, 1};
    finf_audit_options d = finf_audit_options_default(), o;
    finf_audit_result x;
    finf_noise *noise;
    ck_assert_int_eq(finf_noise_sgd(&noise), FINF_OK);
#define REFUSED(status, text, set)                                                                 \
    do {                                                                                           \
        o = d;                                                                                     \
        set;                                                                                       \
        assert_failed(finf_audit_noise(noise, &o, &x), status, &x, text);                          \
    } while (0)
    REFUSED(FINF_EDOM, "sigma = 0", o.sigma = 0);
    REFUSED(FINF_EDOM, "clip = -1", o.clip = -1);
    REFUSED(FINF_EDOM, "clip = nan", o.clip = NAN);
    REFUSED(FINF_EDOM, "delta = 1", o.delta = 1);
    REFUSED(FINF_EDOM, "batch = 0", o.batch = 0);
    REFUSED(FINF_EDOM, "at least 1", o.participations = 0);
    REFUSED(FINF_EDOM, "at least 1", o.separation = 0);
    REFUSED(FINF_EUSAGE, "need the steps", o.participations = 2);
    REFUSED(FINF_EDOM, "need 101 steps: there are 100",
            (o.steps = 100, o.participations = 3, o.separation = 50));
    REFUSED(FINF_EDOM, "at most", o.steps = FINF_SYSTEM_MAX + 1);
    REFUSED(FINF_EUSAGE, "count", o.count = (finf_design_count)7);
    REFUSED(FINF_EDOM, "gives rho", o.sigma = 1e-40);
    REFUSED(FINF_ETOL, "stopped", o.cancel.poll = always);
    finf_audit_claim c = {FINF_AUDIT_RHO, 1, 0};
    d.claims = &c;
    d.n_claims = 1;
    REFUSED(FINF_EUSAGE, "needs sigma", (void)0);
    c.of = FINF_AUDIT_EPSILON;
    REFUSED(FINF_EUSAGE, "needs delta", o.sigma = 1);
    c.of = (finf_audit_quantity)99;
    REFUSED(FINF_EUSAGE, "no such quantity", (void)0);
    c = (finf_audit_claim){FINF_AUDIT_SENS2, NAN, 0};
    REFUSED(FINF_EDOM, "claim sens2 = nan", (void)0);
    finf_noise_free(noise);
    o = finf_audit_options_default();
    o.steps = 4;
    assert_failed(finf_audit_matrix(M, 3, FINF_AUDIT_STRATEGY, &o, &x), FINF_EDOM, &x,
                  "steps = 4, but it has 3");
    assert_failed(finf_audit_matrix(M, 0, FINF_AUDIT_STRATEGY, NULL, &x), FINF_EDOM, &x, "0 rows");
    assert_failed(finf_audit_matrix(M, 4097, FINF_AUDIT_STRATEGY, NULL, &x), FINF_EDOM, &x, "4097");
    assert_failed(finf_audit_matrix(M, 3, (finf_audit_coef)2, NULL, &x), FINF_EUSAGE, &x, "coef");
    M[2] = 1;
    assert_failed(finf_audit_matrix(M, 3, FINF_AUDIT_STRATEGY, NULL, &x), FINF_EDOM, &x, "C(1,3)");
    M[2] = 0;
    M[4] = 0;
    assert_failed(finf_audit_matrix(M, 3, FINF_AUDIT_NOISING, NULL, &x), FINF_EDOM, &x, "B(2,2)");
    M[3] = NAN;
    assert_failed(finf_audit_matrix(M, 3, FINF_AUDIT_STRATEGY, NULL, &x), FINF_EDOM, &x,
                  "C(2,1) = nan");
}
END_TEST

/* What overflows is infinite, with its reason and a finding; what is undecided is said. */
START_TEST(infinite)
{
    finf_noise *noise;
    finf_audit_options o = finf_audit_options_default();
    finf_audit_result x;
    o.steps = 2000;
    o.sigma = 1;
    o.delta = 1e-5;
    ck_assert_int_eq(finf_noise_parse("beta:1,-2", &noise, NULL), FINF_OK);
    ck_assert_int_eq(finf_audit_noise(noise, &o, &x), FINF_OK);
    ck_assert(isinf(x.sens2.value) && isinf(x.gamma2.value) && isinf(x.epsilon.value));
    ck_assert(x.reason.text[0] != 0);
    ck_assert_int_eq(x.minimum_phase, 0);
    ck_assert_int_eq(x.finding[0].level, FINF_AUDIT_ERROR);
    finf_noise_free(noise);
    ck_assert_ptr_null(finf_audit_level_name((finf_audit_level)9));
    ck_assert_str_eq(finf_audit_coef_name(FINF_AUDIT_STRATEGY), "strategy");
}
END_TEST

START_TEST(without_memory)
{
    double M[9] = {1, 0, 0, -0.5, 1, 0, -0.25, -0.5, 1}, sens2 = NAN;
    finf_audit_claim c = {FINF_AUDIT_SENS2, 1.1, 1e-9};
    finf_audit_options o = finf_audit_options_default();
    o.participations = 2;
    o.claims = &c;
    o.n_claims = 1;
    for (long k = 60; k >= 1; k--) {
        finf_audit_result x;
        allocations_left = k;
        finf_status s = finf_audit_matrix(M, 3, FINF_AUDIT_NOISING, &o, &x);
        allocations_left = -1;
        if (k == 60) {
            ck_assert_int_eq(s, FINF_OK);
            sens2 = x.sens2.value;
        }
        ck_assert_msg(s == FINF_OK || s == FINF_ENOMEM, "k = %ld: %s", k, finf_status_name(s));
        ck_assert_msg(s ? isnan(x.sens2.value) : x.sens2.value == sens2, "k = %ld", k);
    }
}
END_TEST

static TCase *make(void)
{
    TCase *tc = tcase_create("audit");
    tcase_add_test(tc, brute_force);
    tcase_add_test(tc, upper_bound);
    tcase_add_test(tc, prefix_sums);
    tcase_add_test(tc, ill_conditioned);
    tcase_add_test(tc, figures);
    tcase_add_test(tc, findings);
    tcase_add_test(tc, transposed);
    tcase_add_test(tc, batches);
    tcase_add_test(tc, claims);
    tcase_add_test(tc, refused);
    tcase_add_test(tc, infinite);
    tcase_add_test(tc, without_memory);
    return tc;
}

int main(void) { return run_suite("audit", make); }
