/* A family of noise is one file here: its constructor, and a table of what can be asked of it.
 *
 * To add one: write its file with a `const noise_family noise_<name>`, add the name to the list
 * below, and write its tests. If its response has a formula in ball arithmetic, one line in
 * FAMILIES of socp/certify/ball_noise.c lets the bound be certified under it.  (theory 1) */
#ifndef FINF_NOISE_FAMILY_H
#define FINF_NOISE_FAMILY_H

#include "bounds.h"

/* Every family, in the order of --help: the one place where it is registered. */
#define NOISE_FAMILIES(X)                                                                          \
    X(sgd)                                                                                         \
    X(nu)                                                                                          \
    X(power)                                                                                       \
    X(antipgd)                                                                                     \
    X(cc)                                                                                          \
    X(beta)                                                                                        \
    X(strategy)                                                                                    \
    X(blt)                                                                                         \
    X(product)                                                                                     \
    X(bisr)                                                                                        \
    X(spectrum)

typedef struct noise_family noise_family;

struct finf_noise {
    const noise_family *family;
    size_t n;     /* how many numbers, or pairs of numbers, the noise is given by */
    double *coef; /* these numbers; a family of pairs has the first of all pairs, then the second */
    void *own;    /* what the family keeps beside them, freed by its `release`; or NULL */
};

/* B(z) as 1 + sum_i gain_i z/(1 - (1-leak_i) z): a recursion that simulations run. */
#define NOISE_POLES_MAX 128
typedef struct {
    size_t n; /* how many poles; 0: white noise */
    double gain[NOISE_POLES_MAX];
    double leak[NOISE_POLES_MAX]; /* 1 minus the pole, to keep its digits near 1 */
} noise_poles;

/* Where spelling writes. */
typedef struct {
    char *text;
    size_t size, length; /* length: of all that was to be written, also beyond size */
} noise_speller;
void noise_spell_text(noise_speller *s, const char *text);
void noise_spell_list(noise_speller *s, const double *x, size_t n); /* "1,-0.5" */

/* What can be asked of a noise. Functions that may be NULL say what then holds. */
struct noise_family {
    const char *name;  /* what is written before the colon, and what finf_noise_family says */
    const char *form;  /* how --noise spells it: "nu:V" */
    const char *about; /* one line for --help */
    /* What the noise of one more step costs after n of them. NULL: "O(n), or O(log^2 n) by FFT" */
    const char *step;

    /* The noise from what follows "name:" ("" if nothing does). NULL: it is not spelled so. */
    finf_status (*parse)(const char *text, finf_noise **out, finf_reason *why);
    /* The noise from a file's numbers, as name@FILE has it: y alone, or pairs (x, y) where `pairs`
     * says that x may be there. NULL: it is not given so. */
    finf_status (*from_table)(const double *x, const double *y, size_t n, finf_noise **out,
                              finf_reason *why);
    const char *pairs; /* what the pairs are, "w, |B|^2"; NULL: from_table takes y alone */
    /* Writes what parse reads. NULL: it has no spelling. */
    void (*spell)(const finf_noise *noise, noise_speller *s);
    void (*release)(finf_noise *noise); /* frees own; may be NULL */

    /* The first n >= 1 coefficients of B and of C = 1/B; an overflow is left in place as inf. */
    finf_status (*beta)(const finf_noise *noise, size_t n, double *beta, finf_reason *why);
    finf_status (*coef)(const finf_noise *noise, size_t n, double *c, finf_reason *why);

    double complex (*response)(const finf_noise *noise, double w); /* B(w) */
    double (*density)(const finf_noise *noise, double t); /* |B|^2 at t = tan(w/2); NULL: of B */
    double (*rounding)(const finf_noise *noise); /* of density, relative; NULL: a few eps */
    double (*scale)(const finf_noise *noise);    /* the least frequency on which |B| varies */
    /* The w in (0, pi) at which |B| is not smooth, increasing; NULL for the array: how many. NULL:
     * there are none. */
    size_t (*knots)(const finf_noise *noise, double *w);
    size_t (*taps)(const finf_noise *noise); /* coefficients listed; NULL: none are */

    finf_status (*gamma2)(const finf_noise *noise, finf_sensitivity *out); /* gamma_inf^2 */
    finf_status (*gamma2_at)(const finf_noise *noise, size_t T, finf_real *gamma2,
                             finf_reason *why); /* gamma_T^2 */
    /* T(b) for m values b in (0, 2); *relerr for all of them. (theory 5) */
    finf_status (*energy)(const finf_noise *noise, const double *b, size_t m, double *T,
                          double *relerr, finf_reason *why);

    /* B at 2 pi j/n, j = 0..n/2, with room for n numbers. NULL: response at each. */
    finf_status (*stream)(const finf_noise *noise, size_t n, double *room, double complex *B);
    /* The noise as a recursion, right for frequencies above `slow`. NULL: it has none. */
    void (*poles)(const finf_noise *noise, double slow, noise_poles *out);
};

#define NOISE_DECLARE_(name) extern const noise_family noise_##name;
NOISE_FAMILIES(NOISE_DECLARE_)
#undef NOISE_DECLARE_

/* ---- noise.c ---- */

/* A noise of n numbers copied from x (NULL: not filled). */
finf_status noise_make(const noise_family *family, const double *x, size_t n, finf_noise **out,
                       finf_reason *why);
/* Every |x_i| <= 1e50, else FINF_EDOM that names `what`. */
finf_status noise_check_size(const char *what, const double *x, size_t n, finf_reason *why);

/* x (1-nu) without the systematic error of rounding 1-nu, which t factors would multiply by t. */
static inline double noise_damp(double x, double nu)
{
    return nu < 0.5 ? x - x * nu : x * (1 - nu);
}

double noise_density_t(double t, void *noise);          /* |B|^2 at t = tan(w/2): a circle_fn */
double noise_inverse_density_t(double t, void *noise);  /* 1/|B|^2: a circle_fn */
double noise_density_rounding(const finf_noise *noise); /* relative */
size_t noise_taps(const finf_noise *noise);
size_t noise_knots(const finf_noise *noise, double *w); /* see `knots` above */
const char *noise_step_cost(const finf_noise *noise);   /* see `step` above */
/* The noise is w itself: sgd, power:0,V and anything else whose recursion has no pole. */
int noise_is_white(const finf_noise *noise);
/* B at the frequencies of an FFT of n points. */
finf_status noise_stream_response(const finf_noise *noise, size_t n, double *room,
                                  double complex *B);

/* ---- spectrum.c: a noise by |B|^2 ---- */

/* See spline_density_set_exact, spline_density_factor. */
finf_status noise_spectrum_factor(const finf_noise *noise, int sign, size_t n, double *out,
                                  double *error, finf_reason *why);

/* ---- lists.c: what families given by a list of coefficients share ---- */

/* `what` names the list in a reason. */
finf_status noise_list_make(const noise_family *family, const char *what, const double *x, size_t n,
                            finf_noise **out, finf_reason *why);
finf_status noise_list_parse(const char *text, const char *what,
                             finf_status (*make)(const double *, size_t, finf_noise **,
                                                 finf_reason *),
                             finf_noise **out, finf_reason *why);
void noise_list_spell(const finf_noise *noise, noise_speller *s);
void noise_list_release(finf_noise *noise);
/* The first n of x, with zeros after the list. */
void noise_list_padded(const finf_noise *noise, size_t n, double *out);
double complex noise_list_at(const finf_noise *noise, double w); /* sum x_t e^{-iwt} */
double noise_list_scale(const finf_noise *noise);
size_t noise_list_taps(const finf_noise *noise);
/* X at 2 pi j/n, j = 0..n/2: a family's `stream`. */
finf_status noise_list_transform(const finf_noise *noise, size_t n, double *room,
                                 double complex *X);

/* ---- beta.c: what every family that lists or computes a finite beta has in common ---- */

finf_status noise_beta_beta(const finf_noise *noise, size_t n, double *beta, finf_reason *why);
finf_status noise_beta_coef(const finf_noise *noise, size_t n, double *c, finf_reason *why);
finf_status noise_beta_gamma2(const finf_noise *noise, finf_sensitivity *out);
finf_status noise_beta_gamma2_at(const finf_noise *noise, size_t T, finf_real *gamma2,
                                 finf_reason *why);
finf_status noise_beta_energy(const finf_noise *noise, const double *b, size_t m, double *T,
                              double *relerr, finf_reason *why);
#define NOISE_BETA_FUNCTIONS                                                                       \
    .release = noise_list_release, .beta = noise_beta_beta, .coef = noise_beta_coef,               \
    .response = noise_list_at, .scale = noise_list_scale, .taps = noise_list_taps,                 \
    .gamma2 = noise_beta_gamma2, .gamma2_at = noise_beta_gamma2_at, .energy = noise_beta_energy,   \
    .stream = noise_list_transform

/* ---- pairs.c: what families given by pairs of numbers share ---- */

#define NOISE_PAIRS_MAX 256 /* buffers of a BLT, factors of a product */
/* Equal first numbers become one pair, whose second number must not exceed `most` either, and
 * pairs whose second number is 0 go. */
finf_status noise_pairs_make(const noise_family *family, const char *first_name,
                             const double *first, const char *second_name, const double *second,
                             double most, size_t n, finf_noise **out, finf_reason *why);
typedef finf_status (*noise_pairs_fn)(const double *, const double *, size_t, finf_noise **,
                                      finf_reason *);
/* The noise from "x,..;y,..", made by `make`; the names are for reasons. */
finf_status noise_pairs_parse(const char *text, const char *first, const char *second,
                              const char *family, noise_pairs_fn make, finf_noise **out,
                              finf_reason *why);
void noise_pairs_spell(const finf_noise *noise, noise_speller *s);

/* ---- energy.c: T(b), what families share ---- */

/* What finf_noise_energy adds to the relative error of n values for interpolating them. */
double noise_energy_interpolation(size_t n);

/* T(b) by quadrature of |B|^2, given by the family's density. */
finf_status noise_energy_by_density(const finf_noise *noise, const double *b, size_t m, double *T,
                                    double *relerr, finf_reason *why);
/* The same for any f = |B|^2, which varies on frequencies from `scale` on. *lost is the relative
 * rounding error of f, read after f has been used. */
finf_status noise_energy_by_circle(circle_fn f, void *ctx, double scale, const double *lost,
                                   const double *b, size_t m, double *T, double *relerr,
                                   finf_reason *why);
/* T(b) of a finite beta. */
finf_status noise_energy_of_beta(const double *beta, size_t n, const double *b, size_t m, double *T,
                                 double *relerr, finf_reason *why);
/* T = +inf for all, as beta is not square-summable: C(z) has this zero. */
finf_status noise_energy_infinite(size_t m, double *T, double *relerr, finf_reason *why,
                                  const char *zero_of_C);

/* ---- running_sum.c: gamma_T^2 from c_t, one after another ---- */

/* One run of a recursion for c_t. in_double: every step is rounded to double. */
typedef struct {
    long double *past; /* what the recursion carries along, at the start zeros */
    long double c;     /* c_{t-1}, then c_t */
    int in_double;
} noise_run;
static inline long double noise_rounded(const noise_run *r, long double x)
{
    return r->in_double ? (double)x : x;
}
/* sum_{t<T} c_t^2 and how much of it rounding may have lost; next: c_t from what came before, with
 * `carried` numbers in past. */
finf_status noise_running_sum(const finf_noise *noise, size_t T, size_t carried,
                              void (*next)(const finf_noise *noise, size_t t, noise_run *r),
                              long double *sum, long double *lost, finf_reason *why);
/* gamma_T^2 from these two; +inf with the reason where it overflows. */
finf_status noise_squares_result(long double sum, long double lost, finf_real *gamma2,
                                 finf_reason *why);

#endif
