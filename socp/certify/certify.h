/* Inside the certificate: the files of this folder are the only ones that see Arb. */
#ifndef FINF_CERTIFY_H
#define FINF_CERTIFY_H

#include FINF_ARB_HEADER

#include "arb_library.h"
#include "family.h" /* the formula behind a noise: its family and coefficients */
#include "certificate.h"

/* Bits. PREC: psi on boxes, which are wider than any rounding; WIDE: recurrences, which lose
 * bits with every step. */
enum { PREC = 64, WIDE = 256 };

/* ---- ball_form.c: what psi = (m mc/a + k)/D is made of, each times D; mc is conj m on the real
 * axis ---- */
enum { BALL_A, BALL_K, BALL_D, BALL_M, BALL_MC, BALL_PARTS };
typedef struct {
    const finf_noise *noise;
    const socp_basis *b;                          /* the columns of Lambda and X */
    const double *x, *y;                          /* h unknowns; X unknowns of this part */
    int dist, unit;                               /* unit: B = 1 */
    double shift;                                 /* of Re Lambda: 1/8, or 0 for dist */
    arb_t eta, inv_eta, mu, delta, root_delta, c; /* of theory 7.12; inv_eta = 1/eta */
    arb_t n_pi, excess;                           /* (2/eta - mu)(2/eta - 1), 4 (1 - eta)/eta^2 */
    acb_ptr t;                                    /* scratch */
    const socp_loop *loop;                        /* NULL for plain sgd */
    arb_ptr loop_a, loop_e;                       /* the coefficients of A and E (theory 11.4) */
} ball_form;
/* The scratch t, filled at each w: sin(w/2), cos(w/2), sin^2(w/2), sin w; 1 - z and 1 - 1/z;
 * Re Lambda and Im Lambda; X and its conjugate, and the product that its next column begins
 * with, twice; B and its conjugate; two for whoever needs them for a moment; and for an optimizer
 * A, E and their conjugates, eta AE* and its conjugate, Re UV*, Im UV*, |U|^2, |V|^2. */
enum {
    SN,
    CS,
    S2,
    SW,
    N1,
    N2,
    RE,
    IM,
    X1,
    X2,
    P1,
    P2,
    B1,
    B2,
    T1,
    T2,
    A1,
    A2,
    E1,
    E2,
    Q1,
    Q2,
    UV_RE,
    UV_IM,
    UU,
    VV,
    SCRATCH
};
void ball_form_make(ball_form *f, const socp_model *mo, double kappa);
void ball_form_clear(ball_form *f);
/* Enclosures on the box w; analytic: not finite unless every part is holomorphic on w */
void ball_form_at(ball_form *f, const acb_t w, int analytic, acb_ptr part);

/* ---- ball_loop.c: the parts for an optimizer ---------------------------------------------------
 */
void ball_loop_make(ball_form *f);
void ball_loop_clear(ball_form *f);
/* As ball_form_at, which has filled the scratch down to B2. */
void ball_loop_at(ball_form *f, const acb_t w, acb_ptr part);
/* A proof that the closed loop on curvature c, and so 1/g, is stable. 0: not proved */
int ball_loop_stable(const ball_form *f);

/* ---- ball_taylor.c --------------------------------------------------------------------------- */
enum { BALL_TAYLOR = 16 }; /* coefficients: K of theory 7.13 */
/* Part i is within error_i of sum_j F_ij u^j at centre + r u, |u| <= 1. 0: not proved */
int ball_form_taylor(ball_form *f, const arf_t centre, const mag_t r, acb_ptr F, mag_ptr error);
/* part: enclosures on w, each replaced where Taylor's is narrower */
void ball_form_refine(ball_form *f, const acb_t w, acb_ptr part);

/* ---- ball_noise.c ---------------------------------------------------------------------------- */
/* sum += v f */
void ball_addmul(acb_t sum, const acb_t v, double f);
/* z^t = e^{-iwt} (conjugate: e^{iwt}), directly: a product of boxes widens with each rotation */
void ball_power(acb_t out, const acb_t w, size_t t, int conjugate);
/* What the certificate asks of a family of noise; each is described at the function of its name
 * below. */
typedef struct {
    const noise_family *family;
    void (*response)(const finf_noise *noise, acb_t B, const acb_t w, const acb_t n, int conjugate,
                     int analytic);
    /* NULL: noise given by C, whose beta has no formula here */
    int (*beta)(const finf_noise *noise, arb_ptr beta, size_t n, arb_t peak);
    int (*gamma2)(const finf_noise *noise, arb_t value);
} ball_family;
const ball_family *ball_family_of(const finf_noise *noise); /* NULL: it cannot be certified */
/* B at z = 1 - n = e^{-iw}, or its conjugate; noise = NULL: B = 1 */
void ball_response(const finf_noise *noise, acb_t B, const acb_t w, const acb_t n, int conjugate,
                   int analytic);
/* beta_0 .. beta_{n-1}, and an upper end of |B| on the circle. 0: no formula for it here */
int ball_beta(const finf_noise *noise, arb_ptr beta, size_t n, arb_t peak);
/* A proof that B and 1/B are analytic in |z| <= 1, and a rigorous upper end of gamma_inf^2. 0: not
 * proved. */
int ball_gamma2(const finf_noise *noise, double *upper);

/* The recursion of theory 2.1 on a_0..a_n, which is destroyed. 1: A has no zero in |z| <= 1, and
 * inverse2 encloses the mean of 1/|A|^2 */
int ball_step_down(arb_ptr a, size_t n, slong prec, arb_t inverse2);

/* ---- ball_stein.c ---------------------------------------------------------------------------- */
/* stein.c's cost of the multipliers f->x, rigorously. 0: not proved */
int ball_stein_cost(const ball_form *f, arb_t cost);
/* The same by beta_0 .. beta_{n-1}, n = socp_stein_length, and an upper end of |B| on the circle,
 * which it changes. */
int ball_stein_cost_of(const ball_form *f, arb_srcptr beta, arb_t peak, arb_t cost);

#endif
