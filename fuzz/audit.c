/* The FILE of audit, in every spelling, its claims, and the audit of what is read: the first byte
 * says what the others are. */
#define _GNU_SOURCE /* memfd_create */
#include <sys/mman.h>
#include <unistd.h>

#include "audit_file.h"
#include "fuzz.h"

#define QUOTED "a file\n" /* a reason may quote a line break of it */

static int file = -1;
static char path[64];

/* A file that is only in memory, with a name all the same. */
static void put(const uint8_t *data, size_t size)
{
    if (file < 0) {
        setenv("OPENBLAS_NUM_THREADS", "1", 0);
        file = memfd_create("fuzz", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    if (file < 0 || ftruncate(file, 0)) abort();
    if (size && pwrite(file, data, size, 0) != (ssize_t)size) abort();
}

/* What every audit owes: numbers with their errors, or none and a reason. */
static void judge(finf_status s, const finf_audit_result *r)
{
    CHECK(!s || r->reason.text[0], "no reason");
    CHECK(!s || (isnan(r->sens2.value) && !r->findings), "%g after a failure", r->sens2.value);
    if (s) return;
    CHECK(r->sens2.value > 0 && r->sens2.error >= 0, "sens2 = %g", r->sens2.value);
    CHECK(r->sens2_lower.value <= r->sens2.value * (1 + 1e-9), "%g attained", r->sens2_lower.value);
    CHECK(!isinf(r->sens2.value) || r->reason.text[0], "infinite, without a reason");
    CHECK(isnan(r->prefix_error_max.value) ||
              r->prefix_error_max.value >= r->prefix_error_mean.value * (1 - 1e-9),
          "largest %g, mean %g", r->prefix_error_max.value, r->prefix_error_mean.value);
    for (size_t i = 0; i < r->findings; i++)
        CHECK(r->finding[i].text[0] && finf_audit_level_name(r->finding[i].level), "finding %zu",
              i);
}

static void as_file(int coef, size_t steps)
{
    audit_file f;
    finf_audit_result r;
    finf_audit_options o = finf_audit_options_default();
    finf_audit_claim claim = {FINF_AUDIT_SENS2, 2, 1e-3};
    finf_reason why = {""};
    finf_status s = audit_file_read(path, coef, &f, &why);
    fuzz_answer(s, s ? NULL : f.noise ? (void *)f.noise : f.matrix, &why, QUOTED);
    o.claims = &claim;
    o.n_claims = 1;
    if (!s && f.noise) {
        o.steps = steps;
        o.participations = steps > 4 ? 3 : 1;
        o.separation = 2;
        judge(finf_audit_noise(f.noise, &o, &r), &r);
    } else if (!s && f.n <= 40) {
        o.participations = f.n > 4 ? 3 : 1;
        o.separation = 2;
        o.count = FINF_DESIGN_MIN_SEP;
        judge(finf_audit_matrix(f.matrix, f.n, f.coef, &o, &r), &r);
    }
    audit_file_free(&f);
}

static void as_claims(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    finf_audit_claim claims[FINF_AUDIT_CLAIMS_MAX];
    size_t n = 0;
    finf_reason why = {""};
    finf_status s = finf_audit_claims(text, claims, &n, &why);
    fuzz_answer(s, s ? NULL : claims, &why, text);
    CHECK(s || (n >= 1 && n <= FINF_AUDIT_CLAIMS_MAX), "%zu claims", n);
    for (size_t i = 0; i < n; i++)
        CHECK(claims[i].value > 0 && claims[i].tolerance > 0, "claim %zu: %g +- %g", i,
              claims[i].value, claims[i].tolerance);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    unsigned kind = data[0] % 7u;
    if (kind == 6)
        as_claims(data + 1, size - 1);
    else {
        put(data + 1, size - 1);
        as_file((int)(kind % 3) - 1, kind < 3 ? 0 : 12);
    }
    return 0;
}
