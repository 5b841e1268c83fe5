/* Whether printed errors are true: claims at random parameters beside values in ball arithmetic,
 * found by other methods than the library's. */
#ifndef FINF_HONESTY_H
#define FINF_HONESTY_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include FINF_ARB_HEADER
#include FINF_ARB_HYPGEOM_HEADER

#include "finf.h"
#include "json_read.h"

/* Of the references, and of their recursions, whose balls grow with every step. */
enum { BITS = 192, SERIES_BITS = 1024 };

/* ---- tally.c: what was claimed, key by key ----------------------------------------------------
 */

typedef struct tally tally;
tally *tally_new(void);
void tally_free(tally *t);
/* The table, whose lines it puts in order; the number of errors that are too small. */
size_t tally_print(tally *t);

/* One point: its random numbers, where its claims go, and what it is about. */
typedef struct {
    unsigned long long state;
    tally *t;
    char what[1600];
} point;

double uniform(point *p, double lo, double hi);
double log_uniform(point *p, double lo, double hi);
size_t whole(point *p, size_t below); /* 0 .. below - 1 */

/* A claim beside the truth, which is in the ball. NaN and infinite claims are counted apart. */
void judge(point *p, const char *key, finf_real claim, const arb_t truth);
/* A claim whose error is one standard error: too small is what six of them do not cover. */
void judge_sampled(point *p, const char *key, finf_real claim, double truth);
/* A value with a relative error. */
finf_real with_relative(double value, double relerr);

/* ---- reference.c: noise and means over the circle in balls ------------------------------------
 */

enum { TERMS = 6, TERMS_READ = 24 }; /* of noise that is drawn, and of noise that was printed */
/* B = prod (1-(1-nu_i)z)^{power_i} beta(z)/(c(z) + sum scale_i z/(1 - decay_i z)) */
typedef struct {
    size_t factors, nb, nc, buffers; /* how many there are of each; nb, nc = 0: 1 */
    double nu[TERMS_READ], power[TERMS_READ], beta[TERMS_READ], c[TERMS_READ], decay[TERMS_READ],
        scale[TERMS_READ];
    char spelled[1200];
    finf_noise *noise;
} reference;

void reference_draw(point *p, reference *r);
/* One that a command printed: sgd, nu, power, product, blt or strategy; 0: another. */
int reference_read(const char *spelled, reference *r);
void reference_free(reference *r);

/* 4 sin^2(w/2), which every gap is linear in: gap(b) = b^2 + (1-b) c. (theory 0.3) */
void gap(acb_t out, double b, const acb_t c);
void gap_arb(acb_t out, const arb_t b, const acb_t c);
/* |B|^2 continued to complex w. */
void density(acb_t out, const reference *r, const acb_t w, const acb_t c, int analytic);

/* f at w, c = 4 sin^2(w/2): not finite where `analytic` asks for more than f is. */
typedef void ball_function(acb_t out, const acb_t w, const acb_t c, int analytic, void *data);
/* (1/pi) int_0^pi f dw. */
void ball_mean(arb_t out, ball_function *f, void *data);
/* gamma^2, T(b), and the first n of beta and c. */
void reference_gamma2(arb_t out, const reference *r);
void reference_energy(arb_t out, const reference *r, double b);
void reference_series(const reference *r, size_t n, arb_ptr beta, arb_ptr c);
/* Of noise given by c or buffers: many of beta, and what |B| on the circle is at most; 0: it is
 * not given so. */
int reference_by_strategy(const reference *r, size_t n, arb_ptr beta, arb_t peak);

/* ---- mean.c: the response of an optimizer -----------------------------------------------------
 */

/* A G of an optimizer on the curvature h: eta b/(a + q b), and the average, as polynomials in
 * x = 1/z. */
typedef struct {
    const reference *r; /* NULL: not times |B|^2 */
    double eta, h, momentum, average;
    int nesterov, root; /* root: |A G| instead of its square */
} loop;

/* |A G|^2, a ball_function of a loop. */
void loop_density(acb_t out, const acb_t w, const acb_t c, int analytic, void *data);
/* The optimizer of a loop, without weight decay. */
finf_optimizer *loop_optimizer(const loop *l);

/* ---- linreg.c: linear regression by plain SGD in balls (theory 5) -----------------------------
 */

typedef struct {
    size_t d;
    double eta, kurtosis;
    finf_privacy_setting set;
    arb_ptr lambda, b, e; /* b = eta lambda, e = 2 - (2 + kurtosis) b */
    arb_t D;              /* 1 - sum b/e */
    const reference *r;
    int lti, root; /* which Hx, and its root in place of |B|^2 Hx */
} regression;

void regression_begin(regression *g, size_t d);
void regression_end(regression *g);
/* b, e and D from lambda, eta and kurtosis; 0 where it diverges. */
int regression_prepare(regression *g);
/* unit = G^2/(2 rho) times gamma^2 mean(|B|^2 Hx), or (mean Hx^{1/2})^2; and the gradient noise's.
 */
void regression_value(arb_t out, regression *g, int lti, int best, const arb_t unit,
                      const arb_t gamma2);
/* (1/4) eta sgd^2 Tr H + (1/16) eta^2 (G^2/rho) Tr H */
void regression_floor(arb_t out, const regression *g, const arb_t unit);

/* ---- privacy.c --------------------------------------------------------------------------------
 */

/* epsilon of one Gaussian with mu = sqrt(2 rho), at delta, from an epsilon near it. */
void reference_epsilon(arb_t out, const arb_t rho, double delta, double near);

/* ---- convex.c ----------------------------------------------------------------------------------
 */

/* The bound of the noise by these options, with the multipliers found, to more digits; beside
 * `claim`, a number that was printed for the same, where it is not NULL. `truth`: it. */
void judge_bound(point *p, const char *key, const reference *r, double eta, double kappa,
                 const finf_iqc_options *o, const finf_real *claim, arb_t truth);
/* The largest over h of what the quadratic of curvature h has, that of `at` and of a scan; by an
 * optimizer's loop, whose h is set; times gamma^2 at rho = 1/2. */
void worst_quadratic(arb_t out, loop *l, double kappa, double at, int dist);
/* (eta^2/2) g2(eta)^2 at rho = 1/2, d = L = 1: below the worst case of every noise by plain SGD. */
void reference_minimax(arb_t out, double eta);

/* ---- printed.c: what a command prints ----------------------------------------------------------
 */

/* The answer to the job that p->what is as a line of CSV; 0: none. */
int printed_ask(point *p, json_list *out);
/* The number of a key, with that of key_error; a number alone; a word, or NULL. */
finf_real printed_claim(const json_list *l, const char *key);
double printed_number(const json_list *l, const char *key);
const char *printed_word(const json_list *l, const char *key);

/* ---- the commands ------------------------------------------------------------------------------
 */

void special_point(point *p);
void noise_point(point *p);
void privacy_point(point *p);
void mean_point(point *p);
void linreg_point(point *p);
void finite_point(point *p);
void convex_point(point *p);
void simulate_point(point *p);
void momentum_point(point *p);
void printed_point(point *p);
void searched_point(point *p);
void designed_point(point *p);

#endif
