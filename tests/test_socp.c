/* What is behind the bound: program, solvers, recomputation, each against theory's own formulas.
 * (theory 7) */
#include <complex.h>
#include <gsl/gsl_integration.h>

#include "iqc_support.h"
#include "optimize.h"

/* ---- theory's own formulas ------------------------------------------------------------------- */

typedef struct {
    double eta, kappa;
    finf_iqc_bound bound;
    finf_noise *noise;
    socp_model mo;
    socp_grid g;
    socp_basis b;
    socp_program p;
    double *x;
    socp_outcome out;
} problem;

static problem problem_make(const char *spec, double eta, double kappa, finf_iqc_bound bound,
                            finf_iqc_class cls)
{
    problem p = {
        .eta = eta, .kappa = kappa, .bound = bound, .noise = noise_of(spec, fmin(eta / kappa, 1))};
    p.mo = socp_model_make(eta, kappa, is_dist(bound));
    size_t lags = socp_basis_lags(p.noise, eta, is_causal(bound));
    ck_assert_int_eq(socp_grid_make(p.noise, eta, 1 / kappa, socp_basis_reach(lags, cls), 0, &p.g),
                     FINF_OK);
    ck_assert_int_eq(socp_basis_make(eta, 1 / kappa, lags, 1, cls, is_causal(bound), &p.b),
                     FINF_OK);
    ck_assert_int_eq(socp_program_make(&p.mo, p.noise, &p.g, &p.b, (socp_weights){1, 0}, &p.p),
                     FINF_OK);
    p.x = malloc(p.p.n * sizeof *p.x);
    return p;
}

static void problem_free(problem *p)
{
    free(p->x);
    socp_program_free(&p->p);
    socp_basis_free(&p->b);
    socp_grid_free(&p->g);
    finf_noise_free(p->noise);
}

/* Lambda(w) = h_0 - sum h_t e^{-iwt} of theory 7.1: h_t = sum of +-alpha_i (1-p_i) p_i^{|t|-1}, L
 * = 1. program.h's multiplier is its conjugate and delta/2 times as large. */
static double complex lambda_at(const problem *p, double w)
{
    double complex z = cexp(-I * w), sum = 0;
    double delta = 1 - 1 / p->kappa;
    const double *x = p->x;
    for (size_t i = 0; i < p->b.nh; i++) sum += p->x[i];
    x++;
    for (size_t i = 0; i < p->b.terms; i++) {
        double s = p->b.h[i].s;
        double complex zl = cpow(z, (double)p->b.h[i].lag),
                       column = cpow(s * zl / (1 - (1 - s) * zl), (double)p->b.h[i].fold);
        for (int sign = 1; sign >= -1; sign -= 2)
            if (sign > 0 ? p->b.plus : p->b.minus) {
                sum -= sign * (x[0] * column + x[1] * conj(column));
                x += 2;
            }
    }
    return 2 / delta * conj(sum);
}

/* X(w) on <S, W>, a power series in z = e^{-iw}; X(0) is its constant term */
static double complex causal_at(const problem *p, double complex z)
{
    double complex sum = 0, product = 1;
    for (size_t i = 0; i < p->b.nc; i++) {
        double pole = 1 - p->b.s[i];
        sum += p->x[p->b.nh + i] * p->b.s[i] * product / (1 - pole * z);
        product *= (z - pole) / (1 - pole * z);
    }
    return sum;
}

typedef struct {
    double a, psi; /* psi_w = |m B + C|^2/a + k |B|^2 */
    /* psi_w minus socp's psi: (4/sqrt delta) Re(X B), of which 2 eta beta_0 c_{-1} is the mean */
    double shift;
} math_point;

/* theory 7.2 and 7.4 as printed, L = 1. S = (2/delta)(g Theta - B W), so that X on sqrt(delta) <S,
 * W> is the causality multiplier C = -(2/sqrt delta) conj(X g). */
static math_point math_at(const problem *p, double w)
{
    double mu = 1 / p->kappa, L = 1, root = sqrt(1 - mu), response[2];
    double complex gk = (1 - cexp(I * w)) / p->eta, Lambda = lambda_at(p, w),
                   P = mu * Lambda + L * conj(Lambda);
    double r = creal(Lambda), al = L / (L - mu), be = 1 / (2 * (L - mu)),
           ga = mu * L / (2 * (L - mu));
    double M11 = -2 * mu * L * r + 2 * creal(P * gk) - 2 * r * square(gk), M22 = -2 * r,
           c11 = L / 2, c22 = 0;
    double complex M12 = -P + 2 * r * conj(gk), c12 = 0;
    if (!is_dist(p->bound)) {
        c11 = -ga + al * creal(gk) - be * square(gk);
        c12 = -al / 2 + be * conj(gk);
        c22 = -be;
    }
    double a = -c11 - M11, k = c22 + M22;
    finf_noise_response(p->noise, w, response);
    double complex B = response[0] + I * response[1], X = causal_at(p, cexp(-I * w)),
                   g = gk - (L + mu) / 2;
    double complex m = (-c12 - M12) * B - 2 / root * conj(X * g);
    return (math_point){a, square(m) / a + k * square(B), 4 / root * creal(X * B)};
}

/* The bound (1/2pi) int psi_w dw - 2 eta beta_0 c_{-1}, on 24-point Gauss-Legendre panels of our
 * own */
static double math_bound(const problem *p)
{
    gsl_integration_glfixed_table *rule = gsl_integration_glfixed_table_alloc(24);
    double sum = 0, beta0, lo = 0, first = fmin(p->eta / p->kappa, finf_noise_scale(p->noise)) / 4,
           root = sqrt(1 - 1 / p->kappa);
    for (double hi = first; lo < M_PI; hi *= 1.5) {
        double to = hi > M_PI / 2 ? fmin(lo + 0.25, M_PI) : hi;
        for (size_t i = 0; i < 24; i++) {
            double w, q;
            gsl_integration_glfixed_point(lo, to, i, &w, &q, rule);
            math_point at = math_at(p, w);
            ck_assert_msg(at.a > 0, "a(%g) = %g", w, at.a);
            sum += q / M_PI * at.psi;
        }
        lo = to;
    }
    gsl_integration_glfixed_table_free(rule);
    finf_noise_beta(p->noise, 1, &beta0, NULL);
    /* the e^{-iw} of -(2/sqrt delta) conj(X g) */
    double c_minus_1 = creal(2 / root * causal_at(p, 0) / p->eta);
    return sum - 2 * p->eta * beta0 * c_minus_1;
}

/* Every cone and the objective at x, from the original data: returns the objective. */
static double verify(const problem *p, const char *what)
{
    double objective = 0, size = p->mo.shift, D;
    for (size_t i = 0; i < p->b.nh; i++) size += fabs(p->x[i]);
    for (size_t i = 0; i < p->b.nh; i++)
        ck_assert_msg(p->x[i] >= -1e-9 * size, "%s: h column %zu is %g", what, i, p->x[i]);
    for (size_t j = 0; j < p->p.cones; j++) {
        const socp_program *s = &p->p;
        math_point at = math_at(p, p->g.w[j]);
        size_t row = j * s->n;
        double a = s->a0[j] + dense_dot(s->A + row, p->x, s->n),
               k = s->k0[j] + dense_dot(s->K + row, p->x, s->n);
        double complex m = s->m0r[j] + dense_dot(s->Mr + row, p->x, s->n) +
                           I * (s->m0i[j] + dense_dot(s->Mi + row, p->x, s->n));
        double psi = square(m) / a + k;
        D = square((1 - cexp(I * p->g.w[j])) / p->eta - (1 + 1 / p->kappa) / 2);
        ck_assert_msg(at.a > 0, "%s: a(%g) = %g", what, p->g.w[j], at.a);
        ASSERT_NEAR(a * 4 * D / (1 - 1 / p->kappa), at.a, 1e-9, "%s: a(%g)", what, p->g.w[j]);
        ck_assert_msg(fabs(psi + at.shift - at.psi) <= 1e-9 * (psi + fabs(at.shift) + fabs(at.psi)),
                      "%s: psi(%g) is %.17g, socp has %.17g", what, p->g.w[j], at.psi,
                      psi + at.shift);
        objective += p->g.q[j] * (at.psi - at.shift);
    }
    return objective;
}

/* Both backends' multipliers, put back into theory's matrices: cones, objective and the bound on
 * the continuum. */
START_TEST(residuals)
{
    const struct {
        const char *noise;
        double eta, kappa;
    } cases[] = {{"sgd", 0.1, 100},          {"nu:paper", 1, 10},
                 {"nu:0.05", 0.1, 30},       {"beta:1,-0.6,0.2,-0.1", 0.5, 30},
                 {"power:0.3,0.01", 1.6, 4}, {"sgd", 0.3, 1.5}};
    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t f = 0; f < 4; f++)
            for (int c = 0; c < 3; c++)
                for (int ecos = 0; ecos < (socp_ecos_version() ? 2 : 1); ecos++) {
                    /* it has hundreds of unknowns */
                    if (c == FINF_IQC_ODD && (ecos ? i != 5 : i > 2)) continue;
                    problem p = problem_make(cases[i].noise, cases[i].eta, cases[i].kappa,
                                             BOUNDS[f], (finf_iqc_class)c);
                    char what[128];
                    snprintf(what, sizeof what, "%s %s class %d, %s", cases[i].noise, NAME[f], c,
                             ecos ? "ecos" : "newton");
                    memcpy(p.x, p.p.start, p.p.n * sizeof *p.x);
                    ASSERT_NEAR(verify(&p, what), socp_program_value(&p.p, p.x), 1e-9,
                                "%s: at the start", what);
                    socp_solve_options s = {.tol = 1e-8};
                    ck_assert_int_eq((ecos ? socp_ecos : socp_newton)(&p.p, &s, p.x, &p.out),
                                     FINF_OK);
                    ck_assert_int_eq(p.out.code, 0);
                    double objective = verify(&p, what);
                    ASSERT_NEAR(p.out.value, objective, ecos ? 2e-8 : 1e-9, "%s: objective", what);
                    socp_recomputed re;
                    ck_assert_int_eq(socp_recompute(&p.mo, p.noise, &p.g, &p.b,
                                                    (socp_weights){1, 0}, p.out.value, NULL, p.x,
                                                    &re),
                                     FINF_OK);
                    ASSERT_NEAR(re.dp.value, math_bound(&p), 1e-9, "%s: bound", what);
                    problem_free(&p);
                }
}
END_TEST

/* Optimality, from the gradient of the objective: it is >= 0 over h >= 0, complementary to h, and
 * zero over X. */
START_TEST(stationary)
{
    for (size_t f = 0; f < 4; f++)
        for (int ecos = 0; ecos < (socp_ecos_version() ? 2 : 1); ecos++) {
            problem p = problem_make("nu:0.03", 0.1, 50, BOUNDS[f], FINF_IQC_GENERAL);
            const socp_program *s = &p.p;
            socp_solve_options o = {.tol = 3e-11};
            double most = ecos ? 2e-5 : 1e-6;
            ck_assert_int_eq((ecos ? socp_ecos : socp_newton)(s, &o, p.x, &p.out), FINF_OK);
            double *grad = calloc(s->n, sizeof *grad), size = 0, products = 0;
            for (size_t j = 0; j < s->cones; j++) {
                const double *A = s->A + j * s->n, *Mr = s->Mr + j * s->n, *Mi = s->Mi + j * s->n,
                             *K = s->K + j * s->n;
                double a = s->a0[j] + dense_dot(A, p.x, s->n),
                       mr = s->m0r[j] + dense_dot(Mr, p.x, s->n),
                       mi = s->m0i[j] + dense_dot(Mi, p.x, s->n);
                for (size_t i = 0; i < s->n; i++)
                    grad[i] += s->q[j] * (2 * (mr * Mr[i] + mi * Mi[i]) / a -
                                          (mr * mr + mi * mi) / (a * a) * A[i] + K[i]);
            }
            for (size_t i = 0; i < p.b.nh; i++) size += p.x[i];
            for (size_t i = 0; i < s->n; i++) {
                double unit = i < p.b.nh ? size : fabs(p.x[i]),
                       relative_grad = grad[i] * unit / p.out.value;
                ck_assert_msg(relative_grad >= -most && (i < p.b.nh || relative_grad <= most),
                              "%s, %s: gradient %zu is %g", NAME[f], ecos ? "ecos" : "newton", i,
                              relative_grad);
                products += fabs(grad[i] * p.x[i]);
            }
            ck_assert_msg(products <= most * p.out.value, "%s, %s: complementarity %g", NAME[f],
                          ecos ? "ecos" : "newton", products / p.out.value);
            free(grad);
            problem_free(&p);
        }
}
END_TEST

/* ---- the continuum --------------------------------------------------------------------------- */

/* a(w) > 0 on a sample far finer than the grid. */
START_TEST(positive_between_the_nodes)
{
    const double kappas[] = {2, 30, 1000}, etas[] = {1.5, 0.5, 0.05};
    for (size_t k = 0; k < 3; k++)
        for (size_t e = 0; e < 3; e++)
            for (size_t f = 0; f < 4; f++) {
                problem p = problem_make("nu:0.1", etas[e], kappas[k], BOUNDS[f], FINF_IQC_GENERAL);
                ck_assert_int_eq(socp_newton(&p.p, &(socp_solve_options){.tol = 1e-8}, p.x, &p.out),
                                 FINF_OK);
                for (int i = 0; i <= 4000; i++) {
                    double w = i == 4000 ? M_PI : M_PI * pow(1e-7, 1 - i / 4000.0),
                           v = M_PI * i / 4000;
                    ck_assert_msg(math_at(&p, w).a > 0 && math_at(&p, v).a > 0,
                                  "%s, eta %g, kappa %g: a(%g), a(%g)", NAME[f], etas[e], kappas[k],
                                  w, v);
                }
                problem_free(&p);
            }
}
END_TEST

/* Multipliers that do not satisfy a > 0, or h >= 0, are repaired and give a valid, larger bound. */
START_TEST(repair)
{
    for (size_t f = 0; f < 4; f++)
        for (int broken = 0; broken < 4; broken++) {
            problem p = problem_make("nu:0.1", 1.2, 20, BOUNDS[f], FINF_IQC_GENERAL);
            ck_assert_int_eq(socp_newton(&p.p, &(socp_solve_options){.tol = 1e-8}, p.x, &p.out),
                             FINF_OK);
            double size = 0;
            for (size_t i = 0; i < p.b.nh; i++) size += p.x[i];
            for (size_t i = 0; i < p.b.nh; i++)
                p.x[i] = broken == 0 ? 0.3 * p.x[i] /* too little of everything */
                         /* one-sided: Im Lambda too large */
                         : broken == 1 ? p.x[i] + (i == 1 ? 3 * size : 0)
                         : broken == 2 ? (i % 2 ? p.x[i] : -p.x[i]) /* negative */
                                       : 0;
            double before = INFINITY;
            for (int i = 0; i <= 2000; i++) before = fmin(before, math_at(&p, M_PI * i / 2000).a);
            socp_recomputed re;
            ck_assert_int_eq(socp_recompute(&p.mo, p.noise, &p.g, &p.b, (socp_weights){1, 0},
                                            p.out.value, NULL, p.x, &re),
                             FINF_OK);
            ck_assert_msg(re.dp.value >= p.out.value * (1 - 1e-7), "%s %d: %g < %g", NAME[f],
                          broken, re.dp.value, p.out.value);
            ck_assert_msg(before > 0 || re.repair > 0, "%s %d: a = %g was not repaired", NAME[f],
                          broken, before);
            ck_assert(re.a_min > 0);
            for (size_t i = 0; i < p.b.nh; i++) ck_assert(p.x[i] >= 0);
            ASSERT_NEAR(re.dp.value, math_bound(&p), 1e-8, "%s %d: repaired bound", NAME[f],
                        broken);
            problem_free(&p);
        }
}
END_TEST

/* ---- theory 7.1: the printed sign ------------------------------------------------------------ */

/* E theta^2 <= 2 psi(pi) for a noise that is one line at w = pi: all the weight at that node, the
 * others only keep a > 0 */
static double line_at_pi(double eta, double kappa, finf_iqc_class cls)
{
    finf_noise *noise = noise_of("sgd", NAN);
    socp_model mo = socp_model_make(eta, kappa, 1);
    socp_grid g;
    socp_basis b;
    socp_program p;
    socp_outcome out;
    ck_assert_int_eq(socp_grid_make(noise, eta, mo.mu, 1, 0, &g), FINF_OK);
    for (size_t i = 0; i < g.n; i++) g.q[i] = 1e-20;
    g.w[g.n - 1] = M_PI;
    g.q[g.n - 1] = 1;
    ck_assert_int_eq(socp_basis_make(eta, mo.mu, 1, 1, cls, 0, &b), FINF_OK);
    ck_assert_int_eq(socp_program_make(&mo, noise, &g, &b, (socp_weights){1, 0}, &p), FINF_OK);
    double *x = malloc(p.n * sizeof *x);
    ck_assert_int_eq(socp_newton(&p, &(socp_solve_options){.tol = 1e-9}, x, &out), FINF_OK);
    free(x);
    socp_program_free(&p);
    socp_basis_free(&b);
    socp_grid_free(&g);
    finf_noise_free(noise);
    return 2 * out.value;
}

/* theory 7.2 at w = pi for a real Lambda = r: gk = 2/eta, 2 psi */
static double psi_at_pi(double eta, double mu, double r)
{
    double gk = 2 / eta, a = -0.5 + 2 * mu * r - 2 * r * (1 + mu) * gk + 2 * r * gk * gk,
           m = r * (1 + mu) - 2 * r * gk;
    return 2 * (m * m / a - 2 * r);
}

START_TEST(printed_sign)
{
    const double eta = 0.1, kappa = 10, mu = 0.1;
    double theta = 0, last = 0, printed = INFINITY;
    /* F'(theta) = mu theta for theta > 0, L theta for theta < 0 */
    for (int t = 0; t < 20000; t++) {
        last = theta;
        theta -= eta * ((theta > 0 ? mu : 1) * theta + (t % 2 ? 1 : -1));
    }
    double cycle = (theta * theta + last * last) / 2;
    ck_assert_double_eq_tol(cycle, 0.0042505, 5e-8);

    /* general: Lambda(pi) >= Lambda(0), and a(0) = 2 mu r - 1/2 > 0. printed: Lambda(pi) is free */
    double general = psi_at_pi(eta, mu, 1 / (4 * mu));
    for (double r = 7e-4; r < 10; r *= 1.00005) {
        double v = psi_at_pi(eta, mu, r);
        if (v > 0) printed = fmin(printed, v);
    }
    double paper = line_at_pi(eta, kappa, FINF_IQC_PAPER);
    ASSERT_NEAR(line_at_pi(eta, kappa, FINF_IQC_GENERAL), general, 1e-6, "general");
    ASSERT_NEAR(general, 0.0080026, 1e-5, "general");
    ASSERT_NEAR(paper, printed, 1e-6, "paper");
    ASSERT_NEAR(paper, 0.0027701, 2e-5, "paper");
    ck_assert_msg(paper < 0.7 * cycle && cycle < general, "paper %g, cycle %g, general %g", paper,
                  cycle, general);
}
END_TEST

/* ---- the solvers ----------------------------------------------------------------------------- */

/* The iteration limit is a failure; a program without a feasible point is one too, and yields no
 * number. */
START_TEST(unfinished_and_infeasible)
{
    for (int ecos = 0; ecos < (socp_ecos_version() ? 2 : 1); ecos++) {
        problem p = problem_make("nu:0.05", 0.1, 30, FINF_IQC_FVAL, FINF_IQC_GENERAL);
        socp_solve_options s = {.tol = 1e-8, .max_iter = 3};
        ck_assert_int_eq((ecos ? socp_ecos : socp_newton)(&p.p, &s, p.x, &p.out), FINF_ETOL);
        ck_assert_msg(p.out.code == -1 && p.out.gap > 1e-8, "code %d", p.out.code);
        ck_assert(ecos ? isnan(p.out.value) : p.out.value >= 0);
        p.p.G[p.p.n + 1] = 0;
        p.p.G[p.p.n] = p.p.g0[1] = -1; /* row 0: x_0 >= 0; row 1: -x_0 >= 1 */
        s.max_iter = 0;
        ck_assert_int_eq((ecos ? socp_ecos : socp_newton)(&p.p, &s, p.x, &p.out), FINF_ETOL);
        ck_assert_msg(p.out.code != 0 && isnan(p.out.value) && isinf(p.out.gap),
                      "%s: code %d, value %g", ecos ? "ecos" : "newton", p.out.code, p.out.value);
        problem_free(&p);
    }
}
END_TEST

/* least_squares.c: the optimum lies between its value and that less the gap; where the gap is
 * nothing it is the optimum. */
START_TEST(least_squares)
{
    const struct {
        const char *noise;
        double eta, kappa;
        int optimal;
    } cases[] = {{"sgd", 0.1, 100, 1},   {"nu:0.05", 0.1, 1e4, 1},
                 {"sgd", 1, 30, 1},      {"nu:0.05", 0.1, 1.5, 1},
                 {"nu:paper", 1, 10, 0}, {"nu:paper", 0.1, 1e4, 0},
                 {"nu:0.1", 1, 3, 0},    {"beta:1,-0.6,0.2,-0.1", 0.5, 30, 0}};
    NEEDS("ECOS");
    for (size_t i = 0; i < COUNT(cases); i++) {
        problem p = problem_make(cases[i].noise, cases[i].eta, cases[i].kappa, FINF_IQC_SHARP,
                                 FINF_IQC_GENERAL);
        socp_outcome least;
        ck_assert_int_eq(socp_least(&p.p, &(socp_solve_options){.tol = INFINITY}, p.x, &least), 1);
        for (size_t k = 0; k < p.p.signs; k++) ck_assert(p.x[k] == 0);
        ASSERT_NEAR(least.value, socp_program_value(&p.p, p.x), 1e-13, "%s: value", cases[i].noise);
        ck_assert_int_eq(socp_ecos(&p.p, &(socp_solve_options){.tol = 1e-8}, p.x, &p.out), FINF_OK);
        double above = least.value / p.out.value - 1;
        ck_assert_msg(above >= -1e-8 && above <= least.gap + 2e-8, "%s: %g above, gap %g",
                      cases[i].noise, above, least.gap);
        ck_assert_msg(cases[i].optimal ? least.gap < 1e-10 : above > 1e-7, "%s: %g above, gap %g",
                      cases[i].noise, above, least.gap);
        problem_free(&p);
    }
    /* a(w) < 0 without multipliers */
    problem p = problem_make("nu:0.05", 1.5, 30, FINF_IQC_SHARP, FINF_IQC_GENERAL);
    ck_assert_int_eq(socp_least(&p.p, &(socp_solve_options){.tol = INFINITY}, p.x, &p.out), 0);
    problem_free(&p);
}
END_TEST

/* Warm starts along a sweep of nu: the same values, in fewer steps. */
START_TEST(warm_start)
{
    double *warm = NULL;
    int cold = 0, hot = 0;
    for (double nu = 0.02; nu < 0.2; nu *= 1.1) {
        char spec[32];
        snprintf(spec, sizeof spec, "nu:%.17g", nu);
        problem p = problem_make(spec, 0.1, 100, FINF_IQC_DIST, FINF_IQC_GENERAL);
        socp_solve_options s = {.tol = 1e-8};
        ck_assert_int_eq(socp_newton(&p.p, &s, p.x, &p.out), FINF_OK);
        double value = p.out.value;
        cold += p.out.iterations;
        s.warm = warm;
        ck_assert_int_eq(socp_newton(&p.p, &s, p.x, &p.out), FINF_OK);
        ASSERT_NEAR(p.out.value, value, 3e-8, "warm, nu = %g", nu);
        hot += p.out.iterations;
        warm = realloc(warm, p.p.n * sizeof *warm);
        memcpy(warm, p.x, p.p.n * sizeof *warm);
        problem_free(&p);
    }
    free(warm);
    ck_assert_msg(hot < 0.9 * cold, "warm %d, cold %d", hot, cold);
}
END_TEST

/* ---- the basis ------------------------------------------------------------------------------- */

typedef struct {
    const char *noise;
    /* what the compact basis may lose: the two solver gaps, or what is measured */
    double eta, loose;
} against_fir;

static void reaches_fir(const against_fir *cases, size_t n, finf_iqc_bound bound,
                        finf_iqc_class cls)
{
    for (size_t i = 0; i < n; i++) {
        finf_iqc_options o = options(bound);
        o.multipliers = cls;
        double compact = iqc(cases[i].noise, cases[i].eta, 10, o).bound.value;
        o.fir = 120;
        double fir = iqc(cases[i].noise, cases[i].eta, 10, o).bound.value;
        ck_assert_msg(compact <= fir * (1 + cases[i].loose), "%s at eta %g: %.9g, fir:120 %.9g",
                      cases[i].noise, cases[i].eta, compact, fir);
    }
}

/* The compact basis is as good as 120 free lags, for noise that resonates too. */
START_TEST(compact_reaches_fir)
{
    static const against_fir CASES[] = {{"beta:1,0,0,0.8", 1.9, 2e-8},
                                        {"beta:1,0,0.9", 1.9, 2e-8},
                                        {"beta:1,0.3,0.7", 1.9, 2e-8},
                                        {"beta:1,0,-0.8", 1.9, 2e-8},
                                        {"beta:1,0,0,0.8", 1, 2e-8},
                                        {"beta:1,0,-0.8", 0.3, 2e-8},
                                        {"beta:1,0,0,0,0,0,0,0,0,0.9", 0.3, 2e-8},
                                        {"strategy:1,0,0.9", 1.9, 2e-8},
                                        {"nu:0.3", 1.9, 2e-8},
                                        {"power:0.5,0.3", 0.1, 2e-8}};
    reaches_fir(CASES, COUNT(CASES), FINF_IQC_SHARP, FINF_IQC_GENERAL);
}
END_TEST

/* Where h_t may have either sign, geometric sequences alone lose a tenth: lumps mend most of it. */
START_TEST(odd_reaches_fir)
{
    static const against_fir CASES[] = {
        {"sgd", 0.1, 4.5e-3}, {"nu:0.05", 0.1, 8e-4}, {"sgd", 1, 4.5e-4}};
    reaches_fir(CASES, COUNT(CASES), FINF_IQC_DIST, FINF_IQC_ODD);
}
END_TEST

/* Peaks 1e-4 wide, where one rule for all of [0, pi] would not do. */
START_TEST(sharp_resonances)
{
    static const char *const NOISE[] = {"strategy:1,0,0.9999", "blt:0.99,0.9;0.1,-0.2",
                                        "beta:1,0,0.9999"};
    for (size_t i = 0; i < COUNT(NOISE); i++) {
        finf_iqc_options o = options(FINF_IQC_SHARP);
        o.certify = has_part("Arb");
        finf_iqc_result r = iqc(NOISE[i], 0.1, 10, o);
        ck_assert_msg(r.bound.error < 1e-8 * r.bound.value, "%s: error %g of %g", NOISE[i],
                      r.bound.error, r.bound.value);
        ck_assert(r.quadratic_lower.value <= r.bound.value);
    }
}
END_TEST

/* ---- the noise moves ------------------------------------------------------------------------- */

enum { FACTORS = 3 };
static const double FACTOR[FACTORS] = {0.02, 0.1, 0.6};

/* y += scale times beta of the product with these powers, power i more by h */
static void add_beta(const double *r, size_t i, double h, double scale, size_t taps, double *y)
{
    double moved[FACTORS], *beta = malloc((taps + 1) * sizeof *beta);
    finf_noise *noise;
    for (size_t k = 0; k < FACTORS; k++) moved[k] = r[k] + (k == i ? h : 0);
    ck_assert_int_eq(finf_noise_product(FACTOR, moved, FACTORS, &noise, NULL), FINF_OK);
    ck_assert_int_eq(finf_noise_beta(noise, taps + 1, beta, NULL), FINF_OK);
    for (size_t t = 0; t < taps; t++) y[t] += scale * beta[t];
    finf_noise_free(noise);
    free(beta);
}

/* Gradient and Hessian of the bound in r, against differences of solves to 1e-11, and the bound
 * itself against finf_iqc: with X alone (sharp) and with all multipliers. Of the Hessian for
 * gaussian a little is left out. cov against its definition. */
START_TEST(hessian)
{
    enum { N = FACTORS };
    const double r[N] = {0.1, 0.4, -0.1}, h = 1e-4;
    finf_noise *finest = noise_of("nu:0.01", NAN);
    const finf_iqc_bound bounds[] = {FINF_IQC_SHARP, FINF_IQC_SHARP_DIST, FINF_IQC_GAUSSIAN};
    for (int pass = 0; pass < 6; pass++) {
        finf_iqc_options o = options(bounds[pass / 2]);
        int gaussian = o.bound == FINF_IQC_GAUSSIAN;
        socp_moving v;
        o.privacy.sigma_sgd = pass % 2 ? 0.5 : 0;
        ck_assert_int_eq(socp_moving_make(0.1, 20, &o, finest, &v), FINF_OK);
        size_t J = v.grid.n, taps = v.taps;
        ck_assert((taps > 0) == gaussian);
        double complex *f = malloc(J * (N + 1) * sizeof *f), *logB = f + J * N;
        double grad[2][N], hess[N * N], ignored[N * N], cov[N * N], value[2],
            part = gaussian ? 5e-3 : 5e-7;
        double *scratch = malloc(socp_moving_scratch(&v, N) * sizeof *scratch);
        for (size_t j = 0; j < J; j++)
            for (size_t i = 0; i < N; i++) f[j * N + i] = socp_log_factor(FACTOR[i], v.grid.w[j]);
        for (int k = -1; k < N; k++)
            for (int side = 0; side < (k < 0 ? 1 : 2); side++) {
                double at[N], *beta = calloc((N + 1) * taps + 1, sizeof *beta), d = 1e-4;
                for (int i = 0; i < N; i++) at[i] = r[i] + (i == k ? (side ? h : -h) : 0);
                for (size_t j = 0; j < J; j++) {
                    logB[j] = 0;
                    for (size_t i = 0; i < N; i++) logB[j] += at[i] * f[j * N + i];
                }
                add_beta(at, 0, 0, 1, taps, beta);
                for (size_t i = 0; i < N; i++) {
                    add_beta(at, i, d, 0.5 / d, taps, beta + (i + 1) * taps);
                    add_beta(at, i, -d, -0.5 / d, taps, beta + (i + 1) * taps);
                }
                v.x_is_a_start = 0;
                ck_assert_int_eq(socp_moving_solve(&v, logB, beta, 1e-11), FINF_OK);
                value[side] = v.value;
                socp_moving_hessian(&v, f, beta + taps, N, grad[side], k < 0 ? hess : ignored, cov,
                                    scratch);
                free(beta);
                ck_assert((v.kkt.moved == 0) == (o.bound == FINF_IQC_SHARP));
                for (size_t i = 0; i < N * N && k < 0; i++) {
                    double e = 0, ei = 0, el = 0;
                    for (size_t j = 0; j < J; j++) {
                        double p = v.grid.q[j] * exp(-2 * creal(logB[j])) / v.gamma2,
                               fi = creal(f[j * N + i / N]), fl = creal(f[j * N + i % N]);
                        e += p * fi * fl;
                        ei += p * fi;
                        el += p * fl;
                    }
                    ck_assert_double_le(fabs(cov[i] - (e - ei * el)), 1e-13 * e);
                }
                if (k < 0) {
                    finf_iqc_result whole = iqc("product:0.02,0.1,0.6;0.1,0.4,-0.1", 0.1, 20, o);
                    ASSERT_NEAR(v.value, whole.bound.value, 2e-9, "bound, %s", NAME[o.bound]);
                }
                if (side == 0) continue;
                for (int i = 0; i < N; i++) {
                    double size = gaussian ? sqrt(hess[k * N + k] * hess[i * N + i])
                                           : fabs(hess[k * N + k]);
                    ck_assert_msg(fabs((grad[1][i] - grad[0][i]) / (2 * h) - hess[k * N + i]) <
                                      part * size,
                                  "Hessian %d %d: %g, by differences %g", k, i, hess[k * N + i],
                                  (grad[1][i] - grad[0][i]) / (2 * h));
                }
                ck_assert_msg(fabs((value[1] - value[0]) / (2 * h) -
                                   (grad[0][k] + grad[1][k]) / 2) < 1e-6 * value[0],
                              "gradient %d: %g, by differences %g", k,
                              (grad[0][k] + grad[1][k]) / 2, (value[1] - value[0]) / (2 * h));
            }
        free(f);
        free(scratch);
        socp_moving_free(&v);
    }
    finf_noise_free(finest);
}
END_TEST

static TCase *make(void)
{
    TCase *t = tcase_create("all");
    tcase_add_test(t, residuals);
    tcase_add_test(t, stationary);
    tcase_add_test(t, positive_between_the_nodes);
    tcase_add_test(t, repair);
    tcase_add_test(t, printed_sign);
    tcase_add_test(t, unfinished_and_infeasible);
    tcase_add_test(t, least_squares);
    tcase_add_test(t, warm_start);
    tcase_add_test(t, compact_reaches_fir);
    tcase_add_test(t, odd_reaches_fir);
    tcase_add_test(t, sharp_resonances);
    tcase_add_test(t, hessian);
    return t;
}

int main(void) { return run_suite("socp", make); }
