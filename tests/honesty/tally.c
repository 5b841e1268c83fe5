#include <pthread.h>

#include "honesty.h"
#include "sweep.h"

enum { KEYS = 128 };

typedef struct {
    const char *key;
    size_t n, room;
    double *ratio;    /* true error over claimed */
    size_t too_small; /* certainly */
    size_t open;      /* the reference is not sharp enough to tell */
    size_t infinite;  /* +inf, which no error goes with */
    size_t none;      /* the library answered NaN */
    double worst;
    char where[1900];
} row;

struct tally {
    pthread_mutex_t lock; /* of all that is counted: points run at the same time */
    size_t n;
    row rows[KEYS];
};

tally *tally_new(void)
{
    tally *t = calloc(1, sizeof *t);
    if (!t) exit(5);
    pthread_mutex_init(&t->lock, NULL);
    return t;
}

void tally_free(tally *t)
{
    for (size_t i = 0; i < t->n; i++) free(t->rows[i].ratio);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

static row *find(tally *t, const char *key)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->rows[i].key, key) == 0) return &t->rows[i];
    if (t->n == KEYS) exit(5);
    t->rows[t->n] = (row){.key = key, .worst = -1};
    return &t->rows[t->n++];
}

/* Of equal ones the first by name is shown, whichever came first. */
static void add(row *r, double ratio, const char *what)
{
    if (r->n == r->room) {
        r->room = r->room ? 2 * r->room : 256;
        r->ratio = realloc(r->ratio, r->room * sizeof *r->ratio);
        if (!r->ratio) exit(5);
    }
    r->ratio[r->n++] = ratio;
    if (ratio < r->worst || (ratio == r->worst && strcmp(what, r->where) >= 0)) return;
    r->worst = ratio;
    snprintf(r->where, sizeof r->where, "%s", what);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const row *)a)->key, ((const row *)b)->key);
}

size_t tally_print(tally *t)
{
    size_t too_small = 0, n = 0, open = 0;
    qsort(t->rows, t->n, sizeof *t->rows, by_key);
    printf("%-24s %8s %9s %9s %9s %9s %6s %6s %6s\n", "true/claimed", "claims", "median", "99%",
           "largest", "too small", "open", "inf", "none");
    for (size_t i = 0; i < t->n; i++) {
        const row *r = &t->rows[i];
        if (r->n) qsort(r->ratio, r->n, sizeof *r->ratio, by_size);
        double half = r->n ? r->ratio[(r->n - 1) / 2] : NAN,
               nearly = r->n ? r->ratio[(99 * r->n + 99) / 100 - 1] : NAN,
               most = r->n ? r->ratio[r->n - 1] : NAN;
        printf("%-24s %8zu %9.2g %9.2g %9.2g %9zu %6zu %6zu %6zu\n", r->key, r->n, half, nearly,
               most, r->too_small, r->open, r->infinite, r->none);
        too_small += r->too_small;
        open += r->open;
        n += r->n;
    }
    for (size_t i = 0; i < t->n; i++)
        if (t->rows[i].too_small)
            printf("FAILED: %s, the worst: %s\n", t->rows[i].key, t->rows[i].where);
    printf("%zu claims, %zu too small, %zu that the reference does not decide\n", n, too_small,
           open);
    return too_small;
}

/* ---- one point ---------------------------------------------------------------------------------
 */

/* splitmix64 (Steele, Lea and Flood 2014): any number is a good seed. */
static double unit(point *p)
{
    unsigned long long z = p->state += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

double uniform(point *p, double lo, double hi) { return lo + (hi - lo) * unit(p); }
double log_uniform(point *p, double lo, double hi) { return lo * pow(hi / lo, unit(p)); }
size_t whole(point *p, size_t below) { return (size_t)((double)below * unit(p)); }

/* Whether the number is one that an error goes with; one that is not is counted here. What Ctrl-C
 * cut short is neither. */
static int answered(point *p, const char *key, finf_real claim)
{
    if (sweep_interrupted(NULL)) return 0;
    if (isfinite(claim.value)) return 1;
    pthread_mutex_lock(&p->t->lock);
    row *r = find(p->t, key);
    r->none += isnan(claim.value) ? 1 : 0;
    r->infinite += isinf(claim.value) ? 1 : 0;
    pthread_mutex_unlock(&p->t->lock);
    return 0;
}

typedef struct {
    double ratio; /* NaN: not known */
    int too_small, open;
} verdict;

static void count(point *p, const char *key, verdict v, const char *what)
{
    pthread_mutex_lock(&p->t->lock);
    row *r = find(p->t, key);
    if (!isnan(v.ratio)) add(r, v.ratio, what);
    r->too_small += v.too_small ? 1 : 0;
    r->open += v.open ? 1 : 0;
    pthread_mutex_unlock(&p->t->lock);
}

void judge(point *p, const char *key, finf_real claim, const arb_t truth)
{
    char what[1900];
    if (!answered(p, key, claim)) return;
    arb_t miss;
    arf_t end;
    arb_init(miss);
    arf_init(end);
    arb_set_d(miss, claim.value);
    arb_sub(miss, truth, miss, 2 * BITS);
    arb_abs(miss, miss);
    arb_get_lbound_arf(end, miss, BITS);
    double least = fmax(arf_get_d(end, ARF_RND_DOWN), 0);
    arb_get_ubound_arf(end, miss, BITS);
    /* an error of 0 is claimed of numbers that are exact, which no ball is */
    double most = arf_get_d(end, ARF_RND_UP), error = fmax(claim.error, 1e-20 * fabs(claim.value));
    snprintf(what, sizeof what, "%s: %.17g +- %.3g, off by %.3g", p->what, claim.value, claim.error,
             least);
    /* a claim that is exact, of an error of 0, misses by none of it */
    double ratio = most > 0 ? (least + most) / 2 / error : 0;
    verdict v = {.ratio = arb_is_finite(truth) ? ratio : NAN,
                 .too_small = least > error,
                 .open = !(most <= error) && !(least > error)};
    count(p, key, v, what);
    arb_clear(miss);
    arf_clear(end);
}

void judge_sampled(point *p, const char *key, finf_real claim, double truth)
{
    char what[1900];
    if (!answered(p, key, claim)) return;
    double ratio = fabs(claim.value - truth) / claim.error;
    snprintf(what, sizeof what, "%s: %.17g +- %.3g, not %.17g", p->what, claim.value, claim.error,
             truth);
    count(p, key, (verdict){.ratio = ratio, .too_small = ratio > 6}, what);
}

finf_real with_relative(double value, double relerr)
{
    return (finf_real){value, relerr * fabs(value), ""};
}
