/* The best nu of nu-DP-FTRL for the IQC bound, theory 7.9: a scan of log nu, since there may be
 * several minima, then each bracket refined by Newton's method, with the certificate following nu
 * (hessian.c). */
#include <math.h>
#include <stdlib.h>

#include "optimize.h"

enum { MAX_SCAN = 64, MAX_REFINE = 40 };
static const double RATIO = 8;   /* of neighbouring nu in the scan */
static const double SCAN = 1e-4; /* relative gap there */
static const double FINE = 1e-8; /* and in the end */
/* d log bound / d log nu: within 1e-4 of the best nu and 1e-9 of its bound */
static const double FLAT = 1e-5;
/* nu/(eta L): near the minimum of sharp where eta L < 1, whatever kappa */
static const double GUESS = 0.63;

/* ---- the IQC bound: Newton's method in log nu, within brackets ------------------------------- */

typedef struct {
    double u, lower;             /* log nu; log of the worst quadratic's value: no bound is below */
    double value, slope, second; /* log bound and its derivatives; value +inf: not solved */
} sample;

typedef struct {
    socp_moving *v;
    double complex *logB, *f; /* f: d logB/du and d^2 logB/du^2 */
    double *beta;             /* 3 x taps: beta, dbeta/du, d^2 beta/du^2 */
    double *scratch;
    sample best;
} nu_search;

/* a last step may have led above u = 0, that is beyond independent noise */
static double nu_of(const sample *s) { return fmin(exp(s->u), 1); }

/* log of the worst quadratic's value; -inf, which is below it, where it was not found to its
 * accuracy */
static finf_status log_quadratic(const socp_moving *v, double nu, double *out)
{
    finf_noise *noise = NULL;
    finf_sensitivity sens;
    finf_real value = {0};
    double h, dp = 0;
    finf_status st = finf_noise_nu(nu, &noise, NULL);
    if (st == FINF_OK) st = finf_noise_sensitivity(noise, &sens);
    if (st == FINF_OK) {
        dp = v->weights.dp * sens.gamma2.value;
        st = socp_quadratic(noise, &v->mo, NULL, v->mo.dist, v->weights.sgd / dp, &value, &h);
    }
    finf_noise_free(noise);
    *out = st == FINF_OK ? log(dp * value.value) : -INFINITY;
    return st == FINF_ETOL ? FINF_OK : st;
}

/* beta_t = a_t (1-nu)^t and its first two derivatives in u = log nu */
static void set_beta(nu_search *n, double nu)
{
    size_t taps = n->v->taps;
    double *b = n->beta, *d = b + taps, *dd = d + taps, p = -0.125; /* a_t (1-nu)^{t-2} */
    if (taps == 0) return;
    b[0] = 1;
    d[0] = dd[0] = 0;
    b[1] = -(1 - nu) / 2;
    d[1] = dd[1] = nu / 2;
    for (size_t i = 2; i < taps; i++) {
        double t = (double)i;
        b[i] = p * (1 - nu) * (1 - nu);
        d[i] = -t * nu * (1 - nu) * p;
        dd[i] = d[i] + t * (t - 1) * nu * nu * p;
        p *= (1 - nu) * (t - 0.5) / (t + 1);
    }
}

/* Solves at s->u and fills in the rest of s. socp_moving_hessian is given two directions, dlogB/du
 * and d^2logB/du^2, numbers 1 and 2; along u the bound V has
 *     V' = V_1,   V'' = V_11 + V_2. */
static finf_status at(nu_search *n, double tol, sample *s)
{
    socp_moving *v = n->v;
    double nu = nu_of(s), g[2], H[4], cov[4];
    for (size_t j = 0; j < v->grid.n; j++) {
        n->logB[j] = socp_log_factor(nu, v->grid.w[j]) / 2;
        /* z nu/2 / (1 - (1-nu) z) */
        double complex d = nu / 2 * cexp(-I * v->grid.w[j] - 2 * n->logB[j]);
        n->f[2 * j] = d;
        n->f[2 * j + 1] = d * (1 - 2 * d);
    }
    set_beta(n, nu);
    finf_status st = socp_moving_solve(v, n->logB, n->beta, tol);
    if (st != FINF_OK) return st;
    socp_moving_hessian(v, n->f, n->beta + v->taps, 2, g, H, cov, n->scratch);
    s->value = log(v->value);
    s->slope = g[0] / v->value;
    s->second = (H[0] + g[1]) / v->value - s->slope * s->slope;
    if (s->value < n->best.value) n->best = *s;
    return FINF_OK;
}

/* The minimum between a (slope < 0) and b (> 0), one of which may not be solved: Newton's method
 * from the lower, halving where that leads out. */
static finf_status refine(nu_search *n, sample a, sample b)
{
    for (int k = 0; k < MAX_REFINE && b.u - a.u > FLAT; k++) {
        sample from = a.value < b.value ? a : b, c = {.u = from.u - from.slope / from.second};
        if (!(from.second > 0 && c.u > a.u && c.u < b.u)) c.u = a.u + (b.u - a.u) / 2;
        /* Newton's steps square the slope */
        double tol = fmin(fmax(from.slope * from.slope * SCAN, FINE), SCAN);
        finf_status st = at(n, tol, &c);
        if (st != FINF_OK) return st;
        if (fabs(c.slope) < FLAT) break;
        if (c.slope < 0)
            a = c;
        else
            b = c;
    }
    return FINF_OK;
}

/* How far log nu may be from its best: by Newton's step from there, and by as much as bounds that
 * differ by the solver's gap cannot tell apart in a valley of this curvature. */
static double off_by(const sample *s)
{
    if (s->u >= 0 && s->slope < 0) return 0; /* it would be beyond independent noise, the end */
    if (!(s->second > 0)) return INFINITY;
    return fabs(s->slope) / s->second + sqrt(2 * FINE / s->second);
}

/* The points of the scan: nu = 1, where the noise is independent, then downwards by RATIO through
 * the guess to eta mu/4; s is in falling order of nu. Each gets its worst quadratic, none its
 * bound yet. */
static finf_status place(const socp_moving *v, sample *s, size_t *count)
{
    finf_status st = FINF_OK;
    size_t n = 1;
    double e = socp_setting_step(&v->set), end = log(fmin(e, 1) * v->mo.mu / 4), step = log(RATIO),
           u = log(fmin(GUESS * e, 1));
    s[0] = (sample){.u = 0};
    for (u += step * floor(-u / step); n < MAX_SCAN && u > end; u -= step)
        if (u < -step / 8) s[n++] = (sample){.u = u};
    if (n < MAX_SCAN) s[n++] = (sample){.u = end};
    for (size_t i = 0; i < n && st == FINF_OK; i++) {
        s[i].value = INFINITY;
        st = log_quadratic(v, nu_of(&s[i]), &s[i].lower);
    }
    *count = n;
    return st;
}

/* The scan goes by the worst quadratic, the least first; a point whose quadratic is above the best
 * bound so far is never solved. Then every pair of neighbours that may have a minimum between them
 * is refined. */
finf_status socp_best_nu(socp_moving *v, int solved, finf_real *nu)
{
    sample s[MAX_SCAN] = {{0}};
    nu_search t = {.v = v, .best = {.u = 0, .value = INFINITY}};
    t.logB = malloc(3 * v->grid.n * sizeof *t.logB);
    t.scratch = malloc((socp_moving_scratch(v, 2) + 3 * v->taps) * sizeof *t.scratch);
    finf_status st = t.logB && t.scratch ? FINF_OK : FINF_ENOMEM;
    size_t n = 0;
    if (st == FINF_OK) st = place(v, s, &n);
    t.f = t.logB ? t.logB + v->grid.n : NULL;
    t.beta = t.scratch ? t.scratch + socp_moving_scratch(v, 2) : NULL;
    /* nu = 1 is solved to the end, as the best is compared with it */
    for (size_t next = 0; st == FINF_OK && next < n;) {
        next = n;
        for (size_t i = 0; i < n; i++)
            if (isinf(s[i].value) && s[i].lower < t.best.value &&
                (next == n || s[i].lower < s[next].lower))
                next = i;
        if (next < n) st = at(&t, next ? SCAN : FINE, &s[next]);
    }
    for (size_t i = 1; st == FINF_OK && i < n; i++) {
        /* what was left out is a wall */
        int a = isfinite(s[i].value), b = isfinite(s[i - 1].value);
        if ((a || b) && !(a && s[i].slope > 0) && !(b && s[i - 1].slope < (i == 1 ? FLAT : 0)))
            st = refine(&t, s[i], s[i - 1]);
    }
    double last_step = t.best.slope / t.best.second; /* too small to be solved for */
    if (!solved && fabs(t.best.slope) < FLAT && fabs(last_step) < 1e-2) t.best.u -= last_step;
    *nu = finf_real_make(nu_of(&t.best), nu_of(&t.best) * expm1(off_by(&t.best)),
                         "Newton's method");
    /* of equals independent noise: no coefficients to keep */
    if (n && s[0].value <= t.best.value + 1e-7) {
        /* the two cannot be told apart; no less than the last of the scan was looked at */
        nu->error = fmin(nu->error + 1 - nu->value, 1 - exp(s[n - 1].u));
        nu->value = 1;
        t.best = s[0];
    }
    if (solved && (st == FINF_OK || (st == FINF_ETOL && !v->cancelled))) {
        finf_status last = at(&t, FINE, &t.best);
        if (st == FINF_OK) st = last;
    }
    free(t.logB);
    free(t.scratch);
    return st;
}

finf_status finf_tune_iqc(double eta, double kappa, const finf_iqc_options *opt, finf_real *nu,
                          finf_iqc_result *out)
{
    finf_iqc_options o = opt ? *opt : finf_iqc_options_default();
    finf_noise *noise = NULL, *finest = NULL;
    socp_moving v = {0};
    finf_reason why = {"the search for nu did not end"};
    *nu = finf_real_failed();
    *out = socp_iqc_failed(&o);
    finf_status tuned = FINF_OK, st = socp_check(eta, kappa, &o, &out->reason);
    if (st != FINF_OK) return st;
    st = finf_noise_sgd(&noise);
    socp_setting set = socp_setting_make(eta, kappa, o.smooth, o.optimizer);
    double step = fmin(socp_setting_step(&set), 1), h;
    /* every noise gives the same */
    int cancelled = 0, trivial = socp_setting_diverges(&set, &h, NULL) || !(o.privacy.clip > 0);
    *nu = finf_real_exact(1);
    if (st == FINF_OK && !trivial && set.kappa == 1 && !set.has_loop) {
        *nu = finf_real_rounded(step, 1); /* mean estimation, theory 4 */
    } else if (st == FINF_OK && !trivial) {
        /* the least that is tried */
        st = finf_noise_nu(step / set.kappa / 4, &finest, &out->reason);
        if (st == FINF_OK) st = socp_moving_make(eta, kappa, &o, finest, &v);
        if (st == FINF_OK && !v.infeasible) tuned = socp_best_nu(&v, 0, nu);
        if (tuned != FINF_OK && tuned != FINF_ETOL) st = tuned;
        cancelled = v.cancelled;
    }
    finf_noise_free(finest);
    socp_moving_free(&v);
    if (st == FINF_OK && nu->value < 1) {
        finf_noise_free(noise);
        st = finf_noise_nu(nu->value, &noise, &out->reason);
    }
    if (st == FINF_OK && !cancelled) st = finf_iqc(noise, eta, kappa, &o, out);
    if (st == FINF_ETOL) {
        tuned = st;
        why = out->reason;
        cancelled = finf_cancelled(o.cancel);
    }
    /* Newton's bound of the nu there is, soon */
    if (cancelled && (st == FINF_OK || st == FINF_ETOL)) {
        o.cancel = (finf_cancel){NULL, NULL};
        o.solver = FINF_IQC_NEWTON;
        o.certify = 0;
        st = finf_iqc(noise, eta, kappa, &o, out);
    }
    finf_noise_free(noise);
    if (st != FINF_OK && st != FINF_ETOL) *nu = finf_real_failed();
    if (st == FINF_OK && tuned != FINF_OK) out->reason = why;
    return st != FINF_OK ? st : tuned;
}
