/* What the files of a keyed stream share. (theory 13.5-13.7) */
#ifndef FINF_KEYED_STREAM_H
#define FINF_KEYED_STREAM_H

#include "keyed_normals.h"
#include "noise_filter.h"

struct finf_stream {
    const sodium_library *sodium;
    unsigned char key[KEYED_KEY];
    int seeded;          /* the key is a seed's */
    double sigma;        /* of w */
    int floats;          /* what is given out, rounded to them */
    uint64_t dim;        /* coordinates of the whole */
    uint64_t first;      /* the first of those of this stream, */
    size_t count;        /* and how many they are */
    uint64_t step;       /* the next one */
    int stopped;         /* half way to it: only a state brings it back */
    noise_filter filter; /* made of the noise */
    double *state;       /* filter.rows x count numbers */
    int filled;          /* FILTER_WHOLE: the state is there */
    double *room;        /* FILTER_TAIL: room for the steps of some coordinates */
};

/* n numbers z into coordinates a .. of out, times sigma, as doubles or floats. */
void keyed_write(const finf_stream *s, const double *z, size_t a, size_t n, void *out);

/* Makes the state of FILTER_WHOLE. cancel may be NULL. Stopped, or without memory, the stream is as
 * it was. */
finf_status keyed_whole_fill(finf_stream *s, const finf_cancel *cancel, finf_reason *why);
/* FILTER_TAIL: the steps from s->step on, a multiple of NOISE_FILTER_AHEAD, into the state; the
 * present one out of it; and the bytes of a tile. */
void keyed_tail_fill(finf_stream *s);
void keyed_tail_read(const finf_stream *s, void *out);
size_t keyed_tail_room(void);

#endif
