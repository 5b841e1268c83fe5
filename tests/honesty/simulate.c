/* Standard errors of the simulation, against the exact value that it prints beside them. */
#include "honesty.h"

void simulate_point(point *p)
{
    reference r;
    finf_simulate_options o = finf_simulate_options_default();
    finf_simulate_result q;
    double eta = log_uniform(p, 0.03, 1.5);
    reference_draw(p, &r);
    o.seed = 1 + whole(p, 1000000);
    o.relative_error = 0.02;
    o.max_steps = 3e6;
    o.steps = whole(p, 2) ? 0 : 1 + whole(p, 50);
    snprintf(p->what, sizeof p->what, "%s, eta %.17g, steps %zu, seed %llu", r.spelled, eta,
             o.steps, o.seed);
    finf_status s = finf_simulate(r.noise, FINF_SIMULATE_MEAN, eta, NULL, &o, &q);
    if (!s && isfinite(q.exact.value)) judge_sampled(p, "simulate F_sim (std)", q.F, q.exact.value);
    reference_free(&r);
}
