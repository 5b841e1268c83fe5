/* Figure 3 as the paper computes it: the noise optimised, then valued on a coarser grid. (theory 9)
 */
#include "optimised_on_grid.h"

#include <stdlib.h>

#include "iqc_options.h"
#include "sweep.h"

typedef struct {
    const double *kappa; /* for each of these, */
    double *y;           /* the bound on the grid */
    double eta;
    finf_optimize_options find; /* how the noise is optimised, */
    finf_iqc_options value;     /* and how it is then valued */
    sweep_row *rows;
} grid_job;

/* One kappa: finds the noise, and bounds F_inf with it on the other grid. */
static void value_on_grid(size_t i, void *data)
{
    grid_job *j = data;
    sweep_row *out = &j->rows[i];
    finf_optimize_result found;
    finf_iqc_result r;
    finf_status s = finf_optimize(j->eta, j->kappa[i], &j->find, &found);
    out->why = found.iqc.reason;
    if (!s) {
        s = finf_iqc(found.noise, j->eta, j->kappa[i], &j->value, &r);
        j->y[i] = r.grid_value;
        out->why = r.reason;
        /* the bound that finf_iqc recomputes beside the grid's may not settle; it is not shown */
        if (s == FINF_ETOL && isfinite(r.grid_value)) s = FINF_OK;
    }
    finf_optimize_result_free(&found);
    out->status = s;
    out->done = 1;
}

finf_status optimised_on_grid(const runner *run, const char *line, const double *kappa, size_t n,
                              double *y, finf_reason *why)
{
    const char *second = strstr(line, " && finf ");
    char first[RUNNER_LINE], words[2][RUNNER_LINE];
    args a;
    grid_job j = {.kappa = kappa, .y = y, .find = finf_optimize_options_default()};
    snprintf(first, sizeof first, "%.*s", (int)(second - line), line);
    finf_status s = runner_parse(run, first, words[0], &a, why);
    setting privacy;
    if (!s) s = read_iqc(&a, &j.find.iqc, why);
    if (!s) s = read_eta(&a, &j.eta, why);
    if (!s) s = runner_parse(run, second + strlen(" && finf "), words[1], &a, why);
    if (!s) s = read_iqc(&a, &j.value, why);
    if (!s) s = read_setting(&a, &privacy, why);
    if (s) return s;
    j.find.iqc.privacy = privacy.set;
    j.value.privacy = privacy.set;
    j.find.iqc.cancel.poll = sweep_interrupted;
    j.value.cancel.poll = sweep_interrupted;
    j.rows = calloc(n, sizeof *j.rows);
    if (!j.rows) return finf_why(why, FINF_ENOMEM, "no memory");
    int interrupted = sweep_run(n, value_on_grid, &j);
    s = sweep_outcome(j.rows, n, sizeof *j.rows, interrupted, why);
    free(j.rows);
    return s;
}
