/* make bench: our way beside the plain GSL way, in one run. Only the ratios mean anything. */
#include <gsl/gsl_blas.h>
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_poly.h>
#include <gsl/gsl_sf_ellint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "finf.h"
#include "montecarlo.h"
#include "ratios.h"
#include "stream.h"
#undef I /* of complex.h; here an integral */

static double now(void) { return cpu_seconds(); }

static void row(const char *what, double ours, double plain, double difference)
{
    ratio_note(what, ours, plain > 0 ? plain : ratio_yardstick());
    if (plain > 0)
        printf("%-58s %10.3g s %10.3g s %9.1fx %9.1e\n", what, ours, plain, plain / ours,
               difference);
    else
        printf("%-58s %10.3g s %12s %10s %9s\n", what, ours, "-", "-", "-");
}

static double *allocate(size_t n)
{
    double *x = malloc(n * sizeof *x);
    if (!x) exit(5);
    return x;
}

/* sum_j T_j/(2(1-b_j)) with one RF and one RJ for each eigenvalue */
static double plain_nu(const double *lambda, size_t n, double eta, double nu)
{
    double al = nu / (2 - nu), y = al * al, sum = 0, D = 1;
    for (size_t j = 0; j < n; j++) {
        double b = eta * lambda[j], be = b / (2 - b), I;
        if (nu <= b) {
            double p = y / (be * be);
            I = 2 * nu * nu / (b * b * (1 - nu / 2)) *
                (gsl_sf_ellint_RF(0, y, 1, 0) + (1 - p) / 3 * gsl_sf_ellint_RJ(0, y, 1, p, 0));
        } else
            continue; /* not reached: nu is below every b */
        sum += b * (2 - b) / (2 * M_PI) * I / (2 * (1 - b));
        D -= b / (2 * (1 - b));
    }
    return 0.5 * eta * sum / D;
}

static void many_eigenvalues(void)
{
    size_t n = 1000000;
    double *lambda = allocate(n), eta = 0.05, nu;
    for (size_t j = 0; j < n; j++) lambda[j] = pow((double)j + 1, -1.2);
    nu = 0.999 * eta * lambda[n - 1];
    finf_noise *noise;
    finf_spectrum *s;
    finf_linreg_options o = finf_linreg_options_default();
    finf_linreg_result r;
    o.optimum = 0;
    finf_noise_nu(nu, &noise, NULL);
    finf_spectrum_list(lambda, n, &s, NULL);
    double t0 = now();
    finf_linreg(noise, eta, s, &o, &r);
    double t1 = now(), plain = plain_nu(lambda, n, eta, nu) * r.gamma2.value / 2, t2 = now();
    row("F_inf of nu over 10^6 given eigenvalues", t1 - t0, t2 - t1,
        fabs(r.exact.value / plain - 1));
    static const char *const WITH[][2] = {
        {"heavy-ball:0.9", "  with heavy-ball:0.9, beside the time of sgd"},
        {"filter:0,1;1,-2.2,1.68,-0.48", "  with a filter of third order, beside sgd"}};
    for (size_t i = 0; i < sizeof WITH / sizeof *WITH; i++) {
        finf_optimizer *momentum;
        finf_optimizer_parse(WITH[i][0], NULL, 0, &momentum, NULL);
        o.optimizer = momentum;
        double t3 = now();
        finf_linreg(noise, eta / 10, s, &o, &r);
        row(WITH[i][1], now() - t3, t1 - t0, 0);
        finf_optimizer_free(momentum);
    }
    finf_noise_free(noise);
    finf_spectrum_free(s);
    free(lambda);
}

static void analytic(void)
{
    finf_noise *noise;
    finf_spectrum *s;
    finf_linreg_options o = finf_linreg_options_default();
    finf_linreg_result r;
    finf_noise_nu(1e-8, &noise, NULL);
    double eta = 0.01, t0 = now();
    finf_spectrum_power(1, 1e9, &s, NULL);
    finf_linreg(noise, eta, s, &o, &r);
    row("F_inf of nu, lambda = 1/k, d = 10^9, with the optimum", now() - t0, 0, 0);
    finf_optimizer *momentum;
    finf_optimizer_parse("nesterov:0.99", "ema:0.9", 0, &momentum, NULL);
    o.optimizer = momentum;
    t0 = now();
    finf_linreg(noise, eta / 100, s, &o, &r);
    row("  with nesterov:0.99 and ema:0.9", now() - t0, 0, 0);
    finf_optimizer_free(momentum);
    o.optimizer = NULL;
    finf_spectrum_free(s);
    o.optimum = 0;
    t0 = now();
    finf_spectrum_power(1, 1e7, &s, NULL);
    finf_linreg(noise, eta, s, &o, &r);
    double t1 = now();
    size_t n = 10000000;
    double *lambda = allocate(n);
    for (size_t j = 0; j < n; j++) lambda[j] = 1 / ((double)j + 1);
    double t2 = now(), D = 0, sum = 0;
    for (size_t j = 0; j < n; j++) { /* every eigenvalue by itself */
        double b = eta * lambda[j];
        finf_real I;
        finf_ellint_i(1e-8, b, &I);
        sum += b * (2 - b) / (2 * M_PI) * I.value / (2 * (1 - b));
        D += b / (2 * (1 - b));
    }
    double plain = 0.5 * eta * r.gamma2.value / 2 * sum / (1 - D);
    row("the same, d = 10^7, against the direct sum", t1 - t0, now() - t2,
        fabs(r.exact.value / plain - 1));
    free(lambda);
    finf_spectrum_free(s);
    finf_noise_free(noise);
}

static void long_fir(void)
{
    size_t n = 100000, m = 1000;
    double *beta = allocate(n), *r = allocate(n), *b = allocate(m), *T = allocate(m), relerr,
           worst = 0, eta = 0.1, nu = 1e-4;
    finf_noise *nu_noise, *noise;
    finf_spectrum *s;
    finf_linreg_options o = finf_linreg_options_default();
    finf_linreg_result result;
    o.optimum = 0;
    finf_noise_nu(nu, &nu_noise, NULL);
    finf_noise_beta(nu_noise, n, beta, NULL);
    finf_noise_fir(beta, n, &noise, NULL);
    finf_spectrum_power(1, (double)m, &s, NULL);
    for (size_t j = 0; j < m; j++) b[j] = eta / ((double)j + 1);
    double t0 = now();
    finf_noise_energy(noise, b, m, T, &relerr, NULL);
    double t1 = now();
    /* plain: autocorrelation by its definition, then Horner's rule */
    for (size_t k = 0; k < n; k++) {
        double sum = 0;
        for (size_t t = 0; t + k < n; t++) sum += beta[t] * beta[t + k];
        r[k] = k ? 2 * sum : sum;
    }
    double t2 = now();
    for (size_t j = 0; j < m; j++) {
        double plain = gsl_poly_eval(r, (int)n, 1 - b[j]);
        worst = fmax(worst, fabs(T[j] / plain - 1));
    }
    double t3 = now();
    printf("(the plain sum r_0 + 2 sum r_k q^k cancels: its digits are what differs below)\n");
    row("T_j of a FIR beta, n = 10^5, 10^3 eigenvalues", t1 - t0, t3 - t1, worst);
    row("  of which after the autocorrelation", t1 - t0, t3 - t2, worst);
    t0 = now();
    finf_linreg(noise, eta, s, &o, &result);
    row("  F_inf for them, gamma and all", now() - t0, 0, 0);
    finf_noise_free(noise);
    finf_noise_free(nu_noise);
    finf_spectrum_free(s);
    free(beta);
    free(r);
    free(b);
    free(T);
}

static void inverse(void)
{
    size_t n = 1000000, m = 40000;
    double *beta = allocate(n), *c = allocate(n), *plain = allocate(m), worst = 0;
    finf_noise *noise;
    finf_noise_nu(1e-6, &noise, NULL);
    finf_noise_beta(noise, n, beta, NULL);
    double t0 = now();
    finf_series_inverse(beta, n, n, c, NULL);
    row("1/beta as a power series, n = 10^6", now() - t0, 0, 0);
    t0 = now();
    finf_series_inverse(beta, m, m, c, NULL);
    double t1 = now();
    for (size_t t = 0; t < m; t++) {
        double sum = t == 0;
        for (size_t k = 1; k <= t; k++) sum -= beta[k] * plain[t - k];
        plain[t] = sum;
        worst = fmax(worst, fabs(sum - c[t]));
    }
    row("the same, n = 4 10^4, against the recursion", t1 - t0, now() - t1, worst);
    finf_noise_free(noise);
    free(beta);
    free(c);
    free(plain);
}

static double inverse_density(double w, void *noise)
{
    return 1 / finf_noise_density(noise, w) / M_PI;
}

static void sensitivity(void)
{
    double beta[500], value, error;
    finf_noise *nu, *noise;
    finf_sensitivity s;
    finf_noise_nu(0.01, &nu, NULL);
    finf_noise_beta(nu, 500, beta, NULL);
    finf_noise_fir(beta, 500, &noise, NULL);
    double t0 = now();
    finf_noise_sensitivity(noise, &s);
    double t1 = now();
    gsl_integration_workspace *w = gsl_integration_workspace_alloc(5000);
    gsl_function f = {inverse_density, noise};
    gsl_integration_qag(&f, 0, M_PI, 0, 1e-13, 5000, GSL_INTEG_GAUSS61, w, &value, &error);
    row("gamma^2 of a FIR beta, n = 500, against gsl_integration_qag", t1 - t0, now() - t1,
        fabs(s.gamma2.value / value - 1));
    gsl_integration_workspace_free(w);
    finf_noise_free(noise);
    finf_noise_free(nu);
}

/* The work of a simulated step beside that of its random numbers, which no simulation can do
 * without. */
static void simulation(void)
{
    enum { D = 16, NUMBERS = 2 * D + 1, TILE = 64 };
    finf_noise *noise[2];
    finf_spectrum *s;
    finf_simulate_options o = finf_simulate_options_default();
    finf_simulate_result r;
    double numbers[NUMBERS * TILE], sum = 0;
    normal_source *normals = normal_source_make(1);
    finf_noise_sgd(&noise[0]);
    finf_noise_nu(0.003125, &noise[1], NULL);
    finf_spectrum_power(1, D, &s, NULL);
    if (!normals) exit(5);
    o.privacy.sigma_sgd = 1;
    o.relative_error = 1e-9;
    o.max_steps = 2e6;
    for (int i = 0; i < 2; i++) {
        double t0 = now();
        finf_simulate(noise[i], FINF_SIMULATE_LINREG, 0.05, s, &o, &r);
        double t1 = now();
        normal_source_seek(normals, 0);
        for (size_t t = 0; t < (size_t)r.steps; t += TILE) {
            normal_source_draw(normals, NUMBERS * TILE, numbers);
            sum += numbers[0];
        }
        double plain = now() - t1;
        row(i ? "2 10^6 simulated steps, d = 16, nu; against their normals"
              : "2 10^6 simulated steps, d = 16, sgd; against their normals",
            t1 - t0, isnan(sum) ? 0 : plain, fabs(r.F.value / r.exact.value - 1));
        finf_noise_free(noise[i]);
    }
    normal_source_free(normals);
    finf_spectrum_free(s);
}

/* X'X/n of 2000 rows and its 600 eigenvalues, by LAPACK or, where that is not there (or
 * FINF_LAPACK_LIBRARY is empty), by our own product and GSL */
static void spectrum_of_data(void)
{
    enum { N = 2000, D = 600 };
    double *X = allocate((size_t)N * D), *H = allocate((size_t)D * D), lambda[D];
    finf_gram *g;
    finf_spectrum *s;
    for (size_t i = 0; i < (size_t)N * D; i++) X[i] = sin((double)i * (double)i);
    finf_part lapack = {0};
    for (size_t i = 0; (lapack = finf_part_get(i)).name && strcmp(lapack.name, "LAPACK") != 0;) i++;
    double t = now();
    if (finf_gram_new(D, &g, NULL) || finf_gram_add(g, X, N, NULL) ||
        finf_spectrum_gram(g, &s, NULL))
        exit(5);
    double ours = now() - t;
    t = now();
    gsl_matrix_view x = gsl_matrix_view_array(X, N, D), h = gsl_matrix_view_array(H, D, D);
    gsl_vector_view l = gsl_vector_view_array(lambda, D);
    gsl_eigen_symm_workspace *w = gsl_eigen_symm_alloc(D);
    if (!w) exit(5);
    gsl_blas_dsyrk(CblasLower, CblasTrans, 1.0 / N, &x.matrix, 0, &h.matrix);
    gsl_eigen_symm(&h.matrix, &l.vector, w);
    double plain = now() - t;
    row(lapack.version ? "spectrum of 2000 x 600 data, with LAPACK"
                       : "spectrum of 2000 x 600 data, without LAPACK",
        ours, plain, fabs(gsl_vector_max(&l.vector) / finf_spectrum_max(s) - 1));
    gsl_eigen_symm_free(w);
    finf_spectrum_free(s);
    finf_gram_free(g);
    free(X);
    free(H);
}

/* Simulated steps with an optimizer against as many of plain sgd, in one run: each a few times in
 * turn, the fastest of each, by step. Here the ratio is what the optimizer costs. */
static void optimizers(void)
{
    static const char *const NAMES[][2] = {{"sgd", "none"},
                                           {"heavy-ball:0.9", "none"},
                                           {"nesterov:0.9", "none"},
                                           {"heavy-ball:0.9", "ema:0.95"},
                                           {"heavy-ball:0.9", "last:100"}};
    enum { N = sizeof NAMES / sizeof *NAMES };
    finf_noise *noise;
    finf_spectrum *s;
    finf_simulate_options o = finf_simulate_options_default();
    finf_simulate_result r;
    double best[N], differ[N];
    finf_noise_nu(0.003125, &noise, NULL);
    finf_spectrum_power(1, 16, &s, NULL);
    o.privacy.sigma_sgd = 1;
    o.relative_error = 1e-9;
    o.max_steps = 1e6;
    for (int i = 0; i < N; i++) best[i] = INFINITY;
    for (int i = 0; i < 5 * N; i++) {
        finf_optimizer *opt;
        finf_optimizer_parse(NAMES[i % N][0], NAMES[i % N][1], 0, &opt, NULL);
        o.optimizer = opt;
        double t0 = now();
        finf_simulate(noise, FINF_SIMULATE_LINREG, i % N ? 0.005 : 0.05, s, &o, &r);
        best[i % N] = fmin(best[i % N], (now() - t0) / r.steps);
        differ[i % N] = fabs(r.F.value / r.exact.value - 1);
        finf_optimizer_free(opt);
    }
    for (int i = 1; i < N; i++)
        printf(
            "10^6 simulated steps, %-14s %-9s against plain sgd:  %10.3g s %10.3g s %9.2fx %9.1e\n",
            NAMES[i][0], NAMES[i][1], 1e6 * best[i], 1e6 * best[0], best[i] / best[0], differ[i]);
    finf_noise_free(noise);
    finf_spectrum_free(s);
}

/* The same in one dimension, where a step costs least beside its noise: mean estimation and Huber.
 */
static void scalar_optimizers(void)
{
    static const char *const NAMES[] = {"sgd", "heavy-ball:0.9", "nesterov:0.9"};
    finf_noise *noise;
    finf_noise_nu(0.01, &noise, NULL);
    for (int problem = 0; problem < 2; problem++) {
        double best[3] = {INFINITY, INFINITY, INFINITY};
        for (int i = 0; i < 15; i++) {
            finf_simulate_options o = finf_simulate_options_default();
            finf_simulate_result r;
            finf_optimizer *opt;
            finf_optimizer_parse(NAMES[i % 3], NULL, 0, &opt, NULL);
            o.optimizer = opt;
            o.relative_error = 1e-9;
            o.max_steps = 3e6;
            double t0 = now();
            finf_simulate(noise, problem ? FINF_SIMULATE_HUBER : FINF_SIMULATE_MEAN,
                          i % 3 ? 0.01 : 0.1, NULL, &o, &r);
            best[i % 3] = fmin(best[i % 3], (now() - t0) / r.steps);
            finf_optimizer_free(opt);
        }
        for (int i = 1; i < 3; i++)
            printf("10^6 steps of %-6s %-14s against plain sgd:            %10.3g s %10.3g s "
                   "%9.2fx\n",
                   problem ? "huber," : "mean,", NAMES[i], 1e6 * best[i], 1e6 * best[0],
                   best[i] / best[0]);
    }
    finf_noise_free(noise);
}

/* Seconds of a stream of so many steps and coordinates, floats, making it included; 0: there is no
 * libsodium. */
static double draw_stream(const char *spelling, size_t d, size_t steps, float *z)
{
    finf_stream_options o = finf_stream_options_default();
    finf_noise *noise;
    finf_stream *s;
    o.dtype = FINF_STREAM_F32;
    o.steps = steps;
    finf_noise_parse(spelling, &noise, NULL);
    double t0 = now();
    if (finf_stream_new(noise, d, &o, &s, NULL)) {
        finf_noise_free(noise);
        return 0;
    }
    for (size_t t = 0; t < steps; t++) finf_stream_next(s, z, NULL);
    double taken = now() - t0;
    finf_stream_free(s);
    finf_noise_free(noise);
    return taken;
}

/* A stream beside what no private noise can do without, its independent normals: each the least of
 * several runs, in turn. */
static void streams(void)
{
    enum { D = 1000000, RUNS = 9 };
    static const char blt2[] = "blt:0.99,0.9;0.05,0.3",
                      blt4[] = "blt:0.9999,0.998,0.96,0.66;0.0126,0.0464,0.149,0.279";
    static const struct {
        const char *name, *spelling;
        size_t d, steps;
    } STREAMS[] = {{"blt:2", blt2, D, 20},
                   {"blt:4", blt4, D, 20},
                   {"blt:4", blt4, 10000, 1000},
                   {"nu:0.01", "nu:0.01", 10000, 1000},
                   {"nu:0.001", "nu:0.001", 10000, 1000},
                   {"nu:0.001", "nu:0.001", 10000, 2000},
                   {"nu:0.001", "nu:0.001", 1000, 10000},
                   {"nu:0.0001", "nu:0.0001", 10000, 1000},
                   {"nu:0.001", "nu:0.001", D, 100},
                   {"cc", "cc", 10000, 1000}};
    static float z[D];
    for (size_t i = 0; i < sizeof STREAMS / sizeof *STREAMS; i++) {
        size_t d = STREAMS[i].d, steps = STREAMS[i].steps;
        double taken = INFINITY, plain = INFINITY;
        char what[80];
        for (int k = 0; k < RUNS; k++) {
            plain = fmin(plain, draw_stream("sgd", d, steps, z));
            taken = fmin(taken, draw_stream(STREAMS[i].spelling, d, steps, z));
        }
        if (taken == 0) {
            printf("no streams: libsodium is not there\n");
            return;
        }
        double each = taken / (double)d / (double)steps;
        snprintf(what, sizeof what, "stream %s, d = %zu, %zu steps: over its normals",
                 STREAMS[i].name, d, steps);
        ratio_note(what, taken, plain);
        printf("%-58s %9.1f ns %9.1f ns %9.2fx   %.2f GB/s f32\n", what, each * 1e9,
               each * 1e9 * plain / taken, taken / plain, 4e-9 / each);
    }
}

int main(void)
{
    gsl_set_error_handler_off();
    printf("%-58s %12s %12s %10s %9s\n", "", "finf", "plain GSL", "ratio", "differ by");
    many_eigenvalues();
    analytic();
    long_fir();
    inverse();
    sensitivity();
    simulation();
    spectrum_of_data();
    optimizers();
    scalar_optimizers();
    streams();
    return 0;
}
