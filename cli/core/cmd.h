/* What several commands read and show. */
#ifndef FINF_CMD_H
#define FINF_CMD_H

#include <math.h>
#include <string.h>

#include "args.h"
#include "base.h"
#include "doc.h"
#include "spec.h"

/* --eta, when it was given: positive. */
finf_status read_eta(const args *a, double *eta, finf_reason *why);
/* --eta and --mu, for the commands that need them only for 'auto'. */
finf_status read_eta_mu(const args *a, double *eta, double *mu, finf_reason *why);
/* --noise with auto = eta*mu. */
finf_status read_noise(const args *a, double eta, double mu, finf_noise **out, finf_reason *why);
/* --rho, --clip and --sigma-sgd: positive, but for a sigma-sgd of 0. */
finf_status read_setting(const args *a, finf_privacy_setting *out, finf_reason *why);
/* --start: a number, or a value for each of the d directions, then in *at; owned by the caller,
 * also after a failure. */
finf_status read_start(const args *a, double d, double *start, double **at, finf_reason *why);
/* At most one of the options that read files may be stdin's. */
finf_status check_stdin(const args *a, finf_reason *why);

/* Is the output for a person? (--format text, and no --json) */
int wants_text(const args *a);
/* The noise as given, with auto replaced by its value: a --noise that gives the same again. */
void show_noise(doc *d, const args *a, double eta, double mu);
/* The same in csv and json only. */
void show_noise_key(doc *d, const args *a, double eta, double mu);
/* `start`, as it was given. */
void show_start(doc *d, const args *a, double start);
/* `reason`, where an answer is infinite. */
void show_reason(doc *d, const finf_reason *why);
/* The same in a row of many: in CSV every row has the column, in JSON only those with something to
 * say. Not in text. */
void show_row_reason(doc *d, const args *a, const char *text);

#endif
