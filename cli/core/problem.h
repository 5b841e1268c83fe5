/* The problem that is asked about, read once for all commands: mean estimation, linear regression
 * (--spectrum) or every strongly convex, smooth F (--kappa), with its step size and optimizer; and
 * the noise that is best for it. */
#ifndef FINF_PROBLEM_H
#define FINF_PROBLEM_H

#include "args.h"
#include "doc.h"
#include "setting.h"

typedef enum { PROBLEM_NONE, PROBLEM_MEAN, PROBLEM_LINREG, PROBLEM_CONVEX } problem_kind;

typedef struct {
    problem_kind kind;
    double eta; /* NaN: not given */
    double mu;  /* the least curvature; NaN: not known */
    setting privacy;
    const finf_optimizer *optimizer; /* NULL: plain SGD; borrowed (see optimizer_get) */
    const finf_spectrum *H;          /* of linear regression; borrowed (see spectrum_get) */
    double kurtosis;
    double kappa;         /* of a strongly convex F, */
    finf_iqc_options iqc; /* and all about its bound */
} problem;

/* Which problem the options are about: by --kappa, --spectrum, --eta alone, or none of them. */
problem_kind problem_asked(const args *a);
/* All that a problem of this kind needs. What is shared (a spectrum) stays the program's. */
finf_status read_problem(const args *a, problem_kind kind, problem *out, finf_reason *why);
/* The library's options of it. */
finf_mean_options mean_of(const problem *p);
finf_linreg_options linreg_of(const problem *p);

/* --optimizer, --average and --weight-decay; NULL where they are plain SGD. Borrowed, as a spectrum
 * is. */
finf_status read_optimizer(const args *a, const finf_optimizer **out, finf_reason *why);
/* optimizer, average, weight_decay, and eta_eff and contraction over the curvatures of [mu, L]. In
 * text only what is not plain SGD. */
void show_optimizer(doc *d, const args *a, const finf_optimizer *o, double eta, double mu,
                    double L);

/* --noise for this problem: nu:paper = eta mu, nu:best and best are found here. *out is owned by
 * the caller. */
finf_status read_noise(const args *a, const problem *p, finf_noise **out, finf_reason *why);
/* Does this noise depend on the problem? nu:paper, nu:best and best do. */
int needs_problem(const char *noise);

/* The same of a text. */
finf_status noise_for(const char *text, const problem *p, finf_noise **out, finf_reason *why);
/* The same for the commands that are about the noise alone, and take a problem only for these. */
finf_status read_noise_alone(const args *a, finf_noise **out, finf_reason *why);
/* `noise`: a --noise that gives the same again, for this problem. */
void show_noise(doc *d, const args *a, const finf_noise *noise);

/* In text only: a value as the shell takes it back. */
void show_quoted(doc *d, const char *key, const char *text, const char *note);
/* The same in CSV and JSON only. */
void show_noise_key(doc *d, const args *a, const finf_noise *noise);

/* spectrum, d, d_eff and, for data, what else says which spectrum is meant. */
void show_spectrum(doc *d, const args *a, const finf_spectrum *H);

#endif
