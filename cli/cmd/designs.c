/* The families of `finf design`. (theory 12) */
#include "designs.h"

#include <stdlib.h>

#include "closest.h"
#include "design_file.h"

#define SAVED_MOST 2048 /* up to which a matrix is saved beside a recursion */

/* ---- names ----------------------------------------------------------------------------------- */

/* What needs a horizon does not exist without one. */
static finf_status check_horizon(const design_row *row, size_t steps, const problem *p,
                                 finf_reason *why)
{
    static const char STATIONARY[] = {[DESIGN_TOEPLITZ] = 1,
                                      [DESIGN_BLT] = 1,
                                      [DESIGN_NU] = 1,
                                      [DESIGN_POWER] = 1,
                                      [DESIGN_NOISE] = 1};
    if (steps && row->kind == DESIGN_POWER)
        return finf_why(why, FINF_EUSAGE,
                        "family power is searched without --steps; with it give power:P,V");
    if (row->kind == DESIGN_POWER && p->kind == PROBLEM_CONVEX)
        return finf_why(why, FINF_EUSAGE,
                        "family power is searched for F_inf alone; with --kappa give power:P,V");
    if (!steps && !STATIONARY[row->kind])
        return finf_why(why, FINF_EUSAGE, "family %.60s is of finitely many steps: give --steps",
                        row->name);
    if (steps > FINF_SYSTEM_DENSE_MAX &&
        (row->kind == DESIGN_DENSE || row->kind == DESIGN_ME || row->kind == DESIGN_SCALED))
        return finf_why(why, FINF_EDOM, "family %s of %zu steps: at most %u", row->name, steps,
                        FINF_SYSTEM_DENSE_MAX);
    return FINF_OK;
}

/* banded:b, blt:k and scaled:k: a whole number from 1 to `most`. blt:..;.. is a noise. */
static finf_status read_counted(const char *name, unsigned most, size_t *count, finf_reason *why)
{
    const char *colon = strchr(name, ':');
    double x = NAN;
    finf_status s = parse_number(colon + 1, name[1] == 'a' ? "bands" : "buffers", &x, why);
    if (s) return s;
    if (!(x >= 1 && x <= most && x == floor(x)))
        return finf_why(why, FINF_EDOM, "%.*s:%s: must be a whole number from 1 to %u",
                        (int)(colon - name), name, finf_show(x).s, most);
    *count = (size_t)x;
    return FINF_OK;
}

/* A word that is neither family nor noise: if a family is near, that is what was meant. */
static finf_status suggest_family(const char *name, finf_reason *why)
{
    closest near = closest_to(name, strcspn(name, ":"));
    closest_try_words(&near, "dense|toeplitz|banded|blt|scaled|nu|power|me|best|sgd");
    int whole = near.best[0] && near.distance == 0; /* banded, blt, ..: a number is missing */
    if (strchr(name, ':') && (whole || !near.best[0])) return FINF_EPARSE;
    return finf_why(why, FINF_EPARSE,
                    "family '%.60s' is not known%s: dense, toeplitz, banded:b, blt:k, scaled:k, "
                    "nu, power, me, best, or a noise",
                    name, whole ? "" : closest_say(&near, "").text);
}

static finf_status read_row(design_row *row, size_t steps, const problem *p, finf_reason *why)
{
    static const struct {
        const char *name;
        design_kind kind;
    } NAMES[] = {{"dense", DESIGN_DENSE},
                 {"toeplitz", DESIGN_TOEPLITZ},
                 {"nu", DESIGN_NU},
                 {"power", DESIGN_POWER},
                 {"me", DESIGN_ME}};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (strcmp(row->name, NAMES[i].name) == 0) {
            row->kind = NAMES[i].kind;
            return FINF_OK;
        }
    if (!steps && strcmp(row->name, "best") == 0) {
        row->kind = DESIGN_TOEPLITZ; /* what no horizon limits is the best of all */
        return FINF_OK;
    }
    if (strncmp(row->name, "banded:", 7) == 0) {
        row->kind = DESIGN_BANDED;
        return read_counted(row->name, FINF_SYSTEM_MAX, &row->bands, why);
    }
    if (strncmp(row->name, "blt:", 4) == 0 && !strchr(row->name, ';')) {
        row->kind = DESIGN_BLT;
        return read_counted(row->name, FINF_BLT_BUFFERS_MAX, &row->buffers, why);
    }
    if (strncmp(row->name, "scaled:", 7) == 0) {
        row->kind = DESIGN_SCALED;
        return read_counted(row->name, FINF_BLT_BUFFERS_MAX, &row->buffers, why);
    }
    row->kind = DESIGN_NOISE;
    finf_status s = noise_for(row->name, p, &row->given, why);
    return s == FINF_EPARSE ? suggest_family(row->name, why) : s;
}

/* A number, or what begins like one; nan and inf in the parameters of a noise are refused with it.
 */
static int begins_number(const char *text)
{
    size_t n = strcspn(text, ",;");
    return (*text && strchr("0123456789.-+", *text)) ||
           (n == 3 && (strncmp(text, "nan", n) == 0 || strncmp(text, "inf", n) == 0));
}

/* Where the next name of a list ends: at a comma that no number of its own follows. */
static const char *name_end(const char *text)
{
    const char *end = text + strcspn(text, ",");
    int own = memchr(text, ':', (size_t)(end - text)) != NULL;
    while (*end && own && begins_number(end + 1)) end += 1 + strcspn(end + 1, ",");
    return end;
}

finf_status designs_read(const char *list, size_t steps, const problem *p, design_list *out,
                         finf_reason *why)
{
    finf_status s = FINF_OK;
    for (const char *at = list, *end; !s; at = end + 1) {
        end = name_end(at);
        if (end == at)
            return finf_why(why, FINF_EPARSE, "--family: an empty name in '%.60s'", list);
        design_row *more = realloc(out->all, (out->n + 1) * sizeof *more);
        if (!more) return finf_why(why, FINF_ENOMEM, "no memory");
        out->all = more;
        design_row *row = more + out->n;
        *row = (design_row){.name = malloc((size_t)(end - at) + 1)};
        if (!row->name) return finf_why(why, FINF_ENOMEM, "no memory");
        memcpy(row->name, at, (size_t)(end - at));
        row->name[end - at] = 0;
        out->n++;
        s = read_row(row, steps, p, why);
        if (!s) s = check_horizon(row, steps, p, why);
        if (!*end) break;
    }
    return s;
}

void designs_free(design_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->all[i].name);
        finf_noise_free(list->all[i].given);
        finf_design_result_free(&list->all[i].r);
    }
    free(list->all);
    *list = (design_list){0};
}

/* ---- results --------------------------------------------------------------------------------- */

/* The optimum for prefix sums, judged by this run's loss: of epochs where there are any, and not
 * too many for it. */
static finf_status judge_me(const finf_design *run, size_t steps, size_t epoch,
                            const finf_system_options *stop, finf_design_result *r)
{
    finf_system *me = NULL;
    finf_reason why = {""};
    double began = finf_seconds();
    *r = (finf_design_result){.family = "me", .nu = NAN, .least = NAN, .duality_gap = NAN};
    finf_status s = finf_system_epochs(steps, epoch ? epoch : steps, stop, &me, &why);
    if (s == FINF_EDOM) s = finf_system_me(steps, stop, &me, &why);
    if (!s)
        s = finf_design_system(run, me, r);
    else
        r->reason = why;
    if (s)
        finf_system_free(me);
    else
        r->system = me;
    r->seconds = finf_seconds() - began;
    return s;
}

finf_status design_run(design_row *row, const finf_design *run, size_t steps, size_t epoch,
                       const finf_system_options *stop)
{
    finf_design_result *r = &row->r;
    switch (row->kind) {
    case DESIGN_DENSE: row->status = finf_design_dense(run, r); break;
    case DESIGN_TOEPLITZ: row->status = finf_design_toeplitz(run, 0, r); break;
    case DESIGN_BANDED: row->status = finf_design_toeplitz(run, row->bands, r); break;
    case DESIGN_BLT: row->status = finf_design_blt(run, row->buffers, &row->fit, r); break;
    case DESIGN_SCALED: row->status = finf_design_scaled(run, row->buffers, r); break;
    case DESIGN_NU: row->status = finf_design_nu(run, r); break;
    case DESIGN_ME: row->status = judge_me(run, steps, epoch, stop, r); break;
    case DESIGN_POWER:
    case DESIGN_NOISE: row->status = finf_design_noise(run, row->given, r); break;
    }
    row->done = !row->status || (row->status == FINF_ETOL && r->system);
    return row->status;
}

/* ---- files ----------------------------------------------------------------------------------- */

finf_status design_save(const args *a, const design_row *row, const finf_privacy_setting *privacy,
                        size_t steps, doc *d, finf_reason *why)
{
    design_file f = {.steps = steps,
                     .sens2 = row->r.sens2.value,
                     .sigma = row->r.sigma,
                     .rho = privacy->rho,
                     .clip = privacy->clip,
                     .noise = row->r.noise ? row->r.noise : row->given,
                     .recursion = row->r.recursion,
                     .buffers = row->r.memory};
    finf_status s = FINF_OK;
    if (!f.noise && !(f.recursion && steps > SAVED_MOST)) {
        f.B = malloc(steps * steps * sizeof *f.B);
        s = f.B ? finf_system_noising(row->r.system, NULL, f.B, why)
                : finf_why(why, FINF_ENOMEM, "no memory to save %zu x %zu numbers", steps, steps);
    }
    FILE *out = s ? NULL : doc_saved(d);
    if (out) s = design_file_write(&f, a, row->name, out, why);
    free(f.B);
    return s;
}
