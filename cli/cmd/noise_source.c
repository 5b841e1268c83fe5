#include "noise_source.h"

#include <stdlib.h>

/* The design holds for its steps, and for no others. */
static finf_status read_design(const args *a, double *horizon, design_file *f, finf_reason *why)
{
    const char *path = args_text(a, OPT_DESIGN);
    finf_status s = design_file_read(path, f, why);
    if (s) return s;
    if (!isnan(*horizon) && *horizon != (double)f->steps)
        return finf_why(why, FINF_EDOM, "horizon = %s, but '%.120s' is for %zu steps",
                        finf_show(*horizon).s, path, f->steps);
    *horizon = (double)f->steps;
    return FINF_OK;
}

finf_status noise_source_read(const args *a, double *horizon, noise_source *out, finf_reason *why)
{
    problem p;
    *out = (noise_source){0};
    if (args_given(a, OPT_NOISE) == args_given(a, OPT_DESIGN))
        return finf_why(why, FINF_EUSAGE, "give --noise N or --design FILE: one of them");
    if (args_given(a, OPT_DESIGN)) return read_design(a, horizon, &out->design, why);
    finf_status s = read_problem(a, problem_asked(a), &p, why);
    return s ? s : read_noise(a, &p, &out->noise, why);
}

void noise_source_free(noise_source *x)
{
    finf_noise_free(x->noise);
    design_file_free(&x->design);
    x->noise = NULL;
}

const finf_noise *noise_source_noise(const noise_source *x)
{
    return x->noise ? x->noise : x->design.noise;
}

int noise_source_is_design(const noise_source *x) { return x->design.steps > 0; }

finf_status noise_source_sigma(const args *a, const noise_source *x, double *sigma,
                               finf_reason *why)
{
    setting privacy;
    *sigma = x->design.sigma;
    if (!setting_given(a)) return FINF_OK;
    finf_status s = read_setting(a, &privacy, why);
    if (s) return s;
    if (!args_given(a, OPT_CLIP)) privacy.set.clip = x->design.clip;
    if (!args_given(a, OPT_RHO) && !args_given(a, OPT_EPSILON)) privacy.set.rho = x->design.rho;
    *sigma = finf_noise_multipliers(&privacy.set, finf_real_exact(x->design.sens2)).sigma.value;
    return FINF_OK;
}

finf_status noise_source_stream(const noise_source *x, double dim, const finf_stream_options *o,
                                finf_stream **out, finf_reason *why)
{
    unsigned long long d = (unsigned long long)dim;
    const finf_noise *noise = noise_source_noise(x);
    if (x->design.recursion)
        return finf_stream_new_recursion(x->design.recursion, x->design.steps, x->design.buffers, d,
                                         o, out, why);
    return noise ? finf_stream_new(noise, d, o, out, why)
                 : finf_stream_new_matrix(x->design.B, x->design.steps, d, o, out, why);
}

void noise_source_show(doc *d, const args *a, const noise_source *x)
{
    if (x->noise) {
        show_noise(d, a, x->noise);
        return;
    }
    doc_string(d, "design", SHOWN, args_text(a, OPT_DESIGN), "what 'finf design --save' wrote");
    doc_number(d, "horizon", SHOWN, (double)x->design.steps, "steps of the run");
    doc_number(d, "sens2", SHOWN, x->design.sens2, "squared sensitivity of the run");
}
