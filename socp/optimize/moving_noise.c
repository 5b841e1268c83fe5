/* The IQC program as a function of the noise: grid and basis stay, B moves. In theory 7.12 m is X
 * and a part b proportional to B*, k is proportional to |B|^2, and a does not see B: a new B only
 * rescales rows (no basis function but stein.c's is evaluated again), and where B moves little the
 * last certificate starts the next solve. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optimize.h"

/* Beyond this relative change of B (root mean square) the last certificate is no better a start
 * than the program's own. */
static const double FAR = 0.3;

/* The program for B = 1, and memory: two blocks, which B and x point to the start of. Rows are
 * turned from this B to the first one given. */
static finf_status begin(socp_moving *v)
{
    finf_noise *white = NULL;
    finf_status st = finf_noise_sgd(&white);
    if (st == FINF_OK)
        st = socp_program_make(&v->mo, white, &v->grid, &v->basis, v->weights, &v->prog);
    finf_noise_free(white);
    int feasible = 1;
    if (st == FINF_OK) st = socp_phase_one(&v->prog, v->cancel, &feasible);
    v->infeasible = !feasible;
    if (st != FINF_OK) return st;
    v->B = malloc(2 * v->grid.n * sizeof *v->B);
    v->kkt.at = malloc(v->prog.signs * sizeof *v->kkt.at);
    v->taps = v->basis.ns ? socp_stein_length(&v->basis) : 0;
    v->x = calloc(2 * v->prog.n + 2 * v->prog.cones + v->taps, sizeof *v->x);
    if (!v->B || !v->x || !v->kkt.at) return FINF_ENOMEM;
    v->next = v->B + v->grid.n;
    v->warm = v->x + v->prog.n;
    v->kkt.zr = v->warm + v->prog.n;
    v->kkt.zi = v->kkt.zr + v->prog.cones;
    v->beta = v->kkt.zi + v->prog.cones;
    for (size_t j = 0; j < v->grid.n; j++) v->B[j] = 1;
    return FINF_OK;
}

/* No noise is known yet, so the single lags are those of noise that does not resonate, while the
 * panels are halved until |B|^2 of `finest` is resolved. */
finf_status socp_moving_make(double eta, double kappa, const finf_iqc_options *o,
                             const finf_noise *finest, socp_moving *out)
{
    int causal = socp_is_causal(o->bound), gaussian = o->bound == FINF_IQC_GAUSSIAN;
    socp_moving v = {.set = socp_setting_make(eta, kappa, o->smooth, o->optimizer),
                     .weights = socp_unit_weights(o)};
    if (v.set.kappa == 1) v.set.kappa = 1 + 1e-6;
    v.mo = socp_setting_model(&v.set, socp_is_dist(o->bound));
    size_t lags = o->fir ? o->fir : socp_model_lags(&v.mo, NULL, causal),
           reach = socp_basis_reach(lags, o->multipliers),
           ahead = v.mo.loop ? SOCP_STEIN_FAR : SOCP_STEIN_LAGS;
    if (gaussian && reach < ahead) reach = ahead;
    /* no start is known to be better than another yet */
    v.cold_iterations = INFINITY;
    v.gap = INFINITY;
    v.cancel = o->cancel;
    finf_status st = socp_model_grid(&v.mo, finest, reach, o->grid_uniform, &v.grid);
    if (st == FINF_OK)
        st = socp_model_basis(&v.mo, lags, !o->fir, o->multipliers, causal, &v.basis);
    if (st == FINF_OK && gaussian) st = socp_stein_make(&v.mo, finest, &v.basis, NULL);
    if (st == FINF_OK) st = begin(&v);
    if (st != FINF_OK) socp_moving_free(&v);
    *out = v;
    if (v.mo.loop) out->mo.loop = &out->set.loop;
    return st;
}

finf_status socp_moving_relax(const socp_moving *v, socp_moving *out)
{
    const socp_basis *b = &v->basis;
    *out = (socp_moving){
        .set = v->set, .mo = v->mo, .weights = v->weights, .grid = v->grid, .grid_is_borrowed = 1};
    out->cold_iterations = INFINITY;
    out->gap = INFINITY;
    out->cancel = v->cancel;
    out->basis = (socp_basis){
        .h = malloc(b->terms * sizeof *b->h), .plus = b->plus, .minus = b->minus};
    if (!out->basis.h) return FINF_ENOMEM;
    /* half of them, as the result is a start only: a quarter of the cost */
    for (size_t i = 0; i < b->terms; i += 2) out->basis.h[out->basis.terms++] = b->h[i];
    out->basis.nh = 1 + out->basis.terms * socp_basis_each(b);
    finf_status st = begin(out);
    if (st == FINF_OK && out->infeasible) st = FINF_ETOL;
    if (st != FINF_OK) socp_moving_free(out);
    return st;
}

void socp_moving_free(socp_moving *v)
{
    if (!v) return;
    if (!v->grid_is_borrowed) socp_grid_free(&v->grid);
    socp_basis_free(&v->basis);
    socp_program_free(&v->prog);
    dense_free(&v->kkt.H);
    free(v->kkt.at);
    free(v->B);
    free(v->x);
    *v = (socp_moving){0};
}

/* Rows of the DP cones are linear in B* (m) and in |B|^2 (k): turned from one B to the next. a, X
 * and the gradient noise's cones do not see B. Returns the relative change, as gamma^2 weights it.
 */
static double set_rows(socp_moving *v)
{
    socp_program *p = &v->prog;
    double moved = 0;
    for (size_t j = 0; j < v->grid.n; j++) {
        double complex turn = v->next[j] / v->B[j];
        double re = creal(turn), im = cimag(turn), b2 = socp_size2(turn), m0r = p->m0r[j],
               m0i = p->m0i[j];
        double *mr = p->Mr + j * p->n, *mi = p->Mi + j * p->n, *k = p->K + j * p->n;
        for (size_t i = 0; i < v->basis.nh; i++) {
            double r = mr[i];
            mr[i] = re * r + im * mi[i];
            mi[i] = re * mi[i] - im * r;
            k[i] *= b2;
        }
        p->m0r[j] = re * m0r + im * m0i;
        p->m0i[j] = re * m0i - im * m0r;
        p->k0[j] *= b2;
        moved += v->grid.q[j] / socp_size2(v->B[j]) * socp_size2(turn - 1);
        v->B[j] = v->next[j];
    }
    return sqrt(moved);
}

/* Sets next to the given B scaled to gamma = 1; 0 where it over- or underflows. */
static int set_next(socp_moving *v, const double complex *logB)
{
    double gamma2 = 0, power = 0;
    for (size_t j = 0; j < v->grid.n; j++) {
        gamma2 += v->grid.q[j] * exp(-2 * creal(logB[j]));
        power += v->grid.q[j] * exp(2 * creal(logB[j]));
    }
    if (!isfinite(gamma2 * power)) return 0;
    v->gamma2 = gamma2;
    for (size_t j = 0; j < v->grid.n; j++) v->next[j] = cexp(logB[j]) * sqrt(gamma2);
    return 1;
}

/* The attempt that follows the one `before`, if that did not succeed: least squares where they are
 * wanted, then a warm start where x is one, last a cold one. */
static socp_start next_start(const socp_moving *v, socp_start before)
{
    int first = before == SOCP_START_NONE;
    if (first && v->least_squares_first) return SOCP_START_LEAST_SQUARES;
    if (first || before == SOCP_START_LEAST_SQUARES)
        return v->x_is_a_start ? SOCP_START_WARM : SOCP_START_COLD;
    return before == SOCP_START_WARM ? SOCP_START_COLD : SOCP_START_NONE;
}

/* What an attempt teaches the next solve. Least squares leave x on the boundary, where Newton's
 * method cannot start; it may itself have ended there (kkt.moved = 0). Iterations are compared at
 * equal tolerance, a digit costing about one: for large kappa warm starts may not pay, and once one
 * has not, none is tried again. */
static void learn(socp_moving *v, socp_start how, int solved, int iterations, double tol)
{
    int inside = how != SOCP_START_LEAST_SQUARES && v->kkt.moved > 0;
    if (how == SOCP_START_COLD && inside) v->cold_iterations = iterations + log10(tol);
    if (how == SOCP_START_WARM && iterations > v->cold_iterations - log10(tol))
        v->warm_costs_more = 1;
    v->x_is_a_start = solved && inside && !v->warm_costs_more;
}

/* One attempt to solve for the present B. FINF_ETOL: it did not succeed, or was cancelled. */
static finf_status attempt(socp_moving *v, socp_start how, double tol)
{
    socp_outcome so = {0};
    socp_solve_options s = {.tol = tol, .kkt = &v->kkt, .cancel = v->cancel, .limit = v->limit};
    finf_status st = FINF_OK;
    if (how == SOCP_START_LEAST_SQUARES) {
        /* whatever the gap: the caller asked for X alone, and reads the gap */
        s.tol = INFINITY;
        int found = socp_least(&v->prog, &s, v->x, &so);
        if (found == 0) return FINF_ETOL;
        if (found < 0) st = FINF_ENOMEM;
    } else {
        s.warm = how == SOCP_START_WARM ? v->warm : NULL;
        /* what was at work for the last B most often is for this one */
        s.hint = v->kkt.moved > 0 ? v->warm : NULL;
        st = (v->mo.loop ? socp_newton_few : socp_newton)(&v->prog, &s, v->x, &so);
    }
    if (st == FINF_ENOMEM) {
        v->no_memory = 1;
        v->value = NAN;
        v->gap = INFINITY;
        return st;
    }
    v->value = so.value;
    v->gap = so.gap;
    v->cancelled = v->cancelled || so.code == SOCP_CANCELLED;
    if (v->cancelled) return FINF_ETOL;
    if (so.code == SOCP_ENOUGH) { /* above the limit: nothing of it is kept but the value */
        memcpy(v->x, v->warm, v->prog.n * sizeof *v->x);
        v->gap = INFINITY;
        return FINF_OK;
    }
    /* where rounding ends Newton's method short of tol, its point is feasible all the same */
    if (so.gap <= 100 * tol) st = FINF_OK;
    learn(v, how, st == FINF_OK, so.iterations, tol);
    return st;
}

/* Three steps: B scaled to gamma = 1; the rows, and stein.c's columns, turned to it; attempts
 * until one succeeds. Where nothing has moved and the last gap will do, the last solve stands. */
finf_status socp_moving_solve(socp_moving *v, const double complex *logB, const double *beta,
                              double tol)
{
    if (v->no_memory) return FINF_ENOMEM;
    if (v->infeasible || !set_next(v, logB)) {
        v->value = NAN;
        v->gap = INFINITY;
        return FINF_ETOL;
    }
    int solved = v->gap <= tol && memcmp(v->next, v->B, v->grid.n * sizeof *v->B) == 0;
    if (solved) return FINF_OK;
    if (set_rows(v) > FAR) v->x_is_a_start = 0;
    if (v->taps) {
        memcpy(v->beta, beta, v->taps * sizeof *beta);
        socp_stein_set(&v->mo, beta, &v->basis);
        socp_program_ahead(&v->prog, &v->grid, &v->basis, sqrt(v->gamma2));
    }
    memcpy(v->warm, v->x, v->prog.n * sizeof *v->x);
    finf_status st = FINF_ETOL;
    socp_start how = next_start(v, SOCP_START_NONE);
    while (st == FINF_ETOL && how != SOCP_START_NONE) {
        st = attempt(v, how, tol);
        how = v->cancelled ? SOCP_START_NONE : next_start(v, how);
    }
    return st;
}

double complex socp_moving_cone(const socp_moving *v, size_t j, double *a, double complex *b,
                                double *k)
{
    const socp_program *p = &v->prog;
    size_t n = p->n, nh = v->basis.nh, nx = 2 * v->basis.ns + v->basis.nc;
    const double *Mr = p->Mr + j * n, *Mi = p->Mi + j * n;
    *a = p->a0[j] + dense_dot(p->A + j * n, v->x, nh);
    *k = p->k0[j] + dense_dot(p->K + j * n, v->x, nh);
    *b = p->m0r[j] + dense_dot(Mr, v->x, nh) + I * (p->m0i[j] + dense_dot(Mi, v->x, nh));
    return dense_dot(Mr + nh, v->x + nh, nx) + I * dense_dot(Mi + nh, v->x + nh, nx);
}

double socp_moving_psi(const socp_moving *v, size_t j)
{
    double a, k;
    double complex b, X = socp_moving_cone(v, j, &a, &b, &k);
    return (socp_size2(b + X) / a + k) / socp_size2(v->B[j]);
}

/* The program had B at gamma = 1: gamma^2 goes back into the weight, and X and stein.c's unknowns,
 * which stand beside b in m, are divided by gamma. Lambda stays, as a does not see B. */
finf_status socp_moving_bound(const socp_moving *v, const finf_noise *noise, finf_real *bound)
{
    finf_sensitivity sens;
    socp_recomputed re;
    double *x = malloc(v->prog.n * sizeof *x);
    finf_status st = x ? finf_noise_sensitivity(noise, &sens) : FINF_ENOMEM;
    *bound = finf_real_failed();
    if (st == FINF_OK) {
        socp_weights w = {v->weights.dp * sens.gamma2.value, v->weights.sgd};
        memcpy(x, v->x, v->prog.n * sizeof *x);
        for (size_t i = 0; i < 2 * v->basis.ns + v->basis.nc; i++)
            x[v->basis.nh + i] /= sqrt(sens.gamma2.value); /* X of B as it is */
        st = socp_recompute(&v->mo, noise, &v->grid, &v->basis, w, v->value,
                            v->prog.slack ? NULL : v->prog.start, x, &re);
        double value = w.dp * re.dp.value + (w.sgd > 0 ? w.sgd * re.sgd.value : 0);
        double error = w.dp * re.dp.error + (w.sgd > 0 ? w.sgd * re.sgd.error : 0) +
                       fabs(value) * (sens.gamma2.error / sens.gamma2.value + 8 * FINF_EPS);
        *bound = finf_real_make(value, error, "multipliers recomputed on the continuum");
    }
    free(x);
    return st;
}

/* By theory 1.3, without cancellation at w = 0 or pi: the modulus is sqrt(x^2 + y^2). */
double complex socp_log_factor(double nu, double w)
{
    double s = sin(w / 2), c = cos(w / 2), x = nu * c, y = (2 - nu) * s;
    return log(x * x + y * y) / 2 + I * atan2((1 - nu) * sin(w), x * c + y * s);
}
