/* Text with formulas, for figures and the report: plain ASCII that also reads well in a CSV,
 * written as HTML or SVG.
 *
 *     x_eff, x_{a b}                    subscripts
 *     x^2, x^-1, x^{3/2}, x^(3/2)       superscripts
 *     eta, nu, rho, ..                  Greek letters, where they are whole words
 *     F_inf, sqrt(x), >=, <=, +-, ->    infinity (in a script), the root, and these signs
 *
 * What a user has named (a noise, a file) is no formula: it stands between two MARKUP_LITERAL. */
#ifndef FINF_MARKUP_H
#define FINF_MARKUP_H

#include <stdio.h>

#define MARKUP_LITERAL "\1"

/* MARKUP_PLAIN: for attributes, titles and command lines, formulas as they are. */
typedef enum { MARKUP_PLAIN, MARKUP_SVG, MARKUP_HTML } markup_kind;

/* Writes s escaped for XML and HTML; what is not UTF-8 or not allowed there becomes U+FFFD. NULL
 * writes nothing. */
void markup_write(const char *s, markup_kind kind, FILE *out);

/* About how wide s is as SVG, in em of the widest of the usual sans serifs. */
double markup_width(const char *s);

#endif
