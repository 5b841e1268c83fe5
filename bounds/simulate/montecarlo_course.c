/* The course of a simulation: chains in batches, batches in rounds on the threads, rounds until the
 * error is right. (theory 6.6)
 *
 * The answer is a function of the seed alone, whichever thread runs which batch: every batch has
 * its own generator, batches are added up in their order, and the sum is looked at after numbers of
 * them that do not depend on the threads.
 *
 * error:    a stationary chain gives its mean after a burn-in, a chain of T steps F(theta_T).
 *           Chains are independent, so that the standard error over them is honest whatever the
 *           correlation along a chain.
 * burn-in:  a bound of the transient where there is one (quadratics), else a guess: the means of
 *           the two halves of the chains are compared, and it is made longer until they agree. */
#include <gsl/gsl_cdf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "montecarlo.h"

enum { LEAST_BATCHES = 4 }; /* that an error is made from */
/* If the halves of the chains are further apart than this many standard errors, the burn-in was too
 * short. */
#define DRIFT_T 4.5

/* How far the simulation has come. */
typedef struct {
    plan *p;
    finf_simulate_result *out;
    worker *workers;
    unsigned long long first; /* number of the next batch: none is used twice */
    double burn;              /* the burn-in that is wanted, */
    double counted;           /* and how many times as many steps are counted after it */
    double budget;            /* steps that may still be taken */
} course;

/* sqrt(m2/((n-3) n)): the usual standard error times the standard deviation of Student's t, since
 * few chains, and stopping when the error looks small, would else flatter it. */
static double standard_error(double m2, double n)
{
    return n > 3 ? sqrt(m2 / ((n - 3) * n)) : INFINITY;
}

/* The square of the relative error over the one wanted: how many times as many chains are needed as
 * there are now. */
static double shortfall(const course *c, const tally *sum)
{
    double x = c->out->F.error / (c->p->o.relative_error * sum->mean);
    return x * x;
}

/* ---- a round of batches on the threads ------------------------------------------------------- */

typedef struct {
    const course *c;
    size_t n;                         /* batches, from number c->first on */
    tally *batches;                   /* what each of them gave, */
    batch_state *done;                /* and whether it did */
    atomic_size_t next;               /* the next batch to be taken by a thread */
    atomic_uint worker;               /* the next worker to be taken by a thread */
    _Atomic unsigned long long steps; /* steps so far, counted once for the LANES chains */
    atomic_int status;                /* the first failure */
    double expected;                  /* for the progress: the steps that all will take, */
    double mean;                      /* the mean so far, */
    double error;                     /* and its error */
} round_of;

/* Counts steps; the second form, on the caller's own thread, also reports the progress. */
static void tell_only(void *data, size_t steps)
{
    atomic_fetch_add(&((round_of *)data)->steps, steps);
}

static void tell_and_report(void *data, size_t steps)
{
    round_of *r = data;
    const finf_simulate_options *o = &r->c->p->o;
    double done = LANES * (double)(atomic_fetch_add(&r->steps, steps) + steps);
    o->progress(o->progress_data, r->c->out->steps + done, r->expected, r->mean, r->error);
}

/* What a thread does: batch after batch until there are no more. */
static void work(round_of *r, worker *w, void (*tell)(void *, size_t))
{
    for (size_t i; !atomic_load(&r->status) && (i = atomic_fetch_add(&r->next, 1)) < r->n;) {
        finf_status s = batch_run(w, r->c->first + i, &r->batches[i], &r->done[i], tell, r);
        if (s) atomic_store(&r->status, (int)s);
        if (plan_cancelled(r->c->p)) return;
    }
}

static void *run_thread(void *data)
{
    round_of *r = data;
    work(r, &r->c->workers[atomic_fetch_add(&r->worker, 1)], tell_only);
    return NULL;
}

/* Runs the batches of a round on the threads and adds them to `sum`, in their order. If there is
 * nothing else, batches that were interrupted in their first half count: better than nothing. */
static finf_status run_round(round_of *r, tally *sum)
{
    const finf_simulate_options *o = &r->c->p->o;
    pthread_t thread[THREADS_MOST];
    unsigned started = 0;
    r->batches = malloc(r->n * sizeof *r->batches);
    r->done = calloc(r->n, sizeof *r->done);
    finf_status s = r->batches && r->done ? FINF_OK : FINF_ENOMEM;
    if (!s) {
        atomic_init(&r->next, 0);
        atomic_init(&r->worker, 1);
        atomic_init(&r->steps, 0);
        atomic_init(&r->status, FINF_OK);
        while (started + 1 < o->threads && started + 1 < r->n) {
            /* if the system gives no more threads, fewer do the same work */
            if (pthread_create(&thread[started], NULL, run_thread, r)) break;
            started++;
        }
        work(r, &r->c->workers[0], o->progress ? tell_and_report : tell_only);
        for (unsigned i = 0; i < started; i++) pthread_join(thread[i], NULL);
        s = (finf_status)atomic_load(&r->status);
    }
    for (size_t i = 0; i < r->n && !s; i++)
        if (r->done[i] == BATCH_WHOLE) tally_add(sum, &r->batches[i]);
    for (size_t i = 0, none = sum->chains == 0; i < r->n && none && !s; i++)
        if (r->done[i] == BATCH_PART) tally_add(sum, &r->batches[i]);
    free(r->batches);
    free(r->done);
    return s;
}

/* The round that takes the number of batches of this length from `batches` to `next`. */
static finf_status one_round(course *c, tally *sum, size_t batches, size_t next)
{
    double cost = LANES * (double)c->p->length, before = c->out->steps;
    round_of r = {.c = c,
                  .n = next - batches,
                  .mean = batches ? sum->mean : NAN,
                  .error = batches ? c->out->F.error : INFINITY,
                  .expected = before + (double)(next - batches) * cost};
    if (batches)
        r.expected = fmax(
            r.expected,
            fmin(before + cost * (double)batches * (shortfall(c, sum) - 1), c->p->o.max_steps));
    finf_status s = run_round(&r, sum);
    c->first += r.n;
    c->out->steps += LANES * (double)atomic_load(&r.steps);
    return s ? finf_why(&c->out->reason, s, "no memory") : FINF_OK;
}

/* ---- chains of one length -------------------------------------------------------------------- */

/* FFT blocks longer than BLOCK_MOST: says which noise needs none. */
static finf_status no_room(const plan *p, finf_reason *why)
{
    return finf_why(why, FINF_EDOM,
                    "this noise is made in FFT blocks, and %zu chains of %zu steps in %zu "
                    "dimensions do not fit in memory; "
                    "nu, power and antipgd need none",
                    (size_t)LANES, p->length, p->d);
}

/* Blocks are doubled until the noise in them is that of theory 0.1, for the slowest direction and
 * for one that remembers nothing: a density with a narrow peak takes longer ones than the
 * recursion. */
static finf_status lengthen(plan *p, double slow, finf_reason *why)
{
    const double rate[2] = {fmin(slow, 1), 1}, tol = fmin(1e-4, 0.1 * p->o.relative_error);
    finf_status s = FINF_OK;
    for (int i = 0, fits = 0; i < 2 && !s; i += fits) {
        if ((double)p->block * (double)p->width > (double)BLOCK_MOST) return no_room(p, why);
        s = noise_stream_fits(p->noise, p->block, rate[i], tol, &fits, why);
        if (!fits) p->block *= 2;
    }
    return s;
}

/* The lengths of a chain: burn-in and `counted` times that, or less where `budget` steps are too
 * few for LEAST_BATCHES batches of it, but not less than once. For FFT noise a chain is a whole
 * block, at least 64 slow time constants long, where its being periodic matters by 1e-4 only. */
static finf_status set_lengths(plan *p, double burn, double counted, double slow, double budget,
                               finf_reason *why)
{
    const double most = 1e15;
    double measure = counted * burn, least = LEAST_BATCHES * LANES * 2 * burn;
    if (p->o.steps) {
        p->burn = 0;
        p->length = p->o.steps;
    } else {
        if (!(least <= budget))
            return finf_why(why, FINF_ETOL,
                            "max-steps = %s: too few; the start is forgotten in %.3g steps, and %d "
                            "chains of twice that are the least",
                            finf_show(budget).s, burn, LEAST_BATCHES * LANES);
        if (LEAST_BATCHES * LANES * (burn + measure) > budget)
            measure = budget / (LEAST_BATCHES * LANES) - burn;
        if (burn + measure > most) return FINF_EDOM;
        p->burn = (size_t)ceil(burn);
        p->length = p->burn + (size_t)ceil(measure);
    }
    if (p->source != SOURCE_BLOCK) return FINF_OK;
    double length = p->o.steps ? (double)p->o.steps : fmax((double)p->length, 64 / slow);
    size_t taps = noise_taps(p->noise);
    p->block = p->o.steps && p->o.steps <= 8 ? 8 : 16;
    while (((double)p->block < length || (!p->o.steps && p->block < 4 * taps)) &&
           p->block <= BLOCK_MOST)
        p->block *= 2;
    if ((double)p->block * (double)p->width > (double)BLOCK_MOST) return no_room(p, why);
    if (p->o.steps) return FINF_OK;
    finf_status s = lengthen(p, slow, why);
    p->length = p->block;
    return s;
}

/* Mean, standard error, and the 95% interval by Student's t: `t` is its quantile over the factor by
 * which standard_error exceeds the plain one. */
static void report(const plan *p, const tally *sum, finf_simulate_result *out)
{
    double n = sum->chains, e = standard_error(sum->m2, n);
    out->chains = n;
    out->burn_in = (double)p->burn;
    out->chain_steps = (double)p->length;
    out->clipped_fraction = sum->clipped;
    if (!(n > 3)) return;
    double t = gsl_cdf_tdist_Pinv(0.975, n - 1) * sqrt((n - 3) / (n - 1));
    out->F = finf_real_make(sum->mean, e, "independent chains");
    out->low = sum->mean - t * e;
    out->high = sum->mean + t * e;
}

typedef enum {
    MORE,   /* chains of this length */
    ENOUGH, /* the error is right */
    LONGER, /* chains: c->burn or c->counted has been changed */
    STOPPED /* for the reason in out->reason */
} verdict;

/* What to do after `batches` batches, of which `most` are allowed. */
static verdict judge(course *c, const tally *sum, size_t batches, double most)
{
    const plan *p = c->p;
    finf_simulate_result *out = c->out;
    int cancelled = plan_cancelled(p);
    if (!cancelled || sum->chains >= LEAST_BATCHES * LANES || isnan(out->F.value))
        report(p, sum, out);
    if (cancelled) {
        finf_why(&out->reason, FINF_ETOL, "interrupted: %s chains were long enough to be counted",
                 finf_show(out->chains).s);
        return STOPPED;
    }
    if (!isfinite(sum->mean) || !isfinite(sum->m2)) {
        out->F = finf_real_failed();
        out->low = out->high = NAN;
        finf_why(&out->reason, FINF_ETOL, "theta has grown beyond every double");
        return STOPPED;
    }
    if (!p->o.steps && fabs(sum->drift) > DRIFT_T * standard_error(sum->drift2, sum->chains)) {
        c->burn = 4 * (double)p->burn;
        return LONGER;
    }
    double times = shortfall(c, sum);
    if (times <= 1) return ENOUGH;
    if ((double)batches >= most) {
        finf_why(&out->reason, FINF_ETOL, "max-steps = %s: the relative error is %.2g, not %s",
                 finf_show(p->o.max_steps).s, out->F.error / sum->mean,
                 finf_show(p->o.relative_error).s);
        return STOPPED;
    }
    if (c->counted == 1 && p->source != SOURCE_BLOCK && !p->o.steps && times > 4 &&
        (double)batches < most / 8) {
        /* many more steps are needed: with longer chains fewer of them are burn-in */
        c->counted = fmin(times / 2, 8);
        return LONGER;
    }
    return MORE;
}

/* Chains of one length until the error is right; or *longer = 1: they should be longer instead. */
static finf_status one_length(course *c, int *longer)
{
    tally sum = {0};
    double cost = LANES * (double)c->p->length, most = floor(c->budget / cost);
    if (most < 1)
        return finf_why(&c->out->reason, FINF_ETOL,
                        "max-steps = %s: too few; %d chains side by side take %s",
                        finf_show(c->p->o.max_steps).s, LANES, finf_show(cost).s);
    verdict now = MORE;
    for (size_t batches = 0; now == MORE;) {
        /* the error is looked at rarely, so that stopping does not favour a lucky one */
        double next = batches
                          ? ceil((double)batches * fmin(fmax(1.02 * shortfall(c, &sum), 1.1), 8))
                          : LEAST_BATCHES;
        next = fmin(next, most);
        finf_status s = one_round(c, &sum, batches, (size_t)next);
        if (s) return s;
        batches = (size_t)next;
        now = judge(c, &sum, batches, most);
    }
    *longer = now == LONGER;
    return now == STOPPED ? FINF_ETOL : FINF_OK;
}

finf_status course_run(plan *p, double burn, double slow, finf_simulate_result *out)
{
    worker workers[THREADS_MOST] = {{0}};
    course c = {.p = p, .out = out, .workers = workers, .burn = burn, .counted = 1};
    finf_status s = FINF_OK;
    for (int longer = 1; longer && !s;) {
        unsigned made = 0;
        longer = 0;
        c.budget = p->o.max_steps - out->steps;
        s = set_lengths(p, c.burn, c.counted, slow, c.budget, &out->reason);
        if (!s) s = noise_set_response(p, &out->reason);
        for (; made < p->o.threads && !s; made++) s = worker_make(p, &workers[made]);
        if (s == FINF_ENOMEM) finf_why(&out->reason, s, "no memory");
        if (!s) s = one_length(&c, &longer);
        for (unsigned i = 0; i < made; i++) worker_free(&workers[i]);
    }
    if (!isfinite(out->F.error)) out->F = finf_real_failed();
    return s;
}
