/* Spectra of the Hessian, and sums over them that do not cost O(d). (theory 5.5)
 *
 * Everything summed over eigenvalues is smooth in log lambda (T is analytic for |arg lambda| < pi),
 * so a spectrum is first replaced by a short list of weighted nodes, the spectral measure.
 *
 *   formulas  the first eigenvalues singly, then blocks [m, M] of indices with M <= 2m, each by the
 *             16-point Gauss rule for a sum over integers (sumrule.c): about 16 nodes for every
 *             factor 2 in k, whatever d is
 *   lists     the eigenvalues of one octave [2^e, 2^(e+1)) share 22 Chebyshev nodes, with weights
 *             from their 22 Chebyshev moments; lambda = 0 is the nearest singularity, so that the
 *             remainder is (3 + sqrt 8)^-22 = 1e-17 */
#include "bounds.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sumrule.h"

typedef enum {
    SPECTRUM_POWER,
    SPECTRUM_EXP,
    SPECTRUM_FLAT,
    SPECTRUM_STEP,
    SPECTRUM_LIST
} spectrum_kind;

struct finf_spectrum {
    spectrum_kind kind;
    double rate;  /* the exponent a of k^-a, or r of e^{-r(k-1)} */
    double d;     /* dimension: a double, as it may be 1e15 */
    double unit;  /* eigenvalues are unit times those of the formula or the list */
    double max;   /* the largest eigenvalue, */
    double min;   /* the least, */
    double trace; /* and their sum, `unit` included in all three */
    double trace_error;
    double zeros; /* directions left out, as their eigenvalue is 0 */
    double rows;  /* of the data it is of; 0: it is not of data */
    /* computed eigenvalues: the absolute error of each, and what was below it is a zero; else 0 */
    double resolution;
    double *lambda; /* SPECTRUM_LIST: d of them, in any order */
};

/* ---- construction ---------------------------------------------------------------------------- */

/* Eigenvalue number k, from 1. For a formula k may lie between two integers, as the nodes of a
 * block do. */
static double at(const finf_spectrum *s, double k)
{
    switch (s->kind) {
    case SPECTRUM_POWER: return s->unit * pow(k, -s->rate);
    case SPECTRUM_EXP: return s->unit * exp(-s->rate * (k - 1));
    case SPECTRUM_FLAT: return s->unit;
    case SPECTRUM_STEP: return s->unit * (k < 2 ? 1 : 1 / s->d);
    case SPECTRUM_LIST: return s->unit * s->lambda[(size_t)k - 1];
    }
    return NAN;
}

double finf_spectrum_at(const finf_spectrum *s, double k)
{
    return k >= 1 && k <= s->d && k == floor(k) ? at(s, k) : NAN;
}

double finf_spectrum_dim(const finf_spectrum *s) { return s->d; }
double finf_spectrum_max(const finf_spectrum *s) { return s->max; }
double finf_spectrum_min(const finf_spectrum *s) { return s->min; }
double finf_spectrum_trace(const finf_spectrum *s) { return s->trace; }
double finf_spectrum_trace_error(const finf_spectrum *s) { return s->trace_error; }
double finf_spectrum_zeros(const finf_spectrum *s) { return s->zeros; }

finf_spectrum_facts finf_spectrum_describe(const finf_spectrum *s)
{
    return (finf_spectrum_facts){.given = s->d + s->zeros,
                                 .rank = s->d,
                                 .zeros = s->zeros,
                                 .rows = s->rows,
                                 .trace = s->trace,
                                 .condition = s->max / s->min,
                                 .resolution = s->resolution};
}

void finf_spectrum_free(finf_spectrum *s)
{
    if (!s) return;
    free(s->lambda);
    free(s);
}

/* A spectrum by formula. Its trace comes from its measure, like every other sum.
 * domain: d whole, from 1 to 1e15; rate >= 0; least eigenvalue at least 1e-50 */
static finf_status analytic(spectrum_kind kind, double rate, double d, finf_spectrum **out,
                            finf_reason *why)
{
    *out = NULL;
    if (!(d >= 1 && d <= FINF_DIM_MAX && d == floor(d)))
        return finf_why(why, FINF_EDOM, "dim = %s: must be a whole number from 1 to 1e15",
                        finf_show(d).s);
    if (!(rate >= 0 && isfinite(rate)))
        return finf_why(why, FINF_EDOM, "decay %s of the spectrum: must be >= 0 and finite",
                        finf_show(rate).s);
    finf_spectrum *s = calloc(1, sizeof *s);
    if (!s) return finf_why(why, FINF_ENOMEM, "no memory");
    *s = (finf_spectrum){.kind = kind, .rate = rate, .d = d, .unit = 1};
    s->max = at(s, 1);
    s->min = at(s, d);
    spectral_measure m = {0};
    finf_status status = FINF_OK;
    if (s->min < BOUNDS_TINY) {
        double range = -log(BOUNDS_TINY) / rate,
               most = kind == SPECTRUM_EXP ? 1 + floor(range) : floor(exp(range));
        status = finf_why(
            why, FINF_EDOM,
            "dim = %s: the last eigenvalue of this spectrum is below 1e-50; at most %s",
            finf_show(d).s, finf_show(most).s);
    } else if ((status = spectral_measure_make(s, s->max, &m)))
        finf_why(why, status, "no memory");
    if (status) {
        finf_spectrum_free(s);
        return status;
    }
    long double trace = 0;
    for (size_t i = 0; i < m.n; i++) {
        long double term = (long double)m.weight[i] * m.lambda[i];
        trace += term;
        s->trace_error += fabs((double)term) * spectral_measure_error(&m, i);
    }
    s->trace = (double)trace;
    s->trace_error += FINF_EPS * s->trace;
    spectral_measure_free(&m);
    *out = s;
    return FINF_OK;
}

finf_status finf_spectrum_power(double a, double d, finf_spectrum **out, finf_reason *why)
{
    return analytic(SPECTRUM_POWER, a, d, out, why);
}
finf_status finf_spectrum_exp(double r, double d, finf_spectrum **out, finf_reason *why)
{
    return analytic(SPECTRUM_EXP, r, d, out, why);
}
finf_status finf_spectrum_flat(double d, finf_spectrum **out, finf_reason *why)
{
    return analytic(SPECTRUM_FLAT, 0, d, out, why);
}
finf_status finf_spectrum_step(double d, finf_spectrum **out, finf_reason *why)
{
    return analytic(SPECTRUM_STEP, 0, d, out, why);
}

finf_status finf_spectrum_list(const double *lambda, size_t n, finf_spectrum **out,
                               finf_reason *why)
{
    *out = NULL;
    if (n == 0)
        return finf_why(why, FINF_EDOM, "the spectrum is empty: at least one eigenvalue is needed");
    double max = 0, min = INFINITY;
    long double trace = 0;
    size_t zeros = 0;
    for (size_t i = 0; i < n; i++) {
        zeros += lambda[i] == 0;
        if (lambda[i] == 0) continue;
        if (!(lambda[i] >= BOUNDS_TINY && lambda[i] <= BOUNDS_HUGE))
            return finf_why(why, FINF_EDOM,
                            "eigenvalue %zu is %s: must be 0, or from 1e-50 to 1e50", i + 1,
                            finf_show(lambda[i]).s);
        max = fmax(max, lambda[i]);
        min = fmin(min, lambda[i]);
        trace += lambda[i];
    }
    if (zeros == n)
        return finf_why(why, FINF_EDOM, "every eigenvalue is 0: there is no loss to be minimised");
    finf_spectrum *s = calloc(1, sizeof *s);
    double *copy = malloc((n - zeros) * sizeof *copy);
    if (!s || !copy) {
        free(s);
        free(copy);
        return finf_why(why, FINF_ENOMEM, "no memory for %zu eigenvalues", n);
    }
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (lambda[i] != 0) copy[kept++] = lambda[i];
    *s = (finf_spectrum){.kind = SPECTRUM_LIST,
                         .d = (double)kept,
                         .unit = 1,
                         .max = max,
                         .min = min,
                         .trace = (double)trace,
                         .trace_error = (double)trace *
                                        (FINF_EPS + (double)n * (double)LDBL_EPSILON),
                         .zeros = (double)zeros,
                         .lambda = copy};
    *out = s;
    return FINF_OK;
}

finf_status spectrum_computed(double *lambda, size_t n, const finf_spectrum_facts *f,
                              finf_spectrum **out, finf_reason *why)
{
    for (size_t i = 0; i < n; i++)
        if (lambda[i] <= f->resolution) lambda[i] = 0;
    finf_status status = finf_spectrum_list(lambda, n, out, why);
    if (status) return status;
    (*out)->zeros += f->zeros;
    (*out)->rows = f->rows;
    (*out)->resolution = f->resolution;
    (*out)->trace_error += (double)n * f->resolution;
    return FINF_OK;
}

finf_status finf_spectrum_again(const double *lambda, size_t n, const finf_spectrum_facts *known,
                                double trace_error, finf_spectrum **out, finf_reason *why)
{
    *out = NULL;
    const double given[] = {known->zeros, known->rows, known->resolution, trace_error};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (!(given[i] >= 0 && given[i] <= DBL_MAX))
            return finf_why(why, FINF_EDOM, "%g is known of a spectrum: must be finite, at least 0",
                            given[i]);
    finf_status status = finf_spectrum_list(lambda, n, out, why);
    if (status) return status;
    (*out)->zeros += known->zeros;
    (*out)->rows = known->rows;
    (*out)->resolution = known->resolution;
    (*out)->trace_error = fmax((*out)->trace_error, trace_error);
    return FINF_OK;
}

finf_status finf_spectrum_normalize(finf_spectrum *s)
{
    double top = s->max;
    s->unit /= top;
    s->trace /= top;
    s->trace_error = (s->trace_error + s->trace * s->resolution) / top + 2 * FINF_EPS * s->trace;
    s->min /= top;
    s->resolution /= top;
    s->max = 1;
    return FINF_OK;
}

/* ---- the measure ----------------------------------------------------------------------------- */

void spectral_measure_free(spectral_measure *m)
{
    free(m->lambda);
    free(m->weight);
    *m = (spectral_measure){0};
}

/* Appends a node; equal neighbours, as in a flat part, become one. `room` is the capacity of both
 * arrays. */
static finf_status push(spectral_measure *m, size_t *room, double lambda, double weight)
{
    if (m->n && m->lambda[m->n - 1] == lambda) {
        m->weight[m->n - 1] += weight;
        return FINF_OK;
    }
    if (m->n == *room) {
        size_t more = *room ? 2 * *room : 256;
        double *l = realloc(m->lambda, more * sizeof *l);
        if (l) m->lambda = l;
        double *w = realloc(m->weight, more * sizeof *w);
        if (w) m->weight = w;
        if (!l || !w) return FINF_ENOMEM;
        *room = more;
    }
    m->lambda[m->n] = lambda;
    m->weight[m->n++] = weight;
    return FINF_OK;
}

/* How far a block that starts at index k may reach: k changes by a factor 2 at most, and lambda by
 * a factor that keeps 16 nodes enough, 4 for k^-a and 2 for e^-rk. */
static double block_end(const finf_spectrum *s, double k, double fine)
{
    double reach = fine == 1 ? 2 * k : k * exp2(1 / fine);
    if (s->kind == SPECTRUM_POWER && s->rate > 2) reach = k * exp2(2 / (fine * s->rate));
    if (s->kind == SPECTRUM_EXP && s->rate > 0) reach = fmin(reach, k + M_LN2 / (fine * s->rate));
    return fmin(floor(reach), s->d);
}

#define SINGLE 64.0 /* this many leading eigenvalues are never grouped */

/* The measure of a formula. Where a block would be hardly longer than its rule has nodes, its
 * eigenvalues are taken singly instead. */
static finf_status measure_blocks(const finf_spectrum *s, double fine, spectral_measure *m)
{
    size_t room = 0;
    finf_status status = FINF_OK;
    double k = 1;
    for (; k <= s->d && k <= SINGLE && !status; k++) status = push(m, &room, at(s, k), 1);
    while (k <= s->d && !status) {
        double end = block_end(s, k, fine), N = end - k + 1, node[SUMRULE], weight[SUMRULE];
        if (N <= 2 * SUMRULE) {
            end = fmin(k + 2 * SUMRULE - 1, s->d);
            for (; k <= end && !status; k++) status = push(m, &room, at(s, k), 1);
            continue;
        }
        if (!sumrule_gauss(N, node, weight)) return FINF_ENOMEM;
        for (size_t i = 0; i < SUMRULE && !status; i++)
            status = push(m, &room, at(s, k + node[i]), weight[i]);
        k = end + 1;
    }
    return status;
}

#define CHEB 22      /* nodes and moments of an octave */
#define LANES 8      /* eigenvalues entered together */
#define OCTAVES 2048 /* as many as a double's exponent has values */

/* The Chebyshev moments of the eigenvalues lambda = (x+3)/2 2^e of one octave: sum T_k(x), k <
 * CHEB.
 */
typedef struct {
    size_t waiting;             /* numbers in the buffer */
    size_t flushes;             /* since the last carry */
    double buffer[LANES];       /* x in [-1,1) of eigenvalues not yet entered */
    double moment[CHEB][LANES]; /* sum T_k(x), lane by lane, since the last carry */
    long double total[CHEB];    /* and before it: a long plain sum of equal terms would drift */
} octave;

/* Enters the first `lanes` numbers of the buffer: LANES recurrences T_{k+1} = 2x T_k - T_{k-1} side
 * by side, since each alone would wait for its own last result. */
FINF_VECTOR static void flush(octave *o, size_t lanes)
{
    double x2[LANES], a[LANES], b[LANES];
    for (size_t i = 0; i < LANES; i++) {
        double x = i < lanes ? o->buffer[i] : 0;
        a[i] = i < lanes;
        b[i] = x * a[i];
        x2[i] = 2 * x;
    }
    for (size_t k = 0; k < CHEB; k++)
        for (size_t i = 0; i < LANES; i++) {
            double next = x2[i] * b[i] - a[i];
            o->moment[k][i] += a[i];
            a[i] = b[i];
            b[i] = next;
        }
    o->waiting = 0;
}

#define CARRY 64 /* flushes between two carries */
/* Moves the moments of all lanes into the totals. */
static void carry(octave *o)
{
    for (size_t k = 0; k < CHEB; k++)
        for (size_t i = 0; i < LANES; i++) {
            o->total[k] += o->moment[k][i];
            o->moment[k][i] = 0;
        }
    o->flushes = 0;
}

/* lambda = (x+3)/2 2^(e-1023) with x in [-1,1): returns the biased exponent e. By the bits of the
 * double, as frexp would be a call for each of perhaps 10^6 eigenvalues. */
static unsigned split(double lambda, double *x)
{
    uint64_t bits;
    memcpy(&bits, &lambda, sizeof bits);
    unsigned e = (unsigned)(bits >> 52);
    bits = (bits & 0xfffffffffffffu) | 0x3ff0000000000000u;
    memcpy(x, &bits, sizeof *x);
    *x = 2 * *x - 3;
    return e;
}

/* The part of an octave, of `fine` equal ones, that lambda is in, counted over all octaves; x is in
 * [-1,1) over that part. */
static size_t bin_of(double lambda, size_t fine, double *x)
{
    size_t e = split(lambda, x);
    if (fine == 1) return e;
    double place = (*x + 1) / 2 * (double)fine;
    size_t part = (size_t)place < fine ? (size_t)place : fine - 1;
    *x = 2 * (place - (double)part) - 1;
    return e * fine + part;
}

/* The nodes cos(pi (i+1/2)/CHEB) of an octave and their weights (1/CHEB) sum_k (2 - [k=0]) total_k
 * T_k(node_i): they give every polynomial of degree below CHEB in x the sum that the eigenvalues
 * give it. */
static finf_status octave_nodes(octave *o, size_t bin, size_t fine, double unit,
                                spectral_measure *m, size_t *room)
{
    flush(o, o->waiting);
    carry(o);
    for (size_t i = 0; i < CHEB; i++) {
        double angle = FINF_PI * ((double)i + 0.5) / CHEB, weight = 0;
        for (size_t k = 0; k < CHEB; k++)
            weight += (k ? 2 : 1) * (double)o->total[k] * cos((double)k * angle) / CHEB;
        double part = (double)(bin % fine), x = (cos(angle) + 1 + 2 * part) / (double)fine - 1;
        int e = (int)(bin / fine) - 1023;
        finf_status s = push(m, room, unit * ldexp(((fine == 1 ? cos(angle) : x) + 3) / 2, e),
                             weight);
        if (s) return s;
    }
    return FINF_OK;
}

/* The measure of a list: eigenvalues above `separate`, and those of octaves with no more of them
 * than nodes, stay single; the others go into their octave's moments. */
static finf_status measure_list(const finf_spectrum *s, double separate, size_t fine,
                                spectral_measure *m)
{
    size_t n = (size_t)s->d, room = 0, bins = OCTAVES * fine;
    octave **table = calloc(bins, sizeof *table);
    size_t *count = calloc(bins, sizeof *count);
    finf_status status = table && count ? FINF_OK : FINF_ENOMEM;
    double x, limit = separate / s->unit;
    for (size_t i = 0; i < n && !status; i++) count[bin_of(s->lambda[i], fine, &x)]++;
    for (size_t i = 0; i < n && !status; i++) {
        size_t e = bin_of(s->lambda[i], fine, &x);
        if (s->lambda[i] > limit || count[e] <= CHEB) {
            status = push(m, &room, s->unit * s->lambda[i], 1);
            continue;
        }
        octave *o = table[e];
        if (!o) o = table[e] = calloc(1, sizeof *o);
        if (!o)
            status = FINF_ENOMEM;
        else {
            o->buffer[o->waiting++] = x;
            if (o->waiting == LANES) {
                flush(o, LANES);
                o->flushes++;
            }
            if (o->flushes == CARRY) carry(o);
        }
    }
    int grouped = 0;
    for (size_t e = 0; e < bins && table; e++) {
        if (table[e] && !status) {
            grouped = 1;
            status = octave_nodes(table[e], e, fine, s->unit, m, &room);
        }
        free(table[e]);
    }
    if (grouped) m->rounding += 16;
    free(table);
    free(count);
    return status;
}

finf_status spectral_measure_make_fine(const finf_spectrum *s, double separate, size_t fine,
                                       spectral_measure *m)
{
    /* the errors, in units of rounding: division by the largest rounds twice; the moments of an
     * octave and the Gauss rule of a block are good to a few units; k^-a = e^{-a log k} and e^-rk
     * multiply the rounding of the exponent by the exponent, which is log(max/lambda) */
    *m = (spectral_measure){
        .max = s->max, .scaling = s->unit == 1 ? 0 : 2, .resolution = s->resolution};
    size_t room = 0;
    finf_status status = FINF_OK;
    switch (s->kind) {
    case SPECTRUM_FLAT: status = push(m, &room, s->unit, s->d); break;
    case SPECTRUM_STEP:
        m->rounding += 1;
        status = push(m, &room, s->unit, 1);
        if (!status && s->d > 1) status = push(m, &room, s->unit / s->d, s->d - 1);
        break;
    case SPECTRUM_LIST: status = measure_list(s, separate, fine, m); break;
    default:
        m->rounding += 8;
        m->decay = 2;
        status = measure_blocks(s, (double)fine, m);
    }
    if (status) spectral_measure_free(m);
    return status;
}
