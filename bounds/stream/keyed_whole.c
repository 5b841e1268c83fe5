/* All steps of a run drawn at once, for noise without a recursion (FILTER_WHOLE). (theory 13.5) */
#include <stdlib.h>
#include <string.h>

#include "keyed_stream.h"
#include "whole_run.h"

#define WHOLE_TILE 64 /* coordinates that are drawn together */

/* The first steps by sums, from the nearest step to the farthest, as FILTER_INPUTS does: their bits
 * do not depend on how long the run is. z: `steps` rows of WHOLE_TILE numbers. */
FINF_VECTOR static void first_sums(const double *beta, size_t steps, const double *restrict w,
                                   double *restrict z)
{
    for (size_t t = 0; t < steps; t++) {
        double sum[WHOLE_TILE];
        for (size_t j = 0; j < WHOLE_TILE; j++) sum[j] = beta[0] * w[t * WHOLE_TILE + j];
        for (size_t lag = 1; lag <= t; lag++)
            for (size_t j = 0; j < WHOLE_TILE; j++)
                sum[j] += beta[lag] * w[(t - lag) * WHOLE_TILE + j];
        memcpy(z + t * WHOLE_TILE, sum, sizeof sum);
    }
}

/* Coordinates a .. a+n-1 of this stream, for all steps; `room` has WHOLE_TILE numbers a step, those
 * of the run and then of the first ones again. */
static void fill_tile(finf_stream *s, whole_run *run, size_t a, size_t n, double *room)
{
    uint64_t at = s->first + a, begin = at - at % KEYED_BLOCK;
    size_t steps = s->filter.n, first = steps < FINF_STREAM_SUMS ? steps : FINF_STREAM_SUMS;
    size_t before = (size_t)(at - begin);
    size_t drawn = (before + n + KEYED_BLOCK - 1) / KEYED_BLOCK * KEYED_BLOCK;
    double *sums = room + steps * WHOLE_TILE;
    for (size_t t = 0; t < steps; t++)
        keyed_normals(s->sodium, s->key, t, begin, drawn, room + t * WHOLE_TILE);
    first_sums(s->filter.coef, first, room, sums);
    for (size_t j = 0; j < drawn && steps > first; j += WHOLE_RUN_COORDINATES)
        whole_run_apply(run, room + j, WHOLE_TILE);
    for (size_t t = 0; t < steps; t++)
        memcpy(s->state + t * s->count + a, (t < first ? sums : room) + t * WHOLE_TILE + before,
               n * sizeof *room);
}

finf_status keyed_whole_fill(finf_stream *s, const finf_cancel *cancel, finf_reason *why)
{
    size_t steps = s->filter.n, rows = steps + FINF_STREAM_SUMS;
    whole_run *run = whole_run_make(s->filter.coef, steps);
    double *room = calloc(rows * WHOLE_TILE, sizeof *room);
    finf_status status = run && room ? FINF_OK : FINF_ENOMEM;
    for (size_t a = 0, n; a < s->count && !status; a += n) {
        n = WHOLE_TILE - (size_t)((s->first + a) % KEYED_BLOCK); /* then at a block's beginning */
        if (n > s->count - a) n = s->count - a;
        fill_tile(s, run, a, n, room);
        if (cancel && finf_cancelled(*cancel)) status = FINF_ETOL;
    }
    if (room) s->sodium->wipe(room, rows * WHOLE_TILE * sizeof *room);
    whole_run_free(run);
    free(room);
    s->filled = !status;
    if (!status) return FINF_OK;
    return finf_why(why, status, "%s the transform of %zu steps",
                    status == FINF_ETOL ? "stopped in" : "no memory for", steps);
}
