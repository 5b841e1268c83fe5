/* A linear optimizer is one file here: how it is spelled, and its update rule as a filter.
 *
 * To add one: write its file with a `const optimizer_rule optimizer_<name>`, add the name to the
 * list below, and write its tests.  (theory 11.1)
 *
 * The points at which gradients are taken are Theta = -eta P(z) (gradients + noise), with
 *
 *     P = b(x)/a(x),   x = 1/z (one step back),   b_0 = 0,   a = (1 - x) rest(x),   a_0 = 1,
 *
 * and eta P/(1 + h eta P) = eta b/(a + q b), q = eta h, on a loss of curvature h. The reported
 * point is A Theta. Everything here is for eta = 1; eta enters through q. */
#ifndef FINF_OPTIMIZER_H
#define FINF_OPTIMIZER_H

#include "bounds.h"
#include "panels.h"

/* Every optimizer, in the order of --help: the one place where it is registered. */
#define OPTIMIZER_RULES(X)                                                                         \
    X(sgd)                                                                                         \
    X(heavy_ball)                                                                                  \
    X(nesterov)                                                                                    \
    X(filter)

#define OPTIMIZER_ORDER_MAX 64        /* coefficients of b, and of a */
#define OPTIMIZER_AVERAGE_MAX 100000u /* K of last:K */

typedef enum { AVERAGE_NONE, AVERAGE_EMA, AVERAGE_LAST } average_kind;

typedef struct optimizer_rule optimizer_rule;

struct finf_optimizer {
    const optimizer_rule *rule;
    double momentum; /* m of heavy-ball and nesterov; 0 for sgd; NaN for a filter */
    size_t nb;       /* b_0 = 0, b_1, .., b_{nb-1} */
    double b[OPTIMIZER_ORDER_MAX];
    /* a_0 = 1, .., a_{na-1}, rounded: their sum is 0 to rounding only. Where a slow pole matters
     * take rest, of which the pole at z = 1 is left out */
    size_t na;
    double a[OPTIMIZER_ORDER_MAX];
    double rest[OPTIMIZER_ORDER_MAX]; /* a(x)/(1-x): na - 1 numbers */
    /* b and rest in powers of y = 1 - x: what keeps its digits near z = 1, where y is small */
    double b_y[OPTIMIZER_ORDER_MAX];
    double rest_y[OPTIMIZER_ORDER_MAX];
    /* the q at which a pole is at z = -1, in two parts, and b and (a + q b)/s there in powers of
     * s = 1 + x: what keeps its digits near w = pi. q_far = 0 and no numbers: b is 0 there */
    double q_far, q_far_low;
    double b_s[OPTIMIZER_ORDER_MAX];
    double far_s[OPTIMIZER_ORDER_MAX];
    double given_a[OPTIMIZER_ORDER_MAX]; /* of a filter: a as it was written, for its spelling */
    average_kind average;
    double average_leak; /* ema:a: 1 - a; 1 without averaging */
    size_t average_last; /* last:K: K; 1 without */
    double weight_decay; /* V >= 0: the loop and the loss have the curvature h + V */
};

/* How a rule is written, and read: `read` fills b, nb, rest, na and momentum of an optimizer of
 * zeros from what follows "name:" ("" if nothing does). */
struct optimizer_rule {
    const char *name;
    const char *form;
    const char *about;
    finf_status (*read)(const char *text, finf_optimizer *o, finf_reason *why);
};

#define OPTIMIZER_DECLARE_(name) extern const optimizer_rule optimizer_##name;
OPTIMIZER_RULES(OPTIMIZER_DECLARE_)
#undef OPTIMIZER_DECLARE_

/* The momentum m of "name:m", in [0, 1). */
finf_status optimizer_read_momentum(const char *text, const char *name, double *m,
                                    finf_reason *why);

/* ---- optimizer.c: what other rooms ask of any of them; NULL is plain sgd --------------------- */

/* The optimizer itself, and a constant plain sgd for NULL. */
const finf_optimizer *optimizer_or_sgd(const finf_optimizer *o);
/* sgd, no averaging, no weight decay: then the formulas of theory 4 to 7 hold as they are. */
int optimizer_is_plain(const finf_optimizer *o);
/* FINF_EUSAGE, with a reason, unless it is plain: for what `who` cannot do yet with another. */
finf_status optimizer_only_plain(const finf_optimizer *o, const char *who, finf_reason *why);
/* y = 1 - e^{-iw} from t = tan(w/2), both parts to rounding. */
static inline double complex optimizer_y(double t)
{
    double s = 2 / (t + 1 / t);
    return s * t + I * s;
}
/* b and a = y rest at y = 1 - e^{-iw}, so that P = b/a; neither cancels near w = 0. */
void optimizer_at(const finf_optimizer *o, double complex y, double complex *b, double complex *a);
/* The same for a loop, at t = tan(w/2): a + q b = bottom + ((q - q0) - q0_low) b, in which nothing
 * cancels at either end of the circle. q0 is 0, or where w is near pi the q at which a pole is
 * there: what is left of a + q b for a step near its largest is then a difference of two q. */
typedef struct {
    double complex b, bottom;
    double q0, q0_low;
} optimizer_point;
optimizer_point optimizer_point_at(const finf_optimizer *o, double t);
/* What q is multiplied by b for, at such a point. */
static inline double optimizer_beyond(const optimizer_point *p, double q)
{
    return (q - p->q0) - p->q0_low;
}
/* 1/P(e^{iw}) for eta = 1, 0 at w = 0. */
double complex optimizer_p_inverse(const finf_optimizer *o, double w);
/* |eta P/(1 + h eta P)|^2/eta^2 = |b/(a + q b)|^2, q = eta h, at t = tan(w/2). */
double optimizer_gain(const finf_optimizer *o, double q, double t);

/* ---- average.c ---- */

finf_status average_read(const char *text, finf_optimizer *o, finf_reason *why);
/* |A|^2 at t = tan(w/2). */
double average_gain(const finf_optimizer *o, double t);

/* ---- loop.c: the closed loop ---- */

/* a + q b as a polynomial in x, c_0 = 1: *n numbers, with room for OPTIMIZER_ORDER_MAX. */
void loop_polynomial(const finf_optimizer *o, double q, schur_real *c, size_t *n);
/* b_k as wide as it is known. */
schur_real loop_numerator(const finf_optimizer *o, size_t k);
/* Every root z of a + q b is inside the unit disc, for q = eta (h + V). Decided in schur_real. */
int loop_stable(const finf_optimizer *o, double q);
/* The closed-loop poles z other than 0 at q, as 1 - 1/z = y: near z = 1 y is small and has its
 * digits. *n of them, room for OPTIMIZER_ORDER_MAX. FINF_ENOMEM, or FINF_ETOL where the eigenvalue
 * solver fails. */
finf_status loop_poles(const finf_optimizer *o, double q, double complex *y, size_t *n);
/* |z| of such a pole, as 1 - |z| to keep its digits; negative where it is unstable. */
double loop_pole_leak(double complex y);

/* ---- gain.c: what white noise does ---- */

/* mean |b/(a + q b)|^2: the variance of theta for unit white noise, eta = 1; FINF_ETOL where it is
 * not stable, or too near to that for the arithmetic. */
finf_status loop_white_gain(const finf_optimizer *o, double q, finf_real *out);
/* mean |A b/(a + q b)|^2, of the averaged point; last:K is not a filter of few numbers, FINF_ETOL.
 */
finf_status loop_average_gain(const finf_optimizer *o, double q, finf_real *out);
/* The sum of the squared coefficients of the series d/c in x, n numbers each, c_0 = 1. FINF_ETOL: c
 * has a zero in |x| <= 1, or is too near to that for the arithmetic. */
finf_status loop_series_energy(const schur_real *c, const schur_real *d, size_t n, finf_real *out);
/* Where on the axis u = log tan(w/2) the closed-loop pole is, and how far from it. */
panel_feature loop_feature(double complex y);

#endif
