/* What every noise answers, whatever its family: the public functions, by way of its table. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"

/* The table of every family, in the order of its list in family.h. */
#define REFERENCE(name) &noise_##name,
static const noise_family *const FAMILIES[] = {NOISE_FAMILIES(REFERENCE)};
#undef REFERENCE
enum { FAMILY_COUNT = sizeof FAMILIES / sizeof *FAMILIES };

/* ---- construction -------------------------------------------------------------------------- */

finf_status noise_make(const noise_family *family, const double *x, size_t n, finf_noise **out,
                       finf_reason *why)
{
    finf_noise *noise = calloc(1, sizeof *noise);
    double *coef = malloc((n ? n : 1) * sizeof *coef);
    *out = NULL;
    if (!noise || !coef) {
        free(noise);
        free(coef);
        return finf_why(why, FINF_ENOMEM, "no memory for %zu coefficients", n);
    }
    if (x) memcpy(coef, x, n * sizeof *x);
    noise->family = family;
    noise->n = n;
    noise->coef = coef;
    *out = noise;
    return FINF_OK;
}

void finf_noise_free(finf_noise *noise)
{
    if (!noise) return;
    if (noise->family->release) noise->family->release(noise);
    free(noise->coef);
    free(noise);
}

/* Written as a negation so that NaN is refused too. */
finf_status noise_check_size(const char *what, const double *x, size_t n, finf_reason *why)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(x[i]) <= BOUNDS_HUGE))
            return finf_why(why, FINF_EDOM, "%s[%zu] = %s: must be finite, at most 1e50", what, i,
                            finf_show(x[i]).s);
    return FINF_OK;
}

/* ---- families by name ---------------------------------------------------------------------- */

const char *finf_noise_family(const finf_noise *noise) { return noise->family->name; }

finf_noise_form finf_noise_form_get(size_t i)
{
    if (i >= FAMILY_COUNT) return (finf_noise_form){NULL, NULL, NULL, 0, NULL};
    const noise_family *f = FAMILIES[i];
    return (finf_noise_form){f->name, f->form, f->about, f->from_table != NULL, f->pairs};
}

/* The name is the first `length` characters: in "nu:0.1" it does not end with a null. */
static const noise_family *find(const char *name, size_t length)
{
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        if (strlen(FAMILIES[i]->name) == length && memcmp(FAMILIES[i]->name, name, length) == 0)
            return FAMILIES[i];
    return NULL;
}

/* Says what would be known: "sgd, nu:V, .., beta:.., beta@FILE", cut where the reason is full. */
static finf_status unknown(const char *text, finf_reason *why)
{
    char list[sizeof why->text];
    size_t n = 0;
    for (size_t i = 0; i < FAMILY_COUNT && n < sizeof list; i++) {
        const noise_family *f = FAMILIES[i];
        if (f->parse)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", f->form);
        if (f->from_table && n < sizeof list)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s@FILE", n ? ", " : "", f->name);
    }
    return finf_why(why, FINF_EPARSE, "noise '%.60s' is not known: %s", text, list);
}

/* "name" or "name:parameters". "name@FILE" is for the caller to read and to hand to
 * finf_noise_from_table: no file is opened here. */
finf_status finf_noise_parse(const char *text, finf_noise **out, finf_reason *why)
{
    size_t length = strcspn(text, ":@");
    const noise_family *family = find(text, length);
    *out = NULL;
    if (!family || text[length] == '@' || !family->parse) return unknown(text, why);
    int bare = !text[length]; /* which only a family without parameters may be */
    if (bare && strchr(family->form, ':')) return unknown(text, why);
    return family->parse(bare ? "" : text + length + 1, out, why);
}

finf_status finf_noise_from_table(const char *name, const double *x, const double *y, size_t n,
                                  finf_noise **out, finf_reason *why)
{
    const noise_family *family = find(name, strlen(name));
    *out = NULL;
    if (!family || !family->from_table) return unknown(name, why);
    if (x && !family->pairs)
        return finf_why(why, FINF_EDOM, "%s: one list of numbers is expected, not pairs", name);
    return family->from_table(x, y, n, out, why);
}

/* ---- spelling ------------------------------------------------------------------------------ */

/* As snprintf does: what does not fit is counted and not written. */
void noise_spell_text(noise_speller *s, const char *text)
{
    for (; *text; text++) {
        if (s->length + 1 < s->size) s->text[s->length] = *text;
        s->length++;
    }
}

void noise_spell_list(noise_speller *s, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i) noise_spell_text(s, ",");
        noise_spell_text(s, finf_show(x[i]).s);
    }
}

/* A text cut short would be another noise, so that one that does not fit is an error. out is
 * ended by a null character in any case but size = 0 or a family without a spelling. */
finf_status finf_noise_spell(const finf_noise *noise, char *out, size_t size)
{
    noise_speller s = {out, size, 0};
    if (!noise->family->spell || size == 0) return FINF_EDOM;
    noise->family->spell(noise, &s);
    out[s.length < size ? s.length : size - 1] = '\0';
    return s.length < size ? FINF_OK : FINF_EDOM;
}

/* ---- coefficients -------------------------------------------------------------------------- */

/* Both public functions: no empty list, and nothing that has overflowed. 1/B of a B that is not
 * minimum phase grows without limit, and so may 1/C: the coefficients before are still right. */
static finf_status checked(finf_status (*get)(const finf_noise *, size_t, double *, finf_reason *),
                           const char *what, const finf_noise *noise, size_t n, double *out,
                           finf_reason *why)
{
    if (n == 0) return finf_why(why, FINF_EDOM, "length 0: at least one coefficient");
    finf_status s = get(noise, n, out, why);
    for (size_t t = 0; t < n && !s; t++)
        if (!isfinite(out[t]))
            s = finf_why(why, FINF_EDOM,
                         "%s_t grows exponentially and overflows at t = %zu: ask for at most %zu",
                         what, t, t);
    for (size_t t = 0; t < n && s && s != FINF_ETOL; t++) out[t] = NAN;
    return s;
}

finf_status finf_noise_beta(const finf_noise *noise, size_t n, double *beta, finf_reason *why)
{
    return checked(noise->family->beta, "beta", noise, n, beta, why);
}

finf_status finf_noise_coef(const finf_noise *noise, size_t n, double *c, finf_reason *why)
{
    return checked(noise->family->coef, "c", noise, n, c, why);
}

/* ---- frequencies --------------------------------------------------------------------------- */

void finf_noise_response(const finf_noise *noise, double w, double re_im[2])
{
    double complex B = noise->family->response(noise, w);
    re_im[0] = creal(B);
    re_im[1] = cimag(B);
}

/* |B|^2 without the root that cabs would take. */
static double size2(double complex B) { return creal(B) * creal(B) + cimag(B) * cimag(B); }

/* From the family's formula in t = tan(w/2), which keeps its digits at both ends of (0, pi), or
 * from its response. */
double noise_density_t(double t, void *ctx)
{
    const finf_noise *noise = ctx;
    if (noise->family->density) return noise->family->density(noise, t);
    return size2(noise->family->response(noise, 2 * atan(t)));
}

double noise_inverse_density_t(double t, void *noise) { return 1 / noise_density_t(t, noise); }

/* |B(w)|^2 */
double finf_noise_density(const finf_noise *noise, double w)
{
    if (noise->family->density) return noise->family->density(noise, tan(w / 2));
    return size2(noise->family->response(noise, w));
}

double noise_density_rounding(const finf_noise *noise)
{
    return noise->family->rounding ? noise->family->rounding(noise) : 0;
}

double finf_noise_scale(const finf_noise *noise) { return noise->family->scale(noise); }

size_t noise_knots(const finf_noise *noise, double *w)
{
    return noise->family->knots ? noise->family->knots(noise, w) : 0;
}

size_t noise_taps(const finf_noise *noise)
{
    return noise->family->taps ? noise->family->taps(noise) : 0;
}

/* White noise is a recursion without a pole: only families that have recursions can tell. */
const char *noise_step_cost(const finf_noise *noise)
{
    return noise->family->step ? noise->family->step : "O(n), or O(log^2 n) by FFT";
}

int noise_is_white(const finf_noise *noise)
{
    noise_poles f;
    if (!noise->family->poles) return 0;
    noise->family->poles(noise, 1, &f);
    return f.n == 0;
}

/* FINF_EDOM where |B| is beyond 1e50, or not a number: a simulation could not use it. */
finf_status noise_stream_response(const finf_noise *noise, size_t n, double *room,
                                  double complex *B)
{
    finf_status s = FINF_OK;
    if (noise->family->stream)
        s = noise->family->stream(noise, n, room, B);
    else
        for (size_t j = 0; j <= n / 2; j++)
            B[j] = noise->family->response(noise, 2 * FINF_PI * (double)j / (double)n);
    for (size_t j = 0; j <= n / 2 && !s; j++)
        if (!(cabs(B[j]) <= BOUNDS_HUGE)) s = FINF_EDOM;
    return s;
}

/* ---- sensitivity --------------------------------------------------------------------------- */

/* A failure leaves no number behind, and never goes without a reason. */
finf_status finf_noise_sensitivity(const finf_noise *noise, finf_sensitivity *out)
{
    *out = (finf_sensitivity){.gamma2 = finf_real_failed()};
    finf_status s = noise->family->gamma2(noise, out);
    if (!s) return FINF_OK;
    out->gamma2 = finf_real_failed();
    out->minimum_phase = 0;
    if (!out->reason.text[0])
        finf_why(&out->reason, s,
                 s == FINF_ENOMEM ? "no memory" : "the integral of 1/|B|^2 did not settle");
    return s;
}

/* gamma_T^2 = sum_{t<T} c_t^2: finite for every T, and +inf only beyond the range of doubles.
 * (theory 2.4) */
finf_status finf_noise_sensitivity_at(const finf_noise *noise, size_t T, finf_real *gamma2,
                                      finf_reason *why)
{
    *gamma2 = finf_real_failed();
    if (T == 0 || T > FINF_STEPS_MAX)
        return finf_why(why, FINF_EDOM, "steps = %zu: must be from 1 to %u", T, FINF_STEPS_MAX);
    finf_status s = noise->family->gamma2_at(noise, T, gamma2, why);
    if (s) *gamma2 = finf_real_failed();
    return s;
}
