/* Correlated Gaussian noise in blocks, and plain normals, for simulations. (theory 6.6) */
#ifndef FINF_STREAM_H
#define FINF_STREAM_H

#include "family.h"

typedef struct {
    size_t n;                     /* length of a block */
    const double *w;              /* the present block: independent normals of variance 1, */
    const double *z;              /* and z_t = sum_s beta_s w_{t-s}, indices mod n */
    struct stream_source *source; /* owns both */
} noise_stream;

/* Blocks of n numbers, n a power of two, at least 4 times as long as a finite beta or c. A block is
 * one period of a periodic noise whose density is |B|^2 at the frequencies 2 pi j/n. beta is not
 * cut off, and for n much longer than the memory of B and of the recursion that the noise drives,
 * it cannot be told from the noise of theory 0.1: the difference is exponentially small, or n^-2
 * where |B| has a kink. */
/* Whether n is so long: what a filter that forgets by the factor 1 - b a step, 0 < b <= 1, makes of
 * the periodic noise is to `tol` of it what it makes of the noise, T(b) of theory 5. FINF_OK also
 * where it is not: see *fits. The other statuses are those of finf_noise_energy. */
finf_status noise_stream_fits(const finf_noise *noise, size_t n, double b, double tol, int *fits,
                              finf_reason *why);
finf_status noise_stream_make(const finf_noise *noise, size_t n, unsigned long long seed,
                              noise_stream *out);
/* Block number `index`: independent of every other, and the same whenever it is asked for. */
finf_status noise_stream_block(noise_stream *s, unsigned long long index);
void noise_stream_free(noise_stream *s);

/* Independent normals alone, in sequences that are independent of each other. */
typedef struct stream_source normal_source;
/* NULL: no memory. */
normal_source *normal_source_make(unsigned long long seed);
/* To the start of sequence number `index`; to be called before the first draw. */
void normal_source_seek(normal_source *s, unsigned long long index);
void normal_source_draw(normal_source *s, size_t n, double *out);
void normal_source_free(normal_source *s);

#endif
