#include "kept.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "closest.h"
#include "spec.h"

/* What was asked for, as one text, and the object that it is: a linked list, as there are few. */
typedef struct kept {
    char *asked;
    finf_spectrum *H; /* one of the three */
    finf_optimizer *optimizer;
    finf_real number;
    struct kept *next;
} kept;

static kept *all_kept;
static size_t count; /* of them */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static kept *find(const char *asked)
{
    kept *k = all_kept;
    while (k && strcmp(k->asked, asked) != 0) k = k->next;
    return k;
}

static void release(kept *k)
{
    if (!k) return;
    finf_spectrum_free(k->H);
    finf_optimizer_free(k->optimizer);
    free(k->asked);
    free(k);
}

/* The text of a question, owned by the caller; NULL: no memory. */
static char *question(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *question(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    char *text = malloc((size_t)n + 1);
    va_start(ap, format);
    if (text) vsnprintf(text, (size_t)n + 1, format, ap);
    va_end(ap);
    return text;
}

/* Makes the object of a request, which says what `asked` says, in k. */
typedef finf_status make_fn(const void *request, kept *k, finf_reason *why);

/* A new entry of the list, whose question is `asked`; what failed leaves none. */
static finf_status add(char *asked, make_fn *make, const void *request, kept **out,
                       finf_reason *why)
{
    kept *k = calloc(1, sizeof *k);
    if (!k) {
        free(asked);
        return finf_why(why, FINF_ENOMEM, "no memory");
    }
    k->asked = asked;
    finf_status s = make(request, k, why);
    if (s) {
        release(k);
        return s;
    }
    k->next = all_kept;
    all_kept = k;
    count++;
    *out = k;
    return FINF_OK;
}

/* The entry of a question, made now if nobody has asked it before; takes the text. */
static finf_status get(char *asked, make_fn *make, const void *request, kept **out,
                       finf_reason *why)
{
    finf_status s = FINF_OK;
    if (!asked) return finf_why(why, FINF_ENOMEM, "no memory");
    pthread_mutex_lock(&lock);
    *out = find(asked);
    if (*out)
        free(asked);
    else
        s = add(asked, make, request, out, why);
    pthread_mutex_unlock(&lock);
    return s;
}

/* ---- spectra --------------------------------------------------------------------------------- */

typedef struct {
    const char *text;
    double d;
    int normalize;
} spectrum_request;

static finf_status make_spectrum(const void *request, kept *k, finf_reason *why)
{
    const spectrum_request *r = request;
    finf_status s = spec_spectrum(r->text, r->d, &k->H, why);
    return !s && r->normalize ? finf_spectrum_normalize(k->H) : s;
}

finf_status spectrum_get(const char *text, double d, int normalize, const finf_spectrum **out,
                         finf_reason *why)
{
    spectrum_request r = {text, d, normalize};
    kept *k = NULL;
    finf_status s = get(question("spectrum %s %s %d", text, finf_show(d).s, normalize),
                        make_spectrum, &r, &k, why);
    *out = k ? k->H : NULL;
    return s;
}

/* ---- optimizers ------------------------------------------------------------------------------ */

typedef struct {
    const char *name, *average;
    double weight_decay;
} optimizer_request;

/* What may have been meant by an update rule or an average that is not known, behind the reason. */
static void suggest_rule(const char *given, const char *words, finf_reason *why)
{
    closest near = closest_to(given, strcspn(given, ":"));
    closest_try_words(&near, words);
    /* a known name with something wrong behind it has a reason of its own */
    if (!near.best[0] || near.distance == 0) return;
    size_t n = strlen(why->text);
    snprintf(why->text + n, sizeof why->text - n, "%s", closest_say(&near, "").text);
}

static finf_status make_optimizer(const void *request, kept *k, finf_reason *why)
{
    const optimizer_request *r = request;
    finf_status s = finf_optimizer_parse(r->name, r->average, r->weight_decay, &k->optimizer, why);
    if (s == FINF_EPARSE) {
        suggest_rule(r->name, "sgd|heavy-ball|nesterov|filter", why);
        if (r->average) suggest_rule(r->average, "ema|last|none", why);
    }
    return s;
}

finf_status optimizer_get(const char *name, const char *average, double weight_decay,
                          const finf_optimizer **out, finf_reason *why)
{
    optimizer_request r = {name, average, weight_decay};
    kept *k = NULL;
    finf_status s = get(
        question("optimizer %s %s %s", name, average ? average : "none", finf_show(weight_decay).s),
        make_optimizer, &r, &k, why);
    *out = k ? k->optimizer : NULL;
    return s;
}

/* ---- numbers --------------------------------------------------------------------------------- */

typedef struct {
    const finf_spectrum *H;
    double kurtosis;
    const finf_optimizer *optimizer;
} eta_max_request;

static finf_status make_eta_max(const void *request, kept *k, finf_reason *why)
{
    const eta_max_request *r = request;
    return finf_linreg_eta_max(r->H, r->kurtosis, r->optimizer, &k->number, why);
}

finf_status eta_max_get(const finf_spectrum *H, double kurtosis, const finf_optimizer *optimizer,
                        finf_real *out, finf_reason *why)
{
    eta_max_request r = {H, kurtosis, optimizer};
    kept *k = NULL;
    finf_status s = get(question("eta_max %p %s %p", (const void *)H, finf_show(kurtosis).s,
                                 (const void *)optimizer),
                        make_eta_max, &r, &k, why);
    *out = k ? k->number : finf_real_failed();
    return s;
}

typedef struct {
    double epsilon, delta;
} rho_request;

static finf_status make_rho(const void *request, kept *k, finf_reason *why)
{
    const rho_request *r = request;
    return finf_rho_gauss(r->epsilon, r->delta, &k->number, why);
}

finf_status rho_get(double epsilon, double delta, finf_real *out, finf_reason *why)
{
    rho_request r = {epsilon, delta};
    kept *k = NULL;
    finf_status s = get(question("rho %s %s", finf_show(epsilon).s, finf_show(delta).s), make_rho,
                        &r, &k, why);
    *out = k ? k->number : finf_real_failed();
    return s;
}

size_t kept_count(void)
{
    pthread_mutex_lock(&lock);
    size_t n = count;
    pthread_mutex_unlock(&lock);
    return n;
}

void kept_forget(void)
{
    pthread_mutex_lock(&lock);
    count = 0;
    while (all_kept) {
        kept *next = all_kept->next;
        release(all_kept);
        all_kept = next;
    }
    pthread_mutex_unlock(&lock);
}
