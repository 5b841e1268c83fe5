/* How private: --rho, or --epsilon with --delta; --clip, --sigma-sgd; and for finitely many steps
 * who takes part how often. */
#ifndef FINF_SETTING_H
#define FINF_SETTING_H

#include "args.h"
#include "doc.h"

typedef struct {
    finf_privacy_setting set; /* as the library takes it */
    finf_real rho;            /* with the error of a rho that was found */
    double epsilon, delta;    /* NaN where not given */
    double batch;             /* NaN: sigma is for the sum of clipped gradients alone */
    int asked;                /* how private was said, so that sigma is an answer to it */
} setting;

/* All of them: positive, but for a sigma-sgd of 0. */
finf_status read_setting(const args *a, setting *out, finf_reason *why);
/* rho, epsilon and delta where they were given, clip, sigma_sgd, and sigma for this gamma^2 (NaN:
 * of no one noise). */
void show_setting(doc *d, const setting *x, finf_real gamma2);
/* In CSV and JSON: epsilon and delta, where they were given. */
void show_target(doc *d, const setting *x);
/* Where --batch was given: it, and sigma for the mean of so many gradients. */
void show_batch(doc *d, const setting *x, finf_real sigma);
/* A value that was found for x->set.rho, with what the error of that rho does to it. */
finf_real with_rho(const setting *x, finf_real value);

/* Was a privacy target, or a clip norm, asked for at all? */
int setting_given(const args *a);

/* The squared sensitivity of a noise that is meant: of all time, of --steps, or of several
 * participations in them. */
typedef struct {
    finf_sensitivity all; /* gamma_inf^2, with why it is infinite or undecided */
    finf_status status;   /* of `all`: FINF_OK or FINF_ETOL */
    double steps;         /* NaN: --steps was not given */
    finf_real steps2;     /* gamma_T^2 */
    double k, b;          /* participations and their distance; NaN: one participation */
    int fixed_order;      /* exactly that distance (--epochs), not at least (--separation) */
    finf_real sens2;      /* squared sensitivity to them */
    int exact;            /* it is attained; else an upper bound */
    finf_reason why;      /* why one of the last two is infinite */
} sensitivity;

/* --participations, --separation, --epochs: k, b and fixed_order, for x->steps steps. */
finf_status read_participations(const args *a, sensitivity *x, finf_reason *why);
/* --steps, --participations, --separation, --epochs. FINF_ETOL: gamma_inf^2 is not decided, and
 * nothing else was asked for. */
finf_status read_sensitivity(const args *a, const finf_noise *noise, sensitivity *out,
                             finf_reason *why);
/* The one that scales the noise: the narrowest that was asked for. */
finf_real sensitivity_meant(const sensitivity *x);
/* Which one that is, in words. */
const char *sensitivity_words(const sensitivity *x);
/* steps, gamma2_T, participations, separation and sens2, as far as they were asked for. */
void show_sensitivity(doc *d, const sensitivity *x);
/* The last three of them. */
void show_who(doc *d, const sensitivity *x);

#endif
