/* Linear regression with any linear optimizer: the second moment of theta. (theory 11.3)
 *
 *     x_j = g_j lambda_j^2,   r_j = 1/(1 - k x_j),   D = 1 - sum x_j r_j,
 *     S_j = r_j (sigma^2 N_j + g_j lambda_j (Q + s)),   Q = sum lambda_j S_j,
 *     F_inf = (1/2) sum h_j [sigma^2 Nbar_j + gbar_j (k lambda_j^2 S_j + lambda_j (Q + s))]
 *
 * Finite iff every r_j > 0 and D > 0. Gains here are those of eta = 1, so that eta^2 stands by. */
#include "regression.h"

#include <stdint.h>
#include <stdlib.h>

double gain_sensitivity(double q, double edge)
{
    return 3 * (1 + (edge > q ? q / (edge - q) : 1 / FINF_EPS));
}

static finf_status allocate(regression *R)
{
    size_t n = R->n;
    R->h = malloc(5 * n * sizeof *R->h);
    R->at = malloc(n * sizeof *R->at);
    if (!R->h || !R->at) return FINF_ENOMEM;
    R->q = R->h + n;
    R->x = R->q + n;
    R->r = R->x + n;
    R->error = R->r + n;
    return FINF_OK;
}

void regression_free(regression *R)
{
    if (!R->borrowed) spectral_measure_free(&R->m);
    free(R->h);
    free(R->at);
    *R = (regression){.n = 0};
}

/* D, with what it has lost near 0: x r has the relative error r times that of x. */
static finf_real margin(const regression *R)
{
    long double D = 1, error = 0;
    if (R->n == 1 &&
        R->r[0] > 0) { /* r (1 - (k + weight) x), which for k = -weight does not cancel */
        double with = (R->k + R->m.weight[0]) * R->x[0], value = R->r[0] * (1 - with);
        double lost = R->error[0] + spectral_measure_error(&R->m, 0) + 4 * FINF_EPS;
        return finf_real_make(value, R->r[0] * fabs(with) * lost + fabs(value) * lost, "");
    }
    for (size_t i = 0; i < R->n; i++) {
        double term = R->m.weight[i] * R->x[i] * R->r[i];
        if (!(R->r[i] > 0)) return (finf_real){-INFINITY, 0, ""};
        D -= term;
        error += fabs(term) * (R->error[i] * R->r[i] + spectral_measure_error(&R->m, i) +
                               4 * FINF_EPS * R->r[i]);
    }
    return finf_real_make((double)D, (double)error + FINF_EPS, "");
}

/* h, q, and whether the loop is stable on every direction. */
static void set_loops(regression *R)
{
    R->loop_stable = 1;
    for (size_t i = 0; i < R->n; i++) {
        R->h[i] = R->m.lambda[i] + R->o->weight_decay;
        R->q[i] = R->eta * R->h[i];
        R->loop_stable = R->loop_stable && isfinite(R->q[i]) && loop_stable(R->o, R->q[i]);
    }
}

static void set_gains(regression *R)
{
    double edge = finf_optimizer_eta_max(R->o, 1, 1) * (1 + R->o->weight_decay);
    for (size_t i = 0; i < R->n; i++) {
        finf_real g = R->at[i].g;
        double step = R->eta * R->m.lambda[i];
        R->x[i] = step * step * g.value;
        R->r[i] = 1 / (1 - R->k * R->x[i]);
        R->error[i] = g.error / g.value + gain_sensitivity(R->q[i], edge) *
                                              (spectral_measure_lambda_error(&R->m, i) + FINF_EPS);
    }
}

/* A quarter of the way to the pole of r, as in linreg.c, for small steps. */
double regression_separate(const finf_optimizer *o, double eta, double kurtosis)
{
    return 0.5 / (fmax(2 + kurtosis, 1) * eta * finf_optimizer_step(o));
}

/* All but the nodes, which R has. */
static finf_status fill(regression *R, const finf_spectrum *s, finf_reason *why)
{
    R->n = R->m.n;
    R->grouped = (double)R->n < finf_spectrum_dim(s);
    R->D = (finf_real){-INFINITY, 0, ""};
    finf_status status = allocate(R);
    if (!status) set_loops(R);
    if (!status && R->loop_stable) {
        status = filtered_white(R->o, R->q, R->n, R->cancel, R->at, why);
        if (!status) {
            set_gains(R);
            R->D = margin(R);
        }
    }
    if (status == FINF_ENOMEM) finf_why(why, status, "no memory");
    if (status) regression_free(R);
    return status;
}

/* Without its nodes. */
static regression regression_at(const finf_linreg_options *o, double eta)
{
    return (regression){
        .o = optimizer_or_sgd(o->optimizer), .cancel = o->cancel, .eta = eta, .k = 1 + o->kurtosis};
}

finf_status regression_make(const finf_spectrum *s, const finf_linreg_options *o, double eta,
                            size_t fine, regression *R, finf_reason *why)
{
    *R = regression_at(o, eta);
    finf_status status = spectral_measure_make_fine(s, regression_separate(R->o, eta, o->kurtosis),
                                                    fine, &R->m);
    if (!status) return fill(R, s, why);
    if (status == FINF_ENOMEM) finf_why(why, status, "no memory");
    regression_free(R);
    return status;
}

finf_status regression_on(const spectral_measure *m, const finf_spectrum *s,
                          const finf_linreg_options *o, double eta, regression *R, finf_reason *why)
{
    *R = regression_at(o, eta);
    R->m = *m;
    R->borrowed = 1;
    return fill(R, s, why);
}

/* ---- the second moment ----------------------------------------------------------------------- */

/* A sum of terms, and of their absolute errors. */
typedef struct {
    long double value, error;
} sum_t;

static void add(sum_t *s, double term, double relerr)
{
    s->value += term;
    s->error += fabs(term) * relerr;
}

/* The relative errors of direction i: of N, with the eigenvalue's, and of r_i times anything. */
static double noise_error(const regression *R, size_t i, finf_real N)
{
    return (N.value > 0 ? N.error / N.value : 0) + R->error[i] + spectral_measure_error(&R->m, i) +
           4 * FINF_EPS;
}

static double ratio_error(const regression *R, size_t i)
{
    return R->error[i] * fabs(R->k) * R->x[i] * R->r[i];
}

/* Q = (1/D) sum lambda_j r_j (sigma^2 N_j + g_j lambda_j s). */
static finf_real total_moment(const regression *R, double sigma2, double sgd2)
{
    sum_t sum = {0, 0};
    double eta2 = R->eta * R->eta;
    for (size_t i = 0; i < R->n; i++) {
        double w = R->m.weight[i] * R->r[i], lost = ratio_error(R, i);
        double dp = sigma2 > 0 ? sigma2 * eta2 * R->m.lambda[i] * R->at[i].N.value : 0;
        add(&sum, w * dp, lost + (sigma2 > 0 ? noise_error(R, i, R->at[i].N) : 0));
        add(&sum, w * R->x[i] * sgd2, lost + noise_error(R, i, R->at[i].g));
    }
    double Q = (double)sum.value / R->D.value;
    return finf_real_make(Q, (double)sum.error / R->D.value + Q * R->D.error / R->D.value, "");
}

/* k lambda^2 S + lambda (Q + s), the variance of the noise that the inputs make. With one
 * eigenvalue Q = weight lambda S, and for k = -1, weight 1 (mean estimation) nothing may be left of
 * S. *size: of its terms, for the error. */
static double input_noise(const regression *R, double lambda, double g, double N, double sigma2,
                          double sgd2, double Q, double *size)
{
    double eta2 = R->eta * R->eta, r = 1 / (1 - R->k * eta2 * g * lambda * lambda);
    double S = r * ((sigma2 > 0 ? sigma2 * eta2 * N : 0) + eta2 * g * lambda * (Q + sgd2));
    double own = (R->n == 1 ? R->k + R->m.weight[0] : R->k) * lambda * lambda * S;
    double shared = lambda * (R->n == 1 ? sgd2 : Q + sgd2);
    *size = fabs(own) + shared;
    return own + shared;
}

finf_real regression_exact(const regression *R, double sigma2, double sgd2, double *Q)
{
    finf_real moment = total_moment(R, sigma2, sgd2);
    double eta2 = R->eta * R->eta, shared = moment.value > 0 ? moment.error / moment.value : 0;
    sum_t F = {0, 0};
    if (Q) *Q = moment.value;
    for (size_t i = 0; i < R->n; i++) {
        const filtered *x = &R->at[i];
        double w = 0.5 * R->m.weight[i] * R->h[i] * eta2, lambda = R->m.lambda[i];
        double lost = noise_error(R, i, x->g) + ratio_error(R, i);
        double size,
            v = input_noise(R, lambda, x->g.value, x->N.value, sigma2, sgd2, moment.value, &size);
        if (sigma2 > 0) {
            add(&F, w * sigma2 * x->N_bar.value, noise_error(R, i, x->N_bar));
            lost += noise_error(R, i, x->N);
        }
        add(&F, w * x->g_bar.value * v, 0);
        F.error += w * x->g_bar.value * size * (lost + shared + noise_error(R, i, x->g_bar));
    }
    double value = (double)F.value;
    return finf_real_make(value, (double)F.error + 8 * FINF_EPS * value, "closed second moment");
}

finf_real regression_lti(const regression *R, double sigma2, double sgd2)
{
    sum_t F = {0, 0};
    double eta2 = R->eta * R->eta;
    for (size_t i = 0; i < R->n; i++) {
        const filtered *x = &R->at[i];
        double w = 0.5 * R->m.weight[i] * R->h[i] * eta2;
        if (sigma2 > 0) add(&F, w * sigma2 * x->N_bar.value, noise_error(R, i, x->N_bar));
        add(&F, w * x->g_bar.value * R->m.lambda[i] * sgd2, noise_error(R, i, x->g_bar));
    }
    double value = (double)F.value;
    return finf_real_make(value, (double)F.error + 8 * FINF_EPS * value, "sum over directions");
}

void regression_direction(const regression *R, double lambda, const filtered *x, double sigma2,
                          double sgd2, double Q, double *exact, double *lti)
{
    double half = 0.5 * (lambda + R->o->weight_decay) * R->eta * R->eta;
    double dp = half * sigma2 * x->N_bar.value;
    double size, v = input_noise(R, lambda, x->g.value, x->N.value, sigma2, sgd2, Q, &size);
    *lti = dp + half * x->g_bar.value * lambda * sgd2;
    *exact = regression_stable(R) ? dp + half * x->g_bar.value * v : INFINITY;
}

/* ---- the optimum over all noise -------------------------------------------------------------- */

void transfer_free(transfer *x)
{
    free(x->loss);
    *x = (transfer){.n = 0};
}

/* v_j = k h_j gbar_j lambda_j^2 r_j + lambda_j (r_j/D) Z, Z = sum h_i gbar_i lambda_i (1 + k x_i
 * r_i), where 1 + k x r = r. */
finf_status transfer_make(const regression *R, int exact, transfer *out)
{
    double eta2 = R->eta * R->eta;
    *out = (transfer){.o = R->o, .n = R->n, .q = R->q, .loss = malloc(2 * R->n * sizeof(double))};
    if (!out->loss) return FINF_ENOMEM;
    out->more = out->loss + R->n;
    long double Z = 0;
    for (size_t i = 0; i < R->n && exact; i++)
        Z += R->m.weight[i] * R->h[i] * eta2 * R->at[i].g_bar.value * R->m.lambda[i] * R->r[i];
    for (size_t i = 0; i < R->n; i++) {
        double lambda = R->m.lambda[i], half = 0.5 * R->m.weight[i] * eta2, v = 0;
        double g_bar = R->at[i].g_bar.value * eta2, lost = noise_error(R, i, R->at[i].g_bar);
        if (exact) {
            v = R->k * R->h[i] * g_bar * lambda * lambda * R->r[i] +
                lambda * R->r[i] / R->D.value * (double)Z;
            if (R->n == 1) /* the same, as r/D = 1/(1 - (k + weight) x) */
                v = R->h[i] * g_bar * lambda * lambda * R->r[i] *
                    (R->k + R->m.weight[i] / (1 - (R->k + R->m.weight[i]) * R->x[i]));
            lost += 2 * ratio_error(R, i) + R->D.error / R->D.value;
        }
        out->loss[i] = half * R->h[i];
        out->more[i] = half * v;
        out->error = fmax(out->error, 2 * lost);
    }
    return FINF_OK;
}

double transfer_at(const transfer *x, double t)
{
    optimizer_point p = optimizer_point_at(x->o, t);
    double br = creal(p.b), bi = cimag(p.b), ar = creal(p.bottom), ai = cimag(p.bottom), loss = 0,
           more = 0;
    for (size_t i = 0; i < x->n; i++) {
        double q = (x->q[i] - p.q0) - p.q0_low, re = ar + q * br, im = ai + q * bi,
               gain = 1 / (re * re + im * im);
        loss += x->loss[i] * gain;
        more += x->more[i] * gain;
    }
    return (loss * average_gain(x->o, t) + more) * (br * br + bi * bi);
}

static double root_transfer(double t, void *ctx) { return sqrt(fmax(0, transfer_at(ctx, t))); }

finf_status transfer_optimum(const transfer *x, finf_real *out)
{
    filtered_plan p;
    finf_real mean;
    *out = finf_real_failed();
    finf_status s = filtered_plan_make(x->o, NULL, x->q, x->n, &p);
    if (s) return s;
    s = panel_mean(root_transfer, (void *)(uintptr_t)x, &p.plan, &mean);
    filtered_plan_free(&p);
    double value = mean.value * mean.value;
    *out = finf_real_make(value, 2 * mean.value * mean.error + value * x->error,
                          "Cauchy-Schwarz, Gauss-Legendre panels");
    return s;
}
