/* Counter-based normals: ChaCha20, then the method of Box and Muller. (theory 13.6)
 *
 * A ziggurat or a polar method draws again now and then, so that a number's place in the key stream
 * would depend on those before it; Box and Muller's takes two words for two normals, always.
 *
 * Logarithm, sine and cosine are written out, as series on reduced arguments, for two reasons: the
 * C library's differ in the last bit between versions and between processors, and workers must
 * agree on every bit; and these loops are compiled to vector instructions, which calls are not.
 * Only + - * / and sqrt of IEEE doubles are used, in a fixed order. */
#include "keyed_normals.h"

#include <string.h>

/* ---- words ----------------------------------------------------------------------------------- */

static void store64(unsigned char *to, uint64_t x)
{
    for (int i = 0; i < 8; i++) to[i] = (unsigned char)(x >> 8 * i);
}

static uint64_t load64(const unsigned char *from)
{
    uint64_t x = 0;
    for (int i = 0; i < 8; i++) x |= (uint64_t)from[i] << 8 * i;
    return x;
}

/* Word j of step t is bytes 8 (j mod 8) .. of block (j/8 mod 2^32) of the key stream with the nonce
 * (t, j/2^35), little-endian: 64 bits of t, then 32. */
void keyed_words(const sodium_library *sodium, const unsigned char key[KEYED_KEY], uint64_t step,
                 uint64_t first, size_t n, uint64_t *out)
{
    static const unsigned char zeros[8 * KEYED_TILE];
    unsigned char bytes[8 * KEYED_TILE], nonce[12];
    for (size_t done = 0; done < n;) {
        uint64_t block = (first + done) / KEYED_BLOCK, high = block >> 32;
        uint64_t room = (((high + 1) << 32) - block) * KEYED_BLOCK; /* until the nonce changes */
        size_t part = n - done < room ? n - done : (size_t)room;
        store64(nonce, step);
        for (int i = 0; i < 4; i++) nonce[8 + i] = (unsigned char)(high >> 8 * i);
        sodium->chacha20(bytes, zeros, 8 * part, nonce, (uint32_t)block, key);
        for (size_t i = 0; i < part; i++) out[done + i] = load64(bytes + 8 * i);
        done += part;
    }
}

/* ---- normals --------------------------------------------------------------------------------- */

static inline double as_double(uint64_t x)
{
    double d;
    memcpy(&d, &x, sizeof d);
    return d;
}

static inline uint64_t as_bits(double d)
{
    uint64_t x;
    memcpy(&x, &d, sizeof x);
    return x;
}

/* A whole number below 2^52, exactly: as the last digits of a double between 2^52 and 2^53. */
static inline double small(uint64_t x) { return as_double(x | 0x4330000000000000u) - 0x1p52; }

/* (x + 1/2) 2^-64, rounded once but for the one-half, which counts where x is small. */
static inline double fraction(uint64_t x)
{
    return (small(x >> 32) * 0x1p32 + (small(x & 0xffffffffu) + 0.5)) * 0x1p-64;
}

/* -log U for U = (x + 1/2) 2^-64. U = 2^e f with f in [sqrt(1/2), sqrt(2)), and log f = 2 atanh(s),
 * s = (f-1)/(f+1), |s| < 0.172, by its series: the first term left out is below 2^-60 of the sum.
 * For e = 0, f - 1 = -(1 - U) comes from 1 - U = (2^64 - 1 - x + 1/2) 2^-64 and has all its digits.
 */
static inline double minus_log(uint64_t x)
{
    const uint64_t root_half = 0x3fe6a09e667f3bcdu, one = 0x3ff0000000000000u;
    double U = fraction(x), rest = fraction(~x);
    uint64_t bits = as_bits(U), biased = (bits + (one - root_half)) >> 52; /* 1023 + e */
    double f = as_double(bits + one - (biased << 52)), e = small(biased) - 1023;
    uint64_t near_1 = -(uint64_t)(biased == 1023); /* all bits, or none: chosen without a branch */
    double above = as_double((as_bits(-rest) & near_1) | (as_bits(f - 1) & ~near_1));
    double s = above / (2 + above), q = s * s;
    double series = 1.0 / 23;
    series = series * q + 1.0 / 21;
    series = series * q + 1.0 / 19;
    series = series * q + 1.0 / 17;
    series = series * q + 1.0 / 15;
    series = series * q + 1.0 / 13;
    series = series * q + 1.0 / 11;
    series = series * q + 1.0 / 9;
    series = series * q + 1.0 / 7;
    series = series * q + 1.0 / 5;
    series = series * q + 1.0 / 3;
    series = 2 * s * q * series;
    /* log 2 in two parts, the first with few enough digits for its product with e to be exact */
    return -(e * 0x1.62e42fefap-1 + (2 * s + (series + e * 0x1.cf79abc9e3b3ap-40)));
}

/* sin x and (cos x - 1)/x^2 for |x| <= pi/4 by their series, to 2^-57 of the sum. */
static inline double sine(double x, double q)
{
    double series = 1.0 / 355687428096000;
    series = series * -q + 1.0 / 1307674368000;
    series = series * -q + 1.0 / 6227020800;
    series = series * -q + 1.0 / 39916800;
    series = series * -q + 1.0 / 362880;
    series = series * -q + 1.0 / 5040;
    series = series * -q + 1.0 / 120;
    series = series * -q + 1.0 / 6;
    return x - x * q * series;
}

static inline double cosine(double q)
{
    double series = 1.0 / 6402373705728000;
    series = series * -q + 1.0 / 20922789888000;
    series = series * -q + 1.0 / 87178291200;
    series = series * -q + 1.0 / 479001600;
    series = series * -q + 1.0 / 3628800;
    series = series * -q + 1.0 / 40320;
    series = series * -q + 1.0 / 720;
    series = series * -q + 1.0 / 24;
    return 1 - q / 2 + q * q * series;
}

/* The angle 2 pi y/2^64 is a whole number of quarter turns and a rest of at most an eighth, (y' -
 * 2^61) with y' = y + 2^61 mod 2^62. A quarter turn swaps cosine and sine and changes one sign. */
static inline void direction(uint64_t y, double *c, double *s)
{
    const double unit = 0x1.921fb54442d18p-62; /* 2 pi/2^64 */
    uint64_t shifted = y + 0x2000000000000000u, quarter = shifted >> 62;
    uint64_t low = shifted & 0x3fffffffffffffffu, odd = -(quarter & 1);
    double x = ((small(low >> 32) - 0x1p29) * 0x1p32 + small(low & 0xffffffffu)) * unit, q = x * x;
    uint64_t sine_bits = as_bits(sine(x, q)), cosine_bits = as_bits(cosine(q));
    uint64_t swap = (sine_bits ^ cosine_bits) & odd;
    *c = as_double(cosine_bits ^ swap ^ ((quarter ^ quarter >> 1) & 1) << 63);
    *s = as_double(sine_bits ^ swap ^ (quarter >> 1) << 63);
}

/* n even. The three loops are apart so that each becomes vector instructions; the square root,
 * which may set errno, does not. */
FINF_VECTOR static void box_muller(const uint64_t *words, size_t n, double *restrict out)
{
    double radius[KEYED_TILE / 2], c[KEYED_TILE / 2], s[KEYED_TILE / 2];
    for (size_t i = 0; i < n / 2; i++) radius[i] = 2 * minus_log(words[2 * i]);
    for (size_t i = 0; i < n / 2; i++) direction(words[2 * i + 1], &c[i], &s[i]);
    for (size_t i = 0; i < n / 2; i++) radius[i] = sqrt(radius[i]);
    for (size_t i = 0; i < n / 2; i++) {
        out[2 * i] = radius[i] * c[i];
        out[2 * i + 1] = radius[i] * s[i];
    }
}

void keyed_box_muller(const uint64_t *words, size_t n, double *out) { box_muller(words, n, out); }

void keyed_normals(const sodium_library *sodium, const unsigned char key[KEYED_KEY], uint64_t step,
                   uint64_t first, size_t n, double *out)
{
    uint64_t words[KEYED_TILE];
    keyed_words(sodium, key, step, first, n, words);
    box_muller(words, n, out);
}
