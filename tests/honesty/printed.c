/* What commands print, as a sweep keeps it: those that search (optimize, tune, rates), audit, coef.
 * Each point is a job, run as any job of `finf sweep` is, and its answer is read back. */
#include "commands.h"
#include "honesty.h"
#include "job.h"

enum { MOST = 8, ROOM = 600 };

int printed_ask(point *p, json_list *out)
{
    jobs *j = NULL;
    job_result r;
    finf_reason why = {""};
    *out = (json_list){0};
    if (jobs_parse("point.csv", strdup(p->what), strlen(p->what), COMMANDS, &j, &why)) {
        fprintf(stderr, "%s: %s\n", p->what, why.text);
        exit(5);
    }
    job_run(j, 0, &r);
    int answered = r.answer && !json_read(r.answer, out, NULL);
    job_result_free(&r);
    jobs_free(j);
    return answered;
}

double printed_number(const json_list *l, const char *key)
{
    const json_item *x = json_find(l, key);
    return x && x->kind == JSON_WHOLE ? (double)x->whole : x ? x->number : NAN;
}

const char *printed_word(const json_list *l, const char *key)
{
    const json_item *x = json_find(l, key);
    return x && x->kind == JSON_STRING ? x->text : NULL;
}

finf_real printed_claim(const json_list *l, const char *key)
{
    char error[80];
    snprintf(error, sizeof error, "%s_error", key);
    return (finf_real){printed_number(l, key), printed_number(l, error), ""};
}

/* ---- coef and audit: the first coefficients ---------------------------------------------------
 */

static void coefficients(point *p, const reference *r, int strategy)
{
    static const char *const KEY[2][2] = {{"coef noising_coef", "noising_coef"},
                                          {"coef strategy_coef", "strategy_coef"}};
    size_t n = 1 + whole(p, 100);
    json_list l;
    arb_ptr x = _arb_vec_init((slong)(2 * n));
    const char *const *key = KEY[strategy];
    snprintf(p->what, sizeof p->what, "coef,--noise,\"%s\",--length,%zu%s", r->spelled, n,
             strategy ? ",--strategy" : "");
    reference_series(r, n, x, x + n);
    const json_item *list = printed_ask(p, &l) ? json_find(&l, key[1]) : NULL;
    for (size_t k = 0; list && k < list->n; k++)
        judge(p, key[0], (finf_real){list->data[k], printed_claim(&l, key[1]).error, ""},
              x + (strategy ? n : 0) + k);
    json_free(&l);
    _arb_vec_clear(x, (slong)(2 * n));
}

/* Whether c_0 >= c_1 >= .. >= 0: then the largest sensitivity is that of columns as close as they
 * may be, all with one sign. (theory 6.5) */
static int decreasing(arb_srcptr c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (arb_is_negative(c + i) || (i && arb_gt(c + i, c + i - 1))) return 0;
    return 1;
}

/* The norm of the sum of k columns b apart, the first one the longest. */
static void sensitivity(arb_t out, arb_srcptr c, size_t n, size_t k, size_t b)
{
    arb_t v;
    arb_init(v);
    arb_zero(out);
    for (size_t t = 0; t < n; t++) {
        arb_zero(v);
        for (size_t i = 0; i < k && i * b <= t; i++) arb_add(v, v, c + t - i * b, BITS);
        arb_addmul(out, v, v, BITS);
    }
    arb_clear(v);
}

static void audit(point *p, const reference *r)
{
    size_t n = 1 + whole(p, 80), k = 1 + whole(p, 4), b = 1 + whole(p, 6);
    double sigma = log_uniform(p, 0.1, 30), delta = log_uniform(p, 1e-12, 0.1);
    json_list l;
    arb_ptr x = _arb_vec_init((slong)(2 * n + 6)), sens2 = x + 2 * n, sum = sens2 + 1,
            most = sum + 1, a = most + 1, t = a + 1, rho = t + 1;
    reference_series(r, n, x, x + n);
    if ((k - 1) * b >= n || !decreasing(x + n, n)) k = 1;
    snprintf(p->what, sizeof p->what,
             "audit,--noise,\"%s\",--steps,%zu,--sigma,%.17g,--delta,%.17g,--participations,%zu,"
             "--separation,%zu",
             r->spelled, n, sigma, delta, k, b);
    for (size_t i = 0; i < n; i++) { /* the variance of prefix sum i, and of all */
        arb_add(a, a, x + i, BITS);
        arb_addmul(most, a, a, BITS);
        arb_add(sum, sum, most, BITS);
    }
    if (printed_ask(p, &l)) {
        judge(p, "audit prefix_error", printed_claim(&l, "prefix_error"), sum);
        arb_div_ui(sum, sum, n, BITS);
        judge(p, "audit prefix_error_mean", printed_claim(&l, "prefix_error_mean"), sum);
        judge(p, "audit prefix_error_max", printed_claim(&l, "prefix_error_max"), most);
    }
    if (l.n) {
        sensitivity(sens2, x + n, n, k, b);
        judge(p, "audit sens2", printed_claim(&l, "sens2"), sens2);
        arb_mul(t, sens2, sum, BITS);
        judge(p, "audit mean_loss", printed_claim(&l, "mean_loss"), t);
        arb_mul(t, sens2, most, BITS);
        judge(p, "audit max_loss", printed_claim(&l, "max_loss"), t);
        arb_set_d(t, sigma);
        arb_mul(t, t, t, BITS);
        arb_mul_2exp_si(t, t, 1);
        arb_div(rho, sens2, t, BITS);
        judge(p, "audit rho", printed_claim(&l, "rho"), rho);
        finf_real epsilon = printed_claim(&l, "epsilon");
        if (epsilon.value > 0) {
            reference_epsilon(t, rho, delta, epsilon.value);
            judge(p, "audit epsilon", epsilon, t);
        }
    }
    json_free(&l);
    _arb_vec_clear(x, (slong)(2 * n + 6));
}

/* ---- optimize, tune, rates: F_inf, and where it is least --------------------------------------
 */

/* A problem: mean estimation is one direction of curvature 1, without the inputs' part. */
typedef struct {
    regression g;
    int mean;
    arb_t unit;         /* G^2/(2 rho) */
    char options[ROOM]; /* of the command line */
} problem;

/* With eigenvalues k^-a in `rates`, which finds the step itself where none is given. */
static void problem_draw(point *p, problem *q, int mean, int rates)
{
    char *at = q->options, *end = at + ROOM;
    double rho = log_uniform(p, 1e-2, 1e2), a = uniform(p, 0, 2), trace = 0;
    regression_begin(&q->g, mean ? 1 : 1 + whole(p, MOST));
    q->mean = mean;
    arb_init(q->unit);
    if (rates)
        at += snprintf(at, (size_t)(end - at), ",--decays,%.17g,--dim,%zu", a, q->g.d);
    else if (!mean)
        at += snprintf(at, (size_t)(end - at), ",--spectrum,\"list:");
    for (size_t k = 0; k < q->g.d; k++) {
        double lambda = mean ? 1 : log_uniform(p, 1e-3, 1);
        arb_ptr out = q->g.lambda + k;
        arb_set_d(out, lambda);
        if (rates) {
            arb_set_d(q->unit, -a);
            arb_set_ui(out, k + 1);
            arb_pow(out, out, q->unit, BITS);
            lambda = pow((double)k + 1, -a);
        } else if (!mean)
            at += snprintf(at, (size_t)(end - at), "%s%.17g", k ? "," : "", lambda);
        trace += lambda;
    }
    q->g.eta = mean ? log_uniform(p, 1e-4, 1.9) : log_uniform(p, 1e-4, 0.6) / trace;
    q->g.set = (finf_privacy_setting){.rho = rho, .clip = 1};
    q->g.set.sigma_sgd = whole(p, 2) ? 0 : log_uniform(p, 1e-3, 1);
    snprintf(at, (size_t)(end - at), "%s,--eta,%.17g,--rho,%.17g,--sigma-sgd,%.17g",
             mean || rates ? "" : "\"", q->g.eta, rho, q->g.set.sigma_sgd);
    arb_set_d(q->unit, 2 * rho);
    arb_inv(q->unit, q->unit, BITS);
}

static void problem_free(problem *q)
{
    regression_end(&q->g);
    arb_clear(q->unit);
}

/* F_inf of nu; gamma^2 too. */
static void at_nu(arb_t out, arb_t gamma2, problem *q, double nu)
{
    reference r = {.factors = 1, .nu = {nu}, .power = {0.5}};
    reference_gamma2(gamma2, &r);
    q->g.r = &r;
    regression_value(out, &q->g, q->mean, 0, q->unit, gamma2);
}

static void best(arb_t out, problem *q) { regression_value(out, &q->g, q->mean, 1, q->unit, NULL); }

static void white(arb_t out, problem *q)
{
    reference r = {.factors = 0};
    arb_t one;
    arb_init(one);
    arb_one(one);
    q->g.r = &r;
    regression_value(out, &q->g, q->mean, 0, q->unit, one);
    arb_clear(one);
}

/* The sign of the slope of F_inf at nu, from nu (1 -+ 2^-18). */
static int slope(problem *q, double nu)
{
    arb_t lo, hi, gamma2;
    arb_init(lo);
    arb_init(hi);
    arb_init(gamma2);
    at_nu(lo, gamma2, q, nu * (1 - 0x1p-18));
    at_nu(hi, gamma2, q, nu * (1 + 0x1p-18));
    int sign = arb_gt(hi, lo) ? 1 : arb_lt(hi, lo) ? -1 : 0;
    arb_clear(lo);
    arb_clear(hi);
    arb_clear(gamma2);
    return sign;
}

/* Where the slope changes its sign: to a part of the error claimed, where it is that near; else to
 * what fifty halvings leave. */
static void least_nu(arb_t out, problem *q, finf_real claim)
{
    if (q->mean && q->g.eta <= 1) { /* nu = eta is the best of all noise (theory 4) */
        arb_set_d(out, q->g.eta);
        return;
    }
    double lo = fmax(claim.value - 16 * claim.error, claim.value / 2),
           hi = fmin(claim.value + 16 * claim.error, 2 * claim.value);
    int steps = 12;
    if (slope(q, lo) > 0 || slope(q, hi) < 0) {
        lo = claim.value / 64;
        hi = fmin(claim.value * 64, 1.99);
        steps = 50;
    }
    for (int i = 0; i < steps; i++) {
        double mid = lo + (hi - lo) / 2;
        int sign = slope(q, mid);
        if (sign == 0) break;
        if (sign < 0)
            lo = mid;
        else
            hi = mid;
    }
    arb_set_d(out, lo + (hi - lo) / 2);
    /* half the bracket, and that of a quotient of differences the zero is 2^-36 or so away */
    mag_set_d(arb_radref(out), (hi - lo) / 2 + 0x1p-34 * claim.value);
}

static void judge_tuned(point *p, problem *q, const json_list *l, const char *const keys[2][2])
{
    arb_t F, gamma2;
    finf_real nu = printed_claim(l, keys[0][1]);
    arb_init(F);
    arb_init(gamma2);
    if (nu.value < 1) { /* 1 is an end of where it is sought */
        at_nu(F, gamma2, q, nu.value);
        judge(p, keys[1][0], printed_claim(l, keys[1][1]), F);
        least_nu(F, q, nu);
        judge(p, keys[0][0], nu, F);
    }
    arb_clear(F);
    arb_clear(gamma2);
}

static void search(point *p)
{
    static const char *const TUNED[2][2] = {{"tune nu", "nu"}, {"tune F_inf", "F_inf"}};
    static const char *const RATES[2][2] = {{"rates best_nu", "best_nu"},
                                            {"rates F_best_nu", "F_best_nu"}};
    problem q;
    json_list l;
    arb_t x, y;
    int which = (int)whole(p, 5), rates = which == 4;
    static const char *const COMMAND[] = {"optimize", "optimize", "tune", "tune", "rates"};
    arb_init(x);
    arb_init(y);
    problem_draw(p, &q, which % 2 == 1, rates);
    snprintf(p->what, sizeof p->what, "%s%s", COMMAND[which], q.options);
    if (printed_ask(p, &l) && regression_prepare(&q.g)) {
        best(x, &q);
        judge(p,
              rates       ? "rates F_best"
              : which < 2 ? "optimize F_best"
                          : "tune F_best",
              printed_claim(&l, "F_best"), x);
        if (which < 2) judge(p, "optimize F_inf", printed_claim(&l, "F_inf"), x);
        white(y, &q);
        if (which < 2) judge(p, "optimize F_sgd", printed_claim(&l, "F_sgd"), y);
        if (rates) {
            judge(p, "rates F_sgd", printed_claim(&l, "F_sgd"), y);
            regression_floor(x, &q.g, q.unit);
            judge(p, "rates F_floor", printed_claim(&l, "F_floor"), x);
            arb_div(y, y, x, BITS);
            judge(p, "rates sgd_over_floor", printed_claim(&l, "sgd_over_floor"), y);
        }
        if (which >= 2) judge_tuned(p, &q, &l, rates ? RATES : TUNED);
    }
    json_free(&l);
    problem_free(&q);
    arb_clear(x);
    arb_clear(y);
}

void printed_point(point *p)
{
    reference r;
    int which = (int)whole(p, 3);
    if (which == 2) {
        search(p);
        return;
    }
    reference_draw(p, &r);
    if (which)
        audit(p, &r);
    else
        coefficients(p, &r, (int)whole(p, 2));
    reference_free(&r);
}
