/* Spectra and optimizers of the command line, and numbers that do not depend on the noise, each
 * made once however many answers need it: who asks again gets the same object, which stays the
 * program's. Several threads may ask. */
#ifndef FINF_KEPT_H
#define FINF_KEPT_H

#include <stddef.h>

#include "finf.h"

/* --spectrum, as spec_spectrum reads it, divided by its largest eigenvalue if `normalize`. */
finf_status spectrum_get(const char *text, double d, int normalize, const finf_spectrum **out,
                         finf_reason *why);
/* --optimizer with its average (NULL: none) and weight decay. */
finf_status optimizer_get(const char *name, const char *average, double weight_decay,
                          const finf_optimizer **out, finf_reason *why);
/* finf_linreg_eta_max of two of the above, and finf_rho_gauss. */
finf_status eta_max_get(const finf_spectrum *H, double kurtosis, const finf_optimizer *optimizer,
                        finf_real *out, finf_reason *why);
finf_status rho_get(double epsilon, double delta, finf_real *out, finf_reason *why);
size_t kept_count(void); /* how many there are */
void kept_forget(void);  /* frees them, while nobody has one */

#endif
