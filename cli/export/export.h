/* A noise as a program of its own: what `finf design --export` writes. (theory 13.5)
 *
 * A language is a file of templates, texts with names @LIKE_THIS@ in the place of numbers; export.c
 * fills them in. The program has the coefficients, sigma, a step function with its state, and a
 * test of itself against numbers that finf's own stream made. */
#ifndef FINF_EXPORT_H
#define FINF_EXPORT_H

#include <stdio.h>

#include "finf.h"
#include "noise_filter.h"

typedef enum { EXPORT_C, EXPORT_NUMPY, EXPORT_TORCH, EXPORT_JAX } export_language;

#define EXPORT_MATRIX_MOST 2048 /* steps of a matrix: two million numbers in the text */

typedef struct {
    const char *about;          /* lines that say what it is; no other control characters */
    const noise_filter *filter; /* z from w, as a stream has it */
    size_t steps;               /* of the run; 0: any number */
    double sigma;               /* of w, where z is added to a sum of clipped gradients */
    double batch;               /* or to their mean over so many examples; NaN: to the sum */
} export_program;

/* A matrix of more than EXPORT_MATRIX_MOST steps is the caller's to refuse. FINF_ENOMEM. */
finf_status export_write(export_language language, const export_program *p, FILE *out,
                         finf_reason *why);

/* ---- for the languages ----------------------------------------------------------------------- */

typedef enum {
    EXPORT_WHITE,   /* z = GAIN w */
    EXPORT_BUFFERS, /* z = w - sum_i SCALE_i S_i, then S_i = DECAY_i S_i + z */
    EXPORT_OUTPUTS, /* z_t = (w_t - sum_{s>0} C_s z_{t-s})/C_0 */
    EXPORT_INPUTS,  /* z_t = sum_s BETA_s w_{t-s} */
    EXPORT_ROWS,    /* z_t = sum_{s<=t} B_ts w_s */
    EXPORT_STEPS,   /* y = w - sum_i OUT_ti S_i, then S_i = DECAY_ti S_i + IN_ti y; z = GAIN_t y */
    EXPORT_KINDS
} export_kind;

/* The texts of a program in their order; the second and third are those of its kind. */
typedef struct {
    const char *comment; /* what a line of the comment begins with */
    const char *list[2]; /* around a list of numbers */
    const char *between; /* two of them */
    const char *pair[3]; /* around and in a pair of numbers */
    const char *head;
    const char *const *coef; /* EXPORT_KINDS texts */
    const char *filter[EXPORT_KINDS], *tail;
} export_template;

extern const char *const export_python_coef[EXPORT_KINDS];
extern const export_template export_c, export_numpy, export_torch, export_jax;

#endif
