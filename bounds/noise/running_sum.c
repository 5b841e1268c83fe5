/* gamma_T^2 = sum_{t<T} c_t^2 where c_t comes from a recursion, with what rounding may have lost.
 * (theory 2.4) */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "family.h"

/* The recursion is linear, so that rounding to double differs from long double by 2^11 times what
 * long double is off by: both are run, and their distance, with 16 in hand, is the error. */
finf_status noise_running_sum(const finf_noise *noise, size_t T, size_t carried,
                              void (*next)(const finf_noise *noise, size_t t, noise_run *r),
                              long double *sum, long double *lost, finf_reason *why)
{
    long double *past = calloc(2 * carried + 1, sizeof *past), apart = 0;
    if (!past) return finf_why(why, FINF_ENOMEM, "no memory for %zu coefficients", carried);
    noise_run fine = {past, 0, 0}, coarse = {past + carried, 0, 1};
    *sum = 0;
    for (size_t t = 0; t < T && *sum <= DBL_MAX; t++) {
        next(noise, t, &fine);
        next(noise, t, &coarse);
        *sum += fine.c * fine.c;
        apart += 2 * fabsl(fine.c * (coarse.c - fine.c));
    }
    *lost = apart / 128 + 4 * LDBL_EPSILON * (1 + (long double)T / 256) * *sum;
    free(past);
    return FINF_OK;
}

/* A sum beyond the doubles is +inf with FINF_OK and a reason: a gamma_T that grows exponentially
 * is an answer. (theory 2.4) */
finf_status noise_squares_result(long double sum, long double lost, finf_real *gamma2,
                                 finf_reason *why)
{
    if (sum <= DBL_MAX) {
        double value = (double)sum;
        *gamma2 = finf_real_make(value, (double)lost + 4 * FINF_EPS * value, "sum of squares");
        return FINF_OK;
    }
    *gamma2 = finf_real_infinite("sum of squares");
    return finf_why(why, FINF_OK,
                    "gamma_T^2 is beyond the range of a double: c_t grows exponentially");
}
