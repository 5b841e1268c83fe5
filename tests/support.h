/* What every suite shares: the three assertions a reference row gets, and a suite runner. */
#ifndef FINF_TEST_SUPPORT_H
#define FINF_TEST_SUPPORT_H

#include <check.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "finf.h"

#define COUNT(x) (sizeof(x) / sizeof *(x))

static inline double relative(double value, double ref)
{
    return ref == 0 ? fabs(value) : fabs(value - ref) / fabs(ref);
}

/* right: within tol; honest: the error reported covers the true one; useful: it is not larger than
 * `loose`. */
#define ASSERT_REAL(x, ref, tol, loose, ...)                                                       \
    do {                                                                                           \
        finf_real x_ = (x);                                                                        \
        double r_ = (ref);                                                                         \
        char what_[256];                                                                           \
        snprintf(what_, sizeof what_, __VA_ARGS__);                                                \
        if (isinf(r_)) {                                                                           \
            ck_assert_msg(isinf(x_.value), "%s: %.17g is not infinite", what_, x_.value);          \
            break;                                                                                 \
        }                                                                                          \
        ck_assert_msg(relative(x_.value, r_) <= (tol),                                             \
                      "%s: %.17g, reference %.17g, off by %.2g > %.2g", what_, x_.value, r_,       \
                      relative(x_.value, r_), (double)(tol));                                      \
        ck_assert_msg(fabs(x_.value - r_) <= x_.error, "%s: error %.2g does not cover %.2g",       \
                      what_, x_.error, fabs(x_.value - r_));                                       \
        ck_assert_msg(x_.error <= (loose)*fabs(r_) + 1e-300, "%s: error %.2g is not useful",       \
                      what_, x_.error);                                                            \
    } while (0)

#define ASSERT_NEAR(value, ref, tol, ...)                                                          \
    do {                                                                                           \
        double v_ = (value), r_ = (ref);                                                           \
        char what_[256];                                                                           \
        snprintf(what_, sizeof what_, __VA_ARGS__);                                                \
        if (isinf(r_))                                                                             \
            ck_assert_msg(isinf(v_), "%s: %.17g is not infinite", what_, v_);                      \
        else                                                                                       \
            ck_assert_msg(relative(v_, r_) <= (tol),                                               \
                          "%s: %.17g, reference %.17g, off by %.2g > %.2g", what_, v_, r_,         \
                          relative(v_, r_), (double)(tol));                                        \
    } while (0)

/* A small generator so that property tests are the same everywhere; the seed is printed with a
 * failure. */
typedef struct {
    unsigned long long s;
} rng;
static inline double uniform(rng *r)
{
    r->s = r->s * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(r->s >> 11) * 0x1p-53;
}
static inline double log_uniform(rng *r, double lo, double hi)
{
    return lo * pow(hi / lo, uniform(r));
}

/* A noise by its spelling (finf_noise_parse), where nu:paper is this nu. */
static inline finf_status noise_named(const char *spec, double paper, finf_noise **out,
                                      finf_reason *why)
{
    return strcmp(spec, "nu:paper") == 0 ? finf_noise_nu(paper, out, why)
                                         : finf_noise_parse(spec, out, why);
}

static inline int has_part(const char *name)
{
    finf_part p;
    for (size_t i = 0; (p = finf_part_get(i)).name; i++)
        if (strcmp(p.name, name) == 0) return p.version != NULL;
    return 0;
}

/* A test that needs Arb or ECOS where there is none is not run, and counted. */
static int skipped; /* a file that the processes of the tests share, a byte for each */
#define SKIP_UNLESS(there)                                                                         \
    do {                                                                                           \
        if (!(there)) {                                                                            \
            ck_assert_int_eq(write(skipped, ".", 1), 1);                                           \
            return;                                                                                \
        }                                                                                          \
    } while (0)
#define NEEDS(part) SKIP_UNLESS(has_part(part))

/* valgrind computes long double as double, and so has nothing to compare with. */
static inline int has_long_double(void)
{
    volatile long double one = 1, next = one + LDBL_EPSILON;
    return next != one;
}

static inline int run_suite(const char *name, TCase *(*make)(void))
{
    FILE *shared = tmpfile();
    if (!shared) return EXIT_FAILURE;
    skipped = fileno(shared);
    gsl_set_error_handler(NULL); /* GSL's own, which aborts: the library stays inside its domain */
    Suite *suite = suite_create(name);
    TCase *tc = make();
    tcase_set_timeout(tc, 400);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    long count = (long)lseek(skipped, 0, SEEK_END);
    if (count) printf("%ld skipped: Arb, ECOS or libsodium is not there\n", count);
    fclose(shared);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
