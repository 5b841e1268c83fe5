#include "figures.h"

#include <stdlib.h>

void dataset_free(dataset *d)
{
    free(d->data);
    d->data = NULL;
}

void dataset_csv(const dataset *d, FILE *out)
{
    fprintf(out, "# %s\n# %s\n", d->title, d->command);
    for (size_t c = 0; c < d->columns; c++) fprintf(out, "%s%s", c ? "," : "", d->names[c]);
    fputc('\n', out);
    for (size_t r = 0; r < d->rows; r++)
        for (size_t c = 0; c < d->columns; c++) {
            double x = d->data[r * d->columns + c];
            if (isfinite(x))
                fprintf(out, "%.17g", x);
            else if (isinf(x))
                fputs("inf", out);
            fputc(c + 1 < d->columns ? ',' : '\n', out);
        }
}

static double *reserve(dataset *d, size_t rows)
{
    d->rows = rows;
    d->data = malloc(rows * d->columns * sizeof *d->data);
    for (size_t i = 0; d->data && i < rows * d->columns; i++) d->data[i] = NAN;
    return d->data;
}

static double log_point(double from, double to, size_t i, size_t n)
{
    return i + 1 == n ? to : from * pow(to / from, (double)i / (double)(n - 1));
}

/* ---- Figure 1: mean estimation ------------------------------------------------------------------------- */

static finf_status ratio(int quick, dataset *d)
{
    *d = (dataset){.name = "fig1-ratio",
                   .title = "Figure 1, left: best noise / DP-SGD",
                   .log_x = 1,
                   .log_y = 1,
                   .caption = "F_inf of the best noise over F_inf of DP-SGD. It tends to 1, not 0, as eta tends to 1.",
                   .command = "finf mean --noise nu:auto --eta 0.1",
                   .x_label = "learning rate eta",
                   .y_label = "ratio of F_inf",
                   .columns = 2,
                   .names = {"eta", "ratio"}};
    size_t n = quick ? 7 : 61;
    finf_noise *sgd;
    finf_status s = finf_noise_sgd(&sgd);
    if (s || !reserve(d, n)) return s ? s : FINF_ENOMEM;
    for (size_t i = 0; i < n && !s; i++) {
        finf_mean_result r;
        double eta = log_point(1e-4, 1, i, n);
        s = finf_mean(sgd, eta, NULL, &r);
        d->data[2 * i] = eta;
        d->data[2 * i + 1] = r.F_optimal / r.F_sgd;
    }
    finf_noise_free(sgd);
    return s;
}

static const double SHOWN[] = {0.5, 0.1, 0.01, 0.001};

static finf_status coefficients(int quick, dataset *d)
{
    (void)quick;
    *d = (dataset){.name = "fig1-beta",
                   .title = "Figure 1, middle: the best noise, -beta_t",
                   .log_x = 1,
                   .log_y = 1,
                   .caption = "beta_0 = 1; every later coefficient is negative: noise is taken back.",
                   .command = "finf coef --noise nu:0.1 --length 65",
                   .x_label = "t",
                   .y_label = "-beta_t",
                   .columns = 5,
                   .names = {"t", "eta=0.5", "eta=0.1", "eta=0.01", "eta=0.001"}};
    enum { N = 64 };
    if (!reserve(d, N)) return FINF_ENOMEM;
    for (size_t k = 0; k < 4; k++) {
        double beta[N + 1];
        finf_noise *noise;
        finf_status s = finf_noise_nu(SHOWN[k], &noise, NULL);
        if (!s) s = finf_noise_beta(noise, N + 1, beta, NULL);
        finf_noise_free(noise);
        if (s) return s;
        for (size_t t = 1; t <= N; t++) d->data[5 * (t - 1)] = (double)t, d->data[5 * (t - 1) + k + 1] = -beta[t];
    }
    return FINF_OK;
}

static finf_status spectrum(int quick, dataset *d)
{
    (void)quick;
    *d = (dataset){.name = "fig1-spectrum",
                   .title = "Figure 1, right: the best noise, |B(w)|",
                   .log_y = 1,
                   .caption = "A high-pass filter: low frequencies are what gradient descent accumulates.",
                   .command = "finf coef --noise nu:0.1 --length 65",
                   .x_label = "frequency w",
                   .y_label = "|B(w)|",
                   .columns = 5,
                   .names = {"w", "eta=0.5", "eta=0.1", "eta=0.01", "eta=0.001"}};
    enum { N = 129 };
    if (!reserve(d, N)) return FINF_ENOMEM;
    for (size_t k = 0; k < 4; k++) {
        finf_noise *noise;
        finf_status s = finf_noise_nu(SHOWN[k], &noise, NULL);
        if (s) return s;
        for (size_t i = 0; i < N; i++) {
            double w = FINF_PI * (double)i / (N - 1);
            d->data[5 * i] = w;
            d->data[5 * i + k + 1] = sqrt(finf_noise_density(noise, w));
        }
        finf_noise_free(noise);
    }
    return FINF_OK;
}

/* ---- Figure 2: linear regression ----------------------------------------------------------------------- */

enum { REGRESSION = 10 };

/* x, exact and lower of DP-SGD and of nu = eta mu, the best noise; unless quick also both simulated, to 3% */
static finf_status regression_row(int quick, double a, double dim, double eta, double x, double *row)
{
    finf_spectrum *H = NULL;
    finf_noise *noise[2] = {NULL, NULL};
    finf_linreg_options o = finf_linreg_options_default();
    o.privacy.rho = 0.5;
    finf_status s = finf_spectrum_power(a, dim, &H, NULL);
    if (!s) s = finf_noise_sgd(&noise[0]);
    if (!s) s = finf_noise_nu(eta * finf_spectrum_min(H), &noise[1], NULL);
    for (int k = 0; k < 2 && !s; k++) {
        finf_linreg_result r;
        s = finf_linreg(noise[k], eta, H, &o, &r);
        row[0] = isnan(x) ? r.d_eff : x;
        row[1 + 2 * k] = r.exact.value;
        row[2 + 2 * k] = r.lti.value;
        row[5] = r.optimum.value;
        if (s || quick || dim > 128)
            continue; /* d = 1024 would take minutes: its slowest direction needs 50000 steps to forget */
        finf_simulate_options sim = finf_simulate_options_default();
        finf_simulate_result q;
        sim.privacy = o.privacy;
        sim.relative_error = 0.03;
        sim.threads = 2;
        s = finf_simulate(noise[k], FINF_SIMULATE_LINREG, eta, H, &sim, &q);
        if (s == FINF_ETOL && isfinite(q.F.value)) s = FINF_OK; /* its error bar says how far it came */
        row[6 + 2 * k] = q.F.value;
        row[7 + 2 * k] = q.F.error;
    }
    finf_noise_free(noise[0]);
    finf_noise_free(noise[1]);
    finf_spectrum_free(H);
    return s;
}

static dataset regression(const char *name, const char *title, const char *caption, const char *command, const char *x,
                          const char *label)
{
    return (dataset){.name = name,
                     .title = title,
                     .caption = caption,
                     .command = command,
                     .x_label = label,
                     .y_label = "F_inf",
                     .log_x = 1,
                     .log_y = 1,
                     .columns = REGRESSION,
                     .names = {x, "DP-SGD", "DP-SGD lower", "nu = eta mu", "nu lower", "best noise", "DP-SGD simulated",
                               "DP-SGD error", "nu simulated", "nu error"},
                     .is_error = {[7] = 1, [9] = 1}};
}

static finf_status against_d(int quick, dataset *d)
{
    *d = regression("fig2-d", "Figure 2, left: F_inf against d",
                    "Eigenvalues 1/k, eta = 0.02, rho = 1/2, Gaussian inputs, exact. Slope of DP-SGD: 1.00 in the paper.",
                    "finf rates --decays 1 --dim 16:1024:log:7 --eta 0.02 --rho 0.5", "d", "dimension d");
    size_t n = quick ? 5 : 7;
    finf_status s = reserve(d, n) ? FINF_OK : FINF_ENOMEM;
    for (size_t i = 0; i < n && !s; i++)
        s = regression_row(quick || i % 2, 1, (double)(16u << i), 0.02, (double)(16u << i), d->data + REGRESSION * i);
    return s;
}

static finf_status against_d_eff(int quick, dataset *d)
{
    *d = regression("fig2-deff", "Figure 2, middle: F_inf against d_eff",
                    "Eigenvalues k^-a, a = 1, 0.9, .., 0.4, d = 128. Slopes 0.18 (DP-SGD) and 0.94 (nu) in the paper.",
                    "finf rates --decays 0.4,0.5,0.6,0.7,0.8,0.9,1 --dim 128 --eta 0.02 --rho 0.5", "d_eff",
                    "effective dimension Tr H/lambda_1");
    finf_status s = reserve(d, 7) ? FINF_OK : FINF_ENOMEM;
    for (size_t i = 0; i < 7 && !s; i++)
        s = regression_row(quick || i % 2, (10 - (double)i) / 10, 128, 0.02, NAN, d->data + REGRESSION * i);
    return s;
}

static finf_status against_eta(int quick, dataset *d)
{
    *d = regression("fig2-eta", "Figure 2, right: F_inf against eta",
                    "Eigenvalues 1/k, d = 128. Slopes 1.27 (DP-SGD) and 2.03 (nu) in the paper.",
                    "finf rates --decays 1 --dim 128 --eta 0.02:0.18:log:10 --rho 0.5", "eta", "learning rate eta");
    finf_status s = reserve(d, 10) ? FINF_OK : FINF_ENOMEM;
    for (size_t i = 0; i < 10 && !s; i++)
        s = regression_row(quick || i % 2, 1, 128, log_point(0.02, 0.18, i, 10), log_point(0.02, 0.18, i, 10),
                           d->data + REGRESSION * i);
    return s;
}

/* The exact curve of finite time behind Figure 2's end points. */
static finf_status finite_time(int quick, dataset *d)
{
    *d = (dataset){
        .name = "fig2-curve",
        .title = "Figure 2, added: the exact learning curve",
        .log_x = 1,
        .log_y = 1,
        .caption = "E[F(theta_t) - F*] for eigenvalues 1/k, d = 128, eta = 0.02, rho = 1/2, |theta_0 - theta*|^2 = 1, "
                   "noise by gamma_inf.",
        .command =
            "finf curve --system sgd,nu:auto --steps 100000 --eta 0.02 --spectrum power:1 --dim 128 --rho 0.5 --gamma inf",
        .x_label = "step t",
        .y_label = "E[F - F*]",
        .columns = 3,
        .names = {"t", "DP-SGD", "nu = eta mu"}};
    size_t T = quick ? 1000 : 100000, rows = 0;
    const double eta = 0.02;
    finf_spectrum *H = NULL;
    finf_curve_options o = finf_curve_options_default();
    o.privacy.rho = 0.5;
    o.gamma = FINF_CURVE_GAMMA_INF;
    finf_status s = finf_spectrum_power(1, 128, &H, NULL);
    if (!s && !reserve(d, 400)) s = FINF_ENOMEM;
    for (int k = 0; k < 2 && !s; k++) {
        finf_noise *noise = NULL;
        finf_system *system = NULL;
        finf_curve_result r = {0};
        s = k ? finf_noise_nu(eta * finf_spectrum_min(H), &noise, NULL) : finf_noise_sgd(&noise);
        if (!s) s = finf_system_toeplitz(noise, T, &system, NULL);
        if (!s) s = finf_curve(system, eta, H, &o, &r);
        rows = 0;
        for (size_t t = 1; t <= T && !s; t += 1 + t / 24)
            d->data[3 * rows] = (double)t, d->data[3 * rows++ + 1 + (size_t)k] = r.F[t];
        finf_curve_result_free(&r);
        finf_system_free(system);
        finf_noise_free(noise);
    }
    d->rows = rows;
    finf_spectrum_free(H);
    return s;
}

/* ---- Figure 3: strongly convex F ----------------------------------------------------------------------- */

static finf_status bound_of(double nu, double kappa, const finf_iqc_options *o, int grid, double *out)
{
    finf_noise *noise = NULL;
    finf_iqc_result r;
    finf_status s = nu > 0 ? finf_noise_nu(nu, &noise, NULL) : finf_noise_sgd(&noise);
    if (!s) s = finf_iqc(noise, 0.1, kappa, o, &r);
    *out = grid ? r.grid_value : r.bound.value;
    finf_noise_free(noise);
    return s == FINF_ETOL && isfinite(*out) ? FINF_OK : s; /* on a coarse grid the recomputed bound may not settle */
}

static finf_status optimum_of(double kappa, const finf_iqc_options *o, double *out)
{
    finf_optimize_options opt = finf_optimize_options_default();
    finf_optimize_result r;
    opt.iqc = *o;
    finf_status s = finf_optimize(0.1, kappa, &opt, &r);
    *out = r.iqc.bound.value;
    finf_optimize_result_free(&r);
    return s;
}

static finf_status convex(int quick, int sharp, dataset *d)
{
    size_t n = quick ? 3 : 13;
    finf_status s = reserve(d, n) ? FINF_OK : FINF_ENOMEM;
    finf_iqc_options o = finf_iqc_options_default();
    o.privacy.rho = 0.5;
    o.bound = sharp ? FINF_IQC_SHARP : FINF_IQC_DIST;
    for (size_t i = 0; i < n && !s; i++) {
        double kappa = log_point(2, 1000, i, n), *row = d->data + d->columns * i;
        row[0] = kappa;
        s = bound_of(0, kappa, &o, 0, &row[1]);
        if (!s) s = bound_of(0.1 / kappa, kappa, &o, 0, &row[2]);
        if (!s) s = optimum_of(kappa, &o, &row[3]);
        if (sharp) {
            row[4] = finf_iqc_minimax(0.1, 1, 0, 1, 1, &o.privacy);
            continue;
        }
        o.grid_uniform = 1000; /* the paper's grid: what its solver would print */
        if (!s) s = bound_of(0, kappa, &o, 1, &row[4]);
        if (!s) s = bound_of(0.1 / kappa, kappa, &o, 1, &row[5]);
        o.grid_uniform = 0;
    }
    return s;
}

static finf_status distance(int quick, dataset *d)
{
    *d = (dataset){.name = "fig3-dist",
                   .title = "Figure 3: the paper's bound against kappa",
                   .log_x = 1,
                   .log_y = 1,
                   .caption = "(L/2)E|theta|^2, eta = 0.1, rho = 1/2. Dotted: the uniform grid of 1000 frequencies, too "
                              "coarse once eta mu is small.",
                   .command = "finf iqc --noise sgd --eta 0.1 --kappa 2:1000:log:13 --bound dist --rho 0.5 --solver newton",
                   .x_label = "condition number kappa",
                   .y_label = "bound on F_inf",
                   .columns = 6,
                   .names = {"kappa", "DP-SGD", "nu = eta mu", "optimised", "DP-SGD uniform:1000", "nu uniform:1000"}};
    return convex(quick, 0, d);
}

static finf_status sharp(int quick, dataset *d)
{
    *d = (dataset){
        .name = "fig3-sharp",
        .title = "Figure 3, added: the sharp bound",
        .log_x = 1,
        .log_y = 1,
        .caption = "The same with function values and causality multipliers. Dashed: no noise has a worst case below it.",
        .command = "finf optimize --eta 0.1 --kappa 2:1000:log:13 --rho 0.5 --solver newton",
        .x_label = "condition number kappa",
        .y_label = "bound on F_inf",
        .columns = 5,
        .names = {"kappa", "DP-SGD", "nu = eta mu", "optimised", "minimax lower bound"}};
    return convex(quick, 1, d);
}

const figure_fn FIGURE[FIGURES] = {ratio,       coefficients, spectrum, against_d, against_d_eff,
                                   against_eta, finite_time,  distance, sharp};
