/* --spectrum covariance@FILE and data@FILE. */
#ifndef FINF_DATA_SPECTRUM_H
#define FINF_DATA_SPECTRUM_H

#include "doc.h"
#include "finf.h"

/* The spectrum of the symmetric matrix in a file (kind "covariance"), or of the data in it ("data":
 * X'X/n of n rows). "-" is standard input. (theory 5.7) */
finf_status read_data_spectrum(const char *kind, const char *path, finf_spectrum **out,
                               finf_reason *why);

/* What is to be known of a spectrum: how many zeros were left out, and of a matrix or data its
 * rows, rank, condition and resolution. */
void show_spectrum_facts(doc *d, const finf_spectrum *s);

#endif
