/* What bench-compare reads: a line `"what": ratio` for each, appended to the file that FINF_BENCH
 * names. A ratio is time here over time there in one run, so that less is faster. */
#ifndef FINF_BENCH_RATIOS_H
#define FINF_BENCH_RATIOS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* CPU time: another program on the same cores does not change it much. */
static inline double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void ratio_note(const char *what, double here, double there)
{
    const char *path = getenv("FINF_BENCH");
    FILE *f = path ? fopen(path, "a") : NULL;
    if (!f) return;
    while (*what == ' ') what++;
    /* what is behind a colon was measured, and is another the next time */
    const char *end = strstr(what, ": ");
    int length = (int)(end ? end - what : (long)strlen(what));
    fprintf(f, "  \"%.*s\": %.4g\n", length, what, here / there);
    fclose(f);
}

/* Seconds that a fixed loop of divisions and roots takes, which no change to finf changes: what
 * stands there where there is no plain way to compare with. The least of five. */
static inline double ratio_yardstick(void)
{
    static double least = INFINITY;
    volatile double sink;
    if (isfinite(least)) return least;
    for (int turn = 0; turn < 5; turn++) {
        double x = 1, start = cpu_seconds();
        for (int k = 1; k < 10000000; k++) x = sqrt(x + 1.0 / k);
        sink = x; /* or the loop would be left out */
        (void)sink;
        least = fmin(least, cpu_seconds() - start);
    }
    return least;
}

#endif
