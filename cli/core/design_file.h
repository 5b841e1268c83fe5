/* What `finf design --save` writes, and how it is read again.
 *
 *     # the command line, and the family
 *     [design]      steps,sens2,sigma,rho,clip: one line of numbers under these names
 *     [blt]         theta,omega: the buffers, where the noise is a BLT
 *     [beta]        t,beta: where beta is finite, and shorter than the run
 *     [strategy]    t,c: of every Toeplitz noise, to its last coefficient that is not 0
 *     [recursion]   of scaled:k: a row of gain, k decays, k out and k in for every step
 *     [noising]     the rows of the lower triangular B, where the noise is not Toeplitz
 *
 * Numbers have 17 digits: what is read is what was found. */
#ifndef FINF_DESIGN_FILE_H
#define FINF_DESIGN_FILE_H

#include <stdio.h>

#include "args.h"
#include "finf.h"

typedef struct {
    size_t steps; /* of the run: the noise is private for no more */
    double sens2, sigma, rho, clip;
    finf_noise *noise; /* owned; NULL: it is a matrix, */
    double *B;         /* row by row; owned */
    double *recursion; /* owned; NULL, or what finf_stream_new_recursion takes, beside B */
    size_t buffers;    /* of it; B is then not read */
} design_file;

/* `family` as it was asked for; f->noise or f->B is written. */
finf_status design_file_write(const design_file *f, const args *a, const char *family, FILE *out,
                              finf_reason *why);
/* All of it: FINF_EPARSE where a part is missing or malformed, FINF_EDOM where a number is outside
 * its domain. */
finf_status design_file_read(const char *path, design_file *out, finf_reason *why);
void design_file_free(design_file *f);

/* design@FILE: the noise alone. A matrix is none: FINF_EPARSE. */
finf_status design_file_noise(const char *path, finf_noise **out, finf_reason *why);

/* A comment of one line: the command line, without the control characters that would end it. */
finf_status design_file_command(const args *a, const char *before, FILE *out, finf_reason *why);

#endif
