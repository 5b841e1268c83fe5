/* The FILE of `audit`: coefficients, a BLT or a matrix, however it is spelled. */
#ifndef FINF_AUDIT_FILE_H
#define FINF_AUDIT_FILE_H

#include "finf.h"

typedef struct {
    finf_noise *noise;    /* owned; NULL: a matrix */
    double *matrix;       /* row by row; owned */
    size_t n;             /* its rows */
    finf_audit_coef coef; /* what the matrix is */
    double steps;         /* that the file says it is for; NaN: it does not */
} audit_file;

/* Reads
 *   - what `finf design --save` wrote, and other files in parts [blt], [beta], [strategy],
 *     [noising];
 *   - jax_privacy's spelling, as JSON or as Python prints it: buf_decay and output_scale, or
 *     strategy_coef, or noising_coef;
 *   - a plain list or square matrix of numbers: text, CSV (whose header may say which coefficients
 *     they are) or .npy.
 * coef: what a plain one is; -1: a list is noising, a matrix strategy. FINF_EUSAGE where the file
 * says something else. out is to be freed, also after a failure. */
finf_status audit_file_read(const char *path, int coef, audit_file *out, finf_reason *why);
void audit_file_free(audit_file *f);

#endif
