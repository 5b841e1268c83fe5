/* The bound as a theorem, theory 7.13: ball arithmetic (Arb), which only the files of this
 * folder see.
 *
 * Given are doubles: eta (times L), kappa, the noise's parameters, the multipliers x >= 0. psi =
 * |m|^2/a + k is the restriction of a function holomorphic near [0, pi] (ball_form.c), and Arb's
 * integrator (Petras' algorithm) encloses its integral. Every piece of [0, pi] it accepts lies
 * in a ball on which the integrand, and so 1/a, was found finite: a finite enclosure proves a !=
 * 0 on [0, pi], and a > 0 at one point proves it everywhere.
 *
 * Nothing is proved about how x was found, nor that it is the best: any x of the class gives a
 * bound. */
#include "certificate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef FINF_NO_ARB

const char *socp_arb_version(void) { return NULL; }
const char *socp_flint_version(void) { return NULL; }

finf_status socp_certify(const socp_model *mo, double kappa, const finf_noise *noise,
                         const socp_grid *g, const socp_basis *b, const double *x,
                         socp_weights weights, const socp_recomputed *estimate, finf_cancel cancel,
                         socp_certificate *out)
{
    (void)mo;
    (void)kappa;
    (void)noise;
    (void)g;
    (void)b;
    (void)x;
    (void)weights;
    (void)estimate;
    (void)cancel;
    *out = (socp_certificate){.dp_upper = NAN, .sgd_upper = NAN};
    snprintf(out->reason.text, sizeof out->reason.text, "built without Arb: no certificate");
    return FINF_ETOL;
}

#else

#include <gmp.h>
#include <pthread.h>
#include <setjmp.h>

#include "certify.h"

const char *socp_arb_version(void) { return arb_library_version(); }
const char *socp_flint_version(void) { return arb_library_flint(); }

/* ---- memory ---------------------------------------------------------------------------------- */

/* GMP and FLINT end the program when an allocation fails. With these functions it ends the proof,
 * which has a thread of its own: what FLINT keeps for a thread is in no known state then, and is
 * lost with what the proof held. */
static _Thread_local jmp_buf *leave;

/* What every allocating function returns: p, or not at all. */
static void *given(void *p)
{
    if (p) return p;
    if (leave) longjmp(*leave, 1);
    abort(); /* another's number: as GMP and FLINT do */
}

static void *take(size_t n) { return given(malloc(n ? n : 1)); }
static void *take_clear(size_t n, size_t size) { return given(calloc(n ? n : 1, size ? size : 1)); }
static void *resize(void *p, size_t n) { return given(realloc(p, n ? n : 1)); }
static void *resize_from(void *p, size_t old, size_t n)
{
    (void)old;
    return resize(p, n);
}
static void give_back(void *p, size_t n)
{
    (void)n;
    free(p);
}

void *__gmp_default_allocate(size_t n) __attribute__((weak));

/* A program that gave GMP functions of its own keeps them. */
static void set_memory_functions(void)
{
    void *(*allocate)(size_t);
    mp_get_memory_functions(&allocate, NULL, NULL);
    if (__gmp_default_allocate && allocate != __gmp_default_allocate) return;
    mp_set_memory_functions(take, resize_from, give_back);
    __flint_set_memory_functions(take, take_clear, resize, free);
}

/* ---- the integral ---------------------------------------------------------------------------- */

typedef struct {
    ball_form form; /* the multipliers and the noise, in balls */
    acb_ptr part;   /* of the last evaluation */
    finf_cancel cancel;
    int cancelled;
    int centred; /* boxes on which a is not resolved are tried again, ball_taylor.c */
} context;

enum { MAX_TAPS = 1000, MAX_LAGS = 500 }; /* more would take minutes */

/* psi on the box w, by the convention of acb_calc_integrate: order 0 wants an enclosure, order 1
 * one that is not finite unless psi is holomorphic on w. After a cancellation nothing is finite,
 * and the integrator gives up soon. */
static int integrand(acb_ptr out, const acb_t w, void *data, slong order, slong prec)
{
    context *c = data;
    acb_ptr p = c->part;
    if (order > 1) return 1;
    acb_indeterminate(out);
    c->cancelled = c->cancelled || (finf_cancelled(c->cancel));
    if (c->cancelled) return 0;
    ball_form_at(&c->form, w, order != 0, p);
    if (c->centred && !(acb_rel_accuracy_bits(p + BALL_A) > 1)) ball_form_refine(&c->form, w, p);
    acb_mul(out, p + BALL_M, p + BALL_MC, prec);
    acb_div(out, out, p + BALL_A, prec);
    acb_add(out, out, p + BALL_K, prec);
    acb_div(out, out, p + BALL_D, prec);
    return 0;
}

/* int psi over one panel. Plain boxes first: they are cheaper, and a few hundred do unless the
 * multipliers are nearly tight, where 20000 would be too few. */
static int panel(context *c, acb_t out, const acb_t lo, const acb_t hi, const mag_t tol)
{
    acb_calc_integrate_opt_t opt;
    acb_calc_integrate_opt_init(opt);
    opt->deg_limit = 40;
    opt->eval_limit = 400;
    c->centred = 0;
    if (acb_calc_integrate(out, integrand, c, lo, hi, 30, tol, opt, PREC) != ARB_CALC_SUCCESS ||
        !acb_is_finite(out)) {
        opt->eval_limit = 2000;
        c->centred = 1;
        acb_calc_integrate(out, integrand, c, lo, hi, 30, tol, opt, PREC);
    }
    return acb_is_finite(out);
}

/* Upper end of (1/pi) int_0^pi psi and stein.c's cost; NaN if there is no finite enclosure, if
 * a(1/2) > 0 is not proved, or if the enclosure misses the value computed in doubles: the two must
 * be about the same noise and the same multipliers. */
static double enclose(context *c, const socp_grid *g, finf_real estimate)
{
    acb_t lo, hi, part, sum;
    const ball_form *f = &c->form;
    mag_t tol;
    arf_t end;
    acb_init(lo);
    acb_init(hi);
    acb_init(part);
    acb_init(sum);
    mag_init(tol);
    arf_init(end);
    /* a > 0 at w = 1/2; that psi is finite everywhere carries it to the rest of [0, pi] */
    acb_set_d(lo, 0.5);
    integrand(part, lo, c, 0, PREC);
    int ok = arb_is_positive(acb_realref(c->part + BALL_A)) && acb_is_finite(part);
    acb_zero(lo);
    /* the panels of the grid, of which the last one must end at pi, not at the double next to it;
     * the tolerance is for how wide the enclosure is, not for whether it holds */
    mag_set_d(tol, 1e-6 * estimate.value / sqrt((double)g->panels));
    for (size_t i = 1; i <= g->panels && ok && !c->cancelled; i++) {
        acb_set_d(hi, g->edge[i]);
        if (i == g->panels) acb_const_pi(hi, PREC);
        ok = panel(c, part, lo, hi, tol);
        acb_add(sum, sum, part, PREC);
        acb_set(lo, hi);
    }
    ok = ok && !c->cancelled; /* the sum is whole */
    acb_const_pi(part, PREC);
    acb_div(sum, sum, part, PREC);
    if (f->b->ns > 0 && !f->unit) {
        acb_zero(part);
        ok = ball_stein_cost(f, acb_realref(part)) && ok;
        acb_add(sum, sum, part, PREC);
    }
    arb_get_ubound_arf(end, acb_realref(sum), PREC);
    double upper = arf_get_d(end, ARF_RND_UP);
    arb_get_lbound_arf(end, acb_realref(sum), PREC);
    double lower = arf_get_d(end, ARF_RND_DOWN), slack = estimate.error + 1e-9 * estimate.value;
    ok = ok && lower <= estimate.value + slack && upper >= estimate.value - slack;
    acb_clear(lo);
    acb_clear(hi);
    acb_clear(part);
    acb_clear(sum);
    mag_clear(tol);
    arf_clear(end);
    return ok && isfinite(upper) ? upper : NAN;
}

typedef struct {
    context *c; /* its form has the noise and the multipliers */
    const socp_model *mo;
    double kappa;
    const socp_grid *g;
    socp_weights weights;
    const socp_recomputed *estimate; /* the bound in doubles */
    socp_certificate *out;
    int ended; /* else for want of memory */
} proof;

/* gamma^2 and psi for the DP noise, then psi' for the gradient noise, for which B = 1 and the
 * unknowns of X are the nc that follow. A part of weight 0 is not in the bound and needs no
 * proof; its unknowns are not there either. */
static void prove(const proof *p)
{
    ball_form *f = &p->c->form;
    socp_certificate *out = p->out;
    ball_form_make(f, p->mo, p->kappa);
    p->c->part = _acb_vec_init(BALL_PARTS);
    if (f->loop) out->certified = ball_loop_stable(f) && out->certified;
    if (p->weights.dp > 0) {
        out->certified = ball_gamma2(f->noise, &out->gamma2_upper) && out->certified;
        out->dp_upper = enclose(p->c, p->g, p->estimate->dp);
        out->certified = out->certified && isfinite(out->dp_upper);
        f->y += f->b->nc;
    }
    if (p->weights.sgd > 0) {
        f->unit = 1;
        out->sgd_upper = enclose(p->c, p->g, p->estimate->sgd);
        out->certified = out->certified && isfinite(out->sgd_upper);
    }
    ball_form_clear(f);
    _acb_vec_clear(p->c->part, BALL_PARTS);
    flint_cleanup();
}

/* The thread of the proof. An allocation that fails comes back to setjmp, and `ended` stays 0. */
static void *prove_alone(void *data)
{
    proof *p = data;
    jmp_buf here;
    if (setjmp(here)) return NULL;
    leave = &here;
    prove(p);
    leave = NULL;
    p->ended = 1;
    return NULL;
}

finf_status socp_certify(const socp_model *mo, double kappa, const finf_noise *noise,
                         const socp_grid *g, const socp_basis *b, const double *x,
                         socp_weights weights, const socp_recomputed *estimate, finf_cancel cancel,
                         socp_certificate *out)
{
    double t0 = finf_seconds();
    *out = (socp_certificate){.dp_upper = NAN, .sgd_upper = NAN, .certified = 1};
    context c = {.form = {.noise = noise, .b = b, .x = x, .y = x + socp_basis_signed(b)},
                 .cancel = cancel};
    /* Step 1 of theory 7.13: the multipliers are of their class, by exact comparisons. */
    for (size_t i = 0; i < b->nh; i++) out->certified = out->certified && x[i] >= 0;
    for (size_t i = 0; i < b->terms; i++) /* h_t >= 0, summable */
        out->certified = out->certified && b->h[i].lag > 0 && b->h[i].s > 0 && b->h[i].s <= 1 &&
                         b->h[i].fold > 0;
    for (size_t i = 0; i + 2 * b->pairs < b->nc; i++) /* |p| < 1 */
        out->certified = out->certified && b->s[i] > 0 && b->s[i] < 2;
    for (size_t i = 0; i < b->pairs; i++) { /* |1 - t| < 1, with room for the roundings */
        double re = 1 - creal(b->t[i]), im = cimag(b->t[i]);
        out->certified = out->certified && re * re + im * im < 1 - 1e-12;
    }
    for (size_t i = 0; i < b->ns; i++)
        out->certified = out->certified && b->ahead[i].lag > 0 && b->ahead[i].s > 0 &&
                         b->ahead[i].s <= 1;
    /* What there is no formula for, or what would take too long: said before anything is loaded. */
    const ball_family *family = ball_family_of(noise);
    const char *no = NULL; /* why it is not tried */
    if (weights.dp > 0 && !family) no = "no closed formula for this noise: cannot be certified";
    if (weights.dp > 0 && noise_taps(noise) > MAX_TAPS)
        no = "more than 1000 coefficients: too many to certify";
    if (b->ns > 0 && family && !family->beta)
        no = "Gaussian w, noise given by C: cannot be certified (the sharp bound can)";
    if (b->lags > MAX_LAGS) no = "more than 500 lags in the multiplier: too many to certify";
    if (!no && !arb_library_load())
        no = "Arb was found by the build and is not now: no certificate";
    if (no) {
        out->certified = 0;
        snprintf(out->reason.text, sizeof out->reason.text, "%s", no);
        return FINF_ETOL;
    }
    proof p = {.c = &c,
               .mo = mo,
               .kappa = kappa,
               .g = g,
               .weights = weights,
               .estimate = estimate,
               .out = out};
    /* A thread of its own, for the reason given at `leave`, which is waited for. */
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_t thread;
    pthread_once(&once, set_memory_functions);
    if (pthread_create(&thread, NULL, prove_alone, &p) == 0) pthread_join(thread, NULL);
    out->seconds = finf_seconds() - t0;
    if (!p.ended) {
        *out = (socp_certificate){.dp_upper = NAN, .sgd_upper = NAN};
        return finf_why(&out->reason, FINF_ENOMEM, "no memory for the proof");
    }
    if (!out->certified)
        snprintf(
            out->reason.text, sizeof out->reason.text,
            c.cancelled
                ? "the proof was cancelled"
                : "ball arithmetic: no finite enclosure, or not of the value computed in doubles");
    return out->certified ? FINF_OK : FINF_ETOL;
}

#endif
