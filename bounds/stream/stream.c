/* Correlated Gaussian noise in blocks: normals w, and z = beta * w by one multiplication with B at
 * the frequencies 2 pi j/n between two FFTs. (theory 6.6) */
#include "stream.h"

#include <stdint.h>
#include <stdlib.h>

enum { LAYERS = 256 };             /* of the ziggurat */
#define GOLDEN 0x9e3779b97f4a7c15u /* 2^64 over the golden ratio: splitmix64's increment */

struct stream_source {
    uint64_t seed;        /* mixed once, so that neighbouring seeds are unlike */
    uint64_t state[4];    /* of xoshiro256++ */
    double x[LAYERS + 1]; /* the ziggurat: layer k is |x| < x[k], f[k] < y < f[k+1], */
    double f[LAYERS + 1]; /* f[k] = e^{-x[k]^2/2} */
    double *w;            /* the block of normals */
    double *z;            /* the block of noise; NULL if white */
    double complex *B;    /* the response at 2 pi j/n, j = 0..n/2; NULL if white */
    double complex *Z;    /* the transform of the present block */
};

/* ---- normals --------------------------------------------------------------------------------- */

/* xoshiro256++ (Blackman and Vigna), seeded afresh for every sequence, and a ziggurat (Marsaglia
 * and Tsang). Written out because gsl_ran_gaussian_ziggurat makes normals of 24 bits and calls its
 * generator through a pointer; this one has 53 bits and is faster. */

static inline uint64_t rotate(uint64_t x, int k) { return x << k | x >> (64 - k); }

static inline uint64_t next(uint64_t s[4])
{
    uint64_t out = rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return out;
}

/* Uniform on the multiples of 2^-53 in (0, 1]. */
static inline double uniform(uint64_t s[4]) { return (double)((next(s) >> 11) + 1) * 0x1p-53; }

/* splitmix64's output function: a bijection that makes consecutive numbers look independent. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* The tables of the ziggurat: 256 layers of equal area under e^{-x^2/2}, the lowest of which is the
 * rectangle |x| < R with the tail beyond R. */
static void ziggurat(struct stream_source *s)
{
    const double R = 3.6541528853610088; /* for which 256 layers fill the area exactly */
    double fR = exp(-R * R / 2), area = R * fR + sqrt(FINF_PI / 2) * erfc(R / sqrt(2));
    s->x[0] = area / fR;
    s->f[0] = 0;
    s->x[1] = R;
    s->f[1] = fR;
    for (int k = 2; k < LAYERS; k++) {
        s->f[k] = s->f[k - 1] + area / s->x[k - 1];
        s->x[k] = sqrt(-2 * log(s->f[k]));
    }
    s->x[LAYERS] = 0;
    s->f[LAYERS] = 1;
}

/* A normal given that it is above R (Marsaglia's method: exponentials, a part of them rejected). */
static double beyond(double R, uint64_t state[4])
{
    for (;;) {
        double a = -log(uniform(state)) / R, b = -log(uniform(state));
        if (2 * b > a * a) return R + a;
    }
}

/* n normals: a layer by the lowest 8 bits of a random number and a point in it by the highest 53.
 * It is taken at once if it lies under the layer above, else if it lies under the curve. */
static void normals(const struct stream_source *s, uint64_t state[4], size_t n, double *out)
{
    for (size_t i = 0; i < n;) {
        uint64_t u = next(state);
        size_t k = u % LAYERS;
        double x = (double)((int64_t)u >> 11) * 0x1p-52 * s->x[k];
        if (fabs(x) < s->x[k + 1])
            out[i++] = x;
        else if (k == 0)
            out[i++] = copysign(beyond(s->x[1], state), x);
        else if (s->f[k] + uniform(state) * (s->f[k + 1] - s->f[k]) < exp(-x * x / 2))
            out[i++] = x;
    }
}

normal_source *normal_source_make(unsigned long long seed)
{
    normal_source *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->seed = mix(seed + GOLDEN);
    ziggurat(s);
    return s;
}

void normal_source_seek(normal_source *s, unsigned long long index)
{
    for (unsigned i = 0; i < 4; i++) s->state[i] = mix(s->seed + GOLDEN * (4 * index + i + 1));
}

void normal_source_draw(normal_source *s, size_t n, double *out) { normals(s, s->state, n, out); }

void normal_source_free(normal_source *s) { free(s); }

/* ---- the stream ------------------------------------------------------------------------------ */

/* b(2-b)/n sum_k |B|^2/gap(b) over the frequencies of a block, beside T(b), its limit: they differ
 * where |B| has a peak that falls between two frequencies, or on one. */
finf_status noise_stream_fits(const finf_noise *noise, size_t n, double b, double tol, int *fits,
                              finf_reason *why)
{
    double T, relerr, sum = 0;
    *fits = 0;
    finf_status s = finf_noise_energy(noise, &b, 1, &T, &relerr, why);
    if (s) return s;
    for (size_t k = 0; k <= n / 2; k++) {
        double w = 2 * FINF_PI * (double)k / (double)n, half = sin(w / 2);
        double once = finf_noise_density(noise, w) / (b * b + 4 * (1 - b) * half * half);
        sum += k == 0 || k == n / 2 ? once : 2 * once;
    }
    *fits = fabs(b * (2 - b) * sum / (double)n - T) <= tol * T;
    return FINF_OK;
}

finf_status noise_stream_make(const finf_noise *noise, size_t n, unsigned long long seed,
                              noise_stream *out)
{
    struct stream_source *s = normal_source_make(seed);
    *out = (noise_stream){n, NULL, NULL, s};
    if (!s) return FINF_ENOMEM;
    out->w = out->z = s->w = malloc(n * sizeof *s->w);
    finf_status st = s->w ? FINF_OK : FINF_ENOMEM;
    if (!st && (!noise_is_white(noise))) {
        out->z = s->z = malloc(n * sizeof *s->z);
        s->B = malloc((n / 2 + 1) * sizeof *s->B);
        s->Z = malloc((n / 2 + 1) * sizeof *s->Z);
        st = s->z && s->B && s->Z ? noise_stream_response(noise, n, s->z, s->B) : FINF_ENOMEM;
    }
    if (st) noise_stream_free(out);
    return st;
}

finf_status noise_stream_block(noise_stream *out, unsigned long long index)
{
    struct stream_source *s = out->source;
    size_t n = out->n;
    normal_source_seek(s, index);
    normals(s, s->state, n, s->w);
    if (!s->B) return FINF_OK;
    finf_status st = series_transform(s->w, n, n, s->Z);
    for (size_t j = 0; j <= n / 2 && !st; j++) s->Z[j] *= s->B[j];
    return st ? st : series_untransform(s->Z, n, s->z);
}

void noise_stream_free(noise_stream *out)
{
    struct stream_source *s = out->source;
    if (s) {
        free(s->w);
        free(s->z);
        free(s->B);
        free(s->Z);
    }
    free(s);
    *out = (noise_stream){0};
}
