#include "honesty.h"

/* ---- noise
 * --------------------------------------------------------------------------------------- */

static void draw_product(point *p, reference *r)
{
    r->factors = 1 + whole(p, 3);
    int n = snprintf(r->spelled, sizeof r->spelled, "product:");
    for (size_t i = 0; i < r->factors; i++) {
        r->nu[i] = log_uniform(p, 1e-5, 1.9);
        n += snprintf(r->spelled + n, sizeof r->spelled - (size_t)n, "%s%.17g", i ? "," : "",
                      r->nu[i]);
    }
    for (size_t i = 0; i < r->factors; i++) {
        r->power[i] = uniform(p, -0.8, 0.8);
        n += snprintf(r->spelled + n, sizeof r->spelled - (size_t)n, "%c%.17g", i ? ',' : ';',
                      r->power[i]);
    }
}

/* 1 + small coefficients; now and then a zero near the circle. */
static size_t draw_list(point *p, double *x, char *spelled, size_t room, const char *name)
{
    size_t n = 2 + whole(p, TERMS - 1);
    double size = whole(p, 4) ? 0.9 / (double)n : 0.999 / (double)(n - 1);
    int at = snprintf(spelled, room, "%s:1", name);
    x[0] = 1;
    for (size_t i = 1; i < n; i++) {
        x[i] = uniform(p, -size, size);
        at += snprintf(spelled + at, room - (size_t)at, ",%.17g", x[i]);
    }
    return n;
}

static void draw_blt(point *p, reference *r)
{
    double left = 1;
    r->buffers = 1 + whole(p, 3);
    int n = snprintf(r->spelled, sizeof r->spelled, "blt:");
    for (size_t i = 0; i < r->buffers; i++) {
        r->decay[i] = 1 - (left *= log_uniform(p, 1e-3, 0.9));
        n += snprintf(r->spelled + n, sizeof r->spelled - (size_t)n, "%s%.17g", i ? "," : "",
                      r->decay[i]);
    }
    for (size_t i = 0; i < r->buffers; i++) {
        r->scale[i] = uniform(p, 0.01, 0.3);
        n += snprintf(r->spelled + n, sizeof r->spelled - (size_t)n, "%c%.17g", i ? ',' : ';',
                      r->scale[i]);
    }
}

void reference_draw(point *p, reference *r)
{
    finf_reason why = {""};
    *r = (reference){.factors = 0};
    double nu = log_uniform(p, 1e-9, 1), power = uniform(p, 0, 1);
    switch (whole(p, 8)) {
    case 0: snprintf(r->spelled, sizeof r->spelled, "sgd"); break;
    case 1:
    case 2: snprintf(r->spelled, sizeof r->spelled, "nu:%.17g", nu); break;
    case 3: snprintf(r->spelled, sizeof r->spelled, "power:%.17g,%.17g", power, nu); break;
    case 4: draw_product(p, r); break;
    case 5: draw_blt(p, r); break;
    case 6: r->nb = draw_list(p, r->beta, r->spelled, sizeof r->spelled, "beta"); break;
    default: r->nc = draw_list(p, r->c, r->spelled, sizeof r->spelled, "strategy");
    }
    if (r->spelled[0] == 'n' || strncmp(r->spelled, "power", 5) == 0) {
        r->factors = 1;
        r->nu[0] = nu;
        r->power[0] = r->spelled[0] == 'n' ? 0.5 : power;
    }
    if (finf_noise_parse(r->spelled, &r->noise, &why)) {
        fprintf(stderr, "%s: %s\n", r->spelled, why.text);
        exit(5);
    }
}

/* The numbers of a text up to `end` ("1,2;" up to ';'), at most TERMS_READ; *n of them. */
static const char *read_list(const char *text, double *x, size_t *n)
{
    char *next = (char *)text;
    *n = 0;
    do x[(*n)++] = strtod(next, &next);
    while (*next == ',' && *n < TERMS_READ && *++next);
    return *next == ';' ? next + 1 : *next ? NULL : next;
}

int reference_read(const char *spelled, reference *r)
{
    const char *colon = strchr(spelled, ':'), *rest = colon ? colon + 1 : "";
    size_t length = colon ? (size_t)(colon - spelled) : strlen(spelled), n = 0;
    double x[TERMS_READ];
    *r = (reference){.factors = 0};
    if (strlen(spelled) >= sizeof r->spelled) return 0;
    strcpy(r->spelled, spelled);
    if (strncmp(spelled, "nu", length) == 0 || strncmp(spelled, "power", length) == 0) {
        if (!(rest = read_list(rest, x, &n)) || n > 2) return 0;
        r->factors = 1;
        r->power[0] = n == 2 ? x[0] : 0.5;
        r->nu[0] = x[n - 1];
    } else if (strncmp(spelled, "product", length) == 0) {
        if (!(rest = read_list(rest, r->nu, &r->factors)) || !read_list(rest, r->power, &n))
            return 0;
    } else if (strncmp(spelled, "blt", length) == 0) {
        if (!(rest = read_list(rest, r->decay, &r->buffers)) || !read_list(rest, r->scale, &n))
            return 0;
    } else if (strncmp(spelled, "strategy", length) == 0) {
        if (!read_list(rest, r->c, &r->nc)) return 0;
    } else if (strcmp(spelled, "sgd") != 0)
        return 0;
    return finf_noise_parse(spelled, &r->noise, NULL) == FINF_OK;
}

void reference_free(reference *r) { finf_noise_free(r->noise); }

/* ---- |B|^2
 * --------------------------------------------------------------------------------------- */

void gap_arb(acb_t out, const arb_t b, const acb_t c)
{
    arb_t x;
    arb_init(x);
    arb_sub_ui(x, b, 1, BITS);
    arb_neg(x, x);
    acb_mul_arb(out, c, x, BITS);
    arb_mul(x, b, b, BITS);
    acb_add_arb(out, out, x, BITS);
    arb_clear(x);
}

void gap(acb_t out, double b, const acb_t c)
{
    arb_t x;
    arb_init(x);
    arb_set_d(x, b);
    gap_arb(out, x, c);
    arb_clear(x);
}

static void power_of(acb_t x, double power, int analytic)
{
    acb_t e;
    if (power == 0.5) {
        acb_sqrt_analytic(x, x, analytic, BITS);
        return;
    }
    acb_init(e);
    acb_set_d(e, power);
    acb_pow_analytic(x, x, e, analytic, BITS);
    acb_clear(e);
}

/* x_0 + x_1 z + .. */
static void horner(acb_t out, const double *x, size_t n, const acb_t z)
{
    acb_t term;
    acb_init(term);
    acb_zero(out);
    for (size_t i = n; i-- > 0;) {
        acb_mul(out, out, z, BITS);
        acb_set_d(term, x[i]);
        acb_add(out, out, term, BITS);
    }
    acb_clear(term);
}

/* c(z), or 1 + sum scale_i z/(1 - decay_i z) */
static void strategy_at(acb_t out, const reference *r, const acb_t z)
{
    acb_t term, x;
    if (r->nc) {
        horner(out, r->c, r->nc, z);
        return;
    }
    acb_init(term);
    acb_init(x);
    acb_one(out);
    for (size_t i = 0; i < r->buffers; i++) {
        acb_set_d(x, r->decay[i]);
        acb_mul(term, x, z, BITS);
        acb_sub_ui(term, term, 1, BITS);
        acb_neg(term, term);
        acb_div(term, z, term, BITS);
        acb_set_d(x, r->scale[i]);
        acb_addmul(out, x, term, BITS);
    }
    acb_clear(term);
    acb_clear(x);
}

/* The factors by their gaps; the rest as B(z) B(1/z), z = e^{-iw}. */
void density(acb_t out, const reference *r, const acb_t w, const acb_t c, int analytic)
{
    acb_t x, z[2];
    acb_init(x);
    acb_one(out);
    for (size_t i = 0; i < r->factors; i++) {
        gap(x, r->nu[i], c);
        power_of(x, r->power[i], analytic);
        acb_mul(out, out, x, BITS);
    }
    if (r->nb || r->nc || r->buffers) {
        acb_init(z[0]);
        acb_init(z[1]);
        acb_mul_onei(z[1], w);
        acb_exp_invexp(z[1], z[0], z[1], BITS);
        for (int i = 0; i < 2; i++) {
            if (r->nb) horner(x, r->beta, r->nb, z[i]);
            if (r->nb) acb_mul(out, out, x, BITS);
            if (!r->nb) strategy_at(x, r, z[i]);
            if (!r->nb) acb_div(out, out, x, BITS);
        }
        acb_clear(z[0]);
        acb_clear(z[1]);
    }
    acb_clear(x);
}

/* ---- means over the circle
 * ----------------------------------------------------------------------- */

typedef struct {
    ball_function *f;
    void *data;
} integrand_data;

static int integrand(acb_ptr out, const acb_t w, void *data, slong order, slong prec)
{
    const integrand_data *d = data;
    acb_t c;
    (void)prec;
    if (order > 1) return 1;
    acb_init(c);
    acb_mul_2exp_si(c, w, -1);
    acb_sin(c, c, BITS);
    acb_mul(c, c, c, BITS);
    acb_mul_2exp_si(c, c, 2);
    d->f(out, w, c, order != 0, d->data);
    acb_clear(c);
    return 0;
}

/* From 0 to pi by powers of 8, so that a peak at 0 costs few bisections. */
void ball_mean(arb_t out, ball_function *f, void *data)
{
    integrand_data d = {f, data};
    acb_t lo, hi, part, sum, pi;
    mag_t tol;
    acb_calc_integrate_opt_t opt;
    acb_init(lo);
    acb_init(hi);
    acb_init(part);
    acb_init(sum);
    acb_init(pi);
    mag_init(tol);
    acb_calc_integrate_opt_init(opt);
    opt->eval_limit = 200000;
    acb_const_pi(pi, BITS);
    for (int k = 12; k >= 0; k--) {
        acb_mul_2exp_si(hi, pi, -3 * k);
        acb_calc_integrate(part, integrand, &d, lo, hi, 70, tol, opt, BITS);
        acb_add(sum, sum, part, BITS);
        acb_set(lo, hi);
    }
    acb_div(sum, sum, pi, BITS);
    arb_set(out, acb_realref(sum));
    acb_clear(lo);
    acb_clear(hi);
    acb_clear(part);
    acb_clear(sum);
    acb_clear(pi);
    mag_clear(tol);
}

static void inverse_density(acb_t out, const acb_t w, const acb_t c, int analytic, void *r)
{
    density(out, r, w, c, analytic);
    acb_inv(out, out, BITS);
}

void reference_gamma2(arb_t out, const reference *r) { ball_mean(out, inverse_density, (void *)r); }

typedef struct {
    const reference *r;
    double b;
} energy_data;

static void over_gap(acb_t out, const acb_t w, const acb_t c, int analytic, void *data)
{
    const energy_data *d = data;
    acb_t x;
    acb_init(x);
    density(out, d->r, w, c, analytic);
    gap(x, d->b, c);
    acb_div(out, out, x, BITS);
    acb_clear(x);
}

/* b(2-b) mean(|B|^2/gap(b)). (theory 5) */
void reference_energy(arb_t out, const reference *r, double b)
{
    energy_data d = {r, b};
    arb_t x, y;
    arb_init(x);
    arb_init(y);
    ball_mean(out, over_gap, &d);
    arb_set_d(x, b);
    arb_set_d(y, b);
    arb_sub_ui(y, y, 2, BITS);
    arb_neg(y, y);
    arb_mul(x, x, y, BITS);
    arb_mul(out, out, x, BITS);
    arb_clear(x);
    arb_clear(y);
}

/* ---- power series
 * -------------------------------------------------------------------------------- */

/* x *= (1 - (1-nu)z)^power mod z^n */
static void multiply_factor(arb_ptr x, size_t n, double nu, double power)
{
    arb_ptr f = _arb_vec_init((slong)n), y = _arb_vec_init((slong)n);
    arb_t a, e, t;
    arb_init(a);
    arb_init(e);
    arb_init(t);
    arb_set_d(a, nu);
    arb_sub_ui(a, a, 1, SERIES_BITS);
    arb_set_d(e, power);
    arb_one(f);
    for (size_t k = 1; k < n; k++) { /* binomial: f_k = f_{k-1} (power - k + 1)/k (nu - 1) */
        arb_sub_ui(t, e, k - 1, SERIES_BITS);
        arb_mul(t, t, a, SERIES_BITS);
        arb_div_ui(t, t, k, SERIES_BITS);
        arb_mul(f + k, f + k - 1, t, SERIES_BITS);
    }
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i <= k; i++) arb_addmul(y + k, x + i, f + k - i, SERIES_BITS);
    _arb_vec_set(x, y, (slong)n);
    _arb_vec_clear(f, (slong)n);
    _arb_vec_clear(y, (slong)n);
    arb_clear(a);
    arb_clear(e);
    arb_clear(t);
}

/* y = 1/x mod z^n, x_0 = 1 */
static void invert(arb_ptr y, arb_srcptr x, size_t n)
{
    _arb_vec_zero(y, (slong)n);
    arb_one(y);
    for (size_t k = 1; k < n; k++)
        for (size_t i = 1; i <= k; i++) arb_submul(y + k, x + i, y + k - i, SERIES_BITS);
}

void reference_series(const reference *r, size_t n, arb_ptr beta, arb_ptr c)
{
    arb_t x;
    arb_init(x);
    _arb_vec_zero(beta, (slong)n);
    _arb_vec_zero(c, (slong)n);
    if (r->nc || r->buffers) {
        arb_one(c);
        for (size_t k = 0; k < r->nc && k < n; k++) arb_set_d(c + k, r->c[k]);
        for (size_t i = 0; i < r->buffers; i++) {
            arb_set_d(x, r->scale[i]);
            for (size_t k = 1; k < n; k++) {
                arb_t decay;
                arb_add(c + k, c + k, x, SERIES_BITS);
                arb_init(decay);
                arb_set_d(decay, r->decay[i]);
                arb_mul(x, x, decay, SERIES_BITS);
                arb_clear(decay);
            }
        }
        invert(beta, c, n);
    } else {
        arb_one(beta);
        for (size_t k = 0; k < r->nb && k < n; k++) arb_set_d(beta + k, r->beta[k]);
        for (size_t i = 0; i < r->factors; i++) multiply_factor(beta, n, r->nu[i], r->power[i]);
        invert(c, beta, n);
    }
    arb_clear(x);
}

/* The largest of `out` and |B|^2 between lo and hi, by boxes so small that each knows a bit of it.
 */
static void cover(arb_t out, const reference *r, double lo, double hi, int depth)
{
    double middle = lo + (hi - lo) / 2;
    acb_t w, c, x;
    acb_init(w);
    acb_init(c); /* of the factors, of which there are none */
    acb_init(x);
    acb_set_d(w, middle);
    mag_set_d(arb_radref(acb_realref(w)), (hi - lo) / 2 * (1 + 1e-9));
    density(x, r, w, c, 0);
    if (depth == 0 || arb_rel_accuracy_bits(acb_realref(x)) >= 1) {
        arb_max(out, out, acb_realref(x), BITS);
    } else {
        cover(out, r, lo, middle, depth - 1);
        cover(out, r, middle, hi, depth - 1);
    }
    acb_clear(w);
    acb_clear(c);
    acb_clear(x);
}

/* c * beta = 1 as a recursion with a state for each buffer: its cost grows with n alone. A ball
 * grows less than fourfold a step, for which there are two bits. */
int reference_by_strategy(const reference *r, size_t n, arb_ptr beta, arb_t peak)
{
    slong bits = SERIES_BITS + 2 * (slong)n;
    if (!r->nc && !r->buffers) return 0;
    arb_ptr y = _arb_vec_init((slong)r->buffers + 1), t = y + r->buffers;
    _arb_vec_zero(beta, (slong)n);
    arb_one(beta);
    for (size_t k = 1; k < n; k++) {
        for (size_t i = 1; i < r->nc && i <= k; i++) {
            arb_set_d(t, r->c[i]);
            arb_submul(beta + k, t, beta + k - i, bits);
        }
        for (size_t i = 0; i < r->buffers; i++) {
            arb_set_d(t, r->decay[i]);
            arb_mul(y + i, y + i, t, bits);
            arb_add(y + i, y + i, beta + k - 1, bits);
            arb_set_d(t, r->scale[i]);
            arb_submul(beta + k, t, y + i, bits);
        }
    }
    _arb_vec_clear(y, (slong)r->buffers + 1);
    arb_zero(peak);
    cover(peak, r, 0, 3.1416, 30);
    arb_sqrt(peak, peak, BITS);
    return 1;
}
