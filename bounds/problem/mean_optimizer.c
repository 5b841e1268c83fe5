/* Mean estimation with any linear optimizer. (theory 11.2)
 *
 *     F_inf = (h/2) eta^2 [sigma^2 Nbar + sigma_sgd^2 gbar],   h = 1 + V, gains of q = eta h,
 *
 * for independent noise gamma = 1 and Nbar = gbar, and the least over all noise, by Cauchy and
 * Schwarz, has (mean |A G|)^2 in place of gamma^2 Nbar. */
#include "mean_optimizer.h"

#include "regression.h"

double mean_loop_size(double t, void *ctx)
{
    const mean_loop *x = ctx;
    return sqrt(optimizer_gain(x->o, x->q, t) * average_gain(x->o, t));
}

static finf_status mean_size(const finf_optimizer *o, double q, finf_real *out)
{
    filtered_plan p;
    mean_loop loop = {o, q};
    finf_status s = filtered_plan_make(o, NULL, &q, 1, &p);
    *out = finf_real_failed();
    if (s) return s;
    s = panel_mean(mean_loop_size, &loop, &p.plan, out);
    filtered_plan_free(&p);
    return s;
}

/* factor (dp + sgd), each a part with its error; unit: of dp. */
static finf_real total(double factor, double unit, finf_real dp, double sgd2, finf_real sgd,
                       const char *method)
{
    double value = factor * (unit * dp.value + sgd2 * sgd.value);
    if (isinf(value)) return finf_real_infinite(method);
    return finf_real_make(
        value, factor * (unit * dp.error + sgd2 * sgd.error) + 8 * FINF_EPS * value, method);
}

/* eta (1 + V) is rounded twice. */
static void add_rounding(double q, double edge, filtered *x, finf_real *size)
{
    double lost = FINF_EPS * gain_sensitivity(q, edge);
    x->g_bar.error += lost * x->g_bar.value;
    x->N_bar.error += lost * x->N_bar.value;
    size->error += lost * size->value;
}

static finf_status diverges(double eta, const finf_optimizer *o, finf_mean_result *out)
{
    char name[64];
    finf_optimizer_spell(o, name, sizeof name);
    out->F = out->F_optimal = out->F_sgd = finf_real_infinite("closed loop");
    return finf_why(&out->reason, FINF_OK,
                    "eta = %s diverges with %s: the largest stable eta is %.6g", finf_show(eta).s,
                    name, finf_optimizer_eta_max(o, 1, 1));
}

finf_status mean_with_optimizer(const finf_noise *noise, double eta, const finf_mean_options *opt,
                                finf_mean_result *out)
{
    const finf_optimizer *o = opt->optimizer;
    const finf_privacy_setting *p = &opt->privacy;
    finf_sensitivity sens;
    finf_status known = finf_noise_sensitivity(noise, &sens);
    out->gamma2 = sens.gamma2;
    out->reason = sens.reason;
    if (known && known != FINF_ETOL) return known;
    double h = 1 + o->weight_decay, q = eta * h;
    out->stable = finf_optimizer_stable(o, eta, 1);
    if (!out->stable) return diverges(eta, o, out);
    double unit = p->clip * p->clip / (2 * p->rho), sgd2 = p->sigma_sgd * p->sigma_sgd,
           half = 0.5 * h * eta * eta, gamma2 = sens.gamma2.value;
    filtered x;
    finf_real size;
    finf_reason why = {""};
    finf_status s = filtered_gains(o, noise, &q, 1, opt->cancel, &x, &why), best = FINF_OK;
    if (finf_cancelled(opt->cancel)) return finf_why(&out->reason, FINF_ETOL, "stopped");
    best = mean_size(o, q, &size);
    if (o->weight_decay > 0) add_rounding(q, h * finf_optimizer_eta_max(o, 1, 1), &x, &size);
    if (why.text[0] && !out->reason.text[0]) out->reason = why;
    finf_real square = finf_real_make(size.value * size.value, 2 * size.value * size.error, "");
    out->F_optimal = total(half, unit, square, sgd2, x.g_bar,
                           "Cauchy-Schwarz, Gauss-Legendre panels");
    out->F_sgd = total(half, unit, x.g_bar, sgd2, x.g_bar, x.g_bar.method);
    if (!known) {
        x.N_bar.error += x.N_bar.value * sens.gamma2.error / gamma2;
        out->F = total(half, unit * gamma2, x.N_bar, sgd2, x.g_bar, x.N_bar.method);
    }
    s = finf_worse(finf_worse(known, s), best);
    if (s && !out->reason.text[0])
        finf_why(&out->reason, s, s == FINF_ENOMEM ? "no memory" : "an integral did not settle");
    return s;
}
